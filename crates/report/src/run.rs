//! What is shown of a run: each study has tables, charts and findings of its own.

mod backends;
mod charts;
pub mod counts;
mod export;
pub mod figures;
mod google_benchmark;
pub mod kept;
mod page;
mod studies;
mod tables;
mod terminal;
mod tuning;

use hashlane_measure::{
    CellResult, Run, check_up, conclusions, input_output, machine_study, pipeline, speed, variant,
};

use self::figures::NONE;
use self::tables::reason;
use crate::tables::Table;
use crate::view::View;

pub(crate) use backends::backends_schemas;
pub use backends::{backends_json, backends_text};
pub(crate) use export::name_of;
pub use export::{csv, prometheus};
pub use google_benchmark::google_benchmark;
pub use page::page;
pub use tables::machine;
pub use terminal::text;
pub use tuning::tuning_text;

impl View {
    /// What is shown of `run`. A study that this version does not know is shown as a list of its cells.
    pub fn of(run: &Run) -> Self {
        let mut view = match run.study.as_str() {
            check_up::STUDY => Self {
                title: "Check-up".to_owned(),
                findings: conclusions::verdict(run),
                charts: charts::charts(run),
                curves: charts::curve(run).into_iter().collect(),
                tables: tables::tables(run),
            },
            input_output::STUDY | input_output::SEARCH => studies::input_output(run),
            pipeline::STUDY => studies::pipeline(run),
            machine_study::STUDY => studies::machine(run),
            speed::STUDY => studies::speed(run),
            variant::STUDY => studies::variant(run),
            _ => unknown(run),
        };
        view.tables.retain(Table::is_filled);
        view.charts.retain(|chart| !chart.bars.is_empty());
        view.curves.retain(|curve| !curve.series.is_empty());
        view
    }
}

/// A run in the layout of the program that made the study first; none for a study that no one made before.
pub fn classic(run: &Run) -> Option<String> {
    match run.study.as_str() {
        input_output::STUDY | input_output::SEARCH => Some(studies::classic_input_output(run)),
        pipeline::STUDY => Some(studies::classic_pipeline(run)),
        machine_study::STUDY => Some(studies::classic_machine(run)),
        speed::STUDY => Some(studies::classic_speed(run)),
        variant::STUDY => Some(studies::classic_variant(run)),
        _ => None,
    }
}

/// A run where no more is known than its cells.
fn unknown(run: &Run) -> View {
    let mut table = Table::new("Cells", &["", "figure", "95 % interval", "n"]);
    for result in &run.cells {
        table.notes.extend(reason(result));
        table.rows.extend(cell_row(result));
    }
    View {
        title: run.study.clone(),
        findings: Vec::new(),
        charts: Vec::new(),
        curves: Vec::new(),
        tables: vec![table],
    }
}

fn cell_row(result: &CellResult) -> Option<Vec<String>> {
    let figure = result.figure?;
    Some(vec![
        result.cell.to_string(),
        figures::figure(figure.median, result.unit),
        figure.interval.map_or_else(|| NONE.to_owned(), |_| figures::interval(&figure, result.unit)),
        figure.n.to_string(),
    ])
}
