use super::*;
use crate::backend::Backend;
use crate::designs::{BLAKE2B_IV, Blake2b, Design as _};
use crate::schedule::Wanted;

/// The function F of RFC 7693, section 3.2, word for word.
fn blake2b_reference(h: &mut [u64; 8], block: &[u8], count: u128, last: bool) {
    const SIGMA: [[usize; 16]; 10] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
    ];
    const QUADRUPLES: [[usize; 4]; 8] = [
        [0, 4, 8, 12],
        [1, 5, 9, 13],
        [2, 6, 10, 14],
        [3, 7, 11, 15],
        [0, 5, 10, 15],
        [1, 6, 11, 12],
        [2, 7, 8, 13],
        [3, 4, 9, 14],
    ];
    let m: Vec<u64> =
        block.chunks(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect();
    let mut v = [*h, BLAKE2B_IV].concat();
    v[12] ^= count as u64;
    v[13] ^= (count >> 64) as u64;
    if last {
        v[14] = !v[14];
    }
    for round in 0..12 {
        let order = SIGMA[round % 10];
        for (number, [a, b, c, d]) in QUADRUPLES.into_iter().enumerate() {
            for (word, first, second) in [(order[2 * number], 32, 24), (order[2 * number + 1], 16, 63)] {
                v[a] = v[a].wrapping_add(v[b]).wrapping_add(m[word]);
                v[d] = (v[d] ^ v[a]).rotate_right(first);
                v[c] = v[c].wrapping_add(v[d]);
                v[b] = (v[b] ^ v[c]).rotate_right(second);
            }
        }
    }
    for (word, new) in h.iter_mut().enumerate() {
        *new ^= v[word] ^ v[word + 8];
    }
}

/// What follows in a message of which so many bytes, whole blocks, are counted already.
fn blake2b_rest(words: &[u64], before: u64, rest: &[u8]) -> [u64; 8] {
    let mut h: [u64; 8] = words[..8].try_into().expect("eight chaining words");
    let mut count = u128::from(before);
    let mut blocks = rest.chunks(Blake2b::BLOCK_BYTES).peekable();
    while let Some(block) = blocks.next() {
        let mut padded = [0; Blake2b::BLOCK_BYTES];
        padded[..block.len()].copy_from_slice(block);
        count += block.len() as u128;
        blake2b_reference(&mut h, &padded, count, blocks.peek().is_none());
    }
    h
}

/// As if the gigabytes before had been taken in: the counter passes 2^32 bytes within a block, between two, and in the
/// last one; and so it does far beyond.
#[test]
fn blake2b_counts_beyond_32_bits() {
    static WORDS: [u64; Blake2b::WORDS] = [1, 2, 3, 4, 5, 6, 7, 8, 0, 0];
    const BLOCK: u64 = Blake2b::BLOCK_BYTES as u64;
    const LENGTHS: [usize; 9] = [1, 127, 128, 129, 255, 256, 257, 384, 1000];

    let bytes: Vec<u8> = (0..1000).map(|at: u32| (at * 7) as u8).collect();
    for backend in Backend::ALL {
        for before in [(1 << 32) - 2 * BLOCK, (1 << 32) - BLOCK, 1 << 32, (1 << 63) + 5 * BLOCK] {
            let Some(schedule) = Schedule::new::<Blake2b>(Wanted::Backend(backend)) else { continue };
            let mut streams = Typed::<Blake2b>::new(&WORDS, schedule, LENGTHS.len());
            for slot in 0..LENGTHS.len() {
                streams.slots[slot].length = before;
                streams.words[slot * Blake2b::WORDS + 8] = before;
            }
            // In two parts, the second of them empty for the shortest message.
            for last in [false, true] {
                let parts = LENGTHS.iter().enumerate().map(|(slot, &length)| {
                    let (first, second) = bytes[..length].split_at(length.div_ceil(2));
                    Part { slot, bytes: if last { second } else { first }, last }
                });
                streams.advance(&parts.collect::<Vec<_>>());
            }
            for (slot, &length) in LENGTHS.iter().enumerate() {
                let found = &streams.words[slot * Blake2b::WORDS..][..8];
                let expected = blake2b_rest(&WORDS, before, &bytes[..length]);
                assert_eq!(found, expected, "{backend}: {length} bytes after {before}");
            }
        }
    }
}
