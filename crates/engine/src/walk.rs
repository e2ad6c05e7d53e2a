//! Walking a tree in byte order of the whole path, without a sort of the whole tree.
//!
//! Each directory is read whole and sorted, a directory's name comparing as `name/`: then the paths come out in the
//! order of `LC_ALL=C sort`. A directory whose names exceed the memory set aside for them is sorted externally.
//! Types come from the directory entries, so nothing is asked of a file here.

mod ahead;
mod names;

use std::ffi::{CStr, CString};
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use hashlane_io::{
    DescriptorBudget, Directory, FileFacts, FileKind, FilePlace, Lease, OpenHow, memory_budget,
    start_thread_in,
};
use hashlane_record::{Failure, ItemPath, Operation};
use rustix::fs::{AtFlags, RawDir, statat};

use crate::descriptors::{PAUSE, is_want_of_descriptors};
use crate::filter::Filter;
use crate::lister::Lister;
use crate::summary::Skipped;
use crate::verdict::system_cause;
use ahead::{Ahead, ListedDirectory};
use names::{Kind, Named, Names};

/// The least that a directory gets however deep it lies, unless less was set aside for all.
const LEAST_NAMES_BYTES: usize = 32 << 10;

/// Descriptors that the walk leaves for reading files.
const KEEP_DESCRIPTORS: usize = 16;

/// How a tree is walked.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Whether symbolic links are followed.
    pub follow: bool,
    /// The directory that no symbolic link may lead out of when links are followed, if any; roots are below it and named relative to it.
    pub inside: Option<Arc<Directory>>,
    /// Whether the walk stays on the file system of its root.
    pub one_file_system: bool,
    /// What is skipped.
    pub filter: Filter,
    /// The directory for temporary files, used when records or names exceed their memory.
    pub spill_directory: PathBuf,
    /// The memory for records and names.
    pub memory: Memory,
}

impl Default for WalkOptions {
    /// All regular files below a root, on all file systems; links are not followed. Temporary files lie where large ones are
    /// welcome ([`hashlane_io::temporary_directory`]).
    fn default() -> Self {
        Self {
            follow: false,
            inside: None,
            one_file_system: false,
            filter: Filter::default(),
            spill_directory: hashlane_io::temporary_directory(),
            memory: Memory::default(),
        }
    }
}

/// Memory for what a run has to keep, whatever the number of files. Beyond it, temporary files are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// For the sorted names of all directories on the path down, in bytes. One directory takes at most half of the rest, so a deep tree of
    /// huge directories stays within it.
    pub names_bytes: usize,
    /// For records that wait for an earlier one, in bytes.
    pub records_bytes: usize,
}

impl Default for Memory {
    fn default() -> Self {
        let quarter = memory_budget().map_or(usize::MAX, |bytes| bytes / 4);
        Self { names_bytes: quarter.min(16 << 20), records_bytes: quarter.min(12 << 20) }
    }
}

/// What [`list`] finds.
#[derive(Debug)]
pub enum Found<'a> {
    /// A file.
    File {
        /// Its directory.
        directory: &'a Arc<Directory>,
        /// Its name in that directory.
        name: &'a CStr,
    },
    /// Something that could not be listed or looked up.
    Failed {
        /// Its path.
        path: Vec<u8>,
        /// The error from the system.
        error: io::Error,
    },
}

/// Walks below `root` and shows every file that a run would read, in the same order, without opening it. `Break` ends the walk.
///
/// # Errors
/// The name of the root contains a NUL.
pub fn list(
    root: &ItemPath,
    options: &WalkOptions,
    visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
) -> io::Result<Skipped> {
    list_by(1, root, options, visit)
}

/// What is seen of things that a walk has found, in their order, by up to `threads` threads: to look at one is a round trip where
/// the file system is far away.
pub fn seen_by<T: Sync, R: Send>(threads: usize, found: &[T], look: impl Fn(&T) -> R + Sync) -> Vec<R> {
    /// What a thread looks at before it takes more.
    const AT_A_TIME: usize = 64;

    let each = found.len().div_ceil(threads.max(1)).clamp(1, AT_A_TIME);
    let mut seen: Vec<Option<R>> = found.iter().map(|_| None).collect();
    let blocks = Mutex::new(found.chunks(each).zip(seen.chunks_mut(each)));
    let next = || blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((found, seen)) = next() {
            for (one, seen) in found.iter().zip(seen) {
                *seen = Some(look(one));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(found.len().div_ceil(each)) {
            // If one cannot be started, the others do its work.
            let _ = start_thread_in(scope, "look", work);
        }
        work();
    });
    seen.into_iter().flatten().collect()
}

/// The same by `threads` threads, which list directories before the walk comes to them. It pays where a directory is far away.
/// Where symbolic links are followed, or the walk stays on a file system, there is one.
///
/// # Errors
/// As [`list`].
pub fn list_by(
    threads: usize,
    root: &ItemPath,
    options: &WalkOptions,
    visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
) -> io::Result<Skipped> {
    struct Shown<'a>(&'a mut dyn FnMut(Found<'_>) -> ControlFlow<()>);

    impl Lister for Shown<'_> {
        fn found(&mut self, place: FilePlace, _inode: u64) -> ControlFlow<()> {
            (self.0)(Found::File { directory: &place.directory, name: &place.name })
        }

        fn failed(&mut self, path: ItemPath, failure: Failure) -> ControlFlow<()> {
            (self.0)(Found::Failed { path: path.as_bytes().to_vec(), error: failure.io_error() })
        }
    }

    /// Descriptors for the directories on the way down: the rest is opened by path.
    const DESCRIPTORS: usize = KEEP_DESCRIPTORS + 16;

    let root = CString::new(root.as_bytes()).map_err(io::Error::other)?;
    let mut skipped = Skipped::default();
    let mut shown = Shown(visit);
    // Whoever ended it knows that it did.
    if threads < 2 || !Ahead::suits(options) {
        let lease = Lease::take(DESCRIPTORS, 0);
        let descriptors = DescriptorBudget::new(lease.descriptors());
        let _ = Walk::new(options, &descriptors, &mut shown, &mut skipped).run(&root);
        return Ok(skipped);
    }
    // Those that look at the files keep some directories for a while, too.
    let lease = Lease::take(DESCRIPTORS + 2 * ahead::MOST, 0);
    let descriptors = DescriptorBudget::new(lease.descriptors());
    let ahead = Ahead::new(options, &descriptors, root.count_bytes());
    thread::scope(|scope| {
        let _ends = Ends(&ahead);
        for _ in 0..threads {
            // If one cannot be started, the others do its work.
            let _ = start_thread_in(scope, "list", || ahead.work());
        }
        let _ = Walk::new(options, &descriptors, &mut shown, &mut skipped).with_ahead(&ahead).run(&root);
    });
    Ok(skipped)
}

/// Ends the threads that list ahead with the walk, however that ends.
struct Ends<'a, 'b>(&'a Ahead<'b>);

impl Drop for Ends<'_, '_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// One walk below one root.
pub(crate) struct Walk<'a, L> {
    options: &'a WalkOptions,
    descriptors: &'a DescriptorBudget,
    lister: &'a mut L,
    skipped: &'a mut Skipped,
    root_length: usize,
    names_bytes: usize,
    listing: Vec<u8>,
    frames: Vec<Frame>,
    /// Whether the numbers of files are kept with their names.
    with_inodes: bool,
    /// What lists directories before the walk comes to them.
    ahead: Option<&'a Ahead<'a>>,
}

/// A directory on the way from the root to the present place.
struct Frame {
    directory: Arc<Directory>,
    names: Names,
    identity: (u64, u64),
}

impl<'a, L: Lister> Walk<'a, L> {
    pub(crate) fn new(
        options: &'a WalkOptions,
        descriptors: &'a DescriptorBudget,
        lister: &'a mut L,
        skipped: &'a mut Skipped,
    ) -> Self {
        let listing = Vec::with_capacity(64 << 10);
        Self {
            options,
            descriptors,
            lister,
            skipped,
            root_length: 0,
            names_bytes: 0,
            listing,
            frames: Vec::new(),
            with_inodes: false,
            ahead: None,
        }
    }

    fn with_ahead(self, ahead: &'a Ahead<'a>) -> Self {
        Self { ahead: Some(ahead), ..self }
    }

    /// Sets whether the numbers of files are kept and shown to the lister.
    pub(crate) fn with_inodes(self, with_inodes: bool) -> Self {
        Self { with_inodes, ..self }
    }

    /// Walks below `root`; `Break` if the lister ended it.
    pub(crate) fn run(&mut self, root: &CStr) -> ControlFlow<()> {
        self.root_length = root.count_bytes();
        self.enter(&Arc::new(Directory::current()), root, true)?;
        while let Some(frame) = self.frames.last_mut() {
            let next = frame.names.next();
            let directory = Arc::clone(&frame.directory);
            match next {
                Ok(Some(Named { name, kind, inode })) => self.entry(&directory, name, kind, inode)?,
                Ok(None) => self.leave(),
                Err(error) => {
                    self.leave();
                    self.failed(directory.path(), Operation::List, &error)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Handles one name of a directory; `Break` if the lister ended the walk.
    fn entry(
        &mut self,
        directory: &Arc<Directory>,
        name: Arc<CStr>,
        kind: Kind,
        inode: u64,
    ) -> ControlFlow<()> {
        let follow = self.options.follow;
        let linked = matches!(kind, Kind::LinkedDirectory | Kind::LinkedFile);
        let kind = match kind {
            Kind::Directory | Kind::LinkedDirectory => Ok(FileKind::Directory),
            Kind::File | Kind::LinkedFile => Ok(FileKind::Regular),
            Kind::Fifo | Kind::Block | Kind::Char if self.wants(kind) => {
                let how = if follow { OpenHow::Named } else { OpenHow::WalkedSpecial };
                return self.found(directory, name, 0, how);
            }
            Kind::Fifo | Kind::Block | Kind::Char | Kind::Socket => Ok(FileKind::Special),
            Kind::Symlink => Ok(FileKind::Symlink),
            // Asked once more, for what the system says.
            Kind::Unknown => self.look_up(directory, &name, follow),
        };
        match kind {
            Ok(FileKind::Regular) if !self.options.filter.types().file => {
                self.skipped.excluded += 1;
                ControlFlow::Continue(())
            }
            Ok(FileKind::Regular) => {
                // The number of a link is not that of its file.
                let (inode, how) = if linked { (0, OpenHow::Named) } else { (inode, OpenHow::Walked) };
                self.found(directory, name, inode, how)
            }
            Ok(FileKind::Directory) => {
                if !self.options.filter.is_empty()
                    && !self.options.filter.enters(&self.relative(directory, &name))
                {
                    self.skipped.excluded += 1;
                    return ControlFlow::Continue(());
                }
                self.enter(directory, &name, follow)
            }
            Ok(FileKind::Symlink) => {
                self.skipped.symlinks += 1;
                ControlFlow::Continue(())
            }
            Ok(FileKind::Special) => {
                self.skipped.special += 1;
                ControlFlow::Continue(())
            }
            Err(error) => self.failed(directory.join(name.to_bytes()), Operation::Open, &error),
        }
    }

    /// Whether special files of a kind are wanted.
    fn wants(&self, kind: Kind) -> bool {
        let types = self.options.filter.types();
        match kind {
            Kind::Fifo => types.fifo,
            Kind::Block => types.block,
            Kind::Char => types.char,
            _ => false,
        }
    }

    /// Hands over a file, unless its name is excluded; `Break` if the lister ended the walk.
    fn found(
        &mut self,
        directory: &Arc<Directory>,
        name: Arc<CStr>,
        inode: u64,
        how: OpenHow,
    ) -> ControlFlow<()> {
        let filter = &self.options.filter;
        if !filter.is_empty() && !filter.takes(&self.relative(directory, &name)) {
            self.skipped.excluded += 1;
            return ControlFlow::Continue(());
        }
        // What is opened through a link or by a path can lie anywhere by now.
        let is_near = how != OpenHow::Named && directory.descriptor().is_some();
        let place = match self.inside(directory, &name).filter(|_| !is_near) {
            Some((inside, name)) => {
                let (directory, name) = (Arc::clone(inside), name.into());
                FilePlace { directory, name, how: OpenHow::Followed }
            }
            None => FilePlace { directory: Arc::clone(directory), name, how },
        };
        self.lister.found(place, inode)
    }

    fn failed(&mut self, path: Vec<u8>, operation: Operation, error: &io::Error) -> ControlFlow<()> {
        let failure = Failure { operation, cause: system_cause(error), offset_bytes: 0 };
        self.lister.failed(ItemPath::from(path), failure)
    }

    /// Opens and lists a directory and puts it on the way down; `Break` if the lister ended the walk.
    fn enter(&mut self, parent: &Arc<Directory>, name: &CStr, follow: bool) -> ControlFlow<()> {
        self.lister.flush();
        self.look_ahead();
        match self.open(parent, name, follow) {
            Ok(Entered::Frame(frame)) => {
                self.skipped.empty_directories += u64::from(frame.names.is_empty());
                self.names_bytes += frame.names.memory();
                self.frames.push(frame);
                self.look_ahead();
                ControlFlow::Continue(())
            }
            Ok(Entered::OtherFileSystem) => {
                self.skipped.other_filesystem += 1;
                ControlFlow::Continue(())
            }
            Err(error) => {
                let is_loop = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
                let operation = if is_loop { Operation::Open } else { Operation::List };
                self.failed(parent.join(name.to_bytes()), operation, &error)
            }
        }
    }

    /// Has the next directories of the present one listed.
    fn look_ahead(&self) {
        if let (Some(ahead), Some(frame)) = (self.ahead, self.frames.last()) {
            ahead.want(&frame.directory, &frame.names);
        }
    }

    fn open(&mut self, parent: &Arc<Directory>, name: &CStr, follow: bool) -> io::Result<Entered> {
        if let Some(listed) = self.ahead.and_then(|ahead| ahead.take(parent, name)) {
            let ListedDirectory { directory, facts, names } = listed;
            return Ok(Entered::Frame(Frame { directory, names, identity: (facts.device, facts.inode) }));
        }
        let descriptor = self.open_directory(parent, name, follow)?;
        let facts = FileFacts::of(descriptor.as_fd())?;
        let identity = (facts.device, facts.inode);
        if self.options.one_file_system
            && self.frames.first().is_some_and(|root| root.identity.0 != identity.0)
        {
            return Ok(Entered::OtherFileSystem);
        }
        if follow && self.frames.iter().any(|frame| frame.identity == identity) {
            return Err(rustix::io::Errno::LOOP.into());
        }
        let names = self.list(&descriptor)?;
        // Without a descriptor to spare, what is in the directory is opened by its whole path.
        let permit = self.descriptors.take(KEEP_DESCRIPTORS);
        let directory = Arc::new(parent.child(name, permit.map(|permit| (descriptor, permit))));
        Ok(Entered::Frame(Frame { directory, names, identity }))
    }

    /// Opens a directory, if need be when a descriptor has been given back.
    fn open_directory(&mut self, parent: &Directory, name: &CStr, follow: bool) -> io::Result<OwnedFd> {
        loop {
            let opened = match self.inside(parent, name) {
                // Where a root leads, who named it has looked.
                Some((inside, name)) if !self.frames.is_empty() => inside.open_directory_inside(&name),
                _ => parent.open_directory(name, follow),
            };
            match opened {
                Err(error)
                    if is_want_of_descriptors(error.raw_os_error()) && self.lister.waits_for_descriptor() =>
                {
                    thread::sleep(PAUSE);
                }
                opened => return opened,
            }
        }
    }

    /// Lists a directory. What its names stand for has to be known before they are sorted.
    fn list(&mut self, descriptor: &OwnedFd) -> io::Result<Names> {
        let all = self.options.memory.names_bytes;
        let budget = (all.saturating_sub(self.names_bytes) / 2).max(LEAST_NAMES_BYTES.min(all));
        let mut names = Names::new(budget, self.with_inodes);
        read_names(descriptor, &mut names, self.options, &mut self.listing)?;
        Ok(names)
    }

    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.names_bytes -= frame.names.memory();
        }
    }

    fn look_up(&self, directory: &Directory, name: &CStr, follow: bool) -> io::Result<FileKind> {
        let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        let stat = match directory.descriptor() {
            Some(descriptor) => statat(descriptor, name, flags)?,
            None => statat(rustix::fs::CWD, directory.join(name.to_bytes()), flags)?,
        };
        Ok(FileFacts::from_stat(&stat).kind)
    }

    /// What symbolic links may not lead out of, if they are followed, and a name from there on.
    fn inside(&self, directory: &Directory, name: &CStr) -> Option<(&'a Arc<Directory>, CString)> {
        let inside = self.options.inside.as_ref().filter(|_| self.options.follow)?;
        let path = directory.join(name.to_bytes());
        let below = path.strip_prefix(inside.path().as_slice())?;
        let slashes = below.iter().take_while(|&&byte| byte == b'/').count();
        Some((inside, CString::new(&below[slashes..]).expect("a path that was found has no NUL inside")))
    }

    /// The path below the root of the walk.
    fn relative(&self, directory: &Directory, name: &CStr) -> Vec<u8> {
        relative(directory, name, self.root_length)
    }
}

/// Gathers the names of a directory, and sorts them. `room`: for what the system reports at once.
fn read_names(
    descriptor: &OwnedFd,
    names: &mut Names,
    options: &WalkOptions,
    room: &mut Vec<u8>,
) -> io::Result<()> {
    let mut listing = RawDir::new(descriptor, room.spare_capacity_mut());
    while let Some(entry) = listing.next() {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            let kind = Kind::of(descriptor, name, entry.file_type(), options.follow);
            names.add(name.to_bytes(), kind, entry.ino(), &options.spill_directory)?;
        }
    }
    names.sort(&options.spill_directory)
}

/// The path of an entry below a root whose path has `root_length` bytes.
fn relative(directory: &Directory, name: &CStr, root_length: usize) -> Vec<u8> {
    let path = directory.join(name.to_bytes());
    let below = &path[root_length.min(path.len())..];
    let slashes = below.iter().take_while(|&&byte| byte == b'/').count();
    below[slashes..].to_vec()
}

enum Entered {
    Frame(Frame),
    OtherFileSystem,
}
