//! What checks, audits and comparisons tell Python: findings, one after the other, and a report in the end.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::{Arc, Mutex, PoisonError};

use hashlane_digest::Digest;
use hashlane_record::{Cause, Escaped, Outcome, Record, count};
use hashlane_verify::{ListSummary, Note, Notes};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::running::Running;

/// This many findings wait to be taken; the run then waits.
pub(crate) const AHEAD: usize = 1024;

/// This many problems are reported one by one.
const MOST_PROBLEMS: usize = 1000;

/// What is found of one file.
pub(crate) struct Finding {
    pub(crate) path: Vec<u8>,
    pub(crate) verdict: &'static str,
    pub(crate) reason: Option<String>,
    pub(crate) errno: Option<i32>,
    pub(crate) other: Option<Vec<u8>>,
    pub(crate) known: Option<Content>,
    pub(crate) seen: Option<Content>,
}

/// Size and digests.
pub(crate) struct Content {
    pub(crate) size: Option<u64>,
    pub(crate) digests: Vec<Digest>,
}

/// What it all comes to.
#[derive(Clone, Default)]
pub(crate) struct Report {
    /// All was verified and nothing is in doubt.
    pub(crate) passed: bool,
    /// Something is in doubt that no finding shows.
    pub(crate) in_doubt: bool,
    /// How it ended, in one word.
    pub(crate) ended: &'static str,
    pub(crate) counts: BTreeMap<&'static str, u64>,
    pub(crate) problems: Vec<String>,
    /// Files that were read, and their bytes.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

/// The findings, as they become available.
#[pyclass(frozen, module = "hashlane._hashlane")]
pub(crate) struct Findings(pub(crate) Running<Finding, Report>);

#[pymethods]
impl Findings {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Finding>> {
        self.0.next(py)
    }

    /// What it came to; nothing before its end.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(report) = self.0.end() else { return Ok(None) };
        let told = PyDict::new(py);
        told.set_item("passed", report.passed)?;
        told.set_item("in_doubt", report.in_doubt)?;
        told.set_item("ended", report.ended)?;
        told.set_item("counts", report.counts.clone())?;
        told.set_item("problems", report.problems.clone())?;
        told.set_item("files", report.files)?;
        told.set_item("size", report.bytes)?;
        Ok(Some(told))
    }
}

/// As a tuple, whose members Python names.
impl<'py> IntoPyObject<'py> for Finding {
    type Target = pyo3::types::PyTuple;
    type Output = Bound<'py, Self::Target>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let Self { path, verdict, reason, errno, other, known, seen } = self;
        let named = |name: &[u8]| OsStr::from_bytes(name).to_owned();
        let content = |content: Content| {
            let digests: Vec<_> = content
                .digests
                .iter()
                .map(|digest| (digest.algorithm().name(), digest.to_string()))
                .collect();
            (content.size, digests)
        };
        let (path, other) = (named(&path), other.as_deref().map(named));
        (path, verdict, reason, errno, other, known.map(content), seen.map(content)).into_pyobject(py)
    }
}

/// Problems of lists, lines and directories, which no finding shows.
#[derive(Clone, Default)]
pub(crate) struct Problems(Arc<Mutex<(Vec<String>, usize)>>);

impl Problems {
    pub(crate) fn add(&self, problem: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.0.len() < MOST_PROBLEMS {
            true => all.0.push(problem),
            false => all.1 += 1,
        }
    }

    /// All of them; of too many, how many more there are.
    pub(crate) fn told(&self) -> Vec<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let more = (all.1 > 0).then(|| format!("{} problems like these are not told", count(all.1 as u64)));
        all.0.iter().cloned().chain(more).collect()
    }

    /// Takes what is noted while lists are read.
    pub(crate) fn notes(&self) -> Notes {
        let problems = self.clone();
        Arc::new(move |note| {
            if let Some(problem) = told(note) {
                problems.add(problem);
            }
        })
    }

    /// Adds what lists have that cannot be verified. Returns whether that leaves a doubt.
    pub(crate) fn of_lists(&self, lists: &[ListSummary]) -> bool {
        let mut doubt = false;
        for list in lists {
            let name = Escaped(list.name.as_bytes());
            let counts = [
                (list.undigested, "listed without a digest that can be verified"),
                (list.recorded_bad, "recorded as unreadable or unstable"),
                (list.refused, "not taken, or contradicting others"),
            ];
            for (files, what) in counts.into_iter().filter(|(files, _)| *files > 0) {
                self.add(format!("{name}: {} files {what}", count(files)));
                doubt = true;
            }
            if list.commented_out > 0 {
                self.add(format!(
                    "{name}: {} entries commented out, not verified",
                    count(list.commented_out)
                ));
            }
            doubt |= list.broken_off;
        }
        doubt
    }
}

fn told(note: Note<'_>) -> Option<String> {
    match note {
        Note::StandardInput | Note::Proven { .. } | Note::Assumed { .. } => None,
        Note::OneTooDeep { .. } => Some(format!("{note}; strip_prefix takes it off")),
        note => Some(note.to_string()),
    }
}

/// The system's number of what kept a file from being read.
pub(crate) fn errno(record: &Record) -> Option<i32> {
    match record.outcome {
        Outcome::Failed(failure) => match failure.cause {
            Cause::System(errno) => Some(errno),
            _ => None,
        },
        _ => None,
    }
}
