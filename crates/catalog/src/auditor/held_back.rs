//! What a run that is held holds back, by directory: somebody has to look at it, and to know where.

use std::collections::BTreeMap;

use rusqlite::params;

use super::listing::Found;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::items::SHIFT;
use crate::runs::RunId;
use crate::verdict::{Numbered as _, Verdict};

/// What is held back of the files of a directory, without those of directories in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeldBack {
    /// Its path below the root; the root itself is empty.
    pub path: Vec<u8>,
    /// Files that were not found, and were not renamed.
    pub missing: u64,
    /// Files that have changed, as far as they were read.
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
        self.missing + self.changed + self.unreadable
    }
}

/// All that is held back: the directory with the most files first. `run`: the one that has withheld what it has read, if it has read anything.
pub(super) fn by_directory(catalog: &Catalog, found: &Found, run: Option<RunId>) -> Result<Vec<HeldBack>> {
    let mut segments = Vec::new();
    found.gone.by_segment(SHIFT, &mut |segment, files| segments.push((segment, files)))?;
    let mut directories = BTreeMap::<Vec<u8>, HeldBack>::new();
    for (segment, files) in segments {
        let missing = files.saturating_sub(found.renamed_in(segment));
        if missing > 0 {
            directories.entry(catalog.directory_of_segment(segment)?).or_default().missing += missing;
        }
    }
    if let Some(run) = run {
        let mut statement = catalog.connection.prepare_cached(
            "SELECT directory.path, withheld.verdict, count(*) FROM withheld JOIN segment ON segment.id = withheld.item >> ?2
             JOIN directory ON directory.id = segment.directory WHERE withheld.run = ?1 GROUP BY directory.id, withheld.verdict",
        )?;
        let mut rows = statement.query(params![run.0, SHIFT])?;
        while let Some(row) = rows.next()? {
            let directory = directories.entry(row.get(0)?).or_default();
            let files = row.get::<_, i64>(2)? as u64;
            match Verdict::of_number(row.get(1)?)? {
                Verdict::Unreadable | Verdict::Unstable => directory.unreadable += files,
                _ => directory.changed += files,
            }
        }
    }
    let mut all: Vec<_> = directories.into_iter().map(|(path, held)| HeldBack { path, ..held }).collect();
    all.sort_by_key(|directory| std::cmp::Reverse(directory.files()));
    Ok(all)
}
