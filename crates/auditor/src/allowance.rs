//! How much may be read again in a run.
//!
//! The budget of a run is for reading its files once. What differs is read again on top of that, but not for ever: until the time is over,
//! and at most as many bytes and files again as the budget has, or as it says itself. What is left waits for the next audit. So that it
//! does not wait for ever, one file is read again in each run whatever the budget says.
//!
//! What is read again is read to its end, two or three times, and cannot be put aside. A huge file would take far more than the budget, or
//! be begun in each run and never ended. So one that is larger than 1 GiB, and than all that the run has read, is not begun where the time
//! is limited, or where it is larger than all bytes that may be read again. It waits for a run without that limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use hashlane_engine::Control;

use crate::asked::Budget;
use crate::limit::PATIENCE;

/// A file of up to this many bytes is read again whatever the budget is.
const ANY_CASE_BYTES: u64 = 1 << 30;

/// What may be read again, and what was.
#[derive(Debug)]
pub(crate) struct Allowance {
    /// When nothing more is begun, and bytes and files that are read again at most.
    until: Option<Instant>,
    most_bytes: Option<u64>,
    most_files: Option<u64>,
    /// What stops the whole audit.
    audit: Arc<Control>,
    /// What stops the reading again when the time is over, and nothing else.
    reading: Arc<Control>,
    /// Bytes that the run has read without this.
    run_bytes: AtomicU64,
    /// Files and bytes that were handed out and did not fail since.
    handed_files: AtomicU64,
    handed_bytes: AtomicU64,
    /// A file had all the readings that it needed.
    has_progress: AtomicBool,
    /// Files were left to the next audit.
    is_used_up: AtomicBool,
    /// Files and bytes that were read.
    files: AtomicU64,
    bytes: AtomicU64,
}

impl Allowance {
    pub(crate) fn new(budget: &Budget, audit: &Arc<Control>) -> Self {
        Self {
            until: budget.until,
            most_bytes: budget.reread_bytes.or(budget.bytes),
            most_files: budget.reread_files.or(budget.files),
            audit: Arc::clone(audit),
            reading: Arc::new(Control::below(audit, PATIENCE)),
            run_bytes: AtomicU64::new(0),
            handed_files: AtomicU64::new(0),
            handed_bytes: AtomicU64::new(0),
            has_progress: AtomicBool::new(false),
            is_used_up: AtomicBool::new(false),
            files: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        }
    }

    /// What stops the next reading: nothing but a stop of the audit, as long as none has come to anything.
    pub(crate) fn control(&self) -> &Arc<Control> {
        if self.has_progress() { &self.reading } else { &self.audit }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.audit.stopped().is_some()
    }

    pub(crate) fn has_progress(&self) -> bool {
        self.has_progress.load(Ordering::Acquire)
    }

    /// A file had all the readings that it needed.
    pub(crate) fn note_progress(&self) {
        self.has_progress.store(true, Ordering::Release);
    }

    /// One more file is read again, whatever the budget says.
    pub(crate) fn grant_one_more(&self) {
        self.has_progress.store(false, Ordering::Release);
    }

    /// Whether files were left to the next audit.
    pub(crate) fn is_used_up(&self) -> bool {
        self.is_used_up.load(Ordering::Acquire)
    }

    /// Takes note that files are left to the next audit.
    pub(crate) fn leave(&self) {
        self.is_used_up.store(true, Ordering::Release);
    }

    /// Takes note of what the run has read.
    pub(crate) fn note_run(&self, bytes: u64) {
        self.run_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Whether a file waits for a run that has another budget, or none.
    pub(crate) fn is_too_large(&self, size_bytes: u64) -> bool {
        let is_limited = self.until.is_some() || self.most_bytes.is_some_and(|most| size_bytes > most);
        is_limited && size_bytes > ANY_CASE_BYTES.max(self.run_bytes.load(Ordering::Relaxed))
    }

    /// Whether nothing more may be begun.
    pub(crate) fn is_over(&self) -> bool {
        let files = self.handed_files.load(Ordering::Relaxed);
        let bytes = self.handed_bytes.load(Ordering::Relaxed);
        self.is_late()
            || self.most_files.is_some_and(|most| files >= most)
            || self.most_bytes.is_some_and(|most| bytes >= most)
    }

    /// Takes a file into account. `false`: it is not to be begun. `is_begun`: it has to be read once more, or in another way.
    pub(crate) fn affords(&self, size_bytes: u64, is_begun: bool) -> bool {
        let bytes = self.handed_bytes.load(Ordering::Relaxed).saturating_add(size_bytes);
        let is_too_much = self.most_bytes.is_some_and(|most| bytes > most);
        // What was read of it already would be read again.
        if self.has_progress() && !is_begun && (self.is_over() || is_too_much) {
            return false;
        }
        self.handed_files.fetch_add(u64::from(!is_begun), Ordering::Relaxed);
        self.handed_bytes.fetch_add(size_bytes, Ordering::Relaxed);
        true
    }

    /// A file that was handed out could not be read in the way that was meant.
    pub(crate) fn take_back(&self, size_bytes: u64) {
        self.handed_bytes.fetch_sub(size_bytes, Ordering::Relaxed);
    }

    /// Takes note of what was read. `is_first`: the file was not read again before.
    pub(crate) fn note_read(&self, bytes: u64, is_first: bool) {
        self.files.fetch_add(u64::from(is_first), Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Ends what is read again if the time is over.
    pub(crate) fn look_at_time(&self) {
        if self.is_late() {
            self.reading.drain();
        }
    }

    /// Files and bytes that were read again.
    pub(crate) fn read(&self) -> (u64, u64) {
        (self.files.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowance(bytes: Option<u64>, files: Option<u64>) -> Allowance {
        Allowance::new(&Budget { bytes, files, ..Budget::default() }, &Arc::new(Control::new()))
    }

    #[test]
    fn one_file_is_read_again_whatever_the_budget_says() {
        let allowance = allowance(Some(0), Some(0));
        assert!(allowance.affords(1000, false));
        allowance.note_progress();
        assert!(!allowance.affords(1, false));
    }

    #[test]
    fn as_much_again_as_the_budget_has() {
        let allowance = allowance(Some(1000), None);
        allowance.note_progress();
        assert!(allowance.affords(600, false));
        assert!(!allowance.affords(600, false), "more than there is");
        assert!(allowance.affords(600, true), "what is begun is ended");
        allowance.take_back(600);
        assert!(allowance.affords(400, false) && !allowance.affords(1, false));
    }

    #[test]
    fn what_is_set_for_reading_again_holds_in_place_of_the_budget() {
        let (bytes, files, reread) = (Some(1000), Some(9), Some(100));
        let budget =
            Budget { bytes, files, reread_bytes: reread, reread_files: Some(2), ..Budget::default() };
        let allowance = Allowance::new(&budget, &Arc::new(Control::new()));
        allowance.note_progress();
        assert!(!allowance.affords(101, false));
        assert!(allowance.affords(1, false) && allowance.affords(1, false));
        assert!(!allowance.affords(1, false), "two files");
    }

    #[test]
    fn a_huge_file_waits_for_a_run_that_has_read_as_much_or_has_no_limit() {
        let limited = |until, bytes| {
            Allowance::new(&Budget { until, bytes, ..Budget::default() }, &Arc::new(Control::new()))
        };
        let (gib, now) = (1 << 30, Some(Instant::now()));
        assert!(!limited(None, None).is_too_large(u64::MAX));
        assert!(!limited(now, Some(0)).is_too_large(gib));
        assert!(!limited(None, Some(2 * gib)).is_too_large(2 * gib), "the budget suffices");
        for allowance in [limited(now, Some(9 * gib)), limited(None, Some(gib))] {
            assert!(allowance.is_too_large(gib + 1));
            allowance.note_run(2 * gib);
            assert!(!allowance.is_too_large(2 * gib) && allowance.is_too_large(2 * gib + 1));
        }
    }

    #[test]
    fn as_many_files_again_as_the_budget_has() {
        let allowance = allowance(None, Some(2));
        allowance.note_progress();
        assert!(allowance.affords(1, false) && allowance.affords(1, true) && allowance.affords(1, false));
        assert!(!allowance.affords(1, false));
    }
}
