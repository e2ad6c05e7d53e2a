//! What happened, as lines, rows and for programs.

use data_encoding::BASE64;
use hashlane_catalog::{EventKind, Happened, Verdict};
use serde_json::Value;

use super::data::Event;
use crate::json::Line as _;
use crate::spreadsheet::{is_formula, spreadsheet_row};
use crate::text;
use crate::times::{time, utc};

/// An event for people.
pub fn event_line(happened: &Happened) -> String {
    let Happened { number, at_s, kind, collection, path, actor, what, reason, other, detail, .. } = happened;
    let name = |path: &Option<Vec<u8>>| path.as_deref().map(text::name);
    let collection = if collection.is_empty() { "-".to_owned() } else { text::name(collection.as_bytes()) };
    let mut line = format!("{number:>6}  {}  {collection}  {:<9}  {what}", time(*at_s), kind.name());
    line.extend(name(path).map(|path| format!(": {path}")));
    let direction = if what == Verdict::MovedAway.name() { "to" } else { "from" };
    line.extend(name(other).map(|other| format!(" {direction} {other}")));
    // Who asked for what an audit has found is shown elsewhere.
    if !matches!(kind, EventKind::Finding | EventKind::Recovered | EventKind::Edit) && !actor.is_empty() {
        line += &format!(", by {}", text::name(actor.as_bytes()));
    }
    for more in [reason, detail] {
        if !more.is_empty() {
            line += &format!("; {}", text::name(more.as_bytes()));
        }
    }
    line.push('\n');
    line
}

/// An event for programs: a line.
pub fn event_json(happened: &Happened) -> Value {
    Event::from(happened).value()
}

/// Events as a table for a spreadsheet: no cell is a formula. `path_b64` and `other_b64` have the bytes of paths that are not shown as they are.
pub fn events_csv(happened: &[Happened], has_head: bool) -> String {
    const HEAD: [&str; 14] = [
        "number",
        "at",
        "kind",
        "collection",
        "path",
        "actor",
        "run",
        "what",
        "verdict",
        "other",
        "reason",
        "detail",
        "path_b64",
        "other_b64",
    ];
    let mut rows = if has_head { spreadsheet_row(HEAD) } else { String::new() };
    for event in happened {
        let name = |path: &Option<Vec<u8>>| path.as_deref().map(text::name).unwrap_or_default();
        let bytes = |path: &Option<Vec<u8>>| {
            let inexact = |path: &&Vec<u8>| {
                let shown = text::name(path);
                shown.as_bytes() != path.as_slice() || is_formula(&shown)
            };
            path.as_ref().filter(inexact).map(|path| BASE64.encode(path)).unwrap_or_default()
        };
        let cells = [
            event.number.to_string(),
            utc(event.at_s).unwrap_or_default(),
            event.kind.name().to_owned(),
            event.collection.clone(),
            name(&event.path),
            event.actor.clone(),
            event.run.map_or_else(String::new, |run| run.number().to_string()),
            event.what.clone(),
            event.verdict().unwrap_or_default().to_owned(),
            name(&event.other),
            event.reason.clone(),
            event.detail.clone(),
            bytes(&event.path),
            bytes(&event.other),
        ];
        rows += &spreadsheet_row(cells.iter().map(String::as_str));
    }
    rows
}
