//! Decisions that wait: a person accepts findings while an audit is under way.
//!
//! What an audit compares files with stays what it was when it began, so none of it is accepted in its midst. The decision is recorded, with
//! the findings as they were when somebody looked at them. Whoever has the collection next carries it out: the audit itself when it is over, and
//! if it has died, the next audit or the next one who accepts, before anything else.
//!
//! Invariants:
//! 1. A decision is carried out once: that it was is recorded together with what it does.
//! 2. Of a file against which something else stands by then, or that looks otherwise, nothing is accepted. That is an event.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{OptionalExtension as _, params};

use crate::acting::{Acting, Way};
use crate::auditor::Ground;
use crate::batch::{Batch, Row};
use crate::catalog::Catalog;
use crate::changes;
use crate::collections::{Collection, CollectionId};
use crate::error::{Error, Result};
use crate::events::EventKind;
use crate::findings::{ACCEPTED, Finding, find};
use crate::items::ItemId;
use crate::keeping::{Accepting, Decision};
use crate::verdict::Numbered as _;

/// What `what` of a pending decision says.
const ACCEPT: i64 = 1;

/// What became of a file.
const DONE: i64 = 1;
const REFUSED: i64 = 2;

/// How often it is looked whether somebody has carried a decision out.
const EVERY: Duration = Duration::from_millis(100);

/// What has come of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided {
    /// It was carried out, but for these files, which are not as they were found any more.
    Done(Vec<ItemId>),
    /// It is recorded, and an audit that is under way carries it out.
    Waits,
    /// It is recorded. Nobody audits the collection, and its tree cannot be reached: the next audit that reaches it carries it out.
    WaitsForTree,
}

/// Decisions on the files of a collection that were made beside an audit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pending {
    /// Files whose acceptance waits for an audit.
    pub waiting: u64,
    /// Files of which somebody has accepted what was not there any more, and against which something stands.
    pub refused: u64,
}

impl Catalog {
    /// Accepts the files of findings as they are, as [`Catalog::accept`] does. Where the collection is being audited, the decision is recorded, and waits.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn accept_beside(
        &mut self,
        collection: &Collection,
        ground: &dyn Ground,
        findings: &[Finding],
        decision: &Decision,
        patience: Duration,
    ) -> Result<Decided> {
        match self.accept(collection, ground, findings, decision) {
            Err(Error::Busy { .. }) => {}
            accepted => return accepted.map(Decided::Done),
        }
        let end = Instant::now() + patience;
        let pending = self.accept_later(collection, findings, decision)?;
        loop {
            let mut waits = Decided::Waits;
            // Whoever has audited it may be over, and have looked before this was recorded.
            match self.lock(collection, decision.at_s) {
                Ok(_lock) => {
                    self.carry_out_pending(collection, ground, decision.at_s)?;
                    waits = Decided::WaitsForTree;
                }
                Err(Error::Busy { .. }) => {}
                Err(error) => return Err(error),
            }
            if let Some(refused) = self.refused_of(pending)? {
                return Ok(Decided::Done(refused));
            }
            if Instant::now() >= end {
                return Ok(waits);
            }
            thread::sleep(EVERY);
        }
    }

    /// Decisions on the files of a collection that were made beside an audit.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn pending(&self, collection: CollectionId) -> Result<Pending> {
        let mut waiting = self.connection.prepare_cached(
            "SELECT count(*) FROM pending JOIN pending_item ON pending = pending.id WHERE collection = ?1 AND done_s IS NULL",
        )?;
        let mut refused = self.connection.prepare_cached(
            "SELECT count(DISTINCT pending_item.item) FROM pending JOIN pending_item ON pending = pending.id
             JOIN finding ON finding.item = pending_item.item
             WHERE pending.collection = ?1 AND outcome = ?2 AND cleared_s IS NULL AND known_by IS NULL
             AND NOT EXISTS (SELECT 1 FROM event WHERE event.item = pending_item.item AND kind = ?3 AND event.at_s > done_s)
             AND finding.since_s <= done_s",
        )?;
        Ok(Pending {
            waiting: waiting.query_row([collection.0], |row| row.get::<_, i64>(0))? as u64,
            refused: refused
                .query_row(params![collection.0, REFUSED, EventKind::Decision.number()], |row| {
                    row.get::<_, i64>(0)
                })? as u64,
        })
    }

    /// Records that somebody accepts findings, as they are now. Returns the number of the decision.
    fn accept_later(
        &mut self,
        collection: &Collection,
        findings: &[Finding],
        decision: &Decision,
    ) -> Result<i64> {
        let acting = self.acting.on(&decision.actor, &decision.reason, decision.at_s);
        let transaction = self.begin()?;
        let pending = {
            let mut statement = transaction.prepare_cached(
                "INSERT INTO pending (collection, what, actor, way, uid, reason, at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            let Acting { actor, uid, way, reason, .. } = &acting;
            statement.insert(params![
                collection.id.0,
                ACCEPT,
                actor,
                way.number(),
                uid,
                reason,
                decision.at_s
            ])?
        };
        {
            let mut statement = transaction.prepare_cached(
                "INSERT INTO pending_item (pending, item, verdict, since_s, size, mtime_ns, ctime_ns, inode, digests)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?;
            for finding in findings {
                let row = Row::of(&finding.seen.content);
                statement.execute(params![
                    pending,
                    finding.item.0,
                    finding.verdict.number(),
                    finding.since_s,
                    row.size,
                    row.mtime_ns,
                    row.ctime_ns,
                    row.inode,
                    row.digests
                ])?;
            }
        }
        let changed = collection.changed("accept-requested").with_files(findings.len());
        changes::record(&transaction, &acting, &changed)?;
        transaction.commit()?;
        Ok(pending)
    }

    /// The files of which a decision has accepted nothing, once it was carried out.
    fn refused_of(&self, pending: i64) -> Result<Option<Vec<ItemId>>> {
        let mut statement =
            self.connection.prepare_cached("SELECT done_s IS NOT NULL FROM pending WHERE id = ?1")?;
        // What is not there was purged with its collection.
        if !statement.query_row([pending], |row| row.get(0)).optional()?.unwrap_or(true) {
            return Ok(None);
        }
        let mut statement = self
            .connection
            .prepare_cached("SELECT item FROM pending_item WHERE pending = ?1 AND outcome = ?2")?;
        let refused = statement.query_map(params![pending, REFUSED], |row| row.get(0).map(ItemId))?;
        Ok(Some(refused.collect::<rusqlite::Result<_>>()?))
    }

    /// Carries out what was decided and waits, in the order in which it was. Who calls this has the lock of the collection. Where its tree cannot
    /// be reached, it goes on waiting. `now_s`: in seconds since 1970. Returns the files that are accepted by now.
    pub(crate) fn carry_out_pending(
        &mut self,
        collection: &Collection,
        ground: &dyn Ground,
        now_s: i64,
    ) -> Result<BTreeSet<ItemId>> {
        let (mut all, waiting) = (BTreeSet::new(), self.waiting(collection.id, now_s)?);
        // A store is asked for that, so only where there is something to do.
        if waiting.is_empty() || !self.is_reachable(collection, ground)? {
            return Ok(all);
        }
        for pending in waiting {
            let mut findings = Vec::new();
            let mut outdated = Vec::new();
            for (item, now) in self.decided_on(collection, &pending)? {
                match now {
                    Now::Stands(finding) => findings.push(*finding),
                    Now::Other => outdated.push(item),
                    Now::Accepted => _ = all.insert(item),
                }
            }
            let acting = std::mem::replace(&mut self.acting, pending.acting);
            let accepting = Accepting { pending: Some(pending.number), outdated };
            let accepted = self.accept_all(collection, ground, &findings, &pending.decision, accepting);
            self.acting = acting;
            let others: BTreeSet<ItemId> = accepted?.into_iter().collect();
            all.extend(findings.iter().map(|finding| finding.item).filter(|item| !others.contains(item)));
        }
        Ok(all)
    }

    /// The decisions on a collection that wait. They are carried out now, and it is recorded already when they were made.
    fn waiting(&self, collection: CollectionId, now_s: i64) -> Result<Vec<Waiting>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, actor, way, uid, reason, at_s FROM pending WHERE collection = ?1 AND done_s IS NULL ORDER BY id",
        )?;
        let rows = statement.query_map([collection.0], |row| {
            let decision = Decision { actor: row.get(1)?, reason: row.get(4)?, at_s: now_s };
            let acting = Acting {
                actor: decision.actor.clone(),
                uid: row.get(3)?,
                way: Way::of_number(row.get(2)?),
                reason: decision.reason.clone(),
                at_s: Some(now_s),
            };
            Ok(Waiting { number: row.get(0)?, made_s: row.get(5)?, acting, decision })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The files that a decision is about, and what has become of them since it was made.
    fn decided_on(&self, collection: &Collection, pending: &Waiting) -> Result<Vec<(ItemId, Now)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, verdict, since_s, size, mtime_ns, digests FROM pending_item WHERE pending = ?1 ORDER BY item",
        )?;
        let mut rows = statement.query([pending.number])?;
        let mut decided = Vec::new();
        while let Some(row) = rows.next()? {
            let item = ItemId(row.get(0)?);
            let then: Looks = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?);
            let stands =
                find(&self.connection, collection, item)?.filter(|finding| finding.cleared_s.is_none());
            let now = match stands {
                Some(finding) if looks(&finding) == then => Now::Stands(Box::new(finding)),
                None if self.was_accepted_since(item, pending.made_s)? => Now::Accepted,
                _ => Now::Other,
            };
            decided.push((item, now));
        }
        Ok(decided)
    }

    /// Whether somebody has accepted a file since a time, in seconds since 1970.
    fn was_accepted_since(&self, item: ItemId, since_s: i64) -> Result<bool> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT 1 FROM event WHERE item = ?1 AND what = ?2 AND at_s >= ?3 LIMIT 1")?;
        Ok(statement.exists(params![item.0, ACCEPTED, since_s])?)
    }
}

/// What has become of a file since somebody has decided on it.
enum Now {
    /// What stood stands.
    Stands(Box<Finding>),
    /// It was accepted by another decision.
    Accepted,
    /// Something else stands against it, or nothing does.
    Other,
}

/// A decision that waits.
struct Waiting {
    number: i64,
    /// When it was made, in seconds since 1970.
    made_s: i64,
    acting: Acting,
    decision: Decision,
}

/// By what a finding is known again: verdict, since when, size, time and content. Audits see it again and again.
type Looks = (i64, i64, Option<i64>, Option<i64>, Option<Vec<u8>>);

fn looks(finding: &Finding) -> Looks {
    let row = Row::of(&finding.seen.content);
    (finding.verdict.number(), finding.since_s, row.size, row.mtime_ns, row.digests)
}

impl Batch<'_> {
    /// Takes note that a decision which has waited is carried out, but for these files.
    pub(crate) fn close_pending(&self, pending: i64, refused: &[ItemId], decision: &Decision) -> Result<()> {
        self.transaction
            .prepare_cached("UPDATE pending_item SET outcome = ?2 WHERE pending = ?1")?
            .execute([pending, DONE])?;
        let mut refuse = self
            .transaction
            .prepare_cached("UPDATE pending_item SET outcome = ?3 WHERE pending = ?1 AND item = ?2")?;
        for item in refused {
            refuse.execute([pending, item.0, REFUSED])?;
            self.decided_as(*item, ("not-accepted", "it was not as it was found any more"), decision)?;
        }
        self.transaction
            .prepare_cached("UPDATE pending SET run = ?2, done_s = ?3 WHERE id = ?1")?
            .execute([pending, self.stint.run.0, decision.at_s])?;
        Ok(())
    }
}
