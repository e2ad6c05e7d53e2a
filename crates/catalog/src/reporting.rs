//! What a report of a collection shows: its last runs with their figures, findings with what is known of their files, what was read
//! longest ago, and where an intact copy is known.
//!
//! Each question goes by an index and has a limit or a sink, so that a report of ten million files costs what it shows. No question looks
//! at all items: items of spans are counted by their segments.

mod copies;
mod oldest;
mod readings;
mod sealed;

use std::collections::BTreeMap;

use rusqlite::{Row as SqlRow, Transaction, params};
use serde::Deserialize;

pub use copies::IntactCopy;
pub use oldest::{Late, OldPlace, OldReading};
pub use readings::Readings;
pub use sealed::SealedRun;

use crate::collections::Collection;
use crate::elsewhere::ReadBy;
use crate::error::{Error, Result};
use crate::evidence::Said;
use crate::findings::{Acknowledgement, Finding, content_of, finding_of};
use crate::ids::{CollectionId, ItemId, RunId, SHIFT};
use crate::items::Content;
use crate::migrations::check_version;
use crate::reader::Reader;
use crate::requests::is_audit;
use crate::spans::ReadingKind;
use crate::stood::Stood;
use crate::verdict::{Numbered as _, Verdict};

/// Runs among which the fastest one is sought.
const MOST_RUNS: usize = 10_000;

/// The shortest reading whose rate is compared with others, in milliseconds: below it beginning and ending weigh more.
const LEAST_READING_MS: u64 = 1_000;

/// The share of bytes that have to be from one place for a run to be one of that place.
const MOSTLY: f64 = 0.95;

/// A run, with what was counted in it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunFigures {
    /// The run.
    pub run: RunId,
    /// When it was asked for, in seconds since 1970.
    pub started_s: i64,
    /// When it ended, in seconds since 1970; nothing of one that is under way, was interrupted, or can be gone on with.
    pub ended_s: Option<i64>,
    /// What was asked for: `due`, `all`, and what narrows it.
    pub request: String,
    /// Who asked for it.
    pub actor: String,
    /// How it ended, in one word; nothing of one that is under way or was interrupted.
    pub outcome: Option<String>,
    /// What was counted.
    pub counted: Counted,
    /// What stood when it ended; nothing of one that has not ended, or that an earlier program has carried out.
    pub standing: Option<Stood>,
}

/// What was counted in a run. Zero where nothing was kept.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Counted {
    /// Files that were listed.
    pub listed_files: u64,
    /// Their bytes.
    pub listed_bytes: u64,
    /// Files that were read.
    pub read_files: u64,
    /// Bytes that were read.
    pub read_bytes: u64,
    /// Those of them that came from the device.
    pub device_bytes: u64,
    /// Those of them that came from the page cache.
    pub cache_bytes: u64,
    /// Files where something else than the content has changed since they were read, and that it has not read.
    pub changed_metadata: u64,
    /// How long the listing took, in milliseconds.
    pub listing_ms: u64,
    /// How long the reading took, in milliseconds.
    pub reading_ms: u64,
    /// How many files got which verdict, by its name.
    pub verdicts: BTreeMap<String, u64>,
    /// Why the run was held.
    pub held: Option<String>,
    /// Who has read, if that was not here.
    pub by: Option<ReadBy>,
}

/// Where the bytes of a run came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFrom {
    /// At least 95 of 100 from the device.
    Device,
    /// At least 95 of 100 from the page cache.
    Cache,
    /// From both, or from where nobody knows. Its rate is comparable with nothing.
    Mixed,
}

impl Counted {
    /// Where the bytes came from; nothing of a run that has read none.
    pub fn read_from(&self) -> Option<ReadFrom> {
        let share = |bytes: u64| bytes as f64 / self.read_bytes as f64;
        match self.read_bytes {
            0 => None,
            _ if share(self.device_bytes) >= MOSTLY => Some(ReadFrom::Device),
            _ if share(self.cache_bytes) >= MOSTLY => Some(ReadFrom::Cache),
            _ => Some(ReadFrom::Mixed),
        }
    }

    /// Bytes per second of its reading; nothing of one that took less than a second.
    pub fn bytes_per_second(&self) -> Option<f64> {
        let is_long = self.reading_ms >= LEAST_READING_MS && self.read_bytes > 0;
        is_long.then(|| self.read_bytes as f64 * 1000.0 / self.reading_ms as f64)
    }

    /// How many files got which verdict, in the order of [`Verdict::OF_COLLECTIONS`].
    pub fn by_verdict(&self) -> impl Iterator<Item = (Verdict, u64)> {
        let of = |verdict: Verdict| Some((verdict, *self.verdicts.get(verdict.name_in_collection())?));
        Verdict::OF_COLLECTIONS.into_iter().filter_map(of)
    }
}

/// Findings of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// They stand, and nobody said that they know.
    Open,
    /// They stand, and somebody knows of them.
    Acknowledged,
    /// They were found to be good again, not long ago.
    Recovered,
}

impl Which {
    /// A condition on the rows of `finding`, where ?2 is the time.
    fn condition(self) -> String {
        let is_known = Acknowledgement::holds_at("?2");
        match self {
            Self::Open => format!("cleared_s IS NULL AND NOT {is_known}"),
            Self::Acknowledged => format!("cleared_s IS NULL AND {is_known}"),
            Self::Recovered => "cleared_s IS NOT NULL AND ?2 = ?2".to_owned(),
        }
    }
}

/// Which findings are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Which kind of them.
    pub which: Which,
    /// Of one verdict, or of all.
    pub verdict: Option<Verdict>,
    /// No more than this many, the latest first. Without it all of them, by verdict and in order of their items.
    pub most: Option<usize>,
    /// The time at which they stand, in seconds since 1970.
    pub now_s: i64,
}

/// A finding, with what is known of its file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reported {
    /// Where the file lies: its path below the root.
    pub path: Vec<u8>,
    /// The finding.
    pub finding: Finding,
    /// What is known of the file.
    pub known: Content,
    /// When it was last read good, in seconds since 1970, and from where; nothing of one that never was.
    pub last_good: Option<(i64, ReadingKind)>,
    /// What a provider says instead, of a file that one contradicts.
    pub said: Option<Said>,
}

/// A directory that could not be listed, or not to its end, when the tree was last listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlistedDirectory {
    /// Its path below the root.
    pub path: Vec<u8>,
    /// Since when, in seconds since 1970.
    pub since_s: i64,
    /// What the system said.
    pub detail: String,
}

/// As long as it is there, a catalogue answers as it was when it was first asked, whatever others write meanwhile.
#[derive(Debug)]
pub struct Moment<'c>(#[expect(dead_code, reason = "it ends when it is dropped")] Option<Transaction<'c>>);

const RUN: &str = concat!(
    "SELECT id, started_s, ended_s, request, actor, outcome, counts, standing FROM run
     WHERE collection = ?1 AND ",
    is_audit!()
);

impl Reader {
    /// Begins a moment: what is asked in it belongs together. Nothing can be written in it.
    ///
    /// # Errors
    /// The catalogue cannot be read, or a later program has brought it to its version since it was opened.
    pub fn moment(&self) -> Result<Moment<'_>> {
        let moment = self.begin_moment()?;
        check_version(&self.connection, self.path())?;
        Ok(Moment(moment))
    }

    /// The last audits of a collection, at most `most`, the latest first.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_runs(&self, collection: CollectionId, most: usize) -> Result<Vec<RunFigures>> {
        let mut statement = self.connection.prepare_cached(&format!("{RUN} ORDER BY id DESC LIMIT ?2"))?;
        let mut rows = statement.query(params![collection.0, most as i64])?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next()? {
            runs.push(run_of(row)?);
        }
        Ok(runs)
    }

    /// The last audit of a collection that has judged files: one that was held, or could not reach the collection, has not.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_judging(&self, collection: CollectionId) -> Result<Option<RunFigures>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{RUN} AND coalesce(outcome, '') NOT IN ('held', 'offline', 'refused', 'discarded') ORDER BY id DESC LIMIT 1"
        ))?;
        let mut rows = statement.query([collection.0])?;
        rows.next()?.map(run_of).transpose()
    }

    /// The fastest audit of a collection whose bytes came from one place, among its last 10,000. Readings of less than a second do not
    /// count.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn fastest(&self, collection: CollectionId, from: ReadFrom) -> Result<Option<RunFigures>> {
        let mut statement = self.connection.prepare_cached(&format!("{RUN} ORDER BY id DESC LIMIT ?2"))?;
        let mut rows = statement.query(params![collection.0, MOST_RUNS as i64])?;
        let mut fastest: Option<(f64, RunFigures)> = None;
        while let Some(row) = rows.next()? {
            let run = run_of(row)?;
            let rate = run.counted.bytes_per_second().filter(|_| run.counted.read_from() == Some(from));
            if let Some(rate) = rate
                && fastest.as_ref().is_none_or(|(best, _)| rate > *best)
            {
                fastest = Some((rate, run));
            }
        }
        Ok(fastest.map(|(_, run)| run))
    }

    /// The best rate at which an audit has read a collection, in bytes per second: from the device, if any has. Those that read something from
    /// memory were faster for a reason that does not last.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn best_rate(&self, collection: CollectionId) -> Result<Option<f64>> {
        for from in [ReadFrom::Device, ReadFrom::Mixed, ReadFrom::Cache] {
            if let Some(fastest) = self.fastest(collection, from)? {
                return Ok(fastest.counted.bytes_per_second());
            }
        }
        Ok(None)
    }

    /// How many findings that stand, and that nobody knows of, were first said by a run: by verdict, in the order of [`Verdict::OF_COLLECTIONS`].
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn first_said_by(
        &self,
        collection: CollectionId,
        run: RunId,
        now_s: i64,
    ) -> Result<Vec<(Verdict, u64)>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT verdict, count(*) FROM finding WHERE collection = ?1 AND run = ?3 AND {} GROUP BY verdict",
            Which::Open.condition()
        ))?;
        let mut rows = statement.query(params![collection.0, now_s, run.0])?;
        let mut said = Vec::new();
        while let Some(row) = rows.next()? {
            said.push((Verdict::of_number(row.get(0)?)?, row.get::<_, i64>(1)? as u64));
        }
        let place = |verdict: Verdict| Verdict::OF_COLLECTIONS.iter().position(|other| *other == verdict);
        said.sort_by_key(|(verdict, _)| place(*verdict));
        Ok(said)
    }

    /// Shows findings of a collection with what is known of their files. `show` gets one at a time.
    ///
    /// # Errors
    /// The catalogue cannot be read, is damaged, or `show` fails.
    pub fn reported(
        &self,
        collection: &Collection,
        asked: Asked,
        show: &mut dyn FnMut(Reported) -> Result<()>,
    ) -> Result<()> {
        let order = match asked.most {
            Some(_) => "since_s DESC, item",
            None => "verdict, item",
        };
        self.each_reported(collection, asked, None, order, show)
    }

    /// The same page by page: at most `most`, in order of their items. `after`: only those behind this item, which is that of the last one of
    /// the page before. What stands against a file may change between two pages; none that stands all the while is missed, and none comes
    /// twice.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn reported_after(
        &self,
        collection: &Collection,
        which: Which,
        after: Option<ItemId>,
        most: usize,
        now_s: i64,
    ) -> Result<Vec<Reported>> {
        let mut page = Vec::with_capacity(most);
        let asked = Asked { which, verdict: None, most: Some(most), now_s };
        self.each_reported(collection, asked, after, "item", &mut |reported| {
            page.push(reported);
            Ok(())
        })?;
        Ok(page)
    }

    fn each_reported(
        &self,
        collection: &Collection,
        Asked { which, verdict, most, now_s }: Asked,
        after: Option<ItemId>,
        order: &str,
        show: &mut dyn FnMut(Reported) -> Result<()>,
    ) -> Result<()> {
        let of_verdict = if verdict.is_some() { "verdict = ?3" } else { "?3 IS NULL" };
        let behind = if after.is_some() { "item > ?5" } else { "?5 IS NULL" };
        // The chosen ones first: only of those the files are looked up.
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT f.item, f.verdict, f.run, f.since_s, f.seen_s, f.size, f.mtime_ns, f.ctime_ns, f.inode, f.digests, f.again,
             f.reading, f.detail, f.cleared_s, f.known_by, f.known_reason, f.known_s, f.known_until_s, f.stint, f.version, f.cause,
             f.was, f.was_cause, f.was_digests,
             directory.path, item.name, item.size, item.mtime_ns, item.ctime_ns, item.inode, item.digests
             FROM (SELECT * FROM finding WHERE collection = ?1 AND {of_verdict} AND {behind} AND {}
                 ORDER BY {order} LIMIT ?4) AS f
             CROSS JOIN item ON item.id = f.item CROSS JOIN segment ON segment.id = f.item >> {SHIFT}
             CROSS JOIN directory ON directory.id = segment.directory",
            which.condition()
        ))?;
        let most = most.map_or(-1, |most| most as i64);
        let after = after.map(|item| item.0);
        let of = params![collection.id.0, now_s, verdict.map(Verdict::number), most, after];
        let mut rows = statement.query(of)?;
        while let Some(row) = rows.next()? {
            let finding = finding_of(row, collection)?;
            let (directory, name): (Vec<u8>, Vec<u8>) = (row.get(24)?, row.get(25)?);
            let last_good = self.last_reading(collection, finding.item)?;
            let known = content_of(row, 26, collection)?;
            let path = crate::paths::joined(&directory, &name);
            let said = match finding.verdict {
                Verdict::Contradicted => self.contradiction(collection.id, finding.item)?,
                _ => None,
            };
            show(Reported { path, finding, known, last_good, said })?;
        }
        Ok(())
    }

    /// Edits that a run has accepted and named, because they may not have been meant: paths, and what is particular; the latest first, no more
    /// than `most`. Those against whose files something stands by now are left out.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn named_edits(
        &self,
        collection: CollectionId,
        run: RunId,
        most: usize,
    ) -> Result<Vec<(Vec<u8>, String)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, run, what, detail FROM event WHERE collection = ?1 AND item IS NOT NULL ORDER BY id DESC",
        )?;
        let mut rows = statement.query([collection.0])?;
        let standing = self.standing_items(collection, &[])?;
        let mut named = Vec::new();
        while let Some(row) = rows.next()? {
            let (item, of): (i64, Option<i64>) = (row.get("item")?, row.get("run")?);
            let (what, detail): (String, String) = (row.get("what")?, row.get("detail")?);
            // Runs of a collection come one after the other.
            if named.len() == most || of.is_some_and(|of| of < run.0) {
                break;
            }
            let is_named = of == Some(run.0) && what == Verdict::Changed.name() && !detail.is_empty();
            if is_named && !standing.contains(item as u64) {
                named.push((self.path_of(ItemId(item))?, detail));
            }
        }
        Ok(named)
    }

    /// Directories of a collection that could not be listed when it was last listed, at most `most`, in order of their paths.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn unlisted_directories(
        &self,
        collection: CollectionId,
        most: usize,
    ) -> Result<Vec<UnlistedDirectory>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT path, since_s, detail FROM unlisted WHERE collection = ?1 ORDER BY path LIMIT ?2",
        )?;
        let rows = statement.query_map(params![collection.0, most as i64], |row| {
            Ok(UnlistedDirectory {
                path: row.get("path")?,
                since_s: row.get("since_s")?,
                detail: row.get("detail")?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn run_of(row: &SqlRow<'_>) -> Result<RunFigures> {
    let counts: String = row.get(6)?;
    Ok(RunFigures {
        run: RunId(row.get(0)?),
        started_s: row.get(1)?,
        ended_s: row.get(2)?,
        request: row.get(3)?,
        actor: row.get(4)?,
        outcome: row.get(5)?,
        counted: serde_json::from_str(&counts).map_err(Error::json)?,
        standing: Stood::of_text(&row.get::<_, String>(7)?)?,
    })
}
