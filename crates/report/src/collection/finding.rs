//! One finding, in words.

use hashlane_catalog::{Acknowledgement, Collection, Content, IntactCopy, ReadingKind, Reported};
use hashlane_keeper::restore;

use super::sentence::from;
use crate::times::time;
use crate::{shell, text};

/// What speaks for one cause or another, and what the system said.
pub(super) fn evidence(reported: &Reported) -> Vec<String> {
    let Reported { finding, known, .. } = reported;
    let cause = finding.seen.likely_cause(finding.verdict, known).map(str::to_owned);
    let detail = &finding.seen.detail;
    let detail = (!detail.is_empty()).then(|| text::name(detail.as_bytes()));
    cause.into_iter().chain(detail).collect()
}

/// The command that puts an intact copy in the place of a file, for a shell; nothing where none is known.
pub(super) fn restored(collection: &Collection, reported: &Reported, copy: &IntactCopy) -> Option<String> {
    let command = restore(collection, reported, copy)?;
    let names = command.names.iter().map(|name| shell::word(name));
    Some(command.words.into_iter().map(str::to_owned).chain(names).collect::<Vec<_>>().join(" "))
}

/// The size that is known, or else the one that was found.
pub(super) fn size(reported: &Reported) -> Option<u64> {
    let of = |content: &Content| content.size;
    of(&reported.known).or_else(|| of(&reported.finding.seen.content))
}

/// When a file was last read good: `2026-11-25 07:52, from the device`.
pub(super) fn last_good(last_good: Option<(i64, ReadingKind)>) -> String {
    last_good.map_or_else(
        || "not as the file that is here now".to_owned(),
        |(at_s, reading)| format!("{}, {}", time(at_s), from(reading)),
    )
}

/// Who knows of a finding, why and until when.
pub(super) fn known_by(known: Option<&Acknowledgement>) -> String {
    let Some(Acknowledgement { by, reason, at_s, until_s }) = known else { return String::new() };
    let until = until_s.map_or_else(String::new, |until_s| format!(" until {}", time(until_s)));
    let why = if reason.is_empty() { String::new() } else { format!(": {}", text::name(reason.as_bytes())) };
    format!("{} by {}{until}{why}", time(*at_s), text::name(by.as_bytes()))
}
