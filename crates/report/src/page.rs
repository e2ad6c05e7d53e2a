//! One HTML page: nothing is loaded, nothing is executed; light and dark, phone and print.

mod curve;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::curve::line_chart;
use crate::charts::{Axis, Bar, Chart, Kind, Part};
use crate::tables::Table;
use crate::view::View;

/// The look. Colours are those of Okabe and Ito, which people with colour blindness can distinguish.
const STYLE: &str = include_str!("page.css");

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
