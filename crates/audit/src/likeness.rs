//! How alike two contents are, as far as digests and sizes tell.

use crate::entry::Entry;
use crate::judge::Comparison;

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
    /// Compares two stored contents, whose algorithms have the same numbers.
    pub(crate) fn between(left: &Entry<'_>, right: &Entry<'_>) -> Self {
        Comparison::of_entry(left, right.size, right.modified, right.numbered()).likeness()
    }
}
