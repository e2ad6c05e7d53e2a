//! The verdicts.

use std::fmt;

/// What became of a file.
///
/// *Shared* are the algorithms of which both sides have a digest. Sizes count where both sides have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// At its place; all shared digests and the size are equal, and there is at least one shared digest.
    Ok,
    /// At its place, with other content.
    Changed,
    /// At its place, with other content, though size and modification time are known and equal.
    Corrupt,
    /// A name that is not known; the content is that of a known file that is gone. Each of these is moved
    /// once.
    Moved,
    /// A name that is not known; the content is that of a known file that is still there, or has moved
    /// elsewhere.
    Copied,
    /// Not at its place, and not moved; its content is still there under another name.
    DuplicateLost,
    /// Neither name nor content are known.
    New,
    /// Not at its place, and its content is nowhere.
    Missing,
    /// There, but it could not be read.
    Unreadable,
    /// Some shared digests are equal, but another one or the size is not: two contents with the same digest,
    /// or a manifest that is wrong. At its place or under a name that is not known.
    Collision,
    /// At its place, with equal size; no digest is shared.
    SizeOnly,
    /// At its place, and nothing is shared that could be compared.
    Unverified,
    /// Known, left out by the caller, and not seen: nothing is said of it, so it is neither a pass nor a finding.
    Excluded,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 13] = [
        Self::Ok,
        Self::Changed,
        Self::Corrupt,
        Self::Moved,
        Self::Copied,
        Self::DuplicateLost,
        Self::New,
        Self::Missing,
        Self::Unreadable,
        Self::Collision,
        Self::SizeOnly,
        Self::Unverified,
        Self::Excluded,
    ];

    /// Whether nothing is wrong with the file. Doubt is wrong.
    pub fn is_pass(self) -> bool {
        self == Self::Ok
    }

    /// Its name, lower case with hyphens: `duplicate-lost`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Changed => "changed",
            Self::Corrupt => "corrupt",
            Self::Moved => "moved",
            Self::Copied => "copied",
            Self::DuplicateLost => "duplicate-lost",
            Self::New => "new",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
            Self::Collision => "collision",
            Self::SizeOnly => "size-only",
            Self::Unverified => "unverified",
            Self::Excluded => "excluded",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ok_is_a_pass() {
        let passes: Vec<_> = Verdict::ALL.into_iter().filter(|verdict| verdict.is_pass()).collect();
        assert_eq!(passes, [Verdict::Ok]);
    }

    #[test]
    fn verdicts_are_listed_in_the_order_of_their_numbers() {
        for (number, verdict) in Verdict::ALL.into_iter().enumerate() {
            assert_eq!(verdict as usize, number);
        }
    }
}
