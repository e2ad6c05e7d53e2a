#![doc = include_str!("../README.md")]

pub mod bytes;
mod item_path;
mod outcome;
mod pieces;
mod record;
mod secrets;
mod state;
mod trail;
mod words;

pub use item_path::{Escaped, ItemPath, tamed, unescaped};
pub use outcome::{Cause, Dispute, Failure, Instability, Obstacle, Operation, Outcome, system_text};
pub use pieces::{Division, Extent, Pieces};
pub use record::{Facts, Medium, Origin, Record, Timestamp};
pub use secrets::{masked_answer, masked_argument, masked_text, without_secrets};
pub use state::ObjectState;
pub use trail::{NotATrail, Trail};
pub use words::{count, counted, shown_name};
