//! How far large files were read: kept in the catalogue, so that neither a budget nor a power cut makes one begin anew for ever.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use hashlane_catalog::{
    Batch, CollectionId, Content, FileVersion, PutAside, Reader, ReadingKind, Result, RunId, StintId,
    keepable, nanos_of,
};
use hashlane_digest::SavedState;
use hashlane_engine::CHECKPOINT_BYTES;
use hashlane_record::{Facts, ItemPath, Medium, Origin, Outcome, Record};

use crate::course::lock;
use crate::limit::Limit;
use crate::seen::reading_of;

/// Which files that were put aside are gone on with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reuse {
    /// Those of a run: who reads all reads each byte in this run.
    OfRun(RunId),
    /// Those whose first byte was read at this time or later, in seconds since 1970.
    Since(i64),
}

/// How a file was read, by one stint or by several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// The stint that read its first byte, and when that began, in seconds since 1970.
    pub(crate) stint: StintId,
    pub(crate) began_s: i64,
    /// Where all of its bytes came from.
    pub(crate) reading: ReadingKind,
}

/// A file that was put aside.
#[derive(Clone, Debug)]
struct Checkpoint {
    /// How it was read so far.
    read: Read,
    root: String,
    file: FileVersion,
    states: Vec<u8>,
    /// It was taken in this run, or gone on with.
    is_used: bool,
    /// It is not in the catalogue yet.
    is_fresh: bool,
}

impl Checkpoint {
    /// How the file was read if another stint has begun it and this one has read the rest. What a single stint has read, it reports
    /// as a whole.
    fn read_to_end(&self, stint: StintId, reading: ReadingKind) -> Option<Read> {
        let is_of_several = self.is_used && self.read.stint != stint;
        is_of_several.then(|| Read { reading: worse(self.read.reading, reading), ..self.read })
    }
}

/// A stint, and the root over which it goes.
#[derive(Debug)]
pub(crate) struct Here {
    pub(crate) stint: StintId,
    /// When the stint began, in seconds since 1970.
    pub(crate) began_s: i64,
    pub(crate) root: String,
}

/// What the engine asks where to go on, and to which it reports how far it has come.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    here: Here,
    limit: Arc<Limit>,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    files: HashMap<Vec<u8>, Checkpoint>,
    /// Large files that were read to their end: a state that comes late is of no use any more.
    ended: HashSet<Vec<u8>>,
    /// Those of them that were gone on with, by their inodes: they may have other names.
    by_inode: HashMap<u64, Read>,
}

impl Checkpoints {
    /// Those of a collection.
    pub(crate) fn load(
        catalog: &Reader,
        collection: CollectionId,
        here: Here,
        reuse: Reuse,
        limit: &Arc<Limit>,
    ) -> Result<Self> {
        let mut kept = Kept::default();
        catalog.each_put_aside(collection, &mut |file, first| {
            let is_usable = match reuse {
                Reuse::OfRun(this) => first.run == this,
                // What is yet to come was dated by a wrong clock.
                Reuse::Since(since_s) => (since_s..=here.began_s).contains(&first.began_s),
            };
            if is_usable {
                let read = Read { stint: file.stint, began_s: first.began_s, reading: file.reading };
                let (root, states) = (file.root.to_owned(), file.states.to_vec());
                let checkpoint =
                    Checkpoint { read, root, file: file.file, states, is_used: false, is_fresh: false };
                kept.files.insert(file.path.to_vec(), checkpoint);
            }
        })?;
        Ok(Self { here, limit: Arc::clone(limit), kept: Mutex::new(kept) })
    }

    /// How many bytes of a file need not be read again, if it is still the one that was put aside. `content`: what is seen of it
    /// without reading it.
    pub(crate) fn offset(&self, path: &[u8], content: &Content) -> u64 {
        let kept = self.lock();
        let Some(checkpoint) = kept.files.get(path) else { return 0 };
        let FileVersion { size, mtime_ns, inode, .. } = checkpoint.file;
        let is_same = checkpoint.root == self.here.root
            && content.size == Some(size as u64)
            && content.modified.map(nanos_of) == Some(mtime_ns)
            && content.inode.is_none_or(|of| of == inode as u64);
        let first = states_of(&checkpoint.states).into_iter().next().filter(|_| is_same);
        first.map_or(0, |state| state.length())
    }

    /// How a file was read whose record has come. It is no longer put aside.
    pub(crate) fn end(&self, record: &Record) -> Read {
        let reading = reading_of(record.origin, record.medium);
        let here = Read { stint: self.here.stint, began_s: self.here.began_s, reading };
        let facts = record.facts.filter(|facts| facts.size_bytes > CHECKPOINT_BYTES);
        let Some(facts) = facts.filter(|_| record.outcome == Outcome::Read) else { return here };
        let mut kept = self.lock();
        let path = record.path.as_bytes();
        kept.ended.insert(path.to_vec());
        let Some(checkpoint) = kept.files.get_mut(path) else {
            // Under another name of it the bytes were read once for both. Either record may come first.
            let read = kept.by_inode.get(&facts.inode).copied();
            let version = version_of(&facts);
            let gone_on = || kept.files.values().find(|other| other.is_used && other.file == version);
            let read =
                read.or_else(|| gone_on().and_then(|other| other.read_to_end(self.here.stint, reading)));
            return read.filter(|_| facts.links > 1).unwrap_or(here);
        };
        let read = checkpoint.read_to_end(self.here.stint, reading);
        // It leaves the catalogue together with what is recorded of the file.
        checkpoint.states.clear();
        checkpoint.is_fresh = true;
        if let Some(read) = read {
            kept.by_inode.insert(facts.inode, read);
        }
        read.unwrap_or(here)
    }

    /// Writes what is new.
    pub(crate) fn write(&self, batch: &Batch<'_>) -> Result<()> {
        let mut kept = self.lock();
        for (path, checkpoint) in kept.files.iter_mut().filter(|(_, checkpoint)| checkpoint.is_fresh) {
            checkpoint.is_fresh = false;
            let Checkpoint { read, root, file, states, .. } = &*checkpoint;
            match states.is_empty() {
                true => batch.forget_put_aside(path)?,
                false => batch.put_aside(&PutAside {
                    path,
                    stint: read.stint,
                    root,
                    file: *file,
                    reading: read.reading,
                    states,
                })?,
            }
        }
        kept.files.retain(|_, checkpoint| !checkpoint.states.is_empty());
        Ok(())
    }

    /// Whether there is anything to write.
    pub(crate) fn is_fresh(&self) -> bool {
        self.lock().files.values().any(|checkpoint| checkpoint.is_fresh)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        lock(&self.kept)
    }
}

impl hashlane_engine::Checkpoints for Checkpoints {
    fn find(&self, path: &ItemPath, facts: &Facts) -> Vec<SavedState> {
        let mut kept = self.lock();
        // Under which of its names a file is read first is chance: it goes on by any of them.
        if facts.links > 1 && !kept.files.contains_key(path.as_bytes()) {
            let version = version_of(facts);
            let is_it = |other: &&Checkpoint| other.root == self.here.root && other.file == version;
            if let Some(other) = kept.files.values().find(is_it).cloned() {
                kept.files.insert(path.as_bytes().to_vec(), Checkpoint { is_fresh: false, ..other });
            }
        }
        let Some(checkpoint) = kept.files.get_mut(path.as_bytes()) else { return Vec::new() };
        if checkpoint.root != self.here.root || checkpoint.file != version_of(facts) {
            // It is another file by now.
            checkpoint.states.clear();
            checkpoint.is_fresh = true;
            return Vec::new();
        }
        let states = states_of(&checkpoint.states);
        checkpoint.is_used = !states.is_empty();
        states
    }

    fn keep(
        &self,
        path: &ItemPath,
        facts: &Facts,
        (origin, medium): (Origin, Medium),
        states: Vec<SavedState>,
    ) {
        let mut kept = self.lock();
        if kept.ended.contains(path.as_bytes()) {
            return;
        }
        let (file, reading) = (version_of(facts), reading_of(origin, medium));
        let before = kept.files.get(path.as_bytes());
        let before = before.filter(|before| before.is_used && !before.states.is_empty());
        // Within a stint, each origin covers all that the stint has read.
        let read = match before.map(|before| before.read) {
            Some(before) if before.stint != self.here.stint => {
                Read { reading: worse(before.reading, reading), ..before }
            }
            _ => Read { stint: self.here.stint, began_s: self.here.began_s, reading },
        };
        let mut bytes = Vec::new();
        for state in states {
            let state = state.to_bytes();
            bytes.extend_from_slice(&(state.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&state);
        }
        let root = self.here.root.clone();
        let checkpoint = Checkpoint { read, root, file, states: bytes, is_used: true, is_fresh: true };
        kept.files.insert(path.as_bytes().to_vec(), checkpoint);
        drop(kept);
        self.limit.put_aside();
    }
}

/// What two readings of parts of a file say of the whole: the less that is proven.
fn worse(one: ReadingKind, other: ReadingKind) -> ReadingKind {
    match (one, other) {
        (one, other) if one == other => one,
        (ReadingKind::Cache, _) | (_, ReadingKind::Cache) => ReadingKind::Cache,
        (ReadingKind::InUse, _) | (_, ReadingKind::InUse) => ReadingKind::InUse,
        _ => ReadingKind::Unknown,
    }
}

fn version_of(facts: &Facts) -> FileVersion {
    FileVersion {
        size: facts.size_bytes as i64,
        mtime_ns: nanos_of(keepable(facts.modified)),
        ctime_ns: nanos_of(keepable(facts.changed)),
        inode: facts.inode as i64,
    }
}

/// States as they lie in the catalogue; none if they cannot be used.
fn states_of(mut bytes: &[u8]) -> Vec<SavedState> {
    let mut states = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let Some((state, rest)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize) else {
            return Vec::new();
        };
        let Ok(state) = SavedState::parse(state) else { return Vec::new() };
        states.push(state);
        bytes = rest;
    }
    if bytes.is_empty() { states } else { Vec::new() }
}
