//! How many files got which verdict.

use std::collections::BTreeMap;

use hashlane_catalog::Verdict;
use serde::{Serialize, Serializer};

/// How many files got which verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<Verdict, u64>);

impl Counts {
    /// How many got a verdict.
    pub fn of(&self, verdict: Verdict) -> u64 {
        self.0.get(&verdict).copied().unwrap_or(0)
    }

    /// Those that are not zero, in the order of [`Verdict::OF_COLLECTIONS`].
    pub fn iter(&self) -> impl Iterator<Item = (Verdict, u64)> {
        Verdict::OF_COLLECTIONS
            .into_iter()
            .map(|verdict| (verdict, self.of(verdict)))
            .filter(|(_, files)| *files > 0)
    }

    /// Takes a file out that got another verdict in the end.
    pub(crate) fn remove(&mut self, verdict: Verdict) {
        if let Some(files) = self.0.get_mut(&verdict) {
            *files = files.saturating_sub(1);
        }
    }

    pub(crate) fn add(&mut self, verdict: Verdict, files: u64) {
        if files > 0 {
            *self.0.entry(verdict).or_default() += files;
        }
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(verdict, files)| (verdict.name_in_collection(), files)))
    }
}
