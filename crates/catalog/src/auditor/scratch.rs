//! What a listing leaves to be done, whatever its size: kept in databases that nobody else sees and that are gone with their process.

use std::path::{Path, PathBuf};

use hashlane_digest::Digest;
use roaring::RoaringTreemap;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::batch::Row;
use crate::catalog::keep_plans;
use crate::error::{Error, Result};
use crate::items::{Content, Item, ItemId, blob_of, time_of};

/// Files that a listing has found and that are to be read whatever their age: those that are not known, and those whose size or time
/// is not as known.
#[derive(Debug)]
pub(crate) struct ToJudge {
    connection: Connection,
    /// The directory of the last file, and its number.
    directory: Option<(Vec<u8>, i64)>,
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// Its number in the listing.
    pub(crate) number: i64,
    pub(crate) directory: Vec<u8>,
    pub(crate) name: Vec<u8>,
    /// What the listing told of it.
    pub(crate) content: Content,
    /// The item that it is, if its name is known.
    pub(crate) item: Option<ItemId>,
}

impl ToJudge {
    pub(crate) fn new(directory: &Path) -> Result<Self> {
        let connection = open(directory)?;
        connection.execute_batch(
            "CREATE TABLE directory (id INTEGER PRIMARY KEY, path BLOB NOT NULL);
             CREATE TABLE file (id INTEGER PRIMARY KEY, directory INTEGER NOT NULL, name BLOB NOT NULL, size INTEGER,
                 mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER, item INTEGER, is_new INTEGER NOT NULL);
             BEGIN",
        )?;
        Ok(Self { connection, directory: None })
    }

    /// `is_new`: nothing is known of its content, though its name may be.
    pub(crate) fn add(
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
                let mut statement =
                    self.connection.prepare_cached("INSERT INTO directory (path) VALUES (?1)")?;
                let number = statement.insert([directory])?;
                self.directory = Some((directory.to_vec(), number));
                number
            }
        };
        let row = Row::of(content);
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO file (directory, name, size, mtime_ns, ctime_ns, inode, item, is_new) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        statement.execute(params![
            number,
            name,
            row.size,
            row.mtime_ns,
            row.ctime_ns,
            row.inode,
            item.map(|item| item.0),
            is_new
        ])?;
        Ok(())
    }

    /// The next file behind a number, among those that are new or those that are not.
    pub(crate) fn next(&self, behind: i64, is_new: bool) -> Result<Option<Listed>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT file.id, directory.path, name, size, mtime_ns, ctime_ns, inode, item
             FROM file JOIN directory ON directory.id = file.directory
             WHERE file.id > ?1 AND is_new = ?2 ORDER BY file.id LIMIT 1",
        )?;
        let found = statement.query_row(params![behind, is_new], |row| {
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
            })
        });
        Ok(found.optional()?)
    }

    /// Whether a new file that was not read has a size and an inode: it may be another one that was renamed. `read`: the numbers of
    /// those that were. `index` first.
    pub(crate) fn has_new(&self, content: &Content, read: &RoaringTreemap) -> Result<bool> {
        let row = Row::of(content);
        let mut statement = self
            .connection
            .prepare_cached("SELECT id FROM file WHERE inode = ?1 AND size = ?2 AND is_new ORDER BY id")?;
        let mut rows = statement.query(params![row.inode, row.size])?;
        while let Some(row) = rows.next()? {
            if !read.contains(row.get::<_, i64>(0)? as u64) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes [`ToJudge::has_new`] fast. Only where it is asked for: a first audit needs none of it.
    pub(crate) fn index(&self) -> Result<()> {
        self.connection.execute_batch("CREATE INDEX file_by_inode ON file (inode, size) WHERE is_new")?;
        Ok(())
    }
}

/// Items that a listing does not have.
#[derive(Debug)]
pub(crate) struct Gone(Connection);

impl Gone {
    pub(crate) fn new(directory: &Path) -> Result<Self> {
        let connection = open(directory)?;
        // `key`: the beginning of the digests, which tells contents apart well enough to look at the rest.
        connection.execute_batch(
            "CREATE TABLE gone (item INTEGER PRIMARY KEY, size INTEGER, inode INTEGER, key INTEGER, digests BLOB,
                 is_said INTEGER NOT NULL);
             CREATE INDEX gone_by_content ON gone (key, item);
             BEGIN",
        )?;
        Ok(Self(connection))
    }

    /// `is_said`: that it is missing was said by an earlier run.
    pub(crate) fn add(&self, item: &Item, is_said: bool) -> Result<()> {
        let (row, key) = (Row::of(&item.content), key_of(&item.content.digests));
        let mut statement = self.0.prepare_cached(
            "INSERT INTO gone (item, size, inode, key, digests, is_said) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        statement.execute(params![item.id.0, row.size, row.inode, key, row.digests, is_said])?;
        Ok(())
    }

    /// Takes an item of this content out, if there is one: it was moved.
    pub(crate) fn take(&self, size: u64, digests: &[Digest]) -> Result<Option<ItemId>> {
        let mut statement = self.0.prepare_cached(
            "SELECT item FROM gone WHERE key = ?1 AND size = ?2 AND digests = ?3 ORDER BY item LIMIT 1",
        )?;
        let found: Option<i64> = statement
            .query_row(params![key_of(digests), size as i64, blob_of(digests)], |row| row.get(0))
            .optional()?;
        if let Some(item) = found {
            let mut statement = self.0.prepare_cached("DELETE FROM gone WHERE item = ?1")?;
            statement.execute([item])?;
        }
        Ok(found.map(ItemId))
    }

    /// Whether there is any.
    pub(crate) fn is_empty(&self) -> Result<bool> {
        Ok(self.0.query_row("SELECT 1 FROM gone LIMIT 1", [], |_| Ok(())).optional()?.is_none())
    }

    /// The next item behind another one: its number, size and inode, and whether it was said to be missing.
    pub(crate) fn next(&self, behind: ItemId) -> Result<Option<(ItemId, Content, bool)>> {
        let mut statement = self.0.prepare_cached(
            "SELECT item, size, inode, is_said FROM gone WHERE item > ?1 ORDER BY item LIMIT 1",
        )?;
        let found = statement.query_row([behind.0], |row| {
            let content = Content {
                size: row.get::<_, Option<i64>>(1)?.map(|size| size as u64),
                inode: row.get::<_, Option<i64>>(2)?.map(|inode| inode as u64),
                ..Content::default()
            };
            Ok((ItemId(row.get(0)?), content, row.get(3)?))
        });
        Ok(found.optional()?)
    }

    /// Shows of how many items each segment has lost, of which nobody has said so yet.
    pub(crate) fn by_segment(&self, shift: u32, show: &mut dyn FnMut(i64, u64)) -> Result<()> {
        let mut statement = self
            .0
            .prepare_cached("SELECT item >> ?1, count(*) FROM gone WHERE NOT is_said GROUP BY item >> ?1")?;
        let mut rows = statement.query([shift])?;
        while let Some(row) = rows.next()? {
            show(row.get(0)?, row.get::<_, i64>(1)? as u64);
        }
        Ok(())
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
pub(crate) fn open(directory: &Path) -> Result<Connection> {
    let failed = |source| Error::Scratch { directory: directory.into(), source };
    let file = tempfile::Builder::new().prefix(".hashlane-audit-").tempfile_in(directory).map_err(failed)?;
    let path: PathBuf = file.path().into();
    let connection = Connection::open(path)?;
    // Nothing of it is worth anything after this process.
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.pragma_update(None, "cache_size", -8192)?;
    keep_plans(&connection)?;
    // So that it is open before its name is gone.
    connection.execute_batch("CREATE TABLE opened (x)")?;
    file.close().map_err(failed)?;
    Ok(connection)
}
