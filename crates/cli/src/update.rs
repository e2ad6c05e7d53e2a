//! `hashlane sum --update`: a manifest brought up to date, without reading again what did not change.
//!
//! Three threads: one walks and decides of each file whether it is to be read, by its facts and what is listed; the engine reads;
//! the sink writes. Decisions wait in a queue of four bytes each, so what is kept and what was read come out in the order of the
//! walk, whatever the number of files.

mod sink;

use std::collections::{HashMap, VecDeque};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_audit::{Audit, Known, KnownFile, Options as AuditOptions};
use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Control, Found, Input, Skipped, Stop, WalkOptions, list};
use hashlane_io::{FileFacts, start_thread};
use hashlane_manifest::{
    Error, Format, Header, Item, LineProblem, Piecewise, ProblemKind, ReadOptions, WriteOptions,
    piece_of_name,
};
use hashlane_record::{ItemPath, Outcome, Timestamp};

use crate::args::{SumArgs, Trust};
use crate::calibration::Backends;
use crate::device_profile::Reading;
use crate::inputs::{options, plain_walk, walk_options};
use crate::manifests::{self, OptionNames, STDIN, Source};
use crate::output::{Output, refuse_misleading_name, shown};
use crate::partial::{Existing, Version};
use crate::progress::{Count, Progress};
use crate::screen::Screen;
use crate::signals::{Interrupted, die_by};
use crate::status::{Ended, Status};
use crate::sum::{header_of_this_run, report, stopped_line};
use crate::text;

use sink::{Counts, UpdateSink};

/// How many files the walk is ahead of the engine.
const AHEAD: usize = 1 << 12;

/// By how much a file has to be older than the listing: clocks of file systems are coarse, and those of servers are others.
const MARGIN_SECONDS: i64 = 2;

/// A time before which no file was changed, so that it shows of none that it was verified.
const NEVER: Timestamp = Timestamp { seconds: 0, nanos: 0 };

/// In the queue of decisions: the next record is written. All else is the number of a listed file that is kept.
const READ: u32 = u32::MAX;

pub(crate) fn run(args: &SumArgs, manifest: &Path) -> anyhow::Result<Status> {
    if manifest.as_os_str() == STDIN && args.output.is_none() {
        return Err(Ended::usage(
            "--update: a manifest that comes from standard input cannot be replaced; name a file",
        ));
    }
    if args.paths.iter().any(|path| path == STDIN) {
        return Err(Ended::usage(
            "--update: standard input has no times to compare; name files and directories",
        ));
    }
    // Before any file is looked at: what is changed from now on is newer.
    let header = header_of_this_run();
    // And before the list is read: what another run writes into it from now on shows, and is not replaced.
    let existing = match args.output {
        None => Existing::Unchanged(Version::of(manifest)),
        Some(_) => Existing::Replaced,
    };
    let old = Old::read(manifest, args)?.believed(header.started, manifest, args.update.trust);
    let roots = roots(args, &old, manifest)?;
    let (format, has_header) = (old.format, old.has_header || args.format.header);
    let algorithms = old.algorithms(&args.algorithm);
    old.refuse_algorithms(&algorithms, manifest)?;
    let walk = walk_options(&args.walk)?;

    let control = Arc::new(Control::new());
    let counter: Count = Box::new(|_| {});
    let progress = Progress::start(args.reading.progress, &control, counter);
    let screen = progress.screen().clone();
    let target = args.output.as_deref().unwrap_or(manifest);
    refuse_misleading_name("--output", target, format, &algorithms)?;
    let output = Output::open_as("--output", Some(target), existing, &screen)?;
    let mut excluded = output.identities();
    excluded.extend(crate::check::identity(manifest.as_os_str()));
    let reading = Reading::suiting(
        &args.reading,
        &args.backends.cache,
        roots.iter().map(|root| root.as_path().as_os_str()),
    );
    let backends = Backends::of(&args.backends);
    let mut options =
        options(Arc::clone(&algorithms), &args.reading, reading.profile, backends.choice(), walk.clone());
    options.excluded.clone_from(&excluded);
    // The walker has decided: a file that the engine passed over would have no record in its place.
    options.walk = plain_walk();
    options.links_once = !args.walk.no_links_once;
    let place = output.place();
    // Until it is known that all was verified, it says when that was the last time.
    let begun = header.started.filter(|_| has_header);
    let header = Header { started: Some(old.listed_at()), ..header };
    let header = Header { roots: outermost(old.roots.iter().chain(&roots)), ..header };
    let write = WriteOptions { header: has_header.then_some(header), ..WriteOptions::default() };
    let writer = output.writer(format, &algorithms, &write).map_err(|error| match error {
        Error::Output { source } => place.failed(&source),
        error => Ended::usage(manifests::told(&error)),
    })?;
    let interrupted = Interrupted::watch(&control, &screen, Stop::Drained)?;

    let state = Arc::new(Mutex::new(State::new(old.count(), roots.len())));
    let old = Arc::new(old);
    let (sender, receiver) = sync_channel(AHEAD);
    let walker = Walker {
        old: Arc::clone(&old),
        state: Arc::clone(&state),
        sender,
        trust: args.update.trust,
        algorithms: Arc::clone(&algorithms),
        excluded,
    };
    let walking = {
        let (roots, control) = (roots.clone(), Arc::clone(&control));
        start_thread("update", move || walker.walk_all(&roots, &walk, &control))
    };
    let walking = walking
        .map_err(|error| Ended::output(format!("no thread to walk with: {}", text::system(&error))))?;
    let mut sink = UpdateSink {
        old: Arc::clone(&old),
        state: Arc::clone(&state),
        writer,
        place,
        screen,
        status: Status::OK,
        quiet: args.quiet,
        counts: Counts::default(),
        unverified: false,
        lost: false,
        broken: None,
    };
    let run = hashlane_engine::run(options, Decided(receiver), &mut sink, &control);
    let walked = walking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));

    drop(progress);
    sink.screen = Screen::plain();
    let complete = run.as_ref().is_ok_and(|summary| summary.stopped.is_none()) && sink.broken.is_none();
    let deserted = if complete { sink.deserted(&roots) } else { None };
    let complete = complete && deserted.is_none();
    if complete {
        sink.keep_until_read();
        sink.close(&roots);
    }
    let (mut status, said) = (sink.status, sink.counts.line(old.basis(args.update.trust)));
    if args.update.fail_on_change {
        status |= sink.counts.status();
    }
    let lost = sink.lost;
    let done = sink.finish(complete && !lost, begun);
    let mut summary = run?;
    if let Some(signal) = interrupted.signal() {
        Screen::plain().message(&stopped_line(&summary, &control));
        die_by(signal);
    }
    done?;
    if let Some(root) = deserted {
        return Err(Ended::unreadable(format!(
            "no file is below {}, where files are listed: they may lie elsewhere; the manifest was left as it is",
            text::name(root.as_bytes())
        )));
    }
    if lost {
        return Err(Ended::unreadable(format!(
            "{}: was left as it is: what it lists would not all be in the new one",
            shown(target)
        )));
    }
    summary.skipped = walked;
    if !args.quiet {
        Screen::plain().message(&said);
        report(&Screen::plain(), &summary, &reading);
    }
    backends.learn(&summary.digested_by);
    Ok(status)
}

/// Where to look for files: all of it has to be there, for what is not mounted is not gone.
fn roots(args: &SumArgs, old: &Old, manifest: &Path) -> anyhow::Result<Vec<ItemPath>> {
    let named = args.paths.iter().map(|path| ItemPath::from(path.as_bytes()));
    let named: Vec<_> = if args.paths.is_empty() { old.roots.clone() } else { named.collect() };
    let roots = outermost(named.iter());
    if roots.is_empty() {
        return Err(Ended::usage(format!(
            "--update: {} does not say of which directories it is; name them as PATHs",
            shown(manifest)
        )));
    }
    for root in &roots {
        if let Err(error) = std::fs::metadata(root.as_path()) {
            return Err(Ended::unreadable(format!(
                "{}: {}; the manifest was left as it is",
                shown(root.as_path()),
                text::system(&error)
            )));
        }
    }
    Ok(roots)
}

/// Those roots that lie in no other one, each once: what lies in two would be listed twice.
fn outermost<'a>(roots: impl Iterator<Item = &'a ItemPath>) -> Vec<ItemPath> {
    let bare = |root: &ItemPath| {
        let bytes = root.as_bytes();
        let end = bytes.iter().rposition(|&byte| byte != b'/').map_or(bytes.len().min(1), |last| last + 1);
        ItemPath::from(&bytes[..end])
    };
    let mut kept: Vec<ItemPath> = Vec::new();
    for root in roots.map(bare) {
        if kept.iter().any(|other| lies_in(root.as_bytes(), other.as_bytes())) {
            continue;
        }
        kept.retain(|other| !lies_in(other.as_bytes(), root.as_bytes()));
        kept.push(root);
    }
    kept
}

/// The manifest as it is.
struct Old {
    files: Audit,
    roots: Vec<ItemPath>,
    started: Option<Timestamp>,
    format: Format,
    has_header: bool,
    of_manifest: Vec<Algorithm>,
    count: u32,
    /// How the reading of files without digests ended, by number.
    unread: HashMap<u32, Outcome>,
}

impl Old {
    fn read(manifest: &Path, args: &SumArgs) -> anyhow::Result<Self> {
        // Of a manifest that does not tell: what is asked for.
        let fallback = match args.algorithm[..] {
            [only] => Some(only),
            _ => None,
        };
        let options = ReadOptions { fallback, ..ReadOptions::default() };
        let source = Source::open(manifest.as_os_str())?;
        if args.output.is_none() && !source.is_regular() {
            return Err(Ended::usage(format!(
                "--update: {}: is a pipe or a device, which cannot be replaced; name a file, or another one for the result by --output",
                shown(manifest)
            )));
        }
        let reader = manifests::read(source, &options, OptionNames::USUAL);
        let reader = reader.map_err(manifests::Refused::into_error)?;
        let format = reader.format();
        let named = shown(manifest);
        if format.is_known_set() || !format.can_be_written() {
            return Err(Ended::usage(format!("--update: {named}: {format} is a format that is only read")));
        }
        if let Some(Piecewise::Beginning(_)) = format.piecewise() {
            return Err(Ended::usage(format!(
                "--update: {named}: {format} lists digests of beginnings, which are not kept; make it anew by sum --manifest-format {format}"
            )));
        }
        let has_times = format.holds_sizes() && format.holds_times();
        if !has_times && args.update.trust != Trust::Names {
            return Err(Ended::usage(format!(
                "--update: {named}: {format} has no place for sizes and times, so nothing tells what was changed; convert it to jsonl or \
                 csv, or add new files only with --trust names"
            )));
        }
        let mut items = reader.merged();
        let mut known = Known::new(AuditOptions::default());
        let mut noise = 0_u64;
        let mut outcomes = Vec::new();
        for item in items.by_ref() {
            match item {
                Ok(item) if lists_pieces(&item) => {
                    return Err(Ended::usage(format!(
                        "--update: {named}: line {}: lists pieces of files, whose digests are not kept; make it anew by sum --pieces",
                        item.line
                    )));
                }
                Ok(item) => {
                    add(&mut known, &item).map_err(|problem| left_alone(&named, item.line, &problem))?;
                    if let Some(outcome) = item.outcome.filter(|outcome| *outcome != Outcome::Read) {
                        outcomes.push((item.path, outcome));
                    }
                }
                Err(LineProblem { kind: ProblemKind::Input(error), line, .. }) => {
                    return Err(left_alone(&named, line, &text::system(&error)));
                }
                Err(problem) if problem.is_entry() => {
                    return Err(Ended::unreadable(format!(
                        "{named}: {problem}; it was left as it is: mend that line first"
                    )));
                }
                Err(_) => noise += 1,
            }
        }
        if noise > 0 {
            Screen::plain().message(&format!(
                "{named}: {} will not be in it any more",
                text::counted(noise, "line that lists no file")
            ));
        }
        let reader = items.get_ref();
        let (roots, started) = (reader.header_roots().to_vec(), reader.header_started());
        let of_manifest = reader.algorithms().to_vec();
        let has_header = started.is_some() || !roots.is_empty();
        let count = known.len() as u32;
        let files = Audit::new(known);
        let unread = outcomes.into_iter();
        let unread =
            unread.filter_map(|(path, outcome)| Some((files.number(path.as_bytes())?, outcome))).collect();
        Ok(Self { files, roots, started, format, has_header, of_manifest, count, unread })
    }

    /// A listing that began in the future, by a clock that was wrong then or is now, shows of no file that it is older.
    fn believed(mut self, now: Option<Timestamp>, manifest: &Path, trust: Trust) -> Self {
        if let (Some(started), Some(now)) = (self.started, now)
            && (started.seconds, started.nanos) > (now.seconds, now.nanos)
        {
            let says = format!(
                "{}: says that it was made at a time that is yet to come; nothing is trusted by ctime, so all files are read",
                shown(manifest)
            );
            if trust == Trust::Times {
                Screen::plain().message(&says);
            }
            self.started = Some(NEVER);
        }
        self.started =
            self.started.map(|started| if started.seconds < NEVER.seconds { NEVER } else { started });
        self
    }

    /// When all that is listed was verified.
    fn listed_at(&self) -> Timestamp {
        self.started.unwrap_or(NEVER)
    }

    fn count(&self) -> usize {
        self.count as usize
    }

    /// What is listed from now on: what is listed already, of whatever file, and what is asked for.
    fn algorithms(&self, asked: &[Algorithm]) -> AlgorithmSet {
        let mut algorithms: Vec<Algorithm> = Vec::new();
        for &algorithm in self.of_manifest.iter().chain(self.files.algorithms()).chain(asked) {
            if !algorithms.contains(&algorithm) {
                algorithms.push(algorithm);
            }
        }
        if algorithms.is_empty() {
            algorithms.extend(Algorithm::named("sha256"));
        }
        algorithms.into()
    }

    /// Refuses to add an algorithm to a list in a format that has room for one.
    fn refuse_algorithms(&self, algorithms: &[Algorithm], manifest: &Path) -> anyhow::Result<()> {
        match algorithms {
            [listed, added, ..] if !self.format.holds_many_algorithms() => Err(Ended::usage(format!(
                "--update: {}: {} holds one algorithm, which is {listed}; put {added} beside it in a list of another format by \
                 `hashlane convert --add {added}`",
                shown(manifest),
                self.format
            ))),
            _ => Ok(()),
        }
    }

    /// Whether nothing of a file was changed since all that is listed was verified.
    fn is_older(&self, facts: &FileFacts) -> bool {
        facts.changed.0.saturating_add(MARGIN_SECONDS) < self.listed_at().seconds
    }

    /// What shows that files are as they were.
    fn basis(&self, trust: Trust) -> &'static str {
        match (trust, self.started) {
            (Trust::Names, _) => "by name alone",
            (Trust::Times, Some(_)) => "by size, mtime and ctime",
            (Trust::Times, None) => "by size and mtime (no header says when they were listed)",
            (Trust::Mtime, _) => "by size and mtime",
        }
    }
}

/// Whether it has digests of pieces, or seems to be a piece: its name is like that of one and no file's.
fn lists_pieces(item: &Item) -> bool {
    let is_no_file = || std::fs::symlink_metadata(item.path.as_path()).is_err();
    item.pieces.is_some() || piece_of_name(item.path.as_bytes()).is_some() && is_no_file()
}

fn left_alone(manifest: &str, line: u64, problem: &str) -> anyhow::Error {
    Ended::unreadable(format!("{manifest}: line {line}: {problem}; it was left as it is"))
}

fn add(known: &mut Known, item: &Item) -> Result<(), String> {
    let was_read = item.outcome.is_none_or(|outcome| outcome == Outcome::Read);
    let digests = if was_read { &item.digests[..] } else { &[] };
    let file = KnownFile { path: item.path.as_bytes(), size: item.size, modified: item.modified, digests };
    known.add(file).map(drop).map_err(|error| format!("{} {error}", text::name(item.path.as_bytes())))
}

/// What the walk tells the sink.
struct State {
    decisions: VecDeque<u32>,
    /// Which listed files are there, by number.
    there: Vec<bool>,
    /// In which roots there is anything.
    inhabited: Vec<bool>,
    /// Directories that could not be looked into, and why.
    unsearched: Vec<String>,
    /// Something is kept without that times show that it is as it was listed.
    taken_on_trust: bool,
}

impl State {
    fn new(files: usize, roots: usize) -> Self {
        let (there, inhabited) = (vec![false; files], vec![false; roots]);
        Self { decisions: VecDeque::new(), there, inhabited, unsearched: Vec::new(), taken_on_trust: false }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Decides which files are to be read.
struct Walker {
    old: Arc<Old>,
    state: Arc<Mutex<State>>,
    sender: SyncSender<Input>,
    trust: Trust,
    algorithms: AlgorithmSet,
    excluded: Vec<(u64, u64)>,
}

impl Walker {
    /// Says what was passed over.
    fn walk_all(&self, roots: &[ItemPath], walk: &WalkOptions, control: &Control) -> Skipped {
        let mut skipped = Skipped::default();
        for (place, root) in roots.iter().enumerate() {
            let mut flow = ControlFlow::Continue(());
            if !root.as_path().is_dir() {
                let facts = hashlane_io::Directory::current().facts(&c_string(root));
                if is_excluded(walk, facts.as_ref()) {
                    skipped.excluded += 1;
                } else {
                    flow = self.file(root.as_bytes().to_vec(), facts);
                }
            } else {
                let walked = list(root, walk, &mut |found| {
                    lock(&self.state).inhabited[place] = true;
                    flow = match found {
                        _ if control.stopped().is_some() => ControlFlow::Break(()),
                        Found::File { directory, name } => match directory.facts(name) {
                            facts if is_excluded(walk, facts.as_ref()) => {
                                skipped.excluded += 1;
                                ControlFlow::Continue(())
                            }
                            facts => self.file(directory.join(name.to_bytes()), facts),
                        },
                        Found::Failed { path, error } => {
                            let problem = format!("{}: {}", text::name(&path), text::system(&error));
                            lock(&self.state).unsearched.push(problem);
                            ControlFlow::Continue(())
                        }
                    };
                    flow
                });
                if let Ok(walked) = walked {
                    skipped.symlinks += walked.symlinks;
                    skipped.special += walked.special;
                    skipped.excluded += walked.excluded;
                    skipped.other_filesystem += walked.other_filesystem;
                }
            }
            if flow.is_break() {
                break;
            }
        }
        skipped
    }

    fn file(&self, path: Vec<u8>, facts: io::Result<FileFacts>) -> ControlFlow<()> {
        if facts.as_ref().is_ok_and(|facts| self.excluded.contains(&(facts.device, facts.inode))) {
            return ControlFlow::Continue(());
        }
        let number = self.old.files.number(&path);
        if let Some(number) = number {
            let mut state = lock(&self.state);
            // Roots may lie in each other.
            if std::mem::replace(&mut state.there[number as usize], true) {
                return ControlFlow::Continue(());
            }
            if let Ok(facts) = facts
                && self.is_as_listed(number, &facts)
            {
                state.taken_on_trust |= !self.old.is_older(&facts);
                state.decisions.push_back(number);
                return ControlFlow::Continue(());
            }
        }
        self.read(ItemPath::from(path), number)
    }

    fn read(&self, path: ItemPath, number: Option<u32>) -> ControlFlow<()> {
        lock(&self.state).decisions.push_back(READ);
        let tag = number.map_or_else(Box::default, |number| number.to_le_bytes().into());
        let input =
            Input::File { path, base: None, algorithms: Arc::clone(&self.algorithms), division: None, tag };
        match self.sender.send(input) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn is_as_listed(&self, number: u32, facts: &FileFacts) -> bool {
        let (_, content) = self.old.files.file(number);
        let has =
            |algorithm: &Algorithm| content.digests.iter().any(|digest| digest.algorithm() == *algorithm);
        if !self.algorithms.iter().all(has) {
            return false;
        }
        if self.trust == Trust::Names {
            return true;
        }
        if content.size != Some(facts.size_bytes) || content.modified != Some(time(facts.modified)) {
            return false;
        }
        self.trust == Trust::Mtime || self.old.started.is_none() || self.old.is_older(facts)
    }
}

/// Whether a file lies outside the bounds of size and time. What is listed of it stays.
fn is_excluded(walk: &WalkOptions, facts: Result<&FileFacts, &io::Error>) -> bool {
    facts.is_ok_and(|facts| !walk.filter.bounds().take(facts))
}

fn time((seconds, nanos): (i64, u32)) -> Timestamp {
    Timestamp { seconds, nanos }
}

fn c_string(path: &ItemPath) -> std::ffi::CString {
    // What has a NUL inside is no file, and an empty name is none either.
    std::ffi::CString::new(path.as_bytes()).unwrap_or_default()
}

/// The files that are to be read, as the walk finds them.
struct Decided(Receiver<Input>);

impl Iterator for Decided {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        self.0.recv().ok()
    }
}

/// Whether a name is a root or lies below it.
fn lies_in(name: &[u8], root: &[u8]) -> bool {
    let below = name.strip_prefix(root);
    below.is_some_and(|rest| rest.is_empty() || root.ends_with(b"/") || rest.starts_with(b"/"))
}
