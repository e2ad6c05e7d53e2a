//! Blocks at random places of a file, so many asked for at once, and how long each takes.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use hashlane_io::{EngineKind, OpenFile, Sources};

use super::{InFlight, Slot, Wanted, not_possible, prepare};
use crate::cell::{self, CacheState, Stage, Unit};
use crate::clock::{Stopwatch, nanoseconds};
use crate::latency::Latency;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};
use crate::scratch::LargeFile;

/// Reads whole blocks at places that are a multiple of their length, as chance has them.
#[derive(Debug)]
pub struct RandomReadProbe {
    file: Arc<LargeFile>,
    engine: EngineKind,
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
            engine: EngineKind::Buffered,
            cache: file.when_read(),
            depth: 1,
            block_bytes,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Reads past the page cache, which holds nothing of the file, `depth` blocks in flight.
    pub fn cold(file: &Arc<LargeFile>, depth: usize, block_bytes: usize, seed: u64) -> Self {
        let warm = Self::warm(file, block_bytes, seed);
        Self { engine: EngineKind::Direct, cache: CacheState::Cold, depth, ..warm }
    }

    fn places(&self) -> u64 {
        self.file.bytes() / self.block_bytes as u64
    }

    /// Reads `count` blocks. Returns where the bytes came from and how long each block took.
    fn read(&mut self, count: u64, watch: &mut Stopwatch) -> Result<(Sources, Vec<u64>), NotPossible> {
        let opened = self.file.open().and_then(|file| OpenFile::new(file.into()));
        let file = Arc::new(opened.map_err(|error| not_possible("the file cannot be opened", &error))?);
        let mut in_flight = InFlight::new(self.engine, self.depth, self.block_bytes);
        let (length, places) = (self.block_bytes, self.places());
        let begun: Vec<Cell<Instant>> = (0..self.depth).map(|_| Cell::new(Instant::now())).collect();
        let mut times = Vec::with_capacity(usize::try_from(count).unwrap_or(usize::MAX));
        let (mut all, mut left) = (Sources::default(), count);
        watch.restart();
        let next = |number: usize| {
            if left == 0 {
                return Ok(None);
            }
            left -= 1;
            let offset = self.random.u64(..places) * length as u64;
            begun[number].set(Instant::now());
            Ok(Some(Wanted { file: Arc::clone(&file), offset, length }))
        };
        let take = |slot: Slot, sources, spare: &mut Vec<Slot>| {
            times.push(nanoseconds(begun[slot.number].get().elapsed()));
            all += sources;
            spare.push(slot);
            Ok(())
        };
        in_flight.run(next, take)?;
        in_flight.check(self.cache, &all)?;
        Ok((all, times))
    }
}

impl Probe for RandomReadProbe {
    fn cell(&self) -> cell::Cell {
        cell::Cell {
            engine: Some(self.engine.name().to_owned()),
            cache: Some(self.cache),
            depth: Some(self.depth),
            block_bytes: Some(self.block_bytes as u64),
            input_bytes: Some(self.file.bytes()),
            ..cell::Cell::new(Stage::RandomRead)
        }
    }

    fn unit(&self) -> Unit {
        Unit::NanosecondsPerOperation
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        if self.places() == 0 {
            return Err(NotPossible::Broken("the file is shorter than a block".into()));
        }
        prepare(&self.file, self.cache)
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let reads = repeats * self.depth as u64;
        let (sources, times) = self.read(reads, watch)?;
        Ok(Work {
            bytes: sources.total_bytes(),
            operations: reads,
            device_bytes: sources.device_bytes,
            unknown_bytes: sources.unknown_bytes,
            latency: Latency::of(times),
            ..Work::default()
        })
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
        let unknown = |probe| RandomReadProbe { cache: CacheState::Unknown, ..probe };
        for (mut probe, reads) in [
            (unknown(RandomReadProbe::warm(&file, 4_096, 1)), 100),
            (unknown(RandomReadProbe::cold(&file, 8, 4_096, 1)), 800),
        ] {
            probe.prepare().expect("it is there");
            let work = match probe.run(100, &mut Stopwatch::start()) {
                Ok(work) => work,
                // Where a file system has no direct reading, that is said.
                Err(reason) => {
                    assert!(
                        probe.engine == EngineKind::Direct && reason.to_string().contains("refuses"),
                        "{reason}"
                    );
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
