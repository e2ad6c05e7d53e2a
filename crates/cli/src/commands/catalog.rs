//! `hashlane catalog`.

use std::fs;
use std::path::{Path, PathBuf};

use hashlane_catalog::{Damage, Error, Replaced, RestoreError, Thoroughness};
use hashlane_report::collection::{change_json, changes_csv, changes_text, seal_json, seals_text};
use hashlane_report::text;
use serde_json::Value;

use super::collection::{even_removed, failed, now_s, open, open_to_read, place};
use crate::args::{
    CatalogBackupArgs, CatalogChangesArgs, CatalogCommand, CatalogCommandArgs, CatalogCompactArgs,
    CatalogRestoreArgs, CatalogSealsArgs, CatalogVerifyArgs, ListFormat, RowsFormat,
};
use crate::backups::{self, opening};
use crate::commands::bench::print;
use crate::output::{refused, shown};
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

pub(super) fn run(args: &CatalogCommandArgs) -> anyhow::Result<Status> {
    match &args.command {
        CatalogCommand::Verify(args) => verify(args),
        CatalogCommand::Backup(args) => backup(args),
        CatalogCommand::Restore(args) => restore(args),
        CatalogCommand::Compact(args) => compact(args),
        CatalogCommand::Seals(args) => seals(args),
        CatalogCommand::Changes(args) => changes(args),
    }
}

fn verify(args: &CatalogVerifyArgs) -> anyhow::Result<Status> {
    let catalog = open_to_read(&args.catalog)?;
    let thoroughness = if args.quick { Thoroughness::Quick } else { Thoroughness::Full };
    let problems = catalog.verify(thoroughness).map_err(failed)?;
    let path = shown(catalog.path());
    let screen = Screen::plain();
    if problems.is_empty() {
        // Whoever wants to know of seals is not to take this for an answer.
        let but = if args.quick { "; its seals were not computed" } else { "" };
        screen.message(&format!("{path}: the catalogue is whole{but}"));
        return Ok(Status::OK);
    }
    let line = |damage: &Damage| format!("{}\n", text::name(damage.to_string().as_bytes()));
    print(&problems.iter().map(line).collect::<String>())?;
    screen.message(&format!("{path}: DAMAGED; {}", backups::way_back(catalog.path())));
    Ok(Status::CORRUPT)
}

fn backup(args: &CatalogBackupArgs) -> anyhow::Result<Status> {
    if args.file.symlink_metadata().is_ok() {
        return Err(Ended::usage(format!("{}: already exists; name another file", shown(&args.file))));
    }
    open_to_read(&args.catalog)?.backup(&args.file).map_err(failed)?;
    Screen::plain().message(&format!("{}: copied", shown(&args.file)));
    Ok(Status::OK)
}

fn restore(args: &CatalogRestoreArgs) -> anyhow::Result<Status> {
    let opening = opening(&args.catalog);
    let (path, screen) = (resolved(place(&args.catalog.catalog)?)?, Screen::plain());
    let Some(file) = &args.file else { return Err(backups::list(&path, &screen)) };
    let damaged = |aside: &Path| {
        screen.message(&format!("{}: the catalogue as it was until now, which is damaged", shown(aside)));
    };
    let replaced = hashlane_catalog::restore(&path, file, &opening, now_s());
    match replaced.map_err(|error| match error {
        RestoreError::SameFile => Ended::usage(format!("{}: {error}; name a backup", shown(file))),
        RestoreError::Place(error) => refused(&path, &error),
        RestoreError::NotPutAside(error) => {
            Ended::output(format!("{error}; if it was one, give it another name, and restore again"))
        }
        RestoreError::NotMade(aside, error) => {
            damaged(&aside);
            failed(error)
        }
        RestoreError::Catalog(error) => failed(error),
        error => Ended::output(error),
    })? {
        Replaced::Nothing => {}
        Replaced::Copied(aside) => {
            screen.message(&format!("{}: a copy of the catalogue as it was until now", shown(&aside)));
        }
        Replaced::PutAside(aside) => damaged(&aside),
    }
    screen.message(&format!("{}: restored", shown(file)));
    Ok(Status::OK)
}

/// Where a catalogue lies to which links may lead, so that what lies beside it is found.
fn resolved(path: PathBuf) -> anyhow::Result<PathBuf> {
    match path.canonicalize() {
        Ok(path) => Ok(path),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(refused(&path, &error)),
        Err(_) => match fs::read_link(&path) {
            Ok(target) => Err(Ended::usage(format!(
                "{}: is a link to {}, and nothing lies there; remove the link, or name another catalogue",
                shown(&path),
                shown(&target)
            ))),
            Err(_) => Ok(path),
        },
    }
}

fn compact(args: &CatalogCompactArgs) -> anyhow::Result<Status> {
    let mut catalog = open(&args.catalog)?;
    let size = |path: &Path| path.metadata().map_or(0, |facts| facts.len());
    let path = catalog.path().to_owned();
    let before = size(&path);
    // What a purge has left that was interrupted is of no use to anybody.
    for collection in catalog.half_purged().map_err(failed)? {
        match catalog.purge_collection(&collection, now_s()) {
            // It is being purged.
            Ok(()) | Err(Error::Busy { .. }) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    catalog.compact().map_err(failed)?;
    let [before, after] = [before, size(&path)].map(|bytes| text::decimal(bytes as f64));
    Screen::plain().message(&format!("{}: {before} before, {after} now", shown(&path)));
    Ok(Status::OK)
}

fn seals(args: &CatalogSealsArgs) -> anyhow::Result<Status> {
    let catalog = open_to_read(&args.catalog)?;
    let collection = args.name.as_deref().map(|name| even_removed(&catalog, name)).transpose()?;
    let collection = collection.map(|collection| collection.id);
    let runs = catalog.sealed_runs(collection, args.last.map(|last| last as usize)).map_err(failed)?;
    if args.format == ListFormat::Json {
        print(&format!("{:#}\n", Value::from_iter(runs.iter().map(seal_json))))?;
        return Ok(Status::OK);
    }
    if runs.is_empty() {
        Screen::plain().message("no run is over yet, so there is no seal");
        return Ok(Status::OK);
    }
    print(&seals_text(&runs))?;
    Ok(Status::OK)
}

fn changes(args: &CatalogChangesArgs) -> anyhow::Result<Status> {
    let catalog = open_to_read(&args.catalog)?;
    let since_s = args.since.map(|since| since.seconds);
    let changes = catalog.changes(args.name.as_deref(), since_s).map_err(failed)?;
    match args.format {
        RowsFormat::Json => {
            print(&changes.iter().map(|change| format!("{}\n", change_json(change))).collect::<String>())?
        }
        RowsFormat::Csv => print(&changes_csv(&changes))?,
        RowsFormat::Text if changes.is_empty() => Screen::plain().message("nothing was changed"),
        RowsFormat::Text => print(&changes_text(&changes))?,
    }
    Ok(Status::OK)
}
