//! Defects: a thread of the run panics, or the sink does. A run ends all the same.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlane_engine::{Control, EngineChoice, Error, Sink, Taken};
use hashlane_io::EngineKind;
use hashlane_record::Record;

use crate::support::*;

/// An engine that panics at the n-th completion, all workers together, and what counts them.
fn panicking(number: u64) -> (EngineChoice, Arc<AtomicU64>) {
    let count = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&count);
    let engine = hooked(EngineKind::Buffered, move |seen| {
        if matches!(seen, Passed::Reaped(_)) {
            assert_ne!(counter.fetch_add(1, Ordering::Relaxed), number, "a panic made for a test");
        }
    });
    (engine, count)
}

#[test]
fn a_worker_that_panics_ends_the_run_with_an_error() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    make_files(directory.path(), &[10, 2 * MIB, 10, 3 * MIB, 200 * KIB, 10, 10, 6 * MIB]);
    for workers in [1, 2, 5] {
        for number in 0..30 {
            for names in [&["sha256"][..], &["blake3"]] {
                let mut options = options(workers, names);
                let (engine, count) = panicking(number);
                options.engine = engine;
                let control = Arc::new(Control::new());
                let (_, result) = try_run(options, [path(directory.path())], &control);
                match result {
                    Err(Error::Lost(..)) => assert!(count.load(Ordering::Relaxed) > number),
                    Ok(summary) => {
                        assert!(count.load(Ordering::Relaxed) <= number && summary.files == 8);
                    }
                    Err(other) => panic!("{other}"),
                }
            }
        }
    }
}

#[test]
fn a_worker_that_panics_does_not_leave_the_source_waiting_for_room() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[10]);
    let mut options = options(1, &["crc32"]);
    options.engine = panicking(100).0;
    let input = path(&made[0].path);
    let inputs = (0..100_000).map(move |_| input.clone());
    let (_, result) = try_run(options, inputs, &Arc::new(Control::new()));
    assert!(matches!(result, Err(Error::Lost(..))), "{result:?}");
}

#[test]
fn a_list_that_panics_ends_the_run_with_an_error() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[10]);
    let input = path(&made[0].path);
    let inputs = (0..10).map(move |number| {
        assert_ne!(number, 5, "a panic made for a test");
        input.clone()
    });
    let (_, result) = try_run(options(2, &["sha256"]), inputs, &Arc::new(Control::new()));
    assert!(matches!(result, Err(Error::Lost(..))), "{result:?}");
}

#[test]
fn a_sink_that_panics_takes_the_run_with_it() {
    struct Panics;

    impl Sink for Panics {
        fn record(&mut self, _: Record) -> Taken {
            panic!("a panic made for a test");
        }
    }

    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[10]);
    let alive = Arc::new(());
    let mut options = options(2, &["sha256"]);
    let kept = Arc::clone(&alive);
    options.engine = hooked(EngineKind::Buffered, move |_| drop(Arc::clone(&kept)));
    let input = path(&made[0].path);
    let endless = std::iter::repeat_with(move || input.clone());
    let run = || hashlane_engine::run(options, endless, &mut Panics, &Arc::new(Control::new()));
    watched("a run", || catch_unwind(AssertUnwindSafe(run)).expect_err("the sink's panic comes through"));
    until("its threads let go of everything", || Arc::strong_count(&alive) == 1);
}
