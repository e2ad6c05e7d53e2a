//! What one side states about one name, as bytes.

use std::fmt;
use std::path::Path;

use hashlane_record::bytes::put_number;
use hashlane_sort::{Sorted, Sorter, Spool};

use crate::algorithms::{Algorithms, Shape};
use crate::diff::error::Error;
use crate::entry::{Draft, Entry, take_array, take_number};
use crate::file::{Content, KnownFile};
use crate::state::State;

/// Stands in the byte of the kind if the file lies in a store.
const IN_STORE: u8 = 0x80;

/// A batch of more bytes is full.
const BATCH_BYTES: usize = 64 << 10;

/// The kind of row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A file, and what is known of its content.
    File,
    /// A file that could not be read, so its content is unknown.
    Unreadable,
    /// A file that changed while it was read: nothing can be said of its content either.
    Unstable,
    /// A file whose store keeps a checksum of another content than the one that came, in a single reading.
    Disputed,
    /// The same, and two readings have brought the same.
    DisputedTwice,
    /// A directory that could not be looked into; its name ends with a slash. Nothing can be said of the names
    /// that begin with it.
    Unsearched,
    /// Nothing: the side does not have the name. Whoever knows both sides says so, so that neither has to look ahead for it.
    Absent,
}

/// What one side states about one name. It is a buffer that is filled again and again.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// The name, then line, kind with [`IN_STORE`], shape and what an entry stores.
    bytes: Vec<u8>,
    name: usize,
}

/// Rows in one buffer, to be passed between threads.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where name and content of each row end.
    ends: Vec<(usize, usize)>,
    taken: usize,
}

/// Rows in ascending byte order of their names.
pub trait Rows {
    /// Fills in the next row; false if there is none.
    ///
    /// # Errors
    /// The rows cannot be read to their end.
    fn next(&mut self, row: &mut Row) -> Result<bool, Error>;
}

impl Batch {
    /// Appends a row.
    pub fn push(&mut self, row: &Row) {
        self.bytes.extend_from_slice(&row.bytes);
        let start = self.bytes.len() - row.bytes.len();
        self.ends.push((start + row.name, self.bytes.len()));
    }

    /// Whether it is large enough to be passed on.
    pub fn is_full(&self) -> bool {
        self.bytes.len() >= BATCH_BYTES
    }

    /// Takes the next row out; false if there is none.
    pub fn take(&mut self, row: &mut Row) -> bool {
        let Some(&(name, end)) = self.ends.get(self.taken) else { return false };
        let start = self.taken.checked_sub(1).map_or(0, |before| self.ends[before].1);
        row.put(&self.bytes[start..name], &self.bytes[name..end]);
        self.taken += 1;
        true
    }
}

impl Rows for Sorted {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        let pair = self.next_pair()?;
        if let Some((name, content)) = pair {
            row.put(name, content);
        }
        Ok(pair.is_some())
    }
}

/// Writes rows that are in order into a temporary file, to be read as often as is wanted.
pub(crate) fn spooled(directory: &Path, mut rows: impl Rows) -> Result<Spool, Error> {
    Spool::write(directory, |push| {
        let mut row = Row::default();
        while rows.next(&mut row)? {
            push(row.pair())?;
        }
        Ok(())
    })
}

impl<R: Rows + ?Sized> Rows for &mut R {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        (**self).next(row)
    }
}

impl<R: Rows + ?Sized> Rows for Box<R> {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        (**self).next(row)
    }
}

impl Row {
    /// Fills it in, for an entry on a line.
    pub fn set(&mut self, line: u64, kind: RowKind, file: &KnownFile<'_>) {
        let digests = Algorithms::registered_with(file.digests).placed(file.digests);
        let draft = Draft { size: file.size, modified: file.modified, digests, name: b"" };
        self.bytes.clear();
        self.bytes.extend_from_slice(file.path);
        self.name = file.path.len();
        self.push_content(line, kind as u8, &draft);
    }

    /// Fills it in, for a name of which only the kind is known.
    pub fn set_name(&mut self, kind: RowKind, name: &[u8]) {
        self.set(0, kind, &KnownFile { path: name, size: None, modified: None, digests: &[] });
    }

    /// Says that the file lies in a store, whose times are no clock's on the wall ([`crate::Rules::is_in_store`]).
    pub fn put_in_store(&mut self) {
        let mut rest = self.content();
        take_number(&mut rest);
        let at = self.bytes.len() - rest.len();
        self.bytes[at] |= IN_STORE;
    }

    /// Fills it in, with digests by the number that their algorithm has among those registered.
    pub(crate) fn fill(&mut self, line: u64, draft: &Draft<'_>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(draft.name);
        self.name = draft.name.len();
        self.push_content(line, RowKind::File as u8, &Draft { name: b"", ..*draft });
    }

    /// The row of a name and what stands beside it.
    pub(crate) fn put(&mut self, name: &[u8], content: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(name);
        self.bytes.extend_from_slice(content);
        self.name = name.len();
    }

    /// Hands it to a sorter.
    pub(crate) fn push_to(&self, sorter: &mut Sorter) -> Result<(), Error> {
        Ok(sorter.push(self.pair())?)
    }

    /// Name and content, as they are sorted.
    pub(crate) fn pair(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at(self.name)
    }

    /// The name.
    pub fn name(&self) -> &[u8] {
        &self.bytes[..self.name]
    }

    /// All that stands beside the name.
    pub(crate) fn content(&self) -> &[u8] {
        &self.bytes[self.name..]
    }

    /// The number of its line.
    pub fn line(&self) -> u64 {
        take_number(&mut self.content())
    }

    pub(crate) fn kind(&self) -> RowKind {
        match self.marks() & !IN_STORE {
            0 => RowKind::File,
            1 => RowKind::Unreadable,
            2 => RowKind::Unstable,
            3 => RowKind::Disputed,
            4 => RowKind::DisputedTwice,
            5 => RowKind::Unsearched,
            _ => RowKind::Absent,
        }
    }

    /// Whether the file is known to lie in a store.
    pub(crate) fn is_in_store(&self) -> bool {
        self.marks() & IN_STORE != 0
    }

    /// Whether its store keeps a checksum of another content.
    pub(crate) fn is_disputed(&self) -> bool {
        matches!(self.kind(), RowKind::Disputed | RowKind::DisputedTwice)
    }

    /// The kind, with [`IN_STORE`].
    fn marks(&self) -> u8 {
        let mut rest = self.content();
        take_number(&mut rest);
        let [marks] = take_array(&mut rest);
        marks
    }

    pub(crate) fn entry(&self) -> Entry<'_> {
        let mut rest = self.content();
        take_number(&mut rest);
        let [_marks] = take_array(&mut rest);
        let shape = Shape::from_bytes(take_array(&mut rest));
        Entry::decode(Algorithms::registered(), (State::Unseen, shape), rest).0
    }

    /// Size and digests, where there is anything.
    pub(crate) fn described(&self) -> Option<Content> {
        let content = Content::of(&self.entry());
        (content.size.is_some() || !content.digests.is_empty()).then_some(content)
    }

    /// Adds what another row of the same name knows beyond this one; says whether that is anything.
    pub(crate) fn add(&mut self, more: &Self) -> bool {
        if more.is_in_store() {
            self.put_in_store();
        }
        let (own, other) = (self.entry(), more.entry());
        let mut draft = own.draft();
        draft.add(&other.draft());
        if draft.shape() == own.shape {
            return false;
        }
        let mut sum = Self { bytes: self.name().to_vec(), name: self.name };
        sum.push_content(self.line(), self.marks(), &draft);
        *self = sum;
        true
    }

    fn push_content(&mut self, line: u64, marks: u8, draft: &Draft<'_>) {
        put_number(&mut self.bytes, line);
        self.bytes.push(marks);
        self.bytes.extend(draft.shape().to_bytes());
        draft.encode(&mut self.bytes);
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.content().len();
        f.debug_struct("Row")
            .field("name", &self.name().escape_ascii().to_string())
            .field("bytes", &bytes)
            .finish()
    }
}
