//! SHA-3 (FIPS 202) by RustCrypto: portable code, but for the SHA-3 instructions of ARMv8.2.

use super::cpu::path_by_cpu;
use super::rust_crypto::start;
use crate::hasher::State;

pub(crate) fn sha3_256() -> Box<dyn State> {
    start::<sha3::Sha3_256>(backend)
}

pub(crate) fn sha3_512() -> Box<dyn State> {
    start::<sha3::Sha3_512>(backend)
}

fn backend() -> &'static str {
    path_by_cpu! {
        aarch64["sha3"] => "armv8-sha3",
    }
}
