//! The log of changes: who has changed the terms of a collection, decided on findings, or touched the catalogue, when, by what way and why.
//!
//! Owns the rows of `change`, which are written in the transaction of what they tell of, and never changed. What is forgotten of a
//! collection that is purged is not what was changed of it.

use rusqlite::{Connection, params};
use serde_json::{Map, Value};

use crate::acting::Acting;
use crate::error::{Error, Result};
use crate::events::{self, EventKind, Happening};

/// What there is to say of a change.
pub(crate) struct Changed<'a> {
    /// In one word.
    pub(crate) what: &'a str,
    /// None: it is about the catalogue, or about a collection that is gone by it.
    pub(crate) collection: Option<i64>,
    /// What that is called; empty: it is about the catalogue.
    pub(crate) name: &'a str,
    pub(crate) was: Map<String, Value>,
    pub(crate) becomes: Map<String, Value>,
}

impl Changed<'_> {
    /// The same of `files` files.
    pub(crate) fn with_files(mut self, files: usize) -> Self {
        self.becomes.insert("files".to_owned(), files.into());
        self
    }
}

/// Records a change in the transaction that makes it.
pub(crate) fn record(connection: &Connection, by: &Acting, changed: &Changed<'_>) -> Result<()> {
    let Changed { what, collection, name, was, becomes } = changed;
    let happening = Happening {
        kind: EventKind::Change,
        collection: *collection,
        at_s: by.at_s(),
        actor: &by.actor,
        what,
        reason: &by.reason,
        ..Happening::default()
    };
    let number = events::record(connection, &happening)?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO change (event, name, way, uid, was, becomes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let text = |object: &Map<String, Value>| serde_json::to_string(object).map_err(Error::json);
    statement.execute(params![number, name, by.way.number(), by.uid, text(was)?, text(becomes)?])?;
    Ok(())
}

/// What differs between two objects, as it was and as it is.
pub(crate) fn difference(
    mut was: Map<String, Value>,
    mut becomes: Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    let same: Vec<String> = was
        .iter()
        .filter(|(key, value)| becomes.get(*key) == Some(value))
        .map(|(key, _)| key.clone())
        .collect();
    for key in same {
        was.remove(&key);
        becomes.remove(&key);
    }
    (was, becomes)
}
