//! Copies of damage that were recorded before it was found. A file that rots is copied as it is, and the copy may be read, and be as good as new,
//! long before the turn of the first one comes.

use std::collections::{HashMap, HashSet};

use hashlane_record::shown_name;
use rusqlite::params;

use super::Audit;
use super::plan::Course;
use super::told::{Audited, tell};
use crate::batch::Batch;
use crate::catalog::Catalog;
use crate::causes::Cause;
use crate::collections::{Collection, CollectionId};
use crate::error::Result;
use crate::findings::Seen;
use crate::items::{Content, Item, ItemId, State, blob_of};
use crate::runs::{RunId, Stint};
use crate::spans::{ReadingKind, Span};
use crate::verdict::{Numbered as _, Verdict};

/// Rows that are written together.
const TOGETHER: usize = 8192;

/// A content that was found to be damage.
struct Damage {
    /// The file in which it was found; of several the first one.
    of: ItemId,
    /// In which run the content of before was last read good, or became known: what was recorded since then may be a copy.
    since: RunId,
}

/// Damage, by the size and the digests of the content that was found.
type ByContent = HashMap<(Option<i64>, Vec<u8>), Damage>;

impl Audit<'_> {
    /// Makes findings of files whose known content was recorded after the last good reading of a file in which that very content was found
    /// to be damage. What was known for longer is a content of its own.
    pub(super) fn find_copies_of_damage(
        &mut self,
        stint: Stint,
        audited: &mut Audited,
        course: &Course,
    ) -> Result<()> {
        let copies = copies_of_damage(self.catalog, self.collection, stint.run)?;
        for together in copies.chunks(TOGETHER) {
            let mut told = Vec::new();
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            for (copy, of) in together {
                let Some(before) = found_to_be_copy(&mut batch, self.collection, (*copy, *of), self.now_s)?
                else {
                    continue;
                };
                let was_read = before.is_some_and(|span| span.stint == stint.id);
                let was = course.take_back(*copy).or_else(|| was_read.then_some(Verdict::Ok));
                was.into_iter().for_each(|was| audited.counts.remove(was));
                audited.counts.add(Verdict::Corrupt, 1);
                told.push((*copy, Verdict::Corrupt, true));
            }
            batch.commit()?;
            for told in told {
                tell(self.catalog, self.collection, self.events, told)?;
            }
        }
        Ok(())
    }
}

/// Makes a finding of a copy of damage: what was known of the first file is known of it. When it was last read good, if it was; nothing, if
/// something is said of it already.
fn found_to_be_copy(
    batch: &mut Batch<'_>,
    collection: &Collection,
    (copy, of): (ItemId, ItemId),
    now_s: i64,
) -> Result<Option<Option<Span>>> {
    let stood = batch.stands(collection, copy)?.map(|finding| finding.verdict);
    let is_of_new =
        |verdict| matches!(verdict, Verdict::New | Verdict::Moved | Verdict::Copied | Verdict::Touched);
    if stood.is_some_and(|stood| !is_of_new(stood)) {
        return Ok(None);
    }
    let reading = batch.last_good(copy)?;
    let Item { content, state, .. } = batch.item(collection, copy)?;
    let known = batch.item(collection, of)?.content;
    // What a filter leaves out is left out with its findings, and what nobody has accepted is not accepted because it is made whole.
    let state = if matches!(state, State::Ignored | State::Unaccepted) { state } else { State::Present };
    batch.replace(copy, &Content { changed: content.changed, inode: content.inode, ..known }, state)?;
    batch.forget_good(copy, copy)?;
    let seen = Seen {
        content,
        reading: reading.map(|span| span.reading).filter(|reading| *reading != ReadingKind::Replaced),
        detail: format!("a copy of what was found at {}", shown_name(&batch.path_of(of)?)),
        cause: Some(Cause::CopyOfDamage),
        ..Seen::default()
    };
    batch.put_finding(copy, Verdict::Corrupt, &seen, now_s)?;
    batch.came_here(copy, of, now_s)?;
    Ok(Some(reading))
}

/// Files that have the content of damage which no run has judged before this one, and those in which that was found.
fn copies_of_damage(catalog: &Catalog, collection: &Collection, run: RunId) -> Result<Vec<(ItemId, ItemId)>> {
    let mut damage = damage_since(catalog, collection, run)?;
    if damage.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = catalog.connection.prepare_cached(
        "SELECT id, size, digests, run, state FROM item WHERE id BETWEEN ?1 AND ?2 AND digests IS NOT NULL
         UNION ALL SELECT NULL, size, digests, run, NULL FROM version WHERE item BETWEEN ?1 AND ?2 AND digests IS NOT NULL",
    )?;
    let accepted = accepting_runs(catalog, collection.id)?;
    let gone = [State::Retired, State::Unread].map(State::number);
    let mut copies = Vec::new();
    for segment in catalog.segment_numbers(collection.id)? {
        let mut rows = statement.query([segment.first(), segment.last()])?;
        while let Some(row) = rows.next()? {
            let content = (row.get(1)?, row.get(2)?);
            let Some(found) = damage.get(&content) else { continue };
            let (copy, since): (Option<i64>, _) = (row.get(0)?, RunId(row.get(3)?));
            match copy {
                _ if since <= found.since || accepted.contains(&since) => _ = damage.remove(&content),
                Some(copy) if !gone.contains(&row.get(4)?) => copies.push((ItemId(copy), found.of)),
                _ => {}
            }
        }
    }
    // What was known before then is a content of its own, which somebody has put into the other file; so is what somebody has accepted.
    let is_damage = |of: ItemId| damage.values().any(|damage| damage.of == of);
    copies.retain(|(_, of)| is_damage(*of));
    Ok(copies)
}

/// What was found to be damage since a run was judged to its end. Empty files are all alike, and what was written over damage is not known to be
/// damage.
fn damage_since(catalog: &Catalog, collection: &Collection, run: RunId) -> Result<ByContent> {
    let mut damage = ByContent::new();
    let empty: Vec<_> = collection.terms.algorithms.iter().map(|algorithm| algorithm.digest(b"")).collect();
    let mut statement = catalog.connection.prepare_cached(
        "SELECT finding.item, finding.size, finding.digests, item.run FROM finding JOIN item ON item.id = finding.item
         WHERE finding.collection = ?1 AND verdict = ?2 AND cleared_s IS NULL AND finding.digests IS NOT NULL AND finding.digests <> ?3
         AND coalesce(cause, 0) <> ?5 AND finding.run > (SELECT coalesce(max(id), 0) FROM run WHERE collection = ?1 AND id < ?4 AND outcome IN ('complete', 'budget'))
         ORDER BY finding.item",
    )?;
    let (corrupt, restored) = (Verdict::Corrupt.number(), Cause::Restored.number());
    let mut rows = statement.query(params![collection.id.0, corrupt, blob_of(&empty), run.0, restored])?;
    while let Some(row) = rows.next()? {
        let of = ItemId(row.get(0)?);
        let read = last_read_good_in(catalog, collection.id, of)?;
        let since = RunId(row.get(3)?).max(read.unwrap_or(RunId::NONE));
        let found = damage.entry((row.get(1)?, row.get(2)?)).or_insert(Damage { of, since });
        found.since = found.since.min(since);
    }
    Ok(damage)
}

/// The runs in which somebody has accepted files.
fn accepting_runs(catalog: &Catalog, collection: CollectionId) -> Result<HashSet<RunId>> {
    let mut statement = catalog
        .connection
        .prepare_cached("SELECT id FROM run WHERE collection = ?1 AND request = 'accept'")?;
    let runs = statement.query_map([collection.0], |row| row.get(0).map(RunId))?;
    Ok(runs.collect::<rusqlite::Result<_>>()?)
}

/// The run in which an item was last read good.
fn last_read_good_in(catalog: &Catalog, collection: CollectionId, item: ItemId) -> Result<Option<RunId>> {
    let Some(span) =
        catalog.last_good(collection, item)?.filter(|span| span.reading != ReadingKind::Replaced)
    else {
        return Ok(None);
    };
    let mut statement = catalog.connection.prepare_cached("SELECT run FROM stint WHERE id = ?1")?;
    Ok(Some(RunId(statement.query_row([span.stint.0], |row| row.get(0))?)))
}
