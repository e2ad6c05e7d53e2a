//! Files that change their names: what is known of them goes with them, also where only a part is read, and back again.

use super::*;

#[test]
fn rot_of_a_renamed_file_is_found_though_only_what_has_its_old_name_is_read() {
    for policy in POLICIES {
        // To a name that is new, and to one that is known.
        for to in ["f5", "f4"] {
            let mut keeper = keeper_of_files(policy, 4);
            corrupt(&keeper.tree().join("f3"), b"cXntent of f3");
            keeper.rename("f3", to);
            keeper.edit("f3", "something else");
            keeper.passes(DAY);
            keeper.audit(|options| options.within = vec![b"f3".to_vec()]);
            let found = keeper.all_of_it();
            assert_eq!(found.get(to), Some(&Verdict::Corrupt), "{policy:?} {to}: {found:?}");
        }
    }
}

#[test]
fn rot_is_found_in_files_that_change_places_however_little_is_read_a_night() {
    for files in [1, 2, 3] {
        let mut keeper = keeper_of_files(Policy::Living, 5);
        corrupt(&keeper.tree().join("f2"), b"cXntent of f2");
        // f1 -> f2 -> f3 -> f1, and f4 becomes f5.
        for (from, to) in [("f3", "x"), ("f2", "f3"), ("f1", "f2"), ("x", "f1"), ("f4", "f5")] {
            keeper.rename(from, to);
        }
        keeper.edit("f4", "something else");
        for _ in 0..8 {
            keeper.passes(DAY);
            keeper.audit(|options| options.budget.files = Some(files));
        }
        assert_eq!(keeper.standing(), said(&[("f3", Verdict::Corrupt)]), "{files} files a night");
    }
}

#[test]
fn a_frozen_file_that_was_renamed_is_missed_and_goes_on_to_other_names() {
    let mut keeper = keeper_of_files(Policy::Frozen, 3);
    keeper.rename("f3", "g3");
    assert_eq!(keeper.all_of_it(), said(&[("g3", Verdict::Moved)]));
    keeper.rename("g3", "h3");
    assert_eq!(keeper.all_of_it(), said(&[("h3", Verdict::Moved)]));
    // Its content was accepted under another name.
    let taken = fs::read(keeper.tree().join("h3")).expect("there");
    keeper.remove("h3");
    assert_eq!(keeper.all_of_it(), said(&[("h3", Verdict::Missing)]));
    assert_eq!(keeper.night(), said(&[("h3", Verdict::Missing)]));
    keeper.write("h3", taken);
    set_modified(&keeper.tree().join("h3"), long_ago(3));
    assert_eq!(keeper.all_of_it(), said(&[("h3", Verdict::Moved)]));
    keeper.remove("h3");
    assert_eq!(keeper.all_of_it(), said(&[("h3", Verdict::Missing)]));
}

#[test]
fn a_frozen_file_that_is_back_under_its_name_is_what_was_accepted() {
    for by_way_of in [&["g3"][..], &["g3", "h3"], &["g3", "h3", "g3"]] {
        let mut keeper = keeper_of_files(Policy::Frozen, 3);
        let mut before = "f3";
        for name in by_way_of {
            keeper.rename(before, name);
            assert_eq!(keeper.all_of_it(), said(&[(name, Verdict::Moved)]));
            before = name;
        }
        keeper.rename(before, "f3");
        assert_eq!(keeper.all_of_it(), Said::new(), "{by_way_of:?}");
        assert_eq!(keeper.state("f3"), Some(State::Present));
        corrupt(&keeper.tree().join("f3"), b"cXntent of f3");
        assert_eq!(keeper.all_of_it(), said(&[("f3", Verdict::Corrupt)]));
        keeper.remove("f3");
        assert_eq!(keeper.all_of_it(), said(&[("f3", Verdict::Missing)]));
    }
}

#[test]
fn who_accepts_a_new_name_accepts_the_old_one_no_longer() {
    let mut keeper = keeper_of_files(Policy::Frozen, 3);
    keeper.rename("f3", "g3");
    keeper.all_of_it();
    assert_eq!(keeper.accept_all(), 0);
    keeper.rename("g3", "f3");
    assert_eq!(keeper.all_of_it(), said(&[("f3", Verdict::Moved)]));
}

#[test]
fn a_filter_that_is_taken_back_takes_back_what_was_renamed_meanwhile() {
    for policy in POLICIES {
        let mut keeper = keeper_of_files(policy, 4);
        let selection = keeper.collection().terms.selection;
        keeper.set(|terms| terms.selection.exclude = vec!["f3".into()]);
        keeper.rename("f3", "g3");
        keeper.all_of_it();
        keeper.rename("g3", "f3");
        keeper.all_of_it();
        keeper.set(|terms| terms.selection = selection);
        assert_eq!(keeper.all_of_it(), Said::new(), "{policy:?}");
        assert_eq!(keeper.night(), Said::new(), "{policy:?}");
    }
}

#[test]
fn who_accepts_that_a_renamed_file_was_misread_keeps_what_is_known_of_it() {
    let mut keeper = keeper_of_files(Policy::Growing, 3);
    keeper.rename("f3", "g3");
    let glitch = |is_again: bool, record: &mut Record| {
        if !is_again && name_of(record) == "g3" {
            record.digests =
                record.digests.iter().map(|digest| digest.algorithm().digest(b"glitch")).collect();
        }
    };
    keeper.passes(DAY);
    watched(&mut keeper, &Hooks { bend: &glitch, ..Hooks::default() }, |_| {}, &std::sync::Arc::default());
    assert_eq!(keeper.standing(), said(&[("g3", Verdict::Misread)]));
    assert_eq!(keeper.accept_all(), 0);
    assert_eq!(keeper.all_of_it(), Said::new());
}

#[test]
fn an_empty_file_that_is_renamed_with_its_directory_is_the_one_of_its_name() {
    let mut keeper = keeper_of_files(Policy::Frozen, 2);
    // Two names of one file.
    keeper.write_on(1, "d/a", "");
    fs::hard_link(keeper.tree().join("d/a"), keeper.tree().join("d/b")).expect("linked");
    keeper.all_of_it();
    assert_eq!(keeper.accept_all(), 0);
    keeper.remove("d/a");
    keeper.rename("d", "e");
    assert_eq!(keeper.all_of_it(), said(&[("d/a", Verdict::Missing), ("e/b", Verdict::Moved)]));
}

#[test]
fn rot_of_a_file_that_a_filter_leaves_out_is_found_under_another_name_though_a_copy_is_known() {
    let mut keeper = keeper_of_files(Policy::Growing, 3);
    keeper.set(|terms| terms.selection.exclude = vec!["f3".into()]);
    keeper.all_of_it();
    corrupt(&keeper.tree().join("f3"), b"cXntent of f3");
    fs::copy(keeper.tree().join("f3"), keeper.tree().join("copy")).expect("copied");
    assert_eq!(keeper.all_of_it(), Said::new());
    keeper.rename("f3", "g3");
    assert_eq!(keeper.all_of_it().get("g3"), Some(&Verdict::Corrupt));
}
