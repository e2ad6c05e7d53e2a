//! SHA-1 and SHA-256 by the SHA instructions of ARMv8.0, SHA-512 by those of ARMv8.2.
//!
//! A single message waits for the latency of the round instructions; several, their instructions interleaved, fill it.

use std::arch::aarch64::*;

use crate::designs::{SHA1_K, SHA256_K, SHA512_K, sixteen};

/// SHA-256 over the blocks of `N` messages.
///
/// # Safety
/// That of a kernel with `N` lanes, and the CPU has SHA-1 and SHA-256.
#[target_feature(enable = "sha2")]
pub(crate) unsafe fn sha256<const N: usize>(words: *mut u32, blocks: *const *const u8, count: usize) {
    let mut abcd = [vdupq_n_u32(0); N];
    let mut efgh = [vdupq_n_u32(0); N];
    for lane in 0..N {
        // SAFETY: the caller promises eight words of each lane.
        (abcd[lane], efgh[lane]) =
            unsafe { (gather::<N>(words.add(lane)), gather::<N>(words.add(4 * N + lane))) };
    }
    for block in 0..count {
        let (abcd_before, efgh_before) = (abcd, efgh);
        let mut m = [[vdupq_n_u32(0); 4]; N];
        for lane in 0..N {
            // SAFETY: the caller promises a pointer for each lane, and behind it as many blocks as there are turns.
            m[lane] = unsafe { message((*blocks.add(lane)).add(64 * block)) };
        }
        // Four rounds of each message, and the message words of the rounds sixteen later.
        macro_rules! rounds {
            ($i:literal) => {
                // SAFETY: the table has four constants for each of sixteen turns.
                let k = unsafe { vld1q_u32(SHA256_K.as_ptr().add(4 * $i)) };
                for lane in 0..N {
                    let [m0, m1, m2, m3] = [
                        m[lane][$i % 4],
                        m[lane][($i + 1) % 4],
                        m[lane][($i + 2) % 4],
                        m[lane][($i + 3) % 4],
                    ];
                    let sum = vaddq_u32(m0, k);
                    let abcd_now = abcd[lane];
                    abcd[lane] = vsha256hq_u32(abcd_now, efgh[lane], sum);
                    efgh[lane] = vsha256h2q_u32(efgh[lane], abcd_now, sum);
                    if $i < 12 {
                        m[lane][$i % 4] = vsha256su1q_u32(vsha256su0q_u32(m0, m1), m2, m3);
                    }
                }
            };
        }
        sixteen!(rounds);
        for lane in 0..N {
            abcd[lane] = vaddq_u32(abcd[lane], abcd_before[lane]);
            efgh[lane] = vaddq_u32(efgh[lane], efgh_before[lane]);
        }
    }
    for lane in 0..N {
        // SAFETY: the caller promises eight words of each lane.
        unsafe {
            scatter::<N>(words.add(lane), abcd[lane]);
            scatter::<N>(words.add(4 * N + lane), efgh[lane]);
        }
    }
}

/// SHA-1 over the blocks of `N` messages.
///
/// # Safety
/// That of a kernel with `N` lanes, and the CPU has SHA-1 and SHA-256.
#[target_feature(enable = "sha2")]
pub(crate) unsafe fn sha1<const N: usize>(words: *mut u32, blocks: *const *const u8, count: usize) {
    let mut abcd = [vdupq_n_u32(0); N];
    let mut e = [0; N];
    for lane in 0..N {
        // SAFETY: the caller promises five words of each lane.
        (abcd[lane], e[lane]) = unsafe { (gather::<N>(words.add(lane)), words.add(4 * N + lane).read()) };
    }
    let k = SHA1_K.map(|k| vdupq_n_u32(k));
    for block in 0..count {
        let (abcd_before, e_before) = (abcd, e);
        let mut m = [[vdupq_n_u32(0); 4]; N];
        for lane in 0..N {
            // SAFETY: the caller promises a pointer for each lane, and behind it as many blocks as there are turns.
            m[lane] = unsafe { message((*blocks.add(lane)).add(64 * block)) };
        }
        // Four rounds of each message, and the message words of the rounds sixteen later.
        macro_rules! rounds {
            ($i:literal, $function:ident) => {
                for lane in 0..N {
                    let [m0, m1, m2, m3] = [
                        m[lane][$i % 4],
                        m[lane][($i + 1) % 4],
                        m[lane][($i + 2) % 4],
                        m[lane][($i + 3) % 4],
                    ];
                    let e_next = vsha1h_u32(vgetq_lane_u32::<0>(abcd[lane]));
                    abcd[lane] = $function(abcd[lane], e[lane], vaddq_u32(m0, k[$i / 5]));
                    e[lane] = e_next;
                    if $i < 16 {
                        m[lane][$i % 4] = vsha1su1q_u32(vsha1su0q_u32(m0, m1, m2), m3);
                    }
                }
            };
        }
        rounds!(0, vsha1cq_u32);
        rounds!(1, vsha1cq_u32);
        rounds!(2, vsha1cq_u32);
        rounds!(3, vsha1cq_u32);
        rounds!(4, vsha1cq_u32);
        rounds!(5, vsha1pq_u32);
        rounds!(6, vsha1pq_u32);
        rounds!(7, vsha1pq_u32);
        rounds!(8, vsha1pq_u32);
        rounds!(9, vsha1pq_u32);
        rounds!(10, vsha1mq_u32);
        rounds!(11, vsha1mq_u32);
        rounds!(12, vsha1mq_u32);
        rounds!(13, vsha1mq_u32);
        rounds!(14, vsha1mq_u32);
        rounds!(15, vsha1pq_u32);
        rounds!(16, vsha1pq_u32);
        rounds!(17, vsha1pq_u32);
        rounds!(18, vsha1pq_u32);
        rounds!(19, vsha1pq_u32);
        for lane in 0..N {
            abcd[lane] = vaddq_u32(abcd[lane], abcd_before[lane]);
            e[lane] = e[lane].wrapping_add(e_before[lane]);
        }
    }
    for lane in 0..N {
        // SAFETY: the caller promises five words of each lane.
        unsafe {
            scatter::<N>(words.add(lane), abcd[lane]);
            words.add(4 * N + lane).write(e[lane]);
        }
    }
}

/// SHA-512 over the blocks of `N` messages.
///
/// # Safety
/// That of a kernel with `N` lanes, and the CPU has SHA-512 and SHA-3, which come together.
#[target_feature(enable = "sha3")]
pub(crate) unsafe fn sha512<const N: usize>(words: *mut u64, blocks: *const *const u8, count: usize) {
    // Pairs of words: a and b, c and d, e and f, g and h.
    let mut state = [[vdupq_n_u64(0); 4]; N];
    for lane in 0..N {
        for pair in 0..4 {
            // SAFETY: the caller promises eight words of each lane.
            let [first, second] = [0, 1].map(|at| unsafe { words.add((2 * pair + at) * N + lane).read() });
            state[lane][pair] = vcombine_u64(vcreate_u64(first), vcreate_u64(second));
        }
    }
    for block in 0..count {
        let before = state;
        let mut m = [[vdupq_n_u64(0); 8]; N];
        for lane in 0..N {
            for part in 0..8 {
                // SAFETY: the caller promises a pointer for each lane, and behind it as many blocks as there are turns.
                let bytes = unsafe { vld1q_u8((*blocks.add(lane)).add(128 * block + 16 * part)) };
                m[lane][part] = vreinterpretq_u64_u8(vrev64q_u8(bytes));
            }
        }
        // Two rounds of each message, and, but for the last turn, the message words of the rounds sixteen later.
        macro_rules! rounds {
            ($turn:expr, $last:literal, $($i:literal)+) => {$(
                // SAFETY: the table has sixteen constants for each of five turns.
                let k = unsafe { vld1q_u64(SHA512_K.as_ptr().add(16 * $turn + 2 * $i)) };
                for lane in 0..N {
                    let [ab, cd, ef, gh] = state[lane];
                    let [m0, m1, m7] = [m[lane][$i], m[lane][($i + 1) % 8], m[lane][($i + 7) % 8]];
                    let sum = vaddq_u64(m0, k);
                    // The instructions take the first of two rounds in the upper half.
                    let sum = vaddq_u64(gh, vextq_u64::<1>(sum, sum));
                    let sum = vsha512hq_u64(sum, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
                    state[lane] = [vsha512h2q_u64(sum, cd, ab), ab, vaddq_u64(cd, sum), ef];
                    if !$last {
                        let m9 = vextq_u64::<1>(m[lane][($i + 4) % 8], m[lane][($i + 5) % 8]);
                        m[lane][$i] = vsha512su1q_u64(vsha512su0q_u64(m0, m1), m7, m9);
                    }
                }
            )+};
        }
        for turn in 0..4 {
            rounds!(turn, false, 0 1 2 3 4 5 6 7);
        }
        rounds!(4, true, 0 1 2 3 4 5 6 7);
        for lane in 0..N {
            for pair in 0..4 {
                state[lane][pair] = vaddq_u64(state[lane][pair], before[lane][pair]);
            }
        }
    }
    for lane in 0..N {
        for pair in 0..4 {
            let new = [vgetq_lane_u64::<0>(state[lane][pair]), vgetq_lane_u64::<1>(state[lane][pair])];
            for (at, new) in new.into_iter().enumerate() {
                // SAFETY: the caller promises eight words of each lane.
                unsafe { words.add((2 * pair + at) * N + lane).write(new) };
            }
        }
    }
}

/// Four words of a lane, from the first of them on.
///
/// # Safety
/// They can be read: four words, each `N` behind the one before.
#[target_feature(enable = "neon")]
unsafe fn gather<const N: usize>(first: *const u32) -> uint32x4_t {
    // SAFETY: the caller promises the words; the array has four.
    unsafe { vld1q_u32([0, 1, 2, 3].map(|at| first.add(at * N).read()).as_ptr()) }
}

/// Writes four words of a lane, from the first of them on.
///
/// # Safety
/// They can be written: four words, each `N` behind the one before.
#[target_feature(enable = "neon")]
unsafe fn scatter<const N: usize>(first: *mut u32, words: uint32x4_t) {
    let mut new = [0; 4];
    // SAFETY: the array has four words; the caller promises room for them.
    unsafe {
        vst1q_u32(new.as_mut_ptr(), words);
        for (at, new) in new.into_iter().enumerate() {
            first.add(at * N).write(new);
        }
    }
}

/// The sixteen words of a block.
///
/// # Safety
/// 64 bytes can be read.
#[target_feature(enable = "neon")]
unsafe fn message(block: *const u8) -> [uint32x4_t; 4] {
    [0, 16, 32, 48].map(|at| {
        // SAFETY: the caller promises the bytes.
        let bytes = unsafe { vld1q_u8(block.add(at)) };
        vreinterpretq_u32_u8(vrev32q_u8(bytes))
    })
}
