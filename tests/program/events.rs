//! `hashlane events`, and decisions beside an audit.

use std::fs;

use hashlane_catalog::Writer;
use serde_json::Value;

use crate::keeper::{kept, told};
use crate::work::Dir;

/// What `events` lists, as JSON.
fn events(dir: &Dir, arguments: &[&str]) -> Vec<Value> {
    let ran = dir.keeper([&["events", "--format=json"], arguments].concat()).run().code(0);
    let lines = String::from_utf8(ran.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A value of each event.
fn all<'a>(events: &'a [Value], key: &str) -> Vec<&'a str> {
    events.iter().map(|event| event[key].as_str().unwrap_or_default()).collect()
}

/// A collection where one file was removed, one was edited, and one is new.
fn lived() -> Dir {
    let dir = kept(&["--living"]);
    fs::remove_file(dir.path("tree/d/c")).unwrap();
    dir.write("tree/a", "edited");
    dir.write("tree/n", "new");
    dir.keeper(["audit", "t"]).run().code(2);
    dir
}

#[test]
fn what_happened_is_listed_in_one_order_and_from_any_number_on() {
    let dir = lived();
    let listed = events(&dir, &[]);
    let kinds =
        ["change", "run-begun", "run-ended", "change", "run-begun", "edit", "finding", "edit", "run-ended"];
    let mut found = all(&listed, "kind");
    // In which order an audit comes to what it finds is its own affair.
    found[5..8].sort_unstable();
    let mut expected = kinds;
    expected[5..8].sort_unstable();
    assert_eq!(found, expected);
    // The copy of the catalogue is about no collection.
    let (copy, of_tree): (Vec<_>, Vec<_>) = listed.iter().partition(|event| event["collection"] == "");
    assert!(copy.len() == 1 && copy[0]["what"] == "backup", "{copy:?}");
    assert!(of_tree.iter().all(|event| event["collection"] == "t"));
    assert!(listed.iter().all(|event| event["schema"] == "hashlane-event"));
    let number = |event: &Value| event["number"].as_i64().unwrap();
    assert!(listed.windows(2).all(|two| number(&two[0]) < number(&two[1])));
    let finding = events(&dir, &["--kind", "finding"]);
    assert_eq!((all(&finding, "path"), all(&finding, "verdict")), (vec!["d/c"], vec!["missing"]));
    let mut edits = all(&events(&dir, &["t", "--kind=edit,change"])[1..], "path")
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<_>>();
    edits.sort();
    assert_eq!(edits, ["a", "n"]);
    assert_eq!(events(&dir, &["--path", "d"]), finding);
    assert_eq!(events(&dir, &["--path", "d/c", "t"]), finding);
    // From one number on, and from there back.
    let third = number(&listed[2]).to_string();
    assert_eq!(events(&dir, &["--after", &third]), listed[3..]);
    assert_eq!(events(&dir, &["--before", &third]), listed[..2]);
    let last: Vec<_> = listed.iter().rev().take(3).cloned().collect();
    assert_eq!(events(&dir, &["--reverse", "--limit=3"]), last);
    assert!(events(&dir, &["--actor", "nobody-at-all"]).is_empty());
    assert!(events(&dir, &["--since", "2100-01-01"]).is_empty());
    assert_eq!(events(&dir, &["--since", "1d"]), listed);
}

#[test]
fn people_and_spreadsheets_get_the_same() {
    let dir = lived();
    let text = dir.keeper(["events", "--kind=finding,change"]).run().code(0);
    let text = String::from_utf8(text.stdout).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("  -  change     backup, by "), "{text}");
    assert!(text.contains("  t  change     added, by "), "{text}");
    assert!(text.contains("  t  finding    missing: d/c\n"), "{text}");
    let csv = dir.keeper(["events", "--format=csv", "--kind=finding"]).run().code(0);
    let csv = String::from_utf8(csv.stdout).unwrap();
    let (head, rows) = csv.split_once('\n').unwrap();
    assert_eq!(
        head,
        "number,at,kind,collection,path,actor,run,what,verdict,other,reason,detail,path_b64,other_b64"
    );
    assert!(rows.contains(",finding,t,d/c,") && rows.lines().count() == 1, "{rows}");
}

#[test]
fn what_cannot_be_listed_is_said() {
    let dir = lived();
    let said = told(&dir, &["events", "never"], 64);
    assert!(said.contains("no collection is named never"), "{said}");
    told(&dir, &["events", "--kind", "nonsense"], 64);
    told(&dir, &["events", "--follow", "--reverse"], 64);
    told(&dir, &["events", "--follow", "--before=3"], 64);
    let empty = Dir::new();
    told(&empty, &["events"], 74);
    // What nobody writes to any more cannot be followed.
    fs::copy("../../tests/fixtures/catalogues/version-3.sqlite", empty.path("catalog.sqlite")).unwrap();
    let said = told(&empty, &["events", "--follow"], 64);
    assert!(said.contains("earlier version"), "{said}");
    assert!(!events(&empty, &["--kind", "finding"]).is_empty());
}

#[test]
fn who_follows_hears_of_each_event_as_it_happens() {
    let dir = lived();
    let before = events(&dir, &[]);
    let limit = (before.len() + 2).to_string();
    let follows = dir.keeper(["events", "--follow", "--format=json", "--limit", &limit]).start();
    dir.keeper(["collection", "set", "t", "--tag", "one"]).run().code(0);
    dir.keeper(["collection", "set", "t", "--tag", "two"]).run().code(0);
    let followed = follows.wait().code(0);
    let followed = String::from_utf8(followed.stdout).unwrap();
    let followed: Vec<Value> = followed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(followed, events(&dir, &[]));
    assert_eq!(all(&followed[before.len()..], "what"), ["set", "set"]);
}

#[test]
fn a_decision_beside_an_audit_is_recorded_and_the_audit_carries_it_out() {
    let dir = lived();
    let catalog = Writer::open(&dir.path("catalog.sqlite")).unwrap();
    let audits = catalog.lock(&catalog.collection("t").unwrap(), 0).unwrap();
    let said = told(&dir, &["accept", "t", "d/c", "--reason", "moved to tape"], 0);
    assert!(said.contains("t: 1 file recorded; the audit of t accepts it when it is over"), "{said}");
    let status = dir.keeper(["status", "t"]).run().code(0);
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.contains("1 missing"), "it stands until then: {status}");
    // Who knows of it need not wait.
    let known = dir.keeper(["acknowledge", "t", "d/c", "--reason", "known"]).run().code(0);
    assert!(known.stderr.contains("t: 1 file acknowledged"), "{}", known.stderr);
    drop(audits);
    dir.keeper(["audit", "t"]).run().code(0);
    let decided = events(&dir, &["--kind=decision,change", "--path=d/c"]);
    assert_eq!(all(&decided, "what"), ["acknowledged", "accepted"]);
    assert_eq!(all(&decided, "reason"), ["known", "moved to tape"]);
    let changed = events(&dir, &["--kind=change"]);
    assert_eq!(all(&changed, "what"), ["added", "backup", "accept-requested", "acknowledged", "accepted"]);
}

#[test]
fn no_cell_for_a_spreadsheet_is_a_formula() {
    let dir = kept(&["--frozen"]);
    dir.write("tree/=1", "new");
    dir.keeper(["audit", "t"]).run().code(1);
    dir.keeper(["accept", "t", "=1", "--reason", "=2"]).run().code(0);
    let csv = |words: &[&str]| {
        let ran = dir.keeper([words, &["--format=csv"]].concat()).run().code(0);
        String::from_utf8(ran.stdout).unwrap()
    };
    let found = csv(&["events", "--kind=finding"]);
    assert!(found.contains(",finding,t,'=1,") && found.trim_end().ends_with(",PTE=,"), "{found}");
    let changed = csv(&["catalog", "changes", "t"]);
    assert!(changed.contains(",accepted,") && changed.trim_end().ends_with(",'=2"), "{changed}");
}

#[test]
fn who_follows_for_nobody_ends() {
    let dir = lived();
    // All that there is goes into the pipe. Then the one who has read the first line is gone, and nothing happens any more.
    let ran = dir.shell("\"$0\" events --follow --kind finding --catalog catalog.sqlite | head -n1").run();
    let printed = String::from_utf8(ran.code(0).stdout).unwrap();
    assert!(printed.ends_with("missing: d/c\n"), "{printed}");
}
