//! What is known about one file. Types only: nothing here opens, reads or prints.

mod item_path;
mod outcome;
mod pieces;
mod record;
mod words;

pub use item_path::{Escaped, ItemPath};
pub use outcome::{Failure, Instability, Operation, Outcome, system_text};
pub use pieces::{Division, Extent, Pieces};
pub use record::{Facts, Origin, Record, Timestamp};
pub use words::{count, counted, shown_name};
