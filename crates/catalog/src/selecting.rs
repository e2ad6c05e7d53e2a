//! What a filter does to what is known.

use hashlane_engine::Filter;
use rusqlite::params;

use crate::collections::{Collection, Selection};
use crate::error::{Error, Result};
use crate::findings::Acknowledgement;
use crate::ids::CollectionId;
use crate::items::State;
use crate::paths::joined;
use crate::reader::Reader;

/// What a filter leaves out of what is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// Files that are known, whether they belong to the collection by now or not.
    pub known: u64,
    /// Those of them that belong to it now, and would not.
    pub files: u64,
    /// Findings that stand against those.
    pub findings: u64,
}

impl LeftOut {
    /// Whether it is so much that somebody has to say that it is meant: more than a tenth of the files.
    pub fn is_much(&self) -> bool {
        self.files.saturating_mul(10) > self.known
    }
}

impl Reader {
    /// What another selection of files would leave out of what is known.
    ///
    /// # Errors
    /// A glob is malformed, or the catalogue cannot be read.
    pub fn left_out_by(&self, collection: &Collection, selection: &Selection) -> Result<LeftOut> {
        let filter = Filter::new(&selection.include, &selection.exclude, &[]).map_err(Error::Filter)?;
        let standing = self.standing_items(collection.id, &[])?;
        let mut left_out = LeftOut::default();
        self.each_item(collection, &mut |directory, item| {
            if item.state == State::Retired {
                return Ok(());
            }
            left_out.known += 1;
            if item.state != State::Ignored && !filter.takes_below(&joined(directory, &item.name)) {
                left_out.files += 1;
                left_out.findings += u64::from(standing.contains(item.id.0 as u64));
            }
            Ok(())
        })?;
        Ok(left_out)
    }

    /// How many files a filter leaves out against which something stands that nobody knows of at a time, in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn ignored_findings(&self, collection: CollectionId, now_s: i64) -> Result<u64> {
        let ignored: i64 = self.connection.query_row(
            &format!(
                "SELECT count(*) FROM finding JOIN item ON item.id = finding.item
                 WHERE finding.collection = ?1 AND cleared_s IS NULL AND item.state = ?2 AND NOT {}",
                Acknowledgement::holds_at("?3")
            ),
            params![collection.0, State::Ignored.number(), now_s],
            |row| row.get(0),
        )?;
        Ok(ignored as u64)
    }
}
