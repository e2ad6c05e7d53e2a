//! Files as they are known.
//!
//! A name is stored once, and no index repeats it: items of a directory stand together, in segments of names, and an item's id tells its
//! segment. A listing that comes in order of names is compared a segment at a time, whatever the size of the directory.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use crate::catalog::Catalog;
use crate::collections::{Collection, CollectionId};
use crate::error::{Error, Result};
use crate::runs::{RunId, Stint};
use crate::spans::{self, Span};

/// How many items a segment gets while names come in order. It has room for more, which come later in between.
const FILL: i64 = 4096;

/// How many it has room for.
const ROOM: i64 = 1 << SHIFT;

/// Bits of an id that tell the item within its segment.
const SHIFT: u32 = 16;

/// An item's number in its catalogue. Items of one segment of a directory have numbers next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub(crate) i64);

/// A directory's number in its catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectoryId(pub(crate) i64);

/// A stretch of the names of a directory, with all items that have such a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its names are this one and those behind it, up to the next segment.
    first: Vec<u8>,
    /// The parts that it has: one, unless it was full. Their numbers, and how many items each has had.
    parts: Vec<(i64, u32)>,
}

impl Segment {
    /// The first name that can be in it.
    pub fn first_name(&self) -> &[u8] {
        &self.first
    }

    /// The ids that its items have, or may have: from the first to the last, in one range or several.
    pub fn ids(&self) -> impl Iterator<Item = (ItemId, ItemId)> {
        self.parts.iter().map(|(part, _)| ids_of(*part))
    }

    /// How many items it has had.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|(_, items)| *items as usize).sum()
    }

    /// Whether it has had none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The ids that items of a part of a segment may have.
fn ids_of(part: i64) -> (ItemId, ItemId) {
    let first = part << SHIFT;
    (ItemId(first), ItemId(first + ROOM - 1))
}

/// What is known of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Bytes.
    pub size: Option<u64>,
    /// When it was last written to.
    pub modified: Option<Timestamp>,
    /// When it was last changed in any way.
    pub changed: Option<Timestamp>,
    /// Its number in the file system.
    pub inode: Option<u64>,
    /// Its digests, one for each algorithm of the collection in that order; none of a file that was never read.
    pub digests: Vec<Digest>,
}

/// A file that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number.
    pub id: ItemId,
    /// Its name in the directory.
    pub name: Vec<u8>,
    /// What is known of it.
    pub content: Content,
    /// The run that recorded that.
    pub run: RunId,
    /// What it is.
    pub state: State,
}

/// What a file was before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// The run that recorded it.
    pub run: RunId,
    /// Bytes.
    pub size: Option<u64>,
    /// When it was last written to.
    pub modified: Option<Timestamp>,
    /// Its digests, one for each algorithm of the collection in that order.
    pub digests: Vec<Digest>,
    /// The run that replaced it.
    pub until: RunId,
}

/// What a known file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// It is there, as it was recorded.
    Present,
    /// Its digests come from a list, and were never compared with the file.
    Registered,
    /// It is gone, and that was accepted.
    Retired,
}

impl State {
    fn number(self) -> i64 {
        match self {
            Self::Present => 0,
            Self::Registered => 1,
            Self::Retired => 2,
        }
    }

    fn of_number(number: i64) -> Result<Self> {
        match number {
            0 => Ok(Self::Present),
            1 => Ok(Self::Registered),
            2 => Ok(Self::Retired),
            other => Err(Error::Damaged { what: format!("{other} is not a state of an item") }),
        }
    }
}

impl Catalog {
    /// The number of a directory, by its path below the root; nothing of one that was never seen.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn directory(&self, collection: CollectionId, path: &[u8]) -> Result<Option<DirectoryId>> {
        directory(&self.connection, collection, path)
    }

    /// All directories of a collection that had files, in byte order of their paths.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub(crate) fn directories(&self, collection: CollectionId) -> Result<Vec<(DirectoryId, Vec<u8>)>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, path FROM directory WHERE collection = ?1 ORDER BY path")?;
        let rows = statement.query_map([collection.0], |row| Ok((DirectoryId(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The segments of a directory, in the order of their names.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn segments(&self, directory: DirectoryId) -> Result<Vec<Segment>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, first, items FROM segment WHERE directory = ?1 ORDER BY first, part",
        )?;
        let mut rows = statement.query([directory.0])?;
        let mut segments: Vec<Segment> = Vec::new();
        while let Some(row) = rows.next()? {
            let (part, first) = ((row.get(0)?, row.get(2)?), row.get(1)?);
            match segments.last_mut().filter(|last| last.first == first) {
                Some(last) => last.parts.push(part),
                None => segments.push(Segment { first, parts: vec![part] }),
            }
        }
        Ok(segments)
    }

    /// The items of a segment, in the order of their names.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn items(&self, collection: &Collection, segment: &Segment) -> Result<Vec<Item>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, name, size, mtime_ns, ctime_ns, inode, digests, run, state FROM item WHERE id BETWEEN ?1 AND ?2",
        )?;
        let mut items = Vec::with_capacity(segment.len());
        for (first, last) in segment.ids() {
            let mut rows = statement.query(params![first.0, last.0])?;
            while let Some(row) = rows.next()? {
                items.push(item_of(row, collection)?);
            }
        }
        items.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(items)
    }

    /// When an item was last read good, if it was.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_good(&self, collection: CollectionId, item: ItemId) -> Result<Option<Span>> {
        spans::of_item(&self.connection, collection, item)
    }

    /// When the items of a collection were last read good: those that were read longest ago first.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn good_spans(&self, collection: CollectionId) -> Result<Vec<Span>> {
        spans::oldest_first(&self.connection, collection)
    }

    /// What an item was before, the earliest first.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn versions(&self, collection: &Collection, item: ItemId) -> Result<Vec<Version>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT run, size, mtime_ns, digests, until_run FROM version WHERE item = ?1 ORDER BY run",
        )?;
        let mut rows = statement.query([item.0])?;
        let mut versions = Vec::new();
        while let Some(row) = rows.next()? {
            let digests: Option<Vec<u8>> = row.get(3)?;
            versions.push(Version {
                run: RunId(row.get(0)?),
                size: row.get::<_, Option<i64>>(1)?.map(|size| size as u64),
                modified: row.get::<_, Option<i64>>(2)?.map(time_of),
                digests: digests_of(&collection.algorithms, &digests.unwrap_or_default())?,
                until: RunId(row.get(4)?),
            });
        }
        Ok(versions)
    }

    /// Begins a batch of findings of a stint, of which all are recorded or none.
    ///
    /// # Errors
    /// The catalogue cannot be written to.
    pub fn batch(&mut self, collection: CollectionId, stint: Stint) -> Result<Batch<'_>> {
        Ok(Batch { transaction: self.begin()?, collection, stint, filling: None })
    }
}

/// Findings that are recorded together.
#[derive(Debug)]
pub struct Batch<'c> {
    transaction: Transaction<'c>,
    collection: CollectionId,
    stint: Stint,
    /// Of the directory that the last item went to.
    filling: Option<Filling>,
}

/// Where a directory ends, so that names which come in order need no look at what is there.
#[derive(Debug)]
struct Filling {
    directory: DirectoryId,
    /// Its last segment, and how many items that has had.
    tail: Option<(i64, i64)>,
    /// Its last name.
    last: Option<Vec<u8>>,
}

impl Batch<'_> {
    /// The number of a directory, which is made if it is new.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn directory(&self, path: &[u8]) -> Result<DirectoryId> {
        if let Some(known) = directory(&self.transaction, self.collection, path)? {
            return Ok(known);
        }
        let mut statement =
            self.transaction.prepare_cached("INSERT INTO directory (collection, path) VALUES (?1, ?2)")?;
        Ok(DirectoryId(statement.insert(params![self.collection.0, path])?))
    }

    /// Records a file that was not known.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn add(
        &mut self,
        directory: DirectoryId,
        name: &[u8],
        content: &Content,
        state: State,
    ) -> Result<ItemId> {
        let (segment, items) = self.place(directory, name)?;
        let id = ItemId((segment << SHIFT) + items);
        let mut statement = self.transaction.prepare_cached(
            "INSERT INTO item (id, name, size, mtime_ns, ctime_ns, inode, digests, run, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?;
        statement.execute(params![
            id.0,
            name,
            content.size.map(|size| size as i64),
            content.modified.map(nanos_of),
            content.changed.map(nanos_of),
            content.inode.map(|inode| inode as i64),
            blob_of(&content.digests),
            self.stint.run.0,
            state.number()
        ])?;
        let mut statement = self.transaction.prepare_cached("UPDATE segment SET items = ?2 WHERE id = ?1")?;
        statement.execute(params![segment, items + 1])?;
        Ok(id)
    }

    /// Records what a known file has become. What it was stays, as an earlier version, if it had a digest.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn replace(&self, item: ItemId, content: &Content) -> Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "INSERT INTO version (item, run, size, mtime_ns, digests, until_run)
             SELECT id, run, size, mtime_ns, digests, ?2 FROM item WHERE id = ?1 AND digests IS NOT NULL AND run <> ?2",
        )?;
        statement.execute(params![item.0, self.stint.run.0])?;
        let mut statement = self.transaction.prepare_cached(
            "UPDATE item SET size = ?2, mtime_ns = ?3, ctime_ns = ?4, inode = ?5, digests = ?6, run = ?7, state = ?8
             WHERE id = ?1",
        )?;
        statement.execute(params![
            item.0,
            content.size.map(|size| size as i64),
            content.modified.map(nanos_of),
            content.changed.map(nanos_of),
            content.inode.map(|inode| inode as i64),
            blob_of(&content.digests),
            self.stint.run.0,
            State::Present.number()
        ])?;
        Ok(())
    }

    /// Records that items were read good: all from `first` to `last`.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn read_good(&self, first: ItemId, last: ItemId, reading: crate::spans::ReadingKind) -> Result<()> {
        spans::read_good(
            &self.transaction,
            self.collection,
            Span { first, last, stint: self.stint.id, reading },
        )
    }

    /// Records that nothing good is known of items any more.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn forget_good(&self, first: ItemId, last: ItemId) -> Result<()> {
        spans::forget(&self.transaction, self.collection, first, last)
    }

    /// Makes all of it.
    ///
    /// # Errors
    /// It could not be written. Then nothing of it is.
    pub fn commit(self) -> Result<()> {
        Ok(self.transaction.commit()?)
    }

    /// The segment that a name goes to, and how many items it has had.
    fn place(&mut self, directory: DirectoryId, name: &[u8]) -> Result<(i64, i64)> {
        let mut filling = match self.filling.take().filter(|filling| filling.directory == directory) {
            Some(filling) => filling,
            None => self.filling(directory)?,
        };
        let is_behind = filling.last.as_deref().is_none_or(|last| last < name);
        let (segment, items) = match filling.tail {
            None => (self.new_segment(directory, b"", 0)?, 0),
            Some((_, items)) if is_behind && items >= FILL => (self.new_segment(directory, name, 0)?, 0),
            Some(tail) if is_behind => tail,
            Some(_) => self.covering(directory, name)?,
        };
        if is_behind {
            filling.last = Some(name.to_vec());
        }
        if is_behind || filling.tail.is_some_and(|(tail, _)| tail == segment) {
            filling.tail = Some((segment, items + 1));
        }
        self.filling = Some(filling);
        Ok((segment, items))
    }

    /// Where a directory ends.
    fn filling(&self, directory: DirectoryId) -> Result<Filling> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT id, items FROM segment WHERE directory = ?1
             AND first = (SELECT max(first) FROM segment WHERE directory = ?1) ORDER BY part",
        )?;
        let parts: Vec<(i64, i64)> = statement
            .query_map([directory.0], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let mut statement =
            self.transaction.prepare_cached("SELECT max(name) FROM item WHERE id BETWEEN ?1 AND ?2")?;
        let mut last = None;
        for (segment, _) in &parts {
            let first = segment << SHIFT;
            let of_part: Option<Vec<u8>> =
                statement.query_row(params![first, first + ROOM - 1], |row| row.get(0))?;
            last = last.max(of_part);
        }
        Ok(Filling { directory, tail: parts.last().copied(), last })
    }

    /// The segment whose names a name is among.
    fn covering(&self, directory: DirectoryId, name: &[u8]) -> Result<(i64, i64)> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT id, items, first, part FROM segment WHERE directory = ?1 AND first <= ?2
             ORDER BY first DESC, part DESC LIMIT 1",
        )?;
        let (segment, items, first, part): (i64, i64, Vec<u8>, i64) = statement
            .query_row(params![directory.0, name], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
        if items < ROOM {
            return Ok((segment, items));
        }
        Ok((self.new_segment(directory, &first, part + 1)?, 0))
    }

    fn new_segment(&self, directory: DirectoryId, first: &[u8], part: i64) -> Result<i64> {
        let mut statement = self
            .transaction
            .prepare_cached("INSERT INTO segment (directory, first, part, items) VALUES (?1, ?2, ?3, 0)")?;
        Ok(statement.insert(params![directory.0, first, part])?)
    }
}

fn item_of(row: &Row<'_>, collection: &Collection) -> Result<Item> {
    let digests: Option<Vec<u8>> = row.get(6)?;
    let content = Content {
        size: row.get::<_, Option<i64>>(2)?.map(|size| size as u64),
        modified: row.get::<_, Option<i64>>(3)?.map(time_of),
        changed: row.get::<_, Option<i64>>(4)?.map(time_of),
        inode: row.get::<_, Option<i64>>(5)?.map(|inode| inode as u64),
        digests: digests_of(&collection.algorithms, &digests.unwrap_or_default())?,
    };
    let (id, name) = (ItemId(row.get(0)?), row.get(1)?);
    Ok(Item { id, name, content, run: RunId(row.get(7)?), state: State::of_number(row.get(8)?)? })
}

fn directory(connection: &Connection, collection: CollectionId, path: &[u8]) -> Result<Option<DirectoryId>> {
    let mut statement =
        connection.prepare_cached("SELECT id FROM directory WHERE collection = ?1 AND path = ?2")?;
    let found = statement.query_row(params![collection.0, path], |row| row.get(0)).optional()?;
    Ok(found.map(DirectoryId))
}

fn blob_of(digests: &[Digest]) -> Option<Vec<u8>> {
    let bytes = digests.iter().flat_map(|digest| digest.as_bytes().iter().copied());
    (!digests.is_empty()).then(|| bytes.collect())
}

/// The digests that stand in a blob, one for each algorithm.
fn digests_of(algorithms: &[Algorithm], blob: &[u8]) -> Result<Vec<Digest>> {
    if blob.is_empty() {
        return Ok(Vec::new());
    }
    let mut rest = blob;
    let mut digests = Vec::with_capacity(algorithms.len());
    for algorithm in algorithms {
        let split = rest.split_at_checked(algorithm.length());
        let digest = split.and_then(|(bytes, behind)| {
            rest = behind;
            Digest::new(*algorithm, bytes).ok()
        });
        digests.extend(digest);
    }
    match digests.len() == algorithms.len() && rest.is_empty() {
        true => Ok(digests),
        false => Err(Error::Damaged {
            what: format!("{} bytes of digests are not those of {} algorithms", blob.len(), algorithms.len()),
        }),
    }
}

/// Nanoseconds since 1970. What does not fit, before 1677 or after 2262, becomes the nearest that does.
fn nanos_of(time: Timestamp) -> i64 {
    time.seconds.saturating_mul(1_000_000_000).saturating_add(time.nanos.into())
}

fn time_of(nanos: i64) -> Timestamp {
    let (seconds, nanos) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
    Timestamp { seconds, nanos: nanos as u32 }
}
