//! The intake: inputs become numbered entries.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;
use hashlane_io::Place as _;
use hashlane_record::{Failure, ItemPath, Outcome, Record};

use crate::descriptors::PAUSES;
use crate::entry::{Entry, Excluded, Input, Location};
use crate::lister::Lister;
use crate::shared::Shared;
use crate::slice::{Progress, Turn};
use crate::source::{PlaceOf, Source};
use crate::summary::Skipped;
use crate::verdict::Finished;

/// Entries handed over at once: few enough that workers start early, enough that the queue's lock is cheap.
const BATCH: usize = 64;

/// Turns inputs into entries and puts them into the queue.
pub(crate) struct Intake<S: Source> {
    shared: Arc<Shared<S>>,
    records: Sender<Vec<Finished>>,
    batch: Vec<Entry<S::Store>>,
    failures: Vec<Finished>,
    next: u64,
    /// How often it still pauses for want of descriptors before a directory fails.
    pauses_left: u32,
    /// How far it is towards what is to be read, where that is not everything.
    slice: Option<Progress>,
}

impl<S: Source> Intake<S> {
    pub(crate) fn new(shared: Arc<Shared<S>>, records: Sender<Vec<Finished>>) -> Self {
        let slice = shared.options.slice.clone().map(Progress::new);
        Self { shared, records, batch: Vec::new(), failures: Vec::new(), next: 0, pauses_left: PAUSES, slice }
    }

    /// Hands out all inputs, closes the queue, and returns what listings passed over.
    pub(crate) fn run(mut self, inputs: impl Iterator<Item = Input<S::Base>>) -> Skipped {
        let mut skipped = Skipped::default();
        for input in inputs {
            if self.slice.as_ref().is_some_and(Progress::is_over) {
                break;
            }
            let flow = self.input(input, &mut skipped);
            // The next name of a list may be long in coming, or come only after the record of this one.
            self.flush();
            if flow.is_break() {
                break;
            }
        }
        if self.slice.as_ref().is_some_and(|slice| !slice.is_as_surveyed()) {
            self.shared.has_other_listing.store(true, Ordering::Release);
        }
        self.shared.control.set_found(self.next);
        self.shared.control.set_walk_done();
        self.shared.queue.close();
        self.shared.idle.wake_all();
        skipped
    }

    fn input(&mut self, input: Input<S::Base>, skipped: &mut Skipped) -> ControlFlow<()> {
        match input {
            Input::Path(path) => {
                let shared = Arc::clone(&self.shared);
                let (passed_over, flow) = shared.source.list(&path, &shared.options.walk, self);
                *skipped += passed_over;
                flow
            }
            Input::File { path, base, algorithms, division, tag } => {
                if let Some(flow) = self.passes_over(|| path.as_bytes().to_vec()) {
                    return flow;
                }
                match self.shared.source.place(&path, base) {
                    Ok(place) => {
                        self.push(Entry { division, ..Entry::new(Location::At(place), algorithms, tag) })
                    }
                    Err(failure) => {
                        let path = self.shared.source.shown(path);
                        self.record_failure(path, failure, tag)
                    }
                }
            }
            Input::Excluded { path, tag } => {
                if let Some(flow) = self.passes_over(|| path.as_bytes().to_vec()) {
                    return flow;
                }
                let (number, path) = (self.next, self.shared.source.shown(path));
                self.finish_at_once(Finished::Excluded(Excluded { number, path, tag }))
            }
            Input::Stdin { tag, algorithms, division } => {
                self.push(Entry { division, ..Entry::new(Location::Stdin, algorithms, tag) })
            }
        }
    }

    /// What becomes of a listing by something that is not to be read: it goes on, or ends behind what is. `None` if it is.
    fn passes_over(&mut self, name: impl FnOnce() -> Vec<u8>) -> Option<ControlFlow<()>> {
        match self.slice.as_mut()?.next(&name()) {
            Turn::Before => Some(self.goes_on()),
            Turn::Taken => None,
            Turn::Over => Some(ControlFlow::Break(())),
        }
    }

    fn push(&mut self, entry: Entry<S::Store>) -> ControlFlow<()> {
        self.batch.push(Entry { number: self.next, turn: self.next, ..entry });
        self.next += 1;
        if self.batch.len() >= BATCH {
            self.flush_batch();
        }
        self.goes_on()
    }

    fn record_failure(&mut self, path: ItemPath, failure: Failure, tag: Box<[u8]>) -> ControlFlow<()> {
        self.finish_at_once(Finished::Record(Record {
            number: self.next,
            path,
            outcome: Outcome::Failed(failure),
            facts: None,
            digests: Vec::new(),
            pieces: None,
            digested_bytes: 0,
            origin: Default::default(),
            medium: Default::default(),
            state: None,
            tag,
        }))
    }

    /// Hands over what needs no worker: the next in the order.
    fn finish_at_once(&mut self, finished: Finished) -> ControlFlow<()> {
        self.wait_at_the_gate();
        self.failures.push(finished);
        self.next += 1;
        if self.failures.len() >= BATCH {
            self.flush_failures();
        }
        self.goes_on()
    }

    fn goes_on(&self) -> ControlFlow<()> {
        if self.shared.control.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Waits while too many records wait for an earlier one: a failure is a record, and goes to nobody who would wait.
    fn wait_at_the_gate(&mut self) {
        /// There is no disk for temporary files: what matters is that the run comes to its end at all.
        const PAUSE: Duration = Duration::from_millis(1);
        while !self.shared.may_begin(self.next) && !self.shared.control.is_stopped() {
            Lister::flush(self);
            thread::sleep(PAUSE);
        }
    }

    fn flush_batch(&mut self) {
        if !self.batch.is_empty() && self.shared.queue.push(&mut self.batch) {
            self.shared.control.set_found(self.next);
            self.shared.idle.wake_all();
        }
    }

    fn flush_failures(&mut self) {
        if !self.failures.is_empty() {
            // Nobody receives any more: the run was aborted, and its records with it.
            let _ = self.records.send(std::mem::take(&mut self.failures));
        }
    }
}

impl<S: Source> Lister<S::Store> for Intake<S> {
    fn found(&mut self, place: PlaceOf<S>, inode: u64) -> ControlFlow<()> {
        if let Some(flow) = self.passes_over(|| place.printed()) {
            return flow;
        }
        let (algorithms, division) =
            (Arc::clone(&self.shared.options.algorithms), self.shared.options.division);
        self.push(Entry { inode, division, ..Entry::new(Location::At(place), algorithms, Box::default()) })
    }

    fn failed(&mut self, path: ItemPath, failure: Failure) -> ControlFlow<()> {
        if let Some(flow) = self.passes_over(|| path.as_bytes().to_vec()) {
            return flow;
        }
        self.record_failure(path, failure, Box::default())
    }

    fn flush(&mut self) {
        self.flush_batch();
        self.flush_failures();
    }

    fn waits_for_descriptor(&mut self) -> bool {
        if self.shared.control.is_stopped() {
            return false;
        }
        if !self.shared.queue.is_settled() || !self.shared.big.is_idle(false) {
            // Files that are read give theirs back.
            self.pauses_left = PAUSES;
            return true;
        }
        // Who else has them does not say when.
        let waits = self.pauses_left > 0;
        self.pauses_left = self.pauses_left.saturating_sub(1);
        waits
    }
}
