//! The read ceiling: bytes of a file brought by a read engine, and nothing done with them.

use std::io::Read as _;
use std::ops::Range;
use std::sync::Arc;

use hashlane_io::{CacheUnseen, EngineKind, OpenFile, Sources};

use super::{InFlight, Slot, Wanted, not_possible, on_threads, share};
use crate::cell::{CacheState, Cell, Stage, Unit};
use crate::clock::Stopwatch;
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
    /// Reads what is in the page cache, by `threads` threads, one request of each at a time. Where it cannot be seen whether
    /// it is there, the cell says so.
    pub fn warm(file: &Arc<LargeFile>, engine: EngineKind, threads: usize, block_bytes: usize) -> Self {
        Self { file: Arc::clone(file), engine, cache: file.when_read(), threads, depth: 1, block_bytes }
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

    /// Reads the file several times over. Each thread reads a share of it, and another one each time, or what it reads would
    /// soon be in its own cache where cores are many.
    fn read(&self, repeats: u64, watch: &mut Stopwatch) -> Result<Sources, NotPossible> {
        let blocks = self.file.bytes().div_ceil(self.block_bytes as u64);
        let prepare = |number| Reader::prepare(self).map(|reader| (number, reader));
        let parts = on_threads(self.threads, watch, prepare, |prepared| {
            let (number, mut reader) = prepared?;
            let mut all = Sources::default();
            for repeat in 0..repeats {
                let turn = (number + (repeat % self.threads as u64) as usize) % self.threads;
                all += reader.read(share(blocks, turn, self.threads))?;
            }
            reader.in_flight.check(self.cache, &all)?;
            Ok(all)
        })?;
        let mut all = Sources::default();
        for part in parts {
            all += part?;
        }
        Ok(all)
    }
}

/// What a thread reads with.
struct Reader {
    file: Arc<OpenFile>,
    bytes: u64,
    block_bytes: u64,
    in_flight: InFlight,
}

impl Reader {
    fn prepare(probe: &ReadProbe) -> Result<Self, NotPossible> {
        let opened = probe.file.open().and_then(|file| OpenFile::new(file.into()));
        let file = Arc::new(opened.map_err(|error| not_possible("the test file cannot be opened", &error))?);
        Ok(Self {
            file,
            bytes: probe.file.bytes(),
            block_bytes: probe.block_bytes as u64,
            in_flight: InFlight::new(probe.engine, probe.depth, probe.block_bytes),
        })
    }

    /// Reads a range of blocks.
    fn read(&mut self, blocks: Range<u64>) -> Result<Sources, NotPossible> {
        let mut numbers = blocks;
        let mut all = Sources::default();
        let next = |_| {
            Ok(numbers.next().map(|number| {
                let offset = number * self.block_bytes;
                let length = self.block_bytes.min(self.bytes - offset) as usize;
                Wanted { file: Arc::clone(&self.file), offset, length }
            }))
        };
        let take = |slot, sources, spare: &mut Vec<Slot>| {
            all += sources;
            spare.push(slot);
            Ok(())
        };
        self.in_flight.run(next, take)?;
        Ok(all)
    }
}

impl Probe for ReadProbe {
    fn cell(&self) -> Cell {
        Cell {
            engine: Some(self.engine.name().to_owned()),
            cache: (!self.is_harness()).then_some(self.cache),
            threads: self.threads,
            depth: Some(self.depth * self.threads),
            block_bytes: Some(self.block_bytes as u64),
            input_bytes: Some(self.file.bytes()),
            ..Cell::new(if self.is_harness() { Stage::Harness } else { Stage::Read })
        }
    }

    fn unit(&self) -> Unit {
        if self.is_harness() { Unit::NanosecondsPerOperation } else { Unit::BytesPerSecond }
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        if self.engine == EngineKind::Direct && self.cache == CacheState::Cold {
            return prepare_direct(&self.file);
        }
        prepare(&self.file, self.cache)
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let sources = self.read(repeats, watch)?;
        Ok(Work {
            bytes: sources.total_bytes(),
            operations: repeats * self.file.bytes().div_ceil(self.block_bytes as u64),
            device_bytes: sources.device_bytes,
            unknown_bytes: sources.unknown_bytes,
            ..Work::default()
        })
    }

    fn repeats(&self) -> bool {
        self.cache != CacheState::Cold
    }
}

/// Brings a file into the state that a cell names, and proves it. Returns the bytes of it that are in the page cache.
pub(crate) fn prepare(file: &LargeFile, cache: CacheState) -> Result<Option<u64>, NotPossible> {
    match cache {
        CacheState::Warm => {
            // Whole pages are counted: of a file of odd length more than it has.
            if file.resident_bytes().is_none_or(|resident| resident < file.bytes()) {
                // Something has taken its pages; reading brings them back.
                let opened =
                    file.open().map_err(|error| not_possible("the test file cannot be opened", &error))?;
                std::io::copy(&mut opened.take(file.bytes()), &mut std::io::sink())
                    .map_err(|error| not_possible("the test file cannot be read", &error))?;
            }
            match file.resident_bytes() {
                Some(resident) if resident < file.bytes() => Err(not_warm()),
                resident => Ok(resident),
            }
        }
        CacheState::Unknown => Ok(None),
        CacheState::Cold => evicted(file).and_then(proven_cold),
    }
}

/// The same for reading past the page cache. Where the file system promises that, nobody has to see what the page cache holds.
pub(super) fn prepare_direct(file: &LargeFile) -> Result<Option<u64>, NotPossible> {
    match evicted(file)? {
        Err(_) if file.promises_direct() => Ok(None),
        left => proven_cold(left),
    }
}

/// Makes the page cache forget a file. What it has left of it.
fn evicted(file: &LargeFile) -> Result<Result<u64, CacheUnseen>, NotPossible> {
    let nowhere = file.unwritten_bytes();
    if nowhere > 0 {
        return Err(NotPossible::Broken(format!(
            "{nowhere} of the {} bytes of the file are holes or were never written, and no medium is read for them; measure a \
             copy without holes, as cat makes one",
            file.bytes()
        )));
    }
    file.evict().map_err(|error| not_possible("the page cache keeps the test file", &error))
}

/// Whether a file that was read warm came from the page cache: nothing was read from a device meanwhile, or all of it is still
/// there. A kernel that is short of memory may take pages that were just read, and so may one that looks for cold ones.
pub(crate) fn still_warm(file: &LargeFile, cache: CacheState, from_cache: bool) -> Result<(), NotPossible> {
    let has_left = || file.resident_bytes().is_some_and(|resident| resident < file.bytes());
    if cache == CacheState::Warm && !from_cache && has_left() { Err(not_warm()) } else { Ok(()) }
}

/// Whether nothing is left in the page cache of what it was made to forget.
pub(super) fn proven_cold(left_bytes: Result<u64, CacheUnseen>) -> Result<Option<u64>, NotPossible> {
    match left_bytes {
        Ok(0) => Ok(Some(0)),
        Ok(bytes) => {
            Err(NotPossible::Disturbed(format!("the page cache keeps {bytes} bytes of the test files")))
        }
        Err(unseen) => Err(NotPossible::Broken(format!(
            "whether the test files have left the page cache cannot be observed here: {unseen}"
        ))),
    }
}

pub(crate) fn not_warm() -> NotPossible {
    NotPossible::Disturbed(
        "the page cache does not keep the test files; something else uses the memory".into(),
    )
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
                let cache = CacheState::Unknown;
                let mut probe =
                    ReadProbe { depth, cache, ..ReadProbe::warm(&file, engine, threads, 64 << 10) };
                probe.prepare().expect("it is there");
                let work = probe.run(2, &mut Stopwatch::start()).expect("it can be read");
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
                let work = probe.run(1, &mut Stopwatch::start()).expect("it can be read");
                assert_eq!((work.bytes, work.device_bytes), (8 << 20, 8 << 20));
            }
            // In memory, or where the cache is not seen.
            Err(reason) => assert!(reason.to_string().contains("page cache"), "{reason}"),
        }
    }
}
