//! `hashlane check --audit`: what became of each file, in lines, JSON and exit codes.

use std::time::Duration;

use crate::work::{Cmd, Dir, digest, gnu, have};

/// Two files, listed and there, with a manifest beside them.
fn tree() -> Dir {
    let dir = Dir::new();
    dir.write("t/a", "one").write("t/b", "two");
    dir.hashlane(["sum", "-q", "-o", "LIST", "t"]).run().code(0);
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "LIST.jsonl", "t"]).run().code(0);
    dir
}

fn audit(dir: &Dir, manifest: &str) -> Cmd {
    dir.hashlane(["check", "--audit", "-a", "sha256", "--root", "t", manifest])
}

#[test]
fn a_tree_as_listed_passes() {
    let dir = tree();
    audit(&dir, "LIST")
        .run()
        .code(0)
        .printed("t/a: OK\nt/b: OK\n")
        .said_among_others(&["audit passed: 2 OK by sha256; 2 files found, 2 listed", "2 files, 6 B"]);
    audit(&dir, "LIST").arg("-q").run().code(0).printed("");
    audit(&dir, "LIST").arg("--status").run().code(0).printed("");
}

#[test]
fn each_verdict_has_its_line_and_its_code() {
    type Change = fn(&Dir);
    let cases: [(&str, Change, &str, i32); 9] = [
        (
            "new",
            |dir| {
                dir.write("t/new", "three");
            },
            "t/new: NEW\n",
            1,
        ),
        ("missing", |dir| std::fs::remove_file(dir.path("t/a")).unwrap(), "t/a: MISSING\n", 2),
        (
            "changed, and not new and missing",
            |dir| {
                dir.write("t/a", "1");
            },
            "t/a: CHANGED\n",
            4,
        ),
        (
            "moved",
            |dir| std::fs::rename(dir.path("t/a"), dir.path("t/z")).unwrap(),
            "t/z: MOVED from t/a\n",
            3,
        ),
        (
            "copied",
            |dir| {
                dir.write("t/z", "one");
            },
            "t/z: COPIED from t/a\n",
            1,
        ),
        (
            "changed, with its old content elsewhere",
            |dir| {
                dir.write("t/a", "1").write("t/z", "one");
            },
            "t/a: CHANGED\nt/z: COPIED from t/a\n",
            5,
        ),
        (
            "two that changed places",
            |dir| {
                dir.write("t/a", "two").write("t/b", "one");
            },
            "t/a: CHANGED\nt/b: CHANGED\n",
            4,
        ),
        (
            "a file that takes the name of one that moved",
            |dir| {
                std::fs::rename(dir.path("t/b"), dir.path("t/c")).unwrap();
                std::fs::rename(dir.path("t/a"), dir.path("t/b")).unwrap();
            },
            // At its name is another content, whatever that was before; what has no listed name is matched.
            "t/b: CHANGED\nt/a: DUPLICATE LOST, its content is in t/b\nt/c: COPIED from t/b\n",
            7,
        ),
        (
            "a directory at the name of a file",
            |dir| {
                std::fs::remove_file(dir.path("t/a")).unwrap();
                dir.make("t/a");
            },
            "t/a: MISSING\n",
            2,
        ),
    ];
    for (name, change, lines, code) in cases {
        let dir = tree();
        change(&dir);
        let ran = audit(&dir, "LIST").arg("-q").run();
        assert_eq!(
            (String::from_utf8_lossy(&ran.stdout).as_ref(), ran.status.code()),
            (lines, Some(code)),
            "{name}"
        );
    }
}

#[test]
fn duplicates_are_told_apart_one_by_one() {
    let dir = Dir::new();
    dir.write("t/x", "same").write("t/y", "same").write("t/other", "o");
    dir.hashlane(["sum", "-q", "-o", "LIST", "t"]).run().code(0);
    // One of two is deleted: its content is still there.
    std::fs::remove_file(dir.path("t/x")).unwrap();
    audit(&dir, "LIST").arg("-q").run().code(2).printed("t/x: DUPLICATE LOST, its content is in t/y\n");
    // And the other is moved: it is the source of the move that comes first, and the second has its content there.
    std::fs::rename(dir.path("t/y"), dir.path("t/z")).unwrap();
    let ran = audit(&dir, "LIST").arg("-q").run().code(3);
    ran.printed("t/y: DUPLICATE LOST, its content is in t/z\nt/z: MOVED from t/x\n");
}

#[test]
fn a_file_whose_content_differs_at_the_same_size_and_time_is_corrupt() {
    let dir = tree();
    dir.corrupt("t/a", "eno");
    let corrupt = "t/a: CORRUPT (neither size nor time says that it was written)\n";
    audit(&dir, "LIST.jsonl").arg("-q").run().code(8).printed(corrupt);
    audit(&dir, "LIST").arg("-q").run().code(4).printed("t/a: CHANGED\n");
}

#[test]
fn one_digest_equal_and_another_not_is_a_collision_and_fails() {
    let dir = Dir::new();
    dir.write("t/a", "one");
    dir.write("u/a", "two");
    let of = |algorithm: &str, tree: &str| {
        let ran =
            dir.hashlane(["sum", "-q", "--tag", "-a", algorithm]).arg(format!("{tree}/a")).run().code(0);
        String::from_utf8(ran.stdout).unwrap().replace("u/a", "t/a")
    };
    dir.write("LIST", of("md5", "t") + &of("sha256", "u"));
    let ran = dir.hashlane(["check", "--audit", "-v", "--root", "t", "LIST"]).run().code(4);
    assert!(
        ran.stdout.starts_with(b"t/a: COLLISION (one digest is as listed, another is not)\n"),
        "{}",
        ran.stderr
    );
    ran.said_among_others(&["audit failed: 0 OK by md5 and sha256, 1 collision; 1 file found, 1 listed"]);
}

#[test]
fn what_has_no_digest_to_compare_is_never_a_pass() {
    let dir = tree();
    // A list that says of a file that it could not be read.
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "LIST", "t/a", "t/b", "t/c"])
        .run()
        .code(16);
    dir.write("t/c", "three");
    let ran = audit(&dir, "LIST").arg("-q").run().code(16).printed("t/c: UNVERIFIED (nothing to compare)\n");
    ran.said_among_others(&["audit failed: 2 OK by sha256, 1 unverified; 3 files found, 3 listed"]);
}

#[test]
fn listed_names_below_another_root_are_brought_together() {
    let dir = tree();
    let here = dir.root().canonicalize().unwrap();
    let absolute = dir.hashlane(["sum".into(), "-q".into(), here.join("t").into_os_string()]).run().code(0);
    dir.write("ABSOLUTE", &absolute.stdout);
    // An absolute name and a relative one are the same file.
    audit(&dir, "ABSOLUTE").arg("-q").run().code(0).printed("");
    // Where the tree has another place by now.
    std::fs::rename(dir.path("t"), dir.path("moved")).unwrap();
    dir.make("t").write("t/unlisted", "x");
    dir.hashlane([
        "check",
        "--audit",
        "-q",
        "-a",
        "sha256",
        "--base",
        "moved",
        "--strip-prefix",
        "t",
        "LIST",
    ])
    .run()
    .code(0)
    .printed("");
    dir.hashlane(["check", "--audit", "-q", "-a", "sha256", "--base", "moved", "--strip-prefix"])
        .arg(here.join("t/"))
        .arg("ABSOLUTE")
        .run()
        .code(0)
        .printed("");
    // Without a hint: all of them have moved, and what to do about it is said.
    let ran = dir.hashlane(["check", "--audit", "-q", "-a", "sha256", "--root", "moved", "LIST"]).run();
    ran.code(3).printed("moved/a: MOVED from t/a\nmoved/b: MOVED from t/b\n").said_among_others(&[
        "no file has a listed name; if the tree has moved, use --base or --strip-prefix",
    ]);
}

#[test]
fn a_prefix_is_taken_off_alike_by_an_audit_and_a_diff_however_it_ends() {
    let dir = tree();
    std::fs::rename(dir.path("t"), dir.path("moved")).unwrap();
    for (prefix, code) in [("t", 0), ("t/", 0), ("t//", 0), ("t///", 0), ("t ", 3), ("t/.", 3)] {
        let names = ["--base", "moved", "--strip-prefix", prefix];
        dir.hashlane(["check", "--audit", "-q", "-a", "sha256", "LIST"]).args(names).run().code(code);
        // Who compares names only finds nothing on both sides, which is a failure of its own.
        let code = if code == 0 { 0 } else { code | 16 };
        dir.hashlane(["diff", "-q", "-a", "sha256", "LIST", "moved"]).args(names).run().code(code);
    }
}

#[test]
fn names_that_lead_out_of_the_base_are_refused() {
    let dir = tree();
    dir.write("secret", "s").link("../secret", "t/link");
    dir.write(
        "LIST",
        gnu(&[("a", "one"), ("b", "two"), ("../secret", "s"), ("link", "s"), ("/etc/hostname", "s")]),
    );
    let ran = dir.hashlane(["check", "--audit", "-q", "-a", "sha256", "--base", "t", "LIST"]).run();
    let ran = ran.code(16).printed("../secret: UNREADABLE\n/etc/hostname: UNREADABLE\nlink: UNREADABLE\n");
    ran.said_among_others(&["link: leads out of --base t; leave out --base to follow it"]);
}

#[test]
fn no_link_that_is_followed_leads_out_of_the_base() {
    let dir = tree();
    dir.write("secret", "s").write("beside/x", "x");
    let absolute = dir.path("t/a").to_str().unwrap().to_owned();
    // Files and directories, near and far, by relative and absolute targets; inside, what stays there.
    dir.write("t/sub/c", "three")
        .link("../secret", "t/file")
        .link("../../secret", "t/sub/file")
        .link("../beside", "t/directory")
        .link("/dev/null", "t/device")
        .link(&absolute, "t/absolute")
        .link("a", "t/inner")
        .link("sub", "t/way");
    let list = |above: &str| {
        let names = [
            ("a", "one"),
            ("b", "two"),
            ("file", "s"),
            ("sub/c", "three"),
            ("sub/file", "s"),
            ("inner", "one"),
            ("way/c", "three"),
        ];
        let more = [("directory/x", "x"), ("absolute", "one"), ("way/file", "s")];
        let names = names.into_iter().chain(more).map(|(name, content)| (format!("{above}{name}"), content));
        names.map(|(name, content)| format!("{}  {name}\n", digest("sha256", content))).collect::<String>()
    };
    let refused =
        |base: &str, name: &str| format!("{name}: leads out of --base {base}; leave out --base to follow it");
    dir.write("INNER", list("")).write("OUTER", list("t/"));
    for (base, above, manifest) in [("t", "", "INNER"), ("./t/", "", "INNER"), (".", "t/", "OUTER")] {
        let ran = dir
            .hashlane(["check", "--audit", "-L", "-a", "sha256", "--base", base, manifest])
            .args(if base == "." { &["--root", "t"][..] } else { &[] })
            .run();
        let printed = String::from_utf8(ran.stdout.clone()).unwrap();
        let out: &[&str] = match base {
            // All of it lies below the base, but for what is named from the root of all.
            "." => &["absolute"],
            _ => &["absolute", "directory/x", "file", "sub/file", "way/file"],
        };
        for name in
            ["a", "b", "inner", "sub/c", "way/c", "file", "sub/file", "way/file", "directory/x", "absolute"]
        {
            let verdict = if out.contains(&name) { "UNREADABLE" } else { "OK" };
            let line = format!("{above}{name}: {verdict}\n");
            assert!(printed.contains(&line), "{base}: no {line} in\n{printed}{}", ran.stderr);
        }
        assert!(
            ran.stderr.contains(&format!("leads out of --base {base}; leave out --base to follow it")),
            "{}",
            ran.stderr
        );
        ran.code(16);
    }
    // Nor are names of files out there reported, by an audit or by a check that is to be complete.
    dir.write("LIST", gnu(&[("a", "one"), ("b", "two"), ("sub/c", "three")]));
    for way in ["--audit", "--complete"] {
        let ran = dir.hashlane(["check", way, "-L", "-a", "sha256", "--base", "t", "LIST"]).run();
        assert!(!String::from_utf8_lossy(&ran.stdout).contains("directory/x"), "{way}");
        ran.code(17).said_among_others(&[&refused("t", "t/directory")]);
    }
}

#[test]
fn a_prefix_is_taken_off_with_all_slashes_and_whatever_dots_stand_before() {
    let dir = Dir::new();
    dir.write("old/a", "one").write("old/s/b", "two");
    for spelling in ["old", "old/", "old//", "./old", ".//old///"] {
        dir.hashlane(["sum", "-q", "-o", "LIST", spelling]).run().code(0);
        std::fs::rename(dir.path("old"), dir.path("moved")).unwrap();
        for prefix in ["old", "old/", "old//", "./old", "./old//"] {
            let names = ["-q", "-a", "sha256", "--base", "moved", "--strip-prefix", prefix];
            dir.hashlane(["check", "--audit", "LIST"]).args(names).run().code(0).printed("");
            dir.hashlane(["diff", "LIST", "moved"]).args(names).run().code(0).printed("");
        }
        let names = ["-q", "-a", "sha256", "--base", "moved", "--strip-prefix", "ol"];
        dir.hashlane(["check", "--audit", "LIST"]).args(names).run().code(3);
        std::fs::rename(dir.path("moved"), dir.path("old")).unwrap();
    }
    // The root of all is a prefix as well.
    dir.write("LIST", gnu(&[("/a", "one"), ("//s/b", "two")]));
    for prefix in ["/", "//"] {
        let names = ["-q", "-a", "sha256", "--base", "old", "--strip-prefix", prefix];
        dir.hashlane(["check", "--audit", "LIST"]).args(names).run().code(0).printed("");
        dir.hashlane(["diff", "LIST", "old"]).args(names).run().code(0).printed("");
    }
}

#[test]
fn a_root_that_is_neither_a_directory_nor_a_file_is_refused_at_once() {
    let dir = tree();
    dir.fifo("fifo");
    dir.link("fifo", "link").link("/dev/null", "device");
    let text = "is a pipe, socket or device; nothing was audited; name a directory or a file with --root";
    for root in ["fifo", "link", "device", "/dev/null"] {
        for more in [&[][..], &["-L"], &["--root", "t"]] {
            let running =
                dir.hashlane(["check", "--audit", "-a", "sha256", "--root", root, "LIST"]).args(more).start();
            let ran = running.wait_within(Duration::from_secs(60)).expect("nobody waits for a writer");
            ran.code(16).printed("").said(&[&format!("{root}: {text}")]);
        }
    }
    // The root of a header as well.
    let list = dir.hashlane(["sum", "-q", "--header", "t"]).run().code(0).stdout;
    dir.write("HEADED", String::from_utf8(list).unwrap());
    std::fs::remove_dir_all(dir.path("t")).unwrap();
    dir.fifo("t");
    let ran = dir.hashlane(["check", "--audit", "HEADED"]).start().wait_within(Duration::from_secs(60));
    ran.expect("nobody waits for a writer").code(16).said(&[&format!("t: {text}")]);
    // A file is a root.
    dir.write("file", "one").write("LIST", gnu(&[("file", "one")]));
    dir.hashlane(["check", "--audit", "-q", "-a", "sha256", "--root", "file", "LIST"]).run().code(0);
}

#[test]
fn where_no_listed_file_is_verified_it_is_doubtful_whatever_else_is_there() {
    let dir = Dir::new();
    dir.write("t/new", "1").write("LIST", gnu(&[("t/gone", "2")]));
    for (options, code) in [
        (&["--root", "t", "--complete", "--ignore-missing"][..], 17),
        (&["--root", "t", "--complete"], 3),
        (&["--root", "t", "--audit", "--ignore-missing"], 17),
        (&["--ignore-missing"], 16),
    ] {
        for quiet in [&[][..], &["-q"]] {
            let ran = dir.hashlane(["check", "-a", "sha256", "LIST"]).args(options).args(quiet).run();
            ran.code(code).said_among_others(&["no file was verified"]);
        }
    }
    // One that is verified is enough.
    dir.write("t/here", "3").write("LIST", gnu(&[("t/gone", "2"), ("t/here", "3")]));
    for way in ["--complete", "--audit"] {
        let options = [way, "--ignore-missing", "-a", "sha256", "--root", "t", "LIST"];
        let ran = dir.hashlane(["check"]).args(options).run().code(1);
        assert!(!ran.stderr.contains("no file was verified"), "{}", ran.stderr);
    }
}

#[test]
fn a_listed_file_that_is_there_is_not_missing_though_no_walk_finds_it() {
    let dir = tree();
    dir.write("beside/x", "x").link("../beside", "t/link").link("a", "t/of-a");
    dir.hashlane(["sum", "-q", "-L", "-o", "LIST", "t"]).run().code(0);
    let ran = audit(&dir, "LIST").run().code(0);
    ran.said_among_others(&[
        "audit passed: 4 OK by sha256; 4 files found, 4 listed",
        "skipped: 2 symbolic links",
    ]);
    dir.write("beside/x", "y");
    audit(&dir, "LIST").arg("-q").run().code(4).printed("t/link/x: CHANGED\n");
    std::fs::remove_file(dir.path("beside/x")).unwrap();
    audit(&dir, "LIST").arg("-q").run().code(2).printed("t/link/x: MISSING\n");
}

#[test]
fn what_cannot_be_looked_into_is_not_missing() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tree();
    dir.write("t/locked/x", "x");
    dir.hashlane(["sum", "-q", "-o", "LIST", "t"]).run().code(0);
    let locked = dir.path("t/locked");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    let ran = audit(&dir, "LIST").arg("-q").without_rights().run();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
    ran.code(16).printed("t/locked/x: UNREADABLE\n").said_among_others(&[
        "t/locked: Permission denied",
        "audit failed: 2 OK by sha256, 1 unreadable; 3 files found, 3 listed; 1 directory could not be searched",
    ]);
}

#[test]
fn a_directory_that_cannot_be_searched_is_counted() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tree();
    dir.make("t/locked");
    let locked = dir.path("t/locked");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    let ran = audit(&dir, "LIST").args(["--format", "json", "--root", "./t/"]).without_rights().run();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
    let summary = ran.objects().pop().unwrap();
    assert_eq!((summary["unsearched"].as_u64(), summary["passed"].as_bool()), (Some(1), Some(false)));
}

#[test]
fn a_root_that_is_named_twice_is_read_once() {
    let dir = tree();
    dir.write("t/sub/new", "new");
    let ran = audit(&dir, "LIST").args(["-q", "--root", "t/", "--root", "t/sub", "--root", "t/sub/.."]).run();
    ran.code(1).printed("t/sub/new: NEW\n").said_among_others(&["3 files, 9 B (9 B)"]);
    // Below each root globs mean other files.
    let ran = audit(&dir, "LIST").args(["-q", "--root", "t/sub", "--exclude", "/new"]).run();
    ran.code(1).printed("t/sub/new: NEW\n");
}

#[test]
fn names_that_a_check_does_not_find_are_not_found_by_an_audit_either() {
    let dir = tree();
    dir.write("LIST", gnu(&[("t/a/", "one"), ("t/b", "two")]));
    let check = |arguments: &[&str]| dir.hashlane(["check", "-a", "sha256", "LIST"]).args(arguments).run();
    check(&[]).code(2).printed("t/a/: FAILED open or read\nt/b: OK\n");
    audit(&dir, "LIST").run().code(3).printed("t/b: OK\nt/a: MOVED from t/a/\n");
    dir.make("t/sub").write("LIST", gnu(&[("t/sub/../a", "one"), ("t/b", "two")]));
    check(&[]).code(0).printed("t/sub/../a: OK\nt/b: OK\n");
    check(&["--complete", "--root", "t"]).code(0);
    audit(&dir, "LIST").run().code(0).printed("t/a: OK\nt/b: OK\n");
    dir.write("LIST", gnu(&[("t/none/../a", "one"), ("t/b", "two")]));
    check(&[]).code(2).printed("t/none/../a: FAILED open or read\nt/b: OK\n");
    audit(&dir, "LIST").run().code(3).printed("t/b: OK\nt/a: MOVED from t/none/../a\n");
}

#[test]
fn a_file_whose_line_is_damaged_is_listed_all_the_same() {
    let good = |algorithm: &str, content: &str| digest(algorithm, content);
    let cut = |digest: String| digest[1..].to_owned();
    let lists = [
        format!("{}  t/a\n{}  t/b\n", cut(good("sha256", "one")), good("sha256", "two")),
        format!("SHA256 (t/a) = {}\nSHA256 (t/b) = {}\n", cut(good("sha256", "one")), good("sha256", "two")),
        format!("SHA256 (t/b) = {}\nMD5 (t/a) = {}\n", good("sha256", "two"), good("md5", "one")),
        format!("path,sha256\nt/a,{}\nt/b,{}\n", cut(good("sha256", "one")), good("sha256", "two")),
        format!(
            "%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n3,{},t/a\n3,{},t/b\n",
            cut(good("sha256", "one")),
            good("sha256", "two")
        ),
    ];
    for list in lists {
        let dir = tree();
        dir.write("LIST", &list);
        let ran = audit(&dir, "LIST").run().code(16);
        let mut lines = ran.lines();
        lines.sort();
        assert_eq!(lines, [&b"t/a: UNVERIFIED (nothing to compare)\n"[..], b"t/b: OK\n"], "{list}");
        let complete = dir.hashlane(["check", "-a", "sha256", "--complete", "--root", "t", "LIST"]).run();
        complete.code(16).printed("t/b: OK\n");
        std::fs::remove_file(dir.path("t/a")).unwrap();
        audit(&dir, "LIST").arg("-q").run().code(16 | 2).printed("t/a: MISSING\n");
    }
}

#[test]
fn what_an_audit_passes_over_of_its_own_may_be_its_list() {
    let dir = Dir::new();
    dir.write("t/a", "one");
    dir.hashlane(["sum", "-q", "-o", "t/LIST", "t"]).run().code(0);
    let ran = dir.hashlane(["check", "--audit", "-a", "sha256", "--root", "t", "t/LIST"]).run().code(0);
    ran.said_among_others(&["skipped: 1 list or output file"]);
}

#[test]
fn a_root_that_is_absent_or_empty_stops_the_audit() {
    let dir = tree();
    std::fs::remove_dir_all(dir.path("t")).unwrap();
    audit(&dir, "LIST").run().code(16).printed("").said_among_others(&[
        "t: No such file or directory; nothing was audited; name where the files are with --root or --base",
    ]);
    dir.make("t/sub");
    audit(&dir, "LIST")
        .run()
        .code(16)
        .printed("")
        .said_among_others(&["there are no files below t: nothing is reported as missing"]);
}

#[test]
fn case_is_ignored_where_it_is_said_so() {
    let dir = tree();
    std::fs::rename(dir.path("t/a"), dir.path("t/A")).unwrap();
    audit(&dir, "LIST").arg("-q").run().code(3).printed("t/A: MOVED from t/a\n");
    audit(&dir, "LIST").args(["-q", "--ignore-case"]).run().code(0).printed("");
    audit(&dir, "LIST").arg("--ignore-case").run().code(0).printed("t/b: OK\nt/A: OK, listed as t/a\n");
}

#[test]
fn where_case_is_ignored_names_that_differ_in_case_only_are_files_of_their_own() {
    for other in ["one", "another"] {
        let dir = Dir::new();
        dir.write("t/A", "one").write("t/a", other);
        dir.hashlane(["sum", "-q", "-o", "LIST", "t"]).run().code(0);
        let run = || audit(&dir, "LIST").arg("--ignore-case").run();
        run().code(0).printed("t/A: OK\nt/a: OK\n");
        std::fs::remove_file(dir.path("t/a")).unwrap();
        let lost = if other == "one" { "t/a: DUPLICATE LOST, its content is in t/A" } else { "t/a: MISSING" };
        run().code(2).printed(format!("t/A: OK\n{lost}\n"));
    }
}

#[test]
fn missing_files_may_be_left_to_themselves() {
    let dir = tree();
    std::fs::remove_file(dir.path("t/a")).unwrap();
    audit(&dir, "LIST").args(["-q", "--ignore-missing"]).run().code(0).printed("");
}

#[test]
fn json_has_a_line_for_each_file_and_a_summary_that_adds_up() {
    let dir = tree();
    dir.write("t/a", "1").write("t/new", "n").write(b"t/odd\xff", "o");
    std::fs::remove_file(dir.path("t/b")).unwrap();
    let ran = audit(&dir, "LIST").args(["--format", "json"]).run().code(7);
    let mut lines = ran.objects();
    let summary = lines.pop().unwrap();
    let verdicts: Vec<_> =
        lines.iter().map(|line| (line["path"].as_str(), line["verdict"].as_str().unwrap())).collect();
    assert_eq!(
        verdicts.iter().map(|(_, verdict)| *verdict).collect::<Vec<_>>(),
        ["changed", "missing", "new", "new"]
    );
    assert!(lines.iter().all(|line| line["schema"] == "hashlane-audit" && line["version"] == 1));
    assert!(lines.iter().any(|line| line.get("path_b64").is_some()), "{lines:?}");
    let changed = &lines[0];
    assert_eq!(changed["path"], "t/a");
    assert_ne!(changed["listed"]["sha256"], changed["seen"]["sha256"]);
    assert_eq!((summary["inputs"].as_u64(), summary["known"].as_u64()), (Some(3), Some(2)));
    assert_eq!((summary["summary"]["new"].as_u64(), summary["passed"].as_bool()), (Some(2), Some(false)));
}

#[test]
fn entries_that_contradict_each_other_are_said_and_fail() {
    let dir = tree();
    let twice = gnu(&[("t/a", "one"), ("t/b", "two"), ("t/a", "other")]);
    dir.write("LIST", twice);
    let ran = audit(&dir, "LIST").arg("-q").run().code(16);
    ran.said_among_others(&["LIST: line 3: t/a "]);
}

#[test]
fn lists_that_contradict_each_other_come_to_the_same_in_any_order() {
    let dir = tree();
    dir.write("1", gnu(&[("t/a", "one"), ("t/b", "two")])).write("2", gnu(&[("t/a", "other")]));
    dir.write("3", gnu(&[("t/a", "one")]));
    let orders = [["1", "2", "3"], ["2", "1", "3"], ["2", "3", "1"], ["3", "1", "2"], ["1", "3", "2"]];
    for order in orders {
        let ran = audit(&dir, order[0]).args(&order[1..]).run().code(16);
        ran.printed("t/a: UNVERIFIED (nothing to compare)\nt/b: OK\n");
    }
}

#[test]
fn what_lists_no_files_of_a_tree_cannot_be_audited_against() {
    let dir = tree();
    dir.write("LIST", "# nothing\n");
    let ran = audit(&dir, "LIST").run();
    assert_ne!(ran.status.code(), Some(0), "{}", ran.stderr);
    ran.printed("");
}

#[test]
fn hashdeep_agrees_that_a_tree_is_as_its_own_list_says() {
    let dir = Dir::new();
    for (number, name) in
        ["plain", "with space", "with,comma", "ümlaut", "-dash", "(paren)"].into_iter().enumerate()
    {
        dir.write(format!("t/{name}"), number.to_string());
    }
    if !have("hashdeep") {
        return;
    }
    let list = dir
        .shell("hashdeep -r t > LIST && hashdeep -l -r t > RELATIVE && hashdeep -r -a -k LIST t")
        .run()
        .code(0);
    list.printed("hashdeep: Audit passed\n");
    for list in ["LIST", "RELATIVE"] {
        dir.hashlane(["check", "--audit", "-q", "--root", "t", list]).run().code(0).printed("");
    }
    // And it agrees on ours.
    dir.hashlane(["sum", "-q", "-a", "md5,sha256", "--manifest-format", "hashdeep", "-o", "OURS", "t"])
        .run()
        .code(0);
    dir.shell("hashdeep -l -r -a -k OURS t").run().code(0).printed("hashdeep: Audit passed\n");
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_unreadable_and_not_waited_for() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/b", "2").write("t/c", "2");
    dir.hashlane(["sum", "-q", "-o", "SHA256SUMS", "t"]).run().code(0);
    std::fs::remove_file(dir.path("t/b")).unwrap();
    dir.fifo("t/b");
    let ran = dir.hashlane(["check", "-q", "--audit", "--root", "t", "SHA256SUMS"]).run().code(16);
    ran.printed("t/b: UNREADABLE\n").said_among_others(&[
        "t/b: is a pipe, socket or device, which an audit does not read",
        "audit failed: 2 OK by sha256, 1 unreadable; 3 files found, 3 listed",
    ]);
}

/// A tree where some files are as listed and some were changed, moved and copied; and a list with so many more that the least
/// memory does not hold it.
fn large_list() -> Dir {
    let dir = Dir::new();
    let mut lines = Vec::new();
    for number in 0..40 {
        let content = format!("content {number}");
        dir.write(format!("t/{number:02}"), if number % 5 == 1 { "changed" } else { &content });
        let name = if number % 7 == 0 { format!("t/old/{number:02}") } else { format!("t/{number:02}") };
        lines.push(format!("{}  {name}\n", crate::work::digest("sha256", content.as_bytes())));
    }
    dir.write("t/copy", "content 2").write("t/new", "new").write("t/left.out", "left out");
    let digest = |content: &str| crate::work::digest("sha256", content.as_bytes());
    lines.push(format!("{}  t/lost\n{}  t/gone.out\n", digest("content 3"), digest("gone")));
    for number in 0..9000 {
        lines.push(format!("{}  t/missing/{:05}\n", digest(&number.to_string()), number * 7919 % 9000));
    }
    lines.reverse();
    dir.write("LIST", lines.concat())
        .write("AGAIN", format!("{}  t/39\n{}  t/38\n", digest("x"), digest("content 38")));
    dir
}

#[test]
fn an_audit_of_more_than_memory_holds_says_the_same() {
    let dir = large_list();
    for format in ["text", "json"] {
        let run = |memory: &str| {
            let ran = audit(&dir, "LIST")
                .args(["AGAIN", "--exclude", "*.out", "--format", format, "--memory", memory])
                .run()
                .code(1 | 2 | 4 | 16);
            let mut lines: Vec<Vec<u8>> =
                ran.stdout.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            lines.sort();
            let messages = ran.messages();
            let verdict =
                messages.iter().find(|message| message.starts_with("audit failed")).unwrap().clone();
            (lines, verdict, messages)
        };
        let (in_memory, on_disk) = (run("1GiB"), run("512KiB"));
        let text = |lines: &[Vec<u8>]| String::from_utf8(lines.join(&b'\n')).unwrap();
        assert!(text(&in_memory.0) == text(&on_disk.0), "{}\n{}", text(&in_memory.0), text(&on_disk.0));
        assert_eq!(in_memory.1, on_disk.1);
        assert!(in_memory.1.contains("5 moved, 1 copied, 1 duplicate lost, 2 new"), "{}", in_memory.1);
        let contradicts = |messages: &[String]| {
            messages.iter().filter(|line| line.contains("two different sha256 digests")).count()
        };
        assert_eq!((contradicts(&in_memory.2), contradicts(&on_disk.2)), (1, 1));
    }
}

#[test]
fn on_disk_verdicts_come_in_the_order_of_names_and_files_behind_links_are_found() {
    let dir = large_list();
    std::fs::create_dir(dir.path("elsewhere")).unwrap();
    dir.write("elsewhere/00000", "0");
    std::os::unix::fs::symlink("../elsewhere", dir.path("t/missing")).unwrap();
    let ran = audit(&dir, "LIST").args(["--memory", "512KiB"]).run();
    let lines: Vec<_> = std::str::from_utf8(&ran.stdout).unwrap().lines().collect();
    let names: Vec<_> = lines.iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert!(names.is_sorted());
    assert!(lines.contains(&"t/missing/00000: OK"), "{lines:?}");
}

#[test]
fn temporary_files_that_cannot_be_made_end_an_audit_and_name_the_way_out() {
    let dir = large_list();
    let ran = audit(&dir, "LIST").args(["--memory", "512KiB", "--temporary-directory", "nowhere"]).run();
    let messages = ran.messages();
    let said = "name a directory that is there by --temporary-directory, or give more --memory";
    assert!(messages.iter().any(|message| message.ends_with(said)), "{messages:?}");
    ran.code(74).printed("");
}
