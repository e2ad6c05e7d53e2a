//! One wrapper for every hash that implements RustCrypto's `digest` traits.

use digest::{Digest, FixedOutputReset, Output, Reset};

use crate::hasher::State;

/// A fresh state of the hash `D`, which takes the CPU path that `backend` names.
pub(crate) fn start<D>(backend: fn() -> &'static str) -> Box<dyn State>
where
    D: Digest + FixedOutputReset + Reset + Send + 'static,
{
    Box::new(RustCrypto { hash: D::new(), backend })
}

/// For hashes of which the library has nothing but portable code.
pub(crate) fn portable() -> &'static str {
    "portable"
}

struct RustCrypto<D> {
    hash: D,
    backend: fn() -> &'static str,
}

impl<D> State for RustCrypto<D>
where
    D: Digest + FixedOutputReset + Reset + Send,
{
    fn update(&mut self, bytes: &[u8]) {
        Digest::update(&mut self.hash, bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        let digest: &mut Output<D> = digest.try_into().expect("the slice has the algorithm's length");
        FixedOutputReset::finalize_into_reset(&mut self.hash, digest);
    }

    fn reset(&mut self) {
        Reset::reset(&mut self.hash);
    }

    fn backend(&self) -> &'static str {
        (self.backend)()
    }
}
