//! Walking a tree in byte order of the whole path, without a sort of the whole tree.
//!
//! Each directory is read whole and sorted, a directory's name comparing as `name/`: then the paths come out in the
//! order of `LC_ALL=C sort`. A directory whose names exceed the memory set aside for them is sorted externally.
//! Types come from the directory entries, so nothing is asked of a file here.

use std::ffi::{CStr, CString};
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_io::{DescriptorBudget, Directory, FileFacts, FileKind};
use hashlane_record::{ItemPath, Operation};
use rustix::fs::{AtFlags, FileType, RawDir, statat};

use crate::filter::Filter;
use crate::run::Skipped;
use crate::spill::Spill;

/// The least that a directory gets however deep it lies, unless less was set aside for all.
const LEAST_NAMES_BYTES: usize = 32 << 10;

/// Descriptors that the walk leaves for reading files.
const KEEP_DESCRIPTORS: usize = 16;

/// How a tree is walked.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Whether symbolic links are followed.
    pub follow: bool,
    /// Whether the walk stays on the file system of its root.
    pub one_file_system: bool,
    /// What is passed over.
    pub filter: Filter,
    /// Where temporary files are made when records or names exceed the memory set aside for them.
    pub spill_directory: PathBuf,
    /// How much memory that is.
    pub memory: Memory,
}

/// Memory set aside for what a run has to keep, whatever the number of files. Beyond, temporary files are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// For the sorted names of all directories on the way down, in bytes. One directory takes at most half of what is
    /// left, so a deep tree of huge directories stays within it.
    pub names_bytes: usize,
    /// For records that wait for an earlier one, in bytes.
    pub records_bytes: usize,
}

impl Default for Memory {
    fn default() -> Self {
        Self { names_bytes: 16 << 20, records_bytes: 12 << 20 }
    }
}

/// What [`list`] finds.
#[derive(Debug)]
pub enum Found<'a> {
    /// A file.
    File {
        /// The directory that it lies in.
        directory: &'a Arc<Directory>,
        /// Its name there.
        name: &'a CStr,
    },
    /// Something that could not be listed or looked up.
    Failed {
        /// Its path.
        path: Vec<u8>,
        /// What the system said.
        error: io::Error,
    },
}

/// Walks below `root` and shows every file that a run would read, in the same order, without opening it. `Break` ends
/// the walk.
///
/// # Errors
/// The root's name has a NUL inside.
pub fn list(
    root: &ItemPath,
    options: &WalkOptions,
    visit: &mut dyn FnMut(Found<'_>) -> ControlFlow<()>,
) -> io::Result<Skipped> {
    struct Shown<'a>(&'a mut dyn FnMut(Found<'_>) -> ControlFlow<()>);

    impl Visitor for Shown<'_> {
        fn file(&mut self, directory: &Arc<Directory>, name: CString, _follow: bool) -> bool {
            (self.0)(Found::File { directory, name: &name }).is_continue()
        }

        fn failed(&mut self, path: Vec<u8>, _operation: Operation, error: io::Error) -> bool {
            (self.0)(Found::Failed { path, error }).is_continue()
        }

        fn flush(&mut self) {}
    }

    /// Descriptors for the directories on the way down: the rest is opened by path.
    const DESCRIPTORS: usize = KEEP_DESCRIPTORS + 16;

    let root = CString::new(root.as_bytes()).map_err(io::Error::other)?;
    let mut skipped = Skipped::default();
    Walk::new(options, &DescriptorBudget::new(DESCRIPTORS), &mut Shown(visit), &mut skipped).run(&root);
    Ok(skipped)
}

/// Takes what a walk finds.
pub(crate) trait Visitor {
    /// A file to be read; false ends the walk.
    fn file(&mut self, directory: &Arc<Directory>, name: CString, follow: bool) -> bool;

    /// Something that could not be listed or looked up; false ends the walk.
    fn failed(&mut self, path: Vec<u8>, operation: Operation, error: io::Error) -> bool;

    /// The walk is about to wait for a directory: hand over what was collected.
    fn flush(&mut self);
}

/// One walk below one root.
pub(crate) struct Walk<'a, V> {
    options: &'a WalkOptions,
    descriptors: &'a DescriptorBudget,
    visitor: &'a mut V,
    skipped: &'a mut Skipped,
    root_length: usize,
    names_bytes: usize,
    listing: Vec<u8>,
    frames: Vec<Frame>,
}

/// A directory on the way from the root to the present place.
struct Frame {
    directory: Arc<Directory>,
    names: Names,
    identity: (u64, u64),
}

impl<'a, V: Visitor> Walk<'a, V> {
    pub(crate) fn new(
        options: &'a WalkOptions,
        descriptors: &'a DescriptorBudget,
        visitor: &'a mut V,
        skipped: &'a mut Skipped,
    ) -> Self {
        let listing = Vec::with_capacity(64 << 10);
        Self {
            options,
            descriptors,
            visitor,
            skipped,
            root_length: 0,
            names_bytes: 0,
            listing,
            frames: Vec::new(),
        }
    }

    /// Walks below `root`; false if the visitor ended it.
    pub(crate) fn run(&mut self, root: &CStr) -> bool {
        self.root_length = root.count_bytes();
        if !self.enter(&Arc::new(Directory::current()), root, true) {
            return false;
        }
        while let Some(frame) = self.frames.last_mut() {
            let next = frame.names.next();
            let directory = Arc::clone(&frame.directory);
            match next {
                Ok(Some((name, kind))) => {
                    if !self.entry(&directory, name, kind) {
                        return false;
                    }
                }
                Ok(None) => self.leave(),
                Err(error) => {
                    self.leave();
                    if !self.visitor.failed(directory.path(), Operation::List, error) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Handles one name of a directory; false if the visitor ended the walk.
    fn entry(&mut self, directory: &Arc<Directory>, name: CString, kind: Kind) -> bool {
        let follow = self.options.follow;
        let linked = matches!(kind, Kind::LinkedDirectory | Kind::LinkedFile);
        let kind = match kind {
            Kind::Directory | Kind::LinkedDirectory => Ok(FileKind::Directory),
            Kind::File | Kind::LinkedFile => Ok(FileKind::Regular),
            Kind::Special => Ok(FileKind::Special),
            Kind::Symlink => Ok(FileKind::Symlink),
            // Asked once more, for what the system says.
            Kind::Unknown => self.look_up(directory, &name, follow),
        };
        match kind {
            Ok(FileKind::Regular) => {
                if !self.options.filter.is_empty()
                    && !self.options.filter.takes(&self.relative(directory, &name))
                {
                    self.skipped.excluded += 1;
                    return true;
                }
                self.visitor.file(directory, name, linked)
            }
            Ok(FileKind::Directory) => {
                if !self.options.filter.is_empty()
                    && !self.options.filter.enters(&self.relative(directory, &name))
                {
                    self.skipped.excluded += 1;
                    return true;
                }
                self.enter(directory, &name, follow)
            }
            Ok(FileKind::Symlink) => {
                self.skipped.symlinks += 1;
                true
            }
            Ok(FileKind::Special) => {
                self.skipped.special += 1;
                true
            }
            Err(error) => self.visitor.failed(directory.join(name.to_bytes()), Operation::Open, error),
        }
    }

    /// Opens and lists a directory and puts it on the way down; false if the visitor ended the walk.
    fn enter(&mut self, parent: &Arc<Directory>, name: &CStr, follow: bool) -> bool {
        self.visitor.flush();
        match self.open(parent, name, follow) {
            Ok(Entered::Frame(frame)) => {
                self.names_bytes += frame.names.memory();
                self.frames.push(frame);
                true
            }
            Ok(Entered::OtherFileSystem) => {
                self.skipped.other_filesystem += 1;
                true
            }
            Err(error) => {
                let is_loop = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
                let operation = if is_loop { Operation::Open } else { Operation::List };
                self.visitor.failed(parent.join(name.to_bytes()), operation, error)
            }
        }
    }

    fn open(&mut self, parent: &Arc<Directory>, name: &CStr, follow: bool) -> io::Result<Entered> {
        let descriptor = parent.open_directory(name, follow)?;
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

    /// Lists a directory. What its names stand for has to be known before they are sorted.
    fn list(&mut self, descriptor: &OwnedFd) -> io::Result<Names> {
        let all = self.options.memory.names_bytes;
        let budget = (all.saturating_sub(self.names_bytes) / 2).max(LEAST_NAMES_BYTES.min(all));
        let mut names = Names::new(budget);
        let mut listing = RawDir::new(descriptor, self.listing.spare_capacity_mut());
        while let Some(entry) = listing.next() {
            let entry = entry?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                let kind = Kind::of(descriptor, name, entry.file_type(), self.options.follow);
                names.add(name.to_bytes(), kind, &self.options.spill_directory)?;
            }
        }
        names.sort(&self.options.spill_directory)?;
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

    /// The path below the root of the walk.
    fn relative(&self, directory: &Directory, name: &CStr) -> Vec<u8> {
        let path = directory.join(name.to_bytes());
        let below = &path[self.root_length.min(path.len())..];
        let slashes = below.iter().take_while(|&&byte| byte == b'/').count();
        below[slashes..].to_vec()
    }
}

enum Entered {
    Frame(Frame),
    OtherFileSystem,
}

/// The names of one directory: gathered, sorted, handed out one by one.
///
/// A key is the name, with a `/` behind a directory's, a linked one's too: that alone makes the order right.
struct Names {
    keys: Vec<u8>,
    /// Where each key lies in `keys`, and what it names.
    index: Vec<Key>,
    next: usize,
    budget: usize,
    spill: Option<Spill>,
}

#[derive(Clone, Copy)]
struct Key {
    start: u32,
    length: u16,
    kind: Kind,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Directory,
    File,
    /// Behind a symbolic link that is followed, as the next.
    LinkedDirectory,
    LinkedFile,
    Special,
    Symlink,
    /// The system does not say.
    Unknown,
}

impl Names {
    fn new(budget: usize) -> Self {
        Self { keys: Vec::new(), index: Vec::new(), next: 0, budget, spill: None }
    }

    fn add(&mut self, name: &[u8], kind: Kind, spill_directory: &Path) -> io::Result<()> {
        if self.memory() + name.len() + 1 > self.budget {
            self.spill(spill_directory)?;
        }
        let start = u32::try_from(self.keys.len()).map_err(io::Error::other)?;
        self.keys.extend_from_slice(name);
        if kind.is_directory() {
            self.keys.push(b'/');
        }
        let length = u16::try_from(self.keys.len() - start as usize).map_err(io::Error::other)?;
        self.index.push(Key { start, length, kind });
        Ok(())
    }

    fn sort(&mut self, spill_directory: &Path) -> io::Result<()> {
        if self.spill.is_some() {
            self.spill(spill_directory)?;
            self.keys = Vec::new();
            self.index = Vec::new();
        } else {
            self.sort_in_memory();
            self.keys.shrink_to_fit();
            self.index.shrink_to_fit();
        }
        Ok(())
    }

    fn sort_in_memory(&mut self) {
        let keys = &self.keys;
        self.index.sort_unstable_by(|a, b| a.of(keys).cmp(b.of(keys)));
    }

    /// Writes what is gathered to the temporary file as one sorted run.
    fn spill(&mut self, directory: &Path) -> io::Result<()> {
        self.sort_in_memory();
        let spill = match &mut self.spill {
            Some(spill) => spill,
            None => self.spill.insert(Spill::create(directory)?),
        };
        let kinds: Vec<[u8; 1]> = self.index.iter().map(|key| [key.kind as u8]).collect();
        let pairs = self.index.iter().zip(&kinds).map(|(key, kind)| (key.of(&self.keys), &kind[..]));
        spill.write_run(pairs)?;
        self.keys.clear();
        self.index.clear();
        Ok(())
    }

    fn next(&mut self) -> io::Result<Option<(CString, Kind)>> {
        let (name, kind) = match &mut self.spill {
            Some(spill) => match spill.pop()? {
                Some((key, kind)) => (key, Kind::decode(kind.first().copied())),
                None => return Ok(None),
            },
            None => match self.index.get(self.next) {
                Some(key) => (key.of(&self.keys).to_vec(), key.kind),
                None => return Ok(None),
            },
        };
        self.next += 1;
        let mut name = name;
        if kind.is_directory() {
            name.pop();
        }
        Ok(Some((CString::new(name).map_err(io::Error::other)?, kind)))
    }

    fn memory(&self) -> usize {
        self.keys.len() + self.index.len() * size_of::<Key>()
    }
}

impl Key {
    fn of(self, keys: &[u8]) -> &[u8] {
        &keys[self.start as usize..][..usize::from(self.length)]
    }
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Directory,
        Self::File,
        Self::LinkedDirectory,
        Self::LinkedFile,
        Self::Special,
        Self::Symlink,
        Self::Unknown,
    ];

    /// From the type that the listing gives, or from the file itself where that is not enough.
    fn of(directory: &OwnedFd, name: &CStr, listed: FileType, follow: bool) -> Self {
        let look_up = |flags| match statat(directory, name, flags) {
            Ok(stat) => FileType::from_raw_mode(stat.st_mode),
            Err(_) => FileType::Unknown,
        };
        let file_type = match listed {
            FileType::Unknown => look_up(AtFlags::SYMLINK_NOFOLLOW),
            known => known,
        };
        let linked = follow && file_type == FileType::Symlink;
        match if linked { look_up(AtFlags::empty()) } else { file_type } {
            FileType::Directory if linked => Self::LinkedDirectory,
            FileType::Directory => Self::Directory,
            FileType::RegularFile if linked => Self::LinkedFile,
            FileType::RegularFile => Self::File,
            FileType::Symlink => Self::Symlink,
            FileType::Unknown => Self::Unknown,
            _ => Self::Special,
        }
    }

    fn is_directory(self) -> bool {
        matches!(self, Self::Directory | Self::LinkedDirectory)
    }

    fn decode(code: Option<u8>) -> Self {
        code.and_then(|code| Self::ALL.get(usize::from(code)).copied()).unwrap_or(Self::Unknown)
    }
}
