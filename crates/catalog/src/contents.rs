//! The contents of a collection as they lie in it: what is said of them, and who has or had them. Who looks for copies of damage compares these.

use std::collections::HashMap;

use hashlane_record::Timestamp;
use rusqlite::params;

use crate::causes::Cause;
use crate::collections::Collection;
use crate::error::Result;
use crate::ids::{CollectionId, ItemId, RunId};
use crate::items::{State, time_of};
use crate::reader::Reader;
use crate::verdict::{Numbered as _, Verdict};

/// A content that was found to be damage, or to differ for no reason: that stands, or did until lately.
#[derive(Clone, Debug)]
pub struct DamagedContent {
    /// The file against which it was found.
    pub item: ItemId,
    /// Its bytes.
    pub size: Option<u64>,
    /// What was found: [`Verdict::Corrupt`] or [`Verdict::Suspect`].
    pub verdict: Verdict,
    /// And why that is so.
    pub cause: Option<Cause>,
    /// The digests, one after the other.
    pub digests: Vec<u8>,
    /// It stands.
    pub stands: bool,
    /// The run that has found it.
    pub found: RunId,
    /// The run that has recorded what is known of the file.
    pub recorded: RunId,
    /// The run since which that content is known of it.
    pub known_since: RunId,
    /// It was read before, and not only listed by somebody else.
    pub was_read: bool,
    /// When the file that is known was last written to.
    pub modified: Option<Timestamp>,
    /// When the file that was found was last written to.
    pub found_modified: Option<Timestamp>,
    /// When anything of the file that was found changed last.
    pub found_changed: Option<Timestamp>,
}

/// A content that a file has, or had.
#[derive(Clone, Copy, Debug)]
pub struct HeldContent<'a> {
    /// The file.
    pub item: ItemId,
    /// The digests, one after the other.
    pub digests: &'a [u8],
    /// The run that has recorded it.
    pub run: RunId,
    /// When the file was last written to.
    pub modified: Option<Timestamp>,
    /// Whether it has it now.
    pub held: HeldUntil,
}

/// Whether a file has a content now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldUntil {
    /// It has, and its state is this one.
    Now(State),
    /// It had it until this run.
    Run(RunId),
}

/// What is known of a run for whoever asks since when a content was there.
#[derive(Clone, Copy, Debug)]
pub struct RunBegan {
    /// When its last stint began, in seconds since 1970.
    pub began_s: i64,
    /// Somebody has said in it what files contain: that is not a copy of anything.
    pub is_decided: bool,
}

impl Reader {
    /// Shows the contents that were found to be damage, in the order of the files. Of a file that cannot be read, what was found of it before is shown,
    /// too.
    ///
    /// # Errors
    /// The catalogue cannot be read, is damaged, or `show` fails.
    pub fn each_damaged_content(
        &self,
        collection: CollectionId,
        show: &mut dyn FnMut(DamagedContent) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT finding.item AS item, coalesce(finding.size, item.size) AS size, item.mtime_ns AS mtime_ns, finding.run AS found,
             finding.ctime_ns AS found_ctime_ns, finding.mtime_ns AS found_mtime_ns, cleared_s IS NULL AS stands, verdict, cause,
             finding.digests AS digests, was, was_cause, was_digests, item.run AS recorded, item.state AS state,
             min(item.run, coalesce((SELECT min(run) FROM version WHERE version.item = item.id AND version.digests = item.digests), item.run))
                 AS known_since
             FROM finding JOIN item ON item.id = finding.item WHERE finding.collection = ?1 ORDER BY finding.item",
        )?;
        let damage = [Verdict::Corrupt, Verdict::Suspect];
        let mut rows = statement.query([collection.0])?;
        while let Some(row) = rows.next()? {
            let time = |column| row.get::<_, Option<i64>>(column).map(|time| time.map(time_of));
            for [verdict, cause, digests] in
                [["verdict", "cause", "digests"], ["was", "was_cause", "was_digests"]]
            {
                let number: Option<i64> = row.get(verdict)?;
                let verdict = damage.into_iter().find(|verdict| Some(verdict.number()) == number);
                let Some(verdict) = verdict else { continue };
                let Some(digests) = row.get(digests)? else { continue };
                show(DamagedContent {
                    item: ItemId(row.get("item")?),
                    size: row.get::<_, Option<i64>>("size")?.map(i64::unsigned_abs),
                    verdict,
                    cause: row.get::<_, Option<i64>>(cause)?.map(Cause::of_number).transpose()?,
                    digests,
                    stands: row.get("stands")?,
                    found: RunId(row.get("found")?),
                    recorded: RunId(row.get("recorded")?),
                    known_since: RunId(row.get("known_since")?),
                    was_read: row.get::<_, i64>("state")? != State::Registered.number(),
                    modified: time("mtime_ns")?,
                    found_modified: time("found_mtime_ns")?,
                    found_changed: time("found_ctime_ns")?,
                })?;
            }
        }
        Ok(())
    }

    /// Shows all contents that files of a collection have, and had before, a segment at a time.
    ///
    /// # Errors
    /// The catalogue cannot be read, is damaged, or `show` fails.
    pub fn each_held_content(
        &self,
        collection: CollectionId,
        show: &mut dyn FnMut(HeldContent<'_>) -> Result<()>,
    ) -> Result<()> {
        // There are millions of rows: their columns go by their places.
        let mut statement = self.connection.prepare_cached(
            "SELECT id, digests, run, mtime_ns, state, NULL FROM item WHERE id BETWEEN ?1 AND ?2 AND digests IS NOT NULL
             UNION ALL SELECT item, digests, run, mtime_ns, NULL, until_run FROM version WHERE item BETWEEN ?1 AND ?2 AND digests IS NOT NULL",
        )?;
        for segment in self.segment_numbers(collection)? {
            let mut rows = statement.query([segment.first(), segment.last()])?;
            while let Some(row) = rows.next()? {
                show(HeldContent {
                    item: ItemId(row.get(0)?),
                    digests: row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?,
                    run: RunId(row.get(2)?),
                    modified: row.get::<_, Option<i64>>(3)?.map(time_of),
                    held: match row.get::<_, Option<i64>>(4)? {
                        Some(state) => HeldUntil::Now(State::of_number(state)?),
                        None => HeldUntil::Run(RunId(row.get(5)?)),
                    },
                })?;
            }
        }
        Ok(())
    }

    /// Whether something happened to a file in a run, by what its history says of it.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn has_happened(&self, item: ItemId, run: RunId, what: &str, detail: &str) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "SELECT 1 FROM event WHERE item = ?1 AND run = ?2 AND what = ?3 AND detail = ?4",
        )?;
        Ok(statement.exists(params![item.0, run.0, what, detail])?)
    }

    /// When the last stints of the runs of a collection began, and what these runs were.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn runs_began(&self, collection: CollectionId) -> Result<HashMap<RunId, RunBegan>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, coalesce((SELECT max(started_s) FROM stint WHERE stint.run = run.id), started_s) AS began_s,
             request IN ('accept', 'import') AS is_decided FROM run WHERE collection = ?1",
        )?;
        let runs = statement.query_map([collection.0], |row| {
            let began = RunBegan { began_s: row.get("began_s")?, is_decided: row.get("is_decided")? };
            Ok((RunId(row.get("id")?), began))
        })?;
        Ok(runs.collect::<rusqlite::Result<_>>()?)
    }

    /// The last run whose readings were all there when an item was last read good, if it was. A run that has gone on since then may have
    /// read what came later.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn last_run_before_good(&self, collection: &Collection, item: ItemId) -> Result<Option<RunId>> {
        let Some(span) = self.last_good(collection.id, item)? else { return Ok(None) };
        let mut statement = self.connection.prepare_cached(
            "SELECT run - EXISTS (SELECT 1 FROM stint AS later WHERE later.run = stint.run AND later.id > stint.id) FROM stint WHERE id = ?1",
        )?;
        Ok(Some(RunId(statement.query_row([span.stint.0], |row| row.get(0))?)))
    }
}
