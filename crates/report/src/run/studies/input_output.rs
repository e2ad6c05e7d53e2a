//! `bench io`: blocks, threads, random reads, system calls, writing beside `dd`.

mod classic;

use hashlane_measure::input_output::{
    COPY_BLOCK_BYTES, KNEE, SEARCH, WITHIN, copies, is_block_read, is_block_write, knee,
};
use hashlane_measure::variant::{Time, difference};
use hashlane_measure::{CacheState, Cell, CellResult, Latency, Run, Size, Stage, Unit, statistics};

pub(crate) use self::classic::classic;
use crate::charts::{Curve, Series};
use crate::run::figures::{self, NONE, block_of};
use crate::run::tables::not_measured;
use crate::tables::{Table, doubt};
use crate::view::View;

pub(crate) fn view(run: &Run) -> View {
    let measured = [reading, combining, random, calls, writing, copying, not_measured];
    View {
        title: "Blocks, system calls and threads".to_owned(),
        findings: findings(run),
        charts: Vec::new(),
        curves: curves(run),
        tables: measured.iter().map(|table| table(run)).collect(),
    }
}

/// The cells that were measured, of a kind.
fn measured<'a>(run: &'a Run, of: impl Fn(&Cell) -> bool + 'a) -> impl Iterator<Item = &'a CellResult> + 'a {
    run.cells.iter().filter(move |result| result.figure.is_some() && of(&result.cell))
}

fn cache(cell: &Cell) -> String {
    cell.cache.map_or_else(|| NONE.to_owned(), |cache| cache.to_string())
}

/// Rate, MiB/s, interval and number of rounds.
fn rates(result: &CellResult) -> [String; 4] {
    let Some(figure) = result.figure else { return [(); 4].map(|()| NONE.to_owned()) };
    [
        figures::rate(figure.median),
        figures::mebibytes(figure.median),
        figures::interval(&figure, result.unit),
        figure.n.to_string(),
    ]
}

fn reading(run: &Run) -> Table {
    let mut table = Table::new(
        "Reading by block size: one thread, one request at a time",
        &["", "engine", "block", "rate", "MiB/s", "95 % interval", "n", "a block", ""],
    );
    table.details = vec![4, 6];
    let knees = [CacheState::Warm, CacheState::Unknown, CacheState::Cold].map(|cache| knee(run, cache));
    for result in measured(run, |cell| cell.stage == Stage::Read) {
        let cell = &result.cell;
        let is_knee = knees.iter().flatten().any(|knee| knee.cell == *cell);
        let mut row = vec![cache(cell), cell.engine.clone().unwrap_or_default(), block_of(cell)];
        row.extend(rates(result));
        row.push(of_a_block(result).unwrap_or_else(|| NONE.to_owned()));
        row.push(if is_knee { "knee" } else { "" }.to_owned());
        table.rows.push(row);
    }
    if knees.iter().any(Option::is_some) {
        let gain = (1.0 / KNEE - 1.0) * 100.0;
        table
            .notes
            .push(format!("knee: the smallest block that larger ones exceed by less than {gain:.0} %"));
    }
    table
}

/// What a block takes; the last one may be shorter.
fn of_a_block(result: &CellResult) -> Option<String> {
    let (block_bytes, bytes) = (result.cell.block_bytes?, result.cell.input_bytes?);
    let ns = bytes as f64 / result.figure?.median / bytes.div_ceil(block_bytes) as f64 * 1e9;
    Some(figures::figure(ns, Unit::NanosecondsPerOperation))
}

fn combining(run: &Run) -> Table {
    let mut table = Table::new(
        "Reading with the XOR of all words, one thread and several",
        &["", "threads", "block", "rate", "MiB/s", "95 % interval", "n", "to one thread", "XOR"],
    );
    table.details = vec![4, 6];
    for result in measured(run, |cell| cell.stage == Stage::Pipeline) {
        let cell = &result.cell;
        let mut row = vec![cache(cell), cell.threads.to_string(), block_of(cell)];
        row.extend(rates(result));
        let ratio = beside_one(run, result).filter(|_| cell.threads > 1);
        row.push(ratio.map_or_else(|| NONE.to_owned(), |ratio| format!("{ratio:.2}")));
        row.push(result.digest.clone().unwrap_or_else(|| NONE.to_owned()));
        table.rows.push(row);
    }
    table
}

/// How much faster it was than one thread with the same blocks.
fn beside_one(run: &Run, result: &CellResult) -> Option<f64> {
    let alone = Cell { threads: 1, depth: Some(1), ..result.cell.clone() };
    let one = run.find(|cell| *cell == alone)?;
    Some(statistics::ratio_of_medians(&result.figures(), &one.figures())?.median)
}

fn random(run: &Run) -> Table {
    let mut table = Table::new(
        "Random reads",
        &[
            "",
            "engine",
            "block",
            "in flight",
            "reads/s",
            "rate",
            "95 % interval",
            "n",
            "p50",
            "p90",
            "p99",
            "p99.9",
            "longest",
        ],
    );
    table.details = vec![5, 7, 9, 11];
    for result in measured(run, |cell| cell.stage == Stage::RandomRead) {
        let cell = &result.cell;
        let Some(figure) = result.figure else { continue };
        let per_second = 1e9 / figure.median;
        let bytes = cell.block_bytes.unwrap_or(0) as f64;
        let mut row = vec![
            cache(cell),
            cell.engine.clone().unwrap_or_default(),
            block_of(cell),
            cell.depth.map_or_else(|| NONE.to_owned(), |depth| depth.to_string()),
            figures::digits(per_second),
            figures::rate(per_second * bytes),
            figure.interval.map_or_else(
                || figures::interval(&figure, result.unit),
                |(low, high)| format!("{} to {}", figures::digits(1e9 / high), figures::digits(1e9 / low)),
            ),
            figure.n.to_string(),
        ];
        row.extend(latencies(result));
        table.rows.push(row);
    }
    if !table.rows.is_empty() {
        table.notes.push(
            "The interval is that of reads/s. p50 to p99.9 are percentiles of the reads of a sample, as the median of all samples, if a sample has enough reads; \
             the longest is of all reads. Each read is timed from its request until its data was taken in."
                .to_owned(),
        );
    }
    table
}

fn latencies(result: &CellResult) -> Vec<String> {
    let all: Vec<Latency> = result.samples.iter().filter_map(|sample| sample.work.latency).collect();
    // All in one unit, so that they can be compared at a glance.
    let shown = |ns: Option<f64>| {
        ns.map_or_else(|| NONE.to_owned(), |ns| format!("{} µs", figures::digits(ns / 1e3)))
    };
    let fewest = result.samples.iter().map(|sample| sample.work.operations).min().unwrap_or(0);
    let middle = |least: u64, of: fn(&Latency) -> u64| {
        let times: Vec<_> = all.iter().map(|latency| of(latency) as f64).collect();
        shown(statistics::median(&times).filter(|_| fewest >= least))
    };
    let longest = all.iter().map(|latency| latency.max_ns as f64).reduce(f64::max);
    vec![
        middle(2, |latency| latency.p50_ns),
        middle(10, |latency| latency.p90_ns),
        middle(100, |latency| latency.p99_ns),
        middle(1_000, |latency| latency.p999_ns),
        shown(longest),
    ]
}

fn calls(run: &Run) -> Table {
    let mut table = Table::new("System calls", &["", "a call", "calls/s", "95 % interval", "n"]);
    for result in measured(run, |cell| cell.stage == Stage::SystemCall) {
        let Some(figure) = result.figure else { continue };
        table.rows.push(vec![
            result.cell.call.clone().unwrap_or_default(),
            figures::figure(figure.median, result.unit),
            figures::digits(1e9 / figure.median),
            figures::interval(&figure, result.unit),
            figure.n.to_string(),
        ]);
    }
    if !table.rows.is_empty() {
        table.notes.push("read and pread read one byte from the page cache.".to_owned());
    }
    table
}

fn writing(run: &Run) -> Table {
    let mut table = Table::new(
        "Writing by block size, until the data is on the device",
        &["block", "bytes", "rate", "MiB/s", "95 % interval", "n", "a block"],
    );
    for result in measured(run, |cell| cell.stage == Stage::Write).filter(|result| is_block_write(result)) {
        let mut row =
            vec![block_of(&result.cell), result.cell.input_bytes.map_or_else(String::new, figures::bytes)];
        row.extend(rates(result));
        row.push(of_a_block(result).unwrap_or_else(|| NONE.to_owned()));
        table.rows.push(row);
    }
    table
}

fn copying(run: &Run) -> Table {
    let mut table = Table::new(
        &format!(
            "Zeros to a file, compared with dd, in blocks of {}, until they are on the device",
            Size(COPY_BLOCK_BYTES as u64)
        ),
        &["", "dd", "hashlane", "hashlane to dd", "n", "rate of dd", "rate of hashlane"],
    );
    for (dd, own) in copies(run) {
        let (Some(of_dd), Some(of_own), Some(bytes)) = (dd.figure, own.figure, dd.cell.input_bytes) else {
            continue;
        };
        let to_dd = difference(own, dd, Time::Real);
        let rate = |ns: f64| figures::rate(bytes as f64 / ns * 1e9);
        table.rows.push(vec![
            Size(bytes).to_string(),
            figures::figure(of_dd.median, dd.unit),
            figures::figure(of_own.median, own.unit),
            to_dd.map_or_else(
                || NONE.to_owned(),
                |to_dd| format!("{:+.1} %{}", to_dd.share * 100.0, if to_dd.is_real() { "" } else { " ?" }),
            ),
            of_own.n.to_string(),
            rate(of_dd.median),
            rate(of_own.median),
        ]);
    }
    table.notes.extend(doubt(&table));
    table
}

fn findings(run: &Run) -> Vec<String> {
    let mut findings = Vec::new();
    for cache in [CacheState::Warm, CacheState::Unknown, CacheState::Cold] {
        findings.extend(knee(run, cache).and_then(|knee| {
            let figure = knee.figure?;
            Some(format!(
                "Reading, {cache}: the knee is at blocks of {}: {}; larger ones gain less than {:.0} %{}.",
                block_of(&knee.cell),
                figures::rate(figure.median),
                (1.0 / KNEE - 1.0) * 100.0,
                if figure.interval.is_some() { "" } else { ", as far as so few rounds show" }
            ))
        }));
    }
    findings.extend(call_finding(run));
    findings.extend(thread_finding(run));
    findings.extend(depth_finding(run));
    findings.extend(reasonable(run));
    findings
}

fn call_finding(run: &Run) -> Option<String> {
    let of = |name: &'static str| {
        let result = run.find(|cell| cell.call.as_deref() == Some(name))?;
        Some(figures::figure(result.figure?.median, result.unit))
    };
    Some(format!(
        "A system call that does nothing takes {}, a read of one byte {}, opening and closing a file {}.",
        of("getppid")?,
        of("read")?,
        of("open+close")?
    ))
}

fn thread_finding(run: &Run) -> Option<String> {
    let fastest = |of: fn(&Cell) -> bool| {
        measured(run, move |cell| cell.stage == Stage::Pipeline && of(cell))
            .max_by(|one, other| rate(one).total_cmp(&rate(other)))
    };
    let (one, many) = (fastest(|cell| cell.threads == 1)?, fastest(|cell| cell.threads > 1)?);
    let ratio = statistics::ratio_of_medians(&many.figures(), &one.figures())?;
    let sure = ratio.interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0);
    Some(format!(
        "{} threads read and combine {:.2} times as fast as one{}, each at its best block{}.",
        many.cell.threads,
        ratio.median,
        if sure { "" } else { " (not certain)" },
        if one.digest == many.digest { ", and find the same XOR" } else { "" }
    ))
}

fn rate(result: &CellResult) -> f64 {
    result.figure.map_or(0.0, |figure| figure.median)
}

fn depth_finding(run: &Run) -> Option<String> {
    let cold = |cell: &Cell| cell.stage == Stage::RandomRead && cell.cache == Some(CacheState::Cold);
    let one = measured(run, cold).find(|result| result.cell.depth == Some(1))?;
    let best = measured(run, cold).min_by(|one, other| rate(one).total_cmp(&rate(other)))?;
    let per_second = |result: &CellResult| figures::digits(1e9 / rate(result));
    let depth = best.cell.depth.filter(|depth| *depth > 1)?;
    Some(format!(
        "Bypassing the page cache, {} random blocks of {} are read per second one at a time, and {} with {depth} in flight.",
        per_second(one),
        block_of(&one.cell),
        per_second(best)
    ))
}

/// What the search for a file that takes 5 to 15 seconds has found.
fn reasonable(run: &Run) -> Option<String> {
    let last = run.cells.last().filter(|_| run.study == SEARCH)?;
    let (bytes, seconds) = (last.cell.input_bytes?, last.cell.input_bytes? as f64 / last.figure?.median);
    let how =
        format!("A file of {bytes} bytes takes {seconds:.2} s to read in blocks of {}", block_of(&last.cell));
    if WITHIN.contains(&seconds) {
        return Some(format!("{how}, which is reasonable."));
    }
    if seconds >= WITHIN.end {
        return Some(format!(
            "{how}, which is too long, and a shorter one took less than {:.0} s.",
            WITHIN.start
        ));
    }
    let wanted = figures::bytes((last.figure?.median * WITHIN.start) as u64);
    Some(format!(
        "{how}; there is no space for one that takes {:.0} s, which would have about {wanted}.",
        WITHIN.start
    ))
}

fn curves(run: &Run) -> Vec<Curve> {
    let curve = |title: &str, series: Vec<(&str, CacheState)>| Curve {
        title: title.to_owned(),
        caption: "One thread, one request at a time; the band is the 95 % interval.".to_owned(),
        series: series
            .into_iter()
            .filter_map(|(engine, cache)| {
                let of = |result: &&CellResult| {
                    result.cell.stage == Stage::Read
                        && result.cell.engine.as_deref() == Some(engine)
                        && result.cell.cache == Some(cache)
                };
                Series::of(engine, run.cells.iter().filter(of))
            })
            .filter(|series| series.points.len() > 1)
            .collect(),
        ceilings: Vec::new(),
    };
    let warm = if run.cells.iter().any(|result| is_block_read(&result.cell, CacheState::Unknown)) {
        CacheState::Unknown
    } else {
        CacheState::Warm
    };
    let mut written = curve("Writing by block size", Vec::new());
    written.caption = "Until the data is on the device; the band is the 95 % interval.".to_owned();
    written.series.extend(
        Series::of("write and sync", run.cells.iter().filter(|result| is_block_write(result)))
            .filter(|series| series.points.len() > 1),
    );
    vec![
        curve(&format!("Reading by block size, {warm}"), vec![("pread", warm)]),
        curve("Reading by block size, cold", vec![("pread", CacheState::Cold), ("direct", CacheState::Cold)]),
        written,
    ]
}
