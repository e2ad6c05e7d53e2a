//! What a run that is held holds back, by directory: somebody has to look at it, and to know where.

use std::collections::BTreeMap;

use rusqlite::params;

use super::applying::is_earlier;
use super::listing::Found;
use crate::catalog::Catalog;
use crate::collections::Collection;
use crate::error::Result;
use crate::items::{SHIFT, time_of};
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
pub(super) fn by_directory(
    catalog: &Catalog,
    collection: &Collection,
    found: &Found,
    run: Option<RunId>,
) -> Result<Vec<HeldBack>> {
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
            "SELECT directory.path, withheld.verdict, withheld.size = 0 AND item.size > 0, item.mtime_ns, withheld.mtime_ns FROM withheld
             JOIN item ON item.id = withheld.item JOIN segment ON segment.id = withheld.item >> ?2
             JOIN directory ON directory.id = segment.directory WHERE withheld.run = ?1
             -- What was said before and stands is not held back.
             AND NOT EXISTS (SELECT 1 FROM finding WHERE finding.item = withheld.item AND cleared_s IS NULL
                 AND finding.verdict = withheld.verdict)",
        )?;
        let mut rows = statement.query(params![run.0, SHIFT])?;
        while let Some(row) = rows.next()? {
            let directory = directories.entry(row.get(0)?).or_default();
            let time = |place| row.get::<_, Option<i64>>(place).map(|time| time.map(time_of));
            let counter = match Verdict::of_number(row.get(1)?)? {
                Verdict::Unreadable | Verdict::Unstable => &mut directory.unreadable,
                _ if row.get::<_, Option<bool>>(2)? == Some(true) => &mut directory.emptied,
                _ if is_earlier(time(3)?, time(4)?, collection.terms.is_in_store()) => &mut directory.older,
                _ => &mut directory.changed,
            };
            *counter += 1;
        }
    }
    let mut all: Vec<_> = directories.into_iter().map(|(path, held)| HeldBack { path, ..held }).collect();
    all.sort_by_key(|directory| std::cmp::Reverse(directory.files()));
    Ok(all)
}
