//! Vectors of NEON, which every AArch64 CPU has.

use std::arch::aarch64::*;

use super::{Vector, message};

/// A vector type. The shifts by immediates take their count as a constant of their own, so every count is written out;
/// one of them is left by the compiler.
macro_rules! vector {
    (
        $(#[$doc:meta])* $name:ident($register:ident) of $lanes:literal $word:ident,
        $load:ident $store:ident $all:ident $add:ident $xor:ident $choose:ident $and_not:ident $or_not:ident,
        $shift_left:ident $shift_right:ident $shift_right_insert:ident by $($count:literal)+
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
                Self(unsafe { $load(words) })
            }

            #[inline(always)]
            unsafe fn store(self, words: *mut $word) {
                // SAFETY: the value is the proof of the instructions; the caller promises the room.
                unsafe { $store(words, self.0) }
            }

            message!($lanes $word);

            #[inline(always)]
            fn all(self, word: $word) -> Self {
                // SAFETY: the value is the proof of the instructions.
                Self(unsafe { $all(word) })
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
            fn rotate_left<const BITS: u32>(self) -> Self {
                // A shift, and one that inserts. A compiler knows this for a rotation and may choose others for it.
                match BITS {
                    0 => self,
                    $($count => {
                        // SAFETY: the value is the proof of the instructions.
                        Self(unsafe {
                            $shift_right_insert::<{ $word::BITS as i32 - $count }>($shift_left::<$count>(self.0), self.0)
                        })
                    })+
                    _ => unreachable!("rotations are by less than a word"),
                }
            }

            #[inline(always)]
            fn rotate_right<const BITS: u32>(self) -> Self {
                match BITS {
                    0 => self,
                    $($count => {
                        // SAFETY: the value is the proof of the instructions.
                        Self(unsafe {
                            $shift_right_insert::<$count>($shift_left::<{ $word::BITS as i32 - $count }>(self.0), self.0)
                        })
                    })+
                    _ => unreachable!("rotations are by less than a word"),
                }
            }

            #[inline(always)]
            fn shift_right<const BITS: u32>(self) -> Self {
                match BITS {
                    // SAFETY: the value is the proof of the instructions.
                    $($count => Self(unsafe { $shift_right::<$count>(self.0) }),)+
                    _ => unreachable!("shifts are by less than a word"),
                }
            }

            #[inline(always)]
            fn xor3(self, a: Self, b: Self) -> Self {
                self.xor(a).xor(b)
            }

            #[inline(always)]
            fn xor_and_not(self, a: Self, b: Self) -> Self {
                // SAFETY: the value is the proof of the instructions.
                self.xor(Self(unsafe { $and_not(a.0, b.0) }))
            }

            #[inline(always)]
            fn choose(self, yes: Self, no: Self) -> Self {
                // SAFETY: the value is the proof of the instructions.
                Self(unsafe { $choose(self.0, yes.0, no.0) })
            }

            #[inline(always)]
            fn majority(self, a: Self, b: Self) -> Self {
                // Where the first two agree, so does the majority; elsewhere the third decides.
                self.xor(a).choose(b, a)
            }

            #[inline(always)]
            fn xor_or_not(self, a: Self, b: Self) -> Self {
                // SAFETY: the value is the proof of the instructions.
                self.xor(Self(unsafe { $or_not(a.0, b.0) }))
            }
        }
    };
}

vector! {
    /// Four lanes of 32 bits.
    NeonShort(uint32x4_t) of 4 u32,
    vld1q_u32 vst1q_u32 vdupq_n_u32 vaddq_u32 veorq_u32 vbslq_u32 vbicq_u32 vornq_u32,
    vshlq_n_u32 vshrq_n_u32 vsriq_n_u32 by 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29
    30 31
}

vector! {
    /// Two lanes of 64 bits.
    NeonLong(uint64x2_t) of 2 u64,
    vld1q_u64 vst1q_u64 vdupq_n_u64 vaddq_u64 veorq_u64 vbslq_u64 vbicq_u64 vornq_u64,
    vshlq_n_u64 vshrq_n_u64 vsriq_n_u64 by 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29
    30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
}

impl NeonShort {
    /// Four rows of four words, transposed: pairs of words, then pairs of pairs.
    ///
    /// # Safety
    /// That of [`Vector::message`] for four words.
    #[inline(always)]
    unsafe fn transposed(blocks: *const *const u8, offset: usize, big_endian: bool) -> [Self; 4] {
        // SAFETY: the caller promises the instructions, four pointers and 16 bytes behind each.
        unsafe {
            let row = |lane: usize| {
                let row = vld1q_u8((*blocks.add(lane)).add(offset));
                vreinterpretq_u32_u8(if big_endian { vrev32q_u8(row) } else { row })
            };
            let [a, b, c, d] = [row(0), row(1), row(2), row(3)];
            let [ab_even, ab_odd] = [vtrn1q_u32(a, b), vtrn2q_u32(a, b)].map(|ab| vreinterpretq_u64_u32(ab));
            let [cd_even, cd_odd] = [vtrn1q_u32(c, d), vtrn2q_u32(c, d)].map(|cd| vreinterpretq_u64_u32(cd));
            [
                Self(vreinterpretq_u32_u64(vtrn1q_u64(ab_even, cd_even))),
                Self(vreinterpretq_u32_u64(vtrn1q_u64(ab_odd, cd_odd))),
                Self(vreinterpretq_u32_u64(vtrn2q_u64(ab_even, cd_even))),
                Self(vreinterpretq_u32_u64(vtrn2q_u64(ab_odd, cd_odd))),
            ]
        }
    }
}

impl NeonLong {
    /// Two rows of two words, transposed.
    ///
    /// # Safety
    /// That of [`Vector::message`] for two words.
    #[inline(always)]
    unsafe fn transposed(blocks: *const *const u8, offset: usize, big_endian: bool) -> [Self; 2] {
        // SAFETY: the caller promises the instructions, two pointers and 16 bytes behind each.
        unsafe {
            let row = |lane: usize| {
                let row = vld1q_u8((*blocks.add(lane)).add(offset));
                vreinterpretq_u64_u8(if big_endian { vrev64q_u8(row) } else { row })
            };
            let [a, b] = [row(0), row(1)];
            [Self(vtrn1q_u64(a, b)), Self(vtrn2q_u64(a, b))]
        }
    }
}
