//! What was changed, as lines, rows and for programs.

use hashlane_catalog::Change;
use hashlane_record::Escaped;
use serde_json::{Map, Value};

use super::data;
use crate::Table;
use crate::json::Line as _;
use crate::spreadsheet::spreadsheet_row;
use crate::terminal::table;
use crate::text::days;
use crate::times::{time, utc};

/// Changes as a table.
pub fn changes_text(changes: &[Change]) -> String {
    let mut rows = Table::new("Changes", &["when", "who", "by", "collection", "change", "reason"]);
    rows.words = vec![0, 1, 2, 3, 4, 5];
    let row = |change: &Change| {
        let what = Some(change.what.clone()).into_iter().chain(differences(change));
        let texts = [
            time(change.at_s),
            change.actor.clone(),
            change.way.name().to_owned(),
            change.collection.clone(),
            what.collect::<Vec<_>>().join("; "),
            change.reason.clone(),
        ];
        texts.iter().map(|text| Escaped(text.as_bytes()).to_string()).collect()
    };
    rows.rows = changes.iter().map(row).collect();
    table(&rows)
}

/// What differs by a change, a term at a time: `policy: growing -> living`.
fn differences(change: &Change) -> Vec<String> {
    /// Terms that a new collection has unless somebody says something else: whoever wants them asks for JSON.
    const USUAL: [&str; 5] = ["name", "hold_files", "hold_percent", "minds_silence", "reads_device"];

    let Change { was, becomes, .. } = change;
    let is_new = change.what == "added";
    let mut keys: Vec<&String> = was.keys().chain(becomes.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let is_told = |key: &&String| {
        !is_new || !USUAL.contains(&key.as_str()) && becomes.get(*key) != Some(&Value::Bool(false))
    };
    let told = |key: &String| {
        let shown = |of: &Map<String, Value>| of.get(key).map(|value| shown(key, value));
        let name = if key == "period_s" { "every" } else { key.trim_end_matches("_s") };
        match (shown(was), shown(becomes)) {
            (Some(was), Some(is)) => format!("{name}: {was} -> {is}"),
            (Some(was), None) if becomes.is_empty() && change.what == "purged" => format!("{name}: {was}"),
            (Some(was), None) => format!("{name}: {was} -> none"),
            (None, is) => format!("{name}: {}", is.unwrap_or_default()),
        }
    };
    keys.into_iter().filter(is_told).map(told).collect()
}

/// A value of a term for people.
fn shown(key: &str, value: &Value) -> String {
    match (key, value) {
        ("period_s", value) => value.as_i64().map_or_else(String::new, days),
        ("since_s" | "until_s", value) => value.as_i64().map_or_else(String::new, time),
        (_, Value::String(text)) => text.clone(),
        (_, Value::Array(list)) => list.iter().map(|one| shown("", one)).collect::<Vec<_>>().join(" "),
        (_, value) => value.to_string(),
    }
}

/// A change for programs: a line.
pub fn change_json(change: &Change) -> Value {
    data::Change::from(change).value()
}

/// Changes as a table for a spreadsheet: no cell is a formula.
pub fn changes_csv(changes: &[Change]) -> String {
    const HEAD: [&str; 10] =
        ["number", "at", "collection", "actor", "uid", "way", "what", "before", "after", "reason"];
    let mut rows = spreadsheet_row(HEAD);
    for change in changes {
        let json = |object: &Map<String, Value>| Value::Object(object.clone()).to_string();
        let cells = [
            change.number.to_string(),
            utc(change.at_s).unwrap_or_default(),
            change.collection.clone(),
            change.actor.clone(),
            change.uid.map_or_else(String::new, |uid| uid.to_string()),
            change.way.name().to_owned(),
            change.what.clone(),
            json(&change.was),
            json(&change.becomes),
            change.reason.clone(),
        ];
        rows += &spreadsheet_row(cells.iter().map(String::as_str));
    }
    rows
}
