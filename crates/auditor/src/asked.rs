//! What an audit is asked for.

use std::path::PathBuf;

use hashlane_catalog::paths::lies_within;
use hashlane_catalog::{Clock, Request, Verdict};

use crate::plan::Budget;

/// Which files an audit reads, besides those that are new or look changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Those that are due under the promise of the collection.
    #[default]
    Due,
    /// All of them.
    All,
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
