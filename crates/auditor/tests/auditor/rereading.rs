//! What is read again before it is called corrupt: within the budget, the next time first, and counted by itself.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hashlane_auditor::{AuditOptions, Outcome, Scope};
use hashlane_catalog::{Error, Verdict};
use hashlane_engine::Control;
use hashlane_record::{Instability, Origin, Record};

use crate::keeper::{DAY, Keeper, corrupt, said, set_modified, touch};
use crate::watched::{Hooks, fail, name_of, try_watched, watched};

/// A collection of this many files of 1000 bytes, all of them damaged. The first of them is the largest.
fn damaged(files: u64) -> Keeper {
    let mut keeper = Keeper::new(|_| {});
    let content = |number: u64, byte: u8| vec![byte; if number == 0 { 1001 } else { 1000 }];
    for number in 0..files {
        keeper.write(&format!("f{number}"), content(number, b'x'));
    }
    keeper.all();
    keeper.passes(DAY);
    for number in 0..files {
        corrupt(&keeper.tree().join(format!("f{number}")), &content(number, b'y'));
    }
    keeper
}

/// Audits, and stops before anything is read again: what differs is left.
fn leave_all(keeper: &mut Keeper) {
    let control = going_on();
    let reads = |is_again: bool| {
        if is_again {
            control.drain();
        }
        Ok(())
    };
    watched(keeper, &Hooks { reads: &reads, ..Hooks::default() }, |_| {}, &control);
}

fn of(keeper: &Keeper, verdict: Verdict) -> usize {
    keeper.standing().values().filter(|stands| **stands == verdict).count()
}

/// An audit without a promise reads what has changed, and what something stands against.
fn due(options: &mut AuditOptions) {
    options.scope = Scope::Due;
}

/// Audits with nothing but a number of files that may be read again.
fn rereading(most: u64) -> impl FnOnce(&mut AuditOptions) {
    move |options| options.budget.reread_files = Some(most)
}

fn going_on() -> Arc<Control> {
    Arc::new(Control::new())
}

#[test]
fn one_suspect_is_read_again_in_any_case_and_the_others_are_the_first_of_the_next_audit() {
    let mut keeper = damaged(5);
    let (audited, found, log) = watched(&mut keeper, &Hooks::default(), rereading(0), &going_on());
    assert_eq!(log, ["f0", "f1", "f2", "f3", "f4", "+f1"], "the smallest one of those that differ");
    assert_eq!((audited.outcome, audited.counts.of(Verdict::Suspect)), (Outcome::Budget, 4));
    assert_eq!(
        (audited.counts.of(Verdict::Corrupt), audited.reread_files, audited.reread_bytes),
        (1, 1, 1000)
    );
    let expected = said(&[
        ("f0", Verdict::Suspect),
        ("f1", Verdict::Corrupt),
        ("f2", Verdict::Suspect),
        ("f3", Verdict::Suspect),
        ("f4", Verdict::Suspect),
    ]);
    assert_eq!((found, keeper.standing()), (expected.clone(), expected), "nobody is left in the dark");
    // One more in each audit that has no time at all.
    keeper.passes(DAY);
    let past = |options: &mut AuditOptions| options.budget.until = Some(Instant::now());
    let (_, _, log) = watched(&mut keeper, &Hooks::default(), past, &going_on());
    assert_eq!((&log[0][..], log.len(), of(&keeper, Verdict::Suspect)), ("+f2", 2, 3));
    // And all of them where there is time enough.
    keeper.passes(DAY);
    let (audited, _, log) = watched(&mut keeper, &Hooks::default(), |_| {}, &going_on());
    assert_eq!(log[..3], ["+f3", "+f4", "+f0"], "{log:?}");
    assert_eq!((audited.outcome, audited.counts.of(Verdict::Corrupt)), (Outcome::Complete, 5));
    assert_eq!((of(&keeper, Verdict::Corrupt), audited.reread_files, audited.files), (5, 3, 2));
}

#[test]
fn what_was_read_again_before_a_stop_is_recorded() {
    let mut keeper = damaged(5);
    let control = going_on();
    let again = AtomicU32::new(0);
    let reads = |is_again: bool| {
        if is_again && again.fetch_add(1, Ordering::Relaxed) == 1 {
            control.drain();
        }
        Ok(())
    };
    let hooks = Hooks { reads: &reads, ..Hooks::default() };
    let (audited, found, _) = watched(&mut keeper, &hooks, |_| {}, &control);
    assert_eq!((audited.outcome, of(&keeper, Verdict::Corrupt)), (Outcome::Stopped, 1));
    assert_eq!(found, said(&[("f1", Verdict::Corrupt)]), "the others are not told before they are known");
    let (audited, _, _) = watched(&mut keeper, &Hooks::default(), |_| {}, &going_on());
    assert_eq!((audited.outcome, audited.goes_on, audited.reread_files), (Outcome::Complete, true, 4));
    assert_eq!(of(&keeper, Verdict::Corrupt), 5);
}

#[test]
fn as_many_bytes_are_read_again_as_the_budget_has() {
    let mut keeper = damaged(6);
    watched(&mut keeper, &Hooks::default(), rereading(0), &going_on());
    assert_eq!(of(&keeper, Verdict::Suspect), 5);
    keeper.passes(DAY);
    let bytes = |options: &mut AuditOptions| options.budget.bytes = Some(2500);
    let (audited, _, log) = watched(&mut keeper, &Hooks::default(), bytes, &going_on());
    assert_eq!(log[..2], ["+f2", "+f3"], "{log:?}");
    assert_eq!((audited.reread_bytes, of(&keeper, Verdict::Suspect)), (2000, 3), "{audited:?}");
    assert!(audited.bytes <= 2500, "what is read again is not counted in it: {audited:?}");
    keeper.passes(DAY);
    let files = |options: &mut AuditOptions| options.budget.files = Some(1);
    let (audited, _, _) = watched(&mut keeper, &Hooks::default(), files, &going_on());
    assert_eq!((audited.files, audited.reread_files, of(&keeper, Verdict::Suspect)), (1, 1, 2));
}

#[test]
fn an_audit_of_a_part_reads_nothing_else_again() {
    let mut keeper = damaged(4);
    leave_all(&mut keeper);
    assert_eq!(of(&keeper, Verdict::Suspect), 4, "all are read, and none again");
    keeper.passes(DAY);
    let part = |options: &mut AuditOptions| options.within = vec![b"f2".to_vec()];
    let (_, _, log) = watched(&mut keeper, &Hooks::default(), part, &going_on());
    assert_eq!((log, of(&keeper, Verdict::Suspect)), (vec!["+f2".to_owned()], 3));
    let missing = |options: &mut AuditOptions| options.only = vec![Verdict::Missing];
    let (_, _, log) = watched(&mut keeper, &Hooks::default(), missing, &going_on());
    assert!(log.is_empty(), "{log:?}");
}

#[test]
fn a_run_in_which_nothing_differs_reads_nothing_again() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "content");
    keeper.all();
    let (audited, _) = keeper.all();
    assert_eq!((audited.reread_files, audited.reread_bytes), (0, 0));
}

/// Makes a reading again one from the device, as far as the file lies on one.
fn from_device(is_again: bool, record: &mut Record) {
    if is_again {
        record.origin = Origin { device_bytes: record.digested_bytes, ..Origin::default() };
    }
}

#[test]
fn a_suspect_whose_mode_was_changed_is_judged_all_the_same() {
    let mut keeper = damaged(1);
    leave_all(&mut keeper);
    assert_eq!(of(&keeper, Verdict::Suspect), 1);
    fs::set_permissions(keeper.tree().join("f0"), Permissions::from_mode(0o600)).expect("its owner");
    keeper.passes(DAY);
    let (audited, found, log) = watched(&mut keeper, &Hooks::default(), due, &going_on());
    assert_eq!((found, log), (said(&[("f0", Verdict::Corrupt)]), vec!["+f0".to_owned()]), "{audited:?}");
    // What is recorded of it is what is there, so that it can be accepted.
    assert_eq!(keeper.accept_all(), 0, "it is as it was found");
}

#[test]
fn a_suspect_that_was_put_back_is_good_again_and_one_that_only_looks_so_is_not() {
    let mut keeper = damaged(2);
    let whole = [vec![b'x'; 1001], vec![b'z'; 1000]];
    let modified = |name: &str| {
        fs::metadata(keeper.tree().join(name)).and_then(|facts| facts.modified()).expect("there")
    };
    let times = [modified("f0"), modified("f1")];
    for name in ["f0", "f1"] {
        corrupt(&keeper.tree().join(name), b"cut off");
    }
    leave_all(&mut keeper);
    assert_eq!(of(&keeper, Verdict::Suspect), 2);
    for ((name, content), time) in ["f0", "f1"].into_iter().zip(whole).zip(times) {
        keeper.write(name, content);
        set_modified(&keeper.tree().join(name), time);
    }
    keeper.passes(DAY);
    let hooks = Hooks { bend: &from_device, ..Hooks::default() };
    let (audited, found, log) = watched(&mut keeper, &hooks, due, &going_on());
    assert_eq!(found, said(&[("f1", Verdict::Corrupt)]), "{log:?}");
    assert_eq!((audited.counts.of(Verdict::Ok), audited.counts.of(Verdict::Corrupt)), (1, 1));
    assert_eq!(keeper.standing(), found);
}

#[test]
fn a_suspect_whose_change_time_has_moved_and_that_reads_good_may_have_been_put_back() {
    let mut keeper = damaged(1);
    leave_all(&mut keeper);
    corrupt(&keeper.tree().join("f0"), &[b'x'; 1001]);
    keeper.passes(DAY);
    let (_, found, _) = watched(&mut keeper, &Hooks::default(), due, &going_on());
    assert_eq!(found, said(&[("f0", Verdict::Misread)]));
    let finding = keeper.finding("f0");
    assert!(finding.seen.detail.contains("put it back"), "{}", finding.seen.detail);
}

/// What becomes of a suspect that is written to while it is read again.
fn is_written_to_meanwhile(mut keeper: Keeper) {
    leave_all(&mut keeper);
    keeper.passes(DAY);
    let path = keeper.tree().join("f0");
    let reads = |is_again: bool| {
        if is_again {
            touch(&path);
        }
        Ok(())
    };
    let hooks = Hooks { reads: &reads, ..Hooks::default() };
    let (audited, _, log) = watched(&mut keeper, &hooks, due, &going_on());
    assert_eq!((log, audited.counts.of(Verdict::Suspect)), (vec!["+f0".to_owned(), "f0".to_owned()], 1));
    // Another time does not make it whole.
    assert_eq!(keeper.standing(), said(&[("f0", Verdict::Suspect)]));
    keeper.passes(DAY);
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("f0", Verdict::Corrupt)]));
}

#[test]
fn a_suspect_that_is_written_to_while_it_is_read_again_is_read_with_the_others() {
    is_written_to_meanwhile(damaged(1));
}

#[test]
fn a_suspect_that_was_shorter_and_is_written_to_meanwhile_is_read_with_the_others() {
    let keeper = damaged(1);
    corrupt(&keeper.tree().join("f0"), b"cut off");
    is_written_to_meanwhile(keeper);
}

#[test]
fn a_suspect_that_is_gone_for_a_moment_is_not_forgotten() {
    let mut keeper = damaged(1);
    leave_all(&mut keeper);
    keeper.passes(DAY);
    let (here, away) = (keeper.tree().join("f0"), keeper.directory.path().join("away"));
    let reads = |is_again: bool| {
        if is_again {
            fs::rename(&here, &away).expect("moved");
        }
        Ok(())
    };
    let hooks = Hooks { reads: &reads, ..Hooks::default() };
    watched(&mut keeper, &hooks, due, &going_on());
    assert_eq!(of(&keeper, Verdict::Suspect), 1);
    fs::rename(&away, &here).expect("moved back");
    keeper.passes(DAY);
    watched(&mut keeper, &Hooks::default(), due, &going_on());
    assert_eq!(of(&keeper, Verdict::Corrupt), 1);
}

#[test]
fn a_suspect_that_cannot_be_read_again_is_told_once_as_what_it_is() {
    let mut keeper = damaged(3);
    let bend = |is_again: bool, record: &mut Record| match &name_of(record)[..] {
        "f1" if is_again => fail(record),
        "f2" if is_again => record.outcome = hashlane_record::Outcome::Unstable(Instability::Grew),
        _ => {}
    };
    let hooks = Hooks { bend: &bend, ..Hooks::default() };
    let expected = said(&[("f0", Verdict::Corrupt), ("f1", Verdict::Suspect), ("f2", Verdict::Suspect)]);
    // The audit that finds it, and the next one.
    for night in 0..2 {
        let (audited, found, _) = watched(&mut keeper, &hooks, |_| {}, &going_on());
        assert_eq!((&found, &keeper.standing()), (&expected, &expected), "{night}");
        let counts: Vec<_> = audited.counts.iter().collect();
        assert_eq!(counts, [(Verdict::Corrupt, 1), (Verdict::Suspect, 2)], "{night}");
        keeper.passes(DAY);
    }
    let finding = keeper.finding("f1");
    assert!(finding.seen.detail.contains("Input/output error"), "{}", finding.seen.detail);
}

#[test]
fn a_suspect_that_has_become_shorter_is_read_once_more_and_counted_once() {
    let mut keeper = damaged(1);
    corrupt(&keeper.tree().join("f0"), b"cut off");
    leave_all(&mut keeper);
    keeper.passes(DAY);
    let (audited, found, log) = watched(&mut keeper, &Hooks::default(), due, &going_on());
    assert_eq!((found, log), (said(&[("f0", Verdict::Corrupt)]), vec!["+f0".to_owned()]));
    assert_eq!((audited.counts.of(Verdict::Corrupt), audited.listing.changed), (1, 1));
}

#[test]
fn suspects_that_could_not_be_read_again_do_not_keep_others_from_being_read() {
    let mut keeper = damaged(3);
    let names = ["f0", "f1", "f2"];
    for number in 0..6 {
        keeper.write(&format!("g{number}"), vec![b'g'; 2000]);
    }
    // One of them is shorter, so that each listing shows that it has changed.
    corrupt(&keeper.tree().join("f0"), b"cut off");
    leave_all(&mut keeper);
    let bend = |is_again: bool, record: &mut Record| {
        if is_again {
            fail(record);
        }
    };
    let hooks = Hooks { bend: &bend, ..Hooks::default() };
    keeper.passes(DAY);
    let (_, _, log) = watched(&mut keeper, &hooks, |_| {}, &going_on());
    assert_eq!(log[..3], names.map(|name| format!("+{name}")), "none of them was tried before");
    assert!(names.iter().all(|name| !log.contains(&(*name).to_owned())), "{log:?}");
    // With no time at all one of the others is read, and then one of them.
    for name in names {
        keeper.passes(DAY);
        let past = |options: &mut AuditOptions| options.budget.until = Some(Instant::now());
        let (audited, found, log) = watched(&mut keeper, &hooks, past, &going_on());
        assert!(log.len() == 2 && log[0].starts_with('g') && log[1] == format!("+{name}"), "{log:?}");
        assert_eq!((found, audited.outcome), (said(&[(name, Verdict::Suspect)]), Outcome::Budget));
    }
    // And all of both with time enough.
    keeper.passes(DAY);
    let (audited, _, log) = watched(&mut keeper, &Hooks::default(), |_| {}, &going_on());
    assert!(log[..6].iter().all(|name| name.starts_with('g')), "{log:?}");
    assert_eq!((log.len(), audited.counts.of(Verdict::Corrupt)), (9, 3), "{log:?}");
}

#[test]
fn a_huge_suspect_waits_for_an_audit_without_a_limit_of_time() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("huge", b"content");
    keeper.write("small", b"content");
    let size = |name: &str, size: &mut u64| *size += if name == "huge" { 20_u64 << 40 } else { 0 };
    let hooks = Hooks { size: &size, ..Hooks::default() };
    watched(&mut keeper, &hooks, |_| {}, &going_on());
    for name in ["huge", "small"] {
        corrupt(&keeper.tree().join(name), b"CONTENT");
    }
    let soon_enough = Instant::now() + Duration::from_secs(24 * 3600);
    let limited = |options: &mut AuditOptions| options.budget.until = Some(soon_enough);
    keeper.passes(DAY);
    let (audited, _, log) = watched(&mut keeper, &hooks, limited, &going_on());
    assert_eq!(
        (log, audited.outcome),
        (["huge", "small", "+small"].map(str::to_owned).into(), Outcome::Budget)
    );
    keeper.passes(DAY);
    let (_, _, log) = watched(&mut keeper, &hooks, limited, &going_on());
    assert!(!log.iter().any(|name| name.contains("huge")), "neither again nor in its turn: {log:?}");
    assert_eq!(keeper.standing(), said(&[("huge", Verdict::Suspect), ("small", Verdict::Corrupt)]));
    keeper.passes(DAY);
    let (_, _, log) = watched(&mut keeper, &hooks, |_| {}, &going_on());
    assert_eq!(log[0], "+huge", "{log:?}");
    assert_eq!(of(&keeper, Verdict::Corrupt), 2);
}

#[test]
fn an_error_in_reading_again_keeps_nothing_else_from_being_read() {
    let mut keeper = damaged(2);
    leave_all(&mut keeper);
    keeper.passes(DAY);
    keeper.write("new", "content");
    let reads = |is_again: bool| match is_again {
        true => Err(hashlane_engine::Error::Thread(io::Error::other("there are too many"))),
        false => Ok(()),
    };
    let hooks = Hooks { reads: &reads, ..Hooks::default() };
    let (failed, log) = try_watched(&mut keeper, &hooks, |_| {}, &going_on());
    assert!(matches!(failed, Err(Error::Engine(_))), "{failed:?}");
    assert_eq!(log, ["new", "f0", "f1"]);
    assert_eq!((keeper.files(), of(&keeper, Verdict::Suspect)), (3, 2));
    // The run was ended, and the next one is another.
    keeper.passes(DAY);
    let (audited, _, log) = watched(&mut keeper, &Hooks::default(), |_| {}, &going_on());
    assert!(!audited.goes_on && log.contains(&"new".to_owned()), "{log:?}");
    assert_eq!(of(&keeper, Verdict::Corrupt), 2);
}

#[test]
fn damage_that_is_touched_before_it_is_read_again_is_not_accepted_later() {
    let mut keeper = damaged(1);
    let file = keeper.tree().join("f0");
    let reads = |is_again: bool| {
        if is_again {
            touch(&file);
        }
        Ok(())
    };
    watched(&mut keeper, &Hooks { reads: &reads, ..Hooks::default() }, |_| {}, &going_on());
    assert_eq!(keeper.standing(), said(&[("f0", Verdict::Suspect)]));
    for expected in [Verdict::Suspect, Verdict::Corrupt] {
        keeper.passes(DAY);
        keeper.all();
        assert_eq!(keeper.standing(), said(&[("f0", expected)]));
    }
}
