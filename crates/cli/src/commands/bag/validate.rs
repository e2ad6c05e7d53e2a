//! `hashlane bag validate`: is a bag what it says it is?

use std::path::Path;
use std::sync::Arc;

use hashlane_bag::{Bag, Verdict};
use hashlane_engine::{Stop, Summary, WalkOptions};
use hashlane_report::files::BagConclusion;

use super::report::Report;
use crate::args::BagValidateArgs;
use crate::output::shown;
use crate::session::Session;
use crate::status::Status;
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by;

pub(super) fn run(args: &BagValidateArgs) -> anyhow::Result<Status> {
    let session = Session::begin(&args.reading, &args.backends, args.status)?;
    let directory = super::open(&args.bag, "name the directory that contains bagit.txt")?;
    let output = session.output(args.output.as_deref())?;
    let mut report = Report::new(args, output, session.screen().clone());
    let bag = match Bag::look(directory, args.quick, &mut report) {
        Ok(Some(bag)) => bag,
        Ok(None) => return finish_stopped(report, session.screen()),
        Err(error) => {
            report.finish(session.screen(), None)?;
            return Err(error.into());
        }
    };
    if !args.quick {
        return verify(args, &bag, report, session);
    }
    if !bag.has_oxum() {
        let why = "no Payload-Oxum for --quick to compare with; leave out --quick";
        report.add(b"data", Verdict::Invalid, why)?;
    }
    conclude(args, &bag, report, None, session.screen())
}

/// Reads the files and compares.
fn verify(
    args: &BagValidateArgs,
    bag: &Bag,
    mut report: Report,
    mut session: Session<'_>,
) -> anyhow::Result<Status> {
    let total = bag.bytes();
    session.show(Box::new(move |totals| {
        totals.add(total);
        totals.complete();
    }));
    let place = std::iter::once(args.bag.as_os_str());
    let options = session.options(Arc::new([]), WalkOptions::default(), place);
    let (run, ran) = session.run(Stop::Drained, |control| bag.verify(options, control, &mut report))?;
    let screen = ran.screen();
    let summary = match run {
        Ok(summary) => summary,
        Err(error) => return ran.failed(error, report.finish(screen, None)),
    };
    if let Some(signal) = ran.signal() {
        // What cannot be written is not worth more than the signal.
        let _ = report.finish(screen, None);
        screen.message(&ran.stopped_line(&summary));
        screen.message("the bag was not validated");
        die_by(signal);
    }
    if report.stopped {
        return finish_stopped(report, screen);
    }
    let status = conclude(args, bag, report, Some(&summary), screen)?;
    if !args.quiet || status != Status::OK {
        ran.close(None, &summary);
    }
    ran.learn(&summary);
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
    let verified = report.tally.of(Verdict::Ok);
    if summary.is_some() && verified == 0 && report.status == Status::OK {
        report.add(b".", Verdict::Invalid, "no file was verified: the manifests list none")?;
    }
    let (status, counted) = (report.status, report.tally.words());
    let fine = status == Status::OK;
    let conclusion = BagConclusion::of(bag, args.quick, fine, summary.is_some());
    let sentence = conclusion.sentence(&counted);
    report.finish(screen, Some(conclusion))?;
    if !args.quiet || !fine || args.quick {
        screen.message(&format!("{}: {sentence}", shown(Path::new(&args.bag))));
    }
    Ok(status)
}
