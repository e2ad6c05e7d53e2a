//! A model of who wakes whom in a run: the sources of the queue and of the idle workers themselves, between a source and workers that do
//! nothing else. All workers need not be there.
//!
//! Each model ends only where all is done and all threads have ended; loom calls it a deadlock where a thread waits for ever.

#[allow(dead_code)]
#[path = "../../src/disk_order.rs"]
mod disk_order;
#[allow(dead_code, unreachable_pub)]
#[path = "../../src/entry.rs"]
mod entry;
#[allow(dead_code)]
mod queue;

mod profile {
    pub(crate) use hashlane_engine::ReadOrder;
}

use std::collections::VecDeque;
use std::sync::Arc;

use loom::model::Builder;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use entry::{Entry, Location};
use profile::ReadOrder;
use queue::{Idle, Queue, Waker};

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

/// What the threads of a run share.
struct Run {
    queue: Queue,
    idle: Idle,
    /// Workers that the run was planned for.
    planned: usize,
    /// Steps of large files that nobody has taken.
    steps: AtomicUsize,
    /// Those, and the ones that are not done.
    in_work: AtomicUsize,
    /// Entries and steps that are done.
    done: AtomicUsize,
}

impl Run {
    fn new(planned: usize) -> Arc<Self> {
        let none = || AtomicUsize::new(0);
        let (queue, idle) = (Queue::new(ReadOrder::Inputs), Idle::default());
        Arc::new(Self { queue, idle, planned, steps: none(), in_work: none(), done: none() })
    }

    fn start(self: &Arc<Self>, workers: usize, work: fn(&Self, usize)) -> Vec<thread::JoinHandle<()>> {
        let start = |id| {
            let run = Arc::clone(self);
            thread::spawn(move || work(&run, id))
        };
        (0..workers).map(start).collect()
    }

    fn push(&self, numbers: &[u64], tag_bytes: usize) {
        let entry = |&number| {
            let tag = vec![0; tag_bytes].into();
            Entry { number, turn: number, ..Entry::new(Location::Stdin, Arc::new([]), tag) }
        };
        assert!(self.queue.push(&mut numbers.iter().map(entry).collect()));
        self.idle.wake_all();
    }

    fn close(&self) {
        self.queue.close();
        self.idle.wake_all();
    }

    fn is_done(&self) -> bool {
        self.queue.is_exhausted() && self.in_work.load(Ordering::SeqCst) == 0
    }

    /// Works as the workers do until all is done, waiting where there is nothing to do. The first entry is a large file of two steps
    /// if `has_large`.
    fn work(&self, id: usize, has_large: bool) {
        let (waker, mut taken) = (Waker::new(), VecDeque::new());
        loop {
            if self.step() || self.begin(&mut taken, has_large) {
                continue;
            }
            if self.is_done() {
                break;
            }
            let has_work = |_: &mut ()| {
                self.is_done() || !self.queue.is_empty() || self.steps.load(Ordering::SeqCst) > 0
            };
            self.idle.wait(&mut (), (id, waker.clone()), has_work, |_| waker.wait());
        }
        assert!(self.queue.is_empty() && self.in_work.load(Ordering::SeqCst) == 0, "it ends for good");
        self.idle.wake_all();
    }

    fn step(&self) -> bool {
        let take = |steps: usize| steps.checked_sub(1);
        if self.steps.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_err() {
            return false;
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        if self.in_work.fetch_sub(1, Ordering::SeqCst) == 1 {
            // The file is done with.
            self.idle.wake_all();
        }
        true
    }

    fn begin(&self, taken: &mut VecDeque<Entry>, has_large: bool) -> bool {
        if taken.is_empty() {
            self.queue.pop(taken, 2, self.planned);
        }
        let Some(entry) = taken.pop_front() else { return false };
        if has_large && entry.number == 0 {
            self.in_work.fetch_add(2, Ordering::SeqCst);
            self.steps.fetch_add(2, Ordering::SeqCst);
            self.idle.wake_all();
        }
        self.done.fetch_add(1, Ordering::Relaxed);
        self.queue.settle_one();
        true
    }
}

fn join(workers: Vec<thread::JoinHandle<()>>) {
    for worker in workers {
        worker.join().expect("nobody panics");
    }
}

#[test]
fn workers_that_are_there_do_all_and_end() {
    for (present, preemptions) in [(1, 3), (2, 1)] {
        explore(&format!("{present} of 2 workers, two entries"), preemptions, move || {
            let run = Run::new(2);
            let workers = run.start(present, |run, id| run.work(id, false));
            run.push(&[0], 0);
            run.push(&[1], 0);
            run.close();
            join(workers);
            assert_eq!(run.done.load(Ordering::Relaxed), 2);
        });
    }
}

#[test]
fn a_large_file_is_work_for_all_and_nobody_waits_for_its_end_in_vain() {
    for (present, preemptions) in [(1, 3), (2, 1)] {
        explore(&format!("{present} of 2 workers, a large file and an entry"), preemptions, move || {
            let run = Run::new(2);
            let workers = run.start(present, |run, id| run.work(id, true));
            run.push(&[0, 1], 0);
            run.close();
            join(workers);
            assert_eq!(run.done.load(Ordering::Relaxed), 4);
        });
    }
}

#[test]
fn what_is_given_back_is_not_taken_for_settled() {
    explore("two entries are given back while somebody looks", 3, || {
        let run = Run::new(1);
        run.push(&[0, 1, 2, 3], 0);
        run.close();
        let (mut kept, mut taken) = (VecDeque::new(), VecDeque::new());
        run.queue.pop(&mut kept, 4, 1);
        assert_eq!(kept.len(), 2);
        while run.begin(&mut taken, false) {}
        let looks = Arc::clone(&run);
        let looks = thread::spawn(move || assert!(!looks.queue.is_exhausted()));
        run.queue.give_back(&mut kept);
        looks.join().expect("two are left");
    });
}

#[test]
fn a_source_that_waits_for_room_goes_on_when_a_worker_takes_something() {
    /// So many that nothing else has room beside.
    const TAG_BYTES: usize = 32 << 20;

    for (present, preemptions) in [(1, 3), (2, 1)] {
        explore(&format!("{present} of 2 workers, a full queue"), preemptions, move || {
            let run = Run::new(2);
            let workers = run.start(present, |run, id| run.work(id, false));
            run.push(&[0], TAG_BYTES);
            run.push(&[1], 0);
            run.close();
            join(workers);
            assert_eq!(run.done.load(Ordering::Relaxed), 2);
        });
    }
}
