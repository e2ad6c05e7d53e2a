//! `hashlane check --audit`: what became of the files that manifests list, and of those that they do not.

mod verdicts;

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_audit::Counters;
use hashlane_engine::Stop;
use hashlane_record::ItemPath;
use hashlane_report::files::audit_summary_json;
use hashlane_report::stores::traffic_line;
use hashlane_verify::audit::Listing;
use hashlane_verify::{AuditOptions, Elsewhere, Error, ListSummary, Places};

use super::listed::{named_roots, open_base, recorded_bad_line, refuse_two_inputs, say_of_lists};
use crate::args::{CheckArgs, ReportFormat};
use crate::filters;
use crate::inputs::{sorting_memory, store_of, temporary_directory};
use crate::manifests;
use crate::output::{Output, refuse_input};
use crate::session::Session;
use crate::status::Status;
use crate::terminal::screen::Screen;

use verdicts::Verdicts;

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    let mut session = Session::begin(&args.reading, &args.backends, args.status)?;
    refuse_two_inputs(args)?;
    let elsewhere = store_of(args)?.map(Arc::new);
    let traffic = elsewhere.as_ref().map(|objects| objects.traffic());
    let elsewhere = elsewhere.map(|objects| objects as Arc<Elsewhere>);
    let screen = session.screen().clone();
    let options = audit_options(args, elsewhere.as_ref(), &mut session)?;
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

    refuse_input(args.output.as_deref(), args.manifests.iter().map(|name| name.as_os_str()))?;
    session.show(Box::new(|_| {}));
    let output = session.output(args.output.as_deref())?;
    if elsewhere.is_none() {
        let profile = session.suit(audit.roots().iter().map(|root| root.as_path().as_os_str()));
        audit.engine().profile = profile;
    }
    audit.engine().excluded.extend(output.identities());
    let places = match elsewhere {
        Some(elsewhere) => Places::in_store(elsewhere, args.strip_prefix.as_slice()),
        None => Places::new(args.base.as_deref(), args.strip_prefix.as_slice()),
    };
    let places = places.written(args.names.clone().unwrap_or_default());
    let mut verdicts = Verdicts::new(args, places, output, screen.clone());
    verdicts.status |= status;
    let (run, ran) =
        session.run(Stop::Drained, |control| audit.run(&mut |event| verdicts.event(event), control))?;

    let audited = match run {
        Ok(audited) => audited,
        Err(error) => return ran.failed(manifests::failed(&error), verdicts.leave(&screen)),
    };
    let (status, done) = verdicts.finish(&screen, &audited);
    let summary = audited.summary;
    ran.die_if_interrupted(&summary);
    done?;
    if !args.quiet || status != Status::OK {
        ran.passed_over(&summary.skipped, "list or output file");
        ran.close(None, &summary);
        if let Some(traffic) = &traffic {
            screen.message(&traffic_line(traffic));
        }
    }
    ran.learn(&summary);
    Ok(status)
}

/// Says to programs that nothing was audited: lists are of no files, or of such as nothing can be audited by.
fn sum_up_nothing(args: &CheckArgs, screen: &Screen) -> anyhow::Result<()> {
    if args.format != ReportFormat::Json || args.status {
        return Ok(());
    }
    refuse_input(args.output.as_deref(), args.manifests.iter().map(|name| name.as_os_str()))?;
    let mut output = Output::open(args.output.as_deref(), screen)?;
    let line = audit_summary_json(&Counters::default(), &[], 0, false);
    writeln!(output, "{line}").map_err(|error| output.place().failed(&error))?;
    output.finish()
}

/// What the arguments ask for.
fn audit_options(
    args: &CheckArgs,
    elsewhere: Option<&Arc<Elsewhere>>,
    session: &mut Session<'_>,
) -> anyhow::Result<AuditOptions> {
    let selection = filters::of_check(args)?;
    let base = open_base(args.base.as_deref().filter(|_| elsewhere.is_none()))?;
    let roots: Vec<ItemPath> = named_roots(args)?;
    let place = args.base.as_deref().map_or(OsStr::new("."), Path::as_os_str);
    let places = std::iter::once(place).filter(|_| elsewhere.is_none());
    let engine = session.options(Arc::new([]), selection.walk.clone(), places);
    let wanted = usize::try_from(args.memory).unwrap_or(usize::MAX);
    Ok(AuditOptions {
        reading: manifests::reading(args),
        base,
        selection,
        roots,
        names: args.names.clone().unwrap_or_default(),
        prefixes: args.strip_prefix.iter().cloned().collect(),
        beside: args.beside,
        normalize: args.normalize,
        fold_case: args.ignore_case,
        tells_passes: args.format == ReportFormat::Json,
        memory_bytes: sorting_memory(wanted),
        temporary_directory: args.temporary_directory.clone().unwrap_or_else(temporary_directory),
        elsewhere: elsewhere.cloned(),
        engine,
    })
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
