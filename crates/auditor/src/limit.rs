//! What ends the reading before all is read, even in the midst of a file.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hashlane_digest::{Algorithm, Saving};
use hashlane_engine::Control;

use crate::asked::Budget;
use crate::course::Course;
use crate::ground::Ground;

/// How long files may still take that were begun when the time of an audit is over.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// The same where they could not be gone on with. No reading takes a year.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// The end of the budget, as far as the plan cannot see to it by itself.
#[derive(Debug)]
pub(crate) struct Limit {
    until: Option<Instant>,
    bytes: Option<u64>,
    /// What stops the reading, and nothing else of the audit.
    control: Arc<Control>,
    course: Arc<Course>,
}

impl Limit {
    pub(crate) fn new(
        budget: &Budget,
        ground: &Ground<'_>,
        algorithms: &[Algorithm],
        control: &Arc<Control>,
        course: &Arc<Course>,
    ) -> Self {
        let can_be_put_aside =
            ground.can_put_aside() && algorithms.iter().all(|algorithm| algorithm.saving() != Saving::Never);
        // What cannot be put aside would begin anew for ever.
        let patience = if can_be_put_aside { PATIENCE } else { FOR_EVER };
        // No state is saved of one that has grown, because its beginning has a digest of its own; and none of the others before their first
        // 64 MiB. If a run gave them up, so would the next.
        let control = Control::below(control, patience).waiting_for_unsaved(FOR_EVER);
        Self {
            until: budget.until,
            bytes: budget.bytes,
            control: Arc::new(control),
            course: Arc::clone(course),
        }
    }

    pub(crate) fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// Begins nothing more: too little was left of the budget for a file that was begun.
    pub(crate) fn fall_short(&self) {
        self.course.is_short.store(true, Ordering::Release);
        self.use_up();
    }

    fn use_up(&self) {
        self.course.is_used_up.store(true, Ordering::Release);
        self.control.drain();
    }

    /// Begins nothing more if the time is over, and ends soon. One that has come to nothing yet goes on until it has: it would come to
    /// nothing the next time, too.
    pub(crate) fn look_at_time(&self) {
        let has_progress = self.course.has_progress.load(Ordering::Acquire);
        if has_progress && self.until.is_some_and(|until| Instant::now() >= until) {
            self.use_up();
        }
    }

    /// A file was put aside. Ends at once if more bytes were read than there are to be: that is so only within a file that is larger than
    /// the whole budget.
    pub(crate) fn put_aside(&self) {
        self.course.has_progress.store(true, Ordering::Release);
        if self.bytes.is_some_and(|bytes| self.control.progress().digested_bytes >= bytes) {
            self.course.is_used_up.store(true, Ordering::Release);
            self.control.abort();
        }
    }
}
