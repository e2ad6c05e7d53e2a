//! SHA-224 and SHA-256 (FIPS 180-4, section 6.2).

use super::{Design, MAX_WORDS, sixteen};
use crate::vector::{BLOCK_WORDS, Vector};

pub(crate) struct Sha256;

impl Design for Sha256 {
    type Word = u32;
    const WORDS: usize = 8;
    const BIG_ENDIAN: bool = true;
    type Constants = [u32; 64];
    const CONSTANTS: &[u32; 64] = &K;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(state: &mut [V; MAX_WORDS], mut w: [V; BLOCK_WORDS], k: &[u32; 64]) {
        let mut s = *state;
        macro_rules! round {
            ($i:literal, $t:expr) => {
                let [a, b, c] = [s[(16 - $i) % 8], s[(17 - $i) % 8], s[(18 - $i) % 8]];
                let [e, f, g] = [s[(20 - $i) % 8], s[(21 - $i) % 8], s[(22 - $i) % 8]];
                let sum = s[(23 - $i) % 8].add(w[$i].add(e.all(k[$t]))).add(e.choose(f, g)).add(big_1(e));
                s[(19 - $i) % 8] = s[(19 - $i) % 8].add(sum);
                s[(23 - $i) % 8] = sum.add(a.majority(b, c)).add(big_0(a));
            };
        }
        macro_rules! first {
            ($i:literal) => {
                round!($i, $i);
            };
        }
        sixteen!(first);
        let mut t = 16;
        while t < 64 {
            macro_rules! next {
                ($i:literal) => {
                    let further = small_0(w[($i + 1) % 16]).add(small_1(w[($i + 14) % 16]));
                    w[$i] = w[$i].add(w[($i + 9) % 16]).add(further);
                    round!($i, t + $i);
                };
            }
            sixteen!(next);
            t += 16;
        }
        for (word, new) in state.iter_mut().zip(s) {
            *word = word.add(new);
        }
    }
}

#[inline(always)]
fn big_0<V: Vector>(x: V) -> V {
    x.rotate_right::<2>().xor3(x.rotate_right::<13>(), x.rotate_right::<22>())
}

#[inline(always)]
fn big_1<V: Vector>(x: V) -> V {
    x.rotate_right::<6>().xor3(x.rotate_right::<11>(), x.rotate_right::<25>())
}

#[inline(always)]
pub(crate) fn small_0<V: Vector>(x: V) -> V {
    x.rotate_right::<7>().xor3(x.rotate_right::<18>(), x.shift_right::<3>())
}

#[inline(always)]
pub(crate) fn small_1<V: Vector>(x: V) -> V {
    x.rotate_right::<17>().xor3(x.rotate_right::<19>(), x.shift_right::<10>())
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
pub(crate) static K: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];
