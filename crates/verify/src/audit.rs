//! An audit: what happened to the files in the lists, and which files are in no list.
//!
//! A [`Listing`] takes in the lists; then a [`TreeAudit`] reads the tree, or takes what others have read of it, and reports an [`Event`] for
//! each file.

mod event;
mod listing;
mod run;
mod seen;
mod sink;

pub use event::{End, Event, Finding};
pub use listing::Listing;
pub use run::{Audited, TreeAudit};
pub use seen::SeenElsewhere;
