//! Vectors: one word from each lane, and what algorithms do with words.
//!
//! The text of an algorithm is written once, over [`Vector`]; an instruction set contributes an implementation of that
//! trait. All of it is inlined into the kernels, the functions that enable the instructions.
//!
//! A value of a vector type is the proof that the CPU has its instructions: the only ways to the first one are
//! [`Vector::load`] and [`Vector::message`], whose callers promise it.

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
mod two;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{NeonLong, NeonShort};
pub(crate) use scalar::One;
pub(crate) use two::Two;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2Long, Avx2Short, Avx512Long, Avx512Short};

/// Words of a block, at most: what every algorithm here reads of each lane at a time.
pub(crate) const BLOCK_WORDS: usize = 16;

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

    /// The next sixteen words of each lane's message.
    ///
    /// # Safety
    /// The CPU has the instructions of this type. `blocks` is valid for reading [`Vector::LANES`] pointers, each of them,
    /// moved by `offset` bytes, for reading sixteen words. Nothing has to be aligned beyond the pointers themselves.
    unsafe fn message(blocks: *const *const u8, offset: usize, big_endian: bool) -> [Self; BLOCK_WORDS];

    /// `word` in every lane.
    fn all(self, word: Self::Word) -> Self;

    /// The sum, modulo the word's range.
    fn add(self, other: Self) -> Self;

    /// Exclusive or.
    fn xor(self, other: Self) -> Self;

    /// Turned to the left by so many bits.
    fn rotate_left<const BITS: u32>(self) -> Self;

    /// Turned to the right by so many bits.
    fn rotate_right<const BITS: u32>(self) -> Self;

    /// Shifted to the right by so many bits.
    fn shift_right<const BITS: u32>(self) -> Self;

    /// `self ^ a ^ b`.
    fn xor3(self, a: Self, b: Self) -> Self;

    /// Bits of `yes` where `self` has ones, bits of `no` where it has zeros.
    fn choose(self, yes: Self, no: Self) -> Self;

    /// Bits that at least two of the three have.
    fn majority(self, a: Self, b: Self) -> Self;

    /// `self ^ (a | !b)`, the fourth function of MD5.
    fn xor_or_not(self, a: Self, b: Self) -> Self;
}
