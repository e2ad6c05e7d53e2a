//! Lines of checksum files, as the original understands them.

use super::Program;
use crate::lines;

/// What a line lists.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CheckLine {
    pub(super) name: Vec<u8>,
    pub(super) digest: Vec<u8>,
}

/// Understands lines. Which of two forms without tags they have is decided by the first line of all files.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Whether names follow after one blank, as BSD's programs write them with `-r`.
    one_blank: Option<bool>,
}

impl Lines {
    /// What a line lists, its end taken off.
    pub(super) fn parse(&mut self, line: &[u8], kind: Program) -> Option<CheckLine> {
        let start = line.iter().position(|byte| !b" \t".contains(byte)).unwrap_or(line.len());
        let line = &line[start..];
        let (is_escaped, line) = match line.strip_prefix(b"\\") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if let Some(rest) = line.strip_prefix(kind.tag.as_bytes()) {
            return tagged(rest, kind, is_escaped);
        }
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if digits != 2 * kind.full_length() && !(kind.has_lengths && is_length(digits, kind)) {
            return None;
        }
        let (hex, rest) = line.split_at(digits);
        let rest = rest.strip_prefix(b" ").or_else(|| rest.strip_prefix(b"\t"))?;
        let name = match rest {
            [] => return None,
            [b' ' | b'*', name @ ..] if !name.is_empty() => {
                let one_blank = *self.one_blank.get_or_insert(false);
                if one_blank { rest } else { name }
            }
            name => {
                if !*self.one_blank.get_or_insert(true) {
                    return None;
                }
                name
            }
        };
        Some(CheckLine { name: named(name, is_escaped)?, digest: bytes(hex)? })
    }
}

/// Whether this many digits are a digest of a program whose digests have several lengths.
fn is_length(digits: usize, kind: Program) -> bool {
    digits >= 2 && digits.is_multiple_of(2) && digits <= 2 * kind.full_length()
}

/// What follows a tag: `-256 (name) = HEX`, blanks left out as other programs do.
fn tagged(rest: &[u8], kind: Program, is_escaped: bool) -> Option<CheckLine> {
    let mut length = kind.full_length();
    let mut rest = rest;
    if let (true, [b'-', text @ ..]) = (kind.has_lengths, rest) {
        let (bits, behind) = number(text)?;
        if bits == 0 || !bits.is_multiple_of(8) || bits > 8 * length {
            return None;
        }
        length = bits / 8;
        rest = behind;
    } else if let (true, [first, behind @ ..]) = (kind.has_lengths, rest)
        && *first != b'('
    {
        // Where a length might follow, the original looks at no other byte.
        rest = behind;
    }
    let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
    let end = rest.iter().rposition(|&byte| byte == b')')?;
    let blank = |byte: &u8| b" \t".contains(byte);
    let behind = &rest[end + 1..];
    let behind = &behind[behind.iter().take_while(|byte| blank(byte)).count()..];
    let hex = behind.strip_prefix(b"=")?;
    let hex = until_nul(&hex[hex.iter().take_while(|byte| blank(byte)).count()..]);
    if hex.len() != 2 * length {
        return None;
    }
    Some(CheckLine { name: named(&rest[..end], is_escaped)?, digest: bytes(hex)? })
}

/// A number as `strtoumax` of C reads it in any base, which is what the original does, and what follows it: blanks before it, a
/// plus sign, octal digits behind a 0 and hexadecimal ones behind 0x. One that is too large is none.
fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let text = &text[text.iter().take_while(|byte| is_blank(byte)).count()..];
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (base, digits) = match text {
        [b'0', b'x' | b'X', digits @ ..] if digits.first().is_some_and(u8::is_ascii_hexdigit) => (16, digits),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let count = digits.iter().take_while(|&&byte| char::from(byte).is_digit(base)).count();
    let (digits, rest) = digits.split_at(count);
    let value = usize::from_str_radix(std::str::from_utf8(digits).ok()?, base).ok()?;
    Some((value, rest))
}

/// What stands before the first NUL: the original's texts end there.
fn until_nul(text: &[u8]) -> &[u8] {
    memchr::memchr(0, text).map_or(text, |end| &text[..end])
}

/// The name of a line, its escapes undone. It ends at a NUL; one with escapes has none.
fn named(name: &[u8], is_escaped: bool) -> Option<Vec<u8>> {
    if !is_escaped {
        return Some(until_nul(name).to_vec());
    }
    if name.contains(&0) {
        return None;
    }
    lines::unescaped(name)
}

fn bytes(hex: &[u8]) -> Option<Vec<u8>> {
    let value = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    hex.chunks_exact(2).map(|pair| Some(value(pair[0])? << 4 | value(pair[1])?)).collect()
}

/// Appends a name, escaped if the line says so.
pub(super) fn push_name(text: &mut Vec<u8>, name: &[u8], escapes: bool) {
    if !escapes {
        text.extend_from_slice(name);
        return;
    }
    for &byte in name {
        match byte {
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            b'\\' => text.extend(b"\\\\"),
            byte => text.push(byte),
        }
    }
}

/// Appends a digest, lower case.
pub(super) fn push_plain(text: &mut Vec<u8>, digest: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in digest {
        text.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from GNU coreutils 9.1.
    #[test]
    fn the_length_in_a_tag_is_a_number_as_c_reads_it() {
        let kind = Program::of("b2sum");
        let length = |text: &str, bytes: usize| {
            let line = format!("BLAKE2b-{text} (f) = {}", "0f".repeat(bytes));
            Lines::default().parse(line.as_bytes(), kind).map(|listed| listed.digest.len())
        };
        for text in
            ["512", " 512", "+512", " +512", "  512", "\t512", "\x0b\x0c\r512", "0x200", "0X200", "01000"]
        {
            assert_eq!(length(text, 64), Some(64), "{text:?}");
            assert_eq!(length(text, 32), None, "{text:?}");
        }
        for text in ["256", "0x100", "0400", " 0x100", "+0x100"] {
            assert_eq!(length(text, 32), Some(32), "{text:?}");
        }
        for text in [
            "",
            "+",
            "+ 512",
            "0b1000000000",
            "-512",
            " -512",
            "512 ",
            "512K",
            "0512",
            "0x",
            "0xg",
            "08",
            "0",
            "520",
            "255",
            "99999999999999999999",
        ] {
            assert_eq!((length(text, 64), length(text, 32)), (None, None), "{text:?}");
        }
    }
}
