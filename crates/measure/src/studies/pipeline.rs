//! `bench pipeline`: reading and digesting, alone and together, by block size and by who reads.
//!
//! The study that the author of ACE made, in its place and beside it: see [`PUBLISHED`].

mod files;
mod ways;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_engine::LargeFiles;
use hashlane_io::{EngineKind, try_directory};
use hashlane_profile::Gain;

use self::files::FileSet;
pub use self::ways::Model;
use self::ways::{DigestOnly, Expected, WayProbe};
use crate::cell::{CacheState, Cell, Stage};
use crate::conclusions::ABOVE_CEILING;
use crate::error::StudyError;
use crate::run::Run;
use crate::sample::CellResult;
use crate::sampler::{Ending, Observer, Plan, Probe, sample};
use crate::scratch::Allowance;
use crate::statistics::{Estimate, median, ratio_of_medians};
use crate::study::{Brief, Underway, Values};
use crate::warning::Warning;

/// Name of the study in run files.
pub const STUDY: &str = "pipeline";

/// Bytes of the blocks unless others are named. 10,000 is not a multiple of anything that a disk or a page has.
pub const BLOCKS: Values<usize> = Values {
    usual: &[4_096, 8_192, 10_000, 1 << 20],
    quick: &[8_192, 1 << 20],
    published: &[4_096, 8_192, 10_000, 1 << 20],
};

/// The files that are made: how many, and of how many bytes.
pub const FILES: Values<(u64, u64)> = Values {
    usual: &[(8, 8_000_000)],
    quick: &[(2, 3_000_000)],
    published: &[(PUBLISHED.files, PUBLISHED.file_bytes)],
};

/// What was measured for ACE: 16 GB. No cache of its time held much of that.
pub const PUBLISHED: Published =
    Published { algorithm: "sha256", files: 600, file_bytes: 27_000_000, buffers: 5 };

/// The parameters of the original; its blocks are [`BLOCKS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// How many files.
    pub files: u64,
    /// Bytes of each.
    pub file_bytes: u64,
    /// Buffers between the two threads.
    pub buffers: usize,
}

/// The study, with its parameters.
#[derive(Clone, Debug)]
pub struct Pipelines {
    /// What every study gets.
    pub brief: Brief,
    /// Which files.
    pub source: Source,
    /// What is computed.
    pub algorithms: Vec<Algorithm>,
    /// Bytes of the blocks.
    pub blocks: Vec<usize>,
    /// Who reads.
    pub models: Vec<Model>,
    /// Buffers between reading and digesting.
    pub buffers: usize,
    /// Whether files are read that the page cache holds, and that it does not.
    pub states: States,
}

/// Files to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Made for it.
    Made {
        /// How many.
        count: u64,
        /// Bytes of each.
        bytes: u64,
        /// Whether there must be that many, or no more than a guest may take.
        exactly: bool,
    },
    /// Those below a directory, as many as have no more bytes together.
    There {
        /// The directory.
        directory: PathBuf,
        /// The bound.
        most_bytes: u64,
    },
}

/// States of the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum States {
    /// Both.
    Both,
    /// What it holds.
    Warm,
    /// What it does not hold.
    Cold,
}

impl Model {
    /// All of them, the simplest first.
    pub const ALL: [Self; 6] = [
        Self::Serial,
        Self::Pipelined,
        Self::Engine(EngineKind::Buffered),
        Self::Engine(EngineKind::Mapped),
        Self::Engine(EngineKind::Direct),
        Self::Engine(EngineKind::Uring),
    ];

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.name() == name)
    }

    /// Whether it can have read a file that the page cache holds: what goes past the cache has not.
    fn fits(self, cache: CacheState) -> bool {
        cache == CacheState::Cold || self != Self::Engine(EngineKind::Direct)
    }
}

impl Pipelines {
    /// Bytes of memory that its blocks take at most.
    pub fn memory_bytes(&self) -> u64 {
        let block = self.blocks.iter().copied().max().unwrap_or(0) as u64;
        let is_serial = self.models.iter().all(|model| *model == Model::Serial);
        block.saturating_mul(if is_serial { 1 } else { self.buffers as u64 })
    }

    /// Measures. Files that were made are gone afterwards.
    ///
    /// # Errors
    /// Why there are no files to measure with.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Run, StudyError> {
        let mut study = Underway::begin(STUDY, &self.brief, true);
        let allowance = Allowance::at(&study.place()?, study.machine());
        let Some(files) = self.files(&allowance, &mut study, observer)? else {
            return Ok(study.finish(Vec::new(), Ending::Interrupted));
        };
        let files = Arc::new(files);
        let mut probes = self.probes(&files);
        let (cells, ending) = sample(&mut probes, &self.plan(), observer);
        drop(probes);
        let mut run = study.finish(cells, ending);
        run.warnings.extend(above_ceiling(&run));
        Ok(run)
    }

    fn plan(&self) -> Plan {
        let plan = self.brief.plan();
        Plan { most_rounds: if self.brief.quick { 10 } else { 50 }, sample: plan.sample / 2, ..plan }
    }

    /// The files; none if somebody stopped it before they were made.
    fn files(
        &self,
        allowance: &Allowance,
        study: &mut Underway<'_>,
        observer: &dyn Observer,
    ) -> Result<Option<FileSet>, StudyError> {
        let made_in = &self.brief.directory;
        match &self.source {
            Source::There { directory, most_bytes } => {
                let files = FileSet::of(directory, *most_bytes).map_err(StudyError::at(directory))?;
                if files.files.is_empty() {
                    let (directory, most_bytes) = (directory.clone(), *most_bytes);
                    return Err(StudyError::NoFiles { directory, most_bytes });
                }
                if files.left_out > 0 {
                    study.warn(Warning::FilesLeftOut { files: files.left_out, read_bytes: files.bytes });
                }
                Ok(Some(files))
            }
            Source::Made { count, bytes, exactly } => {
                let fit = if *exactly { *count } else { (allowance.bytes / bytes).min(*count) };
                if fit == 0 {
                    return Err(StudyError::FileRoom {
                        directory: made_in.clone(),
                        file_bytes: *bytes,
                        allowance: allowance.clone(),
                    });
                }
                if fit < *count {
                    let reason = format!("{fit} files instead of {count}, which is {}", allowance.reason);
                    study.warn(Warning::SmallFiles { bytes: fit * bytes, reason });
                }
                try_directory(made_in).map_err(StudyError::at(made_in))?;
                let stops = || observer.stops();
                FileSet::create(made_in, fit, *bytes, self.brief.seed, &stops)
                    .map_err(StudyError::at(made_in))
            }
        }
    }

    fn probes(&self, files: &Arc<FileSet>) -> Vec<Box<dyn Probe>> {
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        for &algorithm in &self.algorithms {
            for &block in &self.blocks {
                probes.push(Box::new(DigestOnly::new(algorithm, &self.brief.backend, block)));
            }
        }
        let states = match self.states {
            States::Both => vec![files.when_read(), CacheState::Cold],
            States::Warm => vec![files.when_read()],
            States::Cold => vec![CacheState::Cold],
        };
        let work: Vec<_> = std::iter::once(None).chain(self.algorithms.iter().copied().map(Some)).collect();
        for cache in states {
            for algorithm in &work {
                let expected = Expected::default();
                for (model, block_bytes, buffers) in self.ways(cache) {
                    probes.push(Box::new(WayProbe {
                        files: Arc::clone(files),
                        cache,
                        model,
                        block_bytes,
                        buffers,
                        algorithm: *algorithm,
                        backend: self.brief.backend.clone(),
                        expected: Arc::clone(&expected),
                    }));
                }
            }
        }
        probes
    }

    /// Models, blocks and buffers; the way in which `sum` reads unless asked otherwise comes last.
    fn ways(&self, cache: CacheState) -> Vec<(Model, usize, usize)> {
        let mut ways = Vec::new();
        for &model in self.models.iter().filter(|model| model.fits(cache)) {
            ways.extend(self.blocks.iter().map(|&block| (model, block, self.buffers)));
        }
        let usual = usual();
        if !ways.contains(&usual) {
            ways.push(usual);
        }
        ways
    }
}

/// How `sum` brings large files unless a profile says otherwise.
fn usual() -> (Model, usize, usize) {
    let usual = LargeFiles::default();
    (Model::Engine(usual.engine), usual.block_bytes, usual.in_flight)
}

/// Whether a cell is about the way in which `sum` reads unless asked otherwise.
pub fn is_usual(cell: &Cell) -> bool {
    let (model, block_bytes, buffers) = usual();
    cell.model.as_deref() == Some(model.name())
        && cell.block_bytes == Some(block_bytes as u64)
        && cell.buffers == Some(buffers)
}

/// What a way of reading and digesting is held against: reading alone in the same way, and digesting alone.
#[derive(Clone, Copy, Debug)]
pub struct Stages<'a> {
    /// Reading and digesting.
    pub both: &'a CellResult,
    /// Reading alone, the same model, block and state of the cache.
    pub read: &'a CellResult,
    /// Digesting alone, by blocks of the same size, or of the nearest one that was measured.
    pub digest: &'a CellResult,
}

impl Stages<'_> {
    /// The rate of one after the other, without any overlap: 1 / (1 / read + 1 / digest).
    pub fn no_overlap(&self) -> Option<f64> {
        let (read, digest) = (self.read.figure?.median, self.digest.figure?.median);
        Some(1.0 / (1.0 / read + 1.0 / digest)).filter(|rate| rate.is_finite())
    }

    /// Of the rate of the slower stage, the share that both together reach.
    pub fn share_of_slower(&self) -> Option<f64> {
        let slower = self.read.figure?.median.min(self.digest.figure?.median);
        Some(self.both.figure?.median / slower).filter(|share| share.is_finite())
    }

    /// Whether both together were faster than the slower of them alone, by more than chance makes: that one was disturbed.
    pub fn is_above_ceiling(&self) -> bool {
        self.share_of_slower().is_some_and(|share| share > ABOVE_CEILING)
    }

    /// Where the time goes.
    pub fn spent(&self) -> Option<Spent> {
        let whole = 1.0 / self.both.figure?.median;
        let digest = (1.0 / self.digest.figure?.median).min(whole);
        let [_, wait] = waits(self.both);
        let wait = (wait.unwrap_or(0.0) * whole).min(whole - digest);
        Some(Spent { digest, wait, read: whole - digest - wait })
    }
}

/// What the thread that digests does with its time, in seconds for a byte. Together they are the time that a byte takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spent {
    /// As long as digesting alone takes, in memory.
    pub digest: f64,
    /// Waiting for a block, where that is seen.
    pub wait: f64,
    /// The rest: reading, and handing blocks over.
    pub read: f64,
}

/// The stages of every way that was measured whole.
pub fn stages<'a>(run: &'a Run, cache: CacheState, algorithm: &str) -> Vec<Stages<'a>> {
    let of = |result: &&CellResult| {
        let cell = &result.cell;
        cell.stage == Stage::Pipeline
            && cell.cache == Some(cache)
            && cell.algorithm.as_deref() == Some(algorithm)
            && result.figure.is_some()
    };
    let stages = |both: &'a CellResult| {
        let alone = Cell { stage: Stage::Read, algorithm: None, backend: None, ..both.cell.clone() };
        let read = run.find(|cell| *cell == alone).filter(|read| read.figure.is_some())?;
        Some(Stages { both, read, digest: digest_only(run, algorithm, both.cell.block_bytes?)? })
    };
    run.cells.iter().filter(of).filter_map(stages).collect()
}

/// The way of reading that is farthest above what its slower stage reached alone, if one is by more than chance makes.
fn above_ceiling(run: &Run) -> Option<Warning> {
    let algorithms = run.cells.iter().filter_map(|result| result.cell.algorithm.as_deref());
    let algorithms: BTreeSet<&str> = algorithms.collect();
    let caches = [CacheState::Warm, CacheState::Unknown, CacheState::Cold];
    let all = algorithms.iter().flat_map(|algorithm| caches.map(|cache| stages(run, cache, algorithm)));
    all.flatten()
        .filter(Stages::is_above_ceiling)
        .filter_map(|of| Some((of.both.cell.to_string(), of.share_of_slower()?)))
        .max_by(|(_, one), (_, other)| one.total_cmp(other))
        .map(|(cell, share)| Warning::AboveCeiling { cell, share })
}

/// Digesting alone, by blocks of about this size.
fn digest_only<'a>(run: &'a Run, algorithm: &str, block_bytes: u64) -> Option<&'a CellResult> {
    let of = |result: &&CellResult| {
        result.cell.stage == Stage::Digest
            && result.cell.algorithm.as_deref() == Some(algorithm)
            && result.figure.is_some()
    };
    run.cells
        .iter()
        .filter(of)
        .min_by_key(|result| result.cell.block_bytes.unwrap_or(0).abs_diff(block_bytes))
}

/// Which way is best.
#[derive(Clone, Copy, Debug)]
pub struct Best<'a> {
    /// The fastest of all.
    pub fastest: &'a CellResult,
    /// The way in which `sum` reads unless asked otherwise.
    pub usual: &'a CellResult,
    /// How many times as fast the first is.
    pub ratio: Estimate,
}

impl Best<'_> {
    /// Whether it is faster beyond doubt, and by enough to matter: the rule by which `tune` chooses.
    pub fn is_gain(&self) -> bool {
        Gain::from(&self.ratio).is_worth_it()
    }
}

/// The best way with an algorithm; none unless the usual one was measured too.
pub fn best<'a>(run: &'a Run, cache: CacheState, algorithm: &str) -> Option<Best<'a>> {
    let all = stages(run, cache, algorithm);
    let rate = |result: &CellResult| result.figure.map_or(0.0, |figure| figure.median);
    let ways = || all.iter().map(|stages| stages.both);
    let fastest = ways().max_by(|one, other| rate(one).total_cmp(&rate(other)))?;
    let usual = ways().find(|result| is_usual(&result.cell))?;
    Some(Best { fastest, usual, ratio: ratio_of_medians(&fastest.figures(), &usual.figures())? })
}

/// Shares of the time in which the two sides waited, of the samples that tell: the reader's and the digester's.
pub fn waits(result: &CellResult) -> [Option<f64>; 2] {
    let share = |of: fn(&crate::sample::Waits) -> Option<u64>| {
        let shares: Option<Vec<f64>> = result
            .samples
            .iter()
            .map(|sample| Some(of(&sample.work.waits)? as f64 / sample.elapsed.wall_ns as f64))
            .collect();
        shares.as_deref().and_then(median)
    };
    [share(|waits| waits.reader_wait_ns), share(|waits| waits.digester_wait_ns)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Silent, brief};

    fn study(directory: &std::path::Path, source: Source) -> Pipelines {
        Pipelines {
            brief: brief(directory),
            source,
            algorithms: vec![Algorithm::SHA256],
            blocks: vec![4_096, 10_000],
            models: Model::ALL.to_vec(),
            buffers: 3,
            states: States::Both,
        }
    }

    fn made(bytes: u64) -> Source {
        Source::Made { count: 2, bytes, exactly: false }
    }

    #[test]
    fn every_way_is_measured_and_nothing_is_left_behind() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let run = study(directory.path(), made(200_000)).run(&mut Silent).expect("there is room");
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
        let cache = run.find(|cell| cell.stage == Stage::Read).and_then(|result| result.cell.cache);
        let cache = cache.expect("it was read");
        let all = stages(&run, cache, "sha256");
        let names: std::collections::BTreeSet<_> =
            all.iter().filter_map(|stages| stages.both.cell.model.clone()).collect();
        for name in ["serial", "pipelined", "buffered"] {
            assert!(names.contains(name), "{names:?}");
        }
        assert!(!names.contains("direct"), "past the cache nothing is warm");
        for stages in &all {
            let (model, share) = (stages.no_overlap(), stages.share_of_slower());
            assert!(model.is_some_and(|rate| rate > 0.0) && share.is_some_and(|share| share > 0.0));
            let spent = stages.spent().expect("it was measured whole");
            let whole = stages.both.figure.map_or(0.0, |figure| 1.0 / figure.median);
            assert!(spent.digest > 0.0 && spent.wait >= 0.0 && spent.read >= 0.0, "{spent:?}");
            assert!((spent.digest + spent.wait + spent.read - whole).abs() < whole * 1e-9, "{spent:?}");
            assert_eq!(stages.both.cell.block_bytes, stages.read.cell.block_bytes);
        }
        let digests: Vec<_> = all.iter().map(|stages| &stages.both.digest).collect();
        assert!(digests.iter().all(|digest| digest.is_some() && *digest == digests[0]), "{digests:?}");
        assert!(best(&run, cache, "sha256").is_some());
        let pipelined = all.iter().find(|stages| stages.both.cell.model.as_deref() == Some("pipelined"));
        let shares = waits(pipelined.expect("it was measured").both);
        assert!(shares.iter().all(|share| share.is_some_and(|share| (0.0..=1.0).contains(&share))));
        assert_eq!(Run::parse(run.to_json().as_bytes(), "x".as_ref()).expect("as it was written"), run);
    }

    #[test]
    fn the_files_of_a_directory_are_read_and_left_alone() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(directory.path().join("file"), vec![5; 70_000]).expect("there is room");
        let there = |most_bytes| Source::There { directory: directory.path().into(), most_bytes };
        let run = study(directory.path(), there(u64::MAX)).run(&mut Silent).expect("they can be read");
        assert!(run.cells.iter().any(|result| result.cell.input_bytes == Some(70_000)));
        assert_eq!(std::fs::read(directory.path().join("file")).expect("it is there"), vec![5; 70_000]);
        let refused = study(directory.path(), there(10)).run(&mut Silent).expect_err("too small a bound");
        assert!(matches!(refused, StudyError::NoFiles { .. }), "{refused}");
    }

    #[test]
    fn files_that_there_is_no_room_for_are_not_begun() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let refused = study(directory.path(), made(1 << 60)).run(&mut Silent).expect_err("no room");
        assert!(matches!(refused, StudyError::FileRoom { .. }), "{refused}");
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
    }
}
