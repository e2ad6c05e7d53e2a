//! What the samples of programs say: times, rates, ratios by round. Measures nothing, prints nothing; medians and
//! intervals are those of `hashlane-measure`.

pub(crate) use hashlane_measure::statistics::{
    Estimate, LEAST_FOR_INTERVAL as LEAST_SAMPLES, difference_of_medians as difference,
};
use serde::Serialize;

use super::run::{Entry, Sample};

/// What the samples of one program say.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    /// Elapsed time.
    pub(crate) wall_s: Estimate,
    /// 10^6 bytes a second; absent where no bytes are involved.
    pub(crate) mb_per_s: Option<Estimate>,
    /// Processor time, user and system, for 10^9 bytes.
    pub(crate) cpu_s_per_gb: Option<Estimate>,
}

impl Summary {
    /// The summary of `samples`; none without samples.
    pub(crate) fn of(samples: &[Sample]) -> Option<Self> {
        let figures = |figure: fn(&Sample) -> f64| samples.iter().map(figure).collect::<Vec<_>>();
        Some(Self {
            wall_s: Estimate::of(&figures(|sample| sample.wall_ns as f64 / 1e9))?,
            mb_per_s: Estimate::of(&figures(rate)).filter(|rate| rate.median > 0.0),
            cpu_s_per_gb: Estimate::of(&figures(|sample| {
                (sample.user_ns + sample.sys_ns) as f64 / sample.bytes as f64
            })),
        })
    }
}

/// How many times faster `ours` is than `other`: the median of the ratios of each round.
pub(crate) fn speed_ratio(ours: &Entry, other: &Entry) -> Option<Estimate> {
    // Without bytes (start-up) the same work is done by definition.
    by_round(ours, other, |ours, other| match ours.bytes {
        0 => other.wall_ns as f64 / ours.wall_ns as f64,
        _ => rate(ours) / rate(other),
    })
}

/// How many times less processor time `ours` takes than `other` for the same work. Other work on the machine disturbs it less.
pub(crate) fn processor_ratio(ours: &Entry, other: &Entry) -> Option<Estimate> {
    let used = |sample: &Sample| (sample.user_ns + sample.sys_ns) as f64;
    by_round(ours, other, |ours, other| used(other) / used(ours))
}

/// The median of a ratio over the rounds of both.
fn by_round(ours: &Entry, other: &Entry, ratio: impl Fn(&Sample, &Sample) -> f64) -> Option<Estimate> {
    let ratios = ours.samples.iter().filter_map(|sample| {
        let other = other.samples.iter().find(|other| other.round == sample.round)?;
        Some(ratio(sample, other))
    });
    Estimate::of(&ratios.collect::<Vec<_>>())
}

/// 10^6 bytes a second.
fn rate(sample: &Sample) -> f64 {
    sample.bytes as f64 * 1e3 / sample.wall_ns as f64
}

#[cfg(test)]
mod tests {
    use super::super::run::Role;
    use super::*;

    fn sample(round: usize, wall_ns: u64, bytes: u64) -> Sample {
        Sample { round, wall_ns, user_ns: 1_000, sys_ns: 500, bytes, max_rss_bytes: None, read_bytes: None }
    }

    fn entry(samples: Vec<Sample>) -> Entry {
        Entry { samples, ..Entry::new("x", Role::Peer, String::new()) }
    }

    #[test]
    fn few_samples_have_no_interval() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        for n in 1..=6 {
            let estimate = Estimate::of(&values[..n]).expect("there are values");
            assert_eq!(estimate.interval.is_some(), n == 6, "{n}");
            let difference = difference(&values[..n], &values).expect("there are values");
            assert_eq!(difference.interval.is_some(), n == 6, "{n}");
        }
        let interval = Estimate::of(&values).and_then(|estimate| estimate.interval);
        assert_eq!(interval, Some((1.0, 6.0)), "of six there is no narrower one");
    }

    #[test]
    fn nothing_infinite_comes_out() {
        assert_eq!(Estimate::of(&[1.0, f64::INFINITY]), None);
        assert_eq!(Estimate::of(&[]), None);
        let summary = Summary::of(&[sample(0, 1_000, 0)]).expect("there is a sample");
        assert!(summary.mb_per_s.is_none() && summary.cpu_s_per_gb.is_none());
        assert!(Summary::of(&[sample(0, 0, 10)]).expect("there is a sample").mb_per_s.is_none());
    }

    #[test]
    fn ratios_compare_rates_of_the_same_round() {
        let ours = entry(vec![sample(0, 100, 10), sample(1, 100, 10), sample(2, 100, 10)]);
        let other = entry(vec![sample(2, 400, 10), sample(1, 200, 10), sample(0, 300, 10)]);
        assert!((speed_ratio(&ours, &other).expect("rounds match").median - 3.0).abs() < 1e-12);
        let half = entry(vec![sample(0, 100, 5)]);
        assert!((speed_ratio(&ours, &half).expect("rounds match").median - 2.0).abs() < 1e-12);
    }
}
