//! The rows of a manifest, in order.

use std::ffi::OsStr;
use std::io;
use std::sync::Arc;

use hashlane_audit::KnownFile;
use hashlane_audit::diff::{Error, Gather, Gathered, Kind, Row, Rows, Taken};
use hashlane_digest::Algorithm;
use hashlane_engine::Control;
use hashlane_manifest::{Format, Merged, ProblemKind, ReadOptions, Reader};
use hashlane_record::Outcome;
use hashlane_verify::Places;

use crate::args::DiffArgs;
use crate::commands::diff::{Stopped, directory, ended, failed};
use crate::manifests::{self, Again, OptionNames, Refused};
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;
use crate::text;

/// What the options are called that say how a manifest is to be read.
const CALLED: OptionNames = OptionNames { task: "compare", zero: "--from-zero", ..OptionNames::USUAL };

/// How many lines are said one by one.
const MOST_SAID: u64 = 20;

/// A manifest on its way to be compared. It is read once, or a second time where it is in order already and does not fit into
/// memory, or is not and it took more memory to find that out.
pub(crate) struct Manifest<'a> {
    name: &'a OsStr,
    args: &'a DiffArgs,
    places: &'a Places,
    screen: Screen,
    control: Arc<Control>,
    items: Option<Merged<Reader<'static>>>,
    /// If it is a regular file that was opened.
    again: Option<Again>,
    /// Its format, if that holds a set of known contents.
    known_set: Option<Format>,
    noted: Noted,
    /// What stands up to this line was said before.
    said_until: u64,
    algorithms: Vec<Algorithm>,
}

/// What was met on the way through a manifest.
#[derive(Clone, Copy, Debug, Default)]
struct Noted {
    /// Lines that list a file and were not understood.
    bad: u64,
    /// Lines that were not understood and list no file.
    noise: u64,
    /// Listed files that were unreadable or unstable when they were listed.
    recorded_bad: u64,
}

/// A manifest that was read to its end, and its rows.
pub(crate) struct Loaded<'a> {
    pub(crate) name: String,
    pub(crate) rows: Box<dyn Rows + Send + 'a>,
    /// All that its rows have digests of.
    pub(crate) algorithms: Vec<Algorithm>,
    /// Its format, if that holds a set of known contents: its names are those of another machine.
    pub(crate) known_set: Option<Format>,
    noted: Noted,
}

/// A manifest that is in order, read while it is compared.
struct InOrder<'a> {
    manifest: Manifest<'a>,
    last: Vec<u8>,
}

impl<'a> Manifest<'a> {
    pub(crate) fn new(
        name: &'a OsStr,
        args: &'a DiffArgs,
        places: &'a Places,
        screen: &Screen,
        control: &Arc<Control>,
    ) -> Self {
        Self {
            name,
            args,
            places,
            screen: screen.clone(),
            control: Arc::clone(control),
            items: None,
            again: None,
            known_set: None,
            noted: Noted::default(),
            said_until: 0,
            algorithms: Vec::new(),
        }
    }

    /// Reads it, and brings its rows into order if they are not.
    pub(crate) fn load(mut self, memory: usize) -> anyhow::Result<Loaded<'a>> {
        let directory = directory(self.args);
        self.open()?;
        let mut gather = Gather::new(memory, directory.clone(), self.again.is_some());
        let mut row = Row::default();
        while self.row(&mut row).map_err(failed)? {
            if gather.push(&row).map_err(failed)? == Taken::Again {
                gather = Gather::sorting(memory, directory.clone());
                self.open()?;
            }
        }
        let (name, noted, algorithms) = (self.shown(), self.noted, std::mem::take(&mut self.algorithms));
        let known_set = self.known_set;
        let rows: Box<dyn Rows + Send> = match gather.finish().map_err(failed)? {
            Gathered::Sorted(sorted) => Box::new(sorted),
            Gathered::InOrder => {
                self.open()?;
                self.said_until = u64::MAX;
                Box::new(InOrder { manifest: self, last: Vec::new() })
            }
        };
        Ok(Loaded { name, rows, algorithms, known_set, noted })
    }

    /// Begins to read it, once more if need be.
    fn open(&mut self) -> anyhow::Result<()> {
        let options = ReadOptions {
            format: self.args.manifest_format,
            // What a manifest tells of itself goes first, for the other one may tell something else, or more.
            fallback: self.args.algorithm,
            zero: self.args.from_zero,
            ..ReadOptions::default()
        };
        let failed = |error: io::Error| {
            Ended::unreadable(format!("{}: {}", manifests::shown(self.name), text::system(&error)))
        };
        let source = match &self.again {
            Some(again) => again.source().map_err(failed)?,
            None => manifests::open(self.name)?,
        };
        if self.again.is_none() {
            self.again = source.again().map_err(failed)?;
        }
        let reader = manifests::read(source, &options, CALLED).map_err(Refused::into_error)?;
        self.known_set = Some(reader.format()).filter(|format| format.is_known_set());
        self.items = Some(reader.merged());
        self.noted = Noted::default();
        Ok(())
    }

    /// Fills in the next row; false at the end.
    fn row(&mut self, row: &mut Row) -> Result<bool, Error> {
        loop {
            if self.control.stopped().is_some() {
                return Err(Error::Source(Box::new(Stopped)));
            }
            let Some(item) = self.items.as_mut().and_then(Iterator::next) else { return Ok(false) };
            let item = match item {
                Ok(item) => item,
                Err(problem) => {
                    if let ProblemKind::Input(error) = &problem.kind {
                        let text = text::system(error);
                        let text = format!("{}: {text} (reading line {})", self.shown(), problem.line);
                        return Err(ended(Ended::unreadable(text)));
                    }
                    self.note(problem.is_entry(), problem.line, &problem);
                    continue;
                }
            };
            let (kind, digests) = match item.outcome {
                None | Some(Outcome::Read) => (Kind::File, &item.digests[..]),
                Some(Outcome::Unstable(_)) => (Kind::Unstable, &[][..]),
                Some(Outcome::Failed(_)) => (Kind::Unreadable, &[][..]),
            };
            self.noted.recorded_bad += u64::from(kind != Kind::File);
            for digest in digests {
                if !self.algorithms.contains(&digest.algorithm()) {
                    self.algorithms.push(digest.algorithm());
                }
            }
            let path = &*self.places.of_listed(item.path.as_bytes());
            row.set(item.line, kind, &KnownFile { path, size: item.size, modified: item.modified, digests });
            return Ok(true);
        }
    }

    /// Counts a line that was not understood, and says so the first time it is met.
    fn note(&mut self, is_entry: bool, line: u64, problem: &dyn std::fmt::Display) {
        *if is_entry { &mut self.noted.bad } else { &mut self.noted.noise } += 1;
        let wanted = self.args.warn || (is_entry && self.noted.bad <= MOST_SAID);
        if wanted && line > self.said_until {
            self.said_until = line;
            self.screen.message(&format!("{}: {problem}", self.shown()));
        }
    }

    fn shown(&self) -> String {
        manifests::shown(self.name)
    }
}

impl Rows for InOrder<'_> {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        let more = self.manifest.row(row)?;
        if more && *self.last > *row.name() {
            return Err(ended(Ended::unreadable(format!(
                "{}: changed while it was read, and line {} is now out of order; run again",
                self.manifest.shown(),
                row.line()
            ))));
        }
        self.last.clear();
        self.last.extend_from_slice(row.name());
        Ok(more)
    }
}

impl Loaded<'_> {
    /// Says what was not understood, and what that means for the exit code.
    pub(crate) fn close(&self, screen: &Screen, args: &DiffArgs) -> Status {
        let Noted { bad, noise, recorded_bad } = self.noted;
        let mut status = Status::OK;
        if bad > 0 {
            let lines = text::counted(bad, "line");
            let verb = if bad == 1 { "lists a file" } else { "list files" };
            screen.message(&format!("{}: {lines} that {verb} cannot be parsed", self.name));
            status |= Status::UNREADABLE;
        }
        if noise > 0 && args.strict {
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
