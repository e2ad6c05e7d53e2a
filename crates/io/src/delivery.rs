//! The bookkeeping that engines share which complete at once or on a reader pool.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::engine::{Completion, Waker};
use crate::pool::ReaderPool;
use crate::store::{FileSystem, Store};

/// Completions on their way to the thread that the engine belongs to.
#[derive(Debug)]
pub(crate) struct Delivery<S: Store = FileSystem> {
    pool: Arc<ReaderPool>,
    ready: VecDeque<Completion<S>>,
    /// `None` for a request that will never come back, because its reader panicked.
    finished: Receiver<Option<Completion<S>>>,
    finish: Sender<Option<Completion<S>>>,
    waker: Waker,
    in_flight: usize,
}

impl<S: Store> Delivery<S> {
    /// For the calling thread, with `pool` for what has to wait.
    pub(crate) fn new(pool: Arc<ReaderPool>) -> Self {
        Self::with_waker(pool, Waker::current())
    }

    /// For a thread that `waker` wakes. If it does not wait by parking it does so elsewhere, not in [`Delivery::wait`].
    pub(crate) fn with_waker(pool: Arc<ReaderPool>, waker: Waker) -> Self {
        let (finish, finished) = unbounded();
        Self { pool, ready: VecDeque::new(), finished, finish, waker, in_flight: 0 }
    }

    /// Who does the waiting.
    pub(crate) fn pool(&self) -> &Arc<ReaderPool> {
        &self.pool
    }

    /// Delivers a request that came to its end at once.
    pub(crate) fn now(&mut self, completion: Completion<S>) {
        self.in_flight += 1;
        self.ready.push_back(completion);
    }

    /// Lets a reader bring a request to its end.
    pub(crate) fn later(&mut self, task: impl FnOnce() -> Completion<S> + Send + 'static) {
        self.later_by(None, task);
    }

    /// The same by a reader of another pool, if one is given.
    pub(crate) fn later_by(
        &mut self,
        pool: Option<&Arc<ReaderPool>>,
        task: impl FnOnce() -> Completion<S> + Send + 'static,
    ) {
        self.in_flight += 1;
        let errand = Errand { completion: None, finish: self.finish.clone(), waker: self.waker.clone() };
        pool.unwrap_or(&self.pool).run(move || errand.ended(task()));
    }

    /// # Panics
    /// A reader panicked: the owner would wait for ever for what it had in hand.
    pub(crate) fn reap(&mut self) -> Option<Completion<S>> {
        let completion = match self.ready.pop_front() {
            Some(completion) => completion,
            None => self.finished.try_recv().ok()?.expect("readers do not panic"),
        };
        self.in_flight -= 1;
        Some(completion)
    }

    /// Whether nothing could be reaped now.
    pub(crate) fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.finished.is_empty()
    }

    pub(crate) fn wait(&mut self) {
        if self.is_empty() {
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

/// What the methods of a [`ReadEngine`](crate::engine::ReadEngine) do that has all its requests in a field `delivery`.
macro_rules! by_delivery {
    ($($store:ident)?) => {
        fn reap(&mut self) -> Option<Completion$(<$store>)?> {
            self.delivery.reap()
        }

        fn wait(&mut self) {
            self.delivery.wait();
        }

        fn waker(&self) -> Waker {
            self.delivery.waker()
        }

        fn in_flight(&self) -> usize {
            self.delivery.in_flight()
        }
    };
}
pub(crate) use by_delivery;

/// A request in the hands of a reader. Delivers what became of it when the reader lets go of it, in whichever way.
struct Errand<S: Store> {
    completion: Option<Completion<S>>,
    finish: Sender<Option<Completion<S>>>,
    waker: Waker,
}

impl<S: Store> Errand<S> {
    fn ended(mut self, completion: Completion<S>) {
        self.completion = Some(completion);
    }
}

impl<S: Store> Drop for Errand<S> {
    fn drop(&mut self) {
        // The engine may be gone: then nobody wants the completion.
        let _ = self.finish.send(self.completion.take());
        self.waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "readers do not panic")]
    fn a_reader_that_panics_is_noticed_by_who_waits_for_it() {
        let mut delivery: Delivery = Delivery::new(ReaderPool::new(1));
        delivery.later(|| panic!("a panic made for a test"));
        loop {
            delivery.wait();
            assert!(delivery.reap().is_none(), "nothing was brought");
        }
    }
}
