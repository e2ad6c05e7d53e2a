//! How many files a collection has, and their bytes, without counting them.

use rusqlite::{Connection, params};

use crate::catalog::Catalog;
use crate::collections::CollectionId;
use crate::error::Result;
use crate::items::State;

/// How many states there are.
const STATES: usize = 6;

/// Files and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// How many files.
    pub files: u64,
    /// Their sizes, as far as they are known.
    pub bytes: u64,
}

/// Files and bytes by state, or by how much they change.
#[derive(Debug, Default)]
pub(crate) struct Totals([(i64, i64); STATES]);

impl Totals {
    pub(crate) fn add(&mut self, state: State, size: Option<i64>) {
        let (files, bytes) = &mut self.0[state.number() as usize];
        *files += 1;
        *bytes += counted(size);
    }

    pub(crate) fn remove(&mut self, state: State, size: Option<i64>) {
        let (files, bytes) = &mut self.0[state.number() as usize];
        *files -= 1;
        *bytes -= counted(size);
    }

    /// Adds the changes to what is in the catalogue.
    pub(crate) fn write(&self, connection: &Connection, collection: CollectionId) -> Result<()> {
        for (state, (files, bytes)) in self.0.iter().enumerate() {
            if (*files, *bytes) == (0, 0) {
                continue;
            }
            let mut statement = connection.prepare_cached(
                "INSERT INTO total (collection, state, files, bytes) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes",
            )?;
            statement.execute(params![collection.0, state as i64, files, bytes])?;
        }
        Ok(())
    }
}

/// The bytes that count of a file. One that claims a pebibyte or more is sparse, and a few of those would not fit into a sum.
fn counted(size: Option<i64>) -> i64 {
    const MOST: i64 = 1 << 50;

    match size {
        // A size that is no number of SQLite.
        Some(size) if size < 0 => MOST,
        Some(size) => size.min(MOST),
        None => 0,
    }
}

impl Catalog {
    /// How many files of a state a collection has, and their bytes.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn total(&self, collection: CollectionId, state: State) -> Result<Total> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT files, bytes FROM total WHERE collection = ?1 AND state = ?2")?;
        let mut rows = statement.query(params![collection.0, state.number()])?;
        Ok(match rows.next()? {
            Some(row) => Total { files: row.get::<_, i64>(0)? as u64, bytes: row.get::<_, i64>(1)? as u64 },
            None => Total::default(),
        })
    }
}
