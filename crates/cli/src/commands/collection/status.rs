//! `hashlane status`.

use std::collections::BTreeMap;

use hashlane_catalog::{Catalog, Error, Late, Standing};
use hashlane_report::{Table, table};
use serde_json::{Map, Value, json};

use super::overview::{Overview, in_one_sentence};
use super::{ago, attested, days, failed, named, now_s, place, time, time_json};
use crate::args::{ListFormat, StatusArgs};
use crate::commands::bench::print;
use crate::outlook::Outlook;
use crate::running::running_json;
use crate::sentence::{not_over, readings_json};
use crate::status::{Ended, Status};
use crate::text;

/// What is told of a collection.
struct Row {
    overview: Overview,
    outlook: Option<Outlook>,
}

pub(super) fn run(args: &StatusArgs) -> anyhow::Result<Status> {
    let catalog = match Catalog::open_to_read(&place(&args.catalog)?) {
        // Nothing is watched: that is no answer to who asks whether all is well.
        Err(error @ Error::NoCatalog { .. }) if args.check => {
            return Err(Ended::usage(format!("{error}; {REGISTER}")));
        }
        catalog => catalog.map_err(failed)?,
    };
    let now_s = now_s();
    let rows = rows(&catalog, args, now_s)?;
    if args.check && rows.is_empty() {
        return Err(Ended::usage(format!("no collection is registered; {REGISTER}")));
    }
    let text = match args.format {
        ListFormat::Text => shown(&rows, now_s),
        ListFormat::Json if args.follow => format!("{}\n", json(&rows)),
        ListFormat::Json => format!("{:#}\n", json(&rows)),
    };
    print(&text)?;
    match (args.check, args.audited_within) {
        (false, None) => Ok(Status::OK),
        (true, _) => Ok(checked(&rows)),
        // Who asks for that alone is told that alone.
        (false, Some(_)) => Ok(seen(&rows)),
    }
}

/// The way to a collection.
const REGISTER: &str = "`hashlane collection add` registers one";

/// Whether each collection was judged within the time that was asked for.
fn seen(rows: &[Row]) -> Status {
    match rows.iter().any(|row| row.overview.is_missed()) {
        true => Status::LATE,
        false => Status::OK,
    }
}

fn rows(catalog: &Catalog, args: &StatusArgs, now_s: i64) -> anyhow::Result<Vec<Row>> {
    let row = |collection| {
        let outlook = Outlook::of(catalog, &collection, &args.cache, None, now_s).map_err(failed)?;
        let missed_after_s = args.audited_within.map(|within| within.as_secs() as i64);
        Ok(Row { overview: Overview::of(catalog, collection, now_s)?.missed_after(missed_after_s), outlook })
    };
    named(catalog, &args.names)?.into_iter().map(row).collect()
}

/// How `--check` ends.
fn checked(rows: &[Row]) -> Status {
    let mut status = seen(rows);
    for Row { overview, .. } in rows {
        for standing in overview.standing.iter().filter(|standing| standing.open > 0) {
            status |= Status::of_finding(standing.verdict);
        }
        if overview.is_in_doubt() {
            status |= Status::UNREADABLE;
        }
        if overview.is_late() || overview.is_lost_sight_of() || overview.cannot_be_kept() {
            status |= Status::LATE;
        }
    }
    // As an audit of all of them ends.
    if rows.iter().any(|row| row.overview.is_unjudged()) {
        let is_alone = status == Status::OK && rows.iter().all(|row| row.overview.is_unjudged());
        status |= if is_alone { Status::NOT_JUDGED } else { Status::UNREADABLE };
    }
    status
}

/// How a collection is in a few words, and since when it is so where that is known.
fn state(overview: &Overview) -> String {
    let since = overview.collection.offline_s.filter(|_| overview.state() == "offline");
    let since = since.map_or_else(String::new, |since_s| format!(" since {}", time(since_s)));
    let running = if overview.running.is_some() { ", running" } else { "" };
    format!("{}{since}{running}", overview.state())
}

/// What stands against a collection, and what stood against it.
fn findings(overview: &Overview) -> String {
    overview.findings_and(&[(overview.acknowledged(), "acknowledged"), (overview.recovered, "recovered")])
}

fn shown(rows: &[Row], now_s: i64) -> String {
    if rows.is_empty() {
        return "No collection is registered. `hashlane collection add` registers one.\n".to_owned();
    }
    let mut shown = Table::new(
        &sentence(rows),
        &[
            "collection",
            "state",
            "files",
            "bytes",
            "findings",
            "every",
            "oldest reading",
            "late",
            "last audit",
        ],
    );
    shown.words = vec![0, 1, 4, 5, 6, 8];
    for Row { overview, .. } in rows {
        let oldest = match overview.oldest_s {
            _ if overview.never_read > 0 => format!("{} never read", text::count(overview.never_read)),
            Some(read_s) => ago(now_s - read_s),
            None => "–".to_owned(),
        };
        shown.rows.push(vec![
            overview.name().to_owned(),
            state(overview),
            text::count(overview.total.files),
            text::decimal(overview.total.bytes as f64),
            findings(overview),
            overview.collection.terms.period_s.map_or_else(|| "–".to_owned(), days),
            oldest,
            overview.late_files(),
            overview.judging.last_s.map_or_else(|| "–".to_owned(), time),
        ]);
    }
    for Row { overview, outlook } in rows {
        let name = overview.name();
        if overview.progress == hashlane_catalog::Progress::Begun {
            let not_over = not_over(overview.total, overview.never_read);
            let going_on = match overview.running {
                Some(_) => String::new(),
                None => format!("; `{}` goes on", overview.going_on()),
            };
            shown.notes.push(format!("{name}: {not_over}{going_on}"));
        }
        let kinds = overview.kinds().filter(|_| !overview.is_of_medium());
        shown.notes.extend(kinds.map(|kinds| format!("{name}: {kinds}")));
        shown.notes.extend(overview.notes().into_iter().map(|note| format!("{name}: {note}")));
        for evidence in &overview.evidence {
            shown.notes.push(format!("{name}: {}", attested::sentence(evidence, overview.total.files)));
        }
        if let Some(outlook) = outlook.as_ref().filter(|outlook| outlook.is_bad()) {
            shown.notes.push(format!("{name}: {}", outlook.line()));
        }
    }
    let mut text = table(&shown);
    if let Some(groups) = groups(rows) {
        text += &format!("\n{}", table(&groups));
    }
    text
}

/// What the collections of each group come to, if any is in one.
fn groups(rows: &[Row]) -> Option<Table> {
    let mut groups: BTreeMap<&str, Vec<&Overview>> = BTreeMap::new();
    for Row { overview, .. } in rows.iter().filter(|row| !row.overview.collection.terms.group.is_empty()) {
        groups.entry(&overview.collection.terms.group).or_default().push(overview);
    }
    let mut shown =
        Table::new("Groups", &["group", "collections", "files", "bytes", "need a person", "late"]);
    shown.words = vec![0];
    for (group, overviews) in &groups {
        let sum = |of: fn(&Overview) -> u64| overviews.iter().map(|overview| of(overview)).sum::<u64>();
        shown.rows.push(vec![
            text::name(group.as_bytes()),
            text::count(overviews.len() as u64),
            text::count(sum(|overview| overview.total.files)),
            text::decimal(sum(|overview| overview.total.bytes) as f64),
            text::count(sum(|overview| u64::from(overview.needs_a_person()))),
            text::count(sum(|overview| overview.late.files())),
        ]);
    }
    (!groups.is_empty()).then_some(shown)
}

/// How everything is.
fn sentence(rows: &[Row]) -> String {
    in_one_sentence(rows.iter().map(|row| &row.overview))
}

fn json(rows: &[Row]) -> Value {
    let collections = rows.iter().map(|Row { overview, outlook }| {
        let (terms, last) = (&overview.collection.terms, overview.last.as_ref());
        let counts = |of: fn(&Standing) -> u64| -> Map<String, Value> {
            let standing = overview.standing.iter().filter(|standing| of(standing) > 0);
            standing
                .map(|standing| (standing.verdict.name_in_collection().to_owned(), json!(of(standing))))
                .collect()
        };
        json!({
            "name": terms.name,
            "group": terms.group,
            "tags": terms.tags,
            "state": overview.condition().state(),
            "offline_since": overview.collection.offline_s.map(time_json),
            "running": overview.running.as_ref().map(running_json),
            "policy": terms.policy.name(),
            "files": overview.total.files,
            "bytes": overview.total.bytes,
            "never_read": overview.never_read,
            "replaced_files": overview.replaced,
            "changed_metadata_files": overview.changed_metadata,
            "ignored_findings": overview.ignored_findings,
            "pending_files": overview.pending.waiting,
            "not_accepted_files": overview.pending.refused,
            "every_s": terms.period_s,
            "oldest_reading": overview.oldest_s.map(time_json),
            "late_files": overview.late.files(),
            "late_is_exact": matches!(overview.late, Late::Exactly(_)),
            "is_late": overview.is_late(),
            "findings": counts(|standing| standing.open),
            "acknowledged": counts(|standing| standing.acknowledged),
            "recovered": overview.recovered,
            "forecast": outlook.as_ref().and_then(Outlook::json),
            "outlook": outlook.as_ref().map(Outlook::bytes_json),
            "is_default_every": terms.habits.is_usual_period,
            "removable": terms.habits.is_removable,
            "from": if terms.habits.reads_device { "device" } else { "any" },
            "readings": overview.readings.iter().map(readings_json).collect::<Value>(),
            "needs_a_person": overview.needs_a_person(),
            "told": overview.told().name(),
            "heartbeat": overview.told().heartbeat().name(),
            "last_judged": overview.judging.last_s.map(time_json),
            "silent_from": time_json(overview.judging.silent_from_s),
            "unlisted": overview.unlisted,
            "evidence": overview.evidence.iter().map(attested::evidence_json).collect::<Value>(),
            "last_audit": last.map(|last| time_json(last.started_s)),
            "last_outcome": overview.last_outcome(),
        })
    });
    json!({ "schema": "hashlane-collection-status", "version": 1, "sentence": sentence(rows), "collections": Value::from_iter(collections) })
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Command};

    #[test]
    fn a_collection_is_judged_the_same_before_and_after_its_catalogue_is_brought_up_to_date() {
        for version in 1..=hashlane_catalog::LATEST {
            let file = format!("../../tests/fixtures/catalogues/version-{version}.sqlite");
            let directory = tempfile::tempdir().expect("a directory");
            let copy = directory.path().join("catalog.sqlite");
            std::fs::copy(file, &copy).expect("each version has a fixture");
            let Command::Status(args) = Cli::parse_from(["hashlane", "status", "--check"]).command else {
                unreachable!("that is what was asked for")
            };
            // From the end of the story on, until every promise of it is broken.
            let days = [0, 1, 6, 8, 29, 31, 400];
            let told = |catalog: &Catalog| {
                let runs = catalog.collections().expect("readable").into_iter();
                let runs = runs.flat_map(|of| catalog.last_runs(of.id, 1).expect("readable"));
                let last_s = runs.map(|run| run.started_s).max().expect("something has run");
                days.map(|day| {
                    let now_s = last_s + day * 86_400 + 60;
                    let rows = rows(catalog, &args, now_s).expect("readable");
                    (checked(&rows), shown(&rows, now_s), json(&rows).to_string())
                })
            };
            let before = told(&Catalog::open_to_read(&copy).expect("it can be read"));
            let after = told(&Catalog::open(&copy).expect("brought up to date"));
            assert_eq!(before, after, "version {version}");
            // The story leaves something of each kind, so the code says all from its first day on; the text tells the days apart.
            assert!(before.iter().all(|(status, ..)| *status != Status::OK), "version {version}");
            assert_ne!(before[0].1, before[6].1, "version {version}");
        }
    }
}
