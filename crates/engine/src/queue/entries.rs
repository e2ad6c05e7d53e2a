//! The queue between the source and the workers.
//!
//! Invariant: an entry is unsettled from before it can be taken until whoever took it has settled it, however often it is given back
//! meanwhile. So whoever finds the queue closed and nothing unsettled will never find an entry again.

use std::collections::VecDeque;

use hashlane_io::{FileSystem, Store};

use super::lock;
use super::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, PoisonError};
use crate::disk_order;
use crate::entry::Entry;
use crate::profile::ReadOrder;

/// Entries that wait at most; the source then waits for the workers.
const CAPACITY: usize = 4096;

/// The same in bytes of their tags: what is expected of a file that is listed with its pieces may be some MiB.
pub(super) const TAGS_BYTES: usize = 32 << 20;

/// Entries from one source to many workers: in the order of their numbers, or of the device.
#[derive(Debug)]
pub(crate) struct Queue<S: Store = FileSystem> {
    /// In the order of their numbers.
    entries: Mutex<VecDeque<Entry<S>>>,
    /// What was put into the order of the device; `None` where they leave in that of their numbers.
    sorted: Option<Mutex<Sorted<S>>>,
    room: Condvar,
    /// Bytes of the tags of `entries`.
    pub(super) tags_bytes: AtomicUsize,
    /// Entries in both.
    length: AtomicUsize,
    /// Those, and the entries that a worker has taken and neither finished nor handed to the big files.
    unsettled: AtomicUsize,
    closed: AtomicBool,
}

/// Entries in the order of the device. One window of them is taken up when the one before has left.
#[derive(Debug)]
struct Sorted<S: Store> {
    entries: VecDeque<Entry<S>>,
    /// The turn of the next entry that is taken up.
    next_turn: u64,
}

impl<S: Store> Default for Sorted<S> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), next_turn: 0 }
    }
}

impl<S: Store> Queue<S> {
    /// An empty one.
    pub(crate) fn new(order: ReadOrder) -> Self {
        Self {
            entries: Mutex::default(),
            sorted: (order == ReadOrder::OnDisk).then(Mutex::default),
            room: Condvar::new(),
            tags_bytes: AtomicUsize::new(0),
            length: AtomicUsize::new(0),
            unsettled: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        }
    }

    /// Adds a batch, waiting for room; false if the queue was closed meanwhile and the batch dropped.
    pub(crate) fn push(&self, batch: &mut Vec<Entry<S>>) -> bool {
        let mut entries = lock(&self.entries);
        let is_full = |entries: &VecDeque<Entry<S>>| {
            entries.len() >= CAPACITY || self.tags_bytes.load(Ordering::Relaxed) >= TAGS_BYTES
        };
        while is_full(&entries) && !self.is_closed() {
            entries = self.room.wait(entries).unwrap_or_else(PoisonError::into_inner);
        }
        if self.is_closed() {
            batch.clear();
            return false;
        }
        self.unsettled.fetch_add(batch.len(), Ordering::Release);
        self.length.fetch_add(batch.len(), Ordering::Release);
        self.tags_bytes.fetch_add(tags_bytes(batch.iter()), Ordering::Relaxed);
        entries.extend(batch.drain(..));
        true
    }

    /// Takes some entries from the front into `batch`, at most `most` and never so many that other workers go without.
    pub(crate) fn pop(&self, batch: &mut VecDeque<Entry<S>>, most: usize, workers: usize) {
        if self.is_empty() {
            return;
        }
        let mut take = |entries: &mut VecDeque<Entry<S>>| {
            let share = (entries.len() / (2 * workers)).clamp(1, most).min(entries.len());
            let bytes = tags_bytes(entries.range(..share));
            batch.extend(entries.drain(..share));
            self.length.fetch_sub(share, Ordering::Release);
            bytes
        };
        match &self.sorted {
            None => self.take_from_front(take),
            Some(sorted) => {
                // Others wait while a window is taken up: they would only send the disk elsewhere meanwhile.
                let mut sorted = lock(sorted);
                if sorted.entries.is_empty() {
                    self.take_up(&mut sorted);
                }
                let _ = take(&mut sorted.entries);
            }
        }
    }

    /// Takes entries that are next in the order of their numbers, and lets the source go on. `take` gives the bytes of their tags.
    fn take_from_front(&self, take: impl FnOnce(&mut VecDeque<Entry<S>>) -> usize) {
        let mut entries = lock(&self.entries);
        let taken = take(&mut entries);
        let left = self.tags_bytes.fetch_sub(taken, Ordering::Relaxed) - taken;
        if entries.len() < CAPACITY / 2 && left < TAGS_BYTES / 2 {
            self.room.notify_one();
        }
    }

    /// Takes up a window: as many entries as have come while the last one was worked at.
    fn take_up(&self, sorted: &mut Sorted<S>) {
        let mut window = Vec::new();
        self.take_from_front(|entries| {
            // By number: what has failed without an entry took numbers too, and the gate counts those.
            let end = entries.front().map_or(0, |first| first.number + disk_order::WINDOW as u64);
            window.extend(entries.drain(..entries.partition_point(|entry| entry.number < end)));
            tags_bytes(window.iter())
        });
        disk_order::sort(&mut window);
        for mut entry in window {
            entry.turn = sorted.next_turn;
            sorted.next_turn += 1;
            sorted.entries.push_back(entry);
        }
    }

    /// Puts entries that were taken back into their places, for others to take.
    pub(crate) fn give_back(&self, batch: &mut VecDeque<Entry<S>>) {
        if batch.is_empty() {
            return;
        }
        let (count, bytes) = (batch.len(), tags_bytes(batch.iter()));
        let mut give = |entries: &mut VecDeque<Entry<S>>| {
            // Others may have given theirs back: what belongs between is near the front.
            while let Some(entry) = batch.pop_back() {
                let place = entries.partition_point(|other| other.turn < entry.turn);
                entries.insert(place, entry);
            }
            self.length.fetch_add(count, Ordering::Release);
        };
        match &self.sorted {
            None => {
                self.tags_bytes.fetch_add(bytes, Ordering::Relaxed);
                give(&mut lock(&self.entries));
            }
            Some(sorted) => give(&mut lock(sorted).entries),
        }
    }

    /// An entry that was taken is finished, or everybody can see what has become of it.
    pub(crate) fn settle_one(&self) {
        self.unsettled.fetch_sub(1, Ordering::Release);
    }

    /// Whether nothing more will come of it: an entry in somebody's hand may yet become work for all.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_closed() && self.is_settled()
    }

    /// Whether no entry waits or is in somebody's hand.
    pub(crate) fn is_settled(&self) -> bool {
        self.unsettled.load(Ordering::Acquire) == 0
    }

    /// No more entries will come. What is queued stays.
    pub(crate) fn close(&self) {
        let _entries = lock(&self.entries);
        self.closed.store(true, Ordering::Release);
        self.room.notify_all();
    }

    /// Entries that wait.
    pub(crate) fn len(&self) -> usize {
        self.length.load(Ordering::Acquire)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}

fn tags_bytes<'a, S: Store>(entries: impl Iterator<Item = &'a Entry<S>>) -> usize {
    entries.map(|entry| entry.tag.len()).sum()
}
