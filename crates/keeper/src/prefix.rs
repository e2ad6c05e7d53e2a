//! What the names of objects and prefixes say by themselves, and whether a collection can be below one.

use std::path::PathBuf;

use hashlane_engine::Tree as _;
use hashlane_objects::{Location, Objects, Service};

use crate::error::Error;

/// Whether two names lie in stores of the same kind, or neither lies in one.
pub fn lie_in_one_service(one: &[u8], other: &[u8]) -> bool {
    Service::of(one) == Service::of(other)
}

/// The prefix that a collection is to be below, without a slash at its end. There is something below it.
///
/// # Errors
/// The name is none of a prefix, or there is nothing below it, or the store refuses or cannot be reached.
pub fn prefix(
    name: &[u8],
    reach: impl FnOnce() -> Result<Objects, hashlane_objects::Error>,
) -> Result<PathBuf, Error> {
    let location = Location::parse(name)?;
    if location.service == Service::Web {
        return Err(Error::NoListing);
    }
    let key = location.key.strip_suffix('/').unwrap_or(&location.key).to_owned();
    if key.ends_with('/') {
        return Err(Error::Slashes);
    }
    let root = Location { key, ..location }.to_string();
    let root = root.trim_end_matches('/');
    let objects = reach().map_err(Error::Unreached)?;
    let source = match objects.probe(format!("{root}/").as_bytes()) {
        Ok(()) => return Ok(root.into()),
        Err(error) => error,
    };
    let is_object = matches!(source, hashlane_objects::Error::Nothing)
        && matches!(objects.facts(root.as_bytes()), Ok(Some(_)));
    Err(match is_object {
        true => Error::IsObject(root.to_owned()),
        false => Error::Nothing { prefix: root.to_owned(), source },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_services_apart() {
        assert!(lie_in_one_service(b"s3://a", b"s3://b/c") && !lie_in_one_service(b"s3://a", b"gs://a"));
        assert!(lie_in_one_service(b"/a", b"b") && !lie_in_one_service(b"/a", b"s3://a"));
    }

    #[test]
    fn what_cannot_be_a_prefix_is_refused_before_a_store_is_reached() {
        let refused = |name: &[u8]| prefix(name, || unreachable!("nothing is asked")).expect_err("no prefix");
        assert!(matches!(refused(b"s3://no bucket/a"), Error::Name(_)));
        assert!(matches!(refused(b"https://example.org/a"), Error::NoListing));
        assert!(matches!(refused(b"s3://bucket/a//"), Error::Slashes));
    }
}
