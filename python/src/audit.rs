//! `hashlane.audit`: what became of the files that lists name, and of those that they do not?

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use hashlane_audit::Verdict;
use hashlane_engine::Control;
use hashlane_record::Escaped;
use hashlane_verify::audit::{Audited, End, Event, Listing};
use hashlane_verify::{AuditOptions, ListSummary, Problem, Selection, here};
use pyo3::prelude::*;

use crate::check::list_options;
use crate::running::{Hand, Running};
use crate::told::{AHEAD, Content, Finding, Findings, Problems, Report};
use crate::{errors, reading};

/// Begins to audit a tree.
#[pyfunction]
#[pyo3(signature = (manifests, source, *, algorithm, format, follow, include, exclude, jobs))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn audit(
    py: Python<'_>,
    manifests: Vec<Vec<u8>>,
    source: Option<Vec<u8>>,
    algorithm: Option<&str>,
    format: Option<&str>,
    follow: bool,
    include: Vec<String>,
    exclude: Vec<String>,
    jobs: Option<usize>,
) -> PyResult<Findings> {
    let reading = list_options(algorithm, format)?;
    let lists: Vec<OsString> = manifests.iter().map(|name| reading::path(name)).collect();
    let base = source.map(|source| reading::path(&source));
    let place = base.as_deref().unwrap_or(OsStr::new("."));
    let walk = reading::walk(follow, &include, &exclude)?;
    let engine = reading::options(Arc::new([]), walk.clone(), jobs, std::iter::once(place))?;
    let here = if base.is_some() { Vec::new() } else { here() };
    let running = Running::start(py, AHEAD, move |hand, control| {
        let mut options = AuditOptions::new(engine);
        options.reading = reading;
        options.base = reading::base(base)?;
        options.selection = Selection::new(walk, here);
        options.tells_passes = true;
        run(options, &lists, hand, control)
    })?;
    Ok(Findings(running))
}

fn run(
    options: AuditOptions,
    lists: &[OsString],
    hand: &Hand<Finding>,
    control: &Arc<Control>,
) -> PyResult<Report> {
    let problems = Problems::default();
    let mut listing = Listing::new(options, problems.notes());
    let mut summaries: Vec<ListSummary> = Vec::new();
    for list in lists {
        summaries.push(listing.read(list).map_err(|error| errors::verify(&error))?);
    }
    if listing.is_empty() {
        let list = lists.first().map(OsString::as_os_str);
        return Err(errors::refused(list, &"no file is listed; there is nothing to audit"));
    }
    let audit = listing.start().map_err(|error| errors::verify(&error))?;
    let mut doubt = problems.of_lists(&summaries) | (audit.contradictions() > 0);
    hand.begun();
    // The problem of a file comes just before its verdict.
    let mut problem_of = None;
    let mut told = |event: &Event<'_>| match event {
        Event::Problem { path, problem, is_directory: true } => {
            problems.add(format!("{}: {problem}", Escaped(path)));
            Ok(())
        }
        Event::Problem { path, problem, .. } => {
            problem_of = Some((path.to_vec(), problem.to_string(), errno(problem)));
            Ok(())
        }
        Event::Verdict(found) => {
            let (_, reason, errno) = problem_of.take_if(|(path, ..)| path == found.path).unwrap_or_default();
            hand.give(Finding {
                path: found.path.to_vec(),
                verdict: found.verdict.name(),
                reason: Some(reason).filter(|reason| !reason.is_empty()),
                errno,
                other: found.other.map(<[u8]>::to_vec),
                known: found.known.clone().map(content),
                seen: found.seen.clone().map(content),
            })
        }
        _ => Ok(()),
    };
    let audited = audit.run(&mut told, control).map_err(|error| errors::verify(&error))?;
    doubt |= audited.unsearched > 0;
    Ok(report(&audited, doubt, &problems))
}

fn report(audited: &Audited, doubt: bool, problems: &Problems) -> Report {
    let ended = match audited.end {
        End::Complete => "complete",
        End::Deserted => {
            problems.add(
                "there are no files below the source: nothing is reported as missing, because the files may be elsewhere"
                    .to_owned(),
            );
            "deserted"
        }
        End::Unlisted => "unlisted",
        _ => "stopped",
    };
    let counts = Verdict::ALL.into_iter().map(|verdict| (verdict, audited.counters.of(verdict)));
    let counts = counts.filter(|(_, files)| *files > 0);
    let fine = counts.clone().all(|(verdict, _)| verdict.is_pass() || verdict.is_neutral());
    let verified = counts.clone().any(|(verdict, _)| verdict.is_pass());
    Report {
        passed: fine && verified && !doubt && audited.end == End::Complete,
        ended,
        counts: counts.map(|(verdict, files)| (verdict.name(), files)).collect(),
        problems: problems.told(),
        files: audited.summary.files,
        bytes: audited.summary.digested_bytes,
    }
}

fn content(content: hashlane_audit::Content) -> Content {
    Content { size: content.size, digests: content.digests }
}

fn errno(problem: &Problem<'_>) -> Option<i32> {
    match problem {
        Problem::Failed(failure) => failure.io_error().raw_os_error(),
        _ => None,
    }
}
