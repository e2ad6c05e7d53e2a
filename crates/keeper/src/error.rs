//! Why a place is none.

use hashlane_engine::FilterError;
use hashlane_objects::NameError;
use hashlane_record::shown_name;

/// Why the files of a collection cannot be looked for where they are said to be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A glob of the collection is malformed.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// Readings of the medium were asked for, and the files are objects.
    #[error("nothing shows which medium an object lies on")]
    NoMedium,
    /// The name of a prefix is none.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A web server was named.
    #[error("a web server does not list what it has, so it cannot be a collection")]
    NoListing,
    /// The name of a prefix ends with more than one slash.
    #[error("ends with several slashes; name a prefix that ends with one")]
    Slashes,
    /// What was named is an object.
    #[error(
        "{}: is an object, and a collection is all that lies below a prefix; name the one above it",
        shown_name(.0.as_bytes())
    )]
    IsObject(String),
    /// The store is not reached as was asked for.
    #[error(transparent)]
    Unreached(hashlane_objects::Error),
    /// There is nothing below a prefix, or the store does not say.
    #[error("{prefix}: {source}")]
    Nothing {
        /// The name of the prefix, without a slash at its end.
        prefix: String,
        /// What the store said.
        source: hashlane_objects::Error,
    },
}
