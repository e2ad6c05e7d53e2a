//! Whether two times of the last change of a content are the same one, kept by different means.
//!
//! A copy keeps the time of its original as well as it can: tar, ZIP and many file systems keep whole seconds, FAT and ZIP even ones, tables
//! of others microseconds. Where a time is kept by the clock on the wall, as FAT and ZIP do, it is some hours off in another zone, and for
//! half of the year. None of that is a change, and none of it shows that a content is as it was: that is for the digests to say.

use hashlane_record::Timestamp;

/// How the time that a content has relates to the one that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeMatch {
    /// It is the very time.
    Exact,
    /// One of them is what the other becomes where times are kept more coarsely: in whole seconds, or in steps of fractions.
    Coarse,
    /// One of them is what the other becomes in even seconds, as FAT and ZIP keep them.
    Even,
    /// They are whole hours apart, and else the same: one of them is kept by the clock on the wall.
    Moved,
    /// Somebody has written since, or has set the time.
    Different,
}

/// The steps in which times are kept, beside even seconds: seconds, and those of 10 ms (exFAT), 1 ms, 1 µs and 100 ns (NTFS).
const STEPS: [i128; 5] = [SECOND, 10_000_000, 1_000_000, 1_000, 100];

const SECOND: i128 = 1_000_000_000;

const HOUR: i128 = 3_600 * SECOND;

/// Zones are as many hours from UTC, at most. What is written daily at the same time is further apart.
const MOST_HOURS: i128 = 14;

impl TimeMatch {
    /// Compares the known time with the one that is there.
    pub fn between(known: Timestamp, seen: Timestamp) -> Self {
        let (known, seen) = (nanos(known), nanos(seen));
        let is_coarse = |one: i128, other: i128| {
            STEPS.iter().any(|step| is_cut(one, other, *step) || is_cut(other, one, *step))
        };
        match seen - known {
            0 => Self::Exact,
            _ if is_coarse(known, seen) => Self::Coarse,
            _ if is_even(known, seen) => Self::Even,
            apart => {
                // To the nearest hour: an even second may be up to two seconds off.
                let hours = (apart + apart.signum() * HOUR / 2) / HOUR;
                let (is_some_zone, back) = ((1..=MOST_HOURS).contains(&hours.abs()), seen - hours * HOUR);
                // A time in whole seconds says by itself that it is kept coarsely only if it is even.
                let is_same = back == known && (known % SECOND != 0 || known % (2 * SECOND) == 0);
                if is_some_zone && (is_same || is_even(known, back)) { Self::Moved } else { Self::Different }
            }
        }
    }

    /// Whether it shows no change. Stores keep whole seconds, odd ones too, and know no zones.
    pub fn is_same(self, is_in_store: bool) -> bool {
        match self {
            Self::Exact | Self::Coarse => true,
            Self::Even | Self::Moved => !is_in_store,
            Self::Different => false,
        }
    }
}

/// Whether one time is the other one in whole steps, cut off.
fn is_cut(coarse: i128, fine: i128, step: i128) -> bool {
    coarse % step == 0 && (0..step).contains(&(fine - coarse))
}

/// Whether one of the times is the other in even seconds, which some round up and some cut off.
fn is_even(one: i128, other: i128) -> bool {
    let step = 2 * SECOND;
    (one % step == 0 || other % step == 0) && (one - other).abs() < step
}

fn nanos(time: Timestamp) -> i128 {
    i128::from(time.seconds) * SECOND + i128::from(time.nanos)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(seconds: i64, nanos: u32) -> Timestamp {
        Timestamp { seconds, nanos }
    }

    #[test]
    fn the_table_of_times() {
        use TimeMatch::{Coarse, Different, Even, Exact, Moved};
        let known = at(1_000_001, 123_456_789);
        let table = [
            ("the time itself", known, known, Exact),
            ("tar and ZIP: whole seconds", known, at(1_000_001, 0), Coarse),
            ("the next whole second, an even one", known, at(1_000_002, 0), Even),
            ("FAT: even seconds, cut off", known, at(1_000_000, 0), Even),
            ("FAT: even seconds, rounded up", at(1_000_000, 1), at(1_000_002, 0), Even),
            ("an odd second after", known, at(1_000_003, 0), Different),
            ("an even second too far", at(1_000_000, 0), at(1_000_002, 0), Different),
            ("odd seconds that follow each other", at(1_000_001, 0), at(1_000_003, 0), Different),
            ("exFAT: 10 ms", known, at(1_000_001, 120_000_000), Coarse),
            ("microseconds", known, at(1_000_001, 123_456_000), Coarse),
            ("NTFS: 100 ns", known, at(1_000_001, 123_456_700), Coarse),
            ("another fraction", known, at(1_000_001, 123_456_788), Different),
            ("a later fraction of the same second", known, at(1_000_001, 500_000_001), Different),
            ("an hour later by the clock on the wall", at(1_000_000, 0), at(1_003_600, 0), Moved),
            ("an hour earlier", at(1_000_000, 0), at(996_400, 0), Moved),
            ("fourteen hours", at(1_000_000, 0), at(1_050_400, 0), Moved),
            ("fifteen hours", at(1_000_000, 0), at(1_054_000, 0), Different),
            ("a day", at(1_000_000, 0), at(1_086_400, 0), Different),
            ("an hour later on FAT", known, at(1_003_600, 0), Moved),
            ("an hour later in ZIP, rounded up", known, at(1_003_602, 0), Moved),
            (
                "an hour later in odd seconds, which no such clock has",
                at(1_000_001, 0),
                at(1_003_601, 0),
                Different,
            ),
            ("an hour later to the nanosecond", known, at(1_003_601, 123_456_789), Moved),
            ("half an hour later", at(1_000_000, 0), at(1_001_800, 0), Different),
            ("before 1970", at(-3, 500_000_000), at(-4, 0), Even),
        ];
        for (what, known, seen, expected) in table {
            assert_eq!(TimeMatch::between(known, seen), expected, "{what}");
            assert_eq!(TimeMatch::between(seen, known), expected, "{what}, the other way round");
        }
    }

    proptest! {
        #[test]
        fn a_time_is_the_same_in_each_step_in_which_it_can_be_kept(seconds in -1_000_000_i64..4_000_000_000, nanos in 0..1_000_000_000_u32) {
            let known = at(seconds, nanos);
            for step in [100, 1_000, 1_000_000, 10_000_000, 1_000_000_000] {
                prop_assert!(TimeMatch::between(known, at(seconds, nanos - nanos % step)).is_same(true));
            }
            for even in [seconds - seconds.rem_euclid(2), seconds + seconds.rem_euclid(2)] {
                prop_assert!(TimeMatch::between(known, at(even, 0)).is_same(false));
                for hours in -14..=14 {
                    prop_assert!(TimeMatch::between(known, at(even + 3_600 * hours, 0)).is_same(false));
                }
            }
        }

        #[test]
        fn what_is_written_later_has_another_time(seconds in 0_i64..4_000_000_000, nanos in 1..1_000_000_000_u32, later in 2_000_000_000..4_000_000_000_000_i64) {
            let time = i128::from(seconds) * SECOND + i128::from(nanos) + i128::from(later);
            let written = at((time / SECOND) as i64, (time % SECOND) as u32);
            prop_assume!(written.nanos != 0 && later % HOUR as i64 != 0);
            prop_assert_eq!(TimeMatch::between(at(seconds, nanos), written), TimeMatch::Different);
        }
    }
}
