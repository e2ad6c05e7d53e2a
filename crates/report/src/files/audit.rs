//! What an audit by lists says of files.

use std::borrow::Cow;

use hashlane_audit::{Content, Counters, Unchecked, Verdict};
use hashlane_digest::Algorithm;
use hashlane_verify::audit::Finding;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Counts, LISTED, by, line, names, push_name, unwritten};
use crate::json::*;
use crate::text;

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

/// A verdict of an audit in words. `verbose`: from 1 on with what differs, from 2 on with what was read elsewhere.
pub fn audit_text(line: &Finding<'_>, verbose: u8) -> Vec<u8> {
    let mut text = Vec::new();
    push_name(&mut text, line.path);
    text.extend(b": ");
    text.extend(word(line).bytes());
    if let Some(reason) = line.verdict.reason() {
        text.extend(format!(" ({reason})").bytes());
    }
    if let Some(other) = line.other {
        text.extend(relation(line.verdict).bytes());
        push_name(&mut text, other);
    }
    text.push(b'\n');
    if let (true, Some(known), Some(seen)) = (verbose > 0 && !line.verdict.is_pass(), &line.known, &line.seen)
    {
        LISTED.push(&mut text, known.size.zip(seen.size), &known.digests, &seen.digests);
    }
    let is_elsewhere = matches!(line.verdict, Verdict::Moved | Verdict::Copied | Verdict::New);
    if let Some(seen) = line.seen.as_ref().filter(|_| verbose > 1 && is_elsewhere) {
        if let Some(size) = seen.size {
            text.extend(format!("    size read     {size}\n").bytes());
        }
        for digest in &seen.digests {
            text.extend(format!("    {} computed {digest}\n", digest.algorithm()).bytes());
        }
    }
    text
}

/// A verdict in the words of a line.
fn word(line: &Finding<'_>) -> Cow<'static, str> {
    let size = |content: &Option<Content>| content.as_ref().and_then(|content| content.size);
    let sizes = size(&line.known).zip(size(&line.seen));
    let word = match line.verdict {
        Verdict::Ok => "OK",
        Verdict::Changed => "CHANGED",
        Verdict::Corrupt if line.is_disputed => "CORRUPT (the store's checksum does not match either)",
        Verdict::Corrupt => return format!("CORRUPT ({})", unwritten(sizes, "than listed")).into(),
        Verdict::Moved => "MOVED",
        Verdict::Copied => "COPIED",
        Verdict::DuplicateLost => "DUPLICATE LOST",
        Verdict::New => "NEW",
        Verdict::Missing => "MISSING",
        Verdict::Unreadable => "UNREADABLE",
        Verdict::Collision if sizes.is_some_and(|(listed, read)| listed != read) => {
            "COLLISION (a digest is as listed, the size is not)"
        }
        Verdict::Collision => "COLLISION (one digest is as listed, another is not)",
        Verdict::SizeOnly => "SIZE ONLY (no digest to compare)",
        Verdict::Unverified => "UNVERIFIED (nothing to compare)",
        Verdict::Excluded => "EXCLUDED",
        Verdict::Unstable => "UNSTABLE",
        Verdict::Touched => "TOUCHED (only its time changed)",
        Verdict::Registered => "REGISTERED (no digest to compare)",
        Verdict::Ignored => "IGNORED",
        _ => "NOT CHECKED",
    };
    word.into()
}

/// What stands between a verdict and the other name.
fn relation(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Moved | Verdict::Copied => " from ",
        Verdict::DuplicateLost => ", its content is in ",
        Verdict::Collision => " with ",
        // At its place but for case.
        _ => ", listed as ",
    }
}

/// What an audit comes to in words: the counts of the inputs, and of the known files without one.
pub fn audit_line(counters: &Counters, algorithms: &[Algorithm], unsearched: u64) -> String {
    let all = Verdict::OF_LISTS.into_iter().map(|verdict| (verdict, counters.of(verdict)));
    let words = all.filter(|(verdict, count)| *count > 0 || *verdict == Verdict::Ok);
    let name = |verdict: Verdict| match verdict {
        Verdict::Ok => format!("OK{}", by(algorithms)),
        verdict => verdict.name().replace('-', " "),
    };
    let words: Vec<_> =
        words.map(|(verdict, count)| format!("{} {}", text::count(count), name(verdict))).collect();
    let inputs = text::counted(counters.inputs, "file");
    let mut line = format!("{}; {inputs} found, {} listed", words.join(", "), text::count(counters.knowns));
    match unsearched {
        0 => {}
        1 => line += "; 1 directory could not be searched",
        _ => line += &format!("; {} directories could not be searched", text::count(unsearched)),
    }
    line
}

/// All counters, with their names.
pub fn audit_counts(counters: &Counters, unsearched: u64) -> impl Iterator<Item = (String, u64)> {
    let files = [("files found", counters.inputs), ("files listed", counters.knowns)];
    let records = [
        ("files seen again under the same name", counters.seen_again),
        ("entries that repeat another one", counters.repeated),
        ("entries that add to another one", counters.merged),
        ("names whose entries contradict each other", counters.conflicting),
        ("entries that were not stored", counters.refused),
        ("directories that could not be searched", unsearched),
    ];
    let verdicts = Verdict::OF_LISTS.map(|verdict| (verdict.name().replace('-', " "), counters.of(verdict)));
    let named = |(name, count): (&str, u64)| (name.to_owned(), count);
    files.map(named).into_iter().chain(verdicts).chain(records.map(named))
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
