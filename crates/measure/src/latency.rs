//! How long single operations take: what most of them need, and what the slowest do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Times of the operations of a sample, in nanoseconds: that which so many of a hundred do not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Of 50.
    pub p50_ns: u64,
    /// Of 90.
    pub p90_ns: u64,
    /// Of 99.
    pub p99_ns: u64,
    /// Of 99.9.
    pub p999_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

impl Latency {
    /// Of the times of all operations, in any order; none without any.
    pub fn of(mut times: Vec<u64>) -> Option<Self> {
        times.sort_unstable();
        let max_ns = *times.last()?;
        // The nearest rank: a time that was seen, and no mean of two.
        let rank = |thousandths: usize| times[(times.len() * thousandths).div_ceil(1_000) - 1];
        Some(Self { p50_ns: rank(500), p90_ns: rank(900), p99_ns: rank(990), p999_ns: rank(999), max_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_seen() {
        let of = |count: u64| Latency::of((1..=count).rev().collect());
        assert_eq!(
            of(1_000),
            Some(Latency { p50_ns: 500, p90_ns: 900, p99_ns: 990, p999_ns: 999, max_ns: 1_000 })
        );
        assert_eq!(of(1), Some(Latency { p50_ns: 1, p90_ns: 1, p99_ns: 1, p999_ns: 1, max_ns: 1 }));
        assert_eq!(of(3), Some(Latency { p50_ns: 2, p90_ns: 3, p99_ns: 3, p999_ns: 3, max_ns: 3 }));
        assert_eq!(Latency::of(Vec::new()), None);
    }
}
