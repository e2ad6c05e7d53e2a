//! Where the files of a collection are, for those who look at them.

use hashlane_catalog::{Collection, Reader};
use hashlane_keeper::Place;

use crate::objects::{WORDS, no_place};

/// The place of a collection, where files are looked at and not read. Nothing is asked of a store yet.
///
/// # Errors
/// Its globs are malformed, or its store is not reached as is asked for.
pub(super) fn place_to_look_at(catalog: &Reader, collection: &Collection) -> anyhow::Result<Place> {
    Place::to_look_at(catalog, collection, WORDS).map_err(|error| no_place(&collection.terms.name, error))
}
