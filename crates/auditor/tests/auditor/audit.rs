//! Audits of real trees: what becomes of them is said, once and truly.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use hashlane_auditor::{AuditOptions, Ground, Outcome, Scope, audit};
use hashlane_catalog::{Content, Decision, Error, Import, Policy, State, Terms, Verdict, Writer};
use hashlane_digest::Algorithm;
use hashlane_engine::{Control, Options};
use hashlane_record::Timestamp;

use crate::keeper::{DAY, Keeper, Said, corrupt, now_s, said, set_modified, touch};

#[test]
fn an_unchanged_tree_is_registered_and_then_intact() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..50 {
        keeper.write(&format!("d{}/f{number}", number % 7), format!("content {number}"));
    }
    keeper.write("empty", "");
    let (audited, first) = keeper.all();
    assert_eq!((audited.outcome.clone(), first), (Outcome::Complete, Said::new()));
    assert_eq!((audited.counts.of(Verdict::Registered), audited.is_first, keeper.files()), (51, true, 51));
    keeper.passes(DAY);
    let (audited, again) = keeper.all();
    assert_eq!((audited.counts.of(Verdict::Ok), again), (51, Said::new()));
    let spans = keeper.catalog.good_spans(keeper.collection().id).expect("readable");
    let stints: Vec<_> = spans.iter().map(|span| span.stint).collect();
    assert!(stints.iter().all(|stint| *stint == stints[0]), "all of them were read in one run: {spans:?}");
}

#[test]
fn thirty_changes_at_once_are_told_apart() {
    let mut keeper = Keeper::new(|terms| terms.selection.append_only = vec!["*.log".into()]);
    for number in 0..40 {
        keeper.write(&format!("same/{number}"), format!("the same {number}"));
    }
    for name in ["changed", "touched", "missing", "corrupt", "shorter", "d/moved", "copied", "back"] {
        keeper.write(name, format!("content of {name}, long enough"));
    }
    keeper.write("a.log", "line 1\n");
    keeper.write("b.log", "line 1\n");
    keeper.all();
    keeper.passes(DAY);

    let tree = keeper.tree();
    keeper.write("new", "nobody knew");
    keeper.write("changed", "another content");
    touch(&tree.join("touched"));
    fs::remove_file(tree.join("missing")).expect("removed");
    corrupt(&tree.join("corrupt"), b"c0ntent of corrupt, long enough");
    corrupt(&tree.join("shorter"), b"content of");
    fs::create_dir(tree.join("e")).expect("made");
    fs::rename(tree.join("d/moved"), tree.join("e/renamed")).expect("renamed");
    fs::write(tree.join("a.log"), "line 1\nline 2\n").expect("grown");
    fs::write(tree.join("b.log"), "LINE 1\nline 2\n").expect("not grown");
    let (audited, found) = keeper.all();
    assert_eq!(audited.outcome, Outcome::Complete);
    let expected = said(&[
        ("new", Verdict::New),
        ("changed", Verdict::Changed),
        ("touched", Verdict::Touched),
        ("missing", Verdict::Missing),
        ("corrupt", Verdict::Corrupt),
        ("shorter", Verdict::Corrupt),
        ("e/renamed", Verdict::Moved),
        ("a.log", Verdict::Grown),
        ("b.log", Verdict::Changed),
    ]);
    assert_eq!(found, expected);
    let standing = said(&[
        ("missing", Verdict::Missing),
        ("corrupt", Verdict::Corrupt),
        ("shorter", Verdict::Corrupt),
        ("b.log", Verdict::Changed),
    ]);
    assert_eq!(keeper.standing(), standing);
    assert_eq!(keeper.state("d/moved"), Some(State::Retired));
    keeper.passes(DAY);
    let (audited, _) = keeper.all();
    assert_eq!(keeper.standing(), standing, "a finding stands until something is done");
    assert_eq!(audited.counts.of(Verdict::New) + audited.counts.of(Verdict::Moved), 0);
}

#[test]
fn a_corruption_is_read_twice_and_old_digests_stay() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "as it was");
    keeper.all();
    let before = keeper.item("f");
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("f"), b"as it WAS");
    keeper.all();
    let (after, finding) = (keeper.item("f"), keeper.finding("f"));
    assert_eq!(after.content.digests, before.content.digests, "what is known is not overwritten");
    assert_eq!(finding.verdict, Verdict::Corrupt);
    assert_eq!(finding.seen.again, finding.seen.content.digests);
    assert_ne!(finding.seen.content.digests, before.content.digests);
    let collection = keeper.collection();
    let first_good = keeper.catalog.last_reading(&collection, after.id).expect("readable").expect("once").0;
    assert_eq!(first_good, keeper.now_s.load(Ordering::Relaxed) - DAY, "when it was good stays known");
    // And it is good again as soon as the device says so.
    corrupt(&keeper.tree().join("f"), b"as it was");
    keeper.passes(DAY);
    let (audited, _) = keeper.all();
    assert_eq!(audited.counts.of(Verdict::Ok), 1);
    assert_eq!(keeper.events("f"), ["corrupt", "recovered"]);
}

#[test]
fn one_audits_and_the_other_is_told_who() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "content");
    let other = Writer::open(&keeper.directory.path().join("catalog")).expect("opened twice");
    let lock = other.lock(&keeper.collection(), 77).expect("nobody has it");
    let refused = keeper.try_audit(|_| {}, &Arc::new(Control::new())).expect_err("somebody audits it");
    let text = refused.to_string();
    assert!(text.starts_with(&format!("tree: is in use by process {} on ", std::process::id())), "{text}");
    assert!(matches!(refused, Error::Busy { holder: Some(holder), .. } if holder.since_s == 77));
    // Who has just locked it has not written yet who it is.
    let lock_file = keeper.directory.path().join("catalog.audit-1");
    fs::write(&lock_file, "").expect("emptied");
    let refused = keeper.try_audit(|_| {}, &Arc::new(Control::new())).expect_err("somebody audits it");
    assert_eq!(refused.to_string(), "tree: is in use by another process");
    drop(lock);
    keeper.all();
}

#[test]
fn what_a_filter_leaves_out_is_not_missing() {
    let mut keeper = Keeper::new(|_| {});
    for name in ["a.txt", "b.tmp", "d/c.tmp"] {
        keeper.write(name, name);
    }
    keeper.all();
    keeper.set(|terms| terms.selection.exclude = vec!["*.tmp".into()]);
    keeper.passes(DAY);
    let (audited, found) = keeper.all();
    assert_eq!((audited.counts.of(Verdict::Ignored), found), (2, Said::new()));
    keeper.passes(DAY);
    keeper.all();
    assert_eq!(keeper.events("b.tmp"), ["ignored"], "said once");
}

#[test]
fn digests_from_elsewhere_are_not_replaced_because_a_time_differs() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "damaged on its way");
    let collection = keeper.collection();
    let listed = Content {
        size: Some(18),
        modified: Some(Timestamp { seconds: 1_000_000, nanos: 0 }),
        digests: vec![collection.terms.algorithms[0].digest(b"as it was listed..")],
        ..Content::default()
    };
    let mut import = Import::new(keeper.directory.path()).expect("a place");
    assert!(import.add(b"f", &listed).expect("taken"));
    let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: 0 };
    let imported =
        import.register(&mut keeper.catalog, &collection, &decision, &mut |_| {}).expect("registered");
    assert_eq!(imported.registered, 1);
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("f", Verdict::Changed)]));
    let known = keeper.item("f");
    assert_eq!(known.content.digests, listed.digests);
}

#[test]
fn a_file_that_only_a_list_without_sizes_names_is_missing_and_no_file_is_a_copy_of_it() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "content");
    keeper.all();
    let collection = keeper.collection();
    let digests = vec![collection.terms.algorithms[0].digest(b"in the list")];
    let mut import = Import::new(keeper.directory.path()).expect("a place");
    assert!(import.add(b"gone", &Content { digests, ..Content::default() }).expect("taken"));
    let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: 0 };
    import.register(&mut keeper.catalog, &collection, &decision, &mut |_| {}).expect("registered");
    keeper.write("new", "in no list");
    keeper.passes(DAY);
    let (_, told) = keeper.all();
    assert_eq!(told, said(&[("gone", Verdict::Missing), ("new", Verdict::New)]));
}

#[test]
fn known_digests_that_are_listed_with_another_size_contradict_what_is_known() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "content");
    keeper.all();
    let digests = keeper.item("f").content.digests;
    let listed = |size| Content { size, digests: digests.clone(), ..Content::default() };
    for (size, known) in [(Some(7), true), (None, true), (Some(8), false)] {
        let mut import = Import::new(keeper.directory.path()).expect("a place");
        assert!(import.add(b"f", &listed(size)).expect("taken"));
        let (collection, mut contradicting) = (keeper.collection(), Vec::new());
        let decision = Decision { actor: "keeper".into(), reason: String::new(), at_s: 0 };
        let imported = import
            .register(&mut keeper.catalog, &collection, &decision, &mut |path| {
                contradicting.push(path.to_vec())
            })
            .expect("compared");
        assert_eq!(
            (imported.known, imported.contradicting),
            (u64::from(known), u64::from(!known)),
            "{size:?}"
        );
        assert_eq!(contradicting.is_empty(), known);
    }
    // So does one list that has a path with two sizes.
    let mut import = Import::new(keeper.directory.path()).expect("a place");
    let taken = [Some(7), Some(7), None, Some(8)].map(|size| import.add(b"f", &listed(size)).expect("taken"));
    assert_eq!(taken, [true, true, true, false]);
}

#[test]
fn what_was_written_just_before_it_was_recorded_is_read_again_by_the_next_audit() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(30 * DAY));
    keeper.write("f", "content");
    keeper.now_s.store(now_s(), Ordering::Relaxed);
    keeper.all();
    assert_eq!(keeper.state("f"), Some(State::Unsettled));
    keeper.passes(3600);
    assert_eq!(keeper.audit(|_| {}).0.planned_files, 1, "though little of it is due");
    assert_eq!(keeper.state("f"), Some(State::Present));
    assert_eq!(keeper.audit(|_| {}).0.planned_files, 0);
}

#[test]
fn an_audit_of_a_part_calls_nothing_missing_that_may_have_moved_elsewhere() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("x/a", "content");
    keeper.write("z/b", "another");
    keeper.all();
    keeper.passes(DAY);
    fs::create_dir(keeper.tree().join("y")).expect("made");
    fs::rename(keeper.tree().join("x/a"), keeper.tree().join("y/a")).expect("renamed");
    let (audited, _) = keeper.audit(|options| {
        options.scope = Scope::All;
        options.within = vec![b"z".to_vec()];
    });
    assert_eq!((audited.counts.of(Verdict::NotFoundYet), keeper.standing()), (1, Said::new()));
    let (_, found) = keeper.all();
    assert_eq!((found, keeper.standing()), (said(&[("y/a", Verdict::Moved)]), Said::new()));
}

#[test]
fn an_empty_file_is_not_another_one_that_moved() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "");
    keeper.write("b", "content");
    keeper.all();
    keeper.passes(DAY);
    fs::remove_file(keeper.tree().join("a")).expect("removed");
    // The clock of this keeper is ahead of that of the files; the new one may get the inode of the other one.
    let id = keeper.collection().id;
    keeper.catalog.set_listed(id, now_s() - 3600).expect("set");
    keeper.write("d/new", "");
    let (_, found) = keeper.all();
    assert_eq!(found, said(&[("a", Verdict::Missing), ("d/new", Verdict::New)]));
}

#[test]
fn a_part_of_a_first_audit_makes_nothing_else_new() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
    keeper.write("x/a", "content");
    keeper.write("y/b", "another");
    keeper.audit(|options| {
        options.scope = Scope::All;
        options.within = vec![b"x".to_vec()];
    });
    let (audited, _) = keeper.all();
    assert_eq!((audited.counts.of(Verdict::Registered), keeper.standing()), (1, Said::new()));
}

/// Files of one size and one time, each with its name as its content.
fn alike(keeper: &Keeper, names: &[&str]) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for name in names {
        keeper.write(name, format!("content of {name}"));
        set_modified(&keeper.tree().join(name), time);
    }
}

/// What else the finding against a file says.
fn detail(keeper: &Keeper, name: &str) -> String {
    let finding = keeper.finding(name);
    assert_eq!(finding.verdict, Verdict::Corrupt, "{name}");
    finding.seen.detail
}

fn renamed_from(name: &str) -> String {
    format!("what is here now was {name} before: the file was renamed")
}

#[test]
fn files_that_were_exchanged_are_told_to_be() {
    for ring in [&["a", "b"][..], &["a", "b", "c"], &["a", "b", "c", "d", "e"]] {
        let mut keeper = Keeper::new(|_| {});
        alike(&keeper, ring);
        keeper.all();
        keeper.passes(DAY);
        // Each one takes the name of the next, and the last one that of the first.
        let rename = |from: &str, to: &str| {
            fs::rename(keeper.tree().join(from), keeper.tree().join(to)).expect("renamed");
        };
        rename(ring[ring.len() - 1], "aside");
        for pair in ring.windows(2).rev() {
            rename(pair[0], pair[1]);
        }
        rename("aside", ring[0]);
        keeper.all();
        assert_eq!(keeper.standing().len(), ring.len());
        for (place, name) in ring.iter().enumerate() {
            let origin = ring[(place + ring.len() - 1) % ring.len()];
            assert_eq!(detail(&keeper, name), renamed_from(origin), "{name} of {ring:?}");
        }
    }
}

#[test]
fn a_file_in_the_place_of_another_one_is_told_from_where_it_came_whatever_became_of_that() {
    let mut keeper = Keeper::new(|_| {});
    alike(
        &keeper,
        &["log.0", "log.1", "log.2", "gone.0", "gone.1", "again.0", "again.1", "other.0", "other.1"],
    );
    keeper.all();
    keeper.passes(DAY);
    let rename = |from: &str, to: &str| {
        fs::rename(keeper.tree().join(from), keeper.tree().join(to)).expect("renamed");
    };
    // A rotation: the last one goes, and the first one begins anew.
    rename("log.1", "log.2");
    rename("log.0", "log.1");
    keeper.write("log.0", "begun anew");
    // Nothing comes in its place.
    rename("gone.0", "gone.1");
    // The same content comes in its place, with the same time.
    rename("again.0", "again.1");
    alike(&keeper, &["again.0"]);
    // And one that comes from nowhere.
    fs::remove_file(keeper.tree().join("other.1")).expect("removed");
    alike(&keeper, &["other.2"]);
    rename("other.2", "other.1");
    keeper.all();
    let expected = said(&[
        ("log.1", Verdict::Corrupt),
        ("log.2", Verdict::Corrupt),
        ("gone.0", Verdict::Missing),
        ("gone.1", Verdict::Corrupt),
        ("again.1", Verdict::Corrupt),
        ("other.1", Verdict::Corrupt),
    ]);
    assert_eq!(keeper.standing(), expected);
    for (name, origin) in
        [("log.1", "log.0"), ("log.2", "log.1"), ("gone.1", "gone.0"), ("again.1", "again.0")]
    {
        assert_eq!(detail(&keeper, name), renamed_from(origin), "{name}");
    }
    assert_eq!(detail(&keeper, "other.1"), "");
}

#[test]
fn an_edit_just_before_an_audit_is_read_again_by_the_next_one() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(30 * DAY));
    keeper.write("f", "content");
    keeper.all();
    keeper.write("f", "another content");
    keeper.now_s.store(now_s(), Ordering::Relaxed);
    keeper.all();
    assert_eq!(keeper.state("f"), Some(State::Unsettled));
}

#[test]
fn the_catalogue_is_no_file_of_the_tree_it_lies_in() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut catalog = Writer::open_or_make(&directory.path().join("catalog")).expect("made");
    catalog
        .add_collection(&Terms::new("t", directory.path().canonicalize().expect("there")), 0)
        .expect("a new name");
    fs::write(directory.path().join("catalog-of-birds"), "a file").expect("written");
    let collection = catalog.collection("t").expect("it was added");
    let options = Options::new(collection.terms.algorithms.clone().into());
    let tree = Ground::local(&catalog, &collection, options).expect("good globs");
    let asked = AuditOptions::new("keeper");
    let audited = audit(&mut catalog, &collection, &tree, &asked, &Arc::new(Control::new()), &mut |_| Ok(()))
        .expect("an audit");
    assert_eq!(audited.listing.files, 1);
}

#[test]
fn a_copy_is_told_from_what_is_new() {
    for policy in [Policy::Living, Policy::Frozen] {
        let mut keeper = Keeper::new(|terms| terms.policy = policy);
        keeper.write("a", "content of a");
        keeper.write("empty", "");
        keeper.all();
        keeper.passes(DAY);
        keeper.write("b", "content of a");
        keeper.write("c", "content of c");
        keeper.write("d", "content of c");
        keeper.write("nothing", "");
        let (audited, _) = keeper.all();
        let counts = [Verdict::Copied, Verdict::New].map(|verdict| audited.counts.of(verdict));
        assert_eq!(counts, [1, 3], "{policy:?}");
        let copy = keeper.item("b");
        match policy {
            Policy::Frozen => assert_eq!(keeper.standing()["b"], Verdict::Copied),
            _ => {
                let events = keeper.catalog.events(copy.id).expect("readable");
                assert_eq!((&events[0].what[..], events[0].other.as_deref()), ("copied", Some(&b"a"[..])));
            }
        }
        keeper.passes(DAY);
        let (audited, _) = keeper.all();
        assert_eq!(audited.counts.of(Verdict::Copied), u64::from(policy == Policy::Frozen));
    }
}

#[test]
fn what_has_the_digest_of_another_file_and_not_its_size_is_no_copy_of_it() {
    let mut keeper = Keeper::new(|terms| {
        terms.algorithms = [Algorithm::XOR32].into();
    });
    keeper.write("a", "four");
    keeper.all();
    keeper.passes(DAY);
    keeper.write("b", "four\0\0\0\0");
    keeper.write("c", "four");
    let (audited, _) = keeper.all();
    assert_eq!(keeper.item("a").content.digests, keeper.item("b").content.digests);
    let counts = [Verdict::Copied, Verdict::New].map(|verdict| audited.counts.of(verdict));
    assert_eq!(counts, [1, 1]);
    let copied = |name| {
        let events = keeper.catalog.events(keeper.item(name).id).expect("readable");
        events.iter().any(|event| event.what == "copied")
    };
    assert!(copied("c") && !copied("b"));
}

#[test]
fn an_audit_of_a_part_calls_nothing_missing_that_may_have_been_copied_elsewhere() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..5 {
        keeper.write(&format!("e/{number}"), format!("content {number}"));
    }
    keeper.write("other", "of another size than the rest");
    keeper.all();
    keeper.passes(DAY);
    for number in 0..5 {
        keeper.write(&format!("f/{number}"), format!("content {number}"));
    }
    fs::remove_dir_all(keeper.tree().join("e")).expect("removed");
    fs::remove_file(keeper.tree().join("other")).expect("removed");
    let (audited, found) = keeper.audit(|options| {
        options.scope = Scope::All;
        options.within = vec![b"f/1".to_vec()];
    });
    assert_eq!(audited.counts.of(Verdict::NotFoundYet), 4);
    assert_eq!(found, said(&[("f/1", Verdict::Moved), ("other", Verdict::Missing)]));
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("other", Verdict::Missing)]));
}

#[test]
fn a_file_that_was_written_while_others_were_read_is_not_settled() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "content");
    // The audit begins, and a day later the file has its turn to be recorded.
    let began_s = now_s();
    let told = std::sync::atomic::AtomicI64::new(0);
    keeper.audit(|options| {
        options.scope = Scope::All;
        options.clock = hashlane_catalog::Clock::new(move || match told.fetch_add(1, Ordering::Relaxed) {
            0 => began_s,
            _ => began_s + DAY,
        });
    });
    assert_eq!(keeper.state("f"), Some(State::Unsettled));
}

#[test]
fn a_link_in_the_place_of_a_listed_file_is_no_error_of_it() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "content");
    keeper.write("other", "other");
    keeper.all();
    keeper.passes(DAY);
    let tree = keeper.tree();
    let (_, found) = keeper.replacing(move || {
        fs::remove_file(tree.join("f")).expect("removed");
        std::os::unix::fs::symlink("other", tree.join("f")).expect("linked");
    });
    assert_eq!((found, keeper.standing()), (Said::new(), Said::new()));
    keeper.passes(DAY);
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("f", Verdict::Missing)]));
}

#[test]
fn new_files_of_a_run_that_is_held_are_told_all_the_same() {
    let mut keeper = Keeper::new(|terms| (terms.hold_if.files, terms.habits.says_hold_percent) = (2, true));
    for number in 0..6 {
        keeper.write(&format!("f{number}"), format!("content {number}"));
    }
    keeper.all();
    keeper.passes(DAY);
    for number in 0..4 {
        keeper.write(&format!("f{number}"), format!("another content {number}"));
    }
    keeper.write("new", "new");
    keeper.write("copy", "content 5");
    let (audited, found) = keeper.all();
    assert!(matches!(audited.outcome, Outcome::Held(_)), "{audited:?}");
    assert_eq!(found, said(&[("new", Verdict::New), ("copy", Verdict::Copied)]));
}

#[test]
fn what_was_looked_up_before_a_purge_is_audited_into_no_other_collection() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "content");
    let before = keeper.collection();
    keeper.catalog.purge_collection(&before, 0).expect("purged");
    let terms = Terms::new("other", keeper.tree());
    let other = keeper.catalog.add_collection(&terms, 0).expect("a new name");
    assert_eq!(other, before.id, "numbers are given out again");
    let engine = Options::new(before.terms.algorithms.clone().into());
    let tree = Ground::local(&keeper.catalog, &before, engine).expect("good globs");
    let (options, control) = (AuditOptions::new("keeper"), Arc::new(Control::new()));
    let refused = audit(&mut keeper.catalog, &before, &tree, &options, &control, &mut |_| Ok(()));
    assert!(matches!(refused, Err(Error::NoCollection { .. })), "{refused:?}");
    assert_eq!(keeper.catalog.present(other).expect("readable").files, 0);
}
