//! Whether a line that could not be read, or that is a comment, lists a file all the same.
//!
//! Judged by its shape in whatever format. A list in which one bit is wrong is to be read whole or not to pass, so a digest is known again
//! by most of its digits.

use memchr::{memchr, memchr2, memrchr, memrchr2};

use super::digest::{algorithms_of_length, measure};
use super::line::{Cut, algorithm_of_tag, cut, measured, named_digest, names_itself};
use super::seems_our_entry;
use crate::hex::is_hex;

/// From this many hexadecimal digits on, a word at the start of a line is taken for a digest, whatever
/// follows. Shorter ones occur in prose: dates, `decade`.
const LEAST_DIGITS: usize = 16;

/// From this many hexadecimal digits in a row on, those of md5 but one, a line has a digest wherever they stand. Prose has the
/// numbers of keys, which are shorter.
const LEAST_ANYWHERE: usize = 31;

/// From this length on, a word before a name is a digest though one of its digits is wrong.
const LEAST_BEFORE_NAME: usize = 15;

/// This many digits in a row are left of CRC-32 where one was lost.
pub(crate) const LEAST_LEFT: usize = 6;

/// From this length on, that of md5 without padding, a word in base64 is taken for a digest.
const LEAST_ENCODED: usize = 22;

/// From this length on, that of md5, a word of letters and digits is taken for a digest with wrong digits.
const LEAST_DAMAGED: usize = 32;

/// The shortest digest of a list, in hexadecimal digits: that of CRC-32.
const SHORTEST_DIGITS: usize = 8;

/// Whether a text is a size and digests between commas, or a name and digests.
pub(crate) fn is_row(line: &[u8]) -> bool {
    let is_digest =
        |field: &&[u8]| field.len() >= LEAST_DAMAGED && field.len().is_multiple_of(2) && is_hex(field);
    let mut fields = line.trim_ascii_end().split(|&byte| byte == b',');
    let begins = fields.clone().next().is_some_and(|first| !first.is_empty());
    memchr(b',', line).is_some() && begins && fields.any(|field| is_digest(&field))
}

/// Whether a text is an entry of the kind `DIGEST  name` but for one digit.
pub(crate) fn lacks_first_digit(text: &[u8]) -> bool {
    let word = first_word(text);
    let is_one_less = |digits: usize| digits + 1 >= SHORTEST_DIGITS && !digits.is_multiple_of(2);
    let has_digits = is_hex(word) && is_one_less(word.len());
    let has_base64 = || measure(&[b"A", word].concat()).is_some_and(|(bytes, _)| has_algorithm(bytes));
    // Of a long digest a single blank is enough, as BSD's `-r` has it.
    let is_long =
        word.len() + 1 >= LEAST_DAMAGED && matches!(text.get(word.len()..), Some([b' ' | b'\t', _, ..]));
    is_listed(text, word) && (has_digits || has_base64() || is_named_digest(word)) || is_long && has_digits
}

/// Whether a word is a digest with something before it that may be what is left of the name of its algorithm: `ha256:HEX`, `XH3_HEX`.
fn is_named_digest(word: &[u8]) -> bool {
    let Some(at) = memrchr2(b':', b'_', word) else { return false };
    let digest = &word[at + 1..];
    at > 0 && is_hex(digest) && digest.len() >= LEAST_DIGITS && digest.len().is_multiple_of(2)
}

/// Whether a line seems to list a digest, even one that was cut off or damaged.
pub(crate) fn seems_entry(line: &[u8]) -> bool {
    // Records that are ended by NUL are one line where nobody said so.
    let mut records = line.split(|&byte| byte == 0);
    has_digest(line)
        || records.any(|record| {
            begins_as_entry(record) || has_digest(record) || seems_our_entry(record) || seems_row(record)
        })
}

/// Whether a line begins as one does that lists a digest, or has the shape of one with a tag.
pub(crate) fn begins_as_entry(line: &[u8]) -> bool {
    let tagged =
        |cut: Cut<'_>| cut.tag.is_some_and(|tag| algorithm_of_tag(tag).is_some() || is_lone_word(cut.digest));
    if measured(line).is_some() || cut(line).is_some_and(tagged) || names_itself(line).is_some() {
        return true;
    }
    let line = without_mark(line);
    let word = first_word(line);
    // What names its algorithm is a digest, whatever follows.
    let is_named =
        || named_digest(word).is_some_and(|(_, digest)| has_digits(digest, LEAST_LEFT, LEAST_ENCODED_LEFT));
    is_named()
        || seems_digest(word)
        || seems_damaged(word) && word.len() < line.len()
        || seems_encoded(line, word)
}

/// Whether a digest stands somewhere in a line, most of its digits right.
fn has_digest(line: &[u8]) -> bool {
    let line = without_mark(line).trim_ascii_end();
    let word = first_word(line);
    let is_digest = || word.len() >= LEAST_BEFORE_NAME && is_mostly(word, u8::is_ascii_hexdigit);
    if is_listed(line, word) && (is_digest() || has_digits(word, LEAST_LEFT, LEAST_ENCODED_LEFT))
        || ends_as_tagged(line)
    {
        return true;
    }
    let runs = |belongs: fn(&u8) -> bool| line.split(move |byte| !belongs(byte));
    runs(u8::is_ascii_hexdigit).any(|run| run.len() >= LEAST_ANYWHERE)
        || runs(is_base64).any(is_whole_base64)
        || line.len() == word.len()
            && word.len() >= LEAST_ENCODED
            && word.iter().all(is_base64)
            && is_mixed(word)
}

/// Whether a line ends with a sign of equality and what is left of a digest, and has a parenthesis before them.
fn ends_as_tagged(line: &[u8]) -> bool {
    // Padding ends a digest in base64.
    let end = line.iter().rposition(|&byte| byte != b'=' && !byte.is_ascii_whitespace()).unwrap_or(0);
    let Some(at) = memrchr(b'=', &line[..end]) else { return false };
    let digest = line[at + 1..].trim_ascii();
    let has_name = memchr2(b'(', b')', &line[..at]).is_some();
    has_name
        && !digest.iter().any(u8::is_ascii_whitespace)
        && has_digits(digest, LEAST_LEFT, LEAST_ENCODED_LEFT)
}

/// Whether a word is a digest in base64, as long as one is and with its padding.
fn is_whole_base64(word: &[u8]) -> bool {
    word.len() >= LEAST_ENCODED
        && word.ends_with(b"=")
        && measure(word).is_some_and(|(bytes, is_hex)| !is_hex && has_algorithm(bytes))
}

/// This many characters are left of the base64 of a digest.
pub(crate) const LEAST_ENCODED_LEFT: usize = 16;

/// Whether a text has what may be left of a digest: `least` hexadecimal digits in a row, or `least_encoded` characters of base64.
pub(crate) fn has_digits(text: &[u8], least: usize, least_encoded: usize) -> bool {
    let runs = |belongs: fn(&u8) -> bool| text.split(move |byte| !belongs(byte));
    let has_digit = |run: &[u8]| run.iter().any(u8::is_ascii_digit);
    runs(u8::is_ascii_hexdigit).any(|run| run.len() >= least && has_digit(run))
        || runs(is_base64).any(|run| run.len() >= least_encoded && is_mixed(run))
}

/// Whether digests of some algorithm have `bytes` bytes.
fn has_algorithm(bytes: usize) -> bool {
    !algorithms_of_length(bytes).is_empty()
}

/// Whether a digest stands between commas, as in hashdeep and csv.
fn seems_row(line: &[u8]) -> bool {
    let mut fields = line.trim_ascii_end().split(|&byte| byte == b',');
    memchr(b',', line).is_some() && fields.any(seems_digest)
}

/// Whether a word is as long as a digest and made of letters and digits, right or wrong.
fn seems_damaged(word: &[u8]) -> bool {
    seems_digest(word) || word.len() >= LEAST_DAMAGED && word.iter().all(u8::is_ascii_alphanumeric)
}

/// Whether a line begins with a word in base64 that is as long as a digest, or with a digest that names an algorithm which
/// nobody knows, and goes on as lists do.
fn seems_encoded(line: &[u8], word: &[u8]) -> bool {
    let names_itself = word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"ni:/"));
    let is_encoded = names_itself || is_mostly(word, is_base64) && is_mixed(word);
    is_listed(line, word) && word.len() >= LEAST_ENCODED && is_encoded
}

/// Whether a word is a digest in hexadecimal, of whatever length.
fn seems_digest(word: &[u8]) -> bool {
    word.len() >= LEAST_DIGITS && word.iter().all(u8::is_ascii_hexdigit)
}

/// A line without the backslash that announces escapes.
fn without_mark(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_start();
    line.strip_prefix(b"\\").unwrap_or(line)
}

fn first_word(line: &[u8]) -> &[u8] {
    line.split(u8::is_ascii_whitespace).next().unwrap_or_default()
}

/// Whether a name follows the first word of a line as it does in lists.
fn is_listed(line: &[u8], word: &[u8]) -> bool {
    matches!(line.get(word.len()..), Some([b' ', b' ' | b'*', _, ..]))
}

/// Whether there is nothing but one word, as long as a digest.
fn is_lone_word(text: &[u8]) -> bool {
    text.len() >= SHORTEST_DIGITS && text.iter().all(|byte| byte.is_ascii_graphic())
}

/// Whether all bytes of a word belong but one, be it that one which a flipped bit has made.
fn is_mostly(word: &[u8], belongs: fn(&u8) -> bool) -> bool {
    word.iter().filter(|byte| !belongs(byte)).count() <= 1
}

/// Characters of base64, and of the form that URLs have.
fn is_base64(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Whether a word has digits or capitals behind its first letter, as random ones have: not a long word of a language, a path or a ruler.
fn is_mixed(word: &[u8]) -> bool {
    let is_odd = |byte: &&u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    word.iter().skip(1).filter(is_odd).count() >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_entry_is_told_from_prose() {
        let sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        for entry in [
            format!("{sha1}  a"),
            format!("{sha1} a"),
            format!("\\{sha1} *a\\x"),
            format!("{}  a", &sha1[..38]),
            format!("{}g  a", &sha1[..39]),
            sha1[..20].to_owned(),
            "2jmj7l5rSw0yVb/vlWAYkK/YBwk=  a".to_owned(),
            format!("SHA9 (a) = {sha1}"),
            "SHA1 (a) = da39".to_owned(),
            "SHA1 (a) =".to_owned(),
            "CRC32 (a\0 = 7a6c86f1".to_owned(),
            "XXH3_911faba7321fe1a0 l etters".to_owned(),
            "XXH3_2d06800538d394c2 ".to_owned(),
        ] {
            assert!(seems_entry(entry.as_bytes()), "{entry}");
        }
        for prose in [
            "",
            "README  is here",
            "Contents  of this folder",
            "20261121 by Ada",
            "-----BEGIN PGP SIGNATURE-----",
            "Hash: SHA256",
            "=njUN",
            "MD5 (not recommended):",
            "================================  SHA256",
        ] {
            assert!(!seems_entry(prose.as_bytes()), "{prose}");
        }
    }
}
