//! What a keeper says of a tree as a whole: that it is the right one, though what it was known by is gone, or that it was emptied on purpose.

use roaring::RoaringTreemap;

use crate::auditor::Ground;
use crate::catalog::Catalog;
use crate::changes;
use crate::collections::Collection;
use crate::error::{Error, Result};
use crate::findings::ACCEPTED;
use crate::items::{ItemId, State, joined};
use crate::keeping::Decision;
use crate::runs::Ending;

/// What keeps a collection from being accepted as emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotEmptied {
    /// Files are there, or directories that cannot be listed.
    NotEmpty,
    /// The root is another directory than the one that was audited: so is that of a disk which is not mounted.
    OtherRoot,
}

impl Catalog {
    /// How many of the known files of a collection are in a tree, by name and size.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn found_again(&self, collection: &Collection, ground: &dyn Ground) -> Result<u64> {
        let mut found = 0;
        self.each_item(collection, &mut |directory, item| {
            if matches!(item.state, State::Retired | State::Ignored) {
                return Ok(());
            }
            let there = ground.facts(&joined(directory, &item.name)).ok().flatten();
            found += u64::from(there.is_some_and(|there| there.size == item.content.size));
            Ok(())
        })?;
        Ok(found)
    }

    /// Accepts that all files of a collection are gone: nobody misses them any more. What is known of them stays in their history. Returns how many
    /// those were, or why nothing was accepted.
    ///
    /// # Errors
    /// The collection is being audited, its root cannot be reached or listed, or the catalogue does not take it. Then nothing was accepted.
    pub fn accept_all_gone(
        &mut self,
        collection: &Collection,
        ground: &dyn Ground,
        decision: &Decision,
    ) -> Result<std::result::Result<u64, NotEmptied>> {
        let _lock = self.lock(collection, decision.at_s)?;
        let root = ground.root().map_err(|source| Error::Listing { source })?;
        let is_same = collection
            .seen_root
            .as_ref()
            .is_none_or(|seen| (&seen.file_system, seen.inode) == (&root.file_system, root.inode));
        if !is_same {
            return Ok(Err(NotEmptied::OtherRoot));
        }
        let mut is_empty = true;
        ground.list(&mut |_| {
            is_empty = false;
            Ok(())
        })?;
        if !is_empty {
            return Ok(Err(NotEmptied::NotEmpty));
        }
        let mut gone = RoaringTreemap::new();
        self.each_item(collection, &mut |_, item| {
            if item.state != State::Retired {
                gone.insert(item.id.0 as u64);
            }
            Ok(())
        })?;
        let stint = self.decide(collection.id, "accept", decision)?;
        // All or nothing: of a part nobody has decided.
        let acting = self.acting.on(&decision.actor, &decision.reason, decision.at_s);
        let mut batch = self.batch(collection.id, stint)?;
        for item in gone.iter().map(|item| ItemId(item as i64)) {
            batch.set_state(item, State::Retired)?;
            batch.forget_good(item, item)?;
            batch.drop_finding(item)?;
            batch.decided(item, ACCEPTED, decision)?;
        }
        let changed = collection.changed("accepted-all-gone").with_files(gone.len() as usize);
        changes::record(&batch.transaction, &acting, &changed)?;
        batch.commit()?;
        self.discard_held(collection.id, &decision.reason, decision.at_s)?;
        self.end_stint(stint, Some(Ending::of("accepted")), decision.at_s)?;
        Ok(Ok(gone.len()))
    }
}
