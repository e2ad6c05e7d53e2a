//! What was read good is recorded: in as few spans as will do, and by what the promise makes of where the bytes came from.

use hashlane_catalog::{Batch, ItemId, ReadingKind, Result, StintId};

use crate::recording::{Judged, Recording};

/// A file that the page cache has not let go of at so many audits in a row is as good as read from its device: nothing better will come.
const AUDITS_IN_USE: u64 = 3;

/// Items that were read good.
#[derive(Clone, Copy)]
pub(crate) struct Good {
    /// From here on there is no other one.
    first: i64,
    last: i64,
    stint: StintId,
    /// Where the bytes came from, if there were any.
    reading: Option<ReadingKind>,
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

impl Recording<'_> {
    /// Records that an item was read as it is known, or is known now. `from`: from where on no other item has a number.
    pub(crate) fn good(&mut self, from: ItemId, item: ItemId, judged: &Judged) -> Result<()> {
        let is_held = self.collection.is_held_to_device() && !self.is_elsewhere && !judged.is_empty;
        if is_held && judged.reading.is_of_cache() && self.standing.contains(item.0 as u64) {
            self.only_cached.insert(item.0 as u64);
        }
        match judged.reading {
            ReadingKind::InUse if is_held => {
                self.in_use.insert(item.0 as u64);
                let audits = self.batch.note_in_use(item)?;
                return match audits >= AUDITS_IN_USE {
                    true => self.batch.read_good_in(judged.stint, item, item, ReadingKind::InUse),
                    false => self.batch.read_from_cache(judged.stint, item),
                };
            }
            ReadingKind::Cache if is_held => return self.batch.read_from_cache(judged.stint, item),
            _ if self.in_use.remove(item.0 as u64) => self.batch.note_let_go(item)?,
            _ => {}
        }
        // Who has no bytes goes with its neighbours: of its reading nothing is to be told.
        let reading = (!judged.is_empty).then_some(judged.reading);
        let mut first = from.0;
        // No other item was there when the plan was made. Those that were added since were read by themselves, or not at all.
        if first < item.0 {
            let before = self.added.rank(item.0 as u64 - 1);
            let last = before.checked_sub(1).and_then(|last| self.added.select(last));
            first = last.map_or(first, |last| first.max(last as i64 + 1));
        }
        self.good.push(Good { first, last: item.0, stint: judged.stint, reading });
        Ok(())
    }
}
