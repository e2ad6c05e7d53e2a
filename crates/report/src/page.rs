//! A run as one HTML page: nothing is loaded, nothing is executed; light and dark, phone and print.

mod curve;

use hashlane_measure::{CellResult, Run, Unit};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::curve::line_chart;
use crate::charts::{Axis, Bar, Chart, Kind, Part};
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
    let heading = html! { (rich(name)) ", " (cores) @if cores == 1 { " core" } @else { " cores" } };
    let names = [
        run.name.as_ref().map(|name| format!("run {name}")),
        run.host.as_ref().map(|host| format!("host {host}")),
    ];
    let names: String = names.into_iter().flatten().map(|name| format!("{name}, ")).collect();
    let when = format!("{names}{} UTC, {}", run.started.replace('T', " ").trim_end_matches('Z'), run.program);
    let more = html! {
        @if !run.warnings.is_empty() {
            section {
                h2 { "Warnings" }
                ul.warnings { @for warning in &run.warnings { li { (rich(&warning.to_string())) } } }
            }
        }
        (machine_section(run))
        (sample_section(run))
        (method_section(run))
    };
    let doubts = run.warnings.iter().filter(|warning| warning.is_doubt()).map(ToString::to_string).collect();
    document(&Head { title: name, heading, when: &when, program: &run.program, doubts }, &view, &more)
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
    /// What makes its findings doubtful.
    pub(crate) doubts: Vec<String>,
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
                title { (plain(&view.title)) ": " (plain(head.title)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p.kicker { "hashlane " (rich(&view.title)) }
                    h1 { (head.heading) }
                    p.when { (rich(head.when)) }
                }
                main {
                    @if !view.findings.is_empty() {
                        section.verdict.doubtful[!head.doubts.is_empty()] {
                            @for line in &head.doubts { p { strong { "In doubt: " } (rich(line)) } }
                            @for line in &view.findings { p { (rich(line)) } }
                        }
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
    html! { section { h2 { (rich(&chart.title)) } (bars(chart)) } }
}

/// A chart below its title.
pub(crate) fn bars(chart: &Chart) -> Markup {
    html! {
        @if !chart.legend.is_empty() {
            p.legend { @for (kind, name) in &chart.legend { span class=(class(*kind)) { (name) } } }
        }
        div.bars role="table" aria-label=(plain(&chart.title)) {
            @for bar in &chart.bars {
                div.bar role="row" {
                    span.name role="cell" { (rich(&bar.name)) }
                    (bar_drawing(bar, chart.axis))
                    span.value role="cell" { (bar.shown) }
                }
            }
        }
        p.caption { (rich(&chart.caption)) }
    }
}

/// One bar, as wide as its column allows.
fn bar_drawing(bar: &Bar, axis: Axis) -> Markup {
    let percent = |place: f64| format!("{:.2}", place * 100.0);
    let at = |value: f64| percent(axis.place(value));
    let drawn: Vec<_> = if bar.parts.is_empty() {
        let (from, to) = (axis.origin(), axis.place(bar.value));
        vec![(class(bar.kind), percent(from.min(to)), percent((to - from).abs()))]
    } else {
        let mut begin = 0.0;
        let part = |part: &Part| {
            let from = begin;
            begin += part.value;
            (class(part.kind), at(from), percent(axis.place(begin) - axis.place(from)))
        };
        bar.parts.iter().map(part).collect()
    };
    html! {
        svg.track viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            @for (class, x, width) in drawn { rect class=(class) x=(x) y="1" height="8" width=(width) {} }
            @if axis.origin() > 0.0 { line.one x1=(at(1.0)) x2=(at(1.0)) y1="-3" y2="13" {} }
            @if axis.cuts(bar.value) {
                @for x in ["96", "98"] { line.cut x1=(x) x2=(x) y1="0" y2="10" {} }
            } @else if let Some((low, high)) = bar.interval {
                line.halo x1=(at(low)) x2=(at(high)) y1="5" y2="5" {}
                line.whisker x1=(at(low)) x2=(at(high)) y1="5" y2="5" {}
                @for (end, inward) in [(low, 1.0), (high, -1.0)] {
                    @if axis.is_beyond(end) {
                        // An arrow: it goes on.
                        @let (tip, tail) = (axis.place(end) * 100.0, axis.place(end) * 100.0 + inward);
                        line.whisker.onward x1=(tip) x2=(tail) y1="5" y2="2.5" {}
                        line.whisker.onward x1=(tip) x2=(tail) y1="5" y2="7.5" {}
                    } @else {
                        line.halo x1=(at(end)) x2=(at(end)) y1="2.5" y2="7.5" {}
                        line.whisker x1=(at(end)) x2=(at(end)) y1="3" y2="7" {}
                    }
                }
            }
            @if let Some(mark) = bar.mark {
                line.halo x1=(at(mark)) x2=(at(mark)) y1="0" y2="10" {}
                line.mark x1=(at(mark)) x2=(at(mark)) y1="0" y2="10" {}
            }
        }
    }
}

/// A text where no part of it can be code.
pub(crate) fn plain(text: &str) -> String {
    text.replace('`', "\u{2019}")
}

/// A text in which what stands between two backticks is code.
pub(crate) fn rich(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at % 2 == 0 { (part) }
            // One that has no second is a letter.
            @else if at + 1 == parts.len() { "\u{2018}" (part) }
            @else { code { (part) } }
        }
    }
}

/// What a kind of thing is called in the style.
fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "read",
        Kind::Digest => "digest",
        Kind::DigestAll => "digest-all",
        Kind::Machine => "machine",
        Kind::Pipeline => "pipeline",
        Kind::Undecided => "undecided",
        Kind::Wait => "wait",
    }
}

fn table_section(table: &Table) -> Markup {
    let word = |column: usize| (column > 0 && table.has_words(column)).then_some("word");
    html! {
        section {
            h2 { (rich(&table.title)) }
            @if !table.rows.is_empty() {
                // Whoever has no mouse scrolls it by the arrow keys.
                div.wide tabindex="0" role="region" aria-label=(plain(&table.title)) {
                    table {
                        thead { tr {
                            @for (column, head) in table.head.iter().enumerate() {
                                th scope="col" class=[word(column)] { (rich(head)) }
                            }
                        } }
                        tbody {
                            @for row in &table.rows {
                                tr {
                                    @for (column, text) in row.iter().enumerate() {
                                        @if column == 0 { th scope="row" { (rich(text)) } } @else { td class=[word(column)] { (rich(text)) } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @for note in &table.notes { p.caption { (rich(note)) } }
        }
    }
}

fn machine_section(run: &Run) -> Markup {
    html! {
        section {
            h2 { "Machine" }
            dl { @for (name, fact) in machine(run) { dt { (name) } dd { (rich(&fact)) } } }
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
                    h3 { (rich(&result.cell.to_string())) }
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
                "Cells were measured in rounds, in a different order in each (seed " (run.seed) "). Figures are medians; \
                 intervals contain the true median in at least 95 of 100 cases; fewer than 6 samples have none. GB are 10" sup { "9" }
                " bytes, MiB are 2" sup { "20" } ". Reading the clock takes "
                (figures::figure(overhead.stopwatch_ns as f64, Unit::NanosecondsPerOperation))
                ", at most " (format!("{:.3} %", overhead.largest_share * 100.0))
                " of a sample, and is not subtracted. Warm files were in the page cache and cold ones were not, as \
                 observed before each sample; if that cannot be observed, the cache state is called unknown."
            }
            p.command { code { (rich(&run.command.join(" "))) } }
        }
    }
}
