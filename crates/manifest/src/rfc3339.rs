//! Times as text: RFC 3339 in UTC with nine decimals, `2026-01-31T23:59:59.123456789Z`.
//!
//! File systems hold times that RFC 3339 cannot. Years before 0 and after 9999 are written as ISO 8601
//! extends it, with a sign and at least six digits, so that no time is lost.

use std::io::Write as _;

use hashlane_record::Timestamp;

const SECONDS_A_DAY: i64 = 86_400;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_TO_EPOCH: i64 = 719_468;
/// Days in 400 years.
const DAYS_AN_ERA: i64 = 146_097;

/// Appends a time.
pub(crate) fn push(text: &mut Vec<u8>, time: Timestamp) {
    let (days, second) = (time.seconds.div_euclid(SECONDS_A_DAY), time.seconds.rem_euclid(SECONDS_A_DAY));
    let (year, month, day) = date_of(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    // Writing to a vector does not fail.
    let _ = match year {
        0..=9999 => write!(text, "{year:04}"),
        _ => write!(text, "{year:+07}"),
    };
    let _ = write!(text, "-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:09}Z", time.nanos);
}

/// A time as headers and entries have it, which is what a text is searched for.
pub(crate) fn time_text(time: Timestamp) -> Vec<u8> {
    let mut text = Vec::new();
    push(&mut text, time);
    text
}

/// A time in UTC, or with the distance to it, as in `2026-01-31T23:59:59+01:00`.
pub(crate) fn parse_zoned(text: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some(time) = parse(text) {
        return Some(time);
    }
    let (clock, distance) = text.split_at_checked(text.len().checked_sub(6)?)?;
    let is_east = distance.starts_with('+');
    let (hours, minutes) = distance.strip_prefix(['+', '-'])?.split_once(':')?;
    let number = |digits: &str, end| number(digits).filter(|number| *number < end);
    let seconds = (number(hours, 24)? * 3600 + number(minutes, 60)? * 60) as i64;
    let mut time = parse(&format!("{clock}Z"))?;
    time.seconds = match is_east {
        true => time.seconds.checked_sub(seconds)?,
        false => time.seconds.checked_add(seconds)?,
    };
    Some(time)
}

/// The time of a text, if it has exactly the form that [`push`] gives it, with any number of decimals up to
/// nine.
pub(crate) fn parse(text: &str) -> Option<Timestamp> {
    let (sign, unsigned) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => (0, text),
    };
    let (year, rest) = unsigned.split_once('-')?;
    let right_length = if sign == 0 { year.len() == 4 } else { (6..=12).contains(&year.len()) };
    let year = number(year).filter(|_| right_length)? as i64 * if sign == 0 { 1 } else { sign };
    let (date, clock) = rest.strip_suffix('Z')?.split_once('T')?;
    let (month, day) = date.split_once('-')?;
    let (clock, nanos) = clock.split_once('.').map_or(Some((clock, 0)), |(clock, text)| {
        (1..=9)
            .contains(&text.len())
            .then(|| number(text))
            .flatten()
            .map(|digits| (clock, digits * 10_u64.pow(9 - text.len() as u32)))
    })?;
    let mut clock = clock.split(':').map(two);
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let (month, day) = (two(month)?, two(day)?);
    if clock.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_of(year, month, day)?;
    // The day of the earliest time begins before it.
    let seconds =
        i128::from(days) * i128::from(SECONDS_A_DAY) + i128::from(hour * 3600 + minute * 60 + second);
    Some(Timestamp { seconds: seconds.try_into().ok()?, nanos: nanos as u32 })
}

fn number(digits: &str) -> Option<u64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

fn two(digits: &str) -> Option<i64> {
    if digits.len() == 2 { number(digits).map(|value| value as i64) } else { None }
}

/// Days since 1970-01-01 of a date of the proleptic Gregorian calendar, if there is such a date.
///
/// Years are counted from March, so that the leap day is the last of its year.
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || day < 1 {
        return None;
    }
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let days = era * DAYS_AN_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = days - DAYS_TO_EPOCH;
    let (_, _, same_day) = date_of(days);
    (day == same_day).then_some(days)
}

/// Year, month and day of a number of days since 1970-01-01.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_EPOCH;
    let (era, day_of_era) = (days.div_euclid(DAYS_AN_ERA), days.rem_euclid(DAYS_AN_ERA));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year_of_era + next_year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(seconds: i64, nanos: u32) -> String {
        let mut text = Vec::new();
        push(&mut text, Timestamp { seconds, nanos });
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn times_beyond_four_digits_of_year_have_a_sign() {
        assert_eq!(shown(0, 0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(shown(-1, 999_999_999), "1969-12-31T23:59:59.999999999Z");
        assert_eq!(shown(253_402_300_799, 1), "9999-12-31T23:59:59.000000001Z");
        assert_eq!(shown(253_402_300_800, 1), "+010000-01-01T00:00:00.000000001Z");
        assert_eq!(shown(-62_167_219_201, 0), "-000001-12-31T23:59:59.000000000Z");
        assert_eq!(shown(i64::MAX, 0), "+292277026596-12-04T15:30:07.000000000Z");
        assert_eq!(shown(i64::MIN, 0), "-292277022657-01-27T08:29:52.000000000Z");
        for seconds in [i64::MIN, i64::MAX] {
            assert_eq!(parse(&shown(seconds, 0)), Some(Timestamp { seconds, nanos: 0 }));
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "2026",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00+00:00",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.0000000000Z",
            "2026-01-01T00:00Z",
            "2026-01-01T00:00:00:00Z",
            "2026-1-01T00:00:00Z",
            "26-01-01T00:00:00Z",
            "2026-01-01T+0:00:00Z",
            "+2026-01-01T00:00:00Z",
            "+999999999999-01-01T00:00:00Z",
            "é",
            "-",
            "+é-",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(
            parse("2024-02-29T00:00:00.5Z"),
            Some(Timestamp { seconds: 1_709_164_800, nanos: 500_000_000 })
        );
    }

    proptest! {
        #[test]
        fn every_time_comes_back(seconds: i64, nanos in 0..1_000_000_000_u32) {
            prop_assert_eq!(parse(&shown(seconds, nanos)), Some(Timestamp { seconds, nanos }));
        }

        #[test]
        fn another_author_shows_the_same(
            seconds in -62_167_219_200..253_402_207_200_i64,
            nanos in 0..1_000_000_000_i32,
        ) {
            let other = jiff::Timestamp::new(seconds, nanos).unwrap();
            prop_assert_eq!(shown(seconds, nanos as u32), format!("{other:.9}"));
        }
    }
}
