//! The thread that takes records: it puts them in order, unless nobody wants that, and hands them to the sink.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use hashlane_record::Outcome;

use crate::control::Stop;
use crate::disk_order;
use crate::error::Error;
use crate::order::Order;
use crate::record_room::pieces_bytes;
use crate::shared::Shared;
use crate::sink::{Halt, Sink, Taken};
use crate::source::Source;
use crate::summary::Summary;
use crate::verdict::Finished;

/// Entries that may be begun beyond the one that all wait for, when no more records can be kept. That one is in the same
/// window of the order in which files are begun as all that may be begun before it.
const GATE: u64 = 64 + disk_order::WINDOW as u64;

/// How soon a stop is noticed when nothing else happens.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Puts records in order and hands them to the sink.
pub(crate) struct Collector<'a, S: Source> {
    pub(crate) shared: &'a Shared<S>,
    pub(crate) order: Order,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) summary: Summary,
    /// Why the sink takes no more, if it does not.
    pub(crate) halt: Option<Halt>,
    /// Entries that have left.
    pub(crate) left: u64,
}

impl<S: Source> Collector<'_, S> {
    /// Takes records until all threads that make some have ended, or the run was stopped.
    pub(crate) fn run(&mut self, finished: &Receiver<Vec<Finished>>) -> Result<(), Error> {
        let control = &self.shared.control;
        let (mut drained, mut ticked) = (None, Instant::now());
        loop {
            match finished.recv_timeout(TICK) {
                Ok(batch) => self.take(batch)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if ticked.elapsed() >= TICK && self.halt.is_none() {
                ticked = Instant::now();
                let taken = self.sink.tick();
                self.note(taken);
            }
            if control.stopped() == Some(Stop::Drained) {
                self.shared.queue.close();
                // Who stops it once more, from above, may have less patience.
                let patience = control.patience();
                let (given, since) = *drained.get_or_insert_with(|| (patience, Instant::now()));
                let most = if self.shared.big.has_unsaved() { patience.1 } else { patience.0 };
                if given != patience {
                    drained = Some((patience, Instant::now()));
                } else if since.elapsed() >= most {
                    control.abort();
                }
            }
            if control.is_aborted() {
                self.shared.queue.close();
                // The source may never let go of its sender; the workers' last batches come at once.
                while let Ok(batch) = finished.recv_timeout(TICK) {
                    self.take(batch)?;
                }
                break;
            }
            // Again without the source: all that the workers had was sent before they ended.
            if control.stopped().is_some() && self.shared.working.load(Ordering::Acquire) == 0 {
                while let Ok(batch) = finished.try_recv() {
                    self.take(batch)?;
                }
                break;
            }
        }
        while !matches!(self.halt, Some(Halt::Failed(_)))
            && let Some(finished) = self.order.pop_any().map_err(Error::Spill)?
        {
            self.deliver(finished);
        }
        Ok(())
    }

    fn take(&mut self, batch: Vec<Finished>) -> Result<(), Error> {
        let bytes = pieces_bytes(&batch);
        if !self.shared.options.in_order {
            batch.into_iter().for_each(|finished| self.deliver(finished));
            self.shared.record_room.give(bytes);
            return Ok(());
        }
        for finished in batch {
            if let Some(next) = self.order.add(finished) {
                self.deliver(next);
            }
        }
        self.shared.record_room.give(bytes);
        while let Some(finished) = self.order.pop().map_err(Error::Spill)? {
            self.deliver(finished);
        }
        let gate = self.order.next_if_full().map_or(u64::MAX, |next| next + GATE);
        if gate > self.shared.gate.swap(gate, Ordering::AcqRel) {
            self.shared.idle.wake_all();
        }
        Ok(())
    }

    fn deliver(&mut self, finished: Finished) {
        self.left += 1;
        self.shared.control.add_done(1);
        let record = match finished {
            Finished::Record(record) => record,
            Finished::Output { .. } => {
                self.summary.skipped.output += 1;
                return;
            }
            Finished::Excluded(excluded) => {
                self.summary.skipped.excluded += 1;
                if self.halt.is_none() {
                    let taken = self.sink.excluded(excluded);
                    self.note(taken);
                }
                return;
            }
        };
        match record.outcome {
            Outcome::Read => self.summary.files += 1,
            Outcome::Unstable(_) => self.summary.unstable += 1,
            Outcome::Disputed(_) | Outcome::Failed(_) => self.summary.failed += 1,
        }
        self.summary.digested_bytes += record.digested_bytes;
        for (index, digest) in record.digests.iter().enumerate() {
            let algorithm = digest.algorithm();
            // One that is asked for twice is computed once.
            if record.digests[..index].iter().any(|earlier| earlier.algorithm() == algorithm) {
                continue;
            }
            self.summary.add_digested(algorithm, record.digested_bytes);
        }
        self.summary.origin += record.origin;
        self.shared.control.add_origin(record.origin);
        if self.halt.is_none() {
            let taken = self.sink.record(record);
            self.note(taken);
        }
    }

    /// Ends the run where the sink takes no more.
    fn note(&mut self, taken: Taken) {
        if let Err(halt) = taken {
            self.halt = Some(halt);
            self.shared.control.abort();
        }
    }
}
