//! `hashlane.diff`: two lists, or a list and a tree, name by name.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use hashlane_audit::diff::{Difference, Pair};
use hashlane_engine::{Control, Options, WalkOptions};
use hashlane_io::{memory_budget, temporary_directory};
use hashlane_manifest::ReadOptions;
use hashlane_objects::is_object;
use hashlane_record::{Escaped, ItemPath, counted};
use hashlane_verify::check::identity;
use hashlane_verify::diff::{Compared, Comparison, Side, load};
use hashlane_verify::rows::{ListRows, Room};
use hashlane_verify::tree::Tree;
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
        let request = Request { list, base, prefixes, hand, control, problems: Problems::default() };
        match engine {
            None => request.lists([&a, &b]),
            Some((is_a, engine)) => request.with_tree([&a, &b], is_a, engine),
        }
    })?;
    Ok(Findings(running))
}

struct Request<'a> {
    list: ReadOptions<'static>,
    base: Option<OsString>,
    prefixes: Vec<OsString>,
    hand: &'a Hand<Finding>,
    control: &'a Arc<Control>,
    problems: Problems,
}

impl Request<'_> {
    fn lists(&self, names: [&OsStr; 2]) -> PyResult<Report> {
        let places = Places::new(None, &self.prefixes);
        let loaded = load(names.map(|name| self.rows(name, &places)), &self.room(2));
        let loaded = loaded.map_err(|error| errors::verify(&error))?;
        let bad = loaded.iter().map(|list| list.met.bad).sum();
        self.compare(loaded.map(Side::List), bad, names, Options::new(Arc::new([])))
    }

    /// `is_a`: the tree is A, and the list is B.
    fn with_tree(&self, names: [&OsStr; 2], is_a: bool, mut engine: Options) -> PyResult<Report> {
        let [root, list] = if is_a { names } else { [names[1], names[0]] };
        let places = Places::new(self.base.as_deref().map(Path::new), &self.prefixes).in_order_of(root);
        let selection = Selection::new(engine.walk.clone(), places.here().to_vec());
        let tree = Tree::new(ItemPath::from(root.as_encoded_bytes()), places.clone(), selection);
        let loaded = self.rows(list, &places).load(&self.room(1)).map_err(|error| errors::verify(&error))?;
        if loaded.known_set.is_some() || loaded.algorithms.is_empty() {
            let why = "lists no digest of files that are here, so the tree cannot be compared with it";
            return Err(errors::refused(Some(list), &why));
        }
        engine.algorithms = loaded.algorithms.clone().into();
        engine.excluded.extend(identity(list));
        let (bad, tree, list) = (loaded.met.bad, Side::Tree(Box::new(tree)), Side::List(loaded));
        self.compare(if is_a { [tree, list] } else { [list, tree] }, bad, names, engine)
    }

    fn rows(&self, list: &OsStr, places: &Places) -> ListRows {
        ListRows::new(list, self.list.clone(), places, self.problems.notes(), self.control)
    }

    /// What sorting may take, where `share` lists share the memory.
    fn room(&self, share: usize) -> Room {
        let memory = memory_budget().map_or(MEMORY_BYTES, |budget| MEMORY_BYTES.min(budget));
        Room { memory_bytes: memory / share, directory: temporary_directory() }
    }

    fn compare(&self, sides: [Side; 2], bad: u64, names: [&OsStr; 2], engine: Options) -> PyResult<Report> {
        self.hand.begun();
        let comparison = Comparison { sides, normalize: false, room: self.room(2) };
        let mut tell = |pair: &Pair<'_>, difference: Difference| match matches!(
            difference,
            Difference::Same | Difference::Excluded
        ) {
            true => Ok(()),
            false => self.hand.give(finding(pair, difference)),
        };
        let mut problems = |path: &ItemPath, problem: Problem<'_>| {
            self.problems.add(format!("{}: {problem}", path.escaped()));
        };
        let compared = comparison.run(engine, &mut tell, &mut problems, self.control);
        let Compared { summary, counts, empty, .. } = compared.map_err(|error| errors::verify(&error))?;
        for (side, _) in names.into_iter().zip(empty).filter(|(_, is_empty)| *is_empty) {
            let name = Escaped(side.as_encoded_bytes());
            self.problems.add(format!("{name}: there are no files in it; nothing was compared"));
        }
        if bad > 0 {
            self.problems.add(format!("{} that list files cannot be parsed", counted(bad, "line")));
        }
        let is_stopped = counts.is_none();
        let counts = counts.unwrap_or_default();
        let of = Difference::ALL.into_iter().map(|difference| (difference, counts.of(difference)));
        let of = of.filter(|(_, names)| *names > 0);
        let same = of.clone().all(|(kind, _)| matches!(kind, Difference::Same | Difference::Excluded));
        let in_doubt = !counts.is_compared() || empty != [false, false] || bad > 0 || is_stopped;
        Ok(Report {
            passed: same && !in_doubt,
            in_doubt,
            ended: if is_stopped { "stopped" } else { "complete" },
            counts: of.map(|(kind, names)| (kind.name(), names)).collect(),
            problems: self.problems.told(),
            files: summary.files,
            bytes: summary.digested_bytes,
        })
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
