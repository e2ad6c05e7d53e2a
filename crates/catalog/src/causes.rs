//! How findings came about, as far as an audit has tested it.

use crate::damage::CataloguePart;
use crate::error::{Error, Result};

/// How a finding came about, as far as the audit has tested it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// It had bytes, and has none.
    Emptied,
    /// Its time is earlier than that of what is known: an older version has come back.
    Older,
    /// It has the content of another file, which has this one's.
    Swapped,
    /// Another file has taken its place since it was read, and this is the first reading of that.
    Replaced,
    /// Something stands against it, and it has neither the content that is known nor the one that was found.
    Restored,
    /// It was written to when it had been read once and differed.
    Suspected,
    /// It may be appended to, and something else has happened to it.
    NotAppended,
    /// The same, and a compressed file that is new lies beside it.
    Compressed,
    /// It has the content that was found to be damage in another file.
    CopyOfDamage,
    /// It has a new name, and what it contains is not what it contained under the old one.
    Renamed,
    /// It was missing, and is there again: with another content, or not to be read yet.
    CameBack,
    /// The same, under an earlier time than the known one: an older version was put back.
    PutBack,
    /// No other time than the known one says that somebody wrote to it.
    NotWritten,
}

impl Cause {
    /// All of them, by number from 1 on. Numbers are never used again.
    pub const ALL: [Self; 13] = [
        Self::Emptied,
        Self::Older,
        Self::Swapped,
        Self::Replaced,
        Self::Restored,
        Self::Suspected,
        Self::NotAppended,
        Self::Compressed,
        Self::CopyOfDamage,
        Self::Renamed,
        Self::CameBack,
        Self::PutBack,
        Self::NotWritten,
    ];

    /// What programs call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Emptied => "emptied",
            Self::Older => "older",
            Self::Swapped => "swapped",
            Self::Replaced => "replaced",
            Self::Restored => "restored",
            Self::Suspected => "suspected",
            Self::NotAppended => "not-appended",
            Self::Compressed => "compressed",
            Self::CopyOfDamage => "copy-of-damage",
            Self::Renamed => "renamed",
            Self::CameBack => "came-back",
            Self::PutBack => "put-back",
            Self::NotWritten => "not-written",
        }
    }

    /// Whether a policy that accepts a change accepts this one. Of the others nobody knows what the change was.
    pub fn may_be_accepted(self) -> bool {
        matches!(self, Self::Emptied | Self::Older | Self::Swapped | Self::Restored | Self::CameBack)
    }

    /// Whether damage has come to a file from another one.
    pub fn is_spread(self) -> bool {
        matches!(self, Self::CopyOfDamage | Self::Renamed)
    }

    /// Whether it says more of a change than what is found later does.
    pub fn lasts(self) -> bool {
        !self.may_be_accepted() || self == Self::CameBack
    }

    pub(crate) fn number(self) -> i64 {
        Self::ALL.iter().position(|cause| *cause == self).map_or(0, |place| place as i64 + 1)
    }

    pub(crate) fn of_number(number: i64) -> Result<Self> {
        let place = usize::try_from(number - 1).ok();
        let found = place.and_then(|place| Self::ALL.get(place)).copied();
        found.ok_or_else(|| {
            Error::damaged(CataloguePart::Finding, format!("{number} is not a cause of a finding"))
        })
    }
}
