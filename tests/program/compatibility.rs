//! Catalogues of earlier programs: commands that read leave them as they are, those that write check them, copy them and bring them up to
//! date. What is read of them is tested in `hashlane-catalog`.

use std::fs;
use std::path::PathBuf;

use crate::keeper::{mounting, told};
use crate::work::{Dir, have_mounts};

fn fixture(version: u32) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/catalogues");
    PathBuf::from(format!("{folder}/version-{version}.sqlite"))
}

/// The version that this program writes: that each has a fixture is tested in `hashlane-catalog`.
fn latest() -> u32 {
    let latest = (1..).take_while(|version| fixture(*version).exists()).last();
    latest.expect("there are fixtures")
}

/// A directory with the catalogue of an earlier program.
fn of_version(version: u32) -> Dir {
    let dir = Dir::new();
    fs::copy(fixture(version), dir.path("catalog.sqlite")).unwrap();
    dir
}

/// The commands that only read.
const READING: [&[&str]; 12] = [
    &["status"],
    &["status", "--format", "json"],
    &["history", "photos:2024/1.jpg"],
    &["history", "films:3.mov", "--format", "json"],
    &["collection", "list"],
    &["collection", "show", "films"],
    &["collection", "report"],
    &["collection", "report", "--format", "json"],
    &["collection", "report", "--format", "html"],
    &["collection", "export", "photos"],
    &["catalog", "seals"],
    &["catalog", "verify"],
];

#[test]
fn a_command_that_reads_leaves_a_catalogue_as_it_is() {
    for version in 1..=latest() {
        let dir = of_version(version);
        let before = dir.read("catalog.sqlite");
        for command in READING {
            dir.keeper(command.iter().copied()).run().code(0);
            assert_eq!(dir.read("catalog.sqlite"), before, "{command:?} of version {version}");
            assert_eq!(fs::read_dir(dir.root()).unwrap().count(), 1, "{command:?} of version {version}");
        }
        dir.keeper(["catalog", "backup", "copy"]).run().code(0);
        assert_eq!(dir.read("catalog.sqlite"), before);
        assert_eq!(dir.read("copy")[60..64], before[60..64], "the copy is of the same version");
    }
}

#[test]
fn a_command_that_writes_brings_a_catalogue_up_to_date_and_it_is_judged_the_same() {
    for version in 1..latest() {
        let dir = of_version(version);
        let checked = |dir: &Dir| {
            let ran = dir.keeper(["status", "--check"]).run();
            (ran.status.code().unwrap(), dir.keeper(["collection", "report"]).run().code(0).stdout)
        };
        let before = checked(&dir);
        assert!(before.0 & 8 == 8, "something is corrupt in it: {}", before.0);
        dir.keeper(["collection", "rename", "films", "pictures"]).run().code(0);
        dir.keeper(["collection", "rename", "pictures", "films"]).run().code(0);
        assert_eq!(u32::from(dir.read("catalog.sqlite")[63]), latest());
        let [copy] = &copies(&dir)[..] else { panic!("version {version}: one copy") };
        assert!(copy.starts_with(&format!("catalog.sqlite.backup-1.version-{version}.20")), "{copy}");
        let changes = dir.keeper(["catalog", "changes"]).run().code(0);
        let changes = String::from_utf8(changes.stdout).unwrap();
        assert!(changes.contains(&format!("migrated; backup: {}", dir.root().display())), "{changes}");
        assert!(changes.contains(&format!("version: {version} -> {}", latest())), "{changes}");
        assert_eq!(checked(&dir), before, "version {version}");
        dir.keeper(["catalog", "verify"]).run().code(0);
    }
}

/// The names of the copies that were made.
fn copies(dir: &Dir) -> Vec<String> {
    let names = fs::read_dir(dir.path("backups")).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn a_disk_of_any_size_leaves_the_old_version_or_has_room_for_the_new_one() {
    if !have_mounts() {
        return;
    }
    for version in [1, latest() - 1] {
        let dir = of_version(version);
        // From too small for the copy to large enough, with some room for what SQLite shares among processes. Then there is room.
        let script = r#"
            set -e
            size=$(stat -c %s catalog.sqlite)
            for percent in $(seq 140 60 1300); do
                mount -t tmpfs -o size=$((size * percent / 100)) none /mnt
                cp catalog.sqlite /mnt
                code=0
                "$0" collection rename films pictures --catalog /mnt/catalog.sqlite 2> "$PWD/said" || code=$?
                if [ $code = 0 ]; then
                    "$0" catalog verify --catalog /mnt/catalog.sqlite 2>> "$PWD/said"
                    echo done
                else
                    [ $code = 74 ] && grep -q "^hashlane: /mnt/catalog.sqlite: .* in /mnt" "$PWD/said" || { echo "$percent %: $code"; cat "$PWD/said"; exit 98; }
                    "$0" status --catalog /mnt/catalog.sqlite > /dev/null
                    [ ! -e /mnt/catalog.sqlite-wal ] && cmp catalog.sqlite /mnt/catalog.sqlite || exit 97
                    [ -z "$(find /mnt -name '*.partial*')" ] || exit 96
                    mount -o remount,size=$((size * 20)) /mnt
                    "$0" collection rename films pictures --catalog /mnt/catalog.sqlite
                    "$0" catalog verify --catalog /mnt/catalog.sqlite 2>> "$PWD/said"
                    [ "$(ls /mnt/backups | wc -l)" = 1 ] || exit 95
                    if grep -q 'became full' "$PWD/said"; then echo full; else echo refused; fi
                fi
                umount /mnt
            done"#;
        let ran = mounting(&dir, script).run().code(0);
        let stdout = String::from_utf8(ran.stdout).unwrap();
        let count = |what: &str| stdout.lines().filter(|line| *line == what).count();
        assert!(count("refused") > 0 && count("done") > 0, "version {version}: {stdout}");
        assert_eq!(count("refused") + count("full") + count("done"), stdout.lines().count(), "{stdout}");
        println!(
            "version {version}: {} refused, {} full, {} done",
            count("refused"),
            count("full"),
            count("done")
        );
    }
}

#[test]
fn a_damaged_catalogue_of_an_earlier_program_stays_as_it_is_until_a_backup_takes_its_place() {
    let dir = of_version(4);
    let connection = rusqlite::Connection::open(dir.path("catalog.sqlite")).unwrap();
    connection.execute("UPDATE total SET files = files + 1 WHERE collection = 1", []).unwrap();
    drop(connection);
    let before = dir.read("catalog.sqlite");
    let said = told(&dir, &["collection", "rename", "films", "pictures"], 74);
    let stays = format!("is damaged, and stays of version 4, where {} is the present one: ", latest());
    assert!(said.contains(&stays), "{said}");
    assert!(said.contains("`hashlane catalog restore` restores a backup"), "{said}");
    assert_eq!(dir.read("catalog.sqlite"), before);
    told(&dir, &["catalog", "verify"], 8);
    told(&dir, &["status"], 0);
    let backup = of_version(3);
    let backup = backup.path("catalog.sqlite").into_os_string().into_string().unwrap();
    let said = told(&dir, &["catalog", "restore", &backup], 0);
    assert!(said.contains("which is damaged"), "{said}");
    told(&dir, &["catalog", "verify"], 0);
    told(&dir, &["collection", "rename", "films", "pictures"], 0);
}

#[test]
fn a_catalogue_without_room_beside_it_or_on_a_disk_that_may_only_be_read_is_still_told_of() {
    if !have_mounts() {
        return;
    }
    let dir = of_version(4);
    // As large as the catalogue and half of it again.
    let script = r#"
        set -e
        size=$(stat -c %s catalog.sqlite)
        mount -t tmpfs -o size=$((size * 3 / 2)) none /mnt
        cp catalog.sqlite /mnt
        code=0
        "$0" collection rename films pictures --catalog /mnt/catalog.sqlite || code=$?
        echo "renamed: $code" >&2
        ls /mnt
        "$0" status --catalog /mnt/catalog.sqlite > /dev/null
        mount -o remount,ro /mnt
        "$0" status --catalog /mnt/catalog.sqlite > /dev/null
        "$0" collection report --catalog /mnt/catalog.sqlite > /dev/null
        cmp catalog.sqlite /mnt/catalog.sqlite
        code=0
        "$0" collection rename films pictures --catalog /mnt/catalog.sqlite || code=$?
        echo "renamed: $code" >&2"#;
    let ran = mounting(&dir, script).run().code(0);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "catalog.sqlite\n");
    let takes = format!("is of version 4; to bring it to version {} takes ", latest());
    assert!(ran.stderr.contains(&takes), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("it may not be written to, so it cannot be brought up to date"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stderr.matches("renamed: 74").count(), 2, "{}", ran.stderr);
}

#[test]
fn a_manifest_with_fields_of_a_later_program_is_read() {
    let dir = Dir::new();
    dir.write("t/a", "one").write("t/b", "two");
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "list", "t"]).run().code(0);
    let list = String::from_utf8(dir.read("list")).unwrap();
    let later = list.replace("{\"", "{\"of_a_later_program\":{\"a\":[1]},\"");
    assert!(later.lines().count() >= 2 && later != list);
    let later = later.replace("\"digests\":{\"of_a_later_program\":{\"a\":[1]},", "\"digests\":{");
    dir.write("later", later);
    dir.hashlane(["check", "later"]).run().code(0);
}
