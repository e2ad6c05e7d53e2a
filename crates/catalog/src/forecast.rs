//! Whether a promise can be kept: what it needs a day, and what audits read a day.

use rusqlite::params;

use crate::collections::Collection;
use crate::error::Result;
use crate::reader::Reader;
use crate::totals::Total;

const DAY_S: i64 = 24 * 3600;

/// For how long back audits say how much they read, in seconds.
const LOOK_BACK_S: i64 = 30 * DAY_S;

/// A share of files that is so small is that of chance: no night is as long as the other.
const LEAST_LATE: f64 = 0.01;

/// What audits read a day, where a budget has ended them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Given {
    /// Bytes.
    pub bytes: f64,
    /// Files. Who limits those reads as many small ones as large ones.
    pub files: f64,
}

impl Given {
    /// This many bytes a day, whatever number of files that is.
    pub fn of_bytes(bytes: f64) -> Self {
        Self { bytes, files: 0.0 }
    }
}

/// What a promise needs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Forecast {
    /// Bytes that have to be read each day.
    pub need_bytes: f64,
    /// Bytes that are read each day, as far as that is limited.
    pub given_bytes: Option<f64>,
    /// The share of the files that will be late: 0 to 1.
    pub late: f64,
    /// The shortest period that could be promised instead, in seconds; nothing where all will be in time.
    pub enough_s: Option<i64>,
}

impl Forecast {
    /// Of a collection of this many files and bytes. Each file is to be read within a period of seconds.
    pub fn new(all: Total, period_s: i64, given: Option<Given>) -> Self {
        let days = period_s.max(1) as f64 / DAY_S as f64;
        let need_bytes = all.bytes as f64 / days;
        let (mut late, mut enough_s) = (0.0, None);
        if let Some(given) = given {
            let kept = |given: f64, all: u64| if all == 0 { 1.0 } else { given * days / all as f64 };
            let kept = kept(given.bytes, all.bytes).max(kept(given.files, all.files));
            if 1.0 - kept > LEAST_LATE {
                late = 1.0 - kept;
                // A day more, as a day has only so many files.
                let enough = (period_s as f64 / kept).min(i64::MAX as f64 / 2.0);
                enough_s = (kept > 0.0).then_some(enough as i64 / DAY_S * DAY_S + DAY_S);
            }
        }
        Self { need_bytes, given_bytes: given.map(|given| given.bytes), late, enough_s }
    }

    /// Whether that breaks what somebody has promised: of a promise that nobody has made no more is said than that it will be late. What was
    /// promised before that was asked is not asked either.
    pub fn breaks_promise(&self, collection: &Collection) -> bool {
        let habits = &collection.terms.habits;
        self.late > 0.0 && habits.minds_silence && !habits.is_usual_period
    }
}

impl Reader {
    /// What the promise of a collection needs and gets at a time, in seconds since 1970; nothing where nothing is promised, or nothing is there to be
    /// read.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn forecast(&self, collection: &Collection, now_s: i64) -> Result<Option<Forecast>> {
        let Some(period_s) = collection.terms.period_s else { return Ok(None) };
        let all = self.present(collection.id)?;
        let given = self.given(collection, now_s)?;
        Ok((all.files > 0).then(|| Forecast::new(all, period_s, given)))
    }

    /// How fast a collection was read in the last month, in bytes per second of reading; nothing where too little was read here to tell. `now_s`:
    /// seconds since 1970.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn pace(&self, collection: &Collection, now_s: i64) -> Result<Option<f64>> {
        /// Less than a second of reading says nothing of a rate.
        const LEAST_MS: f64 = 1000.0;

        let mut statement = self.connection.prepare_cached(
            "SELECT total(counts ->> '$.read_bytes'), total(counts ->> '$.reading_ms') FROM run
             WHERE collection = ?1 AND started_s BETWEEN ?2 AND ?3 AND outcome IN ('complete', 'budget')
             AND counts ->> '$.read_bytes' > 0 AND counts ->> '$.by' IS NULL",
        )?;
        let of_month = params![collection.id.0, now_s.saturating_sub(LOOK_BACK_S), now_s];
        let (bytes, reading_ms): (f64, f64) =
            statement.query_row(of_month, |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok((reading_ms >= LEAST_MS).then(|| bytes / (reading_ms / 1000.0)))
    }

    /// What the last audits of a collection have read a day, if a budget has ended each of them, back to the last one that came to its end and for
    /// a month at most. Nothing where the last one had nothing left to read. `now_s`: seconds since 1970.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn given(&self, collection: &Collection, now_s: i64) -> Result<Option<Given>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT outcome = 'budget', started_s, coalesce(counts ->> '$.read_bytes', 0), coalesce(counts ->> '$.read_files', 0) FROM run
             WHERE collection = ?1 AND started_s BETWEEN ?2 AND ?3 AND outcome IN ('complete', 'budget') AND request IN ('due', 'all')
             ORDER BY id DESC",
        )?;
        let of_month = params![collection.id.0, now_s.saturating_sub(LOOK_BACK_S), now_s];
        let mut rows = statement.query(of_month)?;
        let (mut bytes, mut files, mut starts) = (0.0, 0.0, Vec::new());
        let mut before_s = None;
        while let Some(row) = rows.next()? {
            let started_s: i64 = row.get(1)?;
            if !row.get::<_, bool>(0)? {
                before_s = Some(started_s);
                break;
            }
            starts.push(started_s);
            bytes += row.get::<_, f64>(2)?;
            files += row.get::<_, f64>(3)?;
        }
        let (Some(&last_s), Some(&first_s)) = (starts.first(), starts.last()) else { return Ok(None) };
        // Other collections have used up the budget of the only night.
        if starts.len() == 1 && files == 0.0 && bytes == 0.0 {
            return Ok(None);
        }
        // What the first one has read is what the time before it gave; of that of a first audit nothing is known.
        let time_s = match (starts.len() as i64, before_s) {
            (_, Some(before_s)) => last_s - before_s,
            (1, None) => DAY_S,
            (runs, None) => (last_s - first_s) / (runs - 1) * runs,
        };
        let days = time_s.max(1) as f64 / DAY_S as f64;
        Ok(Some(Given { bytes: bytes / days, files: files / days }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERABYTE: u64 = 1_000_000_000_000;

    #[test]
    fn what_is_read_is_set_against_what_is_needed() {
        let all = Total { files: 9000, bytes: TERABYTE };
        let forecast = |given| Forecast::new(all, 90 * DAY_S, given);
        let none = forecast(None);
        assert!((none.need_bytes - 1.111e10).abs() < 1e8 && none.late == 0.0 && none.enough_s.is_none());
        assert_eq!(forecast(Some(Given::of_bytes(1.2e10))).late, 0.0, "more than is needed");
        assert_eq!(forecast(Some(Given::of_bytes(1.105e10))).late, 0.0, "as much as that, by chance");
        let half = forecast(Some(Given::of_bytes(1.1111e10 / 2.0)));
        assert!((half.late - 0.5).abs() < 0.001, "{half:?}");
        assert_eq!(half.enough_s, Some(181 * DAY_S));
        // Each file is read within 90 nights, though the large ones have not come yet.
        let files = Given { bytes: 1.0, files: 100.0 };
        assert_eq!(forecast(Some(files)).late, 0.0);
        let nothing = forecast(Some(Given::of_bytes(0.0)));
        assert_eq!((nothing.late, nothing.enough_s), (1.0, None));
        // A promise of hours.
        let hours = Forecast::new(all, 6 * 3600, Some(Given::of_bytes(2e12)));
        assert!((hours.late - 0.5).abs() < 0.01, "{hours:?}");
        assert_eq!(Forecast::new(Total::default(), DAY_S, Some(Given::of_bytes(0.0))).late, 0.0);
    }
}
