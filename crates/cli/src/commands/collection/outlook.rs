//! Whether promises can be kept, in words.

use std::ffi::OsStr;
use std::time::Duration;

use hashlane_catalog::{Catalog, Collection, Forecast};
use hashlane_io::Device;
use hashlane_measure::tune::DeviceProfile;
use serde_json::{Value, json};

use super::failed;
use crate::cache::CacheArgs;
use crate::text;
use crate::version::build;

/// What the promise of a collection needs, and where its rate comes from.
pub(super) struct Outlook {
    pub(super) forecast: Forecast,
    bytes_per_second: f64,
    /// Measured by audits, or by `tune`.
    is_tuned: bool,
}

impl Outlook {
    /// Of a collection at a time, in seconds since 1970; nothing where nothing is promised, or no rate is known. `given`: what a day
    /// will give, if that is said.
    pub(super) fn of(
        catalog: &Catalog,
        collection: &Collection,
        cache: &CacheArgs,
        given: Option<Duration>,
        now_s: i64,
    ) -> anyhow::Result<Option<Self>> {
        let Some(period_s) = collection.terms.period_s else { return Ok(None) };
        let bytes = catalog.present(collection.id).map_err(failed)?.bytes;
        let pace = catalog.pace(collection, now_s).map_err(failed)?;
        let tuned = || tuned_rate(cache, collection.terms.root.as_os_str());
        let (rate, is_tuned) = match pace {
            Some(pace) => (Some(pace.bytes_per_second), false),
            None => (tuned(), true),
        };
        let Some(bytes_per_second) = rate.filter(|rate| *rate > 0.0 && bytes > 0) else { return Ok(None) };
        let given_s = given.map(|given| given.as_secs_f64()).or(pace.and_then(|pace| pace.given_s));
        let forecast = Forecast::new(bytes, period_s, bytes_per_second, given_s);
        Ok(Some(Self { forecast, bytes_per_second, is_tuned }))
    }

    /// How long bytes take.
    pub(super) fn time(&self, bytes: u64) -> Duration {
        seconds(bytes as f64 / self.bytes_per_second)
    }

    /// In one line: `needs 1 h 42 min a day at 120 MB/s; it gets 1 h: 41 % will be late`.
    pub(super) fn line(&self) -> String {
        let Forecast { need_s, given_s, late, .. } = self.forecast;
        let by =
            if self.is_tuned { "as measured by `hashlane tune`" } else { "as measured by the last audits" };
        let rate = text::decimal(self.bytes_per_second);
        let mut line = format!("the promise needs {} a day at {rate}/s, {by}", text::span(seconds(need_s)));
        if let Some(given_s) = given_s {
            line += &format!("; it gets {}", text::span(seconds(given_s)));
            if late > 0.0 {
                // Never 0: some of it will be late.
                line += &format!(": {:.0} % will be late", (late * 100.0).max(1.0));
            }
        }
        line
    }

    /// The same for programs.
    pub(super) fn json(&self) -> Value {
        let Forecast { need_s, given_s, late, .. } = self.forecast;
        json!({
            "bytes_per_second": self.bytes_per_second.round(),
            "measured_by": if self.is_tuned { "tune" } else { "audits" },
            "need_s_per_day": round(need_s),
            "given_s_per_day": given_s.map(round),
            "late_share": (late * 1e4).round() / 1e4,
        })
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// Milliseconds are enough.
fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// How fast large files come from the device that a path lies on, as `tune` has measured, in bytes per second.
fn tuned_rate(cache: &CacheArgs, path: &OsStr) -> Option<f64> {
    let device = Device::at(path.as_ref()).ok()?;
    let text = cache.directory()?.read(&DeviceProfile::file_name(&device))?;
    let kept = DeviceProfile::parse(&text, &build(), &device)?;
    let profile = kept.profile()?;
    let is_taken = |cell: &hashlane_measure::Cell| {
        cell.cache == Some(hashlane_measure::CacheState::Cold)
            && cell.block_bytes == Some(profile.cold.block_bytes as u64)
            && cell.engine.as_deref() == Some(profile.cold.engine.name())
    };
    let rates = kept.cells.iter().filter(|timed| is_taken(&timed.cell)).filter_map(|timed| timed.figure);
    rates.map(|figure| figure.median).reduce(f64::max)
}
