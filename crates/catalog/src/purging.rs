//! Forgetting a collection for ever.
//!
//! Ten million files are forgotten in many short transactions: in a single one the log would grow as large as the database, and everyone
//! who writes would wait for minutes.
//!
//! Invariants:
//! 1. A collection is marked first, and from then on in no list, under no name, and never brought back. One whose purge was interrupted can
//!    only be purged to its end.
//! 2. What is about a file is deleted together with it, and its segment too: a new segment may get the same number, and must find nothing.
//! 3. What refers to a row is deleted before it. After each transaction the catalogue is whole.

use std::time::{Duration, Instant};

use rusqlite::{OptionalExtension as _, Transaction, params};
use serde_json::Map;

use crate::changes::{self, Changed};
use crate::collections::{BEING_PURGED, Collection};
use crate::error::Result;
use crate::ids::{CollectionId, ROOM, SHIFT};
use crate::writer::Writer;

/// How long others wait that write, about.
const BATCH: Duration = Duration::from_secs(1);

/// The time between two batches: who waits for a lock of SQLite looks every 100 ms whether it is free.
const PAUSE: Duration = Duration::from_millis(120);

/// Rows that are deleted between two looks at the clock.
const TOGETHER: i64 = 4096;

impl Writer {
    /// Forgets all that is known of a collection, for ever. Where it is interrupted, the collection is one of [`crate::Reader::half_purged`].
    ///
    /// # Errors
    /// It is being audited, or the catalogue does not take it. What is not forgotten then is in no list any more.
    pub fn purge_collection(&mut self, collection: &Collection, now_s: i64) -> Result<()> {
        let _lock = self.lock(collection, now_s)?;
        self.mark_to_purge(collection)?;
        // Each row is gone before what it refers to. SQLite would look through whole tables for more of them, once for each run.
        self.connection.pragma_update(None, "foreign_keys", false)?;
        let purged = self.purge_marked(collection.id);
        self.connection.pragma_update(None, "foreign_keys", true)?;
        purged
    }

    fn mark_to_purge(&mut self, collection: &Collection) -> Result<()> {
        let total = self.present(collection.id)?;
        let acting = self.acting.clone();
        let transaction = self.begin()?;
        let marked = transaction.execute(
            "UPDATE collection SET removed_s = ?2 WHERE id = ?1 AND removed_s IS NOT ?2",
            params![collection.id.0, BEING_PURGED],
        )?;
        // Who ends a purge that was interrupted has not asked for it.
        if marked > 0 {
            let mut was = collection.terms.told(None)?;
            was.retain(|key, _| key == "root");
            was.insert("files".into(), total.files.into());
            was.insert("bytes".into(), total.bytes.into());
            let (name, becomes) = (&collection.terms.name[..], Map::new());
            let changed = Changed { what: "purged", collection: None, name, was, becomes };
            changes::record(&transaction, &acting, &changed)?;
        }
        // From now on they are not those of its files.
        transaction.execute("DELETE FROM total WHERE collection = ?1", [collection.id.0])?;
        transaction.commit()?;
        Ok(())
    }

    fn purge_marked(&mut self, collection: CollectionId) -> Result<()> {
        while self.purge_some(collection, BATCH)? {
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Deletes for a while, at least one step. `false`: nothing is left.
    fn purge_some(&mut self, collection: CollectionId, time: Duration) -> Result<bool> {
        let began = Instant::now();
        let transaction = self.begin()?;
        // A backup may have been brought back, in which this number is another collection.
        let is_marked: Option<bool> = transaction
            .query_row(
                "SELECT removed_s IS ?2 FROM collection WHERE id = ?1",
                params![collection.0, BEING_PURGED],
                |row| row.get(0),
            )
            .optional()?;
        let mut is_left = is_marked == Some(true);
        while is_left {
            is_left = step(&transaction, collection)?;
            if began.elapsed() >= time {
                break;
            }
        }
        transaction.commit()?;
        Ok(is_left)
    }
}

/// Deletes the next rows of a collection. `false`: it is gone.
fn step(transaction: &Transaction<'_>, collection: CollectionId) -> Result<bool> {
    let CollectionId(collection) = collection;
    let first = |sql: &str, of: i64| -> rusqlite::Result<Option<i64>> {
        transaction.prepare_cached(sql)?.query_row([of], |row| row.get(0)).optional()
    };
    // A new segment may get the number of one that is purged: nobody says anything of its items yet.
    if transaction.prepare_cached(STATEMENTS)?.execute(params![collection, TOGETHER])? > 0 {
        return Ok(true);
    }
    if let Some(directory) = first("SELECT id FROM directory WHERE collection = ?1 LIMIT 1", collection)? {
        match first("SELECT id FROM segment WHERE directory = ?1 LIMIT 1", directory)? {
            Some(segment) => delete_segment(transaction, segment)?,
            None => {
                transaction.prepare_cached("DELETE FROM directory WHERE id = ?1")?.execute([directory])?;
            }
        }
        return Ok(true);
    }
    for sql in REST {
        if transaction.prepare_cached(sql)?.execute(params![collection, TOGETHER])? > 0 {
            return Ok(true);
        }
    }
    transaction.execute("DELETE FROM collection WHERE id = ?1", [collection])?;
    Ok(false)
}

/// Deletes a segment, its items, and what is about them.
fn delete_segment(transaction: &Transaction<'_>, segment: i64) -> Result<()> {
    let first = segment << SHIFT;
    for table in [
        "event",
        "version",
        "read_version",
        "finding",
        "withheld",
        "ignored",
        "missed",
        "in_use",
        "edit",
        "pending_item",
    ] {
        let mut statement =
            transaction.prepare_cached(&format!("DELETE FROM {table} WHERE item BETWEEN ?1 AND ?2"))?;
        statement.execute(params![first, first + ROOM - 1])?;
    }
    let mut statement = transaction.prepare_cached("DELETE FROM item WHERE id BETWEEN ?1 AND ?2")?;
    statement.execute(params![first, first + ROOM - 1])?;
    transaction.prepare_cached("DELETE FROM segment WHERE id = ?1")?.execute([segment])?;
    Ok(())
}

/// What providers say of the items, a number of rows at a time.
const STATEMENTS: &str = "DELETE FROM statement WHERE (evidence, item) IN
     (SELECT evidence, item FROM statement WHERE evidence IN (SELECT id FROM evidence WHERE collection = ?1) LIMIT ?2)";

/// What is deleted when all items are gone, a number of rows at a time.
const REST: [&str; 15] = [
    // What was changed of it, and by whom, is not forgotten.
    "UPDATE event SET collection = NULL WHERE id IN (SELECT id FROM event WHERE collection = ?1 AND kind = 4 LIMIT ?2)",
    "DELETE FROM pending_item WHERE (pending, item) IN
         (SELECT pending, item FROM pending_item WHERE pending IN (SELECT id FROM pending WHERE collection = ?1) LIMIT ?2)",
    "DELETE FROM pending WHERE id IN (SELECT id FROM pending WHERE collection = ?1 LIMIT ?2)",
    "DELETE FROM evidence WHERE id IN (SELECT id FROM evidence WHERE collection = ?1 LIMIT ?2)",
    "DELETE FROM event WHERE id IN (SELECT id FROM event WHERE collection = ?1 LIMIT ?2)",
    "DELETE FROM finding WHERE item IN (SELECT item FROM finding WHERE collection = ?1 LIMIT ?2)",
    "DELETE FROM withheld WHERE item IN
         (SELECT item FROM withheld WHERE run IN (SELECT id FROM run WHERE collection = ?1) LIMIT ?2)",
    "DELETE FROM span WHERE (collection, first) IN
         (SELECT collection, first FROM span WHERE collection = ?1 LIMIT ?2)",
    "DELETE FROM unlisted WHERE (collection, path) IN
         (SELECT collection, path FROM unlisted WHERE collection = ?1 LIMIT ?2)",
    "DELETE FROM checkpoint WHERE (collection, path) IN
         (SELECT collection, path FROM checkpoint WHERE collection = ?1 LIMIT ?2)",
    "DELETE FROM told WHERE (target, collection) IN (SELECT target, collection FROM told WHERE collection = ?1 LIMIT ?2)",
    "DELETE FROM steering WHERE stint IN
         (SELECT stint FROM steering JOIN stint ON stint.id = steering.stint JOIN run ON run.id = stint.run WHERE run.collection = ?1
          LIMIT ?2)",
    "DELETE FROM stint WHERE id IN
         (SELECT id FROM stint WHERE run IN (SELECT id FROM run WHERE collection = ?1) LIMIT ?2)",
    "DELETE FROM run WHERE id IN (SELECT id FROM run WHERE collection = ?1 LIMIT ?2)",
    "DELETE FROM counter WHERE name = 'edits of ' || ?1 AND ?2 > 0",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hashlane_digest::Algorithm;
    use tempfile::TempDir;

    use super::*;
    use crate::collections::Terms;
    use crate::damage::Damage;
    use crate::findings::Seen;
    use crate::ids::ItemId;
    use crate::items::{Content, State};
    use crate::maintenance::Thoroughness;
    use crate::reader::Reader;
    use crate::runs::Request;
    use crate::spans::ReadingKind;
    use crate::verdict::Verdict;

    const NOW: i64 = 1_700_000_000;

    fn made() -> (TempDir, Writer) {
        let directory = tempfile::tempdir().expect("a directory");
        let catalog = Writer::open_or_make(&directory.path().join("catalog")).expect("made");
        (directory, catalog)
    }

    /// Adds a collection with something in every table, in `directories` directories.
    fn fill(catalog: &mut Writer, name: &str, directories: u64) -> (Collection, Vec<ItemId>) {
        let id = catalog.add_collection(&Terms::new(name, "/srv"), NOW).expect("a new name");
        let sha256 = Algorithm::SHA256;
        let content = |number: u64| Content {
            size: Some(number),
            digests: vec![sha256.digest(&number.to_le_bytes())],
            ..Content::default()
        };
        let request =
            |what: &str| Request { what: what.into(), actor: "keeper".into(), reason: String::new() };
        let mut items = Vec::new();
        for run in 0..2 {
            let stint =
                catalog.begin_stint(id, &request(["all", "due"][run as usize]), NOW, 0).expect("a stint");
            let mut batch = catalog.batch(id, stint).expect("a batch");
            for number in 0..directories * 3 {
                let seen = Seen::default();
                if run == 1 {
                    let item = items[number as usize];
                    batch.replace(item, &content(number + 1000), State::Present).expect("replaced");
                    batch.put_finding(item, Verdict::Missing, &seen, NOW).expect("noted");
                    batch.withhold(item, Verdict::Changed, &seen, stint.id).expect("noted");
                    continue;
                }
                let directory =
                    batch.directory(format!("d{}", number % directories).as_bytes()).expect("a directory");
                let name = number.to_string();
                let item =
                    batch.add(directory, name.as_bytes(), &content(number), State::Present).expect("added");
                batch.read_good(item, item, ReadingKind::Device).expect("recorded");
                items.push(item);
            }
            batch.commit().expect("written");
        }
        catalog.set_unlisted(id, &BTreeMap::from([(b"x".to_vec(), "denied".into())]), NOW).expect("noted");
        let put_aside = "INSERT INTO checkpoint VALUES (?1, x'78', (SELECT max(id) FROM stint), '', 1, 1, 1, 1, 1, x'', 0)";
        catalog.connection.execute(put_aside, [id.0]).expect("noted");
        let report =
            "INSERT INTO evidence (collection, run, files, provider, kind, imported_s, fingerprint, is_whole)
             VALUES (?1, (SELECT max(id) FROM run), '[]', 'S3', 1, 1, x'', 1)";
        catalog.connection.execute(report, [id.0]).expect("noted");
        let said =
            "INSERT INTO statement (evidence, item, outcome) VALUES ((SELECT max(id) FROM evidence), ?1, 1)";
        catalog.connection.execute(said, [items[0].0]).expect("noted");
        let version = "INSERT INTO read_version VALUES (?1, 'v1', 0)";
        catalog.connection.execute(version, [items[0].0]).expect("noted");
        (catalog.collection(name).expect("it was added"), items)
    }

    fn problems(catalog: &Reader) -> Vec<Damage> {
        catalog.verify(Thoroughness::Full).expect("readable")
    }

    /// How many rows the tables have.
    fn rows(catalog: &Reader) -> Vec<i64> {
        let count = |table: &&str| {
            let sql = format!("SELECT count(*) FROM {table}");
            catalog.connection.query_row(&sql, [], |row| row.get(0)).expect("a table")
        };
        TABLES.iter().map(count).collect()
    }

    const TABLES: [&str; 17] = [
        "collection",
        "run",
        "stint",
        "directory",
        "segment",
        "item",
        "version",
        "read_version",
        "span",
        "total",
        "finding",
        "event",
        "unlisted",
        "withheld",
        "checkpoint",
        "evidence",
        "statement",
    ];

    #[test]
    fn a_purge_that_ends_anywhere_leaves_the_catalogue_whole_and_goes_on() {
        let (_directory, mut catalog) = made();
        let (kept, _) = fill(&mut catalog, "kept", 2);
        let before = rows(&catalog);
        let (purged, _) = fill(&mut catalog, "purged", 4);
        assert!(rows(&catalog).iter().zip(&before).all(|(all, before)| all > before), "all have some");
        catalog.mark_to_purge(&purged).expect("marked");
        let mut steps = 0;
        loop {
            assert_eq!(problems(&catalog), [], "after {steps} steps");
            assert!(catalog.collection("purged").is_err());
            assert!(catalog.removed_collections().expect("readable").is_empty());
            catalog.restore_collection(&purged).expect_err("it is not whole any more");
            let half: Vec<_> = catalog.half_purged().expect("readable");
            assert_eq!(half.iter().map(|half| half.id).collect::<Vec<_>>(), [purged.id]);
            // Another process, each time.
            catalog = Writer::open(catalog.path()).expect("opened again");
            catalog.connection.pragma_update(None, "foreign_keys", false).expect("set");
            if !catalog.purge_some(purged.id, Duration::ZERO).expect("purged") {
                break;
            }
            steps += 1;
        }
        assert!(steps >= 12, "{steps}");
        // That it was added and is purged is not forgotten.
        let mut after = before;
        after[TABLES.iter().position(|table| *table == "event").expect("it is there")] += 2;
        assert_eq!((rows(&catalog), problems(&catalog)), (after, vec![]));
        assert!(catalog.half_purged().expect("readable").is_empty());
        assert_eq!(catalog.total(kept.id, State::Present).expect("readable").files, 6);
    }

    #[test]
    fn what_comes_meanwhile_has_nothing_of_what_is_purged() {
        let (_directory, mut catalog) = made();
        let (purged, before) = fill(&mut catalog, "c", 4);
        catalog.mark_to_purge(&purged).expect("marked");
        catalog.connection.pragma_update(None, "foreign_keys", false).expect("set");
        // All directories, and nothing of the rest.
        for _ in 0..8 {
            catalog.purge_some(purged.id, Duration::ZERO).expect("purged");
        }
        catalog.connection.pragma_update(None, "foreign_keys", true).expect("set");
        let (new, items) = fill(&mut catalog, "c", 4);
        assert_eq!(items, before, "numbers are given out again");
        for item in &items {
            assert_eq!(catalog.events(*item).expect("readable").len(), 1, "its own");
            assert_eq!(catalog.versions(&new, *item).expect("readable").len(), 1);
        }
        assert_eq!(problems(&catalog), []);
        catalog.purge_collection(&purged, NOW).expect("purged");
        assert_eq!(problems(&catalog), []);
        assert_eq!(catalog.collection("c").expect("it stays").id, new.id);
        assert_eq!(catalog.total(new.id, State::Present).expect("readable").files, 12);
    }

    #[test]
    fn a_backup_that_is_brought_back_ends_a_purge() {
        let (directory, mut catalog) = made();
        let (collection, _) = fill(&mut catalog, "c", 2);
        let copy = directory.path().join("copy");
        catalog.backup(&copy).expect("copied");
        catalog.mark_to_purge(&collection).expect("marked");
        let lock = catalog.lock(&collection, NOW).expect("nobody has it");
        let backup = Reader::open_backup(&copy).expect("whole");
        catalog.restore(&backup, None, NOW).expect_err("somebody purges it");
        drop(lock);
        catalog.restore(&backup, None, NOW).expect("brought back");
        assert!(!catalog.purge_some(collection.id, BATCH).expect("nothing to do"));
        assert_eq!(catalog.total(collection.id, State::Present).expect("readable").files, 6);
    }
}
