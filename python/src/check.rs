//! `hashlane.check`: do files still have their listed digests?

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_audit::Verdict;
use hashlane_engine::{Control, WalkOptions};
use hashlane_keeper::is_object;
use hashlane_manifest::Format;
use hashlane_record::Outcome;
use hashlane_verify::check::{Check, Checked, Extras, Finding as Found};
use hashlane_verify::lists::{First, ListOptions};
use hashlane_verify::{Base, CheckOptions, Elsewhere, Selection, here};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::hash::algorithm;
use crate::reading::Jobs;
use crate::records::connect;
use crate::running::{Hand, Running};
use crate::told::{AHEAD, Content, Finding, Findings, Problems, Report, errno};
use crate::{errors, reading};

/// How a list is read.
pub(crate) fn list_options(algorithm_name: Option<&str>, format: Option<&str>) -> PyResult<ListOptions> {
    let mut options =
        ListOptions { algorithm: algorithm_name.map(algorithm).transpose()?, ..ListOptions::default() };
    if let Some(name) = format {
        let unknown =
            || PyValueError::new_err(format!("unknown format {name}; `hashlane formats` lists all"));
        options.format = Some(Format::named(name).ok_or_else(unknown)?);
    }
    Ok(options)
}

/// Where listed names are looked up.
pub(crate) struct Place {
    /// A directory that they are relative to.
    pub(crate) base: Option<Base>,
    /// A store, below a prefix that they are relative to or by their whole names.
    pub(crate) elsewhere: Option<Arc<Elsewhere>>,
    /// What relative names are relative to where nothing was named.
    pub(crate) here: Vec<u8>,
}

impl Place {
    /// What was named, if anything was; else what the first list is of.
    pub(crate) fn of(named: Option<OsString>, lists: &[OsString], reading: &ListOptions) -> PyResult<Self> {
        let prefix = named.as_ref().filter(|named| is_object(named.as_bytes()));
        let lists_objects =
            || First::of(lists, reading).is_some_and(|first| is_object(first.name.as_bytes()));
        if prefix.is_some() || named.is_none() && lists_objects() {
            let store = connect(prefix.map_or(&[], std::slice::from_ref))?;
            let store = prefix.map_or(store.clone(), |prefix| store.below(prefix.as_bytes()));
            return Ok(Self { base: None, elsewhere: Some(Arc::new(store)), here: Vec::new() });
        }
        let here = if named.is_some() { Vec::new() } else { here() };
        let base = named.map(|path| Base::open(Path::new(&path))).transpose();
        Ok(Self { base: base.map_err(|error| errors::verify(&error))?, elsewhere: None, here })
    }
}

/// Begins to check the files of lists.
#[pyfunction]
#[pyo3(signature = (manifests, base, *, strip_prefix, algorithm, format, complete, jobs))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn check(
    py: Python<'_>,
    manifests: Vec<Vec<u8>>,
    base: Option<Vec<u8>>,
    strip_prefix: Option<Vec<u8>>,
    algorithm: Option<&str>,
    format: Option<&str>,
    complete: bool,
    jobs: Option<Jobs>,
) -> PyResult<Findings> {
    let reading = list_options(algorithm, format)?;
    let lists: Vec<OsString> = manifests.iter().map(|name| reading::path(name)).collect();
    let base = base.map(|base| reading::path(&base));
    let place = base.as_deref().unwrap_or(OsStr::new("."));
    let walk = WalkOptions::default();
    let places = std::iter::once(place).filter(|place| !is_object(place.as_encoded_bytes()));
    let engine = reading::options(Arc::new([]), walk.clone(), jobs, places)?;
    let prefixes = reading::prefixes(strip_prefix.as_deref());
    let running = Running::start(py, AHEAD, move |hand, control| {
        let Place { base, elsewhere, here } = Place::of(base, &lists, &reading)?;
        let mut options = CheckOptions::new(lists, engine);
        (options.lookup.reading, options.lookup.prefixes) = (reading, prefixes);
        (options.lookup.base, options.lookup.elsewhere) = (base, elsewhere);
        options.lookup.selection = Selection::new(walk, here);
        options.complete = complete;
        run(options, hand, control)
    })?;
    Ok(Findings(running))
}

fn run(options: CheckOptions, hand: &Hand<Finding>, control: &Arc<Control>) -> PyResult<Report> {
    let problems = Problems::default();
    let check = Check::open(options, problems.notes()).map_err(|unopened| match unopened.first() {
        Some(error) => errors::verify(error),
        None => errors::refused(None, &"no manifest is named"),
    })?;
    hand.begun();
    let mut counts = BTreeMap::new();
    let (mut verified, mut fine) = (0_u64, true);
    let mut found = |found: &Found<'_>| {
        *counts.entry(found.verdict.name()).or_default() += 1;
        verified += u64::from(found.verdict.is_pass());
        fine &= found.verdict.is_pass() || found.verdict.is_neutral();
        hand.give(finding(found))
    };
    let checked = check.run(&[], &mut found, control).map_err(|error| errors::verify(&error))?;
    let doubt = doubts(&checked, &problems)?;
    Ok(Report {
        passed: fine && verified > 0 && !doubt && checked.is_complete,
        in_doubt: doubt || verified == 0 || !checked.is_complete,
        ended: if checked.is_complete { "complete" } else { "stopped" },
        counts,
        problems: problems.told(),
        files: checked.summary.files,
        bytes: checked.summary.digested_bytes,
    })
}

/// Whether something is in doubt that no finding shows.
fn doubts(checked: &Checked, problems: &Problems) -> PyResult<bool> {
    let mut doubt = problems.of_lists(&checked.lists) | !checked.unopened.is_empty();
    match &checked.extras {
        Extras::Failed(error) => return Err(errors::verify(error)),
        Extras::ListsLack => {
            problems.add(
                "unlisted files were not looked for, because not all manifests could be read".to_owned(),
            );
            doubt = true;
        }
        _ => {}
    }
    Ok(doubt)
}

fn finding(found: &Found<'_>) -> Finding {
    let has_content = !matches!(found.verdict, Verdict::New | Verdict::Missing | Verdict::Excluded);
    let seen = found.record.filter(|record| record.outcome == Outcome::Read && has_content);
    Finding {
        path: found.path.as_bytes().to_vec(),
        verdict: found.verdict.name(),
        reason: found.problem.map(|problem| problem.to_string()),
        errno: found.record.and_then(errno),
        other: None,
        known: found
            .expected
            .map(|expected| Content { size: expected.size_bytes, digests: expected.digests.clone() }),
        seen: seen
            .map(|record| Content { size: Some(record.digested_bytes), digests: found.computed().to_vec() }),
    }
}
