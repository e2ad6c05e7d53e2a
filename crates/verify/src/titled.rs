//! What a list is named after, and what it has.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use hashlane_digest::Algorithm;
use hashlane_manifest::algorithm_of_file_name;

/// What a list is named after, and what it has.
#[derive(Debug, Default)]
pub(crate) struct Titled {
    named: Option<Algorithm>,
    met: Vec<Algorithm>,
}

impl Titled {
    /// One of this name; who asks for an algorithm knows what he wants.
    pub(crate) fn new(name: &OsStr, asked: Option<Algorithm>) -> Self {
        let named = algorithm_of_file_name(name.as_bytes()).filter(|_| asked.is_none());
        Self { named, met: Vec::new() }
    }

    /// Takes note of what a listed file is compared by.
    pub(crate) fn meet(&mut self, algorithms: impl Iterator<Item = Algorithm>) {
        if self.named.is_some() {
            Algorithm::unite(&mut self.met, algorithms);
        }
    }

    /// What it is named after and what it has instead, if that is something else.
    pub(crate) fn misnamed(&mut self) -> Option<(Algorithm, Vec<Algorithm>)> {
        let named = self.named.filter(|named| !self.met.is_empty() && !self.met.contains(named))?;
        Some((named, std::mem::take(&mut self.met)))
    }
}
