//! The sampler: visits all cells in rounds, in another order each time, until the figures are narrow enough or the time
//! is up.
//!
//! Interleaving makes slow minutes of a machine meet all cells alike; shuffling keeps one cell from always following the
//! same other one. Owns order, repeats and the end; knows nothing of what a probe does.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cell::{Cell, Unit};
use crate::clock::Stopwatch;
use crate::noise::{DeviceReads, Look};
use crate::sample::{CellResult, Sample, Work};
use crate::statistics::{Estimate, LEAST_FOR_INTERVAL};

/// Something that can be timed.
pub trait Probe {
    /// What it measures.
    fn cell(&self) -> Cell;

    /// What its figure counts.
    fn unit(&self) -> Unit {
        Unit::BytesPerSecond
    }

    /// Brings about what a sample takes for granted: a file that is in no cache, say. Not timed. Returns the bytes of its
    /// files that are in the page cache now, where that matters.
    ///
    /// # Errors
    /// It cannot be brought about; the cell is then not measured.
    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        Ok(None)
    }

    /// Does the work once, before any of it counts, where it is not repeated to fill a sample. In the order of the probes.
    ///
    /// # Errors
    /// It cannot be done; the cell is then not measured.
    fn rehearse(&mut self) -> Result<(), NotPossible> {
        Ok(())
    }

    /// Does the work `repeats` times over. The watch runs; a probe that has threads to start or memory to take first starts
    /// it anew when that is done.
    ///
    /// # Errors
    /// It cannot be done; the cell is then not measured.
    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible>;

    /// Looks, when the watch has stopped, whether what the sample took for granted held until its end. `from_cache` says
    /// that this process and its children have read nothing from a device meanwhile, by what the kernel counts.
    ///
    /// # Errors
    /// It did not; the sample does not count.
    fn confirm(&mut self, _from_cache: bool) -> Result<(), NotPossible> {
        Ok(())
    }

    /// Whether the work may be repeated within a sample to fill its time. A cold reading is cold once.
    fn repeats(&self) -> bool {
        true
    }

    /// Digest of what it has worked on, where it computes one, in hexadecimal digits. A probe that gets another one the next
    /// time fails.
    fn digest(&self) -> Option<String> {
        None
    }
}

impl<P: Probe + ?Sized> Probe for &mut P {
    fn cell(&self) -> Cell {
        (**self).cell()
    }

    fn unit(&self) -> Unit {
        (**self).unit()
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        (**self).prepare()
    }

    fn rehearse(&mut self) -> Result<(), NotPossible> {
        (**self).rehearse()
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        (**self).run(repeats, watch)
    }

    fn confirm(&mut self, from_cache: bool) -> Result<(), NotPossible> {
        (**self).confirm(from_cache)
    }

    fn repeats(&self) -> bool {
        (**self).repeats()
    }

    fn digest(&self) -> Option<String> {
        (**self).digest()
    }
}

/// Why a cell cannot be measured, in words for its user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPossible {
    /// It does not work, this time.
    #[error("{0}")]
    Broken(String),
    /// What came out is not what has to: what was measured before does not count either.
    #[error("{0}")]
    Wrong(String),
    /// Something came between, and may leave again: it is tried once more before its round ends.
    #[error("{0}")]
    Disturbed(String),
}

/// How long to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Time for all rounds together. A round that would take longer than is left, if it takes as long as the one before,
    /// is not begun; the first one always is.
    pub budget: Duration,
    /// Length of one sample where the work can be repeated.
    pub sample: Duration,
    /// Rounds at least, if the budget allows.
    pub least_rounds: usize,
    /// Rounds at most.
    pub most_rounds: usize,
    /// A cell is done when its interval is no wider than this share of its figure.
    pub width: f64,
    /// Seed of the orders.
    pub seed: u64,
}

/// How the rounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All intervals are narrow enough, or all rounds are done.
    Complete,
    /// The time was up.
    Budget,
    /// Somebody asked to stop. The samples of the round under way are dropped.
    Interrupted,
}

/// Follows the sampler, for progress.
pub trait Observer {
    /// The sampler is about to work on a cell; `share` of all is done, 0 to 1.
    fn at(&mut self, cell: &Cell, share: f64);

    /// A number of rounds is done: what is stopped from now on keeps them.
    fn round_done(&mut self, _rounds: usize) {}

    /// Whether to stop before the next sample.
    fn stops(&self) -> bool;

    /// The same for probes whose samples may be long, which ask in between. What is stopped in between fails.
    fn stopper(&self) -> Stopper {
        Stopper::default()
    }
}

/// Asks whether somebody wants to stop.
#[derive(Clone, Default)]
pub struct Stopper(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stopper {
    /// Asks `stops`.
    pub fn new(stops: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(stops)))
    }

    /// # Errors
    /// Somebody wants to stop.
    pub(crate) fn check(&self) -> Result<(), NotPossible> {
        match &self.0 {
            Some(stops) if stops() => Err(NotPossible::Broken("it was stopped".to_owned())),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopper").finish_non_exhaustive()
    }
}

/// A cell that fails so often in a row is given up; until then something may have come between, and the next round tries
/// again.
const MOST_FAILURES: u32 = 3;

/// Samples all probes. The results are in the order of the probes.
pub fn sample(
    probes: &mut [Box<dyn Probe + '_>],
    plan: &Plan,
    observer: &mut dyn Observer,
) -> (Vec<CellResult>, Ending) {
    let results = probes.iter().map(|probe| CellResult::new(probe.cell(), probe.unit())).collect();
    let failures = vec![0; probes.len()];
    let mut course = Course { probes, results, failures, plan, start: Instant::now() };
    let ending = course.run(observer);
    for (result, probe) in course.results.iter_mut().zip(course.probes.iter()) {
        result.digest = probe.digest().filter(|_| !result.samples.is_empty());
        // What failed in the end was measured before.
        if !result.samples.is_empty() {
            result.not_measured = None;
        }
        result.summarise();
    }
    (course.results, ending)
}

/// A measurement under way.
struct Course<'a, 'p> {
    probes: &'a mut [Box<dyn Probe + 'p>],
    results: Vec<CellResult>,
    failures: Vec<u32>,
    plan: &'a Plan,
    start: Instant,
}

impl Course<'_, '_> {
    fn run(&mut self, observer: &mut dyn Observer) -> Ending {
        for ((probe, result), failures) in
            self.probes.iter_mut().zip(&mut self.results).zip(&mut self.failures)
        {
            if observer.stops() {
                return Ending::Interrupted;
            }
            observer.at(&result.cell, 0.0);
            let calibrated = (1..).find_map(|tries| match calibrate(probe.as_mut(), self.plan) {
                Err(NotPossible::Disturbed(_)) if tries < MOST_FAILURES => None,
                ended => Some(ended),
            });
            match calibrated.expect("it ends by its number of tries") {
                Ok(repeats) => result.repeats = repeats,
                Err(reason) => {
                    *failures = MOST_FAILURES;
                    result.not_measured = Some(reason.to_string());
                }
            }
        }
        let mut random = fastrand::Rng::with_seed(self.plan.seed);
        let mut last_round = Duration::ZERO;
        for round in 0..self.plan.most_rounds {
            let begun = self.start.elapsed();
            // A round that cannot be finished is not begun.
            if round > 0 && begun + last_round > self.plan.budget {
                return Ending::Budget;
            }
            let mut open: Vec<usize> = (0..self.probes.len()).filter(|&at| self.is_open(at)).collect();
            if open.is_empty() {
                break;
            }
            random.shuffle(&mut open);
            if let Some(early) = self.visit(open, round, observer) {
                for result in &mut self.results {
                    result.samples.retain(|sample| sample.round < round);
                }
                return early;
            }
            last_round = self.start.elapsed() - begun;
            observer.round_done(round + 1);
        }
        Ending::Complete
    }

    /// Whether a cell is to be sampled once more.
    fn is_open(&self, at: usize) -> bool {
        let result = &self.results[at];
        if self.failures[at] >= MOST_FAILURES {
            return false;
        }
        if result.samples.len() < self.plan.least_rounds.max(LEAST_FOR_INTERVAL) {
            return true;
        }
        let width = Estimate::of(&result.figures()).and_then(|estimate| estimate.relative_width());
        width.is_none_or(|width| width > self.plan.width)
    }

    /// Whether a sample is a small part of what it was to be, and more of it may be asked for.
    fn is_far_too_short(&self, at: usize, sample: &Sample) -> bool {
        self.probes[at].repeats()
            && Duration::from_nanos(sample.elapsed.wall_ns) < self.plan.sample / CALIBRATION_SHARE
    }

    /// One round; how the sampling ends, if it ends within the round.
    fn visit(&mut self, mut open: Vec<usize>, round: usize, observer: &mut dyn Observer) -> Option<Ending> {
        for place in 0.. {
            let Some(&at) = open.get(place) else { break };
            if observer.stops() {
                return Some(Ending::Interrupted);
            }
            let by_rounds = (round as f64 + place as f64 / open.len() as f64) / self.plan.most_rounds as f64;
            let by_time = self.start.elapsed().as_secs_f64() / self.plan.budget.as_secs_f64().max(1e-9);
            observer.at(&self.results[at].cell, by_rounds.max(by_time).min(1.0));
            match take(self.probes[at].as_mut(), self.results[at].repeats, round, place) {
                // Something stalled it while it was calibrated: what starting takes would be most of its figure.
                Ok(sample) if self.is_far_too_short(at, &sample) => {
                    let elapsed = Duration::from_nanos(sample.elapsed.wall_ns.max(1));
                    let result = &mut self.results[at];
                    result.repeats = filling(result.repeats, elapsed, self.plan).1;
                    result.samples.clear();
                    open.push(at);
                }
                Ok(sample) => {
                    self.failures[at] = 0;
                    self.results[at].samples.push(sample);
                }
                // What is asked to stop may fail for that alone: a program gets the same signal.
                Err(_) if observer.stops() => return Some(Ending::Interrupted),
                Err(reason) => {
                    self.failures[at] += 1;
                    let result = &mut self.results[at];
                    result.not_measured = Some(reason.to_string());
                    match reason {
                        NotPossible::Disturbed(_) if self.failures[at] < MOST_FAILURES => open.push(at),
                        NotPossible::Wrong(reason) => {
                            self.failures[at] = MOST_FAILURES;
                            if !result.samples.is_empty() {
                                result.not_measured = Some(format!("in round {}: {reason}", round + 1));
                            }
                            result.samples.clear();
                        }
                        _ => {}
                    }
                }
            }
        }
        None
    }
}

/// A tenth of a sample is long enough to tell the rest from.
const CALIBRATION_SHARE: u32 = 10;

/// How many times as long a sample is to take as `repeats` repeats did, and the repeats that fill one.
fn filling(repeats: u64, elapsed: Duration, plan: &Plan) -> (f64, u64) {
    let scale = plan.sample.as_secs_f64() / elapsed.as_secs_f64();
    (scale, ((repeats as f64 * scale).round() as u64).max(1))
}

/// How often the work has to be repeated to fill a sample. What is run here is not kept: it also warms caches, starts
/// the clock rate rising, and is what first runs show.
fn calibrate(probe: &mut dyn Probe, plan: &Plan) -> Result<u64, NotPossible> {
    /// By then threads have begun.
    const BEGUN: Duration = Duration::from_millis(5);
    /// Of a try that was too short by far, the next is nearer.
    const MOST_TRIES: usize = 8;
    if !probe.repeats() {
        probe.rehearse()?;
        return Ok(1);
    }
    let mut repeats = 1u64;
    loop {
        let elapsed = time(probe, repeats)?;
        if elapsed >= plan.sample / CALIBRATION_SHARE {
            repeats = filling(repeats, elapsed, plan).1;
            break;
        }
        let factor = (plan.sample.as_secs_f64() / f64::from(CALIBRATION_SHARE) / elapsed.as_secs_f64())
            .clamp(2.0, 100.0);
        repeats = (repeats as f64 * factor).ceil() as u64;
    }
    // Threads take their time to begin and to end, which may be all of a short try: a whole sample shows it.
    let is_doubtful = probe.cell().threads > 1 && plan.sample / CALIBRATION_SHARE < BEGUN && repeats > 1;
    for _ in 0..if is_doubtful { MOST_TRIES } else { 0 } {
        let (scale, wanted) = filling(repeats, time(probe, repeats)?, plan);
        if (0.5..=2.0).contains(&scale) {
            break;
        }
        repeats = wanted;
    }
    Ok(repeats)
}

/// The time that the repeats take, above 0.
fn time(probe: &mut dyn Probe, repeats: u64) -> Result<Duration, NotPossible> {
    probe.prepare()?;
    let device = DeviceReads::now();
    let mut watch = Stopwatch::start();
    probe.run(repeats, &mut watch)?;
    let wall_ns = watch.elapsed().wall_ns.max(1);
    probe.confirm(device.are_the_same())?;
    Ok(Duration::from_nanos(wall_ns))
}

fn take(probe: &mut dyn Probe, repeats: u64, round: usize, place: usize) -> Result<Sample, NotPossible> {
    let resident_bytes_before = probe.prepare()?;
    let (before, device) = (Look::now(), DeviceReads::now());
    let mut watch = Stopwatch::start();
    let work = probe.run(repeats, &mut watch)?;
    let elapsed = watch.elapsed();
    let noise = before.until(&Look::now());
    probe.confirm(device.are_the_same())?;
    Ok(Sample { round, place, elapsed, work, resident_bytes_before, noise })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::cell::Stage;

    /// Sleeps; the time that it takes is known beforehand.
    struct Sleeper {
        threads: usize,
        nap: Duration,
        repeats: bool,
        fails_at: usize,
        calls: Rc<RefCell<Vec<(usize, u64)>>>,
    }

    impl Probe for Sleeper {
        fn cell(&self) -> Cell {
            Cell { threads: self.threads, ..Cell::new(Stage::Harness) }
        }

        fn run(&mut self, repeats: u64, _: &mut Stopwatch) -> Result<Work, NotPossible> {
            self.calls.borrow_mut().push((self.threads, repeats));
            if self.calls.borrow().len() > self.fails_at {
                return Err(NotPossible::Broken("it is broken".into()));
            }
            std::thread::sleep(self.nap * repeats as u32);
            Ok(Work { bytes: 1_000 * repeats, operations: repeats, ..Work::default() })
        }

        fn repeats(&self) -> bool {
            self.repeats
        }
    }

    struct Silent {
        left: std::cell::Cell<usize>,
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

    fn plan(rounds: usize) -> Plan {
        Plan {
            budget: Duration::from_secs(60),
            sample: Duration::from_millis(2),
            least_rounds: rounds,
            most_rounds: rounds,
            width: 0.0,
            seed: 3,
        }
    }

    fn go_on() -> Silent {
        Silent { left: std::cell::Cell::new(usize::MAX) }
    }

    type Calls = Rc<RefCell<Vec<(usize, u64)>>>;

    fn sleepers(number: usize, repeats: bool, fails_at: usize) -> (Calls, Vec<Box<dyn Probe>>) {
        let calls = Rc::new(RefCell::new(Vec::new()));
        let sleeper = |threads| {
            let nap = Duration::from_micros(100);
            Box::new(Sleeper { threads, nap, repeats, fails_at, calls: Rc::clone(&calls) }) as Box<dyn Probe>
        };
        let probes = (0..number).map(sleeper).collect();
        (calls, probes)
    }

    #[test]
    fn each_round_visits_all_cells_once_in_an_order_of_its_own() {
        let (calls, mut probes) = sleepers(6, false, usize::MAX);
        let (results, ending) = sample(&mut probes, &plan(8), &mut go_on());
        assert_eq!(ending, Ending::Complete);
        assert!(results.iter().all(|result| result.samples.len() == 8 && result.figure.is_some()));
        let calls = calls.borrow();
        let orders: Vec<Vec<usize>> =
            calls.chunks(6).map(|round| round.iter().map(|(cell, _)| *cell).collect()).collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
        }
        assert!(orders.windows(2).any(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn work_is_repeated_to_fill_a_sample_and_only_if_it_may_be() {
        // Where others take the core meanwhile, one call may fill a sample.
        let tried = (0..50).map(|_| {
            let (_, mut probes) = sleepers(1, true, usize::MAX);
            sample(&mut probes, &plan(6), &mut go_on()).0
        });
        let results = tried.into_iter().find(|results| results[0].repeats > 1).expect("one of many tries");
        let operations = |result: &CellResult| result.samples[0].work.operations;
        assert_eq!(operations(&results[0]), results[0].repeats);
        let (_, mut probes) = sleepers(1, false, usize::MAX);
        let (results, _) = sample(&mut probes, &plan(6), &mut go_on());
        assert_eq!((results[0].repeats, operations(&results[0])), (1, 1));
    }

    #[test]
    fn what_starting_takes_does_not_make_samples_short() {
        /// Takes long to begin, and hardly anything for each repetition.
        struct Slow;

        impl Probe for Slow {
            fn cell(&self) -> Cell {
                Cell { threads: 2, ..Cell::new(Stage::Harness) }
            }

            fn run(&mut self, repeats: u64, _: &mut Stopwatch) -> Result<Work, NotPossible> {
                std::thread::sleep(Duration::from_millis(2) + Duration::from_micros(2) * repeats as u32);
                Ok(Work { bytes: repeats, operations: repeats, ..Work::default() })
            }
        }

        let plan = Plan { sample: Duration::from_millis(20), ..plan(6) };
        // One repetition takes 2.002 ms: ten of them seem to fill a sample. Where others take the core meanwhile, a try may
        // be long for that alone.
        let mut tried = (0..50).map(|_| calibrate(&mut Slow, &plan).expect("it can be run"));
        assert!(tried.any(|repeats| repeats > 1_000));
    }

    #[test]
    fn an_interrupted_run_keeps_finished_rounds_and_nothing_of_the_others() {
        let (_, mut probes) = sleepers(3, false, usize::MAX);
        // Three questions before calibration, six for two rounds, one within the third.
        let mut observer = Silent { left: std::cell::Cell::new(3 + 6 + 2) };
        let (results, ending) = sample(&mut probes, &plan(50), &mut observer);
        assert_eq!(ending, Ending::Interrupted);
        assert!(results.iter().all(|result| result.samples.len() == 2));
        assert!(results.iter().all(|result| result.figure.is_some()));
    }

    #[test]
    fn what_fails_because_all_is_stopped_drops_its_round() {
        let (_, mut probes) = sleepers(2, false, 5);
        // Two questions before calibration, and two a round; the sixth call fails, and by then it is to stop.
        let mut observer = Silent { left: std::cell::Cell::new(2 + 6 + 1) };
        let (results, ending) = sample(&mut probes, &plan(50), &mut observer);
        assert_eq!(ending, Ending::Interrupted);
        assert!(results.iter().all(|result| result.samples.len() == 2 && result.not_measured.is_none()));
    }

    #[test]
    fn the_budget_ends_the_rounds_and_the_first_one_is_always_done() {
        let (_, mut probes) = sleepers(2, false, usize::MAX);
        let plan = Plan { budget: Duration::ZERO, ..plan(50) };
        let (results, ending) = sample(&mut probes, &plan, &mut go_on());
        assert_eq!(ending, Ending::Budget);
        assert!(results.iter().all(|result| result.samples.len() == 1));
    }

    #[test]
    fn a_cell_that_cannot_be_measured_says_why_and_the_others_go_on() {
        // None of them is calibrated: a machine that stalls would have one begin anew, with fewer samples.
        let (_, mut probes) = sleepers(1, false, 0);
        let (_, more) = sleepers(1, false, usize::MAX);
        probes.extend(more);
        let (results, ending) = sample(&mut probes, &plan(6), &mut go_on());
        assert_eq!(ending, Ending::Complete);
        assert_eq!(results[0].not_measured.as_deref(), Some("it is broken"));
        assert!(results[0].figure.is_none() && results[1].samples.len() == 6);
    }

    #[test]
    fn a_sample_of_which_something_did_not_hold_does_not_count() {
        /// Its file leaves the cache in every second try.
        struct Evicted(u32);

        impl Probe for Evicted {
            fn cell(&self) -> Cell {
                Cell::new(Stage::Harness)
            }

            fn run(&mut self, repeats: u64, _: &mut Stopwatch) -> Result<Work, NotPossible> {
                self.0 += 1;
                Ok(Work { bytes: repeats, operations: repeats, ..Work::default() })
            }

            fn confirm(&mut self, _: bool) -> Result<(), NotPossible> {
                if self.0.is_multiple_of(2) { Err(NotPossible::Disturbed("it left".into())) } else { Ok(()) }
            }

            fn repeats(&self) -> bool {
                false
            }
        }

        let mut probes: [Box<dyn Probe>; 1] = [Box::new(Evicted(0))];
        let (results, _) = sample(&mut probes, &plan(5), &mut go_on());
        let seen: Vec<_> = results[0].samples.iter().map(|sample| (sample.round, sample.place)).collect();
        assert_eq!(seen, [(0, 0), (1, 1), (2, 1), (3, 1), (4, 1)]);
    }

    #[test]
    fn what_is_disturbed_again_and_again_is_given_up() {
        /// Its file is in no cache after this many calls.
        struct Gone {
            calls: usize,
            from: usize,
            repeats: bool,
        }

        impl Probe for Gone {
            fn cell(&self) -> Cell {
                Cell::new(Stage::Harness)
            }

            fn run(&mut self, repeats: u64, _: &mut Stopwatch) -> Result<Work, NotPossible> {
                self.calls += 1;
                assert!(self.calls <= self.from + 3, "it was given up");
                if self.calls > self.from {
                    return Err(NotPossible::Disturbed("it left".into()));
                }
                Ok(Work { bytes: repeats, operations: repeats, ..Work::default() })
            }

            fn repeats(&self) -> bool {
                self.repeats
            }
        }

        for (from, repeats, samples) in [(0, false, 0), (0, true, 0), (4, false, 4)] {
            let mut probes: [Box<dyn Probe>; 1] = [Box::new(Gone { calls: 0, from, repeats })];
            let (results, ending) = sample(&mut probes, &plan(9), &mut go_on());
            assert_eq!((results[0].samples.len(), ending), (samples, Ending::Complete));
            assert_eq!(results[0].not_measured.as_deref(), (samples == 0).then_some("it left"));
        }
    }

    #[test]
    fn what_fails_now_and_then_keeps_what_was_measured() {
        let (_, mut probes) = sleepers(1, false, 4);
        let (results, _) = sample(&mut probes, &plan(9), &mut go_on());
        assert_eq!((results[0].samples.len(), results[0].not_measured.as_deref()), (4, None));
        assert!(results[0].figure.is_some());
    }

    #[test]
    fn what_once_comes_to_something_wrong_has_no_figure() {
        struct Wrong(u32);

        impl Probe for Wrong {
            fn cell(&self) -> Cell {
                Cell::new(Stage::Harness)
            }

            fn run(&mut self, repeats: u64, _: &mut Stopwatch) -> Result<Work, NotPossible> {
                self.0 += 1;
                assert!(self.0 <= 4, "it was given up");
                match self.0 {
                    4 => Err(NotPossible::Wrong("it is another one".into())),
                    _ => Ok(Work { bytes: repeats, operations: repeats, ..Work::default() }),
                }
            }

            fn repeats(&self) -> bool {
                false
            }
        }

        let mut probes: [Box<dyn Probe>; 1] = [Box::new(Wrong(0))];
        let (results, _) = sample(&mut probes, &plan(9), &mut go_on());
        assert!(results[0].samples.is_empty() && results[0].figure.is_none());
        assert_eq!(results[0].not_measured.as_deref(), Some("in round 4: it is another one"));
    }

    #[test]
    fn what_was_stalled_while_it_was_calibrated_is_calibrated_again() {
        /// Takes long at first, and next to nothing afterwards.
        struct Stalled(u32);

        impl Probe for Stalled {
            fn cell(&self) -> Cell {
                Cell::new(Stage::Harness)
            }

            fn run(&mut self, repeats: u64, _: &mut Stopwatch) -> Result<Work, NotPossible> {
                self.0 += 1;
                let nap = if self.0 == 1 { Duration::from_millis(20) } else { Duration::from_nanos(repeats) };
                let begun = Instant::now();
                while begun.elapsed() < nap {
                    std::hint::spin_loop();
                }
                Ok(Work { bytes: repeats, operations: repeats, ..Work::default() })
            }
        }

        let mut probes: [Box<dyn Probe>; 1] = [Box::new(Stalled(0))];
        let plan = Plan { sample: Duration::from_millis(20), ..plan(3) };
        let (results, _) = sample(&mut probes, &plan, &mut go_on());
        assert_eq!(results[0].samples.len(), 3);
        assert!(results[0].repeats > 1);
        assert!(results[0].samples.iter().all(|sample| sample.elapsed.wall_ns >= 2_000_000));
    }

    #[test]
    fn what_fails_in_the_only_round_says_why() {
        let (_, mut probes) = sleepers(1, false, 0);
        let (results, _) = sample(&mut probes, &plan(1), &mut go_on());
        assert_eq!((results[0].samples.len(), results[0].not_measured.as_deref()), (0, Some("it is broken")));
    }

    #[test]
    fn a_cell_with_a_narrow_interval_is_left_alone() {
        let (_, mut probes) = sleepers(1, false, usize::MAX);
        let plan = Plan { width: f64::INFINITY, least_rounds: 7, ..plan(50) };
        let (results, _) = sample(&mut probes, &plan, &mut go_on());
        assert_eq!(results[0].samples.len(), 7);
    }
}
