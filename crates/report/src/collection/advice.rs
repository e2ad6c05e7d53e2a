//! What to make of a finding, in words: how sure it is, what it may be, and what to do.

use hashlane_keeper::{Case, Reason, When};

/// How sure a finding is, and what it may be.
pub(super) fn sure_and_cause(case: Case) -> (&'static str, &'static str) {
    match case {
        Case::Damaged => (
            "certain: it, or the file that it is a copy of, was read twice and differed from what is known, and nothing says that it was written",
            "damage by a medium, memory or a cable; a program that wrote to it and set its time back; or it was replaced by a bad copy",
        ),
        Case::Colliding => (
            "certain: it was read twice, and both times a digest was as known, and another one or the size was not",
            "a known digest or size that was recorded or imported wrong; or a content that was made to have the same weaker digest",
        ),
        Case::Missing => (
            "certain: its directory was listed without it, and no new name has its content",
            "deleted, or moved out of the collection; a copy that was known before may still be there",
        ),
        Case::Changed => (
            "certain that the content is another one",
            "an edit that nobody has accepted; or, of an imported digest, a file that never matched it",
        ),
        Case::UnreadableObject => (
            "not known to be whole: it could not be read, or its store keeps another checksum for it",
            "damage in the store, an object that it has lost, missing permission, or a store that went away",
        ),
        Case::Unreadable => (
            "nothing is known of its content: it could not be read",
            "missing permission, a failing medium, or a file system that went away",
        ),
        Case::Unstable => {
            ("nothing is known of its content: it changed while it was read", "somebody was writing to it")
        }
        Case::UnstableMedium => (
            "certain that the device is not to be trusted: readings past the cache differ from each other",
            "a failing medium, memory, cable or controller",
        ),
        Case::Suspect => (
            "not sure yet: one reading differed, and no other one says what it is",
            "see what the next audit says",
        ),
        Case::CopyContradicted => (
            "not sure: it is a provider's word on a copy elsewhere, and reading the file here settles nothing",
            "damage or a change of that copy; or a report of another object or version",
        ),
        Case::Contradicted => (
            "not sure yet: it is a provider's word, and the file was not read here since",
            "damage or a change in the store since it was last read; or a report of another object or version",
        ),
        Case::Misread => (
            "certain that the file is intact: the first reading differed, two more past the cache did not",
            "memory, a cable or a controller failed for a moment; test the memory if it happens again",
        ),
        Case::New => {
            ("certain: it was not known, and this collection is frozen", "added on purpose, or by mistake")
        }
        Case::Moved => ("certain: its content was known under a name that is gone", "renamed"),
        Case::MovedAway => ("certain: its content is there under a new name", "renamed"),
        Case::Copied => ("certain: its content is known under another name", "copied"),
        Case::Touched => {
            ("certain that the content is as known; its modification time is not", "copied back, or touched")
        }
        Case::NotJudged => ("not judged yet", "see what the next audit says"),
    }
}

/// When a step is the one to take.
pub(super) fn when(when: When) -> &'static str {
    match when {
        When::Restored => "restore the file from an intact copy, then",
        When::WaitsForThat => "if it waits for that",
        When::AsItShouldBe => "if it is as it should be",
        When::Deleted => "if it was deleted on purpose",
        When::WaitsForCopy => "if it waits for a copy",
        When::ChangedOnPurpose => "if somebody changed it on purpose",
        When::NotChangedOnPurpose => "if nobody did, restore it from an intact copy, then",
        When::BelongsHere => "if it belongs here",
        When::MovedOnPurpose => "if it was moved on purpose",
        When::TimeDoesNotMatter => "if its new time does not matter",
        When::DisputedByStore => "if the store keeps another checksum for it, upload an intact copy, then",
        When::RefusedByStore => "if the store refuses it, mend credentials or permissions, then",
        When::Mended => "mend permissions or the device, then",
        When::MediumReplaced => "if its medium is being replaced",
        When::NobodyWrites => "when nobody writes to it",
        When::CheckedByProvider => "have the provider check its copy, then import a later report of it",
        When::WhatProviderSaid => "what the provider said, and when",
        When::ProviderIsWrong => "if the provider is known to be wrong",
        When::ToSettle => "to settle it by reading it",
        When::CopiedElsewhere => "copy what is readable to another device; then, to see whether it stays",
        When::WhatWasRead => "what was read, and when",
        When::ToJudge => "to judge it",
    }
}

/// An example of why somebody accepts what was found.
pub fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Edited => "edited on purpose",
        Reason::Unneeded => "not needed any more",
        Reason::NewVersion => "new version",
        Reason::Added => "added",
        Reason::Moved => "moved",
        Reason::AsKnown => "content is as known",
        Reason::OtherObject => "its report was of another object",
    }
}
