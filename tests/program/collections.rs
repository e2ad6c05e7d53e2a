//! Collections by the command line: what is printed, and how commands end.

use std::fs::{File, FileTimes};
use std::thread;
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use serde_json::Value;

use crate::work::{Dir, digest};

/// A record counts as settled so long after the last change of its file: two whole seconds of the clock.
const SETTLED: Duration = Duration::from_millis(3_050);

/// A tree of three files that was registered and audited.
fn kept(options: &[&str]) -> Dir {
    let dir = Dir::new();
    for (name, content) in [("tree/a", "first"), ("tree/d/b", "second"), ("tree/d/c", "third")] {
        dir.write(name, content);
    }
    thread::sleep(SETTLED);
    dir.keeper([&["collection", "add", "t", "tree"], options].concat()).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    dir
}

/// Writes other bytes, and sets the time back.
fn corrupt(dir: &Dir, name: &str, content: &str) {
    let modified = dir.path(name).metadata().unwrap().modified().unwrap();
    dir.write(name, content);
    set_time(dir, name, modified);
}

fn set_time(dir: &Dir, name: &str, time: SystemTime) {
    let file = File::options().write(true).open(dir.path(name)).unwrap();
    file.set_times(FileTimes::new().set_modified(time)).unwrap();
}

#[test]
fn what_stands_against_a_collection_is_in_the_exit_code() {
    let dir = kept(&[]);
    dir.keeper(["status", "--check"]).run().code(0);
    corrupt(&dir, "tree/a", "FIRST");
    std::fs::remove_file(dir.path("tree/d/b")).unwrap();
    dir.write("tree/new", "nobody knew");
    let ran = dir.keeper(["audit", "t"]).run().code(10);
    let printed = String::from_utf8(ran.stdout).unwrap();
    for line in [
        "t: a: CORRUPT: the content differs, and size and time do not say so\n",
        &format!("    known  sha256 {}\n", digest("sha256", "first")),
        &format!("    read   sha256 {}\n", digest("sha256", "FIRST")),
        &format!("    again  sha256 {}\n", digest("sha256", "FIRST")),
        "t: d/b: MISSING\n",
    ] {
        assert!(printed.contains(line), "{line:?} is not in:\n{printed}");
    }
    assert!(!printed.contains("new"), "it was accepted: {printed}");
    dir.keeper(["status", "--check"]).run().code(10);
    dir.keeper(["status"]).run().code(0);
    dir.keeper(["acknowledge", "t", "a", "--reason", "known"]).run().code(0);
    dir.keeper(["status", "--check"]).run().code(2);
    dir.keeper(["accept", "t", "--verdict", "missing", "--dry-run"])
        .run()
        .code(0)
        .printed("t: d/b: missing\n");
    dir.keeper(["status", "--check"]).run().code(2);
    dir.keeper(["accept", "t", "--verdict", "missing"]).run().code(0);
    dir.keeper(["status", "--check"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
}

#[test]
fn a_corrupt_file_is_accepted_by_its_own_name_only() {
    let dir = kept(&[]);
    corrupt(&dir, "tree/d/b", "SECOND");
    dir.keeper(["audit", "t"]).run().code(8);
    let refused = dir.keeper(["accept", "t", "d"]).run().code(16);
    refused.said_among_others(&["d/b: is corrupt: name the file itself to accept that"]);
    dir.keeper(["accept", "t", "d/b", "--reason", "this is what it should be"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    let history = dir.keeper(["history", "tree/d/b"]).run().code(0);
    let history = String::from_utf8(history.stdout).unwrap();
    for part in [&digest("sha256", "second"), &digest("sha256", "SECOND"), "this is what it should be"] {
        assert!(history.contains(part), "{part:?} is not in:\n{history}");
    }
}

#[test]
fn a_frozen_collection_reports_what_is_new_and_changed() {
    let dir = kept(&["--frozen"]);
    dir.write("tree/new", "new");
    dir.write("tree/a", "changed");
    dir.keeper(["audit", "t"]).run().code(5);
    dir.keeper(["audit", "t"]).run().code(5);
    dir.keeper(["accept", "t", "--verdict", "new,changed"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
}

#[test]
fn an_audit_that_is_held_judges_nothing() {
    let dir = kept(&[]);
    std::fs::rename(dir.path("tree"), dir.path("away")).unwrap();
    dir.keeper(["audit", "t"]).run().code(0).said_among_others(&["t: offline: No such file or directory"]);
    dir.make("tree");
    let held = dir.keeper(["audit", "t"]).run().code(75).printed("");
    held.said_among_others(&["t: HELD: the root is another directory", "t: nothing is said to be missing"]);
    dir.keeper(["status", "--check"]).run().code(16);
    // It is the right one after all, and empty by intent.
    dir.keeper(["audit", "t", "--resume-held"]).run().code(2);
}

#[test]
fn known_digests_come_from_a_list_and_go_into_one() {
    let dir = Dir::new();
    dir.write("tree/a", "first").write("tree/d/b", "not what is listed");
    let list = format!("{}  a\n{}  d/b\n", digest("sha256", "first"), digest("sha256", "second"));
    dir.write("list", list);
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    let ran = dir.keeper(["collection", "import", "t", "list"]).run().code(0);
    ran.said(&["t: 2 files registered, not yet verified"]);
    dir.keeper(["collection", "import", "t", "list"])
        .run()
        .code(0)
        .said(&["t: 0 files registered, not yet verified, 2 known already"]);
    // Nothing says that anybody changed it on purpose.
    dir.keeper(["audit", "t"]).run().code(4);
    let list = dir.keeper(["collection", "export", "t"]).run().code(0);
    list.printed(format!("{}  a\n{}  d/b\n", digest("sha256", "first"), digest("sha256", "second")));
    dir.write(
        "worse",
        format!("{}  a\n{}  ../out\nnot a line\n", digest("sha256", "other"), digest("sha256", "x")),
    );
    dir.keeper(["collection", "import", "t", "worse"]).run().code(16);
}

#[test]
fn lines_for_programs_say_what_lines_for_people_do() {
    let dir = kept(&[]);
    corrupt(&dir, "tree/a", "FIRST");
    let ran = dir.keeper(["audit", "t", "--format", "json"]).run().code(8);
    let lines: Vec<Value> =
        ran.lines().into_iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    let [finding, summary] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((&finding["verdict"], &finding["path"]), (&"corrupt".into(), &"a".into()));
    assert_eq!(finding["seen"]["digests"]["sha256"], digest("sha256", "FIRST"));
    assert_eq!((&summary["outcome"], &summary["verdicts"]["corrupt"]), (&"complete".into(), &1.into()));
    let status = dir.keeper(["status", "--format", "json"]).run().code(0);
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(status["collections"][0]["findings"]["corrupt"], 1);
    let history = dir.keeper(["history", "t:a", "--format", "json"]).run().code(0);
    let history: Value = serde_json::from_slice(&history.stdout).unwrap();
    assert_eq!(history["finding"]["verdict"], "corrupt");
    assert_eq!(history["events"][0]["what"], "corrupt");
}

#[test]
fn terms_can_be_changed_and_shown() {
    let dir = kept(&["--every", "30d"]);
    dir.keeper(["collection", "set", "t", "--every", "60d", "--exclude", "d"]).run().code(0);
    let shown = String::from_utf8(dir.keeper(["collection", "show", "t"]).run().code(0).stdout).unwrap();
    assert!(shown.contains("every        60 d") && shown.contains("exclude      d"), "{shown}");
    let audited = dir.keeper(["audit", "t"]).run().code(0);
    assert!(audited.stderr.contains("2 ignored"), "{}", audited.stderr);
    dir.keeper(["collection", "rename", "t", "u"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(64).said_among_others(&["no collection is named t"]);
    std::fs::rename(dir.path("tree"), dir.path("elsewhere")).unwrap();
    dir.keeper(["collection", "relocate", "u", "elsewhere"]).run().code(0);
    dir.keeper(["audit", "u"]).run().code(0);
    dir.keeper(["collection", "purge", "u"]).run().code(64);
    dir.keeper(["collection", "purge", "u", "--force"]).run().code(0);
    dir.keeper(["audit"]).run().code(64).said_among_others(&["no collection is registered"]);
}

#[test]
fn the_catalogue_is_checked_copied_and_brought_back() {
    let dir = kept(&[]);
    dir.keeper(["catalog", "verify"]).run().code(0);
    dir.keeper(["catalog", "backup", "copy"]).run().code(0);
    dir.keeper(["catalog", "backup", "copy"]).run().code(64);
    let raw = Connection::open(dir.path("catalog.sqlite")).unwrap();
    raw.execute("UPDATE item SET digests = zeroblob(32)", []).unwrap();
    drop(raw);
    dir.keeper(["catalog", "verify"]).run().code(8);
    dir.keeper(["catalog", "restore", "copy"]).run().code(0);
    dir.keeper(["catalog", "verify"]).run().code(0);
    dir.keeper(["catalog", "compact"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    // So damaged that it is no database any more.
    dir.write("catalog.sqlite", "nothing of it is left");
    let refused = dir.keeper(["status"]).run().code(74);
    assert!(refused.stderr.contains("catalog.sqlite: is not a catalogue"), "{}", refused.stderr);
    dir.keeper(["catalog", "restore", "copy"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    assert!(dir.has("catalog.sqlite.before-restore-1") && dir.has("catalog.sqlite.before-restore-2"));
}

#[test]
fn commands_that_make_the_catalogue_at_once_wait_for_each_other() {
    for _ in 0..4 {
        let dir = Dir::new();
        dir.make("tree");
        let names = ["a", "b", "c", "d", "e", "f"];
        let started = names.map(|name| dir.keeper(["collection", "add", name, "tree"]).start());
        for running in started {
            running.wait().code(0);
        }
        let listed = dir.keeper(["collection", "list", "--format", "json"]).run().code(0);
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        assert_eq!(listed.as_array().unwrap().len(), names.len());
    }
}

#[test]
fn a_budget_says_that_it_was_used_up() {
    let dir = Dir::new();
    for number in 0..5 {
        dir.write(format!("tree/{number}"), format!("{number}"));
    }
    thread::sleep(SETTLED);
    dir.keeper(["collection", "add", "t", "tree", "--every", "10d"]).run().code(0);
    let planned = dir.keeper(["audit", "--dry-run"]).run().code(0);
    assert!(planned.stderr.contains("5 files would be read"), "{}", planned.stderr);
    let first = dir.keeper(["audit", "--files", "3"]).run().code(0);
    assert!(first.stderr.contains("3 files read") && first.stderr.contains("used up"), "{}", first.stderr);
    let second = dir.keeper(["audit"]).run().code(0);
    assert!(second.stderr.contains("2 files read"), "{}", second.stderr);
    dir.keeper(["audit"]).run().code(0).said(&["t: 5 files listed; nothing was due"]);
}
