//! `hashlane bag create`: a directory becomes a bag, in its place.
//!
//! All is read before anything is moved, so what takes long changes nothing; what changes something is a
//! handful of renames ([`hashlane_bag::Staging`]).

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use hashlane_bag::{
    Error, Failed, Kept, Made, Making, Plan, Problems, Recovered, STAGING, Staging, below, standing,
};
use hashlane_digest::Algorithm;
use hashlane_engine::{Stop, WalkOptions};
use hashlane_io::Directory;
use hashlane_report::files::bag_info;
use hashlane_report::text;
use rustix::io::Errno;

use super::super::bench::distinct;
use crate::args::{BagCreateArgs, ExistingData};
use crate::output::{refused, shown};
use crate::session::Session;
use crate::status::{Ended, Status, unreadable, unwritten, usage};
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by;
use crate::version::PROGRAM;

/// How many names are said one by one.
const MOST_SAID: usize = 20;

pub(super) fn run(args: &BagCreateArgs) -> anyhow::Result<Status> {
    let session = Session::begin(&args.reading, &args.backends, false)?;
    let directory = super::open(args.directory.as_os_str(), "name the directory to turn into a bag")?;
    let staging = Staging::of(&args.directory);
    // Held until the end, so that no two runs are at one directory.
    let lock = staging.lock().map_err(unwritten)?.ok_or_else(|| {
        let place = shown(&args.directory);
        usage!("{place}: another run is turning it into a bag; wait for that run")
    })?;
    let recovered = match staging.is_there() {
        Ok(true) => staging.recover().map_err(|failed| not_recovered(&failed))?,
        Ok(false) => Recovered::Nothing,
        Err(failed) => return Err(unreadable!("{failed}; nothing was changed")),
    };
    say_recovered(args, recovered);
    if args.undo || recovered == Recovered::Complete {
        return Ok(Status::OK);
    }
    let keeps = payload_is_there(args)?;
    let look = || Plan::of(&directory, keeps, args.bagit_version);
    let kept = if args.keep_empty {
        Kept::put(&args.directory, &look()).map_err(unwritten)?
    } else {
        Kept::default()
    };
    let plan = look();
    refuse(args, &plan)?;
    let made = make(args, &directory, &staging, &plan, session);
    if !matches!(made, Ok(None)) {
        kept.remove();
    }
    if let Some(signal) = made? {
        die_by(signal);
    }
    drop(lock);
    Ok(Status::OK)
}

fn unwritten(failed: Failed) -> anyhow::Error {
    refused(&failed.path, &failed.error)
}

/// Makes the bag; or nothing is changed, by the signal that is given back.
fn make(
    args: &BagCreateArgs,
    directory: &Arc<Directory>,
    staging: &Staging,
    plan: &Plan,
    mut session: Session<'_>,
) -> anyhow::Result<Option<i32>> {
    let date = today()?;
    staging.make(!plan.keeps).map_err(unwritten)?;
    let total = plan.bytes();
    session.show(Box::new(move |totals| {
        totals.add(total);
        totals.complete();
    }));
    let algorithms = algorithms(args);
    let version = args.bagit_version;
    let making = Making { directory, plan, staging, algorithms: &algorithms, version };
    let screen = session.screen().clone();
    let problems: Problems<'_> = &mut |name: &[u8], why: &dyn fmt::Display| {
        screen.message(&format!("{}: {why}", shown(&below(&args.directory, name))));
    };
    let place = std::iter::once(args.directory.as_os_str());
    let options = session.options(algorithms[..].into(), WalkOptions::default(), place);
    let (made, ran) = session.run(Stop::Drained, |control| {
        making.make(|oxum| bag_info(&args.info, oxum, date, PROGRAM), options, control, problems)
    })?;
    if !matches!(made, Ok(Made::Bag { .. }) | Err(Error::Unmoved { .. })) {
        clear(staging);
    }
    let stopped = match made {
        Ok(Made::Bag { summary, tag_files }) => {
            if !args.quiet {
                let files = text::counted(plan.payload.len() as u64, "file");
                let tag_files = text::counted(tag_files, "tag file");
                let place = shown(&args.directory);
                screen.message(&format!(
                    "{place}: bag of version {version} with {files} of payload and {tag_files}"
                ));
                ran.close(None, &summary);
            }
            ran.learn(&summary);
            return Ok(None);
        }
        Ok(Made::Stopped(summary)) => summary,
        Err(error @ Error::Unmoved { .. }) => return Err(not_made(args, error)),
        Err(error) if ran.signal().is_none() => return Err(not_made(args, error)),
        Err(_) => None,
    };
    let Some(signal) = ran.signal() else { return Err(Ended::unreadable("stopped; nothing was changed")) };
    if let Some(summary) = stopped {
        screen.message(&ran.stopped_line(&summary));
    }
    screen.message("no bag was made; nothing was changed");
    Ok(Some(signal))
}

/// Removes what was prepared; nothing was moved.
fn clear(staging: &Staging) {
    if let Err(failed) = staging.recover() {
        let what = format!("cannot remove {failed}; everything in it was made by this run");
        Screen::plain().message(&what);
    }
}

/// Why there is no bag.
fn not_made(args: &BagCreateArgs, error: Error) -> anyhow::Error {
    let place = shown(&args.directory);
    match error {
        Error::Unwritten(failed) => unwritten(failed),
        Error::Changed => {
            unreadable!("{place}: {error}; no bag was made, and nothing was changed; run again")
        }
        Error::Unread { .. } => unreadable!("{error}; no bag was made, and nothing was changed"),
        Error::Unmoved { failed, undone } => {
            let undone = match undone {
                Ok(Recovered::Complete) => "the bag is complete anyway",
                Ok(_) => "everything was put back",
                Err(_) => "not everything can be put back now; run `hashlane bag create --undo` on it",
            };
            unwritten!("cannot move {failed}; {undone}")
        }
        error => error.into(),
    }
}

fn not_recovered(failed: &Failed) -> anyhow::Error {
    let what = match failed.error.raw_os_error() {
        Some(errno) if errno == Errno::EXIST.raw_os_error() => "another file is in its place".to_owned(),
        _ => text::system(&failed.error),
    };
    unwritten!(
        "an earlier run was interrupted, and the files it moved to {STAGING} cannot be put back: {}: {what}; \
         fix that and run again",
        shown(&failed.path)
    )
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
        return Err(usage!(
            "{place}: already a bag, because it has a bagit.txt; verify it with `hashlane bag validate`"
        ));
    }
    match (args.data, has_data) {
        (None, true) => Err(usage!(
            "{place}: already has a `data`; use --data keep if that is the payload, or --data move \
             to make it part of the payload"
        )),
        (Some(ExistingData::Keep), false) => {
            Err(usage!("{place}: --data keep: it has no `data`; leave out --data"))
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
    let place = shown(&args.directory);
    if !plan.unsearched.is_empty() {
        let what = match plan.unsearched.len() {
            1 => "a directory".to_owned(),
            many => format!("{} directories", text::count(many as u64)),
        };
        return Err(unreadable!(
            "{place}: {what} could not be searched; no bag was made, and nothing was changed"
        ));
    }
    if !plan.refused.is_empty() {
        for (name, why) in plan.refused.iter().take(MOST_SAID) {
            screen.message(&format!("{}: {why}", text::name(name)));
        }
        let refused = text::counted(plan.refused.len() as u64, "name");
        return Err(unreadable!("{place}: {refused} cannot be in a bag; nothing was changed"));
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

/// The algorithms, each once.
fn algorithms(args: &BagCreateArgs) -> Vec<Algorithm> {
    let default = ["sha256", "sha512"].into_iter().filter_map(Algorithm::named);
    let wanted: Vec<_> = if args.algorithm.is_empty() { default.collect() } else { args.algorithm.clone() };
    distinct(&wanted)
}

/// The date: that of SOURCE_DATE_EPOCH in UTC, if it is set, so that a bag can be made again byte for byte.
fn today() -> anyhow::Result<String> {
    let Some(epoch) = std::env::var_os("SOURCE_DATE_EPOCH").filter(|value| !value.is_empty()) else {
        return Ok(jiff::Zoned::now().date().to_string());
    };
    let seconds = epoch.to_str().and_then(|text| text.parse().ok());
    let time = seconds.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok()).ok_or_else(|| {
        let value = shown(Path::new(&epoch));
        usage!("SOURCE_DATE_EPOCH is \"{value}\"; expected seconds since 1970")
    })?;
    Ok(time.to_zoned(jiff::tz::TimeZone::UTC).date().to_string())
}
