//! Why two lists cannot be compared to their end.

use std::io;
use std::path::PathBuf;

/// Why two lists cannot be compared to their end.
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
        /// What the system said.
        source: io::Error,
    },

    /// What a temporary file holds is not what was written.
    #[error("the temporary file in {} is damaged: what is read is not what was written", directory.display())]
    Damaged {
        /// Where the file is.
        directory: PathBuf,
    },

    /// Rows that were in order do not come in order any more.
    #[error("line {line} is out of order, and was not before: the list was changed meanwhile")]
    OutOfOrder {
        /// Number of the line, from 1.
        line: u64,
    },

    /// The rows of a side ended in an error of its source.
    #[error(transparent)]
    Source(Box<dyn std::error::Error + Send + Sync>),
}
