//! Times: for people as the clock of the reader has them, for programs in UTC.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

/// Seconds since 1970.
pub fn now_s() -> i64 {
    Timestamp::now().as_second()
}

/// A time as the reader's clock has it.
pub fn time(seconds: i64) -> String {
    time_as(seconds, "%Y-%m-%d %H:%M")
}

/// The same to the second, with the zone of that clock.
pub fn exact_time(seconds: i64) -> String {
    time_as(seconds, "%Y-%m-%d %H:%M:%S %Z")
}

/// The day alone.
pub fn date(seconds: i64) -> String {
    time_as(seconds, "%Y-%m-%d")
}

fn time_as(seconds: i64, form: &str) -> String {
    match Timestamp::from_second(seconds) {
        Ok(time) => time.to_zoned(TimeZone::system()).strftime(form).to_string(),
        Err(_) => format!("{seconds} s since 1970"),
    }
}

/// A time for programs: RFC 3339 in UTC; nothing where no calendar has it.
pub fn utc(seconds: i64) -> Option<String> {
    Timestamp::from_second(seconds).ok().map(|time| time.to_string())
}

/// The same as JSON: null where no calendar has it.
pub fn time_json(seconds: i64) -> Value {
    json!(utc(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_get_times_in_utc() {
        assert_eq!(time_json(1_700_000_000), "2023-11-14T22:13:20Z");
        assert_eq!(time_json(i64::MAX), Value::Null);
    }
}
