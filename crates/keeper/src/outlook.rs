//! Whether promises can be kept.

use std::time::Duration;

use hashlane_catalog::{Collection, Forecast, Given, Reader, Result};

use crate::overview::Overview;

/// How fast files are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Bytes per second.
    pub bytes_per_second: f64,
    /// The device was measured by itself, and not by audits.
    pub is_tuned: bool,
}

/// What the promise of a collection needs, and what it gets.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// The same in bytes.
    pub forecast: Forecast,
    /// How fast files are read, where that is known.
    pub rate: Option<Rate>,
}

impl Rate {
    /// That of audits, where it is known; else that of the device in bytes per second, where it was measured.
    pub fn known(of_audits: Option<f64>, tuned: impl FnOnce() -> Option<f64>) -> Option<Self> {
        let of_audits = of_audits.map(|bytes_per_second| Self { bytes_per_second, is_tuned: false });
        of_audits.or_else(|| tuned().map(|bytes_per_second| Self { bytes_per_second, is_tuned: true }))
    }

    /// How long bytes take.
    pub fn time(self, bytes: f64) -> Duration {
        Duration::try_from_secs_f64(bytes / self.bytes_per_second).unwrap_or(Duration::MAX)
    }
}

impl Outlook {
    /// Of a collection at a time, in seconds since 1970. `forecast`: what is known of it already; nothing where nothing is promised, or nothing is
    /// there to be read. `tuned`: the rate of its device in bytes per second, where that was measured, for a collection that no audit has read yet. `given`: what a day
    /// will give, if that is said.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn of(
        catalog: &Reader,
        collection: &Collection,
        forecast: Option<Forecast>,
        tuned: impl FnOnce() -> Option<f64>,
        given: Option<Duration>,
        now_s: i64,
    ) -> Result<Option<Self>> {
        let period_s = collection.terms.period_s;
        let Some((of_given, period_s)) = forecast.zip(period_s) else { return Ok(None) };
        let of_audits = catalog.pace(collection, now_s)?.filter(|rate| *rate > 0.0);
        let rate = Rate::known(of_audits, tuned);
        let said =
            given.zip(rate).map(|(given, rate)| Given::of_bytes(given.as_secs_f64() * rate.bytes_per_second));
        let forecast = match said {
            Some(_) => Forecast::new(catalog.present(collection.id)?, period_s, said),
            None => of_given,
        };
        Ok(Some(Self { forecast, rate }))
    }

    /// How long bytes take, where a rate is known.
    pub fn time(&self, bytes: u64) -> Option<Duration> {
        self.rate.map(|rate| rate.time(bytes as f64))
    }

    /// Whether it is known already that some of it will be late.
    pub fn is_bad(&self) -> bool {
        self.forecast.late > 0.0
    }
}

/// How a collection is, and whether its promise can be kept.
#[derive(Debug)]
pub struct Watched {
    /// How it is.
    pub overview: Overview,
    /// What its promise needs and gets; nothing where nothing is promised, or nothing is there to be read.
    pub outlook: Option<Outlook>,
}
