//! Lists of names, as `--files-from` and `--files0-from` take them.
//!
//! A name is every byte of its line: nothing is trimmed, unescaped or decoded, there are no comments, and a
//! byte order mark belongs to the first name. In a list whose first block has CR before every newline (as
//! Windows writes it) the CR belongs to the end of the line; in any other list it belongs to the name.

use std::fmt;
use std::io::{self, Read};

use hashlane_record::ItemPath;
use memchr::memchr;

use crate::lines::{LineEnds, Lines, all_end_in_crlf};
use crate::problem::{LineProblem, ProblemKind};

/// The names of a list, one at a time, in bounded memory.
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
        if all_end_in_crlf(lines.window()?) {
            lines.set_ends(LineEnds::CrLf);
        }
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
            ["line 1: the name has a NUL byte: \"a\\x00b\"", "c"]
        );
        assert!(shown(Names::lines(&b""[..]).unwrap()).is_empty());
    }

    #[test]
    fn a_list_with_nul_may_hold_any_name() {
        let list = &b"a\nb\r\n\0\0c\r"[..];
        assert_eq!(shown(Names::nul_terminated(list)), ["a\\nb\\r\\n", "line 2: the name is empty", "c\\r"]);
    }
}
