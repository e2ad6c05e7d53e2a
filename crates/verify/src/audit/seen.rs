//! What others have read of a tree, shown to an audit as if it had been read here.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_engine::{Control, Halt, Summary};
use hashlane_manifest::{Item, ReadOptions};
use hashlane_record::Outcome;

use super::sink::{Reading, Telling};
use crate::error::{Error, NoReading};
use crate::lists::{self, Source};

/// What others have read: the tables that their runs have written, in any format that lists sizes.
#[derive(Clone, Debug, Default)]
pub struct SeenElsewhere {
    /// The tables. A name that was read twice counts once.
    pub tables: Vec<OsString>,
    /// Files of this machine that do not belong to the tree, though they may lie in it, such as the lists of the audit. Others could not
    /// tell them from what belongs to it.
    pub apart: Vec<OsString>,
}

/// A file, however it is named: its size, and by what the system knows it.
struct Identity {
    size_bytes: u64,
    device_and_inode: (u64, u64),
}

impl Identity {
    fn of(path: &Path) -> Option<Self> {
        let facts = std::fs::metadata(path).ok()?;
        Some(Self { size_bytes: facts.len(), device_and_inode: (facts.dev(), facts.ino()) })
    }
}

/// Shows an audit the readings of tables, one after the other. `is_here`: their names are those of files of this machine.
pub(super) fn show(
    seen: &SeenElsewhere,
    is_here: bool,
    sink: &mut Telling<'_>,
    control: &Arc<Control>,
) -> Result<Summary, Error> {
    let apart: Vec<_> =
        seen.apart.iter().filter(|_| is_here).map(Path::new).filter_map(Identity::of).collect();
    let mut summary = Summary::default();
    for table in &seen.tables {
        let no_reading = |line, why| Error::NoReading { table: table.clone(), line, why };
        for item in lists::read(Source::open(table)?, &ReadOptions::default())?.merged() {
            if let Some(stop) = control.stopped() {
                summary.stopped = Some(stop);
                return Ok(summary);
            }
            let item = item.map_err(|problem| no_reading(problem.line, NoReading::Row(problem.kind)))?;
            let outcome = item.outcome.unwrap_or(Outcome::Read);
            if outcome == Outcome::Read && item.size.is_none() {
                return Err(no_reading(item.line, NoReading::Size));
            }
            if is_apart(&apart, &item) {
                summary.skipped.output += 1;
                continue;
            }
            match outcome {
                Outcome::Read => summary.files += 1,
                Outcome::Unstable(_) => summary.unstable += 1,
                Outcome::Disputed(_) | Outcome::Failed(_) => summary.failed += 1,
            }
            summary.digested_bytes += item.size.filter(|_| outcome == Outcome::Read).unwrap_or(0);
            let Item { path, size, modified, digests, .. } = item;
            let reading = Reading { path, outcome, size: size.unwrap_or(0), modified, digests };
            match sink.take(reading) {
                Ok(()) => {}
                Err(Halt::Enough) => return Ok(summary),
                Err(halt) => halt.into_result()?,
            }
        }
    }
    Ok(summary)
}

/// Whether it does not belong to the tree. The system is asked only of files that have the size of one that does not.
fn is_apart(apart: &[Identity], item: &Item) -> bool {
    let mut alike = apart.iter().filter(|one| Some(one.size_bytes) == item.size).peekable();
    alike.peek().is_some()
        && Identity::of(item.path.as_path())
            .is_some_and(|found| alike.any(|one| one.device_and_inode == found.device_and_inode))
}
