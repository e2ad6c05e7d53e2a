//! Differences of two sides as lines: for people, for programs, and for rsync.

use hashlane_audit::Content;
use hashlane_audit::diff::{Conflict, Counts as Compared, Difference, Pair, SideCounts};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::files::{COMPARED, Counts, push_name, sizes, unwritten};
use crate::json::*;
use crate::text;

/// How differences are said.
#[derive(Clone, Copy, Debug)]
pub struct DifferenceWords<'a> {
    /// The byte that ends a line. NUL: names are as they are.
    pub end: u8,
    /// Whether what differs between the contents stands behind it.
    pub details: bool,
    /// What is said where a difference is another one than the pair itself knows: what lacks the name may have it nevertheless.
    pub otherwise: &'a str,
}

/// A difference in words, which may be another than the pair itself knows.
pub fn difference_text(pair: &Pair<'_>, difference: Difference, words: DifferenceWords<'_>) -> Vec<u8> {
    let (mut line, end) = (Vec::new(), words.end);
    if end == 0 {
        line.extend_from_slice(pair.path())
    } else {
        push_name(&mut line, pair.path())
    }
    line.extend(b": ");
    let (a, b) = (pair.left(), pair.right());
    let sizes = sizes(a.as_ref(), b.as_ref());
    match difference {
        Difference::Collision if sizes.is_some_and(|(a, b)| a != b) => {
            line.extend(b"COLLISION (a digest is the same, the size is not)")
        }
        Difference::Corrupt => line.extend(format!("CORRUPT ({})", corrupt(pair, sizes)).bytes()),
        difference => line.extend(word(difference).bytes()),
    }
    if difference != pair.difference {
        line.extend(words.otherwise.bytes());
    }
    for (letter, conflict) in [("A", pair.left_conflict), ("B", pair.right_conflict)] {
        if let Some(conflict) = conflict {
            line.extend(format!(" ({letter} lists {})", contradiction(conflict)).bytes());
        }
    }
    line.push(end);
    if let (true, Some(a), Some(b)) = (words.details, a, b) {
        COMPARED.push(&mut line, sizes, &a.digests, &b.digests);
    }
    line
}

/// A difference as `rsync -i` shows what it does to make a copy of A hold what B holds. Nothing where that is nothing. `end`: the
/// byte that ends the line; NUL: names are as they are.
pub fn difference_rsync(pair: &Pair<'_>, difference: Difference, end: u8) -> Vec<u8> {
    let mut line: Vec<u8> = match difference {
        Difference::Same | Difference::Excluded => return Vec::new(),
        Difference::New => b">f+++++++++".to_vec(),
        Difference::Missing => b"*deleting  ".to_vec(),
        Difference::Changed | Difference::Corrupt | Difference::Collision => {
            let both = pair.left().zip(pair.right());
            let size = both.as_ref().and_then(|(left, right)| Some(left.size? != right.size?));
            let time = both.as_ref().and_then(|(left, right)| Some(left.modified? != right.modified?));
            let mark = |differs: Option<bool>, letter| if differs == Some(true) { letter } else { b'.' };
            [&b">fc"[..], &[mark(size, b's'), mark(time, b't')], b"......"].concat()
        }
        _ => b">f?????????".to_vec(),
    };
    line.push(b' ');
    if end == 0 {
        line.extend_from_slice(pair.path())
    } else {
        push_rsync_name(&mut line, pair.path())
    }
    line.push(end);
    line
}

/// The name of what B has, and A has not or has otherwise, as rsync reads lists of names; empty of all else. `None`: the name cannot be
/// written as a line. `end`: the byte that ends it.
pub fn difference_name(pair: &Pair<'_>, difference: Difference, end: u8) -> Option<Vec<u8>> {
    let name = pair.path();
    let mut line = Vec::new();
    if difference == Difference::Missing || !pair.is_on().1 {
        return Some(line);
    }
    if end != 0 && name.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return None;
    }
    // Else rsync takes it for a comment, behind NUL as well.
    if name.starts_with(b"#") || name.starts_with(b";") {
        line.extend_from_slice(b"./");
    }
    line.extend_from_slice(name);
    line.push(end);
    Some(line)
}

/// A difference in the words of a line.
fn word(difference: Difference) -> &'static str {
    match difference {
        Difference::Same => "SAME",
        Difference::Changed => "CHANGED",
        Difference::Corrupt => "CORRUPT",
        Difference::Collision => "COLLISION (one digest is the same, another is not)",
        Difference::New => "NEW (only in B)",
        Difference::Missing => "MISSING (only in A)",
        Difference::Conflict => "CONFLICT",
        Difference::Unreadable => "UNREADABLE",
        Difference::SizeOnly => "SIZE ONLY (no algorithm in common)",
        Difference::Unverified => "UNVERIFIED (nothing in common to compare)",
        Difference::Excluded => "EXCLUDED",
        Difference::Unstable => "UNSTABLE (changed while it was read)",
    }
}

/// Why a difference is damage. `sizes`: those in A and in B, where both are known.
fn corrupt(pair: &Pair<'_>, sizes: Option<(u64, u64)>) -> String {
    let disputed = match pair.is_disputed() {
        (false, false) => return unwritten(sizes, "in B"),
        (true, false) => "A",
        (false, true) => "B",
        (true, true) => "A and in B",
    };
    format!("in {disputed}, the store's checksum does not match either")
}

/// How a side contradicts itself.
fn contradiction(conflict: &Conflict) -> String {
    let (first, other) = conflict.lines;
    let what = match conflict.error {
        hashlane_audit::Error::OtherDigest { algorithm } => format!("two {algorithm} digests"),
        hashlane_audit::Error::OtherSize { known, given } => format!("sizes of {known} and {given} bytes"),
        ref error => error.to_string(),
    };
    format!("{what}, on lines {first} and {other}")
}

/// Appends a name as rsync prints it: control characters and what is not UTF-8 as `\#` and three octal digits, and a
/// backslash that would look like the beginning of that. A tab stays.
fn push_rsync_name(line: &mut Vec<u8>, name: &[u8]) {
    let looks_escaped = |rest: &[u8]| {
        matches!(rest, [b'\\', b'#', digits @ ..]
            if digits.len() >= 3 && digits[..3].iter().all(u8::is_ascii_digit))
    };
    let mut rest = name;
    for chunk in name.utf8_chunks() {
        for &byte in chunk.valid().as_bytes() {
            if looks_escaped(rest) || (byte != b'\t' && byte.is_ascii_control()) {
                line.extend(format!("\\#{byte:03o}").bytes());
            } else {
                line.push(byte);
            }
            rest = &rest[1..];
        }
        for byte in chunk.invalid() {
            line.extend(format!("\\#{byte:03o}").bytes());
        }
        rest = &rest[chunk.invalid().len()..];
    }
}

/// The counts in words. `same`: whether nothing differs.
pub fn differences_line(counts: &Compared, same: bool) -> String {
    let all = Difference::ALL.into_iter().map(|difference| (difference, counts.of(difference)));
    let words = all.filter(|(difference, count)| *count > 0 || *difference == Difference::Same);
    let words: Vec<_> = words
        .map(|(difference, count)| format!("{} {}", text::count(count), difference.name().replace('-', " ")))
        .collect();
    let (a, b) = (text::counted(counts.left.names, "name"), text::count(counts.right.names));
    let mut line = format!(
        "{}: {}; {a} in A, {b} in B, {} in both",
        if same { "the same" } else { "different" },
        words.join(", "),
        text::count(counts.on_both)
    );
    for (letter, side) in [("A", &counts.left), ("B", &counts.right)] {
        let further = side.rows - side.names;
        if further > 0 {
            let verb = if further == 1 { "repeats a name" } else { "repeat names" };
            line += &format!("; {} of {letter} {verb}", text::counted(further, "row"));
        }
    }
    line
}

/// A difference for programs.
pub fn difference_json(pair: &Pair<'_>, difference: Difference) -> Value {
    let digests = |content: &Option<Content>| content.as_ref().map(|content| Digests::of(&content.digests));
    let size = |content: &Option<Content>| content.as_ref().and_then(|content| content.size);
    let (a, b) = (pair.left(), pair.right());
    let line = DifferenceLine {
        path: pair.path().into(),
        difference: difference.name(),
        a: digests(&a),
        a_size_bytes: size(&a),
        a_lists: pair.left_conflict.map(contradiction),
        b: digests(&b),
        b_size_bytes: size(&b),
        b_lists: pair.right_conflict.map(contradiction),
    };
    line.value()
}

/// The counts for programs. `same`: whether nothing differs.
pub fn differences_json(counts: &Compared, same: bool) -> Value {
    let of = |difference: Difference| (difference.name(), counts.of(difference));
    let summary = DifferencesLine {
        summary: Difference::ALL.into_iter().map(of).collect(),
        names: counts.names(),
        on_both: counts.on_both,
        a: (&counts.left).into(),
        b: (&counts.right).into(),
        same,
    };
    summary.value()
}

/// The schemas of both.
pub(crate) fn schemas() -> Vec<Value> {
    vec![DifferenceLine::schema(), DifferencesLine::schema()]
}

schema_fns! {
    difference_names => one_of(Difference::ALL.map(Difference::name));
    by_difference => count_of_each(Difference::ALL.map(Difference::name));
}

lines! {
    struct DifferenceLine: "hashlane-diff" {
        #[serde(flatten)]
        path: Path,
        /// How A and B differ.
        #[schemars(schema_with = "difference_names")]
        difference: &'static str,
        ..if known {
            /// Digests in A, by algorithm.
            a: Digests,
            /// The size in A.
            a_size_bytes: u64,
            /// How A contradicts itself.
            a_lists: String,
            /// Digests in B, by algorithm.
            b: Digests,
            /// The size in B.
            b_size_bytes: u64,
            /// How B contradicts itself.
            b_lists: String,
        }
    }

    struct DifferencesLine: "hashlane-diff" {
        /// Names by difference.
        #[schemars(schema_with = "by_difference")]
        summary: Counts,
        /// Names on either side.
        names: u64,
        /// Names on both sides.
        on_both: u64,
        /// Counts of A.
        a: OfSide,
        /// Counts of B.
        b: OfSide,
        /// Whether nothing differs.
        same: bool,
    }
}

written! {
    /// What a side has.
    struct OfSide = of: &SideCounts {
        /// Rows read.
        rows: u64 = of.rows,
        /// Distinct names.
        names: u64 = of.names,
        /// Rows that repeat another row.
        repeated: u64 = of.repeated,
        /// Rows that add to another row.
        merged: u64 = of.merged,
        /// Rows that contradict another row.
        conflicting: u64 = of.conflicting,
        /// Directories that could not be searched.
        unsearched: u64 = of.unsearched,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_as_rsync_does() {
        let names: [(&[u8], &[u8]); 6] = [
            (b"plain name", b"plain name"),
            ("größe".as_bytes(), "größe".as_bytes()),
            (b"a\nb\tc\x7f", b"a\\#012b\tc\\#177"),
            (b"\xff\xfe.x", b"\\#377\\#376.x"),
            (b"back\\slash\\#12", b"back\\slash\\#12"),
            (b"\\#012", b"\\#134#012"),
        ];
        for (name, expected) in names {
            let mut line = Vec::new();
            push_rsync_name(&mut line, name);
            assert_eq!(line.escape_ascii().to_string(), expected.escape_ascii().to_string());
        }
    }
}
