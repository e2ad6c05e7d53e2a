//! What is written about collections for programs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hashlane_catalog::{Cause, Compared, Policy, ReadingKind, Verdict};
use hashlane_keeper::Condition;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::json::*;

mod audit;
mod changes;
mod finding;
mod history;
mod messages;
mod news;
mod report;
mod status;
mod terms;

pub use audit::{ImportedReport, audit_event_json, audit_json, not_begun_json};
pub(super) use changes::{Change, Event, Sealed};
pub(super) use history::History;
pub(super) use messages::Message;
pub(super) use news::News;
pub(super) use report::{Finding, OfReport};
pub(super) use status::{Progress, Status};
pub use terms::collection_json;

use report::Report;
use terms::Collection;

/// The schemas of what is written about collections: of each kind its name, and its lines.
pub(crate) fn schemas() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        ("catalog-change", vec![Change::schema()]),
        ("catalog-seal", vec![Sealed::schema()]),
        ("collection", vec![Collection::schema()]),
        ("collection-audit", audit::lines()),
        ("collection-history", vec![History::schema()]),
        ("collection-progress", vec![Progress::schema()]),
        ("collection-report", vec![Report::schema()]),
        ("collection-status", vec![Status::schema()]),
        ("event", vec![Event::schema()]),
        ("message", vec![Message::schema()]),
        ("news", vec![News::schema()]),
    ]
}

/// A number for each of these words that counts something.
fn counted(words: impl IntoIterator<Item = &'static str>) -> Schema {
    let count = json!({ "type": "integer", "minimum": 0, "description": "Files" });
    let properties: Map<_, _> = words.into_iter().map(|word| (word.to_owned(), count.clone())).collect();
    json_schema!({ "type": "object", "properties": properties, "required": [] })
}

schema_fns! {
    hex => json_schema!({ "type": "string", "pattern": "^[0-9a-f]*$" });
    maybe_hex => json_schema!({ "type": ["string", "null"], "pattern": "^[0-9a-f]*$" });
    hexes => json_schema!({ "type": "array", "items": { "type": "string", "pattern": "^[0-9a-f]*$" } });
    root_hash => json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$" });
    identity => json_schema!({ "type": "string", "pattern": "^[0-9a-f]{32}$" });
    known_time => json_schema!({ "type": "string", "pattern": TIME });
    share => json_schema!({ "type": "number", "minimum": 0, "maximum": 1 });
    maybe_share => or_null(json_schema!({ "type": "number", "minimum": 0, "maximum": 1 }));
    verdicts => one_of(Verdict::OF_COLLECTIONS.map(Verdict::name_in_collection));
    by_verdict => counted(Verdict::OF_COLLECTIONS.map(Verdict::name_in_collection));
    causes => one_of(Cause::ALL.map(Cause::name));
    policies => one_of(Policy::ALL.map(Policy::name));
    promise_kinds => one_of(["device", "any"]);
    comparisons => one_of(Compared::ALL.map(Compared::name));
    by_comparison => counted(Compared::ALL.map(Compared::name));
    kinds_of_evidence => one_of(["computed", "stated"]);
    measured_by => one_of(["audits", "tune"]);
    maybe_measured_by => or_null(one_of(["audits", "tune"]));
    kinds_of_readings => one_of(ReadingKind::ALL.map(ReadingKind::name));
    /// Where the bytes of a reading came from that was one.
    readings => one_of(readings_of_bytes());
    maybe_readings => or_null(one_of(readings_of_bytes()));
    /// How a collection is. What is away is offline.
    states => {
        let mut states = Condition::ALL.map(Condition::state).to_vec();
        let mut met = std::collections::BTreeSet::new();
        states.retain(|state| met.insert(*state));
        one_of(states)
    };
}

fn readings_of_bytes() -> impl Iterator<Item = &'static str> {
    ReadingKind::ALL.into_iter().filter(|kind| *kind != ReadingKind::Replaced).map(ReadingKind::name)
}

/// Numbers by names.
pub(super) type Counts = BTreeMap<Cow<'static, str>, u64>;

/// How many findings there are of each verdict, without verdicts that have none.
pub(super) fn by_verdict_of(counts: impl IntoIterator<Item = (Verdict, u64)>) -> Counts {
    let some = counts.into_iter().filter(|(_, files)| *files > 0);
    some.map(|(verdict, files)| (verdict.name_in_collection().into(), files)).collect()
}

names! {
    Root { root, root_b64 } "The root of its tree; bytes that are not UTF-8 are replaced"
    Other { other, other_b64 } "The other file of a move or a copy"
    OldFile { file, file_b64 } "Its path; bytes that are not UTF-8 are replaced"
    OldDirectory { directory, directory_b64 } "Its path; bytes that are not UTF-8 are replaced"
}
