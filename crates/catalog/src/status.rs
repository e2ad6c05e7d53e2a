//! How collections are: what is asked for again and again, and answered without a look at every file.

use std::collections::HashMap;

use rusqlite::{OptionalExtension as _, params};

use crate::collections::Collection;
use crate::error::Result;
use crate::ids::{CollectionId, ItemId, RunId, SHIFT};
use crate::items::State;
use crate::reader::Reader;
use crate::requests::is_audit;
use crate::spans::ReadingKind;

/// A run as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Run {
    /// When it was asked for, in seconds since 1970.
    pub started_s: i64,
    /// When it ended, in seconds since 1970; nothing of one that is under way, or was interrupted.
    pub ended_s: Option<i64>,
    /// Who asked for it.
    pub actor: String,
    /// How it ended, in one word.
    pub outcome: Option<String>,
}

impl Reader {
    /// When the items of a collection were read that were read longest ago, in seconds since 1970; nothing if none was.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn oldest_reading(&self, collection: CollectionId) -> Result<Option<i64>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT min(stint.started_s) FROM run JOIN stint ON stint.run = run.id WHERE run.collection = ?1
             AND EXISTS (SELECT 1 FROM span WHERE span.collection = ?1 AND span.stint = stint.id AND reading <> ?2)",
        )?;
        Ok(statement.query_row(params![collection.0, ReadingKind::Replaced.number()], |row| row.get(0))?)
    }

    /// When an item was last read good, in seconds since 1970, and where its bytes came from.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_reading(&self, collection: &Collection, item: ItemId) -> Result<Option<(i64, ReadingKind)>> {
        let Some(span) = self.last_good(collection.id, item)? else { return Ok(None) };
        let mut statement = self.connection.prepare_cached("SELECT started_s FROM stint WHERE id = ?1")?;
        Ok(Some((statement.query_row([span.stint.0], |row| row.get(0))?, span.reading)))
    }

    /// How many files were replaced and not read since: what was read of them was another file.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn replaced(&self, collection: CollectionId) -> Result<u64> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT first, last FROM span WHERE collection = ?1 AND reading = ?2")?;
        let mut rows = statement.query(params![collection.0, ReadingKind::Replaced.number()])?;
        let mut replaced = 0;
        while let Some(row) = rows.next()? {
            replaced += self.count_between(collection, row.get("first")?, row.get("last")?)?;
        }
        Ok(replaced)
    }

    /// How many files were not read good within the promised time. Those against which something stands do not count: that says more. But
    /// what a provider says (22, [`Verdict::Contradicted`](crate::Verdict::Contradicted)) changes nothing of the promise.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn late(&self, collection: &Collection, now_s: i64) -> Result<u64> {
        let Some(period_s) = collection.terms.period_s else { return Ok(0) };
        let before_s = now_s.saturating_sub(period_s);
        let mut statement = self.connection.prepare_cached(
            "SELECT first, last FROM span WHERE collection = ?1
             AND stint IN (SELECT id FROM stint WHERE started_s < ?2 OR started_s > ?3)",
        )?;
        // What was dated by a clock that was ahead was read at a time that nobody knows.
        let mut rows = statement.query(params![collection.id.0, before_s, now_s])?;
        let mut late = 0;
        while let Some(row) = rows.next()? {
            late += self.count_between(collection.id, row.get("first")?, row.get("last")?)?;
        }
        Ok(late + self.late_never(collection.id, before_s)?)
    }

    /// How many files were never read that became known before a time. What was never read counts from when it became known.
    pub(crate) fn late_never(&self, collection: CollectionId, before_s: i64) -> Result<u64> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*) FROM item JOIN run ON run.id = item.run WHERE item.state IN (1, 3, 5) AND item.state <> 3
             AND run.collection = ?1 AND run.started_s < ?2
             AND NOT EXISTS (SELECT 1 FROM finding WHERE finding.item = item.id AND finding.cleared_s IS NULL AND finding.verdict <> 22)",
        )?;
        let never: i64 = statement.query_row(params![collection.0, before_s], |row| row.get(0))?;
        Ok(never as u64)
    }

    /// How many files of a collection were never read.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn never_read(&self, collection: CollectionId) -> Result<u64> {
        let [unread, registered] =
            [State::Unread, State::Registered].map(|state| self.total(collection, state));
        Ok(unread?.files + registered?.files)
    }

    /// Whether nothing was ever read of a collection although its promise is over.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn was_never_read_in_time(&self, collection: &Collection, now_s: i64) -> Result<bool> {
        let Some(period_s) = collection.terms.period_s else { return Ok(false) };
        let is_over = collection.created_s.saturating_add(period_s) < now_s;
        Ok(is_over && collection.listed_s.is_none() && self.oldest_reading(collection.id)?.is_none())
    }

    /// Whether a file waits for its first reading, and not because it cannot be read.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn has_unread(&self, collection: CollectionId) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*) FROM finding JOIN item ON item.id = finding.item
             WHERE finding.collection = ?1 AND finding.cleared_s IS NULL AND item.state = ?2",
        )?;
        let failing: i64 =
            statement.query_row(params![collection.0, State::Unread.number()], |row| row.get(0))?;
        Ok(self.total(collection, State::Unread)?.files > failing as u64)
    }

    /// How many items of a collection have numbers from one to another, without those that are retired or have a finding.
    fn count_between(&self, collection: CollectionId, first: i64, last: i64) -> Result<u64> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*) FROM item JOIN segment ON segment.id = item.id >> ?1
             JOIN directory ON directory.id = segment.directory
             WHERE item.id BETWEEN ?2 AND ?3 AND item.state NOT IN (?4, ?6) AND directory.collection = ?5
             AND NOT EXISTS (SELECT 1 FROM finding WHERE finding.item = item.id AND finding.cleared_s IS NULL AND finding.verdict <> 22)",
        )?;
        let count: i64 = statement.query_row(
            params![SHIFT, first, last, State::Retired.number(), collection.0, State::Ignored.number()],
            |row| row.get(0),
        )?;
        Ok(count as u64)
    }

    /// How many directories could not be listed when a collection was last listed.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn unlisted(&self, collection: CollectionId) -> Result<u64> {
        let mut statement =
            self.connection.prepare_cached("SELECT count(*) FROM unlisted WHERE collection = ?1")?;
        Ok(statement.query_row([collection.0], |row| row.get::<_, i64>(0))? as u64)
    }

    /// When the last audit of a collection began, in seconds since 1970, and how it ended, in one word.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn last_outcome(&self, collection: CollectionId) -> Result<Option<(i64, String)>> {
        let mut statement = self.connection.prepare_cached(concat!(
            "SELECT started_s, coalesce(outcome, 'interrupted') FROM run WHERE collection = ?1
             AND ",
            is_audit!(),
            " ORDER BY id DESC LIMIT 1"
        ))?;
        Ok(statement.query_row([collection.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    }

    /// By how many processes a run was carried out so far: one that could not reach its collection is gone on with by the next audit.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn stints_of(&self, run: RunId) -> Result<u64> {
        let mut statement = self.connection.prepare_cached("SELECT count(*) FROM stint WHERE run = ?1")?;
        Ok(statement.query_row([run.number()], |row| row.get::<_, i64>(0))? as u64)
    }

    /// All runs of a collection.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn runs(&self, collection: CollectionId) -> Result<HashMap<RunId, Run>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, started_s, ended_s, actor, outcome FROM run WHERE collection = ?1")?;
        let rows = statement.query_map([collection.0], |row| {
            let run = Run {
                started_s: row.get("started_s")?,
                ended_s: row.get("ended_s")?,
                actor: row.get("actor")?,
                outcome: row.get("outcome")?,
            };
            Ok((RunId(row.get("id")?), run))
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
