//! `bench machine`: programs of others, started over and over on copies of a dictionary, and our engine beside
//! them.
//!
//! The study that sysperf's scripts made: a file of several copies, worked through many times. What starting a
//! program costs is measured with an empty file, what reading costs with dd, and what is left is the hashing. Owns
//! the files and the cells; [`sysperf_files`] are the run in the form of the scripts.

mod corpus;
mod derived;
mod files;
mod probe;
mod program;
mod settling;
#[cfg(test)]
mod tests;
mod words;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hashlane_digest::Algorithm;
use hashlane_engine::Profile;
use hashlane_io::try_directory;

pub use crate::inputs::{FirstRun, InputFacts, Origin, Settling};
pub use corpus::{Corpus, DICTIONARY};
pub use derived::{effective_iterations, first_run_share, is_start, pure_hash, start, subject};
pub use files::{Host, SysperfFile, is_foreign, sysperf_files};
pub use program::{BLOCK_BYTES, COPIER, DIGESTS, OWN, Program, Sink};

use self::probe::{InProcess, Output, ProgramProbe, Proof};
use self::settling::{settle, unwritten_bytes};
use crate::cell::{Cell, Stage, Unit};
use crate::clock::nanoseconds;
use crate::error::StudyError;
use crate::probes::{Absent, PipelineProbe};
use crate::program::ProgramFacts;
use crate::run::Run;
use crate::sampler::{Ending, Observer, Plan, Probe, Stopper, sample};
use crate::scratch::{Allowance, LargeFile, NamedFiles};
use crate::study::{Brief, Underway, Values};
use crate::warning::Warning;

/// Name of the study in run files.
pub const STUDY: &str = "machine";

/// What the input of a cell is called that has nothing in it: it shows what starting costs.
const EMPTY: &str = "empty";

/// Starts in a sample of nothing but starting.
const STARTS: u64 = 20;

/// Copies that inputs are made of.
pub const COPIES: Values<u64> = Values { usual: &[1, 32], quick: &[1, 16], published: &[1, 512] };

/// How often the dictionary is worked through, all copies counted.
pub const ITERATIONS: Values<u64> =
    Values { usual: &[32, 64, 128], quick: &[16, 32], published: &[1024, 5120, 10240, 15360] };

/// The study, with its parameters.
#[derive(Clone, Debug)]
pub struct MachineStudy {
    /// What every study gets.
    pub brief: Brief,
    /// What is started, in their order.
    pub programs: Vec<Program>,
    /// Algorithms that our engine computes in this process; it also only reads then.
    pub in_process: Vec<Algorithm>,
    /// What inputs are made of.
    pub corpus: Corpus,
    /// Copies that inputs are made of, each once.
    pub copies: Vec<u64>,
    /// Whether there may be fewer copies where there is too little room.
    pub may_be_fewer: bool,
    /// How often the corpus is worked through, all copies counted.
    pub iterations: Vec<u64>,
    /// Where the output of programs goes.
    pub sink: Sink,
    /// Rounds at most, where the study does not choose.
    pub most_rounds: Option<usize>,
}

/// What a study comes to, before it is begun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// Bytes of its files.
    pub written_bytes: u64,
    /// Bytes that all programs read in one round.
    pub read_bytes: u64,
    /// How long one round takes, by what one copy and an empty file took a moment ago.
    pub round: Duration,
}

impl MachineStudy {
    /// Measures. The files are gone afterwards.
    ///
    /// # Errors
    /// Why there are no files to measure with.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Run, StudyError> {
        let mut study = Underway::begin(STUDY, &self.brief, true);
        if self.corpus.origin() == Origin::Generated {
            study.warn(Warning::WordList);
        }
        let allowance = Allowance::at(&study.place()?, study.machine());
        let (named, output) = self.directory()?;
        let facts: Vec<_> = self.programs.iter().map(|program| program.facts(self.sink)).collect();
        let stopper = observer.stopper();
        let mut probes = self.start_probes(&named, &output, &facts, &stopper)?;
        let (mut inputs, mut left_bytes) = (Vec::new(), allowance.bytes);
        for copies in self.fitting_copies(&allowance, &mut study) {
            if observer.stops() {
                return Ok(study.finish(Vec::new(), Ending::Interrupted));
            }
            let bytes = self.bytes_of(copies);
            if bytes > left_bytes {
                probes.extend(self.absent_probes(
                    copies,
                    &facts,
                    &Self::too_large(bytes, left_bytes, &allowance).to_string(),
                ));
                continue;
            }
            left_bytes -= bytes;
            let (file, facts_of_input) = self.input(copies, &named, &output, &facts, observer)?;
            inputs.push(facts_of_input);
            probes.extend(self.probes(copies, &file, &output, &facts, &stopper));
        }
        let (cells, ending) = sample(&mut probes, &self.plan(), observer);
        drop(probes);
        let mut run = study.finish(cells, ending);
        (run.programs, run.inputs) = (facts, inputs);
        Ok(run)
    }

    /// What the study comes to, as far as nobody wants to stop.
    ///
    /// # Errors
    /// There is no room for it.
    pub fn outlook(&self, stopper: &Stopper) -> Result<Outlook, StudyError> {
        let study = Underway::begin(STUDY, &self.brief, true);
        let allowance = Allowance::at(&study.place()?, study.machine());
        let written_bytes =
            self.copies.iter().map(|&copies| self.bytes_of(copies)).fold(0, u64::saturating_add);
        if written_bytes > allowance.bytes {
            return Err(Self::too_large(written_bytes, allowance.bytes, &allowance));
        }
        let (named, output) = self.directory()?;
        let empty = self.written(&named, "empty", 0)?;
        let one = self.written(&named, "one", 1)?;
        let mut outlook = Outlook { written_bytes, read_bytes: 0, round: Duration::ZERO };
        for program in &self.programs {
            let time = |file: &LargeFile| {
                let tries = (0..3).filter_map(|_| {
                    let begun = Instant::now();
                    program.run_once(&file.path(), &output, stopper).ok().map(|()| begun.elapsed())
                });
                tries.min()
            };
            let (Some(start), Some(one)) = (time(&empty), time(&one)) else { continue };
            for &copies in &self.copies {
                for runs in self.runs(copies).into_iter().filter(|&runs| runs > 0) {
                    let work = one.saturating_sub(start).as_secs_f64() * copies as f64;
                    let all = (start.as_secs_f64() + work) * runs as f64;
                    outlook.round += Duration::try_from_secs_f64(all).unwrap_or(Duration::MAX);
                    outlook.read_bytes += runs * copies * self.corpus.unit_bytes();
                }
            }
        }
        Ok(outlook)
    }

    /// A place for the files, and where programs write.
    fn directory(&self) -> Result<(NamedFiles, Output), StudyError> {
        let failed = |error| self.failed(error);
        try_directory(&self.brief.directory).map_err(failed)?;
        let named = NamedFiles::create(&self.brief.directory).map_err(failed)?;
        let path = match self.sink {
            Sink::Null => PathBuf::from("/dev/null"),
            Sink::File => named.path("output"),
        };
        Ok((named, Output { sink: self.sink, path }))
    }

    fn failed(&self, error: std::io::Error) -> StudyError {
        StudyError::Input { directory: self.brief.directory.clone(), source: Arc::new(error) }
    }

    fn too_large(needed_bytes: u64, left_bytes: u64, allowance: &Allowance) -> StudyError {
        StudyError::InputRoom { needed_bytes, allowance: allowance.clone(), left_bytes }
    }

    /// Bytes that an input takes, and what dd makes of it where its output goes to a file.
    fn bytes_of(&self, copies: u64) -> u64 {
        let is_copied =
            self.sink == Sink::File && self.programs.iter().any(|program| program.algorithm.is_none());
        let bytes = self.corpus.unit_bytes().saturating_mul(copies);
        bytes.saturating_mul(if is_copied { 2 } else { 1 })
    }

    /// The copies, or fewer where that is allowed and all are too large.
    fn fitting_copies(&self, allowance: &Allowance, study: &mut Underway<'_>) -> Vec<u64> {
        let mut copies = self.copies.clone();
        let all =
            |copies: &[u64]| copies.iter().map(|&copies| self.bytes_of(copies)).fold(0, u64::saturating_add);
        while self.may_be_fewer && all(&copies) > allowance.bytes && copies.iter().any(|&copies| copies > 1) {
            let most = copies.iter().max().copied().unwrap_or(1);
            copies.iter_mut().filter(|copies| **copies == most).for_each(|copies| *copies /= 2);
            copies.dedup();
        }
        if copies != self.copies {
            let reason = format!("which is {}", allowance.reason);
            study.warn(Warning::SmallFiles { bytes: all(&copies), reason });
        }
        copies
    }

    /// How often a program is run on a number of copies, each number once. 0 if the iterations are fewer than the
    /// copies.
    fn runs(&self, copies: u64) -> Vec<u64> {
        let mut runs: Vec<_> = self.iterations.iter().map(|iterations| iterations / copies).collect();
        runs.sort_unstable();
        runs.dedup();
        runs
    }

    fn written(&self, named: &NamedFiles, name: &str, copies: u64) -> Result<LargeFile, StudyError> {
        let write = |file: &mut std::fs::File| self.corpus.write(copies, self.brief.seed, file);
        named.add_written(name, write).map_err(|error| self.failed(error))
    }

    /// Makes an input, times the first run on it, and waits until it is on its device.
    fn input(
        &self,
        copies: u64,
        named: &NamedFiles,
        output: &Output,
        facts: &[ProgramFacts],
        observer: &dyn Observer,
    ) -> Result<(Arc<LargeFile>, InputFacts), StudyError> {
        let before_bytes = unwritten_bytes();
        let begun = Instant::now();
        let file = Arc::new(self.written(named, &format!("copies-{copies}"), copies)?);
        let write_ns = nanoseconds(begun.elapsed());
        let first_run = self.first_run(&file, output, facts, &observer.stopper());
        let limit = Duration::from_secs(if self.brief.quick { 3 } else { 20 });
        let settling = settle(file.file(), before_bytes, limit, &|| observer.stops());
        let settling = settling.map_err(|error| self.failed(error))?;
        let facts = InputFacts {
            name: self.corpus.name().to_owned(),
            origin: Some(self.corpus.origin()),
            sha256: self.corpus.sha256(),
            unit_bytes: self.corpus.unit_bytes(),
            copies,
            write_ns,
            first_run,
            settling,
        };
        Ok((file, facts))
    }

    /// Times the first program, once. It is in memory: it was started with an empty file.
    fn first_run(
        &self,
        file: &LargeFile,
        output: &Output,
        facts: &[ProgramFacts],
        stopper: &Stopper,
    ) -> Option<FirstRun> {
        let there = self.programs.iter().zip(facts).find(|(program, facts)| program.is_there(facts))?.0;
        let begun = Instant::now();
        there.run_once(&file.path(), output, stopper).ok()?;
        let wall_ns = nanoseconds(begun.elapsed());
        Some(FirstRun { program: there.name.clone(), iterations: 1, wall_ns })
    }

    /// What starting costs: each program on a file without content.
    fn start_probes(
        &self,
        named: &NamedFiles,
        output: &Output,
        facts: &[ProgramFacts],
        stopper: &Stopper,
    ) -> Result<Vec<Box<dyn Probe>>, StudyError> {
        let empty = Arc::new(self.written(named, "empty", 0)?);
        let probe = |(program, facts): (&Program, &ProgramFacts)| {
            let cell = Cell {
                program: Some(program.name.clone()),
                input: Some(EMPTY.to_owned()),
                input_bytes: Some(0),
                iterations: Some(STARTS),
                sink: Some(self.sink.name().to_owned()),
                ..Cell::new(Stage::Program)
            };
            if let Err(reason) = program.missing(facts) {
                let reason = reason.to_string();
                return Box::new(Absent::new(cell, Unit::NanosecondsPerOperation, &reason)) as Box<dyn Probe>;
            }
            // This brings it into memory.
            let _ = program.run_once(&empty.path(), output, stopper);
            Box::new(ProgramProbe {
                program: program.clone(),
                cell,
                unit: Unit::NanosecondsPerOperation,
                file: Arc::clone(&empty),
                output: output.clone(),
                runs: STARTS,
                proof: Proof::default(),
                stopper: stopper.clone(),
            })
        };
        Ok(self.programs.iter().zip(facts).map(probe).collect())
    }

    /// All cells of an input.
    fn probes(
        &self,
        copies: u64,
        file: &Arc<LargeFile>,
        output: &Output,
        facts: &[ProgramFacts],
        stopper: &Stopper,
    ) -> Vec<Box<dyn Probe>> {
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        let proofs: Vec<_> = self.programs.iter().map(|_| Proof::default()).collect();
        for runs in self.runs(copies) {
            if runs == 0 {
                let reason = format!(
                    "fewer effective iterations than the {copies} copies, so there would be no run; give {copies} or more"
                );
                probes.extend(self.absent_runs(copies, 0, facts, &reason));
                continue;
            }
            for ((program, facts), proof) in self.programs.iter().zip(facts).zip(&proofs) {
                let cell = Cell { cache: Some(file.when_read()), ..self.cell(program, copies, runs) };
                let probe = ProgramProbe {
                    program: program.clone(),
                    cell,
                    unit: Unit::BytesPerSecond,
                    file: Arc::clone(file),
                    output: output.clone(),
                    runs,
                    proof: Arc::clone(proof),
                    stopper: stopper.clone(),
                };
                probes.push(match program.missing(facts) {
                    Ok(()) => Box::new(probe),
                    Err(reason) => Box::new(Absent::new(probe.cell(), probe.unit(), &reason.to_string())),
                });
            }
            if self.in_process.is_empty() {
                continue;
            }
            let algorithms = std::iter::once(None).chain(self.in_process.iter().copied().map(Some));
            probes.extend(algorithms.map(|algorithm| {
                let engine = PipelineProbe::warm(file, self.in_process[0], 1).by(&self.brief.backend);
                let engine = engine.tuned(Profile::default(), algorithm);
                let input = self.corpus.name().to_owned();
                let stopper = stopper.clone();
                Box::new(InProcess { engine, input, copies, runs, stopper }) as Box<dyn Probe>
            }));
        }
        probes
    }

    fn cell(&self, program: &Program, copies: u64, runs: u64) -> Cell {
        Cell {
            program: Some(program.name.clone()),
            block_bytes: program.block_bytes,
            input: Some(self.corpus.name().to_owned()),
            input_bytes: Some(self.corpus.unit_bytes().saturating_mul(copies)),
            copies: Some(copies),
            iterations: Some(runs),
            sink: Some(self.sink.name().to_owned()),
            ..Cell::new(Stage::Program)
        }
    }

    /// The cells of an input for which there is no room.
    fn absent_probes(&self, copies: u64, facts: &[ProgramFacts], reason: &str) -> Vec<Box<dyn Probe>> {
        let absent = |runs| self.absent_runs(copies, runs, facts, reason);
        self.runs(copies).into_iter().flat_map(absent).collect()
    }

    /// Cells that cannot be measured, of `runs` runs on `copies` copies.
    fn absent_runs(
        &self,
        copies: u64,
        runs: u64,
        facts: &[ProgramFacts],
        reason: &str,
    ) -> Vec<Box<dyn Probe>> {
        let absent =
            |cell, reason: &str| Box::new(Absent::new(cell, Unit::BytesPerSecond, reason)) as Box<dyn Probe>;
        let of = |(program, facts): (&Program, &ProgramFacts)| {
            let missing = program.missing(facts).err().map(|missing| missing.to_string());
            absent(self.cell(program, copies, runs), missing.as_deref().unwrap_or(reason))
        };
        let ours = |algorithm: &Algorithm| {
            let cell = Cell {
                algorithm: Some(algorithm.name().to_owned()),
                input: Some(self.corpus.name().to_owned()),
                copies: Some(copies),
                iterations: Some(runs),
                ..Cell::new(Stage::Pipeline)
            };
            absent(cell, reason)
        };
        self.programs.iter().zip(facts).map(of).chain(self.in_process.iter().map(ours)).collect()
    }

    fn plan(&self) -> Plan {
        let most_rounds = self.most_rounds.unwrap_or(if self.brief.quick { 10 } else { 50 });
        Plan { most_rounds, ..self.brief.plan() }
    }
}
