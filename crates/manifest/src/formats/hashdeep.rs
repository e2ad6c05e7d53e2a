//! hashdeep 1.0: `size,md5,sha256,filename` below two header lines.
//!
//! The name is all that follows the last known column, commas included; nothing is quoted or escaped, so a
//! name with a newline cannot be held. hashdeep 4.4 itself drops a carriage return at the end of a name and
//! splits lines of more than 2,047 bytes; strict writing refuses both.

use hashlane_digest::Algorithm;
use memchr::memchr;

use crate::error::Error;
use crate::format::{Entry, Format, Parser, Renderer, Setup, Spec};
use crate::header::{Header, Recorded, push_comment};
use crate::item::Item;
use crate::lines::{Line, LineEnds, Lines};
use crate::pieces::Piecewise;
use crate::problem::{LineProblem, ProblemKind, excerpt};
use crate::shape::is_comment;
use crate::text::{checked_name, decode_plain, parse_number, push_number, push_plain};
use crate::write_options::WriteOptions;

/// hashdeep's algorithms in the order of its columns.
const COLUMNS: [&str; 5] = ["md5", "sha1", "sha256", "tiger", "whirlpool"];

/// The longest line that hashdeep 4.4 reads whole, in bytes.
const MAX_STRICT_LINE: usize = 2047;

const MAGIC: &[u8] = b"%%%% HASHDEEP-1.0";
const MARK: &[u8] = b"%%%% ";
const EXPECTED_HEADER: &str = "`%%%% HASHDEEP-1.0` and `%%%% size,ALGORITHM...,filename`";

pub(crate) const SPEC: Spec = Spec {
    name: "hashdeep",
    shape: "size,HEX...,name",
    many_algorithms: true,
    detected_by: "its first line, %%%% HASHDEEP-1.0",
    by_first_line: true,
    sizes: true,
    pieces: Some(Piecewise::ByName),
    recognizes: is_magic,
    renderer: Some(renderer),
    ..Spec::read_by(parser)
};

fn is_magic(line: &[u8]) -> bool {
    line.trim_ascii_end().eq_ignore_ascii_case(MAGIC)
}

/// A line of columns that was not accepted.
enum BadColumns {
    /// It does not begin with `size`, end with `filename` or name an algorithm between.
    Form,
    Duplicate(String),
    Unknown(String),
}

/// The algorithms of a line of columns.
fn columns(line: &[u8]) -> Result<Vec<Algorithm>, BadColumns> {
    let text = line.strip_prefix(MARK).ok_or(BadColumns::Form)?;
    let mut names = text.trim_ascii().split(|&byte| byte == b',').collect::<Vec<_>>();
    let size = names.first().is_some_and(|name| name.eq_ignore_ascii_case(b"size"));
    let filename = names.last().is_some_and(|name| name.eq_ignore_ascii_case(b"filename"));
    if !size || !filename || names.len() < 3 {
        return Err(BadColumns::Form);
    }
    names.pop();
    let mut algorithms = Vec::new();
    for name in &names[1..] {
        let known = std::str::from_utf8(name).ok().and_then(Algorithm::named);
        let algorithm = known.ok_or_else(|| BadColumns::Unknown(excerpt(name)))?;
        if algorithms.contains(&algorithm) {
            return Err(BadColumns::Duplicate(excerpt(name)));
        }
        algorithms.push(algorithm);
    }
    Ok(algorithms)
}

/// Whether a text is one of hashdeep with `-0`: the lines above end with newlines, the records below with NUL. Known by the first
/// record, for a torn file may have NUL bytes behind it.
pub(crate) fn has_nul_records(text: &[u8]) -> bool {
    text.starts_with(MAGIC) && first_ends_with_nul(text)
}

/// Whether a text begins with what stands above records, which begin with digits.
fn is_above_records(text: &[u8]) -> bool {
    text.starts_with(MARK) || text.starts_with(b"#")
}

fn first_ends_with_nul(mut text: &[u8]) -> bool {
    while is_above_records(text) {
        let Some(end) = memchr(b'\n', text) else { return false };
        text = &text[end + 1..];
    }
    let Some(end) = memchr(0, text) else { return false };
    // A newline before it belongs to a name where no record follows. A file that is torn has records there, or nothing.
    let mut lines = text[..end].split(|&byte| byte == b'\n').skip(1);
    lines.all(|line| !line.is_empty() && !begins_as_record(line))
}

/// Whether a line may be a record: a size, and more behind it.
fn begins_as_record(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && line.get(digits) == Some(&b',')
}

struct Hashdeep {
    /// Records end with NUL, and what stands above them with newlines.
    nul_records: bool,
    /// Empty after a header in the middle of the file that was not understood.
    columns: Vec<Algorithm>,
    wanted: Option<Algorithm>,
    recorded: Recorded,
    /// A problem that was met while the header was read.
    first: Option<LineProblem>,
}

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let format = setup.format;
    let missing = || Error::MissingHeader { format, expected: EXPECTED_HEADER };
    match lines.next() {
        Some(Ok(line)) if is_magic(line.text) => {}
        _ => return Err(missing()),
    }
    let columns = match lines.next() {
        Some(Ok(line)) => columns(line.text).map_err(|bad| match bad {
            BadColumns::Form => missing(),
            BadColumns::Duplicate(column) => Error::DuplicateColumn { format, column },
            BadColumns::Unknown(column) => Error::UnknownColumn { format, column },
        })?,
        _ => return Err(missing()),
    };
    let columns = setup.algorithms_listed(columns.into_iter())?;
    let mut recorded = setup.recorded;
    let mut first = None;
    while let Some(line) = lines.next() {
        let line = match line {
            Ok(line) => line,
            Err(problem) => {
                first = Some(problem);
                break;
            }
        };
        if !is_comment(line.text) {
            lines.put_back();
            break;
        }
        match recorded.note(line.text) {
            Err(ProblemKind::HeaderTooLong { limit }) => return Err(Error::HeaderTooLong { limit }),
            Err(kind @ ProblemKind::CommentedEntry) => {
                first = Some(line.problem(kind));
                break;
            }
            _ => {}
        }
    }
    let nul_records = first_ends_with_nul(lines.window()?);
    Ok(Box::new(Hashdeep { nul_records, columns, wanted: setup.wanted, recorded, first }))
}

impl Parser for Hashdeep {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        if let Some(problem) = self.first.take() {
            return Some(Err(problem));
        }
        loop {
            let by_nul = lines.ends() == LineEnds::Nul;
            let line = match lines.next()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            let is_above = is_above_records(line.text);
            if self.nul_records && is_above == by_nul {
                // It was cut by the end of the other kind.
                lines.put_back();
                lines.set_ends(if is_above { LineEnds::Lf } else { LineEnds::Nul });
                continue;
            }
            let result = if line.text.is_empty() || is_magic(line.text) {
                continue;
            } else if is_comment(line.text) {
                self.recorded.note(line.text).err().map(Err)
            } else if line.text.starts_with(MARK) {
                self.change_columns(line.text).err().map(Err)
            } else {
                Some(self.item(&line))
            };
            if let Some(result) = result {
                let path = || self.name(line.text).and_then(|name| checked_name(name).ok());
                return Some(result.map_err(|kind| line.problem(kind).of_file(path())));
            }
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }

    fn algorithms(&self) -> &[Algorithm] {
        &self.columns
    }
}

impl Hashdeep {
    /// Takes in the header of a file that was appended to this one.
    fn change_columns(&mut self, line: &[u8]) -> Result<(), ProblemKind> {
        self.columns.clear();
        self.columns = columns(line).map_err(|bad| match bad {
            BadColumns::Form => ProblemKind::NotALine { expected: EXPECTED_HEADER },
            BadColumns::Duplicate(column) | BadColumns::Unknown(column) => ProblemKind::BadColumn { column },
        })?;
        Ok(())
    }

    /// What follows the size and the digests of a row.
    fn name<'a>(&self, row: &'a [u8]) -> Option<&'a [u8]> {
        row.splitn(self.columns.len() + 2, |&byte| byte == b',').nth(self.columns.len() + 1)
    }

    fn item(&self, line: &Line<'_>) -> Result<Item, ProblemKind> {
        let not_a_line = ProblemKind::NotALine { expected: "size,DIGEST...,filename" };
        let mut rest = line.text;
        let mut field = || {
            let comma = memchr(b',', rest)?;
            let field = &rest[..comma];
            rest = &rest[comma + 1..];
            Some(field)
        };
        let Some(size) = field().filter(|_| !self.columns.is_empty()) else {
            return Err(not_a_line);
        };
        let size = parse_number(size).ok_or(ProblemKind::NotASize)?;
        let mut digests = Vec::with_capacity(self.columns.len());
        for &algorithm in &self.columns {
            let Some(text) = field() else {
                return Err(not_a_line);
            };
            let digest = decode_plain(algorithm, text)?;
            if self.wanted.is_none_or(|wanted| wanted == algorithm) {
                digests.push(digest);
            }
        }
        if digests.is_empty() {
            return Err(ProblemKind::NoDigest);
        }
        let path = checked_name(rest)?;
        Ok(Item { line: line.number, path, size: Some(size), modified: None, digests, ..Item::default() })
    }
}

struct Lister {
    columns: Vec<Algorithm>,
    strict: bool,
}

fn renderer(algorithms: &[Algorithm], options: &WriteOptions) -> Result<Box<dyn Renderer>, Error> {
    let place = |algorithm: &Algorithm| COLUMNS.iter().position(|&name| name == algorithm.name());
    if let Some(&algorithm) = algorithms.iter().find(|algorithm| place(algorithm).is_none())
        && options.strict_hashdeep
    {
        return Err(Error::NotInHashdeep { algorithm });
    }
    let mut columns = algorithms.to_vec();
    columns.sort_by_key(|algorithm| place(algorithm).unwrap_or(COLUMNS.len()));
    Ok(Box::new(Lister { columns, strict: options.strict_hashdeep }))
}

impl Renderer for Lister {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        text.extend_from_slice(MAGIC);
        text.extend_from_slice(b"\n%%%% size,");
        for algorithm in &self.columns {
            text.extend_from_slice(algorithm.name().as_bytes());
            text.push(b',');
        }
        text.extend_from_slice(b"filename\n");
        let Some(header) = header else {
            return Ok(());
        };
        push_wrapped(text, "## Invoked from: ", header.cwd.as_bytes());
        push_wrapped(text, if header.superuser { "## # " } else { "## $ " }, header.shown_command());
        if let Some(shard) = &header.shard {
            push_comment(text, "## hashlane shard: ", shard.to_string().as_bytes(), b'\n');
        }
        for root in &header.roots {
            let start = text.len();
            push_comment(text, "## hashlane root: ", root.as_bytes(), b'\n');
            if self.strict && text.len() - start > MAX_STRICT_LINE {
                return Err(Format(&SPEC).name_not_held(root, TOO_LONG));
            }
        }
        text.extend_from_slice(b"## \n");
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        let format = Format(&SPEC);
        entry.must_be_read(format)?;
        let name = entry.path.as_bytes();
        if memchr(b'\n', name).is_some() {
            return Err(format.name_not_held(entry.path, "with a newline"));
        }
        if self.strict && name.ends_with(b"\r") {
            return Err(format.name_not_held(entry.path, "that ends with a carriage return"));
        }
        let size = entry.size.ok_or_else(|| Error::NoSize { format, path: entry.path.clone() })?;
        push_number(text, size);
        text.push(b',');
        for &algorithm in &self.columns {
            push_plain(text, entry.needed_digest(algorithm, format)?);
            text.push(b',');
        }
        text.extend_from_slice(name);
        if self.strict && text.len() > MAX_STRICT_LINE {
            return Err(format.name_not_held(entry.path, TOO_LONG));
        }
        text.push(b'\n');
        Ok(())
    }
}

const TOO_LONG: &str = "whose line is longer than the 2047 bytes that hashdeep reads";

/// Appends a comment, in lines that hashdeep does not split.
fn push_wrapped(text: &mut Vec<u8>, start: &str, value: &[u8]) {
    let mut escaped = Vec::with_capacity(value.len());
    crate::escape::push_escaped(&mut escaped, value);
    text.extend_from_slice(start.as_bytes());
    for (number, chunk) in escaped.chunks(MAX_STRICT_LINE - 64).enumerate() {
        if number > 0 {
            text.extend_from_slice(b"\n## ");
        }
        text.extend_from_slice(chunk);
    }
    text.push(b'\n');
}
