//! Directories, and opening what lies in them.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, openat, openat2, statat};
use rustix::io::Errno;

use crate::descriptors::Permit;
use crate::open_file::{FileFacts, FileKind};

/// The longest path that the kernel takes in one call, with its terminating NUL.
const PATH_MAX: usize = 4096;

/// A directory whose entries can be opened, by its descriptor while it has one and by its path otherwise.
#[derive(Debug)]
pub struct Directory {
    path: Box<[u8]>,
    handle: Option<Handle>,
}

#[derive(Debug)]
struct Handle {
    descriptor: OwnedFd,
    _permit: Option<Permit>,
}

/// What may be opened under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenHow {
    /// Whatever the name leads to, through symbolic links; a FIFO waits for its writer.
    Named,
    /// As [`OpenHow::Named`], but nothing outside the directory: no absolute name, no `..` and no symbolic link that
    /// leads out of it. Needs Linux 5.6.
    Confined,
    /// A regular file found while walking: a symbolic link in its place is refused, a FIFO does not wait.
    Walked,
}

impl Directory {
    /// The current directory, whose entries have no prefix.
    pub fn current() -> Self {
        Self { path: Box::default(), handle: None }
    }

    /// A directory known by path only.
    pub fn by_path(path: impl Into<Box<[u8]>>) -> Self {
        Self { path: path.into(), handle: None }
    }

    /// A directory that is open. The descriptor is closed with the last use of the directory.
    pub fn with_descriptor(path: impl Into<Box<[u8]>>, descriptor: OwnedFd, permit: Option<Permit>) -> Self {
        Self { path: path.into(), handle: Some(Handle { descriptor, _permit: permit }) }
    }

    /// The path that it was reached by; empty for the current directory.
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// The path of an entry as it is printed: the directory's path, a `/` unless it ends in one, and the name.
    pub fn join(&self, name: &[u8]) -> Vec<u8> {
        if self.path.is_empty() || name.first() == Some(&b'/') {
            return name.to_vec();
        }
        let mut path = Vec::with_capacity(self.path.len() + 1 + name.len());
        path.extend_from_slice(&self.path);
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(name);
        path
    }

    /// Opens an entry for reading.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(&self, name: &CStr, how: OpenHow) -> io::Result<OwnedFd> {
        if how == OpenHow::Confined {
            let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            let directory;
            let base = match &self.handle {
                Some(handle) => handle.descriptor.as_fd(),
                None => {
                    let path: &[u8] = if self.path.is_empty() { b"." } else { &self.path };
                    directory = open_stepwise(CWD, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC)?;
                    directory.as_fd()
                }
            };
            return Ok(openat2(base, name, how.flags(), Mode::empty(), inside)?);
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
        let long_name;
        let (base, name) = match &self.handle {
            Some(handle) => (handle.descriptor.as_fd(), name),
            None => {
                long_name = self.long_name(name);
                (CWD, long_name.as_c_str())
            }
        };
        let resolve = match how {
            OpenHow::Confined if self.handle.is_none() => return None,
            OpenHow::Confined => ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS,
            OpenHow::Named | OpenHow::Walked => ResolveFlags::empty(),
        };
        if how != OpenHow::Walked {
            // Nothing but a regular file is opened before somebody may wait for it: to open a FIFO without waiting and
            // to close it again would break the pipe of its writer.
            let peeked = match open_now(base, name, OFlags::PATH | OFlags::CLOEXEC, resolve)? {
                Ok(peeked) => peeked,
                Err(error) => return Some(Err(error)),
            };
            if !FileFacts::of(peeked.as_fd()).is_ok_and(|facts| facts.kind == FileKind::Regular) {
                return None;
            }
        }
        open_now(base, name, how.flags() | OFlags::NONBLOCK, resolve)
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

    /// The descriptor, if it is open.
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.handle.as_ref().map(|handle| handle.descriptor.as_fd())
    }

    fn open_with(&self, name: &CStr, flags: OFlags) -> io::Result<OwnedFd> {
        let descriptor = match &self.handle {
            Some(handle) if name.count_bytes() < PATH_MAX => {
                openat(&handle.descriptor, name, flags, Mode::empty())?
            }
            Some(handle) => open_stepwise(handle.descriptor.as_fd(), name.to_bytes(), flags)?,
            None => open_stepwise(CWD, self.long_name(name).to_bytes(), flags)?,
        };
        Ok(descriptor)
    }

    fn long_name(&self, name: &CStr) -> CString {
        CString::new(self.join(name.to_bytes())).expect("neither a path nor a C string has a NUL inside")
    }
}

impl OpenHow {
    fn flags(self) -> OFlags {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
        match self {
            Self::Confined | Self::Named => flags,
            Self::Walked => flags | OFlags::NOFOLLOW | OFlags::NONBLOCK,
        }
    }
}

/// Opens what the kernel can look up without waiting.
fn open_now(
    base: BorrowedFd<'_>,
    name: &CStr,
    flags: OFlags,
    resolve: ResolveFlags,
) -> Option<io::Result<OwnedFd>> {
    match openat2(base, name, flags, Mode::empty(), resolve | ResolveFlags::CACHED) {
        Ok(descriptor) => Some(Ok(descriptor)),
        // Not cached; or a kernel before 5.12, or a sandbox, that does not know the question; or a longer path than one
        // call takes. Opening it the patient way will tell.
        Err(Errno::AGAIN | Errno::NOSYS | Errno::INVAL | Errno::PERM | Errno::NAMETOOLONG) => None,
        Err(error) => Some(Err(error.into())),
    }
}

/// Opens a path of any length: one that the kernel would refuse is walked in pieces that it takes.
fn open_stepwise(base: BorrowedFd<'_>, mut path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
    const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    let mut reached: Option<OwnedFd> = None;
    while path.len() >= PATH_MAX {
        let Some(cut) = path[..PATH_MAX - 1].iter().rposition(|&byte| byte == b'/').filter(|&cut| cut > 0)
        else {
            return Err(Errno::NAMETOOLONG.into());
        };
        let from = reached.as_ref().map_or(base, |descriptor| descriptor.as_fd());
        reached = Some(openat(from, &path[..cut], STEP, Mode::empty())?);
        path = &path[cut..];
        let slashes = path.iter().take_while(|&&byte| byte == b'/').count();
        path = &path[slashes..];
        if path.is_empty() {
            path = b".";
        }
    }
    let from = reached.as_ref().map_or(base, |descriptor| descriptor.as_fd());
    Ok(openat(from, path, flags, Mode::empty())?)
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
}
