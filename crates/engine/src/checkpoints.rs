//! How far large files were read, so that a run that was stopped loses little of them.

use std::fmt;

use hashlane_digest::SavedState;
use hashlane_digest::tree::SAVED_SPAN;
use hashlane_record::{Facts, ItemPath, Medium, Origin};

/// A file is put aside each time this many more bytes were read, where its algorithms can be.
pub const CHECKPOINT_BYTES: u64 = 64 << 20;

// Whatever the algorithm.
const _: () = assert!(CHECKPOINT_BYTES.is_multiple_of(SAVED_SPAN));

/// Keeps how far large files were read ([`crate::Options::checkpoints`]). Workers call it, several at once.
///
/// Files of up to [`CHECKPOINT_BYTES`], those whose parts have digests of their own, and those of an algorithm whose state cannot be
/// saved are read from their beginning.
pub trait Checkpoints: fmt::Debug + Send + Sync {
    /// The states from which the reading of a file goes on, one for each of its algorithms, in that order and of the same length. Empty:
    /// it is read from its beginning. `facts`: what the file is now. Whether it is still the file of the states is for this to say.
    fn find(&self, path: &ItemPath, facts: &Facts) -> Vec<SavedState>;

    /// Takes the states from which the reading of a file can go on. `facts`: what the file was when it was opened; `origin`: where the
    /// bytes came from that this run has read of it, and whether that is shown.
    fn keep(&self, path: &ItemPath, facts: &Facts, origin: (Origin, Medium), states: Vec<SavedState>);
}
