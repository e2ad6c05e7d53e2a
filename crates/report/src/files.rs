//! What lines about single files have in common, be they of a check, an audit, a comparison or a bag.

use hashlane_audit::Content;
use hashlane_digest::Algorithm;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

use crate::text;

/// What the two contents of a file are called: before their sizes, and before their digests.
pub(crate) struct Sides {
    sizes: [&'static str; 2],
    digests: [&'static str; 2],
}

/// Those of a list and of what was read.
pub(crate) const LISTED: Sides = Sides { sizes: ["listed  ", "read    "], digests: ["listed  ", "computed"] };

/// Those of two sides that are compared.
pub(crate) const COMPARED: Sides = Sides { sizes: ["in A", "in B"], digests: ["in A", "in B"] };

impl Sides {
    /// Appends what differs between two contents, a line each.
    pub(crate) fn push(&self, text: &mut Vec<u8>, one: &Content, other: &Content) {
        if let Some((one, other)) = one.size.zip(other.size).filter(|(one, other)| one != other) {
            let [first, second] = self.sizes;
            text.extend(format!("    size {first} {one}\n    size {second} {other}\n").bytes());
        }
        for one in &one.digests {
            let algorithm = one.algorithm();
            let other = other.digests.iter().find(|other| other.algorithm() == algorithm);
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

/// What contents were compared by, as a summary says it behind those that are as listed: ` by md5 and sha256`.
pub fn by(algorithms: &[Algorithm]) -> String {
    let names: Vec<_> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
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

/// The schema of a number for each of these words.
pub(crate) fn counts_of(words: &[&str]) -> Schema {
    let count = || json!({ "type": "integer", "minimum": 0 });
    let properties: Map<String, Value> = words.iter().map(|word| ((*word).to_owned(), count())).collect();
    json_schema!({ "type": "object", "properties": properties, "required": words })
}
