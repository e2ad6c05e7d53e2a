//! Every outcome of an audit, and the exit code that it has: of `audit`, and of `status --check` after it.

use std::fs;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rustix::process::Signal;

use crate::keeper::{mounting, raw, settle};
use crate::work::{Dir, have, have_mounts};

/// One row of the table.
struct Row {
    what: &'static str,
    /// More arguments of `collection add`.
    terms: &'static [&'static str],
    /// What happens between the first audit and the one that is looked at.
    happens: fn(&Dir),
    /// The audit.
    audit: &'static [&'static str],
    /// How it ends, and how `status --check` does then.
    codes: (i32, i32),
}

const ALL: &[&str] = &["audit", "t"];
const DUE: &[&str] = &["audit"];
const LIVING: &[&str] = &["--living"];
const GROWING: &[&str] = &[];
const FROZEN: &[&str] = &["--frozen"];

const TABLE: &[Row] = &[
    Row { what: "nothing has changed", terms: LIVING, happens: |_| {}, audit: ALL, codes: (0, 0) },
    Row { what: "nothing is due", terms: &["--every", "30d"], happens: |_| {}, audit: DUE, codes: (0, 0) },
    Row { what: "a new file", terms: LIVING, happens: new, audit: ALL, codes: (0, 0) },
    Row { what: "a new file, frozen", terms: FROZEN, happens: new, audit: ALL, codes: (1, 1) },
    Row { what: "a missing file", terms: LIVING, happens: lose, audit: ALL, codes: (2, 2) },
    Row { what: "an edited file", terms: LIVING, happens: edit, audit: ALL, codes: (0, 0) },
    Row { what: "an edited file, growing", terms: GROWING, happens: edit, audit: ALL, codes: (4, 4) },
    Row { what: "an edited file, frozen", terms: FROZEN, happens: edit, audit: ALL, codes: (4, 4) },
    Row { what: "a touched file", terms: LIVING, happens: touch, audit: ALL, codes: (0, 0) },
    Row { what: "a touched file, frozen", terms: FROZEN, happens: touch, audit: ALL, codes: (4, 4) },
    Row { what: "a moved file", terms: LIVING, happens: rename, audit: ALL, codes: (0, 0) },
    Row { what: "a moved file, frozen", terms: FROZEN, happens: rename, audit: ALL, codes: (4, 4) },
    Row { what: "a corrupt file", terms: LIVING, happens: corrupt, audit: ALL, codes: (8, 8) },
    Row { what: "a corrupt file, frozen", terms: FROZEN, happens: corrupt, audit: ALL, codes: (8, 8) },
    Row {
        what: "a corrupt and a missing file",
        terms: LIVING,
        happens: |dir| {
            corrupt(dir);
            fs::remove_file(dir.path("tree/b")).unwrap();
        },
        audit: ALL,
        codes: (10, 10),
    },
    Row {
        what: "a suspect that no audit had the time to read again",
        terms: LIVING,
        happens: |dir| {
            corrupt(dir);
            dir.keeper(ALL).run().code(8);
            let raw = raw(dir);
            raw.execute_batch("UPDATE finding SET verdict = 13").unwrap();
        },
        // It is about another file.
        audit: &["audit", "t", "b"],
        codes: (16, 16),
    },
    Row {
        what: "a finding that stands, and nothing is due",
        terms: &["--every", "30d"],
        happens: |dir| {
            lose(dir);
            dir.keeper(ALL).run().code(2);
        },
        audit: DUE,
        codes: (2, 2),
    },
    Row {
        what: "a finding that somebody knows of",
        terms: LIVING,
        happens: |dir| {
            lose(dir);
            dir.keeper(ALL).run().code(2);
            dir.keeper(["acknowledge", "t", "a", "--reason", "known"]).run().code(0);
        },
        audit: ALL,
        codes: (0, 0),
    },
    Row {
        what: "a budget that was used up, and no promise is in danger",
        terms: &["--every", "30d"],
        happens: |dir| {
            new(dir);
            dir.write("tree/newer", "newer");
        },
        audit: &["audit", "--files", "1"],
        codes: (0, 0),
    },
    Row {
        what: "a budget that was used up, and a promise is broken",
        terms: &["--every", "30d"],
        happens: age,
        audit: &["audit", "--files", "1"],
        codes: (32, 32),
    },
    Row { what: "a root that is gone", terms: LIVING, happens: unplug, audit: ALL, codes: (75, 75) },
    Row {
        what: "a root that may be away",
        terms: &["--removable"],
        happens: unplug,
        audit: ALL,
        codes: (0, 0),
    },
    Row {
        what: "a mount point with nothing mounted",
        terms: LIVING,
        happens: |dir| {
            unplug(dir);
            dir.make("tree");
        },
        audit: ALL,
        codes: (75, 75),
    },
    Row {
        what: "a root that may be away, and a promise is broken",
        terms: &["--every", "30d", "--removable"],
        happens: |dir| {
            unplug(dir);
            age(dir);
        },
        audit: DUE,
        codes: (32, 32),
    },
    Row {
        what: "a filter that leaves files out",
        terms: LIVING,
        happens: |dir| {
            dir.keeper(["collection", "set", "t", "--exclude", "a", "--yes"]).run().code(0);
        },
        audit: ALL,
        codes: (0, 0),
    },
    Row {
        what: "another root: held",
        terms: LIVING,
        happens: |dir| {
            unplug(dir);
            dir.write("tree/other", "of another tree");
        },
        audit: ALL,
        codes: (75, 75),
    },
    Row {
        what: "another root, and a finding that stands: it keeps its bit",
        terms: LIVING,
        happens: |dir| {
            lose(dir);
            dir.keeper(ALL).run().code(2);
            unplug(dir);
            dir.make("tree");
        },
        audit: ALL,
        codes: (18, 18),
    },
    Row {
        what: "one that is held among others",
        terms: LIVING,
        happens: |dir| {
            unplug(dir);
            dir.make("tree").write("other/file", "text");
            dir.keeper(["collection", "add", "other", "other"]).run().code(0);
        },
        audit: DUE,
        codes: (16, 16),
    },
    Row {
        what: "outside the times of --between",
        terms: LIVING,
        happens: |_| {},
        audit: &["audit", "--between", "NEVER"],
        codes: (75, 0),
    },
];

fn new(dir: &Dir) {
    dir.write("tree/new", "new");
}

fn lose(dir: &Dir) {
    fs::remove_file(dir.path("tree/a")).unwrap();
}

fn edit(dir: &Dir) {
    dir.write("tree/a", "edited");
}

fn touch(dir: &Dir) {
    dir.set_modified("tree/a", SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000));
}

fn rename(dir: &Dir) {
    fs::rename(dir.path("tree/a"), dir.path("tree/z")).unwrap();
}

fn corrupt(dir: &Dir) {
    dir.corrupt("tree/a", "FIRST");
}

fn unplug(dir: &Dir) {
    fs::rename(dir.path("tree"), dir.path("away")).unwrap();
}

/// Makes all readings forty days older.
fn age(dir: &Dir) {
    let raw = raw(dir);
    raw.execute_batch(
        "UPDATE stint SET started_s = started_s - 3456000; UPDATE run SET started_s = started_s - 3456000",
    )
    .unwrap();
}

/// A part of the day that is far from now.
fn never() -> String {
    let hour = |ahead: i64| {
        let now = jiff::Zoned::now().checked_add(jiff::Span::new().hours(ahead)).unwrap();
        format!("{:02}:00", now.hour())
    };
    format!("{}-{}", hour(4), hour(8))
}

#[test]
fn each_outcome_has_its_exit_code() {
    let dirs: Vec<Dir> = TABLE
        .iter()
        .map(|row| {
            let dir = Dir::new();
            for (name, content) in [("tree/a", "first"), ("tree/b", "second"), ("tree/d/c", "third")] {
                dir.write(name, content);
            }
            dir.keeper([&["collection", "add", "t", "tree"], row.terms].concat()).run().code(0);
            dir
        })
        .collect();
    settle();
    let mut wrong = Vec::new();
    for (row, dir) in TABLE.iter().zip(&dirs) {
        // The first audit registers, and that is not a finding whatever the policy.
        dir.keeper(ALL).run().code(0);
        (row.happens)(dir);
        let never = never();
        let arguments =
            row.audit.iter().map(|argument| if *argument == "NEVER" { &never } else { *argument });
        let audited = dir.keeper(arguments).run();
        let checked = dir.keeper(["status", "--check"]).run();
        let codes = (audited.status.code(), checked.status.code());
        if codes != (Some(row.codes.0), Some(row.codes.1)) {
            wrong.push(format!("{}: {codes:?}, not {:?}\n{}", row.what, row.codes, audited.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn who_is_busy_or_interrupted_judges_nothing() {
    let dir = Dir::new();
    for number in 0..200 {
        dir.write(format!("tree/{number}"), vec![b'x'; 20_000]);
    }
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    let slow = dir.keeper(["audit", "t", "--max-rate", "256KiB"]).interruptible().start();
    let lock = dir.path("catalog.sqlite.audit-1");
    let end = Instant::now() + Duration::from_secs(10);
    while fs::read(&lock).map_or(0, |text| text.len()) == 0 {
        assert!(Instant::now() < end, "nobody audits it");
        thread::sleep(Duration::from_millis(10));
    }
    let busy = dir.keeper(ALL).run().code(75);
    let said = busy.stderr.lines().find(|line| line.contains("t: is in use by process ")).unwrap();
    let said = said.strip_suffix("; try again when that has ended").expect("it says what to do");
    let since = said.rsplit_once(", since ").expect("it says since when").1;
    let today = jiff::Zoned::now();
    let days = [today.clone(), today.yesterday().unwrap()].map(|day| day.strftime("%Y-%m-%d ").to_string());
    assert!(days.iter().any(|day| since.starts_with(day)), "{said}");
    slow.signal(Signal::INT);
    let ended = slow.wait().died_by(Signal::INT);
    assert!(ended.stderr.contains("the same command goes on from there"), "{}", ended.stderr);
    let next = dir.keeper(ALL).run().code(0);
    let said = &next.stderr;
    assert!(said.contains("it continued an audit that was not over"), "{said}");
}

#[test]
fn a_signal_ends_what_the_end_of_the_time_lets_go_on() {
    let dir = Dir::new();
    // No state of it can be saved, so the file would be read to its end, for half a minute.
    dir.write("tree/a", "small").write("tree/large", vec![b'x'; 8_000_000]);
    dir.keeper(["collection", "add", "t", "tree", "-a", "xxh128"]).run().code(0);
    let slow = ["audit", "t", "--max-rate", "256KiB", "--for", "1s"];
    let slow = dir.keeper(slow).interruptible().start();
    thread::sleep(Duration::from_secs(3));
    slow.signal(Signal::TERM);
    let ended = slow.wait_within(Duration::from_secs(20)).expect("it does not go on");
    ended.died_by(Signal::TERM);
}

/// What a machine does to a tree while nobody changes it, and what looks like that and is not.
#[test]
fn a_disk_is_known_again_under_another_number_and_half_of_it_is_not_believed() {
    if !have_mounts() || !have("mkfs.ext4") {
        return;
    }
    let dir = Dir::new();
    dir.make("tree").make("spare");
    let script = r#"
        set -e
        say() { echo "$1 $2"; }
        audit() { set +e; "$0" audit t >/dev/null 2>>said; say "$1" $?; set -e; }
        truncate -s 24M disk
        mkfs.ext4 -q disk
        mount -o loop disk tree
        mkdir tree/d tree/e
        for n in $(seq 120); do echo "content $n" > tree/d/$n; echo "other $n" > tree/e/$n; done
        sleep 3.1
        "$0" collection add t tree --living 2>>said
        audit first
        # As after a reboot: another device number, the same file system.
        umount tree
        truncate -s 1M other
        mkfs.ext4 -q other
        mount -o loop other spare
        before=$(stat -c %d spare)
        mount -o loop disk tree
        test "$(stat -c %d tree)" != "$before"
        audit rebooted
        # Nothing is mounted at all.
        umount tree
        audit unmounted
        mount -o loop disk tree
        audit mounted
        # An older state of it: as many files are another version as would be after a restore.
        umount tree
        cp disk older
        mount -o loop disk tree
        for n in $(seq 60); do echo "newer $n" > tree/d/$n; done
        rm tree/e/1
        sleep 3.1
        audit edited
        umount tree
        mount -o loop older tree
        audit older
        umount tree
        mount -o loop disk tree
        "$0" audit t --discard-held 2>>said
        # A part of it is emptied.
        rm tree/d/*
        audit emptied
        umount tree
        umount spare
    "#;
    let ran = mounting(&dir, script).run().code(0);
    let said = String::from_utf8(dir.read("said")).unwrap();
    let expected = "first 0\nrebooted 0\nunmounted 75\nmounted 0\nedited 2\nolder 75\nemptied 75\n";
    assert_eq!(String::from_utf8_lossy(&ran.stdout), expected, "{said}{}", ran.stderr);
    for line in ["nothing is mounted there", "the directory d is empty, where 120 files should be"] {
        assert!(said.contains(line), "{line} is not in:\n{said}");
    }
}
