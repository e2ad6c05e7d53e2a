//! Runs elsewhere, whose readings audits have taken, in words.

use hashlane_catalog::ReadBy;

use crate::text;
use crate::times::time;

/// The list of the tables of such a run.
const MANIFEST: &str = "_manifest.json";

/// Who has read, and when: `Spark 4.1.4, from 2026-11-26 22:00 to 2026-11-27 03:10`.
pub fn read_by(by: &ReadBy) -> String {
    let program = text::name(by.program.as_bytes());
    format!("{program}, from {} to {}", time(by.started_s), time(by.ended_s))
}

/// The same with all that it takes to find the run again.
pub(super) fn evidence(by: &ReadBy) -> String {
    let [id, place, source] = [&by.id, &by.place, &by.source].map(|name| text::name(name.as_bytes()));
    format!(
        "{}, run {id} of {source}, {} in {place}; BLAKE3 of its {MANIFEST}: {}",
        read_by(by),
        text::counted(by.tables, "table"),
        text::name(by.blake3.as_bytes())
    )
}
