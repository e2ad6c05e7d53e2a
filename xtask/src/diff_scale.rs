//! `cargo xtask diff-scale`: two manifests of millions of rows through `hashlane diff`, in order and out of order.
//!
//! Owns the manifests and the judgement: the counts have to be those that the manifests were made with, and the peak of the
//! memory has to stay below the bar whatever the number of rows.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use wait4::Wait4 as _;

use crate::cargo::{cargo, target_directory};
use crate::peers::random::Random;

/// The most memory that a comparison may take.
const MOST_BYTES: u64 = 200 << 20;

/// Of so many names one is changed, one missing and one new.
const EVERY: u64 = 1000;

/// Options of `diff-scale`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Rows of each manifest
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1000..))]
    rows: u64,
    /// Where the manifests and temporary files are made: four times 110 bytes a row [default: target/diff-scale]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The program to run [default: the release build, made first]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// The order of the rows of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Sorted,
    Shuffled,
}

/// What came of a comparison.
#[derive(Debug)]
struct Done {
    elapsed: Duration,
    peak_bytes: u64,
    summary: Value,
}

/// Runs the comparisons, prints what they took, and says whether all is well.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let target = target_directory()?;
    let program = match &options.program {
        Some(program) => {
            fs::canonicalize(program).with_context(|| format!("no program {}", program.display()))?
        }
        None => {
            let built = cargo().args(["build", "--release", "--package", "hashlane"]).status();
            ensure!(built.context("cannot run cargo build")?.success(), "the release build failed");
            target.join("release/hashlane")
        }
    };
    let directory = options.dir.clone().unwrap_or_else(|| target.join("diff-scale"));
    fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let directory = tempfile::tempdir_in(&directory).context("cannot make a directory for the manifests")?;
    let mut well = true;
    println!("{} rows a side; the bar is {} MiB", options.rows, MOST_BYTES >> 20);
    for (a, b) in
        [(Order::Sorted, Order::Sorted), (Order::Sorted, Order::Shuffled), (Order::Shuffled, Order::Shuffled)]
    {
        let (path_a, path_b) = (directory.path().join("a.txt"), directory.path().join("b.txt"));
        write(&path_a, options.rows, a, 1, false)?;
        write(&path_b, options.rows, b, 2, true)?;
        let done = diff(&program, directory.path(), &path_a, &path_b)?;
        let right = is_right(&done.summary, options.rows);
        let bounded = done.peak_bytes <= MOST_BYTES;
        well &= right && bounded;
        println!(
            "{a:?} against {b:?}: {:.1} s, {:.2} million rows/s, peak {:.1} MiB{}{}",
            done.elapsed.as_secs_f64(),
            2.0 * options.rows as f64 / done.elapsed.as_secs_f64() / 1e6,
            done.peak_bytes as f64 / (1 << 20) as f64,
            if bounded { "" } else { " ABOVE THE BAR" },
            if right { "" } else { " WRONG COUNTS" },
        );
    }
    Ok(well)
}

/// Writes a manifest as sha256sum would. `later`: as it is after some names were changed, lost and added.
fn write(path: &Path, rows: u64, order: Order, seed: u64, later: bool) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path).with_context(failed)?);
    let step = step(rows, seed);
    for place in 0..rows {
        let number = match order {
            Order::Sorted => place,
            Order::Shuffled => (u128::from(place) * u128::from(step) % u128::from(rows)) as u64,
        };
        let turn = number % EVERY;
        let changed = u64::from(later && turn == 1);
        let mut random = Random::for_item(changed, number);
        for _ in 0..4 {
            write!(file, "{:016x}", random.next()).with_context(failed)?;
        }
        // What is lost under one name is there under the next.
        let name = if later && turn == 2 { "added" } else { "image" };
        writeln!(file, "  photos/{:04}/{:03}/{number:09}-{name}.jpeg", number / 100_000, number / 500 % 200)
            .with_context(failed)?;
    }
    file.flush().with_context(failed)
}

/// A step that comes to every number below `rows` once.
fn step(rows: u64, seed: u64) -> u64 {
    let share = |one: u64, other: u64| {
        let (mut one, mut other) = (one, other);
        while other > 0 {
            (one, other) = (other, one % other);
        }
        one
    };
    let mut step = (Random::new(seed).next() % rows) | 1;
    while share(rows, step) != 1 {
        step += 2;
    }
    step
}

fn diff(program: &Path, directory: &Path, a: &Path, b: &Path) -> Result<Done> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(["diff", "--format", "json", "--algorithm", "sha256", "--output"])
        .arg(directory.join("differences.json"))
        .arg("--temporary-directory")
        .args([directory, a, b])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {}", program.display()))?;
    let used = child.wait4().context("cannot wait")?;
    let elapsed = start.elapsed();
    ensure!(used.status.code() == Some(7), "hashlane diff ended with {}, and not with 7", used.status);
    let text =
        fs::read_to_string(directory.join("differences.json")).context("cannot read the differences")?;
    let last = text.lines().last().context("nothing was printed")?;
    let summary = serde_json::from_str(last).context("the summary is no JSON")?;
    Ok(Done { elapsed, peak_bytes: used.rusage.maxrss, summary })
}

/// Whether the counts are those that the manifests were made with.
fn is_right(summary: &Value, rows: u64) -> bool {
    let of_turn = |turn: u64| (rows + EVERY - 1 - turn) / EVERY;
    let expected = [
        ("changed", of_turn(1)),
        ("new", of_turn(2)),
        ("missing", of_turn(2)),
        ("same", rows - of_turn(1) - of_turn(2)),
    ];
    expected.iter().all(|(name, count)| summary["summary"][name] == *count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_manifest_has_the_rows_of_a_sorted_one() {
        let directory = tempfile::tempdir().expect("a directory");
        let lines = |order| {
            let path = directory.path().join("list");
            write(&path, 5000, order, 3, true).expect("it can be written");
            let text = fs::read_to_string(path).expect("it is there");
            text.lines().map(|line| line[66..].to_owned() + &line[..64]).collect::<Vec<_>>()
        };
        let (sorted, mut shuffled) = (lines(Order::Sorted), lines(Order::Shuffled));
        assert_ne!(sorted, shuffled);
        shuffled.sort();
        let mut again = sorted.clone();
        again.sort();
        assert_eq!(again, shuffled);
    }
}
