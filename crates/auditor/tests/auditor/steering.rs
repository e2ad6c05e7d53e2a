//! What is asked of an audit from outside, by another connection to the same catalogue.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hashlane_auditor::{AskedToEnd, Audited, Ground, Outcome};
use hashlane_catalog::{Acting, Error, Reader, Writer};
use hashlane_engine::{Control, Options};

use crate::keeper::Keeper;

const MIB: u64 = 1 << 20;

/// Much longer than anything here takes: then it is an error, and not a hang.
const FOR_EVER: Duration = Duration::from_secs(120);

fn anna() -> Acting {
    Acting { actor: "anna".into(), reason: "backup".into(), ..Acting::default() }
}

/// Files that take minutes at [`SLOW`].
fn made() -> Keeper {
    let keeper = Keeper::new(|_| {});
    for number in 0..40 {
        keeper.write(&format!("{number}"), vec![b'x'; 3 << 20]);
    }
    keeper.write("large", vec![b'y'; 40 << 20]);
    keeper
}

const SLOW: u64 = MIB / 2;

/// Audits all at a rate, while another thread asks, once the audit has digested some.
fn audited(
    keeper: &mut Keeper,
    rate: Option<u64>,
    asks: impl FnOnce(&mut Writer, &Control) + Send + 'static,
) -> Audited {
    let mut options = Options::new(keeper.collection().terms.algorithms.clone().into());
    options.max_bytes_per_second = rate;
    let ground = Ground::local(&keeper.catalog, &keeper.collection(), options).expect("good globs");
    let (control, path) = (Arc::new(Control::new()), keeper.catalog.path().to_owned());
    let other = Arc::clone(&control);
    let asking = thread::spawn(move || {
        wait_until(|| other.progress().digested_bytes > 0);
        asks(&mut Writer::open(&path).expect("opened"), &other);
    });
    let audited = keeper.over(&ground, |_| {}, &control, &mut || {}).expect("an audit").0;
    asking.join().expect("it has asked");
    audited
}

#[track_caller]
fn wait_until(mut so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !so() {
        assert!(begin.elapsed() < FOR_EVER, "it never comes to that");
        thread::sleep(Duration::from_millis(5));
    }
}

fn collection(catalog: &Writer) -> hashlane_catalog::Collection {
    catalog.collection("tree").expect("it is there")
}

#[test]
fn a_rate_that_another_sets_counts_for_all_that_is_read_from_then_on() {
    // Faster: what would take minutes is over at once.
    let mut keeper = made();
    let done = audited(&mut keeper, Some(SLOW), |catalog, _| {
        let of = collection(catalog);
        catalog.ask_for_rate(&of, None, &anna()).expect("it is under way");
    });
    assert_eq!((done.outcome, done.files), (Outcome::Complete, 41));

    // Slower, within a large file.
    const SIZE: u64 = 256 * MIB;
    let keeper = &mut Keeper::new(|_| {});
    keeper.write("large", vec![b'y'; SIZE as usize]);
    let done = audited(keeper, Some(32 * MIB), |catalog, control| {
        let of = collection(catalog);
        catalog.ask_for_rate(&of, Some(SLOW), &anna()).expect("it is under way");
        let bytes = || control.progress().digested_bytes;
        let mut before = bytes();
        wait_until(|| {
            thread::sleep(Duration::from_secs(1));
            let last = std::mem::replace(&mut before, bytes());
            before - last <= 2 * MIB || before >= SIZE
        });
        assert!(before < SIZE, "it has read on at its own rate");
        catalog.ask_for_rate(&of, None, &anna()).expect("it is under way");
    });
    assert_eq!((done.outcome, done.bytes), (Outcome::Complete, SIZE));
    let changes = keeper.catalog.changes(Some("tree"), None).expect("readable");
    let set: Vec<_> = changes.iter().filter(|change| change.what == "rate-set").collect();
    assert_eq!(set.len(), 2);
    assert_eq!((&set[0].actor[..], &set[0].reason[..]), ("anna", "backup"));
    assert_eq!(set[0].becomes["by"], "keeper", "whose audit it was");
    assert_eq!((&set[0].becomes["bytes_per_second"], set[0].was.len()), (&SLOW.into(), 0));
    assert_eq!(set[1].was["bytes_per_second"], SLOW);
}

#[test]
fn an_audit_that_another_stops_ends_soon_and_is_gone_on_with() {
    let mut keeper = made();
    let stopped = audited(&mut keeper, Some(8 * MIB), |catalog, _| {
        let of = collection(catalog);
        let steered = catalog.ask_to_stop(&of, &anna()).expect("it is under way");
        assert_eq!((&steered.actor[..], steered.process), ("keeper", std::process::id()));
    });
    let by = AskedToEnd::Stop { by: "anna".into() };
    assert_eq!((stopped.outcome, stopped.asked_to_end), (Outcome::Stopped, Some(by)));
    assert!(stopped.files < 41);
    // Who audits next is not asked any more.
    let (done, _) = keeper.audit(|_| {});
    assert!(done.goes_on && done.outcome == Outcome::Complete, "{done:?}");
    let nobody = keeper.catalog.ask_to_stop(&keeper.collection(), &anna()).expect_err("none is under way");
    assert!(matches!(nobody, Error::NotUnderWay { name } if name == "tree"));
    let changes = keeper.catalog.changes(Some("tree"), None).expect("readable");
    assert_eq!(changes.iter().filter(|change| change.what == "audit-stopped").count(), 1);
}

#[test]
fn a_pause_ends_what_is_under_way_and_nothing_begins_until_it_is_over() {
    let mut keeper = made();
    let until_s = keeper.now() + 100;
    let paused = audited(&mut keeper, Some(8 * MIB), move |catalog, _| {
        catalog.begin_pause(Some(until_s), &anna()).expect("taken");
    });
    assert_eq!(paused.outcome, Outcome::Stopped);
    let Some(AskedToEnd::Pause(pause)) = paused.asked_to_end else { panic!("{:?}", paused.asked_to_end) };
    assert_eq!((pause.until_s, &pause.actor[..], &pause.reason[..]), (Some(until_s), "anna", "backup"));
    let refused = keeper.try_audit(|_| {}, &Arc::new(Control::new())).expect_err("all are paused");
    assert!(matches!(refused, Error::Paused { pause: told } if told == pause));
    // Until its end.
    keeper.passes(100);
    assert_eq!(keeper.catalog.pause(keeper.now()).expect("readable"), None);
    keeper.audit(|_| {});
    // Until somebody ends it.
    let by = Acting { at_s: Some(keeper.now()), ..anna() };
    keeper.catalog.begin_pause(None, &by).expect("taken");
    keeper.passes(1_000_000);
    keeper.try_audit(|_| {}, &Arc::new(Control::new())).expect_err("all are paused");
    let by = Acting { at_s: Some(keeper.now()), ..anna() };
    assert!(keeper.catalog.end_pause(&by).expect("taken").is_some());
    assert!(keeper.catalog.end_pause(&by).expect("taken").is_none(), "there is none any more");
    keeper.audit(|_| {});
    let changes = keeper.catalog.changes(None, None).expect("readable");
    let words: Vec<_> = changes.iter().map(|change| &change.what[..]).collect();
    assert_eq!(words, ["added", "paused", "paused", "resumed"]);
}

#[test]
fn no_more_audits_are_under_way_than_whoever_begins_one_allows() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "a");
    let other = hashlane_catalog::Terms::new("other", PathBuf::from("/nowhere"));
    keeper.catalog.add_collection(&other, 1).expect("a new name");
    let held = keeper.catalog.collection("other").expect("it was added");
    let catalog = Writer::open(keeper.catalog.path()).expect("opened");
    let lock = catalog.lock(&held, 7).expect("nobody has it");
    let one = |options: &mut hashlane_auditor::AuditOptions| options.at_most = Some(1);
    let control = Arc::new(Control::new());
    let waits = keeper.try_audit(one, &control).expect_err("one is under way");
    let Error::Others { others } = waits else { panic!("{waits:?}") };
    assert_eq!(
        others.iter().map(|(name, holder)| (&name[..], holder.since_s)).collect::<Vec<_>>(),
        [("other", 7)]
    );
    keeper.try_audit(|options| options.at_most = Some(2), &control).expect("two may be");
    drop(lock);
    keeper.try_audit(one, &control).expect("it is the only one");
    assert!(Reader::open(keeper.catalog.path()).expect("readable").is_of_this_version());
}
