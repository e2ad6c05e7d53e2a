//! How tasks come to the readers of a pool.
//!
//! Owns which tasks wait, and who is to take them: a reader that waits, one that is to be started, one that is busy, or whoever
//! brings the task. Does not own the threads: who starts them says whether the system gave one.
//!
//! Invariants:
//! 1. A task waits only where a reader lives, and a reader that lives takes what waits before it ends. One that is being started
//!    does not live yet: the system may refuse it, and whoever relied on it would wait for ever.
//! 2. Of the readers that wait each is counted on for one task. A task for which none is left has a new one started, as the
//!    reading before it may take as long as it likes; it stands behind others only where the limit is reached or the system refuses.
//! 3. Nothing is locked while a reader is started.

use std::collections::VecDeque;
use std::sync::PoisonError;

use super::sync::{Condvar, Mutex, MutexGuard};

/// Tasks on their way to readers, up to a limit.
#[derive(Debug)]
pub(crate) struct HandOver<T> {
    limit: usize,
    state: Mutex<Waits<T>>,
    /// A task waits, no more will come, or the system has given or refused a reader.
    changed: Condvar,
}

#[derive(Debug)]
struct Waits<T> {
    tasks: VecDeque<T>,
    /// Readers that wait, or were woken and have not come to look yet.
    idle: usize,
    /// Readers that the system has given.
    alive: usize,
    /// Readers that it was asked for, and has neither given nor refused.
    starting: usize,
    is_closed: bool,
}

impl<T> HandOver<T> {
    /// For at most `limit` readers; there is none yet.
    pub(crate) fn new(limit: usize) -> Self {
        let tasks = VecDeque::new();
        let state = Waits { tasks, idle: 0, alive: 0, starting: 0, is_closed: false };
        Self { limit, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Brings a task. Where no reader is left for it `start` is to start one that calls [`HandOver::take`] until there are no more; it
    /// says whether the system gave one. Gives the task back where no reader lives: nobody else would ever do it.
    pub(crate) fn bring(&self, task: T, start: impl FnOnce() -> bool) -> Option<T> {
        let mut state = self.lock();
        if state.tasks.len() >= state.idle && state.alive + state.starting < self.limit {
            state.starting += 1;
            drop(state);
            let is_given = start();
            state = self.lock();
            state.starting -= 1;
            state.alive += usize::from(is_given);
            self.changed.notify_all();
        }
        // Who is to take it is known when the system has answered.
        while state.alive == 0 && state.starting > 0 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.alive == 0 {
            return Some(task);
        }
        state.tasks.push_back(task);
        drop(state);
        self.changed.notify_one();
        None
    }

    /// The next task for a reader, which waits for one; `None` when all are done and no more will come.
    pub(crate) fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.tasks.pop_front() {
                return Some(task);
            }
            if state.is_closed {
                return None;
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// No more tasks will come. Readers end when they have done those that wait.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waits<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
