//! What an audit by lists says of files.

use hashlane_audit::{Counters, Unchecked, Verdict};
use hashlane_digest::Algorithm;
use hashlane_verify::audit::Finding;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Counts, line, names};
use crate::json::*;

schema_fns! {
    verdicts => one_of(Verdict::OF_LISTS.map(Verdict::name));
    by_verdict => count_of_each(Verdict::OF_LISTS.map(Verdict::name));
    reasons => one_of(Unchecked::ALL.map(Unchecked::name));
}

names! {
    Other { other, other_b64 } "The other name: where it was moved or copied from, or where its content is"
}

/// A verdict of an audit, as a line for programs.
pub fn audit_json(of: &Finding<'_>) -> Vec<u8> {
    let file = File {
        path: of.path.into(),
        verdict: of.verdict.name(),
        reason: of.verdict.reason().map(Unchecked::name),
        other: of.other.map(Into::into),
        listed: of.known.as_ref().map(|content| Digests::of(&content.digests)),
        listed_size_bytes: of.known.as_ref().and_then(|content| content.size),
        seen: of.seen.as_ref().map(|content| Digests::of(&content.digests)),
        seen_size_bytes: of.seen.as_ref().and_then(|content| content.size),
    };
    line(&file.value())
}

/// What an audit comes to, for programs. `algorithms`: those by which contents were compared; `unsearched`: directories that could not be
/// searched.
pub fn audit_summary_json(
    counters: &Counters,
    algorithms: &[Algorithm],
    unsearched: u64,
    passed: bool,
) -> Value {
    let summary = Summary {
        summary: Verdict::OF_LISTS.map(|verdict| (verdict.name(), counters.of(verdict))).into(),
        algorithms: names(algorithms),
        inputs: counters.inputs,
        known: counters.knowns,
        conflicting: counters.conflicting,
        unsearched,
        passed,
    };
    summary.value()
}

lines! {
    pub(super) struct File: "hashlane-audit" {
        #[serde(flatten)]
        path: Path,
        /// The verdict on it.
        #[schemars(schema_with = "verdicts")]
        verdict: &'static str,
        #[serde(flatten)]
        other: Option<Other>,
        ..if known {
            /// Why it was not checked.
            #[schemars(schema_with = "reasons")]
            reason: &'static str,
            /// Listed digests, by algorithm.
            listed: Digests,
            /// The listed size.
            listed_size_bytes: u64,
            /// Computed digests, by algorithm.
            seen: Digests,
            /// The size read.
            seen_size_bytes: u64,
        }
    }

    pub(super) struct Summary: "hashlane-audit" {
        /// Files by verdict.
        #[schemars(schema_with = "by_verdict")]
        summary: Counts,
        /// Algorithms by which contents were compared.
        #[schemars(schema_with = "algorithms")]
        algorithms: Vec<&'static str>,
        /// Files found.
        inputs: u64,
        /// Listed files.
        known: u64,
        /// Names whose entries contradict each other.
        conflicting: u64,
        /// Directories that could not be searched.
        unsearched: u64,
        /// Whether the audit passed.
        passed: bool,
    }
}
