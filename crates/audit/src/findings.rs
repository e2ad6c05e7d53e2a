//! The verdicts that stand at the end.

use std::fmt;

use hashlane_digest::Digest;
use hashlane_record::Timestamp;

use crate::counters::Counters;
use crate::entry::Entry;
use crate::records::State;
use crate::tables::{Tables, Which};
use crate::verdict::Verdict;

/// The verdicts that stand at the end, and the counts of all.
pub struct Findings {
    tables: Tables,
    found: Vec<Found>,
    counters: Counters,
}

/// A verdict that stands at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// The name of the input, or of the known file that is missing or was left out.
    pub path: &'a [u8],
    /// The known file that it was moved or copied from or collides with, or where a copy of the lost file
    /// remains. An input that is at its place but for case has the name listed here.
    pub other: Option<&'a [u8]>,
    /// What is known: of the known file, or of the other one.
    pub known: Option<Content>,
    /// What was seen of the input, if it was read.
    pub seen: Option<Content>,
}

/// Size and digests of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Size in bytes, where it is known.
    pub size: Option<u64>,
    /// Time of the last change of the content, where it is known.
    pub modified: Option<Timestamp>,
    /// Digests in the order of [`crate::Known::algorithms`].
    pub digests: Vec<Digest>,
}

/// A verdict by numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) verdict: Verdict,
    pub(crate) subject: Which,
    pub(crate) other: Option<Which>,
}

impl Findings {
    /// `found`: all but the known files that are missing or were left out, whose states say so.
    pub(crate) fn new(tables: Tables, mut found: Vec<Found>, counters: Counters) -> Self {
        found.sort_by(|left, right| tables.order(left.subject, right.subject));
        Self { tables, found, counters }
    }

    /// The verdicts that were not final when the file was seen, and those on known files that were not, in
    /// byte order of the path, where case is folded in that of lower case. A known file that has moved stands
    /// with the input that it moved to.
    pub fn iter(&self) -> impl Iterator<Item = Finding<'_>> {
        let mut found = self.found.iter().copied().peekable();
        let mut absent = self.absent_from(0);
        std::iter::from_fn(move || {
            let next = match (found.peek(), absent) {
                (other, Some((number, verdict)))
                    if other.is_none_or(|other| self.is_before(number, other.subject)) =>
                {
                    absent = self.absent_from(number + 1);
                    Found { verdict, subject: Which::Known(number), other: None }
                }
                _ => found.next()?,
            };
            Some(self.finding(&next))
        })
    }

    /// The first known file that is missing or was left out, from a number on, and its verdict.
    fn absent_from(&self, number: u32) -> Option<(u32, Verdict)> {
        let number = self.tables.known.in_state(number, State::is_free).next()?;
        let verdict = match self.tables.known.state(number) {
            State::Aside(verdict) => verdict,
            _ => Verdict::Missing,
        };
        Some((number, verdict))
    }

    fn is_before(&self, known: u32, other: Which) -> bool {
        self.tables.order(Which::Known(known), other).is_lt()
    }

    /// How many files there are of each verdict, those that were final at once included.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    fn finding(&self, found: &Found) -> Finding<'_> {
        let known = match (found.subject, found.other) {
            (Which::Known(number), _) | (Which::Input(_), Some(Which::Known(number))) => Some(number),
            _ => None,
        };
        let seen = match found.subject {
            Which::Input(number) if found.verdict.has_content() => Some(number),
            _ => None,
        };
        Finding {
            verdict: found.verdict,
            path: self.tables.path(found.subject),
            other: found.other.map(|other| self.tables.path(other)),
            known: known.map(|number| Content::of(&self.tables.known.entry(number))),
            seen: seen.map(|number| Content::of(&self.tables.held.entry(number))),
        }
    }
}

impl Content {
    pub(crate) fn of(entry: &Entry<'_>) -> Self {
        Self { size: entry.size, modified: entry.modified, digests: entry.digests() }
    }
}

impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
