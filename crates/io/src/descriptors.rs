//! How many files may be open at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A number of file descriptors that may be open at once; a [`Permit`] stands for one of them.
#[derive(Clone, Debug)]
pub struct DescriptorBudget(Arc<AtomicUsize>);

/// The right to hold one descriptor, given back when dropped.
#[derive(Debug)]
pub struct Permit(Arc<AtomicUsize>);

impl DescriptorBudget {
    /// A budget of `count` descriptors.
    pub fn new(count: usize) -> Self {
        Self(Arc::new(AtomicUsize::new(count)))
    }

    /// Descriptors left.
    pub fn left(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes one descriptor, unless fewer than `keep` would be left.
    pub fn take(&self, keep: usize) -> Option<Permit> {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| (left > keep).then(|| left - 1))
            .ok()
            .map(|_| Permit(Arc::clone(&self.0)))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_gives_no_more_than_it_has_and_takes_back() {
        let budget = DescriptorBudget::new(3);
        let first = budget.take(1).expect("three are left");
        let _second = budget.take(1).expect("two are left");
        assert!(budget.take(1).is_none());
        drop(first);
        assert_eq!(budget.left(), 2);
    }
}
