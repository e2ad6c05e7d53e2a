//! Whether promises can be kept, in words.

use std::ffi::OsStr;
use std::time::Duration;

use hashlane_catalog::{Catalog, Collection, Forecast, Given};
use hashlane_io::Device;
use hashlane_measure::tune::DeviceProfile;
use serde_json::{Value, json};

use crate::cache::CacheArgs;
use crate::text;
use crate::version::build;

/// What the promise of a collection needs, and what it gets.
pub(crate) struct Outlook {
    pub(crate) forecast: Forecast,
    rate: Option<Rate>,
}

/// How fast files are read, in bytes per second.
#[derive(Clone, Copy)]
struct Rate {
    bytes_per_second: f64,
    /// Measured by `tune`, and not by audits.
    is_tuned: bool,
}

impl Outlook {
    /// Of a collection at a time, in seconds since 1970; nothing where nothing is promised, or nothing is there to be read. `given`: what a day
    /// will give, if that is said.
    pub(crate) fn of(
        catalog: &Catalog,
        collection: &Collection,
        cache: &CacheArgs,
        given: Option<Duration>,
        now_s: i64,
    ) -> hashlane_catalog::Result<Option<Self>> {
        let period_s = collection.terms.period_s;
        let Some((of_given, period_s)) = catalog.forecast(collection, now_s)?.zip(period_s) else {
            return Ok(None);
        };
        let of_audits = catalog.pace(collection, now_s)?;
        let rate = match of_audits.filter(|rate| *rate > 0.0) {
            Some(bytes_per_second) => Some(Rate { bytes_per_second, is_tuned: false }),
            None => tuned_rate(cache, collection.terms.root.as_os_str())
                .map(|bytes_per_second| Rate { bytes_per_second, is_tuned: true }),
        };
        let said =
            given.zip(rate).map(|(given, rate)| Given::of_bytes(given.as_secs_f64() * rate.bytes_per_second));
        let forecast = match said {
            Some(_) => Forecast::new(catalog.present(collection.id)?, period_s, said),
            None => of_given,
        };
        Ok(Some(Self { forecast, rate }))
    }

    /// How long bytes take, where a rate is known.
    pub(crate) fn time(&self, bytes: u64) -> Option<Duration> {
        self.rate.map(|rate| rate.time(bytes as f64))
    }

    /// Whether it is known already that some of it will be late.
    pub(crate) fn is_bad(&self) -> bool {
        self.forecast.late > 0.0
    }

    /// In one line: `the promise needs 1 h 42 min a day at 120 MB/s, as measured by the last audits; it gets 1 h: 41 % will be late`.
    pub(crate) fn line(&self) -> String {
        let Forecast { need_bytes, given_bytes, late, enough_s, .. } = self.forecast;
        let amount = |bytes: f64| match self.rate {
            Some(rate) => text::span(rate.time(bytes)),
            None => text::decimal(bytes),
        };
        let mut line = format!("the promise needs {} a day", amount(need_bytes));
        if let Some(Rate { bytes_per_second, is_tuned }) = self.rate {
            let by = if is_tuned { "`hashlane tune`" } else { "the last audits" };
            line += &format!(" at {}/s, as measured by {by}", text::decimal(bytes_per_second));
        }
        if let Some(given_bytes) = given_bytes {
            line += &format!("; it gets {}", amount(given_bytes));
            if late > 0.0 {
                line += &format!(": {:.0} % will be late", late * 100.0);
            }
        }
        if let Some(enough_s) = enough_s {
            line += &format!("; `--every {}d` would hold", enough_s / DAY_S);
        }
        line
    }

    /// The same for programs; nothing where no rate is known.
    pub(crate) fn json(&self) -> Option<Value> {
        let Forecast { need_bytes, given_bytes, late, .. } = self.forecast;
        let Rate { bytes_per_second, is_tuned } = self.rate?;
        let of_day = |bytes: f64| round(bytes / bytes_per_second);
        Some(json!({
            "bytes_per_second": bytes_per_second.round(),
            "measured_by": if is_tuned { "tune" } else { "audits" },
            "need_s_per_day": of_day(need_bytes),
            "given_s_per_day": given_bytes.map(of_day),
            "late_share": (late * 1e4).round() / 1e4,
        }))
    }

    /// What a day needs and gets in bytes, for programs: that is known without a rate.
    pub(crate) fn bytes_json(&self) -> Value {
        let Forecast { need_bytes, given_bytes, late, enough_s, .. } = self.forecast;
        json!({
            "need_bytes_per_day": need_bytes.round(),
            "given_bytes_per_day": given_bytes.map(f64::round),
            "late_share": (late * 1e4).round() / 1e4,
            "enough_s": enough_s,
        })
    }
}

const DAY_S: i64 = 24 * 3600;

impl Rate {
    /// How long bytes take.
    fn time(self, bytes: f64) -> Duration {
        Duration::try_from_secs_f64(bytes / self.bytes_per_second).unwrap_or(Duration::MAX)
    }
}

/// Milliseconds are enough.
fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// How fast large files come from the device that a path lies on, as `tune` has measured, in bytes per second.
pub(crate) fn tuned_rate(cache: &CacheArgs, path: &OsStr) -> Option<f64> {
    let device = Device::at(path.as_ref()).ok()?;
    let text = cache.directory()?.read(&DeviceProfile::file_name(&device))?;
    let kept = DeviceProfile::parse(&text, &build(), &device)?;
    let profile = kept.profile(&device)?;
    let is_taken = |cell: &hashlane_measure::Cell| {
        cell.cache == Some(hashlane_measure::CacheState::Cold)
            && cell.block_bytes == Some(profile.cold.block_bytes as u64)
            && cell.engine.as_deref() == Some(profile.cold.engine.name())
    };
    let rates = kept.cells.iter().filter(|timed| is_taken(&timed.cell)).filter_map(|timed| timed.figure);
    rates.map(|figure| figure.median).reduce(f64::max)
}
