//! The events of an audit.

use hashlane_audit::{Content, Verdict};

use crate::problem::Problem;

/// An event of an audit.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something could not be read. Its verdict follows, unless it is a directory.
    Problem {
        /// Its name.
        path: &'a [u8],
        /// The problem. What its store disputes was judged before, as a check judges it.
        problem: Problem<'a>,
        /// It is a directory, so its contents were not seen.
        is_directory: bool,
    },
    /// A verdict: for a file that is read, right after reading; for one that was moved or copied or is missing, at the end.
    Verdict(Finding<'a>),
}

/// The verdict on one file.
#[derive(Debug)]
pub struct Finding<'a> {
    /// Its name.
    pub path: &'a [u8],
    /// The verdict.
    pub verdict: Verdict,
    /// The other file that the verdict refers to.
    pub other: Option<&'a [u8]>,
    /// What is known of its content. Pieces are not reported.
    pub known: Option<Content>,
    /// What was read of its content. Pieces are not reported.
    pub seen: Option<Content>,
    /// The store of the file keeps the checksum of another content than was read.
    pub is_disputed: bool,
}

/// How an audit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// Every file has its verdict.
    Complete,
    /// There are no files below the roots: nothing is reported as missing, because the files may be elsewhere.
    Deserted,
    /// A prefix of a store could not be listed to its end: nothing is reported as missing, moved or new, because the rest is unknown.
    Unlisted,
    /// It was stopped: files that it did not reach have no verdict.
    Stopped,
}
