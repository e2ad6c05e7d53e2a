//! How far an audit is that is under way, in words and for programs.

use std::time::Duration;

use hashlane_catalog::{Phase, Running};
use hashlane_keeper::Rate;
use serde_json::Value;

use super::data::Progress;
use crate::json::Line as _;
use crate::text;
use crate::times::time;

/// What was written that long ago is not news any more, in seconds.
const OLD_S: i64 = 60;

/// The share of the best rate that is known at which an audit reads.
pub(super) fn share_of_best(running: &Running, best: Rate) -> Option<f64> {
    let rate = running.bytes_per_second.filter(|_| running.phase == Some(Phase::Reading))?;
    (best.bytes_per_second > 0.0).then(|| rate as f64 / best.bytes_per_second)
}

/// How far an audit is: `reading`, ` 5.00 GB of 10.0 GB, 50 %`, `, 200 MB/s`, and so on. Where there is little room, the last ones go first.
pub fn how_far(running: &Running, best: Option<Rate>) -> Vec<String> {
    let (files, bytes) = (text::counted(running.files, "file"), text::decimal(running.bytes as f64));
    let Some(phase) = running.phase else {
        return vec!["how far it is, its program does not say".to_owned()];
    };
    let mut parts = vec![phase.name().replace('-', " ")];
    match phase {
        Phase::Listing | Phase::ReadingAgain => parts.extend([format!(" {files}"), format!(", {bytes}")]),
        Phase::Ending => parts.extend([format!(": {bytes} read"), format!("; {files}")]),
        Phase::Reading => {
            parts.push(format!(" {bytes}"));
            if let Some(planned) = running.planned_bytes {
                // A file may have grown since it was listed.
                let planned = planned.max(running.bytes);
                let percent = text::percent(running.bytes, planned.max(1));
                parts.push(format!(" of {}, {percent}", text::decimal(planned as f64)));
            }
            if let Some(rate) = running.bytes_per_second {
                parts.push(format!(", {}/s", text::decimal(rate as f64)));
            }
            if let Some((best, share)) = best.and_then(|best| Some((best, share_of_best(running, best)?))) {
                let by = if best.is_tuned { "`hashlane tune`" } else { "the best audit" };
                parts.push(format!(" ({:.0} % of {by})", share * 100.0));
            }
            if let Some(seconds) = running.remaining_s() {
                let left = Duration::from_secs_f64(seconds.min(1e9)).max(Duration::from_secs(1));
                parts.push(format!(", {} left", text::span(left)));
            }
            parts.push(format!("; {files}"));
        }
    }
    parts
}

/// The same in a sentence, with who carries it out.
pub(super) fn sentence(running: &Running, now_s: i64) -> String {
    let news = match now_s - running.at_s {
        age_s if age_s > OLD_S => format!("; that was {}", text::ago(age_s)),
        _ => String::new(),
    };
    format!(
        "an audit is running since {}, process {} on {}: {}{news}",
        time(running.began_s),
        running.process,
        text::name(running.host.as_bytes()),
        how_far(running, None).concat()
    )
}

/// How far the audit of a collection is, for programs: a line of its own.
pub fn progress_json(name: &str, running: &Running, best: Option<Rate>) -> Value {
    Progress::new(name, running, best).value()
}
