//! SHA-1 (FIPS 180-4, section 6.1).

use super::{Design, MAX_WORDS};
#[cfg(target_arch = "x86_64")]
use super::{MAX_ROUNDS, Scheduled, sixteen};
use crate::vector::{Block, Vector};

pub(crate) struct Sha1;

/// Eighty rounds, by a macro that says what round `t` adds, given the constant's place.
macro_rules! rounds {
    ($state:ident, $added:ident) => {
        let [mut a, mut b, mut c, mut d, mut e, ..] = *$state;
        macro_rules! step {
            ($f:ident $k:literal, $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
                let sum = $e.add($added!($t, $k)).add($f($b, $c, $d));
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
        for (word, new) in $state.iter_mut().zip([a, b, c, d, e]) {
            *word = word.add(new);
        }
    };
}

impl Design for Sha1 {
    type Word = u32;
    const WORDS: usize = 5;
    const BIG_ENDIAN: bool = true;
    type Constants = [u32; 4];
    const CONSTANTS: &[u32; 4] = &K;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(state: &mut [V; MAX_WORDS], block: Block<V>, k: &[u32; 4]) {
        let mut w: [V; 16] = block.words();
        macro_rules! added {
            ($t:expr, $k:literal) => {{
                if $t >= 16 {
                    w[$t % 16] = next_word(&w, $t % 16);
                }
                w[$t % 16].add(w[0].all(k[$k]))
            }};
        }
        rounds!(state, added);
    }
}

#[cfg(target_arch = "x86_64")]
impl Scheduled for Sha1 {
    #[inline(always)]
    fn schedule<V: Vector<Word = u32>, const LANES: usize>(
        block: Block<V>,
        k: &[u32; 4],
        words: &mut [[u32; LANES]; MAX_ROUNDS],
    ) {
        let mut w: [V; 16] = block.words();
        macro_rules! sixteen_from {
            ($t:literal) => {
                macro_rules! next {
                    ($i:literal) => {
                        if $t > 0 {
                            w[$i] = next_word(&w, $i);
                        }
                        w[$i].add(w[0].all(k[($t + $i) / 20])).put(&mut words[$t + $i]);
                    };
                }
                sixteen!(next);
            };
        }
        sixteen_from!(0);
        sixteen_from!(16);
        sixteen_from!(32);
        sixteen_from!(48);
        sixteen_from!(64);
    }

    #[inline(always)]
    fn rounds<V: Vector<Word = u32>, const LANES: usize>(
        state: &mut [V; MAX_WORDS],
        words: &[[u32; LANES]; MAX_ROUNDS],
        lane: usize,
    ) {
        let some = state[0];
        macro_rules! added {
            ($t:expr, $k:literal) => {
                some.all(words[$t][lane])
            };
        }
        rounds!(state, added);
    }
}

/// The word of the schedule that takes the place of word `i`, sixteen rounds later.
#[inline(always)]
fn next_word<V: Vector>(w: &[V; 16], i: usize) -> V {
    let [x, y, z] = [w[(i + 13) % 16], w[(i + 8) % 16], w[(i + 2) % 16]];
    w[i].xor3(y, z).xor(x).rotate_left::<1>()
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
