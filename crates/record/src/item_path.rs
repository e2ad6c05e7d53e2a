//! Names of files as the system has them: bytes.

use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The name of a file: raw bytes, never converted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ItemPath(Box<[u8]>);

impl ItemPath {
    /// Wraps a name.
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Self {
        Self(bytes.into())
    }

    /// The name, byte for byte.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name as the standard library wants it.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// The name for a terminal or a message.
    pub fn escaped(&self) -> Escaped<'_> {
        Escaped(&self.0)
    }
}

impl fmt::Debug for ItemPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.escaped())
    }
}

impl From<&str> for ItemPath {
    fn from(name: &str) -> Self {
        Self::new(name.as_bytes())
    }
}

impl From<&[u8]> for ItemPath {
    fn from(name: &[u8]) -> Self {
        Self::new(name)
    }
}

impl From<Vec<u8>> for ItemPath {
    fn from(name: Vec<u8>) -> Self {
        Self::new(name)
    }
}

/// Shows bytes so that no terminal obeys them: control characters and bytes that are not UTF-8 appear as `\n`, `\t`,
/// `\u{85}` or `\xff`, a backslash as `\\`. Everything else stands as it is.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    '\\' => f.write_str("\\\\")?,
                    '\n' => f.write_str("\\n")?,
                    '\r' => f.write_str("\\r")?,
                    '\t' => f.write_str("\\t")?,
                    '\u{0}'..='\u{1f}' | '\u{7f}' => write!(f, "\\x{:02x}", u32::from(character))?,
                    // C1 controls, and the marks that turn the direction of text around.
                    '\u{80}'..='\u{9f}'
                    | '\u{200e}'
                    | '\u{200f}'
                    | '\u{202a}'..='\u{202e}'
                    | '\u{2066}'..='\u{2069}' => write!(f, "\\u{{{:x}}}", u32::from(character))?,
                    _ => f.write_char(character)?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// Lines for a terminal: what it would obey is escaped, line ends and backslashes stay.
pub fn tamed(text: &[u8]) -> String {
    let mut tamed = String::with_capacity(text.len());
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let (line, end) = line.strip_suffix(b"\n").map_or((line, ""), |line| (line, "\n"));
        for (index, piece) in line.split(|&byte| byte == b'\\').enumerate() {
            if index > 0 {
                tamed.push('\\');
            }
            tamed.push_str(&Escaped(piece).to_string());
        }
        tamed.push_str(end);
    }
    tamed
}

/// The bytes that [`Escaped`] shows as a text; nothing if it shows none so.
pub fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let (&kind, behind) = rest.split_first()?;
        rest = behind;
        match kind {
            b'\\' => bytes.push(b'\\'),
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'x' => {
                let (digits, behind) = rest.split_at_checked(2)?;
                bytes.push(number(digits)? as u8);
                rest = behind;
            }
            b'u' => {
                let digits = rest.strip_prefix(b"{")?;
                let end = digits.iter().position(|&byte| byte == b'}')?;
                let character = char::from_u32(number(&digits[..end])?)?;
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &digits[end + 1..];
            }
            _ => return None,
        }
    }
    (Escaped(&bytes).to_string().as_bytes() == text).then_some(bytes)
}

fn number(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_control_characters() {
        assert_eq!(tamed(b"\\ab  a\\nb\n12  \x1b[31mred\xff\n"), "\\ab  a\\nb\n12  \\x1b[31mred\\xff\n");
    }

    #[test]
    fn what_is_shown_can_be_read_back() {
        for name in [
            &b"plain"[..],
            b"a\nb\rc\td\\e",
            b"\x1b[31m\x7f",
            b"bad \xff\xfe",
            "c1 \u{9b} \u{202e}txt größe".as_bytes(),
            b"",
        ] {
            assert_eq!(unescaped(Escaped(name).to_string().as_bytes()).as_deref(), Some(name));
        }
        for text in [&b"\\"[..], b"\\q", b"\\x4", b"\\x41", b"\\u{110000}", b"\\u9b", b"a\nb"] {
            assert_eq!(unescaped(text), None, "{}", Escaped(text));
        }
    }

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        let shown = |name: &[u8]| Escaped(name).to_string();
        assert_eq!(shown(b"plain name"), "plain name");
        assert_eq!(shown("größe 日本".as_bytes()), "größe 日本");
        assert_eq!(shown(b"a\nb\rc\td\\e"), "a\\nb\\rc\\td\\\\e");
        assert_eq!(shown(b"\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
        assert_eq!(shown(b"bad \xff\xfe utf-8"), "bad \\xff\\xfe utf-8");
        assert_eq!(shown("c1 \u{9b}31m and \u{202e}txt".as_bytes()), "c1 \\u{9b}31m and \\u{202e}txt");
    }
}
