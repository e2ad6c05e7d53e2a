//! One lane: words as they are. The portable backend, and what all others are compared with.

use super::Vector;

/// A word of the only lane.
#[derive(Clone, Copy)]
pub(crate) struct One<W>(W);

macro_rules! one_lane {
    ($word:ident) => {
        impl Vector for One<$word> {
            type Word = $word;
            const LANES: usize = 1;

            #[inline(always)]
            unsafe fn load(words: *const $word) -> Self {
                // SAFETY: the caller promises it.
                Self(unsafe { words.read() })
            }

            #[inline(always)]
            unsafe fn store(self, words: *mut $word) {
                // SAFETY: the caller promises it.
                unsafe { words.write(self.0) }
            }

            #[inline(always)]
            unsafe fn message<const WORDS: usize>(
                blocks: *const *const u8,
                offset: usize,
                big_endian: bool,
            ) -> [Self; WORDS] {
                // SAFETY: the caller promises that there is one pointer, and `WORDS` words behind it.
                let words = unsafe { (*blocks).add(offset).cast::<[$word; WORDS]>().read_unaligned() };
                words.map(|word| Self(if big_endian { $word::from_be(word) } else { $word::from_le(word) }))
            }

            #[inline(always)]
            fn all(self, word: $word) -> Self {
                Self(word)
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(self.0.wrapping_add(other.0))
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Self(self.0 ^ other.0)
            }

            #[inline(always)]
            fn rotate_left<const BITS: u32>(self) -> Self {
                Self(self.0.rotate_left(BITS))
            }

            #[inline(always)]
            fn rotate_right<const BITS: u32>(self) -> Self {
                Self(self.0.rotate_right(BITS))
            }

            #[inline(always)]
            fn shift_right<const BITS: u32>(self) -> Self {
                Self(self.0 >> BITS)
            }

            #[inline(always)]
            fn xor3(self, a: Self, b: Self) -> Self {
                Self(self.0 ^ a.0 ^ b.0)
            }

            #[inline(always)]
            fn xor_and_not(self, a: Self, b: Self) -> Self {
                Self(self.0 ^ (a.0 & !b.0))
            }

            #[inline(always)]
            fn choose(self, yes: Self, no: Self) -> Self {
                Self(no.0 ^ (self.0 & (yes.0 ^ no.0)))
            }

            #[inline(always)]
            fn add_choice(self, mask: Self, yes: Self, no: Self) -> Self {
                Self(self.0.wrapping_add(!mask.0 & no.0).wrapping_add(mask.0 & yes.0))
            }

            #[inline(always)]
            fn majority(self, a: Self, b: Self) -> Self {
                // In SHA-2, where words move on by a place with each round, the second difference is the first one of the
                // round before.
                Self(a.0 ^ ((self.0 ^ a.0) & (a.0 ^ b.0)))
            }

            #[inline(always)]
            fn add_majority(self, last: Self, a: Self, b: Self) -> Self {
                Self(self.0.wrapping_add(a.0 & b.0).wrapping_add(last.0 & (a.0 ^ b.0)))
            }

            #[inline(always)]
            fn xor_or_not(self, a: Self, b: Self) -> Self {
                Self(self.0 ^ (a.0 | !b.0))
            }
        }
    };
}

one_lane!(u32);
one_lane!(u64);
