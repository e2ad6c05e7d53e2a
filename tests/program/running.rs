//! An audit in one process, and what others see of it meanwhile.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::keeper::kept;
use crate::states::begin;
use crate::work::{Dir, Running};

/// How long a test waits for what has to come.
const LIMIT: Duration = Duration::from_secs(60);

/// What `status --format json` says.
fn status(dir: &Dir) -> Value {
    let ran = dir.keeper(["status", "--format", "json"]).run().code(0);
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// Waits until what is reported of the only audit that runs is as it should be.
#[track_caller]
fn wait_until(dir: &Dir, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + LIMIT;
    loop {
        let status = status(dir);
        let running = &status["collections"][0]["running"];
        assert!(running.is_object(), "{what}: nothing runs: {status}");
        if is_so(running) {
            return status;
        }
        assert!(Instant::now() < end, "{what}: {running}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// A tree of a few small files that is registered.
fn registered() -> Dir {
    let dir = Dir::new();
    for number in 0..20 {
        dir.write(format!("tree/{number:02}"), [b'x'; 100]);
    }
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    dir
}

#[test]
fn a_first_audit_is_seen_while_it_runs_and_nothing_is_called_well_by_it() {
    let dir = registered();
    let audit = begin(&dir);
    let first = wait_until(&dir, "small files are read", |running| {
        running["phase"] == "reading" && number(&running["files"]) >= 20 && number(&running["bytes"]) > 2000
    });
    let running = &first["collections"][0]["running"];
    // All is chosen: twenty small ones, and the large one that it is about.
    assert_eq!(number(&running["planned_bytes"]), 8_000_000 + 2000, "{running}");
    let before = number(&running["bytes"]);
    let later = wait_until(&dir, "more of the large file is read", |running| {
        number(&running["bytes"]) > before && running["bytes_per_second"].is_number()
    });
    let (sentence, of) = (later["sentence"].as_str().unwrap(), &later["collections"][0]);
    assert!(sentence.ends_with("; t is being audited") && !sentence.contains("all is well"), "{sentence}");
    assert!(["never audited", "first audit not over"].contains(&of["state"].as_str().unwrap()), "{of}");
    assert_eq!((&of["told"], &of["last_outcome"]), (&"running".into(), &"running".into()));
    for time in ["began", "at"] {
        let time = of["running"][time].as_str().unwrap();
        assert!(time.parse::<jiff::Timestamp>().is_ok() && time.ends_with('Z'), "{time}");
    }
    let text = String::from_utf8(dir.keeper(["status"]).run().code(0).stdout).unwrap();
    assert!(text.contains(", running ") && text.contains("t: an audit is running since "), "{text}");
    assert!(text.contains("reading ") && !text.contains("goes on"), "{text}");
    let report = dir.keeper(["collection", "report"]).run().code(0);
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(!report.contains("interrupted"), "{report}");
    audit.signal(Signal::KILL);
    audit.wait().died_by(Signal::KILL);
    let after = &status(&dir)["collections"][0];
    assert_eq!((&after["told"], &after["last_outcome"]), (&"interrupted".into(), &"interrupted".into()));
    assert_eq!(after["running"], Value::Null);
    let text = String::from_utf8(dir.keeper(["status"]).run().code(0).stdout).unwrap();
    assert!(text.contains("ended without a result") && !text.contains("running"), "{text}");
}

/// An audit of a registered tree that takes some seconds.
fn slow(dir: &Dir) -> Running {
    dir.keeper(["audit", "t", "--max-rate", "512KiB"]).interruptible().start()
}

/// What `status --follow --format json` writes beside an audit of some seconds.
pub(crate) fn followed() -> Vec<u8> {
    let dir = registered();
    dir.write("tree/large", vec![b'x'; 2_000_000]);
    let audit = slow(&dir);
    wait_until_begun(&dir);
    let ran = dir.keeper(["status", "--follow", "--format", "json"]).run().code(0);
    audit.wait().code(0);
    ran.stdout
}

pub(crate) fn wait_until_begun(dir: &Dir) {
    let end = Instant::now() + LIMIT;
    while status(dir)["collections"][0]["running"].is_null() {
        assert!(Instant::now() < end, "nobody audits it");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_audit_is_followed_to_its_end_and_then_told_as_by_a_status() {
    let dir = registered();
    dir.write("tree/large", vec![b'x'; 1_500_000]);
    // What later ones are compared with.
    slow(&dir).wait().code(0);
    std::fs::remove_file(dir.path("tree/00")).unwrap();
    let audit = slow(&dir);
    wait_until_begun(&dir);
    let json = dir.keeper(["status", "t", "--follow", "--check", "--format", "json"]).start();
    let text = dir.keeper(["status", "--follow"]).start();
    let said = text.wait_within(LIMIT).expect("it ends").code(0);
    let ran = json.wait_within(LIMIT).expect("it ends").code(2);
    audit.wait().code(2);
    let lines: Vec<Value> =
        serde_json::Deserializer::from_slice(&ran.stdout).into_iter().collect::<Result<_, _>>().unwrap();
    assert_eq!(ran.stdout.iter().filter(|byte| **byte == b'\n').count(), lines.len(), "an object a line");
    let (last, lines) = lines.split_last().unwrap();
    assert_eq!(last["schema"], "hashlane-collection-status");
    let of = &last["collections"][0];
    assert_eq!((&of["state"], &of["running"]), (&"attention".into(), &Value::Null));
    let reading: Vec<_> = lines.iter().filter(|line| line["phase"] == "reading").collect();
    assert!(!reading.is_empty(), "{lines:?}");
    for line in &reading {
        assert_eq!(
            (&line["schema"], &line["collection"]),
            (&"hashlane-collection-progress".into(), &"t".into())
        );
        let share = line["share"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&share), "{line}");
        assert!(number(&line["best_bytes_per_second"]) > 0, "{line}");
        assert_eq!(line["best_measured_by"], "audits");
    }
    let bytes: Vec<_> = reading.iter().map(|line| number(&line["bytes"])).collect();
    assert!(bytes.is_sorted() && bytes.last() > Some(&0), "{bytes:?}");
    assert!(said.stderr.lines().any(|line| line.starts_with("t: reading ")), "{}", said.stderr);
    let shown = String::from_utf8(said.stdout).unwrap();
    assert!(shown.starts_with("1 collection: t needs a person\n"), "{shown}");
}

#[test]
fn who_follows_stops_by_a_signal_and_is_told_when_the_audit_dies() {
    let dir = registered();
    let audit = begin(&dir);
    let follow = || {
        let mut follow = dir.keeper(["status", "--follow"]).interruptible().start();
        follow.wait_for("t: reading ");
        follow
    };
    let stopped = follow();
    stopped.signal(Signal::INT);
    let ran = stopped.wait_within(LIMIT).expect("it ends").died_by(Signal::INT);
    assert!(ran.stdout.is_empty(), "{:?}", ran.stdout);
    // The audit has not heard of it.
    wait_until(&dir, "it goes on", |_| true);
    let follow = follow();
    audit.signal(Signal::KILL);
    audit.wait().died_by(Signal::KILL);
    let ran = follow.wait_within(LIMIT).expect("it ends").code(0);
    let shown = String::from_utf8(ran.stdout).unwrap();
    assert!(shown.contains("t: its last audit, begun ") && shown.contains("without a result"), "{shown}");
}

#[test]
fn where_nothing_runs_the_status_is_all_there_is_to_follow() {
    let dir = kept(&[]);
    let told = |arguments: &[&str]| {
        let ran = dir.keeper([&["status", "--format", "json"], arguments].concat()).run().code(0);
        serde_json::from_slice::<Value>(&ran.stdout).unwrap()
    };
    assert_eq!(told(&["--follow"]), told(&[]));
    let none = Dir::new();
    let said = |arguments: &[&str]| {
        let ran = none.keeper([&["status", "--check"], arguments].concat()).run().code(64);
        ran.stderr
    };
    assert_eq!(said(&["--follow"]), said(&[]));
}
