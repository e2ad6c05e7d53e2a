//! Tuning: the ways of reading that [`hashlane_profile`] has tried, timed.
//!
//! What is timed are whole runs of the engine, by one profile and another, over files made for it; they compute nothing where
//! a device is waited for, and sha256 where none is. Which ways are tried, and which is taken, is decided there.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hashlane_digest::Algorithm;
use hashlane_engine::Profile;
use hashlane_io::{Device, Uring, try_directory};
use hashlane_profile::{Effort, Gain, Timed, Timer, Trial, TunedPart, Tuning, profile_of_kind, tune};

use crate::cell::{CacheState, Cell, Unit};
use crate::machine::{Machine, Place};
use crate::probes::{Absent, NO_RINGS, PipelineProbe};
use crate::sample::CellResult;
use crate::sampler::{Ending, Observer, Plan, Probe, sample};
use crate::scratch::{Allowance, LargeFile, SmallFiles};
use crate::statistics::{Estimate, ratio_of_medians};
use crate::warning::Warning;

/// The profile of a device with all that it was found by.
pub type DeviceProfile = hashlane_profile::DeviceProfile<Place, CellResult>;

/// A way of reading that was tried, with its figures.
pub type Candidate = hashlane_profile::Candidate<CellResult>;

/// The rate in bytes per second of the way that a profile takes for large files that are not in the page cache; nothing where that was not
/// measured.
pub fn cold_rate(profile: &DeviceProfile, device: &Device) -> Option<f64> {
    let way = profile.profile(device)?.cold;
    let is_way = |cell: &Cell| {
        cell.cache == Some(CacheState::Cold)
            && cell.engine.as_deref() == Some(way.engine.name())
            && cell.block_bytes == Some(way.block_bytes as u64)
            && cell.depth == Some(way.in_flight)
    };
    let timed =
        profile.cells.iter().filter(|timed| timed.unit == Unit::BytesPerSecond && is_way(&timed.cell));
    let rate = timed.filter_map(|timed| timed.figure).map(|figure| figure.median).reduce(f64::max);
    rate.filter(|rate| *rate > 0.0)
}

/// What tuning is to do.
#[derive(Clone, Debug)]
pub struct Tune {
    /// Where test files go: on the device that is measured.
    pub directory: PathBuf,
    /// Time for the measuring; making the test files comes on top.
    pub budget: Duration,
    /// Seed of contents and orders.
    pub seed: u64,
    /// Have the machine forget names and inodes before each cold reading of small files; takes the right to.
    pub drop_caches: bool,
    /// Name and version of the program, for what is kept.
    pub program: String,
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// What is to be kept.
    pub kept: DeviceProfile,
    /// How a run reads there.
    pub profile: Profile,
    /// The kinds of reading that were measured. Nothing is kept of the others.
    pub parts: Vec<TunedPart>,
    /// All ways that were tried.
    pub candidates: Vec<Candidate>,
    /// Whether somebody asked to stop before the end: then it is not to be kept.
    pub interrupted: bool,
}

/// Why nothing could be tuned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotTuned {
    /// The system does not say what the device is.
    #[error("the device cannot be identified")]
    Device(#[source] std::io::Error),
    /// The test files could not be made.
    #[error("test files cannot be created")]
    Files(#[source] std::io::Error),
    /// There is too little room for the test files.
    #[error(
        "test files cannot be created: too little space: at least {} MiB are needed, and {} is {} MiB",
        least_bytes >> 20,
        allowance.reason,
        allowance.bytes >> 20
    )]
    Room {
        /// The least that they take.
        least_bytes: u64,
        /// How much they may take, and why.
        allowance: Allowance,
    },
    /// Nothing could be measured.
    #[error("{}", notes.join("; "))]
    Nothing {
        /// Why not, of each kind of reading.
        notes: Vec<String>,
    },
    /// Somebody asked to stop before the first measurement.
    #[error("stopped before the first measurement")]
    Stopped,
}

/// The large file, unless the device is slow or there is little room; and at least, for below it the engine would not take it
/// for a large one whatever is computed.
const LARGE_BYTES: u64 = 256 << 20;
const LEAST_LARGE_BYTES: u64 = 64 << 20;

/// Small files, at least and at most.
const SMALL_FILES: std::ops::RangeInclusive<u64> = 250..=4_000;

impl Tune {
    /// Measures. Test files are gone afterwards.
    ///
    /// # Errors
    /// There is no place for test files, or nothing could be measured.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Tuned, NotTuned> {
        let device = Device::at(&self.directory).map_err(NotTuned::Device)?;
        let place = Place::describe(&self.directory).map_err(NotTuned::Device)?;
        let tuned = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let files = self.files(&place, &device, observer)?.ok_or(NotTuned::Stopped)?;
        let rings = Uring::available_at(&self.directory);
        let mut bench = Bench { tune: self, files, observer };
        let tuning = tune(&device, rings.is_ok(), cores(), &mut bench);
        let parts = tuning.parts();
        let Tuning { profile, candidates, notes, interrupted } = tuning;
        let no_rings = rings.err().map(|error| format!("{NO_RINGS}: {error}"));
        let notes: Vec<String> = no_rings.into_iter().chain(notes.iter().map(ToString::to_string)).collect();
        if !interrupted && parts.is_empty() {
            return Err(NotTuned::Nothing { notes });
        }
        let behind = place.backing_file.clone().map(|file| Warning::LoopDevice { file }.to_string());
        let notes = notes.into_iter().chain(behind).collect();
        let mut kept = DeviceProfile::new(&profile, &parts, &self.program, tuned, &device, place);
        kept.notes = notes;
        kept.cells = candidates.iter().map(|candidate| candidate.timed.clone()).collect();
        Ok(Tuned { kept, profile, parts, candidates, interrupted })
    }

    /// Makes the test files; none if somebody asked to stop, who waits for one of them at most.
    fn files(
        &self,
        place: &Place,
        device: &Device,
        observer: &mut dyn Observer,
    ) -> Result<Option<Files>, NotTuned> {
        try_directory(&self.directory).map_err(NotTuned::Files)?;
        let allowance = Allowance::at(place, &Machine::describe());
        let bytes = LARGE_BYTES.min(allowance.bytes / 2) / LEAST_LARGE_BYTES * LEAST_LARGE_BYTES;
        if bytes == 0 {
            return Err(NotTuned::Room { least_bytes: 2 * LEAST_LARGE_BYTES, allowance });
        }
        self.files_within(&allowance, bytes, device, observer).map_err(NotTuned::Files)
    }

    fn files_within(
        &self,
        allowance: &Allowance,
        bytes: u64,
        device: &Device,
        observer: &mut dyn Observer,
    ) -> std::io::Result<Option<Files>> {
        let mut large = LargeFile::create(&self.directory, bytes, self.budget / 32, self.seed)?;
        if large.bytes() < LEAST_LARGE_BYTES && !observer.stops() {
            drop(large);
            large = LargeFile::create(&self.directory, LEAST_LARGE_BYTES, Duration::MAX, self.seed)?;
        }
        let large = Arc::new(large);
        // Digesting takes its time: of a short file there are more samples.
        let warm = match large.bytes() {
            ..=LEAST_LARGE_BYTES => Arc::clone(&large),
            _ => Arc::new(LargeFile::create(&self.directory, LEAST_LARGE_BYTES, Duration::MAX, self.seed)?),
        };
        if observer.stops() {
            return Ok(None);
        }
        // A cold reading of all is to take no longer than a few samples of each candidate allow.
        let few = Arc::new(SmallFiles::create(&self.directory, *SMALL_FILES.start(), self.seed)?);
        let mut probe = PipelineProbe::small(&few, Algorithm::SHA256, cores(), CacheState::Cold)
            .tuned(profile_of_kind(device), None)
            .dropping_inodes(self.drop_caches);
        let mut count = *SMALL_FILES.end();
        if probe.prepare().is_ok() {
            let begun = Instant::now();
            if probe.run(1, &mut crate::clock::Stopwatch::start()).is_ok() {
                let each = begun.elapsed().as_secs_f64() / *SMALL_FILES.start() as f64;
                count = (self.budget.as_secs_f64() / 100.0 / each.max(1e-9)) as u64;
            }
        }
        drop(probe);
        if observer.stops() {
            return Ok(None);
        }
        let count =
            count.clamp(*SMALL_FILES.start(), *SMALL_FILES.end()).min(allowance.bytes / 4 / (20 << 10));
        let small = if count > *SMALL_FILES.start() {
            drop(few);
            Arc::new(SmallFiles::create(&self.directory, count, self.seed)?)
        } else {
            few
        };
        Ok(Some(Files { large, warm, small }))
    }
}

struct Files {
    large: Arc<LargeFile>,
    /// Large enough, and read warm.
    warm: Arc<LargeFile>,
    small: Arc<SmallFiles>,
}

/// Times ways of reading over the test files.
struct Bench<'a> {
    tune: &'a Tune,
    files: Files,
    observer: &'a mut dyn Observer,
}

impl Bench<'_> {
    fn probe(&self, trial: &Trial) -> Box<dyn Probe> {
        let Files { large, warm, small } = &self.files;
        let probe = match trial.part {
            TunedPart::ColdLarge => PipelineProbe::cold(large, Algorithm::SHA256, cores()),
            TunedPart::WarmLarge => {
                let probe =
                    PipelineProbe::warm(warm, Algorithm::SHA256, cores()).tuned(trial.way, trial.computed);
                // What may have come from the device is not a figure of the page cache.
                return match warm.look() {
                    Ok(_) => Box::new(probe),
                    Err(unseen) => Box::new(Absent::new(
                        probe.cell(),
                        probe.unit(),
                        &format!(
                            "whether the page cache holds the test file cannot be observed here: {unseen}"
                        ),
                    )),
                };
            }
            TunedPart::ColdSmall => PipelineProbe::small(small, Algorithm::SHA256, cores(), CacheState::Cold)
                .dropping_inodes(self.tune.drop_caches),
        };
        Box::new(probe.tuned(trial.way, trial.computed))
    }
}

impl Timer for Bench<'_> {
    type Timed = CellResult;

    fn time(&mut self, trials: &[Trial], effort: &Effort) -> Option<Vec<CellResult>> {
        let Effort { time, least_rounds, most_rounds } = effort;
        let mut probes: Vec<Box<dyn Probe>> = trials.iter().map(|trial| self.probe(trial)).collect();
        let share = time.end - time.start;
        let plan = Plan {
            budget: self.tune.budget.mul_f64(share),
            sample: Duration::from_millis(50),
            least_rounds: *least_rounds,
            most_rounds: *most_rounds,
            width: 0.02,
            seed: self.tune.seed,
        };
        let mut scaled = Scaled { observer: self.observer, from: time.start, share };
        let (results, ending) = sample(&mut probes, &plan, &mut scaled);
        (ending != Ending::Interrupted).then_some(results)
    }
}

impl Timed for CellResult {
    fn rate(&self) -> Option<f64> {
        self.figure.map(|figure| figure.median)
    }

    fn rounds(&self) -> usize {
        self.samples.len()
    }

    fn not_measured(&self) -> Option<&str> {
        self.not_measured.as_deref()
    }

    fn gain_over(&self, other: &Self) -> Option<Gain> {
        ratio_of_medians(&self.figures(), &other.figures()).map(|ratio| Gain::from(&ratio))
    }
}

impl From<&Estimate> for Gain {
    fn from(ratio: &Estimate) -> Self {
        Self { median: ratio.median, interval: ratio.interval }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Shows a part of the whole as that part.
struct Scaled<'a> {
    observer: &'a mut dyn Observer,
    from: f64,
    share: f64,
}

impl Observer for Scaled<'_> {
    fn at(&mut self, cell: &Cell, share: f64) {
        self.observer.at(cell, self.from + self.share * share);
    }

    fn stops(&self) -> bool {
        self.observer.stops()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Silent {
        left: std::cell::Cell<u32>,
    }

    impl Silent {
        fn for_ever() -> Self {
            Self { left: std::cell::Cell::new(u32::MAX) }
        }
    }

    impl Observer for Silent {
        fn at(&mut self, _: &Cell, share: f64) {
            assert!((0.0..=1.0).contains(&share), "{share}");
        }

        fn stops(&self) -> bool {
            self.left.set(self.left.get().saturating_sub(1));
            self.left.get() == 0
        }
    }

    fn tune(directory: &std::path::Path) -> Tune {
        Tune {
            directory: directory.into(),
            budget: Duration::from_secs(1),
            seed: 1,
            drop_caches: false,
            program: "hashlane test".into(),
        }
    }

    #[test]
    fn a_device_is_tuned_and_nothing_is_left_behind() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let tuned = tune(directory.path()).run(&mut Silent::for_ever()).expect("there is room");
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
        assert!(!tuned.interrupted);
        assert!(tuned.profile.is_sound());
        assert_eq!(tuned.kept.parts().len(), tuned.parts.len());
        for part in [TunedPart::ColdLarge, TunedPart::ColdSmall, TunedPart::WarmLarge] {
            let of_part = || tuned.candidates.iter().filter(move |candidate| candidate.part == part);
            let measured = of_part().any(|candidate| candidate.timed.figure.is_some());
            assert_eq!(of_part().filter(|candidate| candidate.is_taken).count(), usize::from(measured));
            assert_eq!(tuned.parts.contains(&part), measured);
            assert!(measured || tuned.kept.notes.iter().any(|note| note.starts_with(part.name())));
        }
    }

    #[test]
    fn a_stop_ends_it_soon_and_leaves_nothing_behind() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for left in [1, 2, 7] {
            match tune(directory.path()).run(&mut Silent { left: std::cell::Cell::new(left) }) {
                Ok(tuned) => assert!(left > 2 && tuned.interrupted),
                Err(error) => assert!(left <= 2 && matches!(error, NotTuned::Stopped), "{error}"),
            }
            assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
        }
    }

    #[test]
    fn a_place_that_cannot_be_written_to_is_told() {
        let error = tune("/proc/nowhere".as_ref()).run(&mut Silent::for_ever()).expect_err("it is not there");
        assert!(matches!(&error, NotTuned::Device(source) if source.kind() == std::io::ErrorKind::NotFound));
    }
}
