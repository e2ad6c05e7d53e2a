//! New files whose content is known under another name, too: they are copies.
//!
//! There is no index over digests: it would cost each of ten million files more than it is worth. Where new files were read, all known
//! ones are looked at once, in the order in which they lie.

use std::collections::HashMap;

use roaring::RoaringTreemap;
use rusqlite::{Row, params};

use crate::error::Result;
use crate::ids::{CollectionId, ItemId};
use crate::items::State;
use crate::reader::Reader;

/// New files that are compared at most: with more of them a tree was filled, and not copied into.
const MOST: u64 = 1_000_000;

impl Reader {
    /// For each of these items that has the content of another one of its collection: the item, and the other one. Empty files are all alike; they
    /// are copies of those of their names. `but`: items that are not there any more, and that nobody misses.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn copies(
        &self,
        collection: CollectionId,
        new: &RoaringTreemap,
        but: &RoaringTreemap,
    ) -> Result<Vec<(ItemId, ItemId)>> {
        if new.is_empty() || new.len() > MOST {
            return Ok(Vec::new());
        }
        let mut by_content: HashMap<Vec<u8>, Vec<ItemId>> = HashMap::new();
        let mut content = Vec::new();
        let mut statement = self.connection.prepare_cached(
            "SELECT size, digests, name FROM item WHERE id = ?1 AND digests IS NOT NULL AND size IS NOT NULL",
        )?;
        for item in new {
            let mut rows = statement.query([item as i64])?;
            if let Some(row) = rows.next()? {
                take(&mut content, row, 0)?;
                by_content.entry(content.clone()).or_default().push(ItemId(item as i64));
            }
        }
        let mut found = Vec::new();
        // What has no size was imported from a list without sizes, and never found here.
        let mut statement = self.connection.prepare_cached(
            "SELECT id, size, digests, name FROM item
         WHERE id BETWEEN ?1 AND ?2 AND digests IS NOT NULL AND size IS NOT NULL AND state NOT IN (?3, ?4)",
        )?;
        let [retired, unread] = [State::Retired, State::Unread].map(State::number);
        for segment in self.segment_numbers(collection)? {
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
