//! The workers that wait for work.
//!
//! Owns who wakes whom. Does not own what work there is: each worker looks for itself.
//!
//! Invariants:
//! 1. A worker registers, looks once more for work, and only then waits. Whoever makes work does so before it looks who is
//!    registered. One of the two sees the other, whatever the order: the fences are for that.
//! 2. Nobody is relied on who may not be there. All that wait are woken, not as many as there is work for: one that is woken may find
//!    that it has no place for it. And a worker that ends wakes the others, which may have waited for what it had in hand.

use super::lock;
use super::sync::{AtomicUsize, Mutex, Ordering, Waker, fence};

/// The workers that found nothing to do.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    count: AtomicUsize,
    workers: Mutex<Vec<(usize, Waker)>>,
}

impl Idle {
    /// Lets a worker wait by `wait`, which `waker` ends, unless `has_work` says that there is something to do.
    pub(crate) fn wait<W>(
        &self,
        worker: &mut W,
        (id, waker): (usize, Waker),
        has_work: impl FnOnce(&mut W) -> bool,
        wait: impl FnOnce(&mut W),
    ) {
        self.enter(id, waker);
        if !has_work(worker) {
            wait(worker);
        }
        self.leave(id);
    }

    fn enter(&self, worker: usize, waker: Waker) {
        let mut workers = lock(&self.workers);
        workers.push((worker, waker));
        self.count.store(workers.len(), Ordering::SeqCst);
        // Pairs with the fence in `wake_all`.
        fence(Ordering::SeqCst);
    }

    fn leave(&self, worker: usize) {
        let mut workers = lock(&self.workers);
        workers.retain(|(waiting, _)| *waiting != worker);
        self.count.store(workers.len(), Ordering::SeqCst);
    }

    /// Wakes all of them. Cheap when there are none.
    pub(crate) fn wake_all(&self) {
        // Pairs with the fence in `enter`: either this load sees the worker, or its second look sees the work.
        fence(Ordering::SeqCst);
        if self.count.load(Ordering::SeqCst) > 0 {
            for (_, waker) in lock(&self.workers).iter() {
                waker.wake();
            }
        }
    }
}
