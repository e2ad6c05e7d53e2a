//! SHA-2 (FIPS 180-4) by RustCrypto, which takes the SHA extensions of x86 and ARMv8 when the CPU has them.

use super::cpu::path_by_cpu;
use super::rust_crypto::start;
use crate::hasher::State;

pub(crate) fn sha224() -> Box<dyn State> {
    start::<sha2::Sha224>(backend_of_32_bit_words)
}

pub(crate) fn sha256() -> Box<dyn State> {
    start::<sha2::Sha256>(backend_of_32_bit_words)
}

pub(crate) fn sha384() -> Box<dyn State> {
    start::<sha2::Sha384>(backend_of_64_bit_words)
}

pub(crate) fn sha512() -> Box<dyn State> {
    start::<sha2::Sha512>(backend_of_64_bit_words)
}

pub(crate) fn sha512_256() -> Box<dyn State> {
    start::<sha2::Sha512_256>(backend_of_64_bit_words)
}

fn backend_of_32_bit_words() -> &'static str {
    path_by_cpu! {
        x86["sha", "sse4.1"] => "sha-ni",
        aarch64["sha2"] => "armv8-sha",
    }
}

fn backend_of_64_bit_words() -> &'static str {
    path_by_cpu! {
        x86["avx2"] => "avx2",
        aarch64["sha3"] => "armv8-sha512",
    }
}
