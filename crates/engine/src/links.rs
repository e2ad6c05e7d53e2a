//! Files with several names are read once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlane_digest::Digest;
use hashlane_record::{Facts, Outcome, Record};

use crate::entry::{AlgorithmSet, Entry};

/// Inodes remembered at once; beyond, files with several names are simply read again.
const CAPACITY: usize = 16_384;

/// What is known of the inodes with several names.
#[derive(Debug, Default)]
pub(crate) struct Links {
    inodes: Mutex<HashMap<(u64, u64), Inode>>,
}

#[derive(Debug)]
struct Inode {
    algorithms: AlgorithmSet,
    facts: Facts,
    names_left: u32,
    reading: Reading,
}

#[derive(Debug)]
enum Reading {
    /// Somebody reads it; these entries wait for the result.
    UnderWay {
        waiting: Vec<Entry>,
    },
    Done {
        outcome: Outcome,
        digests: Vec<Digest>,
        digested_bytes: u64,
    },
}

/// What to do with a file that has several names.
#[derive(Debug)]
pub(crate) enum Claim {
    /// Read it, and call [`Links::finish`] with its record.
    Read(Entry),
    /// Read it; nobody waits for it.
    ReadAlone(Entry),
    /// It was read already.
    Known(Box<Record>),
    /// Somebody reads it and will make this entry's record too.
    Waits,
}

impl Links {
    /// Decides for an entry that was found to have several names.
    pub(crate) fn claim(&self, entry: Entry, facts: Facts) -> Claim {
        let mut inodes = self.lock();
        let key = (facts.device, facts.inode);
        let Some(inode) = inodes.get_mut(&key) else {
            if inodes.len() >= CAPACITY {
                return Claim::ReadAlone(entry);
            }
            inodes.insert(
                key,
                Inode {
                    algorithms: entry.algorithms.clone(),
                    facts,
                    names_left: facts.links.saturating_sub(1),
                    reading: Reading::UnderWay { waiting: Vec::new() },
                },
            );
            return Claim::Read(entry);
        };
        let same = inode.algorithms == entry.algorithms
            && inode.facts.size_bytes == facts.size_bytes
            && inode.facts.modified == facts.modified
            && inode.facts.changed == facts.changed;
        if !same {
            return Claim::ReadAlone(entry);
        }
        inode.names_left = inode.names_left.saturating_sub(1);
        match &mut inode.reading {
            Reading::UnderWay { waiting } => {
                waiting.push(entry);
                Claim::Waits
            }
            Reading::Done { outcome, digests, digested_bytes } => {
                let record = repeat(entry, *outcome, facts, digests, *digested_bytes);
                if inode.names_left == 0 {
                    inodes.remove(&key);
                }
                Claim::Known(Box::new(record))
            }
        }
    }

    /// Takes the result of a claimed reading; the records of the entries that waited for it are added to `records`.
    pub(crate) fn finish(&self, key: (u64, u64), record: &Record, records: &mut impl FnMut(Record)) {
        let mut inodes = self.lock();
        let Some(inode) = inodes.get_mut(&key) else { return };
        let done = Reading::Done {
            outcome: record.outcome,
            digests: record.digests.clone(),
            digested_bytes: record.digested_bytes,
        };
        let Reading::UnderWay { waiting } = std::mem::replace(&mut inode.reading, done) else { return };
        for entry in waiting {
            records(repeat(entry, record.outcome, inode.facts, &record.digests, record.digested_bytes));
        }
        if inode.names_left == 0 {
            inodes.remove(&key);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(u64, u64), Inode>> {
        self.inodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The record of a further name: the same result, and no bytes read for it.
fn repeat(entry: Entry, outcome: Outcome, facts: Facts, digests: &[Digest], digested_bytes: u64) -> Record {
    Record {
        number: entry.number,
        path: entry.location.printed(),
        outcome,
        facts: Some(facts),
        digests: digests.to_vec(),
        digested_bytes,
        origin: Default::default(),
        tag: entry.tag,
    }
}
