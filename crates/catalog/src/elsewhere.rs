//! What others have read of a tree, as it is handed over to an audit.
//!
//! A reading counts for the file that was read, if it is still as it was then and nobody has touched it since the run began.

use std::path::Path;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Outcome, Timestamp};
use roaring::RoaringTreemap;
use rusqlite::{ErrorCode, OptionalExtension as _, params};
use serde::{Deserialize, Serialize};

use crate::collections::Collection;
use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::ids::ItemId;
use crate::items::{Content, blob_of, digests_of, nanos_of, time_of};
use crate::paths::{joined, split};
use crate::reader::Reader;
use crate::row::Row;
use crate::scratch::Scratch;
use crate::verdict::{Numbered as _, Verdict};

/// Names of a run that are looked for in a tree at most, before it is said to be of another one.
const MOST_SOUGHT: u64 = 1000;

/// A run of another program that has read files of a collection: enough to find its tables again, and to know that they are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadBy {
    /// The program, with its version: `Spark 4.1.4`.
    pub program: String,
    /// The version of hashlane by which its machines read.
    pub hashlane: String,
    /// The name of the run, which no other one has.
    pub id: String,
    /// What was read, as its machines saw it: a directory or a prefix of objects.
    pub source: String,
    /// Where its tables were when they were taken.
    pub place: String,
    /// How many tables of readings there are.
    pub tables: u64,
    /// How many rows they have.
    pub rows: u64,
    /// The BLAKE3 digest of the list of its tables, which has the digest of each.
    pub blake3: String,
    /// When it began, in seconds since 1970: nothing was read before.
    pub started_s: i64,
    /// When it ended, in seconds since 1970.
    pub ended_s: i64,
}

impl ReadBy {
    /// What the request of a run begins with whose readings come from elsewhere.
    pub const REQUEST: &str = "by ";

    /// What a run is asked for that takes these readings.
    pub fn request(&self) -> String {
        format!("{}{}", Self::REQUEST, self.id)
    }
}

/// What a row says of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadElsewhere {
    /// How the reading ended.
    pub outcome: Outcome,
    /// Bytes.
    pub size: Option<u64>,
    /// When the file was last written to.
    pub modified: Option<Timestamp>,
    /// When anything of it changed last. Objects have no such time.
    pub changed: Option<Timestamp>,
    /// The number of its inode. Objects have none.
    pub inode: Option<u64>,
    /// The digests, one for each algorithm of the collection in that order; none of a file that could not be read.
    pub digests: Vec<Digest>,
}

/// The readings of a run, by name. They lie in a file, whatever their number.
#[derive(Debug)]
pub struct Elsewhere {
    by: ReadBy,
    readings: Scratch,
    /// Other ends than a good one. There are few, and most are alike.
    outcomes: Vec<Outcome>,
    rows: i64,
}

impl Elsewhere {
    /// None yet. `scratch`: where large temporary files may lie.
    ///
    /// # Errors
    /// No temporary file can be made there.
    pub fn new(by: ReadBy, scratch: &Path) -> Result<Self> {
        // `outcome`: 0 is a good one. `is_there`: a file of the tree is as this row says.
        let readings = Scratch::new(
            scratch,
            "CREATE TABLE reading (directory BLOB NOT NULL, name BLOB NOT NULL, nth INTEGER NOT NULL, size INTEGER, mtime_ns INTEGER,
                 outcome INTEGER NOT NULL, digests BLOB, ctime_ns INTEGER, inode INTEGER, is_there INTEGER NOT NULL DEFAULT 0,
                 PRIMARY KEY (directory, name)) WITHOUT ROWID;
             BEGIN",
        )?;
        Ok(Self { by, readings, outcomes: Vec::new(), rows: 0 })
    }

    /// The run that has made them.
    pub fn by(&self) -> &ReadBy {
        &self.by
    }

    /// Takes a row: a path below the root, and what was read there. `false`: the path came before.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn add(&mut self, path: &[u8], read: &ReadElsewhere) -> Result<bool> {
        let outcome = match read.outcome {
            Outcome::Read => 0,
            other => self.number(other),
        };
        self.rows += 1;
        let (directory, name) = split(path);
        let (size, mtime_ns) = (read.size.map(|size| size as i64), read.modified.map(nanos_of));
        let (ctime_ns, inode) = (read.changed.map(nanos_of), read.inode.map(|inode| inode as i64));
        let (nth, digests) = (self.rows, blob_of(&read.digests));
        self.readings.run(|readings| {
            let mut statement = readings.prepare_cached(
                "INSERT INTO reading (directory, name, nth, size, mtime_ns, outcome, digests, ctime_ns, inode)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?;
            let row = params![directory, name, nth, size, mtime_ns, outcome, digests, ctime_ns, inode];
            match statement.execute(row) {
                Ok(_) => Ok(true),
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => Ok(false),
                Err(error) => Err(error),
            }
        })
    }

    /// The number of an outcome, from 1.
    fn number(&mut self, outcome: Outcome) -> i64 {
        /// Those that are alike come one after the other.
        const BACK: usize = 32;

        let first = self.outcomes.len().saturating_sub(BACK);
        let known = self.outcomes[first..].iter().position(|known| *known == outcome);
        let at = known.map_or(self.outcomes.len(), |at| first + at);
        if at == self.outcomes.len() {
            self.outcomes.push(outcome);
        }
        at as i64 + 1
    }

    /// Some of the names, from the first one to the last: paths below the root.
    ///
    /// # Errors
    /// The temporary file cannot be read, or `visit` fails. `false` ends it.
    pub fn each_sample(&self, visit: &mut dyn FnMut(&[u8]) -> Result<bool>) -> Result<()> {
        let step = step(self.rows.unsigned_abs());
        let failed = |error| self.readings.failed(error);
        let mut statement = self
            .readings
            .connection()
            .prepare("SELECT directory, name FROM reading WHERE nth % ?1 = 0")
            .map_err(failed)?;
        let mut rows = statement.query([step]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let (directory, name): (Vec<u8>, Vec<u8>) = (row.get("directory")?, row.get("name")?);
            if !visit(&joined(&directory, &name))? {
                break;
            }
        }
        Ok(())
    }

    /// Takes note of a file that is there. Its reading counts if it is the file that was read, and nobody has touched it since the run began:
    /// who sets a time back moves the change time. Size and time alone would be those of another file as well, if directories that are
    /// copies of each other were exchanged. Where files keep no numbers, more is not known.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn listed(&self, directory: &[u8], name: &[u8], content: Option<&Content>) -> Result<()> {
        let Some(content) = content else { return Ok(()) };
        if content.changed.is_some_and(|changed| changed.seconds > self.by.started_s) {
            return Ok(());
        }
        let Row { size, mtime_ns, ctime_ns, inode, .. } = Row::of(content);
        self.readings.run(|readings| {
            // What could not be opened has no size there.
            let mut statement = readings.prepare_cached(
                "UPDATE reading SET is_there = 1, size = ?3, mtime_ns = ?4, ctime_ns = ?5, inode = ?6
                 WHERE directory = ?1 AND name = ?2
                 AND (size IS ?3 AND mtime_ns IS ?4 AND (?5 IS NULL OR ctime_ns IS ?5) AND (?6 IS NULL OR inode IS ?6)
                      OR outcome > 0 AND size IS NULL AND mtime_ns IS NULL)",
            )?;
            statement.execute(params![directory, name, size, mtime_ns, ctime_ns, inode]).map(drop)
        })
    }

    /// What was read at a path below the root, if the file that is listed there is the one that was read.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn reading(&self, path: &[u8], algorithms: &[Algorithm]) -> Result<Option<ReadElsewhere>> {
        let (directory, name) = split(path);
        let found = self.readings.run(|readings| {
            let mut statement = readings.prepare_cached(
                "SELECT size, mtime_ns, ctime_ns, inode, outcome, digests FROM reading
                 WHERE directory = ?1 AND name = ?2 AND is_there",
            )?;
            let found = statement.query_row(params![directory, name], |row| {
                let time = |column| row.get::<_, Option<i64>>(column).map(|time| time.map(time_of));
                let read = ReadElsewhere {
                    outcome: Outcome::Read,
                    size: row.get::<_, Option<i64>>("size")?.map(|size| size as u64),
                    modified: time("mtime_ns")?,
                    changed: time("ctime_ns")?,
                    inode: row.get::<_, Option<i64>>("inode")?.map(|inode| inode as u64),
                    digests: Vec::new(),
                };
                Ok((read, row.get::<_, i64>("outcome")?, row.get::<_, Option<Vec<u8>>>("digests")?))
            });
            found.optional()
        })?;
        let Some((read, outcome, digests)) = found else { return Ok(None) };
        let outcome = match usize::try_from(outcome - 1) {
            Err(_) => Outcome::Read,
            Ok(at) => *self
                .outcomes
                .get(at)
                .ok_or_else(|| Error::damaged(CataloguePart::Note, "an outcome is not there"))?,
        };
        let digests = digests.map(|digests| digests_of(algorithms, &digests)).transpose()?;
        Ok(Some(ReadElsewhere { outcome, digests: digests.unwrap_or_default(), ..read }))
    }
}

/// Which rows are looked for: one in this many.
fn step(rows: u64) -> i64 {
    rows.div_ceil(MOST_SOUGHT).max(1) as i64
}

impl Reader {
    /// Who has read an item good the last time, if that was not here.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_read_by(&self, collection: &Collection, item: ItemId) -> Result<Option<ReadBy>> {
        let Some(span) = self.last_good(collection.id, item)? else { return Ok(None) };
        let mut statement = self.connection.prepare_cached(
            "SELECT counts ->> '$.by' FROM run WHERE id = (SELECT run FROM stint WHERE id = ?1)",
        )?;
        let by: Option<String> = statement.query_row([span.stint.0], |row| row.get(0))?;
        by.map(|by| serde_json::from_str(&by).map_err(Error::json)).transpose()
    }

    /// Items about which something is known that is later than a time, in seconds since 1970: a reading, or a finding. An older reading says
    /// nothing of them. In a store, what a provider contradicts takes a reading here.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn known_since(&self, collection: &Collection, time_s: i64) -> Result<RoaringTreemap> {
        let id = collection.id;
        let mut items = RoaringTreemap::new();
        let stints = self.stint_times(id)?;
        for span in self.good_spans(id)? {
            if stints.get(&span.stint).is_some_and(|(_, started_s)| *started_s > time_s) {
                items.insert_range(span.first.0 as u64..=span.last.0 as u64);
            }
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT item FROM finding WHERE collection = ?1 AND cleared_s IS NULL AND seen_s > ?2 AND verdict <> ?3",
        )?;
        let mut rows = statement.query(params![id.0, time_s, Verdict::Contradicted.number()])?;
        while let Some(row) = rows.next()? {
            items.insert(row.get::<_, i64>(0)? as u64);
        }
        if collection.terms.is_in_store() {
            items.extend(self.contradicted_items(id)?.into_iter().map(|item| item.0 as u64));
        }
        Ok(items)
    }

    /// The run that has taken the readings of another one to its end, and when that was asked for, in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn taken(&self, collection: &Collection, by: &ReadBy) -> Result<Option<(i64, i64)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, started_s FROM run WHERE collection = ?1 AND request = ?2 AND ended_s IS NOT NULL
             AND outcome IN ('complete', 'budget') ORDER BY id DESC LIMIT 1",
        )?;
        let found = statement.query_row(params![collection.id.0, by.request()], |row| {
            Ok((row.get("id")?, row.get("started_s")?))
        });
        Ok(found.optional()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_names_no_more_than_a_thousand_are_looked_for_and_no_fewer_than_half_of_that() {
        for rows in [1, 999, 1000, 1001, 1999, 2000, 2001, 5_000_000_001] {
            let sought = rows / step(rows) as u64;
            assert!(sought <= MOST_SOUGHT && sought >= rows.min(MOST_SOUGHT / 2), "{rows}: {sought}");
        }
    }
}
