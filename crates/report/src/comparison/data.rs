//! A comparison for programs: one JSON object, or a line for each machine and cell.

use hashlane_measure::{Basis, Comparison, Estimate, Relation, Row, Seen, Summary, Unit};
use serde::Serialize;

use crate::run::machine;
use crate::run::name_of;

/// What the object calls itself.
const SCHEMA: &str = "hashlane-comparison";

/// Its version. 2 has means of each kind of work by itself. 3 has intervals that cover what equal runs differ by, and repeated runs.
const SCHEMA_VERSION: u32 = 3;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    schema_version: u32,
    reference: &'a str,
    machines: Vec<MachineEntry<'a>>,
    left_out: Vec<LeftOutEntry<'a>>,
    in_doubt: Vec<String>,
    sections: Vec<SectionEntry<'a>>,
}

#[derive(Serialize)]
struct MachineEntry<'a> {
    name: &'a str,
    run_name: Option<&'a str>,
    host: Option<&'a str>,
    written_by: &'a str,
    files: &'a [String],
    runs: usize,
    facts: Vec<(String, String)>,
    bogomips: Option<f64>,
    cells: usize,
    cells_not_shared: usize,
    relation_to_reference: Relation,
    slower_beyond_doubt: Vec<&'a str>,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct LeftOutEntry<'a> {
    name: &'a str,
    files: &'a [String],
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct SectionEntry<'a> {
    basis: Basis,
    means: Vec<MeanEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    as_sysperf_averages: Vec<SysperfEntry<'a>>,
    cells: Vec<CellEntry<'a>>,
}

#[derive(Serialize)]
struct MeanEntry<'a> {
    kind: &'a str,
    machine: &'a str,
    rank: usize,
    cells: usize,
    cells_shared: usize,
    geometric_mean: f64,
    interval_95: Option<(f64, f64)>,
    least_seen: Option<f64>,
    interval_95_over_cells: Option<(f64, f64)>,
    arithmetic_mean: f64,
    to_reference: Option<Seen>,
}

/// What sysperf's tables hold: means over all cells of equal work, whatever their kind.
#[derive(Serialize)]
struct SysperfEntry<'a> {
    machine: &'a str,
    geometric_mean: f64,
    arithmetic_mean: f64,
}

#[derive(Serialize)]
struct CellEntry<'a> {
    cell: &'a str,
    kind: &'a str,
    unit: Unit,
    machines: Vec<FigureEntry<'a>>,
}

#[derive(Serialize)]
struct FigureEntry<'a> {
    machine: &'a str,
    figure: Estimate,
    times_as_fast: Option<Estimate>,
    other_work: &'a [String],
    other_size: &'a [String],
}

/// A comparison as one JSON object: every figure with its interval, every remark. Figures are in bytes a second, files a second
/// or nanoseconds, as `unit` says.
pub fn comparison_json(comparison: &Comparison) -> String {
    let name = |at: usize| comparison.subjects[at].name.as_str();
    let machines = comparison.subjects.iter().enumerate().map(|(at, subject)| MachineEntry {
        name: &subject.name,
        run_name: subject.run.as_ref().and_then(|run| run.name.as_deref()),
        host: subject.run.as_ref().and_then(|run| run.host.as_deref()),
        written_by: subject.format.map_or("hashlane", |format| format.name()),
        files: &subject.files,
        runs: subject.runs,
        facts: subject.run.as_ref().map_or_else(|| subject.facts.clone(), |run| machine(run)),
        bogomips: subject.bogomips,
        cells: subject.cells_with_figures(),
        cells_not_shared: comparison.unmatched[at],
        relation_to_reference: comparison.relation(at),
        slower_beyond_doubt: comparison.regressions(at).iter().map(|(row, _)| row.cell.as_str()).collect(),
        remarks: subject.remarks.iter().map(ToString::to_string).collect(),
    });
    let left_out = comparison.left_out.iter().map(|subject| LeftOutEntry {
        name: &subject.name,
        files: &subject.files,
        remarks: subject.remarks.iter().map(ToString::to_string).collect(),
    });
    let as_sysperf = |section: &hashlane_measure::Section| {
        let entry = |at: usize| {
            let (arithmetic_mean, geometric_mean) = section.as_sysperf_averages(at)?;
            Some(SysperfEntry { machine: name(at), geometric_mean, arithmetic_mean })
        };
        (0..comparison.subjects.len()).filter_map(entry).collect()
    };
    let sections = comparison.sections.iter().map(|section| SectionEntry {
        basis: section.basis,
        means: section.summaries.iter().flat_map(|summary| means(comparison, summary)).collect(),
        as_sysperf_averages: as_sysperf(section),
        cells: section.rows.iter().map(|row| cell(comparison, row)).collect(),
    });
    let document = Document {
        schema: SCHEMA,
        schema_version: SCHEMA_VERSION,
        reference: name(comparison.reference),
        machines: machines.collect(),
        left_out: left_out.collect(),
        in_doubt: super::means::doubts(comparison),
        sections: sections.collect(),
    };
    let mut text = serde_json::to_string_pretty(&document).expect("a comparison is plain data");
    text.push('\n');
    text
}

fn means<'a>(comparison: &'a Comparison, summary: &'a Summary) -> Vec<MeanEntry<'a>> {
    let entry = |standing: &hashlane_measure::Standing| {
        let is_reference = standing.subject == comparison.reference;
        MeanEntry {
            kind: &summary.kind,
            machine: &comparison.subjects[standing.subject].name,
            rank: standing.rank,
            cells: summary.cells,
            cells_shared: summary.shared,
            geometric_mean: standing.geometric,
            interval_95: standing.interval,
            least_seen: standing.least,
            interval_95_over_cells: standing.interval_over_cells.filter(|_| !is_reference),
            arithmetic_mean: standing.arithmetic,
            to_reference: (!is_reference).then_some(standing.seen),
        }
    };
    summary.standings.iter().map(entry).collect()
}

fn cell<'a>(comparison: &'a Comparison, row: &'a Row) -> CellEntry<'a> {
    let entry = |at: usize| {
        Some(FigureEntry {
            machine: &comparison.subjects[at].name,
            figure: row.figures[at]?,
            times_as_fast: row.ratios[at],
            other_work: &row.other_work[at],
            other_size: &row.other_size[at],
        })
    };
    CellEntry {
        cell: &row.cell,
        kind: &row.kind,
        unit: row.unit,
        machines: (0..row.figures.len()).filter_map(entry).collect(),
    }
}

/// A comparison as CSV: a line for each basis, cell and machine. What is not known is empty.
pub fn comparison_csv(comparison: &Comparison) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write =
        |fields: &[String]| writer.write_record(fields).expect("memory takes all, and rows are alike");
    let head = [
        "basis",
        "cell",
        "machine",
        "reference",
        "unit",
        "figure",
        "figure_low",
        "figure_high",
        "samples",
        "times_as_fast",
        "times_low",
        "times_high",
        "same_work",
        "kind",
    ];
    write(&head.map(str::to_owned));
    let reference = &comparison.subjects[comparison.reference].name;
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for section in &comparison.sections {
        for row in &section.rows {
            for (at, subject) in comparison.subjects.iter().enumerate() {
                let Some(figure) = row.figures[at] else { continue };
                let ratio = row.ratios[at];
                let low = |estimate: Option<Estimate>| {
                    estimate.and_then(|estimate| estimate.interval).map(|(low, _)| low)
                };
                let high = |estimate: Option<Estimate>| {
                    estimate.and_then(|estimate| estimate.interval).map(|(_, high)| high)
                };
                write(&[
                    name_of(&section.basis),
                    row.cell.clone(),
                    subject.name.clone(),
                    reference.clone(),
                    name_of(&row.unit),
                    figure.median.to_string(),
                    number(low(Some(figure))),
                    number(high(Some(figure))),
                    figure.n.to_string(),
                    number(ratio.map(|ratio| ratio.median)),
                    number(low(ratio)),
                    number(high(ratio)),
                    row.is_same_work(at).to_string(),
                    row.kind.clone(),
                ]);
            }
        }
    }
    let bytes = writer.into_inner().expect("memory takes all");
    String::from_utf8(bytes).expect("made of text")
}
