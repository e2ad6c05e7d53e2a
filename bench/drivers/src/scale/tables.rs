//! How many rows of a table of Parquet a core writes and reads in a second, and what memory the program takes for many of them.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use hashlane_digest::Algorithm;
use hashlane_manifest::{Format, ReadOptions, Reader, WriteOptions, Writer};

use super::lines::{item, processor_time};
use super::rows::write_gnu;
use super::runs::{MIB, run};
use crate::figures::{Bound, Figure};

/// What the issue asks for.
const LEAST: f64 = 1.0e6;

/// What a program that holds one group of rows takes, however many groups there are.
const MOST_MIB: f64 = 256.0;

/// Rows whose making is not counted: they are made before.
const TOGETHER: u64 = 100_000;

/// Writes a table of that many rows and reads it again, on one thread; then lets the program do both.
pub(super) fn written_and_read(
    hashlane: &Path,
    scratch: &Path,
    rows: u64,
    rounds: u32,
) -> Result<Vec<Figure>> {
    let path = scratch.join("table.parquet");
    // First, while this process is small: a peak below its own could not be seen.
    let mut convert = Command::new(hashlane);
    convert.args(["convert", "-q", "--force", "-a", "sha256", "--from", "gnu", "-"]).arg(&path);
    let made = run(&mut convert, move |out| write_gnu(out, rows))?;
    ensure!(made.code == Some(0), "convert ended with {:?}", made.code);
    let mut back = Command::new(hashlane);
    back.args(["convert", "-q", "--manifest-format", "gnu"]).arg(&path).arg("-");
    let printed = run(&mut back, |_| Ok(()))?;
    ensure!(printed.code == Some(0), "convert back ended with {:?}", printed.code);
    let bytes = fs::metadata(&path)?.len() as f64;
    let (mut written, mut read) = (Vec::new(), Vec::new());
    // All rounds do the same work on the processor; a few of them show how far it varies.
    for _ in 0..rounds.min(3) {
        written.push(rows as f64 / write(&path, rows)?);
        read.push(rows as f64 / read_again(&path, rows)?);
    }
    fs::remove_file(&path)?;
    let peak = |used: u64| vec![used as f64 / MIB];
    Ok(vec![
        Figure::new("writing parquet, one sha256 a row", "rows/s a core", written)
            .with_bar(Bound::AtLeast, LEAST),
        Figure::new("reading parquet, one sha256 a row", "rows/s a core", read)
            .with_bar(Bound::AtLeast, LEAST),
        Figure::new("a row of the table", "B", vec![bytes / rows as f64]),
        Figure::new("convert gnu to parquet: peak memory", "MiB", peak(made.peak_bytes))
            .with_bar(Bound::AtMost, MOST_MIB),
        Figure::new("convert gnu to parquet", "rows/s", vec![rows as f64 / made.wall_s]),
        Figure::new("convert parquet to gnu: peak memory", "MiB", peak(printed.peak_bytes))
            .with_bar(Bound::AtMost, MOST_MIB),
        Figure::new("convert parquet to gnu", "rows/s", vec![rows as f64 / printed.wall_s]),
    ])
}

/// Seconds of processor time that writing takes.
fn write(path: &Path, rows: u64) -> Result<f64> {
    let format = Format::named("parquet").context("no format parquet")?;
    let sha256 = Algorithm::SHA256;
    let sink = BufWriter::new(File::create(path)?);
    let mut writer = Writer::new(format, &[sha256], &WriteOptions::default(), sink)?;
    let mut seconds = 0.0;
    for first in (0..rows).step_by(TOGETHER as usize) {
        let last = rows.min(first + TOGETHER);
        let items = (first..last).map(|row| item(row, sha256)).collect::<Result<Vec<_>>>()?;
        let before = processor_time();
        for item in &items {
            writer.item(item)?;
        }
        seconds += processor_time() - before;
    }
    let before = processor_time();
    writer.finish()?;
    Ok(seconds + processor_time() - before)
}

/// The same of reading.
fn read_again(path: &Path, rows: u64) -> Result<f64> {
    let file = File::open(path)?;
    let before = processor_time();
    let options = ReadOptions { file: Some(&file), ..ReadOptions::default() };
    let (mut count, mut bytes) = (0, 0);
    for item in Reader::open(&file, &options)? {
        let item = item.map_err(|problem| anyhow::anyhow!("{problem}"))?;
        count += 1;
        bytes += item.path.as_bytes().len();
    }
    let seconds = processor_time() - before;
    ensure!(count == rows && bytes > 0, "{count} rows of {rows}");
    Ok(seconds)
}
