//! Lines of lists, whatever is in them.

use std::io::{self, BufRead, Read as _};

/// A line of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// With its newline, which the last one may lack.
    Whole(Vec<u8>),
    /// Of more bytes than were allowed; its rest is still to come.
    TooLong,
}

/// The next line, if it has at most `most` bytes before its newline.
pub(super) fn next(input: &mut dyn BufRead, most: usize) -> io::Result<Option<Line>> {
    let most_with_end = most as u64 + 1;
    let mut line = Vec::new();
    if (&mut *input).take(most_with_end).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let is_whole = line.ends_with(b"\n") || line.len() <= most;
    Ok(Some(if is_whole { Line::Whole(line) } else { Line::TooLong }))
}

/// A name, its escapes undone; nothing if one of them is none.
pub(super) fn unescaped(name: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(name.len());
    let mut rest = name.iter();
    while let Some(&byte) = rest.next() {
        plain.push(match byte {
            b'\\' => match rest.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(plain)
}

/// Passes over the rest of a line.
pub(super) fn skip(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let (count, is_over) = (end.map_or(bytes.len(), |end| end + 1), end.is_some() || bytes.is_empty());
        input.consume(count);
        if is_over {
            return Ok(());
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
                Line::TooLong => {
                    skip(&mut input).unwrap();
                    "too long".to_owned()
                }
            });
        }
        assert_eq!(lines, ["ab\n", "\n", "abc\r\n", "too long", "too long", "end"]);
    }
}
