//! SHA-256 of eight messages: the rounds by the SHA extensions, the message schedule by AVX-512.
//!
//! The extensions do two rounds in one instruction, and one such instruction a cycle; but what they have for the message
//! schedule keeps the same unit busy for almost as long. AVX-512 computes the schedule of eight messages at once, on
//! units that are idle meanwhile. So that both have work at any time, the rounds of a block go with the schedule of the
//! next one.
//!
//! They have to go together closely, for a CPU looks ahead by some hundred instructions only: four rounds of four messages are
//! eight instructions of the extensions, and with each of them go a few of the schedule's. The order is that of the text, which
//! [`pinned`] makes the compiler keep.

use std::arch::x86_64::*;

use crate::designs::{Design, Sha256, sixteen};
use crate::vector::{Avx512HalfShort, Vector, pinned};

/// Messages side by side.
const LANES: usize = 8;

/// Messages whose rounds are interleaved: as many as an instruction of two rounds takes cycles.
const GROUP: usize = 4;

/// What a block adds in its rounds, message words and constants summed: 32 rows of what two rounds need. A row holds for
/// each message the words of both rounds side by side; messages 0, 1, 4 and 5 come first, then the others.
#[repr(align(64))]
struct Schedule([[u64; LANES]; 32]);

/// The chaining words of all messages, as the instructions take them.
struct Chaining {
    abef: [__m128i; LANES],
    cdgh: [__m128i; LANES],
}

/// Takes in the blocks of eight messages.
///
/// # Safety
/// That of a kernel with eight lanes, and the CPU has AVX-512 F, BW and VL, SHA, SSSE3 and SSE4.1.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,sha,ssse3,sse4.1")]
pub(crate) unsafe fn sha256(words: *mut u32, blocks: *const *const u8, count: usize) {
    // SAFETY: the caller promises the words of eight lanes.
    let word = |word: usize, lane: usize| unsafe { words.add(word * LANES + lane) };
    let mut state = Chaining { abef: [_mm_setzero_si128(); LANES], cdgh: [_mm_setzero_si128(); LANES] };
    for lane in 0..LANES {
        // SAFETY: as above.
        let of = |at: usize| unsafe { word(at, lane).read().cast_signed() };
        state.abef[lane] = _mm_set_epi32(of(0), of(1), of(4), of(5));
        state.cdgh[lane] = _mm_set_epi32(of(2), of(3), of(6), of(7));
    }
    let mut schedules = [Schedule([[0; LANES]; 32]), Schedule([[0; LANES]; 32])];
    let [mut now, mut next] = schedules.each_mut();
    // SAFETY: the caller promises `count` blocks of each message.
    unsafe {
        for block in 0..count {
            if block == 0 {
                woven::<false, true>(&mut state, now, next, blocks, 0);
            } else {
                woven::<true, true>(&mut state, now, next, blocks, 64 * block);
            }
            (now, next) = (next, now);
        }
        if count > 0 {
            woven::<true, false>(&mut state, now, next, blocks, 0);
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

/// The rounds of a block whose schedule is in `now`, and the schedule of the block at `offset` into `next`: both, or one of
/// them.
///
/// # Safety
/// With `SCHEDULE`, `blocks` is valid for reading eight pointers, each of them, moved by `offset` bytes, for reading a block.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,sha,ssse3,sse4.1")]
unsafe fn woven<const ROUNDS: bool, const SCHEDULE: bool>(
    state: &mut Chaining,
    now: &Schedule,
    next: &mut Schedule,
    blocks: *const *const u8,
    offset: usize,
) {
    // SAFETY: the CPU has the instructions, or this function could not be called. An array of zeros has eight of them. The
    // caller promises the pointers and the blocks.
    unsafe {
        let none = Avx512HalfShort::load([0; LANES].as_ptr());
        let mut scheduling = Scheduling { blocks, offset, next, w: [none; 16], four: [none; 4] };
        woven_group::<ROUNDS, SCHEDULE, 0>(state, now, &mut scheduling);
        woven_group::<ROUNDS, SCHEDULE, 1>(state, now, &mut scheduling);
    }
}

/// The rounds of one group, and half of the schedule of all messages.
///
/// # Safety
/// The CPU has what [`sha256`] needs. With `SCHEDULE`, that of [`Scheduling::part`].
#[inline(always)]
unsafe fn woven_group<const ROUNDS: bool, const SCHEDULE: bool, const AT: usize>(
    state: &mut Chaining,
    now: &Schedule,
    scheduling: &mut Scheduling<'_>,
) {
    // SAFETY: the caller promises the instructions, and what the schedule reads.
    unsafe {
        let (mut abef, mut cdgh) = state.of(AT);
        macro_rules! two_rounds {
            ($step:literal $half:literal $message:literal $one:ident $other:ident) => {
                if ROUNDS {
                    let added = now.of_two_rounds(2 * $step + $half, GROUP * AT + $message);
                    $one[$message] = pinned(_mm_sha256rnds2_epu32($one[$message], $other[$message], added));
                }
                if SCHEDULE {
                    scheduling.part(16 * AT + $step, GROUP * $half + $message);
                }
            };
        }
        // Four rounds of the four messages, and two words of the schedule.
        macro_rules! step {
            ($step:literal) => {
                two_rounds!($step 0 0 cdgh abef);
                two_rounds!($step 0 1 cdgh abef);
                two_rounds!($step 0 2 cdgh abef);
                two_rounds!($step 0 3 cdgh abef);
                two_rounds!($step 1 0 abef cdgh);
                two_rounds!($step 1 1 abef cdgh);
                two_rounds!($step 1 2 abef cdgh);
                two_rounds!($step 1 3 abef cdgh);
            };
        }
        sixteen!(step);
        if ROUNDS {
            state.add(AT, abef, cdgh);
        }
    }
}

/// The schedule of a block as it comes into being: 32 rows, each of two words, each in eight parts.
struct Scheduling<'a> {
    blocks: *const *const u8,
    offset: usize,
    next: &'a mut Schedule,
    /// The last sixteen words.
    w: [Avx512HalfShort; 16],
    /// What one part leaves for the next.
    four: [Avx512HalfShort; 4],
}

impl Scheduling<'_> {
    /// A part of a row. Both are constants: nothing of the choice is left. The compiler may know the constants that are added:
    /// what is pinned is not added in another order.
    ///
    /// # Safety
    /// The CPU has AVX-512 F, BW and VL. `blocks` is valid for reading eight pointers, each of them, moved by `offset` bytes, for reading a block.
    #[inline(always)]
    unsafe fn part(&mut self, row: usize, part: usize) {
        let (i, j) = (2 * row % 16, (2 * row + 1) % 16);
        // The first sixteen words are those of the message: four of them with every second row.
        let column = row < 8 && row.is_multiple_of(2);
        let w = &mut self.w;
        let [one, two, three, four] = &mut self.four;
        match part {
            // SAFETY: the caller promises the instructions, the pointers and the blocks; this reads a quarter of a block.
            0 | 1 if column => unsafe {
                let of = |lane| Avx512HalfShort::two_rows(self.blocks, lane, self.offset + 8 * row);
                if part == 0 {
                    [*one, *two] = [of(0).pinned(), of(1).pinned()];
                } else {
                    [*three, *four] = [of(2).pinned(), of(3).pinned()];
                }
            },
            2 if column => {
                [*one, *two] = one.interleaved(*two).map(Avx512HalfShort::pinned);
                [*three, *four] = three.interleaved(*four).map(Avx512HalfShort::pinned);
            }
            3 if column => {
                [w[i], w[j]] = one.interleaved_pairs(*three).map(Avx512HalfShort::pinned);
                [w[i + 2], w[j + 2]] = two.interleaved_pairs(*four).map(Avx512HalfShort::pinned);
            }
            0..=5 if row < 8 => (),
            // The others come of those before them.
            0 => *one = Sha256::small_0(w[(i + 1) % 16]).pinned(),
            1 => *two = Sha256::small_0(w[(j + 1) % 16]).pinned(),
            2 => {
                w[i] = w[i].add(w[(i + 9) % 16]).add(*one).pinned();
                w[j] = w[j].add(w[(j + 9) % 16]).add(*two).pinned();
            }
            3 => *one = Sha256::small_1(w[(i + 14) % 16]).pinned(),
            4 => *two = Sha256::small_1(w[(j + 14) % 16]).pinned(),
            5 => {
                w[i] = w[i].add(*one).pinned();
                w[j] = w[j].add(*two).pinned();
            }
            6 => {
                *one = w[i].add(one.all(Sha256::CONSTANTS[2 * row])).pinned();
                *two = w[j].add(two.all(Sha256::CONSTANTS[2 * row + 1])).pinned();
            }
            _ => {
                let (halves, _) = self.next.0[row].as_chunks_mut::<{ LANES / 2 }>();
                for (half, words) in halves.iter_mut().zip(one.interleaved(*two)) {
                    // SAFETY: half a row has as many bytes as a vector.
                    unsafe { words.store(half.as_mut_ptr().cast()) };
                }
            }
        }
    }
}

impl Schedule {
    /// What two rounds of a message add.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn of_two_rounds(&self, row: usize, message: usize) -> __m128i {
        const PLACES: [usize; LANES] = [0, 1, 4, 5, 2, 3, 6, 7];
        // SAFETY: eight bytes are read, those of the word.
        unsafe { _mm_loadl_epi64(std::ptr::from_ref(&self.0[row][PLACES[message]]).cast()) }
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
