//! `hashlane catalog changes`.

use hashlane_report::collection::{change_json, changes_csv, changes_text};

use super::super::collection::{failed, open_to_read};
use crate::args::{CatalogChangesArgs, RowsFormat};
use crate::commands::bench::print;
use crate::status::Status;
use crate::terminal::screen::Screen;

pub(super) fn run(args: &CatalogChangesArgs) -> anyhow::Result<Status> {
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
