//! What an audit of a collection came to, in a sentence.

use std::time::Duration;

use hashlane_auditor::{Audited, HeldBack, Outcome};
use hashlane_catalog::{ReadBy, Standing, Unchecked, Verdict};
use hashlane_report::collection::{known_otherwise, read_by, words};
use hashlane_report::text;

use crate::args::AuditArgs;

/// What an audit did, in one sentence.
pub(super) fn sentence(audited: &Audited, args: &AuditArgs, by: Option<&ReadBy>) -> String {
    let listed = text::counted(audited.listing.files, "file");
    if args.dry_run {
        let (files, bytes) = (audited.planned_files, text::decimal(audited.planned_bytes as f64));
        return format!("{listed} listed; {} would be read, {bytes}", text::counted(files, "file"));
    }
    let mut sentence = format!("{listed} listed");
    if audited.planned_files == 0 {
        sentence += match args.name.is_some() && !args.due {
            // There was something, of which nothing was begun.
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
        Outcome::Stopped => sentence += "; stopped",
        _ => {}
    }
    sentence
}

/// What stands, if that is more than this audit has counted: it is in the exit code.
pub(super) fn known_before(audited: &Audited, standing: &[Standing]) -> String {
    let is_more = standing.iter().any(|standing| standing.open > audited.counts.of(standing.verdict));
    let open = standing.iter().filter(|standing| is_more && standing.open > 0);
    let stands = open.map(|standing| format!("{} {}", text::count(standing.open), words(standing.verdict)));
    let stands: Vec<_> = stands.collect();
    if stands.is_empty() { String::new() } else { format!("; standing in all: {}", stands.join(", ")) }
}

/// Why a collection was not begun.
pub(super) const TIME_OVER: &str = "the time was over";
