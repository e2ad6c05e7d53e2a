//! `hashlane bag validate`: is a bag what it says it is?

use std::path::Path;
use std::sync::Arc;

use hashlane_bag::{Bag, Verdict};
use hashlane_engine::{Control, Stop, Summary, WalkOptions};
use serde_json::json;

use super::report::Report;
use crate::args::BagValidateArgs;
use crate::calibration::Backends;
use crate::commands::sum::{stopped_line, summary_line};
use crate::device_profile::Reading;
use crate::inputs::{options, refuse_engine};
use crate::output::{Output, shown};
use crate::status::Status;
use crate::terminal::progress::{Count, Progress};
use crate::terminal::screen::Screen;
use crate::terminal::signals::{Interrupted, die_by};
use crate::text;

pub(crate) fn run(args: &BagValidateArgs) -> anyhow::Result<Status> {
    refuse_engine(&args.reading)?;
    let directory = super::open(&args.bag, "name the one that holds bagit.txt")?;
    let control = Arc::new(Control::new());
    let plain = Screen::plain().silenced(args.status);
    let output = Output::open(args.output.as_deref(), &plain)?;
    let mut report = Report::new(args, output, plain.clone());
    let bag = Bag::look(directory, args.quick, &mut report);
    if args.quick && !bag.has_oxum() {
        let why = "there is no Payload-Oxum that --quick could compare with; leave out --quick";
        report.say(b"data", Verdict::Invalid, why);
    }
    if args.quick {
        return conclude(args, &bag, report, None, &plain);
    }
    if report.stopped {
        return finish_stopped(report, &plain);
    }
    verify(args, &bag, report, &control)
}

/// Reads the files and compares.
fn verify(
    args: &BagValidateArgs,
    bag: &Bag,
    mut report: Report,
    control: &Arc<Control>,
) -> anyhow::Result<Status> {
    let total = bag.bytes();
    let counter: Count = Box::new(move |totals| {
        totals.add(total);
        totals.complete();
    });
    let progress = Progress::start(args.reading.progress, control, counter);
    let screen = progress.screen().clone().silenced(args.status);
    let reading =
        Reading::suiting(&args.reading, &args.backends.cache, std::iter::once(args.bag.as_os_str()));
    let backends = Backends::of(&args.backends);
    let options =
        options(Arc::new([]), &args.reading, reading.profile, backends.choice(), WalkOptions::default());
    let interrupted = Interrupted::watch(control, &screen, Stop::Drained)?;
    let run = bag.verify(options, control, &mut report);
    drop(progress);
    let screen = Screen::plain().silenced(args.status);
    let summary = match run {
        Ok(summary) => summary,
        Err(error) => {
            report.finish(&screen, None)?;
            return Err(error.into());
        }
    };
    if let Some(signal) = interrupted.signal() {
        let done = report.finish(&screen, None);
        screen.message(&stopped_line(&summary, control));
        screen.message("the bag was not validated");
        drop(done);
        die_by(signal);
    }
    if report.stopped {
        return finish_stopped(report, &screen);
    }
    let status = conclude(args, bag, report, Some(&summary), &screen)?;
    if let Some(line) = reading.line(&summary).filter(|_| !args.quiet) {
        screen.message(&line);
    }
    backends.learn(&summary.digested_by);
    Ok(status)
}

/// Ends a run that stopped at its first error.
fn finish_stopped(report: Report, screen: &Screen) -> anyhow::Result<Status> {
    let status = report.status;
    report.finish(screen, None)?;
    screen.message("not valid; stopped at the first error");
    Ok(status)
}

/// Says what the whole amounts to.
fn conclude(
    args: &BagValidateArgs,
    bag: &Bag,
    mut report: Report,
    summary: Option<&Summary>,
    screen: &Screen,
) -> anyhow::Result<Status> {
    if report.stopped {
        return finish_stopped(report, screen);
    }
    let verified = report.count(Verdict::Ok);
    if summary.is_some() && verified == 0 && report.status == Status::OK {
        report.say(b".", Verdict::Invalid, "no file was verified: no manifest lists one");
    }
    let (status, counted) = (report.status, report.counted());
    let fine = status == Status::OK;
    let payload = bag.payload();
    let conclusion = json!({
        "check": if args.quick { "quick" } else { "full" },
        "bagit_version": bag.version().to_string(),
        // A quick check knows that a bag is not valid, and never that it is.
        "valid": if args.quick && fine { None } else { Some(fine) },
        "passed": fine,
        "payload_files": payload.files,
        "payload_bytes": payload.bytes,
        "digests_verified": summary.is_some(),
    });
    report.finish(screen, Some(&conclusion))?;
    if args.quiet && fine && !args.quick {
        return Ok(status);
    }
    let amount = format!(
        "{} of payload with {}",
        text::counted(payload.files, "file"),
        text::decimal(payload.bytes as f64)
    );
    let verdict = match (args.quick, fine) {
        (true, true) => "complete, NOT validated: no digest was computed".to_owned(),
        (true, false) => "not complete; no digest was computed".to_owned(),
        (false, true) => format!("valid, version {}", bag.version()),
        (false, false) => "NOT valid".to_owned(),
    };
    screen.message(&format!("{}: {verdict}: {counted}; {amount}", shown(Path::new(&args.bag))));
    if let Some(summary) = summary {
        screen.message(&summary_line(summary));
    }
    Ok(status)
}
