//! `hashlane check`: do files still have the digests that a manifest lists?

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hashlane_digest::Algorithm;
use hashlane_engine::{Bounds, Control, Excluded, Sink, Skipped, Stop, Summary, WalkOptions};
use hashlane_io::{Directory, StandardInput};
use hashlane_manifest::piece_of_name;
use hashlane_record::{ItemPath, Outcome, Record};

use crate::args::CheckArgs;
use crate::audit;
use crate::calibration::Backends;
use crate::confined::Confined;
use crate::device_profile::Reading;
use crate::expected::{Differing, Expected};
use crate::extras::{self, Extra, Known};
use crate::inputs::{options, refuse_engine};
use crate::listed::{Listed, Seen, lock};
use crate::manifests::{self, Items, STDIN};
use crate::normalization;
use crate::output::{Output, refuse_input, shown};
use crate::progress::{Count, Progress};
use crate::report::{Line, Report, Verdict};
use crate::screen::Screen;
use crate::selection::{Roots, Selection};
use crate::signals::{Interrupted, die_by};
use crate::status::{Ended, Status};
use crate::sum::{passed_over, stopped_line, summary_line};
use crate::text;

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    refuse_engine(&args.reading)?;
    if !args.root.is_empty() && !args.complete && !args.audit {
        return Err(Ended::usage("--root: says where to look for files; it goes with --complete or --audit"));
    }
    if args.audit {
        return audit::run(args);
    }
    let selection = Selection::of_check(args)?;
    let control = Arc::new(Control::new());
    let typed = StandardInput.is_terminal() && manifests::names(args).iter().any(|name| name == STDIN);
    let mode = Progress::beside_typing(args.reading.progress, typed);
    let progress = Progress::start(mode, &control, counter(args, &selection));
    let screen = progress.screen().clone().silenced(args.status);

    let base = args.base.as_deref().map(open_base).transpose()?;
    if args.manifests.iter().filter(|name| *name == STDIN).count() > 1 {
        return Err(Ended::usage("`-` is named twice; standard input can be read once only"));
    }
    let roots = named_roots(args)?;
    let seen = Arc::new(Mutex::new(Seen::new(args.complete, base.is_none())));
    let mut listed = Listed::new(args, selection.clone(), base, Arc::clone(&seen), screen.clone());
    // Before the output is made: where there is nothing to check there is nothing to report.
    if !listed.open_next() {
        return Ok(lock(&seen).status);
    }

    refuse_input(args.output.as_deref(), args.manifests.iter().map(|name| name.as_os_str()))?;
    let output = Output::open(args.output.as_deref(), &screen)?;
    let written = output.identities();
    let place = args.base.as_deref().map_or(OsStr::new("."), Path::as_os_str);
    let reading = Reading::suiting(&args.reading, &args.backends.cache, std::iter::once(place));
    let backends = Backends::of(&args.backends);
    let walk = selection.walk;
    let options = options(Arc::new([]), &args.reading, reading.profile, backends.choice(), walk.clone());
    let interrupted = Interrupted::watch(&control, &screen, Stop::Drained)?;
    let mut sink = VerdictSink::new(args, *walk.filter.bounds(), output, screen.clone());
    let run = hashlane_engine::run(options, listed, &mut sink, &control);

    let mut seen = std::mem::take(&mut *lock(&seen));
    sink.stdin_again(seen.stdin_again);
    let mut searched = Ok(());
    if args.complete && run.is_ok() && control.stopped().is_none() && !sink.stopped {
        if seen.status != Status::OK || !seen.broken_off.is_empty() {
            screen.message("files that are not listed were not looked for: not all manifests could be read");
        } else {
            let roots = match &args.base {
                _ if !roots.is_empty() => roots,
                // Rather all of the base than less than what the lists are of.
                Some(_) if !are_of_all(&seen, args) => Vec::new(),
                _ => std::mem::take(&mut seen.roots),
            };
            let identities: Vec<_> =
                manifests::names(args).iter().filter_map(|name| identity(name)).chain(written).collect();
            searched = sink.extras(args, &roots, &walk, &mut seen.known, &identities, &control);
        }
    }
    drop(progress);
    let screen = Screen::plain().silenced(args.status);
    let mut status = seen.status;
    status |= sink.status;
    if let Ok(summary) = &run {
        status |= judge(args, &seen, &sink, summary, &reading, &screen);
    }
    let interrupted = interrupted.signal();
    let done = sink.report.finish(&screen, run.is_err() || interrupted.is_some(), sink.stopped);
    let summary = run?;
    if let Some(signal) = interrupted {
        screen.message(&stopped_line(&summary, &control));
        die_by(signal);
    }
    done?;
    searched?;
    backends.learn(&summary.digested_by);
    Ok(status)
}

/// The closing lines, and what they mean for the exit code.
fn judge(
    args: &CheckArgs,
    seen: &Seen,
    sink: &VerdictSink,
    summary: &Summary,
    reading: &Reading,
    screen: &Screen,
) -> Status {
    let mut status = Status::OK;
    for (manifest, lines) in &seen.malformed {
        let hint = if args.warn { "" } else { "; --warn shows which" };
        screen.message(&format!("{manifest}: {} cannot be understood{hint}", text::counted(*lines, "line")));
        if args.strict {
            status |= Status::UNREADABLE;
        }
    }
    for (manifest, lines) in &seen.skipped {
        screen.message(&skipped_line(manifest, *lines, args));
    }
    for (manifest, named, others) in &seen.misnamed {
        screen.message(&misnamed_line(manifest, *named, others));
    }
    for manifest in &seen.broken_off {
        screen.message(&format!("{manifest}: what follows there was not read"));
        status |= Status::UNREADABLE;
    }
    if seen.undigested > 0 {
        let items = text::counted(seen.undigested, "listed file");
        screen.message(&format!("{items} without a digest that can be verified"));
        status |= Status::UNREADABLE;
    }
    if seen.recorded_bad > 0 {
        let items = text::counted(seen.recorded_bad, "listed file");
        screen.message(&format!("{items} without a digest to verify: recorded as unreadable or unstable"));
        status |= Status::UNREADABLE;
    }
    if let Some(missing @ 1..) = sink.missing_pieces {
        let names = text::counted(missing, "missing name");
        screen.message(&format!(
            "{names} of the form of pieces (`NAME offset 0-1023`); --pieces reads them so"
        ));
    }
    if sink.report.verified() == 0 && summary.stopped.is_none() {
        screen.message("no file was verified");
        if let (Some(prefix), Some(base), 1..) = (&sink.doubled, &args.base, summary.failed) {
            let above = base.parent().filter(|above| !above.as_os_str().is_empty());
            screen.message(&format!(
                "all listed names begin with {}: name the directory above it, --base {}",
                text::name(prefix),
                shown(above.unwrap_or(Path::new(".")))
            ));
        }
        status |= if sink.status == Status::OK { Status::UNREADABLE } else { Status::OK };
    }
    let counts = sink.report.counts();
    if !args.quiet || sink.status != Status::OK {
        if let Some(line) = passed_over(&sink.skipped) {
            screen.message(&line);
        }
        if let Some(line) = reading.line(summary) {
            screen.message(&line);
        }
        screen.message(&format!("{counts}; {}", summary_line(summary)));
    }
    status
}

/// Lines that were left out because another algorithm was asked for.
pub(crate) fn skipped_line(manifest: &str, lines: u64, args: &CheckArgs) -> String {
    let asked = args.algorithm.map_or("what was asked for", |algorithm| algorithm.name());
    let hint = if args.warn { "" } else { "; --warn shows which" };
    format!("{manifest}: {} skipped: not {asked}{hint}", text::counted(lines, "line"))
}

/// A manifest with a name that promises what it does not hold.
pub(crate) fn misnamed_line(manifest: &str, named: Algorithm, others: &[Algorithm]) -> String {
    let others: Vec<_> = others.iter().map(|algorithm| algorithm.name()).collect();
    format!("{manifest}: is named after {named}, but its digests are {}", text::listed(&others))
}

/// Whether the roots of headers lie below --base and are those of all that is listed. A list without a header can stand behind
/// one that has it, in one file or in another.
fn are_of_all(seen: &Seen, args: &CheckArgs) -> bool {
    let names = manifests::names(args);
    // Those that stand before the first line are known when it is opened. What can be read once only does not tell any more.
    let begins_with_one = |name: &OsString| {
        std::fs::metadata(name).is_ok_and(|facts| facts.is_file())
            && Items::open(name, args, |untold| Ok(untold.stand_in()))
                .is_ok_and(|items| !items.header_roots().is_empty())
    };
    Confined::holds(&seen.roots)
        && seen.known.lie_in(&seen.roots)
        && (names.len() == 1 || names.iter().all(begins_with_one))
}

/// Where to look for files, if somebody said so: with --base below it.
pub(crate) fn named_roots(args: &CheckArgs) -> anyhow::Result<Vec<ItemPath>> {
    let roots: Vec<ItemPath> = args.root.iter().map(|root| root.as_os_str().as_bytes().into()).collect();
    match &args.base {
        Some(base) if !Confined::holds(&roots) => Err(Ended::usage(format!(
            "--root: is taken relative to --base {}, as names are, and may not lead out of it",
            shown(base)
        ))),
        _ => Ok(roots),
    }
}

/// Device and inode of a manifest, where a walk may come to it.
pub(crate) fn identity(name: &OsStr) -> Option<(u64, u64)> {
    if name == STDIN {
        return None;
    }
    std::fs::metadata(name).ok().map(|facts| (facts.dev(), facts.ino()))
}

pub(crate) fn open_base(base: &Path) -> anyhow::Result<Arc<Directory>> {
    let failed =
        |error: io::Error| Ended::unreadable(format!("--base {}: {}", shown(base), text::system(&error)));
    let directory = File::open(base).map_err(failed)?;
    if !directory.metadata().map_err(failed)?.is_dir() {
        return Err(Ended::usage(format!(
            "--base {}: is not a directory; name the one that the listed names are relative to",
            shown(base)
        )));
    }
    Ok(Arc::new(Directory::with_descriptor(base.as_os_str().as_bytes(), directory.into(), None)))
}

/// Counts the bytes of all listed files, for the progress display: the manifests are read a second time for it, and their
/// algorithm does not matter.
fn counter(args: &CheckArgs, selection: &Selection) -> Count {
    let (args, selection) = (args.clone(), selection.clone());
    Box::new(move |totals| {
        let roots = Roots::default();
        for name in manifests::names(&args) {
            let regular = name != STDIN && std::fs::metadata(&name).is_ok_and(|facts| facts.is_file());
            let Some(manifest) =
                regular.then(|| Items::open(&name, &args, |untold| Ok(untold.stand_in())).ok()).flatten()
            else {
                return;
            };
            for item in manifest.flatten() {
                if !selection.takes_name(item.path.as_bytes(), &roots)
                    || !selection.takes_listed(item.size, item.modified)
                {
                    continue;
                }
                let path: PathBuf = match &args.base {
                    Some(base) => base.join(item.path.as_path()),
                    None => item.path.as_path().into(),
                };
                let size = item.size.or_else(|| std::fs::metadata(path).ok().map(|facts| facts.len()));
                if !totals.add(size.unwrap_or(0)) {
                    return;
                }
            }
        }
        totals.complete();
    })
}

/// Compares records with what was expected of them.
struct VerdictSink {
    report: Report,
    status: Status,
    ignore_missing: bool,
    fail_fast: bool,
    /// Of the files that are gone, those that are listed otherwise are not missing.
    bounds: Bounds,
    /// With --base.
    confined: Option<Confined>,
    /// What names are relative to; empty: the current directory.
    base: PathBuf,
    /// The last component of --base, as long as every listed name begins with it and is missing.
    doubled: Option<Vec<u8>>,
    /// Files that are missing and have names as those of pieces, where those are not asked for.
    missing_pieces: Option<u64>,
    /// It has asked the run to end: for the first failure, or because the output takes no more.
    stopped: bool,
    /// What the search for extras passed over: neither listed nor an extra.
    skipped: Skipped,
}

impl VerdictSink {
    fn new(args: &CheckArgs, bounds: Bounds, output: Output, screen: Screen) -> Self {
        Self {
            report: Report::new(args, output, screen),
            status: Status::OK,
            ignore_missing: args.ignore_missing,
            fail_fast: args.fail_fast,
            bounds,
            confined: args.base.as_deref().map(Confined::new),
            base: args.base.clone().unwrap_or_default(),
            doubled: args
                .base
                .as_deref()
                .and_then(Path::file_name)
                .map(|name| [name.as_bytes(), b"/"].concat()),
            missing_pieces: (!args.pieces).then_some(0),
            stopped: false,
            skipped: Skipped::default(),
        }
    }

    fn show(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        self.status |= line.verdict.status();
        let broken = self.report.line(line).is_break();
        self.stopped |= broken || (self.fail_fast && !line.verdict.is_fine());
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Files that are listed as standard input, which another one or a manifest has taken: they have no record.
    fn stdin_again(&mut self, count: u64) {
        let path = ItemPath::from(STDIN);
        let problem = Some("standard input can be read once only");
        for _ in 0..count {
            if self.stopped
                || self.show(&Line { problem, ..Line::new(&path, Verdict::Unreadable) }).is_break()
            {
                break;
            }
        }
    }

    fn extras(
        &mut self,
        args: &CheckArgs,
        roots: &[ItemPath],
        walk: &WalkOptions,
        known: &mut Known,
        identities: &[(u64, u64)],
        control: &Control,
    ) -> anyhow::Result<()> {
        let current = [ItemPath::from(".")];
        let roots = match roots {
            [] if args.base.is_some() => &[],
            [] if !known.has_relative() => {
                return Err(Ended::usage(
                    "--complete: all names in the manifest are absolute; say where to look with --root DIR",
                ));
            }
            [] => &current[..],
            roots => roots,
        };
        let show = &mut |extra| match extra {
            // The walk for extras has no records to finish: it ends at once.
            _ if control.stopped().is_some() => ControlFlow::Break(()),
            Extra::File(path) => self.show(&Line::new(&path, Verdict::Extra)),
            Extra::Unsearched { path, error } => {
                let text = text::system(&error);
                self.show(&Line { problem: Some(&text), ..Line::new(&path, Verdict::Unreadable) })
            }
        };
        let confined = args.base.as_deref().map(Confined::new);
        let base = args.base.as_deref().zip(confined.as_ref());
        let searched = extras::search(roots, base, walk, known, identities, show);
        self.skipped = searched.map_err(Ended::unreadable)?;
        Ok(())
    }
}

impl Sink for VerdictSink {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        let Some(expected) = Expected::decode(&record.tag) else {
            unreachable!("every entry of a check carries what is expected of it");
        };
        let (verdict, differing) = judged(&record, &expected);
        let verdict = match verdict {
            Verdict::Missing if !self.bounds.hold(expected.size_bytes, expected.modified) => {
                return self.show(&Line::new(&record.path, Verdict::Excluded));
            }
            verdict => verdict,
        };
        let name = record.path.as_bytes();
        let name = name.strip_prefix(b"./").unwrap_or(name);
        self.doubled.take_if(|prefix| verdict != Verdict::Missing || !name.starts_with(prefix));
        if let Some(missing) = self.missing_pieces.as_mut().filter(|_| verdict == Verdict::Missing) {
            *missing += u64::from(piece_of_name(name).is_some());
        }
        if verdict == Verdict::Missing && self.ignore_missing {
            return ControlFlow::Continue(());
        }
        let problem = match record.outcome {
            Outcome::Read => None,
            Outcome::Unstable(what) => Some(what.to_string().into()),
            Outcome::Failed(failure) => {
                let confined = self.confined.as_ref();
                let problem = confined.and_then(|confined| confined.problem(failure));
                let problem = problem.unwrap_or_else(|| failure.to_string().into());
                let missing = (verdict == Verdict::Missing).then_some(record.path.as_bytes());
                let hint = missing.and_then(|name| normalization::hint(&self.base, name));
                Some(match hint {
                    Some(hint) => format!("{problem}; {hint}").into(),
                    None => problem,
                })
            }
        };
        if matches!(verdict, Verdict::Ok | Verdict::Mismatch | Verdict::Corrupt) {
            self.report.compared_by(expected.compared_by());
        }
        self.show(&Line {
            path: &record.path,
            verdict,
            expected: &expected.digests,
            computed: &record.digests,
            sizes: other_size(&record, &expected),
            differing: differing.as_ref(),
            problem: problem.as_deref(),
            origin: Some(record.origin),
        })
    }

    fn excluded(&mut self, excluded: Excluded) -> ControlFlow<()> {
        self.show(&Line::new(&excluded.path, Verdict::Excluded))
    }
}

/// The size listed and the one read, where a file that was read has another one than is listed.
fn other_size(record: &Record, expected: &Expected) -> Option<(u64, u64)> {
    let (listed, read) = (expected.size_bytes?, record.digested_bytes);
    (record.outcome == Outcome::Read && listed != read).then_some((listed, read))
}

/// What is to be said of a file. Digests that were computed beyond those expected say nothing.
pub(crate) fn verdict(record: &Record, expected: &Expected) -> Verdict {
    judged(record, expected).0
}

/// The same, and which of the pieces that are listed differ.
fn judged(record: &Record, expected: &Expected) -> (Verdict, Option<Differing>) {
    match record.outcome {
        Outcome::Unstable(_) => return (Verdict::Unstable, None),
        // A directory on the way that is now a file took the listed file with it.
        Outcome::Failed(failure) => match failure.io_error().kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => return (Verdict::Missing, None),
            _ => return (Verdict::Unreadable, None),
        },
        Outcome::Read => {}
    }
    let differing = Differing::of(expected, record);
    let same_pieces = differing.as_ref().is_none_or(Differing::is_none);
    if other_size(record, expected).is_none() && record.digests.starts_with(&expected.digests) && same_pieces
    {
        return (Verdict::Ok, None);
    }
    let untouched = record.facts.is_some_and(|facts| {
        expected.size_bytes == Some(facts.size_bytes) && expected.modified == Some(facts.modified)
    });
    (if untouched { Verdict::Corrupt } else { Verdict::Mismatch }, differing)
}
