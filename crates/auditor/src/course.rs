//! How far a plan is carried out: what its own thread, the one that records and the end of the audit know of each other.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlane_catalog::{Error, ItemId, Verdict};
use roaring::RoaringTreemap;

/// What a plan has come to, for those who ask while it is carried out and after that.
#[derive(Debug, Default)]
pub(crate) struct Course {
    /// Files and bytes that were handed out.
    pub(crate) files: AtomicU64,
    pub(crate) bytes: AtomicU64,
    /// Bytes that were handed out because of their age, and the largest file of those. New and changed files take nothing from the share of
    /// the others, else those would come due together some day.
    pub(crate) aged_bytes: AtomicU64,
    pub(crate) largest_aged_bytes: AtomicU64,
    /// Files that were handed out because they were recorded so soon after they were written.
    pub(crate) unsettled_files: AtomicU64,
    /// The numbers of new files that were read. Where the run was ended early there are gaps.
    pub(crate) read_new: Mutex<RoaringTreemap>,
    /// Those that could not be read, and are recorded for all that.
    pub(crate) failed_new: Mutex<RoaringTreemap>,
    /// A file was read, or put aside.
    pub(crate) has_progress: AtomicBool,
    /// New items that were read, and are not moved ones.
    pub(crate) new_items: Mutex<RoaringTreemap>,
    /// Items that stand as new since earlier. These and new ones are reported at the end, when it is known whether they are copies,
    /// and of what.
    pub(crate) standing_new: Mutex<RoaringTreemap>,
    /// Items that were reported as they were read: each is reported once.
    told: Mutex<RoaringTreemap>,
    /// The budget was used up.
    pub(crate) is_used_up: AtomicBool,
    /// Files were handed out for which too little of it was left.
    pub(crate) is_short: AtomicBool,
    /// All that was to be read was handed out.
    pub(crate) is_over: AtomicBool,
    pub(crate) failed: Mutex<Option<Error>>,
}

impl Course {
    /// Takes note that a new file was read, or could not be.
    pub(crate) fn note_new(&self, number: i64, is_read: bool) {
        let numbers = if is_read { &self.read_new } else { &self.failed_new };
        lock(numbers).insert(number as u64);
    }

    /// Takes note that a file was reported.
    pub(crate) fn note_told(&self, item: ItemId) {
        lock(&self.told).insert(item.0 as u64);
    }

    /// Whether a file was reported.
    pub(crate) fn is_told(&self, item: ItemId) -> bool {
        lock(&self.told).contains(item.0 as u64)
    }

    /// The verdict that was to be reported for a file, if more is known of it now.
    pub(crate) fn take_back(&self, item: ItemId) -> Option<Verdict> {
        let take = |items: &Mutex<RoaringTreemap>| lock(items).remove(item.0 as u64);
        (take(&self.new_items) || take(&self.standing_new)).then_some(Verdict::New)
    }

    /// What went wrong, if something did.
    pub(crate) fn failure(&self) -> Option<Error> {
        lock(&self.failed).take()
    }
}

/// What is behind a lock, also where a thread has panicked that had it: that ends the audit in another way.
pub(crate) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
