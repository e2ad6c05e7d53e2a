//! Files with several names are read once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlane_digest::Digest;
use hashlane_io::{FileSystem, Store};
use hashlane_record::{Division, Facts, Medium, Outcome, Pieces, Record};

use crate::entry::{AlgorithmSet, Entry};

/// Inodes remembered, and entries that wait for a reading, at most; beyond, files with several names are read again.
const CAPACITY: usize = 16_384;

/// Pieces of a file whose digests are kept for its other names, at most: a file with more is read for each name. All that is kept
/// has to stay within memory.
pub(crate) const MOST_PIECES: u64 = 32;

/// What is known of the inodes with several names.
#[derive(Debug)]
pub(crate) struct Links<S: Store = FileSystem> {
    known: Mutex<Known<S>>,
}

#[derive(Debug)]
struct Known<S: Store> {
    inodes: HashMap<Key, Inode<S>>,
    waiting: usize,
    repeated_bytes: u64,
}

/// Device and inode, and what is computed: other digests are another reading.
type Key = (u64, u64, AlgorithmSet, Option<Division>);

#[derive(Debug)]
struct Inode<S: Store> {
    facts: Facts,
    names_left: u32,
    reading: LinkReading<S>,
}

#[derive(Debug)]
enum LinkReading<S: Store> {
    /// Somebody reads it; these entries wait for the result.
    UnderWay {
        waiting: Vec<Entry<S>>,
    },
    Done(Done),
}

/// What a reading found out that holds for all names.
#[derive(Debug)]
struct Done {
    outcome: Outcome,
    digests: Vec<Digest>,
    pieces: Option<Box<Pieces>>,
    digested_bytes: u64,
    medium: Medium,
}

/// What to do with a file that has several names.
#[derive(Debug)]
pub(crate) enum Claim<S: Store> {
    /// Read it, and call [`Links::finish`] with its record.
    Read(Entry<S>),
    /// Read it; nobody waits for it.
    ReadAlone(Entry<S>),
    /// It was read already.
    Known(Box<Record>),
    /// Somebody reads it and will make this entry's record too.
    Waits,
}

impl<S: Store> Default for Links<S> {
    fn default() -> Self {
        Self { known: Mutex::new(Known { inodes: HashMap::new(), waiting: 0, repeated_bytes: 0 }) }
    }
}

impl<S: Store> Links<S> {
    /// Decides for an entry that was found to have several names.
    pub(crate) fn claim(&self, entry: Entry<S>, facts: Facts) -> Claim<S> {
        let mut known = self.lock();
        let Known { inodes, waiting: all_waiting, repeated_bytes } = &mut *known;
        let key = (facts.device, facts.inode, AlgorithmSet::clone(&entry.algorithms), entry.division);
        let Some(inode) = inodes.get_mut(&key) else {
            if inodes.len() >= CAPACITY {
                return Claim::ReadAlone(entry);
            }
            let reading = LinkReading::UnderWay { waiting: Vec::new() };
            inodes.insert(key, Inode { facts, names_left: facts.links.saturating_sub(1), reading });
            return Claim::Read(entry);
        };
        let same = inode.facts.size_bytes == facts.size_bytes
            && inode.facts.modified == facts.modified
            && inode.facts.changed == facts.changed;
        if !same {
            return Claim::ReadAlone(entry);
        }
        match &mut inode.reading {
            LinkReading::UnderWay { .. } if *all_waiting >= CAPACITY => Claim::ReadAlone(entry),
            LinkReading::UnderWay { waiting } => {
                inode.names_left = inode.names_left.saturating_sub(1);
                *all_waiting += 1;
                waiting.push(entry);
                Claim::Waits
            }
            LinkReading::Done(done) => {
                let record = done.repeat(entry, facts);
                *repeated_bytes += record.digested_bytes;
                inode.names_left = inode.names_left.saturating_sub(1);
                if inode.names_left == 0 {
                    inodes.remove(&key);
                }
                Claim::Known(Box::new(record))
            }
        }
    }

    /// Takes the result of a claimed reading of these algorithms and pieces; the records of the entries that waited for it are added
    /// to `records`.
    pub(crate) fn finish(
        &self,
        (algorithms, division): (AlgorithmSet, Option<Division>),
        facts: &Facts,
        record: &Record,
        records: &mut impl FnMut(Record),
    ) {
        let mut known = self.lock();
        let key = (facts.device, facts.inode, algorithms, division);
        let Some(inode) = known.inodes.get_mut(&key) else { return };
        let LinkReading::UnderWay { waiting } = &mut inode.reading else { return };
        let waiting = std::mem::take(waiting);
        let waited = waiting.len();
        let done = Done::of(record);
        for entry in waiting {
            records(done.repeat(entry, inode.facts));
        }
        let repeated_bytes = done.digested_bytes * waited as u64;
        inode.reading = LinkReading::Done(done);
        if inode.names_left == 0 {
            known.inodes.remove(&key);
        }
        known.waiting -= waited;
        known.repeated_bytes += repeated_bytes;
    }

    /// The bytes of all names but the one that each file was read by.
    pub(crate) fn repeated_bytes(&self) -> u64 {
        self.lock().repeated_bytes
    }

    fn lock(&self) -> MutexGuard<'_, Known<S>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Done {
    fn of(record: &Record) -> Self {
        Self {
            outcome: record.outcome,
            digests: record.digests.clone(),
            pieces: record.pieces.clone(),
            digested_bytes: record.digested_bytes,
            medium: match record.medium {
                // That no bytes are read for it says nothing of those that were.
                Medium::Unasked if record.origin.cache_bytes > 0 => Medium::SeenCached,
                medium => medium,
            },
        }
    }

    /// The record of a further name: the same result, and no bytes read for it.
    fn repeat<S: Store>(&self, entry: Entry<S>, facts: Facts) -> Record {
        Record {
            number: entry.number,
            path: entry.location.printed(),
            outcome: self.outcome,
            facts: Some(facts),
            digests: self.digests.clone(),
            pieces: self.pieces.clone(),
            digested_bytes: self.digested_bytes,
            origin: Default::default(),
            medium: self.medium,
            state: None,
            tag: entry.tag,
        }
    }
}

#[cfg(test)]
mod tests {
    use hashlane_digest::Algorithm;

    use super::*;
    use crate::entry::Location;

    fn entry(number: u64, algorithm: &str) -> Entry {
        let algorithms = Algorithm::named(algorithm).into_iter().collect();
        Entry { number, ..Entry::new(Location::Stdin, algorithms, Box::default()) }
    }

    fn facts(inode: u64, links: u32) -> Facts {
        let at = hashlane_record::Timestamp::default();
        Facts { size_bytes: 1, modified: at, changed: at, accessed: at, device: 1, inode, links }
    }

    #[test]
    fn so_many_names_wait_for_a_reading_and_no_more() {
        let links: Links = Links::default();
        let names = CAPACITY as u64 + 10;
        let facts = facts(1, names as u32);
        assert!(matches!(links.claim(entry(0, "md5"), facts), Claim::Read(_)));
        for number in 1..names {
            let waits = matches!(links.claim(entry(number, "md5"), facts), Claim::Waits);
            assert_eq!(waits, number <= CAPACITY as u64, "{number}");
        }
        let done = Done {
            outcome: Outcome::Read,
            digests: Vec::new(),
            pieces: None,
            digested_bytes: 1,
            medium: Medium::Unasked,
        };
        let record = done.repeat(entry(0, "md5"), facts);
        let mut repeated = 0;
        links.finish((entry(0, "md5").algorithms, None), &facts, &record, &mut |_| repeated += 1);
        assert_eq!((repeated, links.lock().waiting), (CAPACITY, 0));
    }

    #[test]
    fn other_digests_are_another_reading() {
        let links: Links = Links::default();
        for algorithm in ["md5", "sha256"] {
            assert!(matches!(links.claim(entry(0, algorithm), facts(1, 4)), Claim::Read(_)));
            assert!(matches!(links.claim(entry(1, algorithm), facts(1, 4)), Claim::Waits));
        }
    }
}
