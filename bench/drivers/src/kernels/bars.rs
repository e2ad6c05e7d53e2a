//! What our kernels have to reach, and whether they did.
//!
//! The bars bind on Zen 4, for which they were set; elsewhere the ratios are recorded.

use hashlane_measure::statistics::Estimate;
use serde::Serialize;

use super::cells::{Hash, LONG};
use super::contest::Contest;
use super::contestants::IPSEC_MB;

/// Ours by every peer.
const EVERY_PEER: f64 = 1.0;

/// The same where both wait for the same instructions, if 1 lies within the interval.
const SAME_LIMIT: f64 = 0.98;

/// SHA-256 of eight messages and more by that of ipsec-mb.
const BY_IPSEC_MB: f64 = 1.45;

/// The share of the ports that 48 messages of MD5 keep busy.
const OF_LIMIT: f64 = 0.85;

/// The function for whole messages by slots that are kept, of short messages. Both run the same code at other
/// addresses, and that alone was seen to make a few hundredths either way.
const WHOLE_BY_KEPT: f64 = 0.95;

/// A bar over many cells.
#[derive(Debug, Serialize)]
pub(super) struct Bar {
    pub(super) name: String,
    /// How many figures it was held against.
    pub(super) figures: usize,
    /// Those that are below.
    pub(super) missed: Vec<String>,
}

impl Bar {
    fn new(name: String) -> Self {
        Self { name, figures: 0, missed: Vec::new() }
    }

    fn hold(&mut self, what: impl FnOnce() -> String, value: &Estimate, is_met: bool) {
        self.figures += 1;
        if !is_met {
            self.missed.push(format!("{}: {}", what(), figure(value)));
        }
    }

    /// True if something was measured and all of it reached the bar.
    pub(super) fn is_met(&self) -> bool {
        self.figures > 0 && self.missed.is_empty()
    }
}

/// A ratio with its interval.
pub(super) fn figure(value: &Estimate) -> String {
    match value.interval {
        Some((low, high)) => format!("{:.3} [{low:.3}, {high:.3}]", value.median),
        None => format!("{:.3}", value.median),
    }
}

/// All bars that what was measured says something of.
pub(super) fn judge(contests: &[Contest]) -> Vec<Bar> {
    let mut algorithms: Vec<Hash> = Vec::new();
    for contest in contests {
        if !algorithms.contains(&contest.cell.algorithm) {
            algorithms.push(contest.cell.algorithm);
        }
    }
    let long = |contest: &&Contest| contest.cell.size_bytes >= LONG;
    let mut bars = Vec::new();
    for &algorithm in &algorithms {
        let name = format!("{}: at least {EVERY_PEER:.1} of every peer, from 4 KiB on", algorithm.name());
        let mut bar = Bar::new(name);
        for contest in contests.iter().filter(long).filter(|contest| contest.cell.algorithm == algorithm) {
            for (peer, ratio) in contest.peers() {
                let is_met = beats(contest, &ratio);
                bar.hold(|| format!("{}, {peer}", contest.cell), &ratio, is_met);
            }
        }
        bars.push(bar);
    }
    bars.push(of_limit(contests));
    bars.push(by_ipsec_mb(contests));
    bars.push(whole_by_kept(contests));
    bars.retain(|bar| bar.figures > 0);
    bars
}

/// Whether ours are as fast as a peer. One message by the SHA extensions takes what its chain of instructions
/// takes, whoever issues them.
fn beats(contest: &Contest, ratio: &Estimate) -> bool {
    let same_limit = contest.cell.messages == 1 && contest.kernel.starts_with("sha-ni ");
    let around_1 = ratio.interval.is_some_and(|(low, high)| low <= 1.0 && 1.0 <= high);
    ratio.median >= EVERY_PEER || same_limit && around_1 && ratio.median >= SAME_LIMIT
}

fn of_limit(contests: &[Contest]) -> Bar {
    let mut bar = Bar::new(format!("md5, 48 messages: at least {:.0} % of the port limit", OF_LIMIT * 100.0));
    for contest in contests {
        let is_it = contest.cell.algorithm == Hash::Md5 && contest.cell.messages == 48;
        let share = contest.share_of_limit().filter(|_| is_it && contest.cell.size_bytes >= LONG);
        if let Some(share) = share {
            bar.hold(|| contest.cell.to_string(), &share, share.median >= OF_LIMIT);
        }
    }
    bar
}

fn by_ipsec_mb(contests: &[Contest]) -> Bar {
    let mut bar = Bar::new(format!("sha256, 8 messages and more: at least {BY_IPSEC_MB} of {IPSEC_MB}"));
    for contest in contests {
        let is_it = contest.cell.algorithm == Hash::Sha256 && contest.cell.messages >= 8;
        let ratio = contest.ratio(IPSEC_MB).filter(|_| is_it && contest.cell.size_bytes >= LONG);
        if let Some(ratio) = ratio {
            bar.hold(|| contest.cell.to_string(), &ratio, ratio.median >= BY_IPSEC_MB);
        }
    }
    bar
}

fn whole_by_kept(contests: &[Contest]) -> Bar {
    let name = format!("digest_many of short messages: at least {WHOLE_BY_KEPT} of streams that are kept");
    let mut bar = Bar::new(name);
    for contest in contests {
        if let Some(ratio) = contest.whole_by_kept() {
            bar.hold(|| contest.cell.to_string(), &ratio, ratio.median >= WHOLE_BY_KEPT);
        }
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::super::cells::{Cell, Placing};
    use super::super::contest::testing::contest;
    use super::super::contestants::{DIGEST_MANY, OURS};
    use super::*;

    fn cell(algorithm: Hash, messages: usize, size_bytes: usize) -> Cell {
        Cell { algorithm, messages, size_bytes, placing: Placing::Staggered }
    }

    fn bar<'a>(bars: &'a [Bar], name: &str) -> &'a Bar {
        let found = bars.iter().find(|bar| bar.name.starts_with(name));
        found.unwrap_or_else(|| panic!("no {name} among {bars:?}"))
    }

    const NEARLY: [f64; 7] = [98.9, 99.0, 99.0, 99.0, 99.5, 101.0, 101.0];

    #[test]
    fn every_peer_counts_at_every_size_that_is_long() {
        let contests = [
            contest(cell(Hash::Md5, 8, 4096), &[(OURS, [100.0; 7]), ("a", [99.0; 7]), ("b", [500.0; 7])]),
            contest(cell(Hash::Md5, 8, 64), &[(OURS, [100.0; 7]), ("a", [50.0; 7])]),
        ];
        let bars = judge(&contests);
        let bar = bar(&bars, "md5: at least 1.0");
        assert_eq!((bar.figures, bar.is_met()), (2, false));
        assert_eq!(bar.missed, ["md5 8 x 4 KiB, staggered, a: 0.990 [0.990, 0.990]"]);
    }

    #[test]
    fn one_message_by_the_same_instructions_may_be_a_little_slower() {
        let judged = |messages, kernel: &str, peer| {
            let mut contest = contest(cell(Hash::Sha256, messages, 4096), &[(OURS, [100.0; 7]), ("a", peer)]);
            contest.kernel = kernel.to_owned();
            bar(&judge(&[contest]), "sha256: at least 1.0").is_met()
        };
        assert!(judged(1, "sha-ni x 1", NEARLY));
        assert!(!judged(1, "sha-ni x 1", [99.0; 7]), "beyond doubt");
        assert!(!judged(1, "portable x 1", NEARLY), "other instructions");
        assert!(!judged(2, "sha-ni x 2", NEARLY), "more messages");
        assert!(!judged(1, "sha-ni-avx512 x 8", NEARLY), "another kernel");
    }

    #[test]
    fn the_other_bars_have_cells_of_their_own() {
        let contests = [
            contest(cell(Hash::Sha256, 8, 4096), &[(OURS, [100.0; 7]), (IPSEC_MB, [146.0; 7])]),
            contest(cell(Hash::Sha256, 5, 4096), &[(OURS, [100.0; 7]), (IPSEC_MB, [110.0; 7])]),
            // A hundred cycles at 4 GHz are 25 ns.
            contest(cell(Hash::Md5, 48, 4096), &[(OURS, [30.0; 7])]),
            contest(cell(Hash::Md5, 32, 4096), &[(OURS, [90.0; 7])]),
            contest(cell(Hash::Md5, 1, 64), &[(OURS, NEARLY), (DIGEST_MANY, [100.0; 7])]),
        ];
        let bars = judge(&contests);
        for (name, is_met) in [("sha256, 8 messages", true), ("md5, 48", false), ("digest_many", true)] {
            let bar = bar(&bars, name);
            assert_eq!((bar.figures, bar.is_met()), (1, is_met), "{name}");
        }
    }

    #[test]
    fn what_was_not_measured_is_not_judged() {
        let contests = [contest(cell(Hash::Sha1, 8, 4096), &[(OURS, [1.0; 7]), ("a", [2.0; 7])])];
        assert_eq!(judge(&contests).len(), 1);
    }
}
