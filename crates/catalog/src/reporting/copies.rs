//! Where an intact copy of a file is known.

use std::os::unix::ffi::OsStrExt as _;

use rusqlite::{OptionalExtension as _, params};

use super::Reported;
use crate::collections::Collection;
use crate::error::Result;
use crate::findings::content_of;
use crate::ids::{ItemId, SHIFT};
use crate::items::{Content, State};
use crate::paths::split;
use crate::reader::Reader;
use crate::spans::ReadingKind;
use crate::verdict::{Verdict, is_as_known};

/// A file with the content that another one is known to have had.
#[derive(Clone, Debug)]
pub struct IntactCopy {
    /// The collection that it belongs to.
    pub collection: Collection,
    /// Its path below the root of that collection.
    pub path: Vec<u8>,
    /// When it was last read good, in seconds since 1970.
    pub read_s: i64,
    /// Where its bytes came from.
    pub reading: ReadingKind,
}

/// An item that may be a copy of another one.
struct Candidate {
    item: ItemId,
    content: Content,
    state: State,
}

impl Reader {
    /// Where a file is known that is as another one is known to have been, and against which nothing stands. There is no index over
    /// digests, so this finds copies that have the same name: of the file's absolute path, the end from any directory on is looked for in
    /// each of `among`; and the file that it was once found to be a copy of.
    ///
    /// A tree may be in several collections, and be mounted in several places: a file is not a copy of itself. One that has the same absolute
    /// path, or the same inode of the same file system, is left out; but not another name of a file that is missing, if it was read good
    /// since.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn intact_copy(
        &self,
        collection: &Collection,
        reported: &Reported,
        among: &[Collection],
    ) -> Result<Option<IntactCopy>> {
        if reported.known.digests.is_empty() {
            return Ok(None);
        }
        let absolute = absolute(collection, &reported.path);
        let ends = absolute.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at + 1);
        for end in ends {
            let path = &absolute[end..];
            if path.is_empty() || path.starts_with(b"/") {
                continue;
            }
            for other in among {
                if let Some(candidate) = self.candidate_at(other, path)?
                    && let Some(copy) = self.vouched(other, path, &candidate, (collection, reported))?
                {
                    return Ok(Some(copy));
                }
            }
        }
        self.copied_from(collection, reported, among)
    }

    /// The file that another one was found to be a copy of.
    fn copied_from(
        &self,
        collection: &Collection,
        reported: &Reported,
        among: &[Collection],
    ) -> Result<Option<IntactCopy>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT event.other, item.size, item.mtime_ns, item.ctime_ns, item.inode, item.digests, item.state, event.collection
             FROM event CROSS JOIN item ON item.id = event.other WHERE event.item = ?1 ORDER BY event.id DESC LIMIT 8",
        )?;
        let mut rows = statement.query([reported.finding.item.0])?;
        while let Some(row) = rows.next()? {
            let of: i64 = row.get(7)?;
            let Some(other) = among.iter().find(|other| other.id.0 == of) else { continue };
            let candidate = Candidate {
                item: ItemId(row.get(0)?),
                content: content_of(row, 1, other)?,
                state: State::of_number(row.get(6)?)?,
            };
            let path = self.path_of(candidate.item)?;
            if let Some(copy) = self.vouched(other, &path, &candidate, (collection, reported))? {
                return Ok(Some(copy));
            }
        }
        Ok(None)
    }

    /// The item at a path, without a look at what else there is but in its segment.
    fn candidate_at(&self, collection: &Collection, path: &[u8]) -> Result<Option<Candidate>> {
        let (directory, name) = split(path);
        let Some(directory) = self.directory(collection.id, directory)? else { return Ok(None) };
        let mut parts = self.connection.prepare_cached(
            "SELECT id, items FROM segment WHERE directory = ?1
             AND first = (SELECT max(first) FROM segment WHERE directory = ?1 AND first <= ?2)",
        )?;
        let mut rows = parts.query(params![directory.0, name])?;
        while let Some(row) = rows.next()? {
            let (segment, items): (i64, i64) = (row.get(0)?, row.get(1)?);
            let mut statement = self.connection.prepare_cached(
                "SELECT id, size, mtime_ns, ctime_ns, inode, digests, state FROM item WHERE id BETWEEN ?1 AND ?2 AND name = ?3",
            )?;
            let first = segment << SHIFT;
            let found = statement
                .query_row(params![first, first + items - 1, name], |row| {
                    Ok((row.get(0)?, content_of(row, 1, collection), row.get::<_, i64>(6)?))
                })
                .optional()?;
            if let Some((item, content, state)) = found {
                let state = State::of_number(state)?;
                return Ok(Some(Candidate { item: ItemId(item), content: content?, state }));
            }
        }
        Ok(None)
    }

    /// A candidate as a copy, if it is one: it was read good, has the known content, and nothing stands against it.
    fn vouched(
        &self,
        other: &Collection,
        path: &[u8],
        candidate: &Candidate,
        (collection, reported): (&Collection, &Reported),
    ) -> Result<Option<IntactCopy>> {
        let Candidate { item, content, state } = candidate;
        let was_read = matches!(state, State::Present | State::Unsettled | State::Unaccepted);
        if *item == reported.finding.item || !was_read || !is_as_known(&reported.known, content) {
            return Ok(None);
        }
        if absolute(other, path) == absolute(collection, &reported.path) {
            return Ok(None);
        }
        if self.finding(other, *item)?.is_some_and(|finding| finding.cleared_s.is_none()) {
            return Ok(None);
        }
        let Some((read_s, reading)) = self.last_reading(other, *item)? else { return Ok(None) };
        // What was there when the other one was gone already is another name of it, or has its number by now.
        let outlived = reported.finding.verdict == Verdict::Missing && read_s > reported.finding.since_s;
        if !outlived && is_same_inode((other, content), (collection, reported)) {
            return Ok(None);
        }
        Ok(Some(IntactCopy { collection: other.clone(), path: path.to_vec(), read_s, reading }))
    }
}

/// The absolute path of a file.
fn absolute(collection: &Collection, path: &[u8]) -> Vec<u8> {
    let root = collection.terms.root.as_os_str().as_bytes();
    // That of everything ends with a slash itself.
    [root.strip_suffix(b"/").unwrap_or(root), b"/", path].concat()
}

/// Whether a candidate is the very file that is reported, by another name or by another way to it: what one is, the other is, too.
fn is_same_inode(
    (other, content): (&Collection, &Content),
    (collection, reported): (&Collection, &Reported),
) -> bool {
    let file_system = |collection: &Collection| Some(collection.seen_root.as_ref()?.file_system.clone());
    let lies_together = file_system(other).is_some_and(|of| file_system(collection) == Some(of));
    let known = [reported.known.inode, reported.finding.seen.content.inode];
    lies_together && content.inode.is_some_and(|inode| known.contains(&Some(inode)))
}
