//! The files of a tree as rows to compare with a list: digested by the engine, in byte order of their names. A store may list its
//! objects in another order; their rows come in that.

mod pairs;

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use hashlane_audit::KnownFile;
use hashlane_audit::diff::{Difference, Error, Pair, Row, RowKind, Rows};
use hashlane_engine::{Control, Excluded, Halt, Input, Options, Sink, Skipped, Summary, Taken};
use hashlane_record::{ItemPath, Operation, Outcome, Record};

use crate::elsewhere::{self, Elsewhere};
use crate::places::Places;
use crate::problem::Problem;
use crate::selection::{Roots, Selection, devices, lies_within};

pub use pairs::{PairsRows, PairsSink, pairs};

/// Rows on their way to be compared.
const ROWS: usize = 4096;

/// A directory, or a prefix of a store, whose files are compared with a list or with those of another tree.
#[derive(Debug)]
pub struct Tree {
    root: ItemPath,
    /// It alone, as globs are compared with what lies below it.
    roots: Roots,
    /// What it lies on.
    devices: BTreeSet<u64>,
    places: Places,
    selection: Selection,
    /// Files were there that are not wanted: known when its rows have come to their end.
    has_unwanted: AtomicBool,
}

/// What comes from the thread of the engine.
enum Message {
    Row(Row),
    Ended(crate::Error),
    End,
}

/// The rows of a tree, as they become available.
#[derive(Debug)]
pub struct TreeRows(Receiver<Message>);

/// Turns records into rows.
pub struct TreeSink<'a> {
    tree: &'a Tree,
    problems: &'a mut (dyn FnMut(&ItemPath, Problem<'_>) + Send),
    rows: SyncSender<Message>,
}

impl Tree {
    /// The selected files below a directory, or below a prefix with its whole name.
    pub fn new(root: ItemPath, places: Places, selection: Selection) -> Self {
        let roots = selection.root(&ItemPath::from(&*places.of_found(root.as_bytes())));
        let devices = match places.elsewhere() {
            Some(_) => BTreeSet::new(),
            None => devices(std::slice::from_ref(&root)),
        };
        Self { root, roots, devices, places, selection, has_unwanted: AtomicBool::new(false) }
    }

    /// Where its names are located.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Which of its files are selected.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Whether files are there that are not wanted, as far as its rows have come: a tree of no others is not an empty one.
    pub fn has_unwanted(&self) -> bool {
        self.has_unwanted.load(Ordering::Relaxed)
    }

    /// What it means that a name is not among the files of the tree, if it is not: it may be there nevertheless, or not be wanted.
    /// `absent`: what such a pair was called, [`Difference::New`] or [`Difference::Missing`].
    pub fn judged(&self, pair: &Pair<'_>, absent: Difference) -> Difference {
        if pair.difference != absent {
            return pair.difference;
        }
        let (name, bounds) = (pair.path(), self.selection.bounds());
        if let Some(elsewhere) = self.places.elsewhere() {
            return self.judged_in(elsewhere, pair, absent);
        }
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
            _ => self.gone(pair, absent),
        }
    }

    /// The same in a store, which shows all that it has below a root but for what lies out of bounds.
    fn judged_in(&self, elsewhere: &Elsewhere, pair: &Pair<'_>, absent: Difference) -> Difference {
        let (name, bounds) = (pair.path(), self.selection.bounds());
        if !self.selection.takes_name(name, &self.roots) {
            return Difference::Excluded;
        }
        if bounds.are_open() {
            return absent;
        }
        match elsewhere.facts(name) {
            Ok(Some(stored)) if !bounds.hold(Some(stored.size_bytes), Some(stored.modified)) => {
                Difference::Excluded
            }
            Ok(Some(_)) | Err(_) if self.selection.lies_in(name, &self.roots) => Difference::Unreadable,
            _ => self.gone(pair, absent),
        }
    }

    /// What it means that a file is gone: what is listed says whether it was wanted.
    fn gone(&self, pair: &Pair<'_>, absent: Difference) -> Difference {
        match pair.left().or(pair.right()) {
            Some(listed) if !self.selection.bounds().hold(listed.size, listed.modified) => {
                Difference::Excluded
            }
            _ => absent,
        }
    }

    /// A record as a row under a name.
    fn row(&self, record: &Record, name: &[u8]) -> Row {
        let mut row = Row::default();
        let file = |path, size, modified, digests| KnownFile { path, size, modified, digests };
        match record.outcome {
            Outcome::Read => {
                let modified = record.facts.map(|facts| facts.modified);
                let file = file(name, Some(record.digested_bytes), modified, &record.digests);
                row.set(0, RowKind::File, &file);
            }
            Outcome::Failed(failure) if failure.operation == Operation::List => {
                row.set(0, RowKind::Unsearched, &file(&[name, b"/"].concat(), None, None, &[]));
            }
            Outcome::Unstable(_) => row.set(0, RowKind::Unstable, &file(name, None, None, &[])),
            Outcome::Disputed(dispute) if !record.digests.is_empty() => {
                let kind = if dispute.is_read_twice { RowKind::DisputedTwice } else { RowKind::Disputed };
                let modified = record.facts.map(|facts| facts.modified);
                row.set(0, kind, &file(name, Some(record.digested_bytes), modified, &record.digests));
            }
            Outcome::Disputed(_) | Outcome::Failed(_) => {
                row.set(0, RowKind::Unreadable, &file(name, None, None, &[]));
            }
        }
        if self.places.elsewhere().is_some() {
            row.put_in_store();
        }
        row
    }

    /// The two ends of the channel from the engine to the comparison. `problems` takes what could not be read.
    pub fn channel<'a>(
        &'a self,
        problems: &'a mut (dyn FnMut(&ItemPath, Problem<'_>) + Send),
    ) -> (TreeRows, TreeSink<'a>) {
        let (rows, coming) = sync_channel(ROWS);
        (TreeRows(coming), TreeSink { tree: self, problems, rows })
    }
}

impl TreeSink<'_> {
    /// Reads all files of the tree. The rows end only if the run is complete; otherwise the remaining files would look missing.
    ///
    /// # Errors
    /// The engine failed.
    pub fn run(
        mut self,
        mut options: Options,
        control: &Arc<Control>,
    ) -> Result<Summary, hashlane_engine::Error> {
        options.disputed = true;
        let inputs = std::iter::once(Input::Path(self.tree.root.clone()));
        let elsewhere = self.tree.places.elsewhere();
        let summary = elsewhere::run(elsewhere, options, inputs, &mut self, control)?;
        let Skipped { excluded, other_filesystem, .. } = summary.skipped;
        self.tree.has_unwanted.fetch_or(excluded + other_filesystem > 0, Ordering::Relaxed);
        if summary.stopped.is_none() {
            // Whoever does not listen any more knows enough.
            let _ = self.rows.send(Message::End);
        }
        Ok(summary)
    }

    fn message(&mut self, record: &Record) -> Message {
        let path = record.path.as_bytes();
        match record.outcome {
            // An object of the root's name lies beside those below it.
            Outcome::Failed(failure)
                if record.path == self.tree.root
                    && (self.tree.places.elsewhere().is_none() || failure.operation == Operation::List) =>
            {
                return Message::Ended(crate::Error::TreeRoot { root: record.path.clone(), failure });
            }
            _ => {}
        }
        if let Some(problem) = Problem::of(record, false) {
            (self.problems)(&record.path, problem);
        }
        let name = self.tree.places.of_found(path);
        Message::Row(self.tree.row(record, &name))
    }
}

/// Whether there is something that may be a file, or nobody can tell.
fn may_be_there(found: &io::Result<Metadata>) -> bool {
    match found {
        Ok(facts) => !facts.is_dir(),
        Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

impl Sink for TreeSink<'_> {
    fn record(&mut self, record: Record) -> Taken {
        let message = self.message(&record);
        self.rows.send(message).map_err(|_| Halt::Enough)
    }

    fn excluded(&mut self, _: Excluded) -> Taken {
        self.tree.has_unwanted.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl Rows for TreeRows {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        let ended = match self.0.recv() {
            Ok(Message::Row(next)) => {
                *row = next;
                return Ok(true);
            }
            Ok(Message::End) => return Ok(false),
            Ok(Message::Ended(ended)) => ended,
            Err(_) => crate::Error::Stopped,
        };
        Err(ended.in_rows())
    }
}
