//! How many files a collection has, and their bytes, without counting them.

use rusqlite::{Connection, params};
use xxhash_rust::xxh3::Xxh3;

use crate::error::Result;
use crate::ids::CollectionId;
use crate::items::State;
use crate::reader::Reader;
use crate::row::Row;

/// How many states there are.
const STATES: usize = 7;

/// Files and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// How many files.
    pub files: u64,
    /// Their sizes, as far as they are known.
    pub bytes: u64,
}

impl Total {
    /// Takes a part away.
    pub(crate) fn take(&mut self, part: Self) {
        self.files = self.files.saturating_sub(part.files);
        self.bytes = self.bytes.saturating_sub(part.bytes);
    }
}

/// Files, bytes and checksums by state, or by how much they change.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals([Sum; STATES]);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    files: i64,
    bytes: i64,
    sum: i64,
}

impl Totals {
    pub(crate) fn add(&mut self, item: i64, name: &[u8], state: State, row: &Row) {
        let sum = &mut self.0[state.number() as usize];
        sum.files += 1;
        sum.bytes += counted(row.size);
        sum.sum = sum.sum.wrapping_add(checksum(item, name, row));
    }

    pub(crate) fn remove(&mut self, item: i64, name: &[u8], state: State, row: &Row) {
        let sum = &mut self.0[state.number() as usize];
        sum.files -= 1;
        sum.bytes -= counted(row.size);
        sum.sum = sum.sum.wrapping_sub(checksum(item, name, row));
    }

    /// Adds the changes to what is in the catalogue.
    pub(crate) fn write(&self, connection: &Connection, collection: CollectionId) -> Result<()> {
        let before = Self::of(connection, collection)?;
        for (state, (change, before)) in self.0.iter().zip(before.0).enumerate() {
            if *change == Sum::default() {
                continue;
            }
            let mut statement = connection.prepare_cached(
                "INSERT OR REPLACE INTO total (collection, state, files, bytes, sum) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            statement.execute(params![
                collection.0,
                state as i64,
                before.files + change.files,
                before.bytes.saturating_add(change.bytes),
                before.sum.wrapping_add(change.sum)
            ])?;
        }
        Ok(())
    }

    /// What the catalogue says.
    pub(crate) fn of(connection: &Connection, collection: CollectionId) -> Result<Self> {
        let mut totals = Self::default();
        let mut statement =
            connection.prepare_cached("SELECT state, files, bytes, sum FROM total WHERE collection = ?1")?;
        let mut rows = statement.query([collection.0])?;
        while let Some(row) = rows.next()? {
            let state = State::of_number(row.get("state")?)?;
            totals.0[state.number() as usize] =
                Sum { files: row.get("files")?, bytes: row.get("bytes")?, sum: row.get("sum")? };
        }
        Ok(totals)
    }
}

/// A checksum of what is known of an item.
fn checksum(item: i64, name: &[u8], row: &Row) -> i64 {
    let mut hasher = Xxh3::new();
    hasher.update(&item.to_le_bytes());
    for number in [row.size, row.mtime_ns, row.ctime_ns, row.inode] {
        hasher.update(&[u8::from(number.is_some())]);
        hasher.update(&number.unwrap_or(0).to_le_bytes());
    }
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name);
    hasher.update(row.digests.as_deref().unwrap_or_default());
    hasher.digest() as i64
}

/// The bytes that count of a file. One that claims a pebibyte or more is sparse, and a few of those would not fit into a sum.
fn counted(size: Option<i64>) -> i64 {
    const MOST: i64 = 1 << 50;

    match size {
        // A size that is not a number of SQLite.
        Some(size) if size < 0 => MOST,
        Some(size) => size.min(MOST),
        None => 0,
    }
}

impl Reader {
    /// How many files a collection has that are neither retired nor ignored, and their bytes.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn present(&self, collection: CollectionId) -> Result<Total> {
        let states = [State::Present, State::Registered, State::Unsettled, State::Unaccepted, State::Unread];
        let mut present = Total::default();
        for state in states {
            let total = self.total(collection, state)?;
            present.files += total.files;
            present.bytes = present.bytes.saturating_add(total.bytes);
        }
        Ok(present)
    }

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
            Some(row) => {
                Total { files: row.get::<_, i64>("files")? as u64, bytes: row.get::<_, i64>("bytes")? as u64 }
            }
            None => Total::default(),
        })
    }
}
