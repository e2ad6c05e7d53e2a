//! What is read again before it is called corrupt: within the budget, the next time first, and counted by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use hashlane_catalog::{AuditOptions, Outcome, Verdict};
use hashlane_engine::Control;

use crate::keeper::{DAY, Keeper, corrupt, said};
use crate::watched::{Hooks, watched};

/// A collection of so many files of 1000 bytes, all of which are damaged. The first of them is the largest.
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
