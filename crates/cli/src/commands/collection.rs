//! The commands about collections: trees that are audited over time. What an audit is stands in `hashlane-catalog`; here are its words
//! and exit codes.

mod add;
pub(super) mod audit;
mod by;
pub(super) mod decide;
mod evidence;
mod exchange;
pub(super) mod history;
mod places;
mod report;
mod settings;
pub(super) mod status;

use std::path::PathBuf;
use std::sync::OnceLock;

use hashlane_catalog::{Collection, Error, Reader, Way, Writer, usual_place};
use hashlane_report::collection::{collection_json, collections_text, removed_text};
use hashlane_report::text::days;

use crate::args::{
    CatalogArgs, CollectionArgs, CollectionCommand, CollectionListArgs, KeptCatalogArgs, ListFormat,
};
use crate::backups::{self, opening};
use crate::commands::bench::print;
use crate::configuration::configuration;
use crate::output::shown;
use crate::status::{Ended, Status, own, unreadable, unwritten, usage};
use crate::terminal::screen::Screen;

pub(crate) use settings::even_removed;

pub(super) use hashlane_report::times::{now_s, time};

pub(super) fn run(args: &CollectionArgs) -> anyhow::Result<Status> {
    match &args.command {
        CollectionCommand::Add(args) => add::run(args),
        CollectionCommand::List(args) => list(args),
        CollectionCommand::Show(args) => settings::show(args),
        CollectionCommand::Set(args) => settings::set(args),
        CollectionCommand::Rename(args) => settings::rename(args),
        CollectionCommand::Relocate(args) => settings::relocate(args),
        CollectionCommand::Remove(args) => settings::remove(args),
        CollectionCommand::Restore(args) => settings::restore(args),
        CollectionCommand::Purge(args) => settings::purge(args),
        CollectionCommand::Import(args) => exchange::import(args),
        CollectionCommand::Export(args) => exchange::export(args),
        CollectionCommand::Report(args) => report::run(args),
    }
}

fn list(args: &CollectionListArgs) -> anyhow::Result<Status> {
    let catalog = open_to_read(&args.catalog)?;
    let (json, text, none): (Vec<_>, _, _) = if args.removed {
        let all = catalog.removed_collections().map_err(failed)?;
        let json = all.iter().map(|(collection, removed_s)| collection_json(collection, Some(*removed_s)));
        (json.collect(), removed_text(&all), "no collection was removed")
    } else {
        let all = catalog.collections().map_err(failed)?;
        let json = all.iter().map(|collection| collection_json(collection, None));
        let none = "no collection is registered; `hashlane collection add` registers one";
        (json.collect(), collections_text(&all), none)
    };
    match args.format {
        ListFormat::Json => print(&format!("{:#}\n", serde_json::Value::from(json)))?,
        ListFormat::Text if json.is_empty() => Screen::plain().message(none),
        ListFormat::Text => print(&text)?,
    }
    Ok(Status::OK)
}

/// Opens the catalogue to write to it.
pub(super) fn open(args: &KeptCatalogArgs) -> anyhow::Result<Writer> {
    Writer::open_by(&place(&args.catalog)?, &opening(args)).map_err(failed)
}

/// Opens the catalogue for a command that only reads: it stays of the version that it is of.
pub(super) fn open_to_read(args: &CatalogArgs) -> anyhow::Result<Reader> {
    read(args)?.map_err(failed)
}

/// The same, with what the catalogue says. A command waits as long as one that writes does: who asks has asked for an answer.
pub(super) fn read(args: &CatalogArgs) -> anyhow::Result<hashlane_catalog::Result<Reader>> {
    Ok(Reader::open_within(&place(args)?, Reader::PATIENCE))
}

/// Opens the catalogue, which is made if there is none.
fn open_or_make(args: &KeptCatalogArgs) -> anyhow::Result<Writer> {
    Writer::open_or_make_by(&place(&args.catalog)?, &opening(args)).map_err(failed)
}

/// Where the catalogue lies.
pub(super) fn place(args: &CatalogArgs) -> anyhow::Result<PathBuf> {
    let usual = || {
        usual_place().ok_or_else(|| {
            Ended::usage("there is no place for the catalogue: HOME is not set; name a file with --catalog")
        })
    };
    let place = match args.catalog.clone().or(configuration()?.catalog.clone()) {
        Some(named) => named,
        None => usual()?,
    };
    Ok(PLACE.get_or_init(|| place).clone())
}

/// Where the catalogue of this command lies: SQLite does not say which file it speaks of.
static PLACE: OnceLock<PathBuf> = OnceLock::new();

/// What the catalogue says, and how the command ends then.
pub(super) fn failed(error: Error) -> anyhow::Error {
    match error {
        Error::Exists { .. } | Error::BadName { .. } | Error::NotHeld { .. } | Error::NoPath { .. } => {
            Ended::usage(error)
        }
        Error::HeldBy { name } => usage!(
            "{name}: the audit that is held takes what a run of Spark has read; resume it with `hashlane audit {name} --by RUN --resume-held`, or drop it with --discard-held"
        ),
        Error::OtherTree { .. } => {
            usage!("{error}; if its nodes saw the tree elsewhere, say where with --strip-prefix PREFIX")
        }
        Error::NotYet { started_s } => {
            unreadable!("{error}: {}, and now it is {}", time(started_s), time(now_s()))
        }
        Error::NoCollection { .. } => {
            usage!("{error}; `hashlane collection list` shows those that are registered")
        }
        Error::NoCatalog { ref path } => unwritten!(
            "{error}; `hashlane collection add` makes one, and --catalog names another file{}",
            backups::way_back_of_lost(path)
        ),
        Error::NotCatalog { ref path } => unwritten!("{error}{}", backups::way_back_of_lost(path)),
        Error::Unreadable { .. } => {
            unwritten!("{error}; `hashlane catalog backup` makes a copy that can be read by itself")
        }
        Error::Database { .. } | Error::Damaged { .. } | Error::Locked { .. } | Error::Interrupted { .. } => {
            of_place(error)
        }
        Error::Network { .. } => unwritten!("{error}; name a file on this machine with --catalog"),
        Error::Newer { .. } => unwritten!("{error}; use a later hashlane"),
        Error::NotWhole { ref path, .. } => unwritten!("{error}; {}", backups::way_back(path)),
        Error::NoRoom { .. } | Error::NoRoomForCopy { .. } | Error::NoBackups { .. } => {
            unwritten!("{error}{}", backups::ELSEWHERE)
        }
        Error::Busy { .. } => Ended::not_judged(busy(&error)),
        Error::NotUnderWay { .. } => {
            usage!(
                "{error}; `hashlane audit --max-rate RATE` begins one that reads at most so much per second"
            )
        }
        Error::Engine(error) => {
            let way_out = crate::status::way_out(&error);
            anyhow::anyhow!("{error}{way_out}")
        }
        Error::Sink(source) => own(source),
        error => Ended::output(error),
    }
}

/// What is wrong with the catalogue itself, and what to do.
fn of_place(error: Error) -> anyhow::Error {
    let place = PLACE.get().cloned().unwrap_or_else(|| PathBuf::from("catalogue"));
    let way_out = match error.is_damage() {
        true => format!("; `hashlane catalog verify` tells all, and {}", backups::way_back(&place)),
        false => String::new(),
    };
    unwritten!("{}{way_out}", error.at(&place))
}

/// An error of the command on its way through the catalogue. It comes back with its exit code.
fn sink(error: anyhow::Error) -> Error {
    Error::Sink(error.reallocate_into_boxed_dyn_error_without_backtrace())
}

/// That a collection is in use, since when, and what to do.
fn busy(error: &Error) -> String {
    let since = match error {
        Error::Busy { holder: Some(holder), .. } => format!(", since {}", time(holder.since_s)),
        _ => String::new(),
    };
    format!("{error}{since}; try again when that has ended")
}

/// Where the root of a collection should be that cannot be reached, and what the system says of it.
fn unreachable(collection: &Collection, reason: &str) -> String {
    format!("{}: {reason}", shown(&collection.terms.root))
}

/// Who acts: the user of this process.
fn actor() -> String {
    hashlane_keeper::acting(Way::Command).actor
}
