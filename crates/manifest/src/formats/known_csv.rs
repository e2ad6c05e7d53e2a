//! Sets of known files as tables: NSRL RDS 1.5 and 2, Hashkeeper, iLook 1, 3 and 4. Read only.
//!
//! All are CSV with a header that only one of them has. Columns are found by their names, those that say nothing of a file's
//! content are passed over. The names in them are those of files on somebody else's machine, and may be missing.

use hashlane_digest::{Algorithm, Digest};

use crate::error::Error;
use crate::format::{Parser, Setup, Spec};
use crate::item::Item;
use crate::lines::{LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind};
use crate::text::{Fields, checked_name, decode_plain, parse_number};

/// What stands for a name that is missing.
const NO_NAME: &[u8] = b"(no name)";

/// The columns that hold something, by their names in the header.
struct Dialect {
    /// Columns that the header has to name, whatever else it names.
    needed: &'static [&'static str],
    name: &'static str,
    size: &'static str,
    digests: &'static [(&'static str, &'static str)],
}

static NSRL_COLUMNS: Dialect = Dialect {
    needed: &["FileName", "ProductCode", "SpecialCode"],
    name: "FileName",
    size: "FileSize",
    digests: &[("SHA-256", "sha256"), ("SHA-1", "sha1"), ("MD5", "md5"), ("MD4", "md4"), ("CRC32", "crc32")],
};

static HASHKEEPER_COLUMNS: Dialect = Dialect {
    needed: &["file_id", "hashset_id", "file_name", "hash"],
    name: "file_name",
    size: "file_size",
    digests: &[("hash", "md5")],
};

static ILOOK_COLUMNS: [Dialect; 3] =
    [ilook(&["V1Hash", "FileName"]), ilook(&["V3Hash", "FileName"]), ilook(&["V4Hash", "FileName"])];

const fn ilook(needed: &'static [&'static str]) -> Dialect {
    Dialect {
        needed,
        name: "FileName",
        size: "FileSize",
        digests: &[
            ("V1Hash", "md5"),
            ("V3Hash", "md5"),
            ("V4Hash", "md5"),
            ("HashSHA1", "sha1"),
            ("HashSHA256", "sha256"),
            ("HashSHA384", "sha384"),
            ("HashSHA512", "sha512"),
        ],
    }
}

pub(crate) const NSRL: Spec = Spec {
    name: "nsrl",
    shape: "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",...",
    many_algorithms: true,
    detected_by: "its header (NSRL RDS 1.5 or 2)",
    by_first_line: true,
    sizes: true,
    known_set: true,
    recognizes: |line| dialect(line, std::slice::from_ref(&NSRL_COLUMNS)).is_some(),
    ..Spec::read_by(|lines, setup| parser(lines, setup, std::slice::from_ref(&NSRL_COLUMNS)))
};

pub(crate) const HASHKEEPER: Spec = Spec {
    name: "hashkeeper",
    shape: "file_id,hashset_id,file_name,directory,MD5,...",
    detected_by: "its header",
    by_first_line: true,
    sizes: true,
    known_set: true,
    recognizes: |line| dialect(line, std::slice::from_ref(&HASHKEEPER_COLUMNS)).is_some(),
    ..Spec::read_by(|lines, setup| parser(lines, setup, std::slice::from_ref(&HASHKEEPER_COLUMNS)))
};

pub(crate) const ILOOK: Spec = Spec {
    name: "ilook",
    shape: "MD5,SHA1,FileName,FilePath,FileSize,...",
    many_algorithms: true,
    detected_by: "its header, which begins with V1Hash, V3Hash or V4Hash",
    by_first_line: true,
    sizes: true,
    known_set: true,
    recognizes: |line| dialect(line, &ILOOK_COLUMNS).is_some(),
    ..Spec::read_by(|lines, setup| parser(lines, setup, &ILOOK_COLUMNS))
};

/// A header's dialect and what its columns are.
fn dialect<'d>(line: &[u8], dialects: &'d [Dialect]) -> Option<(&'d Dialect, Vec<Column>)> {
    let mut fields = Fields::new();
    if !fields.feed(line).unwrap_or(false) {
        return None;
    }
    let names: Vec<_> = fields.iter().map(<[u8]>::trim_ascii).collect();
    let has = |wanted: &&str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted.as_bytes()));
    let dialect = dialects.iter().find(|dialect| dialect.needed.iter().all(has))?;
    let columns: Vec<_> = names.iter().map(|name| dialect.column(name)).collect();
    columns.iter().any(|column| matches!(column, Column::Digest(_))).then_some((dialect, columns))
}

#[derive(Clone, Copy, PartialEq)]
enum Column {
    Name,
    Size,
    Digest(Algorithm),
    Other,
}

impl Dialect {
    fn column(&self, name: &[u8]) -> Column {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        if is(self.name) {
            return Column::Name;
        }
        if is(self.size) {
            return Column::Size;
        }
        let digest = self.digests.iter().find(|(column, _)| is(column));
        digest.and_then(|(_, name)| Algorithm::named(name)).map_or(Column::Other, Column::Digest)
    }
}

struct Table {
    columns: Vec<Column>,
    algorithms: Vec<Algorithm>,
    wanted: Option<Algorithm>,
    fields: Fields,
}

fn parser(
    lines: &mut Lines<'_>,
    setup: Setup,
    dialects: &'static [Dialect],
) -> Result<Box<dyn Parser>, Error> {
    lines.set_ends(LineEnds::Lf);
    let format = setup.format;
    let header = match lines.next() {
        Some(Ok(line)) => dialect(line.text, dialects),
        _ => None,
    };
    let (_, columns) = header.ok_or(Error::MissingHeader { format, expected: format.shape() })?;
    let digests = columns.iter().filter_map(|column| match column {
        Column::Digest(algorithm) => Some(*algorithm),
        _ => None,
    });
    let algorithms = setup.algorithms_listed(digests)?;
    Ok(Box::new(Table { columns, algorithms, wanted: setup.wanted, fields: Fields::new() }))
}

impl Parser for Table {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        loop {
            let line = match lines.next()? {
                Ok(line) if line.text.trim_ascii().is_empty() => continue,
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            self.fields.clear();
            let result = match self.fields.feed(line.text) {
                // None of them puts a newline into a field: what is not closed is damaged, and ends here.
                Ok(false) => Err(ProblemKind::UnclosedQuote { field: self.fields.len() + 1 }),
                Ok(true) => self.item(line.number),
                Err(kind) => Err(kind),
            };
            return Some(result.map_err(|kind| line.problem(kind)));
        }
    }

    fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }
}

impl Table {
    fn item(&self, line: u64) -> Result<Item, ProblemKind> {
        // Columns at the end that say nothing of the content may be missing.
        let needed =
            self.columns.iter().rposition(|column| *column != Column::Other).map_or(0, |last| last + 1);
        if self.fields.len() < needed || self.fields.len() > self.columns.len() {
            return Err(ProblemKind::FieldCount { expected: self.columns.len(), found: self.fields.len() });
        }
        let (mut name, mut size) = (NO_NAME, None);
        let mut digests: Vec<Digest> = Vec::with_capacity(self.algorithms.len());
        for (&column, field) in self.columns.iter().zip(self.fields.iter()) {
            match column {
                Column::Other => {}
                _ if field.is_empty() => {}
                Column::Name => name = field,
                Column::Size => size = Some(parse_number(field).ok_or(ProblemKind::NotASize)?),
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
        Ok(Item { line, path: checked_name(name)?, size, modified: None, digests, ..Item::default() })
    }
}

#[cfg(test)]
mod tests {
    use crate::format::Format;

    #[test]
    fn headers_of_all_dialects_are_told_apart() {
        let nsrl =
            br#""SHA-1","MD5","CRC32","FileName","FileSize","ProductCode","OpSystemCode","SpecialCode""#;
        let older =
            br#""SHA-1","FileName","FileSize","ProductCode","OpSystemCode","MD4","MD5","CRC32","SpecialCode""#;
        let hashkeeper =
            br#""file_id","hashset_id","file_name","directory","hash","file_size","date_modified""#;
        let ilook = b"V4Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512,CreateTime";
        let headers = [&nsrl[..], older, hashkeeper, ilook];
        let formats = headers.map(|line| {
            let known = Format::all().filter(|format| (format.0.recognizes)(line));
            known.map(|format| format.name()).collect::<Vec<_>>()
        });
        assert_eq!(formats, [["nsrl"], ["nsrl"], ["hashkeeper"], ["ilook"]]);
    }
}
