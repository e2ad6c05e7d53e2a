#![doc = include_str!("../README.md")]
//!
//! # Invariants
//! 1. Building takes the memory that it was given, whatever the number of digests; a lookup takes one page, and a name those
//!    that it lies in.
//! 2. Nothing that was read of an index is believed before its checksum holds: a damaged index is an error, never an answer.
//! 3. What is found in one algorithm and missing in another that all records have is a collision, never a match.

#![forbid(unsafe_code)]

mod builder;
mod error;
mod index;
mod layout;
mod matching;
mod nsrl;
mod pages;

pub use builder::Builder;
pub use error::Error;
pub use index::{Found, Index, Judgement, Rows, Table};
pub use layout::SetDescription;
pub use matching::{Match, Matching, Met, SetError, Unmarkable};
pub use nsrl::{Nsrl, NsrlRow};
