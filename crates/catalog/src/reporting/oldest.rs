//! What was read longest ago, and what is late. Items are counted by their segments, and only where they are few one by one.

use rusqlite::{OptionalExtension as _, params};

use crate::collections::Collection;
use crate::error::Result;
use crate::ids::{CollectionId, ItemId, SHIFT};
use crate::items::State;
use crate::reader::Reader;
use crate::spans::ReadingKind;

/// Spans that are looked at to find what was read longest ago.
const MOST_SPANS: usize = 2_000;

/// Files that were last read good in the same stint and in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OldReading {
    /// When they were read, in seconds since 1970.
    pub read_s: i64,
    /// Where their bytes came from.
    pub reading: ReadingKind,
    /// How many there are at most: files that have been retired since then still count.
    pub files_at_most: u64,
    /// Some of them.
    pub places: Vec<OldPlace>,
    /// There are more spans of this stint than were looked at.
    pub is_cut: bool,
}

/// Where files lie that were read together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OldPlace {
    /// One file, by its path below the root.
    File(Vec<u8>),
    /// At most this many files of a directory, by its path below the root; the root itself is empty.
    Directory(Vec<u8>, u64),
}

impl OldPlace {
    /// How many files it stands for, at most.
    pub fn files(&self) -> u64 {
        match self {
            Self::File(_) => 1,
            Self::Directory(_, files) => *files,
        }
    }
}

/// How many files were not read good within the promised time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// This many.
    Exactly(u64),
    /// This many at most: they were too many to look at each.
    AtMost(u64),
}

impl Late {
    /// The number.
    pub fn files(self) -> u64 {
        match self {
            Self::Exactly(files) | Self::AtMost(files) => files,
        }
    }

    /// Whether it is their number, and not an upper bound.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Exactly(_))
    }
}

impl Reader {
    /// The readings of a collection that are longest ago, at most `most`, each with some of its files, the oldest first. Files that
    /// stand apart from others because something stands against each of them are left out: that says more.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn oldest_readings(
        &self,
        collection: CollectionId,
        most: usize,
        most_places: usize,
    ) -> Result<Vec<OldReading>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT first, last, stint, reading FROM span WHERE collection = ?1 AND reading <> ?3 AND NOT (last - first < 64 AND last - first <
                 (SELECT count(*) FROM finding WHERE finding.item BETWEEN span.first AND span.last AND finding.cleared_s IS NULL
                     AND finding.verdict <> 22))
             ORDER BY (SELECT started_s FROM stint WHERE stint.id = span.stint), stint, first LIMIT ?2",
        )?;
        let mut spans =
            statement.query(params![collection.0, MOST_SPANS as i64, ReadingKind::Replaced.number()])?;
        let mut readings: Vec<(i64, OldReading)> = Vec::new();
        let mut seen = 0;
        while let Some(row) = spans.next()? {
            let (first, last, stint): (i64, i64, i64) =
                (row.get("first")?, row.get("last")?, row.get("stint")?);
            let kind = ReadingKind::of_number(row.get("reading")?)?;
            seen += 1;
            let known = readings.iter().position(|(of, old)| *of == stint && old.reading == kind);
            let at = match known {
                Some(at) => at,
                None if readings.len() == most => break,
                None => {
                    readings.push((stint, self.old_reading(stint, kind)?));
                    readings.len() - 1
                }
            };
            self.add_span(collection, (first, last), &mut readings[at].1, most_places)?;
        }
        if seen == MOST_SPANS
            && let Some((last_stint, _)) = readings.last()
        {
            let last_stint = *last_stint;
            readings.iter_mut().filter(|(of, _)| *of == last_stint).for_each(|(_, old)| old.is_cut = true);
        }
        // One more was kept than is shown, so that the last one shown has all of its files.
        readings.iter_mut().for_each(|(_, reading)| reading.places.truncate(most_places));
        Ok(readings.into_iter().map(|(_, reading)| reading).collect())
    }

    fn old_reading(&self, stint: i64, reading: ReadingKind) -> Result<OldReading> {
        let mut statement = self.connection.prepare_cached("SELECT started_s FROM stint WHERE id = ?1")?;
        let read_s = statement.query_row([stint], |row| row.get(0))?;
        Ok(OldReading { read_s, reading, files_at_most: 0, places: Vec::new(), is_cut: false })
    }

    /// Adds the files of a span to a reading: counted by segment, which has as many ids as it has had files.
    fn add_span(
        &self,
        collection: CollectionId,
        (first, last): (i64, i64),
        reading: &mut OldReading,
        most_places: usize,
    ) -> Result<()> {
        if first == last {
            reading.files_at_most += 1;
            if reading.places.len() <= most_places {
                reading.places.push(OldPlace::File(self.path_of(ItemId(first))?));
            }
            return Ok(());
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT segment.id, segment.items, directory.path FROM segment CROSS JOIN directory ON directory.id = segment.directory
             WHERE segment.id BETWEEN ?1 AND ?2 AND directory.collection = ?3 ORDER BY segment.id",
        )?;
        let mut rows = statement.query(params![first >> SHIFT, last >> SHIFT, collection.0])?;
        while let Some(row) = rows.next()? {
            let (segment, items): (i64, i64) = (row.get("id")?, row.get("items")?);
            let begin = first.max(segment << SHIFT);
            let end = last.min((segment << SHIFT) + items - 1);
            let files = (end - begin + 1).max(0) as u64;
            if files == 0 {
                continue;
            }
            reading.files_at_most += files;
            if reading.places.len() > most_places {
                continue;
            }
            let path: Vec<u8> = row.get("path")?;
            match reading.places.last_mut() {
                Some(OldPlace::Directory(of, so_far)) if *of == path => *so_far += files,
                _ => reading.places.push(OldPlace::Directory(path, files)),
            }
        }
        Ok(())
    }

    /// How many files were not read good within the promised time, as [`Reader::late`] counts them, as long as those that have to be
    /// looked at for that are no more than `most`.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn late_within(&self, collection: &Collection, now_s: i64, most: u64) -> Result<Late> {
        let Some(period_s) = collection.terms.period_s else { return Ok(Late::Exactly(0)) };
        let before_s = now_s.saturating_sub(period_s);
        let mut statement = self.connection.prepare_cached(
            "SELECT coalesce(sum(min(span.last, (segment.id << ?4) + segment.items - 1) - max(span.first, segment.id << ?4) + 1), 0)
             FROM span CROSS JOIN segment ON segment.id BETWEEN span.first >> ?4 AND span.last >> ?4
             CROSS JOIN directory ON directory.id = segment.directory
             WHERE span.collection = ?1 AND directory.collection = ?1
             AND span.stint IN (SELECT id FROM stint WHERE started_s < ?2 OR started_s > ?3)",
        )?;
        let read: i64 =
            statement.query_row(params![collection.id.0, before_s, now_s, SHIFT], |row| row.get(0))?;
        let mut at_most = read.max(0) as u64;
        if collection.created_s < before_s {
            for state in [State::Registered, State::Unread] {
                at_most += self.total(collection.id, state)?.files;
            }
        }
        // Those of all collections are looked at where one has any.
        let to_read: i64 = self.connection.query_row(
            "SELECT coalesce(sum(files), 0) FROM total WHERE state IN (?1, ?2, ?3)",
            params![State::Registered.number(), State::Unsettled.number(), State::Unread.number()],
            |row| row.get(0),
        )?;
        match at_most {
            0 => Ok(Late::Exactly(0)),
            _ if at_most <= most && to_read.max(0) as u64 <= most => {
                Ok(Late::Exactly(self.late(collection, now_s)?))
            }
            // Something may stand against each of them.
            _ if !self.is_any_late(collection, (before_s, now_s))? => Ok(Late::Exactly(0)),
            _ => Ok(Late::AtMost(at_most)),
        }
    }

    /// Whether any file was last read before a time, or at one that is yet to come, and nothing stands against it.
    fn is_any_late(&self, collection: &Collection, (before_s, now_s): (i64, i64)) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "SELECT 1 FROM span CROSS JOIN segment ON segment.id BETWEEN span.first >> ?4 AND span.last >> ?4
             CROSS JOIN directory ON directory.id = segment.directory
             CROSS JOIN item ON item.id BETWEEN max(span.first, segment.id << ?4) AND min(span.last, (segment.id << ?4) + segment.items - 1)
             WHERE span.collection = ?1 AND directory.collection = ?1 AND item.state NOT IN (?5, ?6)
             AND span.stint IN (SELECT id FROM stint WHERE started_s < ?2 OR started_s > ?3)
             AND NOT EXISTS (SELECT 1 FROM finding WHERE finding.item = item.id AND finding.cleared_s IS NULL AND finding.verdict <> 22)
             LIMIT 1",
        )?;
        let [retired, ignored] = [State::Retired, State::Ignored].map(State::number);
        let found = statement
            .query_row(params![collection.id.0, before_s, now_s, SHIFT, retired, ignored], |_| Ok(()))
            .optional()?;
        // What was never read counts from when it became known.
        Ok(found.is_some() || self.late_never(collection.id, before_s)? > 0)
    }
}
