//! What is known of a file, as it lies in a row.

use crate::error::Result;
use crate::items::{Content, blob_of, nanos_of};

/// A content as the columns of a table.
pub(crate) struct Row {
    pub(crate) size: Option<i64>,
    pub(crate) mtime_ns: Option<i64>,
    pub(crate) ctime_ns: Option<i64>,
    pub(crate) inode: Option<i64>,
    pub(crate) digests: Option<Vec<u8>>,
}

impl Row {
    /// That of a content.
    pub(crate) fn of(content: &Content) -> Self {
        Self {
            size: content.size.map(|size| size as i64),
            mtime_ns: content.modified.map(nanos_of),
            ctime_ns: content.changed.map(nanos_of),
            inode: content.inode.map(|inode| inode as i64),
            digests: blob_of(&content.digests),
        }
    }

    /// Those of a row of SQLite, from one of its columns on.
    pub(crate) fn read(row: &rusqlite::Row<'_>, first: usize) -> Result<Self> {
        Ok(Self {
            size: row.get(first)?,
            mtime_ns: row.get(first + 1)?,
            ctime_ns: row.get(first + 2)?,
            inode: row.get(first + 3)?,
            digests: row.get(first + 4)?,
        })
    }
}
