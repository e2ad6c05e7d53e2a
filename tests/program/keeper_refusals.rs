//! What the commands about collections do not do, and what they say instead.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use crate::keeper::{kept, raw, settle, told};
use crate::work::{Dir, HASHLANE, digest};

/// The files beside the catalogue that hold what was there before a restore.
fn put_aside(dir: &Dir) -> usize {
    let names = fs::read_dir(dir.root()).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().contains("before-restore")).count()
}

#[test]
fn a_path_that_begins_with_a_dot_is_meant_from_where_one_stands() {
    let dir = kept(&[]);
    for name in ["a", "d/b", "d/c"] {
        fs::remove_file(dir.path(format!("tree/{name}"))).unwrap();
    }
    // A directory below the root with the name of the root: two things can be meant.
    dir.write("tree/tree/x", "deep");
    dir.keeper(["audit", "t"]).run().code(2);
    let here = |place: &str, path: &str, code| {
        let script = format!("cd {place} && $0 accept t '{path}' --dry-run");
        let catalogue = dir.path("catalog.sqlite");
        dir.shell(&script).env("HASHLANE_CATALOG", catalogue.to_str().unwrap()).run().code(code)
    };
    let lines = |place: &str, path: &str| here(place, path, 0).lines().len();
    for (place, path, files) in [
        ("tree", ".", 3),
        ("tree/d", ".", 2),
        ("tree/d", "..", 3),
        ("tree/d", "../a", 1),
        ("tree/d", "./b", 1),
        (".", "./tree/d", 2),
        (".", "d", 2),
        ("tree/d", "d", 2),
        ("tree/d", "b", 1),
    ] {
        assert_eq!(lines(place, path), files, "{path} in {place}");
    }
    for (place, path) in [(".", "."), (".", "./d"), ("tree", ".."), ("tree/d", "../../x")] {
        let said = here(place, path, 64).stderr;
        let why = "begins with a dot, so it is meant from the current directory, and does not lie below ";
        assert!(said.starts_with(&format!("hashlane: {path}: {why}")), "{said}");
    }
    // Below the root comes first.
    assert!(told(&dir, &["audit", "t", "tree"], 2).contains("1 file read"));
    for command in
        [&["accept", "t", ""][..], &["acknowledge", "t", ""], &["audit", "t", ""], &["history", ""]]
    {
        let said = told(&dir, command, 64);
        assert_eq!(said, "hashlane: the path is empty; name a file or a directory\n", "{command:?}");
    }
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
    settle();
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

#[test]
fn an_export_that_fails_says_why_and_ends_as_others_do() {
    let dir = kept(&[]);
    dir.write("tree/odd\nname", "odd");
    dir.keeper(["audit", "t"]).run().code(0);
    let said = told(&dir, &["collection", "export", "t", "--manifest-format", "hashdeep"], 74);
    assert!(said.contains("odd\\nname") && said.lines().count() == 1, "{said}");
    let said = told(&dir, &["collection", "export", "t", "--manifest-format", "sfv"], 64);
    assert!(!said.contains("--algorithm"), "{said}");
    assert!(
        said.ends_with("; choose another format with --manifest-format (`hashlane formats` lists them)\n"),
        "{said}"
    );
    // Nobody reads it any more: nothing is to be said.
    for command in [
        &["collection", "export", "t"][..],
        &["collection", "report"],
        &["catalog", "seals"],
        &["audit", "t", "--format", "json"],
    ] {
        let ran = dir.keeper(command.iter().copied()).run_into_closed_pipe();
        assert_eq!((ran.status.code(), ran.stderr.as_str()), (None, ""), "{command:?}: {}", ran.status);
    }
}

#[test]
fn an_export_of_many_files_into_a_closed_pipe_is_silent() {
    let dir = Dir::new();
    for number in 0..2000 {
        dir.write(format!("tree/{number}"), "");
    }
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    let ran = dir.keeper(["collection", "export", "t"]).run_into_closed_pipe();
    assert_eq!((ran.status.code(), ran.stderr.as_str()), (None, ""), "{}", ran.status);
}

#[test]
fn an_import_of_a_list_that_is_not_there_ends_as_a_check_of_it_does() {
    let dir = kept(&[]);
    let said = told(&dir, &["collection", "import", "t", "nope"], 16);
    assert_eq!(said, dir.hashlane(["check", "nope"]).run().code(16).stderr);
}

#[test]
fn a_dry_run_says_that_an_audit_would_be_held() {
    let dir = kept(&[]);
    fs::rename(dir.path("tree"), dir.path("away")).unwrap();
    dir.write("tree/other", "of another tree");
    let said = told(&dir, &["audit", "t", "--dry-run"], 0);
    assert!(said.contains("t: HELD: the root is another directory"), "{said}");
    dir.keeper(["status", "--check"]).run().code(0);
    let help = dir.hashlane(["audit", "--help"]).run().code(0);
    let help = String::from_utf8(help.stdout).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("An audit that would be held for what the listing shows says so"), "{help}");
}

#[test]
fn commands_say_their_exit_codes() {
    let dir = Dir::new();
    for command in [
        "accept",
        "acknowledge",
        "audit",
        "events",
        "history",
        "status",
        "catalog backup",
        "catalog changes",
        "catalog compact",
        "catalog restore",
        "catalog seals",
        "catalog verify",
        "collection add",
        "collection export",
        "collection import",
        "collection list",
        "collection purge",
        "collection relocate",
        "collection remove",
        "collection rename",
        "collection report",
        "collection restore",
        "collection set",
        "collection show",
    ] {
        let help = dir.hashlane(command.split(' ')).arg("--help").run().code(0);
        let help = String::from_utf8(help.stdout).unwrap();
        assert!(help.contains("\nExit codes") && help.contains("64  usage error"), "{command}:\n{help}");
    }
}

#[test]
fn a_restore_that_is_refused_leaves_nothing_behind() {
    let dir = kept(&[]);
    dir.keeper(["catalog", "backup", "copy"]).run().code(0);
    fs::hard_link(dir.path("catalog.sqlite"), dir.path("other-name")).unwrap();
    dir.link("catalog.sqlite", "link");
    for itself in ["catalog.sqlite", "other-name", "link"] {
        let said = told(&dir, &["catalog", "restore", itself], 64);
        assert_eq!(said, format!("hashlane: {itself}: is the catalogue itself; name a backup\n"));
    }
    fs::remove_file(dir.path("other-name")).unwrap();
    // Somebody audits it.
    let lock = fs::File::options().write(true).open(dir.path("catalog.sqlite.audit-1")).unwrap();
    flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
    let said = told(&dir, &["catalog", "restore", "copy"], 75);
    assert!(said.contains("t: is in use by another process"), "{said}");
    flock(&lock, FlockOperation::Unlock).unwrap();
    dir.write("damaged", [&dir.read("copy")[..5000], &[0x55; 20_000]].concat());
    told(&dir, &["catalog", "restore", "damaged"], 74);
    assert_eq!(put_aside(&dir), 0);
    let said = told(&dir, &["catalog", "restore", "copy"], 0);
    assert!(said.contains("before-restore-1: a copy of the catalogue as it was until now"), "{said}");
    assert_eq!(put_aside(&dir), 1);
    dir.keeper(["audit", "t"]).run().code(0);
}

#[test]
fn what_has_no_version_is_no_catalogue_and_no_message_speaks_sql() {
    let dir = kept(&[]);
    dir.keeper(["catalog", "backup", "copy"]).run().code(0);
    for name in ["catalog.sqlite", "copy"] {
        Connection::open(dir.path(name)).unwrap().pragma_update(None, "user_version", 0).unwrap();
    }
    for command in [
        &["status"][..],
        &["audit", "t"],
        &["collection", "add", "u", "tree"],
        &["catalog", "verify"],
        &["catalog", "restore", "copy"],
    ] {
        let said = told(&dir, command, 74);
        assert!(said.contains(": is not a catalogue of hashlane") && !said.contains("TABLE"), "{said}");
    }
    assert_eq!(put_aside(&dir), 0);
    // A table is gone.
    let raw = Connection::open(dir.path("catalog.sqlite")).unwrap();
    raw.pragma_update(None, "user_version", hashlane_catalog::LATEST).unwrap();
    raw.execute_batch("ALTER TABLE run RENAME TO walk").unwrap();
    drop(raw);
    let said = told(&dir, &["catalog", "seals"], 74);
    assert!(
        said.contains("catalog.sqlite: is damaged: its tables: there is no table run")
            && !said.contains("SELECT"),
        "{said}"
    );
}

#[test]
fn what_is_no_file_is_not_made_a_catalogue() {
    let dir = kept(&[]);
    dir.keeper(["catalog", "backup", "copy"]).run().code(0);
    let fifo = dir.fifo("fifo");
    dir.make("directory");
    for place in ["/dev/null", fifo.to_str().unwrap(), "directory"] {
        for command in [&["collection", "add", "u", "tree"][..], &["status"], &["catalog", "restore", "copy"]]
        {
            let words = [command, &["--catalog", place]].concat();
            let said = dir.hashlane(words).run().code(74).stderr;
            assert!(said.ends_with(": is not a catalogue of hashlane\n"), "{command:?}: {said}");
        }
    }
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert!(fs::metadata(&fifo).unwrap().file_type().is_fifo());
    assert_eq!(fs::read_dir(dir.path("directory")).unwrap().count(), 0);
    assert_eq!(put_aside(&dir), 0);
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let dir = Dir::new();
    dir.write("tree/a", "first");
    dir.keeper(["collection", "add", "t", "tree", "-a", "sha256,md5,sha256"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    let shown = dir.keeper(["collection", "show", "t", "--format", "json"]).run().code(0);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["algorithms"], serde_json::json!(["sha256", "md5"]));
    let history = dir.keeper(["history", "t:a"]).run().code(0);
    let history = String::from_utf8(history.stdout).unwrap();
    assert_eq!(history.matches(&digest("sha256", "first")).count(), 1, "{history}");
    for (words, why) in [
        (&["collection", "add", "u", "tree", "--tag", ""][..], "--tag"),
        (&["collection", "add", "u", "tree", "--every", "99999999d"], "too long; give at most 7304484d"),
        (&["collection", "add", "u", "tree", "--every", "99999999999999999999999h"], "too long"),
        (&["collection", "add", "u", "tree", "--every", "99999999x"], "not a time"),
        (&["audit", "t", "--files", "0"], "--files"),
        (&["audit", "t", "--bytes", "0"], "give at least 1 byte; --dry-run reads nothing"),
        (&["audit", "t", "--bytes", "0MB"], "give at least 1 byte"),
    ] {
        let said = told(&dir, words, 64);
        assert!(said.contains(why), "{words:?}: {said}");
    }
    dir.keeper(["collection", "add", "u", "tree", "--every", "7304484d"]).run().code(0);
    let help = dir.command(HASHLANE, ["audit", "--help"]).run().code(0);
    let help = String::from_utf8(help.stdout).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "A file that was begun is read on to its next 64 MiB or to its end.",
        "Begin no file after TIME, such as 2h A file that was begun is put aside when TIME is over",
        "PATH that begins with `.` or `..` is meant from the current directory alone.",
    ] {
        assert!(help.contains(part), "{part:?} is not in:\n{help}");
    }
}

#[test]
fn what_a_held_audit_held_back_is_dropped_as_a_whole_or_not_at_all() {
    let dir = kept(&[]);
    fs::rename(dir.path("tree"), dir.path("away")).unwrap();
    dir.write("tree/other", "of another tree");
    told(&dir, &["audit", "t", "--reason", "each night"], 75);
    for option in [
        &["a"][..],
        &["--due"],
        &["--for", "1h"],
        &["--between", "22:00-06:00"],
        &["--bytes", "1GB"],
        &["--files", "1"],
        &["--percent", "5"],
        &["--only", "missing"],
        &["--dry-run"],
        &["--resume-held"],
    ] {
        let said = told(&dir, &[&["audit", "t", "--discard-held"], option].concat(), 64);
        let named = if option[0] == "a" { "[PATH]" } else { option[0] };
        assert!(said.contains("--discard-held") && said.contains(named), "{said}");
    }
    told(&dir, &["status", "--check"], 75);
    let said = told(&dir, &["audit", "t", "--discard-held", "--reason", "not mounted"], 0);
    assert_eq!(said, "hashlane: t: what the audit held back is dropped; nothing was judged\n");
    let raw = raw(&dir);
    let sql = "SELECT reason FROM run WHERE outcome = 'discarded'";
    let reason: String = raw.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(reason, "each night; not mounted");
}
