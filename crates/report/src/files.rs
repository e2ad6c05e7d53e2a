//! What is said of single files, be it by a check, an audit, a comparison or of a bag: lines of text, and lines for programs.

mod audit;
mod bag;
mod check;
mod lists;

use std::collections::BTreeMap;

use hashlane_audit::{Content, Verdict};
use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Record;
use hashlane_verify::Expected;
use serde_json::Value;

use crate::json::Line as _;
use crate::text;

pub use audit::{audit_counts, audit_json, audit_line, audit_summary_json, audit_text};
pub use bag::{BagConclusion, BagTally, bag_info, bag_json, bag_line, bag_reason};
pub use check::{CheckLine, CheckTally, checked, is_compared};
pub use lists::{LeftOut, found_otherwise, list_remarks};

/// The schemas of what is written about files: of each kind its name, and its lines.
pub(crate) fn schemas() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        ("check", vec![check::File::schema(), check::Summary::schema()]),
        ("audit", vec![audit::File::schema(), audit::Summary::schema()]),
        ("bag", vec![bag::File::schema(), bag::Summary::schema()]),
    ]
}

/// What the two contents of a file are called: before their sizes, and before their digests.
#[derive(Clone, Copy, Debug)]
pub struct Sides {
    sizes: [&'static str; 2],
    digests: [&'static str; 2],
}

/// Those of a list and of what was read.
pub const LISTED: Sides = Sides { sizes: ["listed  ", "read    "], digests: ["listed  ", "computed"] };

/// Those of two sides that are compared.
pub(crate) const COMPARED: Sides = Sides { sizes: ["in A", "in B"], digests: ["in A", "in B"] };

impl Sides {
    /// Appends what differs between two contents, a line each. `sizes`: theirs, where both are known.
    pub fn push(&self, text: &mut Vec<u8>, sizes: Option<(u64, u64)>, one: &[Digest], other: &[Digest]) {
        if let Some((one, other)) = sizes.filter(|(one, other)| one != other) {
            let [first, second] = self.sizes;
            text.extend(format!("    size {first} {one}\n    size {second} {other}\n").bytes());
        }
        for one in one {
            let algorithm = one.algorithm();
            let other = other.iter().find(|other| other.algorithm() == algorithm);
            if let Some(other) = other.filter(|other| *other != one) {
                let [first, second] = self.digests;
                text.extend(
                    format!("    {algorithm} {first} {one}\n    {algorithm} {second} {other}\n").bytes(),
                );
            }
        }
    }
}

/// Why a content is corrupt that no store disputes. `sizes`: the known one and that of the content, in bytes, where both are known.
/// `shorter`: than what, or where.
pub fn unwritten(sizes: Option<(u64, u64)>, shorter: &str) -> String {
    match sizes {
        None => "its time does not say that it was written".into(),
        Some((known, seen)) if seen < known => {
            format!("shorter {shorter}, and its time does not say that it was written")
        }
        Some(_) => "neither size nor time says that it was written".into(),
    }
}

/// In what a file that was read is not as listed, which has this verdict.
pub fn not_as_listed(expected: &Expected, record: &Record, verdict: Verdict) -> String {
    let differing = expected.digests.iter().zip(&record.digests).find(|(listed, read)| listed != read);
    let what = match (differing, expected.size_bytes) {
        (Some((listed, read)), _) => format!("{} is {read}, not {listed} as listed", listed.algorithm()),
        (None, Some(size)) if size != record.digested_bytes => {
            format!("has {} bytes, not {size} as listed", record.digested_bytes)
        }
        _ if expected.pieces.is_some() => "has other pieces than listed".to_owned(),
        _ => "does not match the listed digests".to_owned(),
    };
    if verdict != Verdict::Corrupt {
        return what;
    }
    let sizes = expected.size_bytes.map(|size| (size, record.digested_bytes));
    format!("{what}; {}", unwritten(sizes, "than listed"))
}

/// What contents were compared by, as a summary says it behind those that are as listed: ` by md5 and sha256`.
pub fn by(algorithms: &[Algorithm]) -> String {
    let names = names(algorithms);
    if names.is_empty() { String::new() } else { format!(" by {}", text::listed(&names)) }
}

/// Appends a name as coreutils prints it before a verdict: a backslash announces escapes.
pub fn push_name(text: &mut Vec<u8>, name: &[u8]) {
    if name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r')) {
        text.push(b'\\');
    }
    for &byte in name {
        match byte {
            b'\\' => text.extend(b"\\\\"),
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            _ => text.push(byte),
        }
    }
}

/// The sizes of two contents, in bytes, where both are known.
pub(crate) fn sizes(one: Option<&Content>, other: Option<&Content>) -> Option<(u64, u64)> {
    one?.size.zip(other?.size)
}

fn names(algorithms: &[Algorithm]) -> Vec<&'static str> {
    algorithms.iter().map(|algorithm| algorithm.name()).collect()
}

/// A value as a line.
fn line(value: &Value) -> Vec<u8> {
    format!("{value}\n").into_bytes()
}

/// Numbers by the names of what they count.
pub(crate) type Counts = BTreeMap<&'static str, u64>;
