//! How fast audits read, in words.

use hashlane_catalog::ReadFrom;
use hashlane_keeper::{Action, Ceiling, Throughput, TunedRate};

use super::HowTo;
use crate::times::time;
use crate::{figures, text};

/// Where bytes came from, in words.
pub(super) fn from(from: ReadFrom) -> &'static str {
    match from {
        ReadFrom::Device => "from the device",
        ReadFrom::Cache => "from the page cache",
        ReadFrom::Mixed => "from the device and the page cache, or from an unknown place",
    }
}

/// In sentences.
pub(super) fn sentences(compared: Option<&Throughput>, how: HowTo<'_>) -> String {
    let Some(compared) = compared else {
        return "No audit has read for a second or longer, so there is no rate to tell.".to_owned();
    };
    let Throughput { run, bytes_per_second, from: place, ceiling } = compared;
    let rate = format!(
        "The audit of {} read {} at {}, {}.",
        time(run.started_s),
        text::decimal(run.counted.read_bytes as f64),
        figures::rate(*bytes_per_second),
        from(*place)
    );
    let share = |best: f64| figures::share(bytes_per_second / best);
    let slower = format!("Small files, {} and budgets make it slower.", how(&Action::LimitRate));
    let beside = match ceiling {
        Ceiling::Mixed => {
            "The bytes came from several places, so there is nothing to compare the rate with.".to_owned()
        }
        Ceiling::Alone => format!(
            "No ceiling is known: it is the fastest audit of its kind so far, and the device was not tuned. `{}` measures it.",
            how(&Action::Tune)
        ),
        Ceiling::Tuned(TunedRate { bytes_per_second, at }) => format!(
            "That is {} of {}, which `{}` measured on {} for large files. {slower}",
            share(*bytes_per_second),
            figures::rate(*bytes_per_second),
            how(&Action::Tune),
            text::name(at.get(..10).unwrap_or(at).as_bytes())
        ),
        Ceiling::Fastest { bytes_per_second, at_s } => format!(
            "That is {} of {}, the fastest audit of its kind, of {}. {slower}",
            share(*bytes_per_second),
            figures::rate(*bytes_per_second),
            time(*at_s)
        ),
    };
    format!("{rate} {beside}")
}
