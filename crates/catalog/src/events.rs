//! What happens, in one order: findings, decisions, changes of terms, runs and how they end.
//!
//! Owns the numbers of events. They are given out in the transaction that records the event, and never again: who has seen all up to a
//! number misses nothing that comes later, whatever was purged.

use rusqlite::{Connection, params};

use crate::damage::CataloguePart;
use crate::error::{Error, Result};

/// What kind of thing an event is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventKind {
    /// What only the history of a file shows: where it came from, that a filter left it out.
    #[default]
    History,
    /// Something stands against a file.
    Finding,
    /// It stands no more.
    Recovered,
    /// A person has accepted it or knows of it.
    Decision,
    /// Somebody has changed the terms of a collection, or the catalogue.
    Change,
    /// An audit has begun.
    RunBegun,
    /// An audit is over, or has ended before it was.
    RunEnded,
    /// An audit is held.
    Held,
    /// A collection cannot be reached, or can again.
    Offline,
    /// A collection does not let itself be read, or does again.
    Refused,
    /// Nobody has audited a collection for long, or somebody has again.
    Silent,
    /// Files of a collection were not read in time, or are no more late.
    Late,
    /// A file is new, edited, moved or copied, where that is welcome.
    Edit,
}

impl EventKind {
    /// All that a feed has.
    pub const ALL: [Self; 12] = [
        Self::Finding,
        Self::Recovered,
        Self::Decision,
        Self::Change,
        Self::RunBegun,
        Self::RunEnded,
        Self::Held,
        Self::Offline,
        Self::Refused,
        Self::Silent,
        Self::Late,
        Self::Edit,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::History => "history",
            Self::Finding => "finding",
            Self::Recovered => "recovered",
            Self::Decision => "decision",
            Self::Change => "change",
            Self::RunBegun => "run-begun",
            Self::RunEnded => "run-ended",
            Self::Held => "held",
            Self::Offline => "offline",
            Self::Refused => "refused",
            Self::Silent => "silent",
            Self::Late => "late",
            Self::Edit => "edit",
        }
    }

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub(crate) fn of_number(number: i64) -> Result<Self> {
        let all = [Self::History].into_iter().chain(Self::ALL);
        all.into_iter()
            .find(|kind| kind.number() == number)
            .ok_or_else(|| Error::damaged(CataloguePart::Event, format!("there is no kind {number}")))
    }

    /// What a catalogue writes for it.
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::History => 0,
            Self::Finding => 1,
            Self::Recovered => 2,
            Self::Decision => 3,
            Self::Change => 4,
            Self::RunBegun => 5,
            Self::RunEnded => 6,
            Self::Held => 7,
            Self::Offline => 8,
            Self::Refused => 9,
            Self::Silent => 10,
            Self::Late => 11,
            Self::Edit => 12,
        }
    }
}

/// Something that happens, to be recorded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Happening<'a> {
    pub(crate) kind: EventKind,
    /// None: it is about the catalogue.
    pub(crate) collection: Option<i64>,
    pub(crate) item: Option<i64>,
    pub(crate) run: Option<i64>,
    /// In seconds since 1970.
    pub(crate) at_s: i64,
    pub(crate) actor: &'a str,
    /// In one word.
    pub(crate) what: &'a str,
    pub(crate) reason: &'a str,
    /// The other item of a move or a copy.
    pub(crate) other: Option<i64>,
    pub(crate) detail: &'a str,
}

/// Records what happens, and returns its number.
pub(crate) fn record(connection: &Connection, happening: &Happening<'_>) -> Result<i64> {
    let number = next_number(connection)?;
    let Happening { kind, collection, item, run, at_s, actor, what, reason, other, detail } = *happening;
    let mut statement = connection.prepare_cached(
        "INSERT INTO event (id, kind, collection, item, run, at_s, actor, what, reason, other, detail)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    statement.execute(params![
        number,
        kind.number(),
        collection,
        item,
        run,
        at_s,
        actor,
        what,
        reason,
        other,
        detail
    ])?;
    Ok(number)
}

/// The highest number that was given out; 0 if none was.
pub(crate) fn last_number(connection: &Connection) -> Result<i64> {
    let mut statement = connection.prepare_cached("SELECT next - 1 FROM counter WHERE name = 'event'")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// A number that no event has had.
pub(crate) fn next_number(connection: &Connection) -> Result<i64> {
    next_numbers(connection, 1)
}

/// As many that follow each other, by the first of them.
pub(crate) fn next_numbers(connection: &Connection, many: i64) -> Result<i64> {
    let mut statement = connection
        .prepare_cached("UPDATE counter SET next = next + ?1 WHERE name = 'event' RETURNING next - ?1")?;
    Ok(statement.query_row([many], |row| row.get(0))?)
}
