//! What keeps a catalogue in order: checking it, copying it, bringing a copy back, making it small.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use hashlane_record::shown_name;
use rusqlite::{Connection, ErrorCode, OpenFlags, params};

use crate::batch::Row;
use crate::catalog::Catalog;
use crate::collections::{BEING_PURGED, CollectionId};
use crate::copying::{self, copy_all};
use crate::error::{Error, Result};
use crate::items::{ItemId, SHIFT, State};
use crate::lock;
use crate::migrations::{APPLICATION_ID, LATEST, check_version, migrate_copy};
use crate::paths::beside;
use crate::runs::RunId;
use crate::totals::Totals;
use crate::verdict::{Numbered as _, Verdict};

/// How many problems are told at most: the first ones say what is wrong.
const MOST: usize = 100;

/// How thoroughly a catalogue is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// Pages, references, spans, totals and the checksums of all files.
    Quick,
    /// The indexes and the seals of all runs, too.
    Full,
}

impl Catalog {
    /// Finds what is wrong with the catalogue itself: nothing, if all is well.
    ///
    /// # Errors
    /// It cannot be read at all.
    pub fn verify(&self, thoroughness: Thoroughness) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        let check = match thoroughness {
            Thoroughness::Quick => "PRAGMA quick_check(100)",
            Thoroughness::Full => "PRAGMA integrity_check(100)",
        };
        let asked = self.ask(check, &mut problems, |row| {
            let text: String = row.get(0)?;
            Ok((text != "ok").then_some(text))
        });
        match asked {
            // So damaged that not even that can be looked at.
            Err(Error::Database(error)) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
                problems.push(error.to_string());
            }
            asked => asked?,
        }
        // What SQLite cannot walk through cannot be counted either.
        if !problems.is_empty() {
            return Ok(problems);
        }
        self.ask("PRAGMA foreign_key_check", &mut problems, |row| {
            let (table, row, parent): (String, Option<i64>, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Some(format!(
                "row {} of {table} refers to a row of {parent} that is not there",
                row.unwrap_or(0)
            )))
        })?;
        self.ask(OVERLAPS, &mut problems, |row| {
            let (collection, first): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok(Some(format!("two spans of collection {collection} overlap at file {first}")))
        })?;
        self.ask(STRAYS, &mut problems, |row| {
            let item: i64 = row.get(0)?;
            Ok(Some(format!("file {item} is in no segment that has a place for it")))
        })?;
        self.ask(LOST, &mut problems, |row| {
            let (table, item): (String, i64) = (row.get(0)?, row.get(1)?);
            Ok(Some(format!("a {table} is about file {item}, which is not there")))
        })?;
        self.ask("SELECT DISTINCT verdict FROM finding", &mut problems, |row| {
            Ok(Verdict::of_number(row.get(0)?).err().map(|error| error.to_string()))
        })?;
        self.ask("SELECT id FROM run WHERE NOT json_valid(counts)", &mut problems, |row| {
            let run: i64 = row.get(0)?;
            Ok(Some(format!("what was counted in run {run} is no JSON")))
        })?;
        // Of one that is being purged some files are gone.
        let mut statement =
            self.connection.prepare("SELECT id, name FROM collection WHERE removed_s IS NOT ?1")?;
        let mut rows = statement.query([BEING_PURGED])?;
        while let Some(row) = rows.next()? {
            let (id, name): (i64, String) = (row.get(0)?, row.get(1)?);
            let id = CollectionId(id);
            let (counted, twin) = self.count(id)?;
            if let Some(twin) = twin.filter(|_| problems.len() < MOST) {
                let path = shown_name(&self.path_of(twin)?);
                problems.push(format!("{path} of {name} is recorded twice"));
            }
            if problems.len() < MOST && counted != Totals::of(&self.connection, id)? {
                problems.push(format!(
                    "the files of {name} are not those that were recorded: totals or checksums differ"
                ));
            }
            if thoroughness == Thoroughness::Full && problems.len() < MOST {
                problems.extend(self.unsealed(id, &name)?);
                problems.truncate(MOST);
            }
        }
        Ok(problems)
    }

    /// The first thing that a quick check finds to be wrong.
    pub(crate) fn quick_problem(&self) -> Result<Option<String>> {
        match self.verify(Thoroughness::Quick) {
            Err(error) if error.is_damage() => Ok(Some(error.to_string())),
            problems => Ok(problems?.into_iter().next()),
        }
    }

    /// The runs of a collection whose seals are broken, as problems.
    fn unsealed(&self, id: CollectionId, name: &str) -> Result<Vec<String>> {
        let broken = self.collection_of(id).and_then(|collection| self.broken_seals(&collection));
        let problem = |run: RunId| {
            format!("what run {} of {name} recorded was changed since: its Merkle root differs", run.0)
        };
        match broken {
            Ok(broken) => Ok(broken.into_iter().map(problem).collect()),
            // What cannot be read cannot be what was sealed.
            Err(Error::Damaged { what }) => Ok(vec![what]),
            Err(error) => Err(error),
        }
    }

    /// Asks for rows, of which some are problems.
    fn ask(
        &self,
        sql: &str,
        problems: &mut Vec<String>,
        problem: fn(&rusqlite::Row<'_>) -> rusqlite::Result<Option<String>>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if problems.len() >= MOST {
                break;
            }
            problems.extend(problem(row)?);
        }
        Ok(())
    }

    /// Files, bytes and checksums of a collection, from its rows; and a file whose name another one of its segment has, too.
    fn count(&self, collection: CollectionId) -> Result<(Totals, Option<ItemId>)> {
        let (mut totals, mut twin) = (Totals::default(), None);
        let (mut segment, mut names) = (0, HashSet::new());
        let mut statement = self.connection.prepare_cached(
            "SELECT item.id, name, state, size, mtime_ns, ctime_ns, inode, digests FROM directory
             JOIN segment ON segment.directory = directory.id
             JOIN item ON item.id BETWEEN segment.id << ?2 AND (segment.id << ?2) + (1 << ?2) - 1
             WHERE directory.collection = ?1",
        )?;
        let mut rows = statement.query(params![collection.0, SHIFT])?;
        while let Some(row) = rows.next()? {
            let (item, name, state): (i64, Vec<u8>, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            totals.add(item, &name, State::of_number(state)?, &Row::read(row, 3)?);
            if item >> SHIFT != segment {
                segment = item >> SHIFT;
                names.clear();
            }
            if !names.insert(name) {
                twin = Some(ItemId(item));
            }
        }
        Ok((totals, twin))
    }

    /// Copies the catalogue to a file as it is at one moment, while others read it and write to it. The file appears when it is complete.
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
    /// It is no catalogue, is damaged, or is of a later program.
    pub fn open_backup(from: &Path) -> Result<Self> {
        let facts = fs::metadata(from).map_err(|source| Error::Open { path: from.into(), source })?;
        if !facts.is_file() {
            return Err(Error::NotCatalog { path: from.into() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(from, flags)?;
        // What SQLite says is of this file, and not of the catalogue.
        let of_copy = |error| match error {
            Error::Database(error) => Error::BadCopy { path: from.into(), problem: error.to_string() },
            error => error,
        };
        let found = check_version(&connection, from).map_err(of_copy)?;
        let connection = match found < LATEST {
            true => brought_up_to_date(&connection, from).map_err(of_copy)?,
            false => connection,
        };
        let backup = Self::of_copy(connection, from).map_err(of_copy)?;
        if let Some(problem) = backup.verify(Thoroughness::Full).map_err(of_copy)?.into_iter().next() {
            return Err(Error::BadCopy { path: from.into(), problem });
        }
        Ok(backup)
    }

    /// Puts a backup in the place of what the catalogue holds, at a time in seconds since 1970. What it held is copied to a file before,
    /// if one is named, and lost otherwise.
    ///
    /// # Errors
    /// A collection is being audited, the copy cannot be made, or the catalogue cannot be written to. Then it is as it was, and there is no
    /// copy.
    pub fn restore(&mut self, backup: &Self, aside: Option<&Path>, now_s: i64) -> Result<()> {
        // Who audits or purges would go on with numbers of files that are others by now.
        let mut locks = Vec::new();
        let removed = self.removed_collections()?.into_iter().map(|(collection, _)| collection);
        for collection in self.collections()?.into_iter().chain(removed).chain(self.half_purged()?) {
            locks.push(self.lock(&collection, now_s)?);
        }
        if let Some(aside) = aside {
            self.backup(aside)?;
        }
        if let Err(error) = copy_all(&backup.connection, &mut self.connection) {
            // What it held is where it was.
            if let Some(aside) = aside {
                let _ = fs::remove_file(aside);
            }
            return Err(error);
        }
        self.migrated()
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

    /// Gives back the room of rows that are gone, and brings the file into order.
    ///
    /// # Errors
    /// The disk has no room for a second copy, or another process writes all the time.
    pub fn compact(&mut self) -> Result<()> {
        self.connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize")?;
        Ok(())
    }
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
    UNION ALL SELECT 'withheld finding', item FROM withheld WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'statement of a provider', item FROM statement WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'version of an object', item FROM read_version WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'file in use', item FROM in_use WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'state of what is left out', item FROM ignored WHERE item NOT IN (SELECT id FROM item)
    UNION ALL SELECT 'file that was not found', item FROM missed WHERE item NOT IN (SELECT id FROM item)";

/// A copy of an earlier version, brought up to date where nobody else sees it. The backup stays what it is.
fn brought_up_to_date(old: &Connection, path: &Path) -> Result<Connection> {
    // A database without a name lies in a temporary file, and is gone when it is closed.
    let mut connection = Connection::open("")?;
    copy_all(old, &mut connection)?;
    migrate_copy(&mut connection, path)?;
    Ok(connection)
}

/// Which application a database says that it is of, if it begins as one: <https://www.sqlite.org/fileformat.html#the_database_header>.
fn application_of(path: &Path) -> std::io::Result<Option<i32>> {
    let (mut magic, mut rest, mut application) = ([0; 16], [0; 52], [0; 4]);
    let mut file = File::open(path)?;
    for part in [&mut magic[..], &mut rest, &mut application] {
        match file.read_exact(part) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
    }
    Ok((magic == *b"SQLite format 3\0").then(|| i32::from_be_bytes(application)))
}
