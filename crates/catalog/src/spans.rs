//! When items were last read good.
//!
//! Most of a collection is read from one end to the other, so this is kept by spans of items and not by item: where nothing has changed an
//! audit of ten million files writes a few rows.

use rusqlite::params;

use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::ids::{CollectionId, ItemId, StintId};
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
        found.ok_or_else(|| {
            Error::damaged(CataloguePart::Reading, format!("{number} is not a kind of reading"))
        })
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

impl Reader {
    /// When an item was last read good, if it was.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_good(&self, collection: CollectionId, item: ItemId) -> Result<Option<Span>> {
        Ok(self.span_over(collection, item)?.filter(|span| span.reading != ReadingKind::Replaced))
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
        let mut statement = self.connection.prepare_cached(
            "SELECT first, last, stint, reading FROM span WHERE collection = ?1 ORDER BY stint, first",
        )?;
        let mut rows = statement.query([collection.0])?;
        let mut spans = Vec::new();
        while let Some(row) = rows.next()? {
            spans.push(span_of(row)?);
        }
        Ok(spans)
    }

    /// The span that an item lies in.
    pub(crate) fn span_over(&self, collection: CollectionId, item: ItemId) -> Result<Option<Span>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT first, last, stint, reading FROM span WHERE collection = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1",
        )?;
        let mut rows = statement.query(params![collection.0, item.0])?;
        let span = rows.next()?.map(span_of).transpose()?;
        Ok(span.filter(|span| span.last >= item))
    }
}

/// The span that stands in a row.
pub(crate) fn span_of(row: &rusqlite::Row<'_>) -> Result<Span> {
    Ok(Span {
        first: ItemId(row.get("first")?),
        last: ItemId(row.get("last")?),
        stint: StintId(row.get("stint")?),
        reading: ReadingKind::of_number(row.get("reading")?)?,
    })
}
