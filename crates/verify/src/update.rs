//! An update of a list: what is new or was changed since its files were listed is read, and what is listed of the rest is kept.
//!
//! A list is taken in as an [`OldList`]; then an [`Update`] tells an [`Event`] of each file. Three threads: one walks and decides of
//! each file whether it is to be read, by its facts and what is listed; the engine reads; the caller's takes the events. Decisions
//! wait in a queue of four bytes each, so what is kept and what was read come out in the order of the walk, whatever the number of
//! files.

mod event;
mod old;
mod run;
mod walker;

pub use event::Event;
pub use old::{OldList, OldListError};
pub use run::{Update, Updated};
pub use walker::outermost;
