//! `hashlane status`.

use std::collections::BTreeMap;

use hashlane_catalog::{Catalog, Collection, Late, Standing, State, Total};
use hashlane_report::{Table, table};
use serde_json::{Map, Value, json};

use super::outlook::Outlook;
use super::sentence::{Brief, Progress, not_over};
use super::{
    MOST_LATE, ago, days, failed, late_files, now_s, open, policy, status_of, time, time_json, words,
};
use crate::args::{ListFormat, StatusArgs};
use crate::cache::CacheArgs;
use crate::commands::bench::print;
use crate::status::Status;
use crate::text;

/// How a collection is.
struct Row {
    collection: Collection,
    total: Total,
    unread: u64,
    late: Late,
    /// Nothing of it was ever read, although its promise is over.
    is_never_read: bool,
    oldest_s: Option<i64>,
    progress: Progress,
    standing: Vec<Standing>,
    recovered: u64,
    unlisted: u64,
    last: Option<(i64, String)>,
    outlook: Option<Outlook>,
}

pub(super) fn run(args: &StatusArgs) -> anyhow::Result<Status> {
    let catalog = open(&args.catalog)?;
    let collections = match &args.names[..] {
        [] => catalog.collections().map_err(failed)?,
        names => names
            .iter()
            .map(|name| catalog.collection(name).map_err(failed))
            .collect::<anyhow::Result<Vec<_>>>()?,
    };
    let now_s = now_s();
    let rows = collections
        .into_iter()
        .map(|collection| row(&catalog, collection, &args.cache, now_s))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let text = match args.format {
        ListFormat::Text => shown(&rows, now_s),
        ListFormat::Json => format!("{:#}\n", json(&rows)),
    };
    print(&text)?;
    let mut status = Status::OK;
    if args.check {
        for row in &rows {
            for standing in row.standing.iter().filter(|standing| standing.open > 0) {
                status |= status_of(standing.verdict);
            }
            if row.unlisted > 0 {
                status |= Status::UNREADABLE;
            }
            if row.is_late() {
                status |= Status::LATE;
            }
        }
        // As an audit of all of them ends.
        if rows.iter().any(Row::is_held) {
            let is_judged = rows.iter().any(|row| !row.is_held());
            status |= if is_judged { Status::UNREADABLE } else { Status::NOT_JUDGED };
        }
    }
    Ok(status)
}

fn row(catalog: &Catalog, collection: Collection, cache: &CacheArgs, now_s: i64) -> anyhow::Result<Row> {
    let unread = catalog.total(collection.id, State::Unread).map_err(failed)?.files
        + catalog.total(collection.id, State::Registered).map_err(failed)?.files;
    Ok(Row {
        total: catalog.present(collection.id).map_err(failed)?,
        unread,
        late: catalog.late_within(&collection, now_s, MOST_LATE).map_err(failed)?,
        is_never_read: catalog.was_never_read_in_time(&collection, now_s).map_err(failed)?,
        oldest_s: catalog.oldest_reading(collection.id).map_err(failed)?,
        progress: Progress::of(catalog, &collection)?,
        standing: catalog.standing(collection.id, now_s).map_err(failed)?,
        recovered: catalog.recovered(collection.id).map_err(failed)?,
        unlisted: catalog.unlisted(collection.id).map_err(failed)?,
        last: catalog.last_outcome(collection.id).map_err(failed)?,
        outlook: Outlook::of(catalog, &collection, cache, None, now_s)?,
        collection,
    })
}

impl Row {
    fn open(&self) -> u64 {
        self.standing.iter().map(|standing| standing.open).sum()
    }

    fn acknowledged(&self) -> u64 {
        self.standing.iter().map(|standing| standing.acknowledged).sum()
    }

    fn is_held(&self) -> bool {
        self.last.as_ref().is_some_and(|(_, outcome)| outcome == "held")
    }

    /// Whether a person has to look at it.
    fn needs_a_person(&self) -> bool {
        self.open() > 0 || self.unlisted > 0 || self.is_late() || self.is_held()
    }

    fn is_late(&self) -> bool {
        self.late.files() > 0 || self.is_never_read
    }

    /// In a few words.
    fn state(&self) -> String {
        if self.is_held() {
            return "held".to_owned();
        }
        if let Some(since_s) = self.collection.offline_s {
            return format!("offline since {}", time(since_s));
        }
        if self.is_never_read {
            return "late, never audited".to_owned();
        }
        if self.open() > 0 || self.unlisted > 0 {
            return "attention".to_owned();
        }
        match self.progress {
            Progress::None => "never audited",
            _ if self.late.files() > 0 => "late",
            Progress::Begun => "first audit not over",
            Progress::Over => "ok",
        }
        .to_owned()
    }

    /// What stands against it.
    fn findings(&self) -> String {
        let mut findings: Vec<_> = self
            .standing
            .iter()
            .filter(|standing| standing.open > 0)
            .map(|standing| format!("{} {}", text::count(standing.open), words(standing.verdict)))
            .collect();
        for (number, what) in [
            (self.unlisted, "not listed"),
            (self.acknowledged(), "acknowledged"),
            (self.recovered, "recovered"),
        ] {
            if number > 0 {
                findings.push(format!("{} {what}", text::count(number)));
            }
        }
        if findings.is_empty() { "–".to_owned() } else { findings.join(", ") }
    }
}

fn shown(rows: &[Row], now_s: i64) -> String {
    if rows.is_empty() {
        return "No collection is registered. `hashlane collection add` registers one.\n".to_owned();
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
    for row in rows {
        let terms = &row.collection.terms;
        let oldest = match row.oldest_s {
            _ if row.unread > 0 => format!("{} never read", text::count(row.unread)),
            Some(read_s) => ago(now_s - read_s),
            None => "–".to_owned(),
        };
        shown.rows.push(vec![
            terms.name.clone(),
            row.state(),
            text::count(row.total.files),
            text::decimal(row.total.bytes as f64),
            row.findings(),
            terms.period_s.map_or_else(|| "–".to_owned(), days),
            oldest,
            late_files(row.late),
            row.last.as_ref().map_or_else(|| "–".to_owned(), |(at_s, _)| time(*at_s)),
        ]);
    }
    for row in rows {
        let name = &row.collection.terms.name;
        if row.progress == Progress::Begun {
            let not_over = not_over(row.total, row.unread);
            shown.notes.push(format!("{name}: {not_over}; `hashlane audit {name}` goes on"));
        }
        if let Some(outlook) = row.outlook.as_ref().filter(|outlook| outlook.forecast.late > 0.0) {
            shown.notes.push(format!("{name}: {}", outlook.line()));
        }
    }
    let mut text = table(&shown);
    if let Some(groups) = groups(rows) {
        text += &format!("\n{}", table(&groups));
    }
    text
}

/// What the collections of each group come to, if any is in one.
fn groups(rows: &[Row]) -> Option<Table> {
    let mut groups: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.collection.terms.group.is_empty()) {
        groups.entry(&row.collection.terms.group).or_default().push(row);
    }
    let mut shown =
        Table::new("Groups", &["group", "collections", "files", "bytes", "need a person", "late"]);
    shown.words = vec![0];
    for (group, rows) in &groups {
        let sum = |of: fn(&Row) -> u64| rows.iter().map(|row| of(row)).sum::<u64>();
        shown.rows.push(vec![
            text::name(group.as_bytes()),
            text::count(rows.len() as u64),
            text::count(sum(|row| row.total.files)),
            text::decimal(sum(|row| row.total.bytes) as f64),
            text::count(sum(|row| u64::from(row.needs_a_person()))),
            text::count(sum(|row| row.late.files())),
        ]);
    }
    (!groups.is_empty()).then_some(shown)
}

/// How everything is.
fn sentence(rows: &[Row]) -> String {
    let briefs: Vec<_> = rows
        .iter()
        .map(|row| Brief {
            name: &row.collection.terms.name,
            needs_a_person: row.needs_a_person(),
            is_offline: row.collection.offline_s.is_some(),
            progress: row.progress,
        })
        .collect();
    super::sentence::sentence(&briefs)
}

fn json(rows: &[Row]) -> Value {
    let collections = rows.iter().map(|row| {
        let terms = &row.collection.terms;
        let counts = |of: fn(&Standing) -> u64| -> Map<String, Value> {
            let standing = row.standing.iter().filter(|standing| of(standing) > 0);
            standing.map(|standing| (standing.verdict.name().to_owned(), json!(of(standing)))).collect()
        };
        json!({
            "name": terms.name,
            "group": terms.group,
            "tags": terms.tags,
            "state": row.state(),
            "policy": policy(terms.policy),
            "files": row.total.files,
            "bytes": row.total.bytes,
            "never_read": row.unread,
            "every_s": terms.period_s,
            "oldest_reading": row.oldest_s.map(time_json),
            "late_files": row.late.files(),
            "late_is_exact": matches!(row.late, Late::Exactly(_)),
            "is_late": row.is_late(),
            "findings": counts(|standing| standing.open),
            "acknowledged": counts(|standing| standing.acknowledged),
            "recovered": row.recovered,
            "forecast": row.outlook.as_ref().map(Outlook::json),
            "unlisted": row.unlisted,
            "last_audit": row.last.as_ref().map(|(at_s, _)| time_json(*at_s)),
            "last_outcome": row.last.as_ref().map(|(_, outcome)| outcome),
        })
    });
    json!({ "schema": "hashlane-collection-status", "version": 1, "sentence": sentence(rows), "collections": Value::from_iter(collections) })
}
