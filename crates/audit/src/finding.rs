//! One verdict that stands at the end.

use crate::file::Content;
use crate::tables::Which;
use crate::verdict::Verdict;

/// A verdict that stands at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// The name of the input, or of the known file that is missing or was left out.
    pub path: &'a [u8],
    /// The known file that it was moved or copied from or collides with, or where a copy of the lost file
    /// remains. An input that is at its place but for case has the name listed here.
    pub other: Option<&'a [u8]>,
    /// What is known: of the known file, or of the other one.
    pub known: Option<Content>,
    /// What was seen of the input, if it was read.
    pub seen: Option<Content>,
}

/// A verdict by numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) verdict: Verdict,
    pub(crate) subject: Which,
    pub(crate) other: Option<Which>,
}
