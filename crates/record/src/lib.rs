#![doc = include_str!("../README.md")]

mod item_path;
mod outcome;
mod pieces;
mod record;

pub use item_path::{Escaped, ItemPath};
pub use outcome::{Failure, Instability, Operation, Outcome, system_text};
pub use pieces::{Division, Extent, Pieces};
pub use record::{Facts, Origin, Record, Timestamp};
