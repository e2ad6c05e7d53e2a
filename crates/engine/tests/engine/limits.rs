//! Much waits for one: memory stays bounded, and nothing is lost.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use hashlane_engine::{Control, Input, Options, Progress};
use hashlane_io::{Call, EngineKind, Fault, FaultPlan, ReadStep};
use hashlane_record::{Facts, Outcome, Record};

use crate::support::*;
use crate::worlds::{InputOf, World, for_each_world};

const MANY: usize = 20_000;

for_each_world!(
    records_that_wait_for_a_slow_file_go_to_a_temporary_file,
    without_a_temporary_file_the_intake_stops_until_the_slow_file_is_done,
    with_a_gate_that_closes_all_the_time_nothing_is_lost,
    a_whole_run_through_the_temporary_file_comes_out_as_it_went_in,
    a_big_file_that_waits_for_its_turn_passes_the_gate,
);

/// One file first that takes long, then a few files again and again, with names that cannot be among them.
fn inputs<W: World>(world: &W) -> Vec<InputOf<W>> {
    let input = |path| Input::File {
        path,
        base: None,
        algorithms: algorithms(&["crc32"]),
        division: None,
        tag: Box::default(),
    };
    let made = world.made();
    let many = (1..MANY).map(|number| match number % 10 {
        0 => input("no\0name".into()),
        _ => input(item(&made[1 + number % (made.len() - 1)].path)),
    });
    [input(item(&made[0].path))].into_iter().chain(many).collect()
}

fn assert_complete(records: &[Record], made: &[Made]) {
    assert_eq!(records.len(), MANY);
    for (number, record) in records.iter().enumerate() {
        match number {
            0 => assert_read(record, &made[0], &algorithms(&["crc32"])),
            _ if number % 10 == 0 => assert!(matches!(record.outcome, Outcome::Failed(_))),
            _ => assert_read(record, &made[1 + number % (made.len() - 1)], &algorithms(&["crc32"])),
        }
    }
}

/// Runs with the first file stalled until the progress is as wanted; returns the progress at that moment.
fn run_behind_a_stall<W: World>(
    options: Options,
    world: &W,
    enough: impl Fn(Progress) -> bool + Send + 'static,
) -> (Vec<Record>, Progress) {
    // One worker opens the files in their order.
    let (wrap, releases) = faulty_first(FaultPlan::new().at(Call::Open(0), Fault::Stall));
    let control = Arc::new(Control::new());
    let watching = Arc::clone(&control);
    let other = thread::spawn(move || {
        until("enough progress behind the stalled file", || enough(watching.progress()));
        let progress = watching.progress();
        releases.release();
        progress
    });
    let (records, result) = world.try_run(options, W::ways()[0], wrap, inputs(world), &control);
    assert_eq!(result.expect("it ends").dropped, 0);
    (records, other.join().expect("it only waits"))
}

const SIZES: [u64; 8] = [1000, 10, 10, 10, 10, 10, 10, 10];

/// A directory in which no temporary file can be made.
fn no_place() -> PathBuf {
    PathBuf::from("/no such place for temporary files")
}

fn records_that_wait_for_a_slow_file_go_to_a_temporary_file<W: World>() {
    let world = W::make(&SIZES);
    let mut options = options(1, &["crc32"]);
    options.walk.memory.records_bytes = 256 << 10;
    let small = 10 * (MANY as u64 - 1 - (MANY as u64 - 1) / 10);
    let (records, progress) =
        run_behind_a_stall(options, &world, move |progress| progress.digested_bytes >= small);
    assert_eq!(progress.files_done, 0);
    assert_complete(&records, world.made());
}

fn without_a_temporary_file_the_intake_stops_until_the_slow_file_is_done<W: World>() {
    let world = W::make(&SIZES);
    for workers in [1, 2, 5] {
        let mut options = options(workers, &["crc32"]);
        options.walk.memory.records_bytes = 64 << 10;
        options.walk.spill_directory = no_place();
        let (records, progress) =
            run_behind_a_stall(options, &world, |progress| progress.digested_bytes >= 10 * 10);
        assert_complete(&records, world.made());
        assert!(workers > 1 || progress.files_done == 0);
    }
}

#[test]
fn names_that_fail_without_being_opened_wait_at_the_gate_too() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &SIZES);
    let mut options = options(2, &["crc32"]);
    options.walk.memory.records_bytes = 64 << 10;
    options.walk.spill_directory = directory.path().join("missing");
    let plan = FaultPlan::new().at(Call::Open(0), Fault::Stall);
    let (engine, releases) = failing_some(2, EngineKind::Buffered, plan);
    options.engine = engine;
    let found = Arc::new(AtomicU64::new(0));
    let (taken, bad) = (Arc::clone(&found), Input::Path("no\0name".into()));
    let inputs = [path(&made[0].path)].into_iter().chain((1..MANY).map(move |_| {
        taken.fetch_add(1, Ordering::Relaxed);
        bad.clone()
    }));
    let other = thread::spawn(move || {
        until("some failures", || found.load(Ordering::Relaxed) > 100);
        thread::sleep(Duration::from_millis(50));
        let ahead = found.load(Ordering::Relaxed);
        releases.release();
        ahead
    });
    let (records, summary) = run(options, inputs);
    assert_eq!((records.len(), summary.failed), (MANY, MANY as u64 - 1));
    // 164 records fill the memory; some more are on their way.
    let ahead = other.join().expect("it only waits");
    assert!(ahead < 5000, "{ahead} records wait in memory");
}

fn with_a_gate_that_closes_all_the_time_nothing_is_lost<W: World>() {
    let world = W::make(&[1000, 2 * MIB, 10, 10, 10, 10, 1_500_000, 10]);
    for (seed, workers) in [(1, 1), (2, 2), (3, 5), (4, 3)] {
        let mut options = options(workers, &["crc32"]);
        options.walk.memory.records_bytes = 1;
        options.walk.spill_directory = no_place();
        let stall = Fault::StallFor(Duration::from_micros(100));
        let wrap = faulty(FaultPlan::new().seeded(seed, 5, &[stall]));
        let inputs = inputs(&world).into_iter().take(600).collect();
        let control = Arc::new(Control::new());
        let (records, result) = world.try_run(options, W::ways()[0], wrap, inputs, &control);
        assert_eq!((records.len(), result.expect("it ends").dropped), (600, 0));
    }
}

fn a_whole_run_through_the_temporary_file_comes_out_as_it_went_in<W: World>() {
    let world = W::make(&[1000, 200 * KIB, 10, 0, MIB + 1, 10]);
    let mut expected = None;
    for records_bytes in [12 << 20, 1] {
        let mut options = options(3, &["sha256", "blake3", "crc32"]);
        options.walk.memory.records_bytes = records_bytes;
        let stall = Fault::StallFor(Duration::from_micros(200));
        let wrap = faulty(FaultPlan::new().seeded(9, 7, &[stall]));
        let gone = || Input::Path("not there".into());
        let inputs = (0..1000).map(|number| match number % 7 {
            6 => gone(),
            _ => world.path_of(number % world.made().len()),
        });
        let (inputs, control) = (inputs.collect(), Arc::new(Control::new()));
        let (mut records, result) = world.try_run(options, W::ways()[0], wrap, inputs, &control);
        assert_eq!((records.len(), result.expect("it ends").dropped), (1000, 0));
        // By which way bytes came is a matter of the moment, and so is when a file was last read.
        for record in &mut records {
            record.origin = Default::default();
            record.facts = record.facts.map(|facts| Facts { accessed: facts.modified, ..facts });
        }
        assert_eq!(*expected.get_or_insert_with(|| records.clone()), records);
    }
}

fn a_big_file_that_waits_for_its_turn_passes_the_gate<W: World>() {
    let world = W::make(&[2 * MIB, 2 * MIB, 2 * MIB, 10]);
    let mut options = options(2, &["sha256"]);
    options.walk.memory.records_bytes = 1;
    options.walk.spill_directory = no_place();
    let (wrap, releases) = faulty_some(2, FaultPlan::new().at(Call::Read(0), Fault::Stall));
    let control = Arc::new(Control::new());
    let watching = Arc::clone(&control);
    let other = thread::spawn(move || {
        // The third big file is open and waits for one of the others, a small one is done, and the gate closes behind it.
        until("a small file behind the big ones", || watching.progress().digested_bytes >= 10);
        thread::sleep(Duration::from_millis(20));
        releases.release();
    });
    let inputs = (0..5000).map(|number| world.path_of(3.min(number))).collect();
    let (records, result) = world.try_run(options, W::ways()[0], wrap, inputs, &control);
    assert_eq!((result.expect("it ends").files, records.len()), (5000, 5000));
    other.join().expect("it only waits");
}

#[test]
fn want_of_descriptors_behind_a_closed_gate_holds_up_nobody() {
    const EMFILE: i32 = 24;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[10; 400]);
    for (seed, workers) in [(1, 1), (2, 2), (3, 3)] {
        let mut options = options(workers, &["crc32"]);
        options.walk.memory.records_bytes = 1;
        options.walk.spill_directory = directory.path().join("missing");
        let stall = Fault::StallFor(Duration::from_micros(500));
        let starve = Fault::Fail { step: ReadStep::Open, errno: EMFILE, after_bytes: 0 };
        options.engine =
            failing(EngineKind::Buffered, FaultPlan::new().seeded(seed, 1, &[stall, stall, starve, stall]));
        let (records, _) = run(options, [path(directory.path())]);
        for (record, made) in records.iter().zip(&made) {
            assert_read(record, made, &algorithms(&["crc32"]));
        }
    }
}
