//! Files that are new or edited, where that is welcome: audits count them, and list them for a while.
//!
//! Moves and copies are not among them: the history of a file shows those for ever.

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::Result;
use crate::events;

/// For this many seconds they are listed.
pub(crate) const KEPT_S: i64 = 90 * 86_400;

/// This many of a collection are listed.
const MOST: i64 = 1_000_000;

/// Records the files of a batch: items and verdicts, by their numbers, and when that was, in seconds since 1970.
pub(crate) fn record(
    connection: &Connection,
    (collection, run): (i64, i64),
    edits: &[(i64, i64, i64)],
) -> Result<()> {
    if edits.is_empty() {
        return Ok(());
    }
    let first = events::next_numbers(connection, edits.len() as i64)?;
    // A run that was killed reports once more what it may not have reported.
    let mut statement = connection.prepare_cached(
        "INSERT INTO edit (id, collection, item, run, at_s, verdict) SELECT ?1, ?2, ?3, ?4, ?5, ?6
         WHERE NOT EXISTS (SELECT 1 FROM edit WHERE item = ?3 AND run = ?4 AND verdict = ?6)",
    )?;
    for (number, (item, verdict, at_s)) in (first..).zip(edits) {
        statement.execute(params![number, collection, item, run, at_s, verdict])?;
    }
    Ok(())
}

/// Forgets those of a collection that are old, or too many. They are as old as they were when the audit before this one began: a clock that is
/// wrong once forgets nothing. `run`: this one.
pub(crate) fn forget(connection: &Connection, (collection, run): (i64, i64)) -> Result<()> {
    let before: Option<i64> = connection
        .prepare_cached(
            "SELECT started_s FROM run WHERE collection = ?1 AND id < ?2 ORDER BY id DESC LIMIT 1",
        )?
        .query_row([collection, run], |row| row.get(0))
        .optional()?;
    let Some(before_s) = before else { return Ok(()) };
    let mut old = connection.prepare_cached(
        "DELETE FROM edit WHERE run IN (SELECT id FROM run WHERE collection = ?1 AND started_s < ?2) AND at_s < ?2 RETURNING id",
    )?;
    let old =
        old.query_map(params![collection, before_s.saturating_sub(KEPT_S)], |row| row.get::<_, i64>(0))?;
    let mut last = None;
    for id in old {
        last = last.max(Some(id?));
    }
    let beyond: Option<i64> = connection
        .prepare_cached("SELECT id FROM edit WHERE collection = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2")?
        .query_row(params![collection, MOST], |row| row.get(0))
        .optional()?;
    if let Some(beyond) = beyond {
        connection
            .prepare_cached("DELETE FROM edit WHERE collection = ?1 AND id <= ?2")?
            .execute([collection, beyond])?;
        last = last.max(Some(beyond));
    }
    let Some(last) = last else { return Ok(()) };
    // Who asks for what is gone gets to know it.
    connection
        .prepare_cached(
            "INSERT INTO counter (name, next) VALUES ('edits of ' || ?1, ?2)
             ON CONFLICT (name) DO UPDATE SET next = max(next, excluded.next)",
        )?
        .execute(params![collection, last + 1])?;
    Ok(())
}

/// The number up to which edits of a collection are forgotten, if any is.
pub(crate) fn forgotten_to(connection: &Connection, collection: i64) -> Result<Option<i64>> {
    let mut statement =
        connection.prepare_cached("SELECT next - 1 FROM counter WHERE name = 'edits of ' || ?1")?;
    Ok(statement.query_row([collection], |row| row.get(0)).optional()?)
}
