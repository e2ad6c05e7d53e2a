//! Hash functions over many messages at once.
//!
//! Most hash functions are one long chain of operations: a CPU that can do several at a time has little to do. Several
//! messages side by side, each in a *lane* of its own, fill it. Owns the compression functions and all code that is for one
//! kind of CPU. Slices in, digests out; no I/O.
//!
//! [`digest_many`] takes messages that are in memory; [`Streams`] takes messages that come in parts, of any length: what
//! does not fill a block waits for the next part.
//!
//! ```
//! use hashlane_lanes::{Algorithm, Part, Streams, digest_many};
//!
//! let digests = digest_many(Algorithm::Sha256, &[b"abc", b"", b"a longer message"]);
//! assert_eq!(digests[0][..4], [0xba, 0x78, 0x16, 0xbf]);
//!
//! let mut streams = Streams::new(Algorithm::Blake2b, 2);
//! streams.advance(&[Part { slot: 0, bytes: b"a", last: false }, Part { slot: 1, bytes: b"x", last: true }]);
//! streams.advance(&[Part { slot: 0, bytes: b"bc", last: true }]);
//! let mut digest = [0; 64];
//! streams.finish(0, &mut digest);
//! assert_eq!(digest[..4], [0xba, 0x80, 0xa5, 0x3f]);
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
mod midstate;
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
pub use midstate::Midstate;
pub use schedule::{MARGIN, Rate};
pub use streams::{Occupancy, Part};
