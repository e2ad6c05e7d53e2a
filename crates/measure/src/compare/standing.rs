//! What cells of one kind of work come to: means of ratios, and ranks by them.
//!
//! A mean is over equal work only: over the cells that all of its subjects have, and whose work was the same as far as
//! the files say. Nobody ranks before another from whom no difference is seen.

use serde::Serialize;

use super::Row;
use super::scatter::Difference;
use crate::statistics::{arithmetic_mean, geometric_mean, geometric_mean_interval};

/// What all cells of one kind of work come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The kind: `read`, `digest, one message`.
    pub kind: String,
    /// The cells of the section that are of it.
    pub shared: usize,
    /// How many of them are the same work in all that take part: those are what the means are over.
    pub cells: usize,
    /// What it comes to for each subject that takes part, the fastest first. None if no cell is the same work in all that take part.
    pub standings: Vec<Standing>,
    /// Who shares cells with the reference and takes no part, and how many: none of them is the same work.
    pub apart: Vec<(usize, usize)>,
}

/// What the ratios of one subject come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The subject.
    pub subject: usize,
    /// The geometric mean of the ratios, which is the one to quote.
    pub geometric: f64,
    /// Where the geometric mean of these cells lies, were they measured again in other runs. All intervals of a comparison hold at
    /// once in 95 of 100 cases. None of the reference, and of one cell of a single sample.
    pub interval: Option<(f64, f64)>,
    /// The least difference that would be seen here four times in five, as a share: 0.06 for 6 %.
    pub least: Option<f64>,
    /// Student's 95 % interval over cells: where the mean of all cells of the kind lies, were these drawn from them at random. None of
    /// one cell.
    pub interval_over_cells: Option<(f64, f64)>,
    /// The arithmetic mean; never the smaller of the two, and it depends on which machine is the reference.
    pub arithmetic: f64,
    /// What it is beside the reference.
    pub seen: Seen,
    /// How many samples the reference and the subject have of the only cell, where those are too few to tell.
    pub too_few: Option<(usize, usize)>,
    /// One more than there are subjects that are seen to be faster: those of whom no difference is seen share a place.
    pub rank: usize,
}

/// What is seen of one subject beside another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// It is slower.
    Slower,
    /// It is faster.
    Faster,
    /// The interval contains 1.
    NoDifferenceSeen,
    /// There is no interval.
    CannotBeTold,
}

/// The kinds of work of rows, in the order in which they come.
pub(super) fn kinds(rows: &[Row]) -> Vec<&str> {
    let mut kinds: Vec<&str> = Vec::new();
    for row in rows {
        if !kinds.contains(&row.kind.as_str()) {
            kinds.push(&row.kind);
        }
    }
    kinds
}

/// What each kind of work comes to; `all_kinds` there are in the whole comparison.
pub(super) fn of(rows: &[Row], reference: usize, all_kinds: usize) -> Vec<Summary> {
    kinds(rows).into_iter().map(|kind| Summary::of(kind, rows, reference, all_kinds)).collect()
}

impl Summary {
    fn of(kind: &str, rows: &[Row], reference: usize, all_kinds: usize) -> Self {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
        let subjects = rows.first().map_or(0, |row| row.ratios.len());
        let shares = |subject: usize| rows.iter().filter(|row| row.ratios[subject].is_some()).count();
        let has_equal = |subject: &usize| rows.iter().any(|row| row.is_equal_work(*subject));
        let (takes_part, apart): (Vec<usize>, Vec<usize>) =
            (0..subjects).filter(|&subject| shares(subject) > 0).partition(has_equal);
        let is_common = |row: &&&Row| takes_part.iter().all(|&subject| row.is_equal_work(subject));
        let common: Vec<&Row> = rows.iter().filter(is_common).copied().collect();
        // Ranks are of all pairs.
        let ratios = all_kinds * takes_part.len() * takes_part.len().saturating_sub(1) / 2;
        let of = |&subject: &usize| Standing::of(subject, &common, reference, ratios);
        let mut standings: Vec<Standing> = match takes_part.len() {
            0 | 1 => Vec::new(),
            _ => takes_part.iter().filter_map(of).collect(),
        };
        for at in 0..standings.len() {
            let subject = standings[at].subject;
            let beside = |other: &Standing| {
                Seen::in_interval(Difference::between(&common, other.subject, subject)?.interval(ratios))
            };
            let is_faster = |other: &&Standing| beside(other) == Some(Seen::Faster);
            standings[at].rank = 1 + standings.iter().filter(is_faster).count();
        }
        standings.sort_by(|one, other| other.geometric.total_cmp(&one.geometric));
        Self {
            kind: kind.to_owned(),
            shared: rows.len(),
            cells: if standings.is_empty() { 0 } else { common.len() },
            standings,
            apart: apart.into_iter().map(|subject| (subject, shares(subject))).collect(),
        }
    }
}

impl Standing {
    fn of(subject: usize, common: &[&Row], reference: usize, all_ratios: usize) -> Option<Self> {
        let ratios: Option<Vec<f64>> = common.iter().map(|row| Some(row.ratios[subject]?.median)).collect();
        let ratios = ratios?;
        let difference = Difference::between(common, subject, reference).filter(|_| subject != reference);
        let interval = difference.and_then(|difference| difference.interval(all_ratios));
        let samples = |row: &Row, at: usize| row.figures[at].map(|figure| figure.n);
        Some(Self {
            subject,
            geometric: geometric_mean(&ratios)?,
            interval,
            least: difference.and_then(|difference| difference.least(all_ratios)),
            interval_over_cells: geometric_mean_interval(&ratios),
            arithmetic: arithmetic_mean(&ratios)?,
            seen: match Seen::in_interval(interval) {
                _ if subject == reference => Seen::NoDifferenceSeen,
                seen => seen.unwrap_or(Seen::CannotBeTold),
            },
            too_few: match common {
                [only] if interval.is_none() => samples(only, reference).zip(samples(only, subject)),
                _ => None,
            },
            rank: 1,
        })
    }
}

impl Seen {
    /// What the interval of a ratio says; nothing if there is none.
    fn in_interval(interval: Option<(f64, f64)>) -> Option<Self> {
        Some(match interval? {
            (low, _) if low > 1.0 => Self::Faster,
            (_, high) if high < 1.0 => Self::Slower,
            _ => Self::NoDifferenceSeen,
        })
    }
}
