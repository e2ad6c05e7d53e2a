//! What an audit says while it goes on, and what it did.

use std::time::Duration;

use hashlane_engine::Skipped;
use hashlane_record::Origin;
use roaring::RoaringTreemap;
use rusqlite::params;

use super::counts::Counts;
use super::held_back::HeldBack;
use super::hold::Held;
use super::listing::Listing;
use crate::catalog::Catalog;
use crate::causes::Cause;
use crate::collections::{Collection, CollectionId};
use crate::error::Result;
use crate::evidence::Said;
use crate::findings::{BACK, Seen};
use crate::items::{Content, ItemId, State};
use crate::runs::{RunId, Stint};
use crate::sealing::Seal;
use crate::verdict::{Numbered as _, Verdict};

/// What happens during an audit.
#[derive(Debug)]
#[non_exhaustive]
pub enum AuditEvent<'a> {
    /// So many files were listed so far.
    Listing(u64),
    /// The tree was listed to its end.
    Listed(&'a Listing),
    /// The plan is made: so many files that are to be read in any case, because they are new or look changed.
    Planned {
        /// Files that are new or look changed.
        at_once: u64,
        /// Bytes that will be read, where that can be told before.
        bytes: Option<u64>,
    },
    /// A file is not as known, and no finding: it was accepted, or is not judged to its end yet.
    File {
        /// Its path below the root.
        path: &'a [u8],
        /// What it is.
        verdict: Verdict,
        /// What is particular about an edit.
        cause: Option<Cause>,
        /// The same in words; empty if nothing is.
        detail: &'a str,
    },
    /// Something stands against a file.
    Finding {
        /// Its path below the root.
        path: &'a [u8],
        /// What it is.
        verdict: Verdict,
        /// It is said for the first time, of this content.
        is_new: bool,
        /// It was found by an earlier audit, which did not come to tell it, at a time in seconds since 1970.
        again_s: Option<i64>,
        /// What was there instead.
        seen: &'a Seen,
        /// What is known.
        known: &'a Content,
        /// What a provider says instead, of a file that one contradicts.
        said: Option<&'a Said>,
    },
    /// A directory or a file could not be listed or looked up.
    Unlisted {
        /// Its path below the root.
        path: &'a [u8],
        /// What the system said.
        reason: &'a str,
    },
    /// So many files are read again past the cache.
    Rereading(u64),
    /// What was told so far is to be where it is read: when this returns, it counts as told, and no later audit tells it again.
    Told,
}

/// Takes what happens during an audit. An error ends it.
pub type Events<'a> = &'a mut dyn FnMut(AuditEvent<'_>) -> Result<()>;

/// How an audit ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// All that was to be read was read.
    Complete,
    /// The budget was used up before.
    Budget,
    /// It was stopped from outside, and goes on with the same request.
    Stopped,
    /// It was held.
    Held(Held),
    /// The root cannot be reached, for this reason.
    Offline(String),
    /// The root is there, and the system does not let it be read, or the store does not answer to whoever asks: for this reason.
    Refused(String),
    /// There is no file, and never was: a first audit that registers nothing.
    Empty,
}

impl Outcome {
    /// In one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Budget => "budget",
            Self::Stopped => "stopped",
            Self::Held(_) => "held",
            Self::Offline(_) => "offline",
            Self::Refused(_) => "refused",
            Self::Empty => "empty",
        }
    }
}

/// What an audit did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Audited {
    /// How it ended.
    pub outcome: Outcome,
    /// The run that has recorded it; nothing of one that only counts.
    pub run: Option<RunId>,
    /// What the listing found.
    pub listing: Listing,
    /// What it holds back, by directory, if it is held.
    pub held_back: Vec<HeldBack>,
    /// How many files got which verdict.
    pub counts: Counts,
    /// What the walk passed over.
    pub skipped: Skipped,
    /// Files that were read to their end.
    pub files: u64,
    /// Bytes that were read, without those that were read again.
    pub bytes: u64,
    /// Where they came from.
    pub origin: Origin,
    /// Files that were read again, because they differ under their old size and time or only the device can tell that they are good.
    pub reread_files: u64,
    /// Bytes that were read again, each time that they were.
    pub reread_bytes: u64,
    /// Files that were to be read.
    pub planned_files: u64,
    /// Their bytes, without those of large files that were read before.
    pub planned_bytes: u64,
    /// Files that a run elsewhere was not asked for, as later readings or findings are known of them. Of a run that was ended early, or
    /// that goes on, it is not known how many those are: 0.
    pub known_later: u64,
    /// How many objects of a store were read again because they were recorded so soon after they were written that one more change might not
    /// show.
    pub unsettled_objects: u64,
    /// Files of which something else has changed than the content since they were read, and that this audit has not read.
    pub changed_metadata: u64,
    /// Why decisions that were made beside it are not carried out yet, if that failed.
    pub undecided: Option<String>,
    /// Why it ended before all was read, if that was not for its budget: what the collection lies on could not be reached any more.
    pub away: Option<String>,
    /// It was the first of its collection.
    pub is_first: bool,
    /// It went on with a run that was interrupted.
    pub goes_on: bool,
    /// How long the listing took.
    pub listing_time: Duration,
    /// How long the reading took, without what was read again.
    pub reading_time: Duration,
    /// How long it took to read files again.
    pub rereading_time: Duration,
    /// All that the run has recorded, in one number; nothing of one that is not over.
    pub seal: Option<Seal>,
}

impl Audited {
    /// One that has not done anything.
    pub fn nothing(is_first: bool) -> Self {
        Self {
            outcome: Outcome::Complete,
            run: None,
            listing: Listing::default(),
            held_back: Vec::new(),
            counts: Counts::default(),
            skipped: Skipped::default(),
            files: 0,
            bytes: 0,
            origin: Origin::default(),
            reread_files: 0,
            reread_bytes: 0,
            planned_files: 0,
            planned_bytes: 0,
            known_later: 0,
            unsettled_objects: 0,
            changed_metadata: 0,
            undecided: None,
            away: None,
            is_first,
            goes_on: false,
            listing_time: Duration::ZERO,
            reading_time: Duration::ZERO,
            rereading_time: Duration::ZERO,
            seal: None,
        }
    }
}

/// Tells what stands against a file, and whether that is said for the first time.
pub(super) fn tell(
    catalog: &Catalog,
    collection: &Collection,
    events: &mut dyn FnMut(AuditEvent<'_>) -> Result<()>,
    (item, verdict, is_new): (ItemId, Verdict, bool),
) -> Result<()> {
    tell_of(catalog, collection, events, (item, verdict, is_new), None)
}

/// Tells what earlier audits have found and did not come to tell: they were killed, or what they wrote was lost. What an audit that goes on has
/// found new it tells with the rest, when it knows which are copies.
pub(super) fn tell_again(
    catalog: &Catalog,
    collection: &Collection,
    events: &mut dyn FnMut(AuditEvent<'_>) -> Result<()>,
    stint: Stint,
) -> Result<()> {
    let mut statement = catalog.connection.prepare_cached(
        "SELECT item, verdict, since_s FROM finding WHERE collection = ?1 AND told_s IS NULL AND cleared_s IS NULL AND verdict <> ?2
         AND NOT (verdict = ?3 AND run = ?4) ORDER BY verdict, item",
    )?;
    let of = params![collection.id.0, Verdict::Suspect.number(), Verdict::New.number(), stint.run.0];
    let untold = statement.query_map(of, |row| Ok((ItemId(row.get(0)?), row.get(1)?, row.get(2)?)))?;
    for (item, verdict, since_s) in untold.collect::<rusqlite::Result<Vec<(ItemId, i64, i64)>>>()? {
        tell_of(catalog, collection, events, (item, Verdict::of_number(verdict)?, true), Some(since_s))?;
    }
    Ok(())
}

/// Takes note that what was handed on since the last time is told.
pub(super) fn mark_told(
    catalog: &mut Catalog,
    events: &mut dyn FnMut(AuditEvent<'_>) -> Result<()>,
    now_s: i64,
) -> Result<()> {
    if catalog.telling.get_mut().is_empty() {
        return Ok(());
    }
    events(AuditEvent::Told)?;
    let told = std::mem::take(catalog.telling.get_mut());
    let transaction = catalog.begin()?;
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

fn tell_of(
    catalog: &Catalog,
    collection: &Collection,
    events: &mut dyn FnMut(AuditEvent<'_>) -> Result<()>,
    (item, verdict, is_new): (ItemId, Verdict, bool),
    again_s: Option<i64>,
) -> Result<()> {
    let path = catalog.path_of(item)?;
    let seen = catalog.finding(collection, item)?.map(|finding| finding.seen).unwrap_or_default();
    let known = catalog.item(collection, item)?.map(|item| item.content).unwrap_or_default();
    let said = match verdict {
        Verdict::Contradicted => catalog.contradiction(collection.id, item)?,
        _ => None,
    };
    let (seen, known, said) = (&seen, &known, said.as_ref());
    events(AuditEvent::Finding { path: &path, verdict, is_new, again_s, seen, known, said })?;
    if is_new {
        catalog.telling.borrow_mut().push(item.0);
    }
    Ok(())
}

/// New files that a run has recorded in stints that were killed: nobody has told of them.
pub(super) fn untold_new(
    catalog: &Catalog,
    collection: CollectionId,
    stint: Stint,
) -> Result<RoaringTreemap> {
    // What nobody has accepted is read again, and stands as it was found.
    let mut statement = catalog.connection.prepare_cached(
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
