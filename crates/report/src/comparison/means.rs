//! What a comparison comes to: sentences, bars and a table of means, each kind of work by itself.

use hashlane_measure::statistics::LEAST_FOR_INTERVAL;
use hashlane_measure::{Basis, Comparison, Section, Seen, Standing, Summary};

use super::parts::count;
use crate::charts::{Bar, Chart, Kind};
use crate::figures::NONE;
use crate::tables::Table;

/// What a mean is of: `read, warm`.
fn name_of(section: &Section, summary: &Summary) -> String {
    let of = match section.basis {
        Basis::Recorded => "recorded",
        Basis::Recomputed => "recomputed",
        Basis::Uncached | Basis::Reported => return summary.kind.clone(),
        Basis::Warm => "warm",
        Basis::Cold => "cold",
        Basis::CacheUnknown => "cache unknown",
    };
    format!("{}, {of}", summary.kind)
}

/// What comes to what, in the order of the sections.
fn summaries(comparison: &Comparison) -> impl Iterator<Item = (&Section, &Summary)> {
    let of_section = |section| {
        let section: &Section = section;
        section.summaries.iter().map(move |summary| (section, summary))
    };
    comparison.sections.iter().flat_map(of_section)
}

/// Where each machine is seen to be slower or faster than the reference, and where not.
pub(super) fn findings(comparison: &Comparison) -> Vec<String> {
    let reference = &comparison.subjects[comparison.reference].name;
    let mut findings = Vec::new();
    for (at, subject) in comparison.subjects.iter().enumerate().filter(|(at, _)| *at != comparison.reference)
    {
        let standing = |(section, summary)| {
            let summary: &Summary = summary;
            let standing = summary.standings.iter().find(|standing| standing.subject == at)?;
            Some((name_of(section, summary), standing))
        };
        let all: Vec<(String, &Standing)> = summaries(comparison).filter_map(standing).collect();
        let of = |seen| all.iter().filter(move |(_, standing)| standing.seen == seen);
        let name = &subject.name;
        for (seen, what) in [(Seen::Slower, "slower"), (Seen::Faster, "faster")] {
            let shares: Vec<_> = of(seen)
                .map(|(kind, standing)| format!("{kind} at {}", percent(standing.geometric)))
                .collect();
            if !shares.is_empty() {
                findings.push(format!(
                    "{name} is {what} than {reference}, whose rates are 100 %: {}.",
                    shares.join("; ")
                ));
            }
        }
        let alike: Vec<_> = of(Seen::NoDifferenceSeen).map(|(kind, _)| kind.as_str()).collect();
        if !alike.is_empty() {
            findings.push(format!("{name} and {reference}: no difference seen in {}.", alike.join("; ")));
        }
        let untold: Vec<_> = of(Seen::CannotBeTold)
            .map(|(kind, standing)| format!("{kind} ({}ratio {:.3})", too_few(standing), standing.geometric))
            .collect();
        if !untold.is_empty() {
            let untold = untold.join("; ");
            findings.push(format!("{name} and {reference}: whether they differ cannot be told in {untold}."));
        }
        if all.is_empty() {
            // Of more than two, each may share other cells with the reference: means are over those that all of them have.
            let mut rows = comparison.sections.iter().flat_map(|section| &section.rows);
            findings.push(match rows.any(|row| row.is_equal_work(at)) {
                true => format!(
                    "{name} and {reference}: no cell is the same work in all of them, so there is no mean."
                ),
                false => {
                    format!(
                        "{name} has no cell of the same work as {reference}, so there is no mean of both."
                    )
                }
            });
        }
    }
    findings
}

/// How many samples there are, where those are too few.
fn too_few(standing: &Standing) -> String {
    match standing.too_few {
        Some((1, 1)) => "one sample each, ".to_owned(),
        Some((one, other)) if one == other => format!("{one} samples each, "),
        Some((one, other)) => format!("{other} and {}, ", count(one, "sample")),
        None => String::new(),
    }
}

/// A bar for each mean that is not of the reference, all on one scale.
pub(super) fn chart(comparison: &Comparison) -> Option<Chart> {
    let is_pair = comparison.subjects.len() == 2;
    let bar = |section: &Section, summary: &Summary, standing: &Standing| Bar {
        name: match is_pair {
            true => name_of(section, summary),
            false => format!("{}: {}", name_of(section, summary), comparison.subjects[standing.subject].name),
        },
        value: standing.geometric,
        interval: standing.interval,
        shown: percent(standing.geometric),
        kind: match standing.seen {
            Seen::Slower | Seen::Faster => Kind::Machine,
            Seen::NoDifferenceSeen | Seen::CannotBeTold => Kind::Undecided,
        },
        mark: None,
        parts: Vec::new(),
    };
    let is_other = |standing: &&Standing| standing.subject != comparison.reference;
    let bars: Vec<Bar> = summaries(comparison)
        .flat_map(|(section, summary)| {
            let standings = summary.standings.iter().filter(is_other);
            standings.map(move |standing| bar(section, summary, standing))
        })
        .collect();
    let reference = &comparison.subjects[comparison.reference].name;
    let title = match is_pair {
        true => format!("{} compared with {reference}", comparison.subjects[1 - comparison.reference].name),
        false => format!("Compared with {reference}"),
    };
    let caption = "Geometric means of the ratios of equal work, with their 95 % intervals over cells. Grey bars: no difference seen, or none that can be told.";
    (!bars.is_empty()).then(|| Chart::of_ratios(&title, caption.to_owned(), bars))
}

/// What it comes to, each kind of work by itself.
pub(super) fn standings(comparison: &Comparison) -> Table {
    let reference = &comparison.subjects[comparison.reference].name;
    let is_pair = comparison.subjects.len() == 2;
    let title = format!("Means of the ratios to {reference}, over equal work, for each kind of work");
    let head =
        ["", "machine", "rank", "geometric mean", "95 % interval over cells", "arithmetic mean", "cells", ""];
    let mut table = Table::new(&title, &head);
    (table.words, table.details) = (vec![1, 7], vec![5]);
    for (section, summary) in summaries(comparison) {
        for standing in &summary.standings {
            let is_reference = standing.subject == comparison.reference;
            if is_reference && is_pair {
                continue;
            }
            let interval = standing.interval.filter(|_| !is_reference);
            table.rows.push(vec![
                name_of(section, summary),
                comparison.subjects[standing.subject].name.clone(),
                standing.rank.to_string(),
                percent(standing.geometric),
                interval.map_or_else(
                    || NONE.to_owned(),
                    |(low, high)| format!("{:.2} to {:.2}", low * 100.0, high * 100.0),
                ),
                percent(standing.arithmetic),
                match summary.shared {
                    shared if shared == summary.cells => shared.to_string(),
                    shared => format!("{} of {shared}", summary.cells),
                },
                match standing.seen {
                    _ if is_reference => "reference",
                    Seen::Slower => "slower",
                    Seen::NoDifferenceSeen => "no difference seen",
                    Seen::CannotBeTold => "cannot be told",
                    Seen::Faster => "faster",
                }
                .to_owned(),
            ]);
        }
    }
    table.notes = notes_on_means(comparison, is_pair);
    if is_pair {
        // The title says whose they are, and two that differ rank as the last column says.
        [2, 1].into_iter().for_each(|column| table.remove(column));
        table.title =
            format!("Means of the ratios of {} to {reference}, over equal work, for each kind of work", {
                &comparison.subjects[1 - comparison.reference].name
            });
    }
    table
}

/// What is in no mean, and why.
fn notes_on_means(comparison: &Comparison, is_pair: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let left_out: usize = summaries(comparison).map(|(_, summary)| summary.shared - summary.cells).sum();
    if left_out > 0 {
        let shared: usize = summaries(comparison).map(|(_, summary)| summary.shared).sum();
        notes.push(format!(
            "{left_out} of {} are in no mean: other work, or not in all of them",
            count(shared, "shared cell")
        ));
    }
    for (section, summary) in summaries(comparison) {
        for (subject, cells) in &summary.apart {
            let name = &comparison.subjects[*subject].name;
            notes.push(format!(
                "{name}, {}: none of {} is the same work as in the reference, so it has no mean",
                name_of(section, summary),
                count(*cells, "cell")
            ));
        }
        let takers = summary.standings.is_empty() && summary.apart.is_empty();
        if takers {
            notes.push(format!(
                "{}: no cell is the same work in all of them, so there is no mean",
                name_of(section, summary)
            ));
        }
    }
    let any = |seen: Seen| {
        let is_it = |standing: &Standing| standing.subject != comparison.reference && standing.seen == seen;
        summaries(comparison).any(|(_, summary)| summary.standings.iter().any(is_it))
    };
    if any(Seen::CannotBeTold) {
        notes.push(format!(
            "whether there is a difference cannot be told of a single cell with fewer than {LEAST_FOR_INTERVAL} samples on a side"
        ));
    }
    if any(Seen::NoDifferenceSeen) {
        notes.push(format!(
            "no difference is seen if the interval contains 100 %; for a single cell, the interval of that cell{}",
            if is_pair { "" } else { "; machines without a seen difference share a rank" }
        ));
    }
    for section in &comparison.sections {
        let of = |at: usize| {
            let (arithmetic, geometric) =
                section.as_sysperf_averages(at).filter(|_| at != comparison.reference)?;
            let name = &comparison.subjects[at].name;
            Some(format!("{name} {} ({})", percent(geometric), percent(arithmetic)))
        };
        let all: Vec<_> = (0..comparison.subjects.len()).filter_map(of).collect();
        if section.summaries.len() > 1 && !all.is_empty() {
            notes.push(format!(
                "sysperf's own tables average digest programs and dd together; to compare with them: geometric mean \
                 (arithmetic), {}: {}",
                if section.basis == Basis::Recorded { "recorded" } else { "recomputed" },
                all.join(", ")
            ));
        }
    }
    notes
}

/// A ratio as a percentage with two digits behind the point: others quote it so.
fn percent(ratio: f64) -> String {
    format!("{:.2} %", ratio * 100.0)
}
