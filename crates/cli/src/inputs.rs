//! From arguments to the inputs of a run.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlane_engine::{AlgorithmSet, FileTypes, Found, Input, WalkOptions, list};
pub(crate) use hashlane_io::temporary_directory;
use hashlane_io::{StandardInput, memory_budget};
use hashlane_manifest::names::Names;
use hashlane_record::{Division, ItemPath, without_secrets};
use hashlane_report::text;
use hashlane_report::work::Totals;
use hashlane_verify::lies_within;
use hashlane_verify::lists::Stdin;

use crate::args::{FileType, NamesFrom, WalkArgs};
use crate::filters::filter;
use crate::status::Ended;
use crate::terminal::progress::Count;
use crate::terminal::screen::Screen;

/// What a sum is made of.
#[derive(Clone, Debug)]
pub(crate) enum Inputs {
    /// Paths as they were named; none: standard input.
    Paths(Vec<OsString>),
    /// A list of names.
    List { file: OsString, zero: bool },
}

impl Inputs {
    pub(crate) fn new(paths: &[OsString], names: &NamesFrom) -> Self {
        match (&names.files_from, &names.files0_from) {
            (Some(file), _) => Self::List { file: file.clone(), zero: false },
            (None, Some(file)) => Self::List { file: file.clone(), zero: true },
            (None, None) => Self::Paths(paths.to_vec()),
        }
    }

    /// Whether standard input is all there is to read.
    pub(crate) fn are_stdin(&self) -> bool {
        matches!(self, Self::Paths(paths) if paths.iter().all(|path| path == "-"))
    }

    /// Whether somebody is to type it.
    pub(crate) fn come_from_terminal(&self) -> bool {
        let stdin = match self {
            Self::Paths(paths) => paths.is_empty() || paths.iter().any(|path| path == "-"),
            Self::List { file, .. } => file == "-",
        };
        stdin && StandardInput.is_terminal()
    }

    /// Where what is read lies, as far as can be told beforehand.
    pub(crate) fn places(&self) -> impl Iterator<Item = &OsStr> {
        let named = match self {
            Self::Paths(paths) => paths.as_slice(),
            Self::List { .. } => &[],
        };
        let current = matches!(self, Self::List { .. }).then_some(OsStr::new("."));
        named.iter().map(OsString::as_os_str).filter(|path| *path != "-").chain(current)
    }

    /// The roots, as a header names them.
    pub(crate) fn roots(&self) -> Vec<ItemPath> {
        match self {
            Self::Paths(paths) => {
                let named = paths.iter().filter(|path| *path != "-");
                named.map(|path| ItemPath::from(&*without_secrets(path.as_bytes()))).collect()
            }
            Self::List { .. } => Vec::new(),
        }
    }

    /// The inputs for the engine. Names of a list that cannot be are reported on `screen` and counted in `refused`.
    pub(crate) fn open(
        &self,
        recursive: bool,
        (algorithms, division): (&AlgorithmSet, Option<Division>),
        screen: &Screen,
        refused: &Arc<AtomicU64>,
    ) -> anyhow::Result<Box<dyn Iterator<Item = Input> + Send>> {
        let algorithms = Arc::clone(algorithms);
        match self {
            Self::Paths(paths) if paths.is_empty() => {
                if StandardInput.is_terminal() {
                    screen
                        .message("reading standard input; name a PATH to read files, or press Ctrl-D to end");
                }
                Ok(Box::new(std::iter::once(Input::Stdin { tag: Box::default(), algorithms, division })))
            }
            Self::Paths(paths) => {
                Ok(Box::new(paths.clone().into_iter().map(move |path| match path.as_bytes() {
                    b"-" => {
                        Input::Stdin { tag: Box::default(), algorithms: Arc::clone(&algorithms), division }
                    }
                    path if recursive => Input::Path(path.into()),
                    path => named(path.into(), &algorithms, division),
                })))
            }
            Self::List { file, zero } => {
                let names = open_list(file, *zero)?;
                let (list, screen, refused) = (list_name(file), screen.clone(), Arc::clone(refused));
                Ok(Box::new(names.filter_map(move |name| match name {
                    Ok(name) => Some(named(name, &algorithms, division)),
                    Err(problem) => {
                        refused.fetch_add(1, Ordering::Relaxed);
                        screen.message(&format!("{list}: {problem}"));
                        None
                    }
                })))
            }
        }
    }

    /// Counts the bytes of all inputs, for the progress display.
    pub(crate) fn counter(&self, options: &WalkOptions) -> Count {
        let (inputs, options) = (self.clone(), options.clone());
        Box::new(move |totals| match &inputs {
            Self::Paths(paths) => {
                if paths.iter().all(|path| count_path(path, &options, totals)) && !paths.is_empty() {
                    totals.complete();
                }
            }
            Self::List { file, zero } => {
                // A list that comes through a pipe can be read once only.
                let regular = file != "-" && std::fs::metadata(file).is_ok_and(|facts| facts.is_file());
                let Some(names) = regular.then(|| open_list(file, *zero).ok()).flatten() else { return };
                for name in names.flatten() {
                    let facts = std::fs::metadata(name.as_path()).ok();
                    let facts = facts.filter(|facts| lies_within(options.filter.bounds(), facts));
                    if !totals.add(facts.map_or(0, |facts| facts.len())) {
                        return;
                    }
                }
                totals.complete();
            }
        })
    }
}

fn named(path: ItemPath, algorithms: &AlgorithmSet, division: Option<Division>) -> Input {
    let algorithms = Arc::clone(algorithms);
    Input::File { path, base: None, algorithms, division, tag: Box::default() }
}

/// The first name of a list that can be read twice.
pub(crate) fn first_listed(file: &OsStr, zero: bool) -> Option<ItemPath> {
    let is_regular = file != "-" && std::fs::metadata(file).is_ok_and(|facts| facts.is_file());
    if is_regular { open_list(file, zero).ok()?.find_map(Result::ok) } else { None }
}

fn list_name(file: &OsStr) -> String {
    if file == "-" { "standard input".to_owned() } else { text::name(file.as_bytes()) }
}

/// The names of a list, in their order.
///
/// # Errors
/// Nothing of it can be read.
pub(crate) fn open_list(file: &OsStr, zero: bool) -> anyhow::Result<Names<'static>> {
    let shown = text::name(file.as_bytes());
    let option = if zero { "--files0-from" } else { "--files-from" };
    let closed = if file == "-" && StandardInput.is_closed() { "standard input is closed: " } else { "" };
    let failed =
        |error: io::Error| Ended::unreadable(format!("{option} {shown}: {closed}{}", text::system(&error)));
    let input: Box<dyn Read + Send> = match file.as_bytes() {
        b"-" => Box::new(Stdin::default()),
        _ => Box::new(File::open(file).map_err(failed)?),
    };
    // A list of which nothing can be read is refused here, and is not taken for one with a bad first line.
    let mut input = BufReader::new(input);
    input.fill_buf().map_err(failed)?;
    if zero { Ok(Names::nul_terminated(input)) } else { Names::lines(input).map_err(failed) }
}

/// Counts the bytes below one path; false if it cannot, or if nobody wants to know any more.
fn count_path(path: &OsStr, options: &WalkOptions, totals: &Totals) -> bool {
    match std::fs::metadata(path) {
        Ok(facts) if facts.is_dir() => {}
        Ok(facts) if path != "-" && !lies_within(options.filter.bounds(), &facts) => return totals.add(0),
        Ok(facts) => return path != "-" && totals.add(facts.len()),
        Err(_) => return totals.add(0),
    }
    let mut wanted = true;
    let walked = list(&ItemPath::from(path.as_bytes()), options, &mut |found| {
        if let Found::File { directory, name } = found {
            let facts = directory.facts(name).ok().filter(|facts| options.filter.bounds().take(facts));
            wanted = totals.add(facts.map_or(0, |facts| facts.size_bytes));
        }
        if wanted { std::ops::ControlFlow::Continue(()) } else { std::ops::ControlFlow::Break(()) }
    });
    walked.is_ok() && wanted
}

/// How directories are walked.
pub(crate) fn walk_options(args: &WalkArgs) -> anyhow::Result<WalkOptions> {
    let has = |wanted| args.types.contains(&wanted);
    let types = FileTypes {
        file: has(FileType::File),
        fifo: has(FileType::Fifo),
        block: has(FileType::Block),
        char: has(FileType::Char),
    };
    let filter = filter(&args.filter)?.of_types(types);
    Ok(WalkOptions {
        follow: args.follow,
        one_file_system: args.one_file_system,
        filter,
        ..WalkOptions::default()
    })
}

/// Memory for sorting: what is asked for, or all that the limits of the system leave.
pub(crate) fn sorting_memory(wanted: usize) -> usize {
    memory_budget().map_or(wanted, |budget| wanted.min(budget))
}
