//! BLAKE2b (RFC 7693), without a key.
//!
//! Two more words are kept behind the eight chaining words: the number of bytes so far, and all ones once the last block
//! has begun. The counter of the specification has 128 bits; no message here is so long that the upper half would count.

use super::{Design, MAX_WORDS};
use crate::vector::{Block, Vector};

pub(crate) struct Blake2b;

/// Where the number of bytes lies.
const COUNTER: usize = 8;
/// Where the last block is marked.
const LAST: usize = 9;

impl Design for Blake2b {
    type Word = u64;
    const WORDS: usize = 10;
    const SAVED_WORDS: usize = COUNTER;
    const BIG_ENDIAN: bool = false;
    const LAST_DIFFERS: bool = true;
    type Constants = [u64; 8];
    const CONSTANTS: &[u64; 8] = &IV;

    #[inline(always)]
    fn compress<V: Vector<Word = u64>>(state: &mut [V; MAX_WORDS], block: Block<V>, iv: &[u64; 8]) {
        let m: [V; 16] = block.words();
        let h = *state;
        state[COUNTER] = h[COUNTER].add(h[COUNTER].all(Self::BLOCK_BYTES as u64));
        let iv = iv.map(|word| h[0].all(word));
        let [mut a0, mut a1, mut a2, mut a3, mut b0, mut b1, mut b2, mut b3, ..] = h;
        let [mut c0, mut c1, mut c2, mut c3, d0, mut d1, d2, mut d3] = iv;
        let (mut d0, mut d2) = (d0.xor(state[COUNTER]), d2.xor(state[LAST]));
        // The function G, with two words of the message.
        macro_rules! mix {
            ($a:ident $b:ident $c:ident $d:ident, $x:literal $y:literal) => {
                $a = $a.add(m[$x]).add($b);
                $d = $d.xor($a).rotate_right::<32>();
                $c = $c.add($d);
                $b = $b.xor($c).rotate_right::<24>();
                $a = $a.add(m[$y]).add($b);
                $d = $d.xor($a).rotate_right::<16>();
                $c = $c.add($d);
                $b = $b.xor($c).rotate_right::<63>();
            };
        }
        // Columns, then diagonals, with the words of the message in this order.
        macro_rules! round {
            (
                $m0:literal $m1:literal $m2:literal $m3:literal $m4:literal $m5:literal $m6:literal $m7:literal
                $m8:literal $m9:literal $m10:literal $m11:literal $m12:literal $m13:literal $m14:literal $m15:literal
            ) => {
                mix!(a0 b0 c0 d0, $m0 $m1);
                mix!(a1 b1 c1 d1, $m2 $m3);
                mix!(a2 b2 c2 d2, $m4 $m5);
                mix!(a3 b3 c3 d3, $m6 $m7);
                mix!(a0 b1 c2 d3, $m8 $m9);
                mix!(a1 b2 c3 d0, $m10 $m11);
                mix!(a2 b3 c0 d1, $m12 $m13);
                mix!(a3 b0 c1 d2, $m14 $m15);
            };
        }
        round!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        round!(14 10 4 8 9 15 13 6 1 12 0 2 11 7 5 3);
        round!(11 8 12 0 5 2 15 13 10 14 3 6 7 1 9 4);
        round!(7 9 3 1 13 12 11 14 2 6 5 10 4 0 15 8);
        round!(9 0 5 7 2 4 10 15 14 1 11 12 6 8 3 13);
        round!(2 12 6 10 0 11 8 3 4 13 7 5 15 14 1 9);
        round!(12 5 1 15 14 13 4 10 0 7 6 3 9 2 8 11);
        round!(13 11 7 14 12 1 3 9 5 0 15 4 8 6 2 10);
        round!(6 15 14 9 11 3 0 8 12 2 13 7 1 4 10 5);
        round!(10 2 8 4 7 6 1 5 15 11 9 14 3 12 13 0);
        round!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        round!(14 10 4 8 9 15 13 6 1 12 0 2 11 7 5 3);
        let halves = [(a0, c0), (a1, c1), (a2, c2), (a3, c3), (b0, d0), (b1, d1), (b2, d2), (b3, d3)];
        for (word, (low, high)) in state.iter_mut().zip(halves) {
            *word = word.xor3(low, high);
        }
    }

    /// Zeros up to the end of the only block.
    fn pad(tail: &mut [u8], begun: usize, _length: u64) -> usize {
        tail[begun..Self::BLOCK_BYTES].fill(0);
        1
    }

    /// Marks the last block, and counts back what its padding will be counted for.
    fn close(words: &mut [u64], length: u64) {
        words[COUNTER] = length.wrapping_sub(Self::BLOCK_BYTES as u64);
        words[LAST] = u64::MAX;
    }

    fn reopen(words: &mut [u64], taken: u64) {
        words[COUNTER] = taken;
        words[LAST] = 0;
    }
}

/// What SHA-512 begins with.
pub(crate) static IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];
