//! The table of states: each is made for real, and ends, is shown and is reported as the table says.

use hashlane_keeper::{Condition, Told};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::keeper::{nobody, raw, settle};
use crate::work::Dir;

/// How a state is made, and how the last audit ended then; nothing where there is none that has ended.
type Scene = fn(&Dir) -> Option<i32>;

/// A tree of a hundred files that is registered, and was not audited yet.
fn registered(terms: &[&str]) -> Dir {
    let dir = Dir::new();
    for number in 0..100 {
        dir.write(format!("tree/d{}/{number}", number % 4), format!("content {number}"));
    }
    dir.keeper([&["collection", "add", "t", "tree"], terms].concat()).run().code(0);
    dir
}

fn audit(dir: &Dir, arguments: &[&str]) -> Option<i32> {
    dir.keeper([&["audit", "t"], arguments].concat()).run().status.code()
}

/// Makes all that was done `days` days older.
fn age(dir: &Dir, days: i64) {
    let raw = raw(dir);
    let seconds = days * 24 * 3600;
    let sql = format!(
        "UPDATE stint SET started_s = started_s - {seconds};
         UPDATE run SET started_s = started_s - {seconds}, ended_s = ended_s - {seconds};
         UPDATE collection SET created_s = created_s - {seconds}, listed_s = listed_s - {seconds}"
    );
    raw.execute_batch(&sql).unwrap();
}

fn mode(dir: &Dir, name: &str, mode: u32) {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    fs::set_permissions(dir.path(name), permissions).unwrap();
}

/// Begins an audit that takes long, and waits until it has the collection.
pub(crate) fn begin(dir: &Dir) -> crate::work::Running {
    dir.write("tree/large", vec![b'x'; 8_000_000]);
    let slow = dir.keeper(["audit", "t", "--max-rate", "256KiB"]).interruptible().start();
    let lock = dir.path("catalog.sqlite.audit-1");
    let end = Instant::now() + Duration::from_secs(20);
    let begun = || {
        raw(dir)
            .query_row("SELECT count(*) FROM run WHERE outcome IS NULL", [], |row| row.get::<_, i64>(0))
            .unwrap_or(0)
    };
    while fs::read(&lock).map_or(0, |text| text.len()) == 0 || begun() == 0 {
        assert!(Instant::now() < end, "nobody audits it");
        thread::sleep(Duration::from_millis(10));
    }
    slow
}

/// A part of the day that is far from now.
fn never() -> String {
    let hour = |ahead: i64| {
        let now = jiff::Zoned::now().checked_add(jiff::Span::new().hours(ahead)).unwrap();
        format!("{:02}:00", now.hour())
    };
    format!("{}-{}", hour(4), hour(8))
}

/// What `status --format json` says of the only collection.
fn status(dir: &Dir) -> serde_json::Value {
    let ran = dir.keeper(["status", "--format", "json"]).run().code(0);
    serde_json::from_slice::<serde_json::Value>(&ran.stdout).unwrap()["collections"][0].clone()
}

/// The terms of a collection, whether it is audited first, and what happens then.
fn scene(told: Told) -> (&'static [&'static str], bool, Scene) {
    match told {
        Told::Is(Condition::Held) => (&[], true, |dir| {
            for part in ["d0", "d1", "d2"] {
                fs::remove_dir_all(dir.path(format!("tree/{part}"))).unwrap();
            }
            audit(dir, &[])
        }),
        Told::Is(Condition::Refused) => (&[], true, |dir| {
            for name in ["catalog.sqlite", ".", "catalog.sqlite.audit-1"] {
                mode(dir, name, 0o777);
            }
            mode(dir, "tree", 0o000);
            let code = nobody(dir, &["audit", "t"]).run().status.code();
            mode(dir, "tree", 0o755);
            code
        }),
        Told::Is(Condition::Offline) => (&[], true, |dir| {
            fs::rename(dir.path("tree"), dir.path("away")).unwrap();
            audit(dir, &[])
        }),
        Told::Is(Condition::Attention) => (&[], true, |dir| {
            dir.corrupt("tree/d0/0", "CONTENT 0");
            audit(dir, &[])
        }),
        Told::Is(Condition::Silent) => (&[], true, |dir| {
            age(dir, 10);
            None
        }),
        Told::Is(Condition::Late) => (&["--every", "30d"], true, |dir| {
            age(dir, 40);
            audit(dir, &["--files", "1"])
        }),
        Told::Is(Condition::Empty) => (&[], false, |dir| {
            fs::remove_dir_all(dir.path("tree")).unwrap();
            dir.make("tree");
            audit(dir, &[])
        }),
        Told::Is(Condition::NeverAudited) => (&[], false, |_| None),
        Told::Is(Condition::Away) => (&["--removable"], true, |dir| {
            fs::rename(dir.path("tree"), dir.path("away")).unwrap();
            audit(dir, &[])
        }),
        Told::Is(Condition::FirstNotOver) => (&[], false, |dir| audit(dir, &["--files", "10"])),
        Told::Is(Condition::Ok) => (&[], true, |dir| audit(dir, &[])),
        Told::Interrupted => (&[], false, |dir| {
            let slow = begin(dir);
            slow.signal(Signal::KILL);
            slow.wait().died_by(Signal::KILL);
            None
        }),
        // It is well, and stays so.
        Told::Skipped => (&[], true, |dir| audit(dir, &["--between", &never()])),
        Told::Running => unreachable!("it is looked at while it runs"),
    }
}

/// The exit codes that the words of the table allow.
fn allows(words: &str, code: Option<i32>) -> bool {
    match code {
        None => words.starts_with("none") || words.starts_with("that of the signal"),
        Some(8) if words == "the bits of its findings" => true,
        Some(code) => words.split([' ', ';']).next() == Some(&code.to_string()),
    }
}

#[test]
fn each_state_is_made_shown_and_told_as_the_table_says() {
    let told: Vec<_> = Told::all().collect();
    let mut rows = Vec::new();
    let made: Vec<_> = told
        .iter()
        .filter(|told| **told != Told::Running)
        .map(|told| {
            let (terms, is_audited, happens) = scene(*told);
            (*told, registered(terms), is_audited, happens)
        })
        .collect();
    settle();
    for (told, dir, is_audited, happens) in made {
        if is_audited {
            assert_eq!(audit(&dir, &[]), Some(0), "{}", told.name());
        }
        let code = happens(&dir);
        assert!(allows(told.code(), code), "{}: {code:?}, and not {}", told.name(), told.code());
        let status = status(&dir);
        // What was not begun leaves no trace in the collection.
        let shown = if told == Told::Skipped { Told::Is(Condition::Ok) } else { told };
        assert_eq!(
            (&status["told"], &status["heartbeat"]),
            (&shown.name().into(), &shown.heartbeat().name().into()),
            "{status}"
        );
        if let Told::Is(condition) = told {
            // What is away is offline.
            assert_eq!(status["state"], condition.state(), "{}", told.name());
            assert_eq!(status["offline_since"].is_string(), condition.state() == "offline", "{status}");
        }
        assert_eq!(status["running"], serde_json::Value::Null, "{}", told.name());
        rows.push(told);
    }
    let dir = registered(&[]);
    let running = begin(&dir);
    let status = status(&dir);
    assert_eq!((&status["told"], &status["heartbeat"]), (&"running".into(), &"start".into()));
    // Beside it stands what was known before.
    assert_eq!((&status["state"], &status["last_outcome"]), (&"never audited".into(), &"running".into()));
    assert!(status["running"].is_object(), "{status}");
    running.signal(Signal::KILL);
    running.wait().died_by(Signal::KILL);
    assert_eq!(rows.len() + 1, told.len());
    let table: String = std::iter::once(
        "| outcome | exit code of the audit | sent to a monitor | somebody is told |\n|---|---|---|---|\n"
            .to_owned(),
    )
    .chain(told.iter().map(|told| {
        let heartbeat = told.heartbeat().name();
        format!("| {} | {} | {heartbeat} | {} |\n", told.name(), told.code(), told.message())
    }))
    .collect();
    println!("{table}");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/outcomes.md");
    assert!(fs::read_to_string(page).unwrap().contains(&table), "docs/outcomes.md is to show\n{table}");
}
