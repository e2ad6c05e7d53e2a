//! Lines with one digest, tagged or not, in hexadecimal or base64: the parser behind gnu, bsd and both base64
//! formats.
//!
//! Each line says itself which of the four it is, so one file may mix them, as coreutils allows.

use std::borrow::Cow;

use hashlane_digest::{Algorithm, Digest};
use memchr::{memchr, memrchr};

use super::digest_text::{self, algorithms_of_length, measure};
use super::is_comment;
use crate::error::Error;
use crate::escape::unescape;
use crate::format::{Parser, Setup};
use crate::header::Recorded;
use crate::item::Item;
use crate::lines::{Line, LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind};

/// The longest tag; `BLAKE2b-256` has 11 bytes.
const MAX_TAG_BYTES: usize = 24;

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
        let digest = rest[close + 1..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        return Some(Cut { escaped, tag: Some(tag), digest, name: &rest[..close] });
    }
    let space = memchr(b' ', line).filter(|&at| at > 0)?;
    let name = match line.get(space + 1)? {
        b' ' | b'*' => &line[space + 2..],
        _ => return None,
    };
    Some(Cut { escaped, tag: None, digest: &line[..space], name })
}

/// The tag before an opening parenthesis, and what stands behind it.
fn split_tag(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = memchr(b'(', &line[..line.len().min(MAX_TAG_BYTES + 2)])?;
    let tag = line[..open].strip_suffix(b" ").unwrap_or(&line[..open]);
    let is_tag = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/' | b':');
    (!tag.is_empty() && tag.iter().all(is_tag)).then_some((tag, &line[open + 1..]))
}

/// Recognizes a line by whether it is tagged and whether it is hexadecimal.
pub(super) fn recognize(line: &[u8], tagged: bool, hexadecimal: bool) -> bool {
    let ours = cut(line).filter(|cut| cut.tag.is_some() == tagged).and_then(|cut| measure(cut.digest));
    match ours {
        // Words are base64 too: without a tag the length has to be one that occurs.
        Some((bytes, false)) if !tagged && algorithms_of_length(bytes).is_empty() => false,
        Some((_, is_hex)) => is_hex == hexadecimal,
        None => false,
    }
}

/// The parser.
struct DigestLines {
    /// The caller's algorithm, which every line has to have.
    wanted: Option<Algorithm>,
    /// The algorithm of lines without a tag, once it is known.
    untagged: Option<Algorithm>,
    recorded: Recorded,
    /// The last tag, since lines in a row mostly have the same.
    last_tag: Option<(Vec<u8>, Algorithm)>,
}

/// Makes a parser. If the first good line has no tag, its algorithm is settled here.
pub(super) fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let mut untagged = setup.wanted.or(setup.recorded.algorithm).or(setup.of_file_name);
    if untagged.is_none() {
        let end_byte = if lines.ends() == LineEnds::Nul { 0 } else { b'\n' };
        let mut cuts = lines.window()?.split(|&byte| byte == end_byte).filter_map(cut);
        let first = cuts.find_map(|cut| measure(cut.digest).map(|(bytes, _)| (cut.tag, bytes)));
        if let Some((None, digest_bytes)) = first {
            untagged = Some(match algorithms_of_length(digest_bytes)[..] {
                [] => return Err(Error::NoAlgorithmOfLength { digest_bytes }),
                [only] => only,
                ref several => {
                    return Err(Error::AmbiguousAlgorithm { digest_bytes, candidates: several.to_vec() });
                }
            });
        }
    }
    Ok(Box::new(DigestLines { wanted: setup.wanted, untagged, recorded: setup.recorded, last_tag: None }))
}

impl Parser for DigestLines {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        let zero = lines.ends() == LineEnds::Nul;
        loop {
            let line = match lines.next()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            let result = if line.text.is_empty() {
                continue;
            } else if zero && !line.ended {
                Err(ProblemKind::Unterminated)
            } else if is_comment(line.text) {
                match self.note(line.text) {
                    Ok(()) => continue,
                    Err(kind) => Err(kind),
                }
            } else {
                self.item(&line, zero)
            };
            return Some(result.map_err(|kind| line.problem(kind)));
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
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }

    fn item(&mut self, line: &Line<'_>, zero: bool) -> Result<Item, ProblemKind> {
        let cut = cut(line.text).filter(|cut| !(zero && cut.escaped));
        let cut = cut.ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
        let digest = self.digest(&cut)?;
        let name = match cut.escaped {
            true => unescape(cut.name).ok_or(ProblemKind::BadEscape)?,
            false => Cow::Borrowed(cut.name),
        };
        Ok(Item::of_digest(line.number, super::checked_name(&name)?, digest))
    }

    fn digest(&mut self, cut: &Cut<'_>) -> Result<Digest, ProblemKind> {
        let algorithm = match cut.tag {
            Some(tag) => self.tagged(tag)?,
            None => match self.untagged {
                Some(algorithm) => algorithm,
                None => *self.untagged.insert(only_possible(cut.digest)?),
            },
        };
        digest_text::decode(algorithm, cut.digest)
    }

    fn tagged(&mut self, tag: &[u8]) -> Result<Algorithm, ProblemKind> {
        let found = match &self.last_tag {
            Some((last, algorithm)) if last == tag => *algorithm,
            _ => {
                let name = std::str::from_utf8(tag).ok();
                let found = name.and_then(|name| Algorithm::tagged(name).or_else(|| Algorithm::named(name)));
                let found = found.ok_or_else(|| ProblemKind::unknown_algorithm(tag))?;
                self.last_tag = Some((tag.to_vec(), found));
                found
            }
        };
        match self.wanted {
            Some(wanted) if wanted != found => Err(ProblemKind::AlgorithmContradicted { found, wanted }),
            _ => Ok(found),
        }
    }
}

/// The algorithm of a digest without a tag, where no other is possible.
fn only_possible(digest: &[u8]) -> Result<Algorithm, ProblemKind> {
    let (digest_bytes, _) = measure(digest).ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
    let candidates = algorithms_of_length(digest_bytes);
    match candidates[..] {
        [only] => Ok(only),
        [] => Err(ProblemKind::NoAlgorithmOfLength { digest_bytes }),
        _ => Err(ProblemKind::AmbiguousAlgorithm { digest_bytes, candidates }),
    }
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
        assert_eq!(parts("ab12  (a) = ab12"), Some((false, None, "ab12", "(a) = ab12")));
        for bad in
            ["", "ab12", "ab12 a", "ab12 ", "  ", "MD5 (a = ab12", "MD5 (a) ab12", "(a) = ab12", "ab12\t a"]
        {
            assert_eq!(parts(bad), None, "{bad}");
        }
    }
}
