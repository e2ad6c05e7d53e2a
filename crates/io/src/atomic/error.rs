//! What can come between a file and its name.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use thiserror::Error;

/// Why a file was not put in its place. Paths are as they were given, not fit for a terminal yet.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// The file cannot be created, written or removed.
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What was written does not reach the device.
    Sync {
        /// The file, under the name that it has until it is complete.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What has the partial name is a directory, a pipe or a device.
    NotRegular {
        /// The partial name.
        partial: PathBuf,
    },
    /// Another run has the partial file locked.
    Busy {
        /// The partial name.
        partial: PathBuf,
    },
    /// Another run has given the partial file its name while this one was opening it.
    JustCompleted {
        /// The partial name.
        partial: PathBuf,
    },
    /// Earlier runs left so many files that no more are kept.
    TooManyKept {
        /// The partial name.
        partial: PathBuf,
        /// How many are kept.
        kept: u32,
    },
    /// Another run has put its file under the partial name.
    Displaced {
        /// The partial name.
        partial: PathBuf,
        /// The name that it was to have.
        path: PathBuf,
    },
    /// The file that was to be replaced is not what it was any more; what was made of it is removed.
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The complete file cannot have its name.
    Rename {
        /// The partial name, under which it stays.
        partial: PathBuf,
        /// The name that it was to have.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl fmt::Display for ReplaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(&|path| path.display().to_string(), &ToString::to_string))
    }
}

impl ReplaceError {
    /// The error with paths as `name` shows them, and what the system says as `system` puts it.
    pub fn in_words(&self, name: &dyn Fn(&Path) -> String, system: &dyn Fn(&io::Error) -> String) -> String {
        match self {
            Self::Write { path, source } => format!("cannot write to {}: {}", name(path), system(source)),
            Self::Sync { path, source } => {
                let (path, source) = (name(path), system(source));
                format!("cannot write to {path}: {source}; what was written so far is kept")
            }
            Self::NotRegular { partial } => format!("{}: is not a regular file; remove it", name(partial)),
            Self::Busy { partial } => {
                format!(
                    "{}: another run is writing it; wait for that run, or name another file",
                    name(partial)
                )
            }
            Self::JustCompleted { partial } => {
                format!("{}: another run has just completed it; run again", name(partial))
            }
            Self::TooManyKept { partial, kept } => format!(
                "{}: an earlier run left it, and {kept} older ones are already saved beside it; remove those that are not needed",
                name(partial)
            ),
            Self::Displaced { partial, path } => format!(
                "{}: is no longer the file of this run; {} was not written; run again",
                name(partial),
                name(path)
            ),
            Self::Changed { path } => {
                format!(
                    "{}: another run changed it in the meantime; nothing was written; run again",
                    name(path)
                )
            }
            Self::Rename { partial, path, source } => {
                let (partial, path, source) = (name(partial), name(path), system(source));
                format!("{partial} is complete but cannot be renamed to {path}: {source}")
            }
        }
    }

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
