//! How files are read, as the command reads them where nothing else is asked for.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use hashlane_engine::{AlgorithmSet, Filter, FilterError, GlobPurpose, Options, WalkOptions};
use hashlane_profile::{Backends, Cache, Suited, program};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Threads that a caller asks for: one at least.
#[derive(Clone, Copy)]
pub(crate) struct Jobs(pub(crate) usize);

impl<'py> FromPyObject<'_, 'py> for Jobs {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let jobs: isize = object.extract()?;
        usize::try_from(jobs).ok().filter(|jobs| *jobs > 0).map(Self).ok_or_else(|| {
            PyValueError::new_err("jobs: at least one thread is needed; use None to have their number chosen")
        })
    }
}

/// Where measurements of this machine are kept.
pub(crate) fn cache() -> Option<Cache> {
    let named = std::env::var_os("HASHLANE_CACHE").filter(|directory| !directory.is_empty());
    named.map(|directory| Cache::at(directory.as_ref())).or_else(Cache::usual)
}

/// Options of a run on `places`.
pub(crate) fn options<'a>(
    algorithms: AlgorithmSet,
    walk: WalkOptions,
    jobs: Option<Jobs>,
    places: impl Iterator<Item = &'a OsStr>,
) -> PyResult<Options> {
    let cache = cache();
    let mut options = Options::new(algorithms);
    options.workers = jobs.map(|Jobs(jobs)| jobs);
    options.profile = Suited::to(cache.as_ref(), &program(), places).profile;
    options.backend = Backends::kept(cache, &program()).choice();
    options.cache_bytes = Some(hashlane_io::usual_cache_bytes());
    options.walk = walk;
    Ok(options)
}

/// How directories are walked.
pub(crate) fn walk(follow: bool, include: &[String], exclude: &[String]) -> PyResult<WalkOptions> {
    let filter = Filter::new(include, exclude, &[]).map_err(|error| {
        let argument = match error {
            FilterError::Glob { purpose: GlobPurpose::Include, .. } => "include: ",
            FilterError::Glob { purpose: GlobPurpose::Exclude, .. } => "exclude: ",
            _ => "",
        };
        PyValueError::new_err(format!("{argument}{error}"))
    })?;
    Ok(WalkOptions { follow, filter, ..WalkOptions::default() })
}

/// What is taken off listed names.
pub(crate) fn prefixes(strip_prefix: Option<&[u8]>) -> Vec<OsString> {
    strip_prefix.map(path).into_iter().collect()
}

/// A path that Python has turned into bytes.
pub(crate) fn path(bytes: &[u8]) -> OsString {
    OsStr::from_bytes(bytes).to_owned()
}
