//! What md5deep and its kin write besides `HEX  name`: sizes before the digest (`-z`), columns (`-c`), both, and triage (`-Z`).
//!
//! Nothing is quoted or escaped: a name is all that follows, commas included.

use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Pieces;
use memchr::memchr;

use super::EachLine;
use crate::error::Error;
use crate::format::{Entry, Format, Parser, Renderer, Setup, Spec};
use crate::header::{Header, push_comments};
use crate::item::Item;
use crate::lines::{Line, Lines};
use crate::pieces::Piecewise;
use crate::problem::ProblemKind;
use crate::shape::plain_bytes;
use crate::text::{checked_name, decode_plain, parse_number, push_number, push_plain};

/// How wide md5deep writes a size, at least.
const SIZE_WIDTH: usize = 10;

/// What the first digest of triage is of.
const TRIAGE_BYTES: NonZeroU64 = NonZeroU64::new(512).unwrap();

/// From this many hexadecimal digits on, those of md5, a word is a digest: shorter ones may be sizes.
const LEAST_DIGITS: usize = 32;

pub(crate) const SIZES: Spec = Spec {
    name: "md5deep-sizes",
    shape: "SIZE  HEX  name",
    detected_by: "a size ten characters wide before the digest (md5deep -z)",
    untold: true,
    sizes: true,
    pieces: Some(Piecewise::ByName),
    recognizes: has_size,
    renderer: Some(|algorithms, _| start(algorithms, Format(&SIZES))),
    ..Spec::read_by(parser)
};

pub(crate) const CSV: Spec = Spec {
    name: "md5deep-csv",
    shape: "HEX,name",
    detected_by: "a digest, a comma and a name (md5deep -c), a size before them (-cz)",
    untold: true,
    pieces: Some(Piecewise::ByName),
    recognizes: |line| matches!(cut(line), Some(Cut { comma: true, .. })),
    renderer: Some(|algorithms, _| start(algorithms, Format(&CSV))),
    ..Spec::read_by(parser)
};

pub(crate) const TRIAGE: Spec = Spec {
    name: "triage",
    shape: "SIZE<TAB>HEX<TAB>HEX<TAB>name",
    detected_by: "a size, the digest of the first 512 bytes and that of the whole, separated by tabs (md5deep -Z)",
    untold: true,
    sizes: true,
    pieces: Some(Piecewise::Beginning(TRIAGE_BYTES)),
    recognizes: |line| cut_triage(line).is_some(),
    renderer: Some(|algorithms, _| start(algorithms, Format(&TRIAGE))),
    ..Spec::read_by(parser)
};

struct Cut<'a> {
    size: Option<&'a [u8]>,
    /// The digest of the beginning (triage).
    beginning: Option<&'a [u8]>,
    digest: &'a [u8],
    name: &'a [u8],
    comma: bool,
}

fn is_digest(text: &[u8]) -> bool {
    text.len() >= LEAST_DIGITS && plain_bytes(text).is_some()
}

/// Whether a size stands before the digest of a line, as `-z` has it.
pub(super) fn has_size(line: &[u8]) -> bool {
    matches!(cut(line), Some(Cut { size: Some(_), comma: false, .. }))
}

/// Cuts a line of any of the shapes but triage.
fn cut(line: &[u8]) -> Option<Cut<'_>> {
    let (size, rest) = match split_size(line) {
        Some((size, rest)) => (Some(size), rest),
        None => (None, line),
    };
    let end = rest.iter().position(|byte| matches!(byte, b',' | b' '))?;
    let (digest, rest) = rest.split_at(end);
    let (name, comma) = match rest {
        [b',', name @ ..] => (name, true),
        [b' ', b' ', name @ ..] if size.is_some() => (name, false),
        _ => return None,
    };
    // Rows of digests are a table of another kind.
    let is_row = comma && is_digest(&name[..memchr(b',', name).unwrap_or(name.len())]);
    (is_digest(digest) && !is_row).then_some(Cut { size, beginning: None, digest, name, comma })
}

/// A size at the start of a line, padded to its width, and what follows it.
fn split_size(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = line.trim_ascii_start();
    let padding = line.len() - digits.len();
    let length = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    let (size, rest) = digits.split_at(length);
    let rest = rest.strip_prefix(b"  ").or_else(|| rest.strip_prefix(b", "))?;
    (!size.is_empty() && padding + length >= SIZE_WIDTH).then_some((size, rest))
}

/// Size, digests and name of a line of triage.
fn cut_triage(line: &[u8]) -> Option<Cut<'_>> {
    let mut fields = line.splitn(4, |&byte| byte == b'\t');
    let (size, first, digest, name) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let is_triage =
        parse_number(size).is_some() && is_digest(digest) && plain_bytes(first) == plain_bytes(digest);
    is_triage.then_some(Cut { size: Some(size), beginning: Some(first), digest, name, comma: false })
}

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let is_triage = setup.format == Format(&TRIAGE);
    let cut = if is_triage { cut_triage } else { cut };
    let first = lines.window()?.split(|&byte| byte == b'\n').find_map(cut);
    let digest = first.map_or(&b""[..], |cut| cut.digest);
    let digest_bytes = plain_bytes(digest).unwrap_or(0);
    let algorithm = match setup.named().or_else(|| Algorithm::told_by(digest)) {
        Some(named) => named,
        None => setup.untold.algorithm_of_length(digest_bytes)?,
    };
    let expected = match is_triage {
        true => "SIZE, DIGEST, DIGEST and NAME, separated by tabs",
        false => "SIZE, two spaces, DIGEST, two spaces, NAME or DIGEST,NAME",
    };
    let read = move |line: &Line<'_>| {
        let cut = cut(line.text).ok_or(ProblemKind::NotALine { expected })?;
        item(line.number, &cut, algorithm)
    };
    let name = move |line: &[u8]| checked_name(cut(line)?.name).ok();
    let (recorded, algorithm) = (setup.recorded, Some(algorithm));
    Ok(Box::new(EachLine { recorded, algorithm, passes_blanks: false, read, name }))
}

fn item(line: u64, cut: &Cut<'_>, algorithm: Algorithm) -> Result<Item, ProblemKind> {
    let digest = decode_plain(algorithm, cut.digest)?;
    let size = cut.size.map(|size| parse_number(size).ok_or(ProblemKind::NotASize)).transpose()?;
    let path = checked_name(cut.name)?;
    let pieces = match (cut.beginning, size) {
        (Some(text), Some(size)) => beginning(size, decode_plain(algorithm, text)?, &digest)?,
        _ => None,
    };
    Ok(Item { size, pieces, ..Item::of_digest(line, path, digest) })
}

/// The beginning of a file as its only piece, where it is not all of the file.
fn beginning(size: u64, first: Digest, all: &Digest) -> Result<Option<Box<Pieces>>, ProblemKind> {
    let (bytes, end) = (TRIAGE_BYTES, TRIAGE_BYTES.get());
    match size > end {
        true => {
            Ok(Pieces::new(bytes, end, vec![(first.algorithm(), first.as_bytes().to_vec())]).map(Box::new))
        }
        false if first == *all => Ok(None),
        false => Err(ProblemKind::BeginningUnlike { size_bytes: size, beginning_bytes: end }),
    }
}

struct Lister {
    format: Format,
    algorithm: Algorithm,
}

fn start(algorithms: &[Algorithm], format: Format) -> Result<Box<dyn Renderer>, Error> {
    match *algorithms {
        [algorithm] if 2 * algorithm.length() >= LEAST_DIGITS => Ok(Box::new(Lister { format, algorithm })),
        [algorithm] => Err(Error::DigestTooShort { format, algorithm, least_bytes: LEAST_DIGITS / 2 }),
        _ => Err(Error::OneAlgorithmOnly { format, count: algorithms.len() }),
    }
}

impl Renderer for Lister {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        push_comments(text, header, Some(self.algorithm), b'\n');
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        entry.must_be_read(self.format)?;
        let name = entry.path.as_bytes();
        let refused = |why| Err(self.format.name_not_held(entry.path, why));
        if memchr(b'\n', name).is_some() {
            return refused("with a newline");
        }
        if name.ends_with(b"\r") {
            return refused("that ends with a carriage return");
        }
        let digest = entry.needed_digest(self.algorithm, self.format)?;
        let size =
            || entry.size.ok_or_else(|| Error::NoSize { format: self.format, path: entry.path.clone() });
        if self.format == Format(&SIZES) {
            let start = text.len();
            push_number(text, size()?);
            let missing = SIZE_WIDTH.saturating_sub(text.len() - start);
            text.splice(start..start, std::iter::repeat_n(b' ', missing));
            text.extend_from_slice(b"  ");
            push_plain(text, digest);
            text.extend_from_slice(b"  ");
        } else if self.format == Format(&TRIAGE) {
            let size = size()?;
            push_number(text, size);
            text.push(b'\t');
            push_plain(text, &self.beginning(entry, size, digest)?);
            text.push(b'\t');
            push_plain(text, digest);
            text.push(b'\t');
        } else {
            if is_digest(&name[..memchr(b',', name).unwrap_or(name.len())]) {
                return refused("that looks like a digest");
            }
            push_plain(text, digest);
            text.push(b',');
        }
        text.extend_from_slice(name);
        text.push(b'\n');
        Ok(())
    }
}

impl Lister {
    /// The digest of the first bytes of a file.
    fn beginning(&self, entry: &Entry<'_>, size: u64, all: &Digest) -> Result<Digest, Error> {
        if size <= TRIAGE_BYTES.get() {
            return Ok(*all);
        }
        let of_first = entry.pieces.map(|pieces| pieces.digests(0)).unwrap_or_default();
        let found = of_first.into_iter().find(|digest| digest.algorithm() == self.algorithm);
        found.ok_or_else(|| Error::NoBeginning {
            format: self.format,
            path: entry.path.clone(),
            algorithm: self.algorithm,
            beginning_bytes: TRIAGE_BYTES.get(),
        })
    }
}
