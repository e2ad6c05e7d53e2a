//! The schema of what `hashlane status` writes for programs.

use hashlane_catalog::Told;
use serde_json::{Value, json};

use super::collections::{
    EVERY, POLICY, by_verdict, evidence, list, maybe_time, or_null, policies, readings_of, time, written,
};
use super::{count, line, maybe, object, one_of, seconds, text, truth};

pub(super) fn status() -> Value {
    let collection = object(
        vec![
            ("name", text(), "Its name"),
            ("group", text(), "The group that it is listed in; empty: none"),
            ("state", text(), "How it is, in words"),
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
            ("last_outcome", maybe("string"), "How it ended"),
        ],
        vec![
            (
                "outlook",
                or_null(outlook()),
                "What the promise needs and gets in bytes; null where nothing is promised or known",
            ),
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
