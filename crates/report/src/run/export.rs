//! A run for other programs: rows of CSV, and the text format that Prometheus collects from files.

use std::fmt::Write as _;

use csv::WriterBuilder;
use hashlane_measure::{Cell, CellResult, Run, Unit};
use serde::Serialize;

/// Parameters of a cell, by the names of the run file.
type Parameters = Vec<(&'static str, String)>;

/// A row for each cell, its parameters and its figure, the heading first. Empty fields are parameters that do not apply and
/// figures that are not there; numbers have all their digits.
pub fn csv(run: &Run) -> String {
    const FIGURES: [&str; 11] = [
        "unit",
        "median",
        "low",
        "high",
        "min",
        "max",
        "mad",
        "n",
        "cpu_s_per_gb",
        "complete",
        "not_measured",
    ];
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    let names = parameters(&run.study, &Cell::new(hashlane_measure::Stage::Read));
    let mut write = |row: Vec<String>| writer.write_record(row).expect("memory takes all");
    write(names.iter().map(|(name, _)| *name).chain(FIGURES).map(str::to_owned).collect());
    for result in &run.cells {
        let mut row: Vec<String> =
            parameters(&run.study, &result.cell).into_iter().map(|(_, value)| value).collect();
        row.extend(figures(result, run));
        write(row);
    }
    let bytes = writer.into_inner().expect("memory takes all");
    String::from_utf8(bytes).expect("all fields are text")
}

fn figures(result: &CellResult, run: &Run) -> Vec<String> {
    let figure = result.figure;
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let interval = figure.and_then(|figure| figure.interval);
    vec![
        name_of(&result.unit),
        number(figure.map(|figure| figure.median)),
        number(interval.map(|(low, _)| low)),
        number(interval.map(|(_, high)| high)),
        number(figure.map(|figure| figure.min)),
        number(figure.map(|figure| figure.max)),
        number(figure.map(|figure| figure.mad)),
        result.samples.len().to_string(),
        number(result.cpu_s_per_gb.map(|cpu| cpu.median)),
        run.complete.to_string(),
        result.not_measured.clone().unwrap_or_default(),
    ]
}

/// The figures as gauges, for the textfile collector of the node exporter. Cells without a figure are left out, as
/// Prometheus would have it.
pub fn prometheus(run: &Run) -> String {
    let mut text = String::new();
    for (wanted, name, help) in [
        (Unit::BytesPerSecond, "hashlane_bytes_per_second", "Median rate in bytes per second."),
        (Unit::FilesPerSecond, "hashlane_files_per_second", "Median rate in files per second."),
        (
            Unit::NanosecondsPerOperation,
            "hashlane_operation_seconds",
            "Median time of one operation in seconds.",
        ),
    ] {
        // Prometheus counts in seconds.
        let scale = if wanted == Unit::NanosecondsPerOperation { 1e-9 } else { 1.0 };
        let measured: Vec<_> = run
            .cells
            .iter()
            .filter(|result| result.unit == wanted)
            .filter_map(|result| Some((labels(&run.study, &result.cell), result.figure?)))
            .collect();
        let mut gauge =
            |suffix: &str, help: &str, value: &dyn Fn(&hashlane_measure::Estimate) -> Option<f64>| {
                let lines: Vec<_> = measured
                    .iter()
                    .filter_map(|(labels, figure)| {
                        Some(format!("{name}{suffix}{{{labels}}} {}", value(figure)? * scale))
                    })
                    .collect();
                if !lines.is_empty() {
                    let _ = writeln!(
                        text,
                        "# HELP {name}{suffix} {help}\n# TYPE {name}{suffix} gauge\n{}",
                        lines.join("\n")
                    );
                }
            };
        gauge("", help, &|figure| Some(figure.median));
        gauge("_low", "Lower end of its 95 % interval.", &|figure| figure.interval.map(|(low, _)| low));
        gauge("_high", "Upper end of its 95 % interval.", &|figure| figure.interval.map(|(_, high)| high));
    }
    let labels = format!("study=\"{}\",program=\"{}\"", escaped(&run.study), escaped(&run.program));
    let _ = writeln!(
        text,
        "# HELP hashlane_run_complete Whether the run was completed.\n# TYPE hashlane_run_complete gauge\n\
         hashlane_run_complete{{{labels}}} {}",
        u8::from(run.complete)
    );
    text
}

fn labels(study: &str, cell: &Cell) -> String {
    let given = parameters(study, cell).into_iter().filter(|(_, value)| !value.is_empty());
    given.map(|(name, value)| format!("{name}=\"{}\"", escaped(&value))).collect::<Vec<_>>().join(",")
}

/// A label as Prometheus reads it.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// What a value is called in JSON.
pub(crate) fn name_of(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).ok();
    value.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

/// What distinguishes a cell from all others, empty where it does not apply.
fn parameters(study: &str, cell: &Cell) -> Parameters {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let count = |value: Option<usize>| value.map_or_else(String::new, |value| value.to_string());
    let number = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
    vec![
        ("study", study.to_owned()),
        ("stage", cell.stage.name().to_owned()),
        ("program", text(&cell.program)),
        ("call", text(&cell.call)),
        ("algorithm", text(&cell.algorithm)),
        ("backend", text(&cell.backend)),
        ("engine", text(&cell.engine)),
        ("model", text(&cell.model)),
        ("cache", cell.cache.map_or_else(String::new, |cache| cache.to_string())),
        ("threads", cell.threads.to_string()),
        ("depth", count(cell.depth)),
        ("buffers", count(cell.buffers)),
        ("messages", count(cell.messages)),
        ("block_bytes", number(cell.block_bytes)),
        ("input", text(&cell.input)),
        ("input_bytes", number(cell.input_bytes)),
        ("copies", number(cell.copies)),
        ("iterations", number(cell.iterations)),
        ("sink", text(&cell.sink)),
    ]
}
