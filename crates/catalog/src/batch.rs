//! Changes that are recorded together: all of them or none.

use std::collections::BTreeMap;
use std::ops::Deref;

use hashlane_digest::Digest;
use roaring::RoaringTreemap;
use rusqlite::{Transaction, TransactionBehavior, params};

use crate::checksums::ItemRow;
use crate::clock::Clock;
use crate::collections::Collection;
use crate::damage::CataloguePart;
use crate::edits;
use crate::error::{Error, Result};
use crate::ids::{CollectionId, DirectoryId, ItemId, RunId, SHIFT, StintId};
use crate::items::{Content, Item, State, blob_of};
use crate::placing::Placing;
use crate::reader::Reader;
use crate::recorded::Recorded;
use crate::row::Row;
use crate::runs::Stint;
use crate::totals::Totals;
use crate::verdict::{Numbered as _, Verdict};
use crate::writer::Writer;

impl Writer {
    /// Begins a batch of findings of a stint: all are recorded, or none.
    ///
    /// # Errors
    /// The catalogue cannot be written to.
    pub fn batch(&mut self, collection: CollectionId, stint: Stint) -> Result<Batch<'_>> {
        let Self { reader, recorded, clock, .. } = self;
        Ok(Batch {
            transaction: Transaction::new_unchecked(&reader.connection, TransactionBehavior::Immediate)?,
            reader,
            recorded,
            collection,
            stint,
            placing: Placing::default(),
            totals: Totals::default(),
            sums: Sums::default(),
            edits: Vec::new(),
            clock: clock.clone(),
        })
    }
}

/// Findings that are recorded together.
///
/// It is a [`Reader`], too, and sees what it has recorded.
#[derive(Debug)]
pub struct Batch<'c> {
    reader: &'c Reader,
    pub(crate) transaction: Transaction<'c>,
    /// Which items have got a version.
    recorded: &'c mut Recorded,
    pub(crate) collection: CollectionId,
    pub(crate) stint: Stint,
    placing: Placing,
    /// By how much they change.
    totals: Totals,
    /// The same of the sums of the checksums of items, by their segments.
    sums: Sums,
    /// Files that are new or edited, and welcome: items and verdicts, by their numbers, and when that was.
    edits: Vec<(i64, i64, i64)>,
    /// Says when events happen, during an audit.
    pub(crate) clock: Option<Clock>,
}

impl Deref for Batch<'_> {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        self.reader
    }
}

/// By how much the sums of the checksums of items change, by their segments.
#[derive(Debug, Default)]
struct Sums(BTreeMap<i64, i64>);

impl Sums {
    fn add(&mut self, item: ItemId, change: i64) {
        let sum = self.0.entry(item.0 >> SHIFT).or_default();
        *sum = sum.wrapping_add(change);
    }
}

impl Batch<'_> {
    /// The number of a directory, which is made if it is new.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn directory(&self, path: &[u8]) -> Result<DirectoryId> {
        if let Some(known) = self.reader.directory(self.collection, path)? {
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
        let (segment, ordinal) = self.placing.place(&self.transaction, directory, name)?;
        let id = ItemId((segment << SHIFT) + ordinal);
        let mut statement = self.transaction.prepare_cached(
            "INSERT INTO item (id, name, size, mtime_ns, ctime_ns, inode, digests, run, state)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?;
        let row = Row::of(content);
        statement.execute(params![
            id.0,
            name,
            row.size,
            row.mtime_ns,
            row.ctime_ns,
            row.inode,
            row.digests,
            self.stint.run.0,
            state.number()
        ])?;
        self.totals.add(id.0, name, state, &row);
        self.sums.add(id, checksum((id, name), &row, (self.stint.run, state)));
        self.recorded.add(self.stint.run.0, id.0);
        // Where others were read good that stand around it, it was not.
        if self.placing.was_there(segment) {
            self.forget_good(id, id)?;
        }
        Ok(id)
    }

    /// Records what a known file has become. What it was stays, as an earlier version, if it was read then and differs.
    ///
    /// # Errors
    /// The catalogue does not take it, or does not have the file.
    pub fn replace(&mut self, item: ItemId, content: &Content, state: State) -> Result<()> {
        let row = Row::of(content);
        let Known { name, state: was, row: before, run: run_before } = self.present(item)?;
        let mut statement = self.transaction.prepare_cached(
            "INSERT INTO version (item, nth, run, size, mtime_ns, digests, until_run)
             SELECT id, (SELECT coalesce(max(nth) + 1, 0) FROM version WHERE version.item = item.id), run, size, mtime_ns, digests, ?2
             FROM item WHERE id = ?1 AND digests IS NOT NULL
             AND (size IS NOT ?3 OR mtime_ns IS NOT ?4 OR digests IS NOT ?5)",
        )?;
        let is_version =
            statement.execute(params![item.0, self.stint.run.0, row.size, row.mtime_ns, row.digests])? > 0;
        let mut statement = self.transaction.prepare_cached(
            "UPDATE item SET size = ?2, mtime_ns = ?3, ctime_ns = ?4, inode = ?5, digests = ?6, state = ?7,
             run = CASE WHEN ?8 OR digests IS NULL THEN ?9 ELSE run END WHERE id = ?1",
        )?;
        statement.execute(params![
            item.0,
            row.size,
            row.mtime_ns,
            row.ctime_ns,
            row.inode,
            row.digests,
            state.number(),
            is_version,
            self.stint.run.0,
        ])?;
        self.totals.remove(item.0, &name, was, &before);
        self.totals.add(item.0, &name, state, &row);
        let run = if is_version || before.digests.is_none() { self.stint.run } else { run_before };
        let sum_before = checksum((item, &name), &before, (run_before, was));
        let sum = checksum((item, &name), &row, (run, state));
        self.sums.add(item, sum.wrapping_sub(sum_before));
        // The same content at another time is what was said of it.
        if is_version && row.digests != before.digests {
            self.outdate(item)?;
        }
        if is_version || before.digests.is_none() {
            self.recorded.add(self.stint.run.0, item.0);
        }
        Ok(())
    }

    /// Records that a known file is something else now, though what is known of its content stays.
    ///
    /// # Errors
    /// The catalogue does not take it, or does not have the file.
    pub fn set_state(&mut self, item: ItemId, state: State) -> Result<()> {
        let Known { name, state: was, row, run } = self.present(item)?;
        if matches!(state, State::Retired | State::Ignored) && was != state {
            self.outdate(item)?;
        }
        let mut statement = self.transaction.prepare_cached("UPDATE item SET state = ?2 WHERE id = ?1")?;
        statement.execute(params![item.0, state.number()])?;
        self.totals.remove(item.0, &name, was, &row);
        self.totals.add(item.0, &name, state, &row);
        let [before, sum] = [was, state].map(|state| checksum((item, &name), &row, (run, state)));
        self.sums.add(item, sum.wrapping_sub(before));
        Ok(())
    }

    /// Records that a filter leaves a file out: what it was is known when it is in again.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn leave_out(&mut self, item: ItemId) -> Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO ignored (item, state) SELECT id, state FROM item WHERE id = ?1 AND state <> ?2",
        )?;
        statement.execute(params![item.0, State::Ignored.number()])?;
        drop(statement);
        self.set_state(item, State::Ignored)
    }

    /// Records that files which a filter left out belong to the collection again, by their numbers: they are what they were.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn take_again(&mut self, items: &RoaringTreemap) -> Result<()> {
        for item in items.iter().map(|item| ItemId(item as i64)) {
            let state = self.state_before(item)?;
            self.set_state(item, state)?;
            self.transaction.prepare_cached("DELETE FROM ignored WHERE item = ?1")?.execute([item.0])?;
        }
        Ok(())
    }

    /// Whether a content that may be damage of an item is one of its own: a file has had it since before that item was last read good, or
    /// somebody has said so. Whatever became known later may be a copy of the damage. That takes a look at all files of the collection.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn is_content_of_its_own(
        &self,
        collection: &Collection,
        content: &Content,
        damaged: &Item,
    ) -> Result<bool> {
        let row = Row::of(content);
        let since = self.last_run_before_good(collection, damaged.id)?.unwrap_or(damaged.run);
        let mut statement = self.transaction.prepare_cached(
            "SELECT 1 FROM item JOIN segment ON segment.id = item.id >> ?1 JOIN directory ON directory.id = segment.directory
             LEFT JOIN run ON run.id = item.run
             WHERE item.size = ?2 AND item.digests = ?3 AND item.state <> ?4 AND directory.collection = ?5
             AND (item.run <= ?6 OR run.request IN ('accept', 'import'))",
        )?;
        let retired = State::Retired.number();
        Ok(statement.exists(params![SHIFT, row.size, row.digests, retired, collection.id.0, since.0])?)
    }

    /// Whether a content is known of a file of the collection since before this run, or was until a stint or later; none: at any time. That takes a
    /// look at all of them.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn was_known_until(
        &self,
        collection: &Collection,
        content: &Content,
        until: Option<StintId>,
    ) -> Result<bool> {
        let row = Row::of(content);
        let mut statement = self.transaction.prepare_cached(
            "SELECT 1 FROM (SELECT id, size, digests, run, ?4 AS until_run FROM item UNION ALL SELECT item, size, digests, run, until_run FROM version) AS known
             JOIN segment ON segment.id = known.id >> ?1 JOIN directory ON directory.id = segment.directory
             WHERE known.size = ?2 AND known.digests = ?3 AND known.run < ?4 AND directory.collection = ?5
             AND (?6 IS NULL OR known.until_run >= (SELECT run FROM stint WHERE id = ?6))",
        )?;
        let run = self.stint.run.0;
        Ok(statement.exists(params![
            SHIFT,
            row.size,
            row.digests,
            run,
            collection.id.0,
            until.map(|until| until.0)
        ])?)
    }

    /// Whether an item had a content until a run, as far as that is known: what came in its place then is none of it.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn had_content(&self, item: ItemId, content: &Content, run: RunId) -> Result<bool> {
        let row = Row::of(content);
        let mut statement = self.transaction.prepare_cached(
            "SELECT 1 FROM item WHERE id = ?1 AND size = ?2 AND digests = ?3 AND run < ?4
             UNION ALL SELECT 1 FROM version WHERE item = ?1 AND size = ?2 AND digests = ?3 AND run < ?4 AND until_run >= ?4",
        )?;
        Ok(statement.exists(params![item.0, row.size, row.digests, run.0])?)
    }

    /// Whether an item had a content right before it had another one, which was taken for an edit.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn had_before(&self, item: ItemId, content: &Content, then: &[Digest]) -> Result<bool> {
        let row = Row::of(content);
        let mut statement = self.transaction.prepare_cached(
            "SELECT 1 FROM version JOIN version AS next ON next.item = version.item AND next.nth = version.nth + 1
             WHERE version.item = ?1 AND version.size = ?2 AND version.digests = ?3 AND next.digests = ?4",
        )?;
        Ok(statement.exists(params![item.0, row.size, row.digests, blob_of(then)])?)
    }

    /// The stint that began the run in which the content of an item became known.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn recorded_in(&self, item: ItemId) -> Result<Option<StintId>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT min(stint.id) FROM item JOIN stint ON stint.run = item.run WHERE item.id = ?1",
        )?;
        Ok(statement.query_row([item.0], |row| Ok(row.get::<_, Option<i64>>(0)?.map(StintId)))?)
    }

    /// When an event happens that an audit records which began at this time: both in seconds since 1970.
    pub(crate) fn happens_at(&self, began_s: i64) -> i64 {
        self.clock.as_ref().map_or(began_s, Clock::now_s)
    }

    /// Takes note of a file that is new or edited, where that is welcome: it is listed for a while.
    pub fn edited(&mut self, item: ItemId, verdict: Verdict, now_s: i64) {
        self.edits.push((item.0, verdict.number(), self.happens_at(now_s)));
    }

    /// Forgets those of the collection that are old, or too many.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn forget_edits(&self) -> Result<()> {
        edits::forget(&self.transaction, (self.collection.0, self.stint.run.0))
    }

    /// Makes all of it.
    ///
    /// # Errors
    /// It could not be written. Then nothing of it is.
    pub fn commit(self) -> Result<()> {
        edits::record(&self.transaction, (self.collection.0, self.stint.run.0), &self.edits)?;
        self.totals.write(&self.transaction, self.collection)?;
        let mut sum_up = self.transaction.prepare_cached(
            "UPDATE segment SET items = coalesce(?2, items), items_sum = sum_added(items_sum, ?3) WHERE id = ?1",
        )?;
        for (segment, change) in &self.sums.0 {
            sum_up.execute(params![segment, self.placing.items(*segment), change])?;
        }
        drop(sum_up);
        Ok(self.transaction.commit()?)
    }

    /// An item as it is now.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn item(&self, collection: &Collection, item: ItemId) -> Result<Item> {
        self.reader
            .item(collection, item)?
            .ok_or_else(|| Error::damaged(CataloguePart::Files, format!("there is no file {}", item.0)))
    }

    /// An item as it is now.
    fn present(&self, item: ItemId) -> Result<Known> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT name, state, run, size, mtime_ns, ctime_ns, inode, digests FROM item WHERE id = ?1",
        )?;
        let mut rows = statement.query([item.0])?;
        let Some(row) = rows.next()? else {
            return Err(Error::damaged(CataloguePart::Files, format!("there is no file {}", item.0)));
        };
        Ok(Known {
            name: row.get(0)?,
            state: State::of_number(row.get(1)?)?,
            run: RunId(row.get(2)?),
            row: Row::read(row, 3)?,
        })
    }
}

/// The checksum of an item that a run has recorded, in a state.
fn checksum((id, name): (ItemId, &[u8]), row: &Row, (run, state): (RunId, State)) -> i64 {
    let Row { size, mtime_ns, ctime_ns, inode, digests } = row;
    let facts = [*size, *mtime_ns, *ctime_ns, *inode];
    let digests = digests.as_deref();
    ItemRow { id: id.0, name, facts, digests, run: run.0, state: state.number() }.sum()
}

/// What is known of an item.
struct Known {
    name: Vec<u8>,
    state: State,
    /// The run that recorded that.
    run: RunId,
    row: Row,
}
