//! What an audit comes to.

use hashlane_audit::{Content, Verdict};

use crate::problem::Problem;

/// Something that an audit comes to.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something could not be read. Its verdict follows, unless it is a directory.
    Problem {
        /// Its name.
        path: &'a [u8],
        /// What was met.
        problem: Problem<'a>,
        /// It is a directory: whatever lies in it was not seen.
        is_directory: bool,
    },
    /// A verdict: of what was read when it was, of what was moved, copied or is missing at the end.
    Verdict(Finding<'a>),
}

/// What became of one file.
#[derive(Debug)]
pub struct Finding<'a> {
    /// Its name.
    pub path: &'a [u8],
    /// The verdict.
    pub verdict: Verdict,
    /// The file that the verdict relates it to.
    pub other: Option<&'a [u8]>,
    /// What is known of its content. Of pieces nothing is told.
    pub known: Option<Content>,
    /// What was read of its content. Of pieces nothing is told.
    pub seen: Option<Content>,
}

/// How an audit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// Every file has its verdict.
    Complete,
    /// There is no file below the roots: nothing is called missing, for all may lie elsewhere.
    Deserted,
    /// It was stopped: what it did not come to has no verdict.
    Stopped,
}
