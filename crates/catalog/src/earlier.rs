//! Catalogues of earlier versions, shown as if they were of the latest one.
//!
//! Owns what each version shows in the place of what the one before does not have. Nothing is written for that: SQLite looks for a table
//! among the temporary ones first, so a temporary view takes its place for this connection alone.
//!
//! Invariants:
//! 1. What is shown of an earlier version is what its migration makes of it, row by row. Only what a migration draws by lot is not there.
//! 2. A view reads no more of a table than a statement asks for: SQLite sees through each of them.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::error::Result;
use crate::migrations::LATEST;

/// From which version on a table is as it is shown, its name, and how it is shown where it is older: `{}` is what was shown so far.
/// A table that was not there yet has no `{}`. Version 6 has the tables of version 5.
const SHOWN: &[(u32, &str, &str)] = &[
    (2, "collection", "SELECT *, x'' AS identity FROM {}"),
    (
        2,
        "version",
        "SELECT item, row_number() OVER (PARTITION BY item ORDER BY run) - 1 AS nth, run, size, mtime_ns, digests, until_run FROM {}",
    ),
    (2, "next_leaf", "SELECT 0 AS number"),
    (
        2,
        "run",
        "SELECT id, collection, request, actor, reason, started_s, ended_s, outcome, counts, secret, 0 AS leaf_base, 0 AS leaves,
         NULL AS merkle_root FROM {}",
    ),
    (3, "collection", "SELECT *, '{}' AS store FROM {}"),
    (
        4,
        "evidence",
        "SELECT NULL AS id, NULL AS collection, NULL AS run, NULL AS files, NULL AS provider, NULL AS kind, NULL AS made_s,
         NULL AS imported_s, NULL AS fingerprint, NULL AS is_whole, NULL AS counts, NULL AS agrees, NULL AS differs WHERE false",
    ),
    (
        4,
        "statement",
        "SELECT NULL AS evidence, NULL AS item, NULL AS outcome, NULL AS algorithm, NULL AS digest, NULL AS size, NULL AS mtime_ns,
         NULL AS version, NULL AS etag, NULL AS detail, NULL AS is_current WHERE false",
    ),
    (5, "read_version", "SELECT NULL AS item, NULL AS version WHERE false"),
    (5, "finding", "SELECT *, NULL AS version FROM {}"),
    (5, "withheld", "SELECT *, NULL AS version FROM {}"),
    (5, "evidence", "SELECT *, NULL AS root FROM {}"),
    (7, "collection", "SELECT *, '[]' AS policies FROM {}"),
    (7, "finding", "SELECT *, NULL AS cause FROM {}"),
    (
        8,
        "finding",
        "SELECT item, collection, verdict, run, since_s, seen_s, stint, size, mtime_ns, ctime_ns, inode,
         CASE WHEN verdict <> 19 THEN digests END AS digests, again, reading, detail, cleared_s, known_by, known_reason, known_s,
         known_until_s, version, cause, CASE WHEN verdict = 19 AND digests IS NOT NULL THEN 14 END AS was, NULL AS was_cause,
         CASE WHEN verdict = 19 THEN digests END AS was_digests FROM {}",
    ),
    (8, "stint", "SELECT *, NULL AS root FROM {}"),
    (
        8,
        "ignored",
        "SELECT id AS item, CASE WHEN EXISTS (SELECT 1 FROM main.finding WHERE main.finding.item = main.item.id AND cleared_s IS NULL
         AND verdict IN (17, 10, 11)) THEN 4 ELSE 0 END AS state FROM main.item WHERE state = 6",
    ),
    (8, "missed", "SELECT NULL AS item, NULL AS since_s, NULL AS run WHERE false"),
    (9, "collection", "SELECT *, '{}' AS habits FROM {}"),
    (10, "in_use", "SELECT NULL AS item, NULL AS audits, NULL AS run WHERE false"),
    (
        11,
        "counter",
        "SELECT 'leaf' AS name, number AS next, 0 AS row_sum FROM next_leaf
         UNION ALL SELECT 'event', coalesce(max(id), 0) + 1, 0 FROM main.event",
    ),
    (11, "collection", "SELECT *, NULL AS refused_s, NULL AS silent_s, NULL AS late_s, 0 AS row_sum FROM {}"),
    (11, "run", "SELECT *, 0 AS way, NULL AS uid, '{}' AS standing, 0 AS row_sum FROM {}"),
    (
        11,
        "stint",
        "SELECT *, 0 AS phase, 0 AS files, 0 AS bytes, NULL AS planned_bytes, NULL AS bytes_per_second, NULL AS progress_s, 0 AS row_sum
         FROM {}",
    ),
    (11, "directory", OF_ROW),
    (11, "segment", "SELECT *, 0 AS items_sum, 0 AS row_sum FROM {}"),
    (11, "version", OF_ROW),
    (11, "read_version", OF_ROW),
    (11, "span", OF_ROW),
    (11, "total", OF_ROW),
    (11, "unlisted", OF_ROW),
    (11, "checkpoint", OF_ROW),
    (11, "withheld", OF_ROW),
    (11, "evidence", OF_ROW),
    (11, "statement", OF_ROW),
    (11, "ignored", OF_ROW),
    (11, "missed", OF_ROW),
    (11, "in_use", OF_ROW),
    (11, "finding", "SELECT *, seen_s AS told_s, 0 AS row_sum FROM {}"),
    (
        11,
        "event",
        "SELECT id, CASE WHEN what IN ('accepted', 'acknowledged') THEN 3 WHEN what IN ('recovered', 'withdrawn', 'settled') THEN 2
             WHEN what IN ('moved', 'copied') AND other IS NOT NULL THEN 12
             WHEN what IN ('back', 'gone', 'ignored') OR other IS NOT NULL THEN 0 ELSE 1 END AS kind,
         collection, item, run, at_s, actor, what, reason, other, detail, 0 AS row_sum FROM {}",
    ),
    (
        11,
        "change",
        "SELECT NULL AS event, NULL AS name, NULL AS way, NULL AS uid, NULL AS was, NULL AS becomes, NULL AS row_sum WHERE false",
    ),
    (
        11,
        "edit",
        "SELECT NULL AS id, NULL AS collection, NULL AS item, NULL AS run, NULL AS at_s, NULL AS verdict, NULL AS row_sum
         WHERE false",
    ),
    (
        11,
        "pending",
        "SELECT NULL AS id, NULL AS collection, NULL AS what, NULL AS actor, NULL AS way, NULL AS uid, NULL AS reason, NULL AS at_s,
         NULL AS until_s, NULL AS done_s, NULL AS run, NULL AS row_sum WHERE false",
    ),
    (
        11,
        "pending_item",
        "SELECT NULL AS pending, NULL AS item, NULL AS verdict, NULL AS since_s, NULL AS size, NULL AS mtime_ns, NULL AS ctime_ns,
         NULL AS inode, NULL AS digests, NULL AS outcome, NULL AS row_sum WHERE false",
    ),
    (
        12,
        "steering",
        "SELECT NULL AS stint, NULL AS stop_s, NULL AS stop_by, NULL AS rate, NULL AS rate_by, NULL AS row_sum WHERE false",
    ),
    (
        12,
        "pause",
        "SELECT NULL AS id, NULL AS since_s, NULL AS until_s, NULL AS actor, NULL AS reason, NULL AS row_sum WHERE false",
    ),
    (12, "target", "SELECT NULL AS name, NULL AS event, NULL AS row_sum WHERE false"),
    (
        12,
        "told",
        "SELECT NULL AS target, NULL AS collection, NULL AS condition, NULL AS at_s, NULL AS row_sum WHERE false",
    ),
    (
        12,
        "message",
        "SELECT NULL AS id, NULL AS target, NULL AS kind, NULL AS first, NULL AS last, NULL AS made_s, NULL AS content, NULL AS tries,
         NULL AS next_s, NULL AS delivered_s, NULL AS problem, NULL AS row_sum WHERE false",
    ),
];

/// A table whose rows have a checksum since, and nothing else that is new.
const OF_ROW: &str = "SELECT *, 0 AS row_sum FROM {}";

/// Has a connection show a catalogue of a version as if it were of the latest one.
pub(crate) fn show(connection: &Connection, version: u32) -> Result<()> {
    debug_assert!(version <= LATEST, "a later version was refused before");
    for (table, rows) in views(version) {
        connection.execute_batch(&format!("CREATE TEMP VIEW {table} AS {rows}"))?;
    }
    Ok(())
}

/// The tables that are not as they are in the latest version, and what stands for them.
fn views(version: u32) -> BTreeMap<&'static str, String> {
    let mut views = BTreeMap::new();
    for (_, table, rows) in SHOWN.iter().filter(|(since, ..)| *since > version) {
        let before = match views.get(table) {
            Some(rows) => format!("({rows})"),
            None => format!("main.{table}"),
        };
        // Not `{}` as a text of SQL.
        views.insert(*table, rows.replace("FROM {}", &format!("FROM {before}")));
    }
    views
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rusqlite::types::Value;

    use super::*;
    use crate::checksums;
    use crate::paths::beside;
    use crate::reader::Reader;
    use crate::writer::Writer;

    fn tables(connection: &Connection) -> Vec<String> {
        let sql = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut statement = connection.prepare(sql).expect("a query");
        let names = statement.query_map([], |row| row.get(0)).expect("asked");
        names.collect::<rusqlite::Result<_>>().expect("readable")
    }

    /// The columns of a table by their names, and its rows.
    fn rows(connection: &Connection, table: &str) -> (Vec<String>, Vec<Vec<Value>>) {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).expect("it is there");
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let read = |row: &rusqlite::Row<'_>| {
            // What is drawn by lot is there or not.
            let value = |(at, name): (usize, &String)| match (table, &name[..]) {
                ("collection", "identity") => Ok(Value::Null),
                // Those of rows that have none show nothing.
                (_, "row_sum" | "items_sum") => Ok(Value::Null),
                _ => row.get::<_, Value>(at),
            };
            columns.iter().enumerate().map(value).collect::<rusqlite::Result<Vec<_>>>()
        };
        let found = statement.query_map([], read).expect("asked");
        let mut found: Vec<Vec<Value>> = found.collect::<rusqlite::Result<_>>().expect("readable");
        found.sort_by_key(|row| format!("{row:?}"));
        (columns, found)
    }

    /// A copy of the catalogue of a version: SQLite makes files beside one that it reads.
    fn copied(version: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/catalogues");
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("catalog");
        std::fs::copy(Path::new(folder).join(format!("version-{version}.sqlite")), &path).expect("copied");
        (directory, path)
    }

    #[test]
    fn what_a_killed_process_has_left_in_the_log_stays_there_when_it_is_read() {
        for version in [4, LATEST] {
            let (directory, path) = copied(version);
            let writer = Connection::open(&path).expect("opened");
            writer.pragma_update(None, "journal_mode", "WAL").expect("as catalogues are");
            if version >= checksums::SINCE {
                checksums::add_functions(&writer).expect("added");
                checksums::keep(&writer).expect("kept");
            }
            writer.execute("UPDATE collection SET name = name || '!'", []).expect("written");
            // While it is open: as if it were killed.
            let left = directory.path().join("left");
            let parts = ["", "-wal"].map(|part| beside(&left, part));
            for (part, to) in ["", "-wal"].iter().zip(&parts) {
                std::fs::copy(beside(&path, part), to).expect("copied");
            }
            let contents = || parts.clone().map(|part| std::fs::read(part).expect("there"));
            let before = contents();
            assert!(!before[1].is_empty());
            let read = Reader::open(&left).expect("it can be read");
            assert!(read.collections().expect("readable").iter().all(|one| one.terms.name.ends_with('!')));
            drop(read);
            assert!(contents() == before, "version {version}");
        }
    }

    #[test]
    fn what_is_shown_of_a_version_is_what_its_migration_makes_of_it() {
        for version in 1..LATEST {
            let (_directory, path) = copied(version);
            let shown = Reader::open(&path).expect("it can be read");
            // What was opened before goes on showing what was there.
            let migrated = Writer::open(&path).expect("brought up to date");
            // What reports the step itself is new.
            let step = "DELETE FROM change WHERE event IN (SELECT id FROM event WHERE what = 'migrated');
                DELETE FROM event WHERE what = 'migrated';
                UPDATE counter SET next = next - 1 WHERE name = 'event'";
            migrated.connection.execute_batch(step).expect("taken out");
            let before = rows(&shown.connection, "collection");
            assert!(before.1.len() > 3, "a story is told in it");
            let tables = tables(&migrated.connection);
            assert!(tables.len() > 15, "{tables:?}");
            for table in tables {
                assert_eq!(
                    rows(&shown.connection, &table),
                    rows(&migrated.connection, &table),
                    "{table} of version {version}"
                );
            }
        }
    }

    #[test]
    fn a_view_uses_the_indexes_of_its_table() {
        for version in 1..=LATEST {
            let (_directory, path) = copied(version);
            let shown = Reader::open(&path).expect("it can be read");
            for asked in [
                "SELECT verdict FROM finding WHERE item = ?1 AND cleared_s IS NULL",
                "SELECT 1 FROM item WHERE NOT EXISTS (SELECT 1 FROM finding WHERE finding.item = item.id AND verdict <> 22) AND item.id = ?1",
                "SELECT nth, digests FROM version WHERE item = ?1 ORDER BY nth",
                "SELECT merkle_root FROM run WHERE id = ?1",
                "SELECT name, store FROM collection WHERE id = ?1",
            ] {
                let mut statement =
                    shown.connection.prepare(&format!("EXPLAIN QUERY PLAN {asked}")).expect("a query");
                let steps = statement.query_map([1], |row| row.get(3)).expect("asked");
                let steps: Vec<String> = steps.collect::<rusqlite::Result<_>>().expect("readable");
                // The row that a query without a table has.
                let walks =
                    steps.iter().filter(|step| step.starts_with("SCAN") && *step != "SCAN CONSTANT ROW");
                // What is made of the rows that were found is walked through, and is not a table.
                let is_made = |name: &str| steps.contains(&format!("CO-ROUTINE {name}"));
                let walks: Vec<_> = walks.filter(|step| !is_made(&step["SCAN ".len()..])).collect();
                assert!(walks.is_empty(), "version {version}: {asked}\n{steps:?}");
            }
        }
    }
}
