//! Decisions that wait: a person accepts findings while an audit is under way.
//!
//! What an audit compares files with stays what it was when it began, so none of it is accepted in its midst. The decision is recorded, with
//! the findings as they were when somebody looked at them. Whoever has the collection next carries it out: the audit itself when it is over, and
//! if it has died, the next audit or the next one who accepts, before anything else.
//!
//! Invariants:
//! 1. A decision is carried out once: that it was is recorded together with what it does.
//! 2. Of a file against which something else stands by then, or that looks otherwise, nothing is accepted. That is an event.

use rusqlite::{OptionalExtension as _, params};

use crate::acting::{Acting, Way};
use crate::batch::Batch;
use crate::changes;
use crate::collections::Collection;
use crate::error::Result;
use crate::events::EventKind;
use crate::findings::{ACCEPTED, Finding};
use crate::ids::{CollectionId, ItemId};
use crate::keeping::{Accepting, Decision, Looked};
use crate::reader::Reader;
use crate::row::Row;
use crate::verdict::Numbered as _;
use crate::writer::Writer;

/// What `what` of a pending decision says.
const ACCEPT: i64 = 1;

/// What became of a file.
const DONE: i64 = 1;
const REFUSED: i64 = 2;

/// Decisions on the files of a collection that were made beside an audit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pending {
    /// Files whose acceptance waits for an audit.
    pub waiting: u64,
    /// Files where somebody has accepted what was not there any more, and against which something stands.
    pub refused: u64,
}

impl Reader {
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

    /// The files where a decision has accepted nothing, once it was carried out; it has the number that [`Writer::accept_later`] returned.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn refused_of(&self, pending: i64) -> Result<Option<Vec<ItemId>>> {
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

    /// The decisions on a collection that wait, in the order in which they were made. They are carried out at a time, in seconds since 1970, and it is
    /// recorded already when they were made.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn waiting(&self, collection: CollectionId, now_s: i64) -> Result<Vec<Waiting>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, actor, way, uid, reason, at_s FROM pending WHERE collection = ?1 AND done_s IS NULL ORDER BY id",
        )?;
        let rows = statement.query_map([collection.0], |row| {
            let decision = Decision { actor: row.get("actor")?, reason: row.get("reason")?, at_s: now_s };
            let acting = Acting {
                actor: decision.actor.clone(),
                uid: row.get("uid")?,
                way: Way::of_number(row.get("way")?),
                reason: decision.reason.clone(),
                at_s: Some(now_s),
            };
            Ok(Waiting { number: row.get("id")?, made_s: row.get("at_s")?, acting, decision })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// What has become of the files that a decision is about since it was made.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn decided_on(&self, collection: &Collection, waiting: &Waiting) -> Result<DecidedOn> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, verdict, since_s, size, mtime_ns, digests FROM pending_item WHERE pending = ?1 ORDER BY item",
        )?;
        let mut rows = statement.query([waiting.number])?;
        let mut on = DecidedOn::default();
        while let Some(row) = rows.next()? {
            let item = ItemId(row.get("item")?);
            let then = Looks {
                verdict: row.get("verdict")?,
                since_s: row.get("since_s")?,
                size: row.get("size")?,
                mtime_ns: row.get("mtime_ns")?,
                digests: row.get("digests")?,
            };
            let stands = self.finding(collection, item)?.filter(|finding| finding.cleared_s.is_none());
            match stands {
                Some(finding) if Looks::of(&finding) == then => on.standing.push(finding),
                None if self.was_accepted_since(item, waiting.made_s)? => on.accepted.push(item),
                _ => on.outdated.push(item),
            }
        }
        Ok(on)
    }

    /// Whether somebody has accepted a file since a time, in seconds since 1970.
    fn was_accepted_since(&self, item: ItemId, since_s: i64) -> Result<bool> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT 1 FROM event WHERE item = ?1 AND what = ?2 AND at_s >= ?3 LIMIT 1")?;
        Ok(statement.exists(params![item.0, ACCEPTED, since_s])?)
    }
}

impl Writer {
    /// Records that somebody accepts findings, as they are now. Returns the number of the decision.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn accept_later(
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

    /// Carries out a decision that has waited. Who calls this has the lock of the collection. Returns the files where nothing was accepted.
    ///
    /// # Errors
    /// The catalogue does not take it. Then it goes on waiting.
    pub fn carry_out(
        &mut self,
        collection: &Collection,
        waiting: Waiting,
        looked: &[Looked<'_>],
        outdated: Vec<ItemId>,
    ) -> Result<Vec<ItemId>> {
        let Waiting { number, acting, decision, .. } = waiting;
        let acting = std::mem::replace(&mut self.acting, acting);
        let accepting = Accepting { pending: Some(number), outdated };
        let others = self.accept_all(collection, looked, &decision, accepting);
        self.acting = acting;
        others
    }
}

/// What has become of files since somebody has decided on them.
#[derive(Clone, Debug, Default)]
pub struct DecidedOn {
    /// What stood against these stands.
    pub standing: Vec<Finding>,
    /// Against these something else stands, or nothing does.
    pub outdated: Vec<ItemId>,
    /// These were accepted by another decision.
    pub accepted: Vec<ItemId>,
}

/// A decision that waits.
#[derive(Clone, Debug)]
pub struct Waiting {
    number: i64,
    /// When it was made, in seconds since 1970.
    made_s: i64,
    acting: Acting,
    decision: Decision,
}

/// By what a finding is known again. Audits see it again and again.
#[derive(PartialEq, Eq)]
struct Looks {
    verdict: i64,
    since_s: i64,
    size: Option<i64>,
    mtime_ns: Option<i64>,
    digests: Option<Vec<u8>>,
}

impl Looks {
    fn of(finding: &Finding) -> Self {
        let Row { size, mtime_ns, digests, .. } = Row::of(&finding.seen.content);
        Self { verdict: finding.verdict.number(), since_s: finding.since_s, size, mtime_ns, digests }
    }
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
