//! Metrics in a file, as the textfile collector of node_exporter reads them.

use std::fmt::Write as _;
use std::path::Path;

use hashlane_keeper::{Condition, Overview};

use crate::channel::Undelivered;

/// Writes how collections are, in the place of what the file said before.
pub(crate) fn write(path: &Path, overviews: &[Overview], now_s: i64) -> Result<(), Undelivered> {
    let text = text(overviews, now_s);
    hashlane_io::replace(path, text.as_bytes()).map_err(Undelivered::of)
}

/// How collections are.
pub(crate) fn text(overviews: &[Overview], now_s: i64) -> String {
    let mut text = String::new();
    let mut metric = |name: &str, help: &str, values: &dyn Fn(&Overview) -> Vec<(String, f64)>| {
        let _ = write!(text, "# HELP hashlane_{name} {help}\n# TYPE hashlane_{name} gauge\n");
        for overview in overviews {
            for (labels, value) in values(overview) {
                let of = label(overview.name());
                let _ = writeln!(text, "hashlane_{name}{{collection=\"{of}\"{labels}}} {value}");
            }
        }
    };
    let one = |value: f64| vec![(String::new(), value)];
    metric("collection_state", "How the collection is: 1 for the state that it is in.", &|overview| {
        let state = overview.condition();
        Condition::ALL
            .map(|of| (format!(",state=\"{}\"", of.name()), f64::from(u8::from(of == state))))
            .into()
    });
    metric("findings", "Findings that stand and that nobody knows of, by verdict.", &|overview| {
        let open = overview.standing.iter();
        open.map(|standing| (format!(",verdict=\"{}\"", standing.verdict.name()), standing.open as f64))
            .collect()
    });
    metric("files", "Files of the collection.", &|overview| one(overview.total.files as f64));
    metric("bytes", "Bytes of the collection.", &|overview| one(overview.total.bytes as f64));
    metric("late_files", "Files that were not read within the promised time.", &|overview| {
        one(overview.late.files() as f64)
    });
    metric("never_read_files", "Files that were never read.", &|overview| one(overview.never_read as f64));
    metric("last_judged_timestamp_seconds", "When an audit last judged the collection.", &|overview| {
        overview.judging.last_s.map(|last_s| (String::new(), last_s as f64)).into_iter().collect()
    });
    metric(
        "oldest_reading_timestamp_seconds",
        "When the files were read that were read longest ago.",
        &|overview| overview.oldest_s.map(|read_s| (String::new(), read_s as f64)).into_iter().collect(),
    );
    let _ = write!(
        text,
        "# HELP hashlane_written_timestamp_seconds When this was written.\n# TYPE hashlane_written_timestamp_seconds gauge\n\
         hashlane_written_timestamp_seconds {now_s}\n"
    );
    text
}

/// A value of a label: a backslash, a quote and a line break are escaped, and nothing else has a meaning.
fn label(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}
