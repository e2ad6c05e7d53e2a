//! Why a catalogue cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use hashlane_record::{Escaped, count, counted, shown_name, system_text};
use rusqlite::ErrorCode;

use crate::checksums;
use crate::damage::{CataloguePart, Damage};
use crate::lock::Holder;
use crate::steering::Pause;

/// Why a catalogue cannot be used, or does not take what it was given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened or made.
    #[error("{}: {}", name(path), system_text(source))]
    Open {
        /// The catalogue.
        path: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// There is no such file.
    #[error("{}: there is no catalogue", name(path))]
    NoCatalog {
        /// Where it would be.
        path: PathBuf,
    },
    /// It may not be written to, and without that it cannot be read.
    #[error(
        "{}: has a write-ahead log beside it, and can be read only by a user who may write to both",
        name(path)
    )]
    Unreadable {
        /// The catalogue.
        path: PathBuf,
    },
    /// It lies on a file system of another machine, whose locks SQLite cannot rely on.
    #[error("{}: lies on {file_system}, a network file system, where a catalogue is not safe", name(path))]
    Network {
        /// The catalogue.
        path: PathBuf,
        /// The type of the file system.
        file_system: String,
    },
    /// The file is not a catalogue.
    #[error("{}: is not a catalogue of hashlane", name(path))]
    NotCatalog {
        /// The file.
        path: PathBuf,
    },
    /// A later version of the program has made it.
    #[error("{}: has version {found}, and this program knows versions up to {known}", name(path))]
    Newer {
        /// The catalogue.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The latest known one.
        known: u32,
    },
    /// A catalogue of an earlier program, which may not be written to.
    #[error(
        "{}: is of version {found}, and {latest} is the present one; it may not be written to, so it cannot be brought up to date",
        name(path)
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The one that this program reads.
        latest: u32,
    },
    /// A catalogue of an earlier program is damaged: what a migration would make of it, nobody knows.
    #[error(
        "{}: is damaged, and stays of version {found}, where {latest} is the present one: {problem}",
        name(path)
    )]
    NotWhole {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The one that it was to be brought to.
        latest: u32,
        /// The first thing that is wrong with it.
        problem: String,
    },
    /// A catalogue of an earlier program cannot be brought up to date: there is no room for a copy, or for what is written anew.
    #[error(
        "{}: is of version {found}; to bring it to version {latest} takes {} in {}, and {} are free there; make room",
        name(path),
        counted(*needed_bytes, "byte"),
        name(directory),
        count(*free_bytes)
    )]
    NoRoom {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The one that it was to be brought to.
        latest: u32,
        /// Where the room is missing.
        directory: PathBuf,
        /// What it takes there.
        needed_bytes: u64,
        /// What is free.
        free_bytes: u64,
    },
    /// The disk of a catalogue of an earlier program was full before it was up to date.
    #[error(
        "{}: stays of version {found}: the disk became full before it was of version {latest}, and {} are free in {}; make room",
        name(path),
        counted(*free_bytes, "byte"),
        name(directory)
    )]
    Filled {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The one that it was to be brought to.
        latest: u32,
        /// Where it lies.
        directory: PathBuf,
        /// What is free.
        free_bytes: u64,
    },
    /// There is no room for a copy of the catalogue.
    #[error(
        "{}: a copy of the catalogue takes {}, and {} are free there; make room",
        name(path),
        counted(*needed_bytes, "byte"),
        count(*free_bytes)
    )]
    NoRoomForCopy {
        /// The directory that it was to go to.
        path: PathBuf,
        /// What it takes.
        needed_bytes: u64,
        /// What is free.
        free_bytes: u64,
    },
    /// Nothing is known of a path.
    #[error(
        "{}: no file or directory of this path is known below the root of a collection",
        hashlane_record::shown_name(path)
    )]
    NoPath {
        /// The path, as it was asked for.
        path: Vec<u8>,
    },
    /// A copy of the catalogue is made, and what comes after that failed.
    #[error(
        "{}: the copy is made, but older ones are not removed, or it is not in the log of changes: {problem}",
        name(path)
    )]
    AfterCopy {
        /// The copy.
        path: PathBuf,
        /// What failed.
        problem: String,
    },
    /// The directory that copies of the catalogue were to go to is not there.
    #[error(
        "{}: there is no such directory, and copies of the catalogue go there; make it, or mount the disk that it lies on",
        name(path)
    )]
    NoBackups {
        /// The directory.
        path: PathBuf,
    },
    /// A backup that is damaged.
    #[error("{}: is damaged, and was not restored: {problem}", name(path))]
    BadCopy {
        /// The backup.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A backup cannot be written: its disk is full, or fails.
    #[error("{}: {}", name(path), told("backup", source))]
    Copy {
        /// The backup.
        path: PathBuf,
        /// What SQLite reported.
        source: Sqlite,
    },
    /// A collection of this name exists.
    #[error("a collection is named {name} already")]
    Exists {
        /// The name.
        name: String,
    },
    /// No collection has this name.
    #[error("no collection is named {}", shown_name(name.as_bytes()))]
    NoCollection {
        /// The name.
        name: String,
    },
    /// A name that no collection can have.
    #[error("{} cannot be the name of a collection: {why}", shown_name(name.as_bytes()))]
    BadName {
        /// The name.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// The system gives no random bytes.
    #[error("the system gives no random bytes: {}", system_text(.0))]
    Random(io::Error),
    /// Another process audits a collection, or changes it.
    #[error("{name}: is in use by {}", who(holder.as_ref()))]
    Busy {
        /// The collection.
        name: String,
        /// Which process, where and since when, if that is known.
        holder: Option<Holder>,
    },
    /// There is no place for temporary files.
    #[error("{}: no temporary file can be made: {}", name(directory), system_text(source))]
    Scratch {
        /// Where they would lie.
        directory: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// A temporary database cannot be used: its disk is full, or fails.
    #[error("{}: {}", name(directory), told("temporary files", source))]
    ScratchDatabase {
        /// Where it lies.
        directory: PathBuf,
        /// What SQLite reported.
        source: Sqlite,
    },
    /// Fewer requests of a store may be made than it takes to list a collection.
    #[error("the limit on requests was reached before the collection was listed")]
    BudgetTooSmall,
    /// A tree could not be listed at all.
    #[error("the tree cannot be listed: {}", system_text(source))]
    Listing {
        /// What the system reported.
        source: io::Error,
    },
    /// All audits are paused.
    #[error("{} has paused all audits", Escaped(pause.actor.as_bytes()))]
    Paused {
        /// Since when, until when and why.
        pause: Pause,
    },
    /// As many audits are under way as are to be.
    #[error("{} under way", counted(others.len() as u64, "audit"))]
    Others {
        /// Their collections, and who audits them.
        others: Vec<(String, Holder)>,
    },
    /// No audit of a collection is under way.
    #[error("{name}: no audit of it is under way")]
    NotUnderWay {
        /// The collection.
        name: String,
    },
    /// No audit of a collection is held.
    #[error("{name}: no audit of it is held")]
    NotHeld {
        /// The collection.
        name: String,
    },
    /// What is held takes its readings from a run elsewhere, and can be gone on with only by them.
    #[error("{name}: what is held takes its readings from a run elsewhere")]
    HeldBy {
        /// The collection.
        name: String,
    },
    /// The readings of a run elsewhere were taken before.
    #[error("{name}: this run is recorded already, as run {run}: it counts once")]
    Taken {
        /// The collection.
        name: String,
        /// The run that has taken them.
        run: i64,
        /// When that was asked for, in seconds since 1970.
        at_s: i64,
    },
    /// None of the names of a run elsewhere is in the tree.
    #[error("{name}: its tree has none of the names that the run has read")]
    OtherTree {
        /// The collection.
        name: String,
    },
    /// A run elsewhere begins in the future.
    #[error("the run began at a time that is yet to come: a clock is wrong")]
    NotYet {
        /// When it is said to have begun, in seconds since 1970.
        started_s: i64,
    },
    /// Another process writes all the time.
    #[error("another process writes to the catalogue all the time; try again later")]
    Waited,
    /// It was stopped from outside.
    #[error("the audit was stopped")]
    Stopped,
    /// A glob is malformed.
    #[error(transparent)]
    Filter(hashlane_engine::FilterError),
    /// Files could not be read at all.
    #[error(transparent)]
    Engine(hashlane_engine::Error),
    /// What takes the events failed.
    #[error(transparent)]
    Sink(Box<dyn std::error::Error + Send + Sync>),
    /// What the catalogue holds is not what was written, or contradicts itself.
    #[error("{}damaged: {damage}", path.as_deref().map_or("the catalogue is ".into(), |path| name(path) + ": is "))]
    Damaged {
        /// The catalogue, where that is known: [`Error::at`] says it.
        path: Option<PathBuf>,
        /// What is wrong.
        damage: Damage,
    },
    /// Another process has had the catalogue for itself for longer than this one waits.
    #[error("{}another process has the catalogue for itself; try again later", at_path(path.as_deref()))]
    Locked {
        /// The catalogue, where that is known: [`Error::at`] says it.
        path: Option<PathBuf>,
    },
    /// What was read was ended from outside ([`Interrupter`](crate::Interrupter)).
    #[error("{}the reading was interrupted", at_path(path.as_deref()))]
    Interrupted {
        /// The catalogue, where that is known: [`Error::at`] says it.
        path: Option<PathBuf>,
    },
    /// SQLite refused.
    #[error("{}{}", at_path(path.as_deref()), told("catalogue", source))]
    Database {
        /// The catalogue, where that is known: [`Error::at`] says it.
        path: Option<PathBuf>,
        /// What SQLite reported.
        source: Sqlite,
    },
}

/// What SQLite reports. Which library asks it is nobody's business.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Sqlite(pub(crate) rusqlite::Error);

impl From<rusqlite::Error> for Error {
    fn from(source: rusqlite::Error) -> Self {
        let told = source.to_string();
        match checksums::damaged_part(&source) {
            Some(part) => Self::damaged(part, "a row is not as it was written"),
            // SQLite reads how the tables are made before anything else, and finds no words for it that tell more.
            None if told.starts_with("malformed database schema") => {
                Self::damaged(CataloguePart::Schema, told)
            }
            None => match source.sqlite_error_code() {
                Some(ErrorCode::DatabaseBusy) => Self::Locked { path: None },
                Some(ErrorCode::OperationInterrupted) => Self::Interrupted { path: None },
                _ => Self::Database { path: None, source: Sqlite(source) },
            },
        }
    }
}

fn who(holder: Option<&Holder>) -> String {
    match holder {
        Some(Holder { process, host, .. }) => format!("process {process} on {host}"),
        None => "another process".to_owned(),
    }
}

impl Error {
    /// Whether it says that a catalogue is damaged, as opposed to its disk, to who may use it, to who does, and to what never was one.
    pub fn is_damage(&self) -> bool {
        use ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
        match self {
            Self::Damaged { .. } | Self::NotWhole { .. } => true,
            // The last one is SQL that does not fit the tables.
            Self::Database { source: Sqlite(source), .. } => {
                matches!(source.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase | Unknown))
                    || is_of_another_type(source)
            }
            _ => false,
        }
    }

    /// The same error, with the catalogue that it is about.
    #[must_use]
    pub fn at(self, catalog: &Path) -> Self {
        let path = || Some(catalog.to_owned());
        match self {
            Self::Damaged { path: None, damage } => Self::Damaged { path: path(), damage },
            Self::Database { path: None, source } => Self::Database { path: path(), source },
            Self::Locked { path: None } => Self::Locked { path: path() },
            Self::Interrupted { path: None } => Self::Interrupted { path: path() },
            error => error,
        }
    }

    /// What is wrong with the catalogue, of an error that says that something is.
    pub(crate) fn into_damage(self) -> Damage {
        match self {
            Self::Damaged { damage, .. } => damage,
            error => Damage::new(CataloguePart::File, error.to_string()),
        }
    }

    /// That something contradicts what else is known.
    pub fn damaged(part: CataloguePart, problem: impl Into<String>) -> Self {
        Self::Damaged { path: None, damage: Damage::new(part, problem) }
    }

    /// Of a column of a collection that holds JSON.
    pub fn json(error: serde_json::Error) -> Self {
        Self::damaged(CataloguePart::Collection, error.to_string())
    }
}

/// Whether a column holds a value that nobody has written there.
fn is_of_another_type(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    matches!(
        error,
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)
    )
}

/// What SQLite reports of `whose` disk, in words that say what can be done.
fn told(whose: &str, Sqlite(error): &Sqlite) -> String {
    use ErrorCode::{CannotOpen, DiskFull, ReadOnly, SystemIoFailure, Unknown};
    let is_other = |what: &dyn std::fmt::Display| {
        format!("{what}: the {whose} may be damaged, or not be of this program")
    };
    // Nobody wants to see the statement that did not fit.
    if let rusqlite::Error::SqlInputError { msg, .. } = error {
        return is_other(msg);
    }
    match error.sqlite_error_code() {
        Some(DiskFull) => format!("the disk of the {whose} is full"),
        Some(SystemIoFailure) => {
            format!("the disk of the {whose} may be full or damaged: {error}")
        }
        Some(CannotOpen) => {
            format!(
                "this user may not read the {whose}, its directory is read-only, or its disk is full: {error}"
            )
        }
        Some(ReadOnly) => format!("the {whose} may not be written to by this user"),
        Some(Unknown) => is_other(error),
        _ => error.to_string(),
    }
}

/// The beginning of a message about a catalogue.
fn at_path(path: Option<&Path>) -> String {
    path.map_or(String::new(), |path| name(path) + ": ")
}

fn name(path: &Path) -> String {
    shown_name(path.as_os_str().as_encoded_bytes())
}

/// What this crate gives back.
pub type Result<T> = std::result::Result<T, Error>;
