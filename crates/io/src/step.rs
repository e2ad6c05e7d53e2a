//! A request on its way, possibly from one thread to another: opening and reading, as all engines do it.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::io::{Errno, ReadWriteFlags};

use crate::caused;
use crate::directory::OneCall;
use crate::engine::{Completion, Request, Target};
use crate::file_system::{MemoryDevices, suits_rings};
use crate::open_file::{FileKind, OpenFile};
use crate::read_error::{ReadError, ReadStep};
use crate::source::Source;
use crate::store::FilePlace;

/// Whether a step may wait for a device.
#[derive(Clone, Copy)]
pub(crate) enum Patience<'a> {
    /// Only what can be done at once, which on these devices is everything.
    Now(&'a MemoryDevices),
    /// Whatever it takes.
    Wait,
}

/// A request and what became of it so far.
#[derive(Debug)]
pub(crate) struct Step {
    target: Option<Target>,
    /// Bytes still wanted.
    pub(crate) wanted: usize,
    /// Offset of the first of them.
    pub(crate) offset: u64,
    /// The kernel cannot say for this file whether a read would wait.
    blind: bool,
    /// The page cache was asked and did not have what comes next.
    asked: bool,
    pub(crate) completion: Completion,
}

impl Step {
    pub(crate) fn new(request: Request) -> Self {
        let Request { token, target, offset, length, block } = request;
        let (target, file) = match target {
            Target::File(file) => (None, Some(file)),
            target @ Target::Open { .. } => (Some(target), None),
        };
        let completion =
            Completion { token, file, block, read: false, sources: Default::default(), error: None };
        Self { target, wanted: length, offset, blind: false, asked: false, completion }
    }

    /// Opens the file, then brings what is wanted by `read`, as far as patience allows; true when the request came to
    /// its end.
    pub(crate) fn advance<'a>(
        &mut self,
        patience: Patience<'a>,
        read: impl FnOnce(&mut Self, Patience<'a>) -> Result<bool, ReadError>,
    ) -> bool {
        let result =
            self.open(patience).and_then(|opened| if opened { read(self, patience) } else { Ok(false) });
        result.unwrap_or_else(|error| {
            self.completion.error = Some(error);
            true
        })
    }

    /// The file, once it is open.
    pub(crate) fn file(&self) -> Arc<OpenFile> {
        Arc::clone(self.completion.file.as_ref().expect("open() left a file or an error"))
    }

    /// Opens the file if it is not open yet; false if that would wait.
    fn open(&mut self, patience: Patience<'_>) -> Result<bool, ReadError> {
        let Some(Target::Open { place: FilePlace { directory, name, how }, .. }) = &self.target else {
            return Ok(true);
        };
        let descriptor = match patience {
            Patience::Now(_) => match directory.open_cached(name, *how) {
                Some(opened) => opened,
                None => return Ok(false),
            },
            Patience::Wait => directory.open(name, *how),
        };
        self.opened(descriptor.map_err(|error| ReadError::system(ReadStep::Open, error))?)?;
        Ok(true)
    }

    /// What one call takes to open the file; none if it is open, or if it takes more than one call.
    pub(crate) fn one_call(&self) -> Option<OneCall<'_>> {
        let Some(Target::Open { place, .. }) = &self.target else { return None };
        place.directory.one_call(&place.name, place.how)
    }

    /// Whether the directory in which the file is to be opened lies in a file system that rings may read. Unknown, and so true,
    /// where only its path is at hand: then the file itself shows it once it is open.
    pub(crate) fn directory_suits_rings(&self) -> bool {
        match &self.target {
            Some(Target::Open { place, .. }) => place.directory.descriptor().is_none_or(suits_rings),
            _ => true,
        }
    }

    /// Takes the file that was opened, asks for its facts and settles what is wanted of it.
    pub(crate) fn opened(&mut self, descriptor: OwnedFd) -> Result<(), ReadError> {
        let Some(Target::Open { first_read, .. }) = &self.target else { return Ok(()) };
        let file = OpenFile::new(descriptor);
        let mut file = file.map_err(|error| ReadError::system(ReadStep::Stat, error))?;
        let facts = *file.facts();
        let regular = facts.kind == FileKind::Regular;
        // What is read in one request shows it by itself, but for a device that answers at once. Holes come from nowhere.
        let asks = facts.size_bytes > self.wanted as u64 || (caused::looks_closely() && !file.has_holes());
        if regular && (asks || first_read.uncached) {
            file.observe_residency();
        }
        let is_at_once = !first_read.uncached || file.is_settled_at_once();
        self.wanted = if is_at_once { first_read.wanted(&facts, self.wanted) } else { 0 };
        self.completion.file = Some(Arc::new(file));
        self.target = None;
        Ok(())
    }

    /// Whether its file is open.
    pub(crate) fn is_open(&self) -> bool {
        self.target.is_none()
    }

    /// Whether the kernel cannot say for this file if a read would wait.
    pub(crate) fn is_blind(&self) -> bool {
        self.blind
    }

    /// Where bytes come from that somebody waited for after the page cache was asked.
    pub(crate) fn awaited_source(&self) -> Source {
        if self.blind { Source::Unknown } else { Source::Device }
    }

    /// Takes note that the page cache has nothing of the file, so that it need not be asked.
    pub(crate) fn expect_device(&mut self) {
        self.asked = true;
    }

    /// Reads into the block until nothing more is wanted or to be had; false if that would wait.
    pub(crate) fn read(&mut self, patience: Patience<'_>) -> Result<bool, ReadError> {
        let file = self.file();
        while self.wanted > 0 {
            let (flags, source) = match patience {
                Patience::Now(memory) if memory.hold(&file) => (ReadWriteFlags::empty(), Source::Cache),
                Patience::Now(_) => (ReadWriteFlags::NOWAIT, Source::Cache),
                Patience::Wait if self.asked => (ReadWriteFlags::empty(), self.awaited_source()),
                // Only the opening had to wait, so far.
                Patience::Wait => (ReadWriteFlags::NOWAIT, Source::Cache),
            };
            let room = &mut self.completion.block.room()[..self.wanted];
            let result = file.read_once(room, self.offset, flags);
            if source == Source::Cache {
                caused::note_read(result == Err(Errno::AGAIN));
            }
            let count = match result {
                Ok(count) => count,
                Err(Errno::INTR) => continue,
                Err(error @ (Errno::AGAIN | Errno::OPNOTSUPP | Errno::NOSYS))
                    if flags == ReadWriteFlags::NOWAIT =>
                {
                    self.asked = true;
                    self.blind |= error != Errno::AGAIN;
                    match patience {
                        Patience::Now(_) => return Ok(false),
                        Patience::Wait => continue,
                    }
                }
                Err(error) => return Err(self.unreadable(error)),
            };
            self.brought(count, source);
            if count == 0 {
                break;
            }
        }
        Ok(true)
    }

    /// Takes note that a read failed.
    pub(crate) fn unreadable(&mut self, error: Errno) -> ReadError {
        self.completion.read = true;
        ReadError::system(ReadStep::Read, error)
    }

    /// Takes note of bytes that lie behind those of the block.
    pub(crate) fn brought(&mut self, count: usize, source: Source) {
        self.completion.read = true;
        self.completion.sources.add(source, count);
        self.completion.block.advance(count);
        self.offset += count as u64;
        self.wanted -= count;
    }
}
