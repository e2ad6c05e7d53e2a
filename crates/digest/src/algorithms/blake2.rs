//! BLAKE2 (RFC 7693), without key, salt or personalisation.
//!
//! For one message of BLAKE2b there are two libraries: blake2b_simd, which has an AVX2 path, and RustCrypto's portable code. Which is
//! faster depends on the CPU, by up to a factor of two either way, so it is tried. BLAKE2s is RustCrypto's, which beats the SSE4.1 path
//! of blake2s_simd for one message (docs/decisions/0002-digest-libraries.md).

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use digest::typenum;

use super::cpu::path_by_cpu;
use super::rust_crypto::{portable, start};
use crate::state::State;

pub(crate) fn blake2b() -> Box<dyn State> {
    start_blake2b(64)
}

pub(crate) fn blake2b_384() -> Box<dyn State> {
    start_blake2b(48)
}

pub(crate) fn blake2b_256() -> Box<dyn State> {
    start_blake2b(32)
}

pub(crate) fn blake2b_224() -> Box<dyn State> {
    start_blake2b(28)
}

pub(crate) fn blake2b_160() -> Box<dyn State> {
    start_blake2b(20)
}

pub(crate) fn blake2b_128() -> Box<dyn State> {
    start_blake2b(16)
}

pub(crate) fn blake2s() -> Box<dyn State> {
    start::<blake2::Blake2s256>(portable)
}

/// A fresh state of BLAKE2b with digests of `length` bytes, 1 to 64.
pub(crate) fn start_blake2b(length: usize) -> Box<dyn State> {
    if is_simd_faster() { Blake2b::start(length) } else { start_portable(length) }
}

/// Whether blake2b_simd is the faster one on this CPU. It is tried once, in less than a millisecond, before the first message.
fn is_simd_faster() -> bool {
    /// Each is tried so often: other work makes a time longer, never shorter, so the shortest counts.
    const ROUNDS: usize = 5;
    /// Of a message that fits in the nearest cache.
    const BYTES: usize = 16 << 10;
    static IS_FASTER: OnceLock<bool> = OnceLock::new();

    *IS_FASTER.get_or_init(|| {
        let bytes = vec![0x5a; BYTES];
        let mut tried = [Blake2b::start(64), start_portable(64)].map(|state| (state, Duration::MAX));
        for _ in 0..ROUNDS {
            for (state, shortest) in &mut tried {
                // The first turn wakes wide vector units up.
                state.update(black_box(&bytes));
                let start = Instant::now();
                state.update(black_box(&bytes));
                *shortest = start.elapsed().min(*shortest);
            }
        }
        let [(_, simd), (_, portable)] = tried;
        simd <= portable
    })
}

/// RustCrypto's, whose length is part of its type.
fn start_portable(length: usize) -> Box<dyn State> {
    macro_rules! by_length {
        ($($bytes:literal $size:ident)*) => {
            match length {
                $($bytes => start::<blake2::Blake2b<typenum::$size>>(portable),)*
                _ => unreachable!("BLAKE2b has digests of 1 to 64 bytes"),
            }
        };
    }
    by_length! {
        1 U1 2 U2 3 U3 4 U4 5 U5 6 U6 7 U7 8 U8
        9 U9 10 U10 11 U11 12 U12 13 U13 14 U14 15 U15 16 U16
        17 U17 18 U18 19 U19 20 U20 21 U21 22 U22 23 U23 24 U24
        25 U25 26 U26 27 U27 28 U28 29 U29 30 U30 31 U31 32 U32
        33 U33 34 U34 35 U35 36 U36 37 U37 38 U38 39 U39 40 U40
        41 U41 42 U42 43 U43 44 U44 45 U45 46 U46 47 U47 48 U48
        49 U49 50 U50 51 U51 52 U52 53 U53 54 U54 55 U55 56 U56
        57 U57 58 U58 59 U59 60 U60 61 U61 62 U62 63 U63 64 U64
    }
}

#[derive(Clone)]
struct Blake2b {
    state: blake2b_simd::State,
    length: usize,
}

impl Blake2b {
    fn start(length: usize) -> Box<dyn State> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_libraries_compute_the_same_with_each_length() {
        let message: Vec<u8> = (0..1000).map(|at| at as u8).collect();
        for length in 1..=64 {
            let digest = |mut state: Box<dyn State>| {
                let mut digest = vec![0; length];
                // A state is fresh again after a digest.
                for _ in 0..2 {
                    state.update(&message[..300]);
                    state.update(&message[300..]);
                    state.finish_into(&mut digest);
                }
                digest
            };
            let simd = digest(Blake2b::start(length));
            assert_eq!(simd, digest(start_portable(length)), "{length}");
            assert_eq!(simd, digest(start_blake2b(length)), "{length}");
        }
    }
}
