//! Words of messages into lanes: squares of as many rows as words, transposed, and what they are made of.

use std::arch::x86_64::*;

use super::{Avx2Long, Avx2Short, Avx512HalfLong, Avx512HalfShort, Avx512Long, Avx512Short};

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
    /// That of [`super::Vector::message`] for sixteen words.
    #[inline(always)]
    pub(super) unsafe fn transposed(blocks: *const *const u8, offset: usize, big_endian: bool) -> [Self; 16] {
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
    /// That of [`super::Vector::message`] for eight words.
    #[inline(always)]
    pub(super) unsafe fn transposed(blocks: *const *const u8, offset: usize, big_endian: bool) -> [Self; 8] {
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
/// That of [`super::Vector::message`] for eight words of 32 bits, and AVX2.
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
/// That of [`super::Vector::message`] for four words of 64 bits, and AVX2.
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
}

/// Squares of the vectors of 256 bits, whose types differ in what they compute with.
macro_rules! square_256 {
    ($($name:ident $lanes:literal $square:ident)+) => {$(
        impl $name {
            /// # Safety
            /// That of [`super::Vector::message`] for as many words as there are lanes.
            #[inline(always)]
            pub(super) unsafe fn transposed(blocks: *const *const u8, offset: usize, big_endian: bool) -> [Self; $lanes] {
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
