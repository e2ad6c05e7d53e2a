//! Doubts about a run, each with its remedy. They are data: in the run file as in every table.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::Stage;
use crate::machine::{Machine, Place};
use crate::sample::CellResult;
use crate::statistics::{arithmetic_mean, median};

/// Threads of others that want a core, on average over all samples, above which they disturb.
const OTHERS: f64 = 0.3;

/// Share of processor time taken by the host that shows in figures of two digits.
const STOLEN: f64 = 0.01;

/// Width of an interval, as a share of its figure, above which two runs will hardly agree within a few percent.
const WIDE: f64 = 0.05;

/// A drop of the clock rate within a run that shows in figures.
const SLOWED: f64 = 0.9;

/// A doubt about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "warning", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Warning {
    /// A pipeline was faster than its slower stage alone, which cannot be: the stage was disturbed.
    AboveCeiling {
        /// The pipeline.
        cell: String,
        /// What it reached of the ceiling, 1 for all of it.
        share: f64,
    },
    /// The clock rate of the processor fell while the run was under way.
    ClockRateFell {
        /// In kHz, the highest seen.
        from_khz: u64,
        /// In kHz, the lowest seen.
        to_khz: u64,
    },
    /// The time of day was set.
    ClockStepped {
        /// By so many seconds.
        seconds: f64,
    },
    /// A control group grants less processor time than there are cores.
    CoreLimit {
        /// In cores.
        cores: f64,
        /// Cores that the process sees.
        of: usize,
    },
    /// Some cells have so few rounds that their figures have no interval.
    FewRounds {
        /// Number of cells.
        cells: usize,
    },
    /// Files that were to be read were not.
    FilesLeftOut {
        /// How many.
        files: u64,
        /// Bytes of those that were read.
        read_bytes: u64,
    },
    /// The clock rate is not held at its highest.
    Governor {
        /// Its name.
        governor: String,
    },
    /// The run was stopped before its end.
    Interrupted,
    /// Other programs were at work.
    Loaded {
        /// Their threads that wanted a core, on average when a sample began.
        threads: f64,
    },
    /// The disk is a file of another file system, which may have it in its cache.
    LoopDevice {
        /// The file, if it is told.
        file: String,
    },
    /// Memory to measure was short: much of it fits in a cache.
    MemoryInCache {
        /// Bytes that were measured.
        bytes: u64,
        /// Bytes of all farthest caches.
        cache_bytes: u64,
    },
    /// A program has changed the file that it was to read. What was measured before holds.
    InputChanged {
        /// The variant.
        variant: String,
    },
    /// The files lie in memory: there is no device to read from.
    MemoryFileSystem {
        /// Type of the file system.
        file_system: String,
    },
    /// The files come from another machine, whose cache is not seen.
    NetworkFileSystem {
        /// Type of the file system.
        file_system: String,
    },
    /// There is one core: nothing can overlap.
    OneCore,
    /// The test files are smaller than wanted.
    SmallFiles {
        /// Bytes that were to be had.
        bytes: u64,
        /// What limits them.
        reason: String,
    },
    /// The host took processor time away.
    Stolen {
        /// Share of all processor time, 0 to 1.
        share: f64,
    },
    /// It cannot be told what the files lie on.
    UnknownDevice {
        /// Type of the file system.
        file_system: String,
    },
    /// The disk is one that the host provides; its cache is not seen.
    VirtualDisk,
    /// Some figures are uncertain.
    WideIntervals {
        /// Number of cells.
        cells: usize,
        /// The widest, as a share of its figure.
        widest: f64,
        /// The cell of the widest.
        cell: String,
    },
    /// Inputs are made of the word list of this program and not of a dictionary.
    WordList,
    /// One of a later program, which this one has no words for.
    #[serde(other)]
    #[schemars(skip)]
    Other,
}

impl Warning {
    /// Whether figures may be wrong for it, so that no conclusion stands without it. The others say what figures are about.
    pub fn is_doubt(&self) -> bool {
        matches!(
            self,
            Self::AboveCeiling { .. }
                | Self::ClockRateFell { .. }
                | Self::FewRounds { .. }
                | Self::InputChanged { .. }
                | Self::Interrupted
                | Self::Loaded { .. }
                | Self::MemoryInCache { .. }
                | Self::Stolen { .. }
        )
    }

    /// The text of those that hold no value.
    fn fixed(&self) -> &'static str {
        match self {
            Self::Interrupted => "the run was stopped before its end; finished rounds were kept",
            Self::OneCore => "there is only one core: reading and digesting cannot overlap",
            Self::Other => "a later hashlane had a doubt that this one does not know; use that one to see it",
            Self::VirtualDisk => {
                "the disk is virtual, and its host may have a cache that cannot be seen here; cold means cold for this kernel"
            }
            _ => {
                "inputs are made of a word list that this program generates; to compare with figures of a dictionary, \
                 which are other work, install one (the package wamerican on Debian)"
            }
        }
    }

    /// The text of those that are about the place of the files.
    fn of_files(&self, file_system: &str) -> String {
        match self {
            Self::MemoryFileSystem { .. } => format!(
                "{file_system} keeps its files in memory, so cold figures are not possible; name a directory on a disk"
            ),
            Self::NetworkFileSystem { .. } => format!(
                "{file_system} files come from another machine, which may have them in its cache; cold means cold for this one"
            ),
            _ => format!(
                "the device of {file_system} files is unknown; cold only means not in this kernel's cache"
            ),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| share * 100.0;
        match self {
            Self::AboveCeiling { cell, share } => write!(
                f,
                "`{cell}` reached {:.0} % of its ceiling, so the ceiling was measured while the machine was disturbed; let \
                 other work end",
                percent(*share)
            ),
            Self::ClockRateFell { from_khz, to_khz } => write!(
                f,
                "the clock rate fell from {:.2} to {:.2} GHz while measuring; let the machine cool, or fix the rate",
                *from_khz as f64 / 1e6,
                *to_khz as f64 / 1e6
            ),
            Self::ClockStepped { seconds } => write!(
                f,
                "the time of day was set by {seconds:+.1} s, or the machine slept, while measuring; the figures hold, the dates may not"
            ),
            Self::CoreLimit { cores, of } => write!(
                f,
                "a control group grants {cores:.2} of {of} cores; raise the limit, or use the figures for this \
                 container only"
            ),
            Self::FewRounds { cells } => write!(
                f,
                "{} from too few rounds for an interval; a longer budget gives more",
                if *cells == 1 { "one figure comes".to_owned() } else { format!("{cells} figures come") }
            ),
            Self::Governor { governor } => write!(
                f,
                "the clock rate is governed by `{governor}`; set `performance` for repeatable figures"
            ),
            Self::InputChanged { variant } => write!(
                f,
                "{variant} changed its input; only what was measured before that is valid; leave it out"
            ),
            Self::Loaded { threads } => write!(
                f,
                "on average, {threads:.1} threads of other programs competed for the cores; let other work end first"
            ),
            Self::LoopDevice { file } => write!(
                f,
                "the disk is the file {file}, which its own file system may have cached; cold means only that nothing is cached \
                 above that"
            ),
            Self::MemoryInCache { bytes, cache_bytes } => write!(
                f,
                "memory was measured with {} MiB, but the caches have {} MiB, so the figures are partly those of the caches; \
                 free some memory",
                bytes >> 20,
                cache_bytes >> 20
            ),
            Self::MemoryFileSystem { file_system }
            | Self::NetworkFileSystem { file_system }
            | Self::UnknownDevice { file_system } => write!(f, "{}", self.of_files(file_system)),
            Self::FilesLeftOut { files, read_bytes } => write!(
                f,
                "{files} files were left out: they cannot be opened, or exceed what may be read; the others have {:.1} MB",
                *read_bytes as f64 / 1e6
            ),
            Self::SmallFiles { bytes, reason } => write!(
                f,
                "the test files were cut to {} MiB, {reason}; figures of smaller files vary more",
                bytes >> 20
            ),
            Self::Stolen { share } => write!(
                f,
                "the host took away {:.1} % of the processor time; measure when its other guests are quiet",
                percent(*share)
            ),
            Self::Interrupted | Self::OneCore | Self::Other | Self::VirtualDisk | Self::WordList => {
                f.write_str(self.fixed())
            }
            Self::WideIntervals { cells, widest, cell } => write!(
                f,
                "{cells} {} wider than {:.0} %, that of `{cell}` {:.0} %; let other work end, or use a longer budget",
                if *cells == 1 { "interval is" } else { "intervals are" },
                percent(WIDE),
                percent(*widest)
            ),
        }
    }
}

/// What the machine and the place give cause to doubt, before anything is measured.
pub fn of_surroundings(machine: &Machine, place: Option<&Place>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let cores = machine.processor.cores;
    warnings.extend(machine.core_limit().map(|(cores, of)| Warning::CoreLimit { cores, of }));
    if cores == 1 {
        warnings.push(Warning::OneCore);
    }
    if let Some(governor) = machine.processor.governor.clone().filter(|governor| governor != "performance") {
        warnings.push(Warning::Governor { governor });
    }
    let Some(place) = place else { return warnings };
    let file_system = place.file_system.clone();
    warnings.extend(match place.medium.as_str() {
        "memory" => Some(Warning::MemoryFileSystem { file_system }),
        "network" => Some(Warning::NetworkFileSystem { file_system }),
        "virtual-disk" => Some(Warning::VirtualDisk),
        "loop" => {
            let file = place.backing_file.clone().unwrap_or_else(|| "of a loop device".to_owned());
            Some(Warning::LoopDevice { file })
        }
        "disk" => None,
        _ => Some(Warning::UnknownDevice { file_system }),
    });
    warnings
}

/// What the samples give cause to doubt.
pub fn of_samples(results: &[CellResult]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let samples = || results.iter().flat_map(|result| &result.samples);
    // Weighted by time: what is taken from a short sample matters as little as the sample.
    let all: f64 = samples().map(|sample| sample.elapsed.wall_ns as f64).sum();
    let stolen: f64 =
        samples().filter_map(|sample| Some(sample.noise.stolen? * sample.elapsed.wall_ns as f64)).sum();
    if all > 0.0 && stolen / all > STOLEN {
        warnings.push(Warning::Stolen { share: stolen / all });
    }
    let others: Vec<f64> =
        samples().filter_map(|sample| sample.noise.runnable_before.map(f64::from)).collect();
    if let Some(threads) = arithmetic_mean(&others).filter(|threads| *threads > OTHERS) {
        warnings.push(Warning::Loaded { threads });
    }
    if let Some((from_khz, to_khz)) = clock_rates(results).filter(|(from, to)| *to < from * SLOWED) {
        warnings.push(Warning::ClockRateFell { from_khz: from_khz as u64, to_khz: to_khz as u64 });
    }
    let measured = || results.iter().filter_map(|result| Some((result, result.figure?)));
    let few = measured().filter(|(_, figure)| figure.interval.is_none()).count();
    if few > 0 {
        warnings.push(Warning::FewRounds { cells: few });
    }
    let wide = measured().filter_map(|(result, figure)| Some((result, figure.relative_width()?)));
    let wide: Vec<_> = wide.filter(|(_, width)| *width > WIDE).collect();
    if let Some((result, widest)) = wide.iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
        let cell = result.cell.to_string();
        warnings.push(Warning::WideIntervals { cells: wide.len(), widest: *widest, cell });
    }
    warnings
}

/// The clock rate in the first half of the rounds and in the second, in kHz, each the median of what was seen right after
/// all cores had digested: after anything else a core may rest.
fn clock_rates(results: &[CellResult]) -> Option<(f64, f64)> {
    let digests = || results.iter().filter(|result| result.cell.stage == Stage::Digest);
    let threads = digests().map(|result| result.cell.threads).max()?;
    let samples =
        || digests().filter(|result| result.cell.threads == threads).flat_map(|result| &result.samples);
    let middle = samples().map(|sample| sample.round).max()? / 2;
    let rate = |late: bool| {
        let rates = samples().filter(|sample| (sample.round > middle) == late);
        median(&rates.filter_map(|sample| Some(sample.noise.clock_khz_after? as f64)).collect::<Vec<_>>())
    };
    Some((rate(false)?, rate(true)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Cell, Unit};
    use crate::clock::Elapsed;
    use crate::noise::Noise;
    use crate::sample::{Sample, Work};

    fn names(warnings: &[Warning]) -> Vec<String> {
        let name = |warning: &Warning| serde_json::to_value(warning).expect("plain data")["warning"].clone();
        warnings.iter().map(|warning| name(warning).as_str().expect("a tag").to_owned()).collect()
    }

    /// A machine that gives no cause to doubt.
    fn machine() -> Machine {
        let mut machine = Machine::describe();
        machine.processor.cores = 4;
        machine.processor.cores_by_affinity = Some(4);
        machine.processor.governor = Some("performance".into());
        machine.limits.cores = None;
        machine
    }

    fn place(medium: &str) -> Place {
        let mut place = Place::describe(&std::env::temp_dir()).expect("it is there");
        place.medium = medium.into();
        place
    }

    fn result(times_ns: &[u64], noise: Noise) -> CellResult {
        let mut result = CellResult::new(Cell::new(Stage::Read), Unit::BytesPerSecond);
        let sample = |(round, &wall_ns): (usize, &u64)| Sample {
            round,
            place: 0,
            elapsed: Elapsed { wall_ns, user_ns: 1, sys_ns: 1, ..Elapsed::default() },
            work: Work { bytes: 1_000, operations: 1, ..Work::default() },
            resident_bytes_before: None,
            noise,
        };
        result.samples = times_ns.iter().enumerate().map(sample).collect();
        result.summarise();
        result
    }

    #[test]
    fn a_quiet_machine_with_a_disk_gives_no_cause_to_doubt() {
        assert_eq!(of_surroundings(&machine(), Some(&place("disk"))), []);
        assert_eq!(of_samples(&[result(&[1_000; 7], Noise::default())]), []);
    }

    #[test]
    fn what_the_surroundings_do_to_figures_is_said() {
        let of = |machine: &Machine, medium: &str| names(&of_surroundings(machine, Some(&place(medium))));
        assert_eq!(of(&machine(), "memory"), ["memory-file-system"]);
        assert_eq!(of(&machine(), "network"), ["network-file-system"]);
        assert_eq!(of(&machine(), "virtual-disk"), ["virtual-disk"]);
        assert_eq!(of(&machine(), "loop"), ["loop-device"]);
        assert_eq!(of(&machine(), "something new"), ["unknown-device"]);
        let mut limited = machine();
        limited.limits.cores = Some(1.5);
        limited.processor.governor = Some("powersave".into());
        assert_eq!(of(&limited, "disk"), ["core-limit", "governor"]);
        limited.limits.cores = Some(1.0);
        limited.processor.cores = 1;
        assert_eq!(of(&limited, "disk"), ["core-limit", "one-core", "governor"]);
        limited.processor.cores_by_affinity = Some(1);
        assert_eq!(of(&limited, "disk"), ["one-core", "governor"]);
    }

    #[test]
    fn what_the_samples_saw_is_said() {
        let stolen = Noise { stolen: Some(0.2), ..Noise::default() };
        assert_eq!(names(&of_samples(&[result(&[1_000; 7], stolen)])), ["stolen"]);
        // A short sample weighs little.
        let mostly_quiet =
            [result(&[1_000_000; 7], Noise { stolen: Some(0.0), ..stolen }), result(&[1_000; 7], stolen)];
        assert_eq!(of_samples(&mostly_quiet), []);
        let crowded = Noise { runnable_before: Some(2), ..Noise::default() };
        assert_eq!(names(&of_samples(&[result(&[1_000; 7], crowded)])), ["loaded"]);
        let mut slower = result(&[1_000; 8], Noise::default());
        slower.cell.stage = Stage::Digest;
        for sample in &mut slower.samples {
            sample.noise.clock_khz_after = Some(if sample.round < 4 { 3_000_000 } else { 2_000_000 });
        }
        assert_eq!(names(&of_samples(&[slower.clone()])), ["clock-rate-fell"]);
        // A core that rests after a cold reading says nothing.
        slower.cell.stage = Stage::Read;
        assert_eq!(of_samples(&[slower]), []);
        assert_eq!(names(&of_samples(&[result(&[1_000; 3], Noise::default())])), ["few-rounds"]);
        let wide = result(&[1_000, 2_000, 3_000, 1_000, 2_000, 3_000, 1_000], Noise::default());
        assert_eq!(names(&of_samples(&[wide])), ["wide-intervals"]);
    }

    #[test]
    fn a_warning_says_what_to_do() {
        for (warning, remedy) in [
            (Warning::Loaded { threads: 2.5 }, "let other work end first"),
            (Warning::Governor { governor: "powersave".into() }, "set `performance`"),
            (Warning::CoreLimit { cores: 0.5, of: 4 }, "raise the limit"),
            (Warning::MemoryFileSystem { file_system: "tmpfs".into() }, "on a disk"),
            (Warning::FewRounds { cells: 3 }, "a longer budget gives more"),
            (Warning::Stolen { share: 0.05 }, "5.0 % of the processor time"),
            (Warning::ClockStepped { seconds: -3.0 }, "by -3.0 s"),
            (Warning::AboveCeiling { cell: "x".into(), share: 1.5 }, "150 % of its ceiling"),
        ] {
            assert!(warning.to_string().contains(remedy), "{warning}");
        }
    }
}
