//! What others have read of a tree: an audit takes their readings from tables, and judges them by the rules that its own are judged by.
//!
//! The tree is listed here all the same. What is reported of a file is true of the file that is there; the rest is left to the next
//! audit.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hashlane_catalog::{Collection, Elsewhere, ReadElsewhere, Result};
use hashlane_engine::{Control, Summary};
use hashlane_record::{Facts, Origin, Outcome, Record, Timestamp};

use crate::course::Course;
use crate::ground::{Ground, ToRead};
use crate::plan::Plan;
use crate::reading::Pass;

/// Whether a tree has any of the names that others have read. Of many only some are looked for, from the first one to the last.
pub(crate) fn is_of(elsewhere: &Elsewhere, ground: &Ground<'_>) -> Result<bool> {
    let mut is_of = false;
    elsewhere.each_sample(&mut |path| {
        // What cannot be asked for may be there.
        is_of = !matches!(ground.facts(path), Ok(None));
        Ok(!is_of)
    })?;
    Ok(is_of)
}

/// Shows a reader the readings of files, in place of reading them.
pub(crate) fn read(
    elsewhere: &Elsewhere,
    plan: Plan,
    reader: &mut Pass<'_>,
    course: &Course,
    control: &Arc<Control>,
) -> Result<Summary> {
    let mut summary = Summary::default();
    for (number, file) in plan.enumerate() {
        if let Some(stop) = control.stopped() {
            summary.stopped = Some(stop);
            break;
        }
        // Whether a file has only grown takes a digest of its beginning.
        let read = match file.beginning {
            Some(_) => None,
            None => elsewhere.reading(file.path.as_bytes(), &reader.collection.terms.algorithms)?,
        };
        match read {
            Some(read) => reader.take(record(file, number as u64, read, reader.collection))?,
            None => {
                // As if the budget had not sufficed for it: the next audit reads it.
                course.is_used_up.store(true, Ordering::Release);
                course.is_short.store(true, Ordering::Release);
                reader.leave(&file.tag)?;
            }
        }
    }
    Ok(summary)
}

/// The reading of a file, as the engine would tell it.
fn record(file: ToRead, number: u64, read: ReadElsewhere, collection: &Collection) -> Record {
    let size_bytes = read.size.unwrap_or(0);
    let digested_bytes = if read.outcome == Outcome::Read { size_bytes } else { 0 };
    let facts = Facts {
        size_bytes,
        modified: read.modified.unwrap_or_default(),
        changed: read.changed.unwrap_or_default(),
        accessed: Timestamp::default(),
        device: 0,
        inode: read.inode.unwrap_or(0),
        links: 1,
    };
    // Nobody can prove from which medium another machine has read. From a store it can only have come over the network.
    let origin = match collection.terms.is_in_store() {
        true => Origin { network_bytes: digested_bytes, ..Origin::default() },
        false => Origin { unknown_bytes: digested_bytes, ..Origin::default() },
    };
    Record {
        number,
        path: file.path,
        outcome: read.outcome,
        facts: Some(facts),
        digests: read.digests,
        pieces: None,
        digested_bytes,
        origin,
        medium: Default::default(),
        state: None,
        tag: file.tag,
    }
}
