//! A verdict at the end of an audit.

use hashlane_record::Dispute;

use crate::file::Content;
use crate::tables::Which;
use crate::verdict::Verdict;

/// A verdict at the end of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// The name of the input, or of the known file that is missing or was left out.
    pub path: &'a [u8],
    /// The known file that it was moved or copied from or collides with, or where a copy of the lost file remains. For an input in its
    /// place but for case, the listed name.
    pub other: Option<&'a [u8]>,
    /// What is known: of the known file, or of the other one.
    pub known: Option<Content>,
    /// What was seen of the input, if it was read.
    pub seen: Option<Content>,
    /// The store of the input keeps a checksum of another content than was seen.
    pub dispute: Option<Dispute>,
}

/// A verdict by numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberedFinding {
    pub(crate) verdict: Verdict,
    pub(crate) subject: Which,
    pub(crate) other: Option<Which>,
}
