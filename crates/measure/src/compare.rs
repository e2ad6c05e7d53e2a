//! Machines side by side: cells that they share, ratios to one of them, means, ranks, what got slower.
//!
//! Ratios always say how many times as fast, also of figures where less is better. Figures of different [`Basis`] (warm and
//! cold, recorded and recomputed) are kept in sections of their own and never averaged together; nor are different kinds of
//! work, nor cells whose work was not the same.

mod key;
mod kind;
mod load;
mod scatter;
mod standing;
mod subject;

use std::collections::BTreeMap;

use serde::Serialize;

use self::key::Key;
use self::scatter::{Difference, Speed};
use self::subject::Measured;
use crate::cell::Unit;
use crate::import::Basis;
use crate::statistics::{Estimate, arithmetic_mean, geometric_mean, ratio};

pub use load::{LoadError, Loaded, is_run};
pub use standing::{Seen, Standing, Summary};
pub use subject::Subject;

/// Machines side by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What is compared, at least two.
    pub subjects: Vec<Subject>,
    /// Which of them the others are held against.
    pub reference: usize,
    /// The cells that the reference shares with any other, by what their figures are based on. At least one section.
    pub sections: Vec<Section>,
    /// For each subject, cells that it does not share with the reference; for the reference, those that it shares with nobody.
    pub unmatched: Vec<usize>,
    /// What has no figures, and why.
    pub left_out: Vec<Subject>,
}

/// Cells whose figures are based on the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// On what.
    pub basis: Basis,
    /// The cells, in the order of the reference.
    pub rows: Vec<Row>,
    /// What they come to, each kind of work by itself.
    pub summaries: Vec<Summary>,
}

/// One cell. Lists hold an entry for each subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was measured, machines aside.
    pub cell: String,
    /// What kind of work it is: means are of one kind.
    pub kind: String,
    /// What the figures count.
    pub unit: Unit,
    /// The figures; none where it was not measured. Of several runs, it is their geometric mean, and each run is a value.
    pub figures: Vec<Option<Estimate>>,
    /// How many times as fast as the reference; 1 for the reference itself. All intervals of a comparison hold at once in 95 of 100
    /// cases, and cover what equal runs differ by.
    pub ratios: Vec<Option<Estimate>>,
    /// In what the work was other than that of the reference: `bytes: 5 instead of 7`.
    pub other_work: Vec<Vec<String>>,
    /// In what size the work was other than that of the reference, where rates do not depend on it.
    pub other_size: Vec<Vec<String>>,
    speeds: Vec<Option<Speed>>,
}

/// What two subjects have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Both describe the same machine.
    SameMachine,
    /// They describe different ones.
    OtherMachine,
    /// One of them does not say.
    Unknown,
}

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// There are fewer than two machines.
    #[error("{}", match (names.as_slice(), without.as_slice()) {
        ([], []) => "no figures; name files of two machines".to_owned(),
        ([], without) => format!("no figures in {}; name files that have some", without.join(", ")),
        (names, without) => format!(
            "figures of one machine only: {}{}; name files of a second machine",
            names.join(", "),
            without.iter().map(|nothing| format!(", and none in {nothing}")).collect::<String>()
        ),
    })]
    TooFew {
        /// Those that there are.
        names: Vec<String>,
        /// What has no figures, and why as far as its files say.
        without: Vec<String>,
    },
    /// The reference has no figures.
    #[error("{what} has no figures to compare with; name another reference")]
    NothingToReferTo {
        /// The reference, and why as far as its files say.
        what: String,
    },
    /// No machine is called as the reference.
    #[error("no machine is named {wanted}; the machines are {}", names.join(", "))]
    NoSuchReference {
        /// What was asked for.
        wanted: String,
        /// Those that there are.
        names: Vec<String>,
    },
    /// Nobody measured what the reference did.
    #[error("{}: no cell in common with {reference}; compare files of the same program or study", names.join(", "))]
    NothingInCommon {
        /// The reference.
        reference: String,
        /// The others.
        names: Vec<String>,
    },
}

impl Comparison {
    /// Compares subjects with the one of that name, or that comes from a file of that name; without a name, with the first.
    /// Subjects without figures are left out.
    ///
    /// # Errors
    /// There are fewer than two, none of that name, or none that shares a cell with it.
    pub fn of(subjects: Vec<Subject>, reference: Option<&str>) -> Result<Self, CompareError> {
        let (subjects, left_out): (Vec<_>, Vec<_>) =
            subjects.into_iter().partition(|subject| subject.cells_with_figures() > 0);
        let names =
            |subjects: &[Subject]| subjects.iter().map(|subject| subject.name.clone()).collect::<Vec<_>>();
        let is_it = |wanted: &str, subject: &Subject| {
            subject.name == wanted || subject.files.iter().any(|file| file == wanted)
        };
        let at = match reference {
            None => Some(0),
            Some(wanted) => subjects.iter().position(|subject| is_it(wanted, subject)),
        };
        let Some(reference) = at else {
            let wanted = reference.unwrap_or_default();
            if let Some(empty) = left_out.iter().find(|subject| is_it(wanted, subject)) {
                return Err(CompareError::NothingToReferTo { what: empty.without_figures() });
            }
            let wanted = crate::text::shown(wanted);
            return Err(CompareError::NoSuchReference { wanted, names: names(&subjects) });
        };
        if subjects.len() < 2 {
            // Who named one file knows which it is.
            let is_alone = subjects.is_empty() && left_out.len() == 1;
            let without = left_out.iter().filter(|_| !is_alone).map(Subject::without_figures).collect();
            return Err(CompareError::TooFew { names: names(&subjects), without });
        }
        let known: Vec<BTreeMap<&Key, &Measured>> = subjects.iter().map(by_key).collect();
        let row = |cell: &Measured| known.iter().map(|of| same(cell, of)).collect();
        let lookup: Vec<Vec<Option<&Measured>>> = subjects[reference].cells.iter().map(row).collect();
        let rows_of = |basis| lookup.iter().filter_map(|row| Row::of(basis, row, reference)).collect();
        let rows: Vec<(Basis, Vec<Row>)> =
            bases(&subjects[reference]).into_iter().map(|basis| (basis, rows_of(basis))).collect();
        let sections = Section::all(rows, reference);
        if sections.is_empty() {
            let mut others = names(&subjects);
            let reference = others.remove(reference);
            return Err(CompareError::NothingInCommon { reference, names: others });
        }
        let shared = |at: usize| {
            let is_shared = |row: &&Vec<Option<&Measured>>| match at {
                at if at == reference => row.iter().flatten().count() > 1,
                at => row[at].is_some(),
            };
            lookup.iter().filter(is_shared).count()
        };
        let unmatched =
            (0..subjects.len()).map(|at| subjects[at].cells.len().saturating_sub(shared(at))).collect();
        Ok(Self { unmatched, reference, sections, subjects, left_out })
    }

    /// What a subject has to do with the reference.
    pub fn relation(&self, subject: usize) -> Relation {
        match (self.subjects[self.reference].machine(), self.subjects[subject].machine()) {
            (Some(one), Some(other)) if one == other => Relation::SameMachine,
            (Some(_), Some(_)) => Relation::OtherMachine,
            _ => Relation::Unknown,
        }
    }

    /// The rows in which a subject is slower than the reference beyond doubt, the slowest first.
    pub fn regressions(&self, subject: usize) -> Vec<(&Row, Estimate)> {
        let rows = self.sections.iter().flat_map(|section| &section.rows);
        let mut slower: Vec<_> = rows
            .filter(|row| row.is_same_work(subject))
            .filter_map(|row| Some((row, row.ratios[subject]?)))
            .filter(|(_, ratio)| ratio.interval.is_some_and(|(_, high)| high < 1.0))
            .collect();
        slower.sort_by(|(_, one), (_, other)| one.median.total_cmp(&other.median));
        slower
    }
}

impl Section {
    /// The arithmetic and the geometric mean of all cells of a subject that are the same work in all of them, whatever their
    /// kind: what sysperf's tables hold. None of figures that are not of its files.
    pub fn as_sysperf_averages(&self, subject: usize) -> Option<(f64, f64)> {
        if !matches!(self.basis, Basis::Recorded | Basis::Recomputed) {
            return None;
        }
        let is_common = |row: &&Row| (0..row.ratios.len()).all(|subject| row.is_equal_work(subject));
        let common = self.rows.iter().filter(is_common);
        let ratios: Vec<f64> =
            common.filter_map(|row| row.ratios[subject]).map(|ratio| ratio.median).collect();
        Some((arithmetic_mean(&ratios)?, geometric_mean(&ratios)?))
    }
}

fn by_key(subject: &Subject) -> BTreeMap<&Key, &Measured> {
    subject.cells.iter().map(|cell| (&cell.key, cell)).collect()
}

/// The cell of a subject that is the same as one of the reference.
fn same<'a>(cell: &Measured, of: &BTreeMap<&Key, &'a Measured>) -> Option<&'a Measured> {
    of.get(&cell.key).copied().filter(|other| other.unit == cell.unit)
}

/// What the figures of a subject are based on, in the order of the list.
fn bases(subject: &Subject) -> Vec<Basis> {
    let mut bases: Vec<_> = subject.cells.iter().flat_map(|cell| cell.figures.keys().copied()).collect();
    bases.sort_unstable();
    bases.dedup();
    bases
}

impl Section {
    /// The sections of those bases that have rows. All that is said of them at once is to hold at once.
    fn all(rows: Vec<(Basis, Vec<Row>)>, reference: usize) -> Vec<Self> {
        let mut rows: Vec<_> = rows.into_iter().filter(|(_, rows)| !rows.is_empty()).collect();
        let others = |row: &Row| row.ratios.iter().flatten().count() - 1;
        let ratios = rows.iter().flat_map(|(_, rows)| rows).map(others).sum();
        for row in rows.iter_mut().flat_map(|(_, rows)| rows) {
            row.judge(reference, ratios);
        }
        let kinds = rows.iter().map(|(_, rows)| standing::kinds(rows).len()).sum();
        let of = |(basis, rows): (Basis, Vec<Row>)| Self {
            basis,
            summaries: standing::of(&rows, reference, kinds),
            rows,
        };
        rows.into_iter().map(of).collect()
    }
}

impl Row {
    fn of(basis: Basis, cells: &[Option<&Measured>], reference: usize) -> Option<Self> {
        let one = cells[reference]?;
        let less_is_better = one.unit == Unit::NanosecondsPerOperation;
        let figure = |cell: &Option<&Measured>| Estimate::of_runs((*cell)?.figures.get(&basis)?);
        let speed = |cell: &Option<&Measured>| {
            Speed::of((*cell)?.figures.get(&basis)?, (*cell)?.assumed, less_is_better)
        };
        let differs = |what: fn(&Measured, &Measured) -> Vec<String>| {
            cells.iter().map(|cell| cell.map_or_else(Vec::new, |cell| what(one, cell))).collect()
        };
        let mut row = Self {
            cell: one.key.to_string(),
            kind: one.kind.clone(),
            unit: one.unit,
            figures: cells.iter().map(figure).collect(),
            ratios: Vec::new(),
            other_work: differs(other_work),
            other_size: differs(other_size),
            speeds: cells.iter().map(speed).collect(),
        };
        let held_against = row.figures[reference]?;
        let to_reference = |(at, figure): (usize, &Option<Estimate>)| match figure {
            Some(figure) if at == reference => Some(Estimate::without_spread(1.0, figure.n)),
            figure => row.ratio(figure.as_ref()?, &held_against),
        };
        row.ratios = row.figures.iter().enumerate().map(to_reference).collect();
        (row.ratios.iter().flatten().count() > 1).then_some(row)
    }

    /// How many times as fast one figure is as another. Its interval is still to come.
    fn ratio(&self, figure: &Estimate, other: &Estimate) -> Option<Estimate> {
        let ratio = match self.unit {
            // Less is better.
            Unit::NanosecondsPerOperation => ratio(other, figure),
            _ => ratio(figure, other),
        };
        ratio.map(|ratio| Estimate { interval: None, ..ratio })
    }

    /// Gives its ratios intervals. `ratios`: how many there are in all.
    fn judge(&mut self, reference: usize, ratios: usize) {
        for at in (0..self.ratios.len()).filter(|&at| at != reference) {
            let difference = Difference::between(&[&*self], at, reference);
            if let Some(ratio) = &mut self.ratios[at] {
                ratio.interval = difference.and_then(|difference| difference.interval(ratios));
            }
        }
    }

    /// Whether a subject has a ratio, and one of the same work.
    pub fn is_equal_work(&self, subject: usize) -> bool {
        self.ratios[subject].is_some() && self.is_same_work(subject)
    }

    /// Whether the work of a subject was that of the reference, as far as the files say.
    pub fn is_same_work(&self, subject: usize) -> bool {
        self.other_work[subject].is_empty()
    }
}

/// In what the work of two cells differs, as far as both say.
fn other_work(reference: &Measured, cell: &Measured) -> Vec<String> {
    differing(&reference.work, &cell.work)
}

/// In what size, where rates do not depend on it.
fn other_size(reference: &Measured, cell: &Measured) -> Vec<String> {
    differing(&reference.size, &cell.size)
}

fn differing(reference: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> Vec<String> {
    let differs = |(what, value): (&String, &String)| {
        let other = other.get(what).filter(|other| *other != value)?;
        Some(format!("{what}: {other} instead of {value}"))
    };
    reference.iter().filter_map(differs).collect()
}
