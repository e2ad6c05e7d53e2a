//! What is kept with a run: what stood when it ended, and what an import was.

use std::collections::BTreeMap;

use hashlane_catalog::{Choice, Content, Decision, Ending, Import, Imported, Standing, Stood, Verdict};
use hashlane_keeper::Overview;

use crate::keeper::{DAY, Keeper, corrupt};
use crate::support::request;

/// What stood at the end of the last run, which is what an overview shows right after it.
#[track_caller]
fn stood(keeper: &Keeper) -> Stood {
    let collection = keeper.collection();
    let last = keeper.catalog.last_runs(collection.id, 1).expect("readable").pop().expect("it has run");
    let stood = last.standing.expect("it has ended");
    let told = Overview::of(&keeper.catalog, collection, keeper.now(), 1_000).expect("readable");
    let by_verdict = |count: fn(&Standing) -> u64| -> BTreeMap<String, u64> {
        let counted = told.standing.iter().filter(|standing| count(standing) > 0);
        counted.map(|of| (of.verdict.name_in_collection().to_owned(), count(of))).collect()
    };
    assert_eq!((stood.files, stood.bytes), (told.total.files, told.total.bytes));
    assert_eq!((stood.never_read, stood.unlisted), (told.never_read, told.unlisted));
    assert_eq!((stood.late_files, stood.late_is_exact), (told.late.files(), told.late.is_exact()));
    assert_eq!(stood.open, by_verdict(|standing| standing.open));
    assert_eq!(stood.acknowledged, by_verdict(|standing| standing.acknowledged));
    stood
}

fn one(verdict: Verdict, files: u64) -> BTreeMap<String, u64> {
    BTreeMap::from([(verdict.name_in_collection().to_owned(), files)])
}

#[test]
fn a_run_keeps_what_stood_when_it_ended() {
    let mut keeper = Keeper::new(|terms| {
        terms.period_s = Some(3 * DAY);
        terms.hold_if.files = 2;
    });
    for name in ["a", "b", "c", "d"] {
        keeper.write(name, format!("content of {name}"));
    }
    keeper.all();
    let first = stood(&keeper);
    assert_eq!((first.files, first.bytes, first.never_read), (4, 4 * 12, 0));
    assert!(first.open.is_empty() && first.acknowledged.is_empty());

    keeper.passes(DAY);
    corrupt(&keeper.tree().join("a"), b"CONTENT OF A");
    keeper.all();
    assert_eq!(stood(&keeper).open, one(Verdict::Corrupt, 1));

    // Somebody knows of it, for a week.
    let (collection, now_s) = (keeper.collection(), keeper.now());
    let findings: Vec<_> = keeper
        .catalog
        .chosen(&collection, &Choice::default())
        .expect("readable")
        .into_iter()
        .map(|(_, finding)| finding)
        .collect();
    let decision = Decision { actor: "keeper".into(), reason: "ordered".into(), at_s: now_s };
    keeper.catalog.acknowledge(&collection, &findings, Some(now_s + 7 * DAY), &decision).expect("noted");
    for name in ["e", "f", "g"] {
        keeper.write(name, "not read yet");
    }
    keeper.audit(|options| options.budget.files = Some(1));
    let third = stood(&keeper);
    assert!(third.open.is_empty(), "{third:?}");
    assert_eq!((third.acknowledged, third.files, third.never_read), (one(Verdict::Corrupt, 1), 7, 2));

    // Its week is over, and so is the promise.
    keeper.passes(9 * DAY);
    keeper.audit(|options| options.budget.files = Some(1));
    let fourth = stood(&keeper);
    assert_eq!(fourth.open, one(Verdict::Corrupt, 1));
    assert!(fourth.late_files > 0 && fourth.late_is_exact, "{fourth:?}");

    // What is held is not said, and what stood before stands.
    for name in ["b", "c", "d", "e", "f", "g"] {
        std::fs::remove_file(keeper.tree().join(name)).expect("removed");
    }
    let (audited, _) = keeper.all();
    assert_eq!(audited.outcome.name(), "held");
    assert_eq!(stood(&keeper).open, one(Verdict::Corrupt, 1));

    // What was kept with the earlier runs is as it was.
    let runs = keeper.catalog.last_runs(keeper.collection().id, 9).expect("readable");
    assert_eq!(runs.last().and_then(|run| run.standing.clone()), Some(first));
    assert_eq!(runs.len(), 5);
}

#[test]
fn a_run_that_has_not_ended_has_nothing_that_stood_then() {
    let mut keeper = Keeper::new(|_| {});
    let collection = keeper.collection();
    let stint = keeper.catalog.begin_stint(collection.id, &request("all"), keeper.now(), 0).expect("begun");
    let standing = |keeper: &Keeper| {
        let mut runs = keeper.catalog.last_runs(collection.id, 1).expect("readable");
        runs.pop().expect("it was begun").standing
    };
    assert_eq!(standing(&keeper), None);
    keeper.catalog.end_stint(stint, None, keeper.now()).expect("stopped");
    assert_eq!(standing(&keeper), None);
    keeper.all();
    assert!(standing(&keeper).is_some());
}

#[test]
fn an_import_keeps_who_why_and_how_many() {
    let mut keeper = Keeper::new(|_| {});
    for name in ["same", "other", "unlisted"] {
        keeper.write(name, format!("content of {name}"));
    }
    keeper.all();
    keeper.passes(DAY);
    let collection = keeper.collection();
    let listed = |text: &str| Content {
        digests: vec![collection.terms.algorithms[0].digest(text.as_bytes())],
        ..Content::default()
    };
    let mut import = Import::new(keeper.directory.path()).expect("a place");
    for (path, text) in [("same", "content of same"), ("other", "another one"), ("gone", "never there")] {
        assert!(import.add(path.as_bytes(), &listed(text)).expect("taken"));
    }
    let decision = Decision { actor: "keeper".into(), reason: "delivery note 12".into(), at_s: keeper.now() };
    let imported =
        import.register(&mut keeper.catalog, &collection, &decision, &mut |_| {}).expect("registered");
    let counts = [("registered", 1), ("matched", 1), ("differing", 1), ("not_found", 1), ("not_listed", 1)];
    assert_eq!(imported.counts(), counts);
    // One that an earlier program has made has no numbers.
    let earlier = keeper.catalog.begin_stint(collection.id, &request("import"), keeper.now(), i64::MAX);
    let earlier = earlier.expect("begun");
    keeper.catalog.end_stint(earlier, Some(Ending::of("imported")), keeper.now()).expect("ended");

    let imports = keeper.catalog.imports(collection.id, 9).expect("readable");
    let [earlier, ours] = &imports[..] else { panic!("{imports:?}") };
    assert_eq!(earlier.counted, None);
    assert_eq!((&ours.actor[..], &ours.reason[..], ours.at_s), ("keeper", "delivery note 12", keeper.now()));
    assert_eq!(ours.counted.map(|counted: Imported| counted.counts()), Some(counts));
    assert_eq!(keeper.catalog.imports(collection.id, 1).expect("readable"), imports[..1]);

    keeper.write("later", "made after that");
    keeper.passes(DAY);
    keeper.all();
    let about = |path: &str| {
        let imports = keeper.catalog.imports_since_known(&collection, &keeper.item(path)).expect("readable");
        imports.into_iter().map(|(import, has)| (import.run, has)).collect::<Vec<_>>()
    };
    assert_eq!(about("gone"), [(ours.run, true), (earlier.run, false)]);
    assert_eq!(about("same"), [(ours.run, false), (earlier.run, false)]);
    assert_eq!(about("later"), []);
}
