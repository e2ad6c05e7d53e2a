//! Threads that wait for devices, so that nobody else has to.

mod hand_over;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use crate::limits::check_room_for_thread;
use crate::open_file::{FileKind, OpenFile};
use hand_over::HandOver;

/// What the hand-over of tasks is made of. Its model (tests/readers.rs) has its own.
mod sync {
    pub(super) use std::sync::{Condvar, Mutex, MutexGuard};
}

/// A task for a reader: does its waiting and hands its result over by itself.
type Task = Box<dyn FnOnce() + Send>;

/// Readers need little: a few frames of system calls.
const STACK_BYTES: usize = 128 * 1024;

/// A pool of reader threads, started one by one as they are needed and ended with the pool.
pub struct ReaderPool {
    tasks: Arc<HandOver<Task>>,
    stack_bytes: usize,
    /// Turns that are left, where fewer may read than may wait.
    turns: Option<Mutex<usize>>,
    turn_ended: Condvar,
}

impl fmt::Debug for ReaderPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReaderPool").field("turns", &self.turns).finish_non_exhaustive()
    }
}

/// The right to read from a device; another one may when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a ReaderPool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(turns) = &self.0.turns {
            *turns.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            self.0.turn_ended.notify_one();
        }
    }
}

impl ReaderPool {
    /// A pool of at most `limit` threads. `turns` of them at a time read regular files: the others may wait for what takes
    /// no device, such as the writer of a FIFO.
    ///
    /// # Panics
    /// One of them is zero.
    pub fn taking_turns(limit: usize, turns: usize) -> Arc<Self> {
        assert!(turns > 0, "nobody could ever read");
        let mut pool = Self::unshared(limit);
        pool.turns = (turns < limit).then(|| Mutex::new(turns));
        Arc::new(pool)
    }

    /// Waits until a regular file may be read; what lies on no device needs no turn.
    pub(crate) fn turn_for(&self, file: &OpenFile) -> Option<Turn<'_>> {
        (file.facts().kind == FileKind::Regular).then(|| self.turn())
    }

    fn turn(&self) -> Turn<'_> {
        if let Some(turns) = &self.turns {
            let turns = turns.lock().unwrap_or_else(PoisonError::into_inner);
            let wait = self.turn_ended.wait_while(turns, |left| *left == 0);
            *wait.unwrap_or_else(PoisonError::into_inner) -= 1;
        }
        Turn(self)
    }

    /// A pool of at most `limit` threads, none of them started yet.
    ///
    /// # Panics
    /// `limit` is zero.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self::unshared(limit))
    }

    /// The same with stacks of this many bytes, for tasks that do more than to call the system.
    ///
    /// # Panics
    /// `limit` is zero.
    pub fn with_stacks(limit: usize, stack_bytes: usize) -> Arc<Self> {
        let mut pool = Self::unshared(limit);
        pool.stack_bytes = stack_bytes;
        Arc::new(pool)
    }

    fn unshared(limit: usize) -> Self {
        assert!(limit > 0, "a pool needs a reader");
        let tasks = Arc::new(HandOver::new(limit));
        Self { tasks, stack_bytes: STACK_BYTES, turns: None, turn_ended: Condvar::new() }
    }

    /// Hands a task to a reader, starting one if all are busy and the limit allows. If the system has given none, the task
    /// is done by the caller.
    pub fn run(&self, task: impl FnOnce() + Send + 'static) {
        if let Some(task) = self.tasks.bring(Box::new(task), || self.start_reader()) {
            task();
        }
    }

    /// Starts one more reader; false if the system refuses.
    fn start_reader(&self) -> bool {
        let tasks = Arc::clone(&self.tasks);
        let reader = move || {
            while let Some(task) = tasks.take() {
                // Whoever waits for it learns of it when the task is dropped. Others count on this reader.
                let _ = catch_unwind(AssertUnwindSafe(task));
            }
        };
        let builder = thread::Builder::new().name("reader".into()).stack_size(self.stack_bytes);
        check_room_for_thread(self.stack_bytes).and_then(|()| builder.spawn(reader)).is_ok()
    }
}

impl Drop for ReaderPool {
    fn drop(&mut self) {
        self.tasks.close();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use crossbeam_channel::unbounded;

    use super::*;

    /// Longer than anything takes that comes at all.
    const FOR_EVER: Duration = Duration::from_secs(60);

    #[test]
    fn no_more_read_at_a_time_than_have_a_turn() {
        let pool = ReaderPool::taking_turns(8, 2);
        let (reading, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (done, finished) = unbounded();
        for _ in 0..40 {
            let (of, reading, most, done) =
                (Arc::clone(&pool), Arc::clone(&reading), Arc::clone(&most), done.clone());
            pool.run(move || {
                let turn = of.turn();
                most.fetch_max(reading.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                thread::yield_now();
                reading.fetch_sub(1, Ordering::SeqCst);
                drop(turn);
                done.send(()).expect("the test waits");
            });
        }
        assert_eq!(finished.iter().take(40).count(), 40);
        assert!((1..=2).contains(&most.load(Ordering::SeqCst)));
    }

    #[test]
    fn as_many_tasks_wait_at_once_as_the_pool_allows() {
        let pool = ReaderPool::new(4);
        let together = Arc::new(Barrier::new(4));
        let (done, finished) = unbounded();
        for number in 0..8 {
            let (together, done) = (Arc::clone(&together), done.clone());
            pool.run(move || {
                together.wait();
                done.send((number, thread::current().id())).expect("the test waits");
            });
        }
        let (mut seen, readers): (Vec<i32>, HashSet<_>) = finished.iter().take(8).unzip();
        seen.sort_unstable();
        assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(readers.len(), 4);
    }

    #[test]
    fn where_the_system_gives_no_reader_who_brings_a_task_does_it() {
        /// More than any address space has: no thread is ever given.
        const STACK_BYTES: usize = 1 << 60;
        const TASKS: usize = 5_000;

        let pool = ReaderPool::with_stacks(8, STACK_BYTES);
        let done = Arc::new(AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..TASKS {
                        let (brings, done) = (thread::current().id(), Arc::clone(&done));
                        pool.run(move || {
                            assert_eq!(thread::current().id(), brings);
                            done.fetch_add(1, Ordering::Relaxed);
                        });
                    }
                });
            }
        });
        assert_eq!(done.load(Ordering::Relaxed), 2 * TASKS);
    }

    #[test]
    fn a_reader_goes_on_after_a_task_that_panics() {
        let pool = ReaderPool::new(1);
        pool.run(|| panic!("a panic made for a test"));
        let (done, finished) = unbounded();
        pool.run(move || done.send(()).expect("the test waits"));
        assert_eq!(finished.recv_timeout(FOR_EVER), Ok(()));
    }

    #[test]
    fn readers_end_with_their_pool_when_all_is_done() {
        let pool = ReaderPool::new(2);
        let (done, finished) = unbounded();
        for _ in 0..20 {
            let done = done.clone();
            pool.run(move || done.send(()).expect("the test waits"));
        }
        let tasks = Arc::downgrade(&pool.tasks);
        drop((pool, done));
        for task in 0..20 {
            assert_eq!(finished.recv_timeout(FOR_EVER), Ok(()), "task {task}");
        }
        let end = Instant::now() + FOR_EVER;
        while tasks.strong_count() > 0 {
            assert!(Instant::now() < end, "a reader waits for tasks that will not come");
            thread::yield_now();
        }
    }
}
