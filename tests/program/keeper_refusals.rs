//! What the commands about collections do not do, and what they say instead.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use crate::work::{Dir, HASHLANE, digest};

/// A record counts as settled so long after the last change of its file.
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

/// Standard error of a command that ends with a code.
#[track_caller]
fn told(dir: &Dir, arguments: &[&str], code: i32) -> String {
    dir.keeper(arguments.iter().copied()).run().code(code).stderr
}

/// The files beside the catalogue that hold what was there before a restore.
fn put_aside(dir: &Dir) -> usize {
    let names = fs::read_dir(dir.root()).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().contains("before-restore")).count()
}

#[test]
fn a_file_is_no_copy_of_itself() {
    let dir = kept(&[]);
    let report = || {
        let ran = dir.keeper(["collection", "report", "t", "--format", "json"]).run().code(0);
        let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
        report["collections"][0]["findings"].as_array().unwrap().clone()
    };
    // The same tree, the directory above it, and another name of one of its files.
    fs::create_dir(dir.path("links")).unwrap();
    fs::hard_link(dir.path("tree/d/b"), dir.path("links/b")).unwrap();
    dir.make("apart");
    for (name, root) in [("again", "tree"), ("above", "."), ("links", "links")] {
        dir.keeper(["collection", "add", name, root, "--exclude", "catalog*"]).run().code(0);
        dir.keeper(["audit", name]).run().code(0);
    }
    thread::sleep(SETTLED);
    dir.keeper(["audit"]).run();
    for name in ["a", "d/b"] {
        fs::remove_file(dir.path(format!("tree/{name}"))).unwrap();
    }
    dir.keeper(["audit", "t"]).run().code(2);
    let findings = report();
    assert_eq!(findings.len(), 2);
    for finding in &findings {
        assert_eq!(finding["intact_copy"], Value::Null, "{finding}");
    }
    // One that is another file is offered, even if it has the number of the one that is gone; and no directory that stands there by now
    // takes it in.
    thread::sleep(Duration::from_millis(1_100));
    dir.write("apart/a", "first");
    dir.keeper(["collection", "add", "apart", "apart"]).run().code(0);
    dir.keeper(["audit", "apart"]).run().code(0);
    let findings = report();
    let command = findings[0]["intact_copy"]["restore"].as_str().unwrap();
    assert_eq!(findings[0]["intact_copy"]["collection"], "apart");
    let run = || dir.command("bash", ["-c", command]).run();
    dir.make("tree/a");
    run().code(1);
    assert!(!dir.has("tree/a/a"));
    fs::remove_dir(dir.path("tree/a")).unwrap();
    dir.write("outside", "not to be written over").link("../outside", "tree/a");
    run().code(0);
    assert_eq!(
        (dir.read("tree/a"), dir.read("outside")),
        (b"first".into(), b"not to be written over".into())
    );
    assert!(!dir.path("tree/a").is_symlink());
    // The other name of a file that is gone has outlived it.
    assert_eq!(findings[1]["path"], "d/b");
    dir.keeper(["audit", "links"]).run().code(0);
    assert_eq!(report()[1]["intact_copy"]["collection"], "links");
}
