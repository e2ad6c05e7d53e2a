//! What a check of a bag says of its files, and of itself.

use std::borrow::Cow;

use hashlane_bag::{Bag, BagFinding, Hint, Verdict};
use hashlane_manifest::bag::{Info, Oxum};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Counts, LISTED, line, push_name};
use crate::json::*;
use crate::text;

schema_fns! {
    verdicts => one_of(Verdict::ALL.map(Verdict::name));
    by_verdict => count_of_each(Verdict::ALL.map(Verdict::name));
    checks => one_of(["full", "quick"]);
}

/// How many findings there are of each verdict.
#[derive(Debug, Default)]
pub struct BagTally([u64; Verdict::ALL.len()]);

impl BagTally {
    /// Counts one.
    pub fn take(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    /// How many there are of a verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        self.0[verdict as usize]
    }

    /// In words: `12 OK, 1 missing`.
    pub fn words(&self) -> String {
        let counted = Verdict::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0);
        let words = counted.map(|(verdict, count)| match verdict {
            Verdict::Ok => format!("{} OK", text::count(count)),
            Verdict::Present => format!("{} present", text::count(count)),
            Verdict::Warning => text::counted(count, "warning"),
            verdict => format!("{} {}", text::count(count), verdict.name()),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// As a value for programs, with what the whole bag comes to.
    pub fn json(&self, conclusion: BagConclusion) -> Value {
        let summary = Verdict::ALL.map(Verdict::name).into_iter().zip(self.0).collect();
        Summary { summary, conclusion }.value()
    }
}

/// The text of `bag-info.txt`: what was asked for, and where nothing was, what is known.
pub fn bag_info(asked: &[(String, String)], oxum: Oxum, date: String, agent: &str) -> String {
    let mut info = Info { elements: asked.to_vec(), ..Info::default() };
    let known = [
        ("Bagging-Date", date),
        ("Bag-Software-Agent", agent.to_owned()),
        ("Bag-Size", text::decimal(oxum.bytes as f64)),
        ("Payload-Oxum", oxum.to_string()),
    ];
    for (label, value) in known {
        if info.values(label).next().is_none() {
            info.elements.push((label.to_owned(), value));
        }
    }
    info.text()
}

/// Why a finding is one, with what the program may add.
///
/// `known_algorithms`: what lists the known algorithms.
pub fn bag_reason<'a>(finding: &BagFinding<'a>, known_algorithms: &str) -> Option<Cow<'a, str>> {
    let why = finding.why?;
    Some(match finding.hint {
        Some(Hint::KnownAlgorithms) => format!("{why}; {known_algorithms} lists the known algorithms").into(),
        _ => why.into(),
    })
}

/// A finding as text, with the reason for it. `details`: with what differs, a line each.
pub fn bag_line(finding: &BagFinding<'_>, reason: Option<&str>, details: bool) -> Vec<u8> {
    let word = match finding.verdict {
        Verdict::Ok => "OK",
        Verdict::Present => "PRESENT, NOT VERIFIED",
        Verdict::Mismatch => "FAILED",
        Verdict::Collision => "COLLISION (one digest is as listed, another is not)",
        Verdict::Missing => "MISSING",
        Verdict::Extra => "EXTRA",
        Verdict::Unreadable => "UNREADABLE",
        // How it changed says that it did.
        Verdict::Unstable if reason.is_some() => "FAILED",
        Verdict::Unstable => "FAILED (changed while it was read)",
        Verdict::Invalid => "INVALID",
        Verdict::Warning => "WARNING",
    };
    let mut text = Vec::new();
    push_name(&mut text, finding.path);
    text.extend(format!(": {word}").bytes());
    if let Some(reason) = reason {
        text.extend(format!(" ({reason})").bytes());
    }
    text.push(b'\n');
    if details && matches!(finding.verdict, Verdict::Mismatch | Verdict::Collision) {
        LISTED.push(&mut text, None, finding.expected, finding.computed);
    }
    text
}

/// A finding as a line for programs, with the reason for it.
pub fn bag_json(finding: &BagFinding<'_>, reason: Option<&str>) -> Vec<u8> {
    let was_read = !finding.expected.is_empty();
    let file = File {
        path: finding.path.into(),
        verdict: finding.verdict.name(),
        expected: was_read.then(|| Digests::of(finding.expected)),
        computed: was_read.then(|| Digests::of(finding.computed)),
        problem: reason.map(str::to_owned),
    };
    line(&file.value())
}

/// What a check of a bag comes to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BagConclusion {
    /// The kind of check: full with digests, quick without.
    #[schemars(schema_with = "checks")]
    pub check: &'static str,
    /// The version of the bag.
    pub bagit_version: String,
    /// Whether it is valid; null if a quick check cannot decide.
    pub valid: Option<bool>,
    /// Whether the check found nothing wrong.
    pub passed: bool,
    /// Files in data/.
    pub payload_files: u64,
    /// Bytes in data/.
    pub payload_bytes: u64,
    /// Whether digests were computed.
    pub digests_verified: bool,
}

impl BagConclusion {
    /// Of a bag that was looked through, in which something was found wrong or not. `digests_verified`: its files were read.
    pub fn of(bag: &Bag, quick: bool, passed: bool, digests_verified: bool) -> Self {
        let payload = bag.payload();
        Self {
            check: if quick { "quick" } else { "full" },
            bagit_version: bag.version().to_string(),
            // A quick check knows that a bag is not valid, and never that it is.
            valid: (!quick || !passed).then_some(passed),
            passed,
            payload_files: payload.files,
            payload_bytes: payload.bytes,
            digests_verified,
        }
    }

    /// In one sentence. `counted`: what was found, in words.
    pub fn sentence(&self, counted: &str) -> String {
        let verdict = match self.valid {
            Some(true) => format!("valid, version {}", self.bagit_version),
            None => "complete, NOT validated: no digest was computed".to_owned(),
            _ if self.check == "quick" => "not complete; no digest was computed".to_owned(),
            _ => "NOT valid".to_owned(),
        };
        let files = text::counted(self.payload_files, "file");
        format!("{verdict}: {counted}; {files} of payload with {}", text::decimal(self.payload_bytes as f64))
    }
}

lines! {
    pub(super) struct File: "hashlane-bag" {
        #[serde(flatten)]
        path: Path,
        /// The verdict on it.
        #[schemars(schema_with = "verdicts")]
        verdict: &'static str,
        ..if known {
            /// Listed digests, by algorithm.
            expected: Digests,
            /// Computed digests, by algorithm.
            computed: Digests,
            /// What is wrong.
            problem: String,
        }
    }

    pub(super) struct Summary: "hashlane-bag" {
        /// Lines by verdict.
        #[schemars(schema_with = "by_verdict")]
        summary: Counts,
        /// The result for the whole bag.
        conclusion: BagConclusion,
    }
}
