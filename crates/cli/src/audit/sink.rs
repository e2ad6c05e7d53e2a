//! Verdicts on what was read, and how they are said.

use std::borrow::Cow;
use std::io::{self, Write as _};
use std::ops::ControlFlow;

use hashlane_audit::{Audit, Content, Counters, Reading as Outcomes, Seen, Verdict};
use hashlane_digest::{Algorithm, Digest};
use hashlane_engine::{Excluded, Sink};
use hashlane_record::{ItemPath, Operation, Outcome, Record};
use serde_json::{Map, Value, json};

use super::pieces::of_record;
use super::{LISTED_AT_ONCE, Looks, Places, Wanted};
use crate::args::{CheckArgs, ReportFormat};
use crate::confined::Confined;
use crate::diff::failed;
use crate::normalization::{self, Spellings, composed, form};
use crate::output::Output;
use crate::report::{by, digests_json, insert_name, push_name};
use crate::screen::Screen;
use crate::status::Status;
use crate::text;

/// What a verdict means for the exit code.
fn status_of(verdict: Verdict) -> Status {
    let mut status = Status::OK;
    match verdict {
        Verdict::Ok | Verdict::Excluded | Verdict::Touched | Verdict::Registered | Verdict::Ignored => {}
        Verdict::New | Verdict::Copied => status |= Status::EXTRA,
        Verdict::Missing | Verdict::DuplicateLost => status |= Status::MISSING,
        Verdict::Moved => {
            status |= Status::EXTRA;
            status |= Status::MISSING;
        }
        Verdict::Changed | Verdict::Collision => status |= Status::MISMATCH,
        Verdict::Corrupt => status |= Status::CORRUPT,
        // Whatever else is not known to be well is in doubt.
        _ => status |= Status::UNREADABLE,
    }
    status
}

/// What is to be said of one file.
struct Line<'a> {
    path: &'a [u8],
    verdict: Verdict,
    other: Option<&'a [u8]>,
    known: Option<Content>,
    seen: Option<Content>,
}

/// Judges files and prints the verdicts.
pub(super) struct AuditSink {
    places: Places,
    wanted: Wanted,
    audit: Option<Audit>,
    output: Output,
    screen: Screen,
    pub(super) status: Status,
    /// With --normalize: what is listed.
    pub(super) spellings: Option<Spellings>,
    format: ReportFormat,
    silent: bool,
    quiet: bool,
    verbose: u8,
    ignore_missing: bool,
    /// Something is below the roots, be it excluded.
    pub(super) inhabited: bool,
    /// Directories that could not be looked into.
    unsearched: u64,
    /// The walk is over: names are those that are listed.
    by_listed_name: bool,
    /// Contents are compared by the digests of their pieces.
    pub(super) by_pieces: bool,
    /// What contents are compared by.
    pub(super) algorithms: Vec<Algorithm>,
    /// Whether listed names are spelled as those of the files are.
    spelled: bool,
    /// With --base.
    confined: Option<Confined>,
    broken: Option<io::Error>,
}

impl AuditSink {
    pub(super) fn new(
        args: &CheckArgs,
        places: Places,
        wanted: Wanted,
        audit: Audit,
        output: Output,
        screen: Screen,
    ) -> Self {
        Self {
            places,
            wanted,
            audit: Some(audit),
            output,
            screen,
            status: Status::OK,
            spellings: None,
            format: args.format,
            silent: args.status,
            quiet: args.quiet,
            verbose: args.verbose,
            ignore_missing: args.ignore_missing,
            inhabited: false,
            unsearched: 0,
            by_listed_name: false,
            by_pieces: false,
            algorithms: Vec::new(),
            spelled: !args.ignore_case,
            confined: args.base.as_deref().map(Confined::new),
            broken: None,
        }
    }

    /// Listed files that no walk came to and that are there nevertheless: a symbolic link is in their way, they lie elsewhere,
    /// or nobody can tell. At most [`LISTED_AT_ONCE`], from the one after `looked` on, which is moved along. None where case
    /// does not matter: the walk may have found them under another spelling. Those that are not wanted are left out.
    pub(super) fn present(&mut self, looked: &mut Vec<u8>) -> Vec<ItemPath> {
        self.by_listed_name = true;
        let Some(audit) = self.audit.as_ref().filter(|_| self.broken.is_none()) else { return Vec::new() };
        // Of an empty tree nothing is said.
        let is_empty = audit.counters().inputs == 0 && self.unsearched == 0 && !self.inhabited;
        if is_empty || !self.spelled && self.wanted.selection.is_everything() {
            return Vec::new();
        }
        loop {
            let Some(audit) = &mut self.audit else { return Vec::new() };
            let whereabouts =
                |name: &[u8]| self.wanted.whereabouts(name, &self.places.path(name), || audit.known(name));
            let looks = Looks::new(audit.unseen_after(looked), whereabouts, self.spelled, LISTED_AT_ONCE);
            for name in &looks.unwanted {
                audit.leave_out(name.as_bytes());
            }
            let Looks { present, special, last: Some(last), .. } = looks else { return Vec::new() };
            *looked = last;
            if special.iter().any(|name| self.special(name.as_bytes()).is_break()) {
                return Vec::new();
            }
            // Unwanted names alone are not the end of all.
            if !present.is_empty() {
                return present;
            }
        }
    }

    /// Says of a listed name that no file has it by now.
    fn special(&mut self, path: &[u8]) -> ControlFlow<()> {
        let Some(audit) = &mut self.audit else { return ControlFlow::Break(()) };
        self.screen.message(&format!(
            "{}: is a pipe, socket or device, which an audit does not read",
            text::name(path)
        ));
        let verdict = audit.see(Seen { path, size: None, modified: None, reading: Outcomes::Unreadable });
        let Some(verdict) = verdict else { return ControlFlow::Continue(()) };
        let known = audit.known(path);
        self.line(&Line { path, verdict, other: None, known, seen: None })
    }

    fn line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        if self.ignore_missing && line.verdict == Verdict::Missing {
            return ControlFlow::Continue(());
        }
        self.status |= status_of(line.verdict);
        self.hint(line);
        if self.silent || (self.quiet && matches!(line.verdict, Verdict::Ok | Verdict::Excluded)) {
            return ControlFlow::Continue(());
        }
        let text = match self.format {
            ReportFormat::Text => self.text(line),
            ReportFormat::Json => self.json(line),
        };
        match self.output.write_all(&text) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.broken = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Says of names that look the same why they are not.
    fn hint(&self, line: &Line<'_>) {
        let hint = match (line.verdict, line.other) {
            (Verdict::Missing, _) => normalization::hint(self.places.start(), line.path),
            (Verdict::Moved, Some(other))
                if composed(line.path).is_some_and(|one| Some(one) == composed(other)) =>
            {
                Some(format!(
                    "is in {}, and the listed name, which is the same otherwise, is in {}; --normalize takes one for the other",
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

    fn text(&self, line: &Line<'_>) -> Vec<u8> {
        let mut text = Vec::new();
        push_name(&mut text, line.path);
        text.extend(b": ");
        text.extend(word(line.verdict).bytes());
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
            if let (Some(listed), Some(read)) = (known.size, seen.size)
                && listed != read
            {
                text.extend(format!("    size listed   {listed}\n    size read     {read}\n").bytes());
            }
            for listed in &known.digests {
                let algorithm = listed.algorithm();
                let computed = seen.digests.iter().find(|digest| digest.algorithm() == algorithm);
                if let Some(computed) = computed.filter(|computed| *computed != listed) {
                    text.extend(format!("    {algorithm} listed   {listed}\n").bytes());
                    text.extend(format!("    {algorithm} computed {computed}\n").bytes());
                }
            }
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

    fn json(&self, line: &Line<'_>) -> Vec<u8> {
        let mut object = Map::new();
        object.insert("schema".into(), "hashlane-audit".into());
        object.insert("version".into(), 1.into());
        insert_name(&mut object, "path", line.path);
        object.insert("verdict".into(), line.verdict.name().into());
        if let Some(reason) = line.verdict.reason() {
            object.insert("reason".into(), reason.name().into());
        }
        if let Some(other) = line.other {
            insert_name(&mut object, "other", other);
        }
        for (prefix, content) in [("listed", &line.known), ("seen", &line.seen)] {
            let Some(content) = content else { continue };
            object.insert(prefix.into(), digests_json(&content.digests).into());
            if let Some(size) = content.size {
                object.insert(format!("{prefix}_size_bytes"), size.into());
            }
        }
        let mut text = Value::Object(object).to_string().into_bytes();
        text.push(b'\n');
        text
    }

    /// Gives the verdicts that wait for the end, and sums up. Of a run that was stopped there are none: what it did not come to is
    /// not missing.
    pub(super) fn finish(
        mut self,
        screen: &Screen,
        complete: bool,
        roots: &[ItemPath],
    ) -> (Status, anyhow::Result<()>) {
        let Some(audit) = self.audit.take() else { return (self.status, Ok(())) };
        let is_empty = audit.counters().inputs == 0 && self.unsearched == 0 && !self.inhabited;
        if complete && is_empty && self.broken.is_none() {
            let names: Vec<_> = roots.iter().map(|root| text::name(root.as_bytes())).collect();
            screen.message(&format!(
                "no file is below {}: nothing is called missing, for all may lie elsewhere; say where with --root or --base",
                names.join(", ")
            ));
            self.status |= Status::UNREADABLE;
            return (self.status, self.output.finish());
        }
        if !complete && self.broken.is_none() {
            return (self.status, self.output.leave(screen));
        }
        let findings = match audit.finish() {
            Ok(findings) => findings,
            Err(error) => return (self.status, Err(failed(error))),
        };
        if complete && self.broken.is_none() {
            let visited = findings.visit(|finding| {
                let line = Line {
                    path: finding.path,
                    verdict: finding.verdict,
                    other: finding.other,
                    known: finding.known.filter(|_| !self.by_pieces),
                    seen: finding.seen.filter(|_| !self.by_pieces),
                };
                self.line(&line)
            });
            if let Err(error) = visited {
                return (self.status, Err(failed(error)));
            }
        }
        if let Some(error) = self.broken {
            let place = self.output.place();
            return (self.status, Err(place.failed(&error)));
        }
        let counters = findings.counters();
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
            self.algorithms.clear();
            self.status |= Status::UNREADABLE;
        }
        let passed = self.status == Status::OK;
        let elsewhere = [Verdict::Missing, Verdict::Moved, Verdict::DuplicateLost];
        let judged = counters.knowns - counters.of(Verdict::Excluded);
        let lost = elsewhere.into_iter().map(|verdict| counters.of_knowns(verdict)).sum::<u64>();
        if lost == judged && lost > 0 {
            screen.message(
                "no file has a listed name: if the tree has another place by now, say so with --base or --strip-prefix",
            );
        }
        if !self.quiet || !passed {
            let verdict = if passed { "passed" } else { "failed" };
            screen.message(&format!("audit {verdict}: {}", counted(counters, &self.algorithms)));
        }
        if self.verbose > 1 {
            for (name, count) in all(counters) {
                screen.message(&format!("{name}: {}", text::count(count)));
            }
        }
        if self.format == ReportFormat::Json && !self.silent {
            let line = summary(counters, &self.algorithms, passed);
            if let Err(error) = writeln!(self.output, "{line}") {
                let place = self.output.place();
                return (self.status, Err(place.failed(&error)));
            }
        }
        (self.status, self.output.finish())
    }
}

impl Sink for AuditSink {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        let Some(audit) = &mut self.audit else { return ControlFlow::Break(()) };
        let problem = match record.outcome {
            Outcome::Read => None,
            Outcome::Unstable(what) => Some(Cow::from(what.to_string())),
            Outcome::Failed(failure) => {
                let confined = self.confined.as_ref();
                let problem = confined.and_then(|confined| confined.problem(&record.path, failure));
                Some(problem.unwrap_or_else(|| failure.to_string().into()))
            }
        };
        if let Some(problem) = problem {
            let name = self.places.below(record.path.as_bytes().to_vec());
            self.screen.message(&format!("{}: {problem}", text::name(&name)));
            if matches!(record.outcome, Outcome::Failed(failure) if failure.operation == Operation::List) {
                self.unsearched += 1;
                self.status |= Status::UNREADABLE;
                return ControlFlow::Continue(());
            }
        }
        let path = match self.by_listed_name {
            true => record.path.as_bytes().to_vec(),
            false => self.places.of_found(record.path.as_bytes()),
        };
        let listed = self.spellings.as_ref().filter(|_| audit.known(&path).is_none());
        let listed = listed.and_then(|spellings| spellings.listed(self.places.start(), &path));
        let path = match listed {
            Some(listed) => listed.to_vec(),
            None => path,
        };
        let digests = if self.by_pieces { of_record(&record) } else { record.digests };
        let reading = match record.outcome {
            Outcome::Read => Outcomes::Read(&digests),
            Outcome::Unstable(_) => Outcomes::Unstable,
            Outcome::Failed(_) => Outcomes::Unreadable,
        };
        let size = matches!(record.outcome, Outcome::Read).then_some(record.digested_bytes);
        let modified = record.facts.map(|facts| facts.modified);
        let Some(verdict) = audit.see(Seen { path: &path, size, modified, reading }) else {
            return ControlFlow::Continue(());
        };
        // Only what is shown: of millions of files that are as they were nothing is looked up.
        // What stands for pieces is no digest of a file.
        let wants_content = !self.by_pieces && (!verdict.is_pass() || self.format == ReportFormat::Json);
        let known = if wants_content { audit.known(&path) } else { None };
        let seen = content(&digests, size).filter(|_| wants_content);
        self.line(&Line { path: &path, verdict, other: None, known, seen })
    }

    fn excluded(&mut self, excluded: Excluded) -> ControlFlow<()> {
        let path = match self.by_listed_name {
            true => excluded.path.as_bytes().to_vec(),
            false => self.places.of_found(excluded.path.as_bytes()),
        };
        self.inhabited = true;
        if let Some(audit) = &mut self.audit {
            audit.leave_out(&path);
        }
        ControlFlow::Continue(())
    }
}

fn content(digests: &[Digest], size: Option<u64>) -> Option<Content> {
    (!digests.is_empty()).then(|| Content { size, modified: None, digests: digests.to_vec() })
}

/// A verdict in the words of a line.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "OK",
        Verdict::Changed => "CHANGED",
        Verdict::Corrupt => "CORRUPT (size and time are as listed)",
        Verdict::Moved => "MOVED",
        Verdict::Copied => "COPIED",
        Verdict::DuplicateLost => "DUPLICATE LOST",
        Verdict::New => "NEW",
        Verdict::Missing => "MISSING",
        Verdict::Unreadable => "UNREADABLE",
        Verdict::Collision => "COLLISION (one digest or the size is as listed, another is not)",
        Verdict::SizeOnly => "SIZE ONLY (no digest to compare)",
        Verdict::Unverified => "UNVERIFIED (nothing to compare)",
        Verdict::Excluded => "EXCLUDED",
        Verdict::Unstable => "UNSTABLE",
        Verdict::Touched => "TOUCHED (only its time has changed)",
        Verdict::Registered => "REGISTERED (there was no digest to compare)",
        Verdict::Ignored => "IGNORED",
        _ => "NOT CHECKED",
    }
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
fn counted(counters: &Counters, algorithms: &[Algorithm]) -> String {
    let all = Verdict::ALL.into_iter().map(|verdict| (verdict, counters.of(verdict)));
    let words = all.filter(|(verdict, count)| *count > 0 || *verdict == Verdict::Ok);
    let name = |verdict: Verdict| match verdict {
        Verdict::Ok => format!("OK{}", by(algorithms)),
        verdict => verdict.name().replace('-', " "),
    };
    let words: Vec<_> =
        words.map(|(verdict, count)| format!("{} {}", text::count(count), name(verdict))).collect();
    let inputs = text::counted(counters.inputs, "file");
    format!("{}; {inputs} there, {} listed", words.join(", "), text::count(counters.knowns))
}

/// All counters, with their names.
fn all(counters: &Counters) -> impl Iterator<Item = (String, u64)> {
    let files = [("files there", counters.inputs), ("files listed", counters.knowns)];
    let records = [
        ("files seen again under the same name", counters.seen_again),
        ("entries that repeat another", counters.repeated),
        ("entries that add to another", counters.merged),
        ("entries that contradict another", counters.conflicting),
        ("entries without room", counters.refused),
    ];
    let verdicts = Verdict::ALL.map(|verdict| (verdict.name().replace('-', " "), counters.of(verdict)));
    let named = |(name, count): (&str, u64)| (name.to_owned(), count);
    files.map(named).into_iter().chain(verdicts).chain(records.map(named))
}

fn summary(counters: &Counters, algorithms: &[Algorithm], passed: bool) -> Value {
    let algorithms: Vec<_> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
    let counts: Map<String, Value> = Verdict::ALL
        .into_iter()
        .map(|verdict| (verdict.name().into(), counters.of(verdict).into()))
        .collect();
    json!({
        "schema": "hashlane-audit",
        "version": 1,
        "summary": counts,
        "algorithms": algorithms,
        "inputs": counters.inputs,
        "known": counters.knowns,
        "conflicting": counters.conflicting,
        "passed": passed,
    })
}
