//! Verdicts in a catalogue: their numbers, and how the one rule of `hashlane-audit` is asked about a file of a collection.

use hashlane_audit::{Comparison, Facts, Rules};
pub use hashlane_audit::{Unchecked, Verdict};
use hashlane_digest::Digest;
use hashlane_record::{Outcome, Timestamp};

use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::items::{Content, State, is_out_of_range};

/// What a catalogue writes for a verdict.
pub(crate) trait Numbered: Sized {
    /// Its number. Numbers are never used again.
    fn number(self) -> i64;

    /// The verdict of a number.
    fn of_number(number: i64) -> Result<Self>;
}

impl Numbered for Verdict {
    fn number(self) -> i64 {
        match self {
            Self::NotChecked(Unchecked::Offline) => 1,
            Self::NotChecked(Unchecked::Held) => 2,
            Self::Ignored => 3,
            Self::Unreadable => 4,
            Self::Unstable => 5,
            Self::UnstableMedium => 6,
            Self::Ok => 7,
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
            Self::NotChecked(_) => 21,
            Self::Contradicted => 22,
            Self::Collision => 23,
            verdict => unreachable!("no file of a collection is {verdict}"),
        }
    }

    fn of_number(number: i64) -> Result<Self> {
        Self::OF_COLLECTIONS
            .into_iter()
            .find(|verdict| verdict.number() == number)
            .ok_or_else(|| Error::damaged(CataloguePart::Finding, format!("{number} is not a verdict")))
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
    /// Whether it lies in a store.
    pub is_in_store: bool,
}

/// Judges a file that is known by its name, by one reading of it.
///
/// What differs though nothing was written, and what has a known digest and one that differs, is [`Verdict::Suspect`] at most: that it is
/// corrupt or a collision takes a second reading.
pub fn judge(known: &Content, state: State, seen: &Reading<'_>) -> Verdict {
    let is_known = !known.digests.is_empty() && state != State::Retired;
    // It has never been read, or was gone for good.
    if seen.outcome == Outcome::Read && !is_known {
        return Verdict::New;
    }
    let rules = Rules {
        touched: true,
        may_grow: true,
        is_unsettled: state == State::Unsettled,
        is_in_store: seen.is_in_store,
        reads_again: true,
        ..Rules::NONE
    };
    // Two times that could not be kept are not known to be the same.
    let is_told = |was: &Timestamp| seen.modified != Some(*was) || !is_out_of_range(*was);
    let of_known = match is_known {
        true => Facts { size: known.size, modified: known.modified.filter(is_told), digests: &known.digests },
        false => Facts::default(),
    };
    let mut comparison = Comparison::new(&of_known, &facts(seen));
    if seen.begins_as_known {
        comparison.begins_as_known();
    }
    match comparison.verdict_on(seen.outcome, rules) {
        Verdict::Ok | Verdict::Touched if state == State::Registered => Verdict::Registered,
        verdict => verdict,
    }
}

/// What a content is that two readings have brought, and that was suspect by the first: [`Verdict::Collision`] or [`Verdict::Corrupt`].
pub fn of_damage(known: &Content, seen: &Content) -> Verdict {
    match compared(known, seen).verdict(Rules::NONE) {
        Verdict::Collision => Verdict::Collision,
        _ => Verdict::Corrupt,
    }
}

/// Whether a content has the known size and all known digests that it has at all, at least one of them; whatever its time is.
pub fn is_as_known(known: &Content, seen: &Content) -> bool {
    compared(known, seen).is_as_known()
}

fn compared(known: &Content, seen: &Content) -> Comparison {
    fn of(content: &Content) -> Facts<'_> {
        Facts { size: content.size, modified: None, digests: &content.digests }
    }
    Comparison::new(&of(known), &of(seen))
}

fn facts<'a>(seen: &Reading<'a>) -> Facts<'a> {
    Facts { size: Some(seen.size), modified: seen.modified, digests: seen.digests }
}

#[cfg(test)]
mod tests {
    use hashlane_digest::Algorithm;
    use hashlane_record::{Cause, Dispute, Failure, Instability, Operation};
    use proptest::prelude::*;

    use super::*;
    use crate::items::keepable;

    fn content(size: u64, modified: i64, bytes: &[u8]) -> Content {
        let digest = Algorithm::SHA256.digest(bytes);
        Content {
            size: Some(size),
            modified: Some(Timestamp { seconds: modified, nanos: 0 }),
            digests: vec![digest],
            ..Content::default()
        }
    }

    #[test]
    fn every_verdict_on_a_file_of_a_collection_has_a_number_of_its_own() {
        for verdict in Verdict::OF_COLLECTIONS {
            assert_eq!(Verdict::of_number(verdict.number()).ok(), Some(verdict));
        }
        assert!(Verdict::of_number(0).is_err());
    }

    #[test]
    fn times_that_could_not_be_kept_are_not_the_same() {
        let kept = |seconds| {
            let kept = keepable(Timestamp { seconds, nanos: 0 });
            assert_eq!(keepable(kept), kept, "{seconds}");
            Some(kept)
        };
        for (was, is) in [(10_000_000_000, 10_003_456_000), (-10_000_000_000, -10_003_456_000)] {
            let known = Content { modified: kept(was), ..content(4, 0, b"abcd") };
            for (bytes, verdict) in [(b"abcd", Verdict::Ok), (b"dcba", Verdict::Changed)] {
                let seen = Reading {
                    outcome: Outcome::Read,
                    size: 4,
                    modified: kept(is),
                    digests: &content(4, 0, bytes).digests,
                    begins_as_known: false,
                    is_in_store: false,
                };
                assert_eq!(judge(&known, State::Present, &seen), verdict, "{was}");
            }
        }
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
            (&known, Present, Outcome::Read, 4, 10, b"abcd", false, Verdict::Ok),
            (&known, Unsettled, Outcome::Read, 4, 10, b"abcd", false, Verdict::Ok),
            (&known, Present, Outcome::Read, 4, 15, b"abcd", false, Verdict::Touched),
            (&known, Registered, Outcome::Read, 4, 15, b"abcd", false, Verdict::Registered),
            (&unsized_, Registered, Outcome::Read, 4, 15, b"abcd", false, Verdict::Registered),
            (&known, Present, Outcome::Read, 4, 10, b"abce", false, Verdict::Suspect),
            (&known, Registered, Outcome::Read, 4, 10, b"abce", false, Verdict::Suspect),
            (&known, Present, Outcome::Read, 3, 10, b"abc", false, Verdict::Suspect),
            (&known, Present, Outcome::Read, 5, 10, b"abcde", false, Verdict::Changed),
            (&known, Present, Outcome::Read, 4, 15, b"abce", false, Verdict::Changed),
            (&known, Present, Outcome::Read, 3, 15, b"abc", false, Verdict::Changed),
            (&known, Unsettled, Outcome::Read, 4, 10, b"abce", false, Verdict::Changed),
            (&undated, Registered, Outcome::Read, 4, 10, b"abce", false, Verdict::Changed),
            (&known, Present, Outcome::Read, 6, 15, b"abcdef", true, Verdict::Grown),
            (&unread, Present, Outcome::Read, 4, 10, b"abcd", false, Verdict::New),
            (&known, Retired, Outcome::Read, 4, 10, b"abcd", false, Verdict::New),
            // The store keeps another checksum for it.
            (&known, Present, disputed, 4, 10, b"abcd", false, Verdict::Unreadable),
            (&known, Present, disputed, 4, 15, b"abcd", false, Verdict::Unreadable),
            (&known, Present, disputed, 4, 10, b"abce", false, Verdict::Suspect),
            (&known, Unsettled, disputed, 4, 10, b"abce", false, Verdict::Suspect),
            (&known, Registered, disputed, 4, 10, b"abce", false, Verdict::Suspect),
            (&undated, Registered, disputed, 4, 10, b"abce", false, Verdict::Suspect),
            (&known, Present, disputed, 3, 10, b"abc", false, Verdict::Suspect),
            (&known, Present, disputed, 4, 15, b"abce", false, Verdict::Unreadable),
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
                is_in_store: false,
            };
            assert_eq!(judge(known, *state, &seen), *verdict, "line {line} of the table");
        }
    }

    #[test]
    fn a_second_reading_tells_a_collision_from_damage() {
        let [md5, sha256] = ["md5", "sha256"].map(|name| Algorithm::named(name).expect("registered"));
        let of = |size, one: &[u8], other: &[u8]| Content {
            size: Some(size),
            digests: vec![md5.digest(one), sha256.digest(other)],
            ..Content::default()
        };
        let known = of(1, b"a", b"a");
        assert_eq!(of_damage(&known, &of(1, b"a", b"b")), Verdict::Collision);
        assert_eq!(of_damage(&known, &of(1, b"b", b"b")), Verdict::Corrupt);
        assert_eq!(of_damage(&known, &of(2, b"a", b"a")), Verdict::Collision);
        let is_as_known = [of(1, b"a", b"a"), of(2, b"a", b"a"), of(1, b"a", b"b")];
        assert_eq!(is_as_known.map(|seen| super::is_as_known(&known, &seen)), [true, false, false]);
    }

    proptest! {
        /// What a list would say of a file, a collection says of it as well, once it has read it again.
        #[test]
        fn the_verdict_on_a_known_file_is_that_of_a_list(
            size in proptest::option::of(3..6_u64),
            modified in proptest::option::of(prop_oneof![Just(10_i64), Just(11), Just(3_610), Just(20)]),
            known in (0..2_u8, 0..2_u8),
            read_size in 3..6_u64,
            read_modified in prop_oneof![Just(10_i64), Just(11), Just(20)],
            read in (0..2_u8, 0..2_u8),
            is_in_store: bool,
            outcome in prop_oneof![
                Just(Outcome::Read),
                Just(Outcome::Disputed(Dispute { is_read_twice: true, offset_bytes: 0 })),
                Just(Outcome::Unstable(Instability::Grew)),
            ],
        ) {
            let at = |seconds| Timestamp { seconds, nanos: 0 };
            let of = |(one, other): (u8, u8)| {
                let digest = |name, content| Algorithm::named(name).expect("registered").digest(&[content]);
                vec![digest("md5", one), digest("sha256", other)]
            };
            let (digests, read) = (of(known), of(read));
            let known = Content { size, modified: modified.map(at), digests, ..Content::default() };
            let seen = Reading {
                outcome,
                size: read_size,
                modified: Some(at(read_modified)),
                digests: &read,
                begins_as_known: false,
                is_in_store,
            };
            let by_list = Comparison::new(
                &Facts { size: known.size, modified: known.modified, digests: &known.digests },
                &facts(&seen),
            );
            let by_list = by_list.verdict_on(outcome, Rules { is_in_store, ..Rules::NONE });
            let in_the_end = |verdict| match verdict {
                Verdict::Touched => Verdict::Ok,
                Verdict::Suspect => {
                    let digests = read.clone();
                    of_damage(&known, &Content { size: Some(read_size), digests, ..Content::default() })
                }
                verdict => verdict,
            };
            prop_assert_eq!(in_the_end(judge(&known, State::Present, &seen)), by_list);
        }
    }
}
