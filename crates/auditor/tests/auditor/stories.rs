//! Stories of keepers' years that once ended badly: damage became the good version, a finding ended by itself, a log was forged.
//! Each is kept as short as it can be here.

mod copies;
mod damage;
mod logs;
mod moves;
mod replaced;

use std::fs::{self, File, FileTimes};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use hashlane_auditor::Scope;
use hashlane_catalog::{Acceptable, Cause, Decision, Policy, State, Verdict};
use hashlane_engine::SeenRoot;
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

    /// An audit of all, a day later, in which one file cannot be read.
    fn night_without(&mut self, name: &str) {
        let bend = |_: bool, record: &mut Record| {
            if name_of(record) == name {
                fail(record);
            }
        };
        self.passes(DAY);
        let hooks = Hooks { bend: &bend, ..Hooks::default() };
        watched(self, &hooks, |options| options.scope = Scope::All, &std::sync::Arc::default());
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

/// A collection whose files `log`, `log.1` and so on may be appended to.
fn keeper_of_numbered_logs(policy: Policy) -> Keeper {
    Keeper::new(|terms| {
        terms.policy = policy;
        terms.selection.append_only = vec!["log*".into()];
    })
}

/// A collection of files `f1`, `f2` and so on, each of a day of its own, which were read once.
fn keeper_of_files(policy: Policy, files: u64) -> Keeper {
    let mut keeper = keeper_of(policy);
    for number in 1..=files {
        keeper.write_on(number, &format!("f{number}"), &format!("content of f{number}"));
    }
    keeper.all();
    keeper
}

const POLICIES: [Policy; 3] = [Policy::Living, Policy::Growing, Policy::Frozen];

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
    keeper.night_without("rogue.log");
    assert_eq!(keeper.standing(), said(&[("rogue.log", Verdict::Unreadable)]));
    keeper.set(|terms| terms.selection.exclude = vec!["rogue.log".into()]);
    keeper.all_of_it();
    keeper.set(|terms| terms.selection.exclude.clear());
    assert_eq!(keeper.all_of_it(), new);
    assert_eq!(keeper.state("rogue.log"), Some(State::Unaccepted));
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
