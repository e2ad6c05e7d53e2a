//! Weekly copies: made, kept, not made, and never instead of good ones.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tempfile::TempDir;

use super::*;
use crate::backups::Backups;
use crate::collections::Terms;
use crate::opening::Opening;
use crate::paths::beside;

/// 2026-11-30 04:33:35 UTC.
const NOW: i64 = 1_796_013_215;
const DAY_S: i64 = 86_400;
const WEEK_S: i64 = 7 * DAY_S;

/// A catalogue with a collection.
fn made() -> (TempDir, Writer) {
    let directory = tempfile::tempdir().expect("a directory");
    let mut catalog = Writer::open_or_make(&directory.path().join("catalog.sqlite")).expect("made");
    catalog.add_collection(&Terms::new("photos", "/srv/photos"), NOW).expect("added");
    (directory, catalog)
}

/// The times of the copies, the first one first.
fn times(catalog: &Reader) -> Vec<i64> {
    let copies = catalog.backups.copies(catalog.path()).expect("listed");
    copies.iter().rev().map(|copy| copy.made_s).collect()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn is_made(catalog: &mut Writer, now_s: i64) -> bool {
    catalog.back_up_weekly(now_s).expect("it can be").is_some()
}

#[test]
fn a_copy_is_made_each_week_and_four_are_kept() {
    let (directory, mut catalog) = made();
    let copies = directory.path().join("backups");
    // One each night, which ends now earlier, now later.
    for night in 0..50 {
        let now_s = NOW + night * DAY_S + night % 3 * 3_600;
        assert_eq!(is_made(&mut catalog, now_s), night % 7 == 0, "night {night}");
    }
    let nights = [28, 35, 42, 49].map(|night| NOW + night * DAY_S + night % 3 * 3_600);
    assert_eq!(times(&catalog), nights);
    assert_eq!(names(&copies).len(), 4);
    // Each is a catalogue with all that was there, and this one remembers that it was copied.
    for copy in catalog.backups.copies(catalog.path()).expect("listed") {
        let backup = Reader::open_backup(&copy.path).expect("it is whole");
        backup.collection("photos").expect("it is there");
    }
    let changes = catalog.changes(None, None).expect("readable");
    let backups: Vec<_> = changes.iter().filter(|change| change.what == "backup").collect();
    assert_eq!(backups.len(), 8);
    assert_eq!(backups[0].at_s, NOW);
    assert_eq!(backups[0].becomes["occasion"], "weekly");
    assert_eq!(
        backups[0].becomes["file"],
        catalog
            .path()
            .with_file_name("backups/catalog.sqlite.backup-1.weekly.20261130T043335Z")
            .to_str()
            .expect("UTF-8")
    );
    assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
}

#[test]
fn nothing_else_is_ever_removed() {
    let (directory, mut catalog) = made();
    let copies = directory.path().join("backups");
    fs::create_dir(&copies).expect("made");
    let other = tempfile::tempdir().expect("a directory");
    let mut others = Writer::open_or_make(&other.path().join("catalog.sqlite")).expect("made");
    others.add_collection(&Terms::new("photos", "/srv/photos"), NOW).expect("added");
    let of_others = copies.join("catalog.sqlite.backup-1.weekly.20200101T000000Z");
    others.backup(&of_others).expect("copied");
    for (name, content) in [
        ("notes.txt", "what somebody wrote"),
        ("catalog.sqlite.backup-2.weekly.20200101T000000Z", "no catalogue"),
        ("catalog.sqlite.backup-3.weekly.20200101T000000Z.old", "renamed by somebody"),
        ("catalog.sqlite.backup-3.weekly.20200101T000000Z.old.partial", "and this"),
        ("other.sqlite.backup-3.weekly.20200101T000000Z.partial", "of another one"),
    ] {
        fs::write(copies.join(name), content).expect("written");
    }
    fs::create_dir(copies.join("catalog.sqlite.backup-4.weekly.20200101T000000Z")).expect("made");
    let version = copies.join("catalog.sqlite.backup-5.version-10.20200101T000000Z");
    catalog.backup(&version).expect("copied");
    let by_hand = copies.join("mine.sqlite");
    catalog.backup(&by_hand).expect("copied");
    let before = names(&copies);
    for week in 0..9 {
        assert!(is_made(&mut catalog, NOW + week * WEEK_S), "week {week}");
    }
    let after = names(&copies);
    assert!(before.iter().all(|name| after.contains(name)), "{before:?}, {after:?}");
    assert_eq!(after.len(), before.len() + 4);
}

#[test]
fn a_wrong_clock_neither_stops_copies_nor_makes_one_each_time() {
    let (_directory, mut catalog) = made();
    let far = NOW + 1_000 * DAY_S;
    assert!(is_made(&mut catalog, far));
    // The clock is right again: what was made in the future says nothing.
    assert!(is_made(&mut catalog, NOW));
    assert!(!is_made(&mut catalog, NOW + DAY_S));
    // It is wrong again and again, as where no battery keeps it.
    for night in 2..7 {
        assert!(!is_made(&mut catalog, far + 60 * night), "night {night}");
        assert!(!is_made(&mut catalog, NOW + night * DAY_S), "night {night}");
    }
    // Set back by an hour, it is the same week.
    assert!(!is_made(&mut catalog, NOW - 3_600));
    // At the beginning of time, too.
    assert!(is_made(&mut catalog, 100));
    assert!(!is_made(&mut catalog, 200));
    assert!(is_made(&mut catalog, NOW + WEEK_S));
    assert_eq!(times(&catalog), [far, NOW, 100, NOW + WEEK_S]);
}

#[test]
fn a_damaged_catalogue_takes_the_place_of_no_good_copy() {
    let (directory, mut catalog) = made();
    for week in 0..4 {
        assert!(is_made(&mut catalog, NOW + week * WEEK_S));
    }
    let before = names(&directory.path().join("backups"));
    // Past the triggers of this program, as a bit flips.
    let raw = Connection::open(catalog.path()).expect("opened");
    raw.execute("UPDATE event SET at_s = at_s + 1 WHERE id = 1", []).expect("changed");
    for week in 4..9 {
        let error = catalog.back_up_weekly(NOW + week * WEEK_S).expect_err("it is damaged");
        assert!(error.is_damage(), "{error}");
        let told = error.to_string();
        assert!(told.starts_with(catalog.path().to_str().expect("UTF-8")), "{told}");
        assert!(told.contains(": is damaged: an event: row 1 of event"), "{told}");
    }
    assert_eq!(names(&directory.path().join("backups")), before);
    // And the last good one brings it back.
    let latest = catalog.backups.latest(catalog.path()).expect("there is one");
    assert_eq!(latest.made_s, NOW + 3 * WEEK_S);
    let backup = Reader::open_backup(&latest.path).expect("it is whole");
    catalog.restore(&backup, None, NOW).expect("restored");
    assert_eq!(catalog.verify(Thoroughness::Full).expect("readable"), []);
    let changes = catalog.changes(None, None).expect("readable");
    let last = changes.last().expect("it is told");
    assert_eq!((&*last.what, last.at_s), ("restored", NOW));
    assert_eq!(last.becomes["file"], latest.path.to_str().expect("UTF-8"));
}

#[test]
fn without_room_there_is_no_copy() {
    let (directory, mut catalog) = made();
    let bytes = catalog.bytes().expect("known");
    let error = catalog.back_up_where(NOW, &|_| Ok(bytes - 1)).expect_err("there is no room");
    let copies = directory.path().canonicalize().expect("there").join("backups");
    let Error::NoRoomForCopy { path, needed_bytes, free_bytes } = error else { panic!("{error}") };
    assert_eq!((path, needed_bytes, free_bytes), (copies.clone(), bytes, bytes - 1));
    assert_eq!(names(&copies), <[&str; 0]>::default());
    let backup = catalog.back_up_where(NOW, &|_| Ok(bytes)).expect("there is room").expect("it is due");
    assert_eq!(fs::metadata(&backup.path).expect("there").len(), bytes);
}

#[test]
fn what_a_killed_process_has_left_is_gone_after_the_next_audit() {
    let (directory, mut catalog) = made();
    assert!(is_made(&mut catalog, NOW));
    let copies = directory.path().join("backups");
    let before = names(&copies);
    let shelf = catalog.backups.shelf(catalog.path()).expect("copies are wanted");
    let next = shelf.next(Occasion::Weekly, NOW + WEEK_S).expect("a name").path;
    for what in [".partial", ".partial-journal"] {
        fs::write(beside(&next, what), "half").expect("written");
    }
    // Another process is about to write it.
    let lock = shelf.try_lock().expect("it can be asked");
    assert!(!is_made(&mut catalog, NOW + WEEK_S));
    assert_eq!(names(&copies).len(), before.len() + 2);
    drop(lock);
    // None is due, and it is removed all the same.
    assert!(!is_made(&mut catalog, NOW + 1));
    assert_eq!(names(&copies), before);
}

#[test]
fn a_directory_that_was_named_has_to_be_there() {
    let (directory, catalog) = made();
    let path = catalog.path().to_owned();
    drop(catalog);
    let missing = directory.path().join("missing");
    let open = |backups: Backups| {
        Writer::open_by(&path, &Opening { backups, ..Opening::default() }).expect("it can be opened")
    };
    let mut catalog = open(Backups::In(missing.clone()));
    let error = catalog.back_up_weekly(NOW).expect_err("its disk may not be mounted");
    assert!(matches!(&error, Error::NoBackups { path } if *path == missing), "{error}");
    fs::write(&missing, "a file").expect("written");
    let error = catalog.back_up_weekly(NOW).expect_err("it is a file");
    assert!(error.to_string().contains("missing: "), "{error}");
    fs::remove_file(&missing).expect("removed");
    fs::create_dir(&missing).expect("mounted");
    let backup = catalog.back_up_weekly(NOW).expect("it is there").expect("it is due");
    assert_eq!(backup.path.parent(), Some(&*missing.canonicalize().expect("there")));
    assert_eq!(open(Backups::Off).back_up_weekly(NOW).expect("nothing is done"), None);
    assert!(!directory.path().join("backups").exists());
}

#[test]
fn others_write_while_it_is_copied() {
    let (_directory, mut catalog) = made();
    let path: PathBuf = catalog.path().into();
    let (is_over, written) = (AtomicBool::new(false), AtomicU32::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut other = Writer::open(&path).expect("opened");
            let photos = other.collection("photos").expect("it is there").id;
            while !is_over.load(Ordering::Relaxed) {
                other.set_offline(photos, Some(NOW)).expect("written");
                written.fetch_add(1, Ordering::Relaxed);
            }
        });
        for week in 0..6 {
            let before = written.load(Ordering::Relaxed);
            while written.load(Ordering::Relaxed) == before {
                std::thread::yield_now();
            }
            assert!(is_made(&mut catalog, NOW + week * WEEK_S), "week {week}");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(times(&catalog).len(), 4);
    for copy in catalog.backups.copies(&path).expect("listed") {
        Reader::open_backup(&copy.path).expect("it is whole");
    }
}
