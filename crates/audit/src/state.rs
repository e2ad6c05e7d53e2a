//! What becomes of an entry in the course of an audit.

use hashlane_record::{Dispute, Outcome};

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
    /// An input whose content its store disputes, by a single reading: it is judged by its name alone, and stays so.
    Disputed,
    /// The same, and two readings have brought the same.
    DisputedTwice,
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
        matches!(self, Self::Waiting | Self::Aside(_) | Self::Disputed | Self::DisputedTwice)
    }

    /// That of an input that has a content and whose verdict is given at the end.
    pub(crate) fn of_content(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Disputed(Dispute { is_read_twice: true, .. }) => Self::DisputedTwice,
            Outcome::Disputed(_) => Self::Disputed,
            _ => Self::Waiting,
        }
    }

    /// How its store disputes a content of `size` bytes.
    pub(crate) fn dispute(self, size: Option<u64>) -> Option<Dispute> {
        let is_read_twice = match self {
            Self::Disputed => false,
            Self::DisputedTwice => true,
            _ => return None,
        };
        Some(Dispute { is_read_twice, offset_bytes: size.unwrap_or(0) })
    }

    /// The verdict on an input that is looked for under no other name, where nothing is known under its own.
    pub(crate) fn unmatched(self) -> Option<Verdict> {
        match self {
            Self::Aside(verdict) => Some(verdict),
            Self::Disputed | Self::DisputedTwice => Some(Verdict::Unreadable),
            _ => None,
        }
    }
}
