//! The uring engine: reads through the page cache, and waits by io_uring instead of threads.
//!
//! What is in the page cache is read at once, as the buffered engine does it: no ring is faster than a read that does not
//! wait, and only such a read shows where the bytes came from. What has to wait goes into the ring: opening
//! (`openat2`) and reading, each by itself, for what may be read is known only when the file is open. Its facts are asked
//! for in between at once, as they lie in memory then.
//!
//! What a ring does not do goes to the pool of readers and is counted by [`ReadEngine::fallbacks`]: FIFOs and devices,
//! names that take more than one call, and everything where the kernel or a sandbox does not let us have a ring.
//!
//! Invariant: no byte comes by a ring but from a file system that is known to be read by the kernel alone, from this machine.
//! A program behind FUSE that reads by direct I/O may answer with less than it was asked for, and io_uring (Linux 6.18) then
//! brings other bytes than the file has, without an error. So may what is stacked on it.

mod ring;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use crate::access_time;
use crate::delivery::Delivery;
use crate::engine::{Completion, ReadEngine, Request, Waker};
use crate::file_system::{self, MemoryDevices, RingDevices};
use crate::open_file::FileKind;
use crate::pool::ReaderPool;
use crate::read_error::{ReadError, ReadStep};
use crate::step::{Patience, Step};
use ring::{Brought, Landing, Ring};

/// Reads through the page cache: at once what is there, by an io_uring what is not.
///
/// In a process that was forked off it may be dropped, and nothing else.
#[derive(Debug)]
pub struct Uring {
    delivery: Delivery,
    memory: MemoryDevices,
    suited: RingDevices,
    /// None where there is no io_uring to be had.
    ring: Option<Ring>,
    /// Requests for which the ring has no room yet.
    waiting: VecDeque<Step>,
    fallbacks: u64,
    unsuited: u64,
}

impl Uring {
    /// Requests in the hands of the kernel: as many as the buffered engine has readers.
    pub const DEPTH: usize = 64;

    /// An engine for the calling thread with at most `depth` requests in the hands of the kernel, and `pool` for what the
    /// ring does not do.
    ///
    /// # Panics
    /// `depth` is not from 1 to 4096.
    pub fn new(depth: usize, pool: Arc<ReaderPool>) -> Self {
        assert!((1..=4_096).contains(&depth), "{depth} is not a possible depth for a ring");
        Self::with_ring(Ring::new(depth), pool)
    }

    /// Whether this process may have a ring.
    ///
    /// # Errors
    /// Why not: the kernel has none that does what is needed, or it is forbidden.
    pub fn available() -> io::Result<()> {
        Ring::new(1).map(drop)
    }

    /// Whether this process may have a ring that reads files below a path.
    ///
    /// # Errors
    /// Why not: as [`Uring::available`] says, or the file system of the path is none that rings read from.
    pub fn available_at(path: &Path) -> io::Result<()> {
        let place = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        if !file_system::suits_rings(place.as_fd()) {
            let why = "it is used on local file systems only";
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        Self::available()
    }

    fn with_ring(ring: io::Result<Ring>, pool: Arc<ReaderPool>) -> Self {
        let ring = ring.ok();
        let delivery = match &ring {
            Some(ring) => Delivery::with_waker(pool, Waker::of_event(ring.event())),
            None => Delivery::new(pool),
        };
        Self {
            delivery,
            memory: MemoryDevices::default(),
            suited: RingDevices::default(),
            ring,
            waiting: VecDeque::new(),
            fallbacks: 0,
            unsuited: 0,
        }
    }

    /// Does what can be done at once, and lets somebody wait for the rest.
    fn go_on(&mut self, mut step: Step) {
        if step.advance(Patience::Now(&self.memory), Step::read) {
            self.delivery.now(step.completion);
        } else {
            self.wait_for(step);
        }
    }

    /// Hands a step to the ring, or to the pool if that is not work for a ring.
    fn wait_for(&mut self, step: Step) {
        let is_suited = self.suits(&step);
        let Some(ring) = self.ring.as_mut().filter(|_| is_for_ring(&step)) else {
            return self.fall_back(step);
        };
        if !is_suited {
            self.unsuited += 1;
            return self.fall_back(step);
        }
        match ring.start(step) {
            None => {}
            Some(step) if !ring.has_room() => self.waiting.push_back(step),
            Some(step) => self.fall_back(step),
        }
    }

    /// Whether a ring may read what a step is about, as far as that is known before it is open.
    fn suits(&self, step: &Step) -> bool {
        if step.is_open() { self.suited.hold(&step.file()) } else { step.directory_suits_rings() }
    }

    fn fall_back(&mut self, mut step: Step) {
        self.fallbacks += 1;
        self.delivery.later(move || {
            step.advance(Patience::Wait, Step::read);
            step.completion
        });
    }

    /// Goes on with a request that the ring is done with.
    fn landed(&mut self, Landing { mut step, result }: Landing) {
        match result {
            Ok(Brought::File(descriptor)) => {
                access_time::keep(&descriptor);
                match step.opened(descriptor) {
                    Ok(()) => self.go_on(step),
                    Err(error) => self.fail(step, error),
                }
            }
            Ok(Brought::Bytes(count)) => {
                step.brought(count, step.awaited_source());
                if count == 0 || step.wanted == 0 {
                    self.delivery.now(step.completion);
                } else {
                    self.wait_for(step);
                }
            }
            Err(Errno::INTR) => self.wait_for(step),
            Err(error) if is_of_the_ring(error) => self.fall_back(step),
            Err(error) if step.is_open() => {
                let error = step.unreadable(error);
                self.fail(step, error);
            }
            Err(error) => self.fail(step, ReadError::system(ReadStep::Open, error)),
        }
    }

    fn fail(&mut self, mut step: Step, error: ReadError) {
        step.completion.error = Some(error);
        self.delivery.now(step.completion);
    }

    /// Takes in what the ring has brought, and gives it what waits for room.
    fn take_in(&mut self) {
        self.hand_over();
        while let Some(landing) = self.ring.as_mut().and_then(Ring::land) {
            self.landed(landing);
            while self.ring.as_ref().is_some_and(Ring::has_room)
                && let Some(step) = self.waiting.pop_front()
            {
                self.wait_for(step);
            }
        }
        // What follows on what has come goes out together, before anybody begins to digest.
        self.hand_over();
    }

    fn hand_over(&mut self) {
        if let Some(ring) = &mut self.ring {
            ring.hand_over();
        }
    }
}

impl ReadEngine for Uring {
    fn name(&self) -> &'static str {
        "uring"
    }

    fn submit(&mut self, request: Request) {
        self.go_on(Step::new(request));
    }

    fn reap(&mut self) -> Option<Completion> {
        self.delivery.reap().or_else(|| {
            self.take_in();
            self.delivery.reap()
        })
    }

    fn wait(&mut self) {
        match &mut self.ring {
            Some(_) if !self.delivery.is_empty() => {}
            Some(ring) => ring.wait(),
            None => self.delivery.wait(),
        }
    }

    fn waker(&self) -> Waker {
        self.delivery.waker()
    }

    fn in_flight(&self) -> usize {
        self.delivery.in_flight() + self.waiting.len() + self.ring.as_ref().map_or(0, Ring::in_flight)
    }

    fn fallbacks(&self) -> u64 {
        self.fallbacks
    }

    fn unsuited(&self) -> u64 {
        self.unsuited
    }
}

/// Whether a ring can bring it. What has no offsets is read by those who know how.
fn is_for_ring(step: &Step) -> bool {
    !step.is_open() || step.file().facts().kind == FileKind::Regular
}

/// Whether an error may say more of the ring than of the file: a system call shows which. That a long name takes several calls, or
/// that a file is not read by rings, or that an opening lost a race, no caller has to know.
fn is_of_the_ring(error: Errno) -> bool {
    matches!(
        error,
        Errno::AGAIN
            | Errno::CANCELED
            | Errno::INVAL
            | Errno::NAMETOOLONG
            | Errno::NOMEM
            | Errno::NOSYS
            | Errno::OPNOTSUPP
            | Errno::PERM
    )
}
