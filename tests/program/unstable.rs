//! Files that change while they are read.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;

use crate::work::{Dir, Ran, digest, gnu};

/// More than the slowest algorithm digests between two changes.
const BIG: u64 = 48 << 20;

/// Runs `hashlane` with arguments while `change` is done to the file `big` over and over.
fn changing(dir: &Dir, arguments: &[&str], change: impl Fn(&File, u64) + Sync) -> Ran {
    let file = File::create(dir.path("big")).unwrap();
    file.set_len(BIG).unwrap();
    file.write_all_at(&vec![1; BIG as usize], 0).unwrap();
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                if ended.load(Ordering::Relaxed) {
                    break;
                }
                change(&file, round);
                thread::yield_now();
            }
        });
        let ran = dir.hashlane(arguments).run();
        ended.store(true, Ordering::Relaxed);
        ran
    })
}

fn grow(file: &File, round: u64) {
    file.write_all_at(b"more", BIG + 4 * round).unwrap();
}

#[test]
fn a_file_that_grows_while_it_is_read_is_reported_and_not_listed() {
    let dir = Dir::new();
    dir.write("a", "1").write("z", "2");
    let ran = changing(&dir, &["sum", "-a", "sha256", "a", "big", "z"], grow);
    let messages = ran.messages();
    ran.code(16).printed(gnu(&[("a", "1"), ("z", "2")]));
    assert_eq!(
        messages[..2],
        ["big: grew while it was read; run again when it no longer changes", "1 changed while being read"]
    );
}

#[test]
fn a_file_that_becomes_shorter_while_it_is_read_is_reported_and_not_listed() {
    for engine in ["buffered", "mmap", "uring"] {
        let dir = Dir::new();
        dir.write("z", "2");
        let shrink = |file: &File, round: u64| file.set_len(BIG.saturating_sub(4096 * round)).unwrap();
        let ran = changing(&dir, &["sum", "-q", "--engine", engine, "big", "z"], shrink);
        ran.code(16)
            .printed(gnu(&[("z", "2")]))
            .said(&["big: became shorter while it was read; run again when it no longer changes"]);
    }
}

#[test]
fn a_file_that_is_written_to_while_it_is_read_is_reported_and_not_listed() {
    let dir = Dir::new();
    dir.write("z", "2");
    let modify = |file: &File, round: u64| file.write_all_at(&round.to_le_bytes(), 0).unwrap();
    let ran = changing(&dir, &["sum", "-q", "-a", "sha3-512", "big", "z"], modify).code(16);
    assert_eq!(ran.messages(), ["big: was modified while it was read; run again when it no longer changes"]);
}

#[test]
fn an_audit_calls_a_file_that_is_written_to_unstable_and_not_unreadable() {
    let dir = Dir::new();
    dir.write("z", "2").write("list", gnu(&[("big", "1"), ("z", "2")]));
    let modify = |file: &File, round: u64| file.write_all_at(&round.to_le_bytes(), 0).unwrap();
    let ran = changing(&dir, &["check", "--audit", "-a", "sha256", "list"], modify).code(16);
    let messages = ran.messages();
    assert_eq!(messages[0], "./big: was modified while it was read");
    assert!(
        messages[1].starts_with("audit failed: 1 OK by sha256, 1 unstable; 2 files found"),
        "{messages:?}"
    );
    ran.printed("big: UNSTABLE\nz: OK\n");
}

#[test]
fn a_diff_calls_a_file_that_is_written_to_unstable_and_not_unreadable() {
    let dir = Dir::new();
    dir.write("z", "2").write("list", gnu(&[("big", "1"), ("z", "2")]));
    let modify = |file: &File, round: u64| file.write_all_at(&round.to_le_bytes(), 0).unwrap();
    let ran = changing(&dir, &["diff", "-q", "-a", "sha256", "list", "."], modify).code(16);
    ran.printed("big: UNSTABLE (changed while it was read)\n")
        .said(&["./big: was modified while it was read"]);
}

#[test]
fn a_bag_says_once_that_a_file_changes() {
    let dir = Dir::new();
    dir.write("bag/data/big", "")
        .write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    dir.write("bag/manifest-sha256.txt", format!("{}  data/big\n", "0".repeat(64)));
    std::fs::hard_link(dir.path("bag/data/big"), dir.path("big")).unwrap();
    let modify = |file: &File, round: u64| file.write_all_at(&round.to_le_bytes(), 0).unwrap();
    let ran = changing(&dir, &["bag", "validate", "-q", "bag"], modify).code(16);
    ran.printed("data/big: FAILED (was modified while it was read)\n");
}

#[test]
fn no_digest_is_told_of_a_file_that_changes() {
    for (arguments, told) in [
        (&["check", "--format", "json", "-a", "sha256", "list"][..], "computed"),
        (&["check", "--audit", "--format", "json", "-a", "sha256", "list"], "seen"),
    ] {
        let dir = Dir::new();
        dir.write("z", "2").write("list", gnu(&[("big", "1"), ("z", "2")]));
        let ran = changing(&dir, arguments, grow).code(16);
        let line = |name: &str| {
            let lines = ran.lines().into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
            lines.into_iter().find(|line| line["path"] == name).unwrap()
        };
        let (big, z) = (line("big"), line("z"));
        assert_eq!((&big["verdict"], &z["verdict"]), (&"unstable".into(), &"ok".into()));
        assert_eq!(big[told]["sha256"], Value::Null, "{big}");
        assert_eq!(z[told]["sha256"], digest("sha256", "2"), "{z}");
    }
}

#[test]
fn jsonl_lists_a_file_that_changed_with_its_outcome() {
    let dir = Dir::new();
    let ran = changing(&dir, &["sum", "-q", "--manifest-format", "jsonl", "big"], grow).code(16);
    let line = String::from_utf8(ran.stdout).unwrap();
    assert!(line.ends_with("\"outcome\":\"unstable\",\"change\":\"grew\"}\n"), "{line}");
}

#[test]
fn a_check_calls_a_file_that_changes_unstable_and_not_wrong() {
    let dir = Dir::new();
    dir.write("list", format!("{}  big\n", "0".repeat(64)));
    let ran = changing(&dir, &["check", "-a", "sha256", "list"], grow).code(16);
    // How much of it was read depends on when it grew.
    let messages = ran.messages();
    assert_eq!(messages[..2], ["big: grew while it was read", "no file was verified"]);
    assert!(messages[2].starts_with("0 OK, 1 unstable; 0 files, "), "{messages:?}");
    ran.printed("big: FAILED (changed while it was read)\n");
}
