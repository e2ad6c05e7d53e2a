//! SHA-3 (FIPS 202): the permutation Keccak-f[1600], and the sponge around it.

use super::{Design, MAX_WORDS};
use crate::vector::{Block, Vector};

pub(crate) type Sha3_256 = Keccak<17>;
pub(crate) type Sha3_512 = Keccak<9>;

/// The sponge that takes in `RATE` words at a time.
pub(crate) struct Keccak<const RATE: usize>;

impl<const RATE: usize> Design for Keccak<RATE> {
    type Word = u64;
    const WORDS: usize = 25;
    const BLOCK_BYTES: usize = 8 * RATE;
    const BIG_ENDIAN: bool = false;
    type Constants = [u64; 24];
    const CONSTANTS: &[u64; 24] = &K;

    #[inline(always)]
    fn compress<V: Vector<Word = u64>>(a: &mut [V; MAX_WORDS], block: Block<V>, k: &[u64; 24]) {
        let message: [V; RATE] = block.words();
        for (word, new) in a.iter_mut().zip(message) {
            *word = word.xor(new);
        }
        for &constant in k {
            round(a, constant);
        }
    }

    /// The two bits of SHA-3, a one, zeros and another one (FIPS 202, sections 5.1, 6.1 and B.2).
    fn pad(tail: &mut [u8], begun: usize, _length: u64) -> usize {
        let tail = &mut tail[..Self::BLOCK_BYTES];
        tail[begun..].fill(0);
        tail[begun] |= 0b0000_0110;
        tail[Self::BLOCK_BYTES - 1] |= 0b1000_0000;
        1
    }
}

/// A round: word `x + 5 * y` is the lane (x, y) of the specification.
#[inline(always)]
fn round<V: Vector<Word = u64>>(a: &mut [V; MAX_WORDS], constant: u64) {
    // θ: the parities of the columns, and what they change in the columns beside them.
    macro_rules! parity {
        ($x:literal) => {
            a[$x].xor3(a[$x + 5], a[$x + 10]).xor3(a[$x + 15], a[$x + 20])
        };
    }
    let c = [parity!(0), parity!(1), parity!(2), parity!(3), parity!(4)];
    let d = [
        c[4].xor(c[1].rotate_left::<1>()),
        c[0].xor(c[2].rotate_left::<1>()),
        c[1].xor(c[3].rotate_left::<1>()),
        c[2].xor(c[4].rotate_left::<1>()),
        c[3].xor(c[0].rotate_left::<1>()),
    ];
    // ρ and π: where the words of a row come from, and how far they are turned. χ: the row.
    macro_rules! row {
        ($y:literal: $w0:literal $r0:literal, $w1:literal $r1:literal, $w2:literal $r2:literal, $w3:literal $r3:literal, $w4:literal $r4:literal) => {{
            let b0 = a[$w0].xor(d[$w0 % 5]).rotate_left::<$r0>();
            let b1 = a[$w1].xor(d[$w1 % 5]).rotate_left::<$r1>();
            let b2 = a[$w2].xor(d[$w2 % 5]).rotate_left::<$r2>();
            let b3 = a[$w3].xor(d[$w3 % 5]).rotate_left::<$r3>();
            let b4 = a[$w4].xor(d[$w4 % 5]).rotate_left::<$r4>();
            [
                b0.xor_and_not(b2, b1),
                b1.xor_and_not(b3, b2),
                b2.xor_and_not(b4, b3),
                b3.xor_and_not(b0, b4),
                b4.xor_and_not(b1, b0),
            ]
        }};
    }
    let rows = [
        row!(0: 0 0, 6 44, 12 43, 18 21, 24 14),
        row!(1: 3 28, 9 20, 10 3, 16 45, 22 61),
        row!(2: 1 1, 7 6, 13 25, 19 8, 20 18),
        row!(3: 4 27, 5 36, 11 10, 17 15, 23 56),
        row!(4: 2 62, 8 55, 14 39, 15 41, 21 2),
    ];
    for (words, row) in a.chunks_exact_mut(5).zip(rows) {
        words.copy_from_slice(&row);
    }
    // ι
    a[0] = a[0].xor(a[0].all(constant));
}

/// The constants of ι (FIPS 202, section 3.2.5).
static K: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];
