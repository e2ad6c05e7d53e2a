//! Reports of providers: what they say of the objects that they keep. Nothing of it was read here.
//!
//! Owns the forms of the reports; what a statement is worth is for whoever compares it to say. The forms are in `docs/formats.md`.
//!
//! Invariants:
//! 1. The form follows from the content, and never guessed.
//! 2. Memory is bounded by [`MAX_STATEMENT_BYTES`], or by a page of each column of a table, whatever the report.
//! 3. A report that is malformed anywhere is an error that names the line or the row. There is no statement after it.

mod batch;
mod bounded;
pub(crate) mod fields;
mod inventory;
mod job;
mod rclone;
mod table;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use hashlane_digest::Digest;
use hashlane_record::{Timestamp, system_text};

use self::bounded::Bounded;
use self::inventory::Layout;
use crate::formats::parquet::is_table;

pub use job::{Job, JobFile};

/// Bytes that one statement may have at most, in text.
pub const MAX_STATEMENT_BYTES: usize = 1 << 20;

/// How much of a report shows its form, in bytes.
const HEAD_BYTES: usize = 64 << 10;

/// Who makes a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Provider {
    /// Batch Operations of S3.
    S3,
    /// Storage Insights of Google Cloud Storage.
    Google,
    /// The inventory of Azure Blob Storage.
    Azure,
    /// Whatever rclone has asked.
    Rclone,
}

impl Provider {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::S3 => "S3",
            Self::Google => "Google",
            Self::Azure => "Azure",
            Self::Rclone => "rclone",
        }
    }

    /// Whether it has computed what it states from the stored bytes, because it was asked to. Others repeat what came with an object.
    pub fn has_computed(self) -> bool {
        self == Self::S3
    }
}

/// What a provider says of one object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statement {
    /// Its line, or its row in a table, from 1.
    pub line: u64,
    /// The bucket or container. Names of a list by rclone have none: they are relative to where it was asked.
    pub bucket: Option<Vec<u8>>,
    /// The name in it.
    pub name: Vec<u8>,
    /// The same name with each plus as it is, where one was taken for a space: S3 writes names in one way or the other.
    pub name_with_plus: Option<Vec<u8>>,
    /// Bytes.
    pub size: Option<u64>,
    /// When it was written.
    pub modified: Option<Timestamp>,
    /// Checksums of the whole object.
    pub digests: Vec<Digest>,
    /// A checksum that is not a digest here, by its name there.
    pub other: Option<String>,
    /// The version of it: an id or a generation.
    pub version: Option<String>,
    /// Its entity tag.
    pub etag: Option<String>,
    /// What else is to be known before it is compared.
    pub standing: Standing,
}

/// Whether a statement is of a whole object that is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// It is.
    #[default]
    Present,
    /// The checksum is one of the checksums of parts.
    Composite,
    /// It is of a version that is no longer the current one.
    Earlier,
    /// The provider could not do it, and said why.
    Failed(String),
}

/// Why a report cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It is in no form that is read.
    #[error(
        "is not a report that can be imported: it must be a completion report of S3 Batch Operations (a CSV file, or its manifest.json), an \
         inventory of Google Storage Insights or of Azure blobs (Parquet, or CSV with a header), or a list by rclone lsjson with its hashes"
    )]
    Unknown,
    /// It cannot be read as a file.
    #[error("{}", system_text(.0))]
    Input(#[from] io::Error),
    /// A line of it is malformed.
    #[error("line {line}: {what}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// A row of a table is malformed.
    #[error("row {row}: {what}")]
    Row {
        /// Its number, from 1.
        row: u64,
        /// What is wrong.
        what: String,
    },
    /// A table is damaged as a whole.
    #[error("the table cannot be read: {what}")]
    Table {
        /// What is wrong.
        what: String,
    },
}

/// Takes statements one by one, and may end that with an error of its own.
type Take<'a, E> = &'a mut dyn FnMut(Statement) -> Result<(), E>;

/// A report whose form is known, before its first statement.
#[derive(Debug)]
pub struct Report(Form);

#[derive(Debug)]
enum Form {
    Batch(Text),
    Inventory(Text, Layout),
    Rclone(Text),
    Table(Box<table::Table>),
}

/// What of a report was looked at, and the rest of it.
type Text = io::Chain<io::Cursor<Vec<u8>>, File>;

impl Report {
    /// Finds the form of a report.
    ///
    /// # Errors
    /// It has none that is read, or cannot be read.
    pub fn open(mut file: File) -> Result<Self, Error> {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        file.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        if is_table(&head) {
            return Ok(Self(Form::Table(Box::new(table::Table::open(file)?))));
        }
        // Some programs begin a text with a mark of its encoding.
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).to_vec();
        let first = text.trim_ascii_start().first().copied();
        let is_list = first == Some(b'[');
        let (is_batch, layout) = (batch::is_report(&text), inventory::layout(&text));
        let text = io::Cursor::new(text).chain(file);
        match layout {
            _ if is_list => Ok(Self(Form::Rclone(text))),
            _ if is_batch => Ok(Self(Form::Batch(text))),
            Some(layout) => Ok(Self(Form::Inventory(text, layout))),
            None => Err(Error::Unknown),
        }
    }

    /// Who has made it.
    pub fn provider(&self) -> Provider {
        match &self.0 {
            Form::Batch(_) => Provider::S3,
            Form::Inventory(_, layout) => layout.provider(),
            Form::Rclone(_) => Provider::Rclone,
            Form::Table(table) => table.provider(),
        }
    }

    /// Shows all its statements, one at a time.
    ///
    /// # Errors
    /// It is malformed, cannot be read to its end, or `take` fails.
    pub fn each<E: From<Error>>(self, take: Take<'_, E>) -> Result<(), E> {
        let buffered = |text| Bounded::new(BufReader::with_capacity(HEAD_BYTES, text));
        match self.0 {
            Form::Batch(text) => batch::each(buffered(text), take),
            Form::Inventory(text, layout) => layout.each(buffered(text), take),
            Form::Rclone(text) => rclone::each(buffered(text), take),
            Form::Table(table) => table.each(take),
        }
    }
}

/// A row that is not a statement.
fn malformed(line: u64, what: impl Into<String>) -> Error {
    Error::Line { line, what: what.into() }
}

/// The first line of a text, if it has ended.
fn first_line(mut text: &[u8]) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    text.read_until(b'\n', &mut line).ok()?;
    Some(line.trim_ascii_end().to_vec()).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests;
