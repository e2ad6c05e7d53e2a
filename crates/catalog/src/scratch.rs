//! What a listing leaves to be done, whatever its size: kept in databases that nobody else sees and that are gone with their process.
//!
//! Each method fails if the temporary file cannot be read or written ([`Error::ScratchDatabase`]).

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use hashlane_digest::Digest;
use roaring::RoaringTreemap;
use rusqlite::{Connection, OptionalExtension as _, ToSql, params};

use crate::error::{Error, Result, Sqlite};
use crate::ids::{ItemId, SHIFT, ids_of};
use crate::items::{Content, Item, time_of};
use crate::paths::{joined, split};
use crate::reader::keep_plans;
use crate::row::Row;

/// A database that is gone with its process. Its errors say where it lies: its disk is not that of the catalogue.
#[derive(Debug)]
pub(crate) struct Scratch {
    connection: Connection,
    directory: PathBuf,
}

impl Scratch {
    /// Makes one in a directory.
    pub(crate) fn new(directory: &Path, schema: &str) -> Result<Self> {
        let scratch = Self { connection: open(directory)?, directory: directory.to_owned() };
        scratch.run(|connection| connection.execute_batch(schema))?;
        Ok(scratch)
    }

    /// Does something in it.
    pub(crate) fn run<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        work(&self.connection).map_err(|source| self.failed(source))
    }

    /// For who does other things in between.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// What an error of it means.
    pub(crate) fn failed(&self, source: rusqlite::Error) -> Error {
        Error::ScratchDatabase { directory: self.directory.clone(), source: Sqlite(source) }
    }
}

/// Files that a listing has found and that are to be read whatever their age: those that are not known, and those whose size or time
/// is not as known.
#[derive(Debug)]
pub struct ToJudge {
    scratch: Scratch,
    /// The directory of the last file, and its number.
    directory: Option<(Vec<u8>, i64)>,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its number in the listing.
    pub number: i64,
    /// Its directory: a path below the root.
    pub directory: Vec<u8>,
    /// Its name there.
    pub name: Vec<u8>,
    /// What the listing saw of it.
    pub content: Content,
    /// The item that it is, if its name is known.
    pub item: Option<ItemId>,
    /// Nothing is known of its content.
    pub is_new: bool,
}

impl Listed {
    /// Its path below the root.
    pub fn path(&self) -> Vec<u8> {
        joined(&self.directory, &self.name)
    }
}

impl ToJudge {
    /// None yet. `directory`: where a large temporary file may lie.
    ///
    /// # Errors
    /// No temporary file can be made there.
    pub fn new(directory: &Path) -> Result<Self> {
        let scratch = Scratch::new(
            directory,
            "CREATE TABLE directory (id INTEGER PRIMARY KEY, path BLOB NOT NULL);
             CREATE TABLE file (id INTEGER PRIMARY KEY, directory INTEGER NOT NULL, name BLOB NOT NULL, size INTEGER,
                 mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER, item INTEGER, is_new INTEGER NOT NULL);
             BEGIN",
        )?;
        Ok(Self { scratch, directory: None })
    }

    /// Takes a file. `is_new`: nothing is known of its content, though its name may be.
    pub fn add(
        &mut self,
        directory: &[u8],
        name: &[u8],
        content: &Content,
        item: Option<ItemId>,
        is_new: bool,
    ) -> Result<()> {
        let number = match &self.directory {
            Some((last, number)) if last == directory => *number,
            _ => {
                let number = self.scratch.run(|connection| {
                    connection.prepare_cached("INSERT INTO directory (path) VALUES (?1)")?.insert([directory])
                })?;
                self.directory = Some((directory.to_vec(), number));
                number
            }
        };
        let row = Row::of(content);
        self.scratch.run(|connection| {
            let mut statement = connection.prepare_cached(
                "INSERT INTO file (directory, name, size, mtime_ns, ctime_ns, inode, item, is_new) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            let item = item.map(|item| item.0);
            let Row { size, mtime_ns, ctime_ns, inode, .. } = row;
            statement.execute(params![number, name, size, mtime_ns, ctime_ns, inode, item, is_new]).map(drop)
        })
    }

    /// The next files behind a number, among those that are new or those that are not: no more than `most`.
    pub fn next(&self, behind: i64, is_new: bool, most: usize) -> Result<VecDeque<Listed>> {
        self.scratch.run(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{LISTED} WHERE file.id > ?1 AND is_new = ?2 ORDER BY file.id LIMIT ?3"
            ))?;
            statement.query_map(params![behind, is_new, most as i64], listed_of)?.collect()
        })
    }

    /// The files that have an inode: several where one has several names. `index` first.
    pub fn of_inode(&self, inode: u64) -> Result<Vec<Listed>> {
        self.scratch.run(|connection| {
            let mut statement =
                connection.prepare_cached(&format!("{LISTED} WHERE inode = ?1 ORDER BY file.id"))?;
            statement.query_map([inode as i64], listed_of)?.collect()
        })
    }

    /// The file that an item is.
    pub fn of_item(&self, item: ItemId) -> Result<Option<Listed>> {
        self.scratch.run(|connection| {
            connection.execute_batch("CREATE INDEX IF NOT EXISTS file_by_item ON file (item)")?;
            let mut statement = connection.prepare_cached(&format!("{LISTED} WHERE item = ?1"))?;
            statement.query_row([item.0], listed_of).optional()
        })
    }

    /// Whether a new file that was not read has a size and an inode: it may be another one that was renamed. `read`: the numbers of
    /// those that were. `index` first.
    pub fn has_new(&self, content: &Content, read: &RoaringTreemap) -> Result<bool> {
        let row = Row::of(content);
        self.scratch.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id FROM file WHERE inode = ?1 AND size = ?2 AND is_new ORDER BY id",
            )?;
            let mut rows = statement.query(params![row.inode, row.size])?;
            while let Some(row) = rows.next()? {
                if !read.contains(row.get::<_, i64>(0)? as u64) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Whether a new file of a size was not read: it may be any other one that was moved. `index` first.
    pub fn has_unread(&self, size: Option<u64>, read: &RoaringTreemap) -> Result<bool> {
        self.scratch.run(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT id FROM file WHERE size = ?1 AND is_new ORDER BY id")?;
            let mut rows = statement.query([size.map(|size| size as i64)])?;
            while let Some(row) = rows.next()? {
                if !read.contains(row.get::<_, i64>(0)? as u64) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// The name of a new file that lies beside another one, and by its own name may be that one, compressed: `log.1.gz` beside `log`.
    pub fn compressed_beside(&self, path: &[u8]) -> Result<Option<Vec<u8>>> {
        const ENDINGS: [&[u8]; 6] = [b".gz", b".xz", b".zst", b".bz2", b".lz4", b".Z"];

        let (directory, name) = split(path);
        let is_meant = |other: &[u8]| {
            other.len() > name.len()
                && other.starts_with(name)
                && ENDINGS.iter().any(|ending| other.ends_with(ending))
        };
        self.scratch.run(|connection| {
            connection.execute_batch(
                "CREATE INDEX IF NOT EXISTS directory_by_path ON directory (path);
                 CREATE INDEX IF NOT EXISTS new_file_by_name ON file (directory, name) WHERE is_new",
            )?;
            let mut statement = connection.prepare_cached(
                "SELECT name FROM file WHERE directory = ?1 AND name > ?2 AND is_new ORDER BY name",
            )?;
            for number in connection
                .prepare_cached("SELECT id FROM directory WHERE path = ?1 ORDER BY id")?
                .query_map([directory], |row| row.get::<_, i64>(0))?
                .collect::<rusqlite::Result<Vec<_>>>()?
            {
                let mut rows = statement.query(params![number, name])?;
                while let Some(row) = rows.next()? {
                    let other: Vec<u8> = row.get(0)?;
                    if is_meant(&other) {
                        return Ok(Some(joined(directory, &other)));
                    }
                    if !other.starts_with(name) {
                        break;
                    }
                }
            }
            Ok(None)
        })
    }

    /// Makes [`ToJudge::of_inode`], [`ToJudge::has_new`] and [`ToJudge::has_unread`] fast. Only where it is asked for: a first audit needs none of it.
    pub fn index(&self) -> Result<()> {
        self.scratch.run(|connection| {
            connection.execute_batch(
                "CREATE INDEX file_by_inode ON file (inode, size);
                 CREATE INDEX file_by_size ON file (size) WHERE is_new",
            )
        })
    }
}

/// Listed files, with their directories.
const LISTED: &str = "SELECT file.id, directory.path, name, size, mtime_ns, ctime_ns, inode, item, is_new
     FROM file JOIN directory ON directory.id = file.directory";

/// One of the rows of [`LISTED`].
fn listed_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Listed> {
    Ok(Listed {
        number: row.get(0)?,
        directory: row.get(1)?,
        name: row.get(2)?,
        content: Content {
            size: row.get::<_, Option<i64>>(3)?.map(|size| size as u64),
            modified: row.get::<_, Option<i64>>(4)?.map(time_of),
            changed: row.get::<_, Option<i64>>(5)?.map(time_of),
            inode: row.get::<_, Option<i64>>(6)?.map(|inode| inode as u64),
            digests: Vec::new(),
        },
        item: row.get::<_, Option<i64>>(7)?.map(ItemId),
        is_new: row.get(8)?,
    })
}

/// One of the items that a listing does not have.
#[derive(Clone, Debug)]
pub struct GoneItem {
    /// The item.
    pub item: ItemId,
    /// Its size and its inode.
    pub content: Content,
    /// That it is missing was said by an earlier run.
    pub is_said: bool,
}

/// What one segment has lost.
#[derive(Clone, Copy, Debug)]
pub struct LostOfSegment {
    /// The first number that an item of the segment may have.
    pub first: ItemId,
    /// The last one.
    pub last: ItemId,
    /// How many of its items are gone.
    pub files: u64,
}

/// Items that a listing does not have.
#[derive(Debug)]
pub struct Gone(Scratch);

impl Gone {
    /// None yet. `directory`: where a large temporary file may lie.
    ///
    /// # Errors
    /// No temporary file can be made there.
    pub fn new(directory: &Path) -> Result<Self> {
        // `key`: the beginning of the digests, which distinguishes contents well enough to look at the rest.
        let scratch = Scratch::new(
            directory,
            "CREATE TABLE gone (item INTEGER PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER, key INTEGER, digests BLOB,
                 name BLOB, is_said INTEGER NOT NULL);
             CREATE INDEX gone_by_content ON gone (key, is_said, item);
             CREATE INDEX gone_by_inode ON gone (inode, is_said, item);
             CREATE INDEX gone_by_name ON gone (name, is_said, item) WHERE name IS NOT NULL;
             BEGIN",
        )?;
        Ok(Self(scratch))
    }

    /// Takes an item. `is_said`: that it is missing was said by an earlier run.
    pub fn add(&self, item: &Item, is_said: bool) -> Result<()> {
        let (row, key) = (Row::of(&item.content), key_of(&item.content.digests));
        // What is empty has no content to be known by.
        let name = (row.size == Some(0)).then_some(&item.name);
        self.0.run(|connection| {
            let mut statement = connection.prepare_cached(
                "INSERT INTO gone (item, size, mtime_ns, inode, key, digests, name, is_said) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            let Row { size, mtime_ns, inode, digests, .. } = row;
            statement.execute(params![item.id.0, size, mtime_ns, inode, key, digests, name, is_said]).map(drop)
        })
    }

    /// The item that was a file of this inode, size and time, if there is one: it was renamed.
    pub fn of_inode(&self, content: &Content) -> Result<Option<ItemId>> {
        let Row { size, mtime_ns, inode, .. } = Row::of(content);
        self.0.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT item FROM gone WHERE inode = ?1 AND size = ?2 AND mtime_ns = ?3 ORDER BY is_said, item LIMIT 1",
            )?;
            let found = statement.query_row(params![inode, size, mtime_ns], |row| row.get(0)).optional()?;
            Ok(found.map(ItemId))
        })
    }

    /// Takes an empty item out, if there is one of this inode, or else of this name: it was moved. Of several of this inode the one of this name is
    /// meant, or else one that is gone since the last audit.
    pub fn take_empty(&self, inode: Option<u64>, name: &[u8]) -> Result<Option<ItemId>> {
        // One after the other, so that each ends at the first row: whole trees of files that are alike may have moved.
        let inode = inode.map(|inode| inode as i64);
        self.take_first(&[
            ("size = 0 AND inode = ?1 AND name = ?2", params![inode, name]),
            ("size = 0 AND inode = ?1", params![inode]),
            ("size = 0 AND name = ?1", params![name]),
        ])
    }

    /// Whether an item is gone.
    pub fn has(&self, item: ItemId) -> Result<bool> {
        self.0.run(|connection| {
            connection.prepare_cached("SELECT 1 FROM gone WHERE item = ?1")?.exists([item.0])
        })
    }

    /// Takes an item out, if it is gone. `false`: it is not.
    pub fn take_out(&self, item: ItemId) -> Result<bool> {
        self.0.run(|connection| {
            Ok(connection.prepare_cached("DELETE FROM gone WHERE item = ?1")?.execute([item.0])? > 0)
        })
    }

    /// Takes an item of this content out, if there is one: it was moved. Of several the one of its inode is meant,
    /// or else one that is gone since the last audit.
    pub fn take(&self, content: &Content) -> Result<Option<ItemId>> {
        let Row { size, digests, .. } = Row::of(content);
        if let Some(item) = self.take_same(content)? {
            return Ok(Some(item));
        }
        let of_content = params![key_of(&content.digests), size, digests];
        self.take_first(&[("key = ?1 AND size = ?2 AND digests = ?3", of_content)])
    }

    /// Takes an item out that meets the first of several conditions that any meets, each with what it is about. One that is gone since the last
    /// audit comes first.
    fn take_first(&self, conditions: &[(&str, &[&dyn ToSql])]) -> Result<Option<ItemId>> {
        let found = self.0.run(|connection| {
            for (condition, of) in conditions {
                let mut statement = connection.prepare_cached(&format!(
                    "SELECT item FROM gone WHERE {condition} ORDER BY is_said, item LIMIT 1"
                ))?;
                let found = statement.query_row(*of, |row| row.get(0)).optional()?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            Ok(None)
        })?;
        let found = found.map(ItemId);
        if let Some(item) = found {
            self.take_out(item)?;
        }
        Ok(found)
    }

    /// Takes an item of this content and inode out, if there is one: it was moved.
    pub fn take_same(&self, content: &Content) -> Result<Option<ItemId>> {
        let Row { inode, digests, .. } = Row::of(content);
        self.take_first(&[("inode = ?1 AND digests = ?2", params![inode, digests])])
    }

    /// Whether an item of this content and inode is gone.
    pub fn has_same(&self, content: &Content) -> Result<bool> {
        let Row { inode, digests, .. } = Row::of(content);
        self.0.run(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT 1 FROM gone WHERE inode = ?1 AND digests = ?2")?;
            statement.exists(params![inode, digests])
        })
    }

    /// Whether there is any.
    pub fn is_empty(&self) -> Result<bool> {
        let any = "SELECT 1 FROM gone LIMIT 1";
        self.0.run(|connection| Ok(connection.query_row(any, [], |_| Ok(())).optional()?.is_none()))
    }

    /// The next item behind another one.
    pub fn next(&self, behind: ItemId) -> Result<Option<GoneItem>> {
        self.0.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT item, size, inode, is_said FROM gone WHERE item > ?1 ORDER BY item LIMIT 1",
            )?;
            let found = statement.query_row([behind.0], |row| {
                let content = Content {
                    size: row.get::<_, Option<i64>>(1)?.map(|size| size as u64),
                    inode: row.get::<_, Option<i64>>(2)?.map(|inode| inode as u64),
                    ..Content::default()
                };
                Ok(GoneItem { item: ItemId(row.get(0)?), content, is_said: row.get(3)? })
            });
            found.optional()
        })
    }

    /// How many items each segment has lost, and nobody has said so yet.
    pub fn by_segment(&self) -> Result<Vec<LostOfSegment>> {
        self.0.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT item >> ?1, count(*) FROM gone WHERE NOT is_said GROUP BY item >> ?1",
            )?;
            let lost = statement.query_map([SHIFT], |row| {
                let (first, last) = ids_of(row.get(0)?);
                Ok(LostOfSegment { first, last, files: row.get::<_, i64>(1)? as u64 })
            })?;
            lost.collect()
        })
    }
}

/// Known items whose names have other inodes now, or are gone: each may lie under another name. Whoever lies under the name of another
/// one is found here by its inode. Beside them are files whose content may be read differently each time, wherever they
/// lie.
#[derive(Debug)]
pub struct Displaced {
    scratch: Scratch,
    items: u64,
    left_out: u64,
    wavering: u64,
}

/// One of them: how it looked when it was recorded, or when it was found to waver.
#[derive(Debug)]
pub struct Former {
    /// The item.
    pub item: ItemId,
    /// Its size, time and inode.
    pub looked: Content,
    /// It is one that may be read differently each time.
    pub wavers: bool,
}

/// Items that are kept at most. With more of them, the file system gives out other numbers each time that it is mounted, and they say
/// nothing.
const MOST_DISPLACED: u64 = 1_000_000;

impl Displaced {
    /// None yet. `directory`: where a large temporary file may lie.
    ///
    /// # Errors
    /// No temporary file can be made there.
    pub fn new(directory: &Path) -> Result<Self> {
        let scratch = Scratch::new(
            directory,
            "CREATE TABLE displaced (inode INTEGER NOT NULL, item INTEGER NOT NULL, size INTEGER, mtime_ns INTEGER,
                 wavers INTEGER NOT NULL);
             CREATE INDEX displaced_by_inode ON displaced (inode, item);
             BEGIN",
        )?;
        Ok(Self { scratch, items: 0, left_out: 0, wavering: 0 })
    }

    /// Takes note of an item that had an inode, and a content that is known.
    pub fn add(&mut self, item: &Item) -> Result<()> {
        self.items += 1;
        self.put(item.id, &item.content, (self.items, false))
    }

    /// The same of one that a filter leaves out. Where there are many of them, the others still count.
    pub fn add_left_out(&mut self, item: &Item) -> Result<()> {
        self.left_out += 1;
        self.put(item.id, &item.content, (self.left_out, false))
    }

    /// Takes note of one as it was found, wherever it lies: what is read differently each time is known by nothing but its inode and its times.
    pub fn add_wavering(&mut self, item: ItemId, seen: &Content) -> Result<()> {
        self.wavering += 1;
        self.put(item, seen, (self.wavering, true))
    }

    fn put(&self, item: ItemId, content: &Content, (number, wavers): (u64, bool)) -> Result<()> {
        if number > MOST_DISPLACED || content.inode.is_none() || content.digests.is_empty() {
            return Ok(());
        }
        let Row { size, mtime_ns, inode, .. } = Row::of(content);
        self.scratch.run(|connection| {
            let mut statement = connection.prepare_cached(
                "INSERT INTO displaced (inode, item, size, mtime_ns, wavers) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            statement.execute(params![inode, item.0, size, mtime_ns, wavers]).map(drop)
        })
    }

    /// Whether the listing has any.
    pub fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// Whether a filter leaves any of them out.
    pub fn has_left_out(&self) -> bool {
        self.left_out > 0
    }

    /// The items that had an inode: several where the file had several names.
    pub fn of_inode(&self, inode: u64) -> Result<Vec<Former>> {
        // It is asked of each new file, and mostly there is none.
        if self.items > MOST_DISPLACED || self.items + self.left_out + self.wavering == 0 {
            return Ok(Vec::new());
        }
        self.scratch.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT item, size, mtime_ns, wavers FROM displaced WHERE inode = ?1 ORDER BY item",
            )?;
            let formers = statement.query_map([inode as i64], |row| {
                let looked = Content {
                    size: row.get::<_, Option<i64>>(1)?.map(|size| size as u64),
                    modified: row.get::<_, Option<i64>>(2)?.map(time_of),
                    inode: Some(inode),
                    ..Content::default()
                };
                Ok(Former { item: ItemId(row.get(0)?), looked, wavers: row.get(3)? })
            });
            formers?.collect()
        })
    }
}

/// Beginning of the digests as a number.
fn key_of(digests: &[Digest]) -> Option<i64> {
    let bytes = digests.first()?.as_bytes();
    let mut key = [0; 8];
    let length = bytes.len().min(8);
    key[..length].copy_from_slice(&bytes[..length]);
    Some(i64::from_le_bytes(key))
}

/// A database in a directory that is gone when it is closed, or its process is.
fn open(directory: &Path) -> Result<Connection> {
    let failed = |source| Error::Scratch { directory: directory.into(), source };
    let file = tempfile::Builder::new().prefix(".hashlane-audit-").tempfile_in(directory).map_err(failed)?;
    let path: PathBuf = file.path().into();
    let opened = || -> rusqlite::Result<Connection> {
        let connection = Connection::open(path)?;
        // Nothing of it is worth anything after this process.
        connection.pragma_update(None, "journal_mode", "OFF")?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "cache_size", -8192)?;
        keep_plans(&connection)?;
        // So that it is open before its name is gone.
        connection.execute_batch("CREATE TABLE opened (x)")?;
        Ok(connection)
    };
    let connection = opened()
        .map_err(|source| Error::ScratchDatabase { directory: directory.into(), source: Sqlite(source) })?;
    file.close().map_err(failed)?;
    Ok(connection)
}
