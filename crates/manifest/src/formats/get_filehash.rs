//! What `Get-FileHash` of PowerShell shows: a table, a list, or what `Export-Csv` and `ConvertTo-Csv` make of it. Read only.
//!
//! Each entry names its algorithm. A table on the screen cuts off what finds no room; such an entry is wrong, it does not pass.

use hashlane_digest::Algorithm;

use crate::error::Error;
use crate::format::{Parser, Setup, Spec};
use crate::header::Recorded;
use crate::item::Item;
use crate::lines::{Line, Lines};
use crate::problem::{LineProblem, ProblemKind};
use crate::shape::{algorithm_of_tag, is_comment};
use crate::text::{Fields, checked_name, decode_plain};

pub(crate) const SPEC: Spec = Spec {
    name: "get-filehash",
    shape: "ALGORITHM HEX name",
    many_algorithms: true,
    detected_by: "the headings Algorithm, Hash and Path in the first line",
    by_first_line: true,
    recognizes: |line| Shape::of(line).is_some(),
    ..Spec::read_by(parser)
};

/// The headings, in their order.
const HEADINGS: [&str; 3] = ["Algorithm", "Hash", "Path"];

/// What stands at the end of what was cut off.
const CUT_OFF: [&[u8]; 2] = [b"...", "\u{2026}".as_bytes()];

/// How the entries stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// One in a line, separated by commas.
    Csv,
    /// One in a line, in columns.
    Table,
    /// One in several lines, each with its heading.
    List,
}

impl Shape {
    /// That of a text with this first line.
    fn of(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?.trim();
        let is_heading = |(word, heading): (&str, &str)| word.trim_matches('"') == heading;
        if text.split(',').zip(HEADINGS).all(is_heading) && text.split(',').count() == HEADINGS.len() {
            Some(Self::Csv)
        } else if text.split_ascii_whitespace().eq(HEADINGS) {
            Some(Self::Table)
        } else {
            value_of(line, HEADINGS[0]).is_some().then_some(Self::List)
        }
    }
}

/// What stands behind a heading and a colon.
fn value_of<'a>(line: &'a [u8], heading: &str) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(heading.as_bytes())?.trim_ascii_start();
    Some(rest.strip_prefix(b":")?.trim_ascii())
}

/// The parser.
struct Hashes {
    shape: Shape,
    wanted: Option<Algorithm>,
    recorded: Recorded,
    /// The values of an entry in several lines that is not whole yet, under their headings.
    begun: Vec<Vec<u8>>,
    /// Where that entry begins.
    begin: (u64, u64),
}

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let mut is_other = |line: &&[u8]| !line.trim_ascii().is_empty() && !is_comment(line);
    let shape = lines.window()?.split(|&byte| byte == b'\n').find(&mut is_other).and_then(Shape::of);
    Ok(Box::new(Hashes {
        shape: shape.unwrap_or(Shape::Table),
        wanted: setup.wanted,
        recorded: setup.recorded,
        begun: Vec::new(),
        begin: (0, 0),
    }))
}

impl Parser for Hashes {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        loop {
            let line = match lines.next() {
                Some(Ok(line)) => line,
                Some(Err(problem)) => return Some(Err(problem)),
                None if self.begun.is_empty() => return None,
                None => return Some(Err(self.broken_off())),
            };
            let text = line.text.trim_ascii_end();
            // The headings and the rule below them say nothing.
            let is_rule = |text: &[u8]| text.iter().all(|byte| matches!(byte, b'-' | b' '));
            let is_head = self.shape != Shape::List && Shape::of(text) == Some(self.shape);
            if is_comment(line.text) {
                let Err(kind) = self.recorded.note(line.text) else { continue };
                return Some(Err(line.problem(kind)));
            }
            if text.is_empty() || is_head || self.shape == Shape::Table && is_rule(text) {
                continue;
            }
            let result = match self.shape {
                Shape::Csv => self.record(&line),
                Shape::Table => self.row(&line),
                Shape::List => match self.value(&line) {
                    Ok(None) => continue,
                    Ok(Some(item)) => Ok(item),
                    Err(kind) => Err(kind),
                },
            };
            return Some(result.map_err(|kind| line.problem(kind).entry_if(true)));
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }
}

impl Hashes {
    fn record(&self, line: &Line<'_>) -> Result<Item, ProblemKind> {
        let expected = "\"ALGORITHM\",\"DIGEST\",\"NAME\"";
        let mut fields = Fields::new();
        let is_whole = fields.feed(line.text)?;
        let values: Vec<_> = fields.iter().collect();
        match values[..] {
            [algorithm, digest, name] if is_whole => self.item(line.number, [algorithm, digest, name]),
            _ => Err(ProblemKind::NotALine { expected }),
        }
    }

    fn row(&self, line: &Line<'_>) -> Result<Item, ProblemKind> {
        let expected = "ALGORITHM, DIGEST and NAME in columns";
        let word = |text: &'_ [u8]| text.iter().position(|byte| *byte == b' ');
        let text = line.text.trim_ascii();
        let cut = word(text).map(|end| (&text[..end], text[end..].trim_ascii_start()));
        let cut = cut.and_then(|(algorithm, rest)| {
            word(rest).map(|end| [algorithm, &rest[..end], rest[end..].trim_ascii_start()])
        });
        self.item(line.number, cut.ok_or(ProblemKind::NotALine { expected })?)
    }

    /// Takes in a line of an entry in several; the entry, if that is its last one.
    fn value(&mut self, line: &Line<'_>) -> Result<Option<Item>, ProblemKind> {
        let expected = "Algorithm, Hash and Path, each with a colon and a value";
        let text = line.text.trim_ascii_end();
        let heading = HEADINGS[self.begun.len()];
        if let Some(value) = value_of(text, heading) {
            if self.begun.is_empty() {
                self.begin = (line.number, line.offset);
            }
            self.begun.push(value.to_vec());
        } else if let (Some(last), [b' ', ..]) = (self.begun.last_mut(), text) {
            // A long value goes on in the next line.
            last.extend_from_slice(text.trim_ascii());
        } else {
            self.begun.clear();
            return Err(ProblemKind::NotALine { expected });
        }
        match &self.begun[..] {
            [algorithm, digest, name] => {
                let item = self.item(self.begin.0, [algorithm, digest, name]);
                self.begun.clear();
                item.map(Some)
            }
            _ => Ok(None),
        }
    }

    fn item(&self, line: u64, [algorithm, digest, name]: [&[u8]; 3]) -> Result<Item, ProblemKind> {
        if CUT_OFF.iter().any(|end| name.ends_with(end) || digest.ends_with(end)) {
            return Err(ProblemKind::CutOff);
        }
        let found = algorithm_of_tag(algorithm).ok_or_else(|| ProblemKind::unknown_algorithm(algorithm))?;
        if let Some(wanted) = self.wanted.filter(|wanted| *wanted != found) {
            return Err(ProblemKind::AlgorithmNotAsked { wanted });
        }
        Ok(Item::of_digest(line, checked_name(name)?, decode_plain(found, digest)?))
    }

    /// What is said of an entry whose last lines are missing.
    fn broken_off(&mut self) -> LineProblem {
        let kind = ProblemKind::NotALine { expected: "a Path behind Algorithm and Hash" };
        let text = self.begun.concat();
        self.begun.clear();
        LineProblem::new(self.begin.0, self.begin.1, kind, &text).entry_if(true)
    }
}
