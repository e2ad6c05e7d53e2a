//! The queue between the source and the workers, and the workers that wait for work.

mod entries;
mod idle;

use std::sync::PoisonError;

pub(crate) use entries::Queue;
pub(crate) use idle::Idle;
use sync::{Mutex, MutexGuard};

/// What both are made of. Their model (tests/waking) has its own.
mod sync {
    pub(super) use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
    pub(super) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

    pub(super) use hashlane_io::Waker;
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use std::thread;

    use super::entries::TAGS_BYTES;
    use super::*;
    use crate::entry::{Entry, Location};
    use crate::profile::ReadOrder;

    fn entry(number: u64, tag_bytes: usize) -> Entry {
        let algorithms = Arc::new([]);
        let tag = vec![0; tag_bytes].into();
        Entry { number, turn: number, ..Entry::new(Location::Stdin, algorithms, tag) }
    }

    #[test]
    fn long_tags_make_the_source_wait_and_no_tag_is_too_long() {
        for order in [ReadOrder::Inputs, ReadOrder::OnDisk] {
            let queue = Queue::new(order);
            thread::scope(|scope| {
                let source = scope.spawn(|| {
                    for number in 0..20 {
                        let bytes = if number == 7 { 2 * TAGS_BYTES } else { TAGS_BYTES / 3 };
                        assert!(queue.push(&mut vec![entry(number, bytes)]));
                        let held = queue.tags_bytes.load(Ordering::Relaxed);
                        assert!(held < TAGS_BYTES + bytes, "{held}");
                    }
                    queue.close();
                });
                let mut taken = VecDeque::new();
                let mut numbers = Vec::new();
                while !(queue.is_closed() && queue.is_empty()) {
                    queue.pop(&mut taken, 2, 1);
                    if numbers.len() == 3 {
                        queue.give_back(&mut taken);
                        queue.pop(&mut taken, 1, 1);
                    }
                    numbers.extend(taken.drain(..).map(|entry| entry.number));
                    thread::yield_now();
                }
                source.join().expect("the source ends");
                assert_eq!(numbers, (0..20).collect::<Vec<_>>(), "{order:?}");
            });
            assert_eq!(queue.tags_bytes.load(Ordering::Relaxed), 0);
        }
    }
}
