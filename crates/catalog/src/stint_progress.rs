//! How far a stint is, kept in its row for whoever looks meanwhile ([`Reader::running`]).

use rusqlite::{Connection, params};

use crate::batch::Batch;
use crate::error::Result;
use crate::ids::StintId;
use crate::phase::Phase;
use crate::writer::Writer;

/// How far a stint is.
#[derive(Clone, Copy, Debug)]
pub struct StintProgress {
    /// What it does.
    pub phase: Phase,
    /// Files that are done in this phase.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes that are to be done in it, where that is known.
    pub planned_bytes: Option<u64>,
    /// How fast that goes, where bytes are read.
    pub bytes_per_second: Option<u64>,
    /// When that was so, in seconds since 1970.
    pub at_s: i64,
}

impl StintProgress {
    fn write(&self, connection: &Connection, stint: StintId) -> Result<()> {
        let mut statement = connection.prepare_cached(
            "UPDATE stint SET phase = ?2, files = ?3, bytes = ?4, planned_bytes = ?5, bytes_per_second = ?6, progress_s = ?7 WHERE id = ?1",
        )?;
        statement.execute(params![
            stint.0,
            self.phase.number(),
            self.files as i64,
            self.bytes as i64,
            self.planned_bytes.map(|bytes| bytes as i64),
            self.bytes_per_second.map(|rate| rate as i64),
            self.at_s,
        ])?;
        Ok(())
    }
}

impl Writer {
    /// Keeps how far a stint is.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn keep_progress(&self, stint: StintId, progress: &StintProgress) -> Result<()> {
        progress.write(&self.connection, stint)
    }

    /// The same, but it does not wait for another process that writes. `false`: one does, and nothing was kept.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn keep_progress_unless_busy(&self, stint: StintId, progress: &StintProgress) -> Result<bool> {
        self.write_unless_busy(|connection| progress.write(connection, stint))
    }
}

impl Batch<'_> {
    /// Keeps how far the stint is, with what else the batch records.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn keep_progress(&self, progress: &StintProgress) -> Result<()> {
        progress.write(&self.transaction, self.stint.id)
    }
}
