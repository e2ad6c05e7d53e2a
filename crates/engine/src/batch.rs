//! What was read of several files and is to be digested together: the more files side by side, the fuller the lanes.

use std::cmp::Reverse;
use std::sync::Arc;

use hashlane_digest::{Algorithm, BackendChoice, Digest, LaneSet, Occupancy, Part};
use hashlane_io::{Block, cache_share_bytes};

use crate::entry::AlgorithmSet;

/// Bytes that wait at most where the system does not tell how large the caches are.
const BATCH_BYTES: usize = 512 << 10;

/// Bounds for it: a short piece for each lane of the widest kernel, and what long reads gain nothing beyond.
const BATCH_BOUNDS: (usize, usize) = (48 * SHORTEST_PIECE_BYTES, 4 << 20);

/// Bytes of one file at a time, at most and at least: few enough for all lanes to have some, enough for a read to pay.
pub(crate) const LONGEST_PIECE_BYTES: usize = 128 << 10;
const SHORTEST_PIECE_BYTES: usize = 16 << 10;

/// How the algorithms of a file are served. Found out once for each file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Served {
    /// How many files side by side are digested fastest; 1 if none of the algorithms gains from company.
    pub(crate) width: usize,
    /// Bytes to read of a file at a time, so that as many files as are digested fastest fit into a batch. A power of two: the
    /// last piece of a file whose size is a multiple of one is as long as the others, and leaves no lane empty.
    pub(crate) piece_bytes: usize,
    /// The lane sets of a batch that compute them: a bit for each.
    sets: u64,
}

/// The next bytes of the file in a slot.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) slot: usize,
    served: Served,
    pub(crate) block: Block,
    /// The file ends with them.
    pub(crate) last: bool,
    /// Bytes of them that were digested already.
    digested: usize,
}

impl Piece {
    pub(crate) fn new(slot: usize, served: Served, block: Block, last: bool) -> Self {
        Self { slot, served, block, last, digested: 0 }
    }

    /// What is still to be digested.
    fn rest(&self) -> &[u8] {
        &self.block.bytes()[self.digested..]
    }

    /// The first bytes of the rest, and whether the file ends with them.
    fn part(&self, most: usize) -> Part<'_> {
        let rest = self.rest();
        Part { slot: self.slot, bytes: &rest[..rest.len().min(most)], last: self.last && rest.len() <= most }
    }
}

/// The states of all files in slots, and the pieces that wait to be digested.
#[derive(Debug)]
pub(crate) struct Batch {
    slots: usize,
    backend: BackendChoice,
    lanes: Vec<LaneSet>,
    /// The algorithms asked for last and how they are served: mostly those of the next file.
    asked: Option<(AlgorithmSet, Served)>,
    pieces: Vec<Piece>,
    bytes: usize,
    /// Bytes from which on what waits is digested: a piece for each lane, of the widest of the algorithms that wait.
    full_bytes: usize,
    /// The width of that algorithm.
    widest: usize,
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
            asked: None,
            pieces: Vec::with_capacity(slots),
            bytes: 0,
            full_bytes: 0,
            widest: 0,
            reads_direct,
            most_bytes,
        }
    }

    /// How these algorithms are served.
    pub(crate) fn served(&mut self, algorithms: &AlgorithmSet) -> Served {
        match &self.asked {
            Some((asked, served)) if Arc::ptr_eq(asked, algorithms) => return *served,
            _ => {}
        }
        let (mut width, mut sets) = (1, 0);
        for &algorithm in algorithms.iter() {
            let index = self.set(algorithm);
            width = width.max(self.lanes[index].width());
            sets |= 1 << index;
        }
        let served = Served { width, piece_bytes: self.piece_bytes(width), sets };
        self.asked = Some((AlgorithmSet::clone(algorithms), served));
        served
    }

    fn piece_bytes(&self, width: usize) -> usize {
        if self.reads_direct {
            return LONGEST_PIECE_BYTES;
        }
        let share = self.most_bytes / width;
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
        let Served { width, piece_bytes, .. } = piece.served;
        self.widest = self.widest.max(width);
        self.bytes += piece.rest().len();
        self.full_bytes = self.full_bytes.max(width * piece_bytes);
        self.pieces.push(piece);
    }

    /// Digests what waits, for each algorithm while the bytes are in the cache, and puts the pieces that are done with into
    /// `digested`. If more is to come, what is long is digested only as far as all lanes have something, and its rest waits
    /// for the company of that.
    pub(crate) fn digest(&mut self, more_to_come: bool, digested: &mut Vec<Piece>) {
        let rests = self.pieces.iter().map(|piece| piece.rest().len());
        let most = if more_to_come { even_bytes(rests, self.widest) } else { usize::MAX };
        for (index, lanes) in self.lanes.iter_mut().enumerate() {
            let wanted = self.pieces.iter().filter(|piece| piece.served.sets & 1 << index != 0);
            let parts: Vec<_> = wanted.map(|piece| piece.part(most)).collect();
            if !parts.is_empty() {
                lanes.advance(&parts);
            }
        }
        (self.bytes, self.full_bytes, self.widest) = (0, 0, 0);
        self.pieces.iter_mut().for_each(|piece| piece.digested += piece.rest().len().min(most));
        digested.extend(self.pieces.extract_if(.., |piece| piece.rest().is_empty()));
        for piece in self.pieces.split_off(0) {
            self.add(piece);
        }
    }

    /// The digests of the file in a slot, in the order of the algorithms; the slot is fresh afterwards.
    pub(crate) fn finish(&mut self, slot: usize, algorithms: &AlgorithmSet) -> Vec<Digest> {
        let mut digests: Vec<Digest> = Vec::with_capacity(algorithms.len());
        for (index, &algorithm) in algorithms.iter().enumerate() {
            // One that is asked for twice has one state.
            let earlier = algorithms[..index].iter().position(|&other| other == algorithm);
            digests.push(match earlier {
                Some(earlier) => digests[earlier],
                None => {
                    let set = self.set(algorithm);
                    self.lanes[set].finish(slot)
                }
            });
        }
        digests
    }

    /// Forgets the file in a slot.
    pub(crate) fn forget(&mut self, slot: usize) {
        self.lanes.iter_mut().for_each(|lanes| lanes.forget(slot));
    }

    /// The index of the lane set of an algorithm.
    fn set(&mut self, algorithm: Algorithm) -> usize {
        self.lanes.iter().position(|lanes| lanes.algorithm() == algorithm).unwrap_or_else(|| {
            assert!(self.lanes.len() < u64::BITS as usize, "there are fewer algorithms");
            self.lanes.push(LaneSet::by(algorithm, self.slots, &self.backend));
            self.lanes.len() - 1
        })
    }
}

/// Bytes that may be digested of each message so that none is left alone in the lanes at the end: what the shorter ones have,
/// spread evenly over the lanes that the longer ones leave them. No limit where there are fewer than lanes.
fn even_bytes(lengths: impl Iterator<Item = usize>, lanes: usize) -> usize {
    /// A multiple of the block lengths of all algorithms.
    const BLOCKS_BYTES: usize = 128;
    let mut lengths: Vec<_> = lengths.filter(|&length| length > 0).collect();
    lengths.sort_unstable_by_key(|&length| Reverse(length));
    let mut shorter_bytes: usize = lengths.iter().sum();
    for (longer, &length) in lengths.iter().take(lanes).enumerate() {
        let even = shorter_bytes / (lanes - longer);
        if even >= length {
            return if longer == 0 { usize::MAX } else { even.next_multiple_of(BLOCKS_BYTES) };
        }
        shorter_bytes -= length;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_lane_runs_dry_before_the_others(lengths in prop::collection::vec(0..100_000usize, 0..100), lanes in 1..50usize) {
            let most = even_bytes(lengths.iter().copied(), lanes);
            let taken: Vec<_> = lengths.iter().map(|&length| length.min(most)).collect();
            let there = taken.iter().filter(|&&taken| taken > 0).count();
            prop_assert_eq!(there, lengths.iter().filter(|&&length| length > 0).count(), "each goes on");
            let longest = taken.iter().max().copied().unwrap_or(0);
            let total: usize = taken.iter().sum();
            if there >= lanes {
                prop_assert!(total + lanes * 128 >= lanes * longest, "full but for the blocks of the last step");
            } else {
                prop_assert_eq!(taken, lengths, "they cannot be full");
            }
        }

        #[test]
        fn nothing_waits_that_has_company(lengths in prop::collection::vec(1..100_000usize, 1..100), lanes in 1..50usize) {
            let most = even_bytes(lengths.iter().copied(), lanes);
            // A little more of each, and a lane would be without.
            let more = most.saturating_add(1);
            let total: usize = lengths.iter().map(|&length| length.min(more)).sum();
            prop_assert!(most == usize::MAX || total < lanes * more);
        }
    }

    #[test]
    fn the_rest_of_a_long_piece_waits_for_the_company_of_the_next() {
        let algorithm = Algorithm::MD5;
        let algorithms: AlgorithmSet = [algorithm].into();
        let content = |slot: usize, length: usize| -> Vec<u8> {
            (0..length).map(|offset| (offset * 7 + slot) as u8).collect()
        };
        let mut batch = Batch::new(512, BackendChoice::Auto, false);
        let served = batch.served(&algorithms);
        let width = served.width;
        // Many short ones for each lane, then a long one.
        let short = 8 * width;
        let lengths = |slot| if slot == short { LONGEST_PIECE_BYTES } else { 1000 };
        for slot in 0..=short {
            let mut block = Block::new(LONGEST_PIECE_BYTES);
            block.room()[..lengths(slot)].copy_from_slice(&content(slot, lengths(slot)));
            block.advance(lengths(slot));
            batch.add(Piece::new(slot, served, block, true));
        }
        let mut digested = Vec::new();
        batch.digest(true, &mut digested);
        if width == 1 {
            assert!(batch.is_empty(), "one lane is always full");
        } else {
            assert_eq!((digested.len(), batch.pieces.len()), (short, 1));
            assert!(batch.bytes > LONGEST_PIECE_BYTES / 2, "{} bytes wait", batch.bytes);
            let lanes = batch.occupancy();
            assert!(lanes.bytes * 10 >= lanes.room_bytes * 8, "{lanes:?}: the long one left lanes empty");
            batch.digest(false, &mut digested);
            assert!(batch.is_empty());
        }
        for piece in digested {
            let bytes = content(piece.slot, lengths(piece.slot));
            assert_eq!(batch.finish(piece.slot, &algorithms), [algorithm.digest(&bytes)]);
        }
    }
}
