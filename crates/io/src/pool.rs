//! Threads that wait for devices, so that nobody else has to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::limits::check_room_for_thread;
use crate::open_file::{FileKind, OpenFile};

/// A task for a reader: does its waiting and hands its result over by itself.
type Task = Box<dyn FnOnce() + Send>;

/// Readers need little: a few frames of system calls.
const STACK_BYTES: usize = 128 * 1024;

/// A pool of reader threads, started one by one as they are needed and ended with the pool.
#[derive(Debug)]
pub struct ReaderPool {
    tasks: Sender<Task>,
    waiting: Receiver<Task>,
    limit: usize,
    stack_bytes: usize,
    started: AtomicUsize,
    idle: Arc<AtomicUsize>,
    /// Turns that are left, where fewer may read than may wait.
    turns: Option<Mutex<usize>>,
    turn_ended: Condvar,
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
    /// A pool of at most `limit` threads, of which `turns` at a time read regular files: the others may wait for what takes
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

    /// The same with stacks of so many bytes, for tasks that do more than to call the system.
    ///
    /// # Panics
    /// `limit` is zero.
    pub fn with_stacks(limit: usize, stack_bytes: usize) -> Arc<Self> {
        Arc::new(Self { stack_bytes, ..Self::unshared(limit) })
    }

    fn unshared(limit: usize) -> Self {
        assert!(limit > 0, "a pool needs a reader");
        let (tasks, waiting) = unbounded();
        let (started, idle) = (AtomicUsize::new(0), Arc::default());
        let stack_bytes = STACK_BYTES;
        Self { tasks, waiting, limit, stack_bytes, started, idle, turns: None, turn_ended: Condvar::new() }
    }

    /// Hands a task to a reader, starting one if all are busy and the limit allows. If the system refuses a first
    /// thread, the task is done by the caller.
    pub fn run(&self, task: impl FnOnce() + Send + 'static) {
        let busy = self.waiting.len() >= self.idle.load(Ordering::Acquire);
        if busy && !self.start_reader() && self.started.load(Ordering::Acquire) == 0 {
            task();
            return;
        }
        self.tasks.send(Box::new(task)).expect("the pool holds a receiver itself");
    }

    /// Starts one more reader; false if the limit is reached or the system refuses.
    fn start_reader(&self) -> bool {
        let started = self.started.fetch_add(1, Ordering::AcqRel);
        if started >= self.limit {
            self.started.fetch_sub(1, Ordering::AcqRel);
            return false;
        }
        let waiting = self.waiting.clone();
        let idle = Arc::clone(&self.idle);
        let reader = move || {
            loop {
                idle.fetch_add(1, Ordering::AcqRel);
                let task = waiting.recv();
                idle.fetch_sub(1, Ordering::AcqRel);
                match task {
                    Ok(task) => task(),
                    Err(_) => break,
                }
            }
        };
        let builder = thread::Builder::new().name("reader".into()).stack_size(self.stack_bytes);
        let spawned = check_room_for_thread(self.stack_bytes).and_then(|()| builder.spawn(reader));
        if spawned.is_err() {
            self.started.fetch_sub(1, Ordering::AcqRel);
        }
        spawned.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

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
                done.send(number).expect("the test waits");
            });
        }
        let mut seen: Vec<i32> = finished.iter().take(8).collect();
        seen.sort_unstable();
        assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(pool.started.load(Ordering::Relaxed), 4);
    }
}
