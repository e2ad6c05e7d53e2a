//! The buffered engine: `pread` into blocks.
//!
//! What the page cache holds is read at once, by `preadv2(RWF_NOWAIT)`; the rest goes to a pool of readers that may
//! wait. The same call tells where the bytes came from.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

use crate::engine::{Completion, ReadEngine, ReadError, ReadStep, Request, Source, Target, Waker};
use crate::open_file::{FileKind, OpenFile};
use crate::pool::ReaderPool;

/// Reads through the page cache: at once what is there, by a pool of readers what is not.
#[derive(Debug)]
pub struct Buffered {
    pool: Arc<ReaderPool>,
    ready: VecDeque<Completion>,
    finished: Receiver<Completion>,
    finish: Sender<Completion>,
    waker: Waker,
    in_flight: usize,
}

impl Buffered {
    /// An engine for the calling thread that lets `pool` do its waiting.
    pub fn new(pool: Arc<ReaderPool>) -> Self {
        let (finish, finished) = unbounded();
        Self { pool, ready: VecDeque::new(), finished, finish, waker: Waker::current(), in_flight: 0 }
    }
}

impl ReadEngine for Buffered {
    fn name(&self) -> &'static str {
        "buffered"
    }

    fn submit(&mut self, request: Request) {
        self.in_flight += 1;
        let mut step = Step::new(request);
        if step.advance(Patience::Now) {
            self.ready.push_back(step.completion());
            return;
        }
        let (finish, waker) = (self.finish.clone(), self.waker.clone());
        self.pool.run(move || {
            step.advance(Patience::Wait);
            // The engine may be gone: then nobody wants the completion.
            let _ = finish.send(step.completion());
            waker.wake();
        });
    }

    fn reap(&mut self) -> Option<Completion> {
        let completion = self.ready.pop_front().or_else(|| self.finished.try_recv().ok())?;
        self.in_flight -= 1;
        Some(completion)
    }

    fn wait(&mut self) {
        if self.ready.is_empty() && self.finished.is_empty() {
            thread::park();
        }
    }

    fn waker(&self) -> Waker {
        self.waker.clone()
    }

    fn in_flight(&self) -> usize {
        self.in_flight
    }
}

/// Whether a step may wait for a device.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    Now,
    Wait,
}

/// A request on its way, possibly from one thread to another.
struct Step {
    target: Option<Target>,
    /// Bytes still wanted.
    wanted: usize,
    offset: u64,
    /// The kernel cannot say for this file whether a read would wait.
    blind: bool,
    completion: Completion,
}

impl Step {
    fn new(request: Request) -> Self {
        let Request { token, target, offset, length, block } = request;
        let (target, file) = match target {
            Target::File(file) => (None, Some(file)),
            target @ Target::Open { .. } => (Some(target), None),
        };
        let completion =
            Completion { token, file, block, read: false, sources: Default::default(), error: None };
        Self { target, wanted: length, offset, blind: false, completion }
    }

    fn completion(self) -> Completion {
        self.completion
    }

    /// Goes on as far as patience allows; true when the request came to its end.
    fn advance(&mut self, patience: Patience) -> bool {
        let result =
            self.open(patience).and_then(|opened| if opened { self.read(patience) } else { Ok(false) });
        result.unwrap_or_else(|error| {
            self.completion.error = Some(error);
            true
        })
    }

    /// Opens the file if it is not open yet; false if that would wait.
    fn open(&mut self, patience: Patience) -> Result<bool, ReadError> {
        let Some(Target::Open { directory, name, how, first_read }) = &self.target else { return Ok(true) };
        let failed = |step| move |source| ReadError { step, source };
        let descriptor = match patience {
            Patience::Now => match directory.open_cached(name, *how) {
                Some(opened) => opened,
                None => return Ok(false),
            },
            Patience::Wait => directory.open(name, *how),
        };
        let descriptor = descriptor.map_err(failed(ReadStep::Open))?;
        let mut file = OpenFile::new(descriptor).map_err(failed(ReadStep::Stat))?;
        let facts = *file.facts();
        let regular = facts.kind == FileKind::Regular;
        let wanted = regular
            && facts.size_bytes <= first_read.largest_bytes
            && (first_read.linked || facts.links == 1);
        if regular && facts.size_bytes > self.wanted as u64 {
            file.observe_residency();
        }
        self.wanted = match usize::try_from(facts.size_bytes) {
            _ if !wanted => 0,
            // Made-up files have no size and yet content.
            Ok(0) => self.wanted,
            Ok(size) => self.wanted.min(size),
            Err(_) => self.wanted,
        };
        self.completion.file = Some(Arc::new(file));
        self.target = None;
        Ok(true)
    }

    /// Reads until nothing more is wanted or to be had; false if that would wait.
    fn read(&mut self, patience: Patience) -> Result<bool, ReadError> {
        let file = Arc::clone(self.completion.file.as_ref().expect("open() left a file or an error"));
        while self.wanted > 0 {
            let flags = match patience {
                Patience::Now => ReadWriteFlags::NOWAIT,
                Patience::Wait => ReadWriteFlags::empty(),
            };
            let room = &mut self.completion.block.room()[..self.wanted];
            let count = match read_at(&file, room, self.offset, flags) {
                Ok(count) => count,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) if patience == Patience::Now => return Ok(false),
                Err(Errno::OPNOTSUPP | Errno::NOSYS) if patience == Patience::Now => {
                    self.blind = true;
                    return Ok(false);
                }
                Err(error) => {
                    self.completion.read = true;
                    return Err(ReadError { step: ReadStep::Read, source: io::Error::from(error) });
                }
            };
            let source = match patience {
                Patience::Now => Source::Cache,
                Patience::Wait if self.blind => Source::Unknown,
                Patience::Wait => Source::Device,
            };
            self.completion.read = true;
            self.completion.sources.add(source, count);
            self.completion.block.advance(count);
            self.offset += count as u64;
            self.wanted -= count;
            if count == 0 {
                break;
            }
        }
        Ok(true)
    }
}

/// Reads at an offset, or onward from where it stands if the file has no offsets (a FIFO, a terminal).
fn read_at(file: &OpenFile, room: &mut [u8], offset: u64, flags: ReadWriteFlags) -> Result<usize, Errno> {
    let read = if flags.is_empty() {
        rustix::io::pread(file.as_fd(), &mut *room, offset)
    } else {
        preadv2(file.as_fd(), &mut [io::IoSliceMut::new(room)], offset, flags)
    };
    match read {
        Err(Errno::SPIPE) if flags.is_empty() => rustix::io::read(file.as_fd(), room),
        // Asking a pipe whether it would wait is not worth a special case: a reader may wait for it.
        Err(Errno::SPIPE) => Err(Errno::OPNOTSUPP),
        read => read,
    }
}
