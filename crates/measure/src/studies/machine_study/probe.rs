//! One cell: a program started several times on an input, or our engine over the same file as often in this
//! process.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hashlane_digest::{Algorithm, BackendChoice};

use super::{Program, Sink};
use crate::cell::{Cell, Unit};
use crate::clock::Stopwatch;
use crate::error::ProgramError;
use crate::probes::{PipelineProbe, prepare, still_warm};
use crate::program::{Bounds, run, run_into};
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe, Stopper};
use crate::scratch::LargeFile;
use crate::studies::variant::Finder;

/// How long one run of a program may take.
const LIMIT: Duration = Duration::from_secs(600);

/// What the word of a command is that the input takes the place of.
const INPUT: &str = "{}";

/// What the word is that the output takes the place of.
pub(super) const OUTPUT: &str = "{out}";

/// Where the output of programs goes.
#[derive(Clone, Debug)]
pub(super) struct Output {
    pub(super) sink: Sink,
    /// `/dev/null`, or a file that each run begins anew.
    pub(super) path: PathBuf,
}

impl Output {
    fn open(&self) -> io::Result<Stdio> {
        match self.sink {
            Sink::Null => Ok(Stdio::null()),
            Sink::File => Ok(File::create(&self.path)?.into()),
        }
    }
}

impl Program {
    /// The command for an input.
    fn command(&self, input: &Path, output: &Path) -> Command {
        let word = |word: &String| {
            let replaced = |place: &str, by: &Path| {
                let (before, after) = word.split_once(place)?;
                Some(
                    [OsStr::new(before), by.as_os_str(), OsStr::new(after)].into_iter().collect::<OsString>(),
                )
            };
            replaced(INPUT, input).or_else(|| replaced(OUTPUT, output)).unwrap_or_else(|| word.into())
        };
        let mut command =
            Command::new(self.path.as_ref().map_or(OsStr::new(&self.command[0]), |path| path.as_os_str()));
        command.args(self.command[1..].iter().map(word));
        command
    }

    /// Runs it once, unless somebody wants to stop.
    pub(super) fn run_once(
        &self,
        input: &Path,
        output: &Output,
        stopper: &Stopper,
    ) -> Result<(), ProgramError> {
        let mut command = self.command(input, &output.path);
        // What writes its output itself has nothing else to say.
        let is_digest = self.algorithm.is_some();
        let stdout = if is_digest { output.open() } else { Ok(Stdio::null()) };
        let failed = |error| ProgramError::Output { path: output.path.clone(), source: Arc::new(error) };
        let stdout = stdout.map_err(failed)?;
        run_into(&mut command, stdout, &bounds(stopper))?.success()
    }

    /// Proves that it gives our digest of a file, or, where it gives none, that it works.
    pub(super) fn prove(
        &self,
        file: &LargeFile,
        output: &Output,
        stopper: &Stopper,
    ) -> Result<(), ProgramError> {
        let path = file.path();
        let Some(algorithm) = self.algorithm else { return self.run_once(&path, output, stopper) };
        let ended = run(&mut self.command(&path, &output.path), &bounds(stopper))?;
        ended.success()?;
        let found = Finder::Digits.find(&ended.stdout, path.as_os_str().as_encoded_bytes());
        let found = found.ok_or(ProgramError::NoDigest)?;
        let ours =
            digest(file, algorithm).map_err(|error| ProgramError::Input { source: Arc::new(error) })?;
        if found != ours {
            return Err(ProgramError::OtherDigest { found, algorithm, ours });
        }
        Ok(())
    }
}

/// How long one run may take.
fn bounds(stopper: &Stopper) -> Bounds {
    Bounds { limit: LIMIT, stopper: stopper.clone() }
}

/// Our digest of a file.
fn digest(file: &LargeFile, algorithm: Algorithm) -> io::Result<String> {
    let mut content = file.open()?;
    let mut hasher = algorithm.hasher_by(&BackendChoice::Auto);
    let mut buffer = vec![0; 1 << 20];
    loop {
        match content.read(&mut buffer)? {
            0 => return Ok(hasher.finish().to_string()),
            length => hasher.update(&buffer[..length]),
        }
    }
}

/// Whether a program works on a file; found out once for all cells of both.
pub(super) type Proof = Arc<OnceLock<Result<(), ProgramError>>>;

/// Starts a program a number of times on one file.
#[derive(Debug)]
pub(super) struct ProgramProbe {
    pub(super) program: Program,
    pub(super) cell: Cell,
    pub(super) unit: Unit,
    pub(super) file: Arc<LargeFile>,
    pub(super) output: Output,
    pub(super) runs: u64,
    pub(super) proof: Proof,
    pub(super) stopper: Stopper,
}

impl ProgramProbe {
    /// Runs it as often as a sample does.
    fn run_all(&self) -> Result<(), NotPossible> {
        let path = self.file.path();
        (0..self.runs).try_for_each(|_| {
            self.program.run_once(&path, &self.output, &self.stopper).map_err(ProgramError::broken)
        })
    }
}

impl Probe for ProgramProbe {
    fn cell(&self) -> Cell {
        self.cell.clone()
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        self.cell.cache.map_or(Ok(None), |cache| prepare(&self.file, cache))
    }

    fn rehearse(&mut self) -> Result<(), NotPossible> {
        self.prepare()?;
        let prove = || self.program.prove(&self.file, &self.output, &self.stopper);
        self.proof.get_or_init(prove).clone().map_err(ProgramError::broken)
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        watch.restart_for_programs();
        for _ in 0..repeats {
            self.run_all()?;
        }
        let operations = repeats * self.runs;
        Ok(Work { bytes: operations * self.file.bytes(), operations, ..Work::default() })
    }

    fn confirm(&mut self, from_cache: bool) -> Result<(), NotPossible> {
        self.cell.cache.map_or(Ok(()), |cache| still_warm(&self.file, cache, from_cache))
    }

    fn repeats(&self) -> bool {
        // How often is what the cell says.
        false
    }
}

/// Reads, or reads and digests, one file a number of times in this process.
#[derive(Debug)]
pub(super) struct InProcess {
    pub(super) engine: PipelineProbe,
    pub(super) input: String,
    pub(super) copies: u64,
    pub(super) runs: u64,
    pub(super) stopper: Stopper,
}

/// Runs in this process between which it is not asked whether to stop: some take a microsecond.
const UNASKED: u64 = 64;

impl Probe for InProcess {
    fn cell(&self) -> Cell {
        Cell {
            input: Some(self.input.clone()),
            copies: Some(self.copies),
            iterations: Some(self.runs),
            ..self.engine.cell()
        }
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        self.engine.prepare()
    }

    fn rehearse(&mut self) -> Result<(), NotPossible> {
        self.engine.prepare()?;
        self.engine.run(1, &mut Stopwatch::start()).map(drop)
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let (mut all, mut left) = (Work::default(), repeats * self.runs);
        while left > 0 {
            self.stopper.check()?;
            let runs = left.min(UNASKED);
            all += self.engine.run(runs, watch)?;
            left -= runs;
        }
        Ok(all)
    }

    fn repeats(&self) -> bool {
        false
    }
}
