//! How far an audit is, kept in the row of its stint for whoever looks meanwhile.
//!
//! It is written with each batch of what was read, and at the beginning of each phase. Where no batch comes for some seconds, as while a tree
//! is listed or one large file is read, it is written by itself, and never waits for another process that writes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use hashlane_catalog::{Batch, Clock, Phase, Result, Stint, StintId, StintProgress, Writer};

use crate::allowance::Allowance;

/// What was written this long ago is written anew.
const STALE: Duration = Duration::from_secs(2);

/// The rate covers this much time. One of the whole stint would show an hour that is over, and not why it has become slow.
const WINDOW: Duration = Duration::from_secs(60);

/// What was done in a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    /// Bytes that are to be read, where that is known.
    pub(crate) planned_bytes: Option<u64>,
}

impl Done {
    /// What was read again. How often a file is read again is known only when that is done.
    pub(crate) fn of(allowance: &Allowance) -> Self {
        let (files, bytes) = allowance.read();
        Self { files, bytes, planned_bytes: None }
    }
}

/// Keeps how far an audit is.
#[derive(Debug)]
pub(crate) struct Meter {
    clock: Clock,
    /// Nothing of an audit that records nothing.
    of: RefCell<Option<State>>,
}

#[derive(Debug)]
struct State {
    stint: StintId,
    phase: Phase,
    /// When how many bytes were done, within the window.
    recent: VecDeque<(Instant, u64)>,
    written: Instant,
}

impl Meter {
    pub(crate) fn new(clock: &Clock) -> Self {
        Self { clock: clock.clone(), of: RefCell::new(None) }
    }

    /// A stint has begun, whose row says so: its tree is listed.
    pub(crate) fn begin(&self, stint: Stint) {
        let now = Instant::now();
        let (stint, phase, recent) = (stint.id, Phase::Listing, VecDeque::from([(now, 0)]));
        *self.of.borrow_mut() = Some(State { stint, phase, recent, written: now });
    }

    /// A phase begins.
    pub(crate) fn enter(&self, catalog: &Writer, phase: Phase, done: Done) -> Result<()> {
        if let Some(state) = &mut *self.of.borrow_mut() {
            state.phase = phase;
            state.recent.clear();
        }
        match self.progress(done) {
            Some((stint, progress)) => catalog.keep_progress(stint, &progress),
            None => Ok(()),
        }
    }

    /// Writes what was done with the rest of a batch.
    pub(crate) fn write(&self, batch: &Batch<'_>, done: Done) -> Result<()> {
        match self.progress(done) {
            Some((_, progress)) => batch.keep_progress(&progress),
            None => Ok(()),
        }
    }

    /// The same where there is no batch, if it was not written for long.
    pub(crate) fn keep_fresh(&self, catalog: &Writer, done: impl FnOnce() -> Done) -> Result<()> {
        let before = self.of.borrow().as_ref().map(|state| state.written);
        let Some(before) = before.filter(|written| written.elapsed() >= STALE) else { return Ok(()) };
        let Some((stint, progress)) = self.progress(done()) else { return Ok(()) };
        if !catalog.keep_progress_unless_busy(stint, &progress)?
            && let Some(state) = &mut *self.of.borrow_mut()
        {
            state.written = before;
        }
        Ok(())
    }

    /// What is written now, and for which stint; nothing for an audit that records nothing.
    fn progress(&self, done: Done) -> Option<(StintId, StintProgress)> {
        let mut of = self.of.borrow_mut();
        let state = of.as_mut()?;
        let now = Instant::now();
        let (phase, bytes_per_second) = (state.phase, state.rate(now, done.bytes));
        state.written = now;
        let Done { files, bytes, planned_bytes } = done;
        let at_s = self.clock.now_s();
        Some((state.stint, StintProgress { phase, files, bytes, planned_bytes, bytes_per_second, at_s }))
    }
}

impl State {
    /// Bytes per second since the beginning of the window, or of the phase; nothing at that moment, and where nothing is read.
    fn rate(&mut self, now: Instant, bytes: u64) -> Option<u64> {
        let is_reading = matches!(self.phase, Phase::Reading | Phase::ReadingAgain);
        self.recent.push_back((now, bytes));
        while self.recent.len() > 2 && self.recent.front().is_some_and(|(then, _)| now - *then > WINDOW) {
            self.recent.pop_front();
        }
        let (then, before) = *self.recent.front()?;
        let time = now.duration_since(then).as_secs_f64();
        (is_reading && time > 0.0).then(|| (bytes.saturating_sub(before) as f64 / time).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use hashlane_catalog::{Beginning, Reader, Request, Terms};

    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_minute() {
        let begin = Instant::now();
        let mut state =
            State { stint: StintId(1), phase: Phase::Reading, recent: VecDeque::new(), written: begin };
        let at = |seconds| begin + Duration::from_secs(seconds);
        assert_eq!(state.rate(at(0), 0), None, "no time has passed");
        assert_eq!(state.rate(at(10), 1000), Some(100));
        assert_eq!(state.rate(at(50), 5000), Some(100));
        // Since then nothing has come.
        assert_eq!(state.rate(at(100), 5000), Some(0));
        assert_eq!(state.rate(at(101), 5100), Some(2));
        // After a long time without a look, the last one is what there is to compare with.
        assert_eq!(state.rate(at(1000), 50_100), Some(50));
        state.phase = Phase::Ending;
        assert_eq!(state.rate(at(1001), 60_000), None);
    }

    /// A catalogue, and what begins one stint of the same run after the other.
    fn begun() -> (tempfile::TempDir, Writer, impl Fn(&mut Writer) -> Stint) {
        let directory = tempfile::tempdir().expect("a directory");
        let mut catalog = Writer::open_or_make(&directory.path().join("catalog")).expect("made");
        let id = catalog.add_collection(&Terms::new("photos", "/srv"), 1).expect("a new name");
        let request = Request { what: "all".into(), actor: "keeper".into(), reason: String::new() };
        let begin = move |catalog: &mut Writer| {
            let beginning =
                Beginning { root: None, phase: Some(Phase::Listing), now_s: 1, read_s: 1, since_s: 0 };
            catalog.begin_stint_of(id, &request, beginning).expect("begun")
        };
        (directory, catalog, begin)
    }

    fn bytes(bytes: u64) -> Done {
        Done { files: 1, bytes, planned_bytes: None }
    }

    #[test]
    fn a_stint_that_goes_on_knows_what_those_before_it_have_read() {
        let (_directory, mut catalog, begin) = begun();
        let meter = Meter::new(&Clock::new(|| 2));
        let stint = |catalog: &mut Writer, phase, done| {
            let stint = begin(catalog);
            meter.begin(stint);
            let before = catalog.read_before(stint).expect("readable");
            meter.enter(catalog, phase, bytes(done)).expect("written");
            before
        };
        assert_eq!(stint(&mut catalog, Phase::Reading, 70), 0);
        // What was listed or read again is not what was read.
        assert_eq!(stint(&mut catalog, Phase::Listing, 1000), 70);
        assert_eq!(stint(&mut catalog, Phase::ReadingAgain, 500), 70);
        assert_eq!(stint(&mut catalog, Phase::Ending, 30), 70);
        assert_eq!(stint(&mut catalog, Phase::Reading, 0), 100);
    }

    #[test]
    fn it_is_written_when_it_is_stale_and_nobody_else_writes() {
        let (_directory, mut catalog, begin) = begun();
        let (stint, meter) = (begin(&mut catalog), Meter::new(&Clock::new(|| 2)));
        let collection = catalog.collection("photos").expect("it is there");
        let _lock = catalog.lock(&collection, 1).expect("nobody has it");
        let reader = Reader::open(catalog.path()).expect("readable");
        let kept = || {
            let running = reader.running(&collection).expect("readable");
            running.expect("it has the lock and a stint").bytes
        };
        // Of what records nothing, nothing is kept.
        meter.enter(&catalog, Phase::Reading, bytes(1)).expect("nothing to do");
        assert_eq!(kept(), 0);
        meter.begin(stint);
        let look = |done| meter.keep_fresh(&catalog, || bytes(done)).expect("it fails for nothing");
        look(2);
        assert_eq!(kept(), 0, "it was written just now");
        let age = || {
            let long_ago = Instant::now().checked_sub(STALE).expect("the machine has run for so long");
            meter.of.borrow_mut().as_mut().expect("it has begun").written = long_ago;
        };
        age();
        let mut other = Writer::open(catalog.path()).expect("opened");
        let writing = other.batch(collection.id, stint).expect("begun");
        look(3);
        assert_eq!(kept(), 0, "another process writes");
        drop(writing);
        look(4);
        assert_eq!(kept(), 4);
        look(5);
        assert_eq!(kept(), 4, "it was written just now");
    }
}
