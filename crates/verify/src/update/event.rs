//! The events of an update.

use std::io;

use hashlane_manifest::Item;
use hashlane_record::Record;

use crate::judge::Disputed;

/// An event of an update, in the order of the walk; events of files that were not found follow at the end.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A file that was not read, because it is trusted to be unchanged.
    Kept(&'a Item),
    /// A file that was not read, because it is shown to be a listed one whose name is gone: a directory above it was renamed.
    Moved {
        /// Its entry, under the name that it has now.
        item: &'a Item,
        /// The name that is listed.
        from: &'a [u8],
    },
    /// The same of a file that was read, and is as listed.
    MovedAndRead {
        /// What was read.
        record: &'a Record,
        /// The name that is listed.
        from: &'a [u8],
    },
    /// A file that was read and is not listed.
    Added(&'a Record),
    /// A file that was read and is as listed.
    Same(&'a Record),
    /// A file that was read and is not as listed.
    Changed(&'a Record),
    /// A file that was read and is not as listed, and nothing says that it was written.
    Corrupt {
        /// What was read.
        record: &'a Record,
        /// Its listed entry.
        listed: &'a Item,
        /// Its store keeps a checksum of another content, too.
        disputed: Option<Disputed>,
    },
    /// A file that was read. One digest is as listed, and another one or the size is not, and nothing says that it was written.
    Collision {
        /// What was read.
        record: &'a Record,
        /// What is listed.
        listed: &'a Item,
    },
    /// A file that could not be read, or not in one state.
    Failed {
        /// The result of reading it.
        record: &'a Record,
        /// Its listed entry, if any.
        listed: Option<&'a Item>,
        /// It was read and is as listed, and its store keeps a checksum of another content.
        disputed: Option<Disputed>,
    },
    /// A directory that could not be read.
    Unsearched {
        /// Its name.
        path: &'a [u8],
        /// The error from the system.
        error: &'a io::Error,
    },
    /// The name of a listed file that no longer exists.
    Gone(&'a [u8]),
    /// A listed file in a place that was not searched, or that a walk does not reach.
    Elsewhere(&'a Item),
}
