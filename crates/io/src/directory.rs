//! Directories, and opening what lies in them. To read what was opened here moves no access time, where the system grants that.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::{io, iter};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir, ResolveFlags, openat, openat2, statat};
use rustix::io::Errno;

use crate::access_time;
use crate::descriptors::Permit;
use crate::open_file::{FileFacts, FileKind};

/// The longest path that the kernel takes in one call, with its terminating NUL.
const PATH_MAX: usize = 4096;

/// A directory whose entries can be opened, by its descriptor while it has one and by its path otherwise.
///
/// It holds its own name and its parent: a deep tree would else hold the beginning of the path once for each level.
#[derive(Debug)]
pub struct Directory {
    parent: Option<Arc<Directory>>,
    /// Its name in its parent, or its path where it has none.
    name: Box<[u8]>,
    handle: Option<Handle>,
}

#[derive(Debug)]
struct Handle {
    descriptor: OwnedFd,
    _permit: Option<Permit>,
}

/// A pipe, socket or device stands where only files are read. Carried by the error of the standard library.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("is not a regular file")]
pub(crate) struct NotAFile;

/// What `openat2(2)` is asked for.
pub(crate) struct OneCall<'a> {
    pub(crate) base: BorrowedFd<'a>,
    pub(crate) name: Cow<'a, CStr>,
    pub(crate) flags: OFlags,
    pub(crate) resolve: ResolveFlags,
}

/// What may be opened under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenHow {
    /// Whatever the name leads to, through symbolic links; a FIFO waits for its writer.
    Named,
    /// As [`OpenHow::Named`], but nothing outside the directory: no absolute name, no `..` and no symbolic link that
    /// leads out of it. Needs Linux 5.6.
    Confined,
    /// As [`OpenHow::Confined`], for what was found behind a symbolic link while walking: its name is relative to the directory that
    /// it may not lead out of, and it is printed below that directory.
    Followed,
    /// As [`OpenHow::Confined`], for what a listing has just shown to be a regular file: symbolic links are refused on the whole way, a FIFO
    /// in its place does not wait. It takes one call.
    Listed,
    /// A regular file found while walking: a symbolic link in its place is refused, a FIFO does not wait.
    Walked,
    /// A FIFO or device found while walking: a symbolic link in its place is refused, a FIFO waits for its writer.
    WalkedSpecial,
}

impl Directory {
    /// The current directory, whose entries have no prefix.
    pub fn current() -> Self {
        Self::by_path([])
    }

    /// A directory known by path only.
    pub fn by_path(path: impl Into<Box<[u8]>>) -> Self {
        Self { parent: None, name: path.into(), handle: None }
    }

    /// A directory that is open. The descriptor is closed with the last use of the directory.
    pub fn with_descriptor(path: impl Into<Box<[u8]>>, descriptor: OwnedFd, permit: Option<Permit>) -> Self {
        Self { parent: None, name: path.into(), handle: Some(Handle { descriptor, _permit: permit }) }
    }

    /// A directory in this one; without a descriptor, what lies in it is opened by its path.
    pub fn child(self: &Arc<Self>, name: &CStr, opened: Option<(OwnedFd, Permit)>) -> Self {
        let handle = opened.map(|(descriptor, permit)| Handle { descriptor, _permit: Some(permit) });
        Self { parent: Some(Arc::clone(self)), name: name.to_bytes().into(), handle }
    }

    /// The path that it was reached by; empty for the current directory.
    pub fn path(&self) -> Vec<u8> {
        match &self.parent {
            Some(parent) => parent.before(&self.name),
            None => self.name.to_vec(),
        }
    }

    /// The path of an entry as it is printed: the directory's path, a `/` unless it ends in one, and the name.
    pub fn join(&self, name: &[u8]) -> Vec<u8> {
        if name.first() == Some(&b'/') {
            return name.to_vec();
        }
        self.before(name)
    }

    /// Its path before a name. Written from its end, as the way leads up; the memory has the length that it needs.
    fn before(&self, name: &[u8]) -> Vec<u8> {
        // The current directory has no name, and one that ends in a slash needs no other.
        let way =
            || iter::successors(Some(self), |directory| directory.parent.as_deref()).map(|at| &*at.name);
        let slash = |name: &[u8]| usize::from(!name.is_empty() && !name.ends_with(b"/"));
        let mut path = vec![b'/'; way().map(|name| name.len() + slash(name)).sum::<usize>() + name.len()];
        let mut start = path.len() - name.len();
        path[start..].copy_from_slice(name);
        for name in way() {
            let end = start - slash(name);
            start = end - name.len();
            path[start..end].copy_from_slice(name);
        }
        path
    }

    /// Opens an entry for reading.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(&self, name: &CStr, how: OpenHow) -> io::Result<OwnedFd> {
        if how == OpenHow::Listed {
            return self.open_inside(|base| open_stepwise(base, name.to_bytes(), how.flags(), UNLINKED));
        }
        if how.is_confined() {
            return self.open_inside(|base| {
                // What opening may wait for, and what has no end, is not a file that a list from elsewhere may name.
                let peeked = open_stepwise(base, name.to_bytes(), OFlags::PATH | OFlags::CLOEXEC, INSIDE)?;
                if FileFacts::of(peeked.as_fd())?.kind == FileKind::Special {
                    return Err(io::Error::new(io::ErrorKind::Unsupported, NotAFile));
                }
                open_stepwise(base, name.to_bytes(), how.flags(), INSIDE)
            });
        }
        self.open_with(name, how.flags())
    }

    /// The facts of an entry, without opening it. A symbolic link is followed.
    ///
    /// # Errors
    /// What the system says.
    pub fn facts(&self, name: &CStr) -> io::Result<FileFacts> {
        let stat = match &self.handle {
            Some(handle) => statat(&handle.descriptor, name, AtFlags::empty())?,
            None => statat(CWD, self.long_name(name).as_c_str(), AtFlags::empty())?,
        };
        Ok(FileFacts::from_stat(&stat))
    }

    /// Opens an entry if its name can be looked up without waiting for a device; `None` if it cannot, or if this
    /// kernel cannot tell, or if opening it may wait for somebody else, as with a FIFO.
    pub fn open_cached(&self, name: &CStr, how: OpenHow) -> Option<io::Result<OwnedFd>> {
        let call = self.one_call(name, how)?;
        if !matches!(how, OpenHow::Walked | OpenHow::Listed) {
            // Nothing but a regular file is opened before somebody may wait for it: to open a FIFO without waiting and
            // to close it again would break the pipe of its writer.
            let peeked = match open_now(&call, OFlags::PATH | OFlags::CLOEXEC)? {
                Ok(peeked) => peeked,
                Err(error) => return Some(Err(error)),
            };
            if !FileFacts::of(peeked.as_fd()).is_ok_and(|facts| facts.kind == FileKind::Regular) {
                return None;
            }
        }
        open_now(&call, call.flags | OFlags::NONBLOCK)
    }

    /// What one call of `openat2(2)` takes to open an entry; none if it takes another call before that.
    pub(crate) fn one_call<'a>(&'a self, name: &'a CStr, how: OpenHow) -> Option<OneCall<'a>> {
        let resolve = match how {
            OpenHow::Confined | OpenHow::Followed | OpenHow::Listed if self.handle.is_none() => return None,
            OpenHow::Confined | OpenHow::Followed => INSIDE,
            OpenHow::Listed => UNLINKED,
            OpenHow::Named | OpenHow::Walked | OpenHow::WalkedSpecial => ANYWHERE,
        };
        let (base, name) = match &self.handle {
            Some(handle) => (handle.descriptor.as_fd(), Cow::Borrowed(name)),
            None => (CWD, Cow::Owned(self.long_name(name))),
        };
        Some(OneCall { base, name, flags: how.flags(), resolve })
    }

    /// Opens a directory in this one. Symbolic links are followed only if `follow` says so.
    ///
    /// # Errors
    /// What the system says.
    pub fn open_directory(&self, name: &CStr, follow: bool) -> io::Result<OwnedFd> {
        let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if !follow {
            flags |= OFlags::NOFOLLOW;
        }
        self.open_with(name, flags)
    }

    /// The same, for a directory of any number of components that does not lie outside this one, whatever the symbolic links on the
    /// way say. Needs Linux 5.6.
    ///
    /// # Errors
    /// What the system says.
    pub fn open_directory_inside(&self, name: &CStr) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        self.open_inside(|base| open_stepwise(base, name.to_bytes(), flags, INSIDE))
    }

    /// Whether nothing is in it.
    ///
    /// # Errors
    /// What the system says.
    pub fn is_empty(&self) -> io::Result<bool> {
        let descriptor = self.open_directory(c".", true)?;
        let mut room = [MaybeUninit::uninit(); 1 << 10];
        let mut names = RawDir::new(descriptor, &mut room);
        while let Some(entry) = names.next() {
            if !matches!(entry?.file_name().to_bytes(), b"." | b"..") {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The descriptor, if it is open.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.handle.as_ref().map(|handle| handle.descriptor.as_fd())
    }

    /// Opens something by the descriptor of this directory, if need be one for this call.
    fn open_inside(&self, open: impl FnOnce(BorrowedFd<'_>) -> io::Result<OwnedFd>) -> io::Result<OwnedFd> {
        if let Some(handle) = &self.handle {
            return open(handle.descriptor.as_fd());
        }
        let path = self.path();
        let path: &[u8] = if path.is_empty() { b"." } else { &path };
        open(open_stepwise(CWD, path, STEP, ANYWHERE)?.as_fd())
    }

    fn open_with(&self, name: &CStr, flags: OFlags) -> io::Result<OwnedFd> {
        let descriptor = match &self.handle {
            Some(handle) if name.count_bytes() < PATH_MAX => {
                access_time::open(flags, |flags| openat(&handle.descriptor, name, flags, Mode::empty()))?
            }
            Some(handle) => open_stepwise(handle.descriptor.as_fd(), name.to_bytes(), flags, ANYWHERE)?,
            None => open_stepwise(CWD, self.long_name(name).to_bytes(), flags, ANYWHERE)?,
        };
        Ok(descriptor)
    }

    fn long_name(&self, name: &CStr) -> CString {
        CString::new(self.join(name.to_bytes())).expect("neither a path nor a C string has a NUL inside")
    }
}

impl OpenHow {
    /// Whether nothing outside the directory is opened.
    pub fn is_confined(self) -> bool {
        matches!(self, Self::Confined | Self::Followed | Self::Listed)
    }

    fn flags(self) -> OFlags {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
        match self {
            Self::Named => flags,
            Self::Confined | Self::Followed => flags | OFlags::NONBLOCK,
            Self::Walked | Self::Listed => flags | OFlags::NOFOLLOW | OFlags::NONBLOCK,
            Self::WalkedSpecial => flags | OFlags::NOFOLLOW,
        }
    }
}

/// Opens what the kernel can look up without waiting.
fn open_now(call: &OneCall<'_>, flags: OFlags) -> Option<io::Result<OwnedFd>> {
    let resolve = call.resolve | ResolveFlags::CACHED;
    let open = |flags| openat2(call.base, &*call.name, flags, Mode::empty(), resolve);
    match access_time::open(flags, open) {
        Ok(descriptor) => Some(Ok(descriptor)),
        // Not cached; or a kernel before 5.12, or a sandbox, that does not know the question; or a longer path than one
        // call takes. Opening it the patient way will tell.
        Err(Errno::AGAIN | Errno::NOSYS | Errno::INVAL | Errno::PERM | Errno::NAMETOOLONG) => None,
        Err(error) => Some(Err(error.into())),
    }
}

/// How a directory on the way to another place is opened.
const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A path may lead anywhere.
const ANYWHERE: ResolveFlags = ResolveFlags::empty();

/// A path may not lead out of its base.
const INSIDE: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

/// A path may not lead out of its base, nor through a symbolic link.
const UNLINKED: ResolveFlags = INSIDE.union(ResolveFlags::NO_SYMLINKS);

/// Opens a path of any length: one that the kernel would refuse is walked in pieces that it takes. Where `resolve` keeps
/// it inside the base it is kept inside each piece's end as well, so that a `..` or a link that leads out of that is
/// refused although it might lead back.
fn open_stepwise(
    base: BorrowedFd<'_>,
    mut path: &[u8],
    flags: OFlags,
    resolve: ResolveFlags,
) -> io::Result<OwnedFd> {
    let open = |from: BorrowedFd<'_>, path: &[u8], flags| match resolve {
        ANYWHERE => openat(from, path, flags, Mode::empty()),
        resolve => openat2(from, path, flags, Mode::empty(), resolve),
    };
    let mut reached: Option<OwnedFd> = None;
    while path.len() >= PATH_MAX {
        let Some(cut) = path[..PATH_MAX - 1].iter().rposition(|&byte| byte == b'/').filter(|&cut| cut > 0)
        else {
            return Err(Errno::NAMETOOLONG.into());
        };
        let from = reached.as_ref().map_or(base, |descriptor| descriptor.as_fd());
        reached = Some(open(from, &path[..cut], STEP)?);
        path = &path[cut..];
        let slashes = path.iter().take_while(|&&byte| byte == b'/').count();
        path = &path[slashes..];
        if path.is_empty() {
            path = b".";
        }
    }
    let from = reached.as_ref().map_or(base, |descriptor| descriptor.as_fd());
    Ok(access_time::open(flags, |flags| open(from, path, flags))?)
}

impl Drop for Directory {
    /// Lets go of the way upward step by step: a deep tree would take more stack than there is.
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some(mut directory) = parent.and_then(Arc::into_inner) {
            parent = directory.parent.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_as_find_prints_them() {
        let join = |path: &str, name: &str| {
            String::from_utf8(Directory::by_path(path.as_bytes()).join(name.as_bytes())).expect("ASCII")
        };
        assert_eq!(join("", "a"), "a");
        assert_eq!(join(".", "a"), "./a");
        assert_eq!(join("d/", "a"), "d/a");
        assert_eq!(join("d//", "a"), "d//a");
        assert_eq!(join("/", "a"), "/a");
        assert_eq!(join("d", "/absolute"), "/absolute");
    }

    #[test]
    fn a_deep_directory_knows_its_path_and_is_dropped_without_recursion() {
        for (root, prefix) in [(".", "./"), ("/", "/"), ("", ""), ("d//", "d//")] {
            let mut directory = Arc::new(Directory::by_path(root.as_bytes()));
            for _ in 0..300_000 {
                directory = Arc::new(directory.child(c"a", None));
            }
            let path = directory.path();
            assert_eq!(path.len(), prefix.len() + 2 * 300_000 - 1);
            assert!(path.starts_with([prefix.as_bytes(), b"a/a"].concat().as_slice()), "{root}");
            assert_eq!(directory.join(b"f").len(), path.len() + 2);
        }
    }

    #[test]
    fn a_long_name_stays_inside_its_base() {
        let root = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir(root.path().join("d")).expect("mkdir");
        std::fs::write(root.path().join("secret"), "s").expect("write");
        let base = std::fs::File::open(root.path().join("d")).expect("open");
        let base = Directory::with_descriptor(*b"d", base.into(), None);
        let long = |end: &str| CString::new("./".repeat(3_000) + end).expect("no NUL");
        std::fs::write(root.path().join("d/inside"), "i").expect("write");
        assert!(base.open(&long("inside"), OpenHow::Confined).is_ok());
        for out in ["../secret", "../d/../secret"] {
            let error = base.open(&long(out), OpenHow::Confined).expect_err("it leads out");
            assert_eq!(error.raw_os_error(), Some(Errno::XDEV.raw_os_error()));
        }
    }

    #[test]
    fn a_path_longer_than_the_kernel_takes_can_be_opened() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let component = [b'c'; 250];
        let mut path = root.path().as_os_str().as_encoded_bytes().to_vec();
        let mut at =
            rustix::fs::open(path.as_slice(), OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).expect("root");
        while path.len() < 2 * PATH_MAX {
            rustix::fs::mkdirat(&at, component.as_slice(), Mode::RWXU).expect("mkdirat");
            at = openat(&at, component.as_slice(), OFlags::PATH | OFlags::DIRECTORY, Mode::empty())
                .expect("openat");
            path.push(b'/');
            path.extend_from_slice(&component);
        }
        openat(&at, "leaf", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).expect("create");
        let directory = Directory::by_path(path);
        assert!(directory.open(c"leaf", OpenHow::Walked).is_ok());
        let missing = directory.open(c"missing", OpenHow::Walked).expect_err("there is no such file");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn what_was_listed_is_opened_through_no_link() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir(at("d")).expect("made");
        std::fs::write(at("d/file"), "text").expect("written");
        std::os::unix::fs::symlink("file", at("d/link")).expect("linked");
        std::os::unix::fs::symlink("d", at("way")).expect("linked");
        let path = root.path().as_os_str().as_encoded_bytes();
        let by_path = Directory::by_path(path);
        let opened = std::fs::File::open(root.path()).expect("there");
        let by_descriptor = Directory::with_descriptor(path, opened.into(), None);
        for base in [&by_path, &by_descriptor] {
            assert!(base.open(c"d/file", OpenHow::Listed).is_ok());
            for name in [c"d/link", c"way/file"] {
                assert!(base.open(name, OpenHow::Confined).is_ok());
                let error = base.open(name, OpenHow::Listed).expect_err("there is a link");
                assert_eq!(error.raw_os_error(), Some(Errno::LOOP.raw_os_error()));
            }
            assert!(base.open(c"../etc", OpenHow::Listed).is_err());
        }
        assert!(matches!(by_descriptor.open_cached(c"d/file", OpenHow::Listed), None | Some(Ok(_))));
    }

    #[test]
    fn what_is_no_file_is_told_from_what_a_file_system_refuses() {
        use crate::read_error::{ReadCause, ReadError, ReadStep};
        let place = tempfile::tempdir().expect("a temporary directory");
        let mode = Mode::RUSR | Mode::WUSR;
        rustix::fs::mknodat(CWD, place.path().join("fifo"), rustix::fs::FileType::Fifo, mode, 0)
            .expect("mkfifo");
        let base = Directory::by_path(place.path().as_os_str().as_encoded_bytes());
        let error = base.open(c"fifo", OpenHow::Confined).expect_err("it is no file");
        assert_eq!(error.to_string(), "is not a regular file");
        assert!(matches!(ReadError::system(ReadStep::Open, error).cause, ReadCause::Special));
        let refused = ReadError::system(ReadStep::Open, Errno::OPNOTSUPP);
        assert_eq!(refused.raw_os_error(), Some(Errno::OPNOTSUPP.raw_os_error()));
    }
}
