//! An open file and what the system says of it.

use std::io::{self, IsTerminal as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FileType, Stat, fstat};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

use crate::extent;
use crate::obstacle::MediumObstacle;
use crate::read_state::{DirectState, MediumState};
use crate::standard::StandardInput;

/// An open file with the facts found when it was opened.
#[derive(Debug)]
pub struct OpenFile {
    descriptor: OwnedFd,
    facts: FileFacts,
    resident_bytes: Option<u64>,
    direct: DirectState,
    medium: MediumState,
    /// A hole was found that the facts do not tell of.
    hole_found: AtomicBool,
    /// Others read by the same open file description: a flag set here is set for them too.
    shared: bool,
    /// A read of what has no offsets has met its end.
    stream_ended: AtomicBool,
}

/// What the system says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Kind of file.
    pub kind: FileKind,
    /// Size in bytes; 0 for what has none.
    pub size_bytes: u64,
    /// Bytes that its content occupies on the device. Less than the size: there may be holes.
    pub allocated_bytes: u64,
    /// Time of the last change of its content: seconds since 1970-01-01 UTC and nanoseconds beyond.
    pub modified: (i64, u32),
    /// Time of the last change of content or metadata, likewise.
    pub changed: (i64, u32),
    /// Time of the last reading of its content, likewise, as far as the file system keeps it.
    pub accessed: (i64, u32),
    /// Number of the device that holds it.
    pub device: u64,
    /// Its number on that device.
    pub inode: u64,
    /// Number of its names.
    pub links: u32,
}

/// Kinds of files, as far as reading cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A FIFO, socket or device.
    Special,
}

impl OpenFile {
    /// Asks for the facts of an open file.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(descriptor: OwnedFd) -> io::Result<Self> {
        let facts = FileFacts::of(descriptor.as_fd())?;
        Ok(Self {
            descriptor,
            facts,
            resident_bytes: None,
            direct: DirectState::default(),
            medium: MediumState::default(),
            hole_found: AtomicBool::new(false),
            shared: false,
            stream_ended: AtomicBool::new(false),
        })
    }

    /// Notes how much of it is in the page cache.
    pub(crate) fn set_resident_bytes(&mut self, bytes: Option<u64>) {
        self.resident_bytes = bytes;
    }

    /// Bytes of it that were in the page cache when it was opened, if that was observed.
    pub fn resident_bytes(&self) -> Option<u64> {
        self.resident_bytes
    }

    /// Whether it is a pipe, FIFO, socket or terminal: what one reader takes from it no other one gets.
    pub fn is_stream(&self) -> bool {
        let mode = || fstat(&self.descriptor).map(|stat| FileType::from_raw_mode(stat.st_mode));
        self.facts.kind == FileKind::Special
            && match mode() {
                Ok(FileType::CharacterDevice) => self.descriptor.is_terminal(),
                Ok(kind) => matches!(kind, FileType::Fifo | FileType::Socket),
                Err(_) => false,
            }
    }

    /// Whether others read by the same open file description, which must stay as it is.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared
    }

    /// What the direct engine knows of it.
    pub(crate) fn direct(&self) -> &DirectState {
        &self.direct
    }

    /// What the engine that reads from the medium knows of it.
    pub(crate) fn medium(&self) -> &MediumState {
        &self.medium
    }

    /// Whether parts of it may be holes: fewer bytes are allocated than it has, or a hole was found.
    pub fn has_holes(&self) -> bool {
        self.facts.allocated_bytes < self.facts.size_bytes || self.hole_found.load(Ordering::Acquire)
    }

    /// Looks for a hole that the facts do not tell of: blocks that were set aside and never written count as allocated.
    pub(crate) fn look_for_holes(&self) {
        let size = self.facts.size_bytes;
        if !matches!(self.data_from(0), Ok(Some((0, end))) if end >= size) {
            self.hole_found.store(true, Ordering::Release);
        }
    }

    /// Whether it was read direct, and not had to be read through the page cache.
    pub fn is_read_direct(&self) -> bool {
        self.direct.is_in_use() || self.medium.is_direct()
    }

    /// Whether all that is read of it is shown to come from its device, because somebody has made sure of that.
    pub fn is_from_medium(&self) -> bool {
        self.medium.is_proven()
    }

    /// Why that cannot be shown, if somebody has tried.
    pub fn medium_obstacle(&self) -> Option<MediumObstacle> {
        self.medium.obstacle()
    }

    /// The facts found when it was opened.
    pub fn facts(&self) -> &FileFacts {
        &self.facts
    }

    /// The facts as they are now.
    ///
    /// # Errors
    /// What the system says.
    pub fn facts_now(&self) -> io::Result<FileFacts> {
        FileFacts::of(self.descriptor.as_fd())
    }

    /// Offset and end of the data at or behind `offset`, in bytes: what lies before it is a hole. `None` if only hole
    /// is left up to the end. A file system that knows no holes says that all is data.
    ///
    /// # Errors
    /// What the system says.
    pub fn data_from(&self, offset: u64) -> io::Result<Option<(u64, u64)>> {
        extent::data_from(self.descriptor.as_fd(), offset)
    }

    /// Bytes of it that no medium holds: holes, and what was set aside and never written. 0 where nothing says so, and where
    /// looking would move the offset of whoever shares it.
    pub fn unwritten_bytes(&self) -> u64 {
        if self.shared || self.facts.kind != FileKind::Regular {
            return 0;
        }
        extent::unwritten_bytes(self.descriptor.as_fd(), self.facts.size_bytes).unwrap_or(0)
    }

    /// Reads some bytes at an offset, or onward, whatever it takes.
    pub(crate) fn read_some(&self, room: &mut [u8], offset: u64) -> Result<usize, Errno> {
        loop {
            match self.read_once(room, offset, ReadWriteFlags::empty()) {
                Err(Errno::INTR) => {}
                read => return read,
            }
        }
    }

    /// Reads at an offset, or onward from where it stands if the file has no offsets (a FIFO, a terminal).
    pub(crate) fn read_once(
        &self,
        room: &mut [u8],
        offset: u64,
        flags: ReadWriteFlags,
    ) -> Result<usize, Errno> {
        let read = if flags.is_empty() {
            rustix::io::pread(self.as_fd(), &mut *room, offset)
        } else {
            preadv2(self.as_fd(), &mut [io::IoSliceMut::new(room)], offset, flags)
        };
        match read {
            Err(Errno::SPIPE) if flags.is_empty() => self.read_on(room),
            // Asking a pipe whether it would wait is not worth a special case: a reader may wait for it.
            Err(Errno::SPIPE) => Err(Errno::OPNOTSUPP),
            read => read,
        }
    }

    /// Reads onward. An end stays the end: who types at a terminal says so once, not once more for each read.
    fn read_on(&self, room: &mut [u8]) -> Result<usize, Errno> {
        if self.stream_ended.load(Ordering::Acquire) {
            return Ok(0);
        }
        let count = rustix::io::read(self.as_fd(), &mut *room)?;
        if count == 0 && !room.is_empty() {
            self.stream_ended.store(true, Ordering::Release);
        }
        Ok(count)
    }
}

/// Standard input as an open file, and the offset at which it stands: somebody may have read from it before.
///
/// # Errors
/// What the system says, for example that it is closed.
pub fn stdin() -> io::Result<(OpenFile, u64)> {
    // An empty file that is open for writing has nothing to read, and would pass for an empty input.
    StandardInput.check()?;
    let descriptor = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 0)?;
    // What cannot seek stands at its beginning.
    let offset = rustix::fs::tell(&descriptor).unwrap_or(0);
    Ok((OpenFile { shared: true, ..OpenFile::new(descriptor)? }, offset))
}

impl AsFd for OpenFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl FileFacts {
    /// The facts of an open file, now.
    ///
    /// # Errors
    /// What the system says.
    pub fn of(descriptor: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self::from_stat(&fstat(descriptor)?))
    }

    /// Reads the answer of `stat(2)`.
    #[allow(clippy::unnecessary_cast, reason = "the widths of these fields differ between architectures")]
    pub fn from_stat(stat: &Stat) -> Self {
        Self {
            kind: match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => FileKind::Regular,
                FileType::Directory => FileKind::Directory,
                FileType::Symlink => FileKind::Symlink,
                _ => FileKind::Special,
            },
            size_bytes: u64::try_from(stat.st_size).unwrap_or(0),
            allocated_bytes: 512 * u64::try_from(stat.st_blocks).unwrap_or(0),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
            accessed: (stat.st_atime as i64, stat.st_atime_nsec as u32),
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            links: stat.st_nlink as u32,
        }
    }
}
