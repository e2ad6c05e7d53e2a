//! What a comparison comes to: sentences, bars and a table of means, each kind of work by itself.

use std::mem::discriminant;

use hashlane_measure::statistics::LEAST_FOR_INTERVAL;
use hashlane_measure::{Basis, Comparison, Row, Section, Seen, Standing, Subject, Summary, Warning};

use super::parts::count;
use crate::charts::{Bar, Chart, Kind};
use crate::run::figures::{self, NONE, percent, percentage};
use crate::tables::Table;

/// What a mean is of: `read, warm`.
fn name_of(section: &Section, kind: &str) -> String {
    let of = match section.basis {
        Basis::Recorded => "recorded",
        Basis::Recomputed => "recomputed",
        Basis::Uncached | Basis::Reported => return kind.to_owned(),
        Basis::Warm => "warm",
        Basis::Cold => "cold",
        Basis::CacheUnknown => "cache unknown",
    };
    format!("{kind}, {of}")
}

/// What comes to what, in the order of the sections.
fn summaries(comparison: &Comparison) -> impl Iterator<Item = (&Section, &Summary)> {
    let of_section = |section| {
        let section: &Section = section;
        section.summaries.iter().map(move |summary| (section, summary))
    };
    comparison.sections.iter().flat_map(of_section)
}

/// What makes a comparison doubtful: what was wrong while its subjects were measured, each said once.
pub(super) fn doubts(comparison: &Comparison) -> Vec<String> {
    let mut doubts = Vec::new();
    for subject in &comparison.subjects {
        let mut kinds: Vec<(&Warning, usize)> = Vec::new();
        for run in subject.all_runs() {
            for warning in run.warnings.iter().filter(|warning| warning.is_doubt()) {
                let is_it = |known: &&mut (&Warning, usize)| discriminant(known.0) == discriminant(warning);
                match kinds.iter_mut().find(is_it) {
                    Some((_, runs)) => *runs += 1,
                    None => kinds.push((warning, 1)),
                }
            }
        }
        for (warning, runs) in kinds {
            let of = if subject.runs > 1 {
                format!(", {runs} of {}, the first", count(subject.runs, "run"))
            } else {
                String::new()
            };
            doubts.push(format!("{}{of}: {warning}.", subject.name));
        }
    }
    doubts
}

/// Where each machine is seen to be slower or faster than the reference, and where not; what differs most comes first.
pub(super) fn findings(comparison: &Comparison) -> Vec<String> {
    let reference = &comparison.subjects[comparison.reference];
    let mut findings = Vec::new();
    let mut is_unseen = false;
    for (at, subject) in comparison.subjects.iter().enumerate().filter(|(at, _)| *at != comparison.reference)
    {
        let standing = |(section, summary)| {
            let summary: &Summary = summary;
            let standing = summary.standings.iter().find(|standing| standing.subject == at)?;
            Some((name_of(section, &summary.kind), standing))
        };
        let mut all: Vec<(String, &Standing)> = summaries(comparison).filter_map(standing).collect();
        let apart = |standing: &Standing| standing.geometric.ln().abs();
        all.sort_by(|(_, one), (_, other)| apart(other).total_cmp(&apart(one)));
        let mut said: Vec<Seen> = Vec::new();
        for (_, standing) in &all {
            if said.contains(&standing.seen) {
                continue;
            }
            said.push(standing.seen);
            is_unseen |= standing.seen == Seen::NoDifferenceSeen;
            let of: Vec<&(String, &Standing)> =
                all.iter().filter(|(_, other)| other.seen == standing.seen).collect();
            findings.push(finding(standing.seen, &of, &subject.name, &reference.name));
        }
        findings.extend(single_cells(comparison, at, &all));
        if all.is_empty() {
            // Of more than two, each may share other cells with the reference: means are over those that all of them have.
            let name = &subject.name;
            let reference = &reference.name;
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
    let is_single = comparison.subjects.iter().any(|subject| subject.runs < Subject::LEAST_RUNS);
    if is_unseen && is_single {
        findings.push(
            "Of single runs, differences count only beyond what equal runs differ by. Smaller ones are seen over repeated runs: name a \
             directory of them instead of a file, best 7 on each side, measured in turns."
                .to_owned(),
        );
    }
    findings
}

/// Cells that are seen to differ while the mean of their kind is not.
fn single_cells(comparison: &Comparison, at: usize, of: &[(String, &Standing)]) -> Option<String> {
    /// More would not be read.
    const MOST: usize = 3;
    let is_seen = |section: &Section, row: &Row| {
        let kind = name_of(section, &row.kind);
        let seen = of.iter().find(|(name, _)| *name == kind).map(|(_, standing)| standing.seen);
        matches!(seen, Some(Seen::Slower | Seen::Faster))
    };
    let differs = |row: &&Row| {
        let interval = row.ratios[at].and_then(|ratio| ratio.interval);
        row.is_same_work(at) && interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0)
    };
    let of_section = |section| {
        let section: &Section = section;
        section.rows.iter().filter(differs).filter(move |row| !is_seen(section, row))
    };
    let mut rows: Vec<(&Row, f64)> = comparison
        .sections
        .iter()
        .flat_map(of_section)
        .filter_map(|row| Some((row, row.ratios[at]?.median)))
        .collect();
    rows.sort_by(|(_, one), (_, other)| other.ln().abs().total_cmp(&one.ln().abs()));
    let more = rows.len().saturating_sub(MOST);
    let shown: Vec<String> =
        rows.iter().take(MOST).map(|(row, ratio)| format!("`{}` at {}", row.cell, percent(*ratio))).collect();
    (!shown.is_empty()).then(|| {
        format!(
            "{}: single cells differ where the mean of their kind is not seen to: {}{}.",
            comparison.subjects[at].name,
            shown.join("; "),
            if more > 0 { format!("; and {more} more, in the tables") } else { String::new() }
        )
    })
}

/// One sentence about all kinds of work where the same is seen.
fn finding(seen: Seen, of: &[&(String, &Standing)], name: &str, reference: &str) -> String {
    let each = |say: &dyn Fn(&str, &Standing) -> String| {
        of.iter().map(|(kind, standing)| say(kind, standing)).collect::<Vec<_>>().join("; ")
    };
    let shares = |kind: &str, standing: &Standing| match standing.geometric {
        // A percentage above 200 is easily read as a difference.
        times if times >= 2.0 => format!("{kind} ({times:.1} times as fast)"),
        times => format!("{kind} at {}", percent(times)),
    };
    match seen {
        Seen::Slower => {
            format!("{name} is slower than {reference}, whose rates are 100 %: {}.", each(&shares))
        }
        Seen::Faster => {
            format!("{name} is faster than {reference}, whose rates are 100 %: {}.", each(&shares))
        }
        Seen::NoDifferenceSeen => {
            let least = |kind: &str, standing: &Standing| match standing.least {
                Some(least) => format!("{kind} ({} or more would be)", figures::least_share(least)),
                None => kind.to_owned(),
            };
            format!("{name} and {reference}: no difference seen in {}.", each(&least))
        }
        Seen::CannotBeTold => {
            let ratio = |kind: &str, standing: &Standing| {
                format!("{kind} ({}ratio {})", too_few(standing), figures::times(standing.geometric))
            };
            format!("{name} and {reference}: whether they differ cannot be told in {}.", each(&ratio))
        }
    }
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
            true => name_of(section, &summary.kind),
            false => {
                format!("{}: {}", name_of(section, &summary.kind), comparison.subjects[standing.subject].name)
            }
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
    let caption = "Geometric means of the ratios of equal work, with their 95 % intervals. Grey bars: no difference seen, or none that can be told.";
    (!bars.is_empty()).then(|| Chart::of_ratios(&title, caption.to_owned(), bars))
}

/// What it comes to, each kind of work by itself.
pub(super) fn standings(comparison: &Comparison) -> Table {
    let reference = &comparison.subjects[comparison.reference].name;
    let is_pair = comparison.subjects.len() == 2;
    let title = format!("Means of the ratios to {reference}, over equal work, for each kind of work");
    let head = [
        "",
        "machine",
        "rank",
        "geometric mean",
        "95 % interval",
        "interval over cells",
        "arithmetic mean",
        "cells",
        "",
    ];
    let mut table = Table::new(&title, &head);
    (table.words, table.details) = (vec![1, 8], vec![5, 6]);
    for (section, summary) in summaries(comparison) {
        for standing in &summary.standings {
            let is_reference = standing.subject == comparison.reference;
            if is_reference && is_pair {
                continue;
            }
            let interval = |interval: Option<(f64, f64)>| match interval.filter(|_| !is_reference) {
                Some((low, high)) => format!("{} to {}", percentage(low), percentage(high)),
                None => NONE.to_owned(),
            };
            table.rows.push(vec![
                name_of(section, &summary.kind),
                comparison.subjects[standing.subject].name.clone(),
                standing.rank.to_string(),
                percent(standing.geometric),
                interval(standing.interval),
                interval(standing.interval_over_cells),
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
                name_of(section, &summary.kind),
                count(*cells, "cell")
            ));
        }
        let takers = summary.standings.is_empty() && summary.apart.is_empty();
        if takers {
            notes.push(format!(
                "{}: no cell is the same work in all of them, so there is no mean",
                name_of(section, &summary.kind)
            ));
        }
    }
    let any = |seen: Seen| {
        let is_it = |standing: &Standing| standing.subject != comparison.reference && standing.seen == seen;
        summaries(comparison).any(|(_, summary)| summary.standings.iter().any(is_it))
    };
    if any(Seen::CannotBeTold) {
        notes.push(format!(
            "whether there is a difference cannot be told of a single cell with fewer than {LEAST_FOR_INTERVAL} samples on each side"
        ));
    }
    if any(Seen::NoDifferenceSeen) {
        notes.push(format!(
            "no difference is seen if the interval contains 100 %{}",
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
