//! Records as an iterator.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlane_engine::{Control, Records, Stop, records};
use hashlane_io::{Call, EngineKind, Fault, FaultPlan};

use crate::support::*;

#[test]
fn what_is_iterated_over_is_what_a_sink_gets() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sizes: Vec<u64> = (0..700).map(|number| number * 31 % 900).chain([2 * MIB, 10]).collect();
    let made = make_files(directory.path(), &sizes);
    let control = Arc::new(Control::new());
    let mut iterated =
        records(options(2, &["sha256"]), [path(directory.path())], &control).expect("threads start");
    let taken: Vec<_> = watched("an iteration", || iterated.by_ref().collect());
    assert_eq!(taken.len(), made.len());
    for (record, made) in taken.iter().zip(&made) {
        assert_read(record, made, &algorithms(&["sha256"]));
    }
    assert!(iterated.next().is_none(), "an end stays the end");
    let summary = iterated.finish().expect("a run that nobody disturbs");
    assert_eq!((summary.files, summary.stopped, summary.dropped), (made.len() as u64, None, 0));
}

/// An iteration over a list that never ends, with some records taken; and what counts the inputs.
fn endless(taken: usize) -> (Records, Arc<AtomicU64>, Arc<Control>, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[10]);
    let (control, count) = (Arc::new(Control::new()), Arc::new(AtomicU64::new(0)));
    let (input, counter) = (path(&made[0].path), Arc::clone(&count));
    let inputs = std::iter::repeat_with(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        input.clone()
    });
    let mut iterated = records(options(2, &["crc32"]), inputs, &control).expect("threads start");
    assert_eq!(iterated.by_ref().take(taken).count(), taken);
    (iterated, count, control, directory)
}

#[test]
fn an_iterator_that_is_dropped_or_finished_early_ends_the_run() {
    for taken in [0, 1, 300] {
        let (iterated, _, control, _directory) = endless(taken);
        drop(iterated);
        assert_eq!(control.stopped(), Some(Stop::Aborted));
        let (iterated, _, _, _directory) = endless(taken);
        let summary = watched("the end", || iterated.finish()).expect("it was stopped");
        assert_eq!(summary.stopped, Some(Stop::Aborted));
    }
}

#[test]
fn a_run_is_not_far_ahead_of_who_takes_its_records() {
    let (iterated, count, _, _directory) = endless(1);
    // It goes on until everything on the way to the iterator is full.
    let before = Cell::new(u64::MAX);
    until("the run waits", || {
        let now = count.load(Ordering::Relaxed);
        let stands = now == before.replace(now);
        std::thread::sleep(std::time::Duration::from_millis(30));
        stands
    });
    assert!(count.load(Ordering::Relaxed) < 60_000, "{count:?} entries ahead");
    drop(iterated);
}

#[test]
fn a_drained_run_ends_its_iterator() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    make_files(directory.path(), &[10; 20]);
    let mut options = options(1, &["sha256"]);
    options.engine = failing(EngineKind::Buffered, FaultPlan::new().at(Call::Open(7), Fault::Interrupt));
    let control = Arc::new(Control::new());
    control.drain();
    let mut iterated = records(options, [path(directory.path())], &control).expect("threads start");
    assert!(watched("an iteration", || iterated.next()).is_none());
    assert_eq!(iterated.finish().expect("it was stopped").stopped, Some(Stop::Drained));
}
