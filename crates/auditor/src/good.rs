//! What was read good is recorded in as few spans as will do.

use hashlane_catalog::{Batch, ItemId, ReadingKind, Result, StintId};

/// Items that were read good.
#[derive(Clone, Copy)]
pub(crate) struct Good {
    /// From here on there is no other one.
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) stint: StintId,
    /// Where the bytes came from, if there were any.
    pub(crate) reading: Option<ReadingKind>,
}

impl Good {
    /// Makes one of two, if they touch and say the same.
    fn join(&mut self, next: &Self) -> bool {
        let is_same = self.reading.is_none() || next.reading.is_none() || self.reading == next.reading;
        let joins = self.stint == next.stint && self.last + 1 >= next.first && is_same;
        if joins {
            self.last = next.last;
            self.reading = self.reading.or(next.reading);
        }
        joins
    }

    fn put(self, batch: &Batch<'_>) -> Result<()> {
        // There was nothing to read in any of them, wherever it would have come from.
        let reading = self.reading.unwrap_or(ReadingKind::Device);
        batch.read_good_in(self.stint, ItemId(self.first), ItemId(self.last), reading)
    }
}

/// Records items that were read good, in as few spans as will do.
pub(crate) fn put(good: &mut Vec<Good>, batch: &Batch<'_>) -> Result<()> {
    good.sort_unstable_by_key(|good| good.first);
    let mut present: Option<Good> = None;
    for good in good.drain(..) {
        if present.as_mut().is_some_and(|present| present.join(&good)) {
            continue;
        }
        if let Some(before) = present.replace(good) {
            before.put(batch)?;
        }
    }
    present.map_or(Ok(()), |last| last.put(batch))
}
