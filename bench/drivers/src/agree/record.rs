//! What `agree` found, as data and as text, held against its bounds.

use std::fmt::Write as _;

use hashlane_measure::statistics::{Estimate, median};
use hashlane_measure::{Machine, Place};
use serde::Serialize;

/// One figure of ours beside that of another program, pair by pair.
#[derive(Debug, Serialize)]
pub(super) struct Agreement {
    /// What is measured.
    pub(super) what: String,
    /// The other program and how it was called.
    pub(super) other: String,
    /// Our figures, in bytes a second.
    pub(super) ours: Vec<f64>,
    /// Those of the other, of the same rounds.
    pub(super) others: Vec<f64>,
    /// Ours by the other's, round by round.
    pub(super) ratio: Option<Estimate>,
    /// How far from 1 the median may be.
    pub(super) bound: f64,
}

/// A result of ours that has to be that of another program.
#[derive(Debug, Serialize)]
pub(super) struct Equality {
    /// What is computed.
    pub(super) what: String,
    /// The other program.
    pub(super) other: String,
    pub(super) ours: String,
    pub(super) theirs: String,
}

/// What is recorded.
#[derive(Debug, Serialize)]
pub(super) struct Record {
    pub(super) schema: &'static str,
    pub(super) command: String,
    pub(super) date: String,
    pub(super) machine: Machine,
    pub(super) place: Place,
    pub(super) versions: Vec<String>,
    pub(super) agreements: Vec<Agreement>,
    pub(super) equalities: Vec<Equality>,
    pub(super) check_ups: Option<TwoCheckUps>,
}

/// Two check-ups, one after the other.
#[derive(Debug, Serialize)]
pub(super) struct TwoCheckUps {
    /// Ratio of the second to the first, cell by cell.
    pub(super) ratios: Vec<(String, f64)>,
    /// Their median.
    pub(super) median: Option<f64>,
    /// Their geometric mean.
    pub(super) geometric_mean: Option<f64>,
    /// The largest share of a sample that the clock takes.
    pub(super) overhead: f64,
}

/// Bounds: digests, reading, programs, two check-ups, overhead.
pub(super) const DIGEST_BOUND: f64 = 0.03;
pub(super) const READ_BOUND: f64 = 0.05;
pub(super) const VARIANT_BOUND: f64 = 0.02;
const CHECK_UP_BOUND: f64 = 0.02;
const OVERHEAD_BOUND: f64 = 0.01;

impl Agreement {
    pub(super) fn new(what: String, other: String, bound: f64) -> Self {
        Self { what, other, ours: Vec::new(), others: Vec::new(), ratio: None, bound }
    }

    /// Takes a pair. The first round warms up.
    pub(super) fn add(&mut self, round: u32, (ours, other): (f64, f64)) {
        if round == 0 {
            return;
        }
        self.ours.push(ours);
        self.others.push(other);
        let ratios: Vec<f64> = self.ours.iter().zip(&self.others).map(|(ours, other)| ours / other).collect();
        self.ratio = Estimate::of(&ratios);
    }

    /// The ratio of the best figures: what both do while nobody disturbs them, on a machine that others share.
    fn of_bests(&self) -> Option<f64> {
        let best = |rates: &[f64]| rates.iter().copied().reduce(f64::max);
        Some(best(&self.ours)? / best(&self.others)?)
    }

    fn holds(&self) -> bool {
        self.ratio.is_some_and(|ratio| (ratio.median - 1.0).abs() <= self.bound)
    }
}

impl Record {
    /// The record for people, and whether all bounds hold.
    pub(super) fn text(&self) -> (String, bool) {
        let mut text = format!(
            "# Does `bench` tell the truth? {}\n\n{}, {} cores, Linux {}, {} on {}\n\nCommand: `cargo xtask {}`\n\n",
            self.date,
            self.machine.processor.name,
            self.machine.processor.cores,
            self.machine.kernel,
            self.place.file_system,
            self.place.medium,
            self.command
        );
        text += "| figure | ours, MB/s | other, MB/s | ours / other [95 % interval] | best / best | bound | pairs | |\n|---|---:|---:|---:|---:|---:|---:|---|\n";
        let mut all = true;
        let mut verdict = |holds: bool| {
            all &= holds;
            if holds { "holds" } else { "**MISSED**" }
        };
        for agreement in &self.agreements {
            let megabytes = |rates: &[f64]| {
                median(rates).map_or_else(|| "–".to_owned(), |rate| format!("{:.0}", rate / 1e6))
            };
            let ratio = agreement.ratio.map_or_else(
                || "–".to_owned(),
                |ratio| match ratio.interval {
                    Some((low, high)) => format!("{:.3} [{low:.3}, {high:.3}]", ratio.median),
                    None => format!("{:.3}", ratio.median),
                },
            );
            let _ = writeln!(
                text,
                "| {} | {} | {} | {ratio} | {} | ± {:.0} % | {} | {} |",
                agreement.what,
                megabytes(&agreement.ours),
                megabytes(&agreement.others),
                agreement.of_bests().map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}")),
                agreement.bound * 100.0,
                agreement.ours.len(),
                verdict(agreement.holds())
            );
        }
        for equality in &self.equalities {
            let _ = writeln!(
                text,
                "\n{}: {}, and {} by `{}`: {}.",
                equality.what,
                equality.ours,
                equality.theirs,
                equality.other,
                verdict(equality.ours == equality.theirs)
            );
        }
        if let Some(two) = &self.check_ups {
            let near = |ratio: Option<f64>| ratio.is_some_and(|ratio| (ratio - 1.0).abs() <= CHECK_UP_BOUND);
            let shown =
                |ratio: Option<f64>| ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.4}"));
            let _ = writeln!(
                text,
                "\nTwo check-ups, one after the other: median of the ratios of all {} cells {} (geometric mean {}), bound \
                 ± {:.0} %: {}.",
                two.ratios.len(),
                shown(two.median),
                shown(two.geometric_mean),
                CHECK_UP_BOUND * 100.0,
                verdict(near(two.median))
            );
            let _ = writeln!(
                text,
                "Reading the clock takes at most {:.6} % of a sample, bound {:.0} %: {}.",
                two.overhead * 100.0,
                OVERHEAD_BOUND * 100.0,
                verdict(two.overhead < OVERHEAD_BOUND)
            );
        }
        text.push('\n');
        for agreement in &self.agreements {
            let _ = writeln!(text, "- {}: `{}`", agreement.what, agreement.other);
        }
        let _ = writeln!(text, "\nVersions: {}.", self.versions.join("; "));
        (text, all)
    }
}
