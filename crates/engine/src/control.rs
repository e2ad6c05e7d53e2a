//! Stopping a run from outside, and watching its progress.

use std::iter;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hashlane_io::Waker;
use hashlane_record::Origin;

/// A handle on a run that other threads may hold.
#[derive(Debug)]
pub struct Control {
    stop: AtomicU8,
    /// Bytes per second, or [`Control::NO_LIMIT`], or [`Control::AS_BEGUN`].
    rate: AtomicU64,
    patience: Duration,
    /// The same while nothing is saved of some of the files that are read.
    patience_for_unsaved: Duration,
    /// What stops this run too, and shows its progress.
    above: Option<Arc<Control>>,
    /// Of the workers that live, with the number of each.
    wakers: Mutex<Vec<(u64, Waker)>>,
    digested_bytes: AtomicU64,
    origin: Mutex<Origin>,
    files_done: AtomicU64,
    files_found: AtomicU64,
    walk_done: AtomicBool,
}

/// A worker that is woken when its run is to stop. A control may outlive thousands of runs below it: each gives its own back.
#[derive(Debug)]
pub(crate) struct Registered {
    control: Arc<Control>,
    number: u64,
}

impl Drop for Registered {
    fn drop(&mut self) {
        for control in self.control.with_those_above() {
            let mut wakers = control.wakers.lock().unwrap_or_else(PoisonError::into_inner);
            wakers.retain(|(number, _)| *number != self.number);
        }
    }
}

/// How a run was stopped, the more abrupt the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Files already begun had some time to finish, [`Stop::PATIENCE`] by default; nothing new was begun.
    Drained,
    /// Everything was dropped at once.
    Aborted,
}

impl Stop {
    /// How long a drained run waits for the files that it has begun, by default.
    pub const PATIENCE: Duration = Duration::from_secs(2);
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Bytes digested so far, once for each byte whatever the number of algorithms.
    pub digested_bytes: u64,
    /// Where the bytes of the files whose records were delivered came from.
    pub origin: Origin,
    /// Files whose records were delivered.
    pub files_done: u64,
    /// Files found so far.
    pub files_found: u64,
    /// Whether all files have been found.
    pub walk_done: bool,
}

impl Default for Control {
    fn default() -> Self {
        Self::new()
    }
}

impl Control {
    /// Nobody has set a rate.
    const AS_BEGUN: u64 = u64::MAX;

    /// Somebody has set that there is none.
    const NO_LIMIT: u64 = u64::MAX - 1;

    /// A control for one run.
    pub fn new() -> Self {
        Self::with_patience(Stop::PATIENCE)
    }

    /// The same, with this much time for a drained run to finish the files that it has begun.
    pub fn with_patience(patience: Duration) -> Self {
        Self::made(patience, None)
    }

    /// A control for one of several runs that are stopped together by `above`, which shows their progress. This one can be stopped by
    /// itself, too.
    pub fn below(above: &Arc<Self>, patience: Duration) -> Self {
        Self::made(patience, Some(Arc::clone(above)))
    }

    fn made(patience: Duration, above: Option<Arc<Self>>) -> Self {
        Self {
            stop: AtomicU8::default(),
            rate: AtomicU64::new(Self::AS_BEGUN),
            patience,
            patience_for_unsaved: patience,
            above,
            wakers: Mutex::default(),
            digested_bytes: AtomicU64::default(),
            origin: Mutex::default(),
            files_done: AtomicU64::default(),
            files_found: AtomicU64::default(),
            walk_done: AtomicBool::default(),
        }
    }

    /// The same, with more time as long as files are in work for which another run would read once more all that was read: those
    /// whose parts have digests of their own, and those for which [`crate::Checkpoints`] has nothing from this run yet. What else
    /// is in work goes on meanwhile.
    #[must_use]
    pub fn waiting_for_unsaved(mut self, patience: Duration) -> Self {
        self.patience_for_unsaved = patience.max(self.patience);
        self
    }

    /// How long a drained run waits for the files that it has begun; and while nothing is saved of some of them.
    pub(crate) fn patience(&self) -> (Duration, Duration) {
        match &self.above {
            Some(above) if above.is_stopped() => above.patience(),
            _ => (self.patience, self.patience_for_unsaved),
        }
    }

    /// Asks the run to begin nothing new, to finish what it can within its patience, and to drop the rest.
    pub fn drain(&self) {
        self.stop.fetch_max(1, Ordering::Release);
        self.wake_all();
    }

    /// Asks the run to drop everything at once.
    pub fn abort(&self) {
        self.stop.fetch_max(2, Ordering::Release);
        self.wake_all();
    }

    /// Whether and how the run was asked to stop.
    pub fn stopped(&self) -> Option<Stop> {
        match self.level() {
            0 => None,
            1 => Some(Stop::Drained),
            _ => Some(Stop::Aborted),
        }
    }

    /// How abruptly it is to stop; 0: not at all.
    fn level(&self) -> u8 {
        let above = self.above.as_ref().map_or(0, |above| above.level());
        self.stop.load(Ordering::Acquire).max(above)
    }

    /// Sets how many bytes are read per second from now on, as [`crate::Options::max_bytes_per_second`] did when the run was begun; `None`:
    /// as many as can be. Runs below this one keep to it, unless theirs was set. It is for those that were begun with a rate, or with
    /// [`crate::Options::rate_may_change`].
    pub fn set_rate(&self, bytes_per_second: Option<u64>) {
        let rate = bytes_per_second.map_or(Self::NO_LIMIT, |rate| rate.min(Self::NO_LIMIT - 1));
        self.rate.store(rate, Ordering::Release);
    }

    /// What was set, if anything was: a rate, or that there is no limit.
    pub fn rate(&self) -> Option<Option<u64>> {
        let set = self.with_those_above().map(|control| control.rate.load(Ordering::Acquire));
        let nearest = set.into_iter().find(|rate| *rate != Self::AS_BEGUN)?;
        Some((nearest != Self::NO_LIMIT).then_some(nearest))
    }

    /// The progress of the run.
    pub fn progress(&self) -> Progress {
        Progress {
            digested_bytes: self.digested_bytes.load(Ordering::Relaxed),
            origin: *self.origin.lock().unwrap_or_else(PoisonError::into_inner),
            files_done: self.files_done.load(Ordering::Relaxed),
            files_found: self.files_found.load(Ordering::Relaxed),
            walk_done: self.walk_done.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn is_aborted(&self) -> bool {
        self.level() >= 2
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.level() > 0
    }

    /// Wakes a worker when the run is to stop, until what is returned is dropped.
    pub(crate) fn register(self: &Arc<Self>, waker: Waker) -> Registered {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);

        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        for control in self.with_those_above() {
            control.wakers.lock().unwrap_or_else(PoisonError::into_inner).push((number, waker.clone()));
        }
        Registered { control: Arc::clone(self), number }
    }

    fn with_those_above(&self) -> impl Iterator<Item = &Self> {
        iter::successors(Some(self), |control| control.above.as_deref())
    }

    pub(crate) fn wake_all(&self) {
        for (_, waker) in self.wakers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            waker.wake();
        }
    }

    pub(crate) fn add_digested(&self, bytes: u64) {
        if let Some(above) = &self.above {
            above.add_digested(bytes);
        }
        self.digested_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn add_origin(&self, origin: Origin) {
        if let Some(above) = &self.above {
            above.add_origin(origin);
        }
        *self.origin.lock().unwrap_or_else(PoisonError::into_inner) += origin;
    }

    pub(crate) fn add_done(&self, files: u64) {
        if let Some(above) = &self.above {
            above.add_done(files);
        }
        self.files_done.fetch_add(files, Ordering::Relaxed);
    }

    /// Takes note that files were found by somebody else than the run, who lists by themselves.
    pub fn add_found(&self, files: u64) {
        for control in self.with_those_above() {
            control.files_found.fetch_add(files, Ordering::Relaxed);
        }
    }

    /// Takes note that all files were found.
    pub fn found_all(&self) {
        self.set_walk_done();
    }

    pub(crate) fn set_found(&self, files: u64) {
        self.files_found.store(files, Ordering::Relaxed);
    }

    pub(crate) fn set_walk_done(&self) {
        self.walk_done.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hashlane_digest::Algorithm;

    use super::*;
    use crate::entry::Input;
    use crate::options::Options;
    use crate::sink::{Sink, Taken};

    /// Counts the wakers of a control while a run is on.
    struct Counting<'a>(&'a Control, usize);

    impl Sink for Counting<'_> {
        fn record(&mut self, _: hashlane_record::Record) -> Taken {
            self.1 = self.1.max(wakers(self.0));
            Ok(())
        }
    }

    fn wakers(control: &Control) -> usize {
        control.wakers.lock().expect("no panic").len()
    }

    #[test]
    fn runs_that_have_ended_leave_no_waker_with_the_control_above_them() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("a");
        fs::write(&path, "abc").expect("write");
        let above = Arc::new(Control::new());
        for _ in 0..2 {
            let control = Arc::new(Control::below(&above, Stop::PATIENCE));
            let mut options = Options::new([Algorithm::CRC32].into());
            options.workers = Some(2);
            // More than may wait for the sink: workers live when the first comes.
            let inputs = vec![Input::Path(path.as_os_str().as_encoded_bytes().into()); 30_000];
            let mut counting = Counting(&above, 0);
            let summary = crate::run::run(options, inputs.into_iter(), &mut counting, &control);
            assert_eq!(summary.expect("a run").files, 30_000);
            assert!((1..=2).contains(&counting.1), "{} at once", counting.1);
            assert_eq!((wakers(&control), wakers(&above)), (0, 0));
        }
    }
}
