//! How long a store is waited for, and how long to wait before a request is made again.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hashlane_engine::Control;

/// The first pause, at most; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(100);

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(20);

/// How often a request is made again, if nobody says how often or for how long: some ten seconds.
const RETRIES: u32 = 7;

/// The same where a server takes requests and says nothing: each has waited for a minute.
const RETRIES_IN_SILENCE: u32 = 1;

/// How soon a pause ends when the run is to stop.
const LOOK: Duration = Duration::from_millis(100);

/// How long a store is waited for that is away, or cannot serve for the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Patience {
    /// How often a request is made again, at most. `None`: seven times, or any number of times within [`Patience::time`] if that is given.
    pub retries: Option<u32>,
    /// For how long a request is made again, from its first failure on. `None`: only their number counts.
    pub time: Option<Duration>,
    /// How long a server may say nothing, before its answer or within it, until it is asked again.
    pub silence: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { retries: None, time: None, silence: Duration::from_secs(60) }
    }
}

impl Patience {
    /// How often a request is made again, at most. `in_silence`: its server has said nothing.
    fn most(&self, in_silence: bool) -> u32 {
        match (self.retries, self.time) {
            (Some(retries), _) => retries,
            (None, Some(_)) => u32::MAX,
            (None, None) if in_silence => RETRIES_IN_SILENCE,
            (None, None) => RETRIES,
        }
    }
}

/// Who may end the waiting for a store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heeded(Arc<Mutex<Option<Arc<Control>>>>);

impl Heeded {
    /// This run's control, from now on.
    pub(crate) fn set(&self, control: &Arc<Control>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(control));
    }

    fn stopped(&self) -> bool {
        let control = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        control.as_ref().is_some_and(|control| control.stopped().is_some())
    }
}

/// The repetitions of one request.
#[derive(Debug)]
pub(crate) struct Backoff {
    patience: Patience,
    repeated: u32,
    /// When it failed for the first time.
    since: Option<Instant>,
    /// How often its server had answered others by then.
    answers: Option<u64>,
}

impl Backoff {
    pub(crate) fn new(patience: Patience) -> Self {
        Self { patience, repeated: 0, since: None, answers: None }
    }

    /// How often its server had answered others when it failed for the first time. `now`: how often it has.
    pub(crate) fn begun(&mut self, now: impl FnOnce() -> u64) -> u64 {
        *self.answers.get_or_insert_with(now)
    }

    /// Waits until the request may be made again; false if it is not to be. Clients that were turned away together are not to come back
    /// together, so pauses differ.
    pub(crate) fn pause(&mut self, in_silence: bool, heeded: &Heeded) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        let left = self.patience.time.map(|time| time.saturating_sub(since.elapsed()));
        if self.repeated >= self.patience.most(in_silence) || left == Some(Duration::ZERO) {
            return false;
        }
        let longest = FIRST.saturating_mul(1 << self.repeated.min(16)).min(LONGEST);
        let pause = longest.mul_f64(0.5 + fastrand::f64() / 2.0);
        self.repeated += 1;
        // The last one is made when the time is up.
        let end = Instant::now() + left.map_or(pause, |left| left.min(pause));
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match heeded.stopped() {
                true => return false,
                false if left.is_zero() => return true,
                false => thread::sleep(left.min(LOOK)),
            }
        }
    }

    /// Something was brought: whatever comes next is the first trouble of its kind.
    pub(crate) fn reset(&mut self) {
        (self.repeated, self.since, self.answers) = (0, None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often a request is made again that always fails.
    fn repeated(patience: Patience, in_silence: bool) -> usize {
        let mut backoff = Backoff::new(patience);
        std::iter::from_fn(|| backoff.pause(in_silence, &Heeded::default()).then_some(())).count()
    }

    #[test]
    fn numbers_and_times_end_the_waiting() {
        let with = |retries, time| Patience { retries, time, ..Patience::default() };
        assert_eq!([0, 2].map(|retries| repeated(with(Some(retries), None), false)), [0, 2]);
        assert_eq!(repeated(with(Some(2), None), true), 2, "who gives a number means all kinds of trouble");
        assert_eq!(repeated(Patience::default(), true), 1);
        let time = Duration::from_millis(400);
        let begun = Instant::now();
        // A slow machine makes fewer of them.
        assert!((1..=6).contains(&repeated(with(None, Some(time)), false)));
        assert!(begun.elapsed() >= time);
        assert_eq!(repeated(with(Some(1), Some(Duration::from_secs(3600))), false), 1, "whatever ends first");
        assert_eq!((Patience::default().most(false), with(None, Some(time)).most(true)), (7, u32::MAX));
    }

    #[test]
    fn what_was_brought_begins_anew_and_a_stop_ends_it() {
        let patience = Patience { retries: Some(1), ..Patience::default() };
        let (mut backoff, heeded) = (Backoff::new(patience), Heeded::default());
        assert!(backoff.pause(false, &heeded) && !backoff.pause(false, &heeded));
        backoff.reset();
        assert!(backoff.pause(false, &heeded));
        let control = Arc::new(Control::new());
        heeded.set(&control);
        control.drain();
        backoff.reset();
        assert!(!backoff.pause(false, &heeded));
    }
}
