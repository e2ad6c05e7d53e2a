//! Updates a list: reads what is new or has changed since its files were listed, and keeps the listed entries of the rest.
//!
//! A list is taken in as an [`OldList`]; then an [`Update`] reports an [`Event`] for each file. Three threads are involved: one walks and
//! decides, by its facts and its listed entry, whether each file is to be read; the engine reads; the thread of the caller takes the
//! events. Decisions wait in a queue of four bytes each, so kept and read files come out in the order of the walk, whatever the number of
//! files.

mod event;
mod moved;
mod old;
mod run;
mod walker;

pub use event::Event;
pub use old::{OldList, OldListError};
pub use run::{Update, Updated};
pub use walker::{outermost, outermost_in_store};
