//! What is compared: one machine, or one run of it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use hashlane_record::Escaped;

use super::key::{Key, OurKey};
use super::load::Loaded;
use crate::cell::{CacheState, Unit};
use crate::import::{Basis, Format, Imported, ImportedCell, ImportedMachine, Remark, is_possible};
use crate::run::Run;
use crate::sample::CellResult;

/// One column of a comparison: what several of sysperf's files tell of one host, or what any other file holds.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What it is called: its host, or the file that it comes from.
    pub name: String,
    /// The files that it comes from, as they were given.
    pub files: Vec<String>,
    /// The run, if it is one of ours.
    pub run: Option<Box<Run>>,
    /// The program that wrote its files, if it is not ours.
    pub format: Option<Format>,
    /// What its figures depend on, as imported files say it. That of a run of ours is in the run.
    pub facts: Vec<(String, String)>,
    /// What its kernel took its loop of idling for.
    pub bogomips: Option<f64>,
    /// What is to be known of its figures.
    pub remarks: Vec<Remark>,
    /// Its cells that have a figure, in their order.
    pub(super) cells: Vec<Measured>,
}

/// What was measured of one cell.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) key: Key,
    pub(super) unit: Unit,
    /// All figures of each basis.
    pub(super) figures: BTreeMap<Basis, Vec<f64>>,
    /// What was worked on.
    pub(super) work: BTreeMap<String, String>,
}

impl Subject {
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
            }
        }
        gathered.into_iter().map(Gathered::finish).collect()
    }

    fn of_run(run: Run, name: String, file: String) -> Self {
        let cores = run.machine.processor.cores;
        let measured = run.cells.iter().filter(|result| result.figure.is_some());
        let cells = measured.map(|result| Measured::of(result, cores)).collect();
        let bogomips = run.machine.bogomips.filter(|bogomips| is_possible(*bogomips));
        Self { run: Some(Box::new(run)), cells, bogomips, ..Self::nameless(name, file) }
    }

    fn nameless(name: String, file: String) -> Self {
        Self {
            name,
            files: vec![file],
            run: None,
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

    /// The machine as far as it tells two of them apart; none where the files do not say.
    pub(super) fn machine(&self) -> Option<Vec<String>> {
        if let Some(run) = &self.run {
            let processor = &run.machine.processor;
            return Some(vec![
                processor.name.clone(),
                processor.architecture.clone(),
                processor.cores.to_string(),
                run.machine.memory_bytes.unwrap_or(0).to_string(),
            ]);
        }
        if self.format == Some(Format::Sysperf) {
            return Some(vec![self.name.clone()]);
        }
        let host = self.facts.iter().find(|(name, _)| name == "host");
        host.map(|(_, host)| vec![host.clone()])
    }
}

impl Measured {
    fn of(result: &CellResult, cores: usize) -> Self {
        let basis = match result.cell.cache {
            None => Basis::Uncached,
            Some(CacheState::Warm) => Basis::Warm,
            Some(CacheState::Cold) => Basis::Cold,
            Some(CacheState::Unknown) => Basis::CacheUnknown,
        };
        let size = result.cell.input_bytes.map(|bytes| ("input bytes".to_owned(), bytes.to_string()));
        Self {
            key: Key::Ours(Box::new(OurKey::of(&result.cell, cores))),
            unit: result.unit,
            figures: BTreeMap::from([(basis, result.figures())]),
            work: size.into_iter().collect(),
        }
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
            let known = self.subject.facts.iter_mut().find(|(known, _)| *known == name);
            match known {
                None => self.subject.facts.push((name, fact)),
                Some((_, known)) if known.split(" or ").any(|known| known == fact) => {}
                Some((_, known)) => *known = format!("{known} or {fact}"),
            }
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
                let key = Key::Named(cell.name.clone());
                subject.cells.push(Measured { key, unit: cell.unit, figures, work: cell.work.clone() });
            }
        }
        if subject.cells.is_empty() {
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

/// Names for files: the last part of each path, or as much of it as tells it from the others.
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
