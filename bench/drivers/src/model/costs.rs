//! What one object, byte and row cost, as it was measured.

use std::fs;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;
use xtask::cargo::workspace;

use crate::figures::Figure;

/// The records that the costs are of.
const OBJECTS: &str = "2026-11-26-intel-xeon-2-cores-objects";
const TABLES: &str = "2026-11-26-intel-xeon-2-cores-scale";
const CATALOGUES: &str = "2026-11-25-amd-epyc-2-cores-scale-2";

/// Objects that were read in the first of them, in bytes.
const SMALL: f64 = (16 << 10) as f64;
const LARGE: f64 = (1 << 20) as f64;

/// Costs of one thing each.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Costs {
    /// Seconds of a core for an object, besides its bytes. The server had a part of them, as it was on the same machine.
    pub(crate) object_s: f64,
    /// Seconds of a core for a byte that comes by the network and is digested by SHA-256.
    pub(crate) byte_s: f64,
    /// By how much the rate differed from round to round: the median deviation by the median.
    pub(crate) spread: f64,
    /// Rows of a table that one core writes in a second.
    pub(crate) rows_a_second: f64,
    /// Bytes of a row of a table.
    pub(crate) row_bytes: f64,
    /// Seconds for a file that a catalogue records for the first time.
    pub(crate) catalogue_s: f64,
    /// Bytes of a file in a catalogue, besides its name.
    pub(crate) catalogue_bytes: f64,
    /// Where they were measured.
    records: [&'static str; 3],
}

impl Costs {
    pub(crate) fn of_records() -> Result<Self> {
        let [objects, tables, catalogues] = [OBJECTS, TABLES, CATALOGUES].map(read);
        let (objects, tables, catalogues) = (objects?, tables?, catalogues?);
        let cores = objects.record["machine"]["processor"]["cores"].as_f64().context("no cores")?;
        let small = objects.estimate("hashlane sum, 10,000 x 16 KiB")?;
        let large = objects.estimate("hashlane sum, 1,000 x 1 MiB")?;
        let seconds = |bytes: f64, megabytes: f64| cores * bytes / (megabytes * 1e6);
        let (of_small, of_large) = (seconds(SMALL, small.median), seconds(LARGE, large.median));
        let byte_s = (of_large - of_small) / (LARGE - SMALL);
        Ok(Self {
            object_s: of_small - SMALL * byte_s,
            byte_s,
            spread: large.mad / large.median,
            rows_a_second: tables.estimate("writing parquet, one sha256 a row")?.median,
            row_bytes: tables.estimate("a row of the table")?.median,
            catalogue_s: catalogues.estimate("10000000 made-up files, first audit: a file")?.median / 1e6,
            catalogue_bytes: catalogues
                .estimate("the catalogue, compact: a file besides its name, with one digest of 32 bytes")?
                .median,
            records: [OBJECTS, TABLES, CATALOGUES],
        })
    }

    /// The same for people.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        let of = |what: &str, record: &str, unit, value| {
            Figure::new(format!("{what} ({record})"), unit, vec![value])
        };
        vec![
            of("an object, besides its bytes", OBJECTS, "ms of a core", self.object_s * 1e3),
            of("bytes by the network, digested by sha256", OBJECTS, "MB/s a core", 1e-6 / self.byte_s),
            of("rows of a table", TABLES, "rows/s a core", self.rows_a_second),
            of("a row of a table", TABLES, "B", self.row_bytes),
            of("a file that is recorded", CATALOGUES, "µs", self.catalogue_s * 1e6),
            of("a file in a catalogue, besides its name", CATALOGUES, "B", self.catalogue_bytes),
        ]
    }
}

struct Read {
    name: &'static str,
    record: Value,
}

struct Estimate {
    median: f64,
    mad: f64,
}

fn read(name: &'static str) -> Result<Read> {
    let path = workspace().join("bench/records").join(format!("{name}.json"));
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let record = serde_json::from_str(&text).with_context(|| format!("{} is no record", path.display()))?;
    Ok(Read { name, record })
}

impl Read {
    fn estimate(&self, what: &str) -> Result<Estimate> {
        let figures = self.record["figures"].as_array().into_iter().flatten();
        let found = figures.into_iter().find(|figure| figure["what"] == what);
        let number = |which: &str| found.and_then(|figure| figure["estimate"][which].as_f64());
        let median = number("median").with_context(|| format!("{} has no figure {what:?}", self.name))?;
        Ok(Estimate { median, mad: number("mad").unwrap_or(0.0) })
    }
}
