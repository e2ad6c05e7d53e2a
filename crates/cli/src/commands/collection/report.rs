//! `hashlane collection report`: what stands, what to do about it, and how audits went.
//!
//! `gather` asks the catalogue, one collection at a time; what it found is drawn by `lines` and `page`, and written for programs by
//! `object` and `rows`. Only these two go on to all findings, one at a time.

mod advice;
mod draft;
mod finding;
mod gather;
mod lines;
mod object;
mod page;
mod rows;
mod throughput;

use hashlane_catalog::{Catalog, Collection};

use self::draft::Draft;
use self::gather::Subject;
use super::overview::Overview;
use super::{failed, named, now_s, open_to_read, sink};
use crate::args::{CollectionReportArgs, CollectionReportFormat};
use crate::output::Output;
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
    draft: Draft,
}

pub(super) fn run(args: &CollectionReportArgs) -> anyhow::Result<Status> {
    let catalog = open_to_read(&args.catalog)?;
    // An audit that is under way changes what its collection is told to be.
    let moment = catalog.moment().map_err(failed)?;
    let mut all = catalog.collections().map_err(failed)?;
    let collections = named(&catalog, &args.names)?;
    // A copy that can be reached is worth more.
    all.sort_by_key(|collection| collection.offline_s.is_some());
    let screen = Screen::plain();
    let mut output = Output::open(args.output.as_deref(), &screen)?;
    let place = output.place();
    let draft = Draft::new();
    let mut reporter = Reporter { args, catalog: &catalog, collections, all, now_s: now_s(), draft };
    match args.format {
        CollectionReportFormat::Text => lines::write(&mut reporter)?,
        CollectionReportFormat::Html => page::write(&mut reporter)?,
        CollectionReportFormat::Json => object::write(&mut reporter)?,
        CollectionReportFormat::Csv => rows::write(&mut reporter)?,
    }
    let Reporter { draft, .. } = reporter;
    drop(moment);
    draft.hand_over(&mut output, &place)?;
    output.finish()?;
    Ok(Status::OK)
}

impl Reporter<'_> {
    /// Writes a piece of the report.
    fn put(&mut self, text: &str) -> anyhow::Result<()> {
        self.draft.put(text)
    }

    /// How each collection is, in short.
    fn overviews(&self) -> anyhow::Result<Vec<Overview>> {
        let collections = self.collections.iter().cloned();
        collections.map(|collection| Overview::of(self.catalog, collection, self.now_s)).collect()
    }

    /// All that is shown of a collection.
    fn subject(&self, overview: Overview) -> anyhow::Result<Subject> {
        Subject::of(self, overview)
    }
}
