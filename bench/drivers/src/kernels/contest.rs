//! One cell by all contestants in turns: digests that have to be equal, then rounds.
//!
//! Owns how time is taken: that of the processor, so a thread that has to wait for its core is not measured
//! waiting. A ratio is made of two times of one round, so what comes and goes on the machine meets both.

use std::collections::BTreeMap;
use std::hint::black_box;

use anyhow::{Context as _, Result, ensure};
use hashlane_measure::statistics::Estimate;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use super::cells::Cell;
use super::contestants::{Contestant, DIGEST_MANY, OURS};

/// How long a contestant works in a round, at least.
const TURN_SECONDS: f64 = 0.002;

/// What was measured of a cell.
#[derive(Debug, Serialize)]
pub(super) struct Contest {
    pub(super) cell: Cell,
    /// What serves that many messages of ours: backend and lanes.
    pub(super) kernel: String,
    /// The fewest cycles that all messages could take once.
    pub(super) fewest_cycles: Option<f64>,
    /// Time for all messages once, of each contestant in each round.
    pub(super) times_ns: BTreeMap<&'static str, Vec<f64>>,
    /// Cycles of the core in a nanosecond, in each round.
    pub(super) clock_ghz: Vec<f64>,
}

impl Contest {
    /// The digests of the first contestant are those that all others have to have.
    pub(super) fn hold(cell: Cell, rounds: usize, mut contestants: Vec<Contestant<'_>>) -> Result<Self> {
        let mut digests = vec![0; cell.messages * cell.algorithm.lanes().length()];
        compare(&cell, &mut contestants, &mut digests)?;
        let mut calls = Vec::new();
        for contestant in &mut contestants {
            calls.push(enough_calls(contestant, &mut digests)?);
        }
        let mut times_ns: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut clock_ghz = Vec::new();
        let count = contestants.len();
        for round in 0..rounds {
            clock_ghz.push(clock());
            for turn in 0..count {
                let whose = (round + turn) % count;
                let seconds = time(&mut contestants[whose], calls[whose], &mut digests)?;
                let times = times_ns.entry(contestants[whose].name).or_default();
                // A tenth of a nanosecond is less than any of these can be distinguished by.
                times.push((seconds / calls[whose] as f64 * 1e10).round() / 10.0);
            }
        }
        Ok(Self { cell, kernel: String::new(), fewest_cycles: None, times_ns, clock_ghz })
    }

    /// How many times faster ours are than another contestant: the median of the ratios of each round.
    pub(super) fn ratio(&self, other: &str) -> Option<Estimate> {
        self.by_round(other, OURS)
    }

    /// How many times faster the function for whole messages is than slots that are kept.
    pub(super) fn whole_by_kept(&self) -> Option<Estimate> {
        self.by_round(OURS, DIGEST_MANY)
    }

    fn by_round(&self, slower: &str, faster: &str) -> Option<Estimate> {
        let (slower, faster) = (self.times_ns.get(slower)?, self.times_ns.get(faster)?);
        let ratios: Vec<f64> = slower.iter().zip(faster).map(|(slower, faster)| slower / faster).collect();
        Estimate::of(&ratios)
    }

    /// Peers with our ratio to each, the fastest peer first.
    pub(super) fn peers(&self) -> Vec<(&'static str, Estimate)> {
        let peers = self.times_ns.keys().filter(|name| ![OURS, DIGEST_MANY].contains(name));
        let mut peers: Vec<_> = peers.filter_map(|name| Some((*name, self.ratio(name)?))).collect();
        peers.sort_by(|(_, one), (_, other)| one.median.total_cmp(&other.median));
        peers
    }

    /// 10^9 bytes a second.
    pub(super) fn rate(&self, name: &str) -> Option<f64> {
        let median = Estimate::of(self.times_ns.get(name)?)?.median;
        (median > 0.0).then(|| self.cell.bytes() as f64 / median)
    }

    /// The share of the limit that ours reach, by the clock of the same round.
    pub(super) fn share_of_limit(&self) -> Option<Estimate> {
        let (fewest, ours) = (self.fewest_cycles?, self.times_ns.get(OURS)?);
        let shares: Vec<f64> =
            ours.iter().zip(&self.clock_ghz).map(|(time, clock)| fewest / clock / time).collect();
        Estimate::of(&shares)
    }
}

/// Fails by name where digests differ.
fn compare(cell: &Cell, contestants: &mut [Contestant<'_>], digests: &mut [u8]) -> Result<()> {
    let mut expected = Vec::new();
    for contestant in contestants {
        digests.fill(0);
        contestant.digest(digests).with_context(|| format!("{cell}: {}", contestant.name))?;
        if expected.is_empty() {
            expected = digests.to_vec();
        }
        ensure!(digests == expected, "{cell}: the digests of {} are not ours", contestant.name);
    }
    Ok(())
}

/// Calls that take a turn together. Finding out warms the caches and the branches up.
fn enough_calls(contestant: &mut Contestant<'_>, digests: &mut [u8]) -> Result<u32> {
    let mut calls = 1;
    loop {
        let seconds = time(contestant, calls, digests)?;
        if seconds >= TURN_SECONDS {
            return Ok(calls);
        }
        let missing = TURN_SECONDS / seconds.max(TURN_SECONDS / 64.0) * 1.05;
        calls = (f64::from(calls) * missing).ceil() as u32;
    }
}

fn time(contestant: &mut Contestant<'_>, calls: u32, digests: &mut [u8]) -> Result<f64> {
    let start = processor_seconds();
    for _ in 0..calls {
        contestant.digest(black_box(&mut *digests))?;
    }
    Ok(processor_seconds() - start)
}

/// What this thread has taken of the processor: what others take meanwhile is not part of it.
fn processor_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Cycles of this core in a nanosecond, by a chain of operations, where each waits for the one before and
/// takes one cycle.
fn clock() -> f64 {
    /// Three shifts and three exclusive ors (Marsaglia's xorshift, which no compiler abbreviates).
    const CYCLES: u32 = 6;
    const STEPS: u32 = 100_000;
    let mut value = black_box(1u64);
    let start = processor_seconds();
    for _ in 0..STEPS {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
    }
    black_box(value);
    f64::from(CYCLES * STEPS) / (processor_seconds() - start) / 1e9
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Times of seven rounds, in nanoseconds.
    pub(in crate::kernels) fn contest(cell: Cell, times: &[(&'static str, [f64; 7])]) -> Contest {
        let times_ns = times.iter().map(|(name, times)| (*name, times.to_vec())).collect();
        let kernel = "avx512 x 16".to_owned();
        Contest { cell, kernel, fewest_cycles: Some(100.0), times_ns, clock_ghz: vec![4.0; 7] }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::{Hash, Messages, Placing};
    use super::super::contestants::Libraries;
    use super::testing::contest;
    use super::*;

    #[test]
    fn all_contestants_have_the_same_digests() {
        let libraries = Libraries::find();
        for algorithm in
            [Hash::Md5, Hash::Sha1, Hash::Sha256, Hash::Sha512, Hash::Sha3, Hash::Sm3, Hash::Blake2b]
        {
            for (messages, size_bytes) in [(1, 64), (5, 1000), (48, 4096)] {
                let cell = Cell { algorithm, messages, size_bytes, placing: Placing::Staggered };
                let messages = Messages::new(&cell, 1);
                let slices = messages.slices();
                let mut contestants = vec![
                    Contestant::ours(algorithm, &[], &slices),
                    Contestant::digest_many(algorithm, &slices),
                ];
                contestants.extend(libraries.peers(algorithm, &slices).expect("peers"));
                let mut digests = vec![0; cell.messages * algorithm.lanes().length()];
                compare(&cell, &mut contestants, &mut digests).expect("they are equal");
            }
        }
    }

    #[test]
    fn digests_that_differ_are_said_by_name() {
        let cell = Cell { algorithm: Hash::Sha256, messages: 2, size_bytes: 64, placing: Placing::Staggered };
        let (one, other) = (Messages::new(&cell, 1), Messages::new(&cell, 2));
        let (one, other) = (one.slices(), other.slices());
        let contestants =
            vec![Contestant::ours(Hash::Sha256, &[], &one), Contestant::digest_many(Hash::Sha256, &other)];
        let error = Contest::hold(cell, 1, contestants).expect_err("other messages").to_string();
        assert_eq!(error, "sha256 2 x 64 B, staggered: the digests of digest_many are not ours");
    }

    #[test]
    fn ratios_are_made_round_by_round_and_the_fastest_peer_comes_first() {
        let cell = Cell { algorithm: Hash::Md5, messages: 1, size_bytes: 64, placing: Placing::Staggered };
        let contest = contest(
            cell,
            &[
                (OURS, [50.0, 100.0, 50.0, 50.0, 50.0, 50.0, 50.0]),
                ("slow", [200.0, 400.0, 200.0, 200.0, 200.0, 200.0, 200.0]),
                ("fast", [60.0, 120.0, 60.0, 60.0, 60.0, 60.0, 60.0]),
            ],
        );
        let peers = contest.peers();
        assert_eq!(peers.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["fast", "slow"]);
        // What took twice as long in one round did so for all.
        assert_eq!(peers[1].1.interval, Some((4.0, 4.0)));
        assert_eq!(contest.share_of_limit().map(|share| share.median), Some(0.5));
        assert_eq!(contest.rate(OURS), Some(64.0 / 50.0));
    }

    #[test]
    fn the_clock_of_a_core_is_one_of_this_century() {
        let clock = clock();
        assert!((0.1..20.0).contains(&clock), "{clock} GHz");
    }
}
