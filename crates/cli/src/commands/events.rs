//! `hashlane events`.

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};
use std::time::Duration;

use hashlane_catalog::{Happened, Reader, Wanted};
use hashlane_io::StandardOutput;
use hashlane_report::collection::{event_json, event_line, events_csv};
use hashlane_report::text;

use super::collection::{failed, now_s, open_to_read};
use crate::args::{EventsArgs, RowsFormat};
use crate::commands::bench::print;
use crate::output::Place;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

/// Events that are written together.
const TOGETHER: usize = 1000;

/// How often it is looked whether something has happened.
const EVERY: Duration = Duration::from_millis(250);

pub(super) fn run(args: &EventsArgs) -> anyhow::Result<Status> {
    let mut catalog = open_to_read(&args.catalog)?;
    // What others write to one of an earlier version is not seen.
    if args.follow && !catalog.is_of_this_version() {
        return Err(Ended::usage(
            "--follow: the catalogue is of an earlier version; any command that writes to it brings it up to date",
        ));
    }
    let mut wanted = wanted(args, &catalog)?;
    let mut left = args.limit.unwrap_or(u64::MAX);
    let mut is_first = true;
    let mut seen = catalog.data_version().map_err(failed)?;
    if let Some(last) = catalog.feed(&wanted).and_then(|feed| feed.forgotten_to(now_s())).map_err(failed)? {
        Screen::plain().message(&format!(
            "new and edited files up to number {last} are not all listed any more: they are kept for 90 days, a million of each collection"
        ));
    }
    loop {
        wanted.after = write(&catalog, &wanted, &mut left, (args.format, is_first))?;
        is_first = false;
        if !args.follow || left == 0 {
            return Ok(Status::OK);
        }
        while catalog.data_version().map_err(failed)? == seen {
            if !StandardOutput.is_read(EVERY) {
                return Err(Place::Stdout.failed(&io::ErrorKind::BrokenPipe.into()));
            }
            // A catalogue that was restored is another file.
            if !catalog.is_in_place() {
                catalog = open_to_read(&args.catalog)?;
                break;
            }
        }
        seen = catalog.data_version().map_err(failed)?;
    }
}

fn wanted(args: &EventsArgs, catalog: &Reader) -> anyhow::Result<Wanted> {
    let mut wanted = Wanted::default();
    wanted.collection = args.name.clone();
    wanted.kinds = args.kinds.clone();
    wanted.actor = args.actor.clone();
    let below_root = |path| below_root(path, args.name.as_deref(), catalog);
    wanted.path = args.path.as_deref().map(below_root).transpose()?;
    wanted.since_s = args.since.map(|since| since.seconds);
    (wanted.after, wanted.before) = (args.after, args.before);
    wanted.is_reversed = args.reverse;
    Ok(wanted)
}

/// A path below the root of a collection, of one that may be absolute.
fn below_root(path: &Path, name: Option<&str>, catalog: &Reader) -> anyhow::Result<Vec<u8>> {
    let shown = || text::name(path.as_os_str().as_bytes());
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(Ended::usage(format!("--path {}: write it without `..`", shown())));
    }
    if path.is_relative() {
        return Ok(path.as_os_str().as_bytes().to_vec());
    }
    let collections = catalog.collections().map_err(failed)?;
    let is_meant = |of: &str| name.is_none_or(|name| name == of);
    let roots = collections.iter().filter(|collection| is_meant(&collection.terms.name));
    let below = roots.filter_map(|collection| path.strip_prefix(&collection.terms.root).ok()).next();
    let below = below.ok_or_else(|| {
        Ended::usage(format!("--path {}: it is not below the root of a collection", shown()))
    })?;
    Ok(below.as_os_str().as_bytes().to_vec())
}

/// Events as they are written. `is_first`: nothing was written yet.
fn rows(happened: &[Happened], format: RowsFormat, is_first: bool) -> String {
    match format {
        RowsFormat::Text => happened.iter().map(event_line).collect(),
        RowsFormat::Json => happened.iter().map(|event| format!("{}\n", event_json(event))).collect(),
        RowsFormat::Csv => events_csv(happened, is_first),
    }
}

/// Writes what there is. Returns the number of the last event.
fn write(
    catalog: &Reader,
    wanted: &Wanted,
    left: &mut u64,
    (format, mut is_first): (RowsFormat, bool),
) -> anyhow::Result<Option<i64>> {
    let mut feed = catalog.feed(wanted).map_err(failed)?;
    let mut last = wanted.after;
    while *left > 0 {
        let most = usize::try_from(*left).unwrap_or(TOGETHER).min(TOGETHER);
        let happened = feed.next(most).map_err(failed)?;
        print(&rows(&happened, format, is_first))?;
        is_first = false;
        *left -= happened.len() as u64;
        last = happened.last().map(|happened| happened.number).or(last);
        if happened.len() < most {
            // Nothing up to here need be looked at again.
            let seen = feed.last_number().map_err(failed)?;
            return Ok(last.max(Some(seen)));
        }
    }
    Ok(last)
}
