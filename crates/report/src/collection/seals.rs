//! Runs and their seals.

use hashlane_catalog::SealedRun;
use hashlane_record::Escaped;
use serde_json::Value;

use super::data::Sealed;
use crate::json::Line as _;
use crate::terminal::table;
use crate::times::time;
use crate::{Table, text};

/// A run with its seal, for programs.
pub fn seal_json(run: &SealedRun) -> Value {
    Sealed::from(run).value()
}

/// Runs with their seals as a table.
pub fn seals_text(runs: &[SealedRun]) -> String {
    let mut rows = Table::new("Seals", &["run", "collection", "begun", "request", "leaves", "root"]);
    rows.words = vec![1, 2, 3, 5];
    for SealedRun { run, collection, is_removed, started_s, request, seal, .. } in runs {
        rows.rows.push(vec![
            run.number().to_string(),
            // Its name may be that of another one by now.
            if *is_removed { format!("{collection} (removed)") } else { collection.clone() },
            time(*started_s),
            Escaped(request.as_bytes()).to_string(),
            text::count(seal.leaves),
            seal.root_hex(),
        ]);
    }
    table(&rows)
}
