//! A connection that reads.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hashlane_io::{Device, Medium};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, InterruptHandle, OpenFlags, Transaction};

use crate::backups::Backups;
use crate::checksums;
use crate::earlier;
use crate::error::{Error, Result};
use crate::migrations::{LATEST, check_version};
use crate::paths::beside;

/// How long a process waits for another one that writes. Transactions are short: who waits so long waits for one that hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// Statements that a connection keeps compiled: all that an audit has. With fewer it compiles them again and again.
const STATEMENTS: usize = 256;

/// A catalogue that is read: collections, what is known of their files, and what was found.
///
/// Several may be open at once, in one process and in many, beside one that writes ([`Writer`](crate::Writer)). None of them waits for
/// that one, but for the moments in which it has the file for itself.
#[derive(Debug)]
pub struct Reader {
    pub(crate) connection: Connection,
    path: PathBuf,
    /// Its version: an earlier one is shown as if it were the present one.
    version: u32,
    /// The device and the number of its file when it was opened.
    pub(crate) opened: Option<(u64, u64)>,
    /// Where its copies lie, as far as who has opened it has said so.
    pub(crate) backups: Backups,
}

/// Ends what a reader is doing, from another thread.
pub struct Interrupter(InterruptHandle);

impl Interrupter {
    /// Ends the statement that the reader carries out now, if it does: that fails with [`Error::Interrupted`]. The reader goes on with the next one.
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

impl std::fmt::Debug for Interrupter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Interrupter")
    }
}

impl Reader {
    /// How long a reader waits for one that has the file for itself, unless it is opened with another deadline.
    pub const DEADLINE: Duration = Duration::from_secs(2);

    /// How long a writer waits, and whoever would rather wait than go without an answer.
    pub const PATIENCE: Duration = PATIENCE;

    /// Opens a catalogue that is there, only to read it. One of an earlier version stays of that version, and is shown as it is now, as
    /// if it were of the present one: what was not kept then is empty, and what others write from now on is not seen.
    ///
    /// # Errors
    /// There is none, it cannot be opened, lies on a network file system, is not a catalogue, or is of a later program. Or another process has it for
    /// itself for longer than [`Reader::DEADLINE`] ([`Error::Locked`]).
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_within(path, Self::DEADLINE)
    }

    /// The same with another deadline: for so long each of its statements waits for one that has the file for itself.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn open_within(path: &Path, deadline: Duration) -> Result<Self> {
        Self::opened(path, deadline).map_err(|error| error.at(path))
    }

    fn opened(path: &Path, deadline: Duration) -> Result<Self> {
        refuse_others(path)?;
        let has_log = has_log(path);
        let connection = shared(path, deadline)?.map_or_else(|| read_only(path, deadline), Ok)?;
        // Whoever is the last to close it would write into it what a killed process has left in its log.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, has_log)?;
        let mut found = check_version(&connection, path)?;
        prepare(&connection, deadline)?;
        if found < LATEST {
            // At one moment, which ends with the connection: what stands for its tables would be wrong as soon as another process
            // brings it up to date.
            connection.execute_batch("BEGIN")?;
            found = check_version(&connection, path)?;
        }
        earlier::show(&connection, found)?;
        if found >= checksums::SINCE {
            checksums::look(&connection, found)?;
        }
        connection.pragma_update(None, "query_only", true)?;
        Ok(Self { version: found, ..Self::at(path, connection) })
    }

    /// By whatever name it is opened: locks beside it are the same.
    pub(crate) fn at(path: &Path, connection: Connection) -> Self {
        let path = path.canonicalize().unwrap_or_else(|_| path.into());
        let opened = fs::metadata(&path).map(|facts| (facts.dev(), facts.ino())).ok();
        Self { opened, ..Self::over(connection, path) }
    }

    /// One more beside a writer, which has the file open.
    pub(crate) fn of_writer(connection: Connection, path: &Path) -> Self {
        Self::over(connection, path.to_owned())
    }

    /// Over a connection that is ready.
    fn over(connection: Connection, path: PathBuf) -> Self {
        Self { connection, path, version: LATEST, opened: None, backups: Backups::default() }
    }

    /// A catalogue that nobody may write to, at least not by this process.
    pub(crate) fn to_read(path: &Path) -> Result<Self> {
        let connection = read_only(path, PATIENCE)?;
        let found = check_version(&connection, path)?;
        if found < LATEST {
            return Err(Error::Older { path: path.into(), found, latest: LATEST });
        }
        prepare(&connection, PATIENCE)?;
        checksums::look(&connection, LATEST)?;
        Ok(Self::at(path, connection))
    }

    /// A copy of a catalogue that is only read.
    pub(crate) fn of_copy(connection: Connection, path: &Path) -> Result<Self> {
        checksums::add_functions(&connection)?;
        checksums::look(&connection, LATEST)?;
        Ok(Self::over(connection, path.into()))
    }

    /// What ends a statement of this reader, from another thread.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.connection.get_interrupt_handle())
    }

    /// Begins a moment, in which nothing is seen that others write; none if there is one already.
    pub(crate) fn begin_moment(&self) -> Result<Option<Transaction<'_>>> {
        let is_free = self.connection.is_autocommit();
        Ok(is_free.then(|| self.connection.unchecked_transaction()).transpose()?)
    }

    /// Whether it is of the version that this program writes. One of an earlier version is shown as it was when it was opened.
    pub fn is_of_this_version(&self) -> bool {
        self.version == LATEST
    }

    /// Whether its rows have checksums.
    pub(crate) fn has_sums(&self) -> bool {
        self.version >= checksums::SINCE
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Refuses what is not there, and what cannot be a catalogue.
pub(crate) fn refuse_others(path: &Path) -> Result<()> {
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
fn shared(path: &Path, deadline: Duration) -> Result<Option<Connection>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match Connection::open_with_flags(path, flags) {
        Err(error) if is_write_refused(&error) => return Ok(None),
        opened => opened?,
    };
    connection.busy_timeout(deadline)?;
    let may_write = !connection.is_readonly(rusqlite::MAIN_DB)? && can_be_read(&connection)?;
    Ok(may_write.then_some(connection))
}

/// A connection to a catalogue that nobody may write to, at least not by this process.
fn read_only(path: &Path, deadline: Duration) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(deadline)?;
    if can_be_read(&connection)? {
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
fn can_be_read(connection: &Connection) -> rusqlite::Result<bool> {
    match connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())) {
        Err(error) if is_write_refused(&error) => Ok(false),
        // It was waited for long enough.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Err(error),
        _ => Ok(true),
    }
}

/// Whether an error says that the database, or what lies beside it, may not be written.
pub(crate) fn is_write_refused(error: &rusqlite::Error) -> bool {
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

/// How each connection works.
pub(crate) fn prepare(connection: &Connection, patience: Duration) -> Result<()> {
    connection.busy_timeout(patience)?;
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
pub(crate) fn refuse_network(path: &Path) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_opens_it_to_read_cannot_write_to_it_whatever_its_version() {
        for version in 1..=LATEST {
            let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/catalogues");
            let directory = tempfile::tempdir().expect("a directory");
            let path = directory.path().join("catalog");
            fs::copy(Path::new(fixtures).join(format!("version-{version}.sqlite")), &path).expect("a copy");
            let reader = Reader::open(&path).expect("it can be read");
            let written = reader.connection.execute("UPDATE main.collection SET name = name", []);
            written.expect_err("it is open to be read");
        }
    }
}
