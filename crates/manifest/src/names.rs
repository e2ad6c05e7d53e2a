//! Lists of names, as `--files-from` and `--files0-from` take them.
//!
//! A name is every byte of its line: nothing is trimmed, unescaped or decoded, there are no comments, and a
//! byte order mark belongs to the first name. In a list whose first block has CR before every newline (as
//! Windows writes it) the CR belongs to the end of the line; in any other list it belongs to the name.

use std::fmt;
use std::io::{self, Read};

use hashlane_record::ItemPath;
use memchr::memchr;

use crate::lines::{LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind};

/// The names of a list, one at a time, in bounded memory.
///
/// A name is handed out as soon as its line has come. Only where all lines so far have CR before the newline is
/// the rest of the first block waited for, since what its first name is depends on it.
///
/// An empty name, a NUL byte in a list of lines and a name longer than [`crate::MAX_LINE_BYTES`] are
/// problems; the names after them are read.
pub struct Names<'a> {
    lines: Lines<'a>,
}

impl<'a> Names<'a> {
    /// Reads names that are ended by newlines; the last one may lack its own.
    ///
    /// # Errors
    /// The input fails.
    pub fn lines(input: impl Read + Send + 'a) -> io::Result<Self> {
        let mut lines = Lines::new(Box::new(input), LineEnds::Lf);
        lines.detect_crlf()?;
        Ok(Self { lines })
    }

    /// Reads names that are ended by NUL; the last one may lack its own, as `find -print0` and coreutils have
    /// it.
    pub fn nul_terminated(input: impl Read + Send + 'a) -> Self {
        Self { lines: Lines::new(Box::new(input), LineEnds::Nul) }
    }

    /// What ends a name.
    pub fn line_ends(&self) -> LineEnds {
        self.lines.ends()
    }
}

impl Iterator for Names<'_> {
    type Item = Result<ItemPath, LineProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = match self.lines.next()? {
            Ok(line) => line,
            Err(problem) => return Some(Err(problem)),
        };
        Some(if line.text.is_empty() {
            Err(line.problem(ProblemKind::EmptyName))
        } else if memchr(0, line.text).is_some() {
            Err(line.problem(ProblemKind::NulInName))
        } else {
            Ok(ItemPath::new(line.text))
        })
    }
}

impl fmt::Debug for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Names").field("lines", &self.lines).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn shown(names: Names<'_>) -> Vec<String> {
        let text = |name: Result<ItemPath, LineProblem>| match name {
            Ok(name) => name.escaped().to_string(),
            Err(problem) => problem.to_string(),
        };
        names.map(text).collect()
    }

    #[test]
    fn a_list_of_lines_is_taken_as_it_is() {
        let list = &b"a\n b \n\\n\n#x\nb\xff\r\n\nlast"[..];
        let expected = ["a", " b ", "\\\\n", "#x", "b\\xff\\r", "line 6: the name is empty", "last"];
        assert_eq!(shown(Names::lines(list).unwrap()), expected);
        assert_eq!(shown(Names::lines(&b"a\r\nb\r\nc"[..]).unwrap()), ["a", "b", "c"]);
        assert_eq!(
            shown(Names::lines(&b"a\0b\nc"[..]).unwrap()),
            ["line 1: the name contains a NUL byte: \"a\\x00b\"", "c"]
        );
        assert!(shown(Names::lines(&b""[..]).unwrap()).is_empty());
    }

    /// Gives ten bytes a call, and counts the calls.
    struct Slow<'a> {
        text: &'a [u8],
        calls: &'a AtomicUsize,
    }

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.calls.fetch_add(1, Ordering::Relaxed);
            let length = buffer.len().min(10);
            self.text.read(&mut buffer[..length])
        }
    }

    /// Names with the number of calls after which each came.
    fn arrivals(text: &[u8]) -> Vec<(String, usize)> {
        let calls = AtomicUsize::new(0);
        let names = Names::lines(Slow { text, calls: &calls }).unwrap();
        names.map(|name| (name.unwrap().escaped().to_string(), calls.load(Ordering::Relaxed))).collect()
    }

    #[test]
    fn a_name_is_handed_out_when_its_line_has_come() {
        let arrived = |name: &str, calls| (name.to_owned(), calls);
        let text = b"seven77\nlonger than ten\nx\r\nlast";
        let expected =
            [arrived("seven77", 1), arrived("longer than ten", 3), arrived("x\\r", 3), arrived("last", 5)];
        assert_eq!(arrivals(text), expected);
        // The first name has a CR or not: only a later line shows it.
        assert_eq!(
            arrivals(b"seven77\r\nx\nyyyy\n"),
            [arrived("seven77\\r", 2), arrived("x", 2), arrived("yyyy", 2)]
        );
        assert_eq!(arrivals(b"seven77\r\nx\r\n"), [arrived("seven77", 3), arrived("x", 3)]);
    }

    #[test]
    fn a_list_with_nul_may_hold_any_name() {
        let list = &b"a\nb\r\n\0\0c\r"[..];
        assert_eq!(shown(Names::nul_terminated(list)), ["a\\nb\\r\\n", "line 2: the name is empty", "c\\r"]);
    }
}
