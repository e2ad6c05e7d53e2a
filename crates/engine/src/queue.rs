//! The queue between the source and the workers, and the workers that wait for work.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use hashlane_io::Waker;

use crate::entry::Entry;

/// Entries that wait at most; the source then waits for the workers.
const CAPACITY: usize = 4096;

/// Entries in the order of their numbers, from one source to many workers.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    entries: Mutex<VecDeque<Entry>>,
    room: Condvar,
    length: AtomicUsize,
    /// Entries that a worker has taken and neither finished nor handed to the big files.
    in_hand: AtomicUsize,
    closed: AtomicBool,
}

impl Queue {
    /// Adds a batch, waiting for room; false if the queue was closed meanwhile and the batch dropped.
    pub(crate) fn push(&self, batch: &mut Vec<Entry>) -> bool {
        let mut entries = self.lock();
        while entries.len() >= CAPACITY && !self.is_closed() {
            entries = self.room.wait(entries).unwrap_or_else(PoisonError::into_inner);
        }
        if self.is_closed() {
            batch.clear();
            return false;
        }
        entries.extend(batch.drain(..));
        self.length.store(entries.len(), Ordering::Release);
        true
    }

    /// Takes some entries from the front into `batch`, at most `most` and never so many that other workers go without.
    pub(crate) fn pop(&self, batch: &mut VecDeque<Entry>, most: usize, workers: usize) {
        if self.is_empty() {
            return;
        }
        let mut entries = self.lock();
        let share = (entries.len() / (2 * workers)).clamp(1, most).min(entries.len());
        batch.extend(entries.drain(..share));
        // Before the length: whoever sees the queue empty sees these in hand.
        self.in_hand.fetch_add(share, Ordering::Release);
        self.length.store(entries.len(), Ordering::Release);
        if entries.len() < CAPACITY / 2 {
            self.room.notify_one();
        }
    }

    /// Puts entries that were taken back into their places, for others to take.
    pub(crate) fn give_back(&self, batch: &mut VecDeque<Entry>) {
        if batch.is_empty() {
            return;
        }
        let mut entries = self.lock();
        let count = batch.len();
        // Others may have given theirs back: what belongs between is near the front.
        while let Some(entry) = batch.pop_back() {
            let place = entries.partition_point(|other| other.number < entry.number);
            entries.insert(place, entry);
        }
        self.length.store(entries.len(), Ordering::Release);
        self.in_hand.fetch_sub(count, Ordering::Release);
    }

    /// An entry that was taken is finished, or everybody can see what has become of it.
    pub(crate) fn settle_one(&self) {
        self.in_hand.fetch_sub(1, Ordering::Release);
    }

    /// Whether nothing more will come of it: an entry in somebody's hand may yet become work for all.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_closed() && self.is_empty() && self.in_hand.load(Ordering::Acquire) == 0
    }

    /// No more entries will come. What is queued stays.
    pub(crate) fn close(&self) {
        let _entries = self.lock();
        self.closed.store(true, Ordering::Release);
        self.room.notify_all();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length.load(Ordering::Acquire) == 0
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The workers that found nothing to do. One registers, looks once more for work, and only then waits; whoever makes
/// work after that look finds it registered and wakes it.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    count: AtomicUsize,
    workers: Mutex<Vec<(usize, Waker)>>,
}

impl Idle {
    pub(crate) fn enter(&self, worker: usize, waker: Waker) {
        let mut workers = self.lock();
        workers.push((worker, waker));
        self.count.store(workers.len(), Ordering::SeqCst);
        // Pairs with the fence in `wake_all`.
        fence(Ordering::SeqCst);
    }

    pub(crate) fn leave(&self, worker: usize) {
        let mut workers = self.lock();
        workers.retain(|(waiting, _)| *waiting != worker);
        self.count.store(workers.len(), Ordering::SeqCst);
    }

    /// Wakes all of them. Cheap when there are none.
    pub(crate) fn wake_all(&self) {
        // Pairs with the fence in `enter`: either this load sees the worker, or its second look sees the work.
        fence(Ordering::SeqCst);
        if self.count.load(Ordering::SeqCst) > 0 {
            for (_, waker) in self.lock().iter() {
                waker.wake();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(usize, Waker)>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
