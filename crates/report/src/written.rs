//! What people write: sizes, rates and times, as values. What is not one, or out of range, is an error that says how to write it.

use std::num::{IntErrorKind, NonZeroU64};
use std::path::PathBuf;
use std::time::Duration;

use hashlane_catalog::Policy;
use hashlane_digest::{Algorithm, Digest};
use hashlane_engine::LOWEST_RATE;
use hashlane_keeper::{PolicyOf, Promise, Window};
use hashlane_known::{Index, Table};
use hashlane_manifest::bag::{Version, check_label, check_value};
use hashlane_record::Timestamp;
use jiff::{SignedDuration, SpanRelativeTo};

/// What is read, or why it cannot be.
type Result<T> = std::result::Result<T, String>;

/// No block or message is longer.
const LARGEST_BLOCK: u64 = 1 << 30;

/// A size in bytes: `100MB` or `64MiB`.
pub fn size(text: &str) -> Result<u64> {
    const UNITS: [(&str, u64); 14] = [
        ("", 1),
        ("B", 1),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("K", 1 << 10),
        ("KiB", 1 << 10),
        ("M", 1 << 20),
        ("MiB", 1 << 20),
        ("G", 1 << 30),
        ("GiB", 1 << 30),
        ("T", 1 << 40),
        ("TiB", 1 << 40),
    ];
    let malformed = || "not a size; write it like 100MB or 64MiB".to_owned();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let Some(factor) = factor else {
        return Err(match unit {
            "KB" => "KB may be 1000 or 1024 bytes; write kB or KiB".to_owned(),
            _ => malformed(),
        });
    };
    // Whole numbers are exact whatever their size; parts of a unit need not be.
    if factor == 1 && number.contains('.') {
        return Err("not a whole number of bytes; write it like 1500 or 1.5kB".to_owned());
    }
    let bytes = match number.parse::<u64>() {
        Ok(number) => number.checked_mul(factor),
        Err(_) => {
            let bytes = number.parse::<f64>().map_err(|_| malformed())? * factor as f64;
            Some(bytes as u64).filter(|&bytes| bytes < u64::MAX)
        }
    };
    bytes.ok_or_else(|| "too large".to_owned())
}

/// A rate in bytes a second: `10MB` or `10MB/s`.
pub fn rate(text: &str) -> Result<u64> {
    let bytes = size(text.strip_suffix("/s").unwrap_or(text))?;
    if bytes < LOWEST_RATE {
        return Err(format!("too low; give at least {}KiB", LOWEST_RATE >> 10));
    }
    Ok(bytes)
}

/// The size of a file that is measured, in bytes.
pub fn file_size(text: &str) -> Result<u64> {
    match size(text)? {
        0 => Err("an empty file cannot be measured; give at least 1".to_owned()),
        bytes => Ok(bytes),
    }
}

/// The size of a block in memory, in bytes.
pub fn block_size(text: &str) -> Result<usize> {
    match size(text)? {
        0 => Err("a block has at least 1 byte; give 1 to 1GiB".to_owned()),
        bytes @ ..=LARGEST_BLOCK => Ok(bytes as usize),
        _ => Err("out of range; give 1 to 1GiB".to_owned()),
    }
}

/// A number of blocks; nothing for `all` that there are.
pub fn block_count(text: &str) -> Result<Option<u64>> {
    if text == "all" {
        return Ok(None);
    }
    match text.parse() {
        Ok(0) => Err("0 blocks cannot be measured; give 1 or more".to_owned()),
        Ok(count) => Ok(Some(count)),
        Err(error) if *error.kind() == IntErrorKind::PosOverflow => {
            Err("more than any file has; give a smaller number, or `all` to read the whole file".to_owned())
        }
        Err(_) => Err("not a number; give a number, or `all` to read the whole file".to_owned()),
    }
}

/// The size of a message in memory, in bytes.
pub fn message_size(text: &str) -> Result<usize> {
    match size(text)? {
        bytes @ 1..=LARGEST_BLOCK => Ok(bytes as usize),
        _ => Err("out of range; give 1 to 1GiB".to_owned()),
    }
}

/// The length of a piece, in bytes.
pub fn piece_bytes(text: &str) -> Result<NonZeroU64> {
    NonZeroU64::new(size(text)?).ok_or_else(|| "a piece has at least 1 byte".to_owned())
}

/// A time to measure for, from a second to a day: `90s`, `5m`; plain numbers are seconds.
pub fn budget(text: &str) -> Result<Duration> {
    const LONGEST: Duration = Duration::from_secs(24 * 3_600);
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    let parsed = match seconds {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        None => text.parse::<SignedDuration>().ok().and_then(|span| Duration::try_from(span).ok()),
    };
    let parsed = parsed.ok_or_else(|| "not a time; write it like 90s, 5m or 1h 30m".to_owned())?;
    if parsed < Duration::from_secs(1) || parsed > LONGEST {
        return Err("out of range; give 1s to 24h".to_owned());
    }
    Ok(parsed)
}

/// A time span: `30d`, `2h`, `1h 30m`; a number alone is not one. Days have 24 hours.
pub fn time_span(text: &str) -> Result<Duration> {
    let malformed = || match shortened(text).parse::<jiff::Span>() {
        Ok(_) => "too long; give at most 7304484d".to_owned(),
        Err(_) => "not a time; write it like 30d, 2h or 90m".to_owned(),
    };
    let span: jiff::Span = text.parse().map_err(|_| malformed())?;
    let time = span
        .to_duration(SpanRelativeTo::days_are_24_hours())
        .map_err(|_| "months and years differ in length; write days, like 30d".to_owned())?;
    match Duration::try_from(time) {
        Ok(time) if time >= Duration::from_secs(1) => Ok(time),
        _ => Err("too short; give at least 1s".to_owned()),
    }
}

/// A time span with small numbers: if that is one, large numbers are all that is wrong with the other.
fn shortened(text: &str) -> String {
    let mut was_digit = false;
    text.chars()
        .filter(|character| {
            let is_more = was_digit && character.is_ascii_digit();
            was_digit = character.is_ascii_digit();
            !is_more
        })
        .collect()
}

/// A point in time: absolute, the beginning of a day of UTC, or before now.
pub fn time(text: &str) -> Result<Timestamp> {
    time_before(text, jiff::Timestamp::now())
}

fn time_before(text: &str, now: jiff::Timestamp) -> Result<Timestamp> {
    let time = text.parse::<jiff::Timestamp>().ok().or_else(|| beginning_of_day(text));
    let time = match time {
        Some(time) => time,
        None => now.checked_sub(age(text)?).map_err(|_| "too long ago; give a date".to_owned())?,
    };
    let nanos = time.as_nanosecond();
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).map_err(|_| "out of range".to_owned())?;
    Ok(Timestamp { seconds, nanos: nanos.rem_euclid(1_000_000_000) as u32 })
}

/// A point in time that is to come: a time span from now on, a time of the day here, or a date and a time, with a zone or here.
pub fn time_to_come(text: &str) -> Result<Timestamp> {
    time_after(text, &jiff::Zoned::now())
}

fn time_after(text: &str, now: &jiff::Zoned) -> Result<Timestamp> {
    const FORMS: &str = "write it like 2h, 22:00, 2026-01-31T22:00 or 2026-01-31T22:00:00Z";
    let too_late = |_| "out of range".to_owned();
    let time = if let Ok(span) = time_span(text) {
        now.timestamp().checked_add(span).map_err(too_late)?
    } else if let Some(minute) = minute_of_day(text) {
        let of_day = |day: jiff::civil::Date| {
            let time = jiff::civil::time((minute / 60) as i8, (minute % 60) as i8, 0, 0);
            day.to_datetime(time).to_zoned(now.time_zone().clone()).map_err(too_late)
        };
        let today = of_day(now.date())?;
        let next = if today > *now { today } else { of_day(now.date().tomorrow().map_err(too_late)?)? };
        next.timestamp()
    } else if let Ok(time) = text.parse::<jiff::Timestamp>() {
        time
    } else {
        let here = text.parse::<jiff::civil::DateTime>().ok().filter(|_| text.contains(':'));
        let here = here.ok_or_else(|| format!("not a time; {FORMS}"))?;
        here.to_zoned(now.time_zone().clone()).map_err(too_late)?.timestamp()
    };
    match time > now.timestamp() {
        true => Ok(Timestamp { seconds: time.as_second(), nanos: 0 }),
        false => Err("that is over already".to_owned()),
    }
}

/// The minute of a day that a time of it is: `22:00`.
fn minute_of_day(text: &str) -> Option<u32> {
    let (hours, minutes) = text.trim().split_once(':')?;
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60 && text.trim().len() <= 5).then_some(hours * 60 + minutes)
}

fn beginning_of_day(text: &str) -> Option<jiff::Timestamp> {
    // What a civil date would take besides is not a date alone.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let date = text.parse::<jiff::civil::Date>().ok().filter(|_| plain)?;
    date.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|day| day.timestamp())
}

/// An age as people write it.
fn age(text: &str) -> Result<SignedDuration> {
    const FORMS: &str = "write it like 2026-01-31, 2026-01-31T12:00:00Z, 7d or 12h";
    let Ok(span) = text.parse::<jiff::Span>() else {
        // RFC 3339 requires the zone.
        return Err(match text.parse::<jiff::civil::DateTime>() {
            Ok(_) if text.contains(':') => {
                "a time without a zone; append Z for UTC, or an offset such as +02:00".to_owned()
            }
            _ => format!("not a time; {FORMS}"),
        });
    };
    if span.is_negative() {
        return Err(format!("an age cannot be negative; {FORMS}"));
    }
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours());
    length.map_err(|_| "months and years vary in length; give days or weeks, such as 30d or 52w".to_owned())
}

/// Two times of the day: `22:00-06:00`.
pub fn window(text: &str) -> Result<Window> {
    let malformed = || "not two times; write them like 22:00-06:00".to_owned();
    let (from, to) = text.split_once('-').ok_or_else(malformed)?;
    minute_of_day(from)
        .zip(minute_of_day(to))
        .and_then(|(from, to)| Window::new(from, to))
        .ok_or_else(malformed)
}

/// What is promised: a time span, or `never`.
pub fn promise(text: &str) -> Result<Promise> {
    match text {
        "never" => Ok(Promise::Never),
        text => {
            time_span(text).map(Promise::Within).map_err(|why| format!("{why}; `never` promises nothing"))
        }
    }
}

/// `living`, `growing` or `frozen`, and a glob behind a colon.
pub fn policy(text: &str) -> Result<PolicyOf> {
    let (name, glob) =
        text.split_once(':').map_or((text, None), |(name, glob)| (name, Some(glob.to_owned())));
    if glob.as_ref().is_some_and(String::is_empty) {
        return Err("there is no glob behind the colon".to_owned());
    }
    let policy = Policy::ALL.into_iter().find(|policy| policy.name() == name).ok_or(
        "not a policy; give living, growing or frozen, or one of them with a glob, like 'living:*.xmp'",
    )?;
    Ok(glob.map_or(PolicyOf::Rest(policy), |glob| PolicyOf::Glob(glob, policy)))
}

/// The same, or `none` for a glob.
pub fn policy_or_none(text: &str) -> Result<PolicyOf> {
    match text.strip_prefix("none:").filter(|glob| !glob.is_empty()) {
        Some(glob) => Ok(PolicyOf::NoGlob(glob.to_owned())),
        None => policy(text),
    }
}

/// One part of several: `3/16`.
pub fn shard(text: &str) -> Result<(u32, u32)> {
    Ok(hashlane_manifest::part(text).ok_or("not a part such as 3/16, from 1/16 to 16/16")?)
}

/// Memory for sorting, in bytes, of which so many are the least.
pub fn memory(text: &str, least_bytes: u64) -> Result<u64> {
    match size(text)? {
        bytes if bytes >= least_bytes => Ok(bytes),
        _ if least_bytes.is_multiple_of(1 << 20) => {
            Err(format!("too little for sorting; give at least {}MiB", least_bytes >> 20))
        }
        _ => Err(format!("too little for sorting; give at least {}KiB", least_bytes >> 10)),
    }
}

/// A function and the library that has it: `fnv1a=./fnv1a.so`.
pub fn plugin(text: &str) -> Result<(String, PathBuf)> {
    let (name, file) = text.split_once('=').ok_or("no file; write it like fnv1a=./fnv1a.so")?;
    let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if name.is_empty() || !is_name {
        return Err(format!("`{name}` is not the name of a C function; use letters, digits and _"));
    }
    if file.is_empty() {
        return Err("no file; write it like fnv1a=./fnv1a.so".to_owned());
    }
    Ok((name.to_owned(), file.into()))
}

/// A label and a value for `bag-info.txt`: `Contact-Name=Ada Lovelace`.
pub fn bag_element(text: &str) -> Result<(String, String)> {
    let (label, value) = text.split_once('=').ok_or("has no `=` between label and value")?;
    check_label(label).map_err(|why| format!("the label {why}"))?;
    check_value(value).map_err(|why| format!("the value {why}"))?;
    if label.eq_ignore_ascii_case("Payload-Oxum") {
        return Err("Payload-Oxum is computed; leave it out".into());
    }
    Ok((label.to_owned(), value.to_owned()))
}

/// A version that bags are written in.
pub fn bag_version(text: &str) -> Result<Version> {
    let known = |version: &Version| version.to_string() == text && ["0.97", "1.0"].contains(&text);
    let version = Version::parse(text).filter(known);
    Ok(version.ok_or("not a version that can be written; give 0.97 or 1.0")?)
}

/// A digest: `sha256:HEX`. `known_algorithms`: what lists the known algorithms.
pub fn digest(text: &str, known_algorithms: &str) -> Result<Digest> {
    let (name, hex) = text.rsplit_once(':').ok_or("names no algorithm; write it as sha256:HEX")?;
    let Some(algorithm) = Algorithm::named(name) else {
        return Err(format!("`{name}` is not a known algorithm; {known_algorithms} lists them"));
    };
    Digest::parse(algorithm, hex.as_bytes()).ok_or_else(|| {
        let digits = algorithm.text_length();
        let hexadecimal = if algorithm.names_itself() { "" } else { "hexadecimal " };
        format!("a digest of {algorithm} has {digits} {hexadecimal}digits; this has {} characters", hex.len())
    })
}

/// A digest of an algorithm that an index has; the algorithm may be left out where that is clear.
pub fn digest_of(index: &Index, text: &str, known_algorithms: &str) -> Result<Digest> {
    let algorithms = || index.tables().iter().map(Table::algorithm);
    let here = || algorithms().map(Algorithm::name).collect::<Vec<_>>().join(", ");
    if text.contains(':') {
        let digest = digest(text, known_algorithms)?;
        let is_here = index.table(digest.algorithm()).is_some();
        return if is_here { Ok(digest) } else { Err(format!("the index has {} only", here())) };
    }
    let found = algorithms().filter_map(|algorithm| Digest::parse(algorithm, text.as_bytes()));
    match &found.collect::<Vec<_>>()[..] {
        [digest] => Ok(*digest),
        [] => Err(format!("not a hexadecimal digest of an algorithm of the index ({})", here())),
        [first, ..] => {
            let first = first.algorithm();
            Err(format!("may be of several algorithms; write {first}:{text}, or name another"))
        }
    }
}

/// An algorithm that histories of media have.
pub fn mhl_algorithm(name: &str) -> Result<Algorithm> {
    Algorithm::named(name)
        .filter(|algorithm| hashlane_mhl::ALGORITHMS.contains(&algorithm.name()))
        .ok_or_else(|| format!("is none of {}", hashlane_mhl::ALGORITHMS.join(", ")))
}

/// A share of a whole, in hundredths.
pub fn percent(text: &str) -> Result<f64> {
    let share = text.trim_end_matches('%').trim().parse::<f64>().ok();
    share
        .filter(|share| *share > 0.0 && *share <= 100.0)
        .ok_or_else(|| "give more than 0, and at most 100".to_owned())
}

/// A name that can be shown in a table.
pub fn run_name(text: &str) -> Result<String> {
    const LONGEST: usize = 100;
    let name = text.trim();
    match name.chars().count() {
        0 => Err("empty; give at least one character".to_owned()),
        count if count > LONGEST => Err(format!("{count} characters; give {LONGEST} or fewer")),
        _ if name.chars().any(char::is_control) => {
            Err("contains control characters; leave them out".to_owned())
        }
        _ => Ok(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let sizes = [
            ("0", 0),
            ("7", 7),
            ("7B", 7),
            ("100MB", 100_000_000),
            ("100 MB", 100_000_000),
            ("64MiB", 64 << 20),
            ("64M", 64 << 20),
            ("3K", 3 << 10),
            ("3KiB", 3 << 10),
            ("3kB", 3_000),
            ("1.5G", 3 << 29),
            ("0.25TB", 250_000_000_000),
            ("2T", 2 << 40),
            ("18446744073709551615", u64::MAX),
        ];
        for (text, bytes) in sizes {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for wrong in
            ["", "MB", "-1", "1e6", "10 Mb", "10m", "10KB", "1.2.3G", ".", "fast", "1iB", "10MBit", "∞"]
        {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        for large in ["18014398509481984K", "18446744073709551616", "16777216.0T"] {
            assert_eq!(size(large), Err("too large".into()));
        }
    }

    #[test]
    fn a_rate_is_a_size_and_not_too_low() {
        assert_eq!(rate("10MB"), Ok(10_000_000));
        assert_eq!(rate("10MB/s"), Ok(10_000_000));
        assert_eq!(rate("256KiB"), Ok(LOWEST_RATE));
        assert_eq!(rate("255KiB"), Err("too low; give at least 256KiB".into()));
        assert!(rate("10MB/m").is_err());
    }

    #[test]
    fn a_name_is_what_a_table_can_show() {
        assert_eq!(run_name(" before the change "), Ok("before the change".to_owned()));
        for wrong in
            [String::new(), "  ".to_owned(), "a\nb".to_owned(), "\u{1b}[1m".to_owned(), "x".repeat(101)]
        {
            assert!(run_name(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn budgets_are_read_as_people_write_them() {
        assert_eq!(budget("90"), Ok(Duration::from_secs(90)));
        assert_eq!(budget("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(budget("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(budget("1h 30m"), Ok(Duration::from_secs(5_400)));
        for wrong in ["", "soon", "-5s", "0s", "10ms", "2d3", "48h", "inf", "nan"] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
    }

    fn at(text: &str) -> Result<Timestamp> {
        time_before(text, jiff::Timestamp::from_second(1_000_000).unwrap())
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        let times = [
            ("2026-01-31", (1_769_817_600, 0)),
            ("2026-01-31T12:00:00Z", (1_769_860_800, 0)),
            ("2026-01-31T12:00:00.25+02:00", (1_769_853_600, 250_000_000)),
            ("1969-12-31T23:59:59.75Z", (-1, 750_000_000)),
            ("1d", (913_600, 0)),
            ("12h", (956_800, 0)),
            ("1w 2h", (388_000, 0)),
            ("90s", (999_910, 0)),
        ];
        for (text, (seconds, nanos)) in times {
            assert_eq!(at(text), Ok(Timestamp { seconds, nanos }), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_says_how_to_write_one() {
        for (text, hint) in [
            ("", "write it like"),
            ("yesterday", "write it like"),
            ("7", "write it like"),
            ("2026-13-01", "write it like"),
            ("2026-01-31T12:00:00", "append Z"),
            ("7d ago", "cannot be negative"),
            ("2 months", "give days"),
            ("1y", "give days"),
        ] {
            let error = at(text).expect_err(text);
            assert!(error.contains(hint), "{text}: {error}");
        }
    }

    #[test]
    fn a_window_is_two_times_of_the_day() {
        assert_eq!(window("22:00-06:00").ok(), Window::new(22 * 60, 6 * 60));
        assert_eq!(window("9:30-17:00").ok(), Window::new(9 * 60 + 30, 17 * 60));
        for wrong in ["", "22:00", "22-6", "24:00-06:00", "22:60-06:00", "22:00-22:00", "1:1:1-2:00"] {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_share_is_more_than_nothing_and_no_more_than_all() {
        assert_eq!(["5", "12.5%", "100 %"].map(percent), [Ok(5.0), Ok(12.5), Ok(100.0)]);
        for wrong in ["0", "-1", "101", "nan", "x", ""] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
