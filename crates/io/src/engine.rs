//! The shape that all read engines share.
//!
//! Invariants:
//! 1. Every submitted request comes back from `reap` exactly once, with its block, whatever happened.
//! 2. A completion without error that added nothing to its block means the end of the file. A completion may bring less
//!    than was asked for; the caller asks again for the rest.
//! 3. Bytes are only ever appended to a block; nobody but the holder of a block touches it.

use std::sync::Arc;
use std::thread::{self, Thread};

use crate::block::Block;
use crate::event::Event;
use crate::read_error::ReadError;
use crate::source::Sources;
use crate::store::{FileSystem, Store};

/// One way to bring bytes from the things of a store, by default from files. Belongs to the thread that made it.
pub trait ReadEngine<S: Store = FileSystem> {
    /// Its name, as the user gives it: `buffered`.
    fn name(&self) -> &'static str;

    /// Takes a request. What can be done at once may be done before this returns.
    fn submit(&mut self, request: Request<S>);

    /// A completion, if one is ready. Never waits.
    fn reap(&mut self) -> Option<Completion<S>>;

    /// Waits until a completion may be ready or the [`Waker`] was used. May return early.
    fn wait(&mut self);

    /// A handle that ends or forestalls a [`ReadEngine::wait`] from another thread.
    fn waker(&self) -> Waker;

    /// The number of requests submitted and not yet reaped.
    fn in_flight(&self) -> usize;

    /// How often a file or a window of one had to be brought in another way than the engine's name says.
    fn fallbacks(&self) -> u64 {
        0
    }

    /// How many of these were for the sake of the file system, which this engine never reads from.
    fn unsuited(&self) -> u64 {
        0
    }
}

/// What a read engine is asked to do.
#[derive(Debug)]
pub struct Request<S: Store = FileSystem> {
    /// Comes back in the completion, untouched.
    pub token: u64,
    /// The file.
    pub target: Target<S>,
    /// Offset of the first byte wanted, in bytes from the start of the file.
    pub offset: u64,
    /// Number of bytes wanted, at most the room left in `block`. For a file still to be opened it is a limit, and what
    /// is wanted is all of the file up to there.
    pub length: usize,
    /// Where the bytes go, behind those already there.
    pub block: Block,
}

/// The file of a request.
#[derive(Debug)]
pub enum Target<S: Store = FileSystem> {
    /// A file to be opened, asked for its facts and, if `first_read` says so, read from the start.
    Open {
        /// Where it is.
        place: S::Place,
        /// Which files are read in the same step.
        first_read: FirstRead,
    },
    /// A file that is open.
    File(Arc<S::Opened>),
}

/// Which files are read as soon as they are open. The others come back open, with nothing read.
#[derive(Clone, Copy, Debug)]
pub struct FirstRead {
    /// Regular files of at most this size in bytes; larger ones are for the caller to plan.
    pub largest_bytes: u64,
    /// Whether files with several names are read.
    pub linked: bool,
    /// Whether files come back unread if the page cache holds something of them, or may hold it: they are to be read past it
    /// ([`PastCache`](crate::PastCache)).
    pub uncached: bool,
}

/// A request that came to its end.
#[derive(Debug)]
pub struct Completion<S: Store = FileSystem> {
    /// The request's token.
    pub token: u64,
    /// The file; `None` only if it could not be opened.
    pub file: Option<Arc<S::Opened>>,
    /// The request's block, with what could be read appended, also when an error followed.
    pub block: Block,
    /// Whether a read was made at all: a file that was only opened has said nothing about its end.
    pub read: bool,
    /// Where the appended bytes came from; adds up to their number.
    pub sources: Sources,
    /// What went wrong, if something did.
    pub error: Option<ReadError>,
}

/// Wakes the thread that waits in a read engine.
#[derive(Clone, Debug)]
pub struct Waker(Wait);

/// What the thread waits by.
#[derive(Clone, Debug)]
enum Wait {
    Parked(Thread),
    Event(Arc<Event>),
}

impl Waker {
    /// A waker for the calling thread, for engines that wait by parking.
    pub fn current() -> Self {
        Self(Wait::Parked(thread::current()))
    }

    /// A waker for who waits for an event in the kernel.
    pub(crate) fn of_event(event: &Arc<Event>) -> Self {
        Self(Wait::Event(Arc::clone(event)))
    }

    /// Ends the wait of the engine, or the next one if it does not wait now.
    pub fn wake(&self) {
        match &self.0 {
            Wait::Parked(thread) => thread.unpark(),
            Wait::Event(event) => event.raise(),
        }
    }
}
