//! One table of what is known and what is seen, and everybody who judges it.
//!
//! `tests/fixtures/verdicts.json` is read by the tests of the libraries and of the module for Python, too.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde_json::Value;

use crate::work::{Dir, Ran, digest};

/// A file as it is known and as it is seen, and the verdict.
struct Case {
    name: String,
    about: String,
    verdict: String,
    /// That of who knows neither sizes nor times.
    by_digests: String,
}

/// The table as a tree `t`, and `LIST.jsonl` of what is known of it.
fn table() -> (Dir, Vec<Case>) {
    let table: Value = serde_json::from_str(include_str!("../fixtures/verdicts.json")).unwrap();
    let (dir, mut list, mut cases) = (Dir::new(), String::new(), Vec::new());
    for (number, case) in table["cases"].as_array().unwrap().iter().enumerate() {
        let (known, seen) = (&case["known"], &case["seen"]);
        let name = format!("c{number:02}");
        let path = format!("t/{name}");
        let content = seen["content"].as_str().unwrap();
        dir.write(&path, content).set_modified(&path, time(&seen["modified"]));
        let digests = ["md5", "sha256"].map(|algorithm| {
            let digest = digest(algorithm, known[algorithm].as_str().unwrap());
            format!("\"{algorithm}\":\"{digest}\"")
        });
        let mut facts = String::new();
        if let Some(size) = known["size_bytes"].as_u64() {
            facts += &format!(",\"size_bytes\":{size}");
        }
        if let Some(modified) = known["modified"].as_str() {
            facts += &format!(",\"mtime\":\"{modified}\"");
        }
        list += &format!(
            "{{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"{path}\"{facts},\"digests\":{{{}}}}}\n",
            digests.join(",")
        );
        let text = |key: &str| case[key].as_str().unwrap().to_owned();
        cases.push(Case {
            name,
            about: text("case"),
            verdict: text("verdict"),
            by_digests: text("by_digests"),
        });
    }
    dir.write("LIST.jsonl", list);
    (dir, cases)
}

fn time(value: &Value) -> SystemTime {
    let time: Timestamp = value.as_str().unwrap().parse().unwrap();
    let (seconds, nanos) =
        (time.as_second().try_into().unwrap(), time.subsec_nanosecond().try_into().unwrap());
    SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos)
}

/// The bit of an exit code.
fn bit(verdict: &str) -> i32 {
    match verdict {
        "ok" | "same" | "registered" => 0,
        "changed" | "mismatch" | "collision" => 4,
        "corrupt" => 8,
        other => panic!("{other}"),
    }
}

/// What a command says of each file, by the last part of its name.
fn said(ran: &Ran, key: &str) -> BTreeMap<String, String> {
    let of = |object: &Value| {
        let path = object["path"].as_str()?;
        Some((path.rsplit('/').next()?.to_owned(), object[key].as_str()?.to_owned()))
    };
    ran.objects().iter().filter_map(of).collect()
}

/// Compares what a judge says with the table. Whoever says nothing of a file says that it is well.
#[track_caller]
fn agrees(
    judge: &str,
    cases: &[Case],
    ran: &Ran,
    said: &BTreeMap<String, String>,
    expected: impl Fn(&Case) -> String,
) {
    let mut bits = 0;
    let mut differences = Vec::new();
    for case in cases {
        let expected = expected(case);
        bits |= bit(&expected);
        let said = said.get(&case.name).map_or("ok", String::as_str);
        if said != expected {
            differences.push(format!("{} ({}): {said}, not {expected}", case.name, case.about));
        }
    }
    assert!(differences.is_empty(), "{judge}:\n{}\n{}", differences.join("\n"), ran.stderr);
    assert_eq!(ran.status.code(), Some(bits), "{judge}: {}", ran.stderr);
}

/// What a check calls it.
fn in_a_check(verdict: &str) -> String {
    if verdict == "changed" { "mismatch".into() } else { verdict.into() }
}

#[test]
fn a_content_has_one_verdict_whoever_judges_it() {
    let (dir, cases) = table();
    let json = ["--format", "json"];

    let ran = dir.hashlane(["check", "--audit", "--root", "t", "LIST.jsonl"]).args(json).run();
    agrees("check --audit", &cases, &ran, &said(&ran, "verdict"), |case| case.verdict.clone());

    let ran = dir.hashlane(["check", "LIST.jsonl"]).args(json).run();
    agrees("check", &cases, &ran, &said(&ran, "verdict"), |case| in_a_check(&case.verdict));

    let ran = dir.hashlane(["diff", "LIST.jsonl", "t", "--format", "json"]).run();
    agrees("diff", &cases, &ran, &said(&ran, "difference"), |case| case.verdict.clone());
}

#[test]
fn a_collection_has_the_verdicts_of_a_list_and_an_update_keeps_what_is_damaged() {
    let (dir, cases) = table();
    let list = String::from_utf8(dir.read("LIST.jsonl")).unwrap().replace("\"t/c", "\"c");
    dir.write("known.jsonl", list);
    for policy in [&["--frozen"][..], &[]] {
        let _ = fs::remove_file(dir.path("catalog.sqlite"));
        let add = ["collection", "add", "t", "t", "-a", "md5,sha256", "--hold-files", "1000"];
        dir.keeper([&add, policy].concat()).run().code(0);
        dir.keeper(["collection", "import", "t", "known.jsonl"]).run().code(0);
        let ran = dir.keeper(["audit", "t", "--format", "json"]).run();
        agrees(&format!("audit {policy:?}"), &cases, &ran, &said(&ran, "verdict"), |case| {
            case.verdict.clone()
        });
        let ran = dir.keeper(["status", "--check"]).run();
        ran.code(cases.iter().map(|case| bit(&case.verdict)).fold(0, |one, other| one | other));
    }
    // All of it is read: its change times are later than the list.
    let header =
        r#"{"schema":"hashlane-manifest","version":1,"header":{"started":"2000-01-01T00:00:00.000000000Z"}}"#;
    let list = [header.as_bytes(), b"\n", &dir.read("LIST.jsonl")].concat();
    dir.write("OLD.jsonl", list);
    let ran = dir.hashlane(["sum", "--update", "OLD.jsonl", "--fail-on-change", "t"]).run();
    let of = |case: &Case| {
        let path = format!("t/{}", case.name);
        match () {
            () if ran.stderr.contains(&format!("{path}: corrupt: ")) => "corrupt",
            () if ran.stderr.contains(&format!("{path}: collision: ")) => "collision",
            () if ran.stderr.contains(&format!("changed: {path}\n")) => "changed",
            () => "ok",
        }
    };
    let said = cases.iter().map(|case| (case.name.clone(), of(case).to_owned())).collect();
    agrees("sum --update", &cases, &ran, &said, |case| case.verdict.clone());
    // What is damaged, or looks so, keeps its entry.
    let entry = |list: &str, name: &str| {
        let text = String::from_utf8(dir.read(list)).unwrap();
        let row = text.lines().find(|row| row.contains(&format!("\"t/{name}\""))).unwrap().to_owned();
        serde_json::from_str::<Value>(&row).unwrap()
    };
    for case in cases.iter().filter(|case| ["corrupt", "collision"].contains(&&case.verdict[..])) {
        let [before, after] = ["LIST.jsonl", "OLD.jsonl"].map(|list| entry(list, &case.name));
        for key in ["digests", "size_bytes"] {
            assert_eq!(after[key], before[key], "{}: {key}", case.about);
        }
        let modified = [before, after].map(|row| row.get("mtime").map(time));
        assert_eq!(modified[0], modified[1], "{}", case.about);
    }
}

#[test]
fn whoever_calls_a_file_corrupt_says_of_its_size_and_time_what_is_known() {
    let (dir, name) = (Dir::new(), "t/f");
    let by_both = "neither size nor time says that it was written";
    let by_time = "its time does not say that it was written";
    let cut_short = "shorter than listed, and its time does not say that it was written";
    for (is_size_listed, content, reason) in [
        (true, "FIRST TEXT!", by_both),
        (true, "first", cut_short),
        (true, "", cut_short),
        (false, "FIRST TEXT!", by_time),
        (false, "first", by_time),
        (false, "first text! and more", by_time),
    ] {
        // The listed time is that of the file as tar keeps it.
        dir.write(name, content);
        dir.set_modified(name, SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 500_000_001));
        let (column, size) = if is_size_listed { (",size_bytes", ",11") } else { ("", "") };
        let listed = digest("sha256", "first text!");
        dir.write(
            "LIST.csv",
            format!("path{column},mtime,sha256\n{name}{size},2001-09-09T01:46:40Z,{listed}\n"),
        );

        let ran = dir.hashlane(["check", "LIST.csv"]).run().code(8);
        ran.printed(format!("{name}: FAILED (corrupt: {reason})\n"));
        let ran = dir.hashlane(["check", "--audit", "--root", "t", "LIST.csv"]).run().code(8);
        ran.printed(format!("{name}: CORRUPT ({reason})\n"));
        let ran = dir.hashlane(["diff", "LIST.csv", "t"]).run().code(8);
        ran.printed(format!("{name}: CORRUPT ({})\n", reason.replace("than listed", "in B")));
        let ran = dir.hashlane(["sum", "--update", "LIST.csv", "t"]).run().code(8);
        ran.said_among_others(&[&format!("{name}: corrupt: {reason}; its listed entry is kept")]);
        let ran = dir.hashlane(["convert", "--add", "sha1", "LIST.csv", "-"]).run().code(8);
        let what = format!("sha256 is {}, not {listed} as listed", digest("sha256", content));
        ran.said_among_others(&[&format!("LIST.csv: line 2: {name}: {what}; {reason}")]);
    }
}

#[test]
fn an_update_says_of_a_collision_what_is_known_of_its_size() {
    let dir = Dir::new();
    dir.write("t/f", "first text!");
    let [md5, sha256, other] = [("md5", "first text!"), ("sha256", "first text!"), ("sha256", "FIRST TEXT!")]
        .map(|(algorithm, content)| digest(algorithm, content));
    for (size, sha256, what) in [
        ("", &other, "one digest is as listed, another is not"),
        ("11", &other, "one digest is as listed, another is not"),
        ("40", &sha256, "a digest is as listed, the size is not"),
    ] {
        let list = format!("path,size_bytes,md5,sha256\nt/f,{size},{md5},{sha256}\n");
        dir.write("LIST.csv", &list);
        let ran = dir.hashlane(["sum", "--update", "LIST.csv", "t"]).run().code(4);
        ran.said_among_others(&[&format!(
            "t/f: collision: {what}; its listed entry is kept until you take it out"
        )]);
        let kept = String::from_utf8(dir.read("LIST.csv")).unwrap();
        assert!(kept.contains(sha256), "{kept}");
    }
}

#[test]
fn a_bag_knows_neither_times_nor_sizes_and_judges_by_the_same_rule() {
    let (dir, cases) = table();
    dir.make("bag");
    fs::rename(dir.path("t"), dir.path("bag/data")).unwrap();
    dir.write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    let table: Value = serde_json::from_str(include_str!("../fixtures/verdicts.json")).unwrap();
    for algorithm in ["md5", "sha256"] {
        let known = table["cases"].as_array().unwrap().iter().zip(&cases);
        let line = |(case, Case { name, .. }): (&Value, &Case)| {
            format!("{}  data/{name}\n", digest(algorithm, case["known"][algorithm].as_str().unwrap()))
        };
        dir.write(format!("bag/manifest-{algorithm}.txt"), known.map(line).collect::<String>());
    }
    let ran = dir.hashlane(["bag", "validate", "bag", "--format", "json"]).run();
    agrees("bag validate", &cases, &ran, &said(&ran, "verdict"), |case| in_a_check(&case.by_digests));
}
