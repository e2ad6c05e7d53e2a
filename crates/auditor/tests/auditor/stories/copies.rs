//! Copies of damage: what stands against them, and what they show of it.

use super::*;

/// A file `x` that has rotted since it was read, and `copy`, which was copied from it then.
fn keeper_of_a_copy(policy: Policy) -> Keeper {
    let mut keeper = keeper_of(policy);
    keeper.write_on(1, "x", "content");
    keeper.all();
    corrupt(&keeper.tree().join("x"), b"cXntent");
    fs::copy(keeper.tree().join("x"), keeper.tree().join("copy")).expect("copied");
    keeper
}

fn decision() -> Decision {
    Decision { actor: "keeper".into(), reason: String::new(), at_s: 0 }
}

#[test]
fn what_somebody_has_accepted_once_is_no_damage_elsewhere() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "x", "content");
    keeper.all();
    for accepted in ["cXntent", "content"] {
        corrupt(&keeper.tree().join("x"), accepted.as_bytes());
        assert_eq!(keeper.all_of_it(), said(&[("x", Verdict::Corrupt)]));
        assert_eq!(keeper.accept_all(), 0);
    }
    corrupt(&keeper.tree().join("x"), b"cXntent");
    assert_eq!(keeper.all_of_it(), said(&[("x", Verdict::Corrupt)]));
    keeper.write("copy", "cXntent");
    assert_eq!(keeper.all_of_it(), said(&[("x", Verdict::Corrupt)]));
}

#[test]
fn a_copy_of_damage_that_is_accepted_was_read_when_it_was_new() {
    let mut keeper = keeper_of_a_copy(Policy::Growing);
    let mut read_s = Vec::new();
    for name in ["copy", "x"] {
        keeper.passes(DAY);
        keeper.audit(|options| (options.scope, options.within) = (Scope::All, vec![name.into()]));
        read_s.push(keeper.now());
    }
    assert_eq!(keeper.standing(), said(&[("copy", Verdict::Corrupt), ("x", Verdict::Corrupt)]));
    assert_eq!(keeper.accept_all(), 0);
    for (name, expected_s) in ["copy", "x"].into_iter().zip(read_s) {
        let read = keeper.catalog.last_reading(&keeper.collection(), keeper.item(name).id);
        assert_eq!(read.expect("readable").expect("it was read").0, expected_s, "{name}");
    }
}

/// A rotten file `x` with a `copy` that was read and touched before the damage was found; both are damaged then.
fn keeper_of_a_touched_copy() -> Keeper {
    let mut keeper = keeper_of_a_copy(Policy::Living);
    for is_touched in [false, true] {
        if is_touched {
            set_modified(&keeper.tree().join("copy"), SystemTime::now());
        }
        keeper.passes(DAY);
        keeper.audit(|options| options.within = vec!["copy".into()]);
    }
    assert_eq!(keeper.all_of_it(), said(&[("copy", Verdict::Corrupt), ("x", Verdict::Corrupt)]));
    keeper
}

#[test]
fn a_copy_of_damage_is_damaged_though_somebody_accepts_the_first_file() {
    let mut keeper = keeper_of_a_touched_copy();
    let first = keeper.finding("x");
    assert_eq!(keeper.accept(&[first], &decision()).expect("accepted"), 0);
    for _ in 0..2 {
        assert_eq!(keeper.all_of_it(), said(&[("copy", Verdict::Corrupt)]));
    }
}

#[test]
fn what_a_copy_had_before_it_was_found_to_be_one_shows_nothing() {
    let mut keeper = keeper_of_a_touched_copy();
    keeper.write_on(1, "x", "content");
    keeper.rename("copy", "d");
    assert_eq!(keeper.all_of_it(), said(&[("d", Verdict::Corrupt)]));
    fs::copy(keeper.tree().join("d"), keeper.tree().join("e")).expect("copied");
    for _ in 0..2 {
        assert_eq!(keeper.all_of_it(), said(&[("d", Verdict::Corrupt), ("e", Verdict::Corrupt)]));
    }
}

#[test]
fn a_replaced_copy_of_damage_that_is_accepted_stays_unread() {
    let mut keeper = keeper_of_a_copy(Policy::Growing);
    keeper.passes(DAY);
    keeper.audit(|options| options.within = vec!["copy".into()]);
    let collection = keeper.collection();
    keeper.catalog.relocate_collection(&collection, &collection.terms, &decision()).expect("relocated");
    keeper.passes(DAY);
    keeper.audit(|options| (options.scope, options.within) = (Scope::All, vec!["x".into()]));
    assert_eq!(keeper.standing()["copy"], Verdict::Corrupt);
    let copy = keeper.finding("copy");
    assert_eq!(keeper.accept(&[copy], &decision()).expect("accepted"), 0);
    let read = keeper.catalog.last_reading(&keeper.collection(), keeper.item("copy").id).expect("readable");
    assert!(read.is_none(), "nobody has read it since: {read:?}");
}
