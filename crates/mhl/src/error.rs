//! Why a history cannot be read, or a generation not be written.

use std::io;
use std::path::{Path, PathBuf};

use hashlane_digest::Algorithm;

/// Why a history cannot be read, or a generation not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// ASC MHL has no name for the algorithm.
    #[error("ASC MHL supports md5, sha1, xxh64, xxh3, xxh128 and c4, not {algorithm}")]
    Algorithm {
        /// What was asked for.
        algorithm: Algorithm,
    },
    /// The system refused.
    #[error("{}: {}", path.display(), hashlane_record::system_text(source))]
    Io {
        /// What was to be read or written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The chain file is not what it should be.
    #[error("{}: {what}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A name that XML cannot hold.
    #[error("\"{}\": ASC MHL cannot store a name with control characters, or one that is not UTF-8", path.display())]
    Name {
        /// The name.
        path: PathBuf,
    },
    /// There is a folder of a history, and no chain file in it: nothing vouches for its lists.
    #[error("{}: has no ascmhl_chain.xml", path.display())]
    NoChain {
        /// The folder.
        path: PathBuf,
    },
    /// There is no history.
    #[error("{}: has no history of ASC MHL (a folder ascmhl)", path.display())]
    NoHistory {
        /// The directory.
        path: PathBuf,
    },
    /// A pattern of files to ignore is malformed.
    #[error("the pattern {pattern} is malformed: {what}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        what: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
