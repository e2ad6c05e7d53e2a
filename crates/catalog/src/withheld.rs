//! What was found of files and is withheld, until it is known whether the run is held.

use hashlane_record::Timestamp;
use rusqlite::params;

use crate::batch::Batch;
use crate::collections::Collection;
use crate::error::Result;
use crate::findings::{Seen, content_of};
use crate::ids::{ItemId, RunId, SHIFT, StintId};
use crate::items::time_of;
use crate::reader::Reader;
use crate::row::Row;
use crate::spans::ReadingKind;
use crate::verdict::{Numbered as _, Verdict};

/// What was found of a file and withheld, until it was known whether the run is held.
#[derive(Clone, Debug)]
pub struct Withheld {
    /// The file.
    pub item: ItemId,
    /// What it is found to be.
    pub verdict: Verdict,
    /// What is there.
    pub seen: Seen,
    /// The stint that has read it.
    pub stint: StintId,
}

/// The same as whoever looks at a run that is held is shown it.
#[derive(Clone, Debug)]
pub struct HeldFile {
    /// The directory of the file: a path below the root.
    pub directory: Vec<u8>,
    /// What it is found to be.
    pub verdict: Verdict,
    /// It had bytes, and has none.
    pub is_emptied: bool,
    /// When it was last written to, as it is known.
    pub known_modified: Option<Timestamp>,
    /// When it was last written to, as it was found.
    pub modified: Option<Timestamp>,
}

impl Reader {
    /// Shows what a run withholds, but for what was said before and stands.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn each_withheld(&self, run: RunId, show: &mut dyn FnMut(HeldFile)) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT directory.path AS path, withheld.verdict AS verdict, withheld.size = 0 AND item.size > 0 AS is_emptied,
             item.mtime_ns AS known_mtime_ns, withheld.mtime_ns AS mtime_ns FROM withheld
             JOIN item ON item.id = withheld.item JOIN segment ON segment.id = withheld.item >> ?2
             JOIN directory ON directory.id = segment.directory WHERE withheld.run = ?1
             AND NOT EXISTS (SELECT 1 FROM finding WHERE finding.item = withheld.item AND cleared_s IS NULL
                 AND finding.verdict = withheld.verdict)",
        )?;
        let mut rows = statement.query(params![run.0, SHIFT])?;
        while let Some(row) = rows.next()? {
            let time = |column| row.get::<_, Option<i64>>(column).map(|time| time.map(time_of));
            show(HeldFile {
                directory: row.get("path")?,
                verdict: Verdict::of_number(row.get("verdict")?)?,
                is_emptied: row.get::<_, Option<bool>>("is_emptied")? == Some(true),
                known_modified: time("known_mtime_ns")?,
                modified: time("mtime_ns")?,
            });
        }
        Ok(())
    }
}

impl Batch<'_> {
    /// Keeps what was found of a file until it is known whether the run is held.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn withhold(&mut self, item: ItemId, verdict: Verdict, seen: &Seen, stint: StintId) -> Result<()> {
        let row = Row::of(&seen.content);
        let mut statement = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO withheld (item, run, verdict, size, mtime_ns, ctime_ns, inode, digests, reading, detail, stint, version)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?;
        statement.execute(params![
            item.0,
            self.stint.run.0,
            verdict.number(),
            row.size,
            row.mtime_ns,
            row.ctime_ns,
            row.inode,
            row.digests,
            seen.reading.map(ReadingKind::number),
            seen.detail,
            stint.0,
            seen.version
        ])?;
        Ok(())
    }

    /// Whether something that was read of a file is withheld.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn is_withheld(&self, item: ItemId) -> Result<bool> {
        Ok(self.transaction.prepare_cached("SELECT 1 FROM withheld WHERE item = ?1")?.exists([item.0])?)
    }

    /// Takes a number of files out that were withheld in the run.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn take_withheld(&mut self, collection: &Collection, most: usize) -> Result<Vec<Withheld>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT item, verdict, size, mtime_ns, ctime_ns, inode, digests, reading, detail, stint, version FROM withheld
             WHERE run = ?1 ORDER BY item LIMIT ?2",
        )?;
        let mut rows = statement.query(params![self.stint.run.0, most as i64])?;
        let mut withheld = Vec::new();
        while let Some(row) = rows.next()? {
            let seen = Seen {
                content: content_of(row, 2, collection)?,
                again: Vec::new(),
                reading: row.get::<_, Option<i64>>(7)?.map(ReadingKind::of_number).transpose()?,
                detail: row.get(8)?,
                version: row.get(10)?,
                cause: None,
            };
            let (item, verdict) = (ItemId(row.get(0)?), Verdict::of_number(row.get(1)?)?);
            withheld.push(Withheld { item, verdict, seen, stint: StintId(row.get(9)?) });
        }
        let mut delete = self.transaction.prepare_cached("DELETE FROM withheld WHERE item = ?1")?;
        for Withheld { item, .. } in &withheld {
            delete.execute([item.0])?;
        }
        Ok(withheld)
    }
}
