//! SHA-1 (FIPS 180-4, section 6.1).

use super::{Design, MAX_WORDS};
use crate::vector::{Block, Vector};

pub(crate) struct Sha1;

impl Design for Sha1 {
    type Word = u32;
    const WORDS: usize = 5;
    const BIG_ENDIAN: bool = true;
    type Constants = [u32; 4];
    const CONSTANTS: &[u32; 4] = &K;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(state: &mut [V; MAX_WORDS], block: Block<V>, k: &[u32; 4]) {
        let mut w: [V; 16] = block.words();
        let [mut a, mut b, mut c, mut d, mut e, ..] = *state;
        macro_rules! step {
            ($f:ident $k:literal, $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
                if $t >= 16 {
                    let [x, y, z] = [w[($t + 13) % 16], w[($t + 8) % 16], w[($t + 2) % 16]];
                    w[$t % 16] = w[$t % 16].xor3(y, z).xor(x).rotate_left::<1>();
                }
                let sum = $e.add(w[$t % 16].add($e.all(k[$k]))).add($f($b, $c, $d));
                $e = sum.add($a.rotate_left::<5>());
                $b = $b.rotate_left::<30>();
            };
        }
        macro_rules! five {
            ($f:ident $k:literal, $t:literal) => {
                step!($f $k, $t, a b c d e);
                step!($f $k, $t + 1, e a b c d);
                step!($f $k, $t + 2, d e a b c);
                step!($f $k, $t + 3, c d e a b);
                step!($f $k, $t + 4, b c d e a);
            };
        }
        five!(choose 0, 0);
        five!(choose 0, 5);
        five!(choose 0, 10);
        five!(choose 0, 15);
        five!(parity 1, 20);
        five!(parity 1, 25);
        five!(parity 1, 30);
        five!(parity 1, 35);
        five!(majority 2, 40);
        five!(majority 2, 45);
        five!(majority 2, 50);
        five!(majority 2, 55);
        five!(parity 3, 60);
        five!(parity 3, 65);
        five!(parity 3, 70);
        five!(parity 3, 75);
        for (word, new) in state.iter_mut().zip([a, b, c, d, e]) {
            *word = word.add(new);
        }
    }
}

#[inline(always)]
fn choose<V: Vector>(x: V, y: V, z: V) -> V {
    x.choose(y, z)
}

#[inline(always)]
fn parity<V: Vector>(x: V, y: V, z: V) -> V {
    x.xor3(y, z)
}

#[inline(always)]
fn majority<V: Vector>(x: V, y: V, z: V) -> V {
    x.majority(y, z)
}

/// The square roots of 2, 3, 5 and 10, times 2^30.
pub(crate) static K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];
