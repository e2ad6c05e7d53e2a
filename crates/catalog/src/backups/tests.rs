//! Names of copies: whose they are, in which order, and what is none.

use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::collections::Terms;
use crate::reader::Reader;
use crate::writer::Writer;

/// 2026-11-30 04:33:35 UTC.
const NOW: i64 = 1_796_013_215;

/// A catalogue with a collection, in a directory of its own below this one.
fn made(above: &Path, directory: &str) -> Writer {
    let mut catalog = Writer::open_or_make(&above.join(directory).join("catalog.sqlite")).expect("made");
    catalog.add_collection(&Terms::new("photos", "/srv/photos"), NOW).expect("added");
    catalog
}

fn shelf(backups: &Backups, catalog: &Reader) -> Shelf {
    backups.shelf(catalog.path()).expect("copies are wanted")
}

#[test]
fn a_name_says_what_was_asked_for_and_which_copy_is_the_next_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let catalog = made(directory.path(), "a");
    let shelf = shelf(&Backups::Beside, &catalog);
    shelf.make().expect("made");
    let mode = fs::metadata(shelf.directory()).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "names of files are nobody else's");
    for (number, occasion, name) in [
        (1, Occasion::Weekly, "catalog.sqlite.backup-1.weekly.20261130T043335Z"),
        (2, Occasion::Migration(10), "catalog.sqlite.backup-2.version-10.20261130T043335Z"),
    ] {
        let next = shelf.next(occasion, NOW).expect("a name");
        assert_eq!(next.path, shelf.directory().join(name));
        fs::write(&next.path, "").expect("written");
        let copies = shelf.copies().expect("listed");
        assert_eq!(copies.last(), Some(&next));
        assert_eq!((next.number, next.made_s, copies.len() as u64), (number, NOW, number));
    }
    // The order is that of the numbers, whatever the clock says.
    let tenth = shelf.directory().join("catalog.sqlite.backup-10.weekly.19700101T000000Z");
    fs::write(&tenth, "").expect("written");
    let copies = Backups::Beside.copies(catalog.path()).expect("listed");
    assert_eq!(copies.iter().map(|copy| copy.number).collect::<Vec<_>>(), [10, 2, 1]);
    assert_eq!(copies[0].made_s, 0);
    assert_eq!(shelf.next(Occasion::Weekly, NOW).expect("a name").number, 11);
}

#[test]
fn what_has_another_name_is_no_copy() {
    let directory = tempfile::tempdir().expect("a directory");
    let catalog = made(directory.path(), "a");
    let shelf = shelf(&Backups::Beside, &catalog);
    let good = "catalog.sqlite.backup-1.weekly.20261130T043335Z";
    assert!(shelf.has(good.as_bytes()));
    for unfinished in [".partial", ".partial-journal", ".partial-wal", ".partial-shm"] {
        assert!(shelf.has(format!("{good}{unfinished}").as_bytes()));
    }
    for other in [
        "",
        "catalog.sqlite",
        "catalog.sqlite.backup-lock",
        "catalog.sqlite.backup-.weekly.20261130T043335Z",
        "catalog.sqlite.backup-0.weekly.20261130T043335Z",
        "catalog.sqlite.backup-01.weekly.20261130T043335Z",
        "catalog.sqlite.backup-+1.weekly.20261130T043335Z",
        "catalog.sqlite.backup-99999999999999999999.weekly.20261130T043335Z",
        "catalog.sqlite.backup-1.monthly.20261130T043335Z",
        "catalog.sqlite.backup-1.version-.20261130T043335Z",
        "catalog.sqlite.backup-1.version-x.20261130T043335Z",
        "catalog.sqlite.backup-1.weekly.20261330T043335Z",
        "catalog.sqlite.backup-1.weekly.2026-11-30",
        "catalog.sqlite.backup-1.weekly.20261130T043335Z.old",
        "catalog.sqlite.backup-1.weekly.20261130T043335Z-journal",
        "catalog.sqlite.backup-1.weekly.20261130T043335Z.0123456789abcdef",
        "other.sqlite.backup-1.weekly.20261130T043335Z",
    ] {
        assert!(!shelf.has(other.as_bytes()), "{other:?}");
    }
}

#[test]
fn catalogues_that_share_a_directory_do_not_have_each_others_copies() {
    let directory = tempfile::tempdir().expect("a directory");
    let shared = directory.path().join("shared");
    fs::create_dir(&shared).expect("made");
    let backups = Backups::In(shared.clone());
    let [one, two] = ["a", "b"].map(|name| made(directory.path(), name));
    let [of_one, of_two] = [&one, &two].map(|catalog| shelf(&backups, catalog));
    for shelf in [&of_one, &of_two, &of_one] {
        fs::write(shelf.next(Occasion::Weekly, NOW).expect("a name").path, "").expect("written");
    }
    let count = |shelf: &Shelf| shelf.copies().expect("listed").len();
    assert_eq!((count(&of_one), count(&of_two)), (2, 1));
    // By a link it is the same catalogue.
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(one.path(), &link).expect("made");
    assert_eq!(backups.copies(&link).expect("listed").len(), 2);
    // What lies beside a catalogue goes with it: its names say nothing of the place.
    assert!(of_one.next(Occasion::Weekly, NOW).expect("a name").path.to_string_lossy().contains("Z."));
    let beside = shelf(&Backups::Beside, &one);
    beside.make().expect("made");
    let next = beside.next(Occasion::Weekly, NOW).expect("a name");
    assert!(next.path.to_string_lossy().ends_with('Z'), "{}", next.path.display());
    fs::write(&next.path, "").expect("written");
    drop(one);
    fs::rename(directory.path().join("a"), directory.path().join("moved")).expect("renamed");
    let moved = directory.path().join("moved/catalog.sqlite");
    assert_eq!(Backups::Beside.copies(&moved).expect("listed").len(), 1);
    // It may be gone itself.
    fs::remove_file(&moved).expect("removed");
    assert_eq!(Backups::Beside.copies(&moved).expect("listed").len(), 1);
}

#[test]
fn a_copy_is_known_by_the_collections_in_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let [one, two] = ["a", "b"].map(|name| made(directory.path(), name));
    let shelf = shelf(&Backups::Beside, &one);
    shelf.make().expect("made");
    let put = |of: &Reader| {
        let next = shelf.next(Occasion::Weekly, NOW).expect("a name");
        of.backup(&next.path).expect("copied");
        next
    };
    let empty = Writer::open_or_make(&directory.path().join("c/catalog.sqlite")).expect("made");
    let (own, others, of_none) = (put(&one), put(&two), put(&empty));
    let torn = shelf.next(Occasion::Weekly, NOW).expect("a name");
    fs::write(&torn.path, "torn").expect("written");
    assert_eq!(shelf.copies().expect("listed"), [own.clone(), others.clone(), of_none.clone(), torn]);
    assert_eq!(shelf.copies_of(&one.connection).expect("listed"), [own.clone(), of_none.clone()]);
    assert_eq!(shelf.copies_of(&two.connection).expect("listed"), [others.clone(), of_none]);
    // What is offered holds something, and can be read. It is of this catalogue, as long as that can be seen.
    assert_eq!(Backups::Beside.latest(one.path()).map(|copy| copy.path), Some(own.path.clone()));
    let damaged = one.path().to_owned();
    drop(one);
    let whole = fs::read(&damaged).expect("readable");
    fs::write(&damaged, "lost").expect("written");
    assert_eq!(Backups::Beside.latest(&damaged).map(|copy| copy.path), Some(others.path.clone()));
    fs::write(&damaged, whole).expect("written");
    let one = Writer::open(&damaged).expect("whole");
    fs::remove_file(&others.path).expect("removed");
    assert_eq!(Backups::Beside.latest(one.path()).map(|copy| copy.path), Some(own.path));
    assert_eq!(Backups::Beside.latest(two.path()), None);
}

#[test]
fn copies_can_be_switched_off() {
    assert_eq!(Backups::named("none".as_ref()), Backups::Off);
    assert_eq!(Backups::named("./none".as_ref()), Backups::In("./none".into()));
    let directory = tempfile::tempdir().expect("a directory");
    let catalog = made(directory.path(), "a");
    assert!(Backups::Off.shelf(catalog.path()).is_none());
    assert_eq!(Backups::Off.copies(catalog.path()).expect("there is nothing to list"), []);
    assert_eq!(Backups::Off.latest(catalog.path()), None);
}

#[test]
fn one_process_at_a_time_makes_copies() {
    let directory = tempfile::tempdir().expect("a directory");
    let catalog = made(directory.path(), "a");
    let shelf = shelf(&Backups::Beside, &catalog);
    let locked = shelf.try_lock().expect("it can be").expect("nobody has it");
    assert!(shelf.try_lock().expect("it can be asked").is_none());
    drop(locked);
    drop(shelf.lock().expect("nobody has it"));
    assert!(shelf.try_lock().expect("it can be").is_some());
}
