//! One big file, read and digested by as many workers as have nothing better to do.
//!
//! A ring of pieces lies between reading and digesting. Whoever is free takes the next step: digest the next piece for
//! the algorithm that is furthest behind, or read the next piece. A worker alone reads a piece and digests it while it is
//! in its cache; a second one reads ahead, or takes another algorithm. Where the algorithm is a tree ([`Plan::Tree`]),
//! the pieces are parts of it and each is digested by the worker that read it, in any order.
//!
//! Invariants:
//! 1. Pieces are planned in order of offset, without gap or overlap, and at most [`RING`] at a time (parts:
//!    [`TREE_RING`]). Beyond its first one a file plans a piece only where [`RingMemory`] has the bytes for it.
//! 2. Each algorithm takes the pieces in order, one worker at a time.
//! 3. A piece leaves the ring when all algorithms have had it; its block is then free for the next reading.
//! 4. Nothing here waits: a step that cannot be taken is not offered.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_digest::tree::{Subtree, TreeHasher};
use hashlane_digest::{BackendChoice, Digest, SavedState};
use hashlane_io::{Block, Completion, EngineKind, FileKind, FileSystem, Opened as _, Sources, Store};
use hashlane_record::{Division, Failure, Pieces};

use crate::checkpoints::{CHECKPOINT_BYTES, Checkpoints};
use crate::course::{self, Course};
use crate::drop_behind::DropBehind;
use crate::entry::{AlgorithmSet, Entry};
use crate::profile::{LargeFiles, LargeWay};
use crate::ring_memory::{PART_BYTES, RingMemory};
use crate::verdict::{self, Reading};

/// Pieces between reading and digesting, unless more are read at once. With 512 KiB each it bridges the time that a reader
/// needs to be woken.
const RING: usize = 8;

/// Parts between the first that is not digested and the last that is read: what is kept of each is small.
const TREE_RING: usize = 256;

/// Zeros of one hole handed out at once, in bytes: they take no memory, but a stop has to be noticed.
const HOLE_BYTES: u64 = 16 << 20;

/// Pages are let go of in steps of this many bytes: a call for each piece would cost more than it is worth. Pages that the kernel
/// keeps together go together: none of them reaches across a multiple of this.
const DROP_BYTES: u64 = 4 << 20;

/// How a file is cut and digested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Pieces in order through every algorithm.
    Ring,
    /// Parts of a tree, in any order.
    Tree,
}

/// How the pieces of a file are brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// The engine, where it is not the one of the worker.
    pub(crate) engine: Option<EngineKind>,
    /// Whether the pieces are mapped windows.
    pub(crate) windows: bool,
    /// Bytes of a piece.
    pub(crate) piece_bytes: usize,
    /// Pieces that are read at once, at most.
    in_flight: usize,
    /// Pieces between reading and digesting, at most.
    places: usize,
}

impl Way {
    pub(crate) fn new(way: LargeWay, plan: Plan) -> Self {
        let LargeWay { engine, windows, pieces } = way;
        match plan {
            Plan::Ring => {
                let LargeFiles { block_bytes: piece_bytes, in_flight, .. } = pieces;
                // One is digested while the others are read.
                Self { engine, windows, piece_bytes, in_flight, places: RING.max(in_flight + 2) }
            }
            // Who reads a part digests it too: memory alone limits how many there are.
            Plan::Tree => {
                Self { engine, windows, piece_bytes: PART_BYTES, in_flight: TREE_RING, places: TREE_RING }
            }
        }
    }
}

/// A file in work.
#[derive(Debug)]
pub(crate) struct BigFile<S: Store = FileSystem> {
    pub(crate) plan: Plan,
    pub(crate) way: Way,
    pub(crate) file: Arc<S::Opened>,
    /// The inode, when further names of it wait for the result.
    pub(crate) claimed: bool,
    start: u64,
    algorithms: AlgorithmSet,
    division: Option<Division>,
    rings: Arc<RingMemory>,
    drop_behind: Arc<DropBehind>,
    /// Its pages in the page cache are all brought by this reading.
    is_ours: bool,
    /// Size in bytes where it can be relied on; otherwise the file is read one piece at a time until it ends.
    size: Option<u64>,
    observed: bool,
    checkpoints: Option<Arc<dyn Checkpoints>>,
    /// This run has handed over states of it.
    has_kept: AtomicBool,
    state: Mutex<FileProgress<S>>,
}

/// A file as it was opened.
#[derive(Debug)]
pub(crate) struct Begun<S: Store = FileSystem> {
    pub(crate) file: Arc<S::Opened>,
    /// Offset of the first byte to digest.
    pub(crate) start: u64,
    /// Further names of its inode wait for the result.
    pub(crate) claimed: bool,
    /// How its pieces are brought.
    pub(crate) way: Way,
    /// The engine says truly where bytes came from.
    pub(crate) observed: bool,
    /// How digests are computed, where there is a choice.
    pub(crate) backend: BackendChoice,
    /// What keeps how far it is read.
    pub(crate) checkpoints: Option<Arc<dyn Checkpoints>>,
    /// The states that its algorithms go on from; none: it is read from its beginning.
    pub(crate) saved: Vec<SavedState>,
}

#[derive(Debug)]
struct FileProgress<S: Store> {
    entry: Option<Entry<S>>,
    next_offset: u64,
    next_sequence: u64,
    /// Number of pieces, once the end of the file is known.
    end: Option<u64>,
    reading: usize,
    /// Pieces in the ring that take memory, or will when they are read.
    held: usize,
    /// The pieces from number `base` on; `None` while one is read.
    ring: VecDeque<Option<Piece>>,
    base: u64,
    lines: Vec<Line>,
    /// Data known to lie at or behind `next_offset`: its first byte and its end. `None` before the first look.
    data: Option<(u64, u64)>,
    has_holes: bool,
    tree: TreeHasher,
    early_parts: BTreeMap<u64, Subtree>,
    /// The states of the algorithms that have come to an offset, while others have not.
    saved: BTreeMap<u64, Vec<Option<SavedState>>>,
    digested_bytes: u64,
    /// Reads that have brought something, or its end.
    reads: u64,
    /// No more of what comes is to stay in the page cache.
    drops: bool,
    /// Offset up to which pages were let go of.
    dropped: u64,
    /// Where the first of them lay that were not to stay.
    dropped_from: Option<u64>,
    sources: Sources,
    failure: Option<Failure>,
    finished: bool,
}

impl<S: Store> FileProgress<S> {
    /// From where on pages are let go of that lie behind `dropped`: the step before comes along once more, in which a page may have
    /// stayed that somebody held for a moment, be it the kernel to move it.
    fn drop_from(&mut self, dropped: u64) -> u64 {
        let first = *self.dropped_from.get_or_insert(dropped);
        dropped.saturating_sub(DROP_BYTES).max(first)
    }
}

/// One algorithm's way through the pieces.
#[derive(Debug)]
struct Line {
    next: u64,
    /// The offset that it has come to.
    offset: u64,
    /// Absent while a worker is at it.
    course: Option<Course>,
}

#[derive(Clone, Debug)]
enum Piece {
    Data(Arc<Block>),
    Zeros(u64),
}

/// A piece to be digested for one algorithm.
#[derive(Debug)]
pub(crate) struct DigestStep {
    line: usize,
    sequence: u64,
    course: Course,
    piece: Piece,
}

/// A piece to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadStep {
    pub(crate) sequence: u64,
    pub(crate) offset: u64,
    pub(crate) length: usize,
}

/// What a completed reading calls for.
#[derive(Debug)]
pub(crate) enum Arrival {
    /// The piece is in the ring, or the file has ended.
    Taken,
    /// Part of the piece is still to be read.
    Incomplete(ReadStep, Block),
    /// The part is to be digested by the caller, who hands over the result by [`BigFile::part_done`].
    Part(Block),
}

impl<S: Store> BigFile<S> {
    /// The file of an entry, to be read from where `opened` says.
    pub(crate) fn new(
        entry: Entry<S>,
        begun: Begun<S>,
        plan: Plan,
        (rings, drop_behind): (Arc<RingMemory>, Arc<DropBehind>),
    ) -> Self {
        let Begun { file, start, claimed, way, observed, backend, checkpoints, saved } = begun;
        let facts = *file.facts();
        let has_size = facts.kind == FileKind::Regular && facts.size_bytes > 0;
        let size = (has_size && (start == 0 || !saved.is_empty())).then_some(facts.size_bytes);
        let (algorithms, division) = (Arc::clone(&entry.algorithms), entry.division);
        let line = |course| Line { next: 0, offset: start, course: Some(course) };
        let resumable = checkpoints.as_ref().and_then(|_| Course::resumable(&algorithms, &saved, &backend));
        let lines = match (plan, resumable) {
            (Plan::Tree, _) => Vec::new(),
            (Plan::Ring, Some(courses)) => courses.into_iter().map(line).collect(),
            (Plan::Ring, None) => Course::all(&algorithms, entry.division, &backend).map(line).collect(),
        };
        let tree = saved.first().and_then(|saved| TreeHasher::resume(PART_BYTES, saved));
        // Parts are counted from the beginning of the file, pieces of a ring from where it is begun.
        let first = match plan {
            Plan::Ring => 0,
            Plan::Tree => start / PART_BYTES as u64,
        };
        let state = FileProgress {
            entry: Some(entry),
            next_offset: start,
            next_sequence: first,
            end: None,
            reading: 0,
            held: 0,
            ring: VecDeque::new(),
            base: first,
            lines,
            data: None,
            has_holes: size.is_some() && file.has_holes(),
            tree: tree.unwrap_or_else(|| TreeHasher::new(PART_BYTES)),
            early_parts: BTreeMap::new(),
            saved: BTreeMap::new(),
            digested_bytes: 0,
            reads: 0,
            drops: false,
            dropped: start,
            dropped_from: None,
            sources: Sources::default(),
            failure: None,
            finished: false,
        };
        let is_ours = size.is_some() && DropBehind::is_ours(&*file);
        Self {
            plan,
            way,
            file,
            claimed,
            start,
            algorithms,
            division,
            size,
            rings,
            drop_behind,
            is_ours,
            observed,
            checkpoints,
            has_kept: AtomicBool::new(false),
            state: Mutex::new(state),
        }
    }

    /// The next piece for the algorithm that is furthest behind, if one is there that nobody works on.
    pub(crate) fn claim_digest(&self) -> Option<DigestStep> {
        let mut state = self.lock();
        if state.failure.is_some() || state.finished {
            return None;
        }
        let base = state.base;
        let ring = &state.ring;
        let piece_of = |line: &Line| ring.get((line.next - base) as usize).and_then(Option::as_ref);
        let (line, _) = state
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.course.is_some() && piece_of(line).is_some())
            .min_by_key(|(_, line)| line.next)?;
        let piece = piece_of(&state.lines[line])?.clone();
        let sequence = state.lines[line].next;
        let course = state.lines[line].course.take()?;
        Some(DigestStep { line, sequence, course, piece })
    }

    /// Takes back a digested piece. Returns the blocks that are free now, and whether a reader that waits for room
    /// should be woken.
    pub(crate) fn digest_done(&self, step: DigestStep) -> (Option<Block>, bool) {
        let DigestStep { line, sequence, mut course, piece } = step;
        let broken = matches!(&piece, Piece::Data(block) if block.is_broken());
        let length = piece.len();
        drop(piece);
        let mut state = self.lock();
        if broken && state.failure.is_none() {
            let offset_bytes = state.digested_bytes;
            state.failure = Some(verdict::broken_window(offset_bytes));
        }
        if course.divided().is_some_and(|divided| divided.has_too_many()) && state.failure.is_none() {
            state.failure = Some(verdict::too_many_pieces());
        }
        let offset = state.lines[line].offset + length;
        let checkpoint = self.save(&mut state, line, offset, &course);
        state.lines[line] = Line { next: sequence + 1, offset, course: Some(course) };
        let freed = self.retire(&mut state);
        // Not for every piece: the reader then fills half of the ring in one go.
        let room = state.ring.len() <= self.way.places / 2;
        self.drop_pages(state);
        self.keep(checkpoint);
        (freed, room)
    }

    /// Saves the state of an algorithm at an offset where that is due. Returns those of all when the last one has come there.
    fn save(
        &self,
        state: &mut FileProgress<S>,
        line: usize,
        offset: u64,
        course: &Course,
    ) -> Option<Vec<SavedState>> {
        let is_due = self.checkpoints.is_some() && offset.is_multiple_of(CHECKPOINT_BYTES);
        if !is_due || state.failure.is_some() || Some(offset) == self.size {
            return None;
        }
        let count = state.lines.len();
        let states = state.saved.entry(offset).or_insert_with(|| vec![None; count]);
        states[line] = course.save().filter(|saved| saved.length() == offset);
        let others = (0..count).filter(|&other| other != line);
        if others.map(|other| state.lines[other].offset).any(|other| other < offset) {
            return None;
        }
        state.saved.remove(&offset)?.into_iter().collect()
    }

    /// Hands over the states that the reading of the file can go on from, if there are any.
    fn keep(&self, states: Option<Vec<SavedState>>) {
        if let (Some(checkpoints), Some(states)) = (&self.checkpoints, states) {
            let state = self.lock();
            let Some(path) = state.entry.as_ref().map(|entry| entry.location.printed()) else { return };
            let (sources, observed) = (state.sources, self.is_observed(&state));
            drop(state);
            let origin = verdict::origin(&*self.file, sources, observed);
            let origin = (origin, verdict::medium(&*self.file));
            checkpoints.keep(&path, &verdict::facts(self.file.facts()), origin, states);
            self.has_kept.store(true, Ordering::Release);
        }
    }

    /// Lets go of the pages of what is digested, if they are not to stay.
    fn drop_pages(&self, mut state: MutexGuard<'_, FileProgress<S>>) {
        let done = match self.plan {
            Plan::Ring => self.start + state.digested_bytes,
            // They come in any order.
            Plan::Tree => state.base * PART_BYTES as u64,
        };
        let (from, done) = (state.dropped, done / DROP_BYTES * DROP_BYTES);
        if done <= from {
            return;
        }
        state.dropped = done;
        // What was granted stays.
        if state.drops {
            let from = state.drop_from(from);
            drop(state);
            self.file.forget(from, NonZeroU64::new(done - from));
        }
    }

    /// The next piece to read, if there is room for one. Holes are put into the ring on the way.
    pub(crate) fn claim_read(&self) -> Option<ReadStep> {
        let mut state = self.lock();
        let one_at_a_time = self.size.is_none();
        while state.failure.is_none() && state.end.is_none() && self.has_place(&state) {
            if one_at_a_time && state.reading > 0 {
                return None;
            }
            if !self.hold(&mut state) {
                return None;
            }
            let offset = state.next_offset;
            let length = self.next_length(&mut state, offset);
            state.next_offset = offset.saturating_add(length.bytes());
            let sequence = state.next_sequence;
            state.next_sequence += 1;
            if self.size.is_some_and(|size| state.next_offset >= size) {
                state.end = Some(state.next_sequence);
            }
            match length {
                Length::Hole(bytes) => {
                    state.ring.push_back(Some(Piece::Zeros(bytes)));
                    self.let_go(&mut state, 1);
                    self.retire(&mut state);
                }
                Length::Data(length) => {
                    state.ring.push_back(None);
                    state.reading += 1;
                    return Some(ReadStep { sequence, offset, length });
                }
            }
        }
        None
    }

    /// Takes what was read for `step`.
    pub(crate) fn read_done(&self, step: ReadStep, completion: Completion<S>) -> Arrival {
        let Completion { block, sources, error, read, .. } = completion;
        let brought = usize::try_from(sources.total_bytes()).unwrap_or(usize::MAX);
        let mut state = self.lock();
        state.sources += sources;
        state.reads += u64::from(read);
        // What the kernel read ahead counts too. Past the page cache nothing comes to stay there.
        if self.is_ours && brought > 0 && !self.observed && !self.file.is_read_direct() {
            state.drops = self.drop_behind.brought(brought as u64);
        }
        if let Some(error) = error {
            let offset = step.offset + brought as u64;
            state.reading -= 1;
            state.failure.get_or_insert(verdict::failure(&error, offset));
            return Arrival::Taken;
        }
        let ended = read && brought == 0;
        if !ended && brought < step.length && state.failure.is_none() {
            let rest = ReadStep {
                sequence: step.sequence,
                offset: step.offset + brought as u64,
                length: step.length - brought,
            };
            return Arrival::Incomplete(rest, block);
        }
        if self.plan == Plan::Tree && !ended && state.failure.is_none() {
            return Arrival::Part(block);
        }
        state.reading -= 1;
        let index = (step.sequence - state.base) as usize;
        if ended {
            // What lies behind was planned for nothing: the file is shorter than it was.
            let end = step.sequence + u64::from(!block.is_empty() && self.plan == Plan::Ring);
            state.end = Some(state.end.map_or(end, |known| known.min(end)));
        }
        if self.plan == Plan::Ring && !block.is_empty() && index < state.ring.len() {
            state.ring[index] = Some(Piece::Data(Arc::new(block)));
            self.retire(&mut state);
            self.drop_pages(state);
        }
        Arrival::Taken
    }

    /// Takes the digest of a part, and its block back for the next one.
    pub(crate) fn part_done(&self, sequence: u64, part: Subtree, length: usize, broken: bool) {
        let mut state = self.lock();
        let mut checkpoint = None;
        state.reading -= 1;
        state.digested_bytes += length as u64;
        if broken && state.failure.is_none() {
            state.failure = Some(verdict::broken_window(sequence * PART_BYTES as u64));
        }
        state.early_parts.insert(sequence, part);
        // The ring's places are kept in order; the tree takes parts in order too.
        while let Some(part) = {
            let base = state.base;
            state.early_parts.remove(&base)
        } {
            state.tree.push(&part);
            state.ring.pop_front();
            state.base += 1;
            let offset = state.base * PART_BYTES as u64;
            if self.checkpoints.is_some()
                && offset.is_multiple_of(CHECKPOINT_BYTES)
                && state.failure.is_none()
            {
                checkpoint = Some(state.tree.save()).filter(|saved| saved.length() == offset);
            }
        }
        self.let_go(&mut state, 1);
        self.drop_pages(state);
        let algorithms = self.algorithms.len();
        self.keep(checkpoint.map(|saved| vec![saved; algorithms]));
    }

    /// Whether there is anything to do for anybody.
    pub(crate) fn has_step(&self) -> bool {
        let state = self.lock();
        let digest = |line: &Line| {
            line.course.is_some()
                && state.ring.get((line.next - state.base) as usize).is_some_and(Option::is_some)
        };
        let room = state.end.is_none()
            && self.has_place(&state)
            && (state.held == 0 || self.rings.has(self.way.piece_bytes))
            && (self.size.is_some() || state.reading == 0);
        state.failure.is_none() && !state.finished && (room || state.lines.iter().any(digest))
    }

    /// Whether it lies on a disk, as opposed to what comes through a pipe.
    pub(crate) fn is_regular(&self) -> bool {
        self.file.facts().kind == FileKind::Regular
    }

    /// Whether all that this run has read of it would be read once more: its parts have digests of their own, or its first state is not
    /// handed over yet.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.division.is_some() || self.checkpoints.is_some() && !self.has_kept.load(Ordering::Acquire)
    }

    /// Whether [`BigFile::finish`] has given the result to somebody.
    pub(crate) fn is_finished(&self) -> bool {
        self.lock().finished
    }

    /// The result, once and to one caller only, when nothing is left to do.
    pub(crate) fn finish(&self) -> Option<(Entry<S>, Reading<S>)> {
        let mut state = self.lock();
        let at_home = state.reading == 0 && state.lines.iter().all(|line| line.course.is_some());
        let complete =
            state.end.is_some_and(|end| state.base >= end && state.lines.iter().all(|line| line.next >= end));
        if state.finished || !at_home || !(complete || state.failure.is_some()) {
            return None;
        }
        state.finished = true;
        let held = state.held;
        self.let_go(&mut state, held);
        if state.drops {
            let dropped = state.dropped;
            self.file.forget(state.drop_from(dropped), None);
        }
        let (digests, pieces) = match state.failure {
            Some(_) => (Vec::new(), None),
            None => (self.digests(&mut state), self.pieces(&mut state)),
        };
        let reading = Reading {
            file: Some(Arc::clone(&self.file)),
            digests,
            pieces,
            start: self.start,
            digested_bytes: state.digested_bytes,
            sources: state.sources,
            failure: state.failure.filter(|failure| !verdict::is_truncation(&*self.file, failure)),
            observed: self.is_observed(&state),
        };
        Some((state.entry.take()?, reading))
    }

    /// Whether the sources are what was observed while it was read.
    fn is_observed(&self, state: &FileProgress<S>) -> bool {
        self.observed
            || self.file.is_read_direct()
            || (state.reads <= 1 && self.file.resident_bytes().is_none())
    }

    fn digests(&self, state: &mut FileProgress<S>) -> Vec<Digest> {
        match self.plan {
            Plan::Ring => state.lines.iter_mut().filter_map(|line| line.course.as_mut()?.whole()).collect(),
            // A file that ended before its size has no parts for what is missing; it is unstable, and its digest nothing.
            Plan::Tree if self.size != Some(self.start + state.digested_bytes) => Vec::new(),
            Plan::Tree => vec![state.tree.finish(); self.algorithms.len()],
        }
    }

    fn pieces(&self, state: &mut FileProgress<S>) -> Option<Box<Pieces>> {
        let size = state.digested_bytes;
        let divided = state.lines.iter_mut().filter_map(|line| line.course.as_mut()?.divided());
        course::pieces(self.division?, size, divided)
    }

    fn next_length(&self, state: &mut FileProgress<S>, offset: u64) -> Length {
        let mut most = self.way.piece_bytes as u64;
        if self.checkpoints.is_some() {
            // So that each of them is the end of a piece.
            most = most.min(CHECKPOINT_BYTES - offset % CHECKPOINT_BYTES);
        }
        let Some(size) = self.size else { return Length::Data(self.way.piece_bytes) };
        let left = size - offset;
        if !state.has_holes || self.plan == Plan::Tree {
            return Length::Data(left.min(most) as usize);
        }
        if state.data.is_none_or(|(_, end)| offset >= end) {
            // Without an answer all is taken for data: reading holes is slow, and right.
            state.data = match self.file.data_from(offset) {
                // A hole made between the two questions leaves no data to read before it.
                Ok(Some((start, end))) if end <= start => Some((start, u64::MAX)),
                Ok(Some(data)) => Some(data),
                Ok(None) => Some((size, u64::MAX)),
                Err(_) => Some((offset, u64::MAX)),
            };
        }
        let (start, end) = state.data.unwrap_or((offset, u64::MAX));
        if offset < start {
            let to_checkpoint = CHECKPOINT_BYTES - offset % CHECKPOINT_BYTES;
            return Length::Hole((start - offset).min(left).min(HOLE_BYTES).min(to_checkpoint));
        }
        Length::Data(left.min(most).min(end - offset) as usize)
    }

    /// Lets go of the pieces in front that all algorithms have had; returns the last block that is free now. Where
    /// nothing is computed, a piece that has come has been had.
    fn retire(&self, state: &mut FileProgress<S>) -> Option<Block> {
        let mut freed = None;
        while state.lines.iter().all(|line| line.next > state.base)
            && let Some(piece) = state.ring.front_mut().and_then(Option::take)
        {
            state.ring.pop_front();
            state.base += 1;
            state.digested_bytes += piece.len();
            if let Piece::Data(block) = piece {
                self.let_go(state, 1);
                freed = Arc::into_inner(block);
                // Now, and not when its next use begins: pages that are mapped cannot be let go of.
                if let Some(window) = freed.as_mut().filter(|_| self.way.windows) {
                    window.clear();
                }
            }
        }
        freed
    }

    /// Whether one more may be read, and the ring has a place for it.
    fn has_place(&self, state: &FileProgress<S>) -> bool {
        state.ring.len() < self.way.places && state.reading < self.way.in_flight
    }

    /// Sets memory aside for a piece; false if there is none. The first piece of a file is always granted: every file
    /// in work goes on.
    fn hold(&self, state: &mut FileProgress<S>) -> bool {
        let granted = self.rings.take(self.way.piece_bytes, state.held == 0);
        state.held += usize::from(granted);
        granted
    }

    fn let_go(&self, state: &mut FileProgress<S>, pieces: usize) {
        state.held -= pieces;
        self.rings.give(pieces * self.way.piece_bytes);
    }

    fn lock(&self) -> MutexGuard<'_, FileProgress<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Length {
    Data(usize),
    Hole(u64),
}

impl Length {
    fn bytes(&self) -> u64 {
        match *self {
            Self::Data(length) => length as u64,
            Self::Hole(length) => length,
        }
    }
}

impl Piece {
    fn len(&self) -> u64 {
        match self {
            Self::Data(block) => block.len() as u64,
            Self::Zeros(length) => *length,
        }
    }
}

impl DigestStep {
    /// Digests the piece; returns its number of bytes.
    pub(crate) fn run(&mut self) -> u64 {
        static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
        match &self.piece {
            Piece::Data(block) => self.course.update(block.bytes()),
            Piece::Zeros(length) => {
                let mut left = *length;
                while left > 0 {
                    let count = left.min(ZEROS.len() as u64);
                    self.course.update(&ZEROS[..count as usize]);
                    left -= count;
                }
            }
        }
        self.piece.len()
    }

    /// Whether this is the line whose bytes count for progress: the first.
    pub(crate) fn counts(&self) -> bool {
        self.line == 0
    }
}

#[cfg(test)]
mod tests {
    use hashlane_digest::{Algorithm, tree};
    use hashlane_io::OpenFile;

    use super::*;
    use crate::entry::Location;

    fn file(bytes: u64, plan: Plan, rings: &Arc<RingMemory>) -> BigFile {
        let file = tempfile::tempfile().expect("a temporary file");
        file.set_len(bytes).expect("a long file");
        let file = Arc::new(OpenFile::new(file.into()).expect("its facts"));
        let algorithms = [Algorithm::BLAKE3].into_iter().collect();
        let entry = Entry::new(Location::Stdin, algorithms, Box::default());
        let pieces = LargeFiles { in_flight: LargeFiles::MOST_IN_FLIGHT, ..LargeFiles::default() };
        let way = Way::new(LargeWay { engine: None, windows: false, pieces }, plan);
        let mut big = BigFile::new(
            entry,
            Begun {
                file,
                start: 0,
                claimed: false,
                way,
                observed: false,
                backend: BackendChoice::Auto,
                checkpoints: None,
                saved: Vec::new(),
            },
            plan,
            (Arc::clone(rings), Arc::new(DropBehind::new(None))),
        );
        big.state.get_mut().expect("new").has_holes = false;
        big
    }

    fn steps(big: &BigFile) -> Vec<ReadStep> {
        std::iter::from_fn(|| big.claim_read()).collect()
    }

    fn digest(big: &BigFile, step: ReadStep) {
        let zeros = vec![0; step.length];
        big.part_done(step.sequence, tree::part(step.offset, &zeros), step.length, false);
    }

    #[test]
    fn all_files_in_work_share_their_memory_and_none_goes_without() {
        for workers in [1, 2, 16, 64] {
            let rings = Arc::new(RingMemory::for_workers(workers, usize::MAX));
            let most = (24 << 20).max(workers * PART_BYTES);
            let bigs: Vec<_> = (0..workers).map(|_| file(1 << 30, Plan::Tree, &rings)).collect();
            let first = steps(&bigs[0]);
            assert_eq!(first.len(), most / PART_BYTES, "a file alone has all of it");
            for big in &bigs[1..] {
                assert_eq!(steps(big).len(), 1, "{workers} workers");
                assert!(!big.has_step());
            }
            // What one gives back another may take.
            first.into_iter().for_each(|step| digest(&bigs[0], step));
            let second = bigs.get(1).unwrap_or(&bigs[0]);
            assert!(second.has_step() && !steps(second).is_empty());
        }
    }

    #[test]
    fn a_file_that_is_finished_holds_no_memory() {
        let rings = Arc::new(RingMemory::for_workers(2, usize::MAX));
        for plan in [Plan::Ring, Plan::Tree] {
            for _ in 0..100 {
                let big = file(1 << 30, plan, &rings);
                let planned = steps(&big);
                assert!(planned.len() > 1, "{plan:?}");
                big.lock().failure = Some(verdict::broken_window(0));
                big.lock().reading = 0;
                assert!(big.finish().is_some());
            }
        }
    }

    #[test]
    fn parts_that_come_in_any_order_make_the_digest() {
        let rings = Arc::new(RingMemory::for_workers(4, usize::MAX));
        let bytes = 5 * PART_BYTES as u64 + 1;
        let big = file(bytes, Plan::Tree, &rings);
        steps(&big).into_iter().rev().for_each(|step| digest(&big, step));
        let (_, reading) = big.finish().expect("all parts are digested");
        let expected = Algorithm::BLAKE3.digest(&vec![0; bytes as usize]);
        assert_eq!(reading.digests, [expected]);
        assert!(!big.has_step());
    }
}
