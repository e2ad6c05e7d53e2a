//! The verdicts at the end of an audit.

use std::fmt;
use std::ops::ControlFlow;

use crate::counters::Counters;
use crate::diff;
use crate::disk::OnDiskFindings;
use crate::file::Content;
use crate::finding::{Finding, NumberedFinding};
use crate::state::State;
use crate::tables::{Tables, Which};
use crate::verdict::Verdict;

/// The verdicts at the end of an audit, and the counts of all.
pub struct Findings(Inner);

enum Inner {
    Memory(Box<InMemoryFindings>),
    Disk(Box<OnDiskFindings>),
}

/// Those of an audit in memory.
pub(crate) struct InMemoryFindings {
    tables: Tables,
    found: Vec<NumberedFinding>,
    counters: Counters,
}

impl Findings {
    pub(crate) fn in_memory(findings: InMemoryFindings) -> Self {
        Self(Inner::Memory(Box::new(findings)))
    }

    pub(crate) fn on_disk(findings: OnDiskFindings) -> Self {
        Self(Inner::Disk(Box::new(findings)))
    }

    /// Shows the verdicts that were not final when the file was seen, and those on known files that were not seen, until `show` has enough:
    /// in byte order of the path, or of its lower case if case is folded. A known file that has moved is shown with the input that it moved
    /// to. They may be shown any number of times.
    ///
    /// # Errors
    /// A temporary file cannot be read.
    pub fn visit(&self, mut show: impl FnMut(Finding<'_>) -> ControlFlow<()>) -> Result<(), diff::Error> {
        match &self.0 {
            Inner::Memory(findings) => {
                let _ = findings.iter().try_for_each(show);
                Ok(())
            }
            Inner::Disk(findings) => findings.visit(&mut show),
        }
    }

    /// The number of files per verdict, including verdicts that were final at once.
    pub fn counters(&self) -> &Counters {
        match &self.0 {
            Inner::Memory(findings) => &findings.counters,
            Inner::Disk(findings) => &findings.counters,
        }
    }
}

impl InMemoryFindings {
    /// `found`: all but the known files that are missing or were left out, whose states say so.
    pub(crate) fn new(tables: Tables, mut found: Vec<NumberedFinding>, counters: Counters) -> Self {
        found.sort_by(|left, right| tables.order(left.subject, right.subject));
        Self { tables, found, counters }
    }

    fn iter(&self) -> impl Iterator<Item = Finding<'_>> {
        let mut found = self.found.iter().copied().peekable();
        let mut absent = self.absent_from(0);
        std::iter::from_fn(move || {
            let next = match (found.peek(), absent) {
                (other, Some((number, verdict)))
                    if other.is_none_or(|other| self.is_before(number, other.subject)) =>
                {
                    absent = self.absent_from(number + 1);
                    NumberedFinding { verdict, subject: Which::Known(number), other: None }
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

    fn finding(&self, found: &NumberedFinding) -> Finding<'_> {
        let known = match (found.subject, found.other) {
            (Which::Known(number), _) | (Which::Input(_), Some(Which::Known(number))) => Some(number),
            _ => None,
        };
        let input = match found.subject {
            Which::Input(number) => Some(self.tables.held.entry(number)),
            Which::Known(_) => None,
        };
        let dispute = input.and_then(|input| input.state.dispute(input.size));
        let seen = input.filter(|_| found.verdict.has_content() || dispute.is_some());
        Finding {
            verdict: found.verdict,
            path: self.tables.path(found.subject),
            other: found.other.map(|other| self.tables.path(other)),
            known: known.map(|number| Content::of(&self.tables.known.entry(number))),
            seen: seen.map(|input| Content::of(&input)),
            dispute,
        }
    }
}

impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Inner::Memory(findings) => f.debug_list().entries(findings.iter()).finish(),
            Inner::Disk(findings) => f.debug_tuple("Findings").field(&findings.counters).finish(),
        }
    }
}
