//! What the parts of a run may take where its memory is limited.

use hashlane_io::BLOCK_ALIGNMENT;

use crate::batch::LONGEST_PIECE_BYTES;

/// What a worker takes beside its slots: its stack, its large block, and the piece that each of its big files has in any case.
const WORKER_BYTES: usize = 6 << 20;

/// What a reader takes: its stack, and what it allocates.
const READER_BYTES: usize = 256 << 10;

/// Bounds for the parts of a run; none of them is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryShares {
    /// Workers, at most.
    pub(crate) workers: usize,
    /// Slots of all workers together.
    pub(crate) slots: usize,
    /// Bytes for the rings of all big files, beside their first pieces.
    pub(crate) rings_bytes: usize,
    /// Threads of each pool of readers.
    pub(crate) readers: usize,
}

impl MemoryShares {
    /// A quarter each: for workers, slots, rings and readers.
    pub(crate) fn of(budget: Option<usize>) -> Self {
        let quarter = budget.map_or(usize::MAX, |bytes| bytes / 4);
        Self {
            workers: (quarter / WORKER_BYTES).max(1),
            slots: (quarter / (LONGEST_PIECE_BYTES + BLOCK_ALIGNMENT)).max(1),
            rings_bytes: quarter,
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
        let least = MemoryShares { workers: 1, slots: 1, rings_bytes: 0, readers: 2 };
        assert_eq!(of(0), least);
        let MemoryShares { workers, slots, rings_bytes, readers } = of(64 << 20);
        assert!(workers == 2 && slots > 96 && rings_bytes == 16 << 20 && readers == 32);
        // A machine of 64 cores.
        assert!(MemoryShares::of(None).workers > 64 && MemoryShares::of(None).slots > 2048);
    }
}
