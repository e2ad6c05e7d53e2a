//! Listed files where no line can be verified: each counts once, however many lines it has, and not at all if another line verifies it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};

use hashlane_manifest::Item;

use crate::lists::{Items, ListOptions, is_regular};

/// This many names are distinguished; more lines are counted one by one.
const MOST_NAMES: usize = 1 << 20;

/// Files of one list.
#[derive(Debug, Default)]
pub(crate) struct Unverified {
    /// Fingerprints of names, with keys that nobody knows before.
    names: HashSet<u64>,
    keys: RandomState,
    /// Lines whose names cannot be read, or that are too many.
    nameless: u64,
    /// The name of the last file with a digest: its other lines mostly stand beside it.
    last: Vec<u8>,
}

impl Unverified {
    /// Takes note of a line that lists a file and cannot be verified. `name`: that of the file, if it can be read.
    pub(crate) fn line(&mut self, name: Option<&[u8]>) {
        match name {
            Some(name) if name == self.last => {}
            Some(name) if self.names.len() < MOST_NAMES => _ = self.names.insert(self.keys.hash_one(name)),
            _ => self.nameless += 1,
        }
    }

    /// Takes note of a file that has a digest which can be verified.
    pub(crate) fn verified(&mut self, name: &[u8]) {
        if !self.names.is_empty() {
            self.names.remove(&self.keys.hash_one(name));
        }
        self.last.clear();
        self.last.extend_from_slice(name);
    }

    /// Takes note of lines that nothing else is known of.
    pub(crate) fn lines(&mut self, count: u64) {
        self.nameless += count;
    }

    /// How many files there are, at the end of a list. It is read once more where lines that verify them may stand above. `verified`: the name of
    /// an item that has a digest which can be verified.
    pub(crate) fn count(
        mut self,
        list: &OsStr,
        options: &ListOptions,
        verified: impl Fn(&Item) -> Option<Vec<u8>>,
    ) -> u64 {
        if !self.names.is_empty() && is_regular(list) {
            let items = Items::by_whatever_algorithm(list, options).into_iter().flatten().flatten();
            for name in items.filter_map(|item| verified(&item)) {
                self.verified(&name);
            }
        }
        self.names.len() as u64 + self.nameless
    }
}
