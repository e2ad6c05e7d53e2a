//! What is shown of a comparison: findings, charts and tables, not how they look.

use hashlane_measure::{Basis, Comparison, Estimate, Relation, Remark, Row, Run, Section, Subject, Warning};

use super::means;
use crate::charts::Chart;
use crate::run::figures::{self, NONE};
use crate::run::machine;
use crate::tables::Table;

/// More remarks than this say no more.
const MOST_REMARKS: usize = 20;

/// Marks a cell whose work was other than that of the reference.
const OTHER_WORK: &str = "≠";

/// Marks a ratio whose interval holds 1.
const NO_DIFFERENCE: &str = "~";

/// How ratios and means are to be read.
pub(super) const METHOD: [&str; 5] = [
    "A ratio states how many times as fast as the reference a machine is, even where times were measured. All intervals of a kind hold at \
     once: of 100 comparisons of equal programs on one machine, at most 5 name any difference.",
    "Two runs of one program differ by more than the samples of one run do, because a process keeps its place in memory and its \
     neighbours. Where there are 3 runs or more on a side (a directory of them), their scatter is measured, and the interval is Student's \
     over runs. Of fewer, it is assumed: 2 % for computing on one core, 5 % for operations below 100 ns, 4 % with files, programs and \
     figures of other programs, 8 % with several threads, and as much as the samples of the run scatter by on top of that; more where \
     other programs competed for the cores. Fewer than 6 samples take the scatter of the other side; where both have so few, it cannot be \
     told whether they differ.",
    "A mean covers one kind of work, and only cells of equal work: those that all machines have, of the same algorithm, block and input \
     as far as the files state them, and of the same size where rates depend on it. Cells marked ≠ are other work and are in no mean. \
     Warm and cold figures are never averaged together, nor are recorded and recomputed ones.",
    "The geometric mean is the one to quote: it does not depend on which machine is the reference. Its interval states where the mean of \
     these cells would lie in other runs. The interval over cells, in the wide table, takes these cells as drawn at random from all of \
     their kind. The arithmetic mean is shown because others quote it.",
    "A difference is seen if the interval does not contain 1. Machines without a seen difference share a rank. Ratios marked ~ cannot be \
     distinguished from 1.",
];

/// What is shown.
pub(super) struct Parts {
    pub(super) doubts: Vec<String>,
    pub(super) findings: Vec<String>,
    pub(super) charts: Vec<Chart>,
    pub(super) machines: Table,
    pub(super) environment: Vec<Table>,
    pub(super) regressions: Vec<Table>,
    pub(super) cells: Vec<Table>,
    pub(super) standings: Table,
    pub(super) remarks: Table,
}

impl Parts {
    /// With tables of any width, or with such as stand beside each other, for `abreast` machines.
    pub(super) fn of(comparison: &Comparison, abreast: usize) -> Self {
        let sections = || comparison.sections.iter();
        Self {
            doubts: means::doubts(comparison),
            findings: means::findings(comparison),
            charts: means::chart(comparison).into_iter().collect(),
            machines: machines(comparison),
            environment: environment(comparison, abreast + 1),
            regressions: regressions(comparison),
            cells: sections().flat_map(|section| cells(comparison, section, abreast)).collect(),
            standings: means::standings(comparison),
            remarks: remarks(comparison),
        }
    }
}

/// What a section holds.
fn title(basis: Basis) -> &'static str {
    match basis {
        Basis::Recorded => "Recorded rates (whole MB/s, as its scripts truncate them)",
        Basis::Recomputed => "Rates recomputed from bytes and wall time",
        Basis::Uncached => "Without files, or cache not known",
        Basis::Warm => "Warm files",
        Basis::Cold => "Cold files",
        Basis::CacheUnknown => "Files not known to be cached or not",
        Basis::Reported => "As reported",
    }
}

fn machines(comparison: &Comparison) -> Table {
    let mut table = Table::new("Machines", &["", "what", "cells", "not shared", "from"]);
    table.words = vec![1, 4];
    for (at, subject) in comparison.subjects.iter().enumerate() {
        let role = if at == comparison.reference { " (reference)" } else { "" };
        let files = match subject.files.as_slice() {
            [file] => file.clone(),
            files => format!("{} files", files.len()),
        };
        let unmatched = comparison.unmatched[at];
        table.rows.push(vec![
            format!("{}{role}", subject.name),
            what(subject),
            subject.cells_with_figures().to_string(),
            unmatched.to_string(),
            files,
        ]);
        let rows = || comparison.sections.iter().flat_map(|section| &section.rows);
        if !rows().any(|row| row.ratios[at].is_some()) {
            let reference = &comparison.subjects[comparison.reference].name;
            table.notes.push(format!("{} has no cell in common with {reference}", subject.name));
        }
        let of_reference = inputs(&comparison.subjects[comparison.reference]);
        let other = inputs(subject).into_iter().find(|input| !of_reference.contains(input));
        if let (Some(other), Some(one)) = (other, of_reference.first()) {
            table.notes.push(format!(
                "{}: inputs are made of {other}, those of the reference of {one}; this is other work and is not compared",
                subject.name
            ));
        }
        if subject.all_runs().any(|run| !run.complete) {
            table.notes.push(format!("{}: this run was stopped before its end", subject.name));
        }
    }
    table
}

/// What the inputs of a run are made of.
fn inputs(subject: &Subject) -> Vec<&str> {
    let inputs = subject.all_runs().flat_map(|run| &run.inputs);
    crate::tables::distinct(inputs.map(|input| input.name.as_str()))
}

fn what(subject: &Subject) -> String {
    match (&subject.run, subject.format) {
        (Some(run), _) => {
            let cores = figures::cores(run.machine.processor.cores);
            let host = run.host.as_ref().filter(|host| !subject.name.starts_with(host.as_str()));
            let host = host.map_or_else(String::new, |host| format!(", host {host}"));
            let runs = if subject.runs > 1 { format!(", {} runs", subject.runs) } else { String::new() };
            format!("{}, {cores}{host}, {}{runs}, {}", run.machine.processor.name, run.study, run.started)
        }
        (None, Some(format)) => format.name().to_owned(),
        (None, None) => NONE.to_owned(),
    }
}

/// What the figures of a subject depend on.
fn facts(subject: &Subject) -> Vec<(String, String)> {
    subject.run.as_ref().map_or_else(|| subject.facts.clone(), |run| machine(run))
}

/// The facts in which any two subjects differ, and a line of those in which none do.
fn environment(comparison: &Comparison, abreast: usize) -> Vec<Table> {
    let subjects = &comparison.subjects;
    let mut table = Table::new("Environment: what differs", &[""]);
    table.head.extend(subjects.iter().map(|subject| subject.name.clone()));
    let all: Vec<Vec<(String, String)>> = subjects.iter().map(facts).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in all.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut alike = Vec::new();
    for name in names {
        let fact = |facts: &Vec<(String, String)>| {
            facts.iter().find(|(known, _)| known == name).map(|(_, fact)| fact.clone())
        };
        let values: Vec<Option<String>> = all.iter().map(fact).collect();
        if values.iter().all(|value| *value == values[0]) {
            alike.push(format!("{name} {}", values[0].clone().unwrap_or_default()));
        } else {
            let values = values.into_iter().map(|value| value.unwrap_or_else(|| NONE.to_owned()));
            table.rows.push([name.clone()].into_iter().chain(values).collect());
        }
    }
    if let Some(held_against) = subjects[comparison.reference].bogomips {
        let ratio = |subject: &Subject| {
            subject
                .bogomips
                .map_or_else(|| NONE.to_owned(), |bogomips| format!("{:.2}", bogomips / held_against))
        };
        table
            .rows
            .push(["bogomips, ratio".to_owned()].into_iter().chain(subjects.iter().map(ratio)).collect());
        table.notes.push(
            "bogomips time an empty loop; they do not indicate the speed of digests and are shown for comparison only"
                .to_owned(),
        );
    }
    if !alike.is_empty() {
        table.notes.push(format!("the same for all: {}", alike.join(", ")));
    }
    for (subject, facts) in subjects.iter().zip(&all) {
        if facts.is_empty() {
            table.notes.push(format!("{}: its files do not describe the machine", subject.name));
        }
    }
    beside_each_other(&table, 1, 1, abreast, true)
}

/// A table cut into several, each with the first `fixed` columns and `abreast` groups of `group` others.
fn beside_each_other(table: &Table, fixed: usize, group: usize, abreast: usize, words: bool) -> Vec<Table> {
    let groups = (table.head.len() - fixed).div_ceil(group).max(1);
    let columns = |at: usize| {
        let first = fixed + at * abreast * group;
        (0..fixed).chain(first..table.head.len().min(first + abreast * group))
    };
    let tables = groups.div_ceil(abreast);
    let cut = |at: usize| {
        let of = |cells: &Vec<String>| columns(at).map(|column| cells[column].clone()).collect::<Vec<_>>();
        let head = of(&table.head);
        Table {
            title: match at {
                0 => table.title.clone(),
                at => format!("{} ({} of {tables})", table.title, at + 1),
            },
            words: if words { (1..head.len()).collect() } else { Vec::new() },
            head,
            rows: table.rows.iter().map(of).collect(),
            notes: if at + 1 == tables { table.notes.clone() } else { Vec::new() },
            details: Vec::new(),
        }
    };
    (0..tables).map(cut).collect()
}

/// What is slower beyond doubt on the same machine, or on what may be the same.
fn regressions(comparison: &Comparison) -> Vec<Table> {
    let mut tables = Vec::new();
    for (at, subject) in comparison.subjects.iter().enumerate().filter(|(at, _)| *at != comparison.reference)
    {
        let relation = comparison.relation(at);
        let rows = || comparison.sections.iter().flat_map(|section| &section.rows);
        let is_judged =
            |row: &&Row| row.is_same_work(at) && row.ratios[at].is_some_and(|ratio| ratio.interval.is_some());
        let judged = rows().filter(is_judged).count();
        if relation == Relation::OtherMachine || (relation == Relation::Unknown && judged == 0) {
            continue;
        }
        let reference = &comparison.subjects[comparison.reference].name;
        let slower = comparison.regressions(at);
        let title = format!("Slower in {} than in {reference}", subject.name);
        let mut table = Table::new(&title, &["", "times as fast", "95 % interval"]);
        for (row, ratio) in &slower {
            table.rows.push(vec![row.cell.clone(), times(ratio), interval(ratio)]);
        }
        let same = match relation {
            Relation::Unknown => "; the files do not state whether both are of one machine".to_owned(),
            _ => other_state(subject, &comparison.subjects[comparison.reference]),
        };
        table.notes.push(match slower.len() {
            0 if judged == 0 => format!(
                "no cell has the {} samples on a side that certainty requires; measure longer",
                hashlane_measure::statistics::LEAST_FOR_INTERVAL
            ),
            0 => format!("none of {} is slower beyond doubt{same}", count(judged, "cell")),
            number => format!(
                "{number} of {} slower beyond doubt: the interval is below 1{same}",
                count(judged, "cell")
            ),
        });
        tables.push(table);
    }
    tables
}

/// In what the state of one machine was another one, as the end of a sentence.
fn other_state(subject: &Subject, reference: &Subject) -> String {
    let (Some(run), Some(of_reference)) = (&subject.run, &reference.run) else { return String::new() };
    let other = run.machine.other_state(&of_reference.machine);
    if other.is_empty() { String::new() } else { format!("; the same machine, but {}", other.join(", ")) }
}

fn cells(comparison: &Comparison, section: &Section, abreast: usize) -> Vec<Table> {
    let is_pair = comparison.subjects.len() == 2;
    let mut table = if is_pair { pair(comparison, section) } else { matrix(comparison, section) };
    let any = |has: &dyn Fn(&Row, usize) -> bool| {
        section.rows.iter().any(|row| (0..row.ratios.len()).any(|at| has(row, at)))
    };
    if any(&|row, at| !row.is_same_work(at)) {
        table.notes.push(format!(
            "{OTHER_WORK} other work than in the reference ({}): these figures may differ for that reason alone, and are in no mean",
            kinds_of(section, |row| &row.other_work)
        ));
    }
    if any(&|row, at| !row.other_size[at].is_empty()) {
        table.notes.push(format!(
            "some sizes differ ({}){}; rates of these cells do not depend on the size of the file, so they are compared",
            kinds_of(section, |row| &row.other_size),
            cause_of_sizes(comparison)
        ));
    }
    if comparison.subjects.len() > 2 && any(&|row, at| at != comparison.reference && is_undecided(row, at)) {
        table.notes.push(format!("{NO_DIFFERENCE} cannot be distinguished from 1"));
    }
    if is_pair { vec![table] } else { beside_each_other(&table, 2, 2, abreast, false) }
}

/// In what work differed: the first of each kind, as an example.
fn kinds_of(section: &Section, differences: fn(&Row) -> &Vec<Vec<String>>) -> String {
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    for what in section.rows.iter().flat_map(|row| differences(row).iter().flatten()) {
        let kind = what.split(':').next().unwrap_or_default();
        if !kinds.iter().any(|(known, _)| *known == kind) {
            kinds.push((kind, what));
        }
    }
    kinds.iter().map(|(_, example)| *example).collect::<Vec<_>>().join("; ")
}

/// Why sizes differ, where that is known: `, since quick runs make files that suit the disk`.
fn cause_of_sizes(comparison: &Comparison) -> String {
    let of = |has: &dyn Fn(&Run) -> bool| {
        let subjects = comparison.subjects.iter().filter(|subject| subject.all_runs().any(has));
        subjects.map(|subject| subject.name.as_str()).collect::<Vec<_>>()
    };
    let quick = of(&|run| run.is_quick());
    let cut = of(&|run| run.warnings.iter().any(|warning| matches!(warning, Warning::SmallFiles { .. })));
    let is_some = |names: &[&str]| !names.is_empty() && names.len() < comparison.subjects.len();
    let causes = [
        is_some(&quick).then(|| format!("quick runs make smaller files, and {} is quick", quick.join(", "))),
        (!cut.is_empty())
            .then(|| format!("the files were cut to suit the disk or the time in {}", cut.join(", "))),
    ];
    let causes: Vec<_> = causes.into_iter().flatten().collect();
    if causes.is_empty() { String::new() } else { format!(": {}", causes.join("; ")) }
}

fn is_undecided(row: &Row, at: usize) -> bool {
    row.ratios[at].and_then(|ratio| ratio.interval).is_some_and(|(low, high)| low <= 1.0 && high >= 1.0)
}

/// The reference and one other, with intervals and a verdict.
fn pair(comparison: &Comparison, section: &Section) -> Table {
    let (one, other) = (comparison.reference, 1 - comparison.reference);
    let names = [one, other].map(|at| comparison.subjects[at].name.as_str());
    let head = ["", names[0], names[1], "times as fast", "95 % interval", ""];
    let mut table = Table::new(title(section.basis), &head);
    table.words = vec![head.len() - 1];
    for row in &section.rows {
        let Some(ratio) = row.ratios[other] else { continue };
        let verdict = match ratio.interval {
            _ if !row.is_same_work(other) => "≠ other work",
            Some((_, high)) if high < 1.0 => "slower",
            Some((low, _)) if low > 1.0 => "faster",
            Some(_) => "no difference seen",
            None => "cannot be told",
        };
        let figures = [one, other].map(|at| figure(section, row, at));
        let [first, second] = figures;
        table.rows.push(vec![
            row.cell.clone(),
            first,
            second,
            times(&ratio),
            interval(&ratio),
            verdict.to_owned(),
        ]);
    }
    table
}

/// All machines, a figure and a ratio each.
fn matrix(comparison: &Comparison, section: &Section) -> Table {
    let mut table = Table::new(title(section.basis), &[""]);
    let reference = comparison.reference;
    table.head.push(comparison.subjects[reference].name.clone());
    let others: Vec<usize> = (0..comparison.subjects.len()).filter(|at| *at != reference).collect();
    for &at in &others {
        table.head.extend([comparison.subjects[at].name.clone(), "times".to_owned()]);
    }
    for row in &section.rows {
        let mut line = vec![row.cell.clone(), figure(section, row, reference)];
        for &at in &others {
            let ratio = row.ratios[at].map_or_else(
                || NONE.to_owned(),
                |ratio| {
                    let work = if row.is_same_work(at) { "" } else { OTHER_WORK };
                    let undecided = if is_undecided(row, at) { NO_DIFFERENCE } else { "" };
                    format!("{work}{undecided}{}", figures::times(ratio.median))
                },
            );
            line.extend([figure(section, row, at), ratio]);
        }
        table.rows.push(line);
    }
    table
}

fn remarks(comparison: &Comparison) -> Table {
    let mut table = Table::new("Remarks", &[""]);
    let all = comparison
        .subjects
        .iter()
        .flat_map(|subject| subject.remarks.iter().map(|remark| (subject.name.as_str(), remark)));
    let mut all = Remark::said_once(all);
    let more = all.len().saturating_sub(MOST_REMARKS);
    all.truncate(MOST_REMARKS);
    if more > 0 {
        all.push(format!("and {more} more, which the JSON lists"));
    }
    table.notes = all;
    table
}

fn figure(section: &Section, row: &Row, at: usize) -> String {
    let Some(figure) = row.figures[at] else { return NONE.to_owned() };
    match section.basis {
        // No digit more than was recorded.
        Basis::Recorded => format!("{} MB/s", figure.median / 1e6),
        _ => figures::figure(figure.median, row.unit),
    }
}

fn times(ratio: &Estimate) -> String {
    figures::times(ratio.median)
}

fn interval(ratio: &Estimate) -> String {
    let text =
        ratio.interval.map(|(low, high)| format!("{} to {}", figures::times(low), figures::times(high)));
    text.unwrap_or_else(|| "too few samples".to_owned())
}

pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
