//! What keeps a catalogue in order: checks, copies, and forgetting.

use std::fs;
use std::path::Path;

use hashlane_catalog::{Damage, Error, Reader, ReadingKind, State, Terms, Thoroughness};

use crate::support::{Made, NOW, begun, content, made};

/// A catalogue with two collections of 100 files each.
fn filled() -> Made {
    let mut made = made();
    for name in ["one", "two"] {
        let (collection, stint) = begun(&mut made.catalog, name);
        let mut batch = made.catalog.batch(collection.id, stint).expect("a batch");
        for number in 0..100_u64 {
            let directory = batch.directory(format!("d{}", number % 3).as_bytes()).expect("a directory");
            let name = format!("f{number}");
            let item =
                batch.add(directory, name.as_bytes(), &content(number), State::Present).expect("added");
            batch.read_good(item, item, ReadingKind::Device).expect("recorded");
        }
        batch.commit().expect("written");
    }
    made
}

fn problems(catalog: &Reader) -> Vec<Damage> {
    catalog.verify(Thoroughness::Full).expect("readable")
}

#[test]
fn every_kind_of_damage_is_noticed() {
    let damages = [
        "UPDATE item SET size = size + 1 WHERE rowid = (SELECT max(id) FROM item)",
        "UPDATE item SET digests = zeroblob(32) WHERE rowid = (SELECT min(id) FROM item)",
        "UPDATE item SET name = x'00' WHERE rowid = (SELECT min(id) FROM item)",
        "DELETE FROM item WHERE id = (SELECT max(id) FROM item)",
        "UPDATE total SET files = files + 1",
        "UPDATE item SET state = 1 WHERE id = (SELECT max(id) FROM item)",
        "DELETE FROM segment WHERE id = (SELECT max(id) FROM segment)",
        "INSERT INTO span VALUES (1, 0, 9223372036854775807, 1, 1, 0)",
        "UPDATE stint SET run = 77",
        "UPDATE run SET counts = 'garbage'",
        "INSERT INTO finding (item, collection, verdict, run, since_s, seen_s, stint) SELECT max(id), 1, 0, 1, 0, 0, 1 FROM item",
        "INSERT INTO version VALUES (5, 0, 1, 0, 0, NULL, 1, 0)",
    ];
    for damage in damages {
        let made = filled();
        assert_eq!(problems(&made.catalog), []);
        let raw = rusqlite::Connection::open(made.catalog.path()).expect("opened");
        raw.pragma_update(None, "foreign_keys", false).expect("set");
        raw.execute_batch(damage).expect(damage);
        assert_ne!(problems(&made.catalog), [], "{damage}");
    }
}

#[test]
fn a_backup_is_whole_and_can_be_brought_back() {
    let mut made = filled();
    let copy = made.directory.path().join("copy.sqlite");
    made.catalog.backup(&copy).expect("copied");
    let error = made.catalog.backup(&copy).expect_err("it is there already");
    assert!(matches!(error, Error::Open { .. }), "{error}");
    made.catalog.add_collection(&Terms::new("three", "/srv"), NOW).expect("a new name");
    let backup = Reader::open_backup(&copy).expect("it is whole");
    made.catalog.restore(&backup, None, NOW).expect("brought back");
    let names = |catalog: &Reader| {
        let collections = catalog.collections().expect("readable");
        collections.into_iter().map(|collection| collection.terms.name).collect::<Vec<_>>()
    };
    assert_eq!((names(&made.catalog), problems(&made.catalog)), (vec!["one".into(), "two".into()], vec![]));
    made.catalog.add_collection(&Terms::new("three", "/srv"), NOW).expect("it can be written to");
}

#[test]
fn a_backup_that_is_damaged_is_not_brought_back() {
    let made = filled();
    let copy = made.directory.path().join("copy.sqlite");
    made.catalog.backup(&copy).expect("copied");
    let whole = fs::read(&copy).expect("readable");
    let none = made.directory.path().join("none.sqlite");
    assert!(matches!(Reader::open_backup(&none), Err(Error::Open { .. })));
    fs::write(&none, "no catalogue").expect("written");
    for none in [&none, made.directory.path(), Path::new("/dev/null")] {
        assert!(matches!(Reader::open_backup(none), Err(Error::NotCatalog { .. })), "{}", none.display());
    }
    let mut refused = 0;
    for page in 1..whole.len() / 4096 {
        let mut damaged = whole.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0x55);
        fs::write(&copy, damaged).expect("written");
        refused += usize::from(Reader::open_backup(&copy).is_err());
    }
    assert_eq!(refused, whole.len() / 4096 - 1, "each page matters");
}

#[test]
fn what_is_purged_is_gone_and_nothing_else() {
    let mut made = filled();
    let [one, two] = ["one", "two"].map(|name| made.catalog.collection(name).expect("it was added"));
    made.catalog.purge_collection(&one, NOW).expect("purged");
    assert_eq!(problems(&made.catalog), []);
    assert!(made.catalog.collection("one").is_err());
    assert_eq!(made.catalog.total(two.id, State::Present).expect("readable").files, 100);
    made.catalog.compact().expect("compacted");
    assert_eq!(problems(&made.catalog), []);
}

#[test]
fn a_file_that_is_recorded_twice_is_noticed() {
    let made = filled();
    let raw = rusqlite::Connection::open(made.catalog.path()).expect("a database");
    hashlane_catalog::keep_checksums(&raw).expect("kept");
    raw.execute_batch(
        "UPDATE segment SET items = items + 1 WHERE id = (SELECT min(id) FROM segment);
         INSERT INTO item SELECT (SELECT min(id) << 16 | items - 1 FROM segment), name, size, mtime_ns, ctime_ns, inode, digests, run, state
         FROM item ORDER BY id LIMIT 1",
    )
    .expect("a twin");
    let problems = problems(&made.catalog);
    assert!(
        problems.iter().any(|problem| problem.to_string().ends_with("is recorded twice")),
        "{problems:?}"
    );
}
