//! Two runs side by side: ratios of the cells that both have.

use std::collections::BTreeMap;
use std::fmt;

use crate::cell::{Cell, Unit};
use crate::run::Run;
use crate::sample::CellResult;
use crate::statistics::{Estimate, arithmetic_mean, geometric_mean, ratio_of_medians};

/// What two runs have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Cells that both measured, in the order of the first.
    pub rows: Vec<Row>,
    /// Cells that only one of them measured.
    pub unmatched: usize,
    /// Rows whose files or memory are not of the same size in both.
    pub resized: usize,
}

/// One cell of both runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was measured, machines aside.
    pub key: Key,
    /// What the figures count.
    pub unit: Unit,
    /// The figure of the first run.
    pub first: Estimate,
    /// The figure of the second run.
    pub second: Estimate,
    /// How many times faster the second is, with its interval.
    pub speed: Estimate,
}

/// What makes cells of two machines comparable: all but the number of cores, the backend, its lanes and the size of the
/// input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The cell without what differs.
    cell: Cell,
    all_cores: bool,
}

impl Comparison {
    /// Compares the second run with the first.
    pub fn of(first: &Run, second: &Run) -> Self {
        let (ones, mut others) = (keyed(first), keyed(second).into_iter().collect::<BTreeMap<_, _>>());
        let (mut rows, mut unmatched, mut resized) = (Vec::new(), 0, 0);
        for (key, one) in ones {
            let other = others.remove(&key).filter(|other| other.unit == one.unit);
            match other.and_then(|other| Some((row(&key, one, other)?, other))) {
                Some((row, other)) => {
                    resized += usize::from(one.cell.input_bytes != other.cell.input_bytes);
                    rows.push(row);
                }
                None => unmatched += 1,
            }
        }
        Self { rows, unmatched: unmatched + others.len(), resized }
    }

    /// The geometric mean of all ratios, which is the one to quote.
    pub fn geometric_mean(&self) -> Option<f64> {
        geometric_mean(&self.speeds())
    }

    /// The arithmetic mean of all ratios; always the larger of the two.
    pub fn arithmetic_mean(&self) -> Option<f64> {
        arithmetic_mean(&self.speeds())
    }

    fn speeds(&self) -> Vec<f64> {
        self.rows.iter().map(|row| row.speed.median).collect()
    }
}

/// The cells of a run that have a figure.
fn keyed(run: &Run) -> Vec<(Key, &CellResult)> {
    let cores = run.machine.processor.cores;
    let measured = run.cells.iter().filter(|result| result.figure.is_some());
    measured.map(|result| (Key::of(&result.cell, cores), result)).collect()
}

fn row(key: &Key, first: &CellResult, second: &CellResult) -> Option<Row> {
    let speed = match first.unit {
        // Less is better.
        Unit::NanosecondsPerOperation => ratio_of_medians(&first.figures(), &second.figures()),
        _ => ratio_of_medians(&second.figures(), &first.figures()),
    };
    Some(Row {
        key: key.clone(),
        unit: first.unit,
        first: first.figure?,
        second: second.figure?,
        speed: speed?,
    })
}

impl Key {
    fn of(cell: &Cell, cores: usize) -> Self {
        let all_cores = cell.threads > 1 && cell.threads == cores;
        let cell = Cell {
            backend: None,
            threads: 1,
            // With all cores at work the depth is theirs.
            depth: cell.depth.filter(|_| !all_cores),
            input_bytes: None,
            // How wide its lanes are is a property of a machine, as its backend is.
            messages: cell.messages.map(|messages| messages.min(2)),
            ..cell.clone()
        };
        Self { cell, all_cores }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cell.write_what(f)?;
        f.write_str(if self.all_cores { ", all cores" } else { ", one core" })
    }
}
