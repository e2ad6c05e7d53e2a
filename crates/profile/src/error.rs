//! Why something was not kept.

use std::io;
use std::path::PathBuf;

use hashlane_io::ReplaceError;

/// Why something could not be kept in the cache directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The directory cannot be made, or no files in it.
    #[error("{}: {source}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something that is not a file has the name.
    #[error("{}: is not a regular file; remove it", path.display())]
    NotRegular {
        /// What has the name.
        path: PathBuf,
    },
    /// The file cannot be put in its place.
    #[error("{source}")]
    File {
        /// Why not.
        source: ReplaceError,
    },
}
