//! What a path on the command line means in a collection, in words.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use hashlane_catalog::{Collection, Reader};
use hashlane_keeper::{PathError, Place, Unread, meant, unread};
use hashlane_report::text;

pub(super) use hashlane_keeper::below_prefix;

use super::failed;
use crate::hints::{no_place, store_told};
use crate::output::shown;
use crate::status::Ended;

/// A path below the root of a collection as it is kept.
pub(super) fn inside(catalog: &Reader, collection: &Collection, path: &OsStr) -> anyhow::Result<Vec<u8>> {
    let (collection_name, root) = (&collection.terms.name, &collection.terms.root);
    let name = text::name(path.as_bytes());
    meant(catalog, collection, path, store_told).map_err(|error| match error {
        PathError::Catalog(error) => failed(error),
        PathError::Place(error) => no_place(collection_name, error),
        PathError::Store(error) => Ended::unreadable(format!("{name}: {}", text::system(&error))),
        PathError::Outside { is_of_here } => {
            // The whole collection is a lot to mean by accident.
            let why = if is_of_here {
                "begins with a dot, so it is meant from the current directory, and "
            } else {
                ""
            };
            Ended::usage(format!("{name}: {why}does not lie below {}", shown(root)))
        }
        PathError::Unknown => Ended::usage(format!(
            "{name}: nothing is known at or below this path in {collection_name}, and nothing lies there"
        )),
        PathError::Unread(why) => Ended::usage(format!("{name}: {}", words(collection, &why))),
        error => Ended::usage(error),
    })
}

/// The place of a collection, where files are looked at and not read. Nothing is asked of a store yet.
///
/// # Errors
/// Its globs are malformed, or its store is not reached as is asked for.
pub(super) fn place_to_look_at(catalog: &Reader, collection: &Collection) -> anyhow::Result<Place> {
    Place::to_look_at(catalog, collection, store_told)
        .map_err(|error| no_place(&collection.terms.name, error))
}

/// Refuses an empty path, as a variable leaves it that is not set: it names nothing, least of all everything.
pub(super) fn refuse_empty(path: &OsStr) -> anyhow::Result<()> {
    if path.is_empty() { Err(Ended::usage(PathError::Empty)) } else { Ok(()) }
}

/// Why an audit would read nothing of what lies at a path, and what to name instead; nothing if it would read something.
pub(super) fn left_out(
    catalog: &Reader,
    collection: &Collection,
    path: &[u8],
) -> anyhow::Result<Option<String>> {
    let why = unread(catalog, collection, path).map_err(Ended::usage)?;
    Ok(why.map(|why| words(collection, &why)))
}

fn words(collection: &Collection, why: &Unread) -> String {
    let (name, root) = (&collection.terms.name, &collection.terms.root);
    let filters = format!("`hashlane collection show {name}` shows its filters");
    match why {
        Unread::Link { behind, target } => {
            let which = match behind {
                None => "is a symbolic link".to_owned(),
                Some(link) => format!("lies behind the symbolic link {}", text::name(link)),
            };
            let instead = match target.as_ref().map(|target| target.strip_prefix(root)) {
                None => "it leads nowhere".to_owned(),
                Some(Ok(below)) => format!("name {} instead", text::name(below.as_os_str().as_bytes())),
                Some(Err(_)) => format!("it leads out of {}", shown(root)),
            };
            format!("{which}, which is not followed; {instead}")
        }
        Unread::Empty => format!("no file of {name} lies in this directory; {filters}"),
        Unread::Other(what) => format!("is {what}; only files and directories are audited"),
        _ => format!("is left out of {name}; {filters}"),
    }
}
