//! `hashlane check --audit`: what became of the files that manifests list, and of those that they do not.

use std::path::PathBuf;

use hashlane_audit::{Counters, Verdict};
use hashlane_engine::{Stop, Taken};
use hashlane_objects::Objects;
use hashlane_report::files::{audit_counts, audit_json, audit_line, audit_summary_json, audit_text};
use hashlane_report::text;
use hashlane_verify::audit::{Audited, End, Event, Finding, Listing};
use hashlane_verify::normalization::{composed, form};
use hashlane_verify::{AuditOptions, Error, ListSummary};

use super::listed::{lookup, recorded_bad_line, refuse_inputs, refuse_two_inputs, say_of_lists};
use crate::args::{CheckArgs, ReportFormat};
use crate::filters;
use crate::hints;
use crate::inputs::{sorting_memory, store_of, temporary_directory};
use crate::manifests;
use crate::output::Output;
use crate::session::Session;
use crate::status::{Status, is_fine};
use crate::terminal::screen::Screen;

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    let mut session = Session::begin(&args.reading, &args.backends, args.status)?;
    refuse_two_inputs(args)?;
    let store = store_of(args)?;
    let traffic = store.as_ref().map(Objects::traffic);
    let screen = session.screen().clone();
    let options = AuditOptions {
        lookup: lookup(args, filters::of_check(args)?, store, &mut session)?,
        tells_passes: args.format == ReportFormat::Json,
        memory_bytes: sorting_memory(usize::try_from(args.memory).unwrap_or(usize::MAX)),
        temporary_directory: args.temporary_directory.clone().unwrap_or_else(temporary_directory),
    };
    let mut listing = Listing::new(options, manifests::notes(args, &screen));
    let mut status = Status::OK;
    for name in manifests::names(args) {
        let list = listing.read(&name).map_err(|error| match error {
            Error::NothingToGoBy { .. } => {
                let summed_up = sum_up_nothing(args, &screen);
                summed_up.err().unwrap_or_else(|| manifests::failed(&error))
            }
            error => manifests::failed(&error),
        })?;
        status |= close_list(args, &list, &screen);
    }
    if listing.is_empty() {
        screen.message("no file is listed; there is nothing to audit");
        status |= Status::UNREADABLE;
        sum_up_nothing(args, &screen)?;
        return Ok(status);
    }
    let mut audit = listing.start().map_err(|error| manifests::failed(&error))?;
    if audit.contradictions() > 0 {
        status |= Status::UNREADABLE;
    }

    refuse_inputs(args)?;
    session.show(Box::new(|_| {}));
    let output = session.output(args.output.as_deref())?;
    if traffic.is_none() {
        let profile = session.suit(audit.roots().iter().map(|root| root.as_path().as_os_str()));
        audit.engine().profile = profile;
    }
    audit.engine().excluded.extend(output.identities());
    let start = audit.start().to_owned();
    let mut verdicts = Verdicts { args, start, output, screen: screen.clone(), status };
    let (run, ran) =
        session.run(Stop::Drained, |control| audit.run(&mut |event| verdicts.event(event), control))?;

    let audited = match run {
        Ok(audited) => audited,
        Err(error) => return ran.failed(manifests::failed(&error), verdicts.output.leave(&screen)),
    };
    let (status, done) = verdicts.finish(&screen, &audited);
    let summary = audited.summary;
    ran.die_if_interrupted(&summary);
    done?;
    if !args.quiet || status != Status::OK {
        ran.passed_over(&summary.skipped, "list or output file");
        ran.close(None, &summary);
        ran.say_traffic(traffic.as_ref());
    }
    ran.learn(&summary);
    Ok(status)
}

/// Says to programs that nothing was audited: lists are of no files, or of such as nothing can be audited by.
fn sum_up_nothing(args: &CheckArgs, screen: &Screen) -> anyhow::Result<()> {
    if args.format != ReportFormat::Json || args.status {
        return Ok(());
    }
    refuse_inputs(args)?;
    let mut output = Output::open(args.output.as_deref(), screen)?;
    output.line(&audit_summary_json(&Counters::default(), &[], 0, false))?;
    output.finish()
}

/// What is to be said of a list that was read, and what it means for the exit code.
fn close_list(args: &CheckArgs, list: &ListSummary, screen: &Screen) -> Status {
    let mut status = say_of_lists(args, &[list], screen);
    if list.undigested + list.refused > 0 {
        status |= Status::UNREADABLE;
    }
    if list.recorded_bad > 0 {
        screen.message(&recorded_bad_line(list.recorded_bad));
    }
    status
}

/// Prints the verdicts.
struct Verdicts<'a> {
    args: &'a CheckArgs,
    /// What names are relative to; empty: the current directory.
    start: PathBuf,
    output: Output,
    screen: Screen,
    status: Status,
}

impl Verdicts<'_> {
    /// Says what the audit has come to.
    fn event(&mut self, event: &Event<'_>) -> Taken {
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
        self.screen.messages(hint.map(|hint| format!("{}: {hint}", text::name(line.path))));
    }

    /// Sums up. Of an audit that was stopped nothing is said: what it did not come to is not missing.
    fn finish(mut self, screen: &Screen, audited: &Audited) -> (Status, anyhow::Result<()>) {
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
