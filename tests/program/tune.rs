//! `hashlane tune`: what it keeps, who reads by it, what it makes of bad input.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::work::{Dir, Ran};

/// A short tuning whose profile goes to `cache`.
fn tune(dir: &Dir, more: &[&str]) -> Ran {
    dir.make("disk");
    dir.hashlane(["tune", "disk", "--budget", "1s", "--cache", "cache"]).args(more).run()
}

fn names(dir: &Dir, below: &str) -> Vec<String> {
    let entries = fs::read_dir(dir.path(below)).expect("a directory");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// What `sum` says beside its lines.
fn said_by_sum(dir: &Dir, more: &[&str]) -> String {
    dir.write("disk/file", b"abc");
    dir.hashlane(["sum", "disk", "--cache", "cache"]).args(more).run().code(0).stderr
}

#[test]
fn a_profile_is_kept_and_sum_and_check_read_by_it_and_say_so() {
    let dir = Dir::new();
    let ran = tune(&dir, &[]).code(0);
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    for part in [
        "Ways to read from",
        "small files, cold",
        "large file, cold",
        "large file, warm",
        "chosen",
        "Chosen: cold small files ",
    ] {
        assert!(printed.contains(part), "{part}:\n{printed}");
    }
    assert_eq!(names(&dir, "disk"), [""; 0], "test files are gone");
    let kept = names(&dir, "cache");
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(
        ran.stderr.contains(&format!("saved in cache/{}; sum and check use it", kept[0])),
        "{}",
        ran.stderr
    );
    let profile: Value = serde_json::from_slice(&dir.read(format!("cache/{}", kept[0]))).expect("JSON");
    assert_eq!(profile["schema"], "hashlane-device-profile");
    assert!(profile["cells"].as_array().is_some_and(|cells| cells.len() > 20));

    let said = said_by_sum(&dir, &[]);
    assert!(said.contains("read as tuned for ") && said.contains(": cold small files "), "{said}");
    dir.hashlane(["sum", "disk", "-o", "SHA256SUMS"]).run().code(0);
    let ran = dir.hashlane(["check", "SHA256SUMS", "--cache", "cache"]).run().code(0);
    assert!(ran.stderr.contains("read as tuned for "), "{}", ran.stderr);
    for otherwise in [&["--no-profile"][..], &["--engine", "buffered"], &["--quiet"]] {
        let said = said_by_sum(&dir, otherwise);
        assert!(!said.contains("tuned"), "{otherwise:?}: {said}");
    }
}

#[test]
fn a_profile_that_is_damaged_or_cannot_be_read_by_is_as_if_it_were_not_there() {
    let dir = Dir::new();
    tune(&dir, &[]).code(0);
    let kept = format!("cache/{}", names(&dir, "cache")[0]);
    let text = String::from_utf8(dir.read(&kept)).expect("text");
    let wrong = [
        String::new(),
        text[..text.len() / 2].to_owned(),
        text.replace("\"schema_version\": 1", "\"schema_version\": 9"),
        text.replace("\"in_flight\": ", "\"in_flight\": 99999"),
        text.replace("\"engine\": ", "\"engine\": \"null\", \"was\": "),
    ];
    for damaged in wrong {
        assert_ne!(damaged, text);
        dir.write(&kept, &damaged);
        let said = said_by_sum(&dir, &[]);
        assert!(!said.contains("tuned"), "{said}");
    }
    // The next tuning puts it right.
    tune(&dir, &[]).code(0);
    assert!(said_by_sum(&dir, &[]).contains("tuned"));
}

#[test]
fn every_profile_gives_the_same_lines() {
    let dir = Dir::new();
    tune(&dir, &[]).code(0);
    let kept = format!("cache/{}", names(&dir, "cache")[0]);
    let mut profile: Value = serde_json::from_slice(&dir.read(&kept)).expect("JSON");
    for (number, length) in [0, 1, 5_000, 200_000, 3_000_000, 40_000_000].into_iter().enumerate() {
        dir.write(format!("files/{number}"), vec![number as u8; length]);
    }
    let sum = |algorithm: &str| {
        let ran = dir.hashlane(["sum", "-a", algorithm, "files", "--cache", "cache"]).run().code(0);
        (ran.stdout, ran.stderr)
    };
    let plain = dir.hashlane(["sum", "-a", "sha256,blake3", "files", "--no-profile"]).run().code(0).stdout;
    for (small, cold, warm, order) in [
        ("uring", "direct", "mmap", "on-disk"),
        ("buffered", "mmap", "direct", "inputs"),
        ("uring", "buffered", "buffered", "inputs"),
    ] {
        profile["small_files"]["engine"] = small.into();
        profile["cold_large_files"]["engine"] = cold.into();
        profile["warm_large_files"]["engine"] = warm.into();
        profile["order"] = order.into();
        dir.write(&kept, profile.to_string());
        let (lines, said) = sum("sha256,blake3");
        assert!(said.contains(&format!("cold small files {small},")), "{said}");
        assert!(lines == plain, "{small} {cold} {warm} {order}");
    }
}

#[test]
fn what_cannot_be_tuned_or_kept_is_a_clear_error() {
    let dir = Dir::new();
    let ran = dir.hashlane(["tune", "missing", "--cache", "cache"]).run().code(64);
    assert!(ran.stderr.contains("PATH missing: "), "{}", ran.stderr);
    dir.write("file", b"x");
    let ran = dir.hashlane(["tune", "file", "--cache", "cache"]).run().code(64);
    assert!(ran.stderr.contains("PATH file: is not a directory"), "{}", ran.stderr);
    let ran = dir.hashlane(["tune", ".", "--cache", "file/below"]).run().code(74);
    assert!(ran.stderr.contains("the profile cannot be saved"), "{}", ran.stderr);
    let ran = dir.hashlane(["tune", "/proc", "--cache", "cache"]).run().code(64);
    assert!(
        ran.stderr.contains("/proc: ") && ran.stderr.contains("name another directory"),
        "{}",
        ran.stderr
    );
    let ran = tune(&dir, &["--no-save"]).code(0);
    assert!(!ran.stderr.contains("saved in") && names(&dir, "cache").is_empty(), "{}", ran.stderr);
    let ran = tune(&dir, &["--json", "--no-save"]).code(0);
    let profile: Value = serde_json::from_slice(&ran.stdout).expect("nothing but JSON");
    assert_eq!(profile["schema"], "hashlane-device-profile");
}

#[test]
fn little_memory_is_the_reason_where_it_is_and_not_the_directory() {
    let dir = Dir::new();
    dir.make("disk");
    let ran = dir.shell("ulimit -v 400000; exec \"$0\" tune disk --budget 1s --cache cache").run().code(64);
    for part in
        ["an eighth of the free memory", "free some memory, or raise its limit (ulimit -v, memory.max)"]
    {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("name another directory"), "{}", ran.stderr);
}

#[test]
fn without_rights_caches_are_not_dropped() {
    let dir = Dir::new();
    let ran = dir.hashlane(["tune", "--drop-caches", "--no-save", "/tmp"]).without_rights().run().code(64);
    assert!(ran.stderr.contains("--drop-caches: ") && ran.stderr.contains("needs root"), "{}", ran.stderr);
}

#[test]
fn an_interrupted_tuning_keeps_nothing_and_leaves_nothing() {
    let dir = Dir::new();
    dir.make("disk");
    let arguments = ["tune", "disk", "--budget", "60s", "--cache", "cache", "--progress", "json"];
    let mut running = dir.hashlane(arguments).interruptible().start();
    running.wait_for("hashlane-bench-progress");
    running.signal(Signal::INT);
    let ran = running.wait().died_by(Signal::INT);
    assert!(ran.stderr.contains("nothing is saved"), "{}", ran.stderr);
    assert_eq!((names(&dir, "disk"), names(&dir, "cache")), (vec![], vec![]));
}
