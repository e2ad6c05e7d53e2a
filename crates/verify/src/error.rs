//! Why a check or an audit could not be started or completed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use hashlane_digest::Algorithm;
use hashlane_manifest::{Format, ProblemKind};
use hashlane_record::{Escaped, Failure, ItemPath, shown_name, system_text};

use crate::confined::Refused;
use crate::out_of_place::OutOfPlace;
use crate::pieces::Unlike;
use crate::stdin::STDIN;

/// Why a check or an audit could not be started or completed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The base cannot be opened.
    #[error("{}: {}", Escaped(base.as_os_str().as_bytes()), system_text(source))]
    Base {
        /// The base.
        base: PathBuf,
        /// The error from the system.
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
        /// The error from the system.
        source: io::Error,
    },
    /// A path named as a list is a directory.
    #[error("{}: is a directory; name the manifest in it", shown(list))]
    Directory {
        /// The directory.
        list: OsString,
    },
    /// A list cannot be read to its end.
    #[error("{}: {} (reading{})", shown(list), system_text(source), at_line(*line))]
    Read {
        /// The list.
        list: OsString,
        /// The line that could not be read; `None` at the beginning of the list.
        line: Option<u64>,
        /// The error from the system.
        source: io::Error,
    },
    /// A list is not a manifest, or contradicts the given options.
    #[error("{}: {source}", shown(list))]
    Manifest {
        /// The list.
        list: OsString,
        /// What is wrong.
        source: hashlane_manifest::Error,
    },
    /// A list contains known contents, with names from another machine.
    #[error("{}: a set of known contents ({format}); there is nothing to check", shown(list))]
    KnownSet {
        /// The list.
        list: OsString,
        /// Its format.
        format: Format,
    },
    /// The digests of a list can come from several algorithms, and no listed file proves which.
    #[error("{}: its algorithm is neither named nor proven by any of its files", shown(list))]
    Unproven {
        /// The list.
        list: OsString,
        /// Length of the digests in bytes.
        digest_bytes: usize,
        /// The algorithms that they can come from.
        candidates: Vec<Algorithm>,
        /// Why no file proves one; `None` if all of them are checksums, which prove nothing.
        doubt: Option<Doubt>,
    },
    /// The digests of a list can come from several algorithms, and none of its files can be read, so it cannot be used for an audit.
    #[error("{}: cannot be used for an audit; name its algorithm", shown(list))]
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
    /// The first name of a list is none of what is looked at, so the list is of something else.
    #[error("{}: {} {why}", shown(list), path.escaped())]
    OutOfPlace {
        /// The list.
        list: OsString,
        /// The name.
        path: ItemPath,
        /// What names are relative to; `None`: they are whole, or relative to the current directory.
        source_of_names: Option<ItemPath>,
        /// Why.
        why: OutOfPlace,
    },
    /// All listed names are absolute, and no place to look for other files was named.
    #[error("all listed names are absolute; name where to look for files")]
    NowhereToLook,
    /// All listed names are those of objects, and no prefix to look below was named.
    #[error("all listed names are those of objects; name where to look for others")]
    NoPrefix,
    /// A root of an audit does not exist.
    #[error("{}: {}; nothing was audited", root.escaped(), system_text(source))]
    Root {
        /// The root.
        root: ItemPath,
        /// The error from the system.
        source: io::Error,
    },
    /// A root of an audit is a pipe, a socket or a device.
    #[error("{}: is a pipe, socket or device; nothing was audited", root.escaped())]
    RootSpecial {
        /// The root.
        root: ItemPath,
    },
    /// A root of an audit is not below the base.
    #[error("{}: {why}", root.escaped())]
    RootRefused {
        /// The base.
        base: PathBuf,
        /// The root.
        root: ItemPath,
        /// Why.
        why: Refused,
    },
    /// A list was in order when it was read first, and is not while it is compared.
    #[error("{}: changed while it was read, and line {line} is now out of order; run again", shown(list))]
    OutOfOrder {
        /// The list.
        list: OsString,
        /// The line.
        line: u64,
    },
    /// What was read elsewhere does not stand in its table. What does not stand there would be taken for missing.
    #[error("{}: line {line}: {why}", shown(table))]
    NoReading {
        /// The table.
        table: OsString,
        /// The line or row.
        line: u64,
        /// Why.
        why: NoReading,
    },
    /// Pieces of files are listed, and readings from elsewhere have none.
    #[error("digests of pieces are listed; what was read elsewhere has none to compare")]
    UnlikePieces,
    /// The root of a tree that is compared could not be read.
    #[error("{}: {failure}; nothing was compared", root.escaped())]
    TreeRoot {
        /// The root.
        root: ItemPath,
        /// The error from the system.
        failure: Failure,
    },
    /// The run was stopped.
    #[error("the run was stopped")]
    Stopped,
    /// The system refused a thread.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// The search for unlisted files could not be started.
    #[error("{}", system_text(.0))]
    Search(io::Error),
    /// The system refused a thread for the walk.
    #[error("cannot start a thread for the walk: {}", system_text(.0))]
    Walker(io::Error),
    /// What does not fit into memory could not be sorted.
    #[error(transparent)]
    Sorting(#[from] hashlane_audit::diff::Error),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] hashlane_engine::Error),
}

impl Error {
    /// An error of rows, on its way through what sorts and compares, as it was.
    pub(crate) fn of_rows(error: hashlane_audit::diff::Error) -> Self {
        match error {
            hashlane_audit::diff::Error::Source(source) => match source.downcast::<Self>() {
                Ok(own) => *own,
                Err(source) => Self::Sorting(hashlane_audit::diff::Error::Source(source)),
            },
            error => Self::Sorting(error),
        }
    }

    /// The same error, as rows end with it.
    pub(crate) fn in_rows(self) -> hashlane_audit::diff::Error {
        hashlane_audit::diff::Error::Source(Box::new(self))
    }
}

/// Why a row does not tell what was read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoReading {
    /// It is not understood.
    #[error(transparent)]
    Row(ProblemKind),
    /// It has no size: a content that was read has one.
    #[error("has no size; use a format that lists sizes")]
    Size,
}

/// Why no file of a list proves its algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Doubt {
    /// A checksum matches a file, but matching contents are easy to make.
    #[error(
        "{} matches {algorithm}, but that is a checksum, and matching contents are easy to make",
        shown_name(path.as_bytes())
    )]
    Checksum {
        /// The checksum.
        algorithm: Algorithm,
        /// The file.
        path: ItemPath,
    },
    /// The listed files can be read only once, or are listed in pieces.
    #[error("its files can be read only once, or are listed in pieces")]
    ReadOnce,
    /// The list can be read only once, and none of the files at its beginning can be read.
    #[error("none of its first files can be read")]
    NoneNear,
    /// Files were read, and none of the algorithms matches them.
    #[error("none of them matches the {}", read_files(*read))]
    NoneFits {
        /// How many.
        read: usize,
    },
}

fn read_files(read: usize) -> String {
    match read {
        1 => "one file that could be read".to_owned(),
        read => format!("{read} files that were read"),
    }
}

fn at_line(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(" line {line}"))
}

/// A list's name for a message.
pub fn shown(list: &OsStr) -> String {
    if list == STDIN { "standard input".into() } else { Escaped(list.as_bytes()).to_string() }
}
