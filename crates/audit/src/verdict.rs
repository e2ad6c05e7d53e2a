//! The verdicts.

use std::fmt;

/// What happened to a file.
///
/// *Shared* algorithms are those of which both sides have a digest. Sizes count if both sides have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// In its place; all shared digests and the size are equal, and there is at least one shared digest.
    Ok,
    /// In its place, with other content.
    Changed,
    /// In its place, with other content, though size and modification time are known and equal.
    Corrupt,
    /// A name that is not known; the content is that of a known file that is gone. Each of these is moved once.
    Moved,
    /// A name that is not known; the content is that of a known file that still exists, or has moved elsewhere.
    Copied,
    /// Not in its place, and not moved; its content still exists under another name.
    DuplicateLost,
    /// Neither name nor content is known.
    New,
    /// Not in its place, and its content was not found anywhere.
    Missing,
    /// It exists, but could not be read.
    Unreadable,
    /// Some shared digests are equal, but another one or the size is not: two contents with the same digest, or a wrong manifest. In its
    /// place, or under a name that is not known.
    Collision,
    /// In its place, with equal size; no digest is shared.
    SizeOnly,
    /// In its place, but nothing is shared that could be compared.
    Unverified,
    /// Known, left out by the caller, and not seen. It is neither a pass nor a finding.
    Excluded,
    /// It exists, but changed while it was read, so what was read is not a content that it ever had.
    Unstable,
    /// Ok, but its modification time differs from the known one. Given under [`Rules::touched`] only; otherwise such a file is ok.
    ///
    /// [`Rules::touched`]: crate::Rules::touched
    Touched,
    /// In its place, known without a digest, and read for the first time: the caller now has its digests. Nothing was verified, so it is
    /// neither a pass nor a finding. Given under [`Rules::registered`] only; otherwise it is size-only or unverified.
    ///
    /// [`Rules::registered`]: crate::Rules::registered
    Registered,
    /// A rule of the caller excludes this file from judgement, whether it exists or not, known or not. It is neither a pass nor a finding.
    Ignored,
    /// It should have been judged but was not, for a reason. This is a result: never a pass, and counted separately from what could not be
    /// read.
    NotChecked(Unchecked),
}

/// Why a file that should have been judged was not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Unchecked {
    /// The time or bytes allowed for the run were used up before.
    Budget,
    /// Its place or medium is not available at present.
    Offline,
    /// Its bytes would first have to be restored from an archive.
    Archived,
    /// It exceeds a limit set by the caller, such as a size.
    Limit,
    /// Its run was held, because something was wrong with the collection as a whole.
    Held,
}

impl Verdict {
    /// One of each kind of verdict; [`Verdict::NotChecked`] with the first reason.
    pub const ALL: [Self; 18] = [
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
        Self::Unstable,
        Self::Touched,
        Self::Registered,
        Self::Ignored,
        Self::NotChecked(Unchecked::Budget),
    ];

    /// Whether the content was verified and nothing is wrong with the file. Doubt counts as wrong.
    pub fn is_pass(self) -> bool {
        matches!(self, Self::Ok | Self::Touched)
    }

    /// Whether it is neither a pass nor a finding: the caller excluded the file, or knew nothing of its content.
    pub fn is_neutral(self) -> bool {
        matches!(self, Self::Excluded | Self::Registered | Self::Ignored)
    }

    /// Its name, lower case with hyphens: `duplicate-lost`. It does not include the reason.
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
            Self::Unstable => "unstable",
            Self::Touched => "touched",
            Self::Registered => "registered",
            Self::Ignored => "ignored",
            Self::NotChecked(_) => "not-checked",
        }
    }

    /// Why the file was not checked.
    pub fn reason(self) -> Option<Unchecked> {
        match self {
            Self::NotChecked(reason) => Some(reason),
            _ => None,
        }
    }

    /// A number that stands for it, reason included.
    pub(crate) fn code(self) -> u64 {
        let reason = self.reason().map_or(0, |reason| reason as u64);
        self.number() as u64 | reason << 8
    }

    /// The verdict that a number stands for.
    pub(crate) fn of_code(code: u64) -> Self {
        match Self::ALL[(code & 0xff) as usize] {
            Self::NotChecked(_) => Self::NotChecked(Unchecked::ALL[(code >> 8) as usize]),
            verdict => verdict,
        }
    }

    /// Whether there is a content that the verdict is on.
    pub(crate) fn has_content(self) -> bool {
        !matches!(self, Self::Unreadable | Self::Unstable | Self::Ignored | Self::NotChecked(_))
    }

    /// Its place in [`Verdict::ALL`], whatever the reason.
    pub(crate) fn number(self) -> usize {
        match self {
            Self::Ok => 0,
            Self::Changed => 1,
            Self::Corrupt => 2,
            Self::Moved => 3,
            Self::Copied => 4,
            Self::DuplicateLost => 5,
            Self::New => 6,
            Self::Missing => 7,
            Self::Unreadable => 8,
            Self::Collision => 9,
            Self::SizeOnly => 10,
            Self::Unverified => 11,
            Self::Excluded => 12,
            Self::Unstable => 13,
            Self::Touched => 14,
            Self::Registered => 15,
            Self::Ignored => 16,
            Self::NotChecked(_) => 17,
        }
    }
}

impl Unchecked {
    /// All reasons.
    pub const ALL: [Self; 5] = [Self::Budget, Self::Offline, Self::Archived, Self::Limit, Self::Held];

    /// Its name, lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Offline => "offline",
            Self::Archived => "archived",
            Self::Limit => "limit",
            Self::Held => "held",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Unchecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ok_and_touched_are_passes() {
        let passes: Vec<_> = Verdict::ALL.into_iter().filter(|verdict| verdict.is_pass()).collect();
        assert_eq!(passes, [Verdict::Ok, Verdict::Touched]);
        assert!(!passes.into_iter().any(Verdict::is_neutral));
    }

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> = Verdict::ALL.into_iter().map(Verdict::name).collect();
        assert_eq!(names.len(), Verdict::ALL.len());
        let reasons = Unchecked::ALL.into_iter().map(|reason| Verdict::NotChecked(reason).reason());
        assert!(reasons.eq(Unchecked::ALL.into_iter().map(Some)));
    }

    #[test]
    fn a_code_stands_for_one_verdict_and_its_reason() {
        let reasons = Unchecked::ALL.into_iter().map(Verdict::NotChecked);
        for verdict in Verdict::ALL.into_iter().chain(reasons) {
            assert_eq!(Verdict::of_code(verdict.code()), verdict);
        }
    }

    #[test]
    fn verdicts_are_listed_in_the_order_of_their_numbers() {
        for (number, verdict) in Verdict::ALL.into_iter().enumerate() {
            assert_eq!(verdict.number(), number);
        }
    }
}
