//! Messages under way: their chaining words, their loose ends, and how their blocks come into the lanes of kernels.

use crate::backend::Backend;
use crate::designs::{MAX_WORDS, Word as _};
use crate::kernel::{Kernel, Kernels};
use crate::midstate::Midstate;
use crate::schedule::Schedule;
use crate::serving::MAX_LANES;

/// Bytes of the next message of a slot.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The slot in which the message sits.
    pub slot: usize,
    /// The bytes that follow those already taken in. Any number of them; whole blocks save a copy.
    pub bytes: &'a [u8],
    /// Whether the message ends with them. Its padding is then taken in together with them.
    pub last: bool,
}

/// The bytes kept of a slot, in blocks: one that was begun, and the end of the message with its padding.
const BUFFER_BLOCKS: usize = 3;

/// How full the lanes were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Bytes that were taken in, padding included.
    pub bytes: u64,
    /// Bytes that would have been taken in in as many steps, had each lane of the kernel for all slots had a message.
    pub room_bytes: u64,
}

impl std::ops::AddAssign for Occupancy {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.room_bytes += other.room_bytes;
    }
}

/// Messages of one design, one in each slot.
pub(crate) struct Typed<D: Kernels> {
    schedule: Schedule<D::Word>,
    initial: &'static [D::Word],
    slots: Vec<Slot>,
    /// The chaining words of all slots, [`crate::designs::Design::WORDS`] of each.
    words: Vec<D::Word>,
    /// [`BUFFER_BLOCKS`] of each slot: a block that was begun, then the end of the message.
    buffers: Vec<u8>,
    /// What is to be done now; empty between calls.
    jobs: Vec<Job>,
    columns: Columns<D::Word>,
    occupancy: Occupancy,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    /// Bytes of the message so far.
    length: u64,
    /// Bytes of the block that was begun; a whole one is one that is held back.
    begun: usize,
    /// A part of it is being taken in.
    busy: bool,
    /// Its end was taken in.
    closed: bool,
}

/// The chaining words of all lanes of a kernel.
#[derive(Clone)]
#[repr(align(64))]
struct Columns<W>([W; MAX_WORDS * MAX_LANES]);

/// The blocks that one message is to take in: those of three pieces, one after the other.
#[derive(Clone, Copy)]
struct Job {
    slot: usize,
    part: usize,
    /// The block that was begun is full now.
    head: bool,
    /// Whole blocks within the part: first byte and number.
    body: (usize, usize),
    /// Blocks of the end.
    tail: usize,
    /// Bytes that are the beginning of the next block, and lie where the tail would.
    begun: usize,
    /// Blocks still to be taken in.
    left: usize,
}

// Not derived: that would ask the design to be `Clone`, and there are no values of it.
impl<D: Kernels> Clone for Typed<D> {
    fn clone(&self) -> Self {
        Self {
            schedule: self.schedule.clone(),
            initial: self.initial,
            slots: self.slots.clone(),
            words: self.words.clone(),
            buffers: self.buffers.clone(),
            jobs: Vec::with_capacity(self.slots.len()),
            columns: self.columns.clone(),
            occupancy: self.occupancy,
        }
    }
}

impl<D: Kernels> Typed<D> {
    /// Fresh slots. The chaining words begin with the first ones of `initial`.
    pub(crate) fn new(initial: &'static [D::Word], schedule: Schedule<D::Word>, slots: usize) -> Self {
        let initial = &initial[..D::WORDS];
        Self {
            schedule,
            initial,
            slots: vec![Slot::default(); slots],
            words: initial.repeat(slots),
            buffers: vec![0; slots * BUFFER_BLOCKS * D::BLOCK_BYTES],
            jobs: Vec::with_capacity(slots),
            columns: Columns([D::Word::default(); MAX_WORDS * MAX_LANES]),
            occupancy: Occupancy::default(),
        }
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The backend and the number of lanes that serve this many messages.
    pub(crate) fn serving(&self, messages: usize) -> (Backend, usize) {
        let kernel = self.schedule.kernel(self.schedule.place(messages));
        (kernel.backend, kernel.lanes)
    }

    pub(crate) fn occupancy(&self) -> Occupancy {
        self.occupancy
    }

    pub(crate) fn advance(&mut self, parts: &[Part<'_>]) {
        // Of a call that panicked nothing is left.
        self.jobs.clear();
        if let [part] = parts {
            let alone = self.schedule.kernel(self.schedule.place(1));
            if alone.lanes == 1 {
                return self.advance_alone(part, alone);
            }
        }
        for (number, part) in parts.iter().enumerate() {
            let job = self.plan(number, part);
            self.jobs.push(job);
        }
        // The longest first: what is left at the end, when lanes run dry, is short.
        self.jobs.sort_unstable_by_key(|job| std::cmp::Reverse(job.left));
        let mut jobs = std::mem::take(&mut self.jobs);
        self.run(parts, &mut jobs);
        for job in &jobs {
            self.settle(job);
        }
        jobs.clear();
        self.jobs = jobs;
    }

    /// Takes in a part by a kernel of one lane. Nothing is to be shared out then, and the words stay where they are: of short
    /// messages that is a tenth of the time.
    fn advance_alone(&mut self, part: &Part<'_>, kernel: &Kernel<D::Word>) {
        let mut job = self.plan(0, part);
        let (_, all_lanes) = self.serving(self.slots());
        let turns = job.left;
        while job.left > 0 {
            let (place, blocks) = self.piece(std::slice::from_ref(part), &job);
            let words = &mut self.words[job.slot * D::WORDS..][..D::WORDS];
            if D::LAST_DIFFERS && job.left == job.tail {
                D::close(words, self.slots[job.slot].length);
            }
            // SAFETY: the schedule holds kernels only whose backend this CPU has, and this one has one lane, whose words these are.
            // The place has `blocks` blocks behind it, in the part or in the buffer, and nothing changes either meanwhile.
            unsafe { (kernel.run)(words.as_mut_ptr(), &raw const place, blocks) };
            job.left -= blocks;
        }
        self.occupancy += Occupancy {
            bytes: (turns * D::BLOCK_BYTES) as u64,
            room_bytes: (all_lanes * turns * D::BLOCK_BYTES) as u64,
        };
        self.settle(&job);
    }

    /// Keeps the beginning of the next block of a job that is done.
    fn settle(&mut self, job: &Job) {
        let block = D::BLOCK_BYTES;
        let buffer = &mut self.buffers[job.slot * BUFFER_BLOCKS * block..][..BUFFER_BLOCKS * block];
        buffer.copy_within(block..block + job.begun, 0);
        self.slots[job.slot].busy = false;
    }

    /// Cuts a part into blocks and a loose end.
    fn plan(&mut self, number: usize, part: &Part<'_>) -> Job {
        let block = D::BLOCK_BYTES;
        let slot = &mut self.slots[part.slot];
        assert!(!slot.busy, "a slot was named twice");
        assert!(!slot.closed, "the message in a slot has ended");
        let buffer = &mut self.buffers[part.slot * BUFFER_BLOCKS * block..][..BUFFER_BLOCKS * block];
        slot.length += part.bytes.len() as u64;
        let mut job =
            Job { slot: part.slot, part: number, head: false, body: (0, 0), tail: 0, begun: 0, left: 0 };
        let mut rest = part.bytes;
        if slot.begun > 0 {
            let (more, behind) = rest.split_at(rest.len().min(block - slot.begun));
            buffer[slot.begun..slot.begun + more.len()].copy_from_slice(more);
            slot.begun += more.len();
            rest = behind;
            job.head = slot.begun == block && !(D::LAST_DIFFERS && rest.is_empty());
        }
        let held_back = usize::from(D::LAST_DIFFERS);
        job.body = (part.bytes.len() - rest.len(), rest.len().saturating_sub(held_back) / block);
        if job.head || slot.begun == 0 {
            let loose = &rest[job.body.1 * block..];
            buffer[block..block + loose.len()].copy_from_slice(loose);
            slot.begun = loose.len();
        } else {
            buffer.copy_within(..slot.begun, block);
        }
        if part.last {
            job.tail = D::pad(&mut buffer[block..], slot.begun, slot.length);
            slot.begun = 0;
            slot.closed = true;
        }
        job.begun = slot.begun;
        job.left = usize::from(job.head) + job.body.1 + job.tail;
        slot.busy = true;
        job
    }

    /// Takes in the blocks of all jobs, each time by the kernel for as many as have some.
    fn run(&mut self, parts: &[Part<'_>], jobs: &mut [Job]) {
        let mut open = jobs.partition_point(|job| job.left > 0);
        while open > 0 {
            self.run_kernel(parts, &mut jobs[..open]);
            let mut kept = 0;
            for job in 0..open {
                if jobs[job].left > 0 {
                    jobs.swap(job, kept);
                    kept += 1;
                }
            }
            open = kept;
        }
    }

    /// Takes in blocks by one kernel, until so few messages are left that another one serves them.
    fn run_kernel(&mut self, parts: &[Part<'_>], jobs: &mut [Job]) {
        /// A lane that nobody sits in.
        const NOBODY: usize = usize::MAX;
        let place = self.schedule.place(jobs.len());
        let kernel = self.schedule.kernel(place);
        let lanes = kernel.lanes;
        let (_, all_lanes) = self.serving(self.slots());
        // Where all slots are split, this kernel may be wider than the one for all of them.
        let all_lanes = all_lanes.max(lanes);
        let mut sitting = [NOBODY; MAX_LANES];
        let mut places = [std::ptr::null(); MAX_LANES];
        // Blocks of each lane that lie one behind the other.
        let mut ahead = [0; MAX_LANES];
        let mut taken = 0;
        let mut next = 0;
        loop {
            for lane in 0..lanes {
                if sitting[lane] == NOBODY && next < jobs.len() {
                    sitting[lane] = next;
                    (places[lane], ahead[lane]) = self.piece(parts, &jobs[next]);
                    self.sit_down(&jobs[next], lane, lanes);
                    next += 1;
                    taken += 1;
                }
            }
            if self.schedule.place(taken + jobs.len() - next) != place {
                break;
            }
            let turns = (0..lanes).filter(|&lane| sitting[lane] != NOBODY).map(|lane| ahead[lane]).min();
            let (Some(turns), Some(somebody)) = (turns, sitting.iter().position(|&job| job != NOBODY)) else {
                break;
            };
            for lane in 0..lanes {
                if sitting[lane] == NOBODY {
                    // It computes what another one does, and nobody asks for its result.
                    places[lane] = places[somebody];
                }
            }
            // SAFETY: the schedule holds kernels only whose backend this CPU has. The columns have room for the words
            // of `MAX_LANES` lanes. Each place has `turns` blocks behind it: those of a lane that is taken have `ahead`
            // of them, no less than `turns`, in the part or in the buffer, and nothing changes either meanwhile.
            unsafe { (kernel.run)(self.columns.0.as_mut_ptr(), places.as_ptr(), turns) };
            self.occupancy += Occupancy {
                bytes: (taken * turns * D::BLOCK_BYTES) as u64,
                room_bytes: (all_lanes * turns * D::BLOCK_BYTES) as u64,
            };
            for lane in 0..lanes {
                let Some(job) = jobs.get_mut(sitting[lane]) else { continue };
                job.left -= turns;
                ahead[lane] -= turns;
                places[lane] = places[lane].wrapping_add(turns * D::BLOCK_BYTES);
                if ahead[lane] > 0 {
                    continue;
                }
                if job.left == 0 || D::LAST_DIFFERS && job.left == job.tail {
                    self.stand_up(job, lane, lanes);
                }
                if job.left == 0 {
                    sitting[lane] = NOBODY;
                    taken -= 1;
                    continue;
                }
                if D::LAST_DIFFERS && job.left == job.tail {
                    self.sit_down(job, lane, lanes);
                }
                (places[lane], ahead[lane]) = self.piece(parts, job);
            }
        }
        for lane in 0..lanes {
            if let Some(job) = jobs.get(sitting[lane]) {
                self.stand_up(job, lane, lanes);
            }
        }
    }

    /// The next blocks of a job that lie one behind the other.
    fn piece(&self, parts: &[Part<'_>], job: &Job) -> (*const u8, usize) {
        let block = D::BLOCK_BYTES;
        let buffer = &self.buffers[job.slot * BUFFER_BLOCKS * block..][..BUFFER_BLOCKS * block];
        let (start, blocks) = job.body;
        let bytes = if job.left > blocks + job.tail {
            &buffer[..block]
        } else if job.left > job.tail {
            let done = blocks + job.tail - job.left;
            &parts[job.part].bytes[start + done * block..start + blocks * block]
        } else {
            &buffer[(1 + job.tail - job.left) * block..(1 + job.tail) * block]
        };
        (bytes.as_ptr(), bytes.len() / block)
    }

    /// Puts the words of a job's slot into a lane.
    fn sit_down(&mut self, job: &Job, lane: usize, lanes: usize) {
        let words = &mut self.words[job.slot * D::WORDS..][..D::WORDS];
        if D::LAST_DIFFERS && job.left == job.tail {
            D::close(words, self.slots[job.slot].length);
        }
        for (word, &own) in words.iter().enumerate() {
            self.columns.0[word * lanes + lane] = own;
        }
    }

    /// Takes the words of a job's slot out of a lane.
    fn stand_up(&mut self, job: &Job, lane: usize, lanes: usize) {
        let words = &mut self.words[job.slot * D::WORDS..][..D::WORDS];
        for (word, own) in words.iter_mut().enumerate() {
            *own = self.columns.0[word * lanes + lane];
        }
    }

    /// Writes the words of the message in `slot`, as much of them as `digest` has room for; the slot is fresh afterwards.
    pub(crate) fn finish(&mut self, slot: usize, digest: &mut [u8]) {
        if !self.slots[slot].closed {
            self.advance(&[Part { slot, bytes: &[], last: true }]);
        }
        let words = &self.words[slot * D::WORDS..][..D::WORDS];
        for (room, word) in digest.chunks_mut(size_of::<D::Word>()).zip(words) {
            word.write(room, D::BIG_ENDIAN);
        }
        self.forget(slot);
    }

    /// What the message in `slot` needs to go on elsewhere. `None` if it has ended.
    pub(crate) fn save(&self, slot: usize) -> Option<Midstate> {
        let Slot { length, begun, closed, .. } = self.slots[slot];
        let words = &self.words[slot * D::WORDS..][..D::SAVED_WORDS];
        let mut chaining = vec![0; size_of_val(words)];
        for (room, word) in chaining.chunks_mut(size_of::<D::Word>()).zip(words) {
            word.write(room, false);
        }
        let pending = self.buffers[slot * BUFFER_BLOCKS * D::BLOCK_BYTES..][..begun].to_vec();
        (!closed).then_some(Midstate { length, chaining, pending })
    }

    /// Puts a message that was saved into `slot`. False, and the slot is fresh, if none of this design can be so.
    pub(crate) fn restore(&mut self, slot: usize, saved: &Midstate) -> bool {
        self.forget(slot);
        let Midstate { length, chaining, pending } = saved;
        let words: Option<Vec<D::Word>> = chaining.chunks(size_of::<D::Word>()).map(D::Word::read).collect();
        let Some(words) = words.filter(|words| words.len() == D::SAVED_WORDS) else { return false };
        let begun = match D::LAST_DIFFERS {
            // A full block is held back.
            true => length.checked_sub(1).map_or(0, |last| last % D::BLOCK_BYTES as u64 + 1),
            false => length % D::BLOCK_BYTES as u64,
        };
        if pending.len() as u64 != begun || *length > Midstate::MOST_LENGTH {
            return false;
        }
        let own = &mut self.words[slot * D::WORDS..][..D::WORDS];
        own[..D::SAVED_WORDS].copy_from_slice(&words);
        D::reopen(own, length - begun);
        self.buffers[slot * BUFFER_BLOCKS * D::BLOCK_BYTES..][..pending.len()].copy_from_slice(pending);
        self.slots[slot] = Slot { length: *length, begun: pending.len(), ..Slot::default() };
        true
    }

    /// Makes a slot fresh.
    pub(crate) fn forget(&mut self, slot: usize) {
        self.slots[slot] = Slot::default();
        self.words[slot * D::WORDS..][..D::WORDS].copy_from_slice(self.initial);
    }
}
