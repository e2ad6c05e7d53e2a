//! Decisions that are made while an audit is under way.

use std::fs;
use std::time::Duration;

use hashlane_auditor::Decided;
use hashlane_catalog::{
    Choice, Decision, EventKind, Finding, Pending, Policy, Reader, Verdict, Wanted, Writer,
};
use hashlane_engine::Control;

use crate::keeper::{DAY, Keeper, Said, corrupt, now_s, said};
use crate::support::{NOW, begun, made, request};

/// Another process, which accepts findings beside an audit and does not wait for it.
fn accept_beside(keeper: &Keeper, findings: &[Finding]) -> impl FnOnce() + use<> {
    let (path, collection, tree) =
        (keeper.catalog.path().to_owned(), keeper.collection(), keeper.local_tree());
    let (findings, decision) = (findings.to_vec(), decision(keeper));
    move || {
        let mut catalog = Writer::open(&path).expect("another connection");
        let decided = hashlane_auditor::accept_beside(
            &mut catalog,
            &collection,
            &tree,
            &findings,
            &decision,
            Duration::ZERO,
        );
        assert_eq!(decided.expect("recorded"), Decided::Waits);
        assert_eq!(catalog.pending(collection.id).expect("readable").waiting, findings.len() as u64);
    }
}

fn decision(keeper: &Keeper) -> Decision {
    Decision { actor: "jane".into(), reason: "all mine".into(), at_s: keeper.now() }
}

fn findings(keeper: &Keeper) -> Vec<Finding> {
    let chosen = keeper.catalog.chosen(&keeper.collection(), &Choice::default()).expect("readable");
    chosen.into_iter().map(|(_, finding)| finding).collect()
}

fn pending(keeper: &Keeper) -> (u64, u64) {
    let Pending { waiting, refused, .. } = keeper.catalog.pending(keeper.collection().id).expect("readable");
    (waiting, refused)
}

/// What the log of changes says, and the decisions of the feed by the paths of their files.
fn told(catalog: &Reader) -> (Vec<String>, Vec<(String, String)>) {
    let changes = catalog.changes(None, None).expect("readable").into_iter().skip(1);
    let mut wanted = Wanted::default();
    wanted.kinds = vec![EventKind::Decision];
    let decisions = catalog.feed(&wanted).and_then(|mut feed| feed.next(100)).expect("readable");
    let path = |path: Option<Vec<u8>>| String::from_utf8(path.expect("of a file")).expect("plain");
    (
        changes.map(|change| format!("{}: {}", change.what, change.becomes["files"])).collect(),
        decisions.into_iter().map(|event| (path(event.path), event.what)).collect(),
    )
}

fn pair(path: &str, what: &str) -> (String, String) {
    (path.into(), what.into())
}

/// A keeper against whose files something of each kind stands that can be accepted.
fn with_findings(policy: Policy) -> Keeper {
    let mut keeper = Keeper::new(|terms| terms.policy = policy);
    for name in ["changed", "corrupt", "gone", "moved", "whole"] {
        keeper.write(name, format!("content of {name}"));
    }
    keeper.all();
    keeper.passes(DAY);
    keeper.write("changed", "something else");
    corrupt(&keeper.tree().join("corrupt"), b"CONTENT of corrupt");
    fs::remove_file(keeper.tree().join("gone")).expect("removed");
    fs::rename(keeper.tree().join("moved"), keeper.tree().join("renamed")).expect("renamed");
    keeper.write("new", "new");
    keeper.all();
    keeper.passes(DAY);
    keeper
}

#[test]
fn what_is_accepted_beside_an_audit_is_accepted_when_that_is_over() {
    for policy in [Policy::Living, Policy::Growing, Policy::Frozen] {
        let mut keeper = with_findings(policy);
        let findings = findings(&keeper);
        assert!(findings.len() >= 2, "{policy:?}");
        keeper.replacing(accept_beside(&keeper, &findings));
        assert_eq!((keeper.standing(), pending(&keeper)), (Said::new(), (0, 0)), "{policy:?}");
        let last = keeper.catalog.last_runs(keeper.collection().id, 1).expect("readable").pop();
        let stood = last.and_then(|last| last.standing).expect("it has ended");
        assert!(stood.open.is_empty(), "what the run keeps is what is so when its audit is over: {stood:?}");
        let (changes, decisions) = told(&keeper.catalog);
        let files = findings.len();
        assert_eq!(changes, [format!("accept-requested: {files}"), format!("accepted: {files}")]);
        assert_eq!(decisions.len(), files);
        assert!(decisions.iter().all(|(_, what)| what == "accepted"), "{decisions:?}");
        keeper.passes(DAY);
        let (audited, found) = keeper.all();
        assert_eq!((found, keeper.standing()), (Said::new(), Said::new()), "{policy:?}");
        assert_eq!(audited.counts.of(Verdict::Ok), audited.files);
    }
}

#[test]
fn what_is_not_as_it_was_found_any_more_is_refused_and_that_is_told() {
    let mut keeper = with_findings(Policy::Frozen);
    let findings = findings(&keeper);
    let accept = accept_beside(&keeper, &findings);
    let tree = keeper.tree();
    keeper.replacing(|| {
        accept();
        // One is read after that, one is not looked at by this audit again.
        fs::write(tree.join("changed"), "something else again").expect("written");
        fs::write(tree.join("gone"), "it is back").expect("written");
    });
    let expected = said(&[("changed", Verdict::Changed), ("gone", Verdict::Missing)]);
    assert_eq!((keeper.standing(), pending(&keeper)), (expected, (0, 2)));
    let (changes, decisions) = told(&keeper.catalog);
    let files = findings.len();
    assert_eq!(changes, [format!("accept-requested: {files}"), format!("accepted: {}", files - 2)]);
    assert!(decisions.contains(&pair("changed", "not-accepted")), "{decisions:?}");
    assert!(decisions.contains(&pair("gone", "not-accepted")), "{decisions:?}");
    assert_eq!(decisions.len(), files);
    // Whoever has decided anew knows of the refusal.
    keeper.passes(DAY);
    keeper.all();
    assert_eq!(keeper.accept_all(), 0);
    assert_eq!((keeper.standing(), pending(&keeper)), (Said::new(), (0, 0)));
}

/// An audit that dies when it has listed the tree.
fn dies(keeper: &mut Keeper, meanwhile: impl FnOnce()) {
    let (tree, control) = (keeper.local_tree(), std::sync::Arc::new(Control::new()));
    let mut meanwhile = Some(meanwhile);
    let mut listed = || meanwhile.take().into_iter().for_each(|meanwhile| meanwhile());
    let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        keeper.over(&tree, |options| options.scope = hashlane_auditor::Scope::All, &control, &mut || {
            listed();
            panic!("killed");
        })
    }));
    assert!(died.is_err());
}

#[test]
fn what_a_dead_audit_has_not_carried_out_is_carried_out_before_anything_else() {
    for accepts in [true, false] {
        let mut keeper = with_findings(Policy::Frozen);
        let all = findings(&keeper);
        let (first, rest) = all.split_at(2);
        let accept = accept_beside(&keeper, first);
        dies(&mut keeper, accept);
        assert_eq!((keeper.standing().len(), pending(&keeper)), (all.len(), (2, 0)));
        match accepts {
            // The next one who accepts.
            true => assert_eq!(keeper.accept(&rest[..1], &decision(&keeper)).expect("accepted"), 0),
            // The next audit.
            false => drop(keeper.all()),
        }
        let left = all.len() - if accepts { 3 } else { 2 };
        assert_eq!((keeper.standing().len(), pending(&keeper)), (left, (0, 0)));
        let (changes, decisions) = told(&keeper.catalog);
        assert_eq!(changes[..2], ["accept-requested: 2", "accepted: 2"]);
        assert_eq!(decisions.iter().filter(|(_, what)| what == "accepted").count(), all.len() - left);
    }
}

#[test]
fn a_decision_waits_for_a_tree_that_cannot_be_reached() {
    let mut keeper = with_findings(Policy::Living);
    let all = findings(&keeper);
    let accept = accept_beside(&keeper, &all);
    dies(&mut keeper, accept);
    let away = keeper.directory.path().join("away");
    fs::rename(keeper.tree(), &away).expect("away");
    keeper.all();
    assert_eq!(pending(&keeper), (all.len() as u64, 0));
    fs::rename(&away, keeper.tree()).expect("back");
    keeper.all();
    assert_eq!((keeper.standing(), pending(&keeper)), (Said::new(), (0, 0)));
}

#[test]
fn who_finds_nobody_auditing_accepts_at_once() {
    let mut keeper = with_findings(Policy::Living);
    let (collection, tree, all) = (keeper.collection(), keeper.local_tree(), findings(&keeper));
    let decision = decision(&keeper);
    let decided = hashlane_auditor::accept_beside(
        &mut keeper.catalog,
        &collection,
        &tree,
        &all,
        &decision,
        Duration::ZERO,
    );
    assert_eq!(decided.expect("accepted"), Decided::Done(vec![]));
    assert_eq!(keeper.standing(), Said::new());
    // And so does who waits for one that ends.
    let keeper = with_findings(Policy::Living);
    let (collection, all) = (keeper.collection(), findings(&keeper));
    let lock = keeper.catalog.lock(&collection, keeper.now()).expect("nobody has it");
    let path = keeper.catalog.path().to_owned();
    let decided = std::thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let mut catalog = Writer::open(&path).expect("another connection");
            let engine = hashlane_engine::Options::new(collection.terms.algorithms.clone().into());
            let tree = hashlane_auditor::Ground::local(&catalog, &collection, engine).expect("good globs");
            hashlane_auditor::accept_beside(
                &mut catalog,
                &collection,
                &tree,
                &all,
                &decision,
                Duration::from_secs(600),
            )
        });
        while keeper.catalog.pending(collection.id).expect("readable").waiting == 0 {
            std::thread::yield_now();
        }
        drop(lock);
        waits.join().expect("it does not panic")
    });
    assert!(matches!(decided, Ok(Decided::Done(refused)) if refused.is_empty()));
    assert_eq!(keeper.standing(), Said::new());
}

#[test]
fn who_asks_twice_has_accepted_once_and_is_told_no_lie() {
    let mut keeper = with_findings(Policy::Frozen);
    let all = findings(&keeper);
    let accept = accept_beside(&keeper, &all);
    dies(&mut keeper, accept);
    // The same is asked for once more: what waited is accepted, and nothing has changed since it was found.
    assert_eq!(keeper.accept(&all, &decision(&keeper)).expect("accepted"), 0);
    assert_eq!((keeper.standing(), pending(&keeper)), (Said::new(), (0, 0)));
    let (_, decisions) = told(&keeper.catalog);
    assert_eq!(decisions.len(), all.len());
    assert!(decisions.iter().all(|(_, what)| what == "accepted"), "{decisions:?}");
}

#[test]
fn two_who_accept_the_same_beside_an_audit_have_both_accepted_it() {
    let mut keeper = with_findings(Policy::Living);
    let all = findings(&keeper);
    let (path, collection, tree) =
        (keeper.catalog.path().to_owned(), keeper.collection(), keeper.local_tree());
    let (accepted, decision) = (all.clone(), decision(&keeper));
    keeper.replacing(move || {
        let mut catalog = Writer::open(&path).expect("another connection");
        for _ in 0..2 {
            let decided = hashlane_auditor::accept_beside(
                &mut catalog,
                &collection,
                &tree,
                &accepted,
                &decision,
                Duration::ZERO,
            );
            assert_eq!(decided.expect("recorded"), Decided::Waits);
        }
    });
    assert_eq!((keeper.standing(), pending(&keeper)), (Said::new(), (0, 0)));
    let (_, decisions) = told(&keeper.catalog);
    assert_eq!(decisions.len(), all.len(), "{decisions:?}");
}

#[test]
fn what_was_refused_is_told_until_somebody_has_decided_and_of_no_later_finding() {
    let mut keeper = with_findings(Policy::Frozen);
    let all = findings(&keeper);
    let (accept, changed) = (accept_beside(&keeper, &all), keeper.tree().join("changed"));
    keeper.replacing(|| {
        accept();
        fs::write(changed, "something else again").expect("written");
    });
    assert_eq!(pending(&keeper), (0, 1));
    keeper.passes(DAY);
    keeper.all();
    assert_eq!((keeper.accept_all(), pending(&keeper)), (0, (0, 0)));
    keeper.passes(100 * DAY);
    corrupt(&keeper.tree().join("changed"), b"SOMETHING else again");
    keeper.all();
    assert_eq!(keeper.standing(), said(&[("changed", Verdict::Corrupt)]));
    assert_eq!(pending(&keeper), (0, 0));
}

#[test]
fn a_lock_under_another_name_of_the_machine_counts_as_long_as_its_audit_is_heard_of() {
    let mut made = made();
    let (collection, _) = begun(&mut made.catalog, "t");
    drop(made.catalog.lock(&collection, NOW).expect("nobody has it"));
    let name =
        |entry: fs::DirEntry| entry.file_name().to_string_lossy().contains(".audit-").then(|| entry.path());
    let files = fs::read_dir(made.directory.path()).expect("listed").flatten();
    let lock = files.filter_map(name).next().expect("a lock");
    // The machine was called so when its audit was killed.
    fs::write(lock, format!("process 7 on another-name since {NOW}\n")).expect("written");
    assert!(!made.catalog.is_in_use(&collection).expect("readable"), "that was long ago");
    made.catalog.begin_stint(collection.id, &request("due"), now_s(), i64::MAX).expect("a stint");
    assert!(made.catalog.is_in_use(&collection).expect("readable"), "it may be a container");
}
