//! Runs that leave the devices to others: `--max-rate` and `--nice-io`.

use std::time::{Duration, Instant};

use crate::work::{Dir, digest, gnu};

#[test]
fn a_limited_rate_is_not_exceeded_and_the_work_goes_on_meanwhile() {
    let dir = Dir::new();
    // At this rate the least time that it takes is a second less what the bucket holds.
    let content = vec![7; 10_000_000];
    dir.write("large", &content).write("SHA256SUMS", format!("{}  large\n", digest("sha256", &content)));
    for command in [&["sum", "large"][..], &["check", "SHA256SUMS"]] {
        let begun = Instant::now();
        let ran = dir.hashlane(command).args(["--max-rate", "10MB", "--progress", "json"]).run().code(0);
        assert!(begun.elapsed() >= Duration::from_millis(900), "{:?}", begun.elapsed());
        let parse = |line| serde_json::from_str::<serde_json::Value>(line).ok();
        let lines: Vec<_> = ran.stderr.lines().filter_map(parse).collect();
        let digested: Vec<_> = lines.iter().map(|line| line["digested_bytes"].as_u64().unwrap()).collect();
        assert!(digested.iter().any(|bytes| (1..10_000_000).contains(bytes)), "{digested:?}");
        assert_eq!(digested.last(), Some(&10_000_000));
    }
}

#[test]
fn an_interrupt_does_not_wait_for_the_rate() {
    let dir = Dir::new();
    dir.write("large", vec![7; 30_000_000]);
    // It would take two minutes.
    let mut run =
        dir.hashlane(["sum", "--max-rate=256KiB", "--progress=json", "large"]).interruptible().start();
    run.wait_for("hashlane-progress");
    run.signal(rustix::process::Signal::INT);
    run.wait_for("stopping: ");
    run.wait().died_by(rustix::process::Signal::INT);
}

#[test]
fn a_rate_that_is_none_is_refused() {
    let dir = Dir::new();
    dir.write("a", "1");
    for (rate, said) in [
        ("100KB", "KB may be 1000 or 1024 bytes; write kB or KiB"),
        ("fast", "not a size; write it like 100MB or 64MiB"),
        ("1kB", "too low; give at least 256KiB"),
    ] {
        let ran = dir.hashlane(["sum", "--max-rate", rate, "a"]).run().code(64).printed("");
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    for rate in ["1GB", "256KiB/s", "1.5G"] {
        dir.hashlane(["sum", "-q", "--max-rate", rate, "a"]).run().code(0).printed(gnu(&[("a", "1")]));
    }
}

#[test]
fn reading_when_nobody_else_does_gives_the_same_lines() {
    let dir = Dir::new();
    dir.write("d/a", "1").write("d/b", vec![7; 5 << 20]);
    let lines = dir.hashlane(["sum", "-q", "d"]).run().code(0).stdout;
    for engine in ["auto", "direct", "uring"] {
        dir.hashlane(["sum", "-q", "--nice-io", "--engine", engine, "d"]).run().code(0).printed(&lines);
    }
    dir.write("SHA256SUMS", lines);
    dir.hashlane(["check", "--nice-io", "SHA256SUMS"]).run().code(0).printed("d/a: OK\nd/b: OK\n");
}
