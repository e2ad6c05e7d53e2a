//! Figures that other programs have written, brought into one neutral form.
//!
//! What a file is follows from its content, never from its name. A value that cannot be what its place says is refused with
//! file, place, value and a way out; what a file says of itself (a measurement that failed, a time of 0) is kept as a
//! [`Remark`]. Nothing here opens a file or compares anything.

mod fio;
mod google_benchmark;
mod hyperfine;
mod openssl;
mod remark;
mod size;
mod sysperf;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use hashlane_record::Escaped;
use serde::Serialize;
use serde_json::Value;

use crate::cell::{LARGEST_FIGURE, Unit};
use crate::text::shown;

pub use remark::Remark;
pub(crate) use size::shown_count;
pub use size::sysperf_count;
pub(crate) use sysperf::{DESCRIPTION, LOOKUP, MEASUREMENT, is_sysperf};

/// A program whose files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// `fio --output-format=json`.
    Fio,
    /// `--benchmark_format=json` of Google Benchmark.
    GoogleBenchmark,
    /// `hyperfine --export-json`.
    Hyperfine,
    /// `openssl speed -mr`.
    OpensslSpeed,
    /// The `|`-separated files of sysperf's scripts.
    Sysperf,
}

/// Which figure of a cell it is. Figures of different bases are never set against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// As its program wrote it, after cutting it to whole MB/s.
    Recorded,
    /// Computed again, from bytes and wall time of the same line.
    Recomputed,
    /// Measured by our own cells that read no files, or where nothing is said about the page cache.
    Uncached,
    /// Measured by our own cells whose bytes were in the page cache.
    Warm,
    /// Measured by our own cells whose bytes were not in the page cache.
    Cold,
    /// Measured by our own cells, where it could not be seen.
    CacheUnknown,
    /// As another program reports it.
    Reported,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Who wrote it.
    pub format: Format,
    /// The machines that it describes, in its order.
    pub machines: Vec<ImportedMachine>,
}

/// What a file says about one machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedMachine {
    /// The machine, if the file names it.
    pub host: Option<String>,
    /// What its figures depend on: name and value.
    pub facts: Vec<(String, String)>,
    /// What the kernel took its loop of idling for; says little of anything else.
    pub bogomips: Option<f64>,
    /// Its figures, in the order of the file.
    pub cells: Vec<ImportedCell>,
    /// What is to be known of them.
    pub remarks: Vec<Remark>,
    /// Where a cell of a name is, copies apart: files may hold very many.
    places: HashMap<(String, bool), usize>,
}

/// One cell of an imported file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedCell {
    /// What was measured, machines aside.
    pub name: String,
    /// What its figures count.
    pub unit: Unit,
    /// Whether this is the measurement or a copy of its figures, as in sysperf's lookup files.
    pub is_copy: bool,
    /// Every timing of it.
    pub timings: Vec<Timing>,
    /// What was worked on: name and value. Cells are alike where these are.
    pub work: BTreeMap<String, String>,
}

/// One timing of an imported cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// What distinguishes it from others of the same cell; the same one twice is one measurement written twice. None where every
    /// one is another.
    pub identity: Option<String>,
    /// Its figures, in the unit of the cell, each above 0.
    pub figures: Vec<(Basis, f64)>,
}

/// Why a file is of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// There is nothing in it.
    #[error("{}: is empty; write it again, or leave it out", escaped(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It begins as JSON and is none.
    #[error(
        "{}: not a run file, or a truncated one: {source}; write it again, or leave it out",
        escaped(path)
    )]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: serde_json::Error,
    },
    /// It is none of the formats.
    #[error("{}: {found}; readable files are {KNOWN}", escaped(path))]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: String,
    },
    /// A value cannot be what its place says.
    #[error("{}: {problem}", escaped(path))]
    Value {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: Problem,
    },
}

/// What is read, as messages list it.
const KNOWN: &str = "hashlane run files, sysperf's CSV and description files, JSON of fio, hyperfine and Google \
                     Benchmark, and the output of `openssl speed -mr`";

/// More machines than this are in no file that people made.
const MOST_MACHINES: usize = 1_000;

/// A value that cannot be what its place says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it stands: `line 3, WallTime`.
    pub place: String,
    /// What stands there.
    pub found: String,
    /// What should, and a way out.
    pub expected: String,
}

impl Problem {
    fn new(place: impl Into<String>, found: impl fmt::Display, expected: impl Into<String>) -> Self {
        /// More of it would not show what is wrong.
        const MOST_CHARS: usize = 80;
        let text = found.to_string();
        let rest = if text.chars().nth(MOST_CHARS).is_some() { "…" } else { "" };
        let found = shown(&text.chars().take(MOST_CHARS).collect::<String>()) + rest;
        Self { place: place.into(), found, expected: expected.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}` is {}", self.place, self.found, self.expected)
    }
}

impl Format {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fio => "fio",
            Self::GoogleBenchmark => "Google Benchmark",
            Self::Hyperfine => "hyperfine",
            Self::OpensslSpeed => "openssl speed",
            Self::Sysperf => "sysperf",
        }
    }
}

impl ImportedCell {
    /// A cell without timings.
    fn new(name: impl AsRef<str>, unit: Unit) -> Self {
        let name = shown(name.as_ref());
        Self { name, unit, is_copy: false, timings: Vec::new(), work: BTreeMap::new() }
    }
}

impl ImportedMachine {
    /// The cell of a name, which is there from now on.
    fn cell(&mut self, name: &str, unit: Unit, is_copy: bool) -> &mut ImportedCell {
        let at = *self.places.entry((name.to_owned(), is_copy)).or_insert(self.cells.len());
        if at == self.cells.len() {
            self.cells.push(ImportedCell { is_copy, ..ImportedCell::new(name, unit) });
        }
        &mut self.cells[at]
    }

    /// Adds a figure as its program reports it. One that is 0, or that nothing can have, becomes a remark.
    fn report(&mut self, name: &str, unit: Unit, figure: f64) {
        let name = shown(name);
        if is_possible(figure) {
            let timing = Timing { identity: None, figures: vec![(Basis::Reported, figure)] };
            self.cell(&name, unit, false).timings.push(timing);
        } else {
            self.remarks.push(Remark::NoFigure { cell: name, found: figure.to_string() });
        }
    }
}

/// Reads what another program has written; `path` is for messages.
///
/// # Errors
/// It is empty, none of the formats, or holds a value that cannot be.
pub fn import(content: &[u8], path: &Path) -> Result<Imported, ImportError> {
    let path = path.to_path_buf();
    let text = String::from_utf8_lossy(content);
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(ImportError::Empty { path });
    }
    let problem = |path| move |problem| ImportError::Value { path, problem };
    if is_sysperf(text) {
        return sysperf::parse(text).map_err(problem(path));
    }
    if openssl::is_openssl(text) {
        return openssl::parse(text).map_err(problem(path));
    }
    let value = match value_of(text) {
        Some(Ok(value)) => value,
        Some(Err(source)) => return Err(ImportError::Json { path, source }),
        None => {
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let first: String = shown(first).chars().take(60).collect();
            let found = format!("begins with `{first}`, as no known format does");
            return Err(ImportError::Unknown { path, found });
        }
    };
    if fio::is_fio(&value) {
        fio::parse(&value).map_err(problem(path))
    } else if hyperfine::is_hyperfine(&value) {
        hyperfine::parse(&value).map_err(problem(path))
    } else if google_benchmark::is_google_benchmark(&value) {
        google_benchmark::parse(&value).map_err(problem(path))
    } else if let Some(schema) = value.get("schema") {
        let found = format!("not a run file: its schema is {}", shown(&schema.to_string()));
        Err(ImportError::Unknown { path, found })
    } else {
        Err(ImportError::Unknown { path, found: "is JSON of an unknown kind".to_owned() })
    }
}

/// The JSON that a text is. fio writes its job lines and warnings before it, and its usual report behind it.
fn value_of(text: &str) -> Option<serde_json::Result<Value>> {
    if text.trim_start().starts_with(['{', '[']) {
        let whole = serde_json::from_str(text);
        let of_fio = || first_value(text).filter(|value| value.as_ref().is_ok_and(fio::is_fio));
        return whole.is_err().then(of_fio).flatten().or(Some(whole));
    }
    let start = text.find("\n{")? + 1;
    // As long as what stands before it, so that places in messages are those of the file.
    let before = "\n".repeat(text[..start].matches('\n').count());
    let value = first_value(&(before + &text[start..]))?;
    let is_of_fio = match &value {
        Ok(value) => fio::is_fio(value),
        Err(_) => text[start..].contains("\"fio version\""),
    };
    is_of_fio.then_some(value)
}

/// The first value of JSON in a text, whatever follows.
fn first_value(text: &str) -> Option<serde_json::Result<Value>> {
    serde_json::Deserializer::from_str(text).into_iter().next()
}

/// Whether a figure can have been measured: above 0, and such that no ratio of two is beyond what a number can hold.
pub(crate) fn is_possible(figure: f64) -> bool {
    (1e-9..=LARGEST_FIGURE).contains(&figure)
}

fn escaped(path: &Path) -> String {
    Escaped(path.as_os_str().as_encoded_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(content: &str) -> String {
        import(content.as_bytes(), Path::new("a file")).expect_err("it is nothing").to_string()
    }

    #[test]
    fn what_is_nothing_known_is_refused_with_what_is() {
        assert_eq!(refused(" \n\n"), "a file: is empty; write it again, or leave it out");
        assert!(
            refused("hello\u{1b}\n").starts_with(
                "a file: begins with `hello\\u{1b}`, as no known format does; readable files are"
            )
        );
        assert!(refused("{\"a\": 1}").starts_with("a file: is JSON of an unknown kind; readable files are"));
        assert!(
            refused("{\"schema\": \"x\"}")
                .starts_with("a file: not a run file: its schema is \"x\"; readable files are")
        );
        let truncated = refused("{\"jobs\": [");
        assert!(truncated.contains("truncated") && truncated.contains("line 1 column"), "{truncated}");
    }

    #[test]
    fn what_fio_writes_around_its_json_is_passed_over() {
        let json = "{\n\"fio version\": \"fio-3\", \"jobs\": [{\"jobname\": \"a\", \"read\": {\"io_bytes\": 1, \"bw_bytes\": 5}}]\n}";
        for (before, behind) in [
            ("", ""),
            ("rd: (g=0): rw=read\nfio-3.33\nStarting 1 process\n", ""),
            ("note: both iodepth >= 1 and synchronous I/O engine are selected\n", "\n"),
            ("", "\nrd: (groupid=0, jobs=1): err= 0\n  read: IOPS=1\n"),
            ("fio: a warning\n", "\nDisk stats (read/write):\n"),
        ] {
            let text = format!("{before}{json}{behind}");
            let imported = import(text.as_bytes(), Path::new("a file")).expect("it is of fio");
            assert_eq!((imported.format, imported.machines.len()), (Format::Fio, 1));
        }
        // What is cut off is that, with its line in the file, and other JSON behind text is not guessed at.
        let cut = refused(&format!("one\ntwo\n{}", &json[..json.len() - 3]));
        assert!(cut.contains("truncated") && cut.contains("line 4"), "{cut}");
        assert!(refused("hello\n{\"results\": []}\n").contains("begins with `hello`"));
    }

    #[test]
    fn what_is_wrong_is_quoted_as_far_as_it_tells() {
        let line = format!("+F:6:{}", "x".repeat(10_000));
        let error = refused(&format!("+H:16\n{line}\n"));
        assert!(
            error.starts_with("a file: line 2: `+F:6:xxx") && error.contains("xxx…` is not a name"),
            "{error}"
        );
        assert!(error.len() < 300, "{error}");
    }

    /// Beginnings after which anything may come.
    const BEGINNINGS: [&str; 9] = [
        "",
        "Hostname|UCT Date_time|\n",
        "a|20220101_0000|",
        "Lookup Value|MB/Sec Wall|MB/Sec User|MB/Sec System\n",
        "Hostname|Architecture|cores|CPU max MHz|\n",
        "+H:16:64\n+F:",
        "{\"fio version\": \"fio-3\", \"jobs\": [{\"jobname\": \"a\", \"read\": ",
        "{\"results\": [{\"command\": \"a\", \"times\": ",
        "{\"context\": {}, \"benchmarks\": [{\"name\": ",
    ];

    proptest! {
        #[test]
        fn nothing_makes_it_panic(start in 0..BEGINNINGS.len(), rest in proptest::collection::vec(any::<u8>(), 0..200)) {
            let content = [BEGINNINGS[start].as_bytes(), &rest].concat();
            let _ = import(&content, Path::new("any"));
        }

        #[test]
        fn nothing_that_looks_like_figures_makes_it_panic(start in 0..BEGINNINGS.len(), rest in "[0-9a-zA-Z|_.,:{}\\[\\]\" \n+-]{0,200}") {
            let content = format!("{}{rest}", BEGINNINGS[start]);
            let _ = import(content.as_bytes(), Path::new("any"));
        }
    }
}
