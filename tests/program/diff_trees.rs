//! `hashlane diff` of two directories: sizes first, and contents where those are equal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use crate::work::{Cmd, Dir};

fn diff(dir: &Dir) -> Cmd {
    dir.hashlane(["diff", "a", "b"])
}

#[test]
fn only_files_of_the_same_size_are_read() {
    let dir = Dir::new();
    dir.write("a/same", "1").write("b/same", "1").write("a/sub/longer", "12").write("b/sub/longer", "1");
    dir.write("a/only", "0123456789")
        .write("b/sub/new", "0123456789")
        .write("a/unlike", "1")
        .write("b/unlike", "2");
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    dir.set_modified("a/unlike", then).set_modified("b/unlike", then).set_modified("a/sub/longer", then);
    diff(&dir)
        .run()
        .code(15)
        .printed(
            "only: MISSING (only in A)\nsub/longer: CHANGED\nsub/new: NEW (only in B)\n\
             unlike: CORRUPT (neither size nor time says that it was written)\n",
        )
        .said_among_others(&[
            "different: 1 same, 1 changed, 1 corrupt, 1 new, 1 missing; 4 names in A, 4 in B, 3 in both",
            "4 files, 4 B (4 B)",
        ]);
    let longer = &diff(&dir).args(["--format", "json"]).run().objects()[1];
    assert_eq!((&longer["a_size_bytes"], &longer["b_size_bytes"]), (&2.into(), &1.into()));
    diff(&dir).args(["--exclude", "/sub", "--exclude", "unlike", "--exclude", "only"]).run().code(0);
    diff(&dir).args(["--exclude", "*"]).run().code(16).said_among_others(&["no file was compared"]);
    diff(&dir).args(["--max-size", "1", "--exclude", "unlike"]).run().code(0);
    dir.hashlane(["diff", "a", "a"]).run().code(0).printed("");
}

#[test]
fn names_of_one_file_are_read_once() {
    let dir = Dir::new();
    dir.write("a/f", "0123456789").make("b");
    std::fs::hard_link(dir.path("a/f"), dir.path("b/f")).unwrap();
    diff(&dir)
        .run()
        .code(0)
        .said_among_others(&["2 files, 20 B (20 B) by all their names, 10 B (10 B) read"]);
}

#[test]
fn a_directory_without_files_is_compared_with_nothing() {
    let dir = Dir::new();
    dir.write("a/1", "1").write("a/2", "2").make("b");
    let said = ["b: there are no files below it; nothing was compared"];
    diff(&dir).run().code(16).printed("").said_among_others(&said);
    dir.write("b/3", "3");
    diff(&dir)
        .args(["--exclude", "3"])
        .run()
        .code(18)
        .printed("1: MISSING (only in A)\n2: MISSING (only in A)\n");
    diff(&dir).run().code(19).said_among_others(&["no name is on both sides, relative to A and to B"]);
}

#[test]
fn many_names_that_one_side_has_alone_are_no_hindrance() {
    let dir = Dir::new();
    let mut expected = String::new();
    for number in 0..12_000 {
        dir.write(format!("a/m/{number:05}"), "");
        writeln!(expected, "m/{number:05}: MISSING (only in A)").unwrap();
    }
    for name in ["a/a", "b/a", "a/z", "b/z"] {
        dir.write(name, "1");
    }
    diff(&dir).run().code(2).printed(expected);
}

#[test]
fn what_cannot_be_read_is_neither_missing_nor_the_same() {
    let dir = Dir::new();
    for side in ["a", "b"] {
        dir.write(format!("{side}/d/f"), "1").write(format!("{side}/e"), "2").write(format!("{side}/g"), "3");
    }
    let mode = |name: &str, mode| {
        std::fs::set_permissions(dir.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("b/d", 0o000);
    mode("b/e", 0o000);
    let ran = diff(&dir).without_rights().run();
    mode("b/d", 0o755);
    ran.code(16).printed("d/f: UNREADABLE\ne: UNREADABLE\n").said_among_others(&[
        "b/d: Permission denied",
        "b/e: Permission denied",
        "different: 1 same",
    ]);
    // Nobody knows what is in it, be it on both sides or on one that has nothing there.
    for side in ["a", "b"] {
        dir.write(format!("{side}/e"), "2").write(format!("{side}/z/f"), side);
        mode(&format!("{side}/e"), 0o644);
        mode(&format!("{side}/z"), 0o000);
    }
    let ran = diff(&dir).without_rights().run();
    ran.code(16).printed("").said_among_others(&[
        "a/z: Permission denied",
        "b/z: Permission denied",
        "different: 3 same; 3 names in A, 3 in B, 3 in both",
    ]);
    mode("b/z", 0o755);
    std::fs::remove_dir_all(dir.path("b/z")).unwrap();
    diff(&dir).without_rights().run().code(16).printed("");
    mode("a/z", 0o755);
    mode("b", 0o000);
    let ran = diff(&dir).without_rights().run();
    mode("b", 0o755);
    ran.code(16).printed("").said_among_others(&["b: Permission denied"]);
}

#[test]
fn a_name_in_the_other_normalization_is_another_one_unless_told() {
    let dir = Dir::new();
    let (composed, decomposed) = ("caf\u{e9}/\u{fc}", "cafe\u{301}/u\u{308}");
    dir.write(format!("a/{composed}"), "1").write(format!("b/{decomposed}"), "1").write("a/z", "2");
    dir.write("b/z", "2");
    let said = [
        "caf\u{e9}/\u{fc}: A has that name in NFC, and B has it in NFD; to the file system these are two names",
    ];
    diff(&dir).run().code(3).said_among_others(&said);
    diff(&dir).arg("--normalize").run().code(0).printed("").said_among_others(&["the same: 2 same; 2 names"]);
    dir.write(format!("b/{decomposed}"), "22");
    let changed = format!("{composed}: CHANGED\n");
    diff(&dir).arg("--normalize").run().code(4).printed(changed);
    // Both spellings on one side: nobody can tell which is meant.
    dir.write(format!("b/{composed}"), "1");
    let new = format!("{decomposed}: NEW (only in B)\n");
    diff(&dir).arg("--normalize").run().code(1).printed(new);
    dir.hashlane(["diff", "--normalize", "a", "list"]).run().code(64);
}

#[test]
fn only_a_file_is_taken_for_another_spelling() {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}");
    for (this, other) in [("a", "b"), ("b", "a")] {
        let dir = Dir::new();
        dir.write("a/k", "k").write("b/k", "k").write(format!("{this}/{decomposed}"), "");
        let there = format!("{other}/{composed}");
        let word = if this == "a" { "MISSING (only in A)" } else { "NEW (only in B)" };
        let (code, said) = (if this == "a" { 2 } else { 1 }, format!("{decomposed}: {word}\n"));
        let is_alone = |dir: &Dir, options: &[&str]| {
            diff(dir).arg("--normalize").args(options).run().code(code).printed(&said);
        };
        dir.make(&there);
        is_alone(&dir, &[]);
        std::fs::remove_dir(dir.path(&there)).unwrap();
        dir.link("k", &there);
        is_alone(&dir, &[]);
        std::fs::remove_file(dir.path(&there)).unwrap();
        // A pipe that nobody writes to would be waited for.
        dir.fifo(&there);
        is_alone(&dir, &[]);
        std::fs::remove_file(dir.path(&there)).unwrap();
        dir.write(&there, "longer");
        is_alone(&dir, &["--max-size", "1"]);
        is_alone(&dir, &["--exclude", composed]);
    }
}

#[test]
fn options_of_manifests_are_refused() {
    let dir = Dir::new();
    dir.write("a/f", "1").write("b/f", "1");
    for options in [
        &["--base", "a"][..],
        &["--strip-prefix", "x"],
        &["--manifest-format", "gnu"],
        &["--from-zero"],
        &["--strict"],
        &["--warn"],
    ] {
        let ran = diff(&dir).args(options).run().code(64);
        assert!(ran.messages()[0].starts_with(options[0]), "{:?}", ran.messages());
    }
}

/// Compared with two maps of names and contents, which know nothing of sizes and runs.
#[test]
fn random_trees_differ_as_their_contents_do() {
    for seed in 1..=40_u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        let dir = Dir::new();
        let mut sides = [BTreeMap::new(), BTreeMap::new()];
        for (side, files) in ["a", "b"].iter().zip(&mut sides) {
            for _ in 0..=below(12) {
                let directory = ["", "d/", "d.e/", "d/e/", "da/"][below(5) as usize];
                let name = format!("{directory}{}", ["x", "y", "x.y", "z-"][below(4) as usize]);
                let content = ["", "1", "2", "12", "21", "1234"][below(6) as usize];
                dir.write(format!("{side}/{name}"), content);
                let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + below(1 << 20));
                dir.set_modified(format!("{side}/{name}"), time);
                files.insert(name, content);
            }
        }
        let [a, b] = &sides;
        let mut expected: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, content) in a {
            match b.get(name) {
                None => _ = expected.insert(name, "missing"),
                Some(other) if other != content => _ = expected.insert(name, "changed"),
                Some(_) => {}
            }
        }
        expected.extend(b.keys().filter(|name| !a.contains_key(*name)).map(|name| (name.as_str(), "new")));
        let objects = diff(&dir).args(["--format", "json"]).run().objects();
        let found: Vec<_> = objects.iter().filter(|object| object["path"].is_string()).collect();
        let found = found
            .iter()
            .map(|object| (object["path"].as_str().unwrap(), object["difference"].as_str().unwrap()));
        assert!(found.clone().is_sorted(), "seed {seed}");
        assert_eq!(found.collect::<BTreeMap<_, _>>(), expected, "seed {seed}");
    }
}
