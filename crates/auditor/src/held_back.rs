//! What a run that is held holds back, by directory: somebody has to look at it, and to know where.

use std::collections::BTreeMap;

use crate::alike::is_earlier;
use crate::listing::Found;
use hashlane_catalog::{Collection, Reader, Result, RunId, Verdict};

/// What is held back of the files of a directory, without those of directories in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeldBack {
    /// Its path below the root; the root itself is empty.
    pub path: Vec<u8>,
    /// Files that were not found, and were not renamed.
    pub missing: u64,
    /// Files that had bytes and have none, as far as they were read. All of the following are.
    pub emptied: u64,
    /// Files that have changed and are older than they were.
    pub older: u64,
    /// Files that have changed otherwise.
    pub changed: u64,
    /// Files that could not be read, or not in one state.
    pub unreadable: u64,
}

impl HeldBack {
    /// The verdicts that are held back.
    pub const HELD: [Verdict; 4] =
        [Verdict::Missing, Verdict::Changed, Verdict::Unreadable, Verdict::Unstable];

    /// How many files that are.
    pub fn files(&self) -> u64 {
        self.missing + self.emptied + self.older + self.changed + self.unreadable
    }
}

/// All that is held back of a collection: the directory with the most files first. `run`: the one that has withheld what it has read, if it has
/// read anything.
pub(crate) fn by_directory(
    catalog: &Reader,
    collection: &Collection,
    found: &Found,
    run: Option<RunId>,
) -> Result<Vec<HeldBack>> {
    let mut directories = BTreeMap::<Vec<u8>, HeldBack>::new();
    for lost in found.gone.by_segment()? {
        let missing = lost.files.saturating_sub(found.renamed_in(lost));
        if missing > 0 {
            directories.entry(catalog.directory_of(lost.first)?).or_default().missing += missing;
        }
    }
    if let Some(run) = run {
        let is_in_store = collection.terms.is_in_store();
        catalog.each_withheld(run, &mut |file| {
            let directory = directories.entry(file.directory).or_default();
            let counter = match file.verdict {
                Verdict::Unreadable | Verdict::Unstable => &mut directory.unreadable,
                _ if file.is_emptied => &mut directory.emptied,
                _ if is_earlier(file.known_modified, file.modified, is_in_store) => &mut directory.older,
                _ => &mut directory.changed,
            };
            *counter += 1;
        })?;
    }
    let mut all: Vec<_> = directories.into_iter().map(|(path, held)| HeldBack { path, ..held }).collect();
    all.sort_by_key(|directory| std::cmp::Reverse(directory.files()));
    Ok(all)
}
