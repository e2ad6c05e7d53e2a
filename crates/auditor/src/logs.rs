//! Files that may be appended to, and lie under another name now: they were rotated.

use std::collections::HashMap;

use hashlane_catalog::{Collection, Content, Error, Item, ItemId, Policies, Policy, Result};
use hashlane_digest::Digest;
use hashlane_engine::Filter;
use roaring::RoaringTreemap;

/// The files of a collection that may be appended to, and those of them whose names are gone or have another file now.
#[derive(Debug)]
pub(crate) struct Logs {
    /// Which files may be appended to, if any may.
    filter: Option<Filter>,
    policies: Policies,
    displaced: Vec<Log>,
    by_inode: HashMap<u64, usize>,
    by_content: HashMap<Vec<Digest>, Vec<usize>>,
}

/// One that has another name now, or may have.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) item: ItemId,
    content: Content,
    /// Its name has another file now.
    is_there: bool,
}

impl Log {
    /// Whether a new file is this one by its number, too.
    pub(crate) fn has_inode_of(&self, new: &Content) -> bool {
        new.inode.is_some() && new.inode == self.content.inode
    }
}

impl Logs {
    pub(crate) fn of(collection: &Collection) -> Result<Self> {
        let globs = &collection.terms.selection.append_only;
        let filter = match globs.is_empty() {
            true => None,
            false => Some(Filter::new(globs, &[], &[]).map_err(Error::Filter)?),
        };
        let policies = Policies::of(&collection.terms)?;
        let (by_inode, by_content) = (HashMap::new(), HashMap::new());
        Ok(Self { filter, policies, displaced: Vec::new(), by_inode, by_content })
    }

    /// Whether none may be appended to.
    pub(crate) fn is_empty(&self) -> bool {
        self.filter.is_none()
    }

    /// Whether a file may be appended to, by its path below the root.
    pub(crate) fn takes(&self, path: &[u8]) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.takes_below(path))
    }

    /// What new and changed files mean at a path below the root.
    pub(crate) fn policy(&self, path: &[u8]) -> Policy {
        self.policies.at(path)
    }

    /// The same, where it is the same everywhere.
    pub(crate) fn policy_of_all(&self) -> Option<Policy> {
        self.policies.of_all()
    }

    /// Takes note of a known file whose name is gone, or has another file now (`is_there`). Where nothing new is accepted, nothing is rotated
    /// either.
    pub(crate) fn add(&mut self, path: &[u8], item: &Item, is_there: bool) {
        let content = &item.content;
        if content.digests.is_empty()
            || content.size == Some(0)
            || !self.takes(path)
            || self.policy(path) == Policy::Frozen
        {
            return;
        }
        let place = self.displaced.len();
        if let Some(inode) = content.inode {
            self.by_inode.insert(inode, place);
        }
        self.by_content.entry(content.digests.clone()).or_default().push(place);
        self.displaced.push(Log { item: item.id, content: content.clone(), is_there });
    }

    /// The inodes by which they are known.
    pub(crate) fn inodes(&self) -> Vec<u64> {
        self.by_inode.keys().copied().collect()
    }

    /// Another file has this inode by now.
    pub(crate) fn forget_inode(&mut self, inode: u64) {
        self.by_inode.remove(&inode);
    }

    /// Whether a new file is one of them by its number, whatever it contains.
    pub(crate) fn is_displaced(&self, item: ItemId, new: &Content) -> bool {
        let place = new.inode.and_then(|inode| self.by_inode.get(&inode));
        place.is_some_and(|place| self.displaced[*place].item == item)
    }

    /// How many bytes of a new file are to be compared with what was known of a file of its inode.
    pub(crate) fn beginning(&self, new: &Content) -> Option<u64> {
        let log = &self.displaced[*self.by_inode.get(&new.inode?)?];
        log.content.size.filter(|known| Some(*known) < new.size)
    }

    /// The file that a new one was before: it has its content, or its content and more. `beginning`: how long the beginning of the new one is
    /// that was digested by itself, and its digests. `but`: those that were found already. Of several the one with its inode is meant.
    pub(crate) fn origin(
        &self,
        new: &Content,
        beginning: Option<&(u64, Vec<Digest>)>,
        but: &RoaringTreemap,
    ) -> Option<&Log> {
        let known = [(new.size, &new.digests)].into_iter();
        let known = known.chain(beginning.map(|(bytes, digests)| (Some(*bytes), digests)));
        let meant = known.flat_map(|(size, digests)| {
            let places = self.by_content.get(digests).map_or(&[][..], Vec::as_slice);
            places.iter().map(|place| &self.displaced[*place]).filter(move |log| log.content.size == size)
        });
        // Where numbers are not kept, the time distinguishes a log that was renamed from a copy beside it.
        let is_renamed =
            |log: &&Log| !log.is_there || log.content.inode.is_some() || log.content.modified == new.modified;
        let meant = meant.filter(is_renamed).filter(|log| !but.contains(log.item.0 as u64));
        meant.min_by_key(|log| log.content.inode != new.inode)
    }
}
