//! What a check-up draws, and what cells are as bars and curves.

use hashlane_measure::check_up::READ_BLOCK_BYTES;
use hashlane_measure::{CacheState, CellResult, Run, Size, Stage, conclusions};

use super::figures;
use crate::charts::{Axis, Bar, Chart, Curve, Kind, Point, Series, farthest};

/// The charts of a check-up that have something to show.
pub(crate) fn charts(run: &Run) -> Vec<Chart> {
    [pipeline_chart(run), algorithm_chart(run)].into_iter().filter(|chart| !chart.bars.is_empty()).collect()
}

/// The curve of a check-up, if at least two sizes were measured.
pub(crate) fn curve(run: &Run) -> Option<Curve> {
    let of = |result: &&CellResult| {
        result.cell.stage == Stage::Read
            && result.cell.cache != Some(CacheState::Cold)
            && result.cell.threads == 1
            && result.cell.engine.as_deref() == Some("buffered")
    };
    let series = Series::of("buffered", run.cells.iter().filter(of))?;
    (series.points.len() > 1).then(|| Curve {
        title: "Reading by block size".to_owned(),
        caption: "Files just read, one core, one request at a time; the band is the 95 % interval."
            .to_owned(),
        series: vec![series],
        ceilings: Vec::new(),
    })
}

impl Series {
    /// The figures of cells that differ in their block size; none without any.
    pub(crate) fn of<'a>(name: &str, results: impl Iterator<Item = &'a CellResult>) -> Option<Self> {
        let point = |result: &CellResult| {
            let figure = result.figure?;
            let size_bytes = result.cell.block_bytes?;
            Some(Point {
                size_bytes,
                size: Size(size_bytes).to_string(),
                value: figure.median,
                interval: figure.interval,
            })
        };
        let mut points: Vec<_> = results.filter_map(point).collect();
        points.sort_by_key(|point| point.size_bytes);
        (!points.is_empty()).then(|| Self { name: name.to_owned(), points })
    }
}

pub(crate) fn bar(name: impl Into<String>, result: &CellResult, kind: Kind) -> Option<Bar> {
    let figure = result.figure.filter(|figure| figure.median > 0.0)?;
    Some(Bar {
        name: name.into(),
        value: figure.median,
        interval: figure.interval,
        shown: figures::figure(figure.median, result.unit),
        kind,
        mark: None,
        parts: Vec::new(),
    })
}

fn digest_kind(threads: usize) -> Kind {
    if threads == 1 { Kind::Digest } else { Kind::DigestAll }
}

fn pipeline_chart(run: &Run) -> Chart {
    let mut bars = Vec::new();
    let all = run.machine.processor.cores;
    let counts = if all > 1 { vec![1, all] } else { vec![1] };
    let of_stage = |stage: Stage| run.cells.iter().filter(move |result| result.cell.stage == stage);
    for result in of_stage(Stage::Read) {
        let cell = &result.cell;
        match cell.cache {
            Some(CacheState::Cold) => {
                let name = format!("read, cold, {}", cell.engine.as_deref().unwrap_or(figures::NONE));
                bars.extend(bar(name, result, Kind::Read));
            }
            Some(cache) if cell.block_bytes == Some(READ_BLOCK_BYTES as u64) => {
                bars.extend(bar(
                    format!("read, {cache}, {}", figures::cores(cell.threads)),
                    result,
                    Kind::Read,
                ));
            }
            _ => {}
        }
    }
    for name in ["sha256", "blake3"] {
        for (many, how) in [(false, ""), (true, " side by side")] {
            for &threads in &counts {
                let result = of_stage(Stage::Digest).find(|result| {
                    result.cell.algorithm.as_deref() == Some(name)
                        && result.cell.messages.is_some() == many
                        && result.cell.threads == threads
                });
                let name = format!("{name}{how}, {}", figures::cores(threads));
                bars.extend(result.and_then(|result| bar(name, result, digest_kind(threads))));
            }
        }
    }
    for figure in conclusions::pipelines(run) {
        let cell = &figure.cell;
        let threads = figures::cores(cell.threads);
        let cache = cell.cache.map_or_else(String::new, |cache| format!("{cache}, "));
        bars.push(Bar {
            name: format!(
                "read + {}{}, {cache}{threads}",
                cell.algorithm.as_deref().unwrap_or_default(),
                if cell.is_of_many_files() { ", many files" } else { "" }
            ),
            value: figure.measured.median,
            interval: figure.measured.interval,
            shown: format!(
                "{}, {} of ceiling",
                figures::rate(figure.measured.median),
                figures::share(figure.share_of_ceiling())
            ),
            kind: Kind::Pipeline,
            mark: Some(figure.model.rate()),
            parts: Vec::new(),
        });
    }
    let caption = "Each stage alone, then both together. A ceiling is the rate of the slower stage. One \
                   file is digested by one core unless its digest is a tree (blake3); with many files, each core digests \
                   several side by side. The mark on a pipeline is what the model allows.";
    let mut chart = Chart::new("Ceilings and pipelines", caption.to_owned(), bars);
    // Copying from the page cache may be ten times as fast as all that is asked about.
    let asked = farthest(chart.bars.iter().filter(|bar| bar.kind != Kind::Read));
    if let Some(most) = asked.filter(|most| chart.bars.iter().any(|bar| bar.value > *most)) {
        chart.axis = Axis::FromZero { most };
        chart.caption += " Bars of reading that are longer than all others are cut off.";
    }
    chart
}

/// A checksum is not a digest, and may be ten times as fast: bars of digests are not to shrink to nothing beside it.
const CHECKSUMS: [&str; 1] = ["xxh3"];

fn algorithm_chart(run: &Run) -> Chart {
    let (mut digests, mut checksums) = (Vec::new(), Vec::new());
    for name in hashlane_measure::check_up::ALGORITHMS {
        let of = |result: &&CellResult| {
            result.cell.stage == Stage::Digest && result.cell.algorithm.as_deref() == Some(name)
        };
        let bars = if CHECKSUMS.contains(&name) { &mut checksums } else { &mut digests };
        for result in run.cells.iter().filter(of) {
            let threads = result.cell.threads;
            let how = if result.cell.messages.is_some() { " side by side" } else { "" };
            bars.extend(bar(
                format!("{name}{how}, {}", figures::cores(threads)),
                result,
                digest_kind(threads),
            ));
        }
    }
    let caption = "One message per core, in its nearest cache; side by side, as many messages as `sum` uses for many files.";
    let most = farthest(&digests).or_else(|| farthest(&checksums));
    digests.extend(checksums);
    let mut chart = Chart::new("Algorithms", caption.to_owned(), digests);
    if let Some(most) = most.filter(|most| chart.bars.iter().any(|bar| bar.value > *most)) {
        chart.axis = Axis::FromZero { most };
        chart.caption += " Bars of xxh3, a checksum that does not protect against intent, are cut off.";
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(value: f64, interval: (f64, f64)) -> Bar {
        Bar {
            name: "a".into(),
            value,
            interval: Some(interval),
            shown: String::new(),
            kind: Kind::Machine,
            mark: None,
            parts: Vec::new(),
        }
    }

    #[test]
    fn an_interval_that_goes_on_beyond_the_chart_is_told() {
        let cut = Chart::of_ratios("", String::new(), vec![bar(1.97, (1.4, 6.8)), bar(1.48, (1.2, 1.6))]);
        assert!(cut.caption.contains("goes on beyond the chart"), "{}", cut.caption);
        assert!(cut.axis.is_beyond(6.8) && !cut.axis.is_beyond(1.6));
        let whole = Chart::of_ratios("", String::new(), vec![bar(1.97, (1.4, 2.5))]);
        assert!(!whole.caption.contains("goes on beyond the chart"), "{}", whole.caption);
        assert!(crate::page::bars(&cut).into_string().contains("onward"));
        assert!(!crate::page::bars(&whole).into_string().contains("onward"));
    }
}
