//! How fast the last audit read, beside the best that is known of the same kind of reading.

use std::ffi::OsStr;

use hashlane_catalog::{Collection, ReadFrom, RunFigures};
use hashlane_io::Device;
use hashlane_measure::tune::DeviceProfile;
use hashlane_measure::{CacheState, Unit};
use hashlane_report::figures;

use super::super::{failed, time};
use super::Reporter;
use crate::text;
use crate::version::build;

/// A rate beside the best one that is known.
pub(super) struct Compared {
    pub(super) run: RunFigures,
    pub(super) bytes_per_second: f64,
    pub(super) from: ReadFrom,
    pub(super) ceiling: Ceiling,
}

/// The best rate that is known.
pub(super) enum Ceiling {
    /// None: the bytes came from several places.
    Mixed,
    /// None: there is nothing else to compare with.
    Alone,
    /// What `tune` measured for large files that are not in the page cache.
    Tuned {
        bytes_per_second: f64,
        /// When, RFC 3339.
        tuned: String,
    },
    /// What the fastest audit of the collection reached.
    Fastest {
        bytes_per_second: f64,
        /// When it began, in seconds since 1970.
        at_s: i64,
    },
}

impl Compared {
    /// The last audit that read for long enough, whatever came after it; nothing if there is none.
    pub(super) fn of(reporter: &Reporter<'_>, collection: &Collection) -> anyhow::Result<Option<Self>> {
        let catalog = reporter.catalog;
        const AMONG: usize = 400;
        let runs = catalog.last_runs(collection.id, AMONG).map_err(failed)?;
        let found = runs.into_iter().find_map(|run| {
            let (rate, from) = (run.counted.bytes_per_second()?, run.counted.read_from()?);
            Some((run, rate, from))
        });
        let Some((run, bytes_per_second, from)) = found else { return Ok(None) };
        let tuned = match from {
            ReadFrom::Device => tuned(reporter, collection.terms.root.as_os_str()),
            ReadFrom::Cache | ReadFrom::Mixed => None,
        };
        let ceiling = match (from, tuned) {
            (ReadFrom::Mixed, _) => Ceiling::Mixed,
            (_, Some((bytes_per_second, tuned))) => Ceiling::Tuned { bytes_per_second, tuned },
            (from, None) => match catalog.fastest(collection.id, from).map_err(failed)? {
                Some(fastest) if fastest.run != run.run => Ceiling::Fastest {
                    bytes_per_second: fastest.counted.bytes_per_second().unwrap_or(bytes_per_second),
                    at_s: fastest.started_s,
                },
                _ => Ceiling::Alone,
            },
        };
        Ok(Some(Self { run, bytes_per_second, from, ceiling }))
    }
}

/// The rate of the tuned way to read large files that are not in the page cache, and when it was measured.
fn tuned(reporter: &Reporter<'_>, root: &OsStr) -> Option<(f64, String)> {
    let cache = reporter.args.cache.directory()?;
    let device = Device::at(root.as_ref()).ok()?;
    let kept = DeviceProfile::parse(&cache.read(&DeviceProfile::file_name(&device))?, &build(), &device)?;
    let way = kept.profile(&device)?.cold;
    let rates = kept.cells.iter().filter(|result| {
        let cell = &result.cell;
        result.unit == Unit::BytesPerSecond
            && cell.cache == Some(CacheState::Cold)
            && cell.engine.as_deref() == Some(way.engine.name())
            && cell.block_bytes == Some(way.block_bytes as u64)
            && cell.depth == Some(way.in_flight)
    });
    let best = rates.filter_map(|result| Some(result.figure?.median)).fold(0.0, f64::max);
    (best > 0.0).then_some((best, kept.tuned))
}

/// Where bytes came from, in words.
pub(super) fn from(from: ReadFrom) -> &'static str {
    match from {
        ReadFrom::Device => "from the device",
        ReadFrom::Cache => "from the page cache",
        ReadFrom::Mixed => "from the device and the page cache, or from an unknown place",
    }
}

impl Compared {
    /// The best rate that is known, in bytes per second.
    pub(super) fn ceiling_rate(&self) -> Option<f64> {
        match self.ceiling {
            Ceiling::Tuned { bytes_per_second, .. } | Ceiling::Fastest { bytes_per_second, .. } => {
                Some(bytes_per_second)
            }
            Ceiling::Mixed | Ceiling::Alone => None,
        }
    }
}

/// In sentences.
pub(super) fn sentences(compared: Option<&Compared>) -> String {
    let Some(compared) = compared else {
        return "No audit has read for a second or longer, so there is no rate to tell.".to_owned();
    };
    let Compared { run, bytes_per_second, from: place, ceiling } = compared;
    let rate = format!(
        "The audit of {} read {} at {}, {}.",
        time(run.started_s),
        text::decimal(run.counted.read_bytes as f64),
        figures::rate(*bytes_per_second),
        from(*place)
    );
    let share = |best: f64| figures::share(bytes_per_second / best);
    let beside = match ceiling {
        Ceiling::Mixed => "The bytes came from several places, so there is nothing to compare the rate with.".to_owned(),
        Ceiling::Alone => {
            "No ceiling is known: it is the fastest audit of its kind so far, and the device was not tuned. `hashlane tune` measures it."
                .to_owned()
        }
        Ceiling::Tuned { bytes_per_second, tuned } => format!(
            "That is {} of {}, which `hashlane tune` measured on {} for large files. Small files, --max-rate and budgets make it slower.",
            share(*bytes_per_second),
            figures::rate(*bytes_per_second),
            text::name(tuned.get(..10).unwrap_or(tuned).as_bytes())
        ),
        Ceiling::Fastest { bytes_per_second, at_s } => format!(
            "That is {} of {}, the fastest audit of its kind, of {}. Small files, --max-rate and budgets make it slower.",
            share(*bytes_per_second),
            figures::rate(*bytes_per_second),
            time(*at_s)
        ),
    };
    format!("{rate} {beside}")
}
