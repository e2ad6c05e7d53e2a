//! The ways in which blocks come from files to a digest.
//!
//! All of them digest in the calling thread, file after file and block after block, and so give the same digests. They
//! differ in who reads: the same thread in turns (*serial*), another one with a number of buffers between the two (*pipelined*),
//! or a read engine with several blocks in flight.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use hashlane_digest::{Algorithm, BackendChoice, Hasher};
use hashlane_io::{Block, Content, EngineKind, OpenFile, Sources, Uring};
use hashlane_record::system_text;

use super::files::{FileSet, Planned, fill};
use crate::cell::{CacheState, Cell, Stage};
use crate::clock::{Stopwatch, nanoseconds};
use crate::probes::{BLOCK_ENGINE, InFlight, NO_RINGS, Slot, Wanted, not_possible, start};
use crate::sample::{Waits, Work};
use crate::sampler::{NotPossible, Probe};

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The thread that digests, in turns.
    Serial,
    /// A thread of its own.
    Pipelined,
    /// A read engine.
    Engine(EngineKind),
}

impl Model {
    /// As it is called in cells: that of an engine as the engine.
    pub fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Pipelined => "pipelined",
            Self::Engine(engine) => engine.name(),
        }
    }
}

/// The digest of all files, by whoever was first.
pub(super) type Expected = Arc<OnceLock<String>>;

/// Reads files, digests memory, or does both.
#[derive(Debug)]
pub(super) struct WayProbe {
    pub(super) files: Arc<FileSet>,
    pub(super) cache: CacheState,
    pub(super) model: Model,
    pub(super) block_bytes: usize,
    /// Between the two sides; the serial model has one.
    pub(super) buffers: usize,
    /// What is computed; nothing where reading alone is measured.
    pub(super) algorithm: Option<Algorithm>,
    pub(super) backend: BackendChoice,
    pub(super) expected: Expected,
}

/// How one reading of all files went.
#[derive(Default)]
struct Course {
    waits: Waits,
    /// Where the bytes came from, where the way of reading reports it.
    sources: Option<Sources>,
}

/// What a way of reading needs, made before anything is timed.
enum Means {
    Serial(Block),
    Pipelined(Vec<Block>),
    Engine(InFlight),
}

/// What takes the blocks of all files, in their order.
struct Taker {
    hasher: Option<Hasher>,
    /// The digests of the files so far.
    digests: Vec<u8>,
}

impl Taker {
    fn take(&mut self, bytes: &[u8], ends_file: bool) {
        match &mut self.hasher {
            None => _ = std::hint::black_box(bytes),
            Some(hasher) => {
                hasher.update(bytes);
                if ends_file {
                    self.digests.extend_from_slice(hasher.finish().as_bytes());
                }
            }
        }
    }
}

fn failed(path: &std::path::Path) -> impl Fn(io::Error) -> NotPossible {
    move |error| NotPossible::Broken(format!("{}: {}", path.display(), system_text(&error)))
}

impl WayProbe {
    /// Of a block as much as is to be read at once: it has whole pages.
    fn room<'a>(&self, block: &'a mut Block) -> &'a mut [u8] {
        &mut block.room()[..self.block_bytes]
    }

    fn means(&self) -> Means {
        let block = || {
            let mut block = Block::new(self.block_bytes);
            block.room().fill(0);
            block
        };
        match self.model {
            Model::Serial => Means::Serial(block()),
            Model::Pipelined => Means::Pipelined((0..self.buffers).map(|_| block()).collect()),
            Model::Engine(engine) => Means::Engine(InFlight::new(engine, self.buffers, self.block_bytes)),
        }
    }

    fn run_once(&self, means: &mut Means) -> Result<Course, NotPossible> {
        let hasher = self.algorithm.map(|algorithm| algorithm.hasher_by(&self.backend));
        let mut taker = Taker { hasher, digests: Vec::new() };
        let course = match means {
            Means::Serial(block) => self.serial(block, &mut taker).map(|()| Course::default()),
            Means::Pipelined(blocks) => self.pipelined(blocks, &mut taker),
            Means::Engine(in_flight) => self.by_engine(in_flight, &mut taker),
        }?;
        if let Some(algorithm) = self.algorithm {
            let found = algorithm.digest(&taker.digests).to_string();
            if *self.expected.get_or_init(|| found.clone()) != found {
                return Err(NotPossible::Wrong("its digests differ from those of the first way".to_owned()));
            }
        }
        Ok(course)
    }

    fn serial(&self, block: &mut Block, taker: &mut Taker) -> Result<(), NotPossible> {
        for Planned { path, bytes } in &self.files.files {
            let mut file = File::open(path).map_err(failed(path))?;
            let mut left = *bytes;
            while left > 0 {
                let count = fill(&mut file, self.room(block), left).map_err(failed(path))?;
                block.advance(count);
                left -= count as u64;
                taker.take(block.bytes(), left == 0);
                block.clear();
            }
        }
        Ok(())
    }

    /// Two threads, and two queues between them: of buffers that are empty and of those that are filled.
    fn pipelined(&self, blocks: &mut Vec<Block>, taker: &mut Taker) -> Result<Course, NotPossible> {
        let (empty_sender, empty) = channel();
        let (filled_sender, filled) = channel();
        for block in blocks.drain(..) {
            empty_sender.send(block).expect("both ends are here");
        }
        thread::scope(|scope| {
            let reader = start(scope, move || (self.read_ahead(&empty, filled_sender), empty))?;
            let mut digester_wait = Duration::ZERO;
            while let Some((mut block, ends_file)) = receive(&filled, &mut digester_wait) {
                taker.take(block.bytes(), ends_file);
                block.clear();
                empty_sender.send(block).expect("the reader gives its end back");
            }
            let (reader_wait, empty) = reader.join().expect("a reader does not panic");
            let reader_wait = reader_wait?;
            blocks.extend(empty.try_iter());
            let waits = Waits {
                reader_wait_ns: Some(nanoseconds(reader_wait)),
                digester_wait_ns: Some(nanoseconds(digester_wait)),
            };
            Ok(Course { waits, sources: None })
        })
    }

    /// The reading side. Returns how long it waited for an empty buffer.
    fn read_ahead(
        &self,
        empty: &Receiver<Block>,
        filled: Sender<(Block, bool)>,
    ) -> Result<Duration, NotPossible> {
        let mut wait = Duration::ZERO;
        for Planned { path, bytes } in &self.files.files {
            let mut file = File::open(path).map_err(failed(path))?;
            let mut left = *bytes;
            while left > 0 {
                let Some(mut block) = receive(empty, &mut wait) else { return Ok(wait) };
                let count = fill(&mut file, self.room(&mut block), left).map_err(failed(path))?;
                block.advance(count);
                left -= count as u64;
                if filled.send((block, left == 0)).is_err() {
                    return Ok(wait);
                }
            }
        }
        Ok(wait)
    }

    /// As many blocks in flight as there are buffers; what comes too early waits for its turn. What the engine waits for is
    /// not seen here.
    fn by_engine(&self, in_flight: &mut InFlight, taker: &mut Taker) -> Result<Course, NotPossible> {
        let mut requests = Requests::of(&self.files.files, self.block_bytes);
        // What was asked for with each block: which of all it is, and whether it ends its file.
        let asked = RefCell::new(vec![(0, false); self.buffers]);
        let mut early: BTreeMap<u64, (Slot, bool)> = BTreeMap::new();
        let (mut turn, mut all) = (0, Sources::default());
        let next = |number: usize| {
            let planned = requests.next()?;
            Ok(planned.map(|planned| {
                asked.borrow_mut()[number] = (planned.turn, planned.ends_file);
                planned.wanted
            }))
        };
        let take = |slot: Slot, sources, spare: &mut Vec<Slot>| {
            all += sources;
            let (its_turn, ends_file) = asked.borrow()[slot.number];
            early.insert(its_turn, (slot, ends_file));
            while let Some((slot, ends_file)) = early.remove(&turn) {
                taker.take(slot.block.bytes(), ends_file);
                spare.push(slot);
                turn += 1;
            }
            Ok(())
        };
        let waited = in_flight.run(next, take)?;
        in_flight.check(self.cache, &all)?;
        let waits = Waits { reader_wait_ns: None, digester_wait_ns: Some(nanoseconds(waited)) };
        Ok(Course { waits, sources: Some(all) })
    }
}

/// Requests for all blocks of all files, in their order.
struct Requests<'a> {
    files: std::slice::Iter<'a, Planned>,
    block_bytes: u64,
    open: Option<(Arc<OpenFile>, u64)>,
    offset: u64,
    turn: u64,
}

struct PlannedRequest {
    turn: u64,
    wanted: Wanted,
    ends_file: bool,
}

impl<'a> Requests<'a> {
    fn of(files: &'a [Planned], block_bytes: usize) -> Self {
        Self { files: files.iter(), block_bytes: block_bytes as u64, open: None, offset: 0, turn: 0 }
    }

    fn next(&mut self) -> Result<Option<PlannedRequest>, NotPossible> {
        if self.open.is_none() {
            let Some(Planned { path, bytes }) = self.files.next() else { return Ok(None) };
            let opened =
                File::open(path).and_then(|file| OpenFile::new(file.into())).map_err(failed(path))?;
            (self.open, self.offset) = (Some((Arc::new(opened), *bytes)), 0);
        }
        let (file, bytes) = self.open.clone().expect("it was opened");
        let length = self.block_bytes.min(bytes - self.offset);
        let ends_file = self.offset + length == bytes;
        let (turn, offset) = (self.turn, self.offset);
        self.turn += 1;
        self.offset += length;
        if ends_file {
            self.open = None;
        }
        Ok(Some(PlannedRequest { turn, wanted: Wanted { file, offset, length: length as usize }, ends_file }))
    }
}

/// What comes next, and how long that took where nothing was there; none when nothing more comes.
fn receive<T>(from: &Receiver<T>, wait: &mut Duration) -> Option<T> {
    match from.try_recv() {
        Ok(there) => Some(there),
        Err(TryRecvError::Disconnected) => None,
        Err(TryRecvError::Empty) => {
            let begun = Instant::now();
            let come = from.recv().ok();
            *wait += begun.elapsed();
            come
        }
    }
}

impl Probe for WayProbe {
    fn cell(&self) -> Cell {
        let engine = match self.model {
            Model::Engine(engine) => engine.name(),
            Model::Serial | Model::Pipelined => BLOCK_ENGINE,
        };
        let stage = if self.algorithm.is_some() { Stage::Pipeline } else { Stage::Read };
        Cell {
            algorithm: self.algorithm.map(|algorithm| algorithm.name().to_owned()),
            backend: self.algorithm.map(|algorithm| algorithm.backend_for(1, &self.backend).to_owned()),
            engine: Some(engine.to_owned()),
            cache: Some(self.cache),
            threads: if self.model == Model::Pipelined { 2 } else { 1 },
            block_bytes: Some(self.block_bytes as u64),
            input_bytes: Some(self.files.bytes),
            model: Some(self.model.name().to_owned()),
            buffers: (self.model != Model::Serial).then_some(self.buffers),
            ..Cell::new(stage)
        }
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        // What is cached is read without waiting, and so without a ring: that it was read shows nothing.
        if self.model == Model::Engine(EngineKind::Uring)
            && let Some(first) = self.files.files.first()
        {
            Uring::available_at(&first.path).map_err(|error| not_possible(NO_RINGS, &error))?;
        }
        self.files.prepare(self.cache)
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let mut means = self.means();
        let mut work = Work::default();
        watch.restart();
        for _ in 0..repeats {
            let course = self.run_once(&mut means)?;
            // What does not tell by itself: nothing was cached of cold files, and all of warm ones, before and after.
            let bytes = self.files.bytes;
            let (device_bytes, unknown_bytes) = match (course.sources, self.cache) {
                (Some(sources), _) => (sources.device_bytes, sources.unknown_bytes),
                (None, CacheState::Cold) => (bytes, 0),
                (None, CacheState::Warm) => (0, 0),
                (None, CacheState::Unknown) => (0, bytes),
            };
            work.bytes += bytes;
            work.operations += self.files.files.len() as u64;
            work.device_bytes += device_bytes;
            work.unknown_bytes += unknown_bytes;
            work.waits += course.waits;
        }
        Ok(work)
    }

    fn confirm(&mut self, from_cache: bool) -> Result<(), NotPossible> {
        self.files.confirm(self.cache, from_cache)
    }

    fn repeats(&self) -> bool {
        self.cache != CacheState::Cold
    }

    fn digest(&self) -> Option<String> {
        self.algorithm.and(self.expected.get().cloned())
    }
}

/// Digests memory by blocks: what the digest alone does.
#[derive(Debug)]
pub(super) struct DigestOnly {
    pub(super) algorithm: Algorithm,
    pub(super) backend: BackendChoice,
    pub(super) block: Vec<u8>,
}

impl DigestOnly {
    pub(super) fn new(algorithm: Algorithm, backend: &BackendChoice, block_bytes: usize) -> Self {
        let mut block = vec![0; block_bytes];
        Content::seeded(3).fill(0, &mut block);
        Self { algorithm, backend: backend.clone(), block }
    }
}

impl Probe for DigestOnly {
    fn cell(&self) -> Cell {
        Cell {
            algorithm: Some(self.algorithm.name().to_owned()),
            backend: Some(self.algorithm.backend_for(1, &self.backend).to_owned()),
            block_bytes: Some(self.block.len() as u64),
            ..Cell::new(Stage::Digest)
        }
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let mut hasher = self.algorithm.hasher_by(&self.backend);
        watch.restart();
        for _ in 0..repeats {
            hasher.update(std::hint::black_box(&self.block));
        }
        std::hint::black_box(hasher.finish());
        Ok(Work { bytes: repeats * self.block.len() as u64, operations: repeats, ..Work::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_takes_every_byte_in_order() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let files = FileSet::create(directory.path(), 3, 100_001, 1, &|| false).expect("there is room");
        let files = Arc::new(files.expect("nobody stops it"));
        let sha256 = Algorithm::SHA256;
        let mut digests = Vec::new();
        for file in &files.files {
            let content = std::fs::read(&file.path).expect("it is there");
            digests.extend_from_slice(sha256.digest(&content).as_bytes());
        }
        let wanted = sha256.digest(&digests).to_string();
        let engines = EngineKind::all().iter().filter(|kind| **kind != EngineKind::Null);
        let models = engines.map(|kind| Model::Engine(*kind)).chain([Model::Serial, Model::Pipelined]);
        for model in models {
            for (block_bytes, buffers) in [(4_096, 1), (10_000, 5), (1 << 20, 3)] {
                let mut probe = WayProbe {
                    files: Arc::clone(&files),
                    cache: CacheState::Unknown,
                    model,
                    block_bytes,
                    buffers,
                    algorithm: Some(sha256),
                    backend: BackendChoice::Auto,
                    expected: Expected::default(),
                };
                match probe.run(2, &mut Stopwatch::start()) {
                    Ok(work) => {
                        assert_eq!((work.bytes, work.operations), (600_006, 6), "{model:?}");
                        assert_eq!(probe.digest(), Some(wanted.clone()), "{model:?}");
                        let waits = [work.waits.reader_wait_ns, work.waits.digester_wait_ns];
                        let seen = waits.map(|wait| wait.is_some());
                        assert_eq!(seen, [model == Model::Pipelined, model != Model::Serial], "{model:?}");
                    }
                    // Where a file system or a kernel has no such way, that is said.
                    Err(reason) => {
                        assert!(reason.to_string().contains("refuses the engine"), "{model:?}: {reason}")
                    }
                }
            }
        }
    }

    #[test]
    fn as_much_is_read_at_once_as_is_said() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let files = FileSet::create(directory.path(), 1, 1, 1, &|| false).expect("there is room");
        let probe = WayProbe {
            files: Arc::new(files.expect("nobody stops it")),
            cache: CacheState::Unknown,
            model: Model::Serial,
            block_bytes: 10_000,
            buffers: 1,
            algorithm: None,
            backend: BackendChoice::Auto,
            expected: Expected::default(),
        };
        let Means::Serial(mut block) = probe.means() else { panic!("it is serial") };
        assert!(block.capacity() > 10_000);
        assert_eq!(probe.room(&mut block).len(), 10_000);
    }

    #[test]
    fn a_file_that_became_shorter_ends_both_sides() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(directory.path().join("file"), vec![1; 100_000]).expect("there is room");
        let files = Arc::new(FileSet::of(directory.path(), u64::MAX).expect("it can be read"));
        std::fs::write(directory.path().join("file"), vec![1; 50_000]).expect("there is room");
        for model in [Model::Serial, Model::Pipelined, Model::Engine(EngineKind::Buffered)] {
            let mut probe = WayProbe {
                files: Arc::clone(&files),
                cache: CacheState::Unknown,
                model,
                block_bytes: 4_096,
                buffers: 2,
                algorithm: None,
                backend: BackendChoice::Auto,
                expected: Expected::default(),
            };
            assert!(probe.run(1, &mut Stopwatch::start()).is_err(), "{model:?}");
        }
    }

    #[test]
    fn another_digest_is_no_figure() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let expected = Expected::default();
        let run = |seed| {
            let files = FileSet::create(directory.path(), 1, 5_000, seed, &|| false).expect("there is room");
            let files = Arc::new(files.expect("nobody stops it"));
            let mut probe = WayProbe {
                files,
                cache: CacheState::Unknown,
                model: Model::Serial,
                block_bytes: 4_096,
                buffers: 1,
                algorithm: Some(Algorithm::MD5),
                backend: BackendChoice::Auto,
                expected: Arc::clone(&expected),
            };
            probe.run(1, &mut Stopwatch::start())
        };
        assert!(run(1).is_ok());
        assert!(
            run(2).expect_err("another content").to_string().contains("differ from those of the first way")
        );
    }
}
