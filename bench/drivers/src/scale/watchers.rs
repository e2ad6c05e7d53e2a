//! Those who look at a catalogue: pages of the feed, the status of many collections, and readers beside an audit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hashlane_auditor::{AuditOptions, Ground, Outcome, Scope, audit};
use hashlane_catalog::{CollectionId, EventKind, Reader, Terms, Wanted, Writer};
use hashlane_engine::{Control, Options};
use hashlane_keeper::Overview;

use super::items::{NAME, Stage, process};
use super::made_up::MadeUp;
use super::runs::{MIB, timed};
use crate::figures::{Bound, Figure};
use crate::sizes::has_room;

/// What a page of a hundred events may take that have one thing among ten million, and what one that have two (the bars).
const ONE_FILTER_AT_MOST_MS: f64 = 20.0;
const TWO_FILTERS_AT_MOST_MS: f64 = 100.0;

/// Events that are asked for, and a filter that has too many of them by itself.
const FEW: u64 = 100;
const MANY: u64 = 100;

/// What the state of a hundred collections may take (the bar).
const COLLECTIONS: u64 = 100;
const STATUS_AT_MOST_MS: f64 = 100.0;

/// What an audit may take with readers beside it, by what it takes alone, and how large the log may become (the bars).
const READERS: usize = 8;
const MOST_PROCESSOR: f64 = 1.05;
const MOST_WALL: f64 = 1.10;
const MOST_LOG_MIB: f64 = 64.0;

/// When the first event happens that is made up, in seconds since 1970: later than what making the collections was.
const TIMES_S: i64 = 4_000_000_000;

/// Events that are written together.
const TOGETHER: u64 = 100_000;

/// What an event takes on the disk, with its indexes and the log.
const EVENT_ON_DISK: u64 = 400;

/// A catalogue of `events` events. A hundred of them have each thing that is asked for.
pub(super) fn feed(hashlane: &Path, scratch: &Path, events: u64, rounds: u32) -> Result<Vec<Figure>> {
    has_room(scratch, events * EVENT_ON_DISK)?;
    let directory = scratch.join("feed");
    fs::create_dir_all(&directory)?;
    let path = directory.join("catalog.sqlite");
    let item = make_events(&path, &directory, events)?;
    let mut figures = sizes(&path, events)?;
    let since = jiff::Timestamp::from_second(since_s(events))?.to_string();
    let one: [(&str, Vec<&str>); 5] = [
        ("collection", vec!["rare"]),
        ("kind", vec!["--kind", "late"]),
        ("actor", vec!["--actor", "rare"]),
        ("path", vec!["--path", &item]),
        ("since", vec!["--since", &since]),
    ];
    let two: [(&str, Vec<&str>); 3] = [
        ("collection and kind", vec!["large", "--kind", "decision"]),
        ("actor and kind", vec!["--actor", "often", "--kind", "refused"]),
        ("collection and since", vec!["rare", "--since", "1970-01-02"]),
    ];
    for (filters, most_ms) in [(&one[..], ONE_FILTER_AT_MOST_MS), (&two[..], TWO_FILTERS_AT_MOST_MS)] {
        for (what, arguments) in filters {
            let mut samples = Vec::new();
            for _ in 0..rounds {
                let mut command = Command::new(hashlane);
                command
                    .arg("events")
                    .args(arguments)
                    .args(["--limit", "1000"])
                    .env("HASHLANE_CATALOG", &path);
                let start = Instant::now();
                let output = command.output()?;
                samples.push(start.elapsed().as_secs_f64() * 1e3);
                let lines = output.stdout.iter().filter(|byte| **byte == b'\n').count() as u64;
                ensure!(
                    output.status.success() && (FEW..FEW + 3).contains(&lines),
                    "{command:?} printed {lines} events"
                );
            }
            let what = format!("{FEW} of {events} events by {what}, as typed");
            figures.push(Figure::new(what, "ms", samples).with_bar(Bound::AtMost, most_ms));
        }
    }
    fs::remove_dir_all(&directory)?;
    Ok(figures)
}

/// When the last hundred events happened.
fn since_s(events: u64) -> i64 {
    TIMES_S + (events - FEW) as i64 + 1
}

/// Fills a catalogue with events. Returns the path of the file that has a hundred of them.
fn make_events(path: &Path, directory: &Path, events: u64) -> Result<String> {
    let mut catalog = Writer::open_or_make(path)?;
    first_audit(&mut catalog, directory, NAME, 1000)?;
    for name in ["rare", "large"] {
        catalog.add_collection(&Terms::new(name, "/made-up"), 0)?;
    }
    let id = |name: &str| -> Result<CollectionId> { Ok(catalog.collection(name)?.id) };
    let (rare, large, usual) = (id("rare")?, id("large")?, id(NAME)?);
    let mut found = None;
    catalog.each_item(&catalog.collection(NAME)?, &mut |directory, item| {
        found.get_or_insert_with(|| (item.id, [directory, b"/", &item.name[..]].concat()));
        Ok(())
    })?;
    let (item, file) = found.context("there are files")?;
    // One in this many has each thing that a hundred have.
    let every = events / FEW;
    let made_up = |number: u64| {
        let of = number % every;
        // A hundredth of all has this, and a hundred of those have what another hundredth has, too.
        let is_large = of == 1 || number % MANY == 5;
        let is_decision = of == 1 || number % MANY == 7;
        let is_often = of == 2 || number % MANY == 9;
        let is_refused = of == 2 || number % MANY == 11;
        let kind = match of {
            3 => EventKind::Late,
            _ if is_decision => EventKind::Decision,
            _ if is_refused => EventKind::Refused,
            _ => EventKind::Recovered,
        };
        let collection = match of {
            4 => rare,
            _ if is_large => large,
            _ => usual,
        };
        let actor = match of {
            6 => "rare",
            _ if is_often => "often",
            _ => "usual",
        };
        (kind, collection, (of == 8).then_some(item), TIMES_S + number as i64, actor)
    };
    let mut next = 1;
    while next <= events {
        let end = (next + TOGETHER).min(events + 1);
        catalog.make_up_events((next..end).map(made_up))?;
        next = end;
    }
    Ok(String::from_utf8(file)?)
}

/// What the events and their indexes take.
fn sizes(path: &Path, events: u64) -> Result<Vec<Figure>> {
    let sizes = Reader::open(path)?.sizes()?;
    let of_events = sizes.into_iter().filter(|(name, _)| name == "event" || name.starts_with("event_"));
    let figure = |(name, bytes): (String, u64)| {
        Figure::new(format!("{name}: an event"), "B", vec![bytes as f64 / events as f64])
    };
    Ok(of_events.map(figure).collect())
}

/// The first audit of a collection of made-up files.
fn first_audit(catalog: &mut Writer, scratch: &Path, name: &str, files: u64) -> Result<()> {
    let now_s = jiff::Timestamp::now().as_second();
    catalog.add_collection(&Terms::new(name, "/made-up"), now_s)?;
    let collection = catalog.collection(name)?;
    let mut options = AuditOptions::new("driver");
    options.scope = Scope::All;
    options.scratch = scratch.to_path_buf();
    let made_up = Rc::new(MadeUp::new(files).context("sha256 is registered")?);
    let engine = Options::new(collection.terms.algorithms.clone().into());
    let ground = Ground::new(catalog, &collection, made_up, engine)?;
    let control = Arc::new(Control::new());
    let audited = audit(catalog, &collection, &ground, &options, &control, &mut |_| Ok(()))?;
    ensure!(audited.outcome == Outcome::Complete && audited.files == files, "{:?}", audited.outcome);
    Ok(())
}

/// The state of a hundred collections, as it is typed.
pub(super) fn status(hashlane: &Path, scratch: &Path, rows: u64, rounds: u32) -> Result<Vec<Figure>> {
    let directory = scratch.join("status");
    fs::create_dir_all(&directory)?;
    let path = directory.join("catalog.sqlite");
    let files = (rows / COLLECTIONS).max(10);
    {
        let mut catalog = Writer::open_or_make(&path)?;
        for number in 0..COLLECTIONS {
            first_audit(&mut catalog, &directory, &format!("{NAME}-{number}"), files)?;
        }
    }
    let mut samples = Vec::new();
    for _ in 0..rounds {
        let mut command = Command::new(hashlane);
        command.arg("status").env("HASHLANE_CATALOG", &path);
        let start = Instant::now();
        let output = command.output()?;
        samples.push(start.elapsed().as_secs_f64() * 1e3);
        ensure!(output.status.success(), "status ended with {:?}", output.status);
    }
    fs::remove_dir_all(&directory)?;
    let what = format!("status of {COLLECTIONS} collections of {files} files, as typed");
    Ok(vec![Figure::new(what, "ms", samples).with_bar(Bound::AtMost, STATUS_AT_MOST_MS)])
}

/// A first audit beside readers that ask for a page a second each, by one without.
pub(super) fn readers(scratch: &Path, files: u64, rounds: u32) -> Result<Vec<Figure>> {
    let (mut alone, mut watched, mut logs, mut pages) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        for has_readers in [false, true] {
            let directory = scratch.join("readers");
            fs::create_dir_all(&directory)?;
            let watchers = has_readers.then(|| Watchers::begin(&super::items::catalogue(&directory)));
            // The readers are threads of this process.
            let mut command = process(Stage::First, &directory, files)?;
            let used = timed(&mut command, |_| Ok(()))?;
            ensure!(used.code == Some(0), "{command:?} ended with {:?}", used.code);
            match watchers {
                Some(watchers) => {
                    let (log_bytes, shown) = watchers.end()?;
                    logs.push(log_bytes as f64 / MIB);
                    pages.push(shown as f64);
                    watched.push(used);
                }
                None => alone.push(used),
            }
            fs::remove_dir_all(&directory)?;
        }
    }
    let ratios = |of: fn(&super::runs::Used) -> f64| {
        watched.iter().zip(&alone).map(|(watched, alone)| of(watched) / of(alone)).collect::<Vec<_>>()
    };
    let what = format!("first audit of {files} made-up files with {READERS} readers, by one without");
    Ok(vec![
        Figure::new(format!("{what}: processor time"), "times", ratios(|used| used.processor_s))
            .with_bar(Bound::AtMost, MOST_PROCESSOR),
        Figure::new(format!("{what}: wall time"), "times", ratios(|used| used.wall_s))
            .with_bar(Bound::AtMost, MOST_WALL),
        Figure::new("the largest write-ahead log meanwhile", "MiB", logs)
            .with_bar(Bound::AtMost, MOST_LOG_MIB),
        Figure::new("pages that were read meanwhile", "pages", pages),
    ])
}

/// Those who look at a catalogue while it is written to.
struct Watchers {
    is_over: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<Result<u64>>>,
    log: thread::JoinHandle<u64>,
}

impl Watchers {
    fn begin(catalogue: &Path) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let threads = (0..READERS)
            .map(|_| {
                let (catalogue, is_over) = (catalogue.to_path_buf(), Arc::clone(&is_over));
                thread::spawn(move || pages(&catalogue, &is_over))
            })
            .collect();
        let log = {
            let (mut log, is_over) = (catalogue.as_os_str().to_owned(), Arc::clone(&is_over));
            log.push("-wal");
            let (log, largest) = (PathBuf::from(log), AtomicU64::new(0));
            thread::spawn(move || {
                while !is_over.load(Ordering::Acquire) {
                    largest.fetch_max(fs::metadata(&log).map_or(0, |facts| facts.len()), Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(20));
                }
                largest.load(Ordering::Relaxed)
            })
        };
        Self { is_over, threads, log }
    }

    /// How large the log was, and how many pages were read.
    fn end(self) -> Result<(u64, u64)> {
        self.is_over.store(true, Ordering::Release);
        let mut shown = 0;
        for thread in self.threads {
            shown += thread.join().map_err(|_| anyhow::anyhow!("a reader panicked"))??;
        }
        let log = self.log.join().map_err(|_| anyhow::anyhow!("who looks at the log panicked"))?;
        Ok((log, shown))
    }
}

/// Reads a page a second: how all collections are, and what happened last.
fn pages(catalogue: &Path, is_over: &AtomicBool) -> Result<u64> {
    let mut shown = 0;
    let mut catalog = None;
    while !is_over.load(Ordering::Acquire) {
        let next = Instant::now() + Duration::from_secs(1);
        if catalog.is_none() {
            catalog = Reader::open(catalogue).ok();
        }
        if let Some(catalog) = &catalog {
            for collection in catalog.collections()? {
                Overview::of(catalog, collection, jiff::Timestamp::now().as_second(), 1000)?;
            }
            let mut wanted = Wanted::default();
            wanted.is_reversed = true;
            wanted.kinds = EventKind::ALL.into();
            catalog.feed(&wanted)?.next(100)?;
            shown += 1;
        }
        while Instant::now() < next && !is_over.load(Ordering::Acquire) {
            thread::sleep(Duration::from_millis(20));
        }
    }
    Ok(shown)
}
