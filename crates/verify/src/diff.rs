//! A comparison of two sides, name by name: lists, trees, or one of each. Which of them are read beside each other, and which need to be
//! sorted first, is decided here.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, Scope};

use hashlane_audit::diff::{
    Batch, Counts, Difference, Error as Sorting, Gather, Gathered, Merge, Pair, Row, Rows,
};
use hashlane_engine::{Control, Halt, Options, Summary, Taken};
use hashlane_io::start_thread_in;
use hashlane_record::ItemPath;

use crate::error::Error;
use crate::problem::Problem;
use crate::rows::{ListRows, Loaded, Room};
use crate::tree::{Tree, pairs};

/// Batches that a list is read ahead of its comparison.
const BATCHES: usize = 4;

/// Takes names with their differences, in order. The difference may be another than the pair itself knows.
pub type Tell<'a> = dyn FnMut(&Pair<'_>, Difference) -> Taken + 'a;

/// Takes what could not be read.
pub type Problems<'a> = dyn FnMut(&ItemPath, Problem<'_>) + Send + 'a;

/// One side of a comparison.
pub enum Side {
    /// What a list names.
    List(Loaded),
    /// The files of a directory, or the objects below a prefix.
    Tree(Box<Tree>),
}

/// Two sides that are to be compared, the left one first.
pub struct Comparison {
    /// The sides.
    pub sides: [Side; 2],
    /// Whether names of two directories that differ in Unicode normalization alone are the same.
    pub normalize: bool,
    /// Room for the objects of a store, which need not list them in order.
    pub room: Room,
}

/// What a comparison has come to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Compared {
    /// What was read of trees.
    pub summary: Summary,
    /// The number of names of each kind; `None` if the run was stopped before its end.
    pub counts: Option<Counts>,
    /// Sides without any file, not even one that is not selected.
    pub empty: [bool; 2],
}

/// Why no content of two sides was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Uncompared {
    /// The filters leave no file of a tree.
    Filtered,
    /// No name is on both sides.
    NoNameOnBoth,
    /// Where names are the same, no digests of the same algorithm are there.
    NothingInCommon,
}

impl Compared {
    /// Why no content was compared, if none was, of sides that are not empty.
    pub fn uncompared(&self) -> Option<Uncompared> {
        let counts = self.counts.as_ref().filter(|counts| !counts.is_compared())?;
        Some(match counts {
            Counts { left, right, .. } if left.names == 0 || right.names == 0 => Uncompared::Filtered,
            Counts { on_both: 0, .. } => Uncompared::NoNameOnBoth,
            _ => Uncompared::NothingInCommon,
        })
    }
}

/// Reads two lists at the same time.
///
/// # Errors
/// One of them cannot be read to its end, is not a list, or cannot be sorted; or the system refuses a thread.
pub fn load([a, b]: [ListRows; 2], room: &Room) -> Result<[Loaded; 2], Error> {
    let load = |rows: ListRows| rows.load(room);
    let (of_b, of_a) = beside("list", || load(b), || load(a))?;
    Ok([of_a?, of_b?])
}

impl Comparison {
    /// Compares. `engine`: how trees are read, and with which algorithms.
    ///
    /// # Errors
    /// A side cannot be read to its end or cannot be sorted, `tell` has failed, or the system refuses a thread.
    pub fn run(
        self,
        engine: Options,
        tell: &mut Tell<'_>,
        problems: &mut Problems<'_>,
        control: &Arc<Control>,
    ) -> Result<Compared, Error> {
        let Self { sides, normalize, room } = self;
        let (mut lists, mut trees) = ([None, None], [None, None]);
        for (at, side) in sides.into_iter().enumerate() {
            match side {
                Side::List(loaded) => lists[at] = Some(loaded.rows),
                Side::Tree(tree) => trees[at] = Some(tree),
            }
        }
        let trees = [trees[0].as_deref(), trees[1].as_deref()];
        let is_in_order = |tree: &Tree| tree.places().elsewhere().is_none();
        let mut summary = Summary::default();
        let counts = match trees {
            [Some(a), Some(b)] if is_in_order(a) && is_in_order(b) => {
                let ([of_a, of_b], sink) = pairs([a, b], normalize, problems);
                let run = || sink.run(engine, control);
                let (read, counts) = beside("run", run, || differences(of_a, of_b, trees, tell))?;
                summary = read?;
                counts
            }
            [Some(tree), None] | [None, Some(tree)] if is_in_order(tree) => {
                let (rows, sink) = tree.channel(problems);
                let run = || sink.run(engine, control);
                let merged = || match lists {
                    [None, Some(list)] => differences(rows, list, trees, tell),
                    [Some(list), _] => differences(list, rows, trees, tell),
                    [None, None] => unreachable!("a side is a list or a tree"),
                };
                let (read, counts) = beside("run", run, merged)?;
                summary = read?;
                counts
            }
            [None, None] => thread::scope(|scope| {
                let [Some(a), Some(b)] = lists else { unreachable!("a side is a list or a tree") };
                let (a, b) = (Ahead::start(a, scope)?, Ahead::start(b, scope)?);
                differences(a, b, trees, tell)
            }),
            // A store need not list its objects in order, so each side is read for itself.
            _ => {
                let mut rows = |list: Option<Box<dyn Rows + Send>>, tree: Option<&Tree>| match (list, tree) {
                    (None, Some(tree)) => {
                        let (rows, sink) = tree.channel(problems);
                        let engine = engine.clone();
                        let sorted = || sorted(rows, &room);
                        let (read, rows) = beside("run", || sink.run(engine, control), sorted)?;
                        summary += read?;
                        rows
                    }
                    (list, _) => Ok(list.expect("a side is a list or a tree")),
                };
                let [a, b] = lists;
                let a = rows(a, trees[0]);
                let b = match &a {
                    Ok(_) => rows(b, trees[1]),
                    Err(_) => Err(Error::Stopped),
                };
                a.and_then(|a| differences(a, b?, trees, tell))
            }
        };
        let counts = match counts {
            Ok(counts) => Some(counts),
            Err(Error::Stopped) => None,
            Err(error) => return Err(error),
        };
        let names = counts.as_ref().map_or([1; 2], |counts| [counts.left.names, counts.right.names]);
        let is_empty = |side: usize| names[side] == 0 && !trees[side].is_some_and(Tree::has_unwanted);
        Ok(Compared { summary, counts, empty: [is_empty(0), is_empty(1)] })
    }
}

/// Does one thing on a thread of its own, and another on this one.
fn beside<T: Send, U>(
    name: &str,
    apart: impl FnOnce() -> T + Send,
    here: impl FnOnce() -> U,
) -> Result<(T, U), Error> {
    thread::scope(|scope| {
        let apart = start_thread_in(scope, name, apart).map_err(Error::Thread)?;
        let here = here();
        Ok((apart.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), here))
    })
}

/// Rows in order.
fn sorted(mut rows: impl Rows, room: &Room) -> Result<Box<dyn Rows + Send>, Error> {
    let mut gather = Gather::new(room.memory_bytes, room.directory.clone(), false);
    let mut row = Row::default();
    while rows.next(&mut row).map_err(Error::of_rows)? {
        gather.push(&row)?;
    }
    match gather.finish()? {
        Gathered::Sorted(sorted) => Ok(Box::new(sorted)),
        Gathered::InOrder => unreachable!("rows that cannot be had again are kept"),
    }
}

/// Reports the differences of two sides in order. Of a tree that holds nothing but unwanted files, what the other side has is reported too.
fn differences(
    a: impl Rows,
    b: impl Rows,
    trees: [Option<&Tree>; 2],
    tell: &mut Tell<'_>,
) -> Result<Counts, Error> {
    let mut merge = Merge::new(a, b).map_err(Error::of_rows)?;
    if merge.is_empty() != (false, false) && !trees.into_iter().flatten().any(Tree::has_unwanted) {
        return Ok(merge.counts());
    }
    while let Some(pair) = merge.next().map_err(Error::of_rows)? {
        let found = pair.difference;
        let lacking = if found == Difference::New { trees[0] } else { trees[1] };
        let difference = match found {
            Difference::New | Difference::Missing => lacking.map_or(found, |tree| tree.judged(&pair, found)),
            found => found,
        };
        match tell(&pair, difference) {
            Ok(()) => merge.recount(found, difference),
            Err(Halt::Enough) => return Err(Error::Stopped),
            Err(halt) => halt.into_result()?,
        }
    }
    Ok(merge.counts())
}

/// Rows that are read on a thread of their own, a little ahead of their comparison.
struct Ahead {
    present: Batch,
    /// Nothing at the end.
    coming: Receiver<Result<Option<Batch>, Sorting>>,
    ended: bool,
}

impl Ahead {
    fn start<'scope>(
        mut rows: Box<dyn Rows + Send>,
        scope: &'scope Scope<'scope, '_>,
    ) -> Result<Self, Error> {
        let (sender, coming) = sync_channel(BATCHES);
        let read = move || {
            let mut row = Row::default();
            let mut more = true;
            while more {
                let mut batch = Batch::default();
                let filled = loop {
                    match rows.next(&mut row) {
                        Ok(true) => batch.push(&row),
                        ended => break ended,
                    }
                    if batch.is_full() {
                        break Ok(true);
                    }
                };
                more = matches!(filled, Ok(true));
                // Whoever does not listen any more knows enough.
                let sent = sender.send(Ok(Some(batch)));
                if sent.is_err() || !more && sender.send(filled.map(|_| None)).is_err() {
                    return;
                }
            }
        };
        start_thread_in(scope, "rows", read).map_err(Error::Thread)?;
        Ok(Self { present: Batch::default(), coming, ended: false })
    }
}

impl Rows for Ahead {
    fn next(&mut self, row: &mut Row) -> Result<bool, Sorting> {
        while !self.ended && !self.present.take(row) {
            match self.coming.recv() {
                Ok(Ok(Some(batch))) => self.present = batch,
                Ok(Ok(None)) => self.ended = true,
                Ok(Err(error)) => return Err(error),
                Err(_) => return Err(Error::Stopped.in_rows()),
            }
        }
        Ok(!self.ended)
    }
}
