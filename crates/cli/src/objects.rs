//! Object stores as commands reach them: what may be asked of them, what is wrong with them, and what was asked in the end.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use hashlane_engine::{Control, Input, Options, Sink, Summary};
use hashlane_objects::{Error, Objects, SCHEME, Traffic, is_object};
use hashlane_record::ItemPath;
use hashlane_verify::Elsewhere;
use hashlane_verify::lists::Items;

use crate::args::{CheckArgs, EngineName, ReadingArgs, StoreArgs};
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
        if base.is_none() && args.store.given().is_none() && !begins_with_objects(args) {
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
        let objects = connect(&args.store)?;
        let base: Option<Arc<[u8]>> = base.map(|base| match base.last() {
            Some(b'/') => Arc::from(base),
            _ => Arc::from([base, b"/"].concat()),
        });
        if let Some(base) = &base {
            let path = ItemPath::from(&base[..]);
            objects.probe(&path).map_err(|error| Ended::unreadable(problem(&base[..], &error)))?;
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
        let whole = [self.base.as_deref().unwrap_or_default(), path.as_bytes()].concat();
        self.objects.size_bytes(&whole).ok().flatten()
    }
}

/// Whether the first name of the first manifest that can be read twice is that of an object.
fn begins_with_objects(args: &CheckArgs) -> bool {
    let names = manifests::names(args);
    let first = names.iter().find(|name| std::fs::metadata(name).is_ok_and(|facts| facts.is_file()));
    let items = first.and_then(|name| Items::by_whatever_algorithm(name, &manifests::reading(args)).ok());
    let item = items.and_then(|mut items| items.find_map(Result::ok));
    item.is_some_and(|item| is_object(item.path.as_bytes()))
}

/// Whether the paths name objects.
///
/// # Errors
/// Some do, and others do not: a run reads from one kind of source. Or options are given that only the other kind has.
pub(crate) fn are_objects(
    paths: &[OsString],
    store: &StoreArgs,
    reading: &ReadingArgs,
) -> anyhow::Result<bool> {
    let objects = paths.iter().filter(|path| is_object(path.as_bytes())).count();
    if objects == 0 {
        return match store.given() {
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

fn connect(store: &StoreArgs) -> anyhow::Result<Objects> {
    Objects::new(&store.connection()).map_err(|error| Ended::usage(format!("--endpoint: {error}")))
}

/// What is wrong with a location, and what to do about it.
fn problem(path: &[u8], error: &Error) -> String {
    format!("{}: {error}{}", text::name(path), way_out(error))
}

/// A store, and those of the paths in which it has something. What is wrong with the others is reported on `screen`.
///
/// # Errors
/// The store cannot be reached as is asked for, or has nothing of all that.
pub(crate) fn open(
    paths: &[OsString],
    store: &StoreArgs,
    screen: &Screen,
) -> anyhow::Result<(Objects, Vec<OsString>)> {
    let objects = connect(store)?;
    let mut there = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        match objects.probe(&ItemPath::from(path.as_bytes())) {
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
        Error::Name(_) => "; name objects as s3://BUCKET/KEY",
        _ => "",
    }
}

/// What was asked of a store.
pub(crate) fn traffic_line(traffic: &Arc<Traffic>) -> String {
    let requests = traffic.lists() + traffic.gets();
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
