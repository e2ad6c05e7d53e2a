//! `hashlane backends`: every algorithm by every kernel that this CPU has for it.

use std::sync::Arc;
use std::time::Duration;

use hashlane_digest::{
    Algorithm, Backend, BackendChoice, Calibration, Calibrations, KernelRate, LaneSet, Saving,
};
use hashlane_engine::{Control, SLOTS_PER_WORKER, Stop};
use hashlane_measure::check_up::DIGEST_BLOCK_BYTES;
use hashlane_measure::{CellResult, DigestProbe, Ending, LanesProbe, Plan, Probe, ReferenceClock, sample};
use hashlane_profile::KeptBackends;
use hashlane_report::run::figures;
use hashlane_report::{Table, table};
use serde_json::{Map, Value};

use super::print;
use super::progress::BenchProgress;
use crate::args::{BackendsArgs, ReportFormat};
use crate::cache::cannot_keep;
use crate::output::shown;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;
use crate::terminal::signals::{Interrupted, die_by};
use crate::version::build;

/// What is kept, in messages.
const WHAT: &str = "the figures";

/// One way to compute an algorithm.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// So many messages side by side.
    Kernel(Backend, usize),
    /// A single message, by the library that there is beside the kernels.
    Library,
}

/// A way, and what was measured of it.
struct Row {
    algorithm: Algorithm,
    way: Way,
    result: CellResult,
}

pub(crate) fn run(args: &BackendsArgs) -> anyhow::Result<Status> {
    let algorithms = chosen(&args.algorithm)?;
    let kept = place(args)?;
    let ways: Vec<_> =
        algorithms.iter().flat_map(|&algorithm| ways(algorithm).map(move |way| (algorithm, way))).collect();
    let mut probes: Vec<_> = ways.iter().filter_map(|&(algorithm, way)| probe(algorithm, way)).collect();
    let control = Arc::new(Control::new());
    let mut progress = BenchProgress::start(args.progress, &control);
    let interrupted = Interrupted::watch(&control, progress.screen(), Stop::Aborted)?;
    let plan = Plan {
        budget: args.budget,
        // So short that some of them come between two interruptions: the fastest counts.
        sample: Duration::from_micros(300),
        least_rounds: 7,
        most_rounds: 300,
        width: 0.01,
        seed: 1,
    };
    let clock = ReferenceClock::start();
    let (cells, ending) = sample(&mut probes, &plan, &mut progress);
    let cycles_per_second = clock.and_then(|clock| clock.rate());
    drop(progress);
    if let Some(signal) = interrupted.signal().filter(|_| ending == Ending::Interrupted) {
        Screen::plain().message("stopped before the end; nothing is shown or saved");
        die_by(signal);
    }
    let rows: Vec<_> = ways
        .into_iter()
        .zip(cells)
        .map(|((algorithm, way), result)| Row { algorithm, way, result })
        .collect();
    let measured: Calibrations = algorithms
        .iter()
        .filter_map(|&algorithm| Some((algorithm, calibration(algorithm, &rows)?)))
        .collect();
    let choice = match args.forced.backend {
        Some(backend) => BackendChoice::Only(backend),
        None if args.no_save => kept_before(args),
        None => BackendChoice::Calibrated(Arc::new(measured.clone())),
    };
    print(&match args.format {
        ReportFormat::Text => table(&shown_rows(&rows, cycles_per_second, &choice)),
        ReportFormat::Json => lines(&rows, cycles_per_second, &choice),
    })?;
    if let Some(kept) = kept {
        let path = kept.add(measured).map_err(|error| cannot_keep(kept.cache(), WHAT, error))?;
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
    if let Some(alone) = wanted.iter().find(|algorithm| algorithm.lanes().is_none()) {
        let with: Vec<_> =
            Algorithm::all().filter(|known| known.lanes().is_some()).map(Algorithm::name).collect();
        return Err(Ended::usage(format!(
            "--algorithm {alone}: it has only one backend here ({}); several exist for {}",
            alone.backend(),
            with.join(", ")
        )));
    }
    let all = || Algorithm::all().filter(|algorithm| algorithm.lanes().is_some()).collect();
    Ok(if wanted.is_empty() { all() } else { wanted.to_vec() })
}

fn ways(algorithm: Algorithm) -> impl Iterator<Item = Way> {
    let kernels = algorithm.lanes().map(|lanes| lanes.kernels()).unwrap_or_default().into_iter();
    let kernels = kernels.map(|(backend, lanes)| Way::Kernel(backend, lanes));
    kernels.chain(algorithm.has_library().then_some(Way::Library))
}

fn probe(algorithm: Algorithm, way: Way) -> Option<Box<dyn Probe>> {
    Some(match way {
        Way::Kernel(backend, lanes) => Box::new(LanesProbe::new(algorithm, backend, lanes)?),
        Way::Library => Box::new(DigestProbe::new(algorithm, 1, DIGEST_BLOCK_BYTES)),
    })
}

/// What was measured, as `sum` will use it; none if something is missing. The fastest samples count, as with
/// [`hashlane_digest::calibrate`]: on a busy machine medians say who was disturbed, and not who is fast.
fn calibration(algorithm: Algorithm, rows: &[Row]) -> Option<Calibration> {
    let mut calibration = Calibration::default();
    for row in rows.iter().filter(|row| row.algorithm == algorithm) {
        let bytes_per_second = row.result.figures().into_iter().reduce(f64::max)? as u64;
        match row.way {
            Way::Kernel(backend, lanes) => calibration.kernels.push(KernelRate {
                backend: backend.name().to_owned(),
                lanes,
                bytes_per_second,
            }),
            Way::Library => calibration.library_bytes_per_second = Some(bytes_per_second),
        }
    }
    calibration.fits(algorithm).then_some(calibration)
}

/// The way that serves so many messages.
fn way_for(algorithm: Algorithm, messages: usize, choice: &BackendChoice) -> Way {
    if messages == 1 && algorithm.is_by_library(choice) {
        return Way::Library;
    }
    let set = LaneSet::by(algorithm, messages, choice);
    Way::Kernel(Backend::named(set.backend()).expect("it has kernels"), set.width())
}

/// The numbers of messages that a way serves, of those that a worker may have at hand: `1, 5 to 12`.
fn served(algorithm: Algorithm, way: Way, choice: &BackendChoice) -> String {
    let serves = |messages: usize| {
        (1..=SLOTS_PER_WORKER).contains(&messages) && way_for(algorithm, messages, choice) == way
    };
    let mut ranges = Vec::new();
    for first in (1..=SLOTS_PER_WORKER).filter(|&first| serves(first) && !serves(first - 1)) {
        let last = (first..=SLOTS_PER_WORKER).find(|&last| !serves(last + 1)).unwrap_or(first);
        ranges.push(match last {
            SLOTS_PER_WORKER => format!("{first} and more"),
            last if last == first => first.to_string(),
            last => format!("{first} to {last}"),
        });
    }
    ranges.join(", ")
}

fn shown_rows(rows: &[Row], cycles_per_second: Option<f64>, choice: &BackendChoice) -> Table {
    let head =
        ["", "backend", "lanes", "one core", "MiB/s", "95 % interval", "n", "cycles/B", "used for messages"];
    let mut table = Table::new("Backends: messages side by side in the cache of one core", &head);
    for Row { algorithm, way, result } in rows {
        let (rate, mebibytes, interval, n, cycles) = match &result.figure {
            Some(figure) => (
                figures::rate(figure.median),
                figures::mebibytes(figure.median),
                figures::interval(figure, result.unit),
                figure.n.to_string(),
                cycles_per_second.map(|cycles| format!("{:.2}", cycles / figure.median)),
            ),
            None => Default::default(),
        };
        let (backend, lanes) = match way {
            Way::Kernel(backend, lanes) => (backend.name(), lanes.to_string()),
            Way::Library => (algorithm.backend(), "library".to_owned()),
        };
        let cycles = cycles.unwrap_or_else(|| figures::NONE.to_owned());
        let served = served(*algorithm, *way, choice);
        let cells = [algorithm.name(), backend, &lanes, &rate, &mebibytes, &interval, &n, &cycles, &served];
        table.rows.push(cells.map(str::to_owned).to_vec());
    }
    table.notes.push(match cycles_per_second {
        Some(rate) => format!(
            "Cycles are counted by the time stamp counter at {:.2} GHz, whatever the clock rate of the core.",
            rate / 1e9
        ),
        None => "This CPU has no counter for cycles.".to_owned(),
    });
    table.notes.push(
        "The backend that is used has the fastest samples; if it is not the usual choice, by at least a twentieth."
            .to_owned(),
    );
    table.notes.push(saving_line());
    if let BackendChoice::Only(backend) = choice {
        table.notes.push(format!("{backend} was requested; algorithms that lack it use portable."));
    }
    table
}

/// How far the states of digests can be saved, of all algorithms.
fn saving_line() -> String {
    let of = |saving| {
        let such = Algorithm::all().filter(|algorithm| algorithm.saving() == saving);
        such.map(Algorithm::name).collect::<Vec<_>>().join(", ")
    };
    format!(
        "Digest states can be saved after any byte; those of {} only after every GiB; those of {} not at all.",
        of(Saving::Spans),
        of(Saving::Never)
    )
}

/// The rows as lines for programs, and a line on what can be saved.
fn lines(rows: &[Row], cycles_per_second: Option<f64>, choice: &BackendChoice) -> String {
    let mut text = String::new();
    for Row { algorithm, way, result } in rows {
        let mut object = head();
        object.insert("algorithm".into(), algorithm.name().into());
        match way {
            Way::Kernel(backend, lanes) => {
                object.insert("backend".into(), backend.name().into());
                object.insert("lanes".into(), (*lanes).into());
            }
            Way::Library => {
                object.insert("backend".into(), algorithm.backend().into());
            }
        }
        if let Some(figure) = &result.figure {
            object.insert("bytes_per_second".into(), figure.median.into());
            object.insert("samples".into(), figure.n.into());
            if let Some(cycles) = cycles_per_second {
                object.insert("cycles_per_byte".into(), (cycles / figure.median).into());
            }
        }
        object.insert("serves".into(), served(*algorithm, *way, choice).into());
        text += &format!("{}\n", Value::Object(object));
    }
    let saving: Map<String, Value> = Algorithm::all()
        .map(|algorithm| (algorithm.name().to_owned(), algorithm.saving().name().into()))
        .collect();
    let mut object = head();
    object.insert("saving".into(), saving.into());
    text += &format!("{}\n", Value::Object(object));
    text
}

/// What every line begins with.
fn head() -> Map<String, Value> {
    [("schema".to_owned(), "hashlane-backends".into()), ("version".to_owned(), 1.into())]
        .into_iter()
        .collect()
}
