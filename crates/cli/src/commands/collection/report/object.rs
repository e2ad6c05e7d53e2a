//! The report for programs: one JSON object, of which each finding is a line.

use hashlane_catalog::{
    Asked, Collection, IntactCopy, Late, OldPlace, OldReading, Reported, RunFigures, Standing, Which,
};
use serde_json::{Map, Value, json};

use super::super::attested::{evidence_json, insert_said};
use super::super::by::by_json;
use super::super::line::object;
use super::super::overview::in_one_sentence;
use super::super::{failed, time_json};
use super::finding::{intact_copy, restore};
use super::gather::Subject;
use super::throughput::{Ceiling, Compared};
use super::{Reporter, sink};
use crate::imports;
use crate::report::insert_name;
use crate::running::running_json;
use crate::sentence::readings_json;

/// Findings of a collection for which an intact copy is sought, in a report that has all of them.
pub(super) const MOST_SOUGHT: usize = 1_000;

pub(super) fn write(reporter: &mut Reporter<'_>) -> anyhow::Result<()> {
    let overviews = reporter.overviews()?;
    reporter.put(&format!(
        "{{\"schema\":\"hashlane-collection-report\",\"version\":1,\"at\":{},\"sentence\":{},\"collections\":[",
        time_json(reporter.now_s),
        json!(in_one_sentence(&overviews)),
    ))?;
    for (at, overview) in overviews.into_iter().enumerate() {
        let collection = overview.collection.clone();
        let subject = Value::Object(subject_object(&reporter.subject(overview)?)).to_string();
        let comma = if at > 0 { "," } else { "" };
        // Its findings come one by one, so they go in before its end.
        let open = subject.strip_suffix('}').unwrap_or(&subject);
        reporter.put(&format!("{comma}\n{open},\"findings\":["))?;
        findings(reporter, &collection)?;
        reporter.put("]}")?;
    }
    reporter.put("]}\n")
}

/// Writes all findings of a collection.
fn findings(reporter: &mut Reporter<'_>, collection: &Collection) -> anyhow::Result<()> {
    let Reporter { catalog, all, now_s, draft, .. } = reporter;
    let new_run = catalog.last_judging(collection.id).map_err(failed)?.map(|run| run.run);
    let mut written = 0;
    for (which, name) in
        [(Which::Open, "open"), (Which::Acknowledged, "acknowledged"), (Which::Recovered, "recovered")]
    {
        let asked = Asked { which, verdict: None, most: None, now_s: *now_s };
        let shown = catalog.reported(collection, asked, &mut |reported| {
            let mut finding = finding_object(&reported, name);
            finding.insert(
                "is_new".into(),
                json!(which == Which::Open && new_run == Some(reported.finding.run)),
            );
            if which != Which::Recovered && written < MOST_SOUGHT {
                let copy = intact_copy(catalog, collection, &reported, all)?;
                finding.insert(
                    "intact_copy".into(),
                    json!(copy.map(|copy| copy_object(collection, &reported, &copy))),
                );
            }
            let comma = if written > 0 { "," } else { "" };
            written += 1;
            let line = format!("{comma}\n{}", Value::Object(finding));
            draft.put(&line).map_err(sink)
        });
        shown.map_err(failed)?;
    }
    Ok(())
}

fn finding_object(reported: &Reported, standing: &str) -> Map<String, Value> {
    let finding = &reported.finding;
    let mut object = object(&reported.path, finding.verdict, &finding.seen, &reported.known);
    insert_said(&mut object, reported.said.as_ref(), &reported.known);
    object.insert("standing".into(), json!(standing));
    object.insert("since".into(), time_json(finding.since_s));
    object.insert("last_seen".into(), time_json(finding.seen_s));
    object.insert("recovered".into(), json!(finding.cleared_s.map(time_json)));
    let last = reported.last_good.map(|(at_s, kind)| json!({ "at": time_json(at_s), "from": kind.name() }));
    object.insert("last_read_good".into(), json!(last));
    let known_by = finding.known.as_ref().map(|known| {
        json!({ "by": known.by, "reason": known.reason, "at": time_json(known.at_s), "until": known.until_s.map(time_json) })
    });
    object.insert("acknowledged".into(), json!(known_by));
    object
}

fn copy_object(collection: &Collection, reported: &Reported, copy: &IntactCopy) -> Value {
    let mut object = Map::new();
    object.insert("collection".into(), json!(copy.collection.terms.name));
    insert_name(&mut object, "path", &copy.path);
    object.insert("read_good".into(), time_json(copy.read_s));
    object.insert("from".into(), json!(copy.reading.name()));
    object.insert("restore".into(), json!(restore(collection, reported, copy)));
    Value::Object(object)
}

fn subject_object(subject: &Subject) -> Map<String, Value> {
    let overview = &subject.overview;
    let terms = &overview.collection.terms;
    let mut object = Map::new();
    object.insert("name".into(), json!(terms.name));
    object.insert("group".into(), json!(terms.group));
    insert_name(&mut object, "root", terms.root.as_os_str().as_encoded_bytes());
    object.insert("state".into(), json!(overview.condition().state()));
    object.insert("running".into(), json!(overview.running.as_ref().map(running_json)));
    object.insert("policy".into(), json!(terms.policy.name()));
    object.insert("every_s".into(), json!(terms.period_s));
    object.insert("files".into(), json!(overview.total.files));
    object.insert("bytes".into(), json!(overview.total.bytes));
    object.insert("never_read".into(), json!(overview.never_read));
    object.insert("late_files".into(), json!(overview.late.files()));
    object.insert("late_is_exact".into(), json!(matches!(overview.late, Late::Exactly(_))));
    object.insert("offline_since".into(), json!(overview.collection.offline_s.map(time_json)));
    object.insert("counts".into(), counts(subject));
    object.insert("unlisted".into(), unlisted(subject));
    object.insert("oldest_readings".into(), subject.oldest.iter().map(oldest).collect());
    object.insert("from".into(), json!(if terms.habits.reads_device { "device" } else { "any" }));
    object.insert("readings".into(), overview.readings.iter().map(readings_json).collect());
    object.insert("replaced_files".into(), json!(overview.replaced));
    object.insert("needs_a_person".into(), json!(overview.needs_a_person()));
    object.insert("throughput".into(), throughput(subject.throughput.as_ref()));
    object.insert("audits".into(), subject.runs.iter().map(run).collect());
    object.insert("evidence".into(), subject.evidence.iter().map(evidence_json).collect());
    let imports = subject.imports.iter().map(|import| Value::Object(imports::object(import)));
    object.insert("imports".into(), imports.collect());
    object
}

fn counts(subject: &Subject) -> Value {
    let hashlane_catalog::Overview { standing, recovered, unlisted, .. } = &*subject.overview;
    let of = |count: fn(&Standing) -> u64| -> Map<String, Value> {
        let counted = standing.iter().filter(|standing| count(standing) > 0);
        counted
            .map(|standing| (standing.verdict.name_in_collection().to_owned(), json!(count(standing))))
            .collect()
    };
    let new: Map<String, Value> = subject
        .new
        .iter()
        .map(|(verdict, files)| (verdict.name_in_collection().to_owned(), json!(files)))
        .collect();
    json!({
        "open": of(|standing| standing.open),
        "new": new,
        "acknowledged": of(|standing| standing.acknowledged),
        "recovered": recovered,
        "unlisted": unlisted,
    })
}

fn unlisted(subject: &Subject) -> Value {
    let directories = subject.unlisted.iter().map(|directory| {
        let mut object = Map::new();
        insert_name(&mut object, "path", &directory.path);
        object.insert("since".into(), time_json(directory.since_s));
        object.insert("detail".into(), json!(directory.detail));
        Value::Object(object)
    });
    directories.collect()
}

fn oldest(reading_of: &OldReading) -> Value {
    let places = reading_of.places.iter().map(|place| {
        let mut object = Map::new();
        match place {
            OldPlace::File(path) => insert_name(&mut object, "file", path),
            OldPlace::Directory(path, _) => insert_name(&mut object, "directory", path),
        }
        object.insert("files_at_most".into(), json!(place.files()));
        Value::Object(object)
    });
    json!({
        "at": time_json(reading_of.read_s),
        "from": reading_of.reading.name(),
        "files_at_most": reading_of.files_at_most,
        "there_are_more": reading_of.is_cut,
        "places": places.collect::<Value>(),
    })
}

fn run(run: &RunFigures) -> Value {
    let counted = &run.counted;
    json!({
        "begun": time_json(run.started_s),
        "ended": run.ended_s.map(time_json),
        "request": run.request,
        "actor": run.actor,
        "outcome": run.outcome,
        "held": counted.held,
        "listed_files": counted.listed_files,
        "listed_bytes": counted.listed_bytes,
        "read_files": counted.read_files,
        "read_bytes": counted.read_bytes,
        "device_bytes": counted.device_bytes,
        "cache_bytes": counted.cache_bytes,
        "listing_ms": counted.listing_ms,
        "reading_ms": counted.reading_ms,
        "bytes_per_second": counted.bytes_per_second(),
        "by": counted.by.as_ref().map(by_json),
        "verdicts": counted.verdicts,
        "standing": run.standing,
    })
}

fn throughput(compared: Option<&Compared>) -> Value {
    let Some(compared) = compared else { return Value::Null };
    let ceiling = match &compared.ceiling {
        Ceiling::Mixed | Ceiling::Alone => Value::Null,
        Ceiling::Tuned { bytes_per_second, tuned } => {
            json!({ "bytes_per_second": bytes_per_second, "by": "tune", "at": tuned })
        }
        Ceiling::Fastest { bytes_per_second, at_s } => {
            json!({ "bytes_per_second": bytes_per_second, "by": "fastest-audit", "at": time_json(*at_s) })
        }
    };
    let from = match compared.from {
        hashlane_catalog::ReadFrom::Device => "device",
        hashlane_catalog::ReadFrom::Cache => "cache",
        hashlane_catalog::ReadFrom::Mixed => "mixed",
    };
    json!({
        "audit": time_json(compared.run.started_s),
        "bytes_per_second": compared.bytes_per_second,
        "from": from,
        "ceiling": ceiling,
        "share_of_ceiling": compared.ceiling_rate().map(|best| compared.bytes_per_second / best),
    })
}
