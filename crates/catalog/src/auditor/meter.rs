//! How far an audit is, kept in the row of its stint for whoever looks meanwhile.
//!
//! It is written with each batch of what was read, and at the beginning of each phase. Where no batch comes for some seconds, as while a tree
//! is listed or one large file is read, it is written by itself, and never waits for another process that writes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use super::allowance::Allowance;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::error::Result;
use crate::phase::Phase;
use crate::runs::{Stint, StintId};

/// What was written so long ago is written anew.
const STALE: Duration = Duration::from_secs(2);

/// The rate is that of so much time. One of the whole stint would tell of an hour that is over, and not why it has become slow.
const WINDOW: Duration = Duration::from_secs(60);

/// What was done in a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) files: u64,
    pub(super) bytes: u64,
    /// Bytes that are to be read, where that is known.
    pub(super) planned_bytes: Option<u64>,
}

impl Done {
    /// What was read again. How often a file is read again is known only when that is done.
    pub(super) fn of(allowance: &Allowance) -> Self {
        let (files, bytes) = allowance.read();
        Self { files, bytes, planned_bytes: None }
    }
}

/// Keeps how far an audit is.
#[derive(Debug)]
pub(super) struct Meter {
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
    pub(super) fn new(clock: &Clock) -> Self {
        Self { clock: clock.clone(), of: RefCell::new(None) }
    }

    /// A stint has begun, whose row says so: its tree is listed.
    pub(super) fn begin(&self, stint: Stint) {
        let now = Instant::now();
        let (stint, phase, recent) = (stint.id, Phase::Listing, VecDeque::from([(now, 0)]));
        *self.of.borrow_mut() = Some(State { stint, phase, recent, written: now });
    }

    /// A phase begins.
    pub(super) fn enter(&self, catalog: &Catalog, phase: Phase, done: Done) -> Result<()> {
        if let Some(state) = &mut *self.of.borrow_mut() {
            state.phase = phase;
            state.recent.clear();
        }
        self.write(&catalog.connection, done)
    }

    /// Writes what was done, in the transaction of a batch if there is one.
    pub(super) fn write(&self, connection: &Connection, done: Done) -> Result<()> {
        match &mut *self.of.borrow_mut() {
            Some(state) => state.write(connection, done, self.clock.now_s()),
            None => Ok(()),
        }
    }

    /// The same where there is no batch, if it was not written for long.
    pub(super) fn keep_fresh(&self, catalog: &Catalog, done: impl FnOnce() -> Done) -> Result<()> {
        let is_stale = |state: &State| state.written.elapsed() >= STALE;
        if !self.of.borrow().as_ref().is_some_and(is_stale) {
            return Ok(());
        }
        catalog.write_unless_busy(|connection| self.write(connection, done()))
    }
}

impl State {
    fn write(&mut self, connection: &Connection, done: Done, now_s: i64) -> Result<()> {
        let rate = self.rate(Instant::now(), done.bytes);
        let mut statement = connection.prepare_cached(
            "UPDATE stint SET phase = ?2, files = ?3, bytes = ?4, planned_bytes = ?5, bytes_per_second = ?6, progress_s = ?7 WHERE id = ?1",
        )?;
        statement.execute(params![
            self.stint.0,
            self.phase.number(),
            done.files as i64,
            done.bytes as i64,
            done.planned_bytes.map(|bytes| bytes as i64),
            rate.map(|rate| rate as i64),
            now_s,
        ])?;
        self.written = Instant::now();
        Ok(())
    }

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
    use super::*;
    use crate::collections::Terms;
    use crate::runs::Request;

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
    fn begun() -> (tempfile::TempDir, Catalog, impl Fn(&mut Catalog) -> Stint) {
        let directory = tempfile::tempdir().expect("a directory");
        let mut catalog = Catalog::open_or_make(&directory.path().join("catalog")).expect("made");
        let id = catalog.add_collection(&Terms::new("photos", "/srv"), 1).expect("a new name");
        let request = Request { what: "all".into(), actor: "keeper".into(), reason: String::new() };
        let begin = move |catalog: &mut Catalog| {
            let phase = (None, Some(Phase::Listing));
            catalog.begin_stint_of(id, &request, phase, (1, 1), 0).expect("begun")
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
        let stint = |catalog: &mut Catalog, phase, done| {
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
        let kept = || {
            let sql = "SELECT bytes FROM stint WHERE id = ?1";
            catalog.connection.query_row(sql, [stint.id.0], |row| row.get::<_, i64>(0)).expect("readable")
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
        let other = Connection::open(catalog.path()).expect("opened");
        other.execute_batch("BEGIN IMMEDIATE").expect("begun");
        look(3);
        assert_eq!(kept(), 0, "another process writes");
        other.execute_batch("ROLLBACK").expect("ended");
        look(4);
        assert_eq!(kept(), 4);
        look(5);
        assert_eq!(kept(), 4, "it was written just now");
    }
}
