//! Judges what was read of a file by what was expected of it. Check, update, convert and bags use this rule, and audits the same one of
//! `hashlane-audit`.

use std::borrow::Cow;
use std::io;

use hashlane_audit::{Comparison, Facts, Rules, Verdict};
use hashlane_digest::{Digest, Family};
use hashlane_record::{Failure, Outcome, Record};

use crate::expected::{Differing, Expected};

/// The judgement on a file that was read, or should have been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The pieces that differ, if pieces are listed and the file does not match.
    pub differing: Option<Differing>,
    /// The store of the file keeps a checksum of another content: by two readings of this one, or by one that is as expected.
    pub disputed: Option<Disputed>,
}

/// A content that has another checksum than its store keeps for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Disputed {
    /// It is as expected.
    #[error(
        "its content is as listed, but the store keeps another checksum for it: that checksum is damaged; upload the object again"
    )]
    AsExpected,
    /// It is not as expected either.
    #[error(
        "its content has neither the listed digest nor the checksum that the store keeps for it: it was damaged in the store"
    )]
    Damaged,
}

impl Disputed {
    /// What is to be said of a disputed content that has this verdict.
    pub(crate) fn of(verdict: Verdict, comparison: &Comparison) -> Option<Self> {
        match verdict {
            // One reading is enough: no damage on its way makes a content the expected one.
            Verdict::Unreadable if comparison.is_as_known() => Some(Self::AsExpected),
            Verdict::Corrupt => Some(Self::Damaged),
            _ => None,
        }
    }
}

/// Judges a file by what was expected of it. Digests beyond the expected ones do not count. `is_in_store`: it is an object of a store, whose
/// times are no clock's on the wall ([`Rules::is_in_store`]).
pub fn judge(expected: &Expected, record: &Record, is_in_store: bool) -> Judgement {
    let unread = |verdict| Judgement { verdict, differing: None, disputed: None };
    match record.outcome {
        Outcome::Failed(failure) if is_gone(failure) => return unread(Verdict::Missing),
        Outcome::Disputed(_) if record.digests.is_empty() => return unread(Verdict::Unreadable),
        Outcome::Unstable(_) => return unread(Verdict::Unstable),
        Outcome::Failed(_) => return unread(Verdict::Unreadable),
        Outcome::Read | Outcome::Disputed(_) => {}
    }
    let Expected { size_bytes, modified, digests, .. } = expected;
    let listed =
        Facts { size: *size_bytes, modified: *modified, digests: &in_order_of(&record.digests, digests) };
    let read = Facts {
        size: Some(record.digested_bytes),
        modified: record.facts.map(|facts| facts.modified),
        digests: &record.digests,
    };
    let mut comparison = Comparison::new(&listed, &read);
    let differing = Differing::of(expected, record);
    match &differing {
        // That it begins as listed says nothing of a whole content.
        Some(differing) if differing.is_none() && expected.lists_beginning() => {}
        Some(differing) => comparison.share(differing.is_none()),
        None => {}
    }
    let verdict = comparison.verdict_on(record.outcome, Rules { is_in_store, ..Rules::NONE });
    let disputed = match record.outcome {
        Outcome::Disputed(_) => Disputed::of(verdict, &comparison),
        _ => None,
    };
    let is_of_content = !matches!(verdict, Verdict::Ok | Verdict::Unreadable);
    let differing = differing.filter(|_| is_of_content);
    Judgement { verdict, differing, disputed }
}

/// Listed digests, with the bytes in the order that those read have. A list of xxHash may have the lowest byte first, and says so in tags only.
fn in_order_of<'a>(read: &[Digest], listed: &'a [Digest]) -> Cow<'a, [Digest]> {
    let is_reversed =
        |digest: &Digest| digest.algorithm().family() == Family::XxHash && read.contains(&digest.reversed());
    match listed.iter().any(is_reversed) {
        true => listed
            .iter()
            .map(|digest| if is_reversed(digest) { digest.reversed() } else { *digest })
            .collect(),
        false => Cow::Borrowed(listed),
    }
}

/// Whether a failure says that there is no file. A directory on the way that is now a file took the listed file with it.
pub(crate) fn is_gone(failure: Failure) -> bool {
    matches!(failure.io_error().kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use hashlane_audit::{Audit, Known, KnownFile, Options, Reading, Seen};
    use hashlane_digest::Algorithm;
    use hashlane_record::{Cause, Dispute, Facts, Instability, Obstacle, Operation, Pieces, Timestamp};
    use proptest::prelude::*;

    use super::*;

    fn record(outcome: Outcome, size: u64, modified: Timestamp, digests: Vec<Digest>) -> Record {
        let facts = Facts {
            size_bytes: size,
            modified,
            changed: modified,
            accessed: modified,
            device: 1,
            inode: 1,
            links: 1,
        };
        Record {
            number: 0,
            path: "f".into(),
            outcome,
            facts: Some(facts),
            digests,
            pieces: None,
            digested_bytes: size,
            origin: Default::default(),
            medium: Default::default(),
            state: None,
            tag: Box::default(),
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp { seconds, nanos: 0 }
    }

    #[test]
    fn a_file_that_was_not_read_is_missing_only_where_nothing_is_there() {
        let expected = Expected { size_bytes: None, modified: None, digests: Vec::new(), pieces: None };
        let failed = |errno| {
            let cause = Cause::System(errno);
            Outcome::Failed(Failure { operation: Operation::Open, cause, offset_bytes: 0 })
        };
        let verdict = |outcome| judge(&expected, &record(outcome, 0, at(0), Vec::new()), false).verdict;
        let errnos = [rustix::io::Errno::NOENT, rustix::io::Errno::NOTDIR, rustix::io::Errno::ACCESS];
        let verdicts = errnos.map(|errno| verdict(failed(errno.raw_os_error())));
        assert_eq!(verdicts, [Verdict::Missing, Verdict::Missing, Verdict::Unreadable]);
        assert_eq!(verdict(Outcome::Unstable(Instability::Grew)), Verdict::Unstable);
    }

    #[test]
    fn the_table_of_contents_that_their_store_disputes() {
        let md5 = Algorithm::MD5;
        let failed = |obstacle| {
            let cause = Cause::Obstacle(obstacle);
            Outcome::Failed(Failure { operation: Operation::Read, cause, offset_bytes: 4 })
        };
        let disputed = |is_read_twice| Outcome::Disputed(Dispute { is_read_twice, offset_bytes: 4 });
        let (other, doubtful) = (disputed(true), disputed(false));
        let on_way = failed(Obstacle::DamagedOnWay);
        type Line = (Outcome, &'static [u8], Option<u64>, Option<i64>, Verdict, Option<Disputed>);
        // How it was read, its content, which size and time are listed; the verdict, and what is said of it. Listed is "abcd".
        let table: &[Line] = &[
            (Outcome::Read, b"abcd", None, None, Verdict::Ok, None),
            (Outcome::Read, b"abce", None, None, Verdict::Changed, None),
            (Outcome::Read, b"abce", Some(4), Some(7), Verdict::Corrupt, None),
            (other, b"abcd", None, None, Verdict::Unreadable, Some(Disputed::AsExpected)),
            (other, b"abcd", Some(4), Some(7), Verdict::Unreadable, Some(Disputed::AsExpected)),
            (other, b"abce", None, None, Verdict::Corrupt, Some(Disputed::Damaged)),
            (other, b"abce", Some(4), Some(7), Verdict::Corrupt, Some(Disputed::Damaged)),
            (other, b"abce", Some(4), Some(18), Verdict::Unreadable, None),
            (other, b"abce", Some(3), None, Verdict::Unreadable, None),
            (other, b"abce", Some(5), None, Verdict::Corrupt, Some(Disputed::Damaged)),
            (doubtful, b"abcd", None, None, Verdict::Unreadable, Some(Disputed::AsExpected)),
            (doubtful, b"abcd", Some(4), Some(18), Verdict::Unreadable, Some(Disputed::AsExpected)),
            (doubtful, b"abce", None, None, Verdict::Unreadable, None),
            (doubtful, b"abce", Some(4), Some(7), Verdict::Unreadable, None),
            (on_way, b"abcd", None, None, Verdict::Unreadable, None),
            (on_way, b"abce", None, None, Verdict::Unreadable, None),
        ];
        for (line, &(outcome, content, size_bytes, modified, verdict, disputed)) in table.iter().enumerate() {
            let digests = vec![md5.digest(b"abcd")];
            let expected = Expected { size_bytes, modified: modified.map(at), digests, pieces: None };
            let judged = judge(&expected, &record(outcome, 4, at(7), vec![md5.digest(content)]), true);
            assert_eq!((judged.verdict, judged.disputed), (verdict, disputed), "line {line} of the table");
        }
    }

    #[test]
    fn pieces_count_as_one_more_digest() {
        let (md5, two) = (Algorithm::MD5, NonZeroU64::new(2).unwrap());
        let column = |content: &[u8]| {
            content.chunks(2).flat_map(|piece| md5.digest(piece).as_bytes().to_vec()).collect::<Vec<_>>()
        };
        let pieces = |content: &[u8]| Pieces::new(two, 4, vec![(md5, column(content))]).expect("two digests");
        let verdict = |whole: &[u8], listed: &[u8]| {
            let expected = Expected {
                size_bytes: None,
                modified: None,
                digests: vec![md5.digest(whole)],
                pieces: Some(pieces(listed)),
            };
            let mut read = record(Outcome::Read, 4, at(0), vec![md5.digest(b"abcd")]);
            read.pieces = Some(pieces(b"abcd").into());
            let Judgement { verdict, differing, .. } = judge(&expected, &read, false);
            (verdict, differing.map(|differing| differing.pieces))
        };
        assert_eq!(verdict(b"abcd", b"abcd"), (Verdict::Ok, None));
        assert_eq!(verdict(b"abcd", b"abzz"), (Verdict::Collision, Some(1)));
        assert_eq!(verdict(b"zzzz", b"abcd"), (Verdict::Collision, Some(0)));
        assert_eq!(verdict(b"zzzz", b"abzz"), (Verdict::Changed, Some(1)));
    }

    #[test]
    fn a_beginning_shows_that_a_content_differs_and_never_that_it_does_not() {
        let (md5, two) = (Algorithm::MD5, NonZeroU64::new(2).unwrap());
        let beginning = |content: &[u8]| {
            Pieces::new(two, 2, vec![(md5, md5.digest(content).as_bytes().to_vec())]).expect("one digest")
        };
        let verdict = |whole: &[u8], listed: &[u8]| {
            let expected = Expected {
                size_bytes: Some(4),
                modified: None,
                digests: vec![md5.digest(whole)],
                pieces: Some(beginning(listed)),
            };
            let mut read = record(Outcome::Read, 4, at(0), vec![md5.digest(b"abcd")]);
            read.pieces = Some(beginning(b"ab").into());
            judge(&expected, &read, false).verdict
        };
        assert_eq!((verdict(b"abcd", b"ab"), verdict(b"abzz", b"ab")), (Verdict::Ok, Verdict::Changed));
        assert_eq!(
            (verdict(b"abcd", b"zz"), verdict(b"zzzz", b"zz")),
            (Verdict::Collision, Verdict::Changed)
        );
    }

    proptest! {
        /// What a check says of a listed file, an audit says of it as well.
        #[test]
        fn the_verdict_on_a_content_is_that_of_an_audit(
            size: Option<u8>, modified in proptest::option::of(0..2_i64),
            listed in proptest::collection::vec((0..3_usize, 0..2_u8), 0..4),
            read_size: u8, read_modified in 0..2_i64,
            read in proptest::sample::subsequence(vec![0_usize, 1, 2], 0..3),
            disputed: Option<bool>, is_in_store: bool,
        ) {
            let algorithms = ["md5", "sha1", "sha256"].map(|name| Algorithm::named(name).unwrap());
            // One digest for each algorithm: an audit does not take what contradicts itself.
            let mut digests: Vec<Digest> = Vec::new();
            for (algorithm, content) in listed {
                let digest = algorithms[algorithm].digest(&[content]);
                if digests.iter().all(|other| other.algorithm() != digest.algorithm()) {
                    digests.push(digest);
                }
            }
            let size = size.map(u64::from);
            let modified = modified.map(at);
            let rules = Rules { is_in_store, ..Rules::NONE };
            let mut known = Known::new(Options { rules, ..Options::default() });
            known.add(KnownFile { path: b"f", size, modified, digests: &digests }).unwrap();
            let read: Vec<_> = read.into_iter().map(|place| algorithms[place].digest(&[0])).collect();
            let dispute = |is_read_twice| Dispute { is_read_twice, offset_bytes: read_size.into() };
            let dispute = disputed.filter(|_| !read.is_empty()).map(dispute);
            let seen = Seen {
                path: b"f",
                size: Some(read_size.into()),
                modified: Some(at(read_modified)),
                reading: dispute.map_or(Reading::Read(&read), |dispute| Reading::Disputed(&read, dispute)),
            };
            let audited = Audit::new(known).see(seen);
            let expected = Expected { size_bytes: size, modified, digests, pieces: None };
            let outcome = dispute.map_or(Outcome::Read, Outcome::Disputed);
            let record = record(outcome, read_size.into(), at(read_modified), read);
            prop_assert_eq!(Some(judge(&expected, &record, is_in_store).verdict), audited);
        }
    }
}
