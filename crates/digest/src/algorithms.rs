//! One module for each algorithm or family: its states, and nothing else.
//!
//! A module owns the choice of the library (docs/decisions/0002-digest-libraries.md), and knows which CPU path that library takes.
//! What an algorithm is called is the registry's.

mod cpu;
mod rust_crypto;

pub(crate) mod blake2;
pub(crate) mod blake3;
pub(crate) mod crc;
pub(crate) mod in_lanes;
pub(crate) mod ripemd;
pub(crate) mod sha2;
pub(crate) mod sha3;
pub(crate) mod tiger;
pub(crate) mod whirlpool;
pub(crate) mod xor;
pub(crate) mod xxhash;
