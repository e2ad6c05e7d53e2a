//! `hashlane backends`: every algorithm by every kernel that this CPU has for it.

use std::sync::Arc;

use hashlane_digest::{Algorithm, BackendChoice};
use hashlane_measure::Ending;
use hashlane_measure::backends::MeasuredWays;
use hashlane_profile::KeptBackends;
use hashlane_report::{backends_json, backends_text};

use super::print;
use super::progress::BenchProgress;
use crate::args::{BackendsArgs, ReportFormat};
use crate::cache::cannot_keep;
use crate::output::shown;
use crate::status::{Status, usage};
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by;
use crate::version::build;

/// What is kept, in messages.
const WHAT: &str = "the figures";

pub(crate) fn run(args: &BackendsArgs) -> anyhow::Result<Status> {
    let algorithms = chosen(&args.algorithm)?;
    let kept = place(args)?;
    let mut progress = BenchProgress::start(args.progress)?;
    let measured = MeasuredWays::measure(&algorithms, args.budget, &mut progress);
    if let Some(signal) = progress.end().filter(|_| measured.ending == Ending::Interrupted) {
        Screen::plain().message("stopped before the end; nothing is shown or saved");
        die_by(signal);
    }
    let calibrations = measured.calibrations();
    let choice = match args.forced.backend {
        Some(backend) => BackendChoice::Only(backend),
        None if args.no_save => kept_before(args),
        None => BackendChoice::Calibrated(Arc::new(calibrations.clone())),
    };
    print(&match args.format {
        ReportFormat::Text => backends_text(&measured, &choice),
        ReportFormat::Json => backends_json(&measured, &choice),
    })?;
    if let Some(kept) = kept {
        let path = kept.add(calibrations).map_err(|error| cannot_keep(kept.cache(), WHAT, error))?;
        Screen::plain().message(&format!("sum, check and bench now use these figures: {}", shown(&path)));
    }
    Ok(Status::OK)
}

/// Where the figures are kept, before time is spent on them.
fn place(args: &BackendsArgs) -> anyhow::Result<Option<KeptBackends>> {
    if args.no_save {
        return Ok(None);
    }
    if !KeptBackends::is_possible() {
        Screen::plain().message(&format!("{WHAT} will not be saved: this CPU does not report its model"));
        return Ok(None);
    }
    Ok(args.cache.place(WHAT)?.and_then(|cache| KeptBackends::of(cache, &build())))
}

/// What decides where nothing is to be changed.
fn kept_before(args: &BackendsArgs) -> BackendChoice {
    match args.cache.directory().and_then(|cache| KeptBackends::of(cache, &build())) {
        Some(kept) => BackendChoice::Calibrated(Arc::new(kept.load())),
        None => BackendChoice::Auto,
    }
}

/// The algorithms that were asked for and have backends to choose from.
fn chosen(wanted: &[Algorithm]) -> anyhow::Result<Vec<Algorithm>> {
    let all = Algorithm::all().filter(|algorithm| algorithm.lanes().is_some());
    if let Some(alone) = wanted.iter().find(|algorithm| algorithm.lanes().is_none()) {
        return Err(usage!(
            "--algorithm {alone}: it has only one backend here ({}); several exist for {}",
            alone.backend(),
            all.map(Algorithm::name).collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(if wanted.is_empty() { all.collect() } else { wanted.to_vec() })
}
