//! What cannot be measured, and is to be seen with its reason all the same.

use crate::cell::{Cell, Unit};
use crate::clock::Stopwatch;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};

/// A cell that cannot be measured.
#[derive(Debug)]
pub(crate) struct Absent {
    cell: Cell,
    unit: Unit,
    reason: String,
}

impl Absent {
    /// The cell, and why it cannot.
    pub(crate) fn new(cell: Cell, unit: Unit, reason: &str) -> Self {
        Self { cell, unit, reason: reason.to_owned() }
    }
}

impl Probe for Absent {
    fn cell(&self) -> Cell {
        self.cell.clone()
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn run(&mut self, _: u64, _: &mut Stopwatch) -> Result<Work, NotPossible> {
        Err(NotPossible::Broken(self.reason.clone()))
    }
}
