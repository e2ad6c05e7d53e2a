//! The part of a day in which collections are audited.

use std::time::Duration;

/// A part of the day, between two times. It may last over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    from: u32,
    to: u32,
}

impl Window {
    const DAY_MINUTES: u32 = 24 * 60;

    /// Between two minutes of the day, counted from midnight; nothing if they are the same, or none.
    pub fn new(from: u32, to: u32) -> Option<Self> {
        (from != to && from.max(to) < Self::DAY_MINUTES).then_some(Self { from, to })
    }

    /// How much of it is left at a second of the day; nothing outside of it.
    pub fn left(self, second: u32) -> Option<Duration> {
        let length = (self.to + Self::DAY_MINUTES - self.from) % Self::DAY_MINUTES;
        let since = (second / 60 + Self::DAY_MINUTES - self.from) % Self::DAY_MINUTES;
        // The minute has begun a while ago.
        (since < length).then(|| Duration::from_secs(u64::from((length - since) * 60 - second % 60)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_day_may_last_over_midnight() {
        let left = |from: u32, to: u32, second: u32| {
            Window::new(from * 60, to * 60).and_then(|window| window.left(second)).map(|left| left.as_secs())
        };
        assert_eq!(left(22, 6, 23 * 3600 + 61), Some(7 * 3600 - 61));
        assert_eq!(left(22, 6, 5 * 3600 + 59 * 60 + 59), Some(1));
        assert_eq!(left(22, 6, 6 * 3600), None);
        assert_eq!((left(1, 2, 3600), left(1, 2, 3599)), (Some(3600), None));
        assert_eq!((Window::new(60, 60), Window::new(0, 1440)), (None, None));
    }
}
