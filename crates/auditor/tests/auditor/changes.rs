//! Who decides leaves a trace, and what is found is reported.

use std::sync::Arc;

use hashlane_auditor::{AuditEvent, AuditOptions, Scope, audit};
use hashlane_catalog::{Change, Choice, Clock, Decision, Error, Reader, Verdict};
use hashlane_engine::Control;
use serde_json::{Value, json};

use crate::keeper::{DAY, Keeper, corrupt, said};

#[test]
fn who_decides_on_findings_leaves_a_trace() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "first");
    keeper.write("b", "second");
    keeper.all();
    keeper.passes(DAY);
    for name in ["a", "b"] {
        std::fs::remove_file(keeper.tree().join(name)).expect("removed");
    }
    keeper.write("c", "third");
    keeper.all();
    let collection = keeper.collection();
    let chosen = keeper.catalog.chosen(&collection, &Choice::default()).expect("readable");
    let findings: Vec<_> = chosen.into_iter().map(|(_, finding)| finding).collect();
    let decision =
        |reason: &str| Decision { actor: "keeper".into(), reason: reason.into(), at_s: keeper.now() };
    let (known, gone) = (decision("sent back"), decision("not needed"));
    keeper.catalog.acknowledge(&collection, &findings[..1], Some(known.at_s + DAY), &known).expect("noted");
    keeper.accept(&findings, &gone).expect("accepted");
    let changes = keeper.catalog.changes(None, Some(known.at_s)).expect("readable");
    let until_s = known.at_s + DAY;
    let told = |change: &Change| (change.what.clone(), Value::Object(change.becomes.clone()));
    assert!(changes.iter().all(|change| change.collection == collection.terms.name && change.was.is_empty()));
    assert_eq!(
        changes.iter().map(told).collect::<Vec<_>>(),
        [
            ("acknowledged".to_owned(), json!({"files": 1, "until_s": until_s})),
            ("accepted".to_owned(), json!({"files": 1})),
        ],
        "what was acknowledged since is another finding than the one that was looked at"
    );
    assert_eq!((&changes[1].actor[..], &changes[1].reason[..]), ("keeper", "not needed"));
}

#[test]
fn what_was_acknowledged_under_a_clock_of_the_future_alarms_all_the_same() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "first");
    keeper.write("b", "second");
    keeper.all();
    keeper.passes(DAY);
    std::fs::remove_file(keeper.tree().join("a")).expect("removed");
    keeper.all();
    let collection = keeper.collection();
    let open = |catalog: &Reader, now_s| catalog.standing(collection.id, now_s).expect("readable")[0].open;
    let now_s = keeper.now();
    for (ahead_s, expected) in [(3600, 0), (400 * DAY, 1)] {
        let findings = [keeper.finding("a")];
        let at_s = now_s + ahead_s;
        let decision = Decision { actor: "keeper".into(), reason: "restored soon".into(), at_s };
        keeper.catalog.acknowledge(&collection, &findings, Some(at_s + 14 * DAY), &decision).expect("noted");
        assert_eq!(open(&keeper.catalog, now_s), expected, "{ahead_s} s ahead");
        assert_eq!(open(&keeper.catalog, at_s), 0, "its time has come");
    }
}

/// An audit of all whose sink takes at most this many findings, and then fails. What it was given, and whether that was again.
fn until(keeper: &mut Keeper, takes: usize) -> (Vec<(String, bool)>, bool) {
    let (collection, tree) = (keeper.collection(), keeper.local_tree());
    let mut options = AuditOptions::new("keeper");
    let now_s = keeper.now();
    (options.scope, options.clock) = (Scope::All, Clock::new(move || now_s));
    options.scratch = keeper.directory.path().to_owned();
    let (mut heard, mut kept) = (Vec::new(), Vec::new());
    let mut events = |event: AuditEvent<'_>| {
        let full = || Error::Sink("the disk is full".into());
        match event {
            AuditEvent::Finding { path, is_new: true, again_s, .. } => {
                heard.push((String::from_utf8_lossy(path).into_owned(), again_s.is_some()));
            }
            // What was taken is not written yet.
            AuditEvent::Told if heard.len() > takes => return Err(full()),
            AuditEvent::Told => kept = heard.clone(),
            _ => {}
        }
        Ok(())
    };
    let audited =
        audit(&mut keeper.catalog, &collection, &tree, &options, &Arc::new(Control::new()), &mut events);
    (kept, audited.is_ok())
}

#[test]
fn what_was_found_and_not_written_is_told_by_the_next_audit() {
    let mut keeper = Keeper::new(|_| {});
    for name in ["a", "b", "c"] {
        keeper.write(name, format!("content of {name}"));
    }
    keeper.all();
    keeper.passes(DAY);
    for name in ["a", "b"] {
        corrupt(&keeper.tree().join(name), b"CONTENT");
    }
    let (kept, is_over) = until(&mut keeper, 0);
    assert_eq!((kept, is_over), (vec![], false));
    assert_eq!(
        keeper.standing(),
        said(&[("a", Verdict::Corrupt), ("b", Verdict::Corrupt)]),
        "it is recorded"
    );
    let again = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), true)).collect::<Vec<_>>();
    assert_eq!(until(&mut keeper, 9), (again(&["a", "b"]), true));
    assert_eq!(until(&mut keeper, 9), (vec![], true), "each is told once");
    // What somebody knows of need not be reported.
    corrupt(&keeper.tree().join("c"), b"CONTENT");
    assert_eq!(until(&mut keeper, 0), (vec![], false));
    let (collection, findings) = (keeper.collection(), [keeper.finding("c")]);
    let decision = Decision { actor: "keeper".into(), reason: "known".into(), at_s: keeper.now() };
    keeper.catalog.acknowledge(&collection, &findings, None, &decision).expect("noted");
    assert_eq!(until(&mut keeper, 9), (vec![], true));
}
