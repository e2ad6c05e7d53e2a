//! `bench variant`: programs or builds against each other, on the same files and with the same results.

mod shell;

use std::collections::BTreeSet;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hashlane_io::try_directory;
use hashlane_record::masked_argument;
use regex::bytes::Regex;

use crate::cell::{CacheState, Cell, Stage, Unit};
use crate::clock::Stopwatch;
use crate::error::{ProgramError, StudyError};
use crate::probes::{Absent, prepare};
use crate::program::{Bounds, Line, ProgramFacts, run};
use crate::run::Run;
use crate::sample::{CellResult, Sample, Work};
use crate::sampler::{NotPossible, Observer, Plan, Probe, Stopper, sample};
use crate::scratch::{Allowance, LargeFile, NamedFiles};
use crate::statistics::{Estimate, median};
use crate::study::{Brief, Underway, Values};
use crate::warning::Warning;
use shell::placed;
pub use shell::shell_syntax;

/// Name of the study in run files.
pub const STUDY: &str = "variant";

/// Bytes of the files unless others are named: those of the comparison of compiler options that this study repeats.
pub const SIZES: Values<u64> = Values {
    usual: &[10_000_000, 100_000_000, 1_000_000_000],
    quick: &[1_000_000, 10_000_000],
    published: &[10_000_000, 100_000_000, 1 << 30],
};

/// The fewest hexadecimal digits that are taken for a digest.
const LEAST_DIGITS: usize = 8;

/// Time for one run.
const UNIT: Unit = Unit::NanosecondsPerOperation;

/// What the word of a command is that the file takes the place of.
const PLACE: &str = "{}";

/// The study, with its parameters.
#[derive(Clone, Debug)]
pub struct Variants {
    /// What every study gets.
    pub brief: Brief,
    /// What is compared; the others with the first.
    pub variants: Vec<Variant>,
    /// What they are run on.
    pub inputs: Inputs,
    /// Whether a run counts although the command says that it has failed.
    pub ignores_failure: bool,
    /// How the result is found in what a program prints.
    pub result: Finder,
    /// How long one run may take.
    pub limit: Duration,
}

/// What commands are run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// Files that are made for it.
    Files {
        /// Bytes of each.
        sizes: Vec<u64>,
        /// Whether the page cache is made to forget the file before each run.
        cold: bool,
    },
    /// Nothing: a command is run as it is.
    None,
}

/// What was measured.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The run.
    pub run: Run,
    /// The variants that failed, took too long or gave another result.
    pub failed: BTreeSet<String>,
}

/// One of the programs or builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// What it is called; each has another name.
    pub name: String,
    /// The program and its arguments, or a script for a shell. The file goes where `{}` stands, else behind the last.
    pub command: Vec<String>,
    /// Whether the command is one word that `sh -c` runs. Its start is then part of the time.
    pub by_shell: bool,
    /// What makes it, as a shell understands it.
    pub setup: Option<String>,
    /// Where it is made and run.
    pub directory: Option<PathBuf>,
}

/// How a result is found in what a program prints.
#[derive(Clone, Debug)]
pub enum Finder {
    /// The first run of eight or more hexadecimal digits that is not part of the file's name.
    Digits,
    /// The first group of an expression, or all of it where it has none.
    Expression(Regex),
    /// Results are not compared.
    None,
}

impl Finder {
    /// The result, if there is one. Digits are compared whatever their case.
    pub fn find(&self, output: &[u8], file: &[u8]) -> Option<String> {
        let found = match self {
            Self::Digits => digits(output, file)?,
            Self::Expression(expression) => {
                let captures = expression.captures(output)?;
                captures.get(1).or_else(|| captures.get(0))?.as_bytes().to_vec()
            }
            Self::None => return None,
        };
        Some(String::from_utf8_lossy(&found).to_ascii_lowercase())
    }
}

fn digits(output: &[u8], file: &[u8]) -> Option<Vec<u8>> {
    let mut rest = output;
    while !rest.is_empty() {
        if !file.is_empty() && rest.starts_with(file) {
            rest = &rest[file.len()..];
            continue;
        }
        let length = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if length >= LEAST_DIGITS {
            return Some(rest[..length].to_vec());
        }
        // Behind the digits stands something else, which may be where the name begins.
        rest = &rest[length.max(1)..];
    }
    None
}

impl Variant {
    /// The command for a file, or as it is. A script gets the file as its first argument: no name of a file can be code.
    fn command(&self, file: Option<&str>) -> Command {
        let mut words = self.words();
        let has_place = self.command.iter().any(|word| word.contains(PLACE));
        match (file, words.last_mut()) {
            (Some(file), Some(script)) if self.by_shell => {
                *script = if has_place { placed(script) } else { format!("{script} \"$1\"") };
                words.extend(["sh".to_owned(), file.to_owned()]);
            }
            (Some(file), _) if has_place => {
                words.iter_mut().for_each(|word| *word = word.replace(PLACE, file));
            }
            (Some(file), _) => words.push(file.to_owned()),
            (None, _) => {}
        }
        let mut command = Command::new(self.program(&words[0]));
        command.args(&words[1..]);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
    }

    /// The words that are run.
    fn words(&self) -> Vec<String> {
        let shell: &[&str] = if self.by_shell { &["sh", "-c"] } else { &[] };
        shell.iter().map(|word| (*word).to_owned()).chain(self.command.iter().cloned()).collect()
    }

    /// The program where it is started: what is named relative to the directory of the build is there.
    fn program(&self, name: &str) -> PathBuf {
        match &self.directory {
            Some(directory) if name.contains('/') => {
                std::path::absolute(directory.join(name)).unwrap_or_else(|_| directory.join(name))
            }
            _ => PathBuf::from(name),
        }
    }

    /// Makes it, within a time and unless somebody wants to stop.
    ///
    /// # Errors
    /// What went wrong, with the last line that it said.
    pub fn set_up(&self, limit: Duration, stopper: Stopper) -> Result<(), ProgramError> {
        let Some(setup) = &self.setup else { return Ok(()) };
        let mut command = Command::new("sh");
        command.args(["-c", setup]);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        run(&mut command, &Bounds { limit, stopper })?.success_by(Line::Last)
    }

    fn facts(&self) -> ProgramFacts {
        let mut facts = ProgramFacts {
            name: self.name.clone(),
            command: self.words(),
            setup: self.setup.as_deref().map(shown),
            directory: self.directory.as_ref().map(|directory| directory.to_string_lossy().into_owned()),
            ..ProgramFacts::default()
        };
        facts.look();
        facts.command.iter_mut().for_each(|word| *word = shown(word));
        facts
    }
}

/// A command, or a word of one, as it is kept: without the secrets of URLs.
fn shown(command: &str) -> String {
    String::from_utf8_lossy(&masked_argument(command.as_bytes())).into_owned()
}

impl Variants {
    /// Measures. The files are gone afterwards.
    ///
    /// # Errors
    /// Why there are no files to measure with.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Compared, StudyError> {
        let shared = Shared::default();
        let run = match &self.inputs {
            Inputs::Files { sizes, cold } => self.run_on_files(sizes, *cold, &shared, observer)?,
            Inputs::None => {
                let study = Underway::begin(STUDY, &self.brief, false);
                let mut probes: Vec<Box<dyn Probe>> = Vec::new();
                for variant in &self.variants {
                    probes.push(Box::new(self.probe(variant, None, &shared, observer.stopper())));
                }
                let (cells, ending) = sample(&mut probes, &self.plan(), observer);
                study.finish(cells, ending)
            }
        };
        let programs = self.variants.iter().map(Variant::facts).collect();
        let failed = shared.failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Compared { run: Run { programs, ..run }, failed })
    }

    fn run_on_files(
        &self,
        sizes: &[u64],
        cold: bool,
        shared: &Shared,
        observer: &mut dyn Observer,
    ) -> Result<Run, StudyError> {
        let mut study = Underway::begin(STUDY, &self.brief, true);
        let directory = &self.brief.directory;
        let failed = StudyError::at(directory);
        let allowance = Allowance::at(&study.place()?, study.machine());
        try_directory(directory).map_err(&failed)?;
        let named = NamedFiles::create(directory).map_err(&failed)?;
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        let mut inputs: Vec<Arc<Input>> = Vec::new();
        let mut left_bytes = allowance.bytes;
        for (number, &bytes) in sizes.iter().enumerate() {
            if bytes > left_bytes {
                let reason = format!(
                    "too little space: the files may take {:.0} MB in all, {}, and {:.0} MB of that are left",
                    allowance.bytes as f64 / 1e6,
                    allowance.reason,
                    left_bytes as f64 / 1e6
                );
                probes.extend(self.variants.iter().map(|variant| {
                    Box::new(Absent::new(cell(&variant.name, None, Some(bytes)), UNIT, &reason))
                        as Box<dyn Probe>
                }));
                continue;
            }
            left_bytes -= bytes;
            // No digits of a digest in its name.
            let file =
                named.add(&format!("input-{}", number + 1), bytes, self.brief.seed).map_err(&failed)?;
            let input = Arc::new(Input::of(file).map_err(&failed)?);
            for variant in &self.variants {
                let cache = if cold { CacheState::Cold } else { input.file.when_read() };
                let read = Some((Arc::clone(&input), cache));
                probes.push(Box::new(self.probe(variant, read, shared, observer.stopper())));
            }
            inputs.push(input);
        }
        let (cells, ending) = sample(&mut probes, &self.plan(), observer);
        drop(probes);
        let changed: BTreeSet<_> = inputs.iter().filter_map(|input| input.changed_by()).collect();
        changed.into_iter().for_each(|variant| study.warn(Warning::InputChanged { variant }));
        Ok(study.finish(cells, ending))
    }

    fn probe(
        &self,
        variant: &Variant,
        read: Option<(Arc<Input>, CacheState)>,
        shared: &Shared,
        stopper: Stopper,
    ) -> VariantProbe {
        let expected = read.as_ref().map_or(&shared.expected, |(input, _)| &input.result);
        VariantProbe {
            variant: variant.clone(),
            expected: Arc::clone(expected),
            read,
            finder: self.result.clone(),
            ignores_failure: self.ignores_failure,
            bounds: Bounds { limit: self.limit, stopper },
            failed: Arc::clone(&shared.failed),
        }
    }

    fn plan(&self) -> Plan {
        Plan { most_rounds: if self.brief.quick { 10 } else { 50 }, ..self.brief.plan() }
    }
}

/// Who gave the first result, and which.
type Expected = Arc<Mutex<Option<(String, String)>>>;

/// The names of variants that failed.
type Failed = Arc<Mutex<BTreeSet<String>>>;

/// What the variants of a study have in common.
#[derive(Debug, Default)]
struct Shared {
    failed: Failed,
    /// Where there is no file.
    expected: Expected,
}

/// A cell of a variant.
fn cell(name: &str, cache: Option<CacheState>, input_bytes: Option<u64>) -> Cell {
    Cell { program: Some(name.to_owned()), cache, input_bytes, ..Cell::new(Stage::Program) }
}

/// A file that all variants read.
#[derive(Debug)]
struct Input {
    file: LargeFile,
    /// What shows that nobody has written to it, or put another in its place.
    stamp: Stamp,
    /// Of this file.
    result: Expected,
    /// Who has changed it, if anybody has.
    changed_by: Mutex<Option<String>>,
}

/// Device, inode, bytes, seconds and nanoseconds of the last change, which nobody can set back.
type Stamp = (u64, u64, u64, i64, i64);

impl Input {
    fn of(file: LargeFile) -> io::Result<Self> {
        let stamp = stamp(&file)?;
        Ok(Self { file, stamp, result: Expected::default(), changed_by: Mutex::default() })
    }

    /// Who has changed it.
    fn changed_by(&self) -> Option<String> {
        self.changed_by.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Makes sure that it is as it was made, after `name` was run on it.
    fn check(&self, name: &str) -> Result<(), NotPossible> {
        let mut changed_by = self.changed_by.lock().unwrap_or_else(PoisonError::into_inner);
        if changed_by.is_none() && stamp(&self.file).ok() != Some(self.stamp) {
            *changed_by = Some(name.to_owned());
        }
        match changed_by.as_deref() {
            None => Ok(()),
            Some(who) if who == name => Err(NotPossible::Wrong(
                "it changed its input, so the others would read something else".into(),
            )),
            Some(who) => {
                Err(NotPossible::Broken(format!("its input was changed by {who}; leave that one out")))
            }
        }
    }
}

fn stamp(file: &LargeFile) -> io::Result<Stamp> {
    let facts = std::fs::metadata(file.path())?;
    Ok((facts.dev(), facts.ino(), facts.len(), facts.ctime(), facts.ctime_nsec()))
}

/// Runs one variant on one file, or on nothing.
#[derive(Debug)]
struct VariantProbe {
    variant: Variant,
    /// The file, and the state in which it is read.
    read: Option<(Arc<Input>, CacheState)>,
    finder: Finder,
    ignores_failure: bool,
    bounds: Bounds,
    failed: Failed,
    /// What all have to give.
    expected: Expected,
}

impl VariantProbe {
    fn run_times(&self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let path = self.read.as_ref().map(|(input, _)| input.file.path());
        let file = path.as_ref().map(|path| {
            path.to_str().ok_or_else(|| {
                NotPossible::Broken(
                    "the name of the directory cannot be written in a command; choose another one".into(),
                )
            })
        });
        let file = file.transpose()?;
        let mut command = self.variant.command(file);
        watch.restart_for_programs();
        for _ in 0..repeats {
            let ended = run(&mut command, &self.bounds);
            if let Some((input, _)) = &self.read {
                // Whatever became of it.
                input.check(&self.variant.name)?;
            }
            let wrong = |error: ProgramError| NotPossible::Wrong(error.to_string());
            let ended = ended.map_err(wrong)?;
            if !self.ignores_failure {
                ended.success().map_err(wrong)?;
            }
            self.compare(&ended.stdout, file)?;
        }
        let bytes = self.read.as_ref().map_or(0, |(input, _)| repeats * input.file.bytes());
        Ok(Work { bytes, operations: repeats, ..Work::default() })
    }

    /// Whether a result is that of all others on the same file.
    fn compare(&self, output: &[u8], file: Option<&str>) -> Result<(), NotPossible> {
        if matches!(self.finder, Finder::None) {
            return Ok(());
        }
        let Some(found) = self.finder.find(output, file.unwrap_or_default().as_bytes()) else {
            return Err(NotPossible::Wrong(match self.finder {
                Finder::Expression(_) => "its output does not match the expression".to_owned(),
                _ => format!(
                    "it prints no sequence of {LEAST_DIGITS} hexadecimal digits; give an expression for its result"
                ),
            }));
        };
        let mut expected = self.expected.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, wanted) = expected.get_or_insert_with(|| (self.variant.name.clone(), found.clone()));
        if *wanted != found {
            return Err(NotPossible::Wrong(format!(
                "its result is {found}, but that of {first} was {wanted}"
            )));
        }
        Ok(())
    }
}

impl Probe for VariantProbe {
    fn cell(&self) -> Cell {
        let (bytes, cache) = self.read.as_ref().map(|(input, cache)| (input.file.bytes(), *cache)).unzip();
        cell(&self.variant.name, cache, bytes)
    }

    fn unit(&self) -> Unit {
        UNIT
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        match &self.read {
            Some((input, cache)) => prepare(&input.file, *cache),
            None => Ok(None),
        }
    }

    /// The first run brings the program itself into memory; and what the first of all gives is what all have to give.
    fn rehearse(&mut self) -> Result<(), NotPossible> {
        self.prepare()?;
        self.run(1, &mut Stopwatch::start()).map(drop)
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let ended = self.run_times(repeats, watch);
        if matches!(ended, Err(NotPossible::Wrong(_))) {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).insert(self.variant.name.clone());
        }
        ended
    }

    fn repeats(&self) -> bool {
        // A run is what is asked about, however short it is.
        false
    }
}

/// Times of a run that are kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// By the wall.
    Real,
    /// Of the processor in user mode.
    User,
    /// Of the processor in the kernel.
    System,
    /// Of the processor in all.
    Cpu,
}

impl Time {
    /// All of them, in the order of `time`.
    pub const ALL: [Self; 4] = [Self::Real, Self::User, Self::System, Self::Cpu];

    /// In seconds.
    pub fn of(self, sample: &Sample) -> f64 {
        let elapsed = &sample.elapsed;
        let ns = match self {
            Self::Real => elapsed.wall_ns,
            Self::User => elapsed.user_ns,
            Self::System => elapsed.sys_ns,
            Self::Cpu => elapsed.user_ns + elapsed.sys_ns,
        };
        ns as f64 / sample.work.operations as f64 / 1e9
    }

    /// As it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::User => "user",
            Self::System => "sys",
            Self::Cpu => "CPU",
        }
    }

    /// Of all samples.
    pub fn estimate(self, result: &CellResult) -> Option<Estimate> {
        Estimate::of(&result.samples.iter().map(|sample| self.of(sample)).collect::<Vec<_>>())
    }
}

/// How much longer one variant takes than another, round by round: what slowed both down at the same time drops out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Which time.
    pub time: Time,
    /// In seconds, above 0 if it takes longer.
    pub seconds: Estimate,
    /// As a share of the median of the other.
    pub share: f64,
}

impl Difference {
    /// Whether the interval distinguishes the two.
    pub fn is_real(&self) -> bool {
        self.seconds.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0)
    }
}

/// How a variant differs from a reference; none without rounds that both were in.
pub fn difference(result: &CellResult, reference: &CellResult, time: Time) -> Option<Difference> {
    let of_round = |round| reference.samples.iter().find(|sample| sample.round == round);
    let pairs: Vec<_> =
        result.samples.iter().filter_map(|sample| Some((sample, of_round(sample.round)?))).collect();
    let seconds: Vec<f64> = pairs.iter().map(|(one, other)| time.of(one) - time.of(other)).collect();
    let base = median(&pairs.iter().map(|(_, other)| time.of(other)).collect::<Vec<_>>())?;
    let seconds = Estimate::of(&seconds)?;
    let share = if base > 0.0 { seconds.median / base } else { 0.0 };
    Some(Difference { time, seconds, share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Elapsed;
    use crate::noise::Noise;
    use crate::testing::{Silent, brief};

    #[test]
    fn the_result_is_the_first_run_of_digits_that_is_no_part_of_the_name() {
        let find = |output: &str, file: &str| Finder::Digits.find(output.as_bytes(), file.as_bytes());
        assert_eq!(find("01234567ab  x\n", "x").as_deref(), Some("01234567ab"));
        assert_eq!(
            find("SHA256(/deadbeef00/x)= ABCDEF0123\n", "/deadbeef00/x").as_deref(),
            Some("abcdef0123")
        );
        assert_eq!(find("0123 4567890 zz", "x"), None);
        assert_eq!(find("", "x"), None);
        let finder = Finder::Expression(Regex::new("sum: ([0-9]+)").expect("an expression"));
        assert_eq!(finder.find(b"sum: 42 and more", b"").as_deref(), Some("42"));
        assert_eq!(finder.find(b"no sum", b""), None);
    }

    fn variant(name: &str, script: &str) -> Variant {
        let command = ["sh", "-c", script, "sh"].map(str::to_owned).to_vec();
        Variant { name: name.into(), command, by_shell: false, setup: None, directory: None }
    }

    fn study(directory: &std::path::Path, variants: Vec<Variant>, result: Finder) -> Variants {
        Variants {
            brief: brief(directory),
            variants,
            inputs: Inputs::Files { sizes: vec![1_000, 2_000], cold: false },
            ignores_failure: false,
            result,
            limit: Duration::from_secs(60),
        }
    }

    #[test]
    fn what_gives_another_result_fails_hangs_or_prints_nothing_is_not_measured() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let variants = vec![
            variant("right", "cksum < \"$1\" | tr -d ' '; :"),
            variant("again", "cksum < \"$1\" | tr -d ' '; :"),
            variant("wrong", "echo 0123456789"),
            variant("broken", "echo oh no >&2; echo see the log >&2; exit 1"),
            variant("silent", "true"),
        ];
        let finder = Finder::Expression(Regex::new("[0-9]+").expect("an expression"));
        let compared = study(directory.path(), variants, finder).run(&mut Silent).expect("there is room");
        assert_eq!(Vec::from_iter(&compared.failed), ["broken", "silent", "wrong"]);
        let run = compared.run;
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
        let reason = |name: &str| {
            let of = |cell: &Cell| cell.program.as_deref() == Some(name);
            let result = run.cells.iter().find(|result| of(&result.cell)).expect("a cell");
            result.not_measured.clone().unwrap_or_default()
        };
        assert_eq!(reason("broken"), "ended with exit status: 1: oh no");
        assert_eq!(reason("silent"), "its output does not match the expression");
        assert!(reason("wrong").starts_with("its result is 0123456789, but that of right was "));
        assert_eq!((reason("right"), reason("again")), (String::new(), String::new()));
        assert_eq!(run.programs.len(), 5);
    }

    #[test]
    fn what_changes_its_input_is_named_and_measured_no_more() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let variants =
            vec![variant("writer", "wc -c < \"$1\"; echo >> \"$1\""), variant("reader", "wc -c < \"$1\"")];
        let finder = Finder::Expression(Regex::new("[0-9]+").expect("an expression"));
        let compared = study(directory.path(), variants, finder).run(&mut Silent).expect("there is room");
        assert_eq!(Vec::from_iter(&compared.failed), ["writer"]);
        let run = compared.run;
        let reasons: Vec<_> = run.cells.iter().map(|result| result.not_measured.as_deref()).collect();
        let writer = Some("it changed its input, so the others would read something else");
        let reader = Some("its input was changed by writer; leave that one out");
        assert_eq!(reasons, [writer, reader, writer, reader]);
        assert!(
            run.warnings.contains(&Warning::InputChanged { variant: "writer".into() }),
            "{:?}",
            run.warnings
        );
    }

    #[test]
    fn commands_are_compared_without_a_file_and_may_fail() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let shell = |name: &str, script: &str| Variant {
            command: vec![script.to_owned()],
            by_shell: true,
            ..variant(name, "")
        };
        let variants = || {
            vec![
                shell("right", "echo $# | tr 0 7"),
                shell("same", "echo 7"),
                shell("fails", "echo 7; exit 3"),
            ]
        };
        let finder = || Finder::Expression(Regex::new("[0-9]+").expect("an expression"));
        let study = |ignores_failure| Variants {
            inputs: Inputs::None,
            ignores_failure,
            ..study(directory.path(), variants(), finder())
        };
        let compared = study(false).run(&mut Silent).expect("nothing is needed");
        assert_eq!(Vec::from_iter(&compared.failed), ["fails"]);
        let cells = &compared.run.cells;
        assert!(cells.iter().all(|result| result.cell.input_bytes.is_none() && result.cell.cache.is_none()));
        let measured: Vec<_> = cells.iter().map(|result| result.figure.is_some()).collect();
        assert_eq!(measured, [true, true, false]);
        assert_eq!(compared.run.programs[0].command, ["sh", "-c", "echo $# | tr 0 7"]);
        let compared = study(true).run(&mut Silent).expect("nothing is needed");
        assert!(
            compared.failed.is_empty() && compared.run.cells.iter().all(|result| result.figure.is_some())
        );
        // What is read back is what was written: a cell without bytes is one of commands.
        let text = compared.run.to_json();
        let read = Run::parse(text.as_bytes(), "run.json".as_ref()).expect("a run");
        assert_eq!(read.cells.len(), 3);
    }

    #[test]
    fn the_file_goes_where_its_place_is() {
        let words = |command: &[&str], by_shell, file| {
            let command = command.iter().map(|word| (*word).to_owned()).collect();
            let variant = Variant { command, by_shell, ..variant("x", "") };
            let command = variant.command(file);
            command.get_args().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(words(&["a", "-b"], false, Some("/f")), ["-b", "/f"]);
        assert_eq!(words(&["a", "if={}", "-b"], false, Some("/f")), ["if=/f", "-b"]);
        assert_eq!(words(&["a", "{}"], false, None), ["{}"]);
        assert_eq!(words(&["a {} | b"], true, Some("/it's")), ["-c", r#"a "$1" | b"#, "sh", "/it's"]);
        assert_eq!(words(&["a | b"], true, Some("/f")), ["-c", r#"a | b "$1""#, "sh", "/f"]);
        assert_eq!(words(&["a | b"], true, None), ["-c", "a | b"]);
    }

    #[test]
    fn a_difference_is_that_of_the_rounds_that_both_were_in() {
        let result = |ms: &[u64]| {
            let mut result = CellResult::new(Cell::new(Stage::Program), Unit::NanosecondsPerOperation);
            let sample = |(round, ms): (usize, &u64)| Sample {
                round,
                place: 0,
                elapsed: Elapsed { wall_ns: ms * 1_000_000, ..Elapsed::default() },
                work: Work { bytes: 1, operations: 1, ..Work::default() },
                resident_bytes_before: None,
                noise: Noise::default(),
            };
            result.samples = ms.iter().enumerate().map(sample).collect();
            result
        };
        // Both drift by far more than they differ.
        let slow = result(&[110, 210, 311, 410, 509, 610]);
        let fast = result(&[100, 200, 300, 400, 500, 600, 700]);
        let difference = difference(&slow, &fast, Time::Real).expect("six rounds");
        assert!((difference.seconds.median - 0.010).abs() < 1e-9 && difference.is_real(), "{difference:?}");
        assert!(!super::difference(&fast, &fast, Time::Real).expect("the same").is_real());
        assert_eq!(super::difference(&fast, &result(&[]), Time::Real), None);
    }
}
