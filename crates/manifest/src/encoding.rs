//! Byte order marks: UTF-8 with one, and UTF-16 as PowerShell's `>` writes it, become plain UTF-8.
//!
//! Without a mark bytes pass as they are: names need not be UTF-8. A lone surrogate, which Windows allows in
//! names, becomes the three bytes that UTF-8 would give it, so that it is neither lost nor replaced.

use std::io::{self, Read};

/// UTF-16 read at once, in bytes.
const CHUNK_BYTES: usize = 16 << 10;

/// Passes text on as UTF-8 if its byte order mark says what it is.
pub(crate) fn decoded<'a>(mut input: impl Read + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
    let mut mark = [0; 3];
    let mut length = 0;
    while length < mark.len() {
        match input.read(&mut mark[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(match mark[..length] {
        [0xef, 0xbb, 0xbf] => Box::new(input),
        [0xff, 0xfe, ..] => Box::new(Utf16::new(input, &mark[2..length], u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Box::new(Utf16::new(input, &mark[2..length], u16::from_be_bytes)),
        _ => Box::new(io::Cursor::new(mark).take(length as u64).chain(input)),
    })
}

/// UTF-16 on its way to UTF-8.
struct Utf16<R> {
    input: R,
    unit: fn([u8; 2]) -> u16,
    /// Bytes read and not yet decoded: less than one character after each round.
    raw: Vec<u8>,
    /// UTF-8 that nobody took yet.
    text: Vec<u8>,
    taken: usize,
}

impl<R: Read> Utf16<R> {
    fn new(input: R, raw: &[u8], unit: fn([u8; 2]) -> u16) -> Self {
        Self { input, unit, raw: raw.to_vec(), text: Vec::new(), taken: 0 }
    }

    /// Decodes the next chunk into `text`. False at the end.
    fn decode(&mut self) -> io::Result<bool> {
        let kept = self.raw.len();
        self.raw.resize(kept + CHUNK_BYTES, 0);
        let read = self.input.read(&mut self.raw[kept..]);
        self.raw.truncate(kept + *read.as_ref().unwrap_or(&0));
        let at_end = read? == 0;
        if at_end && self.raw.len() % 2 == 1 {
            self.raw.clear();
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the UTF-16 text ends within a character",
            ));
        }
        let mut units = self.raw.len() / 2;
        if units > 0 && !at_end && is_high(self.unit_at(units - 1)) {
            units -= 1;
        }
        (self.taken, self.text) = (0, std::mem::take(&mut self.text));
        self.text.clear();
        let raw = &self.raw[..2 * units];
        let units_of_raw = raw.chunks_exact(2).map(|pair| (self.unit)([pair[0], pair[1]]));
        for character in char::decode_utf16(units_of_raw) {
            match character {
                Ok(character) => self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
                Err(lone) => push_lone_surrogate(&mut self.text, lone.unpaired_surrogate()),
            }
        }
        self.raw.drain(..2 * units);
        Ok(!at_end)
    }

    fn unit_at(&self, index: usize) -> u16 {
        (self.unit)([self.raw[2 * index], self.raw[2 * index + 1]])
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.text.len() {
            if !self.decode()? && self.text.is_empty() {
                return Ok(0);
            }
        }
        let length = buffer.len().min(self.text.len() - self.taken);
        buffer[..length].copy_from_slice(&self.text[self.taken..self.taken + length]);
        self.taken += length;
        Ok(length)
    }
}

fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn push_lone_surrogate(text: &mut Vec<u8>, unit: u16) {
    let [high, low] = unit.to_be_bytes();
    text.extend_from_slice(&[0xe0 | high >> 4, 0x80 | (high & 15) << 2 | low >> 6, 0x80 | low & 0x3f]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, the worst that an input can do.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(1);
            self.0.read(&mut buffer[..length])
        }
    }

    fn text_of(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let (mut whole, mut dripped) = (Vec::new(), Vec::new());
        let result = decoded(bytes)?.read_to_end(&mut whole);
        let other = decoded(Drip(bytes))?.read_to_end(&mut dripped);
        assert_eq!(result.is_ok(), other.is_ok());
        assert_eq!(whole, dripped);
        result.map(|_| whole)
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        ['\u{feff}']
            .into_iter()
            .chain(text.chars())
            .flat_map(|character| {
                character.encode_utf16(&mut [0; 2]).iter().flat_map(|&unit| bytes(unit)).collect::<Vec<_>>()
            })
            .collect()
    }

    #[test]
    fn marks_are_obeyed_and_not_passed_on() {
        let text = "größe 日本 \u{1f600}\r\n".repeat(5000);
        assert_eq!(text_of(&[b"\xef\xbb\xbf", text.as_bytes()].concat()).unwrap(), text.as_bytes());
        assert_eq!(text_of(&utf16(&text, u16::to_le_bytes)).unwrap(), text.as_bytes());
        assert_eq!(text_of(&utf16(&text, u16::to_be_bytes)).unwrap(), text.as_bytes());
    }

    #[test]
    fn bytes_without_a_mark_pass_as_they_are() {
        for bytes in [&b""[..], b"a", b"\xff", b"\xff\x00", b"\xef\xbb", b"\xef\xbbx\xbf", b"ab\xff\xfe"] {
            assert_eq!(text_of(bytes).unwrap(), bytes);
        }
        for bytes in [&b"\xff\xfe"[..], b"\xfe\xff", b"\xef\xbb\xbf"] {
            assert_eq!(text_of(bytes).unwrap(), b"");
        }
    }

    #[test]
    fn lone_surrogates_are_kept_and_half_a_character_is_an_error() {
        assert_eq!(text_of(b"\xff\xfea\0\x00\xd8b\0").unwrap(), b"a\xed\xa0\x80b");
        assert_eq!(text_of(b"\xff\xfe\xff\xdf\x00\xd8").unwrap(), b"\xed\xbf\xbf\xed\xa0\x80");
        assert_eq!(text_of(b"\xff\xfea\0b").unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
