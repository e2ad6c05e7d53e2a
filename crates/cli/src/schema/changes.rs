//! The schemas of what was changed, and of what happened.

use hashlane_catalog::{EventKind, Way};
use serde_json::{Value, json};

use super::collections::{list, maybe_time, or_null, written};
use super::{Field, PATH, base64, count, line, maybe, object, one_of, text, truth};

/// What `hashlane catalog changes` writes.
pub(super) fn changed() -> Value {
    let texts = || list(text());
    let terms = || {
        let of_terms = vec![
            ("name", text(), "What it is called"),
            ("group", text(), "Its group"),
            ("root", text(), "Where its tree lies"),
            ("algorithms", texts(), "By which its files are known"),
            ("period_s", count(), "Seconds within which each byte is read again"),
            ("policy", text(), "What new and changed files mean"),
            ("policies", list(texts()), "The same of parts of it: globs, each with its policy"),
            ("include", texts(), "Only these belong to it"),
            ("exclude", texts(), "These do not"),
            ("append_only", texts(), "These may grow"),
            ("one_file_system", truth(), "Whether other file systems are left out"),
            ("tags", texts(), "What else it is called"),
            ("hold_files", count(), "It is held beyond so many files"),
            ("hold_percent", json!({ "type": "number" }), "And beyond such a share"),
            ("marker", text(), "By which its tree is known again"),
            ("endpoint", text(), "Of its store: the URL"),
            ("region", text(), "Of its store: the region"),
            ("anonymous", truth(), "Of its store: whether requests are not signed"),
            ("requester_pays", truth(), "Of its store: whether who asks pays"),
            ("is_removable", truth(), "Whether its place may be away"),
            ("may_be_empty", truth(), "Whether its tree may be empty"),
            ("reads_device", truth(), "Whether its promise is kept by readings of the device alone"),
            ("minds_silence", truth(), "Whether it alarms when nothing is heard of it"),
            ("is_usual_period", truth(), "Whether its promise is the default"),
            ("says_hold_percent", truth(), "Whether somebody has said from which share on it is held"),
            ("files", count(), "Files that it is about"),
            ("bytes", count(), "Their bytes"),
            ("until", maybe_time(), "Until when that is known"),
            ("registered", count(), "Files that an import has registered"),
            ("matched", count(), "Files that were known with the same content"),
            ("differing", count(), "Files that were known with another content"),
            ("not_found", count(), "Files that the tree does not have"),
            ("not_listed", count(), "Known files that are in no list"),
            ("version", count(), "The version of the catalogue"),
            ("file", text(), "The copy that was made of the catalogue, or that was restored"),
            ("occasion", text(), "Why a copy was made: weekly"),
            ("backup", text(), "The copy that was made before the catalogue was brought to that version"),
            ("aside", text(), "The copy of what the catalogue held before"),
        ];
        object(vec![], of_terms)
    };
    let required = vec![
        ("number", count(), "The number of the change: later ones have higher numbers"),
        ("at", maybe_time(), "When it was made"),
        ("collection", text(), "What the collection was called then; empty where it is about the catalogue"),
        ("actor", text(), "Who made it"),
        ("uid", or_null(count()), "The number of that user"),
        ("way", one_of(Way::ALL.map(Way::name)), "By what way"),
        (
            "what",
            text(),
            "What was done: added, set, renamed, relocated, removed, restored, purged, accepted, acknowledged, backup, migrated and others",
        ),
        ("before", terms(), "What differs, as it was"),
        ("after", terms(), "What differs, as it is since"),
        ("reason", text(), "Why; empty if that was not said"),
    ];
    let change = line("hashlane-catalog-change", required, vec![]);
    written("A change, as hashlane catalog changes --format json writes it", vec![change])
}

/// What `hashlane events` writes.
pub(super) fn event() -> Value {
    let required = vec![
        (
            "number",
            count(),
            "The number of the event, which no other one ever has: later ones have higher numbers",
        ),
        ("at", maybe_time(), "When it happened"),
        ("kind", one_of(EventKind::ALL.map(EventKind::name)), "What kind of thing it is"),
        ("collection", text(), "What the collection is called; empty where it is about the catalogue"),
        ("actor", text(), "Who did it, or asked for the run that found it"),
        ("run", or_null(count()), "The number of the run"),
        (
            "what",
            text(),
            "What happened: a verdict, what was decided or changed, how a run ended, or whether something has begun or is over",
        ),
        ("verdict", maybe("string"), "The verdict on the file, where that is what it is about"),
        ("reason", text(), "Why; empty if that was not said"),
        ("detail", text(), "What else is to be told"),
    ];
    let of_files = vec![
        ("path", text(), PATH),
        ("path_b64", base64(), "The bytes of a path that is not UTF-8"),
        ("other", text(), "The other file of a move or a copy"),
        ("other_b64", base64(), "The bytes of its path, where that is not UTF-8"),
    ];
    let event = line("hashlane-event", required, of_files);
    written("An event, as hashlane events --format json writes it", vec![event])
}

/// An import of lists, as it is kept. `in_history`: what is told of it where one file is.
pub(super) fn imported(in_history: Vec<Field>) -> Value {
    let mut fields = vec![
        ("run", count(), "The number of its run"),
        ("at", maybe_time(), "When it was made"),
        ("actor", text(), "Who made it"),
        ("reason", text(), "Why; empty if that was not said"),
    ];
    let counts = [
        ("registered", "Files that it has registered; the numbers are null where none were kept"),
        ("matched", "Files that were known with the same content"),
        ("differing", "Files that were known with another content"),
        ("not_found", "Files that the tree did not have"),
        ("not_listed", "Known files that were in no list"),
    ];
    fields.extend(counts.map(|(name, meaning)| (name, maybe("integer"), meaning)));
    fields.extend(in_history);
    object(fields, vec![])
}
