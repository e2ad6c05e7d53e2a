//! `hashlane diff`: two manifests, or a manifest and a tree, in lines, JSON and exit codes.

use std::fmt::Write as _;

use crate::work::{Cmd, Dir, HASHLANE, digest, gnu, have, have_mounts};

fn diff(dir: &Dir, a: &str, b: &str) -> Cmd {
    dir.hashlane(["diff", "-a", "sha256", a, b])
}

/// Two lists as sha256sum writes them.
fn lists(a: &[(&str, &str)], b: &[(&str, &str)]) -> Dir {
    let dir = Dir::new();
    dir.write("A", gnu(a)).write("B", gnu(b));
    dir
}

#[test]
fn two_lists_of_the_same_are_the_same() {
    let dir = lists(&[("a", "1"), ("b", "2")], &[("b", "2"), ("./a", "1")]);
    diff(&dir, "A", "B")
        .run()
        .code(0)
        .printed("")
        .said(&["the same: 2 same; 2 names in A, 2 in B, 2 in both"]);
    diff(&dir, "A", "B").arg("-q").run().code(0).printed("").said(&[]);
}

#[test]
fn each_difference_has_its_line_and_its_code() {
    let dir = lists(
        &[("changed", "1"), ("missing", "2"), ("same", "3")],
        &[("changed", "one"), ("new", "4"), ("same", "3")],
    );
    diff(&dir, "A", "B")
        .run()
        .code(7)
        .printed("changed: CHANGED\nmissing: MISSING (only in A)\nnew: NEW (only in B)\n")
        .said(&["different: 1 same, 1 changed, 1 new, 1 missing; 3 names in A, 3 in B, 2 in both"]);
    diff(&dir, "A", "B").arg("--status").run().code(7).printed("").said(&[]);
    let details = format!(
        "changed: CHANGED\n    sha256 in A {}\n    sha256 in B {}\n",
        digest("sha256", "1"),
        digest("sha256", "one")
    );
    let ran = diff(&dir, "A", "B").arg("-v").run().code(7);
    assert!(ran.stdout.starts_with(details.as_bytes()), "{}", ran.stdout.escape_ascii());
    for (a, b, code) in [
        (&[("a", "1")][..], &[("a", "1"), ("b", "2")][..], 1),
        (&[("a", "1"), ("b", "2")], &[("a", "1")], 2),
        (&[("a", "1"), ("b", "2")], &[("a", "1"), ("b", "3")], 4),
    ] {
        diff(&lists(a, b), "A", "B").run().code(code);
    }
}

#[test]
fn content_that_differs_at_the_same_size_and_time_is_corrupt() {
    let dir = Dir::new();
    let row = |content: &str| {
        format!(
            "path,size_bytes,mtime,sha256\nf,{},2026-01-02T03:04:05Z,{}\n",
            content.len(),
            digest("sha256", content)
        )
    };
    dir.write("A.csv", row("one")).write("B.csv", row("two")).write("C.csv", row("three"));
    let ran = diff(&dir, "A.csv", "B.csv").run();
    ran.code(8).printed("f: CORRUPT (neither size nor time says that it was written)\n");
    diff(&dir, "A.csv", "C.csv").run().code(4).printed("f: CHANGED\n");
}

#[test]
fn whole_hours_between_the_times_of_two_listed_objects_are_an_edit_whatever_they_are_called() {
    let dir = Dir::new();
    let list = |name: &str, state: &str, hour: u8, content: &str| {
        format!(
            "{{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"{name}\",\"size_bytes\":1,\
             \"mtime\":\"2026-01-02T0{hour}:04:06Z\",\"digests\":{{\"sha256\":\"{}\"}}{state}}}\n",
            digest("sha256", content)
        )
    };
    let state = ",\"etag\":\"5d41\"";
    for (name, [of_a, of_b], is_object) in [
        ("f", ["", ""], false),
        ("d/s3:/f", ["", ""], false),
        ("f", [state, state], true),
        ("f", [state, ""], true),
        ("f", ["", state], true),
        ("s3://b/f", ["", ""], true),
        ("gs://b/f", ["", ""], true),
        ("az://b/f", ["", ""], true),
    ] {
        dir.write("A", list(name, of_a, 3, "a")).write("B", list(name, of_b, 4, "b"));
        let (code, word) = match is_object {
            true => (4, "CHANGED"),
            false => (8, "CORRUPT (neither size nor time says that it was written)"),
        };
        diff(&dir, "A", "B").run().code(code).printed(format!("{name}: {word}\n"));
    }
    // What a name loses does not matter.
    let strip = ["diff", "--strip-prefix", "s3://a/x", "--strip-prefix", "s3://b", "A", "B"];
    dir.write("A", list("s3://a/x/f", "", 3, "a")).write("B", list("s3://b/f", "", 4, "b"));
    dir.hashlane(strip).run().code(4).printed("f: CHANGED\n");
}

#[test]
fn one_digest_equal_and_another_not_is_a_collision() {
    let dir = Dir::new();
    let list =
        |sha1: &str| format!("MD5 (f) = {}\nSHA1 (f) = {}\n", digest("md5", "f"), digest("sha1", sha1));
    dir.write("A", list("f")).write("B", list("g"));
    diff(&dir, "A", "B").run().code(4).printed("f: COLLISION (one digest is the same, another is not)\n");
}

#[test]
fn what_cannot_be_compared_is_no_pass() {
    let dir = Dir::new();
    dir.write("A", format!("MD5 (f) = {}\n", digest("md5", "f")));
    dir.write("B", format!("SHA1 (f) = {}\n", digest("sha1", "f")));
    diff(&dir, "A", "B").run().code(16).printed("f: UNVERIFIED (nothing in common to compare)\n").said(&[
        "no file was compared: where names are the same, A and B have no algorithm in common",
        "different: 0 same, 1 unverified; 1 name in A, 1 in B, 1 in both",
    ]);
    let sized = |algorithm: &str| format!("path,size_bytes,{algorithm}\nf,1,{}\n", digest(algorithm, "f"));
    dir.write("A.csv", sized("md5")).write("B.csv", sized("sha1"));
    diff(&dir, "A.csv", "B.csv").run().code(16).printed("f: SIZE ONLY (no algorithm in common)\n");
}

#[test]
fn lists_that_share_no_name_or_no_file_are_a_failure() {
    let dir = lists(&[("old/a", "1"), ("old/b", "2")], &[("/new/a", "1"), ("/new/b", "2")]);
    dir.write("empty", "").write("comment", "# nothing\n");
    diff(&dir, "A", "B")
        .arg("-q")
        .run()
        .code(19)
        .said(&["no name is on both sides; if the files have moved, use --base or --strip-prefix"]);
    diff(&dir, "A", "B").args(["-q", "--strip-prefix", "old", "--strip-prefix=/new/"]).run().code(0);
    diff(&dir, "empty", "empty").run().code(16).printed("");
    diff(&dir, "A", "empty").run().code(16).printed("");
    diff(&dir, "comment", "comment").run().code(16).printed("");
    let ran = dir.hashlane(["diff", "-", "A", "-a", "sha256"]).input("").run().code(16).printed("");
    ran.said_among_others(&["standard input: "]);
}

#[test]
fn a_set_of_known_contents_is_a_list_for_a_list_and_none_for_a_tree() {
    let dir = Dir::new();
    let row = |content: &str| {
        format!(
            "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\n\
             \"{}\",\"{}\",\"{}\",\"f\",1,1,\"W\",\"\"\n",
            digest("sha1", content).to_uppercase(),
            digest("md5", content).to_uppercase(),
            digest("crc32", content).to_uppercase()
        )
    };
    dir.write("A", row("1")).write("B", row("2")).write("t/f", "1");
    dir.hashlane(["diff", "-q", "A", "A"]).run().code(0);
    dir.hashlane(["diff", "-q", "A", "B"]).run().code(4).printed("f: CHANGED\n");
    let ran = dir.hashlane(["diff", "-q", "A", "t"]).run().code(64);
    ran.said_among_others(&["A: a set of known contents (nsrl"]);
}

#[test]
fn a_name_that_is_listed_twice_is_one_or_a_conflict() {
    let dir = lists(&[("a", "1"), ("b", "2"), ("a", "1")], &[("a", "1"), ("b", "2")]);
    let ran = diff(&dir, "A", "B").run().code(0).printed("");
    ran.said(&["the same: 2 same; 2 names in A, 2 in B, 2 in both; 1 row of A repeats a name"]);
    let dir = lists(&[("a", "1"), ("b", "2"), ("a", "3")], &[("a", "1"), ("b", "2")]);
    let conflict = "a: CONFLICT (A lists two sha256 digests, on lines 1 and 3)\n";
    diff(&dir, "A", "B").run().code(4).printed(conflict);
    // As in a list, so in one that is sorted by md5 and sha256.
    let dir = Dir::new();
    let line = |algorithm: &str, name: &str| {
        format!("{} ({name}) = {}\n", algorithm.to_uppercase(), digest(algorithm, name))
    };
    let apart = ["md5", "sha256"].map(|algorithm| line(algorithm, "x") + &line(algorithm, "y")).concat();
    let together = ["x", "y"].map(|name| line("md5", name) + &line("sha256", name)).concat();
    dir.write("A", apart).write("B", together);
    dir.hashlane(["diff", "A", "B"]).run().code(0).printed("");
}

#[test]
fn a_tree_is_digested_as_the_list_on_the_other_side_is() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/d/b", "2").write("t/d.x", "3").write("t/-c )(,\\\u{e9}", "4");
    for format in ["gnu", "bsd", "hashdeep", "csv", "dfxml", "jsonl"] {
        if format == "dfxml" {
            dir.write("t/new\nline", "6").write(b"t/\xff", "5");
        }
        dir.hashlane(["sum", "-q", "-a", "md5", "--manifest-format", format, "-o", "LIST", "t"])
            .run()
            .code(0);
        dir.hashlane(["diff", "-q", "-a", "md5", "LIST", "t"]).run().code(0).printed("");
        dir.hashlane(["diff", "-q", "-a", "md5", "t", "LIST"]).run().code(0).printed("");
    }
    dir.write("t/a", "one").write("t/e", "6");
    std::fs::remove_file(dir.path("t/d/b")).unwrap();
    let lines = "t/a: CHANGED\nt/d/b: MISSING (only in A)\nt/e: NEW (only in B)\n";
    dir.hashlane(["diff", "-q", "-a", "md5", "LIST", "t"]).run().code(7).printed(lines);
    let lines = "t/a: CHANGED\nt/d/b: NEW (only in B)\nt/e: MISSING (only in A)\n";
    dir.hashlane(["diff", "-q", "-a", "md5", "t", "LIST"]).run().code(7).printed(lines);
}

#[test]
fn a_tree_is_known_by_all_its_names() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/d/b", "2").write("elsewhere/a", "1");
    dir.link("t", "lt");
    dir.link(".", "up");
    let whole = |name: &str| dir.path(name).to_str().expect("text").to_owned();
    let trees = ["t", "./t/", "lt", "up/t", "up/lt"].map(str::to_owned);
    let trees = [trees.to_vec(), ["t", "lt", "up/t"].map(whole).to_vec()].concat();
    for made_of in &trees {
        dir.hashlane(["sum", "-a", "sha256", "-o", "LIST", made_of]).run().code(0);
        for tree in &trees {
            dir.hashlane(["diff", "-qa", "sha256", "LIST", tree]).run().code(0).printed("");
        }
        if made_of.starts_with('/') {
            for (inside, tree) in [("t", "."), ("t/d", ".."), ("lt", "../lt")] {
                let list = whole("LIST");
                dir.shell(&format!("cd {inside} && \"$0\" diff -qa sha256 {list} {tree}"))
                    .run()
                    .code(0)
                    .printed("");
            }
        }
    }
    // What is not there is still missing, by the name that the tree was given; and what lies elsewhere is not in it.
    dir.write("LIST", gnu(&[("t/a", "1"), ("up/t/gone", "3"), ("elsewhere/a", "1"), ("t/d/b", "2")]));
    let printed = "elsewhere/a: MISSING (only in A)\nup/t/gone: MISSING (only in A)\n";
    diff(&dir, "LIST", "lt").run().code(2).printed(printed);
}

#[test]
fn a_base_and_a_tree_may_be_spelled_otherwise() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/d/b", "2").write("other/a", "1");
    dir.write("LIST", gnu(&[("a", "1"), ("d/b", "2")])).write("PART", gnu(&[("d/b", "2")]));
    dir.link("t", "lt");
    let whole = dir.path("t").to_str().expect("text").to_owned();
    let names = ["t", "t/", "./t", "lt", "lt/.", &whole];
    for base in names {
        for tree in names {
            dir.hashlane(["diff", "-qa", "sha256", "--base", base, "LIST", tree]).run().code(0).printed("");
            let below = format!("{tree}/d");
            dir.hashlane(["diff", "-qa", "sha256", "--base", base, "PART", &below]).run().code(0).printed("");
        }
        for outside in ["other", "t/../other", "."] {
            dir.hashlane(["diff", "-a", "sha256", "--base", base, "LIST", outside]).run().code(64).said(&[&format!(
                "--base {base}: {outside} is not below it; name the directory that the listed names are relative to"
            )]);
        }
    }
}

#[test]
fn secrets_of_urls_are_neither_shown_nor_compared() {
    let signed = |signature: &str| format!("https://h/k?X-Amz-Date=1&X-Amz-Signature={signature}");
    let (old, new) = (signed("secret1"), signed("secret2"));
    let dir = lists(
        &[("http://me:secret3@h/gone", "1"), (&old, "2")],
        &[(&new, "2"), ("https://h/new?a=1&token=secret4", "3")],
    );
    let names = ["http://...@h/gone", "https://h/new?a=1"];
    let text = format!("{}: MISSING (only in A)\n{}: NEW (only in B)\n", names[0], names[1]);
    let said = "different: 1 same, 1 new, 1 missing; 2 names in A, 2 in B, 1 in both";
    diff(&dir, "A", "B").run().code(3).printed(&text).said(&[said]);
    diff(&dir, "A", "B").arg("-z").run().code(3).printed(text.replace('\n', "\0"));
    for (arguments, printed) in [
        (&["--format", "names"][..], format!("{}\n", names[1])),
        (&["--format", "names", "-z"], format!("{}\0", names[1])),
        (&["--format", "rsync"], format!("*deleting   {}\n>f+++++++++ {}\n", names[0], names[1])),
    ] {
        diff(&dir, "A", "B").args(arguments).run().code(3).printed(printed);
    }
    let ran = diff(&dir, "A", "B").args(["--format", "json"]).run().code(3);
    let paths: Vec<_> =
        ran.objects().iter().filter_map(|line| line["path"].as_str().map(str::to_owned)).collect();
    assert_eq!(paths, names);
}

#[test]
fn names_are_brought_together_by_base_prefix_and_current_directory() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/b", "2").write("sub/LIST", gnu(&[("./a", "1"), ("b", "2")]));
    dir.write(
        "FULL",
        gnu(&[("a", "1"), ("b", "2")]).replace("  ", &format!("  {}/t/", dir.root().display())),
    );
    diff(&dir, "sub/LIST", "t").args(["--base", "t"]).run().code(0);
    diff(&dir, "sub/LIST", dir.path("t").to_str().unwrap()).arg("--base").arg(dir.path("t")).run().code(0);
    diff(&dir, "FULL", "t").run().code(0);
    diff(&dir, "FULL", "./t/").run().code(0);
    diff(&dir, "FULL", "t").args(["--base", "t", "--strip-prefix"]).arg(dir.path("t")).run().code(0);
    diff(&dir, "sub/LIST", "t").args(["--base", "sub"]).run().code(64);
    diff(&dir, "sub/LIST", "FULL").args(["--base", "t"]).run().code(64);
    // A tree that the current directory lies in keeps its order.
    dir.write("LIST", gnu(&[("../sub/LIST", ""), ("x", "")]));
    let ran = dir.shell("cd t && \"$0\" diff -a sha256 --format names ../LIST ..").run();
    let names = ["FULL", "LIST", "sub/LIST", "t/a", "t/b"];
    let names: String = names.iter().fold(String::new(), |mut names, name| {
        if *name != "LIST" {
            writeln!(names, "{}/{name}", dir.root().display()).unwrap();
        }
        names
    });
    ran.code(7).printed(names);
}

#[test]
fn of_what_lies_behind_a_link_nothing_is_said_unless_it_is_followed() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("elsewhere/b", "2").link("../elsewhere", "t/d").link("nowhere", "t/gone");
    dir.write("A", gnu(&[("t/a", "1"), ("t/d/b", "2"), ("t/gone", "3")]));
    diff(&dir, "A", "t").run().code(18).printed(
        "t/d/b: UNREADABLE (not a file, or behind a symbolic link (see --follow) or an unreadable directory)\n\
         t/gone: MISSING (only in A)\n",
    );
    let ran = diff(&dir, "A", "t").args(["--follow", "-q"]).run();
    assert!(
        ran.stdout.ends_with(b"t/gone: MISSING (only in A)\n")
            || ran.stdout.ends_with(b"t/gone: UNREADABLE\n")
    );
    assert!(!ran.stdout.starts_with(b"t/d/b"));
}

#[test]
fn what_cannot_be_read_is_neither_missing_nor_the_same() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/d/b", "2").write("t/f", "3");
    dir.write("A", gnu(&[("t/a", "1"), ("t/d/b", "2"), ("t/e", "0"), ("t/f", "3")]));
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |name: &str, mode| {
        std::fs::set_permissions(dir.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("t/d", 0o000);
    mode("t/f", 0o000);
    let ran = diff(&dir, "A", "t").without_rights().run();
    mode("t/d", 0o755);
    ran.code(18)
        .printed("t/d/b: UNREADABLE\nt/e: MISSING (only in A)\nt/f: UNREADABLE\n")
        .said_among_others(&["t/d: Permission denied", "t/f: Permission denied"]);
    mode("t", 0o000);
    let ran = diff(&dir, "A", "t").without_rights().run();
    mode("t", 0o755);
    ran.code(16).printed("").said_among_others(&["t: Permission denied"]);
    dir.make("empty");
    diff(&dir, "A", "empty")
        .run()
        .code(16)
        .printed("")
        .said_among_others(&["empty: there are no files below it"]);
    diff(&dir, "A", "none").run().code(16).printed("").said(&["none: No such file or directory"]);
    diff(&dir, "-", "-").run().code(64);
}

#[test]
fn files_that_were_bad_when_they_were_listed_are_doubtful() {
    let dir = Dir::new();
    dir.write("t/f", "f");
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "A.jsonl", "t/f"]).run().code(0);
    let text = String::from_utf8(dir.read("A.jsonl")).unwrap();
    assert!(text.contains("\"outcome\":\"read\""), "{text}");
    dir.write(
        "B.jsonl",
        text.replace("\"outcome\":\"read\"", "\"outcome\":\"unstable\",\"change\":\"grew\""),
    );
    let ran = diff(&dir, "A.jsonl", "B.jsonl").run();
    ran.code(16).printed("t/f: UNSTABLE (changed while it was read)\n");
}

#[test]
fn lines_that_are_not_understood_are_named_and_fail() {
    let dir = lists(&[("a", "1"), ("b", "2")], &[("a", "1"), ("b", "2")]);
    let bad = String::from_utf8(dir.read("A")).unwrap()
        + "0123456789abcdef0123456789abcdef0123456789abcdef  short\nno entry at all\n";
    dir.write("A", bad);
    let ran = diff(&dir, "A", "B").run().code(16).printed("");
    let said = ran.messages();
    assert!(said.iter().any(|line| line.starts_with("A: line 3: ")), "{said:?}");
    assert!(said.iter().any(|line| line.starts_with("A: 1 line that")), "{said:?}");
    dir.write("prose", gnu(&[("a", "1"), ("b", "2")]) + "no entry at all\n");
    diff(&dir, "prose", "B").run().code(0).said_among_others(&["prose: 1 line that lists no file"]);
    diff(&dir, "prose", "B").arg("--strict").run().code(16);
    diff(&dir, "B", "prose").arg("--warn").run().code(0).said_among_others(&["prose: line 3: "]);
    let crlf = String::from_utf8(dir.read("B")).unwrap().replace('\n', "\r\n");
    dir.write("CRLF", format!("\u{feff}{crlf}"));
    diff(&dir, "B", "CRLF").run().code(0);
    let utf16: Vec<u8> = format!("\u{feff}{crlf}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    dir.write("UTF16", utf16);
    diff(&dir, "UTF16", "B").run().code(0);
    diff(&dir, HASHLANE, "B").run().code(64);
}

#[test]
fn an_algorithm_that_one_side_tells_need_not_be_that_of_the_other() {
    let dir = Dir::new();
    dir.write("plain", gnu(&[("a", "1")]));
    let tagged = |content: &str| {
        format!("MD5 (a) = {}\nSHA256 (a) = {}\n", digest("md5", "2"), digest("sha256", content))
    };
    dir.write("tagged", tagged("1"));
    dir.hashlane(["diff", "plain", "tagged"])
        .run()
        .code(64)
        .said_among_others(&["plain: a digest of 32 bytes can be"]);
    diff(&dir, "plain", "tagged").run().code(0);
    let other = dir.read("plain");
    dir.hashlane(["diff", "tagged", "-", "-a", "sha256"]).input(other).run().code(0);
}

#[test]
fn json_is_an_object_a_line_and_counts_add_up() {
    let dir = lists(
        &[("a", "1"), ("b", "2"), ("b", "2"), ("c", "3")],
        &[("b", "two"), ("c", "3"), ("c", "4"), ("d", "5")],
    );
    let ran = diff(&dir, "A", "B").args(["--format", "json"]).run().code(7);
    let objects = ran.objects();
    let found: Vec<_> = objects[..objects.len() - 1]
        .iter()
        .map(|object| (object["path"].as_str().unwrap(), object["difference"].as_str().unwrap()))
        .collect();
    assert_eq!(found, [("a", "missing"), ("b", "changed"), ("c", "conflict"), ("d", "new")]);
    assert_eq!(objects[1]["a"]["sha256"], digest("sha256", "2"));
    assert_eq!(objects[1]["b"]["sha256"], digest("sha256", "two"));
    assert_eq!(objects[2]["b_lists"], "two sha256 digests, on lines 2 and 3");
    let last = objects.last().unwrap();
    let sum: u64 = last["summary"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(last["names"], sum);
    assert_eq!(
        (&last["a"]["rows"], &last["a"]["names"], &last["a"]["repeated"]),
        (&4.into(), &3.into(), &1.into())
    );
    assert_eq!(
        (&last["b"]["rows"], &last["b"]["names"], &last["b"]["conflicting"]),
        (&4.into(), &3.into(), &1.into())
    );
    assert_eq!(
        (&last["on_both"], &last["same"], &last["schema"]),
        (&2.into(), &false.into(), &"hashlane-diff".into())
    );
    diff(&dir, "A", "B").args(["--format", "json", "-z"]).run().code(64);
}

#[test]
fn odd_names_are_escaped_in_lines_and_not_before_nul() {
    let dir = Dir::new();
    dir.write("t/same", "s");
    dir.hashlane(["sum", "-q", "--tag", "-o", "A", "t"]).run().code(0);
    dir.write("t/a\nb", "1").write("t/#x", "2").write(b"t/\xff", "3").write("t/c\\d", "4");
    dir.hashlane(["diff", "-q", "A", "t"])
        .run()
        .code(1)
        .printed(b"t/#x: NEW (only in B)\n\\t/a\\nb: NEW (only in B)\n\\t/c\\\\d: NEW (only in B)\nt/\xff: NEW (only in B)\n");
    let names = |arguments: &[&str]| {
        dir.hashlane(["diff", "-q", "--base", "t", "--strip-prefix", "t", "A", "t"]).args(arguments).run()
    };
    names(&["-z"]).code(1).printed(
        b"#x: NEW (only in B)\0a\nb: NEW (only in B)\0c\\d: NEW (only in B)\0\xff: NEW (only in B)\0",
    );
    names(&["-0", "--format", "names"]).code(1).printed(b"./#x\0a\nb\0c\\d\0\xff\0");
    let ran = names(&["--format", "names"]).code(17);
    ran.printed(b"./#x\nc\\d\n\xff\n")
        .said(&["a\\nb: cannot be written as a line; use --zero, and rsync -0"]);
    names(&["--format", "rsync"])
        .code(1)
        .printed(b">f+++++++++ #x\n>f+++++++++ a\\#012b\n>f+++++++++ c\\d\n>f+++++++++ \\#377\n");
}

#[test]
fn the_list_for_rsync_is_what_rsync_does() {
    if !have("rsync") {
        return;
    }
    let dir = Dir::new();
    for (name, old, new) in [("a", "1", "1"), ("c", "old", "new"), ("d/s", "1", "22"), ("d/t", "x", "y")] {
        dir.write(format!("old/{name}"), old).write(format!("new/{name}"), new);
    }
    dir.write("old/gone", "g").write("new/#n", "n").write("new/a\nb \\#123", "n").write(b"new/\xff", "n");
    let set = |name: &str, seconds| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        dir.set_modified(name, time);
    };
    for name in ["a", "c", "d/s"] {
        set(&format!("old/{name}"), 1_000_000_000);
        set(&format!("new/{name}"), 1_000_000_000);
    }
    set("old/d/t", 1_000_000_000);
    set("new/d/t", 1_000_000_001);
    let list = |name: &str| {
        let script = format!("cd {name} && \"$0\" sum -q --manifest-format jsonl . > ../{name}.jsonl");
        dir.shell(&script).run().code(0);
    };
    list("old");
    list("new");
    let ours = dir.hashlane(["diff", "-q", "--format", "rsync", "old.jsonl", "new.jsonl"]).run();
    let lines = |bytes: &[u8]| {
        let mut lines: Vec<_> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        lines.retain(|line| line.starts_with(b">f") || line.starts_with(b"*deleting"));
        lines.sort();
        lines
    };
    let theirs = ["-rtni", "--checksum", "--delete", "new/", "old/"];
    let theirs = dir.command("rsync", theirs).env("LC_ALL", "C.UTF-8").run().code(0);
    assert_eq!(lines(&ours.stdout), lines(&theirs.stdout));
    // And what it is for: what is new or changed is brought over.
    let script = "\"$0\" diff -q -z --format names old.jsonl new.jsonl | rsync -a -0 --checksum --files-from=- new/ old/";
    dir.shell(script).run().code(0);
    list("old");
    dir.hashlane(["diff", "-q", "old.jsonl", "new.jsonl"])
        .run()
        .code(2)
        .printed("gone: MISSING (only in A)\n");
}

/// A list of so many rows that it does not fit into the least memory, in an order, and what it lists.
fn many(step: u64, changed: u64) -> String {
    const ROWS: u64 = 30_011;
    (0..ROWS).fold(String::new(), |mut text, place| {
        let number = place * step % ROWS;
        let content = if number == changed { 0 } else { number + 1 };
        writeln!(text, "SHA256 (d/{number:08}) = {content:064x}").unwrap();
        text
    })
}

#[test]
fn lists_that_do_not_fit_into_memory_are_sorted_in_files() {
    let dir = Dir::new();
    dir.write("sorted", many(1, u64::MAX)).write("shuffled", many(10_007, 12_345)).make("temporary");
    for (a, b) in [("sorted", "shuffled"), ("shuffled", "sorted"), ("-", "shuffled")] {
        let mut command =
            dir.hashlane(["diff", "--memory", "512KiB", "--temporary-directory", "temporary", a, b]);
        if a == "-" {
            command = command.input(dir.read("sorted"));
        }
        command.run().code(4).printed("d/00012345: CHANGED\n");
    }
    dir.hashlane(["diff", "--memory", "512KiB", "sorted", "sorted"]).run().code(0);
    // Nothing has to be written for what is in order, and nothing can be where there is no room.
    let nowhere =
        |a, b| dir.hashlane(["diff", "--memory", "512KiB", "--temporary-directory", "none", a, b]).run();
    nowhere("sorted", "sorted").code(0);
    nowhere("sorted", "shuffled").code(74).said(&[
        "none: No such file or directory (making a temporary file); name a directory that is there by --temporary-directory, or give more --memory",
    ]);
    dir.hashlane(["diff", "--memory", "1KiB", "sorted", "sorted"]).run().code(64);
    assert_eq!(std::fs::read_dir(dir.path("temporary")).unwrap().count(), 0);
}

#[test]
fn a_full_disk_under_the_temporary_files_is_an_error() {
    if !have_mounts() {
        return;
    }
    let dir = Dir::new();
    dir.write("shuffled", many(10_007, 1)).make("small");
    let script = "mount -t tmpfs -o size=256k none small && exec \"$0\" diff --memory 512KiB --temporary-directory small shuffled shuffled";
    let ran = dir.command("unshare", ["--mount", "bash", "-c", script, HASHLANE]).run().code(74);
    ran.printed("").said_among_others(&[
        "small: No space left on device (writing a temporary file); name a place with more room",
    ]);
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let dir = lists(&[("a", "1")], &[("a", "2")]);
    diff(&dir, "A", "B").args(["-o", "/dev/full"]).run().code(74);
    diff(&dir, "A", "B").args(["-o", "A"]).run().code(64);
    diff(&dir, "A", "B").args(["-o", "OUT"]).run().code(4).printed("");
    assert_eq!(dir.read("OUT"), b"a: CHANGED\n");
    let ran = diff(&dir, "A", "B").run_into_closed_pipe();
    ran.died_by(rustix::process::Signal::PIPE);
}

#[test]
fn a_list_that_never_comes_is_not_waited_for_after_a_signal() {
    let dir = Dir::new();
    dir.write("A", gnu(&[("a", "1")]));
    let fifo = dir.fifo("LIST");
    let running = diff(&dir, "LIST", "A").interruptible().start();
    // Opening it waits for the reader.
    let list = std::fs::File::options().write(true).open(fifo).unwrap();
    running.signal(rustix::process::Signal::INT);
    running.wait().died_by(rustix::process::Signal::INT).printed("");
    drop(list);
}

#[test]
fn a_comparison_with_a_tree_that_is_stopped_calls_nothing_missing() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("A", gnu(&[("t/a", "1"), ("t/z", "2")]));
    let big = std::fs::File::create(dir.path("t/b")).unwrap();
    big.set_len(1 << 40).unwrap();
    let mut running = diff(&dir, "A", "t").interruptible().args(["--progress", "json", "-o", "OUT"]).start();
    running.wait_for("\"digested_bytes\":");
    running.signal(rustix::process::Signal::INT);
    let ran = running.wait().died_by(rustix::process::Signal::INT).printed("");
    assert!(ran.stderr.contains("stopped after"), "{}", ran.stderr);
    assert!(!dir.has("OUT"));
    assert_eq!(dir.read("OUT.partial"), b"");
}

#[test]
fn what_is_listed_of_another_tree_is_only_in_the_list() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/b", "2").write("u/a", "1");
    dir.hashlane(["sum", "-q", "-o", "SHA256SUMS", "t"]).run().code(0);
    let ran = dir.hashlane(["diff", "SHA256SUMS", "u"]).run().code(19);
    ran.printed("t/a: MISSING (only in A)\nt/b: MISSING (only in A)\nu/a: NEW (only in B)\n");
    // And what is in its place in the tree is not a file, and so is not missing.
    std::fs::remove_file(dir.path("t/b")).unwrap();
    dir.fifo("t/b");
    let ran = dir.hashlane(["diff", "SHA256SUMS", "t"]).run().code(16);
    assert!(ran.stdout.starts_with(b"t/b: UNREADABLE (not a file, or behind"));
}
