//! Databases of NSRL: nothing is written beside them, nothing that belongs to them is passed over.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_known::{Error, Nsrl};
use rusqlite::Connection;

const TABLE: &str = "CREATE TABLE FILE (sha256 TEXT, file_name TEXT, file_size INTEGER)";
const ROW: &str = "INSERT INTO FILE VALUES (hex(zeroblob(32)), 'a', 1)";

fn rows(path: &Path) -> Result<u64, Error> {
    let database = Nsrl::open(path)?;
    let mut count = 0;
    database.for_each(|row| {
        assert_eq!((row.digests.len(), row.bad), (1, None));
        count += 1;
        Ok::<(), Error>(())
    })?;
    Ok(count)
}

fn names_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let name = |entry: Result<fs::DirEntry, _>| {
        entry.expect("an entry").file_name().into_string().expect("a name of letters")
    };
    let mut names: Vec<_> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn nothing_is_made_beside_a_database_that_has_a_log() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rds.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch(&format!("PRAGMA journal_mode = WAL; {TABLE}; {ROW}")).unwrap();
    drop(writer);
    assert_eq!(names_in(directory.path()), ["rds.db"]);
    let before = fs::read(&path).unwrap();
    let database = Nsrl::open(&path).unwrap();
    let mut count = 0;
    let seen = |_| {
        count += 1;
        assert_eq!(names_in(directory.path()), ["rds.db"]);
        Ok::<(), Error>(())
    };
    database.for_each(seen).unwrap();
    assert_eq!(count, 1);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_log_or_a_journal_that_is_not_taken_in_is_refused_and_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("rds.db");
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch(&format!("PRAGMA journal_mode = WAL; {TABLE}; {ROW}")).unwrap();
    let error = rows(&path).unwrap_err().to_string();
    assert!(error.contains("rds.db-wal; let SQLite merge them: `sqlite3 FILE .tables`"), "{error}");
    // By way of a link as well.
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(matches!(rows(&link), Err(Error::Unfinished { .. })));
    drop(writer);
    assert_eq!((rows(&path).unwrap(), rows(&link).unwrap()), (1, 1));

    // A journal that was done with begins with a zero or is empty.
    let journal = directory.path().join("rds.db-journal");
    for done_with in [&b""[..], b"\0\0\0\0"] {
        fs::write(&journal, done_with).unwrap();
        assert_eq!(rows(&path).unwrap(), 1);
    }
    fs::write(&journal, b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7").unwrap();
    assert!(matches!(rows(&path), Err(Error::Unfinished { beside }) if beside == journal));
}

#[test]
fn any_name_of_a_file_is_a_name_and_no_address() {
    let directory = tempfile::tempdir().unwrap();
    let made = directory.path().join("made");
    Connection::open(&made).unwrap().execute_batch(&format!("{TABLE}; {ROW}; {ROW}")).unwrap();
    for name in [&b":memory:"[..], b"a?mode=memory", b"a#b", b"%41", b"a b", b"\xff\xfe", b"file:a", b"a&b"] {
        let path = directory.path().join(OsStr::from_bytes(name));
        fs::copy(&made, &path).unwrap();
        assert_eq!(rows(&path).unwrap(), 2, "{}", path.display());
    }
    assert!(matches!(rows(Path::new(":memory:")), Err(Error::Database(_))));
}

#[test]
fn views_serve_and_what_is_no_database_of_nsrl_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let made = |name: &str, sql: &str| {
        let path = directory.path().join(name);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        path
    };
    let view = format!(
        "{}; CREATE VIEW FILE AS SELECT upper(sha256) AS sha256, file_name FROM META",
        TABLE.replace("FILE", "META")
    );
    let view = format!("{view}; {}", ROW.replace("FILE", "META"));
    assert_eq!(rows(&made("view", &view)).unwrap(), 1);
    let other = rows(&made("other", "CREATE TABLE OTHER (a)")).unwrap_err();
    assert!(matches!(other, Error::NotNsrl { what: "it has no table FILE" }));
    let bare = rows(&made("bare", "CREATE TABLE FILE (file_name)")).unwrap_err();
    assert!(bare.to_string().contains("no column sha256, sha1 or md5"), "{bare}");
    let text = directory.path().join("text");
    fs::write(&text, "no database").unwrap();
    assert!(matches!(rows(&text), Err(Error::Database(_))));
    assert!(matches!(rows(&directory.path().join("missing")), Err(Error::Database(_))));
}
