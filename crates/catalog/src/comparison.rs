//! A listing of a tree against what is known of it, a directory at a time.

use std::collections::BTreeSet;
use std::vec;

use roaring::RoaringTreemap;

use crate::collections::Collection;
use crate::error::Result;
use crate::ids::DirectoryId;
use crate::items::{Item, Segment, State};
use crate::paths::lies_in;
use crate::reader::Reader;

/// Is called with each item that a listing does not have: the path of its directory, and what is known.
pub type Gone<'a> = &'a mut dyn FnMut(&[u8], Item) -> Result<()>;

/// Compares the files of a tree, as a walk gives them, with the items of a collection.
///
/// A walk gives the files of a directory in byte order of their names, and those of its subdirectories in between. So one segment of each
/// directory on the way from the root is in memory, whatever the number of files.
#[derive(Debug)]
pub struct Comparison<'c> {
    catalog: &'c Reader,
    collection: &'c Collection,
    /// The directories on the way to the last file.
    open: Vec<Open>,
    visited: Visited,
    /// Directories that could not be listed, or not to their end.
    unsearched: BTreeSet<Vec<u8>>,
    /// Items that nobody expects any more, and that are reported all the same if they are not there.
    watched: RoaringTreemap,
}

/// A directory that more files may come of.
#[derive(Debug)]
struct Open {
    path: Vec<u8>,
    /// What follows in it.
    segments: vec::IntoIter<Segment>,
    /// What follows of the segment that the last name is in.
    items: vec::IntoIter<Item>,
}

impl<'c> Comparison<'c> {
    /// Begins at the root of a collection.
    pub fn new(catalog: &'c Reader, collection: &'c Collection) -> Self {
        let (visited, unsearched) = (Visited::default(), BTreeSet::new());
        let watched = RoaringTreemap::new();
        Self { catalog, collection, open: Vec::new(), visited, unsearched, watched }
    }

    /// Reports these items as gone though nobody expects them any more: something stands against them.
    pub fn watching(self, items: RoaringTreemap) -> Self {
        Self { watched: items, ..self }
    }

    /// What is known of a file, if anything is. Items that the walk has gone past are handed to `gone`. `directory`: its path below the
    /// root, without a slash at either end; the root itself is empty.
    ///
    /// # Errors
    /// The catalogue cannot be read, or `gone` fails.
    pub fn file(&mut self, directory: &[u8], name: &[u8], gone: Gone<'_>) -> Result<Option<Item>> {
        while self.open.last().is_some_and(|last| !lies_in(directory, &last.path)) {
            self.close(gone)?;
        }
        if self.open.last().is_none_or(|last| last.path != directory) {
            let open = self.begin(directory)?;
            self.open.push(open);
        }
        let Some(open) = self.open.last_mut() else { unreachable!("one was opened") };
        loop {
            let Some(item) = open.items.as_slice().first() else {
                match open.segments.as_slice().first() {
                    Some(next) if next.first_name() <= name => open.load(self.catalog, self.collection)?,
                    _ => return Ok(None),
                }
                continue;
            };
            if item.name.as_slice() > name {
                return Ok(None);
            }
            let Some(item) = open.items.next() else { unreachable!("it was looked at") };
            if item.name == name {
                return Ok(Some(item));
            }
            tell(&self.watched, &open.path, item, gone)?;
        }
    }

    /// Takes note of a directory that could not be listed, or not to its end: of what lies below it nothing is known to be gone.
    pub fn unsearched(&mut self, directory: &[u8]) {
        self.unsearched.insert(directory.to_vec());
    }

    /// Ends the listing, and reports what else is gone: what was behind the last names, and directories that the walk did not come to.
    ///
    /// # Errors
    /// The catalogue cannot be read, or `gone` fails.
    pub fn finish(mut self, gone: Gone<'_>) -> Result<()> {
        while !self.open.is_empty() {
            self.close(gone)?;
        }
        for (id, path) in self.catalog.directories(self.collection.id)? {
            if self.visited.has(id) || self.is_unsearched(&path) {
                continue;
            }
            for segment in self.catalog.segments(id)? {
                for item in self.catalog.items(self.collection, &segment)? {
                    tell(&self.watched, &path, item, gone)?;
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self, directory: &[u8]) -> Result<Open> {
        let segments = match self.catalog.directory(self.collection.id, directory)? {
            Some(id) => {
                self.visited.add(id);
                self.catalog.segments(id)?
            }
            None => Vec::new(),
        };
        Ok(Open { path: directory.to_vec(), segments: segments.into_iter(), items: Vec::new().into_iter() })
    }

    /// Leaves the last directory: what is known of it and did not come is gone.
    fn close(&mut self, gone: Gone<'_>) -> Result<()> {
        let Some(mut open) = self.open.pop() else { return Ok(()) };
        if self.is_unsearched(&open.path) {
            return Ok(());
        }
        loop {
            for item in open.items.by_ref() {
                tell(&self.watched, &open.path, item, gone)?;
            }
            if open.segments.as_slice().is_empty() {
                return Ok(());
            }
            open.load(self.catalog, self.collection)?;
        }
    }

    /// Whether a directory, or one above it, could not be listed.
    fn is_unsearched(&self, path: &[u8]) -> bool {
        let above = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &path[..end]);
        !self.unsearched.is_empty()
            && std::iter::once(&b""[..])
                .chain(above)
                .chain([path])
                .any(|directory| self.unsearched.contains(directory))
    }
}

impl Open {
    /// Goes on to the next segment.
    fn load(&mut self, catalog: &Reader, collection: &Collection) -> Result<()> {
        if let Some(segment) = self.segments.next() {
            self.items = catalog.items(collection, &segment)?.into_iter();
        }
        Ok(())
    }
}

/// Reports that an item is gone, unless that was known.
fn tell(watched: &RoaringTreemap, directory: &[u8], item: Item, gone: Gone<'_>) -> Result<()> {
    let was_known = item.state == State::Retired && !watched.contains(item.id.0 as u64);
    if was_known { Ok(()) } else { gone(directory, item) }
}

/// The directories that a walk came to, a bit for each number.
#[derive(Debug, Default)]
struct Visited(Vec<u64>);

impl Visited {
    fn place(DirectoryId(id): DirectoryId) -> (usize, u64) {
        // SQLite counts from 1 on.
        (id as usize / 64, 1 << (id % 64))
    }

    fn add(&mut self, id: DirectoryId) {
        let (word, bit) = Self::place(id);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= bit;
    }

    fn has(&self, id: DirectoryId) -> bool {
        let (word, bit) = Self::place(id);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }
}
