//! What the programs of the report did one at a time: `run FILE -w BLOCK COUNT`, `run FILE -r BLOCK COUNT` and
//! `reasonable BLOCK`.

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hashlane_io::{Content, try_directory};
use hashlane_record::system_text;

use super::{SEARCH, STUDY};
use crate::cell::{Cell, Stage};
use crate::clock::Stopwatch;
use crate::drop_caches::DropCaches;
use crate::error::StudyError;
use crate::machine::Place;
use crate::probes::{BlockProbe, ExpectedXor, dropping};
use crate::run::Run;
use crate::sample::{CellResult, Work};
use crate::sampler::{Ending, NotPossible, Observer, Plan, Probe, Stopper, sample};
use crate::scratch::{Allowance, LargeFile};
use crate::study::{Brief, Underway};

/// A file is reasonable if reading it takes this many seconds.
pub const WITHIN: Range<f64> = 5.0..15.0;

/// Sizes that are tried at most.
const MOST_TRIES: usize = 30;

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
        /// Whether a file that is there is written over.
        over: bool,
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

/// One of the tasks, with its parameters.
#[derive(Clone, Debug)]
pub struct Single {
    /// What every study gets.
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
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Run, StudyError> {
        let study_name = if matches!(self.task, Task::Reasonable { .. }) { SEARCH } else { STUDY };
        let study = Underway::begin(study_name, &self.brief, true);
        let (cells, ending) = match &self.task {
            Task::Write { file, block_bytes, count, over } => {
                has_room(file, count.saturating_mul(*block_bytes as u64), &study.place()?)?;
                let stopper = observer.stopper();
                let probe =
                    WriteOnce::new(file.clone(), *block_bytes, *count, *over, self.brief.seed, stopper);
                sample(&mut [Box::new(probe)], &self.once(), observer)
            }
            Task::Read { file, block_bytes, count } => {
                let most = count.map_or(u64::MAX, |count| count.saturating_mul(*block_bytes as u64));
                let opened = LargeFile::existing(file, most).map_err(StudyError::at(file))?;
                if opened.bytes() == 0 {
                    return Err(StudyError::Empty { path: file.clone() });
                }
                // What does not fit into memory cannot be read from there.
                let is_cold =
                    self.drops.is_some() || opened.bytes() > study.machine().free_memory_bytes() / 2;
                let probe = reading(&Arc::new(opened), *block_bytes, is_cold).named(name(file));
                sample(&mut [dropping(self.drops, probe)], &self.brief.plan(), observer)
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

    /// Reads longer and longer files, or shorter ones, until one takes as long as it should. Every one is a cell; the last
    /// is what was found.
    fn search(
        &self,
        block_bytes: usize,
        allowance: &Allowance,
        observer: &mut dyn Observer,
    ) -> Result<(Vec<CellResult>, Ending), StudyError> {
        let directory = &self.brief.directory;
        let failed = StudyError::at(directory);
        try_directory(directory).map_err(&failed)?;
        let mut bytes = FIRST_BYTES.min(allowance.bytes).max(1);
        let mut cells: Vec<CellResult> = Vec::new();
        let mut bounds = Bounds::default();
        loop {
            let file =
                LargeFile::create(directory, bytes, Duration::MAX, self.brief.seed).map_err(&failed)?;
            let probe = reading(&Arc::new(file), block_bytes, self.drops.is_some());
            let mut probes = [dropping(self.drops, probe)];
            let (found, ending) = sample(&mut probes, &self.once(), observer);
            drop(probes);
            let seconds = found.first().and_then(seconds);
            cells.extend(found);
            let next = seconds.filter(|_| ending != Ending::Interrupted);
            let next =
                next.and_then(|seconds| bounds.next(bytes, seconds)).map(|next| next.min(allowance.bytes));
            // As large as may be, or nothing between what is too short and what is too long.
            match next.filter(|next| *next != bytes && cells.len() < MOST_TRIES) {
                Some(next) => bytes = next,
                None => return Ok((cells, ending)),
            }
        }
    }
}

/// Sizes beyond which no file is reasonable.
#[derive(Debug, Default)]
struct Bounds {
    /// The largest that took too short.
    short: Option<u64>,
    /// The smallest that took too long.
    long: Option<u64>,
}

impl Bounds {
    /// The size to try after one that took so long; none if that was right, or nothing is left to try.
    fn next(&mut self, bytes: u64, seconds: f64) -> Option<u64> {
        let next = if seconds < WITHIN.start {
            self.short = Some(bytes);
            self.long.map_or(bytes.saturating_mul(2), |long| bytes.midpoint(long))
        } else if seconds >= WITHIN.end {
            self.long = Some(bytes);
            // Shorter at once: each try takes as long as it was wrong.
            let middle = (WITHIN.start + WITHIN.end) / 2.0;
            let scaled = ((bytes as f64 * middle / seconds) as u64).max(1);
            self.short.map_or(scaled, |short| bytes.midpoint(short))
        } else {
            return None;
        };
        let is_between =
            self.short.is_none_or(|short| next > short) && self.long.is_none_or(|long| next < long);
        is_between.then_some(next)
    }
}

fn reading(file: &Arc<LargeFile>, block_bytes: usize, is_cold: bool) -> BlockProbe {
    let probe =
        if is_cold { BlockProbe::cold(file, block_bytes) } else { BlockProbe::warm(file, 1, block_bytes) };
    probe.combining(&ExpectedXor::default())
}

/// Whether a file has room where it is to lie. A device has as much as it has.
fn has_room(path: &Path, needed_bytes: u64, place: &Place) -> Result<(), StudyError> {
    let there = std::fs::metadata(path).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return Ok(());
    }
    let free_bytes = place.free_bytes.saturating_add(there.map_or(0, |there| there.len()));
    if needed_bytes <= free_bytes {
        return Ok(());
    }
    Err(StudyError::FreeRoom { path: path.into(), needed_bytes, free_bytes })
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
    over: bool,
    content: Vec<u8>,
    stopper: Stopper,
}

/// Bytes beside a block that the next ones are taken from: equal blocks would be no content, and have no XOR.
const SPARE_BYTES: usize = 64 << 10;

/// How far each block begins behind the one before, around in what is spare.
const STRIDE_BYTES: usize = 4_099;

impl WriteOnce {
    fn new(path: PathBuf, block_bytes: usize, count: u64, over: bool, seed: u64, stopper: Stopper) -> Self {
        let mut content = vec![0; block_bytes + SPARE_BYTES];
        Content::seeded(seed).fill(0, &mut content);
        Self { path, block_bytes, count, over, content, stopper }
    }

    /// The file, empty. One that came to be there meanwhile is somebody else's.
    fn create(&self) -> io::Result<File> {
        if self.over { File::create(&self.path) } else { File::create_new(&self.path) }
    }

    fn write(&self, file: &mut File) -> Result<(), NotPossible> {
        /// Blocks between which it is not asked whether to stop: some take a microsecond.
        const UNASKED: u64 = 64;
        let failed = |error: io::Error| self.failed(&error);
        let mut begin = 0;
        for number in 0..self.count {
            if number.is_multiple_of(UNASKED) {
                self.stopper.check()?;
            }
            file.write_all(&self.content[begin..begin + self.block_bytes]).map_err(failed)?;
            begin = (begin + STRIDE_BYTES) % SPARE_BYTES;
        }
        file.sync_all().map_err(failed)
    }

    fn failed(&self, error: &io::Error) -> NotPossible {
        NotPossible::Broken(format!("{}: {}", self.path.display(), system_text(error)))
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
        watch.restart();
        let mut file = self.create().map_err(|error| self.failed(&error))?;
        if let Err(error) = self.write(&mut file) {
            if !self.over {
                // A part of what was wanted is of no use to anybody, and there may be no room left.
                _ = std::fs::remove_file(&self.path);
            }
            return Err(error);
        }
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

    fn single(directory: &std::path::Path, task: Task) -> Result<Run, StudyError> {
        Single { brief: brief(directory), task, drops: None }.run(&mut Silent)
    }

    #[test]
    fn a_file_is_written_and_read_by_blocks() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("file");
        let write = |count, over| Task::Write { file: file.clone(), block_bytes: 50, count, over };
        let run = single(directory.path(), write(1_001, false)).expect("there is room");
        let cell = &run.cells[0];
        assert_eq!((cell.samples.len(), cell.samples[0].work.operations), (1, 1_001));
        let content = std::fs::read(&file).expect("it stays");
        assert_eq!(content.len(), 50_050);
        for (count, bytes) in [(None, 50_050), (Some(7), 3_584), (Some(u64::MAX), 50_050)] {
            let task = Task::Read { file: file.clone(), block_bytes: 512, count };
            let run = single(directory.path(), task).expect("it is there");
            assert_eq!(run.cells[0].cell.input_bytes, Some(bytes));
            let xor32 = hashlane_digest::Algorithm::XOR32;
            let wanted = xor32.digest(&content[..bytes as usize]).to_string();
            assert_eq!(run.cells[0].digest, Some(wanted));
        }
        // It is there now, and so somebody's.
        let run = single(directory.path(), write(1, false)).expect("a run");
        assert!(run.cells[0].not_measured.as_deref().is_some_and(|reason| reason.contains("File exists")));
        assert_eq!(std::fs::read(&file).expect("it stays").len(), 50_050);
        let refused = single(directory.path(), write(1 << 50, true)).expect_err("no disk is as large");
        assert!(matches!(refused, StudyError::FreeRoom { .. }), "{refused}");
        assert_eq!(std::fs::read(&file).expect("it stays").len(), 50_050);
        let run = single(directory.path(), write(2, true)).expect("there is room");
        assert_eq!((run.cells[0].samples.len(), std::fs::read(&file).expect("it stays").len()), (1, 100));
        std::fs::write(&file, "").expect("there is room");
        let task = Task::Read { file, block_bytes: 512, count: None };
        assert!(
            single(directory.path(), task).expect_err("nothing to read").to_string().contains("is empty")
        );
    }

    #[test]
    fn what_cannot_be_written_is_not_measured() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("nowhere/file");
        let task = Task::Write { file, block_bytes: 50, count: 1, over: false };
        let run = single(directory.path(), task).expect("a run");
        assert!(run.cells[0].not_measured.as_deref().is_some_and(|reason| reason.contains("No such file")));
    }

    #[test]
    fn sizes_are_doubled_until_they_take_long_enough_and_cut_where_they_take_too_long() {
        let next = |bytes, seconds| Bounds::default().next(bytes, seconds);
        assert_eq!(next(100, 4.9), Some(200));
        assert_eq!([next(100, 5.0), next(100, 14.9)], [None, None]);
        assert_eq!(next(100, 20.0), Some(50));
        assert_eq!(next(1, 1e9), None);
        // One that took too long, and half of it too short: what lies between.
        let mut bounds = Bounds::default();
        assert_eq!(bounds.next(100, 20.0), Some(50));
        assert_eq!(bounds.next(50, 4.9), Some(75));
        assert_eq!(bounds.next(75, 15.0), Some(62));
        assert_eq!(bounds.next(51, 15.0), None);
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
