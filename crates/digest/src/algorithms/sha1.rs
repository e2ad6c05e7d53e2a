//! SHA-1 (FIPS 180-4) by RustCrypto, which takes the SHA extensions of x86 and ARMv8 when the CPU has them.

use super::cpu::path_by_cpu;
use super::rust_crypto::start;
use crate::hasher::State;

pub(crate) fn sha1() -> Box<dyn State> {
    start::<sha1::Sha1>(backend)
}

fn backend() -> &'static str {
    path_by_cpu! {
        x86["sha", "sse2", "ssse3", "sse4.1"] => "sha-ni",
        aarch64["sha2"] => "armv8-sha",
    }
}
