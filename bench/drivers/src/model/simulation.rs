//! Bins that are handed out to cores, one after the other, until all are read.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use fastrand::Rng;

use super::costs::Costs;
use super::{Given, Scenario};

/// What came of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// From the first bin to the end of the last one.
    pub(crate) seconds: f64,
    /// Seconds of cores, those of bins that were lost among them.
    pub(crate) busy_seconds: f64,
    pub(crate) bins: u64,
    /// Bins that were read again, as their machine had died.
    pub(crate) again: u64,
    pub(crate) requests: f64,
    /// Bytes of all objects: sizes are drawn, so they are not quite those that were asked for.
    pub(crate) bytes: f64,
    /// Bytes of the largest object.
    pub(crate) largest: f64,
}

/// Objects that one core reads one after the other.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    objects: u64,
    bytes: f64,
}

/// A moment, in microseconds, so that moments have an order.
type Moment = u64;

/// The next moment at which a time has come.
fn moment(seconds: f64) -> Moment {
    (seconds * 1e6).ceil() as Moment + 1
}

/// How long it takes until a machine that died is back, in seconds.
const RETURNS: f64 = 300.0;

/// A bin that a core reads.
#[derive(Debug)]
struct Running {
    bin: Bin,
    /// When the core gets it.
    begins: f64,
    /// The part of it that is to be read.
    left: f64,
    /// What it takes where the link does not limit.
    alone: f64,
}

/// Cores that share a link.
#[derive(Debug)]
struct Machine {
    running: Vec<Running>,
    /// Up to when what is left is right.
    at: f64,
    dies: f64,
    /// The last moment for which it was looked at next: others are no longer true.
    next: Moment,
}

impl Machine {
    /// What a bin needs from now on if nothing changes.
    fn time(&self, running: &Running, link: f64) -> f64 {
        let sharing = self.running.iter().filter(|other| other.begins <= self.at).count().max(1);
        running.alone.max(running.bin.bytes / (link / sharing as f64))
    }

    fn advance(&mut self, now: f64, link: f64) {
        let times: Vec<f64> = self.running.iter().map(|running| self.time(running, link)).collect();
        for (running, time) in self.running.iter_mut().zip(times) {
            if running.begins <= self.at {
                running.left -= (now - self.at) / time;
            }
        }
        self.at = now;
    }

    /// When something happens to it next.
    fn happens(&self, link: f64) -> f64 {
        let ends = self.running.iter().map(|running| match running.begins > self.at {
            true => running.begins,
            false => self.at + running.left.max(0.0) * self.time(running, link),
        });
        ends.fold(self.dies, f64::min)
    }
}

/// Reads all of a store.
pub(crate) fn simulate(scenario: &Scenario, given: &Given, costs: &Costs, seed: u64) -> Outcome {
    let mut rng = Rng::with_seed(seed);
    let mut outcome = Outcome::default();
    let mut bins = Sizes::new(scenario, given, &mut rng).bins(given, &mut rng, &mut outcome);
    if given.largest_first {
        bins.make_contiguous().sort_by(|one, other| other.bytes.total_cmp(&one.bytes));
    }
    outcome.bins = bins.len() as u64;
    let lives = |rng: &mut Rng| -(1.0 - rng.f64()).ln() * given.days_to_death * 86_400.0;
    let link = given.link_bytes();
    let mut machines: Vec<Machine> = (0..scenario.machines)
        .map(|_| Machine { running: Vec::new(), at: 0.0, dies: lives(&mut rng), next: 0 })
        .collect();
    let mut events: BinaryHeap<Reverse<(Moment, usize)>> =
        (0..machines.len()).map(|number| Reverse((0, number))).collect();
    let mut handed_out = 0.0_f64;
    while let Some(Reverse((at, number))) = events.pop() {
        let machine = &mut machines[number];
        if machine.next != at {
            continue;
        }
        let now = at as f64 / 1e6;
        machine.advance(now, link);
        let was_reading = !machine.running.is_empty();
        let mut are_lost = false;
        if now >= machine.dies {
            // What it had is read again, before what was not begun.
            are_lost = was_reading;
            for lost in machine.running.drain(..) {
                outcome.busy_seconds += (now - lost.begins).max(0.0);
                outcome.again += 1;
                bins.push_front(lost.bin);
            }
            machine.at = now + RETURNS;
            machine.dies = machine.at + lives(&mut rng);
        }
        machine.running.retain(|running| {
            let is_over = running.left * running.alone < 1e-6;
            if is_over {
                outcome.busy_seconds += now - running.begins;
                outcome.seconds = outcome.seconds.max(now);
            }
            !is_over
        });
        while machine.running.len() < given.cores as usize
            && let Some(bin) = bins.pop_front()
        {
            outcome.requests += bin.objects as f64;
            // Whoever hands out is one, and so is the store that answers.
            handed_out = machine.at.max(handed_out)
                + (given.start_ms / 1e3).max(bin.objects as f64 / given.store_requests);
            let alone = alone(bin, given, costs) * (costs.spread * normal(&mut rng)).exp();
            machine.running.push(Running { bin, begins: handed_out, left: 1.0, alone });
        }
        if !machine.running.is_empty() {
            machine.next = moment(machine.happens(link).max(machine.at));
            events.push(Reverse((machine.next, number)));
        }
        if are_lost {
            // Who had nothing to do any more has.
            for (number, machine) in
                machines.iter_mut().enumerate().filter(|(_, machine)| machine.running.is_empty())
            {
                machine.next = moment(machine.at.max(now));
                events.push(Reverse((machine.next, number)));
            }
        }
    }
    outcome
}

/// What a core needs for a bin where the link does not limit, in seconds: computing and waiting go on at a time.
fn alone(bin: Bin, given: &Given, costs: &Costs) -> f64 {
    let objects = bin.objects as f64;
    let core = objects * costs.object_s + bin.bytes * costs.byte_s;
    let latency = objects * given.latency_ms / 1e3 / (given.in_flight.min(bin.objects) as f64);
    core.max(latency)
}

/// Sizes of objects, as they come in a listing: each is some times as large as the median, by chance.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    objects: u64,
    median: f64,
    sigma: f64,
    most: f64,
}

impl Sizes {
    /// Those whose mean is that of the store although none is larger than the largest that there may be.
    fn new(scenario: &Scenario, given: &Given, rng: &mut Rng) -> Self {
        let draws: Vec<f64> = (0..1_000_000).map(|_| (given.sigma * normal(rng)).exp()).collect();
        let (mean, most) = (scenario.bytes / scenario.files, given.largest_gb * 1e9);
        let (mut low, mut high) = (0.0, mean);
        for _ in 0..40 {
            let median = (low + high) / 2.0;
            let of_draws =
                draws.iter().map(|draw| (draw * median).min(most)).sum::<f64>() / draws.len() as f64;
            if of_draws < mean { low = median } else { high = median }
        }
        Self { objects: scenario.files as u64, median: high, sigma: given.sigma, most }
    }

    /// All objects in bins: as many as one takes; of one that is larger than a bin, that one.
    fn bins(self, given: &Given, rng: &mut Rng, outcome: &mut Outcome) -> VecDeque<Bin> {
        let mut bins = VecDeque::new();
        let mut bin = Bin::default();
        for _ in 0..self.objects {
            let size = (self.median * (self.sigma * normal(rng)).exp()).min(self.most);
            outcome.bytes += size;
            outcome.largest = outcome.largest.max(size);
            let is_full = bin.objects == given.bin_objects || bin.bytes + size > given.bin_gb * 1e9;
            if is_full && bin.objects > 0 {
                bins.push_back(std::mem::take(&mut bin));
            }
            bin.objects += 1;
            bin.bytes += size;
        }
        bins.extend((bin.objects > 0).then_some(bin));
        bins
    }
}

/// A number of the normal distribution, by the polar method.
fn normal(rng: &mut Rng) -> f64 {
    loop {
        let (x, y) = (rng.f64() * 2.0 - 1.0, rng.f64() * 2.0 - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}
