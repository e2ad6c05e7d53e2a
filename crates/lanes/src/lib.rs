#![doc = include_str!("../README.md")]
// The kernels: every block says which promise it keeps.
#![allow(unsafe_code)]
// A lane is a place in several arrays and in memory.
#![allow(clippy::needless_range_loop)]

mod algorithm;
#[cfg(target_arch = "aarch64")]
mod armv8;
mod backend;
mod bare;
mod cpu;
mod designs;
mod kernel;
mod midstate;
mod schedule;
mod serving;
#[cfg(target_arch = "x86_64")]
mod sha512;
#[cfg(target_arch = "x86_64")]
mod sha_ni;
#[cfg(target_arch = "x86_64")]
mod sha_ni_avx512;
mod streams;
mod vector;

pub use algorithm::{Algorithm, Streams, digest_many};
pub use backend::Backend;
#[doc(hidden)]
pub use bare::Bare;
pub use cpu::{cpu_features, cpu_model, reference_cycles};
pub use midstate::Midstate;
pub use schedule::Rate;
pub use serving::MARGIN;
pub use streams::{Occupancy, Part};
