//! `cargo xtask peers`: times hashlane against what users would pick instead, and judges the bars.
//!
//! Owns the course of a run: build, make inputs, hold contests, judge, print, write the record. Sampling,
//! statistics and printing are modules of their own.

mod bars;
mod contest;
mod inputs;
pub(crate) mod machine;
pub(crate) mod memory;
mod outputs;
mod parts;
mod programs;
pub(crate) mod random;
mod report;
mod residency;
mod run;
mod sampling;
mod statistics;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hashlane_measure::Look;

use crate::{records, shipped};
use bars::Bar;
use contest::Settings;
use inputs::{Input, check_space};
use machine::{Machine, disturbances};
use parts::{Part, Stage};
use programs::Tools;
use residency::{make_warm, residency};
use run::{Contest, Run, SCHEMA};
use xtask::cargo::target_directory;

/// Options of `peers`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these parts [default: one-file,many,small,usr,startup,lanes]
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Only these algorithms; `+` joins those of one reading, as in sha256,md5+sha256
    #[arg(long, value_delimiter = ',', value_name = "ALGORITHMS")]
    algorithms: Vec<String>,
    /// Measured rounds [default: 7, with --quick 3]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Fewer rounds and only the algorithms that have bars
    #[arg(long)]
    quick: bool,
    /// Seed of inputs and orders
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where inputs are generated and kept [default: target/peers]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The real tree
    #[arg(long, value_name = "DIR", default_value = "/usr")]
    tree: PathBuf,
    /// Cold tables too: drops the page cache of the whole machine before every sample (root only)
    #[arg(long)]
    drop_caches: bool,
    /// Add the sparse file of 64 GiB
    #[arg(long)]
    sparse: bool,
    /// Add 1,000,000 files, in folders and in one
    #[arg(long)]
    million: bool,
    /// Add a tree whose first file is 8 GiB
    #[arg(long)]
    huge: bool,
    /// Write bench/records/DATE-MACHINE.json and .md
    #[arg(long)]
    record: bool,
    /// Measure this program instead of building hashlane
    #[arg(long, value_name = "PROGRAM")]
    hashlane: Option<PathBuf>,
    /// Another build of hashlane, which takes part in every contest of files and in start-up
    #[arg(long, value_name = "PROGRAM")]
    against: Option<PathBuf>,
    /// Only the two builds: leave other programs, and what is compared with them, out
    #[arg(long, requires = "against")]
    alone: bool,
    /// Make inputs smaller, to try the harness out
    #[arg(long, default_value_t = 1.0, value_name = "FACTOR")]
    scale: f64,
    /// Set by the process that has built everything
    #[arg(long, hide = true)]
    measuring: bool,
}

/// What is read by a profile and without.
const TUNED: [Part; 3] = [Part::OneFile, Part::Many, Part::Small];

/// Builds, and then measures in a process of the shipped build.
pub(crate) fn run(options: &Options) -> Result<bool> {
    ensure!(options.scale > 0.0 && options.scale <= 1.0, "--scale is above 0 and at most 1");
    let root = rustix::process::geteuid().is_root();
    ensure!(!options.drop_caches || root, "--drop-caches takes root");
    if options.measuring {
        options.measure()
    } else {
        shipped::build_and_measure(options.hashlane.is_none(), &[])
    }
}

impl Options {
    fn measure(&self) -> Result<bool> {
        let found =
            |program: &Path| program.canonicalize().with_context(|| format!("no {}", program.display()));
        let hashlane = match &self.hashlane {
            Some(program) => found(program)?,
            None => shipped::command()?,
        };
        let against = self.against.as_deref().map(found).transpose()?;
        let directory = match &self.dir {
            Some(directory) => directory.clone(),
            None => target_directory()?.join("peers"),
        };
        fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
        let directory = directory.canonicalize()?;
        let before = Look::now();
        let mut run = self.new_run(&directory, &hashlane)?;
        let tools = Tools::new(hashlane, against, self.alone);
        for part in self.affordable_parts(&directory, &mut run.warnings)? {
            let held = self.hold_part(part, &directory, &tools)?;
            // The end of the run may be hours away.
            eprint!("{}", report::bar_rows(&self.judge(&held, run.machine.cores)));
            run.contests.extend(held);
        }
        run.bars = self.judge(&run.contests, run.machine.cores);
        run.warnings.extend(disturbances(&before, &Look::now()));
        let text = report::markdown(&run);
        println!("{text}");
        if self.record {
            let day = run.started.split(' ').next().unwrap_or_default();
            records::write(&format!("{day}-{}", run.machine.slug), &run, &text)?;
        }
        Ok(nothing_excluded(&run.contests))
    }

    fn judge(&self, contests: &[Contest], cores: usize) -> Vec<Bar> {
        if self.alone { bars::of_builds(contests) } else { bars::judge(contests, cores) }
    }

    fn new_run(&self, directory: &Path, hashlane: &Path) -> Result<Run> {
        let version = machine::version(hashlane, "--version");
        let arguments = env::args().skip(1).filter(|argument| argument != "--measuring");
        let command = ["cargo".to_owned(), "xtask".to_owned()].into_iter().chain(arguments);
        Ok(Run {
            schema: SCHEMA,
            version: version.with_context(|| format!("{} --version says nothing", hashlane.display()))?,
            started: jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
            command: command.collect::<Vec<_>>().join(" "),
            seed: self.seed,
            rounds: self.rounds(),
            scale: self.scale,
            machine: Machine::describe(directory, hashlane),
            contests: Vec::new(),
            bars: Vec::new(),
            warnings: Vec::new(),
        })
    }

    fn rounds(&self) -> usize {
        self.rounds.map_or(if self.quick { 3 } else { 7 }, |rounds| rounds as usize)
    }

    fn parts(&self) -> BTreeSet<Part> {
        if !self.only.is_empty() {
            return self.only.iter().copied().collect();
        }
        let mut parts =
            BTreeSet::from([Part::OneFile, Part::Many, Part::Small, Part::Usr, Part::Startup, Part::Lanes]);
        parts.extend(self.sparse.then_some(Part::Sparse));
        parts.extend(
            self.million
                .then_some([Part::Million, Part::MillionFlat, Part::TenThousand])
                .into_iter()
                .flatten(),
        );
        parts.extend(self.huge.then_some(Part::Huge));
        parts
    }

    /// Checks the space for all inputs before the first is made; heavy parts that do not fit are left out and named.
    fn affordable_parts(&self, directory: &Path, warnings: &mut Vec<String>) -> Result<Vec<Part>> {
        let (mut bytes, mut files) = (0, 0);
        let mut kept = Vec::new();
        let mut counted = Vec::new();
        for part in self.parts() {
            let mut sum = (bytes, files);
            let inputs: Vec<Part> = if part == Part::Tuned { TUNED.to_vec() } else { vec![part] };
            let inputs: Vec<Part> = inputs.into_iter().filter(|input| !counted.contains(input)).collect();
            for recipe in inputs.iter().filter_map(|input| input.recipe(self.scale)) {
                let more = recipe.missing(directory, self.seed);
                sum = (sum.0 + more.0, sum.1 + more.1);
            }
            match check_space(directory, sum) {
                Err(error) if part.is_optional() => {
                    warnings.push(format!("{} is left out: {error:#}", part.name()));
                    eprintln!("{} is left out: {error:#}", part.name());
                }
                fits => {
                    fits?;
                    (bytes, files) = sum;
                    counted.extend(inputs);
                    kept.push(part);
                }
            }
        }
        Ok(kept)
    }

    fn hold_part(&self, part: Part, directory: &Path, tools: &Tools) -> Result<Vec<Contest>> {
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let scratch_path = scratch.path().to_path_buf();
        let settings =
            Settings { rounds: self.rounds(), seed: self.seed, cold: false, scratch: scratch_path };
        let mut stage = Stage { tools, settings, scale: self.scale };
        if part == Part::Startup {
            return Ok(vec![stage.startup()?]);
        }
        if part == Part::Lanes {
            // Several in one reading are several kernels.
            let works = self.works(part).into_iter().filter(|work| !work.contains('+'));
            return works.map(|work| stage.lanes(&work)).collect();
        }
        if part == Part::Tuned {
            return self.hold_tuned(&mut stage, directory);
        }
        let input = self.input(part, directory)?;
        if part == Part::Sparse {
            return Ok(vec![stage.sparse(&input)?]);
        }
        if !part.has_peers() {
            // These are about memory, and a run takes long.
            stage.settings.rounds = self.rounds().min(3);
        }
        let mut contests = Vec::new();
        for work in self.works(part) {
            let before = make_warm(&input)?;
            let mut contest = stage.contest(part, &work, &input)?;
            contest.state = format!("warm ({before} resident before, {} after)", residency(&input));
            contests.push(contest);
        }
        if self.drop_caches && part.has_peers() {
            stage.settings.cold = true;
            let works = if self.algorithms.is_empty() { vec!["sha256".to_owned()] } else { self.works(part) };
            for work in works {
                contests.push(stage.contest(part, &work, &input)?);
            }
        }
        Ok(contests)
    }

    /// Large and small files, warm, and cold if the page cache may be dropped.
    fn hold_tuned(&self, stage: &mut Stage<'_>, directory: &Path) -> Result<Vec<Contest>> {
        let taken = stage.tune(directory)?;
        let mut contests = Vec::new();
        for part in TUNED {
            let input = self.input(part, directory)?;
            make_warm(&input)?;
            stage.settings.cold = false;
            contests.push(stage.tuned(&input, &taken)?);
            if self.drop_caches {
                stage.settings.cold = true;
                contests.push(stage.tuned(&input, &taken)?);
            }
        }
        Ok(contests)
    }

    fn input(&self, part: Part, directory: &Path) -> Result<Input> {
        match part.recipe(self.scale) {
            Some(recipe) => recipe.make(directory, self.seed),
            None => {
                let tree = self.tree.canonicalize().with_context(|| format!("no {}", self.tree.display()))?;
                let name = tree.to_string_lossy().into_owned();
                Input::found(format!("the tree {name}"), Path::new("/"), name)
            }
        }
    }

    fn works(&self, part: Part) -> Vec<String> {
        if self.algorithms.is_empty() { part.works(self.quick) } else { self.algorithms.clone() }
    }
}

fn nothing_excluded(contests: &[Contest]) -> bool {
    let mut fine = true;
    for contest in contests {
        for entry in &contest.entries {
            if let Some(reason) = &entry.excluded {
                eprintln!("{}, {}: {} is excluded: {reason}", contest.part, contest.work, entry.name);
                fine = false;
            }
        }
    }
    fine
}
