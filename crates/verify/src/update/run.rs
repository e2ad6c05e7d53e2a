//! An update: its walk and its run of the engine.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::num::NonZeroU64;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};

use hashlane_audit::Verdict;
use hashlane_engine::{Control, Halt, Input, Options, Sink, Summary, Taken};
use hashlane_io::start_thread;
use hashlane_manifest::Item;
use hashlane_record::{ItemPath, Outcome, Record};

use super::event::Event;
use super::moved::Moved;
use super::old::OldList;
use super::walker::{READ, State, Walker, lies_in, lock};
use crate::elsewhere::{self, Elsewhere};
use crate::error::Error;
use crate::expected::Expected;
use crate::judge::{Disputed, Judgement, judge};
use crate::trust::Belief;

/// How many files the walk is ahead of the engine.
const AHEAD: usize = 1 << 12;

/// An update that is ready to run.
#[derive(Debug)]
pub struct Update {
    /// The old list.
    pub old: OldList,
    /// How its files are trusted.
    pub belief: Belief,
    /// The roots to search; none is inside another.
    pub roots: Vec<ItemPath>,
    /// What is read instead of files of this machine; names are whole there.
    pub elsewhere: Option<Arc<Elsewhere>>,
    /// How files are read, with which algorithms, and how directories are walked. Excluded files are neither read nor kept.
    pub engine: Options,
}

/// The result of an update, besides its events.
#[derive(Debug)]
#[non_exhaustive]
pub struct Updated {
    /// What was read, and what the walk skipped.
    pub summary: Summary,
    /// Whether it is complete. If not, files that it did not reach are not gone.
    pub is_complete: bool,
    /// A root below which files are listed and none exist: they may be elsewhere, and none is reported as gone.
    pub deserted: Option<ItemPath>,
    /// A root of a store that could not be listed to its end: nobody knows what lies below it, and nothing is reported as gone.
    pub unlisted: Option<ItemPath>,
    /// Whether every listed digest is known to match its file.
    pub is_verified: bool,
    /// The number of files that look as they are listed and were read again: they were listed so soon after they were written that one more
    /// change might not show.
    pub too_young: u64,
}

impl Update {
    /// Reads new and changed files, and reports every existing or listed file. `found` may end the update.
    ///
    /// # Errors
    /// The system refuses a thread for the walk, or the engine or `found` failed.
    pub fn run(
        self,
        found: &mut dyn FnMut(&Event<'_>) -> Taken,
        control: &Arc<Control>,
    ) -> Result<Updated, Error> {
        let Self { old, belief, roots, elsewhere, mut engine } = self;
        let state = Arc::new(Mutex::new(State::new(&old, roots.len())));
        let old = Arc::new(old);
        let (sender, receiver) = sync_channel(AHEAD);
        let walker = Walker {
            old: Arc::clone(&old),
            belief,
            state: Arc::clone(&state),
            sender,
            roots: roots.clone(),
            algorithms: Arc::clone(&engine.algorithms),
            excluded: engine.excluded.clone(),
            walk: engine.walk.clone(),
            elsewhere: elsewhere.clone(),
            moved: Moved::default(),
        };
        let filter = &engine.walk.filter;
        let sees_all = filter.is_empty() && filter.bounds().are_open() && filter.types().file;
        // The walker decides: a file that the engine passed over would have no record in its place.
        engine.walk.filter = Default::default();
        engine.disputed = true;
        let walking = {
            let control = Arc::clone(control);
            start_thread("update", move || walker.walk_all(&control)).map_err(Error::Walker)?
        };
        let elsewhere = elsewhere.as_deref();
        let mut sink = Telling { old, state, elsewhere, sees_all, found, unverified: false, stopped: false };
        let run = elsewhere::run(elsewhere, engine, Decided(receiver), &mut sink, control);
        let walked = walking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let mut summary = run?;
        summary.skipped = walked;
        let mut is_complete = summary.stopped.is_none() && !sink.stopped;
        let unlisted = if elsewhere.is_some() {
            sink.unlisted().or_else(|halt| halt.into_result().map(|()| None))?
        } else {
            None
        };
        let is_known = is_complete && unlisted.is_none();
        let deserted = if is_known { sink.deserted(&roots) } else { None };
        if is_known && deserted.is_none() {
            let told = sink.keep_until_read().and_then(|()| sink.close(&roots));
            is_complete = told.is_ok();
            told.or_else(Halt::into_result)?;
        }
        let (taken_on_trust, too_young) = {
            let state = lock(&sink.state);
            (state.taken_on_trust, state.too_young)
        };
        let is_verified = !sink.unverified && !taken_on_trust;
        Ok(Updated { summary, is_complete, deserted, unlisted, is_verified, too_young })
    }
}

/// The files that are to be read, as the walk finds them.
struct Decided(Receiver<Input>);

impl Iterator for Decided {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        self.0.recv().ok()
    }
}

/// Reports what is kept and what was read, in the order of the walk.
struct Telling<'a> {
    old: Arc<OldList>,
    state: Arc<Mutex<State>>,
    elsewhere: Option<&'a Elsewhere>,
    /// A walk passes over nothing but what is not a file.
    sees_all: bool,
    found: &'a mut dyn FnMut(&Event<'_>) -> Taken,
    /// Something is listed with digests that nothing has shown to be those of the file.
    unverified: bool,
    /// Who takes the events wants no more.
    stopped: bool,
}

impl Telling<'_> {
    fn tell(&mut self, event: &Event<'_>) -> Taken {
        let taken = (self.found)(event);
        self.stopped |= taken.is_err();
        taken
    }

    /// Reports what is kept, up to the next file that was read.
    fn keep_until_read(&mut self) -> Taken {
        loop {
            let decision = lock(&self.state).decisions.pop_front();
            match decision {
                None | Some(READ) => return Ok(()),
                Some(number) => self.keep(number)?,
            }
        }
    }

    /// Reports a file that was not read, under the name that it has now.
    fn keep(&mut self, number: u32) -> Taken {
        let (moved, seen) = {
            let mut state = lock(&self.state);
            (state.moved.get(&number).cloned(), state.inodes.remove(&number))
        };
        let item = self.old.item(number);
        let item = Item { inode: item.inode.or(seen), ..item };
        match moved {
            None => self.tell(&Event::Kept(&item)),
            Some(path) => {
                self.tell(&Event::Moved { from: item.path.as_bytes(), item: &Item { path, ..item.clone() } })
            }
        }
    }

    /// Reports a file that was not read, or whose content nobody vouches for.
    fn failed(&mut self, record: &Record, number: Option<u32>, disputed: Option<Disputed>) -> Taken {
        let listed = number.map(|number| self.unverified_as(number, &record.path));
        self.tell(&Event::Failed { record, listed: listed.as_ref(), disputed })
    }

    /// The entry of a listed file, where nothing shows that it holds what is listed.
    fn unverified(&mut self, number: u32) -> Item {
        let item = self.old.item(number);
        self.unverified |= !item.digests.is_empty();
        item
    }

    /// The same under the name that the file has now: a directory above it may have been renamed.
    fn unverified_as(&mut self, number: u32, path: &ItemPath) -> Item {
        Item { path: path.clone(), ..self.unverified(number) }
    }

    /// Whether a file is not the listed one of its name, but another one that is listed, with its inode and its content: they have exchanged their
    /// names.
    fn is_another(&self, record: &Record, number: u32) -> bool {
        let inode = record.facts.and_then(|facts| NonZeroU64::new(facts.inode));
        let Some(inode) =
            inode.filter(|_| self.old.inode(number).is_some_and(|listed| Some(listed) != inode))
        else {
            return false;
        };
        self.old.of_inode(inode).iter().any(|other| {
            let expected = Expected::of_content(self.old.files.file(*other).1);
            judge(&expected, record, false).verdict == Verdict::Ok
        })
    }

    /// A root below which files are listed and none is.
    fn deserted(&self, roots: &[ItemPath]) -> Option<ItemPath> {
        let state = lock(&self.state);
        let empty = roots.iter().zip(&state.inhabited).filter(|(root, inhabited)| {
            !**inhabited && (self.elsewhere.is_some() || root.as_path().is_dir())
        });
        let listed = |root: &ItemPath| {
            (0..self.old.count).any(|number| lies_in(self.old.files.file(number).0, root.as_bytes()))
        };
        empty.map(|(root, _)| root).find(|root| listed(root)).cloned()
    }

    /// Says which roots of a store could not be listed to their ends, and returns the first.
    fn unlisted(&mut self) -> Result<Option<ItemPath>, Halt> {
        let unlisted = std::mem::take(&mut lock(&self.state).unsearched);
        for (path, error) in &unlisted {
            self.tell(&Event::Unsearched { path, error })?;
        }
        Ok(unlisted.into_iter().next().map(|(path, _)| ItemPath::from(path)))
    }

    /// Whether there is something that the walk did not come to.
    fn may_be_there(&self, name: &[u8]) -> bool {
        let Some(elsewhere) = self.elsewhere else { return may_be_there(name) };
        // What only marks a folder is listed and passed over.
        let may_be_passed_over = !self.sees_all || name.ends_with(b"/");
        may_be_passed_over && !matches!(elsewhere.facts(name), Ok(None))
    }

    /// What was listed and is not there any more is gone, unless nobody looked there.
    fn close(&mut self, roots: &[ItemPath]) -> Taken {
        let (absent, unsearched) = {
            let mut state = lock(&self.state);
            let is_found = |number: u32| state.there[number as usize] || state.moved.contains_key(&number);
            let absent = (0..self.old.count).filter(|&number| !is_found(number));
            (absent.collect::<Vec<_>>(), std::mem::take(&mut state.unsearched))
        };
        for (path, error) in &unsearched {
            self.tell(&Event::Unsearched { path, error })?;
        }
        let old = Arc::clone(&self.old);
        // A directory below which nothing is listed may have been renamed, and hold what is not there under its own name.
        let mut hiding: HashSet<&[u8]> = unsearched.iter().map(|(place, _)| &place[..]).collect();
        for number in 0..old.count {
            if hiding.is_empty() || absent.is_empty() {
                break;
            }
            let name = old.files.file(number).0;
            for (end, _) in name.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
                hiding.remove(&name[..end]);
            }
        }
        for number in absent {
            let (name, _) = old.files.file(number);
            let looked_at = roots.iter().any(|root| lies_in(name, root.as_bytes()));
            if looked_at && hiding.is_empty() && !self.may_be_there(name) {
                self.tell(&Event::Gone(name))?;
            } else {
                let item = self.unverified(number);
                self.tell(&Event::Elsewhere(&item))?;
            }
        }
        Ok(())
    }
}

/// Whether there is a file that the walk did not come to: a symbolic link may stand in its way, a filter, a lack of rights, or it
/// is a pipe by now.
fn may_be_there(name: &[u8]) -> bool {
    match std::fs::metadata(Path::new(OsStr::from_bytes(name))) {
        Ok(facts) => !facts.is_dir(),
        Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

impl Sink for Telling<'_> {
    fn record(&mut self, record: Record) -> Taken {
        self.keep_until_read()?;
        let record = &record;
        let number = record.tag.first_chunk().map(|number| u32::from_le_bytes(*number));
        let number = match (record.outcome, number) {
            (Outcome::Read, None) => return self.tell(&Event::Added(record)),
            (Outcome::Read | Outcome::Disputed(_), Some(number)) => number,
            (_, number) => return self.failed(record, number, None),
        };
        let expected = Expected::of_content(self.old.files.file(number).1);
        let Judgement { verdict, disputed, .. } = judge(&expected, record, self.elsewhere.is_some());
        match verdict {
            // What its store disputes is never written down, whatever it is.
            Verdict::Unreadable => self.failed(record, Some(number), disputed),
            Verdict::Ok => {
                let old = Arc::clone(&self.old);
                match old.files.file(number).0 {
                    name if name == record.path.as_bytes() => self.tell(&Event::Same(record)),
                    from => self.tell(&Event::MovedAndRead { record, from }),
                }
            }
            Verdict::Corrupt if self.is_another(record, number) => self.tell(&Event::Changed(record)),
            Verdict::Corrupt => {
                let listed = &self.unverified_as(number, &record.path);
                self.tell(&Event::Corrupt { record, listed, disputed })
            }
            Verdict::Collision => {
                let listed = &self.unverified_as(number, &record.path);
                self.tell(&Event::Collision { record, listed })
            }
            _ => self.tell(&Event::Changed(record)),
        }
    }
}
