//! A run as charts: which bars and points, not how they are drawn.

use hashlane_measure::check_up::READ_BLOCK_BYTES;
use hashlane_measure::{CacheState, CellResult, Run, Size, Stage, Unit, conclusions};

use crate::figures;

/// A chart of bars with a common scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// From the top.
    pub bars: Vec<Bar>,
    /// What their length stands for.
    pub axis: Axis,
    /// What the colours stand for, where bars have parts.
    pub legend: Vec<(Kind, &'static str)>,
}

/// Where bars begin, and how far they go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// At 0, evenly.
    FromZero {
        /// The value that takes the whole width. Longer bars are cut there.
        most: f64,
    },
    /// At 1, to both sides, by the logarithm: twice as much is as far from it as half as much.
    FromOne {
        /// The value at the left end, below 1.
        least: f64,
        /// The value at the right end, above 1.
        most: f64,
    },
}

impl Axis {
    /// The least part of its width that an axis from 1 shows, so that what is nothing does not look like much.
    const NARROWEST: f64 = 1.02;

    /// An axis on which all values lie, and of intervals as much as leaves the values their room.
    fn from_one(bars: &[Bar]) -> Self {
        let far = bars.iter().map(|bar| bar.value.ln().abs()).fold(Self::NARROWEST.ln(), f64::max);
        let reach = |bar: &Bar| bar.interval.unwrap_or((bar.value, bar.value));
        let least = bars.iter().map(|bar| reach(bar).0.max((-2.0 * far).exp()).min(bar.value));
        let most = bars.iter().map(|bar| reach(bar).1.min((2.0 * far).exp()).max(bar.value));
        Self::FromOne {
            least: least.fold(1.0 / Self::NARROWEST, f64::min),
            most: most.fold(Self::NARROWEST, f64::max),
        }
    }

    /// Where a value lies, from 0 at the left end to 1 at the right one. What is beyond them lies on them.
    pub fn place(self, value: f64) -> f64 {
        let place = match self {
            Self::FromZero { most } => value / most,
            Self::FromOne { least, most } => {
                (value.max(f64::MIN_POSITIVE) / least).ln() / (most / least).ln()
            }
        };
        place.clamp(0.0, 1.0)
    }

    /// Where bars begin.
    pub fn origin(self) -> f64 {
        match self {
            Self::FromZero { .. } => 0.0,
            Self::FromOne { .. } => self.place(1.0),
        }
    }

    /// Whether an interval goes on beyond an end.
    pub fn cuts_interval(self, (low, high): (f64, f64)) -> bool {
        self.is_beyond(low) || self.is_beyond(high)
    }

    /// Whether a value lies beyond an end.
    pub fn is_beyond(self, value: f64) -> bool {
        match self {
            Self::FromZero { most } => value > most,
            Self::FromOne { least, most } => value < least || value > most,
        }
    }

    /// Whether a bar is longer than can be drawn.
    pub fn cuts(self, value: f64) -> bool {
        matches!(self, Self::FromZero { most } if value > most)
    }
}

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it stands for.
    pub name: String,
    /// Its length, above 0.
    pub value: f64,
    /// Its 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Its value as text.
    pub shown: String,
    /// What kind of thing it is.
    pub kind: Kind,
    /// A mark on it: what the model allows, say.
    pub mark: Option<f64>,
    /// What it is made of, from the left, all of its length; a bar of one piece has none.
    pub parts: Vec<Part>,
}

/// A part of a bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// What it stands for.
    pub kind: Kind,
    /// Its length.
    pub value: f64,
}

impl Chart {
    /// A chart whose longest bar, interval or mark takes the whole width.
    pub(crate) fn new(title: &str, caption: String, bars: Vec<Bar>) -> Self {
        let axis = Axis::FromZero { most: farthest(&bars).unwrap_or(1.0) };
        Self { title: title.to_owned(), caption, bars, axis, legend: Vec::new() }
    }

    /// A chart of ratios, whose bars begin at 1.
    pub(crate) fn of_ratios(title: &str, mut caption: String, bars: Vec<Bar>) -> Self {
        let axis = Axis::from_one(&bars);
        if let Axis::FromOne { least, most } = axis {
            caption += &format!(
                " Bars begin at 1, which means as fast; the logarithmic scale goes from {} to {}.",
                figures::times(least),
                figures::times(most)
            );
        }
        if bars.iter().any(|bar| bar.interval.is_some_and(|interval| axis.cuts_interval(interval))) {
            caption += " An interval that ends in an arrow goes on beyond the chart.";
        }
        Self { title: title.to_owned(), caption, bars, axis, legend: Vec::new() }
    }
}

/// As far as any of them is drawn; none without bars.
pub(crate) fn farthest<'a>(bars: impl IntoIterator<Item = &'a Bar>) -> Option<f64> {
    bars.into_iter().map(Bar::reach).reduce(f64::max)
}

impl Bar {
    /// As far as anything of it is drawn.
    fn reach(&self) -> f64 {
        self.interval.map_or(self.value, |(_, high)| high).max(self.mark.unwrap_or(0.0))
    }
}

/// Kinds of bars, told apart by colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reading alone.
    Read,
    /// Digesting alone, on one core.
    Digest,
    /// Digesting alone, on all cores.
    DigestAll,
    /// One of several machines.
    Machine,
    /// Both together.
    Pipeline,
    /// A ratio that cannot be told from 1.
    Undecided,
    /// Waiting.
    Wait,
}

/// Curves over sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// What the points count.
    pub unit: Unit,
    /// The curves, at most [`MOST_SERIES`].
    pub series: Vec<Series>,
    /// Lines that no curve should be above.
    pub ceilings: Vec<Ceiling>,
}

impl Curve {
    /// The same with a bar for each point, for those who cannot draw it.
    pub(crate) fn as_chart(&self) -> Chart {
        let bars = self.series.iter().flat_map(|series| {
            series.points.iter().map(|point| Bar {
                name: format!("{}, {}", series.name, Size(point.size_bytes)),
                value: point.value,
                interval: point.interval,
                shown: figures::figure(point.value, self.unit),
                kind: Kind::Read,
                mark: None,
                parts: Vec::new(),
            })
        });
        Chart::new(&self.title, self.caption.clone(), bars.collect())
    }
}

/// More curves than this in one drawing cannot be told apart.
pub const MOST_SERIES: usize = 8;

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it stands for.
    pub name: String,
    /// From the smallest size, at least one.
    pub points: Vec<Point>,
}

/// A level that is known from elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// What it stands for.
    pub name: String,
    /// In the unit of the curve.
    pub value: f64,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The size, of a block or a message, in bytes.
    pub size_bytes: u64,
    /// In the unit of the curve.
    pub value: f64,
    /// 95 % interval of the value.
    pub interval: Option<(f64, f64)>,
}

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
        unit: Unit::BytesPerSecond,
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
            Some(Point { size_bytes, value: figure.median, interval: figure.interval })
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

/// A checksum is no digest and may be ten times as fast: bars of digests are not to shrink to nothing beside it.
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
