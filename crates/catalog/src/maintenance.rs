//! What keeps a catalogue in order: checking it, copying it, bringing a copy back, making it small.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;

use hashlane_record::shown_name;
use rusqlite::{Connection, ErrorCode, OpenFlags, params};
use serde_json::{Map, json};

use crate::acting::Acting;
use crate::changes::{self, Changed};
use crate::checksums;
use crate::collections::BEING_PURGED;
use crate::copying::{self, copy_all};
use crate::damage::{CataloguePart, Damage};
use crate::error::{Error, Result};
use crate::header::{APPLICATION_ID, application_of};
use crate::ids::{CollectionId, ItemId, RunId, SHIFT};
use crate::items::State;
use crate::lock;
use crate::migrations::{LATEST, check_version, migrate_copy, schema, schema_of};
use crate::paths::{beside, bytes_of};
use crate::reader::Reader;
use crate::row::Row;
use crate::totals::Totals;
use crate::verdict::{Numbered as _, Verdict};
use crate::writer::Writer;

/// How many problems are reported at most: the first ones say what is wrong.
const MOST: usize = 100;

/// How thoroughly a catalogue is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// Pages, references, spans, totals and the checksums of all rows and files.
    Quick,
    /// The indexes and the seals of all runs, too.
    Full,
}

/// What is wrong with a catalogue, as far as it is reported.
#[derive(Debug, Default)]
struct Damages(Vec<Damage>);

impl Damages {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }

    fn add(&mut self, damage: Damage) {
        if !self.is_full() {
            self.0.push(damage);
        }
    }

    fn extend(&mut self, damages: impl IntoIterator<Item = Damage>) {
        damages.into_iter().for_each(|damage| self.add(damage));
    }
}

/// The files of a collection, counted anew.
#[derive(Debug, Default)]
struct Counted {
    totals: Totals,
    /// A file whose name another one of its segment has, too.
    twin: Option<ItemId>,
    /// Segments in which some files are not as they were written.
    damaged: Vec<i64>,
}

impl Counted {
    /// Ends a segment: its number, the sum that it should have, and the one that it has.
    fn close(&mut self, segment: Option<(i64, i64, i64)>) {
        if let Some((number, kept, sum)) = segment
            && kept != sum
        {
            self.damaged.push(number);
        }
    }
}

/// Which tables the pages and indexes of a database belong to.
struct Owners<'c> {
    connection: &'c Connection,
    by_root: HashMap<i64, String>,
    by_name: HashMap<String, String>,
}

impl<'c> Owners<'c> {
    fn of(connection: &'c Connection) -> Result<Self> {
        let mut statement = connection.prepare("SELECT rootpage, name, tbl_name FROM main.sqlite_schema")?;
        let mut rows = statement.query([])?;
        let (mut by_root, mut by_name) = (HashMap::new(), HashMap::new());
        while let Some(row) = rows.next()? {
            let table: String = row.get(2)?;
            by_root.insert(row.get(0)?, table.clone());
            by_name.insert(row.get(1)?, table);
        }
        Ok(Self { connection, by_root, by_name })
    }

    /// What a table is a part of.
    fn part(&self, table: &str) -> CataloguePart {
        match checksums::TABLES.iter().find(|summed| summed.table == table) {
            Some(summed) => summed.part,
            None if table == "item" => CataloguePart::Files,
            None => CataloguePart::File,
        }
    }

    /// What SQLite complains of: it names the first page of a tree, another page, or the name of a table or of an index.
    fn part_of(&self, problem: &str) -> Option<CataloguePart> {
        let words = || problem.split(|char: char| !char.is_alphanumeric() && char != '_');
        let behind = |what: &str| {
            words().skip_while(|word| *word != what).nth(1).and_then(|number| number.parse().ok())
        };
        let of_tree = behind("Tree").and_then(|root: i64| match root {
            1 => Some(CataloguePart::Schema),
            root => self.by_root.get(&root).map(|table| self.part(table)),
        });
        let of_tree = of_tree.or_else(|| self.part_of_page(behind("page").or(behind("Page"))?));
        let named = || words().find_map(|word| self.by_name.get(word)).map(|table| self.part(table));
        of_tree.or_else(named)
    }

    /// What a page belongs to, if it belongs to a tree.
    fn part_of_page(&self, page: i64) -> Option<CataloguePart> {
        let sql = "SELECT name FROM dbstat WHERE pageno = ?1";
        let name: String = self.connection.query_row(sql, [page], |row| row.get(0)).ok()?;
        match &name[..] {
            "sqlite_schema" => Some(CataloguePart::Schema),
            name => self.by_name.get(name).map(|table| self.part(table)),
        }
    }
}

impl Reader {
    /// Whether the rows of a collection, and those that are of no collection, are as they were written, where they have checksums.
    ///
    /// # Errors
    /// The catalogue cannot be read, or a row is damaged.
    pub fn check_rows(&self, collection: CollectionId) -> Result<()> {
        match self.has_sums() {
            true => checksums::check(&self.connection, collection.0),
            false => Ok(()),
        }
    }

    /// Finds what is wrong with the catalogue itself: nothing, if all is well.
    ///
    /// # Errors
    /// It cannot be read at all.
    pub fn verify(&self, thoroughness: Thoroughness) -> Result<Vec<Damage>> {
        // A version that another process brings in between two looks would be taken for damage.
        let _moment = self.begin_moment()?;
        let mut damages = Damages::default();
        match self.look_for_damage(thoroughness, &mut damages) {
            Err(Error::Database { source, .. }) if is_malformed(&source.0) => {
                damages.add(Damage::new(self.malformed()?, source.to_string()));
            }
            Err(error) if error.is_damage() => damages.add(error.into_damage()),
            looked => looked?,
        }
        Ok(damages.0)
    }

    fn look_for_damage(&self, thoroughness: Thoroughness, damages: &mut Damages) -> Result<()> {
        let version = check_version(&self.connection, self.path())?;
        // Where the tables are not what they should be, no answer is worth anything.
        damages.extend(self.other_schema(version)?);
        if !damages.is_empty() {
            return Ok(());
        }
        let owners = Owners::of(&self.connection)?;
        let check = match thoroughness {
            Thoroughness::Quick => "PRAGMA quick_check(100)",
            Thoroughness::Full => "PRAGMA integrity_check(100)",
        };
        self.ask(check, damages, &|row| {
            let text: String = row.get(0)?;
            let part = || owners.part_of(&text).map_or_else(|| self.malformed(), Ok);
            let told = || text.trim_start_matches("*** in database main ***").trim().replace('\n', "; ");
            (text != "ok").then(|| Ok(Damage::new(part()?, told()))).transpose()
        })?;
        // What SQLite cannot walk through cannot be counted either.
        if !damages.is_empty() {
            return Ok(());
        }
        if version >= checksums::SINCE {
            checksums::each_damaged(&self.connection, version, &mut |part, problem| {
                damages.add(Damage::new(part, problem));
            })?;
        }
        // Who follows a damaged row comes to where it never led.
        if !damages.is_empty() {
            return Ok(());
        }
        self.ask("PRAGMA foreign_key_check", damages, &|row| {
            let (table, row, parent): (String, Option<i64>, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let problem =
                format!("row {} of {table} refers to a row of {parent} that is not there", row.unwrap_or(0));
            Ok(Some(Damage::new(owners.part(&table), problem)))
        })?;
        self.ask(OVERLAPS, damages, &|row| {
            let (collection, first): (i64, i64) = (row.get(0)?, row.get(1)?);
            let problem = format!("two spans of collection {collection} overlap at file {first}");
            Ok(Some(Damage::new(CataloguePart::Reading, problem)))
        })?;
        self.ask(STRAYS, damages, &|row| {
            let item: i64 = row.get(0)?;
            let problem = format!("file {item} is in no segment that has a place for it");
            Ok(Some(Damage::new(CataloguePart::Files, problem)))
        })?;
        self.ask(LOST, damages, &|row| {
            let (table, item): (String, i64) = (row.get(0)?, row.get(1)?);
            let problem = format!("a row of {table} is about file {item}, which is not there");
            Ok(Some(Damage::new(owners.part(&table), problem)))
        })?;
        self.ask("SELECT DISTINCT verdict FROM finding", damages, &|row| {
            Ok(Verdict::of_number(row.get(0)?).err().map(Error::into_damage))
        })?;
        self.ask("SELECT id FROM run WHERE NOT json_valid(counts)", damages, &|row| {
            let run: i64 = row.get(0)?;
            Ok(Some(Damage::new(CataloguePart::Run, format!("what was counted in run {run} is no JSON"))))
        })?;
        // Of one that is being purged some files are gone.
        let mut statement =
            self.connection.prepare("SELECT id, name FROM collection WHERE removed_s IS NOT ?1")?;
        let mut rows = statement.query([BEING_PURGED])?;
        while let Some(row) = rows.next()? {
            let (id, name): (i64, String) = (row.get(0)?, row.get(1)?);
            let id = CollectionId(id);
            let counted = self.count(id, version)?;
            if let Some(twin) = counted.twin {
                let path = shown_name(&self.path_of(twin)?);
                damages.add(Damage::new(CataloguePart::Files, format!("{path} of {name} is recorded twice")));
            }
            for segment in counted.damaged {
                let directory = shown_name(&self.directory_of(ItemId(segment << SHIFT))?);
                let problem =
                    format!("those of the directory {directory} of {name} are not as they were written");
                damages.add(Damage::new(CataloguePart::Files, problem));
            }
            if counted.totals != Totals::of(&self.connection, id)? {
                let problem = format!(
                    "the files of {name} are not those that were recorded: totals or checksums differ"
                );
                damages.add(Damage::new(CataloguePart::Total, problem));
            }
            if thoroughness == Thoroughness::Full {
                damages.extend(self.unsealed(id, &name)?);
            }
        }
        Ok(())
    }

    /// What is damaged where SQLite stops at a page that it cannot read: the first table that it cannot be led through.
    fn malformed(&self) -> rusqlite::Result<CataloguePart> {
        let is_whole = |table: &str| {
            let checked =
                self.connection.query_row(&format!("PRAGMA main.integrity_check({table})"), [], |row| {
                    Ok(row.get::<_, String>(0)? == "ok")
                });
            match checked {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                    Err(error)
                }
                checked => Ok(checked.unwrap_or(false)),
            }
        };
        if !is_whole("sqlite_schema")? {
            return Ok(CataloguePart::Schema);
        }
        let tables = checksums::TABLES.iter().map(|summed| (summed.table, summed.part));
        let tables = tables.chain([("item", CataloguePart::Files)]);
        for (table, part) in tables {
            if !is_whole(table)? {
                return Ok(part);
            }
        }
        Ok(CataloguePart::File)
    }

    /// What of the tables, indexes and rules is not as this program makes it.
    fn other_schema(&self, version: u32) -> Result<Vec<Damage>> {
        let (found, expected) = (schema_of(&self.connection)?, schema(version)?);
        let missing =
            expected.iter().filter(|(name, sql)| found.get(*name) != Some(sql)).map(|(name, _)| name);
        let strange = found.keys().filter(|name| !expected.contains_key(*name));
        let names: BTreeSet<&String> = missing.chain(strange).collect();
        let damage = |name: &String| {
            Damage::new(
                CataloguePart::Schema,
                format!("{} is not as this program makes it", shown_name(name.as_bytes())),
            )
        };
        Ok(names.into_iter().map(damage).collect())
    }

    /// The first thing that a quick check finds to be wrong.
    pub(crate) fn quick_problem(&self) -> Result<Option<String>> {
        Ok(self.verify(Thoroughness::Quick)?.into_iter().next().map(|damage| damage.to_string()))
    }

    /// The runs of a collection whose seals are broken.
    fn unsealed(&self, id: CollectionId, name: &str) -> Result<Vec<Damage>> {
        let broken = self.collection_of(id).and_then(|collection| self.broken_seals(&collection));
        let damage = |run: RunId| {
            let problem =
                format!("what run {} of {name} recorded was changed since: its Merkle root differs", run.0);
            Damage::new(CataloguePart::Seal, problem)
        };
        match broken {
            Ok(broken) => Ok(broken.into_iter().map(damage).collect()),
            // What cannot be read cannot be what was sealed.
            Err(Error::Damaged { damage, .. }) => Ok(vec![damage]),
            Err(error) => Err(error),
        }
    }

    /// Asks for rows, some of them damaged.
    fn ask(
        &self,
        sql: &str,
        damages: &mut Damages,
        damage: &dyn Fn(&rusqlite::Row<'_>) -> rusqlite::Result<Option<Damage>>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if damages.is_full() {
                break;
            }
            damages.extend(damage(row)?);
        }
        Ok(())
    }

    /// Counts the files of a collection anew, from their rows.
    fn count(&self, collection: CollectionId, version: u32) -> Result<Counted> {
        let mut counted = Counted::default();
        let (mut segment, mut names): (Option<(i64, i64, i64)>, _) = (None, HashSet::new());
        let mut statement = self.connection.prepare_cached(
            "SELECT segment.id, items_sum, item.id, name, size, mtime_ns, ctime_ns, inode, digests, run, state FROM directory
             JOIN segment ON segment.directory = directory.id
             LEFT JOIN item ON item.id BETWEEN segment.id << ?2 AND (segment.id << ?2) + (1 << ?2) - 1
             WHERE directory.collection = ?1",
        )?;
        let mut rows = statement.query(params![collection.0, SHIFT])?;
        let has_sums = version >= checksums::SINCE;
        while let Some(row) = rows.next()? {
            let (number, kept): (i64, i64) = (row.get(0)?, row.get(1)?);
            if segment.is_none_or(|(last, ..)| last != number) {
                counted.close(segment.replace((number, kept, 0)).filter(|_| has_sums));
                names.clear();
            }
            let Some(item) = row.get::<_, Option<i64>>(2)? else { continue };
            let (name, state): (Vec<u8>, i64) = (row.get(3)?, row.get(10)?);
            counted.totals.add(item, &name, State::of_number(state)?, &Row::read(row, 4)?);
            if let Some((_, _, sum)) = &mut segment {
                *sum = checksums::of_item_in(row, 2)?.wrapping_add(*sum);
            }
            if !names.insert(name) {
                counted.twin = Some(ItemId(item));
            }
        }
        counted.close(segment.filter(|_| has_sums));
        Ok(counted)
    }

    /// Copies the catalogue to a file as it is at one moment, while others read it and write to it. The file appears when it is complete. It
    /// waits up to ten minutes for one that has the catalogue for itself, whatever the deadline of the reader, and is not interrupted: a
    /// copy in steps would begin anew whenever somebody writes.
    ///
    /// # Errors
    /// The file is there already, or cannot be written.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let partial = copying::write_partial(&self.connection, to)?;
        copying::name(&partial, to)
    }

    /// Opens a backup, if it can be brought back.
    ///
    /// # Errors
    /// It is not a catalogue, is damaged, or is of a later program.
    pub fn open_backup(from: &Path) -> Result<Self> {
        let facts = fs::metadata(from).map_err(|source| Error::Open { path: from.into(), source })?;
        if !facts.is_file() {
            return Err(Error::NotCatalog { path: from.into() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(from, flags)?;
        // What SQLite says is of this file, and not of the catalogue.
        let of_copy = |error| match error {
            Error::Database { source, .. } => {
                Error::BadCopy { path: from.into(), problem: source.to_string() }
            }
            error => error,
        };
        let found = check_version(&connection, from).map_err(of_copy)?;
        let connection = match found < LATEST {
            true => brought_up_to_date(&connection, from).map_err(of_copy)?,
            false => connection,
        };
        let backup = Self::of_copy(connection, from).map_err(of_copy)?;
        if let Some(damage) = backup.verify(Thoroughness::Full).map_err(of_copy)?.into_iter().next() {
            return Err(Error::BadCopy { path: from.into(), problem: damage.to_string() });
        }
        Ok(backup)
    }

    /// Gives a damaged catalogue another name, and the files that SQLite keeps beside it.
    ///
    /// # Errors
    /// It never was a catalogue, as far as its header and what lies beside it tell; a collection is being audited; or it cannot be renamed.
    /// Then it has its name still.
    pub fn put_aside(path: &Path, aside: &Path) -> Result<()> {
        let application = application_of(path).map_err(|source| Error::Open { path: path.into(), source })?;
        // Who audits would go on writing into what nobody looks at.
        let locks = lock::all_beside(path)?;
        let was_catalog = match application {
            Some(application) => application == APPLICATION_ID,
            // Its first page is lost. Where audits have left their locks, it had one.
            None => !locks.is_empty(),
        };
        if !was_catalog {
            return Err(Error::NotCatalog { path: path.into() });
        }
        for what in ["", "-wal", "-shm"] {
            let from = beside(path, what);
            match fs::rename(&from, beside(aside, what)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::Open { path: from, source: error });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Writer {
    /// Puts a backup in the place of what the catalogue holds, at a time in seconds since 1970. What it held is copied to a file before,
    /// if one is named, and lost otherwise. That it was brought back stands in its log of changes.
    ///
    /// # Errors
    /// A collection is being audited, the copy cannot be made, or the catalogue cannot be written to. Then it is as it was, and there is no
    /// copy.
    pub fn restore(&mut self, backup: &Reader, aside: Option<&Path>, now_s: i64) -> Result<()> {
        // Who audits or purges would go on with numbers of files that are others by now.
        let mut locks = Vec::new();
        let removed = self.removed_collections()?.into_iter().map(|(collection, _)| collection);
        for collection in self.collections()?.into_iter().chain(removed).chain(self.half_purged()?) {
            locks.push(self.lock(&collection, now_s)?);
        }
        if let Some(aside) = aside {
            self.backup(aside)?;
        }
        let next = next_event(&self.connection)?;
        if let Err(error) = copy_all(&backup.connection, &mut self.reader.connection) {
            // What it held is where it was.
            if let Some(aside) = aside {
                let _ = fs::remove_file(aside);
            }
            return Err(error);
        }
        self.migrated()?;
        let path = |path: &Path| {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            json!(shown_name(bytes_of(&whole)))
        };
        let aside = aside.map(|aside| ("aside".to_owned(), path(aside)));
        let from = ("file".to_owned(), path(backup.path()));
        let changed = Changed {
            what: "restored",
            collection: None,
            name: "",
            was: Map::new(),
            becomes: [from].into_iter().chain(aside).collect(),
        };
        let acting = Acting { at_s: Some(now_s), ..self.acting.clone() };
        let transaction = self.begin()?;
        // What was recorded since the copy was made has had numbers, and who has seen them asks for higher ones.
        let behind = match next {
            // It is a new one, in the place of one that is lost.
            0..=1 => next_event(&transaction)?.saturating_add(LOST_EVENTS),
            next => next,
        };
        transaction.execute("UPDATE counter SET next = max(next, ?1) WHERE name = 'event'", [behind])?;
        changes::record(&transaction, &acting, &changed)?;
        transaction.commit()?;
        Ok(())
    }

    /// Gives back the room of rows that are gone, and brings the file into order.
    ///
    /// # Errors
    /// The disk has no room for a second copy, or another process writes all the time.
    pub fn compact(&mut self) -> Result<()> {
        self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")?;
        Ok(())
    }
}

/// This many events may have been recorded in a catalogue that is lost, and are not in its copy.
const LOST_EVENTS: i64 = 10_000_000;

/// The number that the next event gets.
fn next_event(connection: &Connection) -> Result<i64> {
    let next = "SELECT next FROM main.counter WHERE name = 'event'";
    Ok(connection.query_row(next, [], |row| row.get(0))?)
}

/// Spans that begin before another one of their collection has ended.
const OVERLAPS: &str = "SELECT collection, first FROM (
    SELECT collection, first, max(last) OVER (PARTITION BY collection ORDER BY first
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM span) WHERE before >= first";

/// Items that lie in no segment, or behind its end.
const STRAYS: &str = "SELECT item.id FROM item LEFT JOIN segment ON segment.id = item.id >> 16
    WHERE segment.id IS NULL OR (item.id & 65535) >= segment.items";

/// What is about items that are not there.
const LOST: &str = "SELECT 'finding', item FROM finding WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'version', item FROM version WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'withheld', item FROM withheld WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'statement', item FROM statement WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'read_version', item FROM read_version WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'in_use', item FROM in_use WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'ignored', item FROM ignored WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'missed', item FROM missed WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'edit', item FROM edit WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'event', item FROM event WHERE item IS NOT NULL AND item NOT IN (SELECT id FROM item)";

/// Whether SQLite has come to something that is not a page of a database.
fn is_malformed(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
}

/// A copy of an earlier version, brought up to date where nobody else sees it. The backup stays what it is.
fn brought_up_to_date(old: &Connection, path: &Path) -> Result<Connection> {
    // A database without a name lies in a temporary file, and is gone when it is closed.
    let mut connection = Connection::open("")?;
    copy_all(old, &mut connection)?;
    migrate_copy(&mut connection, path)?;
    Ok(connection)
}
