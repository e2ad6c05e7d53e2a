//! From arguments to the inputs of a run.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlane_engine::{AlgorithmSet, FileTypes, Input, WalkOptions};
pub(crate) use hashlane_io::temporary_directory;
use hashlane_io::{StandardInput, memory_budget};
use hashlane_manifest::names::Names;
use hashlane_objects::{Error, Objects, Service, is_object, with_slash};
use hashlane_record::{Division, ItemPath, without_secrets};
use hashlane_report::text;
use hashlane_verify::amount::{count_names, count_path};
use hashlane_verify::lists::{First, Stdin};

use crate::args::{
    CheckArgs, EngineName, FileType, NamesFrom, ReadingArgs, RequestArgs, StoreArgs, SumArgs, WalkArgs,
};
use crate::filters::filter;
use crate::hints::{not_reached, store_problem, store_told};
use crate::manifests;
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
        Box::new(move |totals| {
            let mut add = |bytes| totals.add(bytes);
            let is_complete = match &inputs {
                Self::Paths(paths) => {
                    !paths.is_empty() && paths.iter().all(|path| count_path(path, &options, &mut add))
                }
                // A list that comes through a pipe can be read once only.
                Self::List { file, zero } => is_regular(file)
                    .then(|| open_list(file, *zero).ok())
                    .flatten()
                    .is_some_and(|names| count_names(names.flatten(), &options, &mut add)),
            };
            if is_complete {
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
    if is_regular(file) { open_list(file, zero).ok()?.find_map(Result::ok) } else { None }
}

/// Whether a list can be read twice.
fn is_regular(file: &OsStr) -> bool {
    file != "-" && std::fs::metadata(file).is_ok_and(|facts| facts.is_file())
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

/// Whether the paths, or the names of a list, are those of objects.
///
/// # Errors
/// Some are, and others are not: a run reads from one kind of source. Or options are given that only the other kind has.
pub(crate) fn are_objects(args: &SumArgs) -> anyhow::Result<bool> {
    let Some((list, zero)) = args.names.list() else {
        return are_all_objects(args, args.paths.iter().map(|path| path.as_bytes()));
    };
    let is_one = given_for_objects(args).is_some()
        || first_listed(list, zero).is_some_and(|name| is_object(name.as_bytes()));
    if is_one {
        refuse_options_of_files(&args.reading, Some(&args.walk))?;
    }
    Ok(is_one)
}

/// The option that only objects have, if one was given.
fn given_for_objects(args: &SumArgs) -> Option<&'static str> {
    args.store.given().or(args.requests.given()).or(args.versions.then_some("--versions"))
}

/// Whether roots are those of objects.
///
/// # Errors
/// As [`are_objects`].
pub(crate) fn are_all_objects<'a>(
    args: &SumArgs,
    paths: impl Iterator<Item = &'a [u8]>,
) -> anyhow::Result<bool> {
    let (objects, others): (Vec<_>, Vec<_>) = paths.partition(|path| is_object(path));
    match (given_for_objects(args), &objects[..], &others[..]) {
        (None, [], _) => Ok(false),
        (Some(option), [], _) => {
            Err(Ended::usage(format!("{option} is for objects; name them as s3://BUCKET/KEY")))
        }
        (_, _, []) => refuse_options_of_files(&args.reading, Some(&args.walk)).map(|()| true),
        _ => Err(Ended::usage("some PATHs are objects (s3://...) and some are not; read them in two runs")),
    }
}

/// Refuses what says nothing of objects.
pub(crate) fn refuse_options_of_files(reading: &ReadingArgs, walk: Option<&WalkArgs>) -> anyhow::Result<()> {
    if reading.device.from_medium {
        return Err(Ended::usage("--from-medium is for files: nothing shows which medium an object lies on"));
    }
    let given = |is_given: fn(&WalkArgs) -> bool| walk.is_some_and(is_given);
    let given = [
        (reading.engine != EngineName::Auto, "--engine"),
        (given(|walk| walk.one_file_system), "--one-file-system"),
        (given(|walk| walk.follow), "--follow"),
        (given(|walk| walk.no_links_once), "--no-links-once"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => {
            Err(Ended::usage(format!("{option} is for files: leave it out to read objects")))
        }
        None => Ok(()),
    }
}

/// Refuses to look for versions where a store is not asked for them.
fn refuse_versions_elsewhere<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> anyhow::Result<()> {
    let other = names.into_iter().find(|name| Service::of(name) != Some(Service::S3));
    other.map_or(Ok(()), |name| {
        let name = text::name(name);
        Err(Ended::usage(format!("--versions: {name}: versions are only read from S3 (s3://BUCKET/KEY)")))
    })
}

/// The store that options name, with as many requests as they allow. Nothing is asked of it yet.
///
/// # Errors
/// Its endpoint or its region is none.
pub(crate) fn connect(store: &StoreArgs, requests: RequestArgs) -> anyhow::Result<Objects> {
    let mut connection = store.connection();
    connection.patience = requests.patience.patience();
    let store = Objects::new(&connection).map_err(not_reached)?.telling(store_told);
    requests.max_requests.iter().for_each(|most| store.ask_at_most(*most));
    Ok(store)
}

/// Looks whether objects can be asked for where the first of a list is.
fn probe_bucket(objects: &Objects, first: &[u8]) -> anyhow::Result<()> {
    match objects.probe_bucket(first) {
        // What is wrong with one name is said with the others.
        Ok(()) | Err(Error::Name(_)) => Ok(()),
        Err(error) => Err(Ended::unreadable(store_problem(first, &error))),
    }
}

/// Takes note of roots.
///
/// # Errors
/// Two of them have one name.
pub(crate) fn know_roots<'a>(
    store: &Objects,
    mut roots: impl Iterator<Item = &'a [u8]>,
) -> anyhow::Result<()> {
    roots
        .try_for_each(|root| store.know_root(root).map_err(|error| Ended::usage(store_problem(root, &error))))
}

/// That of a check or an audit whose --base or --root names objects, or whose manifests do. `None` if none does.
///
/// # Errors
/// The store cannot be reached as is asked for, or the check asks for what is possible with files only.
pub(crate) fn store_of(args: &CheckArgs) -> anyhow::Result<Option<Objects>> {
    if let Some(prefix) = args.manifests.iter().find(|name| is_object(name.as_bytes())) {
        return Err(Ended::usage(format!(
            "{}: a manifest is a file; name objects with --base, or with --root if their whole names are listed",
            text::name(prefix.as_bytes())
        )));
    }
    let base = args.base.as_deref().map(|base| base.as_os_str().as_bytes());
    let base_here = base.filter(|base| is_object(base));
    let roots = || args.root.iter().map(|root| root.as_os_str().as_bytes());
    let has_root = base.is_none() && roots().any(is_object);
    // Below a directory there are no objects.
    let lists = || First::of(&manifests::names(args), &manifests::reading(args));
    let first = if base.is_none() || base_here.is_some() { lists() } else { None };
    let lists_objects = first.as_ref().is_some_and(|first| is_object(first.name.as_bytes()));
    let given = args.store.given().or(args.requests.given()).or(args.versions.then_some("--versions"));
    if base_here.is_none() && given.is_none() && !has_root && !lists_objects {
        return Ok(None);
    }
    let lists_files = !has_root && first.is_some() && !lists_objects;
    if let Some(option) = given.filter(|_| base_here.is_none() && (base.is_some() || lists_files)) {
        let why = if base.is_some() { ":" } else { ", and files are listed;" };
        return Err(Ended::usage(format!(
            "{option} is for objects{why} name a prefix with --base s3://BUCKET/PREFIX, or leave it out"
        )));
    }
    if args.beside {
        return Err(Ended::usage(
            "--beside: no object lies beside a list; name a prefix with --base s3://BUCKET/PREFIX, or leave it out",
        ));
    }
    refuse_options_of_files(&args.reading, None)?;
    if args.normalize {
        return Err(Ended::usage("--normalize is not possible with objects yet; check without it"));
    }
    if base_here.is_none() && !roots().all(is_object) {
        return Err(Ended::usage("--root: name a prefix of objects as s3://BUCKET/PREFIX"));
    }
    let mut objects = connect(&args.store, args.requests)?;
    if args.versions {
        let named = base_here.into_iter().chain(first.iter().map(|first| first.name.as_bytes()));
        refuse_versions_elsewhere(named.filter(|name| is_object(name)))?;
        objects = objects.with_versions();
    }
    if let Some(base) = base_here {
        let prefix = with_slash(base);
        // The current objects say nothing of versions.
        let probed = match args.versions {
            true => objects.probe_bucket(&prefix),
            false => objects.probe(&prefix),
        };
        match probed {
            // What is listed elsewhere need not be listed here.
            Err(Error::NoListing) if !args.complete && !args.audit => {}
            Err(error) if error.is_denied() && !args.complete && !args.audit => {}
            probed => probed.map_err(|error| Ended::unreadable(store_problem(&prefix, &error)))?,
        }
        return Ok(Some(objects.below(&prefix)));
    }
    let is_anywhere = args.root.is_empty() && first.as_ref().is_some_and(|first| !first.has_roots);
    if is_anywhere && (args.complete || args.audit) {
        return Err(Ended::usage(manifests::NO_PREFIX));
    }
    if let Some(first) = first.filter(|_| lists_objects) {
        probe_bucket(&objects, first.name.as_bytes())?;
    }
    Ok(Some(objects))
}

/// A store, and those of the paths in which it has something. What is wrong with the others is reported on `screen`.
///
/// # Errors
/// The store cannot be reached as is asked for, or has nothing of all that.
pub(crate) fn open_store(args: &SumArgs, screen: &Screen) -> anyhow::Result<(Objects, Vec<OsString>)> {
    let mut objects = connect(&args.store, args.requests)?;
    let first = args.names.list().and_then(|(list, zero)| first_listed(list, zero));
    if args.versions {
        let listed = first.iter().map(|first| first.as_bytes());
        refuse_versions_elsewhere(args.paths.iter().map(|path| path.as_bytes()).chain(listed))?;
        objects = objects.with_versions();
    }
    if let Some(first) = first {
        probe_bucket(&objects, first.as_bytes())?;
    }
    know_roots(&objects, args.paths.iter().map(|path| path.as_bytes()))?;
    let (mut there, mut problems) = (Vec::new(), Vec::new());
    for path in &args.paths {
        match objects.probe(path.as_bytes()) {
            Ok(()) => there.push(path.clone()),
            Err(error) => problems.push(store_problem(path.as_bytes(), &error)),
        }
    }
    let last = if there.is_empty() { problems.pop() } else { None };
    problems.iter().for_each(|problem| screen.message(problem));
    last.map_or(Ok((objects, there)), |last| Err(Ended::unreadable(last)))
}
