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
        let mut keeper = keeper_of_files(Policy::Living, 6);
        corrupt(&keeper.tree().join("f2"), b"cXntent of f2");
        corrupt(&keeper.tree().join("f5"), b"cXntent of f5");
        // Each goes on to the next name, and the last one to a new one.
        for (from, to) in [("f3", "x"), ("f2", "f3"), ("f1", "f2")] {
            keeper.rename(from, to);
        }
        keeper.edit("f1", "something else");
        if files > 1 {
            // These have changed places.
            for (from, to) in [("f4", "y"), ("f5", "f4"), ("y", "f5")] {
                keeper.rename(from, to);
            }
        }
        for _ in 0..10 {
            keeper.passes(DAY);
            keeper.audit(|options| options.budget.files = Some(files));
        }
        let other = if files > 1 { "f4" } else { "f5" };
        let expected = said(&[("f3", Verdict::Corrupt), (other, Verdict::Corrupt)]);
        assert_eq!(keeper.standing(), expected, "{files} files a night");
    }
}

#[test]
fn rot_of_a_renamed_file_is_found_though_only_what_stands_is_read() {
    let mut keeper = keeper_of_files(Policy::Living, 4);
    keeper.night_without("f3");
    assert_eq!(keeper.standing(), said(&[("f3", Verdict::Unreadable)]));
    corrupt(&keeper.tree().join("f3"), b"cXntent of f3");
    keeper.rename("f3", "f4");
    keeper.edit("f3", "something else");
    keeper.passes(DAY);
    keeper.audit(|options| options.only = vec![Verdict::Unreadable]);
    assert_eq!(keeper.all_of_it(), said(&[("f4", Verdict::Corrupt)]));
}

#[test]
fn numbered_logs_go_on_by_one_each() {
    for policy in [Policy::Living, Policy::Growing] {
        let mut keeper = keeper_of_numbered_logs(policy);
        for (age, name) in ["log", "log.1", "log.2", "log.3"].iter().enumerate() {
            keeper.write_on(9 - age as u64, name, &format!("what {name} says\n"));
        }
        keeper.all();
        for night in 1..4_u64 {
            // It grows before it is rotated, and the last one is kept elsewhere.
            fs::OpenOptions::new()
                .append(true)
                .open(keeper.tree().join("log"))
                .and_then(|mut log| log.write_all(b"more\n"))
                .expect("written");
            for (from, to) in [("log.3", format!("kept.{night}")), ("log.2", "log.3".into())] {
                keeper.rename(from, &to);
            }
            keeper.rename("log.1", "log.2");
            keeper.rename("log", "log.1");
            keeper.edit("log", &format!("the log of night {night}\n"));
            assert_eq!(keeper.all_of_it(), Said::new(), "{policy:?}, night {night}");
        }
        // What is dropped at the end of them is lost, and that is said.
        keeper.rename("log.2", "log.3");
        keeper.rename("log.1", "log.2");
        keeper.rename("log", "log.1");
        assert_eq!(keeper.all_of_it(), said(&[("log.3", Verdict::Changed)]), "{policy:?}");
    }
}

#[test]
fn logs_that_have_changed_places_were_not_rotated() {
    for (other, expected) in [("log.1", &["log", "log.1"][..]), ("notes", &["log"])] {
        let mut keeper = keeper_of_numbered_logs(Policy::Living);
        keeper.write_on(1, "log", "what the log says\n");
        keeper.write_on(2, other, "what the other one says\n");
        keeper.all();
        for (from, to) in [("log", "x"), (other, "log"), ("x", other)] {
            keeper.rename(from, to);
        }
        let expected: Vec<_> = expected.iter().map(|name| (*name, Verdict::Changed)).collect();
        assert_eq!(keeper.all_of_it(), said(&expected));
    }
}

/// ext4 gives the inode of the log that was dropped to the new one.
#[test]
fn a_log_of_two_names_goes_on_by_one() {
    for policy in [Policy::Living, Policy::Growing] {
        let mut keeper = keeper_of_numbered_logs(policy);
        keeper.write_on(1, "log.1", "what the old one says\n");
        keeper.write_on(2, "log", "what the log says\n");
        keeper.all();
        keeper.rename("log", "log.1");
        keeper.edit("log", "what the new one says\n");
        assert_eq!(keeper.all_of_it(), said(&[("log.1", Verdict::Changed)]), "{policy:?}");
    }
}

#[test]
fn damage_that_comes_home_ends_with_the_content_that_it_had_there() {
    for policy in POLICIES {
        let mut keeper = keeper_of_files(policy, 3);
        corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
        for _ in 0..2 {
            for (from, to) in [("f1", "x"), ("f2", "f1"), ("x", "f2")] {
                keeper.rename(from, to);
            }
            let _ = keeper.all_of_it();
        }
        assert_eq!(keeper.standing().get("f1"), Some(&Verdict::Corrupt), "{policy:?}");
        keeper.write_on(1, "f1", "content of f1");
        assert_eq!(keeper.all_of_it(), Said::new(), "{policy:?}");
    }
}

#[test]
fn what_was_written_over_damage_is_damaged_under_another_name() {
    for policy in POLICIES {
        // To a name that is new, and to one that is known.
        for to in ["g1", "f2"] {
            let mut keeper = keeper_of_files(policy, 3);
            corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
            assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt)]));
            let mut file = fs::OpenOptions::new().append(true).open(keeper.tree().join("f1")).expect("there");
            file.write_all(b" and more").expect("written");
            assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt)]));
            keeper.rename("f1", to);
            let found = keeper.all_of_it();
            assert_eq!(found.get(to), Some(&Verdict::Corrupt), "{policy:?} {to}: {found:?}");
        }
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
        // It may go that way again.
        keeper.rename("f3", "g3");
        assert_eq!(keeper.all_of_it(), said(&[("g3", Verdict::Moved)]));
        keeper.rename("g3", "f3");
        assert_eq!(keeper.all_of_it(), Said::new(), "{by_way_of:?}");
        assert_eq!(keeper.state("f3"), Some(State::Present));
        corrupt(&keeper.tree().join("f3"), b"cXntent of f3");
        assert_eq!(keeper.all_of_it(), said(&[("f3", Verdict::Corrupt)]));
        keeper.remove("f3");
        assert_eq!(keeper.all_of_it(), said(&[("f3", Verdict::Missing)]));
    }
}

#[test]
fn a_frozen_file_that_is_copied_back_is_what_was_accepted() {
    let mut keeper = keeper_of_files(Policy::Frozen, 3);
    for _ in 0..2 {
        keeper.rename("f3", "g3");
        assert_eq!(keeper.all_of_it(), said(&[("g3", Verdict::Moved)]));
        fs::copy(keeper.tree().join("g3"), keeper.tree().join("f3")).expect("copied");
        set_modified(&keeper.tree().join("f3"), long_ago(3));
        assert_eq!(keeper.all_of_it(), said(&[("g3", Verdict::Copied)]));
        assert_eq!(keeper.state("g3"), Some(State::Unaccepted));
        keeper.remove("g3");
        assert_eq!(keeper.all_of_it(), Said::new());
    }
}

#[test]
fn a_name_that_was_accepted_on_the_way_back_is_missed() {
    let mut keeper = keeper_of_files(Policy::Frozen, 3);
    keeper.rename("f3", "g3");
    keeper.all_of_it();
    assert_eq!(keeper.accept_all(), 0);
    keeper.rename("g3", "h3");
    keeper.all_of_it();
    keeper.rename("h3", "f3");
    assert_eq!(keeper.all_of_it(), said(&[("f3", Verdict::Moved)]));
}

#[test]
fn another_name_of_a_file_that_a_filter_left_out_for_a_time_is_missed() {
    let mut keeper = keeper_of_files(Policy::Growing, 3);
    fs::hard_link(keeper.tree().join("f3"), keeper.tree().join("g3")).expect("linked");
    keeper.all_of_it();
    let selection = keeper.collection().terms.selection;
    keeper.set(|terms| terms.selection.exclude = vec!["f3".into()]);
    keeper.all_of_it();
    keeper.remove("g3");
    keeper.set(|terms| terms.selection = selection);
    assert_eq!(keeper.all_of_it(), said(&[("g3", Verdict::Missing)]));
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

#[test]
fn a_log_that_was_rotated_and_cannot_be_read_is_missed_by_nobody() {
    let mut keeper = keeper_of_numbered_logs(Policy::Living);
    keeper.write_on(2, "log", "what the log says\n");
    keeper.write_on(1, "log.1", "what it said before\n");
    keeper.all();
    keeper.rename("log.1", "log.2");
    keeper.rename("log", "log.1");
    keeper.edit("log", "new\n");
    keeper.night_without("log");
    assert_eq!(keeper.standing(), said(&[("log", Verdict::Unreadable)]));
    keeper.remove("log");
    assert_eq!(keeper.all_of_it(), Said::new());
}

#[test]
fn a_file_is_judged_by_the_last_of_its_former_names() {
    let mut keeper = keeper_of_files(Policy::Growing, 3);
    keeper.write_on(4, "d/f", "content of f");
    keeper.all_of_it();
    keeper.set(|terms| terms.selection.exclude = vec!["d/**".into()]);
    keeper.rename("d", "e");
    keeper.all_of_it();
    corrupt(&keeper.tree().join("e/f"), b"cXntent of f");
    assert_eq!(keeper.all_of_it(), said(&[("e/f", Verdict::Corrupt)]));
    assert_eq!(keeper.accept_all(), 0);
    keeper.set(|terms| terms.selection.exclude = vec!["d/**".into(), "e/**".into()]);
    keeper.all_of_it();
    keeper.rename("e/f", "g");
    assert_eq!(keeper.all_of_it(), Said::new());
    assert_eq!(keeper.item("g").content.digests, keeper.item("e/f").content.digests);
}

#[test]
fn damage_that_came_here_ends_with_the_known_content_of_either_file_though_something_else_was_written_over_it()
 {
    for content in ["content of f1", "content of f2"] {
        let mut keeper = keeper_of_files(Policy::Living, 3);
        corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
        keeper.rename("f1", "f2");
        assert_eq!(keeper.all_of_it().get("f2"), Some(&Verdict::Corrupt));
        keeper.edit("f2", "something else");
        assert_eq!(keeper.all_of_it().get("f2"), Some(&Verdict::Corrupt));
        keeper.edit("f2", content);
        assert_eq!(keeper.all_of_it().get("f2"), None, "{content}");
    }
}

#[test]
fn a_copy_of_damage_does_not_make_it_a_content_of_its_own_where_files_change_places() {
    for policy in POLICIES {
        for is_read_first in [false, true] {
            let mut keeper = keeper_of_files(policy, 3);
            corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
            // `cp -a`.
            keeper.write_on(1, "copy", "cXntent of f1");
            if is_read_first {
                keeper.passes(DAY);
                keeper.audit(|options| options.within = vec![b"copy".to_vec()]);
            }
            for (from, to) in [("f1", "x"), ("f2", "f1"), ("x", "f2")] {
                keeper.rename(from, to);
            }
            let mut found = keeper.all_of_it();
            // The other one of them is whole.
            assert_eq!(found.remove("f1"), (policy != Policy::Living).then_some(Verdict::Changed));
            let expected = said(&[("copy", Verdict::Corrupt), ("f2", Verdict::Corrupt)]);
            assert_eq!(found, expected, "{policy:?}, {is_read_first}");
        }
    }
}

#[test]
fn a_copy_of_damage_is_one_though_the_first_file_counts_as_unread() {
    let mut keeper = keeper_of_files(Policy::Living, 3);
    keeper.set(|terms| terms.selection.exclude = vec!["f1".into()]);
    keeper.all_of_it();
    corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
    keeper.write_on(1, "copy", "cXntent of f1");
    assert_eq!(keeper.all_of_it(), Said::new());
    keeper.set(|terms| terms.selection.exclude.clear());
    let expected = said(&[("copy", Verdict::Corrupt), ("f1", Verdict::Corrupt)]);
    assert_eq!(keeper.all_of_it(), expected);
}

#[test]
fn what_nobody_has_accepted_is_judged_by_what_it_was_under_its_former_name() {
    let mut keeper = keeper_of_files(Policy::Frozen, 2);
    keeper.write_on(8, "new", "content of the new one");
    assert_eq!(keeper.all_of_it(), said(&[("new", Verdict::New)]));
    corrupt(&keeper.tree().join("new"), b"cXntent of the new one");
    keeper.rename("new", "n");
    assert_eq!(keeper.all_of_it(), said(&[("n", Verdict::Corrupt)]));
    keeper.write_on(8, "n", "content of the new one");
    assert_eq!(keeper.all_of_it(), said(&[("n", Verdict::New)]));
    // It is new under any other name, too.
    keeper.rename("n", "m");
    assert_eq!(keeper.all_of_it(), said(&[("m", Verdict::New)]));
}

#[test]
fn a_copy_that_was_damaged_is_a_copy_when_it_is_whole_again() {
    let mut keeper = keeper_of_files(Policy::Frozen, 2);
    keeper.write_on(1, "copy", "content of f1");
    assert_eq!(keeper.all_of_it(), said(&[("copy", Verdict::Copied)]));
    corrupt(&keeper.tree().join("copy"), b"cXntent of f1");
    assert_eq!(keeper.all_of_it(), said(&[("copy", Verdict::Corrupt)]));
    keeper.write_on(1, "copy", "content of f1");
    assert_eq!(keeper.all_of_it(), said(&[("copy", Verdict::Copied)]));
}

#[test]
fn what_is_renamed_out_of_a_filter_has_left_its_name() {
    for policy in POLICIES {
        for rots in [false, true] {
            let mut keeper = keeper_of_files(policy, 3);
            keeper.set(|terms| terms.selection.exclude = vec!["f1".into()]);
            keeper.all_of_it();
            if rots {
                corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
            }
            keeper.rename("f1", "n1");
            let expected = match (rots, policy) {
                (true, _) => said(&[("n1", Verdict::Corrupt)]),
                (false, Policy::Frozen) => said(&[("n1", Verdict::Moved)]),
                (false, _) => Said::new(),
            };
            assert_eq!(keeper.all_of_it(), expected, "{policy:?}, {rots}");
            keeper.set(|terms| terms.selection.exclude.clear());
            assert_eq!(keeper.all_of_it(), expected, "{policy:?}, {rots}");
        }
    }
    // Another name of one that is still there is a copy.
    let mut keeper = keeper_of_files(Policy::Living, 3);
    keeper.set(|terms| terms.selection.exclude = vec!["f1".into()]);
    keeper.all_of_it();
    fs::hard_link(keeper.tree().join("f1"), keeper.tree().join("n1")).expect("linked");
    assert_eq!(keeper.all_of_it(), Said::new());
    keeper.set(|terms| terms.selection.exclude.clear());
    assert_eq!(keeper.all_of_it(), Said::new());
    keeper.remove("f1");
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Missing)]));
}

#[test]
fn what_was_only_touched_rots_like_any_other() {
    let mut keeper = keeper_of_files(Policy::Frozen, 2);
    set_modified(&keeper.tree().join("f1"), long_ago(7));
    for _ in 0..2 {
        assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Touched)]));
    }
    corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt)]));
}

#[test]
fn a_policy_accepts_no_change_that_has_changed_again_under_its_time() {
    for is_written in [false, true] {
        let mut keeper = keeper_of_files(Policy::Growing, 2);
        keeper.edit("f1", "edited by somebody");
        assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Changed)]));
        match is_written {
            true => keeper.edit("f1", "edited by a friend"),
            false => corrupt(&keeper.tree().join("f1"), b"edXted by somebody"),
        }
        assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Changed)]));
        keeper.set(|terms| terms.policy = Policy::Living);
        let expected = if is_written { Said::new() } else { said(&[("f1", Verdict::Changed)]) };
        assert_eq!(keeper.standing(), expected, "{is_written}");
    }
}

#[test]
fn many_files_of_one_content_are_moved_one_by_one() {
    let mut keeper = keeper_of(Policy::Frozen);
    for number in 0..40 {
        keeper.write_on(1, &format!("a/f{number}"), "the same");
        keeper.write_on(1, &format!("a/d{number}/__init__.py"), "");
    }
    keeper.all();
    keeper.rename("a", "b");
    let found = keeper.all_of_it();
    assert_eq!(found.len(), 80, "{found:?}");
    assert!(found.iter().all(|(name, verdict)| name.starts_with("b/") && *verdict == Verdict::Moved));
}

#[test]
fn what_nobody_has_accepted_is_what_it_was_when_it_is_whole_again_under_yet_another_name() {
    for (is_new, before) in [(true, Verdict::New), (false, Verdict::Moved)] {
        let mut keeper = keeper_of_files(Policy::Frozen, 2);
        match is_new {
            true => keeper.write_on(1, "m1", "content of f1"),
            false => keeper.rename("f1", "m1"),
        }
        if is_new {
            corrupt(&keeper.tree().join("m1"), b"cAntent of f1");
        }
        assert_eq!(keeper.all_of_it(), said(&[("m1", before)]));
        let content: &[u8] = if is_new { b"cAntent of f1" } else { b"content of f1" };
        let mut damaged = content.to_vec();
        damaged[5] = b'X';
        corrupt(&keeper.tree().join("m1"), &damaged);
        assert_eq!(keeper.all_of_it(), said(&[("m1", Verdict::Corrupt)]));
        keeper.rename("m1", "m2");
        assert_eq!(keeper.all_of_it(), said(&[("m2", Verdict::Corrupt)]));
        // Under a time of its own.
        keeper.write_on(20, "m2", std::str::from_utf8(content).expect("text"));
        assert_eq!(keeper.all_of_it(), said(&[("m2", before)]), "{is_new}");
        // What is accepted then is what is there.
        let found = keeper.finding("m2");
        assert_eq!(found.seen.content.digests, keeper.item("m2").content.digests, "{is_new}");
    }
}
