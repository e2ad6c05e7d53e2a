//! Choosing between several ways to compute the same: by a fixed order, by what was measured, by what was asked for.

use std::sync::Arc;

use hashlane_digest::{
    Algorithm, Backend, BackendChoice, Calibration, Calibrations, Family, Hasher, KernelRate, LaneSet,
    Saving, Security, Spec, State, calibrate,
};

fn with_lanes() -> impl Iterator<Item = Algorithm> {
    Algorithm::all().filter(|algorithm| algorithm.lanes().is_some())
}

/// A calibration in which kernels have the rates given.
fn calibration(algorithm: Algorithm, rate: impl Fn(Backend, usize) -> u64) -> Calibration {
    let kernels = algorithm.lanes().expect("it has lanes").kernels().into_iter();
    let rate = |(backend, lanes)| KernelRate {
        backend: Backend::name(backend).to_owned(),
        lanes,
        bytes_per_second: rate(backend, lanes),
    };
    // A library that nobody would take for its speed.
    let library_bytes_per_second = algorithm.has_library().then_some(1);
    Calibration { kernels: kernels.map(rate).collect(), library_bytes_per_second }
}

fn choice(algorithm: Algorithm, calibration: Calibration) -> BackendChoice {
    BackendChoice::Calibrated(Arc::new([(algorithm, calibration)].into_iter().collect()))
}

fn portable_is_fast(backend: Backend, _: usize) -> u64 {
    if backend == Backend::Portable { 1_000_000_000_000 } else { 1_000_000 }
}

#[test]
fn what_is_measured_fits_and_survives_being_written_down() {
    for algorithm in with_lanes() {
        let measured = calibrate(algorithm).expect("it has lanes");
        assert!(measured.fits(algorithm), "{measured:?}");
        let slowest = measured.kernels.iter().map(|kernel| kernel.bytes_per_second).min();
        assert!(slowest > Some(100_000), "{measured:?}");
        let calibrations: Calibrations = [(algorithm, measured.clone())].into_iter().collect();
        let text = serde_json::to_string(&calibrations).expect("it has a form");
        let back: Calibrations = serde_json::from_str(&text).expect("it is of that form");
        assert_eq!(back.of(algorithm), Some(&measured));
        let unlike = Algorithm::BLAKE3;
        assert_eq!(back.of(unlike), None);
    }
    assert_eq!(calibrate(Algorithm::CRC32), None);
}

/// On each CPU with vectors those beat plain words at MD5, by far: a measurement that says otherwise measures something else.
#[test]
fn a_measurement_tells_fast_from_slow() {
    let algorithm = Algorithm::MD5;
    let measured = calibrate(algorithm).expect("it has lanes");
    let rate = |kernel: &KernelRate| kernel.bytes_per_second;
    let portable = measured.kernels.iter().find(|kernel| kernel.backend == "portable").map(rate);
    let fastest = measured.kernels.iter().map(rate).max();
    if measured.kernels.iter().any(|kernel| kernel.backend == "avx2") {
        assert!(fastest > portable.map(|rate| 2 * rate), "{measured:?}");
    }
}

#[test]
fn what_was_measured_decides() {
    for algorithm in with_lanes() {
        let choice = choice(algorithm, calibration(algorithm, portable_is_fast));
        let set = LaneSet::by(algorithm, 40, &choice);
        assert_eq!((set.backend(), set.width()), ("portable", 1), "{algorithm}");
        assert_eq!(algorithm.hasher_by(&choice).backend(), "portable");
        assert_eq!(algorithm.backend_for(1, &choice), "portable");
        assert_eq!(algorithm.backend_for(40, &choice), "portable");
        let mut hasher = algorithm.hasher_by(&choice);
        hasher.update(b"abc");
        assert_eq!(hasher.finish(), algorithm.digest(b"abc"));
        // Of the others nothing was measured.
        for other in with_lanes().filter(|other| *other != algorithm) {
            assert!(choice.calibration(other).is_none());
            assert_eq!(other.backend_for(40, &choice), other.backend_for(40, &BackendChoice::Auto));
        }
    }
}

#[test]
fn what_is_asked_for_is_taken_and_what_is_not_there_is_done_by_the_portable_backend() {
    for algorithm in with_lanes() {
        let there = algorithm.lanes().expect("it has lanes").backends();
        for backend in Backend::ALL {
            let choice = BackendChoice::Only(backend);
            let taken = if there.contains(&backend) { backend } else { Backend::Portable };
            assert_eq!(LaneSet::by(algorithm, 40, &choice).backend(), taken.name(), "{algorithm} {backend}");
            assert!(choice.calibration(algorithm).is_none());
        }
    }
}

#[test]
fn a_calibration_that_does_not_fit_is_no_better_than_none() {
    let algorithm = Algorithm::SHA256;
    let fixed = LaneSet::new(algorithm, 40).backend();
    let good = calibration(algorithm, portable_is_fast);
    assert!(good.fits(algorithm));
    let unfit = |change: fn(&mut Calibration)| {
        let mut changed = good.clone();
        change(&mut changed);
        assert!(!changed.fits(algorithm), "{changed:?}");
        let choice = choice(algorithm, changed);
        assert!(choice.calibration(algorithm).is_none());
        assert_eq!(LaneSet::by(algorithm, 40, &choice).backend(), fixed);
    };
    unfit(|changed| drop(changed.kernels.pop()));
    unfit(|changed| changed.kernels.clear());
    unfit(|changed| changed.kernels[0].bytes_per_second = 0);
    unfit(|changed| changed.kernels[0].lanes += 1);
    unfit(|changed| changed.kernels[0].backend = "mmx".to_owned());
    unfit(|changed| changed.library_bytes_per_second = Some(1));
    // Of a CPU that has more: what is not here is passed over, and never chosen.
    let mut more = good.clone();
    more.kernels.push(KernelRate { backend: "mmx".to_owned(), lanes: 64, bytes_per_second: u64::MAX });
    let absent = Backend::ALL.into_iter().filter(|backend| !backend.is_available());
    more.kernels.extend(absent.map(|backend| KernelRate {
        backend: backend.name().to_owned(),
        lanes: 4,
        bytes_per_second: u64::MAX,
    }));
    assert!(more.fits(algorithm));
    assert_eq!(LaneSet::by(algorithm, 40, &choice(algorithm, more)).backend(), "portable");
    assert!(!good.fits(Algorithm::CRC32));
}

/// SHA-256 as a library might do it, for an algorithm that has kernels too.
#[derive(Clone)]
struct Library(Hasher);

impl State for Library {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        digest.copy_from_slice(self.0.finish().as_bytes());
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn backend(&self) -> &'static str {
        "library"
    }
}

fn library() -> Box<dyn State> {
    Box::new(Library(Algorithm::SHA256.hasher()))
}

static BOTH: Spec = Spec {
    name: "both",
    aliases: &[],
    bsd_tag: "BOTH",
    length: 32,
    family: Family::Sha2,
    security: Security::Strong,
    saving: Saving::Anywhere,
    start: library,
    lanes: Some(hashlane_lanes::Algorithm::Sha256),
};

#[test]
fn a_library_serves_a_single_message_unless_a_kernel_is_clearly_faster() {
    const LIBRARY: u64 = 1_000_000_000;
    let both = Algorithm::new(&BOTH);
    let one_message = |choice: &BackendChoice| both.hasher_by(choice).backend();
    assert_eq!(one_message(&BackendChoice::Auto), "library");
    assert_eq!(one_message(&BackendChoice::Only(Backend::Portable)), "portable");
    let measured = |portable: u64, library| {
        let rate = |backend, _| if backend == Backend::Portable { portable } else { LIBRARY / 100 };
        choice(both, Calibration { library_bytes_per_second: library, ..calibration(both, rate) })
    };
    assert_eq!(one_message(&measured(LIBRARY * 104 / 100, Some(LIBRARY))), "library");
    assert_eq!(one_message(&measured(LIBRARY * 106 / 100, Some(LIBRARY))), "portable");
    assert_eq!(both.backend_for(1, &measured(LIBRARY * 106 / 100, Some(LIBRARY))), "portable");
    // Somebody has left out the library.
    assert_eq!(one_message(&measured(LIBRARY * 2, None)), "library");
    let found = calibrate(both).expect("it has lanes");
    assert!(found.fits(both) && found.library_bytes_per_second > Some(100_000), "{found:?}");
}
