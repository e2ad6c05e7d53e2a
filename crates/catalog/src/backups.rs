//! Copies that a catalogue gets by itself: where they lie, what they are called, whose they are and which of them are kept.
//!
//! Several catalogues may share one directory. A copy is called `catalog.sqlite.backup-17.weekly.20261130T043335Z`: the name of the
//! catalogue, a number, the occasion and the time. The number gives the order, as a clock may be wrong. Where other catalogues of the same
//! name may have their copies, too, the path of the catalogue follows as a checksum.
//!
//! Invariant: nothing is removed but copies that the program has made of this very catalogue, by their names and by what is in them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hashlane_io::directory_of;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::header::{APPLICATION_ID, application_of};
use crate::paths::{beside, bytes_of};

/// How many weekly copies are kept, and how many that were made before migrations.
const MOST_WEEKLY: usize = 4;
const MOST_BEFORE_MIGRATIONS: usize = 2;

/// The directory beside a catalogue.
const USUAL: &str = "backups";

/// What switches the copies off, in the place of a directory.
const NONE: &str = "none";

/// What a name has between that of the catalogue and the number of the copy.
const BACKUP: &str = ".backup-";

/// What is added to the name of a catalogue for the lock of who makes its copies.
pub(crate) const LOCK: &str = ".backup-lock";

/// How a time stands in a name, and how long it is there.
const TIME: &str = "%Y%m%dT%H%M%SZ";
const TIME_BYTES: usize = 16;

/// What a copy is called until it is complete, and what SQLite keeps beside it meanwhile.
const UNFINISHED: [&[u8]; 4] = [b".partial", b".partial-journal", b".partial-wal", b".partial-shm"];

/// In a directory that others may use, what was not written to for so long was left by somebody who died.
const LEFT_AFTER: Duration = Duration::from_secs(600);

/// How long a migration waits for a process that copies, and between two looks.
const PATIENCE: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(20);

/// Where a catalogue is copied to by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Backups {
    /// To the directory `backups` beside it, which is made.
    #[default]
    Beside,
    /// To a directory, which has to be there: it may lie on a disk that is not mounted.
    In(PathBuf),
    /// It is not copied.
    Off,
}

/// Why a copy was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// A week was over.
    Weekly,
    /// It was of this version, and was about to be brought to the present one.
    Migration(u32),
}

impl Occasion {
    fn name(self) -> String {
        match self {
            Self::Weekly => "weekly".to_owned(),
            Self::Migration(version) => format!("version-{version}"),
        }
    }

    fn parse(text: &[u8]) -> Option<Self> {
        match text.strip_prefix(b"version-") {
            Some(version) => Some(Self::Migration(number(version)?)),
            None => (text == b"weekly").then_some(Self::Weekly),
        }
    }

    /// Whether both are kept in one row, whose last ones stay.
    fn is_kept_with(self, other: Self) -> bool {
        matches!((self, other), (Self::Weekly, Self::Weekly) | (Self::Migration(_), Self::Migration(_)))
    }

    fn most(self) -> usize {
        match self {
            Self::Weekly => MOST_WEEKLY,
            Self::Migration(_) => MOST_BEFORE_MIGRATIONS,
        }
    }
}

/// A copy of a catalogue that was made by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// Where it lies.
    pub path: PathBuf,
    /// Why it was made.
    pub occasion: Occasion,
    /// When, in seconds since 1970, by the clock of that time.
    pub made_s: i64,
    /// Later ones have higher numbers.
    number: u64,
}

impl Backups {
    /// Those that are asked for by a word: a directory, or `none`.
    pub fn named(name: &OsStr) -> Self {
        if name == NONE { Self::Off } else { Self::In(name.into()) }
    }

    /// The copies of a catalogue that are there, the latest first. The catalogue itself may be gone.
    ///
    /// # Errors
    /// The directory cannot be listed.
    pub fn copies(&self, catalog: &Path) -> Result<Vec<Backup>> {
        let Some(shelf) = self.shelf(catalog) else { return Ok(Vec::new()) };
        let mut copies = shelf.copies()?;
        copies.reverse();
        Ok(copies)
    }

    /// Those of them that can be brought back, as far as a look at them shows: they are catalogues, and of this one.
    ///
    /// # Errors
    /// As [`Backups::copies`].
    pub fn usable(&self, catalog: &Path) -> Result<Vec<Backup>> {
        let mut copies = self.copies(catalog)?;
        // Where nothing is left of the catalogue, its name has to do.
        let of_catalog = Owner::of_file(catalog);
        let is_own = |owner: &Owner| of_catalog.as_ref().is_none_or(|catalog| owner.is(catalog));
        let is_meant = |owner: Owner| !owner.is_empty() && is_own(&owner);
        copies.retain(|copy| Owner::of_file(&copy.path).is_some_and(is_meant));
        Ok(copies)
    }

    /// The latest one of those.
    pub fn latest(&self, catalog: &Path) -> Option<Backup> {
        self.usable(catalog).ok()?.into_iter().next()
    }

    /// The directory in which copies of a catalogue lie; none if there are to be none.
    pub fn directory(&self, catalog: &Path) -> Option<PathBuf> {
        self.shelf(catalog).map(|shelf| shelf.directory)
    }

    pub(crate) fn shelf(&self, catalog: &Path) -> Option<Shelf> {
        // By whatever name it was opened: its copies are the same.
        let catalog = catalog.canonicalize().unwrap_or_else(|_| {
            let directory =
                directory_of(catalog).canonicalize().unwrap_or_else(|_| directory_of(catalog).into());
            catalog.file_name().map_or_else(|| catalog.to_owned(), |name| directory.join(name))
        });
        let directory = match self {
            Self::Off => return None,
            Self::Beside => directory_of(&catalog).join(USUAL),
            Self::In(directory) => directory.clone(),
        };
        let directory = directory.canonicalize().unwrap_or(directory);
        let mut begin = catalog.file_name()?.as_bytes().to_vec();
        begin.extend(BACKUP.as_bytes());
        // Only catalogues beside it have their copies there, and those have other names.
        let is_own = [Some(&*directory), directory.parent()].contains(&catalog.parent());
        let end = if is_own { String::new() } else { format!(".{:016x}", xxh3_64(bytes_of(&catalog))) };
        Some(Shelf { is_usual: *self == Self::Beside, catalog, directory, begin, end })
    }
}

/// What the name of a copy says.
struct Named<'n> {
    number: u64,
    occasion: Occasion,
    made_s: i64,
    /// What follows.
    rest: &'n [u8],
}

impl Named<'_> {
    /// Whether it is that of one that is not complete.
    fn is_unfinished(&self) -> bool {
        UNFINISHED.contains(&self.rest)
    }
}

/// The copies of one catalogue in their directory.
#[derive(Debug)]
pub(crate) struct Shelf {
    is_usual: bool,
    catalog: PathBuf,
    directory: PathBuf,
    /// What their names begin with, and what they end with.
    begin: Vec<u8>,
    end: String,
}

impl Shelf {
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// A directory that is there, on the same file system.
    pub(crate) fn ground(&self) -> &Path {
        if self.directory.exists() { &self.directory } else { directory_of(&self.directory) }
    }

    /// Makes the usual directory. One that was named has to be there.
    pub(crate) fn make(&self) -> Result<()> {
        if self.directory.is_dir() {
            return Ok(());
        }
        let directory = || self.directory.clone();
        match self.is_usual {
            // What is in it is nobody else's.
            true => DirBuilder::new()
                .mode(0o700)
                .create(&self.directory)
                .map_err(|source| Error::Open { path: directory(), source }),
            false => Err(Error::NoBackups { path: directory() }),
        }
    }

    /// Says that this process makes copies of the catalogue; nothing if another one does.
    pub(crate) fn try_lock(&self) -> Result<Option<Locked>> {
        let path = beside(&self.catalog, LOCK);
        let failed = |source| Error::Open { path: path.clone(), source };
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Locked(file))),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(failed(error.into())),
        }
    }

    /// The same, and waits for the other one.
    pub(crate) fn lock(&self) -> Result<Locked> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.try_lock()? {
                Some(locked) => return Ok(locked),
                None if Instant::now() < end => std::thread::sleep(PAUSE),
                None => return Err(Error::Waited),
            }
        }
    }

    /// What a name says, if it begins as that of a copy.
    fn parse<'n>(&self, name: &'n [u8]) -> Option<Named<'n>> {
        let rest = name.strip_prefix(&self.begin[..])?;
        let mut parts = rest.splitn(3, |byte| *byte == b'.');
        let (nth, occasion, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let (time, rest) = rest.split_at_checked(TIME_BYTES)?;
        let time = DateTime::strptime(TIME, time).ok()?;
        let made_s = time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
        let rest = rest.strip_prefix(self.end.as_bytes())?;
        Some(Named { number: number(nth)?, occasion: Occasion::parse(occasion)?, made_s, rest })
    }

    /// Whether a file of the directory is a copy of the catalogue, or is about to be one.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.parse(name).is_some_and(|named| named.rest.is_empty() || named.is_unfinished())
    }

    /// The files of the directory that have such names.
    fn each(&self, take: &mut dyn FnMut(PathBuf, Named<'_>)) -> Result<()> {
        let failed = |source| Error::Open { path: self.directory.clone(), source };
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if let Some(named) = self.parse(name.as_bytes())
                && entry.file_type().is_ok_and(|kind| kind.is_file())
            {
                take(entry.path(), named);
            }
        }
        Ok(())
    }

    /// The copies that are there, the latest last.
    pub(crate) fn copies(&self) -> Result<Vec<Backup>> {
        let mut copies = Vec::new();
        self.each(&mut |path, Named { number, occasion, made_s, rest }| {
            if rest.is_empty() {
                copies.push(Backup { path, occasion, made_s, number });
            }
        })?;
        copies.sort_unstable_by_key(|copy| copy.number);
        Ok(copies)
    }

    /// Those of them that are copies of the catalogue of a connection. Another one may have come to its name and place.
    pub(crate) fn copies_of(&self, connection: &Connection) -> Result<Vec<Backup>> {
        let owner = Owner::of(connection)?;
        let mut copies = self.copies()?;
        copies.retain(|copy| Owner::of_file(&copy.path).is_some_and(|of_copy| of_copy.is(&owner)));
        Ok(copies)
    }

    /// What processes have left that were killed while they copied, or are about to name.
    fn unfinished(&self) -> Result<Vec<PathBuf>> {
        let mut left = Vec::new();
        self.each(&mut |path, named| {
            // One that is still written to may be of another machine, which has the same path.
            let is_old = fs::metadata(&path)
                .and_then(|facts| facts.modified())
                .is_ok_and(|time| time.elapsed().is_ok_and(|age| age >= LEFT_AFTER));
            if named.is_unfinished() && (self.end.is_empty() || is_old) {
                left.push(path);
            }
        })?;
        Ok(left)
    }

    /// Removes that. To be called under the lock: then nobody is about to name it.
    pub(crate) fn sweep(&self) -> Result<()> {
        self.unfinished()?.iter().try_for_each(|path| removed(path))
    }

    /// The same for who does not have the lock, which is taken only if there is something.
    pub(crate) fn sweep_alone(&self) -> Result<()> {
        if self.unfinished()?.is_empty() {
            return Ok(());
        }
        let _lock = self.lock()?;
        self.sweep()
    }

    /// What the next copy is.
    pub(crate) fn next(&self, occasion: Occasion, now_s: i64) -> Result<Backup> {
        let mut last = 0;
        self.each(&mut |_, named| last = last.max(named.number))?;
        let number = last.saturating_add(1);
        let time = Timestamp::from_second(now_s).unwrap_or_default();
        // What is not a whole second of a time that is read again is not asked for.
        let made_s = time.as_second();
        let time = time.to_zoned(TimeZone::UTC).strftime(TIME);
        let mut name = self.begin.clone();
        name.extend(format!("{number}.{}.{time}{}", occasion.name(), self.end).as_bytes());
        Ok(Backup { path: self.directory.join(OsStr::from_bytes(&name)), occasion, made_s, number })
    }

    /// Removes the oldest copies for such an occasion, so that no more are left than are kept. To be called under the lock.
    pub(crate) fn prune(&self, occasion: Occasion, connection: &Connection) -> Result<()> {
        let mut copies = self.copies_of(connection)?;
        copies.retain(|copy| copy.occasion.is_kept_with(occasion));
        let old = copies.len().saturating_sub(occasion.most());
        copies[..old].iter().try_for_each(|copy| removed(&copy.path))
    }

    /// Gives a copy the permissions of the catalogue: what may not be read there is not to be read here.
    pub(crate) fn protect(&self, partial: &Path) -> Result<()> {
        let permissions = fs::metadata(&self.catalog).map(|facts| facts.permissions());
        permissions
            .and_then(|permissions| fs::set_permissions(partial, permissions))
            .map_err(|source| Error::Open { path: partial.into(), source })
    }
}

fn removed(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(Error::Open { path: path.into(), source }),
        _ => Ok(()),
    }
}

/// A number as the program writes one.
fn number<N: std::str::FromStr>(text: &[u8]) -> Option<N> {
    let is_plain = text.iter().all(u8::is_ascii_digit) && text.first() != Some(&b'0');
    std::str::from_utf8(text).ok().filter(|_| is_plain)?.parse().ok()
}

/// Held while a process makes copies of a catalogue, or removes some.
#[derive(Debug)]
pub(crate) struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        // A child that this process is just starting has the file open too, until it is another program.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// By what a catalogue is known again: its collections.
struct Owner {
    /// Their identities; none in the first version, which has none.
    identities: Option<BTreeSet<Vec<u8>>>,
    /// Their numbers, and when they were registered.
    registered: BTreeSet<(i64, i64)>,
    is_empty: bool,
}

impl Owner {
    fn of(connection: &Connection) -> Result<Self> {
        let mut registered = BTreeSet::new();
        let mut statement = connection.prepare("SELECT id, created_s FROM main.collection")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            registered.insert((row.get(0)?, row.get(1)?));
        }
        let identities = match connection.prepare("SELECT identity FROM main.collection") {
            Err(_) => None,
            Ok(mut statement) => {
                let rows = statement.query_map([], |row| row.get(0))?;
                Some(rows.collect::<rusqlite::Result<_>>()?)
            }
        };
        Ok(Self { identities, is_empty: registered.is_empty(), registered })
    }

    /// Of a copy; nothing if the file is none, or cannot be read.
    fn of_file(path: &Path) -> Option<Self> {
        // Who opens a pipe waits for ever.
        fs::metadata(path).ok().filter(|facts| facts.is_file())?;
        application_of(path).ok()?.filter(|application| *application == APPLICATION_ID)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Self::of(&Connection::open_with_flags(path, flags).ok()?).ok()
    }

    fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Whether a copy is one of a catalogue. One without any collection has nothing to lose.
    fn is(&self, catalog: &Self) -> bool {
        self.is_empty
            || match (&self.identities, &catalog.identities) {
                (Some(ours), Some(theirs)) => !ours.is_disjoint(theirs),
                _ => !self.registered.is_disjoint(&catalog.registered),
            }
    }
}

/// Says how much may be written to the file system of a directory.
pub(crate) type FreeBytes<'a> = &'a dyn Fn(&Path) -> io::Result<u64>;

/// What a user may still write to the file system of a directory.
pub(crate) fn free_bytes(directory: &Path) -> io::Result<u64> {
    let space = rustix::fs::statvfs(directory)?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

#[cfg(test)]
mod tests;
