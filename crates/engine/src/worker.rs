//! A worker: opens, reads and digests whatever comes next, one thread for each core.
//!
//! Files sit in slots. A slot's file is opened, and read if it is small, in one request; what is cached comes at once, what
//! is not leaves the slot waiting while others go on. What has come gathers in a [`Batch`], which is digested when it is
//! full or nothing else is to be done. A file that is larger than a slot should carry, or has no size, becomes a
//! [`BigFile`] that all workers may help with.

mod large_files;

use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::thread;

use crossbeam_channel::Sender;
use hashlane_io::{
    BLOCK_ALIGNMENT, Block, Completion, EngineKind, FileKind, FirstRead, Opened as _, Place as _, ReadError,
    Request, Sources, Target,
};
use hashlane_record::{Cause, Division, Failure, Obstacle, Operation, Outcome, Record};
use rustix::io::Errno;

use crate::batch::{Batch, LONGEST_PIECE_BYTES, Piece, Served};
use crate::big_file::{BigFile, Plan, ReadStep};
use crate::control::Registered;
use crate::course;
use crate::descriptors::{PAUSE, PAUSES, is_want_of_descriptors};
use crate::entry::{AlgorithmSet, Entry, Excluded, Location};
use crate::links::{self, Claim};
use crate::record_room::pieces_bytes;
use crate::shared::Shared;
use crate::source::{EngineOf, OpenedOf, Source};
use crate::verdict::{self, Finished, Reading};

/// Files larger than this become a [`BigFile`], where one message is digested as fast as many. Below, sharing one file
/// between workers costs more than it saves.
const SLOT_FILE_BYTES: u64 = 1 << 20;

/// The same where many messages are digested faster than one: a file that is alone in its size holds up the end of a run for
/// as long as one core needs for it.
const LANE_FILE_BYTES: u64 = 32 << 20;

/// The same for a cached file while no worker is free to help with it, and there are others to fill the lanes beside it.
/// In company it takes several times as long as alone, so what is left of it when the others are done must not be much.
const COMPANY_FILE_BYTES: u64 = 256 << 20;

/// Bytes of a slot's block.
const SLOT_BYTES: usize = LONGEST_PIECE_BYTES;

/// Bytes of a beginning that a slot keeps, at most.
const BEGINNING_BYTES: u64 = 4096;

/// Bytes of a worker's one large block. A file that gains nothing from company and is larger than a slot's block is read
/// into it in one call when it is free: fewer, longer copies leave more of the core to the digest.
const LARGE_BYTES: usize = SLOT_FILE_BYTES as usize;

/// Records handed over at once: the thread that takes them is woken for each batch.
const RECORD_BATCH: usize = 256;

/// Entries taken from the queue at once.
const ENTRY_BATCH: usize = 32;

/// Tokens at and above this name readings of big files, below it slots.
const BIG: u64 = 1 << 32;

/// A piece of a big file that is being read.
type BigReading<S> = (Arc<BigFile<<S as Source>::Store>>, ReadStep);

pub(crate) struct Worker<S: Source> {
    id: usize,
    shared: Arc<Shared<S>>,
    records: Sender<Vec<Finished>>,
    engine: EngineOf<S>,
    slots: Vec<Slot<S>>,
    free_slots: Vec<usize>,
    blocks: Vec<Block>,
    /// Blocks made for slots.
    made: usize,
    /// Present while no file is being read into it.
    large_block: Option<Block>,
    /// Entries taken from the queue and not begun.
    taken: VecDeque<Entry<S::Store>>,
    /// Readings of big files under way, by token.
    readings: Vec<Option<BigReading<S>>>,
    /// What was read and is not digested yet.
    waiting: Batch,
    /// What was digested and is to be gone on with; empty between calls.
    digested: Vec<Piece>,
    /// The big file that this worker began.
    own: Option<Arc<BigFile<S::Store>>>,
    batch: Vec<Finished>,
    /// The last file could not be opened for want of descriptors: nothing is begun before one is given back.
    starved: bool,
    /// How often it still pauses for want of descriptors before a file fails.
    pauses_left: u32,
    /// The engines for pieces of large files, where others serve them better.
    large_engines: Vec<(EngineKind, EngineOf<S>)>,
    _registered: Registered,
}

/// The file that a slot holds.
struct Slot<S: Source> {
    entry: Option<Entry<S::Store>>,
    /// While more of it is to be read.
    file: Option<Arc<OpenedOf<S>>>,
    /// From its last byte on: its record, which lacks the digests.
    record: Option<Record>,
    served: Served,
    offset: u64,
    sources: Sources,
    /// Reads that have brought something, or its end.
    reads: u32,
    claimed: bool,
    /// Its first bytes, where they have digests of their own.
    beginning: Vec<u8>,
}

impl<S: Source> Default for Slot<S> {
    fn default() -> Self {
        Self {
            entry: None,
            file: None,
            record: None,
            served: Served::default(),
            offset: 0,
            sources: Sources::default(),
            reads: 0,
            claimed: false,
            beginning: Vec::new(),
        }
    }
}

impl<S: Source> Slot<S> {
    /// Whether the file has more pieces than are kept for its other names.
    fn has_many_pieces(&self, size_bytes: u64) -> bool {
        match self.entry.as_ref().and_then(|entry| entry.division) {
            Some(Division::Every(bytes)) => size_bytes.div_ceil(bytes.get()) > links::MOST_PIECES,
            _ => false,
        }
    }

    /// Keeps what of a block that was read belongs to the beginning.
    fn gather(&mut self, block: &Block) {
        if let Some(Division::Beginning(bytes)) = self.entry.as_ref().and_then(|entry| entry.division) {
            let left =
                usize::try_from(bytes.get()).unwrap_or(usize::MAX).saturating_sub(self.beginning.len());
            self.beginning.extend_from_slice(&block.bytes()[..left.min(block.len())]);
        }
    }
}

/// Bytes beyond which a file is read as a [`BigFile`], because parts of it have digests of their own that no slot computes.
fn beyond_slots(division: Option<Division>) -> Option<NonZeroU64> {
    division
        .filter(|division| match division {
            Division::Every(_) => true,
            Division::Beginning(bytes) => bytes.get() > BEGINNING_BYTES,
        })
        .map(Division::piece_bytes)
}

impl<S: Source> Worker<S> {
    pub(crate) fn new(id: usize, shared: Arc<Shared<S>>, records: Sender<Vec<Finished>>) -> Self {
        let engine = shared.start_engine();
        let registered = shared.control.register(engine.waker());
        let slots = shared.slots_per_worker;
        Self {
            id,
            records,
            engine,
            slots: (0..slots).map(|_| Slot::default()).collect(),
            free_slots: (0..slots).rev().collect(),
            blocks: Vec::new(),
            made: 0,
            large_block: Some(Block::new(LARGE_BYTES)),
            taken: VecDeque::new(),
            readings: Vec::new(),
            waiting: Batch::new(slots, shared.options.backend.clone(), shared.source.reads_direct()),
            digested: Vec::with_capacity(slots),
            own: None,
            batch: Vec::with_capacity(RECORD_BATCH),
            starved: false,
            pauses_left: PAUSES,
            large_engines: Vec::new(),
            _registered: registered,
            shared,
        }
    }

    /// The big file that this worker began, unless another one has finished it meanwhile.
    fn settle_own(&mut self) {
        self.own.take_if(|own| own.is_finished());
    }

    /// Works until there is no more to do or the run is aborted. Gives the memory of its blocks back, for which nobody is to wait:
    /// to let go of it takes a system call a block, and each of them interrupts the other processors.
    pub(crate) fn run(mut self) -> Vec<Block> {
        while !self.shared.control.is_aborted() {
            // What could be digested now does not wait for a piece of a file that may take hours.
            let worked = self.waiting.is_full() && self.digest_waiting()
                || self.reap()
                || self.own.is_some() && self.digest_waiting()
                || self.digest_big()
                || self.read_big(true)
                || self.begin()
                || self.digest_waiting()
                || self.read_big(false);
            if worked {
                continue;
            }
            self.flush();
            self.settle_own();
            if self.is_done() {
                break;
            }
            self.wait();
        }
        self.flush();
        self.shared.add_occupancy(self.waiting.occupancy());
        self.shared.add_unsuited(self.engine.unsuited());
        // Whoever waits for the last file to be finished can go too.
        self.shared.idle.wake_all();
        self.blocks
    }

    fn is_done(&self) -> bool {
        let stopped = self.shared.control.is_stopped();
        (stopped || self.shared.queue.is_exhausted())
            && self.in_flight() == 0
            && self.waiting.is_empty()
            && self.shared.big.is_idle(stopped)
    }

    fn in_flight(&self) -> usize {
        self.engine.in_flight()
            + self.large_engines.iter().map(|(_, engine)| engine.in_flight()).sum::<usize>()
    }

    /// Waits for a completion or for work that others make. Looks once more after it has said that it waits.
    fn wait(&mut self) {
        let shared = Arc::clone(&self.shared);
        let waits = (self.id, self.engine.waker());
        let looks = |worker: &mut Self| {
            worker.settle_own();
            // Reaps as well: handing over records may have waited, and so used up the wake-up of a completion.
            worker.is_done() || worker.has_work() || worker.shared.control.is_aborted() || worker.reap()
        };
        shared.idle.wait(self, waits, looks, |worker| worker.engine.wait());
    }

    fn has_work(&self) -> bool {
        let intake = !self.starved
            && !self.shared.control.is_stopped()
            && !self.free_slots.is_empty()
            && self.shared.big.takes_more();
        let entry = || match self.taken.front() {
            Some(entry) => self.shared.may_begin(entry.number),
            None => !self.shared.queue.is_empty(),
        };
        intake && entry()
            || (self.own.is_none() && self.shared.big.can_begin() && !self.shared.control.is_stopped())
            || self.shared.big.has_step()
    }

    /// Takes one completion; false if none is ready.
    fn reap(&mut self) -> bool {
        let large = self.large_engines.iter_mut().find_map(|(_, engine)| engine.reap());
        let Some(completion) = large.or_else(|| self.engine.reap()) else { return false };
        self.starved = false;
        match completion.token.checked_sub(BIG) {
            Some(index) => self.big_arrived(index as usize, completion),
            None => self.slot_arrived(completion.token as usize, completion),
        }
        true
    }

    /// Begins the next entries; false if there are none or no place for them.
    fn begin(&mut self) -> bool {
        if self.shared.control.is_stopped() {
            return false;
        }
        self.settle_own();
        if self.own.is_none() {
            // A file that waits for its turn is open: neither want of descriptors nor the gate may hold it up.
            self.own = self.shared.big.begin_pending();
            if self.own.is_some() {
                self.shared.queue.give_back(&mut self.taken);
                self.shared.idle.wake_all();
                return true;
            }
        }
        if self.starved || self.free_slots.is_empty() || !self.shared.big.takes_more() {
            return false;
        }
        if self.taken.is_empty() {
            self.shared.queue.pop(&mut self.taken, ENTRY_BATCH, self.shared.workers);
        }
        if !self.taken.front().is_some_and(|entry| self.shared.may_begin(entry.number)) {
            return false;
        }
        let Some(entry) = self.taken.pop_front() else { return false };
        let Some(slot) = self.free_slots.pop() else { return false };
        self.begin_entry(slot, entry);
        true
    }

    fn begin_entry(&mut self, slot: usize, entry: Entry<S::Store>) {
        let place = match &entry.location {
            Location::At(place) => place.clone(),
            Location::Stdin => {
                self.free_slots.push(slot);
                self.begin_stdin(entry);
                self.shared.queue.settle_one();
                return;
            }
        };
        let served = self.waiting.served(&entry.algorithms);
        let length = served.piece_bytes;
        // What has pieces is not read in a slot.
        let undivided = beyond_slots(entry.division).map_or(u64::MAX, NonZeroU64::get);
        self.slots[slot] = Slot { entry: Some(entry), served, ..Slot::default() };
        let block = self.block_for(0);
        let bounds = self.shared.options.walk.filter.bounds();
        let largest_bytes = bounds.read_at_once(undivided.min(length as u64));
        let first_read =
            FirstRead { largest_bytes, linked: !self.shared.reads_links_once(), uncached: false };
        self.engine.submit(Request {
            token: slot as u64,
            target: Target::Open { place, first_read },
            offset: 0,
            length,
            block,
        });
    }

    fn begin_stdin(&mut self, entry: Entry<S::Store>) {
        match self.shared.source.standard_input() {
            Ok((file, _)) if !self.shared.streams.begin(&file) => {
                self.refuse(entry, Arc::new(file), Cause::Obstacle(Obstacle::StreamInUse));
            }
            Ok((file, offset)) => self.begin_big(entry, Arc::new(file), Plan::Ring, offset, false),
            Err(source) => {
                // It was opened before this process began; what fails is to read it.
                let error = ReadError::system(hashlane_io::ReadStep::Read, source);
                self.fail(entry, None, verdict::failure(&error, 0), Slot::default());
            }
        }
    }

    /// Goes on with a slot whose request came back.
    fn slot_arrived(&mut self, slot: usize, completion: Completion<S::Store>) {
        let Completion { file, block, read, sources, error, .. } = completion;
        let first = self.slots[slot].file.is_none();
        if let Some(error) = error {
            let mut state = self.vacate(slot, block);
            // Whatever becomes of it: the next file in the slot does not go on with what was digested of this one.
            self.waiting.forget(slot);
            if first && is_want_of_descriptors(error.raw_os_error()) && self.waits_for_descriptor() {
                if let Some(entry) = state.entry.take() {
                    self.take_back(entry);
                }
                return;
            }
            self.fail_slot(state, file, &error, sources);
            self.shared.queue.settle_one();
            return;
        }
        let file = file.expect("a request without error has an open file");
        self.pauses_left = PAUSES;
        if first && !self.admit(slot, &file, block.len()) {
            self.vacate(slot, block);
            self.shared.queue.settle_one();
            return;
        }
        let state = &mut self.slots[slot];
        state.sources += sources;
        if !read {
            state.file = Some(file);
            self.read_on(slot, block);
            return;
        }
        state.gather(&block);
        state.reads += 1;
        state.offset += block.len() as u64;
        let size = file.facts().size_bytes;
        let last = block.is_empty() || (size > 0 && state.offset >= size);
        let served = state.served;
        if last {
            self.read_to_end(slot, file);
        } else {
            state.file = Some(file);
        }
        self.waiting.add(Piece::new(slot, served, block, last));
        let gathers = served.width > 1;
        if !gathers {
            self.digest_waiting();
        }
    }

    /// Makes the record of a file whose last byte has come. It is looked at once more and closed here, not when its digests are
    /// known: the kernel has all of it at hand now, and will have seen many other files by then.
    fn read_to_end(&mut self, slot: usize, file: Arc<OpenedOf<S>>) {
        let observed = self.is_observed(Some(&file), self.slots[slot].reads);
        let state = &mut self.slots[slot];
        let Some(entry) = &mut state.entry else { return };
        if !self.shared.source.is_observed() {
            self.shared.drop_behind.file_done(&*file, state.sources);
        }
        let reading = Reading {
            digests: Vec::new(),
            pieces: None,
            start: 0,
            digested_bytes: state.offset,
            sources: state.sources,
            failure: None,
            observed,
            file: Some(file),
        };
        state.record = Some(reading.record(entry, &self.shared.unseen));
        state.file = None;
    }

    /// Digests what has come of all slots and goes on with them; false if there is nothing.
    fn digest_waiting(&mut self) -> bool {
        if self.waiting.is_empty() {
            return false;
        }
        let mut digested = std::mem::take(&mut self.digested);
        let more_to_come = !self.taken.is_empty() || !self.shared.queue.is_empty();
        self.waiting.digest(more_to_come, &mut digested);
        for Piece { slot, block, last, .. } in digested.drain(..) {
            debug_assert!(!block.is_window(), "what has a window is digested as a big file");
            self.shared.control.add_digested(block.len() as u64);
            if last {
                let state = self.vacate(slot, block);
                self.finish_slot(slot, state);
                self.shared.queue.settle_one();
            } else {
                self.read_on(slot, block);
            }
        }
        self.digested = digested;
        self.starved = false;
        true
    }

    /// Reads the next piece of the file in a slot. The block is one that is done with.
    fn read_on(&mut self, slot: usize, block: Block) {
        self.keep(block);
        let Slot { file: Some(file), served, offset, .. } = &self.slots[slot] else { return };
        let size = file.facts().size_bytes;
        let (file, served, offset) = (Arc::clone(file), *served, *offset);
        // For a file without a size, as much as fits; for one that has grown, a byte that shows it.
        let wanted = if size == 0 { u64::MAX } else { size.saturating_sub(offset).max(1) };
        let block = self.block_for(if served.width == 1 { wanted } else { 0 });
        let most = if block.capacity() > SLOT_BYTES { block.capacity() } else { served.piece_bytes };
        let length = usize::try_from(wanted).unwrap_or(usize::MAX).min(most);
        self.engine.submit(Request { token: slot as u64, target: Target::File(file), offset, length, block });
    }

    /// Whether a file that found no descriptor left is to be tried again, when a file of this worker has given its own
    /// back or after some time: another worker or program that has them all does not say when it gives one back.
    fn waits_for_descriptor(&mut self) -> bool {
        if self.in_flight() > 0 || !self.waiting.is_empty() {
            self.starved = true;
            return true;
        }
        if self.pauses_left == 0 && self.shared.big.is_idle(false) {
            return false;
        }
        self.pauses_left = self.pauses_left.saturating_sub(1);
        thread::sleep(PAUSE);
        true
    }

    /// Keeps an entry for another try, in its place: the first of those taken may be the one that all others wait for.
    fn take_back(&mut self, entry: Entry<S::Store>) {
        let place = self.taken.partition_point(|other| other.turn < entry.turn);
        self.taken.insert(place, entry);
    }

    /// Whether the file of a slot may not lead out of its base, where only files are read.
    fn is_confined(&self, slot: usize) -> bool {
        let location = self.slots[slot].entry.as_ref().map(|entry| &entry.location);
        matches!(location, Some(Location::At(place)) if place.is_confined())
    }

    /// Decides what becomes of a file that was just opened; true if its slot goes on reading it.
    fn admit(&mut self, slot: usize, file: &Arc<OpenedOf<S>>, brought: usize) -> bool {
        let facts = *file.facts();
        if self.shared.options.excluded.contains(&(facts.device, facts.inode)) {
            if let Some(entry) = self.slots[slot].entry.take() {
                self.emit(Finished::Output { number: entry.number });
            }
            return false;
        }
        // Before it is claimed: nobody may wait for what is not read.
        if !self.shared.options.walk.filter.bounds().take(&facts) {
            if let Some(Entry { number, location, tag, .. }) = self.slots[slot].entry.take() {
                self.emit(Finished::Excluded(Excluded { number, path: location.printed(), tag }));
            }
            return false;
        }
        let regular = facts.kind == FileKind::Regular;
        let refused = match facts.kind {
            FileKind::Directory => Some(Cause::System(Errno::ISDIR.raw_os_error())),
            FileKind::Special if self.is_confined(slot) => Some(Cause::Obstacle(Obstacle::Special)),
            FileKind::Special if !self.shared.streams.begin(&**file) => {
                Some(Cause::Obstacle(Obstacle::StreamInUse))
            }
            _ => None,
        };
        if let Some(cause) = refused {
            if let Some(entry) = self.slots[slot].entry.take() {
                self.refuse(entry, Arc::clone(file), cause);
            }
            return false;
        }
        let mut claimed = false;
        let shares = self.shared.reads_links_once() && !self.slots[slot].has_many_pieces(facts.size_bytes);
        if regular && facts.links > 1 && shares {
            let Some(entry) = self.slots[slot].entry.take() else { return false };
            match self.shared.links.claim(entry, verdict::facts(&facts)) {
                Claim::Read(entry) => {
                    claimed = true;
                    self.slots[slot].entry = Some(entry);
                }
                Claim::ReadAlone(entry) => self.slots[slot].entry = Some(entry),
                Claim::Known(record) => {
                    self.emit(Finished::Record(*record));
                    return false;
                }
                Claim::Waits => return false,
            }
            self.slots[slot].claimed = claimed;
        }
        let Slot { entry: Some(entry), served, .. } = &self.slots[slot] else { return false };
        let (division, width) = (entry.division, served.width);
        let too_many = |bytes: &NonZeroU64| facts.size_bytes.div_ceil(bytes.get()) > Division::MOST_PIECES;
        if let Some(Division::Every(_)) = division.filter(|division| too_many(&division.piece_bytes())) {
            let state = std::mem::take(&mut self.slots[slot]);
            self.fail_divided(state, Arc::clone(file));
            return false;
        }
        // What has content and no size may have any.
        let size = if facts.size_bytes == 0 && brought > 0 { u64::MAX } else { facts.size_bytes };
        let divided = beyond_slots(division).is_some_and(|bytes| size > bytes.get());
        let most = match width {
            1 => SLOT_FILE_BYTES,
            _ if file.resident_bytes() == Some(facts.size_bytes) && self.has_company() => COMPANY_FILE_BYTES,
            _ => LANE_FILE_BYTES,
        };
        let most = self.shared.source.pieces_above().unwrap_or(most);
        let passes_holes = self.shared.source.reads_from_medium() && file.has_holes();
        if regular && facts.size_bytes <= most && !passes_holes && !divided {
            return true;
        }
        if let Some(entry) = self.slots[slot].entry.take() {
            let plan = self.plan(&entry, file);
            self.begin_big(entry, Arc::clone(file), plan, 0, claimed);
        }
        false
    }

    /// Whether every worker has another file to be at: that many are begun here or wait.
    fn has_company(&self) -> bool {
        let others = self.slots.len() - self.free_slots.len() - 1;
        others + self.taken.len() + self.shared.queue.len() >= self.shared.workers
    }

    /// A block for `wanted` bytes of a file: the large one if they need it and it is free.
    fn block_for(&mut self, wanted: u64) -> Block {
        let large = if wanted > SLOT_BYTES as u64 { self.large_block.take() } else { None };
        large.or_else(|| self.blocks.pop()).unwrap_or_else(|| {
            /// Bytes between the beginnings of two blocks, so that those of 32 spread over a page. More of them share sets of
            /// the cache by two, which have room for eight.
            const STAGGER_BYTES: usize = 128;
            let lead = if self.shared.source.reads_direct() {
                0
            } else {
                self.made * STAGGER_BYTES % BLOCK_ALIGNMENT
            };
            self.made += 1;
            Block::staggered(SLOT_BYTES, lead)
        })
    }

    /// Keeps a block for the next reading. The one used last, still warm, is taken first.
    fn keep(&mut self, mut block: Block) {
        block.clear();
        if block.capacity() >= LARGE_BYTES {
            self.large_block = Some(block);
        } else {
            self.blocks.push(block);
        }
    }

    /// Frees a slot and keeps its block.
    fn vacate(&mut self, slot: usize, block: Block) -> Slot<S> {
        self.keep(block);
        self.free_slots.push(slot);
        std::mem::take(&mut self.slots[slot])
    }

    /// Ends the entry of a file that was read to its end and is digested.
    fn finish_slot(&mut self, slot: usize, state: Slot<S>) {
        let Slot { entry: Some(entry), record: Some(mut record), offset, beginning, claimed, .. } = state
        else {
            return;
        };
        let digests = self.waiting.finish(slot, &entry.algorithms);
        if !matches!(record.outcome, Outcome::Failed(_)) {
            record.digests = digests;
            if offset > beginning.len() as u64 {
                let backend = &self.shared.options.backend;
                record.pieces = course::of_beginning(&beginning, &entry.algorithms, backend);
            }
        }
        self.hand_over(&entry, record, claimed);
    }

    fn fail_slot(
        &mut self,
        mut state: Slot<S>,
        file: Option<Arc<OpenedOf<S>>>,
        error: &ReadError,
        sources: Sources,
    ) {
        state.sources += sources;
        state.offset += sources.total_bytes();
        if let Some(entry) = state.entry.take() {
            self.fail(entry, file, verdict::failure(error, state.offset), state);
        }
    }

    fn fail(
        &mut self,
        entry: Entry<S::Store>,
        file: Option<Arc<OpenedOf<S>>>,
        failure: Failure,
        state: Slot<S>,
    ) {
        let observed = self.is_observed(file.as_deref(), state.reads);
        let reading = Reading {
            file,
            digests: Vec::new(),
            pieces: None,
            start: 0,
            digested_bytes: state.offset,
            sources: state.sources,
            failure: Some(failure),
            observed,
        };
        self.conclude(entry, reading, state.claimed);
    }

    /// Ends the entry of a file that would have too many pieces. Nothing of it counts as read.
    fn fail_divided(&mut self, state: Slot<S>, file: Arc<OpenedOf<S>>) {
        let Some(entry) = state.entry else { return };
        let reading = Reading {
            file: Some(file),
            digests: Vec::new(),
            pieces: None,
            start: 0,
            digested_bytes: 0,
            sources: Sources::default(),
            failure: Some(verdict::too_many_pieces()),
            observed: true,
        };
        self.conclude(entry, reading, state.claimed);
    }

    /// Whether the sources of what was read are what was observed: past the page cache, or by one read of a file that was not
    /// looked at beforehand.
    fn is_observed(&self, file: Option<&OpenedOf<S>>, reads: u32) -> bool {
        self.shared.source.is_observed()
            || reads <= 1 && file.is_none_or(|file| file.resident_bytes().is_none())
    }

    /// Ends an entry whose file is open and will not be read.
    fn refuse(&mut self, entry: Entry<S::Store>, file: Arc<OpenedOf<S>>, cause: Cause) {
        let failure = Failure { operation: Operation::Open, cause, offset_bytes: 0 };
        self.fail(entry, Some(file), failure, Slot::default());
    }

    /// Makes the record of an entry, and hands it over.
    fn conclude(&mut self, mut entry: Entry<S::Store>, reading: Reading<S::Store>, claimed: bool) {
        let record = reading.record(&mut entry, &self.shared.unseen);
        self.hand_over(&entry, record, claimed);
    }

    /// Hands over the record of an entry, and those of the entries that waited for it.
    fn hand_over(&mut self, entry: &Entry<S::Store>, mut record: Record, claimed: bool) {
        if matches!(record.outcome, Outcome::Disputed(_)) && !self.shared.options.disputed {
            (record.digests, record.pieces) = (Vec::new(), None);
        }
        if let Some(facts) = record.facts.filter(|_| claimed) {
            let wanted = (AlgorithmSet::clone(&entry.algorithms), entry.division);
            let batch = &mut self.batch;
            let mut add = |record| batch.push(Finished::Record(record));
            self.shared.links.finish(wanted, &facts, &record, &mut add);
        }
        self.emit(Finished::Record(record));
    }

    fn emit(&mut self, finished: Finished) {
        let has_pieces = pieces_bytes(std::slice::from_ref(&finished)) > 0;
        self.batch.push(finished);
        // Digests of pieces are many bytes.
        if has_pieces || self.batch.len() >= RECORD_BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.batch.is_empty() {
            let control = &self.shared.control;
            self.shared.record_room.take(pieces_bytes(&self.batch), || control.is_aborted());
            // Nobody receives any more: the run was aborted, and its records with it.
            let _ = self.records.send(std::mem::replace(&mut self.batch, Vec::with_capacity(RECORD_BATCH)));
        }
    }
}
