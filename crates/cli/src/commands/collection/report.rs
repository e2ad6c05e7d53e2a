//! `hashlane collection report`: what stands, what to do about it, and how audits went.
//!
//! `gather` asks the catalogue, one collection at a time; what it found is drawn by `lines` and `page`, and written for programs by
//! `object` and `rows`. Only these two go on to all findings, one at a time.

mod advice;
mod finding;
mod gather;
mod lines;
mod object;
mod page;
mod rows;
mod shell;
mod throughput;

use std::io::Write as _;

use hashlane_catalog::{Catalog, Collection, Error as CatalogError};

use self::gather::{Overview, Subject};
use super::{failed, now_s, open};
use crate::args::{CollectionReportArgs, CollectionReportFormat};
use crate::output::{Output, Place};
use crate::status::Status;
use crate::terminal::screen::Screen;

/// What a report is about.
struct Reporter<'a> {
    args: &'a CollectionReportArgs,
    catalog: &'a Catalog,
    /// Those that are reported.
    collections: Vec<Collection>,
    /// Those in which intact copies are sought.
    all: Vec<Collection>,
    /// The time of the report, in seconds since 1970.
    now_s: i64,
    output: Output,
    place: Place,
}

pub(super) fn run(args: &CollectionReportArgs) -> anyhow::Result<Status> {
    let catalog = open(&args.catalog)?;
    // An audit that is under way changes what its collection is told to be.
    let _moment = catalog.moment().map_err(failed)?;
    let mut all = catalog.collections().map_err(failed)?;
    let collections = match &args.names[..] {
        [] => all.clone(),
        names => names
            .iter()
            .map(|name| catalog.collection(name).map_err(failed))
            .collect::<anyhow::Result<Vec<_>>>()?,
    };
    // A copy that can be reached is worth more.
    all.sort_by_key(|collection| collection.offline_s.is_some());
    let screen = Screen::plain();
    let output = Output::open(args.output.as_deref(), &screen)?;
    let place = output.place();
    let mut reporter = Reporter { args, catalog: &catalog, collections, all, now_s: now_s(), output, place };
    match args.format {
        CollectionReportFormat::Text => lines::write(&mut reporter)?,
        CollectionReportFormat::Html => page::write(&mut reporter)?,
        CollectionReportFormat::Json => object::write(&mut reporter)?,
        CollectionReportFormat::Csv => rows::write(&mut reporter)?,
    }
    reporter.output.finish()?;
    Ok(Status::OK)
}

impl Reporter<'_> {
    /// Writes a piece of the report.
    fn put(&mut self, text: &str) -> anyhow::Result<()> {
        self.output.write_all(text.as_bytes()).map_err(|error| self.place.failed(&error))
    }

    /// How each collection is, in short.
    fn overviews(&self) -> anyhow::Result<Vec<Overview>> {
        self.collections.iter().map(|collection| Overview::of(self, collection)).collect()
    }

    /// All that is shown of a collection.
    fn subject(&self, overview: Overview) -> anyhow::Result<Subject> {
        Subject::of(self, overview)
    }
}

/// What failed while findings came one by one, on its way through the catalogue.
fn sink(error: anyhow::Error) -> CatalogError {
    CatalogError::Sink(error.into())
}
