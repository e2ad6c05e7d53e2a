//! What the programs of the report did one at a time: `run FILE -w BLOCK COUNT`, `run FILE -r BLOCK COUNT` and
//! `reasonable BLOCK`.

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hashlane_io::Content;
use hashlane_record::system_text;

use super::{SEARCH, STUDY};
use crate::cell::{Cell, Stage};
use crate::clock::Stopwatch;
use crate::drop_caches::DropCaches;
use crate::probes::{BlockProbe, ExpectedXor};
use crate::run::Run;
use crate::sample::{CellResult, Work};
use crate::sampler::{Ending, NotPossible, Observer, Plan, Probe, sample};
use crate::scratch::{Allowance, LargeFile};
use crate::study::{Brief, Underway};
use crate::temporary::try_directory;

/// A file is reasonable if reading it takes so many seconds.
pub const WITHIN: Range<f64> = 5.0..15.0;

/// What the search for a reasonable file begins with.
const FIRST_BYTES: u64 = 100 << 20;

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Writes a file and brings it to the device, once. What was in it is gone.
    Write {
        /// The file.
        file: PathBuf,
        /// Bytes of a block.
        block_bytes: usize,
        /// How many.
        count: u64,
    },
    /// Reads a file, and combines its words by XOR.
    Read {
        /// The file.
        file: PathBuf,
        /// Bytes of a block.
        block_bytes: usize,
        /// How many; all that there are where it is not said.
        count: Option<u64>,
    },
    /// Looks for the size of a file that takes from 5 to 15 seconds to be read.
    Reasonable {
        /// Bytes of a block.
        block_bytes: usize,
    },
}

/// One of the tasks, with what it is told.
#[derive(Clone, Debug)]
pub struct Single {
    /// What every study is told.
    pub brief: Brief,
    /// What is done.
    pub task: Task,
    /// What the whole machine forgets before a sample; the file is then read cold.
    pub drops: Option<DropCaches>,
}

impl Single {
    /// Does it. A file that was written stays.
    ///
    /// # Errors
    /// Why there is no file to measure with.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Run, String> {
        let study_name = if matches!(self.task, Task::Reasonable { .. }) { SEARCH } else { STUDY };
        let study = Underway::begin(study_name, &self.brief, true);
        let (cells, ending) = match &self.task {
            Task::Write { file, block_bytes, count } => {
                let probe = WriteOnce::new(file.clone(), *block_bytes, *count, self.brief.seed);
                sample(&mut [Box::new(probe)], &self.once(), observer)
            }
            Task::Read { file, block_bytes, count } => {
                let most = count.map_or(u64::MAX, |count| count.saturating_mul(*block_bytes as u64));
                let opened = LargeFile::existing(file, most);
                let opened =
                    opened.map_err(|error| format!("{}: {}", file.display(), system_text(&error)))?;
                if opened.bytes() == 0 {
                    return Err(format!("{}: is empty: there is nothing to read", file.display()));
                }
                let probe = self.reading(&Arc::new(opened), *block_bytes).named(name(file));
                let mut probes: [Box<dyn Probe>; 1] = [Box::new(probe)];
                sample(&mut probes, &self.brief.plan(), observer)
            }
            Task::Reasonable { block_bytes } => {
                let allowance = Allowance::at(&study.place()?, study.machine());
                self.search(*block_bytes, &allowance, observer)?
            }
        };
        Ok(study.finish(cells, ending))
    }

    /// A plan of one sample.
    fn once(&self) -> Plan {
        Plan { budget: Duration::ZERO, most_rounds: 1, sample: Duration::ZERO, ..self.brief.plan() }
    }

    fn reading(&self, file: &Arc<LargeFile>, block_bytes: usize) -> BlockProbe {
        let probe = match self.drops {
            Some(drops) => BlockProbe::cold(file, block_bytes, Some(drops)),
            None => BlockProbe::warm(file, 1, block_bytes),
        };
        probe.combining(&ExpectedXor::default())
    }

    /// Reads longer and longer files, or shorter ones, until one takes as long as it should. Every one is a cell; the last
    /// is what was found.
    fn search(
        &self,
        block_bytes: usize,
        allowance: &Allowance,
        observer: &mut dyn Observer,
    ) -> Result<(Vec<CellResult>, Ending), String> {
        let directory = &self.brief.directory;
        let failed = |error: io::Error| format!("{}: {}", directory.display(), system_text(&error));
        try_directory(directory).map_err(failed)?;
        let mut bytes = FIRST_BYTES.min(allowance.bytes).max(1);
        let mut cells: Vec<CellResult> = Vec::new();
        loop {
            let file = LargeFile::create(directory, bytes, Duration::MAX, self.brief.seed).map_err(failed)?;
            let mut probes: [Box<dyn Probe>; 1] = [Box::new(self.reading(&Arc::new(file), block_bytes))];
            let (found, ending) = sample(&mut probes, &self.once(), observer);
            drop(probes);
            let seconds = found.first().and_then(seconds);
            cells.extend(found);
            let Some(next) = seconds.filter(|_| ending != Ending::Interrupted).and_then(|s| next(bytes, s))
            else {
                return Ok((cells, ending));
            };
            let next = next.min(allowance.bytes);
            // As large as may be, or tried before: what is known now is all that can be known.
            if cells.iter().any(|tried| tried.cell.input_bytes == Some(next)) {
                return Ok((cells, ending));
            }
            bytes = next;
        }
    }
}

/// The size to try after one that took so long; none if that was right.
fn next(bytes: u64, seconds: f64) -> Option<u64> {
    match seconds {
        seconds if seconds < WITHIN.start => Some(bytes.saturating_mul(2)),
        // Shorter at once: each try takes as long as it was wrong.
        seconds if seconds > WITHIN.end => {
            let middle = (WITHIN.start + WITHIN.end) / 2.0;
            Some(((bytes as f64 * middle / seconds) as u64).max(1))
        }
        _ => None,
    }
}

/// A file as it is called in its directory.
fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// How long one reading of a file took.
fn seconds(result: &CellResult) -> Option<f64> {
    let sample = result.samples.first()?;
    let readings = sample.work.bytes as f64 / result.cell.input_bytes? as f64;
    Some(sample.elapsed.wall_ns as f64 / 1e9 / readings)
}

/// Writes a file by its name.
#[derive(Debug)]
struct WriteOnce {
    path: PathBuf,
    block_bytes: usize,
    count: u64,
    content: Vec<u8>,
}

/// Bytes beside a block that the next ones are taken from: equal blocks would be no content, and have no XOR.
const SPARE_BYTES: usize = 64 << 10;

/// How far each block begins behind the one before, around in what is spare.
const STRIDE_BYTES: usize = 4_099;

impl WriteOnce {
    fn new(path: PathBuf, block_bytes: usize, count: u64, seed: u64) -> Self {
        let mut content = vec![0; block_bytes + SPARE_BYTES];
        Content::seeded(seed).fill(0, &mut content);
        Self { path, block_bytes, count, content }
    }
}

impl Probe for WriteOnce {
    fn cell(&self) -> Cell {
        Cell {
            block_bytes: Some(self.block_bytes as u64),
            input_bytes: Some(self.count * self.block_bytes as u64),
            input: Some(name(&self.path)),
            ..Cell::new(Stage::Write)
        }
    }

    fn run(&mut self, _: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let failed = |error: io::Error| NotPossible(format!("{}: {error}", self.path.display()));
        watch.restart();
        let mut file = File::create(&self.path).map_err(failed)?;
        let mut begin = 0;
        for _ in 0..self.count {
            file.write_all(&self.content[begin..begin + self.block_bytes]).map_err(failed)?;
            begin = (begin + STRIDE_BYTES) % SPARE_BYTES;
        }
        file.sync_all().map_err(failed)?;
        let bytes = self.count * self.block_bytes as u64;
        Ok(Work { bytes, operations: self.count, ..Work::default() })
    }

    fn repeats(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Silent, brief};

    fn single(directory: &std::path::Path, task: Task) -> Result<Run, String> {
        Single { brief: brief(directory), task, drops: None }.run(&mut Silent)
    }

    #[test]
    fn a_file_is_written_and_read_by_blocks() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("file");
        let run = single(directory.path(), Task::Write { file: file.clone(), block_bytes: 50, count: 1_001 });
        let run = run.expect("there is room");
        let cell = &run.cells[0];
        assert_eq!((cell.samples.len(), cell.samples[0].work.operations), (1, 1_001));
        let content = std::fs::read(&file).expect("it stays");
        assert_eq!(content.len(), 50_050);
        for (count, bytes) in [(None, 50_050), (Some(7), 3_584), (Some(u64::MAX), 50_050)] {
            let task = Task::Read { file: file.clone(), block_bytes: 512, count };
            let run = single(directory.path(), task).expect("it is there");
            assert_eq!(run.cells[0].cell.input_bytes, Some(bytes));
            let xor32 = hashlane_digest::Algorithm::named("xor32").expect("registered");
            let wanted = xor32.digest(&content[..bytes as usize]).to_string();
            assert_eq!(run.cells[0].digest, Some(wanted));
        }
        std::fs::write(&file, "").expect("there is room");
        let task = Task::Read { file, block_bytes: 512, count: None };
        assert!(single(directory.path(), task).expect_err("nothing to read").contains("is empty"));
    }

    #[test]
    fn what_cannot_be_written_is_not_measured() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("nowhere/file");
        let run = single(directory.path(), Task::Write { file, block_bytes: 50, count: 1 }).expect("a run");
        assert!(run.cells[0].not_measured.as_deref().is_some_and(|reason| reason.contains("No such file")));
    }

    #[test]
    fn sizes_are_doubled_until_they_take_long_enough_and_cut_where_they_take_too_long() {
        assert_eq!(next(100, 4.9), Some(200));
        assert_eq!([next(100, 5.0), next(100, 15.0)], [None, None]);
        assert_eq!(next(100, 20.0), Some(50));
        assert_eq!(next(1, 1e9), Some(1));
    }

    #[test]
    fn the_search_ends_where_there_is_no_more_room() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let single = Single {
            brief: brief(directory.path()),
            task: Task::Reasonable { block_bytes: 1 << 16 },
            drops: None,
        };
        let allowance = Allowance { bytes: 3 << 20, reason: "it is a test" };
        let (cells, ending) = single.search(1 << 16, &allowance, &mut Silent).expect("there is room");
        assert_ne!(ending, Ending::Interrupted);
        assert_eq!(cells.iter().map(|cell| cell.cell.input_bytes).collect::<Vec<_>>(), [Some(3 << 20)]);
        assert!(seconds(&cells[0]).is_some_and(|seconds| seconds > 0.0));
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
    }
}
