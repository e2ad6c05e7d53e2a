//! `hashlane.audit_collection`: an audit of a collection of the catalogue, which records what it finds.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_auditor::{AuditEvent, AuditOptions, Audited, Outcome};
use hashlane_catalog::{
    Acting, Clock, Collection, Content as Kept, Error, Opening, Reader, Way, Writer, usual_place,
};
use hashlane_engine::{Control, WalkOptions};
use hashlane_keeper::{Night, NightEnd, NightError, NightEvent, NightOptions, NotAudited};
use hashlane_objects::{Connection, Told};
use hashlane_record::{Escaped, counted};
use pyo3::prelude::*;

use crate::reading::Jobs;
use crate::running::{Hand, Running};
use crate::told::{AHEAD, Content, Finding, Findings, Problems, Report};
use crate::{errors, reading};

/// Begins to audit a collection.
#[pyfunction]
#[pyo3(signature = (name, catalog, *, due, actor, reason, jobs, endpoint, region, credentials, max_requests))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn audit_collection(
    py: Python<'_>,
    name: String,
    catalog: Option<Vec<u8>>,
    due: bool,
    actor: String,
    reason: String,
    jobs: Option<Jobs>,
    endpoint: Option<String>,
    region: Option<String>,
    credentials: Option<HashMap<String, String>>,
    max_requests: Option<u64>,
) -> PyResult<Findings> {
    let for_store = endpoint.is_some() || region.is_some() || credentials.is_some() || max_requests.is_some();
    let mut connection = Connection::new();
    (connection.endpoint, connection.region) = (endpoint, region);
    connection.credentials = credentials.into_iter().flatten().collect();
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
    options.reason = reason;
    let running = Running::start(py, AHEAD, move |hand, control| {
        let told = |error: Error| failed(&place, &error);
        // To open it for writing would bring an old one up to date: not for an audit that is refused.
        let asked = Reader::open_within(&place, Reader::PATIENCE)
            .and_then(|catalog| catalog.collection(&name))
            .map_err(told)?;
        if for_store && !asked.terms.is_in_store() {
            let why = "is a directory: endpoint, region, credentials and max_requests are for collections in object stores";
            return Err(errors::refused(Some(asked.terms.root.as_os_str()), &why));
        }
        let by = hashlane_keeper::acting(Way::Python);
        let opening = Opening {
            acting: Acting { actor: options.actor.clone(), reason: options.reason.clone(), ..by },
            backups: hashlane_keeper::backups(),
        };
        let mut catalog = Writer::open_by(&place, &opening).map_err(told)?;
        let collection = catalog.collection(&name).map_err(told)?;
        // Of a store nothing is measured here.
        let root = Some(collection.terms.root.as_os_str()).filter(|_| !collection.terms.is_in_store());
        let algorithms = collection.terms.algorithms.clone().into();
        let engine = reading::options(algorithms, WalkOptions::default(), jobs, root.into_iter())?;
        let (requests, reads_all, told): (_, _, Told) = (max_requests, !due, |_, error| error.to_string());
        let options = NightOptions { audit: options, reads_all, requests, connection, engine, told };
        run(&mut catalog, &collection, &options, hand, control)
    })?;
    Ok(Findings(running))
}

fn run(
    catalog: &mut Writer,
    collection: &Collection,
    options: &NightOptions,
    hand: &Hand<Finding>,
    control: &Arc<Control>,
) -> PyResult<Report> {
    let problems = Problems::default();
    let has_begun = Cell::new(false);
    let begin = || {
        if !has_begun.replace(true) {
            hand.begun();
        }
    };
    let path = catalog.path().to_owned();
    let told = |error: &Error| failed(&path, error);
    let (mut audited, mut late, mut not_audited) = (None, 0, None);
    let mut events = |_: &Collection, event: NightEvent<'_>| {
        match event {
            NightEvent::Audit(event) => {
                begin();
                if let AuditEvent::Unlisted { path, reason } = event {
                    problems.add(format!("{}: {reason}", Escaped(path)));
                }
                // If nobody takes them any more.
                let given = finding(event).map_or(Ok(()), |finding| hand.give(finding));
                return given.map_err(|_| Error::Stopped);
            }
            NightEvent::Audited(finished) => audited = Some(finished.audited.clone()),
            NightEvent::NotAudited(why) => {
                not_audited = match why {
                    NotAudited::Away(error) => Some(told(error)),
                    NotAudited::TooFewRequests { .. } => Some(told(&Error::BudgetTooSmall)),
                    NotAudited::Paused(pause) => Some(told(&Error::Paused { pause: pause.clone() })),
                    _ => None,
                };
            }
            NightEvent::Late(files) => late = files.files(),
            _ => {}
        }
        Ok(())
    };
    let all = (&mut *catalog, std::slice::from_ref(collection));
    let end = Night::run(options, None, all, control, &mut events).map_err(|error| match error {
        NightError::Catalog(error) => told(&error),
        NightError::Place { source, .. } => errors::refused(None, &source),
    })?;
    let audited = audited.ok_or_else(|| not_audited.unwrap_or_else(|| told(&Error::Stopped)))?;
    begin();
    // What it found is found, whatever becomes of the copy.
    if let Err(error) = catalog.back_up_weekly(Clock::of_system().now_s()) {
        problems.add(format!("the weekly copy of the catalogue was not made: {error}"));
    }
    Ok(report(collection, &audited, (&end, late), &problems))
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
    collection: &Collection,
    audited: &Audited,
    (end, late): (&NightEnd, u64),
    problems: &Problems,
) -> Report {
    match &audited.outcome {
        Outcome::Held(held) => problems.add(held.to_string()),
        Outcome::Offline(reason) | Outcome::Refused(reason) => {
            problems
                .add(format!("{}: {reason}", Escaped(collection.terms.root.as_os_str().as_encoded_bytes())));
        }
        Outcome::Empty => problems.add("the tree has no files: nothing is registered".to_owned()),
        _ => {}
    }
    if late > 0 {
        problems.add(format!("late: {} not read within the promised time", counted(late, "file")));
    }
    let in_doubt = audited.outcome != Outcome::Complete || end.is_unclear;
    Report {
        passed: !in_doubt && end.findings.is_empty() && !end.is_late,
        in_doubt,
        ended: audited.outcome.name(),
        counts: audited.counts.iter().map(|(verdict, files)| (verdict.name_in_collection(), files)).collect(),
        problems: problems.told(),
        files: audited.files,
        bytes: audited.bytes,
    }
}

fn failed(catalog: &Path, error: &Error) -> PyErr {
    match error {
        Error::Open { path, source } => errors::system(path.as_os_str(), source),
        Error::Engine(error) => errors::engine(error),
        error => errors::refused(Some(OsStr::new(catalog)), error),
    }
}
