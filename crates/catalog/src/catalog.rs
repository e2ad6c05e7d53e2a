//! The file that everything is kept in.

use std::cell::RefCell;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hashlane_io::{Device, Medium};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::acting::Acting;
use crate::backups::Backups;
use crate::checksums;
use crate::clock::Clock;
use crate::earlier;
use crate::error::{Error, Result};
use crate::migrations::{LATEST, check_version, migrate};
use crate::opening::Opening;
use crate::paths::beside;
use crate::recorded::Recorded;

/// How long a process waits for another one that writes. Transactions are short: who waits so long waits for one that hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// Statements that a connection keeps compiled: all that an audit has. With fewer it compiles them again and again.
const STATEMENTS: usize = 256;

/// A catalogue: collections, what is known of their files, and what was found.
///
/// Several processes may have it open. One writes at a time, and the others wait for it.
#[derive(Debug)]
pub struct Catalog {
    pub(crate) connection: Connection,
    path: PathBuf,
    /// What was recorded in the run that was begun last.
    pub(crate) recorded: Recorded,
    /// Its rows have checksums: it is no earlier version that is shown as if it were of the present one.
    pub(crate) has_sums: bool,
    /// Who works with it.
    pub(crate) acting: Acting,
    /// Findings that were handed to who tells them, and are not known to be told.
    pub(crate) telling: RefCell<Vec<i64>>,
    /// Where it is copied to by itself.
    pub(crate) backups: Backups,
    /// Tells the time of events during an audit.
    pub(crate) clock: Option<Clock>,
    /// The device and the number of its file when it was opened.
    pub(crate) opened: Option<(u64, u64)>,
}

impl Catalog {
    /// Opens a catalogue to write to it, and makes it and its directory if there is none. An old one is brought to the present
    /// version; before that it is checked and copied.
    ///
    /// # Errors
    /// It cannot be opened or made, lies on a network file system, is no catalogue, or is of a later program. Or it is old, and is
    /// damaged, or there is no room for a copy.
    pub fn open_or_make(path: &Path) -> Result<Self> {
        Self::open_or_make_by(path, &Opening::default())
    }

    /// The same, where it is known by whom, and where its copies go.
    ///
    /// # Errors
    /// As [`Catalog::open_or_make`].
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
        Self::to_write(path, OpenFlags::SQLITE_OPEN_CREATE, opening)
    }

    /// Opens a catalogue that is there, to write to it. One that may not be written to is opened to be read only.
    ///
    /// # Errors
    /// There is none, or as [`Catalog::open_or_make`].
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_by(path, &Opening::default())
    }

    /// The same, where it is known by whom, and where its copies go.
    ///
    /// # Errors
    /// As [`Catalog::open`].
    pub fn open_by(path: &Path, opening: &Opening) -> Result<Self> {
        refuse_others(path)?;
        match Self::to_write(path, OpenFlags::empty(), opening) {
            Err(Error::Database { source, .. }) if is_write_refused(&source) => Self::to_read(path),
            opened => opened,
        }
    }

    /// Opens a catalogue that is there, only to read it. One of an earlier version stays of that version, and is shown as it is now, as
    /// if it were of the present one: what was not kept then is empty, and what others write from now on is not seen.
    ///
    /// # Errors
    /// There is none, it cannot be opened, lies on a network file system, is no catalogue, or is of a later program.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        refuse_others(path)?;
        let has_log = has_log(path);
        let connection = shared(path)?.map_or_else(|| read_only(path), Ok)?;
        // Whoever is the last to close it would write into it what a killed process has left in its log.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log)?;
        let mut found = check_version(&connection, path)?;
        prepare(&connection)?;
        if found < LATEST {
            // At one moment, which ends with the connection: what stands for its tables would be wrong as soon as another process
            // brings it up to date.
            connection.execute_batch("BEGIN")?;
            found = check_version(&connection, path)?;
        }
        match found < checksums::SINCE {
            true => earlier::show(&connection, found)?,
            false => checksums::look(&connection)?,
        }
        connection.pragma_update(None, "query_only", true)?;
        Ok(Self { has_sums: found >= checksums::SINCE, ..Self::at(path, connection) })
    }

    fn to_write(path: &Path, flags: OpenFlags, opening: &Opening) -> Result<Self> {
        let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        // SQLite opens what it may not write to, and says so later.
        if connection.is_readonly(rusqlite::MAIN_DB)? {
            return Self::to_read(path);
        }
        let problem = || Self::open_to_read(path)?.quick_problem();
        match prepare(&connection).and_then(|()| migrate(&mut connection, path, opening, &problem)) {
            Ok(()) => {}
            Err(Error::Database { source, .. })
                if source.sqlite_error_code() == Some(ErrorCode::NotADatabase) =>
            {
                return Err(Error::NotCatalog { path: path.into() });
            }
            Err(error) => return Err(error),
        }
        use_log(&connection)?;
        checksums::keep(&connection)?;
        let Opening { acting, backups } = opening.clone();
        Ok(Self { acting, backups, ..Self::at(path, connection) })
    }

    /// By whatever name it is opened: locks beside it are the same.
    fn at(path: &Path, connection: Connection) -> Self {
        let path = path.canonicalize().unwrap_or_else(|_| path.into());
        let opened = fs::metadata(&path).map(|facts| (facts.dev(), facts.ino())).ok();
        Self { opened, ..Self::over(connection, path) }
    }

    /// Over a connection that is ready.
    fn over(connection: Connection, path: PathBuf) -> Self {
        Self {
            connection,
            path,
            recorded: Recorded::default(),
            has_sums: true,
            acting: Acting::default(),
            telling: RefCell::default(),
            backups: Backups::default(),
            clock: None,
            opened: None,
        }
    }

    /// A catalogue that nobody may write to, at least not by this process.
    pub(crate) fn to_read(path: &Path) -> Result<Self> {
        let connection = read_only(path)?;
        let found = check_version(&connection, path)?;
        if found < LATEST {
            return Err(Error::Older { path: path.into(), found, latest: LATEST });
        }
        prepare(&connection)?;
        checksums::look(&connection)?;
        Ok(Self::at(path, connection))
    }

    /// A copy of a catalogue that is only read.
    pub(crate) fn of_copy(connection: Connection, path: &Path) -> Result<Self> {
        checksums::add_functions(&connection)?;
        checksums::look(&connection)?;
        Ok(Self::over(connection, path.into()))
    }

    /// Brings what was copied into it to the present version.
    pub(crate) fn migrated(&mut self) -> Result<()> {
        // It was checked as a backup.
        let opening = Opening { acting: self.acting.clone(), backups: self.backups.clone() };
        migrate(&mut self.connection, &self.path, &opening, &|| Ok(None))?;
        use_log(&self.connection)
    }

    /// One more connection to it, for a thread that reads.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn reader(&self) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        prepare(&connection)?;
        checksums::look(&connection)?;
        Ok(Self::over(connection, self.path.clone()))
    }

    /// Begins a moment, in which nothing is seen that others write; none if there is one already.
    pub(crate) fn begin_moment(&self) -> Result<Option<Transaction<'_>>> {
        let is_free = self.connection.is_autocommit();
        Ok(is_free.then(|| self.connection.unchecked_transaction()).transpose()?)
    }

    /// Whether it is of the version that this program writes. One of an earlier version is shown as it was when it was opened.
    pub fn is_of_this_version(&self) -> bool {
        self.has_sums
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Says what tells the time of events from now on; without a clock, they happen when what records them began.
    pub fn set_clock(&mut self, clock: Option<Clock>) {
        self.clock = clock;
    }

    /// Writes what may as well be written later. It does not wait for another process that writes: then nothing is written, which is `false`.
    pub(crate) fn write_unless_busy(&self, write: impl FnOnce(&Connection) -> Result<()>) -> Result<bool> {
        self.connection.busy_timeout(Duration::ZERO)?;
        let written = write(&self.connection);
        self.connection.busy_timeout(PATIENCE)?;
        match written {
            Err(Error::Database { source, .. })
                if source.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) =>
            {
                Ok(false)
            }
            written => written.map(|()| true),
        }
    }

    /// A batch of changes, of which all are made or none. Waits for other processes that write.
    pub(crate) fn begin(&mut self) -> Result<Transaction<'_>> {
        Ok(self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?)
    }
}

/// Refuses what is not there, and what cannot be a catalogue.
fn refuse_others(path: &Path) -> Result<()> {
    let facts = fs::metadata(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => Error::NoCatalog { path: path.into() },
        _ => Error::Open { path: path.into(), source },
    })?;
    if !facts.is_file() || facts.len() == 0 {
        return Err(Error::NotCatalog { path: path.into() });
    }
    refuse_network(path)
}

/// A connection to a catalogue that this process may write to, though it does not; nothing if it may not. The last one who may write
/// removes what SQLite shares among processes beside the file: who may only read leaves it there.
fn shared(path: &Path) -> Result<Option<Connection>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match Connection::open_with_flags(path, flags) {
        Err(error) if is_write_refused(&error) => return Ok(None),
        opened => opened?,
    };
    connection.busy_timeout(PATIENCE)?;
    let may_write = !connection.is_readonly(rusqlite::MAIN_DB)? && can_be_read(&connection);
    Ok(may_write.then_some(connection))
}

/// A connection to a catalogue that nobody may write to, at least not by this process.
fn read_only(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    if can_be_read(&connection) {
        return Ok(connection);
    }
    // Beside it there is no room for what SQLite shares among processes. Where nobody has left a log, the file is all there is.
    let log = fs::metadata(beside(path, "-wal")).map_or(0, |log| log.len());
    if log > 0 {
        return Err(Error::Unreadable { path: path.into() });
    }
    let uri = format!("file:{}?immutable=1", percent_encoded(path));
    Ok(Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?)
}

/// Whether a catalogue can be read where it lies. What else is wrong with it shows when its version is asked for.
fn can_be_read(connection: &Connection) -> bool {
    let probed = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    !probed.is_err_and(|error| is_write_refused(&error))
}

/// Whether an error says that the database, or what lies beside it, may not be written.
fn is_write_refused(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied)
    )
}

/// Whether there is anything in the log of a catalogue.
fn has_log(path: &Path) -> bool {
    path.canonicalize().and_then(|path| beside(&path, "-wal").metadata()).is_ok_and(|facts| facts.len() > 0)
}

/// A path as part of a URI.
fn percent_encoded(path: &Path) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(byte);
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    bytes
        .map(|byte| if is_plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
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

/// How each connection works.
fn prepare(connection: &Connection) -> Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is committed survives a power cut: a batch is worth its write.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    checksums::add_functions(connection)?;
    keep_plans(connection)?;
    Ok(())
}

/// Makes the plan of a statement once. SQLite would make it anew for each number that is bound, as those of items are.
pub(crate) fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// SQLite relies on locks and on shared memory beside the file. Over a network neither is what it seems.
fn refuse_network(path: &Path) -> Result<()> {
    let place = match path.parent() {
        _ if fs::metadata(path).is_ok() => path,
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match Device::at(place) {
        Ok(device) if device.medium == Medium::Network => {
            Err(Error::Network { path: path.into(), file_system: device.file_system })
        }
        Ok(_) => Ok(()),
        Err(source) => Err(Error::Open { path: path.into(), source }),
    }
}
