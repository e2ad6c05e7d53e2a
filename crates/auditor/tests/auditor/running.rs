//! What others see of an audit while it is under way.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hashlane_auditor::{AuditEvent, AuditOptions, Scope, audit};
use hashlane_catalog::{Clock, Collection, Phase, Reader, Running};
use hashlane_engine::Control;
use hashlane_keeper::{Overview, Told};

use crate::keeper::{DAY, Keeper, corrupt};
use crate::support::{NOW, begun, made};

/// Audits all, and looks at that from outside at each of its events.
fn looked_at(keeper: &mut Keeper) -> Vec<(&'static str, Option<Running>)> {
    let (collection, tree) = (keeper.collection(), keeper.local_tree());
    let (place, now_s) = (keeper.catalog.path().to_owned(), Arc::clone(&keeper.now_s));
    let mut options = AuditOptions::new("keeper");
    options.scope = Scope::All;
    options.clock = Clock::new(move || now_s.load(Ordering::Relaxed));
    options.scratch = keeper.directory.path().to_owned();
    let mut seen = Vec::new();
    let mut events = |event: AuditEvent<'_>| {
        let what = match event {
            AuditEvent::Listed(_) => "listed",
            AuditEvent::Rereading(_) => "rereading",
            AuditEvent::Finding { .. } => "finding",
            AuditEvent::Told => "told",
            _ => return Ok(()),
        };
        let outside = Reader::open(&place)?;
        seen.push((what, outside.running(&collection)?));
        Ok(())
    };
    let control = Arc::new(Control::new());
    audit(&mut keeper.catalog, &collection, &tree, &options, &control, &mut events).expect("an audit");
    seen
}

#[test]
fn each_phase_is_seen_with_what_was_done_in_it() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("good", [b'g'; 1000]);
    keeper.write("bad", [b'b'; 500]);
    keeper.all();
    corrupt(&keeper.tree().join("bad"), &[b'x'; 500]);
    keeper.passes(DAY);
    let seen = looked_at(&mut keeper);
    let (whats, all): (Vec<_>, Vec<_>) = seen.into_iter().unzip();
    assert_eq!(whats, ["listed", "rereading", "finding", "told"]);
    let all: Vec<Running> = all.into_iter().map(|running| running.expect("it is under way")).collect();
    for running in &all {
        assert_eq!((running.process, running.at_s), (std::process::id(), keeper.now()));
        assert_eq!(running.began_s, keeper.now());
    }
    let told = |at: usize| (all[at].phase, all[at].files, all[at].bytes, all[at].planned_bytes);
    assert_eq!(told(0), (Some(Phase::Listing), 0, 0, None));
    assert_eq!(told(1), (Some(Phase::Reading), 2, 1500, Some(1500)));
    assert!(all[1].bytes_per_second.is_some_and(|rate| rate > 0), "{:?}", all[1]);
    let (phase, files, bytes, planned) = told(2);
    assert_eq!((phase, files, planned), (Some(Phase::ReadingAgain), 1, None));
    assert!(bytes >= 500, "{bytes}");
    assert_eq!(told(3), (Some(Phase::Ending), 2, 1500, Some(1500)));
    assert_eq!(keeper.catalog.running(&keeper.collection()).expect("readable"), None);
}

fn told(catalog: &Reader, collection: &Collection) -> (Told, Option<String>) {
    let overview = Overview::of(catalog, collection.clone(), NOW + 60, 1000).expect("readable");
    (overview.told(), overview.last_outcome().map(str::to_owned))
}

#[test]
fn an_audit_is_under_way_as_long_as_its_process_has_the_lock_and_else_it_was_interrupted() {
    let mut made = made();
    let (collection, stint) = begun(&mut made.catalog, "photos");
    let outcome = |what: &str| Some(what.to_owned());
    assert_eq!(told(&made.catalog, &collection), (Told::Interrupted, outcome("interrupted")));
    let lock = made.catalog.lock(&collection, NOW).expect("nobody has it");
    assert_eq!(told(&made.catalog, &collection), (Told::Running, outcome("running")));
    // It has ended without a result, and its process goes on with something else: another audit goes on with it, or nobody does.
    made.catalog.end_stint(stint, None, NOW + 5).expect("ended");
    assert_eq!(made.catalog.running(&collection).expect("readable"), None);
    assert!(made.catalog.is_in_use(&collection).expect("readable"));
    let (state, _) = told(&made.catalog, &collection);
    assert!(matches!(state, Told::Is(_)), "{state:?}");
    drop(lock);
    assert_eq!(told(&made.catalog, &collection), (Told::Interrupted, outcome("interrupted")));
}
