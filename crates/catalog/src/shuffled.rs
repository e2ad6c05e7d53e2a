//! A listing that comes in an order of its own.

use std::path::Path;

use hashlane_record::Timestamp;
use rusqlite::params;

use crate::error::Result;
use crate::items::{Content, keepable, time_of};
use crate::row::Row;
use crate::scratch::Scratch;

/// Files in whatever order they are listed in, which come out in byte order of their paths, each once. They are kept in a temporary file.
#[derive(Debug)]
pub struct Shuffled {
    files: Scratch,
}

impl Shuffled {
    /// Begins. `scratch`: where a large temporary file may lie.
    ///
    /// # Errors
    /// No temporary file can be made there.
    pub fn new(scratch: &Path) -> Result<Self> {
        let files = Scratch::new(
            scratch,
            "CREATE TABLE file (path BLOB PRIMARY KEY, size INTEGER, mtime_ns INTEGER, is_offline INTEGER) WITHOUT ROWID;
             BEGIN",
        )?;
        Ok(Self { files })
    }

    /// Takes a file: its path below the root, its size in bytes, the time of its last change, and whether it cannot be read now. Of a
    /// path that comes twice the later one counts.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn add(&mut self, path: &[u8], size_bytes: u64, modified: Timestamp, is_offline: bool) -> Result<()> {
        let content =
            Content { size: Some(size_bytes), modified: Some(keepable(modified)), ..Content::default() };
        let row = Row::of(&content);
        self.files.run(|files| {
            let mut add = files.prepare_cached(
                "INSERT OR REPLACE INTO file (path, size, mtime_ns, is_offline) VALUES (?1, ?2, ?3, ?4)",
            )?;
            add.execute(params![path, row.size, row.mtime_ns, is_offline]).map(drop)
        })
    }

    /// Shows all of them: each path below the root, its size in bytes, its time, and whether it cannot be read now.
    ///
    /// # Errors
    /// The temporary file cannot be read, or `visit` fails.
    pub fn show(&self, mut visit: impl FnMut(&[u8], u64, Timestamp, bool) -> Result<()>) -> Result<()> {
        let failed = |error| self.files.failed(error);
        let mut files = self
            .files
            .connection()
            .prepare("SELECT path, size, mtime_ns, is_offline FROM file ORDER BY path")
            .map_err(failed)?;
        let mut rows = files.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let path: Vec<u8> = row.get(0).map_err(failed)?;
            let (size, modified): (i64, i64) = (row.get(1).map_err(failed)?, row.get(2).map_err(failed)?);
            visit(&path, size as u64, time_of(modified), row.get(3).map_err(failed)?)?;
        }
        Ok(())
    }
}
