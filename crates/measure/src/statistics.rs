//! From samples to figures: medians, bootstrap intervals, spread, ratios. Measures nothing, prints nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Resamplings for one interval; the interval's own noise is then below the third digit.
const RESAMPLES: usize = 4_000;

/// Fewer values have no interval: resampling so few says little more than their range, and a 95 % interval of the median
/// does not exist below 6 (Conover, Practical Nonparametric Statistics, 3.2).
pub const LEAST_FOR_INTERVAL: usize = 6;

/// A figure with what is known of its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The median.
    pub median: f64,
    /// 95 % bootstrap interval of the median (percentile method); absent with fewer than [`LEAST_FOR_INTERVAL`] values.
    pub interval: Option<(f64, f64)>,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// Median of the distances from the median.
    pub mad: f64,
    /// How many values.
    pub n: usize,
}

impl Estimate {
    /// The estimate of `values`; none without values or if one is no finite number.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = values.to_vec();
        let median = middle(&mut sorted);
        let mut distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
        Some(Self {
            median,
            interval: (values.len() >= LEAST_FOR_INTERVAL).then(|| bootstrap(values)),
            min: sorted[0],
            max: sorted[sorted.len() - 1],
            mad: middle(&mut distances),
            n: values.len(),
        })
    }

    /// A figure that is no median of `n` values, such as the largest of them.
    pub fn without_spread(value: f64, n: usize) -> Self {
        Self { median: value, interval: None, min: value, max: value, mad: 0.0, n }
    }

    /// Width of the interval as a share of the median; none without an interval or if the median is 0.
    pub fn relative_width(&self) -> Option<f64> {
        let (low, high) = self.interval?;
        (self.median != 0.0).then(|| (high - low) / self.median.abs())
    }
}

/// The ratio of two figures that were not sampled in pairs: of their medians, with the interval of resampling both. None
/// without values or if one is not above 0.
pub fn ratio_of_medians(values: &[f64], reference: &[f64]) -> Option<Estimate> {
    let right = |value: &f64| value.is_finite() && *value > 0.0;
    values.iter().chain(reference).all(right).then(|| combined(values, reference, |a, b| a / b))?
}

/// By how much one figure exceeds another, likewise. None without values or if one is no finite number.
pub fn difference_of_medians(values: &[f64], reference: &[f64]) -> Option<Estimate> {
    let right = |value: &f64| value.is_finite();
    values.iter().chain(reference).all(right).then(|| combined(values, reference, |a, b| a - b))?
}

/// What `combine` makes of two medians, with the interval of resampling both.
fn combined(values: &[f64], reference: &[f64], combine: impl Fn(f64, f64) -> f64) -> Option<Estimate> {
    if values.is_empty() || reference.is_empty() {
        return None;
    }
    let of =
        |mut values: Vec<f64>, mut reference: Vec<f64>| combine(middle(&mut values), middle(&mut reference));
    let median = of(values.to_vec(), reference.to_vec());
    let mut random = fastrand::Rng::with_seed(values.len() as u64);
    let mut resampled: Vec<f64> =
        (0..RESAMPLES).map(|_| of(resample(values, &mut random), resample(reference, &mut random))).collect();
    let interval = middle_of(&mut resampled);
    let n = values.len().min(reference.len());
    let mut distances: Vec<f64> = resampled.iter().map(|figure| (figure - median).abs()).collect();
    Some(Estimate {
        median,
        interval: (n >= LEAST_FOR_INTERVAL).then_some(interval),
        min: resampled[0],
        max: resampled[resampled.len() - 1],
        mad: middle(&mut distances),
        n,
    })
}

/// The geometric mean, the right one for ratios; none without values or if one is not above 0.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let right = |ratio: &f64| ratio.is_finite() && *ratio > 0.0;
    (!ratios.is_empty() && ratios.iter().all(right))
        .then(|| (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp())
}

/// The arithmetic mean; none without values.
pub fn arithmetic_mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle value, or the mean of the two in the middle; none without values.
pub fn median(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| middle(&mut values.to_vec()))
}

/// The median of at least one value. Sorts them.
fn middle(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// The same values always give the same interval, so a run file can be checked.
fn bootstrap(values: &[f64]) -> (f64, f64) {
    let mut random = fastrand::Rng::with_seed(values.len() as u64);
    let mut medians: Vec<f64> = (0..RESAMPLES).map(|_| middle(&mut resample(values, &mut random))).collect();
    middle_of(&mut medians)
}

fn resample(values: &[f64], random: &mut fastrand::Rng) -> Vec<f64> {
    values.iter().map(|_| values[random.usize(..values.len())]).collect()
}

/// Where the middle 95 % of the resampled figures lie. Sorts them.
fn middle_of(figures: &mut [f64]) -> (f64, f64) {
    figures.sort_unstable_by(f64::total_cmp);
    let cut = figures.len() / 40;
    (figures[cut], figures[figures.len() - 1 - cut])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn few_values_have_no_interval() {
        assert_eq!(Estimate::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("finite").interval, None);
        assert!(Estimate::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("finite").interval.is_some());
    }

    #[test]
    fn nothing_infinite_comes_out() {
        assert_eq!(Estimate::of(&[1.0, f64::INFINITY]), None);
        assert_eq!(Estimate::of(&[f64::NAN]), None);
        assert_eq!(Estimate::of(&[]), None);
        assert_eq!(ratio_of_medians(&[1.0], &[0.0]), None);
        assert_eq!(ratio_of_medians(&[], &[1.0]), None);
        assert_eq!(difference_of_medians(&[f64::NAN], &[1.0]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
        assert_eq!(Estimate::of(&[0.0; 7]).expect("finite").relative_width(), None);
    }

    #[test]
    fn a_difference_lies_within_its_interval() {
        let left = [3.0, 3.1, 3.2, 3.3, 3.4, 3.5];
        let right = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5];
        let estimate = difference_of_medians(&left, &right).expect("finite");
        let (low, high) = estimate.interval.expect("6 are enough");
        assert!((estimate.median - 2.0).abs() < 1e-12 && low <= 2.0 && high >= 2.0, "{low} {high}");
        assert_eq!(difference_of_medians(&left[..5], &right).expect("finite").interval, None);
    }

    #[test]
    fn means_of_ratios() {
        assert!((geometric_mean(&[0.5, 2.0]).expect("above 0") - 1.0).abs() < 1e-12);
        assert_eq!(arithmetic_mean(&[0.5, 2.0]), Some(1.25));
    }

    #[test]
    fn the_interval_holds_the_true_median_as_often_as_it_says() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut held = 0;
        const TRIALS: usize = 300;
        for _ in 0..TRIALS {
            // Uniform on 0 to 1, true median 0.5.
            let values: Vec<f64> = (0..21).map(|_| random.f64()).collect();
            let (low, high) =
                Estimate::of(&values).and_then(|estimate| estimate.interval).expect("21 values");
            held += usize::from(low <= 0.5 && 0.5 <= high);
        }
        let share = held as f64 / TRIALS as f64;
        assert!((0.90..=0.99).contains(&share), "{share}");
    }

    proptest! {
        #[test]
        fn an_interval_lies_within_the_values_and_around_the_median(
            values in proptest::collection::vec(0.001f64..1e12, LEAST_FOR_INTERVAL..40),
        ) {
            let estimate = Estimate::of(&values).expect("finite");
            let (low, high) = estimate.interval.expect("enough");
            prop_assert!(estimate.min <= low && low <= estimate.median);
            prop_assert!(estimate.median <= high && high <= estimate.max);
        }

        #[test]
        fn a_ratio_to_itself_is_one(values in proptest::collection::vec(0.001f64..1e12, 1..20)) {
            prop_assert_eq!(ratio_of_medians(&values, &values).expect("above 0").median, 1.0);
        }
    }
}
