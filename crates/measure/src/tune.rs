//! Tuning: which way of reading suits a device.
//!
//! What is timed are whole runs of the engine, by one profile and another, over files made for it; they compute nothing where
//! a device is waited for, and sha256 where none is. For each kind of reading all candidates are visited twice, the best few
//! and the default until their figures are narrow. Another way than the default is taken only where it is faster beyond
//! doubt, and after a last comparison with digesting.

mod profile;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hashlane_digest::Algorithm;
use hashlane_engine::{LargeFiles, Profile, ReadOrder, SmallFiles as SmallReading};
use hashlane_io::{Device, EngineKind, Uring};

use crate::cell::{CacheState, Cell};
use crate::machine::{Machine, Place};
use crate::probes::{NO_RINGS, PipelineProbe};
use crate::sample::CellResult;
use crate::sampler::{Ending, Observer, Plan, Probe, sample};
use crate::scratch::{Allowance, LargeFile, SmallFiles};
use crate::statistics::{Estimate, LEAST_FOR_INTERVAL, ratio_of_medians};
use crate::temporary::try_directory;
pub use profile::DeviceProfile;

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

/// Kinds of reading that are tuned, each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A large file that the page cache does not hold.
    ColdLarge,
    /// Small files that the page cache does not hold.
    ColdSmall,
    /// A large file that the page cache holds.
    WarmLarge,
}

/// One way of reading that was tried.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What was read.
    pub part: Part,
    /// In which order.
    pub order: ReadOrder,
    /// The figures.
    pub result: CellResult,
    /// Whether it is the way without a profile.
    pub is_default: bool,
    /// Whether it was taken.
    pub is_taken: bool,
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// What is to be kept.
    pub kept: DeviceProfile,
    /// All ways that were tried.
    pub candidates: Vec<Candidate>,
    /// Whether somebody asked to stop before the end: then it is not to be kept.
    pub interrupted: bool,
}

/// Why nothing could be tuned.
#[derive(Debug, thiserror::Error)]
pub enum NotTuned {
    /// The system does not say what the device is.
    #[error("nothing is to be learnt of the device")]
    Device(#[source] std::io::Error),
    /// The test files could not be made.
    #[error("test files cannot be made")]
    Files(#[source] std::io::Error),
    /// Nothing could be measured, in words for the user.
    #[error("{0}")]
    Nothing(String),
    /// Somebody asked to stop before the first measurement.
    #[error("stopped before the first measurement")]
    Stopped,
}

/// Faster by less than this is not worth another way.
const LEAST_GAIN: f64 = 1.03;

/// A way that may be slower than this with digesting is not worth its gain without.
const MOST_LOSS: f64 = 0.97;

/// Rounds in which all candidates are visited, and those that go on.
const FIRST_ROUNDS: usize = 2;
const FINALISTS: usize = 3;

/// The large file, unless the device is slow or there is little room; and at least, for below it the engine would not take it
/// for a large one whatever is computed.
const LARGE_BYTES: u64 = 256 << 20;
const LEAST_LARGE_BYTES: u64 = 64 << 20;

/// Small files, at least and at most.
const SMALL_FILES: std::ops::RangeInclusive<u64> = 250..=4_000;

impl Part {
    /// All of them, with the share that each has of the budget. The rest is for the last comparison.
    const ALL: [(Self, f64); 3] = [(Self::ColdLarge, 0.3), (Self::ColdSmall, 0.35), (Self::WarmLarge, 0.15)];

    /// As it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::ColdLarge => "large file, cold",
            Self::ColdSmall => "small files, cold",
            Self::WarmLarge => "large file, warm",
        }
    }

    /// What is computed while the ways are compared. Mapping a file is no reading before somebody looks at it, and takes time
    /// from who digests that copying takes from who reads ahead: warm, only both together tell.
    fn computed(self) -> Option<Algorithm> {
        (self == Self::WarmLarge).then(sha256)
    }

    /// The profile `base` with this part of `other`.
    fn graft(self, base: Profile, other: &Profile) -> Profile {
        match self {
            Self::ColdLarge => Profile { cold: other.cold, ..base },
            Self::ColdSmall => Profile { small: other.small, order: other.order, ..base },
            Self::WarmLarge => Profile { warm: other.warm, ..base },
        }
    }

    /// The ways to try, the one of `base` first.
    fn ways(self, base: Profile, turns: bool, has_rings: bool) -> Vec<Profile> {
        const KIB: usize = 1 << 10;
        let large = |engine, blocks: &[usize], depths: &[usize]| -> Vec<LargeFiles> {
            let of = |&block: &usize| {
                depths.iter().map(move |&in_flight| LargeFiles {
                    engine,
                    block_bytes: block * KIB,
                    in_flight,
                })
            };
            blocks.iter().flat_map(of).collect()
        };
        let mut ways = vec![base];
        match self {
            Self::ColdLarge => {
                let buffered = large(EngineKind::Buffered, &[128, 512, 2_048], &[1, 4, 8]);
                let direct = large(EngineKind::Direct, &[512, 1_024, 2_048], &[1, 2, 4, 8]);
                ways.extend(buffered.into_iter().chain(direct).map(|cold| Profile { cold, ..base }));
            }
            Self::WarmLarge => {
                let buffered = large(EngineKind::Buffered, &[128, 256, 512, 1_024, 2_048], &[8]);
                let mapped = large(EngineKind::Mapped, &[512, 1_024, 4_096], &[4]);
                ways.extend(buffered.into_iter().chain(mapped).map(|warm| Profile { warm, ..base }));
            }
            Self::ColdSmall => {
                for engine in [EngineKind::Buffered, EngineKind::Uring] {
                    for in_flight in [1, 4, 16, 32, 64, 128] {
                        let small = SmallReading { engine, in_flight };
                        // Each worker has a ring of its own, and none of them is shorter than this.
                        let rings_are_as_long = has_rings && in_flight >= 8 * cores();
                        if engine == EngineKind::Buffered || rings_are_as_long {
                            ways.push(Profile { small, order: ReadOrder::Inputs, ..base });
                        }
                        if turns && engine == EngineKind::Buffered && in_flight <= 4 {
                            ways.push(Profile { small, order: ReadOrder::OnDisk, ..base });
                        }
                    }
                }
            }
        }
        let mut distinct: Vec<Profile> = Vec::new();
        for way in ways {
            if !distinct.contains(&way) {
                distinct.push(way);
            }
        }
        distinct
    }
}

impl Tune {
    /// Measures. Test files are gone afterwards.
    ///
    /// # Errors
    /// There is no place for test files, or nothing could be measured.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Tuned, NotTuned> {
        let device = Device::at(&self.directory).map_err(NotTuned::Device)?;
        let place = Place::describe(&self.directory).map_err(NotTuned::Device)?;
        let tuned = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let base = DeviceProfile::default_for(&device);
        let files = self.files(&place, base, observer).map_err(NotTuned::Files)?.ok_or(NotTuned::Stopped)?;
        let mut course =
            Course { tune: self, files, base, chosen: base, candidates: Vec::new(), notes: Vec::new() };
        if let Err(error) = Uring::available_at(&self.directory) {
            course.notes.push(format!("{NO_RINGS}: {error}"));
        }
        let interrupted = course.run(&device, observer);
        if !interrupted && course.candidates.iter().all(|candidate| candidate.result.figure.is_none()) {
            return Err(NotTuned::Nothing(course.notes.join("; ")));
        }
        let Course { chosen, candidates, notes, .. } = course;
        let mut kept = DeviceProfile::new(&chosen, &self.program, tuned, device.identity, place);
        kept.notes = notes;
        kept.cells = candidates.iter().map(|candidate| candidate.result.clone()).collect();
        Ok(Tuned { kept, candidates, interrupted })
    }

    /// Makes the test files; none if somebody asked to stop, who waits for one of them at most.
    fn files(
        &self,
        place: &Place,
        base: Profile,
        observer: &mut dyn Observer,
    ) -> std::io::Result<Option<Files>> {
        try_directory(&self.directory)?;
        let allowance = Allowance::at(place, &Machine::describe());
        let bytes = LARGE_BYTES.min(allowance.bytes / 2) / LEAST_LARGE_BYTES * LEAST_LARGE_BYTES;
        if bytes == 0 {
            let reason = format!("there is too little room: 128 MiB are the least, and {}", allowance.reason);
            let reason = format!("{reason} is {} MiB", allowance.bytes >> 20);
            return Err(std::io::Error::new(std::io::ErrorKind::StorageFull, reason));
        }
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
        let mut probe = PipelineProbe::small(&few, sha256(), cores(), CacheState::Cold)
            .tuned(base, None)
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

/// A tuning under way.
struct Course<'a> {
    tune: &'a Tune,
    files: Files,
    /// The way without a profile.
    base: Profile,
    chosen: Profile,
    candidates: Vec<Candidate>,
    notes: Vec<String>,
}

impl Course<'_> {
    /// Tunes all parts; true if somebody asked to stop.
    fn run(&mut self, device: &Device, observer: &mut dyn Observer) -> bool {
        let mut done = 0.0;
        let has_rings = Uring::available_at(&self.tune.directory).is_ok();
        for (part, share) in Part::ALL {
            let mut observer = Scaled { observer, from: done, share };
            let ways = part.ways(self.base, device.rotational == Some(true), has_rings);
            if self.tune_part(part, &ways, &mut observer) {
                return true;
            }
            done += share;
        }
        let mut observer = Scaled { observer, from: done, share: 1.0 - done };
        self.prove(1.0 - done, &mut observer)
    }

    /// Tries the ways of one part and takes the best; true if somebody asked to stop.
    fn tune_part(&mut self, part: Part, ways: &[Profile], observer: &mut Scaled<'_>) -> bool {
        let budget = self.tune.budget.mul_f64(observer.share);
        let computed = part.computed();
        let mut probes: Vec<Box<dyn Probe>> =
            ways.iter().map(|way| self.probe(part, *way, computed)).collect();
        let first = self.plan(budget / 2, 1, FIRST_ROUNDS);
        let (mut results, ending) = sample(&mut probes, &first, &mut observer.half(0));
        if ending == Ending::Interrupted {
            return true;
        }
        let mut best: Vec<usize> = (1..ways.len()).collect();
        best.sort_by(|&a, &b| f64::total_cmp(&median(&results[b]), &median(&results[a])));
        let finalists: Vec<usize> = std::iter::once(0).chain(best.into_iter().take(FINALISTS)).collect();
        let mut last: Vec<Box<dyn Probe>> =
            finalists.iter().map(|&at| self.probe(part, ways[at], computed)).collect();
        let (finals, ending) = sample(&mut last, &self.plan(budget / 2, 7, 15), &mut observer.half(1));
        if ending == Ending::Interrupted {
            return true;
        }
        for (&at, result) in finalists.iter().zip(finals) {
            results[at] = result;
        }
        let default = results[0].figures();
        let gain = |&at: &usize| ratio_of_medians(&results[at].figures(), &default).map(|gain| (at, gain));
        let best = finalists[1..].iter().filter_map(gain).filter(|(_, gain)| is_gain(gain));
        let taken =
            best.max_by(|(_, a), (_, b)| f64::total_cmp(&a.median, &b.median)).map_or(0, |(at, _)| at);
        self.chosen = part.graft(self.chosen, &ways[taken]);
        if let Some(reason) = &results[0].not_measured {
            self.notes.push(format!("{}: {reason}", part.name()));
        } else if default.len() < LEAST_FOR_INTERVAL {
            let rounds = default.len();
            let why = format!(
                "{rounds} rounds in the time that there was are too few to tell; a longer --budget has more"
            );
            self.notes.push(format!("{}: {why}", part.name()));
        }
        for (at, result) in results.into_iter().enumerate() {
            let (is_default, is_taken) = (at == 0, at == taken && result.figure.is_some());
            let order = if part == Part::ColdSmall { ways[at].order } else { ReadOrder::Inputs };
            self.candidates.push(Candidate { part, order, result, is_default, is_taken });
        }
        false
    }

    /// Compares what was taken with the default once more, digesting as `sum` does, and takes back what may lose there; true if
    /// somebody asked to stop.
    fn prove(&mut self, share: f64, observer: &mut Scaled<'_>) -> bool {
        let changed: Vec<Part> = Part::ALL
            .iter()
            .map(|(part, _)| *part)
            .filter(|part| part.graft(self.base, &self.chosen) != self.base)
            .collect();
        if changed.is_empty() {
            return false;
        }
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        for &part in &changed {
            for way in [self.base, part.graft(self.base, &self.chosen)] {
                probes.push(self.probe(part, way, Some(sha256())));
            }
        }
        let plan = self.plan(self.tune.budget.mul_f64(share), 7, 15);
        let (results, ending) = sample(&mut probes, &plan, observer);
        if ending == Ending::Interrupted {
            return true;
        }
        for (part, pair) in changed.into_iter().zip(results.chunks_exact(2)) {
            match ratio_of_medians(&pair[1].figures(), &pair[0].figures()) {
                Some(gain) if is_harmless(&gain) => {}
                Some(gain) => self.take_back(part, &rate_of_default(&gain)),
                None => self.take_back(part, "it could not be compared"),
            }
        }
        false
    }

    fn take_back(&mut self, part: Part, why: &str) {
        self.chosen = part.graft(self.chosen, &self.base);
        self.notes.push(format!(
            "{}: faster at first, but perhaps not with sha256 computed: {why}; left as it was",
            part.name()
        ));
        for candidate in self.candidates.iter_mut().filter(|candidate| candidate.part == part) {
            candidate.is_taken = candidate.is_default;
        }
    }

    fn probe(&self, part: Part, way: Profile, algorithm: Option<Algorithm>) -> Box<dyn Probe> {
        let Files { large, warm, small } = &self.files;
        let probe = match part {
            Part::ColdLarge => PipelineProbe::cold(large, sha256(), cores()),
            Part::WarmLarge => PipelineProbe::warm(warm, sha256(), cores()),
            Part::ColdSmall => PipelineProbe::small(small, sha256(), cores(), CacheState::Cold)
                .dropping_inodes(self.tune.drop_caches),
        };
        Box::new(probe.tuned(way, algorithm))
    }

    fn plan(&self, budget: Duration, least_rounds: usize, most_rounds: usize) -> Plan {
        let sample = Duration::from_millis(50);
        Plan { budget, sample, least_rounds, most_rounds, width: 0.02, seed: self.tune.seed }
    }
}

/// Whether a way is faster than the default beyond doubt, and by enough to matter.
pub(crate) fn is_gain(gain: &Estimate) -> bool {
    gain.median >= LEAST_GAIN && gain.interval.is_some_and(|(low, _)| low > 1.0)
}

/// Whether a way is no slower than the default by anything that matters, beyond doubt: a figure that is too wide to tell
/// speaks for the default.
fn is_harmless(gain: &Estimate) -> bool {
    gain.interval.is_some_and(|(low, _)| low >= MOST_LOSS)
}

/// A ratio to the default, in words.
fn rate_of_default(gain: &Estimate) -> String {
    match gain.interval {
        Some((low, high)) => format!("{:.2} [{low:.2}, {high:.2}] of the rate of the default", gain.median),
        None => format!("{:.2} of the rate of the default in too few rounds", gain.median),
    }
}

fn median(result: &CellResult) -> f64 {
    result.figure.map_or(0.0, |figure| figure.median)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn sha256() -> Algorithm {
    Algorithm::named("sha256").expect("registered")
}

/// Shows a part of the whole as that part.
struct Scaled<'a> {
    observer: &'a mut dyn Observer,
    from: f64,
    share: f64,
}

impl Scaled<'_> {
    /// The first or the second half of it.
    fn half(&mut self, number: u32) -> Scaled<'_> {
        let share = self.share / 2.0;
        Scaled { observer: self.observer, from: self.from + share * f64::from(number), share }
    }
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
    fn every_way_is_sound_and_tried_once() {
        for (part, _) in Part::ALL {
            for base in [Profile::default(), Profile::rotational()] {
                let ways = part.ways(base, true, true);
                assert_eq!(ways[0], base);
                for (at, way) in ways.iter().enumerate() {
                    assert!(way.is_sound(), "{way:?}");
                    assert!(!ways[..at].contains(way), "{way:?}");
                    assert_eq!(part.graft(base, way), *way, "it differs in this part only");
                }
                let without_rings = part.ways(base, false, false);
                assert!(without_rings.iter().all(|way| way.small.engine != EngineKind::Uring));
            }
        }
    }

    #[test]
    fn a_device_is_tuned_and_nothing_is_left_behind() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let tuned = tune(directory.path()).run(&mut Silent::for_ever()).expect("there is room");
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
        assert!(!tuned.interrupted);
        assert!(tuned.kept.profile().is_some_and(|profile| profile.is_sound()));
        for (part, _) in Part::ALL {
            let of_part = || tuned.candidates.iter().filter(move |candidate| candidate.part == part);
            let measured = of_part().any(|candidate| candidate.result.figure.is_some());
            assert_eq!(of_part().filter(|candidate| candidate.is_taken).count(), usize::from(measured));
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

    fn gain(median: f64, interval: Option<(f64, f64)>) -> Estimate {
        Estimate { median, interval, min: 0.0, max: 9.0, mad: 0.0, n: 7 }
    }

    #[test]
    fn only_what_is_faster_beyond_doubt_is_a_gain() {
        assert!(is_gain(&gain(1.2, Some((1.1, 1.3)))));
        assert!(!is_gain(&gain(1.02, Some((1.01, 1.03)))), "too little");
        assert!(!is_gain(&gain(1.2, Some((0.99, 1.4)))), "in doubt");
        assert!(!is_gain(&gain(1.2, None)), "too few samples");
    }

    #[test]
    fn only_what_loses_nothing_beyond_doubt_is_harmless() {
        assert!(is_harmless(&gain(0.99, Some((0.97, 1.01)))) && is_harmless(&gain(1.1, Some((1.0, 1.2)))));
        assert!(!is_harmless(&gain(0.92, Some((0.91, 0.93)))), "slower");
        assert!(!is_harmless(&gain(1.01, Some((0.96, 1.06)))), "in doubt");
        assert!(!is_harmless(&gain(1.1, None)), "too few samples");
    }
}
