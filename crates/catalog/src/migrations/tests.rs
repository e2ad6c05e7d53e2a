//! Migrations: refused, copied, killed, full.

use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::*;
use crate::backups::Backups;

const NEXT: [&str; 3] = [
    "CREATE TABLE one (x INTEGER) STRICT; INSERT INTO one VALUES (1);
     CREATE TABLE collection (id INTEGER PRIMARY KEY, created_s INTEGER) STRICT; INSERT INTO collection VALUES (1, 7);",
    "ALTER TABLE one ADD COLUMN y INTEGER;",
    "UPDATE one SET y = x + 1;",
];

/// That nothing is wrong with it.
const WHOLE: fn() -> Result<Option<String>> = || Ok(None);

fn migrate_by(
    connection: &mut Connection,
    path: &Path,
    migrations: &[&str],
    problem: &dyn Fn() -> Result<Option<String>>,
) -> Result<()> {
    super::migrate_by(connection, path, migrations, &Opening::default(), problem)
}

fn migrate(
    connection: &mut Connection,
    path: &Path,
    problem: &dyn Fn() -> Result<Option<String>>,
) -> Result<()> {
    migrate_by(connection, path, MIGRATIONS, problem)
}

/// The copies that were made, the first one first.
fn copies(path: &Path) -> Vec<PathBuf> {
    let copies = Backups::Beside.copies(path).expect("readable");
    assert!(copies.iter().all(|copy| copy.occasion == Occasion::Migration(1)), "{copies:?}");
    copies.into_iter().rev().map(|copy| copy.path).collect()
}

fn version(connection: &Connection) -> u32 {
    identity(connection).expect("readable").1
}

#[test]
fn an_old_version_is_copied_and_brought_up_to_date() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("catalog");
    let mut connection = Connection::open(&path).expect("made");
    migrate_by(&mut connection, &path, &NEXT[..1], &WHOLE).expect("a new one");
    assert_eq!(copies(&path), <[PathBuf; 0]>::default(), "there was nothing to copy");
    migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("brought up to date");
    let row: (i64, i64) = connection
        .query_row("SELECT x, y FROM one", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("what was there is there");
    assert_eq!((version(&connection), row), (3, (1, 2)));
    let [copy] = &copies(&path)[..] else { panic!("one copy") };
    let copy = Connection::open(copy).expect("the copy");
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
        let shelf = Backups::Beside.shelf(&path).expect("one is wanted");
        shelf.make().expect("made");
        let left = beside(&shelf.next(Occasion::Migration(1), 5).expect("a name").path, ".partial");
        std::fs::write(&left, "torn").expect("written");
        migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("brought up to date");
        drop(moment);
        let [copy] = &copies(&path)[..] else { panic!("one copy") };
        assert_eq!(rows(copy), [1, 7], "{name:?}");
        assert_eq!(version(&Connection::open(copy).expect("opened")), 1);
        assert_eq!(std::fs::read_dir(shelf.directory()).expect("readable").count(), 1);
        drop((reader, connection, directory));
    }
}

#[test]
fn each_way_up_has_its_copy_and_the_last_two_are_kept() {
    let (_directory, path, mut connection) = first(OsStr::new("catalog"));
    let up = |connection: &mut Connection| migrate_by(connection, &path, &NEXT, &WHOLE);
    up(&mut connection).expect("brought up to date");
    drop(connection);
    let back = || {
        let last = copies(&path).pop().expect("there is one");
        std::fs::copy(last, &path).map(drop).expect("put back");
    };
    // Put back, and up again: there is nothing that the copy does not have.
    back();
    up(&mut Connection::open(&path).expect("opened")).expect("brought up to date");
    assert_eq!(copies(&path).len(), 1);
    // The program of before has written to it.
    let write = |x: i64| {
        back();
        let mut connection = Connection::open(&path).expect("opened");
        connection.execute("INSERT INTO one VALUES (?1)", [x]).expect("written");
        up(&mut connection).expect("brought up to date");
    };
    write(2);
    let [one, two] = &copies(&path)[..] else { panic!("two copies") };
    assert_eq!((rows(one), rows(two)), (vec![1], vec![1, 2]));
    // And once more, from the last one.
    back();
    up(&mut Connection::open(&path).expect("opened")).expect("brought up to date");
    assert_eq!(copies(&path), [one.clone(), two.clone()]);
    // A third one takes the place of the first.
    write(3);
    let [left, three] = &copies(&path)[..] else { panic!("two copies") };
    assert_eq!((left, rows(left), rows(three)), (two, vec![1, 2], vec![1, 2, 3]));
    // What is torn is not a copy, and is not touched.
    back();
    std::fs::write(three, "torn").expect("written");
    up(&mut Connection::open(&path).expect("opened")).expect("brought up to date");
    let [left, torn, four] = &copies(&path)[..] else { panic!("two copies, and one that is none") };
    assert_eq!((left, torn, rows(four)), (two, three, vec![1, 2, 3]));
    assert_eq!(std::fs::read(torn).expect("readable"), b"torn");
}

fn safe(path: &Path, free_bytes: FreeBytes<'_>, backups: Backups) -> Result<Option<PathBuf>> {
    let connection = Connection::open(path).expect("opened");
    let opening = Opening { backups, ..Opening::default() };
    make_safe(&connection, path, (1, 3), &opening, (free_bytes, &WHOLE))
}

#[test]
fn one_more_copy_takes_no_room_that_the_migration_needs() {
    let (_directory, path, mut connection) = first(OsStr::new("catalog"));
    migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("brought up to date");
    drop(connection);
    let [copy] = &copies(&path)[..] else { panic!("one copy") };
    std::fs::copy(copy, &path).expect("put back");
    let connection = Connection::open(&path).expect("opened");
    connection.execute("INSERT INTO one VALUES (2)", []).expect("written");
    let asked = Cell::new(0);
    let free = |_: &Path| {
        asked.set(asked.get() + 1);
        Ok(if asked.get() == 1 { u64::MAX } else { 0 })
    };
    let error = safe(&path, &free, Backups::Beside).expect_err("the copy has taken it");
    assert!(matches!(error, Error::NoRoom { .. }), "{error}");
    assert_eq!(asked.get(), 2);
    assert_eq!(std::fs::read_dir(directory_of(copy)).expect("readable").count(), 1);
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
    let error = safe(&link, &free, Backups::Beside).expect_err("there is no room");
    let log = std::fs::metadata(beside(&path, "-wal")).expect("a log").len();
    let file = std::fs::metadata(&path).expect("it is there").len();
    assert!(log > 0, "it counts, too");
    let Error::NoRoom { needed_bytes, .. } = error else { panic!("{error}") };
    assert_eq!(needed_bytes, 3 * (file + log) + TABLES_BYTES);
    migrate_by(&mut connection, &link, &NEXT, &WHOLE).expect("brought up to date");
    let [copy] = &copies(&path)[..] else { panic!("one copy") };
    assert_eq!(rows(copy), [1]);
    assert_eq!(std::fs::read_dir(links.path()).expect("readable").count(), 1, "the link alone");
}

#[test]
fn a_copy_on_another_disk_takes_room_there() {
    let (directory, path, _connection) = first(OsStr::new("catalog"));
    let other = tempfile::tempdir().expect("a directory");
    let own = directory.path().canonicalize().expect("it is there");
    let elsewhere = || Backups::In(other.path().into());
    let bytes: u64 = ["", "-wal"]
        .map(|what| std::fs::metadata(beside(&path, what)).map_or(0, |facts| facts.len()))
        .iter()
        .sum();
    let all = 3 * bytes + TABLES_BYTES;
    // They are one file system as long as both have the same room; this machine need not have two.
    let room = |here: u64, there: u64| {
        let own = own.clone();
        move |looked_at: &Path| Ok(if looked_at == own { here } else { there })
    };
    let is_one = std::fs::metadata(&own).expect("there").dev()
        == std::fs::metadata(other.path()).expect("there").dev();
    assert!(is_one, "temporary directories lie on one disk");
    let error = safe(&path, &room(all - 1, 1 << 40), elsewhere()).expect_err("they share it");
    assert!(matches!(error, Error::NoRoom { needed_bytes, .. } if needed_bytes == all), "{error}");
    let copy = safe(&path, &room(all, 1 << 40), elsewhere()).expect("enough").expect("a copy");
    assert_eq!(copy.parent(), Some(&*other.path().canonicalize().expect("there")));
    // Without one it takes less.
    assert_eq!(safe(&path, &room(all - bytes, 0), Backups::Off).expect("enough"), None);
    safe(&path, &room(all - bytes - 1, 0), Backups::Off).expect_err("too little");
    // A directory that was named is not made: its disk may not be mounted.
    let missing = other.path().join("missing");
    let error = safe(&path, &room(1 << 40, 1 << 40), Backups::In(missing.clone())).expect_err("not there");
    assert!(matches!(&error, Error::NoBackups { path } if *path == missing), "{error}");
    assert!(!missing.exists());
}

#[test]
fn a_disk_that_becomes_full_meanwhile_leaves_the_old_version_and_says_so() {
    let (_directory, path, mut connection) = first(OsStr::new("catalog"));
    connection.execute("WITH RECURSIVE n (x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n WHERE x < 9000) INSERT INTO one SELECT x FROM n", []).expect("filled");
    let before = rows(&path);
    // SQLite says of a database that may not grow what it says of one on a full disk.
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).expect("counted");
    let most: i64 =
        connection.pragma_update_and_check(None, "max_page_count", pages, |row| row.get(0)).expect("set");
    assert_eq!(most, pages);
    let growing = [NEXT[0], "CREATE TABLE two AS SELECT x AS a, x AS b FROM one"];
    let error = migrate_by(&mut connection, &path, &growing, &WHOLE).expect_err("there is no room");
    let Error::Filled { found: 1, latest: 2, directory, .. } = &error else { panic!("{error}") };
    assert_eq!(*directory, directory_of(&path).canonicalize().expect("there"));
    let told = error.to_string();
    assert!(told.contains("catalog: stays of version 1: the disk became full"), "{told}");
    assert_eq!((version(&connection), rows(&path)), (1, before.clone()));
    drop(connection);
    let mut connection = Connection::open(&path).expect("opened");
    migrate_by(&mut connection, &path, &growing, &WHOLE).expect("there is room again");
    assert_eq!((version(&connection), rows(&path)), (2, before));
    assert_eq!(copies(&path).len(), 1, "the copy of the first try is enough");
}

#[test]
fn what_a_later_program_has_made_meanwhile_is_never_called_an_earlier_version() {
    let (_directory, path, mut connection) = first(OsStr::new("catalog"));
    migrate_by(&mut connection, &path, &NEXT, &WHOLE).expect("a later program brings it up to date");
    let transaction = connection.transaction().expect("begun");
    let error = carry_out(&transaction, &path, &NEXT[..2], None).expect_err("it is later");
    assert!(matches!(error, Error::Newer { found: 3, known: 2, .. }), "{error}");
    transaction.commit().expect("nothing was written");
    assert_eq!(version(&connection), 3);
    // One that was faster, and is of the same version, has left nothing to do.
    let transaction = connection.transaction().expect("begun");
    carry_out(&transaction, &path, &NEXT, None).expect("it is done");
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
    let [copy] = &copies(&path)[..] else { panic!("one copy") };
    assert_eq!(rows(copy), [1]);
}

#[test]
fn what_says_to_be_of_no_version_is_no_catalogue() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("catalog");
    let mut connection = Connection::open(&path).expect("made");
    migrate(&mut connection, &path, &WHOLE).expect("a new one");
    connection.pragma_update(None, "user_version", 0).expect("it takes it");
    for refused in [migrate(&mut connection, &path, &WHOLE), check_version(&connection, &path).map(drop)] {
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
    use crate::{Error, Reader, Thoroughness, Writer};

    let directory = tempfile::tempdir().expect("a directory");
    let old = directory.path().join("old");
    let mut connection = Connection::open(&old).expect("made");
    migrate_by(&mut connection, &old, &MIGRATIONS[..1], &WHOLE).expect("a new one");
    connection
        .execute_batch("INSERT INTO collection (id, name, root, algorithms, created_s) VALUES (1, 'c', x'2f', 'sha256', 0)")
        .expect("filled");
    drop(connection);
    let before = std::fs::read(&old).expect("readable");
    let mut catalog = Writer::open_or_make(&directory.path().join("catalog")).expect("made");
    let backup = Reader::open_backup(&old).expect("it can be restored");
    catalog.restore(&backup, None, 0).expect("restored");
    assert_eq!(catalog.collection("c").expect("it is there").identity.len(), 16);
    assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
    assert_eq!(std::fs::read(&old).expect("readable"), before);
    // Who may not write to it cannot bring it to the latest version.
    let read_only = Reader::to_read(&old).expect_err("it is older");
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
    assert_eq!(told, ": is damaged, and stays of version 1, where 3 is the present one: two spans overlap");
    assert_eq!((version(&connection), copies(&path).len()), (1, 0));
    // What is of the latest version is not checked each time.
    migrate_by(&mut connection, &path, &NEXT[..1], &problem).expect("there is nothing to do");
}

#[test]
fn a_migration_takes_room_for_a_copy_and_for_what_is_written_anew() {
    let directory = tempfile::tempdir().expect("a directory");
    let place = directory.path().canonicalize().expect("it is there");
    let path = place.join("catalog");
    std::fs::write(&path, [0; 1000]).expect("written");
    std::fs::write(place.join("catalog-wal"), [0; 234]).expect("written");
    let shelf = Backups::Beside.shelf(&path).expect("one is wanted");
    let look = |shelf: Option<&Shelf>, free: u64| {
        look_for_room(&path, (1, 3), shelf, &|looked_at| {
            assert_eq!(looked_at, place);
            Ok(free)
        })
    };
    look(Some(&shelf), 527_990).expect("that is enough");
    let told = look(Some(&shelf), 527_989).expect_err("that is not").to_string();
    let shown = place.to_str().expect("UTF-8");
    assert_eq!(
        told,
        format!(
            "{shown}/catalog: is of version 1; to bring it to version 3 takes 527,990 bytes in {shown}, and 527,989 are free there; make room"
        )
    );
    // The copy is there from a first try.
    look(None, 526_756).expect("that is enough");
    look(None, 526_755).expect_err("that is not");
    assert!(free_bytes(directory.path()).expect("it is there") > 0);
}

/// How many rows the migration that is killed has to go through.
const ROWS: i64 = 20_000;

/// Names the catalogue that a process is to bring up to date and be killed over.
const TO_MIGRATE: &str = "HASHLANE_TEST_TO_MIGRATE";

/// What the process that is killed runs: this test alone, which is given a catalogue. Otherwise there is nothing to do.
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
        let [copy] = &copies(&path)[..] else { panic!("one copy") };
        let copy = Connection::open(copy).expect("the copy");
        let rows = copy.query_row("SELECT count(*) FROM one", [], |row| row.get(0));
        assert_eq!((version(&copy), rows), (1, Ok(ROWS)));
    }
    println!("{killed} migrations were killed; {was_old} left the old version, {was_new} the new one");
    assert!(killed >= 6, "only {killed} were killed while they ran");
    assert!(was_old > 0, "none was killed before its end");
}
