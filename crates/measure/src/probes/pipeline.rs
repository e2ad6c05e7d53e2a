//! The pipeline: files read and digested by the engine that `sum` uses, records thrown away.

use std::path::Path;
use std::sync::Arc;

use hashlane_digest::{Algorithm, BackendChoice, Digest, LaneSet};
use hashlane_engine::{
    Control, Error, Halt, Input, LargeFiles, Options, Profile, SLOTS_PER_WORKER, Sink, Taken,
};
use hashlane_record::{ItemPath, Record};

use super::not_possible;
use super::read::{not_warm, prepare, proven_cold};
use crate::cell::{CacheState, Cell, Stage, Unit};
use crate::clock::Stopwatch;
use crate::drop_caches::DropCaches;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};
use crate::scratch::{LargeFile, SmallFiles};

/// Runs the engine over one large file or over many small ones.
#[derive(Debug)]
pub struct PipelineProbe {
    source: Source,
    /// What is computed, if anything is.
    algorithm: Option<Algorithm>,
    backend: BackendChoice,
    profile: Profile,
    /// What the cell says about the profile.
    shown: Shown,
    /// Whether the machine is made to forget names and inodes as well before a cold sample.
    drops_inodes: bool,
    workers: usize,
    /// The digest of the last file, which every run must give again.
    digest: Option<Digest>,
}

#[derive(Debug)]
enum Source {
    Large(Arc<LargeFile>, CacheState),
    Small(Arc<SmallFiles>, CacheState),
}

impl PipelineProbe {
    /// One large file that the page cache holds, as far as that can be seen.
    pub fn warm(file: &Arc<LargeFile>, algorithm: Algorithm, workers: usize) -> Self {
        Self::new(Source::Large(Arc::clone(file), file.when_read()), Some(algorithm), workers)
    }

    /// One large file that the page cache does not hold.
    pub fn cold(file: &Arc<LargeFile>, algorithm: Algorithm, workers: usize) -> Self {
        Self::new(Source::Large(Arc::clone(file), CacheState::Cold), Some(algorithm), workers)
    }

    /// Many small files, or files of one size, that were read a moment ago: warm, or unknown where that cannot be seen.
    pub fn small(files: &Arc<SmallFiles>, algorithm: Algorithm, workers: usize, cache: CacheState) -> Self {
        Self::new(Source::Small(Arc::clone(files), cache), Some(algorithm), workers)
    }

    fn new(source: Source, algorithm: Option<Algorithm>, workers: usize) -> Self {
        Self {
            source,
            algorithm,
            backend: BackendChoice::Auto,
            profile: Profile::default(),
            shown: Shown::Auto,
            drops_inodes: false,
            workers,
            digest: None,
        }
    }

    /// Computed as was chosen, where there is a choice.
    pub fn by(self, backend: &BackendChoice) -> Self {
        Self { backend: backend.clone(), ..self }
    }

    /// Reads by a profile, and computes `algorithm` or nothing.
    pub(crate) fn tuned(self, profile: Profile, algorithm: Option<Algorithm>) -> Self {
        let shown = match &self.source {
            Source::Large(_, CacheState::Cold) => Shown::Large(profile.cold),
            Source::Large(..) => Shown::Large(profile.warm),
            Source::Small(..) => Shown::Small(profile.small),
        };
        Self { profile, algorithm, shown, ..self }
    }

    /// Has the whole machine forget names and inodes before each cold sample; takes the right to.
    pub(crate) fn dropping_inodes(self, drops_inodes: bool) -> Self {
        Self { drops_inodes, ..self }
    }

    fn options(&self) -> Options {
        let mut options = Options::new(self.algorithm.into_iter().collect());
        options.workers = Some(self.workers);
        options.profile = self.profile;
        options.backend = self.backend.clone();
        options
    }

    /// The size of each of many files, if all have one.
    fn file_bytes(&self) -> Option<u64> {
        match &self.source {
            Source::Large(..) => None,
            Source::Small(files, _) => files.one_size(),
        }
    }

    /// Whether what counts of many files is their bytes, and not how many they are.
    fn counts_bytes(&self) -> bool {
        self.file_bytes().is_some()
    }

    fn run_once(&mut self) -> Result<Work, NotPossible> {
        let path = match &self.source {
            Source::Large(file, _) => file.path(),
            Source::Small(files, _) => files.root(),
        };
        let mut last = Last(None);
        let control = Arc::new(Control::new());
        let inputs = [Input::Path(item(&path))].into_iter();
        let summary =
            hashlane_engine::run(self.options(), inputs, &mut last, &control).map_err(
                |error| match error {
                    Error::Sink(failure) => NotPossible::Broken(failure.to_string()),
                    error => not_possible("the engine stopped", &error),
                },
            )?;
        if summary.files == 0 {
            return Err(NotPossible::Broken("no file was read".into()));
        }
        if let Some(digest) = last.0
            && *self.digest.get_or_insert(digest) != digest
        {
            return Err(NotPossible::Wrong("the same file had two digests".into()));
        }
        Ok(Work {
            bytes: summary.digested_bytes,
            operations: summary.files,
            device_bytes: summary.origin.device_bytes,
            unknown_bytes: summary.origin.unknown_bytes,
            ..Work::default()
        })
    }
}

impl Probe for PipelineProbe {
    fn cell(&self) -> Cell {
        let (stage, cache, bytes, messages) = match &self.source {
            Source::Large(file, cache) if self.algorithm.is_none() => (Stage::Read, *cache, file.bytes(), 1),
            Source::Large(file, cache) => (Stage::Pipeline, *cache, file.bytes(), 1),
            Source::Small(files, cache) => {
                let stage = if self.counts_bytes() { Stage::Pipeline } else { Stage::SmallFiles };
                (stage, *cache, files.bytes(), SLOTS_PER_WORKER)
            }
        };
        let (engine, depth, block_bytes) = match self.shown {
            Shown::Auto => ("auto", None, None),
            Shown::Small(small) => (small.engine.name(), Some(small.in_flight), None),
            Shown::Large(large) => {
                (large.engine.name(), Some(large.in_flight), Some(large.block_bytes as u64))
            }
        };
        let backend = |algorithm: Algorithm| algorithm.backend_for(messages, &self.backend).to_owned();
        Cell {
            algorithm: self.algorithm.map(|algorithm| algorithm.name().to_owned()),
            backend: self.algorithm.map(backend),
            engine: Some(engine.to_owned()),
            cache: Some(cache),
            threads: self.workers,
            depth,
            block_bytes: block_bytes.or(self.file_bytes()),
            input_bytes: Some(bytes),
            messages: self
                .file_bytes()
                .and(self.algorithm)
                .map(|algorithm| LaneSet::by(algorithm, SLOTS_PER_WORKER, &self.backend).width()),
            ..Cell::new(stage)
        }
    }

    fn unit(&self) -> Unit {
        match self.source {
            Source::Large(..) => Unit::BytesPerSecond,
            Source::Small(..) if self.counts_bytes() => Unit::BytesPerSecond,
            Source::Small(..) => Unit::FilesPerSecond,
        }
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        match &self.source {
            Source::Large(file, cache) => prepare(file, *cache),
            Source::Small(files, CacheState::Cold) => {
                let left = files.evict();
                let left =
                    left.map_err(|error| not_possible("the page cache keeps the test files", &error))?;
                if self.drops_inodes {
                    let dropped = DropCaches::Inodes.drop_now();
                    dropped.map_err(|error| not_possible(DropCaches::FILE, &error))?;
                }
                proven_cold(left)
            }
            // There are too many to look at each; reading all of them brings back what something has taken.
            Source::Small(..) => self.run_once().map(|_| None),
        }
    }

    fn run(&mut self, repeats: u64, _: &mut Stopwatch) -> Result<Work, NotPossible> {
        let mut all = Work::default();
        for _ in 0..repeats {
            all += self.run_once()?;
        }
        if self.cell().cache == Some(CacheState::Warm) && all.device_bytes > 0 {
            return Err(not_warm());
        }
        Ok(all)
    }

    fn repeats(&self) -> bool {
        !matches!(self.source, Source::Large(_, CacheState::Cold) | Source::Small(_, CacheState::Cold))
    }
}

/// What a cell says about the way in which files are brought.
#[derive(Clone, Copy, Debug)]
enum Shown {
    Auto,
    Small(hashlane_engine::SmallFiles),
    Large(LargeFiles),
}

fn item(path: &Path) -> ItemPath {
    ItemPath::from(path.as_os_str().as_encoded_bytes())
}

/// Keeps the last digest. The first file that could not be read, or not in one state, ends the run.
struct Last(Option<Digest>);

impl Sink for Last {
    fn record(&mut self, record: Record) -> Taken {
        if let Some(problem) = record.outcome.problem() {
            return Err(Halt::Failed(problem.to_string().into()));
        }
        self.0 = record.digests.first().copied();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn files_are_read_and_digested_whatever_the_number_of_workers() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let large =
            Arc::new(LargeFile::create(directory.path(), 5 << 20, Duration::MAX, 1).expect("there is room"));
        let small = Arc::new(SmallFiles::create(directory.path(), 40, 1).expect("there is room"));
        let many = Arc::new(SmallFiles::of_one_size(directory.path(), 3, 70_000, 1).expect("there is room"));
        for name in ["sha256", "blake3"] {
            let algorithm = Algorithm::named(name).expect("registered");
            for workers in [1, 2] {
                let mut probe = PipelineProbe::warm(&large, algorithm, workers);
                probe.prepare().expect("it is there");
                let work = probe.run(2, &mut Stopwatch::start()).expect("it can be read");
                assert_eq!((work.bytes, work.operations), (10 << 20, 2));
                let content = std::fs::read(large.path()).expect("it can be read");
                assert_eq!(probe.digest, Some(algorithm.digest(&content)));
                let work = PipelineProbe::small(&small, algorithm, workers, CacheState::Warm)
                    .run(1, &mut Stopwatch::start())
                    .expect("they can be read");
                assert_eq!((work.bytes, work.operations), (small.bytes(), 40));
                let mut many = PipelineProbe::small(&many, algorithm, workers, CacheState::Warm);
                let cell = many.cell();
                assert_eq!((cell.stage, cell.block_bytes), (Stage::Pipeline, Some(70_000)));
                assert!(cell.messages.is_some_and(|messages| messages >= 1));
                let work = many.run(1, &mut Stopwatch::start()).expect("they can be read");
                assert_eq!((work.bytes, work.operations, many.unit()), (210_000, 3, Unit::BytesPerSecond));
            }
        }
    }
}
