//! One CSV record (RFC 4180) cut into fields, line by line, strictly and in bounded memory.
//!
//! The csv crate forgives stray quotation marks and holds a record of any length; a manifest needs neither.
//! It serves as the oracle in the tests.

use crate::lines::{BYTE_ORDER_MARK, MAX_LINE_BYTES};
use crate::problem::ProblemKind;

/// The fields of a record.
#[derive(Debug)]
pub(crate) struct Fields {
    text: Vec<u8>,
    ends: Vec<usize>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing of the field has come.
    Start,
    /// Inside a field without quotation marks.
    Plain,
    /// Inside quotation marks.
    Quoted,
    /// After a quotation mark inside quotation marks: the end, or one half of a doubled one.
    QuoteSeen,
}

impl Fields {
    pub(crate) fn new() -> Self {
        Self { text: Vec::new(), ends: Vec::new(), state: State::Start }
    }

    /// Forgets the record.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.state = State::Start;
    }

    /// Takes in the next line of the record, without its newline. True if the record is complete.
    pub(crate) fn feed(&mut self, line: &[u8]) -> Result<bool, ProblemKind> {
        if self.text.len() + line.len() > MAX_LINE_BYTES {
            return Err(ProblemKind::LineTooLong { limit: MAX_LINE_BYTES });
        }
        if self.state == State::Quoted {
            self.text.push(b'\n');
        }
        for (index, &byte) in line.iter().enumerate() {
            let last = index + 1 == line.len();
            self.state = match (self.state, byte) {
                (State::Start, b'"') | (State::QuoteSeen, b'"') => {
                    if self.state == State::QuoteSeen {
                        self.text.push(b'"');
                    }
                    State::Quoted
                }
                (State::Quoted, b'"') => State::QuoteSeen,
                (State::Quoted, _) => {
                    self.text.push(byte);
                    State::Quoted
                }
                (_, b',') => {
                    self.ends.push(self.text.len());
                    State::Start
                }
                (state, b'\r') if last => state,
                (State::QuoteSeen, _) | (State::Plain, b'"') => {
                    return Err(ProblemKind::StrayQuote { field: self.ends.len() + 1 });
                }
                (State::Start | State::Plain, _) => {
                    self.text.push(byte);
                    State::Plain
                }
            };
        }
        if self.state == State::Quoted {
            return Ok(false);
        }
        self.ends.push(self.text.len());
        Ok(true)
    }

    /// The number of fields.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The fields.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.text[start..end])
    }
}

/// Appends a field, in quotation marks where it needs them.
pub(crate) fn push_field(text: &mut Vec<u8>, field: &[u8]) {
    let is_special = |byte: &u8| matches!(byte, b'"' | b',' | b'\r' | b'\n');
    if !field.iter().any(is_special) && !field.starts_with(BYTE_ORDER_MARK) {
        text.extend_from_slice(field);
        return;
    }
    text.push(b'"');
    for &byte in field {
        if byte == b'"' {
            text.push(b'"');
        }
        text.push(byte);
    }
    text.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn fields(record: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let mut fields = Fields::new();
        for line in record.split(|&byte| byte == b'\n') {
            if fields.feed(line).map_err(|kind| kind.to_string())? {
                return Ok(fields.iter().map(<[u8]>::to_vec).collect());
            }
        }
        Err("unfinished".to_owned())
    }

    #[test]
    fn quotation_marks_stand_where_they_may() {
        assert_eq!(fields(b"a,,\"b,\"\"c\nd\r\",\r").unwrap(), [&b"a"[..], b"", b"b,\"c\nd\r", b""]);
        assert_eq!(fields(b"").unwrap(), [b""]);
        assert_eq!(fields(b"\"\"\r").unwrap(), [b""]);
        assert_eq!(fields(b"a\rb").unwrap(), [b"a\rb"]);
        for bad in [&b"a\"b"[..], b"\"a\"b", b"\"a\" ,b", b" \"a\""] {
            assert!(fields(bad).unwrap_err().starts_with("a quotation mark inside"));
        }
        assert_eq!(fields(b"\"a\n").unwrap_err(), "unfinished");
    }

    #[test]
    fn a_record_without_end_is_not_held() {
        let mut record = Fields::new();
        assert!(!record.feed(b"\"").unwrap());
        let fed = (0..10_000).find_map(|_| record.feed(&[b'x'; 1000]).err());
        assert!(matches!(fed, Some(ProblemKind::LineTooLong { .. })));
        assert!(record.text.capacity() <= 2 * MAX_LINE_BYTES + 1001);
    }

    proptest! {
        #[test]
        fn another_author_reads_the_same(
            given in vec(
                vec(prop_oneof![Just(b'"'), Just(b','), Just(b'\n'), Just(b'\r'), any::<u8>()], 0..9),
                2..6,
            )
        ) {
            let mut text = Vec::new();
            for (index, field) in given.iter().enumerate() {
                if index > 0 {
                    text.push(b',');
                }
                push_field(&mut text, field);
            }
            prop_assert_eq!(&fields(&text).unwrap(), &given);
            text.push(b'\n');
            let mut other = csv::ReaderBuilder::new().has_headers(false).from_reader(&text[..]);
            let other = other.byte_records().next().unwrap().unwrap();
            prop_assert_eq!(other.iter().map(<[u8]>::to_vec).collect::<Vec<_>>(), given);
        }
    }
}
