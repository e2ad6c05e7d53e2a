//! Verdicts on files, and the one rule that gives them.

use hashlane_digest::Digest;
use hashlane_record::{Outcome, Timestamp};

use crate::error::{Error, Result};
use crate::items::{Content, State};

/// What an audit says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Its collection cannot be reached.
    Offline,
    /// Its run was held, because something was wrong with the collection as a whole.
    Held,
    /// A filter leaves it out.
    Ignored,
    /// It is there, or may be, and could not be read.
    Unreadable,
    /// It changed while it was read.
    Unstable,
    /// Readings of it past the cache disagree with each other.
    UnstableMedium,
    /// Its content is as known, and so are its times.
    Intact,
    /// Its content is as known after a first reading that was not.
    Misread,
    /// Its content is as known, its modification time is not.
    Touched,
    /// A new name of a content that was known under another one, which is gone.
    Moved,
    /// A new name of a content that is known under another one, too.
    Copied,
    /// It may be appended to; it has grown, and what was known is its beginning.
    Grown,
    /// Its content differs although its size and time are as known, or it has become shorter under its time. Not read again yet.
    Suspect,
    /// The same, and a second reading differed too.
    Corrupt,
    /// A provider says that its content is another one, and it was not read here since.
    Contradicted,
    /// Its content differs, and its time or its size says so.
    Changed,
    /// The first audit of its collection has read it, or its known digests were compared with it for the first time.
    Registered,
    /// It was not known.
    New,
    /// It is gone, and its content is known under a new name.
    MovedAway,
    /// It is gone.
    Missing,
    /// It is gone, and new files that it may have become were not read yet.
    NotFoundYet,
    /// It was to be judged, and was not: the budget of the run was used up, or it was stopped.
    NotChecked,
}

impl Verdict {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 22] = [
        Self::Corrupt,
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
        Self::NotChecked,
        Self::Ignored,
        Self::Offline,
        Self::Held,
        Self::Registered,
        Self::Intact,
    ];

    /// Its name in one word, as it is written and read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Held => "held",
            Self::Ignored => "ignored",
            Self::Unreadable => "unreadable",
            Self::Unstable => "unstable",
            Self::UnstableMedium => "unstable-medium",
            Self::Intact => "intact",
            Self::Misread => "misread",
            Self::Touched => "touched",
            Self::Moved => "moved",
            Self::Copied => "copied",
            Self::Grown => "grown",
            Self::Suspect => "suspect",
            Self::Corrupt => "corrupt",
            Self::Contradicted => "contradicted",
            Self::Changed => "changed",
            Self::Registered => "registered",
            Self::New => "new",
            Self::MovedAway => "moved-away",
            Self::Missing => "missing",
            Self::NotFoundYet => "not-found-yet",
            Self::NotChecked => "not-checked",
        }
    }

    /// The verdict of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    /// Its number in a catalogue. Numbers are never used again.
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Offline => 1,
            Self::Held => 2,
            Self::Ignored => 3,
            Self::Unreadable => 4,
            Self::Unstable => 5,
            Self::UnstableMedium => 6,
            Self::Intact => 7,
            Self::Misread => 8,
            Self::Touched => 9,
            Self::Moved => 10,
            Self::Copied => 11,
            Self::Grown => 12,
            Self::Suspect => 13,
            Self::Corrupt => 14,
            Self::Changed => 15,
            Self::Registered => 16,
            Self::New => 17,
            Self::MovedAway => 18,
            Self::Missing => 19,
            Self::NotFoundYet => 20,
            Self::NotChecked => 21,
            Self::Contradicted => 22,
        }
    }

    pub(crate) fn of_number(number: i64) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.number() == number)
            .ok_or_else(|| Error::Damaged { what: format!("{number} is not a verdict") })
    }
}

/// What one reading of a file brought.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// How the reading ended.
    pub outcome: Outcome,
    /// Bytes.
    pub size: u64,
    /// When the file was last written to.
    pub modified: Option<Timestamp>,
    /// The digests, one for each algorithm of the collection in that order; none of a file that could not be read.
    pub digests: &'a [Digest],
    /// Whether the file may be appended to, and what was known of it was found to be its beginning.
    pub begins_as_known: bool,
}

/// Judges a file that is known by its name, by one reading of it.
///
/// A content that differs is [`Verdict::Suspect`] at most: that it is corrupt takes a second reading.
pub fn judge(known: &Content, state: State, seen: &Reading<'_>) -> Verdict {
    match seen.outcome {
        Outcome::Read => {}
        Outcome::Unstable(_) => return Verdict::Unstable,
        Outcome::Disputed(_) => return judge_disputed(known, state, seen),
        Outcome::Failed(_) => return Verdict::Unreadable,
    }
    // It has never been read, or was gone for good.
    if known.digests.is_empty() || state == State::Retired {
        return Verdict::New;
    }
    let has_known_size = known.size.is_none_or(|size| size == seen.size);
    let has_known_time = known.modified.is_none() || known.modified == seen.modified;
    if has_known_size && known.digests == seen.digests {
        return match state {
            State::Registered => Verdict::Registered,
            _ if has_known_time => Verdict::Intact,
            _ => Verdict::Touched,
        };
    }
    // Where the time is not known, it cannot say that somebody wrote.
    let tells_no_change = known.modified.is_some() && tells_no_change(known, seen);
    match state {
        _ if seen.begins_as_known => Verdict::Grown,
        // It may have been written to after it was recorded, within the same tick of its clock.
        State::Unsettled => Verdict::Changed,
        _ if tells_no_change => Verdict::Suspect,
        _ => Verdict::Changed,
    }
}

/// Whether neither size nor time says that a file was written to.
fn tells_no_change(known: &Content, seen: &Reading<'_>) -> bool {
    known.size.is_none_or(|size| seen.size <= size)
        && (known.modified.is_none() || known.modified == seen.modified)
}

/// Judges a content that its store keeps another checksum for. It never passes, and is never an edit: what is written to a store brings its
/// checksum along.
fn judge_disputed(known: &Content, state: State, seen: &Reading<'_>) -> Verdict {
    let is_known = !known.digests.is_empty() && state != State::Retired;
    // What has the known digests is whole, so the checksum is not; of what was written since, nothing is known.
    let differs = is_known && !seen.digests.is_empty() && known.digests != seen.digests;
    if differs && tells_no_change(known, seen) { Verdict::Suspect } else { Verdict::Unreadable }
}

#[cfg(test)]
mod tests {
    use hashlane_digest::Algorithm;
    use hashlane_record::{Cause, Dispute, Failure, Instability, Operation};

    use super::*;

    fn content(size: u64, modified: i64, bytes: &[u8]) -> Content {
        let digest = Algorithm::named("sha256").expect("registered").digest(bytes);
        Content {
            size: Some(size),
            modified: Some(Timestamp { seconds: modified, nanos: 0 }),
            digests: vec![digest],
            ..Content::default()
        }
    }

    #[test]
    fn every_verdict_has_a_name_and_a_number_of_its_own() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::named(verdict.name()), Some(verdict));
            assert_eq!(Verdict::of_number(verdict.number()).ok(), Some(verdict));
        }
        assert!(Verdict::of_number(0).is_err());
    }

    #[test]
    fn the_table_of_verdicts() {
        let known = content(4, 10, b"abcd");
        let undated = Content { modified: None, ..known.clone() };
        let unsized_ = Content { size: None, modified: None, ..known.clone() };
        let unread = Content { digests: Vec::new(), ..known.clone() };
        let failed =
            Outcome::Failed(Failure { operation: Operation::Read, cause: Cause::System(5), offset_bytes: 0 });
        let unstable = Outcome::Unstable(Instability::Grew);
        let disputed = Outcome::Disputed(Dispute { is_read_twice: true, offset_bytes: 4 });
        use State::{Present, Registered, Retired, Unsettled};
        type Line<'a> = (&'a Content, State, Outcome, u64, i64, &'a [u8], bool, Verdict);
        // What is known, its state, how the reading ended, size, time, content, whether it begins as known; the verdict.
        let table: &[Line<'_>] = &[
            (&known, Present, failed, 0, 10, b"", false, Verdict::Unreadable),
            (&known, Retired, failed, 0, 10, b"", false, Verdict::Unreadable),
            (&known, Present, unstable, 4, 10, b"abcd", false, Verdict::Unstable),
            (&known, Present, Outcome::Read, 4, 10, b"abcd", false, Verdict::Intact),
            (&known, Unsettled, Outcome::Read, 4, 10, b"abcd", false, Verdict::Intact),
            (&known, Present, Outcome::Read, 4, 11, b"abcd", false, Verdict::Touched),
            (&known, Registered, Outcome::Read, 4, 11, b"abcd", false, Verdict::Registered),
            (&unsized_, Registered, Outcome::Read, 4, 11, b"abcd", false, Verdict::Registered),
            (&known, Present, Outcome::Read, 4, 10, b"abce", false, Verdict::Suspect),
            (&known, Registered, Outcome::Read, 4, 10, b"abce", false, Verdict::Suspect),
            (&known, Present, Outcome::Read, 3, 10, b"abc", false, Verdict::Suspect),
            (&known, Present, Outcome::Read, 5, 10, b"abcde", false, Verdict::Changed),
            (&known, Present, Outcome::Read, 4, 11, b"abce", false, Verdict::Changed),
            (&known, Present, Outcome::Read, 3, 11, b"abc", false, Verdict::Changed),
            (&known, Unsettled, Outcome::Read, 4, 10, b"abce", false, Verdict::Changed),
            (&undated, Registered, Outcome::Read, 4, 10, b"abce", false, Verdict::Changed),
            (&known, Present, Outcome::Read, 6, 11, b"abcdef", true, Verdict::Grown),
            (&unread, Present, Outcome::Read, 4, 10, b"abcd", false, Verdict::New),
            (&known, Retired, Outcome::Read, 4, 10, b"abcd", false, Verdict::New),
            // The store keeps another checksum for it.
            (&known, Present, disputed, 4, 10, b"abcd", false, Verdict::Unreadable),
            (&known, Present, disputed, 4, 11, b"abcd", false, Verdict::Unreadable),
            (&known, Present, disputed, 4, 10, b"abce", false, Verdict::Suspect),
            (&known, Unsettled, disputed, 4, 10, b"abce", false, Verdict::Suspect),
            (&known, Registered, disputed, 4, 10, b"abce", false, Verdict::Suspect),
            (&undated, Registered, disputed, 4, 10, b"abce", false, Verdict::Suspect),
            (&known, Present, disputed, 3, 10, b"abc", false, Verdict::Suspect),
            (&known, Present, disputed, 4, 11, b"abce", false, Verdict::Unreadable),
            (&known, Present, disputed, 5, 10, b"abcde", false, Verdict::Unreadable),
            (&unread, Present, disputed, 4, 10, b"abcd", false, Verdict::Unreadable),
            (&known, Retired, disputed, 4, 10, b"abce", false, Verdict::Unreadable),
        ];
        for (line, (known, state, outcome, size, modified, bytes, begins_as_known, verdict)) in
            table.iter().enumerate()
        {
            let read = content(*size, *modified, bytes);
            let seen = Reading {
                outcome: *outcome,
                size: *size,
                modified: read.modified,
                digests: &read.digests,
                begins_as_known: *begins_as_known,
            };
            assert_eq!(judge(known, *state, &seen), *verdict, "line {line} of the table");
        }
    }
}
