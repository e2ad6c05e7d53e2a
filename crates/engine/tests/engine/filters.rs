//! Bounds of size and time, and types: what is passed over, and what that does to others.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use hashlane_engine::{Bounds, Control, Excluded, FileTypes, Filter, Input, Options, Sink, Taken};
use hashlane_record::{Outcome, Record, Timestamp};

use crate::support::{algorithms, custom, item, make_files, options, path, reading_kinds, watched};

/// Numbers of records and of what was excluded, as they came.
#[derive(Default)]
struct Told {
    records: Vec<Record>,
    excluded: Vec<Excluded>,
    order: Vec<u64>,
}

impl Sink for Told {
    fn record(&mut self, record: Record) -> Taken {
        self.order.push(record.number);
        self.records.push(record);
        Ok(())
    }

    fn excluded(&mut self, excluded: Excluded) -> Taken {
        self.order.push(excluded.number);
        self.excluded.push(excluded);
        Ok(())
    }
}

impl Told {
    fn names(&self) -> Vec<&[u8]> {
        let base = |path: &'_ [u8]| path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        let read = self.records.iter().filter(|record| record.outcome == Outcome::Read);
        read.map(|record| &record.path.as_bytes()[base(record.path.as_bytes())..]).collect()
    }
}

fn within(bounds: Bounds) -> Options {
    let mut options = options(2, &["md5"]);
    options.walk.filter = Filter::default().within(bounds);
    options
}

/// A run that counts all that it reports as passed over.
fn run(options: Options, inputs: Vec<Input>) -> Told {
    let mut told = Told::default();
    let control = Arc::new(Control::new());
    let run = || hashlane_engine::run(options, inputs.into_iter(), &mut told, &control);
    let summary = watched("a run with filters", run).expect("a run that nobody disturbs");
    assert_eq!((summary.stopped, summary.dropped), (None, 0));
    assert!(told.order.iter().zip(0..).all(|(&number, place)| number == place), "{:?}", told.order);
    assert!(summary.skipped.excluded >= told.excluded.len() as u64);
    told
}

fn file(path: &Path, tag: &[u8]) -> Input {
    Input::File {
        path: item(path),
        base: None,
        algorithms: algorithms(&["md5"]),
        division: None,
        tag: tag.into(),
    }
}

fn age(path: &Path, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let file = File::options().write(true).open(path).expect("it is there");
    file.set_modified(time).expect("a time that the file system holds");
}

#[test]
fn sizes_equal_to_a_bound_are_read_by_every_engine() {
    let directory = tempfile::tempdir().unwrap();
    let made = make_files(directory.path(), &[0, 1, 99, 100, 101, 5_000, 200_000, 40 << 20]);
    let cases = [
        (Some(100), None, 3..8),
        (None, Some(100), 0..4),
        (Some(0), Some(0), 0..1),
        (Some(101), Some(200_000), 4..7),
    ];
    for kind in reading_kinds() {
        for (min_size_bytes, max_size_bytes, wanted) in cases.clone() {
            let bounds = Bounds { min_size_bytes, max_size_bytes, ..Bounds::default() };
            let mut options = within(bounds);
            options.engine = custom(false, move |pool| kind.start(pool));
            let told = run(options, vec![path(directory.path())]);
            let read: Vec<_> = told.records.iter().map(|record| record.path.clone()).collect();
            let expected: Vec<_> = made[wanted.clone()].iter().map(|made| item(&made.path)).collect();
            assert_eq!(read, expected, "{kind:?} {bounds:?}");
            for (record, made) in told.records.iter().zip(&made[wanted]) {
                assert_eq!(record.digests, [algorithms(&["md5"])[0].digest(&made.bytes)]);
            }
            assert_eq!(told.records.len() + told.excluded.len(), made.len());
        }
    }
}

#[test]
fn a_time_equal_to_a_bound_is_newer_and_not_older() {
    let directory = tempfile::tempdir().unwrap();
    for (name, seconds) in [("a", 99), ("b", 100), ("c", 101)] {
        fs::write(directory.path().join(name), name).unwrap();
        age(&directory.path().join(name), seconds);
    }
    let time = Some(Timestamp { seconds: 100, nanos: 0 });
    let newer = run(within(Bounds { not_before: time, ..Bounds::default() }), vec![path(directory.path())]);
    assert_eq!(newer.names(), [b"b", b"c"]);
    let older = run(within(Bounds { before: time, ..Bounds::default() }), vec![path(directory.path())]);
    assert_eq!(older.names(), [b"a"]);
}

#[test]
fn files_that_are_named_or_listed_are_held_to_the_bounds_and_come_back_with_their_tags() {
    let directory = tempfile::tempdir().unwrap();
    let made = make_files(directory.path(), &[1, 10, 100]);
    let bounds = Bounds { min_size_bytes: Some(5), max_size_bytes: Some(50), ..Bounds::default() };
    let passed_over = Input::Excluded { path: item(Path::new("elsewhere")), tag: b"three"[..].into() };
    let missing = directory.path().join("missing");
    let told = run(
        within(bounds),
        vec![
            path(&made[0].path),
            file(&made[1].path, b"one"),
            file(&made[2].path, b"two"),
            passed_over,
            file(&missing, b"four"),
            path(directory.path()),
        ],
    );
    let excluded: Vec<_> = told.excluded.iter().map(|found| (found.number, &found.tag[..])).collect();
    assert_eq!(excluded, [(0, &b""[..]), (2, b"two"), (3, b"three"), (5, b""), (7, b"")]);
    let records: Vec<_> = told.records.iter().map(|record| (record.number, &record.tag[..])).collect();
    assert_eq!(records, [(1, &b"one"[..]), (4, b"four"), (6, b"")]);
    assert!(matches!(told.records[1].outcome, Outcome::Failed(_)), "what is missing is no matter of size");
}

#[test]
fn nobody_waits_for_a_file_with_several_names_that_is_excluded() {
    let directory = tempfile::tempdir().unwrap();
    let made = make_files(directory.path(), &[200_000, 10]);
    for name in ["x", "y", "z"] {
        fs::hard_link(&made[0].path, directory.path().join(name)).unwrap();
        fs::hard_link(&made[1].path, directory.path().join(format!("small {name}"))).unwrap();
    }
    let bounds = Bounds { max_size_bytes: Some(10), ..Bounds::default() };
    let told = run(within(bounds), vec![path(directory.path())]);
    assert_eq!((told.records.len(), told.excluded.len()), (4, 4));
}

#[test]
fn types_are_read_when_they_are_asked_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "1").unwrap();
    let fifo = directory.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let of_types = |types| {
        // A pipe has no size that a bound could exclude.
        let bounds = Bounds { min_size_bytes: Some(1), ..Bounds::default() };
        let filter = Filter::default().of_types(types).within(bounds);
        let mut options = options(2, &["md5"]);
        options.walk.filter = filter;
        options
    };
    let both = FileTypes { fifo: true, ..FileTypes::default() };
    for (types, expected) in [
        (FileTypes::default(), &["file"][..]),
        (both, &["fifo", "file"]),
        (FileTypes { file: false, ..both }, &["fifo"]),
    ] {
        let writer = types.fifo.then(|| {
            let fifo = fifo.clone();
            thread::spawn(move || {
                File::options().write(true).open(fifo).unwrap().write_all(b"12345").unwrap()
            })
        });
        let told = run(of_types(types), vec![path(directory.path())]);
        let expected: Vec<_> = expected.iter().map(|name| name.as_bytes()).collect();
        assert_eq!(told.names(), expected, "{types:?}");
        if let Some(writer) = writer {
            writer.join().unwrap();
            assert_eq!(told.records[0].digested_bytes, 5);
        }
    }
}
