//! Faults at every call: one file fails, or none, and never another.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hashlane_engine::Control;
use hashlane_io::{Call, EngineKind, Fault, FaultPlan, ReadStep, Request, Target};
use hashlane_record::{Cause, Operation, Outcome};

use crate::support::*;
use crate::worlds::{Files, World, for_each_world};

for_each_world!(
    an_opening_that_fails_fails_one_file,
    a_file_whose_facts_cannot_be_had_fails_alone,
    a_read_that_fails_fails_one_file,
    short_and_interrupted_reads_change_nothing,
    reads_that_are_often_short_change_nothing_with_many_workers,
    a_stalled_file_does_not_stop_the_others,
);

const EIO: i32 = 5;
const EMFILE: i32 = 24;

/// Small ones, one of three reads, two that are shared by workers.
const SIZES: [u64; 7] = [0, 1, 5000, 300 * KIB, MIB + 700_001, 100, 5 * MIB + 1];

/// One run with a fault; returns how many files failed. All others are right.
fn failures<W: World>(world: &W, way: W::Way, wrap: Wrap<W::Store>, names: &[&str]) -> Vec<Operation> {
    let set = algorithms(names);
    let (records, summary) = world.run(options(1, names), way, wrap);
    let mut failed = Vec::new();
    for (record, made) in records.iter().zip(world.made()) {
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
fn reads<W: World>(world: &W, way: W::Way, names: &[&str]) -> Vec<u64> {
    let offsets = Arc::new(Mutex::new(Vec::new()));
    let seen_offsets = Arc::clone(&offsets);
    let wrap = observed(move |passed| {
        if let Passed::Submitted(Request { target: Target::File(_), offset, .. }) = passed {
            seen_offsets.lock().expect("one worker").push(*offset);
        }
    });
    assert!(failures(world, way, wrap, names).is_empty());
    std::mem::take(&mut offsets.lock().expect("one worker"))
}

/// Puts a fault at the first call, the second and so on, until there are no more calls.
fn at_every_call<W: World>(call: fn(u64) -> Call, fault: Fault, expected: Option<Operation>) {
    let world = W::make(&SIZES);
    for way in W::ways() {
        // Several algorithms share the pieces in the same way whichever engine brought them.
        let sets = [&["sha256"][..], &["blake3"], &["md5", "sha256"]];
        for names in &sets[..if way == W::ways()[0] { 3 } else { 2 }] {
            let calls = match call(0) {
                Call::Open(_) => world.made().len() as u64,
                Call::Read(_) => reads(&world, way, names).len() as u64,
            };
            for number in rounds(calls) {
                let plan = FaultPlan::new().at(call(number), fault);
                let failed = failures(&world, way, faulty(plan), names);
                assert_eq!(failed, Vec::from_iter(expected), "call {number} by {way:?}");
            }
        }
    }
}

fn an_opening_that_fails_fails_one_file<W: World>() {
    let fault = Fault::Fail { step: ReadStep::Open, errno: EIO, after_bytes: 0 };
    at_every_call::<W>(Call::Open, fault, Some(Operation::Open));
}

fn a_file_whose_facts_cannot_be_had_fails_alone<W: World>() {
    let fault = Fault::Fail { step: ReadStep::Stat, errno: EIO, after_bytes: 0 };
    at_every_call::<W>(Call::Open, fault, Some(Operation::Stat));
}

fn a_read_that_fails_fails_one_file<W: World>() {
    let fault = Fault::Fail { step: ReadStep::Read, errno: EIO, after_bytes: 1000 };
    at_every_call::<W>(Call::Read, fault, Some(Operation::Read));
}

fn short_and_interrupted_reads_change_nothing<W: World>() {
    at_every_call::<W>(Call::Read, Fault::Shorten(1), None);
    at_every_call::<W>(Call::Open, Fault::Shorten(1), None);
    at_every_call::<W>(Call::Read, Fault::Interrupt, None);
}

fn reads_that_are_often_short_change_nothing_with_many_workers<W: World>() {
    let world = W::make(&SIZES);
    for way in W::ways() {
        for (seed, workers) in [(1, 1), (2, 2), (3, 5)] {
            let names = &["sha256", "blake3", "md5"][..1 + seed as usize % 3];
            let faults =
                [Fault::Shorten(100_000), Fault::Interrupt, Fault::StallFor(Duration::from_micros(300))];
            world.assert_right(
                options(workers, names),
                way,
                faulty(FaultPlan::new().seeded(seed, 2, &faults)),
            );
        }
    }
}

#[test]
fn the_record_of_a_failed_read_says_where_it_failed() {
    let world = Files::make(&[300 * KIB, 5 * MIB]);
    let offsets = reads(&world, EngineKind::Buffered, &["sha256"]);
    assert!(offsets.len() > 2 && offsets.iter().any(|&offset| offset > 0));
    let fault = Fault::Fail { step: ReadStep::Read, errno: EIO, after_bytes: 1000 };
    for (number, offset) in (0..).zip(offsets) {
        let call = Call::Read(number);
        let wrap = faulty(FaultPlan::new().at(call, fault));
        let (records, _) = world.run(options(1, &["sha256"]), EngineKind::Buffered, wrap);
        let failed = records.iter().find_map(|record| match record.outcome {
            Outcome::Failed(failure) => Some(failure.offset_bytes),
            _ => None,
        });
        assert_eq!(failed, Some(offset + 1000), "{call:?}");
    }
}

fn a_stalled_file_does_not_stop_the_others<W: World>() {
    // Of three workers any may open any file first, so that those of the first case are all alike.
    for (sizes, call) in
        [([20, 20], Call::Open(0)), ([300 * KIB, 300], Call::Read(0)), ([9 * MIB, 3], Call::Read(1))]
    {
        let many: Vec<u64> = sizes[..1].iter().chain([&sizes[1]; 200]).copied().collect();
        let world = W::make(&many);
        for workers in [1, 3] {
            let (wrap, releases) = faulty_first(FaultPlan::new().at(call, Fault::Stall));
            let control = Arc::new(Control::new());
            let watching = Arc::clone(&control);
            let small = 200 * sizes[1];
            let other = thread::spawn(move || {
                until("the small files behind", || watching.progress().digested_bytes >= small);
                releases.release();
            });
            let options = options(workers, &["sha256"]);
            let (records, result) = world.try_run(options, W::ways()[0], wrap, vec![world.root()], &control);
            assert_eq!(result.expect("it ends").files, many.len() as u64);
            for (record, made) in records.iter().zip(world.made()) {
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

/// A store on the network may need one for each read. What was digested before is not gone on with by another file.
#[test]
fn want_of_descriptors_in_the_middle_of_a_file_leaves_nothing_behind() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[300 * KIB; 6]);
    let fault = Fault::Fail { step: ReadStep::Read, errno: EMFILE, after_bytes: 1000 };
    for number in 0..12 {
        let mut options = options(1, &["sha256"]);
        options.engine = failing(EngineKind::Buffered, FaultPlan::new().at(Call::Read(number), fault));
        let (records, summary) = run(options, [path(directory.path())]);
        assert_eq!((records.len(), summary.failed), (made.len(), 1), "read {number}");
        for (record, made) in records.iter().zip(&made) {
            match record.outcome {
                Outcome::Failed(failure) => assert_eq!(failure.cause, Cause::System(EMFILE)),
                _ => assert_read(record, made, &algorithms(&["sha256"])),
            }
        }
    }
}
