//! What becomes of an entry in the course of an audit.

use crate::verdict::Verdict;

/// What has become of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// A known file that no input belongs to so far.
    Unseen,
    /// A known file that the same is true of, and none is expected; or an input that waits and has no content.
    /// The verdict that it has at the end.
    Aside(Verdict),
    /// A known file with an input. What its content is now stands elsewhere, if it was read.
    Seen,
    /// A known file with an input that has the content listed.
    Verified,
    /// A known file whose content is under another name now.
    MovedAway,
    /// A known file that is gone, and whose content is under another name that is known itself.
    Remains,
    /// An input whose verdict is given at the end.
    Waiting,
    /// The content of an input that has its verdict. In place of the name is the number of its known file.
    Judged,
    /// An input that has waited for its verdict. Its content stands elsewhere, if it was read.
    Settled,
}

impl State {
    /// A known file that no input belongs to so far.
    pub(crate) fn is_free(self) -> bool {
        matches!(self, Self::Unseen | Self::Aside(_))
    }

    /// An input whose verdict is given at the end.
    pub(crate) fn waits(self) -> bool {
        matches!(self, Self::Waiting | Self::Aside(_))
    }
}
