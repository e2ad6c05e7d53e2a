//! Audits of real trees: what becomes of them is said, once and truly.

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

use hashlane_catalog::{
    AuditEvent, AuditOptions, Audited, Catalog, Choice, Clock, Collection, Content, Decision, Error, Finding,
    Import, LocalTree, Outcome, Policy, Scope, State, Terms, Thoroughness, Verdict, audit,
};
use hashlane_engine::{Control, Options};
use hashlane_record::Timestamp;
use tempfile::TempDir;

const DAY: i64 = 24 * 3600;

/// A tree, its collection, and a clock that goes as the test wants.
struct Keeper {
    catalog: Catalog,
    directory: TempDir,
    now_s: Arc<AtomicI64>,
}

/// What an audit said: the verdicts by path, with those that were accepted.
type Said = BTreeMap<String, Verdict>;

impl Keeper {
    fn new(change: impl FnOnce(&mut Terms)) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let tree = directory.path().join("tree");
        fs::create_dir(&tree).expect("made");
        let mut catalog = Catalog::open_or_make(&directory.path().join("catalog")).expect("made");
        let mut terms = Terms::new("tree", &tree);
        change(&mut terms);
        let now =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs() as i64;
        // Everything was written long ago: its change times are those of now.
        let now_s = Arc::new(AtomicI64::new(now + 3600));
        catalog.add_collection(&terms, now).expect("a new name");
        Self { catalog, directory, now_s }
    }

    fn tree(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    fn collection(&self) -> Collection {
        self.catalog.collection("tree").expect("it was added")
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.tree().join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        fs::write(path, content).expect("written");
    }

    fn passes(&self, seconds: i64) {
        self.now_s.fetch_add(seconds, Ordering::Relaxed);
    }

    fn audit(&mut self, change: impl FnOnce(&mut AuditOptions)) -> (Audited, Said) {
        self.try_audit(change, &Arc::new(Control::new())).expect("an audit")
    }

    fn accept(&mut self, findings: &[Finding], decision: &Decision) -> Result<usize, Error> {
        let collection = self.collection();
        let tree = LocalTree::new(&collection, Options::new(collection.terms.algorithms.clone().into()))
            .expect("good globs");
        self.catalog.accept(&collection, &tree, findings, decision).map(|others| others.len())
    }

    /// Accepts all that stands. How many files were not as they were found any more.
    fn accept_all(&mut self) -> usize {
        let collection = self.collection();
        let chosen = self.catalog.chosen(&collection, &Choice::default()).expect("readable");
        let findings: Vec<_> = chosen.into_iter().map(|(_, finding)| finding).collect();
        let decision = Decision { actor: "keeper".into(), reason: "all mine".into(), at_s: 0 };
        self.accept(&findings, &decision).expect("accepted")
    }

    fn all(&mut self) -> (Audited, Said) {
        self.audit(|options| options.scope = Scope::All)
    }

    fn try_audit(
        &mut self,
        change: impl FnOnce(&mut AuditOptions),
        control: &Arc<Control>,
    ) -> Result<(Audited, Said), Error> {
        let collection = self.collection();
        let tree = LocalTree::new(&collection, Options::new(collection.terms.algorithms.clone().into()))
            .expect("good globs");
        let mut options = AuditOptions::new("keeper");
        let now_s = Arc::clone(&self.now_s);
        options.clock = Clock::new(move || now_s.load(Ordering::Relaxed));
        options.scratch = self.directory.path().to_owned();
        change(&mut options);
        let mut said = Said::new();
        let mut events = |event: AuditEvent<'_>| {
            if let AuditEvent::File { path, verdict } | AuditEvent::Finding { path, verdict, .. } = event {
                said.insert(String::from_utf8_lossy(path).into_owned(), verdict);
            }
            Ok(())
        };
        let audited = audit(&mut self.catalog, &collection, &tree, &options, control, &mut events);
        assert_eq!(self.catalog.verify(Thoroughness::Full).expect("readable"), [""; 0]);
        Ok((audited?, said))
    }

    /// The findings that stand.
    fn standing(&self) -> Said {
        let mut standing = Said::new();
        let collection = self.collection();
        self.catalog
            .findings(&collection, &mut |finding| {
                if finding.cleared_s.is_none() {
                    let path = self.catalog.path_of(finding.item)?;
                    standing.insert(String::from_utf8_lossy(&path).into_owned(), finding.verdict);
                }
                Ok(())
            })
            .expect("readable");
        standing
    }

    fn state(&self, path: &str) -> Option<State> {
        self.catalog.item_at(&self.collection(), path.as_bytes()).expect("readable").map(|item| item.state)
    }

    fn files(&self) -> u64 {
        self.catalog.total(self.collection().id, State::Present).expect("readable").files
    }
}

/// What time it is, in seconds since 1970.
fn now_s() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs() as i64
}

/// Writes other bytes into a file and sets its modification time back.
fn corrupt(path: &Path, content: &[u8]) {
    let modified = fs::metadata(path).and_then(|facts| facts.modified()).expect("there");
    fs::write(path, content).expect("written");
    let file = File::options().write(true).open(path).expect("there");
    file.set_times(FileTimes::new().set_modified(modified)).expect("set back");
}

/// Makes a file look written to at another time.
fn touch(path: &Path) {
    let file = File::options().write(true).open(path).expect("there");
    file.set_times(FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)))
        .expect("set");
}

fn said(expected: &[(&str, Verdict)]) -> Said {
    expected.iter().map(|(path, verdict)| ((*path).to_owned(), *verdict)).collect()
}

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
    assert_eq!((audited.counts.of(Verdict::Intact), again), (51, Said::new()));
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
    let standing =
        said(&[("missing", Verdict::Missing), ("corrupt", Verdict::Corrupt), ("shorter", Verdict::Corrupt)]);
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
    let collection = keeper.collection();
    let before = keeper.catalog.item_at(&collection, b"f").expect("readable").expect("known");
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("f"), b"as it WAS");
    keeper.all();
    let after = keeper.catalog.item_at(&collection, b"f").expect("readable").expect("known");
    let finding = keeper.catalog.finding(&collection, after.id).expect("readable").expect("it stands");
    assert_eq!(after.content.digests, before.content.digests, "what is known is not overwritten");
    assert_eq!(finding.verdict, Verdict::Corrupt);
    assert_eq!(finding.seen.again, finding.seen.content.digests);
    assert_ne!(finding.seen.content.digests, before.content.digests);
    let first_good = keeper.catalog.last_reading(&collection, after.id).expect("readable").expect("once").0;
    assert_eq!(first_good, keeper.now_s.load(Ordering::Relaxed) - DAY, "when it was good stays known");
    // And it is good again as soon as the device says so.
    corrupt(&keeper.tree().join("f"), b"as it was");
    keeper.passes(DAY);
    let (audited, _) = keeper.all();
    assert_eq!(audited.counts.of(Verdict::Intact), 1);
    let events: Vec<_> =
        keeper.catalog.events(after.id).expect("readable").into_iter().map(|event| event.what).collect();
    assert_eq!(events, ["corrupt", "recovered"]);
}

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
        matches!(&audited.outcome, Outcome::Held(hashlane_catalog::Held::EmptyDirectory { path, .. }) if path == b"d0"),
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
    assert!(matches!(audited.outcome, Outcome::Held(_)), "{audited:?}");
    assert_eq!(keeper.standing().len(), 20);
}

#[test]
fn too_many_changes_are_held_and_intact_readings_are_kept() {
    let mut keeper = Keeper::new(|terms| terms.hold_if.files = 5);
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
        let collection = keeper.collection();
        let item = keeper.catalog.item_at(&collection, b"f00").expect("readable").expect("known");
        keeper.catalog.versions(&collection, item.id).expect("readable").len()
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
fn a_frozen_collection_takes_nothing_without_a_word() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
    keeper.write("a", "first");
    keeper.write("b", "second");
    keeper.write("c", "third");
    keeper.all();
    keeper.passes(DAY);
    keeper.write("a", "changed");
    keeper.write("n", "new");
    touch(&keeper.tree().join("b"));
    fs::rename(keeper.tree().join("c"), keeper.tree().join("m")).expect("renamed");
    let expected =
        said(&[("a", Verdict::Changed), ("b", Verdict::Touched), ("m", Verdict::Moved), ("n", Verdict::New)]);
    for _ in 0..2 {
        keeper.all();
        assert_eq!(keeper.standing(), expected);
        keeper.passes(DAY);
    }
    assert_eq!(keeper.accept_all(), 0);
    assert_eq!(keeper.standing(), Said::new());
    let (audited, found) = keeper.all();
    assert_eq!((audited.counts.of(Verdict::Intact), found), (4, Said::new()));
}

#[test]
fn a_finding_that_is_known_alarms_nobody_until_its_file_changes_again() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "as it was");
    keeper.all();
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("f"), b"as it WAS");
    keeper.all();
    let collection = keeper.collection();
    let open = |keeper: &Keeper| {
        let now_s = keeper.now_s.load(Ordering::Relaxed);
        let standing = keeper.catalog.standing(collection.id, now_s).expect("readable");
        standing.iter().map(|standing| (standing.open, standing.acknowledged)).collect::<Vec<_>>()
    };
    assert_eq!(open(&keeper), [(1, 0)]);
    let chosen = keeper.catalog.chosen(&collection, &Choice::default()).expect("readable");
    let findings: Vec<_> = chosen.into_iter().map(|(_, finding)| finding).collect();
    let now_s = keeper.now_s.load(Ordering::Relaxed);
    let decision = Decision { actor: "keeper".into(), reason: "restored soon".into(), at_s: now_s };
    keeper.catalog.acknowledge(&collection, &findings, Some(now_s + 3 * DAY), &decision).expect("noted");
    assert_eq!(open(&keeper), [(0, 1)]);
    keeper.passes(DAY);
    keeper.all();
    assert_eq!(open(&keeper), [(0, 1)], "the same bytes are known");
    corrupt(&keeper.tree().join("f"), b"AS it WAS");
    keeper.all();
    assert_eq!(open(&keeper), [(1, 0)], "others are not");
}

#[test]
fn a_budget_lets_every_file_have_its_turn() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    for number in 0..30 {
        keeper.write(&format!("d{}/f{number:02}", number % 3), format!("content {number}"));
    }
    let mut read = 0;
    for _ in 0..3 {
        let (audited, _) = keeper.audit(|options| options.budget.files = Some(10));
        read += audited.planned_files;
        keeper.passes(DAY);
    }
    assert_eq!((read, keeper.files()), (30, 30));
    // Nothing is due at once; what was read is spread over the days.
    let mut each_day = Vec::new();
    for _ in 0..10 {
        keeper.passes(DAY);
        each_day.push(keeper.audit(|_| {}).0.planned_files);
        assert_eq!(
            keeper
                .catalog
                .late(&keeper.collection(), keeper.now_s.load(Ordering::Relaxed))
                .expect("readable"),
            0
        );
    }
    assert!(each_day.iter().sum::<u64>() >= 30, "{each_day:?}");
    assert!(each_day.iter().all(|files| *files <= 13), "{each_day:?}");
}

#[test]
fn an_audit_that_is_stopped_goes_on() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..200 {
        keeper.write(&format!("f{number:03}"), vec![b'x'; 200_000 + number]);
    }
    let control = Arc::new(Control::new());
    control.drain();
    let stopped = keeper.try_audit(|options| options.scope = Scope::All, &control);
    match stopped {
        Ok((audited, _)) => assert_eq!(audited.outcome, Outcome::Stopped),
        Err(error) => assert!(matches!(error, Error::Stopped), "{error}"),
    }
    let (audited, _) = keeper.all();
    assert_eq!((audited.outcome, audited.goes_on, keeper.files()), (Outcome::Complete, true, 200));
}

#[test]
fn one_audits_and_the_other_is_told_who() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("f", "content");
    let other = Catalog::open(&keeper.directory.path().join("catalog")).expect("opened twice");
    let lock = other.lock(&keeper.collection(), 77).expect("nobody has it");
    let refused = keeper.try_audit(|_| {}, &Arc::new(Control::new())).expect_err("somebody audits it");
    let text = refused.to_string();
    assert!(text.contains(&format!("process {}", std::process::id())) && text.contains("since 77"), "{text}");
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
    let collection = keeper.collection();
    let mut terms = collection.terms.clone();
    terms.selection.exclude = vec!["*.tmp".into()];
    keeper.catalog.set_collection(collection.id, &terms).expect("set");
    keeper.passes(DAY);
    let (audited, found) = keeper.all();
    assert_eq!((audited.counts.of(Verdict::Ignored), found), (2, Said::new()));
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
    let known = keeper.catalog.item_at(&collection, b"f").expect("readable").expect("known");
    assert_eq!(known.content.digests, listed.digests);
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
fn a_clock_that_was_ahead_puts_nothing_off() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    keeper.write("f", "content");
    let before = keeper.now_s.load(Ordering::Relaxed);
    keeper.passes(5000 * DAY);
    keeper.all();
    keeper.now_s.store(before, Ordering::Relaxed);
    let late = |keeper: &Keeper| {
        keeper.catalog.late(&keeper.collection(), keeper.now_s.load(Ordering::Relaxed)).expect("readable")
    };
    assert_eq!(late(&keeper), 1, "nobody knows when it was read");
    assert_eq!(keeper.audit(|_| {}).0.planned_files, 1);
    assert_eq!(late(&keeper), 0);
    keeper.passes(11 * DAY);
    assert_eq!(late(&keeper), 1, "and later ones are late as ever");
}

#[test]
fn audits_of_a_part_take_nothing_from_the_share_of_the_whole() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    for number in 0..100 {
        keeper.write(&format!("f{number:03}"), format!("content {number}"));
    }
    keeper.all();
    for _ in 0..12 {
        keeper.passes(DAY - 3600);
        keeper.audit(|options| options.only = vec![Verdict::Corrupt]);
        keeper.passes(3600);
        keeper.audit(|_| {});
        let now_s = keeper.now_s.load(Ordering::Relaxed);
        assert_eq!(keeper.catalog.late(&keeper.collection(), now_s).expect("readable"), 0);
    }
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
    let Outcome::Held(hashlane_catalog::Held::EmptyDirectory { path, known }) = audited.outcome else {
        panic!("{audited:?}")
    };
    assert_eq!((&path[..], known), (&b"2023"[..], 60));
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

#[test]
fn what_is_ignored_is_never_late_and_is_compared_when_it_belongs_again() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    keeper.write("a.txt", "text");
    keeper.write("b.tmp", "temporary");
    keeper.all();
    let collection = keeper.collection();
    let mut terms = collection.terms.clone();
    terms.selection.exclude = vec!["*.tmp".into()];
    keeper.catalog.set_collection(collection.id, &terms).expect("set");
    for _ in 0..15 {
        keeper.passes(DAY);
        keeper.audit(|_| {});
    }
    let now_s = keeper.now_s.load(Ordering::Relaxed);
    assert_eq!(keeper.catalog.late(&keeper.collection(), now_s).expect("readable"), 0);
    assert_eq!(keeper.state("b.tmp"), Some(State::Ignored));
    terms.selection.exclude.clear();
    keeper.catalog.set_collection(collection.id, &terms).expect("set");
    corrupt(&keeper.tree().join("b.tmp"), b"TEMPORARY");
    keeper.audit(|_| {});
    assert_eq!(keeper.standing(), said(&[("b.tmp", Verdict::Corrupt)]));
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
        fs::create_dir(keeper.tree()).expect("made");
    };
    replace(&keeper, "away");
    assert!(matches!(keeper.all().0.outcome, Outcome::Held(_)));
    replace(&keeper, "away-again");
    assert!(
        matches!(keeper.audit(resume).0.outcome, Outcome::Held(_)),
        "another root than the one that was held"
    );
    assert_eq!(keeper.standing(), Said::new());
    assert_eq!(keeper.audit(resume).0.outcome, Outcome::Complete);
    assert_eq!(keeper.standing().len(), 20);
}

/// A large file of zeros, fast to make and to read.
fn large(keeper: &Keeper, name: &str, bytes: u64) {
    keeper.write(name, "it does not begin with zeros");
    File::options()
        .write(true)
        .open(keeper.tree().join(name))
        .and_then(|file| file.set_len(bytes))
        .expect("grown");
}

#[test]
fn a_file_that_is_larger_than_the_budget_is_read_to_its_end_by_and_by() {
    let mut keeper = Keeper::new(|terms| terms.period_s = Some(10 * DAY));
    let size = 9 * (64 << 20) + 77;
    large(&keeper, "large", size);
    keeper.write("small", "content");
    let began_s = keeper.now_s.load(Ordering::Relaxed);
    let (mut runs, mut read) = (0, 0);
    while keeper.files() < 2 {
        let (audited, _) = keeper.audit(|options| options.budget.bytes = Some(64 << 20));
        assert!(audited.bytes > 0, "each run goes on: {audited:?}");
        (runs, read) = (runs + 1, read + audited.bytes);
        assert!(runs < 20, "it comes to an end");
        keeper.passes(DAY);
    }
    // Buffers are read ahead of the budget, and what was read since the last checkpoint is read again.
    assert!(runs > 1, "one run was enough");
    assert!(read < 2 * size, "{read} bytes of {size} in {runs} runs");
    let collection = keeper.collection();
    let item = keeper.catalog.item_at(&collection, b"large").expect("readable").expect("known");
    let mut zeros = vec![0; size as usize];
    zeros[..28].copy_from_slice(b"it does not begin with zeros");
    assert_eq!(item.content.digests, [collection.terms.algorithms[0].digest(&zeros)]);
    assert_eq!(item.content.size, Some(size));
    let good_s = keeper.catalog.last_reading(&collection, item.id).expect("readable").expect("read").0;
    assert_eq!(good_s, began_s, "its oldest byte was read in the first run");
    // And nothing is left of its beginning.
    keeper.passes(DAY);
    assert_eq!(keeper.all().0.bytes, size + 7, "nothing of it is skipped");
}

#[test]
fn a_large_file_that_has_changed_meanwhile_is_read_from_its_beginning() {
    let mut keeper = Keeper::new(|_| {});
    let size = 9 * (64 << 20);
    large(&keeper, "large", size);
    let budget = |options: &mut AuditOptions| {
        options.scope = Scope::All;
        options.budget.bytes = Some(128 << 20);
    };
    let (audited, _) = keeper.audit(budget);
    assert!(audited.outcome == Outcome::Budget && keeper.files() == 0, "{audited:?}");
    keeper.passes(DAY);
    corrupt_at(&keeper.tree().join("large"), 1000);
    let (audited, _) = keeper.all();
    assert_eq!((audited.bytes, audited.counts.of(Verdict::Registered)), (size, 1), "{audited:?}");
}

/// Changes a byte and sets the modification time back.
fn corrupt_at(path: &Path, offset: u64) {
    let modified = fs::metadata(path).and_then(|facts| facts.modified()).expect("there");
    let file = File::options().write(true).open(path).expect("there");
    file.write_all_at(b"!", offset).expect("written");
    file.set_times(FileTimes::new().set_modified(modified)).expect("set back");
}

#[test]
fn when_the_time_is_over_nothing_more_is_begun_and_what_was_read_stays_read() {
    let mut keeper = Keeper::new(|_| {});
    for number in 0..4000 {
        keeper.write(&format!("f{number:04}"), vec![b'x'; 10_000 + number]);
    }
    let mut runs = 0;
    while keeper.collection().listed_s.is_none() {
        runs += 1;
        assert!(runs < 1000, "it comes to an end");
        keeper.audit(|options| {
            options.scope = Scope::All;
            options.budget.until = Some(std::time::Instant::now() + Duration::from_millis(150));
        });
    }
    assert_eq!((keeper.files(), keeper.standing()), (4000, Said::new()));
}

#[test]
fn what_has_changed_since_it_was_found_is_not_accepted() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
    for name in ["corrupt", "missing", "new-later-gone", "same"] {
        keeper.write(name, format!("content of {name}"));
    }
    fs::remove_file(keeper.tree().join("new-later-gone")).expect("removed");
    keeper.all();
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("corrupt"), b"CONTENT of corrupt");
    corrupt(&keeper.tree().join("same"), b"CONTENT of same");
    fs::remove_file(keeper.tree().join("missing")).expect("removed");
    keeper.write("new-later-gone", "new");
    keeper.all();
    assert_eq!(keeper.standing().len(), 4);
    // Size and modification time stay as they were found.
    corrupt(&keeper.tree().join("corrupt"), b"CONTENT OF corrupt");
    keeper.write("missing", "it is back");
    fs::remove_file(keeper.tree().join("new-later-gone")).expect("removed");
    assert_eq!(keeper.accept_all(), 3);
    let left: Vec<_> = keeper.standing().into_keys().collect();
    assert_eq!(left, ["corrupt", "missing", "new-later-gone"]);
    let collection = keeper.collection();
    let same = keeper.catalog.item_at(&collection, b"same").expect("readable").expect("known");
    let good_s = keeper.catalog.last_reading(&collection, same.id).expect("readable").expect("it was read").0;
    assert_eq!(good_s, keeper.now_s.load(Ordering::Relaxed), "by the audit that found it so");
}

#[test]
fn what_stands_is_told_again_as_what_it_is() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
    for name in ["corrupt", "changed", "d/moved", "missing"] {
        keeper.write(name, format!("content of {name}"));
    }
    keeper.all();
    keeper.passes(DAY);
    corrupt(&keeper.tree().join("corrupt"), b"CONTENT of corrupt");
    keeper.write("changed", "other");
    keeper.write("new", "new");
    fs::rename(keeper.tree().join("d/moved"), keeper.tree().join("renamed")).expect("renamed");
    fs::remove_file(keeper.tree().join("missing")).expect("removed");
    fs::create_dir(keeper.tree().join("missing")).expect("made");
    let expected = said(&[
        ("corrupt", Verdict::Corrupt),
        ("changed", Verdict::Changed),
        ("new", Verdict::New),
        ("renamed", Verdict::Moved),
        ("missing", Verdict::Missing),
    ]);
    for _ in 0..3 {
        let (audited, found) = keeper.all();
        assert_eq!((&found, keeper.standing()), (&expected, expected.clone()));
        let counted: Vec<_> = audited.counts.iter().collect();
        assert!(counted.iter().all(|(_, files)| *files == 1) && counted.len() == 5, "{counted:?}");
        keeper.passes(DAY);
    }
    let collection = keeper.collection();
    let missing = keeper.catalog.item_at(&collection, b"missing").expect("readable").expect("known");
    let finding = keeper.catalog.finding(&collection, missing.id).expect("readable").expect("it stands");
    assert_eq!(finding.seen.detail, "a directory is there now");
}

#[test]
fn files_that_were_exchanged_are_told_to_be() {
    let mut keeper = Keeper::new(|_| {});
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for name in ["a", "b"] {
        keeper.write(name, format!("content of {name}"));
        let file = File::options().write(true).open(keeper.tree().join(name)).expect("there");
        file.set_times(FileTimes::new().set_modified(time)).expect("set");
    }
    keeper.all();
    keeper.passes(DAY);
    for (from, to) in [("a", "x"), ("b", "a"), ("x", "b")] {
        fs::rename(keeper.tree().join(from), keeper.tree().join(to)).expect("renamed");
    }
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("a", Verdict::Corrupt), ("b", Verdict::Corrupt)]));
    let collection = keeper.collection();
    let item = keeper.catalog.item_at(&collection, b"a").expect("readable").expect("known");
    let finding = keeper.catalog.finding(&collection, item.id).expect("readable").expect("it stands");
    assert_eq!(finding.seen.detail, "what is here now was b before: the file was renamed");
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
    let mut catalog = Catalog::open_or_make(&directory.path().join("catalog")).expect("made");
    catalog
        .add_collection(&Terms::new("t", directory.path().canonicalize().expect("there")), 0)
        .expect("a new name");
    fs::write(directory.path().join("catalog-of-birds"), "a file").expect("written");
    let collection = catalog.collection("t").expect("it was added");
    let options = Options::new(collection.terms.algorithms.clone().into());
    let tree = LocalTree::new(&collection, options).expect("good globs").without(&catalog);
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
        let collection = keeper.collection();
        let copy = keeper.catalog.item_at(&collection, b"b").expect("readable").expect("known");
        match policy {
            Policy::Frozen => assert_eq!(keeper.standing()["b"], Verdict::Copied),
            Policy::Living => {
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
    let collection = keeper.collection();
    let item = keeper.catalog.item_at(&collection, b"f000").expect("readable").expect("known");
    assert!(
        keeper.catalog.versions(&collection, item.id).expect("readable").is_empty(),
        "nothing was accepted"
    );
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
fn what_is_not_reached_is_not_accepted_as_missing() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "first");
    keeper.write("b", "second");
    keeper.all();
    keeper.passes(DAY);
    fs::rename(keeper.tree().join("a"), keeper.directory.path().join("a")).expect("away");
    keeper.all();
    fs::rename(keeper.directory.path().join("a"), keeper.tree().join("a")).expect("back");
    fs::rename(keeper.tree(), keeper.directory.path().join("away")).expect("away");
    assert_eq!(keeper.accept_all(), 1);
}

#[test]
fn a_collection_that_is_no_longer_frozen_accepts_what_is_there() {
    let mut keeper = Keeper::new(|terms| terms.policy = Policy::Frozen);
    keeper.write("a", "first");
    keeper.all();
    keeper.passes(DAY);
    keeper.write("new", "new");
    keeper.all();
    let collection = keeper.collection();
    let mut terms = collection.terms.clone();
    terms.policy = Policy::Living;
    keeper.catalog.set_collection(collection.id, &terms).expect("set");
    keeper.passes(DAY);
    keeper.all();
    assert_eq!((keeper.standing(), keeper.files()), (Said::new(), 2));
}

#[test]
fn a_budget_on_a_part_records_each_file_once() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "first");
    keeper.all();
    keeper.passes(DAY);
    for number in 0..4 {
        keeper.write(&format!("sub/n{number}"), format!("content {number}"));
    }
    keeper.audit(|options| {
        options.scope = Scope::All;
        options.within = vec![b"sub".to_vec()];
        options.budget.files = Some(2);
    });
    let mut names = Vec::new();
    let collection = keeper.collection();
    keeper
        .catalog
        .each_item(&collection, &mut |_, item| {
            names.push(String::from_utf8_lossy(&item.name).into_owned());
            Ok(())
        })
        .expect("readable");
    assert_eq!(names, ["a", "n0", "n1", "n2", "n3"]);
    keeper.passes(DAY);
    keeper.all();
    assert_eq!((keeper.standing(), keeper.files()), (Said::new(), 5));
}
