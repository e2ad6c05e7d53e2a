//! The databases of NSRL's Reference Data Set, version 3: SQLite with a table or view `FILE`.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_digest::{Algorithm, Digest};
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::error::Error;

/// The longest row, in bytes: no name is as long, and memory does not grow with what a damaged file claims.
const MOST_BYTES: i32 = 1 << 20;

/// How a file of SQLite begins.
const SQLITE_MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The columns with digests, and their algorithms.
const DIGESTS: [(&str, &str); 4] =
    [("sha256", "sha256"), ("sha1", "sha1"), ("md5", "md5"), ("crc32", "crc32")];

/// A database of NSRL, open for reading.
#[derive(Debug)]
pub struct Nsrl {
    connection: Connection,
    /// The algorithms, in the order of the query's columns.
    algorithms: Vec<Algorithm>,
    query: String,
}

/// A row of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NsrlRow {
    /// Its number, from 1, in the order of reading.
    pub number: u64,
    /// The name of the file; empty where there is none.
    pub name: Vec<u8>,
    /// Size in bytes.
    pub size: Option<u64>,
    /// Its digests.
    pub digests: Vec<Digest>,
    /// A column that should hold a digest and holds something else.
    pub bad: Option<&'static str>,
}

impl Nsrl {
    /// Whether a file that begins so is a database of SQLite.
    pub fn is_database(beginning: &[u8]) -> bool {
        beginning.starts_with(SQLITE_MAGIC)
    }

    /// Opens a database. Nothing is written to it, nor beside it, as SQLite would even of a database that is only read.
    ///
    /// Nobody may write to it as long as it is open: there are no locks on it, and half of a change could be read.
    ///
    /// # Errors
    /// It is not a database, has no table or view `FILE` with names and digests, or its last changes stand in another file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        refuse_unfinished(path)?;
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(uri(path), flags)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MOST_BYTES)?;
        // As SQLite's authors advise for files of others: views call nothing that has effects, pages are looked at before use.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        let columns: Vec<String> = connection
            .prepare("SELECT lower(name) FROM pragma_table_info('FILE')")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let has = |name: &str| columns.iter().any(|column| column == name);
        if columns.is_empty() {
            return Err(Error::NotNsrl { what: "it has no table FILE" });
        }
        let present: Vec<_> = DIGESTS.iter().filter(|(column, _)| has(column)).collect();
        if present.is_empty() {
            return Err(Error::NotNsrl { what: "its table FILE has no column sha256, sha1 or md5" });
        }
        let or_null = |name: &'static str| if has(name) { name } else { "NULL" };
        let mut query = format!("SELECT {}, {}", or_null("file_name"), or_null("file_size"));
        for (column, _) in &present {
            query += &format!(", {column}");
        }
        query += " FROM FILE";
        let algorithms = present.iter().filter_map(|(_, name)| Algorithm::named(name)).collect();
        Ok(Self { connection, algorithms, query })
    }

    /// The algorithms that it has digests of.
    pub fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// Hands out all rows, in the order in which the database has them.
    ///
    /// # Errors
    /// The database cannot be read; or what `take` gives.
    pub fn for_each<E: From<Error>>(&self, mut take: impl FnMut(NsrlRow) -> Result<(), E>) -> Result<(), E> {
        let failed = |error: rusqlite::Error| E::from(Error::Database(error));
        let mut statement = self.connection.prepare(&self.query).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        let mut number = 0;
        while let Some(row) = rows.next().map_err(failed)? {
            number += 1;
            let name = match row.get_ref(0).map_err(failed)? {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_vec(),
                _ => Vec::new(),
            };
            let size = match row.get_ref(1).map_err(failed)? {
                ValueRef::Integer(size) => u64::try_from(size).ok(),
                ValueRef::Text(text) => std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()),
                _ => None,
            };
            let mut found = NsrlRow { number, name, size, digests: Vec::new(), bad: None };
            for (column, &algorithm) in self.algorithms.iter().enumerate() {
                match digest(algorithm, row.get_ref(2 + column).map_err(failed)?) {
                    Cell::Digest(digest) => found.digests.push(digest),
                    Cell::Nothing => {}
                    Cell::Bad => found.bad = Some(algorithm.name()),
                }
            }
            take(found)?;
        }
        Ok(())
    }
}

/// Refuses a database whose last changes stand in a file beside it: a log that is not written back, or a journal that has
/// to be rolled back. (One that begins with a zero was done with and is kept to be written over.)
fn refuse_unfinished(path: &Path) -> Result<(), Error> {
    // SQLite follows links, and names these files after what it comes to. What is not there it says itself.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    for suffix in ["-wal", "-journal"] {
        let mut beside = path.as_os_str().to_owned();
        beside.push(suffix);
        let mut first = [0];
        // What is not a file is not opened: a pipe would be waited for.
        let begins = match std::fs::metadata(&beside) {
            Ok(facts) if !facts.is_file() => Err(ErrorKind::InvalidInput.into()),
            Ok(_) => File::open(&beside).and_then(|mut file| file.read(&mut first)),
            Err(error) => Err(error),
        };
        match begins {
            Ok(0) => {}
            Ok(_) if suffix == "-journal" && first == [0] => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Ok(_) | Err(_) => return Err(Error::Unfinished { beside: beside.into() }),
        }
    }
    Ok(())
}

/// The file as SQLite's library takes it, with the promise that nobody changes it: so it makes no files for those who might.
fn uri(path: &Path) -> String {
    // By itself `:memory:` would be no file.
    let relative = if path.is_absolute() { "" } else { "./" };
    let name = percent_encode(path.as_os_str().as_bytes(), NON_ALPHANUMERIC);
    format!("file:{relative}{name}?immutable=1")
}

/// What stands where a digest should.
enum Cell {
    Digest(Digest),
    Nothing,
    Bad,
}

fn digest(algorithm: Algorithm, value: ValueRef<'_>) -> Cell {
    let bytes = match value {
        ValueRef::Null | ValueRef::Text(b"") => return Cell::Nothing,
        ValueRef::Text(text) => data_encoding::HEXLOWER_PERMISSIVE.decode(text).ok(),
        ValueRef::Blob(bytes) => Some(bytes.to_vec()),
        ValueRef::Integer(_) | ValueRef::Real(_) => None,
    };
    match bytes.and_then(|bytes| Digest::new(algorithm, &bytes).ok()) {
        Some(digest) => Cell::Digest(digest),
        None => Cell::Bad,
    }
}
