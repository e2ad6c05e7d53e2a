//! The formats there are: one module each, and the table that names them.

pub(crate) mod ace;
pub(crate) mod bagit;
pub(crate) mod base64;
pub(crate) mod bsd;
pub(crate) mod certutil;
pub(crate) mod checkm;
pub(crate) mod csv;
pub(crate) mod dfxml;
pub(crate) mod encase;
pub(crate) mod get_filehash;
pub(crate) mod gnu;
pub(crate) mod hashdeep;
pub(crate) mod internet_archive;
pub(crate) mod jsonl;
pub(crate) mod known_csv;
pub(crate) mod md5deep;
pub(crate) mod mhl;
pub(crate) mod mtree;
pub(crate) mod name_first;
pub(crate) mod parquet;
pub(crate) mod self_naming;
pub(crate) mod sfv;

use hashlane_digest::Algorithm;
use hashlane_record::ItemPath;
use memchr::memrchr;

use crate::format::{Format, Parser, Spec};
use crate::header::Recorded;
use crate::item::Item;
use crate::lines::{Line, LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind};
use crate::shape::{is_blank, is_comment, is_row, lacks_first_digit, seems_entry};

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

    /// The format that the ending of a file name stands for, among those that can be written: `list.csv`, `photos.jsonl`, `card.mhl`.
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

impl Recorded {
    /// Takes in a comment line: what it says if it is one of ours, and otherwise whether it is an entry.
    pub(crate) fn note(&mut self, comment: &[u8]) -> Result<(), ProblemKind> {
        if self.note_own(comment)? {
            return Ok(());
        }
        match remark(comment) {
            Remark::Prose => {}
            Remark::Entry => self.commented_out += 1,
            Remark::Doubtful if self.has_prose => {}
            Remark::Damaged | Remark::Doubtful => return Err(ProblemKind::CommentedEntry),
        }
        Ok(())
    }
}

/// What a comment is besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remark {
    /// A sentence, or nothing.
    Prose,
    /// An entry behind the mark of a comment: somebody has taken it out, or nobody has.
    Entry,
    /// An entry but for its first digit, which is where the mark is.
    Damaged,
    /// It reads like a damaged entry. Where no prose stands between entries, it is one.
    Doubtful,
}

/// What a comment is besides, with its mark.
pub(crate) fn remark(comment: &[u8]) -> Remark {
    let behind = comment.strip_prefix(b"#").or_else(|| comment.strip_prefix(b";")).unwrap_or(comment);
    let is_mark = |byte: &u8| matches!(byte, b'#' | b';') || byte.is_ascii_whitespace();
    let start = behind.iter().position(|byte| !is_mark(byte)).unwrap_or(behind.len());
    let text = &behind[start..];
    if is_entry(text) {
        return Remark::Entry;
    }
    match start == 0 && lacks_first_digit(text) {
        true => Remark::Damaged,
        false if seems_entry(text) => Remark::Doubtful,
        false => Remark::Prose,
    }
}

/// Whether a line is an entry of any format but SFV, whose lines may be prose that ends with a date.
fn is_entry(line: &[u8]) -> bool {
    let mut formats = TABLE.iter().filter(|format| !format.by_first_line);
    formats.any(|format| (format.recognizes)(line)) || is_row(line)
}

/// A parser of lines that are entries, comments or blank.
struct EachLine<R, N> {
    recorded: Recorded,
    /// That of all entries, if they do not name theirs.
    algorithm: Option<Algorithm>,
    /// Whether lines of white space are passed over as empty ones are.
    passes_blanks: bool,
    /// What an entry says.
    read: R,
    /// The name of an entry that cannot be read, if that can be.
    name: N,
}

impl<R, N> Parser for EachLine<R, N>
where
    R: Fn(&Line<'_>) -> Result<Item, ProblemKind> + Send,
    N: Fn(&[u8]) -> Option<ItemPath> + Send,
{
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        let by_nul = lines.ends() == LineEnds::Nul;
        loop {
            let line = match lines.next()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            if line.text.is_empty() || self.passes_blanks && is_blank(line.text) {
                continue;
            }
            if !line.ended && by_nul {
                return Some(Err(line.problem(ProblemKind::Unterminated)));
            }
            if is_comment(line.text) {
                let Err(kind) = self.recorded.note(line.text) else { continue };
                return Some(Err(line.problem(kind)));
            }
            let result = (self.read)(&line);
            return Some(result.map_err(|kind| line.problem(kind).of_file((self.name)(line.text))));
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }

    fn algorithms(&self) -> &[Algorithm] {
        self.algorithm.as_slice()
    }
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

    #[test]
    fn a_comment_that_stands_where_the_first_digit_was_is_a_damaged_entry() {
        let sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        for damaged in [
            format!("#{}  a", &sha1[1..]),
            format!("#{} a", &sha1[1..]),
            format!("#{}\ta", &sha1[1..]),
            format!("#ha1:{sha1}  a"),
            "#XH3_911faba7321fe1a0  a".to_owned(),
        ] {
            assert_eq!(remark(damaged.as_bytes()), Remark::Damaged, "{damaged}");
        }
        for prose in ["# a comment", "#abc  def", "#!/bin/sh  -e", "#include <a>", "#issue:42  done"] {
            assert_eq!(remark(prose.as_bytes()), Remark::Prose, "{prose}");
        }
    }
}
