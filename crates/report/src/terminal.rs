//! A run on a terminal: tables, charts of bars, warnings, the verdict.

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table as Drawn};
use hashlane_measure::Run;

use crate::charts::{Bar, Chart};
use crate::tables::{Table, machine};
use crate::view::View;

/// Columns of a bar's longest.
const BAR: usize = 44;

/// The run as text.
pub fn text(run: &Run, plot: bool) -> String {
    let view = View::of(run);
    let mut parts = vec![heading(run)];
    parts.extend(view.tables.iter().map(table));
    if plot {
        parts.extend(view.charts.iter().map(bars));
        parts.extend(view.curves.iter().map(|curve| bars(&curve.as_chart())));
    }
    if !run.warnings.is_empty() {
        parts.push(run.warnings.iter().map(|warning| format!("warning: {warning}\n")).collect());
    }
    parts.push(view.findings.iter().map(|line| format!("{line}\n")).collect());
    tamed(&parts.join("\n"))
}

/// Without what a terminal would obey: names come from machines and files.
pub(crate) fn tamed(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() && letter != '\n' { '\u{fffd}' } else { letter })
        .collect()
}

fn heading(run: &Run) -> String {
    let facts = machine(run);
    let fact = |name: &str| facts.iter().find(|(known, _)| known == name).map(|(_, fact)| fact.as_str());
    let cores = fact("cores").unwrap_or("?");
    let first = [
        fact("processor").map(str::to_owned),
        Some(format!("{cores} {}", if cores == "1" { "core" } else { "cores" })),
        fact("memory").map(|memory| format!("{memory} of memory")),
        fact("kernel").map(|kernel| format!("Linux {kernel}")),
    ];
    let first: Vec<_> = first.into_iter().flatten().collect();
    let second = fact("file system").map_or_else(String::new, |system| format!("files on {system}\n"));
    format!("{}\n{second}", first.join(", "))
}

/// A table as text.
pub fn table(table: &Table) -> String {
    let mut drawn = Drawn::new();
    drawn.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let aligned = |(column, text): (usize, &String)| {
        let alignment = if table.has_words(column) { CellAlignment::Left } else { CellAlignment::Right };
        Cell::new(text).set_alignment(alignment)
    };
    drawn.set_header(table.head.iter().enumerate().map(aligned).collect::<Vec<_>>());
    for row in &table.rows {
        drawn.add_row(row.iter().enumerate().map(aligned).collect::<Vec<_>>());
    }
    let lines = drawn.lines().map(|line| format!(" {}\n", line.trim_end())).collect::<String>();
    let lines = if table.rows.is_empty() { String::new() } else { lines };
    let notes: String = table.notes.iter().map(|note| format!("  {note}\n")).collect();
    format!("{}\n{lines}{notes}", table.title)
}

/// A chart of horizontal bars.
fn bars(chart: &Chart) -> String {
    let widest = chart.bars.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0);
    let mut text = format!("{}\n", chart.title);
    let legend = chart.legend.iter().enumerate().map(|(at, (_, name))| format!("  {} {name}", fill(at)));
    text += &legend.collect::<String>();
    text += if chart.legend.is_empty() { "" } else { "\n" };
    for bar in &chart.bars {
        let drawn = if bar.parts.is_empty() { whole(bar, chart.scale) } else { stacked(bar, chart) };
        text += &format!(
            "  {:widest$}  {drawn}{} {}\n",
            bar.name,
            if bar.value > chart.scale { "»" } else { "" },
            bar.shown
        );
    }
    text
}

/// To the eighth of a column.
fn whole(bar: &Bar, scale: f64) -> String {
    let eighths = columns(bar.value, scale, BAR * 8);
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + rest
}

/// To the column: parts are told apart by how full it is.
fn stacked(bar: &Bar, chart: &Chart) -> String {
    let (mut drawn, mut reached, mut columns_before) = (String::new(), 0.0, 0);
    for part in &bar.parts {
        reached += part.value;
        let columns = columns(reached, chart.scale, BAR);
        let at = chart.legend.iter().position(|(kind, _)| *kind == part.kind).unwrap_or(0);
        drawn += &fill(at).to_string().repeat(columns - columns_before);
        columns_before = columns;
    }
    drawn
}

fn columns(value: f64, scale: f64, most: usize) -> usize {
    ((value / scale).min(1.0) * most as f64).round() as usize
}

/// The letter that parts of a kind are drawn with, by its place in the legend.
fn fill(at: usize) -> char {
    ['█', '▓', '░'][at.min(2)]
}
