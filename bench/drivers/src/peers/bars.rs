//! The bars: what hashlane has to reach, judged by the medians of one run.

use serde::Serialize;

use super::parts::{FOUR, NO_PROFILE};
use super::run::{Contest, Entry, Role};
use super::statistics::{Estimate, difference, processor_ratio, speed_ratio};

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
    let find = |part: &str, work: &str, cold: bool| {
        contests.iter().find(|contest| {
            contest.part == part && contest.work == work && contest.state.starts_with("cold") == cold
        })
    };
    let warm = |part: &str, work: &str| find(part, work, false);
    let mut bars = of_builds(contests);
    for (work, limit) in [("md5", 18.0), ("sha1", 4.5), ("sha256", 2.6), ("sha512", 3.5)] {
        bars.extend(warm("lanes", work).into_iter().flat_map(|contest| lanes(contest, limit)));
    }
    if let Some(contest) = warm("one-file", "sha256") {
        bars.extend(one_file(contest));
    }
    if let Some(contest) = warm("one-file", "blake3") {
        let b3sums = contest.entries.iter().filter(|entry| entry.name.starts_with("b3sum"));
        bars.extend(b3sums.map(|b3sum| {
            let name = format!("1 GiB, blake3: hashlane : {}", b3sum.name);
            at_least(name, 1.0, ratio(contest.ours(), Some(b3sum)))
        }));
    }
    bars.extend(warm("one-file", FOUR).map(|contest| one_reading(contest, cores)));
    for (part, title, works) in BEST_PEERS {
        for (work, limit) in works {
            bars.extend(warm(part, work).map(|contest| best_peer(contest, title, *limit)));
        }
    }
    for (work, limit) in [("sha256", 0.56), ("md5", 0.7)] {
        bars.extend(warm("small", work).map(|contest| of_bare_reading(contest, limit)));
    }
    if let Some(contest) = warm("many", "sha256") {
        bars.extend(one_core(contest, cores));
    }
    for (part, title, _) in BEST_PEERS {
        bars.extend(warm(part, "sha256").map(|contest| processor_time(contest, title)));
    }
    bars.extend(
        find("small", "sha256", true).map(|contest| best_peer(contest, "cold: 100,000 small files", 1.3)),
    );
    for (part, title) in [("one-file", "cold: 1 GiB"), ("many", "cold: 2,000 x 1 MiB")] {
        bars.extend(find(part, "sha256", true).into_iter().flat_map(|contest| cold_reading(contest, title)));
    }
    bars.extend(contests.iter().filter(|contest| contest.part.starts_with("tuned")).map(tuned));
    bars.extend(warm("million", "sha256").zip(warm("ten-thousand", "sha256")).map(cost_of_a_file));
    bars.extend(contests.iter().filter(|contest| contest.part == "startup").map(startup));
    if let Some(contest) = contests.iter().find(|contest| contest.part == "sparse") {
        bars.extend(sparse(contest));
    }
    bars.extend(memory(contests));
    bars
}

/// How fast a build has to be, where another one is faster.
const OF_ANOTHER_BUILD: f64 = 0.99;

/// Two builds of hashlane, in every contest in which both were timed.
pub(crate) fn of_builds(contests: &[Contest]) -> Vec<Bar> {
    let both = contests.iter().filter_map(|contest| Some((contest, contest.against()?)));
    let judged = both.map(|(contest, against)| {
        let state = if contest.state.starts_with("cold") { ", cold" } else { "" };
        let name = format!("{}, {}{state}: hashlane : the other build", contest.part, contest.work);
        let less = contest.ours().and_then(|ours| processor_ratio(ours, against));
        [
            at_least(name.clone(), OF_ANOTHER_BUILD, ratio(contest.ours(), Some(against))),
            at_least(format!("{name}, by processor time"), OF_ANOTHER_BUILD, less),
        ]
    });
    judged.flatten().collect()
}

/// Works of a part with the ratio to the best peer that each is to reach.
type Works = &'static [(&'static str, f64)];

/// Where the fastest peer is to be beaten, and by how much.
const BEST_PEERS: [(&str, &str, Works); 3] = [
    (
        "many",
        "2,000 x 1 MiB",
        &[("sha256", 2.4), ("sha1", 3.0), ("sha512", 3.0), ("md5", 8.0), ("md5+sha256", 5.0)],
    ),
    ("small", "100,000 small files", &[("sha256", 2.8), ("md5", 4.0)]),
    ("usr", "the tree", &[("sha256", 2.4), ("md5", 4.0)]),
];

/// The works of a part that are to be faster than the fastest peer by some factor.
pub(crate) fn best_peer_works(part: &str) -> Vec<&'static str> {
    let works = BEST_PEERS.iter().filter(|(name, ..)| *name == part).flat_map(|(_, _, works)| *works);
    works.map(|(work, _)| *work).collect()
}

/// Messages side by side on one core.
fn lanes(contest: &Contest, limit: f64) -> Vec<Bar> {
    let work = &contest.work;
    let openssl = contest.entry("openssl speed");
    let mut bars = vec![at_least(
        format!("in cache, one core, {work}: lanes : openssl, one message"),
        limit,
        ratio(contest.entry("lanes"), openssl),
    )];
    let widest = |backend: &str| {
        let lanes =
            |entry: &Entry| entry.name.strip_prefix(backend)?.strip_prefix(" x ")?.parse::<usize>().ok();
        contest.entries.iter().max_by_key(|entry| lanes(entry)).filter(|entry| lanes(entry).is_some())
    };
    if let ("md5", Some(avx2)) | ("sha512", Some(avx2)) = (work.as_str(), widest("avx2")) {
        let limit = if work == "md5" { 6.0 } else { 1.5 };
        let name = format!("in cache, one core, {work}: AVX2 : openssl, one message");
        bars.push(at_least(name, limit, ratio(Some(avx2), openssl)));
    }
    if let (Some(one), Some(many)) = (contest.entry("sha-ni x 1"), widest("sha-ni")) {
        let name = format!("in cache, one core, {work}: SHA-NI interleaved : one message");
        bars.push(at_least(name, 1.5, ratio(Some(many), Some(one))));
    }
    bars
}

fn bare(contest: &Contest, threads: usize) -> Option<&Entry> {
    contest.entry(&format!("bare reading, {threads} threads"))
}

fn of_bare_reading(contest: &Contest, limit: f64) -> Bar {
    let bare = contest.entries.iter().find(|entry| entry.name.starts_with("bare reading"));
    let name =
        format!("100,000 small files, {}: hashlane : walk, open, fstat, read, close alone", contest.work);
    at_least(name, limit, ratio(contest.ours(), bare))
}

/// What one core makes of its share: the model of reading and digesting one after the other, and scaling.
fn one_core(contest: &Contest, cores: usize) -> [Bar; 2] {
    let by_round = |figure: &dyn Fn(usize) -> Option<f64>| {
        let rounds = contest.ours().into_iter().flat_map(|ours| &ours.samples).map(|sample| sample.round);
        Estimate::of(&rounds.filter_map(figure).collect::<Vec<_>>())
    };
    let rate = |entry: Option<&Entry>, round: usize| {
        let sample = entry?.samples.iter().find(|sample| sample.round == round)?;
        Some(sample.bytes as f64 / sample.wall_ns as f64)
    };
    let model = by_round(&|round| {
        let read = rate(bare(contest, 1), round)?;
        let digest = rate(contest.entry("lanes"), round)?;
        Some(rate(contest.ours(), round)? / cores as f64 * (1.0 / read + 1.0 / digest))
    });
    let on = |count: usize| contest.entry(&format!("hashlane -j{count}"));
    let scaling = by_round(&|round| Some(rate(on(cores), round)? / rate(on(1), round)? / cores as f64));
    let title = format!("2,000 x 1 MiB, {}", contest.work);
    [
        at_least(format!("{title}: rate per core : 1 / (1/read + 1/digest)"), 0.85, model),
        at_least(format!("{title}: rate per core on {cores} cores : on one"), 0.9, scaling),
    ]
}

/// Processor time of hashlane over that of the peer that takes least.
fn processor_time(contest: &Contest, title: &str) -> Bar {
    let cost = |entry: &Entry| entry.summary.as_ref()?.cpu_s_per_gb.map(|cost| cost.median);
    let peers = contest.entries.iter().filter(|entry| entry.role == Role::Peer);
    let least = peers.filter_map(cost).min_by(f64::total_cmp);
    let value = contest.ours().and_then(cost).zip(least).map(|(ours, least)| ours / least);
    let value = value
        .map(|value| Estimate::without_spread(value, contest.ours().map_or(0, |ours| ours.samples.len())));
    let name = format!("{title}, {}: CPU s/GB of hashlane : least of all peers", contest.work);
    bar(name, Side::AtMost, 1.0, "", value)
}

/// Against bare reading and fio: a miss only where the whole interval lies below.
fn cold_reading(contest: &Contest, title: &str) -> Vec<Bar> {
    let others = contest.entries.iter().filter(|entry| entry.role == Role::Reference);
    let others = others.filter(|entry| entry.name == "fio" || entry.name.starts_with("bare"));
    let judged = others.map(|other| {
        let value = ratio(contest.ours(), Some(other));
        let name =
            format!("{title}, {}: hashlane : {} (upper end of the interval)", contest.work, other.name);
        let mut bar = at_least(name, 0.97, value);
        bar.passed = value.is_some_and(|value| value.interval.is_some_and(|(_, high)| high >= bar.limit));
        bar
    });
    judged.collect()
}

/// A profile must not make anything slower: the lower end of the interval counts.
fn tuned(contest: &Contest) -> Bar {
    let value = ratio(contest.ours(), contest.entry(NO_PROFILE));
    let state = if contest.state.starts_with("cold") { "cold" } else { "warm" };
    let name = format!("{}, {state}: by the profile : without (lower end of the interval)", contest.part);
    let mut bar = at_least(name, 0.97, value);
    bar.passed = value.is_some_and(|value| value.interval.is_some_and(|(low, _)| low >= bar.limit));
    bar
}

/// What a file costs beyond bare reading, among a million and among ten thousand.
fn cost_of_a_file((million, few): (&Contest, &Contest)) -> Bar {
    let wall = |entry: &Entry| entry.summary.as_ref().map(|summary| summary.wall_s.median);
    let cost = |contest: &Contest| {
        let bare = contest.entries.iter().find(|entry| entry.name.starts_with("bare reading"));
        let cost = (wall(contest.ours()?)? - wall(bare?)?) / contest.files as f64;
        // What is not dearer than bare reading was not measured.
        (cost > 0.0).then_some(cost)
    };
    let value = cost(million).zip(cost(few)).map(|(million, few)| million / few);
    let rounds = million.ours().map_or(0, |ours| ours.samples.len());
    let value = value.map(|value| Estimate::without_spread(value, rounds));
    bar(
        "cost of a file beyond bare reading: among 1,000,000 : among 10,000".into(),
        Side::AtMost,
        1.1,
        "",
        value,
    )
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
    let name = format!("{title}, {}: hashlane : best peer ({name})", contest.work);
    at_least(name, limit, ratio(contest.ours(), best))
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
    for part in
        ["one-file", "many", "small", "usr", "sparse", "million", "million-flat", "ten-thousand", "huge"]
    {
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
    fn another_build_is_no_peer_and_no_part() {
        let entries = vec![
            entry("hashlane", Role::Ours, [100; 3]),
            entry("other", Role::Against, [98; 3]),
            entry("peer", Role::Peer, [900; 3]),
        ];
        let bars = judge(&[contest("many", "sha256", entries)], 2);
        let bar = value(&bars, "many, sha256: hashlane : the other build");
        assert!(!bar.passed && bar.value.is_some_and(|value| (value.median - 0.98).abs() < 1e-9));
        // Both took as much of the processor.
        assert!(value(&bars, "the other build, by processor time").passed);
        assert!(value(&bars, "best peer (peer)").passed);
    }

    #[test]
    fn what_was_not_measured_is_not_passed() {
        let bars = judge(&[contest("one-file", "sha256", vec![entry("hashlane", Role::Ours, [1; 3])])], 2);
        assert!(bars[..3].iter().all(|bar| !bar.passed && bar.value.is_none()));
    }

    fn value<'a>(bars: &'a [Bar], name: &str) -> &'a Bar {
        let found = bars.iter().find(|bar| bar.name.contains(name));
        found.unwrap_or_else(|| {
            panic!("no {name} among {:?}", bars.iter().map(|bar| &bar.name).collect::<Vec<_>>())
        })
    }

    #[test]
    fn lanes_are_held_against_one_message() {
        let entries = vec![
            entry("openssl speed", Role::Reference, [180; 3]),
            entry("lanes", Role::Reference, [10; 3]),
            entry("avx2 x 16", Role::Reference, [45; 3]),
            entry("sha-ni x 1", Role::Reference, [100; 3]),
            entry("sha-ni x 4", Role::Reference, [50; 3]),
            entry("sha-ni-avx512 x 16", Role::Reference, [1; 3]),
        ];
        let bars = judge(&[contest("lanes", "md5", entries)], 2);
        let of = |name: &str| value(&bars, name).value.map(|value| value.median);
        assert_eq!(of("lanes : openssl"), Some(18.0));
        assert_eq!(of("AVX2 : openssl"), Some(4.0));
        assert_eq!(of("SHA-NI interleaved"), Some(2.0));
        assert!(value(&bars, "lanes : openssl").passed && !value(&bars, "AVX2").passed);
    }

    #[test]
    fn a_core_is_held_against_its_model_and_against_itself() {
        let entries = vec![
            entry("hashlane", Role::Ours, [50; 3]),
            entry("peer", Role::Peer, [150; 3]),
            entry("bare reading, 1 threads", Role::Reference, [40; 3]),
            entry("lanes", Role::Reference, [50; 3]),
            entry("hashlane -j1", Role::Part, [90; 3]),
            entry("hashlane -j2", Role::Part, [50; 3]),
        ];
        let bars = judge(&[contest("many", "sha256", entries)], 2);
        // A core alone would take 40 + 50, and two of them took 50 for all: 100 for each half twice over.
        assert!(value(&bars, "1 / (1/read").value.is_some_and(|value| (value.median - 0.9).abs() < 1e-9));
        assert!(value(&bars, "on 2 cores").value.is_some_and(|value| (value.median - 0.9).abs() < 1e-9));
        assert!(value(&bars, "CPU s/GB").passed);
    }

    #[test]
    fn a_cold_reading_misses_only_beyond_doubt() {
        let cold = |ours: [u64; 3]| {
            let entries = vec![entry("hashlane", Role::Ours, ours), entry("fio", Role::Reference, [100; 3])];
            let mut contest = contest("one-file", "sha256", entries);
            contest.state = "cold (for this kernel)".into();
            // Three samples have no interval, and what has none is not passed.
            for entry in &mut contest.entries {
                let samples = entry.samples.clone();
                let more = samples.iter().map(|sample| Sample { round: sample.round + 3, ..sample.clone() });
                entry.samples.extend(more);
            }
            contest
        };
        assert!(value(&judge(&[cold([120, 120, 101])], 2), "fio").passed);
        assert!(!value(&judge(&[cold([120, 120, 110])], 2), "fio").passed);
    }

    #[test]
    fn the_cost_of_a_file_is_what_goes_beyond_bare_reading() {
        let part = |name: &str, files: u64, ours: u64, bare: u64| {
            let entries = vec![
                entry("hashlane", Role::Ours, [ours; 3]),
                entry("bare reading, 2 threads", Role::Reference, [bare; 3]),
            ];
            Contest { files, ..contest(name, "sha256", entries) }
        };
        let contests = [part("million", 1_000, 3_000, 1_000), part("ten-thousand", 10, 30, 10)];
        let bar = judge(&contests, 2).into_iter().find(|bar| bar.name.starts_with("cost of a file"));
        let bar = bar.expect("both were measured");
        assert!(bar.passed && bar.value.is_some_and(|value| (value.median - 1.0).abs() < 1e-6));
    }
}
