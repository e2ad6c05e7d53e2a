//! SHA-256 of sixteen messages: the rounds by the SHA extensions, the message schedule by AVX-512.
//!
//! The extensions do two rounds in one instruction, and one such instruction a cycle; but what they have for the message
//! schedule keeps the same unit busy for almost as long. AVX-512 computes the schedule of sixteen messages at once, on
//! units that are idle meanwhile. So that both have work at any time, the rounds of a block go with the schedule of the
//! next one.

use std::arch::x86_64::*;

use crate::designs::{Design, Sha256, sixteen};
use crate::vector::{Avx512Short, Vector};

/// Messages side by side.
const LANES: usize = 16;

/// Messages whose rounds are interleaved: as many as an instruction of two rounds takes cycles.
const GROUP: usize = 4;

/// What a block adds in its rounds, message words and constants summed: 32 rows of what two rounds need. A row holds for
/// each message the words of both rounds side by side; messages 0, 1, 4, 5, 8, 9, 12, 13 come first, then the others.
#[repr(align(64))]
struct Schedule([[u64; LANES]; 32]);

/// The chaining words of all messages, as the instructions take them.
struct Chaining {
    abef: [__m128i; LANES],
    cdgh: [__m128i; LANES],
}

/// Takes in the blocks of sixteen messages.
///
/// # Safety
/// That of a kernel with sixteen lanes, and the CPU has AVX-512 F and BW, SHA, SSSE3 and SSE4.1.
#[target_feature(enable = "avx512f,avx512bw,sha,ssse3,sse4.1")]
pub(crate) unsafe fn sha256(words: *mut u32, blocks: *const *const u8, count: usize) {
    // SAFETY: the caller promises the words of sixteen lanes.
    let word = |word: usize, lane: usize| unsafe { words.add(word * LANES + lane) };
    let mut state = Chaining { abef: [_mm_setzero_si128(); LANES], cdgh: [_mm_setzero_si128(); LANES] };
    for lane in 0..LANES {
        // SAFETY: as above.
        let of = |at: usize| unsafe { word(at, lane).read().cast_signed() };
        state.abef[lane] = _mm_set_epi32(of(0), of(1), of(4), of(5));
        state.cdgh[lane] = _mm_set_epi32(of(2), of(3), of(6), of(7));
    }
    let constants = std::hint::black_box(Sha256::CONSTANTS);
    let mut schedules = [Schedule([[0; LANES]; 32]), Schedule([[0; LANES]; 32])];
    let [mut now, mut next] = schedules.each_mut();
    // SAFETY: the caller promises the instructions and `count` blocks of each message.
    unsafe {
        for block in 0..count {
            let message = Avx512Short::message(blocks, 64 * block, true);
            if block == 0 {
                schedule_only(next, message, constants);
            } else {
                rounds_and_schedule(&mut state, now, next, message, constants);
            }
            (now, next) = (next, now);
        }
        if count > 0 {
            rounds_only(&mut state, now);
        }
    }
    for lane in 0..LANES {
        let (abef, cdgh) = (state.abef[lane], state.cdgh[lane]);
        let new = [
            _mm_extract_epi32::<3>(abef),
            _mm_extract_epi32::<2>(abef),
            _mm_extract_epi32::<3>(cdgh),
            _mm_extract_epi32::<2>(cdgh),
            _mm_extract_epi32::<1>(abef),
            _mm_extract_epi32::<0>(abef),
            _mm_extract_epi32::<1>(cdgh),
            _mm_extract_epi32::<0>(cdgh),
        ];
        for (at, new) in new.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { word(at, lane).write(new.cast_unsigned()) };
        }
    }
}

/// Four rounds of the four messages of a group: `step` of sixteen.
macro_rules! rounds {
    ($abef:ident, $cdgh:ident, $schedule:expr, $group:expr, $step:literal) => {
        for message in 0..GROUP {
            // Messages 0 and 1 of a group lie in the first half of a row, 2 and 3 in the second.
            let place = message / 2 * 8 + 2 * $group + message % 2;
            // SAFETY: there are 32 rows, and place is less than 16.
            let (first, second) = unsafe {
                let row = $schedule.0.as_ptr().add(2 * $step).cast::<u64>().add(place);
                (_mm_loadl_epi64(row.cast()), _mm_loadl_epi64(row.add(LANES).cast()))
            };
            $cdgh[message] = _mm_sha256rnds2_epu32($cdgh[message], $abef[message], first);
            $abef[message] = _mm_sha256rnds2_epu32($abef[message], $cdgh[message], second);
        }
    };
}

/// One word of the schedule of every message, the one for round 16 * `group` + `step`. Every second one is kept for the
/// next, with which it makes a row.
macro_rules! schedule {
    ($w:ident, $kept:ident, $schedule:ident, $constants:ident, $group:expr, $step:literal) => {
        if $group > 0 {
            $w[$step] = Sha256::next_word(&$w, $step);
        }
        let sum = $w[$step].add($w[$step].all($constants[16 * $group + $step]));
        if $step % 2 == 0 {
            $kept = sum;
        } else {
            // SAFETY: there are 32 rows of 128 bytes.
            unsafe {
                let row = $schedule.0.as_mut_ptr().add(8 * $group + $step / 2).cast::<u32>();
                let [low, high] = $kept.interleaved(sum);
                low.store(row);
                high.store(row.add(16));
            }
        }
    };
}

/// The schedule of the first block.
#[target_feature(enable = "avx512f,avx512bw,sha,ssse3,sse4.1")]
fn schedule_only(next: &mut Schedule, mut w: [Avx512Short; 16], constants: &[u32; 64]) {
    let mut kept = w[0];
    for group in 0..4 {
        macro_rules! step {
            ($step:literal) => {
                schedule!(w, kept, next, constants, group, $step);
            };
        }
        sixteen!(step);
    }
}

/// The rounds of the last block.
#[target_feature(enable = "avx512f,avx512bw,sha,ssse3,sse4.1")]
fn rounds_only(state: &mut Chaining, now: &Schedule) {
    for group in 0..4 {
        let (mut abef, mut cdgh) = state.of(group);
        macro_rules! step {
            ($step:literal) => {
                rounds!(abef, cdgh, now, group, $step);
            };
        }
        sixteen!(step);
        state.add(group, abef, cdgh);
    }
}

/// The rounds of one block and the schedule of the next.
#[target_feature(enable = "avx512f,avx512bw,sha,ssse3,sse4.1")]
fn rounds_and_schedule(
    state: &mut Chaining,
    now: &Schedule,
    next: &mut Schedule,
    mut w: [Avx512Short; 16],
    constants: &[u32; 64],
) {
    let mut kept = w[0];
    for group in 0..4 {
        let (mut abef, mut cdgh) = state.of(group);
        macro_rules! step {
            ($step:literal) => {
                rounds!(abef, cdgh, now, group, $step);
                schedule!(w, kept, next, constants, group, $step);
            };
        }
        sixteen!(step);
        state.add(group, abef, cdgh);
    }
}

impl Chaining {
    /// The words of a group.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn of(&self, group: usize) -> ([__m128i; GROUP], [__m128i; GROUP]) {
        let messages = GROUP * group;
        (
            std::array::from_fn(|message| self.abef[messages + message]),
            std::array::from_fn(|message| self.cdgh[messages + message]),
        )
    }

    /// Adds the words of a group.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn add(&mut self, group: usize, abef: [__m128i; GROUP], cdgh: [__m128i; GROUP]) {
        for message in 0..GROUP {
            let place = GROUP * group + message;
            self.abef[place] = _mm_add_epi32(self.abef[place], abef[message]);
            self.cdgh[place] = _mm_add_epi32(self.cdgh[place], cdgh[message]);
        }
    }
}
