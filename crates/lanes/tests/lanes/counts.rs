//! Messages that are longer than can be waited for: put aside by nobody, and gone on with.

use hashlane_lanes::{Algorithm, Midstate, Part, Streams};

const BLOCK_BYTES: usize = 128;

/// RFC 7693, section 2.6.
const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

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
    let mut v = [*h, IV].concat();
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

/// The chaining words after the rest of a message, when `before` bytes, whole blocks, are counted already.
fn blake2b_rest(words: [u64; 8], before: u64, rest: &[u8]) -> [u64; 8] {
    let mut h = words;
    let mut count = u128::from(before);
    let mut blocks = rest.chunks(BLOCK_BYTES).peekable();
    while let Some(block) = blocks.next() {
        let mut padded = [0; BLOCK_BYTES];
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
    const WORDS: [u64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
    const BLOCK: u64 = BLOCK_BYTES as u64;
    const LENGTHS: [usize; 9] = [1, 127, 128, 129, 255, 256, 257, 384, 1000];

    let bytes: Vec<u8> = (0..1000 + BLOCK as u32).map(|at| (at * 7) as u8).collect();
    let (held_back, bytes) = bytes.split_at(BLOCK_BYTES);
    let chaining: Vec<u8> = WORDS.into_iter().flat_map(u64::to_le_bytes).collect();
    for backend in Algorithm::Blake2b.backends() {
        for before in
            [(1 << 32) - 3 * BLOCK, (1 << 32) - 2 * BLOCK, (1 << 32) - BLOCK, 1 << 32, (1 << 59) + 5 * BLOCK]
        {
            let mut streams =
                Streams::with_backend(Algorithm::Blake2b, LENGTHS.len(), backend).expect("the CPU has it");
            // A full block is held back, as it may be the last one.
            let saved =
                Midstate { length: before + BLOCK, chaining: chaining.clone(), pending: held_back.to_vec() };
            for slot in 0..LENGTHS.len() {
                assert!(streams.restore(slot, &saved));
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
                let mut found = [0; 64];
                streams.finish(slot, &mut found);
                let words = blake2b_rest(WORDS, before, &[held_back, &bytes[..length]].concat());
                let expected: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
                assert_eq!(found[..], expected, "{backend}: {length} bytes after {before} and a block");
            }
        }
    }
}
