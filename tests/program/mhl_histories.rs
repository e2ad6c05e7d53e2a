//! `hashlane mhl`: histories of ASC MHL, which the reference implementation judges as we do.

use std::path::{Path, PathBuf};

use crate::work::{Dir, HASHLANE, needs};

/// The reference implementation, which `cargo xtask setup` installs: what makes histories, and what verifies them. Says so if it is not there.
fn ascmhl() -> Option<(PathBuf, PathBuf)> {
    let built = Path::new(HASHLANE).ancestors().map(|above| above.join("tools/ascmhl/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        built.chain(std::env::split_paths(&path)).find(|folder| folder.join("ascmhl-debug").is_file());
    needs(found.is_some(), "ascmhl");
    found.map(|folder| (folder.join("ascmhl"), folder.join("ascmhl-debug")))
}

fn card() -> Dir {
    let dir = Dir::new();
    dir.write("A/Clips/1.mov", "one")
        .write("A/Clips/deep/2.mov", "two")
        .write("A/no & te.txt", "3")
        .write("A/zero", "");
    dir.make("A/empty");
    dir
}

#[test]
fn a_history_is_made_gone_on_with_and_verified() {
    let dir = card();
    dir.hashlane(["mhl", "verify", "A"])
        .run()
        .code(64)
        .said(&["A: has no history of ASC MHL (a folder ascmhl)"]);
    dir.hashlane(["mhl", "create", "-q", "A"]).run().code(0).printed("").said(&[]);
    let all = "Clips/1.mov: OK\nClips/deep/2.mov: OK\nno & te.txt: OK\nzero: OK\n";
    dir.hashlane(["mhl", "verify", "A"]).run().code(0).printed(all);
    dir.hashlane(["check", "A/ascmhl"]).run().code(0).printed(all);
    for options in [["--base", "A"], ["--names", "windows"], ["--strip-prefix", "A"], ["-a", "md5"]] {
        dir.hashlane(["check"]).args(options).arg("A/ascmhl").run().code(64);
    }
    dir.shell("cd A && \"$0\" check -q ascmhl/").run().code(0).printed("");
    dir.shell("\"$0\" check -q A/ascmhl/0001*").run().code(0).printed("");
    crate::dfxml::is_xml(&dir, "A/ascmhl/ascmhl_chain.xml");

    dir.write("A/Clips/1.mov", "changed").write("A/new", "");
    std::fs::remove_file(dir.path("A/zero")).unwrap();
    std::fs::remove_dir(dir.path("A/empty")).unwrap();
    let verdicts = "Clips/1.mov: FAILED\nzero: FAILED open or read\nnew: EXTRA (not listed)\n";
    let ran = dir.hashlane(["mhl", "verify", "-q", "A"]).run().code(7).printed(verdicts);
    assert!(ran.stderr.contains("empty: the directory is missing"), "{}", ran.stderr);
    let ran = dir.hashlane(["mhl", "create", "-q", "-a", "md5,c4", "A"]).run().code(6);
    assert_eq!(ran.messages(), ["Clips/1.mov: FAILED", "zero: MISSING", "empty: MISSING"]);
    // It stays what it was first, and what is new is known by now.
    let verdicts = "Clips/1.mov: FAILED\nzero: FAILED open or read\n";
    dir.hashlane(["mhl", "verify", "-q", "A"]).run().code(6).printed(verdicts);
    let info = String::from_utf8(dir.hashlane(["mhl", "info", "A"]).run().code(0).stdout).unwrap();
    assert_eq!(info.lines().filter(|line| line.contains("ascmhl/000")).count(), 2, "{info}");
}

#[test]
fn lists_that_nothing_vouches_for_fail() {
    let list = |dir: &Dir| {
        let found = std::fs::read_dir(dir.path("A/ascmhl")).unwrap().map(|entry| entry.unwrap().path());
        found.into_iter().find(|path| path.extension().is_some_and(|end| end == "mhl")).unwrap()
    };
    let made = || {
        let dir = card();
        dir.hashlane(["mhl", "create", "-q", "A"]).run().code(0);
        dir
    };
    let fails = |dir: &Dir, bit: i32, said: &str| {
        for line in [["mhl", "verify", "A"], ["check", "-q", "A/ascmhl"], ["mhl", "create", "A"]] {
            let ran = dir.hashlane(line).run();
            let code = ran.status.code().unwrap();
            assert!(
                code < 64 && code & bit != 0 && ran.stderr.contains(said),
                "{line:?} {code}: {}",
                ran.stderr
            );
        }
    };
    let dir = made();
    let path = list(&dir);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("Clips/1.mov", "Clips/3.mov")).unwrap();
    fails(&dir, 4, "differs from its C4 ID in the chain");
    std::fs::remove_file(&path).unwrap();
    fails(&dir, 2, "is missing");
    let dir = made();
    std::fs::copy(list(&dir), dir.path("A/ascmhl/0002_A.mhl")).unwrap();
    fails(&dir, 1, "A/ascmhl/0002_A.mhl: is not in the chain".trim_start_matches("A/"));
    std::fs::remove_file(dir.path("A/ascmhl/ascmhl_chain.xml")).unwrap();
    fails(&dir, 16, "A/ascmhl: has no ascmhl_chain.xml");
}

/// What is done to the card before a history is made or verified.
type Step = (&'static str, &'static str);

/// Scenes: what each maker is asked for (`create` with its options), and what is done between.
const SCENES: [&[Step]; 10] = [
    &[("create", "")],
    &[("create", ""), ("create", "")],
    &[("create", ""), ("do", "echo new > A/new"), ("create", ""), ("do", "echo newer > A/newer")],
    &[("create", ""), ("do", "echo changed > A/Clips/1.mov"), ("create", "")],
    &[("create", ""), ("do", "rm A/Clips/deep/2.mov"), ("create", ""), ("do", "rmdir A/empty")],
    &[
        ("create", ""),
        ("do", "mv A/zero A/nothing; mv A/Clips/1.mov A/Clips/one.mov"),
        ("create", "--detect_renaming"),
        ("create", ""),
    ],
    &[
        ("create", "-h md5"),
        ("create", "-h c4"),
        ("create", "-h sha1 -h xxh64"),
        ("create", "-h xxh3 -h md5"),
    ],
    &[("create", "-n"), ("create", "")],
    &[("do", "echo x > A/x.tmp"), ("create", "--ignore *.tmp"), ("do", "echo x > A/y.tmp"), ("create", "")],
    &[
        ("nested", "A/Clips"),
        ("create", ""),
        ("nested", "A/Clips"),
        ("create", ""),
        ("do", "echo x >> A/Clips/1.mov"),
        ("create", ""),
    ],
];

#[test]
fn histories_are_judged_as_the_reference_implementation_judges_them() {
    let Some((theirs, debug)) = ascmhl() else { return };
    let mut judged = 0;
    for scene in SCENES {
        for is_ours in [true, false] {
            let dir = card();
            for (what, options) in scene {
                let place = if *what == "nested" { options } else { "A" };
                match *what {
                    "do" => _ = dir.shell(options).run().code(0),
                    _ if is_ours => {
                        let words = if *what == "nested" { "" } else { options };
                        let words = words.replace("-h ", "-a ").replace("detect_renaming", "detect-renaming");
                        let line = words.split_ascii_whitespace();
                        // Several algorithms are one option here.
                        let mut algorithms = Vec::new();
                        let mut others = Vec::new();
                        let mut line = line.peekable();
                        while let Some(word) = line.next() {
                            match word {
                                "-a" => algorithms.extend(line.next()),
                                other => others.push(other),
                            }
                        }
                        let mut create = dir.hashlane(["mhl", "create", "-q", place]).args(others);
                        if !algorithms.is_empty() {
                            create = create.args(["-a", &algorithms.join(",")]);
                        }
                        create.run();
                    }
                    _ => {
                        let words = if *what == "nested" { "" } else { options };
                        let line = words.split_ascii_whitespace();
                        dir.command(theirs.to_str().unwrap(), ["create", place]).args(line).run();
                    }
                }
                let they = dir.command(debug.to_str().unwrap(), ["verify", place]).run();
                let we = dir.hashlane(["mhl", "verify", place]).run();
                let (they, we) = (they.status.code().unwrap(), we.status.code().unwrap());
                let expected: &[i32] = match they {
                    0 => &[0],
                    // Files are missing; some differ; some are new, and one may be missing whose new name that is.
                    10 => &[2],
                    11 => &[4, 5, 6, 7],
                    21 => &[1, 3],
                    // There is no history yet.
                    30 | 32 => &[64, 16],
                    other => panic!("{scene:?}: ascmhl ends with {other}"),
                };
                assert!(
                    expected.contains(&we),
                    "{scene:?} at {what} {options}, ours: {is_ours}: {they} and {we}"
                );
                judged += 1;
            }
        }
    }
    println!("{judged} histories judged");
}
