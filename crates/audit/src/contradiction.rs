//! Records of one file that cannot both be true.

use hashlane_digest::Digest;

use crate::entry::Entry;
use crate::error::Error;

/// Whether digests of one record are those of two contents.
pub(crate) fn contradiction_within(digests: &[Digest]) -> Result<(), Error> {
    for (place, digest) in digests.iter().enumerate() {
        let algorithm = digest.algorithm();
        let mut before = digests[..place].iter();
        if before.any(|other| other.algorithm() == algorithm && other != digest) {
            return Err(Error::OtherDigest { algorithm });
        }
    }
    Ok(())
}

/// Whether a size in bytes and digests by number are those of a content other than a stored one.
pub(crate) fn contradiction<'a>(
    entry: &Entry<'_>,
    size: Option<u64>,
    digests: impl Iterator<Item = (usize, &'a [u8])>,
) -> Result<(), Error> {
    for (place, digest) in digests {
        if entry.digest(place).is_some_and(|own| own != digest) {
            return Err(Error::OtherDigest { algorithm: entry.algorithm(place) });
        }
    }
    match (entry.size, size) {
        (Some(known), Some(given)) if known != given => Err(Error::OtherSize { known, given }),
        _ => Ok(()),
    }
}
