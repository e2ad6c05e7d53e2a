//! `bench pipeline`: what reading and digesting come to alone and together, by block size and by who reads.

use hashlane_measure::pipeline::{Best, Stages, best, is_usual, stages, waits};
use hashlane_measure::{CacheState, Cell, CellResult, Run, Stage, Unit};

use crate::charts::{Bar, Ceiling, Chart, Curve, Kind, MOST_SERIES, Part, Series};
use crate::run::figures::{self, NONE, block_of, rate_of};
use crate::run::tables::{not_measured, reason};
use crate::tables::{Table, distinct};
use crate::view::View;

/// States of the cache, in the order of the tables.
const STATES: [CacheState; 3] = [CacheState::Warm, CacheState::Unknown, CacheState::Cold];

/// Whole ones are what may be read past the page cache, at least.
const SECTOR_BYTES: u64 = 512;

pub(crate) fn view(run: &Run) -> View {
    let algorithms = algorithms(run);
    let mut tables = Vec::new();
    let (mut findings, mut charts, mut curves) = (Vec::new(), Vec::new(), Vec::new());
    for &algorithm in &algorithms {
        tables.push(digest_table(run, algorithm));
        for cache in STATES {
            tables.push(table(run, cache, algorithm));
            findings.extend(finding(run, cache, algorithm));
            charts.push(time_chart(run, cache, algorithm));
            curves.push(curve(run, cache, algorithm));
        }
    }
    tables.push(not_measured(run));
    View { title: "Reading and digesting".to_owned(), findings, charts, curves, tables }
}

/// What was computed, in the order in which it was named.
fn algorithms(run: &Run) -> Vec<&str> {
    distinct(run.cells.iter().filter_map(|result| result.cell.algorithm.as_deref()))
}

fn digest_table(run: &Run, algorithm: &str) -> Table {
    let mut table = Table::new(
        &format!("{algorithm} alone, in memory"),
        &["block", "rate", "MiB/s", "95 % interval", "n"],
    );
    for result in digests(run, algorithm) {
        let Some(figure) = result.figure else { continue };
        table.rows.push(vec![
            block_of(&result.cell),
            figures::rate(figure.median),
            figures::mebibytes(figure.median),
            figures::interval(&figure, result.unit),
            figure.n.to_string(),
        ]);
    }
    table
}

fn digests<'a>(run: &'a Run, algorithm: &'a str) -> impl Iterator<Item = &'a CellResult> {
    let of = move |result: &&CellResult| {
        result.cell.stage == Stage::Digest && result.cell.algorithm.as_deref() == Some(algorithm)
    };
    run.cells.iter().filter(of)
}

fn table(run: &Run, cache: CacheState, algorithm: &str) -> Table {
    let all = stages(run, cache, algorithm);
    let mut table = Table::new(
        &format!(
            "{algorithm} of {}, {cache}",
            all.first().map_or_else(|| "files".to_owned(), |of| files(of.both))
        ),
        &[
            "",
            "block",
            "buffers",
            "read alone",
            "read + digest",
            "MiB/s",
            "95 % interval",
            "n",
            "of the slower",
            "no overlap",
            "reader waits",
            "digester waits",
            "",
        ],
    );
    (table.details, table.words) = (vec![2, 5, 7, 9, 10], vec![12]);
    for of in all {
        let Some(figure) = of.both.figure else { continue };
        let cell = &of.both.cell;
        let share = |share: Option<f64>| share.map_or_else(|| NONE.to_owned(), figures::share);
        let [reader, digester] = waits(of.both);
        table.rows.push(vec![
            cell.model.clone().unwrap_or_default(),
            block_of(cell),
            cell.buffers.map_or_else(|| NONE.to_owned(), |buffers| buffers.to_string()),
            rate_of(of.read),
            figures::rate(figure.median),
            figures::mebibytes(figure.median),
            figures::interval(&figure, of.both.unit),
            figure.n.to_string(),
            share(of.share_of_slower()),
            of.no_overlap().map_or_else(|| NONE.to_owned(), figures::rate),
            share(reader),
            share(digester),
            match (is_usual(cell), of.is_above_ceiling()) {
                (true, false) => "as sum reads",
                (true, true) => "as sum reads, above its stage!",
                (false, true) => "above its stage!",
                (false, false) => "",
            }
            .to_owned(),
        ]);
    }
    if !table.rows.is_empty() {
        table.notes.push(
            "No overlap is the rate of one stage after the other, 1 / (1 / read + 1 / digest). Waits are shares of the time: the \
             reader's for an empty buffer, the digester's for a filled one; for an engine, only the second is known. Reading \
             alone with mmap only maps the file."
                .to_owned(),
        );
    }
    if stages(run, cache, algorithm).iter().any(Stages::is_above_ceiling) {
        table.notes.push(
            "Above its stage: reading and digesting together cannot be faster than the slower of them alone, so that one was disturbed, \
             and its share says nothing. Let other work end, and measure again."
                .to_owned(),
        );
    }
    let is_cut = |cell: &Cell| {
        cell.model.as_deref() == Some("direct")
            && cell.block_bytes.is_some_and(|bytes| !bytes.is_multiple_of(SECTOR_BYTES))
    };
    if stages(run, cache, algorithm).iter().any(|of| is_cut(&of.both.cell)) {
        table.notes.push(
            "direct reads whole sectors, so it reads beyond blocks that do not end with one.".to_owned(),
        );
    }
    table
}

/// What was read: `8 files of 64.0 MB in all`.
fn files(result: &CellResult) -> String {
    let count = result.samples.first().map_or(0, |sample| sample.work.operations / result.repeats.max(1));
    let bytes = figures::bytes(result.cell.input_bytes.unwrap_or(0));
    match count {
        1 => format!("a file of {bytes}"),
        count => format!("{count} files of {bytes} in all"),
    }
}

fn finding(run: &Run, cache: CacheState, algorithm: &str) -> Option<String> {
    let best = best(run, cache, algorithm)?;
    let way = |result: &CellResult| {
        let buffers = result.cell.buffers.map_or_else(String::new, |buffers| format!(" x {buffers}"));
        format!("{}, {}{buffers}", result.cell.model.as_deref().unwrap_or(NONE), block_of(&result.cell))
    };
    let (fastest, usual) = (way(best.fastest), way(best.usual));
    let rates = (rate_of(best.fastest), rate_of(best.usual));
    let is_doubtful = stages(run, cache, algorithm)
        .iter()
        .any(|of| of.both.cell == best.fastest.cell && of.is_above_ceiling());
    let doubt =
        if is_doubtful { " In doubt: that is above its stage, so the machine was disturbed." } else { "" };
    let finding = match verdict(&best) {
        Verdict::Usual => {
            format!("{algorithm}, {cache}: the best is the way `sum` reads, {usual}: {}.", rates.1)
        }
        Verdict::Gain => format!(
            "{algorithm}, {cache}: the best is {fastest}: {}, {:.2} times as fast as `sum` reads, {usual}; `hashlane tune` finds out \
             whether whole runs benefit.",
            rates.0, best.ratio.median
        ),
        Verdict::Doubt => format!(
            "{algorithm}, {cache}: the fastest was {fastest}, {}, but not beyond doubt faster than the way `sum` reads, {usual}: {}. \
             `sum` keeps its way, and `hashlane tune` would keep it too.",
            rates.0, rates.1
        ),
    };
    Some(finding + doubt)
}

enum Verdict {
    Usual,
    Gain,
    Doubt,
}

fn verdict(best: &Best<'_>) -> Verdict {
    if best.fastest.cell == best.usual.cell {
        Verdict::Usual
    } else if best.is_gain() {
        Verdict::Gain
    } else {
        Verdict::Doubt
    }
}

/// Where the time of each model goes, at its best block.
fn time_chart(run: &Run, cache: CacheState, algorithm: &str) -> Chart {
    let all = stages(run, cache, algorithm);
    let rate = |of: &&Stages<'_>| of.both.figure.map_or(0.0, |figure| figure.median);
    let best = |name: &str| {
        let of_model = all.iter().filter(|of| of.both.cell.model.as_deref() == Some(name));
        of_model.max_by(|one, other| rate(one).total_cmp(&rate(other)))
    };
    let bars = models(&all).into_iter().filter_map(best).filter_map(time_bar).collect();
    let caption = "How the digesting thread spends its time, for each model at its best block; shorter is better. Digest is \
                   the time of the digest alone, in memory; read is the rest: reading in this thread, passing blocks, and \
                   other costs of doing both.";
    let mut chart =
        Chart::new(&format!("Time per GB: {algorithm} of files, {cache}"), caption.to_owned(), bars);
    chart.legend = vec![(Kind::Digest, "digest"), (Kind::Read, "read"), (Kind::Wait, "wait")];
    chart
}

fn time_bar(of: &Stages<'_>) -> Option<Bar> {
    let spent = of.spent()?;
    let ns = |seconds: f64| seconds * 1e18;
    let part = |kind, seconds| Part { kind, value: ns(seconds) };
    let cell = &of.both.cell;
    let value = ns(spent.digest + spent.read + spent.wait);
    Some(Bar {
        name: format!("{}, {}", cell.model.as_deref().unwrap_or(NONE), block_of(cell)),
        value,
        interval: None,
        shown: figures::figure(value, Unit::NanosecondsPerOperation),
        kind: Kind::Pipeline,
        mark: None,
        parts: vec![
            part(Kind::Digest, spent.digest),
            part(Kind::Read, spent.read),
            part(Kind::Wait, spent.wait),
        ],
    })
}

/// Names of the models that were measured whole, in their order.
fn models<'a>(all: &[Stages<'a>]) -> Vec<&'a str> {
    distinct(all.iter().filter_map(|of| of.both.cell.model.as_deref()))
}

fn curve(run: &Run, cache: CacheState, algorithm: &str) -> Curve {
    let all = stages(run, cache, algorithm);
    let of_model = |name: &str| {
        let of = |of: &&Stages<'_>| of.both.cell.model.as_deref() == Some(name) && !is_usual(&of.both.cell);
        Series::of(name, all.iter().filter(of).map(|of| of.both))
    };
    let series: Vec<_> = models(&all)
        .into_iter()
        .filter_map(of_model)
        .filter(|series| series.points.len() > 1)
        .take(MOST_SERIES)
        .collect();
    let highest = |results: &mut dyn Iterator<Item = &CellResult>| {
        results.filter_map(|result| result.figure).map(|figure| figure.median).reduce(f64::max)
    };
    let ceiling =
        |name: &str, value: Option<f64>| value.map(|value| Ceiling { name: name.to_owned(), value });
    let digest = ceiling(&format!("{algorithm} alone"), highest(&mut digests(run, algorithm)));
    // Mapping alone reads nothing.
    let reads = all.iter().map(|of| of.read).filter(|read| read.cell.model.as_deref() != Some("mmap"));
    let read = ceiling("reading alone", highest(&mut reads.into_iter()));
    // The lower one is what nothing can be above, and the other would only make the drawing flat.
    let lower = [digest, read].into_iter().flatten().min_by(|one, other| one.value.total_cmp(&other.value));
    Curve {
        title: format!("{algorithm} of files by block size, {cache}"),
        caption: "Reading and digesting together; the line across is the slower stage alone, at its best block. The band is the \
                  95 % interval."
            .to_owned(),
        ceilings: if series.is_empty() { Vec::new() } else { lower.into_iter().collect() },
        series,
    }
}

/// The two tables that were published with ACE: the serial loop and the two threads, in MB/s. Of files that the page cache
/// does not hold where there are such.
pub(crate) fn classic(run: &Run) -> String {
    let is_cold = run.cells.iter().any(|result| {
        result.cell.stage == Stage::Pipeline
            && result.cell.cache == Some(CacheState::Cold)
            && result.figure.is_some()
    });
    let states: Vec<_> = STATES.into_iter().filter(|state| (*state == CacheState::Cold) == is_cold).collect();
    let mut text = String::new();
    for algorithm in algorithms(run) {
        for &cache in &states {
            for (model, title) in [("serial", "Serial"), ("pipelined", "Two threads")] {
                let table = classic_table(run, cache, algorithm, model, title);
                if !table.rows.is_empty() {
                    text += &crate::terminal::table(&table);
                    text.push('\n');
                }
            }
        }
    }
    for note in run.cells.iter().filter_map(reason) {
        text += &format!("{note}\n");
    }
    text
}

fn classic_table(run: &Run, cache: CacheState, algorithm: &str, model: &str, title: &str) -> Table {
    let all = stages(run, cache, algorithm);
    let of_model = || all.iter().filter(|of| of.both.cell.model.as_deref() == Some(model));
    let buffers = of_model().find_map(|of| of.both.cell.buffers);
    let buffers = buffers.map_or_else(String::new, |buffers| format!(", {buffers} buffers"));
    let mut table = Table::new(
        &format!("{title}{buffers}, {algorithm}, {cache}, MB/s"),
        &["block size", "read", "digest", "read + digest"],
    );
    let megabytes = |result: &CellResult| {
        result.figure.map_or_else(|| NONE.to_owned(), |figure| format!("{:.1}", figure.median / 1e6))
    };
    for of in of_model() {
        table.rows.push(vec![
            of.both.cell.block_bytes.unwrap_or(0).to_string(),
            megabytes(of.read),
            megabytes(of.digest),
            megabytes(of.both),
        ]);
    }
    table
}
