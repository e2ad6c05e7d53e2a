//! Several vectors side by side: where an algorithm is one long chain of operations, the chains of the others fill the gaps
//! of the first.

use super::Vector;

/// The lanes of the first vector, then those of the next ones.
#[derive(Clone, Copy)]
pub(crate) struct Several<V, const N: usize>([V; N]);

impl<V: Vector, const N: usize> Several<V, N> {
    /// Puts the words of one vector's lanes in their places.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn put_vector<const WORDS: usize>(words: &mut [Self; WORDS], number: usize, own: [V; WORDS]) {
        for (word, own) in words.iter_mut().zip(own) {
            word.0[number] = own;
        }
    }

    #[inline(always)]
    fn each(mut self, operation: impl Fn(V) -> V) -> Self {
        for vector in &mut self.0 {
            *vector = operation(*vector);
        }
        self
    }

    #[inline(always)]
    fn with(mut self, other: Self, operation: impl Fn(V, V) -> V) -> Self {
        for (vector, other) in self.0.iter_mut().zip(other.0) {
            *vector = operation(*vector, other);
        }
        self
    }

    #[inline(always)]
    fn with_both(mut self, a: Self, b: Self, operation: impl Fn(V, V, V) -> V) -> Self {
        for ((vector, a), b) in self.0.iter_mut().zip(a.0).zip(b.0) {
            *vector = operation(*vector, a, b);
        }
        self
    }
}

impl<V: Vector, const N: usize> Vector for Several<V, N> {
    type Word = V::Word;
    const LANES: usize = N * V::LANES;

    #[inline(always)]
    unsafe fn load(words: *const V::Word) -> Self {
        // SAFETY: the caller promises the instructions and words for all vectors.
        let mut all = unsafe { [V::load(words); N] };
        for (number, vector) in all.iter_mut().enumerate() {
            // SAFETY: as above.
            *vector = unsafe { V::load(words.add(number * V::LANES)) };
        }
        Self(all)
    }

    #[inline(always)]
    unsafe fn store(self, words: *mut V::Word) {
        for (number, vector) in self.0.into_iter().enumerate() {
            // SAFETY: the caller promises room for the words of all vectors.
            unsafe { vector.store(words.add(number * V::LANES)) };
        }
    }

    #[inline(always)]
    unsafe fn message<const WORDS: usize>(
        blocks: *const *const u8,
        offset: usize,
        big_endian: bool,
    ) -> [Self; WORDS] {
        // SAFETY: the caller promises the instructions and pointers for all vectors.
        let mut words =
            unsafe { V::message::<WORDS>(blocks, offset, big_endian).map(|word| Self([word; N])) };
        for number in 1..N {
            // SAFETY: as above.
            let own = unsafe { V::message::<WORDS>(blocks.add(number * V::LANES), offset, big_endian) };
            for (word, own) in words.iter_mut().zip(own) {
                word.0[number] = own;
            }
        }
        words
    }

    #[inline(always)]
    fn all(self, word: V::Word) -> Self {
        Self([self.0[0].all(word); N])
    }

    #[inline(always)]
    fn all_of(self, word: &V::Word) -> Self {
        Self([self.0[0].all_of(word); N])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, V::add)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.with(other, V::xor)
    }

    #[inline(always)]
    fn rotate_left<const BITS: u32>(self) -> Self {
        self.each(V::rotate_left::<BITS>)
    }

    #[inline(always)]
    fn rotate_right<const BITS: u32>(self) -> Self {
        self.each(V::rotate_right::<BITS>)
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        self.each(V::shift_right::<BITS>)
    }

    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        self.with_both(a, b, V::xor3)
    }

    #[inline(always)]
    fn xor_and_not(self, a: Self, b: Self) -> Self {
        self.with_both(a, b, V::xor_and_not)
    }

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        self.with_both(yes, no, V::choose)
    }

    #[inline(always)]
    fn add_choice(mut self, mask: Self, yes: Self, no: Self) -> Self {
        for (number, vector) in self.0.iter_mut().enumerate() {
            *vector = vector.add_choice(mask.0[number], yes.0[number], no.0[number]);
        }
        self
    }

    #[inline(always)]
    fn majority(self, a: Self, b: Self) -> Self {
        self.with_both(a, b, V::majority)
    }

    #[inline(always)]
    fn add_majority(mut self, last: Self, a: Self, b: Self) -> Self {
        for (number, vector) in self.0.iter_mut().enumerate() {
            *vector = vector.add_majority(last.0[number], a.0[number], b.0[number]);
        }
        self
    }

    #[inline(always)]
    fn xor_or_not(self, a: Self, b: Self) -> Self {
        self.with_both(a, b, V::xor_or_not)
    }
}
