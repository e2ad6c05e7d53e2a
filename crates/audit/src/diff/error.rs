//! Why two lists cannot be compared completely.

use std::io;
use std::path::PathBuf;

/// Why two lists cannot be compared completely.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A temporary file could not be made, written or read back.
    #[error("{source} ({what} in {})", directory.display())]
    Temporary {
        /// What was being done.
        what: &'static str,
        /// Where the file is.
        directory: PathBuf,
        /// The error from the system.
        source: io::Error,
    },

    /// The contents of a temporary file are not what was written.
    #[error("the temporary file in {} is damaged: its contents are not what was written", directory.display())]
    Damaged {
        /// Where the file is.
        directory: PathBuf,
    },

    /// Rows that were in order no longer are.
    #[error("line {line} is now out of order: the list was changed in the meantime")]
    OutOfOrder {
        /// Number of the line, from 1.
        line: u64,
    },

    /// The source of the rows of a side failed.
    #[error(transparent)]
    Source(Box<dyn std::error::Error + Send + Sync>),
}
