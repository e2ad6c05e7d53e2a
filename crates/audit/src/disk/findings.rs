//! The verdicts of an audit on disk.

use std::ops::ControlFlow;

use crate::counters::Counters;
use crate::diff::Error;
use crate::diff::row::{Row, Rows};
use crate::disk::contents::NameFinding;
use crate::disk::inputs::Mark;
use crate::disk::{Name, OnDisk, next_name};
use crate::finding::Finding;
use crate::verdict::Verdict;
use hashlane_sort::Sorted;
use hashlane_sort::Spool;

/// All verdicts, to be gone through in the order of names.
pub(crate) struct OnDiskFindings {
    audit: OnDisk,
    /// What was found by content, by name.
    results: Vec<Spool>,
    pub(crate) counters: Counters,
}

/// What was found by content, read along with the names.
pub(super) struct Results {
    rows: Sorted,
    ahead: Row,
    has_ahead: bool,
}

impl OnDiskFindings {
    pub(super) fn new(mut audit: OnDisk, results: Vec<Spool>) -> Result<Self, Error> {
        let counters = std::mem::take(&mut audit.counters);
        let mut findings = Self { audit, results, counters: Counters::default() };
        let mut counted = counters;
        counted.inputs = findings.audit.told;
        let seen_again = findings.each(|name, verdict, _| {
            let Some(verdict) = verdict else { return ControlFlow::Continue(()) };
            if name.input.is_some() {
                counted.inputs += 1;
                counted.input(verdict, name.known.is_some() || verdict == Verdict::Moved);
            } else {
                counted.known(verdict);
            }
            ControlFlow::Continue(())
        })?;
        counted.seen_again += seen_again;
        findings.counters = counted;
        Ok(findings)
    }

    /// Shows each verdict to `show`, until it has enough.
    pub(crate) fn visit(&self, mut show: impl FnMut(Finding<'_>) -> ControlFlow<()>) -> Result<(), Error> {
        self.each(|name, verdict, other| {
            let Some(verdict) = verdict else { return ControlFlow::Continue(()) };
            let listed = match (name.known, other) {
                (Some(known), _) => Some(known),
                (None, other) => other,
            };
            let dispute = name.dispute();
            let seen = name.input.filter(|_| verdict.has_content() || dispute.is_some());
            show(Finding {
                verdict,
                path: name.path(),
                other: other.map(Row::name),
                known: listed.map(|row| self.audit.described(row)),
                seen: seen.map(|row| self.audit.described(row)),
                dispute,
            })
        })?;
        Ok(())
    }

    /// Goes through all names with their verdicts and the other file that they are about; a known file that moved has none.
    /// Says how many inputs were seen again.
    fn each(
        &self,
        mut each: impl FnMut(&Name<'_>, Option<Verdict>, Option<&Row>) -> ControlFlow<()>,
    ) -> Result<u64, Error> {
        let mut names = self.audit.merge()?;
        let mut results = Results::new(&self.results)?;
        let mut other = Row::default();
        loop {
            let Some(name) = next_name(&mut names)? else { break };
            let found = results.at(name.path(), &mut other)?;
            let (verdict, has_other) = match (&name, found) {
                (Name { known: Some(_), input: Some(_), .. }, _) => (name.verdict(self.audit.rules), false),
                (Name { known: None, input: Some(input), .. }, found) => match (Mark::of(input), found) {
                    (Mark::Unread(verdict), _) => (Some(verdict), false),
                    (Mark::Disputed { .. }, _) => (Some(Verdict::Unreadable), false),
                    (Mark::Told { .. }, _) => (None, false),
                    (_, Some(NameFinding::Input(verdict))) => (Some(verdict), true),
                    (_, Some(NameFinding::Collides)) => (Some(Verdict::Collision), true),
                    _ => (Some(Verdict::New), false),
                },
                (Name { aside: Some(verdict), known: Some(_), .. }, _) => (Some(*verdict), false),
                (Name { known: Some(_), .. }, Some(NameFinding::MovedAway)) => (None, false),
                (Name { known: Some(_), .. }, Some(NameFinding::Remains)) => {
                    (Some(Verdict::DuplicateLost), true)
                }
                (Name { known: Some(_), .. }, _) => (Some(Verdict::Missing), false),
                // Set aside, and not known.
                (Name { known: None, input: None, .. }, _) => continue,
            };
            if each(&name, verdict, has_other.then_some(&other)).is_break() {
                break;
            }
        }
        Ok(names.right().seen_again)
    }
}

impl Results {
    pub(super) fn new(spools: &[Spool]) -> Result<Self, Error> {
        let mut results = Self { rows: Spool::merged(spools, b"")?, ahead: Row::default(), has_ahead: false };
        results.advance()?;
        Ok(results)
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.has_ahead = self.rows.next(&mut self.ahead)?;
        Ok(())
    }

    /// What was found of a name, and the other file. Names are asked for in order. Of several collisions it is the one with
    /// the file whose name comes first, and a collision is less than anything else.
    pub(super) fn at(&mut self, name: &[u8], other: &mut Row) -> Result<Option<NameFinding>, Error> {
        let mut best: Option<NameFinding> = None;
        while self.has_ahead && self.ahead.name() <= name {
            if self.ahead.name() == name {
                let (found, of) = NameFinding::of(&self.ahead);
                let is_better = best.is_none_or(|best| match (best.is_collision(), found.is_collision()) {
                    (true, true) => of.name() < other.name(),
                    (is_collision, _) => is_collision,
                });
                if is_better {
                    best = Some(found);
                    *other = of;
                }
            }
            self.advance()?;
        }
        Ok(best)
    }
}

impl NameFinding {
    fn is_collision(self) -> bool {
        matches!(self, Self::Collides | Self::Input(Verdict::Collision))
    }
}
