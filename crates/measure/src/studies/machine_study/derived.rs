//! What follows from the figures of a run.

use super::{COPIER, EMPTY, InputFacts};
use crate::cell::{Cell, Stage};
use crate::run::Run;
use crate::sample::CellResult;
use crate::studies::variant::{Time, difference};

/// How often what the input is made of is worked through, all copies counted.
pub fn effective_iterations(cell: &Cell) -> Option<u64> {
    cell.copies?.checked_mul(cell.iterations?)
}

/// What starting a program costs, if it was measured.
pub fn start<'a>(run: &'a Run, program: &str) -> Option<&'a CellResult> {
    run.find(|cell| is_start(cell) && cell.program.as_deref() == Some(program))
}

/// Whether a cell is about nothing but starting a program.
pub fn is_start(cell: &Cell) -> bool {
    cell.stage == Stage::Program && cell.input.as_deref() == Some(EMPTY) && cell.copies.is_none()
}

/// What a cell is about: `b2sum`, `hashlane-blake2b` in this process, `hashlane-read`.
pub fn subject(cell: &Cell) -> String {
    cell.program.clone().unwrap_or_else(|| in_process(cell.algorithm.as_deref()))
}

/// What our engine in this process is called; without an algorithm it only reads.
pub(super) fn in_process(algorithm: Option<&str>) -> String {
    format!("hashlane-{}", algorithm.unwrap_or("read"))
}

/// How fast a program hashes if reading cost nothing: what it takes longer than what only reads the same bytes as
/// often. In bytes a second; none where that is nothing. The second says whether the difference may be chance.
pub fn pure_hash(run: &Run, result: &CellResult) -> Option<(f64, bool)> {
    let cell = &result.cell;
    let reads = |other: &Cell| match cell.stage {
        Stage::Program => other.program.as_deref() == Some(COPIER),
        _ => other.stage == Stage::Read,
    };
    let is_other = |other: &Cell| {
        reads(other) && other.copies == cell.copies && other.iterations == cell.iterations && !is_start(other)
    };
    let other = run.find(is_other).filter(|other| other.cell != *cell)?;
    let longer = difference(result, other, Time::Real)?;
    let rate = cell.input_bytes? as f64 / longer.seconds.median;
    (longer.seconds.median > 0.0 && rate.is_finite()).then_some((rate, !longer.is_real()))
}

/// What the first run on a new input took, as a share of the rate of the others: 1 if it was as fast.
pub fn first_run_share(run: &Run, input: &InputFacts) -> Option<f64> {
    let first = input.first_run.as_ref().filter(|first| first.wall_ns > 0)?;
    let others = run
        .find(|cell| cell.program.as_deref() == Some(&first.program) && cell.copies == Some(input.copies))?;
    let bytes = input.unit_bytes as f64 * input.copies as f64 * first.iterations as f64;
    let share = bytes / (first.wall_ns as f64 / 1e9) / others.figure?.median;
    share.is_finite().then_some(share)
}
