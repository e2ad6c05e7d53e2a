//! What is to become of the terms of a collection, as somebody asks for it.

use std::slice;
use std::time::Duration;

use hashlane_catalog::{Policy, Terms};
use hashlane_engine::{Filter, FilterError};

/// What is promised of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// That every byte is read again within this time.
    Within(Duration),
    /// Nothing.
    Never,
}

impl Promise {
    /// Its period in seconds, if it is one.
    pub fn period_s(self) -> Option<i64> {
        match self {
            Self::Within(time) => Some(time.as_secs() as i64),
            Self::Never => None,
        }
    }
}

/// Which policy is asked for, and for which files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyOf {
    /// This one for all files that no glob says more of.
    Rest(Policy),
    /// This one for those that a glob takes.
    Glob(String, Policy),
    /// None for a glob any more.
    NoGlob(String),
}

impl PolicyOf {
    fn set(&self, terms: &mut Terms) {
        let without = |terms: &mut Terms, glob: &String| terms.policies.retain(|(other, _)| other != glob);
        match self {
            Self::Rest(policy) => terms.policy = *policy,
            Self::NoGlob(glob) => without(terms, glob),
            // What is said last counts.
            Self::Glob(glob, policy) => {
                without(terms, glob);
                terms.policies.push((glob.clone(), *policy));
            }
        }
    }
}

/// Why terms cannot be changed in this way.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// A glob is malformed.
    #[error(transparent)]
    Glob(#[from] FilterError),
    /// The share of files at which an audit is held is none.
    #[error("give 0 to 100")]
    Share,
}

/// Changes of the terms of a collection. What is not said stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// What is promised.
    pub promise: Option<Promise>,
    /// The policies, in the order in which they were said.
    pub policies: Vec<PolicyOf>,
    /// The group that it is listed in.
    pub group: Option<String>,
    /// What else it is called.
    pub tags: Option<Vec<String>>,
    /// Globs of the files that belong to it.
    pub include: Option<Vec<String>>,
    /// Globs of those that do not.
    pub exclude: Option<Vec<String>>,
    /// Globs of those that may grow.
    pub append_only: Option<Vec<String>>,
    /// Lost and changed files at which an audit is held.
    pub hold_files: Option<u64>,
    /// The same, in hundredths of all files.
    pub hold_percent: Option<f64>,
    /// Whether its place may be away for a while.
    pub is_removable: Option<bool>,
    /// Its first audit may find no files.
    pub may_be_empty: bool,
    /// Whether files are read past the page cache.
    pub reads_device: Option<bool>,
}

impl Changes {
    /// Changes terms.
    ///
    /// # Errors
    /// A glob is malformed, or a share is none.
    pub fn apply(self, terms: &mut Terms) -> Result<(), ChangeError> {
        fn set<T>(value: &mut T, given: Option<T>) {
            if let Some(given) = given {
                *value = given;
            }
        }
        let Terms { habits, selection, hold_if, .. } = terms;
        if let Some(promise) = self.promise {
            terms.period_s = promise.period_s();
            habits.is_usual_period = false;
            // Who promises something means to hear when that is in danger.
            habits.minds_silence |= terms.period_s.is_some();
        }
        set(&mut habits.is_removable, self.is_removable);
        set(&mut habits.reads_device, self.reads_device);
        habits.may_be_empty |= self.may_be_empty;
        habits.says_hold_percent |= self.hold_percent.is_some();
        set(&mut hold_if.files, self.hold_files);
        set(&mut hold_if.percent, self.hold_percent);
        set(&mut selection.include, self.include);
        set(&mut selection.exclude, self.exclude);
        set(&mut selection.append_only, self.append_only);
        set(&mut terms.group, self.group);
        set(&mut terms.tags, self.tags);
        self.policies.iter().for_each(|policy| policy.set(terms));
        check(terms)
    }
}

/// Refuses globs that are malformed, and a share that is none.
fn check(terms: &Terms) -> Result<(), ChangeError> {
    let selection = &terms.selection;
    for (glob, _) in &terms.policies {
        Filter::new(slice::from_ref(glob), &[], &[])?;
    }
    for globs in [&selection.include, &selection.append_only] {
        Filter::new(globs, &selection.exclude, &[])?;
    }
    if (0.0..=100.0).contains(&terms.hold_if.percent) { Ok(()) } else { Err(ChangeError::Share) }
}
