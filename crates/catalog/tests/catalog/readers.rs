//! Those who read beside one who writes.

use std::fs;
use std::thread;
use std::time::Duration;

use hashlane_catalog::{Error, LATEST, Reader, State};
use rusqlite::Connection;

use crate::earlier::copied;
use crate::support::{Made, NOW, begun, content, made};

#[test]
fn who_reads_waits_no_longer_than_its_deadline_for_one_that_has_the_catalogue_for_itself() {
    let Made { catalog, directory: _directory } = made();
    let path = catalog.path().to_owned();
    drop(catalog);
    let other = Connection::open(&path).expect("opened");
    other.pragma_update(None, "locking_mode", "EXCLUSIVE").expect("set");
    other.execute_batch("BEGIN EXCLUSIVE").expect("nobody else has it open");
    let refused = Reader::open_within(&path, Duration::from_millis(1));
    assert!(
        matches!(&refused, Err(Error::Locked { path: Some(told) }) if *told == path),
        "the error says which catalogue it is about: {refused:?}"
    );
    // As long as the deadline lasts it is waited.
    let waits = thread::spawn({
        let path = path.clone();
        move || Reader::open_within(&path, Duration::from_secs(600)).map(|reader| reader.collections())
    });
    drop(other);
    assert!(waits.join().expect("it does not panic").expect("it is free").expect("readable").is_empty());
}

#[test]
fn what_a_reader_does_can_be_ended_by_another_thread_and_it_goes_on_with_the_next_thing() {
    let Made { mut catalog, directory: _directory } = made();
    let (collection, stint) = begun(&mut catalog, "photos");
    let mut batch = catalog.batch(collection.id, stint).expect("begun");
    let root = batch.directory(b"").expect("added");
    for number in 0..3 {
        batch.add(root, format!("{number}").as_bytes(), &content(number), State::Present).expect("added");
    }
    batch.commit().expect("committed");
    let reader = Reader::open(catalog.path()).expect("readable");
    let interrupter = reader.interrupter();
    let mut shown = 0;
    let ended = reader.each_held_content(collection.id, &mut |_| {
        shown += 1;
        thread::scope(|scope| scope.spawn(|| interrupter.interrupt()).join()).expect("it does not panic");
        Ok(())
    });
    assert!(matches!(ended, Err(Error::Interrupted { .. })), "{ended:?}");
    assert_eq!(shown, 1, "of three");
    let mut all = 0;
    let read = reader.each_held_content(collection.id, &mut |_| {
        all += 1;
        Ok(())
    });
    assert!(read.is_ok() && all == 3, "{read:?}: {all}");
}

#[test]
fn readers_beside_one_that_writes_see_what_is_committed_and_wait_for_nothing() {
    let Made { mut catalog, directory: _directory } = made();
    let (collection, stint) = begun(&mut catalog, "photos");
    let readers = [(); 3].map(|()| Reader::open_within(catalog.path(), Duration::ZERO).expect("readable"));
    let files = || readers.each_ref().map(|reader| reader.present(collection.id).expect("readable").files);
    let mut batch = catalog.batch(collection.id, stint).expect("begun");
    let root = batch.directory(b"").expect("added");
    batch.add(root, b"a", &content(1), State::Present).expect("added");
    assert_eq!(files(), [0; 3], "nothing is committed");
    batch.commit().expect("committed");
    assert_eq!(files(), [1; 3]);
    assert_eq!(catalog.present(collection.id).expect("who writes reads, too").files, 1);
}

#[test]
fn who_holds_a_collection_is_told_to_others_who_do_not_take_its_lock() {
    let Made { mut catalog, directory: _directory } = made();
    let (collection, _) = begun(&mut catalog, "photos");
    let reader = Reader::open(catalog.path()).expect("readable");
    let holder = || reader.holder(&collection).expect("readable");
    assert_eq!(holder(), None);
    let lock = catalog.lock(&collection, NOW).expect("nobody has it");
    let told = holder().expect("somebody has it");
    assert_eq!((told.process, told.since_s), (std::process::id(), NOW));
    drop(lock);
    assert_eq!(holder(), None);
    catalog.lock(&collection, NOW).expect("who has asked has not taken it");
}

#[test]
fn a_catalogue_of_an_earlier_version_is_read_by_several_at_once_and_stays_what_it_is() {
    for version in 1..LATEST {
        let (_directory, path) = copied(version);
        let before = fs::read(&path).expect("readable");
        let readers =
            [(); 2].map(|()| Reader::open(&path).expect("it is shown as if it were of this version"));
        for reader in &readers {
            assert!(!reader.is_of_this_version() || version >= 11, "{version}");
            let collections = reader.collections().expect("readable");
            assert!(!collections.is_empty(), "{version}");
            for collection in collections {
                reader.standing(collection.id, NOW).expect("readable");
            }
        }
        drop(readers);
        assert_eq!(fs::read(&path).expect("readable"), before, "{version}");
    }
}
