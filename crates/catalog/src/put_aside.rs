//! Large files that were read in part, and are gone on with by a later audit.

use rusqlite::params;

use crate::batch::Batch;
use crate::error::Result;
use crate::ids::{CollectionId, RunId, StintId};
use crate::reader::Reader;
use crate::spans::ReadingKind;

/// The version of a file that what was read of it is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileVersion {
    /// Bytes.
    pub size: i64,
    /// When it was last written to, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// When it was last changed in any way, in nanoseconds since 1970.
    pub ctime_ns: i64,
    /// Its number in the file system.
    pub inode: i64,
}

/// A file that was put aside.
#[derive(Clone, Copy, Debug)]
pub struct PutAside<'a> {
    /// Its path below the root.
    pub path: &'a [u8],
    /// The stint that read its first byte.
    pub stint: StintId,
    /// What the root was then.
    pub root: &'a str,
    /// Which file was read.
    pub file: FileVersion,
    /// How it was read.
    pub reading: ReadingKind,
    /// What goes on from there: the states of its digests.
    pub states: &'a [u8],
}

/// The stint that read the first byte of a file.
#[derive(Clone, Copy, Debug)]
pub struct FirstStint {
    /// Its run.
    pub run: RunId,
    /// When it began, in seconds since 1970.
    pub began_s: i64,
}

impl Reader {
    /// Shows the files of a collection that were put aside.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn each_put_aside(
        &self,
        collection: CollectionId,
        show: &mut dyn FnMut(PutAside<'_>, FirstStint),
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT path, stint, checkpoint.root AS root, size, mtime_ns, ctime_ns, inode, reading, states, stint.run AS run,
             stint.started_s AS started_s FROM checkpoint JOIN stint ON stint.id = checkpoint.stint WHERE collection = ?1",
        )?;
        let mut rows = statement.query([collection.0])?;
        while let Some(row) = rows.next()? {
            let (path, states): (Vec<u8>, Vec<u8>) = (row.get("path")?, row.get("states")?);
            let root: String = row.get("root")?;
            let put_aside = PutAside {
                path: &path,
                stint: StintId(row.get("stint")?),
                root: &root,
                file: FileVersion {
                    size: row.get("size")?,
                    mtime_ns: row.get("mtime_ns")?,
                    ctime_ns: row.get("ctime_ns")?,
                    inode: row.get("inode")?,
                },
                reading: ReadingKind::of_number(row.get("reading")?)?,
                states: &states,
            };
            show(put_aside, FirstStint { run: RunId(row.get("run")?), began_s: row.get("started_s")? });
        }
        Ok(())
    }
}

impl Batch<'_> {
    /// Puts a file aside, in place of what was put aside of it before.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn put_aside(&self, file: &PutAside<'_>) -> Result<()> {
        let PutAside { path, stint, root, reading, states, .. } = *file;
        let FileVersion { size, mtime_ns, ctime_ns, inode } = file.file;
        let mut put = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO checkpoint (collection, path, stint, root, size, mtime_ns, ctime_ns, inode, reading, states)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        let (collection, reading) = (self.collection.0, reading.number());
        put.execute(params![
            collection, path, stint.0, root, size, mtime_ns, ctime_ns, inode, reading, states
        ])?;
        Ok(())
    }

    /// Forgets what was put aside of a file.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn forget_put_aside(&self, path: &[u8]) -> Result<()> {
        let mut delete =
            self.transaction.prepare_cached("DELETE FROM checkpoint WHERE collection = ?1 AND path = ?2")?;
        delete.execute(params![self.collection.0, path])?;
        Ok(())
    }

    /// Forgets files of the collection that were put aside before a time, in seconds since 1970: nobody goes on with them.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn forget_put_aside_before(&self, before_s: i64) -> Result<()> {
        self.transaction.execute(
            "DELETE FROM checkpoint WHERE collection = ?1
             AND (SELECT started_s FROM stint WHERE stint.id = checkpoint.stint) < ?2",
            params![self.collection.0, before_s],
        )?;
        Ok(())
    }
}
