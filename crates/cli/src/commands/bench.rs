//! `hashlane bench` and `report`: measure this machine, look at runs.

mod backends;
mod io;
mod kept;
mod machine;
mod pipeline;
mod progress;
mod session;
mod speed;
mod variant;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hashlane_io::{StandardOutput, remove_leftovers, replace, try_directory};
use hashlane_measure::{Brief, CheckUp, DeviceRates, Place, Run, RunError, StudyError};
use hashlane_record::masked_argument;
use hashlane_report::text::{decimal, span, system};
use hashlane_report::{classic, csv, google_benchmark, page, prometheus, text};

use self::session::Session;
use crate::args::{BenchArgs, ReportArgs, RunFormat, StudyArgs, StudyCommand};
use crate::calibration::backends as chosen_backends;
use crate::output::{self, shown};
use crate::status::{Ended, Status, unwritten, usage};
use crate::terminal::screen::Screen;
use crate::version::PROGRAM;
pub(crate) use backends::run as backends;
pub(crate) use kept::refuse_run;
pub(crate) use progress::BenchProgress;

const BUDGET: Budget = Budget { usual_s: 60, quick_s: 9 };

/// Time for measuring, unless another one is given.
#[derive(Clone, Copy)]
struct Budget {
    usual_s: u64,
    /// With `--quick`.
    quick_s: u64,
}

impl Budget {
    fn of(self, given: Option<Duration>, quick: bool) -> Duration {
        given.unwrap_or(Duration::from_secs(if quick { self.quick_s } else { self.usual_s }))
    }
}

pub(super) fn run(args: &BenchArgs) -> anyhow::Result<Status> {
    match &args.study {
        None => check_up(args),
        Some(StudyCommand::Io(args)) => io::run(args),
        Some(StudyCommand::Pipeline(args)) => pipeline::run(args),
        Some(StudyCommand::Machine(args)) => machine::run(args),
        Some(StudyCommand::Speed(args)) => speed::run(args),
        Some(StudyCommand::Variant(args)) => variant::run(args),
    }
}

fn check_up(args: &BenchArgs) -> anyhow::Result<Status> {
    check_directory("--path", &args.path)?;
    let mut session = Session::begin(&args.results, args.progress, Some(&args.path))?;
    let check_up = CheckUp(Brief {
        directory: args.path.clone(),
        budget: BUDGET.of(args.budget, args.quick),
        quick: args.quick,
        backend: chosen_backends(&args.backends).choice(),
        seed: args.seed,
        name: args.name.name.clone(),
        tells_host: !args.results.no_host_name,
        program: PROGRAM.to_owned(),
        command: command_line(),
    });
    let measured = check_up.run(session.observer());
    session.end(&measured, |run| text(run, args.results.plot, args.results.wide), None)
}

/// What a study gets.
fn brief(args: &StudyArgs, name: Option<&String>, directory: PathBuf, budget: Budget) -> Brief {
    Brief {
        directory,
        budget: budget.of(args.budget, args.quick),
        quick: args.quick,
        backend: chosen_backends(&args.backends).choice(),
        seed: args.seed,
        name: name.cloned(),
        tells_host: !args.results.no_host_name,
        program: PROGRAM.to_owned(),
        command: command_line(),
    }
}

/// The run of a study, in the layout that is wanted.
fn printed(run: &Run, args: &StudyArgs) -> String {
    classic(run).filter(|_| args.classic).unwrap_or_else(|| text(run, args.results.plot, args.results.wide))
}

/// In order, and each once: two cells of the same parameters would be one cell measured twice.
fn sorted<T: Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

/// The command without the place that the program lies in: a run file is shown to others.
fn command_line() -> Vec<String> {
    let shown = |argument: OsString| {
        String::from_utf8_lossy(&masked_argument(argument.as_encoded_bytes())).into_owned()
    };
    let arguments = std::env::args_os().skip(1).map(shown);
    std::iter::once("hashlane".to_owned()).chain(arguments).collect()
}

/// `hashlane report`.
pub(super) fn report(args: &ReportArgs) -> anyhow::Result<Status> {
    let run = load(&args.run)?;
    if args.classic {
        print(&classic_text(&run, &args.run)?)?;
        return Ok(Status::OK);
    }
    let usual = if args.output.is_some() { RunFormat::Html } else { RunFormat::Text };
    let made = match args.format.unwrap_or(usual) {
        RunFormat::Text => text(&run, args.plot, args.wide),
        RunFormat::Html => page(&run),
        RunFormat::Csv => csv(&run),
        RunFormat::Prometheus => prometheus(&run),
        RunFormat::GoogleBenchmark => google_benchmark(&run),
    };
    match args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        None => print(&made)?,
        Some(path) if is_same_file(path, &args.run) => {
            return Err(usage!("--output {}: is the run itself; name another file", shown(path)));
        }
        Some(path) => {
            refuse_run(Some(path))?;
            put(path, &made)?;
        }
    }
    Ok(Status::OK)
}

fn load(path: &Path) -> anyhow::Result<Run> {
    Run::load(path).map_err(|error| match error {
        RunError::Io { .. } => Ended::unreadable(error),
        error => Ended::usage(error),
    })
}

/// Writes a file, which takes the place of another one when it is complete.
pub(crate) fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    replace(path, text.as_bytes()).map_err(|error| unwritten!("{}: {}", shown(path), system(&error.into())))
}

/// Removes what killed runs have left in a directory, and says so.
pub(crate) fn clear(directory: &Path, screen: &Screen) {
    for left in remove_leftovers(directory).unwrap_or_default() {
        screen.message(&format!("removed a leftover of a killed run: {}", shown(&left)));
    }
}

pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let written = Screen::plain().aside(|| StandardOutput.write_all(text.as_bytes()));
    written.map_err(|error| output::Place::Stdout.failed(&error))
}

/// The run in the layout of the program that made the study first.
fn classic_text(run: &Run, path: &Path) -> anyhow::Result<String> {
    classic(run).ok_or_else(|| {
        let study = &run.study;
        usage!("{}: --classic: the study `{study}` has no original; leave out --classic", shown(path))
    })
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path| std::fs::metadata(path).ok().map(|facts| (facts.dev(), facts.ino()));
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

/// In their order, and each once.
pub(crate) fn distinct<T: Clone + PartialEq>(values: &[T]) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(value) {
            distinct.push(value.clone());
        }
    }
    distinct
}

/// What the disk of a directory does, for an estimate.
fn device_rates(directory: &Path) -> anyhow::Result<DeviceRates> {
    DeviceRates::look(directory).map_err(|error| usage!("{}: {}", shown(directory), system(&error)))
}

/// Why a study has nothing to measure with, and the way out.
fn not_studied(error: StudyError) -> anyhow::Error {
    Ended::usage(reason(&error))
}

fn reason(error: &StudyError) -> String {
    let way_out = match error {
        StudyError::Empty { .. } => "name another file",
        StudyError::FreeRoom { .. } => "give a smaller COUNT",
        StudyError::Input { .. } => "name another directory with --dir",
        StudyError::InputRoom { .. } => {
            "free some space, name another directory with --dir, or give fewer --copies"
        }
        StudyError::NoFiles { .. } => "name another directory, or give a larger --most",
        _ => return error.to_string(),
    };
    format!("{error}; {way_out}")
}

/// Seconds, as people say them.
fn lasting(seconds: f64) -> String {
    span(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

/// What an option asks for is made only where it leaves as much room as it takes.
fn check_room(option: &str, directory: &Path, wanted_bytes: u64, smaller: &str) -> anyhow::Result<()> {
    let free_bytes = Place::describe(directory)?.free_bytes;
    if free_bytes / 2 >= wanted_bytes {
        return Ok(());
    }
    Err(usage!(
        "{option}: {}: {} are free there, and twice the {} of its files are needed; name another directory with --dir, or \
         {smaller}",
        shown(directory),
        decimal(free_bytes as f64),
        decimal(wanted_bytes as f64)
    ))
}

/// Where test files go has to take them.
fn check_writable(argument: &str, path: &Path) -> anyhow::Result<()> {
    check_directory(argument, path)?;
    try_directory(path).map_err(|error| {
        usage!(
            "{argument} {}: {}: test files cannot be created there; name another directory with {argument}",
            shown(path),
            system(&error)
        )
    })
}

pub(crate) fn check_directory(argument: &str, path: &Path) -> anyhow::Result<()> {
    let wrong = |what: &str| usage!("{argument} {}: {what}", shown(path));
    match std::fs::metadata(path) {
        Ok(facts) if facts.is_dir() => Ok(()),
        Ok(_) => Err(wrong("is not a directory; name a directory")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(wrong(&format!("{}; create it, or name another directory", system(&error))))
        }
        Err(error) => Err(wrong(&system(&error))),
    }
}
