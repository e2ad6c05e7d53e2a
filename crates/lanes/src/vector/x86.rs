//! Vectors of AVX2 and AVX-512. AVX-512 has two widths: the full one, and with VL that of AVX2, for fewer messages.

use std::arch::asm;
use std::arch::x86_64::*;

use super::{Vector, message};

mod squares;

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

/// A word in all lanes, from memory. The compiler may load it long before, but does not as it does with the intrinsic: nothing but speed
/// depends on it.
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

impl Avx512HalfShort {
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
