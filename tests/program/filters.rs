//! Filters by name, size, time and type: what they pass over is neither read nor missing nor new.

use std::fs::{self, File};
use std::io::Write as _;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::work::{Dir, bytes, digest, gnu, have_mounts};

/// Sets the time of the last change of a file, in seconds since 1970.
fn age(dir: &Dir, name: &str, seconds: u64) {
    dir.set_modified(name, SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
}

#[test]
fn sizes_equal_to_a_bound_are_summed_and_the_others_counted() {
    let dir = Dir::new();
    dir.write("t/0", "").write("t/3", "123").write("t/4", "1234").write("t/2048", "x".repeat(2048));
    let sum = |arguments: &[&str]| dir.hashlane(["sum"]).args(arguments).arg("t").run().code(0);
    let small = gnu(&[("t/0", ""), ("t/3", "123")]);
    sum(&["--max-size", "3"]).printed(&small).said(&["skipped: 2 excluded names", "2 files, 3 B (3 B)"]);
    sum(&["-q", "--min-size", "3", "--max-size", "4"]).printed(gnu(&[("t/3", "123"), ("t/4", "1234")]));
    sum(&["-q", "--min-size", "2KiB"]).printed(gnu(&[("t/2048", &"x".repeat(2048))]));
    sum(&["-q", "--min-size", "2.1kB"]).printed("");
    sum(&["-q", "--max-size", "0"]).printed(gnu(&[("t/0", "")]));
    sum(&["--min-size", "1T"]).printed("").said(&["skipped: 4 excluded names", "0 files, 0 B (0 B)"]);
}

#[test]
fn files_that_are_named_or_in_a_list_are_held_to_the_bounds_too() {
    let dir = Dir::new();
    dir.write("small", "1").write("large", "12345").write(b"l\xff", "12345");
    let names = [bytes(b"small"), bytes(b"large"), bytes(b"l\xff")];
    let ran = dir.hashlane(["sum", "--max-size", "4"]).args(&names).run().code(0);
    ran.printed(gnu(&[("small", "1")])).said(&["skipped: 2 excluded names", "1 file, 1 B (1 B)"]);
    dir.hashlane(["sum", "-q", "--min-size", "5", "--files0-from", "-"])
        .input(b"small\0l\xff\0large\0".to_vec())
        .run()
        .code(0)
        .printed(
            [digest("sha256", "12345").as_bytes(), b"  l\xff\n", gnu(&[("large", "12345")]).as_bytes()]
                .concat(),
        );
    // What has no size before it ends is read.
    dir.hashlane(["sum", "-q", "--min-size", "5", "-"]).input("1").run().code(0).printed(gnu(&[("-", "1")]));
    dir.hashlane(["sum", "-q", "--max-size", "4", "missing"]).run().code(16).printed("");
}

#[test]
fn times_are_dates_moments_and_ages() {
    let dir = Dir::new();
    dir.write("t/old", "o").write("t/mid", "m").write("t/new", "n");
    age(&dir, "t/old", 1_769_817_599);
    age(&dir, "t/mid", 1_769_817_600);
    let sum = |arguments: &[&str], files: &[(&str, &str)]| {
        dir.hashlane(["sum", "-q"]).args(arguments).arg("t").run().code(0).printed(gnu(files));
    };
    sum(&["--newer-than", "2026-01-31"], &[("t/mid", "m"), ("t/new", "n")]);
    sum(&["--older-than", "2026-01-31"], &[("t/old", "o")]);
    sum(&["--older-than", "2026-01-31T01:00:00.5+01:00"], &[("t/mid", "m"), ("t/old", "o")]);
    sum(&["--newer-than", "2026-01-31T00:00:00Z", "--older-than", "2026-01-31T00:00:01Z"], &[("t/mid", "m")]);
    sum(&["--newer-than", "12h"], &[("t/new", "n")]);
    sum(&["--older-than", "12h", "--newer-than", "3000w"], &[("t/mid", "m"), ("t/old", "o")]);
}

#[test]
fn bounds_that_cannot_be_say_what_can() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("SHA256SUMS", gnu(&[("t/a", "1")]));
    let cases: [(&[&str], &str); 11] = [
        (&["--min-size", "5", "--max-size", "4"], "--min-size: 5 bytes exceed the 4 of --max-size"),
        (
            &["--newer-than", "7d", "--older-than", "30d"],
            "--newer-than: its time is not before that of --older-than",
        ),
        (&["--newer-than", "2026-01-31", "--older-than", "2026-01-31"], "swap them"),
        (&["--min-size", "10KB"], "write kB or KiB"),
        (&["--max-size", "huge"], "write it like 100MB or 64MiB"),
        (&["--newer-than", "yesterday"], "write it like 2026-01-31, 2026-01-31T12:00:00Z, 7d or 12h"),
        (&["--newer-than", "2026-01-31T12:00:00"], "append Z"),
        (&["--older-than", "2 months"], "give days or weeks"),
        (&["--exclude", "[a"], "--exclude [a: "),
        (&["--max-size", ""], "write it like"),
        (&["--older-than", "2026-02-30"], "write it like"),
    ];
    for (arguments, hint) in cases {
        for command in [&["sum", "t"][..], &["check", "--audit", "SHA256SUMS"], &["diff", "SHA256SUMS", "t"]]
        {
            let ran = dir.hashlane(command).args(arguments).run().code(64).printed("");
            assert!(ran.stderr.contains(hint), "{command:?} {arguments:?}: {}", ran.stderr);
        }
    }
    dir.hashlane(["sum", "--type", "socket", "t"]).run().code(64);
    for walking in ["-x", "-L"] {
        let ran = dir.hashlane(["check", walking, "SHA256SUMS"]).run().code(64).printed("");
        assert!(ran.stderr.contains("--complete") && ran.stderr.contains("--audit"), "{}", ran.stderr);
        dir.hashlane(["check", "-q", walking, "--complete", "--root", "t", "SHA256SUMS"]).run().code(0);
    }
    let ran = dir.hashlane(["diff", "--max-size", "4", "SHA256SUMS", "SHA256SUMS"]).run().code(64);
    assert!(
        ran.stderr.contains("--max-size: applies to a directory, and neither A nor B is one; leave it out"),
        "{}",
        ran.stderr
    );
}

#[test]
fn types_that_are_asked_for_are_read_where_they_are_found() {
    let dir = Dir::new();
    dir.write("t/file", "1").write("u/x", "2");
    let fifo = dir.fifo("t/fifo");
    let ran = dir.hashlane(["sum", "t"]).run().code(0).printed(gnu(&[("t/file", "1")]));
    ran.said(&["skipped: 1 special file", "1 file, 1 B (1 B)"]);
    for (types, files) in
        [("file,fifo", &[("t/fifo", "through"), ("t/file", "1")][..]), ("fifo", &[("t/fifo", "through")])]
    {
        let fifo = fifo.clone();
        let writer =
            thread::spawn(move || File::options().write(true).open(fifo).unwrap().write_all(b"through"));
        dir.hashlane(["sum", "-q", "--min-size", "1", "--type", types, "t"])
            .run()
            .code(0)
            .printed(gnu(files));
        writer.join().unwrap().unwrap();
    }
    // Globs hold for them as well, and without --type file no file is found.
    dir.hashlane(["sum", "-q", "--type", "fifo", "--exclude", "fif*", "t"]).run().code(0).printed("");
    let ran = dir.hashlane(["sum", "--type", "block,char", "u"]).run().code(0).printed("");
    ran.said(&["skipped: 1 excluded name", "0 files, 0 B (0 B)"]);
}

#[test]
fn hard_links_to_what_is_excluded_hold_nobody_up() {
    let dir = Dir::new();
    dir.write("t/a", "12345").write("t/z", "1");
    fs::hard_link(dir.path("t/a"), dir.path("t/b")).unwrap();
    let ran = dir.hashlane(["sum", "--max-size", "4", "-o", "t/OUT", "t"]).run().code(0);
    ran.said(&["skipped: 2 excluded names, 1 output file", "1 file, 1 B (1 B)"]);
    assert_eq!(dir.read("t/OUT"), gnu(&[("t/z", "1")]).as_bytes());
}

/// Files of some sizes, listed with size and time; then one of them is gone.
fn listed() -> Dir {
    let dir = Dir::new();
    dir.write("t/a", "one")
        .write("t/big", "x".repeat(100))
        .write("t/sub/b.log", "log")
        .write("t/gone", "y".repeat(200));
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "LIST", "t"]).run().code(0);
    dir.hashlane(["sum", "-q", "-o", "SHA256SUMS", "t"]).run().code(0);
    fs::remove_file(dir.path("t/gone")).unwrap();
    dir
}

#[test]
fn an_audit_calls_nothing_missing_or_new_that_is_excluded() {
    let dir = listed();
    dir.write("t/new.log", "new").write("t/huge", "z".repeat(300));
    let audit = |arguments: &[&str]| {
        dir.hashlane(["check", "--audit", "-a", "sha256", "--root", "t"]).args(arguments).run()
    };
    audit(&["-q", "LIST"]).code(3).printed("t/gone: MISSING\nt/huge: NEW\nt/new.log: NEW\n");
    // The size that is listed of a file that is gone counts, as does that of a file that is there.
    let ran = audit(&["--max-size", "99", "--exclude", "*.log", "LIST"]).code(0);
    ran.printed("t/a: OK\nt/big: EXCLUDED\nt/gone: EXCLUDED\nt/sub/b.log: EXCLUDED\n").said_among_others(&[
        "audit passed: 1 OK by sha256, 3 excluded; 1 file found, 4 listed",
        "skipped: 4 excluded names",
    ]);
    // A size equal to the bound does not exclude; and a list without sizes leaves only what is there to tell.
    audit(&["-q", "--max-size", "200", "--exclude", "*.log", "LIST"]).code(2).printed("t/gone: MISSING\n");
    audit(&["-q", "--max-size", "99", "--exclude", "*.log", "SHA256SUMS"])
        .code(2)
        .printed("t/gone: MISSING\n");
    audit(&["-q", "--max-size", "99", "--exclude", "*.log", "--ignore-case", "LIST"]).code(0).printed("");
    // Globs with a slash begin at the root, and a directory that is excluded takes what is in it along.
    audit(&["-q", "--exclude", "/sub", "--include", "*a", "--include", "b*", "LIST"]).code(0).printed("");
    audit(&["-q", "--exclude", "t/sub", "--include", "b.log", "LIST"]).code(0).printed("");
    let ran = audit(&["--max-size", "2", "LIST"]).code(16);
    ran.said_among_others(&[
        "no file was verified",
        "audit failed: 0 OK, 4 excluded; 0 files found, 4 listed",
    ]);
}

#[test]
fn a_listed_file_that_grew_beyond_a_bound_is_excluded_and_one_that_shrank_is_changed() {
    let dir = listed();
    dir.write("t/gone", "y".repeat(200)).write("t/a", "x".repeat(500)).write("t/big", "less");
    let audit = |root: &[&str], arguments: &[&str]| {
        dir.hashlane(["check", "--audit", "-q", "--max-size", "99"]).args(root).args(arguments).run()
    };
    audit(&["--root", "t"], &["LIST"]).code(4).printed("t/big: CHANGED\n");
    // Also where names begin elsewhere.
    audit(&["--base", "t", "--strip-prefix", "t"], &["LIST"]).code(4).printed("big: CHANGED\n");
    let ran = dir.hashlane(["check", "-q", "--max-size", "99", "LIST"]).run().code(4);
    ran.printed("t/big: FAILED\n").said_among_others(&["1 OK by sha256, 1 mismatch, 2 excluded; 2 files"]);
}

#[test]
fn times_bound_an_audit_too() {
    let dir = listed();
    for name in ["t/a", "t/sub/b.log"] {
        age(&dir, name, 1000);
    }
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "LIST", "t"]).run().code(0);
    dir.write("t/a", "changed and new");
    fs::remove_file(dir.path("t/sub/b.log")).unwrap();
    let audit =
        |bound: &str| dir.hashlane(["check", "--audit", "--root", "t", bound, "2026-01-01", "LIST"]).run();
    audit("--newer-than").code(4).printed("t/a: CHANGED\nt/big: OK\nt/sub/b.log: EXCLUDED\n");
    // What was changed is new enough by now to be none of those.
    audit("--older-than").code(18).printed("t/a: EXCLUDED\nt/big: EXCLUDED\nt/sub/b.log: MISSING\n");
}

#[test]
fn what_an_audit_excludes_is_in_json_and_adds_up() {
    let dir = listed();
    dir.write(b"t/\xff.log", "x");
    let ran = dir.hashlane(["check", "--audit", "--format", "json", "--root", "t"]);
    let ran = ran.args(["--max-size", "99", "--exclude", "*.log", "LIST"]).run().code(0);
    let mut lines = ran.objects();
    let summary = lines.pop().unwrap();
    let verdicts: Vec<_> =
        lines.iter().map(|line| (line["path"].as_str(), line["verdict"].as_str())).collect();
    let excluded = |path| (Some(path), Some("excluded"));
    let expected =
        [(Some("t/a"), Some("ok")), excluded("t/big"), excluded("t/gone"), excluded("t/sub/b.log")];
    assert_eq!(verdicts, expected);
    let counts = summary["summary"].as_object().unwrap();
    assert_eq!((counts["excluded"].as_u64(), summary["passed"].as_bool()), (Some(3), Some(true)));
    let total: u64 = counts.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(Some(total), summary["known"].as_u64());
}

#[test]
fn an_audit_that_stays_on_a_file_system_leaves_out_what_is_listed_elsewhere() {
    if !have_mounts() {
        return;
    }
    let dir = Dir::new();
    dir.write("t/a", "one").make("t/mounted");
    let script =
        "set -e; mount -t tmpfs -o size=64k none t/mounted; echo two > t/mounted/b; echo x > t/mounted/gone
        \"$0\" sum -q -o SHA256SUMS t; rm t/mounted/gone
        \"$0\" check --audit -x --root t SHA256SUMS";
    let ran = dir.command("unshare", ["--mount", "bash", "-c", script, crate::work::HASHLANE]).run().code(0);
    ran.printed("t/a: OK\nt/mounted/b: EXCLUDED\nt/mounted/gone: EXCLUDED\n");
}

#[test]
fn links_are_followed_by_an_audit_and_a_complete_check_that_are_told_to() {
    let dir = Dir::new();
    dir.write("t/a", "one").write("beside/x", "x").link("../beside", "t/link");
    dir.hashlane(["sum", "-q", "-o", "SHA256SUMS", "t"]).run().code(0);
    let check =
        |mode: &str| dir.hashlane(["check", "-q", mode, "-L", "--root", "t", "SHA256SUMS"]).run().code(1);
    check("--audit").printed("t/link/x: NEW\n");
    check("--complete").printed("t/link/x: EXTRA (not listed)\n");
}

#[test]
fn a_complete_check_knows_neither_extras_nor_missing_files_that_are_excluded() {
    let dir = listed();
    dir.write("t/new.log", "new").write("t/huge", "z".repeat(300)).write("t/extra", "e");
    let check =
        |arguments: &[&str]| dir.hashlane(["check", "--complete", "--root", "t"]).args(arguments).run();
    let ran = check(&["--max-size", "99", "--exclude", "*.log", "LIST"]).code(1);
    ran.printed(
        "t/a: OK\nt/big: EXCLUDED\nt/gone: EXCLUDED\nt/sub/b.log: EXCLUDED\nt/extra: EXTRA (not listed)\n",
    )
    .said_among_others(&["skipped: 3 excluded names", "1 OK by sha256, 1 extra, 3 excluded; 1 file"]);
    check(&[
        "-q",
        "--max-size",
        "99",
        "--exclude",
        "/sub",
        "--exclude",
        "*.log",
        "--exclude",
        "extra",
        "LIST",
    ])
    .code(0)
    .printed("");
    let ran = check(&["--format", "json", "--max-size", "99", "--exclude", "extra", "LIST"]).code(1);
    let lines = ran.objects();
    let excluded = lines.iter().filter(|line| line["verdict"] == "excluded").count();
    assert_eq!((excluded, lines.last().unwrap()["summary"]["excluded"].as_u64()), (2, Some(2)));
    // The root of a header counts for globs, and a root that is a file is held to the bounds.
    dir.hashlane(["sum", "-q", "--header", "-o", "HEADED", "t"]).run().code(0);
    dir.write("t/sub/more", "m");
    dir.hashlane(["check", "-q", "--complete", "--exclude", "/sub", "HEADED"]).run().code(0).printed("");
    dir.hashlane(["check", "-q", "--complete", "--root", "t/sub/more", "HEADED"]).run().code(1);
    dir.hashlane(["check", "-q", "--complete", "--min-size", "2", "--root", "t/sub/more", "HEADED"])
        .run()
        .code(0);
}

#[test]
fn a_plain_check_verifies_the_listed_files_that_are_wanted() {
    let dir = listed();
    let check = |arguments: &[&str]| dir.hashlane(["check"]).args(arguments).run();
    check(&["-q", "LIST"]).code(2);
    check(&["--exclude", "t/gone", "--include", "t/*", "LIST"])
        .code(0)
        .printed("t/a: OK\nt/big: OK\nt/gone: EXCLUDED\nt/sub/b.log: EXCLUDED\n")
        .said_among_others(&["2 OK by sha256, 2 excluded; 2 files"]);
    check(&["-q", "--fail-fast", "--max-size", "199", "LIST"]).code(0).printed("");
    check(&["-q", "--exclude", "gone", "--base", ".", "LIST"]).code(0).printed("");
    check(&["--exclude", "*", "LIST"])
        .code(16)
        .said_among_others(&["no file was verified", "0 OK, 4 excluded"]);
}

#[test]
fn the_tree_of_a_diff_is_filtered() {
    let dir = listed();
    dir.write("t/new.log", "new").write("t/huge", "z".repeat(300));
    let diff = |arguments: &[&str]| dir.hashlane(["diff"]).args(arguments).run();
    let ran = diff(&["--max-size", "99", "--exclude", "*.log", "LIST", "t"]).code(0).printed("");
    ran.said_among_others(&[
        "the same: 1 same, 3 excluded; 4 names in A, 1 in B, 1 in both",
        "skipped: 4 excluded",
    ]);
    diff(&["-q", "--max-size", "99", "--exclude", "/sub", "--base", "t", "--strip-prefix", "t", "LIST", "t"])
        .code(1)
        .printed("new.log: NEW (only in B)\n");
    diff(&["-q", "--max-size", "99", "--exclude", "/sub", "--exclude", "*.log", "t", "LIST"])
        .code(0)
        .printed("");
    diff(&["-q", "--max-size", "200", "--exclude", "*.log", "LIST", "t"])
        .code(2)
        .printed("t/gone: MISSING (only in A)\n");
    // Where the filters leave no file of the tree, what is gone is missing all the same.
    let excluded = ["--exclude", "[abhns]*"];
    let said = ["no file was compared: the filters leave no file of the tree"];
    diff(&["-q", "LIST", "t"]).code(3);
    let ran = diff(&[&["-q", "LIST", "t"][..], &excluded].concat()).code(2 | 16);
    ran.printed("t/gone: MISSING (only in A)\n").said_among_others(&said);
    let ran = diff(&[&["-q", "t", "LIST"][..], &excluded].concat()).code(1 | 16);
    ran.printed("t/gone: NEW (only in B)\n").said_among_others(&said);
    diff(&["-q", "--min-size", "1MiB", "LIST", "t"]).code(16).printed("").said_among_others(&said);
    let ran = diff(&["--format", "json", "--max-size", "99", "--exclude", "*.log", "LIST", "t"]).code(0);
    let summary = ran.objects().pop().unwrap();
    assert_eq!((summary["summary"]["excluded"].as_u64(), summary["names"].as_u64()), (Some(3), Some(4)));
}

#[test]
fn an_update_keeps_what_is_listed_of_files_that_are_excluded() {
    let dir = listed();
    dir.write("t/big", "y".repeat(101)).write("t/huge", "z".repeat(300)).write("t/new", "n");
    let ran = dir.hashlane(["sum", "--update", "LIST", "--max-size", "99", "t"]).run().code(0);
    ran.said_among_others(&["added: t/new", "gone: t/gone", "skipped: 2 excluded names"]);
    let list = String::from_utf8(dir.read("LIST")).unwrap();
    assert!(list.contains(&digest("sha256", "x".repeat(100))) && !list.contains("t/huge"), "{list}");
}

#[test]
fn an_audit_says_more_the_more_it_is_asked_to() {
    let dir = Dir::new();
    dir.write("t/a", "one").write("t/b", "two").write("t/c", "three");
    dir.hashlane(["sum", "-q", "-o", "SHA256SUMS", "t"]).run().code(0);
    dir.write("t/a", "1").write("t/new", "n");
    fs::rename(dir.path("t/b"), dir.path("t/moved")).unwrap();
    let audit = |level: &str| {
        dir.hashlane(["check", "--audit", "-q", level, "--root", "t", "SHA256SUMS"]).run().code(7)
    };
    let [listed, read, new, moved] = ["one", "1", "n", "two"].map(|content| digest("sha256", content));
    let changed = format!("t/a: CHANGED\n    sha256 listed   {listed}\n    sha256 computed {read}\n");
    let ran = audit("-v").printed(format!("{changed}t/moved: MOVED from t/b\nt/new: NEW\n"));
    assert!(!ran.stderr.contains("corrupt: 0"), "{}", ran.stderr);
    let ran = audit("-vv").printed(format!(
        "{changed}t/moved: MOVED from t/b\n    size read     3\n    sha256 computed {moved}\nt/new: NEW\n    size read     1\n    sha256 computed {new}\n"
    ));
    ran.said_among_others(&[
        "audit failed: 1 OK by sha256, 1 changed, 1 moved, 1 new; 4 files found, 3 listed",
        "files found: 4",
        "files listed: 3",
        "ok: 1",
        "corrupt: 0",
        "duplicate lost: 0",
        "excluded: 0",
        "names whose entries contradict each other: 0",
        "directories that could not be searched: 0",
    ]);
    // A plain check takes it, and says the same as with one.
    let check = |level: &str| dir.hashlane(["check", level, "SHA256SUMS"]).run().code(6).stdout;
    assert_eq!(check("-v"), check("-vv"));
}

#[test]
fn a_file_that_is_gone_from_another_file_system_is_excluded_there() {
    if !have_mounts() {
        return;
    }
    let dir = Dir::new();
    dir.write("t/a", "1").make("t/mounted");
    dir.write("SHA256SUMS", gnu(&[("t/a", "1"), ("t/gone", "2"), ("t/mounted/gone", "3")]));
    let script = "mount -t tmpfs none t/mounted && exec \"$0\" \"$@\"";
    let run = |arguments: &[&str]| {
        let start = ["--mount", "sh", "-c", script, crate::work::HASHLANE];
        dir.command("unshare", start.iter().chain(arguments)).run()
    };
    run(&["diff", "SHA256SUMS", "t"])
        .code(2)
        .printed("t/gone: MISSING (only in A)\nt/mounted/gone: MISSING (only in A)\n");
    for arguments in [
        &["diff", "-x", "SHA256SUMS", "t"][..],
        &["diff", "-x", "--base", "t", "--strip-prefix", "t", "SHA256SUMS", "t"],
        &["check", "--audit", "-x", "--root", "t", "SHA256SUMS"],
    ] {
        let ran = run(arguments).code(2);
        assert!(ran.stderr.contains("1 missing, 1 excluded"), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn standard_input_is_held_to_no_bounds() {
    let dir = Dir::new();
    let content = "x".repeat(700);
    dir.write("file", &content);
    let listed = gnu(&[("-", &content)]);
    dir.command("sh", ["-c", "exec \"$0\" sum -q --max-size 4 - < file", crate::work::HASHLANE])
        .run()
        .code(0)
        .printed(listed);
    let ran = dir.hashlane(["sum", "--help"]).run().code(0);
    let help = String::from_utf8(ran.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("Pipes, devices and standard input have no size and are read"), "{help}");
}

#[test]
fn an_audit_goes_on_behind_very_many_names_that_are_excluded() {
    let dir = Dir::new();
    dir.write("t/a.jpg", "1").write("elsewhere/x.jpg", "2").link("../elsewhere", "t/z");
    let excluded = (0..70_000).map(|number| format!("{}  t/n{number:05}.txt\n", digest("sha256", "3")));
    let wanted = gnu(&[("t/a.jpg", "1"), ("t/z/x.jpg", "2"), ("t/z/gone.jpg", "3")]);
    dir.write("SHA256SUMS", excluded.chain([wanted]).collect::<String>());
    let ran =
        dir.hashlane(["check", "--audit", "-q", "--include", "*.jpg", "--root", "t", "SHA256SUMS"]).run();
    ran.code(2)
        .printed("t/z/gone.jpg: MISSING\n")
        .said_among_others(&["audit failed: 2 OK by sha256, 1 missing, 70,000 excluded"]);
}
