//! What commands print for programs, for spreadsheets and for people, byte for byte as it was recorded in `tests/fixtures/recorded`.
//!
//! Times, rates, identities and places differ from run to run and are replaced by marks. All else stays. `HASHLANE_RECORD=1` records
//! anew; what has changed then stands in the difference to the commit.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::work::{Dir, Ran};

/// What differs from run to run, and the mark that stands for it.
static MARKS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let marks = [
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<TIME>"),
        (r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)?( UTC)?", "<TIME>"),
        (r"\d{4}-\d\d-\d\d", "<DATE>"),
        (r"\d{8}T\d{6}Z", "<STAMP>"),
        (r#"("(identity|root|leaf)": ?)"[0-9a-f]{32,64}""#, "$1\"<ID>\""),
        (r"(  +\d+  )[0-9a-f]{64}\b", "$1<ROOT>"),
        (r#"("(inode|uid|[a-z_]*_ms|elapsed_s)": ?)[0-9.e-]+"#, "$1<N>"),
        (r#"(_s"+: ?)\d{10}\b"#, "$1<TIME>"),
        (r#"("[a-z_]*(per_s|per_second|per_day)": ?)([0-9.e-]+|null)"#, "$1<RATE>"),
        (r#"("(actor|host)": ?)"[^"]*""#, "$1\"<WHO>\""),
        (r"\bby root\b", "by <WHO>"),
        (r",root,", ",<WHO>,"),
        (r"\b[0-9.]+ (B|kB|MB|GB)/s( \([0-9.]+ (B|KiB|MiB|GiB)/s\))?", "<RATE>"),
        (r"\bin [0-9.]+ (us|ms|s|min)\b(: <RATE>)?", "in <SPAN>"),
        // What was over at once has no rate.
        (r"( \d+ %) +(–|<RATE>)  ", "$1  <RATE>  "),
        (r#"(data-head="rate">)(–|<RATE>)<"#, "$1<RATE><"),
        (r"\b\d+ (s|min) ago\b", "<AGO>"),
    ];
    marks.map(|(pattern, mark)| (Regex::new(pattern).unwrap(), mark)).into()
});

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/recorded")
}

/// The text of a command, with marks for what differs from run to run.
fn marked(dir: &Dir, ran: &Ran) -> String {
    let root = dir.root().to_str().unwrap();
    let messages = if ran.stderr.is_empty() { String::new() } else { format!("\nmessages:\n{}", ran.stderr) };
    let text = format!("{}{messages}", String::from_utf8_lossy(&ran.stdout));
    // Each page has it, and it stands in a file of its own.
    let style = include_str!("../../crates/report/src/page.css");
    let text = text.replace(style, "<STYLE SHEET>");
    let mut text = text.replace(root, "<DIR>").replace(env!("CARGO_PKG_VERSION"), "<VERSION>");
    for (pattern, mark) in MARKS.iter() {
        text = pattern.replace_all(&text, *mark).into_owned();
    }
    // Columns are as wide as what stands in them, and that is no longer there.
    let blanks = Regex::new("(?m)([^ \\n]) {2,}").unwrap();
    let text = blanks.replace_all(&text, "$1  ");
    text.into_owned()
}

/// Runs commands, and compares what they print with what was recorded under their names.
#[track_caller]
fn compare(dir: &Dir, commands: &[(&str, i32, &[&str])]) {
    let mut others = Vec::new();
    for (name, code, words) in commands {
        let text = marked(dir, &dir.keeper(words.iter().copied()).run().code(*code));
        let path = folder().join(name);
        if std::env::var_os("HASHLANE_RECORD").is_some() {
            fs::create_dir_all(folder()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let recorded = fs::read_to_string(&path).unwrap_or_default();
        if recorded != text {
            others.push(format!("{name}: hashlane {}\n{}", words.join(" "), difference(&recorded, &text)));
        }
    }
    assert!(others.is_empty(), "not as recorded (HASHLANE_RECORD=1 records anew):\n{}", others.join("\n"));
}

/// The lines that differ, as far as they are few.
fn difference(recorded: &str, text: &str) -> String {
    let (mut was, mut is) = (recorded.split_inclusive('\n'), text.split_inclusive('\n'));
    let mut lines = Vec::new();
    loop {
        match (was.next(), is.next()) {
            (None, None) => break,
            (was, is) if was == is => {}
            (was, is) => lines.push(between(was.unwrap_or(""), is.unwrap_or(""))),
        }
    }
    lines.truncate(12);
    lines.join("\n")
}

/// Two lines, from shortly before they begin to differ.
fn between(was: &str, is: &str) -> String {
    let same = was.chars().zip(is.chars()).take_while(|(was, is)| was == is).count();
    let part = |line: &str| line.chars().skip(same.saturating_sub(60)).take(160).collect::<String>();
    format!("  - {:?}\n  + {:?}", part(was), part(is))
}

/// What is said of collections, in all formats.
const OF_COLLECTIONS: &[(&str, i32, &[&str])] = &[
    ("events.txt", 0, &["events"]),
    ("events.jsonl", 0, &["events", "--format=json"]),
    ("events.csv", 0, &["events", "--format=csv"]),
    ("seals.txt", 0, &["catalog", "seals"]),
    ("seals.json", 0, &["catalog", "seals", "--format=json"]),
    ("changes.txt", 0, &["catalog", "changes"]),
    ("changes.jsonl", 0, &["catalog", "changes", "--format=json"]),
    ("changes.csv", 0, &["catalog", "changes", "--format=csv"]),
    ("list.txt", 0, &["collection", "list"]),
    ("list.json", 0, &["collection", "list", "--format=json"]),
    ("show.txt", 0, &["collection", "show", "t"]),
    ("show.json", 0, &["collection", "show", "t", "--format=json"]),
    ("report.txt", 0, &["collection", "report"]),
    ("report.json", 0, &["collection", "report", "--format=json"]),
    ("report.csv", 0, &["collection", "report", "--format=csv"]),
    ("report.html", 0, &["collection", "report", "--format=html"]),
    ("report-mirror.txt", 0, &["collection", "report", "mirror"]),
    ("history.txt", 0, &["history", "t:acknowledged"]),
    ("history.json", 0, &["history", "t:acknowledged", "--format=json"]),
    ("history-changed.json", 0, &["history", "t:a", "--format=json"]),
    ("status.txt", 0, &["status"]),
    ("status.json", 0, &["status", "--format=json"]),
    ("export.jsonl", 0, &["collection", "export", "t", "--manifest-format=jsonl"]),
    ("export.txt", 0, &["collection", "export", "mirror"]),
    ("audit-dry.txt", 0, &["audit", "t", "--dry-run"]),
    ("audit.jsonl", 15, &["audit", "t", "--format=json", "--verbose"]),
    ("audit.txt", 15, &["audit", "t", "--verbose"]),
    ("audit-all.txt", 15, &["audit"]),
    ("acknowledge.txt", 0, &["acknowledge", "t", "new", "--reason", "known", "--until", "14d"]),
    ("accept.txt", 0, &["accept", "t", "a"]),
];

/// What is said of files and lists.
const OF_LISTS: &[(&str, i32, &[&str])] = &[
    ("check.txt", 6, &["check", "list"]),
    ("check.jsonl", 6, &["check", "--format=json", "list"]),
    ("check-pieces.jsonl", 7, &["check", "--format=json", "--complete", "pieces"]),
    ("check-audit.txt", 7, &["check", "--audit", "--root=t", "list"]),
    ("check-audit.jsonl", 7, &["check", "--format=json", "--audit", "--root=t", "list"]),
    ("diff.txt", 7, &["diff", "list", "now"]),
    ("diff.jsonl", 7, &["diff", "--format=json", "list", "now"]),
    ("diff-tree.txt", 7, &["diff", "list", "t"]),
    ("bag.jsonl", 4, &["bag", "validate", "--format=json", "bag"]),
    ("bag.txt", 4, &["bag", "validate", "bag"]),
    ("list.dfxml", 0, &["convert", "--manifest-format=dfxml", "list"]),
    ("list.csv", 0, &["convert", "--manifest-format=csv", "list"]),
    ("formats.txt", 0, &["formats"]),
    ("formats.json", 0, &["formats", "--format=json"]),
];

/// What is said of measurements.
const OF_RUNS: &[(&str, i32, &[&str])] = &[
    ("compare.txt", 0, &["compare", "ash.csv", "old_elm.csv"]),
    ("compare.md", 0, &["compare", "ash.csv", "old_elm.csv", "--format=markdown"]),
    ("compare.csv", 0, &["compare", "ash.csv", "old_elm.csv", "--format=csv"]),
    ("compare.json", 0, &["compare", "ash.csv", "old_elm.csv", "--format=json"]),
    ("compare.html", 0, &["compare", "ash.csv", "old_elm.csv", "--format=html"]),
    ("run.txt", 0, &["report", "run.json"]),
    ("run.csv", 0, &["report", "run.json", "--format=csv"]),
    ("run.prom", 0, &["report", "run.json", "--format=prometheus"]),
    ("run-google.json", 0, &["report", "run.json", "--format=google-benchmark"]),
    ("run.html", 0, &["report", "run.json", "--format=html"]),
];

#[test]
fn what_is_said_of_collections_is_as_it_was_recorded() {
    let dir = Dir::in_memory();
    // Where files lie is said, and how deep, and who asks.
    let is_as_recorded = dir.root().starts_with("/dev/shm") && rustix::process::geteuid().is_root();
    if !crate::work::needs(is_as_recorded, "a file system in /dev/shm, and root") {
        return;
    }
    // What was written a moment ago is read once more by the next audit, if that comes soon enough.
    let dir = crate::collection_report::told_in(dir, crate::keeper::settle);
    compare(&dir, OF_COLLECTIONS);
}

#[test]
fn what_is_said_of_files_and_lists_is_as_it_was_recorded() {
    let dir = Dir::in_memory();
    dir.write("t/a", "one").write("t/b", "two").write(b"t/\xff", "three").write("t/gone", "four");
    for (name, pieces) in [("list", None), ("pieces", Some("--pieces=1"))] {
        let words = ["sum", "-q", "--manifest-format=jsonl", "--no-header", "-o", name, "t"];
        dir.hashlane(words).args(pieces).run().code(0);
    }
    dir.write("t/b", "twisted").write("t/copy", "one").write("t/moved", "four");
    fs::remove_file(dir.path("t/gone")).unwrap();
    dir.hashlane(["sum", "-q", "--manifest-format=jsonl", "--no-header", "-o", "now", "t"]).run().code(0);
    dir.write("bag/data/a", "one").write("bag/data/b", "two");
    dir.write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    let [one, other] = ["one", "other"].map(|content| crate::work::digest("md5", content));
    dir.write("bag/manifest-md5.txt", format!("{one}  data/a\n{other}  data/b\n"));
    compare(&dir, OF_LISTS);
}

#[test]
fn what_is_said_of_measurements_is_as_it_was_recorded() {
    let dir = crate::compare::fixtures();
    dir.write("run.json", fs::read(folder().join("../runs/check-up.json")).unwrap());
    compare(&dir, OF_RUNS);
}

/// No record is of a command that is no longer run.
#[test]
fn each_record_is_of_a_command() {
    let all = [OF_COLLECTIONS, OF_LISTS, OF_RUNS].concat();
    let names: BTreeSet<_> = all.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(names.len(), all.len(), "two commands with one record");
    let kept = fs::read_dir(folder()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(kept.collect::<BTreeSet<_>>(), names);
}
