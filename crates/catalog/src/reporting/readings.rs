//! Where the bytes of the last readings came from, by kind.

use std::collections::BTreeMap;

use rusqlite::params;

use crate::error::Result;
use crate::ids::CollectionId;
use crate::items::State;
use crate::reader::Reader;
use crate::spans::ReadingKind;
use crate::totals::Total;

/// The files whose last good reading was of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Readings {
    /// Where their bytes came from. Those that were [replaced](ReadingKind::Replaced) were not read since.
    pub reading: ReadingKind,
    /// How many they are, and their bytes.
    pub total: Total,
}

impl Reader {
    /// The files of a collection by the kind of their last good reading, in the order of the kinds. Together with those that were never read
    /// they are all that is there. Files are counted one by one but for those of the kind that most are of: these are what is left.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn readings(&self, collection: CollectionId) -> Result<Vec<Readings>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT reading, sum(last - first + 1) FROM span WHERE collection = ?1 GROUP BY reading ORDER BY 2",
        )?;
        let kinds = statement.query_map([collection.0], |row| row.get(0))?;
        let kinds = kinds.collect::<rusqlite::Result<Vec<i64>>>()?;
        let Some((most, others)) = kinds.split_last() else { return Ok(Vec::new()) };
        let mut left = self.present(collection)?;
        for state in [State::Unread, State::Registered] {
            left.take(self.total(collection, state)?);
        }
        let mut readings = BTreeMap::new();
        for kind in others {
            let total = self.total_of_kind(collection, *kind)?;
            left.take(total);
            readings.insert(*kind, total);
        }
        readings.insert(*most, left);
        let of_kind = |(kind, total)| Ok(Readings { reading: ReadingKind::of_number(kind)?, total });
        readings.into_iter().filter(|(_, total)| total.files > 0).map(of_kind).collect()
    }

    fn total_of_kind(&self, collection: CollectionId, kind: i64) -> Result<Total> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*), coalesce(sum(item.size), 0) FROM span CROSS JOIN item ON item.id BETWEEN span.first AND span.last
             WHERE span.collection = ?1 AND span.reading = ?2 AND item.state IN (?3, ?4, ?5)",
        )?;
        let [present, unsettled, unaccepted] =
            [State::Present, State::Unsettled, State::Unaccepted].map(State::number);
        let asked = params![collection.0, kind, present, unsettled, unaccepted];
        Ok(statement.query_row(asked, |row| {
            let (files, bytes): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok(Total { files: files as u64, bytes: bytes as u64 })
        })?)
    }
}
