//! `hashlane history`.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_catalog::{Collection, Item, Reader};
use hashlane_keeper::{History, below, plain};
use hashlane_record::unescaped;
use hashlane_report::collection::{history_json, history_text};
use hashlane_report::text;

use super::places::{below_prefix, left_out, place_to_look_at, refuse_empty};
use super::{failed, open_to_read};
use crate::args::{HistoryArgs, ListFormat};
use crate::commands::bench::print;
use crate::status::{Ended, Status};

pub(super) fn run(args: &HistoryArgs) -> anyhow::Result<Status> {
    refuse_empty(&args.file)?;
    let catalog = open_to_read(&args.catalog)?;
    let found = find(&catalog, &args.file)?;
    if found.is_empty() {
        let name = text::name(args.file.as_bytes());
        return Err(Ended::usage(format!("{name}: {}", unknown(&catalog, &args.file)?)));
    }
    let mut text = String::new();
    for (collection, path, item) in found {
        let history = History::of(&catalog, collection, path, item).map_err(failed)?;
        text += &match args.format {
            ListFormat::Text => history_text(&history),
            ListFormat::Json => format!("{:#}\n", history_json(&history)),
        };
    }
    print(&text)?;
    Ok(Status::OK)
}

/// The items that a name means: those of all collections whose tree it lies in, or that of NAME:PATH.
fn find(catalog: &Reader, file: &OsStr) -> anyhow::Result<Vec<(Collection, Vec<u8>, Item)>> {
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
fn meant(catalog: &Reader, file: &OsStr) -> anyhow::Result<Vec<(Collection, Vec<u8>)>> {
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
fn unknown(catalog: &Reader, file: &OsStr) -> anyhow::Result<String> {
    let mut meant = meant(catalog, file)?;
    meant.sort_by_key(|(collection, _)| Reverse(collection.terms.root.components().count()));
    let (mut is_directory, mut not_read_yet, mut left_out_of) = (false, None, None);
    for (collection, path) in meant {
        if collection.terms.is_in_store() {
            let path = path.strip_suffix(b"/").unwrap_or(&path);
            is_directory |= path.is_empty() || catalog.has_directory(collection.id, path).map_err(failed)?;
            let place = place_to_look_at(catalog, &collection)?;
            if !is_directory && matches!(place.ground.facts(path), Ok(Some(_))) {
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
