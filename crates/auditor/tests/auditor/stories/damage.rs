//! Damage keeps its name and its finding, wherever the file goes and whatever is written over it.

use super::*;

#[test]
fn damage_is_not_ended_by_yet_another_content() {
    for policy in POLICIES {
        let mut keeper = keeper_of(policy);
        keeper.write_on(1, "x", "a thousand lines");
        keeper.write_on(1, "y", "two thousand lines");
        keeper.all();
        corrupt(&keeper.tree().join("x"), b"a thXusand lines");
        keeper.remove("y");
        assert_eq!(keeper.all_of_it(), said(&[("x", Verdict::Corrupt), ("y", Verdict::Missing)]));
        keeper.write("x", "7 th7usand lines");
        keeper.write("y", "");
        let found = keeper.all_of_it();
        let mut expected = said(&[("x", Verdict::Corrupt)]);
        if policy != Policy::Living {
            expected.insert("y".into(), Verdict::Changed);
        }
        assert_eq!(found, expected, "{policy:?}");
        assert_eq!(keeper.cause("x"), Some(Cause::Restored));
        // The right content ends it, under whatever time, and nothing comes after that.
        keeper.write("x", "a thousand lines");
        keeper.write("y", "two thousand lines");
        let _ = keeper.all_of_it();
        assert!(!keeper.standing().contains_key("x"), "{policy:?}");
        if policy != Policy::Living {
            assert_eq!(keeper.standing(), Said::new(), "{policy:?}");
            assert_eq!(keeper.all_of_it(), Said::new(), "{policy:?}");
        }
    }
}

#[test]
fn damage_keeps_its_name_when_its_directory_is_renamed() {
    for policy in POLICIES {
        let mut keeper = keeper_of(policy);
        for number in 1..=3 {
            keeper.write_on(1, &format!("d/f{number}"), &format!("content {number}"));
        }
        keeper.all();
        corrupt(&keeper.tree().join("d/f2"), b"cXntent 2");
        assert_eq!(keeper.all_of_it(), said(&[("d/f2", Verdict::Corrupt)]));
        keeper.rename("d", "e");
        let found = keeper.all_of_it();
        assert_eq!(found["e/f2"], Verdict::Corrupt, "{policy:?}: {found:?}");
        assert!(!found.contains_key("d/f2"), "{policy:?}: {found:?}");
        // A copy of it is no better.
        fs::copy(keeper.tree().join("e/f2"), keeper.tree().join("copy")).expect("copied");
        let found = keeper.all_of_it();
        assert_eq!((found["e/f2"], found["copy"]), (Verdict::Corrupt, Verdict::Corrupt), "{policy:?}");
        assert_eq!(keeper.cause("copy"), Some(Cause::CopyOfDamage));
        // And what it was is still known.
        keeper.write_on(1, "e/f2", "content 2");
        assert!(!keeper.all_of_it().contains_key("e/f2"), "{policy:?}");
    }
}

#[test]
fn rot_that_was_not_found_yet_is_found_under_a_new_name() {
    for policy in POLICIES {
        let mut keeper = keeper_of(policy);
        keeper.write_on(1, "d/f1", "content 1");
        keeper.write_on(1, "d/f2", "content 2");
        keeper.all();
        corrupt(&keeper.tree().join("d/f2"), b"cXntent 2");
        keeper.rename("d", "e");
        let found = keeper.night();
        assert_eq!(found["e/f2"], Verdict::Corrupt, "{policy:?}: {found:?}");
        assert_eq!(keeper.cause("e/f2"), Some(Cause::Renamed));
        assert!(keeper.finding("e/f2").seen.detail.contains("d/f2"), "{:?}", keeper.finding("e/f2"));
        keeper.write_on(1, "e/f2", "content 2");
        let mut left = keeper.all_of_it();
        left.retain(|_, verdict| *verdict != Verdict::Moved);
        assert_eq!(left, Said::new(), "{policy:?}");
    }
}

#[test]
fn damage_that_was_lost_is_damage_when_it_comes_back() {
    let mut keeper = keeper_of(Policy::Living);
    keeper.write_on(1, "x", "content");
    keeper.write_on(1, "bystander", "another content");
    keeper.all();
    corrupt(&keeper.tree().join("x"), b"cXntent");
    keeper.all_of_it();
    keeper.remove("x");
    assert_eq!(keeper.all_of_it(), said(&[("x", Verdict::Missing)]));
    keeper.write("x", "cXntent");
    assert_eq!(keeper.all_of_it(), said(&[("x", Verdict::Corrupt)]));
}

#[test]
fn an_unstable_medium_is_accepted_by_name_and_read_again() {
    assert_eq!(Acceptable::of(Verdict::UnstableMedium), Acceptable::ByName);
    let mut keeper = keeper_of(Policy::Living);
    keeper.write_on(1, "a", "content");
    keeper.all();
    let readings = std::cell::Cell::new(0_u8);
    let bend = |_: bool, record: &mut Record| {
        readings.set(readings.get() + 1);
        record.digests =
            record.digests.iter().map(|digest| digest.algorithm().digest(&[readings.get()])).collect();
    };
    keeper.passes(DAY);
    watched(&mut keeper, &Hooks { bend: &bend, ..Hooks::default() }, |_| {}, &std::sync::Arc::default());
    assert_eq!(keeper.standing(), said(&[("a", Verdict::UnstableMedium)]));
    assert_eq!(keeper.accept_all(), 0);
    assert_eq!(keeper.standing(), Said::new());
    let (audited, _) = keeper.audit(|options| options.scope = Scope::Due);
    assert_eq!(audited.files, 1);
}

/// An audit of what is due a day later, to which the file system says when files were made, if it says so.
fn a_day_later(keeper: &mut Keeper, made_s: Option<i64>) {
    keeper.passes(DAY);
    let made_s = |_: &str| made_s;
    let hooks = Hooks { made_s: &made_s, ..Hooks::default() };
    watched(keeper, &hooks, |_| {}, &std::sync::Arc::default());
}

#[test]
fn a_new_file_that_has_the_inode_of_a_deleted_one_is_no_other_one() {
    for was_made_since in [false, true] {
        let mut keeper = keeper_of(Policy::Living);
        keeper.write_on(1, "a", "content");
        keeper.write_on(1, "empty", "");
        keeper.write_on(1, "bystander", "another content");
        keeper.all();
        let listed = keeper.now();
        // The very inodes, with the size and the time of before.
        keeper.rename("a", "b");
        corrupt(&keeper.tree().join("b"), b"cXntent");
        keeper.rename("empty", "hollow");
        a_day_later(&mut keeper, was_made_since.then_some(listed + 1));
        let expected = match was_made_since {
            false => said(&[("b", Verdict::Corrupt)]),
            true => said(&[("a", Verdict::Missing), ("empty", Verdict::Missing)]),
        };
        assert_eq!(keeper.standing(), expected);
    }
}

#[test]
fn a_log_that_has_grown_is_no_other_one_whose_inode_it_has_got() {
    for was_made_since in [false, true] {
        let mut keeper = keeper_of_numbered_logs(Policy::Growing);
        keeper.write_on(1, "log.a", "one\n");
        keeper.write_on(2, "log.b", "a second\n");
        keeper.all();
        let listed = keeper.now();
        // Both were written to, and restored from tape. The other inode is not used again.
        fs::hard_link(keeper.tree().join("log.b"), keeper.directory.path().join("kept")).expect("linked");
        keeper.rename("log.a", "log.b");
        keeper.edit("log.b", "a second\nand more\n");
        keeper.edit("log.a", "one\nand more\n");
        a_day_later(&mut keeper, was_made_since.then_some(listed + 1));
        // Where nobody says when it was made, it may be the other one, rotated to its name.
        let expected = if was_made_since { Said::new() } else { said(&[("log.b", Verdict::Changed)]) };
        assert_eq!(keeper.standing(), expected);
    }
}

#[test]
fn what_is_accepted_is_what_two_readings_have_found() {
    let mut keeper = keeper_of(Policy::Living);
    keeper.write_on(1, "a", "content");
    keeper.all();
    corrupt(&keeper.tree().join("a"), b"cXntent");
    let bend = |is_again: bool, record: &mut Record| {
        if !is_again {
            record.digests =
                record.digests.iter().map(|digest| digest.algorithm().digest(b"glitch")).collect();
        }
    };
    keeper.passes(DAY);
    watched(&mut keeper, &Hooks { bend: &bend, ..Hooks::default() }, |_| {}, &std::sync::Arc::default());
    assert_eq!(keeper.standing(), said(&[("a", Verdict::Corrupt)]));
    assert_eq!(keeper.accept_all(), 0);
    assert_eq!(keeper.all_of_it(), Said::new());
}

#[test]
fn what_is_accepted_was_read_when_it_was_found_and_not_when_it_could_not_be_read() {
    let mut keeper = keeper_of_files(Policy::Growing, 3);
    corrupt(&keeper.tree().join("f2"), b"cXntent of f2");
    assert_eq!(keeper.all_of_it(), said(&[("f2", Verdict::Corrupt)]));
    let found_s = keeper.now();
    for _ in 0..5 {
        keeper.night_without("f2");
    }
    assert_eq!(keeper.standing(), said(&[("f2", Verdict::Corrupt)]));
    assert_eq!(keeper.accept_all(), 0);
    let read = keeper.catalog.last_reading(&keeper.collection(), keeper.item("f2").id);
    assert_eq!(read.expect("readable").expect("it was read").0, found_s);
}

#[test]
fn what_wavers_and_is_renamed_is_good_once_its_medium_says_so() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "a", "content");
    keeper.write_on(1, "bystander", "another content");
    keeper.all();
    let readings = std::cell::Cell::new(0_u8);
    let bend = |_: bool, record: &mut Record| {
        if name_of(record) != "bystander" {
            readings.set(readings.get() + 1);
            let other = |digest: &hashlane_digest::Digest| digest.algorithm().digest(&[readings.get()]);
            record.digests = record.digests.iter().map(other).collect();
        }
    };
    for (from, to) in [("a", "b"), ("b", "c")] {
        keeper.rename(from, to);
        keeper.passes(DAY);
        watched(&mut keeper, &Hooks { bend: &bend, ..Hooks::default() }, |_| {}, &std::sync::Arc::default());
        let stands = keeper.standing();
        assert_eq!(stands, said(&[(to, Verdict::UnstableMedium)]));
        // The same each night.
        readings.set(0);
    }
    keeper.restore("c", "content");
    assert_eq!(keeper.all_of_it(), Said::new(), "{:?}", keeper.events("c"));
}

#[test]
fn damage_in_the_place_of_another_file_is_no_edit() {
    for policy in POLICIES {
        for is_found in [true, false] {
            let mut keeper = keeper_of(policy);
            for number in 1..=3 {
                keeper.write_on(number, &format!("db.{number}"), &format!("dump number {number}"));
            }
            keeper.write_on(9, "bystander", "another content");
            keeper.all();
            corrupt(&keeper.tree().join("db.1"), b"dXmp number 1");
            if is_found {
                assert_eq!(keeper.all_of_it(), said(&[("db.1", Verdict::Corrupt)]));
            }
            // A new dump is made, and the others go one number on.
            keeper.rename("db.2", "db.3");
            keeper.rename("db.1", "db.2");
            keeper.edit("db.1", "a dump of today");
            let found = keeper.all_of_it();
            assert_eq!(found["db.2"], Verdict::Corrupt, "{policy:?}, {is_found}: {found:?}");
            assert_eq!(keeper.all_of_it()["db.2"], Verdict::Corrupt, "{policy:?}, {is_found}");
            // A copy of it over a known file is no better.
            fs::copy(keeper.tree().join("db.2"), keeper.tree().join("bystander")).expect("copied");
            assert_eq!(keeper.all_of_it()["bystander"], Verdict::Corrupt, "{policy:?}, {is_found}");
            assert_eq!(keeper.cause("bystander"), Some(Cause::CopyOfDamage));
            keeper.write_on(9, "bystander", "another content");
            assert!(!keeper.all_of_it().contains_key("bystander"), "{policy:?}, {is_found}");
        }
    }
}

#[test]
fn damage_that_was_lost_stays_damage_through_a_night_in_which_it_cannot_be_read() {
    let mut keeper = keeper_of(Policy::Living);
    keeper.write_on(1, "x", "content");
    keeper.write_on(1, "bystander", "another content");
    keeper.all();
    corrupt(&keeper.tree().join("x"), b"cXntent");
    keeper.all_of_it();
    keeper.remove("x");
    keeper.all_of_it();
    keeper.edit("x", "cXntent");
    keeper.night_without("x");
    assert_eq!(keeper.standing(), said(&[("x", Verdict::Unreadable)]));
    // A copy of it made meanwhile is a copy of damage.
    keeper.write("copy", "cXntent");
    let found = keeper.all_of_it();
    assert_eq!(found, said(&[("copy", Verdict::Corrupt), ("x", Verdict::Corrupt)]));
}

#[test]
fn what_was_copied_over_another_file_is_lost_when_it_is_removed() {
    for policy in POLICIES {
        let mut keeper = keeper_of(policy);
        for name in ["f1", "f2", "f3"] {
            keeper.write_on(1, name, &format!("content of {name}"));
        }
        keeper.all();
        corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
        keeper.all_of_it();
        fs::copy(keeper.tree().join("f1"), keeper.tree().join("f2")).expect("copied");
        let found = keeper.all_of_it();
        assert_eq!(found, said(&[("f1", Verdict::Corrupt), ("f2", Verdict::Corrupt)]), "{policy:?}");
        keeper.remove("f1");
        let found = keeper.all_of_it();
        assert_eq!(found, said(&[("f1", Verdict::Missing), ("f2", Verdict::Corrupt)]), "{policy:?}");
        keeper.write_on(1, "f2", "content of f2");
        assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Missing)]), "{policy:?}");
    }
}

#[test]
fn who_knows_of_damage_does_not_know_of_it_in_the_place_of_another_file() {
    let mut keeper = keeper_of(Policy::Growing);
    for name in ["f1", "f2", "f3"] {
        keeper.write_on(1, name, &format!("content of {name}"));
    }
    keeper.all();
    corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
    keeper.all_of_it();
    let (collection, finding) = (keeper.collection(), keeper.finding("f1"));
    let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: keeper.now() };
    keeper.catalog.acknowledge(&collection, &[finding], None, &decision).expect("noted");
    keeper.rename("f1", "f2");
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Missing), ("f2", Verdict::Corrupt)]));
    assert_eq!(keeper.finding("f2").known, None);
}

#[test]
fn damage_keeps_its_name_though_its_old_name_has_another_file_by_now() {
    for is_found in [false, true] {
        let mut keeper = keeper_of(Policy::Living);
        keeper.write_on(1, "f1", "content of f1");
        keeper.write_on(1, "f2", "content of f2");
        keeper.all();
        corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
        if is_found {
            keeper.all_of_it();
        }
        keeper.rename("f1", "f1~");
        keeper.edit("f1", "what an editor has saved");
        let found = keeper.all_of_it();
        assert_eq!(found.get("f1~"), Some(&Verdict::Corrupt), "{is_found}: {found:?}");
    }
}

#[test]
fn what_is_written_over_damage_is_no_damage_elsewhere() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "f1", "content of f1");
    keeper.write_on(1, "f2", "content of f2");
    keeper.all();
    corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
    keeper.all_of_it();
    keeper.edit("f1", "a new text");
    let found = said(&[("f1", Verdict::Corrupt)]);
    assert_eq!(keeper.all_of_it(), found);
    fs::copy(keeper.tree().join("f1"), keeper.tree().join("copy")).expect("copied");
    assert_eq!(keeper.all_of_it(), found);
}

#[test]
fn a_night_of_absence_or_of_no_reading_washes_nothing() {
    for is_absent in [true, false] {
        let mut keeper = keeper_of(Policy::Living);
        keeper.write_on(1, "f", "content");
        keeper.write_on(1, "bystander", "another content");
        keeper.all();
        keeper.restore("f", "content");
        keeper.passes(60);
        keeper.audit(|options| (options.scope, options.budget.bytes) = (Scope::Due, Some(1)));
        keeper.edit("f", "edited, or badly copied");
        let found = keeper.all_of_it();
        assert_eq!((found.len(), keeper.cause("f")), (1, Some(Cause::Replaced)), "{found:?}");
        if is_absent {
            keeper.rename("f", "../away");
            assert_eq!(keeper.all_of_it(), said(&[("f", Verdict::Missing)]));
            keeper.rename("../away", "f");
        } else {
            keeper.night_without("f");
        }
        assert_eq!((keeper.all_of_it(), keeper.cause("f")), (found, Some(Cause::Replaced)), "{is_absent}");
    }
}

#[test]
fn what_rots_before_anybody_has_accepted_it_is_good_again_when_the_medium_says_so() {
    let mut keeper = keeper_of(Policy::Frozen);
    keeper.write_on(1, "known", "content");
    keeper.all();
    keeper.write_on(1, "rogue", "another content");
    assert_eq!(keeper.all_of_it(), said(&[("rogue", Verdict::New)]));
    let path = keeper.tree().join("rogue");
    corrupt(&path, b"anXther content");
    assert_eq!(keeper.all_of_it(), said(&[("rogue", Verdict::Corrupt)]));
    corrupt(&path, b"another content");
    let audit_from = |keeper: &mut Keeper, is_cached: bool| {
        let bend = |is_again: bool, record: &mut Record| {
            let read = record.digested_bytes;
            record.origin = match is_cached {
                true => Origin { cache_bytes: read, ..Origin::default() },
                false => Origin { device_bytes: read, ..Origin::default() },
            };
            if is_cached && is_again {
                fail(record);
            }
        };
        keeper.passes(DAY);
        let hooks = Hooks { bend: &bend, ..Hooks::default() };
        watched(keeper, &hooks, |_| {}, &std::sync::Arc::default());
        keeper.standing()
    };
    assert_eq!(audit_from(&mut keeper, true), said(&[("rogue", Verdict::Corrupt)]));
    assert_eq!(audit_from(&mut keeper, false), said(&[("rogue", Verdict::New)]));
}

#[test]
fn a_copy_of_damage_that_is_read_before_the_damage_is_found_is_found_with_it() {
    for policy in POLICIES {
        // Under a new name, over another file, and a number of nights before.
        let of_f1 = [("n1", 0), ("n1", 3), ("f2", 3)].map(|(copy, nights)| (copy, nights, "content of f1"));
        let of_f2 = [("f2", 0), ("f2", 3)].map(|(copy, nights)| (copy, nights, "content of f2"));
        for (copy, nights, good) in of_f1.into_iter().chain(of_f2) {
            // Elsewhere it was a finding as soon as it was read.
            if nights > 0 && copy == "f2" && policy != Policy::Living {
                continue;
            }
            let mut keeper = keeper_of_files(policy, 3);
            corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
            keeper.edit(copy, "cXntent of f1");
            for _ in 0..nights {
                // The damaged file is not read.
                keeper.passes(DAY);
                keeper.audit(|options| options.within = vec![copy.into()]);
            }
            let found = keeper.all_of_it();
            let expected = said(&[("f1", Verdict::Corrupt), (copy, Verdict::Corrupt)]);
            assert_eq!(found, expected, "{policy:?}, {copy}, {nights}");
            assert_eq!(keeper.cause(copy), Some(Cause::CopyOfDamage), "{policy:?}, {copy}, {nights}");
            assert_eq!(keeper.finding(copy).seen.detail, "a copy of what was found at f1");
            // The good content ends it, and nothing is new tomorrow.
            keeper.write_on(if good == "content of f1" { 1 } else { 2 }, copy, good);
            let mut found = keeper.all_of_it();
            if (policy, copy) == (Policy::Frozen, "n1") {
                // It is whole, and nobody has accepted it.
                assert_eq!(found.remove(copy), Some(Verdict::Copied), "{nights}");
            }
            assert_eq!(found, said(&[("f1", Verdict::Corrupt)]), "{policy:?}, {copy}, {nights}");
            keeper.write_on(1, "f1", "content of f1");
            let mut found = keeper.all_of_it();
            found.retain(|_, verdict| *verdict != Verdict::Copied);
            assert_eq!(found, Said::new(), "{policy:?}, {copy}, {nights}");
        }
    }
}

#[test]
fn a_content_that_was_known_for_longer_is_no_damage_where_somebody_puts_it_in_another_file() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "f1", "content of f1");
    keeper.write_on(1, "f2", "content of f2");
    keeper.all();
    corrupt(&keeper.tree().join("f1"), b"content of f2");
    keeper.write("copy", "content of f2");
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt)]));
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt)]));
}

#[test]
fn what_somebody_has_accepted_is_no_damage_where_it_is_found_again() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "f1", "content of f1");
    keeper.write_on(1, "f2", "content of f2");
    keeper.all();
    corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
    keeper.edit("f2", "cXntent of f1");
    keeper.passes(DAY);
    keeper.audit(|options| options.within = vec!["f2".into()]);
    assert_eq!(keeper.standing(), said(&[("f2", Verdict::Changed)]));
    keeper.accept_all();
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt)]));
}

#[test]
fn damage_that_has_taken_the_place_of_another_file_ends_with_the_content_of_either() {
    for (policy, content) in POLICIES.into_iter().flat_map(|policy| {
        ["content of f1", "content of f2", "a bad copy of f1"].map(|content| (policy, content))
    }) {
        let mut keeper = keeper_of_files(policy, 3);
        corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
        // Numbered copies of what was saved before.
        keeper.rename("f1", "f2");
        keeper.edit("f1", "what was saved since");
        let found = keeper.all_of_it();
        assert_eq!(found.get("f2"), Some(&Verdict::Corrupt), "{policy:?}: {found:?}");
        keeper.write_on(8, "f2", content);
        let found = keeper.all_of_it();
        let expected = match content {
            "a bad copy of f1" => Some(Verdict::Corrupt),
            // What had its name before is what is known of it, and only a living collection takes another content.
            "content of f1" if policy != Policy::Living => Some(Verdict::Changed),
            _ => None,
        };
        assert_eq!(found.get("f2").copied(), expected, "{policy:?}, {content}: {found:?}");
        if content == "a bad copy of f1" {
            assert_eq!(keeper.cause("f2"), Some(Cause::Restored), "{policy:?}");
        }
    }
}

#[test]
fn numbered_copies_go_on_when_one_of_them_is_damaged() {
    let mut keeper = keeper_of(Policy::Living);
    for number in 0..6 {
        keeper.write_on(9 - number, &format!("b{number}"), &format!("content of {number}"));
    }
    keeper.all();
    corrupt(&keeper.tree().join("b1"), b"cXntent of 1");
    assert_eq!(keeper.all_of_it(), said(&[("b1", Verdict::Corrupt)]));
    for day in 2..5 {
        for number in (0..5).rev() {
            keeper.rename(&format!("b{number}"), &format!("b{}", number + 1));
        }
        keeper.edit("b0", &format!("what was saved on day {day}"));
        // The damage is where it was moved to, and nowhere else.
        assert_eq!(keeper.all_of_it(), said(&[(&format!("b{day}"), Verdict::Corrupt)]), "{day}");
    }
}

#[test]
fn what_rots_while_a_filter_leaves_it_out_keeps_its_finding_under_a_name_that_it_does_not() {
    let mut keeper = keeper_of(Policy::Living);
    keeper.write_on(1, "f1", "content 1");
    keeper.write_on(1, "f2", "content 2");
    keeper.all();
    keeper.set(|terms| terms.selection.exclude = vec!["f1".into()]);
    keeper.all_of_it();
    corrupt(&keeper.tree().join("f1"), b"cXntent 1");
    keeper.rename("f1", "n1");
    assert_eq!(keeper.all_of_it(), said(&[("n1", Verdict::Corrupt)]));
    keeper.write_on(1, "n1", "content 1");
    assert_eq!(keeper.all_of_it(), Said::new());
}

#[test]
fn what_stands_takes_its_turn_in_a_small_budget() {
    for is_told in [false, true] {
        let mut keeper = keeper_of(Policy::Growing);
        for name in ["f1", "f2", "f3", "f4"] {
            keeper.write_on(1, name, &format!("content of {name}"));
        }
        keeper.all();
        corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
        keeper.rename("f1", "f2");
        assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Missing), ("f2", Verdict::Corrupt)]));
        if is_told {
            let (collection, finding) = (keeper.collection(), keeper.finding("f2"));
            let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: keeper.now() };
            keeper.catalog.acknowledge(&collection, &[finding], None, &decision).expect("noted");
        }
        corrupt(&keeper.tree().join("f4"), b"cXntent of f4");
        let mut nights = 0;
        while !keeper.standing().contains_key("f4") {
            keeper.passes(DAY);
            keeper.audit(|options| (options.scope, options.budget.files) = (Scope::All, Some(1)));
            nights += 1;
            assert!(nights <= 3, "{is_told}: {:?}", keeper.standing());
        }
    }
}

#[test]
fn a_good_file_is_no_copy_of_one_that_it_was_copied_over() {
    let mut keeper = keeper_of_files(Policy::Growing, 2);
    keeper.write_on(5, "photo", "a new photo..");
    assert_eq!(keeper.all_of_it(), Said::new());
    corrupt(&keeper.tree().join("f1"), b"a new photo..");
    let found = said(&[("f1", Verdict::Corrupt)]);
    assert_eq!(keeper.all_of_it(), found);
    keeper.edit("another", "a new photo..");
    assert_eq!(keeper.all_of_it(), found);
}

#[test]
fn a_file_of_zeros_is_no_copy_of_one_that_was_lost_to_zeros() {
    let mut keeper = keeper_of_files(Policy::Growing, 2);
    let zeros = "\0".repeat(13);
    corrupt(&keeper.tree().join("f1"), zeros.as_bytes());
    keeper.edit("zeros", &zeros);
    let found = said(&[("f1", Verdict::Corrupt)]);
    assert_eq!(keeper.all_of_it(), found);
    keeper.edit("more zeros", &zeros);
    assert_eq!(keeper.all_of_it(), found);
}

#[test]
fn a_copy_of_damage_is_damaged_though_the_first_file_is_good_again() {
    for policy in POLICIES {
        for (copy, now) in
            [("copy", "content of f1"), ("f2", "content of f1"), ("copy", "a new text"), ("f2", "a new text")]
        {
            let mut keeper = keeper_of_files(policy, 3);
            corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
            assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt)]));
            keeper.edit(copy, "cXntent of f1");
            match now {
                "a new text" => keeper.edit("f1", now),
                _ => keeper.write_on(1, "f1", now),
            }
            keeper.passes(DAY);
            keeper.audit(|options| options.within = vec!["f1".into()]);
            let found = keeper.all_of_it();
            assert_eq!(found.get(copy), Some(&Verdict::Corrupt), "{policy:?}, {copy}, {now}: {found:?}");
            assert_eq!(found.contains_key("f1"), now == "a new text", "{policy:?}, {copy}: {found:?}");
        }
    }
}

#[test]
fn damage_is_not_over_before_it_is_found_where_it_went() {
    let mut keeper = keeper_of_files(Policy::Living, 4);
    let on = |keeper: &mut Keeper, content: &str| {
        for (from, to) in [("f2", "f3"), ("f1", "f2")] {
            keeper.rename(from, to);
        }
        keeper.edit("f1", content);
    };
    corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
    on(&mut keeper, "second text..");
    assert_eq!(keeper.all_of_it(), said(&[("f2", Verdict::Corrupt)]));
    on(&mut keeper, "third text...");
    keeper.passes(DAY);
    keeper.audit(|options| options.within = vec!["f2".into()]);
    assert_eq!(keeper.standing(), said(&[("f2", Verdict::Corrupt)]));
    // Nobody can tell any more that what is here is not a bad copy.
    assert_eq!(keeper.all_of_it(), said(&[("f2", Verdict::Corrupt), ("f3", Verdict::Corrupt)]));
}

#[test]
fn what_was_damaged_before_anybody_accepted_it_is_missing_when_it_is_gone() {
    let mut keeper = keeper_of_files(Policy::Frozen, 2);
    keeper.rename("f1", "g1");
    assert_eq!(keeper.all_of_it(), said(&[("g1", Verdict::Moved)]));
    corrupt(&keeper.tree().join("g1"), b"cXntent of f1");
    assert_eq!(keeper.all_of_it(), said(&[("g1", Verdict::Corrupt)]));
    keeper.remove("g1");
    for _ in 0..3 {
        assert_eq!(keeper.all_of_it(), said(&[("g1", Verdict::Missing)]));
    }
}

#[test]
fn what_was_found_to_have_changed_takes_its_turn_in_a_small_budget() {
    for policy in [Policy::Growing, Policy::Frozen] {
        let mut keeper = keeper_of_files(policy, 4);
        let stands = match policy {
            Policy::Growing => Verdict::Changed,
            _ => Verdict::Touched,
        };
        keeper.edit("f1", if policy == Policy::Growing { "another content" } else { "content of f1" });
        assert_eq!(keeper.all_of_it(), said(&[("f1", stands)]));
        corrupt(&keeper.tree().join("f4"), b"cXntent of f4");
        for night in 1.. {
            keeper.passes(DAY);
            keeper.audit(|options| (options.scope, options.budget.files) = (Scope::All, Some(1)));
            assert_eq!(keeper.standing().get("f1"), Some(&stands));
            if keeper.standing().contains_key("f4") {
                break;
            }
            assert!(night < 4, "{policy:?}: {:?}", keeper.standing());
        }
    }
}

#[test]
fn a_copy_that_was_lost_is_damaged_when_it_is_back() {
    let mut keeper = keeper_of_files(Policy::Growing, 3);
    corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
    keeper.edit("copy", "cXntent of f1");
    keeper.passes(DAY);
    keeper.audit(|options| options.within = vec!["copy".into()]);
    keeper.rename("copy", "../copy");
    keeper.passes(DAY);
    keeper.audit(|options| options.within = vec!["copy".into()]);
    assert_eq!(keeper.standing(), said(&[("copy", Verdict::Missing)]));
    let found = said(&[("copy", Verdict::Missing), ("f1", Verdict::Corrupt)]);
    assert_eq!(keeper.all_of_it(), found);
    keeper.edit("another", "cXntent of f1");
    assert_eq!(keeper.all_of_it().get("another"), Some(&Verdict::Corrupt));
    keeper.remove("another");
    keeper.rename("../copy", "copy");
    let found = keeper.all_of_it();
    assert_eq!((found.get("copy"), found.get("f1")), (Some(&Verdict::Corrupt), Some(&Verdict::Corrupt)));
}

#[test]
fn a_missing_file_that_has_taken_the_place_of_another_one_says_so() {
    let mut keeper = keeper_of_files(Policy::Living, 3);
    keeper.rename("f1", "f2");
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Missing)]));
    assert_eq!(keeper.finding("f1").seen.detail, "its content is at f2 now, in the place of another file");
}

#[test]
fn what_was_written_before_a_file_was_damaged_is_no_copy_of_it() {
    let mut keeper = keeper_of_files(Policy::Growing, 3);
    corrupt(&keeper.tree().join("f1"), b"one text....x");
    keeper.write_on(5, "f2", "one text....x");
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt), ("f2", Verdict::Changed)]));
}

#[test]
fn a_copy_of_damage_that_was_away_is_one_still() {
    let mut keeper = keeper_of_files(Policy::Living, 2);
    corrupt(&keeper.tree().join("f1"), b"cXntent of f1");
    keeper.write_on(1, "copy", "cXntent of f1");
    let both = said(&[("copy", Verdict::Corrupt), ("f1", Verdict::Corrupt)]);
    assert_eq!(keeper.all_of_it(), both);
    let away = keeper.directory.path().join("away");
    fs::rename(keeper.tree().join("copy"), &away).expect("renamed");
    assert_eq!(keeper.all_of_it()["copy"], Verdict::Missing);
    fs::rename(&away, keeper.tree().join("copy")).expect("renamed");
    assert_eq!(keeper.all_of_it(), both);
    assert_eq!(keeper.cause("copy"), Some(Cause::CopyOfDamage));
}

#[test]
fn who_knows_of_a_loss_does_not_know_of_the_damage_that_was_found_meanwhile() {
    let mut keeper = keeper_of_files(Policy::Living, 2);
    let away = keeper.directory.path().join("away");
    fs::rename(keeper.tree().join("f1"), &away).expect("renamed");
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Missing)]));
    let (collection, missing) = (keeper.collection(), keeper.finding("f1"));
    corrupt(&away, b"cXntent of f1");
    fs::rename(&away, keeper.tree().join("f1")).expect("renamed");
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt)]));
    let decision = Decision { actor: "keeper".into(), reason: "known".into(), at_s: keeper.now() };
    let others = keeper.catalog.acknowledge(&collection, std::slice::from_ref(&missing), None, &decision);
    assert_eq!(others.expect("asked"), [missing.item]);
    assert_eq!(keeper.finding("f1").known, None);
}

#[test]
fn what_a_killed_audit_has_found_new_is_told_by_the_one_that_goes_on() {
    for policy in [Policy::Growing, Policy::Frozen] {
        let mut keeper = keeper_of_files(policy, 2);
        keeper.write_on(7, "copy", "content of f1");
        keeper.write_on(8, "new", "content of a new one");
        keeper.passes(DAY);
        keeper.all();
        // It was killed when all was read, and before anything was reported.
        let raw = rusqlite::Connection::open(keeper.catalog.path()).expect("opened");
        hashlane_catalog::keep_checksums(&raw).expect("kept");
        raw.execute_batch(&format!(
            "UPDATE stint SET ended_s = NULL WHERE run = 2; UPDATE run SET ended_s = NULL, outcome = NULL WHERE id = 2;
             DELETE FROM event WHERE what = 'copied'; UPDATE finding SET verdict = {} WHERE item IN (SELECT id FROM item WHERE name = CAST('copy' AS BLOB))",
            raw.query_row("SELECT coalesce(max(verdict), 0) FROM finding WHERE item IN (SELECT id FROM item WHERE name = CAST('new' AS BLOB))", [], |row| row.get::<_, i64>(0)).expect("read"),
        ))
        .expect("changed");
        drop(raw);
        let (audited, told) = keeper.all();
        assert!(audited.goes_on, "{audited:?}");
        assert_eq!(told, said(&[("copy", Verdict::Copied), ("new", Verdict::New)]), "{policy:?}");
        assert_eq!(
            (audited.counts.of(Verdict::Copied), audited.counts.of(Verdict::New)),
            (1, 1),
            "{policy:?}"
        );
        let standing = if policy == Policy::Frozen { told } else { Said::new() };
        assert_eq!(keeper.standing(), standing, "{policy:?}");
    }
}
