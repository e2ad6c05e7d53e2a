//! The schema of what `hashlane status` writes for programs.

use std::collections::BTreeSet;

use hashlane_catalog::{Condition, Phase, Told};
use serde_json::{Value, json};

use super::collections::{
    EVERY, POLICY, by_verdict, evidence, list, maybe_time, or_null, policies, readings_of, time, written,
};
use super::{Field, count, line, maybe, object, one_of, seconds, text, truth};

pub(super) fn status() -> Value {
    let collection = object(
        vec![
            ("name", text(), "Its name"),
            ("group", text(), "The group that it is listed in; empty: none"),
            ("state", states(), "How it is"),
            ("tags", list(text()), "What else it is called"),
            ("policy", policies(), POLICY),
            ("files", count(), "Files"),
            ("bytes", count(), "Their bytes"),
            ("never_read", count(), "Files that were never read"),
            ("every_s", maybe("integer"), EVERY),
            ("late_is_exact", truth(), "Whether late_files is their number, and not an upper bound"),
            ("is_late", truth(), "Whether its promise is broken"),
            ("forecast", or_null(forecast()), "What the promise needs; null where no rate is known"),
            ("oldest_reading", maybe_time(), "When those were read that were read longest ago"),
            ("late_files", count(), "Files that were not read good within the promised time"),
            ("findings", by_verdict(), "Findings that nobody knows of, by verdict"),
            ("acknowledged", by_verdict(), "Findings that somebody knows of, by verdict"),
            ("recovered", count(), "Findings that are over"),
            ("unlisted", count(), "Directories that could not be listed"),
            (
                "evidence",
                list(evidence()),
                "The last report of each provider; nothing else counts what it says",
            ),
            ("last_audit", maybe_time(), "When the last audit began"),
            ("last_outcome", maybe("string"), "How it ended; or running, or interrupted"),
        ],
        vec![
            (
                "outlook",
                or_null(outlook()),
                "What the promise needs and gets in bytes; null where nothing is promised or known",
            ),
            ("offline_since", maybe_time(), "Since when it could not be reached; null if it can"),
            ("running", or_null(object(running(), vec![])), "The audit of it that is under way; null: none"),
            ("is_default_every", truth(), "Whether nobody has said the period"),
            ("removable", truth(), "Whether it may be away"),
            (
                "from",
                one_of(["device", "any"]),
                "Which readings keep its promise; of a store it says nothing",
            ),
            ("readings", readings_of(), "Its files by where the bytes of their last good reading came from"),
            ("needs_a_person", truth(), "Whether somebody has to look at it"),
            ("told", one_of(Told::all().map(Told::name)), "What its last audit is to those who watch"),
            (
                "heartbeat",
                one_of(["success", "fail", "log", "start", "nothing"]),
                "What is to be sent to a monitor that waits for its audits: one of these after each",
            ),
            ("last_judged", maybe_time(), "When the last audit ended that has judged it"),
            ("silent_from", time(), "From when on it is silent, if no audit judges it before"),
            ("replaced_files", count(), "Files that other ones have replaced since they were read"),
            (
                "changed_metadata_files",
                count(),
                "Files of which mode, owner, links or attributes have changed since they were read",
            ),
            (
                "ignored_findings",
                count(),
                "Files that a filter leaves out, and against which something stands",
            ),
            ("pending_files", count(), "Files whose acceptance waits for an audit that is under way"),
            (
                "not_accepted_files",
                count(),
                "Files that were not as they were found any more when they were to be accepted",
            ),
        ],
    );
    let status = line(
        "hashlane-collection-status",
        vec![
            ("sentence", text(), "How everything is"),
            ("collections", list(collection), "The collections, by name"),
        ],
        vec![],
    );
    written("What hashlane status --format json writes", vec![status])
}

/// How far audits are, as `hashlane status --follow` writes it.
pub(super) fn progress() -> Value {
    let mut of_collection = vec![("collection", text(), "The collection")];
    of_collection.extend(running());
    let share = || or_null(json!({ "type": "number", "minimum": 0, "maximum": 1 }));
    of_collection.extend([
        ("share", share(), "The share of planned_bytes that was read; null where those are not known"),
        ("remaining_s", maybe("number"), "Seconds of reading that are left at this rate; null if unknown"),
        (
            "best_bytes_per_second",
            or_null(count()),
            "The best rate that is known of the collection; null: none is",
        ),
        (
            "best_measured_by",
            or_null(one_of(["audits", "tune"])),
            "By what that was measured: the fastest audit, or hashlane tune",
        ),
        ("share_of_best", or_null(seconds()), "The share of the best rate that this one is"),
    ]);
    let line = line("hashlane-collection-progress", of_collection, vec![]);
    let title = "A line of hashlane status --follow --format json, before the last one: that is a status";
    written(title, vec![line])
}

/// The words for how a collection is.
pub(super) fn states() -> Value {
    let mut states: Vec<_> = Condition::ALL.into_iter().map(Condition::state).collect();
    // What is away is offline.
    let mut met = BTreeSet::new();
    states.retain(|state| met.insert(*state));
    one_of(states)
}

/// How far an audit is that is under way.
pub(super) fn running() -> Vec<Field> {
    vec![
        (
            "phase",
            or_null(one_of(Phase::ALL.map(Phase::name))),
            "What it is doing; null of an audit of an earlier version, which does not say",
        ),
        (
            "files",
            count(),
            "Files that were listed, read or read again in this phase; at the end, those that were read",
        ),
        ("bytes", count(), "Their bytes, with those of files that are being read"),
        (
            "planned_bytes",
            or_null(count()),
            "Bytes that are to be read; an estimate until all files are chosen, null where there is none",
        ),
        ("bytes_per_second", or_null(count()), "The rate of the last minute; null where nothing is read"),
        ("began", maybe_time(), "When it began"),
        ("at", maybe_time(), "When all this was written"),
        ("process", count(), "The number of its process"),
        ("host", text(), "The machine on which that runs"),
    ]
}

/// What stood of a collection when a run ended, as `status` told it then.
pub(super) fn stood() -> Value {
    object(
        vec![
            ("files", count(), "Files"),
            ("bytes", count(), "Their bytes"),
            ("never_read", count(), "Files that were never read"),
            ("late_files", count(), "Files that were not read good within the promised time"),
            ("late_is_exact", truth(), "Whether late_files is their number, and not an upper bound"),
            ("unlisted", count(), "Directories that could not be listed"),
            ("open", by_verdict(), "Findings that nobody knew of, by verdict"),
            ("acknowledged", by_verdict(), "Findings that somebody knew of, by verdict"),
        ],
        vec![],
    )
}

/// What a promise needs a day and what it gets, in bytes.
fn outlook() -> Value {
    object(
        vec![
            ("need_bytes_per_day", count(), "Bytes that have to be read each day"),
            (
                "given_bytes_per_day",
                maybe("integer"),
                "Bytes that audits read a day; null if no budget ends them",
            ),
            (
                "late_share",
                json!({ "type": "number", "minimum": 0, "maximum": 1 }),
                "The share of the files that will be late",
            ),
            (
                "enough_s",
                maybe("integer"),
                "The shortest period that could be promised, in seconds; null if all will be in time",
            ),
        ],
        vec![],
    )
}

/// What a promise needs, and what it gets.
pub(super) fn forecast() -> Value {
    object(
        vec![
            ("bytes_per_second", count(), "How fast files are read"),
            ("measured_by", one_of(["audits", "tune"]), "By what that was measured"),
            ("need_s_per_day", seconds(), "Seconds of reading that each day needs"),
            ("given_s_per_day", maybe("number"), "Seconds that a day gives; null if nothing limits them"),
            (
                "late_share",
                json!({ "type": "number", "minimum": 0, "maximum": 1 }),
                "The share of the bytes that will be late",
            ),
        ],
        vec![],
    )
}
