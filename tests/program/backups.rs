//! Copies that the catalogue gets by itself: made, kept, not made, and brought back.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use rusqlite::Connection;

use crate::keeper::{kept, mounting, told};
use crate::work::{Dir, have_mounts};

/// The copies in a directory, in the order of their names.
fn copies(dir: &Dir, directory: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir.path(directory)) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The one copy that was made so far.
#[track_caller]
fn copy(dir: &Dir) -> PathBuf {
    let copies = copies(dir, "backups");
    let [name] = &copies[..] else { panic!("one copy: {copies:?}") };
    assert!(name.starts_with("catalog.sqlite.backup-1.weekly.20") && name.ends_with('Z'), "{name}");
    dir.path("backups").join(name)
}

/// Has the last copy be made long ago, by its name.
fn grow_old(dir: &Dir, directory: &str) {
    for name in copies(dir, directory) {
        let at = name.find(".weekly.").unwrap() + ".weekly.".len();
        let old = format!("{}2020{}", &name[..at], &name[at + 4..]);
        fs::rename(dir.path(directory).join(&name), dir.path(directory).join(old)).unwrap();
    }
}

/// Where a page of a table lies.
fn page_of(dir: &Dir, table: &str) -> u64 {
    let catalogue = Connection::open(dir.path("catalog.sqlite")).unwrap();
    catalogue.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let page: i64 = catalogue.query_row(sql, [table], |row| row.get(0)).unwrap();
    (page as u64 - 1) * 4096
}

#[test]
fn an_audit_copies_the_catalogue_once_a_week_and_says_nothing_of_it() {
    let dir = kept(&[]);
    let first = copy(&dir);
    dir.keeper(["audit", "t"]).run().code(0);
    assert_eq!(copy(&dir), first);
    let changes = dir.keeper(["catalog", "changes"]).run().code(0);
    let changes = String::from_utf8(changes.stdout).unwrap();
    assert!(changes.contains("backup; file: ") && changes.contains("occasion: weekly"), "{changes}");
    dir.keeper(["catalog", "verify", "--catalog", first.to_str().unwrap()]).run().code(0);
    // Neither who reads nor who only looks makes one.
    grow_old(&dir, "backups");
    for command in [&["status"][..], &["collection", "report"], &["audit", "t", "--dry-run"]] {
        dir.keeper(command.iter().copied()).run().code(0);
    }
    assert_eq!(copies(&dir, "backups").len(), 1);
    let said = told(&dir, &["audit", "t"], 0);
    assert!(!said.contains("backup"), "{said}");
    let names = copies(&dir, "backups");
    assert_eq!(names.len(), 2);
    assert!(names[1].starts_with("catalog.sqlite.backup-2.weekly."), "{names:?}");
}

#[test]
fn copies_are_no_files_of_the_tree_in_which_they_lie() {
    let dir = Dir::new();
    dir.write("a", "first").make("copies");
    let audit = || told(&dir, &["audit", "t", "--backups", "copies"], 0);
    dir.keeper(["collection", "add", "t", "."]).run().code(0);
    assert!(audit().contains("1 file listed"));
    assert_eq!((copies(&dir, "copies").len(), copies(&dir, "backups").len()), (1, 0));
    assert!(audit().contains("1 file listed"));
    // What only looks like one is.
    dir.write("copies/catalog.sqlite.backup-1.weekly.txt", "mine");
    assert!(audit().contains("2 files listed"));
}

#[test]
fn where_copies_go_can_be_said_and_switched_off() {
    let dir = Dir::new();
    dir.write("tree/a", "first").make("usb");
    let keeper = |arguments: &[&str], backups: &str| {
        dir.keeper(arguments.iter().copied()).env("HASHLANE_BACKUPS", backups).run()
    };
    keeper(&["collection", "add", "t", "tree"], "none").code(0);
    keeper(&["audit", "t"], "none").code(0);
    assert!(!dir.has("backups") && !dir.has("none"));
    let said = keeper(&["audit", "t", "--backups", ""], "none").code(64).stderr;
    assert!(said.contains("it is empty; name a directory, or write `none` for no copies"), "{said}");
    // A variable that is empty is none.
    keeper(&["audit", "t"], "").code(0);
    assert_eq!(copies(&dir, "backups").len(), 1);
    // A disk that is not mounted is not a place, and does not make an audit fail.
    let said = keeper(&["audit", "t"], "away").code(0).stderr;
    let why = "the weekly copy of the catalogue was not made: away: there is no such directory, and copies of the catalogue go there; \
               make it, or mount the disk that it lies on, or name another directory for copies with --backups";
    assert!(said.contains(why), "{said}");
    assert!(!dir.has("away"));
    keeper(&["audit", "t"], "usb").code(0);
    let names = copies(&dir, "usb");
    assert_eq!(names.len(), 1);
    // The option counts before the environment.
    dir.make("other");
    keeper(&["audit", "t", "--backups", "other"], "usb").code(0);
    assert_eq!((copies(&dir, "usb"), copies(&dir, "other").len()), (names, 1));
}

#[test]
fn two_catalogues_of_one_name_share_a_directory() {
    let dir = Dir::new();
    dir.write("tree/a", "first").make("shared").make("one").make("two");
    let keeper = |catalog: &str, arguments: &[&str]| {
        let catalog = dir.path(catalog).join("catalog.sqlite");
        let catalog = ["--catalog", catalog.to_str().unwrap()];
        dir.hashlane([arguments, &catalog].concat()).env("HASHLANE_BACKUPS", "shared").run().code(0)
    };
    for catalog in ["one", "two"] {
        keeper(catalog, &["collection", "add", "t", "tree"]);
        keeper(catalog, &["audit", "t"]);
    }
    let of_two: Vec<_> = copies(&dir, "shared");
    assert_eq!(of_two.len(), 2);
    assert!(of_two.iter().all(|name| !name.ends_with('Z')), "they say whose they are: {of_two:?}");
    for _ in 0..6 {
        grow_old(&dir, "shared");
        keeper("one", &["audit", "t"]);
    }
    assert_eq!(copies(&dir, "shared").len(), 5, "four of the one, and one of the other");
    fs::remove_file(dir.path("two/catalog.sqlite")).unwrap();
    let catalog = dir.path("two/catalog.sqlite");
    let restore = ["catalog", "restore", "--catalog", catalog.to_str().unwrap(), "--backups", "shared"];
    let said = dir.hashlane(restore).run().code(64).messages();
    assert_eq!(said.len(), 2, "one copy, and what to do: {said:?}");
}

#[test]
fn a_copy_that_cannot_be_made_is_told_and_changes_no_exit_code() {
    let dir = kept(&[]);
    fs::remove_file(dir.path("tree/a")).unwrap();
    grow_old(&dir, "backups");
    fs::rename(dir.path("backups"), dir.path("elsewhere")).unwrap();
    dir.write("backups", "a file");
    let said = told(&dir, &["audit", "t"], 2);
    assert!(said.contains("the weekly copy of the catalogue was not made: "), "{said}");
    fs::remove_file(dir.path("backups")).unwrap();
    fs::rename(dir.path("elsewhere"), dir.path("backups")).unwrap();
    let before = copies(&dir, "backups");
    // Damage of what an audit does not go by.
    let raw = Connection::open(dir.path("catalog.sqlite")).unwrap();
    raw.execute("UPDATE event SET actor = 'somebody else' WHERE id = 1", []).unwrap();
    drop(raw);
    for _ in 0..5 {
        let said = told(&dir, &["audit", "t"], 2);
        assert!(said.contains("the weekly copy of the catalogue was not made: "), "{said}");
        assert!(said.contains("catalog.sqlite: is damaged: an event: row 1 of event "), "{said}");
        assert!(said.contains("the latest copy that was made by itself is "), "{said}");
        assert_eq!(copies(&dir, "backups"), before);
    }
}

#[test]
fn a_copy_takes_no_more_room_than_there_is() {
    if !have_mounts() {
        return;
    }
    let dir = kept(&[]);
    grow_old(&dir, "backups");
    let script = r#"
        set -e
        mount -t tmpfs -o size=64k none /mnt
        "$0" audit t --backups /mnt
        ls -A /mnt
        mount -o remount,size=4m,ro /mnt
        "$0" audit t --backups /mnt
        ls -A /mnt
        mount -o remount,rw /mnt
        "$0" audit t --backups /mnt
        ls -A /mnt | wc -l"#;
    let ran = mounting(&dir, script).run().code(0).printed("1\n");
    let told: Vec<_> = ran.stderr.lines().filter(|line| line.contains("was not made")).collect();
    let [no_room, read_only] = &told[..] else { panic!("{}", ran.stderr) };
    assert!(no_room.contains("/mnt: a copy of the catalogue takes "), "{no_room}");
    assert!(no_room.contains("65,536 are free there; make room, or name another directory"), "{no_room}");
    assert!(read_only.contains("/mnt/catalog.sqlite.backup-1.weekly."), "{read_only}");
}

/// An archivist whose catalogue is damaged finds a checked copy of last week.
#[test]
fn a_damaged_catalogue_comes_back_from_its_copy() {
    type Damage = fn(&Dir);
    let damages: [(&str, Damage); 4] = [
        ("a header", |dir| {
            let file = File::options().write(true).open(dir.path("catalog.sqlite")).unwrap();
            file.write_all_at(&[0xff; 4], 16).unwrap();
        }),
        ("a page", |dir| {
            let at = page_of(dir, "item");
            let file = File::options().write(true).open(dir.path("catalog.sqlite")).unwrap();
            file.write_all_at(&[0x55; 4096], at).unwrap();
        }),
        ("a row", |dir| {
            let raw = Connection::open(dir.path("catalog.sqlite")).unwrap();
            raw.execute("UPDATE collection SET created_s = created_s + 1", []).unwrap();
        }),
        ("all of it", |dir| fs::remove_file(dir.path("catalog.sqlite")).unwrap()),
    ];
    for (what, damage) in damages {
        let dir = kept(&[]);
        let copy = copy(&dir);
        let copy = copy.to_str().unwrap();
        dir.keeper(["catalog", "verify"]).run().code(0);
        damage(&dir);
        let refused = dir.keeper(["audit", "t"]).run().code(74).stderr;
        let way_back = format!(
            "`hashlane catalog restore` restores a backup; the latest copy that was made by itself is {copy}, of 20"
        );
        assert!(refused.contains(&way_back), "{what}: {refused}");
        let listed = dir.keeper(["catalog", "restore"]).run().code(64).messages();
        let [line, way_out] = &listed[..] else { panic!("{what}: {listed:?}") };
        assert!(line.starts_with(&format!("{copy}: 20")) && line.ends_with(", weekly"), "{what}: {line}");
        assert!(way_out.starts_with("name one of the copies in "), "{what}: {way_out}");
        dir.keeper(["catalog", "restore", copy]).run().code(0);
        dir.keeper(["catalog", "verify"]).run().code(0);
        assert!(told(&dir, &["audit", "t"], 0).contains("3 files listed"), "{what}");
        let changes = dir.keeper(["catalog", "changes"]).run().code(0);
        let changes = String::from_utf8(changes.stdout).unwrap();
        assert!(changes.contains("restored; "), "{what}: {changes}");
        // It is the catalogue that it was: what is copied from now on goes on from there.
        grow_old(&dir, "backups");
        dir.keeper(["audit", "t"]).run().code(0);
        assert_eq!(copies(&dir, "backups").len(), 2, "{what}");
    }
}

#[test]
fn where_there_is_no_copy_none_is_listed() {
    let dir = Dir::new();
    dir.write("tree/a", "first");
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    let said = told(&dir, &["catalog", "restore"], 64);
    assert!(said.contains("catalog.sqlite: no copy of it was made by itself; name a backup"), "{said}");
    // Nor is one mentioned that holds nothing.
    dir.make("backups").write("backups/catalog.sqlite.backup-1.weekly.20200101T000000Z", "torn");
    let raw = Connection::open(dir.path("catalog.sqlite")).unwrap();
    raw.execute("UPDATE collection SET created_s = created_s + 1", []).unwrap();
    drop(raw);
    let said = told(&dir, &["status"], 74);
    assert!(said.ends_with("`hashlane catalog restore` restores a backup\n"), "{said}");
}
