//! A run: everything that one measurement found out, as it is saved.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use hashlane_digest::{Algorithm, BackendChoice};
use hashlane_io::put_new;
use hashlane_record::{Escaped, system_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::LARGEST_FIGURE;
use crate::import::{Format, import};
use crate::inputs::InputFacts;
use crate::machine::{Machine, Place};
use crate::probes::BLOCK_ENGINE;
use crate::program::ProgramFacts;
use crate::sample::CellResult;
use crate::text::{is_unsafe_to_show, shown};
use crate::warning::Warning;

/// What the files of this module call themselves.
pub const SCHEMA: &str = "hashlane-run";

/// The version of the schema that is written. Later ones are refused.
///
/// 2 knows more parameters of a cell than 1, and what a sample of them may tell. 3 knows the name of a run and of its host, what
/// an input was taken from, and cells of many files.
pub const SCHEMA_VERSION: u32 = 3;

/// The oldest version that is read. Each since holds all that the one before held.
const OLDEST_VERSION: u32 = 1;

/// Run files are some hundred kilobytes; what is far larger is none.
const MOST_BYTES: u64 = 64 << 20;

/// More threads than anybody reads one file with.
const MOST_THREADS: usize = 4096;

/// What asking the clocks and moving requests costs, measured in the same run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Overhead {
    /// What a stopwatch shows for nothing, in nanoseconds. It is part of every sample and not subtracted.
    pub stopwatch_ns: u64,
    /// The largest share that it has of any sample, 0 to 1.
    pub largest_share: f64,
}

/// What decided how digests were computed, where there was a choice. Which backend served is in each cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackendUse {
    /// The backend that was asked for; the portable one served where an algorithm lacks it.
    pub forced: Option<String>,
    /// Algorithms whose backends were chosen by what had been measured on this CPU. For the others a fixed order served.
    pub calibrated: Vec<String>,
}

impl BackendUse {
    pub(crate) fn of(choice: &BackendChoice) -> Self {
        let forced = match choice {
            BackendChoice::Only(backend) => Some(backend.name().to_owned()),
            _ => None,
        };
        let calibrated = Algorithm::all().filter(|algorithm| choice.calibration(*algorithm).is_some());
        Self { forced, calibrated: calibrated.map(|algorithm| algorithm.name().to_owned()).collect() }
    }
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Name and version of the program.
    pub program: String,
    /// Name of the study: `check-up`.
    pub study: String,
    /// What its maker calls it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// The name of the host, unless it was to be left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub host: Option<String>,
    /// The command, with its arguments.
    pub command: Vec<String>,
    /// When it began, RFC 3339, UTC.
    pub started: String,
    /// How long it took, preparations included, in nanoseconds.
    pub elapsed_ns: u64,
    /// Whether it came to its end.
    pub complete: bool,
    /// Seed of the orders and of the contents of test files.
    pub seed: u64,
    /// What decided how digests were computed; runs from before there was a choice do not say it.
    #[serde(default)]
    pub backend: BackendUse,
    /// The machine.
    pub machine: Machine,
    /// Where files were read and written, if any were.
    pub place: Option<Place>,
    /// How fast the time stamp counter of the processor goes, however fast its cores do; absent where it has none.
    #[serde(default)]
    pub reference_cycles_per_second: Option<f64>,
    /// What measuring itself costs.
    pub overhead: Overhead,
    /// Programs of others that were run.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub programs: Vec<ProgramFacts>,
    /// Inputs that were made of copies.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub inputs: Vec<InputFacts>,
    /// Doubts.
    pub warnings: Vec<Warning>,
    /// The cells, with all samples.
    pub cells: Vec<CellResult>,
}

impl Run {
    /// Whether it was to be over soon, with smaller files and fewer cells.
    pub fn is_quick(&self) -> bool {
        self.command.iter().any(|argument| argument.strip_prefix("--") == Some("quick"))
    }
}

/// Why a run file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The system refused.
    #[error("{}: {}", path.escaped(), system_text(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not JSON, or ends too early.
    #[error("{}: not a run file, or a truncated one: {source}", path.escaped())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: serde_json::Error,
    },
    /// It is JSON of another kind.
    #[error("{}: not a run file: its schema is {found}; run files begin with \"schema\": \"{SCHEMA}\"", path.escaped())]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// What it calls itself.
        found: String,
    },
    /// It was written by another program.
    #[error(
        "{}: not a run but a file of {}; `hashlane compare` reads it, together with others",
        path.escaped(),
        format.name()
    )]
    OtherProgram {
        /// The file.
        path: PathBuf,
        /// The program.
        format: Format,
    },
    /// It was written by another version of this program.
    #[error(
        "{}: a run file of schema version {found}, but this program reads versions {OLDEST_VERSION} to {SCHEMA_VERSION}; \
         measure again, or use the version that wrote it",
        path.escaped()
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
    },
    /// It is longer than any run.
    #[error("{}: not a run file: it is longer than {} MiB", path.escaped(), MOST_BYTES >> 20)]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// It holds what no run can have measured.
    #[error("{}: was edited: no run can have measured `{cell}` as it states; measure again", path.escaped())]
    Impossible {
        /// The file.
        path: PathBuf,
        /// The cell.
        cell: String,
    },
    /// It holds a number that is larger than any that can be measured.
    #[error("{}: was edited: no run contains a number like {number}; measure again", path.escaped())]
    Endless {
        /// The file.
        path: PathBuf,
        /// The number.
        number: String,
    },
    /// Its figures do not follow from its samples.
    #[error("{}: was edited: the figure of `{cell}` does not follow from its samples; measure again", path.escaped())]
    Edited {
        /// The file.
        path: PathBuf,
        /// The cell.
        cell: String,
    },
}

impl Run {
    /// Reads a run file.
    ///
    /// # Errors
    /// It cannot be read, or is none, or of another version, or was edited.
    pub fn load(path: &Path) -> Result<Self, RunError> {
        let content = read(path)?;
        Self::parse(&content, path).map_err(|error| match import(&content, path) {
            Ok(other) => RunError::OtherProgram { path: path.to_path_buf(), format: other.format },
            Err(_) => error,
        })
    }

    /// Reads the content of a run file; `path` is for messages.
    ///
    /// # Errors
    /// As [`Run::load`].
    pub fn parse(content: &[u8], path: &Path) -> Result<Self, RunError> {
        let path = path.to_path_buf();
        let malformed = |path| move |source| RunError::Malformed { path, source };
        // The version is looked at before the rest, which another version may have in another form.
        let mut value: serde_json::Value =
            serde_json::from_slice(without_mark(content)).map_err(malformed(path.clone()))?;
        escape(&mut value);
        if value["schema"] != SCHEMA {
            return Err(RunError::OtherSchema { path, found: value["schema"].to_string() });
        }
        let version = value["schema_version"].as_u64();
        if !version.is_some_and(|version| (OLDEST_VERSION.into()..=SCHEMA_VERSION.into()).contains(&version))
        {
            return Err(RunError::OtherVersion { path, found: value["schema_version"].to_string() });
        }
        let endless = endless(&value);
        let run: Self = serde_json::from_value(value).map_err(malformed(path.clone()))?;
        let mut seen = HashSet::new();
        for result in &run.cells {
            let cell = result.cell.to_string();
            if !is_possible(result, &run) || !seen.insert(&result.cell) {
                return Err(RunError::Impossible { path, cell });
            }
            let mut again = result.clone();
            again.summarise();
            if (again.figure, again.cpu_s_per_gb) != (result.figure, result.cpu_s_per_gb) {
                return Err(RunError::Edited { path, cell });
            }
        }
        match endless {
            Some(number) => Err(RunError::Endless { path, number }),
            None => Ok(run),
        }
    }

    /// Puts it into a directory, under a name of its own: two that began in the same second are both kept.
    ///
    /// # Errors
    /// It cannot be written there.
    pub fn put_in(&self, directory: &Path) -> io::Result<PathBuf> {
        let stem = format!("{}-{}-{}", self.started.replace([':', '-'], ""), self.study, self.machine.slug());
        let stems = std::iter::once(stem.clone()).chain((2..).map(|number| format!("{stem}-{number}")));
        for stem in stems {
            let path = directory.join(format!("{stem}.json"));
            match put_new(&path, self.to_json().as_bytes()) {
                Err(error) if error.is_taken() => {}
                result => return Ok(result.map(|()| path)?),
            }
        }
        unreachable!("there is always one more number")
    }

    /// The content of its file: one JSON object.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a run is plain data");
        text.push('\n');
        text
    }

    /// The JSON schema of run files. It takes fields and warnings that a later program adds.
    pub fn json_schema() -> serde_json::Value {
        let mut schema = schemars::schema_for!(Self).to_value();
        let warning = &mut schema["$defs"]["Warning"];
        let mut warnings = warning.as_object_mut().and_then(|warning| warning.remove("oneOf"));
        if let Some(warnings) = warnings.as_mut().and_then(serde_json::Value::as_array_mut) {
            let field = serde_json::json!({ "type": "string" });
            warnings.push(serde_json::json!({
                "description": "One that a later program adds.",
                "type": "object",
                "properties": { "warning": field },
                "required": ["warning"],
            }));
        }
        warning["anyOf"] = warnings.unwrap_or_default();
        schema
    }

    /// The result of the first cell that `wanted` accepts.
    pub fn find(&self, wanted: impl Fn(&crate::cell::Cell) -> bool) -> Option<&CellResult> {
        self.cells.iter().find(|result| wanted(&result.cell))
    }
}

/// The content of a file that is no longer than any run.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, RunError> {
    let failed = |source| RunError::Io { path: path.to_path_buf(), source };
    let mut content = Vec::new();
    // A pipe or a device does not tell its size beforehand.
    File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut content)).map_err(failed)?;
    if content.len() as u64 > MOST_BYTES {
        return Err(RunError::TooLong { path: path.to_path_buf() });
    }
    Ok(content)
}

/// The content behind the mark that some editors begin a file with.
pub(crate) fn without_mark(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content)
}

/// A number beyond all that is counted or timed, with which nothing can be reckoned.
fn endless(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::Number(number) => {
            number.as_f64().is_none_or(|number| number.abs() > LARGEST_FIGURE).then(|| number.to_string())
        }
        serde_json::Value::Array(values) => values.iter().find_map(endless),
        serde_json::Value::Object(fields) => fields.values().find_map(endless),
        _ => None,
    }
}

/// Writes what a terminal would obey, and what could pass for a line of ours, as it is written in Rust: `\u{1b}`.
fn escape(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) => *text = shown(text),
        serde_json::Value::Array(values) => values.iter_mut().for_each(escape),
        serde_json::Value::Object(fields) => {
            if fields.keys().any(|name| name.chars().any(is_unsafe_to_show)) {
                *fields =
                    std::mem::take(fields).into_iter().map(|(name, value)| (shown(&name), value)).collect();
            }
            fields.values_mut().for_each(escape);
        }
        _ => {}
    }
}

/// Whether a cell can have come from a run: some time and some work in every sample, shares between 0 and 1.
fn is_possible(result: &CellResult, run: &Run) -> bool {
    let cell = &result.cell;
    let is_share = |share: Option<f64>| share.is_none_or(|share| (0.0..=1.0).contains(&share));
    let of_machine = &run.machine.processor;
    // Threads that wait for calls of their own may be more than there are cores; all others are not.
    let waits = cell.engine.as_deref() == Some(BLOCK_ENGINE);
    let most_threads = if waits { MOST_THREADS } else { of_machine.cores.max(1) };
    (1..=most_threads).contains(&cell.threads)
        && cell.block_bytes != Some(0)
        && result.repeats > 0
        && result.samples.iter().all(|sample| {
            sample.elapsed.wall_ns > 0
                && sample.work.operations > 0
                && sample.elapsed.user_ns.checked_add(sample.elapsed.sys_ns).is_some()
                && sample.work.device_bytes.saturating_add(sample.work.unknown_bytes) <= sample.work.bytes
                && is_share(sample.noise.stolen)
                && is_share(sample.noise.busy)
        })
        && result.samples.windows(2).all(|pair| pair[0].round < pair[1].round)
}

/// A path as messages show it.
trait Escape {
    fn escaped(&self) -> String;
}

impl Escape for PathBuf {
    fn escaped(&self) -> String {
        Escaped(self.as_os_str().as_encoded_bytes()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use hashlane_io::replace;

    use super::*;
    use crate::cell::{Cell, Stage, Unit};
    use crate::clock::Elapsed;
    use crate::noise::Noise;
    use crate::sample::{Sample, Work};

    fn run() -> Run {
        let mut result = CellResult::new(Cell::new(Stage::Read), Unit::BytesPerSecond);
        result.samples = (0..7)
            .map(|round| Sample {
                round,
                place: 0,
                elapsed: Elapsed {
                    wall_ns: 1_000_003 + 17 * round as u64,
                    user_ns: 3,
                    sys_ns: 4,
                    ..Elapsed::default()
                },
                work: Work { bytes: 1 << 20, operations: 1, device_bytes: 7, ..Work::default() },
                resident_bytes_before: Some(0),
                noise: Noise { stolen: Some(0.1), ..Noise::default() },
            })
            .collect();
        result.summarise();
        Run {
            schema: SCHEMA.into(),
            schema_version: SCHEMA_VERSION,
            program: "hashlane 0.1.0".into(),
            study: "check-up".into(),
            name: Some("before".into()),
            host: Some("ash".into()),
            command: vec!["hashlane".into(), "bench".into()],
            started: "2026-01-01T00:00:00Z".into(),
            elapsed_ns: 1,
            complete: true,
            seed: 1,
            backend: BackendUse::default(),
            machine: Machine::describe(),
            place: None,
            reference_cycles_per_second: Some(2.5e9),
            overhead: Overhead { stopwatch_ns: 40, largest_share: 0.000_04 },
            programs: Vec::new(),
            inputs: Vec::new(),
            warnings: vec![Warning::OneCore, Warning::Loaded { threads: 1.5 }],
            cells: vec![result],
        }
    }

    #[test]
    fn a_run_is_as_its_schema_says() {
        let validator = jsonschema::validator_for(&Run::json_schema()).expect("a schema");
        let value = |run: &Run| serde_json::from_str(&run.to_json()).expect("JSON");
        assert!(validator.is_valid(&value(&run())));
        let mut other: serde_json::Value = value(&run());
        other["cells"][0]["samples"][0]["wall_ns"] = "long".into();
        assert!(!validator.is_valid(&other));
    }

    fn parse(text: &str) -> Result<Run, RunError> {
        Run::parse(text.as_bytes(), Path::new("run.json"))
    }

    #[test]
    fn a_run_is_read_as_it_was_written() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("run.json");
        let run = run();
        replace(&path, run.to_json().as_bytes()).expect("there is room");
        assert_eq!(Run::load(&path).expect("as it was written"), run);
        let nowhere = Run::load(&directory.path().join("nowhere")).expect_err("it is not there");
        assert!(matches!(nowhere, RunError::Io { .. }), "{nowhere}");
    }

    #[test]
    fn what_no_number_can_be_is_refused_wherever_it_stands() {
        let mut endless = run();
        endless.overhead.largest_share = 1e308;
        let error = parse(&endless.to_json()).expect_err("it was edited").to_string();
        assert_eq!(error, "run.json: was edited: no run contains a number like 1e+308; measure again");
        let mut endless = run();
        endless.warnings.push(Warning::Stolen { share: -1e300 });
        assert!(matches!(parse(&endless.to_json()), Err(RunError::Endless { .. })));
    }

    #[test]
    fn the_mark_that_some_editors_begin_a_file_with_is_passed_over() {
        let run = run();
        assert_eq!(parse(&format!("\u{feff}{}", run.to_json())).expect("a run"), run);
    }

    #[test]
    fn what_is_no_run_file_is_refused_with_the_reason() {
        let text = run().to_json();
        let said = |text: &str| parse(text).expect_err("it is no run file").to_string();
        for length in [0, 1, text.len() / 2, text.len() - 3] {
            let error = said(&text[..length]);
            assert!(error.starts_with("run.json: not a run file, or a truncated one: "), "{error}");
        }
        assert!(said("{}").contains("its schema is null"));
        assert!(said("[1]").contains("its schema is null"));
        let of_version =
            |version: u32| text.replace("\"schema_version\": 3", &format!("\"schema_version\": {version}"));
        let other = said(&of_version(4));
        assert!(other.contains("schema version 4, but this program reads versions 1 to 3"), "{other}");
        for version in [1, 2] {
            assert_eq!(parse(&of_version(version)).expect("an older one").cells, run().cells);
        }
        let nameless = text.replace("\"name\": \"before\",", "").replace("\"host\": \"ash\",", "");
        let nameless = parse(&nameless).expect("neither has to be there");
        assert_eq!((nameless.name, nameless.host), (None, None));
        let less = said(&text.replace("\"study\"", "\"studies\""));
        assert!(less.contains("missing field `study`"), "{less}");
    }

    /// The ways to all objects of a value.
    fn objects(value: &serde_json::Value, way: &str) -> Vec<String> {
        let within = |name: &str, value| objects(value, &format!("{way}/{name}"));
        match value {
            serde_json::Value::Object(fields) => std::iter::once(way.to_owned())
                .chain(fields.iter().flat_map(|(name, field)| within(name, field)))
                .collect(),
            serde_json::Value::Array(values) => {
                values.iter().enumerate().flat_map(|(at, value)| within(&at.to_string(), value)).collect()
            }
            _ => Vec::new(),
        }
    }

    #[test]
    fn what_a_later_program_adds_to_a_run_is_passed_over() {
        let validator = jsonschema::validator_for(&Run::json_schema()).expect("a schema");
        let value: serde_json::Value = serde_json::from_str(&run().to_json()).expect("JSON");
        let mut more = value.clone();
        // The backends are a map: its fields are algorithms.
        // What a cell is a measure of is not passed over.
        let is_passed_over = |way: &&String| *way != "/machine/backends" && !way.ends_with("/cell");
        for way in objects(&value, "").iter().filter(is_passed_over) {
            more.pointer_mut(way).expect("it is there")["unknown"] = 1.into();
        }
        assert!(validator.is_valid(&more));
        let read = parse(&more.to_string()).expect("the rest is as it was");
        let cells = |run: &Run| run.cells.iter().map(|result| result.cell.clone()).collect::<Vec<_>>();
        assert_eq!((read.study.as_str(), cells(&read)), ("check-up", cells(&run())));
        // So is a doubt that this program has no words for, but not that there is one.
        let mut other = value;
        other["warnings"][0] = serde_json::json!({ "warning": "of-a-later-program", "share": 0.5 });
        assert!(validator.is_valid(&other));
        let read = parse(&other.to_string()).expect("the rest is as it was");
        assert_eq!(read.warnings, [Warning::Other, Warning::Loaded { threads: 1.5 }]);
    }

    #[test]
    fn cells_that_differ_in_a_parameter_of_a_later_program_are_not_the_same() {
        let mut value: serde_json::Value = serde_json::from_str(&run().to_json()).expect("JSON");
        let first = value["cells"][0].clone();
        let cells = value["cells"].as_array_mut().expect("a list");
        cells.truncate(1);
        cells.push(first);
        let said = |value: &serde_json::Value| parse(&value.to_string());
        said(&value).expect_err("one cell twice");
        for (cell, node) in [0, 1].into_iter().zip(["0", "{\"socket\":1}"]) {
            value["cells"][cell]["cell"]["node"] = serde_json::from_str(node).expect("JSON");
        }
        let validator = jsonschema::validator_for(&Run::json_schema()).expect("a schema");
        assert!(validator.is_valid(&value));
        let read = said(&value).expect("two cells");
        let names: Vec<_> = read.cells.iter().map(|result| result.cell.to_string()).collect();
        assert!(names[0].contains(", node 0"), "{names:?}");
        assert!(names[1].contains(r#", node {"socket":1}"#), "{names:?}");
        assert_eq!(parse(&read.to_json()).expect("as it was written").cells, read.cells);
    }

    #[test]
    fn what_has_no_end_is_not_read_to_its_end() {
        let error = Run::load(Path::new("/dev/zero")).expect_err("it is no run file").to_string();
        assert_eq!(error, "/dev/zero: not a run file: it is longer than 64 MiB");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_and_not_obeyed() {
        let mut run = run();
        run.machine.processor.name = "a\u{1b}]0;b\u{7}\u{9b}c\nd\u{202e}".into();
        let read = parse(&run.to_json()).expect("a name may hold anything");
        assert_eq!(read.machine.processor.name, "a\\u{1b}]0;b\\u{7}\\u{9b}c\\u{a}d\\u{202e}");
        let error =
            parse(&run.to_json().replace("\"study\"", "\"st\\u001budies\"")).expect_err("no such field");
        assert!(!error.to_string().contains('\u{1b}'), "{error}");
        let path = Path::new("a\u{1b}b.json");
        let error = Run::parse(b"", path).expect_err("it is empty").to_string();
        assert!(!error.contains('\u{1b}'), "{error}");
    }

    #[test]
    fn what_no_run_can_have_measured_is_refused() {
        let refused = |edit: fn(&mut Run)| {
            let mut run = super::tests::run();
            edit(&mut run);
            run.cells.iter_mut().for_each(CellResult::summarise);
            let error = parse(&run.to_json()).expect_err("it is impossible").to_string();
            assert!(error.contains("no run can have measured `read, "), "{error}");
        };
        refused(|run| run.cells[0].samples[2].elapsed.wall_ns = 0);
        refused(|run| run.cells[0].samples[2].round = 1);
        refused(|run| run.cells[0].samples[2].noise.stolen = Some(-1e300));
        refused(|run| run.cells[0].cell.threads = 1 << 60);
        refused(|run| run.cells[0].cell.block_bytes = Some(0));
        refused(|run| run.cells.push(run.cells[0].clone()));
    }

    #[test]
    fn an_edited_figure_is_noticed() {
        let text = run().to_json();
        for (old, new) in [("\"wall_ns\": 1000003", "\"wall_ns\": 2000003"), ("\"n\": 7", "\"n\": 8")] {
            assert!(text.contains(old), "{text}");
            let error = parse(&text.replace(old, new)).expect_err("it was edited").to_string();
            assert!(error.contains("was edited: the figure of `read, 1 thread`"), "{error}");
        }
    }
}
