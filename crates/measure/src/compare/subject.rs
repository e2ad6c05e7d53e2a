//! What is compared: one machine, or one run of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use hashlane_record::Escaped;

use super::key::{Key, OurKey};
use super::kind;
use super::load::Loaded;
use super::scatter;
use crate::cell::{CacheState, Cell, Stage, Unit};
use crate::import::{Basis, Format, Imported, ImportedCell, ImportedMachine, Remark, is_possible};
use crate::inputs::InputFacts;
use crate::run::Run;
use crate::sample::CellResult;
use crate::warning::Warning;

/// One column of a comparison: what several of sysperf's files tell of one host, or what any other file holds.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What it is called: the name of the run, else its host, else the file that it comes from. No two have the same.
    pub name: String,
    /// The files that it comes from, as they were given.
    pub files: Vec<String>,
    /// The run, if it is one of ours; the first, if there are several.
    pub run: Option<Box<Run>>,
    /// The runs after the first, where the same was measured several times.
    pub repeated: Vec<Run>,
    /// How many runs it is.
    pub runs: usize,
    /// The program that wrote its files, if it is not ours.
    pub format: Option<Format>,
    /// What its figures depend on, as imported files say it. That of a run of ours is in the run.
    pub facts: Vec<(String, String)>,
    /// What its kernel took its loop of idling for.
    pub bogomips: Option<f64>,
    /// What is to be known of its figures.
    pub remarks: Vec<Remark>,
    /// What its file is called, in short.
    short: String,
    /// Its cells that have a figure, in their order.
    pub(super) cells: Vec<Measured>,
}

/// What was measured of one cell.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) key: Key,
    /// What kind of work it is.
    pub(super) kind: String,
    pub(super) unit: Unit,
    /// All figures of each basis, for each run.
    pub(super) figures: BTreeMap<Basis, Vec<Vec<f64>>>,
    /// What the logarithms of equal runs are taken to scatter by.
    pub(super) assumed: f64,
    /// What was worked on.
    pub(super) work: BTreeMap<String, String>,
    /// How much of it, where rates do not depend on that.
    pub(super) size: BTreeMap<String, String>,
}

impl Subject {
    /// Fewer runs do not tell what they scatter by.
    pub const LEAST_RUNS: usize = scatter::LEAST_RUNS;

    /// The subjects of files, in the order in which they are first named.
    ///
    /// What sysperf's files tell of one host is put together; every other file is a subject of its own, so that two runs of
    /// one machine can be set against each other.
    pub fn gather(files: Vec<(PathBuf, Loaded)>) -> Vec<Self> {
        let names = short_names(&files);
        let mut gathered: Vec<Gathered> = Vec::new();
        for ((path, loaded), name) in files.into_iter().zip(names) {
            let file = Escaped(path.as_os_str().as_encoded_bytes()).to_string();
            match loaded {
                Loaded::Run(run) => gathered.push(Gathered::of(Self::of_run(*run, name, file))),
                Loaded::Imported(imported) => add(&mut gathered, imported, &name, &file),
                Loaded::Repeated(files) => gathered.extend(Self::of_all(files, name).map(Gathered::of)),
            }
        }
        let mut subjects: Vec<Self> = gathered.into_iter().map(Gathered::finish).collect();
        tell_apart(&mut subjects);
        subjects
    }

    fn of_run(run: Run, short: String, file: String) -> Self {
        let own = run.name.clone().or_else(|| run.host.clone()).filter(|name| !name.is_empty());
        let name = own.unwrap_or_else(|| short.clone());
        let cores = run.machine.processor.cores;
        let measured = run.cells.iter().filter(|result| result.figure.is_some());
        let loads = run.warnings.iter().filter_map(|warning| match warning {
            Warning::Loaded { threads } => Some(*threads),
            _ => None,
        });
        let others = loads.fold(0.0, f64::max);
        let cells = measured.map(|result| Measured::of(result, cores, others, &run.inputs)).collect();
        let bogomips = run.machine.bogomips.filter(|bogomips| is_possible(*bogomips));
        Self { run: Some(Box::new(run)), cells, bogomips, short, ..Self::nameless(name, file) }
    }

    /// Runs of the same as one subject: it has the cells that all of them have.
    fn of_all(files: Vec<(PathBuf, Loaded)>, short: String) -> Option<Self> {
        let gathered = Self::gather(files);
        let measured: BTreeSet<&Key> =
            gathered.iter().flat_map(|run| &run.cells).map(|cell| &cell.key).collect();
        let measured = measured.len();
        let mut runs = gathered.into_iter();
        let mut all = runs.next()?;
        let own = |subject: &Self| subject.run.as_ref().and_then(|run| run.name.clone());
        let mut is_named_alike = own(&all).is_some();
        for run in runs {
            is_named_alike &= own(&run) == own(&all);
            all.add_run(run);
        }
        if !is_named_alike {
            all.name = short.clone();
        } else if let Some(name) = own(&all) {
            all.name = name;
        }
        all.short = short;
        if all.cells.len() < measured {
            all.remarks.push(Remark::NotInAllRuns { cells: measured - all.cells.len() });
        }
        Some(all)
    }

    fn add_run(&mut self, run: Self) {
        let Self { run, files, facts, remarks, cells, runs, .. } = run;
        self.repeated.extend(run.map(|run| *run));
        self.runs += runs;
        self.files.extend(files);
        for (name, fact) in facts {
            self.add_fact(name, fact);
        }
        self.remarks.extend(remarks);
        let mut others: BTreeMap<Key, Measured> =
            cells.into_iter().map(|cell| (cell.key.clone(), cell)).collect();
        self.cells.retain_mut(|cell| others.remove(&cell.key).is_some_and(|other| cell.add_run(other)));
    }

    /// Its runs, in their order.
    pub fn all_runs(&self) -> impl Iterator<Item = &Run> {
        self.run.iter().map(|run| &**run).chain(&self.repeated)
    }

    fn add_fact(&mut self, name: String, fact: String) {
        let known = self.facts.iter_mut().find(|(known, _)| *known == name);
        match known {
            None => self.facts.push((name, fact)),
            Some((_, known)) if known.split(" or ").any(|known| known == fact) => {}
            Some((_, known)) => *known = format!("{known} or {fact}"),
        }
    }

    fn nameless(name: String, file: String) -> Self {
        Self {
            short: name.clone(),
            name,
            files: vec![file],
            run: None,
            repeated: Vec::new(),
            runs: 1,
            format: None,
            facts: Vec::new(),
            bogomips: None,
            remarks: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// How many of its cells have a figure.
    pub fn cells_with_figures(&self) -> usize {
        self.cells.len()
    }

    /// Its name, and why it has no figures as far as its files say.
    pub(super) fn without_figures(&self) -> String {
        let bare = |remark: &Remark| match remark {
            // It has its name from its only file.
            Remark::In { remark, .. } if self.files.len() == 1 => remark.to_string(),
            remark => remark.to_string(),
        };
        let remarks = self.remarks.iter().filter(|remark| **remark != Remark::NoFigures);
        let why: Vec<_> = remarks.map(bare).collect();
        match why.as_slice() {
            [] => self.name.clone(),
            [one] => format!("{} ({one})", self.name),
            [one, others @ ..] => format!("{} ({one}; and {} more)", self.name, others.len()),
        }
    }

    /// What distinguishes two machines; none where the files do not say.
    pub(super) fn machine(&self) -> Option<Vec<String>> {
        if let Some(run) = &self.run {
            return run.machine.identity();
        }
        if self.format == Some(Format::Sysperf) {
            return Some(vec![self.name.clone()]);
        }
        let host = self.facts.iter().find(|(name, _)| name == "host");
        host.map(|(_, host)| vec![host.clone()])
    }
}

impl Measured {
    /// `others` threads of other programs wanted a core meanwhile.
    fn of(result: &CellResult, cores: usize, others: f64, inputs: &[InputFacts]) -> Self {
        let basis = match result.cell.cache {
            None => Basis::Uncached,
            Some(CacheState::Warm) => Basis::Warm,
            Some(CacheState::Cold) => Basis::Cold,
            Some(CacheState::Unknown) => Basis::CacheUnknown,
        };
        let cell = &result.cell;
        let size = cell.input_bytes.map(|bytes| ("input bytes".to_owned(), bytes.to_string()));
        let size: BTreeMap<_, _> = size.into_iter().collect();
        let is_it = |facts: &&InputFacts| {
            Some(&facts.name) == cell.input.as_ref() && Some(facts.copies) == cell.copies
        };
        // Two dictionaries of one name may be others, also where they are of one size.
        let content = inputs.iter().find(is_it).and_then(|facts| facts.sha256.clone());
        let content = content.map(|sha256| ("SHA-256 of the input".to_owned(), sha256));
        let (size, mut work) = match is_rate_of_any_size(cell) {
            true => (size, BTreeMap::new()),
            false => (BTreeMap::new(), size),
        };
        work.extend(content);
        Self {
            key: Key::Ours(Box::new(OurKey::of(cell, cores))),
            kind: kind::of_cell(cell),
            unit: result.unit,
            figures: BTreeMap::from([(basis, vec![result.figures()])]),
            assumed: scatter::of_cell(cell, operation_ns(result))
                .hypot(scatter::of_load(cell, others, cores)),
            work,
            size,
        }
    }

    /// Adds another run of the same cell. Whether it has the same bases.
    fn add_run(&mut self, other: Self) -> bool {
        let is_alike = self.unit == other.unit && self.figures.keys().eq(other.figures.keys());
        for (basis, runs) in other.figures {
            self.figures.entry(basis).or_default().extend(runs);
        }
        // Work that differs from run to run is that of nobody else.
        for (ours, theirs) in [(&mut self.work, other.work), (&mut self.size, other.size)] {
            for (what, value) in theirs {
                let known = ours.entry(what).or_insert_with(|| value.clone());
                if !known.split(" or ").any(|known| known == value) {
                    *known = format!("{known} or {value}");
                }
            }
        }
        is_alike
    }
}

/// Whether a rate is the same whatever the size of the file: where blocks follow each other, and none is worked on twice.
fn is_rate_of_any_size(cell: &Cell) -> bool {
    let is_blocks = matches!(
        cell.stage,
        Stage::Harness | Stage::Read | Stage::RandomRead | Stage::Pipeline | Stage::Write
    );
    is_blocks && !cell.is_of_many_files()
}

/// What one block, message or call of a cell takes, in nanoseconds, where it is known.
fn operation_ns(result: &CellResult) -> Option<f64> {
    let median = result.figure?.median;
    match result.unit {
        Unit::NanosecondsPerOperation => Some(median),
        Unit::BytesPerSecond => Some(result.cell.block_bytes? as f64 / median * 1e9),
        Unit::FilesPerSecond => None,
    }
}

/// A subject whose files are still being read.
struct Gathered {
    subject: Subject,
    /// Imported cells, measurements and copies apart.
    cells: Vec<ImportedCell>,
    /// Where a cell of a name is, copies apart.
    places: HashMap<(String, bool), usize>,
}

impl Gathered {
    fn of(subject: Subject) -> Self {
        Self { subject, cells: Vec::new(), places: HashMap::new() }
    }

    fn take(&mut self, machine: ImportedMachine, file: &str) {
        if !self.subject.files.iter().any(|known| known == file) {
            self.subject.files.push(file.to_owned());
        }
        for (name, fact) in machine.facts {
            self.subject.add_fact(name, fact);
        }
        self.subject.bogomips = machine.bogomips.or(self.subject.bogomips);
        for remark in machine.remarks {
            self.subject.remarks.push(Remark::In { file: file.to_owned(), remark: Box::new(remark) });
        }
        for cell in machine.cells {
            let place = (cell.name.clone(), cell.is_copy);
            let at = *self.places.entry(place).or_insert(self.cells.len());
            match self.cells.get_mut(at) {
                Some(known) => {
                    known.timings.extend(cell.timings);
                    for (what, value) in cell.work {
                        let known = known.work.entry(what).or_insert_with(|| value.clone());
                        if *known != value {
                            *known = format!("{known} and {value}");
                        }
                    }
                }
                None => self.cells.push(cell),
            }
        }
    }

    /// Each measurement once, and copies only where there is no measurement.
    fn finish(self) -> Subject {
        let Self { mut subject, cells, places } = self;
        let mut cells = cells;
        let twice: usize = cells.iter_mut().map(drop_repeated).sum();
        let mut measured: Vec<&ImportedCell> = cells.iter().filter(|cell| !cell.is_copy).collect();
        let mut taken = 0;
        for copy in cells.iter().filter(|cell| cell.is_copy) {
            let Some(original) = places.get(&(copy.name.clone(), false)).map(|&at| &cells[at]) else {
                measured.push(copy);
                continue;
            };
            taken += 1;
            let has =
                |figure: &(Basis, f64)| original.timings.iter().any(|timing| timing.figures.contains(figure));
            if !copy.timings.iter().flat_map(|timing| &timing.figures).all(has) {
                subject.remarks.push(Remark::CopyDiffers { cell: copy.name.clone() });
            }
        }
        if twice > 0 {
            subject.remarks.push(Remark::SaidTwice { lines: twice });
        }
        if taken > 0 {
            subject.remarks.push(Remark::Copies { cells: taken });
        }
        for cell in measured {
            let mut figures: BTreeMap<Basis, Vec<f64>> = BTreeMap::new();
            for (basis, figure) in cell.timings.iter().flat_map(|timing| &timing.figures) {
                figures.entry(*basis).or_default().push(*figure);
            }
            let most = figures.values().map(Vec::len).max().unwrap_or(0);
            if most > 1 && subject.format == Some(Format::Sysperf) {
                subject.remarks.push(Remark::Repeated { cell: cell.name.clone(), timings: most });
            }
            if !figures.is_empty() {
                subject.cells.push(Measured {
                    key: Key::Named(cell.name.clone()),
                    kind: kind::of_imported(subject.format, &cell.name),
                    unit: cell.unit,
                    figures: figures.into_iter().map(|(basis, samples)| (basis, vec![samples])).collect(),
                    assumed: scatter::IMPORTED,
                    work: cell.work.clone(),
                    size: BTreeMap::new(),
                });
            }
        }
        if subject.cells.is_empty() && !subject.remarks.contains(&Remark::NoFigures) {
            subject.remarks.push(Remark::NoFigures);
        }
        subject
    }
}

/// Drops timings that are there already; returns how many.
fn drop_repeated(cell: &mut ImportedCell) -> usize {
    let before = cell.timings.len();
    let mut seen = HashSet::new();
    cell.timings
        .retain(|timing| timing.identity.as_ref().is_none_or(|identity| seen.insert(identity.clone())));
    before - cell.timings.len()
}

/// Adds what a file of another program holds.
fn add(gathered: &mut Vec<Gathered>, imported: Imported, name: &str, file: &str) {
    let format = imported.format;
    let is_alone = imported.machines.len() == 1;
    for machine in imported.machines {
        let name = match &machine.host {
            Some(host) if format == Format::Sysperf => host.clone(),
            Some(host) if !is_alone => format!("{name}: {host}"),
            _ => name.to_owned(),
        };
        let is_it = |known: &Gathered| {
            format == Format::Sysperf && known.subject.format == Some(format) && known.subject.name == name
        };
        let at = gathered.iter().position(is_it).unwrap_or_else(|| {
            let subject =
                Subject { format: Some(format), ..Subject::nameless(name.clone(), file.to_owned()) };
            gathered.push(Gathered::of(subject));
            gathered.len() - 1
        });
        gathered[at].take(machine, file);
    }
}

/// Adds their files to names that several have, and a number to what is the same even so.
fn tell_apart(subjects: &mut [Subject]) {
    let names: Vec<String> = subjects.iter().map(|subject| subject.name.clone()).collect();
    let is_shared = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let mut taken: Vec<String> = names.iter().filter(|name| !is_shared(name)).cloned().collect();
    for (subject, name) in subjects.iter_mut().zip(&names).filter(|(_, name)| is_shared(name)) {
        let beside =
            if subject.short == *name { name.clone() } else { format!("{name} ({})", subject.short) };
        let numbered = (2..).map(|number| format!("{beside} ({number})"));
        let free = std::iter::once(beside.clone()).chain(numbered).find(|name| !taken.contains(name));
        subject.name = free.unwrap_or(beside);
        taken.push(subject.name.clone());
    }
}

/// Names for files: the last part of each path, or as much of it as distinguishes it from the others.
fn short_names(files: &[(PathBuf, Loaded)]) -> Vec<String> {
    let shown = |path: &std::path::Path| Escaped(path.as_os_str().as_encoded_bytes()).to_string();
    let last = |path: &PathBuf| path.file_name().map_or_else(|| shown(path), |name| shown(name.as_ref()));
    let short: Vec<String> = files.iter().map(|(path, _)| last(path)).collect();
    let names = files.iter().zip(&short).map(|((path, _), name)| {
        if short.iter().filter(|other| *other == name).count() > 1 { shown(path) } else { name.clone() }
    });
    // The same path twice: numbered, or nobody could name one of them.
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
        taken.push(free.unwrap_or(name.clone()));
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::Ending;
    use crate::study::Underway;
    use crate::testing::brief;

    /// A run without figures, as its maker and its host are called.
    fn run(name: Option<&str>, host: Option<&str>) -> Loaded {
        let run = Underway::begin("study", &brief(".".as_ref()), false).finish(Vec::new(), Ending::Complete);
        Loaded::Run(Box::new(Run { name: name.map(str::to_owned), host: host.map(str::to_owned), ..run }))
    }

    fn names(files: Vec<(&str, Loaded)>) -> Vec<String> {
        let files = files.into_iter().map(|(path, loaded)| (path.into(), loaded)).collect();
        Subject::gather(files).into_iter().map(|subject| subject.name).collect()
    }

    #[test]
    fn a_subject_has_the_name_of_its_run_else_of_its_host_else_of_its_file() {
        let found = names(vec![
            ("a/one.json", run(Some("before"), Some("ash"))),
            ("a/two.json", run(None, Some("ash"))),
            ("a/three.json", run(None, None)),
            ("a/four.json", run(Some(""), None)),
        ]);
        assert_eq!(found, ["before", "ash", "three.json", "four.json"]);
    }

    #[test]
    fn no_two_subjects_have_the_same_name() {
        let same = || run(Some("nightly"), Some("ash"));
        let found = names(vec![
            ("one.json", same()),
            ("two.json", same()),
            ("two.json", same()),
            ("x/one.json", run(None, Some("ash"))),
            ("three.json", run(Some("nightly (two.json)"), None)),
            ("four.json", run(Some("four.json"), None)),
            ("four.json", run(None, None)),
        ]);
        let mut distinct = found.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), found.len(), "{found:?}");
        assert_eq!((found[0].as_str(), found[3].as_str()), ("nightly (one.json)", "ash"));
        assert!(found[1].starts_with("nightly (two.json)") && found[2] != found[1], "{found:?}");
    }
}
