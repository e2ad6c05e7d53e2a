//! Runs: requests for an audit, and the stints in which processes did them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hashlane_record::Escaped;
use roaring::RoaringTreemap;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::acting::Acting;
use crate::changes;
use crate::collections::{Collection, by_number};
use crate::error::{Error, Result};
use crate::events::{self, EventKind, Happening};
use crate::ids::{CollectionId, RunId, StintId};
use crate::phase::Phase;
use crate::reader::Reader;
use crate::recorded::Recorded;
use crate::requests::is_audit;
use crate::writer::Writer;

/// Bytes of the secret of a run.
const SECRET_BYTES: usize = 32;

/// What a run is asked for, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is to be done. A run that was interrupted goes on with a request of the same words.
    pub what: String,
    /// Who asks.
    pub actor: String,
    /// Why, if that was said.
    pub reason: String,
}

/// A run that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldRun {
    /// What it was asked for.
    pub request: String,
    /// What the root was, in words.
    pub root: String,
    /// How many files were gone that were not renamed, if the tree was listed.
    pub gone: Option<u64>,
}

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending<'a> {
    /// In one word.
    pub outcome: &'a str,
    /// What was counted, as a JSON object.
    pub counts: &'a str,
    /// What stands of the collection, as a JSON object.
    pub standing: &'a str,
    /// Whether it is over. One that is not can be gone on with.
    pub is_over: bool,
}

impl<'a> Ending<'a> {
    /// It is over.
    pub fn of(outcome: &'a str) -> Self {
        Self { outcome, counts: "{}", standing: "{}", is_over: true }
    }
}

/// A stint that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stint {
    /// Its number.
    pub id: StintId,
    /// The run that it is a part of.
    pub run: RunId,
    /// The run was begun by an earlier process, which did not end it.
    pub goes_on: bool,
}

/// How a stint begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'a> {
    /// What lies under the collection, in words, where a tree is looked at.
    pub root: Option<&'a str>,
    /// What it does first, if it is one of an audit.
    pub phase: Option<Phase>,
    /// When it begins, in seconds since 1970.
    pub now_s: i64,
    /// When what it takes was read at the earliest, in seconds since 1970.
    pub read_s: i64,
    /// What was begun before this time is not gone on with, in seconds since 1970.
    pub since_s: i64,
}

impl Reader {
    /// The run that the same request goes on with, if there is one. `since_s`: what was begun earlier is not gone on with.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn interrupted(
        &self,
        collection: CollectionId,
        request: &str,
        since_s: i64,
    ) -> Result<Option<RunId>> {
        interrupted(&self.connection, collection, request, since_s)
    }

    /// When the last run of a collection began that came to an end before a time, both in seconds since 1970, and how many bytes of old
    /// files it has read beyond what was due. One that was held, could not reach the collection, or was about a part of it does not count.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_run(&self, collection: CollectionId, before_s: i64) -> Result<Option<(i64, u64)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT started_s, coalesce(counts ->> '$.ahead_bytes', 0) FROM run WHERE collection = ?1 AND ended_s IS NOT NULL AND started_s <= ?2
             AND outcome IN ('complete', 'budget') AND request IN ('due', 'all') ORDER BY id DESC LIMIT 1",
        )?;
        let found = statement.query_row(params![collection.0, before_s], |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))
        });
        Ok(found.optional()?)
    }

    /// The run of a collection that is held: what was asked for when it was held first, and what was seen when it was held last.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn held(&self, collection: &Collection) -> Result<HeldRun> {
        let mut statement = self.connection.prepare_cached(
            concat!("WITH audit AS (SELECT id, request, ended_s, coalesce(outcome, '') AS outcome, counts FROM run
                 WHERE collection = ?1 AND ",
            is_audit!(),
            "
                 -- One that was about a part of it says nothing of what is held back of the rest.
                 AND (coalesce(outcome, '') = 'held' OR request NOT LIKE 'all %' AND request NOT LIKE 'due %'))
             SELECT (SELECT request FROM audit WHERE ended_s IS NULL AND outcome = 'held' AND id >
                 (SELECT coalesce(max(id), 0) FROM audit WHERE outcome NOT IN ('held', 'offline', 'refused', '')) ORDER BY id LIMIT 1),
             coalesce(counts ->> '$.root', ''), counts ->> '$.gone_files' FROM audit
             WHERE ended_s IS NULL AND outcome = 'held' AND id = (SELECT max(id) FROM audit)"),
        )?;
        let found = statement
            .query_row([collection.id.0], |row| {
                let gone = row.get::<_, Option<i64>>(2)?.map(|gone| gone as u64);
                Ok(HeldRun { request: row.get(0)?, root: row.get(1)?, gone })
            })
            .optional()?;
        found.ok_or_else(|| Error::NotHeld { name: collection.terms.name.clone() })
    }

    /// Whether a run of a collection is held.
    pub fn is_held(&self, collection: &Collection) -> Result<bool> {
        match self.held(collection) {
            Ok(_) => Ok(true),
            Err(Error::NotHeld { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The run of each stint of a collection, and when it began, in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn stint_times(&self, collection: CollectionId) -> Result<HashMap<StintId, (RunId, i64)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT stint.id, run.id, stint.started_s FROM stint JOIN run ON run.id = stint.run WHERE run.collection = ?1",
        )?;
        let rows = statement
            .query_map([collection.0], |row| Ok((StintId(row.get(0)?), (RunId(row.get(1)?), row.get(2)?))))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Bytes that earlier stints of the run of a stint have read, as far as they came to say so.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn read_before(&self, stint: Stint) -> Result<u64> {
        let phases = [Phase::Reading, Phase::Ending].map(Phase::number);
        let mut statement = self.connection.prepare_cached(
            "SELECT coalesce(sum(bytes), 0) FROM stint WHERE run = ?1 AND id < ?2 AND phase IN (?3, ?4)",
        )?;
        let of_run = params![stint.run.0, stint.id.0, phases[0], phases[1]];
        Ok(statement.query_row(of_run, |row| row.get::<_, i64>(0))? as u64)
    }

    /// The stints of a run in which the root was this one.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn stints_over(&self, run: RunId, root: &str) -> Result<BTreeSet<StintId>> {
        let mut statement =
            self.connection.prepare_cached("SELECT id FROM stint WHERE run = ?1 AND root = ?2")?;
        let stints = statement.query_map(params![run.0, root], |row| row.get(0).map(StintId))?;
        Ok(stints.collect::<rusqlite::Result<_>>()?)
    }

    /// Files of a collection that the page cache did not let go of when they were read last.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn in_use(&self, collection: CollectionId) -> Result<RoaringTreemap> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item FROM in_use JOIN run ON run.id = in_use.run WHERE run.collection = ?1",
        )?;
        let items = statement.query_map([collection.0], |row| Ok(row.get::<_, i64>(0)? as u64))?;
        Ok(items.collect::<rusqlite::Result<_>>()?)
    }
}

impl Writer {
    /// Begins a stint: of the last run of a collection, if that was interrupted and is asked for the same, else of a new run.
    /// `since_s`: what was begun earlier is not gone on with.
    ///
    /// # Errors
    /// The catalogue does not take it, or there are no random bytes.
    pub fn begin_stint(
        &mut self,
        collection: CollectionId,
        request: &Request,
        now_s: i64,
        since_s: i64,
    ) -> Result<Stint> {
        let beginning = Beginning { root: None, phase: None, now_s, read_s: now_s, since_s };
        self.begin_stint_of(collection, request, beginning)
    }

    /// The same of an audit.
    ///
    /// # Errors
    /// As [`Writer::begin_stint`].
    pub fn begin_stint_of(
        &mut self,
        collection: CollectionId,
        request: &Request,
        Beginning { root, phase, now_s, read_s, since_s }: Beginning<'_>,
    ) -> Result<Stint> {
        let host = Escaped(rustix::system::uname().nodename().to_bytes()).to_string();
        let (way, uid) = (self.acting.way.number(), self.acting.uid);
        let transaction = self.begin()?;
        let interrupted = interrupted(&transaction, collection, &request.what, since_s)?;
        let run = match interrupted {
            Some(RunId(run)) => {
                transaction.execute("UPDATE run SET outcome = NULL, standing = '{}' WHERE id = ?1", [run])?;
                run
            }
            None => {
                transaction.execute(
                    "INSERT INTO run (collection, request, actor, reason, started_s, secret, leaf_base, way, uid)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?8)",
                    params![
                        collection.0,
                        request.what,
                        request.actor,
                        request.reason,
                        now_s,
                        secret()?.as_slice(),
                        way,
                        uid
                    ],
                )?;
                transaction.last_insert_rowid()
            }
        };
        transaction.execute(
            "INSERT INTO stint (run, started_s, host, pid, root, phase, progress_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                run,
                read_s,
                host,
                std::process::id(),
                root,
                phase.map_or(0, Phase::number),
                phase.map(|_| now_s)
            ],
        )?;
        let id = StintId(transaction.last_insert_rowid());
        let what = if interrupted.is_some() { "resumed" } else { "begun" };
        note_run(&transaction, RunId(run), (EventKind::RunBegun, what), now_s)?;
        transaction.commit()?;
        self.recorded = match interrupted {
            Some(_) => Recorded::default(),
            None => Recorded::of(run),
        };
        Ok(Stint { id, run: RunId(run), goes_on: interrupted.is_some() })
    }

    /// Ends a run that was held, without a word on what it withheld. `reason`: why; it is kept behind that for which the run was asked
    /// for. `false`: none was held.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn discard_held(&mut self, collection: CollectionId, reason: &str, now_s: i64) -> Result<bool> {
        let acting = self.acting.clone();
        let transaction = self.begin()?;
        let ended = transaction.execute(
            "UPDATE run SET ended_s = ?2, outcome = 'discarded',
             reason = reason || iif(reason = '' OR ?3 = '', '', '; ') || ?3
             WHERE collection = ?1 AND ended_s IS NULL AND outcome = 'held'",
            params![collection.0, now_s, reason],
        )?;
        if ended > 0 {
            let of = by_number(&transaction, collection)?;
            let by = Acting { reason: reason.to_owned(), ..acting };
            changes::record(&transaction, &by, &of.changed("hold-discarded"))?;
        }
        transaction.commit()?;
        self.forget_withheld(collection)?;
        self.seal_rest(collection)?;
        Ok(ended > 0)
    }

    /// Forgets what was withheld in earlier stints: who goes on finds it again.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn forget_withheld(&mut self, collection: CollectionId) -> Result<()> {
        self.connection.execute(
            "DELETE FROM withheld WHERE run IN (SELECT id FROM run WHERE collection = ?1)",
            [collection.0],
        )?;
        Ok(())
    }

    /// Takes note that all was told that a run has found.
    pub(crate) fn note_all_told(&self, run: RunId, now_s: i64) -> Result<()> {
        self.connection.execute(
            "UPDATE finding SET told_s = ?2 WHERE run = ?1 AND told_s IS NULL",
            params![run.0, now_s],
        )?;
        Ok(())
    }

    /// Keeps what stands of the collection after a run, where that has changed since it ended: a JSON object.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn set_standing(&self, run: RunId, standing: &str) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE run SET standing = ?2 WHERE id = ?1 AND standing <> '{}'")?
            .execute(params![run.0, standing])?;
        Ok(())
    }

    /// Takes note of directories that could not be listed. Those that can be listed again are forgotten.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn set_unlisted(
        &mut self,
        collection: CollectionId,
        unlisted: &BTreeMap<Vec<u8>, String>,
        now_s: i64,
    ) -> Result<()> {
        let transaction = self.begin()?;
        let mut before: HashMap<Vec<u8>, i64> = HashMap::new();
        {
            let mut statement = transaction
                .prepare_cached("DELETE FROM unlisted WHERE collection = ?1 RETURNING path, since_s")?;
            let mut rows = statement.query([collection.0])?;
            while let Some(row) = rows.next()? {
                before.insert(row.get(0)?, row.get(1)?);
            }
            let mut statement = transaction.prepare_cached(
                "INSERT OR REPLACE INTO unlisted (collection, path, since_s, detail) VALUES (?1, ?2, ?3, ?4)",
            )?;
            for (path, detail) in unlisted {
                let since_s = before.get(path).copied().unwrap_or(now_s);
                statement.execute(params![collection.0, path, since_s, detail])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// Forgets which items of a collection were not found, but for those where this run has said so.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn forget_missed(&self, collection: CollectionId, run: RunId) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "DELETE FROM missed WHERE run <> ?2 AND run IN (SELECT id FROM run WHERE collection = ?1)",
        )?;
        statement.execute(params![collection.0, run.0])?;
        Ok(())
    }

    /// Ends a stint. `ending`: what became of its run; nothing of one that was interrupted. A run that is over is sealed.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn end_stint(&mut self, stint: Stint, ending: Option<Ending<'_>>, now_s: i64) -> Result<()> {
        let transaction = self.begin()?;
        transaction.execute("UPDATE stint SET ended_s = ?2 WHERE id = ?1", params![stint.id.0, now_s])?;
        if let Some(Ending { outcome, counts, standing, is_over }) = ending {
            transaction.execute(
                "UPDATE run SET ended_s = ?2, outcome = ?3, counts = ?4, standing = ?5 WHERE id = ?1",
                params![stint.run.0, is_over.then_some(now_s), outcome, counts, standing],
            )?;
            let kind = if outcome == "held" { EventKind::Held } else { EventKind::RunEnded };
            note_run(&transaction, stint.run, (kind, outcome), now_s)?;
        } else {
            note_run(&transaction, stint.run, (EventKind::RunEnded, "stopped"), now_s)?;
        }
        transaction.commit()?;
        match ending {
            Some(Ending { is_over: true, .. }) => self.seal_run(stint.run),
            _ => Ok(()),
        }
    }
}

/// Records that an audit has begun or ended. Decisions, which have runs of their own, are events of their own.
fn note_run(connection: &Connection, run: RunId, (kind, what): (EventKind, &str), at_s: i64) -> Result<()> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT collection, actor, reason, request FROM run WHERE id = ?1 AND ",
        is_audit!()
    ))?;
    let audit = statement.query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
    let audit: Option<(i64, String, String, String)> = audit.optional()?;
    let Some((collection, actor, reason, request)) = audit else { return Ok(()) };
    let happening = Happening {
        kind,
        collection: Some(collection),
        run: Some(run.0),
        at_s,
        actor: &actor,
        what,
        reason: &reason,
        detail: &request,
        ..Happening::default()
    };
    events::record(connection, &happening).map(drop)
}

/// Bytes that nobody can guess.
fn secret() -> Result<[u8; SECRET_BYTES]> {
    let mut secret = [0; SECRET_BYTES];
    let mut filled = 0;
    while filled < SECRET_BYTES {
        filled += rustix::rand::getrandom(&mut secret[filled..], rustix::rand::GetRandomFlags::empty())
            .map_err(|error| crate::error::Error::Random(error.into()))?;
    }
    Ok(secret)
}

/// The last run of a collection, if it was interrupted and asked for the same.
fn interrupted(
    connection: &Connection,
    collection: CollectionId,
    request: &str,
    since_s: i64,
) -> Result<Option<RunId>> {
    let found = connection.query_row(
        concat!("SELECT id FROM run WHERE collection = ?1 AND ended_s IS NULL AND request = ?2 AND started_s >= ?3
         AND id = (SELECT max(id) FROM run WHERE collection = ?1 AND ",
            is_audit!(),
            ")"),
        params![collection.0, request, since_s],
        |row| row.get(0),
    );
    Ok(found.optional()?.map(RunId))
}
