//! What another program has read, in words.

use std::path::Path;

use hashlane_catalog::{Catalog, Collection, Elsewhere, ReadBy};
use hashlane_keeper::{RunError, read_by_spark};
use hashlane_manifest::spark::MANIFEST;
use serde_json::{Value, json};

use super::{failed, time, time_json};
use crate::args::AuditArgs;
use crate::manifests::{self, OptionNames};
use crate::status::Ended;
use crate::text;

/// The options by which it is said how a table is to be read: there are none.
const CALLED: OptionNames = OptionNames { task: "take", algorithm: None, ..OptionNames::USUAL };

/// Takes what a run has read, if all of it is as its list says. Of one that is recorded already nothing is taken: the audit says so.
pub(super) fn taken(
    args: &AuditArgs,
    directory: &Path,
    of: (&Catalog, &Collection),
) -> anyhow::Result<Elsewhere> {
    read_by_spark(directory, args.strip_prefix.as_deref(), of).map_err(|error| match error {
        RunError::Catalog(error) => failed(error),
        RunError::Table(error) => manifests::refused(&error, CALLED).into_error(),
        RunError::NotBelow { source_name, prefix } => {
            let [source, prefix] = [source_name, prefix].map(|name| text::name(&name));
            Ended::usage(format!(
                "the run has read {source}, which does not lie below --strip-prefix {prefix}"
            ))
        }
        RunError::OtherRoot { ref source_name, .. } => {
            let source = text::name(source_name);
            Ended::usage(format!(
                "{error}; if its nodes saw that tree at {source}, add --strip-prefix {source}"
            ))
        }
        error @ RunError::NoDirectory(_) => {
            Ended::usage(format!("{error}; name the directory that the job was given as --out"))
        }
        error @ (RunError::Unread { .. } | RunError::Damaged { .. }) => Ended::unreadable(error),
        error => Ended::usage(error),
    })
}

/// That a run is recorded already.
pub(super) fn before(run: i64, at: &str) -> String {
    format!("this run of Spark is recorded already, as run {run} of {at}; it counts once")
}

/// Who has read, and when, in words: `Spark 4.1.4, from 2026-11-26 22:00 to 2026-11-27 03:10`.
pub(super) fn whose(by: &ReadBy) -> String {
    let program = text::name(by.program.as_bytes());
    format!("{program}, from {} to {}", time(by.started_s), time(by.ended_s))
}

/// The same with all that it takes to find the run again.
pub(super) fn evidence(by: &ReadBy) -> String {
    let [id, place, source] = [&by.id, &by.place, &by.source].map(|name| text::name(name.as_bytes()));
    format!(
        "{}, run {id} of {source}, {} in {place}; BLAKE3 of its {MANIFEST}: {}",
        whose(by),
        text::counted(by.tables, "table"),
        text::name(by.blake3.as_bytes())
    )
}

/// The same for programs.
pub(super) fn by_json(by: &ReadBy) -> Value {
    json!({
        "program": by.program,
        "hashlane": by.hashlane,
        "run_id": by.id,
        "source": by.source,
        "directory": by.place,
        "tables": by.tables,
        "rows": by.rows,
        "manifest_blake3": by.blake3,
        "started": time_json(by.started_s),
        "ended": time_json(by.ended_s),
    })
}
