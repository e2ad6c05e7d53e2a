//! `hashlane status`.

use hashlane_catalog::{Error, Reader};
use hashlane_keeper::{MOST_LATE, NightEnd, Outlook, Overview, Watched};
use hashlane_report::collection::{status_json, status_text};

use super::{failed, now_s, read};
use crate::args::{ListFormat, StatusArgs};
use crate::commands::bench::print;
use crate::how::{how_to, tuned};
use crate::status::{Status, usage};

pub(crate) fn run(args: &StatusArgs) -> anyhow::Result<Status> {
    let catalog = match read(&args.catalog)? {
        // Nothing is watched: that does not answer who asks whether all is well.
        Err(error @ Error::NoCatalog { .. }) if args.check => {
            return Err(usage!("{error}; {REGISTER}"));
        }
        catalog => catalog.map_err(failed)?,
    };
    let now_s = now_s();
    let rows = rows(&catalog, args, now_s)?;
    if args.check && rows.is_empty() {
        return Err(usage!("no collection is registered; {REGISTER}"));
    }
    let text = match args.format {
        ListFormat::Text => status_text(&rows, now_s, &how_to),
        ListFormat::Json if args.follow => format!("{}\n", status_json(&rows)),
        ListFormat::Json => format!("{:#}\n", status_json(&rows)),
    };
    print(&text)?;
    match (args.check, args.audited_within) {
        (false, None) => Ok(Status::OK),
        (true, _) => Ok(checked(&rows)),
        // Who asks for that alone gets that alone.
        (false, Some(_)) => Ok(seen(&rows)),
    }
}

/// How `--check` ends.
fn checked(rows: &[Watched]) -> Status {
    Status::of_classes(NightEnd::of(rows.iter().map(|row| &row.overview)).classes())
}

/// The way to a collection.
const REGISTER: &str = "`hashlane collection add` registers one";

/// Whether each collection was judged within the time that was asked for.
fn seen(rows: &[Watched]) -> Status {
    match rows.iter().any(|row| row.overview.is_missed()) {
        true => Status::LATE,
        false => Status::OK,
    }
}

fn rows(catalog: &Reader, args: &StatusArgs, now_s: i64) -> anyhow::Result<Vec<Watched>> {
    let row = |collection| {
        let mut overview = Overview::of(catalog, collection, now_s, MOST_LATE).map_err(failed)?;
        overview.missed_after_s = args.audited_within.map(|within| within.as_secs() as i64);
        let of = &overview.collection;
        let rate = || Some(tuned(&args.cache, of)?.bytes_per_second);
        let outlook = Outlook::of(catalog, of, overview.forecast, rate, None, now_s).map_err(failed)?;
        Ok(Watched { overview, outlook })
    };
    catalog.named(&args.names).map_err(failed)?.into_iter().map(row).collect()
}
