//! From arguments to the inputs of a run.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlane_engine::{AlgorithmSet, FileTypes, Input, WalkOptions};
pub(crate) use hashlane_io::temporary_directory;
use hashlane_io::{StandardInput, memory_budget};
use hashlane_manifest::LineProblem;
use hashlane_objects::{Error, Objects, Service, is_object, with_slash};
use hashlane_record::Division;
use hashlane_report::text;
use hashlane_verify::amount::Add;
use hashlane_verify::lists::First;
use hashlane_verify::{Inputs, NameList};

use crate::args::{
    CheckArgs, EngineName, FileType, NamesFrom, ReadingArgs, RequestArgs, StoreArgs, SumArgs, WalkArgs,
};
use crate::filters::filter;
use crate::hints::{not_reached, store_problem, store_told};
use crate::manifests::{self, STDIN};
use crate::status::Ended;
use crate::terminal::progress::Count;
use crate::terminal::screen::Screen;

/// The paths that were named, or the list of names.
pub(crate) fn inputs(paths: &[OsString], names: &NamesFrom) -> Inputs {
    name_list(names).map_or_else(|| Inputs::Paths(paths.to_vec()), Inputs::List)
}

/// The list of names that was named, if one was.
fn name_list(names: &NamesFrom) -> Option<NameList> {
    names.list().map(|(file, zero)| NameList { file: file.to_owned(), zero })
}

/// The inputs for the engine. Names of a list that cannot be are reported on `screen` and counted in `refused`.
pub(crate) fn open(
    inputs: &Inputs,
    recursive: bool,
    how: (&AlgorithmSet, Option<Division>),
    screen: &Screen,
    refused: &Arc<AtomicU64>,
) -> anyhow::Result<Box<dyn Iterator<Item = Input> + Send>> {
    match inputs {
        Inputs::Paths(paths) => {
            if paths.is_empty() && StandardInput.is_terminal() {
                screen.message("reading standard input; name a PATH to read files, or press Ctrl-D to end");
            }
            Ok(inputs.open(recursive, how, |_| ())?)
        }
        Inputs::List(list) => {
            let (name, screen, refused) = (manifests::shown(&list.file), screen.clone(), Arc::clone(refused));
            let refused = move |problem: &LineProblem| {
                refused.fetch_add(1, Ordering::Relaxed);
                screen.message(&format!("{name}: {problem}"));
            };
            inputs.open(recursive, how, refused).map_err(|error| unreadable_list(list, &error))
        }
    }
}

/// Counts the bytes of all inputs, for the progress display.
pub(crate) fn counter(inputs: &Inputs, options: &WalkOptions) -> Count {
    let (inputs, options) = (inputs.clone(), options.clone());
    counting(move |add| inputs.count(&options, add))
}

/// Counts what there is to read, for the progress display. `count`: hands over the bytes of each file; false if it could not.
pub(crate) fn counting(count: impl FnOnce(&mut Add<'_>) -> bool + Send + 'static) -> Count {
    Box::new(|totals| {
        if count(&mut |bytes| totals.add(bytes)) {
            totals.complete();
        }
    })
}

/// Why nothing of a list can be read.
pub(crate) fn unreadable_list(list: &NameList, error: &io::Error) -> anyhow::Error {
    let option = if list.zero { "--files0-from" } else { "--files-from" };
    let is_closed = list.file == STDIN && StandardInput.is_closed();
    let closed = if is_closed { "standard input is closed: " } else { "" };
    Ended::unreadable(format!(
        "{option} {}: {closed}{}",
        text::name(list.file.as_bytes()),
        text::system(error)
    ))
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
    let Some(list) = name_list(&args.names) else {
        return are_all_objects(args, args.paths.iter().map(|path| path.as_bytes()));
    };
    let is_one = given_for_objects(&args.store, args.requests, args.versions).is_some()
        || list.first().is_some_and(|name| is_object(name.as_bytes()));
    if is_one {
        refuse_options_of_files(&args.reading, Some(&args.walk))?;
    }
    Ok(is_one)
}

/// The option that only objects have, if one was given.
fn given_for_objects(store: &StoreArgs, requests: RequestArgs, versions: bool) -> Option<&'static str> {
    store.given().or(requests.given()).or(versions.then_some("--versions"))
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
    let given = given_for_objects(&args.store, args.requests, args.versions);
    match (given, &objects[..], &others[..]) {
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
    match first_given(&given) {
        Some(option) => Err(Ended::usage(format!("{option} is for files: leave it out to read objects"))),
        None => Ok(()),
    }
}

/// The first option that was given.
pub(crate) fn first_given(options: &[(bool, &'static str)]) -> Option<&'static str> {
    options.iter().find(|(is_given, _)| *is_given).map(|(_, option)| *option)
}

/// The store with the versions of its objects. Of none of the names is another one asked for them.
fn with_versions<'a>(store: Objects, mut names: impl Iterator<Item = &'a [u8]>) -> anyhow::Result<Objects> {
    match names.find(|name| Service::of(name) != Some(Service::S3)).map(text::name) {
        Some(name) => {
            Err(Ended::usage(format!("--versions: {name}: versions are only read from S3 (s3://BUCKET/KEY)")))
        }
        None => Ok(store.with_versions()),
    }
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
    let given = given_for_objects(&args.store, args.requests, args.versions);
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
        objects = with_versions(objects, named.filter(|name| is_object(name)))?;
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
    let first = name_list(&args.names).and_then(|list| list.first());
    if args.versions {
        let listed = first.iter().map(|first| first.as_bytes());
        objects = with_versions(objects, args.paths.iter().map(|path| path.as_bytes()).chain(listed))?;
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
    screen.messages(&problems);
    last.map_or(Ok((objects, there)), |last| Err(Ended::unreadable(last)))
}
