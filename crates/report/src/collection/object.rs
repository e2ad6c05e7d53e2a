//! The report for programs: one JSON object with each finding on a line of its own.

use hashlane_catalog::{Result, Which};
use serde_json::json;

use super::data::{Finding, OfReport};
use super::overview::in_one_sentence;
use super::{Put, Report};
use crate::json::value;
use crate::times::time_json;

/// In this order they are written.
const KINDS: [Which; 3] = [Which::Open, Which::Acknowledged, Which::Recovered];

pub(super) fn write(report: &Report<'_>, put: Put<'_>) -> Result<()> {
    let overviews = report.overviews()?;
    put(&format!(
        "{{\"schema\":\"hashlane-collection-report\",\"version\":1,\"at\":{},\"sentence\":{},\"collections\":[",
        time_json(report.reporter.now_s),
        json!(in_one_sentence(&overviews)),
    ))?;
    for (at, overview) in overviews.into_iter().enumerate() {
        let collection = overview.collection.clone();
        let subject = value(&OfReport::from(&report.reporter.subject(overview)?)).to_string();
        let comma = if at > 0 { "," } else { "" };
        // Its findings come one by one, so they go in before its end.
        let open = subject.strip_suffix('}').unwrap_or(&subject);
        put(&format!("{comma}\n{open},\"findings\":["))?;
        let mut comma = "";
        report.reporter.findings(&collection, &KINDS, &mut |which, entry| {
            let finding = value(&Finding::new(&collection, which, &entry));
            put(&format!("{}\n{finding}", std::mem::replace(&mut comma, ",")))
        })?;
        put("]}")?;
    }
    put("]}\n")
}
