//! SHA-1 and SHA-256 by the SHA extensions of x86.
//!
//! A single message waits for the latency of the round instructions; several, their instructions interleaved, fill it.

use std::arch::x86_64::*;

use crate::designs::{SHA256_K, sixteen};

/// Turns round the bytes of each word of four.
#[target_feature(enable = "sse2")]
fn reversal() -> __m128i {
    _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3)
}

/// The block at `offset` of each message, its bytes in the order of `reversal`.
///
/// # Safety
/// `blocks` is valid for reading `N` pointers, each of them, moved by `offset` bytes, for reading 64 bytes.
#[inline]
#[target_feature(enable = "ssse3")]
unsafe fn message<const N: usize>(
    blocks: *const *const u8,
    offset: usize,
    reversal: __m128i,
) -> [[__m128i; 4]; N] {
    let mut message = [[_mm_setzero_si128(); 4]; N];
    for lane in 0..N {
        for part in 0..4 {
            // SAFETY: promised by the caller.
            let bytes = unsafe { _mm_loadu_si128((*blocks.add(lane)).add(offset + 16 * part).cast()) };
            message[lane][part] = _mm_shuffle_epi8(bytes, reversal);
        }
    }
    message
}

/// SHA-256 over the blocks of `N` messages.
///
/// # Safety
/// That of a kernel with `N` lanes, and the CPU has SHA, SSSE3 and SSE4.1.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub(crate) unsafe fn sha256<const N: usize>(words: *mut u32, blocks: *const *const u8, count: usize) {
    let word = |word: usize, lane: usize| words.wrapping_add(word * N + lane);
    // The instructions take the words as a, b, e, f and c, d, g, h, the first on top.
    const ABEF: [usize; 4] = [5, 4, 1, 0];
    const CDGH: [usize; 4] = [7, 6, 3, 2];
    // SAFETY: the caller promises the words of all lanes.
    let gather = |order: [usize; 4], lane: usize| unsafe {
        let [a, b, c, d] = order.map(|at| word(at, lane).read().cast_signed());
        _mm_set_epi32(d, c, b, a)
    };
    let reversal = reversal();
    let mut abef = [_mm_setzero_si128(); N];
    let mut cdgh = [_mm_setzero_si128(); N];
    for lane in 0..N {
        abef[lane] = gather(ABEF, lane);
        cdgh[lane] = gather(CDGH, lane);
    }
    for block in 0..count {
        let (abef_before, cdgh_before) = (abef, cdgh);
        // SAFETY: the caller promises a pointer for each lane, and behind it as many blocks as there are turns.
        let mut m = unsafe { message::<N>(blocks, 64 * block, reversal) };
        // Four rounds of each message, and the message words of the rounds sixteen later.
        macro_rules! rounds {
            ($i:literal) => {
                // SAFETY: the table has four constants for each of sixteen turns.
                let k = unsafe { _mm_loadu_si128(SHA256_K.as_ptr().add(4 * $i).cast()) };
                for lane in 0..N {
                    let [m0, m1, m2, m3] = [
                        m[lane][$i % 4],
                        m[lane][($i + 1) % 4],
                        m[lane][($i + 2) % 4],
                        m[lane][($i + 3) % 4],
                    ];
                    let sum = _mm_add_epi32(m0, k);
                    cdgh[lane] = _mm_sha256rnds2_epu32(cdgh[lane], abef[lane], sum);
                    abef[lane] =
                        _mm_sha256rnds2_epu32(abef[lane], cdgh[lane], _mm_shuffle_epi32::<0x0e>(sum));
                    if $i < 12 {
                        let sum = _mm_add_epi32(_mm_sha256msg1_epu32(m0, m1), _mm_alignr_epi8::<4>(m3, m2));
                        m[lane][$i % 4] = _mm_sha256msg2_epu32(sum, m3);
                    }
                }
            };
        }
        sixteen!(rounds);
        for lane in 0..N {
            abef[lane] = _mm_add_epi32(abef[lane], abef_before[lane]);
            cdgh[lane] = _mm_add_epi32(cdgh[lane], cdgh_before[lane]);
        }
    }
    for lane in 0..N {
        for (order, register) in [(ABEF, abef[lane]), (CDGH, cdgh[lane])] {
            let mut new = [0_u32; 4];
            // SAFETY: the array has sixteen bytes; the caller promises the words of all lanes.
            unsafe {
                _mm_storeu_si128(new.as_mut_ptr().cast(), register);
                for (at, new) in order.into_iter().zip(new) {
                    word(at, lane).write(new);
                }
            }
        }
    }
}

/// SHA-1 over the blocks of `N` messages.
///
/// # Safety
/// That of a kernel with `N` lanes, and the CPU has SHA, SSSE3 and SSE4.1.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub(crate) unsafe fn sha1<const N: usize>(words: *mut u32, blocks: *const *const u8, count: usize) {
    let word = |word: usize, lane: usize| words.wrapping_add(word * N + lane);
    // The first word of four lies on top, of the state as of the message.
    let reversal = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let mut abcd = [_mm_setzero_si128(); N];
    let mut e = [_mm_setzero_si128(); N];
    for lane in 0..N {
        // SAFETY: the caller promises the words of all lanes.
        let of = |at: usize| unsafe { word(at, lane).read().cast_signed() };
        abcd[lane] = _mm_set_epi32(of(0), of(1), of(2), of(3));
        e[lane] = _mm_set_epi32(of(4), 0, 0, 0);
    }
    for block in 0..count {
        let (abcd_before, e_before) = (abcd, e);
        // SAFETY: the caller promises a pointer for each lane, and behind it as many blocks as there are turns.
        let mut m = unsafe { message::<N>(blocks, 64 * block, reversal) };
        // Four rounds of each message, and the message words of the rounds sixteen later. `e` holds the words before the
        // last four rounds, from which the next e is made.
        macro_rules! rounds {
            ($i:literal, $function:literal) => {
                for lane in 0..N {
                    let [m0, m1, m2, m3] = [
                        m[lane][$i % 4],
                        m[lane][($i + 1) % 4],
                        m[lane][($i + 2) % 4],
                        m[lane][($i + 3) % 4],
                    ];
                    let sum =
                        if $i == 0 { _mm_add_epi32(e[lane], m0) } else { _mm_sha1nexte_epu32(e[lane], m0) };
                    e[lane] = abcd[lane];
                    abcd[lane] = _mm_sha1rnds4_epu32::<$function>(abcd[lane], sum);
                    if $i < 16 {
                        let sum = _mm_xor_si128(_mm_sha1msg1_epu32(m0, m1), m2);
                        m[lane][$i % 4] = _mm_sha1msg2_epu32(sum, m3);
                    }
                }
            };
        }
        rounds!(0, 0);
        rounds!(1, 0);
        rounds!(2, 0);
        rounds!(3, 0);
        rounds!(4, 0);
        rounds!(5, 1);
        rounds!(6, 1);
        rounds!(7, 1);
        rounds!(8, 1);
        rounds!(9, 1);
        rounds!(10, 2);
        rounds!(11, 2);
        rounds!(12, 2);
        rounds!(13, 2);
        rounds!(14, 2);
        rounds!(15, 3);
        rounds!(16, 3);
        rounds!(17, 3);
        rounds!(18, 3);
        rounds!(19, 3);
        for lane in 0..N {
            e[lane] = _mm_sha1nexte_epu32(e[lane], e_before[lane]);
            abcd[lane] = _mm_add_epi32(abcd[lane], abcd_before[lane]);
        }
    }
    for lane in 0..N {
        let mut new = [0_u32; 4];
        // SAFETY: the array has sixteen bytes; the caller promises the words of all lanes.
        unsafe {
            _mm_storeu_si128(new.as_mut_ptr().cast(), abcd[lane]);
            for (at, new) in new.into_iter().rev().enumerate() {
                word(at, lane).write(new);
            }
            word(4, lane).write(_mm_extract_epi32::<3>(e[lane]).cast_unsigned());
        }
    }
}
