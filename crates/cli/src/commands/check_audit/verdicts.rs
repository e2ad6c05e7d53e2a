//! The verdicts of an audit, and how they are said.

use std::io::Write as _;

use hashlane_audit::Verdict;
use hashlane_engine::Taken;
use hashlane_report::files::{audit_counts, audit_json, audit_line, audit_summary_json, audit_text};
use hashlane_report::text;
use hashlane_verify::Places;
use hashlane_verify::audit::{Audited, End, Event, Finding};
use hashlane_verify::normalization::{composed, form};

use crate::args::{CheckArgs, ReportFormat};
use crate::hints;
use crate::output::Output;
use crate::status::Status;
use crate::terminal::screen::Screen;

/// Prints the verdicts.
pub(super) struct Verdicts {
    places: Places,
    output: Output,
    screen: Screen,
    pub(super) status: Status,
    format: ReportFormat,
    silent: bool,
    quiet: bool,
    verbose: u8,
    ignore_missing: bool,
}

impl Verdicts {
    pub(super) fn new(args: &CheckArgs, places: Places, output: Output, screen: Screen) -> Self {
        Self {
            places,
            output,
            screen,
            status: Status::OK,
            format: args.format,
            silent: args.status,
            quiet: args.quiet,
            verbose: args.verbose,
            ignore_missing: args.ignore_missing,
        }
    }

    /// Says what the audit has come to.
    pub(super) fn event(&mut self, event: &Event<'_>) -> Taken {
        match event {
            Event::Problem { path, problem, is_directory } => {
                let problem = hints::problem(problem, self.places.start());
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
        if self.ignore_missing && line.verdict == Verdict::Missing {
            return Ok(());
        }
        self.status |= Status::of(line.verdict);
        self.hint(line);
        if self.silent || (self.quiet && matches!(line.verdict, Verdict::Ok | Verdict::Excluded)) {
            return Ok(());
        }
        let text = match self.format {
            ReportFormat::Text => audit_text(line, self.verbose),
            ReportFormat::Json => audit_json(line),
        };
        self.output.take(&text)
    }

    /// Says of names that look the same why they are not.
    fn hint(&self, line: &Finding<'_>) {
        let hint = match (line.verdict, line.other) {
            (Verdict::Missing, _) => hints::other_spelling(self.places.start(), line.path),
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

    /// Leaves the output of an audit that failed.
    pub(super) fn leave(self, screen: &Screen) -> anyhow::Result<()> {
        self.output.leave(screen)
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
        if !self.quiet || !passed {
            let verdict = if passed { "passed" } else { "failed" };
            screen.message(&format!(
                "audit {verdict}: {}",
                audit_line(counters, algorithms, audited.unsearched)
            ));
        }
        if self.verbose > 1 {
            for (name, count) in audit_counts(counters, audited.unsearched) {
                screen.message(&format!("{name}: {}", text::count(count)));
            }
        }
        if self.format == ReportFormat::Json && !self.silent {
            let line = audit_summary_json(counters, algorithms, audited.unsearched, passed);
            if let Err(error) = writeln!(self.output, "{line}") {
                let place = self.output.place();
                return (self.status, Err(place.failed(&error)));
            }
        }
        (self.status, self.output.finish())
    }
}
