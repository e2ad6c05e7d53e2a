//! What the parts of a run may take where its memory is limited.

use hashlane_io::BLOCK_ALIGNMENT;

use crate::batch::LONGEST_PIECE_BYTES;
use crate::local_files::READERS;
use crate::ring_memory::RingMemory;
use crate::walk::Memory;

/// What a worker takes beside its slots: its stack, its large block, and the piece that each of its big files has in any case.
const WORKER_BYTES: usize = 6 << 20;

/// What a reader takes: its stack, and what it allocates.
const READER_BYTES: usize = 256 << 10;

/// The block of a slot.
const SLOT_BYTES: usize = LONGEST_PIECE_BYTES + BLOCK_ALIGNMENT;

/// Bounds for the parts of a run; none of them is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryShares {
    /// Workers, at most.
    pub(crate) workers: usize,
    /// Slots of all workers together.
    pub(crate) slots: usize,
    /// Bytes for the rings of all big files, beside their first pieces.
    pub(crate) rings_bytes: usize,
    /// Bytes for names, and as many for records that wait.
    pub(crate) walk_bytes: usize,
    /// Threads of each pool of readers.
    pub(crate) readers: usize,
}

impl MemoryShares {
    /// A budget large enough that a quarter of it suffices for each part of a run without limits.
    pub(crate) fn wanted(workers: usize, slots: usize, memory: Memory) -> usize {
        let parts = [
            workers * WORKER_BYTES,
            slots * SLOT_BYTES,
            RingMemory::wanted(workers),
            READERS * 2 * READER_BYTES,
            memory.names_bytes,
            memory.records_bytes,
        ];
        parts.into_iter().max().unwrap_or(0).saturating_mul(4)
    }

    /// A quarter each: for workers, slots, rings and readers.
    pub(crate) fn of(budget: Option<usize>) -> Self {
        let quarter = budget.map_or(usize::MAX, |bytes| bytes / 4);
        Self {
            workers: (quarter / WORKER_BYTES).max(1),
            slots: (quarter / SLOT_BYTES).max(1),
            rings_bytes: quarter,
            walk_bytes: quarter,
            readers: (quarter / (2 * READER_BYTES)).max(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_little_gets_by_and_no_limit_is_none() {
        let of = |bytes| MemoryShares::of(Some(bytes));
        let least = MemoryShares { workers: 1, slots: 1, rings_bytes: 0, walk_bytes: 0, readers: 2 };
        assert_eq!(of(0), least);
        let MemoryShares { workers, slots, rings_bytes, walk_bytes: _, readers } = of(64 << 20);
        assert!(workers == 2 && slots > 96 && rings_bytes == 16 << 20 && readers == 32);
        // A machine of 64 cores.
        assert!(MemoryShares::of(None).workers > 64 && MemoryShares::of(None).slots > 2048);
    }

    #[test]
    fn who_gets_what_it_wants_lacks_nothing() {
        let memory = Memory { names_bytes: 16 << 20, records_bytes: 12 << 20 };
        for workers in [1, 2, 8, 256] {
            let slots = 96 * workers;
            let shares = MemoryShares::of(Some(MemoryShares::wanted(workers, slots, memory)));
            assert!(shares.workers >= workers && shares.slots >= slots && shares.readers >= READERS);
            assert!(shares.rings_bytes >= RingMemory::wanted(workers) && shares.walk_bytes >= 16 << 20);
        }
    }
}
