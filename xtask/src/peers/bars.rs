//! The bars: what hashlane has to reach, judged by the medians of one run.

use serde::Serialize;

use super::parts::FOUR;
use super::run::{Contest, Entry, Role};
use super::statistics::{Estimate, difference, speed_ratio};

const MIB: f64 = 1_048_576.0;

/// One requirement with what came out.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Bar {
    /// What is compared.
    pub(crate) name: String,
    /// What is asked for.
    pub(crate) limit: f64,
    /// Which side of the limit is right.
    pub(crate) side: Side,
    /// Of limit and value; empty for ratios.
    pub(crate) unit: &'static str,
    /// What was measured; none if there was nothing to measure.
    pub(crate) value: Option<Estimate>,
    /// The verdict.
    pub(crate) passed: bool,
}

/// Which side of a limit is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    /// The value reaches the limit.
    AtLeast,
    /// The value stays within the limit.
    AtMost,
}

/// Judges everything that these contests allow to judge.
pub(crate) fn judge(contests: &[Contest], cores: usize) -> Vec<Bar> {
    let warm = |part: &str, work: &str| {
        contests.iter().find(|contest| {
            contest.part == part && contest.work == work && !contest.state.starts_with("cold")
        })
    };
    let mut bars = Vec::new();
    if let Some(contest) = warm("one-file", "sha256") {
        bars.extend(one_file(contest));
    }
    if let Some(contest) = warm("one-file", "blake3") {
        let b3sums = contest.entries.iter().filter(|entry| entry.name.starts_with("b3sum"));
        bars.extend(b3sums.map(|b3sum| {
            let name = format!("1 GiB, blake3: hashlane : {}", b3sum.name);
            at_least(name, 0.9, ratio(contest.ours(), Some(b3sum)))
        }));
    }
    bars.extend(warm("one-file", FOUR).map(|contest| one_reading(contest, cores)));
    for (part, title, limit) in [("many", "2,000 x 1 MiB", 1.15), ("small", "100,000 small files", 1.5)] {
        bars.extend(warm(part, "sha256").map(|contest| best_peer(contest, title, limit)));
    }
    bars.extend(contests.iter().filter(|contest| contest.part == "startup").map(startup));
    if let Some(contest) = contests.iter().find(|contest| contest.part == "sparse") {
        bars.extend(sparse(contest));
    }
    bars.extend(memory(contests));
    bars
}

fn bar(name: String, side: Side, limit: f64, unit: &'static str, value: Option<Estimate>) -> Bar {
    let passed = value.is_some_and(|value| match side {
        Side::AtLeast => value.median >= limit,
        Side::AtMost => value.median <= limit,
    });
    Bar { name, limit, side, unit, value, passed }
}

fn at_least(name: String, limit: f64, value: Option<Estimate>) -> Bar {
    bar(name, Side::AtLeast, limit, "", value)
}

fn ratio(ours: Option<&Entry>, other: Option<&Entry>) -> Option<Estimate> {
    speed_ratio(ours?, other?)
}

fn one_file(contest: &Contest) -> [Bar; 3] {
    let (ceiling, speed) = (contest.entry("digest ceiling"), contest.entry("openssl speed"));
    [
        at_least(
            "1 GiB, sha256: hashlane : its digest ceiling on one core".into(),
            0.97,
            ratio(contest.ours(), ceiling),
        ),
        at_least("sha256: digest ceiling : openssl speed".into(), 0.97, ratio(ceiling, speed)),
        at_least(
            "1 GiB, sha256: hashlane : openssl dgst".into(),
            1.2,
            ratio(contest.ours(), contest.entry("openssl dgst")),
        ),
    ]
}

/// Time of one reading for all, over the larger of the slowest alone and all alone shared by the cores.
fn one_reading(contest: &Contest, cores: usize) -> Bar {
    let parts: Vec<_> = contest.entries.iter().filter(|entry| entry.role == Role::Part).collect();
    let mut ratios = Vec::new();
    for ours in contest.ours().into_iter().flat_map(|ours| &ours.samples) {
        let samples = parts.iter().flat_map(|part| &part.samples).filter(|sample| sample.round == ours.round);
        let alone: Vec<_> = samples.map(|sample| sample.wall_ns as f64).collect();
        if alone.len() == FOUR.split('+').count() {
            let bound = alone.iter().copied().fold(alone.iter().sum::<f64>() / cores as f64, f64::max);
            ratios.push(ours.wall_ns as f64 / bound);
        }
    }
    let name = format!("1 GiB, {FOUR} in one reading : max(slowest alone, sum alone / {cores})");
    bar(name, Side::AtMost, 1.05, "", Estimate::of(&ratios))
}

fn best_peer(contest: &Contest, title: &str, limit: f64) -> Bar {
    let best = contest.best_peer();
    let name = best.map_or("no peer", |best| best.name.as_str());
    at_least(format!("{title}, sha256: hashlane : best peer ({name})"), limit, ratio(contest.ours(), best))
}

fn startup(contest: &Contest) -> Bar {
    let times =
        |entry: &Entry| entry.samples.iter().map(|sample| sample.wall_ns as f64 / 1e6).collect::<Vec<_>>();
    let both = contest.ours().zip(contest.entry("sha256sum"));
    let more_ms = both.and_then(|(ours, other)| difference(&times(ours), &times(other)));
    bar("start-up: hashlane --version beyond sha256sum --version".into(), Side::AtMost, 2.0, "ms", more_ms)
}

fn sparse(contest: &Contest) -> [Bar; 2] {
    let read = contest.ours().and_then(|ours| {
        let bytes: Option<Vec<_>> =
            ours.samples.iter().map(|sample| Some(sample.read_bytes? as f64 / MIB)).collect();
        // The most, not the median: no run may read the holes.
        let most = bytes?.into_iter().fold(0.0, f64::max);
        Some(Estimate::without_spread(most, ours.samples.len()))
    });
    let time = ratio(contest.entry("zeros"), contest.ours());
    [
        bar(
            "64 GiB with 10 MiB of data: bytes read (most of all runs)".into(),
            Side::AtMost,
            11.0,
            "MiB",
            read,
        ),
        bar("64 GiB with 10 MiB of data: time : digesting as many zeros".into(), Side::AtMost, 1.1, "", time),
    ]
}

/// The largest peak of hashlane in each part, over all algorithms and rounds.
fn memory(contests: &[Contest]) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    for part in ["one-file", "many", "small", "usr", "sparse", "million", "million-flat", "huge"] {
        let ours = |entry: &&Entry| matches!(entry.role, Role::Ours | Role::Part);
        let entries =
            contests.iter().filter(|contest| contest.part == part).flat_map(|contest| &contest.entries);
        let entries: Vec<_> = entries.filter(ours).collect();
        let runs = entries.iter().map(|entry| entry.samples.len()).sum();
        let peaks = entries.iter().filter_map(|entry| entry.peak_memory_bytes);
        let value = peaks.max().map(|peak| Estimate::without_spread(peak as f64 / MIB, runs));
        if !entries.is_empty() {
            bars.push(bar(
                format!("{part}: peak memory (most of all runs)"),
                Side::AtMost,
                64.0,
                "MiB",
                value,
            ));
        }
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::super::run::Sample;
    use super::*;

    fn entry(name: &str, role: Role, wall_ns: [u64; 3]) -> Entry {
        let mut entry = Entry::new(name, role, String::new());
        entry.peak_memory_bytes = Some(10 << 20);
        let sample = |(round, wall_ns)| {
            let (user_ns, sys_ns, bytes) = (1, 1, 1_000);
            Sample { round, wall_ns, user_ns, sys_ns, bytes, max_rss_bytes: None, read_bytes: Some(1 << 20) }
        };
        entry.samples = wall_ns.into_iter().enumerate().map(sample).collect();
        entry
    }

    fn contest(part: &str, work: &str, entries: Vec<Entry>) -> Contest {
        let state = "warm".to_owned();
        let mut contest = Contest {
            part: part.into(),
            input: String::new(),
            work: work.into(),
            state,
            files: 1,
            bytes: 1_000,
            entries,
        };
        contest.summarise();
        contest
    }

    #[test]
    fn one_reading_is_held_against_the_larger_bound() {
        let parts = [[10; 3], [20; 3], [30; 3], [100; 3]].map(|wall| entry("part", Role::Part, wall));
        let mut entries = vec![entry("hashlane", Role::Ours, [104, 105, 106])];
        entries.extend(parts);
        let bars = judge(&[contest("one-file", FOUR, entries)], 2);
        assert_eq!(bars[0].value.map(|value| value.median), Some(1.05));
        assert!(bars[0].passed);
        assert_eq!((bars[1].unit, bars[1].passed), ("MiB", true));
    }

    #[test]
    fn the_best_peer_is_the_one_to_beat() {
        let entries = vec![
            entry("hashlane", Role::Ours, [100; 3]),
            entry("slow", Role::Peer, [900; 3]),
            entry("fast", Role::Peer, [110; 3]),
        ];
        let bars = judge(&[contest("many", "sha256", entries)], 2);
        assert_eq!(bars[0].name, "2,000 x 1 MiB, sha256: hashlane : best peer (fast)");
        assert!(!bars[0].passed);
    }

    #[test]
    fn what_was_not_measured_is_not_passed() {
        let bars = judge(&[contest("one-file", "sha256", vec![entry("hashlane", Role::Ours, [1; 3])])], 2);
        assert!(bars[..3].iter().all(|bar| !bar.passed && bar.value.is_none()));
    }
}
