//! How far an audit is that is under way, in words and for programs.

use std::time::Duration;

use hashlane_catalog::{Phase, Running};
use serde_json::{Map, Value, json};

use crate::text;
use crate::times::{time, time_json};

/// What was written so long ago is no news of now, in seconds.
const OLD_S: i64 = 60;

/// The best rate that is known of a collection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Best {
    pub(crate) bytes_per_second: f64,
    /// Measured by `tune`, and not by audits.
    pub(crate) is_tuned: bool,
}

impl Best {
    fn share(self, running: &Running) -> Option<f64> {
        let rate = running.bytes_per_second.filter(|_| running.phase == Some(Phase::Reading))?;
        (self.bytes_per_second > 0.0).then(|| rate as f64 / self.bytes_per_second)
    }
}

/// How far an audit is: `reading`, ` 5.00 GB of 10.0 GB, 50 %`, `, 200 MB/s`, and so on. Where there is little room, the last ones go first.
pub(crate) fn parts(running: &Running, best: Option<Best>) -> Vec<String> {
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
            if let Some((best, share)) = best.and_then(|best| Some((best, best.share(running)?))) {
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
pub(crate) fn sentence(running: &Running, now_s: i64) -> String {
    let news = match now_s - running.at_s {
        age_s if age_s > OLD_S => format!("; that was {}", text::ago(age_s)),
        _ => String::new(),
    };
    format!(
        "an audit is running since {}, process {} on {}: {}{news}",
        time(running.began_s),
        running.process,
        text::name(running.host.as_bytes()),
        parts(running, None).concat()
    )
}

/// How far an audit is, for programs.
pub(crate) fn running_json(running: &Running) -> Map<String, Value> {
    let object = json!({
        "phase": running.phase.map(Phase::name),
        "files": running.files,
        "bytes": running.bytes,
        "planned_bytes": running.planned_bytes,
        "bytes_per_second": running.bytes_per_second,
        "began": time_json(running.began_s),
        "at": time_json(running.at_s),
        "process": running.process,
        "host": running.host,
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// The same of a collection, with what follows from it: a line of its own.
pub(crate) fn progress_json(name: &str, running: &Running, best: Option<Best>) -> Value {
    let mut object = Map::new();
    object.insert("schema".into(), json!("hashlane-collection-progress"));
    object.insert("version".into(), json!(1));
    object.insert("collection".into(), json!(name));
    object.extend(running_json(running));
    object.insert("share".into(), json!(running.share().map(rounded)));
    object.insert("remaining_s".into(), json!(running.remaining_s().map(f64::round)));
    object
        .insert("best_bytes_per_second".into(), json!(best.map(|best| best.bytes_per_second.round() as u64)));
    let by = |best: Best| if best.is_tuned { "tune" } else { "audits" };
    object.insert("best_measured_by".into(), json!(best.map(by)));
    object.insert("share_of_best".into(), json!(best.and_then(|best| best.share(running)).map(rounded)));
    Value::Object(object)
}

/// Four digits are enough of a share.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}
