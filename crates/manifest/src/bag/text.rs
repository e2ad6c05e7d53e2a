//! The encodings of tag files, and their line ends: all becomes UTF-8 with newlines.

use std::io::{self, Read};

use crate::encoding::decoded;

/// How much is decoded at once, in bytes.
const CHUNK_BYTES: usize = 16 << 10;

/// How the tag files of a bag are encoded, `bagit.txt` excepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, and US-ASCII, which is a part of it.
    Utf8,
    /// ISO-8859-1: a byte is a character.
    Latin1,
    /// UTF-16 that begins with a byte order mark.
    Utf16,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
}

impl Encoding {
    /// The encoding of this name. Case does not matter, and neither do the aliases in use.
    pub fn named(name: &str) -> Option<Self> {
        let plain = name.to_ascii_lowercase().replace('_', "-");
        Some(match plain.as_str() {
            "utf-8" | "utf8" | "us-ascii" | "ascii" => Self::Utf8,
            "iso-8859-1" | "iso8859-1" | "latin-1" | "latin1" => Self::Latin1,
            "utf-16" | "utf16" => Self::Utf16,
            "utf-16le" | "utf-16-le" => Self::Utf16Le,
            "utf-16be" | "utf-16-be" => Self::Utf16Be,
            _ => return None,
        })
    }
}

/// The text of a tag file as UTF-8 whose lines end with a newline each, whether they ended with LF, CR or
/// both. A byte order mark is taken away. Bytes that are no UTF-8 where that is declared pass as they are.
///
/// # Errors
/// The input fails; [`io::ErrorKind::InvalidData`]: it is not of the encoding.
pub fn tag_text<'a>(
    input: impl Read + Send + 'a,
    encoding: Encoding,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    let text: Box<dyn Read + Send + 'a> = match encoding {
        Encoding::Utf8 => Box::new(without_mark(input)?),
        Encoding::Latin1 => Box::new(Latin1 { input, text: Vec::new(), taken: 0 }),
        Encoding::Utf16 => decoded(with_mark(input)?)?,
        Encoding::Utf16Le => decoded((&b"\xff\xfe"[..]).chain(input))?,
        Encoding::Utf16Be => decoded((&b"\xfe\xff"[..]).chain(input))?,
    };
    Ok(Box::new(Newlines { input: text, after_cr: false }))
}

/// The text of a small tag file as a whole, as [`tag_text`] gives it.
///
/// # Errors
/// It is not of the encoding: UTF-16 that ends within a character, or has no byte order mark where that is to tell its order.
pub fn decoded_text(bytes: &[u8], encoding: Encoding) -> io::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(bytes.len());
    tag_text(bytes, encoding)?.read_to_end(&mut text)?;
    Ok(text)
}

/// The input without the mark that UTF-8 does not need.
fn without_mark<R: Read + Send>(mut input: R) -> io::Result<impl Read + Send> {
    let mut first = Vec::with_capacity(3);
    (&mut input).take(3).read_to_end(&mut first)?;
    if first == b"\xef\xbb\xbf" {
        first.clear();
    }
    Ok(io::Cursor::new(first).chain(input))
}

/// The input, if it begins with the mark of UTF-16 or is empty: other bytes are of some other encoding.
fn with_mark<R: Read + Send>(mut input: R) -> io::Result<impl Read + Send> {
    let mut first = Vec::with_capacity(2);
    (&mut input).take(2).read_to_end(&mut first)?;
    if !matches!(first[..], [] | [0xff, 0xfe] | [0xfe, 0xff]) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "is not UTF-16, as bagit.txt states: it has no byte order mark; \
             correct the encoding in bagit.txt, or name UTF-16LE or UTF-16BE there",
        ));
    }
    Ok(io::Cursor::new(first).chain(input))
}

/// ISO-8859-1 on its way to UTF-8.
struct Latin1<R> {
    input: R,
    text: Vec<u8>,
    taken: usize,
}

impl<R: Read> Read for Latin1<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.text.len() {
            let mut raw = [0; CHUNK_BYTES];
            let count = self.input.read(&mut raw)?;
            (self.taken, self.text) = (0, std::mem::take(&mut self.text));
            self.text.clear();
            for &byte in &raw[..count] {
                self.text.extend_from_slice(char::from(byte).encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        let length = buffer.len().min(self.text.len() - self.taken);
        buffer[..length].copy_from_slice(&self.text[self.taken..self.taken + length]);
        self.taken += length;
        Ok(length)
    }
}

/// Makes a newline of each line end.
struct Newlines<R> {
    input: R,
    after_cr: bool,
}

impl<R: Read> Read for Newlines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.input.read(buffer)?;
            let mut kept = 0;
            for at in 0..count {
                let byte = buffer[at];
                if !(byte == b'\n' && self.after_cr) {
                    buffer[kept] = if byte == b'\r' { b'\n' } else { byte };
                    kept += 1;
                }
                self.after_cr = byte == b'\r';
            }
            // Nothing is the end only if there was nothing.
            if kept > 0 || count == 0 {
                return Ok(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_becomes_a_newline() {
        let text = |bytes: &[u8]| decoded_text(bytes, Encoding::Utf8).unwrap();
        assert_eq!(text(b"a\nb\r\nc\rd\r\r\n\n"), b"a\nb\nc\nd\n\n\n");
        assert_eq!(text(b"\xef\xbb\xbfa\r"), b"a\n");
        assert_eq!(text(b""), b"");
        assert_eq!(text(b"\xff\xfea\0"), b"\xff\xfea\0", "declared as UTF-8, taken as UTF-8");
    }

    #[test]
    fn a_line_end_that_is_cut_by_a_read_is_one() {
        struct Drip<'a>(&'a [u8]);
        impl Read for Drip<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = buffer.len().min(1);
                self.0.read(&mut buffer[..length])
            }
        }
        let mut text = Vec::new();
        tag_text(Drip(b"a\r\nb\r"), Encoding::Utf8).unwrap().read_to_end(&mut text).unwrap();
        assert_eq!(text, b"a\nb\n");
    }

    #[test]
    fn encodings_of_old_bags_are_read() {
        for (encoding, bytes) in [
            (Encoding::Latin1, &b"\xe9\r\n"[..]),
            (Encoding::Utf16, b"\xfe\xff\0\xe9\0\r\0\n"),
            (Encoding::Utf16Le, b"\xe9\0\r\0\n\0"),
            (Encoding::Utf16Be, b"\0\xe9\0\r\0\n"),
            (Encoding::Utf8, "\u{e9}\n".as_bytes()),
        ] {
            assert_eq!(decoded_text(bytes, encoding).unwrap(), "\u{e9}\n".as_bytes(), "{encoding:?}");
        }
        for (name, encoding) in
            [("utf8", Encoding::Utf8), ("ISO_8859-1", Encoding::Latin1), ("UTF-16LE", Encoding::Utf16Le)]
        {
            assert_eq!(Encoding::named(name), Some(encoding));
        }
        assert_eq!(Encoding::named("EBCDIC-US"), None);
    }

    #[test]
    fn what_is_declared_as_utf_16_and_has_no_mark_is_refused() {
        for bytes in [&b"a"[..], b"ab", b"a: b\n", b"a\0b\0", b"\0a", b"\xef\xbb\xbfa"] {
            let error = decoded_text(bytes, Encoding::Utf16).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{bytes:?}");
        }
        assert_eq!(decoded_text(b"", Encoding::Utf16).unwrap(), b"");
        assert!(decoded_text(b"\xff\xfea", Encoding::Utf16).is_err(), "half a character");
    }
}
