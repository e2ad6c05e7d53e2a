//! Which contents are empty.

use hashlane_digest::{Algorithm, Digest};

use crate::entry::Entry;

/// The digests of no bytes, if empty files are treated apart.
pub(crate) struct Empty(Option<Vec<Digest>>);

impl Empty {
    /// Digests by the number of their algorithm.
    pub(crate) fn new(told_apart: bool, algorithms: &[Algorithm]) -> Self {
        let digests = || algorithms.iter().map(|algorithm| algorithm.digest(b"")).collect();
        Self(told_apart.then(digests))
    }

    /// Whether a content is empty: by its size, or if that is not known by all its digests. Never if nobody
    /// asks.
    pub(crate) fn is(&self, entry: &Entry<'_>) -> bool {
        let Some(digests) = &self.0 else { return false };
        match entry.size {
            Some(size) => size == 0,
            None => {
                let mut own = entry.numbered();
                !entry.digest_bytes.is_empty()
                    && own.all(|(place, digest)| digests[place].as_bytes() == digest)
            }
        }
    }
}
