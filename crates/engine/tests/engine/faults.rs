//! Faults at every call: one file fails, or none, and never another.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hashlane_engine::{Control, EngineChoice};
use hashlane_io::{Call, EngineKind, Fault, FaultPlan, ReadStep, Request, Target};
use hashlane_record::{Cause, Operation, Outcome};

use crate::support::*;

const EIO: i32 = 5;
const EMFILE: i32 = 24;

/// Small ones, one of three reads, two that are shared by workers.
const SIZES: [u64; 7] = [0, 1, 5000, 300 * KIB, MIB + 700_001, 100, 5 * MIB + 1];

/// One run with a fault; returns how many files failed. All others are right.
fn failures(made: &[Made], root: &Path, engine: EngineChoice, names: &[&str]) -> Vec<Operation> {
    let mut options = options(1, names);
    options.engine = engine;
    let set = algorithms(names);
    let (records, summary) = run(options, [path(root)]);
    assert_eq!(records.len(), made.len());
    let mut failed = Vec::new();
    for (record, made) in records.iter().zip(made) {
        match record.outcome {
            Outcome::Failed(failure) => {
                assert_eq!((failure.cause, record.digests.len()), (Cause::System(EIO), 0));
                assert!(failure.offset_bytes <= made.bytes.len() as u64);
                assert_eq!(record.path, item(&made.path));
                failed.push(failure.operation);
            }
            _ => assert_read(record, made, &set),
        }
    }
    assert_eq!(summary.failed, failed.len() as u64);
    failed
}

/// The offsets of the reads of open files that a run without faults makes.
fn reads(made: &[Made], root: &Path, kind: EngineKind, names: &[&str]) -> Vec<u64> {
    let offsets = Arc::new(Mutex::new(Vec::new()));
    let seen_offsets = Arc::clone(&offsets);
    let engine = hooked(kind, move |seen| {
        if let Seen::Submitted(Request { target: Target::File(_), offset, .. }) = seen {
            seen_offsets.lock().expect("one worker").push(*offset);
        }
    });
    assert!(failures(made, root, engine, names).is_empty());
    std::mem::take(&mut offsets.lock().expect("one worker"))
}

/// Puts a fault at the first call, the second and so on, until there are no more calls.
fn at_every_call(call: fn(u64) -> Call, fault: Fault, expected: Option<Operation>) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &SIZES);
    for kind in reading_kinds() {
        // Several algorithms share the pieces in the same way whichever engine brought them.
        let sets = [&["sha256"][..], &["blake3"], &["md5", "sha256"]];
        for names in &sets[..if kind == EngineKind::Buffered { 3 } else { 2 }] {
            let calls = match call(0) {
                Call::Open(_) => made.len() as u64,
                Call::Read(_) => reads(&made, directory.path(), kind, names).len() as u64,
            };
            for number in 0..calls {
                let plan = FaultPlan::new().at(call(number), fault);
                let failed = failures(&made, directory.path(), failing(kind, plan), names);
                assert_eq!(failed, Vec::from_iter(expected), "call {number} by {}", kind.name());
            }
        }
    }
}

#[test]
fn an_opening_that_fails_fails_one_file() {
    let fault = Fault::Fail { step: ReadStep::Open, errno: EIO, after_bytes: 0 };
    at_every_call(Call::Open, fault, Some(Operation::Open));
}

#[test]
fn a_file_whose_facts_cannot_be_had_fails_alone() {
    let fault = Fault::Fail { step: ReadStep::Stat, errno: EIO, after_bytes: 0 };
    at_every_call(Call::Open, fault, Some(Operation::Stat));
}

#[test]
fn a_read_that_fails_fails_one_file() {
    let fault = Fault::Fail { step: ReadStep::Read, errno: EIO, after_bytes: 1000 };
    at_every_call(Call::Read, fault, Some(Operation::Read));
}

#[test]
fn short_and_interrupted_reads_change_nothing() {
    at_every_call(Call::Read, Fault::Shorten(1), None);
    at_every_call(Call::Open, Fault::Shorten(1), None);
    at_every_call(Call::Read, Fault::Interrupt, None);
}

#[test]
fn reads_that_are_often_short_change_nothing_with_many_workers() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &SIZES);
    for kind in reading_kinds() {
        for (seed, workers) in [(1, 1), (2, 2), (3, 5)] {
            let names = &["sha256", "blake3", "md5"][..1 + seed as usize % 3];
            let faults =
                [Fault::Shorten(100_000), Fault::Interrupt, Fault::StallFor(Duration::from_micros(300))];
            let mut options = options(workers, names);
            options.engine = failing(kind, FaultPlan::new().seeded(seed, 2, &faults));
            let (records, _) = run(options, [path(directory.path())]);
            for (record, made) in records.iter().zip(&made) {
                assert_read(record, made, &algorithms(names));
            }
        }
    }
}

#[test]
fn the_record_of_a_failed_read_says_where_it_failed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[300 * KIB, 5 * MIB]);
    let offsets = reads(&made, directory.path(), EngineKind::Buffered, &["sha256"]);
    assert!(offsets.len() > 2 && offsets.iter().any(|&offset| offset > 0));
    let fault = Fault::Fail { step: ReadStep::Read, errno: EIO, after_bytes: 1000 };
    for (number, offset) in (0..).zip(offsets) {
        let call = Call::Read(number);
        let mut options = options(1, &["sha256"]);
        options.engine = failing(EngineKind::Buffered, FaultPlan::new().at(call, fault));
        let (records, _) = run(options, [path(directory.path())]);
        let failed = records.iter().find_map(|record| match record.outcome {
            Outcome::Failed(failure) => Some(failure.offset_bytes),
            _ => None,
        });
        assert_eq!(failed, Some(offset + 1000), "{call:?}");
    }
}

#[test]
fn a_stalled_file_does_not_stop_the_others() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // Of three workers any may open any file first, so that those of the first case are all alike.
    for (sizes, call) in
        [([20, 20], Call::Open(0)), ([300 * KIB, 300], Call::Read(0)), ([9 * MIB, 3], Call::Read(1))]
    {
        let root = directory.path().join(format!("{call:?}"));
        std::fs::create_dir(&root).expect("mkdir");
        let many: Vec<u64> = sizes[..1].iter().chain([&sizes[1]; 200]).copied().collect();
        let made = make_files(&root, &many);
        for workers in [1, 3] {
            let (engine, releases) =
                failing_first(EngineKind::Buffered, FaultPlan::new().at(call, Fault::Stall));
            let mut options = options(workers, &["sha256"]);
            options.engine = engine;
            let control = Arc::new(Control::new());
            let watching = Arc::clone(&control);
            let small = 200 * sizes[1];
            let other = thread::spawn(move || {
                until("the small files behind", || watching.progress().digested_bytes >= small);
                releases.release();
            });
            let (records, result) = try_run(options, [path(&root)], &control);
            assert_eq!(result.expect("it ends").files, made.len() as u64);
            for (record, made) in records.iter().zip(&made) {
                assert_read(record, made, &algorithms(&["sha256"]));
            }
            other.join().expect("it only waits");
        }
    }
}

#[test]
fn want_of_descriptors_that_passes_is_waited_for() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[10; 300]);
    let fault = Fault::Fail { step: ReadStep::Open, errno: EMFILE, after_bytes: 0 };
    for workers in [1, 3] {
        let mut options = options(workers, &["sha256"]);
        options.engine = failing(EngineKind::Buffered, FaultPlan::new().seeded(7, 3, &[fault]));
        let (records, _) = run(options, [path(directory.path())]);
        for (record, made) in records.iter().zip(&made) {
            assert_read(record, made, &algorithms(&["sha256"]));
        }
    }
}

#[test]
fn want_of_descriptors_that_lasts_fails_every_file_and_ends() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    make_files(directory.path(), &[10; 300]);
    let fault = Fault::Fail { step: ReadStep::Open, errno: EMFILE, after_bytes: 0 };
    for workers in [1, 3] {
        let mut options = options(workers, &["sha256"]);
        options.engine = failing(EngineKind::Buffered, FaultPlan::new().seeded(7, 1, &[fault]));
        let (_, summary) = run(options, [path(directory.path())]);
        assert_eq!(summary.failed, 300);
    }
}
