//! What others have read: it counts from the time at which they began, whenever it is recorded, and hides nothing that is known later.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hashlane_auditor::{AuditOptions, Audited, Outcome};
use hashlane_catalog::{Elsewhere, Error, ReadBy, ReadElsewhere, ReadingKind, Unchecked, Verdict};
use hashlane_digest::Algorithm;
use hashlane_engine::Control;
use hashlane_record::{
    Cause, Failure, Obstacle, Operation, Origin, Outcome as ReadOutcome, Record, Timestamp,
};

use crate::keeper::{DAY, Keeper, Said, corrupt, said};
use crate::watched::{Hooks, watched, watched_by};

/// What a run has read that began at a time: the tree as it is now.
fn read(keeper: &Keeper, id: &str, started_s: i64, names: &[&str]) -> Elsewhere {
    let files: Vec<_> =
        names.iter().map(|name| (*name, fs::read(keeper.tree().join(name)).expect("there"))).collect();
    read_as(keeper, id, started_s, &files)
}

/// What a run has read whose nodes have found these contents, whatever lies there.
fn read_as(keeper: &Keeper, id: &str, started_s: i64, files: &[(&str, Vec<u8>)]) -> Elsewhere {
    let by = ReadBy {
        id: id.into(),
        program: "Spark 4.1.4".into(),
        started_s,
        ended_s: started_s + 3600,
        ..ReadBy::default()
    };
    let mut elsewhere = Elsewhere::new(by, keeper.directory.path()).expect("a temporary file");
    for (name, content) in files {
        let path = keeper.tree().join(name);
        let facts = fs::metadata(&path).expect("there");
        let modified = facts.modified().expect("known");
        let since = modified.duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
        let read = ReadElsewhere {
            outcome: ReadOutcome::Read,
            size: Some(content.len() as u64),
            modified: Some(Timestamp { seconds: since.as_secs() as i64, nanos: since.subsec_nanos() }),
            changed: Some(Timestamp { seconds: facts.ctime(), nanos: facts.ctime_nsec() as u32 }),
            inode: Some(facts.ino()),
            digests: vec![Algorithm::SHA256.digest(content)],
        };
        assert!(elsewhere.add(name.as_bytes(), &read).expect("written"));
        assert!(!elsewhere.add(name.as_bytes(), &read).expect("written"), "it came before");
    }
    elsewhere
}

fn try_by(
    keeper: &mut Keeper,
    elsewhere: &Elsewhere,
    change: impl FnOnce(&mut AuditOptions),
    control: &Arc<Control>,
    listed: &mut dyn FnMut(),
) -> Result<(Audited, Said), Error> {
    let tree = keeper.local_tree();
    keeper.over_by(Some(elsewhere), &tree, change, control, listed)
}

fn by(keeper: &mut Keeper, elsewhere: &Elsewhere) -> (Audited, Said) {
    try_by(keeper, elsewhere, |_| {}, &Arc::default(), &mut || {}).expect("taken")
}

fn now_s(keeper: &Keeper) -> i64 {
    keeper.now_s.load(std::sync::atomic::Ordering::Relaxed)
}

fn within(name: &str) -> impl FnOnce(&mut AuditOptions) {
    let within = vec![name.as_bytes().to_vec()];
    move |options| options.within = within
}

#[test]
fn a_promise_is_kept_from_the_time_at_which_a_run_began_and_not_from_when_it_was_recorded() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(30 * DAY));
    for name in ["a", "b", "c"] {
        keeper.write(name, name);
    }
    keeper.all();
    keeper.passes(10 * DAY);
    let started_s = now_s(&keeper);
    let run = read(&keeper, "one", started_s, &["a", "b", "c"]);
    keeper.passes(DAY);
    // What is read here while the cluster reads is read later.
    keeper.audit(within("b"));
    let here_s = now_s(&keeper);
    keeper.passes(DAY);
    let (audited, _) = by(&mut keeper, &run);
    assert_eq!((audited.outcome, audited.counts.of(Verdict::Ok), audited.files), (Outcome::Complete, 2, 2));
    assert_eq!(audited.known_later, 1);
    let collection = keeper.collection();
    let last = |name: &str| {
        let item = keeper.item(name).id;
        keeper.catalog.last_reading(&collection, item).expect("readable").expect("it was read")
    };
    assert_eq!(last("a"), (started_s, ReadingKind::Unknown));
    assert_eq!(last("b").0, here_s, "it is not overridden");
    assert_eq!(keeper.catalog.oldest_reading(collection.id).expect("readable"), Some(started_s));
    let oldest = keeper.catalog.oldest_readings(collection.id, 8, 3).expect("readable");
    let times: Vec<_> = oldest.iter().map(|reading| (reading.read_s, reading.files_at_most)).collect();
    assert_eq!(times, [(started_s, 2), (here_s, 1)], "in order of their times, not of their records");
    let late = |now_s| keeper.catalog.late(&collection, now_s).expect("readable");
    assert_eq!([late(started_s + 30 * DAY), late(started_s + 30 * DAY + 1)], [0, 2]);
    assert_eq!(
        keeper.catalog.last_read_by(&collection, keeper.item("a").id).expect("readable").as_ref(),
        Some(run.by())
    );
    assert_eq!(keeper.catalog.last_read_by(&collection, keeper.item("b").id).expect("readable"), None);
    // How fast this machine reads is known by what it has read.
    assert_eq!(keeper.catalog.pace(&collection, now_s(&keeper)).expect("readable"), None);
    // Nothing is older than the run, so three days of thirty are due, and not the thirteen since the first audit.
    keeper.passes(DAY);
    assert_eq!(keeper.audit(|_| {}).0.files, 0);
}

#[test]
fn an_old_run_says_nothing_of_what_was_found_since() {
    let mut keeper = Keeper::new(|_| {});
    for name in ["a", "b", "c", "d"] {
        keeper.write(name, format!("content of {name}"));
    }
    keeper.all();
    keeper.passes(DAY);
    let run = read(&keeper, "one", now_s(&keeper), &["a", "b", "c", "d"]);
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("a"), b"CONTENT OF A");
    fs::remove_file(keeper.tree().join("d")).expect("there");
    keeper.all();
    let standing = said(&[("a", Verdict::Corrupt), ("d", Verdict::Missing)]);
    assert_eq!(keeper.standing(), standing);
    keeper.passes(DAY);
    let (audited, found) = by(&mut keeper, &run);
    assert_eq!((audited.files, audited.counts.of(Verdict::Missing)), (0, 1), "all was read here since");
    assert_eq!((keeper.standing(), found), (standing, said(&[("d", Verdict::Missing)])));
}

#[test]
fn damage_that_is_over_is_over_when_the_medium_says_so_here() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "content of a");
    keeper.all();
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("a"), b"CONTENT OF A");
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("a", Verdict::Corrupt)]));
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("a"), b"content of a");
    let run = read(&keeper, "one", now_s(&keeper), &["a"]);
    keeper.passes(DAY);
    let (audited, _) = by(&mut keeper, &run);
    assert_eq!((audited.reread_files, audited.counts.of(Verdict::Ok)), (1, 1));
    assert!(keeper.standing().is_empty());
}

/// Damages a file, has that found, and makes a run whose nodes have read what is known all the same. The file stays damaged.
fn damaged(keeper: &mut Keeper, hooks: &Hooks<'_>) -> Elsewhere {
    keeper.write("a", "content of a");
    watched(keeper, hooks, |_| {}, &Arc::default());
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("a"), b"CONTENT OF A");
    let run = read_as(keeper, "one", now_s(keeper) + DAY, &[("a", b"content of a".to_vec())]);
    watched(keeper, hooks, |_| {}, &Arc::default());
    assert_eq!(keeper.standing(), said(&[("a", Verdict::Corrupt)]));
    keeper.passes(2 * DAY);
    run
}

/// A finding about the medium takes a reading here to be cleared, wherever that comes from.
fn is_cleared_by_a_reading_here_only(mut keeper: Keeper, hooks: &Hooks<'_>) {
    let run = damaged(&mut keeper, hooks);
    let (audited, _, log) = watched_by(&run, &mut keeper, hooks, &Arc::default());
    assert!(!log.is_empty() && log.iter().all(|name| name == "+a"), "{log:?}");
    assert_eq!((audited.files, audited.reread_files), (1, 1));
    assert_eq!(keeper.standing(), said(&[("a", Verdict::Corrupt)]));
    assert!(!keeper.events("a").contains(&"recovered".to_owned()));
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("a"), b"content of a");
    let run = read(&keeper, "two", now_s(&keeper), &["a"]);
    keeper.passes(DAY);
    let (audited, ..) = watched_by(&run, &mut keeper, hooks, &Arc::default());
    assert_eq!((audited.reread_files, audited.counts.of(Verdict::Ok)), (1, 1));
    assert!(keeper.standing().is_empty() && keeper.events("a").contains(&"recovered".to_owned()));
}

#[test]
fn damage_in_a_store_is_not_over_because_a_table_says_so() {
    let over_network = |_: bool, record: &mut Record| {
        record.origin = Origin { network_bytes: record.digested_bytes, ..Origin::default() };
    };
    let keeper = Keeper::new(|terms| terms.root = "s3://keep/tree".into());
    is_cleared_by_a_reading_here_only(keeper, &Hooks { bend: &over_network, ..Hooks::default() });
}

#[test]
fn damage_where_no_reading_can_be_proven_is_not_over_because_a_table_says_so() {
    // As on the file system of another machine: each file is asked for from the medium first, in vain, and then read.
    let again = Cell::new(0_u32);
    let never = |is_again: bool, record: &mut Record| {
        again.set(again.get() + u32::from(is_again));
        if is_again && !again.get().is_multiple_of(2) {
            let cause = Cause::Obstacle(Obstacle::CacheUnseen);
            let failure = Failure { operation: Operation::FromMedium, cause, offset_bytes: 0 };
            (record.outcome, record.digested_bytes) = (ReadOutcome::Failed(failure), 0);
        }
        record.origin = Origin { unknown_bytes: record.digested_bytes, ..Origin::default() };
    };
    is_cleared_by_a_reading_here_only(Keeper::new(|_| {}), &Hooks { bend: &never, ..Hooks::default() });
}

#[test]
fn a_reading_is_that_of_the_file_and_not_of_another_one_under_its_name() {
    let mut keeper = Keeper::new(|_| {});
    // A copy with the same sizes and times, in which one file is damaged.
    for (name, content) in [("d/a", "one"), ("d/b", "two"), ("e/a", "one"), ("e/b", "TWO"), ("f", "f")] {
        keeper.write(name, content);
        let file = fs::File::options().write(true).open(keeper.tree().join(name)).expect("there");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).expect("set");
    }
    keeper.all();
    keeper.passes(DAY);
    let run = read(&keeper, "one", now_s(&keeper), &["d/a", "d/b", "e/a", "e/b", "f"]);
    // Directories that are exchanged leave no trace at the files below them.
    let tree = keeper.tree();
    for (from, to) in [("d", "x"), ("e", "d"), ("x", "e")] {
        fs::rename(tree.join(from), tree.join(to)).expect("renamed");
    }
    keeper.passes(DAY);
    let (audited, found) = by(&mut keeper, &run);
    let counts =
        [Verdict::Ok, Verdict::NotChecked(Unchecked::Budget)].map(|verdict| audited.counts.of(verdict));
    assert_eq!((audited.outcome, counts, found), (Outcome::Budget, [1, 4], Said::new()));
    keeper.passes(DAY);
    assert_eq!(keeper.all().1, said(&[("d/b", Verdict::Corrupt), ("e/b", Verdict::Corrupt)]));
}

#[test]
fn a_file_that_may_grow_and_has_is_read_here() {
    let mut keeper = Keeper::new(|terms| terms.selection.append_only = vec!["log".into()]);
    keeper.write("log", "one\n");
    keeper.write("a", "content of a");
    keeper.all();
    keeper.passes(DAY);
    keeper.write("log", "one\ntwo\n");
    let run = read(&keeper, "one", now_s(&keeper), &["log", "a"]);
    let (audited, found) = by(&mut keeper, &run);
    assert_eq!(
        (audited.outcome, audited.counts.of(Verdict::NotChecked(Unchecked::Budget))),
        (Outcome::Budget, 1)
    );
    assert_eq!(found, Said::new());
    keeper.passes(DAY);
    assert_eq!(keeper.all().1, said(&[("log", Verdict::Grown)]));
}

#[test]
fn a_run_that_was_stopped_is_gone_on_with_and_counts_once() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..20 {
        keeper.write(&format!("f{number:02}"), format!("content {number}"));
    }
    let names: Vec<_> = (0..20).map(|number| format!("f{number:02}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    keeper.passes(DAY);
    let run = read(&keeper, "one", now_s(&keeper), &names);
    let control = Arc::new(Control::new());
    let stopping = Arc::clone(&control);
    let (audited, _) =
        try_by(&mut keeper, &run, |_| {}, &control, &mut || stopping.drain()).expect("stopped");
    assert_eq!((audited.outcome, audited.files), (Outcome::Stopped, 0));
    assert_eq!(audited.known_later, 0, "that they were not handed out says nothing of them");
    let (audited, _) = by(&mut keeper, &run);
    assert_eq!((audited.outcome, audited.goes_on), (Outcome::Complete, true));
    assert_eq!(audited.seal.expect("it is over").leaves, 20);
    let again = try_by(&mut keeper, &run, |_| {}, &Arc::default(), &mut || {}).expect_err("it was taken");
    assert!(matches!(again, Error::Taken { run: 1, .. }), "{again}");
    assert_eq!(keeper.catalog.last_runs(keeper.collection().id, 9).expect("readable").len(), 1);
}

#[test]
fn what_a_run_that_was_stopped_has_found_is_read_again_when_it_goes_on() {
    let mut keeper = Keeper::new(|_| {});
    for name in ["a", "b", "c"] {
        keeper.write(name, format!("content of {name}"));
    }
    keeper.all();
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("a"), b"CONTENT OF A");
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("a", Verdict::Corrupt)]));
    keeper.passes(DAY);
    // Of the one the damage may be over, the other two differ now: `b` there only.
    corrupt(&keeper.tree().join("a"), b"content of a");
    corrupt(&keeper.tree().join("c"), b"CONTENT OF C");
    let there = [("a", "content of a"), ("b", "CONTENT OF B"), ("c", "CONTENT OF C")];
    let there = there.map(|(name, content)| (name, content.as_bytes().to_vec()));
    let run = read_as(&keeper, "one", now_s(&keeper), &there);
    keeper.passes(DAY);
    let control = Arc::new(Control::new());
    let reads = |_: bool| {
        control.drain();
        Ok(())
    };
    let stopping = Hooks { reads: &reads, ..Hooks::default() };
    let (audited, found, _) = watched_by(&run, &mut keeper, &stopping, &control);
    assert_eq!((audited.outcome, audited.reread_files, found), (Outcome::Stopped, 0, Said::new()));
    let left = [("a", Verdict::Corrupt), ("b", Verdict::Suspect), ("c", Verdict::Suspect)];
    assert_eq!(keeper.standing(), said(&left));
    let from_device = |_: bool, record: &mut Record| {
        record.origin = Origin { device_bytes: record.digested_bytes, ..Origin::default() };
    };
    let hooks = Hooks { bend: &from_device, ..Hooks::default() };
    let (audited, found, _) = watched_by(&run, &mut keeper, &hooks, &Arc::default());
    assert_eq!((audited.outcome, audited.goes_on), (Outcome::Complete, true));
    assert_eq!(audited.reread_files, 3);
    let counts: Vec<_> = audited.counts.iter().collect();
    let expected = [(Verdict::Misread, 1), (Verdict::Corrupt, 1), (Verdict::Ok, 1)];
    assert!(counts.len() == 3 && expected.iter().all(|count| counts.contains(count)), "{counts:?}");
    let found_here = said(&[("b", Verdict::Misread), ("c", Verdict::Corrupt)]);
    assert_eq!((found, keeper.standing()), (found_here.clone(), found_here));
}

#[test]
fn a_run_of_another_tree_or_of_tomorrow_is_refused_before_anything_is_recorded() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "content of a");
    let begins_s = now_s(&keeper) + 1;
    let tomorrow = read(&keeper, "one", begins_s, &["a"]);
    let mut refused =
        |run: &Elsewhere| try_by(&mut keeper, run, |_| {}, &Arc::default(), &mut || {}).expect_err("refused");
    assert!(matches!(refused(&tomorrow), Error::NotYet { started_s } if started_s == begins_s));
    let mut other = Elsewhere::new(ReadBy::default(), &std::env::temp_dir()).expect("a temporary file");
    let row = ReadElsewhere {
        outcome: ReadOutcome::Read,
        size: Some(1),
        modified: None,
        changed: None,
        inode: None,
        digests: Vec::new(),
    };
    for number in 0..5000 {
        assert!(other.add(format!("d/{number}").as_bytes(), &row).expect("written"));
    }
    assert!(matches!(refused(&other), Error::OtherTree { .. }));
    assert!(keeper.catalog.last_runs(keeper.collection().id, 9).expect("readable").is_empty());
}
