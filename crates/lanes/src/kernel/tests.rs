use super::*;
use crate::designs::Word;

/// Every kernel that this CPU has computes in each lane what the portable one does, whatever the words it starts from.
/// Through messages alone those that others are faster than would never be reached.
fn all_kernels_agree<D: Kernels>(number: impl Fn(&mut fastrand::Rng) -> D::Word)
where
    D::Word: Word + PartialEq + std::fmt::Debug,
{
    /// Blocks of a lane.
    const BLOCKS: usize = 3;

    let portable = D::kernels().last().expect("there are kernels");
    assert_eq!((portable.backend, portable.lanes), (Backend::Portable, 1));
    let mut random = fastrand::Rng::with_seed(7);
    for kernel in D::kernels().iter().filter(|kernel| kernel.backend.is_available()) {
        for count in 0..=BLOCKS {
            let lanes = kernel.lanes;
            let message = BLOCKS * D::BLOCK_BYTES;
            // Lanes begin at odd addresses, each another number of bytes behind the one before.
            let bytes: Vec<u8> =
                std::iter::repeat_with(|| random.u8(..)).take(lanes * (message + 3) + 1).collect();
            let blocks: Vec<*const u8> =
                (0..lanes).map(|lane| bytes[1 + lane * (message + 3)..].as_ptr()).collect();
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
