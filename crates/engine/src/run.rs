//! A run: its options, the threads that it starts, and the loop that hands records to the sink.

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use hashlane_digest::{Algorithm, BackendChoice, Occupancy};
use hashlane_io::{
    DescriptorBudget, EngineKind, FromMedium, IoPriority, OpenFile, ReadEngine, ReaderPool, Uring,
    memory_budget, start_thread,
};
use hashlane_record::{Division, Origin, Outcome, Record};
use rustix::io::Errno;

use crate::big_file::{Plan, Way};
use crate::big_files::BigFiles;
use crate::control::{Control, Stop};
use crate::disk_order;
use crate::drop_behind::DropBehind;
use crate::entry::{AlgorithmSet, Excluded, Input};
use crate::links::Links;
use crate::memory_shares::MemoryShares;
use crate::order::Order;
use crate::profile::{LargeFiles, Profile, ReadOrder};
use crate::queue::{Idle, Queue};
use crate::record_room::{RecordRoom, pieces_bytes};
use crate::ring_memory::RingMemory;
use crate::source::Source;
use crate::streams::Streams;
use crate::throttle::{Throttle, Throttled};
use crate::verdict::Finished;
use crate::walk::WalkOptions;
use crate::worker::Worker;

/// Reads that wait at once, all workers together, where the engine was named and so nothing is known of the device.
const READERS: usize = 64;

/// Requests that the ring of a worker has room for, at least.
const LEAST_DEPTH: usize = 8;

/// Entries that may be begun beyond the one that all wait for, when no more records can be kept. That one is in the same
/// window of the order in which files are begun as all that may be begun before it.
const GATE: u64 = 64 + disk_order::WINDOW as u64;

/// Files that a worker has in work side by side, at most: twice as many as the widest kernel has lanes, so that one with a
/// long file leaves no lane empty.
pub const SLOTS_PER_WORKER: usize = 96;

/// Slots of all workers together, at most: their blocks have 132 KiB each.
const MOST_SLOTS: usize = 2048;

/// How long is waited for a descriptor at a time, where none is left and nobody says when one is given back.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// Pauses for want of descriptors in a row, half a second in all; then what is to be opened fails.
pub(crate) const PAUSES: u32 = 100;

/// Whether something could not be opened because the process or the system has as many files open as it may.
pub(crate) fn is_want_of_descriptors(error: &io::Error) -> bool {
    [Errno::MFILE, Errno::NFILE].iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Descriptors that a run of few workers needs at most: slots, big files and the directories of the entries in between. Many
/// workers need twice as many as they have slots.
const DESCRIPTORS: usize = 1024;

/// The most workers of a run.
const MOST_WORKERS: usize = 256;

/// Batches of records on their way to the sink.
const RECORD_BATCHES: usize = 64;

/// How soon a stop is noticed when nothing else happens.
const TICK: Duration = Duration::from_millis(100);

/// What a run is to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to compute for the files of [`Input::Path`].
    pub algorithms: AlgorithmSet,
    /// What parts of them have digests of their own.
    pub division: Option<Division>,
    /// Number of workers; `None`: as many as the process may use cores.
    pub workers: Option<usize>,
    /// How bytes are brought.
    pub engine: EngineChoice,
    /// What suits the device, where `engine` leaves the choice; of it a custom engine leaves the order.
    pub profile: Profile,
    /// Bytes of what the run brings from the device that may stay in the page cache; `None`: all of it. What was there
    /// before stays in any case.
    pub cache_bytes: Option<u64>,
    /// How digests are computed, where there is a choice.
    pub backend: BackendChoice,
    /// How much is read in a second at most, in bytes, by all workers together; at least [`crate::LOWEST_RATE`]. `None`: as
    /// much as can be.
    pub max_bytes_per_second: Option<u64>,
    /// Whether reads of this run are served when nobody else asks for anything, by schedulers that know priorities. The
    /// calling thread has its own priority again when the run is over.
    pub idle_io: bool,
    /// Whether a file with several names is read once and its result repeated.
    pub links_once: bool,
    /// How directories are walked.
    pub walk: WalkOptions,
    /// Device and inode of files that are no items: those that the output goes to.
    pub excluded: Vec<(u64, u64)>,
}

/// Which read engine a run uses.
#[derive(Clone, Default)]
pub enum EngineChoice {
    /// As [`Options::profile`] says; mapped windows for tree hashes of big files.
    #[default]
    Auto,
    /// One that is not among the kinds: it has faults built in, or reads what is no file.
    Custom {
        /// Makes the engine of a worker.
        start: EngineFactory,
        /// Whether big files are asked for in blocks without memory ([`hashlane_io::Block::window`]).
        windows: bool,
    },
    /// From the device and nowhere else: a file of which that cannot be made sure fails. No file is read once for all of
    /// its names.
    FromMedium,
    /// This one, for everything.
    Only(EngineKind),
}

/// Makes a read engine for the calling thread; what has to wait may do so in the pool.
pub type EngineFactory = Arc<dyn Fn(&Arc<ReaderPool>) -> Box<dyn ReadEngine> + Send + Sync>;

impl fmt::Debug for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("Auto"),
            Self::Custom { windows, .. } => {
                f.debug_struct("Custom").field("windows", windows).finish_non_exhaustive()
            }
            Self::FromMedium => f.write_str("FromMedium"),
            Self::Only(kind) => f.debug_tuple("Only").field(kind).finish(),
        }
    }
}

/// Takes the records of a run, in order.
pub trait Sink {
    /// Takes a record. `Break` aborts the run.
    fn record(&mut self, record: Record) -> ControlFlow<()>;

    /// Takes a file that the bounds of size and time exclude, or the caller itself. `Break` aborts the run.
    fn excluded(&mut self, _excluded: Excluded) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// What a run has done.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Files read to their end and stable.
    pub files: u64,
    /// Files that changed while they were read.
    pub unstable: u64,
    /// Files and directories that could not be read.
    pub failed: u64,
    /// Bytes digested, holes and repeated names included.
    pub digested_bytes: u64,
    /// The same for each algorithm: those of a file count for all of its algorithms.
    pub digested_by: Vec<(Algorithm, u64)>,
    /// Where the bytes that were read came from.
    pub origin: Origin,
    /// What walks passed over.
    pub skipped: Skipped,
    /// Whether and how the run was stopped.
    pub stopped: Option<Stop>,
    /// Files found and, because the run was stopped, not finished.
    pub dropped: u64,
    /// Time from start to end.
    pub elapsed: Duration,
    /// Number of workers.
    pub workers: usize,
    /// How full the lanes were in which files were digested side by side. Large files and algorithms without lanes are not
    /// in it.
    pub lanes: Occupancy,
    /// Reads that the engine which was asked for has left to another way, because it is not for their file system.
    pub unsuited: u64,
}

/// What walks passed over, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Symbolic links that were not followed.
    pub symlinks: u64,
    /// FIFOs, sockets and devices.
    pub special: u64,
    /// Files and directories that the filter excluded, by name, type, size or time.
    pub excluded: u64,
    /// Directories on other file systems.
    pub other_filesystem: u64,
    /// The files that the output goes to.
    pub output: u64,
}

/// Why a run could not be brought to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused a thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The system refused another priority of reading.
    #[error("cannot lower the priority of reading: {0}")]
    Priority(std::io::Error),
    /// Records in the temporary file could not be read back.
    #[error("cannot read back the records in the temporary file: {0}")]
    Spill(std::io::Error),
    /// A thread panicked, or a record was lost. A defect of hashlane.
    #[error("{0} of {1} records were lost: a defect of hashlane, please report it")]
    Lost(u64, u64),
}

/// What all threads of a run share.
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) workers: usize,
    pub(crate) slots_per_worker: usize,
    pub(crate) queue: Queue,
    pub(crate) idle: Idle,
    pub(crate) big: BigFiles,
    pub(crate) rings: Arc<RingMemory>,
    pub(crate) drop_behind: Arc<DropBehind>,
    pub(crate) links: Links,
    pub(crate) streams: Streams,
    pub(crate) control: Arc<Control>,
    pub(crate) record_room: RecordRoom,
    pub(crate) descriptors: DescriptorBudget,
    /// Waits for small files.
    pool: Arc<ReaderPool>,
    /// Waits for the pieces of large ones, which are limited by their rings.
    large_pool: Arc<ReaderPool>,
    throttle: Option<Arc<Throttle>>,
    /// Of the workers that have ended.
    occupancy: Mutex<Occupancy>,
    unsuited: AtomicU64,
    /// Entries from this number on may not be begun.
    gate: AtomicU64,
    /// Workers that have not ended.
    working: AtomicUsize,
    /// A thread panicked, and what it had in hand will never come.
    panicked: AtomicBool,
}

impl Shared {
    fn new(options: Options, control: Arc<Control>) -> Self {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let workers = options.workers.unwrap_or_else(cores).clamp(1, MOST_WORKERS);
        let slots = (SLOTS_PER_WORKER * workers).min(MOST_SLOTS);
        let descriptors = DescriptorBudget::of_process(DESCRIPTORS.max(2 * slots)).left();
        let memory = MemoryShares::of(memory_budget());
        let workers = workers.min(descriptors / 4).min(memory.workers);
        let slots = slots.min(descriptors / 2).min(memory.slots);
        let slots_per_worker = (slots / workers).max(1);
        // What slots, big files and rings do not take is left to directories.
        let directories = descriptors.saturating_sub(workers * (slots_per_worker + 4));
        let readers = match options.engine {
            EngineChoice::Auto | EngineChoice::FromMedium => options.profile.small.in_flight,
            _ => READERS,
        };
        Self {
            workers,
            slots_per_worker,
            queue: Queue::new(order_of(&options)),
            idle: Idle::default(),
            // Two at a time would send a disk that turns from one to the other.
            big: BigFiles::new(workers, if order_of(&options) == ReadOrder::OnDisk { 1 } else { workers }),
            rings: Arc::new(RingMemory::for_workers(workers, memory.rings_bytes)),
            drop_behind: Arc::new(DropBehind::new(options.cache_bytes)),
            links: Links::default(),
            streams: Streams::default(),
            control,
            record_room: RecordRoom::default(),
            descriptors: DescriptorBudget::new(directories),
            pool: ReaderPool::taking_turns(readers.max(READERS).min(memory.readers), readers),
            large_pool: ReaderPool::new(LargeFiles::MOST_IN_FLIGHT.min(memory.readers)),
            throttle: options.max_bytes_per_second.map(|rate| Arc::new(Throttle::new(rate))),
            occupancy: Mutex::default(),
            unsuited: AtomicU64::new(0),
            gate: AtomicU64::new(u64::MAX),
            working: AtomicUsize::new(workers),
            panicked: AtomicBool::new(false),
            options,
        }
    }

    pub(crate) fn start_engine(&self) -> Box<dyn ReadEngine> {
        let engine: Box<dyn ReadEngine> = match &self.options.engine {
            EngineChoice::Auto if self.options.profile.small.engine == EngineKind::Uring => {
                // Some for FIFOs, which may wait for ever.
                let depth = self.options.profile.small.in_flight.div_ceil(self.workers).max(LEAST_DEPTH);
                Box::new(Uring::new(depth, Arc::clone(&self.pool)))
            }
            EngineChoice::Auto => EngineKind::Buffered.start(&self.pool),
            EngineChoice::Custom { start, .. } => start(&self.pool),
            EngineChoice::FromMedium => Box::new(FromMedium::new(Arc::clone(&self.pool))),
            EngineChoice::Only(kind) => kind.start(&self.pool),
        };
        match &self.throttle {
            Some(throttle) => Box::new(Throttled::new(engine, Arc::clone(throttle))),
            None => engine,
        }
    }

    /// The order in which files are begun.
    pub(crate) fn order(&self) -> ReadOrder {
        order_of(&self.options)
    }

    /// An engine for pieces of large files, beside that of a worker.
    pub(crate) fn start_large_engine(
        &self,
        kind: EngineKind,
        beside: &dyn ReadEngine,
    ) -> Box<dyn ReadEngine> {
        kind.start_beside(beside, &self.large_pool)
    }

    /// How a big file is read.
    pub(crate) fn way(&self, file: &OpenFile, plan: Plan) -> Way {
        let windows = match self.options.engine {
            // By the one engine that waits for its turn; a window cannot be put together of the short reads that a limited
            // rate takes.
            _ if self.throttle.is_some() => false,
            EngineChoice::Auto => {
                let large = self.options.profile.large(file);
                // The parts of a tree are large, and nobody needs a copy of them.
                let engine = if plan == Plan::Tree { EngineKind::Mapped } else { large.engine };
                return Way::new(Some(engine), large, plan);
            }
            EngineChoice::Custom { windows, .. } => windows,
            EngineChoice::FromMedium => false,
            EngineChoice::Only(kind) => kind == EngineKind::Mapped,
        };
        Way::own(windows, plan)
    }

    /// Whether the engine of the workers goes past the page cache, so that what the cache held says nothing of what was read.
    pub(crate) fn sources_are_observed(&self) -> bool {
        self.reads_direct() || matches!(self.options.engine, EngineChoice::Only(EngineKind::Null))
    }

    /// Whether all is read past the page cache.
    pub(crate) fn reads_direct(&self) -> bool {
        self.reads_from_medium() || matches!(self.options.engine, EngineChoice::Only(EngineKind::Direct))
    }

    /// Whether what does not come from the device is a failure. Then no hole is read, for it has no bytes there.
    pub(crate) fn reads_from_medium(&self) -> bool {
        matches!(self.options.engine, EngineChoice::FromMedium)
    }

    /// Whether a file with several names is read once.
    pub(crate) fn reads_links_once(&self) -> bool {
        self.options.links_once && !self.reads_from_medium()
    }

    /// Whether an entry may be begun. While too many records wait for an earlier one, only that earlier one may, which
    /// can still lie in the queue, or with a worker that has taken it and not begun it; and the few behind it, so that
    /// not each of them is a wake-up.
    pub(crate) fn may_begin(&self, number: u64) -> bool {
        number < self.gate.load(Ordering::Acquire)
    }

    /// Takes note of how full the lanes of a worker were.
    pub(crate) fn add_occupancy(&self, occupancy: Occupancy) {
        *self.occupancy.lock().unwrap_or_else(PoisonError::into_inner) += occupancy;
    }

    /// Takes note of the reads that the engine of a worker was not for.
    pub(crate) fn add_unsuited(&self, reads: u64) {
        self.unsuited.fetch_add(reads, Ordering::Relaxed);
    }

    /// Drops what is not finished and lets all threads go.
    fn abort(&self) {
        self.control.abort();
        self.queue.close();
    }
}

fn order_of(options: &Options) -> ReadOrder {
    match options.engine {
        EngineChoice::Only(_) => ReadOrder::Inputs,
        _ => options.profile.order,
    }
}

/// Held by each thread of a run: when one panics the others end, instead of waiting for what it had in hand. Holds a
/// sender, so that the collector cannot take the panic for an end.
struct Alarm {
    shared: Arc<Shared>,
    works: bool,
    _records: Sender<Vec<Finished>>,
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if thread::panicking() {
            self.shared.panicked.store(true, Ordering::Release);
            self.shared.abort();
        }
        if self.works {
            self.shared.working.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// Ends the threads of a run that its caller leaves early: by an error, or because the sink panicked.
struct Tether<'a> {
    shared: &'a Shared,
    left_early: bool,
}

impl Drop for Tether<'_> {
    fn drop(&mut self) {
        if self.left_early {
            self.shared.abort();
        }
    }
}

/// Fingerprints all inputs and hands the records to `sink`, in the order of the inputs and, within a tree, in byte order
/// of the path.
///
/// # Errors
/// The system refuses a thread, or the temporary file of a long run cannot be read back. What is wrong with a single file
/// is in its record.
pub fn run(
    options: Options,
    inputs: impl Iterator<Item = Input> + Send + 'static,
    sink: &mut dyn Sink,
    control: &Arc<Control>,
) -> Result<Summary, Error> {
    let start = Instant::now();
    let order = Order::new(options.walk.memory.records_bytes, options.walk.spill_directory.clone());
    let shared = Arc::new(Shared::new(options, Arc::clone(control)));
    let (finish, finished) = bounded(RECORD_BATCHES);
    let mut tether = Tether { shared: &shared, left_early: true };
    // All threads of the run are started from here on, by this one or by one that was, and begin with its priority.
    let _idle =
        shared.options.idle_io.then(|| IoPriority::IDLE.hold()).transpose().map_err(Error::Priority)?;
    let _filling = match &shared.throttle {
        Some(throttle) => Some(throttle.start().map_err(Error::Thread)?),
        None => None,
    };
    let skipped = start_source(&shared, inputs, &finish)?;
    let mut started = 0;
    for id in 0..shared.workers {
        let (its, finish) = (Arc::clone(&shared), finish.clone());
        let worker = move || {
            let _alarm = Alarm { shared: Arc::clone(&its), works: true, _records: finish.clone() };
            Worker::new(id, its, finish).run();
        };
        match start_thread(&format!("worker {id}"), worker) {
            Ok(_) => started += 1,
            // Where nobody said how many there are to be, as many as the system gives.
            Err(_) if started > 0 && shared.options.workers.is_none() => {
                shared.working.fetch_sub(shared.workers - started, Ordering::AcqRel);
                break;
            }
            Err(error) => return Err(Error::Thread(error)),
        }
    }
    drop(finish);
    let mut collector = Collector {
        shared: &shared,
        order,
        sink,
        summary: Summary { workers: started, ..Summary::default() },
        broken: false,
        left: 0,
    };
    collector.run(&finished)?;
    tether.left_early = false;
    let Collector { mut summary, left, .. } = collector;
    summary.stopped = control.stopped();
    summary.unsuited = shared.unsuited.load(Ordering::Relaxed);
    summary.lanes = *shared.occupancy.lock().unwrap_or_else(PoisonError::into_inner);
    // The source of a stopped run may wait for ever.
    let patience = if summary.stopped.is_some() { TICK } else { Duration::MAX };
    if let Ok(walked) = skipped.recv_timeout(patience) {
        let Skipped { output, excluded, .. } = summary.skipped;
        summary.skipped = Skipped { output, excluded: excluded + walked.excluded, ..walked };
    }
    let found = control.progress().files_found;
    summary.dropped = found.saturating_sub(left);
    summary.elapsed = start.elapsed();
    let panicked = shared.panicked.load(Ordering::Acquire);
    if panicked || summary.stopped.is_none() && summary.dropped > 0 {
        return Err(Error::Lost(summary.dropped, found));
    }
    Ok(summary)
}

fn start_source(
    shared: &Arc<Shared>,
    inputs: impl Iterator<Item = Input> + Send + 'static,
    finish: &Sender<Vec<Finished>>,
) -> Result<Receiver<Skipped>, Error> {
    let (done, skipped) = bounded(1);
    let options = shared.options.walk.clone();
    let source = Source::new(Arc::clone(shared), finish.clone());
    // The source may wait for ever, for a list that comes through a pipe; nobody waits for the source.
    let alarm = Alarm { shared: Arc::clone(shared), works: false, _records: finish.clone() };
    let walk = move || {
        let _alarm = alarm;
        let skipped = source.run(inputs, &options);
        let _ = done.send(skipped);
    };
    start_thread("source", walk).map_err(Error::Thread)?;
    Ok(skipped)
}

/// Puts records in order and hands them to the sink.
struct Collector<'a> {
    shared: &'a Shared,
    order: Order,
    sink: &'a mut dyn Sink,
    summary: Summary,
    /// The sink takes no more.
    broken: bool,
    /// Entries that have left.
    left: u64,
}

impl Collector<'_> {
    fn run(&mut self, finished: &Receiver<Vec<Finished>>) -> Result<(), Error> {
        let control = &self.shared.control;
        let mut deadline = None;
        loop {
            match finished.recv_timeout(TICK) {
                Ok(batch) => self.take(batch)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if control.stopped() == Some(Stop::Drained) {
                self.shared.queue.close();
                let deadline = *deadline.get_or_insert_with(|| Instant::now() + control.patience());
                if Instant::now() >= deadline {
                    control.abort();
                }
            }
            if control.is_aborted() {
                self.shared.queue.close();
                // The source may never let go of its sender; the workers' last batches come at once.
                while let Ok(batch) = finished.recv_timeout(TICK) {
                    self.take(batch)?;
                }
                break;
            }
            // Again without the source: all that the workers had was sent before they ended.
            if control.stopped().is_some() && self.shared.working.load(Ordering::Acquire) == 0 {
                while let Ok(batch) = finished.try_recv() {
                    self.take(batch)?;
                }
                break;
            }
        }
        while let Some(finished) = self.order.pop_any().map_err(Error::Spill)? {
            self.deliver(finished);
        }
        Ok(())
    }

    fn take(&mut self, batch: Vec<Finished>) -> Result<(), Error> {
        let bytes = pieces_bytes(&batch);
        for finished in batch {
            self.order.add(finished);
        }
        self.shared.record_room.give(bytes);
        while let Some(finished) = self.order.pop().map_err(Error::Spill)? {
            self.deliver(finished);
        }
        let gate = self.order.next_if_full().map_or(u64::MAX, |next| next + GATE);
        if gate > self.shared.gate.swap(gate, Ordering::AcqRel) {
            self.shared.idle.wake_all();
        }
        Ok(())
    }

    fn deliver(&mut self, finished: Finished) {
        self.left += 1;
        self.shared.control.add_done(1);
        let record = match finished {
            Finished::Record(record) => record,
            Finished::Output { .. } => {
                self.summary.skipped.output += 1;
                return;
            }
            Finished::Excluded(excluded) => {
                self.summary.skipped.excluded += 1;
                if !self.broken && self.sink.excluded(excluded).is_break() {
                    self.broken = true;
                    self.shared.control.abort();
                }
                return;
            }
        };
        match record.outcome {
            Outcome::Read => self.summary.files += 1,
            Outcome::Unstable(_) => self.summary.unstable += 1,
            Outcome::Failed(_) => self.summary.failed += 1,
        }
        self.summary.digested_bytes += record.digested_bytes;
        for (index, digest) in record.digests.iter().enumerate() {
            let algorithm = digest.algorithm();
            // One that is asked for twice is computed once.
            if record.digests[..index].iter().any(|earlier| earlier.algorithm() == algorithm) {
                continue;
            }
            match self.summary.digested_by.iter_mut().find(|(known, _)| *known == algorithm) {
                Some((_, bytes)) => *bytes += record.digested_bytes,
                None => self.summary.digested_by.push((algorithm, record.digested_bytes)),
            }
        }
        self.summary.origin += record.origin;
        self.shared.control.add_origin(record.origin);
        if !self.broken && self.sink.record(record).is_break() {
            self.broken = true;
            self.shared.control.abort();
        }
    }
}
