//! Which findings were told: what an audit has found and did not come to tell, the next one tells.

use roaring::RoaringTreemap;
use rusqlite::params;

use crate::error::Result;
use crate::findings::BACK;
use crate::ids::{CollectionId, ItemId};
use crate::items::State;
use crate::reader::Reader;
use crate::runs::Stint;
use crate::verdict::{Numbered as _, Verdict};
use crate::writer::Writer;

/// A finding that an earlier audit has recorded, and that nobody was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Untold {
    /// The file that it is about.
    pub item: ItemId,
    /// What stands against it.
    pub verdict: Verdict,
    /// Since when, in seconds since 1970.
    pub since_s: i64,
}

impl Reader {
    /// What earlier audits have found and did not come to tell: they were killed, or what they wrote was lost. Without what the run of this stint has
    /// found new: that is told when it is known which are copies.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn untold(&self, collection: CollectionId, stint: Stint) -> Result<Vec<Untold>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, verdict, since_s FROM finding WHERE collection = ?1 AND told_s IS NULL AND cleared_s IS NULL AND verdict <> ?2
             AND NOT (verdict = ?3 AND run = ?4) ORDER BY verdict, item",
        )?;
        let of = params![collection.0, Verdict::Suspect.number(), Verdict::New.number(), stint.run.0];
        let mut rows = statement.query(of)?;
        let mut untold = Vec::new();
        while let Some(row) = rows.next()? {
            let (item, verdict) = (ItemId(row.get("item")?), Verdict::of_number(row.get("verdict")?)?);
            untold.push(Untold { item, verdict, since_s: row.get("since_s")? });
        }
        Ok(untold)
    }

    /// New files that a run has recorded in stints that were killed: nobody has told of them. `stint`: the one that goes on.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn untold_new(&self, collection: CollectionId, stint: Stint) -> Result<RoaringTreemap> {
        // What nobody has accepted is read again, and stands as it was found.
        let mut statement = self.connection.prepare_cached(
            "WITH killed AS (SELECT id, started_s FROM stint WHERE run = ?2 AND id < ?3
                 AND id > (SELECT coalesce(max(id), 0) FROM stint WHERE run = ?2 AND id < ?3 AND ended_s IS NOT NULL))
             SELECT item.id FROM span JOIN item ON item.id BETWEEN span.first AND span.last
             WHERE span.collection = ?1 AND span.stint IN (SELECT id FROM killed) AND item.run = ?2 AND item.state IN (?4, ?5)
             AND NOT EXISTS (SELECT 1 FROM version WHERE version.item = item.id)
             AND NOT EXISTS (SELECT 1 FROM event WHERE event.item = item.id AND event.run = ?2 AND what IN (?6, ?7, ?8))
             UNION SELECT item FROM finding WHERE collection = ?1 AND run = ?2 AND verdict = ?9 AND cleared_s IS NULL
             AND since_s BETWEEN (SELECT min(started_s) FROM killed) AND (SELECT started_s FROM stint WHERE id = ?3)",
        )?;
        let [present, unsettled] = [State::Present, State::Unsettled].map(State::number);
        let [moved, copied] = [Verdict::Moved, Verdict::Copied].map(Verdict::name);
        let (run, stint, new) = (stint.run.0, stint.id.0, Verdict::New.number());
        let of_run = params![collection.0, run, stint, present, unsettled, moved, copied, BACK, new];
        let items = statement.query_map(of_run, |row| Ok(row.get::<_, i64>(0)? as u64))?;
        Ok(items.collect::<rusqlite::Result<_>>()?)
    }
}

impl Writer {
    /// Takes note that the finding of a file was handed to who tells it. It counts as told with [`Writer::mark_told`].
    pub fn hand_on(&self, item: ItemId) {
        self.telling.borrow_mut().push(item.0);
    }

    /// Whether anything was handed on that does not count as told.
    pub fn has_handed_on(&self) -> bool {
        !self.telling.borrow().is_empty()
    }

    /// Forgets what was handed on: who was to tell it has failed.
    pub fn forget_handed_on(&mut self) {
        self.telling.get_mut().clear();
    }

    /// Records that what was handed on is told, at a time in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn mark_told(&mut self, now_s: i64) -> Result<()> {
        let told = std::mem::take(self.telling.get_mut());
        let transaction = self.begin()?;
        {
            let mut statement = transaction
                .prepare_cached("UPDATE finding SET told_s = ?2 WHERE item = ?1 AND told_s IS NULL")?;
            for item in told {
                statement.execute([item, now_s])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }
}
