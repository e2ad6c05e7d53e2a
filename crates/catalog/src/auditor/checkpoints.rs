//! How far large files were read: kept in the catalogue, so that neither a budget nor a power cut makes one begin anew for ever.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_digest::SavedState;
use hashlane_record::{Facts, ItemPath, Origin};
use rusqlite::params;

use super::limit::Limit;
use super::reading::reading_of;
use crate::batch::Batch;
use crate::catalog::Catalog;
use crate::collections::CollectionId;
use crate::error::Result;
use crate::items::{keepable, nanos_of};
use crate::runs::StintId;
use crate::spans::ReadingKind;

/// A file that was put aside.
#[derive(Clone, Debug)]
struct Checkpoint {
    /// The stint that read its first byte.
    stint: StintId,
    root: String,
    file: Version,
    reading: ReadingKind,
    states: Vec<u8>,
    /// It was taken in this run, or gone on with.
    is_used: bool,
    /// It is not in the catalogue yet.
    is_fresh: bool,
}

/// The version of a file that a state is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    size: i64,
    mtime_ns: i64,
    ctime_ns: i64,
    inode: i64,
}

/// What the engine asks where it goes on, and tells how far it has come.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    stint: StintId,
    root: String,
    limit: Arc<Limit>,
    kept: Mutex<HashMap<Vec<u8>, Checkpoint>>,
}

impl Checkpoints {
    /// Those of a collection, for a stint over a root.
    pub(crate) fn load(
        catalog: &Catalog,
        collection: CollectionId,
        stint: StintId,
        root: &str,
        limit: &Arc<Limit>,
    ) -> Result<Self> {
        let mut statement = catalog.connection.prepare_cached(
            "SELECT path, stint, root, size, mtime_ns, ctime_ns, inode, reading, states FROM checkpoint WHERE collection = ?1",
        )?;
        let mut rows = statement.query([collection.0])?;
        let mut kept = HashMap::new();
        while let Some(row) = rows.next()? {
            let checkpoint = Checkpoint {
                stint: StintId(row.get(1)?),
                root: row.get(2)?,
                file: Version {
                    size: row.get(3)?,
                    mtime_ns: row.get(4)?,
                    ctime_ns: row.get(5)?,
                    inode: row.get(6)?,
                },
                reading: ReadingKind::of_number(row.get(7)?)?,
                states: row.get(8)?,
                is_used: false,
                is_fresh: false,
            };
            kept.insert(row.get(0)?, checkpoint);
        }
        Ok(Self { stint, root: root.to_owned(), limit: Arc::clone(limit), kept: Mutex::new(kept) })
    }

    /// How many bytes of a file need not be read again, if it is still the one that was put aside.
    pub(crate) fn offset(&self, path: &[u8]) -> u64 {
        let kept = self.lock();
        let first = kept.get(path).and_then(|checkpoint| states_of(&checkpoint.states).into_iter().next());
        first.map_or(0, |state| state.length())
    }

    /// What is told of a file that was read to its end, and was gone on with: the stint of its oldest byte, and where all of its bytes
    /// came from, if `reading` tells of the last ones. It is no longer put aside.
    pub(crate) fn end(&self, path: &[u8], reading: ReadingKind) -> Option<(StintId, ReadingKind)> {
        let mut kept = self.lock();
        let checkpoint = kept.get_mut(path)?;
        let stint = checkpoint.stint;
        // What one stint has read it tells of as a whole.
        let both = if stint == self.stint { reading } else { worse(checkpoint.reading, reading) };
        let is_used = std::mem::take(&mut checkpoint.is_used);
        // It leaves the catalogue together with what is recorded of the file.
        checkpoint.states.clear();
        checkpoint.is_fresh = true;
        is_used.then_some((stint, both))
    }

    /// Writes what is new.
    pub(crate) fn write(&self, batch: &Batch<'_>) -> Result<()> {
        let mut kept = self.lock();
        let mut put = batch.transaction.prepare_cached(
            "INSERT OR REPLACE INTO checkpoint (collection, path, stint, root, size, mtime_ns, ctime_ns, inode, reading, states)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        let mut delete =
            batch.transaction.prepare_cached("DELETE FROM checkpoint WHERE collection = ?1 AND path = ?2")?;
        for (path, checkpoint) in kept.iter_mut().filter(|(_, checkpoint)| checkpoint.is_fresh) {
            checkpoint.is_fresh = false;
            if checkpoint.states.is_empty() {
                delete.execute(params![batch.collection.0, path])?;
                continue;
            }
            let Version { size, mtime_ns, ctime_ns, inode } = checkpoint.file;
            put.execute(params![
                batch.collection.0,
                path,
                checkpoint.stint.0,
                checkpoint.root,
                size,
                mtime_ns,
                ctime_ns,
                inode,
                checkpoint.reading.number(),
                checkpoint.states
            ])?;
        }
        kept.retain(|_, checkpoint| !checkpoint.states.is_empty());
        Ok(())
    }

    /// Whether there is anything to write.
    pub(crate) fn is_fresh(&self) -> bool {
        self.lock().values().any(|checkpoint| checkpoint.is_fresh)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Vec<u8>, Checkpoint>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl hashlane_engine::Checkpoints for Checkpoints {
    fn find(&self, path: &ItemPath, facts: &Facts) -> Vec<SavedState> {
        let mut kept = self.lock();
        let Some(checkpoint) = kept.get_mut(path.as_bytes()) else { return Vec::new() };
        if checkpoint.root != self.root || checkpoint.file != version_of(facts) {
            // It is another file by now.
            checkpoint.states.clear();
            checkpoint.is_fresh = true;
            return Vec::new();
        }
        checkpoint.is_used = true;
        states_of(&checkpoint.states)
    }

    fn keep(&self, path: &ItemPath, facts: &Facts, origin: Origin, states: Vec<SavedState>) {
        let mut kept = self.lock();
        let (file, reading) = (version_of(facts), reading_of(origin));
        let before = kept.get(path.as_bytes()).filter(|before| before.is_used && !before.states.is_empty());
        // Within a stint each origin tells of all that the stint has read.
        let (stint, reading) = match before {
            Some(before) if before.stint != self.stint => (before.stint, worse(before.reading, reading)),
            _ => (self.stint, reading),
        };
        let mut bytes = Vec::new();
        for state in states {
            let state = state.to_bytes();
            bytes.extend_from_slice(&(state.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&state);
        }
        let root = self.root.clone();
        let checkpoint =
            Checkpoint { stint, root, file, reading, states: bytes, is_used: true, is_fresh: true };
        kept.insert(path.as_bytes().to_vec(), checkpoint);
        drop(kept);
        self.limit.put_aside();
    }
}

/// What two readings of parts of a file say of the whole: the less that is proven.
fn worse(one: ReadingKind, other: ReadingKind) -> ReadingKind {
    match (one, other) {
        (one, other) if one == other => one,
        (ReadingKind::Cache, _) | (_, ReadingKind::Cache) => ReadingKind::Cache,
        _ => ReadingKind::Unknown,
    }
}

fn version_of(facts: &Facts) -> Version {
    Version {
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
