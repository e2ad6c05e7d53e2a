//! Which collections are said to be well, and which are not: those that are away, empty, silent, not known again, or have a promise
//! that is not kept, or none.

use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::keeper::{kept, mounting, nobody, raw, told};
use crate::work::{Dir, have_mounts};

#[test]
fn a_tree_that_was_emptied_is_never_passed_and_is_accepted_as_gone() {
    let dir = kept(&[]);
    for file in ["tree/a", "tree/d/b", "tree/d/c"] {
        std::fs::remove_file(dir.path(file)).unwrap();
    }
    let held = ["t: HELD: the root has no files, where 3 files should be"];
    let way_out = "t: nothing is said to be missing or changed. If it was emptied on purpose: `hashlane accept t --all-gone --reason WHY`";
    for command in [&["audit", "t"][..], &["audit", "t", "--resume-held"]] {
        let ran = dir.keeper(command).run().code(75);
        ran.said_among_others(&[held[0], way_out]);
    }
    told(&dir, &["accept", "t", "--all-gone"], 64);
    dir.write("tree/left", "one is left");
    let said = told(&dir, &["accept", "t", "--all-gone", "--reason", "given away"], 16);
    assert!(said.contains("nothing was accepted: the tree is not empty"), "{said}");
    std::fs::remove_file(dir.path("tree/left")).unwrap();
    let said = told(&dir, &["accept", "t", "--all-gone", "--reason", "given away"], 0);
    assert_eq!(said, "hashlane: t: 3 files accepted: all of them are gone\n");
    told(&dir, &["audit", "t"], 0);
    told(&dir, &["status", "--check"], 0);
}

#[test]
fn a_marker_that_is_gone_is_written_again_after_a_look_at_the_tree() {
    let dir = kept(&["--marker"]);
    let marker = dir.read("tree/.hashlane-marker");
    std::fs::remove_file(dir.path("tree/.hashlane-marker")).unwrap();
    for command in [&["audit", "t"][..], &["audit", "t", "--resume-held"]] {
        let ran = dir.keeper(command).run().code(75);
        assert!(
            ran.stderr.contains("`hashlane collection set t --marker` writes it again"),
            "{}",
            ran.stderr
        );
    }
    std::fs::rename(dir.path("tree/d"), dir.path("away")).unwrap();
    let said = told(&dir, &["collection", "set", "t", "--marker"], 64);
    assert!(said.contains("t: 1 of 3 known files found, by name and size; nothing was changed"), "{said}");
    assert!(!dir.has("tree/.hashlane-marker"));
    std::fs::rename(dir.path("away"), dir.path("tree/d")).unwrap();
    let said = told(&dir, &["collection", "set", "t", "--marker"], 0);
    assert!(said.contains("t: 3 of 3 known files found, by name and size"), "{said}");
    assert_ne!(dir.read("tree/.hashlane-marker"), marker, "it is another one");
    told(&dir, &["audit", "t"], 0);
    std::fs::remove_file(dir.path("tree/.hashlane-marker")).unwrap();
    told(&dir, &["collection", "set", "t", "--no-marker"], 0);
    told(&dir, &["audit", "t"], 0);
}

#[test]
fn a_first_audit_that_finds_nothing_says_so() {
    let dir = Dir::new();
    dir.make("tree");
    told(&dir, &["collection", "add", "t", "tree"], 0);
    let said = told(&dir, &["audit", "t"], 16);
    assert!(said.contains("t: EMPTY: there are no files in "), "{said}");
    let status = dir.keeper(["status", "--check"]).run().code(16);
    let printed = String::from_utf8(status.stdout).unwrap();
    assert!(
        printed.starts_with("1 collection: t needs a person\n") && printed.contains("  empty "),
        "{printed}"
    );
    told(&dir, &["collection", "set", "t", "--allow-empty"], 0);
    told(&dir, &["audit", "t"], 0);
    told(&dir, &["status", "--check"], 0);
}

#[test]
fn a_promise_is_the_default_of_trees_and_is_never_hidden() {
    let dir = kept(&[]);
    let every = |dir: &Dir| -> Value {
        let shown = dir.keeper(["collection", "show", "t", "--format", "json"]).run().code(0);
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        serde_json::json!([shown["every_s"], shown["is_default_every"], shown["removable"]])
    };
    assert_eq!(every(&dir), serde_json::json!([90 * 86_400, true, false]));
    for given in [&["--every", "never"][..], &["--no-promise"]] {
        told(&dir, &["collection", "set", "t", "--every", "60d"], 0);
        assert_eq!(every(&dir)[0], 60 * 86_400);
        told(&dir, &[&["collection", "set", "t"], given].concat(), 0);
        assert_eq!(every(&dir), serde_json::json!([null, false, false]));
    }
    let said = told(&dir, &["audit"], 0);
    assert!(said.contains("t: no promise: unchanged files are not read again; oldest reading "), "{said}");
    for command in [&["status"][..], &["collection", "report"]] {
        let ran = dir.keeper(command).run().code(0);
        let printed = String::from_utf8(ran.stdout).unwrap();
        assert!(
            printed.starts_with("1 collection: all that was read is well; t has no promise\n"),
            "{printed}"
        );
        let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("no promise: unchanged files are not read again; oldest reading "),
            "{printed}"
        );
    }
}

#[test]
fn a_promise_that_cannot_be_kept_is_forecast() {
    let dir = kept(&["--every", "10d"]);
    let raw = raw(&dir);
    // Two nights of an hour each, in which a budget ended the audit; at 1 B/s the promise needs 1.6 s a day for 16 bytes.
    raw.execute(
        "UPDATE run SET outcome = 'budget', counts = json_object('read_bytes', 2, 'reading_ms', 2000, 'listing_ms', 0)",
        [],
    )
    .unwrap();
    drop(raw);
    let planned = told(&dir, &["audit", "--dry-run"], 0);
    assert!(
        planned.contains("the promise needs 1.60 s a day at 1 B/s, as measured by the last audits"),
        "{planned}"
    );
    let planned = told(&dir, &["audit", "--dry-run", "--for", "1s"], 0);
    assert!(planned.contains("; it gets 1.00 s: 38 % will be late"), "{planned}");
    let planned = told(&dir, &["audit", "--dry-run", "--for", "2s"], 0);
    assert!(planned.contains("; it gets 2.00 s\n"), "{planned}");
    let status = dir.keeper(["status", "--format", "json"]).run().code(0);
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(status["collections"][0]["forecast"]["given_s_per_day"], 2.0);
}

#[test]
fn a_budget_that_is_too_small_for_a_promise_says_which_one_would_hold() {
    // Two of three files a day: within a day it cannot be kept.
    let dir = Dir::new();
    for name in ["a", "b", "c"] {
        dir.write(format!("tree/{name}"), "text");
    }
    told(&dir, &["collection", "add", "t", "tree", "--every", "1d"], 0);
    let said = told(&dir, &["audit", "--files", "2"], 32);
    assert!(said.contains("33 % will be late; `--every 2d` would hold\n"), "{said}");
    let ran = dir.keeper(["status", "--check"]).run().code(32);
    let printed = String::from_utf8(ran.stdout).unwrap();
    assert!(
        printed.starts_with("1 collection: t needs a person\n") && printed.contains(" late "),
        "{printed}"
    );
    // The report knows it, too.
    let printed = String::from_utf8(dir.keeper(["collection", "report"]).run().code(0).stdout).unwrap();
    assert!(printed.starts_with("1 collection: t needs a person\n"), "{printed}");
    let status = dir.keeper(["status", "--format", "json"]).run().code(0);
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    let of = &status["collections"][0];
    assert_eq!((&of["told"], &of["heartbeat"]), (&"late".into(), &"fail".into()), "{of:#}");
    // Nobody has made the promise of this one.
    let raw = raw(&dir);
    raw.execute("UPDATE collection SET habits = json_set(habits, '$.is_usual_period', json('true'))", [])
        .unwrap();
    told(&dir, &["status", "--check"], 0);
    // Nor was this asked for when that one was made.
    raw.execute("UPDATE collection SET habits = '{}'", []).unwrap();
    told(&dir, &["status", "--check"], 0);
    told(&dir, &["collection", "set", "t", "--every", "1d"], 0);
    told(&dir, &["status", "--check"], 32);
}

#[test]
fn nobody_who_asks_of_nothing_hears_that_it_is_well() {
    let dir = kept(&[]);
    told(&dir, &["status", "--check"], 0);
    told(&dir, &["status", "--audited-within", "1d"], 0);
    let raw = raw(&dir);
    raw.execute("UPDATE run SET started_s = started_s - 10 * 86400, ended_s = ended_s - 10 * 86400", [])
        .unwrap();
    raw.execute("UPDATE stint SET started_s = started_s - 10 * 86400", []).unwrap();
    let status = |code| {
        let ran = dir.keeper(["status", "--check"]).run().code(code);
        String::from_utf8(ran.stdout).unwrap()
    };
    let printed = status(32);
    assert!(
        printed.contains("t needs a person") && printed.contains("no audit has judged it since "),
        "{printed}"
    );
    // While an audit is under way nobody is silent; one that has died is not under way.
    let host = rustix::system::uname();
    let locked_by = |process: u32| {
        let text = format!("process {process} on {} since 1700000000\n", host.nodename().to_str().unwrap());
        dir.write("catalog.sqlite.audit-1", text);
    };
    locked_by(std::process::id());
    // A process that has not the lock open has the number of one that has died.
    status(32);
    let lock = std::fs::File::open(dir.path("catalog.sqlite.audit-1")).unwrap();
    assert!(status(0).starts_with("1 collection: all is well"));
    drop(lock);
    locked_by(u32::MAX);
    status(32);
    // What is on record is shown, and alarms nobody who has not asked.
    raw.execute("UPDATE collection SET habits = '{}'", []).unwrap();
    assert!(status(0).starts_with("1 collection: t is silent; all else is well\n"));
    let ran = dir.keeper(["status", "--audited-within", "9d"]).run().code(32);
    let printed = String::from_utf8(ran.stdout).unwrap();
    assert!(printed.starts_with("1 collection: t needs a person\n"), "{printed}");
    told(&dir, &["status", "--check", "--audited-within", "11d"], 0);
    drop(raw);
    told(&dir, &["collection", "remove", "t"], 0);
    let said = told(&dir, &["status", "--check"], 64);
    assert_eq!(said, "hashlane: no collection is registered; `hashlane collection add` registers one\n");
}

#[test]
fn what_cannot_be_reached_is_said_and_late_in_time() {
    let dir = kept(&["--every", "1d"]);
    std::fs::rename(dir.path("tree"), dir.path("away")).unwrap();
    let status = |code| {
        let ran = dir.keeper(["status", "--check"]).run().code(code);
        String::from_utf8(ran.stdout).unwrap()
    };
    told(&dir, &["audit", "t"], 75);
    // A server is started anew now and then. The second time somebody has to look.
    assert!(status(75).starts_with("1 collection: t cannot be reached; all else is well\n"));
    told(&dir, &["audit", "t"], 75);
    assert!(status(75).starts_with("1 collection: t needs a person\n"));
    told(&dir, &["collection", "set", "t", "--removable"], 0);
    told(&dir, &["audit", "t"], 0);
    assert!(status(0).starts_with("1 collection: t cannot be reached; all else is well\n"));
    dir.make("other");
    dir.keeper(["collection", "add", "never", "other", "--every", "1s"]).run().code(0);
    thread::sleep(Duration::from_millis(2_100));
    let status = dir.keeper(["status", "--check", "never"]).run().code(32);
    let printed = String::from_utf8(status.stdout).unwrap();
    assert!(printed.contains("never needs a person") && printed.contains("late, never audited"), "{printed}");
}

#[test]
fn a_root_that_may_not_be_read_is_not_offline() {
    let dir = kept(&[]);
    let mode = |name: &str, mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(dir.path(name), permissions).unwrap();
    };
    for name in ["catalog.sqlite", ".", "catalog.sqlite.audit-1"] {
        mode(name, 0o777);
    }
    mode("tree/d", 0o000);
    let ran = nobody(&dir, &["audit", "t"]).run().code(16);
    let printed = String::from_utf8(ran.stdout).unwrap();
    assert_eq!(printed.matches("UNREADABLE").count(), 1, "not for each of its files: {printed}");
    mode("tree/d", 0o755);
    mode("tree", 0o000);
    let ran = nobody(&dir, &["audit", "t"]).run().code(16);
    let why = format!("t: refused: {}: Permission denied", dir.path("tree").display());
    assert!(ran.stderr.contains(&why) && ran.stdout.is_empty(), "{}", ran.stderr);
    mode("tree", 0o755);
    nobody(&dir, &["audit", "t"]).run().code(0);
    // An audit that is held has listed all the same.
    told(&dir, &["collection", "set", "t", "--hold-files", "0"], 0);
    std::fs::remove_file(dir.path("tree/a")).unwrap();
    for (listed, code) in [(0o000, 16), (0o755, 75)] {
        mode("tree/d", listed);
        let ran = nobody(&dir, &["audit", "t"]).run().code(code);
        assert!(ran.stderr.contains("t: HELD: 1 missing files"), "{}", ran.stderr);
        nobody(&dir, &["status", "--check"]).run().code(code);
    }
    // What was discarded has judged nothing.
    told(&dir, &["audit", "t", "--discard-held"], 0);
    let status = dir.keeper(["status", "--format", "json"]).run().code(0);
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(status["collections"][0]["heartbeat"], "start", "{status:#}");
}

#[test]
fn beside_what_is_no_longer_mounted_all_is_read_and_told() {
    if !have_mounts() {
        return;
    }
    let dir = Dir::new();
    for number in 0..20 {
        dir.write(format!("tree/kept/{number}"), format!("content {number}"));
    }
    dir.make("tree/mounted");
    let script = r#"
        set -e
        mount -t tmpfs -o size=1m none tree/mounted
        for n in $(seq 20); do echo $n > tree/mounted/$n; done
        sleep 3.1
        "$0" collection add t tree 2>said
        "$0" audit -q
        touch -r tree/kept/7 time
        printf X | dd of=tree/kept/7 conv=notrunc status=none
        touch -r time tree/kept/7
        umount tree/mounted
        for more in "" --resume-held; do
            set +e; "$0" audit t -q $more >told 2>>said; echo $? $(grep -c CORRUPT told) $(grep -c MISSING told); set -e
        done
    "#;
    mounting(&dir, script).run().code(0).printed("24 1 0\n10 0 20\n");
}
