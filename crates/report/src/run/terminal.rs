//! A run on a terminal: tables, charts, warnings, the verdict.

use hashlane_measure::Run;

use super::tables::machine;
use crate::terminal::{Sheet, tamed};
use crate::view::View;

/// The run as text. `wide` has all columns, and no line is cut; without it lines have no more than [`crate::WIDTH`] columns.
pub fn text(run: &Run, plot: bool, wide: bool) -> String {
    let view = View::of(run);
    let sheet = Sheet { wide };
    let mut parts = vec![heading(run).iter().map(|line| sheet.line(line)).collect::<String>()];
    parts.extend(view.tables.iter().map(|table| sheet.table(table)));
    parts.extend(sheet.left_out(&view.tables));
    if plot {
        parts.extend(view.charts.iter().map(|chart| sheet.bars(chart)));
        parts.extend(view.curves.iter().map(|curve| sheet.bars(&curve.as_chart())));
    }
    if !run.warnings.is_empty() {
        parts.push(run.warnings.iter().map(|warning| sheet.line(&format!("warning: {warning}"))).collect());
    }
    parts.push(view.findings.iter().map(|line| sheet.line(line)).collect());
    tamed(&parts.join("\n"))
}

/// What was measured, on what, when.
fn heading(run: &Run) -> Vec<String> {
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
    let names =
        [fact("run").map(|name| format!("run {name}")), fact("host").map(|host| format!("host {host}"))];
    let names = names.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let limits = [
        fact("limit of cores").map(|cores| format!("{cores} cores")),
        fact("limit of memory").map(|bytes| format!("{bytes} of memory by a control group")),
        fact("limit of address space").map(|bytes| format!("{bytes} of address space")),
    ];
    let limits = limits.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let limits = (!limits.is_empty()).then(|| format!("limited to {limits}"));
    let files = fact("file system").map(|system| format!("files on {system}"));
    let lines = [(!names.is_empty()).then_some(names), Some(first.join(", ")), limits, files];
    lines.into_iter().flatten().collect()
}
