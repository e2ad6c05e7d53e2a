//! What cells of one kind of work come to: means of ratios, and ranks by them.
//!
//! A mean is over equal work only: over the cells that all of its subjects have, and of which the work was the same as far as
//! the files say. Nobody ranks before another from whom no difference is seen.

use serde::Serialize;

use super::Row;
use crate::statistics::{Estimate, arithmetic_mean, geometric_mean, geometric_mean_interval};

/// What all cells of one kind of work come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The kind: `read`, `digest, one message`.
    pub kind: String,
    /// The cells of the section that are of it.
    pub shared: usize,
    /// How many of them are the same work in all that take part: those are what the means are over.
    pub cells: usize,
    /// What it comes to for each subject that takes part, the fastest first. None if no cell is the same work in two of them.
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
    /// 95 % interval of the geometric mean, over cells: where it would lie for all cells of the kind. None of one cell.
    pub interval: Option<(f64, f64)>,
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
pub(super) fn of(rows: &[Row], reference: usize) -> Vec<Summary> {
    let mut kinds: Vec<&str> = Vec::new();
    for row in rows {
        if !kinds.contains(&row.kind.as_str()) {
            kinds.push(&row.kind);
        }
    }
    kinds.into_iter().map(|kind| Summary::of(kind, rows, reference)).collect()
}

impl Summary {
    fn of(kind: &str, rows: &[Row], reference: usize) -> Self {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
        let subjects = rows.first().map_or(0, |row| row.ratios.len());
        let shares = |subject: usize| rows.iter().filter(|row| row.ratios[subject].is_some()).count();
        let has_equal = |subject: &usize| rows.iter().any(|row| row.is_equal_work(*subject));
        let (takes_part, apart): (Vec<usize>, Vec<usize>) =
            (0..subjects).filter(|&subject| shares(subject) > 0).partition(has_equal);
        let is_common = |row: &&&Row| takes_part.iter().all(|&subject| row.is_equal_work(subject));
        let common: Vec<&Row> = rows.iter().filter(is_common).copied().collect();
        let mut standings: Vec<Standing> = match takes_part.len() {
            0 | 1 => Vec::new(),
            _ => takes_part.iter().filter_map(|&subject| Standing::of(subject, &common, reference)).collect(),
        };
        for at in 0..standings.len() {
            let subject = standings[at].subject;
            let is_faster = |other: &&Standing| seen(&common, other.subject, subject) == Seen::Faster;
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
    fn of(subject: usize, common: &[&Row], reference: usize) -> Option<Self> {
        let ratios: Option<Vec<f64>> = common.iter().map(|row| Some(row.ratios[subject]?.median)).collect();
        let ratios = ratios?;
        let seen = match subject == reference {
            true => Seen::NoDifferenceSeen,
            false => seen(common, subject, reference),
        };
        let samples = |row: &Row, at: usize| row.figures[at].map(|figure| figure.n);
        Some(Self {
            subject,
            geometric: geometric_mean(&ratios)?,
            interval: geometric_mean_interval(&ratios),
            arithmetic: arithmetic_mean(&ratios)?,
            seen,
            too_few: match common {
                [only] if seen == Seen::CannotBeTold => samples(only, reference).zip(samples(only, subject)),
                _ => None,
            },
            rank: 1,
        })
    }
}

/// Whether one subject is seen to be faster or slower than another over such cells: whether the interval that is shown beside the
/// mean lies off 1. Of a single cell, which has none over cells, it is that of the cell. That there is none says nothing.
fn seen(rows: &[&Row], one: usize, other: usize) -> Seen {
    let ratio = |row: &&Row| row.ratio(row.figures[one].as_ref()?, row.figures[other].as_ref()?);
    let ratios: Vec<Estimate> = rows.iter().filter_map(ratio).collect();
    let medians: Vec<f64> = ratios.iter().map(|ratio| ratio.median).collect();
    let interval = match ratios.as_slice() {
        [only] => only.interval,
        _ => geometric_mean_interval(&medians),
    };
    match interval {
        Some((low, _)) if low > 1.0 => Seen::Faster,
        Some((_, high)) if high < 1.0 => Seen::Slower,
        Some(_) => Seen::NoDifferenceSeen,
        None => Seen::CannotBeTold,
    }
}
