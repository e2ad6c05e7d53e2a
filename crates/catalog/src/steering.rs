//! What is asked of an audit that is under way, and of all of them: to end, to read at another rate, to read nothing for a while.
//!
//! Whoever asks writes it down, and the process of the audit looks at it ([`Reader::steering`]). So it does not matter who has begun the audit,
//! and on which machine. Each is a row in the log of changes: who asked for what, and whose audit it was.

use rusqlite::{OptionalExtension as _, params};
use serde_json::{Map, Value, json};

use crate::acting::Acting;
use crate::changes::{self, Changed};
use crate::collections::Collection;
use crate::error::{Error, Result};
use crate::ids::{RunId, StintId};
use crate::reader::Reader;
use crate::requests::is_audit;
use crate::writer::Writer;

/// What is asked of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Steering {
    /// It is to end: since when, in seconds since 1970, and who wants it to.
    pub stop: Option<(i64, String)>,
    /// At how many bytes per second it is to read, `None` in it: without a limit; and who wants it to.
    pub rate: Option<(Option<u64>, String)>,
}

/// That nothing is audited for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pause {
    /// Since when, in seconds since 1970.
    pub since_s: i64,
    /// Until when, in seconds since 1970; nothing: until somebody ends it.
    pub until_s: Option<i64>,
    /// Who wants that.
    pub actor: String,
    /// Why, if that was said.
    pub reason: String,
}

/// An audit of which something was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Steered {
    /// Who has begun it.
    pub actor: String,
    /// The number of its process.
    pub process: u32,
    /// The machine that it runs on.
    pub host: String,
    /// At how many bytes per second it was asked to read before, if that was so.
    pub rate: Option<Option<u64>>,
}

impl Pause {
    /// Whether it is over at a time, in seconds since 1970.
    fn is_over(&self, now_s: i64) -> bool {
        self.until_s.is_some_and(|until_s| until_s <= now_s)
    }

    fn json(&self) -> Map<String, Value> {
        let facts = [("since_s", json!(self.since_s)), ("until_s", json!(self.until_s))];
        facts.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }
}

impl Reader {
    /// What is asked of an audit.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn steering(&self, stint: StintId) -> Result<Steering> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT stop_s, stop_by, rate, rate_by FROM steering WHERE stint = ?1")?;
        let found = statement.query_row([stint.0], |row| {
            let (stop_s, rate): (Option<i64>, Option<i64>) = (row.get("stop_s")?, row.get("rate")?);
            let stop_by: Option<String> = row.get("stop_by")?;
            let rate_by: Option<String> = row.get("rate_by")?;
            Ok(Steering {
                stop: stop_s.map(|since_s| (since_s, stop_by.unwrap_or_default())),
                rate: rate.map(|rate| (limit(rate), rate_by.unwrap_or_default())),
            })
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Who wanted the last stint of a run to end, if somebody did.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn stopped_by(&self, run: RunId) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT stop_by FROM steering WHERE stint = (SELECT max(id) FROM stint WHERE run = ?1) AND stop_s IS NOT NULL",
        )?;
        Ok(statement.query_row([run.0], |row| row.get(0)).optional()?)
    }

    /// Whether nothing is audited at a time, in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn pause(&self, now_s: i64) -> Result<Option<Pause>> {
        Ok(self.last_pause()?.filter(|pause| !pause.is_over(now_s)))
    }

    /// The pause that was asked for last, be it over, unless somebody has ended it.
    fn last_pause(&self) -> Result<Option<Pause>> {
        let mut statement =
            self.connection.prepare_cached("SELECT since_s, until_s, actor, reason FROM pause")?;
        let found = statement.query_row([], |row| {
            Ok(Pause {
                since_s: row.get("since_s")?,
                until_s: row.get("until_s")?,
                actor: row.get("actor")?,
                reason: row.get("reason")?,
            })
        });
        Ok(found.optional()?)
    }

    /// The stint of the audit of a collection that is under way, and who has begun it.
    fn under_way(&self, collection: &Collection) -> Result<(StintId, Steered)> {
        let none = || Error::NotUnderWay { name: collection.terms.name.clone() };
        let holder = self.holder(collection)?.ok_or_else(none)?;
        let mut statement = self.connection.prepare_cached(concat!(
            "SELECT stint.id, run.actor FROM run JOIN stint ON stint.run = run.id
             WHERE run.collection = ?1 AND run.outcome IS NULL AND stint.ended_s IS NULL AND pid = ?2 AND host = ?3 AND ",
            is_audit!(),
            " ORDER BY stint.id DESC LIMIT 1"
        ))?;
        let of = params![collection.id.0, holder.process, holder.host];
        let (stint, actor) = statement
            .query_row(of, |row| Ok((StintId(row.get(0)?), row.get(1)?)))
            .optional()?
            .ok_or_else(none)?;
        let rate = self.steering(stint)?.rate.map(|(rate, _)| rate);
        Ok((stint, Steered { actor, process: holder.process, host: holder.host, rate }))
    }
}

impl Writer {
    /// Asks the audit of a collection that is under way to end, as it does when it is interrupted: the next one goes on with it.
    ///
    /// # Errors
    /// None is under way ([`Error::NotUnderWay`]), or the catalogue does not take it.
    pub fn ask_to_stop(&mut self, collection: &Collection, by: &Acting) -> Result<Steered> {
        let asked = "UPDATE steering SET stop_s = coalesce(stop_s, ?2), stop_by = coalesce(stop_by, ?3) WHERE stint = ?1";
        self.steer(collection, by, "audit-stopped", None, |statements, stint| {
            statements.execute(asked, params![stint, by.at_s(), by.actor])
        })
    }

    /// Asks the audit of a collection that is under way to read at most this many bytes per second from now on; `None`: as many as it can.
    ///
    /// # Errors
    /// None is under way ([`Error::NotUnderWay`]), or the catalogue does not take it.
    pub fn ask_for_rate(
        &mut self,
        collection: &Collection,
        bytes_per_second: Option<u64>,
        by: &Acting,
    ) -> Result<Steered> {
        let asked = "UPDATE steering SET rate = ?2, rate_by = ?3 WHERE stint = ?1";
        let rate = i64::try_from(bytes_per_second.unwrap_or(0)).unwrap_or(i64::MAX);
        self.steer(collection, by, "rate-set", Some(bytes_per_second), |statements, stint| {
            statements.execute(asked, params![stint, rate, by.actor])
        })
    }

    /// Takes note of who has ended a stint that was not asked by itself, but with all others, at a time in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn note_stopped(&mut self, stint: StintId, by: &str, at_s: i64) -> Result<()> {
        let transaction = self.begin()?;
        transaction.execute("INSERT OR IGNORE INTO steering (stint) VALUES (?1)", [stint.0])?;
        let noted = "UPDATE steering SET stop_s = ?2, stop_by = ?3 WHERE stint = ?1 AND stop_s IS NULL";
        transaction.execute(noted, params![stint.0, at_s, by])?;
        transaction.commit()?;
        Ok(())
    }

    fn steer(
        &mut self,
        collection: &Collection,
        by: &Acting,
        what: &str,
        rate: Option<Option<u64>>,
        ask: impl FnOnce(&rusqlite::Transaction<'_>, i64) -> rusqlite::Result<usize>,
    ) -> Result<Steered> {
        let (stint, steered) = self.under_way(collection)?;
        let mut changed = collection.changed(what);
        let facts = [
            ("by", json!(steered.actor)),
            ("process", json!(steered.process)),
            ("host", json!(steered.host)),
        ];
        changed.becomes.extend(facts.map(|(name, value)| (name.to_owned(), value)));
        if let Some(rate) = rate {
            changed.becomes.insert("bytes_per_second".to_owned(), json!(rate));
            let before = steered.rate.map(|before| ("bytes_per_second".to_owned(), json!(before)));
            changed.was.extend(before);
        }
        let transaction = self.begin()?;
        transaction.execute("INSERT OR IGNORE INTO steering (stint) VALUES (?1)", [stint.0])?;
        ask(&transaction, stint.0)?;
        changes::record(&transaction, by, &changed)?;
        transaction.commit()?;
        Ok(steered)
    }

    /// Has nothing audited until a time, in seconds since 1970, or until somebody ends that: what is under way ends, as it does when it is
    /// interrupted. One that was asked for before is replaced.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn begin_pause(&mut self, until_s: Option<i64>, by: &Acting) -> Result<Pause> {
        let (actor, reason) = (by.actor.clone(), by.reason.clone());
        let pause = Pause { since_s: by.at_s(), until_s, actor, reason };
        self.set_pause(Some(&pause), by)?;
        Ok(pause)
    }

    /// Ends the pause, and returns it; nothing if there is none.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn end_pause(&mut self, by: &Acting) -> Result<Option<Pause>> {
        let before = self.pause(by.at_s())?;
        if before.is_some() {
            self.set_pause(None, by)?;
        }
        Ok(before)
    }

    fn set_pause(&mut self, pause: Option<&Pause>, by: &Acting) -> Result<()> {
        let before = self.pause(by.at_s())?;
        let transaction = self.begin()?;
        transaction.execute("DELETE FROM pause", [])?;
        if let Some(Pause { since_s, until_s, actor, reason }) = pause {
            transaction.execute(
                "INSERT INTO pause (id, since_s, until_s, actor, reason) VALUES (1, ?1, ?2, ?3, ?4)",
                params![since_s, until_s, actor, reason],
            )?;
        }
        let changed = Changed {
            what: if pause.is_some() { "paused" } else { "resumed" },
            collection: None,
            name: "",
            was: before.as_ref().map(Pause::json).unwrap_or_default(),
            becomes: pause.map(Pause::json).unwrap_or_default(),
        };
        changes::record(&transaction, by, &changed)?;
        transaction.commit()?;
        Ok(())
    }
}

/// What a rate in a catalogue means.
fn limit(rate: i64) -> Option<u64> {
    u64::try_from(rate).ok().filter(|rate| *rate > 0)
}
