//! The read ceiling: bytes of a file brought by a read engine, and nothing done with them.

use std::sync::Arc;

use hashlane_io::{Block, EngineKind, OpenFile, ReadEngine, ReaderPool, Request, Sources, Target};

use super::{not_possible, on_threads};
use crate::cell::{CacheState, Cell, Stage, Unit};
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};
use crate::scratch::LargeFile;

/// Reads a large file, each thread its share, `depth` requests of each in flight.
#[derive(Debug)]
pub struct ReadProbe {
    file: Arc<LargeFile>,
    engine: EngineKind,
    cache: CacheState,
    threads: usize,
    depth: usize,
    block_bytes: usize,
}

impl ReadProbe {
    /// Reads what is in the page cache, by `threads` threads, one request of each at a time.
    pub fn warm(file: &Arc<LargeFile>, engine: EngineKind, threads: usize, block_bytes: usize) -> Self {
        Self { file: Arc::clone(file), engine, cache: CacheState::Warm, threads, depth: 1, block_bytes }
    }

    /// Reads what the page cache does not hold, `depth` requests in flight.
    pub fn cold(file: &Arc<LargeFile>, engine: EngineKind, depth: usize, block_bytes: usize) -> Self {
        Self { file: Arc::clone(file), engine, cache: CacheState::Cold, threads: 1, depth, block_bytes }
    }

    /// Makes the requests and brings nothing: what is left is the machinery.
    pub fn harness(file: &Arc<LargeFile>, block_bytes: usize) -> Self {
        Self::warm(file, EngineKind::Null, 1, block_bytes)
    }

    fn is_harness(&self) -> bool {
        self.engine == EngineKind::Null
    }

    /// Reads the file so many times over, each thread its share of it: they wait for each other only at the very end.
    fn read(&self, repeats: u64) -> Result<Sources, NotPossible> {
        let blocks = self.file.bytes().div_ceil(self.block_bytes as u64);
        let share = blocks.div_ceil(self.threads as u64) * self.block_bytes as u64;
        let parts = on_threads(self.threads, |number| {
            let pool = ReaderPool::new(self.depth);
            let start = share * number as u64;
            let end = (start + share).min(self.file.bytes());
            let mut all = Sources::default();
            for _ in 0..repeats {
                all += self.read_part(&pool, start, end)?;
            }
            Ok(all)
        });
        let mut all = Sources::default();
        for part in parts {
            all += part?;
        }
        Ok(all)
    }

    fn read_part(&self, pool: &Arc<ReaderPool>, start: u64, end: u64) -> Result<Sources, NotPossible> {
        let opened = self.file.open().and_then(|file| OpenFile::new(file.into()));
        let file = Arc::new(opened.map_err(|error| not_possible("the test file cannot be opened", &error))?);
        let mut engine = self.engine.start(pool);
        let mut spare: Vec<Block> = (0..self.depth).map(|_| self.block()).collect();
        let mut next = start;
        let mut sources = Sources::default();
        while next < end || engine.in_flight() > 0 {
            while next < end
                && let Some(block) = spare.pop()
            {
                let length = (end - next).min(self.block_bytes as u64) as usize;
                submit(engine.as_mut(), &file, next, length, block);
                next += length as u64;
            }
            let Some(completion) = engine.reap() else {
                engine.wait();
                continue;
            };
            if let Some(error) = completion.error {
                return Err(not_possible("the test file cannot be read", &error));
            }
            sources += completion.sources;
            let wanted = completion.token;
            let brought = completion.sources.total_bytes();
            if brought == 0 && wanted > 0 {
                return Err(NotPossible("the test file ended early".into()));
            }
            let mut block = completion.block;
            if brought < wanted {
                // The rest of a short read; its place is told by how much was brought.
                return Err(NotPossible(format!("a read of {wanted} bytes brought {brought}")));
            }
            block.clear();
            spare.push(block);
        }
        Ok(sources)
    }

    fn block(&self) -> Block {
        match self.engine {
            EngineKind::Mapped => Block::window(self.block_bytes),
            _ => Block::new(self.block_bytes),
        }
    }
}

/// The token is the number of bytes wanted.
fn submit(engine: &mut dyn ReadEngine, file: &Arc<OpenFile>, offset: u64, length: usize, block: Block) {
    let target = Target::File(Arc::clone(file));
    engine.submit(Request { token: length as u64, target, offset, length, block });
}

impl Probe for ReadProbe {
    fn cell(&self) -> Cell {
        Cell {
            engine: Some(self.engine.name().to_owned()),
            cache: (!self.is_harness()).then_some(self.cache),
            threads: self.threads,
            depth: Some(self.depth * self.threads),
            block_bytes: Some(self.block_bytes as u64),
            ..Cell::new(if self.is_harness() { Stage::Harness } else { Stage::Read })
        }
    }

    fn unit(&self) -> Unit {
        if self.is_harness() { Unit::NanosecondsPerOperation } else { Unit::BytesPerSecond }
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        prepare(&self.file, self.cache)
    }

    fn run(&mut self, repeats: u64) -> Result<Work, NotPossible> {
        let sources = self.read(repeats)?;
        Ok(Work {
            bytes: sources.total_bytes(),
            operations: repeats * self.file.bytes().div_ceil(self.block_bytes as u64),
            device_bytes: sources.device_bytes,
            unknown_bytes: sources.unknown_bytes,
        })
    }

    fn repeats(&self) -> bool {
        self.cache == CacheState::Warm
    }
}

/// Brings a file into the state that a cell names, and proves it.
pub(super) fn prepare(file: &LargeFile, cache: CacheState) -> Result<Option<u64>, NotPossible> {
    match cache {
        CacheState::Warm => {
            let resident = file.resident_bytes();
            if resident.is_some_and(|resident| resident < file.bytes()) {
                // Something has taken its pages; reading brings them back.
                let mut opened =
                    file.open().map_err(|error| not_possible("the test file cannot be opened", &error))?;
                std::io::copy(&mut opened, &mut std::io::sink())
                    .map_err(|error| not_possible("the test file cannot be read", &error))?;
            }
            Ok(file.resident_bytes())
        }
        CacheState::Cold => {
            let left =
                file.evict().map_err(|error| not_possible("the page cache keeps the test file", &error))?;
            match left {
                Some(0) => Ok(Some(0)),
                Some(bytes) => Err(NotPossible(format!("the page cache keeps {bytes} bytes of the test file"))),
                None => Err(NotPossible(
                    "whether the page cache has forgotten the test file cannot be seen here (cachestat needs Linux 6.5, \
                     and a file system that it sees)"
                        .into(),
                )),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_file_is_read_once_from_end_to_end_by_every_engine() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let bytes = (3 << 20) + 4_097;
        let file =
            Arc::new(LargeFile::create(directory.path(), bytes, Duration::MAX, 1).expect("there is room"));
        for &engine in EngineKind::all() {
            for (threads, depth) in [(1, 1), (3, 2), (7, 1)] {
                let mut probe = ReadProbe { depth, ..ReadProbe::warm(&file, engine, threads, 64 << 10) };
                probe.prepare().expect("it is there");
                let work = probe.run(2).expect("it can be read");
                assert_eq!(
                    (work.bytes, work.operations),
                    (2 * bytes, 2 * bytes.div_ceil(64 << 10)),
                    "{engine:?}"
                );
            }
        }
    }

    #[test]
    fn a_cold_file_comes_from_the_device_or_is_not_measured() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file =
            Arc::new(LargeFile::create(directory.path(), 8 << 20, Duration::MAX, 1).expect("there is room"));
        let mut probe = ReadProbe::cold(&file, EngineKind::Direct, 4, 1 << 20);
        match probe.prepare() {
            Ok(resident) => {
                assert_eq!(resident, Some(0));
                let work = probe.run(1).expect("it can be read");
                assert_eq!((work.bytes, work.device_bytes), (8 << 20, 8 << 20));
            }
            // In memory, or where the cache is not seen.
            Err(reason) => assert!(reason.0.contains("page cache"), "{reason}"),
        }
    }
}
