//! The rule by which a content is judged: what is known of it is compared with what was read.
//!
//! Every comparison of two contents in this crate uses this rule: for files in their place, for files looked up under other names, and for
//! rows of two lists.

use hashlane_digest::Digest;
use hashlane_record::Timestamp;

use crate::entry::Entry;
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

/// What is distinguished beyond the content. By default, nothing is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// A file that differs only in its modification time is [`Verdict::Touched`], not ok.
    pub touched: bool,
    /// A known file without a digest that was read is [`Verdict::Registered`], unless its size differs.
    pub registered: bool,
}

/// The result of comparing a file in its place with what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// A shared digest is equal.
    equal: bool,
    /// A shared digest differs.
    different: bool,
    same_size: Option<bool>,
    same_time: Option<bool>,
    /// There is no digest that could have been shared.
    is_first: bool,
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

/// The verdict on a file in its place: compares what is `known` of it with what was `seen`, by content alone.
///
/// One of [`Verdict::Ok`], [`Verdict::Changed`], [`Verdict::Corrupt`], [`Verdict::Collision`],
/// [`Verdict::SizeOnly`] and [`Verdict::Unverified`]. [`Comparison`] takes more into account.
///
/// ```
/// use hashlane_audit::{Facts, Verdict, judge};
/// use hashlane_digest::Algorithm;
///
/// let sha256 = Algorithm::named("sha256").unwrap();
/// let digests = [sha256.digest(b"content")];
/// let known = Facts { size: Some(7), modified: None, digests: &digests };
/// assert_eq!(judge(&known, &known), Verdict::Ok);
/// assert_eq!(judge(&known, &Facts { size: Some(8), ..known }), Verdict::Collision);
/// ```
pub fn judge(known: &Facts<'_>, seen: &Facts<'_>) -> Verdict {
    Comparison::new(known, seen).verdict(Rules::default())
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

    /// The verdict.
    pub fn verdict(&self, rules: Rules) -> Verdict {
        match self.likeness() {
            Likeness::Same if rules.touched && self.same_time == Some(false) => Verdict::Touched,
            Likeness::Same => Verdict::Ok,
            Likeness::Collision => Verdict::Collision,
            Likeness::Different if self.same_size == Some(true) && self.same_time == Some(true) => {
                Verdict::Corrupt
            }
            Likeness::Different => Verdict::Changed,
            _ if rules.registered && self.is_first => Verdict::Registered,
            Likeness::SameSize => Verdict::SizeOnly,
            Likeness::Unknown => Verdict::Unverified,
        }
    }

    /// How alike the contents are.
    pub(crate) fn likeness(&self) -> Likeness {
        match (self.equal, self.different, self.same_size) {
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
            same_size: sizes.0.zip(sizes.1).map(|(known, seen)| known == seen),
            same_time: times.0.zip(times.1).map(|(known, seen)| known == seen),
            is_first,
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

    const ALL: Rules = Rules { touched: true, registered: true };

    #[test]
    fn a_time_that_differs_is_told_only_where_it_is_asked_for() {
        let (same, other) = ([digest("sha256", "x")], [digest("sha256", "y")]);
        let by = |rules, known: (Option<i64>, &[Digest]), seen: (Option<i64>, &[Digest])| {
            Comparison::new(&facts(Some(1), known.0, known.1), &facts(Some(1), seen.0, seen.1)).verdict(rules)
        };
        assert_eq!(by(ALL, (Some(1), &same), (Some(2), &same)), Verdict::Touched);
        assert_eq!(by(Rules::default(), (Some(1), &same), (Some(2), &same)), Verdict::Ok);
        assert_eq!(by(ALL, (Some(1), &same), (Some(1), &same)), Verdict::Ok);
        assert_eq!(by(ALL, (None, &same), (Some(1), &same)), Verdict::Ok);
        assert_eq!(by(ALL, (Some(1), &same), (Some(2), &other)), Verdict::Changed);
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
        assert_eq!(judge(&facts(None, None, &[one, other]), &facts(None, None, &[one])), Verdict::Collision);
    }
}
