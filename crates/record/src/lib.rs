#![doc = include_str!("../README.md")]

mod count;
mod item_path;
mod outcome;
mod pieces;
mod record;

pub use count::{count, counted};
pub use item_path::{Escaped, ItemPath};
pub use outcome::{Cause, Failure, Instability, Obstacle, Operation, Outcome, system_text};
pub use pieces::{Division, Extent, Pieces};
pub use record::{Facts, Origin, Record, Timestamp};
