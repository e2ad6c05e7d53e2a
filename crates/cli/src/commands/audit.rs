//! `hashlane check --audit`: what became of the files that manifests list, and of those that they do not.

mod verdicts;

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_audit::Counters;
use hashlane_engine::{Control, Stop};
use hashlane_record::ItemPath;
use hashlane_verify::audit::{Audited, Listing};
use hashlane_verify::{AuditOptions, Error, ListSummary, Places};

use crate::args::{CheckArgs, ReportFormat};
use crate::calibration::Backends;
use crate::commands::check::{
    malformed_line, misnamed_line, named_roots, open_base, recorded_bad_line, refuse_two_inputs, skipped_line,
};
use crate::commands::sum::{passed_over, stopped_line, summary_line};
use crate::device_profile::Reading;
use crate::filters;
use crate::inputs::{options, sorting_memory, temporary_directory};
use crate::manifests;
use crate::output::{Output, refuse_input};
use crate::status::Status;
use crate::terminal::progress::{Count, Progress};
use crate::terminal::screen::Screen;
use crate::terminal::signals::{Interrupted, die_by};

use verdicts::Verdicts;

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    refuse_two_inputs(args)?;
    let screen = Screen::plain().silenced(args.status);
    let backends = Backends::of(&args.backends);
    let mut listing = Listing::new(audit_options(args, &backends)?, manifests::notes(args, &screen));
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
    let control = Arc::new(Control::new());
    let counter: Count = Box::new(|_| {});
    let progress = Progress::start(args.reading.progress, &control, counter);
    let screen = progress.screen().clone().silenced(args.status);
    let output = Output::open(args.output.as_deref(), &screen)?;
    let roots = audit.roots().iter().map(|root| root.as_path().as_os_str());
    let reading = Reading::suiting(&args.reading, &args.backends.cache, roots);
    audit.engine().profile = reading.profile;
    audit.engine().excluded.extend(output.identities());
    let interrupted = Interrupted::watch(&control, &screen, Stop::Drained)?;
    let places = Places::new(args.base.as_deref(), args.strip_prefix.as_slice());
    let mut verdicts = Verdicts::new(args, places, output, screen);
    verdicts.status |= status;
    let run = audit.run(&mut |event| verdicts.event(event), &control);

    drop(progress);
    let screen = Screen::plain().silenced(args.status);
    let audited: Audited = match run {
        Ok(audited) => audited,
        Err(error) => {
            verdicts.leave(&screen)?;
            return Err(manifests::failed(&error));
        }
    };
    let (status, done) = verdicts.finish(&screen, &audited);
    let summary = audited.summary;
    if let Some(signal) = interrupted.signal() {
        screen.message(&stopped_line(&summary, &control));
        die_by(signal);
    }
    done?;
    if !args.quiet || status != Status::OK {
        if let Some(line) = passed_over(&summary.skipped, "list or output file") {
            screen.message(&line);
        }
        if let Some(line) = reading.line(&summary) {
            screen.message(&line);
        }
        screen.message(&summary_line(&summary));
    }
    backends.learn(&summary.digested_by);
    Ok(status)
}

/// Says to programs that nothing was audited: lists are of no files, or of such as nothing can be audited by.
fn sum_up_nothing(args: &CheckArgs, screen: &Screen) -> anyhow::Result<()> {
    if args.format != ReportFormat::Json || args.status {
        return Ok(());
    }
    refuse_input(args.output.as_deref(), args.manifests.iter().map(|name| name.as_os_str()))?;
    let mut output = Output::open(args.output.as_deref(), screen)?;
    let line = verdicts::summary(&Counters::default(), &[], 0, false);
    writeln!(output, "{line}").map_err(|error| output.place().failed(&error))?;
    output.finish()
}

/// What the arguments ask for.
fn audit_options(args: &CheckArgs, backends: &Backends) -> anyhow::Result<AuditOptions> {
    let selection = filters::of_check(args)?;
    let base = open_base(args.base.as_deref())?;
    let roots: Vec<ItemPath> = named_roots(args)?;
    let place = args.base.as_deref().map_or(OsStr::new("."), Path::as_os_str);
    let reading = Reading::suiting(&args.reading, &args.backends.cache, std::iter::once(place));
    let walk = selection.walk.clone();
    let engine = options(Arc::new([]), &args.reading, reading.profile, backends.choice(), walk);
    let wanted = usize::try_from(args.memory).unwrap_or(usize::MAX);
    Ok(AuditOptions {
        reading: manifests::reading(args),
        base,
        selection,
        roots,
        prefixes: args.strip_prefix.iter().cloned().collect(),
        normalize: args.normalize,
        fold_case: args.ignore_case,
        tells_passes: args.format == ReportFormat::Json,
        memory_bytes: sorting_memory(wanted),
        temporary_directory: args.temporary_directory.clone().unwrap_or_else(temporary_directory),
        engine,
    })
}

/// What is to be said of a list that was read, and what it means for the exit code.
fn close_list(args: &CheckArgs, list: &ListSummary, screen: &Screen) -> Status {
    let mut status = Status::OK;
    if list.malformed > 0 {
        screen.message(&malformed_line(list, args));
        if args.strict {
            status |= Status::UNREADABLE;
        }
    }
    if list.skipped > 0 {
        screen.message(&skipped_line(list, args));
    }
    if list.undigested + list.refused > 0 {
        status |= Status::UNREADABLE;
    }
    if let Some((named, others)) = &list.misnamed {
        screen.message(&misnamed_line(list, *named, others));
    }
    if list.recorded_bad > 0 {
        screen.message(&recorded_bad_line(list.recorded_bad));
    }
    status
}
