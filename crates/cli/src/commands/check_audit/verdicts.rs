//! The verdicts of an audit, and how they are said.

use std::path::PathBuf;

use hashlane_audit::Verdict;
use hashlane_engine::Taken;
use hashlane_report::files::{audit_counts, audit_json, audit_line, audit_summary_json, audit_text};
use hashlane_report::text;
use hashlane_verify::audit::{Audited, End, Event, Finding};
use hashlane_verify::normalization::{composed, form};

use crate::args::{CheckArgs, ReportFormat};
use crate::hints;
use crate::output::Output;
use crate::status::{Status, is_fine};
use crate::terminal::screen::Screen;

/// Prints the verdicts.
pub(super) struct Verdicts<'a> {
    pub(super) args: &'a CheckArgs,
    /// What names are relative to; empty: the current directory.
    pub(super) start: PathBuf,
    pub(super) output: Output,
    pub(super) screen: Screen,
    pub(super) status: Status,
}

impl Verdicts<'_> {
    /// Says what the audit has come to.
    pub(super) fn event(&mut self, event: &Event<'_>) -> Taken {
        match event {
            Event::Problem { path, problem, is_directory } => {
                let problem = hints::problem(problem, &self.start);
                self.screen.message(&format!("{}: {problem}", text::name(path)));
                if *is_directory {
                    self.status |= Status::UNREADABLE;
                }
                Ok(())
            }
            Event::Verdict(finding) => self.line(finding),
            _ => Ok(()),
        }
    }

    fn line(&mut self, line: &Finding<'_>) -> Taken {
        if self.args.ignore_missing && line.verdict == Verdict::Missing {
            return Ok(());
        }
        self.status |= Status::of(line.verdict);
        self.hint(line);
        if self.args.status || self.args.quiet && is_fine(line.verdict) {
            return Ok(());
        }
        let text = match self.args.format {
            ReportFormat::Text => audit_text(line, self.args.verbose),
            ReportFormat::Json => audit_json(line),
        };
        self.output.take(&text)
    }

    /// Says of names that look the same why they are not.
    fn hint(&self, line: &Finding<'_>) {
        let hint = match (line.verdict, line.other) {
            (Verdict::Missing, _) => hints::other_spelling(&self.start, line.path),
            (Verdict::Moved, Some(other))
                if composed(line.path).is_some_and(|one| Some(one) == composed(other)) =>
            {
                Some(format!(
                    "is in {}, and the otherwise equal listed name is in {}; --normalize matches the two",
                    form(line.path),
                    form(other)
                ))
            }
            _ => None,
        };
        if let Some(hint) = hint {
            self.screen.message(&format!("{}: {hint}", text::name(line.path)));
        }
    }

    /// Sums up. Of an audit that was stopped nothing is said: what it did not come to is not missing.
    pub(super) fn finish(mut self, screen: &Screen, audited: &Audited) -> (Status, anyhow::Result<()>) {
        match audited.end {
            End::Complete => {}
            End::Deserted => {
                let names: Vec<_> = audited.roots.iter().map(|root| text::name(root.as_bytes())).collect();
                screen.message(&format!(
                    "there are no files below {}: nothing is reported as missing, because the files may be elsewhere; name their \
                     place with --root or --base",
                    names.join(", ")
                ));
                self.status |= Status::UNREADABLE;
                return (self.status, self.output.finish());
            }
            End::Unlisted => {
                screen.message(
                    "the objects were not listed to the end: nothing is reported as missing, moved or new; make sure that all can be \
                     listed, and run again",
                );
                self.status |= Status::UNREADABLE;
                return (self.status, self.output.finish());
            }
            _ => return (self.status, self.output.leave(screen)),
        }
        let (counters, mut algorithms) = (&audited.counters, &audited.algorithms[..]);
        if !audited.is_compared() {
            screen.message("no file was verified");
            algorithms = &[];
            self.status |= Status::UNREADABLE;
        }
        let passed = self.status == Status::OK;
        let elsewhere = [Verdict::Missing, Verdict::Moved, Verdict::DuplicateLost];
        let judged = counters.knowns - counters.of(Verdict::Excluded);
        let lost = elsewhere.into_iter().map(|verdict| counters.of_knowns(verdict)).sum::<u64>();
        if lost == judged && lost > 0 {
            screen.message("no file has a listed name; if the tree has moved, use --base or --strip-prefix");
        }
        if !self.args.quiet || !passed {
            let verdict = if passed { "passed" } else { "failed" };
            screen.message(&format!(
                "audit {verdict}: {}",
                audit_line(counters, algorithms, audited.unsearched)
            ));
        }
        if self.args.verbose > 1 {
            for (name, count) in audit_counts(counters, audited.unsearched) {
                screen.message(&format!("{name}: {}", text::count(count)));
            }
        }
        if self.args.format == ReportFormat::Json && !self.args.status {
            let line = audit_summary_json(counters, algorithms, audited.unsearched, passed);
            if let Err(error) = self.output.line(&line) {
                return (self.status, Err(error));
            }
        }
        (self.status, self.output.finish())
    }
}
