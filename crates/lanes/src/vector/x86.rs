//! Vectors of AVX2 and AVX-512. AVX-512 has two widths: the full one, and with VL that of AVX2, for fewer messages.

use std::arch::asm;
use std::arch::x86_64::*;

use super::{Vector, message};

/// A vector type with the operations that are one instruction everywhere.
macro_rules! vector {
    (
        $(#[$doc:meta])* $name:ident($register:ident) of $lanes:literal $word:ident,
        $load:ident $store:ident $all:ident $add:ident $xor:ident $shift_right:ident,
        $($own:tt)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name($register);

        impl Vector for $name {
            type Word = $word;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn load(words: *const $word) -> Self {
                // SAFETY: the caller promises the instructions and the words.
                Self(unsafe { $load(words.cast()) })
            }

            #[inline(always)]
            unsafe fn store(self, words: *mut $word) {
                // SAFETY: the value is the proof of the instructions; the caller promises the room.
                unsafe { $store(words.cast(), self.0) }
            }

            message!($lanes $word);

            #[inline(always)]
            fn all(self, word: $word) -> Self {
                // SAFETY: the value is the proof of the instructions.
                Self(unsafe { $all(word.cast_signed()) })
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: the value is the proof of the instructions.
                Self(unsafe { $add(self.0, other.0) })
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: the value is the proof of the instructions.
                Self(unsafe { $xor(self.0, other.0) })
            }

            #[inline(always)]
            fn shift_right<const BITS: u32>(self) -> Self {
                // SAFETY: the value is the proof of the instructions. The count is a constant, and becomes an immediate.
                Self(unsafe { $shift_right(self.0, _mm_cvtsi32_si128(BITS.cast_signed())) })
            }

            $($own)*
        }
    };
}

/// What AVX-512 has one instruction for. Functions of three operands are given by the table of their results: bit 4a+2b+c
/// for the operands' bits a, b and c.
macro_rules! avx512 {
    ($all:ident $ternary:ident $rotate_left:ident $rotate_right:ident) => {
        #[inline(always)]
        fn rotate_left<const BITS: u32>(self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            Self(unsafe { $rotate_left(self.0, $all(BITS.cast_signed().into())) })
        }

        #[inline(always)]
        fn rotate_right<const BITS: u32>(self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            Self(unsafe { $rotate_right(self.0, $all(BITS.cast_signed().into())) })
        }

        #[inline(always)]
        fn xor3(self, a: Self, b: Self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            Self(unsafe { $ternary::<0b1001_0110>(self.0, a.0, b.0) })
        }

        #[inline(always)]
        fn xor_and_not(self, a: Self, b: Self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            Self(unsafe { $ternary::<0b1011_0100>(self.0, a.0, b.0) })
        }

        #[inline(always)]
        fn choose(self, yes: Self, no: Self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            Self(unsafe { $ternary::<0b1100_1010>(self.0, yes.0, no.0) })
        }

        #[inline(always)]
        fn majority(self, a: Self, b: Self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            Self(unsafe { $ternary::<0b1110_1000>(self.0, a.0, b.0) })
        }

        #[inline(always)]
        fn xor_or_not(self, a: Self, b: Self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            Self(unsafe { $ternary::<0b0010_1101>(self.0, a.0, b.0) })
        }
    };
}

/// What AVX2 needs several instructions for.
macro_rules! avx2 {
    ($word:ident $shift_left:ident $shift_right:ident) => {
        #[inline(always)]
        fn rotate_left<const BITS: u32>(self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            unsafe {
                let left = $shift_left(self.0, _mm_cvtsi32_si128(BITS.cast_signed()));
                let right = $shift_right(self.0, _mm_cvtsi32_si128(($word::BITS - BITS).cast_signed()));
                Self(_mm256_or_si256(left, right))
            }
        }

        #[inline(always)]
        fn rotate_right<const BITS: u32>(self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            unsafe {
                let right = $shift_right(self.0, _mm_cvtsi32_si128(BITS.cast_signed()));
                let left = $shift_left(self.0, _mm_cvtsi32_si128(($word::BITS - BITS).cast_signed()));
                Self(_mm256_or_si256(left, right))
            }
        }

        #[inline(always)]
        fn xor3(self, a: Self, b: Self) -> Self {
            self.xor(a).xor(b)
        }

        #[inline(always)]
        fn xor_and_not(self, a: Self, b: Self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            self.xor(Self(unsafe { _mm256_andnot_si256(b.0, a.0) }))
        }

        #[inline(always)]
        fn choose(self, yes: Self, no: Self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            no.xor(Self(unsafe { _mm256_and_si256(self.0, yes.xor(no).0) }))
        }

        #[inline(always)]
        fn add_choice(self, mask: Self, yes: Self, no: Self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            unsafe {
                self.add(Self(_mm256_andnot_si256(mask.0, no.0))).add(Self(_mm256_and_si256(mask.0, yes.0)))
            }
        }

        #[inline(always)]
        fn majority(self, a: Self, b: Self) -> Self {
            // Where the first two agree, so does the majority; elsewhere the third decides.
            // SAFETY: the value is the proof of the instructions.
            a.xor(Self(unsafe { _mm256_and_si256(self.xor(a).0, a.xor(b).0) }))
        }

        #[inline(always)]
        fn add_majority(self, last: Self, a: Self, b: Self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            unsafe {
                self.add(Self(_mm256_and_si256(a.0, b.0))).add(Self(_mm256_and_si256(last.0, a.xor(b).0)))
            }
        }

        #[inline(always)]
        fn xor_or_not(self, a: Self, b: Self) -> Self {
            // SAFETY: the value is the proof of the instructions.
            self.xor(Self(unsafe { _mm256_or_si256(a.0, _mm256_xor_si256(b.0, _mm256_set1_epi8(-1))) }))
        }
    };
}

vector! {
    /// Sixteen lanes of 32 bits: AVX-512 F and BW.
    Avx512Short(__m512i) of 16 u32,
    _mm512_loadu_si512 _mm512_storeu_si512 _mm512_set1_epi32 _mm512_add_epi32 _mm512_xor_si512 _mm512_srl_epi32,
    avx512!(_mm512_set1_epi32 _mm512_ternarylogic_epi32 _mm512_rolv_epi32 _mm512_rorv_epi32);
    #[inline(always)]
    fn all_of(self, word: &u32) -> Self {
        // SAFETY: the value is the proof of the instructions.
        Self(unsafe { broadcast(word) })
    }
}

vector! {
    /// Eight lanes of 64 bits: AVX-512 F and BW.
    Avx512Long(__m512i) of 8 u64,
    _mm512_loadu_si512 _mm512_storeu_si512 _mm512_set1_epi64 _mm512_add_epi64 _mm512_xor_si512 _mm512_srl_epi64,
    avx512!(_mm512_set1_epi64 _mm512_ternarylogic_epi64 _mm512_rolv_epi64 _mm512_rorv_epi64);
}

vector! {
    /// Eight lanes of 32 bits: AVX-512 F, BW and VL.
    Avx512HalfShort(__m256i) of 8 u32,
    _mm256_loadu_si256 _mm256_storeu_si256 _mm256_set1_epi32 _mm256_add_epi32 _mm256_xor_si256 _mm256_srl_epi32,
    avx512!(_mm256_set1_epi32 _mm256_ternarylogic_epi32 _mm256_rolv_epi32 _mm256_rorv_epi32);
}

vector! {
    /// Four lanes of 64 bits: AVX-512 F, BW and VL.
    Avx512HalfLong(__m256i) of 4 u64,
    _mm256_loadu_si256 _mm256_storeu_si256 _mm256_set1_epi64x _mm256_add_epi64 _mm256_xor_si256 _mm256_srl_epi64,
    avx512!(_mm256_set1_epi64x _mm256_ternarylogic_epi64 _mm256_rolv_epi64 _mm256_rorv_epi64);
}

vector! {
    /// Eight lanes of 32 bits: AVX2.
    Avx2Short(__m256i) of 8 u32,
    _mm256_loadu_si256 _mm256_storeu_si256 _mm256_set1_epi32 _mm256_add_epi32 _mm256_xor_si256 _mm256_srl_epi32,
    avx2!(u32 _mm256_sll_epi32 _mm256_srl_epi32);
}

vector! {
    /// Four lanes of 64 bits: AVX2.
    Avx2Long(__m256i) of 4 u64,
    _mm256_loadu_si256 _mm256_storeu_si256 _mm256_set1_epi64x _mm256_add_epi64 _mm256_xor_si256 _mm256_srl_epi64,
    avx2!(u64 _mm256_sll_epi64 _mm256_srl_epi64);
}

/// A word in all lanes, from memory. What the intrinsic loads may be loaded long before, if the compiler likes.
#[inline]
#[target_feature(enable = "avx512f")]
fn broadcast(word: &u32) -> __m512i {
    let all;
    // SAFETY: the CPU has the instruction, and the word can be read; nothing else is touched.
    unsafe {
        asm!(
            "vpbroadcastd {all}, dword ptr [{word}]",
            all = lateout(zmm_reg) all,
            word = in(reg) word,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    all
}

/// The order of bytes within a register, as a shuffle: turned round in each word of four bytes, or of eight.
#[inline(always)]
fn reversal(word_bytes: usize) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        match word_bytes {
            4 => _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3),
            _ => _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7),
        }
    }
}

/// 64 bytes of one lane, put into `order`.
///
/// # Safety
/// The CPU has AVX-512 F and BW; the lane has the bytes.
#[inline(always)]
unsafe fn row_512(place: *const u8, order: Option<__m128i>) -> __m512i {
    // SAFETY: the caller promises all of it.
    unsafe {
        let row = _mm512_loadu_si512(place.cast());
        match order {
            Some(order) => _mm512_shuffle_epi8(row, _mm512_broadcast_i32x4(order)),
            None => row,
        }
    }
}

/// 32 bytes of one lane, put into `order`.
///
/// # Safety
/// The CPU has AVX2; the lane has the bytes.
#[inline(always)]
unsafe fn row_256(place: *const u8, order: Option<__m128i>) -> __m256i {
    // SAFETY: the caller promises all of it.
    unsafe {
        let row = _mm256_loadu_si256(place.cast());
        match order {
            Some(order) => _mm256_shuffle_epi8(row, _mm256_broadcastsi128_si256(order)),
            None => row,
        }
    }
}

/// Turns four rows of four quarters into four rows that hold the first, second, third and fourth quarters.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn quarters([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: the caller promises the instructions.
    unsafe {
        let (ab_even, cd_even) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0x88>(c, d));
        let (ab_odd, cd_odd) = (_mm512_shuffle_i32x4::<0xdd>(a, b), _mm512_shuffle_i32x4::<0xdd>(c, d));
        [
            _mm512_shuffle_i32x4::<0x88>(ab_even, cd_even),
            _mm512_shuffle_i32x4::<0x88>(ab_odd, cd_odd),
            _mm512_shuffle_i32x4::<0xdd>(ab_even, cd_even),
            _mm512_shuffle_i32x4::<0xdd>(ab_odd, cd_odd),
        ]
    }
}

impl Avx512Short {
    /// Sixteen rows of sixteen words, transposed: pairs of words, then pairs of pairs within each quarter, then quarters.
    ///
    /// # Safety
    /// That of [`Vector::message`] for sixteen words.
    #[inline(always)]
    unsafe fn transposed(blocks: *const *const u8, offset: usize, big_endian: bool) -> [Self; 16] {
        // SAFETY: the caller promises the instructions, sixteen pointers and 64 bytes behind each.
        unsafe {
            let order = big_endian.then(|| reversal(4));
            let mut columns = [[_mm512_setzero_si512(); 4]; 4];
            for group in 0..4 {
                let a = row_512((*blocks.add(4 * group)).add(offset), order);
                let b = row_512((*blocks.add(4 * group + 1)).add(offset), order);
                let c = row_512((*blocks.add(4 * group + 2)).add(offset), order);
                let d = row_512((*blocks.add(4 * group + 3)).add(offset), order);
                let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
                let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
                columns[0][group] = _mm512_unpacklo_epi64(ab_low, cd_low);
                columns[1][group] = _mm512_unpackhi_epi64(ab_low, cd_low);
                columns[2][group] = _mm512_unpacklo_epi64(ab_high, cd_high);
                columns[3][group] = _mm512_unpackhi_epi64(ab_high, cd_high);
            }
            let mut words = [Self(_mm512_setzero_si512()); 16];
            for (column, rows) in columns.into_iter().enumerate() {
                for (quarter, word) in quarters(rows).into_iter().enumerate() {
                    words[4 * quarter + column] = Self(word);
                }
            }
            words
        }
    }
}

impl Avx512Long {
    /// Eight rows of eight words, transposed: pairs of words within each quarter, then quarters.
    ///
    /// # Safety
    /// That of [`Vector::message`] for eight words.
    #[inline(always)]
    unsafe fn transposed(blocks: *const *const u8, offset: usize, big_endian: bool) -> [Self; 8] {
        // SAFETY: the caller promises the instructions, eight pointers and 64 bytes behind each.
        unsafe {
            let order = big_endian.then(|| reversal(8));
            let mut columns = [[_mm512_setzero_si512(); 4]; 2];
            for pair in 0..4 {
                let a = row_512((*blocks.add(2 * pair)).add(offset), order);
                let b = row_512((*blocks.add(2 * pair + 1)).add(offset), order);
                columns[0][pair] = _mm512_unpacklo_epi64(a, b);
                columns[1][pair] = _mm512_unpackhi_epi64(a, b);
            }
            let mut words = [Self(_mm512_setzero_si512()); 8];
            for (column, rows) in columns.into_iter().enumerate() {
                for (quarter, word) in quarters(rows).into_iter().enumerate() {
                    words[2 * quarter + column] = Self(word);
                }
            }
            words
        }
    }
}

/// Eight rows of eight words, transposed: pairs of words, then pairs of pairs within each half, then halves.
///
/// # Safety
/// That of [`Vector::message`] for eight words of 32 bits, and AVX2.
#[inline(always)]
unsafe fn square_of_8(blocks: *const *const u8, offset: usize, big_endian: bool) -> [__m256i; 8] {
    // SAFETY: the caller promises the instructions, eight pointers and 32 bytes behind each.
    unsafe {
        let order = big_endian.then(|| reversal(4));
        let mut columns = [[_mm256_setzero_si256(); 2]; 4];
        for group in 0..2 {
            let a = row_256((*blocks.add(4 * group)).add(offset), order);
            let b = row_256((*blocks.add(4 * group + 1)).add(offset), order);
            let c = row_256((*blocks.add(4 * group + 2)).add(offset), order);
            let d = row_256((*blocks.add(4 * group + 3)).add(offset), order);
            let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
            columns[0][group] = _mm256_unpacklo_epi64(ab_low, cd_low);
            columns[1][group] = _mm256_unpackhi_epi64(ab_low, cd_low);
            columns[2][group] = _mm256_unpacklo_epi64(ab_high, cd_high);
            columns[3][group] = _mm256_unpackhi_epi64(ab_high, cd_high);
        }
        let mut words = [_mm256_setzero_si256(); 8];
        for (column, [low, high]) in columns.into_iter().enumerate() {
            words[column] = _mm256_permute2x128_si256::<0x20>(low, high);
            words[4 + column] = _mm256_permute2x128_si256::<0x31>(low, high);
        }
        words
    }
}

/// Four rows of four words, transposed: pairs of words within each half, then halves.
///
/// # Safety
/// That of [`Vector::message`] for four words of 64 bits, and AVX2.
#[inline(always)]
unsafe fn square_of_4(blocks: *const *const u8, offset: usize, big_endian: bool) -> [__m256i; 4] {
    // SAFETY: the caller promises the instructions, four pointers and 32 bytes behind each.
    unsafe {
        let order = big_endian.then(|| reversal(8));
        let a = row_256((*blocks.add(0)).add(offset), order);
        let b = row_256((*blocks.add(1)).add(offset), order);
        let c = row_256((*blocks.add(2)).add(offset), order);
        let d = row_256((*blocks.add(3)).add(offset), order);
        let (ab_even, ab_odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (cd_even, cd_odd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        [
            _mm256_permute2x128_si256::<0x20>(ab_even, cd_even),
            _mm256_permute2x128_si256::<0x20>(ab_odd, cd_odd),
            _mm256_permute2x128_si256::<0x31>(ab_even, cd_even),
            _mm256_permute2x128_si256::<0x31>(ab_odd, cd_odd),
        ]
    }
}

impl Avx512HalfShort {
    /// Sixteen bytes of one lane and of the one four places behind, which become the first and the second half of a vector,
    /// as big-endian words.
    ///
    /// # Safety
    /// The CPU has AVX-512 F, BW and VL. `blocks` is valid for reading a pointer for each of the two lanes, each of them,
    /// moved by `offset` bytes, for reading sixteen bytes.
    #[inline(always)]
    pub(crate) unsafe fn two_rows(blocks: *const *const u8, lane: usize, offset: usize) -> Self {
        // SAFETY: the caller promises the instructions, the pointers and the bytes.
        unsafe {
            let half = |lane: usize| _mm_loadu_si128((*blocks.add(lane)).add(offset).cast());
            let rows = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(half(lane)), half(lane + 4));
            Self(_mm256_shuffle_epi8(rows, _mm256_broadcastsi128_si256(reversal(4))))
        }
    }

    /// The words of both side by side, within each half: of its first two lanes, and of its last two.
    #[inline(always)]
    pub(crate) fn interleaved(self, other: Self) -> [Self; 2] {
        // SAFETY: the value is the proof of the instructions.
        unsafe {
            [Self(_mm256_unpacklo_epi32(self.0, other.0)), Self(_mm256_unpackhi_epi32(self.0, other.0))]
        }
    }

    /// Pairs of words of both side by side, within each half: its first pairs, and its last.
    #[inline(always)]
    pub(crate) fn interleaved_pairs(self, other: Self) -> [Self; 2] {
        // SAFETY: the value is the proof of the instructions.
        unsafe {
            [Self(_mm256_unpacklo_epi64(self.0, other.0)), Self(_mm256_unpackhi_epi64(self.0, other.0))]
        }
    }

    /// See [`pinned`].
    #[inline(always)]
    pub(crate) fn pinned(self) -> Self {
        // SAFETY: the value is the proof of the instructions.
        Self(unsafe { pinned_256(self.0) })
    }
}

/// The same value. Values that are pinned are computed in the order of the text: the compiler does not know that nothing
/// happens here.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn pinned(mut value: __m128i) -> __m128i {
    // SAFETY: there are no instructions.
    unsafe { asm!("/* {0} */", inout(xmm_reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

/// The same for 256 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn pinned_256(mut value: __m256i) -> __m256i {
    // SAFETY: there are no instructions.
    unsafe { asm!("/* {0:y} */", inout(zmm_reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

/// Squares of the vectors of 256 bits, whose types differ in what they compute with.
macro_rules! square_256 {
    ($($name:ident $lanes:literal $square:ident)+) => {$(
        impl $name {
            /// # Safety
            /// That of [`Vector::message`] for as many words as there are lanes.
            #[inline(always)]
            unsafe fn transposed(blocks: *const *const u8, offset: usize, big_endian: bool) -> [Self; $lanes] {
                // SAFETY: the caller promises all of it; both instruction sets have AVX2.
                let words = unsafe { $square(blocks, offset, big_endian) };
                // With `map` instead, what the compiler makes of SHA-256 by AVX2 is slower by a quarter.
                std::array::from_fn(|word| Self(words[word]))
            }
        }
    )+};
}
square_256! {
    Avx2Short 8 square_of_8
    Avx2Long 4 square_of_4
    Avx512HalfShort 8 square_of_8
    Avx512HalfLong 4 square_of_4
}
