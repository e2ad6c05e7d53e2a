//! Where the files of a collection are, for those who look at them and those who read them.

use hashlane_catalog::{Catalog, Collection};
use hashlane_engine::Options;
use hashlane_keeper::Place;

use crate::objects::{WORDS, no_place};

/// The place of a collection, and how what lies there is read. Nothing is asked of a store yet.
///
/// # Errors
/// Its globs are malformed, or its store is not reached as is asked for.
pub(super) fn place(catalog: &Catalog, collection: &Collection, options: Options) -> anyhow::Result<Place> {
    Place::of(catalog, collection, options, WORDS).map_err(|error| no_place(&collection.terms.name, error))
}

/// The same, where files are looked at and not read.
pub(super) fn place_to_look_at(catalog: &Catalog, collection: &Collection) -> anyhow::Result<Place> {
    Place::to_look_at(catalog, collection, WORDS).map_err(|error| no_place(&collection.terms.name, error))
}
