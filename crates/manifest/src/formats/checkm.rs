//! Checkm 0.7 (California Digital Library): `name | algorithm | digest | size | time`, several lines for several algorithms.
//!
//! Fields end at `|` and lose the blanks around them. What a name may not hold is written as `%` and two hexadecimal digits,
//! the percent sign itself as well. Lines that name another list (`@list`) are not followed.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{ItemPath, Timestamp};

use crate::error::Error;
use crate::format::{Entry, Format, Parser, Renderer, Setup, Spec};
use crate::header::{Header, Recorded, push_comments};
use crate::item::Item;
use crate::lines::{BYTE_ORDER_MARK, Line, Lines};
use crate::problem::{LineProblem, ProblemKind};
use crate::rfc3339;
use crate::shape::{is_comment, measure};
use crate::text::{
    checked_name, decode, parse_number, percent_decoded, push_number, push_percent, push_plain,
};

/// How a list begins that says what it is.
pub(crate) const MARK: &[u8] = b"#%checkm";

pub(crate) const SPEC: Spec = Spec {
    name: "checkm",
    shape: "name | algorithm | HEX | size | time",
    many_algorithms: true,
    detected_by: "#%checkm, or a name, an algorithm and a digest separated by vertical bars",
    sizes: true,
    times: true,
    recognizes: |line| {
        let mut fields = fields(line).skip(1);
        let has_algorithm = fields.next().and_then(algorithm).is_some();
        has_algorithm && fields.next().is_some_and(|digest| measure(digest).is_some())
    },
    renderer: Some(|algorithms, _| Ok(Box::new(Lister { algorithms: algorithms.to_vec() }))),
    ..Spec::read_by(parser)
};

fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b'|').map(<[u8]>::trim_ascii)
}

fn algorithm(name: &[u8]) -> Option<Algorithm> {
    Algorithm::named(std::str::from_utf8(name).ok().filter(|name| !name.is_empty())?)
}

/// A line, understood.
struct Row {
    path: ItemPath,
    digest: Option<Digest>,
    size: Option<u64>,
    modified: Option<Timestamp>,
}

struct Checkm {
    wanted: Option<Algorithm>,
    recorded: Recorded,
    /// A problem that ended the last item.
    pending: Option<LineProblem>,
}

fn parser(_: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    Ok(Box::new(Checkm { wanted: setup.wanted, recorded: setup.recorded, pending: None }))
}

impl Parser for Checkm {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        if let Some(problem) = self.pending.take() {
            return Some(Err(problem));
        }
        let wanted = self.wanted;
        let mut item: Option<Item> = None;
        loop {
            let line = match lines.next() {
                None => return item.map(Ok),
                Some(Err(problem)) if item.is_none() => return Some(Err(problem)),
                // A line that cannot be put back. It may belong to the item, which then has one digest less.
                Some(Err(problem)) => {
                    self.pending = Some(problem.entry_if(true));
                    return item.map(Ok);
                }
                Some(Ok(line)) => line,
            };
            if line.text.trim_ascii().is_empty() {
                continue;
            }
            if is_comment(line.text) {
                let Err(kind) = self.recorded.note(line.text) else { continue };
                return Some(Err(line.problem(kind)));
            }
            let row = match row(&line) {
                Ok(row) => row,
                Err(_) if item.is_some() => {
                    lines.put_back();
                    return item.map(Ok);
                }
                Err(kind) => {
                    return Some(Err(line.problem(kind)));
                }
            };
            let digest = row.digest.filter(|digest| wanted.is_none_or(|wanted| wanted == digest.algorithm()));
            let Some(present) = &mut item else {
                let Row { path, size, modified, .. } = row;
                let digests = digest.into_iter().collect();
                item = Some(Item { line: line.number, path, size, modified, digests, ..Item::default() });
                continue;
            };
            let has = |known: &Digest| row.digest.is_some_and(|new| new.algorithm() == known.algorithm());
            if present.path != row.path || present.size != row.size || present.digests.iter().any(has) {
                lines.put_back();
                return item.map(Ok);
            }
            present.digests.extend(digest);
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }
}

fn row(line: &Line<'_>) -> Result<Row, ProblemKind> {
    const EXPECTED: &str = "NAME | ALGORITHM | DIGEST";
    let mut fields = fields(line.text);
    let name = fields.next().unwrap_or_default();
    if name.first() == Some(&b'@') {
        return Err(ProblemKind::ListInList);
    }
    let tag = fields.next().ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
    let algorithm = algorithm(tag).ok_or_else(|| ProblemKind::unknown_algorithm(tag))?;
    let digest = fields.next().ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
    let digest = Some(decode(algorithm, digest)?);
    let mut optional = || fields.next().filter(|field| !field.is_empty());
    let size = optional().map(|size| parse_number(size).ok_or(ProblemKind::NotASize)).transpose()?;
    let modified = optional().map(|time| {
        let time = std::str::from_utf8(time).ok().and_then(rfc3339::parse);
        time.ok_or(ProblemKind::MalformedTime)
    });
    // A digest behind the last column is that of another line, whose end was lost.
    if fields.any(|field| measure(field).is_some()) {
        return Err(ProblemKind::NotALine { expected: EXPECTED });
    }
    let path = checked_name(&percent_decoded(name))?;
    Ok(Row { path, digest, size, modified: modified.transpose()? })
}

struct Lister {
    algorithms: Vec<Algorithm>,
}

impl Renderer for Lister {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        text.extend_from_slice(MARK);
        text.extend_from_slice(b"_0.7\n");
        push_comments(text, header, None, b'\n');
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        let format = Format(&SPEC);
        entry.must_be_read(format)?;
        for &algorithm in &self.algorithms {
            let digest = entry.needed_digest(algorithm, format)?;
            push_name(text, entry.path.as_bytes());
            text.extend_from_slice(b" | ");
            text.extend_from_slice(algorithm.name().as_bytes());
            text.extend_from_slice(b" | ");
            push_plain(text, digest);
            if entry.size.is_some() || entry.modified.is_some() {
                text.extend_from_slice(b" | ");
            }
            if let Some(size) = entry.size {
                push_number(text, size);
            }
            if let Some(modified) = entry.modified {
                text.extend_from_slice(b" | ");
                rfc3339::push(text, modified);
            }
            text.push(b'\n');
        }
        Ok(())
    }
}

fn push_name(text: &mut Vec<u8>, name: &[u8]) {
    for (at, &byte) in name.iter().enumerate() {
        let at_edge = at == 0 || at + 1 == name.len();
        let is_special = matches!(byte, b'%' | b'|' | b'\r' | b'\n')
            || at_edge && byte.is_ascii_whitespace()
            || at == 0 && (matches!(byte, b'#' | b'@') || name.starts_with(BYTE_ORDER_MARK));
        push_percent(text, byte, is_special);
    }
}
