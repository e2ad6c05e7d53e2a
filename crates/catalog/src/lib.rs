#![doc = include_str!("../README.md")]
//!
//! Owns the schema of the catalogue and every statement that reads or writes it. Opens no file of a collection and judges nothing.
//!
//! Invariants:
//! 1. All that one [`Batch`] records is there after its commit, or nothing of it, whatever ends the process or the machine.
//! 2. A name is stored once. An item's id tells its segment, and never changes.
//! 3. Spans of a collection never overlap, and two that touch differ in what they say.

#![forbid(unsafe_code)]

mod catalog;
mod collections;
mod comparison;
mod error;
mod items;
mod migrations;
mod paths;
mod runs;
mod spans;

pub use catalog::Catalog;
pub use collections::{Collection, CollectionId, NewCollection, Policy};
pub use comparison::{Comparison, Gone};
pub use error::{Error, Result};
pub use items::{Batch, Content, DirectoryId, Item, ItemId, Segment, State, Version};
pub use migrations::LATEST;
pub use runs::{Request, RunId, Stint, StintId};
pub use spans::{ReadingKind, Span};
