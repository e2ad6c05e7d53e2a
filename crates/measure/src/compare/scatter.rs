//! How far runs of one program on one machine lie apart, and so what a difference must exceed to be seen.
//!
//! The samples of one run scatter less than runs do: a process keeps its pages, its place in memory and its neighbours from its
//! first sample to its last. An interval over samples, or over cells, therefore takes two runs of one program for different ones.
//! Where there are three runs or more, the scatter is measured: it is theirs. Where there are fewer, it is taken to be what equal
//! runs were seen to scatter by, or what the samples of the run scatter by, together. Cells of one run are taken to move together,
//! so many cells do not make a run more certain than one does.

use super::Row;
use crate::cell::{Cell, Stage};
use crate::statistics::{LEAST_FOR_INTERVAL, student_t};

/// Fewer runs do not tell what they scatter by.
pub(super) const LEAST_RUNS: usize = 3;

/// What the logarithms of equal runs scatter by, where no run can tell: standard deviations seen over equal runs whose own samples
/// scattered little (`bench/records/2026-11-30-amd-epyc-2-cores-equal-runs.md`), rounded up.
mod scatters {
    /// Computing on one core.
    pub(super) const COMPUTING: f64 = 0.02;
    /// Reading and writing files, whole programs, and figures of other programs.
    pub(super) const FILES: f64 = 0.04;
    /// An operation that takes less than a hundred nanoseconds: where its code and its data happen to lie counts.
    pub(super) const SHORT: f64 = 0.05;
    /// Several threads: the system places them.
    pub(super) const THREADS: f64 = 0.08;
}

/// An interval that reaches farther than by this factor to each side says nothing.
const MOST_REACH: f64 = 1_000.0;

/// Runs that scatter by less than this share of what is assumed were rounded.
const ROUNDED: f64 = 1e-3;

/// In what share of comparisons of equal runs any difference may be named: half of that for kinds of work, and half for cells.
const FAMILY: f64 = 0.05;

/// In what share of comparisons a difference of the least size that counts as visible is seen.
const POWER: f64 = 0.8;

/// What equal runs scatter by on top of that where other programs kept all cores from a cell: seen on such a machine, rounded up.
const DISTURBED: f64 = 0.3;

/// What equal runs of a cell scatter by on top, where `others` threads of other programs wanted a core.
pub(super) fn of_load(cell: &Cell, others: f64, cores: usize) -> f64 {
    let cores = cores.max(1) as f64;
    DISTURBED * ((cell.threads as f64 + others - cores) / cores).clamp(0.0, 1.0)
}

/// What equal runs of another program are taken to scatter by.
pub(super) const IMPORTED: f64 = scatters::FILES;

/// What equal runs of a cell are taken to scatter by. `operation_ns` is what one block, message or call of it takes.
pub(super) fn of_cell(cell: &Cell, operation_ns: Option<f64>) -> f64 {
    /// Nanoseconds.
    const SHORT_BELOW: f64 = 100.0;
    match cell.stage {
        _ if cell.threads > 1 => scatters::THREADS,
        Stage::Digest | Stage::Harness | Stage::SystemCall | Stage::MemoryCopy | Stage::MemoryRead => {
            match operation_ns {
                Some(ns) if ns < SHORT_BELOW => scatters::SHORT,
                _ => scatters::COMPUTING,
            }
        }
        _ => scatters::FILES,
    }
}

/// How fast one subject was at one cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Speed {
    /// The logarithm of how fast, once for each run.
    runs: Vec<f64>,
    /// What equal runs are taken to scatter by.
    assumed: f64,
    /// What the samples of the runs scatter by; none where there are too few to tell.
    within: Option<Within>,
}

/// What the samples of a run scatter by.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Within {
    /// The standard deviation of their logarithms.
    scatter: f64,
    /// Degrees of freedom of that.
    freedom: f64,
}

impl Speed {
    /// Of the samples of each run; none if one of them is not above 0. `less_is_better` if they are times.
    pub(super) fn of(runs: &[Vec<f64>], assumed: f64, less_is_better: bool) -> Option<Self> {
        let sign = if less_is_better { -1.0 } else { 1.0 };
        let is_positive = |value: &f64| value.is_finite() && *value > 0.0;
        let all_right = !runs.is_empty() && runs.iter().flatten().all(is_positive);
        let median = |run: &Vec<f64>| Some(sign * crate::statistics::median(run)?.ln());
        let medians = runs.iter().map(median).collect::<Option<Vec<f64>>>().filter(|_| all_right)?;
        let within = runs.iter().map(|run| Within::of(run)).collect::<Option<Vec<_>>>();
        Some(Self { runs: medians, assumed, within: within.map(|all| Within::over(&all)) })
    }

    /// With the scatter of another's samples where it has a single sample: both measured the same.
    fn beside(&self, other: &Self) -> Self {
        Self { within: self.within.or(other.within), ..self.clone() }
    }

    /// The logarithm of how fast, over all runs.
    pub(super) fn centre(&self) -> f64 {
        mean(&self.runs)
    }
}

impl Within {
    /// None of so few samples that there is no interval of their median either.
    fn of(samples: &[f64]) -> Option<Self> {
        if samples.len() < LEAST_FOR_INTERVAL {
            return None;
        }
        let logarithms: Vec<f64> = samples.iter().map(|sample| sample.ln()).collect();
        Some(Self { scatter: variance(&logarithms).sqrt(), freedom: (samples.len() - 1) as f64 })
    }

    /// Of several runs or cells.
    fn over(all: &[Self]) -> Self {
        let mean_of = |of: fn(&Self) -> f64| mean(&all.iter().map(of).collect::<Vec<_>>());
        Self { scatter: mean_of(|within| within.scatter), freedom: mean_of(|within| within.freedom) }
    }
}

/// What one subject came to over some cells.
struct Mean {
    centre: f64,
    /// The square of its standard error.
    variance: f64,
    /// Degrees of freedom of that; infinite where it is assumed.
    freedom: f64,
}

impl Mean {
    /// None where a single sample is all there is of a cell.
    fn of(speeds: &[Speed]) -> Option<Self> {
        let centre = mean(&speeds.iter().map(|speed| speed.centre()).collect::<Vec<_>>());
        let runs = speeds.iter().map(|speed| speed.runs.len()).min()?;
        let measured = (runs >= LEAST_RUNS).then(|| {
            let of_run = |run: usize| mean(&speeds.iter().map(|speed| speed.runs[run]).collect::<Vec<_>>());
            variance(&(0..runs).map(of_run).collect::<Vec<_>>())
        });
        // Runs that scatter by next to nothing were rounded when they were written, and what they scatter by is not known.
        let assumed = assumed(speeds);
        if let Some(variance) = measured.filter(|variance| *variance > (assumed * ROUNDED).powi(2)) {
            return Some(Self { centre, variance: variance / runs as f64, freedom: (runs - 1) as f64 });
        }
        // Of several runs there are several samples, whatever each has.
        let none = Within { scatter: 0.0, freedom: f64::INFINITY };
        let within = |speed: &Speed| speed.within.or_else(|| (runs >= LEAST_RUNS).then_some(none));
        let within = Within::over(&speeds.iter().map(within).collect::<Option<Vec<_>>>()?);
        let scatter = assumed.hypot(within.scatter);
        // What is assumed has no degrees of freedom to lose (Satterthwaite).
        let freedom = within.freedom * (scatter / within.scatter).powi(4);
        Some(Self { centre, variance: scatter.powi(2) / runs as f64, freedom })
    }
}

/// How far two subjects lie apart, in the logarithm of the ratio.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    centre: f64,
    /// Standard error.
    error: f64,
    /// Degrees of freedom (Welch, 1947).
    freedom: f64,
}

impl Difference {
    /// Of two subjects over rows. None if one of them has no speed in some row.
    pub(super) fn between(rows: &[&Row], one: usize, other: usize) -> Option<Self> {
        let speeds = |at: usize, beside: usize| {
            let speed = |row: &&Row| Some(row.speeds[at].as_ref()?.beside(row.speeds[beside].as_ref()?));
            rows.iter().map(speed).collect::<Option<Vec<_>>>()
        };
        Self::of(&speeds(one, other)?, &speeds(other, one)?)
    }

    /// Of one subject's speeds and those of another, at the same cells. Cells of a single sample stand for samples where there are
    /// several of them; none of one such cell.
    fn of(one: &[Speed], other: &[Speed]) -> Option<Self> {
        let Some((one, other)) = Mean::of(one).zip(Mean::of(other)) else {
            return Self::over_cells(one, other);
        };
        let all = one.variance + other.variance;
        let freedom =
            all.powi(2) / (one.variance.powi(2) / one.freedom + other.variance.powi(2) / other.freedom);
        Some(Self { centre: one.centre - other.centre, error: all.sqrt(), freedom })
    }

    fn over_cells(one: &[Speed], other: &[Speed]) -> Option<Self> {
        let apart: Vec<f64> =
            one.iter().zip(other).map(|(one, other)| one.centre() - other.centre()).collect();
        let freedom = apart.len().checked_sub(1).filter(|freedom| *freedom > 0)? as f64;
        let runs = assumed(one).hypot(assumed(other));
        let cells = (variance(&apart) / apart.len() as f64).sqrt();
        Some(Self { centre: mean(&apart), error: runs.hypot(cells), freedom })
    }

    /// Where the ratio lies, such that of `ratios` ratios all lie where it is said in 95 of 100 cases.
    pub(super) fn interval(&self, ratios: usize) -> Option<(f64, f64)> {
        let reach = self.error * student_t(certainty(ratios), self.freedom);
        let interval = ((self.centre - reach).exp(), (self.centre + reach).exp());
        (reach < MOST_REACH.ln()).then_some(interval)
    }

    /// The least difference that would be seen four times in five, as a share: 0.06 for 6 %.
    pub(super) fn least(&self, ratios: usize) -> Option<f64> {
        let reach = student_t(certainty(ratios), self.freedom) + student_t(POWER, self.freedom);
        Some((self.error * reach).exp_m1()).filter(|least| *least < MOST_REACH)
    }
}

/// How certain each end of each interval is, so that all are at once (Bonferroni).
fn certainty(ratios: usize) -> f64 {
    let of_each_end = FAMILY / 2.0 / 2.0;
    1.0 - of_each_end / ratios.max(1) as f64
}

/// What equal runs of some cells are taken to scatter by.
fn assumed(speeds: &[Speed]) -> f64 {
    mean(&speeds.iter().map(|speed| speed.assumed).collect::<Vec<_>>())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of at least two values.
fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}
