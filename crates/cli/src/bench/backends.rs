//! `hashlane backends`: every algorithm by every backend that this CPU has for it.

use std::sync::Arc;

use hashlane_digest::{Algorithm, Backend, LaneSet};
use hashlane_engine::{Control, SLOTS_PER_WORKER, Stop};
use hashlane_measure::{CellResult, Ending, LanesProbe, Plan, Probe, sample};
use hashlane_report::{Table, figures, table};

use super::print;
use super::progress::BenchProgress;
use crate::args::BackendsArgs;
use crate::screen::Screen;
use crate::signals::{Interrupted, die_by};
use crate::status::{Ended, Status};

/// What is measured of one backend: messages side by side.
struct Row {
    algorithm: Algorithm,
    backend: &'static str,
    messages: usize,
    /// The one to force. None where a library has a way of its own for a message alone.
    forced: Option<Backend>,
}

pub(crate) fn run(args: &BackendsArgs) -> anyhow::Result<Status> {
    let algorithms = chosen(&args.algorithm)?;
    let rows: Vec<_> = algorithms.into_iter().flat_map(rows).collect();
    let mut probes: Vec<Box<dyn Probe>> = Vec::new();
    for Row { algorithm, messages, forced, .. } in &rows {
        probes.push(Box::new(LanesProbe::new(*algorithm, *forced, *messages)));
    }
    let control = Arc::new(Control::new());
    let mut progress = BenchProgress::start(args.progress, &control);
    let interrupted = Interrupted::watch(&control, progress.screen(), Stop::Aborted)?;
    let plan = Plan {
        budget: args.budget,
        sample: std::time::Duration::from_millis(5),
        least_rounds: 7,
        most_rounds: 100,
        width: 0.01,
        seed: 1,
    };
    let (cells, ending) = sample(&mut probes, &plan, &mut progress);
    drop(progress);
    if let Some(signal) = interrupted.signal().filter(|_| ending == Ending::Interrupted) {
        Screen::plain().message("stopped before the end: nothing is shown");
        die_by(signal);
    }
    print(&table(&shown(&rows, &cells)))?;
    Ok(Status::OK)
}

/// The algorithms that were asked for and have backends to choose from.
fn chosen(wanted: &[Algorithm]) -> anyhow::Result<Vec<Algorithm>> {
    if let Some(alone) = wanted.iter().find(|algorithm| algorithm.lanes().is_none()) {
        let with: Vec<_> =
            Algorithm::all().filter(|known| known.lanes().is_some()).map(Algorithm::name).collect();
        return Err(Ended::usage(format!(
            "--algorithm {alone}: there is only one way to compute it here ({}); there are several for {}",
            alone.backend(),
            with.join(", ")
        )));
    }
    let all = || Algorithm::all().filter(|algorithm| algorithm.lanes().is_some()).collect();
    Ok(if wanted.is_empty() { all() } else { wanted.to_vec() })
}

/// A message alone and as many as fill the widest kernel, for each backend.
fn rows(algorithm: Algorithm) -> Vec<Row> {
    let backends = algorithm.lanes().map(|lanes| lanes.backends()).unwrap_or_default();
    let row = |forced: Option<Backend>, messages| {
        let backend = LaneSet::by(algorithm, messages, forced).backend();
        Row { algorithm, backend, messages, forced }
    };
    let of = |backend: Backend| {
        let width = LaneSet::by(algorithm, SLOTS_PER_WORKER, Some(backend)).width();
        let counts = [Some(1), (width > 1).then_some(width)];
        let rows = counts.into_iter().flatten().map(move |messages| row(Some(backend), messages));
        rows.filter(move |row| row.backend == backend.name())
    };
    let own = Some(row(None, 1)).filter(|own| backends.iter().all(|backend| backend.name() != own.backend));
    backends.iter().copied().flat_map(of).chain(own).collect()
}

fn shown(rows: &[Row], cells: &[CellResult]) -> Table {
    let head = ["", "backend", "messages", "one core", "MiB/s", "95 % interval", "n", "taken for"];
    let mut table = Table::new("Backends: messages side by side in the cache of one core", &head);
    for (Row { algorithm, backend, messages, .. }, result) in rows.iter().zip(cells) {
        let taken = |count| algorithm.backend_for(count) == *backend;
        let taken = match messages {
            1 if taken(1) => "one message",
            2.. if taken(SLOTS_PER_WORKER) => "many",
            _ => "",
        };
        let (rate, mebibytes, interval, n) = match &result.figure {
            Some(figure) => (
                figures::rate(figure.median),
                figures::mebibytes(figure.median),
                figures::interval(figure, result.unit),
                figure.n.to_string(),
            ),
            None => Default::default(),
        };
        let messages = messages.to_string();
        let cells = [algorithm.name(), backend, &messages, &rate, &mebibytes, &interval, &n, taken];
        table.rows.push(cells.map(str::to_owned).to_vec());
    }
    table.notes.push("Other numbers of messages take the backend that is fastest for them.".to_owned());
    table
}
