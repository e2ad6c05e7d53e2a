//! `hashlane catalog changes`.

use hashlane_catalog::Change;
use hashlane_record::Escaped;
use hashlane_report::{Table, table};
use serde_json::{Map, Value, json};

use super::super::collection::{failed, insert_schema, open_to_read, time, time_json};
use crate::args::{CatalogChangesArgs, RowsFormat};
use crate::commands::bench::print;
use crate::status::Status;
use crate::terminal::screen::Screen;

pub(super) fn run(args: &CatalogChangesArgs) -> anyhow::Result<Status> {
    let catalog = open_to_read(&args.catalog)?;
    let since_s = args.since.map(|since| since.seconds);
    let changes = catalog.changes(args.name.as_deref(), since_s).map_err(failed)?;
    match args.format {
        RowsFormat::Json => {
            print(&changes.iter().map(|change| format!("{}\n", line(change))).collect::<String>())?
        }
        RowsFormat::Csv => print(&csv(&changes)?)?,
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
    let Change { was, becomes, .. } = change;
    let shown = |value: &Value| match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let mut keys: Vec<&String> = was.keys().chain(becomes.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let told = |key: &String| match (was.get(key).map(shown), becomes.get(key).map(shown)) {
        (Some(was), Some(is)) => format!("{key}: {was} -> {is}"),
        (Some(was), None) if becomes.is_empty() && change.what == "purged" => format!("{key}: {was}"),
        (Some(was), None) => format!("{key}: {was} -> none"),
        (None, is) => format!("{key}: {}", is.unwrap_or_default()),
    };
    keys.into_iter().map(told).collect()
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
    object.insert("before".into(), Value::Object(change.was.clone()));
    object.insert("after".into(), Value::Object(change.becomes.clone()));
    object.insert("reason".into(), json!(change.reason));
    Value::Object(object)
}

fn csv(changes: &[Change]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "number",
        "at",
        "collection",
        "actor",
        "uid",
        "way",
        "what",
        "before",
        "after",
        "reason",
    ])?;
    for change in changes {
        let at = time_json(change.at_s).as_str().unwrap_or_default().to_owned();
        let json = |object: &Map<String, Value>| Value::Object(object.clone()).to_string();
        writer.write_record([
            change.number.to_string(),
            at,
            change.collection.clone(),
            change.actor.clone(),
            change.uid.map_or_else(String::new, |uid| uid.to_string()),
            change.way.name().to_owned(),
            change.what.clone(),
            json(&change.was),
            json(&change.becomes),
            change.reason.clone(),
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
