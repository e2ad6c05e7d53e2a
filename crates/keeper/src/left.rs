//! What is left of the budget of an audit of several collections. They share it, and so they share what may be read again.

use std::time::Instant;

use hashlane_auditor::Budget;

/// What is left of a budget that several collections share.
#[derive(Clone, Copy, Debug)]
pub struct Left(Budget);

impl Left {
    /// All of it. `until`: when nothing more is begun.
    pub fn new(until: Option<Instant>, bytes: Option<u64>, files: Option<u64>) -> Self {
        let mut budget = Budget::default();
        budget.until = until;
        (budget.bytes, budget.files) = (bytes, files);
        (budget.reread_bytes, budget.reread_files) = (bytes, files);
        Self(budget)
    }

    /// Whether it ends at all.
    pub fn is_limited(&self) -> bool {
        self.0.until.is_some() || self.0.bytes.is_some() || self.0.files.is_some()
    }

    /// Whether the time is over, if it is limited.
    pub fn is_over(&self) -> bool {
        self.0.until.is_some_and(|until| Instant::now() >= until)
    }

    /// What the next collection may use up.
    pub fn budget(&self) -> Budget {
        self.0
    }

    /// Takes off what a collection has read; in a dry run, what it would read.
    pub fn take_read(&mut self, files: u64, bytes: u64) {
        take(&mut self.0.files, files);
        take(&mut self.0.bytes, bytes);
    }

    /// Takes off what a collection has read again.
    pub fn take_reread(&mut self, files: u64, bytes: u64) {
        take(&mut self.0.reread_files, files);
        take(&mut self.0.reread_bytes, bytes);
    }
}

fn take(left: &mut Option<u64>, used: u64) {
    if let Some(left) = left {
        *left = left.saturating_sub(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_collections_together_read_at_most_as_much_again_as_the_budget() {
        let mut left = Left::new(None, Some(1000), Some(10));
        left.take_read(10, 1000);
        left.take_reread(1, 600);
        let budget = left.budget();
        assert_eq!((budget.bytes, budget.files), (Some(0), Some(0)));
        assert_eq!((budget.reread_bytes, budget.reread_files), (Some(400), Some(9)));
        left.take_reread(2, 600);
        assert_eq!(left.budget().reread_bytes, Some(0), "one file is read again in any case");
    }

    #[test]
    fn the_time_is_over_when_it_has_come() {
        let of = |until| Left::new(until, None, None).is_over();
        assert!(of(Some(Instant::now())));
        assert!(!of(Some(Instant::now() + std::time::Duration::from_secs(3600))) && !of(None));
    }
}
