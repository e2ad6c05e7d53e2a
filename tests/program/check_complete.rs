//! `hashlane check --complete` finds what is not listed; `--base` keeps names in.

use crate::work::{Dir, digest, gnu};

/// A tree whose manifest lists one file that is there and one that is not; two more are there.
fn tree() -> Dir {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/new", "3").write("t/sub/new", "4").make("t/empty");
    dir.write("SHA256SUMS", gnu(&[("t/a", "1")]));
    dir
}

const EXTRAS: &str = "t/a: OK\nt/new: EXTRA (not listed)\nt/sub/new: EXTRA (not listed)\n";

#[test]
fn extra_files_missing_ones_and_both_have_their_codes() {
    let dir = tree();
    let check = || dir.hashlane(["check", "--complete", "--root", "t", "SHA256SUMS"]).run();
    check().code(1).printed(EXTRAS).said(&["1 OK by sha256, 2 extra; 1 file, 1 B (1 B)"]);
    dir.write("SHA256SUMS", gnu(&[("t/a", "1"), ("t/gone", "2")]));
    check().code(3);
    dir.write("SHA256SUMS", gnu(&[("t/a", "1"), ("t/gone", "2"), ("t/new", "3"), ("t/sub/new", "4")]));
    check().code(2);
    dir.write("t/gone", "2");
    check().code(0).said(&["4 OK by sha256; 4 files, 4 B (4 B)"]);
}

#[test]
fn without_a_root_the_current_directory_is_searched() {
    let dir = tree();
    dir.write("beside", "5");
    let ran = dir.hashlane(["check", "--complete", "SHA256SUMS"]).run().code(1);
    ran.printed(
        "t/a: OK\nbeside: EXTRA (not listed)\nt/new: EXTRA (not listed)\nt/sub/new: EXTRA (not listed)\n",
    );
    // An audit calls them the same.
    let ran = dir.hashlane(["check", "--audit", "--root", ".", "SHA256SUMS"]).run().code(1);
    ran.printed("t/a: OK\nbeside: NEW\nt/new: NEW\nt/sub/new: NEW\n");
}

#[test]
fn the_roots_of_a_header_are_searched() {
    let dir = tree();
    dir.write("beside", "5").write("u/x", "6");
    dir.hashlane(["sum", "-q", "--header", "-o", "LIST", "t/sub", "u"]).run().code(0);
    dir.write("u/y", "7");
    dir.hashlane(["check", "-q", "--complete", "LIST"]).run().code(1).printed("u/y: EXTRA (not listed)\n");
    // Also those that stand further down, where manifests were concatenated.
    dir.shell("\"$0\" sum -q --header t > one && \"$0\" sum -q --header u > two && cat one two > both")
        .run()
        .code(0);
    dir.write("t/z", "8").write("u/z", "9");
    dir.hashlane(["check", "-q", "--complete", "both"])
        .run()
        .code(1)
        .printed("t/z: EXTRA (not listed)\nu/z: EXTRA (not listed)\n");
}

#[test]
fn roots_may_be_given_more_than_once_and_lie_in_each_other() {
    let dir = tree();
    let root = dir.root().join("t").to_str().unwrap().to_owned();
    let ran = dir.hashlane([
        "check",
        "--complete",
        "--root",
        "t",
        "--root",
        "t/sub",
        "--root",
        &root,
        "SHA256SUMS",
    ]);
    ran.run().code(1).printed(EXTRAS);
}

#[test]
fn a_root_may_be_absolute_where_names_are_relative() {
    let dir = tree();
    let root = dir.root().canonicalize().unwrap().join("t").to_str().unwrap().to_owned();
    dir.hashlane(["check", "-q", "--complete", "--root", &root, "SHA256SUMS"])
        .run()
        .code(1)
        .printed("t/new: EXTRA (not listed)\nt/sub/new: EXTRA (not listed)\n");
}

#[test]
fn a_manifest_of_absolute_names_must_be_given_a_root() {
    let dir = tree();
    let root = dir.root().canonicalize().unwrap();
    let list = dir.hashlane(["sum".as_ref(), "-q".as_ref(), root.join("t").as_os_str()]).run().code(0);
    dir.write("SHA256SUMS", &list.stdout).write("t/x", "5");
    let ran = dir.hashlane(["check", "-q", "--complete", "SHA256SUMS"]).run().code(64).printed("");
    ran.said(&["all names in the manifest are absolute; name where to look with --root DIR"]);
    // What an audit found in the current directory would say nothing of them.
    let ran = dir.hashlane(["check", "--audit", "-a", "sha256", "SHA256SUMS"]).run().code(64).printed("");
    ran.said(&["all names in the manifest are absolute; name where to look with --root DIR"]);
    let root = root.join("t").to_str().unwrap().to_owned();
    dir.hashlane(["check", "-q", "--complete", "--root", &root, "SHA256SUMS"])
        .run()
        .code(1)
        .printed(format!("{root}/x: EXTRA (not listed)\n"));
}

#[test]
fn a_root_that_cannot_be_searched_is_no_success() {
    let dir = tree();
    dir.hashlane(["check", "-q", "--complete", "--root", "nowhere", "SHA256SUMS"])
        .run()
        .code(16)
        .printed("nowhere: FAILED open or read\n")
        .said(&["nowhere: No such file or directory", "1 OK by sha256, 1 unreadable; 1 file, 1 B (1 B)"]);
}

#[test]
fn what_is_no_file_is_no_extra_but_counted() {
    let dir = tree();
    dir.link("a", "t/link").link("nowhere", "t/dangling");
    dir.fifo("t/sub/fifo");
    dir.hashlane(["check", "--complete", "--root", "t", "SHA256SUMS"])
        .run()
        .code(1)
        .printed(EXTRAS)
        .said(&["skipped: 2 symbolic links, 1 special file", "1 OK by sha256, 2 extra; 1 file, 1 B (1 B)"]);
}

#[test]
fn extras_are_not_looked_for_where_a_manifest_could_not_be_read() {
    let dir = tree();
    dir.hashlane(["check", "--complete", "--root", "t", "SHA256SUMS", "nowhere"])
        .run()
        .code(16)
        .printed("t/a: OK\n")
        .said(&[
            "nowhere: No such file or directory",
            "unlisted files were not looked for, because not all manifests could be read",
            "1 OK by sha256; 1 file, 1 B (1 B)",
        ]);
}

#[test]
fn a_root_without_complete_is_a_usage_error() {
    let ran = tree().hashlane(["check", "--root", "t", "SHA256SUMS"]).run().code(64);
    assert!(ran.stderr.contains("--complete"), "{}", ran.stderr);
}

#[test]
fn with_a_base_names_are_relative_to_it_and_it_is_searched() {
    let dir = tree();
    dir.write("SHA256SUMS", gnu(&[("a", "1"), ("./sub//new", "4")]));
    for base in ["t", "t/", "./t"] {
        dir.hashlane(["check", "--base", base, "SHA256SUMS"])
            .run()
            .code(0)
            .printed("a: OK\n./sub//new: OK\n");
        dir.hashlane(["check", "-q", "--complete", "--base", base, "SHA256SUMS"])
            .run()
            .code(1)
            .printed("new: EXTRA (not listed)\n");
    }
}

#[test]
fn with_a_base_no_name_leads_out_of_it() {
    let dir = tree();
    dir.write("outside", "5").link("../outside", "t/link").link("a", "t/inner").link("..", "t/up");
    let absolute = dir.path("outside").to_str().unwrap().to_owned();
    let names = ["../outside", "link", "up/outside", &absolute, "sub/../../outside", "inner", "a"];
    let list: String = names.iter().map(|name| format!("{}  {name}\n", digest("sha256", "1"))).collect();
    dir.write("SHA256SUMS", list);
    let ran = dir.hashlane(["check", "--base", "t", "SHA256SUMS"]).run().code(16);
    let refused = |name: &str| format!("{name}: leads out of --base t; leave out --base to follow it");
    let mut messages: Vec<String> = names[..5].iter().map(|name| refused(name)).collect();
    messages.push("2 OK by sha256, 5 unreadable; 2 files, 2 B (2 B)".into());
    assert_eq!(ran.messages(), messages);
    let failed: String = names[..5].iter().map(|name| format!("{name}: FAILED open or read\n")).collect();
    ran.printed(format!("{failed}inner: OK\na: OK\n"));
}

#[test]
fn absolute_names_that_begin_with_the_base_are_relative_to_it() {
    let dir = tree();
    let absolute = dir.path("t").to_str().unwrap().to_owned();
    for base in ["t", "./t/", &absolute] {
        dir.write("SHA256SUMS", gnu(&[(&format!("{absolute}/a"), "1"), (&format!("{absolute}//new"), "3")]));
        let check = dir.hashlane(["check", "--base", base, "SHA256SUMS"]).run();
        check.code(0).printed("a: OK\nnew: OK\n");
        // What has gone is not the content of another one.
        dir.write("SHA256SUMS", gnu(&[(&format!("{absolute}/a"), "1"), (&format!("{absolute}/gone"), "3")]));
        let check = dir.hashlane(["check", "--base", base, "SHA256SUMS"]).run();
        check.code(2).printed("a: OK\ngone: FAILED open or read\n");
    }
}

#[test]
fn a_lost_directory_is_not_looked_for_in_the_one_above_it() {
    let dir = Dir::new();
    let all = [("t/t/a", "1"), ("t/t/sub/b", "2")];
    for (name, content) in all {
        dir.write(name, content);
    }
    // Of files of `t/t`, by a run within `t`, with and without a header.
    dir.shell("cd t && $0 sum -q -o ../LIST t && $0 sum -q --header --manifest-format jsonl -o ../HEADED t")
        .run()
        .code(0);
    let absolute = dir.path("t").to_str().unwrap().to_owned();
    for lost in ["rm -r t/t && mkdir t/sub && printf 1 > t/a && printf 2 > t/sub/b", "true"] {
        // The first time the names are those of what is there, and the second time of what is not: copies lie above it.
        for base in ["t", "./t/", &absolute] {
            for list in ["LIST", "HEADED"] {
                let check = dir.hashlane(["check", "-a", "sha256", "--base", base, list]).run();
                let is_there = dir.path("t/t").exists();
                let verdict = if is_there { "OK" } else { "FAILED open or read" };
                let printed = format!("t/a: {verdict}\nt/sub/b: {verdict}\n");
                let ran = check.code(if is_there { 0 } else { 2 }).printed(printed);
                let above = if base == absolute { dir.root().to_str().unwrap() } else { "." };
                let hint = format!(
                    "all listed names begin with t/; name the directory above it with --base {above}"
                );
                assert_eq!(ran.messages().contains(&hint), !is_there, "{base}: {}", ran.stderr);
            }
        }
        dir.shell(lost).run().code(0);
    }
    // Neither does who compares, audits or imports.
    let check = |more: &[&str]| dir.hashlane(["check", "-a", "sha256", "--base", "t"]).args(more).run();
    check(&["--complete", "LIST"]).code(3);
    let ran = check(&["--audit", "LIST"]).code(3).printed("a: MOVED from t/a\nsub/b: MOVED from t/sub/b\n");
    let hint = "LIST: all listed names begin with t/, which is not there; --strip-prefix t takes it off";
    ran.said_among_others(&[hint]);
    check(&["--audit", "--strip-prefix", "t", "LIST"]).code(0).printed("a: OK\nsub/b: OK\n");
    let diff = dir.hashlane(["diff", "-a", "sha256", "--base", "t", "LIST", "t"]).run().code(19);
    diff.said_among_others(&[
        "no name is on both sides; if the files have moved, use --base or --strip-prefix",
    ]);
    dir.keeper(["collection", "add", "c", "t", "--algorithm", "sha256"]).run().code(0);
    let imported = dir.keeper(["collection", "import", "c", "LIST"]).run().code(0);
    imported.said_among_others(&["warning: none of the names is that of a file of the collection; the lists may be of another directory; --strip-prefix takes away what their names begin with"]);
    dir.keeper(["audit", "c"]).run().code(2);
}

#[test]
fn a_list_of_another_place_is_refused_below_a_base() {
    let dir = tree();
    dir.write("ABSOLUTE", gnu(&[("/old/t/a", "1"), ("/old/t/new", "3")]));
    dir.write("OBJECTS", gnu(&[("s3://old/t/a", "1"), ("s3://old/t/new", "3")]));
    let outside = "ABSOLUTE: /old/t/a does not lie below t; name the directory or prefix that it lies in, or take off what the names begin with by --strip-prefix";
    let object = "OBJECTS: s3://old/t/a is an object, and t is a directory; name the prefix that it was listed from, or take off what the names begin with by --strip-prefix";
    for (list, prefix, message) in [("ABSOLUTE", "/old/t", outside), ("OBJECTS", "s3://old/t", object)] {
        for what in [&[][..], &["--complete"], &["--audit"]] {
            let check =
                |more: &[&str]| dir.hashlane(["check", "--base", "t", list]).args(what).args(more).run();
            check(&[]).code(64).printed("").said_among_others(&[message]);
            check(&["-a", "sha256"]).code(64).printed("").said_among_others(&[message]);
            // One more is there.
            check(&["--strip-prefix", prefix]).code(i32::from(!what.is_empty()));
        }
        let diff = |more: &[&str]| {
            dir.hashlane(["diff", "-q", "-a", "sha256", "--base", "t", list, "t"]).args(more).run()
        };
        diff(&[]).code(64).printed("").said(&[message]);
        diff(&["--strip-prefix", prefix]).code(1);
        // A pipe is read once.
        let piped = dir.hashlane(["check", "-a", "sha256", "--base", "t"]).input(dir.read(list)).run();
        piped.code(64).printed("").said_among_others(&[&message.replace(list, "standard input")]);
    }
}

#[test]
fn objects_are_never_missing_files() {
    let dir = tree();
    dir.write("OBJECTS", gnu(&[("s3://b/a", "1")])).write("MIXED", gnu(&[("t/a", "1"), ("s3://b/a", "1")]));
    let piped = |list: &str, more: &[&str]| {
        dir.hashlane(["check", "-a", "sha256"]).args(more).input(dir.read(list)).run()
    };
    for more in [&[][..], &["--complete"], &["--audit"], &["--ignore-missing"]] {
        let ran = piped("OBJECTS", more).code(64).printed("");
        ran.said_among_others(&["standard input: s3://b/a is an object, and files are looked for; write the list to a file, which is looked at beforehand, and name no directory"]);
    }
    let ran = dir.hashlane(["check", "MIXED"]).run().code(16);
    ran.printed("t/a: OK\ns3://b/a: FAILED open or read\n")
        .said_among_others(&["s3://b/a: is the name of an object, and files are looked for"]);
    let ran = dir.hashlane(["check", "--audit", "-q", "--root", "t/a", "MIXED"]).run().code(16);
    ran.said_among_others(&["MIXED: line 2: s3://b/a is the name of an object, and files are looked for"]);
    let diff = |list: &str| dir.hashlane(["diff", "-q", "-a", "sha256", list, "t/sub"]).run();
    diff("OBJECTS").code(64).printed("");
    let ran = dir.hashlane(["diff", "-q", "-a", "sha256", "MIXED", "t"]).run();
    ran.said_among_others(&["MIXED: line 2: s3://b/a is the name of an object, and files are looked for"]);
}

#[test]
fn a_base_that_the_names_begin_with_is_one_too_deep() {
    let dir = tree();
    dir.write("SHA256SUMS", gnu(&[("t/a", "1"), ("./t/new", "3")]));
    let hint = |above: &str| {
        format!("all listed names begin with t/; name the directory above it with --base {above}")
    };
    let absolute = dir.path("t").to_str().unwrap().to_owned();
    for (base, above) in [("t", "."), ("./t/", "."), (&absolute, dir.root().to_str().unwrap())] {
        for options in [&[][..], &["--ignore-missing"]] {
            let ran = dir.hashlane(["check", "--base", base, "SHA256SUMS"]).args(options).run();
            assert!(ran.messages().contains(&hint(above)), "{base}: {}", ran.stderr);
        }
    }
    dir.hashlane(["check", "--base", ".", "SHA256SUMS"]).run().code(0);
    // Where one of them is there, or begins otherwise, it is as named.
    for other in ["new", "gone"] {
        dir.write("SHA256SUMS", gnu(&[("t/a", "1"), (other, "3")]));
        let ran = dir.hashlane(["check", "--base", "t", "SHA256SUMS"]).run();
        assert!(!ran.stderr.contains("begin with"), "{}", ran.stderr);
    }
}

#[test]
fn a_base_that_is_none_is_said() {
    let dir = tree();
    let said = |base: &str, code: i32, message: &str| {
        dir.hashlane(["check", "--base", base, "SHA256SUMS"]).run().code(code).printed("").said(&[message]);
    };
    said("nowhere", 16, "--base nowhere: No such file or directory");
    said(
        "t/a",
        64,
        "--base t/a: is not a directory; name the directory that the listed names are relative to",
    );
}

#[test]
fn without_a_base_names_lead_anywhere_as_with_coreutils() {
    let dir = tree();
    dir.write("outside", "5");
    let absolute = dir.path("outside").to_str().unwrap().to_owned();
    dir.write("SHA256SUMS", gnu(&[("t/../outside", "5"), (&absolute, "5")]));
    dir.hashlane(["check", "SHA256SUMS"])
        .run()
        .code(0)
        .printed(format!("t/../outside: OK\n{absolute}: OK\n"));
}

#[test]
fn names_alone_are_compared_where_that_is_asked_for() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/b", "2").write("t/c", "3");
    // Neither its digest nor that of a length that several algorithms have matters.
    dir.write("LIST", gnu(&[("t/a", "1"), ("t/b", "other"), ("t/gone", "4")]));
    let check = |options: &[&str]| dir.hashlane(["check", "--names-only", "LIST"]).args(options).run();
    let missing = "t/gone: FAILED open or read\n";
    check(&[]).code(2).printed(missing).said_among_others(&["2 there, 1 missing; no content was compared"]);
    let extra = format!("{missing}t/c: EXTRA (not listed)\n");
    let ran = check(&["--complete", "--root", "t"]).code(3).printed(extra);
    ran.said_among_others(&["2 there, 1 missing, 1 extra; no content was compared"]);
    check(&["--ignore-missing"]).code(0).printed("").said(&["2 there; no content was compared"]);
    check(&["--ignore-missing", "-q"]).code(0).printed("").said(&[]);
    check(&["--exclude", "*"]).code(16).said_among_others(&["no listed file is there"]);
    check(&["--base", "t"]).code(2).said_among_others(&["2 of 3 missing files are there without t"]);
    check(&["--base", "t", "--strip-prefix", "t"]).code(2).printed("gone: FAILED open or read\n");
    check(&["--audit"]).code(64);
    // A name that leads out of the base is not there, and a line that lists a file without a digest is one without.
    dir.write("LIST", gnu(&[("../t/a", "1"), ("a", "1")]) + "12345678901234567890123456789012  b\n");
    check(&["--base", "t"]).code(16);
    dir.fifo("t/pipe");
    dir.write("LIST", gnu(&[("t/pipe", "1")]));
    check(&[]).code(0);
    // Neither rights nor digests are asked for, and `-` is a name like others. A name that is too long has no file.
    let long = "x".repeat(300);
    dir.write("t/caf\u{e9}", "1").shell("chmod 000 t/a").run().code(0);
    let of_unknown_length =
        "SHA256 (t/a) = ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\n";
    dir.write("LIST", of_unknown_length);
    dir.hashlane(["check", "--names-only", "LIST"]).without_rights().run().code(0);
    dir.write("LIST", gnu(&[("t/cafe\u{301}", "other"), (&long, "1")]));
    let ran = check(&["--normalize", "--format", "json"]).code(16);
    assert_eq!(ran.objects().last().unwrap()["there"], 1);
    dir.write("LIST", gnu(&[("-", "other")]));
    dir.hashlane(["check", "--names-only", "LIST"]).input("other").run().code(2);
}
