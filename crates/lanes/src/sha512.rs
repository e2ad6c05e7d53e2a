//! SHA-512 of one message: the rounds word by word, the schedules of as many blocks as there are lanes over vectors.
//!
//! Rounds and schedules need nothing of each other but what the rounds of a block find in a table, and other units of the CPU
//! compute them. So that both have work at any time, the rounds go with the schedules of the blocks that follow.
//!
//! All of it is in the order of the text, and a block is one piece of it. Sums have no order that a compiler would have to keep,
//! and the one that it chooses takes a twelfth longer; and whatever it would do between the rounds, it would do with the registers
//! of their words.

use std::arch::asm;
use std::arch::x86_64::_mm_cvtsi64_si128;
use std::hint::black_box;
use std::mem;

use crate::designs::{Design as _, FEW, SHA512_K, Scheduled as _, Sha512};
use crate::vector::{Avx2Long, Avx512Long, Block, One, Vector};

const ROUNDS: usize = 80;

/// What each round adds, constant included, for the block of each lane.
#[repr(align(64))]
struct Table<const LANES: usize>([[u64; LANES]; ROUNDS]);

impl<const LANES: usize> Table<LANES> {
    const fn new() -> Self {
        Self([[0; LANES]; ROUNDS])
    }
}

/// What the schedule adds.
#[repr(C)]
struct Constants {
    k: [u64; ROUNDS],
    /// What is added to the sum of two rows for a third: its constant, and not those of the two.
    further: [u64; ROUNDS],
}

static CONSTANTS: Constants = {
    let mut further = [0; ROUNDS];
    let mut row = 16;
    while row < ROUNDS {
        further[row] = SHA512_K[row].wrapping_sub(SHA512_K[row - 16]).wrapping_sub(SHA512_K[row - 7]);
        row += 1;
    }
    Constants { k: SHA512_K, further }
};

/// Takes in the blocks of one message, with AVX-512.
///
/// # Safety
/// That of a kernel with one lane, and the CPU has AVX-512 F and BW, BMI1 and BMI2.
#[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2")]
pub(crate) unsafe fn by_avx512(words: *mut u64, blocks: *const *const u8, count: usize) {
    // SAFETY: the caller promises eight words, one pointer with `count` blocks behind it, and the instructions.
    unsafe {
        let mut message = Message { state: words.cast::<[u64; 8]>().read(), place: *blocks, count };
        if message.count > 8 + FEW {
            message.woven();
        } else if message.count > FEW {
            let mut table = Table::new();
            message.schedule::<Avx512Long, 8>(&mut table);
            message.rounds_of(&table);
        }
        message.rest();
        words.cast::<[u64; 8]>().write(message.state);
    }
}

/// Takes in the blocks of one message, with AVX2.
///
/// # Safety
/// That of a kernel with one lane, and the CPU has AVX2, BMI1 and BMI2.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(crate) unsafe fn by_avx2(words: *mut u64, blocks: *const *const u8, count: usize) {
    // SAFETY: the caller promises eight words, one pointer with `count` blocks behind it, and the instructions.
    unsafe {
        let mut message = Message { state: words.cast::<[u64; 8]>().read(), place: *blocks, count };
        if message.count > FEW {
            let mut table = Table::new();
            while message.count > FEW {
                message.schedule::<Avx2Long, 4>(&mut table);
                message.rounds_of(&table);
            }
        }
        message.rest();
        words.cast::<[u64; 8]>().write(message.state);
    }
}

/// What is left of a message.
struct Message {
    state: [u64; 8],
    place: *const u8,
    /// Blocks.
    count: usize,
}

impl Message {
    /// The blocks that are next, one for each lane. Those past the last one are the first one again.
    #[inline(always)]
    fn places<const LANES: usize>(&self) -> [*const u8; LANES] {
        std::array::from_fn(|lane| {
            let at = if lane < self.count { lane } else { 0 };
            self.place.wrapping_add(at * Sha512::BLOCK_BYTES)
        })
    }

    /// Computes the schedules of the next blocks.
    ///
    /// # Safety
    /// There is a block at least, and the CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn schedule<V: Vector<Word = u64>, const LANES: usize>(&self, table: &mut Table<LANES>) {
        let places = self.places::<LANES>();
        // SAFETY: there is a block behind each place, and the caller promises the instructions.
        let block = unsafe { Block::new(places.as_ptr(), 0, Sha512::BLOCK_BYTES, true) };
        Sha512::schedule::<V, LANES>(block, black_box(&CONSTANTS.k), &mut table.0);
    }

    /// Computes the rows of the schedules of the next blocks that are words of the message.
    ///
    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn begin_schedule<V: Vector<Word = u64>, const LANES: usize>(&self, table: &mut Table<LANES>) {
        let places = self.places::<LANES>();
        // SAFETY: as above.
        let block = unsafe { Block::<V>::new(places.as_ptr(), 0, Sha512::BLOCK_BYTES, true) };
        for ((word, k), row) in block.words::<16>().into_iter().zip(&CONSTANTS.k).zip(&mut table.0) {
            word.add(word.all_of(k)).put(row);
        }
    }

    /// Takes in eight blocks at a time, and computes the schedules of those that follow, until there are few or none.
    ///
    /// # Safety
    /// There are more than eight blocks, and the CPU has AVX-512 F and BW, BMI1 and BMI2.
    #[inline(always)]
    unsafe fn woven(&mut self) {
        // Side by side: at some distances the CPU takes what is read from one of them for what was just written to the other, for they
        // differ in the upper bits of their addresses only.
        let mut tables = [const { Table::new() }; 2];
        let [mut now, mut next] = tables.each_mut();
        // SAFETY: there are blocks, also behind the eight. A table has 64 rows behind the first sixteen, and the constants are those of
        // its rows. The caller promises the instructions.
        unsafe {
            self.schedule::<Avx512Long, 8>(now);
            while self.count > 8 + FEW {
                let place = self.place.wrapping_add(8 * Sha512::BLOCK_BYTES);
                let following = Self { place, count: self.count - 8, ..*self };
                following.begin_schedule::<Avx512Long, 8>(next);
                for lane in 0..8 {
                    let row = 16 + 8 * lane;
                    let rows = next.0.as_mut_ptr().add(row);
                    let constants = (&raw const CONSTANTS).cast::<u64>().add(row);
                    rounds_and_rows(&mut self.state, now.0.as_ptr().cast::<u64>().add(lane), rows, constants);
                }
                (self.place, self.count) = (following.place, following.count);
                mem::swap(&mut now, &mut next);
            }
            self.rounds_of(now);
        }
    }

    /// Takes in the next blocks, as many as have a schedule.
    ///
    /// # Safety
    /// The CPU has BMI1 and BMI2.
    #[inline(always)]
    unsafe fn rounds_of<const LANES: usize>(&mut self, table: &Table<LANES>) {
        let there = self.count.min(LANES);
        for lane in 0..there {
            // SAFETY: the table has a word of each round for each lane. The caller promises the instructions.
            unsafe { rounds::<LANES>(&mut self.state, table.0.as_ptr().cast::<u64>().add(lane)) };
        }
        self.place = self.place.wrapping_add(there * Sha512::BLOCK_BYTES);
        self.count -= there;
    }

    /// Takes in all that is left, block by block.
    ///
    /// # Safety
    /// The CPU has BMI1 and BMI2.
    #[inline(always)]
    unsafe fn rest(&mut self) {
        while self.count > 0 {
            let mut table = Table::<1>::new();
            // SAFETY: there is a block. Every CPU has the instructions of one word; the caller promises those of the rounds.
            unsafe {
                self.schedule::<One<u64>, 1>(&mut table);
                self.rounds_of(&table);
            }
        }
    }
}

/// The operations of a round: the eight words, the difference of the second and third one, a register for that of the first two, and
/// the number of the round as eights and the rest.
///
/// Three operations follow the fifth word, and then one addition: the fourth word has all else by then.
#[rustfmt::skip]
macro_rules! round {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $known:literal $new:literal, $eights:literal $rest:literal) => {
        concat!(
            "add ", $h, ", [{added} + (8 * ", $eights, " + ", $rest, ") * {stride}]\n",
            "andn {t}, ", $e, ", ", $g, "\n",
            "mov {u}, ", $f, "\n",
            "add ", $d, ", ", $h, "\n",
            "and {u}, ", $e, "\n",
            "rorx ", $new, ", ", $e, ", 41\n",
            "add ", $h, ", {v}\n",
            "add {t}, {u}\n",
            "rorx {u}, ", $e, ", 18\n",
            "rorx {v}, ", $e, ", 14\n",
            "xor ", $new, ", {u}\n",
            "add ", $d, ", {t}\n",
            "and ", $known, ", ", $a, "\n",
            "xor ", $new, ", {v}\n",
            "add ", $d, ", ", $new, "\n",
            "add {t}, ", $new, "\n",
            "add ", $h, ", ", $known, "\n",
            "mov ", $new, ", ", $a, "\n",
            "mov {v}, ", $a, "\n",
            "rorx {u}, ", $a, ", 39\n",
            "rorx ", $known, ", ", $a, ", 34\n",
            "add ", $h, ", {t}\n",
            "xor ", $new, ", ", $b, "\n",
            "xor {u}, ", $known, "\n",
            "rorx ", $known, ", ", $a, ", 28\n",
            "and {v}, ", $b, "\n",
            "xor {u}, ", $known, "\n",
            "add ", $h, ", {u}\n",
        )
    };
}

/// Eight rounds, after which the words are in their places again.
#[rustfmt::skip]
macro_rules! eight_rounds {
    ($eights:literal) => {
        concat!(
            round!("{a}" "{b}" "{c}" "{d}" "{e}" "{f}" "{g}" "{h}", "{x}" "{y}", $eights 0),
            round!("{h}" "{a}" "{b}" "{c}" "{d}" "{e}" "{f}" "{g}", "{y}" "{x}", $eights 1),
            round!("{g}" "{h}" "{a}" "{b}" "{c}" "{d}" "{e}" "{f}", "{x}" "{y}", $eights 2),
            round!("{f}" "{g}" "{h}" "{a}" "{b}" "{c}" "{d}" "{e}", "{y}" "{x}", $eights 3),
            round!("{e}" "{f}" "{g}" "{h}" "{a}" "{b}" "{c}" "{d}", "{x}" "{y}", $eights 4),
            round!("{d}" "{e}" "{f}" "{g}" "{h}" "{a}" "{b}" "{c}", "{y}" "{x}", $eights 5),
            round!("{c}" "{d}" "{e}" "{f}" "{g}" "{h}" "{a}" "{b}", "{x}" "{y}", $eights 6),
            round!("{b}" "{c}" "{d}" "{e}" "{f}" "{g}" "{h}" "{a}", "{y}" "{x}", $eights 7),
        )
    };
}

/// A row of eight schedules, the one behind `$row` others: of the rows 16, 15, 7 and 2 before it, from which constants are taken where
/// they would not add up.
#[rustfmt::skip]
macro_rules! row {
    ($row:literal) => {
        concat!(
            "vmovq {t}, {rows}\n",
            "vmovq {u}, {constants}\n",
            "vmovdqa64 zmm0, [{t} + (", $row, " - 15) * 64]\n",
            "vmovdqa64 zmm1, [{t} + (", $row, " - 2) * 64]\n",
            "vpsubq zmm0, zmm0, qword ptr [{u} + (", $row, " - 15) * 8]{{1to8}}\n",
            "vpsubq zmm1, zmm1, qword ptr [{u} + (", $row, " - 2) * 8]{{1to8}}\n",
            "vmovdqa64 zmm2, [{t} + (", $row, " - 16) * 64]\n",
            "vpaddq zmm2, zmm2, [{t} + (", $row, " - 7) * 64]\n",
            "vpaddq zmm2, zmm2, qword ptr [{u} + (", $row, " + 80) * 8]{{1to8}}\n",
            "vprorq zmm3, zmm0, 1\n",
            "vprorq zmm4, zmm0, 8\n",
            "vpsrlq zmm0, zmm0, 7\n",
            "vpternlogq zmm0, zmm3, zmm4, 0x96\n",
            "vprorq zmm3, zmm1, 19\n",
            "vprorq zmm4, zmm1, 61\n",
            "vpsrlq zmm1, zmm1, 6\n",
            "vpternlogq zmm1, zmm3, zmm4, 0x96\n",
            "vpaddq zmm2, zmm2, zmm0\n",
            "vpaddq zmm2, zmm2, zmm1\n",
            "vmovdqa64 [{t} + ", $row, " * 64], zmm2\n",
        )
    };
}

/// Takes in a block: the rounds, and what goes with them.
macro_rules! asm_rounds {
    ($state:ident $added:ident $stride:expr; $($text:expr),+; $($operands:tt)*) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *$state;
        asm!(
            "mov {x}, {b}",
            "xor {x}, {c}",
            "mov {v}, {b}",
            "and {v}, {c}",
            $($text,)+
            a = inout(reg) a,
            b = inout(reg) b,
            c = inout(reg) c,
            d = inout(reg) d,
            e = inout(reg) e,
            f = inout(reg) f,
            g = inout(reg) g,
            h = inout(reg) h,
            added = in(reg) $added,
            stride = const $stride,
            x = out(reg) _,
            y = out(reg) _,
            t = out(reg) _,
            u = out(reg) _,
            v = out(reg) _,
            $($operands)*
        );
        for (word, new) in $state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(new);
        }
    };
}

/// Takes in a block. What the rounds add lies `LANES` words apart.
///
/// # Safety
/// The CPU has BMI1 and BMI2. `added` is valid for reading [`ROUNDS`] words, each `LANES` behind the one before.
#[inline(never)]
unsafe fn rounds<const LANES: usize>(state: &mut [u64; 8], added: *const u64) {
    // SAFETY: the caller promises the instructions and the memory that is read. Nothing else is touched but registers.
    unsafe {
        asm_rounds!(
            state added LANES * size_of::<u64>();
            eight_rounds!(0), eight_rounds!(1), eight_rounds!(2), eight_rounds!(3), eight_rounds!(4),
            eight_rounds!(5), eight_rounds!(6), eight_rounds!(7), eight_rounds!(8), eight_rounds!(9);
            options(pure, readonly, nostack)
        );
    }
}

/// Takes in a block of eight, and computes eight rows of the schedules of others.
///
/// Written out for each lane of a loop, it does not fit into the caches for code. It may not be, but where a function has a
/// `target_feature` the compiler forgets that; and assembly does not ask for one.
///
/// # Safety
/// The CPU has AVX-512 F, BMI1 and BMI2. `added` is as for [`rounds`], of eight lanes. `rows` points into another [`Table`]: sixteen rows
/// lie before it, and it is valid for writing eight. `constants` is the place of its row in [`CONSTANTS`].
#[inline(never)]
unsafe fn rounds_and_rows(
    state: &mut [u64; 8],
    added: *const u64,
    rows: *mut [u64; 8],
    constants: *const u64,
) {
    // The rounds leave no registers for them but these.
    // SAFETY: every CPU with 64 bits has them.
    let kept = |address: usize| unsafe { _mm_cvtsi64_si128(address.cast_signed() as i64) };
    let (rows, constants) = (kept(rows.expose_provenance()), kept(constants.expose_provenance()));
    // SAFETY: the caller promises the instructions, and the memory that is read and written. Nothing else is touched but registers.
    unsafe {
        asm_rounds!(
            state added size_of::<[u64; 8]>();
            row!(0), eight_rounds!(0), row!(1), eight_rounds!(1), row!(2), eight_rounds!(2), row!(3), eight_rounds!(3),
            row!(4), eight_rounds!(4), row!(5), eight_rounds!(5), row!(6), eight_rounds!(6), row!(7), eight_rounds!(7),
            eight_rounds!(8), eight_rounds!(9),
            // What follows here is compiled without vectors of more than 128 bits.
            "vzeroupper";
            rows = in(xmm_reg) rows,
            constants = in(xmm_reg) constants,
            out("xmm0") _,
            out("xmm1") _,
            out("xmm2") _,
            out("xmm3") _,
            out("xmm4") _,
            options(nostack)
        );
    }
}
