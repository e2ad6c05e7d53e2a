//! An audit: what became of the files that lists have, and of those that are there and in no list?
//!
//! Lists are taken in by a [`Listing`]; then a [`TreeAudit`] reads what is there and tells an [`Event`] of each file.

mod event;
mod listing;
mod run;
mod sink;

pub use event::{End, Event, Finding};
pub use listing::Listing;
pub use run::{Audited, TreeAudit};
