//! New files whose content is known under another name, too: they are copies.
//!
//! There is no index over digests: it would cost each of ten million files more than it is worth. Where new files were read, all known
//! ones are looked at once, in the order in which they lie.

use std::collections::HashMap;

use roaring::RoaringTreemap;
use rusqlite::{Row, params};

use crate::catalog::Catalog;
use crate::collections::CollectionId;
use crate::error::Result;
use crate::findings::BACK;
use crate::items::{ItemId, State};
use crate::runs::Stint;
use crate::verdict::{Numbered as _, Verdict};

/// New files that are compared at most: with more of them a tree was filled, and not copied into.
const MOST: u64 = 1_000_000;

/// For each of these items that has the content of another one of its collection: the item, and the other one. Empty files are all alike; they
/// are copies of those of their names. `but`: items that are not there any more, and that nobody misses.
pub(crate) fn copies(
    catalog: &Catalog,
    collection: CollectionId,
    new: &RoaringTreemap,
    but: &RoaringTreemap,
) -> Result<Vec<(ItemId, ItemId)>> {
    if new.is_empty() || new.len() > MOST {
        return Ok(Vec::new());
    }
    let mut by_content: HashMap<Vec<u8>, Vec<ItemId>> = HashMap::new();
    let mut content = Vec::new();
    let mut statement = catalog
        .connection
        .prepare_cached("SELECT size, digests, name FROM item WHERE id = ?1 AND digests IS NOT NULL")?;
    for item in new {
        let mut rows = statement.query([item as i64])?;
        if let Some(row) = rows.next()? {
            take(&mut content, row, 0)?;
            by_content.entry(content.clone()).or_default().push(ItemId(item as i64));
        }
    }
    let mut found = Vec::new();
    let mut statement = catalog.connection.prepare_cached(
        "SELECT id, size, digests, name FROM item WHERE id BETWEEN ?1 AND ?2 AND digests IS NOT NULL AND state NOT IN (?3, ?4)",
    )?;
    let [retired, unread] = [State::Retired, State::Unread].map(State::number);
    for segment in catalog.segment_numbers(collection)? {
        let mut rows = statement.query(params![segment.first(), segment.last(), retired, unread])?;
        while let Some(row) = rows.next()? {
            let item: i64 = row.get(0)?;
            take(&mut content, row, 1)?;
            let is_other = !new.contains(item as u64) && !but.contains(item as u64);
            if is_other && by_content.contains_key(&content) {
                let copied = by_content.remove(&content).unwrap_or_default();
                found.extend(copied.into_iter().map(|copy| (copy, ItemId(item))));
            }
        }
        if by_content.is_empty() {
            break;
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// New files that a run has recorded in stints that were killed: nobody has told of them.
pub(crate) fn untold(catalog: &Catalog, collection: CollectionId, stint: Stint) -> Result<RoaringTreemap> {
    const KILLED: &str = "SELECT id, started_s FROM stint WHERE run = ?2 AND id < ?3
         AND id > (SELECT coalesce(max(id), 0) FROM stint WHERE run = ?2 AND id < ?3 AND ended_s IS NOT NULL)";

    let mut items = RoaringTreemap::new();
    let [present, unsettled] = [State::Present, State::Unsettled].map(State::number);
    let [moved, copied] = [Verdict::Moved, Verdict::Copied].map(Verdict::name);
    let mut accepted = catalog.connection.prepare_cached(&format!(
        "WITH killed AS ({KILLED}) SELECT item.id FROM span JOIN item ON item.id BETWEEN span.first AND span.last
         WHERE span.collection = ?1 AND span.stint IN (SELECT id FROM killed) AND item.run = ?2 AND item.state IN (?4, ?5)
         AND NOT EXISTS (SELECT 1 FROM version WHERE version.item = item.id)
         AND NOT EXISTS (SELECT 1 FROM event WHERE event.item = item.id AND event.run = ?2 AND what IN (?6, ?7, ?8))"
    ))?;
    let of_run = params![collection.0, stint.run.0, stint.id.0, present, unsettled, moved, copied, BACK];
    for item in accepted.query_map(of_run, |row| row.get::<_, i64>(0))? {
        items.insert(item? as u64);
    }
    // What nobody has accepted is read again, and stands as it was found.
    let mut found = catalog.connection.prepare_cached(&format!(
        "WITH killed AS ({KILLED}) SELECT item FROM finding WHERE collection = ?1 AND run = ?2 AND verdict = ?4 AND cleared_s IS NULL
         AND since_s BETWEEN (SELECT min(started_s) FROM killed) AND (SELECT started_s FROM stint WHERE id = ?3)"
    ))?;
    let of_run = params![collection.0, stint.run.0, stint.id.0, Verdict::New.number()];
    for item in found.query_map(of_run, |row| row.get::<_, i64>(0))? {
        items.insert(item? as u64);
    }
    Ok(items)
}

/// Fills `content` in from the size, the digests and the name of a row, which begin at a column: what copies share.
fn take(content: &mut Vec<u8>, row: &Row<'_>, column: usize) -> Result<()> {
    content.clear();
    let size: i64 = row.get(column)?;
    content.extend(size.to_le_bytes());
    let told_by = if size == 0 { column + 2 } else { column + 1 };
    content.extend(row.get_ref(told_by)?.as_blob().map_err(rusqlite::Error::from)?);
    Ok(())
}
