//! Memory for the digests of pieces in records on their way to the sink.
//!
//! All else of a record is small, so what is on its way is bounded by its number. The pieces of a single file may have 128 MiB of
//! digests.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::verdict::Finished;

/// Bytes of digests of pieces on their way at once. One record may have more, if no other has any.
const MOST_BYTES: usize = 16 << 20;

/// How soon a run that is over is noticed.
const TICK: Duration = Duration::from_millis(100);

/// What is taken by records that were handed over and have not come to be put in order.
#[derive(Debug, Default)]
pub(crate) struct RecordRoom {
    held: Mutex<usize>,
    given_back: Condvar,
}

impl RecordRoom {
    /// Takes this many bytes, and waits for them unless the run is over.
    pub(crate) fn take(&self, bytes: usize, is_over: impl Fn() -> bool) {
        if bytes == 0 {
            return;
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        while *held > 0 && *held + bytes > MOST_BYTES && !is_over() {
            held = match self.given_back.wait_timeout(held, TICK) {
                Ok((held, _)) => held,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        *held += bytes;
    }

    /// Gives back what was taken.
    pub(crate) fn give(&self, bytes: usize) {
        if bytes > 0 {
            *self.held.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
            self.given_back.notify_all();
        }
    }
}

/// Bytes of the digests of pieces in some records.
pub(crate) fn pieces_bytes(records: &[Finished]) -> usize {
    let of_record = |finished: &Finished| match finished {
        Finished::Record(record) => record.pieces.as_ref().map_or(0, |pieces| pieces.memory_bytes()),
        _ => 0,
    };
    records.iter().map(of_record).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn what_is_on_its_way_is_bounded_and_one_may_be_larger() {
        let (room, most) = (RecordRoom::default(), AtomicUsize::new(0));
        room.take(3 * MOST_BYTES, || false);
        room.give(3 * MOST_BYTES);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        room.take(MOST_BYTES / 3, || false);
                        most.fetch_max(*room.held.lock().expect("nobody panics"), Ordering::Relaxed);
                        thread::yield_now();
                        room.give(MOST_BYTES / 3);
                    }
                });
            }
        });
        assert!(most.into_inner() <= MOST_BYTES);
        room.take(MOST_BYTES, || false);
        room.take(1, || true);
    }
}
