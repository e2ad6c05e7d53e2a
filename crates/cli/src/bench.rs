//! `hashlane bench`, `report` and `compare`: measure this machine, look at runs.

mod backends;
mod progress;

use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hashlane_engine::{Control, Stop};
use hashlane_measure::{
    Brief, CheckUp, Comparison, Run, RunError, put_new, remove_leftovers, replace, try_directory,
};
use hashlane_report::{comparison_text, page, text};

use crate::args::{BenchArgs, CompareArgs, ReportArgs};
use crate::calibration::Backends;
use crate::output::{self, is_special, shown};
use crate::screen::Screen;
use crate::signals::{Interrupted, die_by};
use crate::status::{Ended, Status};
use crate::version::PROGRAM;
pub(crate) use backends::run as backends;
pub(crate) use progress::BenchProgress;

/// Time for measuring unless told otherwise.
const BUDGET: Duration = Duration::from_secs(60);

/// The same with `--quick`.
const QUICK_BUDGET: Duration = Duration::from_secs(9);

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<Status> {
    let plain = Screen::plain();
    // Before a minute is spent: where results go has to be there.
    let place = Place::of(args)?;
    check_directory("--path", &args.path)?;
    let control = Arc::new(Control::new());
    let mut progress = BenchProgress::start(args.progress, &control);
    let screen = progress.screen().clone();
    let interrupted = Interrupted::watch(&control, &screen, Stop::Aborted)?;
    for left in [Some(args.path.as_path()), place.directory()]
        .into_iter()
        .flatten()
        .flat_map(|directory| remove_leftovers(directory).unwrap_or_default())
    {
        screen.message(&format!("removed what a killed run had left: {}", shown(&left)));
    }
    match try_directory(&args.path) {
        Ok(()) if args.results.json => {}
        Ok(()) => {
            screen.message(&format!("test files go to {} and are removed afterwards", shown(&args.path)))
        }
        Err(error) => screen.message(&format!(
            "{}: {}: files cannot be measured there, the rest can; name another place with --path",
            shown(&args.path),
            crate::text::system(&error)
        )),
    }
    let check_up = CheckUp(Brief {
        directory: args.path.clone(),
        budget: args.budget.unwrap_or(if args.quick { QUICK_BUDGET } else { BUDGET }),
        quick: args.quick,
        backend: Backends::of(&args.backends).choice(),
        seed: args.seed,
        program: PROGRAM.to_owned(),
        command: command_line(),
    });
    let measured = check_up.run(&mut progress);
    drop(progress);
    let is_empty = measured.cells.iter().all(|result| result.samples.is_empty());
    if let Some(signal) = interrupted.signal().filter(|_| is_empty) {
        plain.message("stopped before the first round was done: there is nothing to keep");
        die_by(signal);
    }
    // Whatever becomes of one, the other is not lost: what was measured is kept, and it is printed.
    let saved = place.save(&measured, &plain);
    let printed = if args.results.json { measured.to_json() } else { text(&measured, args.results.plot) };
    let written = print(&printed);
    if let Some(signal) = interrupted.signal() {
        if let Err(error) = saved {
            plain.message(&error.to_string());
        }
        die_by(signal);
    }
    let page = saved?;
    written?;
    if let Some(page) = page.filter(|_| args.results.open) {
        open::that(&page)
            .map_err(|error| Ended::output(format!("no program shows {}: {error}", shown(&page))))?;
    }
    Ok(Status::OK)
}

/// The command without the place that the program lies in: a run file is shown to others.
fn command_line() -> Vec<String> {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once("hashlane".to_owned()).chain(arguments).collect()
}

/// `hashlane report`.
pub(crate) fn report(args: &ReportArgs) -> anyhow::Result<Status> {
    let run = load(&args.run)?;
    match &args.output {
        Some(path) if path.as_os_str() == "-" => print(&page(&run))?,
        Some(path) if is_same_file(path, &args.run) => {
            return Err(Ended::usage(format!(
                "--output {}: is the run itself; name another file",
                shown(path)
            )));
        }
        Some(path) => write_page(&run, path)?,
        None => print(&text(&run, args.plot))?,
    }
    Ok(Status::OK)
}

/// `hashlane compare`.
pub(crate) fn compare(args: &CompareArgs) -> anyhow::Result<Status> {
    let (first, second) = (load(&args.first)?, load(&args.second)?);
    let comparison = Comparison::of(&first, &second);
    if comparison.rows.is_empty() {
        return Err(Ended::usage(format!(
            "{} and {} have no cell in common",
            shown(&args.first),
            shown(&args.second)
        )));
    }
    print(&comparison_text(&first, &second, &comparison))?;
    Ok(Status::OK)
}

fn load(path: &Path) -> anyhow::Result<Run> {
    Run::load(path).map_err(|error| match error {
        RunError::Io { .. } => Ended::unreadable(error),
        error => Ended::usage(error),
    })
}

pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| output::Place::Stdout.failed(&error))
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let identity = |path| std::fs::metadata(path).ok().map(|facts| (facts.dev(), facts.ino()));
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

fn write_page(run: &Run, path: &Path) -> anyhow::Result<()> {
    replace(path, page(run).as_bytes())
        .map_err(|error| Ended::output(format!("{}: {}", shown(path), crate::text::system(&error))))
}

pub(crate) fn check_directory(argument: &str, path: &Path) -> anyhow::Result<()> {
    let wrong = |what: &str| Ended::usage(format!("{argument} {}: {what}", shown(path)));
    match std::fs::metadata(path) {
        Ok(facts) if facts.is_dir() => Ok(()),
        Ok(_) => Err(wrong("is not a directory; name one on the disk to be measured")),
        Err(error) => Err(wrong(&crate::text::system(&error))),
    }
}

/// Where a run is kept.
enum Place {
    Nowhere,
    Directory(PathBuf),
    /// The run, and its page unless it goes to a pipe or a device.
    File(PathBuf, Option<PathBuf>),
}

impl Place {
    fn of(args: &BenchArgs) -> anyhow::Result<Self> {
        let results = &args.results;
        if results.no_save {
            return Ok(Self::Nowhere);
        }
        if let Some(file) = &results.output {
            let wrong = |what: &str| Err(Ended::usage(format!("--output {}: {what}", shown(file))));
            if file.as_os_str() == "-" {
                return wrong("--json prints the run");
            }
            if file.is_dir() {
                return wrong("is a directory; name a file");
            }
            let page = page_of(file);
            if page == *file {
                return wrong("is where the page goes; give the run another ending, such as .json");
            }
            if is_special(file) {
                return Ok(Self::File(file.clone(), None));
            }
            if page.exists() && !is_page_of_ours(&page) {
                let what = format!("the page would go to {}, which is there and is none", shown(&page));
                return wrong(&format!("{what}; give the run another name"));
            }
            let directory = directory_of(file);
            try_directory(directory).map_err(|error| cannot_be_kept(directory, &error))?;
            return Ok(Self::File(file.clone(), Some(page)));
        }
        let Some(directory) = results.runs.clone().or_else(state_directory) else {
            Screen::plain()
                .message("the run will not be kept: there is no HOME; name a place with --runs or --output");
            return Ok(Self::Nowhere);
        };
        std::fs::create_dir_all(&directory)
            .and_then(|()| try_directory(&directory))
            .map_err(|error| cannot_be_kept(&directory, &error))?;
        Ok(Self::Directory(directory))
    }

    /// The directory that files are written to.
    fn directory(&self) -> Option<&Path> {
        match self {
            Self::Nowhere | Self::File(_, None) => None,
            Self::Directory(directory) => Some(directory),
            Self::File(file, Some(_)) => Some(directory_of(file)),
        }
    }

    /// Keeps the run and its page; returns the page.
    fn save(&self, run: &Run, screen: &Screen) -> anyhow::Result<Option<PathBuf>> {
        let (file, page) = match self {
            Self::Nowhere => return Ok(None),
            Self::File(file, page) => {
                replace(file, run.to_json().as_bytes()).map_err(|error| cannot_be_kept(file, &error))?;
                (file.clone(), page.clone())
            }
            Self::Directory(directory) => {
                let file = put_in(directory, run).map_err(|error| cannot_be_kept(directory, &error))?;
                let page = page_of(&file);
                (file, Some(page))
            }
        };
        // A pipe has taken it: beside a pipe no page is wanted.
        let Some(page) = page else { return Ok(None) };
        let written = write_page(run, &page);
        let and_page =
            if written.is_ok() { format!(", its page in {}", shown(&page)) } else { String::new() };
        screen.message(&format!("the run is in {}{and_page}", shown(&file)));
        written.map(|()| Some(page))
    }
}

/// Puts a run under a name of its own: two that began in the same second are both kept.
fn put_in(directory: &Path, run: &Run) -> io::Result<PathBuf> {
    let stem = format!("{}-{}-{}", run.started.replace([':', '-'], ""), run.study, run.machine.slug());
    let stems = std::iter::once(stem.clone()).chain((2..).map(|number| format!("{stem}-{number}")));
    for stem in stems {
        let path = directory.join(format!("{stem}.json"));
        match put_new(&path, run.to_json().as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.map(|()| path),
        }
    }
    unreachable!("there is always one more number")
}

fn cannot_be_kept(place: &Path, error: &io::Error) -> anyhow::Error {
    let error = crate::text::system(error);
    Ended::output(format!(
        "{}: {error}: the run cannot be kept; name another place with --runs or --output, or --no-save",
        shown(place)
    ))
}

fn directory_of(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Whether a file is a page that this program wrote: nothing else is written over unasked.
fn is_page_of_ours(path: &Path) -> bool {
    const LONGEST_HEAD: u64 = 4_096;
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(LONGEST_HEAD).read_to_end(&mut head));
    let mark = br#"name="generator" content="hashlane"#;
    read.is_ok() && head.windows(mark.len()).any(|bytes| bytes == mark)
}

/// The page lies beside its run.
fn page_of(run: &Path) -> PathBuf {
    run.with_extension("html")
}

/// Where the XDG base directory specification puts state.
fn state_directory() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("hashlane/runs"))
}
