//! What a manifest says of the run that wrote it: kept and read back, or refused; and what becomes of it with `--base`.

use serde_json::Value;

use crate::work::Dir;

/// A tree with something beside it that no list of it has.
fn tree() -> Dir {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/sub/b", "2").write("beside/c", "3");
    dir
}

/// The formats that are written, each with an algorithm that it takes.
fn formats(dir: &Dir) -> Vec<(String, &'static str)> {
    let formats = dir.hashlane(["formats", "--format", "json"]).run().code(0).stdout;
    let formats: Value = serde_json::from_slice(&formats).unwrap();
    let written = formats.as_array().unwrap().iter().filter(|format| format["write"] == true);
    let names = written.map(|format| format["name"].as_str().unwrap().to_owned());
    let algorithm = |name: &str| match name {
        "mhl" => "md5",
        "sfv" => "crc32",
        _ => "sha256",
    };
    names.map(|name| (algorithm(&name), name)).map(|(algorithm, name)| (name, algorithm)).collect()
}

#[test]
fn each_format_keeps_a_header_that_is_read_back_or_refuses_it() {
    let dir = tree();
    let (mut kept, mut refused) = (Vec::new(), Vec::new());
    for (format, algorithm) in formats(&dir) {
        let write = ["--header", "--manifest-format", &format, "-a", algorithm];
        let sum = dir.hashlane(["sum", "-q", "-o", "LIST", "t"]).args(write).run();
        if sum.status.code() != Some(0) {
            let a = if format == "ace" { "an" } else { "a" };
            sum.code(64).said(&[&format!(
                "{a} {format} manifest cannot store a header, which other programs would read as an entry; use jsonl, \
                 dfxml, bsd or gnu, or leave out the header"
            )]);
            assert!(!dir.has("LIST") && !dir.has("LIST.partial"), "{format}");
            dir.hashlane(["sum", "-q", "-o", "LIST", "t"]).args(&write[1..]).run().code(0);
            dir.hashlane(["convert", "LIST", "COPY"]).args(write).run().code(64);
            refused.push(format.clone());
        } else {
            let check = |list: &str, code| {
                let check =
                    ["check", "-q", "--complete", "--manifest-format", &format, "-a", algorithm, list];
                dir.hashlane(check).run().code(code)
            };
            check("LIST", 0);
            // So do conversions, which have it from the list.
            let convert = ["convert", "-q", "--from", &format, "--from-algorithm", algorithm, "LIST", "COPY"];
            dir.hashlane(convert).args(write).run().code(0);
            dir.write("t/new", "new");
            for list in ["LIST", "COPY"] {
                check(list, 1).printed("t/new: EXTRA (not listed)\n");
            }
            std::fs::remove_file(dir.path("t/new")).unwrap();
            kept.push(format.clone());
        }
        for list in ["LIST", "COPY"] {
            let _ = std::fs::remove_file(dir.path(list));
        }
    }
    println!("kept: {}, refused: {}", kept.len(), refused.len());
    assert_eq!(refused, ["ace", "csv"]);
    assert_eq!(kept.len(), 18, "{kept:?}");
}

#[test]
fn with_a_base_the_roots_of_the_header_lie_below_it() {
    let dir = Dir::new();
    for root in ["from", "to"] {
        dir.write(format!("{root}/t/a"), "1")
            .write(format!("{root}/u/b"), "2")
            .write(format!("{root}/v/c"), "3");
    }
    let script = "cd from && \"$0\" sum -q --header -o ../LIST t u/b && \"$0\" sum -q --header -o ../ALL .";
    dir.shell(script).run().code(0);
    let check = |arguments: &[&str], code| {
        let check = ["check", "-q", "-a", "sha256"];
        dir.hashlane(check).args(arguments).run().code(code)
    };
    for what in ["--complete", "--audit"] {
        let (extra, new) = match what {
            "--complete" => ("EXTRA (not listed)", "EXTRA (not listed)"),
            _ => ("NEW", "COPIED from t/a"),
        };
        for base in ["to", "to/", "./to", dir.path("to").to_str().unwrap()] {
            check(&[what, "--base", base, "LIST"], 0).printed("").said(&[]);
            check(&[what, "--base", base, "ALL"], 0);
            // What was asked for counts, relative to the base as all names are.
            check(&[what, "--base", base, "--root", ".", "LIST"], 1).printed(format!("v/c: {extra}\n"));
            check(&[what, "--base", base, "--root", "v", "--root", "t", "--root", "u", "LIST"], 1)
                .printed(format!("v/c: {extra}\n"));
        }
        dir.write("to/t/new", "1").write("to/u/beside", "4");
        check(&[what, "--base", "to", "LIST"], 1).printed(format!("t/new: {new}\n"));
        check(&[what, "--base", "to", "--exclude", "/new", "LIST"], 0).printed("");
        for name in ["to/t/new", "to/u/beside"] {
            std::fs::remove_file(dir.path(name)).unwrap();
        }
        for root in ["..", "/tmp", "t/../.."] {
            check(&[what, "--base", "to", "--root", root, "LIST"], 64)
                .said(&["--root: is relative to --base to, as names are, and must not lead out of it"]);
        }
    }
}

#[test]
fn a_root_of_a_header_does_not_lead_out_of_the_base() {
    let dir = Dir::new();
    dir.write("out/a", "1").make("base").link("../out", "base/t");
    dir.write("base/b", "2");
    let digest = crate::work::digest("sha256", "2");
    for root in ["t", "../out", "/out"] {
        dir.write("LIST", format!("# hashlane root: {root}\n# hashlane root: b\n{digest}  b\n"));
        for what in ["--complete", "--audit"] {
            let ran = dir.hashlane(["check", what, "-a", "sha256", "--base", "base", "LIST"]).run();
            if root == "t" {
                let messages = ran.code(16).messages();
                assert_eq!(messages[0], "t: leads out of --base base; leave out --base to follow it");
            } else {
                // Of another machine, or no place at all: the whole base is searched.
                ran.code(0).printed("b: OK\n");
            }
        }
    }
}

#[test]
fn less_than_the_base_is_searched_only_if_the_roots_are_those_of_all_that_is_listed() {
    let dir = Dir::new();
    dir.write("base/t/x", "1").write("base/u/y", "2").write("base/t/new", "3").write("base/v/other", "4");
    let line = |name: &str, of: &str| format!("{}  {name}\n", crate::work::digest("sha256", of));
    let root = |root: &str| format!("# hashlane root: {root}\n");
    let (t, u) = (line("t/x", "1"), line("u/y", "2"));
    dir.write("T", root("t") + &t).write("U", root("u") + &u).write("BARE", &u).write("BARE-T", &t);
    // Roots of another machine, or that climb out, beside one that lies below the base.
    dir.write("ABSOLUTE", root("/elsewhere/t") + &root("u") + &t);
    dir.write("CLIMBS", root("../t") + &root("u") + &u);
    // Concatenations of a list with a header and one without.
    dir.write("BEFORE", root("t") + &t + &u).write("AFTER", u.clone() + &root("t") + &t);
    let all: &[&[&str]] = &[
        &["ABSOLUTE"],
        &["CLIMBS"],
        &["BEFORE"],
        &["AFTER"],
        &["T", "BARE"],
        &["BARE", "T"],
        &["T", "BARE-T"],
    ];
    for what in ["--complete", "--audit"] {
        let check = |lists: &[&str]| {
            let check = ["check", "-q", what, "-a", "sha256", "--base", "base"];
            let printed = dir.hashlane(check).args(lists).run().code(1).stdout;
            String::from_utf8(printed).unwrap()
        };
        for &lists in all {
            let printed = check(lists);
            assert!(
                printed.contains("t/new: ") && printed.contains("v/other: "),
                "{what} {lists:?}: {printed}"
            );
        }
        // As standard input too, which is not read twice.
        let piped = dir.shell("cat T BARE | \"$0\" check -q -a sha256 --base base \"$1\"").arg(what);
        let printed = piped.run().code(1).stdout;
        assert!(String::from_utf8(printed).unwrap().contains("v/other: "), "{what}");
        // Each with its header: what lies in no root is not looked at.
        let printed = check(&["T", "U"]);
        assert!(printed.contains("t/new: ") && !printed.contains("v/other"), "{what}: {printed}");
    }
}

#[test]
fn the_roots_of_a_header_lose_the_prefix_as_names_do() {
    let dir = Dir::new();
    dir.write("base/t/x", "1").write("base/u/beside", "2").write("base/old/t/x", "1");
    let digest = crate::work::digest("sha256", "1");
    let audit = |root: &str, prefix: &str, base: &[&str]| {
        dir.write("LIST", format!("# hashlane root: {root}\n{digest}  {}/x\n", root.trim_end_matches('/')));
        let audit = ["check", "-q", "--audit", "-a", "sha256", "--strip-prefix", prefix];
        dir.hashlane(audit).args(base).arg("LIST").run()
    };
    for (root, prefix) in [("/old/t", "/old"), ("/old/t/", "/old/"), ("old/t", "old"), ("/old/t", "/")] {
        audit(root, prefix, &["--base", "base"]).code(0).printed("");
    }
    // Without a base they begin here.
    dir.write("t/x", "1").write("u/beside", "2");
    audit("/old/t", "/old", &[]).code(0).printed("");
    // The prefix itself is where all names begin by now.
    audit("/old/t", "/old/t", &["--base", "base/t"]).code(0).printed("");
}
