//! The versions of the schema, and the way from each to the next.
//!
//! Owns what has to be so before a catalogue is brought to the latest version: there is room, it is whole, and it is copied.
//! Does not own how an earlier version is read without that: `earlier` does.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hashlane_io::directory_of;
use hashlane_record::shown_name;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use serde_json::{Map, json};

use crate::acting::Acting;
use crate::backups::{FreeBytes, Occasion, Shelf, free_bytes};
use crate::changes::{self, Changed};
use crate::checksums;
use crate::copying;
use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::header::{APPLICATION_ID, HEADER_BYTES};
use crate::opening::Opening;
use crate::paths::{beside, bytes_of};

/// What makes each version of the one before; the first of nothing.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001-collections.sql"),
    include_str!("../migrations/0002-versions.sql"),
    include_str!("../migrations/0003-stores.sql"),
    include_str!("../migrations/0004-evidence.sql"),
    include_str!("../migrations/0005-read-versions.sql"),
    include_str!("../migrations/0006-collisions.sql"),
    include_str!("../migrations/0007-causes.sql"),
    include_str!("../migrations/0008-before.sql"),
    include_str!("../migrations/0009-habits.sql"),
    include_str!("../migrations/0010-in-use.sql"),
    include_str!("../migrations/0011-checked-whole.sql"),
    include_str!("../migrations/0012-telling.sql"),
];

/// What tables and indexes take that a migration makes, however little is in them.
const TABLES_BYTES: u64 = 512 << 10;

/// The version that this program reads and writes.
pub const LATEST: u32 = MIGRATIONS.len() as u32;

/// Brings a catalogue to the latest version. One that holds something is copied first, to where its copies lie; and before that it is
/// looked whether there is room, and whether it is whole: `problem` says what is wrong with it. A process that is killed meanwhile leaves
/// the old version, whole.
pub(crate) fn migrate(
    connection: &mut Connection,
    path: &Path,
    opening: &Opening,
    problem: &dyn Fn() -> Result<Option<String>>,
) -> Result<()> {
    migrate_by(connection, path, MIGRATIONS, opening, problem)
}

/// Brings a copy of a catalogue, which nobody else uses, to the latest version.
pub(crate) fn migrate_copy(connection: &mut Connection, of: &Path) -> Result<()> {
    let transaction = connection.transaction()?;
    carry_out(&transaction, of, MIGRATIONS, None)?;
    transaction.commit()?;
    Ok(())
}

/// The version of a catalogue. Refuses what is none, or one of a later program.
pub(crate) fn check_version(connection: &Connection, path: &Path) -> Result<u32> {
    let (application, version) = match identity(connection) {
        Ok(identity) => identity,
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => (0, 0),
        Err(error) => return Err(error.into()),
    };
    match version {
        // The first version has the number 1.
        _ if application != APPLICATION_ID || version == 0 => Err(Error::NotCatalog { path: path.into() }),
        found if found > LATEST => Err(Error::Newer { path: path.into(), found, known: LATEST }),
        found => Ok(found),
    }
}

fn migrate_by(
    connection: &mut Connection,
    path: &Path,
    migrations: &[&str],
    opening: &Opening,
    problem: &dyn Fn() -> Result<Option<String>>,
) -> Result<()> {
    let latest = migrations.len() as u32;
    // At one moment: another process may be making it.
    let moment = connection.transaction()?;
    if to_migrate(&moment, path, latest)?.is_none() {
        return Ok(());
    }
    drop(moment);
    // From here on nobody else writes to it: what is copied is what becomes the latest version, and one process at a time makes a copy.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = match to_migrate(&transaction, path, latest)? {
        // Another process was faster.
        None => return Ok(()),
        Some(found) => found,
    };
    let step = match found {
        0 => None,
        found => {
            let copy = make_safe(&transaction, path, (found, latest), opening, (&free_bytes, problem))?;
            Some(Step { found, copy, acting: &opening.acting })
        }
    };
    let carried = carry_out(&transaction, path, migrations, step.as_ref())
        .and_then(|()| transaction.commit().map_err(Error::from));
    carried.map_err(|error| filled(error, path, (found, latest)))
}

/// What there is to say of a step from one version to another.
struct Step<'a> {
    found: u32,
    copy: Option<PathBuf>,
    acting: &'a Acting,
}

/// That a disk became full meanwhile, if it did: which one, and how full.
fn filled(error: Error, path: &Path, (found, latest): (u32, u32)) -> Error {
    match &error {
        Error::Database { source, .. } if source.0.sqlite_error_code() == Some(ErrorCode::DiskFull) => {
            let place = path.canonicalize().unwrap_or_else(|_| path.into());
            let directory = directory_of(&place).to_owned();
            let free_bytes = free_bytes(&directory).unwrap_or(0);
            Error::Filled { path: path.into(), found, latest, directory, free_bytes }
        }
        _ => error,
    }
}

/// The version that is to be brought to the latest one, 0 where nothing is yet; none if it is that one.
fn to_migrate(connection: &Connection, path: &Path, latest: u32) -> Result<Option<u32>> {
    match identity(connection)? {
        (0, 0) if is_empty(connection)? => Ok(Some(0)),
        (application, version) if application != APPLICATION_ID || version == 0 => {
            Err(Error::NotCatalog { path: path.into() })
        }
        (_, found) if found > latest => Err(Error::Newer { path: path.into(), found, known: latest }),
        (_, found) => Ok((found < latest).then_some(found)),
    }
}

fn carry_out(
    transaction: &Transaction<'_>,
    path: &Path,
    migrations: &[&str],
    step: Option<&Step<'_>>,
) -> Result<()> {
    let latest = migrations.len() as u32;
    // What a later program has made is never called an earlier version.
    let Some(version) = to_migrate(transaction, path, latest)? else { return Ok(()) };
    for migration in migrations.iter().skip(version as usize) {
        transaction.execute_batch(migration)?;
    }
    if latest >= checksums::SINCE {
        let has_sums = version >= checksums::SINCE;
        checksums::add_functions(transaction)?;
        if has_sums {
            // Rows that were there keep theirs: a damaged one stays damaged.
            checksums::keep(transaction)?;
        }
        if let Some(step) = step {
            record(transaction, latest, step)?;
        }
        if !has_sums {
            checksums::fill(transaction)?;
        }
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", latest)?;
    Ok(())
}

/// Records a step in the log of changes, which the new version has.
fn record(transaction: &Transaction<'_>, latest: u32, step: &Step<'_>) -> Result<()> {
    let version = |version: u32| ("version".to_owned(), json!(version));
    let copy = step.copy.as_ref().map(|copy| ("backup".to_owned(), json!(shown_name(bytes_of(copy)))));
    let changed = Changed {
        what: "migrated",
        collection: None,
        name: "",
        was: Map::from_iter([version(step.found)]),
        becomes: [version(latest)].into_iter().chain(copy).collect(),
    };
    changes::record(transaction, step.acting, &changed)
}

/// The tables, indexes and rules of a database by their names, as SQL; what SQLite makes by itself has none. SQLite also takes bytes for the
/// text that they are, so what each column holds belongs to it.
type Schema = BTreeMap<String, String>;

pub(crate) fn schema_of(connection: &Connection) -> Result<Schema> {
    let mut statement = connection.prepare(
        "SELECT name, type || ' of ' || tbl_name || ': ' || coalesce(sql, '')
             || ' (' || concat_ws(' ', typeof(type), typeof(name), typeof(tbl_name), typeof(rootpage), typeof(sql)) || ')'
         FROM main.sqlite_schema",
    )?;
    // A flipped bit need not leave letters.
    let text = |row: &rusqlite::Row<'_>, place| {
        Ok::<_, rusqlite::Error>(String::from_utf8_lossy(row.get_ref(place)?.as_bytes()?).into_owned())
    };
    let rows = statement.query_map([], |row| Ok((text(row, 0)?, text(row, 1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The same of a catalogue of a version, as this program makes it.
pub(crate) fn schema(version: u32) -> Result<&'static Schema> {
    static SCHEMAS: LazyLock<Result<Vec<Schema>>> = LazyLock::new(|| {
        let mut connection = Connection::open_in_memory()?;
        let transaction = connection.transaction()?;
        let mut schemas = vec![Schema::new()];
        for migration in MIGRATIONS {
            transaction.execute_batch(migration)?;
            schemas.push(schema_of(&transaction)?);
        }
        Ok(schemas)
    });
    let schemas =
        SCHEMAS.as_ref().map_err(|error| Error::damaged(CataloguePart::Schema, error.to_string()))?;
    let unknown = || Error::damaged(CataloguePart::Schema, format!("no program has made version {version}"));
    schemas.get(version as usize).ok_or_else(unknown)
}

fn identity(connection: &Connection) -> rusqlite::Result<(i32, u32)> {
    let application = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    // No program has ever written one below 0.
    Ok((application, version.try_into().unwrap_or(0)))
}

fn is_empty(connection: &Connection) -> Result<bool> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(tables == 0)
}

/// Does what has to come before a migration: looks whether there is room, whether the catalogue is whole, and copies it. Returns where the
/// copy is, unless none is wanted.
fn make_safe(
    connection: &Connection,
    path: &Path,
    versions: (u32, u32),
    opening: &Opening,
    (free_bytes, problem): (FreeBytes<'_>, &dyn Fn() -> Result<Option<String>>),
) -> Result<Option<PathBuf>> {
    let (found, latest) = versions;
    // By whatever name it was opened: its log lies beside the file itself.
    let place = path.canonicalize().map_err(|source| Error::Open { path: path.into(), source })?;
    let whole = || match problem()? {
        Some(problem) => Err(Error::NotWhole { path: path.into(), found, latest, problem }),
        None => Ok(()),
    };
    let Some(shelf) = opening.backups.shelf(&place) else {
        look_for_room(&place, versions, None, free_bytes)?;
        return whole().map(|()| None);
    };
    // It takes room, too.
    shelf.sweep_alone()?;
    let copies = shelf.copies_of(connection)?;
    let last = copies.into_iter().rfind(|copy| copy.occasion == Occasion::Migration(found));
    // Where there is a copy, another one is seldom made.
    let on = last.is_none().then_some(&shelf);
    look_for_room(&place, versions, on, free_bytes)?;
    whole()?;
    shelf.make()?;
    let _lock = shelf.lock()?;
    // It has taken the room that the migration was to have.
    let look_again = || look_for_room(&place, versions, None, free_bytes);
    let last = last.map(|last| last.path);
    let copy = copy(&place, &shelf, (found, opening.acting.at_s()), last, &look_again)?;
    shelf.prune(Occasion::Migration(found), connection)?;
    Ok(Some(copy))
}

/// Refuses to begin what a full disk would end: a copy takes as much as the catalogue, if one is made on a shelf, and a migration may write
/// all of it anew, to the log and then to new places of the file.
fn look_for_room(
    path: &Path,
    (found, latest): (u32, u32),
    shelf: Option<&Shelf>,
    free_bytes: FreeBytes<'_>,
) -> Result<()> {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |facts| facts.len());
    let bytes = size(path) + size(&beside(path, "-wal"));
    let free = |directory: &Path| {
        free_bytes(directory).map_err(|source| Error::Open { path: directory.into(), source })
    };
    let enough = |directory: &Path, needed_bytes: u64, free_bytes: u64| match needed_bytes > free_bytes {
        true => {
            let directory = directory.to_owned();
            Err(Error::NoRoom { path: path.into(), found, latest, directory, needed_bytes, free_bytes })
        }
        false => Ok(()),
    };
    let own = directory_of(path);
    let own_bytes = free(own)?;
    let anew = 2 * bytes + TABLES_BYTES;
    let Some(shelf) = shelf else { return enough(own, anew, own_bytes) };
    let ground = shelf.ground();
    let device = |directory: &Path| std::fs::metadata(directory).map(|facts| facts.dev()).ok();
    let shelf_bytes = free(ground)?;
    // Some file systems give their parts devices of their own, which share the room all the same.
    if device(own) == device(ground) || own_bytes == shelf_bytes {
        return enough(own, bytes + anew, own_bytes);
    }
    enough(ground, bytes, shelf_bytes)?;
    enough(own, anew, own_bytes)
}

/// Copies the catalogue as it is, at a time in seconds since 1970. If the last copy of this version is the same, as after a migration that
/// was killed, it is enough; otherwise the catalogue was put back and written to since.
fn copy(
    path: &Path,
    shelf: &Shelf,
    (version, now_s): (u32, i64),
    last: Option<PathBuf>,
    look_for_room: &dyn Fn() -> Result<()>,
) -> Result<PathBuf> {
    let next = shelf.next(Occasion::Migration(version), now_s)?.path;
    // One more connection: SQLite copies nothing by one that is about to write.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let partial = copying::write_partial(&Connection::open_with_flags(path, flags)?, &next)?;
    let named = || -> Result<PathBuf> {
        if let Some(last) = last {
            if are_same(&partial, &last).map_err(|source| Error::Open { path: last.clone(), source })? {
                return Ok(last);
            }
            look_for_room()?;
        }
        shelf.protect(&partial)?;
        copying::name(&partial, &next)?;
        Ok(next.clone())
    };
    let copy = named();
    if !matches!(&copy, Ok(copy) if *copy == next) {
        let _ = std::fs::remove_file(&partial);
    }
    copy
}

/// Whether two copies have the same bytes behind their headers, which count changes and say how a file is locked.
fn are_same(one: &Path, other: &Path) -> std::io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    for copy in [&mut one, &mut other] {
        copy.seek(SeekFrom::Start(HEADER_BYTES))?;
    }
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let both = left.len().min(right.len());
        if left[..both] != right[..both] {
            return Ok(false);
        }
        if both == 0 {
            return Ok(left.len() == right.len());
        }
        one.consume(both);
        other.consume(both);
    }
}

#[cfg(test)]
mod tests;
