//! The schemas of the lines that are written for programs: `--format json` of check, audit, diff,
//! bag and backends, and `--progress json`.
//!
//! Names of verdicts and algorithms come from the tables that the lines are written by; the whole-program tests hold every
//! line that they see against these schemas. Each takes what is listed here and nothing else, so that a field that somebody adds
//! is noticed.

use hashlane_digest::{Algorithm, Saving};
use serde_json::{Map, Value, json};

use crate::commands::bag;
use crate::report;

/// A field: its name, what it holds, and what it means.
type Field = (&'static str, Value, &'static str);

/// The schemas, by the names of their files.
pub(crate) fn all() -> [(&'static str, Value); 7] {
    [
        ("check", check()),
        ("audit", audit()),
        ("diff", diff()),
        ("bag", bag_lines()),
        ("backends", backends()),
        ("progress", progress()),
        ("bench-progress", bench_progress()),
    ]
}

fn check() -> Value {
    let file = line(
        "hashlane-check",
        vec![
            ("path", text(), PATH),
            ("verdict", one_of(report::verdict_names()), "What became of it"),
            ("expected", digests(), "Digests that are listed, by algorithm"),
            ("computed", digests(), "Digests of what was read"),
        ],
        vec![
            ("path_b64", base64(), BYTES),
            ("expected_size_bytes", count(), "The listed size, where it and the one that was read are known"),
            ("read_size_bytes", count(), "The size that was read"),
            ("pieces", pieces(), "Of a file whose pieces are listed"),
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
        vec![],
    );
    document("hashlane check --format json", vec![file, summary])
}

fn audit() -> Value {
    let names = || hashlane_audit::Verdict::ALL.into_iter().map(hashlane_audit::Verdict::name);
    let reasons = hashlane_audit::Unchecked::ALL.into_iter().map(hashlane_audit::Unchecked::name);
    let file = line(
        "hashlane-audit",
        vec![("path", text(), PATH), ("verdict", one_of(names()), "What became of it")],
        vec![
            ("path_b64", base64(), BYTES),
            ("reason", one_of(reasons), "Why it was not checked"),
            ("other", text(), "The other name: where it was moved or copied from, or where its content is"),
            ("other_b64", base64(), BYTES),
            ("listed", digests(), "Digests that are listed, by algorithm"),
            ("listed_size_bytes", count(), "The listed size"),
            ("seen", digests(), "Digests of what was read"),
            ("seen_size_bytes", count(), "The size of what was read"),
        ],
    );
    let summary = line(
        "hashlane-audit",
        vec![
            ("summary", counts(names()), "Files by verdict"),
            ("algorithms", algorithms(), VERIFIED_BY),
            ("inputs", count(), "Files that are there"),
            ("known", count(), "Files that are listed"),
            ("conflicting", count(), "Names whose entries contradict each other"),
            ("unsearched", count(), "Directories that could not be searched"),
            ("passed", truth(), "Whether the audit passed"),
        ],
        vec![],
    );
    document("hashlane check --audit --format json", vec![file, summary])
}

fn diff() -> Value {
    let names =
        || hashlane_audit::diff::Difference::ALL.into_iter().map(hashlane_audit::diff::Difference::name);
    let file = line(
        "hashlane-diff",
        vec![("path", text(), PATH), ("difference", one_of(names()), "How A and B differ in it")],
        vec![
            ("path_b64", base64(), BYTES),
            ("a", digests(), "Digests that A has, by algorithm"),
            ("a_size_bytes", count(), "The size that A has"),
            ("a_lists", text(), "How A contradicts itself"),
            ("b", digests(), "Digests that B has, by algorithm"),
            ("b_size_bytes", count(), "The size that B has"),
            ("b_lists", text(), "How B contradicts itself"),
        ],
    );
    let side = || {
        object(
            vec![
                ("rows", count(), "Rows that were read"),
                ("names", count(), "Different names"),
                ("repeated", count(), "Rows that repeat another"),
                ("merged", count(), "Rows that add to another"),
                ("conflicting", count(), "Rows that contradict another"),
                ("unsearched", count(), "Directories that could not be searched"),
            ],
            vec![],
        )
    };
    let summary = line(
        "hashlane-diff",
        vec![
            ("summary", counts(names()), "Names by difference"),
            ("names", count(), "Names on either side"),
            ("on_both", count(), "Names on both sides"),
            ("a", side(), "What A has"),
            ("b", side(), "What B has"),
            ("same", truth(), "Whether nothing differs"),
        ],
        vec![],
    );
    document("hashlane diff --format json", vec![file, summary])
}

fn bag_lines() -> Value {
    let file = line(
        "hashlane-bag",
        vec![("path", text(), PATH), ("verdict", one_of(bag::verdict_names()), "What became of it")],
        vec![
            ("path_b64", base64(), BYTES),
            ("expected", digests(), "Digests that are listed, by algorithm"),
            ("computed", digests(), "Digests of what was read"),
            ("problem", text(), "What is wrong"),
        ],
    );
    let conclusion = object(
        vec![
            ("check", one_of(["full", "quick"]), "Whether digests were to be computed"),
            ("bagit_version", text(), "The version of the bag"),
            ("valid", maybe("boolean"), "Whether it is valid; null where a quick check cannot know"),
            ("passed", truth(), "Whether nothing is wrong as far as was looked"),
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
            ("conclusion", conclusion, "What the whole amounts to"),
        ],
        vec![],
    );
    document("hashlane bag validate --format json", vec![file, summary])
}

fn progress() -> Value {
    let state = line(
        "hashlane-progress",
        vec![
            ("elapsed_s", seconds(), "Since the run began"),
            ("digested_bytes", count(), "Bytes digested so far, those of files that are being read too"),
            ("total_bytes", maybe("integer"), "Bytes that there are to digest; null until that is known"),
            ("bytes_per_second", count(), "The rate of the last seconds"),
            ("remaining_s", maybe("number"), "Until the end, at this rate; null if that cannot be told"),
            ("files_done", count(), "Files that are done"),
            ("files_found", count(), "Files that were found so far"),
            ("all_found", truth(), "Whether all files were found"),
            ("origin", origin(), "Where the bytes of the files that are done came from"),
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
            ("backend", text(), "What computes it"),
            ("serves", text(), "The numbers of messages that it serves; empty: none"),
        ],
        vec![
            ("lanes", count(), "Messages side by side; absent: one, by a library"),
            ("bytes_per_second", seconds(), "The median of all samples"),
            ("samples", count(), "How many samples there were"),
            ("cycles_per_byte", seconds(), "Cycles of the time stamp counter"),
        ],
    );
    let how = || one_of(Saving::ALL.into_iter().map(Saving::name));
    let saving = Algorithm::all().map(|algorithm| (algorithm.name(), how(), "How its states can be saved"));
    let states = line(
        "hashlane-backends",
        vec![(
            "saving",
            object(saving.collect(), vec![]),
            "Of every algorithm, how far its states can be saved",
        )],
        vec![],
    );
    document("hashlane backends --format json", vec![way, states])
}

fn bench_progress() -> Value {
    let state = line(
        "hashlane-bench-progress",
        vec![
            ("elapsed_s", seconds(), "Since the measurement began"),
            ("rounds", count(), "Rounds that are done"),
            (
                "share",
                json!({ "type": "number", "minimum": 0 }),
                "How much of the measurement is done, 1 being all",
            ),
            ("cell", text(), "What is measured"),
        ],
        vec![],
    );
    document("--progress json of bench, backends and tune", vec![state])
}

const VERIFIED_BY: &str = "Algorithms by which contents were compared";
const PATH: &str = "The name; what of it is not UTF-8 is replaced";
const BYTES: &str = "The bytes of the name, where they are not UTF-8";

fn document(of: &str, lines: Vec<Value>) -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("A line of {of}"),
        "oneOf": lines,
        "$defs": { "digests": by_algorithm(), "origin": origins() },
    })
}

/// A line of a schema.
fn line(schema: &str, required: Vec<Field>, optional: Vec<Field>) -> Value {
    let head = vec![
        ("schema", json!({ "const": schema }), "What the line is of"),
        ("version", json!({ "const": 1 }), "The version of this schema"),
    ];
    object(head.into_iter().chain(required).collect(), optional)
}

/// An object with these fields and no others.
fn object(required: Vec<Field>, optional: Vec<Field>) -> Value {
    let needed: Vec<_> = required.iter().map(|(name, ..)| *name).collect();
    let mut properties = Map::new();
    for (name, mut value, meaning) in required.into_iter().chain(optional) {
        value["description"] = meaning.into();
        properties.insert(name.to_owned(), value);
    }
    json!({ "type": "object", "properties": properties, "required": needed, "additionalProperties": false })
}

fn pieces() -> Value {
    let extent = object(
        vec![("offset_bytes", count(), "Where it begins"), ("length_bytes", count(), "How long it is")],
        vec![],
    );
    object(
        vec![
            ("listed", count(), "Pieces that are listed"),
            ("differing", count(), "Pieces that differ"),
            ("extents", json!({ "type": "array", "items": extent }), "What of the file differs"),
        ],
        vec![],
    )
}

fn origins() -> Value {
    object(
        vec![
            ("device_bytes", count(), "Bytes that a device brought"),
            ("cache_bytes", count(), "Bytes from the page cache"),
            ("unknown_bytes", count(), "Bytes of which it cannot be told"),
        ],
        vec![],
    )
}

fn by_algorithm() -> Value {
    let hex = |algorithm: Algorithm| {
        let pattern = format!("^[0-9a-f]{{{}}}$", 2 * algorithm.length());
        (algorithm.name().to_owned(), json!({ "type": "string", "pattern": pattern }))
    };
    let properties: Map<String, Value> = Algorithm::all().map(hex).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
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
    json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false })
}

fn one_of(names: impl IntoIterator<Item = &'static str>) -> Value {
    json!({ "enum": names.into_iter().collect::<Vec<_>>() })
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
