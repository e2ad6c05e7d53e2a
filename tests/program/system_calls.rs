//! What the system is asked for each file that is read: what concerns a whole run or a whole tree is asked once.

use std::collections::BTreeMap;

use crate::keeper::settle;
use crate::work::{Cmd, Dir, HASHLANE, have};

/// How many files the smaller tree has, and how many the larger has more.
const FEW: u32 = 100;
const MORE: u32 = 300;

/// What names a file or walks a directory, and what is asked by an open file. Each is counted by the beginning of its name.
const OPENS: [&str; 2] = ["open", "close"];
const FACTS: [&str; 7] = ["stat", "lstat", "newfstatat", "fstat", "lseek", "readlink", "getdents"];
const READS: [&str; 2] = ["read", "pread"];

/// How many calls of each kind a command makes for a file: opening and closing, asking, reading.
#[derive(Debug)]
struct Calls {
    opens: f64,
    facts: f64,
    reads: f64,
}

/// How often a command called what, by name.
fn counted(dir: &Dir, command: Cmd, arguments: &[&str]) -> BTreeMap<String, f64> {
    let ran = command.args(["-f", "-c", "-U", "calls,name", "-o", "calls", HASHLANE]).args(arguments).run();
    assert!(ran.status.success(), "{arguments:?}: {}", ran.stderr);
    let table = String::from_utf8(dir.read("calls")).unwrap();
    let row = |line: &str| {
        let (calls, name) = line.trim().split_once(' ')?;
        Some((name.trim().to_owned(), calls.parse().ok()?))
    };
    table.lines().filter_map(row).filter(|(name, _)| name != "total").collect()
}

/// The calls of the larger tree that the smaller did not take, for each file more.
fn of_a_file(few: &BTreeMap<String, f64>, many: &BTreeMap<String, f64>) -> Calls {
    let sum = |calls: &BTreeMap<String, f64>, begins: &[&str], not: &[&str]| -> f64 {
        let begins_so = |name: &str, with: &[&str]| with.iter().any(|begin| name.starts_with(begin));
        calls
            .iter()
            .filter(|(name, _)| begins_so(name, begins) && !begins_so(name, not))
            .map(|(_, n)| n)
            .sum()
    };
    let more =
        |begins: &[&str], not: &[&str]| (sum(many, begins, not) - sum(few, begins, not)) / f64::from(MORE);
    Calls { opens: more(&OPENS, &[]), facts: more(&FACTS, &[]), reads: more(&READS, &["readlink"]) }
}

#[test]
fn each_file_costs_a_few_calls_and_no_more() {
    if !have("strace") {
        return;
    }
    let dir = Dir::new();
    for (tree, files) in [("few", FEW), ("many", FEW + MORE)] {
        for number in 0..files {
            dir.write(format!("{tree}/d/{number}"), number.to_string());
        }
    }
    dir.write("other/file", "");
    settle();
    // The first audit of a catalogue makes a copy of it, and more.
    dir.keeper(["collection", "add", "other", "other"]).run().code(0);
    dir.keeper(["audit", "other"]).run().code(0);
    for tree in ["few", "many"] {
        dir.keeper(["collection", "add", tree, tree]).run().code(0);
        dir.hashlane(["sum", "-q", "-o", &format!("SUMS.{tree}"), tree]).run().code(0);
    }
    // Opening and closing, asking, reading.
    let rows: [(&[&str], [f64; 3]); 6] = [
        (&["sum", "-q", "-o", "out", "TREE"], [2.0, 2.0, 1.0]),
        (&["check", "-q", "SUMS.TREE"], [4.0, 3.0, 1.0]),
        (&["check", "-q", "--audit", "--root", "TREE", "SUMS.TREE"], [2.0, 2.0, 1.0]),
        (&["audit", "-q", "--from", "any", "TREE"], [2.0, 3.0, 1.0]),
        (&["audit", "-q", "TREE"], [2.0, 12.0, 2.0]),
        (&["audit", "-q", "TREE"], [2.0, 12.0, 2.0]),
    ];
    let mut wrong = Vec::new();
    for (arguments, [opens, facts, reads]) in rows {
        let [few, many] = ["few", "many"].map(|tree| {
            let arguments: Vec<_> = arguments.iter().map(|argument| argument.replace("TREE", tree)).collect();
            let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
            let catalogue = dir.path("catalog.sqlite");
            let strace = dir.command("strace", [""; 0]).env("HASHLANE_CATALOG", catalogue.to_str().unwrap());
            counted(&dir, strace, &arguments)
        });
        let calls = of_a_file(&few, &many);
        println!("{arguments:?}: {calls:?}");
        if calls.opens > opens + 0.5 || calls.facts > facts + 0.5 || calls.reads > reads + 0.5 {
            wrong.push(format!("{arguments:?}: {calls:?}; at most {opens}, {facts} and {reads}"));
        }
    }
    assert!(wrong.is_empty(), "for each file:\n{}", wrong.join("\n"));
}
