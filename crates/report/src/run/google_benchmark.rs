//! A run as Google Benchmark writes it: its table, and its JSON, which many programs read.
//!
//! An iteration is one piece of work of a cell: a reading of its file, a message, a call. Every sample is a repetition, and
//! so real time, processor time and the number of iterations are those of that sample.

use std::collections::HashSet;
use std::fmt::Write as _;

use hashlane_measure::{CellResult, Run, Sample, Size, Unit, statistics};
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    context: Context<'a>,
    benchmarks: Vec<Row>,
}

#[derive(Serialize)]
struct Context<'a> {
    date: &'a str,
    executable: &'a str,
    num_cpus: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    mhz_per_cpu: Option<u64>,
    cpu_scaling_enabled: bool,
    caches: Vec<Cache<'a>>,
}

#[derive(Serialize)]
struct Cache<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    level: u32,
    size: u64,
}

#[derive(Serialize)]
struct Row {
    name: String,
    run_name: String,
    run_type: &'static str,
    repetitions: usize,
    repetition_index: usize,
    threads: usize,
    iterations: u64,
    real_time: f64,
    cpu_time: f64,
    time_unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_second: Option<f64>,
}

/// A name for each cell: what is called alike is distinguished by its size.
fn names(run: &Run) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut of = |result: &CellResult| {
        let name = result.cell.to_string();
        match result.cell.input_bytes {
            Some(bytes) if !seen.insert(name.clone()) => format!("{name}, {}", Size(bytes)),
            _ => name,
        }
    };
    run.cells.iter().map(&mut of).collect()
}

/// How often the work of a cell was done in a sample, and what one time took, in nanoseconds: real and of the processor.
fn iterations(result: &CellResult, sample: &Sample) -> (u64, f64, f64) {
    // Where operations are what is counted, each is an iteration; else each time that all of it was done.
    let count = match result.unit {
        Unit::NanosecondsPerOperation => sample.work.operations,
        Unit::BytesPerSecond | Unit::FilesPerSecond => result.repeats,
    }
    .max(1);
    let elapsed = &sample.elapsed;
    let each = |ns: u64| ns as f64 / count as f64;
    (count, each(elapsed.wall_ns), each(elapsed.user_ns + elapsed.sys_ns))
}

/// The JSON of `--benchmark_format=json`.
pub fn google_benchmark(run: &Run) -> String {
    let rows = |(result, name): (&CellResult, String)| {
        let of_sample = |(index, sample): (usize, &Sample)| {
            let (iterations, real_time, cpu_time) = iterations(result, sample);
            Row {
                name: name.clone(),
                run_name: name.clone(),
                run_type: "iteration",
                repetitions: result.samples.len(),
                repetition_index: index,
                threads: result.cell.threads,
                iterations,
                real_time,
                cpu_time,
                time_unit: "ns",
                bytes_per_second: (sample.work.bytes > 0).then(|| sample.figure(Unit::BytesPerSecond)),
            }
        };
        result.samples.iter().enumerate().map(of_sample).collect::<Vec<_>>()
    };
    let processor = &run.machine.processor;
    let caches = processor.caches.iter();
    let document = Document {
        context: Context {
            date: &run.started,
            executable: &run.program,
            num_cpus: processor.cores,
            mhz_per_cpu: run.reference_cycles_per_second.map(|cycles| (cycles / 1e6).round() as u64),
            cpu_scaling_enabled: processor
                .governor
                .as_deref()
                .is_some_and(|governor| governor != "performance"),
            caches: caches
                .map(|cache| Cache { kind: &cache.kind, level: cache.level, size: cache.size_bytes })
                .collect(),
        },
        benchmarks: run.cells.iter().zip(names(run)).flat_map(rows).collect(),
    };
    let mut text = serde_json::to_string_pretty(&document).expect("numbers and text");
    text.push('\n');
    text
}

/// The table that it prints: medians of all samples.
pub(crate) fn table(run: &Run) -> String {
    let rows: Vec<(String, [f64; 2], u64)> = run
        .cells
        .iter()
        .zip(names(run))
        .filter_map(|(result, name)| {
            let all: Vec<_> = result.samples.iter().map(|sample| iterations(result, sample)).collect();
            let real = statistics::median(&all.iter().map(|(_, real, _)| *real).collect::<Vec<_>>())?;
            let cpu = statistics::median(&all.iter().map(|(_, _, cpu)| *cpu).collect::<Vec<_>>())?;
            Some((name, [real, cpu], all.iter().map(|(count, ..)| count).sum()))
        })
        .collect();
    let wide = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max("Benchmark".len());
    let line = "-".repeat(wide + 3 * 16);
    let mut text =
        format!("{line}\n{:<wide$}{:>16}{:>16}{:>16}\n{line}\n", "Benchmark", "Time", "CPU", "Iterations");
    for (name, [real, cpu], count) in rows {
        let shown = |ns: f64| if ns < 100.0 { format!("{ns:.1} ns") } else { format!("{ns:.0} ns") };
        let [real, cpu] = [real, cpu].map(shown);
        let _ = writeln!(text, "{name:<wide$}{real:>16}{cpu:>16}{count:>16}");
    }
    text
}
