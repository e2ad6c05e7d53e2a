//! What a section comes to: means of ratios, and ranks by them.

use super::Row;
use crate::statistics::{arithmetic_mean, geometric_mean, geometric_mean_interval};

/// What the ratios of one subject come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The subject.
    pub subject: usize,
    /// How many cells it shares with the reference.
    pub cells: usize,
    /// The geometric mean of their ratios, which is the one to quote.
    pub geometric: f64,
    /// 95 % interval of the geometric mean, over cells: where it would lie for all cells of the kind. None of one cell.
    pub interval: Option<(f64, f64)>,
    /// The arithmetic mean; never the smaller of the two, and it depends on which machine is the reference.
    pub arithmetic: f64,
    /// How many of the cells were of other work than those of the reference, and the geometric mean without them, if any
    /// are left.
    pub other_work: usize,
    /// The geometric mean of the cells of the same work.
    pub same_work: Option<f64>,
    /// The geometric mean over the cells that all subjects of the section have, by which they are ranked, and how many those
    /// are. None where there are none: means over other cells cannot be ranked.
    pub common: Option<(f64, usize)>,
    /// Its place by that, from 1; equals share one.
    pub rank: Option<usize>,
}

/// The standings of the subjects that have a ratio, the fastest first.
pub(super) fn of(rows: &[Row]) -> Vec<Standing> {
    let subjects = rows.first().map_or(0, |row| row.ratios.len());
    let takes_part: Vec<usize> =
        (0..subjects).filter(|&subject| rows.iter().any(|row| row.ratios[subject].is_some())).collect();
    let is_common = |row: &&Row| takes_part.iter().all(|&subject| row.ratios[subject].is_some());
    let common: Vec<&Row> = rows.iter().filter(is_common).collect();
    let mut standings: Vec<Standing> =
        takes_part.iter().filter_map(|&subject| Standing::of(subject, rows, &common)).collect();
    let by = |standing: &Standing| standing.common.map_or(standing.geometric, |(mean, _)| mean);
    standings.sort_by(|one, other| by(other).total_cmp(&by(one)));
    for at in 0..standings.len() {
        let is_equal = at > 0 && by(&standings[at]) == by(&standings[at - 1]);
        let rank = if is_equal { standings[at - 1].rank } else { Some(at + 1) };
        standings[at].rank = rank.filter(|_| !common.is_empty());
    }
    standings
}

impl Standing {
    fn of(subject: usize, rows: &[Row], common: &[&Row]) -> Option<Self> {
        let ratio = |row: &Row| row.ratios[subject].map(|ratio| ratio.median);
        let ratios: Vec<f64> = rows.iter().filter_map(ratio).collect();
        let shared = rows.iter().filter(|row| row.ratios[subject].is_some());
        let same: Vec<f64> = shared.filter(|row| row.is_same_work(subject)).filter_map(ratio).collect();
        let of_common: Vec<f64> = common.iter().filter_map(|row| ratio(row)).collect();
        Some(Self {
            subject,
            cells: ratios.len(),
            geometric: geometric_mean(&ratios)?,
            interval: geometric_mean_interval(&ratios),
            arithmetic: arithmetic_mean(&ratios)?,
            other_work: ratios.len() - same.len(),
            same_work: geometric_mean(&same),
            common: geometric_mean(&of_common).map(|mean| (mean, of_common.len())),
            rank: None,
        })
    }
}
