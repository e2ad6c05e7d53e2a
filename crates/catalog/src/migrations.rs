//! The versions of the schema, and the way from each to the next.
//!
//! Owns what has to be so before a catalogue is brought to the latest version: there is room beside it, it is whole, and it is copied.
//! Does not own how an earlier version is read without that: `earlier` does.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::checksums;
use crate::copying;
use crate::damage::Part;
use crate::error::{Error, Result};
use crate::paths::{beside, directory_of};

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
];

/// How a file of SQLite says that it is a catalogue: `hlct`.
pub(crate) const APPLICATION_ID: i32 = 0x686c_6374;

/// Bytes of the header of a database: <https://www.sqlite.org/fileformat.html#the_database_header>.
const HEADER_BYTES: u64 = 100;

/// The version that this program reads and writes.
pub const LATEST: u32 = MIGRATIONS.len() as u32;

/// Brings a catalogue to the latest version. One that holds something is copied first, to a file beside it that is named after its
/// version; and before that it is looked whether there is room, and whether it is whole: `problem` tells what is wrong with it. A process
/// that is killed meanwhile leaves the old version, whole.
pub(crate) fn migrate(
    connection: &mut Connection,
    path: &Path,
    problem: &dyn Fn() -> Result<Option<String>>,
) -> Result<()> {
    migrate_by(connection, path, MIGRATIONS, problem)
}

/// Brings a copy of a catalogue, which nobody else uses, to the latest version.
pub(crate) fn migrate_copy(connection: &mut Connection, of: &Path) -> Result<()> {
    let transaction = connection.transaction()?;
    carry_out(&transaction, of, MIGRATIONS)?;
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
    match to_migrate(&transaction, path, latest)? {
        // Another process was faster.
        None => return Ok(()),
        Some(0) => {}
        Some(found) => make_safe(path, (found, latest), &free_bytes, problem)?,
    }
    carry_out(&transaction, path, migrations)?;
    transaction.commit()?;
    Ok(())
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

fn carry_out(transaction: &Transaction<'_>, path: &Path, migrations: &[&str]) -> Result<()> {
    let latest = migrations.len() as u32;
    // What a later program has made is never called an earlier version.
    let Some(version) = to_migrate(transaction, path, latest)? else { return Ok(()) };
    for migration in migrations.iter().skip(version as usize) {
        transaction.execute_batch(migration)?;
    }
    if latest >= checksums::SINCE {
        checksums::add_functions(transaction)?;
        checksums::fill(transaction)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", latest)?;
    Ok(())
}

/// The tables, indexes and rules of a database by their names, as SQL; what SQLite makes by itself has none.
type Schema = BTreeMap<String, String>;

pub(crate) fn schema_of(connection: &Connection) -> Result<Schema> {
    let mut statement = connection.prepare(
        "SELECT name, type || ' of ' || tbl_name || ': ' || coalesce(sql, '') FROM main.sqlite_schema",
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
    let schemas = SCHEMAS.as_ref().map_err(|error| Error::damaged(Part::Schema, error.to_string()))?;
    let unknown = || Error::damaged(Part::Schema, format!("no program has made version {version}"));
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

/// The name of a copy of an old version. Copies are numbered from 1 on.
fn copy_path(path: &Path, version: u32, nth: u32) -> PathBuf {
    match nth {
        1 => beside(path, &format!(".version-{version}")),
        nth => beside(path, &format!(".version-{version}.{nth}")),
    }
}

/// Tells how much may be written to the file system of a directory.
type FreeBytes<'a> = &'a dyn Fn(&Path) -> std::io::Result<u64>;

/// Does what has to come before a migration: looks whether there is room, whether the catalogue is whole, and copies it.
fn make_safe(
    path: &Path,
    (found, latest): (u32, u32),
    free_bytes: FreeBytes<'_>,
    problem: &dyn Fn() -> Result<Option<String>>,
) -> Result<()> {
    // By whatever name it was opened: its log lies beside the file itself, and so do its copies.
    let place = path.canonicalize().map_err(|source| Error::Open { path: path.into(), source })?;
    let look_for_room = || look_for_room(&place, (found, latest), free_bytes);
    look_for_room()?;
    if let Some(problem) = problem()? {
        return Err(Error::NotWhole { path: path.into(), found, latest, problem });
    }
    copy(&place, found, &look_for_room)
}

/// Refuses to begin what a full disk would end: a copy takes as much as the catalogue, and a migration may write all of it anew. Where
/// there is a copy, another one is seldom made.
fn look_for_room(path: &Path, (found, latest): (u32, u32), free_bytes: FreeBytes<'_>) -> Result<()> {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |facts| facts.len());
    let bytes = size(path) + size(&beside(path, "-wal"));
    let is_copied = copy_path(path, found, 1).exists();
    let needed_bytes = if is_copied { bytes } else { 2 * bytes };
    let directory = directory_of(path);
    let free_bytes =
        free_bytes(directory).map_err(|source| Error::Open { path: directory.into(), source })?;
    match needed_bytes > free_bytes {
        true => Err(Error::NoRoom { path: path.into(), found, latest, needed_bytes, free_bytes }),
        false => Ok(()),
    }
}

/// What a user may still write to the file system of a directory.
fn free_bytes(directory: &Path) -> std::io::Result<u64> {
    let space = rustix::fs::statvfs(directory)?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

/// Copies the catalogue as it is. A copy that is there stays. If the last one is the same, as after a migration that was killed, it is
/// enough; otherwise the catalogue was put back and written to since, and this copy gets the next number.
fn copy(path: &Path, version: u32, look_for_room: &dyn Fn() -> Result<()>) -> Result<()> {
    let name = |nth| copy_path(path, version, nth);
    let mut nth = 1;
    while name(nth).exists() {
        nth += 1;
    }
    // One more connection: SQLite copies nothing by one that is about to write.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let partial = copying::write_partial(&Connection::open_with_flags(path, flags)?, &name(nth))?;
    let is_needed = match nth {
        1 => Ok(true),
        nth => match are_same(&partial, &name(nth - 1)) {
            Ok(true) => Ok(false),
            // It has taken the room that the migration was to have.
            Ok(false) => look_for_room().map(|()| true),
            Err(source) => Err(Error::Open { path: name(nth - 1), source }),
        },
    };
    match is_needed {
        Ok(true) => copying::name(&partial, &name(nth)),
        other => {
            let _ = std::fs::remove_file(&partial);
            other.map(drop)
        }
    }
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
mod tests {
    use std::cell::Cell;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::*;

    const NEXT: [&str; 3] = [
        "CREATE TABLE one (x INTEGER) STRICT; INSERT INTO one VALUES (1);",
        "ALTER TABLE one ADD COLUMN y INTEGER;",
        "UPDATE one SET y = x + 1;",
    ];

    /// That nothing is wrong with it.
    const WHOLE: fn() -> Result<Option<String>> = || Ok(None);

    fn version(connection: &Connection) -> u32 {
        identity(connection).expect("readable").1
    }

    #[test]
    fn an_old_version_is_copied_and_brought_up_to_date() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("catalog");
        let mut connection = Connection::open(&path).expect("made");
        migrate_by(&mut connection, &path, &NEXT[..1], &WHOLE).expect("a new one");
        assert!(!copy_path(&path, 1, 1).exists(), "there was nothing to copy");
        migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("brought up to date");
        let row: (i64, i64) = connection
            .query_row("SELECT x, y FROM one", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("what was there is there");
        assert_eq!((version(&connection), row), (3, (1, 2)));
        let copy = Connection::open(copy_path(&path, 1, 1)).expect("the copy");
        assert_eq!(version(&copy), 1);
        assert_eq!(copy.query_row("SELECT x FROM one", [], |row| row.get(0)), Ok(1));
    }

    /// A catalogue of the first version, as catalogues are, with its directory.
    fn first(name: &OsStr) -> (tempfile::TempDir, PathBuf, Connection) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join(name);
        let mut connection = Connection::open(&path).expect("made");
        connection.pragma_update(None, "journal_mode", "WAL").expect("as catalogues are");
        migrate_by(&mut connection, &path, &NEXT[..1], &WHOLE).expect("a new one");
        (directory, path, connection)
    }

    fn rows(path: &Path) -> Vec<i64> {
        let connection = Connection::open(path).expect("opened");
        let mut statement = connection.prepare("SELECT x FROM one ORDER BY x").expect("a query");
        let rows = statement.query_map([], |row| row.get(0)).expect("asked");
        rows.collect::<rusqlite::Result<_>>().expect("readable")
    }

    #[test]
    fn a_copy_has_what_is_in_the_log_whatever_its_name_is() {
        for name in [&b"catalog"[..], b"catalog \xff\xfe", b"caf\xc3\xa9"] {
            let (directory, path, mut connection) = first(OsStr::from_bytes(name));
            // As long as somebody reads, what is written stays in the log.
            let reader = Connection::open(&path).expect("opened");
            let moment = reader.unchecked_transaction().expect("begun");
            assert_eq!(version(&moment), 1);
            connection.execute("INSERT INTO one VALUES (7)", []).expect("written");
            assert!(std::fs::metadata(beside(&path, "-wal")).expect("a log").len() > 0);
            // What a process left that was killed.
            std::fs::write(beside(&copy_path(&path, 1, 1), ".partial"), "torn").expect("written");
            migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("brought up to date");
            drop(moment);
            let copy = copy_path(&path, 1, 1);
            assert_eq!(rows(&copy), [1, 7], "{name:?}");
            assert_eq!(version(&Connection::open(&copy).expect("opened")), 1);
            assert!(!beside(&copy, ".partial").exists());
            drop((reader, connection, directory));
        }
    }

    #[test]
    fn each_way_up_has_its_copy_and_none_is_written_over() {
        let (_directory, path, mut connection) = first(OsStr::new("catalog"));
        let up = |connection: &mut Connection| migrate_by(connection, &path, &NEXT, &WHOLE);
        let exist = || [1, 2, 3].map(|nth| copy_path(&path, 1, nth).exists());
        up(&mut connection).expect("brought up to date");
        drop(connection);
        let back = |nth| std::fs::copy(copy_path(&path, 1, nth), &path).map(drop).expect("put back");
        // Put back, and up again: there is nothing that the copy does not have.
        back(1);
        up(&mut Connection::open(&path).expect("opened")).expect("brought up to date");
        assert_eq!(exist(), [true, false, false]);
        // The program of before has written to it.
        back(1);
        let mut connection = Connection::open(&path).expect("opened");
        connection.execute("INSERT INTO one VALUES (2)", []).expect("written");
        up(&mut connection).expect("brought up to date");
        assert_eq!(exist(), [true, true, false]);
        drop(connection);
        assert_eq!((rows(&copy_path(&path, 1, 1)), rows(&copy_path(&path, 1, 2))), (vec![1], vec![1, 2]));
        // And once more, from the last one.
        back(2);
        let mut connection = Connection::open(&path).expect("opened");
        up(&mut connection).expect("brought up to date");
        assert_eq!(exist(), [true, true, false]);
        drop(connection);
        // A torn copy that an earlier program has left is not trusted.
        back(2);
        std::fs::write(copy_path(&path, 1, 2), "torn").expect("written");
        up(&mut Connection::open(&path).expect("opened")).expect("brought up to date");
        assert_eq!(rows(&copy_path(&path, 1, 3)), [1, 2]);
        assert_eq!(std::fs::read(copy_path(&path, 1, 2)).expect("readable"), b"torn");
    }

    #[test]
    fn one_more_copy_takes_no_room_that_the_migration_needs() {
        let (_directory, path, connection) = first(OsStr::new("catalog"));
        std::fs::write(copy_path(&path, 1, 1), "another one").expect("written");
        let asked = Cell::new(0);
        let free = |_: &Path| {
            asked.set(asked.get() + 1);
            Ok(if asked.get() == 1 { u64::MAX } else { 0 })
        };
        let error = make_safe(&path, (1, 3), &free, &WHOLE).expect_err("the copy has taken it");
        assert!(matches!(error, Error::NoRoom { .. }), "{error}");
        let second = copy_path(&path, 1, 2);
        assert!(!second.exists() && !beside(&second, ".partial").exists());
        drop(connection);
    }

    #[test]
    fn room_and_copies_are_those_beside_the_file_that_a_link_leads_to() {
        let (directory, path, mut connection) = first(OsStr::new("catalog"));
        let links = tempfile::tempdir().expect("a directory");
        let link = links.path().join("link");
        std::os::unix::fs::symlink(&path, &link).expect("made");
        let target = directory.path().canonicalize().expect("it is there");
        let free = |looked_at: &Path| {
            assert_eq!(looked_at, target);
            Ok(0)
        };
        let error = make_safe(&link, (1, 3), &free, &WHOLE).expect_err("there is no room");
        let log = std::fs::metadata(beside(&path, "-wal")).expect("a log").len();
        let file = std::fs::metadata(&path).expect("it is there").len();
        assert!(log > 0, "it counts, too");
        let Error::NoRoom { needed_bytes, .. } = error else { panic!("{error}") };
        assert_eq!(needed_bytes, 2 * (file + log));
        migrate_by(&mut connection, &link, &NEXT, &WHOLE).expect("brought up to date");
        assert_eq!(rows(&copy_path(&path, 1, 1)), [1]);
        assert_eq!(std::fs::read_dir(links.path()).expect("readable").count(), 1, "the link alone");
    }

    #[test]
    fn what_a_later_program_has_made_meanwhile_is_never_called_an_earlier_version() {
        let (_directory, path, mut connection) = first(OsStr::new("catalog"));
        migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("a later program brings it up to date");
        let transaction = connection.transaction().expect("begun");
        let error = carry_out(&transaction, &path, &NEXT[..2]).expect_err("it is later");
        assert!(matches!(error, Error::Newer { found: 3, known: 2, .. }), "{error}");
        transaction.commit().expect("nothing was written");
        assert_eq!(version(&connection), 3);
        // One that was faster, and is of the same version, has left nothing to do.
        let transaction = connection.transaction().expect("begun");
        carry_out(&transaction, &path, &NEXT).expect("it is done");
        transaction.commit().expect("nothing was written");
        assert_eq!(version(&connection), 3);
    }

    #[test]
    fn nobody_else_writes_to_a_catalogue_that_is_checked_and_copied() {
        let (_directory, path, mut connection) = first(OsStr::new("catalog"));
        let problem = || {
            let other = Connection::open(&path).expect("opened");
            other.busy_timeout(Duration::ZERO).expect("it does not wait");
            let error = other.execute("INSERT INTO one VALUES (2)", []).expect_err("it would be in no copy");
            assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseBusy));
            Ok(None)
        };
        migrate_by(&mut connection, &path, &NEXT, &problem).expect("brought up to date");
        assert_eq!(rows(&copy_path(&path, 1, 1)), [1]);
    }

    #[test]
    fn what_says_to_be_of_no_version_is_no_catalogue() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("catalog");
        let mut connection = Connection::open(&path).expect("made");
        migrate(&mut connection, &path, &WHOLE).expect("a new one");
        connection.pragma_update(None, "user_version", 0).expect("it takes it");
        for refused in [migrate(&mut connection, &path, &WHOLE), check_version(&connection, &path).map(drop)]
        {
            assert!(matches!(refused, Err(Error::NotCatalog { .. })), "{refused:?}");
        }
    }

    #[test]
    fn versions_of_the_first_schema_keep_their_order() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("catalog");
        let mut connection = Connection::open(&path).expect("made");
        connection.pragma_update(None, "foreign_keys", true).expect("as catalogues have it");
        migrate_by(&mut connection, &path, &MIGRATIONS[..1], &WHOLE).expect("a new one");
        connection
            .execute_batch(
                "INSERT INTO collection (id, name, root, algorithms, created_s) VALUES (1, 'c', x'2f', 'sha256', 0), (2, 'd', x'2f', 'md5', 0);
                 INSERT INTO run (id, collection, request, actor, started_s, secret, leaf_base) VALUES
                     (1, 1, 'all', 'a', 0, zeroblob(32), 0), (2, 1, 'all', 'a', 1, zeroblob(32), 0), (3, 1, 'all', 'a', 2, zeroblob(32), 7);
                 INSERT INTO version (item, run, size, until_run) VALUES (65536, 2, 20, 3), (65536, 1, 10, 2), (65537, 1, 30, 3);",
            )
            .expect("filled");
        migrate(&mut connection, &path, &WHOLE).expect("brought up to date");
        let mut statement = connection
            .prepare("SELECT item, nth, run, size, until_run FROM version ORDER BY item, nth")
            .expect("a query");
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))
            .expect("asked");
        let rows: Vec<(i64, i64, i64, i64, i64)> = rows.collect::<rusqlite::Result<_>>().expect("readable");
        assert_eq!(rows, [(65536, 0, 1, 10, 2), (65536, 1, 2, 20, 3), (65537, 0, 1, 30, 3)]);
        let names: (i64, i64) = connection
            .query_row("SELECT min(length(identity)), count(DISTINCT identity) FROM collection", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .expect("readable");
        assert_eq!(names, (16, 2));
        let problems: i64 = connection
            .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))
            .expect("readable");
        assert_eq!(problems, 0);
    }

    #[test]
    fn a_backup_of_an_earlier_version_can_be_restored_and_is_not_changed_by_that() {
        use crate::{Catalog, Error, Thoroughness};

        let directory = tempfile::tempdir().expect("a directory");
        let old = directory.path().join("old");
        let mut connection = Connection::open(&old).expect("made");
        migrate_by(&mut connection, &old, &MIGRATIONS[..1], &WHOLE).expect("a new one");
        connection
            .execute_batch("INSERT INTO collection (id, name, root, algorithms, created_s) VALUES (1, 'c', x'2f', 'sha256', 0)")
            .expect("filled");
        drop(connection);
        let before = std::fs::read(&old).expect("readable");
        let mut catalog = Catalog::open_or_make(&directory.path().join("catalog")).expect("made");
        let backup = Catalog::open_backup(&old).expect("it can be restored");
        catalog.restore(&backup, None, 0).expect("restored");
        assert_eq!(catalog.collection("c").expect("it is there").identity.len(), 16);
        assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
        assert_eq!(std::fs::read(&old).expect("readable"), before);
        // Who may not write to it cannot bring it to the latest version.
        let read_only = Catalog::to_read(&old).expect_err("it is older");
        assert!(matches!(read_only, Error::Older { found: 1, .. }), "{read_only}");
    }

    #[test]
    fn a_migration_that_fails_leaves_the_old_version_whole() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("catalog");
        let mut connection = Connection::open(&path).expect("made");
        migrate_by(&mut connection, &path, &NEXT[..1], &WHOLE).expect("a new one");
        let broken = [NEXT[0], NEXT[1], "INSERT INTO nowhere VALUES (1);"];
        migrate_by(&mut connection, &path, &broken, &WHOLE).expect_err("there is no such table");
        assert_eq!(version(&connection), 1);
        assert!(connection.prepare("SELECT y FROM one").is_err());
        // And the next program can do it.
        migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("brought up to date");
        assert_eq!(version(&connection), 3);
    }

    #[test]
    fn what_is_damaged_is_not_brought_up_to_date() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("catalog");
        let mut connection = Connection::open(&path).expect("made");
        migrate_by(&mut connection, &path, &NEXT[..1], &WHOLE).expect("a new one");
        let problem = || Ok(Some("two spans overlap".to_owned()));
        let error = migrate_by(&mut connection, &path, &NEXT, &problem).expect_err("it is damaged");
        assert!(error.is_damage(), "a backup may take its place");
        let told = error.to_string();
        let told = told.strip_prefix(path.to_str().expect("UTF-8")).expect("it is named");
        assert_eq!(
            told,
            ": is damaged, and stays of version 1, where 3 is the present one: two spans overlap"
        );
        assert_eq!((version(&connection), copy_path(&path, 1, 1).exists()), (1, false));
        // What is of the latest version is not checked each time.
        migrate_by(&mut connection, &path, &NEXT[..1], &problem).expect("there is nothing to do");
    }

    #[test]
    fn a_migration_takes_room_for_a_copy_and_for_what_is_written_anew() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("catalog");
        std::fs::write(&path, [0; 1000]).expect("written");
        std::fs::write(directory.path().join("catalog-wal"), [0; 234]).expect("written");
        let look = |free: u64| {
            look_for_room(&path, (1, 3), &|looked_at| {
                assert_eq!(looked_at, directory.path());
                Ok(free)
            })
        };
        look(2468).expect("that is enough");
        let told = look(2467).expect_err("that is not").to_string();
        let told = told.strip_prefix(path.to_str().expect("UTF-8")).expect("it is named");
        assert_eq!(
            told,
            ": is of version 1; to bring it to version 3 takes 2,468 bytes beside it, and 2,467 are free there; make room, or move it \
             to a larger disk"
        );
        // The copy is there from a first try.
        std::fs::write(copy_path(&path, 1, 1), []).expect("written");
        look(1234).expect("that is enough");
        look(1233).expect_err("that is not");
        assert!(free_bytes(directory.path()).expect("it is there") > 0);
    }

    /// How many rows the migration that is killed has to go through.
    const ROWS: i64 = 20_000;

    /// Names the catalogue that a process is to bring up to date and be killed over.
    const TO_MIGRATE: &str = "HASHLANE_TEST_TO_MIGRATE";

    /// What the process that is killed runs: this test alone, which is told a catalogue. Otherwise there is nothing to do.
    #[test]
    fn a_catalogue_is_brought_up_to_date_by_a_process_of_its_own() {
        let Some(path) = std::env::var_os(TO_MIGRATE).map(PathBuf::from) else { return };
        let mut connection = Connection::open(&path).expect("opened");
        connection.pragma_update(None, "journal_mode", "WAL").expect("as catalogues are");
        migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("brought up to date");
    }

    /// No program makes a catalogue of an older version: the torture of the whole program kills what makes one of the latest, and what brings
    /// an old one up to date is killed here.
    #[test]
    fn a_migration_that_is_killed_leaves_one_version_or_the_other_and_goes_on() {
        let mut rng = fastrand::Rng::with_seed(1);
        let (mut killed, mut was_old, mut was_new) = (0, 0, 0);
        let mut within = Duration::from_millis(60);
        for _ in 0..24 {
            let directory = tempfile::tempdir().expect("a directory");
            let path = directory.path().join("catalog");
            let mut connection = Connection::open(&path).expect("made");
            migrate_by(&mut connection, &path, &NEXT[..1], &WHOLE).expect("a new one");
            let fill = "WITH RECURSIVE n (x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n WHERE x < ?1) INSERT INTO one SELECT x FROM n";
            connection.execute(fill, [ROWS]).expect("filled");
            drop(connection);
            let test = "migrations::tests::a_catalogue_is_brought_up_to_date_by_a_process_of_its_own";
            let mut child = Command::new(std::env::current_exe().expect("this program"))
                .args(["--exact", test])
                .env(TO_MIGRATE, &path)
                .stdout(Stdio::null())
                .spawn()
                .expect("started");
            std::thread::sleep(within.mul_f64(rng.f64()));
            child.kill().expect("killed, or over");
            let is_killed = child.wait().expect("ended").code().is_none();
            within = within.mul_f64(if is_killed { 1.1 } else { 0.7 });
            killed += u32::from(is_killed);

            let mut connection = Connection::open(&path).expect("it can be opened");
            let check: String =
                connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("readable");
            assert_eq!(check, "ok");
            match version(&connection) {
                1 => was_old += 1,
                3 => was_new += 1,
                between => panic!("version {between} is neither the old one nor the new one"),
            }
            migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("brought up to date");
            let sums: (i64, i64) = connection
                .query_row("SELECT count(*), sum(y - x) FROM one", [], |row| Ok((row.get(0)?, row.get(1)?)))
                .expect("all is there");
            assert_eq!((version(&connection), sums), (3, (ROWS, ROWS)));
            // The copy of the old version has its name only when it is whole.
            let copy = Connection::open(copy_path(&path, 1, 1)).expect("the copy");
            let rows = copy.query_row("SELECT count(*) FROM one", [], |row| row.get(0));
            assert_eq!((version(&copy), rows), (1, Ok(ROWS)));
        }
        println!("{killed} migrations were killed; {was_old} left the old version, {was_new} the new one");
        assert!(killed >= 6, "only {killed} were killed while they ran");
        assert!(was_old > 0, "none was killed before its end");
    }
}
