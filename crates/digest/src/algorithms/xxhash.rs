//! xxHash by twox-hash, seed 0 and the default secret. Digests are in the canonical form of the specification
//! (github.com/Cyan4973/xxHash, doc/xxhash_spec.md): big-endian, as xxhsum prints them.

use std::hash::Hasher as _;

use twox_hash::{XxHash32, XxHash64, xxhash3_64, xxhash3_128};

use super::cpu::path_by_cpu;
use crate::state::State;

pub(crate) fn xxh32() -> Box<dyn State> {
    Box::new(Xxh32(XxHash32::with_seed(0)))
}

pub(crate) fn xxh64() -> Box<dyn State> {
    Box::new(Xxh64(XxHash64::with_seed(0)))
}

pub(crate) fn xxh3() -> Box<dyn State> {
    Box::new(Xxh3(fresh_xxh3()))
}

pub(crate) fn xxh128() -> Box<dyn State> {
    Box::new(Xxh128(fresh_xxh128()))
}

#[derive(Clone)]
struct Xxh32(XxHash32);

#[derive(Clone)]
struct Xxh64(XxHash64);

#[derive(Clone)]
struct Xxh3(xxhash3_64::RawHasher<DefaultSecret>);

#[derive(Clone)]
struct Xxh128(xxhash3_128::RawHasher<DefaultSecret>);

/// The secret is borrowed, so that a fresh state costs no allocation.
type DefaultSecret = &'static [u8; xxhash3_64::DEFAULT_SECRET_LENGTH];

impl State for Xxh32 {
    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        digest.copy_from_slice(&self.0.finish_32().to_be_bytes());
        self.reset();
    }

    fn reset(&mut self) {
        self.0 = XxHash32::with_seed(0);
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

impl State for Xxh64 {
    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        digest.copy_from_slice(&self.0.finish().to_be_bytes());
        self.reset();
    }

    fn reset(&mut self) {
        self.0 = XxHash64::with_seed(0);
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

impl State for Xxh3 {
    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        digest.copy_from_slice(&self.0.finish().to_be_bytes());
        self.reset();
    }

    fn reset(&mut self) {
        self.0 = fresh_xxh3();
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn backend(&self) -> &'static str {
        backend_of_xxh3()
    }
}

impl State for Xxh128 {
    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        digest.copy_from_slice(&self.0.finish_128().to_be_bytes());
        self.reset();
    }

    fn reset(&mut self) {
        self.0 = fresh_xxh128();
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn backend(&self) -> &'static str {
        backend_of_xxh3()
    }
}

fn fresh_xxh3() -> xxhash3_64::RawHasher<DefaultSecret> {
    xxhash3_64::RawHasher::new(xxhash3_64::SecretBuffer::default())
}

fn fresh_xxh128() -> xxhash3_128::RawHasher<DefaultSecret> {
    xxhash3_128::RawHasher::new(xxhash3_128::SecretBuffer::default())
}

fn backend_of_xxh3() -> &'static str {
    path_by_cpu! {
        x86_64["avx2"] => "avx2",
        x86_64["sse2"] => "sse2",
        aarch64["neon"] => "neon",
    }
}
