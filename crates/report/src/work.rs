//! A run that reads files: how far it is, how it read, and what it has done.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hashlane_engine::{
    Control, LargeFiles, Profile, Progress as SoFar, ReadOrder, SLOTS_PER_WORKER, Skipped, Summary,
};
use hashlane_io::Device;
use hashlane_profile::{Measured, TunedPart};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::json::*;
use crate::{figures, text};

/// The rate shown is that of the last seconds.
const RATE_WINDOW: Duration = Duration::from_secs(5);

/// How much there is to do, found out beside the run.
#[derive(Debug, Default)]
pub struct Totals {
    bytes: AtomicU64,
    complete: AtomicBool,
    cancelled: AtomicBool,
}

impl Totals {
    /// Counts a file of `bytes` bytes; false if nobody wants to know any more.
    pub fn add(&self, bytes: u64) -> bool {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        !self.cancelled.load(Ordering::Relaxed)
    }

    /// All files have been counted.
    pub fn complete(&self) {
        self.complete.store(true, Ordering::Release);
    }

    /// Nobody wants to know any more.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    fn known(&self) -> Option<u64> {
        self.complete.load(Ordering::Acquire).then(|| self.bytes.load(Ordering::Relaxed))
    }
}

/// Says how far a run is, as often as it is asked.
#[derive(Debug)]
pub struct Meter {
    control: Arc<Control>,
    totals: Arc<Totals>,
    start: Instant,
    recent: VecDeque<(Instant, u64)>,
}

impl Meter {
    /// That of a run which begins now.
    pub fn new(control: Arc<Control>, totals: Arc<Totals>) -> Self {
        Self { control, totals, start: Instant::now(), recent: VecDeque::new() }
    }

    /// Since it began.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// How far the run is.
    pub fn read(&mut self) -> Progress {
        let (now, so_far) = (Instant::now(), self.control.progress());
        let done = so_far.digested_bytes;
        self.recent.push_back((now, done));
        while self.recent.len() > 2 && self.recent.front().is_some_and(|(then, _)| now - *then > RATE_WINDOW)
        {
            self.recent.pop_front();
        }
        let (then, before) = self.recent.front().copied().unwrap_or((self.start, 0));
        let window = now.duration_since(then);
        Progress {
            elapsed: self.elapsed(),
            so_far,
            total_bytes: self.totals.known().map(|total| total.max(done)),
            bytes_per_second: if window.is_zero() {
                0.0
            } else {
                (done - before) as f64 / window.as_secs_f64()
            },
        }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Since it began.
    pub elapsed: Duration,
    /// What it has done.
    pub so_far: SoFar,
    /// All that there is to do, in bytes, once that is known.
    pub total_bytes: Option<u64>,
    /// The rate over the last seconds.
    pub bytes_per_second: f64,
}

impl Progress {
    /// Seconds until the end, if it goes on so; none as long as that is not known.
    fn remaining_s(&self) -> Option<f64> {
        let total_bytes = self.total_bytes.filter(|_| self.bytes_per_second >= 1.0)?;
        Some((total_bytes - self.so_far.digested_bytes) as f64 / self.bytes_per_second)
    }

    /// In words, in parts: the last ones matter least.
    pub fn parts(&self) -> Vec<String> {
        let done = self.so_far.digested_bytes;
        let mut parts = vec![text::decimal(done as f64)];
        if let Some(total) = self.total_bytes {
            let share = text::percent(done, total.max(1));
            parts.push(format!(" of {}, {share}", text::decimal(total as f64)));
        }
        parts.push(format!(", {}/s", text::decimal(self.bytes_per_second)));
        if let Some(seconds) = self.remaining_s() {
            let left = Duration::from_secs_f64(seconds.min(1e9)).max(Duration::from_secs(1));
            parts.push(format!(", {} left", text::span(left)));
        }
        parts.push(format!("; {}", text::counted(self.so_far.files_done, "file")));
        parts
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let line = ProgressLine {
            elapsed_s: milliseconds(self.elapsed),
            digested_bytes: self.so_far.digested_bytes,
            total_bytes: self.total_bytes,
            bytes_per_second: self.bytes_per_second.round() as u64,
            remaining_s: self.remaining_s().map(f64::round),
            files_done: self.so_far.files_done,
            files_found: self.so_far.files_found,
            all_found: self.so_far.walk_done,
            origin: (&self.so_far.origin).into(),
        };
        line.value()
    }
}

/// Seconds in a line for programs: milliseconds are enough.
fn milliseconds(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 1000.0).round() / 1000.0
}

/// How far a measurement is, for programs. `share`: of all of it; 1 is the end. `cell`: what is being measured.
pub fn measuring_json(elapsed: Duration, rounds: usize, share: f64, cell: String) -> Value {
    Measuring { elapsed_s: milliseconds(elapsed), rounds, share, cell }.value()
}

/// The schemas of how far a run or a measurement is: of each its name, and its line.
pub(crate) fn schemas() -> Vec<(&'static str, Vec<Value>)> {
    vec![("progress", vec![ProgressLine::schema()]), ("bench-progress", vec![Measuring::schema()])]
}

/// The kinds of reading, in the order in which they are shown.
pub const PARTS: [TunedPart; 3] = [TunedPart::ColdSmall, TunedPart::ColdLarge, TunedPart::WarmLarge];

/// A device as people know it: `ext4 on vda`.
pub fn device(device: &Device) -> String {
    let on = device.disk.as_deref().unwrap_or(&device.mounted);
    text::name(format!("{} on {on}", device.file_system).as_bytes())
}

/// The measured parts of a profile in words: `cold small files buffered, 64 at once; ...`.
pub fn reading(profile: &Profile, parts: &[TunedPart]) -> String {
    let large = |large: &LargeFiles| {
        let block = figures::block(large.block_bytes as u64);
        format!("{}, {block} x {}", large.engine.name(), large.in_flight)
    };
    let order = match profile.order {
        ReadOrder::Inputs => "",
        ReadOrder::OnDisk => ", in disk order",
    };
    let small = &profile.small;
    let warm = if parts.contains(&TunedPart::ColdLarge) { "warm ones" } else { "warm large files" };
    let words = |part: &TunedPart| match part {
        TunedPart::ColdSmall => {
            format!("cold small files {}, {} at once{order}", small.engine.name(), small.in_flight)
        }
        TunedPart::ColdLarge => format!("cold large files {}", large(&profile.cold)),
        TunedPart::WarmLarge => format!("{warm} {}", large(&profile.warm)),
    };
    let measured = PARTS.iter().filter(|part| parts.contains(part)).map(words);
    measured.collect::<Vec<_>>().join("; ")
}

/// Whose measured profile a run read by.
pub fn tuned_line(profile: &Profile, of: &Measured) -> String {
    let day = of.tuned.get(..10).unwrap_or(&of.tuned);
    format!("read as tuned for {} on {day}: {}", device(&of.device), reading(profile, &of.parts))
}

/// How often io_uring was chosen where it is not used.
pub fn unsuited_line(reads: u64) -> String {
    format!("{} without io_uring, which is used on local file systems only", text::counted(reads, "read"))
}

/// What a stopped run has done. `all_found`: nothing is left that was not searched for.
pub fn stopped_line(summary: &Summary, all_found: bool) -> String {
    let files = text::counted(summary.files, "file");
    let known = format!("{} found but not finished", text::count(summary.dropped));
    let rest = if all_found { "" } else { ", others not searched for" };
    format!("stopped after {}: {files} finished, {known}{rest}", text::span(summary.elapsed))
}

/// What walks passed over, if anything. `own_files`: what those are that the run itself reads or writes.
pub fn passed_over_line(skipped: &Skipped, own_files: &str) -> Option<String> {
    let passed_over = text::counted_all(&[
        (skipped.symlinks, "symbolic link"),
        (skipped.special, "special file"),
        (skipped.excluded, "excluded name"),
        (skipped.other_filesystem, "other file system"),
        (skipped.output, own_files),
    ]);
    passed_over.map(|passed_over| format!("skipped: {passed_over}"))
}

/// What was not read as it should have been, if anything.
pub fn unread_line(summary: &Summary) -> Option<String> {
    let bad = [(summary.failed, "could not be read"), (summary.unstable, "changed while being read")];
    let bad = bad.into_iter().filter(|(number, _)| *number > 0);
    let bad: Vec<String> = bad.map(|(number, what)| format!("{} {what}", text::count(number))).collect();
    (!bad.is_empty()).then(|| bad.join(", "))
}

/// Files, bytes, time, rate, where the bytes came from, and how full the lanes were where there were files enough.
pub fn summary_line(summary: &Summary) -> String {
    let size = |bytes: u64| format!("{} ({})", text::decimal(bytes as f64), text::binary(bytes as f64));
    let bytes = summary.digested_bytes - summary.repeated_bytes;
    let mut line = format!("{}, {}", text::counted(summary.files, "file"), size(summary.digested_bytes));
    // Nobody has read them, however fast it looks.
    if summary.repeated_bytes > 0 {
        line += &format!(" by all their names, {} read", size(bytes));
    }
    line += &format!(" in {}", text::span(summary.elapsed));
    if let Some(rate) = text::rate(bytes, summary.elapsed).filter(|_| bytes > 0) {
        line += &format!(": {rate}");
    }
    let origin = summary.origin;
    let parts = [
        (origin.device_bytes, "from the device"),
        (origin.cache_bytes, "from cache"),
        (origin.network_bytes, "from the network"),
        (origin.unknown_bytes, "unknown"),
    ];
    let parts = parts.into_iter().filter(|(bytes, _)| *bytes > 0);
    let shares = parts.map(|(bytes, from)| format!("{} {from}", text::percent(bytes, origin.read_bytes())));
    let mut shares = shares.collect::<Vec<_>>().join(", ");
    if let Some(reason) = summary.unseen {
        shares += &format!(", because {reason}");
    }
    if !shares.is_empty() {
        line += &format!("; {shares}");
    }
    // Shares are of what lies somewhere.
    let nowhere = bytes.saturating_sub(origin.read_bytes());
    if nowhere > 0 && origin.read_bytes() > 0 {
        line += &format!("; {} in holes, which lie nowhere", text::decimal(nowhere as f64));
    }
    // A few files leave lanes empty, and everybody expects that.
    let lanes = summary.lanes;
    if lanes.room_bytes > 0 && summary.files >= SLOTS_PER_WORKER as u64 {
        line += &format!("; lanes {} full", text::percent(lanes.bytes, lanes.room_bytes));
    }
    line
}

lines! {
    struct ProgressLine: "hashlane-progress" {
        /// Seconds since the run began.
        #[schemars(range(min = 0))]
        elapsed_s: f64,
        /// Bytes digested so far, including those of files still being read.
        digested_bytes: u64,
        /// Total bytes to digest; null until known.
        #[schemars(with = "Option<i64>")]
        total_bytes: Option<u64>,
        /// The rate over the last seconds.
        bytes_per_second: u64,
        /// Seconds until the end at this rate; null if unknown.
        remaining_s: Option<f64>,
        /// Files finished.
        files_done: u64,
        /// Files found so far.
        files_found: u64,
        /// Whether all files have been found.
        all_found: bool,
        /// Where the bytes of finished files came from.
        #[schemars(schema_with = "origin")]
        origin: Origin,
    }

    struct Measuring: "hashlane-bench-progress" {
        /// Seconds since the measurement began.
        #[schemars(range(min = 0))]
        elapsed_s: f64,
        /// Rounds finished.
        rounds: usize,
        /// The share of the measurement that is done; 1 is all of it.
        #[schemars(range(min = 0))]
        share: f64,
        /// What is being measured.
        cell: String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_known_only_when_all_is_counted() {
        let totals = Totals::default();
        assert!(totals.add(5));
        assert_eq!(totals.known(), None);
        totals.complete();
        assert_eq!(totals.known(), Some(5));
    }
}
