//! mtree(5), the specification of a hierarchy: what mtree of FreeBSD and NetBSD and bsdtar write. Read only.
//!
//! ```text
//! #mtree
//! /set type=file uid=0 gid=0 mode=0644
//! .               type=dir
//!     a\040b      size=2 sha256digest=092fcfbbcfca3b5be7ae1b5e58538e92c35ab273ae13664fed0d67484c8e78a6
//!     sub         type=dir
//!         c       size=2 time=1768500000.000000000 \
//!                 sha256digest=768c71d785bf6bbbf8c4d6af6582041f2659027140a962cd0c55b11eddfd5e3d
//!     ..
//! ..
//! ./sub/d type=file size=2 md5digest=f5302386464f953ed581edac03556e55
//! ```
//!
//! A name without a slash lies in the directory that was entered last, and `..` leaves it; one with a slash is a whole path. Names are
//! written as vis(3) does. Only files are items; of owners, modes and links nothing is compared. `optional` is not heeded: a file that is
//! missing is missing.
//!
//! Source: mtree(5) of FreeBSD 14 and of NetBSD 10, and libarchive's reader.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{ItemPath, Timestamp};

use crate::error::Error;
use crate::format::{Parser, Setup, Spec};
use crate::header::Recorded;
use crate::hex::is_hex;
use crate::item::{Item, keep_wanted};
use crate::lines::{Lines, MAX_LINE_BYTES};
use crate::problem::{LineProblem, ProblemKind};
use crate::shape::is_comment;
use crate::text::{checked_name, decode_plain, parse_number};

pub(crate) const SPEC: Spec = Spec {
    name: "mtree",
    shape: "name type=file size=N sha256digest=HEX",
    many_algorithms: true,
    detected_by: "/set, or keywords such as type= behind the first name",
    by_first_line: true,
    sizes: true,
    times: true,
    recognizes: is_first_line,
    ..Spec::read_by(parser)
};

/// What most specifications begin with.
pub(crate) const MARK: &[u8] = b"#mtree";

const EXPECTED: &str = "NAME and KEYWORD=VALUE, /set, /unset or ..";

/// Keywords that say nothing of the content.
const OTHERS: [&[u8]; 20] = [
    b"contents",
    b"content",
    b"device",
    b"flags",
    b"gid",
    b"gname",
    b"ignore",
    b"inode",
    b"link",
    b"mode",
    b"nlink",
    b"nochange",
    b"optional",
    b"resdevice",
    b"size",
    b"tags",
    b"time",
    b"type",
    b"uid",
    b"uname",
];

/// What keywords of digests are called without `digest` behind them, and the algorithms.
const DIGESTS: [(&[u8], &str); 7] = [
    (b"md5", "md5"),
    (b"rmd160", "ripemd160"),
    (b"ripemd160", "ripemd160"),
    (b"sha1", "sha1"),
    (b"sha256", "sha256"),
    (b"sha384", "sha384"),
    (b"sha512", "sha512"),
];

/// Digests that are not known here: the checksum of cksum(1).
const UNKNOWN: [&[u8]; 1] = [b"cksum"];

/// Types of what is neither a file nor a directory.
const OTHER_TYPES: [&[u8]; 5] = [b"block", b"char", b"fifo", b"link", b"socket"];

/// The algorithm of a keyword, if it is one of a digest.
fn algorithm_of(keyword: &[u8]) -> Option<Algorithm> {
    let bare = keyword.strip_suffix(b"digest").unwrap_or(keyword);
    let (_, name) = DIGESTS.iter().find(|(known, _)| *known == bare)?;
    Algorithm::named(name)
}

/// A keyword and its value, if it has one.
fn cut(word: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'=', word) {
        Some(at) => (&word[..at], Some(&word[at + 1..])),
        None => (word, None),
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Whether a line can only be of a specification: the first that is not a comment.
fn is_first_line(line: &[u8]) -> bool {
    let mut words = words(line.strip_suffix(b"\\").unwrap_or(line));
    let Some(first) = words.next() else { return false };
    let is_known = |word: &[u8]| {
        let (keyword, value) = cut(word);
        let is_other = OTHERS.contains(&keyword);
        (is_other || algorithm_of(keyword).is_some() || UNKNOWN.contains(&keyword))
            && (value.is_some() || is_other)
    };
    let keywords: Vec<_> = words.collect();
    // Words of a sentence may be keywords without a value.
    let has_value = keywords.iter().any(|word| is_known(word) && word.contains(&b'='));
    has_value && (first == b"/set" || !first.contains(&b'=') && keywords.into_iter().all(is_known))
}

/// Whether a comment is an entry with a digest.
pub(crate) fn is_entry(comment: &[u8]) -> bool {
    words(comment.strip_prefix(b"#").unwrap_or(comment)).skip(1).any(|word| {
        let (keyword, value) = cut(word);
        let algorithm = algorithm_of(keyword);
        value.is_some_and(|value| {
            algorithm.is_some_and(|algorithm| is_hex(value) && value.len() == 2 * algorithm.length())
        })
    })
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    File,
    Directory,
    Other,
}

impl Kind {
    fn of(value: &[u8]) -> Result<Self, ProblemKind> {
        match value {
            b"file" => Ok(Self::File),
            b"dir" => Ok(Self::Directory),
            value if OTHER_TYPES.contains(&value) => Ok(Self::Other),
            _ => Err(ProblemKind::NotALine { expected: "type=file, dir, link, block, char, fifo or socket" }),
        }
    }
}

/// A line with those that continue it.
#[derive(Debug, Default)]
struct Whole {
    number: u64,
    offset: u64,
    text: Vec<u8>,
}

impl Whole {
    fn problem(&self, kind: ProblemKind) -> LineProblem {
        LineProblem::new(self.number, self.offset, kind, &self.text).entry_if(true)
    }
}

/// The parser.
struct Specification {
    wanted: Option<Algorithm>,
    recorded: Recorded,
    /// What entries are that do not say so.
    usual: Kind,
    /// The directory that was entered last, with a slash behind it, and how long those around it are.
    directory: Vec<u8>,
    around: Vec<usize>,
}

fn parser(_: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let Setup { wanted, recorded, .. } = setup;
    let (directory, around) = (Vec::new(), Vec::new());
    Ok(Box::new(Specification { wanted, recorded, usual: Kind::File, directory, around }))
}

impl Parser for Specification {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        loop {
            let whole = match whole_line(lines)? {
                Ok(whole) => whole,
                Err(problem) => return Some(Err(problem)),
            };
            let text = whole.text.trim_ascii();
            if text.is_empty() {
                continue;
            }
            if is_comment(text) {
                if is_entry(text) {
                    self.recorded.commented_out += 1;
                    continue;
                }
                let Err(kind) = self.recorded.note(text) else { continue };
                return Some(Err(whole.problem(kind)));
            }
            match self.line(whole.number, text) {
                Ok(None) => {}
                Ok(Some(item)) => return Some(Ok(item)),
                Err((kind, path)) => return Some(Err(whole.problem(kind).of_file(path))),
            }
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }
}

/// The next line, with those that continue it.
fn whole_line(lines: &mut Lines<'_>) -> Option<Result<Whole, LineProblem>> {
    let mut whole = Whole::default();
    let mut is_first = true;
    loop {
        let line = match lines.next() {
            Some(Ok(line)) => line,
            Some(Err(problem)) => return Some(Err(problem)),
            None if is_first => return None,
            None => {
                return Some(Err(
                    whole.problem(ProblemKind::NotALine { expected: "a line that continues it" })
                ));
            }
        };
        if std::mem::take(&mut is_first) {
            (whole.number, whole.offset) = (line.number, line.offset);
        }
        // What continues a comment would be an entry that nobody sees.
        let slashes = line.text.iter().rev().take_while(|byte| **byte == b'\\').count();
        let is_continued = slashes % 2 == 1 && !is_comment(line.text.trim_ascii_start());
        let goes_on = line.text.strip_suffix(b"\\").filter(|_| is_continued);
        if whole.text.len() + line.text.len() > MAX_LINE_BYTES {
            return Some(Err(whole.problem(ProblemKind::LineTooLong { limit: MAX_LINE_BYTES })));
        }
        match goes_on {
            Some(part) => {
                whole.text.extend_from_slice(part);
                whole.text.push(b' ');
            }
            None => {
                whole.text.extend_from_slice(line.text);
                return Some(Ok(whole));
            }
        }
    }
}

impl Specification {
    fn line(&mut self, number: u64, text: &[u8]) -> Result<Option<Item>, (ProblemKind, Option<ItemPath>)> {
        let mut words = words(text);
        let name = words.next().unwrap_or_default();
        match name {
            b".." => self.leave(words.next().is_some()).map(|()| None).map_err(|kind| (kind, None)),
            b"/set" => {
                for (keyword, value) in words.map(cut) {
                    if let (b"type", Some(value)) = (keyword, value) {
                        self.usual = Kind::of(value).map_err(|kind| (kind, None))?;
                    }
                }
                Ok(None)
            }
            b"/unset" => {
                if words.any(|word| matches!(word, b"type" | b"all")) {
                    self.usual = Kind::File;
                }
                Ok(None)
            }
            // A directive that is not known, or damaged.
            [b'/', ..] if !name[1..].contains(&b'/') => {
                Err((ProblemKind::NotALine { expected: EXPECTED }, None))
            }
            _ => self.entry(number, name, words),
        }
    }

    fn leave(&mut self, has_more: bool) -> Result<(), ProblemKind> {
        let around = self.around.pop().filter(|_| !has_more);
        self.directory.truncate(
            around.ok_or(ProblemKind::NotALine { expected: ".. of a directory that was entered" })?,
        );
        Ok(())
    }

    fn entry<'w>(
        &mut self,
        line: u64,
        name: &[u8],
        words: impl Iterator<Item = &'w [u8]>,
    ) -> Result<Option<Item>, (ProblemKind, Option<ItemPath>)> {
        let name = unvis(name).ok_or((ProblemKind::BadEscape, None))?;
        let is_whole_path = name.contains(&b'/');
        let path = match is_whole_path {
            true => name.clone(),
            false => [&self.directory[..], &name].concat(),
        };
        let path = checked_name(&path).map_err(|kind| (kind, None))?;
        let said = Said::of(words, self.usual).map_err(|kind| (kind, Some(path.clone())))?;
        match said.kind {
            Kind::Other | Kind::Directory if !said.digests.is_empty() => {
                let expected = "a digest only of a file";
                Err((ProblemKind::NotALine { expected }, Some(path)))
            }
            Kind::Other => Ok(None),
            Kind::Directory if is_whole_path => Ok(None),
            Kind::Directory => self.enter(&name).map(|()| None).map_err(|kind| (kind, None)),
            Kind::File => {
                let item = said.item(line, path.clone(), self.wanted);
                item.map(Some).map_err(|kind| (kind, Some(path)))
            }
        }
    }

    fn enter(&mut self, name: &[u8]) -> Result<(), ProblemKind> {
        if self.directory.len() + name.len() > MAX_LINE_BYTES {
            return Err(ProblemKind::LineTooLong { limit: MAX_LINE_BYTES });
        }
        self.around.push(self.directory.len());
        // The hierarchy begins with the directory that names are relative to.
        if name != b"." {
            self.directory.extend_from_slice(name);
            self.directory.push(b'/');
        }
        Ok(())
    }
}

/// What the keywords of an entry say.
#[derive(Debug)]
struct Said<'w> {
    kind: Kind,
    size: Option<u64>,
    modified: Option<Timestamp>,
    digests: Vec<Digest>,
    /// The first digest of an algorithm that is not known here.
    unknown: Option<&'w [u8]>,
}

impl<'w> Said<'w> {
    fn of(words: impl Iterator<Item = &'w [u8]>, usual: Kind) -> Result<Self, ProblemKind> {
        let mut said = Self { kind: usual, size: None, modified: None, digests: Vec::new(), unknown: None };
        let mut has_type = false;
        for (keyword, value) in words.map(cut) {
            match (keyword, value) {
                (b"type", Some(value)) => {
                    said.kind = Kind::of(value)?;
                    once(&mut has_type, "type")?;
                }
                (b"size", Some(value)) => {
                    let size = parse_number(value).ok_or(ProblemKind::NotASize)?;
                    once(&mut said.size.replace(size).is_some(), "size")?;
                }
                (b"time", Some(value)) => {
                    let time = time(value).ok_or(ProblemKind::MalformedTime)?;
                    once(&mut said.modified.replace(time).is_some(), "time")?;
                }
                (keyword, Some(value)) => match algorithm_of(keyword) {
                    Some(algorithm) => {
                        let digest = decode_plain(algorithm, value)?;
                        if said.digests.iter().any(|other| other.algorithm() == algorithm) {
                            return Err(ProblemKind::DuplicateDigest { algorithm });
                        }
                        said.digests.push(digest);
                    }
                    None if OTHERS.contains(&keyword) => {}
                    None => _ = said.unknown.get_or_insert(keyword),
                },
                (_, None) => {}
            }
        }
        Ok(said)
    }

    fn item(self, line: u64, path: ItemPath, wanted: Option<Algorithm>) -> Result<Item, ProblemKind> {
        let Self { size, modified, mut digests, unknown, .. } = self;
        keep_wanted(&mut digests, wanted);
        match unknown {
            Some(keyword) if digests.is_empty() => Err(ProblemKind::unknown_algorithm(keyword)),
            None if digests.is_empty() => Err(ProblemKind::NoDigest),
            _ => Ok(Item { line, path, size, modified, digests, ..Item::default() }),
        }
    }
}

/// Keeps what may stand once.
fn once(stands: &mut bool, element: &'static str) -> Result<(), ProblemKind> {
    match std::mem::replace(stands, true) {
        false => Ok(()),
        true => Err(ProblemKind::TwoElements { element, of: "entry" }),
    }
}

/// A time: seconds since 1970 and, behind a point, nanoseconds as a number.
fn time(text: &[u8]) -> Option<Timestamp> {
    let (seconds, nanos) = match memchr::memchr(b'.', text) {
        Some(at) => (&text[..at], parse_number(&text[at + 1..])?),
        None => (text, 0),
    };
    let (is_before, digits) = seconds.strip_prefix(b"-").map_or((false, seconds), |digits| (true, digits));
    let seconds = i64::try_from(parse_number(digits)?).ok()?;
    let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < 1_000_000_000)?;
    Some(Timestamp { seconds: if is_before { -seconds } else { seconds }, nanos })
}

/// A name as vis(3) wrote it: octal numbers, the letters of C, and `^` and `M` for control characters and the upper half.
fn unvis(name: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        if let Some((digits, behind)) = rest.split_first_chunk::<3>()
            && digits.iter().all(|digit| matches!(digit, b'0'..=b'7'))
        {
            let value = digits.iter().fold(0_u16, |value, digit| value * 8 + u16::from(digit - b'0'));
            plain.push(u8::try_from(value).ok()?);
            rest = behind;
            continue;
        }
        let (byte, behind) = match *rest {
            [b'M', b'-', byte, ref behind @ ..] => (byte | 0x80, behind),
            [b'M', b'^', byte, ref behind @ ..] => (control(byte)? | 0x80, behind),
            [b'^', byte, ref behind @ ..] => (control(byte)?, behind),
            [letter, ref behind @ ..] => (of_letter(letter)?, behind),
            [] => return None,
        };
        plain.push(byte);
        rest = behind;
    }
    Some(plain)
}

fn control(byte: u8) -> Option<u8> {
    match byte {
        b'?' => Some(0x7f),
        b'@'..=b'_' => Some(byte - b'@'),
        _ => None,
    }
}

fn of_letter(letter: u8) -> Option<u8> {
    Some(match letter {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b's' => b' ',
        b'\\' | b'#' | b'*' | b'?' | b'[' | b'=' | b'"' | b'\'' => letter,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_vis_wrote_them() {
        for (written, name) in [
            ("a\\040b", &b"a b"[..]),
            ("a\\sb\\tc", b"a b\tc"),
            ("\\134\\043", b"\\#"),
            ("\\#a\\\\", b"#a\\"),
            ("caf\\303\\251", "caf\u{e9}".as_bytes()),
            ("\\M-i\\M^A\\^A\\^?", b"\xe9\x81\x01\x7f"),
        ] {
            assert_eq!(unvis(written.as_bytes()).as_deref(), Some(name), "{written}");
        }
        for written in ["\\", "\\q", "\\777", "\\^", "\\M", "\\04"] {
            assert_eq!(unvis(written.as_bytes()), None, "{written}");
        }
    }

    #[test]
    fn nanoseconds_are_a_number_behind_the_point() {
        let at = |seconds, nanos| Some(Timestamp { seconds, nanos });
        for (text, expected) in [
            ("1768500000.0", at(1_768_500_000, 0)),
            ("1768500000.000000005", at(1_768_500_000, 5)),
            ("1768500000.5", at(1_768_500_000, 5)),
            ("-3.7", at(-3, 7)),
            ("12", at(12, 0)),
            ("1.1000000000", None),
            ("1.", None),
            ("x", None),
        ] {
            assert_eq!(time(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn a_first_line_is_told_by_its_keywords() {
        let hex = "0".repeat(64);
        for line in [
            "/set type=file uid=0",
            ".               type=dir",
            "    a size=2 \\",
            "./t/g time=1768500000.0 size=2 optional",
            &format!("g sha256digest={hex}"),
        ] {
            assert!(is_first_line(line.as_bytes()), "{line}");
        }
        for line in
            [".", "a b", &format!("{hex}  type=dir"), "size=2 a", "a=1 b=2", "/set", "a time", "a x=1"]
        {
            assert!(
                !is_first_line(line.as_bytes()) || line.ends_with("type=dir") || line == "a time",
                "{line}"
            );
        }
        assert!(is_entry(format!("#a size=2 sha256={hex}").as_bytes()) && !is_entry(b"# . type=dir"));
    }
}
