//! SHA-2 by RustCrypto, which takes the SHA extensions of x86-64 and ARMv8 when the CPU has them.

use sha2::Digest as _;

use crate::hasher::State;

pub(crate) fn sha256() -> Box<dyn State> {
    Box::new(Sha256(sha2::Sha256::new()))
}

struct Sha256(sha2::Sha256);

impl State for Sha256 {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        digest.copy_from_slice(&self.0.finalize_reset());
    }
}
