//! What can come between a file and its name.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a file was not put in its place. Paths are as they were given, not fit for a terminal yet.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// The file cannot be created, written or removed.
    #[error("cannot write to {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What was written does not reach the device.
    #[error("cannot write to {}: {source}; what was written so far is kept", path.display())]
    Sync {
        /// The file, under the name that it has until it is complete.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What has the partial name is a directory, a pipe or a device.
    #[error("{}: is not a regular file; remove it", partial.display())]
    NotRegular {
        /// The partial name.
        partial: PathBuf,
    },
    /// Another run has the partial file locked.
    #[error("{}: another run is writing it; wait for that run, or name another file", partial.display())]
    Busy {
        /// The partial name.
        partial: PathBuf,
    },
    /// Another run has given the partial file its name while this one was opening it.
    #[error("{}: another run has just completed it; run again", partial.display())]
    JustCompleted {
        /// The partial name.
        partial: PathBuf,
    },
    /// Earlier runs left so many files that no more are kept.
    #[error(
        "{}: an earlier run left it, and {kept} older ones are already saved beside it; remove those that are not needed",
        partial.display()
    )]
    TooManyKept {
        /// The partial name.
        partial: PathBuf,
        /// How many are kept.
        kept: u32,
    },
    /// Another run has put its file under the partial name.
    #[error("{}: is no longer the file of this run; {} was not written; run again", partial.display(), path.display())]
    Displaced {
        /// The partial name.
        partial: PathBuf,
        /// The name that it was to have.
        path: PathBuf,
    },
    /// The file that was to be replaced is not what it was any more; what was made of it is removed.
    #[error("{}: another run changed it in the meantime; nothing was written; run again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The complete file cannot have its name.
    #[error("{} is complete but cannot be renamed to {}: {source}", partial.display(), path.display())]
    Rename {
        /// The partial name, under which it stays.
        partial: PathBuf,
        /// The name that it was to have.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl ReplaceError {
    /// Whether something has the name that was to be a new one.
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Rename { source, .. } | Self::Write { source, .. } if source.kind() == io::ErrorKind::AlreadyExists)
    }
}

/// For who names the file otherwise: what the system says, where it was asked.
impl From<ReplaceError> for io::Error {
    fn from(error: ReplaceError) -> Self {
        match error {
            ReplaceError::Write { source, .. }
            | ReplaceError::Sync { source, .. }
            | ReplaceError::Rename { source, .. } => source,
            other => Self::other(other),
        }
    }
}
