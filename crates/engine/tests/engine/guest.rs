//! Runs that leave the devices to others: a limited rate, and reads that are served last.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hashlane_engine::{Control, EngineChoice, Stop};
use hashlane_io::{EngineKind, IoPriority};
use rustix::process::Pid;

use crate::support::*;

#[test]
fn a_limited_rate_is_kept_by_all_workers_and_engines_together() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[7, 0, 50 * KIB, 300 * KIB, 4 * MIB + 3, MIB, 2 * MIB]);
    let total: u64 = made.iter().map(|made| made.bytes.len() as u64).sum();
    let engines = [EngineChoice::Auto, EngineChoice::Only(EngineKind::Mapped)]
        .into_iter()
        .chain([EngineChoice::Only(EngineKind::Uring), EngineChoice::Only(EngineKind::Direct)]);
    for (engine, name) in engines.zip(["sha256", "blake3", "xxh3", "blake3"]) {
        let mut options = options(3, &[name]);
        options.engine = engine;
        // What the bucket holds at first is nothing: no less than this time can it take.
        options.max_bytes_per_second = Some(total);
        let (records, summary) = run(options, [path(directory.path())]);
        records.iter().zip(&made).for_each(|(record, made)| assert_read(record, made, &algorithms(&[name])));
        assert!(summary.elapsed >= Duration::from_millis(990), "{name}: {:?}", summary.elapsed);
        assert_eq!(summary.origin.read_bytes(), total);
    }
}

#[test]
fn what_is_digested_grows_evenly_where_the_rate_is_limited() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    make_files(directory.path(), &[3 * MIB; 8]);
    let mut options = options(2, &["sha256"]);
    // Some fifty steps: enough that many are seen also where who looks has to wait for a core.
    options.max_bytes_per_second = Some(12 * MIB);
    let control = Arc::new(Control::new());
    let watched = Arc::clone(&control);
    let tree = path(directory.path());
    let run = std::thread::spawn(move || try_run(options, [tree], &watched));
    let mut seen = Vec::new();
    while !run.is_finished() {
        let digested = control.progress().digested_bytes;
        if seen.last() != Some(&digested) {
            seen.push(digested);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let (_, summary) = run.join().expect("no panic");
    assert_eq!(summary.expect("nobody disturbs it").digested_bytes, 24 * MIB);
    assert!(seen.len() > 10, "{seen:?}");
}

#[test]
fn a_rate_that_is_set_meanwhile_counts_also_within_files_that_were_begun_without_one() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[96 * MIB, 10 * KIB, 3 * MIB, 32 * MIB + 1]);
    let total: u64 = made.iter().map(|made| made.bytes.len() as u64).sum();
    let engines = [EngineChoice::Auto, EngineChoice::Auto, EngineChoice::Only(EngineKind::Mapped)]
        .into_iter()
        .chain([EngineChoice::PastCache, EngineChoice::Only(EngineKind::Uring)]);
    for (engine, name) in engines.zip(["sha256", "blake3", "xxh3", "sha256", "md5"]) {
        // Who looks may be too late to see a run before it ends.
        let is_seen = (0..50).any(|_| {
            let mut options = options(2, &[name]);
            (options.engine, options.rate_may_change) = (engine.clone(), true);
            let control = Arc::new(Control::new());
            let (its, tree) = (Arc::clone(&control), path(directory.path()));
            let run = std::thread::spawn(move || try_run(options, [tree], &its));
            let bytes = || control.progress().digested_bytes;
            while bytes() == 0 && !run.is_finished() {
                std::thread::yield_now();
            }
            control.set_rate(Some(hashlane_engine::LOWEST_RATE));
            // What is on its way arrives, however long that takes here.
            let mut grown = u64::MAX;
            while grown > 2 * MIB && !run.is_finished() {
                let before = bytes();
                std::thread::sleep(Duration::from_millis(700));
                grown = bytes() - before;
            }
            let is_over = run.is_finished();
            control.set_rate(None);
            let (records, summary) = run.join().expect("no panic");
            assert_eq!(summary.expect("nobody disturbs it").digested_bytes, total);
            let algorithms = algorithms(&[name]);
            records.iter().zip(&made).for_each(|(record, made)| assert_read(record, made, &algorithms));
            !is_over
        });
        assert!(is_seen, "{name}");
    }
}

#[test]
fn an_abort_does_not_wait_for_the_rate() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    make_files(directory.path(), &[64 * MIB, 10 * KIB, 64 * MIB]);
    let mut options = options(2, &["sha256"]);
    // It would take four minutes.
    options.max_bytes_per_second = Some(hashlane_engine::LOWEST_RATE);
    let control = Arc::new(Control::new());
    let aborted = Arc::clone(&control);
    let begun = Instant::now();
    let stopper = std::thread::spawn(move || {
        until("something is digested", || aborted.progress().digested_bytes > 0);
        aborted.abort();
    });
    let (_, summary) = try_run(options, [path(directory.path())], &control);
    stopper.join().expect("no panic");
    assert_eq!(summary.expect("it was asked to").stopped, Some(Stop::Aborted));
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[test]
fn a_pipe_pays_for_what_it_brings() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let fifo = directory.path().join("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .expect("mkfifo");
    let bytes = content(1, 4 * MIB);
    let (sent, to) = (bytes.clone(), fifo.clone());
    let writer = std::thread::spawn(move || fs::write(to, sent).expect("write"));
    let mut options = options(2, &["sha256"]);
    options.max_bytes_per_second = Some(8 * MIB);
    let (records, summary) = run(options, [path(&fifo)]);
    writer.join().expect("no panic");
    assert_read(&records[0], &Made::new(fifo, bytes), &algorithms(&["sha256"]));
    assert!(summary.elapsed >= Duration::from_millis(490), "{:?}", summary.elapsed);
}

#[test]
fn all_threads_that_read_are_idle_and_the_calling_one_is_as_before() {
    // Alone in a process: the threads of other tests have their own priorities.
    if !is_child() {
        return in_child("guest::all_threads_that_read_are_idle_and_the_calling_one_is_as_before", |_| {});
    }
    let of = |thread| IoPriority::of_thread(thread).expect("a priority");
    let before = of(None);
    for (kind, idle) in [(EngineKind::Direct, true), (EngineKind::Uring, true), (EngineKind::Direct, false)] {
        until("the threads of the run before end", || threads().is_empty());
        let directory = tempfile::tempdir().expect("a temporary directory");
        make_files(directory.path(), &[300 * KIB; 40]);
        let seen = Arc::new(Mutex::new(BTreeMap::new()));
        let mut options = options(2, &["sha256"]);
        options.idle_io = idle;
        let kept = Arc::clone(&seen);
        options.engine = hooked(kind, move |_| {
            for (thread, name) in threads() {
                // It may have just ended.
                if let Ok(priority) = IoPriority::of_thread(Pid::from_raw(thread)) {
                    kept.lock().expect("nobody panics with it").insert((name, thread), priority);
                }
            }
        });
        run(options, [path(directory.path())]);
        assert_eq!(of(None), before);
        let seen = seen.lock().expect("nobody panics with it");
        let wanted = if kind == EngineKind::Direct { &["worker", "reader"][..] } else { &["worker"] };
        for wanted in wanted {
            assert!(seen.keys().any(|(name, _)| name.starts_with(wanted)), "{wanted} of {seen:?}");
        }
        for ((name, _), &priority) in seen.iter() {
            assert_eq!(priority == IoPriority::IDLE, idle, "{name} of {}", kind.name());
        }
    }
}

/// The threads of this process that engines start, by number.
fn threads() -> BTreeMap<i32, String> {
    let tasks = fs::read_dir("/proc/self/task").expect("list").flatten();
    let named = tasks.filter_map(|task| {
        let name = fs::read_to_string(task.path().join("comm")).ok()?;
        let number = task.file_name().to_str()?.parse().ok()?;
        let ours = ["worker", "reader", "source", "iou-wrk"].iter().any(|start| name.starts_with(start));
        ours.then(|| (number, name.trim_end().to_owned()))
    });
    named.collect()
}
