//! Differences as lines: for people, for programs, and for rsync.

use std::collections::HashMap;
use std::io::Write as _;

use hashlane_audit::diff::{Conflict, Counts, Difference, Pair, SideCounts};
use hashlane_audit::{Content, Verdict};
use hashlane_report::text;
use hashlane_verify::normalization::{composed, form};
use serde_json::{Map, Value, json};

use crate::args::{DiffArgs, DiffFormat};
use crate::output::Output;
use crate::report::{digests_json, insert_name, push_name, unwritten};
use crate::status::Status;
use crate::terminal::screen::Screen;

/// How many names that one side has alone are remembered, to find them on the other side in other bytes: memory is bounded.
const MOST_UNMATCHED: usize = 1 << 16;

/// Prints differences.
pub(crate) struct Report {
    output: Output,
    screen: Screen,
    format: DiffFormat,
    zero: bool,
    verbose: bool,
    silent: bool,
    status: Status,
    /// Names that one side has alone and that have several spellings, by the composed one.
    unmatched: HashMap<Vec<u8>, (Vec<u8>, Difference)>,
}

impl Report {
    pub(crate) fn new(args: &DiffArgs, output: Output, screen: &Screen) -> Self {
        Self {
            output,
            screen: screen.clone(),
            format: args.format,
            zero: args.zero,
            verbose: args.verbose,
            silent: args.status,
            status: Status::OK,
            unmatched: HashMap::new(),
        }
    }

    /// What all differences so far mean for the exit code.
    pub(crate) fn status(&self) -> Status {
        self.status
    }

    /// Prints a difference, which may be another than the pair itself knows.
    pub(crate) fn pair(&mut self, pair: &Pair<'_>, difference: Difference) -> anyhow::Result<()> {
        if matches!(difference, Difference::Same | Difference::Excluded) {
            return Ok(());
        }
        self.status |= status_of(difference);
        if self.silent {
            return Ok(());
        }
        if matches!(difference, Difference::New | Difference::Missing) {
            self.unmatched(pair.path(), difference);
        }
        let line = match self.format {
            DiffFormat::Text => self.text(pair, difference),
            DiffFormat::Json => json_line(pair, difference),
            DiffFormat::Rsync => self.rsync(pair, difference),
            DiffFormat::Names => self.name(pair, difference),
        };
        self.output.write_all(&line).map_err(|error| self.output.place().failed(&error))
    }

    /// Says of a name that one side has alone if the other has it in another Unicode normalization.
    fn unmatched(&mut self, name: &[u8], difference: Difference) {
        let Some(composed) = composed(name) else { return };
        match self.unmatched.get(&composed) {
            Some((other, side)) if *side != difference => {
                let (this, that) = if difference == Difference::New { ("B", "A") } else { ("A", "B") };
                self.screen.message(&format!(
                    "{}: {this} has that name in {}, and {that} has it in {}; to the file system these are two names",
                    text::name(name),
                    form(name),
                    form(other)
                ));
            }
            None if self.unmatched.len() < MOST_UNMATCHED => {
                self.unmatched.insert(composed, (name.to_vec(), difference));
            }
            _ => {}
        }
    }

    /// Ends the output of a run that was stopped.
    pub(crate) fn leave(self, screen: &Screen) -> anyhow::Result<()> {
        self.output.leave(screen)
    }

    /// Ends the output; with the counts, if anything was compared.
    pub(crate) fn finish(mut self, counts: Option<(&Counts, bool)>, screen: &Screen) -> anyhow::Result<()> {
        let Some((counts, same)) = counts else { return self.output.withdraw(screen) };
        if self.format == DiffFormat::Json && !self.silent {
            let written = writeln!(self.output, "{}", summary_json(counts, same));
            written.map_err(|error| self.output.place().failed(&error))?;
        }
        self.output.finish()
    }

    fn push(&self, line: &mut Vec<u8>, name: &[u8]) {
        if self.zero { line.extend_from_slice(name) } else { push_name(line, name) }
    }

    fn end(&self, line: &mut Vec<u8>) {
        line.push(if self.zero { 0 } else { b'\n' });
    }

    fn text(&self, pair: &Pair<'_>, difference: Difference) -> Vec<u8> {
        let mut line = Vec::new();
        self.push(&mut line, pair.path());
        line.extend(b": ");
        let size = |content: Option<Content>| content.and_then(|content| content.size);
        let sizes = size(pair.left()).zip(size(pair.right()));
        match difference {
            Difference::Collision if sizes.is_some_and(|(a, b)| a != b) => {
                line.extend(b"COLLISION (a digest is the same, the size is not)")
            }
            Difference::Corrupt => line.extend(format!("CORRUPT ({})", corrupt(pair, sizes)).bytes()),
            difference => line.extend(word(difference).bytes()),
        }
        if difference != pair.difference {
            line.extend(
                b" (not a file, or behind a symbolic link (see --follow) or an unreadable directory)",
            );
        }
        for (letter, conflict) in [("A", pair.left_conflict), ("B", pair.right_conflict)] {
            if let Some(conflict) = conflict {
                line.extend(format!(" ({letter} lists {})", contradiction(conflict)).bytes());
            }
        }
        self.end(&mut line);
        if self.verbose {
            details(&mut line, pair.left(), pair.right());
        }
        line
    }

    /// As `rsync -i` shows what it does to make a copy of A hold what B holds.
    fn rsync(&self, pair: &Pair<'_>, difference: Difference) -> Vec<u8> {
        let mut line: Vec<u8> = match difference {
            Difference::Same | Difference::Excluded => return Vec::new(),
            Difference::New => b">f+++++++++".to_vec(),
            Difference::Missing => b"*deleting  ".to_vec(),
            Difference::Changed | Difference::Corrupt | Difference::Collision => {
                let (left, right) = (pair.left(), pair.right());
                let both = left.zip(right);
                let size = both.as_ref().and_then(|(left, right)| Some(left.size? != right.size?));
                let time = both.as_ref().and_then(|(left, right)| Some(left.modified? != right.modified?));
                let mark = |differs: Option<bool>, letter| if differs == Some(true) { letter } else { b'.' };
                [&b">fc"[..], &[mark(size, b's'), mark(time, b't')], b"......"].concat()
            }
            _ => b">f?????????".to_vec(),
        };
        line.push(b' ');
        if self.zero {
            line.extend_from_slice(pair.path())
        } else {
            push_rsync_name(&mut line, pair.path())
        }
        self.end(&mut line);
        line
    }

    /// The name of what B has, and A has not or has otherwise.
    fn name(&mut self, pair: &Pair<'_>, difference: Difference) -> Vec<u8> {
        let name = pair.path();
        if difference == Difference::Missing || !pair.is_on().1 {
            return Vec::new();
        }
        let mut line = Vec::new();
        if !self.zero && name.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            self.screen.message(&format!(
                "{}: cannot be written as a line; use --zero, and rsync -0",
                text::name(name)
            ));
            self.status |= Status::UNREADABLE;
            return line;
        }
        // Else rsync takes it for a comment, with --from0 as well.
        if name.starts_with(b"#") || name.starts_with(b";") {
            line.extend_from_slice(b"./");
        }
        line.extend_from_slice(name);
        self.end(&mut line);
        line
    }
}

/// What a difference means for the exit code.
fn status_of(difference: Difference) -> Status {
    Status::of(match difference {
        Difference::Same => Verdict::Ok,
        Difference::Excluded => Verdict::Excluded,
        Difference::New => Verdict::New,
        Difference::Missing => Verdict::Missing,
        // Two lines of one list.
        Difference::Collision | Difference::Conflict => Verdict::Collision,
        Difference::Changed => Verdict::Changed,
        Difference::Corrupt => Verdict::Corrupt,
        Difference::Unreadable => Verdict::Unreadable,
        Difference::Unstable => Verdict::Unstable,
        Difference::SizeOnly => Verdict::SizeOnly,
        Difference::Unverified => Verdict::Unverified,
    })
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

/// What differs between two contents, a line each.
fn details(text: &mut Vec<u8>, a: Option<Content>, b: Option<Content>) {
    let (Some(a), Some(b)) = (a, b) else { return };
    if let (Some(one), Some(other)) = (a.size, b.size)
        && one != other
    {
        text.extend(format!("    size in A {one}\n    size in B {other}\n").bytes());
    }
    for one in &a.digests {
        let algorithm = one.algorithm();
        let other = b.digests.iter().find(|other| other.algorithm() == algorithm);
        if let Some(other) = other.filter(|other| *other != one) {
            text.extend(format!("    {algorithm} in A {one}\n    {algorithm} in B {other}\n").bytes());
        }
    }
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

fn json_line(pair: &Pair<'_>, difference: Difference) -> Vec<u8> {
    let mut object = Map::new();
    object.insert("schema".into(), "hashlane-diff".into());
    object.insert("version".into(), 1.into());
    insert_name(&mut object, "path", pair.path());
    object.insert("difference".into(), difference.name().into());
    for (letter, content) in [("a", pair.left()), ("b", pair.right())] {
        let Some(content) = content else { continue };
        object.insert(letter.into(), digests_json(&content.digests).into());
        if let Some(size) = content.size {
            object.insert(format!("{letter}_size_bytes"), size.into());
        }
    }
    for (letter, conflict) in [("a", pair.left_conflict), ("b", pair.right_conflict)] {
        if let Some(conflict) = conflict {
            object.insert(format!("{letter}_lists"), contradiction(conflict).into());
        }
    }
    let mut line = Value::Object(object).to_string().into_bytes();
    line.push(b'\n');
    line
}

fn summary_json(counts: &Counts, same: bool) -> Value {
    let differences: Map<String, Value> = Difference::ALL
        .into_iter()
        .map(|difference| (difference.name().into(), counts.of(difference).into()))
        .collect();
    let side = |side: &SideCounts| {
        json!({
            "rows": side.rows,
            "names": side.names,
            "repeated": side.repeated,
            "merged": side.merged,
            "conflicting": side.conflicting,
            "unsearched": side.unsearched,
        })
    };
    json!({
        "schema": "hashlane-diff",
        "version": 1,
        "summary": differences,
        "names": counts.names(),
        "on_both": counts.on_both,
        "a": side(&counts.left),
        "b": side(&counts.right),
        "same": same,
    })
}

/// The counts in words.
pub(crate) fn summary(counts: &Counts, same: bool) -> String {
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
