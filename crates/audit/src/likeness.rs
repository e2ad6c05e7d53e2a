//! How alike two contents are, as far as digests and sizes tell.

use crate::entry::Entry;

/// How alike two contents are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// Every shared digest is equal, there is one at least, and sizes do not differ.
    Same,
    /// A shared digest is equal, but another one or the size differs.
    Collision,
    /// Every shared digest differs, or none is shared and the sizes differ.
    Different,
    /// The sizes are equal, and no digest is shared.
    SameSize,
    /// There is nothing to compare.
    Unknown,
}

impl Likeness {
    /// Compares a stored content with a size in bytes and digests by number.
    pub(crate) fn of<'a>(
        entry: &Entry<'_>,
        size: Option<u64>,
        digests: impl Iterator<Item = (usize, &'a [u8])>,
    ) -> Self {
        let (mut equal, mut different) = (false, false);
        for (place, digest) in digests {
            if let Some(own) = entry.digest(place) {
                equal |= own == digest;
                different |= own != digest;
            }
        }
        let same_size = entry.size.zip(size).map(|(own, other)| own == other);
        match (equal, different, same_size) {
            (true, false, Some(true) | None) => Self::Same,
            (true, _, _) => Self::Collision,
            (false, true, _) | (false, false, Some(false)) => Self::Different,
            (false, false, Some(true)) => Self::SameSize,
            (false, false, None) => Self::Unknown,
        }
    }

    /// Compares two stored contents, whose algorithms have the same numbers.
    pub(crate) fn between(left: &Entry<'_>, right: &Entry<'_>) -> Self {
        Self::of(left, right.size, right.numbered())
    }
}
