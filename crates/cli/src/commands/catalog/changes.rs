//! `hashlane catalog changes`.

use hashlane_catalog::Change;
use hashlane_record::Escaped;
use hashlane_report::{Table, spreadsheet_row, table};
use serde_json::{Map, Value, json};

use super::super::collection::{failed, insert_schema, open_to_read, time, time_json};
use crate::args::{CatalogChangesArgs, RowsFormat};
use crate::commands::bench::print;
use crate::status::Status;
use crate::terminal::screen::Screen;
use crate::text::days;

pub(super) fn run(args: &CatalogChangesArgs) -> anyhow::Result<Status> {
    let catalog = open_to_read(&args.catalog)?;
    let since_s = args.since.map(|since| since.seconds);
    let changes = catalog.changes(args.name.as_deref(), since_s).map_err(failed)?;
    match args.format {
        RowsFormat::Json => {
            print(&changes.iter().map(|change| format!("{}\n", line(change))).collect::<String>())?
        }
        RowsFormat::Csv => print(&csv(&changes))?,
        RowsFormat::Text if changes.is_empty() => Screen::plain().message("nothing was changed"),
        RowsFormat::Text => {
            let mut rows = Table::new("Changes", &["when", "who", "by", "collection", "change", "reason"]);
            rows.words = vec![0, 1, 2, 3, 4, 5];
            rows.rows = changes
                .iter()
                .map(|change| {
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
                })
                .collect();
            print(&table(&rows))?;
        }
    }
    Ok(Status::OK)
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
        ("until_s", value) => value.as_i64().map_or_else(String::new, time),
        (_, Value::String(text)) => text.clone(),
        (_, Value::Array(list)) => list.iter().map(|one| shown("", one)).collect::<Vec<_>>().join(" "),
        (_, value) => value.to_string(),
    }
}

/// A change for programs.
fn line(change: &Change) -> Value {
    let mut object = Map::new();
    insert_schema(&mut object, "hashlane-catalog-change");
    object.insert("number".into(), json!(change.number));
    object.insert("at".into(), time_json(change.at_s));
    object.insert("collection".into(), json!(change.collection));
    object.insert("actor".into(), json!(change.actor));
    object.insert("uid".into(), json!(change.uid));
    object.insert("way".into(), json!(change.way.name()));
    object.insert("what".into(), json!(change.what));
    object.insert("before".into(), for_programs(&change.was));
    object.insert("after".into(), for_programs(&change.becomes));
    object.insert("reason".into(), json!(change.reason));
    Value::Object(object)
}

/// Terms as they are kept, but for times, which programs get as everywhere.
fn for_programs(terms: &Map<String, Value>) -> Value {
    let told = |(key, value): (&String, &Value)| match (&key[..], value.as_i64()) {
        ("until_s", Some(until_s)) => ("until".to_owned(), time_json(until_s)),
        _ => (key.clone(), value.clone()),
    };
    Value::Object(terms.iter().map(told).collect())
}

/// Changes as a table for a spreadsheet: no cell is a formula.
fn csv(changes: &[Change]) -> String {
    const HEAD: [&str; 10] =
        ["number", "at", "collection", "actor", "uid", "way", "what", "before", "after", "reason"];
    let mut rows = spreadsheet_row(HEAD);
    for change in changes {
        let json = |object: &Map<String, Value>| Value::Object(object.clone()).to_string();
        let cells = [
            change.number.to_string(),
            time_json(change.at_s).as_str().unwrap_or_default().to_owned(),
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
