//! `hashlane check --audit`: what became of the files that manifests list, and of those that they do not.

mod pieces;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_audit::{
    Audit, Content, Counters, Known, KnownFile, Options, Reading as Outcomes, Seen, Verdict,
};
use hashlane_digest::Digest;
use hashlane_engine::{AlgorithmSet, Control, Excluded, Input, Sink, Stop, Summary};
use hashlane_manifest::{LineProblem, ProblemKind};
use hashlane_record::{ItemPath, Operation, Outcome, Record};
use serde_json::{Map, Value, json};

use crate::args::{CheckArgs, ReportFormat};
use crate::calibration::Backends;
use crate::check::{identity, open_base};
use crate::confined::Confined;
use crate::device_profile::Reading;
use crate::extras::{here, normal};
use crate::inputs::options;
use crate::manifests::{self, Items, STDIN};
use crate::output::{Output, refuse_input, shown};
use crate::progress::{Count, Progress};
use crate::report::{digests_json, insert_name, push_name};
use crate::screen::Screen;
use crate::selection::{Roots, Selection, devices, lies_within};
use crate::signals::{Interrupted, die_by};
use crate::status::{Ended, Status};
use crate::sum::{passed_over, stopped_line, summary_line};
use crate::text;

use pieces::{Kind, of_record};

/// How many listed files are looked for at once.
const LISTED_AT_ONCE: usize = 1 << 16;

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    if args.manifests.iter().filter(|name| *name == STDIN).count() > 1 {
        return Err(Ended::usage("`-` is named twice; standard input can be read once only"));
    }
    let places = Places::new(args);
    let selection = Selection::of_check(args)?;
    let screen = Screen::plain().silenced(args.status);
    let mut listed = Listed::new(args);
    for name in manifests::names(args) {
        listed.read(&name, args, &places, &screen)?;
    }
    let Listed { known, status, roots, kind, .. } = listed;
    if known.is_empty() {
        screen.message("no file is listed; there is nothing to audit");
        let mut failed = status;
        failed |= Status::UNREADABLE;
        return Ok(failed);
    }
    let roots = places.roots(args, roots)?;

    refuse_input(args.output.as_deref(), args.manifests.iter().map(|name| name.as_os_str()))?;
    let control = Arc::new(Control::new());
    let counter: Count = Box::new(|_| {});
    let progress = Progress::start(args.reading.progress, &control, counter);
    let screen = progress.screen().clone().silenced(args.status);
    let output = Output::open(args.output.as_deref(), &screen)?;
    let algorithms: AlgorithmSet = known.algorithms().into();
    let reading = Reading::suiting(
        &args.reading,
        &args.backends.cache,
        roots.iter().map(|root| root.as_path().as_os_str()),
    );
    let backends = Backends::of(&args.backends);
    let walk = selection.walk.clone();
    let mut options =
        options(Arc::clone(&algorithms), &args.reading, reading.profile, backends.choice(), walk);
    options.division = kind.division();
    options.excluded = output.identities();
    options.excluded.extend(manifests::names(args).iter().filter_map(|name| identity(name)));
    let interrupted = Interrupted::watch(&control, &screen, Stop::Drained)?;
    let base = args.base.as_deref().map(open_base).transpose()?;
    let wanted = Wanted::new(selection, args, &roots);
    let mut sink = AuditSink::new(args, places, wanted, Audit::new(known), output, screen);
    sink.by_pieces = options.division.is_some();
    let inputs = roots.iter().cloned().map(Input::Path).collect::<Vec<_>>().into_iter();
    let mut run = hashlane_engine::run(options.clone(), inputs, &mut sink, &control);
    let mut looked = Vec::new();
    while let Ok(summary) = &mut run
        && summary.stopped.is_none()
    {
        sink.inhabited |= summary.skipped.excluded > 0;
        let names = sink.present(&mut looked);
        if names.is_empty() {
            break;
        }
        let inputs: Vec<_> = names
            .into_iter()
            .map(|path| Input::File {
                path,
                base: base.clone(),
                algorithms: Arc::clone(&algorithms),
                division: options.division,
                tag: [].into(),
            })
            .collect();
        match hashlane_engine::run(options.clone(), inputs.into_iter(), &mut sink, &control) {
            Ok(more) => add(summary, more),
            Err(error) => run = Err(error),
        }
    }

    drop(progress);
    let screen = Screen::plain().silenced(args.status);
    let complete = run.as_ref().is_ok_and(|summary| summary.stopped.is_none());
    sink.status |= status;
    let (status, done) = sink.finish(&screen, complete, &roots);
    let summary = run?;
    if let Some(signal) = interrupted.signal() {
        screen.message(&stopped_line(&summary, &control));
        die_by(signal);
    }
    done?;
    if let Some(line) = passed_over(&summary.skipped) {
        screen.message(&line);
    }
    if let Some(line) = reading.line() {
        screen.message(line);
    }
    screen.message(&summary_line(&summary));
    backends.learn(&summary.digested_by);
    Ok(status)
}

/// Adds what a further run has done.
fn add(summary: &mut Summary, more: Summary) {
    summary.files += more.files;
    summary.unstable += more.unstable;
    summary.failed += more.failed;
    summary.digested_bytes += more.digested_bytes;
    for (algorithm, bytes) in more.digested_by {
        match summary.digested_by.iter_mut().find(|(known, _)| *known == algorithm) {
            Some((_, sum)) => *sum += bytes,
            None => summary.digested_by.push((algorithm, bytes)),
        }
    }
    summary.origin += more.origin;
    summary.skipped.excluded += more.skipped.excluded;
    summary.stopped = more.stopped;
    summary.dropped += more.dropped;
    summary.elapsed += more.elapsed;
    summary.lanes.bytes += more.lanes.bytes;
    summary.lanes.room_bytes += more.lanes.room_bytes;
}

/// Where names lie: those that are listed, and those that are found.
struct Places {
    /// The directory that names are relative to, if one was named; it is the root as well.
    base: Option<ItemPath>,
    /// The current directory; empty with a base, and where nobody knows it.
    here: Vec<u8>,
    /// What is taken off listed names, with a slash at its end.
    prefix: Option<Vec<u8>>,
}

impl Places {
    fn new(args: &CheckArgs) -> Self {
        let base = args.base.as_ref().map(|base| ItemPath::from(base.as_os_str().as_bytes()));
        let here = match base {
            Some(_) => Vec::new(),
            None => here(),
        };
        let prefix = args.strip_prefix.as_ref().map(|prefix| {
            let bare = prefix.as_bytes().trim_ascii_end();
            let bare = bare.strip_suffix(b"/").unwrap_or(bare);
            [bare, b"/"].concat()
        });
        Self { base, here, prefix }
    }

    /// What a listed name is compared by.
    fn of_listed(&self, name: &[u8]) -> Vec<u8> {
        let stripped = self.prefix.as_ref().and_then(|prefix| name.strip_prefix(prefix.as_slice()));
        self.below(normal(&self.here, stripped.unwrap_or(name)))
    }

    /// What the name of a file that was found is compared by.
    fn of_found(&self, name: &[u8]) -> Vec<u8> {
        match &self.base {
            Some(base) => {
                let below = name.strip_prefix(base.as_bytes()).unwrap_or(name);
                let start = below.iter().position(|&byte| byte != b'/').unwrap_or(below.len());
                normal(b"", &below[start..])
            }
            None => self.below(normal(&self.here, name)),
        }
    }

    /// Where a listed file lies, or would lie.
    fn path(&self, name: &[u8]) -> PathBuf {
        match &self.base {
            Some(base) => base.as_path().join(OsStr::from_bytes(name)),
            None => PathBuf::from(OsStr::from_bytes(name)),
        }
    }

    /// A name without the current directory, where it lies below it: it is what is shown, and kept for every file.
    fn below(&self, mut name: Vec<u8>) -> Vec<u8> {
        let rest = name.strip_prefix(self.here.as_slice()).and_then(|rest| rest.strip_prefix(b"/"));
        if let Some(rest) = rest.filter(|_| !self.here.is_empty()) {
            name.drain(..name.len() - rest.len());
        }
        name
    }

    /// Where to look: all of it has to be there, for what is not mounted is not lost.
    fn roots(&self, args: &CheckArgs, of_manifests: Vec<ItemPath>) -> anyhow::Result<Vec<ItemPath>> {
        let roots: Vec<ItemPath> = match &self.base {
            Some(base) => vec![base.clone()],
            None if !args.root.is_empty() => {
                args.root.iter().map(|root| ItemPath::from(root.as_os_str().as_bytes())).collect()
            }
            None if !of_manifests.is_empty() => of_manifests,
            None => vec![ItemPath::from(".")],
        };
        for root in &roots {
            if let Err(error) = std::fs::metadata(root.as_path()) {
                return Err(Ended::unreadable(format!(
                    "{}: {}; nothing was audited: say where the files are with --root or --base",
                    shown(root.as_path()),
                    text::system(&error)
                )));
            }
        }
        Ok(roots)
    }
}

/// What the manifests list.
struct Listed {
    known: Known,
    status: Status,
    roots: Vec<ItemPath>,
    kind: Kind,
}

impl Listed {
    fn new(args: &CheckArgs) -> Self {
        let options = Options { fold_case: args.ignore_case, ..Options::default() };
        Self { known: Known::new(options), status: Status::OK, roots: Vec::new(), kind: Kind::default() }
    }

    /// Takes in a manifest. One that cannot be opened, or not to its end, ends the audit: its files would be new.
    fn read(
        &mut self,
        name: &OsStr,
        args: &CheckArgs,
        places: &Places,
        screen: &Screen,
    ) -> anyhow::Result<()> {
        let mut items = Items::open(name, args)?;
        let manifest = manifests::shown(name);
        let (mut malformed, mut undigested, mut recorded_bad) = (0, 0, 0);
        for item in items.by_ref() {
            let item = match item {
                Ok(item) => item,
                Err(LineProblem { kind: ProblemKind::Input(error), line, .. }) => {
                    let text = text::system(&error);
                    return Err(Ended::unreadable(format!("{manifest}: {text} (reading line {line})")));
                }
                Err(problem) => {
                    malformed += 1;
                    undigested += u64::from(problem.is_entry());
                    if args.warn {
                        screen.message(&format!("{manifest}: {problem}"));
                    }
                    continue;
                }
            };
            recorded_bad += u64::from(item.outcome.is_some_and(|outcome| outcome != Outcome::Read));
            let (digests, size) = match item.outcome {
                None | Some(Outcome::Read) => self.kind.content(&item).map_err(|problem| {
                    let name = text::name(item.path.as_bytes());
                    Ended::usage(format!("{manifest}: line {}: {name} {problem}", item.line))
                })?,
                Some(_) => (Vec::new(), item.size),
            };
            let path = places.of_listed(item.path.as_bytes());
            let file = KnownFile { path: &path, size, modified: item.modified, digests: &digests };
            if let Err(error) = self.known.add(file) {
                let name = text::name(item.path.as_bytes());
                screen.message(&format!("{manifest}: line {}: {name} {error}", item.line));
                self.status |= Status::UNREADABLE;
            }
        }
        self.roots.extend_from_slice(items.header_roots());
        if malformed > 0 {
            let hint = if args.warn { "" } else { "; --warn shows which" };
            screen.message(&format!(
                "{manifest}: {} cannot be understood{hint}",
                text::counted(malformed, "line")
            ));
            if args.strict || undigested > 0 {
                self.status |= Status::UNREADABLE;
            }
        }
        if recorded_bad > 0 {
            let items = text::counted(recorded_bad, "listed file");
            screen
                .message(&format!("{items} without a digest to verify: recorded as unreadable or unstable"));
        }
        Ok(())
    }
}

/// What became of a listed file that no walk came to.
enum Whereabouts {
    /// It is there, or may be: what is in the way of saying so is found out by reading it.
    There,
    Gone,
    /// It is not wanted, whether it is there or not.
    Excluded,
}

/// Which of the listed files are wanted.
struct Wanted {
    selection: Selection,
    /// The roots of the walk; none where one alone is what names are relative to.
    roots: Roots,
    /// The devices that they lie on.
    devices: BTreeSet<u64>,
}

impl Wanted {
    fn new(selection: Selection, args: &CheckArgs, roots: &[ItemPath]) -> Self {
        let devices = devices(roots);
        let roots = selection.roots(if args.base.is_some() { &[] } else { roots });
        Self { selection, roots, devices }
    }

    fn whereabouts(&self, name: &[u8], path: &Path, known: impl FnOnce() -> Option<Content>) -> Whereabouts {
        let Self { selection, roots, devices } = self;
        if !selection.takes_name(name, roots) || selection.is_elsewhere(path, devices) {
            return Whereabouts::Excluded;
        }
        match std::fs::metadata(path) {
            Ok(facts) if !lies_within(selection.bounds(), &facts) => Whereabouts::Excluded,
            Ok(facts) if facts.is_file() => Whereabouts::There,
            Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Whereabouts::There
            }
            _ if selection.bounds().are_open() => Whereabouts::Gone,
            // Of a file that is gone, what is listed says whether it was wanted.
            _ => match known() {
                Some(known) if !selection.takes_listed(known.size, known.modified) => Whereabouts::Excluded,
                _ => Whereabouts::Gone,
            },
        }
    }
}

/// A share of the listed files that no walk came to.
#[derive(Debug, Default, PartialEq)]
struct Looks {
    present: Vec<ItemPath>,
    unwanted: Vec<ItemPath>,
    /// The last that was looked for; nothing if no name was left.
    last: Option<Vec<u8>>,
}

impl Looks {
    /// Looks for files until `most` names are kept, of which those present are kept only if they are `spelled` as listed.
    fn new<'a>(
        names: impl Iterator<Item = &'a [u8]>,
        whereabouts: impl Fn(&[u8]) -> Whereabouts,
        spelled: bool,
        most: usize,
    ) -> Self {
        let (mut looks, mut last) = (Self::default(), None);
        for name in names {
            last = Some(name);
            match whereabouts(name) {
                Whereabouts::There if spelled => looks.present.push(ItemPath::from(name)),
                Whereabouts::There | Whereabouts::Gone => continue,
                Whereabouts::Excluded => looks.unwanted.push(ItemPath::from(name)),
            }
            if looks.present.len() + looks.unwanted.len() >= most {
                break;
            }
        }
        looks.last = last.map(<[u8]>::to_vec);
        looks
    }
}

/// What a verdict means for the exit code.
fn status_of(verdict: Verdict) -> Status {
    let mut status = Status::OK;
    match verdict {
        Verdict::Ok | Verdict::Excluded => {}
        Verdict::New | Verdict::Copied => status |= Status::EXTRA,
        Verdict::Missing | Verdict::DuplicateLost => status |= Status::MISSING,
        Verdict::Moved => {
            status |= Status::EXTRA;
            status |= Status::MISSING;
        }
        Verdict::Changed | Verdict::Collision => status |= Status::MISMATCH,
        Verdict::Corrupt => status |= Status::CORRUPT,
        Verdict::Unreadable | Verdict::SizeOnly | Verdict::Unverified => status |= Status::UNREADABLE,
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
struct AuditSink {
    places: Places,
    wanted: Wanted,
    audit: Option<Audit>,
    output: Output,
    screen: Screen,
    status: Status,
    format: ReportFormat,
    silent: bool,
    quiet: bool,
    verbose: u8,
    ignore_missing: bool,
    /// Something is below the roots, be it excluded.
    inhabited: bool,
    /// Directories that could not be looked into.
    unsearched: u64,
    /// The walk is over: names are those that are listed.
    by_listed_name: bool,
    /// Contents are compared by the digests of their pieces.
    by_pieces: bool,
    /// Whether listed names are spelled as those of the files are.
    spelled: bool,
    /// With --base.
    confined: Option<Confined>,
    broken: Option<io::Error>,
}

impl AuditSink {
    fn new(
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
            format: args.format,
            silent: args.status,
            quiet: args.quiet,
            verbose: args.verbose,
            ignore_missing: args.ignore_missing,
            inhabited: false,
            unsearched: 0,
            by_listed_name: false,
            by_pieces: false,
            spelled: !args.ignore_case,
            confined: args.base.as_deref().map(Confined::new),
            broken: None,
        }
    }

    /// Listed files that no walk came to and that are there nevertheless: a symbolic link is in their way, they lie elsewhere,
    /// or nobody can tell. At most [`LISTED_AT_ONCE`], from the one after `looked` on, which is moved along. None where case
    /// does not matter: the walk may have found them under another spelling. Those that are not wanted are left out.
    fn present(&mut self, looked: &mut Vec<u8>) -> Vec<ItemPath> {
        self.by_listed_name = true;
        let Some(audit) = self.audit.as_mut().filter(|_| self.broken.is_none()) else { return Vec::new() };
        // Of an empty tree nothing is said.
        let is_empty = audit.counters().inputs == 0 && self.unsearched == 0 && !self.inhabited;
        if is_empty || !self.spelled && self.wanted.selection.is_everything() {
            return Vec::new();
        }
        loop {
            let whereabouts =
                |name: &[u8]| self.wanted.whereabouts(name, &self.places.path(name), || audit.known(name));
            let looks = Looks::new(audit.unseen_after(looked), whereabouts, self.spelled, LISTED_AT_ONCE);
            for name in &looks.unwanted {
                audit.leave_out(name.as_bytes());
            }
            let Looks { present, last: Some(last), .. } = looks else { return Vec::new() };
            *looked = last;
            // Unwanted names alone are not the end of all.
            if !present.is_empty() {
                return present;
            }
        }
    }

    fn line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        if self.ignore_missing && line.verdict == Verdict::Missing {
            return ControlFlow::Continue(());
        }
        self.status |= status_of(line.verdict);
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

    fn text(&self, line: &Line<'_>) -> Vec<u8> {
        let mut text = Vec::new();
        push_name(&mut text, line.path);
        text.extend(b": ");
        text.extend(word(line.verdict).bytes());
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
    fn finish(mut self, screen: &Screen, complete: bool, roots: &[ItemPath]) -> (Status, anyhow::Result<()>) {
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
        let findings = audit.finish();
        if complete && self.broken.is_none() {
            for finding in findings.iter() {
                let line = Line {
                    path: finding.path,
                    verdict: finding.verdict,
                    other: finding.other,
                    known: finding.known.filter(|_| !self.by_pieces),
                    seen: finding.seen.filter(|_| !self.by_pieces),
                };
                if self.line(&line).is_break() {
                    break;
                }
            }
        }
        if let Some(error) = self.broken {
            let place = self.output.place();
            return (self.status, Err(place.failed(&error)));
        }
        if !complete {
            return (self.status, self.output.leave(screen));
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
        screen.message(&format!("audit {}: {}", if passed { "passed" } else { "failed" }, counted(counters)));
        if self.verbose > 1 {
            for (name, count) in all(counters) {
                screen.message(&format!("{name}: {}", text::count(count)));
            }
        }
        if self.format == ReportFormat::Json && !self.silent {
            let line = summary(counters, passed);
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
        let digests = if self.by_pieces { of_record(&record) } else { record.digests };
        let reading = match record.outcome {
            Outcome::Read => Outcomes::Read(&digests),
            _ => Outcomes::Unreadable,
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
fn counted(counters: &Counters) -> String {
    let all = Verdict::ALL.into_iter().map(|verdict| (verdict, counters.of(verdict)));
    let words = all.filter(|(verdict, count)| *count > 0 || *verdict == Verdict::Ok);
    let name = |verdict: Verdict| match verdict {
        Verdict::Ok => "OK".to_owned(),
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

fn summary(counters: &Counters, passed: bool) -> Value {
    let counts: Map<String, Value> = Verdict::ALL
        .into_iter()
        .map(|verdict| (verdict.name().into(), counters.of(verdict).into()))
        .collect();
    json!({
        "schema": "hashlane-audit",
        "version": 1,
        "summary": counts,
        "inputs": counters.inputs,
        "known": counters.knowns,
        "conflicting": counters.conflicting,
        "passed": passed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unwanted_names_are_looked_for_in_shares_too() {
        let names = ["a", "b", "c", "d", "e"].map(str::as_bytes);
        let whereabouts = |name: &[u8]| match name {
            b"a" => Whereabouts::Gone,
            b"d" => Whereabouts::There,
            _ => Whereabouts::Excluded,
        };
        let looks = |start: usize, spelled| {
            let looks = Looks::new(names[start..].iter().copied(), whereabouts, spelled, 2);
            let shown =
                |paths: &[ItemPath]| paths.iter().map(|path| path.as_bytes().to_vec()).collect::<Vec<_>>();
            (shown(&looks.present).concat(), shown(&looks.unwanted).concat(), looks.last)
        };
        assert_eq!(looks(0, true), (b"".to_vec(), b"bc".to_vec(), Some(b"c".to_vec())));
        assert_eq!(looks(3, true), (b"d".to_vec(), b"e".to_vec(), Some(b"e".to_vec())));
        assert_eq!(looks(3, false), (b"".to_vec(), b"e".to_vec(), Some(b"e".to_vec())));
        assert_eq!(looks(5, true), (b"".to_vec(), b"".to_vec(), None));
    }
}
