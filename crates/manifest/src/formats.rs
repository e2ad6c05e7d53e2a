//! The formats there are: one module each, and the table that names them.

pub(crate) mod ace;
pub(crate) mod bagit;
pub(crate) mod base64;
pub(crate) mod bsd;
pub(crate) mod certutil;
pub(crate) mod checkm;
pub mod columns;
pub(crate) mod csv;
mod csv_fields;
pub(crate) mod dfxml;
mod dfxml_parser;
mod dfxml_pieces;
pub(crate) mod digest_line;
pub(crate) mod digest_text;
pub(crate) mod encase;
pub(crate) mod get_filehash;
pub(crate) mod gnu;
pub(crate) mod hashdeep;
pub(crate) mod internet_archive;
pub(crate) mod jsonl;
mod jsonl_parser;
mod jsonl_pieces;
pub(crate) mod known_csv;
pub(crate) mod likeness;
pub(crate) mod md5deep;
pub(crate) mod mhl;
mod mhl_parser;
pub(crate) mod mtree;
pub(crate) mod name_first;
pub(crate) mod parquet;
mod parquet_deltas;
pub(crate) mod parquet_pages;
pub(crate) mod parquet_parser;
mod parquet_renderer;
pub(crate) mod self_naming;
pub(crate) mod sfv;
mod xml_entries;

use std::io::Write as _;

use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest};
use hashlane_record::ItemPath;
use memchr::{memchr, memrchr};

use crate::error::Error;
use crate::format::{Format, Parser, Setup, Spec};
use crate::header::Recorded;
use crate::hex;
use crate::item::Item;
use crate::lines::{Line, Lines};
use crate::problem::{LineProblem, ProblemKind};

/// All formats, in the order in which they are shown and asked whether a line is theirs. No line is
/// recognized by two.
pub(crate) static TABLE: &[Spec] = &[
    gnu::SPEC,
    bsd::SPEC,
    base64::SPEC,
    base64::UNTAGGED_SPEC,
    self_naming::MULTIHASH,
    self_naming::NI,
    self_naming::SRI,
    hashdeep::SPEC,
    md5deep::SIZES,
    md5deep::CSV,
    md5deep::TRIAGE,
    sfv::SPEC,
    name_first::SPEC,
    get_filehash::SPEC,
    certutil::SPEC,
    checkm::SPEC,
    bagit::SPEC,
    ace::SPEC,
    jsonl::SPEC,
    csv::SPEC,
    dfxml::SPEC,
    mhl::SPEC,
    internet_archive::SPEC,
    mtree::SPEC,
    parquet::SPEC,
    known_csv::NSRL,
    known_csv::HASHKEEPER,
    known_csv::ILOOK,
    encase::SPEC,
];

impl Format {
    /// All formats, in the order in which they are shown.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        TABLE.iter().map(Self)
    }

    /// The format of this name. Case does not matter.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format that the ending of a file name tells, among those that can be written: `list.csv`, `photos.jsonl`, `card.mhl`.
    pub fn of_file_name(name: &[u8]) -> Option<Self> {
        let base = name.rsplit(|&byte| byte == b'/').next()?;
        let dot = memrchr(b'.', base).filter(|&dot| dot > 0)?;
        let ending = std::str::from_utf8(&base[dot + 1..]).ok()?.to_ascii_lowercase();
        let named = match &ending[..] {
            "ndjson" => "jsonl",
            "xml" => "dfxml",
            ending => ending,
        };
        Self::named(named).filter(|format| format.can_be_written())
    }
}

/// Whether a line is a comment, as coreutils and hashdeep see it. One with a NUL is none: records that
/// are ended by NUL would hide behind it.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    line.first() == Some(&b'#') && memchr(0, line).is_none()
}

/// Whether a line has columns.
fn has_comma(line: &[u8]) -> bool {
    memchr(b',', line).is_some()
}

/// A parser of lines that are entries of one algorithm, comments or blank.
struct EachLine<R> {
    recorded: Recorded,
    algorithm: [Algorithm; 1],
    /// Whether a line is passed over.
    is_blank: fn(&[u8]) -> bool,
    /// What an entry says; of one that cannot be read, the name if that can be.
    read: R,
}

impl<R> Parser for EachLine<R>
where
    R: Fn(&Line<'_>, Algorithm) -> Result<Item, (ProblemKind, Option<ItemPath>)> + Send,
{
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        loop {
            let line = match lines.next()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            if (self.is_blank)(line.text) {
                continue;
            }
            let result = match is_comment(line.text) {
                true => match self.recorded.note(line.text) {
                    Ok(()) => continue,
                    Err(kind) => Err((kind, None)),
                },
                false => (self.read)(&line, self.algorithm[0]),
            };
            return Some(result.map_err(|(kind, path)| line.problem(kind).of_file(path)));
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }

    fn algorithms(&self) -> &[Algorithm] {
        &self.algorithm
    }
}

/// Whether nothing is on a line.
fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// Adds a digest to those of a file.
fn add_digest(digests: &mut Vec<Digest>, digest: Digest) -> Result<(), ProblemKind> {
    let algorithm = digest.algorithm();
    if digests.iter().any(|other| other.algorithm() == algorithm) {
        return Err(ProblemKind::DuplicateDigest { algorithm });
    }
    digests.push(digest);
    Ok(())
}

/// The algorithms of the columns of a table, among which the one that is wanted has to be.
fn algorithms_listed(
    columns: impl Iterator<Item = Algorithm>,
    setup: &Setup,
) -> Result<Vec<Algorithm>, Error> {
    let columns: Vec<_> = columns.collect();
    match setup.wanted.filter(|wanted| !columns.contains(wanted)) {
        Some(algorithm) => Err(Error::AlgorithmNotListed { format: setup.format, algorithm, columns }),
        None => Ok(columns),
    }
}

/// A number from 0 to 2^64 - 1, in digits only.
fn parse_number(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Appends a number.
fn push_number(text: &mut Vec<u8>, number: u64) {
    // Writing to a vector does not fail.
    let _ = write!(text, "{number}");
}

/// A name, unless no file can have it.
fn checked_name(name: &[u8]) -> Result<ItemPath, ProblemKind> {
    if name.is_empty() {
        return Err(ProblemKind::EmptyName);
    }
    if memchr(0, name).is_some() {
        return Err(ProblemKind::NulInName);
    }
    Ok(ItemPath::new(name))
}

/// The name behind its text and its base64 form. Where there is the latter it counts, and the text must be
/// what it shows as.
fn path_of_both(text: Option<&[u8]>, base64: Option<&[u8]>) -> Result<ItemPath, ProblemKind> {
    let Some(base64) = base64 else {
        return checked_name(text.unwrap_or_default());
    };
    let name = BASE64.decode(base64).map_err(|_| ProblemKind::MalformedPath)?;
    if text.is_some_and(|text| String::from_utf8_lossy(&name).as_bytes() != text) {
        return Err(ProblemKind::PathsDisagree);
    }
    checked_name(&name)
}

/// The refusal of a name that a format without escapes cannot hold.
fn name_not_held(format: Format, path: &ItemPath, why: &'static str) -> Error {
    Error::NameNotHeld { format, path: path.clone(), why, way_out: "use jsonl or csv" }
}

/// Appends a byte of a name, as `%` and two hexadecimal digits where it may not stand there itself.
fn push_percent(text: &mut Vec<u8>, byte: u8, is_special: bool) {
    match is_special {
        // Writing to a vector does not fail.
        true => _ = write!(text, "%{byte:02X}"),
        false => text.push(byte),
    }
}

/// A name whose bytes may be written as `%` and two hexadecimal digits. A percent sign without them stands for itself.
fn percent_decoded(name: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [byte, behind @ ..] = rest {
        let mut value = [0];
        rest = match (byte, behind.split_at_checked(2)) {
            (b'%', Some((digits, behind))) if hex::decode(digits, &mut value) => {
                decoded.push(value[0]);
                behind
            }
            _ => {
                decoded.push(*byte);
                behind
            }
        };
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name() {
        let names: Vec<_> = Format::all().map(Format::name).collect();
        assert_eq!(
            names,
            [
                "gnu",
                "bsd",
                "base64",
                "base64-untagged",
                "multihash",
                "ni",
                "sri",
                "hashdeep",
                "md5deep-sizes",
                "md5deep-csv",
                "triage",
                "sfv",
                "name-first",
                "get-filehash",
                "certutil",
                "checkm",
                "bagit",
                "ace",
                "jsonl",
                "csv",
                "dfxml",
                "mhl",
                "internet-archive",
                "mtree",
                "parquet",
                "nsrl",
                "hashkeeper",
                "ilook",
                "encase"
            ]
        );
        for format in Format::all() {
            assert_eq!(Format::named(&format.name().to_ascii_uppercase()), Some(format));
        }
        assert_eq!(Format::named("sha256"), None);
    }
}
