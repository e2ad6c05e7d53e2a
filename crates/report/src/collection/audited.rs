//! What an audit of a collection says and came to, in words.

use std::time::Duration;

use hashlane_auditor::{AuditEvent, Audited, HeldBack, Outcome};
use hashlane_catalog::{ReadBy, Standing, Unchecked, Verdict};

use super::by::read_by;
use super::line::finding_lines;
use super::sentence::known_otherwise;
use super::steering::asked_to_end;
use super::words;
use crate::text;
use crate::times::time;

/// What an audit was asked for, as far as its sentence depends on that.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Nothing was to be read.
    pub dry_run: bool,
    /// All files of a collection were to be read, whether due or not.
    pub is_for_all: bool,
}

/// What an audit did, in one sentence.
pub fn audit_sentence(audited: &Audited, asked: Asked, by: Option<&ReadBy>) -> String {
    let listed = text::counted(audited.listing.files, "file");
    if asked.dry_run {
        let (files, bytes) = (audited.planned_files, text::decimal(audited.planned_bytes as f64));
        return format!("{listed} listed; {} would be read, {bytes}", text::counted(files, "file"));
    }
    let mut sentence = format!("{listed} listed");
    if audited.planned_files == 0 {
        sentence += match asked.is_for_all {
            // There was something, and nothing of it was begun.
            _ if matches!(audited.outcome, Outcome::Budget | Outcome::Stopped) => "; no file was read",
            _ if audited.goes_on => "; nothing was left to be read",
            // Who names a collection asks for all of it, whether due or not.
            true => "; there was nothing to read",
            false => "; nothing was due",
        };
    } else {
        let (files, bytes) = (text::counted(audited.files, "file"), text::decimal(audited.bytes as f64));
        match by {
            Some(by) => sentence += &format!(", {files} read by {}, {bytes}", read_by(by)),
            None => {
                let time = audited.listing_time + audited.reading_time;
                sentence += &format!(", {files} read, {bytes} in {}", text::span(time));
            }
        }
        if audited.reading_time > Duration::ZERO
            && audited.bytes > 0
            && let Some(rate) = text::rate(audited.bytes, audited.reading_time)
        {
            sentence += &format!(": {rate}");
        }
    }
    if audited.reread_files > 0 {
        let files = text::counted(audited.reread_files, "file");
        let (bytes, time) = (text::decimal(audited.reread_bytes as f64), text::span(audited.rereading_time));
        sentence += &format!(", {files} read again, {bytes} in {time}");
    }
    let held_back: u64 = audited.held_back.iter().map(HeldBack::files).sum();
    // Of those nothing is said.
    let is_told = |verdict| held_back == 0 || !HeldBack::HELD.contains(&verdict);
    let counts = audited.counts.iter().filter(|(verdict, _)| is_told(*verdict));
    let mut counts: Vec<_> =
        counts.map(|(verdict, files)| format!("{} {}", text::count(files), words(verdict))).collect();
    counts.extend((held_back > 0).then(|| format!("{} held back", text::count(held_back))));
    if !counts.is_empty() {
        sentence += &format!("; {}", counts.join(", "));
    }
    sentence += &known_otherwise(audited);
    if audited.goes_on {
        sentence += "; it continued an audit that was not over";
    }
    match audited.outcome {
        Outcome::Budget if audited.away.is_some() => {
            sentence += "; it could not be reached any more: the next audit reads the rest"
        }
        Outcome::Budget if by.is_some() && audited.counts.of(Verdict::NotChecked(Unchecked::Budget)) > 0 => {
            sentence +=
                "; what was not checked is not in the run, or was written to since: the next audit reads it"
        }
        Outcome::Budget => sentence += "; the budget was used up",
        Outcome::Stopped => {
            let why = audited.asked_to_end.as_ref().map_or_else(|| "stopped".to_owned(), asked_to_end);
            sentence += &format!("; {why}");
        }
        _ => {}
    }
    sentence
}

/// What stands, if that is more than this audit has counted: it is in the exit code.
pub fn known_before(audited: &Audited, standing: &[Standing]) -> String {
    let is_more = standing.iter().any(|standing| standing.open > audited.counts.of(standing.verdict));
    let open = standing.iter().filter(|standing| is_more && standing.open > 0);
    let stands = open.map(|standing| format!("{} {}", text::count(standing.open), words(standing.verdict)));
    let stands: Vec<_> = stands.collect();
    if stands.is_empty() { String::new() } else { format!("; standing in all: {}", stands.join(", ")) }
}

/// This many directories are shown with what is held back; of more, only how many there are.
const MOST_HELD_BACK: usize = 1_000;

/// How many files of each kind are held back.
fn counts(of: &HeldBack) -> [(u64, &'static str); 5] {
    [
        (of.missing, "missing"),
        (of.emptied, "emptied"),
        (of.older, "older"),
        (of.changed, "changed"),
        (of.unreadable, "unreadable"),
    ]
}

/// What a run that is held holds back, a line for each directory.
pub fn held_back_lines(name: &str, directories: &[HeldBack]) -> Vec<String> {
    let line = |held: &HeldBack| {
        let counts = counts(held).into_iter().filter(|(number, _)| *number > 0);
        let counts: Vec<_> = counts.map(|(number, what)| format!("{} {what}", text::count(number))).collect();
        let path = [&held.path[..], b"/"].concat();
        let path = if held.path.is_empty() { "./".to_owned() } else { text::name(&path) };
        format!("{name}: {path}: held back: {}\n", counts.join(", "))
    };
    let more = directories.len().saturating_sub(MOST_HELD_BACK) as u64;
    let more = (more > 0).then(|| format!("{name}: and in {} more directories\n", text::count(more)));
    directories.iter().take(MOST_HELD_BACK).map(line).chain(more).collect()
}

/// What happens in an audit, as lines; nothing where that is not shown. `is_verbose`: also what was accepted without a doubt, and what was told
/// before.
pub fn audit_event_lines(name: &str, event: &AuditEvent<'_>, is_verbose: bool) -> Option<String> {
    Some(match *event {
        // What was said once and still stands is in the status.
        AuditEvent::Finding { is_new: false, .. } if !is_verbose => return None,
        AuditEvent::Finding { path, verdict, again_s, seen, known, .. } => {
            let again = again_s.map_or_else(String::new, |at_s| {
                format!("    it was found before, {}, and was not told then\n", time(at_s))
            });
            finding_lines(name, path, verdict, seen, known) + &again
        }
        // The end says why nothing was judged.
        AuditEvent::Unlisted { path: b"", .. } => return None,
        AuditEvent::Unlisted { path, reason } => {
            let place = text::name(path);
            format!("{name}: {place}: UNREADABLE\n    {reason}; nothing is said of what lies below it\n")
        }
        AuditEvent::File { path, verdict, cause, detail } => {
            let line = format!("{name}: {}: {}", text::name(path), words(verdict));
            match cause {
                // What is accepted, and may not have been meant.
                Some(_) => format!("{line}, accepted: {}\n", text::name(detail.as_bytes())),
                None => line + "\n",
            }
        }
        _ => return None,
    })
}
