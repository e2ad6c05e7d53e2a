//! Why an index cannot be built, opened or believed.

use std::io;
use std::path::PathBuf;

/// Why an index cannot be built, opened or believed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{source} ({what})")]
    Io {
        /// What was being done.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },

    /// The index could not be written.
    #[error("{source} (writing the index)")]
    Written {
        /// What the system said.
        source: io::Error,
    },

    /// The file is something else.
    #[error("not an index of known contents; make one with `hashlane known build`")]
    NotAnIndex,

    /// The file is of another version. What an older one holds cannot be proven whole.
    #[error("an index of version {found}, but this program reads version {known}; build it again")]
    OtherVersion {
        /// Version of the file.
        found: u32,
        /// Version that is understood.
        known: u32,
    },

    /// The file is not as it was written.
    #[error("the index is damaged ({what}); build it again")]
    Damaged {
        /// What does not hold.
        what: &'static str,
    },

    /// More sets in one index than their numbers have room for.
    #[error("more than {most} sets in one index; build several")]
    ManySets {
        /// How many there may be.
        most: usize,
    },

    /// Not a database of NSRL.
    #[error("not an NSRL database (RDS v3): {what}")]
    NotNsrl {
        /// What is missing.
        what: &'static str,
    },

    /// The last changes of a database stand in a file beside it, which reading it alone would pass over.
    #[error(
        "the latest changes of the database are in {}; let SQLite merge them: `sqlite3 FILE .tables`",
        beside.display()
    )]
    Unfinished {
        /// The log, or the journal.
        beside: PathBuf,
    },

    /// SQLite gave up.
    #[error("{0} (reading the database)")]
    Database(#[from] rusqlite::Error),
}

/// Names what was being done when the system refused.
pub(crate) fn while_doing(what: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Io { what, source }
}
