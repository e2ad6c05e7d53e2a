//! Object stores as commands reach them: what may be asked of them, what is wrong with them, and what was asked in the end.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use hashlane_catalog::StoreTerms;
use hashlane_engine::WalkOptions;
use hashlane_keeper::connection_of;
use hashlane_objects::{Connection, Error, Objects, Service, Traffic, is_object, with_slash};
use hashlane_report::text;
use hashlane_verify::lists::First;

use crate::args::{CheckArgs, EngineName, ReadingArgs, RequestArgs, StoreArgs, SumArgs, WalkArgs};
use crate::inputs::first_listed;
use crate::manifests;
use crate::status::Ended;
use crate::terminal::screen::Screen;

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
    let given = args.store.given().or(args.requests.given()).or(versions_given(args.versions));
    if base_here.is_none() && given.is_none() && !has_root && !lists_objects {
        return Ok(None);
    }
    if let Some(option) = given.filter(|_| base_here.is_none() && base.is_some()) {
        return Err(Ended::usage(format!(
            "{option} is for objects: name a prefix with --base s3://BUCKET/PREFIX, or leave it out"
        )));
    }
    if let Some(option) =
        given.filter(|_| base_here.is_none() && !has_root && first.is_some() && !lists_objects)
    {
        return Err(Ended::usage(format!(
            "{option} is for objects, and files are listed; name a prefix with --base s3://BUCKET/PREFIX, or leave it out"
        )));
    }
    if args.beside {
        return Err(Ended::usage(
            "--beside: no object lies beside a list; name a prefix with --base s3://BUCKET/PREFIX, or leave it out",
        ));
    }
    refuse_options_of_files(&args.reading)?;
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
            probed => probed.map_err(|error| Ended::unreadable(problem(&prefix, &error)))?,
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

/// Looks whether objects can be asked for where the first of a list is.
fn probe_bucket(objects: &Objects, first: &[u8]) -> anyhow::Result<()> {
    match objects.probe_bucket(first) {
        // What is wrong with one name is said with the others.
        Ok(()) | Err(Error::Name(_)) => Ok(()),
        Err(error) => Err(Ended::unreadable(problem(first, &error))),
    }
}

/// Whether the paths, or the names of a list, are those of objects.
///
/// # Errors
/// Some are, and others are not: a run reads from one kind of source. Or options are given that only the other kind has.
pub(crate) fn are_objects(args: &SumArgs) -> anyhow::Result<bool> {
    let SumArgs { paths, reading, .. } = args;
    let given = args.store.given().or(args.requests.given()).or(versions_given(args.versions));
    if let Some((list, zero)) = args.names.list() {
        let is_one =
            given.is_some() || first_listed(list, zero).is_some_and(|name| is_object(name.as_bytes()));
        if is_one {
            refuse_options_of_files(reading)?;
            refuse_walk_of_files(&args.walk)?;
        }
        return Ok(is_one);
    }
    let are_objects = are_all_objects(paths.iter().map(|path| path.as_bytes()), given, reading)?;
    if are_objects {
        refuse_walk_of_files(&args.walk)?;
    }
    Ok(are_objects)
}

/// Whether roots are those of objects. `given`: an option that only objects have.
///
/// # Errors
/// As [`are_objects`].
pub(crate) fn are_all_objects<'a>(
    paths: impl Iterator<Item = &'a [u8]>,
    given: Option<&'static str>,
    reading: &ReadingArgs,
) -> anyhow::Result<bool> {
    let (objects, others): (Vec<_>, Vec<_>) = paths.partition(|path| is_object(path));
    if objects.is_empty() {
        return match given {
            Some(option) => {
                Err(Ended::usage(format!("{option} is for objects; name them as s3://BUCKET/KEY")))
            }
            None => Ok(false),
        };
    }
    if !others.is_empty() {
        return Err(Ended::usage(
            "some PATHs are objects (s3://...) and some are not; read them in two runs",
        ));
    }
    refuse_options_of_files(reading)?;
    Ok(true)
}

/// The option that asks for versions, if it was given.
fn versions_given(is_given: bool) -> Option<&'static str> {
    is_given.then_some("--versions")
}

/// Refuses to look for versions where a store is not asked for them.
fn refuse_versions_elsewhere<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> anyhow::Result<()> {
    let other = names.into_iter().find(|name| Service::of(name) != Some(Service::S3));
    other.map_or(Ok(()), |name| {
        let name = text::name(name);
        Err(Ended::usage(format!("--versions: {name}: versions are only read from S3 (s3://BUCKET/KEY)")))
    })
}

pub(crate) fn refuse_options_of_files(reading: &ReadingArgs) -> anyhow::Result<()> {
    if reading.device.from_medium {
        return Err(Ended::usage("--from-medium is for files: nothing shows which medium an object lies on"));
    }
    if reading.engine != EngineName::Auto {
        return Err(Ended::usage("--engine is for files: leave it out to read objects"));
    }
    Ok(())
}

/// Refuses what says nothing of objects.
pub(crate) fn refuse_walk_of_files(walk: &WalkArgs) -> anyhow::Result<()> {
    let given = [
        (walk.one_file_system, "--one-file-system"),
        (walk.follow, "--follow"),
        (walk.no_links_once, "--no-links-once"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => {
            Err(Ended::usage(format!("{option} is for files: leave it out to read objects")))
        }
        None => Ok(()),
    }
}

/// The store that options name, with as many requests as they allow. Nothing is asked of it yet.
///
/// # Errors
/// Its endpoint or its region is none.
pub(crate) fn connect(store: &StoreArgs, requests: RequestArgs) -> anyhow::Result<Objects> {
    let mut connection = store.connection();
    connection.patience = requests.patience.patience();
    let store = Objects::new(&connection).map_err(not_reached)?.telling(told);
    if let Some(most) = requests.max_requests {
        store.ask_at_most(most);
    }
    Ok(store)
}

/// Why a store is not reached as is asked for.
fn not_reached(error: Error) -> anyhow::Error {
    match error {
        Error::Endpoint(_) => Ended::usage(format!("--endpoint: {error}")),
        Error::Region(_) => Ended::usage(format!("--region: {error}")),
        error => Ended::unreadable(error),
    }
}

/// Why the files of a collection cannot be looked for where they are said to be.
pub(crate) fn no_place(collection: &str, error: hashlane_keeper::Error) -> anyhow::Error {
    use hashlane_keeper::Error;
    match error {
        Error::NoMedium => {
            Ended::usage(format!("{collection}: --from-medium is for files: {}", Error::NoMedium))
        }
        Error::Unreached(error) => not_reached(error),
        error => Ended::usage(error),
    }
}

/// The prefix that is meant by a name, without a slash at its end. There is something below it.
///
/// # Errors
/// There is nothing, or a collection cannot be there.
pub(crate) fn prefix(name: &[u8], store: &StoreTerms) -> anyhow::Result<PathBuf> {
    use hashlane_keeper::Error;
    let reach = || Objects::new(&connection_of(store, &Connection::new()));
    hashlane_keeper::prefix(name, reach).map_err(|error| match error {
        Error::Unreached(error) => not_reached(error),
        Error::Nothing { prefix, source } => Ended::unreadable(problem(prefix.as_bytes(), &source)),
        Error::IsObject(root) => Ended::usage(format!(
            "{}: is an object, and a collection is all that lies below a prefix; name the one above it",
            text::name(root.as_bytes())
        )),
        Error::NoListing => {
            Ended::usage(format!("{}: {}; check a list of URLs", text::name(name), Error::NoListing))
        }
        error => Ended::usage(format!("{}: {error}", text::name(name))),
    })
}

/// Looks whether there is something of that name.
///
/// # Errors
/// There is nothing, or the store refuses or cannot be reached.
pub(crate) fn probe(objects: &Objects, path: &[u8]) -> anyhow::Result<()> {
    objects.probe(path).map_err(|error| Ended::unreadable(problem(path, &error)))
}

/// Takes note of roots.
///
/// # Errors
/// Two of them have one name.
pub(crate) fn know_roots<'a>(
    store: &Objects,
    mut roots: impl Iterator<Item = &'a [u8]>,
) -> anyhow::Result<()> {
    roots.try_for_each(|root| store.know_root(root).map_err(|error| Ended::usage(problem(root, &error))))
}

/// What is wrong with a location, and what to do about it.
pub(crate) fn problem(path: &[u8], error: &Error) -> String {
    format!("{}: {}", text::name(path), told(path, error))
}

/// What is wrong with a location, and what to do about it, without its name.
pub(crate) fn told(path: &[u8], error: &Error) -> String {
    format!("{error}{}", way_out(path, error))
}

/// How all below a prefix is named in the store that has a path.
pub(crate) fn prefix_like(path: &[u8]) -> &'static str {
    match Service::of(path) {
        Some(Service::Google) => "gs://BUCKET/PREFIX",
        Some(Service::Azure) => "az://CONTAINER/PREFIX",
        _ => "s3://BUCKET/PREFIX",
    }
}

/// A store, and those of the paths in which it has something. What is wrong with the others is reported on `screen`.
///
/// # Errors
/// The store cannot be reached as is asked for, or has nothing of all that.
pub(crate) fn open(args: &SumArgs, screen: &Screen) -> anyhow::Result<(Objects, Vec<OsString>)> {
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
    let mut there = Vec::new();
    let mut problems = Vec::new();
    for path in &args.paths {
        match objects.probe(path.as_bytes()) {
            Ok(()) => there.push(path.clone()),
            Err(error) => problems.push(problem(path.as_bytes(), &error)),
        }
    }
    if there.is_empty()
        && let Some(last) = problems.pop()
    {
        problems.iter().for_each(|problem| screen.message(problem));
        return Err(Ended::unreadable(last));
    }
    problems.iter().for_each(|problem| screen.message(problem));
    Ok((objects, there))
}

/// What to do about it.
fn way_out(path: &[u8], error: &Error) -> &'static str {
    match error {
        Error::Credentials(_) => match Service::of(path) {
            Some(Service::Google) => {
                "; set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`; for public objects use --no-sign-request"
            }
            Some(Service::Azure) => {
                "; set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or run `az login`; for public objects use --no-sign-request"
            }
            _ => {
                "; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; for public objects use --no-sign-request"
            }
        },
        Error::Account => "; set AZURE_STORAGE_ACCOUNT, or name the URL of the account by --endpoint",
        Error::SameName => "; read each in a run of its own",
        Error::OtherServer => "; leave out --endpoint, or read them in two runs",
        Error::Deleted => "; `hashlane sum --versions` reads them",
        Error::NoListing => "; name each object, or name them in a list by --files-from",
        error if error.is_denied() => {
            "; the credentials need permission to list the bucket and to read objects"
        }
        Error::Refused { code, .. } => match code.as_str() {
            "ExpiredToken" | "InvalidToken" | "TokenRefreshRequired" => "; renew the credentials",
            "RequestTimeTooSkewed" => "; set the clock of this machine",
            "SignatureDoesNotMatch" | "InvalidAccessKeyId" | "XAdminUserNotFound" => {
                "; check the credentials, and --endpoint and --region"
            }
            "AuthenticationFailed" | "AuthorizationFailure" => "; check the credentials, and --endpoint",
            _ => "",
        },
        Error::Unreachable { .. } => match Service::of(path) {
            Some(Service::Web) => "; check the network",
            _ => "; check --endpoint and the network",
        },
        Error::RequestsUsedUp => "; raise --max-requests",
        Error::Name(_) => {
            "; name objects as s3://BUCKET/KEY, gs://BUCKET/KEY, az://CONTAINER/KEY or https://HOST/PATH"
        }
        _ => "",
    }
}

/// What it would take to read what is below some paths.
///
/// # Errors
/// The store refuses to list them.
pub(crate) fn plan_line(store: &Objects, paths: &[OsString], walk: &WalkOptions) -> anyhow::Result<String> {
    let all = store
        .plan(paths.iter().map(|path| path.as_bytes()), walk)
        .map_err(|(path, error)| Ended::unreadable(problem(path, &error)))?;
    Ok(format!(
        "{}, {} ({}): {} to read them; finding them took {}{}",
        text::counted(all.objects, "object"),
        text::decimal(all.bytes as f64),
        text::binary(all.bytes as f64),
        text::counted(all.requests, "request"),
        text::count(store.traffic().requests()),
        match all.archived {
            0 => String::new(),
            archived => format!("; {} in an archive cannot be read", text::counted(archived, "object")),
        } + &passed_over(&store.traffic())
    ))
}

/// About how many requests it takes to list so many objects below a prefix, and to look first whether there are any.
pub(crate) fn listing_requests(prefix: &[u8], objects: u64) -> u64 {
    let page = if Service::of(prefix) == Some(Service::Azure) { 5000 } else { 1000 };
    objects.div_ceil(page) + 2
}

/// What listings of versions had that is no content.
fn passed_over(traffic: &Traffic) -> String {
    match traffic.markers() {
        0 => String::new(),
        markers => format!("; {} passed over", text::counted(markers, "delete marker")),
    }
}

/// What was asked of a store.
pub(crate) fn traffic_line(traffic: &Arc<Traffic>) -> String {
    let requests = traffic.requests();
    let mut line = format!(
        "{}: {} for listings, {} for objects",
        text::counted(requests, "request"),
        text::count(traffic.lists()),
        text::count(traffic.gets())
    );
    if traffic.agreeing() > 0 {
        let objects = text::counted(traffic.agreeing(), "object");
        line += &format!("; {objects} with the checksum that the store keeps");
    }
    line += &passed_over(traffic);
    if traffic.again() > 0 {
        line += &format!("; {} of them repeated", text::count(traffic.again()));
    }
    line
}
