//! MD4 (RFC 1320).

use super::{Design, MAX_WORDS, Pause, Unscheduled};
use crate::vector::{Block, Vector};

pub(crate) struct Md4;

/// The square roots of 2 and 3, times 2^30.
static K: [u32; 2] = [0x5a82_7999, 0x6ed9_eba1];

impl Design for Md4 {
    type Word = u32;
    const WORDS: usize = 4;
    const BIG_ENDIAN: bool = false;
    type Constants = [u32; 2];
    const CONSTANTS: &[u32; 2] = &K;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(state: &mut [V; MAX_WORDS], block: Block<V>, k: &[u32; 2]) {
        Self::rounds(state, &block.words(), k, ());
    }
}

impl Unscheduled for Md4 {
    #[inline(always)]
    fn rounds<V: Vector<Word = u32>>(
        state: &mut [V; MAX_WORDS],
        m: &[V; 16],
        k: &[u32; 2],
        mut pauses: impl Pause,
    ) {
        let [mut a, mut b, mut c, mut d, ..] = *state;
        // Four operations: their function, their constant if they have one, the words of the message and the rotations.
        macro_rules! four {
            ($f:ident $(+ $k:literal)?, $w0:literal $w1:literal $w2:literal $w3:literal, $r0:literal $r1:literal $r2:literal $r3:literal) => {
                a = $f(a$(.add(a.all_of(&k[$k])))?.add(m[$w0]), b, c, d).rotate_left::<$r0>();
                d = $f(d$(.add(a.all_of(&k[$k])))?.add(m[$w1]), a, b, c).rotate_left::<$r1>();
                c = $f(c$(.add(a.all_of(&k[$k])))?.add(m[$w2]), d, a, b).rotate_left::<$r2>();
                b = $f(b$(.add(a.all_of(&k[$k])))?.add(m[$w3]), c, d, a).rotate_left::<$r3>();
            };
        }
        four!(f, 0 1 2 3, 3 7 11 19);
        four!(f, 4 5 6 7, 3 7 11 19);
        four!(f, 8 9 10 11, 3 7 11 19);
        pauses.pause(0);
        four!(f, 12 13 14 15, 3 7 11 19);
        four!(g + 0, 0 4 8 12, 3 5 9 13);
        four!(g + 0, 1 5 9 13, 3 5 9 13);
        pauses.pause(1);
        four!(g + 0, 2 6 10 14, 3 5 9 13);
        four!(g + 0, 3 7 11 15, 3 5 9 13);
        four!(h + 1, 0 8 4 12, 3 9 11 15);
        pauses.pause(2);
        four!(h + 1, 2 10 6 14, 3 9 11 15);
        four!(h + 1, 1 9 5 13, 3 9 11 15);
        four!(h + 1, 3 11 7 15, 3 9 11 15);
        pauses.pause(3);
        for (word, new) in state.iter_mut().zip([a, b, c, d]) {
            *word = word.add(new);
        }
    }
}

// The three functions of x, y and z, each added to a sum. What the next operation waits for is x.

#[inline(always)]
fn f<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    sum.add(x.choose(y, z))
}

#[inline(always)]
fn g<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    sum.add_majority(x, y, z)
}

#[inline(always)]
fn h<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    sum.add(y.xor3(z, x))
}
