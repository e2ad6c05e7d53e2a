//! What an audit reads when, and where it ends: promises, budgets, and files that are larger than those.

use std::cell::Cell;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hashlane_auditor::{AuditOptions, Ground, Outcome, Scope};
use hashlane_catalog::{Error, Policy, State, Verdict};
use hashlane_engine::{Control, Options};
use hashlane_record::Record;

use crate::keeper::{DAY, Keeper, Said, corrupt, said};
use crate::watched::{Hooks, fail, name_of, watched};

#[test]
fn a_budget_lets_every_file_have_its_turn() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    for number in 0..30 {
        keeper.write(&format!("d{}/f{number:02}", number % 3), format!("content {number}"));
    }
    let mut read = 0;
    for _ in 0..3 {
        let (audited, _) = keeper.audit(|options| options.budget.files = Some(10));
        read += audited.planned_files;
        keeper.passes(DAY);
    }
    assert_eq!((read, keeper.files()), (30, 30));
    // Nothing is due at once; what was read is spread over the days.
    let mut each_day = Vec::new();
    for _ in 0..10 {
        keeper.passes(DAY);
        each_day.push(keeper.audit(|_| {}).0.planned_files);
        assert_eq!(
            keeper
                .catalog
                .late(&keeper.collection(), keeper.now_s.load(Ordering::Relaxed))
                .expect("readable"),
            0
        );
    }
    assert!(each_day.iter().sum::<u64>() >= 30, "{each_day:?}");
    assert!(each_day.iter().all(|files| *files <= 13), "{each_day:?}");
}

#[test]
fn an_audit_that_is_stopped_goes_on() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..200 {
        keeper.write(&format!("f{number:03}"), vec![b'x'; 200_000 + number]);
    }
    let control = Arc::new(Control::new());
    control.drain();
    let stopped = keeper.try_audit(|options| options.scope = Scope::All, &control);
    match stopped {
        Ok((audited, _)) => assert_eq!(audited.outcome, Outcome::Stopped),
        Err(error) => assert!(matches!(error, Error::Stopped), "{error}"),
    }
    let (audited, _) = keeper.all();
    assert_eq!((audited.outcome, audited.goes_on, keeper.files()), (Outcome::Complete, true, 200));
}

#[test]
fn a_clock_that_was_ahead_puts_nothing_off() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    keeper.write("f", "content");
    let before = keeper.now_s.load(Ordering::Relaxed);
    keeper.passes(5000 * DAY);
    keeper.all();
    keeper.now_s.store(before, Ordering::Relaxed);
    let late = |keeper: &Keeper| {
        keeper.catalog.late(&keeper.collection(), keeper.now_s.load(Ordering::Relaxed)).expect("readable")
    };
    assert_eq!(late(&keeper), 1, "nobody knows when it was read");
    assert_eq!(keeper.audit(|_| {}).0.planned_files, 1);
    assert_eq!(late(&keeper), 0);
    keeper.passes(11 * DAY);
    assert_eq!(late(&keeper), 1, "and later ones are late as ever");
}

#[test]
fn audits_of_a_part_take_nothing_from_the_share_of_the_whole() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    for number in 0..100 {
        keeper.write(&format!("f{number:03}"), format!("content {number}"));
    }
    keeper.all();
    for _ in 0..12 {
        keeper.passes(DAY - 3600);
        keeper.audit(|options| options.only = vec![Verdict::Corrupt]);
        keeper.passes(3600);
        keeper.audit(|_| {});
        let now_s = keeper.now_s.load(Ordering::Relaxed);
        assert_eq!(keeper.catalog.late(&keeper.collection(), now_s).expect("readable"), 0);
    }
}

#[test]
fn what_is_ignored_is_never_late_and_is_compared_when_it_belongs_again() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    keeper.write("a.txt", "text");
    keeper.write("b.tmp", "temporary");
    keeper.all();
    keeper.set(|terms| terms.selection.exclude = vec!["*.tmp".into()]);
    for _ in 0..15 {
        keeper.passes(DAY);
        keeper.audit(|_| {});
    }
    let now_s = keeper.now_s.load(Ordering::Relaxed);
    assert_eq!(keeper.catalog.late(&keeper.collection(), now_s).expect("readable"), 0);
    assert_eq!(keeper.state("b.tmp"), Some(State::Ignored));
    keeper.set(|terms| terms.selection.exclude.clear());
    corrupt(&keeper.tree().join("b.tmp"), b"TEMPORARY");
    keeper.audit(|_| {});
    assert_eq!(keeper.standing(), said(&[("b.tmp", Verdict::Corrupt)]));
}

/// A large file of zeros, fast to make and to read.
fn large(keeper: &Keeper, name: &str, bytes: u64) {
    keeper.write(name, "it does not begin with zeros");
    File::options()
        .write(true)
        .open(keeper.tree().join(name))
        .and_then(|file| file.set_len(bytes))
        .expect("grown");
}

#[test]
fn a_file_that_is_larger_than_the_budget_is_read_to_its_end_by_and_by() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    let size = 9 * (64 << 20) + 77;
    large(&keeper, "large", size);
    keeper.write("small", "content");
    let began_s = keeper.now_s.load(Ordering::Relaxed);
    let (mut runs, mut read) = (0, 0);
    while keeper.files() < 2 {
        let (audited, _) = keeper.audit(|options| options.budget.bytes = Some(64 << 20));
        assert!(audited.bytes > 0, "each run goes on: {audited:?}");
        (runs, read) = (runs + 1, read + audited.bytes);
        assert!(runs < 20, "it comes to an end");
        keeper.passes(DAY);
    }
    // Buffers are read ahead of the budget, and what was read since the last checkpoint is read again.
    assert!(runs > 1, "one run was enough");
    assert!(read < 2 * size, "{read} bytes of {size} in {runs} runs");
    let collection = keeper.collection();
    let item = keeper.item("large");
    let mut zeros = vec![0; size as usize];
    zeros[..28].copy_from_slice(b"it does not begin with zeros");
    assert_eq!(item.content.digests, [collection.terms.algorithms[0].digest(&zeros)]);
    assert_eq!(item.content.size, Some(size));
    let good_s = keeper.catalog.last_reading(&collection, item.id).expect("readable").expect("read").0;
    assert_eq!(good_s, began_s, "its oldest byte was read in the first run");
    // And nothing is left of its beginning.
    keeper.passes(DAY);
    assert_eq!(keeper.all().0.bytes, size + 7, "nothing of it is skipped");
}

#[test]
fn a_large_file_that_has_changed_meanwhile_is_read_from_its_beginning() {
    let mut keeper = Keeper::new(|_| {});
    let size = 9 * (64 << 20);
    large(&keeper, "large", size);
    let budget = |options: &mut AuditOptions| {
        options.scope = Scope::All;
        options.budget.bytes = Some(128 << 20);
    };
    let (audited, _) = keeper.audit(budget);
    assert!(audited.outcome == Outcome::Budget && keeper.files() == 0, "{audited:?}");
    keeper.passes(DAY);
    corrupt_at(&keeper.tree().join("large"), 1000);
    let (audited, _) = keeper.all();
    assert_eq!((audited.bytes, audited.counts.of(Verdict::Registered)), (size, 1), "{audited:?}");
}

/// Changes a byte and sets the modification time back.
fn corrupt_at(path: &Path, offset: u64) {
    let modified = fs::metadata(path).and_then(|facts| facts.modified()).expect("there");
    let file = File::options().write(true).open(path).expect("there");
    file.write_all_at(b"!", offset).expect("written");
    file.set_modified(modified).expect("set back");
}

#[test]
fn when_the_time_is_over_nothing_more_is_begun_and_what_was_read_stays_read() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..4000 {
        keeper.write(&format!("f{number:04}"), vec![b'x'; 10_000 + number]);
    }
    let mut runs = 0;
    while keeper.collection().listed_s.is_none() {
        runs += 1;
        assert!(runs < 1000, "it comes to an end");
        keeper.audit(|options| {
            options.scope = Scope::All;
            options.budget.until = Some(std::time::Instant::now() + Duration::from_millis(150));
        });
    }
    assert_eq!((keeper.files(), keeper.standing()), (4000, Said::new()));
}

#[test]
fn a_budget_on_a_part_records_each_file_once() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "first");
    keeper.all();
    keeper.passes(DAY);
    for number in 0..4 {
        keeper.write(&format!("sub/n{number}"), format!("content {number}"));
    }
    keeper.audit(|options| {
        options.scope = Scope::All;
        options.within = vec![b"sub".to_vec()];
        options.budget.files = Some(2);
    });
    let mut names = Vec::new();
    let collection = keeper.collection();
    keeper
        .catalog
        .each_item(&collection, &mut |_, item| {
            names.push(String::from_utf8_lossy(&item.name).into_owned());
            Ok(())
        })
        .expect("readable");
    assert_eq!(names, ["a", "n0", "n1", "n2", "n3"]);
    keeper.passes(DAY);
    keeper.all();
    assert_eq!((keeper.standing(), keeper.files()), (Said::new(), 5));
}

#[test]
fn an_audit_of_all_goes_on_with_no_earlier_run() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    let size = 5 * (64 << 20);
    large(&keeper, "large", size);
    let put_aside = |keeper: &mut Keeper| {
        let (audited, _) = keeper.audit(|options| options.budget.bytes = Some(64 << 20));
        assert_eq!(audited.outcome, Outcome::Budget);
    };
    put_aside(&mut keeper);
    keeper.passes(DAY);
    assert_eq!(keeper.all().0.bytes, size, "each byte is read in this run");
    // And what is older than the period is of no use for anybody.
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    large(&keeper, "large", size);
    put_aside(&mut keeper);
    keeper.passes(11 * DAY);
    assert_eq!(keeper.audit(|_| {}).0.bytes, size);
}

#[test]
fn all_names_of_a_file_that_was_read_in_parts_are_as_old_as_its_first_byte() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(30 * DAY));
    let size = 5 * (64 << 20);
    large(&keeper, "large", size);
    fs::hard_link(keeper.tree().join("large"), keeper.tree().join("link")).expect("linked");
    let began_s = keeper.now_s.load(Ordering::Relaxed);
    keeper.audit(|options| options.budget.bytes = Some(128 << 20));
    keeper.passes(DAY);
    let (audited, _) = keeper.audit(|_| {});
    assert!(audited.bytes < 2 * size, "it went on: {audited:?}");
    let collection = keeper.collection();
    for name in ["large", "link"] {
        let item = keeper.item(name);
        let read = keeper.catalog.last_reading(&collection, item.id).expect("readable").expect("it was read");
        assert_eq!(read.0, began_s, "{name}");
    }
}

#[test]
fn a_file_that_was_read_in_parts_goes_on_under_another_name_of_it() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(30 * DAY));
    let size = 3 * (64 << 20);
    large(&keeper, "large", size);
    fs::hard_link(keeper.tree().join("large"), keeper.tree().join("link")).expect("linked");
    let began_s = keeper.now();
    keeper.audit(|options| {
        options.budget.bytes = Some(64 << 20);
        options.within = vec![b"large".to_vec()];
    });
    keeper.passes(DAY);
    let (audited, _) = keeper.audit(|options| options.within = vec![b"link".to_vec()]);
    assert_eq!(audited.bytes, size - (64 << 20), "it went on: {audited:?}");
    let item = keeper.item("link");
    let read = keeper.catalog.last_reading(&keeper.collection(), item.id).expect("readable");
    assert_eq!(read.expect("it was read").0, began_s, "its first byte was read then");
}

#[test]
fn a_listing_that_takes_all_of_the_time_still_lets_something_be_read() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..20 {
        keeper.write(&format!("f{number}"), format!("content {number}"));
    }
    let past = std::time::Instant::now();
    let mut runs = 0;
    while keeper.files() < 20 {
        runs += 1;
        assert!(runs <= 20, "each run comes to something");
        keeper.audit(|options| options.budget.until = Some(past));
    }
}

#[test]
fn where_some_files_may_grow_the_others_end_at_the_budget_all_the_same() {
    let logs = |terms: &mut hashlane_catalog::Terms| terms.selection.append_only = vec!["*.log".into()];
    let mut keeper = Keeper::new(logs);
    large(&keeper, "large", 9 * (64 << 20));
    let (audited, _) = keeper.audit(|options| options.budget.bytes = Some(64 << 20));
    assert!(audited.outcome == Outcome::Budget && keeper.files() == 0, "{audited:?}");
    // The same for time.
    let mut keeper = Keeper::new(logs);
    keeper.write("large", vec![b'x'; 256 << 20]);
    let mut options = Options::new(keeper.collection().terms.algorithms.clone().into());
    options.max_bytes_per_second = Some(48 << 20);
    let tree = Ground::local(&keeper.catalog, &keeper.collection(), options).expect("good globs");
    let past = |options: &mut AuditOptions| options.budget.until = Some(std::time::Instant::now());
    let (audited, _) = keeper.over(&tree, past, &Arc::new(Control::new()), &mut || {}).expect("an audit");
    assert!(audited.outcome == Outcome::Budget && keeper.files() == 0, "{audited:?}");
    assert!(audited.bytes >= 64 << 20, "it was put aside: {audited:?}");
}

#[test]
fn a_file_that_has_grown_is_read_to_its_end_whatever_the_budget() {
    let mut keeper = Keeper::new(|terms| terms.selection.append_only = vec!["*.log".into()]);
    keeper.write("a.log", vec![b'x'; 1 << 20]);
    keeper.all();
    keeper.passes(DAY);
    let size = 3 * (64 << 20);
    let file = File::options().write(true).open(keeper.tree().join("a.log")).expect("there");
    file.set_len(size).expect("grown");
    let (audited, found) = keeper.audit(|options| options.budget.bytes = Some(64 << 20));
    assert_eq!((audited.bytes, found), (size, said(&[("a.log", Verdict::Grown)])));
}

#[test]
fn one_file_a_night_reaches_every_file() {
    for (policy, scope) in [Policy::Living, Policy::Growing, Policy::Frozen]
        .into_iter()
        .flat_map(|policy| [(policy, Scope::Due), (policy, Scope::All)])
    {
        let mut keeper = Keeper::new(|terms| (terms.policy, terms.period_s) = (policy, Some(90 * DAY)));
        for number in 0..6 {
            keeper.write(&format!("k{number}"), format!("content {number}"));
        }
        keeper.all();
        // What nobody looks after: damaged, changed, gone, forbidden. And files that are as new as can be.
        corrupt(&keeper.tree().join("k0"), b"cXntent 0");
        keeper.write("k1", "another content");
        fs::remove_file(keeper.tree().join("k2")).expect("removed");
        for number in 0..4 {
            keeper.write(&format!("n{number}"), format!("new {number}"));
        }
        let is_repaired = Cell::new(false);
        let bend = |_: bool, record: &mut Record| {
            if !is_repaired.get() && ["n0", "k3"].contains(&&name_of(record)[..]) {
                fail(record);
            }
        };
        let hooks = Hooks { bend: &bend, ..Hooks::default() };
        let mut read = std::collections::BTreeSet::new();
        let all = ["k0", "k1", "k3", "k4", "k5", "n0", "n1", "n2", "n3"];
        for night in 0.. {
            // The same hour: nothing settles, and nothing falls due.
            let change =
                |options: &mut AuditOptions| (options.scope, options.budget.files) = (scope, Some(1));
            let (.., log) = watched(&mut keeper, &hooks, change, &Arc::new(Control::new()));
            read.extend(log.into_iter().map(|name| name.trim_start_matches('+').to_owned()));
            keeper.passes(if scope == Scope::Due { 15 * DAY } else { 1 });
            if all.iter().all(|name| read.contains(*name)) {
                break;
            }
            assert!(night < 30, "{policy:?}, {scope:?}: only {read:?}");
        }
        // Somebody repairs what stands, and says nothing.
        is_repaired.set(true);
        corrupt(&keeper.tree().join("k0"), b"content 0");
        for night in 0.. {
            let change =
                |options: &mut AuditOptions| (options.scope, options.budget.files) = (scope, Some(1));
            watched(&mut keeper, &hooks, change, &Arc::new(Control::new()));
            // Such a budget suffices for what is due.
            keeper.passes(if scope == Scope::Due { DAY } else { 1 });
            let standing = keeper.standing();
            let is_over =
                |name: &str| !matches!(standing.get(name), Some(Verdict::Unreadable | Verdict::Corrupt));
            if ["k0", "k3", "n0"].into_iter().all(is_over) {
                break;
            }
            assert!(night < 60, "{policy:?}, {scope:?}: {standing:?}");
        }
    }
}

#[test]
fn what_is_known_to_be_damaged_is_read_after_all_that_may_be_good() {
    // A large one that is put aside each night, and as much again beside it.
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    let size = 2 * (64 << 20);
    keeper.write("big", vec![b'x'; size]);
    for number in 0..60 {
        keeper.write(&format!("small{number:02}"), vec![number; 1_000_000]);
    }
    keeper.all();
    let file = File::options().write(true).open(keeper.tree().join("big")).expect("there");
    let modified = fs::metadata(keeper.tree().join("big")).and_then(|facts| facts.modified()).expect("there");
    file.write_all_at(b"Q", size as u64 - 10).expect("written");
    file.set_modified(modified).expect("set");
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("big", Verdict::Corrupt)]));
    for night in 1..=15 {
        keeper.passes(DAY);
        keeper.audit(|options| options.budget.bytes = Some(25_000_000));
        let late = keeper.catalog.late(&keeper.collection(), keeper.now()).expect("readable");
        assert_eq!(late, 0, "night {night}");
    }
}

/// However its budgets are asked for: a file that comes later is new to a frozen collection.
#[test]
fn a_first_audit_is_over_when_all_was_read_whatever_budgets_have_ended_it() {
    for share in [false, true] {
        let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
        (0..6).for_each(|number| keeper.write(&format!("f{number}"), format!("content {number}")));
        for night in 0..3 {
            let (audited, _) = keeper.audit(|options| {
                options.scope = Scope::All;
                match share {
                    // Also for a collection about which nothing is known yet.
                    true => options.budget.percent = Some(34.0),
                    false => options.budget.files = Some(2),
                }
            });
            assert_eq!((audited.files, audited.is_first), (2, true), "{share}, {night}: {audited:?}");
            assert_eq!(audited.outcome, Outcome::Budget, "{share}, {night}");
            keeper.passes(DAY);
        }
        keeper.write("intruder", "nobody has asked for it");
        let (audited, found) = keeper.audit(|options| {
            options.scope = Scope::All;
            options.budget.files = Some(2);
        });
        assert!(!audited.is_first, "{share}");
        assert_eq!(found, said(&[("intruder", Verdict::New)]), "{share}");
    }
}
