//! `hashlane.audit_collection`: an audit of a collection of the catalogue, which records what it finds.

use std::cell::Cell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_catalog::{
    Acting, AuditEvent, AuditOptions, Audited, Catalog, Clock, Collection, Content as Kept, Error, LocalTree,
    Opening, Outcome, Scope, Verdict, Way, audit, usual_place,
};
use hashlane_engine::{Control, WalkOptions};
use hashlane_record::{Escaped, counted};
use pyo3::prelude::*;

use crate::reading::Jobs;
use crate::running::{Hand, Running};
use crate::told::{AHEAD, Content, Finding, Findings, Problems, Report};
use crate::{errors, reading};

/// Begins to audit a collection.
#[pyfunction]
#[pyo3(signature = (name, catalog, *, due, actor, reason, jobs))]
pub(crate) fn audit_collection(
    py: Python<'_>,
    name: String,
    catalog: Option<Vec<u8>>,
    due: bool,
    actor: String,
    reason: String,
    jobs: Option<Jobs>,
) -> PyResult<Findings> {
    // As the command finds it.
    let named = std::env::var_os("HASHLANE_CATALOG").filter(|file| !file.is_empty()).map(PathBuf::from);
    let asked = catalog.map(|catalog| PathBuf::from(reading::path(&catalog)));
    let place = asked.or(named).or_else(usual_place);
    let place = place.ok_or_else(|| {
        errors::refused(
            None,
            &"there is no place for the catalogue: HOME is not set; name a file with catalog",
        )
    })?;
    let mut options = AuditOptions::new(actor);
    options.scope = if due { Scope::Due } else { Scope::All };
    options.reason = reason;
    let running = Running::start(py, AHEAD, move |hand, control| {
        let told = |error: Error| failed(&place, &error);
        // To open it for writing would bring an old one up to date: not for an audit that is refused.
        let asked =
            Catalog::open_to_read(&place).and_then(|catalog| catalog.collection(&name)).map_err(told)?;
        if asked.terms.is_in_store() {
            let why = "is in an object store; audit the collection with the command `hashlane audit`";
            return Err(errors::refused(Some(asked.terms.root.as_os_str()), &why));
        }
        let by = hashlane_keeper::acting(Way::Python);
        let opening = Opening {
            acting: Acting { actor: options.actor.clone(), reason: options.reason.clone(), ..by },
            backups: hashlane_keeper::backups(),
        };
        let mut catalog = Catalog::open_by(&place, &opening).map_err(told)?;
        let collection = catalog.collection(&name).map_err(told)?;
        run(&mut catalog, &collection, &options, jobs, (hand, control))
    })?;
    Ok(Findings(running))
}

fn run(
    catalog: &mut Catalog,
    collection: &Collection,
    options: &AuditOptions,
    jobs: Option<Jobs>,
    (hand, control): (&Hand<Finding>, &Arc<Control>),
) -> PyResult<Report> {
    let root = collection.terms.root.as_os_str();
    let algorithms = collection.terms.algorithms.clone().into();
    let engine = reading::options(algorithms, WalkOptions::default(), jobs, std::iter::once(root))?;
    let tree = LocalTree::new(collection, engine).map_err(|error| errors::refused(None, &error))?;
    let tree = tree.without(catalog);
    let problems = Problems::default();
    let has_begun = Cell::new(false);
    let begin = || {
        if !has_begun.replace(true) {
            hand.begun();
        }
    };
    let mut events = |event: AuditEvent<'_>| {
        begin();
        if let AuditEvent::Unlisted { path, reason } = event {
            problems.add(format!("{}: {reason}", Escaped(path)));
        }
        match finding(&event).map(|finding| hand.give(finding)) {
            // Nobody takes them any more.
            Some(Err(_)) => Err(Error::Stopped),
            _ => Ok(()),
        }
    };
    let path = catalog.path().to_owned();
    let told = |error: Error| failed(&path, &error);
    let audited = audit(catalog, collection, &tree, options, control, &mut events).map_err(told)?;
    begin();
    // What it found is found, whatever becomes of the copy.
    if let Err(error) = catalog.back_up_weekly(Clock::of_system().now_s()) {
        problems.add(format!("the weekly copy of the catalogue was not made: {error}"));
    }
    report(catalog, collection, &audited, &problems).map_err(told)
}

fn finding(event: &AuditEvent<'_>) -> Option<Finding> {
    let (path, verdict) = match *event {
        AuditEvent::File { path, verdict, .. } | AuditEvent::Finding { path, verdict, .. } => (path, verdict),
        _ => return None,
    };
    let (mut reason, mut known, mut seen) = (None, None, None);
    if let AuditEvent::Finding { seen: found, known: kept, .. } = event {
        reason = Some(found.detail.clone()).filter(|detail| !detail.is_empty());
        (known, seen) = (content(kept), content(&found.content));
    }
    Some(Finding {
        path: path.to_vec(),
        verdict: verdict.name_in_collection(),
        reason,
        errno: None,
        other: None,
        known,
        seen,
    })
}

fn content(kept: &Kept) -> Option<Content> {
    let is_known = kept.size.is_some() || !kept.digests.is_empty();
    is_known.then(|| Content { size: kept.size, digests: kept.digests.clone() })
}

/// What it came to. What stands against the collection from before counts as well, unless somebody knows of it.
fn report(
    catalog: &Catalog,
    collection: &Collection,
    audited: &Audited,
    problems: &Problems,
) -> Result<Report, Error> {
    match &audited.outcome {
        Outcome::Held(held) => problems.add(held.to_string()),
        Outcome::Offline(reason) | Outcome::Refused(reason) => {
            problems
                .add(format!("{}: {reason}", Escaped(collection.terms.root.as_os_str().as_encoded_bytes())));
        }
        Outcome::Empty => problems.add("the tree has no files: nothing is registered".to_owned()),
        _ => {}
    }
    let now_s = Clock::of_system().now_s();
    let open: u64 = catalog.standing(collection.id, now_s)?.iter().map(|standing| standing.open).sum();
    let late = catalog.late_within(collection, now_s, 1)?.files();
    if late > 0 {
        problems.add(format!("late: {} not read within the promised time", counted(late, "file")));
    }
    let is_late = late > 0 || catalog.was_never_read_in_time(collection, now_s)?;
    let in_doubt = audited.listing.unlisted > 0 || audited.counts.of(Verdict::UnstableMedium) > 0;
    Ok(Report {
        passed: audited.outcome == Outcome::Complete && open == 0 && !is_late && !in_doubt,
        in_doubt: audited.outcome != Outcome::Complete || in_doubt,
        ended: audited.outcome.name(),
        counts: audited.counts.iter().map(|(verdict, files)| (verdict.name_in_collection(), files)).collect(),
        problems: problems.told(),
        files: audited.files,
        bytes: audited.bytes,
    })
}

fn failed(catalog: &Path, error: &Error) -> PyErr {
    match error {
        Error::Open { path, source } => errors::system(path.as_os_str(), source),
        Error::Engine(error) => errors::engine(error),
        error => errors::refused(Some(OsStr::new(catalog)), error),
    }
}
