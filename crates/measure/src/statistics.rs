//! From samples to figures: medians, their intervals, spread, ratios. Measures nothing, prints nothing.
//!
//! The interval of a median lies between two of the values themselves: the number of values below the true median is
//! binomial, whatever they are distributed like, so the coverage is known and never below 95 % (Conover, Practical
//! Nonparametric Statistics, 3.2). Resampling few values promises 95 % and holds 87 % for seven of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

/// What an interval misses the true median by at most, on each side.
const TAIL: f64 = 0.025;

/// Fewer values have no interval: even from the smallest to the largest of five there is less than 95 %.
pub const LEAST_FOR_INTERVAL: usize = 6;

/// A figure with what is known of its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The median.
    pub median: f64,
    /// 95 % interval of the median, or a wider one; absent with fewer than [`LEAST_FOR_INTERVAL`] values.
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
    /// The estimate of `values`; none without values or if one is not a finite number.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = values.to_vec();
        let median = middle(&mut sorted);
        let mut distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
        Some(Self {
            median,
            interval: interval_of(&sorted),
            min: sorted[0],
            max: sorted[sorted.len() - 1],
            mad: middle(&mut distances),
            n: values.len(),
        })
    }

    /// The estimate of several runs, each with its samples: the geometric mean of their medians, with Student's interval over runs.
    /// Of a single run it is that of its samples.
    pub fn of_runs(runs: &[Vec<f64>]) -> Option<Self> {
        if let [only] = runs {
            return Self::of(only);
        }
        let medians = runs.iter().map(|run| median(run)).collect::<Option<Vec<f64>>>()?;
        let of_medians = Self::of(&medians)?;
        let Some(mean) = geometric_mean(&medians) else { return Some(of_medians) };
        Some(Self { median: mean, interval: geometric_mean_interval(&medians), ..of_medians })
    }

    /// A figure that is not a median of `n` values, such as the largest of them.
    pub fn without_spread(value: f64, n: usize) -> Self {
        Self { median: value, interval: None, min: value, max: value, mad: 0.0, n }
    }

    /// Width of the interval as a share of the median; none without an interval or if the median is 0.
    pub fn relative_width(&self) -> Option<f64> {
        let (low, high) = self.interval?;
        (self.median != 0.0).then(|| (high - low) / self.median.abs())
    }
}

/// The ratio of two figures that were not sampled in pairs: of their medians. Its interval is as wide as those of both
/// allow, and so holds more than 95 %. None without values or if one is not above 0.
pub fn ratio_of_medians(values: &[f64], reference: &[f64]) -> Option<Estimate> {
    ratio(&Estimate::of(values)?, &Estimate::of(reference)?)
}

/// The same of figures whose samples are summed up already.
pub fn ratio(value: &Estimate, reference: &Estimate) -> Option<Estimate> {
    let all_right = value.min > 0.0 && reference.min > 0.0;
    let extent = |(low, high): (f64, f64), (least, most): (f64, f64)| (low / most, high / least);
    all_right.then(|| combined(value, reference, value.median / reference.median, extent))
}

/// By how much one figure exceeds another, likewise. None without values or if one is not a finite number.
pub fn difference_of_medians(values: &[f64], reference: &[f64]) -> Option<Estimate> {
    let (value, reference) = (Estimate::of(values)?, Estimate::of(reference)?);
    let extent = |(low, high): (f64, f64), (least, most): (f64, f64)| (low - most, high - least);
    Some(combined(&value, &reference, value.median - reference.median, extent))
}

type Range = (f64, f64);

/// An estimate made of two, whose extents `extent` makes of theirs.
fn combined(a: &Estimate, b: &Estimate, median: f64, extent: impl Fn(Range, Range) -> Range) -> Estimate {
    let (min, max) = extent((a.min, a.max), (b.min, b.max));
    let interval = a.interval.zip(b.interval).map(|(a, b)| extent(a, b));
    let (low, high) = extent((a.median - a.mad, a.median + a.mad), (b.median - b.mad, b.median + b.mad));
    Estimate { median, interval, min, max, mad: (high - low) / 2.0, n: a.n.min(b.n) }
}

/// The geometric mean, the right one for ratios; none without values or if one is not above 0.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let right = |ratio: &f64| ratio.is_finite() && *ratio > 0.0;
    (!ratios.is_empty() && ratios.iter().all(right))
        .then(|| (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp())
}

/// 95 % interval of a geometric mean: Student's t over the logarithms of the ratios.
///
/// It takes the ratios as drawn at random from all that could have been measured, and says where the mean of all those lies.
/// What is uncertain about each of them is in it as far as it makes them differ. None with fewer than two ratios, or if one
/// is not above 0.
pub fn geometric_mean_interval(ratios: &[f64]) -> Option<(f64, f64)> {
    let mean = geometric_mean(ratios)?.ln();
    let freedom = ratios.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let squares: f64 = ratios.iter().map(|ratio| (ratio.ln() - mean).powi(2)).sum();
    let error = (squares / freedom as f64 / ratios.len() as f64).sqrt();
    let reach = student_t(1.0 - TAIL, freedom as f64) * error;
    Some(((mean - reach).exp(), (mean + reach).exp())).filter(|(low, high)| *low > 0.0 && high.is_finite())
}

/// The quantile of Student's t distribution below which that share of it lies. With so many degrees of freedom that the two are
/// alike in four digits, that of the normal distribution: there the library's iteration for t need not end.
pub(crate) fn student_t(share: f64, freedom: f64) -> f64 {
    /// Degrees of freedom.
    const NORMAL_FROM: f64 = 10_000.0;
    let t = StudentsT::new(0.0, 1.0, freedom).ok().filter(|_| freedom < NORMAL_FROM);
    t.map_or_else(|| Normal::standard().inverse_cdf(share), |t| t.inverse_cdf(share))
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

/// The narrowest pair of sorted values, as far from one end as from the other, that holds the true median in 95 % of all
/// cases or more.
fn interval_of(sorted: &[f64]) -> Option<Range> {
    let n = sorted.len();
    if n > 1_000 {
        // The terms are too small for a number, and the binomial is as good as normal.
        let cut = (n as f64 / 2.0 - 0.98 * (n as f64).sqrt()) as usize - 1;
        return Some((sorted[cut], sorted[n - 1 - cut]));
    }
    // The chance that at most `below` of n values lie below the true median: a sum of binomial terms with p = 1/2.
    let mut term = 0.5f64.powi(i32::try_from(n).ok()?);
    let mut tail = 0.0;
    let mut cut = None;
    for below in 0..n / 2 {
        tail += term;
        if tail > TAIL {
            break;
        }
        cut = Some(below);
        term *= (n - below) as f64 / (below + 1) as f64;
    }
    cut.map(|cut| (sorted[cut], sorted[n - 1 - cut]))
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
    fn quantiles_of_student_are_those_of_the_tables() {
        for (share, freedom, quantile) in [
            (0.975, 1.0, 12.706),
            (0.975, 10.0, 2.228),
            (0.975, 39.0, 2.023),
            (0.995, 12.0, 3.055),
            (0.975, f64::INFINITY, 1.960),
            (0.8, f64::INFINITY, 0.842),
        ] {
            let found = student_t(share, freedom);
            assert!((found - quantile).abs() < 6e-4, "{share}, {freedom}: {found}");
        }
    }

    /// Each is found, is larger the fewer degrees of freedom there are, and is never below that of the normal distribution.
    #[test]
    fn quantiles_of_student_are_found_for_whatever_is_asked() {
        let shares = (0..60).map(|at| 1.0 - 0.2 * 0.75_f64.powi(at));
        for share in shares.chain([0.8, 0.975]) {
            let normal = student_t(share, f64::INFINITY);
            let mut before = f64::INFINITY;
            for at in 0..=120 {
                let freedom = 10_f64.powf(f64::from(at) / 20.0);
                let found = student_t(share, freedom);
                let is_right = found <= before * (1.0 + 1e-9) && found >= normal * (1.0 - 1e-9);
                assert!(is_right, "{share}, {freedom}: {found}, and {before} before");
                before = found;
            }
        }
        assert_eq!(student_t(0.9, 1e60), student_t(0.9, f64::INFINITY));
    }

    #[test]
    fn the_interval_of_a_geometric_mean_is_one_of_logarithms() {
        assert_eq!(geometric_mean_interval(&[2.0]), None);
        assert_eq!(geometric_mean_interval(&[2.0, 0.0]), None);
        let (low, high) = geometric_mean_interval(&[1.25; 4]).expect("above 0");
        assert!((low - 1.25).abs() < 1e-12 && (high - 1.25).abs() < 1e-12);
        // Logarithms 0, 1, 2: mean 1, standard error 1 / sqrt(3), t of 2 degrees 4.303.
        let (low, high) = geometric_mean_interval(&[1.0, 1f64.exp(), 2f64.exp()]).expect("above 0");
        let reach = 4.303 / 3f64.sqrt();
        assert!((low.ln() - (1.0 - reach)).abs() < 1e-3 && (high.ln() - (1.0 + reach)).abs() < 1e-3);
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        let values = |n: i32| (1..=n).map(f64::from).collect::<Vec<_>>();
        // Ranks from Conover's table of the binomial distribution.
        for (n, low, high) in
            [(6, 1, 6), (8, 1, 8), (9, 2, 8), (11, 2, 10), (12, 3, 10), (20, 6, 15), (31, 10, 22)]
        {
            let interval = Estimate::of(&values(n)).expect("finite").interval;
            assert_eq!(interval, Some((f64::from(low), f64::from(high))), "{n}");
        }
        let width =
            |n| Estimate::of(&values(n)).and_then(|estimate| estimate.relative_width()).expect("enough");
        // Of 1,001 the other rule is taken; it is hardly any wider.
        assert!((width(1_000) / width(1_001) - 1.0).abs() < 0.05, "{} {}", width(1_000), width(1_001));
        assert!(width(5_000) < width(1_001));
    }

    #[test]
    fn the_interval_holds_the_true_median_as_often_as_it_says() {
        let mut random = fastrand::Rng::with_seed(7);
        for n in [6, 7, 9, 12, 21] {
            const TRIALS: usize = 2_000;
            let holds = |_: &usize| {
                // Skewed as timings are: the true median is e^0.
                let values: Vec<f64> =
                    (0..n).map(|_| (random.f64() + random.f64() + random.f64() - 1.5).exp()).collect();
                let (low, high) =
                    Estimate::of(&values).and_then(|estimate| estimate.interval).expect("enough values");
                low <= 1.0 && 1.0 <= high
            };
            let share = (0..TRIALS).filter(holds).count() as f64 / TRIALS as f64;
            assert!(share >= 0.94, "{n}: {share}");
        }
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
