//! A model of how tasks come to readers: the source of the hand-over itself, over primitives whose every interleaving is tried.
//!
//! Each model ends only where all tasks are done and all threads have ended; loom calls it a deadlock where a thread waits for ever.

use std::sync::Arc;

use loom::model::Builder;
use loom::sync::Notify;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;

#[path = "../src/pool/hand_over.rs"]
mod hand_over;

mod sync {
    pub(super) use loom::sync::{Condvar, Mutex, MutexGuard};
}

use hand_over::HandOver;

/// Tries all interleavings with at most this many preemptions, and prints how many there are.
fn explore(what: &str, preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let count = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    let counted = Arc::clone(&count);
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    println!("{what}: {} interleavings", count.load(Ordering::Relaxed));
}

/// What waits for a task to be done, and says that it is.
struct Done {
    is_done: AtomicBool,
    notify: Notify,
}

impl Done {
    fn new() -> Arc<Self> {
        Arc::new(Self { is_done: AtomicBool::new(false), notify: Notify::new() })
    }

    fn say(&self) {
        self.is_done.store(true, Ordering::Release);
        self.notify.notify();
    }

    fn wait(&self) {
        while !self.is_done.load(Ordering::Acquire) {
            self.notify.wait();
        }
    }
}

type Task = Box<dyn FnOnce() + Send>;

/// A pool, and a system that gives this many threads.
struct Pool {
    tasks: HandOver<Task>,
    left: AtomicUsize,
    has_refused: AtomicBool,
}

impl Pool {
    fn new(limit: usize, given: usize) -> Arc<Self> {
        let (left, has_refused) = (AtomicUsize::new(given), AtomicBool::new(false));
        Arc::new(Self { tasks: HandOver::new(limit), left, has_refused })
    }

    fn run(self: &Arc<Self>, task: impl FnOnce() + Send + 'static) {
        let start = || {
            let take = |left: usize| left.checked_sub(1);
            if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
                self.has_refused.store(true, Ordering::Relaxed);
                return false;
            }
            let pool = Arc::clone(self);
            thread::spawn(move || {
                while let Some(task) = pool.tasks.take() {
                    task();
                }
            });
            true
        };
        if let Some(task) = self.tasks.bring(Box::new(task), start) {
            assert!(self.has_refused.load(Ordering::Relaxed), "a reader will live, and nobody waited for it");
            task();
        }
    }
}

/// A thread that brings `tasks` tasks, and waits till each is done.
fn bring(pool: &Arc<Pool>, tasks: usize) {
    for _ in 0..tasks {
        let done = Done::new();
        let says = Arc::clone(&done);
        pool.run(move || says.say());
        done.wait();
    }
}

/// `threads` threads bring `tasks` tasks each.
fn bring_together(threads: usize, tasks: usize, limit: usize, given: usize, preemptions: usize) {
    let what = format!("{threads} threads bring {tasks} each, {given} of {limit} readers are given");
    explore(&what, preemptions, move || {
        let pool = Pool::new(limit, given);
        let others: Vec<_> = (1..threads)
            .map(|_| {
                let pool = Arc::clone(&pool);
                thread::spawn(move || bring(&pool, tasks))
            })
            .collect();
        bring(&pool, tasks);
        for other in others {
            other.join().expect("nobody panics");
        }
        pool.tasks.close();
    });
}

#[test]
fn where_the_system_gives_no_reader_all_tasks_are_done() {
    bring_together(2, 3, 1, 0, 4);
    bring_together(2, 3, 8, 0, 4);
    bring_together(3, 2, 8, 0, 2);
}

#[test]
fn where_the_system_gives_fewer_readers_than_asked_for_all_tasks_are_done() {
    bring_together(2, 1, 1, 1, 3);
    bring_together(2, 2, 2, 1, 1);
    bring_together(3, 1, 2, 1, 1);
    bring_together(2, 1, 2, 2, 2);
}

#[test]
fn a_task_that_waits_for_another_does_not_keep_it_from_a_reader() {
    explore("a task waits for the next one", 2, || {
        let pool = Pool::new(2, 2);
        // So that a reader may wait, be woken, or be about to wait.
        bring(&pool, 1);
        let (first, second) = (Done::new(), Done::new());
        let (waits, says) = (Arc::clone(&second), Arc::clone(&first));
        pool.run(move || {
            waits.wait();
            says.say();
        });
        pool.run(move || second.say());
        first.wait();
        pool.tasks.close();
    });
}
