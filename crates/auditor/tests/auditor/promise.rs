//! The promise: no file is older than its period where the budget is enough. Files are made up, and days pass as fast as they can be
//! recorded.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use hashlane_auditor::{AuditOptions, Ground, Outcome, audit};
use hashlane_catalog::{Clock, Reader, Terms, Writer};
use hashlane_digest::Algorithm;
use hashlane_engine::{
    Control, DirectoryState, Input, Options, Seen, SeenRoot, Shown, Skipped, Summary, Tree, WalkOptions,
};
use hashlane_record::{Facts, ItemPath, Origin, Outcome as ReadOutcome, Record, Timestamp};
use proptest::prelude::*;
use tempfile::TempDir;

const DAY: i64 = 24 * 3600;
const START: i64 = 1_700_000_000;
const PERIOD_DAYS: i64 = 10;

/// Files that exist by their names and sizes only.
#[derive(Debug, Default)]
struct MadeUp {
    sizes: BTreeMap<Vec<u8>, u64>,
    /// Bytes that were read since somebody asked.
    read_bytes: Mutex<u64>,
}

impl MadeUp {
    fn add(&mut self, size: u64) {
        let name = format!("{:06}", self.sizes.len());
        self.sizes.insert(name.into_bytes(), size);
    }

    fn bytes(&self) -> u64 {
        self.sizes.values().sum()
    }
}

/// All of them were written long ago.
const WRITTEN: Timestamp = Timestamp { seconds: 1_000_000, nanos: 0 };

impl Tree for &MadeUp {
    fn base(&self) -> &[u8] {
        b""
    }

    fn identity(&self) -> io::Result<SeenRoot> {
        Ok(SeenRoot { file_system: "made up".into(), inode: 1, mounts: Vec::new() })
    }

    fn list(
        &self,
        _: &ItemPath,
        _: &WalkOptions,
        visit: &mut dyn FnMut(Shown<'_>) -> ControlFlow<()>,
    ) -> io::Result<Skipped> {
        for (path, size) in &self.sizes {
            let seen = Seen {
                size_bytes: *size,
                modified: WRITTEN,
                changed: Some(WRITTEN),
                inode: Some(1),
                made_s: None,
            };
            if visit(Shown::File { path, seen: Some(seen), is_offline: false }).is_break() {
                break;
            }
        }
        Ok(Skipped::default())
    }

    fn facts(&self, _: &[u8]) -> io::Result<Option<Seen>> {
        Ok(None)
    }

    fn directory(&self, _: &[u8]) -> DirectoryState {
        DirectoryState::There
    }

    fn read(
        &self,
        _: Options,
        files: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn hashlane_engine::Sink,
        _: &Arc<Control>,
    ) -> Result<Summary, hashlane_engine::Error> {
        let sha256 = Algorithm::SHA256;
        for (number, file) in files.enumerate() {
            let Input::File { path, tag, .. } = file else { continue };
            let size = self.sizes[path.as_bytes()];
            *self.read_bytes.lock().expect("one thread") += size;
            let facts = Facts {
                size_bytes: size,
                modified: WRITTEN,
                changed: WRITTEN,
                accessed: WRITTEN,
                device: 1,
                inode: 1,
                links: 1,
            };
            let record = Record {
                number: number as u64,
                outcome: ReadOutcome::Read,
                facts: Some(facts),
                digests: vec![sha256.digest(path.as_bytes())],
                pieces: None,
                digested_bytes: size,
                origin: Origin { device_bytes: size, ..Origin::default() },
                medium: Default::default(),
                state: None,
                tag,
                path,
            };
            if let Err(halt) = sink.record(record) {
                return halt.into_result().map(|()| Summary::default());
            }
        }
        Ok(Summary::default())
    }
}

/// A catalogue in a directory of its own, with a collection whose files are to be read once in this many days.
fn promised(period_days: i64) -> (TempDir, Writer) {
    let directory = tempfile::tempdir().expect("a directory");
    let mut catalog = Writer::open_or_make(&directory.path().join("catalog")).expect("made");
    let mut terms = Terms::new("c", "/nowhere");
    terms.period_s = Some(period_days * DAY);
    catalog.add_collection(&terms, START).expect("a new name");
    (directory, catalog)
}

/// An audit of what is due, with at most this many bytes, if there is a limit. How it ended, and how many bytes were read.
fn night(
    catalog: &mut Writer,
    ground: &MadeUp,
    now_s: i64,
    budget: Option<u64>,
    scratch: &Path,
) -> (Outcome, u64) {
    let collection = catalog.collection("c").expect("it was added");
    let mut options = AuditOptions::new("keeper");
    let clock = Arc::new(AtomicI64::new(now_s));
    options.clock = Clock::new(move || clock.load(Ordering::Relaxed));
    options.scratch = scratch.to_owned();
    options.budget.bytes = budget;
    *ground.read_bytes.lock().expect("one thread") = 0;
    let control = Arc::new(Control::new());
    let engine = Options::new(collection.terms.algorithms.clone().into());
    let tree = Ground::new(catalog, &collection, Rc::new(ground), engine).expect("no globs");
    let audited = audit(catalog, &collection, &tree, &options, &control, &mut |_| Ok(())).expect("an audit");
    (audited.outcome, *ground.read_bytes.lock().expect("one thread"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// What is needed: the share of all bytes that a night of up to 28 hours has of the period, the largest file, and what has arrived.
    #[test]
    fn no_file_is_older_than_its_promise_where_the_budget_is_enough(
        sizes in proptest::collection::vec(1_u64..1000, 20..120),
        arrivals in proptest::collection::vec(proptest::collection::vec(1_u64..1000, 0..6), 35),
        hours in proptest::collection::vec(20_i64..28, 35),
    ) {
        let (directory, mut catalog) = promised(PERIOD_DAYS);
        let mut ground = MadeUp::default();
        sizes.iter().for_each(|size| ground.add(*size));
        let all: u64 = ground.bytes() + arrivals.iter().flatten().sum::<u64>();
        let busiest = arrivals.iter().map(|sizes| sizes.iter().sum::<u64>()).max().unwrap_or(0);
        let budget = all.div_ceil(PERIOD_DAYS as u64 - 2) + busiest + 1000;
        let mut now_s = START;
        for (arrived, hours) in arrivals.iter().zip(&hours) {
            let late = |catalog: &Reader| {
                let collection = catalog.collection("c").expect("it was added");
                catalog.late(&collection, now_s).expect("readable")
            };
            prop_assert_eq!(late(&catalog), 0, "before the audit at day {}", (now_s - START) / DAY);
            let (_, read) = night(&mut catalog, &ground, now_s, Some(budget), directory.path());
            prop_assert!(read <= budget, "{} of {}", read, budget);
            prop_assert_eq!(late(&catalog), 0, "after the audit at day {}", (now_s - START) / DAY);
            arrived.iter().for_each(|size| ground.add(*size));
            now_s += hours * 3600;
        }
    }
}

#[test]
fn a_few_large_files_are_read_about_once_a_period() {
    for files in 1..=4 {
        let (directory, mut catalog) = promised(30);
        let mut ground = MadeUp::default();
        (0..files).for_each(|_| ground.add(1 << 40));
        let (mut nights, mut read) = (Vec::new(), 0);
        for day in 0..121 {
            let now_s = START + day * DAY;
            let collection = catalog.collection("c").expect("it was added");
            assert_eq!(catalog.late(&collection, now_s).expect("readable"), 0, "{files} files, day {day}");
            let (_, bytes) = night(&mut catalog, &ground, now_s, None, directory.path());
            nights.push(bytes >> 40);
            read += bytes >> 40;
        }
        // Four periods and the first night; each file may be read some nights before its time is over.
        assert!(read <= 6 * files, "{files} files: {nights:?}");
        assert!(nights[1..].iter().all(|read| *read <= 1), "they are spread: {nights:?}");
    }
}

#[test]
fn what_was_read_of_files_that_are_gone_puts_nothing_off() {
    let (directory, mut catalog) = promised(30);
    let mut ground = MadeUp::default();
    [100_000].into_iter().chain([10; 100]).for_each(|size| ground.add(size));
    let mut nights = Vec::new();
    for day in 0..60 {
        let (_, bytes) = night(&mut catalog, &ground, START + day * DAY, None, directory.path());
        nights.push(bytes);
        if day == 2 {
            ground.sizes.pop_first();
        }
    }
    assert!(nights[1] == 100_000 || nights[2] == 100_000, "it was read as a whole: {nights:?}");
    // A thirtieth of a thousand bytes a night, in files of ten; some have a night on which their promise ends.
    assert!(nights[4..].iter().all(|bytes| *bytes <= 300), "{nights:?}");
}
