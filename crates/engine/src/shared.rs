//! What all threads of a run share.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use hashlane_digest::Occupancy;
use hashlane_io::{CacheUnseen, EngineKind, Lease, ReadEngine};

use crate::big_file::{Plan, Way};
use crate::big_files::BigFiles;
use crate::control::Control;
use crate::drop_behind::DropBehind;
use crate::links::Links;
use crate::memory_shares::MemoryShares;
use crate::options::Options;
use crate::profile::{LargeFiles, ReadOrder};
use crate::queue::{Idle, Queue};
use crate::record_room::RecordRoom;
use crate::ring_memory::RingMemory;
use crate::source::{EngineOf, OpenedOf, Source};
use crate::streams::Streams;
use crate::throttle::{Throttle, Throttled};

/// Maximum number of files that a worker has in progress side by side: twice the lanes of the widest kernel, so that a long file leaves no
/// lane empty.
pub const SLOTS_PER_WORKER: usize = 96;

/// Slots of all workers together, at most: their blocks have 132 KiB each.
const MOST_SLOTS: usize = 2048;

/// Descriptors that a run of few workers needs at most: slots, big files and the directories of the entries in between. Many
/// workers need twice as many as they have slots.
const DESCRIPTORS: usize = 1024;

/// The most workers of a run.
const MOST_WORKERS: usize = 256;

/// What all threads of a run share.
pub(crate) struct Shared<S: Source> {
    pub(crate) source: S,
    pub(crate) options: Options,
    pub(crate) workers: usize,
    pub(crate) slots_per_worker: usize,
    pub(crate) queue: Queue<S::Store>,
    pub(crate) idle: Idle,
    pub(crate) big: BigFiles<S::Store>,
    pub(crate) rings: Arc<RingMemory>,
    pub(crate) drop_behind: Arc<DropBehind>,
    pub(crate) links: Links<S::Store>,
    pub(crate) streams: Streams,
    pub(crate) control: Arc<Control>,
    pub(crate) record_room: RecordRoom,
    pub(crate) throttle: Option<Arc<Throttle>>,
    /// Of the workers that have ended.
    pub(crate) occupancy: Mutex<Occupancy>,
    pub(crate) unsuited: AtomicU64,
    /// Why it could not be determined where the bytes of a file came from, if there was such a file.
    pub(crate) unseen: OnceLock<CacheUnseen>,
    /// Entries from this number on may not be begun.
    pub(crate) gate: AtomicU64,
    /// Workers that have not ended.
    pub(crate) working: AtomicUsize,
    /// What was listed is not what was to be listed.
    pub(crate) has_other_listing: AtomicBool,
    /// A thread panicked, and what it had in hand will never come.
    pub(crate) panicked: AtomicBool,
}

/// How many workers and slots a run has room for, and what is left for readers and directories.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) workers: usize,
    pub(crate) slots_per_worker: usize,
    /// Readers of one pool, at most.
    pub(crate) readers: usize,
    /// Directories that may be open at a time.
    pub(crate) directories: usize,
    rings_bytes: usize,
    /// What of it is counted for the whole process, until the run ends.
    _lease: Lease,
}

impl Room {
    /// As many as asked for, or as many as there are cores, where descriptors and memory suffice. Lowers the memory for names and records
    /// to what there is.
    pub(crate) fn of(options: &mut Options) -> Self {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let workers = options.workers.unwrap_or_else(cores).clamp(1, MOST_WORKERS);
        let slots = (SLOTS_PER_WORKER * workers).min(MOST_SLOTS);
        let walk = &mut options.walk.memory;
        let lease = Lease::take(DESCRIPTORS.max(2 * slots), MemoryShares::wanted(workers, slots, *walk));
        let descriptors = lease.descriptors();
        let memory = MemoryShares::of(lease.memory_bytes());
        walk.names_bytes = walk.names_bytes.min(memory.walk_bytes);
        walk.records_bytes = walk.records_bytes.min(memory.walk_bytes);
        let workers = workers.min(descriptors / 4).min(memory.workers);
        let slots = slots.min(descriptors / 2).min(memory.slots);
        let slots = slots.min(options.max_bytes_per_second.map_or(usize::MAX, slots_at));
        let slots_per_worker = (slots / workers).max(1);
        Self {
            workers,
            slots_per_worker,
            readers: memory.readers,
            // What slots, big files and rings do not take.
            directories: descriptors.saturating_sub(workers * (slots_per_worker + 4)),
            rings_bytes: memory.rings_bytes,
            _lease: lease,
        }
    }
}

/// How many files may be in progress side by side at a rate. At a low one many of them would go on for a long time before the first is
/// finished, and all would be lost when the run is stopped.
fn slots_at(bytes_per_second: u64) -> usize {
    const FEWEST: usize = 4;
    const BYTES_A_SECOND_AND_SLOT: u64 = 1 << 20;

    usize::try_from(bytes_per_second / BYTES_A_SECOND_AND_SLOT).unwrap_or(usize::MAX).max(FEWEST)
}

impl<S: Source> Shared<S> {
    pub(crate) fn new(source: S, options: Options, room: &Room, control: Arc<Control>) -> Self {
        let workers = room.workers;
        let slots_per_worker = room.slots_per_worker.min(source.most_open() / workers).max(1);
        let order = source.order();
        let throttle = Throttle::of(&options, &control).map(Arc::new);
        Self {
            workers,
            slots_per_worker,
            queue: Queue::new(order),
            idle: Idle::default(),
            // Two at a time would send a disk that turns from one to the other.
            big: BigFiles::new(workers, if order == ReadOrder::OnDisk { 1 } else { workers }),
            rings: Arc::new(RingMemory::for_workers(workers, room.rings_bytes)),
            drop_behind: Arc::new(DropBehind::new(options.cache_bytes)),
            links: Links::default(),
            streams: Streams::default(),
            control,
            record_room: RecordRoom::default(),
            throttle,
            occupancy: Mutex::default(),
            unsuited: AtomicU64::new(0),
            unseen: OnceLock::new(),
            gate: AtomicU64::new(u64::MAX),
            working: AtomicUsize::new(workers),
            has_other_listing: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            source,
            options,
        }
    }

    pub(crate) fn start_engine(&self) -> EngineOf<S> {
        self.throttled(self.source.start_engine(self.workers))
    }

    /// An engine for pieces of large things beside that of a worker, if there are such.
    pub(crate) fn start_large_engine(
        &self,
        kind: EngineKind,
        beside: &dyn ReadEngine<S::Store>,
    ) -> Option<EngineOf<S>> {
        Some(self.throttled(self.source.start_large_engine(kind, beside)?))
    }

    fn throttled(&self, engine: EngineOf<S>) -> EngineOf<S> {
        match &self.throttle {
            Some(throttle) => Box::new(Throttled::new(engine, Arc::clone(throttle))),
            None => engine,
        }
    }

    /// How a big file is read.
    pub(crate) fn way(&self, file: &OpenedOf<S>, plan: Plan) -> Way {
        let mut way = self.source.large(file, plan == Plan::Tree);
        if self.throttle.as_ref().is_some_and(|throttle| throttle.rate().is_some()) {
            // By the one engine that reads all else. A window cannot be put together of the short reads that a limited rate takes.
            way.windows = false;
            if way.engine.take().is_some() {
                way.pieces = LargeFiles::default();
            }
        }
        Way::new(way, plan)
    }

    /// Whether a file with several names is read once.
    pub(crate) fn reads_links_once(&self) -> bool {
        self.options.links_once && !self.source.reads_from_medium()
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
    pub(crate) fn abort(&self) {
        self.control.abort();
        self.queue.close();
    }
}
