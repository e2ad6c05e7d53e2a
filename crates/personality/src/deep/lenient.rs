//! Lists of lines (`HEX  name`, the same behind a size, `MD5 (name) = HEX`) as md5deep takes them: one space or several before a
//! name, no name at all, anything before a tag or behind the digest of a BSD line.
//!
//! Owns what a line is mended to; `hashlane_manifest` reads it then. A line that is as it should be stays as it is, and so does
//! what the originals take for no line either.

use std::io::{self, BufRead as _, BufReader, Read};

use hashlane_digest::Algorithm;
use hashlane_manifest::MAX_LINE_BYTES;
use memchr::{memchr, memmem};

/// What stands for a name that is missing.
const NO_NAME: &[u8] = b"(no name)";

/// Passes a list on, line by line; the number of lines stays the same.
pub(super) struct Lenient<R> {
    input: BufReader<R>,
    algorithm: Algorithm,
    line: Vec<u8>,
    used: usize,
}

impl<R: Read> Lenient<R> {
    pub(super) fn new(input: R, algorithm: Algorithm) -> Self {
        Self { input: BufReader::new(input), algorithm, line: Vec::new(), used: 0 }
    }

    /// Takes the next line. At the end it is empty.
    fn next_line(&mut self) -> io::Result<()> {
        self.line.clear();
        self.used = 0;
        (&mut self.input).take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut self.line)?;
        let mended = plain(&self.line, self.algorithm).or_else(|| tagged(&self.line, self.algorithm));
        if let Some(mended) = mended {
            let end = self.line.ends_with(b"\n").then_some(b'\n');
            self.line = mended;
            self.line.extend(end);
        }
        Ok(())
    }
}

impl<R: Read> Read for Lenient<R> {
    /// As many lines as there is room for, but none that would have to be waited for. Whoever reads prepares a block each time, so one line
    /// at a time would cost a block a line.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        loop {
            if self.used == self.line.len() {
                self.next_line()?;
            }
            let count = (buffer.len() - filled).min(self.line.len() - self.used);
            buffer[filled..][..count].copy_from_slice(&self.line[self.used..][..count]);
            self.used += count;
            filled += count;
            let has_line = || memchr(b'\n', self.input.buffer()).is_some();
            if count == 0 || filled == buffer.len() || !has_line() {
                return Ok(filled);
            }
        }
    }
}

/// A line of digest and name, maybe behind a size, with two spaces between them.
fn plain(line: &[u8], algorithm: Algorithm) -> Option<Vec<u8>> {
    /// Ten digits and spaces, and two spaces.
    const SIZE_BYTES: usize = 12;
    let text = line.trim_ascii_end();
    let is_size = |size: &[u8]| {
        let (digits, spaces) = size.split_at(SIZE_BYTES - 2);
        spaces == b"  " && digits.trim_ascii_start().iter().all(u8::is_ascii_digit) && digits != [b' '; 10]
    };
    let (size, rest) =
        text.split_at_checked(SIZE_BYTES).filter(|(size, _)| is_size(size)).unwrap_or((b"", text));
    let (hex, name) = rest.split_at_checked(2 * algorithm.length())?;
    // The end of the line was cut off with the spaces behind a digest without a name.
    let is_followed = line[size.len() + hex.len()..].starts_with(b" ");
    if !is_followed || !hex.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let is_as_it_should_be = name.len() > 2 && matches!(name[1], b' ' | b'*');
    let name = name.trim_ascii_start();
    let name = if name.is_empty() { NO_NAME } else { name };
    (!is_as_it_should_be).then(|| [size, hex, b"  ", name].concat())
}

/// A BSD line, without what surrounds it.
fn tagged(line: &[u8], algorithm: Algorithm) -> Option<Vec<u8>> {
    const CLOSE: &[u8] = b") = ";
    let open = [algorithm.bsd_tag().as_bytes(), b" ("].concat();
    let begin = memmem::find(line, &open)?;
    // Before it stands nothing that means something: a backslash is of an escaped name, a `#` of a comment.
    if !line[..begin].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'"')) {
        return None;
    }
    let name = &line[begin + open.len()..];
    let close = memmem::rfind(name, CLOSE)?;
    let (name, hex) = (&name[..close], &name[close + CLOSE.len()..]);
    let digits = hex.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let name = if name.is_empty() { NO_NAME } else { name };
    (digits == 2 * algorithm.length()).then(|| [&open, name, CLOSE, &hex[..digits]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_mended_and_others_stay() {
        let (digest, other) = ("0".repeat(32), "0".repeat(40));
        let tagged = format!("MD5 (a (b) = c) = {digest}");
        let mended = [
            (format!("\"{tagged}\" \r"), tagged.clone()),
            (format!(" \t{tagged},x\r\r"), tagged.clone()),
            (format!("MD5 () = {digest}"), format!("MD5 ((no name)) = {digest}")),
            (format!("{digest} name"), format!("{digest}  name")),
            (format!("{digest} \tna  me\r"), format!("{digest}  na  me")),
            (format!("{digest} "), format!("{digest}  (no name)")),
            (format!("        12  {digest}  "), format!("        12  {digest}  (no name)")),
            (format!("{digest} *"), format!("{digest}  *")),
        ];
        let kept = [
            format!("\\MD5 (a\\nb) = {digest} "),
            format!("# MD5 (a) = {digest} "),
            format!("SHA1 (a) = {other} "),
            format!("{digest}  MD5 (name) = x"),
            format!("MD5 (a) = {other} "),
            format!("{digest}   name "),
            format!("{digest} *name\r"),
            format!("        12  {digest}  name"),
            format!("{digest}\tname"),
            digest.clone(),
            format!("{other} name"),
            String::new(),
            tagged,
        ];
        let all = mended.clone().into_iter().chain(kept.map(|line| (line.clone(), line)));
        let (given, wanted): (Vec<_>, Vec<_>) = all.unzip();
        let mut read = String::new();
        let md5 = Algorithm::MD5;
        Lenient::new(given.join("\n").as_bytes(), md5).read_to_string(&mut read).unwrap();
        assert_eq!(read.split('\n').collect::<Vec<_>>(), wanted);
    }

    /// Brings one part at a time.
    struct Parts(std::vec::IntoIter<&'static [u8]>);

    impl Read for Parts {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let part = self.0.next().unwrap_or_default();
            buffer[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }

    #[test]
    fn what_has_come_is_passed_on_at_once_and_nothing_is_waited_for() {
        let parts: Vec<&[u8]> = vec![b"one\ntwo\nthr", b"ee\n", b"four\nfi", b"ve"];
        let mut lenient = Lenient::new(Parts(parts.into_iter()), Algorithm::MD5);
        let mut buffer = [0; 100];
        let mut reads = Vec::new();
        loop {
            let count = lenient.read(&mut buffer).unwrap();
            reads.push(String::from_utf8(buffer[..count].to_vec()).unwrap());
            if count == 0 {
                break;
            }
        }
        assert_eq!(reads, ["one\ntwo\n", "three\n", "four\n", "five", ""]);
        // Into little room a line comes in pieces.
        let mut lenient = Lenient::new(&b"one\ntwo\n"[..], Algorithm::MD5);
        let mut few = [0; 3];
        assert_eq!((lenient.read(&mut few).unwrap(), few), (3, *b"one"));
        assert_eq!((lenient.read(&mut few).unwrap(), few), (3, *b"\ntw"));
        let mut rest = String::new();
        lenient.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "o\n");
    }
}
