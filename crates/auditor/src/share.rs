//! How much of the known files an audit reads: all of them, or the share of the time that has passed.

use hashlane_catalog::{Collection, Reader, Result};

use crate::asked::Scope;
use crate::listing::Found;

/// How often a collection without a promise, or with a long one, is expected to be audited, in seconds.
const LEAST_INTERVAL_S: i64 = 24 * 3600;

/// Which of the known files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// All that were not read yet in this run.
    All,
    /// The oldest ones.
    Due(Due),
}

/// What is due of the known files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// Bytes that the time since the last audit has of those of the period.
    pub(crate) share_bytes: u64,
    /// Bytes that earlier audits have read beyond their shares, because files are read as a whole.
    pub(crate) ahead_bytes: u64,
    /// Beyond the share, everything whose promise ends before this time, in seconds since 1970.
    pub(crate) before_s: i64,
    pub(crate) period_s: i64,
}

impl Due {
    /// What is read of the oldest files, at least.
    pub(crate) fn bytes(self) -> u64 {
        self.share_bytes.saturating_sub(self.ahead_bytes)
    }

    /// How far ahead the next audit is. `aged_bytes`: what was read because of its age; `largest_bytes`: the largest file of that.
    pub(crate) fn ahead_after(self, aged_bytes: u64, largest_bytes: u64) -> u64 {
        let ahead = (self.ahead_bytes + aged_bytes).saturating_sub(self.share_bytes);
        // Nothing but whole files gets an audit ahead of what is spread. What had to be read because it would have been late does not.
        if aged_bytes == 0 { ahead } else { ahead.min(largest_bytes) }
    }
}

impl Share {
    /// What is to be read of the known files: each audit takes the share of the bytes that the time since the last one has of the period,
    /// and all that would be late before the next one. No audit is further ahead than by the largest file: what else was read too early is gone.
    pub(crate) fn of(
        catalog: &Reader,
        collection: &Collection,
        scope: Scope,
        now_s: i64,
        found: &Found,
    ) -> Result<Self> {
        let id = collection.id;
        let period_s = match (scope, collection.terms.period_s) {
            (Scope::All, _) => return Ok(Self::All),
            // Without a promise nothing is ever due.
            (Scope::Due, None) => {
                let (before_s, period_s) = (i64::MIN, i64::MAX);
                return Ok(Self::Due(Due { share_bytes: 0, ahead_bytes: 0, before_s, period_s }));
            }
            (Scope::Due, Some(period_s)) => period_s.max(1),
        };
        let (last_s, ahead_bytes) = catalog.last_run(id, now_s)?.unwrap_or((collection.created_s, 0));
        // Where a run elsewhere has read all since, nothing is older than that.
        let last_s = catalog.oldest_reading(id)?.map_or(last_s, |oldest_s| oldest_s.max(last_s));
        let interval_s = now_s.saturating_sub(last_s).clamp(0, period_s);
        // What is known to be damaged is read after the share, and isn't part of it.
        let all_bytes = found.listing.bytes.saturating_sub(catalog.bytes_of_findings(id, now_s)?);
        // Less than a byte is nothing: what is missed so is read before it would be late.
        let share_bytes = (u128::from(all_bytes) * interval_s as u128 / period_s as u128) as u64;
        // The next audit may come a little later than this one did; and of a file in use it takes three to know that.
        let nights_s = interval_s.max(LEAST_INTERVAL_S).saturating_mul(2);
        let in_use_s = if collection.is_held_to_device() { nights_s.min(period_s / 8) } else { 0 };
        let ahead_s = nights_s.saturating_add(in_use_s).min(period_s);
        let before_s = now_s.saturating_add(ahead_s);
        let ahead_bytes = ahead_bytes.min(found.largest_bytes);
        Ok(Self::Due(Due { share_bytes, ahead_bytes, before_s, period_s }))
    }
}
