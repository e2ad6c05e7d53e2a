//! Calibration: which way to compute an algorithm is fastest on this CPU, by measuring all of them for some milliseconds.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hashlane_lanes::{Algorithm as InLanes, Backend, MARGIN, Part, Rate, Streams};
use serde::{Deserialize, Serialize};

use crate::algorithm::Algorithm;
use crate::hasher::Hasher;

/// What decides how an algorithm is computed, where there is a choice.
#[derive(Clone, Debug, Default)]
pub enum BackendChoice {
    /// A fixed order: by the rates that were measured where the kernels were written.
    #[default]
    Auto,
    /// What was measured on this CPU; the fixed order for algorithms that are not among it.
    Calibrated(Arc<Calibrations>),
    /// This one; the portable one where the algorithm or the CPU lacks it.
    Only(Backend),
}

/// How fast an algorithm is computed on one CPU by each way that there is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The kernels of `hashlane-lanes`, all that the CPU has.
    pub kernels: Vec<KernelRate>,
    /// Bytes in a second by the library that serves a single message otherwise, where there is one beside the kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library_bytes_per_second: Option<u64>,
}

/// How fast a kernel is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelRate {
    /// Name of its backend.
    pub backend: String,
    /// How many messages it takes in at once.
    pub lanes: usize,
    /// Bytes of all of them together, in a second.
    pub bytes_per_second: u64,
}

/// The calibrations of some algorithms on one CPU, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Calibrations(BTreeMap<String, Calibration>);

impl Calibrations {
    /// That of an algorithm, if there is one and it fits the kernels that are here: see [`Calibration::fits`].
    pub fn of(&self, algorithm: Algorithm) -> Option<&Calibration> {
        self.0.get(algorithm.name()).filter(|calibration| calibration.fits(algorithm))
    }

    /// Takes over those of another set; earlier ones of the same algorithms are replaced.
    pub fn add(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Names of the algorithms that have one.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl FromIterator<(Algorithm, Calibration)> for Calibrations {
    fn from_iter<I: IntoIterator<Item = (Algorithm, Calibration)>>(all: I) -> Self {
        Self(all.into_iter().map(|(algorithm, own)| (algorithm.name().to_owned(), own)).collect())
    }
}

impl BackendChoice {
    /// The calibration that decides how an algorithm is computed, if one does.
    pub fn calibration(&self, algorithm: Algorithm) -> Option<&Calibration> {
        match self {
            Self::Calibrated(calibrations) => calibrations.of(algorithm),
            Self::Auto | Self::Only(_) => None,
        }
    }

    /// Fresh slots of an algorithm that has kernels.
    pub(crate) fn streams(&self, algorithm: Algorithm, lanes: InLanes, slots: usize) -> Streams {
        if let Self::Only(backend) = *self {
            return [backend, Backend::Portable]
                .into_iter()
                .find_map(|backend| Streams::with_backend(lanes, slots, backend))
                .expect("every algorithm has a portable kernel");
        }
        match self.calibration(algorithm) {
            Some(calibration) => Streams::with_rates(lanes, slots, &calibration.rates()),
            None => Streams::new(lanes, slots),
        }
    }
}

impl Calibration {
    /// Whether it has a rate for each way in which the algorithm can be computed here. One of another CPU, of another version of
    /// this program, or that somebody has edited, does not, and is as good as none.
    pub fn fits(&self, algorithm: Algorithm) -> bool {
        let Some(lanes) = algorithm.lanes() else { return false };
        let rates = self.rates();
        let has_rate = |kernel: &(Backend, usize)| {
            rates.iter().any(|rate| (rate.backend, rate.lanes) == *kernel && rate.bytes_per_second > 0.0)
        };
        let library_fits = match self.library_bytes_per_second {
            Some(rate) => algorithm.has_library() && rate > 0,
            None => !algorithm.has_library(),
        };
        library_fits && lanes.kernels().iter().all(has_rate)
    }

    /// Whether a single message is better left to the library than to the kernels. The kernels have to be clearly faster to
    /// take its place, as one of them has to be to take the place of another.
    pub(crate) fn prefers_library(&self) -> bool {
        let Some(library) = self.library_bytes_per_second else { return false };
        let alone = self.kernels.iter().map(|kernel| kernel.bytes_per_second as f64 / kernel.lanes as f64);
        alone.fold(0.0, f64::max) <= MARGIN * library as f64
    }

    /// The rates, as the kernels take them. Those of a backend that is not known here are left out.
    pub fn rates(&self) -> Vec<Rate> {
        let rate = |kernel: &KernelRate| {
            let backend = Backend::named(&kernel.backend)?;
            Some(Rate { backend, lanes: kernel.lanes, bytes_per_second: kernel.bytes_per_second as f64 })
        };
        self.kernels.iter().filter_map(rate).collect()
    }
}

/// Time for one algorithm.
const TIME: Duration = Duration::from_millis(20);

/// Each way is measured so often at least.
const LEAST_ROUNDS: usize = 5;

/// Bytes of a message: so few that those of all lanes fit into a second-level cache. What is measured once takes
/// some 50 microseconds, short enough to come between two interruptions.
const MESSAGE_BYTES: usize = 16 << 10;

/// Bytes between the beginnings of two messages, less the message, so that the lanes do not compete for one set of the
/// first-level cache. Blocks of files lie like this as well.
const STAGGER_BYTES: usize = 128;

/// Measures each way to compute an algorithm, on the calling thread, in about 20 ms. `None` if there is only one.
///
/// All are measured in turns, and of each the shortest time counts: whatever else the machine does makes a time longer,
/// never shorter, and a moment in which it does much meets all of them. A machine that is busy all the time still favours
/// nobody.
pub fn calibrate(algorithm: Algorithm) -> Option<Calibration> {
    let lanes = algorithm.lanes()?;
    let kernels = lanes.kernels();
    let most = kernels.iter().map(|&(_, lanes)| lanes).max()?;
    let bytes = vec![0x5a_u8; most * (MESSAGE_BYTES + STAGGER_BYTES)];
    let messages = bytes.chunks_exact(MESSAGE_BYTES + STAGGER_BYTES).enumerate();
    let parts: Vec<_> =
        messages.map(|(slot, bytes)| Part { slot, bytes: &bytes[..MESSAGE_BYTES], last: false }).collect();
    let mut ways: Vec<_> = kernels
        .iter()
        .filter_map(|&(backend, width)| {
            let streams = Streams::with_kernel(lanes, width, backend, width)?;
            Some(Way::new(Code::Kernel(streams, &parts[..width])))
        })
        .collect();
    if algorithm.has_library() {
        ways.push(Way::new(Code::Library(algorithm.hasher(), parts[0].bytes)));
    }
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < LEAST_ROUNDS || start.elapsed() < TIME {
        ways.iter_mut().for_each(Way::measure);
        rounds += 1;
    }
    let library = ways.split_off(kernels.len());
    let rates = kernels.iter().zip(&ways).map(|(&(backend, lanes), way)| KernelRate {
        backend: backend.name().to_owned(),
        lanes,
        bytes_per_second: way.bytes_per_second(lanes * MESSAGE_BYTES),
    });
    Some(Calibration {
        kernels: rates.collect(),
        library_bytes_per_second: library.first().map(|way| way.bytes_per_second(MESSAGE_BYTES)),
    })
}

/// One way to compute an algorithm, and the shortest time that it took.
struct Way<'a> {
    code: Code<'a>,
    shortest: Duration,
}

enum Code<'a> {
    Kernel(Streams, &'a [Part<'a>]),
    Library(Hasher, &'a [u8]),
}

impl<'a> Way<'a> {
    fn new(code: Code<'a>) -> Self {
        Self { code, shortest: Duration::MAX }
    }

    fn measure(&mut self) {
        // What was measured before has had the cache, and wide vector units take their time to wake up.
        self.digest();
        let start = Instant::now();
        self.digest();
        self.shortest = self.shortest.min(start.elapsed());
    }

    fn digest(&mut self) {
        match &mut self.code {
            Code::Kernel(streams, parts) => streams.advance(black_box(*parts)),
            Code::Library(hasher, bytes) => hasher.update(black_box(*bytes)),
        }
    }

    fn bytes_per_second(&self, bytes: usize) -> u64 {
        (bytes as f64 / self.shortest.max(Duration::from_nanos(1)).as_secs_f64()) as u64
    }
}
