//! What lasts: that a collection cannot be reached, does not let itself be read, is not audited, or breaks its promise. Each begins once and is
//! over once, and both are events.

use jiff::Timestamp;
use rusqlite::params;

use crate::error::Result;
use crate::events::{self, EventKind, Happening};
use crate::writer::Writer;

/// Something that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// It cannot be reached.
    Offline,
    /// It does not let itself be read.
    Refused,
    /// Nobody has judged it for long.
    Silent,
    /// Files were not read in time.
    Late,
}

impl Lasting {
    /// The column that says since when.
    fn column(self) -> &'static str {
        match self {
            Self::Offline => "offline_s",
            Self::Refused => "refused_s",
            Self::Silent => "silent_s",
            Self::Late => "late_s",
        }
    }

    fn kind(self) -> EventKind {
        match self {
            Self::Offline => EventKind::Offline,
            Self::Refused => EventKind::Refused,
            Self::Silent => EventKind::Silent,
            Self::Late => EventKind::Late,
        }
    }
}

impl Writer {
    /// Takes note that something lasts, since a time in seconds since 1970, or that it does not. Only what is new of that is an event.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn note_lasting(
        &mut self,
        collection: i64,
        lasting: Lasting,
        since_s: Option<i64>,
        (run, now_s): (i64, i64),
    ) -> Result<()> {
        let column = lasting.column();
        let transaction = self.begin()?;
        let before: Option<i64> = transaction
            .prepare_cached(&format!("SELECT {column} FROM collection WHERE id = ?1"))?
            .query_row([collection], |row| row.get(0))?;
        let (what, kept) = match (before, since_s) {
            (None, Some(since_s)) => ("begun", Some(since_s)),
            (Some(_), None) => ("over", None),
            _ => return Ok(()),
        };
        // It is an event of the moment in which it is noted: who has asked before that has not seen it.
        let since =
            kept.filter(|since_s| *since_s != now_s).and_then(|since_s| Timestamp::from_second(since_s).ok());
        let detail = since.map(|since| format!("since {since}")).unwrap_or_default();
        transaction
            .prepare_cached(&format!("UPDATE collection SET {column} = ?2 WHERE id = ?1"))?
            .execute(params![collection, kept])?;
        let actor: String = transaction
            .prepare_cached("SELECT actor FROM run WHERE id = ?1")?
            .query_row([run], |row| row.get(0))?;
        let happening = Happening {
            kind: lasting.kind(),
            collection: Some(collection),
            run: Some(run),
            at_s: now_s,
            actor: &actor,
            what,
            detail: &detail,
            ..Happening::default()
        };
        events::record(&transaction, &happening)?;
        transaction.commit()?;
        Ok(())
    }
}
