//! A message hashed in parts, by any number of threads: for BLAKE3, whose chunks are the leaves of a tree.
//!
//! Owns the shape of the tree above the parts. Cutting a file, reading it and handing parts to threads are the caller's;
//! what happens inside a part is the library's.
//!
//! Shapes: a part length is a power of two and at least [`MIN_PART_LENGTH`]. Part *i* of a message begins at *i* part
//! lengths; only the last part may be shorter. The parts of one message are then complete subtrees, but for the last one,
//! which is the right edge (BLAKE3 paper, section 2.1).
//!
//! ```
//! use hashlane_digest::{Algorithm, tree::{TreeHasher, part}};
//!
//! let message = vec![7; 300_000];
//! let mut whole = TreeHasher::new(65_536);
//! std::thread::scope(|scope| {
//!     let parts = message.chunks(65_536).zip(0..);
//!     let parts = parts.map(|(bytes, number)| scope.spawn(move || part(number * 65_536, bytes)));
//!     let parts: Vec<_> = parts.collect();
//!     parts.into_iter().for_each(|part| whole.push(&part.join().unwrap()));
//! });
//! assert_eq!(whole.finish(), Algorithm::named("blake3").unwrap().digest(&message));
//! ```

use blake3::hazmat::{
    ChainingValue, HasherExt, Mode, max_subtree_len, merge_subtrees_non_root, merge_subtrees_root,
};

use crate::algorithm::Algorithm;
use crate::value::Digest;

/// The shortest part length, in bytes: one chunk of BLAKE3. Below about 64 KiB a part does not fill the SIMD lanes.
pub const MIN_PART_LENGTH: usize = blake3::CHUNK_LEN;

/// The registered name of the one algorithm that has a tree.
pub(crate) const ALGORITHM_NAME: &str = "blake3";

/// A message of 2^64 bytes has 2^54 chunks: so many subtrees can wait for their right sibling, and the newest part beside.
const MAX_DEPTH: usize = 54 + 1;

/// What is left of a part of a message once it is hashed.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    offset: u64,
    length: u64,
    /// Of no use where the part is empty.
    chaining_value: ChainingValue,
    /// The digest if this part is the whole message, which is known only later. Of no use where `offset` is not 0.
    alone: blake3::Hash,
}

/// Hashes the `bytes` that begin `offset` bytes into the message. Depends on nothing else, so parts can be hashed in any
/// order by any thread.
///
/// # Panics
/// The offset is no multiple of [`MIN_PART_LENGTH`], or there are more bytes than the tree allows at this offset (the
/// largest power of two that divides it), or none although the offset is not 0.
pub fn part(offset: u64, bytes: &[u8]) -> Part {
    let length = bytes.len() as u64;
    assert!(
        offset.is_multiple_of(MIN_PART_LENGTH as u64),
        "a part begins at a multiple of {MIN_PART_LENGTH} bytes, not at {offset}"
    );
    let limit = max_subtree_len(offset).unwrap_or(u64::MAX);
    assert!(length <= limit, "a part at offset {offset} has at most {limit} bytes, not {length}");
    assert!(length > 0 || offset == 0, "the part at offset {offset} is empty");

    let mut hasher = blake3::Hasher::new();
    hasher.set_input_offset(offset);
    hasher.update(bytes);
    Part {
        offset,
        length,
        chaining_value: if length > 0 { hasher.finalize_non_root() } else { [0; blake3::OUT_LEN] },
        alone: if offset == 0 { hasher.finalize() } else { blake3::Hash::from_bytes([0; blake3::OUT_LEN]) },
    }
}

/// Puts the parts of a message together. After [`TreeHasher::finish`] it is fresh again.
///
/// Invariants: `waiting` holds roots of complete subtrees whose sizes fall from left to right, and the newest part, which
/// is merged only when another one follows, since the topmost merge is of another kind. `length` is the sum of the parts.
#[derive(Debug)]
pub struct TreeHasher {
    algorithm: Algorithm,
    part_length: u64,
    length: u64,
    alone: blake3::Hash,
    waiting: Vec<ChainingValue>,
}

impl TreeHasher {
    /// A hasher for messages that come in parts of `part_length` bytes.
    ///
    /// # Panics
    /// The part length is no power of two or less than [`MIN_PART_LENGTH`].
    pub fn new(part_length: usize) -> Self {
        assert!(
            part_length.is_power_of_two() && part_length >= MIN_PART_LENGTH,
            "a part length is a power of two and at least {MIN_PART_LENGTH}, not {part_length}"
        );
        Self {
            algorithm: Algorithm::named(ALGORITHM_NAME).expect("it is registered"),
            part_length: part_length as u64,
            length: 0,
            alone: blake3::hash(b""),
            waiting: Vec::with_capacity(MAX_DEPTH),
        }
    }

    /// Takes in the next part. Allocates nothing. An empty part, which only an empty message has, changes nothing.
    ///
    /// # Panics
    /// The part does not begin where the last one ended, is longer than the part length, or follows a shorter one.
    pub fn push(&mut self, part: &Part) {
        let Self { part_length, length, .. } = *self;
        assert!(part.offset == length, "a part at offset {} follows {length} bytes", part.offset);
        assert!(part.length <= part_length, "a part of {} bytes, where {part_length} is most", part.length);
        assert!(length.is_multiple_of(part_length), "a part follows the last one, which ends at {length}");
        if part.length == 0 {
            return;
        }
        if length == 0 {
            self.alone = part.alone;
        }
        // Of n parts, the complete subtrees are as many as n has bits set.
        let complete = (length / part_length).count_ones() as usize;
        while self.waiting.len() > complete {
            self.merge_last_two();
        }
        self.waiting.push(part.chaining_value);
        self.length += part.length;
    }

    /// The digest of all parts since the last one; of the empty message if there were none. The hasher is fresh afterwards.
    pub fn finish(&mut self) -> Digest {
        while self.waiting.len() > 2 {
            self.merge_last_two();
        }
        let root = match self.waiting[..] {
            [left, right] => merge_subtrees_root(&left, &right, Mode::Hash),
            _ => self.alone,
        };
        self.reset();
        Digest::new(self.algorithm, root.as_bytes()).expect("the root has the algorithm's length")
    }

    /// Forgets all parts since the last digest; the hasher is fresh afterwards.
    pub fn reset(&mut self) {
        self.length = 0;
        self.alone = blake3::hash(b"");
        self.waiting.clear();
    }

    fn merge_last_two(&mut self) {
        if let [.., left, right] = self.waiting[..] {
            self.waiting.pop();
            *self.waiting.last_mut().expect("two were there") =
                merge_subtrees_non_root(&left, &right, Mode::Hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(length: usize) -> Vec<u8> {
        (0..length).map(|index| (index % 251) as u8).collect()
    }

    fn in_parts(message: &[u8], part_length: usize) -> Digest {
        let mut tree = TreeHasher::new(part_length);
        for (number, bytes) in message.chunks(part_length).enumerate() {
            tree.push(&part((number * part_length) as u64, bytes));
        }
        tree.finish()
    }

    fn assert_same_as_in_one(message: &[u8], part_length: usize) {
        let expected = blake3::hash(message);
        assert_eq!(
            in_parts(message, part_length).as_bytes(),
            expected.as_bytes(),
            "{} bytes in parts of {part_length}",
            message.len()
        );
    }

    #[test]
    fn lengths_round_every_chunk_and_part_edge_give_the_digest_of_the_whole() {
        let message = message(20 * 4096 + 2);
        for part_length in [1024_usize, 2048, 4096] {
            for edge in (0..=20 * part_length).step_by(1024) {
                for length in edge.saturating_sub(1)..=edge + 1 {
                    assert_same_as_in_one(&message[..length], part_length);
                }
            }
        }
    }

    #[test]
    fn an_empty_message_needs_no_part_and_allows_one() {
        let mut tree = TreeHasher::new(1024);
        assert_eq!(tree.finish().as_bytes(), blake3::hash(b"").as_bytes());
        tree.push(&part(0, b""));
        assert_eq!(tree.finish().as_bytes(), blake3::hash(b"").as_bytes());
    }

    #[test]
    fn a_tree_hasher_is_fresh_after_finish_and_after_reset() {
        let message = message(5000);
        let mut tree = TreeHasher::new(2048);
        for _ in 0..2 {
            tree.push(&part(0, &message[..2048]));
            tree.push(&part(2048, &message[2048..4096]));
            tree.reset();
            for (number, bytes) in message.chunks(2048).enumerate() {
                tree.push(&part(2048 * number as u64, bytes));
            }
            assert_eq!(tree.finish().as_bytes(), blake3::hash(&message).as_bytes());
        }
        assert_eq!(tree.finish().as_bytes(), blake3::hash(b"").as_bytes());
    }

    #[test]
    fn only_the_algorithm_that_the_tree_computes_has_a_tree() {
        let with_tree: Vec<_> = Algorithm::all().filter(|algorithm| algorithm.has_tree()).collect();
        assert_eq!(with_tree, [TreeHasher::new(1024).finish().algorithm()]);
    }

    #[test]
    #[should_panic(expected = "a part length is a power of two and at least 1024, not 3072")]
    fn a_part_length_that_is_no_power_of_two_is_refused() {
        TreeHasher::new(3072);
    }

    #[test]
    #[should_panic(expected = "a part begins at a multiple of 1024 bytes, not at 1000")]
    fn a_part_inside_a_chunk_is_refused() {
        part(1000, b"x");
    }

    #[test]
    #[should_panic(expected = "a part at offset 1024 has at most 1024 bytes, not 1025")]
    fn a_part_that_is_no_subtree_is_refused() {
        part(1024, &[0; 1025]);
    }

    #[test]
    #[should_panic(expected = "the part at offset 2048 is empty")]
    fn an_empty_part_behind_others_is_refused() {
        part(2048, b"");
    }

    #[test]
    #[should_panic(expected = "a part at offset 2048 follows 1024 bytes")]
    fn a_gap_between_parts_is_refused() {
        let mut tree = TreeHasher::new(1024);
        tree.push(&part(0, &[0; 1024]));
        tree.push(&part(2048, b"x"));
    }

    #[test]
    #[should_panic(expected = "a part of 2048 bytes, where 1024 is most")]
    fn a_part_longer_than_the_part_length_is_refused() {
        TreeHasher::new(1024).push(&part(0, &[0; 2048]));
    }

    #[test]
    #[should_panic(expected = "a part follows the last one, which ends at 1024")]
    fn a_part_behind_a_short_one_is_refused() {
        let mut tree = TreeHasher::new(2048);
        tree.push(&part(0, &[0; 1024]));
        tree.push(&part(1024, b"x"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_length_in_parts_of_any_length_gives_the_digest_of_the_whole(
            length in 0_usize..600_000,
            exponent in 10_u32..20,
        ) {
            assert_same_as_in_one(&message(length), 1 << exponent);
        }
    }
}
