//! The check-up: how fast this machine reads, writes and digests, and what limits it, in a minute and without rights.

use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_io::{EngineKind, memory_budget, try_directory};

pub use crate::ceilings::{ALGORITHMS, READ_BLOCK_BYTES};
use crate::cell::{CacheState, Cell, Stage, Unit};
use crate::conclusions;
use crate::error::StudyError;
use crate::machine::{Machine, Place};
use crate::probes::{
    Absent, DigestProbe, Form, Memory, MemoryProbe, MessageProbe, PipelineProbe, ReadProbe, WriteProbe,
};
use crate::run::Run;
use crate::sampler::{Observer, Probe, sample};
use crate::scratch::{Allowance, LargeFile, SmallFiles};
use crate::study::{Brief, Underway};
use crate::warning::Warning;

/// Name of the study in run files.
pub const STUDY: &str = "check-up";

/// Bytes of a piece for digest ceilings: what `openssl speed` uses for its largest, and what the nearest cache holds.
pub const DIGEST_BLOCK_BYTES: usize = 16 << 10;

/// The block sizes of the curve.
pub const CURVE_BLOCK_BYTES: [usize; 7] =
    [4 << 10, 16 << 10, 64 << 10, 256 << 10, READ_BLOCK_BYTES, 1 << 20, 4 << 20];

/// The same where there is little time.
pub const QUICK_CURVE_BLOCK_BYTES: [usize; 4] = [4 << 10, 64 << 10, READ_BLOCK_BYTES, 4 << 20];

/// Requests in flight for the cold ceiling.
pub const COLD_DEPTH: usize = 8;

/// Bytes of each of many files: as many as those of people who wonder why one large file is slower.
pub const MANY_FILE_BYTES: u64 = 1 << 20;

/// Fewer of them would leave lanes empty, and say nothing of a tree.
const LEAST_MANY: u64 = 96;

/// As many for each core, at least.
const FILES_PER_CORE: u64 = 48;

/// All of them take one in this many bytes of what is allowed.
const MANY_SHARE: u64 = 4;

/// Block of a small request, for what a request costs.
const HARNESS_BLOCK_BYTES: usize = 64 << 10;

/// Bytes of a write.
const WRITE_BLOCK_BYTES: usize = 1 << 20;

/// The check-up, with its parameters.
#[derive(Clone, Debug)]
pub struct CheckUp(pub Brief);

/// How large the test files are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    large_bytes: u64,
    write_bytes: u64,
    small_files: u64,
    /// How many files of [`MANY_FILE_BYTES`].
    many_files: u64,
    memory_bytes: u64,
}

impl Sizes {
    /// How many files of [`MANY_FILE_BYTES`] to make beside the large file. On a slow disk there are as many fewer of them as that
    /// is smaller, and enough to fill lanes; where there is no room for that many, none.
    fn many(&self, large_bytes: u64, allowance: &Allowance) -> Result<u64, StudyError> {
        if self.many_files < LEAST_MANY {
            let least_bytes = LEAST_MANY * MANY_FILE_BYTES * MANY_SHARE;
            return Err(too_little(allowance, least_bytes, " for many files"));
        }
        Ok((self.many_files * large_bytes).div_ceil(self.large_bytes).max(LEAST_MANY))
    }
}

impl CheckUp {
    /// Measures. Test files are gone afterwards.
    pub fn run(&self, observer: &mut dyn Observer) -> Run {
        let brief = &self.0;
        let mut study = Underway::begin(STUDY, brief, true);
        let files = study.place().and_then(|place| self.make_files(&place, &mut study));
        let cores = study.machine().processor.cores;
        let sizes = self.sizes(u64::MAX, cores);
        let memory_bytes = self.memory_bytes(study.machine(), sizes.memory_bytes);
        let cache_bytes = study.machine().processor.farthest_cache_bytes();
        if memory_bytes < 2 * cache_bytes {
            study.warn(Warning::MemoryInCache { bytes: memory_bytes, cache_bytes });
        }
        let memory = Memory::new((memory_bytes / cores as u64) as usize, cores);
        let mut probes = self.probes(&memory, cores, &files);
        let (cells, ending) = sample(&mut probes, &brief.plan(), observer);
        drop(probes);
        let mut run = study.finish(cells, ending);
        run.warnings.extend(conclusions::doubts(&conclusions::pipelines(&run)));
        run
    }

    /// What is wanted, cut to what is allowed.
    fn sizes(&self, allowed_bytes: u64, cores: usize) -> Sizes {
        let (large, write, small, many) = match self.0.quick {
            true => (128 << 20, 32 << 20, 1_000, LEAST_MANY),
            false => (512 << 20, 128 << 20, 5_000, 4 * LEAST_MANY),
        };
        let many = many.max(FILES_PER_CORE * cores as u64);
        // A small file takes some 16 KiB on average, and at least a block.
        const SMALL_FILE_BYTES: u64 = 20 << 10;
        let block = READ_BLOCK_BYTES as u64;
        Sizes {
            large_bytes: large.min(allowed_bytes / 8 * 3) / block * block,
            write_bytes: write.min(allowed_bytes / 4) / WRITE_BLOCK_BYTES as u64 * WRITE_BLOCK_BYTES as u64,
            small_files: small.min(allowed_bytes / 8 / SMALL_FILE_BYTES),
            many_files: many.min(allowed_bytes / MANY_SHARE / MANY_FILE_BYTES),
            memory_bytes: if self.0.quick { 64 << 20 } else { 256 << 20 },
        }
    }

    /// Memory for reading: four times the farthest caches, and at most a sixteenth of what is free and half of what the limits
    /// of the process leave; copies take half as much again.
    fn memory_bytes(&self, machine: &Machine, wanted: u64) -> u64 {
        let wanted = wanted.max(4 * machine.processor.farthest_cache_bytes());
        let left = memory_budget().map_or(u64::MAX, |bytes| bytes as u64 / 2);
        wanted.min(machine.free_memory_bytes() / 16).min(left).max(1 << 20)
    }

    fn make_files(&self, place: &Place, study: &mut Underway<'_>) -> Result<Files, StudyError> {
        let directory = &self.0.directory;
        let failed = StudyError::at(directory);
        // Where nothing can be written, that is the reason and not the room.
        try_directory(directory).map_err(&failed)?;
        let allowance = Allowance::at(place, study.machine());
        let cores = study.machine().processor.cores;
        let (wanted, sizes) = (self.sizes(u64::MAX, cores), self.sizes(allowance.bytes, cores));
        if sizes.large_bytes == 0 || sizes.write_bytes == 0 || sizes.small_files == 0 {
            return Err(too_little(&allowance, 4 << 20, ""));
        }
        if sizes != wanted {
            let reason = format!("which is {}", allowance.reason);
            study.warn(Warning::SmallFiles { bytes: allowance.bytes, reason });
        }
        // A round reads it cold three times and writes a quarter of it: on a slow disk there should be a few rounds.
        let time = self.0.budget / 32;
        let large = LargeFile::create(directory, sizes.large_bytes, time, self.0.seed).map_err(&failed)?;
        if large.bytes() < sizes.large_bytes {
            let reason = "to leave time for several rounds on this disk".to_owned();
            study.warn(Warning::SmallFiles { bytes: large.bytes(), reason });
        }
        let many = sizes.many(large.bytes(), &allowance).and_then(|many_files| {
            let many = SmallFiles::of_one_size(directory, many_files, MANY_FILE_BYTES, self.0.seed);
            many.map(Arc::new).map_err(not_made(many_files, "files"))
        });
        let share = (large.bytes() / 4).max(WRITE_BLOCK_BYTES as u64) / WRITE_BLOCK_BYTES as u64;
        // Many files may be too many where one is not: a file system can run out of inodes.
        let small = SmallFiles::create(directory, sizes.small_files, self.0.seed);
        let small = small.map(Arc::new).map_err(not_made(sizes.small_files, "small files"));
        Ok(Files {
            large: Arc::new(large),
            small,
            many,
            write_bytes: sizes.write_bytes.min(share * WRITE_BLOCK_BYTES as u64),
            never_cold: (place.medium == "memory")
                .then(|| format!("not possible here: {} keeps its files in memory", place.file_system)),
        })
    }

    fn probes(
        &self,
        memory: &Memory,
        cores: usize,
        files: &Result<Files, StudyError>,
    ) -> Vec<Box<dyn Probe>> {
        let counts: &[usize] = if cores > 1 { &[1, cores] } else { &[1] };
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        for &threads in counts {
            probes.push(Box::new(MemoryProbe::read(memory, threads)));
            probes.push(Box::new(MemoryProbe::copy(memory, threads)));
            probes.push(Box::new(MemoryProbe::xor(memory, threads, Algorithm::XOR32)));
        }
        for algorithm in ALGORITHMS.into_iter().filter_map(Algorithm::named) {
            for &threads in counts {
                probes.push(Box::new(
                    DigestProbe::new(algorithm, threads, DIGEST_BLOCK_BYTES).by(&self.0.backend),
                ));
                // What `sum` does with many files. An algorithm without lanes here does one after the other. Where there is
                // little time, on all cores is what counts.
                if self.0.quick && threads != cores {
                    continue;
                }
                let side_by_side = Form::SideBySide;
                let many =
                    MessageProbe::new(algorithm, &self.0.backend, side_by_side, threads, DIGEST_BLOCK_BYTES);
                probes.extend(many.map(|probe| Box::new(probe) as Box<dyn Probe>));
            }
        }
        match files {
            Ok(files) => probes.extend(self.file_probes(files, counts)),
            Err(reason) => probes.extend(absent_probes(cores, &reason.to_string())),
        }
        probes
    }

    fn file_probes(&self, files: &Files, counts: &[usize]) -> Vec<Box<dyn Probe>> {
        let Files { large, small, many, write_bytes, never_cold } = files;
        let cores = counts[counts.len() - 1];
        let buffered = EngineKind::Buffered;
        let cold: [Box<dyn Probe>; 3] = [
            Box::new(ReadProbe::cold(large, buffered, COLD_DEPTH, READ_BLOCK_BYTES)),
            Box::new(ReadProbe::cold(large, EngineKind::Direct, COLD_DEPTH, READ_BLOCK_BYTES)),
            Box::new(PipelineProbe::cold(large, Algorithm::SHA256, cores).by(&self.0.backend)),
        ];
        let mut probes: Vec<Box<dyn Probe>> = vec![
            Box::new(ReadProbe::harness(large, HARNESS_BLOCK_BYTES)),
            Box::new(WriteProbe::new(self.0.directory.clone(), *write_bytes, WRITE_BLOCK_BYTES)),
            match small {
                Ok(small) => {
                    let probe = PipelineProbe::small(small, Algorithm::SHA256, cores, large.when_read());
                    Box::new(probe.by(&self.0.backend))
                }
                Err(reason) => {
                    let cell = digested(Stage::SmallFiles, large.when_read(), cores);
                    Box::new(Absent::new(cell, Unit::FilesPerSecond, &reason.to_string()))
                }
            },
        ];
        match never_cold {
            None => probes.extend(cold),
            Some(reason) => probes.extend(
                cold.map(|probe| Box::new(Absent::new(probe.cell(), probe.unit(), reason)) as Box<dyn Probe>),
            ),
        }
        let curve = if self.0.quick { QUICK_CURVE_BLOCK_BYTES.as_slice() } else { &CURVE_BLOCK_BYTES };
        for &block_bytes in curve {
            probes.push(Box::new(ReadProbe::warm(large, buffered, 1, block_bytes)));
        }
        if cores > 1 {
            probes.push(Box::new(ReadProbe::warm(large, buffered, cores, READ_BLOCK_BYTES)));
        }
        for algorithm in [Algorithm::SHA256, Algorithm::BLAKE3] {
            for &workers in counts {
                probes.push(Box::new(PipelineProbe::warm(large, algorithm, workers).by(&self.0.backend)));
            }
        }
        for &workers in counts.iter().filter(|&&workers| !self.0.quick || workers == cores) {
            probes.push(match many {
                Ok(many) => {
                    let probe = PipelineProbe::small(many, Algorithm::SHA256, workers, large.when_read());
                    Box::new(probe.by(&self.0.backend))
                }
                Err(reason) => Box::new(Absent::new(
                    many_files(large.when_read(), workers),
                    Unit::BytesPerSecond,
                    &reason.to_string(),
                )),
            });
        }
        probes
    }
}

fn too_little(allowance: &Allowance, least_bytes: u64, purpose: &'static str) -> StudyError {
    StudyError::LeastRoom { allowance: allowance.clone(), least_bytes, purpose }
}

/// For what the system says of `count` files.
fn not_made(count: u64, what: &'static str) -> impl Fn(std::io::Error) -> StudyError {
    move |error| StudyError::Files { count, what, source: Arc::new(error) }
}

/// The test files.
#[derive(Debug)]
struct Files {
    large: Arc<LargeFile>,
    small: Result<Arc<SmallFiles>, StudyError>,
    many: Result<Arc<SmallFiles>, StudyError>,
    write_bytes: u64,
    /// Why no cold figure is possible.
    never_cold: Option<String>,
}

/// The cells that need files, where there are none.
fn absent_probes(cores: usize, reason: &str) -> Vec<Box<dyn Probe>> {
    let read = |cache, threads| Cell {
        engine: Some(EngineKind::Buffered.name().to_owned()),
        cache: Some(cache),
        threads,
        ..Cell::new(Stage::Read)
    };
    let cells = [
        read(CacheState::Warm, 1),
        read(CacheState::Cold, 1),
        Cell::new(Stage::Write),
        digested(Stage::Pipeline, CacheState::Warm, cores),
        digested(Stage::Pipeline, CacheState::Cold, cores),
        many_files(CacheState::Warm, cores),
        digested(Stage::SmallFiles, CacheState::Warm, cores),
    ];
    cells
        .into_iter()
        .map(|cell| {
            let unit =
                if cell.stage == Stage::SmallFiles { Unit::FilesPerSecond } else { Unit::BytesPerSecond };
            Box::new(Absent::new(cell, unit, reason)) as Box<dyn Probe>
        })
        .collect()
}

fn digested(stage: Stage, cache: CacheState, threads: usize) -> Cell {
    Cell { algorithm: Some("sha256".to_owned()), cache: Some(cache), threads, ..Cell::new(stage) }
}

/// The cell of many files, where there are none.
fn many_files(cache: CacheState, threads: usize) -> Cell {
    let one = digested(Stage::Pipeline, cache, threads);
    Cell { block_bytes: Some(MANY_FILE_BYTES), messages: Some(1), ..one }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hashlane_digest::{Backend, BackendChoice, Calibrations, calibrate};

    use super::*;
    use crate::testing::{Silent, brief};

    fn by(backend: BackendChoice, directory: &Path) -> CheckUp {
        CheckUp(Brief { backend, ..brief(directory) })
    }

    #[test]
    fn a_check_up_measures_every_stage_and_leaves_nothing_behind() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let run = CheckUp(brief(directory.path())).run(&mut Silent);
        let left: Vec<_> = std::fs::read_dir(directory.path()).expect("list").collect();
        assert!(left.is_empty(), "{left:?}");
        for stage in [
            Stage::Digest,
            Stage::Harness,
            Stage::MemoryCopy,
            Stage::MemoryRead,
            Stage::Pipeline,
            Stage::Read,
            Stage::SmallFiles,
            Stage::Write,
        ] {
            let result = run.find(|cell| cell.stage == stage && cell.cache != Some(CacheState::Cold));
            let result = result.expect("it is always a cell");
            assert!(result.figure.is_some(), "{stage:?}: {:?}", result.not_measured);
        }
        let cold = run.find(|cell| cell.stage == Stage::Read && cell.cache == Some(CacheState::Cold));
        let cold = cold.expect("it is always a cell");
        assert!(cold.figure.is_some() != cold.not_measured.is_some());
        assert_eq!(Run::parse(run.to_json().as_bytes(), "x".as_ref()).expect("as it was written"), run);
        // Many files, and what many messages come to on as many cores: what `sum` of a tree will do.
        let many = run.find(Cell::is_of_many_files).expect("it is always a cell");
        if let Some(reason) = &many.not_measured {
            assert!(reason.starts_with("too little space: "), "{reason}");
            println!("SKIPPED: many files: {reason}");
            return;
        }
        assert!(many.figure.is_some());
        let sha256 = Algorithm::SHA256;
        let has_lanes = MessageProbe::width(sha256, &BackendChoice::Auto).is_some();
        let cores = run.machine.processor.cores;
        let one = conclusions::digest_ceiling(&run, "sha256", cores).expect("it is measured");
        let side_by_side = conclusions::side_by_side_ceiling(&run, "sha256", cores);
        assert_eq!(side_by_side.is_some(), has_lanes);
        let known = conclusions::pipelines(&run);
        let of_many = known.iter().find(|of| of.cell.is_of_many_files() && of.cell.threads == cores);
        let of_many = of_many.expect("its ceilings are known");
        assert_eq!(of_many.digest_ceiling, side_by_side.unwrap_or(one));
        assert_eq!(of_many.digesting_cores, cores);
    }

    #[test]
    fn a_handful_of_files_is_not_called_many() {
        for quick in [true, false] {
            let check_up = CheckUp(Brief { quick, ..brief("/".as_ref()) });
            let many = |allowed_bytes: u64, share: u64| {
                let sizes = check_up.sizes(allowed_bytes, 2);
                let allowance = Allowance { bytes: allowed_bytes, reason: "a tenth of the free space" };
                sizes.many(sizes.large_bytes / share, &allowance)
            };
            // Room for fewer than fill lanes: none, and why.
            for mib in [4, 383] {
                assert_eq!(
                    many(mib << 20, 1).expect_err("too little room").to_string(),
                    format!(
                        "too little space: a tenth of the free space is {mib}.0 MiB, and at least 384 MiB are needed for many files"
                    )
                );
            }
            // For that many, also beside a large file that a slow disk has made small.
            assert!(
                [1, 16]
                    .into_iter()
                    .all(|slower| many(384 << 20, slower).is_ok_and(|files| files == LEAST_MANY))
            );
            assert!(many(1 << 40, 1).is_ok_and(|files| files >= LEAST_MANY));
        }
    }

    #[test]
    fn the_run_says_what_decided_which_backend_served() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let serving = |run: &Run, stage: &Stage| -> Vec<String> {
            let cells = run.cells.iter().filter(|result| result.cell.stage == *stage);
            let cells = cells.filter(|result| result.cell.algorithm.as_deref() == Some("sha256"));
            let cells = cells.filter(|result| result.cell.messages.is_none());
            cells.map(|result| result.cell.backend.clone().expect("each says it")).collect()
        };
        let stages = [Stage::Digest, Stage::Pipeline, Stage::SmallFiles];

        let run = by(BackendChoice::Only(Backend::Portable), directory.path()).run(&mut Silent);
        assert_eq!((run.backend.forced.as_deref(), run.backend.calibrated.len()), (Some("portable"), 0));
        assert_eq!(run.machine.backends["sha256"], "portable");
        for stage in &stages {
            assert!(serving(&run, stage).iter().all(|backend| backend == "portable"), "{stage:?}");
        }

        let sha256 = Algorithm::SHA256;
        let calibrations: Calibrations =
            [(sha256, calibrate(sha256).expect("there is a choice"))].into_iter().collect();
        let choice = BackendChoice::Calibrated(Arc::new(calibrations));
        let run = by(choice.clone(), directory.path()).run(&mut Silent);
        assert_eq!(
            (run.backend.forced.as_deref(), run.backend.calibrated.as_slice()),
            (None, &["sha256".to_owned()][..])
        );
        for (stage, messages) in stages.iter().zip([1, 1, hashlane_engine::SLOTS_PER_WORKER]) {
            let expected = sha256.backend_for(messages, &choice);
            let found = serving(&run, stage);
            assert!(
                !found.is_empty() && found.iter().all(|backend| backend == expected),
                "{stage:?} {found:?}"
            );
        }
    }

    #[test]
    fn without_a_directory_to_write_to_the_rest_is_measured() {
        let run = CheckUp(brief("/proc/nowhere".as_ref())).run(&mut Silent);
        assert_eq!(run.place, None);
        let write = run.find(|cell| cell.stage == Stage::Write).expect("it is always a cell");
        assert!(write.not_measured.as_deref().is_some_and(|reason| reason.starts_with("/proc/nowhere: ")));
        let digest = run.find(|cell| cell.stage == Stage::Digest).expect("it is always a cell");
        assert!(digest.figure.is_some());
    }
}
