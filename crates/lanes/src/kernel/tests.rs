use std::ffi::c_void;
use std::ptr;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use super::*;
use crate::designs::Word;

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
        // SAFETY: new memory, of which nobody knows; its last page holds nothing, and the bytes fit before that one.
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

/// Every kernel that this CPU has computes in each lane what the portable one does, whatever the words it starts from, and reads
/// nothing behind the blocks. Through messages alone those that others are faster than would never be reached.
fn all_kernels_agree<D: Kernels>(number: impl Fn(&mut fastrand::Rng) -> D::Word)
where
    D::Word: Word + PartialEq + std::fmt::Debug,
{
    /// Blocks of a lane: few, and as many as are scheduled together, with some more and without.
    const COUNTS: [usize; 14] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 18, 35, 37];

    let portable = D::kernels().last().expect("there are kernels");
    assert_eq!((portable.backend, portable.lanes), (Backend::Portable, 1));
    let mut random = fastrand::Rng::with_seed(7);
    for kernel in D::kernels().iter().filter(|kernel| kernel.backend.is_available()) {
        // The first lane begins at an even address, or at an odd one; so do the others in turn.
        for (count, slack) in COUNTS.into_iter().flat_map(|count| [(count, 0), (count, 1)]) {
            let lanes = kernel.lanes;
            let message = |random: &mut fastrand::Rng, lane: usize| {
                let bytes: Vec<u8> =
                    std::iter::repeat_with(|| random.u8(..)).take(count * D::BLOCK_BYTES).collect();
                AtTheEdge::new(&bytes, (slack + lane) % 2)
            };
            let messages: Vec<_> = (0..lanes).map(|lane| message(&mut random, lane)).collect();
            let blocks: Vec<*const u8> = messages.iter().map(|message| message.first).collect();
            let before: Vec<D::Word> =
                std::iter::repeat_with(|| number(&mut random)).take(D::WORDS * lanes).collect();
            let mut words = before.clone();
            // SAFETY: the CPU has the backend; there are words for all lanes and a pointer for each, with so many blocks.
            unsafe { (kernel.run)(words.as_mut_ptr(), blocks.as_ptr(), count) };
            for lane in 0..lanes {
                let mut expected: Vec<D::Word> =
                    (0..D::WORDS).map(|word| before[word * lanes + lane]).collect();
                // SAFETY: every CPU has it; there are the words of one lane and its pointer, with so many blocks.
                unsafe { (portable.run)(expected.as_mut_ptr(), &blocks[lane], count) };
                let found: Vec<D::Word> = (0..D::WORDS).map(|word| words[word * lanes + lane]).collect();
                assert_eq!(found, expected, "{}, lane {lane} of {lanes}, {count} blocks", kernel.backend);
            }
        }
    }
}

#[test]
fn all_kernels_of_blake2b_agree() {
    all_kernels_agree::<Blake2b>(|random| random.u64(..));
}

#[test]
fn all_kernels_of_md4_agree() {
    all_kernels_agree::<Md4>(|random| random.u32(..));
}

#[test]
fn all_kernels_of_md5_agree() {
    all_kernels_agree::<Md5>(|random| random.u32(..));
}

#[test]
fn all_kernels_of_sha1_agree() {
    all_kernels_agree::<Sha1>(|random| random.u32(..));
}

#[test]
fn all_kernels_of_sha256_agree() {
    all_kernels_agree::<Sha256>(|random| random.u32(..));
}

#[test]
fn all_kernels_of_sha512_agree() {
    all_kernels_agree::<Sha512>(|random| random.u64(..));
}

#[test]
fn all_kernels_of_sha3_agree() {
    all_kernels_agree::<Sha3_256>(|random| random.u64(..));
    all_kernels_agree::<Sha3_512>(|random| random.u64(..));
}

#[test]
fn all_kernels_of_sm3_agree() {
    all_kernels_agree::<Sm3>(|random| random.u32(..));
}
