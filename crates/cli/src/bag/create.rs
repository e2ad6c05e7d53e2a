//! `hashlane bag create`: a directory becomes a bag, in its place.
//!
//! All is read before anything is moved, so what takes long changes nothing; what changes something is a
//! handful of renames ([`super::staging`]).

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Control, Input, Sink, Stop, Summary};
use hashlane_io::Directory;
use hashlane_manifest::bag::{Declaration, Info, Oxum, Version, algorithm_name, push_line};
use hashlane_record::{ItemPath, Outcome, Record};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::plan::{Plan, standing};
use super::staging::{Failed, Recovered, STAGING, Staging};
use super::tree::below;
use crate::args::{BagCreateArgs, ExistingData};
use crate::calibration::Backends;
use crate::device_profile::Reading;
use crate::inputs::{options, plain_walk, refuse_engine};
use crate::output::shown;
use crate::progress::{Count, Progress};
use crate::screen::Screen;
use crate::signals::{Interrupted, die_by};
use crate::status::{Ended, Status};
use crate::sum::{stopped_line, summary_line};
use crate::text;
use crate::version::PROGRAM;

/// How many names are said one by one.
const MOST_SAID: usize = 20;

pub(crate) fn run(args: &BagCreateArgs) -> anyhow::Result<Status> {
    refuse_engine(&args.reading)?;
    let directory = super::open(args.directory.as_os_str(), "name the one that is to become a bag")?;
    // Held until the end, so that no two runs are at one directory.
    let _lock = lock(&args.directory)?;
    let staging = Staging::of(&args.directory);
    let recovered = match staging.is_there() {
        Ok(true) => staging.recover().map_err(|failed| not_recovered(&failed))?,
        Ok(false) => Recovered::Nothing,
        Err(failed) => {
            let (path, error) = (shown(&failed.path), text::system(&failed.error));
            return Err(Ended::unreadable(format!("{path}: {error}; nothing was changed")));
        }
    };
    say_recovered(args, recovered);
    if args.undo || recovered == Recovered::Complete {
        return Ok(Status::OK);
    }
    let keeps = payload_is_there(args)?;
    let kept = Kept::make(args, &directory, keeps)?;
    let plan = Plan::of(&directory, keeps, args.bagit_version);
    refuse(args, &plan)?;
    let made = Making { args, directory, staging: &staging, plan: &plan, keeps }.make();
    match made {
        Ok(Made::Bag(status)) => {
            kept.stay();
            Ok(status)
        }
        Ok(Made::Interrupted(signal)) => {
            kept.remove();
            die_by(signal)
        }
        Err(error) => {
            kept.remove();
            Err(error)
        }
    }
}

/// What came of it.
enum Made {
    Bag(Status),
    /// A signal ended it; nothing was changed.
    Interrupted(i32),
}

fn lock(path: &Path) -> anyhow::Result<File> {
    let directory = File::open(path).map_err(|error| refused(path, &error))?;
    // A file system without locks cannot tell; then nothing is said.
    match flock(&directory, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => {
            Err(Ended::usage(format!("{}: another run is making a bag of it; wait for it", shown(path))))
        }
        _ => Ok(directory),
    }
}

fn refused(path: &Path, error: &io::Error) -> anyhow::Error {
    Ended::output(format!("cannot write to {}: {}", shown(path), text::system(error)))
}

fn not_recovered(failed: &Failed) -> anyhow::Error {
    let what = match failed.error.raw_os_error() {
        Some(errno) if errno == Errno::EXIST.raw_os_error() => "stands where it belongs".to_owned(),
        _ => text::system(&failed.error),
    };
    Ended::output(format!(
        "an earlier run was interrupted, and what it moved to {STAGING} cannot be put back: {}: {what}; \
         clear the way and run again",
        shown(&failed.path)
    ))
}

fn say_recovered(args: &BagCreateArgs, recovered: Recovered) {
    let place = shown(&args.directory);
    let said = match recovered {
        Recovered::Nothing if args.undo => format!("{place}: no run was interrupted here; nothing to undo"),
        Recovered::Nothing => return,
        Recovered::Cleared => format!("{place}: an earlier run was interrupted before it had moved anything"),
        Recovered::Restored(moved) => {
            let moved = text::counted(moved, "name");
            format!("{place}: an earlier run was interrupted; {moved} put back where they were")
        }
        Recovered::Complete => {
            format!("{place}: an earlier run was interrupted when the bag was complete; it is a bag now")
        }
    };
    Screen::plain().message(&said);
}

/// Whether `data` is the payload already. What is not clear is asked for.
fn payload_is_there(args: &BagCreateArgs) -> anyhow::Result<bool> {
    let place = shown(&args.directory);
    let (is_bag, has_data) = standing(&args.directory);
    if is_bag {
        return Err(Ended::usage(format!(
            "{place}: has a bagit.txt, so it is a bag already; `hashlane bag validate` verifies it"
        )));
    }
    match (args.data, has_data) {
        (None, true) => Err(Ended::usage(format!(
            "{place}: has a `data` already; use --data keep if that is the payload, or --data move \
             to make it a part of the payload"
        ))),
        (Some(ExistingData::Keep), false) => {
            Err(Ended::usage(format!("{place}: --data keep: there is no `data` in it; leave that out")))
        }
        (data, _) => Ok(data == Some(ExistingData::Keep)),
    }
}

/// Says what stands against a bag, if anything does.
fn refuse(args: &BagCreateArgs, plan: &Plan) -> anyhow::Result<()> {
    let screen = Screen::plain();
    for (name, error) in plan.unsearched.iter().take(MOST_SAID) {
        screen.message(&format!("{}: {}", shown(&below(&args.directory, name)), text::system(error)));
    }
    let what = match plan.unsearched.len() {
        0 => None,
        1 => Some("a directory".to_owned()),
        many => Some(format!("{} directories", text::count(many as u64))),
    };
    if let Some(what) = what {
        return Err(Ended::unreadable(format!(
            "{}: {what} could not be searched; no bag was made, and nothing was changed",
            shown(&args.directory)
        )));
    }
    if !plan.refused.is_empty() {
        for (name, why) in plan.refused.iter().take(MOST_SAID) {
            screen.message(&format!("{}: {why}", text::name(name)));
        }
        let refused = text::counted(plan.refused.len() as u64, "name");
        return Err(Ended::unreadable(format!(
            "{}: {refused} cannot be in a bag; nothing was changed",
            shown(&args.directory)
        )));
    }
    for (name, why) in plan.warnings.iter().take(MOST_SAID) {
        screen.message(&format!("{}: warning: {why}", text::name(name)));
    }
    if plan.warnings.len() > MOST_SAID {
        screen.message(&format!("and {} more warnings", plan.warnings.len() - MOST_SAID));
    }
    if !plan.empty_directories.is_empty() && !args.keep_empty {
        let empty = text::count(plan.empty_directories.len() as u64);
        screen.message(&format!(
            "empty directories: {empty}, which no manifest can list; --keep-empty puts a .keep into each"
        ));
    }
    let percent = plan.payload.iter().filter(|(name, _)| name.contains(&b'%')).count();
    if percent > 0 && args.bagit_version.is_strict() {
        screen.message(&format!(
            "names with a percent sign: {percent}, written as %25 as RFC 8493 demands; \
             bagit.py 1.9 and older find such files missing, and --bagit-version 0.97 suits them"
        ));
    }
    Ok(())
}

/// The files `.keep` that were put into empty directories.
struct Kept(Vec<PathBuf>);

impl Kept {
    fn make(args: &BagCreateArgs, directory: &Directory, keeps: bool) -> anyhow::Result<Self> {
        let mut kept = Self(Vec::new());
        if !args.keep_empty {
            return Ok(kept);
        }
        for name in Plan::of(directory, keeps, args.bagit_version).empty_directories {
            let path = below(&args.directory, &name).join(".keep");
            match File::create_new(&path) {
                Ok(_) => kept.0.push(path),
                Err(error) => {
                    kept.remove();
                    return Err(refused(&path, &error));
                }
            }
        }
        Ok(kept)
    }

    /// They are part of the bag.
    fn stay(self) {}

    /// There is no bag.
    fn remove(self) {
        for path in self.0 {
            // An empty file that stays does no harm.
            let _ = fs::remove_file(path);
        }
    }
}

/// Everything that making takes.
struct Making<'a> {
    args: &'a BagCreateArgs,
    directory: Arc<Directory>,
    staging: &'a Staging,
    plan: &'a Plan,
    keeps: bool,
}

impl Making<'_> {
    fn make(self) -> anyhow::Result<Made> {
        self.staging.make(!self.keeps).map_err(|failed| refused(&failed.path, &failed.error))?;
        let prepared = self.prepare();
        let (names, summary) = match prepared {
            Ok(Prepared::Ready { names, summary }) => (names, summary),
            Ok(Prepared::Interrupted(signal)) => {
                self.clear();
                return Ok(Made::Interrupted(signal));
            }
            Err(error) => {
                self.clear();
                return Err(error);
            }
        };
        if let Err(failed) = self.staging.commit(&names) {
            let undone = match self.staging.recover() {
                Ok(Recovered::Complete) => "the bag is complete all the same",
                Ok(_) => "what was moved is back in its place",
                Err(_) => "what was moved cannot be put back now; run `hashlane bag create --undo` on it",
            };
            return Err(Ended::output(format!(
                "cannot move {}: {}; {undone}",
                shown(&failed.path),
                text::system(&failed.error)
            )));
        }
        if !self.args.quiet {
            let files = text::counted(self.plan.payload.len() as u64, "file");
            let screen = Screen::plain();
            screen.message(&format!(
                "{}: a bag of version {} with {files} of payload and {}",
                shown(&self.args.directory),
                self.args.bagit_version,
                text::counted(names.len() as u64, "tag file"),
            ));
            screen.message(&summary_line(&summary));
        }
        Ok(Made::Bag(Status::OK))
    }

    /// Removes what was prepared; nothing was moved.
    fn clear(&self) {
        if let Err(failed) = self.staging.recover() {
            Screen::plain().message(&format!(
                "cannot remove {}: {}; it holds nothing that was not made by this run",
                shown(&failed.path),
                text::system(&failed.error)
            ));
        }
    }

    /// Reads everything and writes all tag files.
    fn prepare(&self) -> anyhow::Result<Prepared> {
        let algorithms = algorithms(self.args);
        let control = Arc::new(Control::new());
        let total = self.plan.bytes();
        let counter: Count = Box::new(move |totals| {
            totals.add(total);
            totals.complete();
        });
        let progress = Progress::start(self.args.reading.progress, &control, counter);
        let screen = progress.screen().clone();
        let interrupted = Interrupted::watch(&control, &screen, Stop::Drained)?;
        let run = Run { args: self.args, control: &control, screen: &screen };

        let mut names = Vec::new();
        let payload = self.plan.payload.iter().map(|(name, _)| (&self.directory, name.clone()));
        let listed =
            run.list(payload, "manifest", self.staging, &algorithms, |name| self.plan.name_in_bag(name));
        drop(progress);
        let (summary, oxum) = match listed {
            Err(error) if interrupted.signal().is_none() => return Err(error),
            Ok(listed) if listed.0.stopped.is_none() => listed,
            stopped => {
                let Some(signal) = interrupted.signal() else {
                    return Err(Ended::unreadable("stopped; nothing was changed"));
                };
                if let Ok((summary, _)) = stopped {
                    Screen::plain().message(&stopped_line(&summary, &control));
                }
                Screen::plain().message("no bag was made; nothing was changed");
                return Ok(Prepared::Interrupted(signal));
            }
        };
        names.extend(algorithms.iter().map(|algorithm| manifest_name("manifest", *algorithm)));
        let info = info(self.args, oxum)?;
        for (name, text) in
            [("bagit.txt", Declaration::text(self.args.bagit_version)), ("bag-info.txt", info)]
        {
            self.write(name, &text)?;
            names.push(name.to_owned());
        }

        let place = self.staging.tags();
        let tags = super::open(place.as_os_str(), "it was made a moment ago")?;
        let mut all: Vec<_> = names.iter().map(|name| (&tags, name.clone().into_bytes())).collect();
        all.extend(self.plan.tags.iter().map(|name| (&self.directory, name.clone())));
        all.sort_by(|(_, one), (_, other)| one.cmp(other));
        run.list(all.into_iter(), "tagmanifest", self.staging, &algorithms, <[u8]>::to_vec)?;
        names.extend(algorithms.iter().map(|algorithm| manifest_name("tagmanifest", *algorithm)));

        let now = Plan::of(&self.directory, self.keeps, self.args.bagit_version);
        if !self.plan.is_as(&now) {
            return Err(Ended::unreadable(format!(
                "{}: changed while it was read; no bag was made, and nothing was changed: run again",
                shown(&self.args.directory)
            )));
        }
        if let Some(signal) = interrupted.signal() {
            Screen::plain().message("no bag was made; nothing was changed");
            return Ok(Prepared::Interrupted(signal));
        }
        Ok(Prepared::Ready { names, summary })
    }

    fn write(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.staging.tag(name);
        let written = File::create_new(&path).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        });
        written.map_err(|error| refused(&path, &error))
    }
}

#[allow(clippy::large_enum_variant, reason = "there is one of it, for a moment")]
enum Prepared {
    Ready { names: Vec<String>, summary: Summary },
    Interrupted(i32),
}

/// The algorithms, each once.
fn algorithms(args: &BagCreateArgs) -> Vec<Algorithm> {
    let default = ["sha256", "sha512"].into_iter().filter_map(Algorithm::named);
    let wanted: Vec<_> = if args.algorithm.is_empty() { default.collect() } else { args.algorithm.clone() };
    let mut algorithms = Vec::new();
    for algorithm in wanted {
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    algorithms
}

fn manifest_name(kind: &str, algorithm: Algorithm) -> String {
    format!("{kind}-{}.txt", algorithm_name(algorithm))
}

/// The text of bag-info.txt: what was asked for, and what is known.
fn info(args: &BagCreateArgs, oxum: Oxum) -> anyhow::Result<String> {
    let mut info = Info { elements: args.info.clone(), ..Info::default() };
    let known = [
        ("Bagging-Date", today()?),
        ("Bag-Software-Agent", PROGRAM.to_owned()),
        ("Bag-Size", text::decimal(oxum.bytes as f64)),
        ("Payload-Oxum", oxum.to_string()),
    ];
    for (label, value) in known {
        if info.values(label).next().is_none() {
            info.elements.push((label.to_owned(), value));
        }
    }
    Ok(info.text())
}

/// The date: that of SOURCE_DATE_EPOCH in UTC, if it is set, so that a bag can be made again byte for byte.
fn today() -> anyhow::Result<String> {
    let Some(epoch) = std::env::var_os("SOURCE_DATE_EPOCH").filter(|value| !value.is_empty()) else {
        return Ok(jiff::Zoned::now().date().to_string());
    };
    let seconds = epoch.to_str().and_then(|text| text.parse().ok());
    let time = seconds.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok()).ok_or_else(|| {
        let value = shown(Path::new(&epoch));
        Ended::usage(format!("SOURCE_DATE_EPOCH is \"{value}\"; expected seconds since 1970"))
    })?;
    Ok(time.to_zoned(jiff::tz::TimeZone::UTC).date().to_string())
}

/// Reads files and lists them in manifests.
struct Run<'a> {
    args: &'a BagCreateArgs,
    control: &'a Arc<Control>,
    screen: &'a Screen,
}

impl Run<'_> {
    /// One manifest for each algorithm. What could not be read ends it.
    fn list<'d>(
        &self,
        files: impl Iterator<Item = (&'d Arc<Directory>, Vec<u8>)>,
        kind: &str,
        staging: &Staging,
        algorithms: &[Algorithm],
        name_in_bag: impl Fn(&[u8]) -> Vec<u8>,
    ) -> anyhow::Result<(Summary, Oxum)> {
        let place: &OsStr = self.args.directory.as_os_str();
        let reading = Reading::suiting(&self.args.reading, &self.args.backends.cache, std::iter::once(place));
        let backends = Backends::of(&self.args.backends);
        let set: AlgorithmSet = algorithms.into();
        let options =
            options(Arc::clone(&set), &self.args.reading, reading.profile, backends.choice(), plain_walk());
        let inputs = files.map(|(base, name)| Input::File {
            path: ItemPath::from(name),
            base: Some(Arc::clone(base)),
            algorithms: Arc::clone(&set),
            division: None,
            tag: Box::default(),
        });
        let inputs: Vec<_> = inputs.collect();
        let mut manifests = Vec::new();
        for algorithm in algorithms {
            let path = staging.tag(&manifest_name(kind, *algorithm));
            let file = File::create_new(&path).map_err(|error| refused(&path, &error))?;
            manifests.push((path, BufWriter::new(file)));
        }
        let place_of = |name: &[u8]| shown(&below(&self.args.directory, name));
        let mut sink = Lists {
            manifests,
            name_in_bag: &name_in_bag,
            version: self.args.bagit_version,
            oxum: Oxum::default(),
            screen: self.screen,
            place: &place_of,
            line: Vec::new(),
            failed: 0,
            broken: None,
        };
        let summary = hashlane_engine::run(options, inputs.into_iter(), &mut sink, self.control)?;
        if let Some((path, error)) = sink.broken {
            return Err(refused(&path, &error));
        }
        if sink.failed > 0 {
            return Err(Ended::unreadable(format!(
                "{} could not be read; no bag was made, and nothing was changed",
                text::counted(sink.failed, "file")
            )));
        }
        for (path, file) in sink.manifests {
            let written = file.into_inner().map_err(io::IntoInnerError::into_error);
            written.and_then(|file| file.sync_all()).map_err(|error| refused(&path, &error))?;
        }
        if summary.stopped.is_none() {
            backends.learn(&summary.digested_by);
        }
        Ok((summary, sink.oxum))
    }
}

/// Writes each record into every manifest.
struct Lists<'a> {
    manifests: Vec<(PathBuf, BufWriter<File>)>,
    name_in_bag: &'a dyn Fn(&[u8]) -> Vec<u8>,
    version: Version,
    oxum: Oxum,
    screen: &'a Screen,
    /// Where a file lies, for messages.
    place: &'a dyn Fn(&[u8]) -> String,
    line: Vec<u8>,
    failed: u64,
    broken: Option<(PathBuf, io::Error)>,
}

impl Sink for Lists<'_> {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        let problem = match record.outcome {
            Outcome::Read => None,
            Outcome::Unstable(what) => Some(what.to_string()),
            Outcome::Failed(failure) => Some(failure.to_string()),
        };
        if let Some(problem) = problem {
            self.failed += 1;
            self.screen.message(&format!("{}: {problem}", (self.place)(record.path.as_bytes())));
            return ControlFlow::Continue(());
        }
        self.oxum.bytes += record.digested_bytes;
        self.oxum.files += 1;
        let name = (self.name_in_bag)(record.path.as_bytes());
        for ((path, file), digest) in self.manifests.iter_mut().zip(&record.digests) {
            self.line.clear();
            let result = match push_line(&mut self.line, digest, &name, self.version) {
                true => file.write_all(&self.line),
                false => Err(io::Error::other("a name that no manifest can hold")),
            };
            if let Err(error) = result {
                self.broken = Some((path.clone(), error));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}
