//! `hashlane collection report`: what stands, what to do about it, and how audits went.

mod draft;

use hashlane_keeper::Reporter;
use hashlane_report::collection::Report;

use self::draft::Draft;
use super::{failed, now_s, open_to_read, sink};
use crate::args::{CollectionReportArgs, CollectionReportFormat};
use crate::how::{how_to, tuned};
use crate::output::Output;
use crate::status::Status;
use crate::terminal::screen::Screen;
use crate::version::PROGRAM;

pub(super) fn run(args: &CollectionReportArgs) -> anyhow::Result<Status> {
    let catalog = open_to_read(&args.catalog)?;
    // An audit that is under way changes what is said of its collection.
    let moment = catalog.moment().map_err(failed)?;
    let mut all = catalog.collections().map_err(failed)?;
    let collections = catalog.named(&args.names).map_err(failed)?;
    // A copy that can be reached is worth more.
    all.sort_by_key(|collection| collection.offline_s.is_some());
    let screen = Screen::plain();
    let mut output = Output::open(args.output.as_deref(), &screen)?;
    let place = output.place();
    let mut draft = Draft::new();
    let tuned = |collection: &_| tuned(&args.cache, collection);
    let reporter = Reporter { catalog: &catalog, all, tuned: &tuned, now_s: now_s() };
    let report = Report { reporter, collections, how: &how_to, program: PROGRAM };
    let put = &mut |text: &str| draft.put(text).map_err(sink);
    let written = match args.format {
        CollectionReportFormat::Text => report.text(put),
        CollectionReportFormat::Html => report.page(put),
        CollectionReportFormat::Json => report.json(put),
        CollectionReportFormat::Csv => report.csv(put),
    };
    written.map_err(failed)?;
    drop(moment);
    draft.hand_over(&mut output, &place)?;
    output.finish()?;
    Ok(Status::OK)
}
