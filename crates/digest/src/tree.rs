//! A message hashed in parts, by any number of threads: for BLAKE3, whose chunks are the leaves of a tree.
//!
//! Owns the shape of the tree above the parts. Cutting a file, reading it and handing parts to threads are the caller's;
//! what happens inside a part is the library's.
//!
//! Shapes: a part length is a power of two and at least [`MIN_PART_LENGTH`]. Subtree *i* of a message begins at *i* part
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
//! assert_eq!(whole.finish(), Algorithm::BLAKE3.digest(&message));
//! ```

use blake3::hazmat::{
    ChainingValue, HasherExt, Mode, left_subtree_len, max_subtree_len, merge_subtrees_non_root,
    merge_subtrees_root,
};

use hashlane_lanes::Midstate;

use crate::algorithm::{Algorithm, TREE};
use crate::value::Digest;

/// The shortest part length, in bytes: one chunk of BLAKE3. Below about 64 KiB a part does not fill the SIMD lanes.
pub const MIN_PART_LENGTH: usize = blake3::CHUNK_LEN;

/// A message can be put aside after each span of this many bytes: 64 MiB. Of what lies before such a place a few values of subtrees
/// are left, and no pending bytes.
pub const SAVED_SPAN: u64 = 64 << 20;

/// A message of 2^64 bytes has 2^54 chunks: up to 54 subtrees can wait for their right sibling, and the newest part beside.
const MAX_DEPTH: usize = 54 + 1;

/// What is left of a part of a message once it is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subtree {
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
/// The offset is not a multiple of [`MIN_PART_LENGTH`], or there are more bytes than the tree allows at this offset (the largest
/// power of two that divides it), or none although the offset is not 0.
pub fn part(offset: u64, bytes: &[u8]) -> Subtree {
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
    Subtree::of(&hasher, offset, length)
}

impl Subtree {
    /// What a hasher has taken in from `offset` on.
    fn of(hasher: &blake3::Hasher, offset: u64, length: u64) -> Self {
        let nothing = [0; blake3::OUT_LEN];
        Self {
            offset,
            length,
            chaining_value: if length > 0 { hasher.finalize_non_root() } else { nothing },
            alone: if offset == 0 { hasher.finalize() } else { nothing.into() },
        }
    }

    /// The bytes that it takes to keep one.
    pub const BYTES: usize = 2 * size_of::<u64>() + 2 * blake3::OUT_LEN;

    /// Joins parts that follow each other to the one that they are together. `None` if they are none: one is missing, or they begin or end
    /// where no subtree does. Parts of one length that is a power of two, but for the last one, can be joined from the beginning of a
    /// message on, and from each multiple of a larger power of two on up to the next.
    pub fn joined(parts: &[Self]) -> Option<Self> {
        let (first, rest) = parts.split_first()?;
        if rest.is_empty() {
            return Some(*first);
        }
        let last = parts.last()?;
        let end = last.offset.checked_add(last.length)?;
        let length = end.checked_sub(first.offset).filter(|&length| length > MIN_PART_LENGTH as u64)?;
        if max_subtree_len(first.offset).is_some_and(|limit| length > limit) {
            return None;
        }
        let middle = first.offset + left_subtree_len(length);
        let (left, right) = parts.split_at(parts.iter().position(|part| part.offset == middle)?);
        let (left, right) = (Self::joined(left)?, Self::joined(right)?);
        if left.length == 0 || left.offset + left.length != middle || right.length == 0 {
            return None;
        }
        let (ours, theirs) = (&left.chaining_value, &right.chaining_value);
        Some(Self {
            offset: first.offset,
            length,
            chaining_value: merge_subtrees_non_root(ours, theirs, Mode::Hash),
            alone: match first.offset {
                0 => merge_subtrees_root(ours, theirs, Mode::Hash),
                _ => [0; blake3::OUT_LEN].into(),
            },
        })
    }

    /// Where it begins in the message.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Its bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The digest of the message, if this part is all of it. `None` if it does not begin where the message does.
    pub fn digest(&self) -> Option<Digest> {
        let algorithm = Algorithm::named(TREE).expect("it is registered");
        (self.offset == 0).then(|| Digest::new(algorithm, self.alone.as_bytes()).expect("it has its length"))
    }

    /// The part as bytes, to be joined elsewhere.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let (numbers, values) = bytes.split_at_mut(16);
        numbers[..8].copy_from_slice(&self.offset.to_le_bytes());
        numbers[8..].copy_from_slice(&self.length.to_le_bytes());
        values[..blake3::OUT_LEN].copy_from_slice(&self.chaining_value);
        values[blake3::OUT_LEN..].copy_from_slice(self.alone.as_bytes());
        bytes
    }

    /// The part that [`Subtree::to_bytes`] made the bytes of.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| bytes[at + index]));
        let value = |at: usize| std::array::from_fn(|index| bytes[at + index]);
        Self {
            offset: number(0),
            length: number(8),
            chaining_value: value(16),
            alone: blake3::Hash::from_bytes(value(16 + blake3::OUT_LEN)),
        }
    }
}

/// Puts the parts of a message together. After [`TreeHasher::finish`] it is fresh again.
///
/// Invariants: `waiting` holds roots of complete subtrees whose sizes fall from left to right, and the newest part, which
/// is merged only when another one follows, since the topmost merge is of another kind. `length` is the sum of the parts.
#[derive(Clone, Debug)]
pub struct TreeHasher {
    pub(crate) algorithm: Algorithm,
    part_length: u64,
    length: u64,
    alone: blake3::Hash,
    waiting: Vec<ChainingValue>,
    span: u64,
    /// How it was after the last whole span.
    saved: Saved,
}

/// What is left of whole spans.
///
/// Invariant: of n spans, the values are the roots of the complete subtrees of the first n - 1, and that of the last one.
#[derive(Clone, Debug)]
struct Saved {
    length: u64,
    values: Vec<ChainingValue>,
    /// The digest of the first span as a message of its own.
    alone: blake3::Hash,
}

impl TreeHasher {
    /// A hasher for messages that come in parts of `part_length` bytes.
    ///
    /// # Panics
    /// The part length is not a power of two or is less than [`MIN_PART_LENGTH`].
    pub fn new(part_length: usize) -> Self {
        assert!(
            part_length.is_power_of_two() && part_length >= MIN_PART_LENGTH,
            "a part length is a power of two and at least {MIN_PART_LENGTH}, not {part_length}"
        );
        Self {
            algorithm: Algorithm::named(TREE).expect("it is registered"),
            part_length: part_length as u64,
            length: 0,
            alone: blake3::hash(b""),
            waiting: Vec::with_capacity(MAX_DEPTH),
            span: SAVED_SPAN,
            saved: Saved {
                length: 0,
                values: Vec::with_capacity(MAX_DEPTH),
                alone: blake3::Hash::from_bytes([0; blake3::OUT_LEN]),
            },
        }
    }

    pub(crate) fn midstate(&self) -> Midstate {
        let Saved { length, values, alone } = &self.saved;
        let mut chaining = values.concat();
        if *length == self.span {
            chaining.extend(alone.as_bytes());
        }
        Midstate { length: *length, chaining, pending: Vec::new() }
    }

    /// Goes on with a message that was put aside. False, and the hasher is fresh, if none can be so.
    pub(crate) fn restore(&mut self, saved: &Midstate) -> bool {
        self.reset();
        let Midstate { length, chaining, pending } = saved;
        let (values, rest) = chaining.as_chunks::<{ blake3::OUT_LEN }>();
        let spans = length / self.span;
        let is_whole = rest.is_empty() && pending.is_empty() && length.is_multiple_of(self.span);
        let count = match spans {
            0 => 0,
            // Its value as a part, and its digest.
            1 => 2,
            _ => (spans - 1).count_ones() as usize + 1,
        };
        if !is_whole || values.len() != count || *length > Midstate::MOST_LENGTH {
            return false;
        }
        let values = match values {
            [value, alone] if spans == 1 => {
                self.saved.alone = blake3::Hash::from_bytes(*alone);
                std::slice::from_ref(value)
            }
            values => values,
        };
        self.alone = if spans == 1 { self.saved.alone } else { self.alone };
        self.saved.length = *length;
        self.saved.values.extend_from_slice(values);
        self.waiting.extend_from_slice(values);
        self.length = *length;
        true
    }

    /// Takes in the next part. Allocates nothing. An empty part, which only an empty message has, changes nothing.
    ///
    /// # Panics
    /// The part does not begin where the last one ended, is longer than the part length, or follows a shorter one.
    pub fn push(&mut self, part: &Subtree) {
        let Self { part_length, length, .. } = *self;
        assert!(part.offset == length, "a part at offset {} follows {length} bytes", part.offset);
        assert!(part.length <= part_length, "a part of {} bytes, but the most is {part_length}", part.length);
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
        if self.length.is_multiple_of(self.span) && part_length <= self.span {
            self.keep();
        }
    }

    /// Keeps what is left of whole spans.
    fn keep(&mut self) {
        let Self { saved, span, .. } = self;
        saved.length = self.length;
        saved.values.clear();
        saved.values.extend_from_slice(&self.waiting);
        saved.alone = self.alone;
        let count = (self.length / *span - 1).count_ones() as usize + 1;
        while let [.., left, right] = saved.values[..]
            && saved.values.len() > count
        {
            if let [left, right] = saved.values[..] {
                saved.alone = merge_subtrees_root(&left, &right, Mode::Hash);
            }
            saved.values.pop();
            saved.values.pop();
            saved.values.push(merge_subtrees_non_root(&left, &right, Mode::Hash));
        }
    }

    /// The digest of all parts since the last one; of the empty message if there were none. The hasher is fresh afterwards.
    pub fn finish(&mut self) -> Digest {
        let root = self.root();
        self.reset();
        Digest::new(self.algorithm, root.as_bytes()).expect("the root has the algorithm's length")
    }

    /// The same as the library has it; it is not fresh afterwards.
    fn root(&mut self) -> blake3::Hash {
        while self.waiting.len() > 2 {
            self.merge_last_two();
        }
        match self.waiting[..] {
            [left, right] => merge_subtrees_root(&left, &right, Mode::Hash),
            _ => self.alone,
        }
    }

    /// Forgets all parts since the last digest; the hasher is fresh afterwards.
    pub fn reset(&mut self) {
        self.length = 0;
        self.alone = blake3::hash(b"");
        self.waiting.clear();
        self.saved.length = 0;
        self.saved.values.clear();
    }

    fn merge_last_two(&mut self) {
        if let [.., left, right] = self.waiting[..] {
            self.waiting.pop();
            *self.waiting.last_mut().expect("two were there") =
                merge_subtrees_non_root(&left, &right, Mode::Hash);
        }
    }
}

/// A message that comes piece by piece, hashed by one thread, and can be put aside after each whole span.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// The spans before the present one.
    whole: TreeHasher,
    present: blake3::Hasher,
    /// Bytes of the present span.
    begun: u64,
}

impl Stream {
    pub(crate) fn new() -> Self {
        Self::of(TreeHasher::new(SAVED_SPAN as usize))
    }

    fn of(whole: TreeHasher) -> Self {
        Self { whole, present: blake3::Hasher::new(), begun: 0 }
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while self.begun + bytes.len() as u64 >= self.whole.span {
            let (now, rest) = bytes.split_at((self.whole.span - self.begun) as usize);
            self.present.update(now);
            self.begun = self.whole.span;
            self.end_span();
            self.present = blake3::Hasher::new();
            self.present.set_input_offset(self.whole.length);
            bytes = rest;
        }
        self.present.update(bytes);
        self.begun += bytes.len() as u64;
    }

    pub(crate) fn finish(&mut self) -> blake3::Hash {
        if self.whole.length == 0 {
            let digest = self.present.finalize();
            self.reset();
            return digest;
        }
        if self.begun > 0 {
            self.end_span();
        }
        let digest = self.whole.root();
        self.reset();
        digest
    }

    pub(crate) fn reset(&mut self) {
        self.begun = 0;
        if self.whole.length == 0 {
            self.present.reset();
        } else {
            self.whole.reset();
            self.present = blake3::Hasher::new();
        }
    }

    pub(crate) fn save(&self) -> Midstate {
        self.whole.midstate()
    }

    pub(crate) fn restore(&mut self, saved: &Midstate) -> bool {
        self.reset();
        let is_restored = self.whole.restore(saved);
        self.present.set_input_offset(self.whole.length);
        is_restored
    }

    /// Takes the present span in.
    fn end_span(&mut self) {
        self.whole.push(&Subtree::of(&self.present, self.whole.length, self.begun));
        self.begun = 0;
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

    /// Parts, joined to pieces first, and these to the whole.
    fn joined(message: &[u8], part_length: usize, piece_length: usize) -> Digest {
        let piece = |(number, bytes): (usize, &[u8])| {
            let offset = number * piece_length;
            let parts = bytes.chunks(part_length).enumerate();
            let parts =
                parts.map(|(part_number, bytes)| part((offset + part_number * part_length) as u64, bytes));
            let piece = Subtree::joined(&parts.collect::<Vec<_>>()).expect("a subtree");
            Subtree::from_bytes(&piece.to_bytes())
        };
        let pieces: Vec<_> = message.chunks(piece_length).enumerate().map(piece).collect();
        Subtree::joined(&pieces).expect("the root").digest().expect("the whole")
    }

    #[test]
    fn parts_join_to_pieces_and_pieces_to_the_whole() {
        let message = message(17 * 4096 + 2);
        for (part_length, piece_length) in [(1024, 1024), (1024, 2048), (2048, 8192), (1024, 16_384)] {
            for edge in (piece_length..=17 * 4096).step_by(1024) {
                for length in edge - 1..=edge + 1 {
                    let message = &message[..length];
                    assert_eq!(
                        joined(message, part_length, piece_length).as_bytes(),
                        blake3::hash(message).as_bytes(),
                        "{length} bytes in pieces of {piece_length}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_no_subtree_is_not_joined() {
        let message = message(8 * 1024);
        let part = |number: usize| part(1024 * number as u64, &message[1024 * number..][..1024]);
        for missing in 0..8 {
            let parts: Vec<_> = (0..8).filter(|&number| number != missing).map(part).collect();
            let digest = Subtree::joined(&parts).and_then(|whole| whole.digest());
            // Without the last one it is another message.
            assert_eq!(digest.is_some(), missing == 7, "without {missing}");
        }
        assert_eq!(Subtree::joined(&[]), None);
        assert_eq!(Subtree::joined(&[part(1), part(2)]), None, "they are of different subtrees");
        assert_eq!(Subtree::joined(&[part(0), part(0)]), None);
        assert_eq!(Subtree::joined(&[part(1), part(0)]), None);
        assert_eq!(Subtree::joined(&[part(0), part(1), part(1)]), None);
        assert_eq!(Subtree::joined(&[part(4), part(5)]).expect("a subtree").digest(), None);
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

    /// A tree of spans so short that a test has many.
    fn tree(part_length: usize, span: u64) -> TreeHasher {
        TreeHasher { span, ..TreeHasher::new(part_length) }
    }

    fn stream(span: u64) -> Stream {
        Stream::of(tree(span as usize, span))
    }

    #[test]
    fn what_is_put_aside_at_a_span_goes_on_in_parts_and_in_a_stream() {
        const SPAN: u64 = 4096;
        let message = message(9 * SPAN as usize + 1500);
        for length in (0..=9 * SPAN).step_by(SPAN as usize).flat_map(|edge| [edge, edge + 1, edge + 1500]) {
            let message = &message[..length as usize];
            let expected = blake3::hash(message);
            for spans in 0..=length / SPAN {
                let mut first = stream(SPAN);
                first.update(&message[..(spans * SPAN) as usize]);
                let by_stream = first.save();
                assert_eq!(by_stream.length, spans * SPAN);
                for part_length in [1024, 4096] {
                    let mut parts = tree(part_length, SPAN);
                    for (bytes, number) in message.chunks(part_length).zip(0..) {
                        if parts.length == spans * SPAN {
                            assert_eq!(
                                parts.midstate(),
                                by_stream,
                                "{spans} spans in parts of {part_length}"
                            );
                        }
                        parts.push(&part(number * part_length as u64, bytes));
                    }
                    assert_eq!(parts.midstate().length, length / SPAN * SPAN);

                    let mut again = tree(part_length, SPAN);
                    assert!(again.restore(&by_stream));
                    assert_eq!(again.midstate(), by_stream);
                    for bytes in message[(spans * SPAN) as usize..].chunks(part_length) {
                        again.push(&part(again.length, bytes));
                    }
                    assert_eq!(
                        again.finish().as_bytes(),
                        expected.as_bytes(),
                        "{length} bytes after {spans} spans"
                    );
                }
                let mut again = stream(SPAN);
                assert!(again.restore(&by_stream));
                again.update(&message[(spans * SPAN) as usize..]);
                assert_eq!(again.finish(), expected, "{length} bytes after {spans} spans");
                again.update(message);
                assert_eq!(again.finish(), expected, "fresh again");
            }
        }
    }

    #[test]
    fn a_long_message_goes_on_from_its_last_whole_span() {
        let block = message(1 << 20);
        let mut whole = blake3::Hasher::new();
        let mut first = Algorithm::BLAKE3.hasher();
        for _ in 0..(SAVED_SPAN >> 20) + 1 {
            whole.update(&block);
            first.update(&block);
        }
        let saved = first.save().unwrap();
        assert_eq!(saved.length(), SAVED_SPAN);
        let mut tree = TreeHasher::resume(1 << 20, &saved).unwrap();
        tree.push(&part(SAVED_SPAN, &block));
        assert_eq!(tree.finish().as_bytes(), whole.finalize().as_bytes());
    }

    #[test]
    fn values_that_no_spans_have_are_refused() {
        let mut tree = tree(1024, 4096);
        for (length, values, pending) in [(4096, 1, 0), (8192, 1, 0), (4097, 2, 0), (0, 1, 0), (4096, 2, 1)] {
            let chaining = vec![1; values * blake3::OUT_LEN];
            assert!(!tree.restore(&Midstate { length, chaining, pending: vec![1; pending] }), "{length}");
            assert_eq!(tree.finish().as_bytes(), blake3::hash(b"").as_bytes());
        }
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
    #[should_panic(expected = "a part of 2048 bytes, but the most is 1024")]
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
