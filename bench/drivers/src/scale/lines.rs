//! How many lines of a manifest a core reads in a second.

use std::io::{self, Read};

use anyhow::{Context, Result, ensure};
use hashlane_digest::{Algorithm, Digest};
use hashlane_manifest::{Format, Item, ReadOptions, Reader, WriteOptions, Writer};
use hashlane_record::Timestamp;
use rustix::time::{ClockId, clock_gettime};

use super::rows::name;
use crate::figures::{Bound, Figure};
use crate::peers::random::Random;

/// Lines that are made, and read again and again.
const DISTINCT: u64 = 100_000;

/// What the issue asks for.
const LEAST: f64 = 1.5e6;

/// The formats that people keep long lists in.
const FORMATS: [&str; 6] = ["gnu", "bsd", "hashdeep", "jsonl", "csv", "dfxml"];

/// Reads that many lines of each format, on one thread, from memory.
pub(super) fn reading(rows: u64, rounds: u32) -> Result<Vec<Figure>> {
    let mut samples = vec![Vec::new(); FORMATS.len()];
    let manifests = FORMATS.iter().map(|name| manifest(name)).collect::<Result<Vec<_>>>()?;
    for _ in 0..rounds {
        for (manifest, samples) in manifests.iter().zip(&mut samples) {
            samples.push(manifest.rate(rows)?);
        }
    }
    let figures = FORMATS.iter().zip(samples).map(|(name, samples)| {
        let figure = Figure::new(format!("reading {name}, one sha256 a line"), "lines/s a core", samples);
        // The bar is for lines; an element of XML is none.
        if *name == "dfxml" { figure } else { figure.with_bar(Bound::AtLeast, LEAST) }
    });
    Ok(figures.collect())
}

/// A manifest in memory: what stands before its lines, its lines, what stands behind them.
struct Manifest {
    format: Format,
    beginning: Vec<u8>,
    lines: Vec<u8>,
    end: Vec<u8>,
}

/// Writes one of each part.
fn manifest(name: &str) -> Result<Manifest> {
    let format = Format::named(name).with_context(|| format!("no format {name}"))?;
    let sha256 = Algorithm::SHA256;
    let start = || Writer::new(format, &[sha256], &WriteOptions::default(), Vec::new());
    let mut writer = start()?;
    for row in 0..DISTINCT {
        writer.item(&item(row, sha256)?)?;
    }
    let whole = writer.finish()?;
    // What stands before the first line, and what a manifest that is ended has besides.
    let beginning = start()?.leave()?;
    let (mut open, mut ended) = (start()?, start()?);
    open.item(&item(0, sha256)?)?;
    ended.item(&item(0, sha256)?)?;
    let end = ended.finish()?.split_off(open.leave()?.len());
    let lines = whole[beginning.len()..whole.len() - end.len()].to_vec();
    Ok(Manifest { format, beginning, lines, end })
}

/// What stands in a row.
pub(super) fn item(row: u64, algorithm: Algorithm) -> Result<Item> {
    let mut bytes = vec![0; algorithm.length()];
    Random::for_item(32, row).fill(&mut bytes);
    Ok(Item {
        line: row + 1,
        path: name(row).as_bytes().into(),
        size: Some(1_000_000 + row),
        modified: Some(Timestamp { seconds: 1_700_000_000 + row as i64, nanos: 0 }),
        digests: vec![Digest::new(algorithm, &bytes)?],
        ..Item::default()
    })
}

impl Manifest {
    /// Lines read in a second of processor time.
    fn rate(&self, rows: u64) -> Result<f64> {
        let repeats = rows.div_ceil(DISTINCT);
        let lines = Repeated { text: &self.lines, place: 0, left: repeats };
        let input = (&self.beginning[..]).chain(lines).chain(&self.end[..]);
        let before = processor_time();
        let options = ReadOptions {
            format: Some(self.format),
            algorithm: Some(Algorithm::SHA256),
            ..ReadOptions::default()
        };
        let (mut count, mut bytes) = (0_u64, 0_u64);
        for item in Reader::open(input, &options)? {
            let item = item.map_err(|problem| anyhow::anyhow!("{problem}"))?;
            count += 1;
            bytes += item.path.as_bytes().len() as u64;
        }
        let seconds = processor_time() - before;
        ensure!(count == repeats * DISTINCT && bytes > 0, "{count} lines of {}", repeats * DISTINCT);
        Ok(count as f64 / seconds)
    }
}

/// A text, again and again.
struct Repeated<'a> {
    text: &'a [u8],
    place: usize,
    left: u64,
}

impl Read for Repeated<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.place == self.text.len() {
            self.place = 0;
            self.left -= 1;
        }
        if self.left == 0 {
            return Ok(0);
        }
        let count = buffer.len().min(self.text.len() - self.place);
        buffer[..count].copy_from_slice(&self.text[self.place..][..count]);
        self.place += count;
        Ok(count)
    }
}

/// What this thread has used, in seconds.
pub(super) fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
