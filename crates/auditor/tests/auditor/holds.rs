//! Audits that are held: what looks lost or changed as a whole is not believed.

use std::fs;
use std::sync::Arc;

use hashlane_auditor::{AuditOptions, HeldBack, Outcome, Scope};
use hashlane_catalog::{Error, Policy, Verdict};
use hashlane_engine::Control;
use hashlane_keeper::{Condition, Overview};
use hashlane_record::Record;

use crate::keeper::{DAY, Keeper, Said, corrupt, said, set_modified, touch};
use crate::watched::{Hooks, fail, name_of, watched};

#[test]
fn what_looks_lost_as_a_whole_is_held() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..100 {
        keeper.write(&format!("d{}/f{number}", number % 5), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    // A directory is emptied.
    for name in fs::read_dir(keeper.tree().join("d0")).expect("there").flatten() {
        fs::remove_file(name.path()).expect("removed");
    }
    let (audited, found) = keeper.all();
    assert!(
        matches!(&audited.outcome, Outcome::Held(hashlane_auditor::Held::EmptyDirectory { path, .. }) if path == b"d0"),
        "{audited:?}"
    );
    assert_eq!((found, keeper.standing()), (Said::new(), Said::new()));
    // Somebody has looked, and it is as it should be.
    let (audited, _) = keeper.audit(|options| {
        options.scope = Scope::All;
        options.ignores_hold = true;
    });
    assert_eq!((audited.outcome, audited.goes_on, keeper.standing().len()), (Outcome::Complete, true, 20));
    keeper.passes(DAY);
    // What was said once holds nothing any more.
    assert_eq!(keeper.all().0.outcome, Outcome::Complete);
    // The whole tree is replaced by an empty one.
    fs::rename(keeper.tree(), keeper.directory.path().join("away")).expect("renamed");
    let (audited, _) = keeper.all();
    assert!(matches!(audited.outcome, Outcome::Offline(_)), "{audited:?}");
    fs::create_dir(keeper.tree()).expect("made");
    let (audited, _) = keeper.all();
    assert!(matches!(audited.outcome, Outcome::Offline(_)), "so is the mount point of a disk that is away");
    keeper.write("f", "of another tree");
    let (audited, _) = keeper.all();
    assert!(matches!(audited.outcome, Outcome::Held(_)), "{audited:?}");
    assert_eq!(keeper.standing().len(), 20);
}

#[test]
fn too_many_changes_are_held_and_intact_readings_are_kept() {
    // The keeper has said a share.
    let mut keeper = Keeper::new(|terms| (terms.hold_if.files, terms.habits.says_hold_percent) = (5, true));
    for number in 0..60 {
        keeper.write(&format!("f{number:02}"), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    for number in 0..6 {
        keeper.write(&format!("f{number:02}"), format!("other content {number}"));
    }
    let (audited, _) = keeper.all();
    assert!(matches!(audited.outcome, Outcome::Held(_)), "{audited:?}");
    let versions = |keeper: &Keeper| {
        keeper.catalog.versions(&keeper.collection(), keeper.item("f00").id).expect("readable").len()
    };
    assert_eq!((versions(&keeper), keeper.standing().len()), (0, 0), "nothing was accepted");
    let (audited, _) = keeper.audit(|options| {
        options.scope = Scope::All;
        options.ignores_hold = true;
    });
    assert_eq!(
        (audited.outcome, audited.counts.of(Verdict::Changed), versions(&keeper)),
        (Outcome::Complete, 6, 1)
    );
}

#[test]
fn what_stands_already_holds_no_run() {
    let mut keeper = Keeper::new(|terms| {
        terms.policy = Policy::Frozen;
        terms.hold_if.files = 5;
    });
    for number in 0..40 {
        keeper.write(&format!("d/f{number:02}"), format!("content {number}"));
    }
    keeper.all();
    for round in 0..3 {
        keeper.passes(DAY);
        for number in 0..4 {
            keeper.write(&format!("d/f{:02}", round * 4 + number), "another content");
        }
        assert_eq!(keeper.all().0.outcome, Outcome::Complete, "round {round}");
    }
    assert_eq!(keeper.standing().len(), 12);
    // What was said of changes says nothing of a loss.
    fs::remove_dir_all(keeper.tree().join("d")).expect("removed");
    let (audited, _) = keeper.all();
    assert!(matches!(audited.outcome, Outcome::Held(_)), "{audited:?}");
}

#[test]
fn a_subtree_that_was_emptied_is_noticed_however_deep_its_files_lay() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..60 {
        keeper.write(&format!("2023/{}/{}/f{number}", number % 12, number % 2), format!("content {number}"));
    }
    keeper.write("2024/f", "other");
    keeper.all();
    keeper.passes(DAY);
    fs::remove_dir_all(keeper.tree().join("2023")).expect("removed");
    fs::create_dir(keeper.tree().join("2023")).expect("made");
    let (audited, _) = keeper.all();
    let Outcome::Held(hashlane_auditor::Held::EmptyDirectory { path, known }) = audited.outcome else {
        panic!("{audited:?}")
    };
    assert_eq!((&path[..], known), (&b"2023"[..], 60));
}

#[test]
fn a_run_that_is_held_goes_on_only_over_the_root_that_somebody_has_looked_at() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..20 {
        keeper.write(&format!("f{number}"), format!("content {number}"));
    }
    keeper.all();
    let resume = |options: &mut AuditOptions| options.ignores_hold = true;
    let none = keeper.try_audit(resume, &Arc::new(Control::new())).expect_err("none is held");
    assert!(matches!(none, Error::NotHeld { .. }), "{none}");
    let replace = |keeper: &Keeper, away: &str| {
        fs::rename(keeper.tree(), keeper.directory.path().join(away)).expect("renamed");
        keeper.write("other", "of another tree");
    };
    replace(&keeper, "away");
    assert!(matches!(keeper.all().0.outcome, Outcome::Held(_)));
    replace(&keeper, "away-again");
    assert!(
        matches!(keeper.audit(resume).0.outcome, Outcome::Held(_)),
        "another root than the one that was held"
    );
    assert_eq!(keeper.standing(), Said::new());
    // Of this root somebody has seen that it is another one, and not yet what is in it.
    assert_eq!(keeper.audit(resume).0.outcome, Outcome::Complete);
    assert_eq!(keeper.standing().len(), 20);
}

#[test]
fn renamed_files_make_no_room_for_losses() {
    let mut keeper = Keeper::new(|terms| terms.hold_if.files = 5);
    for number in 0..200 {
        keeper.write(&format!("d{}/f{number}", number % 4), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    fs::rename(keeper.tree().join("d0"), keeper.tree().join("renamed")).expect("renamed");
    (0..10).for_each(|number| {
        fs::remove_file(keeper.tree().join(format!("d1/f{}", 4 * number + 1))).expect("there")
    });
    let resume = |options: &mut AuditOptions| options.ignores_hold = true;
    assert!(matches!(keeper.all().0.outcome, Outcome::Held(_)), "ten are lost");
    (10..40).for_each(|number| {
        fs::remove_file(keeper.tree().join(format!("d1/f{}", 4 * number + 1))).expect("there")
    });
    assert!(matches!(keeper.audit(resume).0.outcome, Outcome::Held(_)), "thirty more are");
    assert_eq!(keeper.audit(resume).0.outcome, Outcome::Complete);
    assert_eq!(keeper.standing().len(), 40);
}

#[test]
fn a_hold_that_a_later_audit_has_passed_cannot_be_resumed() {
    let mut keeper = Keeper::new(|terms| terms.hold_if.files = 5);
    for number in 0..100 {
        keeper.write(&format!("d{}/f{number}", number % 4), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    fs::rename(keeper.tree().join("d0"), keeper.directory.path().join("away")).expect("renamed");
    assert!(matches!(keeper.all().0.outcome, Outcome::Held(_)));
    fs::rename(keeper.directory.path().join("away"), keeper.tree().join("d0")).expect("back");
    assert_eq!(keeper.audit(|_| {}).0.outcome, Outcome::Complete);
    let resumed = keeper.try_audit(|options| options.ignores_hold = true, &Arc::new(Control::new()));
    assert!(matches!(resumed, Err(Error::NotHeld { .. })), "{resumed:?}");
}

#[test]
fn a_budget_does_not_hide_that_everything_has_changed() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(30 * DAY));
    for number in 0..200 {
        keeper.write(&format!("f{number:03}"), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    for number in 0..200 {
        keeper.write(&format!("f{number:03}"), format!("encrypted {number}"));
    }
    for part in [0, 1] {
        let (audited, _) = keeper.audit(|options| match part {
            0 => options.budget.files = Some(20),
            _ => options.within = vec![b"f001".to_vec()],
        });
        assert!(matches!(audited.outcome, Outcome::Held(_)), "{audited:?}");
    }
    let versions = keeper.catalog.versions(&keeper.collection(), keeper.item("f000").id).expect("readable");
    assert!(versions.is_empty(), "nothing was accepted");
}

#[test]
fn many_touched_files_and_a_budget_hold_nothing() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..200 {
        keeper.write(&format!("f{number:03}"), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    (0..200).for_each(|number| touch(&keeper.tree().join(format!("f{number:03}"))));
    let (audited, _) = keeper.audit(|options| options.budget.files = Some(20));
    assert_eq!((audited.outcome, audited.counts.of(Verdict::Touched)), (Outcome::Budget, 20));
}

#[test]
fn who_lets_a_run_go_on_lets_through_what_was_seen_and_not_what_has_gone_since() {
    let mut keeper = Keeper::new(|terms| terms.hold_if.files = 5);
    for number in 0..200 {
        keeper.write(&format!("d{}/f{number}", number % 4), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    fs::remove_dir_all(keeper.tree().join("d0")).expect("removed");
    assert!(matches!(keeper.all().0.outcome, Outcome::Held(_)));
    // Another directory goes before the keeper answers.
    fs::remove_dir_all(keeper.tree().join("d1")).expect("removed");
    let resume = |keeper: &mut Keeper| keeper.audit(|options| options.ignores_hold = true).0.outcome;
    let outcome = resume(&mut keeper);
    let Outcome::Held(hashlane_auditor::Held::TooMany { alarm, .. }) = outcome else { panic!("{outcome:?}") };
    assert_eq!((alarm.missing, keeper.standing()), (100, Said::new()));
    assert_eq!(resume(&mut keeper), Outcome::Complete);
    assert_eq!(keeper.standing().len(), 100);
}

#[test]
fn files_that_were_missing_and_are_found_again_hide_no_new_loss() {
    for is_lost in [false, true] {
        let mut keeper = Keeper::new(|terms| terms.hold_if.files = 2);
        for number in 0..8 {
            keeper.write(&format!("a/f{number}"), format!("content {number} of a"));
            keeper.write(&format!("b/f{number}"), format!("content {number} of b"));
        }
        keeper.all();
        keeper.passes(DAY);
        let away = keeper.directory.path().join("away");
        fs::rename(keeper.tree().join("a"), &away).expect("renamed");
        keeper.all();
        keeper.audit(|options| (options.scope, options.ignores_hold) = (Scope::All, true));
        assert_eq!(keeper.standing().len(), 8);
        keeper.passes(DAY);
        fs::rename(&away, keeper.tree().join("c")).expect("renamed");
        for number in 0..if is_lost { 3 } else { 0 } {
            fs::remove_file(keeper.tree().join(format!("b/f{number}"))).expect("removed");
        }
        let (audited, _) = keeper.all();
        assert_eq!(matches!(audited.outcome, Outcome::Held(_)), is_lost, "{audited:?}");
    }
}

#[test]
fn files_that_were_filed_away_in_the_collection_have_not_left_it() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("archive/f", "other");
    // Fewer than a crowd are lost beside those that were moved, and then a crowd.
    for (name, moved) in [("f", 25), ("g", 20)] {
        for number in 0..30 {
            keeper.write(&format!("inbox/{name}{number}"), format!("content {name}{number}"));
        }
        keeper.all();
        keeper.passes(DAY);
        for number in 0..30 {
            let [inbox, archive] =
                ["inbox", "archive"].map(|of| keeper.tree().join(format!("{of}/{name}{number}")));
            match number < moved {
                true => fs::rename(inbox, archive).expect("renamed"),
                false => fs::remove_file(inbox).expect("removed"),
            }
        }
        let (audited, _) = keeper.all();
        match audited.outcome {
            Outcome::Held(hashlane_auditor::Held::EmptyDirectory { path, known }) => {
                assert_eq!((&path[..], known, moved), (&b"inbox"[..], 10, 20));
            }
            outcome => {
                assert_eq!((outcome, moved), (Outcome::Complete, 25));
                assert_eq!((audited.counts.of(Verdict::Moved), keeper.standing().len()), (25, 5));
            }
        }
        keeper.passes(DAY);
    }
}

/// What somebody does to the first files of a tree: to each of a given number of them.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Removes,
    Empties,
    BringsBackOlder,
    MakesUnreadable,
    Edits,
}

#[test]
fn losses_count_by_the_share_that_was_said_and_changes_by_what_the_policy_makes_of_them() {
    use Deed::{BringsBackOlder, Edits, Empties, MakesUnreadable, Removes};
    use Policy::{Frozen, Growing, Living};
    // There are 400 files, and 50 of them may be lost.
    for (policy, deed, files, is_held) in [
        (Living, Removes, 50, false),
        (Living, Removes, 51, true),
        (Living, Empties, 50, false),
        (Living, Empties, 51, true),
        (Growing, Empties, 51, true),
        (Living, BringsBackOlder, 50, false),
        (Living, BringsBackOlder, 51, true),
        (Frozen, MakesUnreadable, 50, false),
        (Living, MakesUnreadable, 51, true),
        // A branch is switched.
        (Living, Edits, 51, false),
        (Living, Edits, 200, false),
        (Living, Edits, 201, true),
        (Growing, Edits, 50, false),
        (Growing, Edits, 51, true),
        (Frozen, Edits, 51, true),
    ] {
        let mut keeper = Keeper::new(|terms| terms.policy = policy);
        for number in 0..400 {
            keeper.write(&format!("d{}/f{number:03}", number % 10), format!("content {number}"));
        }
        keeper.all();
        keeper.passes(DAY);
        let path = |number: usize| keeper.tree().join(format!("d{}/f{number:03}", number % 10));
        for number in 0..files {
            match deed {
                Removes => fs::remove_file(path(number)).expect("removed"),
                Empties => fs::write(path(number), "").expect("emptied"),
                BringsBackOlder => {
                    fs::write(path(number), format!("CONTENT {number}")).expect("written");
                    touch(&path(number));
                }
                MakesUnreadable => {}
                Edits => fs::write(path(number), format!("edited {number}")).expect("written"),
            }
        }
        let is_unreadable = |record: &Record| {
            let number =
                name_of(record).rsplit_once('f').and_then(|(_, number)| number.parse::<usize>().ok());
            matches!(deed, MakesUnreadable) && number.is_some_and(|number| number < files)
        };
        let bend = |_: bool, record: &mut Record| {
            if is_unreadable(record) {
                fail(record);
            }
        };
        let hooks = Hooks { bend: &bend, ..Hooks::default() };
        let (audited, ..) = watched(&mut keeper, &hooks, |_| {}, &Arc::new(Control::new()));
        let case = format!("{policy:?}: {deed:?} {files}");
        assert_eq!(matches!(audited.outcome, Outcome::Held(_)), is_held, "{case}: {audited:?}");
        let held_back: u64 = audited.held_back.iter().map(HeldBack::files).sum();
        assert_eq!(held_back, if is_held { files as u64 } else { 0 }, "{case}: {:?}", audited.held_back);
        let of_kind = |of: &HeldBack| match deed {
            Removes => of.missing,
            Empties => of.emptied,
            BringsBackOlder => of.older,
            MakesUnreadable => of.unreadable,
            Edits => of.changed,
        };
        assert_eq!(audited.held_back.iter().map(of_kind).sum::<u64>(), held_back, "{case}");
    }
}

#[test]
fn in_a_tree_of_a_thousand_changes_that_are_findings_hold_beyond_a_tenth() {
    for (files, is_held) in [(100, false), (101, true)] {
        let mut keeper = Keeper::new(|terms| terms.policy = Policy::Growing);
        for number in 0..1_000 {
            keeper.write(&format!("f{number:03}"), format!("content {number}"));
        }
        keeper.all();
        keeper.passes(DAY);
        for number in 0..files {
            keeper.write(&format!("f{number:03}"), format!("edited {number}"));
        }
        let (audited, found) = keeper.all();
        assert_eq!(matches!(audited.outcome, Outcome::Held(_)), is_held, "{audited:?}");
        assert_eq!(found.len(), if is_held { 0 } else { files });
    }
}

#[test]
fn what_a_hold_does_not_hold_back_is_read_and_told() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..200 {
        keeper.write(&format!("d{}/f{number:03}", number % 2), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    for number in 0..60 {
        fs::remove_file(keeper.tree().join(format!("d0/f{:03}", 2 * number))).expect("removed");
    }
    corrupt(&keeper.tree().join("d1/f001"), b"cXntent 1");
    keeper.write("d1/f003", "edited");
    keeper.write("d1/new", "new");
    let (dry, _) = keeper.audit(|options| (options.scope, options.dry_run) = (Scope::All, true));
    assert!(matches!(dry.outcome, Outcome::Held(_)), "{dry:?}");
    let [HeldBack { path, missing: 60, .. }] = &dry.held_back[..] else { panic!("{:?}", dry.held_back) };
    assert_eq!(&path[..], b"d0");
    let (audited, found) = keeper.all();
    assert!(matches!(audited.outcome, Outcome::Held(_)), "{audited:?}");
    assert_eq!(found, said(&[("d1/f001", Verdict::Corrupt), ("d1/new", Verdict::New)]));
    assert_eq!(keeper.standing(), said(&[("d1/f001", Verdict::Corrupt)]));
    assert_eq!(audited.counts.of(Verdict::Ok), 138);
    let told: Vec<_> =
        audited.held_back.iter().map(|held| (&held.path[..], held.missing, held.changed)).collect();
    assert_eq!(told, [(&b"d0"[..], 60, 0), (&b"d1"[..], 0, 1)]);
    // What was read is not read again when somebody lets it go on.
    let (audited, found) = keeper.audit(|options| options.ignores_hold = true);
    assert_eq!((audited.outcome, audited.counts.of(Verdict::Missing)), (Outcome::Complete, 60));
    assert!(found.contains_key("d1/f003") && keeper.standing().len() == 61, "{found:?}");
    assert!(audited.files <= 2, "{}", audited.files);
}

#[test]
fn who_lets_it_go_on_gets_what_was_asked_for_first() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(90 * DAY));
    for number in 0..200 {
        keeper.write(&format!("f{number:03}"), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    (0..60).for_each(|number| fs::remove_file(keeper.tree().join(format!("f{number:03}"))).expect("removed"));
    // All of it is asked for, and then what is due comes between.
    let held = |keeper: &mut Keeper, scope| {
        let (audited, _) = keeper.audit(|options| (options.scope, options.budget.files) = (scope, Some(5)));
        assert!(matches!(audited.outcome, Outcome::Held(_)), "{audited:?}");
    };
    held(&mut keeper, Scope::All);
    keeper.passes(DAY);
    held(&mut keeper, Scope::Due);
    held(&mut keeper, Scope::Due);
    // A dry run shows that, too.
    for dry_run in [true, false] {
        let (audited, _) = keeper.audit(|options| (options.ignores_hold, options.dry_run) = (true, dry_run));
        assert_eq!(audited.outcome, Outcome::Complete, "{:?}", audited.counts);
        assert_eq!(audited.planned_files, 140, "{dry_run}");
    }
}

#[test]
fn an_audit_of_a_part_ends_no_hold_of_the_whole() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Growing);
    for number in 0..200 {
        keeper.write(&format!("d{}/f{number:03}", number % 4), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    (0..60).for_each(|number| keeper.write(&format!("d{}/f{number:03}", number % 4), "edited"));
    assert!(matches!(keeper.all().0.outcome, Outcome::Held(_)));
    for narrow in [0, 1] {
        let (audited, _) = keeper.audit(|options| match narrow {
            0 => options.within = vec![b"d1/f101".to_vec()],
            _ => options.only = vec![Verdict::Corrupt],
        });
        assert_eq!(audited.outcome, Outcome::Complete);
        let overview =
            Overview::of(&keeper.catalog, keeper.collection(), keeper.now(), 10).expect("readable");
        assert_eq!(overview.condition(), Condition::Held);
    }
    let (audited, _) = keeper.audit(|options| options.ignores_hold = true);
    assert_eq!((audited.outcome, audited.counts.of(Verdict::Changed)), (Outcome::Complete, 60));
    let overview = Overview::of(&keeper.catalog, keeper.collection(), keeper.now(), 10).expect("readable");
    assert_eq!(overview.condition(), Condition::Attention);
}

#[test]
fn what_was_said_already_is_not_held_back() {
    let mut keeper = Keeper::new(|terms| (terms.policy, terms.period_s) = (Policy::Growing, Some(90 * DAY)));
    for number in 0..200 {
        keeper.write(&format!("f{number:03}"), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    (0..120).for_each(|number| keeper.write(&format!("f{number:03}"), "edited"));
    assert!(matches!(keeper.all().0.outcome, Outcome::Held(_)));
    let (_, found) = keeper.audit(|options| (options.ignores_hold, options.budget.files) = (true, Some(20)));
    assert_eq!(found.len(), 20, "{found:?}");
    keeper.passes(DAY);
    let (audited, _) = keeper.all();
    assert!(matches!(audited.outcome, Outcome::Held(_)), "{audited:?}");
    assert_eq!(audited.held_back.iter().map(|held| held.changed).sum::<u64>(), 100);
}

#[test]
fn a_copy_of_damage_that_was_edited_is_told_and_counted_once() {
    for losses in [0, 60] {
        let mut keeper = Keeper::new(|terms| terms.policy = Policy::Living);
        for number in 0..200 {
            keeper.write(&format!("f{number:03}"), format!("content {number}"));
        }
        keeper.all();
        keeper.passes(DAY);
        let place = |name: &str| keeper.tree().join(name);
        corrupt(&place("f150"), b"cXntent 150");
        let time = fs::metadata(place("f150")).and_then(|is| is.modified()).expect("a time");
        keeper.write("copy", "cXntent 150");
        set_modified(&place("copy"), time);
        let (audited, _) = keeper.audit(|options| options.within = vec![b"copy".to_vec()]);
        assert_eq!(audited.outcome, Outcome::Complete);
        keeper.passes(DAY);
        keeper.write("copy", "edited since then");
        (0..losses).for_each(|number| {
            fs::remove_file(keeper.tree().join(format!("f{number:03}"))).expect("removed");
        });
        let (audited, _) = keeper.all();
        assert_eq!(matches!(audited.outcome, Outcome::Held(_)), losses > 0, "{audited:?}");
        let counted = [Verdict::Ok, Verdict::Corrupt, Verdict::Changed].map(|of| audited.counts.of(of));
        assert_eq!(counted.iter().sum::<u64>(), 201 - losses, "{counted:?}");
    }
}
