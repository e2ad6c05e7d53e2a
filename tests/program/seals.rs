//! Seals by the command line: how they are listed, and which runs have one.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::keeper::{kept, raw, settle, told};
use crate::work::{Dir, digest};

/// The root of the empty tree.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn seals(dir: &Dir, options: &[&str]) -> Vec<Value> {
    let words = [&["catalog", "seals", "--format", "json"], options].concat();
    let ran = dir.keeper(words).run().code(0);
    serde_json::from_slice(&ran.stdout).unwrap()
}

#[test]
fn the_seals_of_all_runs_are_listed_the_latest_first() {
    let dir = Dir::new();
    dir.write("tree/a", "first").write("tree/b", "second").write("other/c", "third");
    dir.write("list", format!("{}  later\n", digest("sha256", "later")));
    dir.keeper(["collection", "add", "t", "tree", "--frozen"]).run().code(0);
    dir.keeper(["collection", "add", "u", "other"]).run().code(0);
    assert!(seals(&dir, &[]).is_empty());
    dir.keeper(["catalog", "seals"])
        .run()
        .code(0)
        .printed("")
        .said(&["no run is over yet, so there is no seal"]);
    settle();
    let planned = dir.keeper(["audit", "t", "--dry-run", "--format", "json"]).run().code(0);
    let planned: Value = serde_json::from_slice(&planned.stdout).unwrap();
    assert_eq!((&planned["run"], &planned["seal"]), (&Value::Null, &Value::Null));
    let audited = dir.keeper(["audit", "t", "--format", "json"]).run().code(0);
    let first: Value = serde_json::from_slice(audited.lines().last().unwrap()).unwrap();
    dir.keeper(["audit", "u"]).run().code(0);
    dir.keeper(["collection", "import", "t", "list"]).run().code(0);
    dir.write("tree/a", "edited");
    dir.keeper(["audit", "t"]).run().code(6);
    dir.keeper(["accept", "t", "a"]).run().code(0);
    dir.keeper(["acknowledge", "t", "later"]).run().code(0);

    let all = seals(&dir, &[]);
    let told: Vec<_> = all
        .iter()
        .map(|run| {
            let of = |name: &str| run[name].as_str().unwrap().to_owned();
            (run["run"].as_u64().unwrap(), of("collection"), of("request"), run["leaves"].as_u64().unwrap())
        })
        .collect();
    let expected = [
        (6, "t", "acknowledge", 0),
        (5, "t", "accept", 1),
        (4, "t", "all", 0),
        (3, "t", "import", 1),
        (2, "u", "all", 1),
        (1, "t", "all", 2),
    ];
    let expected =
        expected.map(|(run, of, request, leaves)| (run, of.to_owned(), request.to_owned(), leaves));
    assert_eq!(told, expected);
    assert_eq!((&all[0]["root"], &all[2]["root"]), (&EMPTY.into(), &EMPTY.into()));
    // An audit prints the same.
    assert_eq!(first["run"], 1);
    assert_eq!((&first["seal"]["leaves"], &first["seal"]["root"]), (&2.into(), &all[5]["root"]));

    assert_eq!(seals(&dir, &["-n", "2"]), all[..2]);
    assert_eq!(seals(&dir, &["u"]), all[4..5]);
    assert_eq!(seals(&dir, &["t", "-n", "1"]), all[..1]);
    dir.keeper(["catalog", "seals", "-n", "0"]).run().code(64);
    dir.keeper(["catalog", "seals", "nobody"]).run().code(64);
    let table = dir.keeper(["catalog", "seals", "u"]).run().code(0);
    let table = String::from_utf8(table.stdout).unwrap();
    let root = all[4]["root"].as_str().unwrap();
    assert!(table.contains("request  leaves  root") && table.trim_end().ends_with(root), "{table}");
    assert_eq!(table.lines().count(), 3, "{table}");
    // What was removed can be verified, and so it is listed.
    dir.keeper(["collection", "remove", "u"]).run().code(0);
    assert_eq!(seals(&dir, &["u"]), all[4..5]);
    assert_eq!(seals(&dir, &[]), all);
}

#[test]
fn a_file_that_was_touched_moved_or_has_grown_has_a_leaf_and_one_that_was_only_listed_has_none() {
    let dir = Dir::new();
    dir.write("tree/a", "first").write("tree/b", "second").write("tree/log", "one\n").write("tree/d", "x");
    dir.keeper(["collection", "add", "t", "tree", "--append-only", "log"]).run().code(0);
    settle();
    let leaves = |options: &[&str]| {
        dir.keeper([&["audit", "t"], options].concat()).run().code(0);
        seals(&dir, &["-n", "1"])[0]["leaves"].as_u64().unwrap()
    };
    assert_eq!(leaves(&["a", "b", "log"]), 3, "what lies beside them was listed at most");
    assert_eq!(leaves(&[]), 1);
    assert_eq!(leaves(&[]), 0, "all is intact");
    let touched = SystemTime::UNIX_EPOCH - Duration::from_secs(5);
    dir.set_modified("tree/a", touched);
    assert_eq!(leaves(&[]), 1, "touched");
    std::fs::rename(dir.path("tree/b"), dir.path("tree/z")).unwrap();
    assert_eq!(leaves(&[]), 1, "moved");
    dir.write("tree/log", "one\ntwo\n");
    assert_eq!(leaves(&[]), 1, "grown");
    dir.keeper(["catalog", "verify"]).run().code(0);
}

#[test]
fn who_does_not_compute_seals_does_not_say_that_they_are_whole() {
    let dir = kept(&[]);
    let raw = raw(&dir);
    raw.execute("UPDATE run SET merkle_root = zeroblob(32) WHERE merkle_root IS NOT NULL", []).unwrap();
    drop(raw);
    let broken = dir.keeper(["catalog", "verify"]).run().code(8);
    let broken = String::from_utf8(broken.stdout).unwrap();
    assert!(broken.contains("its Merkle root differs"), "{broken}");
    let said = told(&dir, &["catalog", "verify", "--quick"], 0);
    assert!(said.ends_with(": the catalogue is whole; its seals were not computed\n"), "{said}");
    let help = dir.hashlane(["catalog", "verify", "--help"]).run().code(0);
    let help = String::from_utf8(help.stdout).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["The seals of all runs are computed anew.", "nor compute the seals"] {
        assert!(help.contains(part), "{part:?} is not in:\n{help}");
    }
}

#[test]
fn a_seal_says_of_which_collection_it_is_whatever_that_is_named() {
    let dir = kept(&[]);
    let identity = |words: &[&str]| {
        let ran = dir.keeper([&["collection"], words, &["--format", "json"]].concat()).run().code(0);
        let shown: Value = serde_json::from_slice(&ran.stdout).unwrap();
        shown.get(0).unwrap_or(&shown)["identity"].as_str().unwrap().to_owned()
    };
    let first = identity(&["show", "t"]);
    dir.keeper(["collection", "remove", "t"]).run().code(0);
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    let [second, removed] = [identity(&["list"]), identity(&["list", "--removed"])];
    assert!(first == removed && first != second && first.len() == 32, "{first} {second}");
    let seals = seals(&dir, &[]);
    let told: Vec<_> = seals.iter().map(|seal| [&seal["collection"], &seal["identity"]]).collect();
    assert_eq!(told, [["t", &*second], ["t", &*first]]);
    let table = dir.keeper(["catalog", "seals"]).run().code(0);
    let table = String::from_utf8(table.stdout).unwrap();
    let rows: Vec<_> = table.lines().skip(2).map(|row| row.contains("  t (removed)  ")).collect();
    assert_eq!(rows, [false, true], "{table}");
    // It is what the leaves have.
    let raw = raw(&dir);
    let sql = "SELECT lower(hex(identity)) FROM collection WHERE removed_s IS NOT NULL";
    assert_eq!(raw.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap(), first);
}
