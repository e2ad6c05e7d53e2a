//! Trees that are away, empty, or not known again; and collections that nobody has heard of for long.

use std::fs;

use hashlane_auditor::{AuditOptions, Held, MARKER, NotEmptied, Outcome, accept_all_gone, found_again};
use hashlane_catalog::Decision;

use crate::keeper::{DAY, Keeper, Said};

fn resume(options: &mut AuditOptions) {
    options.ignores_hold = true;
}

fn kept() -> Keeper {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(30 * DAY));
    for number in 0..20 {
        keeper.write(&format!("f{number}"), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    keeper
}

fn empty(keeper: &Keeper) {
    for file in fs::read_dir(keeper.tree()).expect("there").flatten() {
        fs::remove_file(file.path()).expect("removed");
    }
}

fn decision() -> Decision {
    Decision { actor: "keeper".into(), reason: "given away".into(), at_s: 0 }
}

#[test]
fn a_first_audit_that_finds_no_file_registers_nothing() {
    let mut keeper = Keeper::new(|_| {});
    let (audited, _) = keeper.all();
    assert_eq!(audited.outcome, Outcome::Empty);
    assert_eq!(keeper.collection().listed_s, None);
    let judging = keeper.catalog.judging(&keeper.collection(), keeper.now()).expect("readable");
    assert_eq!(judging.last_s, None, "it has judged nothing");
    // It was mounted in the meantime.
    keeper.write("f", "content");
    let (audited, _) = keeper.all();
    assert_eq!((audited.outcome, audited.is_first), (Outcome::Complete, true));
}

#[test]
fn who_says_that_a_tree_may_be_empty_has_it_so() {
    let mut keeper = Keeper::new(|terms| terms.habits.may_be_empty = true);
    assert_eq!(keeper.all().0.outcome, Outcome::Complete);
    assert!(keeper.collection().listed_s.is_some());
}

#[test]
fn an_emptied_tree_is_never_passed_and_can_be_accepted_as_gone() {
    let mut keeper = kept();
    empty(&keeper);
    for _ in 0..2 {
        let (audited, _) = keeper.all();
        assert_eq!(audited.outcome, Outcome::Held(Held::EmptyRoot { known: 20 }));
    }
    for _ in 0..2 {
        let (audited, _) = keeper.audit(resume);
        assert_eq!(
            audited.outcome,
            Outcome::Held(Held::EmptyRoot { known: 20 }),
            "who has looked has seen nothing"
        );
    }
    assert_eq!(keeper.standing(), Said::new());
    let collection = keeper.collection();
    let accept = |keeper: &mut Keeper| {
        let tree = keeper.local_tree();
        accept_all_gone(&mut keeper.catalog, &collection, &tree, &decision()).expect("decided")
    };
    keeper.write("one", "is left");
    assert_eq!(accept(&mut keeper), Err(NotEmptied::NotEmpty));
    empty(&keeper);
    assert_eq!(accept(&mut keeper), Ok(20));
    keeper.passes(DAY);
    let (audited, _) = keeper.all();
    assert_eq!((audited.outcome, audited.counts.iter().count()), (Outcome::Complete, 0));
    assert_eq!(keeper.catalog.late(&keeper.collection(), keeper.now() + 400 * DAY).expect("readable"), 0);
    assert_eq!(keeper.events("f3").last().map(String::as_str), Some("accepted"));
    // New files are new ones.
    keeper.write("f3", "content 3");
    keeper.passes(DAY);
    assert_eq!(keeper.all().1.len(), 1);
}

#[test]
fn an_empty_directory_in_the_place_of_the_root_is_offline_and_nothing_that_was_emptied() {
    let mut keeper = kept();
    fs::rename(keeper.tree(), keeper.directory.path().join("away")).expect("renamed");
    fs::create_dir(keeper.tree()).expect("made");
    assert!(matches!(keeper.all().0.outcome, Outcome::Offline(_)));
    assert!(keeper.collection().offline_s.is_some());
    let (collection, tree) = (keeper.collection(), keeper.local_tree());
    let accepted = accept_all_gone(&mut keeper.catalog, &collection, &tree, &decision()).expect("decided");
    assert_eq!(accepted, Err(NotEmptied::OtherRoot));
    // It is mounted again.
    fs::remove_dir(keeper.tree()).expect("removed");
    fs::rename(keeper.directory.path().join("away"), keeper.tree()).expect("renamed");
    assert_eq!(keeper.all().0.outcome, Outcome::Complete);
    assert_eq!((keeper.standing(), keeper.collection().offline_s), (Said::new(), None));
}

#[test]
fn a_tree_whose_marker_is_gone_is_never_passed_and_can_be_found_again() {
    let mut keeper = kept();
    let id = keeper.collection().id;
    keeper.catalog.set_marker(id, Some("hashlane 1")).expect("written");
    let found = |keeper: &Keeper| found_again(&keeper.catalog, &keeper.collection(), &keeper.local_tree());
    for _ in 0..2 {
        assert_eq!(keeper.all().0.outcome, Outcome::Held(Held::NoMarker));
        assert_eq!(keeper.audit(resume).0.outcome, Outcome::Held(Held::NoMarker));
    }
    assert_eq!(found(&keeper).expect("listed"), 20);
    // Others have these names.
    for number in 0..5 {
        keeper.write(&format!("f{number}"), "of another size");
    }
    fs::remove_file(keeper.tree().join("f7")).expect("removed");
    assert_eq!(found(&keeper).expect("listed"), 14);
    fs::write(keeper.tree().join(MARKER), "hashlane 1\n").expect("written");
    assert_eq!(keeper.all().0.outcome, Outcome::Complete);
}

#[test]
fn an_audit_that_judges_nothing_leaves_a_collection_silent() {
    let mut keeper = kept();
    let judged =
        |keeper: &Keeper| keeper.catalog.judging(&keeper.collection(), keeper.now()).expect("readable");
    let last_s = judged(&keeper).last_s;
    assert_eq!(last_s, Some(keeper.now() - DAY));
    empty(&keeper);
    for _ in 0..3 {
        keeper.all();
        keeper.passes(DAY);
    }
    // What is about a part says nothing of the rest.
    keeper.write("f1", "content 1");
    keeper.audit(|options| options.within = vec![b"f1".to_vec()]);
    assert_eq!(judged(&keeper).last_s, last_s);
    assert!(judged(&keeper).is_silent(keeper.now()));
    assert!(!judged(&keeper).is_silent_for(10 * DAY, keeper.now()));
    let other = Keeper::new(|_| {});
    assert!(!judged(&other).is_silent(other.now()), "it was registered today");
    other.passes(3 * DAY);
    assert!(judged(&other).is_silent(other.now()));
}

#[test]
fn what_budgets_give_is_told_until_an_audit_comes_to_its_end() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    for number in 0..40 {
        keeper.write(&format!("f{number:02}"), vec![b'x'; 1000 + number]);
    }
    let given = |keeper: &Keeper| keeper.catalog.given(&keeper.collection(), keeper.now()).expect("readable");
    assert_eq!(given(&keeper), None);
    for night in 1..=4_u64 {
        keeper.audit(|options| options.budget.files = Some(2));
        let given = given(&keeper).expect("a budget has ended it");
        assert!((given.files - 2.0).abs() < 0.01 && given.bytes > 2000.0, "night {night}: {given:?}");
        keeper.passes(DAY);
    }
    keeper.all();
    assert_eq!(given(&keeper), None, "nothing is left to read");
    keeper.passes(5 * DAY);
    keeper.audit(|options| options.budget.files = Some(2));
    let given = given(&keeper).expect("a budget has ended it");
    assert!((given.files - 0.4).abs() < 0.01, "two in five days: {given:?}");
}
