//! What is met on the way through lists.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_manifest::LineProblem;
use hashlane_record::ItemPath;

use crate::error::Error;

/// Takes notes as they come up: those of a check on the thread that reads its lists, while files are judged on another.
pub type Notes = Arc<dyn Fn(Note<'_>) + Send + Sync>;

/// Something that is met on the way through lists. None of it ends a check.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Note<'a> {
    /// A list comes from standard input, which is waited for.
    StandardInput,
    /// A list of a check could not be opened: nothing that it lists is looked at.
    Unopened(&'a Error),
    /// A listed file has proven the algorithm of a list that does not tell it.
    Proven {
        /// The list.
        list: &'a OsStr,
        /// Its algorithm.
        algorithm: Algorithm,
        /// The file.
        by: &'a ItemPath,
    },
    /// A list does not tell its algorithm, and none of its files can be read.
    Unproven {
        /// The list.
        list: &'a OsStr,
    },
    /// A line that was passed over: it cannot be understood, or has none of the algorithms that are asked for.
    Line {
        /// The list.
        list: &'a OsStr,
        /// What is wrong with the line.
        problem: &'a LineProblem,
    },
    /// A list could not be read to its end: what follows is not looked at.
    BrokenOff {
        /// The list.
        list: &'a OsStr,
        /// The line that could not be read.
        line: u64,
        /// What the system said.
        error: &'a io::Error,
    },
    /// An entry that an audit has no room for, or that contradicts another one.
    NotTaken {
        /// The list.
        list: &'a OsStr,
        /// The line of the entry.
        line: u64,
        /// Its name.
        path: &'a ItemPath,
        /// Why.
        error: &'a hashlane_audit::Error,
    },
    /// The entries of a name contradict each other, as comes out when all of them are brought together.
    Contradicted {
        /// The name.
        path: &'a [u8],
        /// How.
        error: &'a hashlane_audit::Error,
    },
}

/// What is to be said of a list when it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListSummary {
    /// Its name.
    pub name: OsString,
    /// Lines that could not be understood.
    pub malformed: u64,
    /// Lines that were left out because another algorithm was asked for.
    pub skipped: u64,
    /// What it is named after and what it has, where it has digests of none but other algorithms.
    pub misnamed: Option<(Algorithm, Vec<Algorithm>)>,
    /// Its reading failed before its end.
    pub broken_off: bool,
    /// Entries without a digest, or with none that can be understood or verified.
    pub undigested: u64,
    /// Entries whose reading failed or was unstable, as the list itself says: their digests are those of no file.
    pub recorded_bad: u64,
    /// Entries that an audit has no room for, or that contradict others.
    pub refused: u64,
}

impl ListSummary {
    /// Of a list of which nothing is known yet.
    pub(crate) fn of(name: &OsStr) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Whether there is anything to be said.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Self::of(&self.name)
    }
}
