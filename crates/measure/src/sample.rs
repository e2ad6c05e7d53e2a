//! Samples and what they add up to.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::{Cell, Unit};
use crate::clock::Elapsed;
use crate::latency::Latency;
use crate::noise::Noise;
use crate::statistics::Estimate;

/// What one call of a probe did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// Bytes read, written, copied or digested.
    pub bytes: u64,
    /// Messages digested, files read, requests made: what the cell counts besides bytes.
    pub operations: u64,
    /// Of the bytes, those seen to come from the device.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub device_bytes: u64,
    /// Of the bytes, those of which it could not be seen.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub unknown_bytes: u64,
    /// How long single operations took, where each was timed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub latency: Option<Latency>,
    /// How long the two sides of a pipeline waited for each other.
    #[serde(flatten)]
    pub waits: Waits,
}

impl AddAssign for Work {
    /// Times of single operations are those of one sample, and are not added.
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.operations += other.operations;
        self.device_bytes += other.device_bytes;
        self.unknown_bytes += other.unknown_bytes;
        self.waits += other.waits;
    }
}

/// Times in which one side of a pipeline could not go on, in nanoseconds; absent where they are not seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waits {
    /// For an empty buffer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reader_wait_ns: Option<u64>,
    /// For a filled one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digester_wait_ns: Option<u64>,
}

impl AddAssign for Waits {
    fn add_assign(&mut self, other: Self) {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (None, other) => other,
            (one, None) => one,
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
        };
        self.reader_wait_ns = sum(self.reader_wait_ns, other.reader_wait_ns);
        self.digester_wait_ns = sum(self.digester_wait_ns, other.digester_wait_ns);
    }
}

/// One timing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// The round that it belongs to, from 0.
    pub round: usize,
    /// Its place within the round, from 0: cells come in another order in each.
    pub place: usize,
    /// Time that it took.
    #[serde(flatten)]
    pub elapsed: Elapsed,
    /// What was done in that time.
    #[serde(flatten)]
    pub work: Work,
    /// Bytes of its files in the page cache before it began, where that was looked at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub resident_bytes_before: Option<u64>,
    /// What disturbed it.
    #[serde(flatten)]
    pub noise: Noise,
}

/// All that is known of one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellResult {
    /// The cell.
    pub cell: Cell,
    /// What its figure counts.
    pub unit: Unit,
    /// How often the work was repeated within one sample.
    pub repeats: u64,
    /// The figure, in `unit`; absent without samples.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub figure: Option<Estimate>,
    /// Processor time in seconds for 10^9 bytes; absent without samples or bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cpu_s_per_gb: Option<Estimate>,
    /// Digest of what was worked on, in hexadecimal digits, where it is told: every sample gave it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
    /// Why there are no samples.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_measured: Option<String>,
    /// Every timing.
    pub samples: Vec<Sample>,
}

impl Sample {
    /// The figure in `unit`; no finite number where time or work is 0.
    pub fn figure(&self, unit: Unit) -> f64 {
        let seconds = self.elapsed.wall_ns as f64 / 1e9;
        match unit {
            Unit::BytesPerSecond => self.work.bytes as f64 / seconds,
            Unit::FilesPerSecond => self.work.operations as f64 / seconds,
            Unit::NanosecondsPerOperation => self.elapsed.wall_ns as f64 / self.work.operations as f64,
        }
    }
}

impl CellResult {
    /// A cell without samples so far.
    pub fn new(cell: Cell, unit: Unit) -> Self {
        Self {
            cell,
            unit,
            repeats: 1,
            figure: None,
            cpu_s_per_gb: None,
            digest: None,
            not_measured: None,
            samples: Vec::new(),
        }
    }

    /// The figures of all samples, in their order.
    pub fn figures(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.figure(self.unit)).collect()
    }

    /// Computes the figures anew from the samples.
    pub fn summarise(&mut self) {
        self.figure = Estimate::of(&self.figures());
        let cpu = |sample: &Sample| {
            (sample.elapsed.user_ns + sample.elapsed.sys_ns) as f64 / sample.work.bytes as f64
        };
        self.cpu_s_per_gb = Estimate::of(&self.samples.iter().map(cpu).collect::<Vec<_>>());
    }
}

fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Stage;

    fn sample(wall_ns: u64, bytes: u64, operations: u64) -> Sample {
        Sample {
            round: 0,
            place: 0,
            elapsed: Elapsed { wall_ns, user_ns: wall_ns, sys_ns: wall_ns, ..Elapsed::default() },
            work: Work { bytes, operations, ..Work::default() },
            resident_bytes_before: None,
            noise: Noise::default(),
        }
    }

    #[test]
    fn a_figure_is_in_the_unit_of_its_cell() {
        let sample = sample(2_000_000_000, 10, 4);
        assert_eq!(sample.figure(Unit::BytesPerSecond), 5.0);
        assert_eq!(sample.figure(Unit::FilesPerSecond), 2.0);
        assert_eq!(sample.figure(Unit::NanosecondsPerOperation), 5e8);
    }

    #[test]
    fn a_sample_of_no_time_or_no_work_makes_no_figure() {
        for (unit, sample) in
            [(Unit::BytesPerSecond, sample(0, 10, 1)), (Unit::NanosecondsPerOperation, sample(10, 10, 0))]
        {
            let mut result = CellResult::new(Cell::new(Stage::Read), unit);
            result.samples.push(sample);
            result.summarise();
            assert_eq!(result.figure, None);
        }
    }

    #[test]
    fn processor_time_is_that_of_user_and_system() {
        let mut result = CellResult::new(Cell::new(Stage::Read), Unit::BytesPerSecond);
        result.samples.push(sample(500_000_000, 1_000_000_000, 1));
        result.summarise();
        assert_eq!(result.cpu_s_per_gb.expect("bytes were read").median, 1.0);
    }
}
