//! Who audits a collection, or changes what an audit relies on: one at a time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use hashlane_record::{Escaped, shown_name};
use rusqlite::params;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::clock::Clock;
use crate::collections::Collection;
use crate::error::{Error, Result};
use crate::paths::beside;
use crate::reader::Reader;
use crate::writer::Writer;

/// What the name of a lock has between that of the catalogue and the number of the collection.
const LOCK: &str = ".audit-";

/// What the name has of the lock that is held while it is counted how many are under way.
pub(crate) const TURN: &str = ".audit-turn";

/// The same of the lock that is held while messages are delivered.
pub(crate) const TELLING: &str = ".tell-lock";

/// An audit that has not said for this many seconds how far it is, and whose process nobody can look for, has died.
const SILENT_S: i64 = 3600;

/// Held while a collection is audited. The system lets go of it when its process ends, however that ends: what a file says about one
/// that is gone stops nobody.
#[derive(Debug)]
pub struct Lock(File);

/// Who holds a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holder {
    /// The number of the process.
    pub process: u32,
    /// The machine that it runs on.
    pub host: String,
    /// Since when, in seconds since 1970.
    pub since_s: i64,
}

impl Holder {
    /// The one that a file speaks of. Nothing of one that has just been locked, or is about to be let go of: it is empty or cut off.
    fn parse(text: &str) -> Option<Self> {
        let (who, since) = text.strip_suffix('\n')?.rsplit_once(" since ")?;
        let (process, host) = who.strip_prefix("process ")?.split_once(" on ")?;
        Some(Self { process: process.parse().ok()?, host: host.to_owned(), since_s: since.parse().ok()? })
    }
}

impl Writer {
    /// Says that this process audits a collection, or changes it, since a time in seconds since 1970.
    ///
    /// # Errors
    /// Another process does: the error says which, where and since when. Or the collection was purged since it was looked up.
    pub fn lock(&self, collection: &Collection, now_s: i64) -> Result<Lock> {
        self.lock_beside(collection, now_s, None)
    }

    /// The same, if fewer than `most` collections are held. Those who ask so take turns: no two of them are counted as one.
    ///
    /// # Errors
    /// As [`Writer::lock`]; or as many are held ([`Error::Others`]).
    pub fn lock_beside(&self, collection: &Collection, now_s: i64, most: Option<u32>) -> Result<Lock> {
        let _turn = match most {
            Some(most) => Some(self.take_turn(most)?),
            None => None,
        };
        let path = self.lock_path(collection);
        let mut lock = take(&path, &collection.terms.name)?;
        // A number is given out again after a purge: what was registered under it since is not what is meant.
        if !self.is_still(collection)? {
            return Err(Error::NoCollection { name: collection.terms.name.clone() });
        }
        describe(&mut lock.0, now_s).map_err(|source| Error::Open { path, source })?;
        Ok(lock)
    }
}

impl Writer {
    /// Says that this process delivers messages; nothing if another one does.
    ///
    /// # Errors
    /// The file of the lock cannot be opened.
    pub fn lock_telling(&self) -> Result<Option<Lock>> {
        match take(&self.beside(TELLING), "messages") {
            Ok(lock) => Ok(Some(lock)),
            Err(Error::Busy { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits for who counts, and counts.
    fn take_turn(&self, most: u32) -> Result<File> {
        let path = self.beside(TURN);
        let failed = |source| Error::Open { path: path.clone(), source };
        let mut options = OpenOptions::new();
        let turn = options.read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        flock(&turn, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        let mut others = Vec::new();
        for collection in self.collections()? {
            if let Some(holder) = self.holder(&collection)? {
                others.push((collection.terms.name, holder));
            }
        }
        match others.len() >= most as usize {
            true => Err(Error::Others { others }),
            false => Ok(turn),
        }
    }
}

impl Reader {
    /// Who audits a collection at the moment, as far as that can be seen without taking its lock: that might keep an audit from beginning. Who has
    /// died on this machine does not count.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn holder(&self, collection: &Collection) -> Result<Option<Holder>> {
        let path = self.lock_path(collection);
        // One that cannot be read is not there yet, or is none of this user.
        let text = fs::read_to_string(&path).unwrap_or_default();
        let Some(holder) = Holder::parse(&text) else { return Ok(None) };
        let is_alive = match holder.host == host() {
            true => has_open(holder.process, &path),
            // The machine has had another name since, or a container of it had one. Nobody there can be asked.
            false => self.was_heard_of(collection)?,
        };
        Ok(is_alive.then_some(holder))
    }

    /// Whether an audit of a collection has said lately how far it is.
    fn was_heard_of(&self, collection: &Collection) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "SELECT 1 FROM run JOIN stint ON stint.run = run.id
             WHERE collection = ?1 AND stint.ended_s IS NULL AND abs(?2 - coalesce(progress_s, stint.started_s)) <= ?3 LIMIT 1",
        )?;
        let now_s = Clock::of_system().now_s();
        Ok(statement.exists(params![collection.id.0, now_s, SILENT_S])?)
    }

    fn lock_path(&self, collection: &Collection) -> PathBuf {
        self.beside(&format!("{LOCK}{}", collection.id.0))
    }

    fn beside(&self, what: &str) -> PathBuf {
        beside(self.path(), what)
    }
}

/// The name of this machine, as it stands in locks.
fn host() -> String {
    Escaped(rustix::system::uname().nodename().to_bytes()).to_string()
}

/// Whether a process of this machine has a lock open. After a restart another one may have the number of one that has died. Of the processes of
/// other users only root sees what they have open: that they are there has to do.
fn has_open(process: u32, lock: &Path) -> bool {
    let process = Path::new("/proc").join(process.to_string());
    match fs::read_dir(process.join("fd")) {
        // By its name: the catalogue may be mounted in several places. Nothing is asked of the files, which may lie on a server that hangs.
        Ok(open) => open
            .flatten()
            .filter_map(|file| fs::read_link(file.path()).ok())
            .any(|file| file.file_name() == lock.file_name()),
        Err(_) => process.exists(),
    }
}

/// The locks of all collections that were ever audited, of a catalogue that may not be readable.
pub(crate) fn all_beside(catalog: &Path) -> Result<Vec<Lock>> {
    let failed = |source| Error::Open { path: catalog.into(), source };
    let Some(name) = catalog.file_name() else { return Ok(Vec::new()) };
    let lock = [name.as_encoded_bytes(), LOCK.as_bytes()].concat();
    let directory = catalog.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut locks = Vec::new();
    for entry in fs::read_dir(directory.unwrap_or(Path::new("."))).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let number = path.file_name().and_then(|name| name.as_encoded_bytes().strip_prefix(&lock[..]));
        if number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit)) {
            locks.push(take(&path, &shown_name(name.as_encoded_bytes()))?);
        }
    }
    Ok(locks)
}

/// Takes a lock, unless another process has it. `name`: what it is a lock of.
fn take(path: &Path, name: &str) -> Result<Lock> {
    let failed = |source| Error::Open { path: path.into(), source };
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Lock(file)),
        Err(Errno::WOULDBLOCK) => {
            let mut text = String::new();
            let _ = file.take(1000).read_to_string(&mut text);
            Err(Error::Busy { name: name.into(), holder: Holder::parse(&text) })
        }
        Err(error) => Err(failed(error.into())),
    }
}

/// Writes who holds it, in one piece: who reads meanwhile finds all of it or nothing.
fn describe(file: &mut File, now_s: i64) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(format!("process {} on {} since {now_s}\n", std::process::id(), host()).as_bytes())
}

impl Drop for Lock {
    fn drop(&mut self) {
        // What it says is no longer true. The file stays: another process may wait with it open.
        let _ = self.0.set_len(0);
        // A child that this process is just starting has the file open too, until it is another program.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_told_as_a_whole_or_not_at_all() {
        let text = "process 17 on a host since 1700000000\n";
        let holder = Holder { process: 17, host: "a host".into(), since_s: 1_700_000_000 };
        assert_eq!(Holder::parse(text), Some(holder));
        for end in 0..text.len() {
            assert_eq!(Holder::parse(&text[..end]), None, "{end}");
        }
        for other in ["process x on y since 1\n", "process 1 on y since z\n", "nonsense\n"] {
            assert_eq!(Holder::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_process_that_has_the_number_of_one_that_died_holds_no_lock() {
        let directory = tempfile::tempdir().expect("a directory");
        // No other test of this process has a file of this name open: they are known by their names.
        let path = directory.path().join("of this test alone.audit-1");
        let lock = File::create(&path).expect("made");
        assert!(has_open(std::process::id(), &path));
        drop(lock);
        assert!(path.exists() && !has_open(std::process::id(), &path));
        assert!(!has_open(u32::MAX, &path), "there is no such process");
    }
}
