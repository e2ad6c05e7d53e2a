//! Audits of real files beside `sum` of the same files: what remembering costs.
//!
//! Owns the trees and the turns. The programs are those that people run, from their start to their end.

use std::fs;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hashlane_measure::statistics::Estimate;
use serde_json::Value;

use super::runs::{MIB, Used, run};
use super::turns::time;
use crate::figures::{Bound, Figure};
use crate::peers::random::Random;
use crate::sizes::has_room;

/// What an audit may take a file above `sum`, in microseconds (the bars).
const UNCHANGED_AT_MOST_US: f64 = 3.0;
const FIRST_AT_MOST_US: f64 = 8.0;

/// What an unchanged audit of large files has to have of the rate of `sum`, and what opening the catalogue and the last commit may take
/// (the bars).
const LEAST_RATE: f64 = 0.97;
const MOST_FIXED_MS: f64 = 100.0;

/// Files that are read from the device, the bytes of each, and what an audit of them has to have of the rate of `sum` (the bars).
const COLD: [(u64, usize, f64); 2] = [(60_000, 16 << 10, 0.9), (200, 4 << 20, 0.95)];

/// One round in this many measures the rate of `bench` as well, of large files, and what an audit has to have of it.
const BENCH_EVERY: usize = 3;
const BENCH_BYTES: usize = 1 << 20;
const LEAST_OF_BENCH: f64 = 0.95;

/// Files of a directory, and around how many bytes small ones have.
const IN_DIRECTORY: u64 = 1000;
const SMALL_BYTES: usize = 100;
const LARGE_BYTES: usize = 1 << 20;

/// What a small file takes on most file systems: a block, an inode, a name.
const SMALL_ON_DISK: u64 = 4096 + 512;

/// A record counts as settled so long after the last change of its file: two whole seconds of the clock.
const SETTLED: Duration = Duration::from_millis(3_050);

/// Small files: how much longer each takes than with `sum`.
pub(super) fn small(hashlane: &Path, scratch: &Path, files: u64, rounds: u32) -> Result<Vec<Figure>> {
    has_room(scratch, files * SMALL_ON_DISK)?;
    let place = Place::new(hashlane, scratch)?;
    make(&place.tree, files, |random| SMALL_BYTES / 2 + random.below(SMALL_BYTES))?;
    place.register("kept", &place.kept)?;
    // Warms the cache, and leaves a catalogue in which nothing has changed.
    place.run(&["sum", "-q", "tree"], &place.kept)?;
    place.run(&["audit", "-q", "kept"], &place.kept)?;
    let mut used: [Vec<Used>; 3] = Default::default();
    for round in 0..rounds as usize {
        let fresh = place.root.join("fresh.sqlite");
        place.register("fresh", &fresh)?;
        for turn in 0..3 {
            // Each goes first as often as the others.
            let which = (round + turn) % 3;
            used[which].push(match which {
                0 => place.run(&["sum", "-q", "tree"], &place.kept)?,
                1 => place.run(&["audit", "-q", "fresh"], &fresh)?,
                _ => place.run(&["audit", "-q", "kept"], &place.kept)?,
            });
        }
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(place.root.join(format!("fresh.sqlite{end}")));
        }
    }
    place.is_unchanged("kept", files)?;
    place.remove()?;
    let [sum, first, unchanged] = used;
    let mut figures = Vec::new();
    for (what, used) in [("sum", &sum), ("first audit", &first), ("unchanged audit", &unchanged)] {
        let what = format!("{files} small files, {what}");
        figures.push(Figure::new(&what, "s", used.iter().map(|used| used.wall_s).collect()));
        let peaks = used.iter().map(|used| used.peak_bytes as f64 / MIB).collect();
        figures.push(Figure::new(format!("{what}: peak memory"), "MiB", peaks));
    }
    for (what, used, most) in
        [("first", &first, FIRST_AT_MOST_US), ("unchanged", &unchanged, UNCHANGED_AT_MOST_US)]
    {
        let above = |of: fn(&Used) -> f64| {
            let pairs = used.iter().zip(&sum);
            pairs.map(|(audit, sum)| (of(audit) - of(sum)) * 1e6 / files as f64).collect::<Vec<_>>()
        };
        let what = format!("{what} audit above sum, a file, round by round");
        figures.push(Figure::new(&what, "µs", above(|used| used.wall_s)).with_bar(Bound::AtMost, most));
        figures.push(Figure::new(format!("{what}: processor time"), "µs", above(|used| used.processor_s)));
    }
    Ok(figures)
}

/// Files of 1 MiB from the page cache: the rate beside that of `sum`, and what an audit takes whatever there is to read.
pub(super) fn large(hashlane: &Path, scratch: &Path, files: u64, rounds: u32) -> Result<Vec<Figure>> {
    has_room(scratch, files * LARGE_BYTES as u64 * 51 / 50)?;
    let place = Place::new(hashlane, scratch)?;
    fs::create_dir_all(place.root.join("tiny"))?;
    fs::write(place.root.join("tiny/one"), b"one small file")?;
    make(&place.tree, files, |_| LARGE_BYTES)?;
    place.register("kept", &place.kept)?;
    place.end(&["collection", "add", "tiny", "tiny", "--from", "any"], &place.kept)?;
    place.run(&["sum", "-q", "tree"], &place.kept)?;
    place.run(&["audit", "-q", "kept"], &place.kept)?;
    place.end(&["audit", "-q", "tiny"], &place.kept)?;
    let timed = |arguments: &[&str]| time(&mut place.command(arguments, &place.kept));
    let (mut samples, mut fixed, mut ratios) = ([const { Vec::new() }; 2], Vec::new(), Vec::new());
    for round in 0..rounds {
        let whole =
            |audits: bool| timed(if audits { &["audit", "-q", "kept"] } else { &["sum", "-q", "tree"] });
        let first = whole(round % 2 == 1)?;
        let second = whole(round % 2 == 0)?;
        let (sum, audit) = if round % 2 == 1 { (second, first) } else { (first, second) };
        let (tiny_sum, tiny_audit) = (timed(&["sum", "-q", "tiny"])?, timed(&["audit", "-q", "tiny"])?);
        // Both start a program; what is left is what the catalogue takes.
        ratios.push(sum / (audit - (tiny_audit - tiny_sum)));
        fixed.push(tiny_audit * 1e3);
        samples[0].push(sum);
        samples[1].push(audit);
    }
    let from_cache = place.is_unchanged("kept", files)?;
    place.remove()?;
    let what = format!("{files} files of 1 MiB");
    let bytes = files as f64 * LARGE_BYTES as f64;
    let rates = |samples: &[f64]| samples.iter().map(|seconds| bytes / seconds / 1e6).collect();
    Ok(vec![
        Figure::new(format!("{what}, sum"), "MB/s", rates(&samples[0])),
        Figure::new(format!("{what}, unchanged audit"), "MB/s", rates(&samples[1])),
        Figure::new(format!("{what}: read from the page cache"), "%", vec![100.0 * from_cache]),
        Figure::estimated(
            format!("{what}, unchanged audit by sum, without its fixed cost"),
            "times the rate",
            Estimate::of(&ratios),
        )
        .with_bar(Bound::AtLeast, LEAST_RATE),
        Figure::new("audit of a tree of one small file, the same catalogue", "ms", fixed)
            .with_bar(Bound::AtMost, MOST_FIXED_MS),
    ])
}

/// Files that the page cache holds nothing of: the rate of an unchanged audit that reads past it, beside that of `sum`.
pub(super) fn cold(hashlane: &Path, scratch: &Path, rounds: u32) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (files, bytes, least) in COLD {
        has_room(scratch, files * bytes as u64 * 51 / 50)?;
        let place = Place::new(hashlane, scratch)?;
        make(&place.tree, files, |_| bytes)?;
        place.end(&["collection", "add", "kept", "tree"], &place.kept)?;
        place.run(&["audit", "-q", "kept"], &place.kept)?;
        let (mut samples, mut ratios) = ([const { Vec::new() }; 2], Vec::new());
        let (all, mut benched, mut of_bench) = (files as f64 * bytes as f64, Vec::new(), Vec::new());
        for round in 0..rounds as usize {
            let mut seconds = [0.0; 2];
            for turn in 0..2 {
                let which = (round + turn) % 2;
                evict_all(&place.tree)?;
                let arguments = [&["sum", "-q", "tree"][..], &["audit", "-q", "kept"][..]][which];
                seconds[which] = time(&mut place.command(arguments, &place.kept))?;
            }
            let [sum, audit] = seconds;
            ratios.push(sum / audit);
            samples[0].push(sum);
            samples[1].push(audit);
            if bytes >= BENCH_BYTES && round.is_multiple_of(BENCH_EVERY) {
                let rate = place.benched_rate(all as u64)?;
                of_bench.push(all / audit / rate);
                benched.push(rate / 1e6);
            }
        }
        evict_all(&place.tree)?;
        let cached = place.is_unchanged("kept", files)?;
        ensure!(cached == 0.0, "{} % came from the page cache", 100.0 * cached);
        place.remove()?;
        let what = format!("{files} files of {} KiB on the device", bytes / 1024);
        let rates = |samples: &[f64]| samples.iter().map(|seconds| all / seconds / 1e6).collect();
        if !benched.is_empty() {
            figures.extend([
                Figure::new(format!("{what}, the best of bench pipeline"), "MB/s", benched),
                Figure::estimated(
                    format!("{what}, unchanged audit by bench"),
                    "times the rate",
                    Estimate::of(&of_bench),
                )
                .with_bar(Bound::AtLeast, LEAST_OF_BENCH),
            ]);
        }
        figures.extend([
            Figure::new(format!("{what}, sum"), "MB/s", rates(&samples[0])),
            Figure::new(format!("{what}, unchanged audit"), "MB/s", rates(&samples[1])),
            Figure::estimated(
                format!("{what}, unchanged audit by sum"),
                "times the rate",
                Estimate::of(&ratios),
            )
            .with_bar(Bound::AtLeast, least),
        ]);
    }
    Ok(figures)
}

/// Makes the page cache forget all files of a tree, and sees that it did.
fn evict_all(tree: &Path) -> Result<()> {
    for directory in fs::read_dir(tree)? {
        for entry in fs::read_dir(directory?.path())? {
            let path = entry?.path();
            let file = fs::File::open(&path)?;
            hashlane_io::evict(file.as_fd())?;
            let left = hashlane_io::residency(file.as_fd(), 0, u64::MAX / 2);
            ensure!(
                left.is_some_and(|left| left.resident_bytes == 0),
                "{} stays in the cache",
                path.display()
            );
        }
    }
    Ok(())
}

/// Where a tree lies, and what is remembered of it.
struct Place<'a> {
    hashlane: &'a Path,
    root: PathBuf,
    tree: PathBuf,
    /// The catalogue in which nothing has changed.
    kept: PathBuf,
}

impl<'a> Place<'a> {
    fn new(hashlane: &'a Path, scratch: &Path) -> Result<Self> {
        let root = scratch.join("audits");
        fs::create_dir_all(root.join("temporary"))?;
        Ok(Self { hashlane, tree: root.join("tree"), kept: root.join("kept.sqlite"), root })
    }

    fn command(&self, arguments: &[&str], catalogue: &Path) -> Command {
        let mut command = Command::new(self.hashlane);
        command.args(arguments).current_dir(&self.root).env("HASHLANE_CATALOG", catalogue);
        // The copy of a week belongs to no audit in particular.
        command.env("HASHLANE_BACKUPS", "none");
        // What is measured once is kept beside it, for all programs alike.
        command.env("HASHLANE_CACHE", self.root.join("cache")).env("TMPDIR", self.root.join("temporary"));
        command
    }

    /// Runs a command to its end, and says what it took.
    fn run(&self, arguments: &[&str], catalogue: &Path) -> Result<Used> {
        let used = run(&mut self.command(arguments, catalogue), |_| Ok(()))?;
        ensure!(used.code == Some(0), "{arguments:?} ended with {:?}", used.code);
        Ok(used)
    }

    fn end(&self, arguments: &[&str], catalogue: &Path) -> Result<()> {
        time(&mut self.command(arguments, catalogue)).map(drop)
    }

    fn register(&self, name: &str, catalogue: &Path) -> Result<()> {
        // What is measured here is what remembering costs: both read where the bytes are.
        self.end(&["collection", "add", name, "tree", "--from", "any"], catalogue)
    }

    /// Asserts that an audit finds all files as they were; the share of the bytes that came from the page cache.
    fn is_unchanged(&self, name: &str, files: u64) -> Result<f64> {
        let output = self.command(&["audit", "--format", "json", name], &self.kept).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().last().context("the audit said nothing")?;
        let said: Value = serde_json::from_str(last)?;
        ensure!(said["verdicts"]["intact"] == files, "not all of {files} files are intact: {last}");
        let cached = said["read"]["origin"]["cache_bytes"].as_f64().context("no origin")?;
        Ok(cached / said["read"]["bytes"].as_f64().context("no bytes")?)
    }

    /// The best rate at which `bench` reads and digests the same cold files, in bytes a second.
    fn benched_rate(&self, bytes: u64) -> Result<f64> {
        let most = bytes.to_string();
        let arguments = ["bench", "pipeline", "tree", "--cache-state", "cold", "--block", "1MiB", "--quick"];
        let mut command = self.command(&arguments, &self.kept);
        // The run is kept in the home of who measures.
        command.args(["--most", &most, "--json"]).env("HOME", &self.root).env_remove("XDG_STATE_HOME");
        let output = command.output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let run: Value = serde_json::from_slice(&output.stdout)?;
        let cells = run["cells"].as_array().context("a run without cells")?;
        let both = cells.iter().filter(|cell| cell["cell"]["stage"] == "pipeline");
        let rates = both.filter_map(|cell| cell["figure"]["median"].as_f64());
        rates.reduce(f64::max).context("no rate of reading and digesting")
    }

    fn remove(&self) -> Result<()> {
        fs::remove_dir_all(&self.root).with_context(|| format!("cannot remove {}", self.root.display()))
    }
}

/// Makes a tree whose records will be settled.
fn make(tree: &Path, files: u64, length: impl Fn(&mut Random) -> usize) -> Result<()> {
    let mut content = Vec::new();
    for file in 0..files {
        let directory = tree.join(format!("{:05}", file / IN_DIRECTORY));
        if file % IN_DIRECTORY == 0 {
            fs::create_dir_all(&directory)?;
        }
        let mut random = Random::for_item(11, file);
        content.resize(length(&mut random), 0);
        random.fill(&mut content);
        let path = directory.join(format!("{file:07}.dat"));
        fs::write(&path, &content).with_context(|| format!("cannot write {}", path.display()))?;
    }
    thread::sleep(SETTLED);
    Ok(())
}
