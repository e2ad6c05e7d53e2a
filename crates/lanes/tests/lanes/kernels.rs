//! Kernels by themselves. Through messages alone those that others are faster than would never be reached.

use std::ffi::c_void;
use std::ptr;

use hashlane_lanes::{Algorithm, Backend, Bare};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use crate::serving::{Serving, Speed};

/// A copy of bytes that ends where the readable memory ends, but for some bytes of slack.
struct AtTheEdge {
    mapped: *mut c_void,
    pages_bytes: usize,
    first: *const u8,
}

impl AtTheEdge {
    fn new(bytes: &[u8], slack: usize) -> Self {
        let page = rustix::param::page_size();
        let readable = (bytes.len() + slack).next_multiple_of(page);
        let pages_bytes = readable + page;
        // SAFETY: new memory that nobody knows of; its last page holds nothing, and the bytes fit before that one.
        unsafe {
            let all = ProtFlags::READ | ProtFlags::WRITE;
            let mapped = mmap_anonymous(ptr::null_mut(), pages_bytes, all, MapFlags::PRIVATE).expect("mmap");
            mprotect(mapped.byte_add(readable), page, MprotectFlags::empty()).expect("mprotect");
            let first = mapped.cast::<u8>().add(readable - slack - bytes.len());
            ptr::copy_nonoverlapping(bytes.as_ptr(), first, bytes.len());
            Self { mapped, pages_bytes, first }
        }
    }
}

impl Drop for AtTheEdge {
    fn drop(&mut self) {
        // SAFETY: it was mapped here, and nobody has its address any more.
        unsafe { munmap(self.mapped, self.pages_bytes) }.expect("munmap");
    }
}

/// The words of one lane among those of all.
fn of_lane(words: &[u8], kernel: &Bare, lane: usize) -> Vec<u8> {
    let lane = words.chunks(kernel.word_bytes).skip(lane).step_by(kernel.lanes);
    lane.flatten().copied().collect()
}

/// Every kernel that this CPU has computes in each lane what the portable one does, whatever the words it starts from, and reads
/// nothing behind the blocks.
fn all_kernels_agree(algorithm: Algorithm) {
    /// Blocks of a lane: few, and as many as are scheduled together, with some more and without.
    const COUNTS: [usize; 14] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 18, 35, 37];

    let kernels = algorithm.bare_kernels();
    let portable = kernels.last().expect("there are kernels");
    assert_eq!((portable.backend, portable.lanes), (Backend::Portable, 1));
    let mut random = fastrand::Rng::with_seed(7);
    for kernel in kernels.iter().filter(|kernel| kernel.backend.is_available()) {
        // The first lane begins at an even address, or at an odd one; so do the others in turn.
        for (count, slack) in COUNTS.into_iter().flat_map(|count| [(count, 0), (count, 1)]) {
            let lanes = kernel.lanes;
            let bytes = |random: &mut fastrand::Rng, length| -> Vec<u8> {
                std::iter::repeat_with(|| random.u8(..)).take(length).collect()
            };
            let message = |random: &mut fastrand::Rng, lane: usize| {
                AtTheEdge::new(&bytes(random, count * kernel.block_bytes), (slack + lane) % 2)
            };
            let messages: Vec<_> = (0..lanes).map(|lane| message(&mut random, lane)).collect();
            let blocks: Vec<*const u8> = messages.iter().map(|message| message.first).collect();
            let before = bytes(&mut random, kernel.words * kernel.word_bytes * lanes);
            let mut words = before.clone();
            // SAFETY: there are `count` blocks behind each pointer.
            unsafe { kernel.run(&mut words, &blocks, count) };
            for lane in 0..lanes {
                let mut expected = of_lane(&before, kernel, lane);
                // SAFETY: there are `count` blocks behind the pointer.
                unsafe { portable.run(&mut expected, &blocks[lane..=lane], count) };
                let found = of_lane(&words, kernel, lane);
                assert_eq!(found, expected, "{}, lane {lane} of {lanes}, {count} blocks", kernel.backend);
            }
        }
    }
}

#[test]
fn all_kernels_of_blake2b_agree() {
    all_kernels_agree(Algorithm::Blake2b);
}

#[test]
fn all_kernels_of_md4_agree() {
    all_kernels_agree(Algorithm::Md4);
}

#[test]
fn all_kernels_of_md5_agree() {
    all_kernels_agree(Algorithm::Md5);
}

#[test]
fn all_kernels_of_sha1_agree() {
    all_kernels_agree(Algorithm::Sha1);
}

#[test]
fn all_kernels_of_sha256_agree() {
    all_kernels_agree(Algorithm::Sha256);
}

#[test]
fn all_kernels_of_sha512_agree() {
    all_kernels_agree(Algorithm::Sha512);
}

#[test]
fn all_kernels_of_sha3_agree() {
    all_kernels_agree(Algorithm::Sha3_256);
    all_kernels_agree(Algorithm::Sha3_512);
}

#[test]
fn all_kernels_of_sm3_agree() {
    all_kernels_agree(Algorithm::Sm3);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn many_messages_of_sha_256_are_served_by_what_is_fastest_on_each_cpu() {
    const ZEN_4: usize = 0;
    const ZEN_5: usize = 1;
    const GOLDEN_COVE: usize = 2;

    let all = Algorithm::Sha256.bare_kernels();
    let serving = |has: fn(Backend) -> bool, core: usize, messages: usize| {
        let kernels: Vec<_> = all.iter().filter(|kernel| has(kernel.backend)).collect();
        let speed = |kernel: &&Bare| Speed { lanes: kernel.lanes, rate: kernel.rates[core].into() };
        let speeds: Vec<_> = kernels.iter().map(speed).collect();
        let kernel = kernels[Serving::fastest(&speeds).place(messages)];
        (kernel.backend, kernel.lanes)
    };
    assert_eq!(serving(|_| true, ZEN_4, 16), (Backend::ShaNiAvx512, 8));
    assert_eq!(serving(|_| true, ZEN_5, 16), (Backend::Avx512, 16));
    let of_intel = |backend| backend != Backend::ShaNiAvx512;
    assert_eq!(serving(of_intel, GOLDEN_COVE, 16), (Backend::Avx512, 16));
    assert_eq!(serving(of_intel, GOLDEN_COVE, 8), (Backend::Avx512, 8));
}
