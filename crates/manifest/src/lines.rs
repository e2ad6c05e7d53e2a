//! Cuts text into lines, in bounded memory.
//!
//! Owns the buffer between the input and the parsers, line numbers and offsets, and what ends a line.
//! Invariant: the buffer never holds more than [`MAX_LINE_BYTES`] and one block.

use std::fmt;
use std::io::{self, Read};

use memchr::{memchr, memchr_iter};

use crate::problem::{LineProblem, ProblemKind};

/// The longest line, in bytes. A longer one is a problem and is skipped. Room for a name of 4,096 bytes,
/// escaped in whatever way, many times over.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// How much is asked of the input at once, and how much detection sees, in bytes.
pub(crate) const BLOCK_BYTES: usize = 64 << 10;

/// U+FEFF in UTF-8, with which some programs begin a text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Room for a block, copied at once. Without optimisation `resize` writes byte by byte, which took most of the time of tests.
static ROOM: [u8; BLOCK_BYTES] = [0; BLOCK_BYTES];

/// What ends the lines of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// A newline; a carriage return before it belongs to the line.
    Lf,
    /// A carriage return and a newline; a lone newline ends a line too.
    CrLf,
    /// A NUL byte; newlines belong to the line.
    Nul,
}

/// A text as lines.
pub(crate) struct Lines<'a> {
    input: Box<dyn Read + Send + 'a>,
    buffer: Vec<u8>,
    start: usize,
    /// The last line began here; `start` if it cannot be put back.
    previous: usize,
    input_ended: bool,
    ends: LineEnds,
    /// Whether a line may begin with a byte order mark that is not part of it, as where one text was appended to another.
    skips_marks: bool,
    number: u64,
    offset: u64,
}

/// One line, without what ended it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'b> {
    /// Number, from 1.
    pub(crate) number: u64,
    /// Offset of its first byte in the text.
    pub(crate) offset: u64,
    /// The bytes.
    pub(crate) text: &'b [u8],
    /// Whether something ended it, or only the end of the text.
    pub(crate) ended: bool,
}

impl Line<'_> {
    /// What is wrong with this line.
    pub(crate) fn problem(&self, kind: ProblemKind) -> LineProblem {
        LineProblem::new(self.number, self.offset, kind, self.text)
    }
}

impl<'a> Lines<'a> {
    pub(crate) fn new(input: Box<dyn Read + Send + 'a>, ends: LineEnds) -> Self {
        let buffer = Vec::with_capacity(2 * BLOCK_BYTES);
        let (start, previous, input_ended, skips_marks, number, offset) = (0, 0, false, false, 0, 0);
        Self { input, buffer, start, previous, input_ended, ends, skips_marks, number, offset }
    }

    /// Takes byte order marks at the beginning of lines away from now on, or leaves them.
    pub(crate) fn skip_marks(&mut self, skips: bool) {
        self.skips_marks = skips;
    }

    /// What ends a line.
    pub(crate) fn ends(&self) -> LineEnds {
        self.ends
    }

    /// Changes what ends a line, from the next line on.
    pub(crate) fn set_ends(&mut self, ends: LineEnds) {
        self.ends = ends;
    }

    /// Number of the next line, from 1.
    pub(crate) fn next_number(&self) -> u64 {
        self.number + 1
    }

    /// The text that comes next: at least a block of it, or all that is left.
    pub(crate) fn window(&mut self) -> io::Result<&[u8]> {
        while !self.input_ended && self.buffer.len() - self.start < BLOCK_BYTES {
            self.fill()?;
        }
        Ok(&self.buffer[self.start..])
    }

    /// Takes CR to belong to the line ends if every line of the first block has it. One line without it settles
    /// the question, so nobody at the other end of a pipe has to fill a block before his first line is handed out.
    pub(crate) fn detect_crlf(&mut self) -> io::Result<()> {
        loop {
            let text = &self.buffer[self.start..];
            let all_crlf = all_end_in_crlf(text);
            if !all_crlf && memchr(b'\n', text).is_some() {
                return Ok(());
            }
            if self.input_ended || text.len() >= BLOCK_BYTES {
                if all_crlf {
                    self.ends = LineEnds::CrLf;
                }
                return Ok(());
            }
            self.fill()?;
        }
    }

    /// The next line. An error of the input is the last thing that comes.
    pub(crate) fn next(&mut self) -> Option<Result<Line<'_>, LineProblem>> {
        let end_byte = if self.ends == LineEnds::Nul { 0 } else { b'\n' };
        let mut searched = self.start;
        let found = loop {
            if let Some(distance) = memchr(end_byte, &self.buffer[searched..]) {
                break searched + distance;
            }
            searched = self.buffer.len();
            if self.buffer.len() - self.start > MAX_LINE_BYTES {
                return Some(Err(self.skip(end_byte)));
            }
            if self.input_ended {
                break self.buffer.len();
            }
            let before = self.start;
            if let Err(error) = self.fill() {
                return Some(Err(self.broken(error)));
            }
            searched -= before - self.start;
        };
        if found - self.start > MAX_LINE_BYTES {
            return Some(Err(self.skip(end_byte)));
        }
        self.line_to(found).map(Ok)
    }

    /// The next bytes, fewer only at the end of the text: for formats that have no lines.
    pub(crate) fn take(&mut self, count: usize) -> io::Result<&[u8]> {
        while !self.input_ended && self.buffer.len() - self.start < count {
            self.fill()?;
        }
        let begin = self.start;
        self.start = self.buffer.len().min(begin + count);
        self.previous = self.start;
        self.offset += (self.start - begin) as u64;
        Ok(&self.buffer[begin..self.start])
    }

    /// The next bytes without passing them: `count` at least, fewer only at the end of the text.
    pub(crate) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while !self.input_ended && self.buffer.len() - self.start < count {
            self.fill()?;
        }
        Ok(&self.buffer[self.start..])
    }

    /// Passes bytes that were peeked at, and counts the newlines among them: for formats whose lines mean nothing.
    pub(crate) fn pass(&mut self, count: usize) {
        let begin = self.start;
        self.start = self.buffer.len().min(begin + count);
        self.previous = self.start;
        self.offset += (self.start - begin) as u64;
        self.number += memchr_iter(b'\n', &self.buffer[begin..self.start]).count() as u64;
    }

    /// Offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Makes the line that came last the next one again.
    pub(crate) fn put_back(&mut self) {
        if self.previous < self.start {
            self.offset -= (self.start - self.previous) as u64;
            self.number -= 1;
            self.start = self.previous;
        }
    }

    fn line_to(&mut self, found: usize) -> Option<Line<'_>> {
        let (begin, offset) = (self.start, self.offset);
        let ended = found < self.buffer.len();
        if begin == found && !ended {
            return None;
        }
        self.previous = begin;
        self.start = found + usize::from(ended);
        self.offset += (self.start - begin) as u64;
        self.number += 1;
        let mut text = &self.buffer[begin..found];
        if self.skips_marks {
            text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        }
        if self.ends == LineEnds::CrLf {
            text = text.strip_suffix(b"\r").unwrap_or(text);
        }
        Some(Line { number: self.number, offset, text, ended })
    }

    /// Reads one block, after moving what is left to the front.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            (self.start, self.previous) = (0, 0);
        }
        let had = self.buffer.len();
        self.buffer.extend_from_slice(&ROOM);
        let result = loop {
            match self.input.read(&mut self.buffer[had..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        self.buffer.truncate(had + *result.as_ref().unwrap_or(&0));
        self.input_ended = matches!(result, Ok(0));
        result.map(|_| ())
    }

    /// Skips a line that is too long, without holding it.
    fn skip(&mut self, end_byte: u8) -> LineProblem {
        self.number += 1;
        let kind = ProblemKind::LineTooLong { limit: MAX_LINE_BYTES };
        let text = &self.buffer[self.start..];
        let is_comment = text.starts_with(b"#");
        // Nobody has seen what it lists.
        let problem = LineProblem::new(self.number, self.offset, kind, text).entry_if(!is_comment);
        loop {
            let rest = &self.buffer[self.start..];
            let found = memchr(end_byte, rest);
            let passed = found.map_or(rest.len(), |distance| distance + 1);
            self.start += passed;
            self.offset += passed as u64;
            self.previous = self.start;
            // An error shows again at the next line.
            if found.is_some() || self.input_ended || self.fill().is_err() {
                return problem;
            }
        }
    }

    fn broken(&mut self, error: io::Error) -> LineProblem {
        self.input_ended = true;
        self.buffer.clear();
        (self.start, self.previous) = (0, 0);
        LineProblem::new(self.number + 1, self.offset, ProblemKind::Input(error), b"")
    }
}

impl fmt::Debug for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines")
            .field("number", &self.number)
            .field("ends", &self.ends)
            .finish_non_exhaustive()
    }
}

/// Whether every line of a text that is ended at all is ended by CR and LF.
fn all_end_in_crlf(text: &[u8]) -> bool {
    let mut ends = memchr_iter(b'\n', text).peekable();
    ends.peek().is_some() && ends.all(|at| at > 0 && text[at - 1] == b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = Result<(u64, u64, Vec<u8>), String>;

    fn all(text: Vec<u8>, ends: LineEnds) -> Vec<Found> {
        let mut lines = Lines::new(Box::new(io::Cursor::new(text)), ends);
        let mut found = Vec::new();
        while let Some(line) = lines.next() {
            found.push(match line {
                Ok(line) => Ok((line.number, line.offset, line.text.to_vec())),
                Err(problem) => Err(format!("{} {} {}", problem.line, problem.offset_bytes, problem.kind)),
            });
        }
        found
    }

    #[test]
    fn each_kind_of_end_cuts_in_its_own_way() {
        let text = b"a\r\nb\n\0c".to_vec();
        let lf = [(1, 0, b"a\r".to_vec()), (2, 3, b"b".to_vec()), (3, 5, b"\0c".to_vec())];
        assert_eq!(all(text.clone(), LineEnds::Lf), lf.map(Ok));
        let crlf = [(1, 0, b"a".to_vec()), (2, 3, b"b".to_vec()), (3, 5, b"\0c".to_vec())];
        assert_eq!(all(text.clone(), LineEnds::CrLf), crlf.map(Ok));
        let nul = [(1, 0, b"a\r\nb\n".to_vec()), (2, 6, b"c".to_vec())];
        assert_eq!(all(text, LineEnds::Nul), nul.map(Ok));
        assert!(all(Vec::new(), LineEnds::Lf).is_empty());
        assert_eq!(all(b"\n\n".to_vec(), LineEnds::Lf).len(), 2);
    }

    #[test]
    fn a_line_at_the_limit_is_held_and_one_beyond_is_skipped() {
        for ended in [true, false] {
            for surplus in [0, 1, BLOCK_BYTES, 40 * BLOCK_BYTES] {
                let mut text = vec![b'x'; MAX_LINE_BYTES + surplus];
                if ended {
                    text.extend_from_slice(b"\nafter");
                }
                let found = all(text, LineEnds::Lf);
                assert_eq!(found[0].is_ok(), surplus == 0, "{surplus}");
                if surplus > 0 {
                    assert_eq!(found[0], Err("1 0 longer than 1048576 bytes".to_owned()));
                }
                let after = (2, (MAX_LINE_BYTES + surplus + 1) as u64, b"after".to_vec());
                assert_eq!(found[1..], if ended { vec![Ok(after)] } else { vec![] });
            }
        }
    }

    #[test]
    fn a_line_of_100_mb_is_one_problem_and_is_not_held() {
        let input = io::repeat(b'y').take(100_000_000).chain(&b"\nlast"[..]);
        let mut lines = Lines::new(Box::new(input), LineEnds::Lf);
        assert!(lines.next().unwrap().is_err());
        assert_eq!(lines.next().unwrap().unwrap().text, b"last");
        assert!(lines.next().is_none());
        assert!(lines.buffer.capacity() <= 4 * MAX_LINE_BYTES, "{}", lines.buffer.capacity());
    }

    #[test]
    fn a_line_that_is_put_back_comes_again() {
        let mut lines = Lines::new(Box::new(&b"a\nbb\nc"[..]), LineEnds::Lf);
        lines.next().unwrap().unwrap();
        for _ in 0..3 {
            let line = lines.next().unwrap().unwrap();
            assert_eq!((line.number, line.offset, line.text), (2, 2, &b"bb"[..]));
            lines.put_back();
            lines.put_back();
        }
        assert_eq!(lines.next_number(), 2);
    }

    #[test]
    fn an_input_error_is_the_last_thing_that_comes() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::from_raw_os_error(5))
            }
        }
        let mut lines = Lines::new(Box::new((&b"a\nb"[..]).chain(Broken)), LineEnds::Lf);
        assert_eq!(lines.next().unwrap().unwrap().text, b"a");
        let problem = lines.next().unwrap().unwrap_err();
        assert!(matches!(problem.kind, ProblemKind::Input(_)), "{problem}");
        assert!(lines.next().is_none());
    }
}
