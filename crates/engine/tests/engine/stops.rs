//! Runs that are stopped: by the caller, by the sink, in the middle of anything.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use hashlane_engine::{Control, Error, Stop};
use hashlane_io::{Call, Fault, FaultPlan, Target};

use crate::support::*;
use crate::worlds::{Breaks, World, for_each_world};

for_each_world!(
    a_drained_run_ends_what_it_began_and_begins_nothing_new,
    a_run_that_is_stopped_before_it_begins_does_nothing,
    an_abort_does_not_wait_for_a_read_that_never_ends,
    a_drained_run_gives_up_a_read_that_never_ends,
    a_sink_that_breaks_gets_no_more_records,
    a_sink_that_fails_ends_the_run_with_its_error,
);

fn a_drained_run_ends_what_it_began_and_begins_nothing_new<W: World>() {
    let world = W::make(&[10, 120 * KIB, 3 * MIB, 100]);
    for workers in [1, 3] {
        for after in [1, 2, 3, 10, 500] {
            // An emulated CPU takes its time; what happens when that is up is another test's question.
            let control = Arc::new(Control::with_patience(Duration::from_secs(600)));
            let opened = Arc::new(AtomicU64::new(0));
            let (stop, count) = (Arc::clone(&control), Arc::clone(&opened));
            let wrap = observed(move |passed| {
                if let Passed::Submitted(request) = passed
                    && matches!(request.target, Target::Open { .. })
                    && count.fetch_add(1, Ordering::AcqRel) + 1 == after
                {
                    stop.drain();
                }
            });
            let inputs = (0..2000).map(|number| world.path_of(number % 4)).collect();
            let options = options(workers, &["sha256"]);
            let (records, result) = world.try_run(options, W::ways()[0], wrap, inputs, &control);
            let summary = result.expect("it was stopped");
            assert_eq!(summary.stopped, Some(Stop::Drained));
            let opened = opened.load(Ordering::Acquire);
            assert!(opened >= after && opened < 2000);
            // Big files that were found and had to wait for their turn were not begun.
            let waited = opened - records.len() as u64;
            assert!(waited <= opened / 4 + 1, "{waited} of {opened} are missing");
            assert_eq!(summary.dropped, control.progress().files_found - records.len() as u64);
            for record in &records {
                assert_read(record, &world.made()[record.number as usize % 4], &algorithms(&["sha256"]));
            }
        }
    }
}

fn a_run_that_is_stopped_before_it_begins_does_nothing<W: World>() {
    let world = W::make(&[10; 10]);
    for stop in [Control::drain, Control::abort] {
        let control = Arc::new(Control::new());
        stop(&control);
        let (way, root) = (W::ways()[0], vec![world.root()]);
        let (records, result) = world.try_run(options(2, &["sha256"]), way, plain(), root, &control);
        assert!(records.is_empty() && result.expect("it was stopped").stopped.is_some());
    }
}

fn an_abort_does_not_wait_for_a_read_that_never_ends<W: World>() {
    // One large thing: a second one waits for its end, and what lies behind that for both.
    let world = W::make(&[100 * KIB, 3 * MIB, 10, 10]);
    for (call, workers) in [(Call::Open(0), 1), (Call::Read(0), 1), (Call::Read(3), 1), (Call::Read(0), 3)] {
        let (wrap, _releases) = faulty_first(FaultPlan::new().at(call, Fault::Stall));
        let control = Arc::new(Control::new());
        let stop = Arc::clone(&control);
        let other = thread::spawn(move || {
            until("something was done", || stop.progress().digested_bytes >= 20);
            stop.abort();
        });
        let options = options(workers, &["sha256"]);
        let (records, result) = world.try_run(options, W::ways()[0], wrap, vec![world.root()], &control);
        let summary = result.expect("it was stopped");
        assert_eq!((summary.stopped, summary.dropped), (Some(Stop::Aborted), 4 - records.len() as u64));
        other.join().expect("it only waits");
    }
}

fn a_drained_run_gives_up_a_read_that_never_ends<W: World>() {
    let world = W::make(&[10; 10]);
    let (wrap, _releases) = faulty_first(FaultPlan::new().at(Call::Open(3), Fault::Stall));
    let control = Arc::new(Control::new());
    let stop = Arc::clone(&control);
    let other = thread::spawn(move || {
        until("the others are done", || stop.progress().digested_bytes == 90);
        stop.drain();
    });
    let options = options(1, &["sha256"]);
    let (records, result) = world.try_run(options, W::ways()[0], wrap, vec![world.root()], &control);
    assert_eq!(result.expect("it was stopped").dropped, 1);
    assert!(records.iter().map(|record| record.number).eq([0, 1, 2, 4, 5, 6, 7, 8, 9]));
    for record in &records {
        assert_read(record, &world.made()[record.number as usize], &algorithms(&["sha256"]));
    }
    other.join().expect("it only waits");
}

fn a_sink_that_breaks_gets_no_more_records<W: World>() {
    let world = W::make(&[10, 2 * MIB]);
    for left in [1, 2, 64, 65, 1000] {
        let mut sink = Breaks { left, taken: 0, error: None };
        let inputs = (0..5000).map(|number| world.path_of(number % 2)).collect();
        let control = Arc::new(Control::new());
        let options = options(3, &["crc32"]);
        let result = world.run_into(options, W::ways()[0], plain(), inputs, &mut sink, &control);
        assert_eq!(result.expect("it was stopped").stopped, Some(Stop::Aborted));
        assert_eq!(sink.taken, left);
    }
}

fn a_sink_that_fails_ends_the_run_with_its_error<W: World>() {
    let world = W::make(&[10, 2 * MIB]);
    for left in [1, 64, 1000] {
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let mut sink = Breaks { left, taken: 0, error: Some(full) };
        let inputs = (0..5000).map(|number| world.path_of(number % 2)).collect();
        let control = Arc::new(Control::new());
        let options = options(3, &["crc32"]);
        let result = world.run_into(options, W::ways()[0], plain(), inputs, &mut sink, &control);
        let Err(Error::Sink(why)) = result else { panic!("{result:?}") };
        let why: &std::io::Error = why.downcast_ref().expect("what it was");
        assert_eq!((why.kind(), sink.taken), (std::io::ErrorKind::StorageFull, left));
    }
}

#[test]
fn a_list_that_never_ends_does_not_hold_up_a_stop() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[10; 64]);
    for (stop, how) in [(Control::drain as fn(&Control), Stop::Drained), (Control::abort, Stop::Aborted)] {
        let control = Arc::new(Control::new());
        let (send, receive) = mpsc::channel();
        // A full batch, so that it goes out at once.
        made.iter().for_each(|made| send.send(path(&made.path)).expect("the test holds the other end"));
        let stopping = Arc::clone(&control);
        let other = thread::spawn(move || {
            until("the list so far is done", || stopping.progress().files_done == 64);
            stop(&stopping);
        });
        let (records, result) = try_run(options(2, &["sha256"]), receive, &control);
        let summary = result.expect("it was stopped");
        assert_eq!((records.len(), summary.stopped, summary.dropped), (64, Some(how), 0));
        other.join().expect("it only waits");
        drop(send);
    }
}
