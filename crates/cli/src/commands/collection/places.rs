//! What a path on the command line means in a collection, in words.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use hashlane_catalog::{Collection, Reader};
use hashlane_keeper::{PathError, Place, meant};
use hashlane_report::collection::unread_words;
use hashlane_report::text;

use super::failed;
use crate::hints::{no_place, store_told};
use crate::how::how_to;
use crate::output::shown;
use crate::status::{Ended, unreadable, usage};

/// A path below the root of a collection as it is kept.
pub(super) fn inside(catalog: &Reader, collection: &Collection, path: &OsStr) -> anyhow::Result<Vec<u8>> {
    let (collection_name, root) = (&collection.terms.name, &collection.terms.root);
    let name = text::name(path.as_bytes());
    meant(catalog, collection, path, store_told).map_err(|error| match error {
        PathError::Outside { is_of_here } => {
            // The whole collection is a lot to mean by accident.
            let why = if is_of_here {
                "begins with a dot, so it is meant from the current directory, and "
            } else {
                ""
            };
            usage!("{name}: {why}does not lie below {}", shown(root))
        }
        PathError::Unknown => usage!(
            "{name}: nothing is known at or below this path in {collection_name}, and nothing lies there"
        ),
        PathError::Unread(why) => usage!("{name}: {}", unread_words(collection, &why, &how_to)),
        error => meaningless(&name, error),
    })
}

/// Why a path means nothing in any collection.
pub(super) fn meaningless(name: &str, error: PathError) -> anyhow::Error {
    match error {
        PathError::Catalog(error) => failed(error),
        PathError::Place(error) => no_place(name, error),
        PathError::Store(error) => unreadable!("{name}: {}", text::system(&error)),
        error => Ended::usage(error),
    }
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
