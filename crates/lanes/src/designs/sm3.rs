//! SM3 (GB/T 32905-2016, earlier GM/T 0004-2012).

use super::{Design, MAX_WORDS, sixteen};
use crate::vector::{Block, Vector};

pub(crate) struct Sm3;

impl Design for Sm3 {
    type Word = u32;
    const WORDS: usize = 8;
    const BIG_ENDIAN: bool = true;
    type Constants = [u32; 64];
    const CONSTANTS: &[u32; 64] = &K;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(state: &mut [V; MAX_WORDS], block: Block<V>, k: &[u32; 64]) {
        let mut w: [V; 16] = block.words();
        let [a, b, c, d, e, f, g, h, ..] = *state;
        // Words that go round, each among four: after a round the place of the last one is that of the first.
        let (mut x, mut y) = ([a, b, c, d], [e, f, g, h]);
        macro_rules! round {
            ($i:literal, $t:expr, $of_a:ident, $of_e:ident) => {
                let [a, b, c, d] = [x[(16 - $i) % 4], x[(17 - $i) % 4], x[(18 - $i) % 4], x[(19 - $i) % 4]];
                let [e, f, g, h] = [y[(16 - $i) % 4], y[(17 - $i) % 4], y[(18 - $i) % 4], y[(19 - $i) % 4]];
                let turned = a.rotate_left::<12>();
                let sum = turned.add(e.add(a.all(k[$t]))).rotate_left::<7>();
                let first = a.$of_a(b, c).add(d.add(w[$i].xor(w[($i + 4) % 16]))).add(sum.xor(turned));
                let second = e.$of_e(f, g).add(h.add(w[$i])).add(sum);
                x[(17 - $i) % 4] = b.rotate_left::<9>();
                x[(19 - $i) % 4] = first;
                y[(17 - $i) % 4] = f.rotate_left::<19>();
                y[(19 - $i) % 4] = second.xor3(second.rotate_left::<9>(), second.rotate_left::<17>());
            };
        }
        // A round needs the word four places ahead too.
        macro_rules! first {
            ($i:literal) => {
                if $i >= 12 {
                    w[($i + 4) % 16] = next_word(&w, ($i + 4) % 16);
                }
                round!($i, $i, xor3, xor3);
            };
        }
        sixteen!(first);
        let mut t = 16;
        while t < 64 {
            macro_rules! next {
                ($i:literal) => {
                    w[($i + 4) % 16] = next_word(&w, ($i + 4) % 16);
                    round!($i, t + $i, majority, choose);
                };
            }
            sixteen!(next);
            t += 16;
        }
        for (word, new) in state.iter_mut().zip(x.into_iter().chain(y)) {
            *word = word.xor(new);
        }
    }
}

/// The word of the schedule that takes the place of word `i`, sixteen places later.
#[inline(always)]
fn next_word<V: Vector>(w: &[V; 16], i: usize) -> V {
    let sum = w[i].xor3(w[(i + 7) % 16], w[(i + 13) % 16].rotate_left::<15>());
    let permuted = sum.xor3(sum.rotate_left::<15>(), sum.rotate_left::<23>());
    permuted.xor3(w[(i + 3) % 16].rotate_left::<7>(), w[(i + 10) % 16])
}

/// The constants of the first sixteen rounds and of the others, turned as each round has them.
static K: [u32; 64] = {
    let mut k = [0; 64];
    let mut round = 0;
    while round < 64 {
        let constant: u32 = if round < 16 { 0x79cc_4519 } else { 0x7a87_9d8a };
        k[round] = constant.rotate_left(round as u32 % 32);
        round += 1;
    }
    k
};
