//! What one way of reading gains over another, and when that is enough.

/// Faster by less than this is not worth another way.
const LEAST_GAIN: f64 = 1.03;

/// A way that may be slower than this with digesting is not worth its gain without.
const MOST_LOSS: f64 = 0.97;

/// The rate of one way as a multiple of that of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// That of the medians.
    pub median: f64,
    /// Where it lies with 95 % confidence; none of too few rounds.
    pub interval: Option<(f64, f64)>,
}

impl Gain {
    /// Whether a way is faster than the other beyond doubt, and by enough to matter.
    pub fn is_worth_it(&self) -> bool {
        self.median >= LEAST_GAIN && self.interval.is_some_and(|(low, _)| low > 1.0)
    }

    /// Whether a way is not slower than the other by anything that matters, beyond doubt: a figure that is too wide to tell
    /// speaks for the other.
    pub fn is_harmless(&self) -> bool {
        self.interval.is_some_and(|(low, _)| low >= MOST_LOSS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(median: f64, interval: Option<(f64, f64)>) -> Gain {
        Gain { median, interval }
    }

    #[test]
    fn only_what_is_faster_beyond_doubt_is_a_gain() {
        assert!(gain(1.2, Some((1.1, 1.3))).is_worth_it());
        assert!(!gain(1.02, Some((1.01, 1.03))).is_worth_it(), "too little");
        assert!(!gain(1.2, Some((0.99, 1.4))).is_worth_it(), "in doubt");
        assert!(!gain(1.2, None).is_worth_it(), "too few samples");
    }

    #[test]
    fn only_what_loses_nothing_beyond_doubt_is_harmless() {
        assert!(gain(0.99, Some((0.97, 1.01))).is_harmless() && gain(1.1, Some((1.0, 1.2))).is_harmless());
        assert!(!gain(0.92, Some((0.91, 0.93))).is_harmless(), "slower");
        assert!(!gain(1.01, Some((0.96, 1.06))).is_harmless(), "in doubt");
        assert!(!gain(1.1, None).is_harmless(), "too few samples");
    }
}
