//! CSV (RFC 4180) with a header: `path,size_bytes,mtime,ALGORITHM...,path_b64`.
//!
//! A name that is not UTF-8 stands in `path` as it can be shown and in `path_b64` as it is; for all others
//! `path_b64` is empty. A reader takes the columns in any order and needs only `path` or `path_b64`, and one
//! algorithm.

use hashlane_digest::Algorithm;
use hashlane_record::{ItemPath, Timestamp};

use crate::error::Error;
use crate::format::{Entry, Format, Parser, Renderer, Setup, Spec};
use crate::header::Header;
use crate::item::Item;
use crate::lines::{LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind, excerpt};
use crate::rfc3339;
use crate::text::{
    Fields, decode_plain, parse_number, path_of_both, push_base64_bytes, push_field, push_number, push_plain,
};
use crate::write_options::WriteOptions;

const EXPECTED_HEADER: &str = "path,size_bytes,mtime,ALGORITHM...,path_b64";

pub(crate) const SPEC: Spec = Spec {
    name: "csv",
    shape: "path,size_bytes,mtime,HEX...,path_b64",
    many_algorithms: true,
    detected_by: "its header, which names path and an algorithm",
    by_first_line: true,
    sizes: true,
    times: true,
    recognizes: is_header,
    renderer: Some(renderer),
    ..Spec::read_by(parser)
};

/// A column of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Path,
    PathBase64,
    Size,
    Modified,
    Digest(Algorithm),
}

fn column(name: &[u8]) -> Option<Column> {
    Some(match name {
        b"path_b64" => Column::PathBase64,
        _ if is_one_of(name, &["path", "filename", "file", "name", "file_name", "filepath"]) => Column::Path,
        _ if is_one_of(name, &["size_bytes", "size", "bytes", "filesize", "file_size"]) => Column::Size,
        b"mtime" => Column::Modified,
        _ => Column::Digest(Algorithm::named(std::str::from_utf8(name).ok()?)?),
    })
}

/// Whether a column has one of these names, ours first: tables of others call it otherwise.
fn is_one_of(column: &[u8], names: &[&str]) -> bool {
    names.iter().any(|name| column.eq_ignore_ascii_case(name.as_bytes()))
}

/// Whether a line names a path and an algorithm, whatever else it names.
fn is_header(line: &[u8]) -> bool {
    let mut fields = Fields::new();
    if !fields.feed(line).unwrap_or(false) {
        return false;
    }
    let known: Vec<_> = fields.iter().take(64).filter_map(column).collect();
    let has = |wanted: fn(&Column) -> bool| known.iter().any(wanted);
    // Sets of known files have columns of such names too, and others that nobody knows here.
    let is_ours =
        fields.iter().any(|name| name == b"path" || name == b"path_b64") || known.len() == fields.len();
    is_ours
        && has(|column| matches!(column, Column::Path | Column::PathBase64))
        && has(|column| matches!(column, Column::Digest(_)))
}

struct Table {
    columns: Vec<Column>,
    algorithms: Vec<Algorithm>,
    wanted: Option<Algorithm>,
    fields: Fields,
}

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    // A carriage return inside quotation marks belongs to the name; outside them the fields drop it.
    lines.set_ends(LineEnds::Lf);
    let format = setup.format;
    let missing = Error::MissingHeader { format, expected: EXPECTED_HEADER };
    let Some(Ok(line)) = lines.next() else {
        return Err(missing);
    };
    let mut fields = Fields::new();
    if !is_header(line.text) || !fields.feed(line.text).unwrap_or(false) {
        return Err(missing);
    }
    let mut columns = Vec::new();
    for name in fields.iter() {
        match column(name) {
            None => return Err(Error::UnknownColumn { format, column: excerpt(name) }),
            Some(column) if columns.contains(&column) => {
                return Err(Error::DuplicateColumn { format, column: excerpt(name) });
            }
            Some(column) => columns.push(column),
        }
    }
    let digests = columns.iter().filter_map(|column| match column {
        Column::Digest(algorithm) => Some(*algorithm),
        _ => None,
    });
    let algorithms = setup.algorithms_listed(digests)?;
    Ok(Box::new(Table { columns, algorithms, wanted: setup.wanted, fields }))
}

impl Parser for Table {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        self.fields.clear();
        // The first line of the record: its number, its offset and what of it would be shown.
        let mut first: Option<(u64, u64, Vec<u8>)> = None;
        loop {
            // Inside quotation marks it is part of the name.
            lines.skip_marks(first.is_none());
            let line = match lines.next() {
                Some(Ok(line)) => line,
                Some(Err(problem)) => return Some(Err(problem)),
                None => {
                    let (number, offset, text) = first?;
                    let kind = ProblemKind::UnclosedQuote { field: self.fields.len() + 1 };
                    let problem = LineProblem::new(number, offset, kind, &text);
                    // All that follows the quotation mark went unread.
                    return Some(Err(problem.entry_if(true)));
                }
            };
            if first.is_none() && matches!(line.text, b"" | b"\r") {
                continue;
            }
            let shown = &line.text[..line.text.len().min(128)];
            let (number, offset, text) =
                first.get_or_insert_with(|| (line.number, line.offset, shown.to_vec()));
            let result = match self.fields.feed(line.text) {
                Ok(false) => continue,
                Ok(true) => self.item(*number),
                Err(kind) => Err(kind),
            };
            return Some(result.map_err(|kind| {
                // There are no comments.
                LineProblem::new(*number, *offset, kind, text).entry_if(true).of_file(self.path())
            }));
        }
    }

    fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }
}

impl Table {
    /// The name in a row that has all columns.
    fn path(&self) -> Option<ItemPath> {
        let field = |wanted: Column| {
            let place = self.columns.iter().position(|column| *column == wanted)?;
            self.fields.iter().nth(place).filter(|field| !field.is_empty())
        };
        let is_whole = self.fields.len() == self.columns.len();
        let path = is_whole.then(|| path_of_both(field(Column::Path), field(Column::PathBase64)));
        path.and_then(Result::ok)
    }

    fn item(&self, line: u64) -> Result<Item, ProblemKind> {
        if self.fields.len() != self.columns.len() {
            return Err(ProblemKind::FieldCount { expected: self.columns.len(), found: self.fields.len() });
        }
        let (mut path, mut base64, mut size, mut modified) = (None, None, None, None);
        let mut digests = Vec::with_capacity(self.algorithms.len());
        for (&column, field) in self.columns.iter().zip(self.fields.iter()) {
            match column {
                _ if field.is_empty() => {}
                Column::Path => path = Some(field),
                Column::PathBase64 => base64 = Some(field),
                Column::Size => size = Some(parse_number(field).ok_or(ProblemKind::NotASize)?),
                Column::Modified => modified = Some(time(field)?),
                Column::Digest(algorithm) => {
                    let digest = decode_plain(algorithm, field)?;
                    if self.wanted.is_none_or(|wanted| wanted == algorithm) {
                        digests.push(digest);
                    }
                }
            }
        }
        if digests.is_empty() {
            return Err(ProblemKind::NoDigest);
        }
        let path = path_of_both(path, base64)?;
        Ok(Item { line, path, size, modified, digests, ..Item::default() })
    }
}

fn time(field: &[u8]) -> Result<Timestamp, ProblemKind> {
    std::str::from_utf8(field).ok().and_then(rfc3339::parse).ok_or(ProblemKind::MalformedTime)
}

struct Rows {
    algorithms: Vec<Algorithm>,
}

fn renderer(algorithms: &[Algorithm], _: &WriteOptions) -> Result<Box<dyn Renderer>, Error> {
    Ok(Box::new(Rows { algorithms: algorithms.to_vec() }))
}

impl Renderer for Rows {
    fn preamble(&mut self, _: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        text.extend_from_slice(b"path,size_bytes,mtime,");
        for algorithm in &self.algorithms {
            text.extend_from_slice(algorithm.name().as_bytes());
            text.push(b',');
        }
        text.extend_from_slice(b"path_b64\n");
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        entry.must_be_read(Format(&SPEC))?;
        let shown = String::from_utf8_lossy(entry.path.as_bytes());
        push_field(text, shown.as_bytes());
        text.push(b',');
        if let Some(size) = entry.size {
            push_number(text, size);
        }
        text.push(b',');
        if let Some(modified) = entry.modified {
            rfc3339::push(text, modified);
        }
        text.push(b',');
        let mut any = false;
        for &algorithm in &self.algorithms {
            if let Some(digest) = entry.digest(algorithm) {
                push_plain(text, digest);
                any = true;
            }
            text.push(b',');
        }
        if !any {
            entry.needed_digest(self.algorithms[0], Format(&SPEC))?;
        }
        if !is_utf8(entry.path) {
            push_base64_bytes(text, entry.path.as_bytes());
        }
        text.push(b'\n');
        Ok(())
    }
}

fn is_utf8(path: &ItemPath) -> bool {
    std::str::from_utf8(path.as_bytes()).is_ok()
}
