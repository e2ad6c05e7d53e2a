//! The rule by which a content is judged: what is known of it is compared with what was read.
//!
//! Every comparison of two contents in this crate uses this rule: for files in their place, for files looked up under other names, and for
//! rows of two lists.

use std::cmp::Ordering;

use hashlane_digest::Digest;
use hashlane_record::{Dispute, Outcome, Timestamp};

use crate::entry::Entry;
use crate::times::TimeMatch;
use crate::verdict::Verdict;

/// What is known of a file, or what was read of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// Size in bytes, if there is one.
    pub size: Option<u64>,
    /// Time of the last change of the content, if there is one.
    pub modified: Option<Timestamp>,
    /// The digests. There may be none.
    pub digests: &'a [Digest],
}

/// What is distinguished beyond the content, and what is known of the circumstances. By default, nothing is.
///
/// That a file has become shorter under its known time is damage wherever it is judged, so there is no rule for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// A file that differs only in its modification time is [`Verdict::Touched`], not ok.
    pub touched: bool,
    /// A known file without a digest that was read is [`Verdict::Registered`], unless its size differs.
    pub registered: bool,
    /// The file may be appended to: if what was known is its beginning ([`Comparison::begins_as_known`]), it is [`Verdict::Grown`].
    pub may_grow: bool,
    /// It may have been written to after it was recorded, within the same tick of its clock: its time cannot say that nobody has.
    pub is_unsettled: bool,
    /// It lies in a store, whose times are never moved by hours or rounded to even seconds.
    pub is_in_store: bool,
    /// What differs though nothing was written is read again before it is reported: until then it is [`Verdict::Suspect`].
    pub reads_again: bool,
}

impl Rules {
    /// Nothing beyond the content is distinguished.
    pub const NONE: Self = Self {
        touched: false,
        registered: false,
        may_grow: false,
        is_unsettled: false,
        is_in_store: false,
        reads_again: false,
    };
}

/// The result of comparing a file in its place with what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// A shared digest is equal.
    equal: bool,
    /// A shared digest differs.
    different: bool,
    /// The size that was seen, by the known one.
    size: Option<Ordering>,
    time: Option<TimeMatch>,
    /// There is no digest that could have been shared.
    is_first: bool,
    /// The beginning of what was seen is what was known.
    begins_as_known: bool,
}

/// How alike two contents are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// Every shared digest is equal, there is one at least, and sizes do not differ.
    Same,
    /// A shared digest is equal, but another one or the size differs.
    Collision,
    /// Every shared digest differs, or none is shared and the sizes differ.
    Different,
    /// The sizes are equal, and no digest is shared.
    SameSize,
    /// There is nothing to compare.
    Unknown,
}

/// The verdict on a file in its place that was read: compares what is `known` of it with what was `seen`.
///
/// One of [`Verdict::Ok`], [`Verdict::Changed`], [`Verdict::Corrupt`], [`Verdict::Collision`], [`Verdict::SizeOnly`] and
/// [`Verdict::Unverified`], and those that the rules ask for.
///
/// ```
/// use hashlane_audit::{Facts, Rules, Verdict, judge};
/// use hashlane_digest::Algorithm;
/// use hashlane_record::Timestamp;
///
/// let sha256 = Algorithm::SHA256;
/// let (whole, part) = ([sha256.digest(b"content")], [sha256.digest(b"con")]);
/// let modified = Some(Timestamp { seconds: 1_000_000, nanos: 0 });
/// let known = Facts { size: Some(7), modified, digests: &whole };
/// assert_eq!(judge(&known, &known, Rules::default()), Verdict::Ok);
/// // It was cut short, and its time does not say so.
/// let seen = Facts { size: Some(3), digests: &part, ..known };
/// assert_eq!(judge(&known, &seen, Rules::default()), Verdict::Corrupt);
/// ```
pub fn judge(known: &Facts<'_>, seen: &Facts<'_>, rules: Rules) -> Verdict {
    Comparison::new(known, seen).verdict(rules)
}

impl Comparison {
    /// Compares what is known with what was seen. Every known digest is compared with the seen one of its algorithm; other seen digests do
    /// not count.
    pub fn new(known: &Facts<'_>, seen: &Facts<'_>) -> Self {
        let shared = known.digests.iter().filter_map(|digest| {
            let other = seen.digests.iter().find(|other| other.algorithm() == digest.algorithm())?;
            Some(digest == other)
        });
        let times = (known.modified, seen.modified);
        Self::with(shared, (known.size, seen.size), times, known.digests.is_empty())
    }

    /// Takes in whether something else that both sides have of the content is equal, such as the digests of all its pieces. It counts as
    /// one more shared digest.
    pub fn share(&mut self, is_equal: bool) {
        self.equal |= is_equal;
        self.different |= !is_equal;
        self.is_first = false;
    }

    /// Takes in that the beginning of what was seen is the whole of what was known.
    pub fn begins_as_known(&mut self) {
        self.begins_as_known = true;
    }

    /// The verdict on a file whose reading ended so.
    pub fn verdict_on(&self, outcome: Outcome, rules: Rules) -> Verdict {
        match outcome {
            Outcome::Read => self.verdict(rules),
            Outcome::Disputed(dispute) => self.verdict_on_disputed(dispute, rules),
            Outcome::Unstable(_) => Verdict::Unstable,
            Outcome::Failed(_) => Verdict::Unreadable,
        }
    }

    /// The verdict on a file that was read.
    pub fn verdict(&self, rules: Rules) -> Verdict {
        let damaged = |verdict| if rules.reads_again { Verdict::Suspect } else { verdict };
        match self.likeness() {
            Likeness::Same if rules.touched && self.was_dated_anew(rules) => Verdict::Touched,
            Likeness::Same => Verdict::Ok,
            // Whatever its time says: no writing makes another content of the same digest.
            Likeness::Collision => damaged(Verdict::Collision),
            Likeness::Different if rules.may_grow && self.begins_as_known => Verdict::Grown,
            // Without a known time, nothing says that nobody wrote.
            Likeness::Different if rules.is_unsettled || self.time.is_none() || self.was_written(rules) => {
                Verdict::Changed
            }
            Likeness::Different => damaged(Verdict::Corrupt),
            _ if rules.registered && self.is_first => Verdict::Registered,
            Likeness::SameSize => Verdict::SizeOnly,
            Likeness::Unknown => Verdict::Unverified,
        }
    }

    /// The verdict on a content that its store keeps another checksum for. It never passes, and is never an edit: what is written to a store
    /// brings its checksum along.
    fn verdict_on_disputed(&self, dispute: Dispute, rules: Rules) -> Verdict {
        let damaged = match self.likeness() {
            Likeness::Collision => Verdict::Collision,
            // Of what was written since, nothing is known.
            Likeness::Different if !self.was_written(rules) => Verdict::Corrupt,
            // What has the known digests is whole, so the checksum is not.
            _ => return Verdict::Unreadable,
        };
        match dispute.is_read_twice {
            _ if rules.reads_again => Verdict::Suspect,
            true => damaged,
            // It may have been damaged on its way.
            false => Verdict::Unreadable,
        }
    }

    /// Whether the content has all that is known of it.
    pub fn is_as_known(&self) -> bool {
        self.likeness() == Likeness::Same
    }

    /// Whether its time or its size says that somebody has written. Who cuts a file short writes its time, too; what has become shorter
    /// under its known time was damaged.
    fn was_written(&self, rules: Rules) -> bool {
        self.size == Some(Ordering::Greater) || self.was_dated_anew(rules)
    }

    /// Whether it has another time than the known one, and not the same in another form.
    fn was_dated_anew(&self, rules: Rules) -> bool {
        self.time.is_some_and(|time| !time.is_same(rules.is_in_store))
    }

    /// How alike the contents are.
    pub(crate) fn likeness(&self) -> Likeness {
        match (self.equal, self.different, self.size.map(Ordering::is_eq)) {
            (true, false, Some(true) | None) => Likeness::Same,
            (true, _, _) => Likeness::Collision,
            (false, true, _) | (false, false, Some(false)) => Likeness::Different,
            (false, false, Some(true)) => Likeness::SameSize,
            (false, false, None) => Likeness::Unknown,
        }
    }

    /// Compares a stored content with a size in bytes, a modification time and digests by number.
    pub(crate) fn of_entry<'a>(
        entry: &Entry<'_>,
        size: Option<u64>,
        modified: Option<Timestamp>,
        digests: impl Iterator<Item = (usize, &'a [u8])>,
    ) -> Self {
        let shared = digests.filter_map(|(place, digest)| Some(entry.digest(place)? == digest));
        Self::with(shared, (entry.size, size), (entry.modified, modified), entry.digest_bytes.is_empty())
    }

    fn with(
        shared: impl Iterator<Item = bool>,
        sizes: (Option<u64>, Option<u64>),
        times: (Option<Timestamp>, Option<Timestamp>),
        is_first: bool,
    ) -> Self {
        let mut comparison = Self {
            equal: false,
            different: false,
            size: sizes.0.zip(sizes.1).map(|(known, seen)| seen.cmp(&known)),
            time: times.0.zip(times.1).map(|(known, seen)| TimeMatch::between(known, seen)),
            is_first,
            begins_as_known: false,
        };
        for is_equal in shared {
            comparison.equal |= is_equal;
            comparison.different |= !is_equal;
        }
        comparison
    }
}

impl Likeness {
    /// Compares two stored contents, whose algorithms have the same numbers.
    pub(crate) fn between(left: &Entry<'_>, right: &Entry<'_>) -> Self {
        Comparison::of_entry(left, right.size, right.modified, right.numbered()).likeness()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::digest;

    fn facts(size: Option<u64>, seconds: Option<i64>, digests: &[Digest]) -> Facts<'_> {
        let modified = seconds.map(|seconds| Timestamp { seconds, nanos: 0 });
        Facts { size, modified, digests }
    }

    const NONE: Rules = Rules::NONE;

    const ALL: Rules = Rules { touched: true, registered: true, ..NONE };

    #[test]
    fn a_time_that_differs_is_told_only_where_it_is_asked_for() {
        let (same, other) = ([digest("sha256", "x")], [digest("sha256", "y")]);
        let by = |rules, known: (Option<i64>, &[Digest]), seen: (Option<i64>, &[Digest])| {
            Comparison::new(&facts(Some(1), known.0, known.1), &facts(Some(1), seen.0, seen.1)).verdict(rules)
        };
        assert_eq!(by(ALL, (Some(1), &same), (Some(5), &same)), Verdict::Touched);
        assert_eq!(by(Rules::default(), (Some(1), &same), (Some(5), &same)), Verdict::Ok);
        assert_eq!(by(ALL, (Some(1), &same), (Some(1), &same)), Verdict::Ok);
        assert_eq!(by(ALL, (None, &same), (Some(1), &same)), Verdict::Ok);
        assert_eq!(by(ALL, (Some(1), &same), (Some(2), &same)), Verdict::Ok, "FAT has no odd seconds");
        assert_eq!(by(ALL, (Some(1), &same), (Some(5), &other)), Verdict::Changed);
        assert_eq!(by(ALL, (Some(1), &same), (Some(2), &other)), Verdict::Corrupt);
        assert_eq!(by(ALL, (Some(1), &same), (Some(1), &other)), Verdict::Corrupt);
    }

    #[test]
    fn a_file_without_a_known_digest_is_registered_only_where_that_is_asked_for() {
        let read = [digest("sha256", "x")];
        let by =
            |rules, known: Facts<'_>| Comparison::new(&known, &facts(Some(1), None, &read)).verdict(rules);
        assert_eq!(by(ALL, facts(Some(1), None, &[])), Verdict::Registered);
        assert_eq!(by(ALL, facts(None, None, &[])), Verdict::Registered);
        assert_eq!(by(ALL, facts(Some(2), None, &[])), Verdict::Changed);
        assert_eq!(by(ALL, facts(Some(1), None, &[digest("md5", "x")])), Verdict::SizeOnly);
        assert_eq!(by(Rules::default(), facts(Some(1), None, &[])), Verdict::SizeOnly);
        assert_eq!(by(Rules::default(), facts(None, None, &[])), Verdict::Unverified);
    }

    #[test]
    fn what_else_is_shared_counts_as_a_digest() {
        let by = |known: &[Digest], seen: &[Digest], is_equal| {
            let mut comparison = Comparison::new(&facts(Some(1), None, known), &facts(Some(1), None, seen));
            comparison.share(is_equal);
            comparison.verdict(ALL)
        };
        let (same, other) = ([digest("sha256", "x")], [digest("sha256", "y")]);
        assert_eq!((by(&[], &same, true), by(&[], &same, false)), (Verdict::Ok, Verdict::Changed));
        assert_eq!((by(&same, &same, true), by(&same, &same, false)), (Verdict::Ok, Verdict::Collision));
        assert_eq!(
            (by(&same, &other, true), by(&same, &other, false)),
            (Verdict::Collision, Verdict::Changed)
        );
    }

    #[test]
    fn a_content_that_is_known_in_two_ways_is_never_as_known() {
        let (one, other) = (digest("sha256", "x"), digest("sha256", "y"));
        let known = [one, other];
        let judged = judge(&facts(None, None, &known), &facts(None, None, &[one]), NONE);
        assert_eq!(judged, Verdict::Collision);
    }

    #[test]
    fn the_table_of_contents_that_differ() {
        let (one, other) = (digest("sha256", "x"), digest("sha256", "y"));
        let by = |rules, size, seconds, begins: bool| {
            let mut comparison =
                Comparison::new(&facts(Some(4), Some(10), &[one]), &facts(size, seconds, &[other]));
            if begins {
                comparison.begins_as_known();
            }
            comparison.verdict(rules)
        };
        let again = Rules { reads_again: true, ..NONE };
        let grows = Rules { may_grow: true, ..NONE };
        let unsettled = Rules { is_unsettled: true, ..NONE };
        let in_store = Rules { is_in_store: true, ..NONE };
        type Line = (Rules, Option<u64>, Option<i64>, bool, Verdict);
        let table: &[Line] = &[
            (NONE, Some(4), Some(10), false, Verdict::Corrupt),
            (NONE, Some(3), Some(10), false, Verdict::Corrupt),
            (NONE, None, Some(10), false, Verdict::Corrupt),
            (NONE, Some(5), Some(10), false, Verdict::Changed),
            (NONE, Some(4), Some(20), false, Verdict::Changed),
            (NONE, Some(3), Some(20), false, Verdict::Changed),
            (NONE, Some(4), None, false, Verdict::Changed),
            (NONE, Some(4), Some(3_610), false, Verdict::Corrupt),
            (in_store, Some(4), Some(3_610), false, Verdict::Changed),
            (in_store, Some(4), Some(10), false, Verdict::Corrupt),
            (again, Some(4), Some(10), false, Verdict::Suspect),
            (again, Some(3), Some(10), false, Verdict::Suspect),
            (again, Some(4), Some(20), false, Verdict::Changed),
            (unsettled, Some(4), Some(10), false, Verdict::Changed),
            (grows, Some(6), Some(20), true, Verdict::Grown),
            (grows, Some(6), Some(10), true, Verdict::Grown),
            (grows, Some(6), Some(20), false, Verdict::Changed),
            (NONE, Some(6), Some(20), true, Verdict::Changed),
        ];
        for (line, &(rules, size, seconds, begins, verdict)) in table.iter().enumerate() {
            assert_eq!(by(rules, size, seconds, begins), verdict, "line {line} of the table");
        }
    }

    #[test]
    fn the_table_of_contents_that_their_store_disputes() {
        let known = [digest("md5", "x"), digest("sha256", "x")];
        let same = known;
        let other = [digest("md5", "y"), digest("sha256", "y")];
        let collides = [digest("md5", "x"), digest("sha256", "y")];
        let again = Rules { reads_again: true, ..NONE };
        let by = |rules, is_read_twice, known_size, known_time, seen: &[Digest]| {
            let comparison =
                Comparison::new(&facts(known_size, known_time, &known), &facts(Some(4), Some(10), seen));
            comparison.verdict_on(Outcome::Disputed(Dispute { is_read_twice, offset_bytes: 4 }), rules)
        };
        // What is known of size and time, what was read; the verdict by two readings, by one, and where it is read again.
        type Line<'a> = (Option<u64>, Option<i64>, &'a [Digest], Verdict, Verdict, Verdict);
        let table: &[Line<'_>] = &[
            (Some(4), Some(10), &same, Verdict::Unreadable, Verdict::Unreadable, Verdict::Unreadable),
            (Some(4), Some(10), &other, Verdict::Corrupt, Verdict::Unreadable, Verdict::Suspect),
            (Some(5), Some(10), &other, Verdict::Corrupt, Verdict::Unreadable, Verdict::Suspect),
            (None, None, &other, Verdict::Corrupt, Verdict::Unreadable, Verdict::Suspect),
            (Some(3), Some(10), &other, Verdict::Unreadable, Verdict::Unreadable, Verdict::Unreadable),
            (Some(4), Some(20), &other, Verdict::Unreadable, Verdict::Unreadable, Verdict::Unreadable),
            (Some(4), Some(10), &collides, Verdict::Collision, Verdict::Unreadable, Verdict::Suspect),
            (Some(4), Some(20), &collides, Verdict::Collision, Verdict::Unreadable, Verdict::Suspect),
            (Some(4), Some(10), &[], Verdict::Unreadable, Verdict::Unreadable, Verdict::Unreadable),
        ];
        for (line, &(size, time, seen, twice, once, first)) in table.iter().enumerate() {
            let judged = [
                by(NONE, true, size, time, seen),
                by(NONE, false, size, time, seen),
                by(again, true, size, time, seen),
            ];
            assert_eq!(judged, [twice, once, first], "line {line} of the table");
        }
    }
}
