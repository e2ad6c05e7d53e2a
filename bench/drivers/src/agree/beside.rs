//! Two programs at once on one processor, where the scheduler has them take turns every few milliseconds, and each counts
//! the processor time that it got. Where others share the machine, its speed may be another one each second: programs that
//! run one after the other find different machines then, and these the same one.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Result, ensure};
use hashlane_measure::Sample;

use crate::one_processor::OneProcessor;

/// Bytes that were worked on, and the processor time that it took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    pub(super) bytes: f64,
    pub(super) seconds: f64,
}

impl Done {
    /// In all samples.
    pub(super) fn of(samples: &[Sample]) -> Self {
        let one = |sample: &Sample| Self {
            bytes: sample.work.bytes as f64,
            seconds: (sample.elapsed.user_ns + sample.elapsed.sys_ns) as f64 / 1e9,
        };
        let mut all = Self::default();
        samples.iter().map(one).for_each(|done| all += done);
        all
    }

    /// Bytes a second of processor time.
    pub(super) fn rate(self) -> Result<f64> {
        ensure!(self.bytes > 0.0 && self.seconds > 0.0, "nothing was done");
        Ok(self.bytes / self.seconds)
    }
}

impl AddAssign for Done {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.seconds += other.seconds;
    }
}

/// Repeats `ours` in this thread until `theirs` has ended in another. Returns the rates of both, by processor time.
pub(super) fn beside(
    mut ours: impl FnMut() -> Result<Done>,
    theirs: impl FnOnce() -> Result<f64> + Send,
) -> Result<(f64, f64)> {
    let _one = OneProcessor::hold()?;
    let has_ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            let rate = theirs();
            has_ended.store(true, Ordering::Release);
            rate
        });
        let mut all = Done::default();
        while !has_ended.load(Ordering::Acquire) {
            all += ours()?;
        }
        let theirs = other.join().expect("it does not panic")?;
        Ok((all.rate()?, theirs))
    })
}
