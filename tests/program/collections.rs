//! Collections by the command line: what is printed, and how commands end.

use std::fs::File;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use crate::keeper::{kept, mounting, nobody, raw, settle, told};
use crate::work::{Dir, digest, have_mounts};

#[test]
fn what_stands_against_a_collection_is_in_the_exit_code() {
    let dir = kept(&[]);
    dir.keeper(["status", "--check"]).run().code(0);
    dir.corrupt("tree/a", "FIRST");
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
    dir.corrupt("tree/d/b", "SECOND");
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
fn what_is_not_watched_is_counted_by_the_first_audit() {
    let dir = Dir::new();
    dir.write("tree/d/a", "first");
    std::fs::create_dir(dir.path("tree/empty")).unwrap();
    for name in ["one", "other"] {
        std::os::unix::fs::symlink("d/a", dir.path("tree").join(name)).unwrap();
    }
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    let told = "t: not watched: 2 symbolic links, 1 empty directory; modes, owners, attributes";
    dir.keeper(["audit", "t"]).run().code(0).said_among_others(&[told]);
    let again = dir.keeper(["audit", "t"]).run().code(0);
    assert!(!again.stderr.contains("not watched"), "{}", again.stderr);
    let line = dir.keeper(["audit", "t", "--format", "json"]).run().code(0);
    let line: Value = serde_json::from_slice(&line.stdout).unwrap();
    let counts = serde_json::json!({ "symbolic_links": 2, "special_files": 0, "empty_directories": 1 });
    assert_eq!(line["not_watched"], counts);
}

#[test]
fn an_audit_that_is_held_judges_nothing() {
    let dir = kept(&[]);
    let root = dir.path("tree").canonicalize().unwrap();
    std::fs::rename(dir.path("tree"), dir.path("away")).unwrap();
    let offline = format!(
        "t: offline: {}: No such file or directory; mount it, or say where it lies now: `hashlane collection relocate t DIR`",
        root.display()
    );
    dir.keeper(["audit", "t"]).run().code(75).said(&[&offline]);
    dir.make("tree");
    let unmounted = "t: offline since ";
    let ran = dir.keeper(["audit", "t"]).run().code(75);
    assert!(
        ran.stderr.contains(unmounted) && ran.stderr.contains("nothing is mounted there"),
        "{}",
        ran.stderr
    );
    dir.write("tree/other", "of another tree");
    let held = dir.keeper(["audit", "t"]).run().code(75).printed("");
    held.said_among_others(&["t: HELD: the root is another directory", "t: nothing is said to be missing"]);
    dir.keeper(["status", "--check"]).run().code(75);
    // It is the right one after all.
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
    let said = "t: 2 files registered by sha256, not yet verified: `hashlane audit t` compares them";
    ran.said(&[said]);
    dir.keeper(["collection", "import", "t", "list"])
        .run()
        .code(0)
        .said(&["t: 0 files registered; 2 known already, with the same content"]);
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
    dir.corrupt("tree/a", "FIRST");
    let ran = dir.keeper(["audit", "t", "--format", "json"]).run().code(8);
    let lines = ran.objects();
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
    let set = ["collection", "set", "t", "--every", "60d", "--exclude", "d"];
    let refused = dir.keeper(set).run().code(64);
    refused.said_among_others(&[
        "t: the filter leaves out 2 of 3 known files; nothing was changed. If that is meant, add --yes",
    ]);
    dir.keeper(set).arg("--yes").run().code(0);
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
    let raw = raw(&dir);
    raw.execute("UPDATE item SET digests = zeroblob(32)", []).unwrap();
    drop(raw);
    dir.keeper(["catalog", "verify"]).run().code(8);
    dir.keeper(["catalog", "restore", "copy"]).run().code(0);
    dir.keeper(["catalog", "verify"]).run().code(0);
    dir.keeper(["catalog", "compact"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    // So damaged that it is not a database any more.
    dir.write("catalog.sqlite", "nothing of it is left");
    let refused = dir.keeper(["status"]).run().code(74);
    assert!(refused.stderr.contains("catalog.sqlite: is not a catalogue"), "{}", refused.stderr);
    // Somebody audits it all the same.
    let lock = File::options().write(true).open(dir.path("catalog.sqlite.audit-1")).unwrap();
    flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
    let said = told(&dir, &["catalog", "restore", "copy"], 75);
    assert!(said.contains("catalog.sqlite: is in use by another process"), "{said}");
    flock(&lock, FlockOperation::Unlock).unwrap();
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
    settle();
    dir.keeper(["collection", "add", "t", "tree", "--every", "10d"]).run().code(0);
    let planned = dir.keeper(["audit", "--dry-run"]).run().code(0);
    assert!(planned.stderr.contains("5 files would be read"), "{}", planned.stderr);
    let first = dir.keeper(["audit", "--files", "3"]).run().code(0);
    assert!(first.stderr.contains("3 files read") && first.stderr.contains("used up"), "{}", first.stderr);
    let second = dir.keeper(["audit"]).run().code(0);
    assert!(second.stderr.contains("2 files read"), "{}", second.stderr);
    dir.keeper(["audit"]).run().code(0).said(&["t: 5 files listed; nothing was due"]);
}

#[test]
fn a_budget_that_others_have_used_up_is_not_taken_for_nothing_to_do() {
    let dir = Dir::new();
    for name in ["e/1", "e/2", "e/3", "f/1"] {
        dir.write(name, name);
    }
    for name in ["e", "f"] {
        dir.keeper(["collection", "add", name, name, "--every", "30d"]).run().code(0);
    }
    let said = told(&dir, &["audit", "--files", "3"], 0);
    let end = "f: 1 file listed; no file was read; 1 not checked; the budget was used up\n";
    assert!(said.contains(end), "{said}");
    // In a dry run they share it, too.
    dir.write("e/4", "4").write("e/5", "5");
    let said = told(&dir, &["audit", "--dry-run", "--files", "2"], 0);
    let [e, f] = ["e: 5 files listed; 1 file would", "f: 1 file listed; 1 file would"];
    assert!(said.contains(e) && said.contains(f), "{said}");
}

#[test]
fn files_that_cannot_be_read_take_no_budget_from_others() {
    let dir = Dir::new();
    let mode = |name: &str, mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(dir.path(name), permissions).unwrap();
    };
    for name in ["e/1", "e/2", "e/3", "f/1"] {
        dir.write(name, name);
    }
    for name in ["e", "f"] {
        dir.keeper(["collection", "add", name, name, "--every", "30d"]).run().code(0);
    }
    for name in ["e/1", "e/2", "e/3"] {
        mode(name, 0o000);
    }
    mode("catalog.sqlite", 0o666);
    mode(".", 0o777);
    let ran = nobody(&dir, &["audit", "--files", "3"]).run().code(16);
    assert!(ran.stderr.contains("f: 1 file listed, 1 file read"), "{}", ran.stderr);
}

#[test]
fn no_further_collection_is_begun_when_the_time_is_over() {
    let made = || {
        let dir = Dir::new();
        for number in 0..9 {
            dir.write(format!("e/{number}"), [number; 100_000]);
        }
        dir.write("f/1", "f").write("h/1", "h");
        for (name, every) in [("e", "30d"), ("f", "30d"), ("h", "1s")] {
            dir.keeper(["collection", "add", name, name, "--every", every]).run().code(0);
        }
        dir
    };
    let [dir, other] = [made(), made()];
    thread::sleep(Duration::from_millis(2_100));
    let audit = ["audit", "--for", "1s", "--max-rate", "300kB"];
    // 16: others were judged. 32: it is late for all that.
    let said = told(&dir, &audit, 48);
    for line in [
        "hashlane: f: not begun, the time was over; `hashlane audit f --due` reads what is due\n",
        "hashlane: h: not begun, the time was over; `hashlane audit h --due` reads what is due\n",
        "hashlane: h: late: nothing of it was ever read\n",
    ] {
        assert!(said.contains(line), "{line:?} is not in:\n{said}");
    }
    assert_eq!(said.matches(" listed, ").count(), 1, "{said}");
    // Those are the first ones the next time.
    let said = told(&dir, &audit, 0);
    let [e, f, h] = ["e: 9 files", "f: 1 file", "h: 1 file"].map(|line| said.find(line).expect(line));
    assert!(f < e && h < e, "{said}");
    let lines = other.keeper([&audit[..], &["--format", "json"]].concat()).run().code(48).objects();
    let told: Vec<_> =
        lines.iter().map(|line| [&line["collection"], &line["outcome"], &line["detail"]]).collect();
    assert_eq!(told[1..], ["f", "h"].map(|name| [name, "not-begun", "the time was over"]));
    assert_eq!((&told[0][0], &lines[1]["run"]), (&&Value::from("e"), &Value::Null));
}

#[test]
fn only_the_first_collection_makes_a_catalogue() {
    let dir = Dir::new();
    for command in [
        &["status"][..],
        &["audit"],
        &["history", "x"],
        &["collection", "list"],
        &["catalog", "verify"],
        &["accept", "t", "x"],
    ] {
        let said = told(&dir, command, 74);
        assert!(
            said.contains("catalog.sqlite: there is no catalogue; `hashlane collection add` makes one"),
            "{said}"
        );
        assert!(!dir.has("catalog.sqlite"), "{command:?}");
    }
    // Who asks whether all is well has none that could be.
    let said = told(&dir, &["status", "--check"], 64);
    assert!(said.contains("catalog.sqlite: there is no catalogue"), "{said}");
    // One that was cut off to nothing is not a catalogue without collections.
    dir.write("catalog.sqlite", "");
    assert!(told(&dir, &["status", "--check"], 74).contains("catalog.sqlite: is not a catalogue"));
}

#[test]
fn a_catalogue_that_may_only_be_read_is_read() {
    let dir = kept(&[]);
    let mode = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    mode(&dir.path("catalog.sqlite"), 0o444);
    mode(dir.root(), 0o555);
    for command in [&["status"][..], &["collection", "list"], &["history", "t:a"], &["catalog", "verify"]] {
        nobody(&dir, command).run().code(0);
    }
    let refused = nobody(&dir, &["audit", "t"]).run().code(74);
    assert!(refused.stderr.contains("catalog.sqlite"), "{}", refused.stderr);
    mode(dir.root(), 0o755);
}

#[test]
fn nothing_is_said_to_be_decided_that_the_catalogue_did_not_take() {
    let dir = kept(&[]);
    std::fs::remove_file(dir.path("tree/a")).unwrap();
    dir.keeper(["audit", "t"]).run().code(2);
    let mode = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    };
    mode(&dir.path("catalog.sqlite"), 0o444);
    mode(dir.root(), 0o555);
    for command in ["acknowledge", "accept"] {
        let refused = nobody(&dir, &[command, "t", "a"]).run().code(74).printed("");
        assert!(!refused.stderr.contains("1 file"), "{}", refused.stderr);
    }
    mode(dir.root(), 0o755);
}

#[test]
fn paths_are_those_below_the_root_those_here_and_absolute_ones() {
    let dir = kept(&[]);
    dir.write("tree/odd\nname", "odd");
    let absolute = dir.path("tree/d").canonicalize().unwrap();
    for path in ["d", "./tree/d/", "tree/d", "d/../d", absolute.to_str().unwrap()] {
        let said = told(&dir, &["audit", "t", path], 0);
        assert!(said.contains("2 files read"), "{path}: {said}");
    }
    for path in ["./tree", "tree", "d/.."] {
        let said = told(&dir, &["audit", "t", path], 0);
        assert!(said.contains("4 files read"), "{path}: {said}");
    }
    let said = told(&dir, &["audit", "t", "odd\\nname"], 0);
    assert!(said.contains("1 file read"), "{said}");
    dir.keeper(["history", "tree/odd\\nname"]).run().code(0);
    for (path, why) in [
        ("nope", "nope: nothing is known at or below this path in t"),
        ("/etc", "/etc: does not lie below "),
        ("..", "..: begins with a dot, so it is meant from the current directory, and does not lie below "),
        (".", ".: begins with a dot, so it is meant from the current directory, and does not lie below "),
        ("./d", "./d: begins with a dot, so it is meant from the current directory, and does not lie below "),
        ("./tree/nope", "./tree/nope: nothing is known at or below this path in t"),
        ("", "the path is empty; name a file or a directory"),
    ] {
        let said = told(&dir, &["audit", "t", path], 64);
        assert!(said.contains(why), "{path}: {said}");
        told(&dir, &["accept", "t", path], 64);
    }
}

#[test]
fn an_audit_explains_its_exit_code() {
    let dir = kept(&[]);
    dir.corrupt("tree/a", "FIRST");
    std::fs::remove_file(dir.path("tree/d/b")).unwrap();
    told(&dir, &["audit", "t"], 10);
    let said = told(&dir, &["audit", "t"], 10);
    assert!(said.contains("; 1 corrupt, 1 missing, 1 intact"), "{said}");
    let said = told(&dir, &["audit", "t", "d/c"], 10);
    assert!(said.contains("; standing in all: 1 corrupt"), "{said}");
    let again = dir.keeper(["audit", "t", "-v"]).run().code(10);
    let printed = String::from_utf8(again.stdout).unwrap();
    assert!(printed.contains("t: a: CORRUPT") && printed.contains("t: d/b: MISSING"), "{printed}");
    // It is cut off, and its time set back: the message says just that.
    dir.corrupt("tree/d/c", "thi");
    let cut = dir.keeper(["audit", "t"]).run().code(10);
    let printed = String::from_utf8(cut.stdout).unwrap();
    let expected = "t: d/c: CORRUPT: it has become shorter, and its modification time does not say so\n";
    assert!(printed.contains(expected), "{printed}");
}

#[test]
fn what_was_removed_can_be_brought_back_or_purged() {
    let dir = kept(&[]);
    dir.keeper(["collection", "remove", "t"]).run().code(0);
    told(&dir, &["audit", "t"], 64);
    let listed = dir.keeper(["collection", "list", "--removed"]).run().code(0);
    assert!(String::from_utf8(listed.stdout).unwrap().contains("t     "));
    dir.keeper(["collection", "restore", "t"]).run().code(0);
    let said = told(&dir, &["audit", "t"], 0);
    assert!(said.contains("3 intact"), "{said}");
    dir.keeper(["collection", "remove", "t"]).run().code(0);
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    let said = told(&dir, &["collection", "restore", "t"], 64);
    assert!(said.contains("a collection is named t already"), "{said}");
    // Which of the two is meant, nobody knows.
    let said = told(&dir, &["collection", "purge", "t", "--force"], 64);
    assert!(said.contains("say which with --removed-at TIME") && said.contains("tree, removed "), "{said}");
    let listed = dir.keeper(["collection", "list", "--removed", "--format=json"]).run().code(0);
    let removed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let at = removed[0]["removed"].as_str().unwrap();
    told(&dir, &["collection", "purge", "t", "--force", "--removed-at", "2001-01-01"], 64);
    let said = told(&dir, &["collection", "purge", "t", "--force", "--removed-at", at], 0);
    assert!(said.contains("forgotten: 3 files of "), "{said}");
    dir.keeper(["collection", "purge", "t", "--force"]).run().code(0);
    told(&dir, &["collection", "purge", "t", "--force"], 64);
    let changes = dir.keeper(["catalog", "changes", "t"]).run().code(0);
    assert_eq!(String::from_utf8(changes.stdout).unwrap().matches("purged").count(), 2);
    dir.keeper(["catalog", "verify"]).run().code(0);
}

#[test]
fn a_purge_that_was_interrupted_goes_on_and_takes_no_other_collection() {
    let half = || {
        let dir = kept(&[]);
        // As it is when the process is killed after it has begun.
        let raw = raw(&dir);
        raw.execute_batch("UPDATE collection SET removed_s = -9223372036854775808; DELETE FROM total")
            .unwrap();
        dir
    };
    let dir = half();
    dir.keeper(["catalog", "verify"]).run().code(0);
    told(&dir, &["audit", "t"], 64);
    told(&dir, &["collection", "restore", "t"], 64);
    let said = told(&dir, &["collection", "list", "--removed"], 0);
    assert!(said.contains("no collection was removed"), "{said}");
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    let said = told(&dir, &["collection", "purge", "t", "--force"], 0);
    assert!(said.contains("is complete; another collection of this name was left alone"), "{said}");
    dir.keeper(["collection", "show", "t"]).run().code(0);
    dir.keeper(["collection", "purge", "t", "--force"]).run().code(0);
    told(&dir, &["collection", "purge", "t", "--force"], 64);
    // Whoever wants the room back gets it.
    let dir = half();
    dir.keeper(["catalog", "compact"]).run().code(0);
    let raw = raw(&dir);
    let left: i64 = raw.query_row("SELECT count(*) FROM item", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn a_backup_that_cannot_be_brought_back_changes_nothing() {
    let dir = kept(&[]);
    dir.write("damaged", "no catalogue");
    for wrong in ["damaged", "tree", "/dev/null", "none"] {
        told(&dir, &["catalog", "restore", wrong], 74);
    }
    assert!(!dir.has("catalog.sqlite.before-restore-1"));
    let said = told(&dir, &["catalog", "backup", "damaged"], 64);
    assert!(said.contains("damaged: already exists; name another file\n"), "{said}");
    // And where there is none, a backup makes one.
    dir.keeper(["catalog", "backup", "copy"]).run().code(0);
    std::fs::remove_file(dir.path("catalog.sqlite")).unwrap();
    let said = told(&dir, &["catalog", "restore", "copy"], 0);
    assert!(!said.contains("before-restore"), "{said}");
    told(&dir, &["audit", "t"], 0);
}

#[test]
fn a_file_system_that_is_mounted_over_known_files_holds_the_audit() {
    if !have_mounts() {
        return;
    }
    let dir = kept(&[]);
    let script = "mount -t tmpfs none tree/d || exit 99; $0 audit t; echo over $?; umount tree/d; $0 audit t; echo again $?; \
                  mkdir tree/e; mount -t tmpfs none tree/e; $0 audit t; echo new $?; umount tree/e";
    let ran = mounting(&dir, script).run().code(0).printed("over 75\nagain 0\nnew 0\n");
    assert!(
        ran.stderr.contains("HELD: something is mounted over d now, and hides known files"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_tree_with_a_marker_is_known_by_it_wherever_it_lies() {
    let dir = kept(&["--marker", "--tag", "raw", "--group", "home"]);
    let marker = dir.read("tree/.hashlane-marker");
    assert!(marker.starts_with(b"hashlane ") && marker.len() == 42, "{marker:?}");
    let said = told(&dir, &["audit", "t"], 0);
    assert!(said.contains("3 files listed"), "it is no file of the collection: {said}");
    // A copy elsewhere has it, too.
    std::fs::rename(dir.path("tree"), dir.path("away")).unwrap();
    let copied = dir.command("cp", ["-a", "away", "tree"]).run().code(0);
    assert!(copied.stderr.is_empty());
    let said = told(&dir, &["audit", "t"], 0);
    assert!(said.contains("3 intact"), "another inode, and another root for all that: {said}");
    std::fs::remove_file(dir.path("tree/.hashlane-marker")).unwrap();
    let said = told(&dir, &["audit", "t"], 75);
    assert!(said.contains("HELD: the root does not have the file .hashlane-marker"), "{said}");
    let status = dir.keeper(["status"]).run().code(0);
    let printed = String::from_utf8(status.stdout).unwrap();
    assert!(printed.contains("Groups") && printed.contains("home"), "{printed}");
    let shown = dir.keeper(["collection", "show", "t"]).run().code(0);
    let printed = String::from_utf8(shown.stdout).unwrap();
    assert!(printed.contains("tags         raw") && printed.contains("marker       hashlane "), "{printed}");
}

#[test]
fn a_bag_brings_its_digests_along() {
    let dir = Dir::new();
    dir.write("bag/a b", "first").write("bag/d/c", "second").write("tree/file", "other");
    dir.hashlane(["bag", "create", "bag"]).run().code(0);
    dir.keeper(["collection", "add", "whole", "bag"]).run().code(0);
    let said = told(&dir, &["collection", "import", "whole", "bag"], 0);
    assert!(said.contains("registered by sha256, not yet verified"), "{said}");
    dir.keeper(["collection", "add", "payload", "bag/data"]).run().code(0);
    let said = told(&dir, &["collection", "import", "payload", "bag"], 0);
    assert!(said.contains("payload: 2 files registered by sha256, not yet verified"), "{said}");
    dir.write("bag/data/d/c", "damaged on its way");
    let printed = dir.keeper(["audit", "payload"]).run().code(4);
    assert!(String::from_utf8(printed.stdout).unwrap().contains("payload: d/c: CHANGED"));
    let said = told(&dir, &["collection", "import", "payload", "tree"], 64);
    assert!(said.contains("tree: is a directory, but not a bag: it has no bagit.txt"), "{said}");
    dir.keeper(["collection", "add", "other", "tree"]).run().code(0);
    assert!(
        told(&dir, &["collection", "import", "other", "bag"], 64)
            .contains("bag: is not the tree of the collection")
    );
    dir.keeper(["collection", "add", "md5", "bag", "-a", "md5"]).run().code(0);
    assert!(told(&dir, &["collection", "import", "md5", "bag"], 64).contains("bag: has no manifest for md5"));
}

#[test]
fn what_promised_work_leaves_of_a_budget_is_for_the_rest() {
    let dir = kept(&["--every", "never"]);
    dir.write("promised/file", "text");
    dir.keeper(["collection", "add", "promised", "promised", "--every", "30d"]).run().code(0);
    let said = told(&dir, &["audit"], 0);
    assert!(said.contains("t: 3 files listed; nothing was due"), "{said}");
    let said = told(&dir, &["audit", "--files", "2"], 0);
    assert!(said.contains("t: 3 files listed, "), "{said}");
    let promised = said.find("promised:").unwrap();
    assert!(promised < said.find("t: 3 files").unwrap(), "what is promised comes first: {said}");
}

#[test]
fn a_damaged_catalogue_is_put_aside_and_a_backup_takes_its_place() {
    let dir = kept(&[]);
    dir.keeper(["catalog", "backup", "copy"]).run().code(0);
    let path = dir.path("catalog.sqlite");
    // A page in the middle: it can be opened, and not be trusted.
    let page = {
        let catalogue = Connection::open(&path).unwrap();
        catalogue.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'item'";
        catalogue.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as u64
    };
    let file = File::options().write(true).open(&path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &[0x55; 4096], (page - 1) * 4096).unwrap();
    dir.keeper(["catalog", "verify"]).run().code(8);
    let said = told(&dir, &["catalog", "backup", "other"], 74);
    assert!(said.contains("catalog.sqlite: is damaged: "), "{said}");
    assert!(!dir.has("other") && !dir.has("other.partial"));
    // By whatever name it is called.
    dir.link("catalog.sqlite", "link");
    let said = told(&dir, &["catalog", "restore", "copy", "--catalog", "link"], 0);
    assert!(said.contains("catalog.sqlite.before-restore-1: the catalogue as it was until now"), "{said}");
    assert!(dir.has("catalog.sqlite.before-restore-1"));
    dir.keeper(["catalog", "verify"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
}

#[test]
fn a_backup_takes_the_place_of_nothing_that_was_no_catalogue() {
    let dir = kept(&[]);
    dir.keeper(["catalog", "backup", "copy"]).run().code(0);
    dir.write("notes", "what somebody wrote, and wants to keep: ".repeat(20));
    dir.write("empty", "");
    let other = Connection::open(dir.path("other.db")).unwrap();
    other.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
    for name in ["notes", "empty", "other.db"] {
        let before = dir.read(name);
        let said = told(&dir, &["catalog", "restore", "copy", "--catalog", name], 74);
        assert!(
            said.contains(&format!("{name}: is not a catalogue of hashlane; if it was one, give it another name, and restore again")),
            "{said}"
        );
        assert_eq!(dir.read(name), before);
        assert!(!dir.has(format!("{name}.before-restore-1")));
    }
    std::os::unix::fs::symlink("nowhere", dir.path("dangling")).unwrap();
    let said = told(&dir, &["catalog", "restore", "copy", "--catalog", "dangling"], 64);
    assert!(said.contains("dangling: is a link to nowhere, and nothing lies there"), "{said}");
}
