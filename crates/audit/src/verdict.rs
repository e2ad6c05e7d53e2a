//! The verdicts: all that are given anywhere, what they are called, and what they mean for an exit code.
//!
//! Checks, audits and bags compare files with a list; collections compare them with what a catalogue knows. Both have verdicts that the
//! other has not. Where they call one verdict by two names, or weigh it otherwise, both stand here side by side.

use std::fmt;

/// What happened to a file.
///
/// *Shared* algorithms are those that both sides have a digest of. Sizes count if both sides have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// In its place; all shared digests and the size are equal, and there is at least one shared digest.
    Ok,
    /// In its place, with other content.
    Changed,
    /// In its place, with other content, and nothing says that it was written: its modification time is the known one, in some form, and
    /// it has not become longer. Or its store disputes the content, two readings have brought it, and neither time nor size says that it
    /// was written; there the time need not be known.
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
    /// What was known is its beginning: it may be appended to, and was. Given under [`Rules::may_grow`] only.
    ///
    /// [`Rules::may_grow`]: crate::Rules::may_grow
    Grown,
    /// Its content differs, and nothing says that it was written to; it is to be read again before it is reported.
    Suspect,
    /// Its content is as known, after a first reading that was not.
    Misread,
    /// Readings of it past the cache disagree with each other.
    UnstableMedium,
    /// A provider says that its content is another one, and it was not read since.
    Contradicted,
    /// It is gone, and its content is known under a new name.
    MovedAway,
    /// It is gone, and new files that it may have become were not read yet.
    NotFoundYet,
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
    /// The time or bytes allowed for the run were used up before, or it was stopped.
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
    pub const ALL: [Self; 25] = [
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
        Self::Grown,
        Self::Suspect,
        Self::Misread,
        Self::UnstableMedium,
        Self::Contradicted,
        Self::MovedAway,
        Self::NotFoundYet,
    ];

    /// Those that are given where files are compared with a list, in the order in which they are reported.
    pub const OF_LISTS: [Self; 18] = *Self::ALL.first_chunk().expect("there are more of them");

    /// Those that are given where files are compared with what a catalogue knows, in the order in which they are reported.
    pub const OF_COLLECTIONS: [Self; 23] = [
        Self::Corrupt,
        Self::Collision,
        Self::Missing,
        Self::Changed,
        Self::Unreadable,
        Self::Unstable,
        Self::UnstableMedium,
        Self::Suspect,
        Self::Contradicted,
        Self::Misread,
        Self::New,
        Self::Moved,
        Self::MovedAway,
        Self::Copied,
        Self::Touched,
        Self::Grown,
        Self::NotFoundYet,
        Self::NotChecked(Unchecked::Budget),
        Self::Ignored,
        Self::NotChecked(Unchecked::Offline),
        Self::NotChecked(Unchecked::Held),
        Self::Registered,
        Self::Ok,
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
            Self::Grown => "grown",
            Self::Suspect => "suspect",
            Self::Misread => "misread",
            Self::UnstableMedium => "unstable-medium",
            Self::Contradicted => "contradicted",
            Self::MovedAway => "moved-away",
            Self::NotFoundYet => "not-found-yet",
        }
    }

    /// Its name in what is reported of collections, which have words of their own for what is well and for what was not looked at.
    pub fn name_in_collection(self) -> &'static str {
        match self {
            Self::Ok => "intact",
            Self::NotChecked(reason @ (Unchecked::Offline | Unchecked::Held)) => reason.name(),
            verdict => verdict.name(),
        }
    }

    /// The verdict of a name in what is reported of collections.
    pub fn named_in_collection(name: &str) -> Option<Self> {
        Self::OF_COLLECTIONS.into_iter().find(|verdict| verdict.name_in_collection() == name)
    }

    /// The bits that it adds to an exit code where files are compared with a list. Whatever is not known to be well is in doubt.
    pub fn bits(self) -> u8 {
        match self {
            Self::Ok | Self::Excluded | Self::Touched | Self::Registered | Self::Ignored | Self::Grown => 0,
            Self::New | Self::Copied => bits::EXTRA,
            Self::Missing | Self::DuplicateLost | Self::MovedAway => bits::MISSING,
            Self::Moved => bits::EXTRA | bits::MISSING,
            Self::Changed | Self::Collision => bits::MISMATCH,
            Self::Corrupt => bits::CORRUPT,
            Self::Unreadable
            | Self::Unstable
            | Self::SizeOnly
            | Self::Unverified
            | Self::NotChecked(_)
            | Self::Suspect
            | Self::Misread
            | Self::UnstableMedium
            | Self::Contradicted
            | Self::NotFoundYet => bits::UNREADABLE,
        }
    }

    /// The same for a finding in a collection. There another name or time of a known content is a finding only where nothing is to change,
    /// so it is a change; and what a run has not come to shows in how the run ended.
    pub fn bits_in_collection(self) -> u8 {
        match self {
            Self::Touched | Self::Moved | Self::MovedAway | Self::Copied => bits::MISMATCH,
            Self::NotChecked(_) | Self::NotFoundYet => 0,
            verdict => verdict.bits(),
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
            Self::Grown => 18,
            Self::Suspect => 19,
            Self::Misread => 20,
            Self::UnstableMedium => 21,
            Self::Contradicted => 22,
            Self::MovedAway => 23,
            Self::NotFoundYet => 24,
        }
    }
}

/// The bits of an exit code that verdicts add up to.
pub mod bits {
    /// Something is there that was not known.
    pub const EXTRA: u8 = 1;
    /// Something that is known is not there.
    pub const MISSING: u8 = 2;
    /// A content is not the known one.
    pub const MISMATCH: u8 = 4;
    /// A content is not the known one, and nobody has written it.
    pub const CORRUPT: u8 = 8;
    /// It could not be read or compared, or is in doubt.
    pub const UNREADABLE: u8 = 16;
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
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn only_ok_and_touched_are_passes() {
        let passes: Vec<_> = Verdict::ALL.into_iter().filter(|verdict| verdict.is_pass()).collect();
        assert_eq!(passes, [Verdict::Ok, Verdict::Touched]);
        assert!(!passes.into_iter().any(Verdict::is_neutral));
    }

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let names: BTreeSet<_> = Verdict::ALL.into_iter().map(Verdict::name).collect();
        assert_eq!(names.len(), Verdict::ALL.len());
        let reasons = Unchecked::ALL.into_iter().map(|reason| Verdict::NotChecked(reason).reason());
        assert!(reasons.eq(Unchecked::ALL.into_iter().map(Some)));
        let names: BTreeSet<_> =
            Verdict::OF_COLLECTIONS.into_iter().map(Verdict::name_in_collection).collect();
        assert_eq!(names.len(), Verdict::OF_COLLECTIONS.len());
        for verdict in Verdict::OF_COLLECTIONS {
            assert_eq!(Verdict::named_in_collection(verdict.name_in_collection()), Some(verdict));
        }
    }

    #[test]
    fn every_verdict_is_given_to_lists_or_to_collections() {
        let given: BTreeSet<_> =
            Verdict::OF_LISTS.into_iter().chain(Verdict::OF_COLLECTIONS).map(Verdict::number).collect();
        assert!(given.into_iter().eq(0..Verdict::ALL.len()));
    }

    #[test]
    fn only_what_is_well_or_left_out_adds_no_bit_in_lists() {
        for verdict in Verdict::OF_LISTS {
            assert_eq!(verdict.bits() == 0, verdict.is_pass() || verdict.is_neutral(), "{verdict}");
        }
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
