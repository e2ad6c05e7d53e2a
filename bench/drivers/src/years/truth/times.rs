//! Whether two times are the same as two file systems keep it.

use hashlane_record::Timestamp;

/// Whether one time may be what the other becomes where times are kept more coarsely, or where a clock has gone by another zone.
pub(super) fn are_alike(one: Timestamp, other: Timestamp) -> bool {
    const STEPS_NS: [u32; 5] = [100, 1_000, 1_000_000, 10_000_000, 1_000_000_000];

    let becomes = |fine: Timestamp, coarse: Timestamp| {
        let cut =
            STEPS_NS.into_iter().any(|step| Timestamp { nanos: fine.nanos / step * step, ..fine } == coarse);
        let even = fine.seconds - fine.seconds.rem_euclid(2);
        let is_whole = (fine.seconds, fine.nanos) == (even, 0);
        let up = if is_whole { even } else { even + 2 };
        cut || coarse.nanos == 0 && (coarse.seconds == even || coarse.seconds == up)
    };
    let apart_s = one.seconds.abs_diff(other.seconds);
    let is_zone = one.nanos == other.nanos && apart_s.is_multiple_of(3600) && apart_s <= 14 * 3600;
    one == other || becomes(one, other) || becomes(other, one) || is_zone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_the_same_in_a_coarser_form_and_in_another_zone() {
        let at = |seconds, nanos| Timestamp { seconds, nanos };
        for coarse in [
            at(11, 123_456_700),
            at(11, 120_000_000),
            at(11, 0),
            at(10, 0),
            at(12, 0),
            at(3_611, 123_456_789),
        ] {
            assert!(
                are_alike(at(11, 123_456_789), coarse) && are_alike(coarse, at(11, 123_456_789)),
                "{coarse:?}"
            );
        }
        for other in [at(11, 123_456_788), at(12, 123_456_789), at(13, 0), at(9, 0), at(54_011, 123_456_789)]
        {
            assert!(!are_alike(at(11, 123_456_789), other), "{other:?}");
        }
    }
}
