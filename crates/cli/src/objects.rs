//! Object stores as commands reach them: what may be asked of them, what is wrong with them, and what was asked in the end.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use hashlane_engine::{Control, Input, Options, Sink, Summary, WalkOptions};
use hashlane_objects::{Connection, Error, Objects, Plan, SCHEME, Traffic, is_object, plain};
use hashlane_record::ItemPath;
use hashlane_verify::Elsewhere;
use hashlane_verify::lists::Items;

use crate::args::{CheckArgs, EngineName, ReadingArgs, RequestArgs, StoreArgs, SumArgs};
use crate::inputs::first_listed;
use crate::manifests;
use crate::status::Ended;
use crate::terminal::screen::Screen;
use crate::text;

/// Objects, where listed names are looked up in.
#[derive(Debug)]
pub(crate) struct Listed {
    objects: Objects,
    /// What names are relative to: the path of a prefix, with a slash at its end.
    base: Option<Arc<[u8]>>,
}

impl Listed {
    /// Those of a check whose --base names objects, or whose manifests do. `None` if none does.
    ///
    /// # Errors
    /// The store cannot be reached as is asked for, or the check asks for what is possible with files only.
    pub(crate) fn of(args: &CheckArgs) -> anyhow::Result<Option<Self>> {
        let base =
            args.base.as_deref().map(|base| base.as_os_str().as_bytes()).filter(|base| is_object(base));
        // Below a directory there are no objects.
        let first = if args.base.is_none() || base.is_some() { first_name(args) } else { None };
        let begins_with_object = first.as_ref().is_some_and(|name| is_object(name.as_bytes()));
        let given = args.store.given().or(args.requests.given());
        if base.is_none() && given.is_none() && !begins_with_object {
            return Ok(None);
        }
        if base.is_none() && args.base.is_some() {
            return Err(Ended::usage(format!(
                "--base: name a prefix as {SCHEME}BUCKET/PREFIX, or leave out options for objects"
            )));
        }
        refuse_options_of_files(&args.reading)?;
        let only_files =
            [(args.complete, "--complete"), (args.audit, "--audit"), (args.normalize, "--normalize")];
        if let Some((_, option)) = only_files.into_iter().find(|(is_given, _)| *is_given) {
            return Err(Ended::usage(format!("{option} is not possible with objects yet; check without it")));
        }
        let objects = connect(&args.store, args.requests)?;
        let base: Option<Arc<[u8]>> = base.map(|base| match base.last() {
            Some(b'/') => Arc::from(base),
            _ => Arc::from([base, b"/"].concat()),
        });
        if let Some(base) = &base {
            match objects.probe(base) {
                // What is listed elsewhere need not be listed here.
                Err(Error::Refused { status: 403, code, .. }) if code == "AccessDenied" => {}
                probed => probed.map_err(|error| Ended::unreadable(problem(base, &error)))?,
            }
        } else if let Some(first) = first.filter(|_| begins_with_object) {
            probe_bucket(&objects, first.as_bytes())?;
        }
        Ok(Some(Self { objects, base }))
    }

    /// What was asked of the store so far.
    pub(crate) fn traffic(&self) -> Arc<Traffic> {
        self.objects.traffic()
    }
}

impl Elsewhere for Listed {
    fn run(
        &self,
        options: Options,
        inputs: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, hashlane_engine::Error> {
        let base = self.base.clone();
        let inputs = inputs.map(move |input| input.elsewhere(base.clone()));
        hashlane_engine::run_from(self.objects.clone(), options, inputs, sink, control)
    }

    fn size_bytes(&self, path: &ItemPath) -> Option<u64> {
        let name = if self.base.is_some() { plain(path.as_bytes()) } else { path.as_bytes() };
        let whole = [self.base.as_deref().unwrap_or_default(), name].concat();
        self.objects.size_bytes(&whole).ok().flatten()
    }
}

/// The first name of the first manifest that can be read twice.
fn first_name(args: &CheckArgs) -> Option<ItemPath> {
    let names = manifests::names(args);
    let first = names.iter().find(|name| std::fs::metadata(name).is_ok_and(|facts| facts.is_file()))?;
    let mut items = Items::by_whatever_algorithm(first, &manifests::reading(args)).ok()?;
    // What has no entry here has them too far away to be looked for before anything is shown.
    const MOST: usize = 100;
    items.by_ref().take(MOST).find_map(Result::ok).map(|item| item.path)
}

/// Looks whether objects can be asked for where the first of a list is.
fn probe_bucket(objects: &Objects, first: &[u8]) -> anyhow::Result<()> {
    objects.probe_bucket(first).map_err(|error| Ended::unreadable(problem(first, &error)))
}

/// Whether the paths, or the names of a list, are those of objects.
///
/// # Errors
/// Some are, and others are not: a run reads from one kind of source. Or options are given that only the other kind has.
pub(crate) fn are_objects(args: &SumArgs) -> anyhow::Result<bool> {
    let SumArgs { paths, reading, .. } = args;
    let given = args.store.given().or(args.requests.given());
    if let Some((list, zero)) = args.names.list() {
        let is_one =
            given.is_some() || first_listed(list, zero).is_some_and(|name| is_object(name.as_bytes()));
        if is_one {
            refuse_options_of_files(reading)?;
        }
        return Ok(is_one);
    }
    let objects = paths.iter().filter(|path| is_object(path.as_bytes())).count();
    if objects == 0 {
        return match given {
            Some(option) => {
                Err(Ended::usage(format!("{option} is for objects; name them as {SCHEME}BUCKET/KEY")))
            }
            None => Ok(false),
        };
    }
    if objects < paths.len() {
        return Err(Ended::usage(format!(
            "some PATHs are objects ({SCHEME}...) and some are not; read them in two runs"
        )));
    }
    refuse_options_of_files(reading)?;
    Ok(true)
}

fn refuse_options_of_files(reading: &ReadingArgs) -> anyhow::Result<()> {
    if reading.device.from_medium {
        return Err(Ended::usage("--from-medium is for files: nothing shows which medium an object lies on"));
    }
    if reading.engine != EngineName::Auto {
        return Err(Ended::usage("--engine is for files: leave it out to read objects"));
    }
    Ok(())
}

fn connect(store: &StoreArgs, requests: RequestArgs) -> anyhow::Result<Objects> {
    let objects = reach(&store.connection())?;
    requests.limit(&objects);
    Ok(objects)
}

/// A store. Nothing is asked of it yet.
///
/// # Errors
/// Its endpoint or its region is none.
pub(crate) fn reach(connection: &Connection) -> anyhow::Result<Objects> {
    Objects::new(connection).map_err(|error| match error {
        Error::Endpoint(_) => Ended::usage(format!("--endpoint: {error}")),
        Error::Region(_) => Ended::usage(format!("--region: {error}")),
        error => Ended::unreadable(error),
    })
}

/// Looks whether there is something of that name.
///
/// # Errors
/// There is nothing, or the store refuses or cannot be reached.
pub(crate) fn probe(objects: &Objects, path: &[u8]) -> anyhow::Result<()> {
    objects.probe(path).map_err(|error| Ended::unreadable(problem(path, &error)))
}

/// What is wrong with a location, and what to do about it.
fn problem(path: &[u8], error: &Error) -> String {
    format!("{}: {}", text::name(path), told(error))
}

/// What is wrong, and what to do about it.
pub(crate) fn told(error: &Error) -> String {
    format!("{error}{}", way_out(error))
}

/// A store, and those of the paths in which it has something. What is wrong with the others is reported on `screen`.
///
/// # Errors
/// The store cannot be reached as is asked for, or has nothing of all that.
pub(crate) fn open(args: &SumArgs, screen: &Screen) -> anyhow::Result<(Objects, Vec<OsString>)> {
    let objects = connect(&args.store, args.requests)?;
    if let Some((list, zero)) = args.names.list()
        && let Some(first) = first_listed(list, zero)
    {
        probe_bucket(&objects, first.as_bytes())?;
    }
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
fn way_out(error: &Error) -> &'static str {
    match error {
        Error::Credentials(_) => {
            "; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; for public objects use --no-sign-request"
        }
        Error::Refused { code, .. } => match code.as_str() {
            "RequestTimeTooSkewed" => "; set the clock of this machine",
            "SignatureDoesNotMatch" | "InvalidAccessKeyId" => {
                "; check the credentials, and --endpoint and --region"
            }
            "AccessDenied" => "; the credentials need permission to list the bucket and to read objects",
            _ => "",
        },
        Error::Unreachable { .. } => "; check --endpoint and the network",
        Error::RequestsUsedUp => "; raise --max-requests",
        Error::Name(_) => "; name objects as s3://BUCKET/KEY",
        _ => "",
    }
}

/// What it would take to read what is below some paths.
///
/// # Errors
/// The store refuses to list them.
pub(crate) fn plan_line(objects: &Objects, paths: &[OsString], walk: &WalkOptions) -> anyhow::Result<String> {
    let mut all = Plan::default();
    for path in paths.iter().map(|path| path.as_bytes()) {
        let plan = objects.plan(&ItemPath::from(path), walk);
        all += plan.map_err(|error| Ended::unreadable(problem(path, &error)))?;
    }
    Ok(format!(
        "{}, {} ({}): {} to read them; finding them took {}{}",
        text::counted(all.objects, "object"),
        text::decimal(all.bytes as f64),
        text::binary(all.bytes as f64),
        text::counted(all.requests, "request"),
        text::count(objects.traffic().requests()),
        match all.archived {
            0 => String::new(),
            archived => format!("; {} in an archive cannot be read", text::counted(archived, "object")),
        }
    ))
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
    if traffic.again() > 0 {
        line += &format!("; {} of them repeated", text::count(traffic.again()));
    }
    line
}
