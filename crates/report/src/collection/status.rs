//! How collections are.

use std::collections::BTreeMap;

use hashlane_keeper::{Overview, Progress, Watched, going_on};
use serde_json::Value;

use super::data;
use super::lines::none_registered;
use super::outlook::outlook_line;
use super::overview::{in_one_sentence, is_of_medium, kinds, late, notes, state as state_of};
use super::sentence::not_over;
use super::{HowTo, attested};
use crate::json::Line as _;
use crate::terminal::table;
use crate::text::{ago, days};
use crate::times::time;
use crate::{Table, text};

/// How collections are, for programs.
pub fn status_json(rows: &[Watched]) -> Value {
    let collections = rows.iter().map(Into::into).collect();
    data::Status { sentence: sentence(rows), collections }.value()
}

/// How a collection is in a few words, and since when it is so where that is known.
fn state(overview: &Overview) -> String {
    let since = overview.collection.offline_s.filter(|_| state_of(overview) == "offline");
    let since = since.map_or_else(String::new, |since_s| format!(" since {}", time(since_s)));
    let running = if overview.running.is_some() { ", running" } else { "" };
    format!("{}{since}{running}", state_of(overview))
}

/// What stands against a collection, and what stood against it.
fn findings(overview: &Overview) -> String {
    super::overview::findings(
        overview,
        &[(overview.acknowledged(), "acknowledged"), (overview.recovered, "recovered")],
    )
}

/// How collections are at a time, in seconds since 1970, as a table.
pub fn status_text(rows: &[Watched], now_s: i64, how: HowTo<'_>) -> String {
    if rows.is_empty() {
        return none_registered(how);
    }
    let mut shown = Table::new(
        &sentence(rows),
        &[
            "collection",
            "state",
            "files",
            "bytes",
            "findings",
            "every",
            "oldest reading",
            "late",
            "last audit",
        ],
    );
    shown.words = vec![0, 1, 4, 5, 6, 8];
    for Watched { overview, .. } in rows {
        let oldest = match overview.oldest_s {
            _ if overview.never_read > 0 => format!("{} never read", text::count(overview.never_read)),
            Some(read_s) => ago(now_s - read_s),
            None => "–".to_owned(),
        };
        shown.rows.push(vec![
            overview.name().to_owned(),
            state(overview),
            text::count(overview.total.files),
            text::decimal(overview.total.bytes as f64),
            findings(overview),
            overview.collection.terms.period_s.map_or_else(|| "–".to_owned(), days),
            oldest,
            late(overview),
            overview.judging.last_s.map_or_else(|| "–".to_owned(), time),
        ]);
    }
    for Watched { overview, outlook } in rows {
        let name = overview.name();
        if overview.progress == Progress::Begun {
            let not_over = not_over(overview.total, overview.never_read);
            let going_on = match overview.running {
                Some(_) => String::new(),
                None => format!("; `{}` goes on", how(&going_on(overview))),
            };
            shown.notes.push(format!("{name}: {not_over}{going_on}"));
        }
        let kinds = kinds(overview).filter(|_| !is_of_medium(overview));
        shown.notes.extend(kinds.map(|kinds| format!("{name}: {kinds}")));
        shown.notes.extend(notes(overview, how).into_iter().map(|note| format!("{name}: {note}")));
        for evidence in &overview.evidence {
            shown.notes.push(format!("{name}: {}", attested::sentence(evidence, overview.total.files)));
        }
        if let Some(outlook) = outlook.as_ref().filter(|outlook| outlook.is_bad()) {
            shown.notes.push(format!("{name}: {}", outlook_line(outlook, how)));
        }
    }
    let mut text = table(&shown);
    if let Some(groups) = groups(rows) {
        text += &format!("\n{}", table(&groups));
    }
    text
}

/// What the collections of each group come to, if any is in one.
fn groups(rows: &[Watched]) -> Option<Table> {
    let mut groups: BTreeMap<&str, Vec<&Overview>> = BTreeMap::new();
    for Watched { overview, .. } in rows.iter().filter(|row| !row.overview.collection.terms.group.is_empty())
    {
        groups.entry(&overview.collection.terms.group).or_default().push(overview);
    }
    let mut shown =
        Table::new("Groups", &["group", "collections", "files", "bytes", "need a person", "late"]);
    shown.words = vec![0];
    for (group, overviews) in &groups {
        let sum = |of: fn(&Overview) -> u64| overviews.iter().map(|overview| of(overview)).sum::<u64>();
        shown.rows.push(vec![
            text::name(group.as_bytes()),
            text::count(overviews.len() as u64),
            text::count(sum(|overview| overview.total.files)),
            text::decimal(sum(|overview| overview.total.bytes) as f64),
            text::count(sum(|overview| u64::from(overview.needs_a_person()))),
            text::count(sum(|overview| overview.late.files())),
        ]);
    }
    (!groups.is_empty()).then_some(shown)
}

/// How everything is.
fn sentence(rows: &[Watched]) -> String {
    in_one_sentence(rows.iter().map(|row| &row.overview))
}
