//! The schemas of what is written for programs: `--format json` of check, diff, bag, backends and of the commands about collections, and
//! `--progress json`.
//!
//! Names of verdicts and algorithms come from the tables that the lines are written by; the whole-program tests hold every
//! line that they see against these schemas.
//!
//! Invariant: a schema takes fields and words that are not listed here, as readers are to do. The tests add that there are none, so
//! that a field that somebody adds is noticed.

use hashlane_digest::{Algorithm, Saving};
use hashlane_report::collection::{schema_document, schemas};
use hashlane_report::difference_schemas;
use serde_json::{Map, Value, json};

use crate::commands::bag;
use crate::report;

/// A field: its name, what it holds, and what it means.
type Field = (&'static str, Value, &'static str);

/// The schemas, by the names of their files.
pub(crate) fn all() -> Vec<(&'static str, Value)> {
    let lines = [
        ("check", check()),
        ("audit", audit()),
        ("diff", document("hashlane diff --format json", difference_schemas())),
        ("bag", bag_lines()),
        ("backends", backends()),
        ("progress", progress()),
        ("bench-progress", bench_progress()),
    ];
    let of_collections =
        schemas().into_iter().map(|(name, lines)| (name, schema_document(title(name), lines)));
    lines.into_iter().chain(of_collections).collect()
}

/// What writes the lines about collections of a name.
fn title(name: &str) -> &'static str {
    match name {
        "catalog-change" => "A change, as hashlane catalog changes --format json writes it",
        "catalog-seal" => "A run with its seal, as hashlane catalog seals --format json writes it",
        "collection" => "A collection, as hashlane collection show and list --format json write it",
        "collection-audit" => "A line of hashlane audit --format json",
        "collection-history" => "What hashlane history --format json writes of each file",
        "collection-progress" => {
            "A line of hashlane status --follow --format json, before the last one: that is a status"
        }
        "collection-report" => "What hashlane collection report --format json writes",
        "collection-status" => "What hashlane status --format json writes",
        _ => "An event, as hashlane events --format json writes it",
    }
}

fn check() -> Value {
    let file = line(
        "hashlane-check",
        vec![
            ("path", text(), PATH),
            ("verdict", one_of(report::verdict_names()), "The verdict on it"),
            ("expected", digests(), "Listed digests, by algorithm"),
            ("computed", digests(), "Computed digests, by algorithm"),
        ],
        vec![
            ("path_b64", base64(), BYTES),
            ("expected_size_bytes", count(), "The listed size, if it and the size read are known"),
            ("read_size_bytes", count(), "The size read"),
            ("pieces", pieces(), "The comparison by pieces, if pieces are listed"),
            ("origin", origin(), "Where its bytes came from"),
            ("problem", text(), "Why it could not be read, or what changed"),
        ],
    );
    let summary = line(
        "hashlane-check",
        vec![
            ("summary", counts(report::verdict_names()), "Files by verdict"),
            ("algorithms", algorithms(), VERIFIED_BY),
            ("origin", origin(), "Where all bytes came from"),
        ],
        vec![("there", count(), "Listed names that are there, with --names-only")],
    );
    document("hashlane check --format json", vec![file, summary])
}

fn audit() -> Value {
    let names = || hashlane_audit::Verdict::OF_LISTS.into_iter().map(hashlane_audit::Verdict::name);
    let reasons = hashlane_audit::Unchecked::ALL.into_iter().map(hashlane_audit::Unchecked::name);
    let file = line(
        "hashlane-audit",
        vec![("path", text(), PATH), ("verdict", one_of(names()), "The verdict on it")],
        vec![
            ("path_b64", base64(), BYTES),
            ("reason", one_of(reasons), "Why it was not checked"),
            ("other", text(), "The other name: where it was moved or copied from, or where its content is"),
            ("other_b64", base64(), BYTES),
            ("listed", digests(), "Listed digests, by algorithm"),
            ("listed_size_bytes", count(), "The listed size"),
            ("seen", digests(), "Computed digests, by algorithm"),
            ("seen_size_bytes", count(), "The size read"),
        ],
    );
    let summary = line(
        "hashlane-audit",
        vec![
            ("summary", counts(names()), "Files by verdict"),
            ("algorithms", algorithms(), VERIFIED_BY),
            ("inputs", count(), "Files found"),
            ("known", count(), "Listed files"),
            ("conflicting", count(), "Names whose entries contradict each other"),
            ("unsearched", count(), "Directories that could not be searched"),
            ("passed", truth(), "Whether the audit passed"),
        ],
        vec![],
    );
    document("hashlane check --audit --format json", vec![file, summary])
}

fn bag_lines() -> Value {
    let file = line(
        "hashlane-bag",
        vec![("path", text(), PATH), ("verdict", one_of(bag::verdict_names()), "The verdict on it")],
        vec![
            ("path_b64", base64(), BYTES),
            ("expected", digests(), "Listed digests, by algorithm"),
            ("computed", digests(), "Computed digests, by algorithm"),
            ("problem", text(), "What is wrong"),
        ],
    );
    let conclusion = object(
        vec![
            ("check", one_of(["full", "quick"]), "The kind of check: full with digests, quick without"),
            ("bagit_version", text(), "The version of the bag"),
            ("valid", maybe("boolean"), "Whether it is valid; null if a quick check cannot decide"),
            ("passed", truth(), "Whether the check found nothing wrong"),
            ("payload_files", count(), "Files in data/"),
            ("payload_bytes", count(), "Bytes in data/"),
            ("digests_verified", truth(), "Whether digests were computed"),
        ],
        vec![],
    );
    let summary = line(
        "hashlane-bag",
        vec![
            ("summary", counts(bag::verdict_names()), "Lines by verdict"),
            ("conclusion", conclusion, "The result for the whole bag"),
        ],
        vec![],
    );
    document("hashlane bag validate --format json", vec![file, summary])
}

fn progress() -> Value {
    let state = line(
        "hashlane-progress",
        vec![
            ("elapsed_s", seconds(), "Seconds since the run began"),
            ("digested_bytes", count(), "Bytes digested so far, including those of files still being read"),
            ("total_bytes", maybe("integer"), "Total bytes to digest; null until known"),
            ("bytes_per_second", count(), "The rate over the last seconds"),
            ("remaining_s", maybe("number"), "Seconds until the end at this rate; null if unknown"),
            ("files_done", count(), "Files finished"),
            ("files_found", count(), "Files found so far"),
            ("all_found", truth(), "Whether all files have been found"),
            ("origin", origin(), "Where the bytes of finished files came from"),
        ],
        vec![],
    );
    document("--progress json of sum, check, diff, convert and bag", vec![state])
}

fn backends() -> Value {
    let way = line(
        "hashlane-backends",
        vec![
            ("algorithm", one_of(Algorithm::all().map(Algorithm::name)), "The algorithm"),
            ("backend", text(), "The implementation"),
            ("serves", text(), "The numbers of messages that it is used for; empty: none"),
        ],
        vec![
            ("lanes", count(), "Number of messages side by side; absent: one, by a library"),
            ("bytes_per_second", seconds(), "The median of all samples"),
            ("samples", count(), "Number of samples"),
            ("cycles_per_byte", seconds(), "Cycles of the time stamp counter per byte"),
        ],
    );
    let how = || one_of(Saving::ALL.into_iter().map(Saving::name));
    let saving = Algorithm::all().map(|algorithm| (algorithm.name(), how(), "When its states can be saved"));
    let states = line(
        "hashlane-backends",
        vec![("saving", object(saving.collect(), vec![]), "When states can be saved, for every algorithm")],
        vec![],
    );
    document("hashlane backends --format json", vec![way, states])
}

fn bench_progress() -> Value {
    let state = line(
        "hashlane-bench-progress",
        vec![
            ("elapsed_s", seconds(), "Seconds since the measurement began"),
            ("rounds", count(), "Rounds finished"),
            (
                "share",
                json!({ "type": "number", "minimum": 0 }),
                "The share of the measurement that is done; 1 is all of it",
            ),
            ("cell", text(), "What is being measured"),
        ],
        vec![],
    );
    document("--progress json of bench, backends and tune", vec![state])
}

const VERIFIED_BY: &str = "Algorithms by which contents were compared";
const PATH: &str = "The name; bytes that are not UTF-8 are replaced";
const BYTES: &str = "The bytes of the name in base64, if it is not UTF-8";

fn document(of: &str, lines: Vec<Value>) -> Value {
    schema_document(&format!("A line of {of}"), lines)
}

/// A line of a schema.
fn line(schema: &str, required: Vec<Field>, optional: Vec<Field>) -> Value {
    let head = vec![
        ("schema", json!({ "const": schema }), "The kind of line"),
        ("version", json!({ "const": 1 }), "The version of this schema"),
    ];
    object(head.into_iter().chain(required).collect(), optional)
}

/// An object with these fields, and perhaps with others: a later program may tell more.
fn object(required: Vec<Field>, optional: Vec<Field>) -> Value {
    let needed: Vec<_> = required.iter().map(|(name, ..)| *name).collect();
    let mut properties = Map::new();
    for (name, mut value, meaning) in required.into_iter().chain(optional) {
        value["description"] = meaning.into();
        properties.insert(name.to_owned(), value);
    }
    json!({ "type": "object", "properties": properties, "required": needed })
}

fn pieces() -> Value {
    let extent = object(
        vec![("offset_bytes", count(), "Where it begins"), ("length_bytes", count(), "How long it is")],
        vec![],
    );
    object(
        vec![
            ("listed", count(), "Listed pieces"),
            ("differing", count(), "Differing pieces"),
            ("extents", json!({ "type": "array", "items": extent }), "The parts of the file that differ"),
        ],
        vec![],
    )
}

fn algorithms() -> Value {
    let names = Algorithm::all().map(Algorithm::name);
    json!({ "type": "array", "items": one_of(names), "uniqueItems": true })
}

fn digests() -> Value {
    json!({ "$ref": "#/$defs/digests" })
}

fn origin() -> Value {
    json!({ "$ref": "#/$defs/origin" })
}

/// A number for each of these names.
fn counts(names: impl IntoIterator<Item = &'static str>) -> Value {
    let names: Vec<_> = names.into_iter().collect();
    let properties: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), count())).collect();
    json!({ "type": "object", "properties": properties, "required": names })
}

/// One of these words, or one that a later program adds.
fn one_of(names: impl IntoIterator<Item = &'static str>) -> Value {
    json!({ "anyOf": [{ "enum": names.into_iter().collect::<Vec<_>>() }, { "type": "string" }] })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn seconds() -> Value {
    json!({ "type": "number", "minimum": 0 })
}

fn maybe(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
}

fn truth() -> Value {
    json!({ "type": "boolean" })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn base64() -> Value {
    json!({ "type": "string", "contentEncoding": "base64" })
}
