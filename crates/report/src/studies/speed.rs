//! `bench speed`: a table and curves of rates over message sizes, and the table that hashbench printed.

use hashlane_measure::speed::{
    Cycles, cycles_per_byte, find, is_message, ns_per_message, subject, subjects_and_sizes,
};
use hashlane_measure::{CellResult, Run, Size, Unit};

use crate::charts::{Curve, MOST_SERIES, Series};
use crate::figures::{self, NONE};
use crate::tables::{Table, reason};
use crate::view::View;

pub(crate) fn view(run: &Run) -> View {
    let (subjects, sizes) = subjects_and_sizes(run);
    let mut tables: Vec<_> = subjects.iter().map(|name| table(run, name, &sizes)).collect();
    if let Some(last) = tables.last_mut() {
        last.notes.extend(remarks(run));
    }
    View {
        title: "Speed of digests by message size".to_owned(),
        findings: subjects.iter().filter_map(|name| finding(run, name, &sizes)).collect(),
        charts: Vec::new(),
        curves: curves(run, &subjects),
        tables,
    }
}

/// The most threads that anything ran on.
fn most_threads(run: &Run) -> usize {
    run.cells.iter().map(|result| result.cell.threads).max().unwrap_or(1)
}

fn table(run: &Run, name: &str, sizes: &[u64]) -> Table {
    let all = most_threads(run);
    let has_lanes = run.cells.iter().any(|result| is_message(&result.cell, name, true));
    let mut head = vec!["message".to_owned(), "ns".into(), "one core".into(), "MiB/s".into()];
    head.extend(["95 % interval".to_owned(), "n".into(), "CPU s/GB".into(), "cycles/B".into()]);
    let mut columns: Vec<(usize, bool, &str)> = Vec::new();
    if all > 1 {
        columns.push((all, false, "all cores"));
    }
    if has_lanes {
        columns.push((1, true, "side by side"));
        columns.push((1, true, "cycles/B"));
        if all > 1 {
            columns.push((all, true, "all cores"));
        }
    }
    head.extend(columns.iter().map(|(_, _, title)| (*title).to_owned()));
    let mut table = Table { title: title(run, name), head, rows: Vec::new(), notes: Vec::new() };
    for &size in sizes {
        let of = |threads, side_by_side| find(run, name, size, threads, side_by_side);
        let Some(one) = of(1, false).or_else(|| of(all, false)).or_else(|| of(1, true)) else { continue };
        let mut row = vec![Size(size).to_string()];
        row.extend(figures_of_one(one, run));
        for (threads, side_by_side, title) in &columns {
            let result = of(*threads, *side_by_side);
            row.push(
                match *title {
                    "cycles/B" => result.and_then(|result| cycles(result, run)),
                    _ => result.and_then(rate),
                }
                .unwrap_or_else(|| NONE.to_owned()),
            );
        }
        table.rows.push(row);
    }
    let of_name = run.cells.iter().filter(|result| subject(&result.cell) == Some(name));
    table.notes.extend(of_name.filter_map(reason));
    table
}

/// `sha256: one by sha-ni, 16 side by side by avx512`.
fn title(run: &Run, name: &str) -> String {
    let backend = |side_by_side| {
        let result = run.find(|cell| is_message(cell, name, side_by_side))?;
        Some((result.cell.messages?, result.cell.backend.clone()?))
    };
    let is_foreign = run.cells.iter().any(|result| result.cell.program.as_deref() == Some(name));
    if is_foreign {
        return format!("{name}: a function of a plugin, one message");
    }
    let one = backend(false).map(|(_, backend)| format!("one message by {backend}"));
    let many = backend(true).map(|(messages, backend)| format!("{messages} side by side by {backend}"));
    let both: Vec<_> = [one, many].into_iter().flatten().collect();
    if both.is_empty() { name.to_owned() } else { format!("{name}: {}", both.join(", ")) }
}

fn figures_of_one(result: &CellResult, run: &Run) -> Vec<String> {
    let none = || NONE.to_owned();
    let figure = result.figure;
    vec![
        ns_per_message(result).map_or_else(none, figures::digits),
        rate(result).unwrap_or_else(none),
        figure.map_or_else(none, |figure| figures::mebibytes(figure.median)),
        figure.map_or_else(none, |figure| figures::interval(&figure, result.unit)),
        figure.map_or_else(none, |figure| figure.n.to_string()),
        result.cpu_s_per_gb.map_or_else(none, |cpu| figures::digits(cpu.median)),
        cycles(result, run).unwrap_or_else(none),
    ]
}

fn rate(result: &CellResult) -> Option<String> {
    Some(figures::rate(result.figure?.median))
}

fn cycles(result: &CellResult, run: &Run) -> Option<String> {
    cycles_per_byte(result, run).map(|(cycles, _)| figures::digits(cycles))
}

/// What holds for all tables.
fn remarks(run: &Run) -> Vec<String> {
    let whose = run.cells.iter().find_map(|result| cycles_per_byte(result, run));
    let cycles = match (whose, run.reference_cycles_per_second) {
        (Some((_, Cycles::OfCores)), _) => {
            "Cycles are those that the cores spent in user mode, as their counters say.".to_owned()
        }
        (Some((_, Cycles::OfClock)), Some(rate)) => format!(
            "Cycles are those of the time stamp counter, {:.2} GHz, however fast the cores run: their own cannot be \
             counted here.",
            rate / 1e9
        ),
        _ => "Cycles cannot be told on this processor.".to_owned(),
    };
    let memory = "Each message is begun, taken in and ended; all lie in memory, small ones in the caches. Side by side \
                  they take at most 64 MiB a core.";
    vec![memory.to_owned(), cycles]
}

/// What one algorithm comes to.
fn finding(run: &Run, name: &str, sizes: &[u64]) -> Option<String> {
    let one = |size: &u64| find(run, name, *size, 1, false).filter(|result| result.figure.is_some());
    let smallest = sizes.iter().find_map(one)?;
    let best = |side_by_side| {
        let results = sizes.iter().filter_map(|size| find(run, name, *size, 1, side_by_side));
        results.filter_map(|result| result.figure).map(|figure| figure.median).reduce(f64::max)
    };
    let single = best(false)?;
    let mut text = format!(
        "{name}: a message of {} takes {} ns, long ones come to {}",
        Size(smallest.cell.block_bytes?),
        figures::digits(ns_per_message(smallest)?),
        figures::rate(single)
    );
    if let Some(many) = best(true) {
        text += &format!(", side by side to {}: {:.1} times as fast", figures::rate(many), many / single);
    }
    Some(text + ".")
}

fn curves(run: &Run, subjects: &[String]) -> Vec<Curve> {
    let curve = |title: &str, side_by_side: bool, subjects: &[String]| {
        let series = subjects.iter().filter_map(|name| {
            let of = |result: &&CellResult| {
                is_message(&result.cell, name, side_by_side) && result.cell.threads == 1
            };
            Series::of(name, run.cells.iter().filter(of))
        });
        Curve {
            title: title.to_owned(),
            caption: "One core; the band is the 95 % interval.".to_owned(),
            unit: Unit::BytesPerSecond,
            series: series.filter(|series| series.points.len() > 1).collect(),
            ceilings: Vec::new(),
        }
    };
    let single =
        subjects.chunks(MOST_SERIES).map(|subjects| curve("One message after the other", false, subjects));
    let many = subjects.chunks(MOST_SERIES).map(|subjects| curve("Messages side by side", true, subjects));
    single.chain(many).collect()
}

/// The table that hashbench printed: whole KB a second of its hundred runs together, a row for each size.
pub(crate) fn classic(run: &Run) -> String {
    let (subjects, sizes) = subjects_and_sizes(run);
    let mut table = Table {
        title: "KB/s".to_owned(),
        head: std::iter::once(String::new()).chain(subjects.iter().cloned()).collect(),
        rows: Vec::new(),
        notes: vec![
            "As hashbench printed them: the bytes of one message over the time of 100, so 100 times less than the \
             rate. With whole ticks of a clock (1/1024 s and 10 ms then) a short time was none, and its rate infinite; \
             here nanoseconds are counted, and what is less than one keeps its digits."
                .to_owned(),
        ],
    };
    for size in sizes {
        let figure = |name: &String| {
            let rate = find(run, name, size, 1, false)?.figure?.median;
            Some(figures::digits(rate / 100.0 / 1e3))
        };
        let cells = subjects.iter().map(|name| figure(name).unwrap_or_else(|| NONE.to_owned()));
        table.rows.push(std::iter::once(classic_size(size)).chain(cells).collect());
    }
    crate::terminal::table(&table)
}

/// `100`, `1KB`: the original did not say of what its KB are; those of 1024 are written so as well.
fn classic_size(bytes: u64) -> String {
    match bytes {
        bytes if bytes % (1 << 20) == 0 => format!("{}MB", bytes >> 20),
        bytes if bytes % (1 << 10) == 0 => format!("{}KB", bytes >> 10),
        bytes if bytes % 1_000_000 == 0 => format!("{}MB", bytes / 1_000_000),
        bytes if bytes % 1_000 == 0 => format!("{}KB", bytes / 1_000),
        bytes => bytes.to_string(),
    }
}
