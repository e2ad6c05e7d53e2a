//! What an audit is asked for.

use std::path::PathBuf;
use std::time::Instant;

use hashlane_catalog::paths::lies_within;
use hashlane_catalog::{Clock, Request, Verdict};

/// Which files an audit reads, besides those that are new or look changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Those that are due under the promise of the collection.
    #[default]
    Due,
    /// All of them.
    All,
}

/// What a run may use up.
///
/// What is read again is not counted in it. That ends with the time, too, and after as many bytes or files again, unless other numbers are
/// set for it. One file is read again in each run that has any, unless it is huge. What is left is read again first in the next run.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Budget {
    /// When nothing more is begun.
    pub until: Option<Instant>,
    /// Bytes that are read at most. A file that is larger than that is put aside at the next 64 MiB, but for one that may
    /// grow and has: its beginning is compared with what is known, and that cannot be put aside.
    pub bytes: Option<u64>,
    /// The same as a percentage of all bytes that are there.
    pub percent: Option<f64>,
    /// Files that are read at most.
    pub files: Option<u64>,
    /// Bytes that are read again at most; none: as many as are read.
    pub reread_bytes: Option<u64>,
    /// Files that are read again at most; none: as many as are read.
    pub reread_files: Option<u64>,
}

impl Budget {
    /// Whether it ends nothing.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.until.is_none() && self.bytes.is_none() && self.percent.is_none() && self.files.is_none()
    }

    /// The same with the share turned into a number of bytes, out of `bytes` in all.
    pub(crate) fn with_share_of(mut self, bytes: u64) -> Self {
        if let Some(percent) = self.percent.take() {
            let share = (bytes as f64 * percent / 100.0).ceil() as u64;
            self.bytes = Some(self.bytes.unwrap_or(u64::MAX).min(share));
            self.reread_bytes = Some(self.reread_bytes.unwrap_or(u64::MAX).min(share));
        }
        self
    }
}

/// What an audit is asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AuditOptions {
    /// Which files are read.
    pub scope: Scope,
    /// Paths below the root that it is about; none: all.
    pub within: Vec<Vec<u8>>,
    /// Only files against which something of these verdicts stands; none: all.
    pub only: Vec<Verdict>,
    /// What it may use up.
    pub budget: Budget,
    /// Whether files are read past the page cache where that can be; nothing: as the collection says
    /// ([`Habits::reads_device`](hashlane_catalog::Habits::reads_device)).
    pub reads_device: Option<bool>,
    /// It is not begun where this many are under way ([`Error::Others`](hashlane_catalog::Error::Others)).
    pub at_most: Option<u32>,
    /// Nothing is read or recorded: the plan is counted.
    pub dry_run: bool,
    /// It goes on with the run that was held, and nothing holds it but another root.
    pub ignores_hold: bool,
    /// Who asks.
    pub actor: String,
    /// Why, if that was said.
    pub reason: String,
    /// Where large temporary files may lie.
    pub scratch: PathBuf,
    /// What time it is.
    pub clock: Clock,
}

impl AuditOptions {
    /// What is due, without an end.
    pub fn new(actor: impl Into<String>) -> Self {
        Self {
            scope: Scope::Due,
            within: Vec::new(),
            only: Vec::new(),
            budget: Budget::default(),
            reads_device: None,
            at_most: None,
            dry_run: false,
            ignores_hold: false,
            actor: actor.into(),
            reason: String::new(),
            scratch: hashlane_io::temporary_directory(),
            clock: Clock::default(),
        }
    }

    /// Whether it is about a file, by its path below the root.
    pub(crate) fn is_about(&self, path: &[u8]) -> bool {
        lies_within(path, &self.within)
    }

    /// In words that are the same for the same request.
    pub(crate) fn request(&self) -> Request {
        let scope = match self.scope {
            Scope::Due => "due",
            Scope::All => "all",
        };
        let mut what = scope.to_owned();
        for verdict in &self.only {
            what += &format!(" only:{}", verdict.name());
        }
        for path in &self.within {
            what += &format!(" {}", hashlane_record::Escaped(path));
        }
        Request { what, actor: self.actor.clone(), reason: self.reason.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::Budget;

    #[test]
    fn a_share_of_each_collection_is_for_that_one_alone_and_the_smaller_budget_holds() {
        let of = |bytes, reread_bytes| {
            let percent = Some(12.5);
            let budget = Budget { bytes, reread_bytes, percent, ..Budget::default() }.with_share_of(4001);
            (budget.bytes, budget.reread_bytes)
        };
        assert_eq!(of(None, None), (Some(501), Some(501)));
        assert_eq!(of(Some(1000), Some(400)), (Some(501), Some(400)));
        assert_eq!(of(Some(100), None), (Some(100), Some(501)));
        assert!(!Budget { percent: Some(1.0), ..Budget::default() }.is_unlimited());
    }
}
