//! A run as one HTML page: nothing is loaded, nothing is executed; light and dark, phone and print.

use std::collections::BTreeSet;

use hashlane_measure::{CellResult, Run, Size, Unit};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::charts::{Bar, Chart, Curve, Kind, MOST_SERIES, Point, Series};
use crate::figures;
use crate::tables::{Table, machine};
use crate::view::View;

/// The look. Colours are those of Okabe and Ito, told apart by people who see few of them.
const STYLE: &str = include_str!("page.css");

/// The page.
pub fn page(run: &Run) -> String {
    let name = &run.machine.processor.name;
    let cores = run.machine.processor.cores;
    let view = View::of(run);
    let heading = html! { (name) ", " (cores) @if cores == 1 { " core" } @else { " cores" } };
    let when = format!("{} UTC, {}", run.started.replace('T', " ").trim_end_matches('Z'), run.program);
    let more = html! {
        @if !run.warnings.is_empty() {
            section {
                h2 { "Warnings" }
                ul.warnings { @for warning in &run.warnings { li { (warning) } } }
            }
        }
        (machine_section(run))
        (sample_section(run))
        (method_section(run))
    };
    document(&Head { title: name, heading, when: &when, program: &run.program }, &view, &more)
}

/// What stands at the top of a page.
pub(crate) struct Head<'a> {
    /// What it is about, for the title of the window.
    pub(crate) title: &'a str,
    /// The same as a heading.
    pub(crate) heading: Markup,
    /// When and by what, in one line.
    pub(crate) when: &'a str,
    /// The program that makes the page, with its version.
    pub(crate) program: &'a str,
}

/// A whole page: what `view` shows, and `more` below it.
pub(crate) fn document(head: &Head<'_>, view: &View, more: &Markup) -> String {
    let body = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                // Whatever a run file may hold, the page asks nothing of anybody and runs nothing.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(head.program);
                title { (view.title) ": " (head.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p.kicker { "hashlane " (view.title) }
                    h1 { (head.heading) }
                    p.when { (head.when) }
                }
                main {
                    @if !view.findings.is_empty() {
                        section.verdict { @for line in &view.findings { p { (line) } } }
                    }
                    @for chart in &view.charts { (bar_chart(chart)) }
                    @for curve in &view.curves { (line_chart(curve)) }
                    @for table in &view.tables { (table_section(table)) }
                    (more)
                }
            }
        }
    };
    body.into_string()
}

fn bar_chart(chart: &Chart) -> Markup {
    html! {
        section {
            h2 { (chart.title) }
            div.bars role="table" aria-label=(chart.title) {
                @for bar in &chart.bars {
                    div.bar role="row" {
                        span.name role="cell" { (bar.name) }
                        (bar_drawing(bar, chart.scale))
                        span.value role="cell" { (bar.shown) }
                    }
                }
            }
            p.caption { (chart.caption) }
        }
    }
}

/// One bar, as wide as its column allows.
fn bar_drawing(bar: &Bar, scale: f64) -> Markup {
    let at = |value: f64| format!("{:.2}", (value / scale).min(1.0) * 100.0);
    let is_cut = bar.value > scale;
    let class = match bar.kind {
        Kind::Read => "read",
        Kind::Digest => "digest",
        Kind::DigestAll => "digest-all",
        Kind::Machine => "machine",
        Kind::Pipeline => "pipeline",
        Kind::Reference => "reference",
    };
    html! {
        svg.track viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect class=(class) x="0" y="1" height="8" width=(at(bar.value)) {}
            @if is_cut {
                @for x in ["96", "98"] { line.cut x1=(x) x2=(x) y1="0" y2="10" {} }
            } @else if let Some((low, high)) = bar.interval {
                line.whisker x1=(at(low)) x2=(at(high)) y1="5" y2="5" {}
                line.whisker x1=(at(low)) x2=(at(low)) y1="3" y2="7" {}
                line.whisker x1=(at(high)) x2=(at(high)) y1="3" y2="7" {}
            }
            @if let Some(mark) = bar.mark { line.mark x1=(at(mark)) x2=(at(mark)) y1="0" y2="10" {} }
        }
    }
}

/// Curves over sizes, on a logarithmic axis.
fn line_chart(curve: &Curve) -> Markup {
    let space = Space::of(curve);
    let steps = 4;
    html! {
        section {
            h2 { (curve.title) }
            @if curve.series.len() > 1 {
                p.legend {
                    @for (number, series) in curve.series.iter().enumerate() {
                        span class=(colour(number)) { (series.name) } " "
                    }
                }
            }
            svg.curve viewBox=(format!("0 0 {} {}", Space::WIDTH, Space::HEIGHT)) role="img" aria-label=(curve.title) {
                @for step in 0..=steps {
                    @let value = space.most * f64::from(step) / f64::from(steps);
                    @let y = format!("{:.1}", space.y(value));
                    line.grid x1=(Space::LEFT) x2=(Space::WIDTH - Space::RIGHT) y1=(y) y2=(y) {}
                    text.axis x=(Space::LEFT - 6.0) y=(format!("{:.1}", space.y(value) + 4.0)) text-anchor="end" {
                        @if step == 0 { "0" } @else { (figures::figure(value, curve.unit)) }
                    }
                }
                @for ceiling in &curve.ceilings {
                    @let y = format!("{:.1}", space.y(ceiling.value));
                    line.ceiling x1=(Space::LEFT) x2=(Space::WIDTH - Space::RIGHT) y1=(y) y2=(y) {}
                    text.axis x=(Space::WIDTH - Space::RIGHT) y=(format!("{:.1}", space.y(ceiling.value) - 4.0)) text-anchor="end" {
                        (ceiling.name)
                    }
                }
                @for (number, series) in curve.series.iter().enumerate() {
                    g class=(colour(number)) {
                        polygon.band points=(space.band(series)) {}
                        polyline.line points=(space.line(series)) {}
                        @for at in &series.points {
                            circle.dot cx=(format!("{:.1}", space.x(at.size_bytes))) cy=(format!("{:.1}", space.y(at.value))) r="3" {
                                title { (series.name) ", " (Size(at.size_bytes)) ": " (figures::figure(at.value, curve.unit)) }
                            }
                        }
                    }
                }
                @for size in space.labels(curve) {
                    text.axis x=(format!("{:.1}", space.x(size))) y=(Space::HEIGHT - Space::BOTTOM + 18.0) text-anchor="middle" {
                        (Size(size))
                    }
                }
            }
            p.caption { (curve.caption) }
        }
    }
}

/// The class that gives a curve its colour.
fn colour(number: usize) -> String {
    format!("c{}", number % MOST_SERIES)
}

/// Where things lie in the drawing of a curve.
struct Space {
    /// Logarithms of the smallest and of the largest size.
    first: f64,
    last: f64,
    /// The value at the top.
    most: f64,
}

impl Space {
    const WIDTH: f64 = 480.0;
    const HEIGHT: f64 = 240.0;
    const LEFT: f64 = 64.0;
    const RIGHT: f64 = 16.0;
    const TOP: f64 = 12.0;
    const BOTTOM: f64 = 34.0;

    fn of(curve: &Curve) -> Self {
        let points = || curve.series.iter().flat_map(|series| &series.points);
        let logs = || points().map(|point| (point.size_bytes as f64).log2());
        let highest = |point: &Point| point.interval.map_or(point.value, |(_, high)| high);
        let values = points().map(highest).chain(curve.ceilings.iter().map(|ceiling| ceiling.value));
        Self {
            first: logs().fold(f64::MAX, f64::min),
            last: logs().fold(f64::MIN, f64::max),
            most: nice_above(values.fold(f64::MIN_POSITIVE, f64::max)),
        }
    }

    fn x(&self, size_bytes: u64) -> f64 {
        let along = ((size_bytes as f64).log2() - self.first) / (self.last - self.first).max(1e-9);
        Self::LEFT + along * (Self::WIDTH - Self::LEFT - Self::RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        Self::TOP + (1.0 - value / self.most) * (Self::HEIGHT - Self::TOP - Self::BOTTOM)
    }

    fn point(&self, size_bytes: u64, value: f64) -> String {
        format!("{:.1},{:.1}", self.x(size_bytes), self.y(value))
    }

    fn line(&self, series: &Series) -> String {
        let points = series.points.iter().map(|at| self.point(at.size_bytes, at.value));
        points.collect::<Vec<_>>().join(" ")
    }

    /// Along the upper ends of the intervals, and back along the lower ones.
    fn band(&self, series: &Series) -> String {
        let edges = |at: &Point| at.interval.unwrap_or((at.value, at.value));
        let upper = series.points.iter().map(|at| self.point(at.size_bytes, edges(at).1));
        let lower = series.points.iter().rev().map(|at| self.point(at.size_bytes, edges(at).0));
        upper.chain(lower).collect::<Vec<_>>().join(" ")
    }

    /// The sizes that are written below the axis: from the smallest, as many as there is room for.
    fn labels(&self, curve: &Curve) -> Vec<u64> {
        const ROOM: f64 = 42.0;
        let sizes = curve.series.iter().flat_map(|series| &series.points).map(|point| point.size_bytes);
        let mut labels: Vec<u64> = Vec::new();
        for size in sizes.collect::<BTreeSet<_>>() {
            if labels.last().is_none_or(|last| self.x(size) - self.x(*last) >= ROOM) {
                labels.push(size);
            }
        }
        labels
    }
}

/// The next round number above, so that four steps of the axis are round too.
fn nice_above(value: f64) -> f64 {
    let scale = 10f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 6.0, 8.0, 10.0];
    steps.iter().map(|step| step * scale).find(|nice| *nice >= value).unwrap_or(10.0 * scale)
}

fn table_section(table: &Table) -> Markup {
    html! {
        section {
            h2 { (table.title) }
            @if !table.rows.is_empty() {
                div.wide {
                    table {
                        thead { tr { @for head in &table.head { th scope="col" { (head) } } } }
                        tbody {
                            @for row in &table.rows {
                                tr {
                                    @for (column, text) in row.iter().enumerate() {
                                        @if column == 0 { th scope="row" { (text) } } @else { td { (text) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @for note in &table.notes { p.caption { (note) } }
        }
    }
}

fn machine_section(run: &Run) -> Markup {
    html! {
        section {
            h2 { "Machine" }
            dl { @for (name, fact) in machine(run) { dt { (name) } dd { (fact) } } }
        }
    }
}

fn sample_section(run: &Run) -> Markup {
    html! {
        section {
            h2 { "Samples" }
            details {
                summary { "Every timing, in the order of the rounds" }
                @for result in run.cells.iter().filter(|result| !result.samples.is_empty()) {
                    h3 { (result.cell) }
                    (strip(result))
                    p.samples { @for figure in result.figures() { span { (figures::figure(figure, result.unit)) } " " } }
                }
            }
        }
    }
}

/// The samples of a cell as dots, the first round at the left, on a scale from the smallest to the largest.
fn strip(result: &CellResult) -> Markup {
    let values = result.figures();
    let (low, high) =
        values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
    let x = |index: usize| 4.0 + index as f64 * 192.0 / (values.len().max(2) - 1) as f64;
    let y = |value: f64| if high > low { 34.0 - (value - low) / (high - low) * 28.0 } else { 20.0 };
    html! {
        svg.strip viewBox="0 0 200 40" role="img" aria-label=(format!("{} samples", values.len())) {
            @for (index, value) in values.iter().enumerate() {
                circle.dot cx=(format!("{:.1}", x(index))) cy=(format!("{:.1}", y(*value))) r="2" {}
            }
        }
    }
}

fn method_section(run: &Run) -> Markup {
    let overhead = run.overhead;
    html! {
        section {
            h2 { "How this was measured" }
            p {
                "Cells were visited in rounds, in another order in each (seed " (run.seed) "). Figures are medians; \
                 intervals hold the true median in 95 of 100 cases or more; fewer than 6 samples have none. GB are 10" sup { "9" }
                " bytes, MiB are 2" sup { "20" } ". Reading the clock takes "
                (figures::figure(overhead.stopwatch_ns as f64, Unit::NanosecondsPerOperation))
                ", at most " (format!("{:.3} %", overhead.largest_share * 100.0))
                " of a sample, and is not subtracted. Warm files were in the page cache and cold ones were not, as \
                 observed before each sample; what cannot be observed is called cache unknown."
            }
            p.command { code { (run.command.join(" ")) } }
        }
    }
}
