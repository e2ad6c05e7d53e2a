//! What was read, in numbers.

use hashlane_record::Origin;

use crate::counts::Counts;

/// What was read, in numbers.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) counts: Counts,
    /// Where the bytes came from.
    pub(crate) origin: Origin,
    /// Files that were read to their end, and bytes that were read of all.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}
