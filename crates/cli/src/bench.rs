//! `hashlane bench`, `report` and `compare`: measure this machine, look at runs.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hashlane_engine::{Control, Stop};
use hashlane_measure::{Cell, CheckUp, Comparison, Observer, Run, RunError, remove_leftovers, replace};
use hashlane_report::{comparison_text, page, text};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::{BenchArgs, CompareArgs, ProgressMode, ReportArgs};
use crate::output::{self, shown};
use crate::screen::Screen;
use crate::signals::{Interrupted, die_by};
use crate::status::{Ended, Status};
use crate::terminal::Terminal;
use crate::version::PROGRAM;

/// Time for measuring unless told otherwise.
const BUDGET: Duration = Duration::from_secs(60);

/// The same with `--quick`.
const QUICK_BUDGET: Duration = Duration::from_secs(9);

pub(crate) fn run(args: &BenchArgs) -> anyhow::Result<Status> {
    let plain = Screen::plain();
    // Before a minute is spent: where results go has to be there.
    let place = Place::of(args)?;
    check_directory(&args.path)?;
    for left in [Some(args.path.as_path()), place.directory()]
        .into_iter()
        .flatten()
        .flat_map(|directory| remove_leftovers(directory).unwrap_or_default())
    {
        plain.message(&format!("removed what a killed run had left: {}", shown(&left)));
    }
    if !args.results.json {
        plain.message(&format!("test files go to {} and are removed afterwards", shown(&args.path)));
    }
    let control = Arc::new(Control::new());
    let mut progress = BenchProgress::start(args.progress, &control);
    let interrupted = Interrupted::watch(&control, &progress.screen, Stop::Aborted)?;
    let check_up = CheckUp {
        directory: args.path.clone(),
        budget: args.budget.unwrap_or(if args.quick { QUICK_BUDGET } else { BUDGET }),
        quick: args.quick,
        seed: args.seed,
        program: PROGRAM.to_owned(),
        command: std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect(),
    };
    let measured = check_up.run(&mut progress);
    drop(progress);
    let saved = place.save(&measured, &plain)?;
    let mut stdout = std::io::stdout().lock();
    let printed = if args.results.json { measured.to_json() } else { text(&measured, args.results.plot) };
    let written = stdout.write_all(printed.as_bytes()).and_then(|()| stdout.flush());
    if let Some(signal) = interrupted.signal() {
        die_by(signal);
    }
    written.map_err(|error| output::Place::Stdout.failed(&error))?;
    if let Some(page) = saved.filter(|_| args.results.open) {
        open::that(&page)
            .map_err(|error| Ended::output(format!("no program shows {}: {error}", shown(&page))))?;
    }
    Ok(Status::OK)
}

/// `hashlane report`.
pub(crate) fn report(args: &ReportArgs) -> anyhow::Result<Status> {
    let run = load(&args.run)?;
    match &args.output {
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

fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| output::Place::Stdout.failed(&error))
}

fn write_page(run: &Run, path: &Path) -> anyhow::Result<()> {
    replace(path, page(run).as_bytes())
        .map_err(|error| Ended::output(format!("{}: {}", shown(path), crate::text::system(&error))))
}

fn check_directory(path: &Path) -> anyhow::Result<()> {
    let wrong = |what: &str| Ended::usage(format!("--path {}: {what}", shown(path)));
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
    File(PathBuf),
}

impl Place {
    fn of(args: &BenchArgs) -> anyhow::Result<Self> {
        let results = &args.results;
        if results.no_save {
            return Ok(Self::Nowhere);
        }
        if let Some(file) = &results.output {
            let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty());
            if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
                return Err(Ended::output(format!("{}: there is no such directory", shown(directory))));
            }
            if file.is_dir() {
                return Err(Ended::usage(format!("--output {}: is a directory; name a file", shown(file))));
            }
            if page_of(file) == *file {
                let wrong = "is where the page goes; give the run another ending, such as .json";
                return Err(Ended::usage(format!("--output {}: {wrong}", shown(file))));
            }
            return Ok(Self::File(file.clone()));
        }
        let Some(directory) = results.runs.clone().or_else(state_directory) else {
            Screen::plain()
                .message("the run will not be kept: there is no HOME; name a place with --runs or --output");
            return Ok(Self::Nowhere);
        };
        std::fs::create_dir_all(&directory).map_err(|error| {
            let error = crate::text::system(&error);
            Ended::output(format!(
                "{}: {error}; name another place with --runs, or --no-save",
                shown(&directory)
            ))
        })?;
        Ok(Self::Directory(directory))
    }

    /// The directory that files are written to.
    fn directory(&self) -> Option<&Path> {
        match self {
            Self::Nowhere => None,
            Self::Directory(directory) => Some(directory),
            Self::File(file) => file
                .parent()
                .map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent }),
        }
    }

    /// Keeps the run and its page; returns the page.
    fn save(&self, run: &Run, screen: &Screen) -> anyhow::Result<Option<PathBuf>> {
        let file = match self {
            Self::Nowhere => return Ok(None),
            Self::File(file) => file.clone(),
            Self::Directory(directory) => {
                let started = run.started.replace([':', '-'], "");
                directory.join(format!("{started}-{}-{}.json", run.study, run.machine.slug()))
            }
        };
        run.save(&file).map_err(Ended::output)?;
        if !file.is_file() {
            // A pipe took it; beside a pipe no page is wanted.
            return Ok(None);
        }
        let page = page_of(&file);
        write_page(run, &page)?;
        screen.message(&format!("the run is in {}, its page in {}", shown(&file), shown(&page)));
        Ok(Some(page))
    }
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

/// The display of a measurement: a bar on a terminal, lines of JSON where they are wanted.
struct BenchProgress {
    control: Arc<Control>,
    screen: Screen,
    bar: Option<ProgressBar>,
    json: bool,
    lines: bool,
    said: Instant,
    start: Instant,
}

impl BenchProgress {
    fn start(mode: ProgressMode, control: &Arc<Control>) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let shows_bar = terminal && matches!(mode, ProgressMode::Auto | ProgressMode::Always);
        let bar = shows_bar.then(|| {
            let target = ProgressDrawTarget::term_like(Box::new(Terminal::default()));
            let bar = ProgressBar::with_draw_target(Some(1_000), target);
            let style = ProgressStyle::with_template("[{bar:24}] {wide_msg}").expect("the template is sound");
            bar.set_style(style.progress_chars("=> "));
            bar
        });
        let screen = bar.clone().map_or_else(Screen::plain, Screen::with_bar);
        Self {
            control: Arc::clone(control),
            screen,
            bar,
            json: mode == ProgressMode::Json,
            lines: mode == ProgressMode::Always && !terminal,
            said: Instant::now(),
            start: Instant::now(),
        }
    }
}

impl Observer for BenchProgress {
    fn at(&mut self, cell: &Cell, share: f64) {
        if let Some(bar) = &self.bar {
            bar.set_position((share * 1_000.0) as u64);
            bar.set_message(format!("{:.0} %, {cell}", share * 100.0));
            return;
        }
        const LINE_TICK: Duration = Duration::from_secs(1);
        if !(self.json || self.lines) || self.said.elapsed() < LINE_TICK {
            return;
        }
        self.said = Instant::now();
        let line = if self.json {
            let elapsed_s = (self.start.elapsed().as_secs_f64() * 1_000.0).round() / 1_000.0;
            let (schema, cell) = ("hashlane-progress", cell.to_string());
            serde_json::json!({
                "schema": schema, "version": 1, "elapsed_s": elapsed_s, "share": share, "cell": cell,
            })
            .to_string()
        } else {
            format!("{:.0} %, {cell}", share * 100.0)
        };
        // A display that nobody takes any more is no reason to stop.
        let _ = writeln!(std::io::stderr().lock(), "{line}");
    }

    fn stops(&self) -> bool {
        self.control.stopped().is_some()
    }
}

impl Drop for BenchProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
