//! The file of a catalogue: made, opened again, refused, shared, and cut off.

use std::fs;
use std::process::Command;

use hashlane_catalog::{Ending, Error, LATEST, Reader, State, Terms, Writer};

use crate::support::{NOW, begun, content, made, request};

#[test]
fn what_was_recorded_is_there_when_it_is_opened_again() {
    let mut made = made();
    begun(&mut made.catalog, "photos");
    let path = made.catalog.path().to_owned();
    drop(made.catalog);
    let catalog = Writer::open(&path).expect("it is a catalogue");
    let names: Vec<_> =
        catalog.collections().expect("readable").into_iter().map(|one| one.terms.name).collect();
    assert_eq!(names, ["photos"]);
}

#[test]
fn names_of_collections_are_plain_and_taken_once() {
    let mut made = made();
    for name in ["", "-x", ".x", "a b", "a/b", "a\nb", &"x".repeat(201)] {
        let error = made.catalog.add_collection(&Terms::new(name, "/srv"), NOW).expect_err(name);
        assert!(matches!(error, Error::BadName { .. }), "{error}");
    }
    for name in ["a", "a.b_c-1", "größe"] {
        made.catalog.add_collection(&Terms::new(name, "/srv"), NOW).expect(name);
        let error = made.catalog.add_collection(&Terms::new(name, "/srv"), NOW).expect_err("taken");
        assert!(matches!(error, Error::Exists { .. }), "{error}");
    }
    let error = made.catalog.collection("other").expect_err("there is none");
    assert_eq!(error.to_string(), "no collection is named other");
}

#[test]
fn what_is_not_a_catalogue_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("file");
    let other_database = directory.path().join("other.sqlite");
    rusqlite::Connection::open(&other_database)
        .and_then(|connection| connection.execute_batch("CREATE TABLE t (x)"))
        .expect("a database");
    let other = fs::read(&other_database).expect("readable");
    // A version that no program has ever written.
    let below = directory.path().join("below.sqlite");
    drop(Writer::open_or_make(&below).expect("made"));
    rusqlite::Connection::open(&below)
        .and_then(|connection| connection.pragma_update(None, "user_version", -1))
        .expect("a database");
    let below = fs::read(&below).expect("readable");
    for bytes in [b"not a database, and long enough to look like one".repeat(100), other, below] {
        fs::write(&path, &bytes).expect("written");
        let error = Writer::open(&path).expect_err("it is none");
        assert!(matches!(error, Error::NotCatalog { .. }), "{error}");
        assert_eq!(fs::read(&path).expect("readable"), bytes);
    }
}

#[test]
fn a_catalogue_of_a_later_program_is_refused() {
    let made = made();
    let path = made.catalog.path().to_owned();
    drop(made.catalog);
    let later = LATEST + 1;
    rusqlite::Connection::open(&path)
        .and_then(|connection| connection.pragma_update(None, "user_version", later))
        .expect("changed");
    let error = Writer::open(&path).expect_err("it is later");
    assert!(matches!(error, Error::Newer { found, .. } if found == later), "{error}");
}

#[test]
fn a_batch_that_is_not_committed_leaves_nothing() {
    let mut made = made();
    let (collection, stint) = begun(&mut made.catalog, "c");
    let mut batch = made.catalog.batch(collection.id, stint).expect("a batch");
    let directory = batch.directory(b"d").expect("a directory");
    batch.add(directory, b"file", &content(1), State::Present).expect("added");
    drop(batch);
    assert_eq!(made.catalog.directory(collection.id, b"d").expect("readable"), None);
}

#[test]
fn a_run_goes_on_where_the_same_is_asked_for_and_no_other_came_between() {
    let mut made = made();
    let (collection, first) = begun(&mut made.catalog, "c");
    let catalog = &mut made.catalog;
    let again = catalog.begin_stint(collection.id, &request("all"), NOW + 1, NOW).expect("a stint");
    assert_eq!((again.run, again.goes_on), (first.run, true));
    assert!(again.id > first.id);
    // Too long ago, or for something else: a new one.
    let late = catalog.begin_stint(collection.id, &request("all"), NOW + 9, NOW + 5).expect("a stint");
    assert!(late.run > first.run && !late.goes_on);
    let other = catalog.begin_stint(collection.id, &request("some"), NOW + 9, 0).expect("a stint");
    assert!(other.run > late.run && !other.goes_on);
    let back = catalog.begin_stint(collection.id, &request("all"), NOW + 9, 0).expect("a stint");
    assert!(back.run > other.run && !back.goes_on);
    catalog.end_stint(back, Some(Ending::of("complete")), NOW + 10).expect("ended");
    let next = catalog.begin_stint(collection.id, &request("all"), NOW + 9, 0).expect("a stint");
    assert!(next.run > back.run && !next.goes_on);
}

/// Where the child of the test below finds the catalogue.
const CATALOG: &str = "HASHLANE_TEST_CATALOG";

/// The other side of the test below: adds collections until it is killed.
#[test]
fn child_that_writes() {
    let Some(path) = std::env::var_os(CATALOG) else { return };
    let mut catalog = Writer::open(path.as_ref()).expect("it is a catalogue");
    for number in 0.. {
        let name = format!("c{}-{number}", std::process::id());
        begun(&mut catalog, &name);
        let collection = catalog.collection(&name).expect("it was added");
        let stint = catalog.begin_stint(collection.id, &request("all"), NOW, 0).expect("a stint");
        let mut batch = catalog.batch(collection.id, stint).expect("a batch");
        let directory = batch.directory(b"").expect("the root");
        for file in 0..100 {
            batch
                .add(directory, format!("{file:03}").as_bytes(), &content(file), State::Present)
                .expect("added");
        }
        batch.commit().expect("written");
    }
}

#[test]
fn processes_that_write_at_once_and_are_killed_leave_whole_batches() {
    let made = made();
    let path = made.catalog.path().to_owned();
    let program = std::env::current_exe().expect("this program");
    let start = || {
        let mut child = Command::new(&program);
        child.args(["--exact", "files::child_that_writes"]).env(CATALOG, &path);
        child.stdout(std::process::Stdio::null()).spawn().expect("it starts")
    };
    let mut catalog = made.catalog;
    for round in 1..=3 {
        let mut children = [start(), start()];
        // Until both have written something more.
        let enough = |catalog: &Reader| {
            let names = catalog.collections().expect("readable").into_iter().map(|one| one.terms.name);
            let of = |child: &std::process::Child| format!("c{}-2", child.id());
            let names: Vec<_> = names.collect();
            children.iter().all(|child| names.contains(&of(child)))
        };
        while !enough(&catalog) {
            std::thread::yield_now();
        }
        for child in &mut children {
            child.kill().expect("killed");
            child.wait().expect("ended");
        }
        let collections = catalog.collections().expect("readable");
        assert!(collections.len() >= round * 6);
        for collection in &collections {
            let Some(root) = catalog.directory(collection.id, b"").expect("readable") else { continue };
            let segments = catalog.segments(root).expect("readable");
            let items: usize = segments
                .iter()
                .map(|segment| catalog.items(collection, segment).expect("readable").len())
                .sum();
            assert_eq!(items, 100, "{}", collection.terms.name);
        }
        // As the next process finds it.
        catalog = Writer::open(&path).expect("it is whole");
    }
    assert!(made.directory.path().exists());
}
