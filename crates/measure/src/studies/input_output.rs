//! `bench io`: blocks of files by their size, one after the other and at random, cached and not, on one thread and on several;
//! system calls; writing beside `dd`.
//!
//! The study that a course on operating systems makes (NYU CS-GY 6233), in its place and beside it. What it did one at a
//! time is in [`Single`].

mod copies;
mod single;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hashlane_io::{EngineKind, try_directory};

pub use self::single::{Single, Task, WITHIN};
use crate::cell::{CacheState, Cell, Stage};
use crate::drop_caches::DropCaches;
use crate::error::StudyError;
use crate::machine::Place;
use crate::probes::{
    Absent, BLOCK_ENGINE, BlockProbe, ExpectedXor, RandomReadProbe, ReadProbe, SystemCall, SystemCallProbe,
    WriteProbe, dropping,
};
use crate::run::Run;
use crate::sample::CellResult;
use crate::sampler::{Observer, Plan, Probe, Stopper, sample};
use crate::scratch::{Allowance, LargeFile, NamedFiles};
use crate::study::{Brief, Underway};
use crate::warning::Warning;

use self::copies::{CopyProbe, UNIT, Writer};

/// Name of the study in run files.
pub const STUDY: &str = "io";

/// The same of the search for a file that takes long enough.
pub const SEARCH: &str = "io-search";

/// Bytes of a random read, unless blocks are named: a page.
pub const RANDOM_BLOCK_BYTES: usize = 4 << 10;

/// Bytes of a block where copies are compared.
pub const COPY_BLOCK_BYTES: usize = 1 << 20;

/// Reads in a sample at most: small blocks read less of the file, or they would take all the time.
const MOST_READS: u64 = 1 << 19;

/// A block that reaches this share of what the best one does is large enough.
pub const KNEE: f64 = 0.95;

/// Share of the time that copies may take.
const COPY_SHARE: f64 = 0.25;

/// Rounds for which there is to be time.
const LEAST_ROUNDS: f64 = 7.0;

/// Direct reading takes whole ones of these.
const SECTOR_BYTES: usize = 4 << 10;

/// What is measured, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Bytes of the blocks that are read.
    pub read_blocks: Vec<usize>,
    /// Bytes of the blocks that are read where each sample takes a whole reading of the device, and by several threads.
    pub few_blocks: Vec<usize>,
    /// Bytes of the blocks that are written.
    pub write_blocks: Vec<usize>,
    /// Bytes of the file that is read.
    pub file_bytes: u64,
    /// Bytes that are written in one sample.
    pub written_bytes: u64,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// Random reads in flight at once.
    pub depths: Vec<usize>,
    /// Bytes that we and `dd` write, the fewest first: as many of them as there is time for.
    pub copies: Vec<u64>,
    /// Whether what is written is bounded by the free space alone: at the user's word.
    pub fills: bool,
}

impl Scale {
    /// What takes some minutes.
    pub fn usual(cores: usize) -> Self {
        Self {
            read_blocks: vec![
                512,
                2 << 10,
                4 << 10,
                16 << 10,
                64 << 10,
                256 << 10,
                512 << 10,
                1 << 20,
                4 << 20,
                16 << 20,
            ],
            few_blocks: vec![4 << 10, 64 << 10, 1 << 20, 16 << 20],
            write_blocks: vec![512, 4 << 10, 64 << 10, 1 << 20],
            file_bytes: 256 << 20,
            written_bytes: 64 << 20,
            threads: vec![1, cores, 2 * cores],
            depths: vec![1, 4, 16, 32],
            copies: [100, 500, 1_000, 2_000, 5_000, 10_000].map(|mebibytes| mebibytes << 20).to_vec(),
            fills: false,
        }
    }

    /// The same where there is little time.
    pub fn quick(cores: usize) -> Self {
        Self {
            read_blocks: vec![512, 4 << 10, 64 << 10, 1 << 20],
            few_blocks: vec![4 << 10, 1 << 20],
            write_blocks: vec![4 << 10, 1 << 20],
            file_bytes: 32 << 20,
            written_bytes: 8 << 20,
            threads: vec![1, cores],
            depths: vec![1, 16],
            copies: vec![16 << 20],
            fills: false,
        }
    }

    /// What the report measured: its blocks, its eight threads, its sizes up to 10 GB.
    pub fn published() -> Self {
        Self {
            read_blocks: vec![512, 51_200],
            few_blocks: vec![51_200, 44_042_784],
            write_blocks: vec![50, 5_000_000],
            file_bytes: 2_818_738_176,
            written_bytes: 250_000_000,
            threads: vec![1, 8],
            depths: vec![1],
            copies: [100, 500, 1_000, 2_000, 5_000, 10_000].map(|mebibytes| mebibytes << 20).to_vec(),
            fills: true,
        }
    }

    /// Bytes that a round writes, and bytes that lie there until the end.
    pub fn written_bytes(&self) -> (u64, u64) {
        let written = self.written_bytes * self.write_blocks.len() as u64;
        (written + 2 * self.copies.iter().sum::<u64>(), self.file_bytes)
    }

    /// Bytes that a round reads from the device, one block after the other.
    pub fn cold_bytes(&self) -> u64 {
        let of_block = |&block: &usize| {
            let ways = if block.is_multiple_of(SECTOR_BYTES) { 2 } else { 1 };
            ways * self.file_bytes.min(MOST_READS * block as u64)
        };
        self.few_blocks.iter().map(of_block).sum()
    }
}

/// The study, with its parameters.
#[derive(Clone, Debug)]
pub struct InputOutput {
    /// What every study gets.
    pub brief: Brief,
    /// A file that is there, to be read in place of one that is made. Then nothing is written.
    pub file: Option<PathBuf>,
    /// What is measured.
    pub scale: Scale,
    /// What the whole machine forgets before each cold sample, besides the file.
    pub drops: Option<DropCaches>,
}

/// What lies there while it is measured.
struct Inputs {
    file: Arc<LargeFile>,
    named: Option<Arc<NamedFiles>>,
    /// What is opened and closed.
    name: PathBuf,
}

impl InputOutput {
    /// Measures. What was made is gone afterwards.
    ///
    /// # Errors
    /// Why there is no file to measure with.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Run, StudyError> {
        let mut study = Underway::begin(STUDY, &self.brief, true);
        let place = study.place()?;
        let allowance = Allowance::at(&place, study.machine());
        let begun = Instant::now();
        let inputs = self.inputs(&allowance, &mut study)?;
        let rate = inputs.file.bytes() as f64 / begun.elapsed().as_secs_f64();
        let mut probes = self.reading(&inputs);
        if let Some(named) = &inputs.named {
            probes.extend(self.writing(&allowance));
            let most = self.most_copied(&place, &allowance);
            probes.extend(self.copying(named, &most, rate, &observer.stopper()));
        }
        let (cells, ending) = sample(&mut probes, &self.plan(), observer);
        drop(probes);
        Ok(study.finish(cells, ending))
    }

    fn plan(&self) -> Plan {
        Plan { most_rounds: if self.brief.quick { 10 } else { 50 }, ..self.brief.plan() }
    }

    fn inputs(&self, allowance: &Allowance, study: &mut Underway<'_>) -> Result<Inputs, StudyError> {
        if let Some(path) = &self.file {
            let file = LargeFile::existing(path, self.scale.file_bytes).map_err(StudyError::at(path))?;
            if file.bytes() == 0 {
                return Err(StudyError::Empty { path: path.clone() });
            }
            return Ok(Inputs { file: Arc::new(file), named: None, name: path.clone() });
        }
        let directory = &self.brief.directory;
        let failed = StudyError::at(directory);
        try_directory(directory).map_err(&failed)?;
        let named = NamedFiles::create(directory).map_err(&failed)?;
        let wanted = self.scale.file_bytes;
        let bytes =
            if self.scale.fills { wanted } else { LargeFile::stepped(wanted.min(allowance.bytes / 2)) };
        let time = if self.scale.fills { Duration::MAX } else { self.brief.budget / 4 };
        let file = LargeFile::create(directory, bytes.max(1), time, self.brief.seed).map_err(&failed)?;
        if file.bytes() < wanted {
            let reason = if bytes < wanted {
                format!("which is half of {}", allowance.reason)
            } else {
                "to leave time for several rounds on this disk".to_owned()
            };
            study.warn(Warning::SmallFiles { bytes: file.bytes(), reason });
        }
        drop(named.add("name", 1, self.brief.seed).map_err(failed)?);
        let name = named.path("name");
        Ok(Inputs { file: Arc::new(file), named: Some(Arc::new(named)), name })
    }

    fn reading(&self, inputs: &Inputs) -> Vec<Box<dyn Probe>> {
        let file = &inputs.file;
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        for &block in &self.scale.read_blocks {
            probes.push(Box::new(BlockProbe::warm(file, 1, block).of_first(MOST_READS * block as u64)));
        }
        for &block in &self.scale.few_blocks {
            let cold = BlockProbe::cold(file, block).of_first(MOST_READS * block as u64);
            probes.push(dropping(self.drops, cold));
            if block.is_multiple_of(SECTOR_BYTES) {
                probes.push(dropping(self.drops, ReadProbe::cold(file, EngineKind::Direct, 1, block)));
            }
        }
        // Whoever reads as much of it finds the same.
        let mut expected: BTreeMap<u64, ExpectedXor> = BTreeMap::new();
        for &threads in &self.scale.threads {
            for &block in &self.scale.few_blocks {
                let most = MOST_READS * block as u64;
                let probe = BlockProbe::warm(file, threads, block).of_first(most);
                let expected = expected.entry(most.min(file.bytes())).or_default();
                probes.push(Box::new(probe.combining(expected)));
            }
        }
        let seed = self.brief.seed;
        probes.push(Box::new(RandomReadProbe::warm(file, RANDOM_BLOCK_BYTES, seed)));
        for &depth in &self.scale.depths {
            probes.push(dropping(self.drops, RandomReadProbe::cold(file, depth, RANDOM_BLOCK_BYTES, seed)));
        }
        for call in SystemCall::ALL {
            probes.push(Box::new(SystemCallProbe::new(call, file, inputs.name.clone())));
        }
        probes
    }

    fn writing(&self, allowance: &Allowance) -> Vec<Box<dyn Probe>> {
        let bytes = if self.scale.fills {
            self.scale.written_bytes
        } else {
            self.scale.written_bytes.min(allowance.bytes / 4)
        };
        let probe = |&block: &usize| {
            let block_bytes = block as u64;
            let bytes = (bytes / block_bytes).max(1) * block_bytes;
            Box::new(WriteProbe::new(self.brief.directory.clone(), bytes, block)) as Box<dyn Probe>
        };
        self.scale.write_blocks.iter().map(probe).collect()
    }

    /// Copies of all sizes that the time is enough for, by what it took to write at `rate`, and of the smallest in any case.
    fn copying(
        &self,
        named: &Arc<NamedFiles>,
        most: &Allowance,
        rate: f64,
        stopper: &Stopper,
    ) -> Vec<Box<dyn Probe>> {
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        let most_written = rate * self.brief.budget.as_secs_f64() * COPY_SHARE / LEAST_ROUNDS;
        let mut written = 0.0;
        for (at, &bytes) in self.scale.copies.iter().enumerate() {
            written += 2.0 * bytes as f64;
            if at > 0 && written > most_written && !self.scale.fills {
                break;
            }
            for writer in [Writer::Dd, Writer::Own] {
                let probe = CopyProbe::new(writer, named, bytes, stopper.clone());
                if bytes <= most.bytes {
                    probes.push(Box::new(probe));
                    continue;
                }
                let room = format!(
                    "too little space: a file may take {:.0} MB, {}",
                    most.bytes as f64 / 1e6,
                    most.reason
                );
                probes.push(Box::new(Absent::new(probe.cell(), UNIT, &room)));
            }
        }
        probes
    }

    /// How much one copy may take.
    fn most_copied(&self, place: &Place, allowance: &Allowance) -> Allowance {
        if self.scale.fills {
            let left = place.free_bytes.saturating_sub(self.scale.file_bytes);
            return Allowance { bytes: left / 2, reason: "half of the free space" };
        }
        // The file that is read has half of it, and what is written by blocks a part of the rest.
        Allowance { bytes: allowance.bytes / 4, ..allowance.clone() }
    }
}

/// Whether a cell is about blocks that are read one after the other with a system call each, on one thread.
pub fn is_block_read(cell: &Cell, cache: CacheState) -> bool {
    cell.stage == Stage::Read && cell.engine.as_deref() == Some(BLOCK_ENGINE) && cell.cache == Some(cache)
}

/// The smallest block that is as good as the best one, nearly.
pub fn knee(run: &Run, cache: CacheState) -> Option<&CellResult> {
    let mut measured: Vec<(&CellResult, f64)> = run
        .cells
        .iter()
        .filter(|result| is_block_read(&result.cell, cache))
        .filter_map(|result| Some((result, result.figure?.median)))
        .collect();
    measured.sort_by_key(|(result, _)| result.cell.block_bytes);
    let best = measured.iter().map(|(_, rate)| *rate).reduce(f64::max)?;
    // One block alone has no knee.
    let knee = measured.iter().find(|(_, rate)| *rate >= KNEE * best).filter(|_| measured.len() > 1);
    knee.map(|(result, _)| *result)
}

/// Whether a result is that of a copy beside one by `dd`.
fn is_own_copy(result: &CellResult) -> bool {
    result.cell.stage == Stage::Write && result.unit == UNIT
}

/// Whether a result is about writing by blocks, and not about a copy.
pub fn is_block_write(result: &CellResult) -> bool {
    result.cell.stage == Stage::Write && !is_own_copy(result)
}

/// What `dd` and we wrote, of one size: the results of both.
pub fn copies(run: &Run) -> Vec<(&CellResult, &CellResult)> {
    let of_dd = run.cells.iter().filter(|result| result.cell.program.as_deref() == Some(copies::DD));
    let own = |bytes| {
        let mut all = run.cells.iter();
        all.find(|result| is_own_copy(result) && result.cell.input_bytes == bytes)
    };
    of_dd.filter_map(|dd| Some((dd, own(dd.cell.input_bytes)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Silent, brief};

    fn small() -> Scale {
        Scale {
            read_blocks: vec![100, 4 << 10, 64 << 10],
            few_blocks: vec![4 << 10, 64 << 10],
            write_blocks: vec![50, 4 << 10],
            file_bytes: 1 << 20,
            written_bytes: 100_000,
            threads: vec![1, 3],
            depths: vec![1, 4],
            copies: vec![1 << 20, 1 << 60],
            fills: false,
        }
    }

    fn study(directory: &std::path::Path) -> InputOutput {
        InputOutput { brief: brief(directory), file: None, scale: small(), drops: None }
    }

    /// Whether files are not kept in memory alone.
    fn has_a_device(run: &Run) -> bool {
        run.place
            .as_ref()
            .is_some_and(|place| !["tmpfs", "ramfs", "overlay"].contains(&place.file_system.as_str()))
    }

    #[test]
    fn every_part_is_measured_and_nothing_is_left_behind() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let run = study(directory.path()).run(&mut Silent).expect("there is room");
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
        for stage in [Stage::Read, Stage::Pipeline, Stage::RandomRead, Stage::SystemCall, Stage::Write] {
            assert!(
                run.find(|cell| cell.stage == stage).is_some_and(|result| result.figure.is_some()),
                "{stage:?}"
            );
        }
        let sees_the_cache = run.cells[0].cell.cache == Some(CacheState::Warm) && has_a_device(&run);
        for result in run.cells.iter().filter(|result| result.figure.is_none()) {
            let cell = &result.cell;
            // Where it cannot be seen whether something is cached, nothing is cold.
            assert!(cell.cache == Some(CacheState::Cold) && !sees_the_cache, "{result:?}");
        }
        // Whoever reads all of it finds the same, whatever the blocks.
        let of = |result: &&CellResult| result.cell.stage == Stage::Pipeline;
        let found: Vec<_> = run.cells.iter().filter(of).map(|result| result.digest.clone()).collect();
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|digest| digest.is_some() && *digest == found[0]), "{found:?}");
        assert_eq!(Run::parse(run.to_json().as_bytes(), "x".as_ref()).expect("as it was written"), run);
    }

    #[test]
    fn a_file_that_is_there_is_read_and_nothing_is_written() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("file");
        std::fs::write(&path, vec![3; 200_000]).expect("there is room");
        let study = InputOutput { file: Some(path.clone()), ..study(directory.path()) };
        let run = study.run(&mut Silent).expect("it can be read");
        assert!(
            run.cells.iter().all(|result| result.cell.stage != Stage::Write && result.cell.program.is_none())
        );
        assert_eq!(std::fs::read(&path).expect("it is still there"), vec![3; 200_000]);
        std::fs::write(&path, "").expect("it can be emptied");
        assert!(study.run(&mut Silent).expect_err("nothing to read").to_string().contains("is empty"));
    }

    #[test]
    fn the_knee_is_the_smallest_block_that_is_nearly_the_best() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut run = study(directory.path()).run(&mut Silent).expect("there is room");
        let cache = run.cells[0].cell.cache.expect("it was read");
        for (result, rate) in run.cells.iter_mut().zip([10.0, 96.0, 100.0]) {
            result.figure = Some(crate::Estimate::without_spread(rate, 7));
        }
        assert_eq!(knee(&run, cache).and_then(|result| result.cell.block_bytes), Some(4 << 10));
        run.cells.truncate(1);
        assert_eq!(knee(&run, cache), None);
    }

    #[test]
    fn dd_writes_what_we_write() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        // One that there is no time for is left out, unless all are wanted.
        let short = study(directory.path());
        assert_eq!(copies(&short.run(&mut Silent).expect("there is room")).len(), 1);
        let study = InputOutput { scale: Scale { fills: true, ..small() }, ..short };
        let run = study.run(&mut Silent).expect("there is room");
        let pairs = copies(&run);
        assert_eq!(pairs.len(), 2);
        let (dd, own) = pairs[0];
        assert!(own.figure.is_some());
        match &dd.not_measured {
            Some(reason) => assert!(reason.contains("dd: cannot be started"), "{reason}"),
            None => assert_eq!(dd.samples[0].work, own.samples[0].work),
        }
        let (dd, own) = pairs[1];
        for result in [dd, own] {
            assert!(result.not_measured.as_deref().is_some_and(|why| why.contains("too little space")));
        }
    }
}
