//! The report as CSV: a row for each finding that stands.

use hashlane_catalog::{Collection, Content, Reported, Result, Which};
use hashlane_digest::Digest;
use hashlane_keeper::Entry;

use super::finding::restored;
use super::{Put, Report};
use crate::spreadsheet::{is_formula, spreadsheet_row};
use crate::{text, times};

/// The columns. `path` is escaped as it is in messages, and `path_b64` has its bytes wherever that, or the apostrophe before a formula,
/// makes another text of it.
const HEAD: [&str; 21] = [
    "collection",
    "path",
    "verdict",
    "new",
    "since",
    "last_seen",
    "known_size_bytes",
    "read_size_bytes",
    "known_digests",
    "read_digests",
    "digests_read_again",
    "last_read_good",
    "last_read_from",
    "acknowledged_by",
    "acknowledged_at",
    "acknowledged_until",
    "acknowledged_reason",
    "detail",
    "intact_copy",
    "restore",
    "path_b64",
];

pub(super) fn write(report: &Report<'_>, put: Put<'_>) -> Result<()> {
    put(&spreadsheet_row(HEAD))?;
    for collection in &report.collections {
        report.reporter.findings(collection, &[Which::Open, Which::Acknowledged], &mut |_, entry| {
            put(&spreadsheet_row(cells(collection, &entry).iter().map(String::as_str)))
        })?;
    }
    Ok(())
}

fn cells(collection: &Collection, entry: &Entry) -> [String; HEAD.len()] {
    let Entry { reported, is_new, copy, .. } = entry;
    let Reported { path, finding, known, last_good, .. } = reported;
    let size = |content: &Content| content.size.map_or_else(String::new, |size| size.to_string());
    let shown = text::name(path);
    let is_exact = shown.as_bytes() == path.as_slice() && !is_formula(&shown);
    let by = |of: fn(&hashlane_catalog::Acknowledgement) -> String| {
        finding.known.as_ref().map_or_else(String::new, of)
    };
    [
        collection.terms.name.clone(),
        shown,
        finding.verdict.name_in_collection().to_owned(),
        if *is_new { "yes" } else { "no" }.to_owned(),
        utc(finding.since_s),
        utc(finding.seen_s),
        size(known),
        size(&finding.seen.content),
        digests(&known.digests),
        digests(&finding.seen.content.digests),
        digests(&finding.seen.again),
        last_good.map_or_else(String::new, |(at_s, _)| utc(at_s)),
        last_good.map_or_else(String::new, |(_, kind)| kind.name().to_owned()),
        by(|known| text::name(known.by.as_bytes())),
        by(|known| utc(known.at_s)),
        by(|known| known.until_s.map_or_else(String::new, utc)),
        by(|known| escaped(&known.reason)),
        escaped(&finding.seen.detail),
        copy.as_ref().map_or_else(String::new, |copy| {
            format!("{}:{}", copy.collection.terms.name, text::name(&copy.path))
        }),
        copy.as_ref().and_then(|copy| restored(collection, reported, copy)).unwrap_or_default(),
        if is_exact { String::new() } else { data_encoding::BASE64.encode(path) },
    ]
}

/// A text that may be empty, without anything that a terminal would obey.
fn escaped(text: &str) -> String {
    if text.is_empty() { String::new() } else { text::name(text.as_bytes()) }
}

/// A time in UTC, RFC 3339; empty for one that is none.
fn utc(seconds: i64) -> String {
    times::utc(seconds).unwrap_or_default()
}

/// Digests as `sha256:…`, separated by spaces.
fn digests(digests: &[Digest]) -> String {
    let named: Vec<_> =
        digests.iter().map(|digest| format!("{}:{digest}", digest.algorithm().name())).collect();
    named.join(" ")
}
