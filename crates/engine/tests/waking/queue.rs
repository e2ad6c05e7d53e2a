//! The queue and the idle workers, over primitives for which every interleaving is tried.

#[path = "../../src/queue/entries.rs"]
mod entries;
#[path = "../../src/queue/idle.rs"]
mod idle;

use std::sync::{Arc, PoisonError};

use loom::sync::Notify;

pub(crate) use entries::Queue;
pub(crate) use idle::Idle;
use sync::{Mutex, MutexGuard};

mod sync {
    pub(super) use std::sync::PoisonError;

    pub(super) use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};

    pub(super) use super::Waker;
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the wait of a worker, or the next one if it does not wait now.
#[derive(Clone)]
pub(crate) struct Waker(Arc<Notify>);

impl Waker {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Notify::new()))
    }

    pub(crate) fn wake(&self) {
        self.0.notify();
    }

    pub(crate) fn wait(&self) {
        self.0.wait();
    }
}

impl std::fmt::Debug for Waker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Waker")
    }
}
