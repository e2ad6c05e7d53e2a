//! `hashlane.audit`: what became of the files that lists name, and of those that they do not?

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use hashlane_audit::Verdict;
use hashlane_engine::{Control, Options, WalkOptions};
use hashlane_keeper::is_object;
use hashlane_record::Escaped;
use hashlane_verify::audit::{Audited, End, Event, Listing, SeenElsewhere, TreeAudit};
use hashlane_verify::lists::ListOptions;
use hashlane_verify::{AuditOptions, ListSummary, Problem, Selection};
use pyo3::prelude::*;

use crate::check::{Place, list_options};
use crate::reading::Jobs;
use crate::running::{Hand, Running};
use crate::told::{AHEAD, Content, Finding, Findings, Problems, Report};
use crate::{errors, reading};

/// What is to be audited, and by which lists.
struct Request {
    lists: Vec<OsString>,
    source: Option<OsString>,
    reading: ListOptions,
    walk: WalkOptions,
    engine: Options,
    prefixes: Vec<OsString>,
}

impl Request {
    fn new(
        manifests: &[Vec<u8>],
        source: Option<&[u8]>,
        strip_prefix: Option<&[u8]>,
        (algorithm, format): (Option<&str>, Option<&str>),
        walk: WalkOptions,
        jobs: Option<Jobs>,
    ) -> PyResult<Self> {
        let source = source.map(reading::path);
        let place = source.as_deref().unwrap_or(OsStr::new("."));
        let place = std::iter::once(place).filter(|place| !is_object(place.as_encoded_bytes()));
        Ok(Self {
            lists: manifests.iter().map(|name| reading::path(name)).collect(),
            reading: list_options(algorithm, format)?,
            engine: reading::options(Arc::new([]), walk.clone(), jobs, place)?,
            walk,
            prefixes: reading::prefixes(strip_prefix),
            source,
        })
    }

    /// Reads the lists. With the audit comes whether they leave something in doubt.
    fn begin(self, problems: &Problems) -> PyResult<(TreeAudit, bool)> {
        let Self { lists, source, reading, walk, engine, prefixes } = self;
        let mut options = AuditOptions::new(engine);
        let Place { base, elsewhere, here } = Place::of(source, &lists, &reading)?;
        (options.lookup.reading, options.lookup.prefixes) = (reading, prefixes);
        (options.lookup.base, options.lookup.elsewhere) = (base, elsewhere);
        options.lookup.selection = Selection::new(walk, here);
        options.tells_passes = true;
        let mut listing = Listing::new(options, problems.notes());
        let mut summaries: Vec<ListSummary> = Vec::new();
        for list in &lists {
            summaries.push(listing.read(list).map_err(|error| errors::verify(&error))?);
        }
        if listing.is_empty() {
            let list = lists.first().map(OsString::as_os_str);
            return Err(errors::refused(list, &"no file is listed; there is nothing to audit"));
        }
        let audit = listing.start().map_err(|error| errors::verify(&error))?;
        let doubt = problems.of_lists(&summaries) | (audit.contradictions() > 0);
        Ok((audit, doubt))
    }
}

/// Begins to audit a tree. `seen`: tables of what others have read of it.
#[pyfunction]
#[pyo3(signature = (manifests, source, *, seen, strip_prefix, algorithm, format, follow, include, exclude, jobs))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn audit(
    py: Python<'_>,
    manifests: Vec<Vec<u8>>,
    source: Option<Vec<u8>>,
    seen: Option<Vec<Vec<u8>>>,
    strip_prefix: Option<Vec<u8>>,
    algorithm: Option<&str>,
    format: Option<&str>,
    follow: bool,
    include: Vec<String>,
    exclude: Vec<String>,
    jobs: Option<Jobs>,
) -> PyResult<Findings> {
    let walk = reading::walk(follow, &include, &exclude)?;
    let strip_prefix = strip_prefix.as_deref();
    let request = Request::new(&manifests, source.as_deref(), strip_prefix, (algorithm, format), walk, jobs)?;
    let seen = seen.map(|tables| SeenElsewhere {
        tables: tables.iter().map(|table| reading::path(table)).collect(),
        apart: request.lists.clone(),
    });
    let running = Running::start(py, AHEAD, move |hand, control| run(request, seen.as_ref(), hand, control))?;
    Ok(Findings(running))
}

/// What others are to read for an audit: its roots, and the algorithms by which contents are compared.
#[pyfunction]
#[pyo3(signature = (manifests, source, *, strip_prefix, algorithm, format, follow, include, exclude))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn plan_audit(
    py: Python<'_>,
    manifests: Vec<Vec<u8>>,
    source: Option<Vec<u8>>,
    strip_prefix: Option<Vec<u8>>,
    algorithm: Option<&str>,
    format: Option<&str>,
    follow: bool,
    include: Vec<String>,
    exclude: Vec<String>,
) -> PyResult<(Vec<OsString>, Vec<&'static str>)> {
    let walk = reading::walk(follow, &include, &exclude)?;
    let strip_prefix = strip_prefix.as_deref();
    let request = Request::new(&manifests, source.as_deref(), strip_prefix, (algorithm, format), walk, None)?;
    let running = Running::start(py, 1, move |_: &Hand<()>, _| {
        let (mut audit, _) = request.begin(&Problems::default())?;
        if audit.engine().division.is_some() {
            return Err(errors::verify(&hashlane_verify::Error::UnlikePieces));
        }
        let roots = audit.roots().iter().map(|root| root.as_path().as_os_str().to_owned());
        let algorithms = audit.algorithms().iter().map(|algorithm| algorithm.name());
        Ok((roots.collect(), algorithms.collect()))
    })?;
    running.next(py)?;
    Ok(running.end().cloned().unwrap_or_default())
}

fn run(
    request: Request,
    seen: Option<&SeenElsewhere>,
    hand: &Hand<Finding>,
    control: &Arc<Control>,
) -> PyResult<Report> {
    let problems = Problems::default();
    let (audit, mut doubt) = request.begin(&problems)?;
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
            let problem = problem_of.take().filter(|(path, ..)| is_of(path, found.path));
            let (_, reason, errno) = problem.unwrap_or_default();
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
    let audited = match seen {
        Some(seen) => audit.run_on(seen, &mut told, control),
        None => audit.run(&mut told, control),
    };
    let audited = audited.map_err(|error| errors::verify(&error))?;
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
        End::Unlisted => {
            problems.add(
                "the objects were not listed to the end: nothing is reported as missing, moved or new"
                    .to_owned(),
            );
            "unlisted"
        }
        _ => "stopped",
    };
    let counts = Verdict::OF_LISTS.into_iter().map(|verdict| (verdict, audited.counters.of(verdict)));
    let counts = counts.filter(|(_, files)| *files > 0);
    let fine = counts.clone().all(|(verdict, _)| verdict.is_pass() || verdict.is_neutral());
    let verified = counts.clone().any(|(verdict, _)| verdict.is_pass());
    Report {
        passed: fine && verified && !doubt && audited.end == End::Complete,
        in_doubt: doubt || !audited.is_compared() || audited.end != End::Complete,
        ended,
        counts: counts.map(|(verdict, files)| (verdict.name(), files)).collect(),
        problems: problems.told(),
        files: audited.summary.files,
        bytes: audited.summary.digested_bytes,
    }
}

/// Whether a problem is that of a file. It has the name of the file as it is here, and a verdict has the name that is listed.
fn is_of(here: &[u8], listed: &[u8]) -> bool {
    let listed = listed.strip_prefix(b"./").unwrap_or(listed);
    here.strip_suffix(listed).is_some_and(|above| above.is_empty() || above.ends_with(b"/"))
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
