//! How long to wait before a request is made again.

use std::thread;
use std::time::Duration;

/// The first pause, at most; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(100);

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(20);

/// The tries of one request.
#[derive(Debug)]
pub(crate) struct Backoff {
    tried: u32,
    most: u32,
}

impl Backoff {
    /// Tries of a request that a store could not serve for the moment: some ten seconds.
    pub(crate) fn new() -> Self {
        Self { tried: 1, most: 8 }
    }

    /// Waits until the next try; false if there are to be no more. Clients that were turned away together are not to come back
    /// together, so pauses differ.
    pub(crate) fn pause(&mut self) -> bool {
        if self.tried >= self.most {
            return false;
        }
        let longest = FIRST.saturating_mul(1 << (self.tried - 1).min(16)).min(LONGEST);
        thread::sleep(longest.mul_f64(0.5 + fastrand::f64() / 2.0));
        self.tried += 1;
        true
    }

    /// Something was brought: whatever comes next is the first trouble of its kind.
    pub(crate) fn reset(&mut self) {
        self.tried = 1;
    }

    /// Tries no more often than this: what is not there at all seldom comes back at once.
    pub(crate) fn at_most(&mut self, tries: u32) {
        self.most = self.most.min(tries);
    }
}
