//! Vectors: one word from each lane, and what algorithms do with words.
//!
//! The text of an algorithm is written once, over [`Vector`]; an instruction set contributes an implementation of that
//! trait. All of it is inlined into the kernels, the functions that enable the instructions.
//!
//! A value of a vector type is the proof that the CPU has its instructions: the only ways to the first one are
//! [`Vector::load`], [`Vector::message`] and what single types have beside them, all of them unsafe: their callers promise it.

use std::marker::PhantomData;

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
mod several;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{NeonLong, NeonShort};
pub(crate) use scalar::One;
pub(crate) use several::Several;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2Long, Avx2Short, Avx512HalfLong, Avx512HalfShort, Avx512Long, Avx512Short, pinned};

/// The next block of each lane's message.
#[derive(Clone, Copy)]
pub(crate) struct Block<V> {
    places: *const *const u8,
    offset: usize,
    bytes: usize,
    big_endian: bool,
    vector: PhantomData<V>,
}

impl<V: Vector> Block<V> {
    /// The blocks of `bytes` bytes that lie `offset` bytes behind the places.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`. As long as the value is used, `places` is valid for reading [`Vector::LANES`] pointers,
    /// each of them, moved by `offset` bytes, for reading `bytes` bytes.
    #[inline(always)]
    pub(crate) unsafe fn new(
        places: *const *const u8,
        offset: usize,
        bytes: usize,
        big_endian: bool,
    ) -> Self {
        Self { places, offset, bytes, big_endian, vector: PhantomData }
    }

    /// Its first words.
    #[inline(always)]
    pub(crate) fn words<const WORDS: usize>(self) -> [V; WORDS] {
        // Both are constants: nothing of this is left in a kernel.
        assert!(WORDS * size_of::<V::Word>() <= self.bytes, "a block ends where the next one begins");
        // SAFETY: whoever made the value promised the instructions, and bytes for as many words.
        unsafe { V::message(self.places, self.offset, self.big_endian) }
    }
}

/// Words of a message for a vector type that can transpose a square: as many words of each lane as it has lanes. What is
/// left over is collected word by word.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! message {
    ($lanes:literal $word:ident) => {
        #[inline(always)]
        unsafe fn message<const WORDS: usize>(
            blocks: *const *const u8,
            mut offset: usize,
            big_endian: bool,
        ) -> [Self; WORDS] {
            // SAFETY: the caller promises the instructions, the pointers and the words behind them.
            unsafe {
                let mut words = [Self::load([0; $lanes].as_ptr()); WORDS];
                let (squares, rest) = words.as_chunks_mut::<$lanes>();
                for square in squares {
                    *square = Self::transposed(blocks, offset, big_endian);
                    offset += $lanes * size_of::<$word>();
                }
                for word in rest {
                    let column: [$word; $lanes] = std::array::from_fn(|lane| {
                        let word = (*blocks.add(lane)).add(offset).cast::<$word>().read_unaligned();
                        if big_endian { $word::from_be(word) } else { $word::from_le(word) }
                    });
                    *word = Self::load(column.as_ptr());
                    offset += size_of::<$word>();
                }
                words
            }
        }
    };
}
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
use message;

/// One word from each of several lanes.
pub(crate) trait Vector: Copy {
    /// What a lane computes with: `u32` or `u64`.
    type Word: Copy;

    /// Number of lanes.
    const LANES: usize;

    /// The words that lie one behind the other, the first for the first lane.
    ///
    /// # Safety
    /// The CPU has the instructions of this type. `words` is valid for reading [`Vector::LANES`] words.
    unsafe fn load(words: *const Self::Word) -> Self;

    /// Writes the words one behind the other.
    ///
    /// # Safety
    /// `words` is valid for writing [`Vector::LANES`] words.
    unsafe fn store(self, words: *mut Self::Word);

    /// Writes the words into an array, which has as many places as there are lanes.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn put<const LANES: usize>(self, words: &mut [Self::Word; LANES]) {
        const { assert!(LANES == Self::LANES) };
        // SAFETY: there is a place for each lane.
        unsafe { self.store(words.as_mut_ptr()) }
    }

    /// The next words of each lane's message.
    ///
    /// # Safety
    /// The CPU has the instructions of this type. `blocks` is valid for reading [`Vector::LANES`] pointers, each of them, moved by
    /// `offset` bytes, for reading `WORDS` words. Nothing has to be aligned beyond the pointers themselves.
    unsafe fn message<const WORDS: usize>(
        blocks: *const *const u8,
        offset: usize,
        big_endian: bool,
    ) -> [Self; WORDS];

    /// `word` in every lane.
    fn all(self, word: Self::Word) -> Self;

    /// A word from memory in every lane. Best loaded when it is asked for, and not long before: it would take a register.
    #[inline(always)]
    fn all_of(self, word: &Self::Word) -> Self {
        self.all(*word)
    }

    /// The sum, modulo the word's range.
    fn add(self, other: Self) -> Self;

    /// Exclusive or.
    fn xor(self, other: Self) -> Self;

    /// Turned to the left by `BITS` bits, fewer than a word has.
    fn rotate_left<const BITS: u32>(self) -> Self;

    /// Turned to the right by `BITS` bits, fewer than a word has.
    fn rotate_right<const BITS: u32>(self) -> Self;

    /// Shifted to the right by `BITS` bits.
    fn shift_right<const BITS: u32>(self) -> Self;

    /// `self ^ a ^ b`.
    fn xor3(self, a: Self, b: Self) -> Self;

    /// `self ^ (a & !b)`, the step χ of Keccak.
    fn xor_and_not(self, a: Self, b: Self) -> Self;

    /// Bits of `yes` where `self` has ones, bits of `no` where it has zeros.
    fn choose(self, yes: Self, no: Self) -> Self;

    /// `self` and what [`Vector::choose`] gives for `mask`, summed. `yes` is what the next operation waits for.
    ///
    /// Without an instruction that chooses, the two halves of the choice are added one after the other: no bit is in both, so
    /// the sum is the same, and only one operation and one addition follow `yes`, instead of three operations and an addition.
    #[inline(always)]
    fn add_choice(self, mask: Self, yes: Self, no: Self) -> Self {
        self.add(mask.choose(yes, no))
    }

    /// Bits that at least two of the three have.
    fn majority(self, a: Self, b: Self) -> Self;

    /// `self` and what [`Vector::majority`] gives for `last`, `a` and `b`, summed. The next operation waits for `last`.
    ///
    /// In two halves as with [`Vector::add_choice`]: the bits that `a` and `b` share, and of the others those of `last`.
    #[inline(always)]
    fn add_majority(self, last: Self, a: Self, b: Self) -> Self {
        self.add(last.majority(a, b))
    }

    /// `self ^ (a | !b)`, the fourth function of MD5.
    fn xor_or_not(self, a: Self, b: Self) -> Self;
}
