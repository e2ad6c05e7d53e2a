//! The terms of collections, and lists of them.

use hashlane_catalog::{Collection, Terms};
use hashlane_record::Escaped;

use super::root as root_of;
use super::sentence::policies;
use crate::Table;
use crate::terminal::table;
use crate::text::days;
use crate::times::time;

/// The terms of a collection.
pub fn collection_text(collection: &Collection) -> String {
    let Terms { name, group, store, algorithms, period_s, selection, tags, habits, .. } = &collection.terms;
    let mut shown = format!("{name}\n");
    let mut tell = |what: &str, value: &str| {
        if !value.is_empty() {
            shown += &format!("  {what:<12} {value}\n");
        }
    };
    let algorithms: Vec<_> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
    tell("root", &root_of(collection));
    tell("endpoint", &Escaped(store.endpoint.as_deref().unwrap_or_default().as_bytes()).to_string());
    tell("region", store.region.as_deref().unwrap_or_default());
    tell("requests", if store.anonymous { "not signed" } else { "" });
    tell("payer", if store.requester_pays { "whoever asks" } else { "" });
    let escaped = |text: &str| Escaped(text.as_bytes()).to_string();
    tell("group", &escaped(group));
    tell("algorithms", &algorithms.join(", "));
    let is_usual = if habits.is_usual_period { ", the default" } else { "" };
    let promise = period_s.map(|period_s| format!("{}{is_usual}", days(period_s)));
    tell("every", &promise.unwrap_or_else(|| "no promise".to_owned()));
    let from = if habits.reads_device {
        "the device; a reading from the page cache keeps no promise"
    } else {
        "any place"
    };
    tell("read from", if collection.terms.is_in_store() { "" } else { from });
    tell("place", if habits.is_removable { "may be away" } else { "" });
    tell("empty", if habits.may_be_empty { "it may be, when it is first audited" } else { "" });
    tell("policy", &policies(&collection.terms));
    tell("include", &escaped(&selection.include.join(" ")));
    tell("exclude", &escaped(&selection.exclude.join(" ")));
    tell("append-only", &escaped(&selection.append_only.join(" ")));
    tell("file systems", if selection.one_file_system { "that of the root only" } else { "" });
    tell("tags", &escaped(&tags.join(", ")));
    tell("marker", collection.marker.as_deref().unwrap_or_default());
    tell("held if", &held_if(&collection.terms));
    tell("registered", &time(collection.created_s));
    tell("last listed", &collection.listed_s.map_or_else(|| "never".to_owned(), time));
    tell(
        "offline",
        &collection.offline_s.map_or_else(String::new, |since_s| format!("since {}", time(since_s))),
    );
    shown
}

/// When an audit of a collection is held.
pub(super) fn held_if(Terms { hold_if, habits, .. }: &Terms) -> String {
    match habits.says_hold_percent {
        true => format!("more than {} files and {} % are lost or changed", hold_if.files, hold_if.percent),
        false => format!(
            "more than {} files and {} % are lost, or as many files and 10 % have changed, or as many and 50 % were edited",
            hold_if.files, hold_if.percent
        ),
    }
}

/// Collections as a table.
pub fn collections_text(collections: &[Collection]) -> String {
    let mut rows = Table::new("Collections", &["name", "root", "every", "policy", "algorithms"]);
    rows.words = vec![0, 1, 3, 4];
    for collection in collections {
        let terms = &collection.terms;
        let algorithms: Vec<_> = terms.algorithms.iter().map(|algorithm| algorithm.name()).collect();
        rows.rows.push(vec![
            terms.name.clone(),
            root_of(collection),
            terms.period_s.map_or_else(|| "–".to_owned(), days),
            policies(terms),
            algorithms.join(", "),
        ]);
    }
    table(&rows)
}

/// Collections that were removed, as a table, each with when that was, in seconds since 1970.
pub fn removed_text(collections: &[(Collection, i64)]) -> String {
    let mut rows = Table::new("Removed collections", &["name", "root", "removed"]);
    rows.words = vec![0, 1, 2];
    for (collection, removed_s) in collections {
        rows.rows.push(vec![collection.terms.name.clone(), root_of(collection), time(*removed_s)]);
    }
    table(&rows)
}
