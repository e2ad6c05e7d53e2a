//! Reading from the device and nowhere else.

use std::fs::{self, File};
use std::path::Path;

use hashlane_engine::{EngineChoice, Options};
use hashlane_record::{Cause, Failure, Medium, Obstacle, Operation, Outcome, Record};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::*;

fn from_medium(workers: usize) -> Options {
    let mut options = options(workers, &["sha256"]);
    options.engine = EngineChoice::FromMedium;
    options
}

fn is_refused(record: &Record, obstacle: Obstacle) -> bool {
    let cause = Cause::Obstacle(obstacle);
    let refused = Failure { operation: Operation::FromMedium, cause, offset_bytes: 0 };
    record.outcome == Outcome::Failed(refused) && record.digests.is_empty() && record.origin.read_bytes() == 0
}

/// Whether files of the temporary directory can be read from a medium; says so where they cannot.
fn has_medium(directory: &Path) -> bool {
    let probe = directory.join("a probe of the medium");
    fs::write(&probe, content(9, 100)).expect("write");
    let (records, _) = run(from_medium(1), [path(&probe)]);
    fs::remove_file(&probe).expect("remove");
    let has = records[0].outcome == Outcome::Read;
    if !has {
        skipped("the temporary directory lies on no device that can be read from");
    }
    has
}

/// Makes files of every size, and sees that all of their bytes come from the device and say so.
fn made_and_read_from_the_device(directory: &Path, options_of: fn(usize) -> Options) -> Vec<Made> {
    let sizes = [0, 1, 4095, 4096, 4097, 128 * KIB, 128 * KIB + 1, 3 * MIB + 7, 40 * MIB + 513];
    let made = make_files(directory, &sizes);
    for (workers, name) in [(1, "sha256"), (3, "sha256"), (3, "blake3"), (2, "xxh3")] {
        let mut options = options_of(workers);
        options.algorithms = algorithms(&[name]);
        let (records, _) = run(options, [path(directory)]);
        for (record, made) in records.iter().zip(&made) {
            assert_read(record, made, &algorithms(&[name]));
            assert_eq!(record.origin.device_bytes, made.bytes.len() as u64);
            assert_eq!(record.origin.read_bytes(), made.bytes.len() as u64);
            assert_eq!(record.medium, Medium::Shown, "{record:?}");
        }
    }
    made
}

#[test]
fn files_of_every_size_come_from_the_device_though_they_are_cached_and_dirty() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    if !has_medium(directory.path()) {
        return;
    }
    made_and_read_from_the_device(directory.path(), from_medium);
}

#[test]
fn a_file_is_read_anew_for_each_of_its_names() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    if !has_medium(directory.path()) {
        return;
    }
    let made = make_files(directory.path(), &[200 * KIB]);
    fs::hard_link(&made[0].path, directory.path().join("second name")).expect("link");
    let options = from_medium(2);
    assert!(options.links_once, "asked for, and not done");
    let (records, summary) = run(options, [path(directory.path())]);
    assert_eq!(records.len(), 2);
    assert_eq!(summary.origin.device_bytes, 400 * KIB);
}

#[test]
fn what_lies_in_memory_fails_and_what_is_empty_does_not() {
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else {
        return skipped("there is no /dev/shm");
    };
    let made = make_files(directory.path(), &[0, 10, 300 * KIB, 40 * MIB]);
    let (records, summary) = run(from_medium(2), [path(directory.path())]);
    assert_read(&records[0], &made[0], &algorithms(&["sha256"]));
    for record in &records[1..] {
        assert!(is_refused(record, Obstacle::InMemory), "{record:?}");
        let Outcome::Failed(failure) = record.outcome else { unreachable!("it was refused") };
        assert_eq!(failure.to_string(), "cannot be read from the medium: it is in memory");
    }
    assert_eq!((summary.files, summary.failed), (1, 3));
    let (records, _) = run(from_medium(1), [path("/proc/version".as_ref())]);
    assert!(is_refused(&records[0], Obstacle::InMemory));
}

fn past_cache(workers: usize) -> Options {
    let mut options = from_medium(workers);
    options.engine = EngineChoice::PastCache;
    options
}

#[test]
fn files_of_every_size_are_read_past_the_cache_and_a_second_name_says_so_too() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    if !has_medium(directory.path()) {
        return;
    }
    let made = made_and_read_from_the_device(directory.path(), past_cache);
    fs::hard_link(&made[4].path, directory.path().join("second name")).expect("link");
    let (records, summary) = run(past_cache(2), [path(directory.path())]);
    let all: u64 = made.iter().map(|made| made.bytes.len() as u64).sum();
    assert_eq!(summary.origin.device_bytes, all, "it is read once");
    assert!(records.iter().all(|record| record.medium == Medium::Shown), "{records:?}");
}

#[test]
fn what_cannot_be_read_past_the_cache_is_read_all_the_same_and_says_why() {
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else {
        return skipped("there is no /dev/shm");
    };
    let made = make_files(directory.path(), &[0, 10, 300 * KIB, 40 * MIB]);
    for workers in [1, 3] {
        let (records, summary) = run(past_cache(workers), [path(directory.path())]);
        for (record, made) in records.iter().zip(&made) {
            assert_read(record, made, &algorithms(&["sha256"]));
            assert_eq!(record.medium, Medium::NotShown(Obstacle::InMemory), "{record:?}");
            assert_eq!(record.origin.cache_bytes, made.bytes.len() as u64);
        }
        assert_eq!((summary.files, summary.failed), (4, 0));
    }
    let (records, _) = run(past_cache(1), [path("/proc/version".as_ref())]);
    assert_eq!(records[0].medium, Medium::NotShown(Obstacle::InMemory));
    assert_eq!(records[0].digested_bytes, fs::read("/proc/version").expect("read").len() as u64);
}

#[test]
fn what_is_no_file_fails() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let fifo = directory.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("mkfifo");
    // Keeps it open for writing, so that opening it waits for nobody.
    let _writer = File::options().read(true).write(true).open(&fifo).expect("open");
    let (records, _) = run(from_medium(2), [path(&fifo), path("/dev/zero".as_ref())]);
    assert!(records.iter().all(|record| is_refused(record, Obstacle::NotOnDevice)), "{records:?}");
}

#[test]
fn a_second_name_says_that_the_first_came_from_the_cache() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    if !has_medium(directory.path()) {
        return;
    }
    let made = make_files(directory.path(), &[10_000]);
    fs::hard_link(&made[0].path, directory.path().join("second name")).expect("link");
    let mut options = from_medium(1);
    options.engine = EngineChoice::Auto;
    let (records, _) = run(options, [path(directory.path())]);
    let mediums: Vec<_> = records.iter().map(|record| record.medium).collect();
    assert_eq!(mediums, [Medium::Unasked, Medium::SeenCached]);
}
