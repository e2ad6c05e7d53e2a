#![doc = include_str!("../README.md")]
//!
//! Invariants:
//! 1. Every known file gets exactly one verdict, and so does every input.
//! 2. Only [`Verdict::Ok`] and [`Verdict::Touched`] are passes. What could not be compared is never one. What the
//!    caller leaves out or ignores is neither a pass nor a finding.
//! 3. Verdicts do not depend on the order in which inputs come.
//! 4. Contents are compared by one rule, [`Comparison`], wherever two of them meet.
//! 5. Names are compared byte for byte: `./a` and `a` differ. A caller that wants them to be equal passes normal names.
//!
//! Memory: files that exceed a limit go to temporary files ([`Known::within`]), and an audit of them takes a few times that
//! limit, however many they are. In memory, each known file takes, besides the bytes of its name and digests: 10 bytes, 1 to
//! 5 for a size below 32 GiB (10 at most), 1 for the length of a name below 128 bytes (else 2), and 12 for its modification
//! time if it has one. While manifests are loaded, a table of names takes 6 to 12 more, and vectors are allocated ahead. An
//! input whose name is known takes nothing, unless it is not ok or has digests of algorithms that are not listed for it.
//! Such inputs, and those whose name is not known, take as much as a known file until the end. At the end, each input of
//! unknown name takes about 80 bytes more while it is matched, each known file that may have its content 8, and each finding
//! 20.

#![forbid(unsafe_code)]

mod algorithms;
mod audit;
mod contents;
mod contradiction;
mod counters;
pub mod diff;
mod disk;
mod empty;
mod entry;
mod error;
mod file;
mod finding;
mod findings;
mod in_memory;
mod judge;
mod known;
mod moves;
mod names;
mod options;
mod records;
mod remains;
mod state;
mod tables;
#[cfg(test)]
mod testing;
mod times;
mod verdict;

pub use audit::Audit;
pub use counters::Counters;
pub use error::Error;
pub use file::{Content, KnownFile, Reading, Seen};
pub use finding::Finding;
pub use findings::Findings;
pub use judge::{Comparison, Facts, Rules, judge};
pub use known::{Added, Known};
pub use names::folded;
pub use options::Options;
pub use times::TimeMatch;
pub use verdict::{Unchecked, Verdict, bits};
