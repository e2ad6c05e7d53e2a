//! What every study does, whatever it measures: it notes the machine and the place when it begins, and makes a run of its
//! cells when it ends.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hashlane_digest::BackendChoice;

use crate::clock::{DayClock, ReferenceClock, nanoseconds, stopwatch_overhead_ns};
use crate::error::StudyError;
use crate::machine::{self, Machine, Place};
use crate::run::{BackendUse, Overhead, Run, SCHEMA, SCHEMA_VERSION};
use crate::sample::CellResult;
use crate::sampler::{Ending, Plan};
use crate::warning::{self, Warning};

/// More rounds than any budget is likely to allow.
const MOST_ROUNDS: usize = 1_000;

/// The values of a parameter that a study takes unless others are named.
#[derive(Clone, Copy, Debug)]
pub struct Values<T: 'static> {
    /// Those where nothing else is said.
    pub usual: &'static [T],
    /// Those where there is little time.
    pub quick: &'static [T],
    /// Those of the original study.
    pub published: &'static [T],
}

impl<T: Copy + Ord> Values<T> {
    /// Those that are named, or else those of a study: in order, and each once, for two cells of the same parameters would be one cell measured
    /// twice.
    pub fn of(self, (is_quick, is_published): (bool, bool), named: &[T]) -> Vec<T> {
        let values = match (is_published, is_quick) {
            _ if !named.is_empty() => named,
            (true, _) => self.published,
            (_, true) => self.quick,
            _ => self.usual,
        };
        let values: BTreeSet<_> = values.iter().copied().collect();
        values.into_iter().collect()
    }
}

/// What every study gets.
#[derive(Clone, Debug)]
pub struct Brief {
    /// Where test files go.
    pub directory: PathBuf,
    /// Time for the measuring; making the test files comes on top.
    pub budget: Duration,
    /// Smaller inputs, shorter samples.
    pub quick: bool,
    /// How digests are computed, where there is a choice.
    pub backend: BackendChoice,
    /// Seed of contents and orders.
    pub seed: u64,
    /// What the run is called.
    pub name: Option<String>,
    /// Whether the run names the host.
    pub tells_host: bool,
    /// Name and version of the program, for the run file.
    pub program: String,
    /// The command, for the run file.
    pub command: Vec<String>,
}

impl Brief {
    /// How long to go on sampling.
    pub fn plan(&self) -> Plan {
        Plan {
            budget: self.budget,
            sample: Duration::from_millis(if self.quick { 15 } else { 100 }),
            least_rounds: if self.quick { 6 } else { 7 },
            most_rounds: MOST_ROUNDS,
            width: 0.01,
            seed: self.seed,
        }
    }
}

/// A study under way.
#[derive(Debug)]
pub struct Underway<'a> {
    name: &'static str,
    brief: &'a Brief,
    begun: Instant,
    day: DayClock,
    started: String,
    machine: Machine,
    place: Option<Result<Place, StudyError>>,
    stopwatch_ns: u64,
    cycles: Option<ReferenceClock>,
    warnings: Vec<Warning>,
}

impl<'a> Underway<'a> {
    /// Begins. A study that `has_files` notes what they lie on.
    pub fn begin(name: &'static str, brief: &'a Brief, has_files: bool) -> Self {
        let (begun, day) = (Instant::now(), DayClock::start());
        let machine = Machine { backends: machine::backends(&brief.backend), ..Machine::describe() };
        let describe = || Place::describe(&brief.directory).map_err(StudyError::at(&brief.directory));
        let place = has_files.then(describe);
        let known = place.as_ref().and_then(|place| place.as_ref().ok());
        let warnings = warning::of_surroundings(&machine, known);
        Self {
            name,
            brief,
            begun,
            day,
            started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            machine,
            place,
            stopwatch_ns: stopwatch_overhead_ns(),
            cycles: ReferenceClock::start(),
            warnings,
        }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What the test files lie on.
    ///
    /// # Errors
    /// Why it cannot be determined.
    pub fn place(&self) -> Result<Place, StudyError> {
        self.place.clone().unwrap_or(Err(StudyError::NoPlace))
    }

    /// Notes a doubt.
    pub fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }

    /// Makes a run of what was measured.
    pub fn finish(mut self, cells: Vec<CellResult>, ending: Ending) -> Run {
        if ending == Ending::Interrupted {
            self.warn(Warning::Interrupted);
        }
        self.warnings.extend(warning::of_samples(&cells));
        self.warnings.extend(self.day.stepped_s().map(|seconds| Warning::ClockStepped { seconds }));
        let shortest = cells.iter().flat_map(|cell| &cell.samples).map(|sample| sample.elapsed.wall_ns).min();
        let share = |shortest: u64| self.stopwatch_ns as f64 / shortest.max(1) as f64;
        Run {
            schema: SCHEMA.to_owned(),
            schema_version: SCHEMA_VERSION,
            program: self.brief.program.clone(),
            study: self.name.to_owned(),
            name: self.brief.name.clone(),
            host: self.brief.tells_host.then(machine::host_name).flatten(),
            command: self.brief.command.clone(),
            started: self.started,
            elapsed_ns: nanoseconds(self.begun.elapsed()),
            complete: ending != Ending::Interrupted,
            seed: self.brief.seed,
            backend: BackendUse::of(&self.brief.backend),
            machine: self.machine,
            place: self.place.and_then(Result::ok),
            reference_cycles_per_second: self.cycles.and_then(|clock| clock.rate()),
            overhead: Overhead {
                stopwatch_ns: self.stopwatch_ns,
                largest_share: shortest.map_or(0.0, share),
            },
            programs: Vec::new(),
            inputs: Vec::new(),
            warnings: self.warnings,
            cells,
        }
    }
}
