//! Why a check or an audit was not begun, or not brought to its end.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use hashlane_digest::Algorithm;
use hashlane_manifest::Format;
use hashlane_record::{Escaped, ItemPath, system_text};

use crate::confined::Refused;
use crate::pieces::Unlike;
use crate::stdin::STDIN;

/// Why a check or an audit was not begun, or not brought to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The base cannot be opened.
    #[error("{}: {}", Escaped(base.as_os_str().as_bytes()), system_text(source))]
    Base {
        /// The base.
        base: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The base is a file.
    #[error("{}: is not a directory", Escaped(base.as_os_str().as_bytes()))]
    BaseNoDirectory {
        /// The base.
        base: PathBuf,
    },
    /// A list cannot be opened.
    #[error("{}: {}", shown(list), system_text(source))]
    Open {
        /// The list.
        list: OsString,
        /// What the system said.
        source: io::Error,
    },
    /// What was named as a list is a directory.
    #[error("{}: is a directory; name the manifest in it", shown(list))]
    Directory {
        /// The directory.
        list: OsString,
    },
    /// A list cannot be read, or not to its end.
    #[error("{}: {} (reading)", shown(list), system_text(source))]
    Read {
        /// The list.
        list: OsString,
        /// The line that could not be read; `None` where the list begins.
        line: Option<u64>,
        /// What the system said.
        source: io::Error,
    },
    /// A list is no manifest, or contradicts what was said of it.
    #[error("{}: {source}", shown(list))]
    Manifest {
        /// The list.
        list: OsString,
        /// What is wrong.
        source: hashlane_manifest::Error,
    },
    /// A list holds known contents: its names are those of another machine.
    #[error("{}: a set of known contents ({format}); there is nothing to check", shown(list))]
    KnownSet {
        /// The list.
        list: OsString,
        /// Its format.
        format: Format,
    },
    /// The digests of a list can come from several algorithms, and no listed file proves which.
    #[error("{}: nothing tells its algorithm, and none of its files proves it", shown(list))]
    Unproven {
        /// The list.
        list: OsString,
        /// Length of the digests in bytes.
        digest_bytes: usize,
        /// The algorithms that they can come from.
        candidates: Vec<Algorithm>,
        /// Why no file proves one; `None` where all that they can come from are checksums, which prove nothing.
        doubt: Option<Doubt>,
    },
    /// The digests of a list can come from several algorithms, and none of its files can be read: nothing can be audited by it.
    #[error("{}: nothing can be audited by it; name the algorithm", shown(list))]
    NothingToGoBy {
        /// The list.
        list: OsString,
    },
    /// Entries cannot be audited together.
    #[error("{}: line {line}: {} {why}", shown(list), path.escaped())]
    Unlike {
        /// The list.
        list: OsString,
        /// The line of the entry.
        line: u64,
        /// Its name.
        path: ItemPath,
        /// Why.
        why: Unlike,
    },
    /// All listed names are absolute, and nobody said where to look for others.
    #[error("all listed names are absolute; say where to look for files")]
    NowhereToLook,
    /// A root of an audit is not there.
    #[error("{}: {}; nothing was audited", root.escaped(), system_text(source))]
    Root {
        /// The root.
        root: ItemPath,
        /// What the system said.
        source: io::Error,
    },
    /// A root of an audit is a pipe, a socket or a device.
    #[error("{}: is a pipe, socket or device; nothing was audited", root.escaped())]
    RootSpecial {
        /// The root.
        root: ItemPath,
    },
    /// A root of an audit does not lie below the base.
    #[error("{}: {why}", root.escaped())]
    RootRefused {
        /// The base.
        base: PathBuf,
        /// The root.
        root: ItemPath,
        /// Why.
        why: Refused,
    },
    /// The search for files that are not listed could not be begun.
    #[error("{}", system_text(.0))]
    Search(io::Error),
    /// The system refused a thread that walks.
    #[error("no thread to walk with: {}", system_text(.0))]
    Walker(io::Error),
    /// What does not fit into memory could not be sorted.
    #[error(transparent)]
    Sorting(#[from] hashlane_audit::diff::Error),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] hashlane_engine::Error),
}

/// Why no file of a list proves its algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doubt {
    /// A checksum fits a file, and anybody can make contents for one.
    Checksum {
        /// The checksum.
        algorithm: Algorithm,
        /// The file.
        path: ItemPath,
    },
    /// What is listed is read once, or in pieces.
    ReadOnce,
    /// Of a list that comes once none of the files at its beginning can be read.
    NoneNear,
    /// So many files were read, and none of the algorithms fits them.
    NoneFits {
        /// How many.
        read: usize,
    },
}

/// A list's name for a message.
pub(crate) fn shown(list: &OsStr) -> String {
    if list == STDIN { "standard input".into() } else { Escaped(list.as_bytes()).to_string() }
}
