//! What a check says of files.

use hashlane_audit::Verdict;
use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Extent, ItemPath, Origin as Came};
use hashlane_verify::Differing;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Counts, LISTED, by, line, names, push_name, unwritten};
use crate::json::*;
use crate::text;

/// The verdicts of a check, in the order in which they are counted. Those of contents that were compared come first.
const VERDICTS: [Verdict; 9] = [
    Verdict::Ok,
    Verdict::Changed,
    Verdict::Corrupt,
    Verdict::Collision,
    Verdict::Missing,
    Verdict::Unreadable,
    Verdict::Unstable,
    Verdict::New,
    Verdict::Excluded,
];

/// How many of them are of contents that were compared.
const COMPARED: usize = 4;

/// The verdict of a check on a file that was judged so: what could not be compared counts as what could not be read.
pub fn checked(verdict: Verdict) -> Verdict {
    if VERDICTS.contains(&verdict) { verdict } else { Verdict::Unreadable }
}

/// Whether a verdict of a check is on a content that was compared.
pub fn is_compared(verdict: Verdict) -> bool {
    VERDICTS[..COMPARED].contains(&verdict)
}

/// What a check calls a verdict, to programs.
fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Changed => "mismatch",
        Verdict::New => "extra",
        verdict => verdict.name(),
    }
}

schema_fns! {
    verdicts => one_of(VERDICTS.map(name));
    by_verdict => count_of_each(VERDICTS.map(name));
}

/// What is to be said of one file.
#[derive(Clone, Copy, Debug)]
pub struct CheckLine<'a> {
    /// Its name.
    pub path: &'a ItemPath,
    /// The verdict, one that [`checked`] gives.
    pub verdict: Verdict,
    /// Its listed digests.
    pub expected: &'a [Digest],
    /// Those that were computed.
    pub computed: &'a [Digest],
    /// The size listed and the one read, in bytes, where both are known.
    pub sizes: Option<(u64, u64)>,
    /// The pieces that differ, where such are listed and the file fails.
    pub differing: Option<&'a Differing>,
    /// Why it could not be read, or what changed.
    pub problem: Option<&'a str>,
    /// Where what was read came from, if it was looked at.
    pub origin: Option<Came>,
}

impl CheckLine<'_> {
    /// The sizes, where they differ.
    fn other_size(&self) -> Option<(u64, u64)> {
        self.sizes.filter(|(listed, read)| listed != read)
    }

    /// As coreutils prints it. `details`: with what differs, a line each.
    pub fn text(&self, details: bool) -> Vec<u8> {
        let mut text = Vec::new();
        push_name(&mut text, self.path.as_bytes());
        text.extend(b": ");
        text.extend(self.words().bytes());
        if let Some(Differing { listed, pieces: pieces @ 1.., .. }) = self.differing {
            let (of, verb) =
                (text::counted(*listed, "piece"), if *pieces == 1 { "differs" } else { "differ" });
            text.extend(format!(" ({} of {of} {verb})", text::count(*pieces)).bytes());
        }
        text.push(b'\n');
        if details && is_compared(self.verdict) && self.verdict != Verdict::Ok {
            LISTED.push(&mut text, self.sizes, self.expected, self.computed);
            for Extent { offset, length } in self.differing.iter().flat_map(|differing| &differing.extents) {
                text.extend(format!("    bytes {offset} to {} differ\n", offset + length - 1).bytes());
            }
        }
        text
    }

    /// The verdict in words.
    fn words(&self) -> String {
        let words = match self.verdict {
            Verdict::Ok => "OK",
            Verdict::Changed => "FAILED",
            // Only what its store disputes is corrupt and has a problem.
            Verdict::Corrupt if self.problem.is_some() => {
                "FAILED (corrupt: the store's checksum does not match either)"
            }
            Verdict::Corrupt => return format!("FAILED (corrupt: {})", unwritten(self.sizes, "than listed")),
            Verdict::Collision if self.other_size().is_some() => {
                "COLLISION (a digest is as listed, the size is not)"
            }
            Verdict::Collision => "COLLISION (one digest is as listed, another is not)",
            Verdict::Unstable => "FAILED (changed while it was read)",
            Verdict::New => "EXTRA (not listed)",
            Verdict::Excluded => "EXCLUDED",
            _ => "FAILED open or read",
        };
        words.to_owned()
    }

    /// As a line for programs.
    pub fn json(&self) -> Vec<u8> {
        let (listed, read) = self.other_size().unzip();
        let file = File {
            path: self.path.as_bytes().into(),
            verdict: name(self.verdict),
            expected: Digests::of(self.expected),
            computed: Digests::of(self.computed),
            expected_size_bytes: listed,
            read_size_bytes: read,
            pieces: self.differing.map(Into::into),
            origin: self.origin.as_ref().map(Into::into),
            problem: self.problem.map(str::to_owned),
        };
        line(&file.value())
    }
}

written! {
    /// Pieces that were compared.
    struct Pieces = of: &Differing {
        /// Listed pieces.
        listed: u64 = of.listed,
        /// Differing pieces.
        differing: u64 = of.pieces,
        /// The parts of the file that differ.
        extents: Vec<Part> = of.extents.iter().map(Into::into).collect(),
    }
}

written! {
    struct Part = of: &Extent {
        /// Where it begins.
        offset_bytes: u64 = of.offset,
        /// How long it is.
        length_bytes: u64 = of.length,
    }
}

/// What the lines of a check come to.
#[derive(Debug, Default)]
pub struct CheckTally {
    counts: [u64; VERDICTS.len()],
    /// What contents were compared by.
    algorithms: Vec<Algorithm>,
    origin: Came,
    /// How many listed names are there, where only names were compared.
    pub there: Option<u64>,
}

impl CheckTally {
    /// Counts a line.
    pub fn take(&mut self, line: &CheckLine<'_>) {
        let at = VERDICTS.iter().position(|verdict| *verdict == line.verdict);
        self.counts[at.expect("checks give no others")] += 1;
        self.origin += line.origin.unwrap_or_default();
    }

    /// Takes note of what the content of a line was compared by.
    pub fn compared_by(&mut self, algorithms: impl Iterator<Item = Algorithm>) {
        Algorithm::unite(&mut self.algorithms, algorithms);
    }

    /// Files whose content was compared.
    pub fn verified(&self) -> u64 {
        self.counts[..COMPARED].iter().sum()
    }

    /// In words: `12 OK by sha256, 1 missing`.
    pub fn words(&self) -> String {
        let counted = VERDICTS.into_iter().zip(self.counts);
        let words = counted.filter_map(|(verdict, count)| match (verdict, count) {
            (Verdict::Ok, count) => Some(match self.there {
                Some(there) => format!("{} there", text::count(there)),
                None => format!("{} OK{}", text::count(count), by(&self.algorithms)),
            }),
            (_, 0) => None,
            (verdict, count) => Some(format!("{} {}", text::count(count), name(verdict))),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// As a value for programs.
    pub fn json(&self) -> Value {
        let summary = Summary {
            summary: VERDICTS.map(name).into_iter().zip(self.counts).collect(),
            algorithms: names(&self.algorithms),
            origin: (&self.origin).into(),
            there: self.there,
        };
        summary.value()
    }
}

lines! {
    pub(super) struct File: "hashlane-check" {
        #[serde(flatten)]
        path: Path,
        /// The verdict on it.
        #[schemars(schema_with = "verdicts")]
        verdict: &'static str,
        /// Listed digests, by algorithm.
        expected: Digests,
        /// Computed digests, by algorithm.
        computed: Digests,
        ..if known {
            /// The listed size, if it and the size read are known.
            expected_size_bytes: u64,
            /// The size read.
            read_size_bytes: u64,
            /// The comparison by pieces, if pieces are listed.
            pieces: Pieces,
            /// Where its bytes came from.
            #[schemars(schema_with = "origin")]
            origin: Origin,
            /// Why it could not be read, or what changed.
            problem: String,
        }
    }

    pub(super) struct Summary: "hashlane-check" {
        /// Files by verdict.
        #[schemars(schema_with = "by_verdict")]
        summary: Counts,
        /// Algorithms by which contents were compared.
        #[schemars(schema_with = "algorithms")]
        algorithms: Vec<&'static str>,
        /// Where all bytes came from.
        #[schemars(schema_with = "origin")]
        origin: Origin,
        ..if known {
            /// Listed names that are there, if names alone were compared.
            there: u64,
        }
    }
}
