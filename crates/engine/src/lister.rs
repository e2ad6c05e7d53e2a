//! The trait that takes what a source lists.

use std::ops::ControlFlow;

use hashlane_io::{FileSystem, Store};
use hashlane_record::{Failure, ItemPath};

/// Takes what a source lists. `Break` ends the listing.
pub trait Lister<S: Store = FileSystem> {
    /// Takes a thing to read, with a number that orders things by their location; 0 if no order was requested.
    fn found(&mut self, place: S::Place, inode: u64) -> ControlFlow<()>;

    /// Takes the name of something that could not be listed or looked up, and the reason.
    fn failed(&mut self, path: ItemPath, failure: Failure) -> ControlFlow<()>;

    /// The listing is about to wait: pass on what was collected.
    fn flush(&mut self) {}

    /// Whether to retry a directory after a while if no descriptor is left for it.
    fn waits_for_descriptor(&mut self) -> bool {
        false
    }
}
