//! How fast the last audit read, beside the best that is known of the same kind of reading.

use hashlane_catalog::{Collection, ReadFrom, Reader, Result, RunFigures};

/// Runs among which one is looked for that has a rate.
const AMONG: usize = 400;

/// A rate beside the best one that is known.
#[derive(Clone, Debug)]
pub struct Throughput {
    /// The audit.
    pub run: RunFigures,
    /// Its rate.
    pub bytes_per_second: f64,
    /// Where its bytes came from.
    pub from: ReadFrom,
    /// The best rate of such readings.
    pub ceiling: Ceiling,
}

/// The best rate that is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Ceiling {
    /// None: the bytes came from several places.
    Mixed,
    /// None: there is nothing else to compare with.
    Alone,
    /// What was measured of the device, for large files that are not in the page cache.
    Tuned(TunedRate),
    /// What the fastest audit of the collection reached.
    Fastest {
        /// The rate.
        bytes_per_second: f64,
        /// When it began, in seconds since 1970.
        at_s: i64,
    },
}

/// The rate at which large files come from a device past the page cache, as it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedRate {
    /// The rate.
    pub bytes_per_second: f64,
    /// When it was measured, RFC 3339.
    pub at: String,
}

impl Throughput {
    /// The last audit that read for long enough, whatever came after it; nothing if there is none. `tuned`: what was measured of the device.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn of(
        catalog: &Reader,
        collection: &Collection,
        tuned: impl FnOnce() -> Option<TunedRate>,
    ) -> Result<Option<Self>> {
        let found = catalog.last_runs(collection.id, AMONG)?.into_iter().find_map(|run| {
            let (rate, from) = (run.counted.bytes_per_second()?, run.counted.read_from()?);
            Some((run, rate, from))
        });
        let Some((run, bytes_per_second, from)) = found else { return Ok(None) };
        let tuned = if from == ReadFrom::Device { tuned() } else { None };
        let ceiling = match (from, tuned) {
            (ReadFrom::Mixed, _) => Ceiling::Mixed,
            (_, Some(tuned)) => Ceiling::Tuned(tuned),
            (from, None) => match catalog.fastest(collection.id, from)? {
                Some(fastest) if fastest.run != run.run => Ceiling::Fastest {
                    bytes_per_second: fastest.counted.bytes_per_second().unwrap_or(bytes_per_second),
                    at_s: fastest.started_s,
                },
                _ => Ceiling::Alone,
            },
        };
        Ok(Some(Self { run, bytes_per_second, from, ceiling }))
    }

    /// The best rate that is known, in bytes per second.
    pub fn best(&self) -> Option<f64> {
        match &self.ceiling {
            Ceiling::Tuned(TunedRate { bytes_per_second, .. })
            | Ceiling::Fastest { bytes_per_second, .. } => Some(*bytes_per_second),
            Ceiling::Mixed | Ceiling::Alone => None,
        }
    }
}
