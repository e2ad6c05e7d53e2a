//! Every algorithm that has a second cheap implementation by another author, against it, at random.

use blake2::{Blake2b512, Digest as _, digest::consts::U32};
use hashlane_digest::Algorithm;
use proptest::prelude::*;

use crate::forced::digest;

fn ours(name: &str, message: &[u8]) -> Vec<u8> {
    digest(Algorithm::named(name).expect("a registered name"), message).as_bytes().to_vec()
}

/// As the definition says it, a byte at a time.
fn xor32(message: &[u8]) -> [u8; 4] {
    let mut word = 0;
    for (position, &byte) in message.iter().enumerate() {
        word ^= u32::from(byte) << (8 * (position % 4));
    }
    word.to_be_bytes()
}

proptest! {
    #[test]
    fn blake2_agrees_with_the_other_library(message in proptest::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert_eq!(ours("blake2b", &message), Blake2b512::digest(&message).to_vec());
        prop_assert_eq!(ours("blake2b-256", &message), blake2::Blake2b::<U32>::digest(&message).to_vec());
        prop_assert_eq!(ours("blake2s", &message), blake2s_simd::blake2s(&message).as_bytes().to_vec());
    }

    #[test]
    fn crc_agrees_with_other_libraries(message in proptest::collection::vec(any::<u8>(), 0..5000)) {
        prop_assert_eq!(ours("crc32", &message), crc32fast::hash(&message).to_be_bytes());
        prop_assert_eq!(ours("crc32c", &message), crc32c::crc32c(&message).to_be_bytes());
    }

    #[test]
    fn xxhash_agrees_with_the_other_library(message in proptest::collection::vec(any::<u8>(), 0..5000)) {
        prop_assert_eq!(ours("xxh64", &message), xxhash_rust::xxh64::xxh64(&message, 0).to_be_bytes());
        prop_assert_eq!(ours("xxh3", &message), xxhash_rust::xxh3::xxh3_64(&message).to_be_bytes());
        prop_assert_eq!(ours("xxh128", &message), xxhash_rust::xxh3::xxh3_128(&message).to_be_bytes());
    }

    #[test]
    fn xor32_agrees_with_its_definition(message in proptest::collection::vec(any::<u8>(), 0..500)) {
        prop_assert_eq!(ours("xor32", &message), xor32(&message));
    }
}
