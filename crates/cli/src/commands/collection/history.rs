//! `hashlane history`.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_catalog::{Catalog, Collection, Finding, Item, State, Verdict};
use hashlane_keeper::{below, plain};
use hashlane_record::unescaped;
use serde_json::{Value, json};

use super::attested::{insert_said, said_json, said_line};
use super::by::{by_json, evidence};
use super::ground::place_to_look_at;
use super::line::{insert_schema, lines, object};
use super::places::{below_prefix, left_out, refuse_empty};
use super::{exact_time, failed, open_to_read, time_json};
use crate::args::{HistoryArgs, ListFormat};
use crate::commands::bench::print;
use crate::imports;
use crate::report::{content, digests_json, insert_name};
use crate::sentence::from;
use crate::status::{Ended, Status};
use crate::text;

pub(super) fn run(args: &HistoryArgs) -> anyhow::Result<Status> {
    refuse_empty(&args.file)?;
    let catalog = open_to_read(&args.catalog)?;
    let found = find(&catalog, &args.file)?;
    if found.is_empty() {
        let name = text::name(args.file.as_bytes());
        return Err(Ended::usage(format!("{name}: {}", unknown(&catalog, &args.file)?)));
    }
    let mut text = String::new();
    for (collection, path, item) in &found {
        text += &match args.format {
            ListFormat::Text => shown(&catalog, collection, path, item)?,
            ListFormat::Json => format!("{:#}\n", history_json(&catalog, collection, path, item)?),
        };
    }
    print(&text)?;
    Ok(Status::OK)
}

/// The items that a name means: those of all collections whose tree it lies in, or that of NAME:PATH.
fn find(catalog: &Catalog, file: &OsStr) -> anyhow::Result<Vec<(Collection, Vec<u8>, Item)>> {
    let mut found = Vec::new();
    for (collection, path) in meant(catalog, file)? {
        // As it is, and as hashlane prints it.
        // Dots and double slashes are letters of a key.
        let written = match collection.terms.is_in_store() {
            true => Some(path.clone()),
            false => plain(Path::new(OsStr::from_bytes(&path))),
        };
        for path in [written, unescaped(&path)].into_iter().flatten() {
            if let Some(item) = catalog.item_at(&collection, &path).map_err(failed)? {
                found.push((collection, path, item));
                break;
            }
        }
    }
    Ok(found)
}

/// Where a name may lie: in which collection, and at which path below its root.
fn meant(catalog: &Catalog, file: &OsStr) -> anyhow::Result<Vec<(Collection, Vec<u8>)>> {
    let absolute = std::path::absolute(Path::new(file)).unwrap_or_else(|_| file.into());
    let mut meant = Vec::new();
    for collection in catalog.collections().map_err(failed)? {
        let prefix = format!("{}:", collection.terms.name);
        // Of a name that is a collection's, what it says; then what lies there.
        let named = file.as_bytes().strip_prefix(prefix.as_bytes()).map(<[u8]>::to_vec);
        let below = match collection.terms.is_in_store() {
            true => below_prefix(&collection.terms.root, file.as_bytes()).map(<[u8]>::to_vec),
            false => below(&collection.terms.root, &absolute),
        };
        meant.extend([named, below].into_iter().flatten().map(|path| (collection.clone(), path)));
    }
    Ok(meant)
}

/// Why nothing is known of what a name means, and what to do. Collections may lie in each other: the innermost one that would read the file
/// is named, and that it is left out is said only where all of them leave it out.
fn unknown(catalog: &Catalog, file: &OsStr) -> anyhow::Result<String> {
    let mut meant = meant(catalog, file)?;
    meant.sort_by_key(|(collection, _)| Reverse(collection.terms.root.components().count()));
    let (mut is_directory, mut not_read_yet, mut left_out_of) = (false, None, None);
    for (collection, path) in meant {
        if collection.terms.is_in_store() {
            let path = path.strip_suffix(b"/").unwrap_or(&path);
            is_directory |= path.is_empty() || catalog.has_directory(collection.id, path).map_err(failed)?;
            let place = place_to_look_at(catalog, &collection)?;
            if !is_directory && matches!(place.ground().facts(path), Ok(Some(_))) {
                not_read_yet = not_read_yet.or(Some(collection.terms.name));
            }
            continue;
        }
        let Some(path) = plain(Path::new(OsStr::from_bytes(&path))) else { continue };
        is_directory |= path.is_empty() || catalog.has_directory(collection.id, &path).map_err(failed)?;
        if collection.terms.root.join(OsStr::from_bytes(&path)).symlink_metadata().is_ok() {
            match left_out(catalog, &collection, &path)? {
                Some(why) => left_out_of = left_out_of.or(Some(why)),
                None => not_read_yet = not_read_yet.or(Some(collection.terms.name)),
            }
        }
    }
    Ok(match (is_directory, not_read_yet, left_out_of) {
        (true, _, _) => "is a directory; name a file in it".to_owned(),
        (_, Some(name), _) => format!("is not known yet; `hashlane audit {name}` reads it"),
        (_, None, Some(why)) => why,
        (_, None, None) => "no collection knows this file".to_owned(),
    })
}

fn shown(catalog: &Catalog, collection: &Collection, path: &[u8], item: &Item) -> anyhow::Result<String> {
    let name = &collection.terms.name;
    let mut shown = format!("{name}: {}\n", text::name(path));
    let finding = catalog.finding(collection, item.id).map_err(failed)?;
    let mut tell = |line: String| shown += &format!("  {line}\n");
    // That is how it was when its tree was last listed.
    let offline = collection
        .offline_s
        .map_or_else(String::new, |since_s| format!("; {name} is offline since {}", exact_time(since_s)));
    tell(format!("state           {}{offline}", state(item, finding.as_ref())));
    if let Some(size) = item.content.size {
        tell(format!("size            {}", text::counted(size, "byte")));
    }
    if let Some(modified) = item.content.modified {
        tell(format!("modified        {}", exact_time(modified.seconds)));
    }
    for digest in &item.content.digests {
        tell(format!("{:<15} {digest}", digest.algorithm().name()));
    }
    match catalog.last_reading(collection, item.id).map_err(failed)? {
        Some((at_s, reading)) => {
            let by = catalog.last_read_by(collection, item.id).map_err(failed)?;
            tell(format!("last read good  {}, {}", exact_time(at_s), from(reading)));
            if let Some(by) = by {
                tell(format!("read by         {}", evidence(&by)));
            }
        }
        // What is gone is not read, and when it was is in its events.
        None if item.state == State::Retired => {}
        None => tell("last read good  not yet, as the file that is here now".to_owned()),
    }
    let runs = catalog.runs(collection.id).map_err(failed)?;
    let when = |run| runs.get(&run).map_or_else(String::new, |run| exact_time(run.started_s));
    for version in catalog.versions(collection, item.id).map_err(failed)? {
        let digests: Vec<_> = version.digests.iter().map(ToString::to_string).collect();
        tell(format!(
            "version         {} to {}: {}",
            when(version.run),
            when(version.until),
            digests.join(" ")
        ));
    }
    if !item.content.digests.is_empty() {
        tell(format!("version         since {}", when(item.run)));
    }
    let imports = catalog.imports_since_known(collection, item).map_err(failed)?;
    let mut imports = imports.iter().peekable();
    for event in catalog.events(item.id).map_err(failed)? {
        while let Some((import, has)) = imports.next_if(|(import, _)| import.at_s <= event.at_s) {
            tell(imports::line(import, *has));
        }
        let mut line = format!(
            "{:<15} {} by {}",
            event.what.replace('-', " "),
            exact_time(event.at_s),
            text::name(event.actor.as_bytes())
        );
        if let Some(other) = &event.other {
            line += &format!(", {}", text::name(other));
        }
        for more in [&event.reason, &event.detail] {
            if !more.is_empty() {
                line += &format!(": {}", text::name(more.as_bytes()));
            }
        }
        tell(line);
    }
    imports.for_each(|(import, has)| tell(imports::line(import, *has)));
    for said in catalog.said_of(collection.id, item.id).map_err(failed)? {
        tell(format!("evidence        {}", said_line(&said)));
    }
    if let Some(finding) = finding {
        match finding.cleared_s {
            Some(cleared_s) => tell(format!("recovered       {}", exact_time(cleared_s))),
            None => shown += &lines(name, path, finding.verdict, &finding.seen, &item.content),
        }
    }
    Ok(shown)
}

/// What a known file is, in words: what stands against it says more than what was recorded.
fn state(item: &Item, finding: Option<&Finding>) -> &'static str {
    let stands = finding.filter(|finding| finding.cleared_s.is_none());
    stands.and_then(|finding| state_by(finding.verdict)).unwrap_or(match item.state {
        State::Registered => "registered, not yet verified",
        State::Retired => "retired",
        State::Unsettled => "present; it was changed just before it was recorded",
        State::Unaccepted => "present, not accepted",
        State::Unread => "listed, not yet read",
        State::Ignored => "left out by a filter",
        _ => "present",
    })
}

/// What a file is against which something stands, in words; nothing where what was recorded says as much.
fn state_by(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Missing => Some("missing"),
        Verdict::MovedAway => Some("gone; its content is there under a new name"),
        Verdict::Corrupt => Some("present, but corrupt"),
        Verdict::Collision => Some("present, but a digest is as known, and another one or the size is not"),
        Verdict::Changed => Some("present, but changed"),
        Verdict::Touched => Some("present, with another modification time"),
        Verdict::Unreadable => Some("present, but it could not be read"),
        Verdict::Unstable => Some("present, but it changed while it was read"),
        Verdict::UnstableMedium => Some("present, but it is read differently each time"),
        Verdict::Suspect => Some("present, but one reading differed, and no other one says yet what it is"),
        Verdict::Contradicted => Some("present; a provider says that its content is another one"),
        Verdict::Misread => Some("present; one reading differed, later ones did not"),
        _ => None,
    }
}

fn history_json(
    catalog: &Catalog,
    collection: &Collection,
    path: &[u8],
    item: &Item,
) -> anyhow::Result<Value> {
    let runs = catalog.runs(collection.id).map_err(failed)?;
    let when = |run| runs.get(&run).map(|run| time_json(run.started_s));
    let versions: Vec<_> = catalog
        .versions(collection, item.id)
        .map_err(failed)?
        .iter()
        .map(|version| {
            json!({ "since": when(version.run), "until": when(version.until), "size_bytes": version.size,
                "digests": digests_json(&version.digests) })
        })
        .collect();
    let events: Vec<_> = catalog
        .events(item.id)
        .map_err(failed)?
        .iter()
        .map(|event| {
            let mut object = json!({ "what": event.what, "actor": event.actor, "reason": event.reason,
                "detail": event.detail, "at": time_json(event.at_s) });
            if let (Some(other), Some(object)) = (&event.other, object.as_object_mut()) {
                insert_name(object, "other", other);
            }
            object
        })
        .collect();
    let last = catalog.last_reading(collection, item.id).map_err(failed)?;
    let by = catalog.last_read_by(collection, item.id).map_err(failed)?;
    let finding = catalog.finding(collection, item.id).map_err(failed)?;
    let mut object_of = serde_json::Map::new();
    insert_schema(&mut object_of, "hashlane-collection-history");
    insert_name(&mut object_of, "path", path);
    object_of.insert("collection".into(), json!(collection.terms.name));
    object_of.insert("state".into(), json!(state(item, finding.as_ref())));
    object_of.insert("offline_since".into(), json!(collection.offline_s.map(time_json)));
    object_of.insert("known".into(), content(&item.content));
    object_of.insert("since".into(), json!(when(item.run)));
    object_of.insert(
        "last_read_good".into(),
        json!(last.map(|(at_s, reading)| json!({ "at": time_json(at_s), "from": reading.name() }))),
    );
    object_of.insert("read_by".into(), json!(by.as_ref().map(by_json)));
    object_of.insert("versions".into(), json!(versions));
    object_of.insert("events".into(), json!(events));
    let imports = catalog.imports_since_known(collection, item).map_err(failed)?;
    let imports = imports.iter().map(|(import, has_registered)| {
        let mut object = imports::object(import);
        object.insert("registered_this".into(), json!(has_registered));
        Value::Object(object)
    });
    object_of.insert("imports".into(), imports.collect());
    let said = catalog.said_of(collection.id, item.id).map_err(failed)?;
    object_of.insert("evidence".into(), said.iter().map(said_json).collect());
    let finding = finding.filter(|finding| finding.cleared_s.is_none());
    let contradiction = match &finding {
        Some(finding) if finding.verdict == Verdict::Contradicted => {
            catalog.contradiction(collection.id, item.id).map_err(failed)?
        }
        _ => None,
    };
    let finding = finding.map(|finding| {
        let mut object = object(path, finding.verdict, &finding.seen, &item.content);
        insert_said(&mut object, contradiction.as_ref(), &item.content);
        object
    });
    object_of.insert("finding".into(), json!(finding));
    Ok(Value::Object(object_of))
}
