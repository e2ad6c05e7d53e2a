//! MD5 (RFC 1321).

use super::{Design, MAX_WORDS, Pause, Unscheduled};
use crate::vector::{Block, Vector};

pub(crate) struct Md5;

impl Design for Md5 {
    type Word = u32;
    const WORDS: usize = 4;
    const BIG_ENDIAN: bool = false;
    type Constants = [u32; 64];
    const CONSTANTS: &[u32; 64] = &K;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(state: &mut [V; MAX_WORDS], block: Block<V>, k: &[u32; 64]) {
        Self::rounds(state, &block.words(), k, ());
    }
}

impl Unscheduled for Md5 {
    #[inline(always)]
    fn rounds<V: Vector<Word = u32>>(
        state: &mut [V; MAX_WORDS],
        m: &[V; 16],
        k: &[u32; 64],
        mut pauses: impl Pause,
    ) {
        let [mut a, mut b, mut c, mut d, ..] = *state;
        // One operation: its function, the word of the message, the constant and the rotation.
        macro_rules! step {
            ($f:ident, $a:ident $b:ident $c:ident $d:ident, $word:expr, $t:expr, $bits:literal) => {
                let sum = $f($a.add($a.all_of(&k[$t])).add(m[$word]), $b, $c, $d);
                $a = $b.add(sum.rotate_left::<$bits>());
            };
        }
        // Four operations. The numbers of their words grow by $stride.
        macro_rules! four {
            ($f:ident, $t:literal, $first:literal + $stride:literal, $r0:literal $r1:literal $r2:literal $r3:literal) => {
                step!($f, a b c d, ($first + $stride * $t) % 16, $t, $r0);
                step!($f, d a b c, ($first + $stride * ($t + 1)) % 16, $t + 1, $r1);
                step!($f, c d a b, ($first + $stride * ($t + 2)) % 16, $t + 2, $r2);
                step!($f, b c d a, ($first + $stride * ($t + 3)) % 16, $t + 3, $r3);
            };
        }
        four!(f, 0, 0 + 1, 7 12 17 22);
        four!(f, 4, 0 + 1, 7 12 17 22);
        four!(f, 8, 0 + 1, 7 12 17 22);
        four!(f, 12, 0 + 1, 7 12 17 22);
        pauses.pause(0);
        four!(g, 16, 1 + 5, 5 9 14 20);
        four!(g, 20, 1 + 5, 5 9 14 20);
        four!(g, 24, 1 + 5, 5 9 14 20);
        four!(g, 28, 1 + 5, 5 9 14 20);
        pauses.pause(1);
        four!(h, 32, 5 + 3, 4 11 16 23);
        four!(h, 36, 5 + 3, 4 11 16 23);
        four!(h, 40, 5 + 3, 4 11 16 23);
        four!(h, 44, 5 + 3, 4 11 16 23);
        pauses.pause(2);
        four!(i, 48, 0 + 7, 6 10 15 21);
        four!(i, 52, 0 + 7, 6 10 15 21);
        four!(i, 56, 0 + 7, 6 10 15 21);
        four!(i, 60, 0 + 7, 6 10 15 21);
        pauses.pause(3);
        for (word, new) in state.iter_mut().zip([a, b, c, d]) {
            *word = word.add(new);
        }
    }
}

// The four functions of x, y and z, each added to a sum. What the next operation waits for is x.

#[inline(always)]
fn f<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    sum.add(x.choose(y, z))
}

#[inline(always)]
fn g<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    sum.add_choice(z, x, y)
}

#[inline(always)]
fn h<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    // The last two are known an operation earlier.
    sum.add(y.xor3(z, x))
}

#[inline(always)]
fn i<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    sum.add(y.xor_or_not(x, z))
}

/// The first 32 bits of the fractional parts of the sines of 1 to 64, their signs left out.
static K: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];
