//! How many requests are on their way at a time: as many as are needed, found by trying.
//!
//! A store far away answers each request after a while, and brings more the more it is asked at a time. One that is near does not, and
//! only has more to do. So the number is raised as long as that pays, and lowered where the store asks for it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a run begins with.
const FIRST: usize = 8;

/// As few as this, whatever the store says.
const LEAST: usize = 2;

/// Answers that are counted before a number is judged: this many, and twice for each that is on its way.
const LEAST_ANSWERS: usize = 16;

/// The shortest time after which it is.
const LEAST_TIME: Duration = Duration::from_millis(20);

/// By how much more has to come for a larger number to be worth it.
const WORTH: f64 = 1.05;

/// After this many judgements a larger number is tried once more: what is far, and how busy, changes.
const REST: u32 = 20;

/// After this long the store may be asked more often again that has asked for less.
const CALM: Duration = Duration::from_secs(5);

/// A number of requests, and what is known of it.
#[derive(Debug)]
struct Need {
    limit: usize,
    most: usize,
    course: Course,
    /// When answers began to be counted, and how many there are.
    since: Duration,
    answers: usize,
    /// Somebody has waited since then: more would have been asked.
    was_short: bool,
    calm_from: Duration,
}

/// How a number came about.
#[derive(Clone, Copy, Debug)]
enum Course {
    /// It was raised from another one, with this rate of answers in a second.
    Raised { from: usize, rate: f64 },
    /// A larger one is not worth it, for this many judgements now.
    Settled { judged: u32 },
}

impl Need {
    fn new(most: usize) -> Self {
        Self {
            limit: FIRST.min(most),
            most,
            course: Course::Raised { from: LEAST.min(most), rate: 0.0 },
            since: Duration::ZERO,
            answers: 0,
            was_short: false,
            calm_from: Duration::ZERO,
        }
    }

    /// Takes note of an answer at a time. `is_short`: somebody waits to ask.
    fn answered(&mut self, now: Duration, is_short: bool) {
        self.answers += 1;
        self.was_short |= is_short;
        let time = now.saturating_sub(self.since);
        if self.answers < LEAST_ANSWERS.max(2 * self.limit) || time < LEAST_TIME {
            return;
        }
        // Where nobody waits, the number makes no difference.
        if self.was_short {
            self.judge(self.answers as f64 / time.as_secs_f64(), now);
        }
        self.begin(now);
    }

    fn judge(&mut self, rate: f64, now: Duration) {
        self.course = match self.course {
            Course::Raised { rate: before, .. } if rate > before * WORTH => self.raised(2, rate, now),
            Course::Raised { from, .. } => {
                self.limit = from;
                Course::Settled { judged: 0 }
            }
            Course::Settled { judged: REST.. } => self.raised(1, rate, now),
            Course::Settled { judged } => Course::Settled { judged: judged + 1 },
        };
    }

    /// Tries a number that is larger by `halves` halves.
    fn raised(&mut self, halves: usize, rate: f64, now: Duration) -> Course {
        let from = self.limit;
        if from == self.most || now < self.calm_from {
            return Course::Settled { judged: 0 };
        }
        self.limit = (from + (from * halves).div_ceil(2)).min(self.most);
        Course::Raised { from, rate }
    }

    /// The store asks to be asked less often.
    fn slow_down(&mut self, now: Duration) {
        // Answers to what was asked before come all at once, and say the same.
        if now < self.calm_from.saturating_sub(CALM) + LEAST_TIME {
            return;
        }
        self.limit = (self.limit / 2).max(LEAST.min(self.most));
        self.course = Course::Settled { judged: 0 };
        self.calm_from = now + CALM;
        self.begin(now);
    }

    fn begin(&mut self, now: Duration) {
        (self.since, self.answers, self.was_short) = (now, 0, false);
    }
}

/// Lets as many ask at a time as are needed.
#[derive(Debug)]
pub(crate) struct Gate {
    started: Instant,
    state: Mutex<State>,
    free: Condvar,
}

#[derive(Debug)]
struct State {
    need: Need,
    on_their_way: usize,
    waiting: usize,
}

impl Gate {
    /// For at most `most` at a time.
    pub(crate) fn new(most: usize) -> Self {
        let state = State { need: Need::new(most), on_their_way: 0, waiting: 0 };
        Self { started: Instant::now(), state: Mutex::new(state), free: Condvar::new() }
    }

    /// Does what asks a store, when it is its turn.
    pub(crate) fn pass<T>(&self, ask: impl FnOnce() -> T) -> T {
        /// Makes room, even where the work panics.
        struct Inside<'a>(&'a Gate);
        impl Drop for Inside<'_> {
            fn drop(&mut self) {
                let mut state = self.0.lock();
                state.on_their_way -= 1;
                let is_short = state.waiting > 0;
                state.need.answered(self.0.started.elapsed(), is_short);
                drop(state);
                // There may be room for more than one.
                self.0.free.notify_all();
            }
        }
        let mut state = self.lock();
        state.waiting += 1;
        while state.on_their_way >= state.need.limit {
            state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
        state.on_their_way += 1;
        drop(state);
        let _inside = Inside(self);
        ask()
    }

    /// The store asks to be asked less often.
    pub(crate) fn slow_down(&self) {
        self.lock().need.slow_down(self.started.elapsed());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number after some time, at a store that answers after `latency`, and a limit of requests in a second.
    fn after(need: &mut Need, now: &mut Duration, time: Duration, latency: Duration, most_a_second: f64) {
        let end = *now + time;
        while *now < end {
            let rate = (need.limit as f64 / latency.as_secs_f64()).min(most_a_second);
            *now += Duration::from_secs_f64(1.0 / rate);
            need.answered(*now, true);
        }
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn as_many_as_a_store_far_away_needs() {
        let (mut need, mut now) = (Need::new(128), Duration::ZERO);
        after(&mut need, &mut now, SECOND * 3, Duration::from_millis(100), f64::INFINITY);
        assert_eq!(need.limit, 128);
        // One that brings no more than 400 a second needs 40 at a time.
        let (mut need, mut now) = (Need::new(128), Duration::ZERO);
        after(&mut need, &mut now, SECOND * 3, Duration::from_millis(100), 400.0);
        assert!((32..=64).contains(&need.limit), "{}", need.limit);
    }

    #[test]
    fn a_near_store_is_not_asked_for_more_than_it_brings() {
        let (mut need, mut now) = (Need::new(128), Duration::ZERO);
        after(&mut need, &mut now, SECOND, Duration::from_micros(300), 4000.0);
        assert!(need.limit <= 16, "{}", need.limit);
    }

    #[test]
    fn a_number_grows_when_the_store_is_farther_away_than_before() {
        let (mut need, mut now) = (Need::new(128), Duration::ZERO);
        after(&mut need, &mut now, SECOND, Duration::from_micros(300), 4000.0);
        after(&mut need, &mut now, SECOND * 60, Duration::from_millis(50), 4000.0);
        assert!(need.limit > 64, "{}", need.limit);
    }

    #[test]
    fn a_store_that_asks_for_less_is_asked_less() {
        let (mut need, mut now) = (Need::new(64), Duration::ZERO);
        after(&mut need, &mut now, SECOND * 2, Duration::from_millis(100), f64::INFINITY);
        assert_eq!(need.limit, 64);
        need.slow_down(now);
        need.slow_down(now + Duration::from_millis(1));
        assert_eq!(need.limit, 32, "once for all that were on their way");
        after(&mut need, &mut now, CALM / 2, Duration::from_millis(100), f64::INFINITY);
        assert_eq!(need.limit, 32, "not at once again");
        for _ in 0..10 {
            now += SECOND;
            need.slow_down(now);
        }
        assert_eq!(need.limit, LEAST);
    }

    #[test]
    fn where_nobody_waits_the_number_stays() {
        let mut need = Need::new(64);
        for number in 1..1000 {
            need.answered(Duration::from_millis(10 * number), false);
        }
        assert_eq!(need.limit, FIRST);
    }

    #[test]
    fn all_have_their_turn_and_no_more_at_a_time_than_there_may_be() {
        use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
        let (gate, now, most, done) =
            (Gate::new(3), AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        gate.pass(|| {
                            most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                            std::thread::yield_now();
                            now.fetch_sub(1, SeqCst);
                            done.fetch_add(1, SeqCst);
                        });
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 1000);
        assert!((1..=3).contains(&most.into_inner()));
    }
}
