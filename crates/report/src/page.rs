//! A run as one HTML page: nothing is loaded, nothing is executed; light and dark, phone and print.

use hashlane_measure::{CellResult, Run, Unit, conclusions};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::charts::{Bar, Chart, Curve, Kind, Point, charts, curve};
use crate::figures;
use crate::tables::{Table, machine, tables};

/// The look. Colours are those of Okabe and Ito, told apart by people who see few of them.
const STYLE: &str = include_str!("page.css");

/// The page.
pub fn page(run: &Run) -> String {
    let name = &run.machine.processor.name;
    let cores = run.machine.processor.cores;
    let body = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                // Whatever a run file may hold, the page asks nothing of anybody and runs nothing.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(run.program);
                title { "Check-up: " (name) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p.kicker { "hashlane check-up" }
                    h1 { (name) ", " (cores) @if cores == 1 { " core" } @else { " cores" } }
                    p.when { (run.started.replace('T', " ").trim_end_matches('Z')) " UTC, " (run.program) }
                }
                main {
                    section.verdict {
                        @for line in conclusions::verdict(run) { p { (line) } }
                    }
                    @for chart in charts(run) { (bar_chart(&chart)) }
                    @if let Some(curve) = curve(run) { (line_chart(&curve)) }
                    @for table in tables(run) { (table_section(&table)) }
                    @if !run.warnings.is_empty() {
                        section {
                            h2 { "Warnings" }
                            ul.warnings { @for warning in &run.warnings { li { (warning) } } }
                        }
                    }
                    (machine_section(run))
                    (sample_section(run))
                    (method_section(run))
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
        Kind::Pipeline => "pipeline",
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

/// A curve over block sizes, each twice, four times, ... the one before: the axis is logarithmic.
fn line_chart(curve: &Curve) -> Markup {
    const WIDTH: f64 = 480.0;
    const HEIGHT: f64 = 240.0;
    const LEFT: f64 = 58.0;
    const RIGHT: f64 = 16.0;
    const TOP: f64 = 12.0;
    const BOTTOM: f64 = 34.0;
    let logs: Vec<f64> = curve.points.iter().map(|point| (point.block_bytes as f64).log2()).collect();
    let (first, last) = (logs[0], logs[logs.len() - 1]);
    let highest = |point: &Point| point.interval.map_or(point.rate, |(_, high)| high);
    let most = nice_above(curve.points.iter().map(highest).fold(f64::MIN_POSITIVE, f64::max));
    let x = |log: f64| LEFT + (log - first) / (last - first).max(1e-9) * (WIDTH - LEFT - RIGHT);
    let y = |rate: f64| TOP + (1.0 - rate / most) * (HEIGHT - TOP - BOTTOM);
    let point = |log: f64, rate: f64| format!("{:.1},{:.1}", x(log), y(rate));
    let joined = |points: Vec<String>| points.join(" ");
    let line = joined(curve.points.iter().zip(&logs).map(|(at, log)| point(*log, at.rate)).collect());
    let edge = |high: bool| {
        curve.points.iter().zip(&logs).map(move |(at, log)| {
            let (low, top) = at.interval.unwrap_or((at.rate, at.rate));
            point(*log, if high { top } else { low })
        })
    };
    let mut band: Vec<String> = edge(true).collect();
    band.extend(edge(false).collect::<Vec<_>>().into_iter().rev());
    let steps = 4;
    html! {
        section {
            h2 { (curve.title) }
            svg.curve viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(curve.title) {
                @for step in 0..=steps {
                    @let rate = most * f64::from(step) / f64::from(steps);
                    line.grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(format!("{:.1}", y(rate))) y2=(format!("{:.1}", y(rate))) {}
                    text.axis x=(LEFT - 6.0) y=(format!("{:.1}", y(rate) + 4.0)) text-anchor="end" {
                        @if step == 0 { "0" } @else { (figures::rate(rate)) }
                    }
                }
                polygon.band points=(joined(band)) {}
                polyline.line points=(line) {}
                @for (at, log) in curve.points.iter().zip(&logs) {
                    circle.dot cx=(format!("{:.1}", x(*log))) cy=(format!("{:.1}", y(at.rate))) r="3" {
                        title { (figures::block(at.block_bytes)) ": " (figures::rate(at.rate)) }
                    }
                    @if at.block_bytes != 512 << 10 {
                        text.axis x=(format!("{:.1}", x(*log))) y=(HEIGHT - BOTTOM + 18.0) text-anchor="middle" {
                            (figures::block(at.block_bytes))
                        }
                    }
                }
            }
            p.caption { (curve.caption) }
        }
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
