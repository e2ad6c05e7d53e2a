//! The big files in work and those that wait for their turn.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_io::{Block, Store};

use crate::big_file::{BigFile, DigestStep, ReadStep};

/// Free blocks kept for the next pieces.
const SPARE_BLOCKS: usize = 16;

/// The big files of a run. At most one a worker is in work, so that their rings stay small in sum.
#[derive(Debug)]
pub(crate) struct BigFiles<S: Store> {
    active: Mutex<Vec<Arc<BigFile<S>>>>,
    pending: Mutex<VecDeque<Arc<BigFile<S>>>>,
    active_count: AtomicUsize,
    pending_count: AtomicUsize,
    spare: Mutex<Vec<Block>>,
    most: usize,
    /// Of those that lie on a disk.
    most_regular: usize,
}

impl<S: Store> BigFiles<S> {
    /// None yet, at most `most` at a time, and of regular files at most `most_regular`: a pipe may wait for another one.
    pub(crate) fn new(most: usize, most_regular: usize) -> Self {
        Self {
            active: Mutex::default(),
            pending: Mutex::default(),
            active_count: AtomicUsize::new(0),
            pending_count: AtomicUsize::new(0),
            spare: Mutex::default(),
            most,
            most_regular,
        }
    }

    /// Takes a file into work; false if there are enough.
    pub(crate) fn begin(&self, big: &Arc<BigFile<S>>) -> bool {
        let mut active = lock(&self.active);
        if !self.has_place(&active, big) {
            return false;
        }
        active.push(Arc::clone(big));
        self.active_count.store(active.len(), Ordering::SeqCst);
        true
    }

    fn has_place(&self, active: &[Arc<BigFile<S>>], big: &BigFile<S>) -> bool {
        let regular = || active.iter().filter(|big| big.is_regular()).count();
        active.len() < self.most && (!big.is_regular() || regular() < self.most_regular)
    }

    /// Keeps a file for later.
    pub(crate) fn postpone(&self, big: Arc<BigFile<S>>) {
        let mut pending = lock(&self.pending);
        pending.push_back(big);
        self.pending_count.store(pending.len(), Ordering::SeqCst);
    }

    /// Takes a postponed file into work, if there is one and a place.
    pub(crate) fn begin_pending(&self) -> Option<Arc<BigFile<S>>> {
        if self.pending_count.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let mut pending = lock(&self.pending);
        let big = pending.front()?;
        if !self.begin(big) {
            return None;
        }
        let big = pending.pop_front();
        self.pending_count.store(pending.len(), Ordering::SeqCst);
        big
    }

    /// The file is done with.
    pub(crate) fn end(&self, big: &Arc<BigFile<S>>) {
        let mut active = lock(&self.active);
        active.retain(|other| !Arc::ptr_eq(other, big));
        self.active_count.store(active.len(), Ordering::SeqCst);
    }

    /// Whether so few wait that more may be found.
    pub(crate) fn takes_more(&self) -> bool {
        self.pending_count.load(Ordering::SeqCst) < self.most
    }

    /// Whether a postponed file could be begun.
    pub(crate) fn can_begin(&self) -> bool {
        self.pending_count.load(Ordering::SeqCst) > 0
            && self.active_count.load(Ordering::SeqCst) < self.most
            && lock(&self.pending).front().is_some_and(|big| self.has_place(&lock(&self.active), big))
    }

    /// Whether none is in work; nor waits, unless the run was stopped.
    pub(crate) fn is_idle(&self, stopped: bool) -> bool {
        let waiting = !stopped && self.pending_count.load(Ordering::SeqCst) > 0;
        self.active_count.load(Ordering::SeqCst) == 0 && !waiting
    }

    /// Whether one is in work for which all that was read would be read once more.
    pub(crate) fn has_unsaved(&self) -> bool {
        self.find(None, |big| big.is_unsaved().then_some(())).is_some()
    }

    /// Whether anybody could do anything for any of them.
    pub(crate) fn has_step(&self) -> bool {
        self.find(None, |big| big.has_step().then_some(())).is_some()
    }

    /// A piece to digest: of `own` before all others.
    pub(crate) fn claim_digest(
        &self,
        own: Option<&Arc<BigFile<S>>>,
    ) -> Option<(Arc<BigFile<S>>, DigestStep)> {
        self.find(own, BigFile::claim_digest)
    }

    /// A piece to read, of any of them.
    pub(crate) fn claim_read(&self) -> Option<(Arc<BigFile<S>>, ReadStep)> {
        self.find(None, BigFile::claim_read)
    }

    /// A block of this many bytes that was used before.
    pub(crate) fn take_block(&self, bytes: usize) -> Option<Block> {
        let mut spare = lock(&self.spare);
        let at = spare.iter().rposition(|block| block.capacity() == bytes)?;
        Some(spare.remove(at))
    }

    /// Keeps a block for its next use: the one given last, warm in somebody's cache, is taken first.
    pub(crate) fn give_block(&self, mut block: Block) {
        block.clear();
        let mut spare = lock(&self.spare);
        // A window has nothing that could be used again.
        if spare.len() < SPARE_BLOCKS && !block.is_window() {
            spare.push(block);
        }
    }

    fn find<T>(
        &self,
        own: Option<&Arc<BigFile<S>>>,
        claim: impl Fn(&BigFile<S>) -> Option<T>,
    ) -> Option<(Arc<BigFile<S>>, T)> {
        if self.active_count.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let claimed = |big: &Arc<BigFile<S>>| claim(big).map(|step| (Arc::clone(big), step));
        own.and_then(claimed).or_else(|| lock(&self.active).iter().find_map(claimed))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
