//! What a filter does to what is known.

use hashlane_engine::Filter;

use crate::catalog::Catalog;
use crate::collections::{Collection, Selection};
use crate::error::{Error, Result};
use crate::items::{State, joined};

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

impl Catalog {
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
    pub fn ignored_findings(&self, collection: &Collection, now_s: i64) -> Result<u64> {
        let mut ignored = 0;
        for item in self.unknown_findings(collection.id, now_s)? {
            let item = self.item(collection, crate::items::ItemId(item as i64))?;
            ignored += u64::from(item.is_some_and(|item| item.state == State::Ignored));
        }
        Ok(ignored)
    }
}
