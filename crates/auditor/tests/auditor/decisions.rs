//! What a keeper decides, and what stands until then.

use std::fs;
use std::sync::atomic::Ordering;

use hashlane_auditor::Scope;
use hashlane_catalog::{Choice, Decision, Policy, Verdict};
use hashlane_digest::Algorithm;

use crate::keeper::{DAY, Keeper, Said, corrupt, said, touch};

#[test]
fn a_frozen_collection_takes_nothing_without_a_word() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
    keeper.write("a", "first");
    keeper.write("b", "second");
    keeper.write("c", "third");
    keeper.all();
    keeper.passes(DAY);
    keeper.write("a", "changed");
    keeper.write("n", "new");
    touch(&keeper.tree().join("b"));
    fs::rename(keeper.tree().join("c"), keeper.tree().join("m")).expect("renamed");
    let expected =
        said(&[("a", Verdict::Changed), ("b", Verdict::Touched), ("m", Verdict::Moved), ("n", Verdict::New)]);
    for _ in 0..2 {
        keeper.all();
        assert_eq!(keeper.standing(), expected);
        keeper.passes(DAY);
    }
    assert_eq!(keeper.accept_all(), 0);
    assert_eq!(keeper.standing(), Said::new());
    let (audited, found) = keeper.all();
    assert_eq!((audited.counts.of(Verdict::Ok), found), (4, Said::new()));
}

#[test]
fn a_finding_that_is_known_alarms_nobody_until_its_file_changes_again() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "as it was");
    keeper.all();
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("f"), b"as it WAS");
    keeper.all();
    let collection = keeper.collection();
    let open = |keeper: &Keeper| {
        let now_s = keeper.now_s.load(Ordering::Relaxed);
        let standing = keeper.catalog.standing(collection.id, now_s).expect("readable");
        standing.iter().map(|standing| (standing.open, standing.acknowledged)).collect::<Vec<_>>()
    };
    assert_eq!(open(&keeper), [(1, 0)]);
    let chosen = keeper.catalog.chosen(&collection, &Choice::default()).expect("readable");
    let findings: Vec<_> = chosen.into_iter().map(|(_, finding)| finding).collect();
    let now_s = keeper.now_s.load(Ordering::Relaxed);
    let decision = Decision { actor: "keeper".into(), reason: "restored soon".into(), at_s: now_s };
    keeper.catalog.acknowledge(&collection, &findings, Some(now_s + 3 * DAY), &decision).expect("noted");
    assert_eq!(open(&keeper), [(0, 1)]);
    keeper.passes(DAY);
    keeper.all();
    assert_eq!(open(&keeper), [(0, 1)], "the same bytes are known");
    corrupt(&keeper.tree().join("f"), b"AS it WAS");
    keeper.all();
    assert_eq!(open(&keeper), [(1, 0)], "others are not");
}

#[test]
fn what_has_changed_since_it_was_found_is_not_accepted() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
    for name in ["corrupt", "missing", "new-later-gone", "same"] {
        keeper.write(name, format!("content of {name}"));
    }
    fs::remove_file(keeper.tree().join("new-later-gone")).expect("removed");
    keeper.all();
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("corrupt"), b"CONTENT of corrupt");
    corrupt(&keeper.tree().join("same"), b"CONTENT of same");
    fs::remove_file(keeper.tree().join("missing")).expect("removed");
    keeper.write("new-later-gone", "new");
    keeper.all();
    assert_eq!(keeper.standing().len(), 4);
    // Size and modification time stay as they were found.
    corrupt(&keeper.tree().join("corrupt"), b"CONTENT OF corrupt");
    keeper.write("missing", "it is back");
    fs::remove_file(keeper.tree().join("new-later-gone")).expect("removed");
    assert_eq!(keeper.accept_all(), 3);
    let left: Vec<_> = keeper.standing().into_keys().collect();
    assert_eq!(left, ["corrupt", "missing", "new-later-gone"]);
    let collection = keeper.collection();
    let same = keeper.item("same");
    let good_s = keeper.catalog.last_reading(&collection, same.id).expect("readable").expect("it was read").0;
    assert_eq!(good_s, keeper.now_s.load(Ordering::Relaxed), "by the audit that found it so");
}

#[test]
fn what_stands_is_told_again_as_what_it_is() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
    for name in ["corrupt", "changed", "d/moved", "missing"] {
        keeper.write(name, format!("content of {name}"));
    }
    keeper.all();
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("corrupt"), b"CONTENT of corrupt");
    keeper.write("changed", "other");
    keeper.write("new", "new");
    fs::rename(keeper.tree().join("d/moved"), keeper.tree().join("renamed")).expect("renamed");
    fs::remove_file(keeper.tree().join("missing")).expect("removed");
    fs::create_dir(keeper.tree().join("missing")).expect("made");
    let expected = said(&[
        ("corrupt", Verdict::Corrupt),
        ("changed", Verdict::Changed),
        ("new", Verdict::New),
        ("renamed", Verdict::Moved),
        ("missing", Verdict::Missing),
    ]);
    for _ in 0..3 {
        let (audited, found) = keeper.all();
        assert_eq!((&found, keeper.standing()), (&expected, expected.clone()));
        let counted: Vec<_> = audited.counts.iter().collect();
        assert!(counted.iter().all(|(_, files)| *files == 1) && counted.len() == 5, "{counted:?}");
        keeper.passes(DAY);
    }
    assert_eq!(keeper.finding("missing").seen.detail, "a directory is there now");
}

#[test]
fn what_is_not_reached_is_not_accepted_as_missing() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "first");
    keeper.write("b", "second");
    keeper.all();
    keeper.passes(DAY);
    fs::rename(keeper.tree().join("a"), keeper.directory.path().join("a")).expect("away");
    keeper.all();
    fs::rename(keeper.directory.path().join("a"), keeper.tree().join("a")).expect("back");
    fs::rename(keeper.tree(), keeper.directory.path().join("away")).expect("away");
    assert_eq!(keeper.accept_all(), 1);
}

#[test]
fn a_collection_that_is_no_longer_frozen_accepts_what_is_there() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
    keeper.write("a", "first");
    keeper.all();
    keeper.passes(DAY);
    keeper.write("new", "new");
    keeper.all();
    keeper.set(|terms| terms.policy = Policy::Living);
    keeper.passes(DAY);
    keeper.all();
    assert_eq!((keeper.standing(), keeper.files()), (Said::new(), 2));
}

/// A keeper of two files, one of which has been found missing.
fn one_missing() -> Keeper {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "first");
    keeper.write("b", "second");
    keeper.all();
    keeper.passes(DAY);
    fs::remove_file(keeper.tree().join("a")).expect("removed");
    keeper.all();
    keeper
}

#[test]
fn nothing_is_accepted_under_another_root() {
    let mut keeper = one_missing();
    fs::rename(keeper.tree(), keeper.directory.path().join("away")).expect("away");
    fs::create_dir(keeper.tree()).expect("an empty mount point");
    assert_eq!(keeper.accept_all(), 1);
    assert_eq!(keeper.standing(), said(&[("a", Verdict::Missing)]));
}

#[test]
fn a_damaged_file_is_not_made_whole_by_another_time() {
    for policy in [Policy::Living, Policy::Frozen] {
        let mut keeper = Keeper::new(|terms| terms.policy = policy);
        keeper.write("a", "content");
        keeper.all();
        keeper.passes(DAY);
        corrupt(&keeper.tree().join("a"), b"CONTENT");
        keeper.all();
        let stands = said(&[("a", Verdict::Corrupt)]);
        assert_eq!(keeper.standing(), stands);
        keeper.passes(DAY);
        touch(&keeper.tree().join("a"));
        keeper.all();
        assert_eq!(keeper.standing(), stands, "{policy:?}");
        // Nor by another content: who would know that it was not restored from a bad copy?
        keeper.passes(DAY);
        keeper.write("a", "written anew");
        keeper.all();
        assert_eq!(keeper.standing(), stands, "{policy:?}");
    }
}

#[test]
fn a_damaged_file_that_was_touched_can_be_accepted_as_it_is_now() {
    for algorithms in [&["sha256"][..], &["crc32", "sha256"]] {
        for policy in [Policy::Living, Policy::Frozen] {
            let mut keeper = Keeper::new(|terms| {
                terms.policy = policy;
                terms.algorithms =
                    algorithms.iter().map(|name| Algorithm::named(name).expect("registered")).collect();
            });
            // Of these two the CRC-32 is the same.
            keeper.write("a", "plumless");
            keeper.all();
            keeper.passes(DAY);
            corrupt(&keeper.tree().join("a"), b"buckeroo");
            keeper.all();
            let verdict = if algorithms.len() > 1 { Verdict::Collision } else { Verdict::Corrupt };
            keeper.passes(DAY);
            touch(&keeper.tree().join("a"));
            assert_eq!(keeper.accept_all(), 1, "it is not as it was found");
            keeper.all();
            assert_eq!(keeper.standing(), said(&[("a", verdict)]), "{policy:?}");
            assert_eq!(keeper.accept_all(), 0);
            assert_eq!(keeper.standing(), Said::new(), "{policy:?}");
            keeper.passes(DAY);
            keeper.all();
            assert_eq!(keeper.standing(), Said::new(), "{policy:?}");
        }
    }
}

#[test]
fn what_differs_under_an_old_time_is_accepted_by_nobody() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "content");
    // It was recorded just after it was written.
    let written = keeper.now_s.load(Ordering::Relaxed);
    keeper.now_s.store(written - 3600, Ordering::Relaxed);
    keeper.all();
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("a"), b"CONTENT");
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("a", Verdict::Changed)]));
}

#[test]
fn what_nobody_has_accepted_is_missed_by_nobody() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
    keeper.write("a", "content");
    keeper.all();
    keeper.passes(DAY);
    keeper.write("stray", "left behind");
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("stray", Verdict::New)]));
    fs::remove_file(keeper.tree().join("stray")).expect("removed");
    let (audited, _) = keeper.all();
    assert_eq!((audited.listing.gone, keeper.standing()), (0, Said::new()));
    keeper.write("stray", "left behind");
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("stray", Verdict::New)]), "and new once more");
    assert_eq!(keeper.events("stray"), ["new", "gone", "new"]);
}

#[test]
fn a_missing_file_that_is_back_is_found_by_an_audit_of_what_is_missing() {
    let mut keeper = one_missing();
    assert_eq!(keeper.standing(), said(&[("a", Verdict::Missing)]));
    keeper.passes(DAY);
    keeper.write("a", "first");
    keeper.audit(|options| {
        options.scope = Scope::All;
        options.only = vec![Verdict::Missing];
    });
    assert_eq!(keeper.standing(), Said::new());
}
