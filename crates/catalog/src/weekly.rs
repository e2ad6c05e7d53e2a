//! The copy that a catalogue gets once a week, by who has audited.

use std::fs;
use std::path::Path;

use hashlane_record::shown_name;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, json};

use crate::backups::{Backup, FreeBytes, Occasion, Shelf, free_bytes};
use crate::changes::{self, Changed};
use crate::copying;
use crate::error::{Error, Result};
use crate::maintenance::Thoroughness;
use crate::paths::bytes_of;
use crate::reader::Reader;
use crate::writer::Writer;

/// After what time a copy is due. An audit of each night ends now earlier, now later, and is to copy in the same night of each week.
const DUE_S: i64 = 7 * 86_400 - 43_200;

/// So far a clock may have been set back: a copy from further ahead was made by a wrong one, and says nothing.
const AHEAD_S: i64 = 86_400;

impl Reader {
    /// Makes the copy, under the lock.
    fn copy_to(&self, shelf: &Shelf, now_s: i64, free_bytes: FreeBytes<'_>) -> Result<Backup> {
        shelf.make()?;
        let directory = shelf.directory();
        let free_bytes =
            free_bytes(directory).map_err(|source| Error::Open { path: directory.into(), source })?;
        let needed_bytes = self.bytes()?;
        if needed_bytes > free_bytes {
            return Err(Error::NoRoomForCopy { path: directory.into(), needed_bytes, free_bytes });
        }
        let backup = shelf.next(Occasion::Weekly, now_s)?;
        let partial = copying::write_unchecked(&self.connection, &backup.path)?;
        let named = shelf
            .protect(&partial)
            .and_then(|()| check(&partial))
            .and_then(|()| copying::name(&partial, &backup.path));
        if let Err(error) = named {
            // What is damaged takes the place of no good copy.
            let _ = fs::remove_file(&partial);
            return Err(error);
        }
        Ok(backup)
    }

    /// How large a copy would be.
    fn bytes(&self) -> Result<u64> {
        let number = |name| -> Result<i64> {
            Ok(self.connection.pragma_query_value(Some("main"), name, |row| row.get(0))?)
        };
        Ok(number("page_count")?.unsigned_abs() * number("page_size")?.unsigned_abs())
    }
}

impl Writer {
    /// Copies the catalogue, if no copy was made for a week, at a time in seconds since 1970. Others may write to it meanwhile. The copy is
    /// checked in full before it has its name. The last four are kept. Nothing is returned if none is due, or another process is about to
    /// make it.
    ///
    /// # Errors
    /// The catalogue is damaged, there is no room, or the directory cannot be written to. Then there is no such copy, and earlier ones stay.
    pub fn back_up_weekly(&mut self, now_s: i64) -> Result<Option<Backup>> {
        let path = self.path().to_owned();
        self.back_up_where(now_s, &free_bytes).map_err(|error| error.at(&path))
    }

    fn back_up_where(&mut self, now_s: i64, free_bytes: FreeBytes<'_>) -> Result<Option<Backup>> {
        let Some(shelf) = self.backups.shelf(self.path()) else { return Ok(None) };
        let Some(lock) = shelf.try_lock()? else { return Ok(None) };
        shelf.sweep()?;
        let copies = shelf.copies_of(&self.connection)?;
        let weekly = copies.iter().filter(|copy| copy.occasion == Occasion::Weekly);
        if !is_due(weekly.map(|copy| copy.made_s), now_s) {
            return Ok(None);
        }
        let backup = self.copy_to(&shelf, now_s, free_bytes)?;
        let pruned = shelf.prune(Occasion::Weekly, &self.connection);
        // Who brings the catalogue up to date waits for the lock, and nobody else can write to it then.
        drop(lock);
        let recorded = self.record_backup(&backup.path, now_s);
        // It is made all the same.
        pruned.and(recorded).map_err(|error| Error::AfterCopy {
            path: backup.path.clone(),
            problem: error.at(self.path()).to_string(),
        })?;
        Ok(Some(backup))
    }

    /// Records that it was copied to a file.
    fn record_backup(&mut self, to: &Path, now_s: i64) -> Result<()> {
        let becomes =
            [("file".to_owned(), json!(shown_name(bytes_of(to)))), ("occasion".to_owned(), json!("weekly"))];
        let changed = Changed {
            what: "backup",
            collection: None,
            name: "",
            was: Map::new(),
            becomes: becomes.into_iter().collect(),
        };
        let mut acting = self.acting.clone();
        acting.at_s = Some(now_s);
        let transaction = self.begin()?;
        changes::record(&transaction, &acting, &changed)?;
        transaction.commit()?;
        Ok(())
    }
}

/// Looks at all of a copy that has no name yet.
fn check(partial: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let copy = Reader::of_copy(Connection::open_with_flags(partial, flags)?, partial)?;
    match copy.verify(Thoroughness::Full)?.into_iter().next() {
        Some(damage) => Err(Error::Damaged { path: None, damage }),
        None => Ok(()),
    }
}

/// Whether a copy is due, where others were made at these times. Each of them counts, and not the latest alone: a clock that goes wrong again
/// and again would have a copy made each time, until none of a good week is left.
fn is_due(mut made_s: impl Iterator<Item = i64>, now_s: i64) -> bool {
    !made_s.any(|made_s| made_s > now_s - DUE_S && made_s <= now_s + AHEAD_S)
}

#[cfg(test)]
mod tests;
