//! When a run is held: something is wrong with the collection as a whole, and what looks missing is not.

use std::collections::{BTreeMap, HashMap};

use hashlane_catalog::{Collection, Item, Reader, Result, State};
use hashlane_engine::{DirectoryState, SeenRoot};

use crate::breaker::Limits;
use crate::ground::Ground;
use crate::held::{Alarm, Held};
use crate::listing::Found;

/// A directory that has lost this many files, and is empty, was emptied or is no longer mounted.
const CROWD: u64 = 10;

/// What the root shows before it is listed.
pub(crate) fn by_place(
    catalog: &Reader,
    collection: &Collection,
    ground: &Ground<'_>,
    root: &SeenRoot,
) -> Result<Option<Held>> {
    let seen = collection.seen_root.as_ref();
    match &collection.marker {
        // It says more of the root than where that lies, and nothing of what is mounted in it.
        Some(marker) if ground.marker().as_ref() != Some(marker) => return Ok(Some(Held::NoMarker)),
        Some(_) => {}
        None => {
            let other =
                seen.filter(|seen| (&seen.file_system, seen.inode) != (&root.file_system, root.inode));
            if let Some(other) = other {
                let same_file_system = other.file_system == root.file_system;
                return Ok(Some(Held::OtherRoot { same_file_system }));
            }
        }
    }
    let Some(seen) = seen else { return Ok(None) };
    // What lies on another file system may be no part of it.
    let spans = !collection.terms.selection.one_file_system;
    if let Some((path, _)) = seen.mounts.iter().find(|mount| spans && !root.mounts.contains(mount)) {
        return Ok(Some(Held::NotMounted { path: path.clone() }));
    }
    for (path, _) in root.mounts.iter().filter(|mount| !seen.mounts.contains(mount)) {
        let hides = |item: &Item| !matches!(item.state, State::Retired | State::Ignored);
        if catalog.has_files_below(collection.id, path)?
            || catalog.item_at(collection, path)?.as_ref().is_some_and(hides)
        {
            return Ok(Some(Held::NewlyMounted { path: path.clone() }));
        }
    }
    Ok(None)
}

/// A directory that is there and empty, and that many files were in or below. Those that are found again under other names were not lost.
fn emptied(catalog: &Reader, ground: &Ground<'_>, found: &Found) -> Result<Option<Held>> {
    let mut states: HashMap<Vec<u8>, DirectoryState> = HashMap::new();
    let mut lost: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for segment in found.gone.by_segment()? {
        let files = segment.files.saturating_sub(found.renamed_in(segment));
        if files == 0 {
            continue;
        }
        let mut path = catalog.directory_of(segment.first)?;
        // Directories that went with their files were in one that is still there.
        while !path.is_empty() {
            let state = *states.entry(path.clone()).or_insert_with(|| ground.directory(&path));
            match state {
                DirectoryState::Gone => {
                    path.truncate(path.iter().rposition(|&byte| byte == b'/').unwrap_or(0))
                }
                DirectoryState::Empty => {
                    *lost.entry(path).or_default() += files;
                    break;
                }
                DirectoryState::There => break,
            }
        }
    }
    let emptied = lost.into_iter().find(|(_, known)| *known >= CROWD);
    Ok(emptied.map(|(path, known)| Held::EmptyDirectory { path, known }))
}

/// Whether the root is where something was mounted, and nothing is: another directory than the one that was audited, and empty.
pub(crate) fn is_unmounted(collection: &Collection, ground: &Ground<'_>, root: &SeenRoot) -> bool {
    let seen = collection.seen_root.as_ref().filter(|_| !collection.terms.is_in_store());
    seen.is_some_and(|seen| (&seen.file_system, seen.inode) != (&root.file_system, root.inode))
        && ground.directory(b"") == DirectoryState::Empty
}

/// Whether no file is there, of those that are known and not said to be missing.
pub(crate) fn is_emptied(found: &Found) -> bool {
    let listing = &found.listing;
    listing.files == 0 && listing.gone > listing.said && listing.unlisted == 0
}

/// What the listing shows before a byte is read.
pub(crate) fn by_listing(
    catalog: &Reader,
    collection: &Collection,
    ground: &Ground<'_>,
    found: &Found,
) -> Result<Option<Held>> {
    let listing = &found.listing;
    let known_and_gone = listing.gone - listing.said;
    if known_and_gone >= CROWD
        && let Some(held) = emptied(catalog, ground, found)?
    {
        return Ok(Some(held));
    }
    let missing = known_and_gone.saturating_sub(listing.renamed_since);
    Ok(Limits::of(collection, listing.files, 0).exceeded(Alarm::of_missing(missing)))
}

/// Whether many more files are gone than were when somebody let a held run go on. `before`: how many were gone then and not renamed.
pub(crate) fn since(collection: &Collection, before: u64, found: &Found) -> Option<Held> {
    let listing = &found.listing;
    let missing = listing.gone.saturating_sub(listing.renamed);
    Limits::of(collection, listing.files, before).exceeded(Alarm::of_missing(missing))
}
