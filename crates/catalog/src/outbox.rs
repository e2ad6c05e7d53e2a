//! Who is told what happens, and what they are told: messages that wait until they are delivered.
//!
//! The events themselves are what is to be told: each is recorded in the transaction of what it reports. A target has seen them up to a
//! number, and its next message is about those behind that. That a message is put down, and that its events are seen, is one transaction:
//! no event is left out, and none is in two messages.
//!
//! Invariants:
//! 1. A message has one number, whatever becomes of it, and no other message gets it.
//! 2. A message waits until somebody notes that it was delivered, or given up.

use std::collections::HashMap;

use rusqlite::{OptionalExtension as _, Row, params};

use crate::error::Result;
use crate::events;
use crate::ids::CollectionId;
use crate::reader::Reader;
use crate::writer::Writer;

/// The number of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub i64);

/// Somebody who is told.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Target {
    /// By the name that the configuration gives it.
    pub name: String,
    /// The number of the last event that it has seen, or that is of no interest to it.
    pub event: i64,
}

/// A message that is to be put down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage<'a> {
    /// Who is told.
    pub target: &'a str,
    /// What kind of message it is, in one word.
    pub kind: &'a str,
    /// The number of the first event that it is about. Where that is larger than the last, it is about none.
    pub first: i64,
    /// The number of the last one: all up to this are seen.
    pub last: i64,
    /// When it is made, in seconds since 1970.
    pub made_s: i64,
    /// What it says, as a JSON object.
    pub content: &'a str,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Its number.
    pub id: MessageId,
    /// Who is told.
    pub target: String,
    /// What kind of message it is, in one word.
    pub kind: String,
    /// The number of the first event that it is about. Where that is larger than the last, it is about none.
    pub first: i64,
    /// The number of the last one.
    pub last: i64,
    /// When it was made, in seconds since 1970.
    pub made_s: i64,
    /// What it says, as a JSON object.
    pub content: String,
    /// How often it was tried to deliver it.
    pub tries: u32,
    /// When that is tried next, in seconds since 1970; nothing if it was delivered or given up.
    pub next_s: Option<i64>,
    /// When it was delivered, in seconds since 1970.
    pub delivered_s: Option<i64>,
    /// Why it could not be delivered when that was last tried.
    pub problem: String,
}

const MESSAGE: &str =
    "SELECT id, target, kind, first, last, made_s, content, tries, next_s, delivered_s, problem FROM message";

fn message_of(row: &Row<'_>) -> rusqlite::Result<Message> {
    Ok(Message {
        id: MessageId(row.get("id")?),
        target: row.get("target")?,
        kind: row.get("kind")?,
        first: row.get("first")?,
        last: row.get("last")?,
        made_s: row.get("made_s")?,
        content: row.get("content")?,
        tries: row.get("tries")?,
        next_s: row.get("next_s")?,
        delivered_s: row.get("delivered_s")?,
        problem: row.get("problem")?,
    })
}

impl Reader {
    /// The number of the last event; 0 if none has happened.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_event(&self) -> Result<i64> {
        events::last_number(&self.connection)
    }

    /// A target, if it was ever named.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn target(&self, name: &str) -> Result<Option<Target>> {
        let mut statement =
            self.connection.prepare_cached("SELECT name, event FROM target WHERE name = ?1")?;
        let found = statement
            .query_row([name], |row| Ok(Target { name: row.get("name")?, event: row.get("event")? }));
        Ok(found.optional()?)
    }

    /// How collections were when a target was told of them last, in one word.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn told(&self, target: &str) -> Result<HashMap<CollectionId, String>> {
        let mut statement =
            self.connection.prepare_cached("SELECT collection, condition FROM told WHERE target = ?1")?;
        let rows = statement.query_map([target], |row| Ok((CollectionId(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The messages of a target that wait, the first one first.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn waiting_messages(&self, target: &str) -> Result<Vec<Message>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{MESSAGE} WHERE target = ?1 AND next_s IS NOT NULL ORDER BY id"))?;
        let rows = statement.query_map([target], message_of)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The last messages, at most `most`, the latest first.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_messages(&self, most: usize) -> Result<Vec<Message>> {
        let mut statement =
            self.connection.prepare_cached(&format!("{MESSAGE} ORDER BY id DESC LIMIT ?1"))?;
        let rows = statement.query_map([most as i64], message_of)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// When the last message but tests was made for a target, in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_message_s(&self, target: &str) -> Result<Option<i64>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT max(made_s) FROM message WHERE target = ?1 AND kind <> 'test'")?;
        Ok(statement.query_row([target], |row| row.get(0))?)
    }
}

impl Writer {
    /// Names a target, which is told of what happens behind an event. One that was named before keeps what it has seen.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn name_target(&mut self, name: &str, event: i64) -> Result<()> {
        let transaction = self.begin()?;
        transaction
            .execute("INSERT OR IGNORE INTO target (name, event) VALUES (?1, ?2)", params![name, event])?;
        transaction.commit()?;
        Ok(())
    }

    /// Puts a message down for a target, which has seen all events up to the last one of it from then on, and was told that collections are
    /// so. Nothing is put down if it has seen that event before: another process was faster.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn put_message(
        &mut self,
        message: &NewMessage<'_>,
        told: &[(CollectionId, &str)],
    ) -> Result<Option<MessageId>> {
        let NewMessage { target, kind, first, last, made_s, content } = *message;
        let transaction = self.begin()?;
        let seen: i64 =
            transaction.query_row("SELECT event FROM target WHERE name = ?1", [target], |row| row.get(0))?;
        if first <= last && seen >= first {
            return Ok(None);
        }
        let id: i64 = {
            transaction.execute("INSERT OR IGNORE INTO counter (name, next) VALUES ('message', 1)", [])?;
            transaction.query_row(
                "UPDATE counter SET next = next + 1 WHERE name = 'message' RETURNING next - 1",
                [],
                |row| row.get(0),
            )?
        };
        transaction.execute(
            "INSERT INTO message (id, target, kind, first, last, made_s, content, next_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6)",
            params![id, target, kind, first, last, made_s, content],
        )?;
        transaction
            .execute("UPDATE target SET event = max(event, ?2) WHERE name = ?1", params![target, last])?;
        for (collection, condition) in told {
            transaction.execute(
                "INSERT OR REPLACE INTO told (target, collection, condition, at_s) VALUES (?1, ?2, ?3, ?4)",
                params![target, collection.0, condition, made_s],
            )?;
        }
        transaction.commit()?;
        Ok(Some(MessageId(id)))
    }

    /// Takes note that a target has seen all events up to one: nothing of them is of interest to it.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn pass_over(&mut self, target: &str, event: i64) -> Result<()> {
        let transaction = self.begin()?;
        transaction
            .execute("UPDATE target SET event = max(event, ?2) WHERE name = ?1", params![target, event])?;
        transaction.commit()?;
        Ok(())
    }

    /// Takes note that a message was delivered, at a time in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn note_delivered(&mut self, message: MessageId, at_s: i64) -> Result<()> {
        let transaction = self.begin()?;
        transaction.execute(
            "UPDATE message SET delivered_s = ?2, next_s = NULL, tries = tries + 1, problem = '' WHERE id = ?1",
            params![message.0, at_s],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// Takes note that a message could not be delivered, why, and when that is tried next; never, if that is given up.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn note_undelivered(&mut self, message: MessageId, problem: &str, next_s: Option<i64>) -> Result<()> {
        let transaction = self.begin()?;
        transaction.execute(
            "UPDATE message SET next_s = ?3, tries = tries + 1, problem = ?2 WHERE id = ?1 AND delivered_s IS NULL",
            params![message.0, problem, next_s],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// Has all messages that were not delivered tried at once, those too that were given up. Returns how many there are.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn retry_messages(&mut self, now_s: i64) -> Result<usize> {
        let transaction = self.begin()?;
        let sql = "UPDATE message SET next_s = ?1 WHERE delivered_s IS NULL";
        let messages = transaction.execute(sql, [now_s])?;
        transaction.commit()?;
        Ok(messages)
    }

    /// Forgets messages that were delivered or given up, and made before a time in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn forget_messages_before(&mut self, before_s: i64) -> Result<()> {
        let transaction = self.begin()?;
        transaction.execute("DELETE FROM message WHERE next_s IS NULL AND made_s < ?1", [before_s])?;
        transaction.commit()?;
        Ok(())
    }
}
