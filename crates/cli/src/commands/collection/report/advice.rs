//! What to make of a finding: how sure it is, what it may be, and what to do.

use hashlane_catalog::{Collection, Verdict};

/// What is said of all findings of a verdict.
pub(super) struct Advice {
    /// How sure it is.
    pub(super) sure: &'static str,
    /// What it may be.
    pub(super) cause: &'static str,
    /// What to do: when, and by which command; `PATH` stands for a file.
    pub(super) steps: Vec<(&'static str, String)>,
}

/// Whether a copy of the known content is of use.
pub(super) fn needs_a_copy(verdict: Verdict) -> bool {
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

/// What is said of findings of a verdict in a collection.
pub(super) fn advice(verdict: Verdict, of: &Collection) -> Advice {
    let (collection, is_in_store) = (&of.terms.name, of.terms.is_in_store());
    let (sure, cause) = sure_and_cause(verdict, is_in_store);
    let audit = format!("hashlane audit {collection} PATH");
    let accept = |why: &str| format!("hashlane accept {collection} PATH --reason '{why}'");
    let acknowledge = format!("hashlane acknowledge {collection} PATH --until 14d --reason 'copy ordered'");
    let history = format!("hashlane history {collection}:PATH");
    let steps = match verdict {
        Verdict::Corrupt | Verdict::Collision => vec![
            ("restore the file from an intact copy, then", audit),
            ("if it waits for that", acknowledge),
            ("if it is as it should be", accept("edited on purpose")),
        ],
        Verdict::Missing => vec![
            ("restore the file from an intact copy, then", audit),
            ("if it was deleted on purpose", accept("not needed any more")),
            ("if it waits for a copy", acknowledge),
        ],
        Verdict::Changed => vec![
            ("if somebody changed it on purpose", accept("new version")),
            ("if nobody did, restore it from an intact copy, then", audit),
        ],
        Verdict::New | Verdict::Copied => vec![("if it belongs here", accept("added"))],
        Verdict::Moved | Verdict::MovedAway => vec![("if it was moved on purpose", accept("moved"))],
        Verdict::Touched => vec![("if its new time does not matter", accept("content is as known"))],
        Verdict::Unreadable if is_in_store => vec![
            ("if the store keeps another checksum for it, upload an intact copy, then", audit.clone()),
            ("if the store refuses it, mend credentials or permissions, then", audit),
            ("if it waits for that", acknowledge),
        ],
        Verdict::Unreadable => vec![
            ("mend permissions or the device, then", audit),
            ("if its medium is being replaced", acknowledge),
        ],
        Verdict::Unstable => vec![("when nobody writes to it", audit)],
        // It is about a copy elsewhere: what lies here says nothing of it.
        Verdict::Contradicted if !is_in_store => vec![
            (
                "have the provider check its copy, then import a later report of it",
                format!("hashlane audit {collection} --evidence REPORT"),
            ),
            ("what the provider said, and when", history),
            ("if the provider is known to be wrong", accept("its report was of another object")),
        ],
        Verdict::Contradicted => vec![
            ("to settle it by reading it", audit),
            ("what the provider said, and when", history),
            ("if the provider is known to be wrong", accept("its report was of another object")),
        ],
        Verdict::UnstableMedium | Verdict::Misread => vec![
            ("copy what is readable to another device; then, to see whether it stays", audit),
            ("what was read, and when", history),
        ],
        _ => vec![("to judge it", audit)],
    };
    Advice { sure, cause, steps }
}

fn sure_and_cause(verdict: Verdict, is_in_store: bool) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Corrupt => (
            "certain: it, or the file that it is a copy of, was read twice and differed from what is known, and nothing says that it was written",
            "damage by a medium, memory or a cable; a program that wrote to it and set its time back; or it was replaced by a bad copy",
        ),
        Verdict::Collision => (
            "certain: it was read twice, and both times a digest was as known, and another one or the size was not",
            "a known digest or size that was recorded or imported wrong; or a content that was made to have the same weaker digest",
        ),
        Verdict::Missing => (
            "certain: its directory was listed without it, and no new name has its content",
            "deleted, or moved out of the collection; a copy that was known before may still be there",
        ),
        Verdict::Changed => (
            "certain that the content is another one",
            "an edit that nobody has accepted; or, of an imported digest, a file that never matched it",
        ),
        Verdict::Unreadable if is_in_store => (
            "not known to be whole: it could not be read, or its store keeps another checksum for it",
            "damage in the store, an object that it has lost, missing permission, or a store that went away",
        ),
        Verdict::Unreadable => (
            "nothing is known of its content: it could not be read",
            "missing permission, a failing medium, or a file system that went away",
        ),
        Verdict::Unstable => {
            ("nothing is known of its content: it changed while it was read", "somebody was writing to it")
        }
        Verdict::UnstableMedium => (
            "certain that the device is not to be trusted: readings past the cache differ from each other",
            "a failing medium, memory, cable or controller",
        ),
        Verdict::Suspect => (
            "not sure yet: one reading differed, and no other one says what it is",
            "see what the next audit says",
        ),
        Verdict::Contradicted if !is_in_store => (
            "not sure: it is a provider's word on a copy elsewhere, and reading the file here settles nothing",
            "damage or a change of that copy; or a report of another object or version",
        ),
        Verdict::Contradicted => (
            "not sure yet: it is a provider's word, and the file was not read here since",
            "damage or a change in the store since it was last read; or a report of another object or version",
        ),
        Verdict::Misread => (
            "certain that the file is intact: the first reading differed, two more past the cache did not",
            "memory, a cable or a controller failed for a moment; test the memory if it happens again",
        ),
        Verdict::New => {
            ("certain: it was not known, and this collection is frozen", "added on purpose, or by mistake")
        }
        Verdict::Moved => ("certain: its content was known under a name that is gone", "renamed"),
        Verdict::MovedAway => ("certain: its content is there under a new name", "renamed"),
        Verdict::Copied => ("certain: its content is known under another name", "copied"),
        Verdict::Touched => {
            ("certain that the content is as known; its modification time is not", "copied back, or touched")
        }
        _ => ("not judged yet", "see what the next audit says"),
    }
}
