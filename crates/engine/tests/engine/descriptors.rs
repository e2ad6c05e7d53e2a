//! Few descriptors, and inputs that are not regular files.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use hashlane_engine::{Control, Input, Sink, Stop, Taken};
use hashlane_io::{Lease, Leased};
use hashlane_record::{Outcome, Record};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::support::*;

/// A tree of many directories, deep and wide, with more big files than may be open.
fn wide_tree(root: &std::path::Path) -> Vec<Made> {
    let mut made = Vec::new();
    for number in 0..30 {
        let directory = root.join(format!("{number:02}/below/further/down"));
        fs::create_dir_all(&directory).expect("mkdir");
        made.extend(make_files(&directory, &[10, MIB + 1, 200 * KIB, 20]));
    }
    made
}

/// Reads a tree in a process of its own that may open `limit` files and holds some of them.
fn run_with_few_descriptors(test: &str, limit: u64, held: usize) {
    if !is_child() {
        return in_child(test, |_| {});
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = wide_tree(directory.path());
    let few = Rlimit { current: Some(limit), maximum: Some(limit) };
    setrlimit(Resource::Nofile, few).expect("setrlimit");
    let _held: Vec<_> = (0..held).map(|_| File::open("/dev/null").expect("open")).collect();
    for workers in [1, 2, 8] {
        let (records, _) = run(options(workers, &["sha256"]), [path(directory.path())]);
        assert_eq!(records.len(), made.len());
        for (record, made) in records.iter().zip(&made) {
            assert_read(record, made, &algorithms(&["sha256"]));
        }
    }
}

#[test]
fn few_descriptors_are_enough() {
    run_with_few_descriptors("descriptors::few_descriptors_are_enough", 40, 0);
}

#[test]
fn descriptors_that_others_hold_are_done_without() {
    // So many that fewer are left than a run takes at the least: it meets EMFILE.
    run_with_few_descriptors("descriptors::descriptors_that_others_hold_are_done_without", 80, 66);
}

#[test]
fn two_runs_beside_two_hundred_sockets_share_what_is_left() {
    if !is_child() {
        return in_child("descriptors::two_runs_beside_two_hundred_sockets_share_what_is_left", |_| {});
    }
    let directories = [(); 2].map(|()| tempfile::tempdir().expect("a temporary directory"));
    let trees = directories.each_ref().map(|directory| wide_tree(directory.path()));
    let few = Rlimit { current: Some(256), maximum: Some(256) };
    setrlimit(Resource::Nofile, few).expect("setrlimit");
    let _sockets: Vec<_> = (0..100).map(|_| UnixStream::pair().expect("two sockets")).collect();
    let both = Barrier::new(2);
    thread::scope(|scope| {
        for (directory, made) in directories.iter().zip(&trees) {
            let both = &both;
            scope.spawn(move || {
                let control = Arc::new(Control::new());
                // Both have begun before either goes on.
                let mut sink = Waiting { both, has_begun: false, records: Vec::new(), leases: 0 };
                let root = directory.path().to_owned();
                let inputs = (0..4).map(move |_| path(&root));
                let result = watched("one of two runs", || {
                    hashlane_engine::run(options(8, &["sha256"]), inputs, &mut sink, &control)
                });
                let summary = result.expect("a run that nobody disturbs");
                assert_eq!((summary.failed, summary.dropped, sink.leases), (0, 0, 2));
                assert_eq!(sink.records.len(), 4 * made.len());
                for (record, made) in sink.records.iter().zip(made.iter().cycle()) {
                    assert_read(record, made, &algorithms(&["sha256"]));
                }
            });
        }
    });
    assert_eq!(Lease::all(), Leased::default());
    // Whoever is alone again has what is left to itself.
    let alone = Lease::take(1024, 0);
    assert!(alone.descriptors() > 16, "{}", alone.descriptors());
}

/// Keeps all records; takes the first only when another run has one, too.
struct Waiting<'a> {
    both: &'a Barrier,
    has_begun: bool,
    records: Vec<Record>,
    leases: usize,
}

impl Sink for Waiting<'_> {
    fn record(&mut self, record: Record) -> Taken {
        if !self.has_begun {
            self.has_begun = true;
            self.both.wait();
            self.leases = Lease::all().leases;
            self.both.wait();
        }
        self.records.push(record);
        Ok(())
    }
}

#[test]
fn descriptors_that_come_back_after_a_while_are_waited_for() {
    if !is_child() {
        return in_child("descriptors::descriptors_that_come_back_after_a_while_are_waited_for", |_| {});
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = wide_tree(directory.path());
    let few = Rlimit { current: Some(80), maximum: Some(80) };
    setrlimit(Resource::Nofile, few).expect("setrlimit");
    for workers in [1, 2] {
        let held: Vec<_> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
        let control = Arc::new(Control::new());
        // The run has its own descriptors before it finds that there are no more.
        let mut held = held.into_iter();
        drop(held.by_ref().take(12).collect::<Vec<_>>());
        let other = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            drop(held);
        });
        let (records, result) = try_run(options(workers, &["sha256"]), [path(directory.path())], &control);
        let summary = result.expect("a run that nobody disturbs");
        assert_eq!((summary.files, summary.failed), (made.len() as u64, 0));
        for (record, made) in records.iter().zip(&made) {
            assert_read(record, made, &algorithms(&["sha256"]));
        }
        other.join().expect("it only waits");
    }
}

#[test]
fn descriptors_that_never_come_back_are_not_waited_for_by_each_directory() {
    const TEST: &str = "descriptors::descriptors_that_never_come_back_are_not_waited_for_by_each_directory";
    if !is_child() {
        return in_child(TEST, |_| {});
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let name = directory.path().to_owned();
    make_files(&name, &[10]);
    let few = Rlimit { current: Some(80), maximum: Some(80) };
    setrlimit(Resource::Nofile, few).expect("setrlimit");
    let mut held = Vec::new();
    // All that are left, when the run has its own. Half a second for each directory would be longer than the watchdog waits.
    let inputs = (0..300).map(move |_| {
        held.extend(std::iter::from_fn(|| File::open("/dev/null").ok()));
        path(&name)
    });
    let (records, result) = try_run(options(1, &["sha256"]), inputs, &Arc::new(Control::new()));
    let summary = result.expect("a run that nobody disturbs");
    // A thread that has just begun may give one back that it needed for a moment: then a directory is listed.
    assert_eq!((summary.files + summary.failed, records.len()), (300, 300));
    assert!(summary.failed > 200, "{} of 300 failed", summary.failed);
}

#[test]
fn a_fifo_that_is_named_is_read_until_its_writer_is_done() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let fifo = directory.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("mkfifo");
    for length in [0, 1, 100_000, 3 * MIB + 1] {
        let made = Made::new(&fifo, content(length, length));
        let (to, bytes) = (fifo.clone(), made.bytes.clone());
        let writer = thread::spawn(move || {
            let mut file = File::options().write(true).open(to).expect("open");
            bytes.chunks(12_345).for_each(|chunk| file.write_all(chunk).expect("write"));
        });
        let (records, _) = run(options(2, &["sha256", "blake3"]), [path(&fifo)]);
        assert_read(&records[0], &made, &algorithms(&["sha256", "blake3"]));
        writer.join().expect("it only writes");
    }
}

/// Counts how many records have come.
struct Counting<'a>(&'a AtomicU64);

impl Sink for Counting<'_> {
    fn record(&mut self, record: Record) -> Taken {
        assert_eq!(record.outcome, Outcome::Read);
        self.0.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }
}

#[test]
fn where_no_order_is_asked_for_no_record_waits_for_an_earlier_file() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let fifo = directory.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("mkfifo");
    let made = make_files(directory.path(), &[0, 10, 100, 3 * MIB]);
    let mut options = options(2, &["sha256"]);
    options.in_order = false;
    let inputs: Vec<_> = [path(&fifo)].into_iter().chain(made.iter().map(|made| path(&made.path))).collect();
    let count = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&count);
    let writer = thread::spawn(move || {
        let _open = File::options().write(true).open(fifo).expect("open");
        // It ends only when all others have come.
        until("the records behind it", || seen.load(Ordering::Acquire) == 4);
    });
    let summary = watched("a run", || {
        let control = Arc::new(Control::new());
        hashlane_engine::run(options, inputs.into_iter(), &mut Counting(&count), &control)
    });
    writer.join().expect("they came");
    assert_eq!((summary.expect("a run").files, count.load(Ordering::Acquire)), (5, 5));
}

#[test]
fn a_fifo_in_a_tree_is_passed_over_and_counted() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let fifo = directory.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("mkfifo");
    let made = make_files(directory.path(), &[10]);
    let (records, summary) = run(options(2, &["sha256"]), [path(directory.path())]);
    assert_eq!((records.len(), summary.skipped.special), (1, 1));
    assert_read(&records[0], &made[0], &algorithms(&["sha256"]));
}

#[test]
fn a_fifo_that_nobody_writes_to_does_not_hold_up_an_abort() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let fifo = directory.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("mkfifo");
    let made = make_files(directory.path(), &[7; 100]);
    let control = Arc::new(Control::new());
    let watching = Arc::clone(&control);
    let other = thread::spawn(move || {
        until("the files behind the FIFO", || watching.progress().digested_bytes >= 700);
        watching.abort();
    });
    let inputs: Vec<_> = [path(&fifo)].into_iter().chain(made.iter().map(|made| path(&made.path))).collect();
    let (records, result) = try_run(options(2, &["sha256"]), inputs, &control);
    let summary = result.expect("it was stopped");
    assert_eq!((summary.stopped, summary.dropped + records.len() as u64), (Some(Stop::Aborted), 101));
    assert!(records.iter().all(|record| record.number > 0));
    other.join().expect("it only waits");
    // Lets the reader go that waits for a writer.
    drop(File::options().write(true).read(true).open(&fifo).expect("open"));
}

#[test]
fn standard_input_is_read_from_where_it_stands() {
    if is_child() {
        return read_standard_input();
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[2 * MIB + 3]);
    in_child("descriptors::standard_input_is_read_from_where_it_stands", |command| {
        command.stdin(Stdio::from(File::open(&made[0].path).expect("open")));
    });
}

fn read_standard_input() {
    let set = algorithms(&["sha256", "blake3"]);
    let mut bytes = content(0, 2 * MIB + 3);
    for skipped in [0, MIB + 1] {
        rustix::fs::seek(rustix::stdio::stdin(), rustix::fs::SeekFrom::Start(skipped)).expect("seek");
        let input = Input::Stdin { tag: b"tag".as_slice().into(), algorithms: set.clone(), division: None };
        let (records, _) = run(options(2, &[]), [input]);
        bytes.drain(..skipped as usize);
        assert_read(&records[0], &Made::new("-", bytes.clone()), &set);
        assert_eq!(*records[0].tag, *b"tag");
    }
}
