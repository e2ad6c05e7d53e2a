//! Every algorithm by every kernel that this CPU has for it.

use std::time::Duration;

use hashlane_digest::{Algorithm, Backend, BackendChoice, Calibration, Calibrations, KernelRate, LaneSet};
use hashlane_engine::SLOTS_PER_WORKER;

use crate::check_up::DIGEST_BLOCK_BYTES;
use crate::{CellResult, DigestProbe, Ending, LanesProbe, Observer, Plan, Probe, ReferenceClock, sample};

/// One way to compute an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By a kernel that takes this many messages side by side.
    Kernel(Backend, usize),
    /// A single message, by the library that there is beside the kernels.
    Library,
}

/// A way, and what was measured of it.
#[derive(Clone, Debug)]
pub struct MeasuredWay {
    /// What it computes.
    pub algorithm: Algorithm,
    /// How.
    pub way: Way,
    /// How fast, in bytes a second.
    pub result: CellResult,
}

/// All ways of some algorithms.
#[derive(Clone, Debug)]
pub struct MeasuredWays {
    /// The ways, by algorithm.
    pub rows: Vec<MeasuredWay>,
    /// How often the time stamp counter counts in a second, where there is one.
    pub cycles_per_second: Option<f64>,
    /// How the measurement ended.
    pub ending: Ending,
}

impl MeasuredWays {
    /// Measures for about as long as `budget`.
    pub fn measure(algorithms: &[Algorithm], budget: Duration, observer: &mut dyn Observer) -> Self {
        let all = algorithms.iter().flat_map(|&algorithm| ways(algorithm).map(move |way| (algorithm, way)));
        let (ways, mut probes): (Vec<_>, Vec<_>) =
            all.filter_map(|(algorithm, way)| Some(((algorithm, way), probe(algorithm, way)?))).unzip();
        let plan = Plan {
            budget,
            // So short that some of them come between two interruptions: the fastest counts.
            sample: Duration::from_micros(300),
            least_rounds: 7,
            most_rounds: 300,
            width: 0.01,
            seed: 1,
        };
        let clock = ReferenceClock::start();
        let (cells, ending) = sample(&mut probes, &plan, observer);
        let cycles_per_second = clock.and_then(|clock| clock.rate());
        let rows = ways.into_iter().zip(cells);
        let rows = rows.map(|((algorithm, way), result)| MeasuredWay { algorithm, way, result }).collect();
        Self { rows, cycles_per_second, ending }
    }

    /// What was measured, as digests are computed by it; an algorithm that lacks a measurement is left out.
    pub fn calibrations(&self) -> Calibrations {
        let algorithms = self.rows.iter().map(|row| row.algorithm);
        algorithms.filter_map(|algorithm| Some((algorithm, self.calibration(algorithm)?))).collect()
    }

    /// The fastest samples count, as with [`hashlane_digest::calibrate`]: on a busy machine medians say who was disturbed, and not who is
    /// fast.
    fn calibration(&self, algorithm: Algorithm) -> Option<Calibration> {
        let mut calibration = Calibration::default();
        for row in self.rows.iter().filter(|row| row.algorithm == algorithm) {
            let bytes_per_second = row.result.figures().into_iter().reduce(f64::max)? as u64;
            match row.way {
                Way::Kernel(backend, lanes) => calibration.kernels.push(KernelRate {
                    backend: backend.name().to_owned(),
                    lanes,
                    bytes_per_second,
                }),
                Way::Library => calibration.library_bytes_per_second = Some(bytes_per_second),
            }
        }
        calibration.fits(algorithm).then_some(calibration)
    }
}

impl MeasuredWay {
    /// The numbers of messages that it serves under `choice`, of those that a worker may have at hand: `1, 5 to 12`.
    pub fn served(&self, choice: &BackendChoice) -> String {
        let serves = |messages: usize| {
            (1..=SLOTS_PER_WORKER).contains(&messages)
                && way_for(self.algorithm, messages, choice) == self.way
        };
        let mut ranges = Vec::new();
        for first in (1..=SLOTS_PER_WORKER).filter(|&first| serves(first) && !serves(first - 1)) {
            let last = (first..=SLOTS_PER_WORKER).find(|&last| !serves(last + 1)).unwrap_or(first);
            ranges.push(match last {
                SLOTS_PER_WORKER => format!("{first} and more"),
                last if last == first => first.to_string(),
                last => format!("{first} to {last}"),
            });
        }
        ranges.join(", ")
    }

    /// The name of the implementation.
    pub fn backend(&self) -> &'static str {
        match self.way {
            Way::Kernel(backend, _) => backend.name(),
            Way::Library => self.algorithm.backend(),
        }
    }
}

fn ways(algorithm: Algorithm) -> impl Iterator<Item = Way> {
    let kernels = algorithm.lanes().map(|lanes| lanes.kernels()).unwrap_or_default().into_iter();
    let kernels = kernels.map(|(backend, lanes)| Way::Kernel(backend, lanes));
    kernels.chain(algorithm.has_library().then_some(Way::Library))
}

fn probe(algorithm: Algorithm, way: Way) -> Option<Box<dyn Probe>> {
    Some(match way {
        Way::Kernel(backend, lanes) => Box::new(LanesProbe::new(algorithm, backend, lanes)?),
        Way::Library => Box::new(DigestProbe::new(algorithm, 1, DIGEST_BLOCK_BYTES)),
    })
}

/// The way that serves this many messages.
fn way_for(algorithm: Algorithm, messages: usize, choice: &BackendChoice) -> Way {
    if messages == 1 && algorithm.is_by_library(choice) {
        return Way::Library;
    }
    let set = LaneSet::by(algorithm, messages, choice);
    Way::Kernel(Backend::named(set.backend()).expect("it has kernels"), set.width())
}
