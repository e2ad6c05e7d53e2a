//! The manifests of a comparison: how they are read, and what is said of them.

use std::ffi::OsStr;
use std::sync::{Arc, Mutex, PoisonError};

use hashlane_manifest::ReadOptions;
use hashlane_report::text;
use hashlane_verify::diff::load;
use hashlane_verify::rows::{ListRows, Loaded, Met, Room};
use hashlane_verify::{Error, Note, Notes, Places};

use crate::args::DiffArgs;
use crate::manifests::{self, OptionNames};
use crate::session::Session;
use crate::status::Status;
use crate::terminal::screen::Screen;

/// What the options are called that say how a manifest is to be read.
const CALLED: OptionNames = OptionNames { task: "compare", zero: "--from-zero", ..OptionNames::USUAL };

/// How many lines are said one by one.
const MOST_SAID: u64 = 20;

/// Reads manifests, and brings their rows into order if they are not.
pub(crate) fn lists(
    names: &[&OsStr],
    args: &DiffArgs,
    places: &Places,
    session: &Session<'_>,
    room: &Room,
) -> anyhow::Result<Vec<Loaded>> {
    let rows = |name: &OsStr| {
        let options = ReadOptions {
            format: args.manifest_format,
            // What a manifest says of itself goes first, for the other one may say something else, or more.
            fallback: args.algorithm,
            zero: args.from_zero,
            ..ReadOptions::default()
        };
        ListRows::new(name, options, places, notes(args, session.screen()), session.control())
    };
    let loaded = match names {
        [a, b] => load([rows(a), rows(b)], room).map(Vec::from),
        _ => names.iter().map(|name| rows(name).load(room)).collect(),
    };
    loaded.map_err(|error| failed(&error))
}

/// What is wrong with a comparison, and the way out.
pub(crate) fn failed(error: &Error) -> anyhow::Error {
    manifests::failed_as(error, CALLED)
}

/// Says of lines that they were not understood, each time once: a manifest may be read again.
fn notes(args: &DiffArgs, screen: &Screen) -> Notes {
    let (screen, warn) = (screen.clone(), args.warn);
    // The last line that was noted, and how many that list files.
    let noted = Mutex::new((0, 0_u64));
    Arc::new(move |note| {
        let (line, is_entry) = match note {
            Note::StandardInput => return manifests::say_what_is_awaited(&Screen::plain()),
            Note::Assumed { list, algorithm } => {
                return screen.message(&manifests::assumed_line(list, algorithm, CALLED));
            }
            Note::Line { problem, .. } => (problem.line, problem.is_entry()),
            Note::OutOfPlace { line, .. } => (line, true),
            _ => return,
        };
        let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
        if line > noted.0 {
            *noted = (line, noted.1 + u64::from(is_entry));
            if warn || is_entry && noted.1 <= MOST_SAID {
                screen.message(&note.to_string());
            }
        }
    })
}

/// Says what of a manifest was not understood, and what that means for the exit code.
pub(crate) fn close(name: &OsStr, met: &Met, screen: &Screen, args: &DiffArgs) -> Status {
    let Met { bad, noise, recorded_bad, commented_out, ref columns_not_read, .. } = *met;
    let name = manifests::shown(name);
    manifests::say_commented_out(screen, &name, commented_out, "compared");
    let mut status = Status::OK;
    if bad > 0 {
        let lines = text::counted(bad, "line");
        let verb = if bad == 1 { "lists a file" } else { "list files" };
        screen.message(&format!("{}: {lines} that {verb} cannot be parsed", name));
        status |= Status::UNREADABLE;
    }
    if !columns_not_read.is_empty() && (args.strict || !args.quiet) {
        screen.message(&format!("{}: {}", name, text::columns_not_read(columns_not_read)));
    }
    if args.strict && noise + columns_not_read.len() as u64 > 0 {
        status |= Status::UNREADABLE;
    }
    if noise > 0 && (args.strict || !args.quiet) {
        let hint = if args.warn { "" } else { "; --warn shows which" };
        let lines = text::counted(noise, "line");
        let verb = if noise == 1 { "lists" } else { "list" };
        screen.message(&format!("{}: {lines} that {verb} no file cannot be parsed{hint}", name));
    }
    if recorded_bad > 0 {
        let files = text::counted(recorded_bad, "listed file");
        screen.message(&format!("{}: {files} recorded as unreadable or unstable", name));
    }
    status
}
