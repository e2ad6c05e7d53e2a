//! Stories of keepers' years that once ended badly: damage became the good version, a finding ended by itself, a log was forged. Each is told
//! here as short as it can be.

use std::fs::{self, File, FileTimes};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use hashlane_catalog::{Acceptable, Cause, Decision, Policy, Scope, SeenRoot, State, Verdict};
use hashlane_record::{Instability, Origin, Outcome as ReadOutcome, Record};

use crate::keeper::{DAY, Keeper, Said, corrupt, said, set_modified, touch};
use crate::watched::{Hooks, fail, name_of, watched};

/// When the files of these stories were written.
fn long_ago(days: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000 + days * 86_400)
}

impl Keeper {
    /// Writes a file as of a day long ago.
    fn write_on(&self, day: u64, name: &str, content: &str) {
        self.write(name, content);
        set_modified(&self.tree().join(name), long_ago(day));
    }

    /// Writes a file as of now.
    fn edit(&self, name: &str, content: &str) {
        self.write(name, content);
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(self.now().unsigned_abs());
        set_modified(&self.tree().join(name), now);
    }

    /// Puts another file in the place of one, with the same time: as a tape or `cp -a` restores it.
    fn restore(&self, name: &str, content: &str) {
        let path = self.tree().join(name);
        let modified = fs::metadata(&path).and_then(|facts| facts.modified()).expect("there");
        let other = self.directory.path().join("restored");
        fs::write(&other, content).expect("written");
        set_modified(&other, modified);
        fs::rename(&other, &path).expect("put in its place");
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.tree().join(name)).expect("there");
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.tree().join(from), self.tree().join(to)).expect("renamed");
    }

    /// An audit of what is due, a day later.
    fn night(&mut self) -> Said {
        self.passes(DAY);
        self.audit(|options| options.scope = Scope::Due);
        self.standing()
    }

    /// An audit of all, a day later.
    fn all_of_it(&mut self) -> Said {
        self.passes(DAY);
        self.all();
        self.standing()
    }

    fn cause(&self, path: &str) -> Option<Cause> {
        self.finding(path).seen.cause
    }

    fn replaced(&self) -> u64 {
        self.catalog.replaced(self.collection().id).expect("readable")
    }
}

fn keeper_of(policy: Policy) -> Keeper {
    Keeper::new(|terms| {
        terms.policy = policy;
        terms.period_s = Some(30 * DAY);
    })
}

const POLICIES: [Policy; 3] = [Policy::Living, Policy::Growing, Policy::Frozen];

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

fn keeper_of_logs(policy: Policy) -> Keeper {
    let mut keeper = Keeper::new(|terms| {
        terms.policy = policy;
        terms.period_s = Some(30 * DAY);
        terms.selection.append_only = vec!["*.log".into()];
    });
    for number in 1..=5 {
        keeper.write(&format!("{number}.log"), "a line\nanother line\n");
    }
    keeper.all();
    keeper
}

#[test]
fn what_may_only_be_appended_to_is_held_to_it_by_every_policy() {
    for policy in POLICIES {
        let mut keeper = keeper_of_logs(policy);
        keeper.write("1.log", "a Xine\nanother line\n");
        keeper.write("2.log", "another beginning\na line\nanother line\n");
        keeper.write("3.log", "a line\n");
        keeper.write("4.log", "");
        keeper.write("5.log", "a line\nanother line\nand one more\n");
        let names = ["1.log", "2.log", "3.log", "4.log"];
        let found = keeper.night();
        assert_eq!(found, said(&names.map(|name| (name, Verdict::Changed))), "{policy:?}");
        assert!(names.iter().all(|name| keeper.cause(name) == Some(Cause::NotAppended)));
        keeper.set(|terms| terms.policy = Policy::Living);
        assert_eq!(keeper.standing(), found, "no policy takes that");
    }
}

#[test]
fn a_log_that_was_rotated_is_no_alarm() {
    for policy in [Policy::Living, Policy::Growing] {
        let mut keeper = keeper_of_logs(policy);
        // As it was known; with more lines; and with nothing in its place yet.
        for (name, more) in [("1.log", ""), ("2.log", "more\n"), ("3.log", "more\n")] {
            keeper.rename(name, &format!("{name}.1"));
            let mut file =
                File::options().append(true).open(keeper.tree().join(format!("{name}.1"))).expect("there");
            file.write_all(more.as_bytes()).expect("written");
        }
        keeper.write("1.log", "a new one\n");
        keeper.write("2.log", "a new one\n");
        assert_eq!(keeper.night(), Said::new(), "{policy:?}");
        assert_eq!(keeper.events("2.log.1"), ["moved"]);
        // What was compressed at once is nowhere to be compared with.
        keeper.remove("4.log");
        keeper.write("4.log.1.gz", "compressed");
        keeper.remove("5.log");
        keeper.write("5.log.1.gz", "compressed, too");
        keeper.write("5.log", "a new one\n");
        let found = keeper.night();
        assert_eq!(found, said(&[("4.log", Verdict::Missing), ("5.log", Verdict::Changed)]), "{policy:?}");
        for name in ["4.log", "5.log"] {
            assert_eq!(keeper.cause(name), Some(Cause::Compressed));
        }
    }
}

#[test]
fn a_log_that_grows_while_it_is_read_is_read_to_its_end_of_then() {
    let mut keeper = keeper_of_logs(Policy::Growing);
    keeper.write("1.log", "a line\nanother line\nand one more\n");
    let bend = |_: bool, record: &mut Record| {
        if name_of(record) == "1.log" {
            record.outcome = ReadOutcome::Unstable(Instability::Grew);
        }
    };
    keeper.passes(DAY);
    let hooks = Hooks { bend: &bend, ..Hooks::default() };
    let (audited, _, _) = watched(&mut keeper, &hooks, |_| {}, &std::sync::Arc::default());
    assert_eq!((audited.counts.of(Verdict::Grown), keeper.standing()), (1, Said::new()));
}

#[test]
fn a_filter_ends_no_finding() {
    let mut keeper = keeper_of(Policy::Growing);
    for number in 0..30 {
        keeper.write_on(1, &format!("{number}.tif"), &format!("content {number:02}"));
    }
    keeper.all();
    corrupt(&keeper.tree().join("7.tif"), b"cXntent 07");
    keeper.remove("8.tif");
    let found = keeper.all_of_it();
    assert_eq!(found, said(&[("7.tif", Verdict::Corrupt), ("8.tif", Verdict::Missing)]));
    let mut selection = keeper.collection().terms.selection;
    selection.include = vec!["*.TIF".into()];
    let left_out = keeper.catalog.left_out_by(&keeper.collection(), &selection).expect("readable");
    assert_eq!((left_out.files, left_out.known, left_out.findings, left_out.is_much()), (30, 30, 2, true));
    keeper.set(|terms| terms.selection = selection);
    assert_eq!(keeper.all_of_it(), found);
    let ignored = keeper.catalog.ignored_findings(keeper.collection().id, keeper.now());
    assert_eq!(ignored.ok(), Some(2));
    // In again, the one is still damaged and the other one still gone.
    keeper.set(|terms| terms.selection.include.clear());
    assert_eq!(keeper.all_of_it(), found);
}

#[test]
fn what_rots_while_a_filter_leaves_it_out_is_found_when_it_is_in_again() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "f1", "content 1");
    keeper.write_on(1, "f2", "content 2");
    keeper.all();
    keeper.set(|terms| terms.selection.exclude = vec!["f1".into()]);
    keeper.all_of_it();
    corrupt(&keeper.tree().join("f1"), b"cXntent 1");
    keeper.set(|terms| terms.selection.exclude.clear());
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt)]));
}

#[test]
fn what_is_frozen_and_was_restored_under_a_new_time_is_as_it_was() {
    let mut keeper = keeper_of(Policy::Frozen);
    keeper.write_on(1, "f1", "content 1");
    keeper.all();
    corrupt(&keeper.tree().join("f1"), b"cXntent 1");
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Corrupt)]));
    keeper.write("f1", "content 1");
    assert_eq!(keeper.all_of_it(), Said::new());
    assert_eq!(keeper.all_of_it(), Said::new(), "and tomorrow");
    touch(&keeper.tree().join("f1"));
    assert_eq!(keeper.all_of_it(), said(&[("f1", Verdict::Touched)]));
}

#[test]
fn an_older_an_emptied_and_a_swapped_file_are_named() {
    for policy in [Policy::Living, Policy::Growing] {
        let mut keeper = keeper_of(policy);
        for number in 1..=4 {
            keeper.write_on(number, &format!("f{number}"), &format!("content {number}"));
        }
        keeper.all();
        keeper.write_on(0, "f1", "an older version");
        keeper.write("f2", "");
        keeper.rename("f3", "away");
        keeper.rename("f4", "f3");
        keeper.rename("away", "f4");
        let found = keeper.all_of_it();
        let names = ["f1", "f2", "f3", "f4"];
        match policy {
            Policy::Living => {
                assert_eq!(found, Said::new());
                for (name, words) in names.iter().zip(["older", "emptied", "f4", "f3"]) {
                    let item = keeper.item(name).id;
                    let events = keeper.catalog.events(item).expect("readable");
                    let last = events.last().expect("it is named");
                    assert!(last.what == "changed" && last.detail.contains(words), "{last:?}");
                }
            }
            _ => {
                assert_eq!(found, said(&names.map(|name| (name, Verdict::Changed))));
                let causes = [Cause::Older, Cause::Emptied, Cause::Swapped, Cause::Swapped];
                assert_eq!(names.map(|name| keeper.cause(name)), causes.map(Some));
            }
        }
    }
}

#[test]
fn what_grows_welcomes_what_is_new_and_tells_what_has_changed() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "a", "first");
    keeper.write_on(1, "b", "second");
    keeper.all();
    keeper.write("new", "new");
    keeper.rename("b", "moved");
    touch(&keeper.tree().join("moved"));
    assert_eq!(keeper.all_of_it(), Said::new());
    keeper.write("a", "edited");
    keeper.write("new", "edited, too");
    let changed = said(&[("a", Verdict::Changed), ("new", Verdict::Changed)]);
    assert_eq!(keeper.all_of_it(), changed);
    keeper.set(|terms| terms.policies = vec![("a".into(), Policy::Living)]);
    assert_eq!(keeper.standing(), said(&[("new", Verdict::Changed)]));
    assert_eq!(keeper.events("a").last().map(String::as_str), Some("accepted"));
    assert_eq!(keeper.all_of_it(), said(&[("new", Verdict::Changed)]));
    keeper.write("a", "edited again");
    assert_eq!(keeper.all_of_it(), said(&[("new", Verdict::Changed)]), "its own policy is another one");
}

#[test]
fn empty_files_move_with_their_directory() {
    for policy in [Policy::Living, Policy::Growing] {
        let mut keeper = keeper_of(policy);
        for name in ["package/__init__.py", "package/part/__init__.py", "other/__init__.py"] {
            keeper.write_on(1, name, "");
        }
        keeper.write_on(1, "package/code.py", "code");
        keeper.all();
        keeper.rename("package", "renamed");
        assert_eq!(keeper.all_of_it(), Said::new(), "{policy:?}");
        // Copied anew, it has the names only.
        let path = keeper.tree().join("other");
        fs::create_dir(keeper.tree().join("again")).expect("made");
        keeper.write("again/__init__.py", "");
        fs::remove_dir_all(path).expect("removed");
        assert_eq!(keeper.all_of_it(), Said::new(), "{policy:?}");
        keeper.remove("again/__init__.py");
        assert_eq!(keeper.all_of_it(), said(&[("again/__init__.py", Verdict::Missing)]));
    }
}

#[test]
fn a_link_in_the_place_of_a_file_is_a_missing_file() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "a", "content");
    keeper.write_on(1, "bystander", "another content");
    keeper.all();
    fs::rename(keeper.tree().join("a"), keeper.directory.path().join("elsewhere")).expect("moved");
    symlink(Path::new("../elsewhere"), keeper.tree().join("a")).expect("linked");
    assert_eq!(keeper.all_of_it(), said(&[("a", Verdict::Missing)]));
    assert!(keeper.finding("a").seen.detail.contains("symbolic link"));
}

#[test]
fn what_is_new_to_a_frozen_collection_stays_new() {
    let mut keeper = keeper_of(Policy::Frozen);
    keeper.write_on(1, "a", "content");
    keeper.all();
    keeper.write("new", "first");
    assert_eq!(keeper.all_of_it(), said(&[("new", Verdict::New)]));
    touch(&keeper.tree().join("new"));
    assert_eq!(keeper.all_of_it(), said(&[("new", Verdict::New)]), "touched");
    keeper.write("new", "second");
    assert_eq!(keeper.all_of_it(), said(&[("new", Verdict::New)]), "edited");
    keeper.rename("new", "renamed");
    assert_eq!(keeper.all_of_it(), said(&[("renamed", Verdict::New)]));
    // Left out for a time, it was not accepted either.
    keeper.set(|terms| terms.selection.exclude = vec!["renamed".into()]);
    keeper.all_of_it();
    keeper.set(|terms| terms.selection.exclude.clear());
    assert_eq!(keeper.all_of_it(), said(&[("renamed", Verdict::New)]));
    assert_eq!(keeper.accept_all(), 0);
    assert_eq!(keeper.all_of_it(), Said::new());
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

/// The access time is nobody's business.
#[test]
fn a_file_that_was_read_by_others_is_as_it_was() {
    let mut keeper = keeper_of(Policy::Frozen);
    keeper.write_on(1, "a", "content");
    keeper.all();
    let file = File::options().write(true).open(keeper.tree().join("a")).expect("there");
    file.set_times(FileTimes::new().set_accessed(SystemTime::now())).expect("set");
    assert_eq!(keeper.all_of_it(), Said::new());
}

/// As in trees whose files all have one time and are of few sizes.
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
        let made_s = |_: &str| was_made_since.then_some(listed + 1);
        keeper.passes(DAY);
        watched(
            &mut keeper,
            &Hooks { made_s: &made_s, ..Hooks::default() },
            |_| {},
            &std::sync::Arc::default(),
        );
        let expected = match was_made_since {
            false => said(&[("b", Verdict::Corrupt)]),
            true => said(&[("a", Verdict::Missing), ("empty", Verdict::Missing)]),
        };
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
fn an_empty_file_that_is_empty_again_is_as_it_was() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "a", "");
    keeper.write_on(1, "bystander", "content");
    keeper.all();
    keeper.write("a", "something");
    assert_eq!(keeper.all_of_it(), said(&[("a", Verdict::Changed)]));
    keeper.write("a", "");
    assert_eq!(keeper.all_of_it(), Said::new());
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
    assert_eq!(stopped.outcome, hashlane_catalog::Outcome::Stopped);
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
fn a_later_time_makes_no_edit_of_what_was_none() {
    // What is changed under its old time, as it was recorded too soon to tell, and what is older than what was missing.
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(30 * DAY));
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(keeper.now().unsigned_abs());
    keeper.write("fresh", "content");
    set_modified(&keeper.tree().join("fresh"), now);
    keeper.write_on(5, "lost", "the latest version");
    keeper.all();
    corrupt(&keeper.tree().join("fresh"), b"cXntent");
    keeper.remove("lost");
    assert_eq!(keeper.all_of_it(), said(&[("fresh", Verdict::Changed), ("lost", Verdict::Missing)]));
    keeper.write_on(2, "lost", "an older version");
    let changed = said(&[("fresh", Verdict::Changed), ("lost", Verdict::Changed)]);
    assert_eq!(keeper.all_of_it(), changed);
    let causes = (Some(Cause::NotWritten), Some(Cause::PutBack));
    assert_eq!((keeper.cause("fresh"), keeper.cause("lost")), causes);
    ["fresh", "lost"].iter().for_each(|name| touch(&keeper.tree().join(name)));
    assert_eq!(keeper.all_of_it(), changed);
    // Neither a policy of other files nor one of these takes them.
    keeper.set(|terms| terms.policies = vec![("*.iso".into(), Policy::Frozen)]);
    assert_eq!(keeper.all_of_it(), changed);
    keeper.set(|terms| terms.policy = Policy::Growing);
    keeper.set(|terms| terms.policy = Policy::Living);
    assert_eq!(keeper.all_of_it(), changed);
    keeper.edit("lost", "an edit on top of it");
    assert_eq!(keeper.all_of_it(), changed);
    assert_eq!(keeper.cause("lost"), Some(Cause::PutBack));
    assert_eq!(keeper.accept_all(), 0);
    assert_eq!(keeper.all_of_it(), Said::new());
}

#[test]
fn a_policy_of_other_files_ends_nothing() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "a.xmp", "content");
    keeper.write_on(1, "b.jpg", "content of b");
    keeper.all();
    keeper.edit("a.xmp", "edited");
    keeper.edit("b.jpg", "edited, too");
    keeper.all_of_it();
    keeper.set(|terms| terms.policies = vec![("*.xmp".into(), Policy::Living)]);
    assert_eq!(keeper.standing(), said(&[("b.jpg", Verdict::Changed)]));
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
    let bend = |_: bool, record: &mut Record| {
        if name_of(record) == "x" {
            fail(record);
        }
    };
    keeper.passes(DAY);
    let hooks = Hooks { bend: &bend, ..Hooks::default() };
    watched(&mut keeper, &hooks, |_| {}, &std::sync::Arc::default());
    assert_eq!(keeper.standing(), said(&[("x", Verdict::Unreadable)]));
    // A copy of it made meanwhile is a copy of damage.
    keeper.write("copy", "cXntent");
    let found = keeper.all_of_it();
    assert_eq!(found, said(&[("copy", Verdict::Corrupt), ("x", Verdict::Corrupt)]));
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
            let bend = |_: bool, record: &mut Record| {
                if name_of(record) == "f" {
                    fail(record);
                }
            };
            keeper.passes(DAY);
            let hooks = Hooks { bend: &bend, ..Hooks::default() };
            watched(&mut keeper, &hooks, |_| {}, &std::sync::Arc::default());
        }
        assert_eq!((keeper.all_of_it(), keeper.cause("f")), (found, Some(Cause::Replaced)), "{is_absent}");
    }
}

#[test]
fn what_nobody_has_accepted_grows_and_is_still_not_accepted() {
    let mut keeper = Keeper::new(|terms| {
        terms.policy = Policy::Frozen;
        terms.selection.append_only = vec!["*.log".into()];
    });
    keeper.write_on(1, "known.log", "a line\n");
    keeper.all();
    keeper.write("rogue.log", "another line\n");
    let new = said(&[("rogue.log", Verdict::New)]);
    assert_eq!(keeper.all_of_it(), new);
    keeper.write("rogue.log", "another line\nand one more\n");
    assert_eq!(keeper.all_of_it(), new);
    // Nor is it when it could not be read, and when a filter has left it out.
    let bend = |_: bool, record: &mut Record| {
        if name_of(record) == "rogue.log" {
            fail(record);
        }
    };
    keeper.passes(DAY);
    let hooks = Hooks { bend: &bend, ..Hooks::default() };
    watched(&mut keeper, &hooks, |_| {}, &std::sync::Arc::default());
    assert_eq!(keeper.standing(), said(&[("rogue.log", Verdict::Unreadable)]));
    keeper.set(|terms| terms.selection.exclude = vec!["rogue.log".into()]);
    keeper.all_of_it();
    keeper.set(|terms| terms.selection.exclude.clear());
    assert_eq!(keeper.all_of_it(), new);
    assert_eq!(keeper.state("rogue.log"), Some(State::Unaccepted));
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
fn a_filter_that_is_taken_back_leaves_files_as_they_were() {
    let mut keeper = keeper_of(Policy::Living);
    keeper.write_on(1, "f", "content");
    keeper.write_on(1, "missing", "another content");
    keeper.all();
    keeper.remove("missing");
    keeper.all_of_it();
    for name in ["f", "missing"] {
        keeper.set(|terms| terms.selection.exclude = vec![name.into()]);
        keeper.all_of_it();
        assert_eq!(keeper.state(name), Some(State::Ignored));
        keeper.set(|terms| terms.selection.exclude.clear());
        // In again, it is what it was, whether anything of it is read or not.
        keeper.passes(DAY);
        keeper.audit(|options| (options.scope, options.budget.files) = (Scope::Due, Some(0)));
        assert_eq!(keeper.state(name), Some(State::Present), "{name}");
        assert_eq!(keeper.all_of_it(), said(&[("missing", Verdict::Missing)]), "{name}");
    }
}

#[test]
fn a_log_that_has_grown_is_as_good_to_an_audit_of_findings_alone() {
    let mut keeper = keeper_of_logs(Policy::Growing);
    let bend = |_: bool, record: &mut Record| {
        if name_of(record) == "1.log" {
            fail(record);
        }
    };
    keeper.passes(DAY);
    let hooks = Hooks { bend: &bend, ..Hooks::default() };
    watched(&mut keeper, &hooks, |options| options.scope = Scope::All, &std::sync::Arc::default());
    assert_eq!(keeper.standing(), said(&[("1.log", Verdict::Unreadable)]));
    keeper.write("1.log", "a line\nanother line\nand one more\n");
    keeper.passes(DAY);
    keeper.audit(|options| options.only = vec![Verdict::Unreadable]);
    assert_eq!(keeper.standing(), Said::new());
}

#[test]
fn what_is_lost_is_missing_within_a_period_whatever_is_new_and_unread() {
    let mut keeper = keeper_of(Policy::Growing);
    keeper.write_on(1, "lost", "ten bytes.");
    for number in 0..40 {
        keeper.write_on(1, &format!("known{number}"), &format!("content {number:04}"));
    }
    keeper.all();
    keeper.remove("lost");
    // Each day as many files of that size come as a night can read, and one more.
    for day in 0..33 {
        for number in 0..3 {
            keeper.write(&format!("new {day} {number}"), format!("{day:04}  {number:04}"));
        }
        keeper.passes(DAY);
        keeper.audit(|options| (options.scope, options.budget.files) = (Scope::Due, Some(2)));
        let is_said = keeper.standing().contains_key("lost");
        assert_eq!(is_said, day >= 30, "day {day}");
    }
    // Where it is found at last, it has moved.
    keeper.write("zz", "ten bytes.");
    keeper.passes(DAY);
    assert_eq!(keeper.all_of_it(), Said::new());
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
