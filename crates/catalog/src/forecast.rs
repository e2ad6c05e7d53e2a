//! Whether a promise can be kept: what it needs a day, and what audits were given.

use rusqlite::params;

use crate::catalog::Catalog;
use crate::collections::Collection;
use crate::error::Result;

const DAY_S: i64 = 24 * 3600;

/// For how long back audits say how fast they read, in seconds.
const LOOK_BACK_S: i64 = 30 * DAY_S;

/// How fast a collection was audited lately.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Pace {
    /// Bytes read per second of reading.
    pub bytes_per_second: f64,
    /// Seconds a day for which audits went on, if a budget ended one of the last ones: they get no more.
    pub given_s: Option<f64>,
}

/// What a promise needs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Forecast {
    /// Seconds of reading that each day needs.
    pub need_s: f64,
    /// Seconds that a day gives, as far as that is limited.
    pub given_s: Option<f64>,
    /// The share of the bytes that will be late: 0 to 1.
    pub late: f64,
}

impl Forecast {
    /// Of a collection of so many bytes, each of which is to be read within a period of seconds.
    pub fn new(bytes: u64, period_s: i64, bytes_per_second: f64, given_s: Option<f64>) -> Self {
        let days = period_s.max(1) as f64 / DAY_S as f64;
        let need_s = bytes as f64 / days / bytes_per_second;
        let late = match given_s {
            Some(given_s) if need_s > given_s => 1.0 - given_s / need_s,
            _ => 0.0,
        };
        Self { need_s, given_s, late }
    }
}

impl Catalog {
    /// How fast a collection was audited in the last month; nothing where too little was read here to tell. `now_s`: seconds since 1970.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn pace(&self, collection: &Collection, now_s: i64) -> Result<Option<Pace>> {
        /// Less than a second of reading says nothing of a rate.
        const LEAST_MS: i64 = 1000;

        let since_s = now_s.saturating_sub(LOOK_BACK_S);
        let mut statement = self.connection.prepare_cached(
            "SELECT min(started_s), total(counts ->> '$.read_bytes'), total(counts ->> '$.reading_ms'),
                 total(counts ->> '$.listing_ms') + total(counts ->> '$.rereading_ms'), total(outcome = 'budget')
             FROM run WHERE collection = ?1 AND started_s BETWEEN ?2 AND ?3 AND outcome IN ('complete', 'budget')
             AND counts ->> '$.read_bytes' > 0 AND counts ->> '$.by' IS NULL",
        )?;
        let (first_s, bytes, reading_ms, other_ms, limited) =
            statement.query_row(params![collection.id.0, since_s, now_s], |row| {
                let first_s: Option<i64> = row.get(0)?;
                let totals: [f64; 4] = [row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
                Ok((first_s, totals[0], totals[1], totals[2], totals[3]))
            })?;
        let Some(first_s) = first_s.filter(|_| reading_ms >= LEAST_MS as f64) else { return Ok(None) };
        // The day of the first one counts, too.
        let days = ((now_s - first_s) as f64 / DAY_S as f64).max(0.0) + 1.0;
        let given_s = (limited > 0.0).then_some((reading_ms + other_ms) / 1000.0 / days);
        Ok(Some(Pace { bytes_per_second: bytes / (reading_ms / 1000.0), given_s }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_is_set_against_what_is_needed() {
        let terabyte = 1_000_000_000_000;
        // 1 TB in 90 days at 100 MB/s: 111 seconds a day.
        let forecast = Forecast::new(terabyte, 90 * DAY_S, 1e8, None);
        assert!((forecast.need_s - 111.1).abs() < 0.1 && forecast.late == 0.0, "{forecast:?}");
        let enough = Forecast::new(terabyte, 90 * DAY_S, 1e8, Some(112.0));
        assert_eq!(enough.late, 0.0);
        let half = Forecast::new(terabyte, 90 * DAY_S, 1e8, Some(111.111 / 2.0));
        assert!((half.late - 0.5).abs() < 0.001, "{half:?}");
        // A promise of hours.
        let hours = Forecast::new(terabyte, 6 * 3600, 1e9, Some(3600.0));
        assert!((hours.need_s - 4000.0).abs() < 0.1 && hours.late > 0.09, "{hours:?}");
    }
}
