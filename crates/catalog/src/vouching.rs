//! What a keeper says of a tree as a whole: that it was emptied on purpose.

use roaring::RoaringTreemap;

use crate::changes;
use crate::collections::Collection;
use crate::error::Result;
use crate::findings::ACCEPTED;
use crate::ids::ItemId;
use crate::items::State;
use crate::keeping::Decision;
use crate::runs::Ending;
use crate::writer::Writer;

impl Writer {
    /// Accepts that all files of a collection are gone: nobody misses them any more. What is known of them stays in their history. Returns how many
    /// those were. Who calls this has the lock of the collection, and has seen that none is there.
    ///
    /// # Errors
    /// The catalogue does not take it. Then nothing was accepted.
    pub fn retire_all(&mut self, collection: &Collection, decision: &Decision) -> Result<u64> {
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
        Ok(gone.len())
    }
}
