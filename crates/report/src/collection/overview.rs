//! How a collection is, in short: what a status and a report both tell.

use hashlane_keeper::{Action, Condition, Overview};
use hashlane_record::Escaped;

use super::sentence::{Brief, kinds_of_readings, late_files, no_promise, sentence, waiting, were};
use super::{HowTo, running, words};
use crate::text;
use crate::text::ago;
use crate::times::time;

/// How it is in a word or two.
pub(super) fn state(overview: &Overview) -> &'static str {
    match overview.condition() {
        Condition::Late if overview.is_never_read => "late, never audited",
        condition => condition.state(),
    }
}

/// That no audit has judged it for long; nothing if one has, or if more is wrong.
fn silence(overview: &Overview) -> Option<String> {
    let since_s = overview.judging.last_s.unwrap_or(overview.collection.created_s);
    let last =
        || format!("no audit has judged it since {}, {}", time(since_s), ago(overview.now_s - since_s));
    (overview.condition() == Condition::Silent).then(last)
}

/// That its last audit has died.
fn died(overview: &Overview) -> Option<String> {
    let died = overview.interrupted()?;
    let since = ago(overview.now_s - died.started_s);
    let ended = match &overview.stopped_by {
        Some(by) => format!("was stopped by {}", Escaped(by.as_bytes())),
        None => "ended without a result".to_owned(),
    };
    Some(format!("its last audit, begun {} ({since}), {ended}", time(died.started_s)))
}

/// What stands against it that nobody knows of: `2 corrupt, 1 missing`; a dash for nothing. `others`: what else there is to count.
pub(super) fn findings(overview: &Overview, others: &[(u64, &str)]) -> String {
    let open = overview.standing.iter().filter(|standing| standing.open > 0);
    let mut findings: Vec<_> =
        open.map(|standing| format!("{} {}", text::count(standing.open), words(standing.verdict))).collect();
    for (number, what) in [(overview.unlisted, "not listed")].iter().chain(others) {
        if *number > 0 {
            findings.push(format!("{} {what}", text::count(*number)));
        }
    }
    if findings.is_empty() { "–".to_owned() } else { findings.join(", ") }
}

/// What else is to be known of it, a sentence each.
pub(super) fn notes(overview: &Overview, how: HowTo<'_>) -> Vec<String> {
    let name = overview.name();
    let replaced = format!(
        "{} replaced and not read since; `{}` reads all of it now",
        were(overview.replaced),
        how(&Action::Audit(name))
    );
    let touched = format!(
        "{}: mode, owner, links or attributes have changed since the last reading; read first in the night in which it is due",
        text::counted(overview.changed_metadata, "file")
    );
    let ignored = format!(
        "{} left out by a filter, with findings that stand; `{}` shows the filters",
        were(overview.ignored_findings),
        how(&Action::Show(name))
    );
    let notes = [
        (overview.replaced, replaced),
        (overview.changed_metadata, touched),
        (overview.ignored_findings, ignored),
    ];
    let notes = notes.into_iter().filter(|(files, _)| *files > 0).map(|(_, note)| note);
    let running = overview.running.as_ref().map(|running| running::sentence(running, overview.now_s));
    let promise = no_promise(&overview.collection, overview.total, overview.oldest_s, overview.now_s, how);
    let told = [running, silence(overview), died(overview), promise].into_iter().flatten();
    told.chain(notes).chain(waiting(name, overview.pending, how)).collect()
}

/// Where the bytes of its last readings came from; nothing if nothing was read.
pub(super) fn kinds(overview: &Overview) -> Option<String> {
    kinds_of_readings(&overview.readings, overview.total, overview.collection.is_held_to_device())
}

/// Whether all of those came from the device, or from the store.
pub(super) fn is_of_medium(overview: &Overview) -> bool {
    overview.readings.iter().all(|of| of.reading.is_of_medium())
}

/// How many files are late: `3`, `≤ 1,200,000`.
pub(super) fn late(overview: &Overview) -> String {
    late_files(overview.late)
}

/// How all of them are, in one sentence.
pub(super) fn in_one_sentence<'a>(overviews: impl IntoIterator<Item = &'a Overview>) -> String {
    let brief = |overview: &'a Overview| Brief {
        name: overview.name(),
        needs_a_person: overview.needs_a_person(),
        is_offline: overview.collection.offline_s.is_some(),
        is_silent: overview.condition() == Condition::Silent,
        has_promise: overview.collection.terms.period_s.is_some(),
        is_running: overview.running.is_some(),
        progress: overview.progress,
    };
    sentence(&overviews.into_iter().map(brief).collect::<Vec<_>>())
}
