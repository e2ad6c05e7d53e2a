//! Blocks at random places of a file, several asked for at once, and how long each takes.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use hashlane_io::Block;
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::blocks::ENGINE;
use super::{not_possible, on_threads, prepare, prepare_direct, still_warm};
use crate::cell::{CacheState, Cell, Stage, Unit};
use crate::clock::{Stopwatch, nanoseconds};
use crate::latency::Latency;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};
use crate::scratch::LargeFile;

/// What the engine of cells is called that read past the page cache.
const DIRECT_ENGINE: &str = "pread-direct";

/// Reads whole blocks at places that are a multiple of their length, as chance has them. Each block in flight has a thread
/// that waits for it and asks for the next: one that hands requests to others takes a good part of what a fast device needs.
#[derive(Debug)]
pub struct RandomReadProbe {
    file: Arc<LargeFile>,
    cache: CacheState,
    depth: usize,
    block_bytes: usize,
    random: fastrand::Rng,
}

impl RandomReadProbe {
    /// Reads what is in the page cache, one block at a time.
    pub fn warm(file: &Arc<LargeFile>, block_bytes: usize, seed: u64) -> Self {
        Self {
            file: Arc::clone(file),
            cache: file.when_read(),
            depth: 1,
            block_bytes,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Reads past the page cache, which holds nothing of the file, `depth` blocks in flight.
    pub fn cold(file: &Arc<LargeFile>, depth: usize, block_bytes: usize, seed: u64) -> Self {
        Self { cache: CacheState::Cold, depth, ..Self::warm(file, block_bytes, seed) }
    }

    fn is_direct(&self) -> bool {
        self.cache == CacheState::Cold
    }

    fn places(&self) -> u64 {
        self.file.bytes() / self.block_bytes as u64
    }

    fn open(&self) -> Result<File, NotPossible> {
        let flags = if self.is_direct() { OFlags::DIRECT } else { OFlags::empty() };
        let opened =
            OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(self.file.path());
        opened.map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::INVAL) if self.is_direct() => {
                NotPossible::Broken("the file system cannot bypass the page cache".into())
            }
            _ => not_possible("the file cannot be opened", &error),
        })
    }

    /// Reads `count` blocks. Returns how long each took, in no order.
    fn read(&mut self, count: u64, watch: &mut Stopwatch) -> Result<Vec<u64>, NotPossible> {
        let seeds: Vec<u64> = (0..self.depth).map(|_| self.random.u64(..)).collect();
        let (places, left) = (self.places(), AtomicU64::new(count));
        let share = 2 * usize::try_from(count).unwrap_or(0).div_ceil(self.depth);
        let this = &*self;
        let begin = |number: usize| {
            let mut block = Block::new(this.block_bytes);
            // Its memory is to be there before the watch starts, and that of the times.
            block.room().fill(0);
            let times = Vec::with_capacity(share);
            Ok((this.open()?, fastrand::Rng::with_seed(seeds[number]), block, times))
        };
        let times = on_threads(self.depth, watch, begin, |begun| {
            let (file, mut random, mut block, mut times) = begun?;
            let block = &mut block.room()[..this.block_bytes];
            let take_one = |left: u64| left.checked_sub(1);
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one).is_ok() {
                let offset = random.u64(..places) * this.block_bytes as u64;
                let asked = Instant::now();
                file.read_exact_at(block, offset)
                    .map_err(|error| not_possible("the file cannot be read", &error))?;
                times.push(nanoseconds(asked.elapsed()));
            }
            Ok(times)
        })?;
        let times: Result<Vec<_>, NotPossible> = times.into_iter().collect();
        Ok(times?.concat())
    }
}

impl Probe for RandomReadProbe {
    fn cell(&self) -> Cell {
        Cell {
            engine: Some(if self.is_direct() { DIRECT_ENGINE } else { ENGINE }.to_owned()),
            cache: Some(self.cache),
            depth: Some(self.depth),
            block_bytes: Some(self.block_bytes as u64),
            input_bytes: Some(self.file.bytes()),
            ..Cell::new(Stage::RandomRead)
        }
    }

    fn unit(&self) -> Unit {
        Unit::NanosecondsPerOperation
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        if self.places() == 0 {
            return Err(NotPossible::Broken("the file is shorter than a block".into()));
        }
        if self.is_direct() { prepare_direct(&self.file) } else { prepare(&self.file, self.cache) }
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let reads = repeats * self.depth as u64;
        let times = self.read(reads, watch)?;
        let bytes = reads * self.block_bytes as u64;
        Ok(Work {
            bytes,
            operations: reads,
            // Nothing of it was in the page cache before, nor is afterwards.
            device_bytes: if self.cache == CacheState::Cold { bytes } else { 0 },
            unknown_bytes: if self.cache == CacheState::Unknown { bytes } else { 0 },
            latency: Latency::of(times),
            ..Work::default()
        })
    }

    fn confirm(&mut self, from_cache: bool) -> Result<(), NotPossible> {
        // A file system that takes the flag and reads through the page cache nevertheless leaves something there.
        match self.file.resident_bytes() {
            Some(bytes) if self.is_direct() && bytes > 0 => Err(NotPossible::Disturbed(format!(
                "{bytes} bytes of the file entered the page cache, which should have been bypassed"
            ))),
            _ => still_warm(&self.file, self.cache, from_cache),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_block_is_read_and_timed() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = LargeFile::create(directory.path(), 1 << 20, Duration::MAX, 1).expect("there is room");
        let file = Arc::new(file);
        for (mut probe, reads) in
            [(RandomReadProbe::warm(&file, 4_096, 1), 100), (RandomReadProbe::cold(&file, 8, 4_096, 1), 800)]
        {
            let work = match probe.run(100, &mut Stopwatch::start()) {
                Ok(work) => work,
                // Where a file system has no direct reading, that is said.
                Err(reason) => {
                    assert!(reason.to_string().contains("past the page cache"), "{reason}");
                    continue;
                }
            };
            assert_eq!((work.operations, work.bytes), (reads, reads * 4_096));
            let latency = work.latency.expect("blocks were read");
            assert!(
                latency.p50_ns > 0 && latency.p50_ns <= latency.p99_ns && latency.p99_ns <= latency.max_ns
            );
        }
    }

    #[test]
    fn a_file_without_a_whole_block_is_not_measured() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = LargeFile::create(directory.path(), 100, Duration::MAX, 1).expect("there is room");
        let prepared = RandomReadProbe::warm(&Arc::new(file), 4_096, 1).prepare();
        assert!(prepared.expect_err("no block").to_string().contains("shorter than a block"));
    }
}
