//! Two manifests of millions of rows through `hashlane diff`, in order and out of order.
//!
//! Owns the manifests and the judgement: the counts have to be those that the manifests were made with.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::runs::{MIB, Used, run};
use crate::figures::{Bound, Figure};
use crate::peers::random::Random;

/// The most memory that a comparison may take, in MiB (the bar).
const MOST_MIB: f64 = 200.0;

/// Of this many names one is changed, one missing and one new.
const EVERY: u64 = 1000;

/// The order of the rows of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Sorted,
    Shuffled,
}

impl Order {
    fn name(self) -> &'static str {
        match self {
            Self::Sorted => "sorted",
            Self::Shuffled => "shuffled",
        }
    }
}

/// Compares manifests of that many rows each.
pub(super) fn comparing(hashlane: &Path, scratch: &Path, rows: u64) -> Result<Vec<Figure>> {
    let (path_a, path_b) = (scratch.join("a.txt"), scratch.join("b.txt"));
    let mut figures = Vec::new();
    for (a, b) in
        [(Order::Sorted, Order::Sorted), (Order::Sorted, Order::Shuffled), (Order::Shuffled, Order::Shuffled)]
    {
        write(&path_a, rows, a, 1, false)?;
        write(&path_b, rows, b, 2, true)?;
        let used = diff(hashlane, scratch, [&path_a, &path_b], rows)?;
        let what = format!("diff, {} against {}", a.name(), b.name());
        figures.push(
            Figure::new(format!("{what}: peak memory"), "MiB", vec![used.peak_bytes as f64 / MIB])
                .with_bar(Bound::AtMost, MOST_MIB),
        );
        figures.push(Figure::new(
            format!("{what}: rows of both"),
            "rows/s",
            vec![2.0 * rows as f64 / used.wall_s],
        ));
    }
    fs::remove_file(&path_a)?;
    fs::remove_file(&path_b)?;
    Ok(figures)
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

fn diff(hashlane: &Path, scratch: &Path, manifests: [&Path; 2], rows: u64) -> Result<Used> {
    let output = scratch.join("differences.json");
    let mut command = Command::new(hashlane);
    command.args(["diff", "--quiet", "--format", "json", "--algorithm", "sha256", "--output"]).arg(&output);
    command.arg("--temporary-directory").arg(scratch).args(manifests);
    let used = run(&mut command, |_| Ok(()))?;
    ensure!(
        used.code == Some(7),
        "hashlane diff ended with {:?}, not with 7: changed, missing, new",
        used.code
    );
    let text = fs::read_to_string(&output).context("cannot read the differences")?;
    let last = text.lines().last().context("nothing was printed")?;
    let summary: Value = serde_json::from_str(last).context("the summary is no JSON")?;
    ensure!(is_right(&summary, rows), "hashlane diff counted wrongly: {last}");
    fs::remove_file(&output)?;
    Ok(used)
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
