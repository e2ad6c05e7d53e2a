//! The shape that all read engines share.
//!
//! Invariants:
//! 1. Every submitted request comes back from `reap` exactly once, with its block, whatever happened.
//! 2. A completion without error that added nothing to its block means the end of the file. A completion may bring less
//!    than was asked for; the caller asks again for the rest.
//! 3. Bytes are only ever appended to a block; nobody but the holder of a block touches it.

use std::io;
use std::ops::AddAssign;
use std::sync::Arc;
use std::thread::{self, Thread};

use crate::block::Block;
use crate::directory::NotAFile;
use crate::event::Event;
use crate::obstacle::MediumObstacle;
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

/// Where a byte came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// It was in the page cache when it was asked for.
    Cache,
    /// The device had to bring it.
    Device,
    /// A store on the network had to bring it.
    Network,
    /// That could not be observed.
    Unknown,
}

/// Numbers of bytes by where they came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Bytes found in the page cache.
    pub cache_bytes: u64,
    /// Bytes that the device had to bring.
    pub device_bytes: u64,
    /// Bytes that a store on the network had to bring.
    pub network_bytes: u64,
    /// Bytes where it could not be observed.
    pub unknown_bytes: u64,
}

impl Sources {
    /// Counts bytes from one source.
    pub fn add(&mut self, source: Source, bytes: usize) {
        let counter = match source {
            Source::Cache => &mut self.cache_bytes,
            Source::Device => &mut self.device_bytes,
            Source::Network => &mut self.network_bytes,
            Source::Unknown => &mut self.unknown_bytes,
        };
        *counter += bytes as u64;
    }

    /// All bytes.
    pub fn total_bytes(&self) -> u64 {
        self.cache_bytes + self.device_bytes + self.network_bytes + self.unknown_bytes
    }
}

impl AddAssign for Sources {
    fn add_assign(&mut self, other: Self) {
        self.cache_bytes += other.cache_bytes;
        self.device_bytes += other.device_bytes;
        self.network_bytes += other.network_bytes;
        self.unknown_bytes += other.unknown_bytes;
    }
}

/// Why a request did not come to its end.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {cause}")]
pub struct ReadError {
    /// What was being done.
    pub step: ReadStep,
    /// What stopped it.
    pub cause: ReadCause,
}

/// What stopped a request.
#[derive(Debug, thiserror::Error)]
pub enum ReadCause {
    /// The system refused.
    #[error(transparent)]
    System(io::Error),
    /// A pipe, socket or device stands where only files are read.
    #[error("not a regular file")]
    Special,
    /// The bytes would not have come from the device.
    #[error("{0}")]
    Obstacle(#[from] MediumObstacle),
    /// A store on the network answered with a status that is not success.
    #[error("status {0}")]
    Remote(u16),
    /// A store on the network has it in an archive, from which it has to be restored first.
    #[error("archived")]
    Archived,
    /// A store on the network keeps another checksum for it than its content has, however often it is read.
    #[error("another checksum")]
    OtherChecksum,
    /// A store on the network keeps another checksum for it than what came has, and it was read once.
    #[error("another checksum, by one reading")]
    DoubtfulChecksum,
    /// There are no valid credentials to ask a store on the network with.
    #[error("no valid credentials")]
    Unsigned,
    /// As many requests were made of a store on the network as there were to be.
    #[error("no more requests")]
    RequestsUsedUp,
    /// It was deleted in a store on the network that may keep older versions of it.
    #[error("deleted")]
    Deleted,
    /// What came is not what a store on the network keeps.
    #[error("damaged on the way")]
    DamagedOnWay,
}

impl From<io::Error> for ReadCause {
    fn from(error: io::Error) -> Self {
        let is_special = error.get_ref().is_some_and(|carried| carried.is::<NotAFile>());
        if is_special { Self::Special } else { Self::System(error) }
    }
}

impl ReadError {
    /// The system's refusal of a step, or the reason of ours that its error carries.
    pub fn system(step: ReadStep, error: impl Into<io::Error>) -> Self {
        Self { step, cause: ReadCause::from(error.into()) }
    }

    /// The system's number of the error, if the system refused.
    pub fn raw_os_error(&self) -> Option<i32> {
        match &self.cause {
            ReadCause::System(error) => error.raw_os_error(),
            _ => None,
        }
    }
}

/// The steps of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadStep {
    /// Opening the file.
    Open,
    /// Asking for its facts.
    Stat,
    /// Reading.
    Read,
    /// Making sure that what is read comes from the device.
    FromMedium,
}

impl std::fmt::Display for ReadStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Stat => "stat",
            Self::Read => "read",
            Self::FromMedium => "read from the medium",
        })
    }
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
