//! What to make of a finding, as codes: how sure it is, what it may be, and what to do.

use hashlane_catalog::{Collection, Verdict};

use crate::action::{Action, Reason};

/// What is to be said of all findings of a verdict in a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice<'a> {
    /// What is certain, and what it may be.
    pub case: Case,
    /// What to do.
    pub steps: Vec<Step<'a>>,
}

/// What a finding says, and what it leaves open. The words for both are the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// It was read twice and is damaged.
    Damaged,
    /// One digest is as known, and another one or the size is not.
    Colliding,
    /// It is gone.
    Missing,
    /// It has another content.
    Changed,
    /// An object could not be read, or its store disputes it.
    UnreadableObject,
    /// A file could not be read.
    Unreadable,
    /// It changed while it was read.
    Unstable,
    /// Readings past the cache differ from each other.
    UnstableMedium,
    /// One reading differed.
    Suspect,
    /// A provider says something else of a copy elsewhere.
    CopyContradicted,
    /// A provider says something else of the object itself.
    Contradicted,
    /// It is intact, and was misread once.
    Misread,
    /// It was not known.
    New,
    /// Its content was known under a name that is gone.
    Moved,
    /// Its content has another name now.
    MovedAway,
    /// Its content has another name, too.
    Copied,
    /// Only its time is another one.
    Touched,
    /// It was not judged.
    NotJudged,
}

/// Something to do, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// When it is the thing to do.
    pub when: When,
    /// What it is.
    pub action: Action<'a>,
}

/// When a step is the one to take: under which condition, or after what else was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After the file was restored from an intact copy.
    Restored,
    /// While it waits for that.
    WaitsForThat,
    /// If it is as it should be.
    AsItShouldBe,
    /// If it was deleted on purpose.
    Deleted,
    /// While it waits for a copy.
    WaitsForCopy,
    /// If somebody changed it on purpose.
    ChangedOnPurpose,
    /// If nobody did, after it was restored.
    NotChangedOnPurpose,
    /// If it belongs there.
    BelongsHere,
    /// If it was moved on purpose.
    MovedOnPurpose,
    /// If its new time does not matter.
    TimeDoesNotMatter,
    /// If the store keeps another checksum for it, after an intact copy was uploaded.
    DisputedByStore,
    /// If the store refuses it, after that was mended.
    RefusedByStore,
    /// After permissions or the device were mended.
    Mended,
    /// While its medium is being replaced.
    MediumReplaced,
    /// When nobody writes to it.
    NobodyWrites,
    /// After the provider has checked its copy.
    CheckedByProvider,
    /// To see what the provider said.
    WhatProviderSaid,
    /// If the provider is known to be wrong.
    ProviderIsWrong,
    /// To settle it by reading it.
    ToSettle,
    /// After what is readable was copied to another device.
    CopiedElsewhere,
    /// To see what was read.
    WhatWasRead,
    /// To judge it.
    ToJudge,
}

/// Whether a copy of the known content is of use against a finding.
pub(crate) fn needs_a_copy(verdict: Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Corrupt
            | Verdict::Collision
            | Verdict::Missing
            | Verdict::Changed
            | Verdict::Unreadable
            | Verdict::UnstableMedium
            | Verdict::Suspect
    )
}

impl Case {
    fn of(verdict: Verdict, is_in_store: bool) -> Self {
        match verdict {
            Verdict::Corrupt => Self::Damaged,
            Verdict::Collision => Self::Colliding,
            Verdict::Missing => Self::Missing,
            Verdict::Changed => Self::Changed,
            Verdict::Unreadable if is_in_store => Self::UnreadableObject,
            Verdict::Unreadable => Self::Unreadable,
            Verdict::Unstable => Self::Unstable,
            Verdict::UnstableMedium => Self::UnstableMedium,
            Verdict::Suspect => Self::Suspect,
            // It is about a copy elsewhere: what lies here says nothing of it.
            Verdict::Contradicted if !is_in_store => Self::CopyContradicted,
            Verdict::Contradicted => Self::Contradicted,
            Verdict::Misread => Self::Misread,
            Verdict::New => Self::New,
            Verdict::Moved => Self::Moved,
            Verdict::MovedAway => Self::MovedAway,
            Verdict::Copied => Self::Copied,
            Verdict::Touched => Self::Touched,
            _ => Self::NotJudged,
        }
    }
}

/// What is to be said of findings of a verdict in a collection.
pub fn advice(verdict: Verdict, of: &Collection) -> Advice<'_> {
    let name = &of.terms.name[..];
    let case = Case::of(verdict, of.terms.is_in_store());
    let audit = Action::AuditFile(name);
    let accept = |reason| Action::Accept { name, reason };
    let (acknowledge, history) = (Action::Acknowledge(name), Action::History(name));
    let steps: &[(When, Action<'_>)] = match case {
        Case::Damaged | Case::Colliding => &[
            (When::Restored, audit),
            (When::WaitsForThat, acknowledge),
            (When::AsItShouldBe, accept(Reason::Edited)),
        ],
        Case::Missing => &[
            (When::Restored, audit),
            (When::Deleted, accept(Reason::Unneeded)),
            (When::WaitsForCopy, acknowledge),
        ],
        Case::Changed => {
            &[(When::ChangedOnPurpose, accept(Reason::NewVersion)), (When::NotChangedOnPurpose, audit)]
        }
        Case::New | Case::Copied => &[(When::BelongsHere, accept(Reason::Added))],
        Case::Moved | Case::MovedAway => &[(When::MovedOnPurpose, accept(Reason::Moved))],
        Case::Touched => &[(When::TimeDoesNotMatter, accept(Reason::AsKnown))],
        Case::UnreadableObject => &[
            (When::DisputedByStore, audit),
            (When::RefusedByStore, audit),
            (When::WaitsForThat, acknowledge),
        ],
        Case::Unreadable => &[(When::Mended, audit), (When::MediumReplaced, acknowledge)],
        Case::Unstable => &[(When::NobodyWrites, audit)],
        Case::CopyContradicted => &[
            (When::CheckedByProvider, Action::ImportReport(name)),
            (When::WhatProviderSaid, history),
            (When::ProviderIsWrong, accept(Reason::OtherObject)),
        ],
        Case::Contradicted => &[
            (When::ToSettle, audit),
            (When::WhatProviderSaid, history),
            (When::ProviderIsWrong, accept(Reason::OtherObject)),
        ],
        Case::UnstableMedium | Case::Misread => {
            &[(When::CopiedElsewhere, audit), (When::WhatWasRead, history)]
        }
        Case::Suspect | Case::NotJudged => &[(When::ToJudge, audit)],
    };
    let steps = steps.iter().map(|&(when, action)| Step { when, action }).collect();
    Advice { case, steps }
}
