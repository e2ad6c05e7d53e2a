//! `hashlane.diff`: two lists, or a list and a tree, name by name.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use hashlane_audit::diff::{Counts, Difference, Error as Sorting, Merge, Pair, Rows};
use hashlane_engine::{Control, Options, Summary, WalkOptions};
use hashlane_io::{memory_budget, start_thread_in, temporary_directory};
use hashlane_manifest::ReadOptions;
use hashlane_objects::is_object;
use hashlane_record::{Escaped, ItemPath, counted};
use hashlane_verify::check::identity;
use hashlane_verify::rows::{ListRows, Loaded};
use hashlane_verify::tree::{Tree, TreeEnded};
use hashlane_verify::{Places, Problem, Selection};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::check::list_options;
use crate::reading::Jobs;
use crate::running::{Hand, Running};
use crate::told::{AHEAD, Content, Finding, Findings, Problems, Report};
use crate::{errors, reading};

/// Memory for both sides, as the command has it.
const MEMORY_BYTES: usize = 64 << 20;

/// Begins to compare.
#[pyfunction]
#[pyo3(signature = (a, b, base, *, strip_prefix, algorithm, format, jobs))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn diff(
    py: Python<'_>,
    a: Vec<u8>,
    b: Vec<u8>,
    base: Option<Vec<u8>>,
    strip_prefix: Option<Vec<u8>>,
    algorithm: Option<&str>,
    format: Option<&str>,
    jobs: Option<Jobs>,
) -> PyResult<Findings> {
    if is_object(&a) || is_object(&b) {
        return Err(PyValueError::new_err("objects are compared by the command `hashlane diff`"));
    }
    let list = list_options(algorithm, format)?;
    let list = ReadOptions { format: list.format, fallback: list.algorithm, ..ReadOptions::default() };
    let (a, b) = (reading::path(&a), reading::path(&b));
    let base = base.map(|base| reading::path(&base));
    if base.as_ref().is_some_and(|base| is_object(base.as_encoded_bytes())) {
        return Err(PyValueError::new_err("objects are compared by the command `hashlane diff`"));
    }
    let prefixes = reading::prefixes(strip_prefix.as_deref());
    let engine = match (Path::new(&a).is_dir(), Path::new(&b).is_dir()) {
        (true, true) => {
            return Err(PyValueError::new_err(
                "a and b are both directories, and at least one must be a manifest; write one from sum_files",
            ));
        }
        (false, false) if base.is_some() => {
            return Err(PyValueError::new_err("base: applies to a directory, and neither a nor b is one"));
        }
        (false, false) => None,
        (is_a, _) => {
            let root = if is_a { &a } else { &b };
            let place = std::iter::once(root.as_os_str());
            Some((is_a, reading::options(Arc::new([]), WalkOptions::default(), jobs, place)?))
        }
    };
    let running = Running::start(py, AHEAD, move |hand, control| {
        let comparison = Comparison { list, base, prefixes, hand, control, problems: Problems::default() };
        match engine {
            None => comparison.lists(&a, &b),
            Some((true, engine)) => comparison.with_tree(&a, &b, true, engine),
            Some((false, engine)) => comparison.with_tree(&b, &a, false, engine),
        }
    })?;
    Ok(Findings(running))
}

struct Comparison<'a> {
    list: ReadOptions<'static>,
    base: Option<OsString>,
    prefixes: Vec<OsString>,
    hand: &'a Hand<Finding>,
    control: &'a Arc<Control>,
    problems: Problems,
}

impl Comparison<'_> {
    fn lists(&self, a: &OsStr, b: &OsStr) -> PyResult<Report> {
        let places = Places::new(None, &self.prefixes);
        let (of_a, of_b) = (self.load(a, &places, 2)?, self.load(b, &places, 2)?);
        let bad = of_a.met.bad + of_b.met.bad;
        self.hand.begun();
        let counts = self.compare(of_a.rows, of_b.rows, |pair| pair.difference)?;
        Ok(self.report(&counts, bad, [a, b], &Summary::default()))
    }

    /// `is_a`: the tree is A, and the list is B.
    fn with_tree(&self, root: &OsStr, list: &OsStr, is_a: bool, engine: Options) -> PyResult<Report> {
        let places = Places::new(self.base.as_deref().map(Path::new), &self.prefixes).in_order_of(root);
        let selection = Selection::new(engine.walk.clone(), places.here().to_vec());
        let tree = Tree::new(ItemPath::from(root.as_encoded_bytes()), places.clone(), selection);
        let loaded = self.load(list, &places, 1)?;
        if loaded.known_set.is_some() || loaded.algorithms.is_empty() {
            let why = "lists no digest of files that are here, so the tree cannot be compared with it";
            return Err(errors::refused(Some(list), &why));
        }
        let mut options = engine;
        options.algorithms = loaded.algorithms.into();
        options.excluded.extend(identity(list));
        let bad = loaded.met.bad;
        self.hand.begun();
        let absent = if is_a { Difference::New } else { Difference::Missing };
        let judged = |pair: &Pair<'_>| tree.judged(pair, absent);
        let mut problems = |path: &ItemPath, problem: Problem<'_>| {
            self.problems.add(format!("{}: {problem}", path.escaped()));
        };
        let (summary, counts) = std::thread::scope(|scope| {
            let (rows, sink) = tree.channel(&mut problems);
            let run = start_thread_in(scope, "run", || sink.run(options, self.control))
                .map_err(|error| errors::refused(None, &format!("cannot start a thread: {error}")))?;
            let counts = match is_a {
                true => self.compare(rows, loaded.rows, judged),
                false => self.compare(loaded.rows, rows, judged),
            };
            let summary = run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            PyResult::Ok((summary.map_err(|error| errors::engine(&error))?, counts?))
        })?;
        Ok(self.report(&counts, bad, if is_a { [root, list] } else { [list, root] }, &summary))
    }

    /// Reads a list. `share`: how many lists share the memory.
    fn load(&self, list: &OsStr, places: &Places, share: usize) -> PyResult<Loaded> {
        let memory = memory_budget().map_or(MEMORY_BYTES, |budget| MEMORY_BYTES.min(budget)) / share;
        let rows = ListRows::new(list, self.list.clone(), places, self.problems.notes(), self.control);
        rows.load(memory, temporary_directory()).map_err(|error| errors::verify(&error))
    }

    fn compare(
        &self,
        a: impl Rows,
        b: impl Rows,
        judged: impl Fn(&Pair<'_>) -> Difference,
    ) -> PyResult<Counts> {
        let mut merge = Merge::new(a, b).map_err(failed)?;
        if merge.is_empty() != (false, false) {
            return Ok(merge.counts());
        }
        while let Some(pair) = merge.next().map_err(failed)? {
            let (found, difference) = (pair.difference, judged(&pair));
            let is_told = !matches!(difference, Difference::Same | Difference::Excluded);
            if is_told && self.hand.give(finding(&pair, difference)).is_err() {
                return Ok(merge.counts());
            }
            merge.recount(found, difference);
        }
        Ok(merge.counts())
    }

    fn report(&self, counts: &Counts, bad: u64, sides: [&OsStr; 2], summary: &Summary) -> Report {
        let mut is_empty = false;
        for (side, names) in sides.into_iter().zip([counts.left.names, counts.right.names]) {
            if names == 0 {
                is_empty = true;
                let name = Escaped(side.as_encoded_bytes());
                self.problems.add(format!("{name}: there are no files in it; nothing was compared"));
            }
        }
        let of = Difference::ALL.into_iter().map(|difference| (difference, counts.of(difference)));
        let of = of.filter(|(_, names)| *names > 0);
        let same = of.clone().all(|(kind, _)| matches!(kind, Difference::Same | Difference::Excluded));
        if bad > 0 {
            self.problems.add(format!("{} that list files cannot be parsed", counted(bad, "line")));
        }
        let is_stopped = self.control.stopped().is_some();
        Report {
            passed: same && counts.is_compared() && !is_empty && bad == 0 && !is_stopped,
            in_doubt: !counts.is_compared() || is_empty || bad > 0 || is_stopped,
            ended: if is_stopped { "stopped" } else { "complete" },
            counts: of.map(|(kind, names)| (kind.name(), names)).collect(),
            problems: self.problems.told(),
            files: summary.files,
            bytes: summary.digested_bytes,
        }
    }
}

fn finding(pair: &Pair<'_>, difference: Difference) -> Finding {
    let content = |content: hashlane_audit::Content| Content { size: content.size, digests: content.digests };
    let conflict = pair.left_conflict.or(pair.right_conflict);
    Finding {
        path: pair.path().to_vec(),
        verdict: difference.name(),
        reason: conflict.map(|conflict| {
            let (first, other) = conflict.lines;
            format!("{} (lines {first} and {other})", conflict.error)
        }),
        errno: None,
        other: None,
        known: pair.left().map(content),
        seen: pair.right().map(content),
    }
}

fn failed(error: Sorting) -> PyErr {
    match error {
        Sorting::Source(source) => {
            if let Some(TreeEnded::Root { root, failure }) = source.downcast_ref() {
                return errors::system(root.as_path().as_os_str(), &failure.io_error());
            }
            match source.downcast_ref() {
                Some(error) => errors::verify(error),
                None => errors::refused(None, &source),
            }
        }
        error => errors::refused(None, &error),
    }
}
