//! From samples to figures: medians, bootstrap intervals, rates, ratios by round. Measures nothing, prints nothing.

use serde::Serialize;

use super::random::Random;
use super::run::{Entry, Sample};

/// Resamplings for one interval; the interval's own noise is then below the third digit.
const RESAMPLES: usize = 4_000;

/// Fewer samples have no interval: among five or fewer, resampled medians reach the smallest and the largest sample in
/// more than 2.5 % of all draws, so that the interval would be the range under another name.
pub(crate) const LEAST_SAMPLES: usize = 6;

/// A median with what is known of its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    /// The median.
    pub(crate) median: f64,
    /// 95 % bootstrap interval (percentile method); absent with fewer than [`LEAST_SAMPLES`].
    pub(crate) interval: Option<(f64, f64)>,
    /// How many samples.
    pub(crate) n: usize,
}

impl Estimate {
    /// The estimate of `values`; none without values or if one is no finite number.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let interval = (values.len() >= LEAST_SAMPLES).then(|| bootstrap(values));
        Some(Self { median: median(&mut values.to_vec()), interval, n: values.len() })
    }
}

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
    let pairs = ours.samples.iter().filter_map(|sample| {
        let other = other.samples.iter().find(|other| other.round == sample.round)?;
        Some((sample, other))
    });
    // Without bytes (start-up) the same work is done by definition.
    let ratios = pairs.map(|(ours, other)| match ours.bytes {
        0 => other.wall_ns as f64 / ours.wall_ns as f64,
        _ => rate(ours) / rate(other),
    });
    Estimate::of(&ratios.collect::<Vec<_>>())
}

/// By how much the median of `left` exceeds that of `right`; both hold at least one value.
pub(crate) fn difference(left: &[f64], right: &[f64]) -> Estimate {
    let mut random = Random::new(1);
    let difference = |mut left: Vec<f64>, mut right: Vec<f64>| median(&mut left) - median(&mut right);
    let resampled = || difference(resample(left, &mut random), resample(right, &mut random));
    let mut differences = std::iter::repeat_with(resampled).take(RESAMPLES);
    let n = left.len().min(right.len());
    let interval = (n >= LEAST_SAMPLES).then(|| middle_of(&mut differences.by_ref().collect::<Vec<_>>()));
    Estimate { median: difference(left.to_vec(), right.to_vec()), interval, n }
}

/// The middle value, or the mean of the two in the middle. Sorts `values`, of which there is at least one.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// 10^6 bytes a second.
fn rate(sample: &Sample) -> f64 {
    sample.bytes as f64 * 1e3 / sample.wall_ns as f64
}

/// The same samples always give the same interval, so records can be checked.
fn bootstrap(values: &[f64]) -> (f64, f64) {
    let mut random = Random::new(values.len() as u64);
    let resampled = || median(&mut resample(values, &mut random));
    middle_of(&mut std::iter::repeat_with(resampled).take(RESAMPLES).collect::<Vec<_>>())
}

fn resample(values: &[f64], random: &mut Random) -> Vec<f64> {
    values.iter().map(|_| values[random.below(values.len())]).collect()
}

/// Where the middle 95 % of the resampled figures lie.
fn middle_of(figures: &mut [f64]) -> (f64, f64) {
    figures.sort_unstable_by(f64::total_cmp);
    let cut = figures.len() / 40;
    (figures[cut], figures[figures.len() - 1 - cut])
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
    fn the_median_of_an_even_number_is_the_mean_of_the_middle() {
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&mut [9.0, 1.0, 5.0]), 5.0);
    }

    #[test]
    fn an_interval_lies_within_the_samples_and_around_the_median() {
        let values = [5.0, 5.1, 5.2, 5.3, 5.4, 5.5, 9.0];
        let estimate = Estimate::of(&values).expect("there are values");
        let (low, high) = estimate.interval.expect("seven are enough");
        assert!((5.0..=5.3).contains(&low) && (5.3..=9.0).contains(&high), "{low} {high}");
        assert_eq!(estimate.median, 5.3);
    }

    #[test]
    fn few_samples_have_no_interval() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        for n in 1..=6 {
            let estimate = Estimate::of(&values[..n]).expect("there are values");
            assert_eq!(estimate.interval.is_some(), n == 6, "{n}");
            assert_eq!(difference(&values[..n], &values).interval.is_some(), n == 6, "{n}");
        }
        let (low, high) =
            Estimate::of(&values).and_then(|estimate| estimate.interval).expect("six are enough");
        assert!(low > 1.0 && high < 6.0, "{low} {high}");
    }

    #[test]
    fn a_difference_lies_within_its_interval() {
        let estimate = difference(&[3.0, 3.1, 3.2, 3.3, 3.4, 3.5], &[1.0, 1.1, 1.2, 1.3, 1.4, 1.5]);
        let (low, high) = estimate.interval.expect("there are values");
        assert!((estimate.median - 2.0).abs() < 1e-12 && low <= 2.0 && high >= 2.0, "{low} {high}");
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
