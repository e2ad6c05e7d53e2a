//! What `certutil -hashfile` of Windows prints: a heading with the name, the digest below it, and a closing line. Read only.

use hashlane_digest::Algorithm;

use crate::error::Error;
use crate::format::{Parser, Setup, Spec};
use crate::header::Recorded;
use crate::item::Item;
use crate::lines::{Line, Lines};
use crate::problem::{LineProblem, ProblemKind};
use crate::shape::{algorithm_of_tag, is_comment};
use crate::text::{checked_name, decode_plain};

pub(crate) const SPEC: Spec = Spec {
    name: "certutil",
    shape: "ALGORITHM hash of name:",
    many_algorithms: true,
    detected_by: "a first line such as \"SHA256 hash of NAME:\"",
    by_first_line: true,
    recognizes: |line| heading(line).is_some(),
    ..Spec::read_by(parser)
};

/// What stands between the algorithm and the name; in older versions with `file` behind it.
const BETWEEN: &[u8] = b" hash of ";

/// How the closing line begins, in any language.
const CLOSING: &[u8] = b"CertUtil: ";

/// The algorithm and the name of a heading.
fn heading(line: &[u8]) -> Option<(Algorithm, &[u8])> {
    let text = line.trim_ascii().strip_suffix(b":")?;
    let at = memchr::memmem::find(text, BETWEEN)?;
    let name = &text[at + BETWEEN.len()..];
    let name = name.strip_prefix(b"file ").unwrap_or(name);
    Some((algorithm_of_tag(&text[..at])?, name)).filter(|(_, name)| !name.is_empty())
}

/// The parser.
struct Hashes {
    wanted: Option<Algorithm>,
    recorded: Recorded,
    /// A heading whose digest has not come yet: its number, its offset and its text.
    begun: Option<(u64, u64, Vec<u8>)>,
}

fn parser(_: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    Ok(Box::new(Hashes { wanted: setup.wanted, recorded: setup.recorded, begun: None }))
}

impl Parser for Hashes {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        loop {
            let line = match lines.next() {
                Some(Ok(line)) => line,
                Some(Err(problem)) => return Some(Err(problem)),
                None => return self.begun.take().map(|begun| Err(without_digest(begun))),
            };
            let text = line.text.trim_ascii();
            if text.is_empty() {
                continue;
            }
            if is_comment(line.text) {
                let Err(kind) = self.recorded.note(line.text) else { continue };
                return Some(Err(line.problem(kind)));
            }
            let begin = || Some((line.number, line.offset, line.text.to_vec()));
            let result = match self.begun.take() {
                // The digest of the heading before is missing; the next may have its own.
                Some(begun) if heading(text).is_some() => {
                    self.begun = begin();
                    return Some(Err(without_digest(begun)));
                }
                // It is reported of the heading, which names the file.
                Some(begun) => {
                    let item = self.item(&begun, text);
                    item.map_err(|kind| LineProblem::new(begun.0, begun.1, kind, &begun.2))
                }
                None if heading(text).is_some() => {
                    self.begun = begin();
                    continue;
                }
                None if text.starts_with(CLOSING) => continue,
                None => Err(not_a_line(&line)),
            };
            return Some(result.map_err(|problem| problem.entry_if(true)));
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }
}

impl Hashes {
    fn item(&self, (number, _, text): &(u64, u64, Vec<u8>), digest: &[u8]) -> Result<Item, ProblemKind> {
        let expected = "a digest below its heading";
        let (found, name) = heading(text).ok_or(ProblemKind::NotALine { expected })?;
        if let Some(wanted) = self.wanted.filter(|wanted| *wanted != found) {
            return Err(ProblemKind::AlgorithmNotAsked { wanted });
        }
        // Before Windows 10 there is a blank between bytes.
        let digits: Vec<u8> = digest.iter().copied().filter(|byte| *byte != b' ').collect();
        Ok(Item::of_digest(*number, checked_name(name)?, decode_plain(found, &digits)?))
    }
}

fn not_a_line(line: &Line<'_>) -> LineProblem {
    line.problem(ProblemKind::NotALine { expected: "ALGORITHM hash of NAME:, and a digest in the next line" })
}

/// What is said of a heading without a digest below it.
fn without_digest((number, offset, text): (u64, u64, Vec<u8>)) -> LineProblem {
    let kind = ProblemKind::NotALine { expected: "a digest below its heading" };
    LineProblem::new(number, offset, kind, &text).entry_if(true)
}
