//! Lines of lists, whatever is in them.

use std::io::{self, BufRead, Read as _};

/// A line of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// With its newline, which the last one may lack.
    Whole(Vec<u8>),
    /// Of more bytes than were allowed; passed over.
    TooLong,
}

/// The next line, if it has at most `most` bytes before its newline.
pub(super) fn next(input: &mut dyn BufRead, most: usize) -> io::Result<Option<Line>> {
    let most_with_end = most as u64 + 1;
    let mut line = Vec::new();
    if (&mut *input).take(most_with_end).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.ends_with(b"\n") || line.len() <= most {
        return Ok(Some(Line::Whole(line)));
    }
    loop {
        line.clear();
        let count = (&mut *input).take(most_with_end).read_until(b'\n', &mut line)?;
        if count == 0 || line.ends_with(b"\n") {
            return Ok(Some(Line::TooLong));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_a_newline_or_the_list_and_long_ones_are_passed_over() {
        let mut input: &[u8] = b"ab\n\nabc\r\nabcde\nabcdefghijk\nend";
        let mut lines = Vec::new();
        while let Some(line) = next(&mut input, 4).unwrap() {
            lines.push(match line {
                Line::Whole(bytes) => String::from_utf8(bytes).unwrap(),
                Line::TooLong => "too long".to_owned(),
            });
        }
        assert_eq!(lines, ["ab\n", "\n", "abc\r\n", "too long", "too long", "end"]);
    }
}
