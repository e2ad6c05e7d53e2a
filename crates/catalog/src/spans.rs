//! When items were last read good.
//!
//! Most of a collection is read from one end to the other, so this is kept by spans of items and not by item: where nothing has changed an
//! audit of ten million files writes a few rows.

use std::collections::BTreeSet;

use roaring::RoaringTreemap;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::damage::Part;
use crate::error::{Error, Result};
use crate::ids::{CollectionId, ItemId, RunId, SHIFT, StintId};
use crate::items::State;
use crate::reader::Reader;

/// Where the bytes of a reading came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReadingKind {
    /// All from the device.
    Device,
    /// Some or all from the page cache.
    Cache,
    /// It could not be observed.
    Unknown,
    /// A provider vouches for them.
    Provider,
    /// All from a store on the network.
    Network,
    /// There were none: another file has taken the place of the one that was read, and was not read since.
    Replaced,
    /// Its content lies beside the metadata, and was in memory as soon as the file was open.
    BesideMetadata,
    /// The file system may keep it where the counters of the page cache do not see it.
    CacheUnseen,
    /// The kernel does not tell what its page cache holds.
    CacheUnreported,
    /// It lies in memory.
    InMemory,
    /// From the page cache, which does not let go of it.
    InUse,
}

impl ReadingKind {
    /// All of them, by number from 1 on. Numbers are never used again.
    pub const ALL: [Self; 11] = [
        Self::Device,
        Self::Cache,
        Self::Unknown,
        Self::Provider,
        Self::Network,
        Self::Replaced,
        Self::BesideMetadata,
        Self::CacheUnseen,
        Self::CacheUnreported,
        Self::InMemory,
        Self::InUse,
    ];

    /// What programs call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Cache => "cache",
            Self::Unknown => "unknown",
            Self::Provider => "provider",
            Self::Network => "network",
            Self::Replaced => "replaced",
            Self::BesideMetadata => "beside-metadata",
            Self::CacheUnseen => "cache-unseen",
            Self::CacheUnreported => "cache-unreported",
            Self::InMemory => "in-memory",
            Self::InUse => "in-use",
        }
    }

    /// Where the bytes came from, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Device => "from the device",
            Self::Cache => "from the page cache",
            Self::Unknown => "from an unknown place",
            Self::Provider => "by the provider",
            Self::Network => "from the store",
            Self::Replaced => "not since it was replaced",
            Self::BesideMetadata => "from beside its metadata, where it lies",
            Self::CacheUnseen => "on a file system whose cache cannot be seen",
            Self::CacheUnreported => "on a kernel that does not tell what its page cache holds",
            Self::InMemory => "from memory, where it lies",
            Self::InUse => "from the page cache, which does not let go of it",
        }
    }

    /// Whether the bytes are those that are stored: no cache of this machine stands in for them.
    pub fn is_of_medium(self) -> bool {
        matches!(self, Self::Device | Self::Network)
    }

    /// Whether they came from the page cache, as far as is known.
    pub fn is_of_cache(self) -> bool {
        matches!(self, Self::Cache | Self::InUse)
    }

    pub(crate) fn number(self) -> i64 {
        Self::ALL.iter().position(|kind| *kind == self).map_or(0, |place| place as i64 + 1)
    }

    pub(crate) fn of_number(number: i64) -> Result<Self> {
        let place = usize::try_from(number - 1).ok();
        let found = place.and_then(|place| Self::ALL.get(place)).copied();
        found.ok_or_else(|| Error::damaged(Part::Reading, format!("{number} is not a kind of reading")))
    }
}

/// Items that were last read good in the same stint and in the same way; or that were found in it to be replaced, and were not read since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first item.
    pub first: ItemId,
    /// The last item.
    pub last: ItemId,
    /// When they were read.
    pub stint: StintId,
    /// Where their bytes came from.
    pub reading: ReadingKind,
}

/// Records that items were read good. What was known of them before is forgotten; spans that touch and say the same become one.
pub(crate) fn read_good(connection: &Connection, collection: CollectionId, span: Span) -> Result<()> {
    let CollectionId(collection) = collection;
    let Span { mut first, mut last, stint, reading } = span;
    clear(connection, collection, first, last)?;
    let same = (stint.0, reading.number());
    // The one before, whatever it says: to look for one that fits would take a look at all that do not.
    let mut before = connection.prepare_cached(
        "SELECT first, last, stint, reading FROM span WHERE collection = ?1 AND first < ?2 ORDER BY first DESC LIMIT 1",
    )?;
    let found: Option<(i64, i64, i64, i64)> = before
        .query_row(params![collection, first.0], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    if let Some((joined, end, stint, reading)) = found
        && (end, stint, reading) == (first.0 - 1, same.0, same.1)
    {
        remove(connection, collection, joined)?;
        first = ItemId(joined);
    }
    let mut behind = connection.prepare_cached(
        "SELECT first, last FROM span WHERE collection = ?1 AND first = ?2 + 1 AND stint = ?3 AND reading = ?4",
    )?;
    if let Some((joined, end)) = behind
        .query_row(params![collection, last.0, same.0, same.1], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?
    {
        remove(connection, collection, joined)?;
        last = ItemId(end);
    }
    insert(connection, collection, first.0, last.0, same)
}

/// Takes note that all items whose content is known are other files than those that were read. Those of which that is known already keep
/// their time, unless something was found of them since. `but`: readings of these stints are of the files that are there now.
pub(crate) fn replace_all(
    connection: &Connection,
    collection: CollectionId,
    stint: StintId,
    but: &BTreeSet<StintId>,
) -> Result<()> {
    // A file may be known without a reading: of one that a filter has left out it is forgotten. Who only has a list of it has read none.
    let mut statement = connection.prepare_cached(
        "SELECT item.id FROM item JOIN segment ON segment.id = item.id >> ?1 JOIN directory ON directory.id = segment.directory
         WHERE directory.collection = ?2 AND item.digests IS NOT NULL AND item.state NOT IN (?3, ?4)",
    )?;
    let known = statement.query_map(
        params![SHIFT, collection.0, State::Retired.number(), State::Registered.number()],
        |row| Ok(row.get::<_, i64>(0)? as u64),
    )?;
    let mut items = known.collect::<rusqlite::Result<RoaringTreemap>>()?;
    for span in all(connection, collection)? {
        if span.reading == ReadingKind::Replaced || but.contains(&span.stint) {
            items.remove_range(span.first.0 as u64..=span.last.0 as u64);
        }
    }
    let mut statement = connection.prepare_cached(
        "SELECT item, stint FROM finding WHERE collection = ?1 AND cleared_s IS NULL AND digests IS NOT NULL",
    )?;
    let found = statement
        .query_map([collection.0], |row| Ok((ItemId(row.get(0)?), StintId(row.get(1)?))))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    for (item, found_in) in found {
        if replaced_in(connection, collection, item)?.is_some_and(|replaced| replaced < found_in) {
            items.insert(item.0 as u64);
        }
    }
    replace(connection, collection, stint, &items)
}

/// The same of some items, by their numbers.
pub(crate) fn replace(
    connection: &Connection,
    collection: CollectionId,
    stint: StintId,
    items: &RoaringTreemap,
) -> Result<()> {
    let mut items = items.iter().peekable();
    while let Some(first) = items.next() {
        let mut last = first;
        while let Some(next) = items.next_if(|next| *next == last + 1) {
            last = next;
        }
        let (first, last) = (ItemId(first as i64), ItemId(last as i64));
        read_good(connection, collection, Span { first, last, stint, reading: ReadingKind::Replaced })?;
    }
    Ok(())
}

/// Forgets that items were read good.
pub(crate) fn forget(
    connection: &Connection,
    collection: CollectionId,
    first: ItemId,
    last: ItemId,
) -> Result<()> {
    clear(connection, collection.0, first, last)
}

/// When an item was last read good, if it was.
pub(crate) fn of_item(
    connection: &Connection,
    collection: CollectionId,
    item: ItemId,
) -> Result<Option<Span>> {
    Ok(over(connection, collection, item)?.filter(|span| span.reading != ReadingKind::Replaced))
}

/// The last run of which all that it has read was there when an item was last read good, if it was. A run that has gone on since then may have read
/// what came later.
pub(crate) fn last_run_before_good(
    connection: &Connection,
    collection: CollectionId,
    item: ItemId,
) -> Result<Option<RunId>> {
    let Some(span) = of_item(connection, collection, item)? else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT run - EXISTS (SELECT 1 FROM stint AS later WHERE later.run = stint.run AND later.id > stint.id) FROM stint WHERE id = ?1",
    )?;
    Ok(Some(RunId(statement.query_row([span.stint.0], |row| row.get(0))?)))
}

/// In which stint an item was found to be replaced, if it was not read since.
pub(crate) fn replaced_in(
    connection: &Connection,
    collection: CollectionId,
    item: ItemId,
) -> Result<Option<StintId>> {
    let span = over(connection, collection, item)?.filter(|span| span.reading == ReadingKind::Replaced);
    Ok(span.map(|span| span.stint))
}

impl Reader {
    /// When an item was last read good, if it was.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_good(&self, collection: CollectionId, item: ItemId) -> Result<Option<Span>> {
        of_item(&self.connection, collection, item)
    }

    /// When the items of a collection were last read good, in the order of the stints that have recorded it.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn good_spans(&self, collection: CollectionId) -> Result<Vec<Span>> {
        let mut spans = self.spans(collection)?;
        spans.retain(|span| span.reading != ReadingKind::Replaced);
        Ok(spans)
    }

    /// The same, with those of files that were replaced and not read since.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn spans(&self, collection: CollectionId) -> Result<Vec<Span>> {
        all(&self.connection, collection)
    }
}

/// The span that an item lies in.
fn over(connection: &Connection, collection: CollectionId, item: ItemId) -> Result<Option<Span>> {
    let mut statement = connection.prepare_cached(
        "SELECT first, last, stint, reading FROM span WHERE collection = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1",
    )?;
    let mut rows = statement.query(params![collection.0, item.0])?;
    let span = rows.next()?.map(of_row).transpose()?;
    Ok(span.filter(|span| span.last >= item))
}

/// All spans of a collection, in the order of their stints, which need not be the order of their times.
pub(crate) fn all(connection: &Connection, collection: CollectionId) -> Result<Vec<Span>> {
    let mut statement = connection.prepare_cached(
        "SELECT first, last, stint, reading FROM span WHERE collection = ?1 ORDER BY stint, first",
    )?;
    let mut rows = statement.query([collection.0])?;
    let mut spans = Vec::new();
    while let Some(row) = rows.next()? {
        spans.push(of_row(row)?);
    }
    Ok(spans)
}

fn of_row(row: &rusqlite::Row<'_>) -> Result<Span> {
    Ok(Span {
        first: ItemId(row.get(0)?),
        last: ItemId(row.get(1)?),
        stint: StintId(row.get(2)?),
        reading: ReadingKind::of_number(row.get(3)?)?,
    })
}

/// Takes items out of all spans. One that holds more keeps the rest, in one piece or in two.
fn clear(connection: &Connection, collection: i64, first: ItemId, last: ItemId) -> Result<()> {
    let mut overlapping = connection.prepare_cached(
        "SELECT first, last, stint, reading FROM span
         WHERE collection = ?1 AND last >= ?2 AND first <= ?3 AND first >= coalesce(
             (SELECT first FROM span WHERE collection = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1), ?2)",
    )?;
    let found: Vec<(i64, i64, i64, i64)> = overlapping
        .query_map(params![collection, first.0, last.0], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    for (begin, end, stint, reading) in found {
        remove(connection, collection, begin)?;
        if begin < first.0 {
            insert(connection, collection, begin, first.0 - 1, (stint, reading))?;
        }
        if end > last.0 {
            insert(connection, collection, last.0 + 1, end, (stint, reading))?;
        }
    }
    Ok(())
}

fn remove(connection: &Connection, collection: i64, first: i64) -> Result<()> {
    let mut statement = connection.prepare_cached("DELETE FROM span WHERE collection = ?1 AND first = ?2")?;
    statement.execute(params![collection, first])?;
    Ok(())
}

fn insert(
    connection: &Connection,
    collection: i64,
    first: i64,
    last: i64,
    (stint, reading): (i64, i64),
) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO span (collection, first, last, stint, reading) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    statement.execute(params![collection, first, last, stint, reading])?;
    Ok(())
}
