//! Audits that are under way: who carries them out, and how far they are by the rows of their stints.
//!
//! A row alone says nothing: that of an audit that was killed stays as it was. An audit is under way as long as the process that holds its
//! lock is there and its stint has not ended.

use rusqlite::{OptionalExtension as _, params};

use crate::collections::Collection;
use crate::error::Result;
use crate::phase::Phase;
use crate::reader::Reader;
use crate::requests::is_audit;

/// How far an audit is, as it was written last.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Running {
    /// What it is doing; nothing of an audit of an earlier program, which does not say.
    pub phase: Option<Phase>,
    /// Files that were listed, read or read again, whichever the phase is about; at the end, those that were read.
    pub files: u64,
    /// Their bytes, those of files that are being read too.
    pub bytes: u64,
    /// Bytes that are to be read, where that is known. As long as files are still being chosen it is an estimate.
    pub planned_bytes: Option<u64>,
    /// Bytes per second of the last minute; nothing where nothing is read.
    pub bytes_per_second: Option<u64>,
    /// When that was written, in seconds since 1970.
    pub at_s: i64,
    /// When its process took the collection, in seconds since 1970.
    pub began_s: i64,
    /// The number of that process.
    pub process: u32,
    /// The machine that it runs on.
    pub host: String,
}

impl Running {
    /// Which part of the bytes that are to be read was read: 0 to 1. Nothing where those are not known.
    pub fn share(&self) -> Option<f64> {
        let planned = self.planned_bytes?;
        (planned > 0).then(|| (self.bytes as f64 / planned as f64).min(1.0))
    }

    /// How many seconds the reading takes from when that was written, at the rate of the last minute; nothing where one of both is not known.
    pub fn remaining_s(&self) -> Option<f64> {
        let rate = self.bytes_per_second.filter(|rate| *rate > 0 && self.phase == Some(Phase::Reading))?;
        Some(self.planned_bytes?.saturating_sub(self.bytes) as f64 / rate as f64)
    }
}

impl Reader {
    /// The audit of a collection that is under way, if one is.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn running(&self, collection: &Collection) -> Result<Option<Running>> {
        let Some(holder) = self.holder(collection)? else { return Ok(None) };
        // What holds the lock may be a decision, or an audit that has not begun its stint: then the last one is not of this process, or has
        // ended.
        let mut statement = self.connection.prepare_cached(
            concat!("SELECT phase, files, bytes, planned_bytes, bytes_per_second, coalesce(progress_s, ?4) FROM stint
             WHERE id = (SELECT max(stint.id) FROM run JOIN stint ON stint.run = run.id WHERE run.collection = ?1
                 AND run.outcome IS NULL AND ",
            is_audit!(),
            ")
             AND pid = ?2 AND host = ?3 AND ended_s IS NULL"),
        )?;
        let of = params![collection.id.0, holder.process, holder.host, holder.since_s];
        let found = statement.query_row(of, |row| {
            let count = |number: Option<i64>| number.map(|number| number as u64);
            Ok(Running {
                phase: Phase::of_number(row.get(0)?),
                files: row.get::<_, i64>(1)? as u64,
                bytes: row.get::<_, i64>(2)? as u64,
                planned_bytes: count(row.get(3)?),
                bytes_per_second: count(row.get(4)?),
                at_s: row.get(5)?,
                began_s: holder.since_s,
                process: holder.process,
                host: holder.host.clone(),
            })
        });
        Ok(found.optional()?)
    }

    /// Whether a process has a collection for itself: to audit it, or to change what an audit relies on.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn is_in_use(&self, collection: &Collection) -> Result<bool> {
        Ok(self.holder(collection)?.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_where_both_the_plan_and_the_rate_are_known() {
        let running = |phase, bytes, planned_bytes, bytes_per_second| Running {
            phase: Some(phase),
            files: 1,
            bytes,
            planned_bytes,
            bytes_per_second,
            at_s: 0,
            began_s: 0,
            process: 1,
            host: String::new(),
        };
        let told = |running: Running| (running.share(), running.remaining_s());
        let reading = |bytes, planned, rate| told(running(Phase::Reading, bytes, planned, rate));
        assert_eq!(reading(25, Some(100), Some(5)), (Some(0.25), Some(15.0)));
        assert_eq!(reading(25, Some(100), Some(0)), (Some(0.25), None));
        assert_eq!(reading(25, None, Some(5)), (None, None));
        assert_eq!(reading(0, Some(0), None), (None, None));
        // A file has grown since it was listed.
        assert_eq!(reading(120, Some(100), Some(5)), (Some(1.0), Some(0.0)));
        assert_eq!(told(running(Phase::ReadingAgain, 5, None, Some(5))), (None, None));
    }
}
