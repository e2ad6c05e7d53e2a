//! Catalogues of earlier versions over which the program is killed while it brings them up to date.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use hashlane_catalog::{Backups, LATEST, Occasion, Reader, Thoroughness, Writer};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::earlier::{CLOCKS, copied, judged};

/// How many events each catalogue has more, so that bringing it up to date takes a while.
const EVENTS: u32 = 6_000;

/// Names the catalogue that a process is to bring up to date and be killed over.
const TO_MIGRATE: &str = "HASHLANE_TEST_CATALOGUE_TO_MIGRATE";

/// What that process says just before.
const BEGUN: &str = "it begins";

/// What the process that is killed runs: this test alone, which is given a catalogue. Otherwise there is nothing to do.
#[test]
fn a_catalogue_is_brought_up_to_date_by_a_process_of_its_own() {
    let Some(path) = std::env::var_os(TO_MIGRATE).map(PathBuf::from) else { return };
    println!("\n{BEGUN}");
    Writer::open(&path).expect("brought up to date");
}

/// Such a process, which has just begun. Its output stays open as long as it runs.
fn begun(path: &Path) -> (Child, BufReader<ChildStdout>) {
    let test = "killed::a_catalogue_is_brought_up_to_date_by_a_process_of_its_own";
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture"])
        .env(TO_MIGRATE, path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut said = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    while line.trim_end() != BEGUN {
        line.clear();
        assert_ne!(said.read_line(&mut line).expect("readable"), 0, "it ended before it had begun");
    }
    (child, said)
}

/// A catalogue of a version whose story has more to it.
fn enlarged(version: u32) -> (tempfile::TempDir, PathBuf) {
    let (directory, path) = copied(version);
    let connection = Connection::open(&path).expect("opened");
    let has_kinds = version >= 11;
    if has_kinds {
        hashlane_catalog::keep_checksums(&connection).expect("kept");
    }
    let kind = if has_kinds { "kind, " } else { "" };
    connection
        .execute(
            &format!(
                "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?1)
                 INSERT INTO event ({kind}collection, item, run, at_s, actor, what, reason)
                 SELECT {kind}collection, item, run, at_s + x, actor, what, 'number ' || x FROM n, (SELECT * FROM event WHERE id = 1)"
            ),
            [EVENTS],
        )
        .expect("filled");
    if has_kinds {
        let counted = "UPDATE counter SET next = (SELECT max(id) + 1 FROM event) WHERE name = 'event'";
        connection.execute(counted, []).expect("counted");
    }
    drop(connection);
    (directory, path)
}

/// All rows of all tables, and how these are made.
fn dump(path: &Path) -> String {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("opened");
    let tables: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .expect("readable");
    let mut dump = String::new();
    for table in tables.iter().map(String::as_str).chain(["sqlite_schema"]) {
        writeln!(dump, "{table}").expect("a text");
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).expect("a query");
        let columns = statement.column_count();
        let mut rows = statement.query([]).expect("asked");
        while let Some(row) = rows.next().expect("readable") {
            for column in 0..columns {
                match row.get_ref(column).expect("a value") {
                    // Where a tree begins in the file is not what it says.
                    ValueRef::Integer(_) if (table, column) == ("sqlite_schema", 3) => {}
                    value => write!(dump, "{value:?} ").expect("a text"),
                }
            }
            dump.push('\n');
        }
    }
    dump
}

fn version_of(path: &Path) -> u32 {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("opened");
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).expect("readable")
}

/// Each copy of the catalogue is whole and of this version, with what was there.
fn look_at_copies(path: &Path, version: u32, before: &str) -> usize {
    let copies = Backups::default().copies(path).expect("listed");
    for copy in &copies {
        assert_eq!(copy.occasion, Occasion::Migration(version));
        Reader::open_backup(&copy.path).expect("it can be restored");
        assert!(dump(&copy.path) == before, "version {version}: the copy has something else");
    }
    copies.len()
}

#[test]
fn a_catalogue_over_which_its_program_is_killed_is_of_one_version_or_the_other_and_has_a_copy() {
    let kills = if std::env::var_os("HASHLANE_TEST_ALL").is_some() { 20 } else { 2 };
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut all, mut was_old, mut was_new, mut were_copied) = (0, 0, 0, 0);
    for version in 1..LATEST {
        let (_first, first) = enlarged(version);
        let before = dump(&first);
        let judged_before = judged(&Reader::open(&first).expect("it can be read"), CLOCKS[1]);
        // How long it takes where nobody kills it.
        let (mut child, said) = begun(&{
            let path = first.with_file_name("timed.sqlite");
            fs::copy(&first, &path).expect("copied");
            path
        });
        let start = Instant::now();
        assert!(child.wait().expect("ended").success());
        let within = start.elapsed();
        drop(said);

        let mut killed = 0;
        for attempt in 0.. {
            assert!(attempt < 10 * kills, "version {version}: {killed} of {attempt} were killed in time");
            if killed == kills {
                break;
            }
            let directory = tempfile::tempdir().expect("a directory");
            let path = directory.path().join("catalog.sqlite");
            fs::copy(&first, &path).expect("copied");
            let (mut child, said) = begun(&path);
            std::thread::sleep(within.mul_f64(rng.f64()));
            child.kill().expect("killed, or over");
            killed += u32::from(child.wait().expect("ended").code().is_none());
            drop(said);

            let catalog = Reader::open(&path).expect("it can be read, whatever it is");
            assert_eq!(judged(&catalog, CLOCKS[1]), judged_before, "version {version}");
            drop(catalog);
            let copies = look_at_copies(&path, version, &before);
            match version_of(&path) {
                found if found == version => {
                    was_old += 1;
                    assert!(dump(&path) == before, "version {version}: something else is in it");
                }
                LATEST => {
                    was_new += 1;
                    assert_eq!(copies, 1);
                }
                between => panic!("version {between} is neither the old one nor the new one"),
            }
            were_copied += u32::from(copies > 0);
            let catalog = Writer::open(&path).expect("brought up to date");
            assert_eq!(judged(&catalog, CLOCKS[1]), judged_before, "version {version}");
            assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
            drop(catalog);
            assert_eq!(version_of(&path), LATEST);
            assert_eq!(look_at_copies(&path, version, &before), 1);
            let beside = fs::read_dir(directory.path().join("backups")).expect("it was made");
            assert_eq!(beside.count(), 1, "what was torn is gone");
        }
        all += killed;
    }
    println!(
        "{all} killed: {was_old} left the old version, {were_copied} with a copy, {was_new} the new one"
    );
    assert!(was_old > 0 && were_copied > 0, "{was_old} of the old version, {were_copied} with a copy");
}
