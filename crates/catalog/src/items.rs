//! Files as they are known.
//!
//! A name is stored once, and no index repeats it: items of a directory stand together, in segments of names, and an item's id names its
//! segment. A listing that comes in order of names is compared a segment at a time, whatever the size of the directory.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Timestamp, shown_name};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::checksums;
use crate::collections::Collection;
use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::ids::{CollectionId, DirectoryId, ItemId, RunId, SHIFT, SegmentNumber, ids_of};
use crate::paths::{joined, split};
use crate::reader::Reader;

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

impl Content {
    /// Whether the file was last changed so long before it was recorded that one more change would show in its times. It was recorded
    /// between two times, in seconds since 1970.
    pub fn is_settled(&self, from_s: i64, to_s: i64, grain_s: i64) -> bool {
        // What lies in the future was set by hand or by a wrong clock: it says nothing of when the file was written to.
        let recent = from_s.saturating_sub(grain_s)..=to_s.saturating_add(grain_s);
        !self.modified.into_iter().chain(self.changed).any(|time| recent.contains(&time.seconds))
    }
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
    /// It was recorded so soon after it was last changed that it may have been written to since, without a trace in its times.
    Unsettled,
    /// It was found where nothing new is accepted, and nobody has accepted it.
    Unaccepted,
    /// It was listed, and not read yet.
    Unread,
    /// It is known, and a filter leaves it out.
    Ignored,
}

impl State {
    /// What the catalogue writes for it.
    pub fn number(self) -> i64 {
        match self {
            Self::Present => 0,
            Self::Registered => 1,
            Self::Retired => 2,
            Self::Unsettled => 3,
            Self::Unaccepted => 4,
            Self::Unread => 5,
            Self::Ignored => 6,
        }
    }

    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn of_number(number: i64) -> Result<Self> {
        match number {
            0 => Ok(Self::Present),
            1 => Ok(Self::Registered),
            2 => Ok(Self::Retired),
            3 => Ok(Self::Unsettled),
            4 => Ok(Self::Unaccepted),
            5 => Ok(Self::Unread),
            6 => Ok(Self::Ignored),
            other => Err(Error::damaged(CataloguePart::Files, format!("{other} is not a state of an item"))),
        }
    }
}

impl Reader {
    /// What a file was before a filter left it out.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn state_before(&self, item: ItemId) -> Result<State> {
        let mut statement = self.connection.prepare_cached("SELECT state FROM ignored WHERE item = ?1")?;
        let state: Option<i64> = statement.query_row([item.0], |row| row.get(0)).optional()?;
        state.map_or(Ok(State::Present), State::of_number)
    }

    /// The number of a directory, by its path below the root; nothing of one that was never seen.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn directory(&self, collection: CollectionId, path: &[u8]) -> Result<Option<DirectoryId>> {
        let mut statement =
            self.connection.prepare_cached("SELECT id FROM directory WHERE collection = ?1 AND path = ?2")?;
        let found = statement.query_row(params![collection.0, path], |row| row.get(0)).optional()?;
        Ok(found.map(DirectoryId))
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

    /// Whether files were ever known in a directory or below it.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn has_directory(&self, collection: CollectionId, path: &[u8]) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "SELECT 1 FROM directory WHERE collection = ?1
             AND (path = ?2 OR (path > CAST(?2 || x'2f' AS BLOB) AND path < CAST(?2 || x'30' AS BLOB))) LIMIT 1",
        )?;
        Ok(statement.query_row(params![collection.0, path], |_| Ok(())).optional()?.is_some())
    }

    /// Whether files are known in a directory or below it that are neither retired nor ignored.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn has_files_below(&self, collection: CollectionId, path: &[u8]) -> Result<bool> {
        // A slash is followed by `0`: what lies between begins with the path and a slash.
        let mut statement = self.connection.prepare_cached(
            "SELECT 1 FROM directory JOIN segment ON segment.directory = directory.id
             JOIN item ON item.id BETWEEN segment.id << 16 AND (segment.id << 16) + 65535
             WHERE directory.collection = ?1 AND item.state NOT IN (?3, ?4)
             AND (directory.path = ?2 OR (directory.path > CAST(?2 || x'2f' AS BLOB) AND directory.path < CAST(?2 || x'30' AS BLOB)))
             LIMIT 1",
        )?;
        let [retired, ignored] = [State::Retired, State::Ignored].map(State::number);
        let found = statement.query_row(params![collection.0, path, retired, ignored], |_| Ok(()));
        Ok(found.optional()?.is_some())
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
        let mut summed = self.connection.prepare_cached("SELECT items_sum FROM segment WHERE id = ?1")?;
        let mut items = Vec::with_capacity(segment.len());
        for (first, last) in segment.ids() {
            // Of one moment: who writes meanwhile changes both.
            let _moment = self.begin_moment()?;
            let kept: i64 = summed.query_row([first.0 >> SHIFT], |row| row.get(0))?;
            let (mut sum, before) = (0_i64, items.len());
            let mut rows = statement.query(params![first.0, last.0])?;
            while let Some(row) = rows.next()? {
                sum = sum.wrapping_add(checksums::of_item_in(row, 0)?);
                items.push(item_of(row, collection)?);
            }
            if self.has_sums() && sum != kept {
                let problem = match items[before..].first() {
                    Some(first) => {
                        format!("those from {} on are not as they were written", shown_name(&first.name))
                    }
                    None => "all of a stretch of names are lost".to_owned(),
                };
                return Err(Error::damaged(CataloguePart::Files, problem));
            }
        }
        items.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(items)
    }

    /// What an item was before, the earliest first.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn versions(&self, collection: &Collection, item: ItemId) -> Result<Vec<Version>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT run, size, mtime_ns, digests, until_run FROM version WHERE item = ?1 ORDER BY nth",
        )?;
        let mut rows = statement.query([item.0])?;
        let mut versions = Vec::new();
        while let Some(row) = rows.next()? {
            let digests: Option<Vec<u8>> = row.get(3)?;
            versions.push(Version {
                run: RunId(row.get(0)?),
                size: row.get::<_, Option<i64>>(1)?.map(|size| size as u64),
                modified: row.get::<_, Option<i64>>(2)?.map(time_of),
                digests: digests_of(&collection.terms.algorithms, &digests.unwrap_or_default())?,
                until: RunId(row.get(4)?),
            });
        }
        Ok(versions)
    }

    /// All segments of a collection in the order of their numbers, and how many items each has had.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn segment_numbers(&self, collection: CollectionId) -> Result<Vec<SegmentNumber>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, items FROM segment WHERE items > 0
             AND (SELECT collection FROM directory WHERE directory.id = segment.directory) = ?1 ORDER BY id",
        )?;
        let rows = statement
            .query_map([collection.0], |row| Ok(SegmentNumber { number: row.get(0)?, items: row.get(1)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The items of a collection that were recorded so soon after a change that they are to be read again.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn unsettled(&self, collection: CollectionId) -> Result<Vec<ItemId>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item.id FROM item JOIN segment ON segment.id = item.id >> 16
             JOIN directory ON directory.id = segment.directory
             WHERE item.state = 3 AND directory.collection = ?1 ORDER BY item.id",
        )?;
        let items = statement.query_map([collection.0], |row| Ok(ItemId(row.get(0)?)))?;
        Ok(items.collect::<rusqlite::Result<_>>()?)
    }

    /// The path of the directory that an item is in, below the root.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn directory_of(&self, item: ItemId) -> Result<Vec<u8>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT path FROM directory WHERE id = (SELECT directory FROM segment WHERE id = ?1)",
        )?;
        Ok(statement.query_row([item.0 >> SHIFT], |row| row.get(0))?)
    }

    /// The items of one part of a segment whose numbers lie between two, in order of the numbers, and the path of their directory.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn items_between(
        &self,
        collection: &Collection,
        first: ItemId,
        last: ItemId,
    ) -> Result<(Vec<u8>, Vec<Item>)> {
        let directory = self.directory_of(first)?;
        let mut statement = self.connection.prepare_cached(
            "SELECT id, name, size, mtime_ns, ctime_ns, inode, digests, run, state FROM item WHERE id BETWEEN ?1 AND ?2
             ORDER BY id",
        )?;
        let mut rows = statement.query(params![first.0, last.0])?;
        let mut items = Vec::new();
        while let Some(row) = rows.next()? {
            items.push(item_of(row, collection)?);
        }
        Ok((directory, items))
    }

    /// Where an item lies: its path below the root.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn path_of(&self, item: ItemId) -> Result<Vec<u8>> {
        path_of(&self.connection, item)
    }

    /// An item by its number.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn item(&self, collection: &Collection, item: ItemId) -> Result<Option<Item>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, name, size, mtime_ns, ctime_ns, inode, digests, run, state FROM item WHERE id = ?1",
        )?;
        let mut rows = statement.query([item.0])?;
        rows.next()?.map(|row| item_of(row, collection)).transpose()
    }

    /// The item at a path below the root, if one is known.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn item_at(&self, collection: &Collection, path: &[u8]) -> Result<Option<Item>> {
        let (directory, name) = split(path);
        let Some(directory) = self.directory(collection.id, directory)? else { return Ok(None) };
        let segments = self.segments(directory)?;
        let Some(segment) = segments.iter().rfind(|segment| segment.first_name() <= name) else {
            return Ok(None);
        };
        let items = self.items(collection, segment)?;
        Ok(items.into_iter().find(|item| item.name == name))
    }
}

/// Where an item lies: its path below the root.
pub(crate) fn path_of(connection: &Connection, item: ItemId) -> Result<Vec<u8>> {
    let mut statement = connection.prepare_cached(
        "SELECT directory.path, item.name FROM item JOIN segment ON segment.id = item.id >> 16
         JOIN directory ON directory.id = segment.directory WHERE item.id = ?1",
    )?;
    let found: Option<(Vec<u8>, Vec<u8>)> =
        statement.query_row([item.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    match found {
        Some((directory, name)) => Ok(joined(&directory, &name)),
        None => Err(Error::damaged(CataloguePart::Files, format!("file {} is in no directory", item.0))),
    }
}

fn item_of(row: &Row<'_>, collection: &Collection) -> Result<Item> {
    let digests: Option<Vec<u8>> = row.get(6)?;
    let content = Content {
        size: row.get::<_, Option<i64>>(2)?.map(|size| size as u64),
        modified: row.get::<_, Option<i64>>(3)?.map(time_of),
        changed: row.get::<_, Option<i64>>(4)?.map(time_of),
        inode: row.get::<_, Option<i64>>(5)?.map(|inode| inode as u64),
        digests: digests_of(&collection.terms.algorithms, &digests.unwrap_or_default())?,
    };
    let (id, name) = (ItemId(row.get(0)?), row.get(1)?);
    Ok(Item { id, name, content, run: RunId(row.get(7)?), state: State::of_number(row.get(8)?)? })
}

/// Digests as the catalogue keeps them: one after the other. Nothing of none.
pub fn blob_of(digests: &[Digest]) -> Option<Vec<u8>> {
    let bytes = digests.iter().flat_map(|digest| digest.as_bytes().iter().copied());
    (!digests.is_empty()).then(|| bytes.collect())
}

/// The digests that stand in a blob, one for each algorithm.
///
/// # Errors
/// The catalogue cannot be read, or is damaged.
pub fn digests_of(algorithms: &[Algorithm], blob: &[u8]) -> Result<Vec<Digest>> {
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
        false => Err(Error::damaged(
            CataloguePart::Files,
            format!("{} bytes of digests are not those of {} algorithms", blob.len(), algorithms.len()),
        )),
    }
}

/// Nanoseconds since 1970. What does not fit, before 1677 or after 2262, becomes the nearest that does.
pub fn nanos_of(time: Timestamp) -> i64 {
    let nanos = i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos);
    nanos.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// A time as it can be kept: what comes back is equal to it.
pub fn keepable(time: Timestamp) -> Timestamp {
    time_of(nanos_of(time))
}

/// Whether a time that is kept stands for all that are too early, or too late, to be kept.
pub(crate) fn is_out_of_range(kept: Timestamp) -> bool {
    [i64::MIN, i64::MAX].contains(&nanos_of(kept))
}

/// The time of nanoseconds since 1970.
pub fn time_of(nanos: i64) -> Timestamp {
    let (seconds, nanos) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
    Timestamp { seconds, nanos: nanos as u32 }
}
