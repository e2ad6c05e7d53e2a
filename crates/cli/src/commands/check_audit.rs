//! `hashlane check --audit`: what became of the files that manifests list, and of those that they do not.

mod verdicts;

use hashlane_audit::Counters;
use hashlane_engine::Stop;
use hashlane_objects::Objects;
use hashlane_report::files::audit_summary_json;
use hashlane_verify::audit::Listing;
use hashlane_verify::{AuditOptions, Error, ListSummary};

use super::listed::{lookup, recorded_bad_line, refuse_inputs, refuse_two_inputs, say_of_lists};
use crate::args::{CheckArgs, ReportFormat};
use crate::filters;
use crate::inputs::{sorting_memory, store_of, temporary_directory};
use crate::manifests;
use crate::output::Output;
use crate::session::Session;
use crate::status::Status;
use crate::terminal::screen::Screen;

use verdicts::Verdicts;

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    let mut session = Session::begin(&args.reading, &args.backends, args.status)?;
    refuse_two_inputs(args)?;
    let store = store_of(args)?;
    let traffic = store.as_ref().map(Objects::traffic);
    let screen = session.screen().clone();
    let options = AuditOptions {
        lookup: lookup(args, filters::of_check(args)?, store, &mut session)?,
        tells_passes: args.format == ReportFormat::Json,
        memory_bytes: sorting_memory(usize::try_from(args.memory).unwrap_or(usize::MAX)),
        temporary_directory: args.temporary_directory.clone().unwrap_or_else(temporary_directory),
    };
    let mut listing = Listing::new(options, manifests::notes(args, &screen));
    let mut status = Status::OK;
    for name in manifests::names(args) {
        let list = listing.read(&name).map_err(|error| match error {
            Error::NothingToGoBy { .. } => {
                let summed_up = sum_up_nothing(args, &screen);
                summed_up.err().unwrap_or_else(|| manifests::failed(&error))
            }
            error => manifests::failed(&error),
        })?;
        status |= close_list(args, &list, &screen);
    }
    if listing.is_empty() {
        screen.message("no file is listed; there is nothing to audit");
        status |= Status::UNREADABLE;
        sum_up_nothing(args, &screen)?;
        return Ok(status);
    }
    let mut audit = listing.start().map_err(|error| manifests::failed(&error))?;
    if audit.contradictions() > 0 {
        status |= Status::UNREADABLE;
    }

    refuse_inputs(args)?;
    session.show(Box::new(|_| {}));
    let output = session.output(args.output.as_deref())?;
    if traffic.is_none() {
        let profile = session.suit(audit.roots().iter().map(|root| root.as_path().as_os_str()));
        audit.engine().profile = profile;
    }
    audit.engine().excluded.extend(output.identities());
    let start = audit.start().to_owned();
    let mut verdicts = Verdicts { args, start, output, screen: screen.clone(), status };
    let (run, ran) =
        session.run(Stop::Drained, |control| audit.run(&mut |event| verdicts.event(event), control))?;

    let audited = match run {
        Ok(audited) => audited,
        Err(error) => return ran.failed(manifests::failed(&error), verdicts.output.leave(&screen)),
    };
    let (status, done) = verdicts.finish(&screen, &audited);
    let summary = audited.summary;
    ran.die_if_interrupted(&summary);
    done?;
    if !args.quiet || status != Status::OK {
        ran.passed_over(&summary.skipped, "list or output file");
        ran.close(None, &summary);
        ran.say_traffic(traffic.as_ref());
    }
    ran.learn(&summary);
    Ok(status)
}

/// Says to programs that nothing was audited: lists are of no files, or of such as nothing can be audited by.
fn sum_up_nothing(args: &CheckArgs, screen: &Screen) -> anyhow::Result<()> {
    if args.format != ReportFormat::Json || args.status {
        return Ok(());
    }
    refuse_inputs(args)?;
    let mut output = Output::open(args.output.as_deref(), screen)?;
    output.line(&audit_summary_json(&Counters::default(), &[], 0, false))?;
    output.finish()
}

/// What is to be said of a list that was read, and what it means for the exit code.
fn close_list(args: &CheckArgs, list: &ListSummary, screen: &Screen) -> Status {
    let mut status = say_of_lists(args, &[list], screen);
    if list.undigested + list.refused > 0 {
        status |= Status::UNREADABLE;
    }
    if list.recorded_bad > 0 {
        screen.message(&recorded_bad_line(list.recorded_bad));
    }
    status
}
