//! Two programs in turns: how much longer one takes than the other.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use hashlane_measure::statistics::Estimate;

use crate::figures::{Bound, Figure};
use crate::peers::random::Random;

/// By how many milliseconds a start may be later than coreutils' (the bar).
const MOST_LATER_MS: f64 = 2.0;

/// How much longer `check` may take than `sum` (the bar).
const MOST_LONGER: f64 = 1.03;

/// The tree that is checked.
const FILES: u32 = 2000;
const FILE_BYTES: usize = 1 << 20;

/// How many starts make up for one round of something longer.
const STARTS: u32 = 20;

/// How long a command takes, in seconds.
pub(super) fn time(command: &mut Command) -> Result<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(seconds)
}

/// What two commands take, in pairs; which goes first changes.
fn pairs(rounds: u32, mut one: Command, mut other: Command) -> Result<Vec<(f64, f64)>> {
    time(&mut one)?;
    time(&mut other)?;
    let mut pairs = Vec::new();
    for round in 0..rounds {
        let pair = match round % 2 {
            0 => {
                let first = time(&mut one)?;
                (first, time(&mut other)?)
            }
            _ => {
                let second = time(&mut other)?;
                (time(&mut one)?, second)
            }
        };
        pairs.push(pair);
    }
    Ok(pairs)
}

/// One small file by `hashlane as sha256sum` and by coreutils.
pub(super) fn start(hashlane: &Path, scratch: &Path, rounds: u32) -> Result<Vec<Figure>> {
    let file = scratch.join("small");
    fs::write(&file, b"a small file")?;
    let (mut ours, mut theirs) = (Command::new(hashlane), Command::new("sha256sum"));
    ours.args(["as", "sha256sum"]).arg(&file);
    theirs.arg(&file);
    let (printed, expected) = (ours.output()?.stdout, theirs.output()?.stdout);
    ensure!(printed == expected, "the two print different lines");
    let pairs = pairs(rounds * STARTS, ours, theirs)?;
    let later = pairs.iter().map(|(ours, theirs)| (ours - theirs) * 1e3).collect();
    let ours = pairs.iter().map(|(ours, _)| ours * 1e3).collect();
    let theirs = pairs.iter().map(|(_, theirs)| theirs * 1e3).collect();
    Ok(vec![
        Figure::new("as sha256sum, one small file", "ms", ours),
        Figure::new("sha256sum of coreutils, the same file", "ms", theirs),
        Figure::new("as sha256sum later than coreutils, pair by pair", "ms", later)
            .with_bar(Bound::AtMost, MOST_LATER_MS),
    ])
}

/// A tree of 2,000 files of 1 MiB, summed and checked.
pub(super) fn check(hashlane: &Path, scratch: &Path, rounds: u32) -> Result<Vec<Figure>> {
    let tree = scratch.join("tree");
    fs::create_dir_all(&tree)?;
    let mut content = vec![0; FILE_BYTES];
    for file in 0..FILES {
        Random::for_item(1, u64::from(file)).fill(&mut content);
        fs::write(tree.join(format!("{file:04}")), &content)?;
    }
    let list = scratch.join("SHA256SUMS");
    let (mut sum, mut check, mut write) =
        (Command::new(hashlane), Command::new(hashlane), Command::new(hashlane));
    sum.args(["sum", "-q"]).arg(&tree);
    check.args(["check", "-q"]).arg(&list);
    write.args(["sum", "-q", "-o"]).arg(&list).arg(&tree);
    time(&mut write)?;
    let pairs = pairs(rounds, check, sum)?;
    fs::remove_dir_all(&tree)?;
    let ratios: Vec<f64> = pairs.iter().map(|(check, sum)| check / sum).collect();
    let bytes = f64::from(FILES) * FILE_BYTES as f64;
    let best = pairs.iter().map(|(check, _)| *check).fold(f64::MAX, f64::min);
    Ok(vec![
        Figure::estimated(
            "check by sum, 2,000 files of 1 MiB, warm, pair by pair",
            "times as long",
            Estimate::of(&ratios),
        )
        .with_bar(Bound::AtMost, MOST_LONGER),
        Figure::new("check, the best round", "MB/s", vec![bytes / best / 1e6]),
    ])
}
