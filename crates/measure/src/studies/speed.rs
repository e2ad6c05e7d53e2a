//! `bench speed`: algorithms by message sizes, one message after the other and side by side, on one core and on all.
//!
//! The study that hashbench made, in its place and beside it: see [`PUBLISHED`].

use hashlane_digest::Algorithm;
use hashlane_io::memory_budget;

use crate::cell::{Cell, Stage, Unit};
use crate::probes::{Absent, Foreign, ForeignProbe, Form, MessageProbe};
use crate::run::Run;
use crate::sample::CellResult;
use crate::sampler::{Observer, Plan, Probe, sample};
use crate::statistics::median;
use crate::study::{Brief, Underway, Values};

/// Name of the study in run files.
pub const STUDY: &str = "speed";

/// Algorithms unless others are named: those that people use for files.
pub const ALGORITHMS: [&str; 7] = crate::ceilings::ALGORITHMS;

/// Bytes of messages unless others are named. Those of hashbench and those of `openssl speed` are among them.
pub const SIZES: Values<usize> = Values {
    usual: &[16, 64, 100, 1 << 10, 10_000, 16 << 10, 100_000, 1 << 20, 16 << 20],
    quick: &[64, 1 << 10, 16 << 10, 1 << 20],
    published: &PUBLISHED.sizes,
};

/// What hashbench measured: algorithms, sizes, and messages in one timing.
pub const PUBLISHED: Published = Published {
    algorithms: ["md4", "tiger", "md5"],
    sizes: [100, 1 << 10, 10_000, 100_000, 1 << 20],
    messages: 100,
};

/// Memory for the messages of one thread: more would not be a message in memory but a measure of memory.
const MOST_BYTES: usize = 64 << 20;

/// The parameters of the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Names of the algorithms.
    pub algorithms: [&'static str; 3],
    /// Bytes of a message.
    pub sizes: [usize; 5],
    /// Messages that were timed together.
    pub messages: u64,
}

/// The study, with its parameters.
#[derive(Clone, Debug)]
pub struct Speed {
    /// What every study gets.
    pub brief: Brief,
    /// What is computed.
    pub algorithms: Vec<Algorithm>,
    /// Functions of others beside them.
    pub foreign: Vec<Foreign>,
    /// Bytes of the messages.
    pub sizes: Vec<usize>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
    /// One message after the other, side by side, or both.
    pub forms: Vec<Form>,
    /// Messages of a thread in one timing; as many as fill its time where it is not laid down.
    pub messages: Option<u64>,
}

impl Speed {
    /// Measures. Nothing is read or written.
    pub fn run(&self, observer: &mut dyn Observer) -> Run {
        let study = Underway::begin(STUDY, &self.brief, false);
        // Without limits as much as was asked for; else as much as the check-up takes of them.
        let mut probes = self.probes(memory_budget().map_or(usize::MAX, |bytes| bytes / 2));
        let (cells, ending) = sample(&mut probes, &self.plan(), observer);
        drop(probes);
        study.finish(cells, ending)
    }

    /// Samples may be short: nothing here waits for anything, and there are many cells.
    fn plan(&self) -> Plan {
        let plan = self.brief.plan();
        Plan { sample: plan.sample / 5, ..plan }
    }

    fn probes(&self, most_bytes: usize) -> Vec<Box<dyn Probe>> {
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        for &algorithm in &self.algorithms {
            probes.extend(self.absent(algorithm));
            for &form in &self.forms {
                for &threads in &self.threads {
                    let sizes = self.sizes.iter().filter(|&&size| self.fits(algorithm, form, size));
                    let of_size =
                        |&size| MessageProbe::new(algorithm, &self.brief.backend, form, threads, size);
                    for probe in sizes.filter_map(of_size) {
                        let needed = probe.all_bytes();
                        probes.push(match self.messages {
                            _ if needed > most_bytes => {
                                let reason = format!(
                                    "such messages take {:.0} MB, and the limits of this process leave {:.0} MB for them",
                                    needed as f64 / 1e6,
                                    most_bytes as f64 / 1e6
                                );
                                Box::new(Absent::new(probe.cell(), probe.unit(), &reason))
                            }
                            Some(count) => Box::new(probe.counted(count)),
                            None => Box::new(probe),
                        });
                    }
                }
            }
        }
        for foreign in &self.foreign {
            for &size in &self.sizes {
                probes.push(Box::new(ForeignProbe::new(foreign, size, self.messages)));
            }
        }
        probes
    }

    /// What of an algorithm cannot be measured where nothing but messages side by side is asked for.
    fn absent(&self, algorithm: Algorithm) -> Vec<Box<dyn Probe>> {
        if self.forms.contains(&Form::Single) {
            return Vec::new();
        }
        let absent = |size: Option<usize>, reason: &str| {
            let algorithm = Some(algorithm.name().to_owned());
            let block_bytes = size.map(|size| size as u64);
            let threads = self.threads.first().copied().unwrap_or(1);
            let cell = Cell { algorithm, block_bytes, threads, ..Cell::new(Stage::Digest) };
            Box::new(Absent::new(cell, Unit::BytesPerSecond, reason)) as Box<dyn Probe>
        };
        if MessageProbe::width(algorithm, &self.brief.backend).is_none() {
            return vec![absent(
                None,
                "it has no lanes here: its messages are digested only one after the other",
            )];
        }
        let reason = format!("side by side, such messages take more than {} MiB per core", MOST_BYTES >> 20);
        let too_large = self.sizes.iter().filter(|&&size| !self.fits(algorithm, Form::SideBySide, size));
        too_large.map(|&size| absent(Some(size), &reason)).collect()
    }

    fn fits(&self, algorithm: Algorithm, form: Form, size: usize) -> bool {
        form == Form::Single
            || MessageProbe::memory_bytes(algorithm, &self.brief.backend, form, size) <= MOST_BYTES
    }
}

/// The result of a message size in one form; `side_by_side` or one after the other.
pub fn find<'a>(
    run: &'a Run,
    algorithm: &str,
    size_bytes: u64,
    threads: usize,
    side_by_side: bool,
) -> Option<&'a CellResult> {
    run.find(|cell| {
        is_message(cell, algorithm, side_by_side)
            && cell.block_bytes == Some(size_bytes)
            && cell.threads == threads
    })
}

/// Whether a cell is about messages of an algorithm, or of a foreign function, in this form.
pub fn is_message(cell: &Cell, name: &str, side_by_side: bool) -> bool {
    cell.stage == Stage::Digest
        && cell.messages.is_some_and(|messages| (messages > 1) == side_by_side)
        && subject(cell) == Some(name)
}

/// What a cell is about: a foreign function or an algorithm.
pub fn subject(cell: &Cell) -> Option<&str> {
    cell.program.as_deref().or(cell.algorithm.as_deref())
}

/// Names of what was measured, and the sizes, each in its order.
pub fn subjects_and_sizes(run: &Run) -> (Vec<String>, Vec<u64>) {
    let (mut subjects, mut sizes) = (Vec::new(), Vec::new());
    for result in &run.cells {
        if let Some(name) = subject(&result.cell).filter(|name| subjects.iter().all(|known| known != name)) {
            subjects.push(name.to_owned());
        }
        sizes.extend(result.cell.block_bytes.filter(|size| !sizes.contains(size)));
    }
    sizes.sort_unstable();
    (subjects, sizes)
}

/// Nanoseconds that a thread takes for one message.
pub fn ns_per_message(result: &CellResult) -> Option<f64> {
    let ns = |sample: &crate::sample::Sample| {
        sample.elapsed.wall_ns as f64 * result.cell.threads as f64 / sample.work.operations as f64
    };
    median(&result.samples.iter().map(ns).collect::<Vec<_>>())
}

/// Whose cycles are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// Those that the cores spent, as their counters say.
    OfCores,
    /// Those of the time stamp counter, which goes at a pace of its own.
    OfClock,
}

/// Cycles that a byte takes on one core, and whose they are.
pub fn cycles_per_byte(result: &CellResult, run: &Run) -> Option<(f64, Cycles)> {
    let counted =
        |sample: &crate::sample::Sample| Some(sample.elapsed.core_cycles? as f64 / sample.work.bytes as f64);
    let counted: Option<Vec<f64>> = result.samples.iter().map(counted).collect();
    if let Some(cycles) = counted.as_deref().and_then(median).filter(|cycles| cycles.is_finite()) {
        return Some((cycles, Cycles::OfCores));
    }
    let rate = result.figure.map(|figure| figure.median).filter(|rate| *rate > 0.0)?;
    Some((run.reference_cycles_per_second? * result.cell.threads as f64 / rate, Cycles::OfClock))
}

#[cfg(test)]
mod tests {
    use hashlane_digest::BackendChoice;

    use super::*;
    use crate::testing::{Silent, brief};

    fn speed(names: &[&str], sizes: &[usize]) -> Speed {
        Speed {
            brief: brief(".".as_ref()),
            algorithms: names.iter().map(|name| Algorithm::named(name).expect("registered")).collect(),
            foreign: Vec::new(),
            sizes: sizes.to_vec(),
            threads: vec![1],
            forms: vec![Form::Single, Form::SideBySide],
            messages: None,
        }
    }

    #[test]
    fn every_size_of_every_algorithm_has_a_finite_figure() {
        let run = speed(&["md5", "blake3"], &[1, 16, 70_000]).run(&mut Silent);
        let (subjects, sizes) = subjects_and_sizes(&run);
        assert_eq!(
            (subjects, sizes.clone()),
            (vec!["md5".to_owned(), "blake3".to_owned()], vec![1, 16, 70_000])
        );
        for result in &run.cells {
            let figure = result.figure.expect("it is in memory");
            assert!(figure.median.is_finite() && figure.median > 0.0, "{result:?}");
            assert!(ns_per_message(result).is_some_and(|ns| ns > 0.0 && ns.is_finite()));
        }
        for size in sizes {
            assert!(find(&run, "md5", size, 1, false).is_some());
            let has_lanes = MessageProbe::width(Algorithm::MD5, &BackendChoice::Auto);
            assert_eq!(find(&run, "md5", size, 1, true).is_some(), has_lanes.is_some());
        }
        assert_eq!(Run::parse(run.to_json().as_bytes(), "x".as_ref()).expect("as it was written"), run);
    }

    #[test]
    fn a_message_takes_longer_on_all_threads_than_its_share_of_the_time() {
        let mut result = CellResult::new(
            Cell { threads: 4, ..Cell::new(Stage::Digest) },
            crate::cell::Unit::BytesPerSecond,
        );
        result.samples.push(crate::sample::Sample {
            round: 0,
            place: 0,
            elapsed: crate::clock::Elapsed { wall_ns: 1_000, ..Default::default() },
            work: crate::sample::Work { bytes: 4_000, operations: 40, ..Default::default() },
            resident_bytes_before: None,
            noise: crate::noise::Noise::default(),
        });
        result.summarise();
        assert_eq!(ns_per_message(&result), Some(100.0));
    }

    #[test]
    fn messages_that_would_fill_the_memory_are_not_put_side_by_side() {
        let speed = speed(&["md5"], &[1 << 30]);
        let md5 = speed.algorithms[0];
        assert!(speed.fits(md5, Form::Single, 1 << 30));
        assert!(!speed.fits(md5, Form::SideBySide, 1 << 30));
    }

    #[test]
    fn what_cannot_be_side_by_side_is_said_where_nothing_else_is_asked_for() {
        let mut speed = speed(&["md5", "xxh3"], &[16, 1 << 30]);
        speed.forms = vec![Form::SideBySide];
        speed.brief.backend = BackendChoice::Auto;
        let run = speed.run(&mut Silent);
        let reason = |name: &str, size: Option<u64>| {
            let of = |cell: &Cell| subject(cell) == Some(name) && cell.block_bytes == size;
            run.find(of).and_then(|result| result.not_measured.clone()).unwrap_or_default()
        };
        assert!(reason("xxh3", None).starts_with("it has no lanes here"));
        let has_lanes = MessageProbe::width(speed.algorithms[0], &BackendChoice::Auto).is_some();
        let large = reason("md5", Some(1 << 30));
        assert_eq!(large.starts_with("side by side, such messages take more than 64 MiB"), has_lanes);
    }

    #[test]
    fn what_hashbench_measured_is_there() {
        assert!(PUBLISHED.algorithms.iter().all(|name| Algorithm::named(name).is_some()));
        assert!(PUBLISHED.sizes.iter().all(|size| SIZES.usual.contains(size)));
    }
}
