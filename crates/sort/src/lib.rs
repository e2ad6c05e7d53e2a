#![doc = include_str!("../README.md")]
//! Owns the one way to put more into order than memory holds: [`Sorter`] for what is sorted once, [`Spill`] for what is taken out while more
//! comes, and [`Spool`] for what is read again and again. Does not own what the bytes mean.
//!
//! Invariants:
//! 1. Keys come out in byte order, equal ones in the order in which they came.
//! 2. A temporary file has no name, and is gone when the process is.
//! 3. Memory is what was given, and one block for each run that is read at the same time.

#![forbid(unsafe_code)]

mod error;
mod merging;
mod runs;
mod sorter;
mod spill;
mod spool;

pub use error::{Error, Result};
pub use sorter::{LEAST_MEMORY, Sorted, Sorter};
pub use spill::Spill;
pub use spool::Spool;

/// A key, and what belongs to it.
pub type Pair<'a> = (&'a [u8], &'a [u8]);
