//! Hash functions over many messages at once.
//!
//! Most hash functions are one long chain of operations: a CPU that can do several at a time has little to do. Several
//! messages side by side, each in a *lane* of its own, fill it. Owns the compression functions and all code that is for one
//! kind of CPU. Slices in, digests out; no I/O.
//!
//! [`digest_many`] takes messages that are in memory; [`Streams`] takes messages that come in parts.
//!
//! ```
//! use hashlane_lanes::{Algorithm, digest_many};
//!
//! let digests = digest_many(Algorithm::Sha256, &[b"abc", b"", b"a longer message"]);
//! assert_eq!(digests[0][..4], [0xba, 0x78, 0x16, 0xbf]);
//! ```

// The kernels: every block says which promise it keeps.
#![allow(unsafe_code)]
// A lane is a place in several arrays and in memory.
#![allow(clippy::needless_range_loop)]

mod algorithm;
#[cfg(target_arch = "aarch64")]
mod armv8;
mod backend;
mod cpu;
mod designs;
mod kernel;
mod schedule;
#[cfg(target_arch = "x86_64")]
mod sha_ni;
#[cfg(target_arch = "x86_64")]
mod sha_ni_avx512;
mod streams;
mod vector;

pub use algorithm::{Algorithm, Streams, digest_many};
pub use backend::Backend;
pub use cpu::{cpu_features, cpu_model, reference_cycles};
pub use schedule::{MARGIN, Rate};
pub use streams::Part;
