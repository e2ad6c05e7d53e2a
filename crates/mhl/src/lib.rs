#![doc = include_str!("../README.md")]
//!
//! # Invariants
//! 1. Nothing that the chain does not vouch for says anything of a file: a list that was changed is a finding, and is not read.
//! 2. A generation that is written is in the chain last, so a run that is killed leaves the history as it was.
//!
//! Source: ASC MHL 2.0, <https://github.com/ascmitc/mhl-specification>.

#![deny(missing_docs)]

mod error;
mod generation;
mod history;
mod making;
mod tree;
mod xml;

pub use error::Error;
pub use generation::{ALGORITHMS, Entry, Generation, Stated};
pub use history::{History, Known, KnownNames, ListFinding, Wrong};
pub use making::{Made, Making, Read};
pub use tree::{DEFAULT_PATTERNS, FoundNames, Patterns};

/// The folder of a history.
pub const FOLDER: &str = "ascmhl";

/// The chain file in it.
pub const CHAIN: &str = "ascmhl_chain.xml";
