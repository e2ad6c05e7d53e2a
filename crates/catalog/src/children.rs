//! What lies in a directory as it is known: one level of it, for whoever goes through a collection as through its tree.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rusqlite::params;

use crate::collections::Collection;
use crate::error::Result;
use crate::ids::CollectionId;
use crate::items::{Item, State};
use crate::reader::Reader;
use crate::verdict::Verdict;

/// A directory that lies in another one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChildDirectory {
    /// Its name.
    pub name: Vec<u8>,
    /// Files in it and below it; those that were retired since then still count.
    pub files_at_most: u64,
    /// Files in it and below it against which something stands.
    pub findings: u64,
}

/// A file that lies in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChildFile {
    /// What is known of it.
    pub item: Item,
    /// What stands against it.
    pub stands: Option<Verdict>,
}

impl Reader {
    /// The directories that lie in a directory, by its path below the root, in byte order of their names. Of what lies below
    /// them the segments are counted; of the findings all that stand against the collection are looked at.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn child_directories(&self, collection: CollectionId, path: &[u8]) -> Result<Vec<ChildDirectory>> {
        let prefix = if path.is_empty() { Vec::new() } else { [path, b"/"].concat() };
        let mut next = self.connection.prepare_cached(
            "SELECT path FROM directory WHERE collection = ?1 AND path >= ?2 ORDER BY path LIMIT 1",
        )?;
        let mut files = self.connection.prepare_cached(
            // Two searches: with an OR SQLite would walk through all directories.
            "SELECT coalesce(sum(items), 0) FROM (
                 SELECT id FROM directory WHERE collection = ?1 AND path = ?2
                 UNION ALL SELECT id FROM directory WHERE collection = ?1
                     AND path > CAST(?2 || x'2f' AS BLOB) AND path < CAST(?2 || x'30' AS BLOB)
             ) AS below JOIN segment ON segment.directory = below.id",
        )?;
        let mut children = BTreeMap::new();
        // The root itself has the empty path, which is the first one.
        let mut from = if prefix.is_empty() { vec![0] } else { prefix.clone() };
        loop {
            let mut rows = next.query(params![collection.0, from])?;
            let Some(row) = rows.next()? else { break };
            let found: Vec<u8> = row.get("path")?;
            let Some(below) = found.strip_prefix(&prefix[..]) else { break };
            let name = first_of(below).to_vec();
            let child = [&prefix[..], &name].concat();
            // Behind the directory itself come names that begin with its own, and behind those what lies in it. A slash is followed by `0`.
            from = match child == found {
                true => [&child[..], b"\0"].concat(),
                false => [&child[..], b"0"].concat(),
            };
            if let Entry::Vacant(entry) = children.entry(name) {
                let files: i64 = files.query_row(params![collection.0, child], |row| row.get(0))?;
                let name = entry.key().clone();
                entry.insert(ChildDirectory { name, files_at_most: files as u64, findings: 0 });
            }
        }
        let mut found = self.connection.prepare_cached(
            "SELECT directory.path AS path FROM finding JOIN segment ON segment.id = finding.item >> 16
             JOIN directory ON directory.id = segment.directory
             WHERE finding.collection = ?1 AND cleared_s IS NULL",
        )?;
        let mut rows = found.query([collection.0])?;
        while let Some(row) = rows.next()? {
            let found: Vec<u8> = row.get("path")?;
            let below = found.strip_prefix(&prefix[..]).filter(|below| !below.is_empty());
            if let Some(child) = below.and_then(|below| children.get_mut(first_of(below))) {
                child.findings += 1;
            }
        }
        Ok(children.into_values().collect())
    }

    /// The files that lie in a directory and are not retired, page by page: at most `most`, in byte order of their names. `after`: only
    /// those behind this name.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn child_files(
        &self,
        collection: &Collection,
        path: &[u8],
        after: Option<&[u8]>,
        most: usize,
    ) -> Result<Vec<ChildFile>> {
        let Some(directory) = self.directory(collection.id, path)? else { return Ok(Vec::new()) };
        let (segments, after) = (self.segments(directory)?, after.unwrap_or_default());
        let first = segments.iter().rposition(|segment| segment.first_name() <= after).unwrap_or(0);
        let mut files = Vec::new();
        for segment in &segments[first..] {
            let items = self.items(collection, segment)?.into_iter();
            for item in items.filter(|item| &item.name[..] > after && item.state != State::Retired) {
                if files.len() == most {
                    return Ok(files);
                }
                files.push(ChildFile { stands: self.standing_verdict(item.id)?, item });
            }
        }
        Ok(files)
    }
}

/// The first name of a path.
fn first_of(path: &[u8]) -> &[u8] {
    path.split(|byte| *byte == b'/').next().unwrap_or(path)
}
