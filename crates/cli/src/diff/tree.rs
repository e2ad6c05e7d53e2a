//! The files of a tree as rows: digested by the engine, in byte order of their names.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use hashlane_audit::KnownFile;
use hashlane_audit::diff::{Difference, Error, Kind, Pair, Row, Rows};
use hashlane_digest::{Algorithm, BackendChoice};
use hashlane_engine::{Control, Input, Options, Profile, Sink, Summary};
use hashlane_record::{ItemPath, Operation, Outcome, Record};
use hashlane_verify::check::identity;
use hashlane_verify::{Places, Roots, Selection, devices, lies_within};

use crate::args::DiffArgs;
use crate::diff::{Letter, Stopped, ended};
use crate::filters::selection;
use crate::inputs::{Inputs, options};
use crate::output::shown;
use crate::progress::Count;
use crate::screen::Screen;
use crate::status::Ended;
use crate::text;

/// Rows on their way to be compared.
const ROWS: usize = 4096;

/// A directory whose files are digested.
pub(crate) struct Tree<'a> {
    letter: Letter,
    root: ItemPath,
    /// It alone, as globs are compared with what lies below it.
    roots: Roots,
    /// What it lies on.
    devices: BTreeSet<u64>,
    places: &'a Places,
    selection: Selection,
}

/// What comes from the thread of the engine.
enum Message {
    Row(Row),
    /// The root could not be looked into.
    Failed(String),
    End,
}

/// The rows, as they come.
pub(crate) struct Coming(Receiver<Message>);

/// Makes rows of records.
pub(crate) struct RowSink<'a> {
    root: &'a ItemPath,
    places: &'a Places,
    screen: Screen,
    rows: SyncSender<Message>,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(
        letter: Letter,
        root: &OsStr,
        args: &DiffArgs,
        places: &'a Places,
    ) -> anyhow::Result<Self> {
        if let Some(base) = &args.base
            && !Path::new(root).starts_with(base)
        {
            return Err(Ended::usage(format!(
                "--base {}: {} does not lie below it; name the directory that the listed names are relative to, as the beginning of the tree's name",
                shown(base),
                text::name(root.as_bytes())
            )));
        }
        let root = ItemPath::from(root.as_bytes());
        let here = places.here().to_vec();
        let selection = selection(&args.filter, args.follow, args.one_file_system, here)?;
        let roots = selection.root(&ItemPath::from(&*places.of_found(root.as_bytes())));
        let devices = devices(std::slice::from_ref(&root));
        Ok(Self { letter, root, roots, devices, places, selection })
    }

    /// What it means that a name is not among the files of the tree, if it is not: it may be there nevertheless, or not be wanted.
    pub(crate) fn judged(&self, pair: &Pair<'_>) -> Difference {
        let absent = match self.letter {
            Letter::A => Difference::New,
            Letter::B => Difference::Missing,
        };
        if pair.difference != absent {
            return pair.difference;
        }
        let (name, bounds) = (pair.path(), self.selection.bounds());
        let is_elsewhere = |path: PathBuf| self.selection.is_elsewhere(&path, &self.devices);
        if !self.selection.takes_name(name, &self.roots)
            || self.places.path_inside(name).is_some_and(is_elsewhere)
        {
            return Difference::Excluded;
        }
        match self.places.facts(name) {
            Ok(facts) if !lies_within(bounds, &facts) => Difference::Excluded,
            // What is in the tree and was not found there. Of what lies elsewhere nothing more is said.
            found if self.selection.lies_in(name, &self.roots) && may_be_there(&found) => {
                Difference::Unreadable
            }
            // Of a file that is gone, what is listed says whether it was wanted.
            _ => match pair.left().or(pair.right()) {
                Some(listed) if !bounds.hold(listed.size, listed.modified) => Difference::Excluded,
                _ => absent,
            },
        }
    }

    /// Counts the bytes of its files, for the progress display.
    pub(crate) fn counter(&self) -> Count {
        Inputs::Paths(vec![self.root.as_path().as_os_str().to_owned()]).counter(&self.selection.walk)
    }

    /// How its files are read. `excluded`, and the manifest, are none of them.
    pub(crate) fn options(
        &self,
        algorithms: Vec<Algorithm>,
        args: &DiffArgs,
        profile: Profile,
        backend: BackendChoice,
        excluded: Vec<(u64, u64)>,
        manifest: &OsStr,
    ) -> Options {
        let walk = self.selection.walk.clone();
        let mut options = options(algorithms.into(), &args.reading, profile, backend, walk);
        options.excluded = excluded;
        options.excluded.extend(identity(manifest));
        options
    }

    /// The two ends of the way from the engine to the comparison.
    pub(crate) fn channel(&self, screen: &Screen) -> (Coming, RowSink<'_>) {
        let (sender, receiver) = sync_channel(ROWS);
        let sink = RowSink { root: &self.root, places: self.places, screen: screen.clone(), rows: sender };
        (Coming(receiver), sink)
    }

    /// Reads all files. The rows end only if it came to its end: else what follows would look missing.
    pub(crate) fn run(
        &self,
        options: Options,
        mut sink: RowSink<'_>,
        control: &Arc<Control>,
    ) -> Result<Summary, hashlane_engine::Error> {
        let inputs = vec![Input::Path(self.root.clone())].into_iter();
        let summary = hashlane_engine::run(options, inputs, &mut sink, control)?;
        if summary.stopped.is_none() {
            // Whoever does not listen any more knows enough.
            let _ = sink.rows.send(Message::End);
        }
        Ok(summary)
    }
}

/// Whether there is something that may be a file, or nobody can tell.
fn may_be_there(found: &io::Result<Metadata>) -> bool {
    match found {
        Ok(facts) => !facts.is_dir(),
        Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

impl Sink for RowSink<'_> {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        let message = self.message(&record);
        if self.rows.send(message).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl RowSink<'_> {
    fn message(&self, record: &Record) -> Message {
        let path = record.path.as_bytes();
        let problem = match record.outcome {
            Outcome::Read => None,
            Outcome::Unstable(what) => Some(what.to_string()),
            Outcome::Failed(failure) => Some(failure.to_string()),
        };
        if let Some(problem) = problem {
            let problem = format!("{}: {problem}", text::name(path));
            if path == self.root.as_bytes() {
                return Message::Failed(problem);
            }
            self.screen.message(&problem);
        }
        let mut row = Row::default();
        let name = self.places.of_found(path);
        let file = |path, size, modified, digests| KnownFile { path, size, modified, digests };
        match record.outcome {
            Outcome::Read => {
                let modified = record.facts.map(|facts| facts.modified);
                let file = file(&name, Some(record.digested_bytes), modified, &record.digests);
                row.set(0, Kind::File, &file);
            }
            Outcome::Failed(failure) if failure.operation == Operation::List => {
                row.set(0, Kind::Unsearched, &file(&[&name, &b"/"[..]].concat(), None, None, &[]));
            }
            _ => row.set(0, Kind::Unreadable, &file(&name, None, None, &[])),
        }
        Message::Row(row)
    }
}

impl Rows for Coming {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        match self.0.recv() {
            Ok(Message::Row(next)) => {
                *row = next;
                Ok(true)
            }
            Ok(Message::End) => Ok(false),
            Ok(Message::Failed(text)) => {
                Err(ended(Ended::unreadable(format!("{text}; nothing was compared"))))
            }
            Err(_) => Err(Error::Source(Box::new(Stopped))),
        }
    }
}
