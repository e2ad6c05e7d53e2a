//! Kernels: one compression function over the blocks of several messages, compiled for one instruction set.
//!
//! The chaining words of a kernel's lanes lie in columns: word `w` of lane `l` at `w * lanes + l`.

#[cfg(target_arch = "x86_64")]
use std::marker::PhantomData;

use crate::backend::Backend;
use crate::cpu::Core;
use crate::designs::{Blake2b, Design, MAX_WORDS, Md4, Md5, Sha1, Sha3_256, Sha3_512, Sha256, Sha512, Sm3};
#[cfg(target_arch = "x86_64")]
use crate::designs::{FEW, MAX_ROUNDS, Pause, Scheduled, Unscheduled};
use crate::vector::{Block, One, Several, Vector};

/// What takes in blocks.
///
/// # Safety
/// The CPU has the instructions of the kernel's backend. The first pointer is valid for reading and writing the chaining words of
/// all lanes, the second for reading one pointer a lane, each of those for reading the given number of blocks.
type Run<W> = unsafe fn(*mut W, *const *const u8, usize);

/// A compression function for a number of messages side by side.
pub(crate) struct Kernel<W: 'static> {
    pub(crate) backend: Backend,
    /// How many messages.
    pub(crate) lanes: usize,
    pub(crate) rates: Rates,
    pub(crate) run: Run<W>,
}

/// Bytes in a nanosecond with all lanes taken, measured on a CPU of each kind. Only the ratios on one count.
pub(crate) struct Rates {
    zen4: f32,
    zen5: f32,
    golden_cove: f32,
}

impl Rates {
    pub(crate) fn on(&self, core: Core) -> f32 {
        match core {
            Core::Zen4 => self.zen4,
            Core::Zen5 => self.zen5,
            Core::GoldenCove => self.golden_cove,
        }
    }
}

/// The backends that this CPU has for a design, in the order of [`Backend::ALL`].
pub(crate) fn backends<D: Kernels>() -> Vec<Backend> {
    let has = |backend: &Backend| D::kernels().iter().any(|kernel| kernel.backend == *backend);
    Backend::ALL.into_iter().filter(|backend| backend.is_available() && has(backend)).collect()
}

/// The kernels that this CPU has for a design: backend and lanes.
pub(crate) fn available<D: Kernels>() -> Vec<(Backend, usize)> {
    let available = D::kernels().iter().filter(|kernel| kernel.backend.is_available());
    available.map(|kernel| (kernel.backend, kernel.lanes)).collect()
}

/// A design with its kernels.
pub(crate) trait Kernels: Design {
    /// One of them is for a single message, and every CPU has it.
    fn kernels() -> &'static [Kernel<Self::Word>];
}

/// A local that is aligned so makes the compiler align the frame that it lies in. Without one, vectors that do not fit into
/// registers lie across two lines of the cache.
#[repr(align(64))]
struct Aligned<T>(T);

/// The text of every kernel over vectors.
///
/// # Safety
/// The CPU has the instructions of `V`, and see [`Run`].
#[inline(always)]
unsafe fn over_vectors<D: Design, V: Vector<Word = D::Word>>(
    words: *mut D::Word,
    blocks: *const *const u8,
    count: usize,
) {
    // SAFETY: the caller promises the instructions, words for all lanes and as many blocks of each as there are turns.
    unsafe {
        let mut state = [V::load(words); MAX_WORDS];
        for (word, column) in state[..D::WORDS].iter_mut().enumerate() {
            *column = V::load(words.add(word * V::LANES));
        }
        let Aligned(constants) = std::hint::black_box(Aligned(D::CONSTANTS));
        for number in 0..count {
            let block = Block::new(blocks, number * D::BLOCK_BYTES, D::BLOCK_BYTES, D::BIG_ENDIAN);
            D::compress(&mut state, block, constants);
        }
        for (word, column) in state[..D::WORDS].iter().enumerate() {
            column.store(words.add(word * V::LANES));
        }
    }
}

/// The text of every kernel for one message whose schedules are computed over vectors, those of as many blocks as there are lanes,
/// and whose rounds are computed word by word.
///
/// # Safety
/// The CPU has the instructions of `V`, and see [`Run`], for one lane.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn over_schedules<D: Scheduled, V: Vector<Word = D::Word>, const LANES: usize>(
    words: *mut D::Word,
    blocks: *const *const u8,
    mut count: usize,
) where
    One<D::Word>: Vector<Word = D::Word>,
{
    const { assert!(LANES == V::LANES) };
    // SAFETY: the caller promises the instructions, the words of one lane, and `count` blocks behind the one pointer. `places` has
    // a pointer for each lane of `V`, with a block behind it: those past the last block point at the first one of these.
    unsafe {
        let mut state = [One::<D::Word>::load(words); MAX_WORDS];
        for (word, own) in state[..D::WORDS].iter_mut().enumerate() {
            *own = One::<D::Word>::load(words.add(word));
        }
        let Aligned(constants) = std::hint::black_box(Aligned(D::CONSTANTS));
        let mut place = *blocks;
        if count > FEW {
            let mut table = Aligned([[D::Word::default(); LANES]; MAX_ROUNDS]);
            while count > FEW {
                let there = count.min(LANES);
                let places: [*const u8; LANES] = std::array::from_fn(|lane| {
                    place.add(if lane < there { lane * D::BLOCK_BYTES } else { 0 })
                });
                let block = Block::new(places.as_ptr(), 0, D::BLOCK_BYTES, D::BIG_ENDIAN);
                D::schedule::<V, LANES>(block, constants, &mut table.0);
                for lane in 0..there {
                    D::rounds(&mut state, &table.0, lane);
                }
                place = place.add(there * D::BLOCK_BYTES);
                count -= there;
            }
        }
        for number in 0..count {
            let block = Block::new(&raw const place, number * D::BLOCK_BYTES, D::BLOCK_BYTES, D::BIG_ENDIAN);
            D::compress(&mut state, block, constants);
        }
        for (word, own) in state[..D::WORDS].iter().enumerate() {
            own.store(words.add(word));
        }
    }
}

/// Turns the words of a block of the lanes of one vector after the other, in the pauses between the rounds of another block.
#[cfg(target_arch = "x86_64")]
struct Turn<'a, D, V, const N: usize> {
    blocks: *const *const u8,
    /// Which block, if there are that many.
    number: usize,
    count: usize,
    turned: &'a mut [Several<V, N>; 16],
    design: PhantomData<D>,
}

#[cfg(target_arch = "x86_64")]
impl<'a, D, V, const N: usize> Turn<'a, D, V, N> {
    /// Turns the words of the block with this number, if there are that many, into `turned`.
    ///
    /// # Safety
    /// As long as the value is used, `blocks` is valid for reading a pointer for each lane of `N` vectors of `V`, each of them for reading
    /// `count` blocks of `D`.
    #[inline(always)]
    unsafe fn new(
        blocks: *const *const u8,
        number: usize,
        count: usize,
        turned: &'a mut [Several<V, N>; 16],
    ) -> Self {
        Self { blocks, number, count, turned, design: PhantomData }
    }
}

#[cfg(target_arch = "x86_64")]
impl<D: Design, V: Vector<Word = D::Word>, const N: usize> Pause for Turn<'_, D, V, N> {
    #[inline(always)]
    fn pause(&mut self, vector: usize) {
        if vector < N && self.number < self.count {
            // SAFETY: the values in `turned` are the proof of the instructions. The rest is the promise of [`Turn::new`].
            let block = unsafe {
                let offset = self.number * D::BLOCK_BYTES;
                Block::<V>::new(self.blocks.add(vector * V::LANES), offset, D::BLOCK_BYTES, D::BIG_ENDIAN)
            };
            Several::put_vector(self.turned, vector, block.words());
        }
    }
}

/// The text of the kernels over vectors that turn the words of the next block into lanes between the rounds of this one.
///
/// Words in registers leave none for the chains of several vectors. Here the additions take them from memory, and only the
/// words of one vector are in registers at a time, in the pauses, while the chains go on.
///
/// # Safety
/// The CPU has the instructions of `V`, and see [`Run`], for the lanes of `N` vectors.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn over_turned<D: Unscheduled, V: Vector<Word = D::Word>, const N: usize>(
    words: *mut D::Word,
    blocks: *const *const u8,
    count: usize,
) {
    const { assert!(N <= 4, "there are four pauses") };
    // SAFETY: the caller promises the instructions, words for all lanes and as many blocks of each as there are turns.
    unsafe {
        let mut state = [Several::<V, N>::load(words); MAX_WORDS];
        for (word, column) in state[..D::WORDS].iter_mut().enumerate() {
            *column = Several::load(words.add(word * N * V::LANES));
        }
        let mut turned = Aligned([[state[0]; 16]; 2]);
        let [mut now, mut next] = turned.0.each_mut();
        let mut first = Turn::<D, V, N>::new(blocks, 0, count, now);
        for vector in 0..N {
            first.pause(vector);
        }
        let Aligned(constants) = std::hint::black_box(Aligned(D::CONSTANTS));
        for number in 0..count {
            let turn = Turn::<D, V, N>::new(blocks, number + 1, count, next);
            D::rounds(&mut state, now, constants, turn);
            (now, next) = (next, now);
        }
        for (word, column) in state[..D::WORDS].iter().enumerate() {
            column.store(words.add(word * N * V::LANES));
        }
    }
}

/// Kernels of a design over vectors, for one message with its schedules over vectors, and those named besides.
macro_rules! kernels {
    ($design:ident: $word:ident; $($(#[$cfg:meta])? $backend:ident $($features:literal)?, $lanes:literal lanes at $zen4:literal $(or $other:literal)*: $run:tt;)+) => {
        impl Kernels for $design {
            fn kernels() -> &'static [Kernel<$word>] {
                static KERNELS: &[Kernel<$word>] = &[$($(#[$cfg])? {
                    Kernel {
                        backend: Backend::$backend,
                        lanes: $lanes,
                        rates: kernels!(@rates $zen4 $($other)*),
                        run: kernels!(@run $design $word $run $($features)?),
                    }
                },)+];
                KERNELS
            }
        }
    };
    (@rates $everywhere:literal) => {
        Rates { zen4: $everywhere, zen5: $everywhere, golden_cove: $everywhere }
    };
    (@rates $zen4:literal $zen5:literal) => {
        Rates { zen4: $zen4, zen5: $zen5, golden_cove: $zen4 }
    };
    (@rates $zen4:literal $zen5:literal $golden_cove:literal) => {
        Rates { zen4: $zen4, zen5: $zen5, golden_cove: $golden_cove }
    };
    (@run $design:ident $word:ident (over $vector:ty) $($features:literal)?) => {{
        $(#[target_feature(enable = $features)])?
        unsafe fn run(words: *mut $word, blocks: *const *const u8, count: usize) {
            // SAFETY: the caller promises what this function asks for, and the instructions that it enables.
            unsafe { over_vectors::<$design, $vector>(words, blocks, count) }
        }
        run
    }};
    (@run $design:ident $word:ident (scheduled over $vector:ty) $features:literal) => {{
        #[target_feature(enable = $features)]
        unsafe fn run(words: *mut $word, blocks: *const *const u8, count: usize) {
            // SAFETY: the caller promises what this function asks for, and the instructions that it enables.
            unsafe { over_schedules::<$design, $vector, { <$vector>::LANES }>(words, blocks, count) }
        }
        run
    }};
    (@run $design:ident $word:ident (turned over $count:literal $vector:ty) $features:literal) => {{
        #[target_feature(enable = $features)]
        unsafe fn run(words: *mut $word, blocks: *const *const u8, count: usize) {
            // SAFETY: the caller promises what this function asks for, and the instructions that it enables.
            unsafe { over_turned::<$design, $vector, $count>(words, blocks, count) }
        }
        run
    }};
    (@run $design:ident $word:ident (by $run:expr)) => {
        $run
    };
}

#[cfg(target_arch = "aarch64")]
use crate::armv8;
#[cfg(target_arch = "x86_64")]
use crate::vector::{Avx2Long, Avx2Short, Avx512HalfLong, Avx512HalfShort, Avx512Long, Avx512Short};
#[cfg(target_arch = "aarch64")]
use crate::vector::{NeonLong, NeonShort};
#[cfg(target_arch = "x86_64")]
use crate::{sha_ni, sha_ni_avx512, sha512};

// The rates of aarch64 are not measured: they are what the number of instructions and their latencies on a Neoverse
// N1, and for SHA-512 on an Apple M1, let one expect, as ratios to the portable kernels' rates.
//
// Those of the kernels for one message over schedules were measured on a Cascade Lake, as ratios to the portable kernels' rates.
// AVX-512 lowers that CPU's clock for the rounds too: its kernels are there for CPUs that keep it, and for who asks for
// AVX-512. That of SHA-512 is preferred, as measured on a Zen 5.
//
// Half-width vectors of AVX-512 compute as much in the same time on a CPU whose units have 256 bits (Zen 4: 0.93 to 0.99 of the
// rate of whole vectors) and half as much on one whose units have 512 (Zen 5). The rates here lie halfway, so that either
// CPU gains or loses little before it is calibrated. Of MD4 and MD5, which wait for their chain, they are those of Zen 4.
//
// The SHA extensions take no part in that: they do half as much on Zen 5 as vectors of AVX-512 do there, and more than these on
// Zen 4. On a Golden Cove several messages gain nothing from them. No rates in between serve all three, so SHA-1 and SHA-256 have rates for
// each: on Zen 4, on Zen 5, on Golden Cove.
kernels! {
    Md4: u32;
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 48 lanes at 20.5: (turned over 3 Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 32 lanes at 18.3: (turned over 2 Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 16 lanes at 13.1: (turned over 1 Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,avx512vl", 8 lanes at 8.6: (over Avx512HalfShort);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 16 lanes at 12.5: (over Several<Avx2Short, 2>);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 8 lanes at 8.0: (over Avx2Short);
    #[cfg(target_arch = "aarch64")] Neon, 16 lanes at 4.8: (over Several<NeonShort, 4>);
    #[cfg(target_arch = "aarch64")] Neon, 8 lanes at 4.0: (over Several<NeonShort, 2>);
    #[cfg(target_arch = "aarch64")] Neon, 4 lanes at 2.2: (over NeonShort);
    Portable, 1 lanes at 1.43: (over One<u32>);
}

kernels! {
    Md5: u32;
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 48 lanes at 14.5: (turned over 3 Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 32 lanes at 13.0: (turned over 2 Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 16 lanes at 9.2: (turned over 1 Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,avx512vl", 8 lanes at 5.2: (over Avx512HalfShort);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 16 lanes at 8.1: (over Several<Avx2Short, 2>);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 8 lanes at 5.0: (over Avx2Short);
    #[cfg(target_arch = "aarch64")] Neon, 16 lanes at 3.6: (over Several<NeonShort, 4>);
    #[cfg(target_arch = "aarch64")] Neon, 8 lanes at 3.0: (over Several<NeonShort, 2>);
    #[cfg(target_arch = "aarch64")] Neon, 4 lanes at 1.6: (over NeonShort);
    Portable, 1 lanes at 0.82: (over One<u32>);
}

kernels! {
    Sha1: u32;
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 16 lanes at 7.5 or 7.5 or 4.55: (over Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,avx512vl", 8 lanes at 5.6 or 5.6 or 3.24: (over Avx512HalfShort);
    #[cfg(target_arch = "x86_64")] ShaNi, 4 lanes at 4.6 or 4.6 or 1.0: (by sha_ni::sha1::<4>);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 8 lanes at 4.3 or 4.3 or 1.88: (over Avx2Short);
    #[cfg(target_arch = "x86_64")] ShaNi, 3 lanes at 4.2 or 4.2 or 1.02: (by sha_ni::sha1::<3>);
    #[cfg(target_arch = "x86_64")] ShaNi, 2 lanes at 3.4 or 3.4 or 1.16: (by sha_ni::sha1::<2>);
    #[cfg(target_arch = "x86_64")] ShaNi, 1 lanes at 1.96 or 1.96 or 1.14: (by sha_ni::sha1::<1>);
    #[cfg(target_arch = "aarch64")] ArmSha, 4 lanes at 3.9: (by armv8::sha1::<4>);
    #[cfg(target_arch = "aarch64")] ArmSha, 3 lanes at 3.7: (by armv8::sha1::<3>);
    #[cfg(target_arch = "aarch64")] ArmSha, 2 lanes at 3.4: (by armv8::sha1::<2>);
    #[cfg(target_arch = "aarch64")] ArmSha, 1 lanes at 2.1: (by armv8::sha1::<1>);
    #[cfg(target_arch = "aarch64")] Neon, 4 lanes at 1.6: (over NeonShort);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,bmi1,bmi2", 1 lanes at 1.35 or 1.35 or 0.576: (scheduled over Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2,bmi1,bmi2", 1 lanes at 1.4 or 1.4 or 0.529: (scheduled over Avx2Short);
    Portable, 1 lanes at 0.9 or 0.9 or 0.334: (over One<u32>);
}

kernels! {
    Sha256: u32;
    #[cfg(target_arch = "x86_64")] ShaNiAvx512, 8 lanes at 5.4 or 3.68: (by sha_ni_avx512::sha256);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 16 lanes at 3.76 or 6.01 or 2.11: (over Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,avx512vl", 8 lanes at 2.8 or 3.04 or 1.67: (over Avx512HalfShort);
    #[cfg(target_arch = "x86_64")] ShaNi, 4 lanes at 3.75 or 3.28 or 1.14: (by sha_ni::sha256::<4>);
    #[cfg(target_arch = "x86_64")] ShaNi, 3 lanes at 3.5 or 3.13 or 1.19: (by sha_ni::sha256::<3>);
    #[cfg(target_arch = "x86_64")] ShaNi, 2 lanes at 3.3 or 2.82 or 1.27: (by sha_ni::sha256::<2>);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 8 lanes at 1.93 or 1.9 or 0.839: (over Avx2Short);
    #[cfg(target_arch = "x86_64")] ShaNi, 1 lanes at 1.84 or 1.97 or 1.15: (by sha_ni::sha256::<1>);
    #[cfg(target_arch = "aarch64")] ArmSha, 4 lanes at 3.2: (by armv8::sha256::<4>);
    #[cfg(target_arch = "aarch64")] ArmSha, 3 lanes at 3.1: (by armv8::sha256::<3>);
    #[cfg(target_arch = "aarch64")] ArmSha, 2 lanes at 2.8: (by armv8::sha256::<2>);
    #[cfg(target_arch = "aarch64")] ArmSha, 1 lanes at 1.8: (by armv8::sha256::<1>);
    #[cfg(target_arch = "aarch64")] Neon, 4 lanes at 0.9: (over NeonShort);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,bmi1,bmi2", 1 lanes at 0.65 or 0.65 or 0.254: (scheduled over Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2,bmi1,bmi2", 1 lanes at 0.7 or 0.7 or 0.239: (scheduled over Avx2Short);
    Portable, 1 lanes at 0.37 or 0.37 or 0.136: (over One<u32>);
}

kernels! {
    Sha512: u64;
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 8 lanes at 3.0: (over Avx512Long);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,avx512vl", 4 lanes at 2.25: (over Avx512HalfLong);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 4 lanes at 1.5: (over Avx2Long);
    #[cfg(target_arch = "aarch64")] ArmSha512, 4 lanes at 2.2: (by armv8::sha512::<4>);
    #[cfg(target_arch = "aarch64")] ArmSha512, 3 lanes at 2.15: (by armv8::sha512::<3>);
    #[cfg(target_arch = "aarch64")] ArmSha512, 2 lanes at 2.1: (by armv8::sha512::<2>);
    #[cfg(target_arch = "aarch64")] ArmSha512, 1 lanes at 1.4: (by armv8::sha512::<1>);
    #[cfg(target_arch = "aarch64")] Neon, 2 lanes at 0.7: (over NeonLong);
    #[cfg(target_arch = "x86_64")] Avx512, 1 lanes at 1.0: (by sha512::by_avx512);
    #[cfg(target_arch = "x86_64")] Avx2, 1 lanes at 0.95: (by sha512::by_avx2);
    Portable, 1 lanes at 0.59: (over One<u64>);
}

kernels! {
    Sha3_256: u64;
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 8 lanes at 2.7: (over Avx512Long);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,avx512vl", 4 lanes at 2.0: (over Avx512HalfLong);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 4 lanes at 1.5: (over Avx2Long);
    #[cfg(target_arch = "aarch64")] Neon, 2 lanes at 0.5: (over NeonLong);
    Portable, 1 lanes at 0.44: (over One<u64>);
}

kernels! {
    Sha3_512: u64;
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 8 lanes at 1.42: (over Avx512Long);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,avx512vl", 4 lanes at 1.06: (over Avx512HalfLong);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 4 lanes at 0.8: (over Avx2Long);
    #[cfg(target_arch = "aarch64")] Neon, 2 lanes at 0.27: (over NeonLong);
    Portable, 1 lanes at 0.23: (over One<u64>);
}

kernels! {
    Blake2b: u64;
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 8 lanes at 4.2: (over Avx512Long);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,avx512vl", 4 lanes at 3.15: (over Avx512HalfLong);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 4 lanes at 2.75: (over Avx2Long);
    #[cfg(target_arch = "aarch64")] Neon, 2 lanes at 1.3: (over NeonLong);
    Portable, 1 lanes at 1.07: (over One<u64>);
}

kernels! {
    Sm3: u32;
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw", 16 lanes at 3.65: (over Avx512Short);
    #[cfg(target_arch = "x86_64")] Avx512 "avx512f,avx512bw,avx512vl", 8 lanes at 2.75: (over Avx512HalfShort);
    #[cfg(target_arch = "x86_64")] Avx2 "avx2", 8 lanes at 1.85: (over Avx2Short);
    #[cfg(target_arch = "aarch64")] Neon, 4 lanes at 0.9: (over NeonShort);
    Portable, 1 lanes at 0.37: (over One<u32>);
}
