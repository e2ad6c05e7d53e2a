//! What is recorded of when items were last read good.

use std::collections::BTreeSet;

use roaring::RoaringTreemap;
use rusqlite::params;

use crate::batch::Batch;
use crate::collections::Collection;
use crate::error::Result;
use crate::ids::{ItemId, SHIFT, StintId};
use crate::items::State;
use crate::reader::Reader;
use crate::spans::{ReadingKind, Span, span_of};

impl Batch<'_> {
    /// Records that items were read good: all from `first` to `last`.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn read_good(&self, first: ItemId, last: ItemId, reading: ReadingKind) -> Result<()> {
        self.read_good_in(self.stint.id, first, last, reading)
    }

    /// The same of an earlier stint, to which the oldest byte of a file goes back that was read in parts. What was known of them before is forgotten;
    /// spans that touch and say the same become one.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn read_good_in(
        &self,
        stint: StintId,
        first: ItemId,
        last: ItemId,
        reading: ReadingKind,
    ) -> Result<()> {
        self.forget_good(first, last)?;
        let mut span = Span { first, last, stint, reading };
        let is_same = |other: &Span| (other.stint, other.reading) == (stint, reading);
        if let Some(before) = self.span_over(self.collection, ItemId(first.0 - 1))?.filter(is_same) {
            self.remove_span(&before)?;
            span.first = before.first;
        }
        if let Some(behind) = self.span_over(self.collection, ItemId(last.0 + 1))?.filter(is_same) {
            self.remove_span(&behind)?;
            span.last = behind.last;
        }
        self.insert_span(&span)
    }

    /// The same of one item that was read again. From the page cache that keeps no promise, where one is kept by readings of the device.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn read_good_by(&self, collection: &Collection, item: ItemId, reading: ReadingKind) -> Result<()> {
        match collection.is_held_to_device() && reading.is_of_cache() {
            true => self.read_from_cache(self.stint.id, item),
            false => self.read_good(item, item, reading),
        }
    }

    /// Records that an item was read good from the page cache, which keeps no promise: what was read before was read then, and what was not
    /// counts as unread since now, or since it was replaced.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn read_from_cache(&self, stint: StintId, item: ItemId) -> Result<()> {
        if self.last_good(item)?.is_some() {
            return Ok(());
        }
        let since = self.replaced_in(item)?.unwrap_or(stint);
        self.read_good_in(since, item, item, ReadingKind::Cache)
    }

    /// Takes note that the page cache has not let go of a file, and returns at how many audits in a row that was so.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn note_in_use(&self, item: ItemId) -> Result<u64> {
        let mut note = self.transaction.prepare_cached(
            "INSERT INTO in_use (item, audits, run) VALUES (?1, 1, ?2)
             ON CONFLICT (item) DO UPDATE SET audits = audits + (run <> excluded.run), run = excluded.run RETURNING audits",
        )?;
        Ok(note.query_row(params![item.0, self.stint.run.0], |row| row.get::<_, i64>(0))? as u64)
    }

    /// Takes note that a file was read otherwise.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn note_let_go(&self, item: ItemId) -> Result<()> {
        self.transaction.prepare_cached("DELETE FROM in_use WHERE item = ?1")?.execute([item.0])?;
        Ok(())
    }

    /// Records of an item when another one was read good: the same file, by another name.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn hand_on_good(&self, from: ItemId, to: ItemId) -> Result<()> {
        match self.last_good(from)? {
            Some(Span { stint, reading, .. }) => self.read_good_in(stint, to, to, reading),
            None => Ok(()),
        }
    }

    /// Records that nothing good is known of items any more. A span that holds more keeps the rest, in one piece or in two.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn forget_good(&self, first: ItemId, last: ItemId) -> Result<()> {
        let mut overlapping = self.transaction.prepare_cached(
            "SELECT first, last, stint, reading FROM span
             WHERE collection = ?1 AND last >= ?2 AND first <= ?3 AND first >= coalesce(
                 (SELECT first FROM span WHERE collection = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1), ?2)",
        )?;
        let mut rows = overlapping.query(params![self.collection.0, first.0, last.0])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(span_of(row)?);
        }
        for span in found {
            self.remove_span(&span)?;
            if span.first < first {
                self.insert_span(&Span { last: ItemId(first.0 - 1), ..span })?;
            }
            if span.last > last {
                self.insert_span(&Span { first: ItemId(last.0 + 1), ..span })?;
            }
        }
        Ok(())
    }

    /// In which stint an item was found to be another file than the one that was read, if it was not read since.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn replaced_in(&self, item: ItemId) -> Result<Option<StintId>> {
        let span = self.span_over(self.collection, item)?;
        Ok(span.filter(|span| span.reading == ReadingKind::Replaced).map(|span| span.stint))
    }

    /// Records that items are other files than those that were read, by their numbers.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn note_replaced(&self, items: &RoaringTreemap) -> Result<()> {
        let mut items = items.iter().peekable();
        while let Some(first) = items.next() {
            let mut last = first;
            while let Some(next) = items.next_if(|next| *next == last + 1) {
                last = next;
            }
            let (first, last) = (ItemId(first as i64), ItemId(last as i64));
            self.read_good(first, last, ReadingKind::Replaced)?;
        }
        Ok(())
    }

    /// The same of all items whose content is known, but for what was read in these stints. Those where that is known already keep their time,
    /// unless something was found of them since.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn replace_all(&self, but: &BTreeSet<StintId>) -> Result<()> {
        // A file may be known without a reading: of one that a filter has left out it is forgotten. Who only has a list of it has read none.
        let mut statement = self.transaction.prepare_cached(
            "SELECT item.id FROM item JOIN segment ON segment.id = item.id >> ?1 JOIN directory ON directory.id = segment.directory
             WHERE directory.collection = ?2 AND item.digests IS NOT NULL AND item.state NOT IN (?3, ?4)",
        )?;
        let known = statement.query_map(
            params![SHIFT, self.collection.0, State::Retired.number(), State::Registered.number()],
            |row| Ok(row.get::<_, i64>(0)? as u64),
        )?;
        let mut items = known.collect::<rusqlite::Result<RoaringTreemap>>()?;
        for span in self.spans(self.collection)? {
            if span.reading == ReadingKind::Replaced || but.contains(&span.stint) {
                items.remove_range(span.first.0 as u64..=span.last.0 as u64);
            }
        }
        let mut statement = self.transaction.prepare_cached(
            "SELECT item, stint FROM finding WHERE collection = ?1 AND cleared_s IS NULL AND digests IS NOT NULL",
        )?;
        let found = statement
            .query_map([self.collection.0], |row| Ok((ItemId(row.get(0)?), StintId(row.get(1)?))))?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        for (item, found_in) in found {
            if self.replaced_in(item)?.is_some_and(|replaced| replaced < found_in) {
                items.insert(item.0 as u64);
            }
        }
        self.note_replaced(&items)
    }

    /// When an item was last read good.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn last_good(&self, item: ItemId) -> Result<Option<Span>> {
        Reader::last_good(self, self.collection, item)
    }

    fn remove_span(&self, span: &Span) -> Result<()> {
        let mut statement =
            self.transaction.prepare_cached("DELETE FROM span WHERE collection = ?1 AND first = ?2")?;
        statement.execute(params![self.collection.0, span.first.0])?;
        Ok(())
    }

    fn insert_span(&self, span: &Span) -> Result<()> {
        let Span { first, last, stint, reading } = *span;
        let mut statement = self.transaction.prepare_cached(
            "INSERT INTO span (collection, first, last, stint, reading) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        statement.execute(params![self.collection.0, first.0, last.0, stint.0, reading.number()])?;
        Ok(())
    }
}
