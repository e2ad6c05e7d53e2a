//! Who takes what a source lists.

use std::ops::ControlFlow;

use hashlane_io::{FileSystem, Store};
use hashlane_record::{Failure, ItemPath};

/// Takes what a source lists. `Break` ends the listing.
pub trait Lister<S: Store = FileSystem> {
    /// Takes a thing to be read, with a number by which things that lie side by side can be put in order, 0 if nobody asked.
    fn found(&mut self, place: S::Place, inode: u64) -> ControlFlow<()>;

    /// Takes the name of something that could not be listed or looked up, and why.
    fn failed(&mut self, path: ItemPath, failure: Failure) -> ControlFlow<()>;

    /// The listing is about to wait: hand over what was collected.
    fn flush(&mut self) {}

    /// Whether a directory for which no descriptor is left is to be tried again after a while.
    fn waits_for_descriptor(&mut self) -> bool {
        false
    }
}
