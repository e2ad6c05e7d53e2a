//! The manifests of a comparison: how they are read, and what is said of them.

use std::ffi::OsStr;
use std::sync::{Arc, Mutex, PoisonError};

use hashlane_audit::diff::Rows;
use hashlane_digest::Algorithm;
use hashlane_engine::Control;
use hashlane_manifest::{Format, ReadOptions};
use hashlane_report::text;
use hashlane_verify::rows::{ListRows, Met};
use hashlane_verify::{Error, Note, Notes, Places};

use crate::args::DiffArgs;
use crate::commands::diff::directory;
use crate::manifests::{self, OptionNames};
use crate::status::Status;
use crate::terminal::screen::Screen;

/// What the options are called that say how a manifest is to be read.
const CALLED: OptionNames = OptionNames { task: "compare", zero: "--from-zero", ..OptionNames::USUAL };

/// How many lines are said one by one.
const MOST_SAID: u64 = 20;

/// A manifest that was read to its end, and its rows.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) rows: Box<dyn Rows + Send>,
    /// All that its rows have digests of.
    pub(crate) algorithms: Vec<Algorithm>,
    /// Its format, if that holds a set of known contents: its names are those of another machine.
    pub(crate) known_set: Option<Format>,
    met: Met,
}

/// Reads a manifest, and brings its rows into order if they are not.
pub(crate) fn load(
    name: &OsStr,
    args: &DiffArgs,
    places: &Places,
    (screen, control): (&Screen, &Arc<Control>),
    memory: usize,
) -> anyhow::Result<Loaded> {
    let options = ReadOptions {
        format: args.manifest_format,
        // What a manifest tells of itself goes first, for the other one may tell something else, or more.
        fallback: args.algorithm,
        zero: args.from_zero,
        ..ReadOptions::default()
    };
    let rows = ListRows::new(name, options, places, notes(args, screen), control);
    let loaded = rows.load(memory, directory(args)).map_err(|error| failed(&error))?;
    let hashlane_verify::rows::Loaded { rows, algorithms, known_set, met, .. } = loaded;
    Ok(Loaded { name: manifests::shown(name), rows, algorithms, known_set, met })
}

/// What is wrong with a manifest, and the way out.
pub(crate) fn failed(error: &Error) -> anyhow::Error {
    manifests::failed_as(error, CALLED)
}

/// Says of lines that they were not understood, each time once: a manifest may be read again.
fn notes(args: &DiffArgs, screen: &Screen) -> Notes {
    let (screen, warn) = (screen.clone(), args.warn);
    // The last line that was noted, and how many that list files.
    let noted = Mutex::new((0, 0_u64));
    Arc::new(move |note| match note {
        Note::StandardInput => manifests::say_what_is_awaited(&Screen::plain()),
        Note::Assumed { list, algorithm } => {
            screen.message(&manifests::assumed_line(list, algorithm, CALLED));
        }
        Note::Line { list, problem } => {
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            if problem.line <= noted.0 {
                return;
            }
            noted.0 = problem.line;
            noted.1 += u64::from(problem.is_entry());
            if warn || (problem.is_entry() && noted.1 <= MOST_SAID) {
                screen.message(&format!("{}: {problem}", manifests::shown(list)));
            }
        }
        Note::OutOfPlace { list, line, path, why } => {
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            if line > noted.0 {
                *noted = (line, noted.1 + 1);
                if warn || noted.1 <= MOST_SAID {
                    let name = text::name(path.as_bytes());
                    screen.message(&format!("{}: line {line}: {name} {why}", manifests::shown(list)));
                }
            }
        }
        _ => {}
    })
}

impl Loaded {
    /// Says what was not understood, and what that means for the exit code.
    pub(crate) fn close(&self, screen: &Screen, args: &DiffArgs) -> Status {
        let Met { bad, noise, recorded_bad, commented_out, ref columns_not_read, .. } = self.met;
        manifests::say_commented_out(screen, &self.name, commented_out, "compared");
        let mut status = Status::OK;
        if bad > 0 {
            let lines = text::counted(bad, "line");
            let verb = if bad == 1 { "lists a file" } else { "list files" };
            screen.message(&format!("{}: {lines} that {verb} cannot be parsed", self.name));
            status |= Status::UNREADABLE;
        }
        if !columns_not_read.is_empty() && (args.strict || !args.quiet) {
            screen.message(&format!("{}: {}", self.name, text::columns_not_read(columns_not_read)));
        }
        if args.strict && noise + columns_not_read.len() as u64 > 0 {
            status |= Status::UNREADABLE;
        }
        if noise > 0 && (args.strict || !args.quiet) {
            let hint = if args.warn { "" } else { "; --warn shows which" };
            let lines = text::counted(noise, "line");
            let verb = if noise == 1 { "lists" } else { "list" };
            screen.message(&format!("{}: {lines} that {verb} no file cannot be parsed{hint}", self.name));
        }
        if recorded_bad > 0 {
            let files = text::counted(recorded_bad, "listed file");
            screen.message(&format!("{}: {files} recorded as unreadable or unstable", self.name));
        }
        status
    }
}
