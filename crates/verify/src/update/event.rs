//! What an update comes to.

use std::io;

use hashlane_manifest::Item;
use hashlane_record::Record;

/// What an update comes to, in the order of the walk; what is said of files that were not found follows at the end.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file that was not read: it is trusted to be as it was listed.
    Kept(&'a Item),
    /// A file that was read, and is not listed.
    Added(&'a Record),
    /// A file that was read, and is as listed.
    Same(&'a Record),
    /// A file that was read, and is not as listed.
    Changed(&'a Record),
    /// A file that was read, and is not as listed though its size and time are.
    Corrupt {
        /// What was read.
        record: &'a Record,
        /// What is listed.
        listed: &'a Item,
    },
    /// A file that was read, of which one digest is as listed and another is not, though its size and time are.
    Collision {
        /// What was read.
        record: &'a Record,
        /// What is listed.
        listed: &'a Item,
    },
    /// A file that could not be read, or not in one state.
    Failed {
        /// What came of reading it.
        record: &'a Record,
        /// What is listed, if it is.
        listed: Option<&'a Item>,
    },
    /// A directory that could not be looked into.
    Unsearched {
        /// Its name.
        path: &'a [u8],
        /// What the system said.
        error: &'a io::Error,
    },
    /// The name of a listed file that is not there any more.
    Gone(&'a [u8]),
    /// A listed file that lies where nobody looked, or that a walk does not come to.
    Elsewhere(&'a Item),
}
