//! Since when nothing was judged: a collection that nobody hears from is not well, it is silent.
//!
//! One rule: silent is what no audit has judged for the larger of two days and three times the usual interval. That is the median of the last
//! five. An audit judges if it comes to its end or to that of its budget, and is about the whole collection. One that was held, that could not
//! reach the collection, or that died has not judged.

use rusqlite::params;

use crate::collections::Collection;
use crate::error::Result;
use crate::reader::Reader;

/// For so long nobody is silent, in seconds: who audits by hand may leave out a day.
const LEAST_S: i64 = 2 * 24 * 3600;

/// As many usual intervals may be left out.
const INTERVALS: i64 = 3;

/// The intervals of which the median is the usual one.
const LAST: usize = 5;

/// When a collection was judged, and for how long nobody misses that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judging {
    /// When the last audit ended that has judged, in seconds since 1970; nothing if none has.
    pub last_s: Option<i64>,
    /// From when on it is silent, in seconds since 1970.
    pub silent_from_s: i64,
}

impl Judging {
    /// Of audits that began and ended at these times, the last one first. `created_s`: when the collection was registered. All in seconds since
    /// 1970.
    fn of(audits: &[(i64, i64)], created_s: i64) -> Self {
        let mut intervals: Vec<_> =
            audits.windows(2).take(LAST).map(|two| (two[0].0 - two[1].0).max(0)).collect();
        intervals.sort_unstable();
        let usual_s = match intervals.len() {
            0 => 0,
            // Of an even number the longer one of the middle: it is missed a little later.
            many => intervals[many / 2],
        };
        let last_s = audits.first().map(|(_, ended_s)| *ended_s);
        let allowed_s = usual_s.saturating_mul(INTERVALS).max(LEAST_S);
        Self { last_s, silent_from_s: last_s.unwrap_or(created_s).saturating_add(allowed_s) }
    }

    /// Whether nothing was judged for too long at a time, in seconds since 1970.
    pub fn is_silent(&self, now_s: i64) -> bool {
        now_s > self.silent_from_s
    }

    /// The same where somebody has said for how many seconds nobody misses it. What was never judged was not judged within any time.
    pub fn is_silent_for(&self, most_s: i64, now_s: i64) -> bool {
        self.last_s.is_none_or(|last_s| now_s.saturating_sub(last_s) > most_s)
    }
}

impl Reader {
    /// When a collection was judged, up to a time in seconds since 1970: what is dated later was dated by a wrong clock.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn judging(&self, collection: &Collection, now_s: i64) -> Result<Judging> {
        let mut statement = self.connection.prepare_cached(
            "SELECT started_s, ended_s FROM run WHERE collection = ?1 AND outcome IN ('complete', 'budget') AND ended_s <= ?2
             AND (request IN ('due', 'all') OR counts ->> '$.by' IS NOT NULL) ORDER BY id DESC LIMIT ?3",
        )?;
        let audits = statement.query_map(params![collection.id.0, now_s, (LAST + 1) as i64], |row| {
            Ok((row.get("started_s")?, row.get("ended_s")?))
        })?;
        let audits = audits.collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(Judging::of(&audits, collection.created_s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_S: i64 = 24 * 3600;

    #[test]
    fn a_collection_is_silent_after_three_of_its_usual_intervals_and_never_before_two_days() {
        // Days on which audits began that took an hour, the last one first; days after the end of the last one for which nobody misses anything.
        for (days, allowed) in [
            (vec![], 2),
            (vec![9], 2),
            (vec![9, 8], 3),
            (vec![9, 8, 7, 6, 5, 4], 3),
            (vec![30, 23, 16, 9, 2], 21),
            // One that was left out makes no other habit.
            (vec![30, 29, 28, 20, 19, 18], 3),
            (vec![300, 270, 240, 210, 209, 208], 90),
            // A clock that was put back.
            (vec![3, 10], 2),
        ] {
            let audits: Vec<_> = days.iter().map(|day| (day * DAY_S, day * DAY_S + 3600)).collect();
            let judging = Judging::of(&audits, 0);
            let since_s = judging.last_s.unwrap_or(0);
            assert_eq!(judging.silent_from_s, since_s + allowed * DAY_S, "{days:?}");
            assert!(
                !judging.is_silent(judging.silent_from_s) && judging.is_silent(judging.silent_from_s + 1)
            );
        }
    }

    #[test]
    fn who_says_for_how_long_decides() {
        let judging = Judging::of(&[(0, 100)], 0);
        assert!(!judging.is_silent_for(50, 150) && judging.is_silent_for(50, 151));
        assert!(Judging::of(&[], 0).is_silent_for(i64::MAX, 0), "it was never judged");
    }
}
