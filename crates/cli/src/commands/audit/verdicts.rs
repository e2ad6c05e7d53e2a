//! The verdicts of an audit, and how they are said.

use std::borrow::Cow;
use std::io::Write as _;

use hashlane_audit::{Content, Counters, Verdict};
use hashlane_digest::Algorithm;
use hashlane_engine::Taken;
use hashlane_report::files::{LISTED, audit_json, audit_summary_json, by, push_name, unwritten};
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
            ReportFormat::Text => self.text(line),
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

    fn text(&self, line: &Finding<'_>) -> Vec<u8> {
        let mut text = Vec::new();
        push_name(&mut text, line.path);
        text.extend(b": ");
        text.extend(word(line).bytes());
        if let Some(reason) = line.verdict.reason() {
            text.extend(format!(" ({reason})").bytes());
        }
        if let Some(other) = line.other {
            text.extend(relation(line.verdict).bytes());
            push_name(&mut text, other);
        }
        text.push(b'\n');
        if let (true, Some(known), Some(seen)) =
            (self.verbose > 0 && !line.verdict.is_pass(), &line.known, &line.seen)
        {
            LISTED.push(&mut text, known.size.zip(seen.size), &known.digests, &seen.digests);
        }
        let is_elsewhere = matches!(line.verdict, Verdict::Moved | Verdict::Copied | Verdict::New);
        if let Some(seen) = line.seen.as_ref().filter(|_| self.verbose > 1 && is_elsewhere) {
            if let Some(size) = seen.size {
                text.extend(format!("    size read     {size}\n").bytes());
            }
            for digest in &seen.digests {
                text.extend(format!("    {} computed {digest}\n", digest.algorithm()).bytes());
            }
        }
        text
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
        let compared = [
            Verdict::Ok,
            Verdict::Changed,
            Verdict::Corrupt,
            Verdict::Moved,
            Verdict::Copied,
            Verdict::Collision,
        ];
        if compared.into_iter().all(|verdict| counters.of(verdict) == 0) {
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
            screen
                .message(&format!("audit {verdict}: {}", counted(counters, algorithms, audited.unsearched)));
        }
        if self.verbose > 1 {
            for (name, count) in all(counters, audited.unsearched) {
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

/// A verdict in the words of a line.
fn word(line: &Finding<'_>) -> Cow<'static, str> {
    let size = |content: &Option<Content>| content.as_ref().and_then(|content| content.size);
    let sizes = size(&line.known).zip(size(&line.seen));
    let word = match line.verdict {
        Verdict::Ok => "OK",
        Verdict::Changed => "CHANGED",
        Verdict::Corrupt if line.is_disputed => "CORRUPT (the store's checksum does not match either)",
        Verdict::Corrupt => return format!("CORRUPT ({})", unwritten(sizes, "than listed")).into(),
        Verdict::Moved => "MOVED",
        Verdict::Copied => "COPIED",
        Verdict::DuplicateLost => "DUPLICATE LOST",
        Verdict::New => "NEW",
        Verdict::Missing => "MISSING",
        Verdict::Unreadable => "UNREADABLE",
        Verdict::Collision if sizes.is_some_and(|(listed, read)| listed != read) => {
            "COLLISION (a digest is as listed, the size is not)"
        }
        Verdict::Collision => "COLLISION (one digest is as listed, another is not)",
        Verdict::SizeOnly => "SIZE ONLY (no digest to compare)",
        Verdict::Unverified => "UNVERIFIED (nothing to compare)",
        Verdict::Excluded => "EXCLUDED",
        Verdict::Unstable => "UNSTABLE",
        Verdict::Touched => "TOUCHED (only its time changed)",
        Verdict::Registered => "REGISTERED (no digest to compare)",
        Verdict::Ignored => "IGNORED",
        _ => "NOT CHECKED",
    };
    word.into()
}

/// What stands between a verdict and the other name.
fn relation(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Moved | Verdict::Copied => " from ",
        Verdict::DuplicateLost => ", its content is in ",
        Verdict::Collision => " with ",
        // At its place but for case.
        _ => ", listed as ",
    }
}

/// The counts in words: those of the inputs, and of the known files without one.
fn counted(counters: &Counters, algorithms: &[Algorithm], unsearched: u64) -> String {
    let all = Verdict::OF_LISTS.into_iter().map(|verdict| (verdict, counters.of(verdict)));
    let words = all.filter(|(verdict, count)| *count > 0 || *verdict == Verdict::Ok);
    let name = |verdict: Verdict| match verdict {
        Verdict::Ok => format!("OK{}", by(algorithms)),
        verdict => verdict.name().replace('-', " "),
    };
    let words: Vec<_> =
        words.map(|(verdict, count)| format!("{} {}", text::count(count), name(verdict))).collect();
    let inputs = text::counted(counters.inputs, "file");
    let mut line = format!("{}; {inputs} found, {} listed", words.join(", "), text::count(counters.knowns));
    match unsearched {
        0 => {}
        1 => line += "; 1 directory could not be searched",
        _ => line += &format!("; {} directories could not be searched", text::count(unsearched)),
    }
    line
}

/// All counters, with their names.
fn all(counters: &Counters, unsearched: u64) -> impl Iterator<Item = (String, u64)> {
    let files = [("files found", counters.inputs), ("files listed", counters.knowns)];
    let records = [
        ("files seen again under the same name", counters.seen_again),
        ("entries that repeat another one", counters.repeated),
        ("entries that add to another one", counters.merged),
        ("names whose entries contradict each other", counters.conflicting),
        ("entries that were not stored", counters.refused),
        ("directories that could not be searched", unsearched),
    ];
    let verdicts = Verdict::OF_LISTS.map(|verdict| (verdict.name().replace('-', " "), counters.of(verdict)));
    let named = |(name, count): (&str, u64)| (name.to_owned(), count);
    files.map(named).into_iter().chain(verdicts).chain(records.map(named))
}
