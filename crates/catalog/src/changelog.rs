//! The log of changes, read.

use rusqlite::params;
use serde_json::{Map, Value};

use crate::acting::{Acting, Way};
use crate::changes;
use crate::collections::Collection;
use crate::error::{Error, Result};
use crate::reader::Reader;
use crate::runs::Request;
use crate::writer::Writer;

/// Something that was changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The number of its event: later ones have higher numbers.
    pub number: i64,
    /// When, in seconds since 1970.
    pub at_s: i64,
    /// Who.
    pub actor: String,
    /// The number of the user of the system, if that is known.
    pub uid: Option<u32>,
    /// By what way.
    pub way: Way,
    /// What was done, in one word.
    pub what: String,
    /// What the collection was called then; empty: it is about the catalogue.
    pub collection: String,
    /// What differs, as it was before: a JSON object.
    pub was: Map<String, Value>,
    /// The same as it is since.
    pub becomes: Map<String, Value>,
    /// Why.
    pub reason: String,
}

impl Reader {
    /// The changes since a time, in seconds since 1970, of a collection that had this name then or has it now; none: all. In the order
    /// in which they were made.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged; no collection has or had the name.
    pub fn changes(&self, collection: Option<&str>, since_s: Option<i64>) -> Result<Vec<Change>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT event.id, event.at_s, event.actor, change.uid, change.way, event.what, change.name, change.was, change.becomes,
                 event.reason
             FROM change JOIN event ON event.id = change.event LEFT JOIN collection ON collection.id = event.collection
             WHERE (?1 IS NULL OR change.name = ?1 OR collection.name = ?1) AND (?2 IS NULL OR event.at_s >= ?2) ORDER BY event.id",
        )?;
        let mut rows = statement.query(params![collection, since_s])?;
        let mut changes = Vec::new();
        while let Some(row) = rows.next()? {
            let object = |column: &str| -> Result<Map<String, Value>> {
                serde_json::from_str(&row.get::<_, String>(column)?).map_err(Error::json)
            };
            changes.push(Change {
                number: row.get("id")?,
                at_s: row.get("at_s")?,
                actor: row.get("actor")?,
                uid: row.get("uid")?,
                way: Way::of_number(row.get("way")?),
                what: row.get("what")?,
                collection: row.get("name")?,
                was: object("was")?,
                becomes: object("becomes")?,
                reason: row.get("reason")?,
            });
        }
        match collection {
            Some(name) if name.is_empty() || changes.is_empty() && !self.has_known(name)? => {
                Err(Error::NoCollection { name: name.to_owned() })
            }
            _ => Ok(changes),
        }
    }

    /// Whether a collection has this name, or had it when something was changed of it.
    fn has_known(&self, name: &str) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "SELECT 1 FROM collection WHERE name = ?1 UNION ALL SELECT 1 FROM change WHERE name = ?1",
        )?;
        Ok(statement.exists([name])?)
    }
}

impl Writer {
    /// Says who works with it from now on: that stands in the log of changes.
    pub fn act_as(&mut self, acting: Acting) {
        self.acting = acting;
    }

    /// Records that somebody lets a run that was held go on, at a time in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn note_resumed(&mut self, collection: &Collection, request: &Request, at_s: i64) -> Result<()> {
        let acting = self.acting.on(&request.actor, &request.reason, at_s);
        let transaction = self.begin()?;
        changes::record(&transaction, &acting, &collection.changed("hold-resumed"))?;
        transaction.commit()?;
        Ok(())
    }
}
