//! Two vectors side by side: where an algorithm is one long chain of operations, a second chain fills the gaps of the
//! first.

use super::Vector;

/// The lanes of the first vector, then those of the second.
#[derive(Clone, Copy)]
pub(crate) struct Two<V>(V, V);

impl<V: Vector> Vector for Two<V> {
    type Word = V::Word;
    const LANES: usize = 2 * V::LANES;

    #[inline(always)]
    unsafe fn load(words: *const V::Word) -> Self {
        // SAFETY: the caller promises the instructions and twice as many words as one vector takes.
        unsafe { Self(V::load(words), V::load(words.add(V::LANES))) }
    }

    #[inline(always)]
    unsafe fn store(self, words: *mut V::Word) {
        // SAFETY: the caller promises room for twice as many words as one vector takes.
        unsafe {
            self.0.store(words);
            self.1.store(words.add(V::LANES));
        }
    }

    #[inline(always)]
    unsafe fn message<const WORDS: usize>(
        blocks: *const *const u8,
        offset: usize,
        big_endian: bool,
    ) -> [Self; WORDS] {
        // SAFETY: the caller promises the instructions and twice as many pointers as one vector takes.
        let (first, second) = unsafe {
            (
                V::message::<WORDS>(blocks, offset, big_endian),
                V::message::<WORDS>(blocks.add(V::LANES), offset, big_endian),
            )
        };
        std::array::from_fn(|word| Self(first[word], second[word]))
    }

    #[inline(always)]
    fn all(self, word: V::Word) -> Self {
        let word = self.0.all(word);
        Self(word, word)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.add(other.0), self.1.add(other.1))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0), self.1.xor(other.1))
    }

    #[inline(always)]
    fn rotate_left<const BITS: u32>(self) -> Self {
        Self(self.0.rotate_left::<BITS>(), self.1.rotate_left::<BITS>())
    }

    #[inline(always)]
    fn rotate_right<const BITS: u32>(self) -> Self {
        Self(self.0.rotate_right::<BITS>(), self.1.rotate_right::<BITS>())
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0.shift_right::<BITS>(), self.1.shift_right::<BITS>())
    }

    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        Self(self.0.xor3(a.0, b.0), self.1.xor3(a.1, b.1))
    }

    #[inline(always)]
    fn xor_and_not(self, a: Self, b: Self) -> Self {
        Self(self.0.xor_and_not(a.0, b.0), self.1.xor_and_not(a.1, b.1))
    }

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        Self(self.0.choose(yes.0, no.0), self.1.choose(yes.1, no.1))
    }

    #[inline(always)]
    fn majority(self, a: Self, b: Self) -> Self {
        Self(self.0.majority(a.0, b.0), self.1.majority(a.1, b.1))
    }

    #[inline(always)]
    fn xor_or_not(self, a: Self, b: Self) -> Self {
        Self(self.0.xor_or_not(a.0, b.0), self.1.xor_or_not(a.1, b.1))
    }
}
