//! A connection that writes.

use std::cell::RefCell;
use std::fs::{self, DirBuilder};
use std::ops::Deref;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::acting::Acting;
use crate::checksums;
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::migrations::{LATEST, migrate};
use crate::opening::Opening;
use crate::reader::{PATIENCE, Reader, is_write_refused, prepare, refuse_network, refuse_others};
use crate::recorded::Recorded;

/// A catalogue that is written to.
///
/// Several processes may have it open. One writes at a time, and the others wait for it.
///
/// It is a [`Reader`], too: what is written depends on what is there, and is to be seen by the same connection, which alone sees it before it is
/// committed.
#[derive(Debug)]
pub struct Writer {
    pub(crate) reader: Reader,
    /// What was recorded in the run that was begun last.
    pub(crate) recorded: Recorded,
    /// Who works with it.
    pub(crate) acting: Acting,
    /// Findings that were handed to who tells them, and are not known to be told.
    pub(crate) telling: RefCell<Vec<i64>>,
    /// Reads the time of events during an audit.
    pub(crate) clock: Option<Clock>,
}

impl Deref for Writer {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl Writer {
    /// Opens a catalogue to write to it, and makes it and its directory if there is none. An old one is brought to the present
    /// version; before that it is checked and copied.
    ///
    /// # Errors
    /// It cannot be opened or made, lies on a network file system, is not a catalogue, or is of a later program. Or it is old, and is
    /// damaged, or there is no room for a copy.
    pub fn open_or_make(path: &Path) -> Result<Self> {
        Self::open_or_make_by(path, &Opening::default())
    }

    /// The same, where it is known by whom, and where its copies go.
    ///
    /// # Errors
    /// As [`Writer::open_or_make`].
    pub fn open_or_make_by(path: &Path, opening: &Opening) -> Result<Self> {
        let failed = |source| Error::Open { path: path.into(), source };
        // SQLite would write to a device, and make files beside it.
        if fs::metadata(path).is_ok_and(|facts| !facts.is_file()) {
            return Err(Error::NotCatalog { path: path.into() });
        }
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            // What is in it is nobody else's: names of files tell a lot.
            DirBuilder::new().recursive(true).mode(0o700).create(parent).map_err(failed)?;
        }
        refuse_network(path)?;
        Self::to_write(path, OpenFlags::SQLITE_OPEN_CREATE, opening).map_err(|error| error.at(path))
    }

    /// Opens a catalogue that is there, to write to it. One that may not be written to is opened to be read only.
    ///
    /// # Errors
    /// There is none, or as [`Writer::open_or_make`].
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_by(path, &Opening::default())
    }

    /// The same, where it is known by whom, and where its copies go.
    ///
    /// # Errors
    /// As [`Writer::open`].
    pub fn open_by(path: &Path, opening: &Opening) -> Result<Self> {
        refuse_others(path)?;
        match Self::to_write(path, OpenFlags::empty(), opening) {
            Err(Error::Database { source, .. }) if is_write_refused(&source.0) => {
                Ok(Self::over(Reader::to_read(path)?, &Opening::default()))
            }
            opened => opened.map_err(|error| error.at(path)),
        }
    }

    /// One more connection to it, for a thread that reads. It waits as long as one that writes does.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn reader(&self) -> Result<Reader> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(self.path(), flags)?;
        prepare(&connection, PATIENCE)?;
        checksums::look(&connection, LATEST)?;
        Ok(Reader::of_writer(connection, self.path()))
    }

    fn to_write(path: &Path, flags: OpenFlags, opening: &Opening) -> Result<Self> {
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        // SQLite opens what it may not write to, and says so later.
        if connection.is_readonly(rusqlite::MAIN_DB)? {
            return Ok(Self::over(Reader::to_read(path)?, &Opening::default()));
        }
        let problem = || Reader::open_within(path, PATIENCE)?.quick_problem();
        match prepare(&connection, PATIENCE).and_then(|()| migrate(&mut connection, path, opening, &problem))
        {
            Ok(()) => {}
            Err(Error::Database { source, .. })
                if source.0.sqlite_error_code() == Some(ErrorCode::NotADatabase) =>
            {
                return Err(Error::NotCatalog { path: path.into() });
            }
            Err(error) => return Err(error),
        }
        use_log(&connection)?;
        checksums::keep(&connection)?;
        Ok(Self::over(Reader::at(path, connection), opening))
    }

    /// Over a connection that is ready.
    fn over(mut reader: Reader, opening: &Opening) -> Self {
        let Opening { acting, backups } = opening.clone();
        reader.backups = backups;
        let (recorded, telling, clock) = (Recorded::default(), RefCell::default(), None);
        Self { reader, recorded, acting, telling, clock }
    }

    /// Brings what was copied into it to the present version.
    pub(crate) fn migrated(&mut self) -> Result<()> {
        // It was checked as a backup.
        let opening = Opening { acting: self.acting.clone(), backups: self.backups.clone() };
        let path = self.path().to_owned();
        migrate(&mut self.reader.connection, &path, &opening, &|| Ok(None))?;
        use_log(&self.connection)
    }

    /// Sets what reads the time of events from now on; without a clock, they happen when what records them began.
    pub fn set_clock(&mut self, clock: Option<Clock>) {
        self.clock = clock;
    }

    /// Writes what may as well be written later. It does not wait for another process that writes: then nothing is written, which is `false`.
    pub(crate) fn write_unless_busy(&self, write: impl FnOnce(&Connection) -> Result<()>) -> Result<bool> {
        self.connection.busy_timeout(Duration::ZERO)?;
        let written = write(&self.connection);
        self.connection.busy_timeout(PATIENCE)?;
        match written {
            Err(Error::Locked { .. }) => Ok(false),
            written => written.map(|()| true),
        }
    }

    /// A batch of changes: all are made, or none. Waits for other processes that write.
    pub(crate) fn begin(&mut self) -> Result<Transaction<'_>> {
        Ok(self.reader.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }
}

/// Lets readers and the one that writes not wait for each other. SQLite does not wait for others here, so this does.
fn use_log(connection: &Connection) -> Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < end =>
            {
                std::thread::sleep(Duration::from_millis(20));
            }
            result => return Ok(result?),
        }
    }
}
