//! Why something cannot be sorted.

use std::io;
use std::path::PathBuf;

/// What becomes of sorting.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something cannot be sorted.
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

    /// It goes on after it has failed: what it holds is not all that it was given.
    #[error("a sort that has failed cannot go on")]
    Failed,
}

/// That of the system, for whoever says by itself what was being done.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Temporary { source, .. } => source,
            Error::Damaged { .. } | Error::Failed => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}
