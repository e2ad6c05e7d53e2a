//! `hashlane bag create`: a directory becomes a bag, in its place.
//!
//! All is read before anything is moved, so what takes long changes nothing; what changes something is a
//! handful of renames ([`hashlane_bag::Staging`]).

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_bag::{Error, Failed, Making, Plan, Recovered, STAGING, Staging, below, standing};
use hashlane_digest::Algorithm;
use hashlane_engine::{Stop, Summary, WalkOptions};
use hashlane_io::Directory;
use hashlane_manifest::bag::{Info, Oxum};
use hashlane_report::text;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::args::{BagCreateArgs, ExistingData};
use crate::output::shown;
use crate::session::{Ran, Session};
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by;
use crate::version::PROGRAM;

/// How many names are said one by one.
const MOST_SAID: usize = 20;

pub(super) fn run(args: &BagCreateArgs) -> anyhow::Result<Status> {
    let session = Session::begin(&args.reading, &args.backends, false)?;
    let directory = super::open(args.directory.as_os_str(), "name the directory to turn into a bag")?;
    // Held until the end, so that no two runs are at one directory.
    let lock = lock(&args.directory)?;
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
    let made = Work { args, directory, staging: &staging, plan: &plan, keeps }.make(session);
    match made {
        Ok(Made::Bag { ran, summary }) => {
            kept.stay();
            drop(lock);
            ran.learn(&summary);
            Ok(Status::OK)
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
#[allow(clippy::large_enum_variant, reason = "there is one of it, for a moment")]
enum Made {
    Bag {
        ran: Ran,
        summary: Summary,
    },
    /// A signal ended it; nothing was changed.
    Interrupted(i32),
}

fn lock(path: &Path) -> anyhow::Result<File> {
    let directory = File::open(path).map_err(|error| refused(path, &error))?;
    // A file system without locks cannot tell; then nothing is said.
    match flock(&directory, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Err(Ended::usage(format!(
            "{}: another run is turning it into a bag; wait for that run",
            shown(path)
        ))),
        _ => Ok(directory),
    }
}

fn refused(path: &Path, error: &io::Error) -> anyhow::Error {
    Ended::output(format!("cannot write to {}: {}", shown(path), text::system(error)))
}

/// Why tag files could not be made.
fn not_made(error: Error) -> anyhow::Error {
    match error {
        Error::Unwritten(failed) => refused(&failed.path, &failed.error),
        error @ Error::Unread { .. } => {
            Ended::unreadable(format!("{error}; no bag was made, and nothing was changed"))
        }
        error => error.into(),
    }
}

fn not_recovered(failed: &Failed) -> anyhow::Error {
    let what = match failed.error.raw_os_error() {
        Some(errno) if errno == Errno::EXIST.raw_os_error() => "another file is in its place".to_owned(),
        _ => text::system(&failed.error),
    };
    Ended::output(format!(
        "an earlier run was interrupted, and the files it moved to {STAGING} cannot be put back: {}: {what}; \
         fix that and run again",
        shown(&failed.path)
    ))
}

fn say_recovered(args: &BagCreateArgs, recovered: Recovered) {
    let place = shown(&args.directory);
    let said = match recovered {
        Recovered::Nothing if args.undo => format!("{place}: no interrupted run; nothing to undo"),
        Recovered::Nothing => return,
        Recovered::Cleared => format!("{place}: an earlier run was interrupted before it moved anything"),
        Recovered::Restored(moved) => {
            let moved = text::counted(moved, "name");
            format!("{place}: an earlier run was interrupted; {moved} put back in place")
        }
        Recovered::Complete => {
            format!("{place}: an earlier run was interrupted after the bag was complete; it is now a bag")
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
            "{place}: already a bag, because it has a bagit.txt; verify it with `hashlane bag validate`"
        )));
    }
    match (args.data, has_data) {
        (None, true) => Err(Ended::usage(format!(
            "{place}: already has a `data`; use --data keep if that is the payload, or --data move \
             to make it part of the payload"
        ))),
        (Some(ExistingData::Keep), false) => {
            Err(Ended::usage(format!("{place}: --data keep: it has no `data`; leave out --data")))
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
            "empty directories: {empty}, which manifests cannot list; --keep-empty puts a .keep file into each"
        ));
    }
    let percent = plan.payload.iter().filter(|(name, _)| name.contains(&b'%')).count();
    if percent > 0 && args.bagit_version.is_strict() {
        screen.message(&format!(
            "names with a percent sign: {percent}, written as %25 as RFC 8493 requires; \
             bagit.py 1.9 and older report such files as missing; --bagit-version 0.97 suits them"
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
struct Work<'a> {
    args: &'a BagCreateArgs,
    directory: Arc<Directory>,
    staging: &'a Staging,
    plan: &'a Plan,
    keeps: bool,
}

impl Work<'_> {
    fn make(self, session: Session<'_>) -> anyhow::Result<Made> {
        self.staging.make(!self.keeps).map_err(|failed| refused(&failed.path, &failed.error))?;
        let (names, summary, ran) = match self.prepare(session) {
            Ok(Prepared::Ready { names, summary, ran }) => (names, summary, ran),
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
                Ok(Recovered::Complete) => "the bag is complete anyway",
                Ok(_) => "everything was put back",
                Err(_) => "not everything can be put back now; run `hashlane bag create --undo` on it",
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
                "{}: bag of version {} with {files} of payload and {}",
                shown(&self.args.directory),
                self.args.bagit_version,
                text::counted(names.len() as u64, "tag file"),
            ));
            ran.close(None, &summary);
        }
        Ok(Made::Bag { ran, summary })
    }

    /// Removes what was prepared; nothing was moved.
    fn clear(&self) {
        if let Err(failed) = self.staging.recover() {
            Screen::plain().message(&format!(
                "cannot remove {}: {}; everything in it was made by this run",
                shown(&failed.path),
                text::system(&failed.error)
            ));
        }
    }

    /// Reads everything and writes all tag files.
    fn prepare(&self, mut session: Session<'_>) -> anyhow::Result<Prepared> {
        let algorithms = algorithms(self.args);
        let total = self.plan.bytes();
        session.show(Box::new(move |totals| {
            totals.add(total);
            totals.complete();
        }));
        session.watch(Stop::Drained)?;
        let screen = session.screen().clone();
        let making = Making {
            directory: &self.directory,
            plan: self.plan,
            staging: self.staging,
            algorithms: &algorithms,
            version: self.args.bagit_version,
        };
        let mut problems = |name: &[u8], why: &dyn fmt::Display| {
            screen.message(&format!("{}: {why}", shown(&below(&self.args.directory, name))));
        };

        let place = std::iter::once(self.args.directory.as_os_str());
        let options = session.options(algorithms[..].into(), WalkOptions::default(), place);
        let of_tags = options.clone();
        let (listed, ran) =
            session.run(Stop::Drained, |control| making.list_payload(options, control, &mut problems))?;
        let (summary, oxum) = match listed {
            Err(error) if ran.signal().is_none() => return Err(not_made(error)),
            Ok(listed) if listed.0.stopped.is_none() => listed,
            stopped => {
                let Some(signal) = ran.signal() else {
                    return Err(Ended::unreadable("stopped; nothing was changed"));
                };
                if let Ok((summary, _)) = stopped {
                    screen.message(&ran.stopped_line(&summary));
                }
                screen.message("no bag was made; nothing was changed");
                return Ok(Prepared::Interrupted(signal));
            }
        };
        let info = info(self.args, oxum)?;
        let control = ran.control();
        let names = making.write_tags(&info, of_tags, control, &mut problems).map_err(not_made)?;

        let now = Plan::of(&self.directory, self.keeps, self.args.bagit_version);
        if !self.plan.is_as(&now) {
            return Err(Ended::unreadable(format!(
                "{}: changed while it was read; no bag was made, and nothing was changed; run again",
                shown(&self.args.directory)
            )));
        }
        if let Some(signal) = ran.signal() {
            screen.message("no bag was made; nothing was changed");
            return Ok(Prepared::Interrupted(signal));
        }
        Ok(Prepared::Ready { names, summary, ran })
    }
}

#[allow(clippy::large_enum_variant, reason = "there is one of it, for a moment")]
enum Prepared {
    Ready { names: Vec<String>, summary: Summary, ran: Ran },
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
