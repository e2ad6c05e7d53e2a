//! `hashlane audit --stop`, `--set-rate`, `--pause-all` and `--resume-all`: what is asked of audits that are under way.

use std::thread;
use std::time::{Duration, Instant};

use hashlane_catalog::{Acting, Collection, Error, Way, Writer};
use hashlane_report::collection::{pause_line, pause_over_line, rate_line, stop_line};

use super::collection::{failed, open};
use crate::args::{AuditArgs, limit};
use crate::status::{Status, usage};
use crate::terminal::screen::Screen;

/// How long is waited for an audit to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks what is to be asked; nothing if an audit is to be begun.
pub(super) fn run(args: &AuditArgs) -> anyhow::Result<Option<Status>> {
    let asked = &args.steering;
    let by = Acting { reason: args.reason.clone(), ..hashlane_keeper::acting(Way::Command) };
    let screen = Screen::plain();
    if let Some(name) = &asked.stop {
        let mut catalog = open(&args.catalog)?;
        let collection = catalog.collection(name).map_err(failed)?;
        return stop(&mut catalog, &collection, &by, &screen).map(Some);
    }
    if let Some([name, rate]) = asked.set_rate.as_deref() {
        let rate = limit(rate).map_err(|error| usage!("--set-rate {name} {rate}: {error}"))?;
        let mut catalog = open(&args.catalog)?;
        let collection = catalog.collection(name).map_err(failed)?;
        let steered = catalog.ask_for_rate(&collection, rate, &by).map_err(failed)?;
        screen.message(&rate_line(name, &steered, rate));
        return Ok(Some(Status::OK));
    }
    if asked.pause_all {
        let until_s = asked.until.map(|until| until.seconds);
        let pause = open(&args.catalog)?.begin_pause(until_s, &by).map_err(failed)?;
        screen.message(&pause_line(&pause, "`hashlane audit --resume-all`"));
        return Ok(Some(Status::OK));
    }
    if asked.resume_all {
        let ended = open(&args.catalog)?.end_pause(&by).map_err(failed)?;
        screen.message(&pause_over_line(ended.as_ref()));
        return Ok(Some(Status::OK));
    }
    Ok(None)
}

fn stop(
    catalog: &mut Writer,
    collection: &Collection,
    by: &Acting,
    screen: &Screen,
) -> anyhow::Result<Status> {
    let name = &collection.terms.name;
    let steered = match catalog.ask_to_stop(collection, by) {
        Ok(steered) => steered,
        // That is what was wanted.
        Err(error @ Error::NotUnderWay { .. }) => {
            screen.message(&error.to_string());
            return Ok(Status::OK);
        }
        Err(error) => return Err(failed(error)),
    };
    let asked = Instant::now();
    let is_its = || -> hashlane_catalog::Result<bool> {
        let holder = catalog.holder(collection)?;
        Ok(holder.is_some_and(|holder| (holder.process, &holder.host) == (steered.process, &steered.host)))
    };
    let mut goes_on = is_its().map_err(failed)?;
    while goes_on && asked.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(50));
        goes_on = is_its().map_err(failed)?;
    }
    screen.message(&stop_line(name, &steered, !goes_on));
    Ok(Status::OK)
}
