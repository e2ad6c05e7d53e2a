//! Numbers for people: units, rates and times. MB is 10^6 bytes and MiB 2^20, always.

use std::time::Duration;

pub use hashlane_record::system_text as system;
pub use hashlane_record::{count, counted, shown_name as name};
pub use hashlane_verify::shown_list as list;

/// Names in a row: `md5`, `md5 and sha1`, `md5, sha1 and sha256`.
pub fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Columns of a table that have a type that is not read.
pub fn columns_not_read(names: &[&str]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} that {verb} not read: {}", counted(names.len() as u64, "column"), names.join(", "))
}

/// Why objects are read again though nothing of them looks changed: by the clock of their store, they were listed just after they were written.
pub fn read_again(objects: u64) -> String {
    let (verb, whose) = if objects == 1 { ("was", "its") } else { ("were", "their") };
    format!("read again: {} {verb} listed within a minute of {whose} upload", counted(objects, "object"))
}

/// Counts and their nouns, without those that are 0: `2 files, 1 link`. `None` if there is nothing.
pub fn counted_all(counts: &[(u64, &str)]) -> Option<String> {
    let some = counts.iter().filter(|(number, _)| *number > 0);
    let words: Vec<_> = some.map(|(number, noun)| counted(*number, noun)).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Bytes in powers of ten: `1.23 GB`.
pub fn decimal(bytes: f64) -> String {
    scaled(bytes, 1000.0, &["B", "kB", "MB", "GB", "TB", "PB"])
}

/// Bytes in powers of two: `1.15 GiB`.
pub fn binary(bytes: f64) -> String {
    scaled(bytes, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB"])
}

/// The shortest time that a rate is given for: below it starting and ending weigh more than reading.
const SHORTEST: Duration = Duration::from_millis(10);

/// A rate in both kinds of units: `1.23 GB/s (1.15 GiB/s)`. `None` for a time too short to tell.
pub fn rate(bytes: u64, elapsed: Duration) -> Option<String> {
    let per_second = bytes as f64 / elapsed.as_secs_f64();
    (elapsed >= SHORTEST).then(|| format!("{}/s ({}/s)", decimal(per_second), binary(per_second)))
}

/// A time span: `0.61 s`, `2 min 5 s`, `3 h 20 min`; below a tenth of a second `61 ms`, `6.1 ms`, `610 us`.
pub fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match time.as_micros() {
        micros @ 0..1000 => format!("{micros} us"),
        micros @ 1000..10_000 => format!("{:.1} ms", micros as f64 / 1000.0),
        micros @ 10_000..100_000 => format!("{} ms", micros / 1000),
        _ if seconds < 10 => format!("{:.2} s", time.as_secs_f64()),
        _ if seconds < 60 => format!("{:.1} s", time.as_secs_f64()),
        _ if seconds < 3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A share in per cent, without a false 0 or 100: `0 %`, `<1 %`, `45 %`, `>99 %`, `100 %`.
pub fn percent(part: u64, whole: u64) -> String {
    let share = 100.0 * part as f64 / whole as f64;
    match (part, share) {
        (0, _) => "0 %".into(),
        _ if part == whole => "100 %".into(),
        (_, ..1.0) => "<1 %".into(),
        (_, 99.0..) => ">99 %".into(),
        _ => format!("{share:.0} %"),
    }
}

fn scaled(bytes: f64, base: f64, units: &[&str]) -> String {
    let mut value = bytes;
    let mut unit = 0;
    // 999.5 would be printed as 1000.
    while value >= base - 0.5 && unit + 1 < units.len() {
        value /= base;
        unit += 1;
    }
    let decimals = match value {
        _ if unit == 0 => 0,
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {}", units[unit])
}

/// A text in at most `columns` columns: what is too much is left out in the middle, for names differ at their ends.
pub fn shortened(text: &str, columns: usize) -> String {
    let length = text.chars().count();
    if length <= columns {
        return text.to_owned();
    }
    let kept = columns.saturating_sub(1);
    let (before, behind) = (kept.div_ceil(2), kept / 2);
    let ends = text.chars().take(before).chain(['\u{2026}']).chain(text.chars().skip(length - behind));
    ends.take(columns).collect()
}

/// What is left of the parts of a message in `columns` columns: the last ones go first. None is cut.
pub fn fitted(parts: &[String], columns: usize) -> String {
    let kept = (1..=parts.len()).rev().map(|count| parts[..count].concat());
    kept.into_iter().find(|text| text.chars().count() <= columns).unwrap_or_default()
}

/// A period in its largest whole unit: `30 d`, `36 h`, `90 min`.
pub fn days(seconds: i64) -> String {
    match seconds {
        _ if seconds % 86_400 == 0 => format!("{} d", seconds / 86_400),
        _ if seconds % 3_600 == 0 => format!("{} h", seconds / 3_600),
        _ if seconds % 60 == 0 => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// How long ago something was, as people say it: `5 min ago`, `3 h ago`, `12 d ago`.
pub fn ago(seconds: i64) -> String {
    match seconds.max(0) {
        seconds @ 0..60 => format!("{seconds} s ago"),
        seconds @ 60..7_200 => format!("{} min ago", seconds / 60),
        seconds @ 7_200..172_800 => format!("{} h ago", seconds / 3_600),
        seconds => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_left_out_in_the_middle() {
        let texts = [10, 9, 6, 3, 1, 0].map(|columns| shortened("abcdefghij", columns));
        assert_eq!(texts, ["abcdefghij", "abcd\u{2026}ghij", "abc\u{2026}ij", "a\u{2026}j", "\u{2026}", ""]);
        assert_eq!(shortened("größe.png", 5), "gr\u{2026}ng");
    }

    #[test]
    fn units_are_never_mixed_up() {
        assert_eq!(decimal(999.0), "999 B");
        assert_eq!(decimal(999_999.0), "1.00 MB");
        assert_eq!(decimal(1_048_576.0), "1.05 MB");
        assert_eq!(binary(1_048_576.0), "1.00 MiB");
        assert_eq!(decimal(123_456_789_012.0), "123 GB");
        assert_eq!(binary(12_345.0), "12.1 KiB");
    }

    #[test]
    fn a_rate_is_told_of_a_time_that_is_long_enough() {
        assert_eq!(rate(2_000_000, Duration::from_secs(1)).as_deref(), Some("2.00 MB/s (1.91 MiB/s)"));
        let short = |millis| rate(1, Duration::from_millis(millis));
        assert_eq!([0, 9, 10].map(short), [None, None, Some("100 B/s (100 B/s)".into())]);
    }

    #[test]
    fn a_share_says_all_or_nothing_only_when_it_is() {
        assert_eq!(percent(0, 10), "0 %");
        assert_eq!(percent(1, 1000), "<1 %");
        assert_eq!(percent(999, 1000), ">99 %");
        assert_eq!(percent(10, 10), "100 %");
        assert_eq!(percent(455, 1000), "46 %");
    }

    #[test]
    fn spans_are_short() {
        let text = |millis| span(Duration::from_millis(millis));
        assert_eq!(
            [614, 12_340, 125_000, 12_000_000].map(text),
            ["0.61 s", "12.3 s", "2 min 5 s", "3 h 20 min"]
        );
        let text = |micros| span(Duration::from_micros(micros));
        assert_eq!(
            [0, 999, 1000, 8040, 15_652, 99_999].map(text),
            ["0 us", "999 us", "1.0 ms", "8.0 ms", "15 ms", "99 ms"]
        );
    }

    #[test]
    fn a_message_loses_parts_before_any_is_cut() {
        let parts = ["1.2 GB", ", 30 %", ", 4 s left"].map(str::to_owned);
        assert_eq!(fitted(&parts, 22), "1.2 GB, 30 %, 4 s left");
        assert_eq!(fitted(&parts, 21), "1.2 GB, 30 %");
        assert_eq!(fitted(&parts, 11), "1.2 GB");
        assert_eq!(fitted(&parts, 5), "");
    }
}
