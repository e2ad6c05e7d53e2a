//! The versions of the schema, and the way from each to the next.
//!
//! Owns what has to be so before a catalogue is brought to the latest version: there is room beside it, it is whole, and it is copied.
//! Does not own how an earlier version is read without that: `earlier` does.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::{Error, Result};

/// What makes each version of the one before; the first of nothing.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001-collections.sql"),
    include_str!("../migrations/0002-versions.sql"),
    include_str!("../migrations/0003-stores.sql"),
    include_str!("../migrations/0004-evidence.sql"),
    include_str!("../migrations/0005-read-versions.sql"),
];

/// How a file of SQLite says that it is a catalogue: `hlct`.
pub(crate) const APPLICATION_ID: i32 = 0x686c_6374;

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

/// Brings a copy that nobody else uses to the latest version.
pub(crate) fn migrate_copy(connection: &mut Connection) -> Result<()> {
    let transaction = connection.transaction()?;
    carry_out(&transaction, MIGRATIONS)?;
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
    let (application, version) = identity(&moment)?;
    let is_new = application == 0 && version == 0 && is_empty(&moment)?;
    drop(moment);
    if !is_new && (application != APPLICATION_ID || version == 0) {
        return Err(Error::NotCatalog { path: path.into() });
    }
    match version {
        found if found == latest => return Ok(()),
        found if found > latest => return Err(Error::Newer { path: path.into(), found, known: latest }),
        0 => {}
        found => {
            look_for_room(path, found, latest, free_bytes)?;
            if let Some(problem) = problem()? {
                return Err(Error::NotWhole { path: path.into(), found, latest, problem });
            }
            copy(connection, path, found)?;
        }
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    carry_out(&transaction, migrations)?;
    transaction.commit()?;
    Ok(())
}

fn carry_out(transaction: &Transaction<'_>, migrations: &[&str]) -> Result<()> {
    // Another process may have been faster.
    let (_, version) = identity(transaction)?;
    for migration in migrations.iter().skip(version as usize) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", migrations.len() as u32)?;
    Ok(())
}

fn identity(connection: &Connection) -> rusqlite::Result<(i32, u32)> {
    let application = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok((application, version))
}

fn is_empty(connection: &Connection) -> Result<bool> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(tables == 0)
}

/// Where the copy of an old version lies.
fn copy_path(path: &Path, version: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".version-{version}"));
    name.into()
}

/// Refuses to begin what a full disk would end: a copy takes as much as the catalogue, and a migration may write all of it anew.
fn look_for_room(
    path: &Path,
    found: u32,
    latest: u32,
    free_bytes: impl Fn(&Path) -> std::io::Result<u64>,
) -> Result<()> {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |facts| facts.len());
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let bytes = size(path) + size(Path::new(&log));
    let is_copied = copy_path(path, found).exists();
    let needed_bytes = if is_copied { bytes } else { 2 * bytes };
    let directory = directory(path);
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

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Copies the catalogue as it is. A copy that is there already is of the same version, and older; it stays.
fn copy(connection: &Connection, path: &Path, version: u32) -> Result<()> {
    let copy = copy_path(path, version);
    if copy.exists() {
        return Ok(());
    }
    let mut partial = copy.clone().into_os_string();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let failed = |source| Error::Open { path: partial.clone(), source };
    match std::fs::remove_file(&partial) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let Some(name) = partial.to_str() else {
        // SQLite takes names in UTF-8 only; the bytes of a database that nobody writes to are the database.
        return std::fs::copy(path, &copy).map(drop).map_err(failed);
    };
    if let Err(error) = connection.execute("VACUUM INTO ?1", [name]) {
        // It is worth nothing, and may have taken the last room.
        let _ = std::fs::remove_file(&partial);
        return Err(error.into());
    }
    File::open(&partial)
        .and_then(|file| file.sync_all())
        .and_then(|()| std::fs::rename(&partial, &copy))
        .and_then(|()| File::open(directory(path))?.sync_all())
        .map_err(failed)
}

#[cfg(test)]
mod tests {
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
        assert!(!copy_path(&path, 1).exists(), "there was nothing to copy");
        migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("brought up to date");
        let row: (i64, i64) = connection
            .query_row("SELECT x, y FROM one", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .expect("what was there is there");
        assert_eq!((version(&connection), row), (3, (1, 2)));
        let copy = Connection::open(copy_path(&path, 1)).expect("the copy");
        assert_eq!(version(&copy), 1);
        assert_eq!(copy.query_row("SELECT x FROM one", [], |row| row.get(0)), Ok(1));
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
        assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), [""; 0]);
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
        assert_eq!((version(&connection), copy_path(&path, 1).exists()), (1, false));
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
            look_for_room(&path, 1, 3, |looked_at| {
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
        std::fs::write(copy_path(&path, 1), []).expect("written");
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
            let copy = Connection::open(copy_path(&path, 1)).expect("the copy");
            let rows = copy.query_row("SELECT count(*) FROM one", [], |row| row.get(0));
            assert_eq!((version(&copy), rows), (1, Ok(ROWS)));
        }
        println!("{killed} migrations were killed; {was_old} left the old version, {was_new} the new one");
        assert!(killed >= 6, "only {killed} were killed while they ran");
        assert!(was_old > 0, "none was killed before its end");
    }
}
