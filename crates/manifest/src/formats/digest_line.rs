//! Lines with one digest, tagged or not, in hexadecimal or base64: the parser behind gnu, bsd and both base64
//! formats.
//!
//! Each line says itself which of the four it is, so one file may mix them, as coreutils allows.

use std::borrow::Cow;

use hashlane_digest::{Algorithm, Digest, Family, MAX_DIGEST_LENGTH};
use hashlane_record::ItemPath;
use memchr::{memchr, memchr2, memrchr};

use super::digest_text::{self, algorithms_of_length, is_long_digest, measure, plain_bytes};
use super::{ace, is_comment, md5deep, self_naming};
use crate::error::Error;
use crate::escape::unescape;
use crate::format::{Parser, Setup, Untold};
use crate::frames::Frame;
use crate::header::Recorded;
use crate::hex::is_hex;
use crate::item::Item;
use crate::lines::{Line, LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind};

/// The longest tag; `BLAKE2b-256` has 11 bytes.
const MAX_TAG_BYTES: usize = 24;

/// How many lines about one name are looked at for one with the caller's algorithm.
const MAX_LINES_OF_NAME: usize = 64;

const EXPECTED: &str = "DIGEST, two spaces, NAME or ALGORITHM (NAME) = DIGEST";

/// A line, cut and not yet decoded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut<'a> {
    /// Whether a backslash announces escapes.
    pub(super) escaped: bool,
    /// The algorithm, if the line names it.
    pub(super) tag: Option<&'a [u8]>,
    pub(super) digest: &'a [u8],
    pub(super) name: &'a [u8],
}

/// Cuts a line, if it has either shape.
pub(super) fn cut(line: &[u8]) -> Option<Cut<'_>> {
    let line = line.trim_ascii_start();
    let (escaped, line) = line.strip_prefix(b"\\").map_or((false, line), |rest| (true, rest));
    if let Some((tag, rest)) = split_tag(line) {
        let close = memrchr(b')', rest)?;
        let digest = rest[close + 1..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii();
        return Some(Cut { escaped, tag: Some(tag), digest, name: &rest[..close] });
    }
    let space = memchr(b' ', line).filter(|&at| at > 0);
    let (digest, name) = match space.map(|space| (space, &line[space + 1..])) {
        Some((space, [b' ' | b'*', name @ ..])) => (&line[..space], name),
        _ => cut_loosely(line)?,
    };
    // As registries of containers write it.
    let (tag, digest) = match named_digest(digest) {
        Some((algorithm, digest)) => (Some(algorithm), digest),
        None => (None, digest),
    };
    Some(Cut { escaped, tag, digest, name })
}

/// What xxhsum writes before a digest of XXH3, which is as long as one of XXH64.
const XXH3_MARK: &[u8] = b"XXH3_";

/// What xxhsum writes behind a tag whose digest has its lowest byte first.
const LITTLE_ENDIAN: &str = "_LE";

/// An algorithm and its digest, with a colon between them.
pub(super) fn named_digest(word: &[u8]) -> Option<(&[u8], &[u8])> {
    // No name begins with as many hexadecimal digits, and nearly every word here is a digest.
    if word.iter().take(4).all(u8::is_ascii_hexdigit) {
        return None;
    }
    if let Some(digest) = word.strip_prefix(XXH3_MARK) {
        return Some((&XXH3_MARK[..XXH3_MARK.len() - 1], digest));
    }
    let colon = memchr(b':', word)?;
    let (algorithm, digest) = (&word[..colon], &word[colon + 1..]);
    algorithm_of_tag(algorithm).map(|_| (algorithm, digest))
}

/// A digest and a name with less than two characters between them: one blank, as BSD's `-r` has it, a tab, or a colon. Only where no word of
/// a sentence is taken for a digest.
fn cut_loosely(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let ends = [memchr2(b' ', b'\t', line), memchr(b':', line)];
    let (word, name) =
        ends.into_iter().flatten().map(|end| line.split_at(end)).find(|(word, _)| is_digest(word))?;
    let name = name[1..].strip_prefix(b" ").filter(|_| name[0] == b':').unwrap_or(&name[1..]);
    (!name.is_empty()).then_some((word, name))
}

/// Whether a word is a long digest, with its algorithm before it or without.
fn is_digest(word: &[u8]) -> bool {
    is_long_digest(named_digest(word).map_or(word, |(_, digest)| digest))
}

/// The only digest of a list that has nothing else, without a name or with the one of standard input: it is about the file that the list is
/// named after.
pub(crate) fn lone_digest(line: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let line = line.trim_ascii();
    let word = match memchr2(b' ', b'\t', line) {
        Some(blank) if matches!(line[blank..].trim_ascii(), b"-" | b"*-") => &line[..blank],
        Some(_) => return None,
        None => line,
    };
    let (tag, digest) = match named_digest(word) {
        Some((algorithm, digest)) => (Some(algorithm), digest),
        None => (None, word),
    };
    let (bytes, is_hex) = measured_digest(tag, digest)?;
    (tag.is_some() || is_hex && Algorithm::blake2b(bytes).is_some()).then_some((tag, digest))
}

/// The tag before an opening parenthesis, and what stands behind it.
fn split_tag(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = memchr(b'(', &line[..line.len().min(MAX_TAG_BYTES + 2)])?;
    let before = &line[..open];
    let tag = before.strip_suffix(b" ").unwrap_or(before);
    // rhash pads tags to a column. Two spaces stand behind a digest too: that is no tag, unless an algorithm is called so.
    let padded = tag.trim_ascii_end();
    let is_tag_too = || algorithm_of_tag(padded).is_some() || is_tagged(&line[open + 1..]) && !is_hex(padded);
    let tag = if padded.len() < tag.len() && is_tag_too() { padded } else { tag };
    let is_tag = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/' | b':');
    (!tag.is_empty() && tag.iter().all(is_tag)).then_some((tag, &line[open + 1..]))
}

/// Whether what follows an opening parenthesis goes on as a line with a tag does: a name, and one word behind a sign of equality.
fn is_tagged(rest: &[u8]) -> bool {
    let close = memrchr(b')', rest);
    let behind = close.and_then(|close| rest[close + 1..].trim_ascii().strip_prefix(b"="));
    behind.is_some_and(|digest| {
        let digest = digest.trim_ascii_start();
        !digest.is_empty() && !digest.iter().any(u8::is_ascii_whitespace)
    })
}

/// Recognizes a line by whether it is tagged and whether it is hexadecimal.
pub(super) fn recognize(line: &[u8], tagged: bool, hexadecimal: bool) -> bool {
    let is_like = |(cut, _, is_hex): (Cut<'_>, _, _)| cut.tag.is_some() == tagged && is_hex == hexadecimal;
    // A size of eight digits before a digest looks like a checksum, a multihash like a long digest.
    measured(line).is_some_and(is_like)
        && !md5deep::has_size(line)
        && !ace::is_line(line)
        && self_naming::names_itself(line).is_none()
}

/// A line of either shape whose digest is one, with its length in bytes and whether it is hexadecimal.
pub(super) fn measured(line: &[u8]) -> Option<(Cut<'_>, usize, bool)> {
    let cut = cut(line)?;
    let (bytes, is_hex) = measured_digest(cut.tag, cut.digest)?;
    // Words are base64 too: without a tag the length has to be one that occurs.
    let is_digest = cut.tag.is_some() || is_hex || !algorithms_of_length(bytes).is_empty();
    is_digest.then_some((cut, bytes, is_hex))
}

/// How many bytes a digest has, and whether it is hexadecimal. One of a few digits is one only if its tag says so.
fn measured_digest(tag: Option<&[u8]>, digest: &[u8]) -> Option<(usize, bool)> {
    let of_tag = tag.filter(|_| digest.len() < 8 && is_hex(digest)).and_then(algorithm_of_tag);
    match of_tag.filter(|of_tag| of_tag.text_length() == digest.len()) {
        Some(of_tag) => Some((of_tag.length(), true)),
        None => measure(digest),
    }
}

pub(crate) fn algorithm_of_tag(tag: &[u8]) -> Option<Algorithm> {
    let name = std::str::from_utf8(tag).ok()?;
    let in_either_order = || Algorithm::named(name.strip_suffix(LITTLE_ENDIAN)?).filter(has_either_order);
    Algorithm::tagged(name).or_else(in_either_order)
}

/// Whether there are lists that have the lowest byte of its digests first.
fn has_either_order(algorithm: &Algorithm) -> bool {
    algorithm.family() == Family::XxHash
}

/// The parser.
struct DigestLines {
    /// The caller's algorithm, which every line has to have.
    wanted: Option<Algorithm>,
    /// The algorithm of lines without a tag, once it is known.
    untagged: Option<Algorithm>,
    /// What such lines further down have, where their length does not tell.
    untold: Untold,
    /// Whether lines are passed over that name their algorithm, or follow a comment that does.
    untold_only: bool,
    /// Whether a comment between lines has named the algorithm of those that follow, be it the one that is fallen back on.
    told: bool,
    recorded: Recorded,
    /// What the only digest is about, where it has no name.
    only_file: Option<ItemPath>,
    /// What stands around the lines of a signed list.
    frame: Frame,
    /// The last tag, since lines in a row mostly have the same.
    last_tag: Option<(Vec<u8>, Algorithm)>,
    /// The name of the last good line as it stands there, if the caller's algorithm may leave others out.
    last_name: Vec<u8>,
}

/// Makes a parser. If the first good line has no tag, its algorithm is settled here.
pub(super) fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let mut untagged = setup.named();
    let end_byte = if lines.ends() == LineEnds::Nul { 0 } else { b'\n' };
    let is_lone = setup.only_file.is_some();
    let cut_line = |line| match is_lone {
        false => measured(line).map(|(cut, bytes, _)| (cut.tag, cut.digest, bytes)),
        true => {
            let (tag, digest) = lone_digest(line)?;
            Some((tag, digest, measured_digest(tag, digest)?.0))
        }
    };
    let window = lines.window()?;
    if let Some((None, digest, digest_bytes)) = window.split(|&byte| byte == end_byte).find_map(cut_line) {
        if let (Some(given), Some(named)) = (setup.wanted, setup.of_file_name)
            && digest_bytes != given.length()
            && digest_bytes == named.length()
        {
            return Err(Error::AlgorithmUnlikeName { given, named, digest_bytes });
        }
        // Lists of b2sum have one name, whatever the length of their digests. Where others have that length, it is to be proven.
        let is_named_only = setup.wanted.or(setup.recorded.algorithm).is_none();
        if is_named_only && untagged == Some(Algorithm::BLAKE2B) && digest_bytes != MAX_DIGEST_LENGTH {
            let mut lines = window.split(|&byte| byte == end_byte).filter_map(cut_line);
            // A digest that was cut off makes no list of another kind.
            if lines.all(|(tag, _, bytes)| tag.is_some() || bytes == digest_bytes) {
                untagged = match setup.untold.proves {
                    true => digest_text::only_blake2b(digest_bytes),
                    false => Algorithm::blake2b(digest_bytes),
                };
            }
        }
        if untagged.is_none() {
            untagged = Some(match Algorithm::told_by(digest) {
                Some(told) => told,
                None => setup.untold.algorithm_of_length(digest_bytes)?,
            });
        }
    }
    let Setup { wanted, untold, untold_only, recorded, only_file, .. } = setup;
    Ok(Box::new(DigestLines {
        wanted,
        untagged,
        untold,
        untold_only,
        told: false,
        recorded,
        only_file,
        frame: Frame::default(),
        last_tag: None,
        last_name: Vec::new(),
    }))
}

impl Parser for DigestLines {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        let zero = lines.ends() == LineEnds::Nul;
        loop {
            let line = match lines.next()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            let is_framed = self.frame.takes(line.text);
            let result = if line.text.is_empty() {
                continue;
            } else if is_framed {
                Err(ProblemKind::NotALine { expected: EXPECTED })
            } else if zero && !line.ended {
                Err(ProblemKind::Unterminated)
            } else if is_comment(line.text) {
                match self.note(line.text) {
                    Ok(()) => continue,
                    Err(kind) => Err(kind),
                }
            } else if self.untold_only && self.is_told(line.text) {
                continue;
            } else {
                self.item(&line, zero)
            };
            let kind = match result {
                Ok(item) => return Some(Ok(item)),
                Err(kind) => kind,
            };
            let name = match kind {
                ProblemKind::AlgorithmNotAsked { .. } => cut(line.text).map(|cut| cut.name.to_vec()),
                _ => None,
            };
            let path = cut(line.text).and_then(|cut| path_of(&cut).ok());
            let problem = line.problem(kind).entry_if(self.begins_with_digest(line.text)).of_file(path);
            let is_left_out = name.is_some_and(|name| self.is_read(&name, lines));
            return Some(Err(problem.noise_if(is_left_out || is_framed)));
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }

    fn algorithms(&self) -> &[Algorithm] {
        self.untagged.as_slice()
    }
}

impl DigestLines {
    /// Takes in a comment between lines, as concatenated manifests have them.
    fn note(&mut self, comment: &[u8]) -> Result<(), ProblemKind> {
        self.recorded.algorithm = None;
        self.recorded.note(comment)?;
        match (self.recorded.algorithm, self.wanted) {
            (Some(found), Some(wanted)) if found != wanted => {
                Err(ProblemKind::AlgorithmContradicted { found, wanted })
            }
            (Some(found), _) => {
                self.untagged = Some(found);
                self.told = true;
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }

    /// Whether a line begins with as many digits as those before it have.
    fn begins_with_digest(&self, line: &[u8]) -> bool {
        let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let bytes = plain_bytes(word);
        self.untagged.is_some_and(|algorithm| bytes == Some(algorithm.length()))
    }

    /// Whether a line, or a comment before it, names the algorithm.
    fn is_told(&self, line: &[u8]) -> bool {
        self.told || self.untagged != self.untold.fallback || cut(line).is_some_and(|cut| cut.tag.is_some())
    }

    /// Whether a name that has a line with another algorithm than the caller's has one with his beside it. Then
    /// the file is verified as he asked for.
    fn is_read(&self, name: &[u8], lines: &mut Lines<'_>) -> bool {
        let end_byte = if lines.ends() == LineEnds::Nul { 0 } else { b'\n' };
        let Ok(window) = lines.window() else { return false };
        let following = window.split(|&byte| byte == end_byte).take(MAX_LINES_OF_NAME).map_while(cut);
        let mut tags = following.take_while(|cut| cut.name == name).map_while(|cut| cut.tag);
        self.last_name == name
            || tags.any(|tag| self.wanted.is_some() && algorithm_of_tag(tag) == self.wanted)
    }

    fn item(&mut self, line: &Line<'_>, zero: bool) -> Result<Item, ProblemKind> {
        if let Some(path) = self.only_file.clone() {
            let (tag, digest) = lone_digest(line.text).ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
            let digest = self.digest(&Cut { escaped: false, tag, digest, name: b"" })?;
            return Ok(Item::of_digest(line.number, path, digest));
        }
        let cut = cut(line.text).filter(|cut| !(zero && cut.escaped));
        let cut = cut.ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
        let digest = self.digest(&cut)?;
        let path = path_of(&cut)?;
        if self.wanted.is_some() {
            self.last_name.clear();
            self.last_name.extend_from_slice(cut.name);
        }
        Ok(Item::of_digest(line.number, path, digest))
    }

    fn digest(&mut self, cut: &Cut<'_>) -> Result<Digest, ProblemKind> {
        let algorithm = match cut.tag {
            Some(tag) => self.tagged(tag)?,
            None => match self.untagged {
                Some(algorithm) => algorithm,
                None => *self.untagged.insert(self.untold(cut.digest)?),
            },
        };
        let digest = digest_text::decode(algorithm, cut.digest)?;
        let is_reversed = cut.tag.is_some_and(|tag| tag.ends_with(LITTLE_ENDIAN.as_bytes()));
        Ok(if is_reversed { digest.reversed() } else { digest })
    }

    /// The algorithm of a digest without a tag, of which nothing told before.
    fn untold(&self, digest: &[u8]) -> Result<Algorithm, ProblemKind> {
        if let Some(told) = Algorithm::told_by(digest) {
            return Ok(told);
        }
        let (digest_bytes, _) = measure(digest).ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
        self.untold.algorithm_of_length(digest_bytes).map_err(|error| match error {
            Error::AmbiguousAlgorithm { digest_bytes, candidates } => {
                ProblemKind::AmbiguousAlgorithm { digest_bytes, candidates }
            }
            _ => ProblemKind::NoAlgorithmOfLength { digest_bytes },
        })
    }

    fn tagged(&mut self, tag: &[u8]) -> Result<Algorithm, ProblemKind> {
        let found = match &self.last_tag {
            Some((last, algorithm)) if last == tag => *algorithm,
            _ => {
                let found = algorithm_of_tag(tag).ok_or_else(|| ProblemKind::unknown_algorithm(tag))?;
                self.last_tag = Some((tag.to_vec(), found));
                found
            }
        };
        match self.wanted {
            Some(wanted) if wanted != found => Err(ProblemKind::AlgorithmNotAsked { wanted }),
            _ => Ok(found),
        }
    }
}

fn path_of(cut: &Cut<'_>) -> Result<ItemPath, ProblemKind> {
    let name = match cut.escaped {
        true => unescape(cut.name).ok_or(ProblemKind::BadEscape)?,
        false => Cow::Borrowed(cut.name),
    };
    super::checked_name(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Option<(bool, Option<&str>, &str, &str)> {
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        cut(line.as_bytes()).map(|cut| (cut.escaped, cut.tag.map(text), text(cut.digest), text(cut.name)))
    }

    #[test]
    fn lines_are_cut_as_coreutils_cuts_them() {
        assert_eq!(parts("ab12  a b "), Some((false, None, "ab12", "a b ")));
        assert_eq!(parts("ab12 *a"), Some((false, None, "ab12", "a")));
        assert_eq!(parts("ab12  *a"), Some((false, None, "ab12", "*a")));
        assert_eq!(parts("ab12    a"), Some((false, None, "ab12", "  a")));
        assert_eq!(parts("\\ab12  a\\nb"), Some((true, None, "ab12", "a\\nb")));
        assert_eq!(parts(" \tab12  a"), Some((false, None, "ab12", "a")));
        assert_eq!(parts("MD5 (a) = ab12"), Some((false, Some("MD5"), "ab12", "a")));
        assert_eq!(parts("MD5(a)= ab12"), Some((false, Some("MD5"), "ab12", "a")));
        assert_eq!(parts("\\BLAKE2b-256 (a\\\\) = ab12"), Some((true, Some("BLAKE2b-256"), "ab12", "a\\\\")));
        assert_eq!(parts("MD5 (a) = b) = ab12"), Some((false, Some("MD5"), "ab12", "a) = b")));
        assert_eq!(parts("MD5   (a) = ab12"), Some((false, Some("MD5"), "ab12", "a")));
        assert_eq!(parts("SHA-256    (a b) = ab12"), Some((false, Some("SHA-256"), "ab12", "a b")));
        assert_eq!(parts("XXH3_ab12  a"), Some((false, Some("XXH3"), "ab12", "a")));
        assert_eq!(parts("ab12  (a) = ab12"), Some((false, None, "ab12", "(a) = ab12")));
        for bad in
            ["", "ab12", "ab12 a", "ab12 ", "  ", "MD5 (a = ab12", "MD5 (a) ab12", "(a) = ab12", "ab12\t a"]
        {
            assert_eq!(parts(bad), None, "{bad}");
        }
    }
}
