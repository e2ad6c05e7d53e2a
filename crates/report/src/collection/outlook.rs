//! Whether promises can be kept, in words.

use hashlane_catalog::Forecast;
use hashlane_keeper::{Action, Outlook, Rate};

use super::HowTo;
use crate::text;

const DAY_S: i64 = 24 * 3600;

/// In one line: `the promise needs 1 h 42 min a day at 120 MB/s, as measured by the last audits; it gets 1 h: 41 % will be late`.
pub fn outlook_line(outlook: &Outlook, how: HowTo<'_>) -> String {
    let Forecast { need_bytes, given_bytes, late, enough_s, .. } = outlook.forecast;
    let amount = |bytes: f64| match outlook.rate {
        Some(rate) => text::span(rate.time(bytes)),
        None => text::decimal(bytes),
    };
    let mut line = format!("the promise needs {} a day", amount(need_bytes));
    if let Some(Rate { bytes_per_second, is_tuned }) = outlook.rate {
        let by = if is_tuned { format!("`{}`", how(&Action::Tune)) } else { "the last audits".to_owned() };
        line += &format!(" at {}/s, as measured by {by}", text::decimal(bytes_per_second));
    }
    if let Some(given_bytes) = given_bytes {
        line += &format!("; it gets {}", amount(given_bytes));
        if late > 0.0 {
            line += &format!(": {:.0} % will be late", late * 100.0);
        }
    }
    if let Some(enough_s) = enough_s {
        line += &format!("; `{}` would hold", how(&Action::Promise(enough_s / DAY_S)));
    }
    line
}
