//! Keeping a thread on one processor while it measures.

use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps this thread, and the threads and programs that it starts, on one processor.
pub(crate) struct OneProcessor {
    before: CpuSet,
}

impl OneProcessor {
    pub(crate) fn hold() -> Result<Self> {
        let before = sched_getaffinity(None).context("where this may run is not told")?;
        let last = (0..CpuSet::MAX_CPU).rev().find(|&processor| before.is_set(processor));
        let mut one = CpuSet::new();
        one.set(last.context("it may run nowhere")?);
        sched_setaffinity(None, &one).context("cannot be kept on one processor")?;
        Ok(Self { before })
    }
}

impl Drop for OneProcessor {
    fn drop(&mut self) {
        // It was allowed before.
        let _ = sched_setaffinity(None, &self.before);
    }
}
