//! The bookkeeping that engines share which complete at once or on a reader pool.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::engine::{Completion, Waker};
use crate::pool::ReaderPool;

/// Completions on their way to the thread that the engine belongs to.
#[derive(Debug)]
pub(crate) struct Delivery {
    pool: Arc<ReaderPool>,
    ready: VecDeque<Completion>,
    finished: Receiver<Completion>,
    finish: Sender<Completion>,
    waker: Waker,
    in_flight: usize,
}

impl Delivery {
    /// For the calling thread, with `pool` for what has to wait.
    pub(crate) fn new(pool: Arc<ReaderPool>) -> Self {
        let (finish, finished) = unbounded();
        Self { pool, ready: VecDeque::new(), finished, finish, waker: Waker::current(), in_flight: 0 }
    }

    /// Delivers a request that came to its end at once.
    pub(crate) fn now(&mut self, completion: Completion) {
        self.in_flight += 1;
        self.ready.push_back(completion);
    }

    /// Lets a reader bring a request to its end.
    pub(crate) fn later(&mut self, task: impl FnOnce() -> Completion + Send + 'static) {
        self.in_flight += 1;
        let (finish, waker) = (self.finish.clone(), self.waker.clone());
        self.pool.run(move || {
            // The engine may be gone: then nobody wants the completion.
            let _ = finish.send(task());
            waker.wake();
        });
    }

    pub(crate) fn reap(&mut self) -> Option<Completion> {
        let completion = self.ready.pop_front().or_else(|| self.finished.try_recv().ok())?;
        self.in_flight -= 1;
        Some(completion)
    }

    pub(crate) fn wait(&mut self) {
        if self.ready.is_empty() && self.finished.is_empty() {
            thread::park();
        }
    }

    pub(crate) fn waker(&self) -> Waker {
        self.waker.clone()
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }
}
