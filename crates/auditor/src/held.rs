//! Why a run is held.

use std::fmt;

use hashlane_record::{count, counted, shown_name};

use crate::ground::MARKER;

/// Files that an audit has come across, and that no earlier one has reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alarm {
    /// They are gone, and were not renamed.
    pub missing: u64,
    /// They had bytes, and have none.
    pub emptied: u64,
    /// They have changed, and are older than they were.
    pub older: u64,
    /// They could not be read, or not in one state.
    pub unreadable: u64,
    /// They have changed otherwise, where that is a finding.
    pub changed: u64,
    /// They have changed otherwise, where that is accepted.
    pub edited: u64,
    /// They looked changed, and are as they were or have grown.
    pub(crate) unchanged: u64,
}

impl fmt::Display for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { missing, emptied, older, unreadable, changed, edited, .. } = self;
        let counts = [
            (missing, "missing"),
            (emptied, "emptied"),
            (older, "older"),
            (unreadable, "unreadable"),
            (changed, "changed"),
            (edited, "edited"),
        ];
        let counts = counts.into_iter().filter(|(number, _)| **number > 0);
        let counts: Vec<_> = counts.map(|(number, what)| format!("{} {what}", count(*number))).collect();
        f.write_str(&counts.join(", "))
    }
}

/// Why a run is held.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Held {
    /// The root is another directory than the one that was audited.
    OtherRoot {
        /// Whether it lies in the same file system.
        same_file_system: bool,
    },
    /// The file is not there, or says something else, by which the tree is known again.
    NoMarker,
    /// The root has no files.
    EmptyRoot {
        /// How many are known.
        known: u64,
    },
    /// A directory is there, and its files are not.
    EmptyDirectory {
        /// Its path below the root.
        path: Vec<u8>,
        /// How many are known, in it and below it.
        known: u64,
    },
    /// What was mounted in the tree is no longer mounted there.
    NotMounted {
        /// Its path below the root.
        path: Vec<u8>,
    },
    /// Something was mounted over a directory whose files are known, or over a known file.
    NewlyMounted {
        /// Its path below the root.
        path: Vec<u8>,
    },
    /// More files are lost, changed or unreadable than are believed.
    TooMany {
        /// How many of each; nothing where that isn't part of the reason.
        alarm: Alarm,
        /// How many there may be.
        allowed: u64,
    },
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherRoot { same_file_system: true } => {
                f.write_str("the root is another directory than the one that was audited before")
            }
            Self::OtherRoot { same_file_system: false } => {
                f.write_str("the root lies on another file system than the one that was audited before")
            }
            Self::NoMarker => {
                write!(f, "the root does not have the file {MARKER} by which this tree is known again")
            }
            Self::EmptyRoot { known } => {
                write!(f, "the root has no files, where {} should be", counted(*known, "file"))
            }
            Self::EmptyDirectory { path, known } => {
                let path = shown_name(path);
                write!(f, "the directory {path} is empty, where {} should be", counted(*known, "file"))
            }
            Self::NotMounted { path } => {
                let path = shown_name(path);
                write!(f, "what was mounted at {path} before is not mounted there now")
            }
            Self::NewlyMounted { path } => {
                let path = shown_name(path);
                write!(f, "something is mounted over {path} now, and hides known files")
            }
            Self::TooMany { alarm, allowed } => {
                write!(f, "{alarm} files; more than {} are not believed", count(*allowed))
            }
        }
    }
}
