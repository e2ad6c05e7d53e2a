//! How lines are cut that have a digest and a name.

use hashlane_digest::{Algorithm, Digest, Family, Notation};
use memchr::{memchr, memchr2, memrchr};

use super::digest::{algorithms_of_length, is_long_digest, measure};
use crate::hex::is_hex;

/// The longest tag; `BLAKE2b-256` has 11 bytes.
const MAX_TAG_BYTES: usize = 24;

/// A line, cut and not yet decoded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut<'a> {
    /// Whether a backslash announces escapes.
    pub(crate) escaped: bool,
    /// The algorithm, if the line names it.
    pub(crate) tag: Option<&'a [u8]>,
    pub(crate) digest: &'a [u8],
    pub(crate) name: &'a [u8],
}

/// Cuts a line, if it has either shape.
pub(crate) fn cut(line: &[u8]) -> Option<Cut<'_>> {
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
    let (tag, digest) = named_digest(digest).map_or((None, digest), |(tag, digest)| (Some(tag), digest));
    Some(Cut { escaped, tag, digest, name })
}

/// What xxhsum writes before a digest of XXH3, which is as long as one of XXH64.
const XXH3_MARK: &[u8] = b"XXH3_";

/// What xxhsum writes behind a tag whose digest has its lowest byte first.
pub(crate) const LITTLE_ENDIAN: &str = "_LE";

/// An algorithm and its digest, with a colon between them.
pub(crate) fn named_digest(word: &[u8]) -> Option<(&[u8], &[u8])> {
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
    let (tag, digest) = named_digest(word).map_or((None, word), |(tag, digest)| (Some(tag), digest));
    let (bytes, is_hex) = measured_digest(tag, digest)?;
    (tag.is_some() || is_hex && Algorithm::blake2b(bytes).is_some()).then_some((tag, digest))
}

/// The tag before an opening parenthesis, and what stands behind it.
fn split_tag(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = memchr(b'(', &line[..line.len().min(MAX_TAG_BYTES + 2)])?;
    let before = &line[..open];
    let tag = before.strip_suffix(b" ").unwrap_or(before);
    // rhash pads tags to a column. Two spaces stand behind a digest too: that is not a tag, unless an algorithm is called so.
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

/// A line of either shape whose digest is one, with its length in bytes and whether it is hexadecimal.
pub(crate) fn measured(line: &[u8]) -> Option<(Cut<'_>, usize, bool)> {
    let cut = cut(line)?;
    let (bytes, is_hex) = measured_digest(cut.tag, cut.digest)?;
    // Words are base64 too: without a tag the length has to be one that occurs.
    let is_digest = cut.tag.is_some() || is_hex || !algorithms_of_length(bytes).is_empty();
    is_digest.then_some((cut, bytes, is_hex))
}

/// How many bytes a digest has, and whether it is hexadecimal. One of a few digits is one only if its tag says so.
pub(crate) fn measured_digest(tag: Option<&[u8]>, digest: &[u8]) -> Option<(usize, bool)> {
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

fn self_named(text: &[u8]) -> Option<(Notation, Digest)> {
    Notation::ALL.into_iter().find_map(|notation| Some((notation, notation.read(text)?)))
}

/// The notation of a line without a tag whose digest names its algorithm.
pub(crate) fn names_itself(line: &[u8]) -> Option<Notation> {
    cut_all(line).map(|(notation, ..)| notation)
}

/// The digests of a line, and the rest of it. Integrity values may be several, with a blank between them.
pub(crate) fn cut_all(line: &[u8]) -> Option<(Notation, Vec<Digest>, Cut<'_>)> {
    let line = line.trim_ascii_start();
    let (escaped, line) = line.strip_prefix(b"\\").map_or((false, line), |rest| (true, rest));
    let (mut rest, mut digests, mut found) = (line, Vec::new(), None);
    loop {
        let space = memchr(b' ', rest)?;
        let (notation, digest) = self_named(&rest[..space])?;
        digests.push(digest);
        let is_first = found.is_none();
        let notation = *found.get_or_insert(notation);
        if notation != Notation::SubresourceIntegrity && !is_first {
            return None;
        }
        match &rest[space + 1..] {
            [b' ' | b'*', name @ ..] => {
                let digest = &line[..line.len() - rest.len() + space];
                return Some((notation, digests, Cut { escaped, tag: None, digest, name }));
            }
            next if notation == Notation::SubresourceIntegrity => rest = next,
            _ => return None,
        }
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
