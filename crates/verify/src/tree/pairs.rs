//! Two directories of this machine, compared name by name. Both are listed side by side; only files that both have, and that have the same
//! size, are read, one after the other in one run. What is known without reading goes through the run as well, so that all comes in order.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use hashlane_audit::KnownFile;
use hashlane_audit::diff::{Error, Row, RowKind, Rows};
use hashlane_engine::{
    AlgorithmSet, Control, Excluded, Found, Halt, Input, Options, Sink, Skipped, Summary, Taken, WalkOptions,
    list,
};
use hashlane_io::{FileFacts, start_thread};
use hashlane_record::bytes::{Rest, put_number, put_time};
use hashlane_record::{Cause, Failure, ItemPath, Operation, Record, Timestamp};

use super::{ROWS, Tree};
use crate::extras::Unsearched;
use crate::normalization::{is_there, others};
use crate::places::Places;
use crate::problem::Problem;
use crate::selection::lies_within;

/// What stands for an error that the system did not number.
const EIO: i32 = 5;

/// How many files a listing is ahead of the comparison.
const AHEAD: usize = 1024;

/// Which of the two: the first or the second.
type Side = usize;

/// Size and time of a file, as far as they can be seen without opening it.
type Signs = Option<(u64, Timestamp)>;

/// What a listing shows.
#[derive(Debug)]
enum Listed {
    File {
        /// Its whole path, and its name relative to its tree.
        path: Vec<u8>,
        name: Vec<u8>,
        signs: Signs,
    },
    /// A directory that could not be listed; its name ends with a slash.
    Failed { path: Vec<u8>, name: Vec<u8>, error: io::Error },
    /// The end, and what was passed over.
    End(Skipped),
}

impl Listed {
    fn name(&self) -> Option<&[u8]> {
        match self {
            Self::File { name, .. } | Self::Failed { name, .. } => Some(name),
            Self::End(_) => None,
        }
    }
}

/// What the listings say before the first name.
#[derive(Clone, Copy, Debug)]
struct Beginning {
    /// Whether they have any name.
    has_names: [bool; 2],
    /// Whether those without have unwanted files.
    has_unwanted: [bool; 2],
}

/// What both sides of the run know.
#[derive(Debug, Default)]
struct Shared {
    beginning: OnceLock<Beginning>,
    /// Why directories could not be listed, in the order of the inputs that say so.
    errors: Mutex<VecDeque<io::Error>>,
    skipped: Mutex<Skipped>,
}

/// What an input is about, as it goes through the run beside its path.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// A file that is read, and the name that it is compared under.
    Read(Side, Vec<u8>),
    /// A name that enough is known of, and what each side has under it.
    Known(Vec<u8>, [Option<Signs>; 2]),
    /// A directory that could not be listed on these sides.
    Failed([bool; 2], Vec<u8>),
}

/// Stands before what is known; below it sides that are read, and those whose directories could not be listed.
const KNOWN: u8 = 6;

impl Step {
    fn encode(&self) -> Box<[u8]> {
        let mut bytes = Vec::new();
        let name = match self {
            Self::Read(side, name) => {
                bytes.push(*side as u8);
                name
            }
            Self::Failed([first, second], name) => {
                bytes.push(2 + u8::from(*first) + 2 * u8::from(*second));
                name
            }
            Self::Known(name, sides) => {
                bytes.push(KNOWN);
                for side in sides {
                    bytes.push(u8::from(side.is_some()) + u8::from(matches!(side, Some(Some(_)))));
                    if let Some(Some((size, modified))) = side {
                        put_number(&mut bytes, *size);
                        put_time(&mut bytes, *modified);
                    }
                }
                name
            }
        };
        bytes.extend_from_slice(name);
        bytes.into()
    }

    /// What [`Step::encode`] made.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = Rest(bytes);
        let kind = rest.byte()?;
        match kind {
            0 | 1 => return Some(Self::Read(usize::from(kind), rest.0.to_vec())),
            KNOWN => {}
            _ => return Some(Self::Failed([(kind - 2) & 1 != 0, (kind - 2) & 2 != 0], rest.0.to_vec())),
        }
        let mut sides = [None; 2];
        for side in &mut sides {
            *side = match rest.byte()? {
                0 => None,
                1 => Some(None),
                _ => Some(Some((rest.number()?, rest.time()?))),
            };
        }
        Some(Self::Known(rest.0.to_vec(), sides))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a side has below its directory, and how its names go.
#[derive(Clone, Debug)]
struct Ground {
    root: ItemPath,
    places: Places,
    walk: WalkOptions,
    excluded: Vec<(u64, u64)>,
}

impl Ground {
    /// Lists it on a thread of its own.
    fn list(self, control: &Arc<Control>) -> io::Result<(Receiver<Listed>, JoinHandle<()>)> {
        let (sender, listed) = sync_channel(AHEAD);
        let control = Arc::clone(control);
        let thread = start_thread("list", move || {
            // Whoever does not listen any more knows enough.
            let _ = sender.send(Listed::End(self.show(&control, &sender)));
        })?;
        Ok((listed, thread))
    }

    fn show(&self, control: &Control, sender: &SyncSender<Listed>) -> Skipped {
        let mut excluded = 0;
        let walked = list(&self.root, &self.walk, &mut |found| {
            if control.stopped().is_some() {
                return ControlFlow::Break(());
            }
            let listed = match found {
                Found::Failed { path, error } => {
                    let name = [&*self.places.of_found(&path), b"/"].concat();
                    Listed::Failed { path, name, error }
                }
                Found::File { directory, name } => {
                    let facts = directory.facts(name);
                    if facts.as_ref().is_ok_and(|facts| !self.walk.filter.bounds().take(facts)) {
                        excluded += 1;
                        return ControlFlow::Continue(());
                    }
                    if facts.as_ref().is_ok_and(|facts| self.is_output(facts)) {
                        return ControlFlow::Continue(());
                    }
                    let path = directory.join(name.to_bytes());
                    let name = self.places.of_found(&path).into_owned();
                    Listed::File { path, name, signs: facts.ok().as_ref().map(signs) }
                }
            };
            match sender.send(listed) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        let mut skipped = walked.unwrap_or_default();
        skipped.excluded += excluded;
        skipped
    }

    fn is_output(&self, facts: &FileFacts) -> bool {
        self.excluded.contains(&(facts.device, facts.inode))
    }

    /// Whether a name is there, exactly so.
    fn has(&self, name: &[u8]) -> bool {
        is_there(self.root.as_path(), name)
    }

    /// A file that its listing shows, and what is seen of it.
    fn shows(&self, name: &[u8]) -> Option<Metadata> {
        let path = self.root.as_path().join(OsStr::from_bytes(name));
        let facts = if self.walk.follow { fs::metadata(path) } else { fs::symlink_metadata(path) };
        let filter = &self.walk.filter;
        facts.ok().filter(|facts| {
            facts.is_file()
                && lies_within(filter.bounds(), facts)
                && (filter.is_empty() || filter.takes_below(name))
        })
    }

    /// The only other spelling of a name that is there.
    fn only_other(&self, name: &[u8]) -> Option<Vec<u8>> {
        let mut others = others(self.root.as_path(), name);
        others.pop().filter(|_| others.is_empty())
    }

    fn path(&self, name: &[u8]) -> Vec<u8> {
        self.root.as_path().join(OsStr::from_bytes(name)).into_os_string().into_encoded_bytes()
    }
}

fn signs(facts: &FileFacts) -> (u64, Timestamp) {
    let (seconds, nanos) = facts.modified;
    (facts.size_bytes, Timestamp { seconds, nanos })
}

/// The inputs of the run: both listings in one order.
struct Inputs {
    grounds: [Ground; 2],
    listings: [Receiver<Listed>; 2],
    heads: [Option<Listed>; 2],
    /// The second file of a pair whose first one went ahead.
    second: Option<Input>,
    algorithms: AlgorithmSet,
    normalize: bool,
    shared: Arc<Shared>,
}

impl Inputs {
    /// The next of a listing. One that ends without a word was stopped.
    fn head(&mut self, side: Side) {
        if self.heads[side].is_none() {
            let next = self.listings[side].recv().unwrap_or(Listed::End(Skipped::default()));
            self.heads[side] = Some(next);
        }
    }

    /// Takes note of what is known before the first name.
    fn begin(&mut self) {
        if self.shared.beginning.get().is_none() {
            let has_names =
                [0, 1].map(|side| self.heads[side].as_ref().is_some_and(|head| head.name().is_some()));
            let has_unwanted = [0, 1].map(|side| match &self.heads[side] {
                Some(Listed::End(skipped)) => skipped.excluded + skipped.other_filesystem > 0,
                _ => false,
            });
            let _ = self.shared.beginning.set(Beginning { has_names, has_unwanted });
        }
    }

    fn file(&self, side: Side, path: Vec<u8>, name: Vec<u8>) -> Input {
        Input::file(ItemPath::from(path), None, &self.algorithms, Step::Read(side, name).encode())
    }

    /// Two files that are compared under the name of the first. Of two sizes, neither need be read.
    fn pair(&mut self, name: Vec<u8>, [a, b]: [(Vec<u8>, Signs); 2]) -> Input {
        match (a.1, b.1) {
            (Some((one, _)), Some((other, _))) if one != other => known(&a.0, name, [Some(a.1), Some(b.1)]),
            _ => {
                self.second = Some(self.file(1, b.0, name.clone()));
                self.file(0, a.0, name)
            }
        }
    }

    /// A file that only one side has under its name; nothing where the other one is read at another name's turn.
    fn alone(&mut self, side: Side, path: Vec<u8>, name: Vec<u8>, signs: Signs) -> Option<Input> {
        match self.other_spelling(side, &name) {
            Some(_) if side == 1 => None,
            Some((other, facts)) => {
                let modified = Timestamp { seconds: facts.mtime(), nanos: facts.mtime_nsec() as u32 };
                let other = (self.grounds[1].path(&other), Some((facts.len(), modified)));
                Some(self.pair(name, [(path, signs), other]))
            }
            None => {
                let mut sides = [None; 2];
                sides[side] = Some(signs);
                Some(known(&path, name, sides))
            }
        }
    }

    /// How the other side spells a name in another Unicode normalization, and its file there, where each side has one spelling only.
    fn other_spelling(&self, side: Side, name: &[u8]) -> Option<(Vec<u8>, Metadata)> {
        if !self.normalize {
            return None;
        }
        let (own, others) = (&self.grounds[side], &self.grounds[1 - side]);
        let other = others.only_other(name)?;
        let is_clear =
            !others.has(name) && !own.has(&other) && own.only_other(&other).as_deref() == Some(name);
        let facts = others.shows(&other).filter(|_| is_clear)?;
        Some((other, facts))
    }
}

/// A directory that could not be listed on these sides.
fn failed(path: Vec<u8>, name: Vec<u8>, sides: [bool; 2]) -> Input {
    Input::Excluded { path: ItemPath::from(path), tag: Step::Failed(sides, name).encode() }
}

/// A name that enough is known of without reading.
fn known(path: &[u8], name: Vec<u8>, sides: [Option<Signs>; 2]) -> Input {
    Input::Excluded { path: ItemPath::from(path), tag: Step::Known(name, sides).encode() }
}

impl Iterator for Inputs {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        if let Some(second) = self.second.take() {
            return Some(second);
        }
        loop {
            self.head(0);
            self.head(1);
            self.begin();
            let order = match (self.heads[0].as_ref()?.name(), self.heads[1].as_ref()?.name()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.cmp(b),
            };
            let input = if order.is_eq() {
                match (self.heads[0].take()?, self.heads[1].take()?) {
                    (
                        Listed::File { path, name, signs },
                        Listed::File { path: other_path, signs: other_signs, .. },
                    ) => Some(self.pair(name, [(path, signs), (other_path, other_signs)])),
                    (Listed::Failed { path, name, error }, Listed::Failed { error: other, .. }) => {
                        lock(&self.shared.errors).extend([error, other]);
                        Some(failed(path, name, [true; 2]))
                    }
                    // The name of a directory ends with a slash, and that of a file does not.
                    _ => None,
                }
            } else {
                let side = usize::from(order.is_gt());
                let head = self.heads[side].take()?;
                self.one(side, head)
            };
            if input.is_some() {
                return input;
            }
        }
        for head in &mut self.heads {
            if let Some(Listed::End(skipped)) = head {
                *lock(&self.shared.skipped) += *skipped;
                *skipped = Skipped::default();
            }
        }
        None
    }
}

impl Inputs {
    /// What one side alone has.
    fn one(&mut self, side: Side, head: Listed) -> Option<Input> {
        match head {
            Listed::File { path, name, signs } => self.alone(side, path, name, signs),
            Listed::Failed { path, name, error } => {
                lock(&self.shared.errors).push_back(error);
                Some(failed(path, name, [side == 0, side == 1]))
            }
            Listed::End(_) => None,
        }
    }
}

/// What comes from the thread of the engine.
enum Message {
    /// What each side has under a name.
    Rows([Row; 2]),
    Ended(crate::Error),
    End,
}

/// Turns the records of both sides into rows.
pub struct PairsSink<'a> {
    trees: [&'a Tree; 2],
    normalize: bool,
    problems: &'a mut (dyn FnMut(&ItemPath, Problem<'_>) + Send),
    rows: SyncSender<Message>,
    shared: Arc<Shared>,
    /// What the first side has under a name whose second file is on its way.
    first: Option<Row>,
    /// Names whose content was not needed.
    unread: u64,
}

/// The rows of one side, which come together with those of the other.
#[derive(Debug)]
pub struct PairsRows {
    side: Side,
    coming: Arc<Mutex<Coming>>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Coming {
    receiver: Receiver<Message>,
    /// Rows of a side that the other one brought with its own.
    waiting: [VecDeque<Row>; 2],
    has_ended: bool,
}

/// The two ends of the channel from the engine to the comparison of two directories. `normalize`: a name that one side has alone is compared
/// with the only other Unicode spelling of it that the other side has alone. `problems` takes what could not be read.
pub fn pairs<'a>(
    trees: [&'a Tree; 2],
    normalize: bool,
    problems: &'a mut (dyn FnMut(&ItemPath, Problem<'_>) + Send),
) -> ([PairsRows; 2], PairsSink<'a>) {
    let (rows, receiver) = sync_channel(ROWS);
    let shared = Arc::new(Shared::default());
    let coming = Arc::new(Mutex::new(Coming { receiver, waiting: Default::default(), has_ended: false }));
    let of_side = |side| PairsRows { side, coming: Arc::clone(&coming), shared: Arc::clone(&shared) };
    let sides = [0, 1].map(of_side);
    (sides, PairsSink { trees, normalize, problems, rows, shared, first: None, unread: 0 })
}

impl PairsSink<'_> {
    /// Lists both trees and reads what has to be read. The rows end only if the run is complete.
    ///
    /// # Errors
    /// The system refuses a thread, or the engine failed.
    pub fn run(mut self, options: Options, control: &Arc<Control>) -> Result<Summary, crate::Error> {
        let grounds = self.trees.map(|tree| Ground {
            root: tree.root.clone(),
            places: tree.places.clone(),
            walk: tree.selection.walk.clone(),
            excluded: options.excluded.clone(),
        });
        let [a, b] = grounds.clone();
        let (of_a, thread_a) = a.list(control).map_err(crate::Error::Walker)?;
        let (of_b, thread_b) = b.list(control).map_err(crate::Error::Walker)?;
        let inputs = Inputs {
            grounds,
            listings: [of_a, of_b],
            heads: [None, None],
            second: None,
            algorithms: Arc::clone(&options.algorithms),
            normalize: self.normalize,
            shared: Arc::clone(&self.shared),
        };
        let run = hashlane_engine::run(options, inputs, &mut self, control);
        for thread in [thread_a, thread_b] {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        let mut summary = run?;
        let listed = *lock(&self.shared.skipped);
        // What is known without reading is not passed over.
        summary.skipped.excluded -= self.unread.min(summary.skipped.excluded);
        summary.skipped += listed;
        if summary.stopped.is_none() {
            self.begin();
            // Whoever does not listen any more knows enough.
            let _ = self.flush().is_ok() && self.rows.send(Message::End).is_ok();
        }
        Ok(summary)
    }

    /// Says of trees without a name whether they have unwanted files, before anybody asks.
    fn begin(&self) {
        if let Some(beginning) = self.shared.beginning.get() {
            for (tree, has_unwanted) in self.trees.iter().zip(beginning.has_unwanted) {
                tree.has_unwanted.fetch_or(has_unwanted, Relaxed);
            }
        }
    }

    fn send(&mut self, name: &[u8], mut sides: [Option<Row>; 2]) -> Taken {
        self.begin();
        let rows = [0, 1].map(|side| {
            sides[side].take().unwrap_or_else(|| {
                let mut row = Row::default();
                row.set_name(RowKind::Absent, name);
                row
            })
        });
        self.rows.send(Message::Rows(rows)).map_err(|_| Halt::Enough)
    }

    /// Takes what a side has under a name; the second one brings both on their way.
    fn take(&mut self, side: Side, name: &[u8], row: Option<Row>) -> Taken {
        if side == 1 {
            let first = self.first.take_if(|first| first.name() == name);
            self.flush()?;
            return self.send(name, [first, row]);
        }
        self.flush()?;
        self.first = row;
        Ok(())
    }

    /// Sends a directory that could not be listed on these sides, and says why. Without its root nothing is known of a side.
    fn unsearched(&mut self, has_failed: [bool; 2], name: &[u8]) -> Taken {
        let mut sides = [None, None];
        for side in (0..2).filter(|side| has_failed[*side]) {
            let error = lock(&self.shared.errors).pop_front();
            let error = error.unwrap_or_else(|| io::ErrorKind::Other.into());
            let root = &self.trees[side].root;
            let below = name.strip_suffix(b"/").unwrap_or(name);
            if below.is_empty() {
                let cause = Cause::System(error.raw_os_error().unwrap_or(EIO));
                let failure = Failure { operation: Operation::List, cause, offset_bytes: 0 };
                let ended = crate::Error::TreeRoot { root: root.clone(), failure };
                return self.rows.send(Message::Ended(ended)).map_err(|_| Halt::Enough);
            }
            let path = ItemPath::from(root.as_path().join(OsStr::from_bytes(below)).as_os_str().as_bytes());
            (self.problems)(&path, Problem::Unsearched(&Unsearched::System(error)));
            let mut row = Row::default();
            row.set_name(RowKind::Unsearched, name);
            sides[side] = Some(row);
        }
        self.send(name, sides)
    }

    /// Sends the first file of a pair whose second one did not come: it became the output meanwhile.
    fn flush(&mut self) -> Taken {
        match self.first.take() {
            Some(first) => {
                let name = first.name().to_vec();
                self.send(&name, [Some(first), None])
            }
            None => Ok(()),
        }
    }
}

impl Sink for PairsSink<'_> {
    fn record(&mut self, record: Record) -> Taken {
        let Some(Step::Read(side, name)) = Step::decode(&record.tag) else { return Ok(()) };
        if let Some(problem) = Problem::of(&record, false) {
            (self.problems)(&record.path, problem);
        }
        let row = self.trees[side].row(&record, &name);
        self.take(side, &name, Some(row))
    }

    fn excluded(&mut self, excluded: Excluded) -> Taken {
        match Step::decode(&excluded.tag) {
            // It has grown out of the bounds, or into them and out again.
            Some(Step::Read(side, name)) => {
                self.trees[side].has_unwanted.store(true, Relaxed);
                self.take(side, &name, None)
            }
            Some(Step::Known(name, sides)) => {
                self.unread += 1;
                self.flush()?;
                let row = |signs: Signs| {
                    let mut row = Row::default();
                    let (size, modified) = (signs.map(|(size, _)| size), signs.map(|(_, time)| time));
                    row.set(0, RowKind::File, &KnownFile { path: &name, size, modified, digests: &[] });
                    row
                };
                self.send(&name, sides.map(|side| side.map(row)))
            }
            Some(Step::Failed(has_failed, name)) => {
                self.unread += 1;
                self.flush()?;
                self.unsearched(has_failed, &name)
            }
            None => Ok(()),
        }
    }
}

impl Rows for PairsRows {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        let mut coming = lock(&self.coming);
        loop {
            if let Some(next) = coming.waiting[self.side].pop_front() {
                *row = next;
                return Ok(true);
            }
            // A side without a name has none of those that the other one has either.
            let has_names = self.shared.beginning.get().map(|beginning| beginning.has_names);
            if coming.has_ended || has_names.is_some_and(|has_names| !has_names[self.side]) {
                return Ok(false);
            }
            let ended = match coming.receiver.recv() {
                Ok(Message::Rows(rows)) => {
                    let has_names = self.shared.beginning.get().map_or([true; 2], |known| known.has_names);
                    for (side, row) in rows.into_iter().enumerate().filter(|(side, _)| has_names[*side]) {
                        coming.waiting[side].push_back(row);
                    }
                    continue;
                }
                Ok(Message::End) => {
                    coming.has_ended = true;
                    continue;
                }
                Ok(Message::Ended(ended)) => ended,
                Err(_) => crate::Error::Stopped,
            };
            return Err(ended.in_rows());
        }
    }
}
