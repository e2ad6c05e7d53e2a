//! What was read of several files and is to be digested together: the more files side by side, the fuller the lanes.

use std::sync::Arc;

use hashlane_digest::{Algorithm, BackendChoice, Digest, LaneSet, Occupancy, Part};
use hashlane_io::{Block, OpenFile, cache_share_bytes};

use crate::entry::AlgorithmSet;

/// Bytes that wait at most where the system does not tell how large the caches are.
const BATCH_BYTES: usize = 512 << 10;

/// Bounds for it: a short piece for each lane of the widest kernel, and what long reads gain nothing beyond.
const BATCH_BOUNDS: (usize, usize) = (48 * SHORTEST_PIECE_BYTES, 4 << 20);

/// Bytes of one file at a time, at most and at least: few enough for all lanes to have some, enough for a read to pay.
pub(crate) const LONGEST_PIECE_BYTES: usize = 128 << 10;
const SHORTEST_PIECE_BYTES: usize = 16 << 10;

/// The next bytes of the file in a slot.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) slot: usize,
    pub(crate) file: Arc<OpenFile>,
    pub(crate) algorithms: AlgorithmSet,
    pub(crate) block: Block,
    /// The file ends with them.
    pub(crate) last: bool,
}

/// The states of all files in slots, and the pieces that wait to be digested.
#[derive(Debug)]
pub(crate) struct Batch {
    slots: usize,
    backend: BackendChoice,
    lanes: Vec<LaneSet>,
    pieces: Vec<Piece>,
    bytes: usize,
    /// Bytes from which on what waits is digested: a piece for each lane, of the widest of the algorithms that wait.
    full_bytes: usize,
    /// Files are read past the page cache, where nobody reads ahead: the longer the pieces the better.
    reads_direct: bool,
    /// Bytes that pieces through the page cache have at most, one for each lane: half of what this thread has of the second- or
    /// third-level cache, so that they are still there when they are digested. The third level is as good: a few long reads
    /// cost less than many that stay nearer (decision 0012).
    most_bytes: usize,
}

impl Batch {
    pub(crate) fn new(slots: usize, backend: BackendChoice, reads_direct: bool) -> Self {
        let (least, most) = BATCH_BOUNDS;
        let half = cache_share_bytes().map_or(BATCH_BYTES, |bytes| bytes / 2);
        let most_bytes = half.clamp(least, most);
        Self {
            slots,
            backend,
            lanes: Vec::new(),
            pieces: Vec::with_capacity(slots),
            bytes: 0,
            full_bytes: 0,
            reads_direct,
            most_bytes,
        }
    }

    /// How many files side by side are digested fastest for these algorithms; 1 if none of them gains from company.
    pub(crate) fn width(&mut self, algorithms: &AlgorithmSet) -> usize {
        algorithms.iter().map(|&algorithm| self.lanes(algorithm).width()).max().unwrap_or(1)
    }

    /// Bytes to read of a file at a time, so that as many files as are digested fastest fit into a batch. A power of two: the
    /// last piece of a file whose size is a multiple of one is as long as the others, and leaves no lane empty.
    pub(crate) fn piece_bytes(&mut self, algorithms: &AlgorithmSet) -> usize {
        if self.reads_direct {
            return LONGEST_PIECE_BYTES;
        }
        let share = self.most_bytes / self.width(algorithms);
        (1 << share.ilog2()).clamp(SHORTEST_PIECE_BYTES, LONGEST_PIECE_BYTES)
    }

    /// How full the lanes of all algorithms were.
    pub(crate) fn occupancy(&self) -> Occupancy {
        let mut all = Occupancy::default();
        self.lanes.iter().for_each(|lanes| all += lanes.occupancy());
        all
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether what waits is to be digested before more is read.
    pub(crate) fn is_full(&self) -> bool {
        !self.pieces.is_empty() && self.bytes >= self.full_bytes
    }

    pub(crate) fn add(&mut self, piece: Piece) {
        self.bytes += piece.block.len();
        self.full_bytes =
            self.full_bytes.max(self.width(&piece.algorithms) * self.piece_bytes(&piece.algorithms));
        self.pieces.push(piece);
    }

    /// Digests all that waits, for each algorithm while the bytes are in the cache, and puts the pieces into `digested`.
    pub(crate) fn digest(&mut self, digested: &mut Vec<Piece>) {
        for lanes in &mut self.lanes {
            let wanted = self.pieces.iter().filter(|piece| piece.algorithms.contains(&lanes.algorithm()));
            let parts: Vec<_> = wanted
                .map(|piece| Part { slot: piece.slot, bytes: piece.block.bytes(), last: piece.last })
                .collect();
            if !parts.is_empty() {
                lanes.advance(&parts);
            }
        }
        (self.bytes, self.full_bytes) = (0, 0);
        digested.append(&mut self.pieces);
    }

    /// The digests of the file in a slot, in the order of the algorithms; the slot is fresh afterwards.
    pub(crate) fn finish(&mut self, slot: usize, algorithms: &AlgorithmSet) -> Vec<Digest> {
        let mut digests: Vec<Digest> = Vec::with_capacity(algorithms.len());
        for (index, &algorithm) in algorithms.iter().enumerate() {
            // One that is asked for twice has one state.
            let earlier = algorithms[..index].iter().position(|&other| other == algorithm);
            digests.push(match earlier {
                Some(earlier) => digests[earlier],
                None => self.lanes(algorithm).finish(slot),
            });
        }
        digests
    }

    /// Forgets the file in a slot.
    pub(crate) fn forget(&mut self, slot: usize) {
        self.lanes.iter_mut().for_each(|lanes| lanes.forget(slot));
    }

    fn lanes(&mut self, algorithm: Algorithm) -> &mut LaneSet {
        let index = match self.lanes.iter().position(|lanes| lanes.algorithm() == algorithm) {
            Some(index) => index,
            None => {
                self.lanes.push(LaneSet::by(algorithm, self.slots, &self.backend));
                self.lanes.len() - 1
            }
        };
        &mut self.lanes[index]
    }
}
