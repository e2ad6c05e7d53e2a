//! BLAKE2 (RFC 7693), without key, salt or personalisation.
//!
//! BLAKE2b is blake2b_simd, which has an AVX2 path; BLAKE2s is RustCrypto's portable code, which beats the SSE4.1 path of
//! blake2s_simd for one message (docs/decisions/0002-digest-libraries.md).

use super::cpu::path_by_cpu;
use super::rust_crypto::{portable, start};
use crate::hasher::State;

pub(crate) fn blake2b() -> Box<dyn State> {
    Blake2b::start(64)
}

pub(crate) fn blake2b_384() -> Box<dyn State> {
    Blake2b::start(48)
}

pub(crate) fn blake2b_256() -> Box<dyn State> {
    Blake2b::start(32)
}

pub(crate) fn blake2b_224() -> Box<dyn State> {
    Blake2b::start(28)
}

pub(crate) fn blake2b_160() -> Box<dyn State> {
    Blake2b::start(20)
}

pub(crate) fn blake2b_128() -> Box<dyn State> {
    Blake2b::start(16)
}

pub(crate) fn blake2s() -> Box<dyn State> {
    start::<blake2::Blake2s256>(portable)
}

#[derive(Clone)]
pub(crate) struct Blake2b {
    state: blake2b_simd::State,
    length: usize,
}

impl Blake2b {
    pub(crate) fn start(length: usize) -> Box<dyn State> {
        Box::new(Self { state: Self::fresh(length), length })
    }

    fn fresh(length: usize) -> blake2b_simd::State {
        blake2b_simd::Params::new().hash_length(length).to_state()
    }
}

impl State for Blake2b {
    fn update(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        digest.copy_from_slice(self.state.finalize().as_bytes());
        self.reset();
    }

    fn reset(&mut self) {
        self.state = Self::fresh(self.length);
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn backend(&self) -> &'static str {
        path_by_cpu! {
            x86["avx2"] => "avx2",
        }
    }
}
