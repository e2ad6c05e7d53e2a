//! A reading belongs to the file that was read: what has come in its place was not.

use super::*;

#[test]
fn what_was_restored_from_tape_is_unread_and_its_rot_is_found() {
    for policy in POLICIES {
        let mut keeper = keeper_of(policy);
        for number in 0..60 {
            keeper.write_on(1, &format!("f{number:02}"), &format!("content {number:02}"));
        }
        keeper.all();
        for number in 0..60 {
            let content = format!("{} {number:02}", if number % 20 == 7 { "cXntent" } else { "content" });
            keeper.restore(&format!("f{number:02}"), &content);
        }
        // A night has a thirtieth of the bytes, and reads what was replaced within that.
        keeper.passes(DAY);
        let (audited, _) = keeper.audit(|options| options.scope = Scope::Due);
        assert_eq!((audited.listing.replaced, audited.files), (60, 2), "{policy:?}");
        assert_eq!(keeper.replaced(), 58);
        // They are late a period after that, and no more than others before.
        keeper.passes(29 * DAY);
        assert_eq!(keeper.catalog.late(&keeper.collection(), keeper.now()).ok(), Some(0));
        keeper.passes(2 * DAY);
        assert_eq!(keeper.catalog.late(&keeper.collection(), keeper.now()).ok(), Some(60));
        keeper.all();
        let rotten = [("f07", Verdict::Corrupt), ("f27", Verdict::Corrupt), ("f47", Verdict::Corrupt)];
        assert_eq!((keeper.standing(), keeper.replaced()), (said(&rotten), 0), "{policy:?}");
    }
}

#[test]
fn what_was_replaced_proves_no_edit_by_its_time() {
    for policy in POLICIES {
        let mut keeper = keeper_of(policy);
        for name in ["a", "b", "c"] {
            keeper.write_on(1, name, name);
        }
        keeper.all();
        for name in ["a", "b", "c"] {
            keeper.restore(name, name);
        }
        keeper.passes(60);
        // Of three bytes and a minute nothing is read.
        keeper.audit(|options| options.scope = Scope::Due);
        assert_eq!(keeper.replaced(), 3);
        keeper.edit("a", "edited, or badly copied");
        keeper.write_on(0, "b", "B");
        let found = keeper.all_of_it();
        assert_eq!(found, said(&[("a", Verdict::Changed), ("b", Verdict::Changed)]), "{policy:?}");
        assert_eq!(keeper.cause("a"), Some(Cause::Replaced));
        assert!(keeper.finding("a").seen.detail.contains("edited, or badly copied"));
        assert!(!keeper.finding("b").seen.detail.contains("edited"), "it is older than the last audit");
        // No policy knows what it was; somebody does.
        keeper.set(|terms| terms.policy = Policy::Living);
        assert_eq!(keeper.standing().len(), 2);
        assert_eq!(keeper.accept_all(), 0);
        assert_eq!(keeper.all_of_it(), Said::new(), "{policy:?}");
    }
}

#[test]
fn another_root_is_unread_but_for_one_with_a_marker() {
    for has_marker in [false, true] {
        let mut keeper = keeper_of(Policy::Living);
        for name in ["a", "b"] {
            keeper.write_on(1, name, name);
        }
        keeper.all();
        let collection = keeper.collection();
        if has_marker {
            keeper.write(".hashlane-marker", "hashlane 1\n");
            keeper.catalog.set_marker(collection.id, Some("hashlane 1")).expect("set");
        }
        let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: keeper.now() };
        let collection = keeper.collection();
        keeper.catalog.relocate_collection(&collection, &collection.terms, &decision).expect("relocated");
        assert_eq!(keeper.replaced(), if has_marker { 0 } else { 2 });
        keeper.write("a", "edited since");
        keeper.passes(DAY);
        keeper.all();
        let expected = if has_marker { Said::new() } else { said(&[("a", Verdict::Changed)]) };
        assert_eq!(keeper.standing(), expected);
        assert_eq!(keeper.accept_all(), 0);
        assert_eq!(keeper.replaced(), 0);
    }
}

#[test]
fn a_run_that_was_held_for_another_root_reads_all_of_it_as_replaced() {
    let mut keeper = keeper_of(Policy::Living);
    for name in ["a", "b"] {
        keeper.write_on(1, name, name);
    }
    keeper.all();
    let id = keeper.collection().id;
    let other = SeenRoot { file_system: "another".into(), inode: 1, mounts: Vec::new() };
    keeper.catalog.set_seen_root(id, Some(&other)).expect("set");
    keeper.write("a", "edited since");
    keeper.passes(DAY);
    keeper.all();
    assert_eq!(keeper.standing(), Said::new(), "it is held");
    keeper.audit(|options| (options.scope, options.ignores_hold) = (Scope::All, true));
    assert_eq!(keeper.standing(), said(&[("a", Verdict::Changed)]));
    assert_eq!(keeper.cause("a"), Some(Cause::Replaced));
}

#[test]
fn a_changed_mode_keeps_the_reading_and_brings_a_file_forward() {
    let mut keeper = keeper_of(Policy::Growing);
    for number in 0..30 {
        keeper.write_on(1, &format!("f{number:02}"), "ten bytes.");
    }
    keeper.all();
    let path = keeper.tree().join("f20");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("set");
    fs::hard_link(keeper.tree().join("f25"), keeper.directory.path().join("snapshot")).expect("linked");
    keeper.passes(2 * DAY);
    let (audited, said, log) = watched(
        &mut keeper,
        &Hooks::default(),
        |options| options.scope = Scope::Due,
        &std::sync::Arc::default(),
    );
    assert_eq!((audited.listing.changed_metadata, audited.listing.replaced), (2, 0));
    assert_eq!((log, said), (vec!["f20".to_owned(), "f25".to_owned()], Said::new()));
    assert_eq!((audited.changed_metadata, keeper.replaced()), (0, 0));
    assert_eq!(keeper.night(), Said::new());
}

#[test]
fn what_is_let_go_on_over_another_root_is_read_though_the_run_had_read_it_elsewhere() {
    let mut keeper = keeper_of(Policy::Living);
    for number in 0..8 {
        keeper.write_on(1, &format!("f{number}"), "content");
    }
    keeper.all();
    keeper.passes(DAY);
    // The run is stopped half way.
    let control = std::sync::Arc::new(hashlane_engine::Control::new());
    let read = std::cell::Cell::new(0);
    let bend = |_: bool, _: &mut Record| {
        read.set(read.get() + 1);
        if read.get() == 4 {
            control.drain();
        }
    };
    let hooks = Hooks { bend: &bend, ..Hooks::default() };
    let (stopped, ..) = watched(&mut keeper, &hooks, |options| options.scope = Scope::All, &control);
    assert_eq!(stopped.outcome, hashlane_auditor::Outcome::Stopped);
    // Another tree comes in its place, whose files have the numbers that they had, as a snapshot that was sent elsewhere has.
    let (tree, other) = (keeper.tree(), keeper.directory.path().join("other"));
    fs::create_dir(&other).expect("made");
    for number in 0..8 {
        let name = format!("f{number}");
        fs::hard_link(tree.join(&name), other.join(&name)).expect("linked");
    }
    fs::rename(&tree, keeper.directory.path().join("before")).expect("moved");
    fs::rename(&other, &tree).expect("moved");
    for number in 0..8 {
        keeper.edit(&format!("f{number}"), "a bad copy");
    }
    keeper.passes(DAY);
    keeper.all();
    assert_eq!(keeper.standing(), Said::new(), "it is held");
    keeper.audit(|options| (options.scope, options.ignores_hold) = (Scope::All, true));
    let standing = keeper.standing();
    assert_eq!(standing.values().filter(|verdict| **verdict == Verdict::Changed).count(), 8, "{standing:?}");
    assert!((0..8).all(|number| keeper.cause(&format!("f{number}")) == Some(Cause::Replaced)));
}

#[test]
fn what_had_changed_and_was_replaced_is_for_somebody_to_accept() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "f", "content");
    keeper.all();
    keeper.edit("f", "an edit");
    assert_eq!(keeper.all_of_it(), said(&[("f", Verdict::Changed)]));
    let collection = keeper.collection();
    let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: keeper.now() };
    keeper.catalog.relocate_collection(&collection, &collection.terms, &decision).expect("relocated");
    keeper.edit("f", "a bad copy of that");
    let found = keeper.all_of_it();
    assert_eq!((found.clone(), keeper.cause("f")), (said(&[("f", Verdict::Changed)]), Some(Cause::Replaced)));
    keeper.set(|terms| terms.policy = Policy::Living);
    assert_eq!(keeper.all_of_it(), found, "no policy takes that");
}

#[test]
fn what_a_policy_takes_of_a_file_that_is_left_out_stays_unread() {
    let mut keeper = keeper_of_files(Policy::Frozen, 3);
    keeper.passes(DAY);
    keeper.edit("f2", "an edit");
    assert_eq!(keeper.all_of_it(), said(&[("f2", Verdict::Changed)]));
    // It is replaced, and found so again, before everything is.
    keeper.restore("f2", "an edit");
    keeper.all_of_it();
    assert_eq!(keeper.all_of_it(), said(&[("f2", Verdict::Changed)]));
    let selection = keeper.collection().terms.selection;
    keeper.set(|terms| terms.selection.exclude = vec!["f2".into()]);
    keeper.remove("f2");
    keeper.all_of_it();
    let collection = keeper.collection();
    let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: keeper.now() };
    keeper.catalog.relocate_collection(&collection, &collection.terms, &decision).expect("relocated");
    keeper.all_of_it();
    keeper.set(|terms| terms.policy = Policy::Living);
    keeper.set(|terms| terms.selection = selection);
    keeper.edit("f2", "something else");
    assert_eq!(keeper.all_of_it(), said(&[("f2", Verdict::Changed)]));
    assert_eq!(keeper.cause("f2"), Some(Cause::Replaced));
}
