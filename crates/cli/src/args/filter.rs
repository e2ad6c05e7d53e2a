//! The arguments that say which files are wanted.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use hashlane_record::Timestamp;
use jiff::{SignedDuration, SpanRelativeTo};

use super::device::size;

/// Which files are wanted, by name, size and time.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Filters")]
pub(crate) struct FilterArgs {
    /// Only files that match GLOB; may be repeated
    ///
    /// A glob without a slash is matched against the file name, one with a slash against the path below the named directory.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Skip files and directories that match GLOB; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Skip what the patterns in FILE match, in gitignore syntax
    ///
    /// Ignore files are honoured only if they are named here.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(crate) ignore_file: Vec<PathBuf>,

    /// Skip files smaller than SIZE, such as 100MB or 64KiB
    ///
    /// This also applies to files named on the command line. Pipes, devices and standard input have no size and are read.
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    pub(crate) min_size: Option<u64>,

    /// Skip files larger than SIZE
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    pub(crate) max_size: Option<u64>,

    /// Skip files last modified before TIME, such as 2026-01-31 or 7d
    ///
    /// TIME is a date (UTC) such as 2026-01-31, a time such as 2026-01-31T12:00:00Z, or an age such as 7d or 12h. This also
    /// applies to files named on the command line.
    #[arg(long, value_name = "TIME", value_parser = time, hide_short_help = true)]
    pub(crate) newer_than: Option<Timestamp>,

    /// Skip files last modified at TIME or later
    #[arg(long, value_name = "TIME", value_parser = time, hide_short_help = true)]
    pub(crate) older_than: Option<Timestamp>,
}

impl FilterArgs {
    /// The option that was given, if any was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (!self.include.is_empty(), "--include"),
            (!self.exclude.is_empty(), "--exclude"),
            (!self.ignore_file.is_empty(), "--ignore-file"),
            (self.min_size.is_some(), "--min-size"),
            (self.max_size.is_some(), "--max-size"),
            (self.newer_than.is_some(), "--newer-than"),
            (self.older_than.is_some(), "--older-than"),
        ];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }
}

/// A type of file that a walk reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileType {
    /// Regular files
    File,
    /// FIFOs: reading waits until a program writes to each
    Fifo,
    /// Block devices
    Block,
    /// Character devices: many never end
    Char,
}

/// A time as people write it: absolute, the beginning of a day of UTC, or before now.
pub(super) fn time(text: &str) -> Result<Timestamp, String> {
    time_before(text, jiff::Timestamp::now())
}

fn time_before(text: &str, now: jiff::Timestamp) -> Result<Timestamp, String> {
    let time = text.parse::<jiff::Timestamp>().ok().or_else(|| beginning_of_day(text));
    let time = match time {
        Some(time) => time,
        None => now.checked_sub(age(text)?).map_err(|_| "too long ago; give a date".to_owned())?,
    };
    let nanos = time.as_nanosecond();
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).map_err(|_| "out of range".to_owned())?;
    Ok(Timestamp { seconds, nanos: nanos.rem_euclid(1_000_000_000) as u32 })
}

fn beginning_of_day(text: &str) -> Option<jiff::Timestamp> {
    // What a civil date would take besides is no date alone.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let date = text.parse::<jiff::civil::Date>().ok().filter(|_| plain)?;
    date.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|day| day.timestamp())
}

/// An age as people write it.
fn age(text: &str) -> Result<SignedDuration, String> {
    const FORMS: &str = "write it like 2026-01-31, 2026-01-31T12:00:00Z, 7d or 12h";
    let Ok(span) = text.parse::<jiff::Span>() else {
        // RFC 3339 wants to be told the zone.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Result<Timestamp, String> {
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
}
