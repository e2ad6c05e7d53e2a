//! New files whose content is known under another name, too: they are copies.
//!
//! There is no index over digests: it would cost each of ten million files more than it is worth. Where new files were read, all known
//! ones are looked at once, in the order in which they lie.

use std::collections::HashMap;

use roaring::RoaringTreemap;
use rusqlite::params;

use crate::catalog::Catalog;
use crate::collections::CollectionId;
use crate::error::Result;
use crate::items::{ItemId, State};

/// New files that are compared at most: with more of them a tree was filled, and not copied into.
const MOST: u64 = 1_000_000;

/// For each of these items that has the content of another one of its collection: the item, and the other one. Empty files are all alike.
pub(crate) fn copies(
    catalog: &Catalog,
    collection: CollectionId,
    new: &RoaringTreemap,
) -> Result<Vec<(ItemId, ItemId)>> {
    if new.is_empty() || new.len() > MOST {
        return Ok(Vec::new());
    }
    let mut by_content: HashMap<Vec<u8>, Vec<ItemId>> = HashMap::new();
    let mut statement =
        catalog.connection.prepare_cached("SELECT digests FROM item WHERE id = ?1 AND size > 0")?;
    for item in new {
        let mut rows = statement.query([item as i64])?;
        if let Some(digests) = rows.next()?.map(|row| row.get::<_, Option<Vec<u8>>>(0)).transpose()?.flatten()
        {
            by_content.entry(digests).or_default().push(ItemId(item as i64));
        }
    }
    let mut found = Vec::new();
    let mut statement = catalog.connection.prepare_cached(
        "SELECT id, digests FROM item WHERE id BETWEEN ?1 AND ?2 AND size > 0 AND digests IS NOT NULL AND state NOT IN (?3, ?4)",
    )?;
    let [retired, unread] = [State::Retired, State::Unread].map(State::number);
    for segment in catalog.segment_numbers(collection)? {
        let mut rows = statement.query(params![segment.first(), segment.last(), retired, unread])?;
        while let Some(row) = rows.next()? {
            let item: i64 = row.get(0)?;
            let digests = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            if by_content.contains_key(digests) && !new.contains(item as u64) {
                let copied = by_content.remove(digests).unwrap_or_default();
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
