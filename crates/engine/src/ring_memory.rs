//! The memory that the rings of all big files in work share.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a part of a tree hash: a window large enough that mapping it costs nothing, small enough for memory.
pub(crate) const PART_BYTES: usize = 4 << 20;

/// Bytes for all rings, unless there are so many workers that some would go without a part.
const RINGS_BYTES: usize = 24 << 20;

/// Bytes that rings may hold, and do hold. Counts only; the memory is with whoever took it.
#[derive(Debug)]
pub(crate) struct RingMemory {
    most_bytes: usize,
    held_bytes: AtomicUsize,
}

impl RingMemory {
    /// Enough for every worker to have a part in its hands, if `most_bytes` are.
    pub(crate) fn for_workers(workers: usize, most_bytes: usize) -> Self {
        Self { most_bytes: Self::wanted(workers).min(most_bytes), held_bytes: AtomicUsize::new(0) }
    }

    /// Bytes with which every worker has a part in its hands.
    pub(crate) fn wanted(workers: usize) -> usize {
        RINGS_BYTES.max(workers * PART_BYTES)
    }

    /// Takes some bytes; false if there are too few left, and they are not to be had `anyway`.
    pub(crate) fn take(&self, bytes: usize, anyway: bool) -> bool {
        let more = |held: usize| {
            let held = held + bytes;
            (anyway || held <= self.most_bytes).then_some(held)
        };
        self.held_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Gives bytes back that were taken.
    pub(crate) fn give(&self, bytes: usize) {
        self.held_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Whether this many are left.
    pub(crate) fn has(&self, bytes: usize) -> bool {
        self.held_bytes.load(Ordering::Relaxed) + bytes <= self.most_bytes
    }
}
