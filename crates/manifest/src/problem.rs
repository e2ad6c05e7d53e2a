//! What is wrong with one line of a manifest.

use std::fmt;
use std::io;

use hashlane_digest::Algorithm;
use hashlane_record::{Escaped, ItemPath};

use crate::error::{but_blake2b, listed};
use crate::shape::seems_entry;

/// How much of a line is kept to be shown, in bytes.
const EXCERPT_BYTES: usize = 72;

/// How much of a line is kept for the names that it may have, in bytes.
const MAX_KEPT_BYTES: usize = 4096;

/// A line that could not be understood. The lines after it are read.
#[derive(Debug)]
pub struct LineProblem {
    /// Number of the line, from 1; 0: it is of the whole. A record that spans lines has the number of its first.
    pub line: u64,
    /// Where it begins, in bytes from the start of the text. UTF-16 counts as the UTF-8 it becomes.
    pub offset_bytes: u64,
    /// What is wrong.
    pub kind: ProblemKind,
    /// The beginning of the line, escaped for a terminal; ends with `…` if there was more.
    pub excerpt: String,
    is_entry: bool,
    is_comment: bool,
    path: Option<ItemPath>,
    /// The line, where it seems to list nothing and is not too long.
    text: Box<[u8]>,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The line is of another algorithm than the one asked for.
    #[error("skipped: not {wanted}")]
    AlgorithmNotAsked {
        /// What the caller asked for.
        wanted: Algorithm,
    },

    /// A comment names another algorithm than the one asked for.
    #[error("the lines that follow are {found}, but {wanted} was requested")]
    AlgorithmContradicted {
        /// What the comment says.
        found: Algorithm,
        /// What the caller asked for.
        wanted: Algorithm,
    },

    /// Digests of this length can come from several algorithms, and nothing says which.
    #[error("a digest of {digest_bytes} bytes can be {}; name the algorithm", listed(candidates, "or"))]
    AmbiguousAlgorithm {
        /// Length of the digest in bytes.
        digest_bytes: usize,
        /// The registered algorithms of that length.
        candidates: Vec<Algorithm>,
    },

    /// A backslash that starts no known escape, in a line that says it has escapes.
    #[error("a backslash in the name is not followed by a backslash, n or r")]
    BadEscape,

    /// The screen had no room for all of it.
    #[error("the entry is cut off; write the list with Export-Csv")]
    CutOff,

    /// Triage says of a short file that its beginning is not all of it.
    #[error(
        "the digests of the beginning and of the whole differ, but all {size_bytes} bytes are within the \
         first {beginning_bytes}"
    )]
    BeginningUnlike {
        /// The size of the file.
        size_bytes: u64,
        /// How long the beginning is.
        beginning_bytes: u64,
    },

    /// A comment that is an entry but for its first digit.
    #[error("a comment that reads like an entry whose first digit became the mark of a comment")]
    CommentedEntry,

    /// Columns named in the middle of the file are unknown or stand twice.
    #[error("the column `{column}` is unknown or duplicate")]
    BadColumn {
        /// The column, escaped.
        column: String,
    },

    /// One algorithm twice in one line.
    #[error("two {algorithm} digests")]
    DuplicateDigest {
        /// The algorithm.
        algorithm: Algorithm,
    },

    /// A digest of another length, where it stands as bytes.
    #[error("a {algorithm} digest has {} bytes, not {found}", algorithm.length())]
    DigestBytes {
        /// The algorithm of the digest.
        algorithm: Algorithm,
        /// How many bytes there are.
        found: usize,
    },

    /// Characters that are not of the encoding.
    #[error("the {algorithm} digest is neither hexadecimal nor base64")]
    DigestDigits {
        /// The algorithm of the digest.
        algorithm: Algorithm,
    },

    /// The wrong number of characters.
    #[error(
        "a {algorithm} digest has {}{} or {} base64 characters, not {found}",
        algorithm.text_length(),
        if algorithm.names_itself() { "" } else { " hexadecimal" },
        algorithm.length().div_ceil(3) * 4
    )]
    DigestLength {
        /// The algorithm of the digest.
        algorithm: Algorithm,
        /// How many characters stand there.
        found: usize,
    },

    /// A line without a name.
    #[error("the name is empty")]
    EmptyName,

    /// The wrong number of columns.
    #[error("{found} columns, but the header names {expected}")]
    FieldCount {
        /// How many the header names.
        expected: usize,
        /// How many there are.
        found: usize,
    },

    /// The digest is that of a file that failed its verification.
    #[error("the manifest states that the file failed its verification")]
    FailedThen,

    /// The roots in comments are longer than is allowed.
    #[error("the roots named in comments are longer than {limit} bytes")]
    HeaderTooLong {
        /// The limit, in bytes.
        limit: usize,
    },

    /// Reading failed. Nothing follows.
    #[error("reading failed: {0}")]
    Input(io::Error),

    /// JSON that is malformed or has values of the wrong kind.
    #[error("not a manifest object: {}", of_json(.0))]
    Json(serde_json::Error),

    /// A record longer than is allowed.
    #[error("longer than {limit} bytes")]
    LineTooLong {
        /// The limit, in bytes.
        limit: usize,
    },

    /// A line that names another list.
    #[error("it names another list, which is not read; check that list separately")]
    ListInList,

    /// A time that is not RFC 3339 in UTC.
    #[error("the time is not of the form 2026-01-31T23:59:59.123456789Z")]
    MalformedTime,

    /// Base64 of a name that is malformed.
    #[error("path_b64 is not base64")]
    MalformedPath,

    /// No algorithm that is listed makes digests of this length.
    #[error("no known algorithm{} has digests of {digest_bytes} bytes", but_blake2b(*digest_bytes))]
    NoAlgorithmOfLength {
        /// Length of the digest in bytes.
        digest_bytes: usize,
    },

    /// A line that has no digest of any algorithm asked for.
    #[error("it has no digest")]
    NoDigest,

    /// The line has another form than the format's.
    #[error("not a line of this format; expected {expected}")]
    NotALine {
        /// What should stand there.
        expected: &'static str,
    },

    /// A path that is not UTF-8, where the format demands it.
    #[error("the path is not UTF-8")]
    NotUtf8,

    /// A number that is none, or does not fit 64 bits.
    #[error("the size is not a number from 0 to 18446744073709551615")]
    NotASize,

    /// A NUL byte in a name.
    #[error("the name contains a NUL byte")]
    NulInName,

    /// The name and its base64 form are not the same.
    #[error("path and path_b64 differ")]
    PathsDisagree,

    /// A file that could not be read when the manifest was made, for a reason that has no number.
    #[error("the manifest states that the file could not be read: {said}")]
    NotReadThen {
        /// What the manifest says, escaped.
        said: String,
    },

    /// Pieces of one file with different algorithms.
    #[error("the piece has other algorithms than those before it; its pieces are ignored")]
    PieceAlgorithms,

    /// A piece that is empty, too long, or short and not the last; or a size that is not that of the piece.
    #[error(
        "a piece has {found} bytes instead of {expected}; only the last one may have fewer, and none may have 0; \
         the pieces are ignored"
    )]
    PieceLength {
        /// The bytes that it has.
        found: u64,
        /// Those that it should have.
        expected: u64,
    },

    /// Pieces that leave something out or overlap.
    #[error(
        "a piece begins at {found} instead of {expected}; the pieces of a file must be listed in order from 0; \
         they are ignored"
    )]
    PieceOffset {
        /// Where it begins.
        found: u64,
        /// Where the one before it ends.
        expected: u64,
    },

    /// Fewer or more digests of pieces than the file has pieces.
    #[error("there are {found} digests of pieces instead of the stated {expected}")]
    PieceCount {
        /// How many were found.
        found: u64,
        /// How many there should be.
        expected: u64,
    },

    /// Digests of pieces of the file only.
    #[error("the file has digests of pieces only, not of the whole; it is not verified")]
    PiecesOnly,

    /// Pieces that do not end where the file does.
    #[error("the pieces end at {end_bytes}, but the file has {size_bytes} bytes")]
    PiecesUnlikeSize {
        /// Where the last piece ends.
        end_bytes: u64,
        /// The size of the file.
        size_bytes: u64,
    },

    /// There are not as many records as the header says.
    #[error("{}", record_count(*missing, *rest_bytes))]
    RecordCount {
        /// How many are missing; `None` if the file has more records than its header states.
        missing: Option<u64>,
        /// The beginning of a record that is left at the end, in bytes.
        rest_bytes: usize,
    },

    /// A quotation mark where none may be.
    #[error(
        "a quotation mark inside an unquoted field, or text after the closing quotation mark, in column {field}"
    )]
    StrayQuote {
        /// Number of the column, from 1.
        field: usize,
    },

    /// An algorithm that is not registered.
    #[error("unknown algorithm {tag}")]
    UnknownAlgorithm {
        /// What the line says, escaped.
        tag: String,
    },

    /// An outcome that is unknown or lacks its details.
    #[error("unknown outcome")]
    UnknownOutcome,

    /// The object belongs to another schema or to a version that is not known.
    #[error("schema `{schema}` version {version}, but hashlane-manifest version 1 is expected")]
    UnknownSchema {
        /// What the line says, escaped.
        schema: String,
        /// What the line says.
        version: u64,
    },

    /// The end of the file came inside quotation marks.
    #[error("a quotation mark is never closed, in column {field}")]
    UnclosedQuote {
        /// Number of the column, from 1.
        field: usize,
    },

    /// Pieces that continue those of a file that nothing stands of before.
    #[error("pieces from {offset_bytes} on, without the pieces before them")]
    StrayPieces {
        /// Where they begin.
        offset_bytes: u64,
    },

    /// More pieces of one file than are kept in memory.
    #[error("more than {limit} pieces of one file, whose digests are kept in memory; use larger pieces")]
    TooManyPieces {
        /// The limit.
        limit: u64,
    },

    /// A column has a known name, and a type that is not read.
    #[error("the column `{column}` has the type {found}, and is not read")]
    ColumnNotRead {
        /// The column.
        column: &'static str,
        /// Its type.
        found: String,
    },

    /// The table is damaged. Nothing follows.
    #[error("the table is damaged: {what}; {left} of its rows are not read")]
    Table {
        /// What is wrong with it.
        what: String,
        /// How many rows it has from here on.
        left: u64,
    },

    /// The run that wrote the table did not come to its end.
    #[error("the run that wrote the table was interrupted; files are missing from it")]
    TableBrokenOff,

    /// Something stands twice in one object.
    #[error("two <{element}> elements in one <{of}>")]
    TwoElements {
        /// The element.
        element: &'static str,
        /// That of the object.
        of: &'static str,
    },

    /// The last record of a NUL-terminated file has no NUL.
    #[error("the last record does not end with NUL: the file is truncated, or its lines end with newlines")]
    Unterminated,

    /// The document is not well-formed, or has what is not read. Nothing follows.
    #[error("column {column}: {what}; the rest is not read")]
    Xml {
        /// Where on the line, in bytes from 1.
        column: u64,
        /// What is wrong.
        what: &'static str,
    },
}

impl LineProblem {
    pub(crate) fn new(line: u64, offset_bytes: u64, kind: ProblemKind, text: &[u8]) -> Self {
        // A name was found: whatever the rest looks like, it lists a file.
        let is_entry =
            matches!(kind, ProblemKind::NulInName | ProblemKind::CommentedEntry) || seems_entry(text);
        let is_comment = matches!(text, [b'#' | b';', ..]) || text.trim_ascii().is_empty();
        let is_kept = !is_entry && !is_comment && text.len() <= MAX_KEPT_BYTES;
        let text_kept = if is_kept { Box::from(text) } else { Box::default() };
        let excerpt = excerpt(text);
        Self { line, offset_bytes, kind, excerpt, is_entry, is_comment, path: None, text: text_kept }
    }

    /// Whether the line seems to list a file, which then is not verified; otherwise it is a heading, prose, a
    /// signature.
    ///
    /// Judged by the shape of the line in any format, not by the one that is read.
    pub fn is_entry(&self) -> bool {
        self.is_entry
    }

    /// Whether what follows was not read, or is missing: the list is longer than what was read of it.
    pub fn is_last(&self) -> bool {
        use ProblemKind::{Input, Table, TableBrokenOff, Xml};
        matches!(self.kind, Input(_) | Table { .. } | TableBrokenOff | Xml { .. })
    }

    /// The name of the file that the line lists, where that could be read though the rest could not. The file is listed, and not
    /// verified.
    pub fn listed(&self) -> Option<&ItemPath> {
        self.path.as_ref().filter(|_| self.is_entry)
    }

    /// The line, where it seems to list nothing and is not too long; otherwise nothing.
    pub(crate) fn text(&self) -> &[u8] {
        if self.is_entry { &[] } else { &self.text }
    }

    /// Also of this file, if its parser could tell.
    pub(crate) fn of_file(self, path: Option<ItemPath>) -> Self {
        Self { path, ..self }
    }

    /// Also an entry if its parser knows so.
    pub(crate) fn entry_if(mut self, known: bool) -> Self {
        self.is_entry |= known;
        self
    }

    /// An entry where no prose stands between those of a list, if it is not a comment, nor something that only concerns others.
    pub(crate) fn of_strict_list(self) -> Self {
        let is_of_line = self.kind.is_of_line() && !self.is_comment;
        self.entry_if(is_of_line)
    }

    /// No entry after all if its parser knows so.
    pub(crate) fn noise_if(mut self, known: bool) -> Self {
        self.is_entry &= !known;
        if known {
            self.text = Box::default();
        }
        self
    }
}

impl ProblemKind {
    /// Whether a line could not be read, and not only a part of it that others do without: pieces, a comment, a column.
    fn is_of_line(&self) -> bool {
        use ProblemKind::{
            AlgorithmContradicted, AlgorithmNotAsked, BadColumn, ColumnNotRead, HeaderTooLong, Input,
            PieceAlgorithms, PieceCount, PieceLength, PieceOffset, PiecesUnlikeSize, StrayPieces,
            TooManyPieces,
        };
        let is_partial = matches!(
            self,
            AlgorithmContradicted { .. }
                | AlgorithmNotAsked { .. }
                | BadColumn { .. }
                | ColumnNotRead { .. }
                | HeaderTooLong { .. }
                | Input(_)
                | PieceAlgorithms
                | PieceCount { .. }
                | PieceLength { .. }
                | PieceOffset { .. }
                | PiecesUnlikeSize { .. }
                | StrayPieces { .. }
                | TooManyPieces { .. }
        );
        !is_partial
    }

    pub(crate) fn unknown_algorithm(tag: &[u8]) -> Self {
        Self::UnknownAlgorithm { tag: excerpt(tag) }
    }
}

impl fmt::Display for LineProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.kind)?,
            line => write!(f, "line {line}: {}", self.kind)?,
        }
        if !self.excerpt.is_empty() {
            write!(f, ": \"{}\"", self.excerpt)?;
        }
        Ok(())
    }
}

impl std::error::Error for LineProblem {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.kind)
    }
}

/// What is wrong with JSON, and in which column of the line.
fn of_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(what) => format!("{what}, in column {}", error.column()),
        None => text,
    }
}

fn record_count(missing: Option<u64>, rest_bytes: usize) -> String {
    match missing {
        Some(missing) => format!(
            "the file ends here, {missing} records earlier than its header states; the last has {rest_bytes} bytes"
        ),
        None => "the file has more records than its header states".to_owned(),
    }
}

/// The beginning of a text, escaped.
pub(crate) fn excerpt(text: &[u8]) -> String {
    let mut end = text.len().min(EXCERPT_BYTES);
    while end > 0 && end < text.len() && text[end] & 0xc0 == 0x80 && EXCERPT_BYTES - end < 3 {
        end -= 1;
    }
    let more = if end < text.len() { "…" } else { "" };
    format!("{}{more}", Escaped(&text[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_harmless() {
        assert_eq!(excerpt(b"a\x1b[31m\n"), "a\\x1b[31m\\n");
        assert_eq!(excerpt(&[b'x'; 73]), format!("{}…", "x".repeat(72)));
        let split = format!("{}ß and more", "x".repeat(71));
        assert_eq!(excerpt(split.as_bytes()), format!("{}…", "x".repeat(71)));
        assert!(excerpt(&[0x80; 1000]).len() < 1000);
    }
}
